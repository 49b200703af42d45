//! `report.html`: one file that works offline, in light and dark mode, on desktops and phones.

mod claims;
mod ranking;
mod summary;
mod tables;
mod text;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::matrices::Row;
use super::paper::{Notes, Paper};
use super::reference::Comparison;
use super::report_directory::{ExperimentFacts, Outcome, ReportManifest};
use crate::claim::Finding;
use crate::figure::{Figure, html_head};

pub(super) use ranking::{Ranking, rankings};

/// The style sheet of a report. Figures have their own.
pub(crate) const STYLE: &str = include_str!("report/report.css");

/// The contents of a report.
pub(super) struct Report<'a> {
    pub(super) paper: &'static Paper,
    pub(super) manifest: &'a ReportManifest,
    pub(super) sections: &'a [Section],
    pub(super) matrices: &'a [Row],
    pub(super) sources: Sources,
    pub(super) findings: &'a [Finding],
}

/// How many data sets are real, and how many are stand-ins for missing data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources {
    pub(super) stand_ins: usize,
    pub(super) real: usize,
}

/// One experiment of a report: a figure, or an additional experiment for claims, which is not
/// drawn.
pub(super) struct Section {
    pub(super) about: &'static str,
    pub(super) facts: ExperimentFacts,
    pub(super) figures: Vec<Figure>,
    /// The policies at the end of the runs, one ranking per world.
    pub(super) rankings: Vec<Ranking>,
    pub(super) references: Vec<Comparison>,
}

impl Report<'_> {
    pub(super) fn to_html(&self) -> String {
        let figures: Vec<&str> = self.drawn().map(|section| section.facts.id.as_str()).collect();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content={ "tiltyard " (self.manifest.version) };
                    title { (self.paper.title) }
                    (PreEscaped(html_head()))
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (self.top())
                    main {
                        (summary::summary(self))
                        (self.figures())
                        @if self.paper.has_matrices { (tables::matrices(self.matrices)) }
                        (claims::claims(self.paper, self.findings, &figures))
                        (tables::references(self.sections))
                        (errata(&self.paper.notes))
                        (tables::run(self))
                    }
                }
            }
        };
        page.into_string()
    }

    /// The outcome of the job. It exists, because the report is written last.
    fn outcome(&self) -> &Outcome {
        self.manifest.outcome.as_ref().expect("the report is written after everything was run")
    }

    /// The sections with figures.
    fn drawn(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| !section.figures.is_empty())
    }

    fn top(&self) -> Markup {
        let links = [
            ("summary", "Summary", true),
            ("figures", "Figures", self.drawn().next().is_some()),
            ("matrices", "Matrices", self.paper.has_matrices),
            ("claims", "Claims", true),
            ("reference", "Reference numbers", !tables::comparisons(self.sections).is_empty()),
            ("errata", self.paper.notes.linked, !self.paper.notes.errata.is_empty()),
            ("run", "Run details", true),
        ];
        // The only external link in the report. Nothing is loaded from it.
        let citation = &self.paper.citation;
        html! {
            header {
                h1 { (self.paper.title) }
                p.lead {
                    (self.paper.words.covers) " " (citation.authors) ", " cite { (citation.title) }
                    " (" (citation.venue) ", " a href=(citation.link) { (citation.linked) } "), recomputed."
                }
                p.chips {
                    span.chip { (self.manifest.scale) " scale" }
                    span.chip { "seed " (self.manifest.seed) }
                    span.chip { "tiltyard " (self.manifest.version)
                        @if let Some(revision) = &self.manifest.revision { " (" (text::short_hash(revision)) ")" } }
                    span.chip { (text::date(self.outcome().finished)) }
                }
                nav aria-label="Contents" {
                    @for (id, text, _) in links.into_iter().filter(|link| link.2) { a href={ "#" (id) } { (text) } }
                }
            }
        }
    }

    fn figures(&self) -> Markup {
        if self.drawn().next().is_none() {
            return html! {};
        }
        html! {
            section #figures {
                h2 { "Figures" }
                p {
                    "Point at a curve to see its numbers. Click on a name to hide or show its curves. Lines are policies that need no "
                    "horizon. Points with bars are policies that know the horizon and have separate runs for each horizon. "
                    "The shaded band is the 95 % interval of the mean. The fainter band spans the best and the worst run; it is not a confidence interval."
                }
                @for section in self.drawn() { (figure(section)) }
            }
        }
    }
}

fn figure(section: &Section) -> Markup {
    let ExperimentFacts { id, title, .. } = &section.facts;
    html! {
        article.figure id={ "figure-" (id) } {
            h3 { (title) " " code { (id) } }
            p { (section.about) }
            @for (i, figure) in section.figures.iter().enumerate() {
                div.wide tabindex="0" role="group" aria-label=(figure.title) {
                    (PreEscaped(figure.to_html(&format!("plot-{id}-{i}"))))
                }
            }
            (ranking::table(&section.rankings))
        }
    }
}

fn errata(notes: &Notes) -> Markup {
    if notes.errata.is_empty() {
        return html! {};
    }
    html! {
        section #errata {
            h2 { (notes.heading) }
            p { (notes.errata.len()) " " (notes.about) }
            div.cards {
                @for erratum in notes.errata {
                    article.card id=(erratum.id) {
                        h3 { span.id { (erratum.id) } " " (erratum.title) }
                        p { (text::with_code(erratum.issue)) }
                        p { strong { "Here: " } (text::with_code(erratum.resolution)) }
                    }
                }
            }
        }
    }
}
