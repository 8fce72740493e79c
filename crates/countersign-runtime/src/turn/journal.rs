//! What of a turn is in the log already.
//!
//! A turn that waits for a person outlives its process: another one reads the log and goes through the same steps, and
//! each step that is recorded is taken from here instead of being done again. What was under way and has no end in the
//! log is told as it is: a tool that may have changed something is not run a second time.

use crate::review::About;
use crate::store::Entry;
use countersign::contract::EventType;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The payload of an event.
pub(super) type Payload = Map<String, Value>;

/// What is recorded of a turn. Empty for one that has just begun.
#[derive(Debug, Default)]
pub(super) struct Journal {
    steps: HashMap<(EventType, String), Vec<Payload>>,
    trails: HashMap<String, Trail>,
    /// The reviews of answers that are held for a person, by their steps.
    held: HashMap<String, String>,
}

/// What is recorded of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    /// The review that it waits for, or waited for.
    pub review: Option<String>,
    /// The call as it was given to its runner.
    pub started: Option<Payload>,
    /// What came back.
    pub result: Option<Payload>,
    /// A person said no, or nobody said yes in time.
    pub denied: bool,
    /// The review that its result waits for, or waited for.
    pub result_review: Option<String>,
    /// What was decided on its result.
    pub ruling: Option<Payload>,
}

impl Journal {
    /// What the events of a turn record.
    pub(super) fn read(entries: &[Entry]) -> Self {
        let mut journal = Self::default();
        for entry in entries {
            if let Ok(Value::Object(mut event)) = serde_json::from_str(&entry.body)
                && let Some(Value::Object(payload)) = event.remove("payload")
            {
                journal.take(entry.kind, payload);
            }
        }
        journal
    }

    fn take(&mut self, kind: EventType, payload: Payload) {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(call_id) = word("call_id") {
            let trail = self.trails.entry(call_id).or_default();
            match kind {
                EventType::ReviewRequired if word("about").as_deref() == Some(About::Result.name()) => {
                    trail.result_review = word("review_id");
                }
                EventType::ReviewRequired => trail.review = word("review_id"),
                EventType::ToolCall => trail.started = Some(payload.clone()),
                EventType::ToolResult => trail.result = Some(payload.clone()),
                EventType::Warning if word("code").as_deref() == Some(DENIED) => trail.denied = true,
                EventType::Warning if word("code").as_deref() == Some(DECIDED) => trail.ruling = Some(payload.clone()),
                _ => {}
            }
        }
        if let Some(step) = word("step") {
            if let (EventType::ReviewRequired, true, Some(review)) =
                (kind, word("about").as_deref() == Some(About::Answer.name()), word("review_id"))
            {
                self.held.insert(step.clone(), review);
            }
            self.steps.entry((kind, step)).or_default().push(payload);
        }
    }

    /// Whether the turn waits for a person.
    pub(super) fn is_waiting(&self) -> bool {
        let call_waits = |trail: &Trail| trail.review.is_some() && trail.started.is_none() && !trail.denied;
        let result_waits = |trail: &Trail| trail.result_review.is_some() && trail.ruling.is_none();
        let answer_waits = |step: &String| self.of(EventType::Message, step).is_empty();
        self.trails.values().any(|trail| call_waits(trail) || result_waits(trail)) || self.held.keys().any(answer_waits)
    }

    /// The review that a step's answer is held for.
    pub(super) fn held(&self, step: &str) -> Option<&str> {
        self.held.get(step).map(String::as_str)
    }

    /// What a step has written, all of one kind.
    pub(super) fn of(&self, kind: EventType, step: &str) -> &[Payload] {
        self.steps.get(&(kind, step.to_owned())).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is recorded of a call.
    pub(super) fn trail(&self, call_id: &str) -> Trail {
        self.trails.get(call_id).cloned().unwrap_or_default()
    }
}

/// The turn of a log that is open: where it begins, and its events. None where the log does not show its beginning.
pub(super) fn open_turn(entries: &[Entry]) -> Option<(&Entry, &[Entry])> {
    let ended = entries.iter().rposition(|entry| entry.kind.is_terminal()).map_or(0, |at| at + 1);
    let since = entries.get(ended..)?;
    let begins = since.iter().position(is_users)?;
    Some((since.get(begins)?, since.get(begins..)?))
}

fn is_users(entry: &Entry) -> bool {
    let opens = |event: &Value| event.get("agent_source").and_then(Value::as_str) == Some("user");
    entry.kind == EventType::Message && serde_json::from_str(&entry.body).is_ok_and(|event: Value| opens(&event))
}

/// The code of the warning that a person said no to a call.
pub(super) const DENIED: &str = "review_denied";
/// The code of the warning that tells what a person decided on a result or an answer.
pub(super) const DECIDED: &str = "review_decided";
