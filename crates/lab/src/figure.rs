//! Figures: pictures of matrices and of results.
//!
//! A [`Figure`] describes what to show: panels of curves with bands, one legend, and a footer that
//! says where the numbers come from. It can be drawn as SVG, as PNG, or as HTML that reacts to the
//! pointer. Everything is drawn for white paper. SVG and HTML contain a second set of colours for
//! dark screens.
//!
//! Every drawing becomes a list of shapes first (`scene.rs`), which `svg.rs` and `png.rs` write as
//! files.

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
/// let (rounds, regret) = (vec![1e3, 1e4, 1e5], vec![41.0, 140.0, 460.0]);
/// panel.curves.push(Curve::line("REX3", StyleId::of_policy("rex3"), rounds, regret));
/// let figure = Figure { title: "Regret".to_owned(), panels: vec![panel], ..Figure::default() };
/// assert!(figure.to_svg().starts_with("<svg"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Figure {
    pub title: String,
    /// Further facts that a reader must know.
    pub subtitle: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels per row; 0 puts all in one row.
    pub columns: usize,
    /// Where the numbers come from: hash of the specification, seed, version.
    pub footer: String,
}

/// Curves over one pair of axes.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Panel {
    /// Written above the panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    pub curves: Vec<Curve>,
    /// Lines to compare the curves with.
    pub references: Vec<Reference>,
    /// The height of the plot in pixels.
    pub height: f64,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Curve {
    /// The name in the legend. Curves with the same name share one entry, across all panels.
    pub label: String,
    pub style: StyleId,
    /// The horizontal positions of the points.
    pub x: Vec<f64>,
    /// The values, as many as `x`.
    pub y: Vec<f64>,
    /// The smallest and largest value over runs, drawn faintly.
    pub band: Option<Bounds>,
    /// The 95 % interval of the mean.
    pub interval: Option<Bounds>,
    pub kind: Kind,
}

/// A lower and an upper bound for each point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// One per point of the curve.
    pub low: Vec<f64>,
    /// One per point of the curve.
    pub high: Vec<f64>,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A line with a marker at each point, and bounds as bands.
    Line,
    /// Markers with bounds as bars, for points from separate runs. A line between them would be a
    /// guess.
    Points,
}

/// A line to compare curves with, drawn thin and grey.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Reference {
    /// The name in the legend.
    pub label: String,
    pub line: ReferenceLine,
}

/// The line of a [`Reference`].
#[derive(Debug, Clone, PartialEq)]
pub enum ReferenceLine {
    /// The same value everywhere.
    Level(f64),
    /// A curve through these points.
    Curve {
        /// The horizontal positions of the points.
        x: Vec<f64>,
        /// The values, as many as `x`.
        y: Vec<f64>,
    },
}

impl Panel {
    /// The default height of a plot, in pixels.
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
    /// The number of points of curves that cannot be shown: those that are not numbers, and those
    /// that are not above 0 if an axis is logarithmic. The figure reports this number in its
    /// footer.
    pub fn dropped(&self) -> usize {
        self.panels.iter().map(|panel| points::Drawn::of(panel).dropped).sum()
    }
}
