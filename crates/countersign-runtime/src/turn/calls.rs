//! Calls: judged, sent to a person, shown, waited for.
//!
//! No call is shown to a client before it is cleared: by the engine, and where it cannot be undone by a person. What a
//! client brings back is verified before the model sees it.

use super::ending::{Ending, TurnWatcher};
use super::outbox::Outbox;
use super::results::{ToolOutcome, Waiting};
use super::rules::{self, Rules};
use crate::ids::new_id;
use crate::review::{Binding, NewReview, Review, ReviewError, ReviewState, Reviews, arguments_digest};
use crate::sessions::Session;
use crate::store::{Change, Kind, Record, Records};
use crate::stream::now_millis;
use countersign::check_call::Guard;
use countersign::check_result;
use countersign::contract::{
    ContentType, Context, EventType, Status, ToolCall, ToolResult, Verdict, VerificationReport,
};
use countersign::wire::requests::VerifyRequest;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

/// Where the calls of a turn are settled.
pub struct Court<'a> {
    pub(super) session: &'a Session,
    pub(super) rules: &'a Arc<Rules>,
    pub(super) guard: &'a Arc<Guard>,
    pub(super) outbox: &'a Outbox,
    pub(super) reviews: &'a Reviews,
    pub(super) waiting: &'a Waiting,
    pub(super) records: &'a Arc<dyn Records>,
    pub(super) watcher: &'a dyn TurnWatcher,
    pub(super) patience: Duration,
}

/// A call that is over, with what the model is told of it.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The call's id.
    pub call_id: String,
    /// The call as the model made it.
    pub call: Value,
    /// What the model is told.
    pub told: String,
    /// Why it was refused, and the digest of what was refused.
    pub refused: Option<Refused>,
}

/// A refusal.
#[derive(Debug, Clone)]
pub struct Refused {
    /// What was refused: the same mistake has the same digest.
    pub digest: String,
    /// Why, for people.
    pub why: String,
}

/// A call with its verdict.
struct Judged {
    call_id: String,
    call: ToolCall,
    verdict_id: String,
    verdict: Verdict,
}

