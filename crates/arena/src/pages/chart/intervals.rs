//! The average win rates of arms with their intervals.

use maud::Markup;

use super::{Canvas, Escaped, Px, short};

/// An estimate between 0 and 1 with its interval.
#[derive(Debug, Clone, Copy)]
pub(in crate::pages) struct Interval {
    pub(in crate::pages) estimate: Option<f64>,
    pub(in crate::pages) low: f64,
    pub(in crate::pages) high: f64,
}

/// Width and height of a bar in a table.
const BAR: (f64, f64) = (180.0, 20.0);

/// A small picture of one interval, for a row of a table. The numbers are beside it, so screen
/// readers skip the picture.
pub(in crate::pages) fn bar(interval: &Interval) -> Markup {
    let mut canvas = Canvas::new(BAR.0, BAR.1);
    draw(&mut canvas, interval, 2.0, BAR.0 - 2.0, 0.0, BAR.1);
    let svg = canvas.inline("").0;
    maud::PreEscaped(svg.replacen("role=\"img\" aria-label=\"\"", "aria-hidden=\"true\"", 1))
}

fn draw(canvas: &mut Canvas, interval: &Interval, left: f64, right: f64, top: f64, height: f64) {
    let x = |value: f64| left + (right - left) * value.clamp(0.0, 1.0);
    let middle = top + height / 2.0;
    canvas.draw(format_args!(
        "<path class=\"axis\" d=\"M{} {}V{}\"/><path class=\"range\" d=\"M{} {}H{}\"/>",
        Px(x(0.5)),
        Px(top),
        Px(top + height),
        Px(x(interval.low)),
        Px(middle),
        Px(x(interval.high))
    ));
    if let Some(estimate) = interval.estimate {
        canvas.draw(format_args!(
            "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4\"/>",
            Px(x(estimate)),
            Px(middle)
        ));
    }
}

/// All intervals in one figure.
pub(in crate::pages) struct Intervals<'a> {
    pub(in crate::pages) rows: Vec<(&'a str, Interval)>,
}

impl Intervals<'_> {
    pub(in crate::pages) fn draw(&self) -> Canvas {
        let (left, right, row) = (190.0, 700.0, 24.0);
        let bottom = row * self.rows.len() as f64;
        let mut canvas = Canvas::new(720.0, bottom + 24.0);
        for (place, (name, interval)) in self.rows.iter().enumerate() {
            let top = row * place as f64;
            canvas.draw(format_args!(
                "<text x=\"8\" y=\"{}\">{}</text>",
                Px(top + 16.0),
                Escaped(&short(name, 26))
            ));
            draw(&mut canvas, interval, left, right, top, row);
        }
        for value in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let x = left + (right - left) * value;
            canvas.draw(format_args!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{} %</text>",
                Px(x),
                Px(bottom + 17.0),
                value * 100.0
            ));
        }
        canvas
    }
}
