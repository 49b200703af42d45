//! The list of experiments.

use axum::extract::State;
use maud::{Markup, html};

use super::failure::Failure;
use super::layout::Page;
use super::visitor::Visitor;
use crate::app::{Shared, blocking, durable, summary};
use crate::arena::SetApart;
use crate::domain::{Experiment, Status, Verdict};
use crate::id::ExperimentId;
use crate::key::Action;
use crate::{Arena, ArenaError};

/// The largest number of experiments shown. The API lists all of them.
const MOST: usize = 200;

/// One experiment in the list.
struct Line {
    id: ExperimentId,
    name: String,
    status: Status,
    arms: usize,
    votes: u64,
    words: String,
}

pub(super) async fn home(State(app): State<Shared>, visitor: Visitor) -> Result<Markup, Failure> {
    visitor.may(Action::Read, visitor.experiment())?;
    let only = visitor.experiment();
    // Gather all experiments before waiting for the first one to be durable.
    let gather = move |arena: &Arena| -> Result<Vec<_>, ArenaError> {
        let all = arena.experiments().into_iter();
        all.filter(|id| only.is_none_or(|only| *id == only)).map(|id| arena.view(id, line)).collect()
    };
    let mut lines = Vec::new();
    for pending in blocking(&app, gather).await? {
        lines.push(durable(pending).await?);
    }
    let n_all = lines.len();
    // Closed experiments come last. Within each group, those with the most votes come first.
    lines.sort_by_key(|line| (line.status == Status::Closed, core::cmp::Reverse(line.votes)));
    lines.truncate(MOST);
    let body = html! {
        div.row {
            h1 { "Experiments" }
            @if visitor.can(Action::Create, None) { a.button.primary href="/new" { "New experiment" } }
        }
        div data-live="poll" data-part="experiments" {
            (damaged(&app.arena.set_apart(), &visitor))
            @if lines.is_empty() { (empty(&visitor)) }
            @else { (table(&lines)) }
            @if n_all > lines.len() { p.soft { "Showing the first " (lines.len()) " of " (n_all) " experiments." } }
        }
    };
    Ok(Page { title: "Experiments", assets: &["live.js"], body }.render(&visitor))
}

/// A notice about damaged experiments.
fn damaged(apart: &[SetApart], visitor: &Visitor) -> Markup {
    let seen = |apart: &&SetApart| visitor.experiment().is_none_or(|only| apart.id == only);
    html! {
        @for apart in apart.iter().filter(seen) {
            div.notice.bad role="alert" {
                p {
                    @match &apart.name {
                        Some(name) => strong { "\"" (name) "\" is damaged" },
                        None => strong { "An experiment is damaged" },
                    }
                    " and set apart: " (apart.damage) ". Its first " (grouped(apart.sound)) " records are sound."
                }
                p { "The other experiments are not affected. To repair it, stop the server and run " code { "tiltyard verify" } "." }
            }
        }
    }
}

fn line(experiment: &Experiment) -> Line {
    let picture = Verdict::of(experiment.evidence(), []);
    Line {
        id: experiment.id(),
        name: experiment.name().to_owned(),
        status: experiment.status(),
        arms: experiment.active().len(),
        votes: experiment.totals().votes,
        words: summary(experiment, &picture).verdict.words,
    }
}

fn table(lines: &[Line]) -> Markup {
    html! {
        div.card.scroll role="region" aria-label="Experiments" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Experiment" }
                    th scope="col" { "Result" }
                    th.number scope="col" { "Votes" }
                    th.number scope="col" { "Arms" }
                    th scope="col" { "Status" }
                } }
                tbody {
                    @for line in lines {
                        tr {
                            th scope="row" { a href={ "/experiments/" (line.id) } { (line.name) } }
                            td.words { (line.words) }
                            td.number { (grouped(line.votes)) }
                            td.number { (grouped(line.arms as u64)) }
                            td { (status_pill(line.status)) }
                        }
                    }
                }
            }
        }
    }
}

fn empty(visitor: &Visitor) -> Markup {
    html! {
        div.card {
            p { "There are no experiments yet." }
            @if visitor.can(Action::Create, None) {
                p { "An experiment finds out which of several candidates people prefer. It shows two at a time and asks which one is better." }
                a.button href="/new" { "Create the first experiment" }
            }
        }
    }
}

/// A status as a coloured label.
pub(super) fn status_pill(status: Status) -> Markup {
    let (class, word) = match status {
        Status::Running => ("running", "Running"),
        Status::Paused => ("paused", "Paused"),
        Status::Closed => ("closed", "Closed"),
    };
    html! { span class={ "pill " (class) } { (word) } }
}

/// A count with a thin space after every three digits, counted from the right.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(count), text.replace(' ', "\u{202f}"));
        }
    }
}
