//! Changes to an experiment, sent by forms.

use axum::extract::{FromRequest, FromRequestParts, Path, Request, State};
use axum::response::Redirect;
use maud::{Markup, html};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tiltyard_wire::ProblemCode;

use super::experiment_id;
use crate::app::{Problem, Shared, blocking, durable};
use crate::arena::Pending;
use crate::domain::Status;
use crate::id::ExperimentId;
use crate::key::{Action, Scope};
use crate::pages::create::read_arms_as_text;
use crate::pages::failure::Failure;
use crate::pages::form::{Form, Nothing};
use crate::pages::layout::Page;
use crate::pages::visitor::Visitor;

#[derive(Debug, Deserialize)]
pub(in crate::pages) struct NewStatus {
    status: Status,
    /// Present if the visitor confirmed that they want to close the experiment, which is final.
    sure: Option<String>,
}

pub(in crate::pages) async fn change_status(
    State(app): State<Shared>,
    Change(id, NewStatus { status, sure }): Change<NewStatus>,
) -> Result<Redirect, Failure> {
    if status == Status::Closed && sure.is_none() {
        return Err(Problem::invalid("closing is final: tick the box to confirm it").into());
    }
    let change = blocking(&app, move |arena| arena.change(id, status)).await?;
    after(id, change).await
}

#[derive(Debug, Deserialize)]
pub(in crate::pages) struct NewArms {
    arms: String,
}

pub(in crate::pages) async fn add_arms(
    State(app): State<Shared>,
    Change(id, NewArms { arms }): Change<NewArms>,
) -> Result<Redirect, Failure> {
    let arms = read_arms_as_text(&arms).map_err(Problem::invalid)?;
    let change = blocking(&app, move |arena| arena.add_arms(id, arms)).await?;
    after(id, change).await
}

#[derive(Debug, Deserialize)]
pub(in crate::pages) struct OneArm {
    arm: String,
}

pub(in crate::pages) async fn retire(
    State(app): State<Shared>,
    Change(id, OneArm { arm }): Change<OneArm>,
) -> Result<Redirect, Failure> {
    let change = blocking(&app, move |arena| arena.retire_arm(id, &arm)).await?;
    after(id, change).await
}

pub(in crate::pages) async fn restore(
    State(app): State<Shared>,
    Change(id, OneArm { arm }): Change<OneArm>,
) -> Result<Redirect, Failure> {
    let change = blocking(&app, move |arena| arena.restore_arm(id, &arm)).await?;
    after(id, change).await
}

/// Creates a link for voters: an address with the secret of a voter key. It is shown only once.
pub(in crate::pages) async fn link(
    State(app): State<Shared>,
    visitor: Visitor,
    Path(id): Path<String>,
    Form(Nothing {}): Form<Nothing>,
) -> Result<Markup, Failure> {
    let id = experiment_id(&id)?;
    visitor.may(Action::Keys, None)?;
    let label = Some("a link for voters".to_owned());
    let (_, secret) =
        blocking(&app, move |arena| arena.make_key(Scope::Voter, Some(id), label, None)).await?;
    let path = format!("/vote/{}", secret.expose());
    let body = html! {
        h1 { "Link for voters" }
        div.card {
            p { "Send this address to voters. It is shown only once. If it is lost, create another." }
            p { a.link href=(path) { (path) } }
            p.soft.small { "If the address starts with /vote, put the address of this server in front of it. An address with 127.0.0.1 or localhost works only on this computer." }
        }
        p { a href={ "/experiments/" (id) } { "Back to the experiment" } }
    };
    Ok(Page { title: "Link for voters", assets: &["dashboard.js"], body }.render(&visitor))
}

/// A form about an experiment that the visitor may change.
pub(in crate::pages) struct Change<T>(ExperimentId, T);

impl<T: DeserializeOwned> FromRequest<Shared> for Change<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let id = Path::<String>::from_request_parts(&mut parts, app).await;
        // The origin of the form is checked first: a forged form must not lead to the sign-in page.
        let Form(form) = Form::from_request(Request::from_parts(parts, body), app).await?;
        let id = experiment_id(&id.map_err(|_| ProblemCode::NoExperiment)?)?;
        visitor.may(Action::Change, Some(id))?;
        Ok(Self(id, form))
    }
}

/// Redirects to the experiment's page once the change is durable.
async fn after<T>(id: ExperimentId, change: Pending<T>) -> Result<Redirect, Failure> {
    durable(change).await?;
    Ok(Redirect::to(&format!("/experiments/{id}")))
}
