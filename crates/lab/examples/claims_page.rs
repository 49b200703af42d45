//! Prints docs/claims.md, which `cargo xtask docs` writes.

#![expect(clippy::print_stdout, reason = "printing is all it does")]

fn main() {
    print!("{}", tiltyard_lab::reproduce::claims_page());
}
