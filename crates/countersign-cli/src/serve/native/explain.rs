//! One call explained: the whole line, what each check said and what it cost.
//!
//! The verdict is that of `/v1/check`. A stored call is judged again by the rules of now; what was decided then stays
//! what it was, and the answer says whether it would be decided the same way.

use crate::engine::explained::Explained;
use crate::lines::BadLine;
use crate::serve::body::read_json;
use crate::serve::error::ApiError;
use crate::serve::state::App;
use axum::extract::{Request, State};
use bytes::Bytes;
use serde_json::Value;
use std::sync::Arc;

/// `POST /v1/explain`: a call, judged while the line is watched.
pub(super) async fn explain(State(app): State<Arc<App>>, request: Request) -> Result<axum::Json<Explained>, ApiError> {
    let body = read_json(request, app.config.limits.body_size).await?;
    if std::str::from_utf8(&body).is_err() {
        return Err(ApiError::bad_request("the body is not valid UTF-8", None));
    }
    let explained = judge(&app, body).await?.map_err(|BadLine(reason)| ApiError::bad_request(reason, None))?;
    app.metrics.verdicts.of([explained.verdict.status.name()]).add_one();
    Ok(axum::Json(explained))
}

/// A stored call's line as it runs now, and whether the verdict comes out as it did; nothing where it cannot be read.
pub(super) async fn again(app: &App, line: Bytes, then: &Value) -> Result<Option<(Explained, bool)>, ApiError> {
    let Ok(now) = judge(app, line).await? else { return Ok(None) };
    let same = without_id(serde_json::to_value(&now.verdict).unwrap_or_default()) == without_id(then.clone());
    Ok(Some((now, same)))
}

/// On a thread of its own: nobody is in a hurry who wants an explanation, and a conversation may be long.
async fn judge(app: &App, line: Bytes) -> Result<Result<Explained, BadLine>, ApiError> {
    let engines = app.policy.current();
    app.heavy.run(move || engines.engine.explain(String::from_utf8_lossy(&line).trim_start_matches('\u{feff}'))).await
}

/// The verdict without its caller's id: a stored line has the verdict's own name there.
fn without_id(mut verdict: Value) -> Value {
    if let Some(fields) = verdict.as_object_mut() {
        fields.shift_remove("id");
    }
    verdict
}
