//! Anthropic messages: content blocks, whole or begun, continued and stopped.
//!
//! A call that is stopped is not yet whole: at the token limit the server closes the block in the middle of its
//! arguments and says so only afterwards. Blocks that the server itself runs are none of our calls.

use super::calls::Origin;
use super::fields::{as_text, field, identifier, listed, number, string};
use super::page::Page;
use super::turn::Turn;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is remembered between events.
#[derive(Debug, Default)]
pub(super) struct Reader {
    blocks: BTreeMap<u64, Block>,
    last: u64,
}

#[derive(Debug, Clone, Copy)]
enum Block {
    /// A call of ours, by its number.
    Call(usize),
    /// Something that the server runs itself, or that we do not know.
    Foreign,
    /// Words.
    Words,
}

impl Reader {
    /// Reads an event, a body, or a part of one.
    pub(super) fn read(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        match string(object, "type") {
            "message_start" => self.message_start(object, turn, page),
            "content_block_start" => self.block_start(object, turn, page),
            "content_block_delta" => self.block_delta(object, turn, page),
            "message_delta" => {
                turn.note(object);
                turn.reason(object.get("delta").and_then(|delta| delta.get("stop_reason")));
            }
            "message_stop" => turn.over(page),
            "error" => turn.failed(object.get("error").unwrap_or(&Value::Null), page),
            "content_block_stop" | "ping" => {}
            _ => body(object, turn, page),
        }
    }

    fn message_start(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        self.blocks.clear();
        if let Some(message) = object.get("message").and_then(Value::as_object) {
            turn.note(message);
            listed(message.get("content")).for_each(|part| block(part, turn, page));
        }
    }

    fn block_start(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let index = number(object.get("index")).unwrap_or_else(|| self.next());
        let Some(part) = object.get("content_block") else {
            return;
        };
        let begun = match field(part, "type") {
            "tool_use" => self.call_start(part, turn, page),
            "text" | "thinking" => {
                block(part, turn, page);
                Block::Words
            }
            _ => Block::Foreign,
        };
        self.last = index;
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.insert(index, begun);
        }
    }

    /// A call's beginning. Some servers send all of its input here.
    fn call_start(&mut self, part: &Value, turn: &mut Turn, page: &mut Page) -> Block {
        let Some(at) = turn.calls.begin(identifier(part, "id"), field(part, "name"), Origin::Pieces, page) else {
            return Block::Foreign;
        };
        turn.calls.append(at, &input(part), page);
        Block::Call(at)
    }

    fn block_delta(&mut self, object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
        let index = number(object.get("index")).unwrap_or(self.last);
        let Some(delta) = object.get("delta") else {
            return;
        };
        match (field(delta, "type"), self.blocks.get(&index)) {
            ("input_json_delta", Some(Block::Call(at))) => {
                turn.calls.append(*at, &as_text(delta.get("partial_json")), page)
            }
            ("input_json_delta", Some(Block::Foreign)) => {}
            ("input_json_delta", _) => {
                // Whose they are is not known: no open call can be sure of its arguments.
                turn.calls.spoil_open();
                page.unrecovered(&as_text(delta.get("partial_json")), "arguments of a block that was not begun");
            }
            ("text_delta", _) => page.text(field(delta, "text")),
            ("thinking_delta", _) => page.reasoning(field(delta, "thinking")),
            _ => {}
        }
    }

    fn next(&self) -> u64 {
        if self.blocks.is_empty() { 0 } else { self.last.saturating_add(1) }
    }
}

/// A whole message, or a part of one.
fn body(object: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
    if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
        return turn.failed(error, page);
    }
    if let Some(inner) = object.get("message").and_then(Value::as_object) {
        return message(inner, turn, page);
    }
    if object.contains_key("content") && !string(object, "type").ends_with("_result") {
        return message(object, turn, page);
    }
    match string(object, "type") {
        "" if object.is_empty() => {}
        "" => page.unrecovered(page.raw(), "this is no part of a message"),
        _ => block(&Value::Object(object.clone()), turn, page),
    }
}

fn message(message: &Map<String, Value>, turn: &mut Turn, page: &mut Page) {
    turn.note(message);
    match message.get("content") {
        Some(Value::String(text)) => page.text(text),
        content => listed(content).for_each(|part| block(part, turn, page)),
    }
    turn.reason(message.get("stop_reason"));
    turn.body_over(page);
}

/// A whole block.
fn block(part: &Value, turn: &mut Turn, page: &mut Page) {
    match field(part, "type") {
        "text" => page.text(field(part, "text")),
        "thinking" => page.reasoning(field(part, "thinking")),
        "tool_use" => {
            let Some(at) = turn.calls.begin(identifier(part, "id"), field(part, "name"), Origin::Body, page) else {
                return;
            };
            turn.calls.append(at, &input(part), page);
        }
        _ => page.text(part.as_str().unwrap_or_default()),
    }
}

/// The input of a block as text; an empty object is where the pieces will follow, if any.
fn input(part: &Value) -> String {
    match part.get("input") {
        Some(Value::Object(input)) if input.is_empty() => String::new(),
        other => as_text(other),
    }
}

/// More blocks than any message has.
const MAX_BLOCKS: usize = 16_384;
