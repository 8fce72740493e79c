//! Results in the place of references. What a result says is never read as a reference again.

use super::reference::{Reference, id, references};
use serde_json::{Map, Value};

/// The arguments with what the steps gave in the place of `#E1` and its like. A text that is exactly one reference
/// becomes the result itself where that is a JSON number, boolean, object or list; everything else becomes text. What
/// `evidence` does not know stays as it was written, and so does what would make the arguments longer than 4 MiB.
pub fn fill(arguments: &Map<String, Value>, evidence: &dyn Fn(&str) -> Option<String>) -> Map<String, Value> {
    let mut filling = Filling { evidence, left: MOST_FILLED };
    arguments.iter().map(|(key, value)| (key.clone(), filling.value(value))).collect()
}

struct Filling<'e> {
    evidence: &'e dyn Fn(&str) -> Option<String>,
    /// How many bytes may still be put in.
    left: usize,
}

impl Filling<'_> {
    /// JSON is at most as deep as its reader allows, so this does not go deep.
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => {
                Value::Object(object.iter().map(|(key, value)| (key.clone(), self.value(value))).collect())
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str) -> Value {
        let (mut filled, mut from) = (String::new(), 0);
        for Reference { number, span, .. } in references(text) {
            let Some(found) = self.find_known(number) else { continue };
            let alone = span.start == 0 && span.end == text.len();
            if let Some(value) = alone.then(|| read_typed(&found)).flatten() {
                return value;
            }
            filled.push_str(text.get(from..span.start).unwrap_or_default());
            filled.push_str(&found);
            from = span.end;
        }
        filled.push_str(text.get(from..).unwrap_or_default());
        Value::String(filled)
    }

    fn find_known(&mut self, number: u32) -> Option<String> {
        let found = (self.evidence)(&id(number)).filter(|found| found.len() <= self.left)?;
        self.left -= found.len();
        Some(found)
    }
}

/// A result that is a value of its own. A number whose digits would change stays text.
fn read_typed(found: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(found.trim()).ok()?;
    match &value {
        Value::Number(number) => (number.to_string() == found.trim()).then_some(value),
        Value::Bool(_) | Value::Object(_) | Value::Array(_) => Some(value),
        _ => None,
    }
}

/// Bytes that may be put into the arguments of one step.
const MOST_FILLED: usize = 4 << 20;
