//! Papers that can be reproduced, each a static description in a file of its own.

mod dts;
mod rex3;
mod rmed;
mod versatile;

use crate::claim::Claim;

pub use dts::DTS;
pub use rex3::{ERRATA, REX3};
pub use rmed::RMED;
pub use versatile::VERSATILE;

/// All papers; the first is the one that is meant where none is named.
pub static PAPERS: &[&Paper] = &[&REX3, &VERSATILE, &DTS, &RMED];

/// A paper as a program: what is run, what is checked, and the words of the report.
#[derive(Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// The title of the report.
    pub title: &'static str,
    /// Who wrote it, and where it is to be found.
    pub citation: Citation,
    /// Its figures, in the order of the report.
    pub figures: &'static [PaperFigure],
    /// What it says.
    pub claims: &'static [Claim],
    /// Name and text of the experiments that claims need beside the figures.
    pub beside: &'static [(&'static str, &'static str)],
    /// Whether the table of matrices belongs to it.
    pub has_matrices: bool,
    /// Where it slips, or where this program does something else.
    pub notes: Notes,
    /// What is said about it in the report.
    pub words: Words,
    /// Its own policy, and whom it is compared with.
    pub leader: Leader,
    /// Its data.
    pub data: Data,
}

/// Who wrote a paper, and where it is to be found.
#[derive(Debug, Clone, Copy)]
pub struct Citation {
    /// Family names.
    pub authors: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Conference and year.
    pub venue: &'static str,
    /// A DOI as an address. Nothing is fetched from it.
    pub link: &'static str,
    /// What the address leads to.
    pub linked: &'static str,
}

/// Places of a paper to be careful about.
#[derive(Debug, Clone, Copy)]
pub struct Notes {
    /// The heading of the section.
    pub heading: &'static str,
    /// The same in few words, for the list of contents.
    pub linked: &'static str,
    /// After the number of them.
    pub about: &'static str,
    /// All of them.
    pub errata: &'static [Erratum],
}

impl Notes {
    const fn differences(errata: &'static [Erratum]) -> Self {
        Self {
            heading: "Where this differs from the paper",
            linked: "Differences",
            about: "places where this program had to choose, or does something else than the paper.",
            errata,
        }
    }
}

/// A place where a paper is wrong, contradicts itself or leaves something open, or where this
/// program does not do as it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erratum {
    /// `E1`, `E2`, ...
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What is the matter.
    pub issue: &'static str,
    /// What is done here.
    pub resolution: &'static str,
}

/// Sentences of the report.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// What of the paper is here; the authors follow.
    pub covers: &'static str,
    /// Which claims are here.
    pub claims: &'static str,
    /// The paper's policy and its rivals. What stands between double asterisks is emphasised.
    pub policies: &'static str,
    /// What the `paper` scale is.
    pub full_scale: &'static str,
    /// What smaller scales are.
    pub smaller_scale: &'static str,
}

/// The policy that a paper puts forward, and those it is compared with in the summary.
#[derive(Debug, Clone, Copy)]
pub struct Leader {
    /// Its specification.
    pub policy: &'static str,
    /// Its name in a sentence.
    pub name: &'static str,
    /// What to know about its place among the others.
    pub about: &'static str,
    /// What to say as well if a claim holds. `[C7]` leads to that claim.
    pub if_holds: Option<(&'static str, &'static str)>,
    /// The policies of the table, itself included: specification and name.
    pub compared: &'static [(&'static str, &'static str)],
}

/// What is said about a paper's data.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// What has stand-ins, in a few words.
    pub names: &'static str,
    /// Where stand-ins were used.
    pub stand_ins: &'static str,
    /// Where real data was.
    pub real: &'static str,
}

/// A figure of a paper as a specification that is shipped with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaperFigure {
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
    /// On linear axes alone: regret that is negative for long has no place on others.
    Linear,
    /// With the asymptotic lower bound of each matrix.
    LowerBound,
}

/// Two papers are the same if they have the same name.
impl PartialEq for Paper {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Paper {}

impl Paper {
    /// The paper of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PAPERS.iter().copied().find(|paper| paper.name == name)
    }

    /// Whether it is the one that is meant where none is named.
    pub fn is_default(&self) -> bool {
        *self == REX3
    }

    /// The command that reproduces it.
    pub(super) fn command(&self) -> String {
        if self.is_default() {
            "tiltyard reproduce".to_owned()
        } else {
            format!("tiltyard reproduce --paper {}", self.name)
        }
    }
}

