//! People: what waits for them, and what they say.

use super::access;
use super::review_detail;
use super::sse::answer;
use super::unreadable::name_unreadable;
use crate::serve::body::{Json, MaybeJson, Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::{Caller, Scope};
use crate::serve::origin;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use bytes::Bytes;
use countersign::contract::{Language, Status};
use countersign_runtime::review::{About, Decision, Resolution, Review, ReviewError, ReviewState, Reviewer};
use countersign_runtime::store::{Kind, Order};
use countersign_runtime::stream::frame::HEARTBEAT;
use countersign_runtime::turn::recheck;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;

type Shown = Result<axum::Json<Value>, ApiError>;

/// Which items.
#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    state: Option<String>,
    tool: Option<String>,
    order: Option<String>,
    brief: Option<bool>,
    limit: Option<usize>,
}

/// Lists items, the oldest first where nothing else is asked for: all for who reviews, else those of one's own calls.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<ListQuery>,
) -> Shown {
    let state = query.state.as_deref().map(state).transpose()?;
    let order = query.order.as_deref().map_or(Ok(Order::OldestFirst), order_named)?;
    let limit = query.limit.unwrap_or(200).clamp(1, 1000);
    let tool = query.tool.as_deref();
    let wanted =
        |review: &Review| access::sees_review(&caller, review.owner()) && tool.is_none_or(|tool| review.tool == tool);
    let sees_all = access::sees_review(&caller, "");
    let reviews = if tool.is_none() && sees_all {
        app.services.reviews.list(state, order, limit).await?
    } else {
        app.services.reviews.list_where(state, order, limit, wanted).await?
    };
    let show = if query.brief == Some(true) { brief } else { Review::shown };
    let shown: Vec<_> = reviews.iter().map(show).collect();
    let answer = json!({ "reviews": shown });
    // Whose a row is that cannot be read nobody knows.
    Ok(axum::Json(if sees_all { name_unreadable(&app, Kind::Review, answer) } else { answer }))
}

/// An item in a line: for who only counts, or looks whether something is new.
fn brief(review: &Review) -> Value {
    json!({
        "review_id": review.review_id, "state": review.state, "about": review.about(), "tool": review.tool, "session_id": review.session_id,
        "created_at": review.created_at, "expires_at": review.expires_at, "reserved_by": review.reserved_by,
    })
}

fn order_named(word: &str) -> Result<Order, ApiError> {
    match word {
        "oldest" => Ok(Order::OldestFirst),
        "newest" => Ok(Order::NewestFirst),
        _ => Err(ApiError::bad_request(format!("there is no order {word:?}; choose oldest or newest"), "order")),
    }
}

fn state(word: &str) -> Result<ReviewState, ApiError> {
    serde_json::from_value(json!(word)).map_err(|_| {
        let message = format!("there is no state {word:?}; choose pending, approved, edited, rejected or expired");
        ApiError::bad_request(message, "state")
    })
}

/// In which language the reasons are told.
#[derive(Debug, Deserialize)]
pub(super) struct LookQuery {
    language: Option<String>,
}

fn read_language(word: &str) -> Result<Language, ApiError> {
    serde_json::from_value(json!(word))
        .map_err(|_| ApiError::bad_request(format!("there is no language {word:?}; choose en or zh"), "language"))
}

/// Looks at an item, with everything around it.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(query): Query<LookQuery>,
) -> Shown {
    let review = access::review(&app, &caller, &id).await?;
    let language = match query.language.as_deref().filter(|word| !word.is_empty()) {
        None => None,
        Some(word) => Some(read_language(word)?),
    };
    Ok(axum::Json(review_detail::detail(&app, review, language).await?))
}

/// Who takes an item, or gives it back.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Reserve {
    reviewer: Option<String>,
}

/// Takes an item for a person.
pub(super) async fn reserve(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(wish): Json<Reserve>,
) -> Shown {
    let reviewer = check_name(reviewer(&caller, wish.reviewer))?;
    access::review_to_decide(&app, &caller, &id).await?;
    Ok(axum::Json(app.services.reviews.reserve(&id, &reviewer).await?.shown()))
}

/// Gives an item back, so that another person may take it.
pub(super) async fn give_back(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    MaybeJson(wish): MaybeJson<Reserve>,
) -> Shown {
    let reviewer = check_name(reviewer(&caller, wish.reviewer))?;
    Ok(axum::Json(app.services.reviews.give_back(&id, &reviewer).await?.shown()))
}

/// Who decides: the key's name where there are keys, and what they call themselves beside it.
pub(super) fn reviewer(caller: &Caller, called: Option<String>) -> Reviewer {
    let word = |word: &Option<Arc<str>>| word.as_ref().map(ToString::to_string);
    let called = called.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    Reviewer { key: word(&caller.key_id), key_name: word(&caller.name), called }
}

/// Somebody with a name: who has an item must be known to the others.
fn check_name(reviewer: Reviewer) -> Result<Reviewer, ApiError> {
    let nameless = || ApiError::bad_request("`reviewer` must name a person", "reviewer");
    reviewer.name().is_some().then_some(reviewer).ok_or_else(nameless)
}

