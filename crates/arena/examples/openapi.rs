//! Prints what `cargo xtask docs` writes: the OpenAPI document, with the argument `errors` the page
//! of errors, with `settings` the table of settings.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use tiltyard_arena::http;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("errors") => print!("{}", http::errors_page()),
        Some("settings") => print!("{}", http::settings_table()),
        _ => println!("{}", http::openapi().to_pretty_json().expect("a document is plain data")),
    }
}
