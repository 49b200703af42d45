//! The controls of an experiment.

use maud::{Markup, html};

use super::report::Report;
use crate::domain::Status;
use crate::key::Action;
use crate::pages::home::status_pill;
use crate::pages::layout::token;
use crate::pages::visitor::Visitor;
use crate::time::duration_text;

/// The name and the status of the experiment, with the most frequent actions.
pub(super) fn head(report: &Report, visitor: &Visitor) -> Markup {
    let Report { id, name, status, has_rankers, .. } = report;
    let can_change = visitor.can(Action::Change, Some(*id));
    let change = |to: &str, word: &str, class: &str| {
        html! {
            form method="post" action={ "/experiments/" (id) "/status" } {
                (token(visitor))
                button id={ "status-" (to) } class=(class) name="status" value=(to) { (word) }
            }
        }
    };
    html! {
        div.row.head {
            h1 { (name) }
            div.actions {
                @if visitor.can(Action::Vote, Some(*id)) && *status != Status::Closed && !has_rankers {
                    a.button.primary href={ "/vote/" (id) } { "Vote" }
                }
                div data-part="status" {
                    div.actions {
                        (status_pill(*status))
                        @if can_change {
                            @match status {
                                Status::Running => (change("paused", "Pause", "")),
                                Status::Paused => (change("running", "Resume", "")),
                                Status::Closed => {},
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The rare actions: downloads, new arms, links for voters, closing.
pub(super) fn section(report: &Report, visitor: &Visitor) -> Markup {
    let Report { id, status, is_elastic, policy, settings, created, .. } = report;
    let can_change = visitor.can(Action::Change, Some(*id));
    html! {
        section.card aria-labelledby="data-title" {
            h2 #data-title { "Data" }
            ul.plain {
                li { a href={ "/v1/experiments/" (id) "/votes?format=csv" } download={ (id) "-votes.csv" } { "Votes as CSV" } }
                li { a href={ "/v1/experiments/" (id) "/votes?format=jsonl" } download={ (id) "-votes.jsonl" } { "Votes as JSON lines" } }
                li { a href={ "/v1/experiments/" (id) "/standing?limit=1000" } download={ (id) "-standing.json" } { "Standing as JSON" } }
                li { a href={ "/experiments/" (id) "/figures/arms.svg" } { "Arms as a figure" } }
            }
            p.soft.small {
                "Policy " code { (policy) } ". Created " time datetime=(created) { (created.to_string().get(..16).unwrap_or_default().replace('T', " ")) " UTC" }
                ". Duels expire after " (duration_text(settings.expires_after)) "."
            }
        }
        @if can_change && *status != Status::Closed {
            section.card aria-labelledby="change-title" {
                h2 #change-title { "Change the experiment" }
                @if *is_elastic {
                    form.stack method="post" action={ "/experiments/" (id) "/arms" } {
                        (token(visitor))
                        div.field {
                            label for="new-arms" { "Add arms" }
                            span.hint #new-arms-hint { "One per line: a name, “name | label”, or an arm in JSON." }
                            textarea #new-arms name="arms" rows="3" required spellcheck="false" aria-describedby="new-arms-hint" {}
                        }
                        div { button { "Add" } }
                    }
                }
                @if visitor.can(Action::Keys, None) && visitor.has_keys {
                    form.stack method="post" action={ "/experiments/" (id) "/link" } {
                        (token(visitor))
                        h3 { "Link for voters" }
                        p.soft { "Everyone who has the link can vote, and do nothing else. To switch the link off, revoke its key on the page “Keys”." }
                        div { button { "Create a link" } }
                    }
                }
                form.stack method="post" action={ "/experiments/" (id) "/status" } {
                    (token(visitor))
                    h3 { "Close" }
                    p.soft { "Closing is final: the experiment issues no more duels and takes no more votes. If you want to wait for votes in flight, pause the experiment first." }
                    div.check {
                        input #sure name="sure" type="checkbox" value="yes" required;
                        label for="sure" { "I know that this cannot be undone" }
                    }
                    div { button.danger name="status" value="closed" { "Close the experiment" } }
                }
            }
        }
    }
}
