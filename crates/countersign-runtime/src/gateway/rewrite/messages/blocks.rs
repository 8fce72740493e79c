//! The blocks of a message: which of them the client sees, and under which number.
//!
//! Clients keep blocks in a list and look into it by number, so what they see must count from 0 without a gap. Servers
//! count otherwise: from 1, over calls that are held, or not at all. A block's own number is never trusted for more than
//! finding it again.

use crate::gateway::json::find;
use crate::gateway::sse::Output;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// All blocks of a message.
#[derive(Default)]
pub(super) struct Blocks {
    list: Vec<Block>,
    by_index: BTreeMap<u64, usize>,
    last_index: Option<u64>,
    /// The number of the next block that the client sees.
    next: u64,
}

/// One block.
pub(super) struct Block {
    /// What it is.
    pub(super) kind: Kind,
    /// Its number for the client.
    pub(super) shown: u64,
    /// Whether it goes on.
    pub(super) state: State,
}

/// What a block is.
pub(super) enum Kind {
    /// Words for the reader.
    Text,
    /// A thought, by its place among the thoughts.
    Thinking(usize),
    /// A call of ours.
    Call(CallBlock),
    /// A call that does not say of what, or of a kind that nobody here knows.
    Nameless,
    /// What the server runs itself, or what we do not know.
    Foreign,
}

/// A call, as far as its block must be known.
#[derive(Default)]
pub(super) struct CallBlock {
    /// Its id.
    pub(super) id: Option<String>,
    /// The input that came with the beginning, as it was written; it counts where no pieces follow.
    pub(super) input: Option<String>,
}

/// Whether a block goes on.
#[derive(PartialEq, Eq)]
pub(super) enum State {
    /// It does.
    Open,
    /// It has been stopped.
    Stopped,
}

impl Blocks {
    /// A new block under the server's number. Gives its place; none where there are too many.
    pub(super) fn begin(&mut self, index: Option<u64>, kind: Kind) -> Option<usize> {
        if self.list.len() >= MAX_BLOCKS {
            return None;
        }
        let at = self.list.len();
        let index = index.unwrap_or_else(|| self.last_index.map_or(0, |last| last.saturating_add(1)));
        self.by_index.insert(index, at);
        self.last_index = Some(index);
        let shown = if kind.is_held() { 0 } else { self.next_shown() };
        self.list.push(Block { kind, shown, state: State::Open });
        Some(at)
    }

    /// The number of a block that we write ourselves.
    pub(super) fn next_shown(&mut self) -> u64 {
        let shown = self.next;
        self.next += 1;
        shown
    }

    /// Where the block with the server's number stands; without one it is the last that began.
    pub(super) fn find(&self, index: Option<u64>) -> Option<usize> {
        match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.list.len().checked_sub(1),
        }
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut Block> {
        self.list.get_mut(at)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut Block)> {
        self.list.iter_mut().enumerate()
    }

    /// Whether a beginning only repeats that of a block that is still open.
    pub(super) fn is_repeat(&self, index: Option<u64>, block: &Value) -> bool {
        let Some(known) = index.and_then(|index| self.list.get(*self.by_index.get(&index)?)) else { return false };
        let same = match (&known.kind, kind_of(block)) {
            (Kind::Text, "text") | (Kind::Thinking(_), "thinking") => true,
            (Kind::Call(call), "tool_use") => call.id.as_deref() == block.get("id").and_then(Value::as_str),
            _ => false,
        };
        same && known.state == State::Open
    }

    /// Whether the last block that began is a call, so that a limit has cut it.
    pub(super) fn ends_with_call(&self) -> bool {
        self.list.last().is_some_and(|block| block.kind.is_held())
    }

    /// A whole block, written by us.
    pub(super) fn write(&mut self, block: &Value, delta: &Value, out: &mut Output) {
        let index = self.next_shown();
        write_start(index, block, out);
        write_delta(index, delta, out);
        write_stop(index, out);
    }
}

impl Kind {
    /// Whether the client does not see the block as it came.
    pub(super) fn is_held(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Nameless)
    }
}

/// A block that begins: what it says, and how that is written.
pub(super) struct Begun {
    /// What it says.
    pub(super) block: Value,
    /// How that is written.
    pub(super) text: String,
}

impl Begun {
    /// A block of ours.
    pub(super) fn of(block: Value) -> Self {
        Self { text: block.to_string(), block }
    }

    /// The input of a call as it was written; none where it says nothing yet.
    pub(super) fn input(&self) -> Option<String> {
        match self.block.get("input")? {
            Value::Null => None,
            Value::Object(fields) if fields.is_empty() => None,
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            _ => find(&self.text, "/input").map(str::to_owned),
        }
    }
}

/// Whether a block of this kind is a call that nobody here knows. What the server runs itself says so.
pub(in crate::gateway) fn is_unknown_call(kind: &str) -> bool {
    kind.ends_with("tool_use") && !matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use")
}

/// What a block says it is.
pub(super) fn kind_of(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The beginning of a block.
pub(super) fn write_start(index: u64, block: &Value, out: &mut Output) {
    let event = json!({"type": "content_block_start", "index": index, "content_block": block});
    out.event("content_block_start", &event.to_string());
}

/// A piece of a block.
pub(super) fn write_delta(index: u64, delta: &Value, out: &mut Output) {
    let event = json!({"type": "content_block_delta", "index": index, "delta": delta});
    out.event("content_block_delta", &event.to_string());
}

/// A piece of text.
pub(super) fn write_text(index: u64, text: &str, out: &mut Output) {
    if !text.is_empty() {
        write_delta(index, &json!({"type": "text_delta", "text": text}), out);
    }
}

/// The end of a block.
pub(super) fn write_stop(index: u64, out: &mut Output) {
    out.event("content_block_stop", &json!({"type": "content_block_stop", "index": index}).to_string());
}

/// More blocks than any message has.
const MAX_BLOCKS: usize = 16_384;
