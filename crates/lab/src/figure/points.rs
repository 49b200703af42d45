//! The part of a panel that can be drawn: points that have a place on its axes, and lines and
//! bounds cut to them.

use super::axis::{Ends, Scale};
use super::{Bounds, Curve, Kind, Panel, ReferenceLine};

/// The number of parts into which the bounds between two points are divided if they leave the axes,
/// because their edges bend there.
const STEPS: u32 = 16;

/// The curves of a panel on its axes.
pub(super) struct Drawn {
    pub(super) x: Ends,
    pub(super) y: Ends,
    /// One per curve of the panel.
    pub(super) curves: Vec<Points>,
    /// One per reference of the panel.
    pub(super) references: Vec<Vec<(f64, f64)>>,
    /// The number of points without a place on the axes. Points outside a range that was set do not
    /// count.
    pub(super) dropped: usize,
}

/// The points of one curve.
#[derive(Debug, Default)]
pub(super) struct Points {
    pub(super) at: Vec<(f64, f64)>,
    /// The lower and upper bound of each point.
    pub(super) band: Option<Vec<(f64, f64)>>,
    pub(super) interval: Option<Vec<(f64, f64)>>,
    /// The line through all points, cut into the pieces that are on the axes; empty for a curve
    /// without a line.
    pub(super) line: Vec<Vec<(f64, f64)>>,
    /// Band and interval along the line, as x, low and high; empty if there is none.
    pub(super) shades: [Vec<(f64, f64, f64)>; 2],
}

impl Drawn {
    pub(super) fn of(panel: &Panel) -> Self {
        let admitted = |&(x, y): &(f64, f64)| panel.x.admits(x) && panel.y.admits(y);
        let all = || panel.curves.iter().flat_map(points_of);
        let x = panel.x.ends(all().filter(admitted).map(|(x, _)| x));
        let y = y_ends(panel, x);

        let mut dropped = 0;
        let curves = panel.curves.iter().map(|curve| {
            let cut = |bounds: &Bounds, i: usize, y_at: f64| {
                let [low, high] =
                    [&bounds.low, &bounds.high].map(|side| side.get(i).copied().unwrap_or(y_at));
                (y.clamp(low.min(y_at)), y.clamp(high.max(y_at)))
            };
            let mut points = Points {
                band: curve.band.as_ref().map(|_| Vec::new()),
                interval: curve.interval.as_ref().map(|_| Vec::new()),
                ..Points::default()
            };
            for (i, at) in points_of(curve).enumerate() {
                if !(admitted(&at) && x.contain(at.0) && y.contain(at.1)) {
                    // The vertical axis is not to blame for what the horizontal axis leaves out.
                    let axis = if x.contain(at.0) { &panel.y } else { &panel.x };
                    dropped += usize::from(!admitted(&at) || axis.range.is_none());
                    continue;
                }
                points.at.push(at);
                for (kept, bounds) in
                    [(&mut points.band, &curve.band), (&mut points.interval, &curve.interval)]
                {
                    if let (Some(kept), Some(bounds)) = (kept, bounds) {
                        kept.push(cut(bounds, i, at.1));
                    }
                }
            }
            if curve.kind == Kind::Line {
                points.line = line(points_of(curve).filter(admitted), x, y);
                points.shades = [&curve.band, &curve.interval].map(|bounds| {
                    let bounds = bounds.as_ref().map(|bounds| {
                        let whole = points_of(curve).enumerate().filter(|(_, at)| admitted(at));
                        shade(panel, whole.map(|(i, at)| Bounded::new(at, bounds, i)), x, y)
                    });
                    bounds.unwrap_or_default()
                });
            }
            points
        });
        let curves = curves.collect();
        let references = panel.references.iter().map(|reference| match &reference.line {
            ReferenceLine::Level(level) if y.contain(*level) => vec![(x.low, *level), (x.high, *level)],
            ReferenceLine::Level(_) => Vec::new(),
            ReferenceLine::Curve { x: xs, y: ys } => xs
                .iter()
                .copied()
                .zip(ys.iter().copied())
                .filter(|at| admitted(at) && x.contain(at.0) && y.contain(at.1))
                .collect(),
        });
        let references = references.collect();
        Self { x, y, curves, references, dropped }
    }
}

fn points_of(curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
    curve.x.iter().copied().zip(curve.y.iter().copied())
}

