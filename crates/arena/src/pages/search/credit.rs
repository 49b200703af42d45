//! The result of a search: which ranker won, and by which clicks.

use maud::{Markup, html};
use tiltyard_interleave::Clicks;

use super::snippet::{marked, words};
use super::{Document, Search, SearchPage};
use crate::domain::{Answer, Interleaved};
use crate::key::Action;
use crate::pages::layout::Page;
use crate::pages::visitor::Visitor;

/// The ranker that gets the credit for a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Team {
    A,
    B,
    Both,
}

/// The list again, with the ranker of each result.
pub(super) fn page(
    visitor: &Visitor,
    page: &SearchPage,
    search: &Search,
    documents: &[Document],
    rankers: &[String; 2],
) -> Markup {
    let Search { past, merged, query, duel } = search;
    let clicked = past.clicks.as_deref().unwrap_or_default();
    let is_clicked = |place: usize| clicked.iter().any(|&position| position as usize == place + 1);
    let is_one = rankers[0] == rankers[1];
    let (is_won, short, long) = Outcome { search, rankers }.words();
    let here = format!("/search/{}/{duel}", page.id);
    let sought = words(query);
    let body = html! {
        h1 { "Results for “" (query) "”" }
        div.notice.good[is_won] {
            p.verdict { (short) }
            p { (long) }
        }
        @if !is_one {
            dl.teams {
                @for (team, letter, ranker) in [(Team::A, "A", &rankers[0]), (Team::B, "B", &rankers[1])] {
                    @let own: Vec<usize> = (0..documents.len()).filter(|&place| team_of(merged, place) == team).collect();
                    div.card {
                        dt { span class={ "team " (letter) } { "Team " (letter) } " " (ranker) }
                        dd { (own.len()) " of " (documents.len()) " results, " (own.iter().filter(|&&place| is_clicked(place)).count()) " opened" }
                    }
                }
            }
        }
        ol.results.credited {
            @for (place, document) in documents.iter().enumerate() {
                li.card.clicked[is_clicked(place)] {
                    h2 { a href={ (here) "/" (place + 1) } { (marked(&document.title, &sought)) } }
                    p.from {
                        @if is_one { span.team { (rankers[0]) } }
                        @else {
                            @match team_of(merged, place) {
                                Team::A => span.team.A { "A · " (rankers[0]) },
                                Team::B => span.team.B { "B · " (rankers[1]) },
                                Team::Both => span.team { "both" },
                            }
                        }
                        @if is_clicked(place) { strong { " ✓ Opened" } }
                    }
                }
            }
        }
        div.actions {
            a.button.primary href={ "/search/" (page.id) } { "Search again" }
            @if visitor.can(Action::Read, Some(page.id)) {
                a.button href={ "/experiments/" (page.id) } { "Go to the dashboard" }
            }
        }
    };
    let title = format!("{query} · Credit");
    Page { title: &title, assets: &["search.css"], body }.render(visitor)
}

/// The ranker that would get the credit if this result were the only one clicked.
fn team_of(merged: &Interleaved, place: usize) -> Team {
    let length = merged.list.documents().len();
    let Ok(click) = Clicks::at([place], length) else { return Team::Both };
    let credits = merged.list.credit(&click);
    match credits.left.total_cmp(&credits.right) {
        core::cmp::Ordering::Greater => Team::A,
        core::cmp::Ordering::Less => Team::B,
        core::cmp::Ordering::Equal => Team::Both,
    }
}

/// The outcome of a search.
struct Outcome<'a> {
    search: &'a Search,
    rankers: &'a [String; 2],
}

impl Outcome<'_> {
    /// Whether a ranker won, the result in a short sentence, and an explanation.
    fn words(&self) -> (bool, String, String) {
        let Self { search: Search { past, merged, .. }, rankers: [a, b] } = self;
        let Some(clicks) = &past.clicks else {
            let long = "The outcome of this search was sent through the API. It does not come from clicks.";
            return (false, format!("“{a}” met “{b}”."), long.to_owned());
        };
        if merged.alone {
            let long = "The experiment drew the same ranker twice. The list is this ranker's own, so clicks on it count for nobody. \
                        The more the experiment has learned, the more often it shows its best ranker alone.";
            return (false, format!("No contest: “{a}” met itself."), long.to_owned());
        }
        let length = merged.list.documents().len();
        let places = clicks.iter().filter_map(|&position| (position as usize).checked_sub(1));
        let credits = merged.list.credit(&Clicks::at(places, length).unwrap_or_default());
        let (most, least) = (credits.left.max(credits.right), credits.left.min(credits.right));
        if a == b {
            let long = "Some searches compare a ranker with itself, to check that merging and counting are fair. They are counted separately.";
            let score = to(most, least);
            return (false, format!("“{a}” met itself: {score}."), long.to_owned());
        }
        let won = |winner: &str| {
            let long = format!(
                "More of the results that you opened are from “{winner}”. The experiment counts this as a win."
            );
            (true, format!("“{winner}” won: {}.", to(most, least)), long)
        };
        match past.answer.as_ref().map(|(answer, _)| answer) {
            Some(Answer::Left) => won(a),
            Some(Answer::Right) => won(b),
            Some(Answer::Score(_)) if credits.left > credits.right => won(a),
            Some(Answer::Score(_)) if credits.left < credits.right => won(b),
            _ if clicks.is_empty() => {
                let long = format!("The experiment counts this as a tie between “{a}” and “{b}”.");
                (false, "Nothing was opened: a tie.".to_owned(), long)
            }
            _ => {
                let long = format!(
                    "The results that you opened are from “{a}” and “{b}” in equal parts. The experiment counts this as a tie."
                );
                (false, format!("A tie: {} each.", n_clicks(most)), long)
            }
        }
    }
}

/// The score, such as `2 clicks to 0`.
fn to(most: f64, least: f64) -> String {
    format!("{} to {}", n_clicks(most), number(least))
}

fn n_clicks(credit: f64) -> String {
    let number = number(credit);
    if number == "1" { "1 click".to_owned() } else { format!("{number} clicks") }
}

/// A credit with at most two decimals. Team draft gives whole numbers; other methods give fractions
/// of clicks.
fn number(credit: f64) -> String {
    let hundredths = (credit * 100.0).round() / 100.0;
    format!("{hundredths}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_credits_in_words() {
        assert_eq!(to(2.0, 0.0), "2 clicks to 0");
        assert_eq!(to(1.0, 0.0), "1 click to 0");
        assert_eq!(to(1.0 + 1.0 / 3.0, 0.5), "1.33 clicks to 0.5");
    }
}
