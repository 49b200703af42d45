//! Serves the lab's gallery as pages of the arena.

use std::path::Path;
use std::sync::Arc;

use tiltyard::arena::server::{Subsite, SubsiteResponse};
use tiltyard::lab::gallery::{self, Gallery};

use crate::cli::Failure;

#[derive(Debug)]
struct Lab(Gallery);

impl Subsite for Lab {
    fn respond(&self, path: &str, query: &str) -> Option<SubsiteResponse> {
        Some(match self.0.respond(path, query)? {
            gallery::Response::Page { title, body, assets } => SubsiteResponse::Page { title, body, assets },
            gallery::Response::File { content_type, bytes, inline, download } => {
                SubsiteResponse::File { content_type, bytes, inline, download }
            }
        })
    }
}

/// Opens the results and reports below a directory.
pub(super) fn open(directory: &Path) -> Result<Arc<dyn Subsite>, Failure> {
    let gallery = Gallery::open(directory).map_err(|error| {
        let hint = "`--results` must name the directory that contains the lab's results and reports";
        Failure::bad_input(error, vec![hint.to_owned()])
    })?;
    Ok(Arc::new(Lab(gallery)))
}
