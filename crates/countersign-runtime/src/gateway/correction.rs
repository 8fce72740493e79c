//! What goes back to the model when a call was wrong: its own words and calls, and on the tool-result channel what is
//! wrong.
//!
//! All calls of the answer are repeated, because a model that sees only the wrong one makes the others again: a good one
//! is answered too, with the word that it is kept. What the model thought is repeated where the dialect has a place for
//! it, because some providers refuse a turn without it.

use super::held::{CallForm, HeldChoice};
use super::wire::Wire;
use countersign::resolve::Standing;
use countersign::wire::built_in::Item;
use serde_json::{Map, Value, json};

/// A call of the answer, and what the model is told of it.
#[derive(Debug, Clone)]
pub(crate) struct CorrectedCall {
    /// Its id, unlike all others; made up where it had none.
    pub id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub written: String,
    /// How it is written.
    pub form: CallForm,
    /// What is wrong and what would be right, or that the call is kept.
    pub told: String,
    /// Whether it is kept.
    pub standing: Standing,
}

/// Whether a call can be answered in words. A computer is answered with a picture only, and what is not known with
/// nothing.
pub(crate) fn takes_words(form: CallForm) -> bool {
    match form {
        CallForm::Arguments | CallForm::Text => true,
        CallForm::Item(item) => output(item, "", "", Standing::Kept).is_some(),
        CallForm::Unknown => false,
    }
}

/// What is put after the conversation to ask for another answer: the one that was given, and what is wrong with it.
pub(crate) fn ask_for_answer(wire: Wire, choice: &HeldChoice, told: &str) -> Vec<Value> {
    let mut said = match wire {
        Wire::Responses => choice.thoughts.clone(),
        _ => Vec::new(),
    };
    if !choice.text.trim().is_empty() {
        let content = match wire {
            Wire::Messages => {
                let blocks = choice.thoughts.iter().cloned();
                json!(blocks.chain([json!({"type": "text", "text": choice.text})]).collect::<Vec<_>>())
            }
            _ => json!(choice.text),
        };
        said.push(json!({"role": "assistant", "content": content}));
    }
    said.push(json!({"role": "user", "content": told}));
    said
}

/// What is put after the conversation to ask for calls again.
pub(crate) fn corrections(wire: Wire, choice: &HeldChoice, answers: &[CorrectedCall]) -> Vec<Value> {
    let answers: Vec<&CorrectedCall> = answers.iter().filter(|answer| takes_words(answer.form)).collect();
    match wire {
        Wire::Chat => chat(choice, &answers),
        Wire::Messages => messages(choice, &answers),
        Wire::Responses => responses(choice, &answers),
    }
}

fn chat(choice: &HeldChoice, answers: &[&CorrectedCall]) -> Vec<Value> {
    let calls: Vec<Value> = answers
        .iter()
        .map(|call| match call.form {
            CallForm::Text => {
                let custom = json!({"name": safe_name(&call.name), "input": call.written});
                json!({"id": call.id, "type": "custom", "custom": custom})
            }
            _ => {
                let function = json!({"name": safe_name(&call.name), "arguments": object(&call.written).to_string()});
                json!({"id": call.id, "type": "function", "function": function})
            }
        })
        .collect();
    let content = Some(&choice.text).filter(|text| !text.is_empty());
    let mut said = json!({"role": "assistant", "content": content, "tool_calls": calls});
    if let (Some(thought), Some(said)) = (choice.thoughts.first(), said.as_object_mut()) {
        said.insert("reasoning_content".to_owned(), thought.clone());
    }
    let results = answers.iter().map(|call| json!({"role": "tool", "tool_call_id": call.id, "content": call.told}));
    std::iter::once(said).chain(results).collect()
}

fn messages(choice: &HeldChoice, answers: &[&CorrectedCall]) -> Vec<Value> {
    let mut said = choice.thoughts.clone();
    if !choice.text.trim().is_empty() {
        said.push(json!({"type": "text", "text": choice.text}));
    }
    said.extend(answers.iter().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": safe_name(&call.name), "input": object(&call.written)})
    }));
    let results: Vec<Value> = answers
        .iter()
        .map(|call| match call.standing {
            Standing::Kept => json!({"type": "tool_result", "tool_use_id": call.id, "content": call.told}),
            Standing::NotMade => {
                json!({"type": "tool_result", "tool_use_id": call.id, "content": call.told, "is_error": true})
            }
        })
        .collect();
    vec![json!({"role": "assistant", "content": said}), json!({"role": "user", "content": results})]
}

fn responses(choice: &HeldChoice, answers: &[&CorrectedCall]) -> Vec<Value> {
    let mut items = choice.thoughts.clone();
    if !choice.text.trim().is_empty() {
        items.push(json!({"role": "assistant", "content": choice.text}));
    }
    items.extend(answers.iter().map(|call| call_item(call)));
    items.extend(answers.iter().filter_map(|call| match call.form {
        CallForm::Item(item) => output(item, &call.id, &call.told, call.standing),
        CallForm::Text => Some(json!({"type": "custom_tool_call_output", "call_id": call.id, "output": call.told})),
        _ => Some(json!({"type": "function_call_output", "call_id": call.id, "output": call.told})),
    }));
    items
}

