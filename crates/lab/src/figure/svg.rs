//! Writing SVG: the little that is needed of it.

use core::fmt::{self, Display, Write as _};

/// A length in pixels, to two digits; shorter where the digits are zeros, so that equal pictures are equal text.
///
/// What is no number is a mistake in this crate and would silently make a browser drop the shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Px(pub(super) f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(self.0.is_finite(), "no coordinate is {}", self.0);
        let rounded = (self.0 * 100.0).round() / 100.0;
        // Adding 0 turns -0 into 0.
        write!(f, "{}", rounded + 0.0)
    }
}

/// Text with the characters that mean something to XML replaced, and those that it forbids left out.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' => f.write_char(' ')?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A picture in the making.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// An empty picture of this size, with a name for those who cannot see it.
    pub(super) fn new(width: f64, height: f64, name: &str, description: &str) -> Self {
        let (width, height, name, description) = (Px(width), Px(height), Escaped(name), Escaped(description));
        let mut svg = Self { text: String::new() };
        svg.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ty\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{}\">",
            super::theme::FONTS
        ));
        svg.put(format_args!("<title>{name}</title>"));
        if !description.0.is_empty() {
            svg.put(format_args!("<desc>{description}</desc>"));
        }
        svg
    }

    /// Adds a line of SVG.
    pub(super) fn put(&mut self, line: impl Display) {
        writeln!(self.text, "{line}").expect("a string takes any text");
    }

    /// The finished picture.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_lengths_are_short() {
        let texts = [0.0, -0.001, 2.0, 1.005, 1.25, -3.456].map(|x| Px(x).to_string());
        assert_eq!(texts, ["0", "0", "2", "1", "1.25", "-3.46"]);
    }

    #[test]
    #[should_panic(expected = "no coordinate is NaN")]
    fn trace_what_is_no_number_is_not_written() {
        let _ = Px(f64::NAN).to_string();
    }

    #[test]
    fn trace_text_cannot_leave_its_place() {
        assert_eq!(
            Escaped("a<b> & \"c\"\n\u{1}'d'").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"
        );
    }
}
