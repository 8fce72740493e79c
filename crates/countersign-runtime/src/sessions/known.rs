//! What is known of a session's claims: its log, read up to a number. The log stays the truth.

use super::error::SessionError;
use super::evidence::LoggedEvidence;
use crate::factcheck::{Evidence, Summary};
use crate::stream::Hub;
use countersign::claims::lineage::{Limits, Lineage};
use countersign::claims::mark::apply;
use countersign::contract::{ClaimStatus, ClaimUpdate, EventType, Language, MarkedMessage};
use countersign::inspect::reassess;
use countersign::policy::ScorePolicy;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What is known of a session's claims.
pub(super) struct Known {
    seq: u64,
    pub(super) lineage: Lineage,
    pub(super) messages: Vec<MarkedMessage>,
    evidence: LoggedEvidence,
    /// How answers stand, by their ids.
    assessments: HashMap<String, Value>,
}

/// How the claims of a message stand: an entry of `messages` in `claims_updated`, and the facts of its assessment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageFacts {
    /// The message.
    pub message_id: String,
    /// Whether a claim in it is not verified.
    pub needs_verify: bool,
    /// How many claims stand how.
    #[serde(flatten)]
    pub counts: Summary,
    /// How an answer stands with what its claims have come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Value>,
}

impl MessageFacts {
    /// How a message stands.
    pub(super) fn of(message: &MarkedMessage) -> Self {
        let mut counts = Summary::default();
        message.claims.iter().for_each(|claim| counts.add(claim.status));
        Self { message_id: message.id.clone(), needs_verify: message.needs_verify, counts, assessment: None }
    }
}

impl Default for Known {
    fn default() -> Self {
        let (lineage, evidence) = (Lineage::new(Limits::default()), LoggedEvidence::default());
        Self { seq: 0, lineage, messages: Vec::new(), evidence, assessments: HashMap::new() }
    }
}

impl Known {
    /// Reads what the log has more.
    pub(super) async fn catch_up(&mut self, hub: &Hub, session: &str) -> Result<(), SessionError> {
        let head = hub.head(session).await?;
        if head.seq < self.seq {
            *self = Self::default();
        }
        for entry in hub.history(session, self.seq, usize::MAX).await? {
            self.seq = entry.id.seq;
            let is_claims = matches!(entry.kind, EventType::Message | EventType::ClaimsUpdated);
            if (is_claims || LoggedEvidence::holds(entry.kind))
                && let Ok(Value::Object(event)) = serde_json::from_str(&entry.body)
                && let Some(Value::Object(payload)) = event.get("payload")
            {
                self.take(entry.kind, payload);
            }
        }
        Ok(())
    }

    fn take(&mut self, kind: EventType, payload: &Map<String, Value>) {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        match kind {
            EventType::Message => {
                let Some(message) = read_message(payload) else { return };
                let derived = payload.get("derived_from").and_then(Value::as_array);
                let derived: Vec<&str> = derived.into_iter().flatten().filter_map(Value::as_str).collect();
                // The log has it: what the graph says against it (a name taken twice) changes nothing.
                let _ = self.lineage.add(&message, word("from"), word("to"), &derived);
                self.keep_logged_states(&message);
                if let Some(assessment) = payload.get("assessment").filter(|_| message.needs_verify) {
                    self.assessments.insert(message.id.clone(), assessment.clone());
                }
                self.messages.push(message);
            }
            EventType::ClaimsUpdated => {
                let updates = read_updates(payload);
                self.lineage.settle_logged(&updates);
                self.messages.iter_mut().for_each(|message| apply(message, &updates));
                let facts = payload.get("messages").and_then(Value::as_array).into_iter().flatten();
                for facts in facts {
                    if let (Some(Value::String(id)), Some(now)) = (facts.get("message_id"), facts.get("assessment")) {
                        self.assessments.insert(id.clone(), now.clone());
                    }
                }
            }
            kind => self.evidence.take(kind, payload),
        }
    }

    /// A copy was logged in the state of its original, which the log may have let go since.
    fn keep_logged_states(&mut self, message: &MarkedMessage) {
        for claim in message.claims.iter().filter(|claim| claim.status != ClaimStatus::Pending) {
            let Some(id) = &claim.id else { continue };
            if self.lineage.state(id).is_some_and(|state| state.status == ClaimStatus::Pending) {
                let (status, note, source) = (claim.status, claim.verify_note.clone(), claim.source.clone());
                self.lineage.settle(&ClaimUpdate { id: id.clone(), status, note, source });
            }
        }
    }

    /// What tools and searches said, the oldest first.
    pub(super) fn evidence(&self) -> &[Evidence] {
        self.evidence.pieces()
    }

    /// The message with an id.
    pub(super) fn message(&self, id: &str) -> Option<&MarkedMessage> {
        self.messages.iter().rfind(|message| message.id == id)
    }

    /// Takes what was found of claims: gives what is to be written, in the order of the log, each after those that it
    /// follows from. That the same is found again is no change.
    pub(super) fn settle(&mut self, found: &[ClaimUpdate]) -> Vec<ClaimUpdate> {
        let differs =
            |state: ClaimUpdate, update: &ClaimUpdate| state.status != update.status || state.source != update.source;
        for update in found {
            if self.lineage.state(&update.id).is_some_and(|state| differs(state, update)) {
                self.lineage.settle(update);
            }
        }
        let claims = self.messages.iter().flat_map(|message| &message.claims);
        let changed = claims.filter_map(|claim| {
            let state = self.lineage.state(claim.id.as_deref()?)?;
            (state.status != claim.status || state.source != claim.source).then_some(state)
        });
        changed.collect()
    }

    /// The messages with a claim that is not verified.
    pub(super) fn open_messages(&self) -> Vec<MarkedMessage> {
        self.messages.iter().filter(|message| message.needs_verify).cloned().collect()
    }

    /// How the messages of these claims stand once the changes are made; answers are weighed again.
    pub(super) fn list_changed(&self, changes: &[ClaimUpdate], score: &ScorePolicy) -> Vec<MessageFacts> {
        let is_changed = |id: &Option<String>| changes.iter().any(|change| Some(&change.id) == id.as_ref());
        let touched = self.messages.iter().filter(|message| message.claims.iter().any(|claim| is_changed(&claim.id)));
        let facts = touched.cloned().map(|mut message| {
            apply(&mut message, changes);
            let before = self.assessments.get(&message.id);
            let language = Language::of(&message.content);
            let assessment = before.and_then(|report| reassess(report, &message.claims, score, language));
            MessageFacts { assessment, ..MessageFacts::of(&message) }
        });
        facts.collect()
    }

    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.messages.iter().flat_map(|message| &message.claims).for_each(|claim| summary.add(claim.status));
        summary
    }
}

/// A message of the log that can hold claims.
pub fn read_message(payload: &Map<String, Value>) -> Option<MarkedMessage> {
    let text = |name: &str| Some(payload.get(name)?.as_str()?.to_owned());
    let claims = serde_json::from_value(payload.get("claims")?.clone()).ok()?;
    let needs_verify = payload.get("needs_verify").and_then(Value::as_bool).unwrap_or_default();
    Some(MarkedMessage { id: text("message_id")?, content: text("content")?, needs_verify, claims })
}

/// What an event `claims_updated` says of claims.
pub fn read_updates(payload: &Map<String, Value>) -> Vec<ClaimUpdate> {
    let claims = payload.get("claims").cloned().unwrap_or_default();
    serde_json::from_value(claims).unwrap_or_default()
}
