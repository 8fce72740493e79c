//! What a client asks, read only as far as the gateway must know it; the rest stays the bytes it came in.
//!
//! A request goes upstream exactly as it came unless its history must be repaired, and then only what is repaired is
//! written again: everything else keeps its bytes.

use super::json;
use super::top::fields;
use super::wire::{Fault, Wire};
use bytes::{Bytes, BytesMut};
use countersign::check_call::history::repair_to_send;
use countersign::contract::Finding;
use memchr::memmem::Finder;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// A request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its dialect.
    pub wire: Wire,
    /// The body, as it goes upstream.
    pub body: Bytes,
    /// The model, where it names one.
    pub model: Option<String>,
    /// Whether the model may call tools at all.
    pub calling: Calling,
    /// Where the declared tools stand.
    tools: Option<Range<usize>>,
    /// Where the conversation stands.
    conversation: Option<Range<usize>>,
    /// Where the operator's instructions stand, when they stand beside the conversation.
    instructions: Option<Range<usize>>,
    /// Whether the beginning of the conversation is kept by the provider.
    continued: bool,
    /// Whether the conversation may hold calls or results; looked up once.
    uses_tools: OnceLock<bool>,
}

/// Whether a model may call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calling {
    /// It may.
    Allowed,
    /// The client has forbidden it.
    Forbidden,
}

impl Asked {
    /// Reads a body.
    pub fn read(wire: Wire, body: Bytes) -> Result<Self, Fault> {
        let text = std::str::from_utf8(&body)
            .map_err(|error| unreadable(&format!("it is not UTF-8 from byte {} on", error.valid_up_to())))?;
        let fields = fields(text).map_err(|error| unreadable(&error))?;
        let place = |key: &str| {
            let found = fields.iter().find(|(known, _)| *known == key).map(|(_, place)| place.clone());
            found.filter(|place| text.get(place.clone()) != Some("null"))
        };
        let value = |key: &str| place(key).and_then(|place| text.get(place));
        let forbids = value("tool_choice").is_some_and(is_none);
        Ok(Self {
            wire,
            model: value("model").and_then(|raw| serde_json::from_str(raw).ok()),
            calling: if forbids { Calling::Forbidden } else { Calling::Allowed },
            tools: place("tools").or_else(|| place("functions")),
            conversation: place(wire.conversation()),
            instructions: place(if wire == Wire::Messages { "system" } else { "instructions" }),
            continued: place("previous_response_id").or_else(|| place("conversation")).is_some(),
            uses_tools: OnceLock::new(),
            body: body.clone(),
        })
    }

    /// The declared tools, as they were written.
    pub fn tools(&self) -> Option<Cow<'_, str>> {
        self.part(self.tools.as_ref())
    }

    /// The conversation as a list of messages, instructions first, as the engine takes it.
    pub fn messages(&self) -> Vec<Value> {
        let read = |range: Option<&Range<usize>>| Some(json::read(&self.part(range)?)?.value);
        let mut messages = Vec::new();
        if let Some(instructions) = read(self.instructions.as_ref()) {
            messages.push(json!({"role": "system", "content": instructions}));
        }
        match read(self.conversation.as_ref()) {
            Some(Value::Array(items)) => messages.extend(items),
            Some(Value::String(text)) => messages.push(json!({"role": "user", "content": text})),
            _ => {}
        }
        messages
    }

    /// The same list as text, the parts as they were written.
    pub fn messages_text(&self) -> String {
        let conversation = self.part(self.conversation.as_ref()).unwrap_or(Cow::Borrowed("[]"));
        let instructions = self.part(self.instructions.as_ref());
        if instructions.is_none() && conversation.starts_with('[') {
            return conversation.into_owned();
        }
        let system = instructions.map(|text| format!("{{\"role\":\"system\",\"content\":{text}}}"));
        let rest = match conversation.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
            Some(list) if list.trim().is_empty() => None,
            Some(list) => Some(list.to_owned()),
            None => Some(format!("{{\"role\":\"user\",\"content\":{conversation}}}")),
        };
        format!("[{}]", system.into_iter().chain(rest).collect::<Vec<_>>().join(","))
    }

    /// Repairs the history. What was put right is told; a body that needs nothing is not touched.
    pub fn repair(&mut self) -> Vec<Finding> {
        // A history without tools needs no second look, and that is quick to see.
        let range = self.conversation.clone().filter(|_| !self.continued && self.has_results());
        let Some(range) = range else { return Vec::new() };
        let Some(text) = self.part(Some(&range)) else { return Vec::new() };
        let Some(json::Read { value: Value::Array(messages), .. }) = json::read(&text) else { return Vec::new() };
        let repaired = repair_to_send(&messages);
        if !repaired.findings.is_empty() {
            let written = json::rewrite(&text, &Value::Array(messages), &Value::Array(repaired.messages));
            self.replace_conversation(&range, &written);
        }
        repaired.findings
    }

    /// Whether the conversation may hold results of tools.
    pub fn has_results(&self) -> bool {
        *self.uses_tools.get_or_init(|| {
            let text = self.conversation.as_ref().and_then(|range| self.body.get(range.clone()));
            text.is_some_and(mentions_tools)
        })
    }

    /// The messages or items of the conversation, without the instructions beside it; none where no tool was used.
    pub fn conversation_items(&self) -> Vec<Value> {
        if !self.has_results() {
            return Vec::new();
        }
        let text = self.part(self.conversation.as_ref()).unwrap_or_default();
        match json::read(&text).map(|read| read.value) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// Puts other values in places of the conversation: the number of a message, and a pointer into it.
    pub fn edit(&mut self, edits: &[(usize, String, Value)]) {
        let Some(range) = self.conversation.clone().filter(|_| !edits.is_empty()) else { return };
        let Some(text) = self.part(Some(&range)).map(Cow::into_owned) else { return };
        let places = edits.iter().map(|(at, pointer, value)| (format!("/{at}{pointer}"), value.to_string()));
        let written = json::put(&text, &places.collect::<Vec<_>>());
        self.replace_conversation(&range, &written);
    }

    /// The same request with more at the end of its conversation.
    pub fn with_more(&self, items: &[Value]) -> Option<Bytes> {
        let range = self.conversation.clone()?;
        let text = self.part(Some(&range))?;
        let more = items.iter().map(Value::to_string).collect::<Vec<_>>().join(",");
        let written = match text.strip_suffix(']') {
            Some(list) if list.trim() == "[" => format!("[{more}]"),
            Some(list) => format!("{list},{more}]"),
            // A responses request may be one string.
            None => {
                let said: Value = serde_json::from_str(&text).ok()?;
                format!("[{},{more}]", json!({"role": "user", "content": said}))
            }
        };
        let mut longer = self.clone();
        longer.replace_conversation(&range, &written);
        Some(longer.body)
    }

    fn replace_conversation(&mut self, range: &Range<usize>, written: &str) {
        let mut body = BytesMut::with_capacity(self.body.len() + written.len());
        body.extend_from_slice(self.body.get(..range.start).unwrap_or_default());
        body.extend_from_slice(written.as_bytes());
        body.extend_from_slice(self.body.get(range.end..).unwrap_or_default());
        self.body = body.freeze();
        self.uses_tools = OnceLock::new();
        self.conversation = Some(range.start..range.start + written.len());
        for place in [&mut self.tools, &mut self.instructions].into_iter().flatten() {
            if place.start >= range.end {
                let shifted = |at: usize| at - range.end + range.start + written.len();
                *place = shifted(place.start)..shifted(place.end);
            }
        }
    }

    fn part(&self, range: Option<&Range<usize>>) -> Option<Cow<'_, str>> {
        let bytes = self.body.get(range?.clone())?;
        // The whole body was read as UTF-8, and JSON values begin and end at characters.
        std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
    }
}

