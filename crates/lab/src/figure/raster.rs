//! A scene as pixels, with smoothed edges.

use zeno::{Command, Mask, PathBuilder as _, Point, Style, Transform};

use super::glyphs::Fonts;
use super::scene::{At, Fill, Rect, Scene, Shape};
use super::theme::Rgb;

/// A picture of pixels, row by row from the top.
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Three bytes per pixel: red, green and blue.
    pub(super) rgb: Vec<u8>,
}

/// The longest side in pixels. `zeno` counts in 256ths of a pixel, and its products of two lengths
/// must fit into 32 bits.
const LONGEST: u32 = 16_000;

/// The largest number of pixels in a picture: 200 MB of memory.
const MOST: u64 = 1 << 26;

impl Pixels {
    /// The scene with `scale` pixels per pixel of its own. If the picture would be empty or too
    /// large, its size is returned as an error before any memory is allocated.
    pub(super) fn of(scene: &Scene, scale: f32) -> Result<Self, [u32; 2]> {
        let [width, height] = [scene.width, scene.height].map(|side| whole((side * f64::from(scale)).ceil()));
        let sides = 1..=LONGEST;
        let drawable = sides.contains(&width) && sides.contains(&height);
        if !drawable || u64::from(width) * u64::from(height) > MOST {
            return Err([width, height]);
        }
        let Rgb(red, green, blue) = scene.paper;
        let rgb = [red, green, blue].repeat(width as usize * height as usize);
        let mut pixels = Self { width, height, rgb };
        let window = Window { left: 0, top: 0, right: width, bottom: height };
        pixels.draw(&scene.shapes, &Pen { fonts: &Fonts::new(), scale, window });
        Ok(pixels)
    }

    fn draw(&mut self, shapes: &[Shape], pen: &Pen<'_>) {
        for shape in shapes {
            match shape {
                Shape::Path(path) => {
                    let outline = outline(&path.pieces, path.closed);
                    if let Some(fill) = path.fill {
                        self.paint(&outline, zeno::Fill::NonZero, fill, pen);
                    }
                    if let Some(stroke) = path.stroke {
                        let dash: Vec<f32> = stroke.dash.iter().copied().map(single).collect();
                        let mut style = zeno::Stroke::new(single(stroke.width));
                        style.dash(&dash, 0.0);
                        self.paint(&outline, style, Fill::opaque(stroke.colour), pen);
                    }
                }
                &Shape::Circle { centre, radius, fill } => {
                    let mut outline = Vec::new();
                    outline.add_circle(point(centre), single(radius));
                    self.paint(&outline, zeno::Fill::NonZero, Fill::opaque(fill), pen);
                }
                Shape::Text(text) => {
                    for glyph in pen.fonts.glyphs(text) {
                        let fill = Fill::opaque(text.colour);
                        self.paint(&glyph.outline(), zeno::Fill::NonZero, fill, pen);
                    }
                }
                Shape::Group(group) => {
                    let window = group.clip.map_or(pen.window, |clip| pen.window.within(clip, pen.scale));
                    self.draw(&group.shapes, &Pen { window, ..*pen });
                }
            }
        }
    }

    /// Fills an outline or strokes along it, as the style says.
    fn paint<'a>(&mut self, outline: &[Command], style: impl Into<Style<'a>>, fill: Fill, pen: &Pen<'_>) {
        let (style, scale) = (style.into(), Some(Transform::scale(pen.scale, pen.scale)));
        let bounds = zeno::bounds(outline, style, scale);
        let [left, top, right, bottom] =
            [bounds.min.x.floor(), bounds.min.y.floor(), bounds.max.x.ceil(), bounds.max.y.ceil()]
                .map(|edge| whole(f64::from(edge)));
        let Window { left, top, right, bottom } = pen.window.cut(Window { left, top, right, bottom });
        if left >= right || top >= bottom {
            return;
        }
        let (width, height) = ((right - left) as usize, (bottom - top) as usize);
        let mut mask = vec![0; width * height];
        Mask::new(outline)
            .style(style)
            .transform(scale)
            .size(right - left, bottom - top)
            .offset((-(left as f32), -(top as f32)))
            .render_into(&mut mask, None);
        let rows = self.rgb.chunks_exact_mut(3 * self.width as usize).skip(top as usize);
        for (row, mask) in rows.zip(mask.chunks_exact(width)) {
            let pixels = row[3 * left as usize..].as_chunks_mut::<3>().0;
            for (pixel, &coverage) in pixels.iter_mut().zip(mask) {
                fill.over(pixel, coverage);
            }
        }
    }
}

