//! Votes over time, with the duels that were skipped, unanswered or voided.

use core::fmt::Write as _;

use super::{Canvas, Px, TimeAxis, nice_above};

/// The counts of one period.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::pages) struct Bar {
    pub(in crate::pages) votes: f64,
    pub(in crate::pages) skipped: f64,
    pub(in crate::pages) unanswered: f64,
    pub(in crate::pages) voided: f64,
}

impl Bar {
    fn parts(&self) -> [f64; 4] {
        [self.votes, self.skipped, self.unanswered, self.voided]
    }
}

/// A bar for each period.
pub(in crate::pages) struct Votes<'a> {
    pub(in crate::pages) axis: TimeAxis,
    pub(in crate::pages) bars: &'a [Bar],
}

/// The names of the parts, and their classes in the style sheet.
const PARTS: [(&str, &str); 4] =
    [("Votes", "votes"), ("Skipped", "skipped"), ("Unanswered", "unanswered"), ("Voided", "voided")];

impl Votes<'_> {
    pub(in crate::pages) fn draw(&self) -> Canvas {
        let (left, right, top, bottom) = (60.0, 580.0, 8.0, 160.0);
        let mut canvas = Canvas::new(720.0, 184.0);
        let most = self.bars.iter().map(|bar| bar.parts().iter().sum()).fold(0.0, f64::max);
        let most = nice_above(most);
        for share in [0.0, 0.5, 1.0] {
            let y = bottom - (bottom - top) * share;
            canvas.draw(format_args!(
                "<path class=\"axis\" d=\"M{left} {y}H{right}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                Px(left - 6.0),
                Px(y + 4.0),
                most * share,
                y = Px(y),
            ));
        }
        let step = (right - left) / self.bars.len().max(1) as f64;
        for (part, (_, class)) in PARTS.iter().enumerate() {
            let mut path = String::new();
            for (place, bar) in self.bars.iter().enumerate() {
                let parts = bar.parts();
                if parts[part] <= 0.0 {
                    continue;
                }
                let below: f64 = parts[..part].iter().sum();
                let scale = (bottom - top) / most;
                let (x, y) = (left + step * place as f64, bottom - scale * (below + parts[part]));
                let _ = write!(
                    path,
                    "M{} {}h{}v{}h-{}z",
                    Px(x),
                    Px(y),
                    Px((step - 0.6).max(0.5)),
                    Px(scale * parts[part]),
                    Px((step - 0.6).max(0.5))
                );
            }
            canvas.draw(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
        }
        self.axis.draw(&mut canvas, left, right, bottom);
        for (row, (words, class)) in PARTS.iter().enumerate() {
            let y = top + 22.0 * row as f64;
            canvas.draw(format_args!(
                "<rect class=\"{class}\" x=\"596\" y=\"{}\" width=\"13\" height=\"13\" rx=\"2\"/><text x=\"616\" y=\"{}\">{words}</text>",
                Px(y),
                Px(y + 11.0)
            ));
        }
        canvas
    }
}
