//! The text to search: the pages of all policies, split at their headings, as plain text.

use tiltyard::bandit::continuous;
use tiltyard::registry;

/// A heading with the text below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// The policy and the number of the heading on its page: `rex3/2`.
    pub(super) id: String,
    pub(super) title: String,
    /// Paragraphs, separated by empty lines. Preformatted lines begin with four spaces.
    pub(super) text: String,
}

/// The sections of all pages.
pub(super) fn all() -> Vec<Section> {
    let arms = registry::all().map(|info| (info.name, info.page()));
    let points = continuous::registry::all().map(|info| (info.name, info.page()));
    arms.chain(points).flat_map(|(name, page)| split(name, &page)).collect()
}

/// The sections of a page. The first has the page's title. The title of each other section is a
/// short form of it, followed by the section's heading.
fn split(name: &str, page: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut page_title = name.to_owned();
    let mut is_code = false;
    let mut was_table = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            if let Some(section) = sections.last_mut() {
                section.text.push('\n');
            }
            continue;
        }
        if let Some(title) = line.strip_prefix("# ").filter(|_| !is_code) {
            page_title = plain(title);
            continue;
        }
        if let Some(heading) = line.strip_prefix("## ").filter(|_| !is_code) {
            let title = if sections.is_empty() {
                page_title.clone()
            } else {
                let short = page_title.split(':').next().unwrap_or_default();
                format!("{short}: {}", plain(heading))
            };
            let id = format!("{name}/{}", sections.len() + 1);
            sections.push(Section { id, title, text: String::new() });
            continue;
        }
        let Some(Section { text, .. }) = sections.last_mut() else { continue };
        let is_table = line.starts_with('|') && !is_code;
        if is_code || is_table {
            // Skip hidden lines of doc tests and the rule below the header of a table.
            let is_hidden = is_code && (line == "#" || line.starts_with("# "));
            if is_hidden || line.starts_with("|--") {
                continue;
            }
            if is_table && !was_table {
                text.push('\n');
            }
            text.push_str("    ");
            text.push_str(&if is_code { line.to_owned() } else { plain(line) });
        } else {
            match line.trim_start().strip_prefix("- ") {
                Some(item) => {
                    text.push_str("\n• ");
                    text.push_str(&plain(item));
                }
                None => text.push_str(plain(line).trim_start()),
            }
        }
        was_table = is_table;
        text.push('\n');
    }
    for section in &mut sections {
        section.text = section.text.trim_matches('\n').to_owned();
    }
    sections.retain(|section| !section.text.trim().is_empty());
    sections
}

/// A line without the Markdown marks for code and bold text.
fn plain(line: &str) -> String {
    line.replace("**", "").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_page_is_split() {
        let page = "# One: a **page**\n\nabove\n\n## Idea\n\nSome `text`\ngoes on:\n\n- an item\n  of two lines\n- another\n\n\
                    ## Rule\n\n```text\n## no heading\n\n# hidden\n  x = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Empty\n";
        let sections = split("one", page);
        let titles: Vec<_> = sections.iter().map(|s| (s.id.as_str(), s.title.as_str())).collect();
        assert_eq!(titles, [("one/1", "One: a page"), ("one/2", "One: Rule")]);
        assert_eq!(sections[0].text, "Some text\ngoes on:\n\n\n• an item\nof two lines\n\n• another");
        assert_eq!(
            sections[1].text,
            "    ## no heading\n    \n      x = 1\n\n\n\n    | a | b |\n    | 1 | 2 |"
        );
    }

    #[test]
    fn law_there_is_enough_to_search() {
        let sections = all();
        assert!(sections.len() >= 150, "{}", sections.len());
        let ids: std::collections::BTreeSet<&str> = sections.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(ids.len(), sections.len(), "two sections have the same id");
        // The arena's limit for the name of a document.
        assert!(sections.iter().all(|section| section.id.len() <= 200));
    }
}
