//! The words of a query, and the part of a text that contains them.

use std::collections::BTreeSet;

use maud::{Markup, html};

/// The length of a snippet, in characters.
const LETTERS: usize = 240;

/// The number of words before the first match.
const BEFORE: usize = 6;

/// The words of a query: runs of letters and digits, in lower case.
pub(super) fn words(query: &str) -> BTreeSet<String> {
    let runs = query.split(|letter: char| !letter.is_alphanumeric());
    runs.filter(|run| !run.is_empty()).map(str::to_lowercase).collect()
}

/// The text with these words highlighted.
pub(super) fn marked(text: &str, words: &BTreeSet<String>) -> Markup {
    html! {
        @for (run, is_word) in runs(text) {
            @if is_word && words.contains(&run.to_lowercase()) { mark { (run) } } @else { (run) }
        }
    }
}

/// The part of a text around the first match, or the beginning of the text.
pub(super) fn snippet(text: &str, words: &BTreeSet<String>) -> Markup {
    // Leave out separators: the bars of tables and the bullets of lists.
    let pieces: Vec<&str> = text.split_whitespace().filter(|piece| !["|", "•"].contains(piece)).collect();
    let holds = |piece: &&str| {
        runs(piece).iter().any(|(run, is_word)| *is_word && words.contains(&run.to_lowercase()))
    };
    let from = pieces.iter().position(holds).unwrap_or(0).saturating_sub(BEFORE);
    let mut part = String::new();
    let mut is_cut = false;
    for piece in &pieces[from..] {
        if part.chars().count() + piece.chars().count() >= LETTERS {
            is_cut = true;
            // A single word that is too long is cut as well.
            if part.is_empty() {
                part.extend(piece.chars().take(LETTERS));
            }
            break;
        }
        if !part.is_empty() {
            part.push(' ');
        }
        part.push_str(piece);
    }
    html! { @if from > 0 { "… " } (marked(&part, words)) @if is_cut { " …" } }
}

/// Splits a text into runs of letters and digits, and the runs between them. The flag is true for
/// letters and digits.
fn runs(text: &str) -> Vec<(&str, bool)> {
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|letter: char| letter.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        runs.push((run, is_word));
        rest = after;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_words_are_marked_and_nothing_is_markup() {
        let sought = words("Regret, <b>");
        assert_eq!(sought.iter().map(String::as_str).collect::<Vec<_>>(), ["b", "regret"]);
        let page = marked("No REGRET; <b>regrets</b>", &sought).into_string();
        assert_eq!(page, "No <mark>REGRET</mark>; &lt;<mark>b</mark>&gt;regrets&lt;/<mark>b</mark>&gt;");
        assert_eq!(marked("", &sought).into_string(), "");
    }

    #[test]
    fn trace_a_snippet_is_where_the_words_are() {
        let sought = words("here");
        let text = "one two three four five six seven eight nine here it is";
        let page = snippet(text, &sought).into_string();
        assert_eq!(page, "… four five six seven eight nine <mark>here</mark> it is");
        assert_eq!(snippet("a | b", &sought).into_string(), "a b");
        let long = "x".repeat(1000);
        assert_eq!(snippet(&long, &sought).into_string(), format!("{} …", "x".repeat(LETTERS)));
        let many = "word ".repeat(100);
        // 48 words of 4 letters with 47 spaces have 239 characters.
        assert_eq!(snippet(&many, &sought).into_string(), format!("{}…", "word ".repeat(48)));
    }
}
