//! Results on disk: a directory with `results.parquet`, `summary.csv` and `manifest.json`.

mod series;

pub use series::{RunCurve, Series};
