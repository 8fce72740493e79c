//! People: what waits for them, and what they say.

use super::review_detail;
use super::sse::answer;
use super::unreadable::name_unreadable;
use crate::serve::body::{Json, MaybeJson, Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use countersign::contract::Status;
use countersign_runtime::review::{Decided, Decision, Review, ReviewState};
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
pub struct ListQuery {
    state: Option<String>,
    tool: Option<String>,
    order: Option<String>,
    brief: Option<bool>,
    limit: Option<usize>,
}

/// Lists items, the oldest first where nothing else is asked for.
pub async fn list(State(app): State<Arc<App>>, Query(query): Query<ListQuery>) -> Shown {
    let state = query.state.as_deref().map(state).transpose()?;
    let order = query.order.as_deref().map_or(Ok(Order::OldestFirst), order_named)?;
    let limit = query.limit.unwrap_or(200).clamp(1, 1000);
    let reviews = match &query.tool {
        Some(tool) => app.house.reviews.list_of_tool(tool, state, order, limit).await?,
        None => app.house.reviews.list(state, order, limit).await?,
    };
    let show = if query.brief == Some(true) { brief } else { Review::shown };
    let shown: Vec<_> = reviews.iter().map(show).collect();
    Ok(axum::Json(name_unreadable(&app, Kind::Review, json!({ "reviews": shown }))))
}

/// An item in a line: for who only counts, or looks whether something is new.
fn brief(review: &Review) -> Value {
    json!({
        "review_id": review.review_id, "state": review.state, "tool": review.tool, "session_id": review.session_id,
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

/// Looks at an item, with everything around it.
pub async fn look(State(app): State<Arc<App>>, Path(id): Path<String>) -> Shown {
    let review = app.house.reviews.get(&id).await?;
    Ok(axum::Json(review_detail::detail(&app, review).await?))
}

/// Who takes an item, or gives it back.
#[derive(Debug, Default, Deserialize)]
pub struct Reserve {
    reviewer: Option<String>,
}

/// Takes an item for a person.
pub async fn reserve(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(wish): Json<Reserve>,
) -> Shown {
    let (reviewer, key) = person(wish, &caller)?;
    Ok(axum::Json(app.house.reviews.reserve(&id, &reviewer, key.as_deref()).await?.shown()))
}

/// The person, and the key they came with; a key alone stands for its person.
fn person(wish: Reserve, caller: &Caller) -> Result<(String, Option<String>), ApiError> {
    let reviewer = wish.reviewer.filter(|name| !name.trim().is_empty());
    let key = caller.key_id.as_ref().map(ToString::to_string);
    let reviewer = reviewer.or_else(|| key.clone());
    let reviewer = reviewer.ok_or_else(|| ApiError::bad_request("`reviewer` must name a person", "reviewer"))?;
    Ok((reviewer, key))
}

/// Gives an item back, so that another person may take it.
pub async fn give_back(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    MaybeJson(wish): MaybeJson<Reserve>,
) -> Shown {
    let (reviewer, key) = person(wish, &caller)?;
    let review = app.house.reviews.give_back(&id, &reviewer, key.as_deref()).await?;
    Ok(axum::Json(review.shown()))
}

/// What a person says.
#[derive(Debug, Deserialize)]
pub struct Decide {
    decision: Decision,
    arguments: Option<Value>,
    reason: Option<String>,
    reviewer: Option<String>,
}

/// Takes what a person says. An edit is checked like any call.
pub async fn decide(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(said): Json<Decide>,
) -> Shown {
    let arguments = match (said.decision, said.arguments) {
        (Decision::Edit, Some(arguments @ Value::Object(_))) => Some(check(&app, &id, arguments).await?),
        (Decision::Edit, _) => {
            return Err(ApiError::bad_request("an edit needs `arguments`, an object", "arguments"));
        }
        _ => None,
    };
    let key = caller.key_id.as_ref().map(ToString::to_string);
    let Decide { decision, reviewer, reason, .. } = said;
    let decided = Decided { decision, reviewer, key, reason, arguments };
    let review = app.house.reviews.decide(&id, decided).await?;
    app.metrics.reviews.of([review.state.name()]).add_one();
    Ok(axum::Json(review.shown()))
}

/// The arguments to run, certain repairs made; or 422, and the item stays as it is.
async fn check(app: &Arc<App>, id: &str, arguments: Value) -> Result<Value, ApiError> {
    let review = app.house.reviews.get(id).await?;
    if review.state != ReviewState::Pending {
        return Err(ApiError::conflict(format!("this review is {} already", review.state.name())));
    }
    let rules = Arc::clone(&app.live.current().rules);
    let typed = arguments.clone();
    let verdict = app.heavy.run(move || recheck(&rules, &review, &typed)).await?;
    match verdict.status {
        Status::Rejected | Status::ValidationFailed => {
            let message = format!("the edited arguments do not pass: {}", verdict.explanation);
            Err(ApiError::unprocessable(message)
                .with_param("arguments")
                .with_detail("findings", json!(verdict.findings)))
        }
        _ => Ok(verdict.call.map_or(arguments, |call| json!(call.arguments))),
    }
}

/// Every item that waits, and then every change, as server-sent events.
pub async fn events(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let changes = app.house.reviews.changes();
    let waiting = app.house.reviews.list(Some(ReviewState::Pending), Order::OldestFirst, 1000).await?;
    // While somebody looks, calls on the drop-in routes wait for them.
    let open = (app.metrics.open_streams.hold(), app.counter.reviewers.hold());
    let first: VecDeque<Review> = waiting.into();
    let (heartbeat, end) = (app.config.sessions.heartbeat, app.shutdown.begun().clone());
    let frames = stream::unfold(Some((first, changes, open)), move |state| {
        let end = end.clone();
        async move {
            let (mut first, mut changes, open) = state?;
            if let Some(review) = first.pop_front() {
                return Some((frame(&review), Some((first, changes, open))));
            }
            let next = async {
                loop {
                    match changes.recv().await {
                        Ok(review) => return Some(review),
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
