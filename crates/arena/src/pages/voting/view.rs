//! The HTML of the voting page.

use maud::{Markup, html};

use super::VotingPage;
use super::content::{Content, Placement, show};
use super::memory::Note;
use super::voter::{Candidates, Reveal, Screen, Unavailable, VoterView};
use crate::domain::{Answer, NewArm};
use crate::key::Action;
use crate::pages::home::grouped;
use crate::pages::layout::{self, token};

pub(super) fn page(voting: &VotingPage, seen: &VoterView, note: Option<Note>, origins: &[String]) -> Markup {
    let body = html! {
        h1 #title tabindex="-1" { (seen.name) }
        @if let Some(note) = note.filter(|note| !is_quiet(*note, seen)) { (say(note, seen.limit)) }
        @match &seen.screen {
            Screen::Start => (start(voting, seen)),
            Screen::Duel(candidates) => (duel(voting, (seen, note), candidates, origins)),
            Screen::Later(why) => (later(voting, seen, *why)),
            Screen::Over { closed } => (over(seen, *closed)),
        }
    };
    let experiment = voting.voter.experiment;
    let foot = html! {
        @if voting.plain { a href={ "/vote/" (voting.ticket) } { "Version with keyboard shortcuts" } }
        @else { a href={ "/vote/" (voting.ticket) "?plain" } { "Simple version without scripts" } }
        @if voting.visitor.can(Action::Read, Some(experiment)) { a href={ "/experiments/" (experiment) } { "Go to the experiment" } }
    };
    let slim = !matches!(seen.screen, Screen::Duel(_));
    document(&seen.name, Kind { slim, script: !voting.plain }, &body, &foot)
}

/// The variant of a page.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// Narrow, for a page without candidates.
    slim: bool,
    /// Whether the page has the script.
    script: bool,
}

/// A page without navigation: voters need not know that there are other pages.
fn document(title: &str, Kind { slim, script }: Kind, body: &Markup, foot: &Markup) -> Markup {
    let assets = if script { &["booth.css", "booth.js"][..] } else { &["booth.css"] };
    let body = html! {
        main #main.slim[slim] tabindex="-1" { (body) }
        footer { (foot) }
    };
    layout::document(title, assets, Some("booth"), &body)
}

fn start(voting: &VotingPage, seen: &VoterView) -> Markup {
    html! {
        div.card {
            p.lead { "You will see two candidates side by side. Choose the one that you find better. There are no right or wrong answers." }
            ul {
                @if let Some(limit) = seen.limit { li { "There " @if limit == 1 { "is one pair" } @else { "are up to " (grouped(limit)) " pairs" } ". You may stop at any time." } }
                @else { li { "You may stop at any time. Every vote counts." } }
                li { "After each vote you can undo it. When you answer the next pair, the vote becomes final and the page shows what you chose." }
                li { "If you cannot decide, choose “Equally good” or “Both bad”, or skip the pair." }
            }
            (keys(voting))
            form method="post" action=(voting.address("/start")) data-booth="start" {
                (token(&voting.visitor))
                button.primary.wide #start { "Start" }
            }
        }
    }
}

/// The list of keyboard shortcuts. The script makes it visible, because they need the script.
fn keys(voting: &VotingPage) -> Markup {
    const KEYS: [(&str, &str); 6] = [
        ("←", "left is better"),
        ("→", "right is better"),
        ("↓", "equally good"),
        ("B", "both bad"),
        ("S", "skip"),
        ("U", "undo"),
    ];
    html! {
        @if !voting.plain {
            div.keys data-keys hidden {
                h2.hidden { "Keyboard shortcuts" }
                dl { @for (key, what) in KEYS { div { dt { kbd { (key) } } dd { (what) } } } }
            }
        }
    }
}

/// Whether a note is shown beside the count. This keeps the candidates in the same place from vote
/// to vote.
fn is_quiet(note: Note, seen: &VoterView) -> bool {
    let is_short = match note {
        Note::Recorded | Note::Skipped => true,
        Note::Undone => seen.limit.is_none(),
        _ => false,
    };
    is_short && matches!(seen.screen, Screen::Duel(_))
}

fn duel(
    voting: &VotingPage,
    (seen, note): (&VoterView, Option<Note>),
    candidates: &Candidates,
    origins: &[String],
) -> Markup {
    let Candidates { duel, left, right } = candidates;
    html! {
        div.status {
            (progress(seen))
            @if let Some(note) = note.filter(|note| is_quiet(*note, seen)) { (say(note, seen.limit)) }
            @if let Some(last) = seen.undo {
                form method="post" action=(voting.address("/undo")) data-booth="undo" {
                    (token(&voting.visitor))
                    input type="hidden" name="duel" value=(last);
                    button #undo aria-keyshortcuts="U" { "Undo last vote" }
                }
            }
        }
        @if let Some(wait) = seen.wait {
            p.notice.warn data-note {
                "You are voting faster than this experiment allows. Take your time: you can vote again in "
                (seconds(wait)) "."
            }
        }
        div.pair #pair {
            (candidate(voting, *duel, ("Left", "left"), left, origins))
            (candidate(voting, *duel, ("Right", "right"), right, origins))
        }
        form.ballot #ballot method="post" action=(voting.address("/answer")) data-booth="answer" aria-label="Your vote" {
            (token(&voting.visitor))
            input type="hidden" name="duel" value=(duel);
            div.sides {
                button.primary #left name="answer" value="left" aria-keyshortcuts="ArrowLeft" { "Left is better" }
                button.primary #right name="answer" value="right" aria-keyshortcuts="ArrowRight" { "Right is better" }
            }
            div.others {
                button #tie name="answer" value="tie" aria-keyshortcuts="ArrowDown" { "Equally good" }
                button #both_bad name="answer" value="both_bad" aria-keyshortcuts="B" { "Both bad" }
                button #skip name="answer" value="skip" aria-keyshortcuts="S" { "Skip" }
            }
        }
        (keys(voting))
        (reveal(seen.reveal.as_ref(), "Your previous vote"))
    }
}

