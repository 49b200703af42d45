//! `tiltyard evaluate`: estimates what another policy or one arm would have scored.

use clap::Args;
use tiltyard_wire::{Evaluation, OffPolicyEstimate};

use super::client::estimate::percent;
use super::client::{Connection, encode, plain, read};
use super::{Failure, ListFormat, table};
use crate::printer::Printer;

/// Estimate what another policy, or one arm, would have scored on the experiment's traffic
///
/// Scores go from -1 (always loses) to 1 (always wins). The estimate uses recorded votes whose
/// pairs were drawn with known probabilities; it needs no new votes.
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    #[command(flatten)]
    target: Target,
    /// The opponent: `policy`, the experiment's own policy; `uniform`, every arm equally often; or
    /// an arm, also as `arm:NAME`
    #[arg(long, value_name = "uniform|policy|ARM", default_value = "policy")]
    against: String,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Target {
    /// The policy to evaluate, as `name` or `name:key=value,...`; it learns while it reads the log
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// The arm to evaluate
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

/// The opponent as the API expects it. An arm called `policy` or `uniform` needs the prefix.
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
    let mut rows = table::Rows::numbers(2, &["score", &interval, "valid", "method"]);
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
    printer.line(format_args!("votes used: {duels}; votes that cannot be used: {unusable}"));
    printer.line(format_args!(
        "worth as much as {effective_sample_size:.0} votes on its own duels; largest weight of a vote: {}",
        table::round(*largest_weight)
    ));
    printer.line(format_args!("share of its possible pairs that the log covers: {:.1} %", 100.0 * support));
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
