//! Figures of results: regret above accuracy against the round, with worlds side by side, or regret
//! against a value that was swept.

use super::{Axis, Bounds, Curve, Figure, Kind, Panel, StyleId};
use crate::engine::plan::{PlannedWorld, Source};
use crate::results::{Manifest, Results, Series};
use crate::statistics::{Summary, half_width};

/// The largest number of worlds side by side.
const MOST_COLUMNS: usize = 3;

/// The smallest number of swept values that make a curve.
const LEAST_SWEPT: usize = 4;

/// Marks the title of a world that stands in for real data. The footer explains it.
const STAND_IN: &str = " *";

/// The height of a plot of accuracy. A number from 0 to 1 needs less room.
const ACCURACY_HEIGHT: f64 = 110.0;

impl Curve {
    /// The regret of a series at each checkpoint: mean, 95 % interval of the mean (Student's t),
    /// smallest and largest run.
    pub fn regret(series: &Series) -> Self {
        let x = series.checkpoints.iter().map(|&round| round as f64).collect();
        Self::of_summary(series, x, series.regret(), series.runs.len())
    }

    /// The accuracy of a series at each checkpoint, with Wilson's 95 % interval.
    pub fn accuracy(series: &Series) -> Self {
        let shares = series.accuracy();
        let x = series.checkpoints.iter().map(|&round| round as f64).collect();
        let y = shares.iter().map(|share| share.share()).collect();
        let (low, high) = shares.iter().map(|share| share.interval()).unzip();
        let line = Self::line(&series.label, StyleId::of_policy(&series.policy), x, y);
        Self { interval: Some(Bounds { low, high }), kind: kind(series), ..line }
    }

    fn of_summary(series: &Series, x: Vec<f64>, summary: Summary, runs: usize) -> Self {
        let Summary { mean, sem, min, max } = summary;
        // A single run says nothing about its spread.
        let (interval, band) = if runs > 1 {
            let widths: Vec<f64> = sem.iter().map(|&sem| half_width(sem, runs)).collect();
            let [low, high] = [-1.0, 1.0]
                .map(|side| mean.iter().zip(&widths).map(|(mean, width)| mean + side * width).collect());
            (Some(Bounds { low, high }), Some(Bounds { low: min, high: max }))
        } else {
            (None, None)
        };
        let line = Self::line(&series.label, StyleId::of_policy(&series.policy), x, mean);
        Self { band, interval, kind: kind(series), ..line }
    }
}

/// Policies that need the horizon are run anew for each checkpoint, so they get points, not a line.
fn kind(series: &Series) -> Kind {
    if series.fixed_horizon { Kind::Points } else { Kind::Line }
}

impl Panel {
    /// Regret against the round, for series of one world, on logarithmic axes.
    pub fn regret<'a>(title: &str, regret: &str, series: impl IntoIterator<Item = &'a Series>) -> Self {
        let curves = series.into_iter().map(Curve::regret).collect();
        Self { curves, ..Self::new(title, Axis::log("round"), Axis::log(regret)) }
    }

    /// Accuracy against the round, for series of one world.
    pub fn accuracy<'a>(title: &str, series: impl IntoIterator<Item = &'a Series>) -> Self {
        let curves = series.into_iter().map(Curve::accuracy).collect();
        let accuracy = Axis::linear("accuracy").with_range(0.0, 1.0);
        Self { curves, height: ACCURACY_HEIGHT, ..Self::new(title, Axis::log("round"), accuracy) }
    }

    /// Regret at the end of these series against a number that belongs to each: a swept parameter,
    /// or K. Series with the same label make one curve. Series without a number are left out.
    pub fn sweep<'a>(
        title: &str,
        (x, y): (Axis, Axis),
        series: impl IntoIterator<Item = &'a Series>,
        number: impl Fn(&Series) -> Option<f64>,
    ) -> Self {
        let mut panel = Self::new(title, x, y);
        let mut groups: Vec<(String, Vec<(f64, &Series)>)> = Vec::new();
        for series in series {
            let Some(number) = number(series) else { continue };
            let label = unswept_label(series);
            match groups.iter_mut().find(|(known, _)| *known == label) {
                Some((_, members)) => members.push((number, series)),
                None => groups.push((label, vec![(number, series)])),
            }
        }
        for (label, mut members) in groups {
            members.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            let mut summary = Summary::default();
            for (_, series) in &members {
                summary.push(&series.regrets_at(series.checkpoints.len() - 1));
            }
            let fewest_runs = members.iter().map(|(_, series)| series.runs.len()).min().unwrap_or_default();
            let x = members.iter().map(|&(number, _)| number).collect();
            let curve = Curve::of_summary(members[0].1, x, summary, fewest_runs);
            // Along a sweep a line is not a guess, because neighbouring points are close.
            panel.curves.push(Curve { label, kind: Kind::Line, ..curve });
        }
        panel
    }
}

