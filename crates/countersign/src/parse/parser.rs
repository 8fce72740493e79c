//! The push parser: bytes in, events out, whatever the protocol.

use super::event::{Engine, Event, Finish, Kind, ParseOptions, Repair, Span};
use super::formats::{FormatEngine, KnownTools};
use super::native::NativeStream;
use super::outcome::{Gather, Outcome};
use super::protocol::Protocol;
use super::tags::TagEngine;
use super::value::ValueEngine;
use crate::contract::{Language, ToolSpec};
use std::collections::VecDeque;

/// Reads one output of a model, in any pieces.
pub struct Parser {
    engine: Box<dyn Engine + Send>,
    /// The bytes of a character that is not all there yet.
    carry: Vec<u8>,
    /// How much text the engine has been given.
    given: usize,
    /// Mends of bytes that wait for what covers their place.
    mended: VecDeque<Repair>,
}

impl Parser {
    /// A parser for one output. `tools` are those the model was given; none where that is not known.
    pub fn new(protocol: &Protocol, tools: &[ToolSpec], options: ParseOptions) -> Self {
        let engine: Box<dyn Engine + Send> = match protocol {
            Protocol::Auto => Box::new(FormatEngine::auto(tools, options)),
            Protocol::Format(format) => Box::new(FormatEngine::of(format, tools, options)),
            Protocol::Json(schema) => Box::new(ValueEngine::new(schema.clone(), options)),
            Protocol::Tags(protocol) => Box::new(TagEngine::new(protocol.clone(), &options)),
            Protocol::Native(dialect) => Box::new(NativeStream::new(*dialect, &options)),
        };
        Self::with(engine)
    }

    /// A parser of calls in any format, for tools that were looked at before.
    pub fn knowing(tools: &KnownTools, options: ParseOptions) -> Self {
        Self::with(Box::new(FormatEngine::knowing(tools, options)))
    }

    fn with(engine: Box<dyn Engine + Send>) -> Self {
        Self { engine, carry: Vec::new(), given: 0, mended: VecDeque::new() }
    }

    /// Takes the next bytes and gives what can be said by now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut out = Vec::new();
        if self.carry.is_empty() {
            self.take(bytes, &mut out);
        } else {
            let mut whole = std::mem::take(&mut self.carry);
            whole.extend_from_slice(bytes);
            self.take(&whole, &mut out);
        }
        self.place_mends(out)
    }

    /// Nothing more comes: gives the rest.
    pub fn finish(mut self, reason: Finish) -> Vec<Event> {
        let mut out = Vec::new();
        if !self.carry.is_empty() {
            let bytes = std::mem::take(&mut self.carry);
            self.replace(&bytes, &mut out);
        }
        self.engine.finish(reason, &mut out);
        let mut out = self.place_mends(out);
        out.extend(self.mended.into_iter().map(Event::Repair));
        out
    }

    /// Puts each mend of bytes where its place is, whatever was held while they came.
    fn place_mends(&mut self, events: Vec<Event>) -> Vec<Event> {
        if self.mended.is_empty() {
            return events;
        }
        let mut placed = Vec::with_capacity(events.len() + self.mended.len());
        for mut event in events {
            while let Some(span) = event.covered()
                && self.mended.front().is_some_and(|repair| repair.span.start < span.end)
                && let Some(repair) = self.mended.pop_front()
            {
                if let Some((front, back)) = event.split_at(repair.span.start) {
                    placed.push(front);
                    event = back;
                }
                placed.push(Event::Repair(repair));
            }
            placed.push(event);
        }
        placed
    }

    /// Gives the engine all whole characters and keeps at most three bytes of one that is not.
    fn take(&mut self, mut bytes: &[u8], out: &mut Vec<Event>) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.give(text, out),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            self.give(std::str::from_utf8(valid).unwrap_or_default(), out);
            let Some(wrong) = error.error_len() else {
                self.carry = rest.to_vec();
                return;
            };
            let (wrong, rest) = rest.split_at(wrong);
            self.replace(wrong, out);
            bytes = rest;
        }
    }

    fn give(&mut self, text: &str, out: &mut Vec<Event>) {
        if !text.is_empty() {
            self.engine.push(text, out);
            self.given += text.len();
        }
    }

    fn replace(&mut self, wrong: &[u8], out: &mut Vec<Event>) {
        let at = Span::new(self.given, self.given + REPLACEMENT.len());
        let before: Vec<String> = wrong.iter().map(|byte| format!("{byte:02x}")).collect();
        self.mended.push_back(Repair::new(&NOT_UTF8, at, &before.join(" "), REPLACEMENT));
        self.give(REPLACEMENT, out);
    }
}

/// Reads a whole output at once. Sentences for tags are in `language`, else in that of the words around them.
pub fn read_output(
    protocol: &Protocol,
    tools: &[ToolSpec],
    chunks: &[impl AsRef<[u8]>],
    reason: Finish,
    language: Option<Language>,
) -> Outcome {
    let mut parser = Parser::new(protocol, tools, ParseOptions::default());
    let mut gather = match protocol {
        Protocol::Tags(tags) => Gather::with_tags(tags, language),
        _ => Gather::new(),
    };
    for chunk in chunks {
        parser.push(chunk.as_ref()).into_iter().for_each(|event| gather.take(event));
    }
    parser.finish(reason).into_iter().for_each(|event| gather.take(event));
    gather.finish(reason)
}

/// What stands for bytes that are no UTF-8.
const REPLACEMENT: &str = "\u{fffd}";

/// The one thing that is mended before any protocol.
pub const NOT_UTF8: Kind = Kind {
    code: "bytes.not-utf8",
    note: "bytes that are no UTF-8 were replaced by the replacement character",
    confidence: 1.0,
};
