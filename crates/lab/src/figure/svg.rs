//! Writes the small part of SVG that figures need.

use core::fmt::{self, Display, Write as _};

use super::scene::{Anchor, Path, Scene, Shape, Text, printable};

/// A length in pixels, with at most two decimals and without trailing zeros, so that equal pictures
/// are equal text.
///
/// A length that is not finite is a mistake in this crate. A browser would silently drop the shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Px(pub(super) f64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(self.0.is_finite(), "a coordinate is {}", self.0);
        let rounded = (self.0 * 100.0).round() / 100.0;
        // Adding 0 turns -0 into 0.
        write!(f, "{}", rounded + 0.0)
    }
}

/// Text in which characters with a meaning in XML are replaced, and characters that XML forbids are
/// left out.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars().filter_map(printable) {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
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
    /// An empty picture of this size, with a name and a description for screen readers.
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
        writeln!(self.text, "{line}").expect("writing to a string cannot fail");
    }

    /// Adds the shapes of a scene. `id` distinguishes the names of its clips from those of other
    /// pictures on a page.
    pub(super) fn draw(&mut self, scene: &Scene, id: &str) {
        let (width, height) = (Px(scene.width), Px(scene.height));
        self.put(format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>", scene.paper));
        self.put_shapes(&scene.shapes, id, &mut 0);
    }

    fn put_shapes(&mut self, shapes: &[Shape], id: &str, clips: &mut usize) {
        for shape in shapes {
            match shape {
                Shape::Path(path) => self.put(path),
                Shape::Circle { centre: (x, y), radius, fill } => self.put(format_args!(
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\"/>",
                    Px(*x),
                    Px(*y),
                    Px(*radius)
                )),
                Shape::Text(text) => self.put(text),
                Shape::Group(group) => {
                    let mut attributes = String::new();
                    let mut attribute = |name: &str, value: &dyn Display| {
                        write!(attributes, " {name}=\"{value}\"").expect("writing to a string cannot fail");
                    };
                    for (name, value) in &group.attributes {
                        attribute(name, &Escaped(value));
                    }
                    if let Some(clip) = group.clip {
                        let name = format!("{}-{clips}", Escaped(id));
                        *clips += 1;
                        attribute("clip-path", &format_args!("url(#{name})"));
                        self.put(format_args!(
                            "<clipPath id=\"{name}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
                            Px(clip.left),
                            Px(clip.top),
                            Px(clip.width),
                            Px(clip.height)
                        ));
                    }
                    self.put(format_args!("<g{attributes}>"));
                    if let Some(title) = &group.title {
                        self.put(format_args!("<title>{}</title>", Escaped(title)));
                    }
                    self.put_shapes(&group.shapes, id, clips);
                    self.put("</g>");
                }
            }
        }
    }

    /// The finished picture.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<path d=\"")?;
        for piece in &self.pieces {
            for (i, &(x, y)) in piece.iter().enumerate() {
                write!(f, "{}{} {}", if i == 0 { 'M' } else { 'L' }, Px(x), Px(y))?;
            }
            f.write_str(if self.closed { "Z" } else { "" })?;
        }
        match self.fill {
            Some(fill) => write!(f, "\" fill=\"{}\"", fill.colour)?,
            None => f.write_str("\" fill=\"none\"")?,
        }
        if let Some(fill) = self.fill.filter(|fill| fill.opacity < 1.0) {
            write!(f, " fill-opacity=\"{}\"", Px(fill.opacity))?;
        }
        if let Some(stroke) = self.stroke {
            write!(f, " stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, Px(stroke.width))?;
            if !stroke.dash.is_empty() {
                let lengths: Vec<String> = stroke.dash.iter().map(|&length| Px(length).to_string()).collect();
                write!(f, " stroke-dasharray=\"{}\"", lengths.join(" "))?;
            }
        }
        f.write_str("/>")
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (Px(self.at.0), Px(self.at.1));
        write!(f, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"", Px(self.size), self.colour)?;
        f.write_str(match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        })?;
        if self.bold {
            f.write_str(" font-weight=\"bold\"")?;
        }
        if self.upwards {
            write!(f, " transform=\"rotate(-90 {x} {y})\"")?;
        }
        write!(f, ">{}</text>", Escaped(&self.content))
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Group, Rect, Stroke};
    use super::super::theme::Rgb;
    use super::*;

    #[test]
    fn trace_lengths_are_short() {
        let texts = [0.0, -0.001, 2.0, 1.005, 1.25, -3.456].map(|x| Px(x).to_string());
        assert_eq!(texts, ["0", "0", "2", "1", "1.25", "-3.46"]);
    }

    #[test]
    #[should_panic(expected = "a coordinate is NaN")]
    fn trace_what_is_no_number_is_not_written() {
        let _ = Px(f64::NAN).to_string();
    }

    /// One shape of each kind, with everything that it can have.
    #[test]
    fn trace_shapes_as_text() {
        let (blue, grey) = (Rgb(0, 114, 178), Rgb(91, 98, 108));
        let text = Text {
            content: "10⁵ <".to_owned(),
            at: (3.0, 4.5),
            size: 11.0,
            anchor: Anchor::End,
            bold: true,
            upwards: true,
            colour: grey,
        };
        let dashed = Stroke { colour: blue, width: 1.7, dash: &[2.0, 2.5] };
        let line = Shape::lines(vec![vec![(0.0, 0.0), (1.0, 2.0)], vec![(3.0, 3.0), (4.0, 4.0)]], dashed);
        let inner = Group {
            attributes: vec![("class", "a".to_owned()), ("data-label", "\"b\"".to_owned())],
            title: Some("c & d".to_owned()),
            clip: Some(Rect { left: 1.0, top: 2.0, width: 3.0, height: 4.0 }),
            shapes: vec![Shape::Circle { centre: (1.0, 2.0), radius: 3.2, fill: blue }, Shape::Text(text)],
        };
        let shapes = vec![
            line,
            Shape::area(vec![(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], blue, 0.13),
            Shape::Group(inner),
        ];
        let mut svg = Svg { text: String::new() };
        svg.draw(&Scene { width: 10.0, height: 20.0, paper: Rgb(255, 255, 255), shapes }, "figure-1");
        let expected = r##"<rect width="10" height="20" fill="#ffffff"/>
<path d="M0 0L1 2M3 3L4 4" fill="none" stroke="#0072b2" stroke-width="1.7" stroke-dasharray="2 2.5"/>
<path d="M0 0L1 0L0 1Z" fill="#0072b2" fill-opacity="0.13"/>
<clipPath id="figure-1-0"><rect x="1" y="2" width="3" height="4"/></clipPath>
<g class="a" data-label="&quot;b&quot;" clip-path="url(#figure-1-0)">
<title>c &amp; d</title>
<circle cx="1" cy="2" r="3.2" fill="#0072b2"/>
<text x="3" y="4.5" font-size="11" fill="#5b626c" text-anchor="end" font-weight="bold" transform="rotate(-90 3 4.5)">10⁵ &lt;</text>
</g>
</svg>
"##;
        assert_eq!(svg.finish(), expected);
    }

    #[test]
    fn trace_text_cannot_leave_its_place() {
        assert_eq!(
            Escaped("a<b> & \"c\"\n\u{1}'d'").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"
        );
    }
}
