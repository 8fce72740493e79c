//! The brake.

use super::access;
use crate::serve::body::{Json, Path};
use crate::serve::error::ApiError;
use crate::serve::keys::{Caller, Scope as Right};
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use countersign_runtime::sessions::SessionError;
use countersign_runtime::stop::StopState;
use countersign_runtime::store::Scope;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Which sessions.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    sessions: Value,
}

/// What is stopped.
pub(super) async fn state(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> axum::Json<StopState> {
    axum::Json(visible_state(&app, &caller).await)
}

/// Stops one, many or all sessions.
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(which): Json<Which>,
) -> Result<axum::Json<StopState>, ApiError> {
    let scopes = scopes(&app, &caller, &which).await?;
    app.services.stop.raise(&scopes).await;
    Ok(axum::Json(visible_state(&app, &caller).await))
}

/// Clears one, many or all flags.
pub(super) async fn clear(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(which): Json<Which>,
) -> Result<axum::Json<StopState>, ApiError> {
    let mut scopes = scopes(&app, &caller, &which).await?;
    if scopes.contains(&Scope::All) {
        // All flags, one by one too: whoever clears everything wants everything to run.
        scopes
            .extend(app.services.stop.state().flags.into_iter().filter_map(|flag| flag.session_id.map(Scope::Session)));
    }
    app.services.stop.clear(&scopes).await;
    Ok(axum::Json(visible_state(&app, &caller).await))
}

/// Stops a session.
pub(super) async fn stop_session(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<StopState>, ApiError> {
    check_known(&app, &caller, &id).await?;
    app.services.stop.raise(&[Scope::Session(id.clone())]).await;
    Ok(axum::Json(of(&app, &id)))
}

/// Clears a session's flag.
pub(super) async fn clear_session(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<StopState>, ApiError> {
    check_known(&app, &caller, &id).await?;
    app.services.stop.clear(&[Scope::Session(id.clone())]).await;
    Ok(axum::Json(of(&app, &id)))
}

/// What stops a session.
pub(super) async fn of_session(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<StopState>, ApiError> {
    check_known(&app, &caller, &id).await?;
    Ok(axum::Json(of(&app, &id)))
}

/// The flags that a caller may see: every one, or those of their own sessions.
async fn visible_state(app: &App, caller: &Caller) -> StopState {
    let mut state = app.services.stop.state();
    if oversees(caller) {
        return state;
    }
    for flag in std::mem::take(&mut state.flags) {
        let own = match &flag.session_id {
            None => true,
            // A session that cannot be looked up is nobody's: the answer itself must not fail.
            Some(id) => access::session(app, caller, id).await.is_ok(),
        };
        if own {
            state.flags.push(flag);
        }
    }
    state
}

fn of(app: &App, id: &str) -> StopState {
    let mut state = app.services.stop.state();
    state.flags.retain(|flag| flag.session_id.as_deref().is_none_or(|session| session == id));
    state
}

/// The brake works while the store that knows the sessions does not.
async fn check_known(app: &App, caller: &Caller, id: &str) -> Result<(), ApiError> {
    match app.services.sessions.get(id).await {
        Ok(session) if access::sees(caller, &session.caller) || oversees(caller) => Ok(()),
        Err(SessionError::Store(error)) if oversees(caller) => {
            tracing::warn!(%error, "a session is stopped that could not be looked up");
            Ok(())
        }
        Err(error @ SessionError::Store(_)) => Err(error.into()),
        _ => Err(SessionError::missing("session", id).into()),
    }
}

/// Whether a caller may stop what is not theirs: people who review may.
fn oversees(caller: &Caller) -> bool {
    caller.key_id.is_none() || caller.may(Right::Review)
}

async fn scopes(app: &App, caller: &Caller, which: &Which) -> Result<Vec<Scope>, ApiError> {
    let wrong = || ApiError::bad_request("`sessions` must be a list of session ids or \"all\"", "sessions");
    match &which.sessions {
        Value::String(word) if word == "all" => {
            if oversees(caller) {
                Ok(vec![Scope::All])
            } else {
                Err(ApiError::forbidden("this key cannot stop all"))
            }
        }
        Value::Array(ids) => {
            let mut scopes = Vec::new();
            for id in ids {
                let id = id.as_str().ok_or_else(wrong)?;
                if !oversees(caller) {
                    check_known(app, caller, id).await?;
                }
                scopes.push(Scope::Session(id.to_owned()));
            }
            Ok(scopes)
        }
        _ => Err(wrong()),
    }
}
