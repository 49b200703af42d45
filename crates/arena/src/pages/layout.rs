//! What all pages have in common.

use maud::{DOCTYPE, Markup, html};

use super::assets::address;
use super::visitor::Visitor;
use crate::key::Action;

/// A page.
pub(super) struct Page<'a> {
    /// What the browser calls it.
    pub(super) title: &'a str,
    /// Style sheets and scripts among the assets, beside what all pages have; or addresses of
    /// others.
    pub(super) assets: &'a [&'a str],
    /// What goes into `<main>`.
    pub(super) body: Markup,
}

impl Page<'_> {
    /// The whole page, with ways to the others.
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

/// A page without ways to others: of whoever looks at it, nothing is known.
pub(super) fn bare(title: &str, body: &Markup) -> Markup {
    with_bar(title, &[], &html! {}, body)
}

/// What makes a form that visitor's.
pub(super) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="csrf" value=(visitor.token()); }
}

/// Style sheets and scripts are all that pages bring along.
fn is_sheet(asset: &str) -> bool {
    std::path::Path::new(asset).extension().is_some_and(|extension| extension == "css")
}

/// A page with a bar above it.
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

/// What every document of ours begins with. The body has an element `main`.
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
                a.skip href="#main" { "To the content" }
                (body)
            }
        }
    }
}
