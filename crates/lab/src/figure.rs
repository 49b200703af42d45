//! Figures: pictures of matrices and of results, as text in SVG.
//!
//! Every picture is drawn for white paper and carries a second set of colours for readers who have their screen dark.

mod heat_map;
mod svg;
mod theme;

pub use heat_map::HeatMap;
pub use theme::Rgb;
