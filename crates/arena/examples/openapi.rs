//! Prints what `cargo xtask docs` writes: the OpenAPI document, or with the argument `errors` the page of errors.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use tiltyard_arena::http;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("errors") {
        print!("{}", http::errors_page());
    } else {
        println!("{}", http::openapi().to_pretty_json().expect("a document is plain data"));
    }
}
