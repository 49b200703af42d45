//! Colours and fonts, on white and on black.

use core::fmt;

/// A colour on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(red, green, blue) = self;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Rgb {
    /// The colour this far on the way to another: 0 is this one, 1 the other.
    pub(super) fn towards(self, other: Self, share: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// The fonts, the first choice first. This crate measures text in DejaVu, which is wide: text that
/// fits in it fits in the others.
pub(super) const FONTS: &str = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Paper, text, quieter text, frames and grids: on white and on black.
pub(super) const PAPER_COLOUR: (Rgb, Rgb) = (Rgb(255, 255, 255), Rgb(20, 23, 27));
pub(super) const INK_COLOUR: (Rgb, Rgb) = (Rgb(27, 30, 35), Rgb(232, 234, 237));
pub(super) const SOFT_COLOUR: (Rgb, Rgb) = (Rgb(91, 98, 108), Rgb(163, 171, 182));
pub(super) const FRAME_COLOUR: (Rgb, Rgb) = (Rgb(138, 145, 155), Rgb(110, 118, 128));
pub(super) const GRID_COLOUR: (Rgb, Rgb) = (Rgb(228, 231, 235), Rgb(44, 49, 56));

/// The attributes of shapes, with the colours on white. They are attributes rather than rules, so
/// that every program that reads SVG understands them.
pub(super) const PAPER: &str = "class=\"ty-paper\" fill=\"#ffffff\"";
pub(super) const INK: &str = "class=\"ty-ink\" fill=\"#1b1e23\"";
pub(super) const SOFT: &str = "class=\"ty-soft\" fill=\"#5b626c\"";

/// The rules for a dark screen, for the classes above.
pub(super) const DARK: &str = ".ty-paper{fill:#14171b}.ty-ink{fill:#e8eaed}.ty-soft{fill:#a3abb6}";

/// A style sheet for pages with rules for a dark screen. They apply if the page is dark by a switch
/// of its own (`data-theme`), or if the reader's system is dark. The elements that the rules name
/// must be inside the page's outermost element.
pub(super) fn dark_rules(rules: &str) -> String {
    let under = |prefix: &str| {
        rules.split_inclusive('}').map(|rule| format!("{prefix} {rule}")).collect::<Vec<_>>().concat()
    };
    format!(
        "@media (prefers-color-scheme:dark){{{}}}{}",
        under(":root:not([data-theme=light])"),
        under("[data-theme=dark]")
    )
}
