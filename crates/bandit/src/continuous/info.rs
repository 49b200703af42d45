//! The facts about a continuous policy.

use crate::params::Param;
use crate::policy::{Citation, Page};

/// Facts about an algorithm, for people (`policy show`) and for the tests.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Its name in specifications.
    pub name: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// What it assumes about the world, in words.
    pub assumptions: &'static [&'static str],
    /// What it needs the horizon for, in words; `None` if no form of it needs the horizon.
    pub horizon: Option<&'static str>,
    /// Where its play ends up: a word, a colon and a description.
    pub settles: &'static str,
    /// Whether it accepts only wins and losses, so that a coin must break ties before.
    pub binary: bool,
    /// Time per round, and memory.
    pub cost: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// The publication that introduced it.
    pub reference: Citation,
    /// The text of its page.
    pub page: Page,
}

impl Info {
    /// The policy's page, in Markdown.
    pub fn page(&self) -> String {
        self.page.with(self.params)
    }
}
