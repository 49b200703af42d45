//! The search engine of the search page. Another part of the program provides it, because the arena
//! does not know what is searched.

/// A search engine with several rankers.
pub trait SearchEngine: Send + Sync + core::fmt::Debug {
    /// The names of the rankers. An experiment whose arms have these names can be searched.
    fn rankers(&self) -> Vec<String>;

    /// The ids of the documents that a ranker finds, best first and at most `top`. The server does
    /// not call it on the threads that answer requests.
    fn search(&self, ranker: &str, query: &str, top: usize) -> Vec<String>;

    /// A document by its id.
    fn document(&self, id: &str) -> Option<Document>;

    /// A sentence above the search box that says what is searched.
    fn about(&self) -> &str;
}

/// A document of a [`SearchEngine`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// The text: paragraphs separated by empty lines. A paragraph that begins with four spaces is
    /// preformatted.
    pub text: String,
}
