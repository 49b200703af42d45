//! The figures of the paper, by name.

use tiltyard_bandit::spec::suggest;

use crate::claim;

/// A figure of the paper as a specification that is shipped with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub id: &'static str,
    /// The specification, at the paper's scale.
    pub text: &'static str,
    /// What to look for in it, for a reader who has not got the paper at hand.
    pub about: &'static str,
    pub(super) drawing: Drawing,
}

/// How results become a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawing {
    /// As `tiltyard plot` does.
    Plain,
    /// Regret against gamma, with the bound and its best gamma.
    Bound,
    /// Regret on a logarithmic and on a linear scale, beside each other.
    BothScales,
}

/// The table of matrices, which takes no runs.
pub const MATRICES: &str = "matrices";

/// The experiments that claims need beside the figures.
pub const CLAIMS: &str = "claims";

macro_rules! entry {
    ($id:literal, $drawing:ident, $about:literal) => {
        Entry {
            id: $id,
            text: include_str!(concat!("../../specs/", $id, ".toml")),
            about: $about,
            drawing: Drawing::$drawing,
        }
    };
}

/// The figures, in the order of the report.
pub static FIGURES: &[Entry] = &[
    entry!(
        "gamma",
        Bound,
        "REX3 mixes a share gamma of uniform play into its choices, and takes steps that are proportional to it. Too little \
         and it learns slowly; too much and it wastes rounds. The thin lines are what theory promises at each gamma if the best arm \
         gains no more than T/2 or T/4 (Corollary 1, halved because Condorcet regret is half of the regret that it speaks of), and \
         the gamma at which each promise is best. The real optimum should lie near them, and regret below the first."
    ),
    entry!(
        "arxiv",
        Plain,
        "Six rankers of a search engine. Above, how much was lost by not always showing the best pair, on logarithmic axes: a \
         straight line of slope 1/2 is growth like the square root of time, and a curve that bends flat is growth like its \
         logarithm. Below, the share of runs that play the best arm against itself."
    ),
    entry!(
        "np2004-64",
        Plain,
        "Sixty-four rankers, which is where policies that compare all pairs begin to suffer: there are 2016 of them."
    ),
    entry!(
        "mslr-nav",
        Plain,
        "A hundred and thirty-six rankers under a user who looks for one page and leaves. At 1e5 rounds policies that estimate every pair \
         have hardly done better than random play."
    ),
    entry!(
        "k-sweep",
        Plain,
        "The same user, and K rankers drawn anew for each run. The flatter a curve, the less a policy suffers from more arms."
    ),
    entry!(
        "np2004-16",
        Plain,
        "The first 16 of the 64 rankers, with Beat the Mean and SAVAGE both told the horizon and not."
    ),
    entry!("np2004-32", Plain, "The first 32 of them, with the same policies."),
    entry!(
        "mslr-inf",
        Plain,
        "A user who reads several pages. In the paper's matrix no ranker beats all others, so regret is measured against the one that \
         beats the most, and may fall below zero; points that do have no place on a logarithmic axis."
    ),
    entry!("mslr-perf", Plain, "A user who clicks exactly what is relevant."),
    entry!(
        "sparring-ucb",
        Plain,
        "Sparring lets two ordinary bandits choose an arm each. With UCB players it often does well and has no guarantee: each side \
         faces an opponent that changes."
    ),
    entry!(
        "artificial",
        Plain,
        "SAVAGE has a clear order of arms. In Bvs the arm that beats all others does so narrowly, while another beats nearly all by \
         far; whoever averages over opponents prefers the wrong one, and loses more than random play."
    ),
    entry!(
        "deceptive",
        BothScales,
        "One arm is better than the rest, but its advantage shrinks as the logarithm of time over time, under the root. A policy that \
         stops exploring on early evidence is deceived. Regret here is that of utilities, twice the Condorcet regret."
    ),
];

/// What a person asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// In the order of [`FIGURES`].
    pub(super) figures: Vec<&'static Entry>,
    /// Whether every row of the table of matrices is wanted, even if its matrix has to be made for it.
    pub(super) matrices: bool,
    /// Whether the experiments beside the figures are.
    pub(super) claims: bool,
}

