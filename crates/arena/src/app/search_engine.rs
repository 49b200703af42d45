//! What the search page searches with. It is made elsewhere: the arena does not know what is
//! searched.

/// Something that finds documents, in several ways.
pub trait SearchEngine: Send + Sync + core::fmt::Debug {
    /// The ways to rank. An experiment whose arms have these names can be searched.
    fn rankers(&self) -> Vec<String>;

    /// The ids of the documents that a ranker finds, best first and at most `top`. It is called off
    /// the threads that answer requests.
    fn search(&self, ranker: &str, query: &str, top: usize) -> Vec<String>;

    /// A document.
    fn document(&self, id: &str) -> Option<Document>;

    /// What is searched, in a sentence for those who look at the search box.
    fn about(&self) -> &str;
}

/// What a [`SearchEngine`] finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Its text: paragraphs with an empty line in between. One that begins with four spaces is
    /// shown as it is, line by line.
    pub text: String,
}
