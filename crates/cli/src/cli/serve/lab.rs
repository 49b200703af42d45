//! The lab's gallery as pages of the arena: here the two meet.

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

/// The results and reports below a directory.
pub(super) fn open(directory: &Path) -> Result<Arc<dyn Subsite>, Failure> {
    let gallery = Gallery::open(directory).map_err(|error| {
        let hint = "`--results` names the directory that runs and reports are written to";
        Failure::bad_input(error, vec![hint.to_owned()])
    })?;
    Ok(Arc::new(Lab(gallery)))
}
