//! Hints: what to do about an error. Each hint is written once, next to its error, and every front
//! end shows it.

use std::error::Error;

/// An error that can say what to do about it.
pub trait Hint: Error {
    /// What to do, likeliest remedy first, with the names that the front end uses.
    fn hints(&self, _front: &dyn FrontEnd) -> Vec<String> {
        Vec::new()
    }

    /// What caused the error.
    fn fault(&self) -> Fault {
        Fault::Input
    }
}

/// The cause of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The input is wrong. Nothing was done.
    Input,
    /// The machine failed, most likely because a disk is full.
    Machine,
    /// The user stopped the program.
    Stop,
}

/// The names by which a front end refers to what hints mention.
pub trait FrontEnd {
    /// The command or function that lists all policies.
    fn policies(&self) -> &'static str;
    /// The command or function that describes a policy.
    fn page(&self, policy: &str) -> String;
    /// The command or function that lists the built-in worlds.
    fn worlds(&self) -> &'static str;
    /// The command or function that lists the wrappers of worlds.
    fn wrappers(&self) -> &'static str;
    /// The command or function that runs a specification.
    fn run(&self) -> &'static str;
    /// Words for repeating the request that just failed.
    fn again(&self) -> &'static str;
    /// An option.
    fn option(&self, name: &str) -> String;
    /// An option that is switched on.
    fn flag(&self, name: &str) -> String;
    /// An option set to a value.
    fn choice(&self, name: &str, value: &str) -> String;

    /// What to do if a directory is already in use.
    fn elsewhere(&self) -> String {
        format!("choose another directory with {}", self.option("out"))
    }
}

/// The probable meaning of a mistyped word, followed by further hints.
pub fn did_you_mean<const N: usize>(suggestion: Option<&str>, further: [String; N]) -> Vec<String> {
    suggestion.map(|word| format!("did you mean `{word}`?")).into_iter().chain(further).collect()
}
