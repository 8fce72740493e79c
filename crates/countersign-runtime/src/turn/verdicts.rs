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
use countersign::decide::Scope;
use countersign::feedback::attempts::{Budget, CorrectionOutcome};
use countersign::resolve::{Extent, Irreversible, Judged, Release, Resolution, ResolveOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// What a hosted turn knows of a call beside the engine.
#[derive(Debug, Clone)]
pub(super) struct HostedCall {
    /// Its id, unique in the session.
    pub call_id: String,
    /// The name of its verdict.
    pub verdict_id: String,
    /// Its verdict as it is told.
    pub told: Value,
    /// How the correction of it ended, where it has with this call.
    pub correction: Option<CorrectionOutcome>,
}

/// A call of a hosted turn, judged.
pub(super) type JudgedCall = Judged<HostedCall>;

/// The call as the model made it.
pub(super) fn made(judged: &JudgedCall) -> Value {
    call_json(&judged.own.call_id, &judged.call)
}

/// The event of a verdict.
pub(super) fn verdict_draft(judged: &JudgedCall, step: &str) -> Draft {
    let mut fields = json!({
        "verdict_id": judged.own.verdict_id,
        "call_id": judged.own.call_id,
        "name": judged.call.name,
        "call": made(judged),
        "status": judged.own.told.get("status"),
        "verdict": judged.own.told,
        "step": step,
    });
    if let Some(fields) = fields.as_object_mut() {
        fields.extend(extent_word(judged.extent).map(|word| ("extent".to_owned(), json!(word))));
        fields.extend(correction_field(judged));
    }
    Draft::new(EventType::Verdict, "countersign", ContentType::Json, fields)
}

/// How the correction of a call ended, where it has.
fn correction_field(judged: &JudgedCall) -> Option<(String, Value)> {
    judged.own.correction.as_ref().map(|outcome| ("correction".to_owned(), json!(outcome)))
}

/// What a log says of a call that is not whole.
fn extent_word(extent: Extent) -> Option<&'static str> {
    match extent {
        Extent::Whole => None,
        Extent::Unclosed => Some("unclosed"),
        Extent::Cut | Extent::Unreadable => Some("cut"),
    }
}

/// A call that the log has the verdict of.
pub(super) fn recorded_call(payload: &Payload) -> HeardCall {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let call = payload.get("call").cloned().unwrap_or_default();
    let extent = match payload.get("extent").and_then(Value::as_str) {
        Some("unclosed") => Extent::Unclosed,
        Some(_) => Extent::Cut,
        None => Extent::Whole,
    };
    let call = ToolCall {
        id: Some(word(payload.get("call_id"))),
        name: word(call.get("name")),
        arguments: call.get("arguments").cloned().unwrap_or_default().into(),
    };
    HeardCall { call, extent }
}

