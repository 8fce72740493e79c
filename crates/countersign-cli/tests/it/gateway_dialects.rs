//! The three dialects as clients ask in them and a model's server answers in them.

use serde_json::{Value, json};

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Wire {
    Chat,
    Responses,
    Messages,
}

pub(crate) const WIRES: [Wire; 3] = [Wire::Chat, Wire::Responses, Wire::Messages];

/// Every dialect, whole and streamed.
pub(crate) fn everywhere() -> impl Iterator<Item = (Wire, bool)> {
    WIRES.into_iter().flat_map(|wire| [(wire, false), (wire, true)])
}

/// A call, its arguments as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl Call {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.arguments).expect(&self.arguments)
    }
}

pub(crate) fn call(id: &str, name: &str, arguments: impl ToString) -> Call {
    Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_string() }
}

/// What a model says, whatever the dialect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub text: String,
    pub calls: Vec<Call>,
    pub at_limit: bool,
    pub usage: (u64, u64),
}

impl Said {
    pub(crate) fn text(text: &str) -> Self {
        Self { text: text.to_owned(), usage: (10, 5), ..Self::default() }
    }

    pub(crate) fn calls(text: &str, calls: &[Call]) -> Self {
        Self { calls: calls.to_vec(), ..Self::text(text) }
    }

    pub(crate) fn cost(self, input: u64, output: u64) -> Self {
        Self { usage: (input, output), ..self }
    }

    pub(crate) fn at_limit(self) -> Self {
        Self { at_limit: true, ..self }
    }
}

/// One turn of a history.
#[derive(Debug, Clone)]
pub(crate) enum Past {
    User(String),
    Says(String, Vec<Call>),
    Result(String, String),
}

pub(crate) fn user(text: &str) -> Past {
    Past::User(text.to_owned())
}

pub(crate) fn says(text: &str, calls: &[Call]) -> Past {
    Past::Says(text.to_owned(), calls.to_vec())
}

pub(crate) fn result(id: &str, content: &str) -> Past {
    Past::Result(id.to_owned(), content.to_owned())
}

/// A tool before it is written in a dialect.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub schema: Value,
}

/// What a client made of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub raw: String,
    pub id: String,
    pub text: String,
    pub calls: Vec<Call>,
    pub finish: Option<String>,
    pub usage: Option<(u64, u64)>,
    pub error: Option<Value>,
    /// The comments: id and status.
    pub verdicts: Vec<(String, String)>,
    /// Whether the end that the dialect has was there.
    pub done: bool,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The verdict that is named, in the header or in the first comment.
    pub(crate) fn verdict(&self) -> String {
        let named = self.header("countersign-verdict").or(self.verdicts.first().map(|(id, _)| id.as_str()));
        named.unwrap_or_else(|| panic!("no verdict: {self:?}")).to_owned()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.calls.iter().map(|call| call.name.as_str()).collect()
    }
}

impl Wire {
    pub(crate) fn of_path(target: &str) -> Self {
        match target.split('?').next().unwrap_or_default() {
            path if path.ends_with("/messages") => Self::Messages,
            path if path.ends_with("/responses") => Self::Responses,
            _ => Self::Chat,
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// The key of the conversation.
    pub(crate) fn conversation(self) -> &'static str {
        if self == Self::Responses { "input" } else { "messages" }
    }

    /// How an answer with calls, one without, and one that was cut at a limit end.
    pub(crate) fn finish(self, calls: bool, at_limit: bool) -> &'static str {
        match (self, calls, at_limit) {
            (Self::Chat, _, true) => "length",
            (Self::Chat, true, _) => "tool_calls",
            (Self::Chat, false, _) => "stop",
            (Self::Responses, _, true) => "incomplete",
            (Self::Responses, ..) => "completed",
            (Self::Messages, _, true) => "max_tokens",
            (Self::Messages, true, _) => "tool_use",
            (Self::Messages, false, _) => "end_turn",
        }
    }

    pub(crate) fn tool(self, tool: &Tool) -> Value {
        let Tool { name, description, schema } = tool;
        match self {
            Self::Chat => json!({"type": "function", "function": {
                "name": name, "description": description, "parameters": schema}}),
            Self::Responses => json!({"type": "function", "name": name, "description": description,
                "parameters": schema, "strict": false}),
            Self::Messages => json!({"name": name, "description": description, "input_schema": schema}),
        }
    }

    pub(crate) fn history(self, past: &[Past]) -> Vec<Value> {
        past.iter().flat_map(|turn| self.turn(turn)).collect()
    }

