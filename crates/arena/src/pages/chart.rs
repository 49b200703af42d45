//! Figures of an experiment, drawn as SVG.
//!
//! Colours are CSS classes. On a page, the style sheet of the page defines them; a downloaded file
//! contains the style sheet. This module only draws: it computes nothing from the votes.

use core::fmt::{self, Write as _};

use maud::{Markup, PreEscaped};

mod heat_map;
mod intervals;
mod shares;
mod votes;

pub(super) use heat_map::{Cell, HeatMap};
pub(super) use intervals::{Interval, Intervals, bar};
pub(super) use shares::Shares;
pub(super) use votes::{Bar, Votes};

/// The style sheet of figures. Downloaded files contain it.
pub(super) const STYLE: &str = include_str!("assets/chart.css");

/// A figure under construction.
pub(super) struct Canvas {
    text: String,
    width: f64,
    height: f64,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { text: String::new(), width, height }
    }

    /// Adds shapes. Text from users must be wrapped in [`Escaped`].
    pub(super) fn draw(&mut self, shapes: fmt::Arguments<'_>) {
        self.text.write_fmt(shapes).expect("writing to a string cannot fail");
    }

    /// The figure as part of a page; `about` describes it to screen readers.
    pub(super) fn inline(&self, about: &str) -> Markup {
        let Self { text, width, height } = self;
        PreEscaped(format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">{text}</svg>",
            Escaped(about)
        ))
    }

    /// The figure as a separate file.
    pub(super) fn file(&self, title: &str, about: &str) -> String {
        let Self { text, width, height } = self;
        let (head, all) = (28.0, height + 28.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {all}\" width=\"{width}\" height=\"{all}\" \
             role=\"img\" aria-label=\"{about}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\"><style>{STYLE}</style>\
             <rect class=\"paper\" width=\"{width}\" height=\"{all}\"/><text class=\"title\" x=\"8\" y=\"19\">{title}</text>\
             <g transform=\"translate(0 {head})\">{text}</g></svg>\n",
            about = Escaped(about),
            title = Escaped(title),
        )
    }
}

/// Displays a text with its markup characters escaped.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // XML does not allow most of these characters.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => f.write_str("\u{fffd}")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A coordinate, rounded to a tenth of a pixel.
pub(super) struct Px(pub(super) f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A heat map has thousands of coordinates, and integers are written five times as fast.
        #[expect(clippy::cast_possible_truncation, reason = "figures are not that large")]
        let tenths = (self.0 * 10.0).round() as i64;
        let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
        let sign = if tenths < 0 { "-" } else { "" };
        if rest == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{rest}") }
    }
}

/// A name, cut to at most `most` characters.
pub(super) fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The smallest of 1, 2, 5, 10, 20, ... that is at least `value`.
pub(super) fn nice_above(value: f64) -> f64 {
    if value <= 1.0 {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(value)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|&step| step >= value * (1.0 - 1e-12)).unwrap_or(10.0 * power)
}

/// The time axis below a figure, divided into buckets of equal width.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeAxis {
    /// The start of the first bucket, in seconds since 1970.
    pub(super) start: i64,
    /// The width of a bucket, in seconds.
    pub(super) width: u64,
    /// The number of buckets.
    pub(super) buckets: usize,
}

impl TimeAxis {
    /// Draws the axis under a plot that spans `left` to `right` and ends at height `y`.
    pub(super) fn draw(&self, canvas: &mut Canvas, left: f64, right: f64, y: f64) {
        let span = self.width as f64 * self.buckets as f64;
        for (place, anchor) in [(0.0, "start"), (0.5, "middle"), (1.0, "end")] {
            #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970 fit")]
            let moment = self.start + (span * place) as i64;
            let x = left + (right - left) * place;
            let text = moment_text(moment, span);
            canvas.draw(format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
                Px(x),
                Px(y + 15.0)
            ));
        }
    }
}

/// A moment in UTC, as precise as an axis of `span` seconds needs.
fn moment_text(seconds: i64, span: f64) -> String {
    let text = crate::time::Time(seconds.saturating_mul(1_000_000)).to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or(&text).replace('T', " ");
    match span {
        _ if span < 600.0 => part(11, 19),
        _ if span < 86_400.0 => part(11, 16),
        _ if span < 864_000.0 => part(5, 16),
        _ => part(0, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_escaped() {
        assert_eq!(Escaped("<a b='\"&\u{7}").to_string(), "&lt;a b=&#39;&quot;&amp;\u{fffd}");
    }

    #[test]
    fn trace_px() {
        assert_eq!(Px(-0.01).to_string(), "0");
        assert_eq!(Px(12.34).to_string(), "12.3");
        assert_eq!(Px(-0.26).to_string(), "-0.3");
        assert_eq!(Px(-7.0).to_string(), "-7");
    }

    #[test]
    fn trace_nice_above() {
        for (value, nice) in [(0.0, 1.0), (1.0, 1.0), (3.0, 5.0), (10.0, 10.0), (11.0, 20.0), (600.0, 1000.0)]
        {
            assert!((nice_above(value) - nice).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn trace_moments() {
        let moment = 1_700_000_000; // 2023-11-14T22:13:20Z
        assert_eq!(moment_text(moment, 60.0), "22:13:20");
        assert_eq!(moment_text(moment, 3600.0), "22:13");
        assert_eq!(moment_text(moment, 200_000.0), "11-14 22:13");
        assert_eq!(moment_text(moment, 9e6), "2023-11-14");
    }

    #[test]
    fn trace_short() {
        assert_eq!(short("abc", 3), "abc");
        assert_eq!(short("abcdef", 4), "abc…");
    }
}
