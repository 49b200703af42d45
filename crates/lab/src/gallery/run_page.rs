//! The page of one run or of several runs side by side, and its downloads.

use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use super::query::Query;
use super::view::{Choices, Measure, View};
use super::{ROOT, Response, address, assets, inline_source, picture, table, view_form};
use crate::figure::{Figure, ResultsSubset, svg_style};
use crate::format::{count, date};
use crate::results::{Results, series_to_csv};

/// The runs on one page, and what can be selected of them.
#[derive(Debug)]
pub(super) struct RunPage {
    pub(super) runs: Vec<(String, Arc<Results>)>,
    pub(super) choices: Choices,
    /// Remarks about the comparison that a reader must know.
    remarks: Vec<String>,
}

impl RunPage {
    pub(super) fn one(name: &str, results: Arc<Results>) -> Self {
        let plan = &results.manifest.plan;
        let measures = match ResultsSubset::all(&results).sweep() {
            Some(_) => vec![Measure::End, Measure::Regret, Measure::Accuracy],
            None => vec![Measure::Regret, Measure::Accuracy],
        };
        let worlds = plan.worlds.iter().map(|world| (world.name.clone(), world.label.clone())).collect();
        let policies =
            plan.policies.iter().map(|policy| (policy.policy.clone(), policy.label.clone())).collect();
        let choices = Choices { worlds, policies, measures };
        Self { runs: vec![(name.to_owned(), results)], choices, remarks: Vec::new() }
    }

    /// A comparison of several runs, or the reason why they cannot be compared.
    pub(super) fn several(runs: Vec<(String, Arc<Results>)>) -> Result<Self, String> {
        let mut remarks = Vec::new();
        let mut lengths = false;
        let first = &runs[0].1.manifest;
        let mut worlds = Vec::new();
        for (world, identity) in first.plan.worlds.iter().zip(&first.identity.worlds) {
            let twins = runs[1..].iter().map(|(_, results)| {
                let mut others = results.manifest.identity.worlds.iter();
                // The length may differ, because more rounds of the same world are the same world.
                others.find(|other| {
                    (&other.name, &other.text, &other.arms, &other.regret)
                        == (&identity.name, &identity.text, &identity.arms, &identity.regret)
                })
            });
            if let Some(twins) = twins.collect::<Option<Vec<_>>>() {
                lengths |= twins.iter().any(|twin| twin.horizon != identity.horizon);
                worlds.push((world.name.clone(), world.label.clone()));
            }
        }
        let labels = |results: &Results| -> Vec<String> {
            results.manifest.plan.worlds.iter().map(|world| world.label.clone()).collect()
        };
        if worlds.is_empty() {
            let of = |(name, results): &(String, Arc<Results>)| {
                format!("\u{201c}{name}\u{201d} was played in {}", labels(results).join(", "))
            };
            return Err(format!(
                "These runs cannot be compared because no world is the same in all of them: {}.",
                runs.iter().map(of).collect::<Vec<_>>().join("; ")
            ));
        }
        let mut policies: Vec<(String, String)> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        for (_, results) in &runs {
            for policy in &results.manifest.plan.policies {
                if !policies.iter().any(|(known, _)| *known == policy.policy) {
                    policies.push((policy.policy.clone(), policy.label.clone()));
                }
            }
            for world in &results.manifest.plan.worlds {
                if !worlds.iter().any(|(name, _)| *name == world.name) && !others.contains(&world.label) {
                    others.push(world.label.clone());
                }
            }
        }
        if !others.is_empty() {
            remarks
                .push(format!("Left out because they are not the same in all runs: {}.", others.join(", ")));
        }
        if lengths {
            remarks.push(
                "The runs have different lengths. A world that depends on the length of a run is not the same in all of them.".to_owned(),
            );
        }
        let choices = Choices { worlds, policies, measures: vec![Measure::Regret, Measure::Accuracy] };
        Ok(Self { runs, choices, remarks })
    }

    /// The name of the regret in a world.
    pub(super) fn regret_of(&self, world: &str) -> String {
        let mut planned = self.runs.iter().flat_map(|(_, results)| &results.manifest.plan.worlds);
        planned
            .find(|planned| planned.name == world)
            .map_or_else(String::new, |planned| format!("{} regret", planned.regret))
    }

