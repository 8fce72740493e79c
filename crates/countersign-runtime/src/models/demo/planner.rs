//! The part of the planner: a plan over the tools that the instructions list, in the classic form, as JSON, or broken.

use super::arguments::{Unsaid, fill, is_id};
use super::conversation::{Conversation, Tool};
use super::fault::{Fault, Habit};
use super::schema::{kind, properties, property, required};
use super::tasks::shared;
use super::words::{Tongue, tongue};
use serde_json::{Map, Value, json};

/// One step.
struct Step {
    why: &'static str,
    tool: String,
    arguments: Map<String, Value>,
}

/// The plan, in words.
pub(super) fn plan(asked: &Conversation, tools: &[Tool]) -> String {
    let question = asked.question();
    let steps = steps(question, tools);
    match asked.habit {
        Habit::Always(Fault::PlanJson) => as_json(&steps),
        Habit::Always(Fault::PlanBroken) => break_plan(&steps, question),
        _ if steps.is_empty() => "Plan: none".to_owned(),
        _ => (1..).zip(&steps).map(|(number, step)| line(number, step)).collect::<Vec<_>>().join("\n"),
    }
}

/// The two tools whose words the question shares most; the second takes what the first gives.
fn steps(question: &str, tools: &[Tool]) -> Vec<Step> {
    let mut fitting = shared(question, tools);
    // The sort is stable: of two that fit alike, the first listed comes first.
    fitting.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
    fitting.truncate(2);
    // What takes contents comes after what may give some, whichever the question names first.
    fitting.sort_by_key(|(_, tool)| properties(&tool.schema).iter().any(|name| GIVEN.contains(name)));
    let first_words = words_of(question);
    let step = |(at, (_, tool)): (usize, &(i32, &Tool))| {
        let mut filled = fill(&tool.schema, question, &[], Unsaid::MadeUp).arguments;
        if let Some(field) = (at > 0).then(|| field_for_result(&tool.schema)).flatten() {
            filled.insert(field.to_owned(), json!("#E1"));
        }
        Step { why: first_words.get(at).copied().unwrap_or_default(), tool: tool.name.clone(), arguments: filled }
    };
    fitting.iter().enumerate().map(step).collect()
}

/// The text field that takes what another tool gave: one for contents, else the last required one that is no id.
fn field_for_result(schema: &Value) -> Option<&str> {
    let takes_words = |name: &&str| {
        let words = |field: &Value| kind(field) == "string" && field.get("enum").is_none();
        !is_id(name) && property(schema, name).is_some_and(words)
    };
    let content = properties(schema).into_iter().filter(takes_words).find(|name| CONTENTS.contains(name));
    content.or_else(|| required(schema).into_iter().rfind(takes_words))
}

fn line(number: usize, step: &Step) -> String {
    format!("Plan: {}\n#E{number} = {}[{}]", step.why, step.tool, Value::Object(step.arguments.clone()))
}

fn as_json(steps: &[Step]) -> String {
    let told = |(number, step): (usize, &Step)| json!({"id": format!("E{number}"), "description": step.why, "tool": step.tool, "arguments": step.arguments});
    let told: Vec<Value> = (1..).zip(steps).map(told).collect();
    format!("```json\n{}\n```", json!({"steps": told}))
}

/// Two steps that wait for each other, a tool that nobody has, and one step that is right.
fn break_plan(steps: &[Step], question: &str) -> String {
    let [first, second, third, _] = words_of(question);
    let mut lines = vec![
        format!("Plan: {first}\n#E1 = LLM[Use #E2 to begin]"),
        format!("Plan: {second}\n#E2 = LLM[Use #E1 to go on]"),
        format!("Plan: {third}\n#E3 = summon_assistant[now]"),
    ];
    lines.extend(steps.first().map(|step| line(4, step)));
    lines.join("\n")
}

fn words_of(question: &str) -> [&'static str; 4] {
    match tongue(question) {
        Tongue::English => ["Find what is asked for", "Use what was found", "Ask for help", "Go on"],
        Tongue::Chinese => ["查找所需的内容", "使用查到的内容", "请求协助", "继续"],
    }
}

/// Fields that hold what somebody else wrote.
const GIVEN: [&str; 4] = ["content", "text", "body", "message"];
/// Fields for contents.
const CONTENTS: [&str; 8] = ["content", "text", "body", "message", "query", "question", "input", "prompt"];