/// The label of a series without the values that a grid set. If the policy has a label of its own,
/// the values are at its end. Otherwise the label is the policy's specification, and the values are
/// among its parameters.
fn unswept_label(series: &Series) -> String {
    let pairs: Vec<String> = series.swept.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if let Some(name) = series.label.strip_suffix(&format!(", {}", pairs.join(", "))) {
        return name.to_owned();
    }
    if series.label != series.policy {
        return series.label.clone();
    }
    let (name, given) = series.policy.split_once(':').unwrap_or((&series.policy, ""));
    let swept = |part: &str| series.swept.iter().any(|(key, _)| part.split('=').next() == Some(key));
    let kept: Vec<&str> = given.split(',').filter(|part| !part.is_empty() && !swept(part)).collect();
    if kept.is_empty() { name.to_owned() } else { format!("{name}:{}", kept.join(",")) }
}

/// The figures of a directory of results: one per three worlds, with regret above accuracy. If K or
/// a parameter was swept over enough values, there is one figure of regret against it instead.
pub fn figures_of(results: &Results) -> Vec<Figure> {
    let subset = ResultsSubset::all(results);
    subset.sweep().map_or_else(
        || subset.rounds(&[ResultsSubset::regret_row, ResultsSubset::accuracy_row]),
        |figure| vec![figure],
    )
}

/// The part of some results that is drawn.
#[derive(Debug, Clone)]
pub(crate) struct ResultsSubset<'a> {
    manifest: &'a Manifest,
    worlds: Vec<&'a PlannedWorld>,
    series: Vec<&'a Series>,
}

/// Makes the panel of a world in a row of panels.
type Row = fn(&World<'_>, &str) -> Panel;

impl<'a> ResultsSubset<'a> {
    /// All results.
    pub(crate) fn all(results: &'a Results) -> Self {
        let Results { manifest, series } = results;
        Self { manifest, worlds: manifest.plan.worlds.iter().collect(), series: series.iter().collect() }
    }

    /// Keeps these worlds and policies, by their names in the results.
    #[must_use]
    pub(crate) fn only(mut self, world: impl Fn(&str) -> bool, policy: impl Fn(&str) -> bool) -> Self {
        self.worlds.retain(|planned| world(&planned.name));
        self.series.retain(|series| world(&series.world) && policy(&series.policy));
        self
    }

    /// The series that are left, world by world.
    pub(crate) fn series(&self) -> &[&'a Series] {
        &self.series
    }

    /// Regret against the round, in one figure per three worlds.
    pub(crate) fn regret(&self) -> Vec<Figure> {
        self.rounds(&[Self::regret_row])
    }

    /// Accuracy against the round, in one figure per three worlds.
    pub(crate) fn accuracy(&self) -> Vec<Figure> {
        let tall: Row = |world, title| Panel { height: Panel::HEIGHT, ..Self::accuracy_row(world, title) };
        self.rounds(&[tall])
    }

    /// Regret at the end against the swept value: K, if the worlds differ only in K, or else the
    /// parameter of a grid. `None` if neither has enough values to make a curve.
    pub(crate) fn sweep(&self) -> Option<Figure> {
        let worlds = self.worlds();
        if let Some(families) = families_of_arms(&worlds) {
            let panel = |family: &Family<'_>| {
                let axes = (Axis::log("K"), Axis::log(&at_the_end(&family.regret, &family.series)));
                Panel::sweep(&family.title, axes, family.series.iter().copied(), |series| {
                    Some(series.n_arms as f64)
                })
            };
            let columns = families.len().min(MOST_COLUMNS);
            return Some(self.figure(families.iter().map(panel).collect(), columns));
        }
        let key = swept_key(&self.series)?;
        let panel = |world: &World<'_>| {
            let axes = (Axis::log(&key), Axis::log(&at_the_end(&world.regret, &world.series)));
            Panel::sweep(&world.title, axes, world.series.iter().copied(), |series| series.swept_number(&key))
        };
        let columns = worlds.len().clamp(1, MOST_COLUMNS);
        Some(self.figure(worlds.iter().map(panel).collect(), columns))
    }

    fn worlds(&self) -> Vec<World<'a>> {
        self.worlds.iter().map(|world| World::of(world, &self.series)).collect()
    }

    /// These rows, in one figure per three worlds.
    fn rounds(&self, rows: &[Row]) -> Vec<Figure> {
        let figure = |worlds: &[World<'_>]| {
            // The first row has the titles of the columns.
            let titled = rows.iter().enumerate().flat_map(|(i, row)| {
                worlds.iter().map(move |world| row(world, if i == 0 { &world.title } else { "" }))
            });
            self.figure(titled.collect(), worlds.len())
        };
        self.worlds().chunks(MOST_COLUMNS).map(figure).collect()
    }

    fn regret_row(world: &World<'_>, title: &str) -> Panel {
        Panel::regret(title, &world.regret, world.series.iter().copied())
    }

    fn accuracy_row(world: &World<'_>, title: &str) -> Panel {
        Panel::accuracy(title, world.series.iter().copied())
    }

    fn figure(&self, panels: Vec<Panel>, columns: usize) -> Figure {
        Figure {
            title: self.manifest.title.clone(),
            subtitle: subtitle(&self.series, &panels),
            panels,
            columns,
            footer: footer(self.manifest),
        }
    }
}