/// The ends of the vertical axis for the curves, within the range that the horizontal axis shows.
fn y_ends(panel: &Panel, x: Ends) -> Ends {
    let admitted = |&(x, y): &(f64, f64)| panel.x.admits(x) && panel.y.admits(y);
    let shown = |at: f64| panel.x.range.is_none() || x.contain(at);
    let mut ys: Vec<f64> = Vec::new();
    for curve in &panel.curves {
        let points: Vec<(f64, f64)> = points_of(curve).filter(admitted).collect();
        ys.extend(points.iter().filter(|at| shown(at.0)).map(|at| at.1));
        if panel.x.range.is_none() || curve.kind != Kind::Line {
            continue;
        }
        // The heights at which a line enters and leaves. There may be no point in between.
        for pair in points.windows(2) {
            ys.extend(
                [x.low, x.high].into_iter().filter_map(|border| crossing(panel, pair[0], pair[1], border)),
            );
        }
    }
    // A band may reach far below the curves. At most a factor of ten of it is worth the room.
    let least = ys.iter().copied().fold(f64::INFINITY, f64::min);
    for curve in &panel.curves {
        for bounds in curve.band.iter().chain(&curve.interval) {
            let sides = [&bounds.low, &bounds.high];
            let worth =
                |&bound: &f64| bound.is_finite() && (panel.y.scale == Scale::Linear || bound > least / 10.0);
            for side in sides {
                let places = curve.x.iter().copied().chain(std::iter::repeat(f64::NAN));
                let within = side.iter().copied().zip(places).filter(|&(_, at)| shown(at));
                ys.extend(within.map(|(bound, _)| bound).filter(worth));
            }
        }
    }
    panel.y.ends(ys.into_iter())
}

/// The height at which the line between two points passes this horizontal place, if it does.
fn crossing(panel: &Panel, from: (f64, f64), to: (f64, f64), place: f64) -> Option<f64> {
    let on = |scale: Scale, value: f64| if scale == Scale::Log { value.ln() } else { value };
    let [a, b, at] = [from.0, to.0, place].map(|value| on(panel.x.scale, value));
    let share = (at - a) / (b - a);
    if !(0.0..=1.0).contains(&share) {
        return None;
    }
    let [low, high] = [from.1, to.1].map(|value| on(panel.y.scale, value));
    let height = low + share * (high - low);
    Some(if panel.y.scale == Scale::Log { height.exp() } else { height })
}

/// The line through these points, cut where it leaves the axes.
fn line(points: impl Iterator<Item = (f64, f64)>, x: Ends, y: Ends) -> Vec<Vec<(f64, f64)>> {
    let inside = |at: (f64, f64)| x.contain(at.0) && y.contain(at.1);
    let share = |at: (f64, f64)| (x.share(at.0), y.share(at.1));
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for at in points {
        match before {
            Some(from) if inside(from) && inside(at) => {
                pieces.last_mut().expect("it was inside").push(at);
            }
            Some(from) => {
                let (a, b) = (share(from), share(at));
                let between = |t: f64| (x.at(a.0 + t * (b.0 - a.0)), y.at(a.1 + t * (b.1 - a.1)));
                match (inside(from), inside(at), within(a, b)) {
                    (true, false, Some((_, end))) => {
                        pieces.last_mut().expect("it was inside").push(between(end));
                    }
                    (false, true, Some((start, _))) => pieces.push(vec![between(start), at]),
                    // It may pass a corner without ever being inside.
                    (false, false, Some((start, end))) if start < end => {
                        pieces.push(vec![between(start), between(end)]);
                    }
                    (false, true, None) => pieces.push(vec![at]),
                    _ => {}
                }
            }
            None if inside(at) => pieces.push(vec![at]),
            None => {}
        }
        before = Some(at);
    }
    pieces
}

/// The part of a straight line inside the square from 0 to 1, as shares of its length (the
/// algorithm of Liang and Barsky).
fn within(a: (f64, f64), b: (f64, f64)) -> Option<(f64, f64)> {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (from, to) in [(a.0, b.0), (a.1, b.1)] {
        let step = to - from;
        if step.abs() < 1e-300 {
            if !(0.0..=1.0).contains(&from) {
                return None;
            }
            continue;
        }
        let (first, second) = (-from / step, (1.0 - from) / step);
        start = start.max(first.min(second));
        end = end.min(first.max(second));
    }
    (start <= end).then_some((start, end))
}

/// A point with its lower and upper bound.
#[derive(Debug, Clone, Copy)]
struct Bounded {
    x: f64,
    low: f64,
    high: f64,
}

impl Bounded {
    fn new(at: (f64, f64), bounds: &Bounds, i: usize) -> Self {
        let [low, high] = [&bounds.low, &bounds.high].map(|side| side.get(i).copied().unwrap_or(at.1));
        Self { x: at.0, low: low.min(at.1), high: high.max(at.1) }
    }
}

