//! The calls of an answer, judged: each by itself, all in the words of one conversation.

use super::ending::Ending;
use super::journal::Payload;
use super::listen::HeardCall;
use super::rules;
use super::turn_context::AgentRun;
use crate::ids::new_id;
use crate::kept_request::KeptRequest;
use crate::store::{Change, Kind, Record};
use crate::stream::{Draft, now_millis};
use countersign::contract::{ContentType, EventType, Status, ToolCall, Verdict};
use countersign::decide::ClearedCall;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// A call with its verdict.
pub(super) struct Judged {
    /// Its id, unique in the session.
    pub call_id: String,
    /// The call as the model made it.
    pub call: ToolCall,
    /// The name of the verdict.
    pub verdict_id: String,
    /// How it ended.
    pub status: Status,
    /// The verdict as it is told.
    pub verdict: Value,
    /// What the model is told where the call is refused.
    pub feedback: String,
    /// Why, for people.
    pub explanation: String,
    /// The call that may run.
    pub cleared: Option<ClearedCall>,
    /// The call that a person is asked about: with the repairs that were applied.
    pub proposed: Value,
}

impl Judged {
    fn new(call_id: String, call: ToolCall, verdict_id: String, verdict: &Verdict) -> Self {
        let proposed = verdict
            .call
            .as_ref()
            .map_or_else(|| mended(&call_json(&call_id, &call), verdict), |call| call_json(&call_id, call));
        Self {
            status: verdict.status,
            verdict: serde_json::to_value(verdict).unwrap_or_default(),
            feedback: verdict.feedback.clone().unwrap_or_else(|| verdict.explanation.clone()),
            explanation: verdict.explanation.clone(),
            cleared: ClearedCall::of(verdict),
            proposed,
            call_id,
            call,
            verdict_id,
        }
    }

    /// A call that the log has the verdict of.
    pub(super) fn recorded(payload: &Payload) -> Self {
        let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let verdict = payload.get("verdict").cloned().unwrap_or_default();
        let call = payload.get("call").cloned().unwrap_or_default();
        let explanation = word(verdict.get("explanation"));
        let feedback = verdict.get("feedback").and_then(Value::as_str);
        Self {
            call_id: word(payload.get("call_id")),
            call: ToolCall {
                id: Some(word(payload.get("call_id"))),
                name: word(call.get("name")),
                arguments: call.get("arguments").cloned().unwrap_or_default().into(),
            },
            verdict_id: word(payload.get("verdict_id")),
            status: serde_json::from_value(verdict.get("status").cloned().unwrap_or_default())
                .unwrap_or(Status::ValidationFailed),
            feedback: feedback.map_or_else(|| explanation.clone(), str::to_owned),
            explanation,
            // Who was cleared was started with the same words, and is found by its trail.
            cleared: None,
            proposed: call,
            verdict,
        }
    }

    /// The call as the model made it.
    pub(super) fn made(&self) -> Value {
        call_json(&self.call_id, &self.call)
    }

    /// The event of the verdict.
    pub(super) fn draft(&self, step: &str) -> Draft {
        let fields = json!({
            "verdict_id": self.verdict_id,
            "call_id": self.call_id,
            "name": self.call.name,
            "call": self.made(),
            "status": self.status,
            "verdict": self.verdict,
            "step": step,
        });
        Draft::new(EventType::Verdict, "countersign", ContentType::Json, fields)
    }
}

impl AgentRun<'_> {
    /// Judges the calls of an answer.
    pub(super) async fn judge(&self, calls: &[HeardCall], messages: &Arc<Vec<Value>>) -> Result<Vec<Judged>, Ending> {
        let mut named = Vec::new();
        for heard in calls {
            let call_id = self.context.call_id(heard.call.id.as_deref())?;
            named.push((call_id, heard.call.clone()));
        }
        let began = Instant::now();
        let verdicts = self.verdicts(named.iter().map(|(_, call)| call.clone()).collect(), messages).await?;
        let took = began.elapsed() / u32::try_from(verdicts.len().max(1)).unwrap_or(u32::MAX);
        let mut judged = Vec::new();
        for ((call_id, call), verdict) in named.into_iter().zip(verdicts) {
            self.context.watcher.call_judged(verdict.status);
            self.context.watcher.judging_took(took);
            let verdict_id = new_id("ver").map_err(|error| Ending::internal(&error))?;
            judged.push(Judged::new(call_id, call, verdict_id, &verdict));
        }
        Ok(judged)
    }

    /// Without questions to the world a verdict takes microseconds, and is made here; with them it may take its time.
    async fn verdicts(&self, calls: Vec<ToolCall>, messages: &Arc<Vec<Value>>) -> Result<Vec<Verdict>, Ending> {
        let (rules, guard) = (Arc::clone(self.context.rules), Arc::clone(&self.tools.guard));
        let (said, context) = (Arc::clone(messages), self.context.session.context.clone());
        let asks = rules.asker.is_some() || messages.len() > MANY;
        let judging = move || {
            let conversation = rules::conversation(&said);
            calls.into_iter().map(|call| rules::judge(&rules, &guard, &conversation, &context, call)).collect()
        };
        if !asks {
            return Ok(judging());
        }
        tokio::task::spawn_blocking(judging).await.map_err(|error| Ending::internal(&error))
    }

    /// The verdicts of an answer for the audit, and once what they were made on: `countersign check` judges it to the same
    /// verdicts.
    pub(super) fn audit(&self, judged: &[Judged], messages: &[Value]) -> Result<Vec<Change>, Ending> {
        if judged.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.context.session;
        let id = new_id("req").map_err(|error| Ending::internal(&error))?;
        let (tools, messages) = (json!(self.tools.specs).to_string(), json!(messages).to_string());
        let context = session.context.to_string();
        let parts = [("tools", tools.as_str()), ("messages", &messages), ("context", &context)];
        let request = KeptRequest::new(&id, &session.session_id, now_millis(), &parts);
        let verdicts = judged.iter().map(|judged| self.audited(judged, &request));
        Ok([request.keep()].into_iter().chain(verdicts).collect())
    }

    fn audited(&self, judged: &Judged, request: &KeptRequest) -> Change {
        let context = self.context;
        let body = json!({
            "verdict_id": judged.verdict_id,
            "request_id": request.id,
            "session_id": context.session.session_id,
            "call_id": judged.call_id,
            "tool": judged.call.name,
            "call": judged.made(),
            "verdict": judged.verdict,
            "policy_version": context.rules.policy.version,
            "key": Some(context.session.caller.as_str()).filter(|key| !key.is_empty()),
        });
        let record = Record {
            kind: Kind::Verdict,
            id: judged.verdict_id.clone(),
            parent: context.session.session_id.clone(),
            state: judged.status.name().to_owned(),
            created_at: request.created_at,
            version: 1,
            body,
        };
        Change::Insert(record, None)
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

/// A call as JSON, under its id in the session.
pub(super) fn call_json(id: &str, call: &ToolCall) -> Value {
    json!({"id": id, "name": call.name, "arguments": call.arguments})
}

/// A conversation that is longer is judged on a thread of its own.
const MANY: usize = 60;
