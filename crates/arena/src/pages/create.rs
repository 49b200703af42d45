//! The form that creates an experiment.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use tiltyard_bandit::policy::registry;
use tiltyard_wire::DEFAULT_POLICY;

use super::failure::{Failure, capital};
use super::form::Form;
use super::layout::{Page, token};
use super::visitor::Visitor;
use crate::ArenaError;
use crate::app::{Shared, durable, off_thread};
use crate::domain::{Create, NewArm, Refusal, SETTINGS, Settings, Stop};
use crate::key::Action;

/// The form as it was filled in. All fields are kept as text, so a form with a mistake is shown
/// again exactly as it was.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(super) struct CreateForm {
    name: String,
    arms: String,
    shows: ContentKind,
    policy: String,
    confidence: String,
    margin: String,
    stop: Option<String>,
    voter_votes: String,
    voter_votes_per_minute: String,
    holdout: String,
}

/// The type of the content after the bar in the line of an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ContentKind {
    #[default]
    Text,
    Markdown,
    Image,
    Page,
}

impl ContentKind {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Text, "text", "Text"),
        (Self::Markdown, "markdown", "Markdown"),
        (Self::Image, "image", "Address of an image"),
        (Self::Page, "page", "Address of a page"),
    ];
}

impl Default for CreateForm {
    fn default() -> Self {
        Self {
            name: String::new(),
            arms: String::new(),
            shows: ContentKind::Text,
            policy: DEFAULT_POLICY.to_owned(),
            confidence: Settings::DEFAULT.confidence.to_string(),
            margin: String::new(),
            stop: None,
            voter_votes: String::new(),
            voter_votes_per_minute: String::new(),
            holdout: String::new(),
        }
    }
}

/// A mistake, and the field that it is in.
#[derive(Debug, PartialEq)]
struct FieldError {
    field: &'static str,
    text: String,
}

impl CreateForm {
    fn create(&self) -> Result<Create, FieldError> {
        let default = Settings::DEFAULT;
        let settings = Settings {
            confidence: number("confidence", &self.confidence)?.unwrap_or(default.confidence),
            margin: number("margin", &self.margin)?,
            stop: if self.stop.is_some() { Stop::Pause } else { Stop::Never },
            voter_votes: number("voter_votes", &self.voter_votes)?,
            voter_votes_per_minute: number("voter_votes_per_minute", &self.voter_votes_per_minute)?,
            holdout: number("holdout", &self.holdout)?.unwrap_or(default.holdout),
            ..default
        };
        Ok(Create {
            name: self.name.trim().to_owned(),
            arms: self.arms()?,
            policy: self.policy.trim().to_owned(),
            settings,
            distinct_by_policy: true,
        })
    }

    fn arms(&self) -> Result<Vec<NewArm>, FieldError> {
        read_arms(&self.arms, self.shows).map_err(|text| FieldError { field: "arms", text })
    }
}

/// Reads arms as [`read_arms`] does. The text after a bar is a label.
pub(super) fn read_arms_as_text(text: &str) -> Result<Vec<NewArm>, String> {
    read_arms(text, ContentKind::Text)
}

/// Reads arms, one per line: a name, `name | content`, or an arm in JSON.
fn read_arms(text: &str, shows: ContentKind) -> Result<Vec<NewArm>, String> {
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(place, line)| {
            if line.starts_with('{') {
                return serde_json::from_str(line).map_err(|error| format!("Line {}: {error}.", place + 1));
            }
            let Some((name, content)) = line.split_once('|') else { return Ok(NewArm::named(line)) };
            let (name, content) = (name.trim().to_owned(), content.trim());
            let payload = |key: &str| Some(serde_json::json!({ key: content }));
            let (label, payload) = match shows {
                ContentKind::Text => (Some(content.to_owned()), None),
                ContentKind::Markdown => (None, payload("markdown")),
                ContentKind::Image => (None, payload("image")),
                ContentKind::Page => (None, payload("url")),
            };
            Ok(NewArm { name, label, payload })
        })
        .collect()
}

/// A number, or nothing if the field is empty.
fn number<T: core::str::FromStr>(field: &'static str, text: &str) -> Result<Option<T>, FieldError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || FieldError { field, text: format!("`{text}` is not a valid number for this field.") };
    text.parse().map(Some).map_err(|_| wrong())
}

/// The legal values of a setting, in words.
fn legal(name: &str) -> String {
    SETTINGS
        .iter()
        .find(|setting| setting.name == name)
        .map_or_else(String::new, |known| known.legal.to_string())
}

/// The field that a refusal is about.
fn field_of(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Setting(error) => error.name,
        Refusal::Spec(_) | Refusal::Policy(_) | Refusal::Sequential { .. } | Refusal::NotDistinct { .. } => {
            "policy"
        }
        Refusal::Blank { what } | Refusal::ControlCharacter { what } | Refusal::TooLong { what, .. }
            if what.contains("experiment") =>
        {
            "name"
        }
        _ => "arms",
    }
}

pub(super) async fn form(visitor: Visitor) -> Result<Markup, Failure> {
    visitor.may(Action::Create, None)?;
    Ok(page(&visitor, &CreateForm::default(), None))
}

