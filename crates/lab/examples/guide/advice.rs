//! From scores to a decision in plain words.

use std::fmt::Write as _;

use tiltyard_bandit::policy::{Info, Settles, registry};
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
    /// The least loss among those that assume nothing of the world but that it does not see the policy's coins.
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
            all.iter().find(|score| is_carefree(&score.policy) && score.policy != "random").cloned()
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
        let info = info(&first.policy);
        writeln!(text, "{}", counts_on(&info, first.fixed_horizon)).expect(WRITTEN);
        if let Some(score) = anytime {
            writeln!(text, "Who cannot name the horizon takes `{}` ({}).", score.policy, share(score))
                .expect(WRITTEN);
        }
        if let Some(score) = carefree {
            writeln!(
                text,
                "Who does not want to rely on that takes `{}` ({}), whose guarantee holds against a world that changes.",
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

/// Whether its guarantee needs no fixed chances.
fn is_carefree(policy: &str) -> bool {
    let info = info(policy);
    info.settles == Settles::Sqrt
        && !info.assumptions.contains(&tiltyard_bandit::policy::Assumption::Stationary)
}

/// What the policy counts on, in a sentence.
fn counts_on(info: &Info, fixed_horizon: bool) -> String {
    let mut needs: Vec<String> = info.assumptions.iter().map(ToString::to_string).collect();
    if fixed_horizon {
        needs.push("the horizon is known".to_owned());
    }
    if needs.is_empty() {
        "It assumes nothing of the world.".to_owned()
    } else {
        format!("It counts on this: {}.", needs.join("; "))
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
