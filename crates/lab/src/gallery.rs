//! Results and reports as pages that can be clicked through: what is below a directory, one run,
//! several runs beside each other.
//!
//! A [`Gallery`] is asked for a path and a query and answers with the inside of a page or with a
//! file. Who carries questions and answers is none of its business. Nothing in a question is ever
//! made into a path on the disk: names are compared with those that were found.
//!
//! ```text
//! (nothing)        runs and reports
//! runs/NAME        a run: figures, what is shown of it, a table; with `as=svg|png|csv` a file
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

/// Below this all addresses on pages lie.
const ROOT: &str = "/lab/";

/// More runs than this are not compared at once: a figure of theirs could not be read.
const MOST_COMPARED: usize = 8;

/// Larger files are no reports.
const LARGEST_REPORT: u64 = 1 << 26;

/// Directories of results and reports below one directory.
#[derive(Debug)]
pub struct Gallery {
    finder: Finder,
    cache: ResultsCache,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// The inside of a page.
    Page {
        /// Its title, as plain text.
        title: String,
        /// What is in it, as HTML.
        body: String,
        /// Addresses of the style sheets (`.css`) and scripts (`.js`) that it wants.
        assets: Vec<String>,
    },
    /// A file as it is.
    File {
        /// Its media type.
        content_type: &'static str,
        /// What is in it.
        bytes: Vec<u8>,
        /// The scripts and styles in it that this program wrote, as sources of a content security
        /// policy (`'sha256-...'`).
        inline: Vec<String>,
        /// The name under which it is kept, if it is to be kept.
        download: Option<String>,
    },
}

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// There is no such directory.
    #[error("the directory of results {} is not there", path.display())]
    Missing {
        /// The directory.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{} is no directory", path.display())]
    NoDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot read the directory of results {}", path.display())]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Gallery {
    /// The gallery of a directory, which must be there. What is in it is looked for with each
    /// question, so that it may change.
    ///
    /// # Errors
    ///
    /// If it is no directory, or cannot be read.
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

    /// What is at a path (below `/lab/`, unescaped), with the query as it came; none if there is
    /// nothing. It may take long: results are read and figures drawn.
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
            return refuse("To compare runs, tick at least two of them in the list.");
        }
        if names.len() > MOST_COMPARED {
            return refuse(&format!(
                "At most {MOST_COMPARED} runs can be compared at once; {} were ticked.",
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
        // Of what this program writes, not of what is in the file: another's script would be
        // another.
        let own = [figure::style_sheet(), reproduce::REPORT_STYLE.to_owned(), figure::script().to_owned()];
        Some(Response::File {
            content_type: "text/html; charset=utf-8",
            bytes,
            inline: own.iter().map(|text| inline_source(text)).collect(),
            download: None,
        })
    }
}

/// What stands for the text of a script or style in a content security policy.
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

/// A page that says one thing.
fn sentence(title: &str, text: &str) -> Response {
    let body = html! {
        h1 { (title) }
        p.lab-note role="status" { (text) }
        p { a href=(ROOT) { "All runs and reports" } }
    };
    Response::Page { title: title.to_owned(), body: body.into_string(), assets: assets(&[]) }
}

/// The style sheet that pages of the gallery have beside that of whoever shows them, and these
/// scripts.
fn assets(scripts: &[&str]) -> Vec<String> {
    ["figure.css"].iter().chain(scripts).map(|name| format!("{ROOT}{name}")).collect()
}

#[cfg(test)]
mod tests;