/// The label of an axis that shows regret at the end of runs.
fn at_the_end(regret: &str, series: &[&Series]) -> String {
    let rounds = series.first().and_then(|series| series.checkpoints.last()).copied().unwrap_or_default();
    format!("{regret} at round {}", super::axis::short(rounds as f64))
}

/// Worlds that differ only in K.
struct Family<'a> {
    name: &'a str,
    title: String,
    regret: String,
    series: Vec<&'a Series>,
}

/// The families of worlds, if every world belongs to a family in which K has enough values. A world
/// that was cut from a larger one has its number of arms in brackets after its name, and at the end
/// of its label.
fn families_of_arms<'a>(worlds: &[World<'a>]) -> Option<Vec<Family<'a>>> {
    let mut families: Vec<Family<'a>> = Vec::new();
    for world in worlds {
        let (name, _) = world.name.rsplit_once(" [")?;
        if let Some(family) = families.iter_mut().find(|family| family.name == name) {
            family.series.extend(&world.series);
            continue;
        }
        let title = match world.title.rsplit_once(", K = ") {
            Some((title, rest)) if rest.ends_with(STAND_IN) => format!("{title}{STAND_IN}"),
            Some((title, _)) => title.to_owned(),
            None => world.title.clone(),
        };
        let (regret, series) = (world.regret.clone(), world.series.clone());
        families.push(Family { name, title, regret, series });
    }
    let enough = |family: &Family<'_>| {
        let mut sizes: Vec<usize> = family.series.iter().map(|series| series.n_arms).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.len() >= LEAST_SWEPT
    };
    (!families.is_empty() && families.iter().all(enough)).then_some(families)
}

/// A world and the series in it.
struct World<'a> {
    name: &'a str,
    title: String,
    regret: String,
    series: Vec<&'a Series>,
}

impl<'a> World<'a> {
    fn of(world: &'a PlannedWorld, series: &[&'a Series]) -> Self {
        let note = if world.source == Source::StandIn { STAND_IN } else { "" };
        Self {
            name: &world.name,
            title: format!("{}{note}", world.label),
            regret: format!("{} regret", world.regret),
            series: series.iter().copied().filter(|series| series.world == world.name).collect(),
        }
    }
}

