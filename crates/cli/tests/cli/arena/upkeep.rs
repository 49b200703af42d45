//! Verify, backup and restore: a backup of a running server has the same state as the server.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::live::{Server, steady};
use crate::{seen, tiltyard};

#[test]
fn trace_a_backup_of_a_running_server_is_the_server() {
    let server = Server::new(&[]);
    let data = server.data().display().to_string();
    let id = server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    for line in server.run(&["duel", "x", "--count", "20"]).lines().take(15) {
        server.run(&["vote", line.split('\t').next().unwrap(), "left", "--voter", "u"]);
    }
    let digest = server.digest(&id);

    let verified = seen(&mut tiltyard(&["verify", "--data", &data]));
    assert!(verified.contains(&digest[..16]), "{verified}");
    let directory = tempfile::tempdir().unwrap();
    let [backup, restored] =
        ["backup", "restored"].map(|name| directory.path().join(name).display().to_string());
    let copied = seen(&mut tiltyard(&["backup", "--data", &data, "--out", &backup]));
    assert!(copied.contains(&digest[..16]), "{copied}");
    insta::assert_snapshot!("backup", steady(&copied.replace(&digest[..16], "[DIGEST]")));
    insta::assert_snapshot!(
        "backup_again",
        seen(&mut tiltyard(&["backup", "--data", &data, "--out", &backup]))
    );

    // Later events are not in the backup.
    server.run(&["duel", "x"]);
    assert_ne!(server.digest(&id), digest);
    let verified = seen(&mut tiltyard(&["verify", "--data", &backup]));
    assert!(verified.starts_with("exit code: 0") && verified.contains(&digest[..16]), "{verified}");
    let made = seen(&mut tiltyard(&["restore", &backup, "--data", &restored]));
    assert!(made.starts_with("exit code: 0") && made.contains(&digest[..16]), "{made}");
    insta::assert_snapshot!("restore_again", seen(&mut tiltyard(&["restore", &backup, "--data", &restored])));
    let mut second =
        Server::start(&["--listen", "127.0.0.1:0", "--data", &restored], directory.path(), |_| {});
    assert_eq!(second.key, None);
    second.key.clone_from(&server.key);
    assert_eq!(second.digest(&id), digest);
    assert_eq!(second.run(&["duel", "x", "--count", "2"]).lines().count(), 2);
}

#[test]
fn trace_no_data() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("nothing").display().to_string();
    insta::assert_snapshot!("verify_nothing", seen(&mut tiltyard(&["verify", "--data", &path])));
    let out = directory.path().join("out").display().to_string();
    insta::assert_snapshot!(
        "backup_nothing",
        seen(&mut tiltyard(&["backup", "--data", &path, "--out", &out]))
    );
    insta::assert_snapshot!("restore_nothing", seen(&mut tiltyard(&["restore", &path, "--data", &out])));
}

/// Changes one byte of a file, within the first occurrence of these bytes.
fn damage(path: &Path, within: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(within.len()).position(|window| window == within).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// The output without what differs from run to run. The rows of a table are ordered by random ids:
/// they are sorted by name here.
fn settled(text: &str, directory: &Path) -> String {
    let (start, rest) = text.split_once("digest\n").map_or((text, ""), |(start, rest)| (start, rest));
    let (table, rest) = rest.split_once("-----").unwrap_or((rest, ""));
    let mut rows: Vec<Vec<&str>> = table.lines().map(|row| row.split_whitespace().collect()).collect();
    rows.sort_by_key(|row| row.get(1).copied());
    let rows: String = rows.iter().map(|row| row.join(" ") + "\n").collect();
    let text = if rows.is_empty() { text.to_owned() } else { format!("{start}digest\n{rows}-----{rest}") };
    let text = steady(&text.replace(&directory.display().to_string(), "[DIR]"));
    let is_hash = |word: &&str| word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit());
    let words: Vec<&str> = text.split([' ', '\n', ',']).filter(is_hash).collect();
    words.into_iter().fold(text.clone(), |text, word| text.replace(word, "[HASH]"))
}

