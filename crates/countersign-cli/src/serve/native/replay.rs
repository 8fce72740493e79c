//! A candidate policy over stored calls: what would change, before it is in force.

use super::{access, wanted};
use crate::engine::Engine;
use crate::serve::body::Json;
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use bytes::Bytes;
use countersign::policy::Policy;
use countersign_runtime::kept_request::line_of;
use countersign_runtime::store::{Kind, Order, Query as Find};
use countersign_runtime::stream::timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The candidate, and over what.
#[derive(Debug, Deserialize)]
pub(super) struct Replay {
    /// The policy, as TOML.
    policy: String,
    tool: Option<String>,
    limit: Option<usize>,
}

/// Judges stored calls again by another policy and tells what differs.
pub(super) async fn replay(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(wish): Json<Replay>,
) -> Result<axum::Json<Value>, ApiError> {
    let policy = Policy::from_toml(&wish.policy).map_err(|error| {
        let help = error.help.map(|help| format!(" ({help})")).unwrap_or_default();
        ApiError::bad_request(format!("the policy cannot be used: {}{help}", error.message), "policy")
    })?;
    let version = policy.version.clone();
    let stored = load_stored(&app, &caller, &wish).await?;
    let engine = Engine::of_policy(Arc::new(policy));
    let compared = app.heavy.run(move || compare(&engine, &stored)).await?;
    let Compared { total, same, changed, by } = compared;
    Ok(axum::Json(json!({
        "policy_version": version, "total": total, "same": same, "changed": changed, "changes": by,
    })))
}

/// A call as it was judged.
struct Stored {
    id: String,
    tool: String,
    status: String,
    line: Bytes,
    created_at: i64,
    call: Value,
}

async fn load_stored(app: &App, caller: &Caller, wish: &Replay) -> Result<Vec<Stored>, ApiError> {
    app.gateway_setup.gateway.ledger.flush().await;
    let limit = wish.limit.unwrap_or(MOST).clamp(1, MOST);
    let find = Find { order: Order::NewestFirst, limit, ..Find::default() };
    let mut stored = Vec::new();
    for record in app.stores.records.list(Kind::Verdict, find).await? {
        let word = |pointer: &str| record.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let tool = word("/tool");
        let seen = access::sees(caller, wanted::key(&record.body).unwrap_or_default());
        if !seen || wish.tool.as_ref().is_some_and(|wanted| *wanted != tool) {
            continue;
        }
        if record.problem().is_some() {
            continue;
        }
        if let Some(line) = line_of(app.stores.records.as_ref(), &record).await? {
            let (created_at, call) = (record.created_at, record.body.get("call").cloned().unwrap_or_default());
            let status = word("/verdict/status");
            stored.push(Stored { id: record.id.clone(), tool, status, line, created_at, call });
        }
    }
    Ok(stored)
}

struct Compared {
    total: usize,
    same: usize,
    changed: Vec<Value>,
    by: BTreeMap<String, usize>,
}

fn compare(engine: &Engine, stored: &[Stored]) -> Compared {
    let mut compared = Compared { total: 0, same: 0, changed: Vec::new(), by: BTreeMap::new() };
    for call in stored {
        let line = String::from_utf8_lossy(&call.line);
        let Ok(verdict) = engine.check(&line) else { continue };
        compared.total += 1;
        let after = verdict.status.name();
        if after == call.status {
            compared.same += 1;
            continue;
        }
        *compared.by.entry(format!("{} -> {after}", call.status)).or_default() += 1;
        compared.changed.push(json!({
            "verdict_id": call.id, "tool": call.tool, "before": call.status, "after": after,
            "explanation": verdict.explanation, "findings": verdict.findings,
            "created_at": timestamp(call.created_at), "call": call.call,
        }));
    }
    compared
}

/// So many calls are judged again.
const MOST: usize = 1000;
