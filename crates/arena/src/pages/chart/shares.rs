//! The share of traffic of each arm over time.

use core::fmt::Write as _;

use super::{Canvas, Escaped, Px, TimeAxis, short};

/// Layers that add up to 100 %.
pub(in crate::pages) struct Shares<'a> {
    pub(in crate::pages) axis: TimeAxis,
    /// The name of each layer with its count in each bucket, from bottom to top. At most eight,
    /// because there are no more distinguishable colours.
    pub(in crate::pages) layers: Vec<(&'a str, &'a [f64])>,
    /// The total count of each bucket, including arms without a layer.
    pub(in crate::pages) totals: &'a [f64],
}

impl Shares<'_> {
    pub(in crate::pages) fn draw(&self) -> Canvas {
        let (left, right, top, bottom) = (44.0, 540.0, 8.0, 200.0);
        let mut canvas = Canvas::new(720.0, 224.0);
        for share in [0.0, 0.5, 1.0] {
            let y = bottom - (bottom - top) * share;
            canvas.draw(format_args!(
                "<path class=\"axis\" d=\"M{left} {y}H{right}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} %</text>",
                Px(left - 6.0),
                Px(y + 4.0),
                share * 100.0,
                y = Px(y),
            ));
        }
        let step = (right - left) / self.totals.len().max(1) as f64;
        let mut below = vec![0.0; self.totals.len()];
        for (place, (_, counts)) in self.layers.iter().enumerate() {
            let mut path = String::new();
            // Buckets without traffic have no shares: the layers have a gap there.
            for run in runs(self.totals) {
                let share = |bucket: usize, sum: f64| bottom - (bottom - top) * sum / self.totals[bucket];
                let x = |bucket: usize| left + step * bucket as f64;
                let (first, mut line) = (run.start, String::new());
                for bucket in run.clone() {
                    let y = Px(share(bucket, below[bucket] + counts[bucket]));
                    let _ = write!(
                        line,
                        "{}{} {}H{}",
                        if bucket == first { 'M' } else { 'L' },
                        Px(x(bucket)),
                        y,
                        Px(x(bucket + 1))
                    );
                }
                for bucket in run.rev() {
                    let y = Px(share(bucket, below[bucket]));
                    let _ = write!(line, "L{} {}H{}", Px(x(bucket + 1)), y, Px(x(bucket)));
                }
                path.push_str(&line);
                path.push('z');
            }
            canvas.draw(format_args!("<path class=\"c{}\" d=\"{path}\"/>", place + 1));
            for (below, count) in below.iter_mut().zip(counts.iter()) {
                *below += count;
            }
        }
        self.axis.draw(&mut canvas, left, right, bottom);
        // The top layer is first in the legend, as in the figure.
        for (row, (place, (name, _))) in self.layers.iter().enumerate().rev().enumerate() {
            let y = top + 22.0 * row as f64;
            canvas.draw(format_args!(
                "<rect class=\"c{}\" x=\"556\" y=\"{}\" width=\"13\" height=\"13\" rx=\"2\"/><text x=\"576\" y=\"{}\">{}</text>",
                place + 1,
                Px(y),
                Px(y + 11.0),
                Escaped(&short(name, 20))
            ));
        }
        canvas
    }
}

/// Runs of consecutive buckets that are not empty.
fn runs(totals: &[f64]) -> Vec<core::ops::Range<usize>> {
    let mut runs = Vec::<core::ops::Range<usize>>::new();
    for (bucket, &total) in totals.iter().enumerate() {
        if total <= 0.0 {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == bucket => run.end += 1,
            _ => runs.push(bucket..bucket + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_runs() {
        assert_eq!(runs(&[0.0, 1.0, 2.0, 0.0, 3.0]), [1..3, 4..5]);
        assert!(runs(&[0.0]).is_empty());
    }

    #[test]
    fn trace_layers_fill_the_whole() {
        let axis = TimeAxis { start: 0, width: 1, buckets: 2 };
        let layers = vec![("a", &[1.0, 3.0][..]), ("<b>", &[1.0, 1.0])];
        let svg = Shares { axis, layers, totals: &[2.0, 4.0] }.draw().inline("about").0;
        // Half of the first bucket and three quarters of the second. On an axis from 200 (0 %) to 8
        // (100 %), these are 104 and 56.
        assert!(
            svg.contains("<path class=\"c1\" d=\"M44 104H292L292 56H540L540 200H292L292 200H44z\"/>"),
            "{svg}"
        );
        assert!(svg.contains("M44 8H292L292 8H540L540 56H292L292 104H44z"), "{svg}");
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
    }
}
