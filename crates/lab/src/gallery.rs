//! Results and reports as linked pages: the list of everything below a directory, single runs, and
//! comparisons of runs.
//!
//! A [`Gallery`] takes a path and a query, and returns the inside of a page or a file. It does not
//! know how requests and responses travel. Nothing in a request ever becomes a path on disk: names
//! are only compared with those that were found.
//!
//! ```text
//! (nothing)        runs and reports
//! runs/NAME        a run: figures, a form, a table; with `as=svg|png|csv` a file
//! compare          several runs, each as `run=NAME`; the same files
//! reports/NAME     a report as `tiltyard reproduce` wrote it
//! figure.js, figure.css, gallery.js
//! ```

mod address;
mod find;
mod index;
mod picture;
mod query;
mod results_cache;
mod run_page;
mod table;
mod view;
mod view_form;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use maud::html;

use self::find::{Finder, Found};
use self::query::Query;
use self::results_cache::ResultsCache;
use self::run_page::RunPage;
use crate::figure;
use crate::results::Results;
use crate::{digest, reproduce};

/// The beginning of all addresses on pages.
const ROOT: &str = "/lab/";

/// The largest number of runs to compare at once. A figure of more could not be read.
const MOST_COMPARED: usize = 8;

/// Larger files are not shown as reports.
const LARGEST_REPORT: u64 = 1 << 26;

/// All results and reports below one directory.
#[derive(Debug)]
pub struct Gallery {
    finder: Finder,
    cache: ResultsCache,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Response {
    /// The inside of a page.
    Page {
        /// As plain text.
        title: String,
        /// As HTML.
        body: String,
        /// The addresses of the style sheets (`.css`) and scripts (`.js`) that the page needs.
        assets: Vec<String>,
    },
    /// A file as it is.
    File {
        content_type: &'static str,
        bytes: Vec<u8>,
        /// The scripts and styles in the file that this program wrote, as sources of a content
        /// security policy (`'sha256-...'`).
        inline: Vec<String>,
        /// The name under which a browser saves the file; `None` if the browser shows it.
        download: Option<String>,
    },
}

/// A gallery cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum GalleryError {
    /// The directory does not exist.
    #[error("the directory of results {} does not exist", path.display())]
    Missing { path: PathBuf },
    /// The path is not a directory.
    #[error("{} is not a directory", path.display())]
    NoDirectory { path: PathBuf },
    /// The directory cannot be read.
    #[error("cannot read the directory of results {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
}

impl Gallery {
    /// The gallery of a directory, which must exist. Each request looks at its content anew, so the
    /// content may change.
    ///
    /// # Errors
    ///
    /// If the path is not a directory, or cannot be read.
    pub fn open(directory: &Path) -> Result<Self, GalleryError> {
        let path = || directory.to_owned();
        match std::fs::read_dir(directory) {
            Ok(_) => Ok(Self { finder: Finder::new(directory), cache: ResultsCache::default() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(GalleryError::Missing { path: path() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                Err(GalleryError::NoDirectory { path: path() })
            }
            Err(source) => Err(GalleryError::Unreadable { path: path(), source }),
        }
    }

    /// The answer to a path (below `/lab/`, unescaped) and a query as the browser sent it; `None`
    /// if there is nothing at that path. May take long, because it reads results and draws figures.
    pub fn respond(&self, path: &str, query: &str) -> Option<Response> {
        let query = Query::parse(query);
        match path {
            "" => Some(index::page(&self.finder.find())),
            "compare" => Some(self.compare(&query)),
            "figure.js" => Some(script(figure::script())),
            "gallery.js" => Some(script(include_str!("gallery/gallery.js"))),
            "figure.css" => Some(Response::File {
                content_type: "text/css; charset=utf-8",
                bytes: format!("{}{}", figure::style_sheet(), include_str!("gallery/gallery.css"))
                    .into_bytes(),
                inline: Vec::new(),
                download: None,
            }),
            path => {
                if let Some(name) = path.strip_prefix("runs/") {
                    return self.run(name, &query);
                }
                self.report(path.strip_prefix("reports/")?)
            }
        }
    }

    fn run(&self, name: &str, query: &Query) -> Option<Response> {
        let found = self.finder.find();
        let run = found.runs.iter().find(|run| address::leads_to(name, &run.name))?;
        Some(match self.cache.results(run) {
            Ok(results) => RunPage::one(&run.name, results).respond(query),
            Err(reason) => sentence(&run.name, &format!("This run cannot be opened: {reason}.")),
        })
    }

    fn compare(&self, query: &Query) -> Response {
        let refuse = |reason: &str| sentence("Compare runs", reason);
        let mut names: Vec<&str> = Vec::new();
        for name in query.all("run") {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() < 2 {
            return refuse("To compare runs, select at least two of them in the list.");
        }
        if names.len() > MOST_COMPARED {
            return refuse(&format!(
                "At most {MOST_COMPARED} runs can be compared at once; {} were selected.",
                names.len()
            ));
        }
        let found = self.finder.find();
        let mut runs: Vec<(String, Arc<Results>)> = Vec::new();
        for name in names {
            let Some(run) = found.runs.iter().find(|run| run.name == name) else {
                return refuse(&format!("There is no run called \u{201c}{name}\u{201d}."));
            };
            match self.cache.results(run) {
                Ok(results) => runs.push((run.name.clone(), results)),
                Err(reason) => {
                    return refuse(&format!("The run \u{201c}{name}\u{201d} cannot be opened: {reason}."));
                }
            }
        }
        match RunPage::several(runs) {
            Ok(page) => page.respond(query),
            Err(reason) => refuse(&reason),
        }
    }

    fn report(&self, name: &str) -> Option<Response> {
        let Found { reports, .. } = self.finder.find();
        let report = reports.iter().find(|report| address::leads_to(name, &report.name))?;
        let path = report.path.join(reproduce::REPORT);
        let small = path.metadata().is_ok_and(|file| file.len() <= LARGEST_REPORT);
        let Some(bytes) = small.then(|| std::fs::read(&path).ok()).flatten() else {
            return Some(sentence(&report.name, "This report cannot be read."));
        };
        // These are hashes of what this program writes, not of what the file contains, so that a
        // foreign script is refused.
        let own = [figure::style_sheet(), reproduce::REPORT_STYLE.to_owned(), figure::script().to_owned()];
        Some(Response::File {
            content_type: "text/html; charset=utf-8",
            bytes,
            inline: own.iter().map(|text| inline_source(text)).collect(),
            download: None,
        })
    }
}

/// A script or style as a source of a content security policy.
fn inline_source(text: &str) -> String {
    format!("'sha256-{}'", digest::base64_of(text.as_bytes()))
}

fn script(text: &str) -> Response {
    Response::File {
        content_type: "text/javascript; charset=utf-8",
        bytes: text.as_bytes().to_vec(),
        inline: Vec::new(),
        download: None,
    }
}

/// A page with a single message.
fn sentence(title: &str, text: &str) -> Response {
    let body = html! {
        h1 { (title) }
        p.lab-note role="status" { (text) }
        p { a href=(ROOT) { "All runs and reports" } }
    };
    Response::Page { title: title.to_owned(), body: body.into_string(), assets: assets(&[]) }
}

/// The gallery's style sheet, which pages have besides the style sheet of the site, and these
/// scripts.
fn assets(scripts: &[&str]) -> Vec<String> {
    ["figure.css"].iter().chain(scripts).map(|name| format!("{ROOT}{name}")).collect()
}

#[cfg(test)]
mod tests;
