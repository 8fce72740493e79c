//! Arguments one level too deep: `{"arguments": {"city": "Oslo"}}` for a tool that takes a city.
//!
//! Models and servers write the whole call where its arguments belong. There is one reading where the wrapper is the only
//! key, the tool has no such argument, and what is inside satisfies the schema as it is.

use crate::check_call::guard::Tool;
use crate::contract::codes::call::UNKNOWN_FIELD;
use crate::contract::{Finding, Language, PatchOp};
use crate::localized;
use jsonschema::Validator;
use serde_json::Value;

/// The finding that takes the wrapper off, where that is certain.
pub(crate) fn find(tool: &Tool, validator: &Validator, arguments: &Value, language: Language) -> Option<Finding> {
    let (key, value) = match arguments.as_object()?.iter().collect::<Vec<_>>().as_slice() {
        [(key, value)] => (*key, *value),
        _ => return None,
    };
    if !WRAPPERS.contains(&key.as_str()) || tool.root.property(key).is_some() {
        return None;
    }
    let inner = match value {
        Value::String(text) => serde_json::from_str(text).ok()?,
        other => other.clone(),
    };
    let filled = inner.as_object().is_some_and(|fields| !fields.is_empty());
    if !filled || !validator.is_valid(&inner) {
        return None;
    }
    let evidence = localized!(
        language,
        "the arguments are wrapped in `{key}`, which the tool does not take",
        "参数被包在 `{key}` 里，而工具没有这个参数"
    );
    let note = localized!(language, "the content of `{key}` is the arguments", "`{key}` 的内容就是参数");
    let patch = vec![PatchOp::replace("/arguments", inner)];
    Some(Finding::new(&UNKNOWN_FIELD, format!("/arguments/{key}"), evidence).mend(note, patch))
}

/// What models wrap arguments in.
const WRAPPERS: &[&str] = &["arguments", "args", "parameters", "params", "input", "tool_input", "kwargs"];
