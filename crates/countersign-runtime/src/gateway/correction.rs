//! What goes back to the model when a call was wrong: its own words, and on the tool-result channel what is wrong.
//!
//! Only the calls that were wrong are repeated: good ones are kept, and the model is not asked for them again. What the
//! model thought is repeated where the dialect has a place for it, because some providers refuse a turn without it.

use super::held::HeldChoice;
use super::wire::Wire;
use serde_json::{Map, Value, json};

/// A call that was wrong.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// Its id, made up where it had none.
    pub id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub written: String,
    /// What is wrong, and what would be right.
    pub feedback: String,
}

/// What is put behind the conversation to ask again.
pub fn corrections(wire: Wire, choice: &HeldChoice, wrong: &[Wrong]) -> Vec<Value> {
    match wire {
        Wire::Chat => chat(choice, wrong),
        Wire::Messages => messages(choice, wrong),
        Wire::Responses => responses(choice, wrong),
    }
}

fn chat(choice: &HeldChoice, wrong: &[Wrong]) -> Vec<Value> {
    let calls: Vec<Value> = wrong
        .iter()
        .map(|call| {
            let function = json!({"name": safe_name(&call.name), "arguments": object(&call.written).to_string()});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let content = Some(&choice.text).filter(|text| !text.is_empty());
    let mut said = json!({"role": "assistant", "content": content, "tool_calls": calls});
    if let (Some(thought), Some(said)) = (choice.thoughts.first(), said.as_object_mut()) {
        said.insert("reasoning_content".to_owned(), thought.clone());
    }
    let results = wrong.iter().map(|call| json!({"role": "tool", "tool_call_id": call.id, "content": call.feedback}));
    std::iter::once(said).chain(results).collect()
}

fn messages(choice: &HeldChoice, wrong: &[Wrong]) -> Vec<Value> {
    let mut said = choice.thoughts.clone();
    if !choice.text.trim().is_empty() {
        said.push(json!({"type": "text", "text": choice.text}));
    }
    said.extend(wrong.iter().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": safe_name(&call.name), "input": object(&call.written)})
    }));
    let results: Vec<Value> = wrong
        .iter()
        .map(|call| json!({"type": "tool_result", "tool_use_id": call.id, "content": call.feedback, "is_error": true}))
        .collect();
    vec![json!({"role": "assistant", "content": said}), json!({"role": "user", "content": results})]
}

fn responses(choice: &HeldChoice, wrong: &[Wrong]) -> Vec<Value> {
    let mut items = choice.thoughts.clone();
    if !choice.text.trim().is_empty() {
        items.push(json!({"role": "assistant", "content": choice.text}));
    }
    items.extend(wrong.iter().map(|call| {
        let arguments = object(&call.written).to_string();
        json!({"type": "function_call", "call_id": call.id, "name": safe_name(&call.name), "arguments": arguments})
    }));
    items.extend(
        wrong.iter().map(|call| json!({"type": "function_call_output", "call_id": call.id, "output": call.feedback})),
    );
    items
}

/// The arguments as an object: providers refuse a history that has anything else.
fn object(written: &str) -> Value {
    match serde_json::from_str(written) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ if written.trim().is_empty() => Value::Object(Map::new()),
        _ => json!({"raw_arguments": written}),
    }
}

/// A name that every provider takes: what it is not made of becomes `_`.
fn safe_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = name.trim().chars().take(LONGEST_NAME).map(safe).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    // CALL-10: on the tool-result channel, in every dialect, and only for the call that was wrong.
    #[test]
    fn a_correction_is_a_result_of_the_wrong_call() {
        let choice = HeldChoice { text: "Let me look.".into(), ..HeldChoice::default() };
        let wrong = [Wrong { id: "c1".into(), name: "ls<|x|>".into(), written: "{'a".into(), feedback: "no".into() }];
        let chat = corrections(Wire::Chat, &choice, &wrong);
        assert_eq!(chat[0]["tool_calls"][0]["function"]["name"], "ls__x__");
        assert_eq!(chat[0]["tool_calls"][0]["function"]["arguments"], r#"{"raw_arguments":"{'a"}"#);
        assert_eq!(chat[1], json!({"role": "tool", "tool_call_id": "c1", "content": "no"}));
        let messages = corrections(Wire::Messages, &choice, &wrong);
        assert_eq!(messages[0]["content"][1]["input"], json!({"raw_arguments": "{'a"}));
        assert_eq!(messages[1]["content"][0]["type"], "tool_result");
        let responses = corrections(Wire::Responses, &choice, &wrong);
        assert_eq!(responses[2], json!({"type": "function_call_output", "call_id": "c1", "output": "no"}));
    }
}
