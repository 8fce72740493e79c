//! Does the result belong to the call? (RESULT-1)
//!
//! One result for one call, by id and by tool. A whole trace is paired with `pair`.

use super::subject::Subject;
use crate::contract::codes::result as codes;
use crate::contract::{Finding, Language, ToolCall, ToolResult};
use crate::localized;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// Whether the result is this call's, and its only one.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    let language = subject.language;
    match (subject.call.id.as_deref(), subject.result.call_id.as_deref()) {
        (Some(call), Some(result)) if call != result => {
            let evidence = localized!(
                language,
                "the result is for call `{result}`, the call is `{call}`",
                "结果属于调用 `{result}`，而当前调用是 `{call}`"
            );
            found.push(Finding::new(&codes::ORPHAN, "/call_id", evidence));
        }
        (Some(call), None) => {
            let evidence =
                localized!(language, "the result does not name call `{call}`", "结果没有注明它属于调用 `{call}`");
            found.push(Finding::new(&codes::UNPAIRED, "/call_id", evidence));
        }
        _ => {}
    }
    found.extend(other_tool(subject));
    found.extend(second_result(subject));
    found
}

fn other_tool(subject: &Subject) -> Option<Finding> {
    let (named, called) = (subject.result.name.as_deref()?, subject.call.name.as_str());
    let differs = !named.is_empty() && !called.is_empty() && plain(named) != plain(called);
    differs.then(|| {
        let evidence = localized!(
            subject.language,
            "the result comes from `{named}`, the call was to `{called}`",
            "结果来自 `{named}`，而调用的是 `{called}`"
        );
        Finding::new(&codes::ORPHAN, "/name", evidence)
    })
}

/// An earlier result in `context.results` that has the same id.
fn second_result(subject: &Subject) -> Option<Finding> {
    let id = subject.result.call_id.as_deref().filter(|id| !id.is_empty())?;
    let earlier = subject.context.0.get("results").and_then(Value::as_array)?;
    let same = |result: &&Value| ID_KEYS.iter().any(|key| result.get(*key).and_then(Value::as_str) == Some(id));
    earlier.iter().find(same).map(|_| {
        let evidence = localized!(subject.language, "call `{id}` already has a result", "调用 `{id}` 已经有一个结果");
        Finding::new(&codes::DUPLICATE, "/call_id", evidence)
    })
}

/// Pairs the calls and results of a whole trace: orphans, duplicates, results of another tool and calls without
/// result. Calls and results without id are paired with nothing and say nothing.
pub fn pair(calls: &[ToolCall], results: &[ToolResult], language: Language) -> Vec<Finding> {
    let known: FxHashMap<&str, &ToolCall> = calls.iter().filter_map(|call| Some((call.id.as_deref()?, call))).collect();
    let mut answered = FxHashSet::default();
    let mut found = Vec::new();
    for (at, result) in results.iter().enumerate() {
        let Some(id) = result.call_id.as_deref() else { continue };
        let pointer = format!("/results/{at}");
        let Some(call) = known.get(id) else {
            let evidence = localized!(language, "no call has the id `{id}`", "没有编号为 `{id}` 的调用");
            found.push(Finding::new(&codes::ORPHAN, pointer, evidence));
            continue;
        };
        if !answered.insert(id) {
            let evidence = localized!(language, "call `{id}` already has a result", "调用 `{id}` 已经有一个结果");
            found.push(Finding::new(&codes::DUPLICATE, pointer.clone(), evidence));
        }
        if let Some(name) = result.name.as_deref().filter(|name| plain(name) != plain(&call.name)) {
            let called = &call.name;
            let evidence = localized!(
                language,
                "the result comes from `{name}`, call `{id}` was to `{called}`",
                "结果来自 `{name}`，而调用 `{id}` 的是 `{called}`"
            );
            found.push(Finding::new(&codes::ORPHAN, pointer, evidence));
        }
    }
    for (at, call) in calls.iter().enumerate() {
        let Some(id) = call.id.as_deref().filter(|id| !answered.contains(id)) else { continue };
        let name = &call.name;
        let evidence =
            localized!(language, "call `{id}` to `{name}` has no result", "对 `{name}` 的调用 `{id}` 没有结果");
        found.push(Finding::new(&codes::UNANSWERED, format!("/calls/{at}"), evidence));
    }
    found
}

/// A name without namespace, case and separators.
fn plain(name: &str) -> String {
    let own = name.rsplit("__").next().unwrap_or(name).rsplit('.').next().unwrap_or(name);
    own.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

const ID_KEYS: &[&str] = &["call_id", "tool_call_id", "tool_use_id", "id"];

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: Some(id.into()), name: name.into(), ..Default::default() }
    }

    fn result(id: &str, name: Option<&str>) -> ToolResult {
        ToolResult { call_id: Some(id.into()), name: name.map(str::to_owned), ..Default::default() }
    }

    // RESULT-1
    #[test]
    fn a_trace_is_paired_one_to_one() {
        let calls = [call("a", "search"), call("b", "mcp__fs__read_file"), call("c", "get_order")];
        let results = [result("a", None), result("a", None), result("b", Some("readFile")), result("x", None)];
        let found: Vec<&str> = pair(&calls, &results, Language::English).iter().map(|f| f.code.id).collect();
        assert_eq!(found, ["result.duplicate", "result.orphan", "result.unanswered"]);
        let clean = pair(&calls[..1], &results[..1], Language::Chinese);
        assert!(clean.is_empty());
        let other = pair(&calls[..1], &[result("a", Some("delete_file"))], Language::English);
        assert_eq!(other[0].code.id, "result.orphan");
    }
}
