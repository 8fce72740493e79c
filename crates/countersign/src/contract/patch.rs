//! JSON Patch (RFC 6902) on `{name, arguments}`, and the JSON pointers that name places in a call.

use serde::Serialize;
use serde_json::Value;

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PatchOp {
    /// What is done.
    pub op: Op,
    /// Where, as a JSON pointer (`/arguments/limit`).
    pub path: String,
    /// Where a moved value comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// The operations that corrections use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Puts a value where none was.
    Add,
    /// Puts another value.
    Replace,
    /// Takes a value out.
    Remove,
    /// Takes a value from one place to another.
    Move,
}

impl PatchOp {
    /// Puts another value at `path`.
    pub fn replace(path: impl Into<String>, value: Value) -> Self {
        Self { op: Op::Replace, path: path.into(), from: None, value: Some(value) }
    }

    /// Puts a value at `path` where none was.
    pub fn add(path: impl Into<String>, value: Value) -> Self {
        Self { op: Op::Add, path: path.into(), from: None, value: Some(value) }
    }

    /// Takes out what is at `path`.
    pub fn remove(path: impl Into<String>) -> Self {
        Self { op: Op::Remove, path: path.into(), from: None, value: None }
    }

    /// Takes what is at `from` to `path`.
    pub fn rename(from: impl Into<String>, path: impl Into<String>) -> Self {
        Self { op: Op::Move, path: path.into(), from: Some(from.into()), value: None }
    }

    /// Applies the operation to a document. A place that does not exist leaves it unchanged and gives `false`.
    pub fn apply(&self, document: &mut Value) -> bool {
        match self.op {
            Op::Replace => match (document.pointer_mut(&self.path), &self.value) {
                (Some(place), Some(value)) => {
                    *place = value.clone();
                    true
                }
                _ => false,
            },
            Op::Add => self.value.clone().is_some_and(|value| insert(document, &self.path, value)),
            Op::Remove => take(document, &self.path).is_some(),
            Op::Move => match self.from.as_deref().and_then(|from| take(document, from)) {
                Some(value) => insert(document, &self.path, value),
                None => false,
            },
        }
    }
}

fn split(path: &str) -> Option<(&str, String)> {
    let (parent, last) = path.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

fn take(document: &mut Value, path: &str) -> Option<Value> {
    let (parent, key) = split(path)?;
    match document.pointer_mut(parent)? {
        Value::Object(map) => map.shift_remove(&key),
        Value::Array(list) => {
            let at = key.parse::<usize>().ok()?;
            (at < list.len()).then(|| list.remove(at))
        }
        _ => None,
    }
}

fn insert(document: &mut Value, path: &str, value: Value) -> bool {
    let Some((parent, key)) = split(path) else { return false };
    match document.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.insert(key, value);
            true
        }
        Some(Value::Array(list)) => match key.parse::<usize>() {
            Ok(at) if at <= list.len() => {
                list.insert(at, value);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// A JSON pointer under construction. Keys are escaped as RFC 6901 asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer(String);

impl Pointer {
    /// The root of a call's arguments.
    pub fn arguments() -> Self {
        Self("/arguments".to_owned())
    }

    /// The pointer one key further down.
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}/{}", self.0, escape(key)))
    }

    /// The pointer one item further down.
    pub fn index(&self, at: usize) -> Self {
        Self(format!("{}/{at}", self.0))
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Escapes one key for a JSON pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_apply_and_a_missing_place_changes_nothing() {
        let mut call = json!({"name": "f", "arguments": {"a": 1, "list": [1, 2]}});
        assert!(PatchOp::replace("/arguments/a", json!(2)).apply(&mut call));
        assert!(PatchOp::rename("/arguments/a", "/arguments/b~1c").apply(&mut call));
        assert!(PatchOp::remove("/arguments/list/0").apply(&mut call));
        assert!(PatchOp::add("/arguments/list/1", json!(9)).apply(&mut call));
        assert_eq!(call, json!({"name": "f", "arguments": {"list": [2, 9], "b/c": 2}}));
        assert!(!PatchOp::replace("/arguments/none", json!(2)).apply(&mut call));
        assert!(!PatchOp::remove("/arguments/list/7").apply(&mut call));
    }
}