/// Whether a conversation may hold calls or results: their keys and words begin with a quotation mark.
fn mentions_tools(text: &[u8]) -> bool {
    [&TOOL, &FUNCTION_CALL, &CUSTOM_TOOL].iter().any(|mark| mark.find(text).is_some())
}

/// `"none"`, or Anthropic's `{"type": "none"}`.
fn is_none(raw: &str) -> bool {
    let Ok(choice) = serde_json::from_str::<Value>(raw) else { return false };
    choice.as_str().or_else(|| choice.get("type")?.as_str()) == Some("none")
}

fn unreadable(why: &str) -> Fault {
    Fault::new(400, "invalid_request", format!("the body is no JSON object that can be read: {why}"))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&TOOL);
    LazyLock::force(&FUNCTION_CALL);
    LazyLock::force(&CUSTOM_TOOL);
}

static TOOL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"tool"));
static FUNCTION_CALL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"function_call"));
static CUSTOM_TOOL: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"custom_tool"));

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(wire: Wire, body: &str) -> Asked {
        Asked::read(wire, Bytes::copy_from_slice(body.as_bytes())).unwrap()
    }

    // SERVE-6: a body that needs nothing is not touched.
    #[test]
    fn a_body_that_needs_nothing_keeps_its_bytes() {
        let body = r#"{ "model":"m" , "messages" : [ {"role":"user","content":"caf\u00e9"},
            {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"x\": 1.0}"}}]},
            {"role":"tool","tool_call_id":"c1","content":"ok"}], "extra": 1e3 }"#;
        let mut asked = asked(Wire::Chat, body);
        assert!(asked.repair().is_empty());
        assert_eq!(asked.body, body);
    }

    // CALL-11: only what is wrong is written again.
    #[test]
    fn only_messages_that_are_wrong_are_written_again() {
        let first = r#"{"role":"user",  "content":"caf\u00e9"}"#;
        let body = format!(
            r#"{{"messages":[{first},{{"role":"tool","tool_call_id":"gone","content":"?"}},{{"role":"user","content":1.50}}],"tools":[{{"name":"f"}}]}}"#
        );
        let mut asked = asked(Wire::Chat, &body);
        assert_eq!(asked.repair().len(), 1);
        let expected = format!(r#"{{"messages":[{first},{{"role":"user","content":1.50}}],"tools":[{{"name":"f"}}]}}"#);
        assert_eq!(asked.body, expected);
        assert_eq!(asked.tools().unwrap(), r#"[{"name":"f"}]"#);
        let again = asked.body.clone();
        assert!(asked.repair().is_empty());
        assert_eq!(asked.body, again, "a repaired history stays as it is");
    }

    // CALL-10: the conversation before a correction is repeated unchanged.
    #[test]
    fn more_is_put_behind_what_was_there() {
        let more = [json!({"role": "tool"})];
        let longer = asked(Wire::Chat, r#"{"messages": [ {"a":1} ],"x":2}"#).with_more(&more).unwrap();
        assert_eq!(longer, r#"{"messages": [ {"a":1} ,{"role":"tool"}],"x":2}"#);
        let longer = asked(Wire::Responses, r#"{"input":"hi"}"#).with_more(&more).unwrap();
        assert_eq!(longer, r#"{"input":[{"role":"user","content":"hi"},{"role":"tool"}]}"#);
    }

    #[test]
    fn a_body_that_cannot_be_read_is_told_where() {
        for body in ["", "[]", "{\"messages\": [}", "\u{0}", "7", "{\"stream\":true,\"stream\":false}"] {
            assert_eq!(Asked::read(Wire::Chat, Bytes::from(body)).unwrap_err().status, 400, "{body}");
        }
    }
}