impl Court<'_> {
    /// Settles a call: refuses it, or has it run and verifies what came back.
    pub async fn settle(&self, call: ToolCall, messages: &Arc<Vec<Value>>) -> Result<Settled, Ending> {
        let judged = self.judge(call, messages).await?;
        let status = judged.verdict.status;
        let name = judged.verdict.call.as_ref().map_or(&judged.call.name, |call| &call.name);
        let asks =
            status == Status::RequiresReview || (!status.is_refused() && rules::is_irreversible(self.guard, name));
        match &judged.verdict.call {
            _ if asks => self.review(&judged, messages).await,
            Some(cleared) if !status.is_refused() => {
                let cleared = call_json(&judged.call_id, cleared);
                self.run(&judged, &cleared, None).await
            }
            _ => {
                let told = judged.verdict.feedback.clone();
                Ok(refuse(&judged, told.unwrap_or_else(|| judged.verdict.explanation.clone())))
            }
        }
    }

    async fn judge(&self, call: ToolCall, messages: &Arc<Vec<Value>>) -> Result<Judged, Ending> {
        let call_id = match &call.id {
            Some(id) if !id.is_empty() => id.clone(),
            _ => new_id("call").map_err(|error| internal(&error))?,
        };
        let (rules, guard, said) = (Arc::clone(self.rules), Arc::clone(self.guard), Arc::clone(messages));
        let (asked, context) = (call.clone(), self.session.context.clone());
        let judging = move || rules::judge(&rules, &guard, &said, &context, asked);
        let verdict = tokio::task::spawn_blocking(judging).await.map_err(|error| internal(&error))?;
        self.watcher.call_judged(verdict.status);
        let verdict_id = new_id("ver").map_err(|error| internal(&error))?;
        let judged = Judged { call_id, call, verdict_id, verdict };
        self.record(&judged, messages).await?;
        let fields = json!({
            "verdict_id": judged.verdict_id,
            "call_id": judged.call_id,
            "name": judged.call.name,
            "status": judged.verdict.status,
            "verdict": judged.verdict,
        });
        let event = crate::stream::Draft::new(EventType::Verdict, "countersign", ContentType::Json, fields);
        self.outbox.write(vec![event]).await?;
        Ok(judged)
    }

    /// The verdict goes to the audit.
    async fn record(&self, judged: &Judged, messages: &[Value]) -> Result<(), Ending> {
        let body = json!({
            "verdict_id": judged.verdict_id,
            "session_id": self.session.session_id,
            "call_id": judged.call_id,
            "tool": judged.call.name,
            "call": call_json(&judged.call_id, &judged.call),
            "verdict": judged.verdict,
            "policy_version": self.rules.policy.version,
        });
        let record = Record {
            kind: Kind::Verdict,
            id: judged.verdict_id.clone(),
            parent: self.session.session_id.clone(),
            state: judged.verdict.status.name().to_owned(),
            created_at: now_millis(),
            version: 1,
            body,
        };
        // The line that `countersign check` judges to the same verdict.
        let line = json!({
            "id": judged.verdict_id, "tools": self.session.tools, "messages": messages,
            "call": call_json(&judged.call_id, &judged.call), "context": self.session.context,
        });
        self.records.apply(vec![Change::Insert(record, Some(line.to_string().into()))]).await?;
        Ok(())
    }

    /// Asks a person, waits, and does what they say.
    async fn review(&self, judged: &Judged, messages: &Arc<Vec<Value>>) -> Result<Settled, Ending> {
        let review = self.reviews.open(self.proposal(judged, messages)).await.map_err(|error| review_failed(&error))?;
        let fields = json!({
            "review_id": review.review_id,
            "call_id": judged.call_id,
            "tool": review.tool,
            "call": review.call,
            "findings": review.findings,
            "explanation": judged.verdict.explanation,
            "expires_at": review.expires_at,
        });
        let event = crate::stream::Draft::new(EventType::ReviewRequired, "countersign", ContentType::Json, fields);
        self.outbox.write(vec![event]).await?;
        let review = self.reviews.wait(&review.review_id).await.map_err(|error| review_failed(&error))?;
        if review.state.is_yes() {
            return match self.reviews.take(&review.review_id).await {
                Ok(call) => self.run(judged, &call, Some(&review)).await,
                Err(ReviewError::Store(error)) => Err(error.into()),
                Err(error) => Ok(refuse(judged, format!("The approval cannot be used: {error}."))),
            };
        }
        Ok(refuse(judged, denial(&review)))
    }

    fn proposal(&self, judged: &Judged, messages: &Arc<Vec<Value>>) -> NewReview {
        let call = judged.verdict.call.as_ref().map_or_else(
            || mended(&call_json(&judged.call_id, &judged.call), &judged.verdict),
            |call| call_json(&judged.call_id, call),
        );
        let tool = call.get("name").and_then(Value::as_str).unwrap_or(&judged.call.name).to_owned();
        let patch: Vec<_> = judged.verdict.findings.iter().filter_map(|found| found.correction.as_ref()).collect();
        let recent = messages.iter().skip(messages.len().saturating_sub(RECENT)).cloned().collect::<Vec<_>>();
        let user = self.session.user.as_deref().unwrap_or_default();
        let binding = Binding {
            caller: format!("{}/{user}/{}", self.session.caller, self.session.session_id),
            tool,
            arguments_digest: arguments_digest(call.get("arguments").unwrap_or(&Value::Null)),
            policy_version: self.rules.policy.version.clone(),
        };
        NewReview {
            binding,
            session_id: Some(self.session.session_id.clone()),
            call,
            patch: json!(patch),
            findings: json!(judged.verdict.findings),
            signals: json!({"score": judged.verdict.score, "status": judged.verdict.status}),
            context: json!({"messages": recent, "user": self.session.user, "explanation": judged.verdict.explanation}),
            request: json!({
                "tools": self.session.tools, "messages": messages.as_ref(), "context": self.session.context,
            }),
        }
    }

    /// Shows a cleared call, waits for its result, and verifies it.
    async fn run(&self, judged: &Judged, cleared: &Value, review: Option<&Review>) -> Result<Settled, Ending> {
        let name = cleared.get("name").and_then(Value::as_str).unwrap_or_default();
        let arguments = cleared.get("arguments").cloned().unwrap_or_default();
        let mut fields = json!({
            "call_id": judged.call_id,
            "name": name,
            "arguments": arguments,
            "call": cleared,
            "verdict_id": judged.verdict_id,
            "verdict": judged.verdict,
            "run_by": "client",
        });
        if let (Some(review), Some(fields)) = (review, fields.as_object_mut()) {
            fields.insert("review_id".to_owned(), json!(review.review_id));
        }
        let session: Arc<str> = Arc::clone(self.outbox.scribe().session());
        let result = self.waiting.expect(&session, &judged.call_id);
        self.outbox.write(vec![self.outbox.event(EventType::ToolCall, ContentType::Json, fields)]).await?;
        let span = tracing::info_span!(
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = name,
            gen_ai.tool.call.id = %judged.call_id,
            gen_ai.conversation.id = %self.session.session_id,
        );
        let outcome = match tokio::time::timeout(self.patience, result).instrument(span).await {
            Ok(Ok(outcome)) => outcome,
            _ => ToolOutcome { content: json!("no result came in time"), is_error: true },
        };
        let report = self.verify(judged, name, &arguments, &outcome);
        self.show_result(judged, name, &outcome, &report).await?;
        let told = match &outcome.content {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let call = call_json(&judged.call_id, &judged.call);
        Ok(Settled { call_id: judged.call_id.clone(), call, told, refused: None })
    }

    fn verify(&self, judged: &Judged, name: &str, arguments: &Value, outcome: &ToolOutcome) -> VerificationReport {
        let call =
            ToolCall { id: Some(judged.call_id.clone()), name: name.to_owned(), arguments: arguments.clone().into() };
        let content = countersign::wire::messages::unwrap_content(outcome.content.clone());
        let call_id = Some(judged.call_id.clone());
        let result = ToolResult { call_id, content, is_error: outcome.is_error, ..ToolResult::default() };
        let request = VerifyRequest {
            id: Value::Null,
            tool: rules::spec_of(self.guard, name).cloned(),
            call,
            result,
            context: Context(self.session.context.as_object().cloned().unwrap_or_default()),
            level: None,
            language: None,
        };
        check_result::verify(&request, &self.rules.policy)
    }

    async fn show_result(
        &self,
        judged: &Judged,
        name: &str,
        outcome: &ToolOutcome,
        report: &VerificationReport,
    ) -> Result<(), Ending> {
        let fields = json!({
            "call_id": judged.call_id,
            "name": name,
            "content": outcome.content,
            "is_error": outcome.is_error,
            "verification": report,
        });
        let mut events = vec![crate::stream::Draft::new(EventType::ToolResult, name, ContentType::Json, fields)];
        if report.is_suspicious {
            let fields = json!({
                "code": "suspicious_result",
                "call_id": judged.call_id,
                "message": report.concerns.join("; "),
            });
            events.push(crate::stream::Draft::new(EventType::Warning, "countersign", ContentType::Json, fields));
        }
        self.outbox.write(events).await
    }
}