impl AgentRun<'_> {
    /// The resolution of a conversation's calls. What differs from the gateway is here: good calls run at once, and a
    /// person decides on what cannot be undone.
    pub(super) fn resolution(&self) -> Resolution<HostedCall> {
        let session = self.context.session;
        let user = session.user.as_deref().unwrap_or_default();
        let caller = format!("{}/{user}/{}", session.caller, session.session_id);
        let options = ResolveOptions {
            budget: Budget { tries: MAX_CORRECTIONS, ..Budget::default() },
            release: Release::AtOnce,
            irreversible: Irreversible::AskPerson,
            observed: Arc::default(),
        };
        let scope = Scope::new(&caller, &self.context.turn_name());
        Resolution::new(Arc::clone(&self.tools.guard), scope, options, self.context.language)
    }

    /// Judges the calls of an answer. Those that the log has are judged again, under their names: what may run is for the
    /// engine to say, and not for a log.
    pub(super) async fn judge(
        &self,
        calls: &[HeardCall],
        messages: &Arc<Vec<Value>>,
        recorded: &[Payload],
    ) -> Result<Vec<JudgedCall>, Ending> {
        let calls: Vec<HeardCall> = match recorded.is_empty() {
            true => calls.to_vec(),
            false => recorded.iter().map(recorded_call).collect(),
        };
        let mut named = Vec::new();
        for heard in calls {
            let call_id = self.context.call_id(heard.call.id.as_deref())?;
            named.push((call_id, heard));
        }
        let began = Instant::now();
        let verdicts = self.verdicts(named.iter().map(|(_, heard)| heard.call.clone()).collect(), messages).await?;
        let took = began.elapsed() / u32::try_from(verdicts.len().max(1)).unwrap_or(u32::MAX);
        let mut judged = Vec::new();
        for (at, ((call_id, heard), verdict)) in named.into_iter().zip(verdicts).enumerate() {
            let HeardCall { call, extent } = heard;
            let known = recorded.get(at);
            if known.is_none() {
                self.context.watcher.call_judged(verdict.status);
                self.context.watcher.judging_took(took);
            }
            let verdict_id = match known.and_then(|payload| payload.get("verdict_id")).and_then(Value::as_str) {
                Some(id) => id.to_owned(),
                None => new_id("ver").map_err(|error| Ending::internal(&error))?,
            };
            let told = known.and_then(|payload| payload.get("verdict")).cloned();
            let told = told.unwrap_or_else(|| serde_json::to_value(&verdict).unwrap_or_default());
            let own = HostedCall { call_id, verdict_id, told, correction: None };
            judged.push(Judged { own, call, extent, answerable: true, verdict });
        }
        Ok(judged)
    }

    /// Without questions to the world a verdict takes microseconds, and is made here; with them it may take its time.
    async fn verdicts(&self, calls: Vec<ToolCall>, messages: &Arc<Vec<Value>>) -> Result<Vec<Verdict>, Ending> {
        let (rules, guard) = (Arc::clone(self.context.rules), Arc::clone(&self.tools.guard));
        let (said, context) = (Arc::clone(messages), self.context.call_context.clone());
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
    pub(super) fn audit<'j>(
        &self,
        judged: impl Iterator<Item = &'j JudgedCall>,
        messages: &[Value],
    ) -> Result<Vec<Change>, Ending> {
        let mut judged = judged.peekable();
        if judged.peek().is_none() {
            return Ok(Vec::new());
        }
        let session = self.context.session;
        let id = new_id("req").map_err(|error| Ending::internal(&error))?;
        let (tools, messages) = (json!(self.tools.specs).to_string(), json!(messages).to_string());
        let context = self.context.call_context.to_string();
        let parts = [("tools", tools.as_str()), ("messages", &messages), ("context", &context)];
        let request = KeptRequest::new(&id, &session.session_id, now_millis(), &parts);
        let verdicts = judged.map(|judged| self.audited(judged, &request));
        Ok([request.keep()].into_iter().chain(verdicts).collect())
    }

    fn audited(&self, judged: &JudgedCall, request: &KeptRequest) -> Change {
        let context = self.context;
        let status = self.standing(judged).name();
        let mut body = json!({
            "verdict_id": judged.own.verdict_id,
            "request_id": request.id,
            "status": status,
            "session_id": context.session.session_id,
            "call_id": judged.own.call_id,
            "tool": judged.call.name,
            "call": made(judged),
            "verdict": judged.own.told,
            "policy_version": context.rules.policy.version,
            "key": Some(context.session.caller.as_str()).filter(|key| !key.is_empty()),
        });
        if let Some(fields) = body.as_object_mut() {
            fields.extend(correction_field(judged));
        }
        let record = Record {
            kind: Kind::Verdict,
            id: judged.own.verdict_id.clone(),
            parent: context.session.session_id.clone(),
            state: status.to_owned(),
            created_at: request.created_at,
            version: 1,
            body,
        };
        Change::Insert(record, None)
    }

    /// How a call stands in the audit: one that a person must decide on is not approved, whatever the checks say of it.
    fn standing(&self, judged: &JudgedCall) -> Status {
        let runs = judged.verdict.call.as_ref().map_or(&judged.call.name, |call| &call.name);
        match judged.verdict.status {
            status if status.is_refused() => status,
            _ if self.tools.guard.is_irreversible(runs) => Status::RequiresReview,
            status => status,
        }
    }
}

/// A call as JSON, under its id in the session.
pub(super) fn call_json(id: &str, call: &ToolCall) -> Value {
    json!({"id": id, "name": call.name, "arguments": call.arguments})
}

/// A conversation that is longer is judged on a thread of its own.
const MANY: usize = 60;
/// How often a model is asked for wrong calls again in one turn.
const MAX_CORRECTIONS: usize = 3;
