//! Whether an answer says what the upstream said: byte for byte, or at least in meaning.
//!
//! Comments in a stream say nothing to a client and are passed over. A gateway may give a call in one delta, or write the
//! JSON again: then text, name, arguments, finish and end mark must be the same.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Bytes,
    Meaning,
    Wrong,
}

pub fn compare(expected: &[u8], got: &[u8]) -> Match {
    if expected == got
        || (got.starts_with(b":") || memchr::memmem::find(got, b"\n:").is_some()) && expected == without_comments(got)
    {
        return Match::Bytes;
    }
    match (read(expected), read(got)) {
        (Some(expected), Some(got)) if expected == got => Match::Meaning,
        _ => Match::Wrong,
    }
}

fn without_comments(stream: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(stream.len());
    for event in events(stream) {
        if !event.starts_with(b":") {
            kept.extend(event);
        }
    }
    kept
}

/// Pieces that end with an empty line, and what is left after the last.
fn events(stream: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for end in memchr::memmem::find_iter(stream, b"\n\n") {
        pieces.push(&stream[begin..end + 2]);
        begin = end + 2;
    }
    pieces.push(&stream[begin..]);
    pieces
}

/// What a client understands.
#[derive(Debug, Default, PartialEq)]
struct Said {
    text: String,
    calls: Vec<Call>,
    finish: String,
    has_ended: bool,
}

#[derive(Debug, Default, PartialEq)]
struct Call {
    id: String,
    name: String,
    arguments: Value,
    written: String,
}

fn read(body: &[u8]) -> Option<Said> {
    let text = std::str::from_utf8(body).ok()?;
    let mut said = Said::default();
    if text.starts_with('{') {
        let answer: Value = serde_json::from_str(text).ok()?;
        said.hear(&answer["choices"][0], "message");
        said.has_ended = true;
    }
    for line in text.lines().filter_map(|line| line.strip_prefix("data:")) {
        if line.trim() == "[DONE]" {
            said.has_ended = true;
            continue;
        }
        let event: Value = serde_json::from_str(line).ok()?;
        if !event["error"].is_null() {
            return None;
        }
        said.hear(&event["choices"][0], "delta");
        said.text.push_str(event["delta"]["text"].as_str().unwrap_or_default());
        said.has_ended |= event["type"] == "message_stop";
    }
    for call in &mut said.calls {
        call.arguments = serde_json::from_str(&std::mem::take(&mut call.written)).ok()?;
    }
    Some(said)
}

impl Said {
    fn hear(&mut self, choice: &Value, part: &str) {
        let part = &choice[part];
        self.text.push_str(part["content"].as_str().unwrap_or_default());
        self.finish.push_str(choice["finish_reason"].as_str().unwrap_or_default());
        for delta in part["tool_calls"].as_array().into_iter().flatten() {
            let index = delta["index"].as_u64().unwrap_or(0).min(16) as usize;
            while self.calls.len() <= index {
                self.calls.push(Call::default());
            }
            let call = &mut self.calls[index];
            call.id.push_str(delta["id"].as_str().unwrap_or_default());
            call.name.push_str(delta["function"]["name"].as_str().unwrap_or_default());
            call.written.push_str(delta["function"]["arguments"].as_str().unwrap_or_default());
        }
    }
}
