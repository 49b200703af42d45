//! Papers that can be reproduced, each described in its own file.

mod dts;
mod rex3;
mod rmed;
mod versatile;

use crate::claim::Claim;

pub use dts::DTS;
pub use rex3::{ERRATA, REX3};
pub use rmed::RMED;
pub use versatile::VERSATILE;

/// All papers. The first is the default.
pub static PAPERS: &[&Paper] = &[&REX3, &VERSATILE, &DTS, &RMED];

/// A paper to reproduce: its experiments, its claims, and the texts of its report.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Paper {
    /// The name on the command line.
    pub name: &'static str,
    /// The title of the report.
    pub title: &'static str,
    pub citation: Citation,
    /// In the order of the report.
    pub figures: &'static [PaperFigure],
    pub claims: &'static [Claim],
    /// Additional experiments that claims need: name and specification.
    pub beside: &'static [(&'static str, &'static str)],
    /// Whether the report contains the table of matrices.
    pub has_matrices: bool,
    /// Errors of the paper, and differences between the paper and this program.
    pub notes: Notes,
    /// Texts of the report.
    pub words: Words,
    /// The policy that the paper proposes, and its rivals.
    pub leader: Leader,
    /// What the report says about the paper's data.
    pub data: Data,
}

/// The authors of a paper, and where to find it.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Citation {
    /// Family names.
    pub authors: &'static str,
    pub title: &'static str,
    /// Conference and year.
    pub venue: &'static str,
    /// A DOI as a URL. The program never opens it.
    pub link: &'static str,
    /// The text of the link.
    pub linked: &'static str,
}

/// Errors and ambiguities of a paper, or differences between the paper and this program.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Notes {
    /// The heading of the section.
    pub heading: &'static str,
    /// A short heading for the table of contents.
    pub linked: &'static str,
    /// The text that follows the number of notes.
    pub about: &'static str,
    pub errata: &'static [Erratum],
}

impl Notes {
    const fn differences(errata: &'static [Erratum]) -> Self {
        Self {
            heading: "Differences from the paper",
            linked: "Differences",
            about: "places where this program had to make a choice or differs from the paper.",
            errata,
        }
    }
}

/// A place where a paper is wrong, contradicts itself or leaves something open, or where this
/// program differs from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Erratum {
    /// `E1`, `E2`, ...
    pub id: &'static str,
    pub title: &'static str,
    pub issue: &'static str,
    /// What this program does about it.
    pub resolution: &'static str,
}

/// Texts of the report.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// What the report covers; the names of the authors follow.
    pub covers: &'static str,
    /// Which claims the report covers.
    pub claims: &'static str,
    /// The paper's policy and its rivals. Text between double asterisks is emphasised.
    pub policies: &'static str,
    /// The size of the `paper` scale.
    pub full_scale: &'static str,
    /// The size of smaller scales.
    pub smaller_scale: &'static str,
}

/// The policy that a paper proposes, and the policies that the summary compares with it.
#[derive(Debug, Clone, Copy)]
pub struct Leader {
    /// Its specification.
    pub policy: &'static str,
    /// Its name in a sentence.
    pub name: &'static str,
    /// How to read the comparison.
    pub about: &'static str,
    /// The id of a claim, and a text to add if that claim holds. `[C7]` links to claim C7.
    pub if_holds: Option<(&'static str, &'static str)>,
    /// Specification and name of each policy in the table, including this one.
    pub compared: &'static [(&'static str, &'static str)],
}

/// What the report says about a paper's data.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// The data sets that have stand-ins.
    pub names: &'static str,
    /// The note for reports with stand-ins.
    pub stand_ins: &'static str,
    /// The note for reports with real data.
    pub real: &'static str,
}

/// A figure of a paper: a specification that ships with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PaperFigure {
    pub id: &'static str,
    /// The specification, at the paper's scale.
    pub text: &'static str,
    /// What to look for, for a reader without the paper.
    pub about: &'static str,
    pub(super) drawing: Drawing,
}

/// How results become a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawing {
    /// As in `tiltyard plot`.
    Plain,
    /// Regret against gamma, with the bound and its best gamma.
    Bound,
    /// Regret on logarithmic and on linear axes, side by side.
    BothScales,
    /// Only on linear axes, because logarithmic axes cannot show negative regret.
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
    /// The paper with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PAPERS.iter().copied().find(|paper| paper.name == name)
    }

    /// Whether this is the default paper.
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

/// A figure whose specification is in the paper's folder.
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

    /// Every specification can be printed and parsed, and has a title and seed 1.
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

    /// Ids consist of the paper's letter and a number, texts are sentences, and everything that a
    /// claim reads exists.
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

    /// Without evidence, only claims that read no results are decided. Every other finding says
    /// what it needs.
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
