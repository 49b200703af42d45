use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::Progress;
use crate::engine::Experiment;
use crate::engine::plan::Shard;
use crate::engine::runner::{Target, run_experiment};
use crate::reproduce::{Ending, Job, REX3, Request, Scale, Selection};
use crate::spec::Specification;

/// A name that would become a picture with a script if it were not escaped.
const EVIL: &str = "<img src=x onerror=alert(1)>";

fn play(directory: &Path, text: &str) {
    let mut experiment = Experiment::new(&Specification::parse("a.toml", text).unwrap(), None).unwrap();
    let target = Target { directory, resume: false, shard: Shard::WHOLE, revision: None };
    run_experiment(&mut experiment, &target, &Progress::default()).unwrap();
}

fn specification(worlds: &[&str], policies: &[&str], seed: u64) -> String {
    let mut text = format!(
        "title = \"{EVIL}\"\nseed = {seed}\nruns = 3\nhorizon = 1000\ncheckpoints = [10, 100, 1000]\n"
    );
    for (kind, names) in [("world", worlds), ("policy", policies)] {
        for name in names {
            writeln!(text, "[[{kind}]]\n{kind} = \"{name}\"").unwrap();
        }
    }
    text
}

/// Three runs, two of which share a world, and other files and directories.
fn filled() -> (TempDir, Gallery) {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    play(&at("a"), &specification(&["cyclic4", "arxiv6"], &["rex3", "random", "rucb"], 1));
    play(&at("deep/er/b"), &specification(&["arxiv6"], &["rex3", "random"], 2));
    play(&at("c"), &specification(&["copeland5"], &["random"], 3));
    fs::create_dir(at("empty")).unwrap();
    fs::write(at("letter.txt"), "dear").unwrap();
    let gallery = Gallery::open(directory.path()).unwrap();
    (directory, gallery)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn page(gallery: &Gallery, path: &str, query: &str) -> String {
    match gallery.respond(path, query) {
        Some(Response::Page { body, .. }) => body,
        other => panic!("no page at {path}?{query}: {other:?}"),
    }
}

fn file(gallery: &Gallery, path: &str, query: &str) -> (Vec<u8>, Option<String>) {
    match gallery.respond(path, query) {
        Some(Response::File { bytes, download, .. }) => (bytes, download),
        other => panic!("no file at {path}?{query}: {other:?}"),
    }
}

fn curves(page: &str) -> usize {
    page.matches("class=\"ty-curve\"").count()
}

/// The scale and the ends of the first horizontal axis on a page.
fn x_axis(page: &str) -> (String, f64, f64) {
    let text = page.split("data-x-axis=\"").nth(1).unwrap().split('"').next().unwrap();
    let parts: Vec<&str> = text.split(' ').collect();
    (parts[0].to_owned(), parts[1].parse().unwrap(), parts[2].parse().unwrap())
}

#[test]
fn trace_the_list_has_what_is_there() {
    let (_directory, gallery) = filled();
    let index = page(&gallery, "", "");
    for name in ["a", "deep/er/b", "c"] {
        assert!(index.contains(&format!("href=\"/lab/runs/{name}\"")), "{name} in {index}");
    }
    assert_eq!(index.matches("type=\"checkbox\"").count(), 3);
    assert!(!index.contains("empty") && !index.contains("letter") && !index.contains("cannot be opened"));
    assert!(index.contains("arXiv-6") || index.contains("arxiv6"));
}

#[test]
fn trace_a_directory_without_results_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let gallery = Gallery::open(directory.path()).unwrap();
    assert!(page(&gallery, "", "").contains("There are no results here yet"));
    let missing = directory.path().join("nowhere");
    assert!(matches!(Gallery::open(&missing), Err(GalleryError::Missing { .. })));
    fs::write(&missing, "").unwrap();
    assert!(matches!(Gallery::open(&missing), Err(GalleryError::NoDirectory { .. })));
}

/// The directory itself may be a run, which then has its own name.
#[test]
fn trace_the_directory_itself_may_be_a_run() {
    let (directory, _) = filled();
    let gallery = Gallery::open(&directory.path().join("a")).unwrap();
    assert!(page(&gallery, "", "").contains("href=\"/lab/runs/a\""));
    assert_eq!(curves(&page(&gallery, "runs/a", "")), 6);
}

