//! What became of what people were asked about, in all and by tool: how often they said yes to it unchanged.

use countersign_runtime::store::Record;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What became of reviews.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// Every state, those that wait among them.
    pub by_state: BTreeMap<String, u64>,
    by_tool: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Outcomes {
    /// Counts an item.
    pub(super) fn add(&mut self, record: &Record) {
        *self.by_state.entry(record.state.clone()).or_default() += 1;
        let tool = record.body.get("tool").and_then(Value::as_str).unwrap_or_default();
        // An answer has no tool.
        if !tool.is_empty() {
            *self.by_tool.entry(tool.to_owned()).or_default().entry(record.state.clone()).or_default() += 1;
        }
    }

    /// As people read it. A false alarm is what a person let through as it was.
    pub(super) fn render(&self) -> Value {
        let mut shown = counts(&self.by_state);
        let decided = count_decided(&self.by_state);
        let rate = (decided > 0).then(|| count(&self.by_state, "approved") as f64 / decided as f64);
        let of_tools = self.by_tool.iter().map(|(tool, states)| (tool.clone(), Value::Object(counts(states))));
        shown.insert("false_alarm_rate".to_owned(), json!(rate));
        shown.insert("by_tool".to_owned(), Value::Object(of_tools.collect()));
        Value::Object(shown)
    }
}

fn counts(states: &BTreeMap<String, u64>) -> Map<String, Value> {
    let each = PERSON.into_iter().chain(["expired"]).map(|state| (state.to_owned(), count(states, state).into()));
    [("decided".to_owned(), count_decided(states).into())].into_iter().chain(each).collect()
}

fn count_decided(states: &BTreeMap<String, u64>) -> u64 {
    PERSON.iter().map(|state| count(states, state)).sum()
}

fn count(states: &BTreeMap<String, u64>, state: &str) -> u64 {
    states.get(state).copied().unwrap_or_default()
}

/// What a person says.
const PERSON: [&str; 3] = ["approved", "edited", "rejected"];
