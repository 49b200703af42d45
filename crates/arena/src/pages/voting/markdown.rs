//! Markdown that is not trusted.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::content;

/// Renders Markdown as HTML.
///
/// HTML within it is shown as text. Links may lead only to web and mail addresses, and send no
/// referrer. A picture is shown if it could be shown as a candidate.
pub(super) fn show(text: &str, origins: &[String]) -> Markup {
    let mut events = Vec::new();
    // For each open link, whether it is allowed.
    let mut links = Vec::new();
    // The addresses of the open pictures: the alternative text of one may contain another. `alt` is
    // the text of the outermost.
    let mut pictures: Vec<CowStr<'_>> = Vec::new();
    let mut alt = String::new();
    // The level of the previous heading; at first, of the heading of the side.
    let mut above = HeadingLevel::H2;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        if !pictures.is_empty() {
            match event {
                Event::Start(Tag::Image { dest_url, .. }) => pictures.push(dest_url),
                Event::End(TagEnd::Image) => {
                    let source = pictures.pop();
                    if let Some(source) = source.filter(|_| pictures.is_empty()) {
                        events.push(ours(content::image(&source, &alt, origins)));
                    }
                }
                Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                    alt.push_str(&text);
                }
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
            continue;
        }
        events.push(match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Start(Tag::Image { dest_url, .. }) => {
                pictures.push(dest_url);
                alt.clear();
                continue;
            }
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let address =
                    if link_type == LinkType::Email { format!("mailto:{dest_url}").into() } else { dest_url };
                links.push(is_link(&address));
                if !is_link(&address) {
                    continue;
                }
                let opened =
                    html! { a href=(&*address) rel="noopener noreferrer nofollow" target="_blank" {} };
                // Only the opening tag: the text of the link follows.
                let opened = opened.into_string();
                ours(PreEscaped(opened.trim_end_matches("</a>").to_owned()))
            }
            Event::End(TagEnd::Link) => {
                if !links.pop().unwrap_or(false) {
                    continue;
                }
                Event::Html("</a>".into())
            }
            // Alignment would become an inline style, which the policy of the page forbids.
            Event::Start(Tag::Table(columns)) => {
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::Start(Tag::Heading { level, .. }) => {
                above = lower(level, above);
                Event::Start(Tag::Heading { level: above, id: None, classes: Vec::new(), attrs: Vec::new() })
            }
            Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(above)),
            other => other,
        });
    }
    let mut html = String::with_capacity(text.len() * 2);
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    PreEscaped(html)
}

/// HTML made by this server.
fn ours(html: Markup) -> Event<'static> {
    Event::InlineHtml(html.into_string().into())
}

/// Whether a link to this address is allowed.
fn is_link(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_known = scheme.is_some_and(|scheme| ["http", "https", "mailto"].contains(&scheme.as_str()));
    is_known && !address.chars().any(char::is_control)
}

/// The level of a heading on the page: below the headings of the page, and at most one level below
/// the previous heading. A skipped level would confuse people who navigate by headings.
fn lower(level: HeadingLevel, above: HeadingLevel) -> HeadingLevel {
    let depth = (level as usize + 2).min(above as usize + 1);
    HeadingLevel::try_from(depth).unwrap_or(HeadingLevel::H6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        show(text, &["https://cdn.example".to_owned()]).into_string()
    }

    #[test]
    fn trace_headings_leave_none_out() {
        assert_eq!(
            html("## A\n\n#### B\n\n# C\n\n###### D"),
            "<h3>A</h3>\n<h4>B</h4>\n<h3>C</h3>\n<h4>D</h4>\n"
        );
    }

    #[test]
    fn trace_markdown() {
        assert_eq!(html("# A\n\n*b* `c`"), "<h3>A</h3>\n<p><em>b</em> <code>c</code></p>\n");
        assert_eq!(
            html("[a](https://x.example/?q=1&r=\"2\")"),
            "<p><a href=\"https://x.example/?q=1&amp;r=&quot;2&quot;\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">a</a></p>\n"
        );
        assert!(html("<a@b.example>").contains("href=\"mailto:a@b.example\""));
        assert!(!html("|a|\n|-:|\n|b|").contains("style"), "no inline style");
    }

    #[test]
    fn trace_html_is_text() {
        assert_eq!(html("a <b>c</b>"), "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n");
        let block = html("<script>\nalert(1)\n</script>\n");
        assert!(block.contains("&lt;script&gt;") && !block.contains("<script"), "{block}");
        assert_eq!(html("&lt;script&gt;"), "<p>&lt;script&gt;</p>\n");
    }

    #[test]
    fn trace_links_lead_to_the_web() {
        for bad in [
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt:alert(1))",
            "[a](<java\nscript:alert(1)>)",
            "[a](&#106;avascript:alert(1))",
            "[a](data:text/html,x)",
            "[a](vbscript:x)",
            "[a](/logout)",
            "[a](//evil.example)",
            "[a]\n\n[a]: javascript:alert(1)",
        ] {
            let html = html(bad);
            assert!(!html.contains("<a ") && !html.contains("href"), "{bad}: {html}");
            assert!(html.contains('a'), "its text stays");
        }
        assert!(!html("<javascript:alert(1)>").contains("<a "));
    }

    #[test]
    fn trace_pictures_obey() {
        let shown = html("![a *b*](data:image/png;base64,AA==)");
        assert_eq!(
            shown,
            "<p><img src=\"data:image/png;base64,AA==\" alt=\"a b\" referrerpolicy=\"no-referrer\"></p>\n"
        );
        assert!(html("![a](https://cdn.example/x.png)").contains("<img src=\"https://cdn.example/x.png\""));
        let nested =
            html("![a ![b](https://evil.example/) \"onerror=alert(1)](https://evil.example/x.png) d");
        assert!(!nested.contains("<img") && nested.contains("not shown"), "{nested}");
        assert!(nested.contains(" d</p>"), "the text after a picture stays: {nested}");
    }
}
