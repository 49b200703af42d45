//! `serve`: the sources of its settings, and what it refuses.

use std::fs;

use super::live::{Server, Transcript, signal};
use crate::{file, tiltyard};

/// A flag overrides the environment, and the environment overrides the file.
#[test]
fn trace_one_name_in_three_places() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("serve.toml");
    fs::write(&path, "listen = \"127.0.0.1:0\"\ndata = \"from-file\"\n").unwrap();
    let path = path.display().to_string();
    let made = |flags: &[&str], environment: &[(&str, &str)]| {
        let server = Server::start(&[&["--config", &path], flags].concat(), directory.path(), |command| {
            command.envs(environment.iter().copied());
        });
        assert_eq!(server.stop().0, Some(0));
        ["flag", "environment", "file"].map(|place| directory.path().join(format!("from-{place}")).exists())
    };
    let environment = [("TILTYARD_SERVE_DATA", "from-environment")];
    assert_eq!(made(&["--data", "from-flag"], &environment), [true, false, false]);
    assert_eq!(made(&[], &environment), [true, true, false]);
    assert_eq!(made(&[], &[]), [true, true, true]);
    let server = Server::start(&[], directory.path(), |command| {
        command.env("TILTYARD_SERVE_CONFIG", &path);
    });
    assert_eq!(server.key, None, "the directory in the file was used before");
}

#[test]
fn trace_settings_that_nobody_knows() {
    let mut refused = Transcript::default();
    for text in ["lissten = \"127.0.0.1:0\"\n", "listen = 7474\n", "auth = \"open\"\n", "data"] {
        let (_directory, path) = file("serve.toml", text.as_bytes());
        refused.run(&mut tiltyard(&["serve", "--config", &path.display().to_string()]));
    }
    for (name, value) in [
        ("TILTYARD_SERVE_MAX_BODY", "5"),
        ("TILTYARD_SERVE_LISTEN", "here"),
        ("TILTYARD_SERVE_MAX_REQUESTS", "0"),
    ] {
        refused.run(tiltyard(&["serve"]).env(name, value));
    }
    refused.run(&mut tiltyard(&["serve", "--config", "no-such-file"]));
    refused.run(&mut tiltyard(&["serve", "--cors-origins", "example.org"]));
    refused.run(&mut tiltyard(&["serve", "--content-origins", "https://a.example, https://b.example/path"]));
    refused.run(&mut tiltyard(&["serve", "--media", "no-such-directory"]));
    insta::assert_snapshot!("settings_refused", refused.text());
}

#[test]
fn trace_a_server_for_all_listens_to_nobody_from_elsewhere() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data").display().to_string();
    let mut refused = Transcript::default();
    refused.run(
        tiltyard(&["serve", "--log", "error", "--auth", "none", "--listen", "0.0.0.0:0"])
            .current_dir(directory.path()),
    );
    insta::assert_snapshot!("open_to_all", refused.text());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "the server must create nothing");
    // On loopback it is fine, and no key is needed.
    let server = Server::start(
        &["--auth", "none", "--listen", "127.0.0.1:0", "--data", &data],
        directory.path(),
        |_| {},
    );
    let mut list = tiltyard(&["experiment", "list"]);
    assert!(list.env("TILTYARD_SERVER", &server.url).output().unwrap().status.success());
}

/// The server shows results of the lab. If the directory is missing, it refuses to start before it
/// creates anything.
#[test]
fn trace_results_are_shown() {
    use std::io::Read as _;

    let directory = tempfile::tempdir().unwrap();
    let mut missing = tiltyard(&["serve", "--results", "nowhere"]);
    let missing = missing.current_dir(directory.path()).output().unwrap();
    let said = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(2), "{said}");
    assert!(said.contains("the directory of results nowhere does not exist"), "{said}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "the server must create nothing");

    let specification =
        "runs = 2\nhorizon = 100\n[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3\"\n";
    let (_folder, path) = file("first.toml", specification.as_bytes());
    let out = directory.path().join("kept/first");
    let run = tiltyard(&["run", "--quiet", "--out"]).arg(&out).arg(&path).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let config = directory.path().join("serve.toml");
    fs::write(&config, "results = \"kept\"\nauth = \"none\"\nlisten = \"127.0.0.1:0\"\n").unwrap();
    for place in ["flag", "environment", "file"] {
        let flags: &[&str] = match place {
            "flag" => &["--auth", "none", "--listen", "127.0.0.1:0", "--results", "kept"],
            "environment" => &["--auth", "none", "--listen", "127.0.0.1:0"],
            _ => &["--config", "serve.toml"],
        };
        let server = Server::start(flags, directory.path(), |command| {
            if place == "environment" {
                command.env("TILTYARD_SERVE_RESULTS", "kept");
            }
        });
        let ask = |path: &str| {
            let mut text = String::new();
            server.send(&format!("GET {path} HTTP/1.1\r\n"), "").read_to_string(&mut text).unwrap();
            text
        };
        assert!(ask("/lab/").contains("href=\"/lab/runs/first\""), "{place}: {}", ask("/lab/"));
        assert!(ask("/lab/runs/first").contains("class=\"ty-curve\""), "{place}");
        assert!(ask("/lab/runs/..%2Fserve.toml").starts_with("HTTP/1.1 404"), "{place}");
        assert!(ask("/lab/figure.js").contains("text/javascript"), "{place}");
    }
}