/// Everything that the shapes of a group are drawn with.
struct Pen<'a> {
    fonts: &'a Fonts,
    scale: f32,
    window: Window,
}

/// Pixels from left and top up to right and bottom, which are excluded.
#[derive(Debug, Clone, Copy)]
struct Window {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Window {
    fn cut(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// The part inside a rectangle of the scene.
    fn within(self, clip: Rect, scale: f32) -> Self {
        let (right, bottom) = (clip.left + clip.width, clip.top + clip.height);
        let [left, top, right, bottom] =
            [clip.left, clip.top, right, bottom].map(|edge| whole((edge * f64::from(scale)).round()));
        self.cut(Self { left, top, right, bottom })
    }
}

impl Fill {
    fn opaque(colour: Rgb) -> Self {
        Self { colour, opacity: 1.0 }
    }

    /// Paints a pixel that the shape covers by `coverage` 255ths.
    fn over(self, pixel: &mut [u8; 3], coverage: u8) {
        let alpha = whole((f64::from(coverage) * self.opacity).round()).min(255);
        let Rgb(red, green, blue) = self.colour;
        for (below, above) in pixel.iter_mut().zip([red, green, blue]) {
            let mixed = u32::from(*below) * (255 - alpha) + u32::from(above) * alpha;
            *below = u8::try_from((mixed + 127) / 255).expect("between two bytes");
        }
    }
}

fn outline(pieces: &[Vec<At>], closed: bool) -> Vec<Command> {
    let mut outline = Vec::new();
    for piece in pieces {
        for (i, &at) in piece.iter().enumerate() {
            outline.push(if i == 0 { Command::MoveTo(point(at)) } else { Command::LineTo(point(at)) });
        }
        if closed {
            outline.push(Command::Close);
        }
    }
    outline
}

fn point(at: At) -> Point {
    Point::new(single(at.0), single(at.1))
}

#[expect(clippy::cast_possible_truncation, reason = "a fraction of a pixel")]
fn single(length: f64) -> f32 {
    length as f32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn whole(length: f64) -> u32 {
    length as u32
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Anchor, Group, Stroke, Text};
    use super::*;

    const WHITE: [u8; 3] = [255; 3];
    const BLUE: Rgb = Rgb(0, 0, 255);

    fn scene(shapes: Vec<Shape>) -> Scene {
        Scene { width: 40.0, height: 20.0, paper: Rgb(255, 255, 255), shapes }
    }

    fn draw(shapes: Vec<Shape>) -> Pixels {
        Pixels::of(&scene(shapes), 1.0).unwrap()
    }

    impl Pixels {
        fn at(&self, x: usize, y: usize) -> [u8; 3] {
            let at = 3 * (y * self.width as usize + x);
            self.rgb[at..at + 3].try_into().unwrap()
        }

        /// The number of pixels in these columns and rows that are not white.
        fn inked(&self, columns: core::ops::Range<usize>, rows: core::ops::Range<usize>) -> usize {
            let all = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
            all.filter(|&(x, y)| self.at(x, y) != WHITE).count()
        }
    }

    fn text(content: &str) -> Shape {
        let (content, colour) = (content.to_owned(), Rgb(0, 0, 0));
        let (at, size, anchor) = ((10.0, 16.0), 12.0, Anchor::Start);
        Shape::Text(Text { content, at, size, anchor, bold: false, upwards: false, colour })
    }

    /// From (4, 10) to (36, 10), two pixels wide: rows 9 and 10 of columns 4 to 35, and nothing
    /// else.
    #[test]
    fn trace_a_line_covers_its_pixels() {
        let pixels = draw(vec![Shape::line(vec![(4.0, 10.0), (36.0, 10.0)], Stroke::solid(BLUE, 2.0))]);
        for (x, y) in [(4, 9), (20, 10), (35, 10)] {
            assert_eq!(pixels.at(x, y), [0, 0, 255], "{x} {y}");
        }
        assert_eq!(pixels.inked(0..40, 0..20), 32 * 2);
    }

    /// A line one pixel wide between two rows covers half of each.
    #[test]
    fn trace_edges_are_smooth() {
        let pixels = draw(vec![Shape::line(vec![(4.0, 10.0), (36.0, 10.0)], Stroke::solid(BLUE, 1.0))]);
        for y in [9, 10] {
            let [red, green, blue] = pixels.at(20, y);
            assert!(red == green && (126..=129).contains(&red) && blue == 255, "{red} {green} {blue}");
        }
    }

    /// Dashes of 6 and gaps of 4, from column 4 on.
    #[test]
    fn trace_dashes_leave_gaps() {
        let stroke = Stroke { colour: BLUE, width: 2.0, dash: &[6.0, 4.0] };
        let pixels = draw(vec![Shape::line(vec![(4.0, 10.0), (36.0, 10.0)], stroke)]);
        for x in 4..36 {
            let dash = (x - 4) % 10 < 6;
            assert_eq!(pixels.at(x, 10), if dash { [0, 0, 255] } else { WHITE }, "{x}");
        }
    }

    /// Black at an opacity of 0.2 makes white four fifths as bright, and again four fifths where
    /// two areas overlap.
    #[test]
    fn trace_thin_paint_adds_up() {
        let area = |left: f64| {
            let points = vec![(left, 5.0), (left + 20.0, 5.0), (left + 20.0, 15.0), (left, 15.0)];
            Shape::area(points, Rgb(0, 0, 0), 0.2)
        };
        let pixels = draw(vec![area(2.0), area(12.0)]);
        assert_eq!([5, 15, 25, 35].map(|x| pixels.at(x, 10)[0]), [204, 163, 204, 255]);
        assert_eq!(pixels.inked(0..40, 0..5) + pixels.inked(0..40, 15..20), 0);
    }

    #[test]
    fn trace_a_circle_is_round() {
        let pixels = draw(vec![Shape::Circle { centre: (20.0, 10.0), radius: 6.0, fill: BLUE }]);
        for (x, y) in [(20, 10), (16, 10), (23, 10), (20, 6), (20, 13)] {
            assert_eq!(pixels.at(x, y), [0, 0, 255], "{x} {y}");
        }
        // A corner of the square around it.
        assert_eq!(pixels.at(14, 4), WHITE);
        let area = pixels.inked(0..40, 0..20) as f64;
        assert!((113.0..150.0).contains(&area), "{area}");
    }

    /// An area that reaches far beyond all edges of the picture, cut to columns 10 to 29 and rows 5
    /// to 14.
    #[test]
    fn trace_a_clip_cuts_off_what_lies_outside() {
        let area = vec![(-500.0, -300.0), (900.0, -300.0), (900.0, 300.0), (-500.0, 300.0)];
        let shapes = vec![Shape::area(area, BLUE, 1.0), text("MMMMMMMMMM")];
        let clip = Some(Rect { left: 10.0, top: 5.0, width: 20.0, height: 10.0 });
        let pixels = draw(vec![Shape::Group(Group { clip, shapes: shapes.clone(), ..Group::default() })]);
        assert_eq!(pixels.inked(10..30, 5..15), 200);
        assert_eq!(pixels.inked(0..40, 0..20), 200);
        assert_eq!(draw(shapes).inked(0..40, 0..20), 800);
    }

    /// The baseline of letters of 12 pixels is row 15. A character that the font lacks is a box of
    /// about the same size.
    #[test]
    fn trace_text_is_drawn_where_it_stands() {
        for content in ["mn", "\u{10ffff}"] {
            let pixels = draw(vec![text(content)]);
            let inked = pixels.inked(0..40, 0..20);
            assert!(inked > 15, "{content}: {inked}");
            assert_eq!(inked, pixels.inked(10..32, 4..19), "{content}");
        }
        assert_eq!(draw(vec![text(" \u{1}")]).inked(0..40, 0..20), 0);
    }

    #[test]
    fn trace_a_scale_makes_more_pixels() {
        let shapes = vec![Shape::line(vec![(4.0, 10.0), (36.0, 10.0)], Stroke::solid(BLUE, 1.0))];
        let pixels = Pixels::of(&scene(shapes), 2.0).unwrap();
        assert_eq!((pixels.width, pixels.height, pixels.rgb.len()), (80, 40, 9600));
        // One pixel becomes two: rows 19 and 20 of columns 8 to 71.
        assert_eq!((pixels.at(8, 19), pixels.at(71, 20)), ([0, 0, 255], [0, 0, 255]));
        assert_eq!(pixels.inked(0..80, 0..40), 64 * 2);
    }

    /// Pictures without pixels and enormous pictures are refused before any memory is allocated.
    #[test]
    fn trace_sizes_that_are_refused() {
        let scene = scene(Vec::new());
        for scale in [0.0, -1.0, f32::NAN, 1e3, f32::INFINITY] {
            assert!(Pixels::of(&scene, scale).is_err(), "{scale}");
        }
        // Each side alone could be drawn, but not both.
        let square = Scene { width: 10_000.0, height: 10_000.0, ..scene };
        assert_eq!(Pixels::of(&square, 1.0).err(), Some([10_000, 10_000]));
        let odd = Scene { height: f64::NAN, ..square };
        assert_eq!(Pixels::of(&odd, 1.0).err(), Some([10_000, 0]));
    }
}
