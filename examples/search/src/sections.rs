//! A small collection: pages of Markdown, split at their headings.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// A heading with the text below it, which can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Section {
    /// The page and the number of the heading on it, such as `arena.md#3`.
    pub id: String,
    pub title: String,
    pub body: String,
}

/// The sections of all pages in a folder, in the order of the pages' names.
///
/// # Errors
///
/// If a page cannot be read.
pub fn read(folder: &Path) -> Result<Vec<Section>> {
    let entries = fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let mut sections = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
        let page = path.file_name().unwrap_or_default().to_string_lossy();
        sections.extend(split(&page, &text));
    }
    Ok(sections)
}

/// The sections of one page. Text above its first heading and headings without text are left out.
fn split(page: &str, text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        match line.strip_prefix('#').filter(|_| !in_code) {
            Some(heading) => {
                let id = format!("{page}#{}", sections.len() + 1);
                let title = heading.trim_start_matches('#').trim().replace('`', "");
                sections.push(Section { id, title, body: String::new() });
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    section.body.push_str(line);
                    section.body.push('\n');
                }
            }
        }
    }
    sections.retain(|section| !section.body.trim().is_empty());
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_page_is_split_at_its_headings() {
        let page =
            "before\n# One\ntext\n## Empty\n\n```text\n# no heading\n```\n## `Three`\nmore\n### Four\n";
        let sections = split("p.md", page);
        let short: Vec<_> = sections.iter().map(|s| (s.id.as_str(), s.title.as_str())).collect();
        assert_eq!(short, [("p.md#1", "One"), ("p.md#2", "Empty"), ("p.md#3", "Three")]);
        assert!(sections[1].body.contains("# no heading"));
    }
}
