//! The shapes of a figure, in pixels, independent of any file format.
//!
//! A figure becomes a [`Scene`] first. Each file format has one file that writes scenes (`svg.rs`,
//! `png.rs`), so that all formats show the same picture.

use super::theme::Rgb;

/// A place in pixels, counted from the upper left corner of the picture.
pub(super) type At = (f64, f64);

/// A whole picture, on paper of one colour.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) paper: Rgb,
    pub(super) shapes: Vec<Shape>,
}

/// One shape. Later shapes of a list cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Path(Path),
    Circle { centre: At, radius: f64, fill: Rgb },
    Text(Text),
    Group(Group),
}

/// Straight lines from point to point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    /// The points of each piece; the pen is lifted in between.
    pub(super) pieces: Vec<Vec<At>>,
    /// Whether a line leads back from the last point of each piece to its first.
    pub(super) closed: bool,
    pub(super) fill: Option<Fill>,
    pub(super) stroke: Option<Stroke>,
}

/// The paint inside a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fill {
    pub(super) colour: Rgb,
    /// From 0 for invisible to 1 for opaque.
    pub(super) opacity: f64,
}

/// The paint along a path, with butt caps and mitred joins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: Rgb,
    pub(super) width: f64,
    /// The lengths of dashes and gaps, alternately; an empty list is a solid line.
    pub(super) dash: &'static [f64],
}

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub(super) content: String,
    /// The place of the anchor, on the baseline.
    pub(super) at: At,
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// Whether the text runs upwards instead of to the right.
    pub(super) upwards: bool,
    pub(super) colour: Rgb,
}

/// The part of a text that is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Shapes that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Group {
    /// Names and values for scripts and style sheets, in formats that have them.
    pub(super) attributes: Vec<(&'static str, String)>,
    /// The name that appears under the pointer, in formats that have one.
    pub(super) title: Option<String>,
    /// The rectangle outside which nothing of the group is drawn.
    pub(super) clip: Option<Rect>,
    pub(super) shapes: Vec<Shape>,
}

/// A rectangle along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Shape {
    /// A line through these points.
    pub(super) fn line(points: Vec<At>, stroke: Stroke) -> Self {
        Self::lines(vec![points], stroke)
    }

    /// Lines with the same look.
    pub(super) fn lines(pieces: Vec<Vec<At>>, stroke: Stroke) -> Self {
        Self::Path(Path { pieces, closed: false, fill: None, stroke: Some(stroke) })
    }

    /// The area inside these points.
    pub(super) fn area(points: Vec<At>, colour: Rgb, opacity: f64) -> Self {
        Self::Path(Path {
            pieces: vec![points],
            closed: true,
            fill: Some(Fill { colour, opacity }),
            stroke: None,
        })
    }
}

impl From<Text> for Shape {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl Stroke {
    pub(super) fn solid(colour: Rgb, width: f64) -> Self {
        Self { colour, width, dash: &[] }
    }
}

/// The character to write for this one; `None` for control characters.
pub(super) fn printable(c: char) -> Option<char> {
    match c {
        '\t' | '\n' => Some(' '),
        c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => None,
        c => Some(c),
    }
}
