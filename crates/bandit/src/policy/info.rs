//! What is known about a policy.

use core::fmt;

use crate::params::Param;

/// Facts about an algorithm, for people (`policy show`), for the runner, and for the tests that walk the registry.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Its name in specifications.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it assumes of the world; nothing if empty.
    pub assumptions: &'static [Assumption],
    /// What it needs the horizon for, in words; `None` if no form of it does.
    pub horizon: Option<&'static str>,
    /// Where its play ends up.
    pub settles: Settles,
    /// Which regret it is made for.
    pub minimises: Goal,
    /// Whether it must be fed wins and losses only, ties being broken by a coin.
    pub binary: bool,
    /// What its tickets and outcomes mean: raised whenever the same ones teach it something else, so that a log can say with which
    /// meaning it was written. Other duels from the same generator, or another layout of a saved state, do not raise it.
    pub version: u32,
    /// Time for a round, and memory.
    pub cost: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Where it was published.
    pub reference: Citation,
    /// The source file, whose module documentation is the policy's page.
    pub source: &'static str,
}

impl Info {
    /// The policy's page: the module documentation of its file, in Markdown.
    pub fn page(&self) -> String {
        page(self.source)
    }
}

/// The module documentation in a source text.
pub(crate) fn page(source: &str) -> String {
    let mut page = String::new();
    for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
        page.push_str(line.strip_prefix(' ').unwrap_or(line));
        page.push('\n');
    }
    page
}

/// An assumption about the world under which a guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Assumption {
    /// Duels compare utilities, which an oblivious adversary may choose.
    Utilities,
    /// Each arm has a utility, and the chance of a win is linear in the difference of two.
    LinearUtilities,
    /// Preferences do not change.
    Stationary,
    /// One arm beats every other.
    CondorcetWinner,
    /// The arms can be ordered so that each beats those below it.
    TotalOrder,
    /// Strong stochastic transitivity.
    Transitivity,
    /// Relaxed stochastic transitivity.
    RelaxedTransitivity,
    /// The stochastic triangle inequality.
    TriangleInequality,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utilities => "utilities, chosen by an oblivious adversary",
            Self::LinearUtilities => "utilities, whose difference sets the chance of a win linearly",
            Self::Stationary => "preferences do not change",
            Self::CondorcetWinner => "a Condorcet winner exists",
            Self::TotalOrder => "a total order of the arms",
            Self::Transitivity => "strong stochastic transitivity",
            Self::RelaxedTransitivity => "relaxed stochastic transitivity",
            Self::TriangleInequality => "the stochastic triangle inequality",
        })
    }
}

/// What a policy plays in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settles {
    /// It plays (best, best): its regret becomes flat.
    Pair,
    /// One slot holds the best arm: its weak regret becomes flat.
    OneSlot,
    /// It keeps exploring, so that its regret grows like sqrt(T).
    Sqrt,
    /// It does not learn.
    Never,
}

impl fmt::Display for Settles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pair => "pair: plays (best, best) in the end",
            Self::OneSlot => "one-slot: keeps the best arm in one slot",
            Self::Sqrt => "sqrt: keeps exploring, regret grows like sqrt(T)",
            Self::Never => "never: does not learn",
        })
    }
}

/// The regret an algorithm is made to keep low.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// Against the best single arm's utility.
    Bandit,
    /// Against the Condorcet winner, averaged over the slots.
    Condorcet,
    /// Against a Copeland winner.
    Copeland,
    /// Against a Borda winner.
    Borda,
    /// Against the Condorcet winner in the better slot.
    Weak,
    /// None: it is a baseline.
    None,
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bandit => "bandit",
            Self::Condorcet => "condorcet",
            Self::Copeland => "copeland",
            Self::Borda => "borda",
            Self::Weak => "weak",
            Self::None => "none (a baseline)",
        })
    }
}

/// What a policy's tickets say of how a pair was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propensity {
    /// Two independent slots.
    Slots,
    /// The pair as a whole.
    Pair,
    /// Nothing exact.
    Unknown,
}

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    /// Who.
    pub authors: &'static str,
    /// What.
    pub title: &'static str,
    /// Where.
    pub venue: &'static str,
    /// When.
    pub year: u16,
    /// The DOI, or another lasting identifier where the proceedings give none.
    pub doi: &'static str,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { authors, title, venue, year, doi } = self;
        write!(f, "{authors}. {title}. {venue}, {year}. {doi}")
    }
}
