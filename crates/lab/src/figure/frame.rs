//! The frame of a plot: it maps numbers to places, and has the axes, grid and ticks around them.

use super::axis::Ends;
use super::scene::{Anchor, At, Rect, Shape, Stroke, Text};
use super::theme;

/// How far a marker may extend outside the frame.
const OVERHANG: f64 = 5.0;
/// The length of a tick.
const TICK: f64 = 3.0;
/// The font size of tick labels.
const TYPE: f64 = 11.0;

/// A rectangle of the picture, and the numbers at its borders.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) place: Rect,
    pub(super) x: Ends,
    pub(super) y: Ends,
}

impl Frame {
    /// The place of a pair of numbers.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> At {
        let Rect { left, top, width, height } = self.place;
        (left + self.x.share(x) * width, top + (1.0 - self.y.share(y)) * height)
    }

    /// The rectangle that curves are clipped to.
    pub(super) fn clip(&self) -> Rect {
        let Rect { left, top, width, height } = self.place;
        Rect {
            left: left - OVERHANG,
            top: top - OVERHANG,
            width: width + 2.0 * OVERHANG,
            height: height + 2.0 * OVERHANG,
        }
    }

    /// The grid, the axes, and the ticks with their labels.
    pub(super) fn axes(&self) -> Vec<Shape> {
        let Rect { left, top, width, height } = self.place;
        let (right, bottom) = (left + width, top + height);
        let mut grid = Vec::new();
        let mut axes = vec![vec![(left, top), (left, bottom), (right, bottom)]];
        let mut labels = Vec::new();
        for x in self.x.ticks() {
            let (at, _) = self.at((x, self.y.low));
            grid.push(vec![(at, top), (at, bottom)]);
            axes.push(vec![(at, bottom), (at, bottom + TICK)]);
            labels.push((self.x.tick_label(x), (at, bottom + 13.2), Anchor::Middle));
        }
        for y in self.y.ticks() {
            let (_, at) = self.at((self.x.low, y));
            grid.push(vec![(left, at), (right, at)]);
            axes.push(vec![(left - TICK, at), (left, at)]);
            labels.push((self.y.tick_label(y), (left - 6.0, at + 4.0), Anchor::End));
        }
        let labels = labels.into_iter().filter(|(content, ..)| !content.is_empty());
        let labels = labels.map(|(content, at, anchor)| {
            let colour = theme::INK_COLOUR.0;
            Shape::Text(Text { content, at, size: TYPE, anchor, bold: false, upwards: false, colour })
        });
        let [grid, axes] = [(grid, theme::GRID_COLOUR), (axes, theme::FRAME_COLOUR)]
            .map(|(lines, colour)| Shape::lines(lines, Stroke::solid(colour.0, 1.0)));
        [grid, axes].into_iter().chain(labels).collect()
    }
}
