//! The claims of the paper, one small module each: the sentence in our words, the test, the decision rule, and the code that applies it
//! to the results of figures.
//!
//! How a verdict comes about:
//!
//! - A claim is split into *parts* (a world, a policy, a horizon). Parts that are computed exactly hold or fail. Parts that are sampled are
//!   tested in both directions, paired by run, and corrected for several tests at once; what neither test settles is `inconclusive`,
//!   and shows the power of the test.
//! - A claim about all its parts fails if one of them fails, is inconclusive if one is, and holds otherwise. Parts to which the sentence
//!   does not speak (a sentence on the long run where the run was too short) are shown but not judged.
//! - Where something was not run the claim is `not-run` and says what is missing. That is not a verdict.
//!
//! [`CLAIMS`] lists them all; [`check`] applies one, [`check_all`] every one.

mod c01_estimator;
mod c02_bound;
mod c03_gamma_star;
mod c04_square_root;
mod c05_logarithm;
mod c06_sparring;
mod c07_long_run;
mod c08_many_arms;
mod c09_cost_of_exploration;
mod c10_hidden_winner;
mod c11_deceived;
mod c12_worst_case;
mod c13_initial_phases;
mod c14_known_horizon;
mod c15_reduction;
mod c16_matrices;
mod c17_twice_the_regret;
mod c18_self_duels;
mod c19_guard;
mod c20_dual_impact;
mod c21_small_horizons;
mod c22_protocol;
mod c23_anytime;
mod c24_negative_regret;
mod decide;
mod evidence;
mod finding;
mod role;
mod specs;
#[cfg(test)]
mod synthetic;

use core::fmt::Write as _;

pub use evidence::{Evidence, Origin};
pub use finding::{Finding, Judgement, Number, Part, Power, Verdict};
pub use specs::SPECIFICATIONS;

/// A statement of the paper that can be checked.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// `C1`, `C2`, ...
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
    pub reads: &'static [&'static str],
    check: fn(&Evidence) -> Judgement,
}

/// All claims, in order.
pub static CLAIMS: &[Claim] = &[
    c01_estimator::CLAIM,
    c02_bound::CLAIM,
    c03_gamma_star::CLAIM,
    c04_square_root::CLAIM,
    c05_logarithm::CLAIM,
    c06_sparring::CLAIM,
    c07_long_run::CLAIM,
    c08_many_arms::CLAIM,
    c09_cost_of_exploration::CLAIM,
    c10_hidden_winner::CLAIM,
    c11_deceived::CLAIM,
    c12_worst_case::CLAIM,
    c13_initial_phases::CLAIM,
    c14_known_horizon::CLAIM,
    c15_reduction::CLAIM,
    c16_matrices::CLAIM,
    c17_twice_the_regret::CLAIM,
    c18_self_duels::CLAIM,
    c19_guard::CLAIM,
    c20_dual_impact::CLAIM,
    c21_small_horizons::CLAIM,
    c22_protocol::CLAIM,
    c23_anytime::CLAIM,
    c24_negative_regret::CLAIM,
];

/// The figures with stationary matrices that have a Condorcet winner, and the experiment on SAVAGE-6 beside them.
const MATRICES: &[&str] =
    &["arxiv", "np2004-64", "mslr-nav", "np2004-16", "np2004-32", "mslr-perf", "artificial", "claim-06"];

/// The same with the matrix that has none.
const ALL_MATRICES: &[&str] = &[
    "arxiv",
    "np2004-64",
    "mslr-nav",
    "np2004-16",
    "np2004-32",
    "mslr-inf",
    "mslr-perf",
    "artificial",
    "claim-06",
];

/// The figures on data from information retrieval.
const RETRIEVAL: &[&str] =
    &["arxiv", "np2004-64", "mslr-nav", "np2004-16", "np2004-32", "mslr-inf", "mslr-perf"];

/// Checks one claim.
pub fn check(claim: &Claim, evidence: &Evidence) -> Finding {
    let mut judgement = (claim.check)(evidence);
    if judgement.verdict == Verdict::NotRun && judgement.parts.is_empty() {
        judgement.note = format!("Needs {}. {}", claim.reads.join(", "), judgement.note);
    }
    Finding {
        id: claim.id,
        title: claim.title,
        statement: claim.statement,
        source: claim.source,
        test: claim.test,
        rule: claim.rule,
        correction: claim.correction,
        figure: claim.figure,
        judgement,
    }
}

