//! What all dialects write from: the request, the script, the names of things, and what it costs.

use super::conversation::Conversation;
use super::dice::Dice;
use super::fault::Fault;
use super::script::{Finish, Script};
use super::tokens::{Sureness, probability, tokens, weight};
use serde_json::{Value, json};

/// An answer that only has to be written down.
#[derive(Debug)]
pub(super) struct Sheet {
    /// The request.
    pub(super) asked: Conversation,
    /// What is said.
    pub(super) script: Script,
    /// Names for this answer. They depend on the whole request, but not on how it is delivered.
    pub(super) names: Dice,
}

impl Sheet {
    /// A sheet for a conversation.
    pub(super) fn new(seed: u64, asked: Conversation, script: Script) -> Self {
        let mut body = asked.body.clone();
        body.shift_remove("stream");
        body.shift_remove("stream_options");
        let names = Dice::new(seed, &[&Value::Object(body).to_string()]);
        Self { asked, script, names }
    }

    /// The tokens that were read.
    pub(super) fn read(&self) -> usize {
        self.asked.body.values().map(weight).sum()
    }

    /// The tokens that were written.
    pub(super) fn written(&self) -> usize {
        let calls = self.script.calls.iter().map(|call| tokens(&call.arguments).len());
        (tokens(&self.script.text).len() + calls.sum::<usize>()).max(1)
    }

    /// The probabilities of the text's tokens, one by one; none where nobody asked.
    pub(super) fn probabilities(&self) -> Option<Vec<Value>> {
        // A flood is no stream of tokens, and a number for each of them would be another flood.
        let alternatives = self.asked.alternatives.filter(|_| self.script.fault != Some(Fault::Flood))?;
        let sureness = if self.script.fault == Some(Fault::Claims) { Sureness::Guessing } else { Sureness::Knowing };
        let tokens = tokens(&self.script.text);
        let told = |(at, token): (usize, &String)| probability(token, at, sureness, alternatives, &self.names);
        Some(tokens.iter().enumerate().map(told).collect())
    }

    /// The pieces that the text is streamed in: its tokens, or, of an answer that does not seem to end, large ones.
    pub(super) fn text_pieces(&self) -> Vec<String> {
        let tokens = tokens(&self.script.text);
        if self.script.fault != Some(Fault::Flood) {
            return tokens;
        }
        tokens.chunks(TOKENS_OF_A_FLOOD).map(<[String]>::concat).collect()
    }

    /// The id of a call.
    pub(super) fn call_id(&self, prefix: &str, at: usize) -> String {
        self.names.id(prefix, &format!("call {at}"))
    }

    /// A body as bytes: of an answer that breaks off, only the first half.
    pub(super) fn body(&self, value: &Value) -> Vec<u8> {
        let mut bytes = value.to_string().into_bytes();
        if self.script.finish == Finish::Cut {
            bytes.truncate(bytes.len() / 2);
        }
        bytes
    }
}

/// The pieces that a call's arguments are streamed in.
pub(super) fn pieces(arguments: &str) -> Vec<String> {
    let tokens = tokens(arguments);
    tokens.chunks(TOKENS_OF_A_PIECE).map(<[String]>::concat).collect()
}

/// An event with its name, as responses and messages send it; the name is the data's type.
pub(super) fn named_event(data: &Value) -> String {
    let name = data.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n")
}

/// Adds fields to an object.
pub(super) fn with(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}

/// Nothing, where JSON needs a null.
pub(super) fn or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

const TOKENS_OF_A_PIECE: usize = 2;
const TOKENS_OF_A_FLOOD: usize = 512;
