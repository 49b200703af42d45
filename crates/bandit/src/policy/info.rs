//! The facts about a policy.

use core::fmt;
use core::fmt::Write as _;

use crate::params::Param;

/// The facts about an algorithm, for people (`tiltyard policy show`), for the lab, and for the
/// tests that go through the registry.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Its name in specifications, such as `rex3`.
    pub name: &'static str,
    /// The name of its Python class.
    pub class: &'static str,
    /// A one-line description.
    pub title: &'static str,
    /// The assumptions of its guarantee; empty if it has none.
    pub assumptions: &'static [Assumption],
    /// When and for what it needs the horizon, in words; `None` if no form of it needs one.
    pub horizon: Option<&'static str>,
    /// What it plays in the end.
    pub settles: Settles,
    /// The regret that it is designed to keep low.
    pub minimises: Goal,
    /// Whether it accepts only wins and losses, so that ties must be broken by a coin.
    pub binary: bool,
    /// The version of the meaning of its tickets and outcomes, which a log records. It rises
    /// whenever the same tickets and outcomes teach the policy something else. Different duels from
    /// the same generator, or another layout of a saved state, do not raise it.
    pub version: u32,
    /// The time per round and the memory.
    pub cost: &'static str,
    /// The parameters.
    pub params: &'static [Param],
    /// Forms that count as separate policies in a comparison of all policies, as
    /// `key=value,key=value`.
    pub forms: &'static [&'static str],
    /// How its curves are drawn: first the default, then forms that papers compare. The last entry
    /// that fits is used.
    pub curves: &'static [Curve],
    /// The publication.
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

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Curve {
    /// A key, or `key=value`, that the specification must contain. If empty, the entry fits every
    /// form.
    pub given: &'static str,
    /// The numbers of a colour, a marker and a dash pattern, in the lists of the lab's figures.
    pub style: [u8; 3],
}

impl Curve {
    /// The curve of every form without an entry of its own.
    pub(crate) const fn new(style: [u8; 3]) -> Self {
        Self { given: "", style }
    }

    /// The curve of forms with this key, or this `key=value`.
    pub(crate) const fn given(given: &'static str, style: [u8; 3]) -> Self {
        Self { given, style }
    }
}

/// A page as `declare!` takes it from documentation comments. Each line begins with a space.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The text before the table of parameters.
    pub before: &'static str,
    /// The text after the table.
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
                .expect("writing to a string does not fail");
        }
        page + &plain(self.after)
    }
}

/// Removes the space at the beginning of each line.
fn plain(lines: &str) -> String {
    lines.lines().flat_map(|line| [line.strip_prefix(' ').unwrap_or(line), "\n"]).collect()
}

/// Puts each word of a list of words in backticks; leaves other texts as they are.
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
    /// Each arm has a utility, and the probability of a win is linear in the difference of two
    /// utilities.
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
            Self::Utilities => "utilities that may change in any way fixed in advance (oblivious adversary)",
            Self::LinearUtilities => "utilities, with win probabilities linear in their difference",
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
    /// It keeps exploring, and its regret never becomes flat: it grows like sqrt(T) or faster.
    Sqrt,
    /// It does not learn.
    Never,
}

impl fmt::Display for Settles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pair => "pair: plays (best, best) in the end",
            Self::OneSlot => "one-slot: keeps the best arm in one slot",
            Self::Sqrt => "sqrt: no pair; it keeps exploring, and its regret never becomes flat",
            Self::Never => "never: does not learn",
        })
    }
}

/// The regret that an algorithm is designed to keep low.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Goal {
    /// The loss in utility against the best single arm.
    Bandit,
    /// The loss against the Condorcet winner, averaged over the slots.
    Condorcet,
    /// The loss against a Copeland winner.
    Copeland,
    /// The loss against a Borda winner.
    Borda,
    /// The loss against the Condorcet winner in the better slot.
    Weak,
    /// None, because the algorithm is a baseline.
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

/// How much a policy's tickets record about the probability of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propensity {
    /// The probabilities of two independent slots.
    Slots,
    /// The probability of the pair as a whole.
    Pair,
    /// No exact probability.
    Unknown,
}

/// A publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Citation {
    pub authors: &'static str,
    pub title: &'static str,
    pub venue: &'static str,
    pub year: u16,
    /// The DOI, or another permanent identifier if the proceedings have no DOI.
    pub doi: &'static str,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { authors, title, venue, year, doi } = self;
        write!(f, "{authors}. {title}. {venue}, {year}. {doi}")
    }
}
