//! What was done to the experiment of late.

use maud::{Markup, html};

use super::report::Report;

pub(super) fn section(report: &Report) -> Markup {
    html! {
        section.card aria-labelledby="notes-title" {
            h2 #notes-title { "What was done" }
            ol.notes {
                @for (note, words) in &report.notes {
                    li { time.soft.number datetime=(note.at) { (moment(&note.at.to_string())) } " " (words) }
                }
            }
            p.soft.small { "Votes and duels are not listed here; the API's history has everything." }
        }
    }
}

/// A moment to the second.
fn moment(text: &str) -> String {
    text.get(..19).unwrap_or(text).replace('T', " ")
}
