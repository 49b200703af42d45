//! The figures of a view.

use super::run_page::RunPage;
use super::view::{Asked, Measure, View};
use crate::figure::{Axis, Curve, Figure, Panel, ResultsSubset, Scale};
use crate::results::{Results, Series};

/// The largest number of panels side by side.
const COLUMNS: usize = 3;

/// The figures of a view; none if too little is left to draw.
pub(super) fn figures(page: &RunPage, view: &View) -> Vec<Figure> {
    let mut figures = match page.runs.as_slice() {
        [(_, results)] => of_one(&subset(results, view), view.measure),
        _ => of_several(page, view),
    };
    for panel in figures.iter_mut().flat_map(|figure| &mut figure.panels) {
        let curves = &panel.curves;
        let xs = curves.iter().flat_map(|curve| &curve.x);
        panel.x = turned(&panel.x, view.x, &mut xs.copied());
        let ys = curves.iter().flat_map(|curve| &curve.y);
        panel.y = turned(&panel.y, view.y, &mut ys.copied());
    }
    figures
}

/// The part of the results that a view shows.
pub(super) fn subset<'a>(results: &'a Results, view: &View) -> ResultsSubset<'a> {
    let among = |names: &[String], name: &str| names.iter().any(|other| other == name);
    ResultsSubset::all(results)
        .only(|world| among(&view.worlds, world), |policy| among(&view.policies, policy))
}

fn of_one(subset: &ResultsSubset<'_>, measure: Measure) -> Vec<Figure> {
    match measure {
        Measure::Regret => subset.regret(),
        Measure::Accuracy => subset.accuracy(),
        Measure::End => subset.sweep().into_iter().collect(),
    }
}

/// One panel per world, with the curves of all runs.
fn of_several(page: &RunPage, view: &View) -> Vec<Figure> {
    let worlds: Vec<_> = page.choices.worlds.iter().filter(|(name, _)| view.worlds.contains(name)).collect();
    let panel = |(name, label): &&(String, String)| {
        let (axis, curve): (_, fn(&Series) -> Curve) = match view.measure {
            Measure::Accuracy => (Axis::linear("accuracy").with_range(0.0, 1.0), Curve::accuracy),
            Measure::Regret | Measure::End => (Axis::log(&page.regret_of(name)), Curve::regret),
        };
        let mut panel = Panel::new(label, Axis::log("round"), axis);
        for (run, results) in &page.runs {
            let subset = subset(results, view);
            let series = subset.series().iter().filter(|series| series.world == *name);
            let named = |series: &&Series| {
                let curve = curve(series);
                Curve { label: format!("{} ({run})", curve.label), ..curve }
            };
            panel.curves.extend(series.map(named));
        }
        panel
    };
    let from = |(run, results): &(String, std::sync::Arc<Results>)| {
        let manifest = &results.manifest;
        format!(
            "{run}: specification {}, seed {}, tiltyard {}",
            manifest.short_hash(),
            manifest.seed,
            manifest.version
        )
    };
    let footer = page.runs.iter().map(from).collect::<Vec<_>>().join("; ");
    let bounds = match view.measure {
        Measure::Accuracy => "with its 95 % interval.",
        _ => "with its 95 % interval, and the smallest and largest run.",
    };
    let figure = |worlds: &[&(String, String)]| Figure {
        title: "Runs compared".to_owned(),
        subtitle: format!("Mean over the runs of each policy {bounds}"),
        panels: worlds.iter().map(panel).collect(),
        columns: worlds.len(),
        footer: footer.clone(),
    };
    worlds.chunks(COLUMNS).map(figure).collect()
}

/// An axis with the requested scale and range, over these numbers.
fn turned(axis: &Axis, asked: Asked, values: &mut dyn Iterator<Item = f64>) -> Axis {
    let scale = asked.scale.unwrap_or(axis.scale);
    let axis = Axis { scale, ..axis.clone() };
    if asked.span.is_whole() {
        return axis;
    }
    let placed = values.filter(|value| value.is_finite() && (scale == Scale::Linear || *value > 0.0));
    let (least, most) = placed
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    let (from, to) = (asked.span.from.unwrap_or(least), asked.span.to.unwrap_or(most));
    // A logarithmic axis that would begin at 0 or below begins with the curves.
    let from = if scale == Scale::Log && from <= 0.0 { least } else { from };
    if from < to { axis.with_range(from, to) } else { axis }
}
