//! `tiltyard plan`: how many votes an experiment needs.

use clap::Args;
use serde_json::{Value, json};
use tiltyard::bandit::verdict::{Plan, Votes, plan};

use super::{Failure, ListFormat, table};
use crate::number;
use crate::printer::Printer;

/// Compute how many votes it takes to find the best arm
///
/// The best arm beats every other arm with probability 1/2 + gap, and the verdict is checked after
/// every vote.
#[derive(Debug, Args)]
pub(crate) struct PlanVotes {
    /// Number of arms
    #[arg(long, value_name = "K", value_parser = number::whole, allow_negative_numbers = true)]
    arms: u64,
    /// The smallest lead worth finding: the best arm wins with probability 1/2 + GAP
    #[arg(long, allow_negative_numbers = true)]
    gap: f64,
    /// The probability that no wrong arm is ever named leader
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true)]
    confidence: f64,
    /// The probability that the votes are enough
    #[arg(long, value_name = "P", default_value_t = 0.9, allow_negative_numbers = true)]
    power: f64,
    /// The share of votes that are ties
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    ties: f64,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
}

impl PlanVotes {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let arms = usize::try_from(self.arms).unwrap_or(usize::MAX);
        let plan = plan(arms, self.gap, self.confidence, self.power)?.with_ties(self.ties)?;
        match self.format {
            ListFormat::Table => self.print_table(&plan, printer),
            ListFormat::Json => printer.line(self.to_json(&plan)),
        }
        Ok(())
    }

    fn print_table(&self, plan: &Plan, printer: &mut Printer) {
        printer.line(format_args!(
            "Votes until an arm that beats every other with probability {} is named leader, at confidence {}",
            // Rounded to print 0.55: the sum 0.5 + 0.05 may end in ...01.
            (1e6 * (0.5 + self.gap)).round() / 1e6,
            self.confidence,
        ));
        printer.line("");
        let header = [
            "duels",
            "pairs",
            "votes on average",
            &format!("enough in {} % of experiments", percent(self.power)),
            "",
        ];
        let mut rows = table::Rows::new(header.map(str::to_owned).to_vec());
        let others = self.arms as f64 - 1.0;
        let all = [
            ("one pair", 1.0, plan.one_pair),
            ("best arm against each other arm", others, plan.one_against_all),
            ("all pairs in turn", others * self.arms as f64 / 2.0, plan.all_pairs),
        ];
        // Two arms make only one pair.
        let shown = if self.arms == 2 { 1 } else { all.len() };
        for (name, pairs, votes) in all.into_iter().take(shown) {
            let Votes { mean, enough } = votes;
            rows.push(vec![
                name.to_owned(),
                pairs.to_string(),
                table::round(mean),
                enough.to_string(),
                String::new(),
            ]);
        }
        for line in rows.lines() {
            printer.line(line);
        }
        printer.line("");
        if self.arms > 2 {
            printer.line("A policy that learns shows the better arms more often and needs fewer votes than the last line.");
        }
        printer.line("A clearer lead needs fewer votes. With a smaller lead, or none, the chance of ever naming a wrong leader is");
        printer.line(format_args!(
            "still at most {}, however often you look.",
            // As above.
            (1e6 * (1.0 - self.confidence)).round() / 1e6,
        ));
    }

    fn to_json(&self, plan: &Plan) -> Value {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and above 0")]
        let votes = |votes: Votes| json!({"mean": votes.mean, "enough": votes.enough as u64});
        json!({
            "arms": self.arms,
            "gap": self.gap,
            "confidence": self.confidence,
            "power": self.power,
            "ties": self.ties,
            "one_pair": votes(plan.one_pair),
            "one_against_all": votes(plan.one_against_all),
            "all_pairs": votes(plan.all_pairs),
        })
    }
}

/// A share as a percentage, without rounding errors of binary numbers.
fn percent(share: f64) -> f64 {
    (1e6 * share).round() / 1e4
}
