//! Figures: pictures of matrices and of results.
//!
//! A [`Figure`] says what is to be seen: panels of curves with bands, one legend, and a footer that
//! says where the numbers are from. It is drawn as SVG, as PNG, or as a piece of HTML that answers
//! to the pointer. Everything is drawn for white paper; SVG and HTML carry a second set of colours
//! for readers who have their screen dark.
//!
//! Whatever is drawn becomes a list of shapes first (`scene.rs`), which `svg.rs` and `png.rs` write
//! as files.

mod axis;
mod compose;
mod curves;
mod frame;
mod glyphs;
mod heat_map;
mod legend;
mod markers;
mod output;
mod plot;
mod png;
mod points;
mod raster;
mod scene;
mod style;
mod svg;
mod theme;
mod ticks;

pub use axis::{Axis, Scale};
pub(crate) use curves::ResultsSubset;
pub use curves::figures_of;
pub use heat_map::HeatMap;
pub(crate) use output::svg_style;
pub use output::{html_head, html_page, numbered, script, style_sheet};
pub use png::PngError;
pub use style::{Look, StyleId};
pub use theme::Rgb;

/// A figure: panels in rows, under one title and one legend.
///
/// ```
/// use tiltyard_lab::figure::{Axis, Curve, Figure, Panel, StyleId};
/// let mut panel = Panel::new("arXiv-6", Axis::log("round"), Axis::log("regret"));
/// panel.curves.push(Curve::line("REX3", StyleId::of_policy("rex3"), vec![1e3, 1e4, 1e5], vec![41.0, 140.0, 460.0]));
/// let figure = Figure { title: "Regret".to_owned(), panels: vec![panel], ..Figure::default() };
/// assert!(figure.to_svg().starts_with("<svg"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// What it is about.
    pub title: String,
    /// What a reader must know beside that.
    pub subtitle: String,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
    /// How many of them stand in a row; 0 puts all in one.
    pub columns: usize,
    /// Where the numbers are from: hash of the specification, seed, version.
    pub footer: String,
}

/// Curves over one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What is shown here; written above it.
    pub title: String,
    /// The axis below.
    pub x: Axis,
    /// The axis on the left.
    pub y: Axis,
    /// What is shown.
    pub curves: Vec<Curve>,
    /// What to compare it with.
    pub references: Vec<Reference>,
    /// Height of the plot in pixels.
    pub height: f64,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend; curves of one name share one entry, over all panels.
    pub label: String,
    /// How it looks.
    pub style: StyleId,
    /// Where its points are.
    pub x: Vec<f64>,
    /// As many as `x`.
    pub y: Vec<f64>,
    /// Smallest and largest over runs, drawn faintly.
    pub band: Option<Bounds>,
    /// The 95 % interval of the mean.
    pub interval: Option<Bounds>,
    /// How it is drawn.
    pub kind: Kind,
}

/// Something below and something above each point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// As many as the curve has points.
    pub low: Vec<f64>,
    /// As many as the curve has points.
    pub high: Vec<f64>,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A line with a marker at each point, and bounds as bands.
    Line,
    /// Markers with bounds as bars: for points that come from separate runs, where a line would be
    /// a guess.
    Points,
}

/// Something to compare curves with, drawn thin and grey.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Its name in the legend.
    pub label: String,
    /// What it is.
    pub line: ReferenceLine,
}

/// The line of a [`Reference`].
#[derive(Debug, Clone, PartialEq)]
pub enum ReferenceLine {
    /// The same value everywhere.
    Level(f64),
    /// A curve through these points.
    Curve {
        /// Where its points are.
        x: Vec<f64>,
        /// As many as `x`.
        y: Vec<f64>,
    },
}

impl Panel {
    /// The usual height of a plot, in pixels.
    pub const HEIGHT: f64 = 210.0;

    /// An empty panel.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        let (curves, references) = (Vec::new(), Vec::new());
        Self { title: title.to_owned(), x, y, curves, references, height: Self::HEIGHT }
    }
}

impl Curve {
    /// A line without bounds.
    pub fn line(label: &str, style: StyleId, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { label: label.to_owned(), style, x, y, band: None, interval: None, kind: Kind::Line }
    }
}

impl Figure {
    /// How many points of curves cannot be shown: those that are no numbers, and those that are not
    /// above 0 where an axis is logarithmic. A figure says so in its footer.
    pub fn dropped(&self) -> usize {
        self.panels.iter().map(|panel| points::Drawn::of(panel).dropped).sum()
    }
}
