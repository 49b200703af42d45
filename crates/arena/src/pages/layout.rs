//! The layout that all pages share.

use maud::{DOCTYPE, Markup, html};

use super::assets::address;
use super::visitor::Visitor;
use crate::key::Action;

pub(super) struct Page<'a> {
    /// The title in the browser.
    pub(super) title: &'a str,
    /// Additional style sheets and scripts: names of assets, or addresses that start with `/`.
    pub(super) assets: &'a [&'a str],
    /// The content of `<main>`.
    pub(super) body: Markup,
}

impl Page<'_> {
    /// The whole page, with the navigation.
    pub(super) fn render(&self, visitor: &Visitor) -> Markup {
        let links = html! {
            nav aria-label="Main" {
                @if visitor.can(Action::Read, visitor.experiment()) { a href="/" { "Experiments" } }
                @if visitor.can(Action::Keys, None) && visitor.has_keys { a href="/keys" { "Keys" } }
                @if visitor.can(Action::Read, None) { a href="/lab/" { "Lab" } }
            }
            @if visitor.is_signed_in() {
                form method="post" action="/logout" {
                    (token(visitor))
                    button.quiet { "Sign out" }
                }
            }
        };
        with_bar(self.title, self.assets, &links, &self.body)
    }
}

/// A page without navigation, because nothing is known about the visitor.
pub(super) fn bare(title: &str, body: &Markup) -> Markup {
    with_bar(title, &[], &html! {}, body)
}

/// The hidden field with the visitor's form token.
pub(super) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="csrf" value=(visitor.token()); }
}

/// Whether an asset is a style sheet. All others are scripts.
fn is_sheet(asset: &str) -> bool {
    std::path::Path::new(asset).extension().is_some_and(|extension| extension == "css")
}

/// A page with a bar at the top.
fn with_bar(title: &str, assets: &[&str], links: &Markup, body: &Markup) -> Markup {
    let body = html! {
        header.site {
            a.brand href="/" { "Tiltyard" }
            (links)
        }
        main #main tabindex="-1" { (body) }
    };
    document(&format!("{title} · Tiltyard"), assets, None, &body)
}

/// The HTML document around a body. The body must have an element with the id `main`.
pub(super) fn document(title: &str, assets: &[&str], class: Option<&str>, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex, nofollow";
                title { (title) }
                link rel="icon" href=(address("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(address("tiltyard.css"));
                @for asset in assets {
                    @let address = if asset.starts_with('/') { (*asset).to_owned() } else { address(asset) };
                    @if is_sheet(asset) { link rel="stylesheet" href=(address); }
                    @else { script src=(address) defer {} }
                }
            }
            body class=[class] {
                a.skip href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}
