//! The claims of papers, one small module each: the sentence in our words, the test, the decision
//! rule, and the code that applies it to the results of figures. Each paper has a folder: `rex3`,
//! `versatile`, `dts`, `rmed`.
//!
//! How a verdict comes about:
//!
//! - A claim is split into *parts* (a world, a policy, a horizon). Parts that are computed exactly
//!   hold or fail. Parts that are sampled are tested in both directions, paired by run, and
//!   corrected for several tests at once; what neither test settles is `inconclusive`, and shows
//!   the power of the test.
//! - A claim about all its parts fails if one of them fails, is inconclusive if one is, and holds
//!   otherwise. Parts to which the sentence does not speak (a sentence on the long run where the
//!   run was too short) are shown but not judged.
//! - Where something was not run the claim is `not-run` and says what is missing. That is not a
//!   verdict.
//!
//! [`check`] applies one, [`check_all`] a list of them.

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
pub struct Claim {
    /// A letter of its paper's own, and a number: `C1`, `C2`, ...
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// The sentence, in our words.
    pub statement: &'static str,
    /// Where the paper says it.
    pub source: &'static str,
    /// How it is tested.
    pub test: &'static str,
    /// When it holds, and when it fails.
    pub rule: &'static str,
    /// What is done about several tests at once.
    pub correction: &'static str,
    /// The figure that shows it.
    pub figure: Option<&'static str>,
    /// The figures and experiments that it reads; it makes do with those that are there.
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
        judgement.note = format!("Needs {}. {}", claim.reads.join(", "), judgement.note);
    }
    Finding { claim: *claim, judgement }
}

/// Checks every one of some claims.
pub fn check_all(claims: &[Claim], evidence: &Evidence) -> Vec<Finding> {
    claims.iter().map(|claim| check(claim, evidence)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What machines read: flat, with the verdict in kebab case, and no infinities.
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