/// A published log can be checked by anyone.
#[test]
fn trace_an_exported_log_is_checked() {
    let server = Server::new(&[]);
    let id = server.run(&["new", "x", "--arm", "a", "--arm", "b", "--policy", "rucb"]);
    let duels = server.run(&["duel", "x", "--count", "5"]);
    for line in duels.lines() {
        server.run(&["vote", line.split('\t').next().unwrap(), "left", "--voter", "u"]);
    }
    server.run(&["void", duels.split('\t').next().unwrap()]);
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let (log, votes) = (file("log.jsonl"), file("votes.csv"));
    server.run(&["export", "x", "--format", "log", "--out", &log]);
    let noted = seen(&mut server.command(&["export", "x", "--out", &votes]));
    let checked = seen(&mut tiltyard(&["verify", &log]));
    assert!(checked.contains(&server.digest(&id)), "{checked}");
    insta::assert_snapshot!("verify_log", settled(&checked, directory.path()));
    insta::assert_snapshot!("export_head", settled(&noted, directory.path()));

    // The lines of Python in the documentation agree.
    let page = include_str!("../../../../../docs/arena.md");
    let code = page.split_once("```python\nimport hashlib").unwrap().1.split_once("```").unwrap().0;
    let code = format!("import hashlib{code}");
    let python = |path: &str| Command::new("python3").args(["-c", &code, path]).output().unwrap();
    let output = python(&log);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "12 records are sound\n", "{output:?}");

    let whole = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let swapped = [&lines[..3], &[lines[4], lines[3]], &lines[5..]].concat().join("\n");
    let cases = [
        ("changed", whole.replace("\\\"left\\\"", "\\\"right\\\"")),
        ("swapped", swapped),
        ("cut", lines[..9].join("\n")),
        ("missing", [&lines[..3], &lines[4..]].concat().join("\n")),
        ("not_a_log", "left,right,outcome\n".to_owned()),
    ];
    for (name, text) in cases {
        let path = file(name);
        fs::write(&path, text).unwrap();
        let found = seen(&mut tiltyard(&["verify", &path]));
        insta::assert_snapshot!(format!("verify_log_{name}"), settled(&found, directory.path()));
        assert!(!python(&path).status.success(), "{name}");
    }
}

/// Damage is named; the other experiments serve; a backup or a cut brings the experiment back.
#[test]
fn trace_damage_is_named_and_repaired() {
    let server = Server::new(&[]);
    let (data, key) = (server.data(), server.key.clone());
    let name = data.display().to_string();
    let sound = server.run(&["new", "sound", "--arm", "a", "--arm", "b"]);
    let hurt = server.run(&["new", "hurt", "--arm", "a", "--arm", "b"]);
    server.run(&["duel", "hurt", "--count", "3"]);
    server.run(&["arm", "add", "hurt", "zebra"]);
    let directory = tempfile::tempdir().unwrap();
    let backup = directory.path().join("backup").display().to_string();
    seen(&mut tiltyard(&["backup", "--data", &name, "--out", &backup]));
    server.run(&["duel", "hurt", "--count", "2"]);
    let digests = [&sound, &hurt].map(|id| server.digest(id));
    let home = data.parent().unwrap().to_owned();
    let kept = fs::canonicalize(&home).unwrap();
    let mut server = server;
    server.terminate();
    server.wait();
    damage(&data.join("tiltyard.db"), b"zebra");

    let run = |arguments: &[&str]| {
        settled(&seen(&mut tiltyard(&[&["verify", "--data", &name], arguments].concat())), &kept)
    };
    insta::assert_snapshot!("verify_damaged", run(&[]));
    let arguments = ["--listen", "127.0.0.1:0", "--data", &name];
    let mut second = Server::start(&arguments, &home, |_| {});
    second.key.clone_from(&key);
    assert_eq!(second.digest(&sound), digests[0]);
    assert_eq!(second.run(&["duel", "sound"]).lines().count(), 1);
    let refused = seen(&mut second.command(&["standing", &hurt]));
    insta::assert_snapshot!("standing_damaged", settled(&refused, &kept));
    let exported = seen(&mut second.command(&["export", &hurt, "--format", "log"]));
    assert!(exported.starts_with("exit code: 1") && exported.contains("\"damage\""), "{exported}");
    let digest = second.digest(&sound);
    second.terminate();
    second.wait();

    insta::assert_snapshot!("verify_cut_other", run(&["--cut", &sound]));
    let [copy, cut] = ["copy", "cut"].map(|name| directory.path().join(name));
    for target in [&copy, &cut] {
        fs::create_dir(target).unwrap();
        for file in ["tiltyard.db", "tiltyard.heads"] {
            fs::copy(data.join(file), target.join(file)).unwrap();
        }
    }
    insta::assert_snapshot!("verify_repair", run(&["--repair-from", &backup]));
    let cut_name = cut.display().to_string();
    let found = seen(&mut tiltyard(&["verify", "--data", &cut_name, "--cut", &hurt]));
    insta::assert_snapshot!("verify_cut", settled(&found.replace(&hurt, "[HURT]"), directory.path()));
    let rest = fs::read_to_string(cut.join(format!("lost-{hurt}-after-4.jsonl"))).unwrap();
    assert_eq!(rest.lines().count(), 3);

    let mut third = Server::start(&arguments, &home, |_| {});
    third.key.clone_from(&key);
    assert_eq!([&sound, &hurt].map(|id| third.digest(id)), [digest, digests[1].clone()]);
    drop(third);
    let mut fourth = Server::start(&["--listen", "127.0.0.1:0", "--data", &cut_name], &home, |_| {});
    fourth.key.clone_from(&key);
    assert!(fourth.run(&["duel", "hurt"]).contains('-'));
}
