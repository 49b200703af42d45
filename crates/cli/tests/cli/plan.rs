//! `tiltyard plan`.

use std::fmt::Write as _;

use crate::{seen, tiltyard};

fn plan(arguments: &str) -> String {
    let arguments: Vec<&str> = ["plan"].into_iter().chain(arguments.split_whitespace()).collect();
    seen(&mut tiltyard(&arguments))
}

#[test]
fn trace_plans() {
    insta::assert_snapshot!("plan_table", plan("--arms 8 --gap 0.05 --confidence 0.95"));
    insta::assert_snapshot!("plan_ties", plan("--arms 2 --gap 0.2 --confidence 0.99 --power 0.8 --ties 0.5"));
    insta::assert_snapshot!("plan_json", plan("--arms 3 --gap 0.5 --format json"));
    insta::assert_snapshot!("plan_help", plan("--help"));
}

#[test]
fn trace_bad_plans() {
    let mut text = String::new();
    for arguments in [
        "--gap 0.05",
        "--arms 8",
        "--arms 1 --gap 0.05",
        "--arms 8 --gap 0",
        "--arms 8 --gap -0.1",
        "--arms 8 --gap 0.6",
        "--arms 8 --gap 1e-9",
        "--arms 8 --gap nan",
        "--arms 8 --gap 0.05 --confidence 95",
        "--arms 8 --gap 0.05 --power 1",
        "--arms 8 --gap 0.05 --ties 1",
        "--arms few --gap 0.05",
    ] {
        writeln!(text, "$ tiltyard plan {arguments}\n{}", plan(arguments)).unwrap();
    }
    insta::assert_snapshot!("plan_bad", text);
}