    fn turn(self, past: &Past) -> Vec<Value> {
        match (self, past) {
            (_, Past::User(text)) => vec![json!({"role": "user", "content": text})],
            (Self::Chat, Past::Says(text, calls)) if calls.is_empty() => {
                vec![json!({"role": "assistant", "content": text})]
            }
            (Self::Chat, Past::Says(text, calls)) => {
                vec![json!({"role": "assistant", "content": text, "tool_calls": chat_calls(calls)})]
            }
            (Self::Chat, Past::Result(id, content)) => {
                vec![json!({"role": "tool", "tool_call_id": id, "content": content})]
            }
            (Self::Responses, Past::Says(text, calls)) => {
                let item = |call: &Call| json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments});
                let said = (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
                said.into_iter().chain(calls.iter().map(item)).collect()
            }
            (Self::Responses, Past::Result(id, content)) => {
                vec![json!({"type": "function_call_output", "call_id": id, "output": content})]
            }
            (Self::Messages, Past::Says(text, calls)) => {
                let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
                let blocks: Vec<Value> = said.into_iter().chain(calls.iter().map(tool_use)).collect();
                vec![json!({"role": "assistant", "content": blocks})]
            }
            (Self::Messages, Past::Result(id, content)) => {
                vec![
                    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}),
                ]
            }
        }
    }

    /// A request.
    pub(crate) fn body(self, past: &[Past], tools: &[Tool], stream: bool) -> Value {
        let mut body = json!({"model": "mock-1"});
        if self == Self::Messages {
            body["max_tokens"] = json!(512);
        }
        body[self.conversation()] = Value::Array(self.history(past));
        body["tools"] = tools.iter().map(|tool| self.tool(tool)).collect();
        if stream {
            body["stream"] = json!(true);
        }
        body
    }

    /// An answer as one body.
    pub(crate) fn whole(self, said: &Said, asked: &Value) -> Value {
        let finish = self.finish(!said.calls.is_empty(), said.at_limit);
        match self {
            Self::Chat => {
                let mut message = json!({"role": "assistant", "content": said.text});
                if !said.calls.is_empty() {
                    message["tool_calls"] = chat_calls(&said.calls);
                }
                json!({"id": "chatcmpl-up", "object": "chat.completion", "created": 1_760_000_000, "model": asked["model"],
                    "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
                    "usage": self.usage(said), "system_fingerprint": "fp"})
            }
            Self::Responses => envelope(said, asked, finish, items(said)),
            Self::Messages => {
                let text = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
                let content: Vec<Value> = text.into_iter().chain(said.calls.iter().map(tool_use)).collect();
                json!({"id": "msg_up", "type": "message", "role": "assistant", "model": asked["model"], "content": content,
                    "stop_reason": finish, "stop_sequence": null, "usage": self.usage(said)})
            }
        }
    }

    fn usage(self, said: &Said) -> Value {
        let (input, output) = said.usage;
        match self {
            Self::Chat => json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}),
            Self::Responses => json!({"input_tokens": input, "output_tokens": output, "total_tokens": input + output}),
            Self::Messages => json!({"input_tokens": input, "output_tokens": output}),
        }
    }

    /// An answer as the frames of a stream.
    pub(crate) fn frames(self, said: &Said, asked: &Value) -> Vec<String> {
        match self {
            Self::Chat => chat_frames(said, asked),
            Self::Responses => responses_frames(said, asked),
            Self::Messages => messages_frames(said, asked),
        }
    }

    /// The calls and the results of a request: ids, and the arguments or the content as text.
    pub(crate) fn pairs(self, body: &Value) -> (Vec<Call>, Vec<(String, String)>) {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for message in body[self.conversation()].as_array().unwrap_or(&Vec::new()) {
            for made in message["tool_calls"].as_array().into_iter().flatten() {
                let function = &made["function"];
                calls.push(call(&word(&made["id"]), &word(&function["name"]), word(&function["arguments"])));
            }
            if message["role"] == "tool" {
                results.push((word(&message["tool_call_id"]), word(&message["content"])));
            }
            if message["type"] == "function_call" {
                calls.push(call(&word(&message["call_id"]), &word(&message["name"]), word(&message["arguments"])));
            }
            if message["type"] == "function_call_output" {
                results.push((word(&message["call_id"]), word(&message["output"])));
            }
            for block in message["content"].as_array().into_iter().flatten() {
                if block["type"] == "tool_use" {
                    calls.push(call(&word(&block["id"]), &word(&block["name"]), block["input"].to_string()));
                }
                if block["type"] == "tool_result" {
                    results.push((word(&block["tool_use_id"]), word(&block["content"])));
                }
            }
        }
        (calls, results)
    }
}

fn chat_calls(calls: &[Call]) -> Value {
    let one = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
    calls.iter().map(one).collect()
}

fn tool_use(call: &Call) -> Value {
    let input: Value = serde_json::from_str(&call.arguments).unwrap_or(json!({}));
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}