/// The parameter that a grid swept, if there is only one and it has enough values that are numbers.
fn swept_key(series: &[&Series]) -> Option<String> {
    let mut keys = series.iter().flat_map(|series| &series.swept).map(|(key, _)| key);
    let key = keys.next()?.clone();
    let mut values: Vec<f64> = series.iter().filter_map(|series| series.swept_number(&key)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    (keys.all(|other| *other == key) && values.len() >= LEAST_SWEPT).then_some(key)
}

/// Explains lines, points and bounds, with the number of runs.
fn subtitle(series: &[&Series], panels: &[Panel]) -> String {
    let drawn = |kind: Kind| panels.iter().flat_map(|panel| &panel.curves).any(|curve| curve.kind == kind);
    // Along a sweep, all curves are lines.
    let points = drawn(Kind::Points);
    let count = |fixed: bool| {
        let counted = series.iter().filter(|series| !points || series.fixed_horizon == fixed);
        let counts = counted.map(|series| series.runs.len());
        let (least, most) = (counts.clone().min().unwrap_or_default(), counts.max().unwrap_or_default());
        if least == most { most.to_string() } else { format!("{least} to {most}") }
    };
    let bounds = "with its 95 % interval, and the smallest and largest run";
    let told = "of policies that know the horizon";
    match (drawn(Kind::Line), points) {
        (true, true) => {
            format!(
                "Lines: mean of {} runs {bounds}. Points: the same for {} runs {told}.",
                count(false),
                count(true)
            )
        }
        (true, false) => format!("Mean of {} runs {bounds}.", count(false)),
        (false, true) => format!("Mean of {} runs {told}, {bounds}.", count(true)),
        (false, false) => String::new(),
    }
}

/// Where the numbers come from.
fn footer(manifest: &Manifest) -> String {
    // Enough of a revision to tell it from others.
    let short = |revision: &String| format!(" ({})", revision.get(..12).unwrap_or(revision));
    let revision = manifest.revision.as_ref().map(short).unwrap_or_default();
    let stands_in = manifest.plan.worlds.iter().any(|world| world.source == Source::StandIn);
    let note = if stands_in { "; * stands in for real data, which was not available" } else { "" };
    let (hash, seed, version) = (manifest.short_hash(), manifest.seed, &manifest.version);
    format!("specification {hash}, seed {seed}, tiltyard {version}{revision}{note}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Run;
    use tiltyard_bandit::Arm;
    use tiltyard_world::{Best, BestKind, VoteSupply};

    fn series(policy: &str, swept: &[(&str, &str)], regrets: &[[f64; 2]]) -> Series {
        let runs = regrets.iter().map(|regret| Run {
            regret: regret.to_vec(),
            hit: vec![false, regret[1] < 50.0],
            best: Best { arm: Arm::new(0), kind: BestKind::Condorcet },
            supply: VoteSupply::default(),
        });
        Series {
            world: "arxiv6".to_owned(),
            world_label: "arXiv-6".to_owned(),
            policy: policy.to_owned(),
            label: policy.to_owned(),
            swept: swept.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
            n_arms: 6,
            fixed_horizon: policy.contains('T'),
            checkpoints: vec![100, 1000],
            runs: runs.collect(),
        }
    }

    fn assert_near(got: &[f64], expected: &[f64]) {
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-3, "{got} instead of {expected}");
        }
    }

    /// Two runs with regrets 10 and 12, then 40 and 60. The means are 11 and 50, the standard
    /// errors 1 and 10, and t(0.975) = 12.706 for one degree of freedom. One of the two runs hits
    /// at the end; Wilson's interval for 1 of 2 is 0.5 -+ 0.4055.
    #[test]
    fn trace_curves_of_two_runs() {
        let series = series("rex3", &[], &[[10.0, 40.0], [12.0, 60.0]]);
        let regret = Curve::regret(&series);
        assert_eq!(
            (regret.kind, regret.style, regret.label.as_str()),
            (Kind::Line, StyleId::of_policy("rex3"), "rex3")
        );
        assert_near(&regret.x, &[100.0, 1000.0]);
        assert_near(&regret.y, &[11.0, 50.0]);
        let (band, interval) = (regret.band.unwrap(), regret.interval.unwrap());
        assert_near(&band.low, &[10.0, 40.0]);
        assert_near(&band.high, &[12.0, 60.0]);
        assert_near(&interval.high, &[11.0 + 12.7062, 50.0 + 127.062]);
        let accuracy = Curve::accuracy(&series);
        assert_near(&accuracy.y, &[0.0, 0.5]);
        assert_near(&accuracy.interval.unwrap().low[1..], &[0.0945]);
    }

    /// SAVAGE cut to 4, 8, 16 and 30 arms is a sweep over K. Three sizes are not, and neither is a
    /// world that was not cut.
    #[test]
    fn trace_worlds_that_differ_in_their_arms_are_one_family() {
        let all: Vec<Series> =
            [4, 8, 16, 30].map(|n_arms| Series { n_arms, ..series("rex3", &[], &[[1.0, 2.0]]) }).to_vec();
        let world = |name: &'static str, i: usize| World {
            name,
            title: format!("SAVAGE, K = {}", all[i].n_arms),
            regret: "condorcet regret".to_owned(),
            series: vec![&all[i]],
        };
        let cut =
            ["savage30 [random 4]", "savage30 [random 8]", "savage30 [random 16]", "savage30 [random 30]"];
        let worlds: Vec<World<'_>> = cut.into_iter().enumerate().map(|(i, name)| world(name, i)).collect();
        let families = families_of_arms(&worlds).unwrap();
        assert_eq!((families.len(), families[0].title.as_str(), families[0].series.len()), (1, "SAVAGE", 4));
        assert_eq!(
            at_the_end(&families[0].regret, &families[0].series),
            "condorcet regret at round 10\u{b3}"
        );
        assert!(families_of_arms(&worlds[..3]).is_none());
        assert!(families_of_arms(&[world("arxiv6", 0)]).is_none());
        assert!(families_of_arms(&[]).is_none());
    }

    #[test]
    fn trace_the_line_below_the_title_says_what_is_drawn() {
        let all = [series("rex3", &[], &[[1.0, 2.0]; 3]), series("rex3:gmax=T/2", &[], &[[1.0, 2.0]; 2])];
        let told = "of policies that know the horizon";
        let bounds = "with its 95 % interval, and the smallest and largest run";
        let of = |series: &[Series]| {
            subtitle(&series.iter().collect::<Vec<_>>(), &[Panel::regret("", "regret", series)])
        };
        assert_eq!(of(&all), format!("Lines: mean of 3 runs {bounds}. Points: the same for 2 runs {told}."));
        assert_eq!(of(&all[..1]), format!("Mean of 3 runs {bounds}."));
        assert_eq!(of(&all[1..]), format!("Mean of 2 runs {told}, {bounds}."));
        assert_eq!(of(&[]), "");
        let sweep =
            Panel::sweep("", (Axis::log("K"), Axis::log("")), &all, |series| Some(series.n_arms as f64));
        assert_eq!(
            subtitle(&all.iter().collect::<Vec<_>>(), &[sweep]),
            format!("Mean of 2 to 3 runs {bounds}.")
        );
    }

    #[test]
    fn trace_a_single_run_has_no_bounds_and_a_told_horizon_makes_points() {
        let curve = Curve::regret(&series("rex3:gmax=T/2", &[], &[[1.0, 2.0]]));
        assert_eq!((curve.band, curve.interval, curve.kind), (None, None, Kind::Points));
    }

    /// The values of a grid become the axis. The other parameters of a policy stay in its name.
    #[test]
    fn trace_sweeps_are_sorted_and_grouped() {
        let all: Vec<Series> = [("0.1", 30.0), ("0.01", 20.0), ("T", 10.0)]
            .into_iter()
            .flat_map(|(gamma, end)| {
                ["", ",guard=on"].map(|more| {
                    series(&format!("rex3:gamma={gamma}{more}"), &[("gamma", gamma)], &[[1.0, end]])
                })
            })
            .collect();
        let axes = (Axis::log("gamma"), Axis::log("regret"));
        let panel = Panel::sweep("", axes, &all, |series| series.swept_number("gamma"));
        let labels: Vec<&str> = panel.curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels, ["rex3", "rex3:guard=on"]);
        assert_near(&panel.curves[0].x, &[0.01, 0.1]);
        assert_near(&panel.curves[0].y, &[20.0, 30.0]);
        let named = Series { label: "REX3, gamma = 0.1".to_owned(), ..all[0].clone() };
        assert_eq!(unswept_label(&named), "REX3");
        // Two numbers are not a sweep.
        assert_eq!(swept_key(&all.iter().collect::<Vec<_>>()), None);
        let many: Vec<Series> =
            ["1", "2", "3", "4"].map(|value| series("rex3", &[("gamma", value)], &[[1.0, 2.0]])).to_vec();
        assert_eq!(swept_key(&many.iter().collect::<Vec<_>>()), Some("gamma".to_owned()));
        assert_eq!(swept_key(&[]), None);
    }
}