impl Selection {
    /// Everything.
    pub fn all() -> Self {
        Self { figures: FIGURES.iter().collect(), matrices: true, claims: true }
    }

    /// Those that are named, each once; everything if none is. `matrices` and `claims` are names too.
    ///
    /// # Errors
    ///
    /// If there is no figure of a name.
    pub fn of<S: AsRef<str>>(names: &[S]) -> Result<Self, UnknownFigure> {
        if names.is_empty() {
            return Ok(Self::all());
        }
        let wanted = |id: &str| names.iter().any(|name| name.as_ref() == id);
        if let Some(name) = names.iter().find(|name| !selectable().any(|id| id == name.as_ref())) {
            return Err(UnknownFigure::new(name.as_ref(), selectable()));
        }
        let figures = FIGURES.iter().filter(|entry| wanted(entry.id)).collect();
        Ok(Self { figures, matrices: wanted(MATRICES), claims: wanted(CLAIMS) })
    }

    /// The specifications of what is to be run: name and text.
    pub fn specifications(&self) -> Vec<(&'static str, &'static str)> {
        let figures = self.figures.iter().map(|entry| (entry.id, entry.text));
        let beside = claim::SPECIFICATIONS.iter().filter(|_| self.claims).copied();
        figures.chain(beside).collect()
    }
}

/// All names that can be asked for.
fn selectable() -> impl Iterator<Item = &'static str> + Clone {
    FIGURES.iter().map(|entry| entry.id).chain([MATRICES, CLAIMS])
}

/// The specification of a figure, or of an experiment beside the figures, as it is shipped.
///
/// # Errors
///
/// If there is none of that name.
pub fn specification(name: &str) -> Result<&'static str, UnknownFigure> {
    let all = FIGURES.iter().map(|entry| (entry.id, entry.text));
    let mut all = all.chain(claim::SPECIFICATIONS.iter().copied());
    let known = all.clone().map(|(id, _)| id);
    all.find(|(id, _)| *id == name).map(|(_, text)| text).ok_or_else(|| UnknownFigure::new(name, known))
}

/// There is no figure of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no figure `{name}`")]
pub struct UnknownFigure {
    /// The name.
    pub name: String,
    /// What was probably meant.
    pub suggestion: Option<&'static str>,
    /// All names.
    pub known: Vec<&'static str>,
}

impl UnknownFigure {
    fn new(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Self {
        Self { name: name.to_owned(), suggestion: suggest(name, known.clone()), known: known.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Specification;

    /// What is printed can be read, and is at the paper's scale.
    #[test]
    fn trace_every_figure_is_a_specification() {
        for (id, text) in Selection::all().specifications() {
            assert_eq!(specification(id), Ok(text));
            let parsed = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(!parsed.title.is_empty() && parsed.seed == 1, "{id}");
            if !id.starts_with("claim-") && !["gamma", "k-sweep"].contains(&id) {
                assert_eq!((parsed.runs, parsed.runs_fixed_horizon), (100, 50), "{id}");
                assert!(parsed.horizon >= 1_000_000, "{id}");
            }
        }
    }

    #[test]
    fn trace_selections() {
        let ids = |selection: &Selection| selection.figures.iter().map(|entry| entry.id).collect::<Vec<_>>();
        let some = Selection::of(&["arxiv", "gamma", "arxiv"]).unwrap();
        assert_eq!((ids(&some), some.matrices, some.claims), (vec!["gamma", "arxiv"], false, false));
        assert_eq!(Selection::of::<&str>(&[]).unwrap(), Selection::all());
        assert_eq!(ids(&Selection::all()).len(), 12);
        let table = Selection::of(&["matrices"]).unwrap();
        assert!(table.matrices && table.specifications().is_empty());
        let error = Selection::of(&["arxvi"]).unwrap_err();
        assert_eq!((error.suggestion, error.known.len()), (Some("arxiv"), 14));
        assert_eq!(specification("claims").unwrap_err().suggestion, None);
    }
}
