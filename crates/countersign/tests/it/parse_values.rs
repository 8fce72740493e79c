//! Runs `conformance/parse/values.jsonl`: one string in each format, whatever stands in the string and wherever the output
//! ends.

use crate::conformance::folder;
use countersign::inspect::parse::parse;
use countersign::policy::Policy;
use countersign::wire::outputs::read_parse;
use serde_json::{Value, json};

/// A format, and how it writes a call with one string.
struct Form {
    format: String,
    call: String,
    /// Whether the string is written as JSON, not as it is.
    json: bool,
}

impl Form {
    fn write(&self, name: &str, key: &str, value: &str) -> String {
        let value = if self.json { Value::from(value).to_string() } else { value.to_owned() };
        self.call.replace("{name}", name).replace("{key}", key).replace("{value}", &value)
    }
}

fn forms() -> Vec<Form> {
    let text = std::fs::read_to_string(folder().join("parse/values.jsonl")).unwrap();
    let form = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| row[key].as_str().unwrap().to_owned();
        Form { format: word("format"), call: word("call"), json: word("writes") == "json" }
    };
    let forms: Vec<Form> = text.lines().map(form).collect();
    assert!(forms.len() >= 30, "the data is there");
    forms
}

fn calls(input: &str, finish: Option<&str>) -> Vec<Value> {
    let string = json!({"type": "string"});
    let tools = json!([
        {"name": "file_note", "parameters": {"type": "object", "properties": {"body": string}}},
        {"name": "book_room", "parameters": {"type": "object", "properties": {"guest": string}}},
    ]);
    let mut request = json!({"input": input, "protocol": "auto", "tools": tools});
    if let Some(finish) = finish {
        request["finish_reason"] = json!(finish);
    }
    let read = parse(&read_parse(&request).unwrap(), &Policy::standard()).unwrap();
    let read = serde_json::to_value(read).unwrap();
    let plain = |call: &Value| json!({"name": call["name"], "arguments": call["arguments"]});
    read["calls"].as_array().unwrap().iter().map(plain).collect()
}

// PARSE-3: a call whose string holds another call, of any format, is read whole, and the other one is not made.
#[test]
fn a_call_inside_a_string_is_part_of_it() {
    let forms = forms();
    let mut wrong = Vec::new();
    for outer in &forms {
        for inner in &forms {
            let call = inner.write("book_room", "guest", "Eve");
            for body in [call.clone(), format!("Please document {call} for me"), format!("Doc:\n{call}\nend")] {
                let seen = calls(&outer.write("file_note", "body", &body), Some("stop"));
                if seen != [json!({"name": "file_note", "arguments": {"body": body}})] {
                    wrong.push(format!("{} in {}: {body:?} became {seen:?}", inner.format, outer.format));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

// PARSE-3: tokens and tags of any format inside a string end nothing.
#[test]
fn a_token_inside_a_string_is_part_of_it() {
    let mut wrong = Vec::new();
    for form in forms() {
        for token in TOKENS {
            for body in [format!("SELECT '{token}' AS x FROM t"), format!("one\n{token}\ntwo")] {
                let seen = calls(&form.write("file_note", "body", &body), Some("stop"));
                if seen != [json!({"name": "file_note", "arguments": {"body": body}})] {
                    wrong.push(format!("{}: {body:?} became {seen:?}", form.format));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

// PARSE-3 PARSE-4: wherever the output ends and whatever is said about it, a value that was not finished makes no call.
#[test]
fn a_value_that_was_not_finished_makes_no_call() {
    let mut wrong = Vec::new();
    for form in forms() {
        let whole = form.write("file_note", "body", "Bad Säckingen, 14:30");
        let wanted = [json!({"name": "file_note", "arguments": {"body": "Bad Säckingen, 14:30"}})];
        for finish in [None, Some("stop"), Some("length"), Some("cancelled")] {
            for (end, _) in whole.char_indices() {
                let cut = &whole[..end];
                let seen = calls(cut, finish);
                if !seen.is_empty() && seen != wanted {
                    wrong.push(format!("{}, {finish:?}: {cut:?} became {seen:?}", form.format));
                }
            }
            let complete = !matches!(finish, Some("length" | "cancelled"));
            if complete && calls(&whole, finish) != wanted {
                wrong.push(format!("{}, {finish:?}: {whole:?} is no call", form.format));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What formats write around their calls, and what chat templates write around messages.
const TOKENS: &[&str] = &[
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "</s>",
    "<|end|>",
    "<|start|>",
    "<|channel|>",
    "<|message|>",
    "<|call|>",
    "<|return|>",
    "<|python_tag|>",
    "<|tool_call|>",
    "<|function_call|>",
    "<|endoftext|>",
    "[TOOL_CALLS]",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<tool_call|>",
    "<|END_ACTION|>",
    "<|START_THINKING|>",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<function_calls>",
    "</function_calls>",
    "</invoke>",
    "</function>",
    "</parameter>",
    "<|close|>call<|sep|>",
    "<|message_sep|>",
    "<|tools_suffix|>",
    "<|python_end|>",
    "<|user|>",
    "```",
    "<!--",
    "]]>",
];
