//! What became of what people were asked about, in all and by tool: how often they said yes to it unchanged.

use countersign_runtime::store::Record;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What became of reviews.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// Every state, those that wait among them.
    pub by_state: BTreeMap<String, u64>,
    by_tool: BTreeMap<String, BTreeMap<String, u64>>,
    /// Those that a check doubted: the others came because their tool always asks.
    doubted: BTreeMap<String, u64>,
    by_code: BTreeMap<String, BTreeMap<String, u64>>,
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
        let codes = doubts(record);
        if !codes.is_empty() {
            *self.doubted.entry(record.state.clone()).or_default() += 1;
        }
        for code in codes {
            *self.by_code.entry(code.to_owned()).or_default().entry(record.state.clone()).or_default() += 1;
        }
    }

    /// As people read it. A false alarm is what a check doubted and a person let through as it was; a tool that always
    /// asks raises none.
    pub(super) fn render(&self) -> Value {
        let mut shown = counts(&self.by_state);
        let decided = count_decided(&self.doubted);
        let rate = (decided > 0).then(|| count(&self.doubted, "approved") as f64 / decided as f64);
        shown.insert("false_alarm_rate".to_owned(), json!(rate));
        shown.insert("doubted".to_owned(), Value::Object(counts(&self.doubted)));
        shown.insert("by_tool".to_owned(), each(&self.by_tool));
        shown.insert("by_code".to_owned(), each(&self.by_code));
        Value::Object(shown)
    }
}

fn each(groups: &BTreeMap<String, BTreeMap<String, u64>>) -> Value {
    Value::Object(groups.iter().map(|(name, states)| (name.clone(), Value::Object(counts(states)))).collect())
}

/// The codes that speak against an item, each once.
fn doubts(record: &Record) -> BTreeSet<&str> {
    let found = record.body.get("findings").and_then(Value::as_array).into_iter().flatten();
    let grave = found.filter(|finding| {
        let is_mended = finding.pointer("/correction/applied") == Some(&Value::Bool(true));
        finding.get("severity").and_then(Value::as_str) != Some("info") && !is_mended
    });
    grave.filter_map(|finding| finding.get("code")?.as_str()).collect()
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
