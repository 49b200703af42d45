//! What to do about an error: said once, beside the error, and shown by every front end.

use std::error::Error;

/// An error that knows what to do about it.
pub trait Hint: Error {
    /// What to do, the likeliest first, in the words of a front end.
    fn hints(&self, _front: &dyn FrontEnd) -> Vec<String> {
        Vec::new()
    }

    /// What is to blame.
    fn fault(&self) -> Fault {
        Fault::Input
    }
}

/// What an error is to be blamed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The input is wrong, and nothing was done.
    Input,
    /// The machine could not do it: a full disk, most likely.
    Machine,
    /// Somebody asked to stop.
    Stop,
}

/// What a front end calls the things that hints point to.
pub trait FrontEnd {
    /// What lists all policies.
    fn policies(&self) -> &'static str;
    /// Where a policy is described.
    fn page(&self, policy: &str) -> String;
    /// What lists the built-in worlds.
    fn worlds(&self) -> &'static str;
    /// What lists the wrappers of worlds.
    fn wrappers(&self) -> &'static str;
    /// What runs a specification.
    fn run(&self) -> &'static str;
    /// The request that just failed, made once more.
    fn again(&self) -> &'static str;
    /// An option.
    fn option(&self, name: &str) -> String;
    /// An option that is switched on.
    fn flag(&self, name: &str) -> String;
    /// An option with a value.
    fn choice(&self, name: &str, value: &str) -> String;

    /// What to do where a directory is taken.
    fn elsewhere(&self) -> String {
        format!("choose another directory with {}", self.option("out"))
    }
}

/// What was probably meant, and further hints.
pub fn did_you_mean<const N: usize>(suggestion: Option<&str>, further: [String; N]) -> Vec<String> {
    suggestion.map(|word| format!("did you mean `{word}`?")).into_iter().chain(further).collect()
}
