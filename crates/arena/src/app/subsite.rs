//! Pages that another part of the program makes: results of the lab, which the arena does not know.

/// Pages that are made elsewhere and shown below `/lab/`.
pub trait Subsite: Send + Sync + core::fmt::Debug {
    /// What is at `path` (without `/lab/`), with the query as it came. It may take long: it is
    /// called off the threads that answer requests.
    fn respond(&self, path: &str, query: &str) -> Option<SubsiteResponse>;
}

/// What a [`Subsite`] has at an address.
#[derive(Debug, Clone, PartialEq)]
pub enum SubsiteResponse {
    /// The inside of a page: HTML for `<main>`, and the scripts and style sheets it wants.
    Page {
        /// What the browser calls it.
        title: String,
        /// HTML, trusted: whoever makes it escapes what users wrote.
        body: String,
        /// Addresses of scripts (`.js`) and style sheets (`.css`), below `/lab/`.
        assets: Vec<String>,
    },
    /// A file as it is.
    File {
        /// Its type.
        content_type: &'static str,
        /// What is in it.
        bytes: Vec<u8>,
        /// Scripts and styles that may run in it, as `'sha256-...'`.
        inline: Vec<String>,
        /// The name under which it is saved, if it is to be saved.
        download: Option<String>,
    },
}
