//! Prints an evaluation on a log.

use serde_json::{Value, json};
use tiltyard::lab::replay::{Evaluate, Evaluated, Subject};
use tiltyard::world::votes::Votes;

use crate::cli::table;
use crate::printer::Printer;

/// The policy's specification or the arm's name.
pub(super) fn label(subject: &Subject, votes: &Votes) -> String {
    match subject {
        Subject::Policy(spec) => spec.to_string(),
        Subject::Arm(arm) => votes.names()[arm.index()].clone(),
    }
}

pub(super) fn print_table(job: &Evaluate<'_>, against: &str, evaluated: &[Evaluated], printer: &mut Printer) {
    let n_duels = evaluated.first().map_or(0, |one| one.n_duels);
    printer.line(format_args!(
        "off-policy evaluation: {n_duels} duels of {} arms; mean score (-1 to 1) against {against}, {} % intervals",
        job.votes.n_arms(),
        100.0 * job.confidence
    ));
    printer.line("");
    let header = ["name", "ips", "snips", "dr", "effective duels", "largest weight", "covered"];
    let mut rows = table::Rows::new(header.map(str::to_owned).to_vec());
    for one in evaluated {
        let mut row = vec![label(&one.subject, job.votes)];
        row.extend(one.estimates.iter().map(|(_, estimate)| {
            format!("{:.3} [{:.3}, {:.3}]", estimate.value, estimate.low, estimate.high)
        }));
        // Without usable duels there are no estimates.
        row.resize(4, "-".to_owned());
        row.push(format!("{:.0}", one.effective_sample_size));
        row.push(table::round(one.largest_weight));
        row.push(format!("{:.2}", one.support));
        rows.push(row);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.line("");
    printer.line("Policies learn along the log; before each vote they say what they would play. The interval of ips is exact for every number of duels;");
    printer.line("the intervals of snips and dr are asymptotic. covered: near 1 if the logging policy could draw every pair that the subject could draw.");
}

pub(super) fn print_json(job: &Evaluate<'_>, against: &str, evaluated: &[Evaluated], printer: &mut Printer) {
    let subjects: Vec<Value> = evaluated
        .iter()
        .map(|one| {
            let mut object = json!({
                "effective_sample_size": one.effective_sample_size,
                "largest_weight": one.largest_weight,
                "support": one.support,
            });
            let kind = match one.subject {
                Subject::Policy(_) => "policy",
                Subject::Arm(_) => "arm",
            };
            object[kind] = label(&one.subject, job.votes).into();
            for (method, estimate) in &one.estimates {
                object[method.name()] = json!({
                    "value": estimate.value,
                    "interval": [estimate.low, estimate.high],
                    "exact": method.is_exact(),
                });
            }
            object
        })
        .collect();
    let json = json!({
        "kind": "off-policy",
        "duels": evaluated.first().map_or(0, |one| one.n_duels),
        "arms": job.votes.n_arms(),
        "against": against,
        "seed": job.seed,
        "confidence": job.confidence,
        "subjects": subjects,
    });
    printer.line(json);
}
