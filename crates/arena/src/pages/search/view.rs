//! The search box, a list of results, and a result.

use maud::{Markup, html};

use super::opened::Opened;
use super::snippet::{marked, snippet, words};
use super::{Document, LONGEST_QUERY, Search, SearchPage};
use crate::id::DuelId;
use crate::pages::layout::{Page, token};
use crate::pages::visitor::Visitor;

/// The page with the search box alone; `told` says why there are no results.
pub(super) fn start(
    visitor: &Visitor,
    page: &SearchPage,
    query: &str,
    told: Option<&str>,
    unfinished: Option<DuelId>,
) -> Markup {
    let body = html! {
        h1 { "Search" }
        @if !page.engine.about().is_empty() { p { (page.engine.about()) } }
        (search_box(visitor, page, query, true))
        @if let Some(told) = told { p.notice role="alert" { (told) } }
        @if let Some(duel) = unfinished {
            div.notice {
                p { "Your last search is not finished. " a href={ "/search/" (page.id) "/" (duel) } { "Go back to it" }
                    ", or start a new search: then the clicks of the last one are counted." }
            }
        }
        p.soft { "For each search, the experiment “" (page.name) "” draws two rankers and merges their lists into one. \
            The results that you open show which ranker you prefer. When you are done, the page names the rankers." }
    };
    Page { title: "Search", assets: &["search.css"], body }.render(visitor)
}

fn search_box(visitor: &Visitor, page: &SearchPage, query: &str, is_first: bool) -> Markup {
    html! {
        form.search role="search" method="post" action={ "/search/" (page.id) } {
            (token(visitor))
            label.hidden for="query" { "Words to search for" }
            input #query name="query" type="search" value=(query) required maxlength=(LONGEST_QUERY) autocomplete="off" autofocus[is_first];
            button.primary { "Search" }
        }
    }
}

/// The merged list. Nothing in it reveals a ranker.
pub(super) fn results(
    visitor: &Visitor,
    page: &SearchPage,
    search: &Search,
    documents: &[Document],
    opened: Option<&Opened>,
) -> Markup {
    let here = format!("/search/{}/{}", page.id, search.duel);
    let sought = words(&search.query);
    let n_opened = opened.map_or(0, |opened| opened.positions.len());
    let is_opened =
        |place: usize| opened.is_some_and(|opened| opened.positions.contains(&(place as u64 + 1)));
    let body = html! {
        h1 { "Results for “" (search.query) "”" }
        (search_box(visitor, page, &search.query, false))
        @if documents.is_empty() { p { "Nothing was found." } }
        ol.results {
            @for (place, document) in documents.iter().enumerate() {
                li.card {
                    h2 { a href={ (here) "/" (place + 1) } { (marked(&document.title, &sought)) } }
                    p { (snippet(&document.text, &sought)) }
                    @if is_opened(place) { p.soft.small { "✓ Opened" } }
                }
            }
        }
        form.finish.card method="post" action=(here) {
            (token(visitor))
            button.primary { "Finish and show which ranker won" }
            span.soft {
                @match n_opened {
                    0 => "Open the results that you would read; nothing is opened yet.",
                    1 => "1 result is opened.",
                    n => { (n) " results are opened." },
                }
            }
        }
    };
    let title = format!("{} · Search", search.query);
    Page { title: &title, assets: &["search.css"], body }.render(visitor)
}

/// One result, with links back to the list.
pub(super) fn document(visitor: &Visitor, search: &Search, document: &Document) -> Markup {
    let back = html! {
        p { a.button href={ "/search/" (search.duel.experiment) "/" (search.duel) } { "Back to the results" } }
    };
    let sought = words(&search.query);
    let body = html! {
        (back)
        article.card {
            h1 { (document.title) }
            @if document.text.trim().is_empty() { p.soft { "This document no longer exists." } }
            @for part in document.text.split("\n\n").filter(|part| !part.trim().is_empty()) {
                @if part.trim_start_matches('\n').starts_with("    ") {
                    pre tabindex="0" { (marked(&unindented(part), &sought)) }
                } @else {
                    p { (marked(part.trim(), &sought)) }
                }
            }
        }
        (back)
    };
    Page { title: &document.title, assets: &["search.css"], body }.render(visitor)
}

/// A preformatted paragraph without the four spaces that mark its lines.
fn unindented(part: &str) -> String {
    let lines = part.trim_matches('\n').lines();
    lines.map(|line| line.strip_prefix("    ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}
