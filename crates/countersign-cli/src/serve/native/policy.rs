//! The policy in force, as text: what somebody starts from who wants to try another one. It is never changed here.

use crate::serve::state::App;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// Looks at the policy.
pub(super) async fn look(State(app): State<Arc<App>>) -> axum::Json<Value> {
    let engines = app.policy.current();
    let path = app.config.policy.as_ref().map(|path| path.display().to_string());
    axum::Json(json!({"version": engines.policy().version, "toml": engines.source.as_ref(), "path": path}))
}