#[test]
fn trace_one_server_for_a_directory() {
    let server = Server::new(&[]);
    let mut refused = Transcript::default();
    let data = server.data().display().to_string();
    refused.run(&mut tiltyard(&["serve", "--log", "error", "--listen", "127.0.0.1:0", "--data", &data]));
    let address = server.url.trim_start_matches("http://");
    let directory = tempfile::tempdir().unwrap();
    let mut second = tiltyard(&["serve", "--log", "error", "--listen", address]);
    refused.run(second.current_dir(directory.path()));
    insta::assert_snapshot!("second_server", refused.text());
    // A failed start creates no key, because nobody would see it.
    let second = Server::start(&["--listen", "127.0.0.1:0"], directory.path(), |_| {});
    assert!(second.key.is_some());
    assert!(directory.path().join("tiltyard-data").exists());
}

/// A request that is half sent when the server is asked to stop is still answered.
#[test]
fn trace_a_stopping_server_finishes_what_it_began() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};

    let mut server = Server::new(&[]);
    let id = server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
    let body = r#"{"count": 2}"#;
    let head = format!(
        "POST /v1/experiments/{id}/duels HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n",
        body.len()
    );
    let mut stream = server.send(&head, "");
    let mut answer = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    // The server sends this when it waits for the body.
    answer.read_line(&mut line).unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    server.terminate();
    // When it accepts no more connections, it has noticed the signal.
    for _ in 0..1000 {
        if std::net::TcpStream::connect(server.url.trim_start_matches("http://")).is_err() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    stream.write_all(body.as_bytes()).unwrap();
    let mut rest = String::new();
    answer.read_to_string(&mut rest).unwrap();
    assert!(rest.trim_start().starts_with("HTTP/1.1 200 OK"), "{rest}");
    assert_eq!(rest.matches("expires_at").count(), 2, "{rest}");
    assert_eq!(server.wait(), Some(0));
    // The acknowledged duels are in the log.
    let verified = crate::seen(&mut tiltyard(&["verify", "--data", &server.data().display().to_string()]));
    assert!(verified.contains("x     3        0 "), "{verified}");
}

#[test]
fn trace_nothing_secret_is_logged() {
    for format in ["text", "json"] {
        let server = Server::new(&["--log", "debug", "--log-format", format]);
        let admin = server.key.clone().unwrap();
        let id = server.run(&["new", "x", "--arm", "a", "--arm", "b"]);
        let voter = server.run(&["key", "new", "--scope", "voter", "--experiment", "x"]);
        let duel = server.run(&["duel", "x", "--client-id", "hush"]).split('\t').next().unwrap().to_owned();
        server.run(&["vote", &duel, "left", "--voter", "somebody"]);
        let wrong = format!("tiltyard_{id}_wrong");
        assert!(
            !server.command(&["key", "list"]).env("TILTYARD_KEY", &wrong).output().unwrap().status.success()
        );
        let (code, log) = server.stop();
        assert_eq!(code, Some(0));
        assert!(log.contains("/v1/duels/{duel}/outcome") && log.contains("401"), "{log}");
        let token = duel.rsplit('-').next().unwrap();
        for secret in [&admin[23..], &voter[23..], &wrong, token, "somebody", "hush"] {
            assert!(!log.contains(secret), "{secret} is in\n{log}");
        }
    }
}

/// A demonstration has events soon after its start, and leaves nothing behind.
#[test]
fn trace_a_demonstration() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::start(&["--demo", "--listen", "127.0.0.1:0"], directory.path(), |_| {});
    let mut watch = server.command(&["watch", "demo", "--from", "start"]);
    // The experiment is created after the start of the server.
    for _ in 0..100 {
        if server.run(&["experiment", "list"]).contains("demo") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut watch = watch.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let events = super::live::take(&super::live::lines(&mut watch), 4);
    assert!(events[0].contains("created       demo: ranker-1, ranker-2"), "{events:?}");
    signal("INT", &watch);
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    assert_eq!(server.stop().0, Some(0));
    let left: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["log"]);
}
