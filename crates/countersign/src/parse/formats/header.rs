//! Message headers: `<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>`.
//!
//! The channel or the recipient says what the body is: reasoning, an answer, or the arguments of a call.

use super::payload::Trust;
use super::region::{Closer, Region};
use super::token::{self, Role};
use super::{Flow, FormatEngine, State};
use crate::parse::event::Event;
use crate::parse::markup::Input;

/// A header that is being read.
#[derive(Debug)]
pub(super) struct Header {
    start: usize,
    from: usize,
}

/// What a message is.
enum Body {
    Call(String),
    Reasoning,
    Verbatim,
    Answer,
}

impl Header {
    /// A header that begins at `start`; its first token ends at `from`.
    pub(super) fn new(start: usize, from: usize) -> Self {
        Self { start, from }
    }
}

impl FormatEngine {
    /// Reads up to the body.
    pub(super) fn header(&mut self, header: Header, out: &mut Vec<Event>) -> Flow {
        let mut at = self.buffer.scan.max(header.from).max(self.headless);
        while let Some(open) = self.buffer.from(at).find('<').map(|found| at + found) {
            self.headless = open;
            if open - header.start > LONGEST_HEADER {
                return self.no_header(&header, out);
            }
            match token::lex(self.buffer.from(open)) {
                token::Lexed::Token(Role::Body, len) => return self.body(&header, open, len, out),
                token::Lexed::Token(Role::MessageEnd | Role::CallOpen | Role::CallClose, _) => {
                    return self.no_header(&header, out);
                }
                token::Lexed::Token(_, len) => at = open + len,
                token::Lexed::NeedMore if self.input == Input::Open => {
                    self.buffer.scan = open;
                    self.state = State::Header(header);
                    return Flow::Wait;
                }
                token::Lexed::Not | token::Lexed::NeedMore => at = open + 1,
            }
        }
        let end = self.buffer.end();
        if self.input == Input::Ended || end - header.start > LONGEST_HEADER {
            return self.no_header(&header, out);
        }
        self.buffer.scan = end;
        self.state = State::Header(header);
        Flow::Wait
    }

    /// What looked like a header was none. A lone channel token still says nothing to a reader.
    fn no_header(&mut self, header: &Header, out: &mut Vec<Event>) -> Flow {
        if header.from > header.start {
            self.markup(header.from, out);
        }
        self.buffer.scan = header.from.max(header.start + 1);
        Flow::Again
    }

    fn body(&mut self, header: &Header, open: usize, len: usize, out: &mut Vec<Event>) -> Flow {
        let words = self.buffer.piece(header.start, open).to_owned();
        let (from, to) = (header.start, open + len);
        let kind = self.kind_of(&words);
        if self.is_mention() && !matches!(kind, Body::Call(_)) {
            // A header that is only spoken of begins nothing.
            self.flush(to, out);
            return Flow::Again;
        }
        self.reasoning = None;
        self.verbatim = false;
        match kind {
            Body::Call(name) => {
                let region = Region::new(from, to, Closer::Message, Trust::Marked, self.place()).named(name);
                self.buffer.scan = to;
                self.state = State::Region(Box::new(region));
                return Flow::Again;
            }
            Body::Reasoning => (self.reasoning, self.channel) = (Some(from), true),
            Body::Verbatim => self.verbatim = true,
            Body::Answer => {}
        }
        self.markup(to, out);
        self.line.restart(to);
        self.hold.keep();
        Flow::Again
    }

    fn kind_of(&self, words: &str) -> Body {
        let recipient = words.rsplit("to=").next().filter(|_| words.contains("to="));
        let recipient = recipient.map(|rest| rest.split(['<', ' ', '\n']).next().unwrap_or_default().trim());
        let channel = words.rsplit("<|channel|>").next().filter(|_| words.contains("<|channel|>"));
        let channel = channel.map(|rest| rest.split(['<', ' ']).next().unwrap_or_default().trim());
        match (recipient, channel) {
            (Some("self"), _) => Body::Reasoning,
            (Some("user"), _) => Body::Verbatim,
            (Some("assistant" | "all"), Some("analysis")) | (None, Some("analysis")) => Body::Reasoning,
            (None | Some("assistant" | "all" | ""), _) => Body::Answer,
            (Some(name), _) => Body::Call(name.to_owned()),
        }
    }
}

/// A header is short; what is longer is something else.
const LONGEST_HEADER: usize = 512;