/// Checks every claim.
pub fn check_all(evidence: &Evidence) -> Vec<Finding> {
    CLAIMS.iter().map(|claim| check(claim, evidence)).collect()
}

/// The page of the documentation that lists the claims.
pub fn page() -> String {
    let mut page =
        "<!-- Written by `cargo xtask docs` from the claims' own modules. -->\n\n# Claims\n\n".to_owned();
    page.push_str(
        "Every checkable sentence of the paper (Gajane, Urvoy and Clérot, ICML 2015), in our words, with the test that decides it.\n\
         A claim `holds`, `fails` or is `inconclusive`; the last only with the power of its test beside it. A claim whose experiments were\n\
         not run is `not-run`, which is not a verdict. Tests are paired by run. A claim about all its parts fails if one part fails.\n",
    );
    for claim in CLAIMS {
        let reads = if claim.reads.is_empty() {
            "nothing: computed on the spot".to_owned()
        } else {
            claim.reads.join(", ")
        };
        write!(
            page,
            "\n## {}: {}\n\n{}\n\n- **Source**: {}\n- **Test**: {}\n- **Rule**: {}\n- **Several tests at once**: {}\n- **Reads**: {reads}\n",
            claim.id, claim.title, claim.statement, claim.source, claim.test, claim.rule, claim.correction,
        )
        .expect("writing to a string does not fail");
    }
    page.push_str("\n## Experiments beside the figures\n");
    for (id, text) in SPECIFICATIONS {
        write!(page, "\n`{id}`:\n\n```toml\n{text}```\n").expect("writing to a string does not fail");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The figures of DESIGN 6.
    const FIGURES: &[&str] = &[
        "gamma",
        "arxiv",
        "np2004-64",
        "mslr-nav",
        "k-sweep",
        "np2004-16",
        "np2004-32",
        "mslr-inf",
        "mslr-perf",
        "sparring-ucb",
        "artificial",
        "deceptive",
        "matrices",
    ];

    #[test]
    fn trace_the_table_is_complete() {
        let ids: BTreeSet<_> = CLAIMS.iter().map(|claim| claim.id).collect();
        assert_eq!(ids.len(), CLAIMS.len(), "ids are unique");
        for (i, claim) in CLAIMS.iter().enumerate() {
            assert_eq!(claim.id, format!("C{}", i + 1));
            for text in [claim.title, claim.statement, claim.source, claim.test, claim.rule, claim.correction]
            {
                assert!(text.len() > 3, "{}: {text:?}", claim.id);
            }
            let sentences = [claim.statement, claim.test, claim.rule];
            assert!(sentences.iter().all(|text| text.ends_with('.')), "{}", claim.id);
            for figure in claim.reads.iter().chain(&claim.figure) {
                let experiment = SPECIFICATIONS.iter().any(|(id, _)| id == figure);
                assert!(FIGURES.contains(figure) || experiment, "{}: {figure}", claim.id);
            }
        }
        for (id, _) in SPECIFICATIONS {
            assert!(CLAIMS.iter().any(|claim| claim.reads.contains(id)), "{id}");
        }
    }

    /// Without any evidence nothing is decided but what is computed exactly, and every other finding says what it needs.
    #[test]
    fn trace_no_evidence_no_verdict() {
        let mut decided = Vec::new();
        for finding in check_all(&Evidence::new()) {
            match finding.judgement.verdict {
                Verdict::NotRun => assert!(!finding.judgement.note.is_empty(), "{}", finding.id),
                verdict => {
                    assert_eq!(verdict, Verdict::Holds, "{}: {}", finding.id, finding.judgement.note);
                    decided.push(finding.id);
                }
            }
        }
        assert_eq!(decided, ["C1", "C15", "C16", "C17", "C18"]);
    }

    /// What machines read: flat, with the verdict in kebab case, and no infinities.
    #[test]
    fn stable_json_of_a_finding() {
        let finding = check(&CLAIMS[14], &Evidence::new());
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

    #[test]
    fn stable_the_page_is_current() {
        let page = include_str!("../../../docs/claims.md");
        assert!(page == super::page(), "docs/claims.md is not current: run `cargo xtask docs`");
    }
}
