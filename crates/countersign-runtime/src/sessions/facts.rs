//! Claims on their way (CLAIM-2, CLAIM-4): messages between the user's own agents, marked, linked and looked up.
//!
//! The lineage of a session is read from its log and kept for a while; the log stays the truth. A claim is pending until a
//! source settles it, whatever an agent says of itself.

use super::error::SessionError;
use super::session::Sessions;
use crate::factcheck::{Evidence, FactCheck, Summary};
use crate::ids::new_id;
use crate::stream::{Draft, Hub};
use countersign::claims::lineage::{Limits, Lineage, Step};
use countersign::claims::mark::{apply, mark};
use countersign::claims::marked;
use countersign::contract::{ClaimUpdate, ContentType, EventType, MarkedMessage};
use countersign::policy::Policy;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::Mutex;

/// A message from one agent to another.
#[derive(Debug, Clone)]
pub struct Relay {
    /// Who says it.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What.
    pub content: String,
    /// The messages that it was made from; what the sender was last sent where none is named.
    pub derived_from: Vec<String>,
}

/// What a relayed message became.
#[derive(Debug, Clone, Serialize)]
pub struct Relayed {
    /// Its name.
    pub message_id: String,
    /// Whether a claim in it is pending.
    pub needs_verify: bool,
    /// The claims.
    pub claims: Vec<countersign::contract::Claim>,
}

/// What a look-up came to.
#[derive(Debug, Clone, Serialize)]
pub struct FactReport {
    /// What changed.
    pub claims: Vec<ClaimUpdate>,
    /// How all claims of the session stand now.
    pub summary: Summary,
    /// What went wrong, and how often.
    pub troubles: std::collections::BTreeMap<String, usize>,
}

/// Where claims of sessions are marked and looked up.
pub struct SessionClaims {
    sessions: Sessions,
    known: std::sync::Mutex<HashMap<String, Arc<Mutex<Known>>>>,
}

/// What is known of a session's claims: the log up to a number.
struct Known {
    seq: u64,
    lineage: Lineage,
    messages: Vec<MarkedMessage>,
    evidence: Vec<Evidence>,
    settled: Vec<ClaimUpdate>,
}

impl Default for Known {
    fn default() -> Self {
        let lineage = Lineage::new(Limits::default());
        Self { seq: 0, lineage, messages: Vec::new(), evidence: Vec::new(), settled: Vec::new() }
    }
}

impl SessionClaims {
    /// For these sessions.
    pub fn new(sessions: Sessions) -> Self {
        Self { sessions, known: std::sync::Mutex::default() }
    }

    /// Passes a message on: marks its claims, links them to where they came from, and writes it to the log.
    pub async fn relay(&self, session: &str, relay: Relay, policy: &Policy) -> Result<Relayed, SessionError> {
        let known = self.known(session);
        let mut known = known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        let id = new_id("msg")?;
        let mut message = mark(&id, &relay.content, marked::claims(&relay.content, &policy.claims));
        let derived: Vec<&str> = relay.derived_from.iter().map(String::as_str).collect();
        let unusable = |error: countersign::claims::lineage::LineageError| SessionError::Unusable {
            field: "derived_from",
            message: error.to_string(),
        };
        let updates = known.lineage.add(&message, &relay.from, &relay.to, &derived).map_err(unusable)?;
        apply(&mut message, &updates);
        let draft = message_draft(&message, &relay.from, &relay.to, &relay.derived_from);
        if let Err(error) = self.sessions.hub().writer(session).write(vec![draft]).await {
            // What is not in the log was not said: the next one reads the log again.
            *known = Known::default();
            return Err(error.into());
        }
        let MarkedMessage { id: message_id, needs_verify, claims, .. } = message;
        Ok(Relayed { message_id, needs_verify, claims })
    }

    /// Marks the claims of a message that its agent is about to say. What is known of them already is told.
    pub async fn mark(
        &self,
        session: &str,
        id: &str,
        relay: &Relay,
        policy: &Policy,
    ) -> Result<MarkedMessage, SessionError> {
        let known = self.known(session);
        let mut known = known.lock().await;
        let mut message = mark(id, &relay.content, marked::claims(&relay.content, &policy.claims));
        match known.catch_up(self.sessions.hub(), session).await {
            // What was said before cannot be read now: its claims stay pending, which is never wrong, and the turn goes on.
            Err(SessionError::Store(error)) if error.may_pass() => {
                tracing::warn!(session, %error, "claims are marked without those of the messages before");
                return Ok(message);
            }
            caught_up => caught_up?,
        }
        // It is not in the log yet, so the graph that is kept must not have it either.
        let mut lineage = known.lineage.clone();
        if let Ok(updates) = lineage.add(&message, &relay.from, &relay.to, &[]) {
            apply(&mut message, &updates);
        }
        Ok(message)
    }

