//! Tools that a provider defines and the client runs: a shell, a patch, an editor, a memory, a computer.
//!
//! A request declares them by their type alone, so what they take is written down here, once: how they are declared,
//! how their calls name them, what these hold, and which item of a responses answer is a call of them. Their schemas are
//! open, because providers add fields without asking. What a provider runs itself is never here.

use crate::contract::{Arguments, RawSchema, ToolCall};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// One of these tools.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// How its calls name it, where the declaration has no name of its own.
    pub name: &'static str,
    /// The types that declare it. One that ends with `_` is followed by a date.
    declared: &'static [&'static str],
    /// The item that a call of it is in a responses answer.
    pub item: Option<&'static Item>,
    schema: &'static str,
}

/// An item that is a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    /// Its type.
    pub kind: &'static str,
    /// The tool that it calls.
    pub tool: &'static str,
    /// The field that holds what the client is to do.
    pub field: &'static str,
    /// The type of the item that answers it.
    pub output: &'static str,
}

/// The tool that a type declares.
pub fn declared(kind: &str) -> Option<&'static BuiltIn> {
    let is = |known: &&str| known.strip_suffix('_').is_some_and(|name| is_dated(kind, name)) || *known == kind;
    BUILT_IN.iter().find(|tool| tool.declared.iter().any(is))
}