/// What a person says.
#[derive(Debug, Deserialize)]
pub(super) struct Decide {
    decision: Decision,
    arguments: Option<Value>,
    content: Option<Value>,
    reason: Option<String>,
    reviewer: Option<String>,
}

/// Takes what a person says. An edit of a call is checked like any call; a result or an answer is replaced as it is typed.
pub(super) async fn decide(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(said): Json<Decide>,
) -> Shown {
    let review = access::review_to_decide(&app, &caller, &id).await?;
    let about = review.about();
    let arguments = match (said.decision, said.arguments) {
        // What cannot be said about the item is refused by the queue.
        (_, arguments) if about != About::Call || said.content.is_some() => arguments,
        (Decision::Edit, Some(arguments @ Value::Object(_))) => Some(check(&app, review, arguments).await?),
        (Decision::Edit, _) => {
            return Err(ApiError::bad_request("an edit needs `arguments`, an object", "arguments"));
        }
        _ => None,
    };
    let reviewer = reviewer(&caller, said.reviewer);
    let resolution = Resolution { decision: said.decision, reason: said.reason, arguments, content: said.content };
    Ok(axum::Json(resolve(&app, &id, resolution, &reviewer).await?.shown()))
}

/// Takes what somebody who may decide says, and tells the session of it.
pub(super) async fn resolve(
    app: &App,
    id: &str,
    resolution: Resolution,
    reviewer: &Reviewer,
) -> Result<Review, ReviewError> {
    let review = app.services.reviews.decide(id, resolution, reviewer).await?;
    app.metrics.reviews.of([review.state.name()]).add_one();
    // The decision stands; a session that could not be told of it looks it up when its next turn begins.
    if let Err(error) = app.services.turns.tell_decision(&review).await {
        tracing::warn!(review = review.review_id, %error, "a decision could not be told in its session");
    }
    Ok(review)
}

/// The arguments to run, certain repairs made; or 422, and the item stays as it is.
async fn check(app: &Arc<App>, review: Review, arguments: Value) -> Result<Value, ApiError> {
    if review.state != ReviewState::Pending {
        return Err(ApiError::conflict(format!("this review is {} already", review.state.name())));
    }
    let rules = Arc::clone(&app.policy.current().rules);
    let typed = arguments.clone();
    let verdict = app.heavy.run(move || recheck(&rules, &review, &typed)).await?;
    match verdict.status {
        Status::Rejected | Status::ValidationFailed => {
            let message = format!("the edited arguments do not pass: {}", verdict.explanation);
            Err(ApiError::unprocessable(message)
                .with_param("arguments")
                .with_detail("findings", json!(verdict.findings)))
        }
        _ => Ok(verdict.into_details().call.map_or(arguments, |call| json!(call.arguments))),
    }
}

/// Every item that waits, and then every change, as server-sent events.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let changes = app.services.reviews.changes();
    let seen = |review: &Review| access::sees_review(&caller, review.owner());
    let waiting = app.services.reviews.list_where(Some(ReviewState::Pending), Order::OldestFirst, 1000, seen).await?;
    // While somebody looks who may decide, calls on the drop-in routes wait for them.
    let watches = caller.may(Scope::Review) && origin::is_meant(&app.config, &headers, &uri);
    let watching = watches.then(|| app.gateway_setup.reviewers.watch(caller.key_id.clone()));
    let open = (app.metrics.open_streams.hold(), watching);
    let first: VecDeque<Review> = waiting.into();
    let (heartbeat, end) = (app.config.sessions.heartbeat, app.shutdown.begun().clone());
    let frames = stream::unfold(Some((first, changes, open)), move |state| {
        let (end, caller) = (end.clone(), caller.clone());
        async move {
            let (mut first, mut changes, open) = state?;
            if let Some(review) = first.pop_front() {
                return Some((frame(&review), Some((first, changes, open))));
            }
            let next = async {
                loop {
                    match changes.recv().await {
                        Ok(review) if access::sees_review(&caller, review.owner()) => return Some(review),
                        Ok(_) => {}
                        Err(broadcast::error::RecvError::Lagged(_)) => {}
                        Err(broadcast::error::RecvError::Closed) => return None,
                    }
                }
            };
            let bytes = tokio::select! {
                () = end.cancelled() => None,
                next = tokio::time::timeout(heartbeat, next) => match next {
                    Err(_) => Some(Bytes::from_static(HEARTBEAT)),
                    Ok(review) => review.map(|review| frame(&review)),
                },
            };
            match bytes {
                Some(bytes) => Some((bytes, Some((first, changes, open)))),
                None => Some((Bytes::from_static(countersign_runtime::stream::frame::DONE), None)),
            }
        }
    });
    answer(frames)
}

fn frame(review: &Review) -> Bytes {
    Bytes::from(format!("event: review\ndata: {}\n\n", review.shown()))
}
