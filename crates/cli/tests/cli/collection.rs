//! `tiltyard collection`.

use std::fmt::Write as _;

use crate::{file, seen, tiltyard};

const TEXT: &[u8] = b"# three documents of two queries
2 qid:10 1:0.5 2:1 3:7 #docid = GX1
0 qid:10 1:0.5 2:3 3:7 #docid = GX2
0 qid:11 1:0.1 3:7
";

fn collection(arguments: &[&str]) -> String {
    seen(&mut tiltyard(&[&["collection"], arguments].concat()))
}

#[test]
fn trace_a_small_collection() {
    let (_directory, path) = file("small.txt", TEXT);
    let path = path.display().to_string();
    insta::assert_snapshot!("collection_table", collection(&[&path]));
    insta::assert_snapshot!("collection_json", collection(&[&path, "--format", "json"]));
}

#[test]
fn trace_a_synthetic_collection_is_written_and_read_back() {
    let (directory, _path) = file("unused", b"");
    let copy = directory.path().join("copy.txt").display().to_string();
    let made = "synthetic:like=np2004,queries=5,documents=20";
    let written = collection(&[made, "--write", &copy]);
    let read = collection(&[&copy]);
    let numbers = |text: &str| text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>();
    assert!(written.contains("features                    64"), "{written}");
    assert_eq!(numbers(&written), numbers(&read));
    let again = collection(&[made, "--write", &copy]);
    assert!(again.starts_with("exit code: 1\n") && again.contains("could not write"), "{again}");
}

#[test]
fn trace_bad_collections() {
    let cases: &[(&str, &[u8])] = &[
        ("empty.txt", b""),
        ("label.txt", b"x qid:1 1:1\n"),
        ("noqid.txt", b"1 1:0.5\n"),
        ("value.txt", b"1 qid:1 1:0.5\n1 qid:1 1:nan\n"),
        ("returns.txt", b"1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n"),
        ("cut.gz", b"\x1f\x8b\x08\x00"),
    ];
    let mut text = String::new();
    for (name, contents) in cases {
        let (_directory, path) = file(name, contents);
        writeln!(text, "{name}\n{}", collection(&[&path.display().to_string()])).unwrap();
    }
    for arguments in [&[][..], &["no/such/file.gz"], &["synthetic:quality=2"], &["synthetic:qualty=1"]] {
        writeln!(text, "$ tiltyard collection {}\n{}", arguments.join(" "), collection(arguments)).unwrap();
    }
    insta::assert_snapshot!("collection_bad", text);
}
