//! The policy in force: whole, explained, and, where no file manages it, changed by an operator with every version kept.

use super::access;
use crate::serve::body::{Json, Path};
use crate::serve::error::ApiError;
use crate::serve::keys::Caller;
use crate::serve::policy_reload::Reloaded;
use crate::serve::policy_versions::{self, NewVersion};
use crate::serve::state::App;
use axum::Extension;
use axum::extract::State;
use countersign::contract::Mode;
use countersign::contract::checks::{CHECKS, Stage};
use countersign::policy::{DoubtfulAnswers, Policy, PolicyError, SuspiciousResults};
use countersign_runtime::store::{Kind, Record};
use countersign_runtime::stream::timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Looks at the policy.
pub(super) async fn look(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> axum::Json<Value> {
    let engines = app.policy.current();
    let path = app.config.policy.as_ref().map(|path| path.display().to_string());
    axum::Json(json!({
        "version": engines.policy().version, "toml": engines.source.as_ref(), "path": path,
        "editable": !app.policy.is_in_file() && access::operates(&caller),
        "explained": explain(engines.policy()), "trouble": app.policy.trouble(),
    }))
}

/// A policy that somebody writes.
#[derive(Debug, Deserialize)]
pub(super) struct Candidate {
    /// As TOML.
    policy: Option<String>,
    /// Why it is applied.
    note: Option<String>,
    /// Who applies it, where there are no keys.
    author: Option<String>,
    /// The version to bring back, in place of a text.
    restores: Option<String>,
    /// The version that the writer began from.
    base: Option<String>,
}

/// Says whether a policy can be used, and what it would do.
pub(super) async fn check(Json(wish): Json<Candidate>) -> Result<axum::Json<Value>, ApiError> {
    let text = wish.policy.ok_or_else(|| ApiError::bad_request("`policy` is missing", "policy"))?;
    Ok(axum::Json(match Policy::from_toml(&text) {
        Ok(policy) => json!({"valid": true, "version": policy.version, "explained": explain(&policy), "error": null}),
        Err(error) => json!({"valid": false, "version": null, "explained": null, "error": trouble(&text, &error)}),
    }))
}

/// Puts a policy in force, and keeps it as a version.
pub(super) async fn apply(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Json(wish): Json<Candidate>,
) -> Result<axum::Json<Value>, ApiError> {
    operator(&caller)?;
    if app.policy.is_in_file() {
        let path = app.config.policy.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let message = format!("the policy is managed in the file {path}; change it there, and it is in force at once");
        return Err(ApiError::conflict(message).with_code("policy_in_file"));
    }
    let records = app.stores.records.as_ref();
    let text = match (&wish.policy, &wish.restores) {
        (Some(text), None) => text.clone(),
        (None, Some(id)) => policy_versions::text_of(&find(&app, id).await?).unwrap_or_default(),
        _ => return Err(ApiError::bad_request("give either `policy` or `restores`", "policy")),
    };
    let policy = Policy::from_toml(&text).map_err(|error| {
        let help = error.help.map(|help| format!(" ({help})")).unwrap_or_default();
        ApiError::bad_request(format!("the policy cannot be used: {}{help}", error.message), "policy")
    })?;
    if wish.base.as_ref().is_some_and(|base| *base != app.policy.current().policy().version) {
        let message = "somebody else has changed the policy meanwhile; look at theirs and apply yours again";
        return Err(ApiError::conflict(message).with_code("policy_changed"));
    }
    let refuse = |reason: String| ApiError::bad_request(format!("the policy cannot be used: {reason}"), "policy");
    let (this, tried) = (Arc::clone(&app), text.clone());
    let tried = app.heavy.run(move || this.policy.try_text(&tried).map_err(|failure| failure.sentence())).await?;
    tried.map_err(refuse)?;
    let author = caller.name.as_ref().or(caller.key_id.as_ref()).map(ToString::to_string).or(wish.author);
    let (note, restores) = (wish.note.filter(|note| !note.trim().is_empty()), wish.restores);
    let new = NewVersion { text: text.clone(), version: policy.version.clone(), author, note, restores };
    // Every node follows the newest version of the store, this one at once.
    let id = policy_versions::keep(records, new).await?;
    let this = Arc::clone(&app);
    match app.heavy.run(move || this.policy.keep(Some(text))).await? {
        Reloaded::Refused(reason) => return Err(refuse(reason)),
        Reloaded::Changed { .. } | Reloaded::Same => {}
    }
    Ok(axum::Json(json!({"policy_id": id, "version": policy.version})))
}

/// Lists the versions that were applied, the newest first.
pub(super) async fn versions(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<Value>, ApiError> {
    operator(&caller)?;
    let found = policy_versions::list(app.stores.records.as_ref(), MOST).await?;
    let shown: Vec<Value> = found.iter().enumerate().map(|(at, record)| render(&app, record, at == 0)).collect();
    Ok(axum::Json(json!({ "versions": shown })))
}

/// One version, with its text.
pub(super) async fn version(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    operator(&caller)?;
    let record = find(&app, &id).await?;
    let newest = policy_versions::list(app.stores.records.as_ref(), 1).await?;
    let is_newest = newest.first().is_some_and(|newest| newest.id == record.id);
    let mut shown = render(&app, &record, is_newest);
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("toml".to_owned(), json!(policy_versions::text_of(&record)));
    }
    Ok(axum::Json(shown))
}

async fn find(app: &App, id: &str) -> Result<Record, ApiError> {
    let found = app.stores.records.get(Kind::Policy, id).await?;
    found.ok_or_else(|| ApiError::not_found(format!("there is no version {id:?} of the policy")))
}

fn operator(caller: &Caller) -> Result<(), ApiError> {
    let message = "changing the policy, and seeing its versions, needs a key with the scope `admin`";
    if access::operates(caller) { Ok(()) } else { Err(ApiError::forbidden(message).with_code("insufficient_scope")) }
}

fn render(app: &App, record: &Record, is_newest: bool) -> Value {
    let word = |name: &str| record.body.get(name).cloned().unwrap_or_default();
    json!({
        "policy_id": record.id, "version": word("version"), "author": word("author"), "note": word("note"),
        "restores": word("restores"), "created_at": timestamp(record.created_at),
        "in_force": is_newest && !app.policy.is_in_file(),
    })
}

/// What is wrong, and in which line.
fn trouble(text: &str, error: &PolicyError) -> Value {
    let before = error.span.as_ref().and_then(|span| text.get(..span.start.min(text.len())));
    let line = before.map(|before| before.matches('\n').count() + 1);
    json!({"message": error.message, "help": error.help, "line": line})
}

/// What a policy does: each check with its mode, the rules, the tools with settings of their own, what happens to what is
/// doubted.
fn explain(policy: &Policy) -> Value {
    type Modes = serde_json::Map<String, Value>;
    let checks = CHECKS.iter().map(|check| {
        let mode = policy.checks.get(check.name).copied().unwrap_or(Mode::Enforce);
        let stage = match check.stage {
            Stage::Call => "call",
            Stage::Result => "result",
            Stage::Answer => "answer",
        };
        json!({"name": check.name, "stage": stage, "mode": mode.name(), "about": check.about})
    });
    let rules = policy.rules.iter().map(|rule| {
        json!({
            "name": rule.name, "effect": rule.effect.name(), "reason": rule.reason.0, "when": rule.when(),
            "tools": rule.tools().iter().map(|pattern| pattern.as_str()).collect::<Vec<_>>(),
            "effects": rule.effects().iter().map(|effect| effect.name()).collect::<Vec<_>>(),
        })
    });
    let tools = policy.tools.iter().map(|tool| {
        json!({
            "names": tool.names.as_str(), "level": tool.level.map(|level| level.name()),
            "irreversible": tool.irreversible,
            "checks": tool.checks.iter().map(|(name, mode)| (name.to_string(), mode.name().into())).collect::<Modes>(),
        })
    });
    json!({
        "level": policy.level.name(),
        "checks": checks.collect::<Vec<_>>(), "rules": rules.collect::<Vec<_>>(), "tools": tools.collect::<Vec<_>>(),
        "suspicious_results": match policy.suspicious_results {
            SuspiciousResults::Pass => "pass",
            SuspiciousResults::Mark => "mark",
            SuspiciousResults::Review => "review",
        },
        "doubtful_answers": match policy.answers.doubtful {
            DoubtfulAnswers::Pass => "pass",
            DoubtfulAnswers::Mark => "mark",
            DoubtfulAnswers::Correct => "correct",
            DoubtfulAnswers::Review => "review",
        },
    })
}

/// So many versions are listed.
const MOST: usize = 200;
