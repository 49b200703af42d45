//! The form that selects a view: worlds, policies, measure, axes and zoom.

use maud::{Markup, html};

use super::run_page::RunPage;
use super::view::{Asked, View, scale_name};
use crate::figure::Scale;

/// The form. It can do everything that the pointer can.
pub(super) fn form(page: &RunPage, view: &View) -> Markup {
    let several = page.runs.len() > 1;
    html! {
        details.lab-controls open[view.asked] {
            summary { "Choose worlds, policies, axes and zoom" }
            form #lab-view method="get" action=(page.path()) {
                @if several { @for (name, _) in &page.runs { input type="hidden" name="run" value=(name); } }
                input type="hidden" name="of" value=(view.measure.name());
                (boxes("Worlds", "world", &page.choices.worlds, &view.worlds))
                (boxes("Policies", "policy", &page.choices.policies, &view.policies))
                fieldset {
                    legend { "Measure" }
                    @for measure in &page.choices.measures {
                        label.lab-choice {
                            input type="radio" name="measure" value=(measure.name()) checked[*measure == view.measure];
                            " " (measure.label())
                        }
                    }
                }
                (axis("Horizontal axis", "x", view.x))
                (axis("Vertical axis", "y", view.y))
                div.lab-buttons {
                    button.primary type="submit" { "Show" }
                    " "
                    button type="submit" name="whole" value="1" { "Whole range" }
                    " "
                    // This address of a comparison would lose its runs.
                    @if !several { a href=(page.path()) { "Reset" } }
                }
            }
        }
    }
}

fn boxes(legend: &str, name: &str, all: &[(String, String)], chosen: &[String]) -> Markup {
    html! {
        fieldset.lab-boxes {
            legend { (legend) }
            @for (value, label) in all {
                label.lab-choice {
                    input type="checkbox" name=(name) value=(value) checked[chosen.contains(value)];
                    " " (label)
                }
            }
        }
    }
}

fn axis(legend: &str, name: &str, asked: Asked) -> Markup {
    let scales = [(None, "Default"), (Some(Scale::Log), "Logarithmic"), (Some(Scale::Linear), "Linear")];
    html! {
        fieldset.lab-axis {
            legend { (legend) }
            label {
                "Scale "
                select name={ (name) "-scale" } {
                    @for (scale, label) in scales {
                        option value=(scale.map(scale_name).unwrap_or_default()) selected[scale == asked.scale] { (label) }
                    }
                }
            }
            @for (side, label, end) in [("from", "From ", asked.span.from), ("to", "To ", asked.span.to)] {
                label {
                    (label)
                    input type="number" step="any" name={ (name) "-" (side) } value=(end.map(|end| end.to_string()).unwrap_or_default());
                }
            }
        }
    }
}
