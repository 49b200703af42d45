//! What of a panel can be drawn: points that have a place on its axes, and bounds cut to them.

use super::axis::Ends;
use super::{Bounds, Panel, ReferenceLine};

/// The curves of a panel on its axes.
pub(super) struct Drawn {
    pub(super) x: Ends,
    pub(super) y: Ends,
    /// As many as the panel has.
    pub(super) curves: Vec<Points>,
    /// As many as the panel has.
    pub(super) references: Vec<Vec<(f64, f64)>>,
    /// How many points have no place on the axes.
    pub(super) dropped: usize,
}

/// The points of one curve.
#[derive(Debug, Default)]
pub(super) struct Points {
    pub(super) at: Vec<(f64, f64)>,
    /// Below and above each point.
    pub(super) band: Option<Vec<(f64, f64)>>,
    pub(super) interval: Option<Vec<(f64, f64)>>,
}

impl Drawn {
    pub(super) fn of(panel: &Panel) -> Self {
        let admitted = |&(x, y): &(f64, f64)| panel.x.admits(x) && panel.y.admits(y);
        let all =
            || panel.curves.iter().flat_map(|curve| curve.x.iter().copied().zip(curve.y.iter().copied()));
        let x = panel.x.ends(all().filter(admitted).map(|(x, _)| x));
        // A band may reach far below the curves: at most a factor of ten of it is worth the room.
        let least = all().filter(admitted).map(|(_, y)| y).fold(f64::INFINITY, f64::min);
        let bounds = panel.curves.iter().flat_map(|curve| curve.band.iter().chain(&curve.interval));
        let bounds = bounds.flat_map(|bounds| bounds.low.iter().chain(&bounds.high)).copied();
        let bounds = bounds.filter(|&bound| {
            bound.is_finite() && (panel.y.scale == super::Scale::Linear || bound > least / 10.0)
        });
        let y = panel.y.ends(all().filter(admitted).map(|(_, y)| y).chain(bounds));

        let mut dropped = 0;
        let curves = panel.curves.iter().map(|curve| {
            let cut = |bounds: &Bounds, i: usize, y_at: f64| {
                let [low, high] =
                    [&bounds.low, &bounds.high].map(|side| side.get(i).copied().unwrap_or(y_at));
                (y.clamp(low.min(y_at)), y.clamp(high.max(y_at)))
            };
            let mut points = Points {
                at: Vec::new(),
                band: curve.band.as_ref().map(|_| Vec::new()),
                interval: curve.interval.as_ref().map(|_| Vec::new()),
            };
            for (i, at) in curve.x.iter().copied().zip(curve.y.iter().copied()).enumerate() {
                if !(admitted(&at) && x.contain(at.0) && y.contain(at.1)) {
                    dropped += 1;
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
