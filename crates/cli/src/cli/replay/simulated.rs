//! Prints a simulation.

use serde_json::{Value, json};
use tiltyard::Stream;
use tiltyard::bandit::policy::{Settles, registry};
use tiltyard::lab::replay::{PolicyRuns, Simulate, Simulated, Votes95};
use tiltyard::world::replay::Mode;

use crate::cli::table;
use crate::printer::Printer;

/// The random stream of the bootstrap, one per policy.
fn stream(job: &Simulate<'_>, policy: &PolicyRuns, what: &str) -> Stream {
    Stream::new(job.seed).label("intervals").label(what).label(&policy.spec.to_string())
}

/// The name of the winner of all votes.
fn winner<'a>(job: &Simulate<'a>, simulated: &Simulated) -> &'a str {
    &job.votes.names()[simulated.best.arm.index()]
}

fn mode(job: &Simulate<'_>) -> &'static str {
    match job.mode {
        Mode::Once => "each vote answers once per run",
        Mode::Bootstrap => "drawn with replacement",
    }
}

pub(super) fn print_table(job: &Simulate<'_>, simulated: &Simulated, printer: &mut Printer) {
    printer.line(format_args!(
        "simulation: {} votes on {} arms, {}; winner of all votes: {} ({})",
        job.votes.votes().len(),
        job.votes.n_arms(),
        mode(job),
        winner(job, simulated),
        simulated.best.kind
    ));
    printer.line(format_args!(
        "{} runs per policy, until one arm is shown to beat every other ({} % confidence, checked after each vote) or {} rounds are over; seed {}",
        job.runs,
        100.0 * job.confidence,
        job.rounds,
        job.seed
    ));
    printer.line("");
    let header = [
        "policy",
        "verdict",
        "votes to verdict (median)",
        "votes used (mean, 95 %)",
        "ratio to first",
        "verdict agrees",
        "favourite agrees",
    ];
    let mut rows = table::Rows::new(header.map(str::to_owned).to_vec());
    let share = |n: usize| format!("{:.2}", n as f64 / job.runs as f64);
    for policy in &simulated.policies {
        let mean = policy.mean_votes(stream(job, policy, "mean"));
        let ratio = policy.ratio_to(&simulated.policies[0], stream(job, policy, "ratio"));
        rows.push(vec![
            policy.spec.to_string(),
            share(policy.n_named()),
            policy.median_votes().map_or_else(|| "-".to_owned(), |votes| format!("{votes:.0}")),
            between(mean, 0),
            between(ratio, 3),
            share(policy.n_naming(simulated.best.arm)),
            bets(policy, simulated).map_or_else(|| "-".to_owned(), share),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.line("");
    printer.line("verdict: share of runs that reached one. agrees: with the winner of all votes. favourite: the arm that the policy recommends at the end of a run.");
    if simulated.policies.iter().any(|policy| policy.n_named() < policy.runs.len()) {
        printer.line("If runs end without a verdict, reaching one takes more votes than the mean says.");
    }
    let alone: Vec<String> = simulated
        .policies
        .iter()
        .filter(|policy| !policy.distinct)
        .map(|policy| policy.spec.to_string())
        .collect();
    if !alone.is_empty() {
        printer.line(format_args!(
            "Policies that may duel an arm with itself, which is a round but not a vote: {}.",
            alone.join(", ")
        ));
    }
}

/// The number of runs that recommend the winner of all votes; `None` for a policy that does not
/// learn.
fn bets(policy: &PolicyRuns, simulated: &Simulated) -> Option<usize> {
    let learns = registry::info(policy.spec.name()).is_ok_and(|info| info.settles != Settles::Never);
    learns.then(|| policy.n_recommending(simulated.best.arm))
}

fn between(votes: Votes95, digits: usize) -> String {
    format!("{:.digits$} [{:.digits$}, {:.digits$}]", votes.value, votes.interval.low, votes.interval.high)
}

pub(super) fn print_json(job: &Simulate<'_>, simulated: &Simulated, printer: &mut Printer) {
    let policies: Vec<Value> = simulated
        .policies
        .iter()
        .map(|policy| {
            let mean = policy.mean_votes(stream(job, policy, "mean"));
            let ratio = policy.ratio_to(&simulated.policies[0], stream(job, policy, "ratio"));
            let sum = |of: fn(&tiltyard::lab::replay::Ended) -> u64| policy.runs.iter().map(of).sum::<u64>();
            json!({
                "policy": policy.spec.to_string(),
                "distinct": policy.distinct,
                "verdicts": policy.n_named(),
                "verdicts_agree": policy.n_naming(simulated.best.arm),
                "bets_agree": bets(policy, simulated),
                "votes_median": policy.median_votes(),
                "votes_mean": mean.value,
                "votes_mean_interval": [mean.interval.low, mean.interval.high],
                "over_first": ratio.value,
                "over_first_interval": [ratio.interval.low, ratio.interval.high],
                "votes": policy.runs.iter().map(|run| run.votes).collect::<Vec<_>>(),
                "unanswered": sum(|run| run.unanswered),
                "repeated": sum(|run| run.repeated),
            })
        })
        .collect();
    let json = json!({
        "kind": "simulation",
        "votes": job.votes.votes().len(),
        "arms": job.votes.n_arms(),
        "mode": match job.mode { Mode::Once => "once", Mode::Bootstrap => "bootstrap" },
        "winner": winner(job, simulated),
        "winner_kind": simulated.best.kind.to_string(),
        "rounds": job.rounds,
        "runs": job.runs,
        "seed": job.seed,
        "confidence": job.confidence,
        "policies": policies,
    });
    printer.line(json);
}
