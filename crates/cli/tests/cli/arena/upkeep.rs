//! Verify, backup and restore: a backup of a running server has the same state as the server.

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
