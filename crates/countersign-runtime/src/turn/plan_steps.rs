//! The steps of a plan, as the log has them.

use countersign::parse::plan::PlanStep;
use serde_json::{Value, json};

/// A step for the log.
pub(super) fn write_step(step: &PlanStep) -> Value {
    json!({
        "id": step.id, "description": step.description, "tool": step.tool, "arguments": step.arguments,
        "depends_on": step.depends_on, "unclosed": step.unclosed,
    })
}

/// A step from the log.
pub(super) fn read_step(step: &Value) -> PlanStep {
    let word = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let needed = step.get("depends_on").and_then(Value::as_array).into_iter().flatten();
    PlanStep {
        id: word("id"),
        description: word("description"),
        tool: word("tool"),
        arguments: step.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default(),
        depends_on: needed.filter_map(Value::as_str).map(str::to_owned).collect(),
        unclosed: step.get("unclosed") == Some(&json!(true)),
        ..PlanStep::default()
    }
}
