//! Prints docs/claims.md; `cargo xtask docs` writes it.

#![expect(clippy::print_stdout, reason = "printing is all it does")]

fn main() {
    print!("{}", tiltyard_lab::reproduce::claims_page());
}
