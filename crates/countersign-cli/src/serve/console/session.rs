//! Signing in to the console: a key comes once, in a body, and goes back as a cookie that no script can read.
//!
//! The server remembers nothing of it. A page of another origin can neither sign a browser in nor out. The key is in no
//! address, no log and no answer.

use crate::serve::auth;
use crate::serve::body::{parse, read};
use crate::serve::cookie::{self, transport};
use crate::serve::error::ApiError;
use crate::serve::keys::{Caller, Scope};
use crate::serve::origin;
use crate::serve::sealed::{Purpose, Visitor};
use crate::serve::state::App;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use countersign_runtime::models::DemoModel;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// `GET /console/session`: who is signed in, and what there is.
pub(crate) async fn look(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let visitor = auth::visitor(&app, &headers).and_then(Result::ok);
    Ok(render(&app, &caller, visitor.as_ref()))
}

/// What signs in.
#[derive(Deserialize)]
struct SignIn {
    key: String,
}

/// `POST /console/session`: signs in.
pub(crate) async fn sign_in(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    check_page(&app, request.headers(), request.uri())?;
    check_type(request.headers())?;
    let transport = transport(&app.config, request.headers());
    let peer = request.extensions().get().copied();
    let wish: SignIn = parse(&read(request, LARGEST).await?).map_err(|_| {
        // What was sent is not said again: it may hold the key.
        ApiError::bad_request("the body must be {\"key\": \"KEY\"}", "key")
    })?;
    let key = wish.key.trim();
    let caller = auth::sign_in(&app, peer, key)?;
    let visitor = Visitor::Key(key.to_owned());
    let mut response = render(&app, &caller, Some(&visitor));
    let sealed = app.sealer.seal(Purpose::Session, &visitor, AGE).filter(|_| app.keys.is_locked());
    if let Some(cookie) = sealed.and_then(|sealed| cookie::keep(&sealed, transport, AGE)) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `DELETE /console/session`: signs out.
pub(crate) async fn sign_out(State(app): State<Arc<App>>, headers: HeaderMap, uri: Uri) -> Result<Response, ApiError> {
    check_page(&app, &headers, &uri)?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie::forget(transport(&app.config, &headers)) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Only our own page, or somebody without a browser.
fn check_page(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), ApiError> {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if matches!(site, Some(b"cross-site" | b"same-site")) {
        return Err(ApiError::forbidden(origin::FOREIGN).with_code("origin_not_allowed"));
    }
    origin::check_own(&app.config, headers, uri)
}

/// A form of another page can say that it is plain text, but not that it is JSON.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(ApiError::unsupported("signing in needs `content-type: application/json`"))
}

/// Who is signed in, and what there is. Who is not sees no more than that there is a door.
fn render(app: &App, caller: &Caller, visitor: Option<&Visitor>) -> Response {
    let locked = app.keys.is_locked();
    let signed_in = !locked || caller.key_id.is_some();
    let mut body = json!({
        "locked": locked,
        "signed_in": signed_in,
        "key_id": caller.key_id.as_deref(),
        "reviewer": caller.name.as_deref(),
        "scopes": ALL.into_iter().filter(|scope| caller.may(*scope)).map(Scope::name).collect::<Vec<_>>(),
        "csrf": visitor.filter(|_| locked && signed_in).map(|who| app.sealer.token(who)),
        "single_sign_on": app.oidc.is_some(),
        "version": env!("CARGO_PKG_VERSION"),
        "demo": is_demo(app),
        "models": [],
        "agents": [],
        "policy_version": null,
    });
    if let Some(fields) = body.as_object_mut().filter(|_| signed_in) {
        fields.insert("models".to_owned(), json!(models(app)));
        fields.insert("agents".to_owned(), json!(app.services.turns.agents().names().collect::<Vec<_>>()));
        fields.insert("policy_version".to_owned(), Value::from(app.policy.current().policy().version.clone()));
    }
    ([(CACHE_CONTROL, "no-store")], axum::Json(body)).into_response()
}

/// Without an upstream the demo model answers.
fn is_demo(app: &App) -> bool {
    let upstream = &app.config.upstream;
    upstream.openai.is_none() && upstream.anthropic.is_none() && upstream.named.is_empty()
}

/// The names that a person may choose from: those of the demo, or those that the configuration names whole.
fn models(app: &App) -> Vec<String> {
    if is_demo(app) {
        return DemoModel::names().collect();
    }
    let upstream = &app.config.upstream;
    let named = upstream.named.iter().flat_map(|named| &named.models).filter(|name| !name.contains('*'));
    let mut names: Vec<String> = upstream.model.iter().chain(named).cloned().collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

const ALL: [Scope; 5] = [Scope::Engine, Scope::Sessions, Scope::Review, Scope::Upstream, Scope::Admin];
/// A working day.
const AGE: Duration = Duration::from_secs(43_200);
/// A key is short; so is what brings it.
const LARGEST: usize = 16 * 1024;
