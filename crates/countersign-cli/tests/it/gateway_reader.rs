//! A strict client of the three dialects: whatever an SDK trips over (a call without its index, an id twice, a finish
//! that does not fit, anything after the end) fails the test.

use crate::gateway_dialects::{Call, Heard, Wire, call};
use serde_json::{Value, json};
use std::collections::HashSet;

impl Wire {
    /// Reads a whole answer.
    pub(crate) fn read_whole(self, heard: &mut Heard) {
        let body: Value = serde_json::from_str(&heard.raw).expect(&heard.raw);
        if heard.status != 200 {
            heard.error = Some(self.error_in(&body));
            return;
        }
        heard.done = true;
        match self {
            Self::Chat => read_chat(heard, &body),
            Self::Responses => read_response(heard, &body),
            Self::Messages => read_message(heard, &body),
        }
        self.check(heard);
    }

    /// The error of a body, whose form must be the dialect's.
    pub(crate) fn error_in(self, body: &Value) -> Value {
        let error = &body["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty() && error["type"].is_string(), "{body}");
        match self {
            Self::Messages => assert_eq!(body["type"], "error", "{body}"),
            _ => assert!(error.get("code").is_some() && error.get("param").is_some(), "{body}"),
        }
        error.clone()
    }

    /// Reads a stream that came to its end as HTTP has it.
    pub(crate) fn read_stream(self, heard: &mut Heard) {
        let raw = heard.raw.replace("\r\n", "\n");
        assert!(raw.is_empty() || raw.ends_with("\n\n"), "the stream ends inside a frame: {raw}");
        let mut partial = Partial::default();
        for frame in raw.split("\n\n").filter(|frame| !frame.trim().is_empty()) {
            self.read_frame(frame, heard, &mut partial);
        }
        heard.calls = partial.calls;
        if heard.error.is_some() {
            assert!(heard.finish.is_none() && !heard.done, "an end beside the error: {}", heard.raw);
        } else {
            // What follows the finish may be lost with the upstream's: SDKs do without.
            assert!(heard.done || heard.finish.is_some(), "no end: {}", heard.raw);
            self.check(heard);
        }
    }

    fn read_frame(self, frame: &str, heard: &mut Heard, partial: &mut Partial) {
        let (mut event, mut data) = (None, None);
        for line in frame.lines().filter(|line| !line.is_empty()) {
            if let Some(comment) = line.strip_prefix(": ") {
                let verdict = comment.strip_prefix("countersign-verdict ").and_then(|rest| rest.split_once(' '));
                heard.verdicts.extend(verdict.map(|(id, status)| (id.to_owned(), status.to_owned())));
            } else if let Some(name) = line.strip_prefix("event: ") {
                event = Some(name);
            } else if let Some(json) = line.strip_prefix("data: ") {
                assert!(data.is_none(), "two data lines: {frame}");
                data = Some(json);
            } else {
                panic!("a line that no SSE reader knows: {line:?} in {frame}");
            }
        }
        let Some(data) = data else { return };
        assert!(!heard.done && heard.error.is_none(), "something after the end: {frame}\nof {}", heard.raw);
        if data == "[DONE]" {
            assert_eq!(self, Self::Chat, "{}", heard.raw);
            heard.done = true;
            return;
        }
        let json: Value = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
        match self {
            Self::Chat => chat_chunk(heard, partial, &json),
            Self::Responses => responses_event(heard, partial, event, &json),
            Self::Messages => messages_event(heard, partial, event, &json),
        }
    }

    /// What holds for every answer.
    fn check(self, heard: &Heard) {
        let ids: HashSet<&str> = heard.calls.iter().map(|call| call.id.as_str()).collect();
        assert!(ids.len() == heard.calls.len() && !ids.contains(""), "ids: {:?}", heard.calls);
        for call in &heard.calls {
            assert!(call.json().is_object(), "{call:?}");
        }
        let finish = heard.finish.as_deref().unwrap_or_else(|| panic!("no finish: {}", heard.raw));
        let fits = [false, true].map(|at_limit| self.finish(!heard.calls.is_empty(), at_limit)).contains(&finish);
        assert!(fits, "{finish} with {:?}", heard.calls);
    }
}

/// What a stream has told so far.
#[derive(Default)]
struct Partial {
    calls: Vec<Call>,
    /// The kinds of the blocks or items, and whether the last is open.
    kinds: Vec<String>,
    open: Option<usize>,
    sequence: Option<u64>,
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn figures(usage: &Value, input: &str, output: &str) -> Option<(u64, u64)> {
    Some((usage[input].as_u64()?, usage[output].as_u64()?))
}

fn read_chat(heard: &mut Heard, body: &Value) {
    let choice = &body["choices"][0];
    heard.id = word(&body["id"]);
    heard.text = word(&choice["message"]["content"]);
    heard.finish = choice["finish_reason"].as_str().map(str::to_owned);
    heard.usage = figures(&body["usage"], "prompt_tokens", "completion_tokens");
    if let Some((input, output)) = heard.usage {
        assert_eq!(body["usage"]["total_tokens"], input + output, "{body}");
    }
    for made in choice["message"]["tool_calls"].as_array().into_iter().flatten() {
        let (name, arguments) = name_and_arguments(made);
        heard.calls.push(call(&word(&made["id"]), &word(name), arguments));
    }
}

/// The name and the arguments of a call; free text is an object of one field, and comes in one piece.
fn name_and_arguments(made: &Value) -> (&Value, String) {
    match made["type"].as_str() {
        Some("custom") => (&made["custom"]["name"], json!({"input": made["custom"]["input"]}).to_string()),
        Some("function") | None => (&made["function"]["name"], word(&made["function"]["arguments"])),
        other => panic!("no type of a call: {other:?}"),
    }
}

fn read_response(heard: &mut Heard, body: &Value) {
    assert_eq!(body["object"], "response", "{body}");
    heard.id = word(&body["id"]);
    heard.finish = body["status"].as_str().map(str::to_owned);
    heard.usage = figures(&body["usage"], "input_tokens", "output_tokens");
    if let Some((input, output)) = heard.usage {
        assert_eq!(body["usage"]["total_tokens"], input + output, "{body}");
    }
    heard.text = String::new();
    heard.calls = Vec::new();
    for item in body["output"].as_array().expect("an output") {
        for part in item["content"].as_array().into_iter().flatten().filter(|part| part["type"] == "output_text") {
            heard.text.push_str(part["text"].as_str().unwrap());
        }
        if item["type"] == "function_call" {
            heard.calls.push(call(&word(&item["call_id"]), &word(&item["name"]), word(&item["arguments"])));
        }
    }
}

fn read_message(heard: &mut Heard, body: &Value) {
    assert_eq!(body["type"], "message", "{body}");
    heard.id = word(&body["id"]);
    heard.finish = body["stop_reason"].as_str().map(str::to_owned);
    heard.usage = figures(&body["usage"], "input_tokens", "output_tokens");
    for block in body["content"].as_array().expect("content") {
        match block["type"].as_str() {
            Some("text") => heard.text.push_str(block["text"].as_str().unwrap()),
            Some("tool_use") => {
                heard.calls.push(call(&word(&block["id"]), &word(&block["name"]), block["input"].to_string()))
            }
            _ => {}
        }
    }
}

fn one_id(heard: &mut Heard, id: String) {
    assert!(heard.id.is_empty() || heard.id == id, "two ids in one answer: {} and {id}", heard.id);
    heard.id = id;
}

fn chat_chunk(heard: &mut Heard, partial: &mut Partial, json: &Value) {
    if json.get("error").is_some() {
        heard.error = Some(Wire::Chat.error_in(json));
        return;
    }
    one_id(heard, word(&json["id"]));
    if let Some(usage) = figures(&json["usage"], "prompt_tokens", "completion_tokens") {
        assert!(heard.usage.is_none(), "usage twice");
        heard.usage = Some(usage);
    }
    for choice in json["choices"].as_array().expect("choices").iter().filter(|choice| choice["index"] == 0) {
        let delta = &choice["delta"];
        let content = word(&delta["content"]);
        let calls = delta["tool_calls"].as_array();
        assert!(heard.finish.is_none() || (content.is_empty() && calls.is_none()), "content after the finish: {json}");
        heard.text.push_str(&content);
        for made in calls.into_iter().flatten() {
            let at = usize::try_from(made["index"].as_u64().expect("an index")).unwrap();
            let (name, arguments) = name_and_arguments(made);
            if at == partial.calls.len() {
                assert!(made["id"].is_string() && name.is_string(), "a first delta without id or name: {made}");
                partial.calls.push(call(&word(&made["id"]), &word(name), ""));
            } else {
                assert!(made.get("id").is_none() && name.is_null(), "id or name again: {made}");
            }
            partial.calls[at].arguments.push_str(&arguments);
        }
        if let Some(finish) = choice["finish_reason"].as_str() {
            assert!(heard.finish.is_none(), "two finishes");
            heard.finish = Some(finish.to_owned());
        }
    }
}

fn messages_event(heard: &mut Heard, partial: &mut Partial, event: Option<&str>, json: &Value) {
    let kind = json["type"].as_str().unwrap();
    assert_eq!(event, Some(kind), "{json}");
    let index = json["index"].as_u64().map(|at| usize::try_from(at).unwrap());
    match kind {
        "error" => heard.error = Some(Wire::Messages.error_in(json)),
        "message_start" => {
            one_id(heard, word(&json["message"]["id"]));
            heard.usage = figures(&json["message"]["usage"], "input_tokens", "output_tokens");
        }
        "content_block_start" => {
            assert!(partial.open.is_none() && index == Some(partial.kinds.len()), "{json} after {:?}", partial.kinds);
            partial.open = index;
            let block = &json["content_block"];
            partial.kinds.push(word(&block["type"]));
            if block["type"] == "tool_use" {
                partial.calls.push(call(&word(&block["id"]), &word(&block["name"]), ""));
            }
        }
        "content_block_delta" => {
            assert!(index.is_some() && index == partial.open, "a delta of a block that is not open: {json}");
            heard.text.push_str(&word(&json["delta"]["text"]));
            if json["delta"]["type"] == "input_json_delta" {
                partial.calls.last_mut().unwrap().arguments.push_str(&word(&json["delta"]["partial_json"]));
            }
        }
        "content_block_stop" => {
            assert!(index.is_some() && index == partial.open.take(), "{json}");
            let empty = partial.calls.last_mut().filter(|call| call.arguments.is_empty());
            if let Some(call) = empty {
                call.arguments.push_str("{}");
            }
        }
        "message_delta" => {
            assert!(partial.open.is_none(), "{json}");
            heard.finish = json["delta"]["stop_reason"].as_str().map(str::to_owned);
            let output = json["usage"]["output_tokens"].as_u64().expect("a usage");
            let input = json["usage"]["input_tokens"].as_u64().or(heard.usage.map(|(input, _)| input));
            heard.usage = input.map(|input| (input, output));
        }
        "message_stop" => heard.done = true,
        _ => {}
    }
}

fn responses_event(heard: &mut Heard, partial: &mut Partial, event: Option<&str>, json: &Value) {
    let kind = json["type"].as_str().unwrap();
    assert_eq!(event, Some(kind), "{json}");
    let sequence = json["sequence_number"].as_u64().expect("a number");
    assert!(partial.sequence.is_none_or(|last| sequence == last + 1), "{sequence} after {:?}", partial.sequence);
    partial.sequence = Some(sequence);
    let index = json["output_index"].as_u64().map(|at| usize::try_from(at).unwrap());
    match kind {
        "error" => heard.error = Some(Wire::Responses.error_in(json)),
        "response.created" => one_id(heard, word(&json["response"]["id"])),
        "response.output_item.added" => {
            assert!(partial.open.is_none() && index == Some(partial.kinds.len()), "{json} after {:?}", partial.kinds);
            partial.open = index;
            partial.kinds.push(word(&json["item"]["type"]));
            if json["item"]["type"] == "function_call" {
                partial.calls.push(call(&word(&json["item"]["call_id"]), &word(&json["item"]["name"]), ""));
            }
        }
        "response.output_text.delta" => heard.text.push_str(json["delta"].as_str().unwrap()),
        "response.function_call_arguments.delta" => {
            assert!(index.is_some() && index == partial.open, "{json}");
            partial.calls.last_mut().unwrap().arguments.push_str(json["delta"].as_str().unwrap());
        }
        "response.output_item.done" => {
            assert!(index.is_some() && index == partial.open.take(), "{json}");
            if json["item"]["type"] == "function_call" {
                assert_eq!(json["item"]["arguments"], partial.calls.last().unwrap().arguments, "{json}");
            }
        }
        "response.completed" | "response.incomplete" => {
            let (text, id) = (heard.text.clone(), heard.id.clone());
            read_response(heard, &json["response"]);
            assert_eq!(
                (&heard.text, &heard.calls, &heard.id),
                (&text, &partial.calls, &id),
                "the end tells another story"
            );
            heard.done = true;
        }
        _ => {}
    }
}
