//! Sessions: made, listed, looked at, removed.

use super::access;
use super::unreadable::name_unreadable;
use crate::serve::body::{Json, Path, Query};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use countersign::contract::EventType;
use countersign::wire::tools::read_tools;
use countersign_runtime::review::ReviewState;
use countersign_runtime::sessions::{NewSession, Session};
use countersign_runtime::stop::StopSwitch;
use countersign_runtime::store::{Entry, Kind, Order, Scope};
use countersign_runtime::stream::timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// What a session is made from.
#[derive(Debug, Deserialize)]
pub(super) struct Create {
    agent: Option<String>,
    user: Option<Value>,
    model: Option<String>,
    tools: Option<Vec<Value>>,
    context: Option<Value>,
}

/// Makes a session.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(wish): Json<Create>,
) -> Result<Response, ApiError> {
    let session = app.services.sessions.create(read(&app, access::name(&caller), wish)?).await?;
    Ok((StatusCode::CREATED, axum::Json(render(&session))).into_response())
}

/// What a session is made from, checked.
pub(super) fn read(app: &App, caller: String, wish: Create) -> Result<NewSession, ApiError> {
    let name = wish.agent.as_deref().unwrap_or("concierge");
    let agents = app.services.turns.agents();
    if agents.get(name).is_none() {
        let known = agents.names().collect::<Vec<_>>().join(", ");
        return Err(ApiError::bad_request(format!("there is no agent {name:?}; there are {known}"), "agent"));
    }
    let agent = name.to_owned();
    let tools = wish.tools.unwrap_or_default();
    let read = read_tools(&Value::Array(tools.clone()).to_string());
    let read = read.map_err(|error| ApiError::bad_request(error.message, "tools"))?;
    if let Some(at) = read.iter().position(|tool| tool.name.trim().is_empty()) {
        return Err(ApiError::bad_request(format!("`tools[{at}]` has no name"), "tools"));
    }
    let (user, context) = identity(wish.user, wish.context)?;
    Ok(NewSession { agent, user, caller, model: wish.model, tools, context })
}

/// Who the user is: a name, or an object with an id and what else is known of them.
fn identity(user: Option<Value>, context: Option<Value>) -> Result<(Option<String>, Value), ApiError> {
    let mut context = match context {
        None | Some(Value::Null) => json!({}),
        Some(context @ Value::Object(_)) => context,
        Some(_) => return Err(ApiError::bad_request("`context` must be an object", "context")),
    };
    let name = match &user {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Object(fields)) => {
            let id = fields.get("id").or_else(|| fields.get("name")).and_then(Value::as_str);
            Some(id.ok_or_else(|| ApiError::bad_request("`user` needs an `id`", "user"))?.to_owned())
        }
        Some(_) => return Err(ApiError::bad_request("`user` must be a string or an object", "user")),
    };
    if let (Some(fields), Some(user @ Value::Object(_))) = (context.as_object_mut(), user) {
        fields.entry("user").or_insert(user);
    }
    Ok((name, context))
}

/// Which sessions, and how much of each.
#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    limit: Option<usize>,
    after: Option<String>,
    user: Option<String>,
    detail: Option<bool>,
}

/// Lists sessions, the newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<ListQuery>,
) -> Result<axum::Json<Value>, ApiError> {
    let own = access::name(&caller);
    let of = if access::sees(&caller, "") { None } else { Some(own.as_str()) };
    let after = match &query.after {
        Some(id) => Some(access::session(&app, &caller, id).await?),
        None => None,
    };
    let limit = query.limit.unwrap_or(100).clamp(1, 1000);
    let mut sessions = Vec::new();
    let mut last = after;
    // A page of the store may hold nobody that is asked for: it is looked on until there are enough or no more.
    loop {
        let place = last.as_ref().map(|session| (session.created_at, session.session_id.as_str()));
        let page = app.services.sessions.list(of, place, PAGE).await?;
        let wanted = page.iter().filter(|session| query.user.is_none() || session.user == query.user);
        sessions.extend(wanted.take(limit - sessions.len()).cloned());
        if page.len() < PAGE || sessions.len() == limit {
            break;
        }
        last = page.into_iter().last();
    }
    let sessions = match query.detail {
        Some(true) => all_detailed(&app, sessions).await?,
        _ => sessions.iter().map(render).collect(),
    };
    let answer = json!({ "sessions": sessions });
    // Whose they are stands in what cannot be read, so only those are told who see all.
    Ok(axum::Json(if of.is_none() { name_unreadable(&app, Kind::Session, answer) } else { answer }))
}

