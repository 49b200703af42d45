//! What voters see of an arm.
//!
//! The author of the experiment wrote it, and it is shown to people who trust the site. So it must
//! not run scripts, send requests to other sites, or reach beyond its place on the page. Text is
//! escaped, and HTML within Markdown is shown as text. Pictures and pages come from this server or
//! from origins in its configuration. Pages are shown in a sandboxed frame.

use maud::{Markup, html};
use serde_json::Value;

use super::markdown;
use crate::domain::NewArm;

/// The content of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// Plain text, with its line breaks.
    Text(&'a str),
    Markdown(&'a str),
    /// A picture, with an alternative text.
    Image {
        source: &'a str,
        alt: Option<&'a str>,
    },
    /// The HTML of a page.
    Html(&'a str),
    /// The address of a page.
    Url(&'a str),
}

impl<'a> Content<'a> {
    /// The content of an arm: its payload if that is of a known kind, otherwise its label,
    /// otherwise its name.
    pub(super) fn of(arm: &'a NewArm) -> Self {
        let payload = match &arm.payload {
            Some(Value::String(text)) => Some(Self::Text(text)),
            Some(Value::Object(fields)) => {
                let field = |name: &str| fields.get(name).and_then(Value::as_str);
                field("text")
                    .map(Self::Text)
                    .or_else(|| field("markdown").map(Self::Markdown))
                    .or_else(|| field("image").map(|source| Self::Image { source, alt: field("alt") }))
                    .or_else(|| field("html").map(Self::Html))
                    .or_else(|| field("url").map(Self::Url))
            }
            _ => None,
        };
        payload.unwrap_or_else(|| Self::Text(arm.label.as_deref().unwrap_or(&arm.name)))
    }

    /// The media file of this server that the arm shows, if any. It is sent under the address of
    /// the duel, because the name of the file may reveal the arm.
    pub(super) fn media(self) -> Option<&'a str> {
        match self {
            Self::Image { source, .. } => media(source),
            Self::Url(address) => media(address),
            _ => None,
        }
    }
}

/// Where a candidate is shown, and what it may load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement<'a> {
    /// `Left` or `Right`.
    pub(super) side: &'a str,
    /// The address of the candidate on its own.
    pub(super) alone: &'a str,
    /// Other sites whose pictures and pages may be shown.
    pub(super) origins: &'a [String],
}

/// The candidate as part of the page.
pub(super) fn show(content: Content<'_>, place: Placement<'_>) -> Markup {
    let Placement { side, alone, origins } = place;
    let title = format!("{side} candidate");
    let frame = |address: &str| html! { iframe sandbox="" title=(title) src=(address) referrerpolicy="no-referrer" {} };
    match content {
        Content::Text(text) => html! { div.text { (text) } },
        Content::Markdown(text) => html! { div.prose { (markdown::show(text, origins)) } },
        Content::Image { source, alt } => {
            let alt = alt.filter(|alt| !alt.trim().is_empty()).unwrap_or(&title);
            if content.media().is_some() { picture(alone, alt) } else { image(source, alt, origins) }
        }
        Content::Html(_) => frame(alone),
        Content::Url(address) if content.media().is_some() => {
            debug_assert!(address.starts_with('/'), "files of this server");
            frame(alone)
        }
        Content::Url(address) if is_of(address, origins) => frame(address),
        Content::Url(address) => html! {
            div.text { (address) }
            p.soft.small { "Pages from other sites are not shown." }
        },
    }
}

/// A picture if it may be shown, otherwise its alternative text.
pub(super) fn image(source: &str, alt: &str, origins: &[String]) -> Markup {
    if is_picture(source) || media(source).is_some() || is_of(source, origins) {
        return picture(source, alt);
    }
    html! {
        span.text { (alt) }
        " "
        span.soft.small { "(Pictures from other sites are not shown.)" }
    }
}

fn picture(source: &str, alt: &str) -> Markup {
    html! { img src=(source) alt=(alt) referrerpolicy="no-referrer"; }
}

/// Whether an address belongs to one of these sites.
fn is_of(address: &str, origins: &[String]) -> bool {
    // Browsers drop or replace these characters before they read an address.
    if address.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return false;
    }
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let origin = format!("{scheme}://{host}");
    origins.iter().any(|known| known.eq_ignore_ascii_case(&origin))
}

/// The path of a media file of this server, without `/media/`.
fn media(address: &str) -> Option<&str> {
    let path = address.strip_prefix("/media/")?;
    super::media::is_plain(path).then_some(path)
}