/// Each is listed with a reason that contains no path of this machine, and none hides the others.
#[test]
fn trace_what_is_broken_is_listed_with_the_reason() {
    let (directory, gallery) = filled();
    let at = |name: &str| directory.path().join(name);
    for name in ["changed", "halved", "no-table", "no-manifest", "newer", "shard"] {
        copy(&at("a"), &at(name));
    }
    let manifest = fs::read_to_string(at("a/manifest.json")).unwrap();
    fs::write(at("changed/results.parquet"), "not what it was").unwrap();
    fs::write(at("halved/manifest.json"), &manifest[..manifest.len() / 2]).unwrap();
    fs::remove_file(at("no-table/results.parquet")).unwrap();
    fs::remove_file(at("no-manifest/manifest.json")).unwrap();
    fs::write(at("newer/manifest.json"), manifest.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    let part = manifest.replacen("\"shard\": null", "\"shard\": {\"index\": 1, \"count\": 2}", 1);
    assert_ne!(part, manifest);
    fs::write(at("shard/manifest.json"), part).unwrap();
    fs::create_dir(at("begun")).unwrap();
    fs::write(at("begun/job.json"), "{}").unwrap();
    // Other programs may have files with these names.
    fs::create_dir(at("somebody")).unwrap();
    fs::write(at("somebody/manifest.json"), "{\"name\": \"an app\"}").unwrap();
    fs::write(at("somebody/report.html"), "<p>sales").unwrap();

    let index = page(&gallery, "", "");
    for (name, reason) in [
        ("halved", "manifest.json is damaged"),
        ("no-table", "there is no results.parquet"),
        ("no-manifest", "there is no manifest.json"),
        ("newer", "has format 99"),
        ("begun", "the job is not finished"),
        ("shard", "shard"),
    ] {
        let line = index.split("<li>").find(|line| line.contains(&format!("<strong>{name}</strong>")));
        assert!(line.is_some_and(|line| line.contains(reason)), "{name}: {line:?}");
        assert_eq!(gallery.respond(&format!("runs/{name}"), ""), None, "{name}");
    }
    assert!(!index.contains("somebody") && gallery.respond("reports/somebody", "").is_none());
    // A changed table is noticed when it is read.
    assert!(page(&gallery, "runs/changed", "").contains("results.parquet is damaged"));
    assert!(page(&gallery, "compare", "run=a&run=changed").contains("results.parquet is damaged"));
    assert!(!index.contains(directory.path().to_str().unwrap()));
    assert_eq!(curves(&page(&gallery, "runs/a", "")), 6);
}

/// Only what was found can be requested, however the request is written.
#[test]
fn trace_no_path_leads_out() {
    let (directory, _) = filled();
    // The gallery is one level below a secret.
    let inner = directory.path().join("deep");
    fs::write(directory.path().join("manifest.json"), "secret").unwrap();
    let gallery = Gallery::open(&inner).unwrap();
    assert_eq!(curves(&page(&gallery, "runs/er/b", "")), 2);
    let whole = directory.path().join("a");
    for name in [
        "../a",
        "..",
        ".",
        "",
        "/",
        "er/../er/b",
        "er/b/",
        "er//b",
        "./er/b",
        "er/../../a",
        "..%2Fa",
        "%2e%2e/a",
        "~2E~2E/a",
        "~2E~2E~2Fa",
        "..\\a",
        "er/b/manifest.json",
        "er/b\0",
        "er/b/../../../manifest.json",
        "nobody",
        whole.to_str().unwrap(),
        "/etc/passwd",
    ] {
        for kind in ["runs", "reports"] {
            assert_eq!(gallery.respond(&format!("{kind}/{name}"), ""), None, "{kind}/{name}");
        }
        let body = page(&gallery, "compare", &format!("run=er/b&run={name}"));
        assert!(curves(&body) == 0 && body.contains("lab-note"), "{name}: {body}");
    }
    for path in ["runs", "reports", "manifest.json", "../", "lab", "gallery.css", "figure.js/", "index"] {
        assert_eq!(gallery.respond(path, ""), None, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn trace_links_are_not_followed() {
    let (directory, _) = filled();
    let inner = directory.path().join("deep");
    std::os::unix::fs::symlink(directory.path(), inner.join("circle")).unwrap();
    let planted = inner.join("planted");
    copy(&directory.path().join("a"), &planted);
    fs::remove_file(planted.join("results.parquet")).unwrap();
    std::os::unix::fs::symlink(directory.path().join("a/results.parquet"), planted.join("results.parquet"))
        .unwrap();
    let gallery = Gallery::open(&inner).unwrap();
    let index = page(&gallery, "", "");
    assert_eq!(index.matches("type=\"checkbox\"").count(), 1);
    assert!(!index.contains("circle") && index.contains("there is no results.parquet"));
}

/// Names and titles are escaped everywhere, and the address of such a name works.
#[test]
fn trace_names_are_text() {
    let (directory, gallery) = filled();
    copy(&directory.path().join("a"), &directory.path().join(EVIL));
    let address = "runs/~3Cimg~20src~3Dx~20onerror~3Dalert~281~29~3E";
    let index = page(&gallery, "", "");
    assert!(index.contains(&format!("href=\"/lab/{address}\"")), "{index}");
    let escaped = "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E";
    let pages = [
        index,
        page(&gallery, address, ""),
        page(&gallery, &format!("runs/{EVIL}"), ""),
        page(
            &gallery,
            address,
            &format!("world={escaped}&policy={escaped}&measure={escaped}&x-from={escaped}&x-scale={escaped}"),
        ),
        page(&gallery, "compare", &format!("run=a&run={escaped}")),
        page(&gallery, "compare", &format!("run=a&run={escaped}{escaped}")),
    ];
    for page in pages {
        assert!(!page.contains("<img") && page.contains("&lt;img"), "{page}");
        // The site's content security policy would not allow these.
        for word in ["<script", "<style", " style=", " onerror=alert(1)\"", "javascript:"] {
            assert!(!page.contains(word), "`{word}` in {page}");
        }
    }
    let (_, download) = file(&gallery, address, "as=csv");
    assert_eq!(download.unwrap(), "-img-src-x-onerror-alert-1--.csv");
}

/// Fewer worlds and policies give fewer panels and curves, and fewer rows in the table.
#[test]
fn trace_what_is_picked_is_drawn() {
    let (_directory, gallery) = filled();
    let shown = |query: &str| {
        let page = page(&gallery, "runs/a", query);
        (
            page.matches("class=\"ty-panel\"").count(),
            curves(&page),
            page.matches("<th scope=\"row\">").count(),
        )
    };
    assert_eq!(shown(""), (2, 6, 6));
    assert_eq!(shown("world=cyclic4"), (1, 3, 3));
    assert_eq!(shown("policy=rex3&policy=rucb"), (2, 4, 4));
    assert_eq!(shown("world=arxiv6&policy=random&measure=accuracy"), (1, 1, 1));
    assert_eq!(shown("world=nowhere"), (2, 6, 6));
    let accuracy = page(&gallery, "runs/a", "measure=accuracy");
    assert!(accuracy.contains("data-y=\"accuracy\"") && !accuracy.contains("data-y=\"condorcet regret\""));
    // The form ticks what is drawn.
    let one = page(&gallery, "runs/a", "world=cyclic4");
    assert!(
        one.contains("name=\"world\" value=\"cyclic4\" checked") && !one.contains("value=\"arxiv6\" checked")
    );
}

/// The axis is the requested range, plus 3 % of its decades (4 % of its length) on either side.
#[test]
fn trace_zoom_and_scales_change_the_axes() {
    let (_directory, gallery) = filled();
    let axis = |query: &str| x_axis(&page(&gallery, "runs/a", query));
    let near = |(got, low, high): (String, f64, f64), scale: &str, ends: (f64, f64)| {
        assert!(
            got == scale && (low - ends.0).abs() < 1e-6 && (high - ends.1).abs() < 1e-6,
            "{got} {low} {high}"
        );
    };
    let pad = 100_f64.powf(0.03);
    near(axis(""), "log", (10.0 / pad, 1000.0 * pad));
    let pad = 4_f64.powf(0.03);
    near(axis("x-from=50&x-to=200"), "log", (50.0 / pad, 200.0 * pad));
    near(axis("x-scale=linear&x-from=100&x-to=200"), "linear", (96.0, 204.0));
    near(axis("x-scale=linear&x-from=500"), "linear", (480.0, 1020.0));
    // In the wrong order, from 0 or below, and without a range.
    near(axis("x-from=200&x-to=50"), "log", (50.0 / pad, 200.0 * pad));
    let whole = axis("");
    for odd in [
        "x-from=-5",
        "x-from=0&x-to=1000",
        "x-from=NaN",
        "x-from=7&x-to=7",
        "x-from=50&x-to=200&whole=1",
        "x-from=1e400",
    ] {
        assert_eq!(axis(odd), whole, "{odd}");
    }
    // A line is drawn even between two recorded points.
    let between = page(&gallery, "runs/a", "world=arxiv6&policy=random&x-from=20&x-to=50");
    assert!(between.contains("data-points=\"\"") && !between.contains(">no data<"));
    let (svg, _) = file(&gallery, "runs/a", "world=arxiv6&x-from=20&x-to=50&as=svg");
    assert!(!String::from_utf8(svg).unwrap().contains("cannot be shown on their axes"));
}

#[test]
fn trace_a_sweep_is_drawn_along_what_was_swept() {
    let directory = tempfile::tempdir().unwrap();
    let text = "runs = 2\nhorizon = 100\ncheckpoints = [100]\n[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3\"\n\
                grid.gamma = [0.01, 0.02, 0.05, 0.1]\n";
    play(&directory.path().join("swept"), text);
    let gallery = Gallery::open(directory.path()).unwrap();
    let body = page(&gallery, "runs/swept", "");
    assert!(curves(&body) == 1 && body.contains("data-x=\"gamma\""));
    assert_eq!(curves(&page(&gallery, "runs/swept", "measure=regret")), 4);
    let few = page(&gallery, "runs/swept", "policy=rex3:gamma%3D0.01");
    assert!(few.contains("Too few values") && curves(&few) == 0, "{few}");
}

#[test]
fn trace_runs_are_compared_world_by_world() {
    let (_directory, gallery) = filled();
    let body = page(&gallery, "compare", "run=a&run=deep%2Fer%2Fb");
    // rex3, random and rucb of one run, rex3 and random of the other, in the one world that both
    // have.
    assert_eq!((body.matches("class=\"ty-panel\"").count(), curves(&body)), (1, 5));
    for label in ["rex3 (a)", "rex3 (deep/er/b)", "rucb (a)"] {
        assert!(body.contains(&format!("data-label=\"{label}\"")), "{label}");
    }
    assert!(body.contains("Left out"));
    assert_eq!(curves(&page(&gallery, "compare", "run=a&run=deep/er/b&policy=rex3")), 2);
    let (csv, name) = file(&gallery, "compare", "run=a&run=deep/er/b&policy=rex3&as=csv");
    let csv = String::from_utf8(csv).unwrap();
    assert!(csv.starts_with("run,world,") && csv.contains("\ndeep/er/b,arxiv6,"), "{csv}");
    assert_eq!(name.as_deref(), Some("a-and-deep-er-b.csv"));
}

#[test]
fn trace_what_cannot_be_compared_is_refused_in_a_sentence() {
    let (_directory, gallery) = filled();
    for (query, sentence) in [
        ("run=a&run=c", "no world is the same in all of them"),
        ("run=a&run=deep/er/b&run=c", "no world is the same in all of them"),
        ("", "at least two"),
        ("run=a", "at least two"),
        ("run=a&run=a", "at least two"),
        ("run=a&run=nobody", "There is no run called"),
        ("run=1&run=2&run=3&run=4&run=5&run=6&run=7&run=8&run=9", "At most 8 runs"),
    ] {
        let body = page(&gallery, "compare", query);
        assert!(body.contains(sentence) && curves(&body) == 0, "{query}: {body}");
    }
}

/// The CSV of a whole run is the file that was written with it. A figure is a picture of its own.
#[test]
fn trace_files_to_take_home() {
    let (directory, gallery) = filled();
    let (csv, name) = file(&gallery, "runs/a", "as=csv");
    assert!(csv == fs::read(directory.path().join("a/summary.csv")).unwrap());
    assert_eq!(name.as_deref(), Some("a.csv"));
    let (part, _) = file(&gallery, "runs/a", "as=csv&world=arxiv6&policy=rex3");
    assert_eq!(part.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(), 4);
    let Some(Response::File { bytes, inline, download, content_type }) = gallery.respond("runs/a", "as=svg")
    else {
        panic!("no picture")
    };
    let svg = String::from_utf8(bytes).unwrap();
    let style = svg.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    assert!(inline.contains(&inline_source(style)));
    assert_eq!((content_type, download.as_deref()), ("image/svg+xml", Some("a.svg")));
    // For a figure that does not exist, the page is shown.
    assert_eq!(curves(&page(&gallery, "runs/a", "as=svg&figure=9")), 6);
    assert_eq!(&file(&gallery, "runs/a", "as=png").0[1..4], b"PNG");
}

#[test]
fn trace_results_that_change_are_read_anew() {
    let (directory, gallery) = filled();
    assert_eq!(curves(&page(&gallery, "runs/c", "")), 1);
    let at = directory.path().join("c");
    fs::remove_dir_all(&at).unwrap();
    assert_eq!(gallery.respond("runs/c", ""), None);
    play(&at, &specification(&["copeland5"], &["random", "rex3"], 3));
    assert_eq!(curves(&page(&gallery, "runs/c", "")), 2);
}

/// A report is served as it was written. Its own scripts and styles may run; foreign ones may not.
#[test]
fn trace_reports_run_what_we_wrote_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("papers/rex3");
    let scale = Scale { name: "tiny", longest: 500, runs: 2, sizes: 4, cuts_claims: true };
    let selection = Selection::of(&REX3, &["arxiv"]).unwrap();
    let order = Request { selection, scale, seed: None, data: None, out: &out, revision: None };
    let progress = Progress::default();
    let job = Job::prepare(order, &progress).unwrap().expect("nobody stopped it");
    assert!(matches!(job.run(&progress).unwrap(), Ending::Complete(_)));

    let gallery = Gallery::open(directory.path()).unwrap();
    let index = page(&gallery, "", "");
    assert!(index.contains("href=\"/lab/reports/papers/rex3\""));
    assert!(index.contains("href=\"/lab/runs/papers/rex3/results/arxiv\""));
    let Some(Response::File { bytes, inline, download: None, content_type }) =
        gallery.respond("reports/papers/rex3", "")
    else {
        panic!("no report")
    };
    let text = String::from_utf8(bytes).unwrap();
    assert!(
        content_type.starts_with("text/html") && text == fs::read_to_string(out.join("report.html")).unwrap()
    );
    let blocks = |text: &str, tag: &str| -> Vec<String> {
        let open = format!("<{tag}>");
        text.split(&open)
            .skip(1)
            .map(|rest| rest.split(&format!("</{tag}>")).next().unwrap().to_owned())
            .collect()
    };
    let (scripts, styles) = (blocks(&text, "script"), blocks(&text, "style"));
    assert_eq!((scripts.len(), styles.len(), text.contains(" style=")), (1, 2, false));
    for block in scripts.iter().chain(&styles) {
        assert!(inline.contains(&inline_source(block)), "{}", &block[..60]);
    }

    fs::write(out.join("report.html"), text.replace("<script>", "<script>alert(1);")).unwrap();
    let Some(Response::File { bytes, inline: again, .. }) = gallery.respond("reports/papers/rex3", "") else {
        panic!("no report")
    };
    let foreign = blocks(&String::from_utf8(bytes).unwrap(), "script");
    assert!(again == inline && !again.contains(&inline_source(&foreign[0])));
}
