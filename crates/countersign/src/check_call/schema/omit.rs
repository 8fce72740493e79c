//! Null and the empty key, read as what models mean by them: nothing.

use crate::check_call::guard::Tool;
use crate::check_call::params::Param;
use crate::contract::codes::call::{EMPTY_KEY, NULL_OMITTED};
use crate::contract::{Finding, Language, PatchOp, Pointer};
use crate::localized;
use serde_json::{Map, Value};

/// Whether anything in the arguments could count as omitted.
pub(crate) fn is_due(arguments: &Map<String, Value>) -> bool {
    arguments.iter().any(|(key, value)| key.is_empty() || holds_null(value, 0))
}

fn holds_null(value: &Value, depth: usize) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) if depth < MAX_DEPTH => list.iter().any(|item| holds_null(item, depth + 1)),
        Value::Object(map) if depth < MAX_DEPTH => map.values().any(|item| holds_null(item, depth + 1)),
        _ => false,
    }
}

/// Takes out what counts as omitted and says so. Never refuses.
pub(crate) fn omit(tool: &Tool, arguments: &mut Map<String, Value>, language: Language, findings: &mut Vec<Finding>) {
    let empty = |value: &Value| match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    if arguments.get("").is_some_and(empty) && tool.root.property("").is_none() {
        arguments.shift_remove("");
        let evidence = localized!(language, "an empty key stands for no arguments", "空键表示没有参数");
        let note = localized!(language, "left out", "已省略");
        findings
            .push(Finding::new(&EMPTY_KEY, "/arguments", evidence).mend(note, vec![PatchOp::remove("/arguments/")]));
    }
    nulls(&tool.root, arguments, &Pointer::arguments(), language, findings, 0);
}

fn nulls(
    param: &Param,
    map: &mut Map<String, Value>,
    at: &Pointer,
    language: Language,
    findings: &mut Vec<Finding>,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    map.retain(|key, value| {
        let Some(child) = param.property(key) else { return true };
        let omitted = value.is_null() && !child.required && !accepts_null(child);
        if omitted {
            let pointer = at.key(key);
            let evidence =
                localized!(language, "`{key}` is null, which counts as left out", "`{key}` 为 null，视为省略");
            let patch = vec![PatchOp::remove(pointer.as_str())];
            findings.push(
                Finding::new(&NULL_OMITTED, pointer, evidence).mend(localized!(language, "left out", "已省略"), patch),
            );
        }
        !omitted
    });
    for (key, value) in map.iter_mut() {
        let Some(child) = param.property(key) else { continue };
        match value {
            Value::Object(inner) => nulls(child, inner, &at.key(key), language, findings, depth + 1),
            Value::Array(list) => {
                let Some(items) = child.items.as_deref() else { continue };
                for (index, item) in list.iter_mut().enumerate() {
                    if let Value::Object(inner) = item {
                        nulls(items, inner, &at.key(key).index(index), language, findings, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

fn accepts_null(param: &Param) -> bool {
    param.types.is_empty() && param.allowed.is_empty()
        || param.types.iter().any(|kind| kind == "null")
        || param.allowed.contains(&Value::Null)
        || param.default == Some(Value::Null) && param.types.is_empty()
}

const MAX_DEPTH: usize = 32;
