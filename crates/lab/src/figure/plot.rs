//! Curves as shapes. The charting library does the axes, ticks, lines, bands and markers; its shapes are handed on.
//!
//! The library does not tell which shape belongs to which curve, and readers want to hide a curve or ask for its name. So it is given
//! a colour of its own for each (a key), by which its shapes are found afterwards and painted as they should be.

use std::sync::Arc;

use kuva::plot::line::LineStyle;
use kuva::plot::scatter::MarkerShape;
use kuva::plot::{BandPlot, LinePlot, ScatterPlot};
use kuva::render::color::Color;
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, render_multiple};
use kuva::render::theme::Theme;

use super::axis::{Ends, Scale};
use super::points::{Drawn, Points};
use super::style::{Marker, StyleId};
use super::theme::{self, Rgb};
use super::{Kind, Panel};

/// The dash pattern of the reference of this number.
pub(super) fn reference_dash(i: usize) -> &'static str {
    ["5 3", "1.5 2.5", "9 3 1.5 3", "9 3 1.5 3 1.5 3"][i % 4]
}

/// Shapes of a plot, in pixels; the upper left corner of its frame is at ([`ROOM`], [`ROOM`]).
#[derive(Default)]
pub(super) struct Shapes {
    pub(super) frame: Vec<Primitive>,
    pub(super) references: Vec<Primitive>,
    /// Of each curve, what lies behind all lines.
    pub(super) bands: Vec<Vec<Primitive>>,
    /// Of each curve, its line and markers.
    pub(super) lines: Vec<Vec<Primitive>>,
}

/// What a key colour stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Band(usize),
    Line(usize),
    Reference(usize),
}

impl Key {
    /// The colour of the key. Nothing else is drawn in colours with so little red and no more than 65,536 of them.
    fn colour(self) -> String {
        let (red, i) = match self {
            Self::Band(i) => (1, i),
            Self::Line(i) => (2, i),
            Self::Reference(i) => (3, i),
        };
        let [high, low] = u16::try_from(i).unwrap_or(u16::MAX).to_be_bytes();
        Rgb(red, high, low).to_string()
    }

    fn of(colour: &Color) -> Option<Self> {
        let Color::Rgb(red, high, low) = *colour else { return None };
        let i = usize::from(u16::from_be_bytes([high, low]));
        match red {
            1 => Some(Self::Band(i)),
            2 => Some(Self::Line(i)),
            3 => Some(Self::Reference(i)),
            _ => None,
        }
    }
}

/// How far outside the frame a marker may reach.
const OVERHANG: f64 = 5.0;

/// Room around the frame in which the library writes ticks.
pub(super) const ROOM: f64 = 60.0;

/// The shapes of a panel whose curves have these styles, in a frame of this size.
pub(super) fn panel(panel: &Panel, drawn: &Drawn, styles: &[StyleId], width: f64) -> Shapes {
    let mut plots = Vec::new();
    for (i, line) in drawn.references.iter().enumerate().filter(|(_, line)| line.len() > 1) {
        let dash = LineStyle::Custom(reference_dash(i).to_owned());
        let line =
            LinePlot::new().with_data(line.iter().copied()).with_line_style(dash).with_stroke_width(1.2);
        plots.push(Plot::Line(line.with_color(Key::Reference(i).colour())));
    }
    for (i, (curve, points)) in panel.curves.iter().zip(&drawn.curves).enumerate() {
        add_curve(&mut plots, i, curve.kind, points, styles[i]);
    }
    // The library drops the axes of a plot in which nothing is.
    let corners = [(drawn.x.low, drawn.y.low), (drawn.x.high, drawn.y.high)];
    plots.push(Plot::Scatter(ScatterPlot::new().with_data(corners).with_color("none").with_size(0.0)));
    render(plots, drawn.x, drawn.y, (width, panel.height), styles)
}