fn call_item(call: &CorrectedCall) -> Value {
    match call.form {
        CallForm::Item(item) => {
            let mut fields = Map::from_iter([
                ("type".to_owned(), item.kind.into()),
                ("call_id".to_owned(), call.id.as_str().into()),
                ("status".to_owned(), "completed".into()),
            ]);
            if item.output == LOCAL_SHELL_OUTPUT {
                fields.insert("id".to_owned(), call.id.as_str().into());
            }
            item.put_arguments(&mut fields, object(&call.written));
            Value::Object(fields)
        }
        CallForm::Text => {
            let name = safe_name(&call.name);
            json!({"type": "custom_tool_call", "call_id": call.id, "name": name, "input": call.written})
        }
        _ => {
            let (name, arguments) = (safe_name(&call.name), object(&call.written).to_string());
            json!({"type": "function_call", "call_id": call.id, "name": name, "arguments": arguments})
        }
    }
}

/// What answers an item in words; `None` where it takes none.
fn output(item: &Item, id: &str, told: &str, standing: Standing) -> Option<Value> {
    let kept = standing == Standing::Kept;
    Some(match item.output {
        "shell_call_output" => {
            let (stdout, stderr) = if kept { (told, "") } else { ("", told) };
            let outcome = json!({"type": "exit", "exit_code": i32::from(!kept)});
            let output = json!([{"stdout": stdout, "stderr": stderr, "outcome": outcome}]);
            json!({"type": item.output, "call_id": id, "output": output})
        }
        "apply_patch_call_output" => {
            let status = if kept { "completed" } else { "failed" };
            json!({"type": item.output, "call_id": id, "status": status, "output": told})
        }
        // The provider names the call by `id` here.
        LOCAL_SHELL_OUTPUT => json!({"type": item.output, "id": id, "output": told}),
        _ => return None,
    })
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
const LOCAL_SHELL_OUTPUT: &str = "local_shell_call_output";

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(id: &str, name: &str, written: &str, form: CallForm, standing: Standing) -> CorrectedCall {
        let told = if standing == Standing::Kept { "kept" } else { "no" };
        CorrectedCall { id: id.into(), name: name.into(), written: written.into(), form, told: told.into(), standing }
    }

    // CALL-10: on the tool-result channel, in every dialect, and for every call of the answer.
    #[test]
    fn a_correction_answers_every_call() {
        let choice = HeldChoice { text: "Let me look.".into(), ..HeldChoice::default() };
        let answers = [
            answer("c1", "ls<|x|>", "{'a", CallForm::Arguments, Standing::NotMade),
            answer("c2", "ls", "{}", CallForm::Arguments, Standing::Kept),
        ];
        let chat = corrections(Wire::Chat, &choice, &answers);
        assert_eq!(chat[0]["tool_calls"][0]["function"]["name"], "ls__x__");
        assert_eq!(chat[0]["tool_calls"][0]["function"]["arguments"], r#"{"raw_arguments":"{'a"}"#);
        assert_eq!(chat[1], json!({"role": "tool", "tool_call_id": "c1", "content": "no"}));
        assert_eq!(chat[2], json!({"role": "tool", "tool_call_id": "c2", "content": "kept"}));
        let messages = corrections(Wire::Messages, &choice, &answers);
        assert_eq!(messages[0]["content"][1]["input"], json!({"raw_arguments": "{'a"}));
        assert_eq!(messages[1]["content"][0]["is_error"], true);
        assert_eq!(messages[1]["content"][1]["is_error"], Value::Null, "what is kept is no error");
        let responses = corrections(Wire::Responses, &choice, &answers);
        assert_eq!(responses[3], json!({"type": "function_call_output", "call_id": "c1", "output": "no"}));
    }

    // CALL-10: every form of call is answered in its own form; what takes no words is left out with its call.
    #[test]
    fn every_form_is_answered_in_its_own() {
        let of = |kind: &str| CallForm::Item(countersign::wire::built_in::item(kind).unwrap());
        let choice = HeldChoice::default();
        let answers = [
            answer("c1", "exec", "ls", CallForm::Text, Standing::NotMade),
            answer("c2", "shell", r#"{"commands":["ls"]}"#, of("shell_call"), Standing::NotMade),
            answer("c3", "apply_patch", r#"{"type":"delete_file","path":"a"}"#, of("apply_patch_call"), Standing::Kept),
            answer("c4", "computer", r#"{"type":"wait"}"#, of("computer_call"), Standing::Kept),
            answer("c5", "browser_call", "{}", CallForm::Unknown, Standing::NotMade),
        ];
        let items = corrections(Wire::Responses, &choice, &answers);
        let kinds: Vec<&str> = items.iter().map(|item| item["type"].as_str().unwrap()).collect();
        let expected = ["custom_tool_call", "shell_call", "apply_patch_call"];
        assert_eq!(kinds[..3], expected);
        assert_eq!(kinds[3..], expected.map(|kind| format!("{kind}_output")));
        assert_eq!((&items[0]["input"], &items[1]["action"]), (&json!("ls"), &json!({"commands": ["ls"]})));
        assert_eq!(items[4]["output"][0]["stderr"], "no");
        let chat = corrections(Wire::Chat, &choice, &answers[..1]);
        assert_eq!(chat[0]["tool_calls"][0]["custom"], json!({"name": "exec", "input": "ls"}));
    }
}
