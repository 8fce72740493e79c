//! What tells whether two calls are one call.

use crate::contract::ToolCall;
use crate::decide::cleared::read_arguments;
use serde_json::Value;

/// A call as it is compared: its tool and its arguments as values, as it was written and as it would run.
#[derive(Debug, Clone)]
pub struct CallKey {
    written: (String, Value),
    runs: Option<(String, Value)>,
}

impl CallKey {
    /// The key of a call, and of what would run in its stead.
    pub fn of(written: &ToolCall, runs: Option<&ToolCall>) -> Self {
        Self { written: pair(written), runs: runs.map(pair) }
    }

    /// Whether both are one call.
    pub fn is_same(&self, other: &Self) -> bool {
        self.pairs().any(|one| other.pairs().any(|two| one.0 == two.0 && is_same_value(&one.1, &two.1)))
    }

    /// Whether both call one tool, under the name that was written or the one that was meant.
    pub fn is_same_tool(&self, other: &Self) -> bool {
        self.pairs().any(|one| other.pairs().any(|two| one.0 == two.0))
    }

    fn pairs(&self) -> impl Iterator<Item = &(String, Value)> {
        std::iter::once(&self.written).chain(&self.runs)
    }
}

fn pair(call: &ToolCall) -> (String, Value) {
    (call.name.trim().to_owned(), read_arguments(call))
}

/// Whether two values are one: the order of keys and the writing of a number do not count.
fn is_same_value(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| is_same_value(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            let same = |key: &String, value: &Value| two.get(key).is_some_and(|other| is_same_value(value, other));
            one.len() == two.len() && one.iter().all(|(key, value)| same(key, value))
        }
        (one, two) => one == two,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, arguments: &Value) -> ToolCall {
        ToolCall { id: None, name: name.to_owned(), arguments: arguments.clone().into() }
    }

    fn key(name: &str, arguments: Value) -> CallKey {
        CallKey::of(&call(name, &arguments), None)
    }

    // CALL-10: the same call is known again in any writing, before and after a repair; another one is not.
    #[test]
    fn a_repeat_is_known_in_any_writing() {
        let made = call("Book ", &json!({"room": "1", "on": "friday"}));
        let kept = CallKey::of(&made, Some(&call("book", &json!({"room": 1, "on": "friday"}))));
        for same in [json!({"on": "friday", "room": 1.0}), json!("{\"room\": 1, \"on\": \"friday\"}")] {
            assert!(kept.is_same(&key("book", same)));
        }
        assert!(kept.is_same(&key("Book", json!({"room": "1", "on": "friday"}))));
        let others =
            [json!({"room": 2, "on": "friday"}), json!({"room": 1}), json!({"room": 1, "on": "friday", "x": 1})];
        for other in others {
            assert!(!kept.is_same(&key("book", other)));
        }
        assert!(!kept.is_same(&key("cancel", json!({"room": 1, "on": "friday"}))));
    }
}
