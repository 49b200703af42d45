//! Text as outlines from the embedded font, for formats that have no text of their own.

use ttf_parser::{Face, GlyphId, OutlineBuilder};
use zeno::{Command, PathBuilder as _, Point};

use super::scene::{Anchor, At, Text, printable};

/// DejaVu Sans in the two weights that figures use.
pub(super) struct Fonts {
    regular: Face<'static>,
    bold: Face<'static>,
}

/// A glyph of a text.
pub(super) struct Glyph<'a> {
    face: &'a Face<'static>,
    id: GlyphId,
    /// The left end of its baseline, in pixels.
    pub(super) at: At,
    /// Pixels per unit of the font.
    scale: f64,
    upwards: bool,
}

impl Fonts {
    pub(super) fn new() -> Self {
        let face = |bytes| Face::parse(bytes, 0).expect("the embedded fonts are complete");
        Self { regular: face(dejavu::sans::regular()), bold: face(dejavu::sans::bold()) }
    }

    /// The glyphs of a text in their places. A character that the font lacks becomes the font's box
    /// for missing characters.
    pub(super) fn glyphs<'a>(&'a self, text: &Text) -> impl Iterator<Item = Glyph<'a>> + use<'a> {
        let face = if text.bold { &self.bold } else { &self.regular };
        let scale = text.size / f64::from(face.units_per_em());
        let mut pen = 0.0;
        let mut before = None;
        let characters = text.content.chars().filter_map(printable);
        let placed: Vec<(GlyphId, f64)> = characters
            .map(|c| {
                let id = face.glyph_index(c).unwrap_or(GlyphId(0));
                pen += before.map_or(0.0, |before| kerning(face, before, id));
                before = Some(id);
                let start = pen;
                pen += f64::from(face.glyph_hor_advance(id).unwrap_or_default());
                (id, start)
            })
            .collect();
        let shift = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => pen / 2.0,
            Anchor::End => pen,
        };
        let ((x, y), upwards) = (text.at, text.upwards);
        placed.into_iter().map(move |(id, start)| {
            let along = (start - shift) * scale;
            let at = if upwards { (x, y - along) } else { (x + along, y) };
            Glyph { face, id, at, scale, upwards }
        })
    }
}

/// How much closer together or further apart two glyphs are than their widths say.
fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> f64 {
    let tables = face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
    let mut pairs = tables.filter(|table| table.horizontal && !table.variable);
    pairs.find_map(|table| table.glyphs_kerning(left, right)).map_or(0.0, f64::from)
}

impl Glyph<'_> {
    /// The outline in pixels; empty for a space.
    pub(super) fn outline(&self) -> Vec<Command> {
        let mut outline = Outline { glyph: self, commands: Vec::new() };
        self.face.outline_glyph(self.id, &mut outline);
        outline.commands
    }

    /// Converts units of the font, in which y grows upwards, to pixels.
    fn point(&self, x: f32, y: f32) -> Point {
        let (right, up) = (f64::from(x) * self.scale, f64::from(y) * self.scale);
        let (x, y) = if self.upwards {
            (self.at.0 - up, self.at.1 - right)
        } else {
            (self.at.0 + right, self.at.1 - up)
        };
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of a pixel")]
        Point::new(x as f32, y as f32)
    }
}

struct Outline<'a> {
    glyph: &'a Glyph<'a>,
    commands: Vec<Command>,
}

impl OutlineBuilder for Outline<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.commands.move_to(self.glyph.point(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.commands.line_to(self.glyph.point(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.commands.quad_to(self.glyph.point(x1, y1), self.glyph.point(x, y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [first, second, end] = [(x1, y1), (x2, y2), (x, y)].map(|(x, y)| self.glyph.point(x, y));
        self.commands.curve_to(first, second, end);
    }

    fn close(&mut self) {
        self.commands.close();
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme::Rgb;
    use super::*;

    fn text(content: &str, anchor: Anchor, upwards: bool) -> Text {
        let (at, size, colour) = ((100.0, 50.0), 20.48, Rgb(0, 0, 0));
        Text { content: content.to_owned(), at, size, anchor, bold: false, upwards, colour }
    }

    fn places(text: &Text) -> Vec<At> {
        Fonts::new().glyphs(text).map(|glyph| glyph.at).collect()
    }

    fn assert_places(got: &[At], expected: &[At]) {
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            let distance = (got.0 - expected.0).hypot(got.1 - expected.1);
            assert!(distance < 1e-9, "{got:?} instead of {expected:?}");
        }
    }

    /// A digit of DejaVu Sans is 1303 units wide, and an em is 2048 units. A digit therefore has
    /// 13.03 pixels at a size of 20.48.
    #[test]
    fn trace_places_of_digits() {
        assert_places(&places(&text("10", Anchor::Start, false)), &[(100.0, 50.0), (113.03, 50.0)]);
        assert_places(&places(&text("10", Anchor::Middle, false)), &[(86.97, 50.0), (100.0, 50.0)]);
        assert_places(&places(&text("10", Anchor::End, false)), &[(73.94, 50.0), (86.97, 50.0)]);
        assert_places(&places(&text("10", Anchor::Start, true)), &[(100.0, 50.0), (100.0, 36.97)]);
        // A control character takes no room, and a tab is a space (651 units).
        assert_places(&places(&text("\u{1}\t1", Anchor::Start, false)), &[(100.0, 50.0), (106.51, 50.0)]);
    }

    /// The letters of "AV" are closer together than those of "AH".
    #[test]
    fn trace_pairs_are_kerned() {
        let width = |content: &str| {
            let places = places(&text(content, Anchor::Start, false));
            places[places.len() - 1].0 - places[0].0
        };
        assert!(width("AV") < width("AH") - 0.5);
    }

    /// The font has every character that figures write themselves. A missing character becomes a
    /// box, never nothing.
    #[test]
    fn trace_every_character_has_an_outline() {
        let fonts = Fonts::new();
        for bold in [false, true] {
            let text = Text {
                bold, ..text("az09⁰¹²³⁴⁵⁶⁷⁸⁹⁻−·±…µψ漢\u{10ffff}", Anchor::Start, false)
            };
            let glyphs: Vec<_> = fonts.glyphs(&text).collect();
            assert_eq!(glyphs.len(), text.content.chars().count());
            assert!(glyphs.iter().all(|glyph| !glyph.outline().is_empty()));
            let missing = glyphs.iter().filter(|glyph| glyph.id == GlyphId(0)).count();
            assert_eq!(missing, 2);
        }
    }
}