/// Short pieces of curves, for a legend: each at its place in pixels, within a box of this size.
pub(super) fn samples(places: &[(f64, f64, StyleId, Kind)], length: f64, size: (f64, f64)) -> Shapes {
    let mut plots = Vec::new();
    let linear = |high: f64| Ends { scale: Scale::Linear, low: 0.0, high };
    for (i, &(x, y, style, kind)) in places.iter().enumerate() {
        let (middle, y) = (x + length / 2.0, size.1 - y);
        if kind == Kind::Line {
            plots.push(line(i, &[(x, y), (x + length, y)], style));
        }
        plots.push(markers(i, &[(middle, y)], style));
    }
    let styles: Vec<StyleId> = places.iter().map(|&(_, _, style, _)| style).collect();
    Shapes { frame: Vec::new(), ..render(plots, linear(size.0), linear(size.1), size, &styles) }
}

fn add_curve(plots: &mut Vec<Plot>, i: usize, kind: Kind, points: &Points, style: StyleId) {
    match kind {
        Kind::Line => {
            // An interval stands out from its band; alone it need not.
            let strong = if points.band.is_some() { 0.3 } else { 0.16 };
            for (shade, opacity) in points.shades.iter().zip([0.13, strong]) {
                if !shade.is_empty() {
                    let xs = shade.iter().map(|&(x, _, _)| x);
                    let (low, high) =
                        (shade.iter().map(|&(_, low, _)| low), shade.iter().map(|&(_, _, high)| high));
                    let band = BandPlot::new(xs, low, high).with_opacity(opacity);
                    plots.push(Plot::Band(band.with_color(Key::Band(i).colour())));
                }
            }
            for piece in &points.line {
                plots.push(line(i, piece, style));
            }
        }
        Kind::Points => {
            for (bounds, key) in [(&points.band, Key::Band(i)), (&points.interval, Key::Line(i))] {
                let Some(bounds) = bounds else { continue };
                let errors = points.at.iter().zip(bounds).map(|(&(_, y), &(low, high))| (y - low, high - y));
                let bars =
                    ScatterPlot::new().with_data(points.at.iter().copied()).with_y_err_asymmetric(errors);
                plots.push(Plot::Scatter(bars.with_color(key.colour()).with_size(0.0)));
            }
        }
    }
    if !points.at.is_empty() {
        plots.push(markers(i, &points.at, style));
    }
}

fn line(i: usize, at: &[(f64, f64)], style: StyleId) -> Plot {
    let dash = style.dash().map_or(LineStyle::Solid, |dash| LineStyle::Custom(dash.to_owned()));
    let line = LinePlot::new().with_data(at.iter().copied()).with_line_style(dash).with_stroke_width(1.7);
    Plot::Line(line.with_color(Key::Line(i).colour()))
}

fn markers(i: usize, at: &[(f64, f64)], style: StyleId) -> Plot {
    let (shape, size) = match style.marker() {
        Marker::Circle => (MarkerShape::Circle, 3.2),
        Marker::Square => (MarkerShape::Square, 2.9),
        Marker::Triangle => (MarkerShape::Triangle, 3.7),
        Marker::Diamond => (MarkerShape::Diamond, 3.8),
        Marker::TriangleDown => (MarkerShape::TriangleDown, 3.7),
        Marker::Cross => (MarkerShape::Cross, 3.3),
        Marker::Plus => (MarkerShape::Plus, 3.8),
        Marker::Star => (MarkerShape::Star, 4.3),
        Marker::Pentagon => (MarkerShape::Pentagon, 3.6),
        Marker::Hexagon => (MarkerShape::Hexagon, 3.6),
    };
    let markers = ScatterPlot::new().with_data(at.iter().copied()).with_marker(shape).with_size(size);
    Plot::Scatter(markers.with_color(Key::Line(i).colour()))
}

