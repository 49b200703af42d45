//! The claims of papers. Each claim is a small module with the paper's statement in our words, the
//! test, the decision rule, and the code that applies the rule to results. Each paper has a folder:
//! `rex3`, `versatile`, `dts`, `rmed`.
//!
//! How a verdict is reached:
//!
//! - A claim is split into *parts* (a world, a policy, a horizon). A part that is computed exactly
//!   holds or fails. A part that is sampled is tested in both directions, paired by run, with a
//!   correction for multiple tests. If neither test is significant, the part is `inconclusive` and
//!   shows the power of the test.
//! - A claim about all its parts fails if one part fails, is inconclusive if one part is, and holds
//!   otherwise. A part that the statement does not cover is shown but not judged: for example a run
//!   that is too short for a statement about the long run.
//! - If something was not run, the claim is `not-run` and says what is missing. That is not a
//!   verdict.
//!
//! [`check`] checks one claim, [`check_all`] a list of claims.

mod comparison;
mod decide;
pub(crate) mod dts;
mod evidence;
mod finding;
pub mod rex3;
pub(crate) mod rmed;
mod role;
#[cfg(test)]
mod synthetic;
pub(crate) mod versatile;

use serde::Serialize;

pub use evidence::Evidence;
pub use finding::{Finding, Judgement, Number, Part, Power, Verdict};

/// A statement of a paper that can be checked.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Claim {
    /// The paper's letter and a number: `C1`, `C2`, ...
    pub id: &'static str,
    pub title: &'static str,
    /// What the paper states, in our words.
    pub statement: &'static str,
    /// The place in the paper.
    pub source: &'static str,
    pub test: &'static str,
    /// When the claim holds, and when it fails.
    pub rule: &'static str,
    /// The correction for multiple tests.
    pub correction: &'static str,
    /// The figure that shows the effect.
    pub figure: Option<&'static str>,
    /// The figures and experiments that the claim reads. It uses those that are available.
    #[serde(skip)]
    pub reads: &'static [&'static str],
    #[serde(skip)]
    check: fn(&Evidence) -> Judgement,
}

/// Two claims are the same if they have the same id.
impl PartialEq for Claim {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// Checks one claim.
pub fn check(claim: &Claim, evidence: &Evidence) -> Finding {
    let mut judgement = (claim.check)(evidence);
    if judgement.verdict == Verdict::NotRun && judgement.parts.is_empty() {
        judgement.note = format!("Reads {}. {}", claim.reads.join(", "), judgement.note);
    }
    Finding { claim: *claim, judgement }
}

/// Checks several claims.
pub fn check_all(claims: &[Claim], evidence: &Evidence) -> Vec<Finding> {
    claims.iter().map(|claim| check(claim, evidence)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The JSON for programs is flat, with the verdict in kebab case and without infinities.
    #[test]
    fn stable_json_of_a_finding() {
        let finding = check(&rex3::CLAIMS[14], &Evidence::new());
        let json = serde_json::to_value(&finding).unwrap();
        assert_eq!(json["id"], "C15");
        assert_eq!(json["verdict"], "holds");
        for key in [
            "title",
            "statement",
            "source",
            "test",
            "rule",
            "correction",
            "numbers",
            "parts",
            "power",
            "note",
            "figure",
        ] {
            assert!(json.get(key).is_some(), "{key}");
        }
        assert_eq!(serde_json::to_value(Verdict::NotRun).unwrap(), "not-run");
    }
}
