//! What is known about a policy.

use core::fmt;
use core::fmt::Write as _;

use crate::params::Param;

/// Facts about an algorithm, for people (`policy show`), for the runner, and for the tests that
/// walk the registry.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Its name in specifications.
    pub name: &'static str,
    /// Its name as a class in Python.
    pub class: &'static str,
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
    /// What its tickets and outcomes mean: raised whenever the same ones teach it something else,
    /// so that a log can say with which meaning it was written. Other duels from the same
    /// generator, or another layout of a saved state, do not raise it.
    pub version: u32,
    /// Time for a round, and memory.
    pub cost: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Forms that are policies in their own right, as `key=value,key=value`: a comparison of all
    /// policies has them too.
    pub forms: &'static [&'static str],
    /// How its curve is drawn, and then those of forms that papers compare. The last that fits
    /// counts.
    pub curves: &'static [Curve],
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

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// A key, or `key=value`, that must be among those given; any form will do if it is empty.
    pub given: &'static str,
    /// Numbers of a colour, a marker and a dash pattern, in the lists of the lab's figures.
    pub style: [u8; 3],
}

impl Curve {
    /// That of every form that has no other.
    pub(crate) const fn new(style: [u8; 3]) -> Self {
        Self { given: "", style }
    }

    /// That of forms with this key, or this `key=value`.
    pub(crate) const fn given(given: &'static str, style: [u8; 3]) -> Self {
        Self { given, style }
    }
}

/// A page as `declare!` takes it from documentation comments, each line with a space before it.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// What stands before the table of parameters.
    pub before: &'static str,
    /// What stands behind it.
    pub after: &'static str,
}

impl Page {
    /// The page with the table of these parameters, in Markdown.
    pub(crate) fn with(&self, params: &[Param]) -> String {
        let mut page = plain(self.before);
        if params.is_empty() {
            page.push_str("None.\n");
        } else {
            page.push_str("| key | default | legal | meaning |\n|---|---|---|---|\n");
        }
        for Param { key, default, legal, meaning } in params {
            let default = if *default == "none" || default.contains(' ') {
                (*default).to_owned()
            } else {
                format!("`{default}`")
            };
            writeln!(page, "| `{key}` | {default} | {} | {meaning} |", words(legal))
                .expect("a text can be written to");
        }
        page + &plain(self.after)
    }
}

/// Without the space before each line.
fn plain(lines: &str) -> String {
    lines.lines().flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// A list of words in back-ticks; other texts as they are.
fn words(legal: &str) -> String {
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let words: Vec<&str> = legal.split(", ").collect();
    if words.len() > 1 && words.iter().all(|word| is_word(word)) {
        format!("`{}`", words.join("`, `"))
    } else {
        legal.to_owned()
    }
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