fn candidate(
    voting: &VotingPage,
    duel: crate::id::DuelId,
    (side, word): (&str, &str),
    arm: &NewArm,
    origins: &[String],
) -> Markup {
    let alone = format!("/vote/{}/candidate/{duel}/{word}", voting.ticket);
    html! {
        section.candidate aria-labelledby={ (word) "-title" } {
            h2 id={ (word) "-title" } { (side) }
            div.content { (show(Content::of(arm), Placement { side, alone: &alone, origins })) }
        }
    }
}

fn progress(seen: &VoterView) -> Markup {
    let next = seen.votes + 1;
    html! {
        div.progress {
            @if let Some(limit) = seen.limit {
                span #count { "Vote " (grouped(next)) " of " (grouped(limit)) }
                progress max=(limit) value=(seen.votes) aria-labelledby="count" {}
            } @else {
                span #count { "Vote " (grouped(next)) }
            }
        }
    }
}

fn later(voting: &VotingPage, seen: &VoterView, why: Unavailable) -> Markup {
    html! {
        div.card {
            @match why {
                Unavailable::Paused => {
                    h2 { "Voting is paused" }
                    p { "There are no pairs to compare right now. Come back later. The votes that you have given count." }
                }
                Unavailable::Full => {
                    h2 { "Too many people are voting at this moment" }
                    p { "There is no pair left for you right now. Try again in a little while. The votes that you have given count." }
                }
                Unavailable::Busy => {
                    h2 { "The server is busy" }
                    p { "Try again in a moment. The votes that you have given count." }
                }
            }
            form method="post" action=(voting.address("/start")) data-booth="start" {
                (token(&voting.visitor))
                button.primary #start { "Try again" }
            }
        }
        (reveal(seen.reveal.as_ref(), "Your last vote"))
    }
}

fn over(seen: &VoterView, closed: bool) -> Markup {
    html! {
        div.card {
            h2 { "Thank you" }
            @if closed { p { "This experiment is closed. It takes no more votes." } }
            @else { p { "That was the last pair for you in this experiment." } }
            @if seen.votes > 0 {
                p { "You voted " (if seen.votes == 1 { "once".to_owned() } else { format!("{} times", grouped(seen.votes)) }) "." }
                @if let Some(limit) = seen.limit.filter(|_| !closed) {
                    progress max=(limit) value=(seen.votes) aria-label="Votes given" {}
                }
            }
        }
        (reveal(seen.reveal.as_ref(), "Your last vote"))
    }
}

/// A final vote, with the names of its arms.
fn reveal(reveal: Option<&Reveal>, title: &str) -> Markup {
    let Some(Reveal { answer, left, right }) = reveal else { return html! {} };
    html! {
        section.reveal aria-labelledby="reveal-title" {
            h2 #reveal-title { (title) }
            p {
                @match answer {
                    Answer::Left => { "You preferred left: " strong { (left) } " over " strong { (right) } }
                    Answer::Right => { "You preferred right: " strong { (right) } " over " strong { (left) } }
                    Answer::Tie => { "You found them equally good: " strong { (left) } " on the left, " strong { (right) } " on the right" }
                    Answer::BothBad => { "You found both bad: " strong { (left) } " on the left, " strong { (right) } " on the right" }
                    _ => { "You compared " strong { (left) } " on the left with " strong { (right) } " on the right" }
                }
            }
        }
    }
}

/// Renders a note.
fn say(note: Note, limit: Option<u64>) -> Markup {
    let (class, text) = match note {
        Note::Recorded => ("notice good", "Vote recorded."),
        Note::Skipped => ("notice", "Pair skipped."),
        Note::Undone if limit.is_some() => (
            "notice",
            "Your last vote was taken back. It still counts towards the maximum number of your votes.",
        ),
        Note::Undone => ("notice", "Your last vote was taken back."),
        Note::Stays => (
            "notice warn",
            "That vote can no longer be taken back: the next pair was answered, or there is no next pair.",
        ),
        Note::Expired => ("notice", "The last pair has expired. Here is another one."),
        Note::Answered => ("notice", "That pair was already answered, and the first answer counts."),
        Note::Gone => ("notice", "That pair is no longer available. Here is another one."),
        Note::Busy => {
            ("notice warn", "The server is too busy right now. Nothing is lost: try again in a moment.")
        }
    };
    html! { p class=(class) data-note { (text) } }
}

fn seconds(count: u64) -> String {
    if count == 1 { "1 second".to_owned() } else { format!("{count} seconds") }
}

/// The page for a link that is not valid.
pub(super) fn no_such_link() -> Markup {
    let body = html! {
        h1 { "This link does not work" }
        p { "The link may be incomplete, or it has been closed. Ask the sender for a new one." }
    };
    document("This link does not work", Kind { slim: true, script: false }, &body, &html! {})
}

/// The page of a server that is overloaded or whose store is unavailable.
pub(super) fn busy(voting: &VotingPage) -> Markup {
    let body = html! {
        h1 { "The server is busy" }
        p { "Nothing is lost. Try again in a moment." }
        a.button href=(voting.address("")) { "Try again" }
    };
    document("The server is busy", Kind { slim: true, script: false }, &body, &html! {})
}
