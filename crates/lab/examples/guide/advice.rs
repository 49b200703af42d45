//! From scores to a decision in plain words.

use std::fmt::Write as _;

use tiltyard_bandit::policy::{Info, registry};
use tiltyard_lab::results::Results;

use crate::score::{Score, scores};
use crate::situations::Situation;

/// What to use in a situation, and who is not told from it.
pub(crate) struct Advice {
    pub(crate) first: Score,
    /// Not told from the first by these runs.
    pub(crate) tied: Vec<Score>,
    /// The least loss among those that need no horizon, where the first needs one.
    pub(crate) anytime: Option<Score>,
    /// The least loss among those of [`PROVED`], where the first is none of them.
    pub(crate) carefree: Option<Score>,
}

impl Advice {
    pub(crate) fn of(results: &[Results], situation: &Situation) -> Self {
        let mut all = scores(results, situation.worlds, situation.round);
        let first = all.remove(0);
        let anytime = all.iter().find(|score| !score.fixed_horizon).filter(|_| first.fixed_horizon).cloned();
        let carefree = if is_carefree(&first.policy) {
            None
        } else {
            all.iter().find(|score| is_carefree(&score.policy)).cloned()
        };
        all.retain(|score| score.is_tied_with(&first));
        Self { first, tied: all, anytime, carefree }
    }

    pub(crate) fn to_markdown(&self, situation: &Situation) -> String {
        let mut text = format!("### {}\n\n{}\n\n", situation.title, situation.words);
        let Self { first, tied, anytime, carefree } = self;
        write!(text, "**Use `{}`.** It loses {} of what random play loses", first.policy, share(first))
            .expect(WRITTEN);
        let worlds: Vec<String> = situation.worlds.iter().map(|world| format!("`{world}`")).collect();
        write!(text, " ({}, after {} rounds)", worlds.join(", "), rounds(situation.round)).expect(WRITTEN);
        match tied.as_slice() {
            [] => text.push_str(", surely less than any other.\n"),
            tied => {
                let names: Vec<String> =
                    tied.iter().map(|score| format!("`{}` ({})", score.policy, share(score))).collect();
                writeln!(text, "; these runs do not tell it from {}.", list(&names)).expect(WRITTEN);
            }
        }
        writeln!(text, "{}", counts_on(first)).expect(WRITTEN);
        if let Some(score) = anytime {
            writeln!(text, "Who cannot name the horizon takes `{}` ({}).", score.policy, share(score))
                .expect(WRITTEN);
        }
        if let Some(score) = carefree {
            writeln!(
                text,
                "Who does not want to rely on that takes `{}` ({}), whose bound is proved for any preferences that are fixed beforehand.",
                score.policy,
                share(score)
            )
            .expect(WRITTEN);
        }
        text.push('\n');
        text
    }
}

const WRITTEN: &str = "a text can be written to";

fn info(policy: &str) -> Info {
    let name = policy.split(':').next().unwrap_or(policy);
    registry::info(name).expect("results name policies of the registry")
}

/// The forms whose bound is proved for preferences that an adversary chooses beforehand, against
/// one arm in all rounds.
const PROVED: [&str; 8] = [
    "rex3",
    "sparring",
    "sparring:player=tsallis",
    "sparring:player=exp3ix",
    "sparring:player=exp3s",
    "vdb",
    "vdb:estimator=rv",
    "vdb:form=players",
];

/// The forms that no proof covers, and why.
const UNPROVED: [(&str, &str); 6] = [
    (
        "rex3:schedule=literal",
        "no proof covers this reading, and there are worlds in which its regret grows with time itself",
    ),
    ("sparring:player=ucb1", "no proof covers it: each player faces an opponent that changes"),
    ("sparring:player=thompson", "no proof covers it: each player faces an opponent that changes"),
    ("feedexp3:schedule=link", "its schedule was derived here and has not been reviewed"),
    (
        "mergerucb:alpha=0.8^6,c=4e5,batch=8",
        "these are values tuned by experiment, narrower than any proof allows",
    ),
    (
        "mergedts:alpha=0.8^6,c=4e5,batch=16",
        "these are values tuned by experiment, narrower than any proof allows",
    ),
];

fn is_carefree(policy: &str) -> bool {
    PROVED.contains(&policy)
}

/// What the policy counts on, in a sentence or two.
fn counts_on(score: &Score) -> String {
    let mut needs: Vec<String> = info(&score.policy).assumptions.iter().map(ToString::to_string).collect();
    if score.fixed_horizon {
        needs.push("the horizon is known".to_owned());
    }
    let unproved = UNPROVED.iter().find(|(policy, _)| *policy == score.policy);
    match (unproved, needs.as_slice()) {
        (Some((_, why)), []) => format!("Mind that {why}."),
        (Some((_, why)), needs) => format!("It counts on this: {}. Mind that {why}.", needs.join("; ")),
        (None, []) => "It assumes nothing of the world.".to_owned(),
        (None, needs) => format!("It counts on this: {}.", needs.join("; ")),
    }
}

/// `3.1 ± 0.2 %`
pub(crate) fn share(score: &Score) -> String {
    let (mean, half) = (100.0 * score.mean(), 100.0 * score.half_width());
    let digits = usize::from(half < 0.95) + usize::from(half < 0.095);
    format!("{mean:.digits$} ± {half:.digits$} %")
}

pub(crate) fn rounds(round: u64) -> String {
    let exponent = round.ilog10();
    if round == 10u64.pow(exponent) { format!("1e{exponent}") } else { round.to_string() }
}

fn list(items: &[String]) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        items => items.join(""),
    }
}
