//! Curves as shapes: bands, lines, error bars and markers in a frame.

use super::Kind;
use super::frame::Frame;
use super::markers::marker;
use super::points::Points;
use super::scene::{At, Shape, Stroke};
use super::style::StyleId;
use super::theme;

/// Half the width of the ends of an error bar.
const CAP: f64 = 5.0;

/// The line of the reference with this number.
pub(super) fn reference(number: usize, points: Vec<At>) -> Shape {
    const DASHES: [&[f64]; 4] =
        [&[5.0, 3.0], &[1.5, 2.5], &[9.0, 3.0, 1.5, 3.0], &[9.0, 3.0, 1.5, 3.0, 1.5, 3.0]];
    let stroke = Stroke { colour: theme::SOFT_COLOUR.0, width: 1.2, dash: DASHES[number % DASHES.len()] };
    Shape::line(points, stroke)
}

/// The parts of a curve that are behind all lines.
pub(super) fn band(frame: &Frame, kind: Kind, points: &Points, style: StyleId) -> Vec<Shape> {
    let colour = style.on_white();
    match kind {
        Kind::Line => {
            // An interval must stand out from its band. Alone, it need not.
            let strong = if points.band.is_some() { 0.3 } else { 0.16 };
            let shades = points.shades.iter().zip([0.13, strong]).filter(|(shade, _)| shade.len() > 1);
            shades
                .map(|(shade, opacity)| {
                    let above = shade.iter().map(|&(x, _, high)| frame.at((x, high)));
                    let below = shade.iter().rev().map(|&(x, low, _)| frame.at((x, low)));
                    Shape::area(above.chain(below).collect(), colour, opacity)
                })
                .collect()
        }
        // Thin bars without caps, because caps are for intervals.
        Kind::Points => bars(frame, points, points.band.as_ref())
            .map(|(low, high)| Shape::line(vec![low, high], Stroke::solid(colour, 0.8)))
            .collect(),
    }
}

/// The line of a curve or the error bars of its points, and its markers.
pub(super) fn curve(frame: &Frame, kind: Kind, points: &Points, style: StyleId) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = match kind {
        Kind::Line => {
            let pieces = points.line.iter().filter(|piece| piece.len() > 1);
            pieces.map(|piece| line(piece.iter().map(|&at| frame.at(at)).collect(), style)).collect()
        }
        Kind::Points => bars(frame, points, points.interval.as_ref())
            .map(|(low, high)| {
                let cap = |(x, y): At| vec![(x - CAP, y), (x + CAP, y)];
                let pieces = vec![vec![low, high], cap(low), cap(high)];
                Shape::lines(pieces, Stroke::solid(style.on_white(), 1.0))
            })
            .collect(),
    };
    shapes.extend(points.at.iter().map(|&at| marker(style, frame.at(at))));
    shapes
}

/// A short piece of a curve for a legend, starting at this place.
pub(super) fn sample((x, y): At, length: f64, kind: Kind, style: StyleId) -> Vec<Shape> {
    let through = (kind == Kind::Line).then(|| line(vec![(x, y), (x + length, y)], style));
    through.into_iter().chain([marker(style, (x + length / 2.0, y))]).collect()
}

fn line(points: Vec<At>, style: StyleId) -> Shape {
    Shape::line(points, Stroke { colour: style.on_white(), width: 1.7, dash: style.dash() })
}

/// The lower and upper ends of bars at the points of a curve.
fn bars<'a>(
    frame: &Frame,
    points: &'a Points,
    bounds: Option<&'a Vec<(f64, f64)>>,
) -> impl Iterator<Item = (At, At)> {
    let bounds = points.at.iter().zip(bounds.into_iter().flatten());
    bounds.map(|(&(x, _), &(low, high))| (frame.at((x, low)), frame.at((x, high))))
}