fn refuse(judged: &Judged, told: String) -> Settled {
    let call = call_json(&judged.call_id, &judged.call);
    let what = json!([judged.call.name, call.get("arguments")]);
    let why = judged.verdict.explanation.clone();
    let refused = Some(Refused { digest: arguments_digest(&what), why });
    Settled { call_id: judged.call_id.clone(), call, told, refused }
}

fn denial(review: &Review) -> String {
    let reason = review.decided.as_ref().and_then(|decided| decided.reason.as_deref());
    match (review.state, reason) {
        (ReviewState::Expired, _) => "Nobody approved this call in time, so it was not run.".to_owned(),
        (_, Some(reason)) => format!("A reviewer rejected this call, so it was not run: {reason}"),
        (_, None) => "A reviewer rejected this call, so it was not run.".to_owned(),
    }
}

/// The call with the repairs that the engine has applied.
fn mended(call: &Value, verdict: &Verdict) -> Value {
    let mut mended = call.clone();
    let applied = verdict.findings.iter().filter_map(|found| found.correction.as_ref()).filter(|fix| fix.applied);
    for operation in applied.flat_map(|fix| &fix.patch) {
        operation.apply(&mut mended);
    }
    mended
}

fn call_json(id: &str, call: &ToolCall) -> Value {
    json!({"id": id, "name": call.name, "arguments": call.arguments})
}

fn review_failed(error: &ReviewError) -> Ending {
    match error {
        ReviewError::Store(error) => error.clone().into(),
        other => Ending::Failed { code: "review_failed", message: other.to_string(), retryable: true },
    }
}

fn internal(error: &dyn std::fmt::Display) -> Ending {
    Ending::Failed { code: "internal_error", message: error.to_string(), retryable: true }
}

/// So many of the newest messages are shown to a reviewer.
const RECENT: usize = 6;
