//! The selected parts of a paper.

use tiltyard_bandit::hint::{FrontEnd, Hint, did_you_mean};
use tiltyard_bandit::spec::suggest;

use super::paper::{PAPERS, Paper, PaperFigure};

/// The name of the table of matrices, which needs no runs.
pub const MATRICES: &str = "matrices";

/// The name of the additional experiments that claims need.
pub const CLAIMS: &str = "claims";

/// The parts of a paper to reproduce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub(super) paper: &'static Paper,
    /// In the order of the paper.
    pub(super) figures: Vec<&'static PaperFigure>,
    /// Whether the table of matrices has every row, even if a matrix has to be built for it.
    pub(super) matrices: bool,
    /// Whether the additional experiments are run.
    pub(super) claims: bool,
}

impl Selection {
    /// Everything of a paper.
    pub fn all(paper: &'static Paper) -> Self {
        Self { paper, figures: paper.figures.iter().collect(), matrices: paper.has_matrices, claims: true }
    }

    /// The named parts, each once; everything if no name is given. `matrices` and `claims` are
    /// valid names too.
    ///
    /// # Errors
    ///
    /// If the paper has no figure with one of the names.
    pub fn of<S: AsRef<str>>(paper: &'static Paper, names: &[S]) -> Result<Self, UnknownFigure> {
        if names.is_empty() {
            return Ok(Self::all(paper));
        }
        let wanted = |id: &str| names.iter().any(|name| name.as_ref() == id);
        if let Some(name) = names.iter().find(|name| !selectable(paper).any(|id| id == name.as_ref())) {
            return Err(UnknownFigure::new(paper, name.as_ref(), selectable(paper)));
        }
        let figures = paper.figures.iter().filter(|entry| wanted(entry.id)).collect();
        Ok(Self { paper, figures, matrices: wanted(MATRICES), claims: wanted(CLAIMS) })
    }

    /// The specifications to run: name and text.
    pub fn specifications(&self) -> Vec<(&'static str, &'static str)> {
        let figures = self.figures.iter().map(|entry| (entry.id, entry.text));
        let beside = self.paper.beside.iter().filter(|_| self.claims).copied();
        figures.chain(beside).collect()
    }
}

/// All names that can be selected.
fn selectable(paper: &'static Paper) -> impl Iterator<Item = &'static str> + Clone {
    let others = [(MATRICES, paper.has_matrices), (CLAIMS, !paper.beside.is_empty())];
    let others = others.into_iter().filter(|other| other.1).map(|other| other.0);
    paper.figures.iter().map(|entry| entry.id).chain(others)
}

/// The shipped specification of a figure or of an additional experiment.
///
/// # Errors
///
/// If no specification has that name.
pub fn specification(paper: &'static Paper, name: &str) -> Result<&'static str, UnknownFigure> {
    let mut all = Selection::all(paper).specifications().into_iter();
    let known = all.clone().map(|(id, _)| id);
    all.find(|(id, _)| *id == name)
        .map(|(_, text)| text)
        .ok_or_else(|| UnknownFigure::new(paper, name, known))
}

/// The paper has no figure with that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown figure `{name}`")]
#[expect(missing_docs, reason = "the names say it")]
pub struct UnknownFigure {
    pub name: String,
    /// A known name that is similar.
    pub suggestion: Option<&'static str>,
    /// All valid names.
    pub known: Vec<&'static str>,
    /// The name of another paper that has such a figure.
    pub elsewhere: Option<&'static str>,
}

impl Hint for UnknownFigure {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let elsewhere = self
            .elsewhere
            .map(|paper| format!("{} has a figure with this name", front.choice("paper", paper)));
        let all = format!("known names: {}", self.known.join(", "));
        did_you_mean(self.suggestion, []).into_iter().chain(elsewhere).chain([all]).collect()
    }
}

impl UnknownFigure {
    fn new(paper: &Paper, name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Self {
        let others = PAPERS.iter().filter(|other| other.name != paper.name);
        let has = |other: &&&Paper| other.figures.iter().any(|entry| entry.id == name);
        let (suggestion, elsewhere) =
            (suggest(name, known.clone()), others.copied().find(|other| has(&other)));
        let elsewhere = elsewhere.map(|other| other.name);
        Self { name: name.to_owned(), suggestion, known: known.collect(), elsewhere }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::paper::{DTS, REX3};

    #[test]
    fn trace_selections() {
        let ids = |selection: &Selection| selection.figures.iter().map(|entry| entry.id).collect::<Vec<_>>();
        let some = Selection::of(&REX3, &["arxiv", "gamma", "arxiv"]).unwrap();
        assert_eq!((ids(&some), some.matrices, some.claims), (vec!["gamma", "arxiv"], false, false));
        assert_eq!(Selection::of::<&str>(&REX3, &[]).unwrap(), Selection::all(&REX3));
        assert_eq!(ids(&Selection::all(&REX3)).len(), 12);
        let table = Selection::of(&REX3, &["matrices"]).unwrap();
        assert!(table.matrices && table.specifications().is_empty());
        let error = Selection::of(&REX3, &["arxvi"]).unwrap_err();
        assert_eq!((error.suggestion, error.known.len(), error.elsewhere), (Some("arxiv"), 14, None));
        assert_eq!(specification(&REX3, "claims").unwrap_err().suggestion, None);
    }

    /// Names are looked up within the paper. The error points to another paper that has the figure.
    #[test]
    fn trace_names_are_looked_up_within_the_paper() {
        let error = Selection::of(&DTS, &["gamma"]).unwrap_err();
        assert_eq!((error.elsewhere, error.known.contains(&"matrices")), (Some("rex3"), false));
        assert!(specification(&DTS, "gamma").is_err());
    }
}
