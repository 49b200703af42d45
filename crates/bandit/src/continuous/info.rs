//! What is known about a continuous policy.

use crate::params::Param;
use crate::policy::{Citation, Page};

/// Facts about an algorithm, for people (`policy show`) and for the tests.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Its name in specifications.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it assumes of the world, in words.
    pub assumptions: &'static [&'static str],
    /// What it needs the horizon for, in words; `None` if no form of it does.
    pub horizon: Option<&'static str>,
    /// Where its play ends up: a word, a colon, a sentence.
    pub settles: &'static str,
    /// Whether it must be fed wins and losses only, ties being broken by a coin.
    pub binary: bool,
    /// Time for a round, and memory.
    pub cost: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Where it was published.
    pub reference: Citation,
    /// All about it.
    pub page: Page,
}

impl Info {
    /// The policy's page, in Markdown.
    pub fn page(&self) -> String {
        self.page.with(self.params)
    }
}
