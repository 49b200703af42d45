//! Markers: the look of a point of a curve, by the style of the curve.

use core::f64::consts::{FRAC_PI_2, TAU};

use super::scene::{At, Fill, Path, Shape, Stroke};
use super::style::{Marker, StyleId};

/// The marker of a style at a place. All markers look about equally large.
pub(super) fn marker(style: StyleId, (x, y): At) -> Shape {
    let colour = style.on_white();
    let place = |points: &[At]| points.iter().map(|&(dx, dy)| (x + dx, y + dy)).collect::<Vec<_>>();
    let polygon = |points: &[At]| {
        // The thin line makes corners look as heavy as those of other shapes.
        let (fill, stroke) = (Some(Fill { colour, opacity: 1.0 }), Some(Stroke::solid(colour, 0.5)));
        Shape::Path(Path { pieces: vec![place(points)], closed: true, fill, stroke })
    };
    let crossed = |lines: [[At; 2]; 2]| {
        Shape::lines(lines.map(|line| place(&line)).to_vec(), Stroke::solid(colour, 1.5))
    };
    match style.marker() {
        Marker::Circle => Shape::Circle { centre: (x, y), radius: 3.2, fill: colour },
        Marker::Square => {
            Shape::area(place(&[(-2.9, -2.9), (2.9, -2.9), (2.9, 2.9), (-2.9, 2.9)]), colour, 1.0)
        }
        Marker::Triangle => polygon(&[(0.0, -3.77), (-3.7, 2.52), (3.7, 2.52)]),
        Marker::TriangleDown => polygon(&[(0.0, 3.77), (-3.7, -2.52), (3.7, -2.52)]),
        Marker::Diamond => polygon(&[(0.0, -4.94), (4.94, 0.0), (0.0, 4.94), (-4.94, 0.0)]),
        Marker::Cross => crossed([[(-2.97, -2.97), (2.97, 2.97)], [(-2.97, 2.97), (2.97, -2.97)]]),
        Marker::Plus => crossed([[(-3.42, 0.0), (3.42, 0.0)], [(0.0, -3.42), (0.0, 3.42)]]),
        Marker::Star => polygon(&ring(&[5.375, 2.15].repeat(5))),
        Marker::Pentagon => polygon(&ring(&[4.32; 5])),
        Marker::Hexagon => polygon(&ring(&[4.14; 6])),
    }
}

/// Points at equal angles around the origin, with these distances from it. The first is above it.
fn ring(radii: &[f64]) -> Vec<At> {
    let angle = |i: usize| i as f64 / radii.len() as f64 * TAU - FRAC_PI_2;
    radii.iter().enumerate().map(|(i, r)| (r * libm::cos(angle(i)), r * libm::sin(angle(i)))).collect()
}
