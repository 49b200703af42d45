//! `tiltyard evaluate`: what another policy or one arm would have scored.

use clap::Args;
use tiltyard_wire::{Evaluation, OffPolicyEstimate};

use super::client::estimate::percent;
use super::client::{Connection, encode, plain, read};
use super::{Failure, ListFormat, table};
use crate::printer::Printer;

/// What another policy, or one arm, would have scored on the experiment's traffic
///
/// Scores go from -1 (always loses) to 1 (always wins). The votes say so where the chance of each
/// pair is known; nobody is asked anything.
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The experiment's id, or its name if no other has it
    experiment: String,
    #[command(flatten)]
    target: Target,
    /// Whom it meets: `policy`, the experiment's own; `uniform`, every arm alike; or an arm, also
    /// as `arm:NAME`
    #[arg(long, value_name = "uniform|policy|ARM", default_value = "policy")]
    against: String,
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Target {
    /// A policy that learns along the log, as `name` or `name:key=value,...`
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// An arm
    #[arg(long, value_name = "ARM")]
    arm: Option<String>,
}

impl Evaluate {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let target = match (&self.target.policy, &self.target.arm) {
            (Some(policy), _) => format!("policy={}", encode(policy)),
            (None, arm) => format!("arm={}", encode(arm.as_deref().unwrap_or_default())),
        };
        let against = encode(&opponent(&self.against));
        let path = format!("/v1/experiments/{id}/evaluation?{target}&against={against}");
        let answer = client.get(&path, printer)?;
        if self.format == ListFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        print(&read(&answer)?, printer);
        Ok(())
    }
}

/// The opponent in the API's words. An arm that is called `policy` needs the prefix.
fn opponent(text: &str) -> String {
    match text {
        "uniform" | "policy" => text.to_owned(),
        arm if arm.starts_with("arm:") => arm.to_owned(),
        arm => format!("arm:{arm}"),
    }
}

fn print(found: &Evaluation, printer: &mut Printer) {
    printer.line(plain(&found.words));
    printer.line("");
    let interval = format!("{} interval", percent(found.confidence));
    let mut rows = table::Rows::numbers(2, &["score", &interval, "holds", "method"]);
    for OffPolicyEstimate { method, exact, value, low, high } in &found.estimates {
        rows.push(vec![
            format!("{value:.3}"),
            format!("{low:.3} to {high:.3}"),
            if *exact { "always" } else { "with many votes" }.to_owned(),
            plain(method),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.line("");
    let Evaluation { duels, unusable, effective_sample_size, largest_weight, support, .. } = found;
    printer.line(format_args!("votes used: {duels}; votes that say nothing about other play: {unusable}"));
    printer.line(format_args!(
        "worth as much as {effective_sample_size:.0} votes of its own; the largest weight of one is {}",
        table::round(*largest_weight)
    ));
    printer.line(format_args!("shown of what it could meet: {:.1} %", 100.0 * support));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_opponents() {
        for (text, said) in [
            ("uniform", "uniform"),
            ("policy", "policy"),
            ("a", "arm:a"),
            ("arm:policy", "arm:policy"),
            ("arm:arm:a", "arm:arm:a"),
        ] {
            assert_eq!(opponent(text), said);
        }
    }
}
