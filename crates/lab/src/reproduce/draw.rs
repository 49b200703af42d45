//! Draws the paper's figures from results.

use tiltyard_bandit::theory::{Gains, condorcet, corollary1, gamma_star, rmed_lower, tau};

use super::job::WorldMatrix;
use super::paper::Drawing;
use crate::engine::plan::{PlannedWorld, Source};
use crate::figure::{Axis, Figure, Panel, Reference, ReferenceLine, Scale, figures_of};
use crate::results::{Manifest, Results};

/// Draws the results of a figure.
pub(super) fn draw(drawing: Drawing, results: &Results, matrices: &[WorldMatrix]) -> Vec<Figure> {
    let mut figures = figures_of(results);
    for figure in &mut figures {
        match drawing {
            Drawing::Plain => {}
            Drawing::Bound => add_bounds(figure, results),
            Drawing::BothScales => add_linear(figure),
            Drawing::Linear => figure.panels = figure.panels.iter().map(linear).collect(),
            Drawing::LowerBound => add_lower_bounds(figure, results, matrices),
        }
        figure.footer = format!("{}. {}", data(&results.manifest), capitalised(&figure.footer));
    }
    figures
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The sources of an experiment's worlds, in a few words.
pub(super) fn data(manifest: &Manifest) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for (world, identity) in manifest.plan.worlds.iter().zip(&manifest.identity.worlds) {
        let kind = origin(world, &identity.text);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    format!("Data: {}", kinds.join("; "))
}

fn origin(world: &PlannedWorld, text: &str) -> String {
    match world.source {
        Source::Named => "built in".to_owned(),
        Source::Data => format!("real, file {}", text.get(..19).unwrap_or(text)),
        Source::StandIn => format!("synthetic, {text}"),
    }
}

/// Adds the bound of Corollary 1 for two gains of the best arm, halved for Condorcet regret, and
/// the gamma that minimises it.
fn add_bounds(figure: &mut Figure, results: &Results) {
    for (panel, world) in figure.panels.iter_mut().zip(&results.manifest.plan.worlds) {
        let Some(series) = results.series.iter().find(|series| series.world == world.name) else { continue };
        let (n_arms, Some(&rounds)) = (series.n_arms, series.checkpoints.last()) else { continue };
        let t = rounds as f64;
        let points = || panel.curves.iter().flat_map(|curve| curve.y.iter().copied());
        let (low, high) = points().fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
        if low > high || low <= 0.0 {
            continue;
        }
        // Leave room for the bound near its minimum, which is above the regret.
        let top = [2.0, 4.0].map(|part| at_best(n_arms, t / part)).into_iter().fold(high, f64::max) * 2.0;
        let bottom = low / 1.3;
        panel.y = Axis { label: panel.y.label.clone(), scale: Scale::Log, range: Some((bottom, top)) };
        let (from, to) = (0.001_f64, 0.5_f64);
        let grid: Vec<f64> = (0..=60).map(|i| from * (to / from).powf(f64::from(i) / 60.0)).collect();
        for (gain, part) in [("T/2", 2.0), ("T/4", 4.0)] {
            let bound = |gamma: &f64| condorcet(corollary1(n_arms, *gamma, Gains::at_most(t / part)));
            panel.references.push(Reference {
                label: format!("halved bound, Gmax = {gain}"),
                line: ReferenceLine::Curve { x: grid.clone(), y: grid.iter().map(bound).collect() },
            });
        }
        for (gain, part) in [("T/2", 2.0), ("T/4", 4.0)] {
            let star = gamma_star(n_arms, tau(Gains::at_most(t / part)));
            panel.references.push(Reference {
                label: format!("gamma* for Gmax = {gain}"),
                line: ReferenceLine::Curve { x: vec![star, star], y: vec![bottom, top] },
            });
        }
    }
}

/// The halved bound at the gamma that minimises it.
fn at_best(n_arms: usize, gain: f64) -> f64 {
    let gains = Gains::at_most(gain);
    condorcet(corollary1(n_arms, gamma_star(n_arms, tau(gains)), gains))
}

/// A panel on linear axes.
fn linear(panel: &Panel) -> Panel {
    let [x, y] = [&panel.x, &panel.y].map(|axis| Axis { scale: Scale::Linear, ..axis.clone() });
    Panel { x, y, ..panel.clone() }
}

/// Adds a copy of each panel on linear axes to its right.
fn add_linear(figure: &mut Figure) {
    let beside = |panel: &Panel| Panel {
        title: if panel.title.is_empty() { String::new() } else { "The same on linear axes".to_owned() },
        ..linear(panel)
    };
    figure.columns *= 2;
    figure.panels = figure.panels.iter().flat_map(|panel| [panel.clone(), beside(panel)]).collect();
}

/// Adds C ln t to the panel of each world whose matrix has a Condorcet winner.
fn add_lower_bounds(figure: &mut Figure, results: &Results, matrices: &[WorldMatrix]) {
    // The panels of regret come first, in the order of the worlds.
    for (panel, world) in figure.panels.iter_mut().zip(&results.manifest.plan.worlds) {
        let matrix = matrices.iter().find(|(name, ..)| *name == world.name).map(|(_, matrix, _)| matrix);
        let Some(constant) = matrix.and_then(rmed_lower) else { continue };
        let rounds = panel.curves.iter().flat_map(|curve| curve.x.iter().copied());
        let (from, to) = rounds.fold((f64::INFINITY, 0.0_f64), |(from, to), x| (from.min(x), to.max(x)));
        if from >= to {
            continue;
        }
        let x: Vec<f64> = (0..=30).map(|i| from * (to / from).powf(f64::from(i) / 30.0)).collect();
        let y = x.iter().map(|x| constant * x.ln()).collect();
        panel.references.push(Reference {
            label: "C ln T, the lower bound".to_owned(),
            line: ReferenceLine::Curve { x, y },
        });
    }
}