/// Looks at a session.
pub(super) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    let session = access::session(&app, &caller, &id).await?;
    let blocked = blocked_sessions(&app).await?;
    Ok(axum::Json(describe(&app, &session, &blocked).await?))
}

/// Sessions with what their logs say, a few logs at a time.
async fn all_detailed(app: &Arc<App>, sessions: Vec<Session>) -> Result<Vec<Value>, ApiError> {
    let blocked = Arc::new(blocked_sessions(app).await?);
    let detailed = |session: Session| {
        let (app, blocked) = (Arc::clone(app), Arc::clone(&blocked));
        async move { describe(&app, &session, &blocked).await }
    };
    stream::iter(sessions).map(detailed).buffered(AT_ONCE).try_collect().await
}

/// A session with what its log says.
async fn describe(app: &App, session: &Session, blocked: &HashSet<String>) -> Result<Value, ApiError> {
    let id = &session.session_id;
    let head = app.services.hub.head(id).await?;
    let log = app.services.hub.log();
    let newest = log.read(id, head.seq.saturating_sub(1), 1).await?.pop();
    let waits_for = if head.open { waits_for(blocked.contains(id), newest.as_ref()) } else { None };
    let newest = newest.map(|entry| entry.at);
    let first = log.read(id, head.oldest.saturating_sub(1), FIRST).await?;
    let mut shown = render(session);
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("running".to_owned(), json!(head.open));
        fields.insert("waits_for".to_owned(), json!(waits_for));
        fields.insert("events".to_owned(), json!(head.seq));
        fields.insert("stopped".to_owned(), json!(app.services.stop.is_stopped(id)));
        fields.insert("title".to_owned(), json!(first.iter().find_map(title)));
        fields.insert("updated_at".to_owned(), json!(timestamp(newest.unwrap_or(session.created_at))));
    }
    Ok(shown)
}

/// The sessions whose turns wait for a person.
async fn blocked_sessions(app: &App) -> Result<HashSet<String>, ApiError> {
    let waiting = app.services.reviews.list(Some(ReviewState::Pending), Order::NewestFirst, MOST_BLOCKED).await?;
    Ok(waiting.into_iter().filter(|review| review.waits).filter_map(|review| review.session_id).collect())
}

/// Whom an open turn waits for: a person, or the client that was given a call to run. None where it works.
fn waits_for(is_blocked: bool, newest: Option<&Entry>) -> Option<&'static str> {
    if is_blocked {
        return Some("person");
    }
    let event: Value = serde_json::from_str(&newest.filter(|entry| entry.kind == EventType::ToolCall)?.body).ok()?;
    (event.pointer("/payload/run_by")? == "client").then_some("client")
}

/// What the user said in an event, as long as a line may be.
fn title(entry: &Entry) -> Option<String> {
    if entry.kind != EventType::Message {
        return None;
    }
    let event: Value = serde_json::from_str(&entry.body).ok()?;
    let said = event.pointer("/payload/content").and_then(Value::as_str)?;
    (event.get("agent_source")? == "user").then(|| said.trim().chars().take(TITLE).collect())
}

/// Removes a session. A running turn is stopped first.
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    access::session(&app, &caller, &id).await?;
    let scope = [Scope::Session(id.clone())];
    let stop: &StopSwitch = &app.services.stop;
    if app.services.hub.head(&id).await?.open {
        stop.raise(&scope).await;
        wait_until_idle(&app, &id).await?;
    }
    app.services.sessions.remove(&id).await?;
    stop.clear(&scope).await;
    Ok(StatusCode::NO_CONTENT)
}

async fn wait_until_idle(app: &App, id: &str) -> Result<(), ApiError> {
    for _ in 0..50 {
        if !app.services.hub.head(id).await?.open {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(ApiError::conflict("a turn is running in this session and could not be stopped; try again"))
}

fn render(session: &Session) -> Value {
    json!({
        "session_id": session.session_id,
        "agent": session.agent,
        "user": session.user,
        "model": session.model,
        "tools": session.tools,
        "created_at": timestamp(session.created_at),
    })
}

/// So many items that wait are looked at.
const MOST_BLOCKED: usize = 1000;
/// How many logs are looked at, at the same time.
const AT_ONCE: usize = 8;
/// Among so many events the first words of the user are looked for.
const FIRST: usize = 32;
/// So many characters of them are shown.
const TITLE: usize = 120;
/// How many sessions are read at once.
const PAGE: usize = 500;
