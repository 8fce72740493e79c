//! Calls that a model makes again while it corrects another one.
//!
//! A model that is told that one of its calls was wrong often makes all of them again. What has run stands: its repeat is
//! answered with what came of it, and never run. Once nothing is wrong any more the same call is a new one, because a
//! model may well look twice.

use super::verdicts::Judged;
use countersign::contract::{Language, ToolCall};
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
    let arguments = match serde_json::to_value(&call.arguments).unwrap_or_default() {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    (call.name.trim().to_owned(), arguments)
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

/// What stands while the model corrects a call.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// What has run since the first mistake, and what came of it.
    done: Vec<(CallKey, String)>,
    /// How many calls of the last answer were refused.
    refused: usize,
}

impl Kept {
    /// Takes what became of the calls of an answer: how many were refused, and what has run, with what the model was
    /// told of it.
    pub(super) fn take(&mut self, refused: usize, done: impl Iterator<Item = (CallKey, String)>) {
        self.refused = refused;
        if refused == 0 {
            self.done.clear();
        } else {
            self.done.extend(done);
        }
    }

    /// What the model is told of those calls of an answer that only repeat what stands.
    pub(super) fn repeats(&self, judged: &[Judged], language: Language) -> Vec<Option<String>> {
        let mut seen: Vec<CallKey> = Vec::new();
        let told = |judged: &Judged| {
            let key = judged.key();
            if let Some((_, result)) = self.done.iter().find(|(known, _)| known.is_same(&key)) {
                return Some(done_before(result, language));
            }
            // So many calls were asked for; one more of the same is none.
            let beside = seen.iter().filter(|known| known.is_same(&key)).count();
            seen.push(key);
            (self.refused > 0 && beside >= self.refused).then(|| done_beside(language))
        };
        judged.iter().map(told).collect()
    }
}

impl Judged {
    /// What the call is compared by.
    fn key(&self) -> CallKey {
        let run = self.verdict.get("call").filter(|call| call.is_object());
        let run = run.map(|call| {
            let name = call.get("name").and_then(Value::as_str).unwrap_or_default();
            call_of(name, call.get("arguments").unwrap_or(&Value::Null))
        });
        CallKey::of(&self.call, run.as_ref())
    }
}

/// A call of its parts.
pub(super) fn call_of(name: &str, arguments: &Value) -> ToolCall {
    ToolCall { id: None, name: name.to_owned(), arguments: arguments.clone().into() }
}

fn done_before(result: &str, language: Language) -> String {
    match language {
        Language::Chinese => format!("此调用之前已经执行，没有再次执行；请不要重复。当时的结果：\n{result}"),
        _ => format!("This call has run already and was not run again; do not repeat it. Its result was:\n{result}"),
    }
}

fn done_beside(language: Language) -> String {
    match language {
        Language::Chinese => "同一个调用已在本次回答中发出，不再执行第二次。".to_owned(),
        _ => "The same call stands in this answer already and is not run a second time.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn key(name: &str, arguments: Value) -> CallKey {
        CallKey::of(&call_of(name, &arguments), None)
    }

    // CALL-10: the same call is known again in any writing, before and after a repair; another one is not.
    #[test]
    fn a_repeat_is_known_in_any_writing() {
        let made = call_of("Book ", &json!({"room": "1", "on": "friday"}));
        let kept = CallKey::of(&made, Some(&call_of("book", &json!({"room": 1, "on": "friday"}))));
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
