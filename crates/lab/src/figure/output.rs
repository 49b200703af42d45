//! A figure as SVG, as PNG, and as part of a page.

use core::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::compose::{Extra, compose};
use super::png::{self, PngError};
use super::scene::Scene;
use super::svg::{Escaped, Svg};
use super::{Figure, style, theme};

impl Figure {
    /// The figure as an SVG file: light for print, and dark on dark screens.
    pub fn to_svg(&self) -> String {
        let scene = compose(self, Extra::None);
        let mut svg = opened(self, &scene);
        svg.put(format_args!("<style>{}</style>", svg_style()));
        svg.draw(&scene, "ty-clip");
        svg.finish()
    }

    /// The figure as a PNG file, always on white, with `scale` pixels per pixel of the SVG. 2 is
    /// right for most screens, 4 for print.
    ///
    /// The font is DejaVu Sans, which is part of the program, so that a picture is the same on
    /// every machine.
    ///
    /// # Errors
    ///
    /// If the picture would be empty, or is too large to be drawn.
    pub fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        png::write(&compose(self, Extra::None), scale)
    }

    /// The figure as a piece of HTML: the SVG, with the numbers that the script of [`html_head`]
    /// shows under the pointer. `id` must be different from that of every other figure on the page,
    /// and consist of letters, digits and dashes.
    pub fn to_html(&self, id: &str) -> String {
        let scene = compose(self, Extra::Points);
        let mut svg = opened(self, &scene);
        svg.draw(&scene, id);
        format!("<figure class=\"ty-figure\" id=\"{}\">\n{}</figure>\n", Escaped(id), svg.finish())
    }
}

/// The style sheet and script that all figures on a page share. The script shows the numbers under
/// the pointer, and a click on a name in the legend hides or shows its curves. Nothing is fetched
/// from anywhere.
pub fn html_head() -> String {
    format!("<style>{}</style>\n<script>{}</script>\n", style_sheet(), script())
}

/// The style sheet of [`html_head`] alone, for pages that must not contain styles.
pub fn style_sheet() -> String {
    format!("{}{}", theme::dark_rules(&dark()), include_str!("interactive.css"))
}

/// The script of [`html_head`] alone, for pages that must not contain scripts.
pub fn script() -> &'static str {
    include_str!("interactive.js")
}

/// The style sheet inside an SVG file.
pub(crate) fn svg_style() -> String {
    format!("@media (prefers-color-scheme:dark){{{}}}", dark())
}

/// The file of the figure with this number, counted from 0. Results with more worlds than fit side
/// by side have several figures.
///
/// ```
/// # use std::path::Path;
/// # use tiltyard_lab::figure::numbered;
/// assert_eq!(numbered(Path::new("a/b.svg"), 0), Path::new("a/b.svg"));
/// assert_eq!(numbered(Path::new("a/b.svg"), 1), Path::new("a/b-2.svg"));
/// assert_eq!(numbered(Path::new("a/b"), 1), Path::new("a/b-2"));
/// ```
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = PathBuf::from(format!("{stem}-{}", number + 1));
    if let Some(ending) = path.extension() {
        name.as_mut_os_string().push(".");
        name.as_mut_os_string().push(ending);
    }
    path.with_file_name(name)
}

/// A whole page with these figures and nothing else.
pub fn html_page(title: &str, figures: &[Figure]) -> String {
    let body: String =
        figures.iter().enumerate().map(|(i, figure)| figure.to_html(&format!("figure-{}", i + 1))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n{}</head>\n<body>\n{body}</body>\n</html>\n",
        Escaped(title),
        html_head()
    )
}

/// An empty picture of the size of the scene, with a name and a description for screen readers.
fn opened(figure: &Figure, scene: &Scene) -> Svg {
    let titles: Vec<&str> =
        figure.panels.iter().map(|panel| panel.title.as_str()).filter(|title| !title.is_empty()).collect();
    let parts = [figure.subtitle.trim_end_matches('.'), &titles.join(", "), &figure.footer];
    let about = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ");
    Svg::new(scene.width, scene.height, &figure.title, &about)
}

/// The rules for a dark screen. Colours are attributes of shapes, so that every program understands
/// them. The rules select by these attributes.
fn dark() -> String {
    let plain =
        [theme::PAPER_COLOUR, theme::INK_COLOUR, theme::SOFT_COLOUR, theme::FRAME_COLOUR, theme::GRID_COLOUR];
    let mut rules = String::new();
    for (light, dark) in plain.into_iter().chain(style::twins()) {
        write!(rules, ".ty [fill=\"{light}\"]{{fill:{dark}}}.ty [stroke=\"{light}\"]{{stroke:{dark}}}")
            .expect("writing to a string cannot fail");
    }
    rules
}
