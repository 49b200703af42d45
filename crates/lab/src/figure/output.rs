//! A figure as SVG, as PNG, and as a piece of a page.

use core::fmt::Write as _;
use std::path::{Path, PathBuf};

use kuva::backend::svg::SvgBackend;
use kuva::render::render::Scene;

use super::compose::{Extra, compose};
use super::svg::{Escaped, Px};
use super::{Figure, style, theme};

/// Why a figure could not be made into a PNG.
#[cfg(feature = "png")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The picture would be empty or larger than can be drawn.
    #[error("a picture of {width} by {height} pixels cannot be drawn")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The library for pixels does not understand the picture.
    #[error("could not draw the figure in pixels")]
    Svg(#[from] resvg::usvg::Error),
    /// The pixels could not be packed.
    #[error("could not pack the pixels: {reason}")]
    Packing {
        /// What the library said.
        reason: String,
    },
}

impl Figure {
    /// The figure as an SVG file: for print as it is, and darker for those who read on a dark screen.
    pub fn to_svg(&self) -> String {
        let scene = compose(self, "ty-clip", Extra::None);
        let mut svg = opening(self, &scene);
        write!(svg, "\n<style>{}</style>", svg_style()).expect("a string takes any text");
        svg.push_str(&shapes(&scene));
        svg
    }

    /// The figure as a PNG file, always on white; `scale` pixels for each of the SVG. 2 is right for most screens, 4 for print.
    ///
    /// The font is DejaVu Sans, which the program carries, so that a picture is the same on every machine.
    ///
    /// # Errors
    ///
    /// If the picture is larger than can be drawn.
    #[cfg(feature = "png")]
    pub fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        use resvg::{tiny_skia, usvg};
        let scene = compose(self, "ty-clip", Extra::None);
        let svg = format!("{}{}", opening(self, &scene), shapes(&scene));
        let mut options = usvg::Options::default();
        let fonts = options.fontdb_mut();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        let tree = usvg::Tree::from_str(&svg, &options)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of a float saturates"
        )]
        let [width, height] =
            [tree.size().width(), tree.size().height()].map(|side| (side * scale).ceil() as u32);
        let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| PngError::Packing { reason: error.to_string() })
    }

    /// The figure as a piece of HTML: the SVG, with the numbers that [`html_head`] needs to answer to the pointer. `id` must
    /// differ from that of every other figure on the page and consist of letters, digits and dashes.
    pub fn to_html(&self, id: &str) -> String {
        let scene = compose(self, id, Extra::Points);
        format!(
            "<figure class=\"ty-figure\" id=\"{}\">\n{}{}</figure>\n",
            Escaped(id),
            opening(self, &scene),
            shapes(&scene)
        )
    }
}

/// Style sheet and script that figures on a page share: what is under the pointer is told, and a click on a name in the
/// legend hides its curves or shows them again. Nothing is fetched from anywhere.
pub fn html_head() -> String {
    format!("<style>{}</style>\n<script>{}</script>\n", style_sheet(), script())
}

/// The style sheet of [`html_head`] by itself, for pages that may hold none.
pub fn style_sheet() -> String {
    format!("{}{}", theme::dark_rules(&dark()), include_str!("interactive.css"))
}

/// The script of [`html_head`] by itself, for pages that may hold none.
pub fn script() -> &'static str {
    include_str!("interactive.js")
}

/// The style sheet inside an SVG file.
pub(crate) fn svg_style() -> String {
    format!("@media (prefers-color-scheme:dark){{{}}}", dark())
}

/// The file of the figure of this number, from 0: results of more worlds than fit beside each other make more figures.
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

/// A page of its own, with these figures and nothing else.
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

/// The opening tag, with a name for those who cannot see.
fn opening(figure: &Figure, scene: &Scene) -> String {
    let (width, height) = (Px(scene.width), Px(scene.height));
    let titles: Vec<&str> =
        figure.panels.iter().map(|panel| panel.title.as_str()).filter(|title| !title.is_empty()).collect();
    let parts = [figure.subtitle.trim_end_matches('.'), &titles.join(", "), &figure.footer];
    let about = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ty\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{}\">\n<title>{}</title>\n<desc>{}</desc>",
        theme::FONTS,
        Escaped(&figure.title),
        Escaped(&about)
    )
}

/// All that the library wrote after its own opening tag.
fn shapes(scene: &Scene) -> String {
    let whole = SvgBackend::new().with_pretty(true).render_scene(scene);
    let rest = whole.split_once('>').map_or("", |(_, rest)| rest);
    // Who drew it is no business of the reader.
    let lines = rest.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_start());
        text.push('\n');
    }
    text
}

/// The rules for a dark screen. Colours are attributes of shapes, so that every program understands them; the rules name
/// these attributes.
fn dark() -> String {
    let plain =
        [theme::PAPER_COLOUR, theme::INK_COLOUR, theme::SOFT_COLOUR, theme::FRAME_COLOUR, theme::GRID_COLOUR];
    let mut rules = String::new();
    for (light, dark) in plain.into_iter().chain(style::twins()) {
        write!(rules, ".ty [fill=\"{light}\"]{{fill:{dark}}}.ty [stroke=\"{light}\"]{{stroke:{dark}}}")
            .expect("a string takes any text");
    }
    rules
}