pub(super) async fn create(
    State(app): State<Shared>,
    visitor: Visitor,
    Form(wish): Form<CreateForm>,
) -> Result<Response, Failure> {
    visitor.may(Action::Create, None)?;
    let wrong = |wrong: &FieldError| {
        Ok((axum::http::StatusCode::UNPROCESSABLE_ENTITY, page(&visitor, &wish, Some(wrong))).into_response())
    };
    let request = match wish.create() {
        Ok(request) => request,
        Err(error) => return wrong(&error),
    };
    let arena = Arc::clone(&app.arena);
    match off_thread(move || arena.create(request)).await? {
        Ok(pending) => {
            let id = durable(pending).await?;
            Ok(Redirect::to(&format!("/experiments/{id}")).into_response())
        }
        Err(ArenaError::Refused(refusal)) => {
            let text = format!("{}.", capital(&refusal.to_string()));
            wrong(&FieldError { field: field_of(&refusal), text })
        }
        Err(error) => Err(error.into()),
    }
}

fn page(visitor: &Visitor, wish: &CreateForm, wrong: Option<&FieldError>) -> Markup {
    let field = |name: &'static str, label: &str, hint: &str, input: &dyn Fn(Attributes) -> Markup| {
        let error = wrong.filter(|wrong| wrong.field == name);
        let described =
            if error.is_some() { format!("{name}-hint {name}-error") } else { format!("{name}-hint") };
        html! {
            div.field {
                label for=(name) { (label) }
                span.hint id={ (name) "-hint" } { (hint) }
                (input(Attributes { name, described: &described, invalid: error.map(|_| "true") }))
                @if let Some(error) = error { p.error id={ (name) "-error" } role="alert" { (error.text) } }
            }
        }
    };
    let text = |value: &str| {
        let value = value.to_owned();
        move |Attributes { name, described, invalid }: Attributes| {
            html! { input id=(name) name=(name) type="text" value=(value) aria-describedby=(described) aria-invalid=[invalid]; }
        }
    };
    let body = html! {
        h1 { "New experiment" }
        @if wrong.is_some() { div.notice.bad { p { "The experiment was not created. Correct the field that is marked below." } } }
        form.stack method="post" action="/new" {
            (token(visitor))
            (field("name", "Name", "Shown on the dashboard and to voters.", &text(&wish.name)))
            (field("arms", "Arms", "The candidates to compare: at least two, one per line. To show voters another text than the name, write “name | text for voters”. \
                A line that starts with { is an arm in JSON with name, label and payload.", &|Attributes { name, described, invalid }| html! {
                textarea id=(name) name=(name) rows="8" required spellcheck="false" aria-describedby=(described) aria-invalid=[invalid] { (wish.arms) }
            }))
            (field("shows", "Content type", "How the voting page shows the text for voters.", &|Attributes { name, described, .. }| html! {
                select id=(name) name=(name) aria-describedby=(described) {
                    @for (shows, value, words) in ContentKind::ALL { option value=(value) selected[wish.shows == shows] { (words) } }
                }
            }))
            details open[wrong.is_some_and(|wrong| !["name", "arms", "shows"].contains(&wrong.field))] {
                summary { "More settings" }
                div.stack {
                    (field("confidence", "Confidence", "How sure a verdict must be. At 0.95, the chance of ever naming a wrong winner is at most 5 %, even if you check after every vote.", &text(&wish.confidence)))
                    (field("margin", "Margin", "The largest difference in the probability of winning that does not matter, such as 0.02. Leave it empty to find the single best arm.", &text(&wish.margin)))
                    div.check {
                        input #stop name="stop" type="checkbox" value="pause" checked[wish.stop.is_some()];
                        label for="stop" { "Pause once there is a verdict" }
                    }
                    (field("voter_votes", "Maximum votes per voter", "Leave it empty for no limit.", &text(&wish.voter_votes)))
                    (field("voter_votes_per_minute", "Maximum votes per voter per minute", "Leave it empty for no limit.", &text(&wish.voter_votes_per_minute)))
                    (field("holdout", "Holdout share", &format!("The share of duels that are drawn uniformly and never learned from, to check the policy: {}.", legal("holdout")), &text(&wish.holdout)))
                    (field("policy", "Policy", "The algorithm that chooses the pairs. rex3 learns from the votes and shows better arms more often; random shows all pairs equally often.", &|Attributes { name, described, invalid }| html! {
                        input id=(name) name=(name) type="text" list="policies" value=(wish.policy) spellcheck="false" aria-describedby=(described) aria-invalid=[invalid];
                        datalist #policies { @for info in registry::all() { option value=(info.name) { (info.title) } } }
                    }))
                }
            }
            div.actions {
                button.primary { "Create and start" }
                a.button href="/" { "Cancel" }
            }
        }
    };
    Page { title: "New experiment", assets: &[], body }.render(visitor)
}

/// The attributes of an input, apart from its value.
struct Attributes<'a> {
    name: &'a str,
    described: &'a str,
    invalid: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_arms_one_a_line() {
        let arms = read_arms("a\n\n b | Buy now \n{\"name\": \"c\", \"label\": \"C\"}\n", ContentKind::Text)
            .expect("arms");
        let names: Vec<_> = arms.iter().map(|arm| (arm.name.as_str(), arm.label.as_deref())).collect();
        assert_eq!(names, [("a", None), ("b", Some("Buy now")), ("c", Some("C"))]);
        let arms = read_arms("a | **bold**", ContentKind::Markdown).expect("arms");
        assert_eq!(arms[0].payload, Some(serde_json::json!({ "markdown": "**bold**" })));
        let error = read_arms("a\n{oops", ContentKind::Text).expect_err("no JSON");
        assert!(error.starts_with("Line 2: "), "{error}");
    }

    #[test]
    fn trace_numbers() {
        assert_eq!(number::<f64>("margin", " "), Ok(None));
        assert_eq!(number("margin", "0.02"), Ok(Some(0.02)));
        assert_eq!(number::<u64>("voter_votes", "-3").map_err(|wrong| wrong.field), Err("voter_votes"));
    }
}