    /// Looks up the pending claims of a session, and writes what became of them to the log.
    pub async fn check(
        &self,
        session: &str,
        node: Arc<FactCheck>,
        vouched: Vec<Evidence>,
    ) -> Result<FactReport, SessionError> {
        let known = self.known(session);
        let mut known = known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        let (messages, settled) = (known.messages.clone(), known.settled.clone());
        let evidence: Vec<_> = known.evidence.iter().cloned().chain(vouched).collect();
        let looking = move || node.run(&messages, &evidence, &settled, &mut |_| ControlFlow::Continue(()));
        let report = tokio::task::spawn_blocking(looking).await.map_err(|error| SessionError::Unusable {
            field: "session",
            message: format!("the fact check broke off: {error}"),
        })?;
        let changed: Vec<_> = report.updates.iter().flat_map(|update| known.lineage.settle(update)).collect();
        if !changed.is_empty() {
            let draft = updates_draft(&changed);
            if let Err(error) = self.sessions.hub().writer(session).write(vec![draft]).await {
                *known = Known::default();
                return Err(error.into());
            }
        }
        known.catch_up(self.sessions.hub(), session).await?;
        Ok(FactReport { claims: changed, summary: known.summary(), troubles: report.troubles })
    }

    /// The messages of a session with their claims, each in the state that it has reached.
    pub async fn messages(&self, session: &str) -> Result<Vec<MarkedMessage>, SessionError> {
        let known = self.known(session);
        let mut known = known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        Ok(known.messages.clone())
    }

    /// Where a claim came from, step by step.
    pub async fn trace(&self, session: &str, claim: &str) -> Result<Vec<Step>, SessionError> {
        let known = self.known(session);
        let mut known = known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        let steps = known.lineage.trace(claim);
        if steps.is_empty() { Err(SessionError::missing("claim", claim)) } else { Ok(steps) }
    }

    fn known(&self, session: &str) -> Arc<Mutex<Known>> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.len() >= MAX_SESSIONS && !known.contains_key(session) {
            known.retain(|_, kept| Arc::strong_count(kept) > 1);
        }
        Arc::clone(known.entry(session.to_owned()).or_default())
    }
}

impl Known {
    /// Reads what the log has more.
    async fn catch_up(&mut self, hub: &Hub, session: &str) -> Result<(), SessionError> {
        let head = hub.head(session).await?;
        if head.seq < self.seq {
            *self = Self::default();
        }
        for entry in hub.history(session, self.seq, usize::MAX).await? {
            self.seq = entry.id.seq;
            if matches!(entry.kind, EventType::Message | EventType::ClaimsUpdated | EventType::ToolResult)
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
                self.messages.push(message);
            }
            EventType::ClaimsUpdated => {
                let claims = payload.get("claims").cloned().unwrap_or_default();
                let updates: Vec<ClaimUpdate> = serde_json::from_value(claims).unwrap_or_default();
                for update in &updates {
                    self.lineage.settle(update);
                }
                self.messages.iter_mut().for_each(|message| apply(message, &updates));
                self.settled.extend(updates);
            }
            _ => {
                let content = match payload.get("content") {
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                    None => return,
                };
                if payload.get("is_error").and_then(Value::as_bool) != Some(true) {
                    self.evidence.push(Evidence { place: word("call_id").to_owned(), content });
                }
            }
        }
    }

    fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.messages.iter().flat_map(|message| &message.claims).for_each(|claim| summary.add(claim.status));
        summary
    }
}

/// A message of the log that can hold claims.
fn read_message(payload: &Map<String, Value>) -> Option<MarkedMessage> {
    let text = |name: &str| Some(payload.get(name)?.as_str()?.to_owned());
    let claims = serde_json::from_value(payload.get("claims")?.clone()).ok()?;
    let needs_verify = payload.get("needs_verify").and_then(Value::as_bool).unwrap_or_default();
    Some(MarkedMessage { id: text("message_id")?, content: text("content")?, needs_verify, claims })
}

/// The event of a message with its claims.
pub fn message_draft(message: &MarkedMessage, from: &str, to: &str, derived_from: &[String]) -> Draft {
    let fields = json!({
        "message_id": message.id,
        "from": from,
        "to": to,
        "content": message.content,
        "needs_verify": message.needs_verify,
        "claims": message.claims,
        "derived_from": derived_from,
    });
    Draft::new(EventType::Message, from, ContentType::Text, fields)
}

fn updates_draft(updates: &[ClaimUpdate]) -> Draft {
    Draft::new(EventType::ClaimsUpdated, "factcheck", ContentType::Claims, json!({"claims": updates}))
}

/// The lineage of so many sessions is kept in memory.
const MAX_SESSIONS: usize = 256;