/// Whether an address contains the picture itself, of a kind that cannot contain a script.
fn is_picture(source: &str) -> bool {
    const KINDS: [&str; 5] = ["png", "jpeg", "gif", "webp", "avif"];
    let data = source.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    data.is_some_and(|(kind, data)| {
        KINDS.contains(&kind)
            && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PIXEL: &str = "data:image/png;base64,iVBORw0KGgo=";

    fn arm(payload: Value) -> NewArm {
        NewArm { name: "name".to_owned(), label: Some("label".to_owned()), payload: Some(payload) }
    }

    fn shown(payload: Value) -> String {
        let origins = ["https://cdn.example".to_owned()];
        let arm = arm(payload);
        show(Content::of(&arm), Placement { side: "Left", alone: "/alone", origins: &origins }).into_string()
    }

    #[test]
    fn trace_kinds() {
        assert_eq!(Content::of(&arm(json!("hi"))), Content::Text("hi"));
        assert_eq!(Content::of(&arm(json!({ "text": "hi", "html": "x" }))), Content::Text("hi"));
        assert_eq!(Content::of(&arm(json!({ "markdown": "*hi*" }))), Content::Markdown("*hi*"));
        let image = Content::Image { source: PIXEL, alt: Some("a dot") };
        assert_eq!(Content::of(&arm(json!({ "image": PIXEL, "alt": "a dot" }))), image);
        assert_eq!(Content::of(&arm(json!({ "html": "<p>" }))), Content::Html("<p>"));
        assert_eq!(Content::of(&arm(json!({ "url": "u" }))), Content::Url("u"));
        for other in [json!(7), json!({ "text": 7 }), json!({ "file": "x" }), json!([])] {
            assert_eq!(Content::of(&arm(other)), Content::Text("label"));
        }
        assert_eq!(Content::of(&NewArm::named("name")), Content::Text("name"));
    }

    #[test]
    fn trace_text_is_text() {
        assert_eq!(shown(json!("a <b>\nc")), "<div class=\"text\">a &lt;b&gt;\nc</div>");
    }

    #[test]
    fn trace_pictures() {
        let img = |source: &str| format!("<img src=\"{source}\" alt=\"dot\" referrerpolicy=\"no-referrer\">");
        let of = |source: &str| shown(json!({ "image": source, "alt": "dot" }));
        assert_eq!(of(PIXEL), img(PIXEL));
        // The name of a file may reveal the arm.
        assert_eq!(of("/media/best.png"), img("/alone"));
        assert_eq!(of("https://cdn.example/x.png?y"), img("https://cdn.example/x.png?y"));
        assert_eq!(of("HTTPS://CDN.example"), img("HTTPS://CDN.example"));
        for bad in [
            "https://evil.example/x.png",
            "http://cdn.example/x.png",
            "https://cdn.example:444/x.png",
            "https://cdn.example@evil.example/x.png",
            "https://cdn.example.evil.example/x.png",
            "https://evil.example\\https://cdn.example/x.png",
            "https://cdn.example\\@evil.example/x.png",
            " https://cdn.example/x.png",
            "//cdn.example/x.png",
            "javascript:alert(1)",
            "data:image/svg+xml;base64,PHN2Zz4=",
            "data:text/html;base64,PHN2Zz4=",
            "data:image/png;base64,\"><script>alert(1)</script>",
            "data:image/png,abc",
            "DATA:image/svg+xml,<svg onload=alert(1)>",
            "/media/../v1/keys",
            "/media/.hidden.png",
            "/logout",
            "",
        ] {
            assert!(of(bad).starts_with("<span class=\"text\">dot</span>"), "{bad}: {}", of(bad));
        }
        let unnamed = shown(json!({ "image": PIXEL }));
        assert!(unnamed.contains("alt=\"Left candidate\""), "{unnamed}");
    }

    #[test]
    fn trace_pages_are_framed() {
        let frame = |address: &str| {
            format!(
                "<iframe sandbox=\"\" title=\"Left candidate\" src=\"{address}\" referrerpolicy=\"no-referrer\"></iframe>"
            )
        };
        assert_eq!(shown(json!({ "html": "<script>alert(1)</script>" })), frame("/alone"));
        assert_eq!(shown(json!({ "url": "https://cdn.example/a?b=1" })), frame("https://cdn.example/a?b=1"));
        assert_eq!(shown(json!({ "url": "/media/a.html" })), frame("/alone"));
        for bad in
            ["javascript:alert(1)", "data:text/html,<script>", "https://evil.example/", "/logout", "//x"]
        {
            let html = shown(json!({ "url": bad }));
            assert!(html.starts_with("<div class=\"text\">") && !html.contains("<iframe"), "{html}");
        }
    }
}