fn items(said: &Said) -> Vec<Value> {
    let status = if said.at_limit { "incomplete" } else { "completed" };
    let text = (!said.text.is_empty()).then(|| {
        json!({"type": "message", "id": "msg_up", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": said.text, "annotations": []}]})
    });
    let item = |(at, call): (usize, &Call)| {
        json!({"type": "function_call", "id": format!("fc_{at}"), "call_id": call.id, "name": call.name,
            "arguments": call.arguments, "status": status})
    };
    text.into_iter().chain(said.calls.iter().enumerate().map(item)).collect()
}

fn envelope(said: &Said, asked: &Value, status: &str, output: Vec<Value>) -> Value {
    let over = status != "in_progress";
    let why = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
    json!({"id": "resp_up", "object": "response", "created_at": 1_760_000_000, "status": status, "error": null,
        "incomplete_details": why, "model": asked["model"], "output": output, "parallel_tool_calls": true,
        "usage": over.then(|| Wire::Responses.usage(said))})
}

/// Text in pieces of a few characters.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(7).map(|chunk| chunk.iter().collect()).collect()
}

fn chat_frames(said: &Said, asked: &Value) -> Vec<String> {
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut json = json!({"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 1_760_000_000,
            "model": asked["model"], "system_fingerprint": "fp", "choices": choices});
        if let Some(usage) = usage {
            json["usage"] = usage;
        }
        format!("data: {json}\n\n")
    };
    let delta = |delta: Value, finish: Option<&str>| {
        chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]), None)
    };
    let mut frames = vec![delta(json!({"role": "assistant", "content": ""}), None)];
    frames.extend(pieces(&said.text).into_iter().map(|piece| delta(json!({"content": piece}), None)));
    for (at, call) in said.calls.iter().enumerate() {
        let first =
            json!({"index": at, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}});
        frames.push(delta(json!({"tool_calls": [first]}), None));
        let more =
            |piece: String| delta(json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}), None);
        frames.extend(pieces(&call.arguments).into_iter().map(more));
    }
    frames.push(delta(json!({}), Some(Wire::Chat.finish(!said.calls.is_empty(), said.at_limit))));
    if asked["stream_options"]["include_usage"] == true {
        frames.push(chunk(json!([]), Some(Wire::Chat.usage(said))));
    }
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn responses_frames(said: &Said, asked: &Value) -> Vec<String> {
    let mut frames: Vec<String> = Vec::new();
    let mut event = |kind: &str, mut json: Value| {
        json["type"] = json!(kind);
        json["sequence_number"] = json!(frames.len());
        frames.push(format!("event: {kind}\ndata: {json}\n\n"));
    };
    event("response.created", json!({"response": envelope(said, asked, "in_progress", vec![])}));
    for (at, item) in items(said).into_iter().enumerate() {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        let id = item["id"].clone();
        if item["type"] == "message" {
            begun["content"] = json!([]);
            event("response.output_item.added", json!({"output_index": at, "item": begun}));
            let place = json!({"item_id": id, "output_index": at, "content_index": 0});
            let with = |key: &str, value: Value| {
                let mut json = place.clone();
                json[key] = value;
                json
            };
            event(
                "response.content_part.added",
                with("part", json!({"type": "output_text", "text": "", "annotations": []})),
            );
            for piece in pieces(&said.text) {
                event("response.output_text.delta", with("delta", json!(piece)));
            }
            event("response.output_text.done", with("text", json!(said.text)));
            event("response.content_part.done", with("part", item["content"][0].clone()));
        } else {
            begun["arguments"] = json!("");
            event("response.output_item.added", json!({"output_index": at, "item": begun}));
            let arguments = item["arguments"].as_str().unwrap();
            for piece in pieces(arguments) {
                event(
                    "response.function_call_arguments.delta",
                    json!({"item_id": id, "output_index": at, "delta": piece}),
                );
            }
            event(
                "response.function_call_arguments.done",
                json!({"item_id": id, "output_index": at, "arguments": arguments}),
            );
        }
        event("response.output_item.done", json!({"output_index": at, "item": item}));
    }
    let status = Wire::Responses.finish(true, said.at_limit);
    event(&format!("response.{status}"), json!({"response": envelope(said, asked, status, items(said))}));
    frames
}

fn messages_frames(said: &Said, asked: &Value) -> Vec<String> {
    let event = |mut json: Value, kind: &str| {
        json["type"] = json!(kind);
        format!("event: {kind}\ndata: {json}\n\n")
    };
    let message = json!({"id": "msg_up", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": said.usage.0, "output_tokens": 1}});
    let mut frames = vec![event(json!({"message": message}), "message_start"), event(json!({}), "ping")];
    let mut at = 0;
    let mut block = |start: Value, kind: &str, field: &str, text: &str| {
        frames.push(event(json!({"index": at, "content_block": start}), "content_block_start"));
        for piece in pieces(text) {
            frames.push(event(json!({"index": at, "delta": {"type": kind, field: piece}}), "content_block_delta"));
        }
        frames.push(event(json!({"index": at}), "content_block_stop"));
        at += 1;
    };
    if !said.text.is_empty() {
        block(json!({"type": "text", "text": ""}), "text_delta", "text", &said.text);
    }
    for call in &said.calls {
        let start = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        block(start, "input_json_delta", "partial_json", &call.arguments);
    }
    let finish = Wire::Messages.finish(!said.calls.is_empty(), said.at_limit);
    let delta =
        json!({"delta": {"stop_reason": finish, "stop_sequence": null}, "usage": {"output_tokens": said.usage.1}});
    frames.push(event(delta, "message_delta"));
    frames.push(event(json!({}), "message_stop"));
    frames
}
