//! `tiltyard plot`: draws figures from results.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use tiltyard::lab::figure::{figures_of, html_page, numbered};
use tiltyard::lab::results::Results;

use super::Failure;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// A directory of results
    results: PathBuf,
    /// File for the figure, ending in .svg, .png or .html
    /// [default: figure.svg in the directory of results]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The kind of file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Svg,
    Png,
    Html,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            "html" | "htm" => Ok(Self::Html),
            _ => {
                let error = anyhow!("the name `{}` does not say which format the figure has", path.display());
                Err(Failure::bad_input(error, vec!["use a name that ends in .svg, .png or .html".to_owned()]))
            }
        }
    }
}

impl Plot {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let out = self.out.unwrap_or_else(|| self.results.join("figure.svg"));
        // Checked first, because reading the results may take a while.
        let kind = Kind::of(&out)?;
        let results = Results::open(&self.results)?;
        let figures = figures_of(&results);
        if kind == Kind::Html {
            return write(&out, html_page(&results.manifest.title, &figures).as_bytes(), printer);
        }
        for (i, figure) in figures.iter().enumerate() {
            let bytes = if kind == Kind::Svg {
                figure.to_svg().into_bytes()
            } else {
                // 192 dots per inch: sharp on every screen, and in print at the width of a column.
                figure.to_png(2.0).map_err(Failure::broken)?
            };
            write(&numbered(&out, i), &bytes, printer)?;
        }
        Ok(())
    }
}

fn write(path: &Path, bytes: &[u8], printer: &mut Printer) -> Result<(), Failure> {
    std::fs::write(path, bytes)
        .with_context(|| format!("could not write `{}`", path.display()))
        .map_err(Failure::broken)?;
    printer.line(path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_kinds_of_files() {
        let kinds = ["a.SVG", "a.png", "a.htm"].map(|path| Kind::of(Path::new(path)).unwrap());
        assert_eq!(kinds, [Kind::Svg, Kind::Png, Kind::Html]);
        assert!(Kind::of(Path::new("figure")).is_err());
    }
}