fn is_dated(kind: &str, name: &str) -> bool {
    let date = kind.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
    date.is_some_and(|date| date.len() >= 6 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

impl BuiltIn {
    /// The schema of its arguments.
    pub fn schema(&self) -> Option<RawSchema> {
        RawValue::from_string(self.schema.to_owned()).ok().map(RawSchema::new)
    }
}

/// The item that a call of this type is.
pub fn item(kind: &str) -> Option<&'static Item> {
    ITEMS.iter().find(|item| item.kind == kind)
}

/// Whether the provider runs an item itself, as the item tells.
pub fn is_server_run(fields: &Map<String, Value>) -> bool {
    let place = fields.get("environment").and_then(|environment| environment.get("type")).and_then(Value::as_str);
    let run_by = fields.get("execution").and_then(Value::as_str);
    place.is_some_and(|place| place.starts_with("container")) || run_by == Some("server")
}

impl Item {
    /// What the client is to do, as arguments; nothing where the item does not say it.
    pub fn arguments(&self, fields: &Map<String, Value>) -> Option<Value> {
        let said = |key: &str| fields.get(key).filter(|value| !value.is_null());
        let several = || Some(Value::Object(Map::from_iter([(ACTIONS.to_owned(), said(ACTIONS)?.clone())])));
        match (said(self.field), said(ACTIONS)) {
            // Newer computers are told several things at once; nothing of it goes unjudged.
            (Some(Value::Object(one)), Some(more)) => {
                let mut both = one.clone();
                both.insert(ACTIONS.to_owned(), more.clone());
                Some(Value::Object(both))
            }
            (Some(one), _) => Some(one.clone()),
            (None, _) => several(),
        }
    }

    /// Puts arguments back where they came from.
    pub fn put_arguments(&self, fields: &mut Map<String, Value>, arguments: Value) {
        let mut arguments = arguments;
        let several = arguments.as_object_mut().and_then(|object| object.shift_remove(ACTIONS));
        let only = several.is_some() && arguments.as_object().is_some_and(Map::is_empty);
        if let Some(several) = several {
            fields.insert(ACTIONS.to_owned(), several);
        }
        if !only {
            fields.insert(self.field.to_owned(), arguments);
        }
    }

    /// The call that an item is; `None` where it holds nothing to do.
    pub fn call(&self, fields: &Map<String, Value>) -> Option<ToolCall> {
        let id = ["call_id", "id"].iter().find_map(|key| fields.get(*key)?.as_str());
        let arguments = Arguments::from(self.arguments(fields)?);
        Some(ToolCall { id: id.map(str::to_owned), name: self.tool.to_owned(), arguments })
    }
}

/// A computer's list of actions.
const ACTIONS: &str = "actions";

const LOCAL_SHELL: Item =
    Item { kind: "local_shell_call", tool: "local_shell", field: "action", output: "local_shell_call_output" };
const SHELL: Item = Item { kind: "shell_call", tool: "shell", field: "action", output: "shell_call_output" };
const APPLY_PATCH: Item =
    Item { kind: "apply_patch_call", tool: "apply_patch", field: "operation", output: "apply_patch_call_output" };
const COMPUTER: Item =
    Item { kind: "computer_call", tool: "computer", field: "action", output: "computer_call_output" };
const TOOL_SEARCH: Item =
    Item { kind: "tool_search_call", tool: "tool_search", field: "arguments", output: "tool_search_output" };

const ITEMS: &[Item] = &[LOCAL_SHELL, SHELL, APPLY_PATCH, COMPUTER, TOOL_SEARCH];

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "local_shell",
        declared: &["local_shell"],
        item: Some(&LOCAL_SHELL),
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["command"], "properties": {
            "type": {"type": "string"},
            "command": {"type": "array", "items": {"type": "string"}},
            "env": {"type": ["object", "null"], "additionalProperties": true},
            "timeout_ms": {"type": ["integer", "null"]},
            "user": {"type": ["string", "null"]},
            "working_directory": {"type": ["string", "null"]}}}"#,
    },
    BuiltIn {
        name: "shell",
        declared: &["shell"],
        item: Some(&SHELL),
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["commands"], "properties": {
            "commands": {"type": "array", "items": {"type": "string"}},
            "timeout_ms": {"type": ["integer", "null"]},
            "max_output_length": {"type": ["integer", "null"]}}}"#,
    },
    BuiltIn {
        name: "apply_patch",
        declared: &["apply_patch"],
        item: Some(&APPLY_PATCH),
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["type", "path"], "properties": {
            "type": {"type": "string"},
            "path": {"type": "string"},
            "diff": {"type": ["string", "null"]}}}"#,
    },
    BuiltIn {
        name: "computer",
        declared: &["computer", "computer_use_preview", "computer-preview", "computer_use"],
        item: Some(&COMPUTER),
        schema: r#"{"type": "object", "additionalProperties": true, "properties": {
            "type": {"type": "string"},
            "actions": {"type": "array", "items": {"type": "object", "additionalProperties": true}}}}"#,
    },
    BuiltIn {
        name: "tool_search",
        declared: &["tool_search"],
        item: Some(&TOOL_SEARCH),
        schema: r#"{"type": "object", "additionalProperties": true}"#,
    },
    BuiltIn {
        name: "bash",
        declared: &["bash_"],
        item: None,
        schema: r#"{"type": "object", "additionalProperties": true, "properties": {
            "command": {"type": ["string", "null"]},
            "restart": {"type": ["boolean", "null"]}}}"#,
    },
    BuiltIn {
        name: "str_replace_based_edit_tool",
        declared: &["text_editor_"],
        item: None,
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["command", "path"], "properties": {
            "command": {"type": "string"},
            "path": {"type": "string"},
            "file_text": {"type": ["string", "null"]},
            "old_str": {"type": ["string", "null"]},
            "new_str": {"type": ["string", "null"]},
            "insert_line": {"type": ["integer", "null"]},
            "insert_text": {"type": ["string", "null"]},
            "view_range": {"type": ["array", "null"], "items": {"type": "integer"}}}}"#,
    },
    BuiltIn {
        name: "memory",
        declared: &["memory_"],
        item: None,
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["command"], "properties": {
            "command": {"type": "string"},
            "path": {"type": ["string", "null"]},
            "old_path": {"type": ["string", "null"]},
            "new_path": {"type": ["string", "null"]},
            "file_text": {"type": ["string", "null"]},
            "old_str": {"type": ["string", "null"]},
            "new_str": {"type": ["string", "null"]},
            "insert_line": {"type": ["integer", "null"]},
            "insert_text": {"type": ["string", "null"]},
            "view_range": {"type": ["array", "null"], "items": {"type": "integer"}}}}"#,
    },
    BuiltIn {
        name: "computer",
        declared: &["computer_"],
        item: None,
        schema: r#"{"type": "object", "additionalProperties": true, "required": ["action"], "properties": {
            "action": {"type": "string"},
            "text": {"type": ["string", "null"]}}}"#,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // CALL-2, SERVE-6
    #[test]
    fn a_type_declares_one_tool_and_what_a_provider_runs_is_none() {
        let name = |kind: &str| declared(kind).map(|tool| tool.name);
        assert_eq!(name("bash_20250124"), Some("bash"));
        assert_eq!(name("text_editor_20250728"), Some("str_replace_based_edit_tool"));
        assert_eq!((name("computer_20251124"), name("computer_use_preview")), (Some("computer"), Some("computer")));
        assert_eq!(name("local_shell"), Some("local_shell"));
        for kind in ["web_search_20250305", "web_search", "code_execution_20250825", "bash", "bash_tool", "mcp"] {
            assert_eq!(name(kind), None, "{kind}");
        }
        assert!(BUILT_IN.iter().all(|tool| tool.schema().is_some()));
    }

    // CALL-1: what an item holds is its arguments, and they go back where they came from.
    #[test]
    fn the_arguments_of_an_item_go_back_where_they_came_from() {
        for fields in [
            json!({"type": "shell_call", "action": {"commands": ["ls"], "timeout_ms": null}}),
            json!({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}}),
            json!({"type": "computer_call", "action": {"type": "click", "x": 1, "y": 2}}),
            json!({"type": "computer_call", "actions": [{"type": "screenshot"}]}),
            json!({"type": "computer_call", "action": {"type": "wait"}, "actions": [{"type": "screenshot"}]}),
        ] {
            let item = item(fields["type"].as_str().unwrap()).unwrap();
            let arguments = item.arguments(fields.as_object().unwrap()).unwrap();
            let mut back = Map::from_iter([("type".to_owned(), fields["type"].clone())]);
            item.put_arguments(&mut back, arguments);
            assert_eq!(Value::Object(back), fields);
        }
        assert!(item("shell_call").unwrap().arguments(&Map::new()).is_none());
    }
}
