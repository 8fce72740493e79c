//! What somebody sees who follows a link that was sent to them, and the decision that they make there.
//!
//! Looking never decides and never uses a link up, because chat programs and mail filters open every link before a person does.
//! Deciding needs the form of the page, whose token is good for this link and for half an hour; an approval also needs its
//! box to be ticked. The first decision on an item is the only one, whoever makes it and however. A link that is wrong
//! counts as a wrong key, and tells nothing about what exists.

use super::review_page::{self, Problem, Shown, language_of};
use super::reviews::{resolve, reviewer};
use crate::serve::body::{Path, read};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::limits::Peer;
use crate::serve::review_links::{NoRights, rights};
use crate::serve::state::App;
use axum::body::Body;
use axum::extract::{Form, FromRequest, Request, State};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use countersign_runtime::review::{Decision, Resolution, Review, ReviewError, ReviewState};
use countersign_runtime::review_alerts::{Link, LinkKey};
use countersign_runtime::stream::now_millis;
use serde::Deserialize;
use std::sync::Arc;

/// `GET /review/{link}`: shows the item, and decides nothing.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let language = language_of(request.headers());
    let followed = match follow(&app, &text, request.extensions().get().copied()).await? {
        Ok(followed) => followed,
        Err(problem) => return Ok(review_page::problem(&problem, language)),
    };
    let token = followed.key.form_token(&followed.link, now_millis());
    let name = followed.link.channel.as_str();
    Ok(review_page::item(&Shown { review: &followed.review, reviewer: name, token: &token, language }))
}

/// What the form says.
#[derive(Debug, Deserialize)]
struct Said {
    token: String,
    decision: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    confirm: String,
}

/// `POST /review/{link}`: takes the decision.
pub(super) async fn decide(
    State(app): State<Arc<App>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let language = language_of(request.headers());
    let problem = |problem: &Problem| Ok(review_page::problem(problem, language));
    let followed = match follow(&app, &text, request.extensions().get().copied()).await? {
        Ok(followed) => followed,
        Err(found) => return problem(&found),
    };
    let Some(said) = form(request).await? else { return problem(&Problem::NoForm) };
    if followed.key.check_form(&followed.link, &said.token, now_millis()).is_err() {
        return problem(&Problem::StaleForm);
    }
    let decision = match (said.decision.as_str(), said.confirm.as_str()) {
        ("reject", _) => Decision::Reject,
        ("approve", _) if review_page::is_too_long(&followed.review) => {
            return problem(&Problem::TooLong);
        }
        ("approve", "yes") => Decision::Approve,
        ("approve", _) => return problem(&Problem::Unconfirmed),
        _ => return problem(&Problem::NoForm),
    };
    let reason = Some(said.reason.trim()).filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| reason.chars().take(LONGEST_REASON).collect());
    let resolution = Resolution { decision, reason, arguments: None, content: None };
    // Who says it stands beside the key, and that it came by a link.
    let who = reviewer(&followed.caller, Some(format!("{}, by link", followed.link.channel)));
    match resolve(&app, &followed.review.review_id, resolution, &who).await {
        Ok(review) => Ok(review_page::decided(&review, language)),
        Err(ReviewError::Over(_) | ReviewError::Raced) => {
            let review = app.services.reviews.get(&followed.review.review_id).await?;
            problem(&Problem::Over(Box::new(review)))
        }
        Err(ReviewError::Reserved(name)) => problem(&Problem::Reserved(name)),
        Err(error) => Err(error.into()),
    }
}

/// A link that opens an item which waits.
struct Followed {
    link: Link,
    key: LinkKey,
    review: Review,
    caller: Caller,
}

/// Follows a link to its item, or says why it leads nowhere.
async fn follow(app: &App, text: &str, peer: Option<Peer>) -> Result<Result<Followed, Problem>, ApiError> {
    let Some((key, link, review)) = open(app, text).await? else {
        app.limits.guess(peer).map_err(ApiError::limited)?;
        app.metrics.denied.of(["404"]).add_one();
        return Ok(Err(Problem::Wrong));
    };
    if review.state != ReviewState::Pending {
        return Ok(Err(Problem::Over(Box::new(review))));
    }
    Ok(match rights(app, &link.channel, &review) {
        Ok(caller) => Ok(Followed { link, key, review, caller }),
        Err(NoRights::OwnCall) => Err(Problem::OwnCall),
        Err(NoRights::Unknown | NoRights::NoKey) => Err(Problem::NoRights),
    })
}

/// The item of a link that was signed here.
async fn open(app: &App, text: &str) -> Result<Option<(LinkKey, Link, Review)>, ApiError> {
    let (Some(key), Ok(link)) = (app.link_key.clone(), Link::read(text)) else { return Ok(None) };
    let review = match app.services.reviews.get(&link.review_id).await {
        Ok(review) => review,
        Err(ReviewError::Missing(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(key.check(&link, &review).is_ok().then_some((key, link, review)))
}

/// The form, read within its limit; none where it is no such form.
async fn form(request: Request) -> Result<Option<Said>, ApiError> {
    let kind = request.headers().get(CONTENT_TYPE).cloned();
    let bytes = read(request, LARGEST).await?;
    let mut whole = Request::new(Body::from(bytes));
    *whole.method_mut() = Method::POST;
    whole.headers_mut().extend(kind.map(|kind| (CONTENT_TYPE, kind)));
    Ok(Form::<Said>::from_request(whole, &()).await.ok().map(|form| form.0))
}

/// More than a token and a reason need.
const LARGEST: usize = 16 * 1024;
const LONGEST_REASON: usize = 2000;
