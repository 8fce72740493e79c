//! What newcomers ask, and what must come of it: `newcomers.toml` in this folder.

use super::{Called, Heard, answered, heard, request, with};
use countersign_runtime::models::DemoRoute;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Table {
    tools: BTreeMap<String, Tool>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Tool {
    description: String,
    parameters: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    request: String,
    tools: Vec<String>,
    calls: Vec<(String, Value)>,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    result: Option<String>,
    #[serde(default)]
    results: Vec<String>,
    #[serde(default)]
    then: Vec<(String, Value)>,
    #[serde(default)]
    answer: Vec<String>,
}

impl Case {
    /// What is wrong with the answers; nothing where all is well.
    fn wrong(&self, tools: &BTreeMap<String, Tool>) -> Vec<String> {
        let mut body = self.body(tools);
        let first = heard(DemoRoute::Chat, &body);
        let mut wrong = compare(&self.calls, &first);
        wrong.extend(
            self.says
                .iter()
                .filter(|word| !first.text.contains(*word))
                .map(|word| format!("lacks {word:?}: {}", first.text)),
        );
        wrong.extend(
            self.never
                .iter()
                .filter(|word| first.text.contains(*word))
                .map(|word| format!("has {word:?}: {}", first.text)),
        );
        let results: Vec<&String> = self.result.iter().chain(&self.results).collect();
        if !wrong.is_empty() || results.is_empty() {
            return wrong;
        }
        for (call, result) in first.calls.iter().zip(results) {
            body = answered(DemoRoute::Chat, body, call, result);
        }
        let next = heard(DemoRoute::Chat, &body);
        wrong.extend(compare(&self.then, &next));
        wrong.extend(
            self.answer
                .iter()
                .filter(|word| !next.text.contains(*word))
                .map(|word| format!("answer lacks {word:?}: {}", next.text)),
        );
        wrong
    }

    fn body(&self, tools: &BTreeMap<String, Tool>) -> Value {
        let declared = self.tools.iter().map(|name| {
            let tool = &tools[name];
            json!({"type": "function", "function": {
                "name": name, "description": tool.description, "parameters": tool.parameters}})
        });
        let before = self.before.iter().flat_map(|words| {
            [json!({"role": "user", "content": words}), json!({"role": "assistant", "content": "Tell me more."})]
        });
        let messages = before.chain([json!({"role": "user", "content": self.request})]).collect();
        let body = with(request(DemoRoute::Chat, "demo-clean", ""), "messages", messages);
        if self.tools.is_empty() { body } else { with(body, "tools", declared.collect()) }
    }
}

fn compare(wanted: &[(String, Value)], heard: &Heard) -> Vec<String> {
    let made = |call: &Called| (call.name.clone(), call.arguments.clone().unwrap_or_default());
    let made: Vec<(String, Value)> = heard.calls.iter().map(made).collect();
    let same = made.len() == wanted.len()
        && made.iter().zip(wanted).all(|(made, wanted)| made.0 == wanted.0 && same(&made.1, &wanted.1));
    if same { Vec::new() } else { vec![format!("calls {}, not {}; says {:?}", json!(made), json!(wanted), heard.text)] }
}

/// The same JSON; `30` is `30.0`, because the table is TOML.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

// SERVE-7: the right tool, with what was said and nothing else; an answer from the result.
#[test]
fn newcomers_get_what_they_ask_for() {
    let table: Table = toml::from_str(include_str!("newcomers.toml")).unwrap();
    let told = |case: &Case| {
        let wrong = case.wrong(&table.tools);
        (!wrong.is_empty()).then(|| format!("{:?}: {}", case.request, wrong.join("; ")))
    };
    let wrong: Vec<String> = table.case.iter().filter_map(told).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), table.case.len(), wrong.join("\n"));
}
