//! The latest changes to the experiment.

use maud::{Markup, html};

use super::report::Report;

pub(super) fn section(report: &Report) -> Markup {
    html! {
        section.card aria-labelledby="notes-title" {
            h2 #notes-title { "Activity" }
            ol.notes {
                @for (note, words) in &report.notes {
                    li { time.soft.number datetime=(note.at) { (moment(&note.at.to_string())) } " " (words) }
                }
            }
            p.soft.small { "Duels and votes are not listed here. The API lists all events (history)." }
        }
    }
}

/// A moment without fractions of a second.
fn moment(text: &str) -> String {
    text.get(..19).unwrap_or(text).replace('T', " ")
}