/// Has the library draw, and sorts what it drew.
fn render(plots: Vec<Plot>, x: Ends, y: Ends, (width, height): (f64, f64), styles: &[StyleId]) -> Shapes {
    let format = |ends: Ends| TickFormat::Custom(Arc::new(move |value| ends.tick_label(value)));
    let colour = |pair: (Rgb, Rgb)| pair.0.to_string();
    let look = Theme {
        axis_color: colour(theme::FRAME_COLOUR),
        tick_color: colour(theme::FRAME_COLOUR),
        grid_color: colour(theme::GRID_COLOUR),
        text_color: colour(theme::INK_COLOUR),
        ..Theme::light()
    };
    let mut layout = Layout::new((x.low, x.high), (y.low, y.high))
        .with_width(width + 2.0 * ROOM)
        .with_height(height + 2.0 * ROOM)
        .with_force_margins(ROOM, ROOM)
        .with_force_margins_y(ROOM, ROOM)
        .with_x_axis_min(x.low)
        .with_x_axis_max(x.high)
        .with_y_axis_min(y.low)
        .with_y_axis_max(y.high)
        .with_x_tick_format(format(x))
        .with_y_tick_format(format(y))
        .with_tick_size(11)
        .with_tick_length(3.0)
        .with_theme(look);
    if x.scale == Scale::Log {
        layout = layout.with_log_x();
    }
    if y.scale == Scale::Log {
        layout = layout.with_log_y();
    }
    let mut shapes = Shapes {
        bands: vec![Vec::new(); styles.len()],
        lines: vec![Vec::new(); styles.len()],
        ..Shapes::default()
    };
    for mut shape in render_multiple(plots, layout).elements {
        if invisible(&shape) {
            continue;
        }
        let Some(key) = colours(&mut shape).into_iter().find_map(|colour| Key::of(colour)) else {
            // Ticks are written in the colour of the whole picture, which no rule for dark screens could find.
            if let Primitive::Text { color: color @ None, .. } = &mut shape {
                let Rgb(red, green, blue) = theme::INK_COLOUR.0;
                *color = Some(Color::Rgb(red, green, blue));
            }
            shapes.frame.push(shape);
            continue;
        };
        let (paint, list) = match key {
            Key::Band(i) => (styles[i].on_white(), &mut shapes.bands[i]),
            Key::Line(i) => (styles[i].on_white(), &mut shapes.lines[i]),
            Key::Reference(_) => (theme::SOFT_COLOUR.0, &mut shapes.references),
        };
        repaint(&mut shape, paint);
        if let (Key::Band(_), Primitive::Line { y1, y2, stroke_width, .. }) = (key, &mut shape) {
            // A bar that stands for a band: thin, and without ends, which are for intervals.
            if (*y1 - *y2).abs() < 1e-9 {
                continue;
            }
            *stroke_width = 0.8;
        }
        list.push(shape);
    }
    shapes
}

/// The rectangle that curves are cut to.
pub(super) fn clip(width: f64, height: f64) -> [f64; 4] {
    [ROOM - OVERHANG, ROOM - OVERHANG, width + 2.0 * OVERHANG, height + 2.0 * OVERHANG]
}

/// The colours of a shape.
fn colours(shape: &mut Primitive) -> Vec<&mut Color> {
    match shape {
        Primitive::Circle { fill, stroke, .. }
        | Primitive::CircleBatch { fill, stroke, .. }
        | Primitive::Rect { fill, stroke, .. } => std::iter::once(fill).chain(stroke).collect(),
        Primitive::Line { stroke, .. } | Primitive::PolyLine { stroke, .. } => vec![stroke],
        Primitive::Path(path) => std::iter::once(&mut path.stroke).chain(&mut path.fill).collect(),
        Primitive::Text { color, .. } | Primitive::RichText { color, .. } => color.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// What nobody would see: clips, which are drawn anew with room for markers, labels of ticks in between, and markers of no size.
fn invisible(shape: &Primitive) -> bool {
    match shape {
        Primitive::ClipStart { .. } | Primitive::ClipEnd => true,
        Primitive::Text { content, .. } => content.is_empty(),
        Primitive::Circle { r, .. } | Primitive::CircleBatch { r, .. } => *r <= 0.0,
        _ => false,
    }
}

fn repaint(shape: &mut Primitive, Rgb(red, green, blue): Rgb) {
    for colour in colours(shape) {
        if Key::of(colour).is_some() {
            *colour = Color::Rgb(red, green, blue);
        }
    }
}