/// A figure of a paper, whose specification lies in the folder of the paper.
macro_rules! paper_figure {
    ($paper:literal, $id:literal, $drawing:ident, $about:literal) => {
        PaperFigure {
            id: $id,
            text: include_str!(concat!("../../../specs/", $paper, "/", $id, ".toml")),
            about: $about,
            drawing: Drawing::$drawing,
        }
    };
}
use paper_figure;

/// A list of [`Erratum`]s: id, title, issue and resolution of each.
macro_rules! errata {
    ($($id:literal, $title:literal, $issue:literal, $resolution:literal;)*) => {
        &[$($crate::reproduce::Erratum { id: $id, title: $title, issue: $issue, resolution: $resolution }),*]
    };
}
use errata;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Evidence, Verdict, check_all};
    use crate::reproduce::selection::{MATRICES, Selection, specification};
    use crate::spec::Specification;
    use std::collections::BTreeSet;

    #[test]
    fn trace_papers_have_names_of_their_own() {
        let names: BTreeSet<_> = PAPERS.iter().map(|paper| paper.name).collect();
        assert_eq!(names.len(), PAPERS.len());
        assert!(PAPERS[0].is_default() && PAPERS.iter().filter(|paper| paper.is_default()).count() == 1);
        for paper in PAPERS {
            assert_eq!(Paper::find(paper.name), Some(*paper));
            assert!(paper.citation.link.starts_with("https://doi.org/"), "{}", paper.name);
            let compared = paper.leader.compared.iter().any(|(policy, _)| *policy == paper.leader.policy);
            assert!(compared, "{}", paper.name);
        }
        assert_eq!(Paper::find("rex4"), None);
    }

    /// What is printed can be read, and what can be run has a name and seed 1.
    #[test]
    fn trace_every_figure_is_a_specification() {
        for paper in PAPERS {
            for (id, text) in Selection::all(paper).specifications() {
                assert_eq!(specification(paper, id), Ok(text));
                let parsed = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
                assert!(!parsed.title.is_empty() && parsed.seed == 1, "{id}");
            }
        }
    }

    /// Ids are a letter of the paper's own and a number, texts are sentences, and what a claim
    /// reads is there.
    #[test]
    fn trace_tables_of_claims_are_complete() {
        let mut letters = BTreeSet::new();
        for paper in PAPERS {
            let letter = &paper.claims[0].id[..1];
            assert!(letters.insert(letter), "{letter}");
            let figures: Vec<&str> = paper.figures.iter().map(|entry| entry.id).collect();
            for (i, claim) in paper.claims.iter().enumerate() {
                assert_eq!(claim.id, format!("{letter}{}", i + 1));
                for text in
                    [claim.title, claim.statement, claim.source, claim.test, claim.rule, claim.correction]
                {
                    assert!(text.len() > 3, "{}: {text:?}", claim.id);
                }
                let sentences = [claim.statement, claim.test, claim.rule];
                assert!(sentences.iter().all(|text| text.ends_with('.')), "{}", claim.id);
                for figure in claim.reads.iter().chain(&claim.figure) {
                    let beside = paper.beside.iter().any(|(id, _)| id == figure);
                    let table = paper.has_matrices && *figure == MATRICES;
                    assert!(figures.contains(figure) || beside || table, "{}: {figure}", claim.id);
                }
            }
            for (id, _) in paper.beside {
                assert!(paper.claims.iter().any(|claim| claim.reads.contains(id)), "{id}");
            }
            for (i, erratum) in paper.notes.errata.iter().enumerate() {
                assert_eq!(erratum.id, format!("E{}", i + 1));
                assert!(erratum.issue.ends_with('.') && erratum.resolution.ends_with('.'), "{}", erratum.id);
            }
        }
    }

    /// Without any evidence nothing is decided but what is computed exactly, and every other
    /// finding says what it needs.
    #[test]
    fn trace_no_evidence_no_verdict() {
        let mut decided = Vec::new();
        for finding in PAPERS.iter().flat_map(|paper| check_all(paper.claims, &Evidence::new())) {
            match finding.judgement.verdict {
                Verdict::NotRun => assert!(!finding.judgement.note.is_empty(), "{}", finding.claim.id),
                verdict => {
                    assert_eq!(verdict, Verdict::Holds, "{}: {}", finding.claim.id, finding.judgement.note);
                    decided.push(finding.claim.id);
                }
            }
        }
        assert_eq!(decided, ["C1", "C15", "C16", "C17", "C18"]);
    }
}
