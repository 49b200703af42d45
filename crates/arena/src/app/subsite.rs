//! Pages that another part of the program makes: the results of the lab, which the arena does not
//! know.

/// Pages below `/lab/` that another part of the program makes.
pub trait Subsite: Send + Sync + core::fmt::Debug {
    /// The response for `path` (without `/lab/`) and the raw query. It may take long: the server
    /// does not call it on the threads that answer requests.
    fn respond(&self, path: &str, query: &str) -> Option<SubsiteResponse>;
}

/// The response of a [`Subsite`].
#[derive(Debug, Clone, PartialEq)]
pub enum SubsiteResponse {
    /// The content of a page: HTML for `<main>`, with its scripts and style sheets.
    Page {
        /// The title in the browser.
        title: String,
        /// Trusted HTML: the subsite must escape text from users.
        body: String,
        /// Addresses of scripts (`.js`) and style sheets (`.css`), below `/lab/`.
        assets: Vec<String>,
    },
    /// A file.
    File {
        /// The content type.
        content_type: &'static str,
        /// The content.
        bytes: Vec<u8>,
        /// The inline scripts and styles that may run in it, as `'sha256-...'`.
        inline: Vec<String>,
        /// The file name of a download; nothing to show the file in the browser.
        download: Option<String>,
    },
}
