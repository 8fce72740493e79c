//! What the models have cost in this process since it began: tokens by key, by model and by tool, from its metrics.

use countersign_runtime::metrics::{Counter, Metrics};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The tokens of answers, on the drop-in routes and in sessions.
pub(super) fn tokens(metrics: &Metrics) -> Value {
    let (mut all, mut by_key, mut by_model, mut by_tool) = (Map::new(), Map::new(), Map::new(), Map::new());
    for ([key, model, kind], count) in metrics.tokens.all() {
        add(&mut all, &kind, &count);
        add_under(&mut by_key, &key, &kind, &count);
        add_under(&mut by_model, &model, &kind, &count);
    }
    for ([tool, kind], count) in metrics.tool_tokens.all() {
        add_under(&mut by_tool, &tool, &kind, &count);
    }
    for kind in KINDS {
        all.entry(kind).or_insert(Value::from(0));
    }
    all.extend(
        [("by_key", by_key), ("by_model", by_model), ("by_tool", by_tool)]
            .map(|(name, of)| (name.to_owned(), json!(of))),
    );
    Value::Object(all)
}

fn add_under(table: &mut Map<String, Value>, name: &str, kind: &str, count: &Arc<Counter>) {
    let entry = table.entry(name).or_insert_with(|| json!({"input": 0, "output": 0, "cached": 0}));
    if let Some(fields) = entry.as_object_mut() {
        add(fields, kind, count);
    }
}

fn add(fields: &mut Map<String, Value>, kind: &str, count: &Arc<Counter>) {
    let known = fields.get(kind).and_then(Value::as_u64).unwrap_or(0);
    fields.insert(kind.to_owned(), (known + count.value()).into());
}

const KINDS: [&str; 3] = ["input", "output", "cached"];

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_runtime::metrics::Tokens;

    // SERVE-4
    #[test]
    fn tokens_are_summed_by_key_model_and_tool() {
        let metrics = Metrics::default();
        metrics.count_tokens("key_1", "m", Tokens { input: 10, output: 2, cached: 0 });
        metrics.count_tokens("key_2", "m", Tokens { input: 1, output: 1, cached: 1 });
        metrics.count_tool_tokens("search", Tokens { input: 10, output: 2, cached: 0 });
        let seen = tokens(&metrics);
        assert_eq!((&seen["input"], &seen["output"], &seen["cached"]), (&json!(11), &json!(3), &json!(1)));
        assert_eq!(seen["by_key"]["key_1"], json!({"input": 10, "output": 2, "cached": 0}));
        assert_eq!(seen["by_model"]["m"]["input"], 11);
        assert_eq!(seen["by_tool"]["search"]["output"], 2);
    }
}
