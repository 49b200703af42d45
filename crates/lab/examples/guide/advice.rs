//! Turns scores into advice in plain words.

use std::fmt::Write as _;

use tiltyard_bandit::policy::{Assumption, Info, registry};
use tiltyard_lab::results::Results;

use crate::score::{Score, scores};
use crate::situations::{Preferences, Situation};

/// The policy to use in a situation, and its alternatives.
pub(crate) struct Advice {
    pub(crate) first: Score,
    /// Policies whose difference to the first is within the noise of these runs.
    pub(crate) tied: Vec<Score>,
    /// The lowest loss among policies that need no horizon, if the first needs one.
    pub(crate) anytime: Option<Score>,
    /// The lowest loss among the policies of [`PROVED`], if the first is not one of them.
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
            [] => text.push_str("; every other policy loses significantly more.\n"),
            tied => {
                let names: Vec<String> =
                    tied.iter().map(|score| format!("`{}` ({})", score.policy, share(score))).collect();
                writeln!(text, "; the difference to {} is within the noise of these runs.", list(&names))
                    .expect(WRITTEN);
            }
        }
        writeln!(text, "{}", counts_on(first, situation)).expect(WRITTEN);
        if let Some(score) = anytime {
            writeln!(text, "If you do not know the horizon, use `{}` ({}).", score.policy, share(score))
                .expect(WRITTEN);
        }
        if let Some(score) = carefree {
            let reason = if unproved(&first.policy).is_some() {
                "If you need a regret bound"
            } else {
                "If you cannot rely on that"
            };
            match bound(situation) {
                Some(bound) => {
                    writeln!(text, "{reason}, use `{}` ({}): its {bound}", score.policy, share(score))
                }
                None => {
                    writeln!(text, "No policy here has a bound on Copeland regret if preferences change.")
                }
            }
            .expect(WRITTEN);
        }
        text.push('\n');
        text
    }
}

const WRITTEN: &str = "writing to a string cannot fail";

fn info(policy: &str) -> Info {
    let name = policy.split(':').next().unwrap_or(policy);
    registry::info(name).expect("results name policies of the registry")
}

/// The forms with a proven bound for preferences that an adversary chooses in advance, against one
/// arm in all rounds.
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

/// The forms that no proof covers, and the reason.
const UNPROVED: [(&str, &str); 6] = [
    (
        "rex3:schedule=literal",
        "no proof covers this reading, and in some worlds its regret grows in proportion to time",
    ),
    ("sparring:player=ucb1", "no proof covers it, because each player faces an opponent that changes"),
    ("sparring:player=thompson", "no proof covers it, because each player faces an opponent that changes"),
    ("feedexp3:schedule=link", "its schedule was derived here and has not been reviewed"),
    (
        "mergerucb:alpha=0.8^6,c=4e5,batch=8",
        "these parameters were tuned by experiment. They make its confidence intervals narrower than the proof allows, so its regret bound does not apply",
    ),
    (
        "mergedts:alpha=0.8^6,c=4e5,batch=16",
        "these parameters were tuned by experiment. They make its confidence intervals narrower than the proof allows, so its regret bound does not apply",
    ),
];

fn is_carefree(policy: &str) -> bool {
    PROVED.contains(&policy)
}

/// Why no proof covers this form, if none does.
fn unproved(policy: &str) -> Option<&'static str> {
    UNPROVED.iter().find(|(form, _)| *form == policy).map(|(_, why)| *why)
}

/// What the bound of a policy of [`PROVED`] says in a situation. `None` if it says nothing.
fn bound(situation: &Situation) -> Option<&'static str> {
    match situation.preferences {
        Preferences::Fixed | Preferences::Misleading => Some(
            "regret bound holds for any sequence of preferences fixed in advance, against the best single arm. If the best arm changes, see *The best arm changes*.",
        ),
        Preferences::Changing => Some(
            "regret bound holds for any sequence of preferences fixed in advance. The more often the best arm changes, the less the bound says.",
        ),
        Preferences::Cyclic => None,
    }
}

/// The assumptions of the policy, in a few sentences.
fn counts_on(score: &Score, situation: &Situation) -> String {
    let assumptions = info(&score.policy).assumptions;
    let mut needs: Vec<String> = assumptions.iter().map(ToString::to_string).collect();
    if score.fixed_horizon {
        needs.push("the horizon is known".to_owned());
    }
    let mut text = match (unproved(&score.policy), needs.as_slice()) {
        (Some(why), []) => format!("Note that {why}."),
        (Some(why), needs) => format!("It assumes: {}. Note that {why}.", needs.join("; ")),
        (None, []) => match bound(situation).filter(|_| is_carefree(&score.policy)) {
            Some(bound) => format!("Its {bound}"),
            None => "Its proof assumes nothing about the preferences.".to_owned(),
        },
        (None, needs) => format!("Its proof assumes: {}.", needs.join("; ")),
    };
    let is_fixed = matches!(situation.preferences, Preferences::Fixed | Preferences::Cyclic);
    if !is_fixed && assumptions.contains(&Assumption::Stationary) {
        text.push_str(
            " In these worlds preferences change or answers are flipped, and it won here all the same.",
        );
    }
    text
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