/// Bounds along a line, cut to the axes.
fn shade(panel: &Panel, points: impl Iterator<Item = Bounded>, x: Ends, y: Ends) -> Vec<(f64, f64, f64)> {
    let cut = |point: &Bounded| (point.x, y.clamp(point.low), y.clamp(point.high));
    let points: Vec<Bounded> = points.collect();
    // Axes that reach as far as the curves cut off little above and below, and nothing at the
    // sides.
    if panel.x.range.is_none() && panel.y.range.is_none() {
        return points.iter().filter(|point| x.contain(point.x)).map(cut).collect();
    }
    let whole = |point: &Bounded| x.contain(point.x) && y.contain(point.low) && y.contain(point.high);
    // A bound without a place on the axis is moved to the nearest end.
    let share = |value: f64| if panel.y.admits(value) { y.share(value) } else { y.share(y.clamp(value)) };
    let mut edge: Vec<(f64, f64, f64)> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        if let Some(before) = i.checked_sub(1).map(|i| &points[i])
            && !(whole(before) && whole(point))
        {
            let (left, right) = (x.share(before.x), x.share(point.x));
            if let Some((start, end)) = within((left, 0.5), (right, 0.5)) {
                for step in 0..=STEPS {
                    let along = start + (end - start) * f64::from(step) / f64::from(STEPS);
                    let [low, high] =
                        [(before.low, point.low), (before.high, point.high)].map(|(from, to)| {
                            let (from, to) = (share(from), share(to));
                            y.at((from + along * (to - from)).clamp(0.0, 1.0))
                        });
                    edge.push((x.at((left + along * (right - left)).clamp(0.0, 1.0)), low, high));
                }
            }
        }
        if x.contain(point.x) {
            edge.push(cut(point));
        }
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, StyleId};
    use super::*;

    fn panel(x: &[f64], y: &[f64]) -> Panel {
        let curve = Curve::line("a", StyleId::nth(0), x.to_vec(), y.to_vec());
        Panel { curves: vec![curve], ..Panel::new("", Axis::linear("x"), Axis::linear("y")) }
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got} instead of {expected}");
    }

    /// A line from (0, 0) to (10, 100), seen from 4 to 6. The axis extends 4 % further on both
    /// sides, to 3.92 and 6.08, where the line is at 39.2 and 60.8. No point is in between, and
    /// none counts as missing.
    #[test]
    fn trace_a_line_passes_where_no_point_is() {
        let mut panel = panel(&[0.0, 10.0], &[0.0, 100.0]);
        panel.x = panel.x.with_range(4.0, 6.0);
        panel.curves[0].band = Some(Bounds { low: vec![-10.0, 90.0], high: vec![10.0, 110.0] });
        let drawn = Drawn::of(&panel);
        assert_eq!((drawn.dropped, drawn.curves[0].at.len(), drawn.curves[0].line.len()), (0, 0, 1));
        let line = &drawn.curves[0].line[0];
        assert_eq!(line.len(), 2);
        near(line[0].0, 3.92);
        near(line[0].1, 39.2);
        near(line[1].1, 60.8);
        // The bounds follow the line as far as the axis shows them: 39.2 - 0.04 * 21.6 = 38.336.
        let shade = &drawn.curves[0].shades[0];
        near(shade[0].0, 3.92);
        near(shade[0].1, drawn.y.low);
        near(drawn.y.low, 38.336);
        near(shade[0].2, 49.2);
    }

    /// A line that goes up, leaves at the top, and comes back makes two pieces. The point outside
    /// was left out on purpose and does not count as missing.
    #[test]
    fn trace_a_line_that_leaves_and_comes_back() {
        let mut panel = panel(&[0.0, 1.0, 2.0], &[0.0, 10.0, 0.0]);
        panel.y = panel.y.with_range(0.0, 5.0);
        let drawn = Drawn::of(&panel);
        assert_eq!((drawn.dropped, drawn.curves[0].at.len()), (0, 2));
        let [up, down] = drawn.curves[0].line.as_slice() else { panic!("two pieces") };
        // The axis ends at 5.2.
        near(up[1].0, 0.52);
        near(up[1].1, 5.2);
        near(down[0].0, 1.48);
        assert_eq!(down[1], (2.0, 0.0));
    }

    #[test]
    fn trace_parts_of_a_line_in_a_square() {
        assert_eq!(within((0.25, 0.5), (0.75, 0.5)), Some((0.0, 1.0)));
        assert_eq!(within((-1.0, 0.5), (1.0, 0.5)), Some((0.5, 1.0)));
        assert_eq!(within((-1.0, 0.5), (3.0, 0.5)), Some((0.25, 0.5)));
        assert_eq!(within((-1.0, 2.0), (3.0, 2.0)), None);
        // Past a corner.
        assert_eq!(within((-1.0, 0.5), (0.5, 2.0)), None);
    }
}