    /// The page, or the file that the query asks for.
    pub(super) fn respond(&self, query: &Query) -> Response {
        let view = View::new(query, &self.choices);
        let figures = picture::figures(self, &view);
        let wanted = query.first("figure").and_then(|number| number.parse::<usize>().ok()).unwrap_or(1);
        let figure = wanted.checked_sub(1).and_then(|i| figures.get(i));
        let file = |content_type, bytes, inline, ending: &str| {
            let number = if wanted > 1 { format!("-{wanted}") } else { String::new() };
            let download = Some(format!("{}{number}.{ending}", address::file_name(&self.title())));
            Response::File { content_type, bytes, inline, download }
        };
        match (query.first("as"), figure) {
            (Some("csv"), _) => file("text/csv; charset=utf-8", self.csv(&view), Vec::new(), "csv"),
            (Some("svg"), Some(figure)) => {
                file("image/svg+xml", figure.to_svg().into_bytes(), vec![inline_source(&svg_style())], "svg")
            }
            // 192 dots per inch, as `tiltyard plot` draws.
            (Some("png"), Some(figure)) => match figure.to_png(2.0) {
                Ok(bytes) => file("image/png", bytes, Vec::new(), "png"),
                Err(_) => self.page(&view, &figures),
            },
            _ => self.page(&view, &figures),
        }
    }

    fn title(&self) -> String {
        match self.runs.as_slice() {
            [(name, _)] => name.clone(),
            runs => runs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" and "),
        }
    }

    /// The address of the page, without a query.
    pub(super) fn path(&self) -> String {
        match self.runs.as_slice() {
            [(name, _)] => format!("{ROOT}runs/{}", address::of(name)),
            _ => format!("{ROOT}compare"),
        }
    }

    /// The address of this view as a file.
    fn file(&self, view: &View, kind: &str, figure: Option<usize>) -> String {
        let mut query = view.query(&self.choices);
        if self.runs.len() > 1 {
            for (name, _) in &self.runs {
                query.push("run", name);
            }
        }
        query.push("as", kind);
        if let Some(figure) = figure.filter(|figure| *figure > 1) {
            query.push("figure", &figure.to_string());
        }
        format!("{}?{query}", self.path())
    }

    fn page(&self, view: &View, figures: &[Figure]) -> Response {
        let title = self.title();
        let body = html! {
            p { a href=(ROOT) { "All runs and reports" } }
            h1 { @if self.runs.len() > 1 { "Compare " } (title) }
            @for (name, results) in &self.runs { (self.about(name, results)) }
            @for remark in self.remarks.iter().chain(&view.notes) { p.lab-note role="status" { (remark) } }
            (view_form::form(self, view))
            @if figures.is_empty() {
                p.lab-note role="status" { "Too few values are selected to draw a curve." }
            } @else {
                p.lab-hint {
                    "Point at a curve for its numbers. Click a name to hide or show its curves. Drag over a plot to zoom."
                }
            }
            @for (i, figure) in figures.iter().enumerate() { (self.figure(view, figure, i + 1)) }
            h2 { "Final results" }
            (table::tables(self, view))
            p.lab-files {
                a href=(self.file(view, "csv", None)) { "Download CSV" }
                span.lab-soft { "Everything shown here, at every recorded round." }
            }
        };
        let assets = assets(&["figure.js", "gallery.js"]);
        Response::Page { title, body: body.into_string(), assets }
    }

    fn about(&self, name: &str, results: &Results) -> Markup {
        let manifest = &results.manifest;
        html! {
            p.lab-about {
                @if self.runs.len() > 1 { a href={ (ROOT) "runs/" (address::of(name)) } { (name) } ": " }
                (manifest.title) ". " (date(manifest.finished)) ", seed " (manifest.seed) ", " (count(manifest.rounds)) " rounds in total, tiltyard "
                (manifest.version) ", specification " code { (manifest.short_hash()) } "."
            }
        }
    }

    fn figure(&self, view: &View, figure: &Figure, number: usize) -> Markup {
        html! {
            div.lab-figure tabindex="0" role="group" aria-label={ "Figure " (number) } {
                (PreEscaped(figure.to_html(&format!("figure-{number}"))))
            }
            p.lab-files {
                @if view.is_zoomed() { button form="lab-view" name="whole" value="1" { "Whole range" } " " }
                a href=(self.file(view, "svg", Some(number))) { "Download SVG" }
                " " a href=(self.file(view, "png", Some(number))) { "Download PNG" }
            }
        }
    }

    fn csv(&self, view: &View) -> Vec<u8> {
        let several = self.runs.len() > 1;
        let rows = self.runs.iter().flat_map(|(name, results)| {
            let series = picture::subset(results, view).series().to_vec();
            series.into_iter().map(move |series| (several.then_some(name.as_str()), series))
        });
        series_to_csv(rows, several)
    }
}
