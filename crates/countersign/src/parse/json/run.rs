//! The reader at work: members and elements, one after the other, until every container is closed.

use super::ahead::{BracketedKey, DASHES};
use super::around::{EndedBy, ValuePosition};
use super::cursor::Token;
use super::frame::Shape;
use super::glyph::is_quote;
use super::kind;
use super::reader::{Begun, Outcome, Reader};
use crate::parse::event::Span;
use serde_json::Value;

impl Reader<'_> {
    /// Reads the value that begins at the next token from a place on.
    pub(super) fn read(&mut self, at: usize) -> Outcome {
        self.start(at);
        self.value(ValuePosition::Root);
        self.run()
    }

    /// Reads members that no bracket opened, from a place on.
    pub(super) fn read_members(&mut self, at: usize) -> Outcome {
        self.start(at);
        self.cursor.mend(&kind::LINES, Span::at(self.cursor.at), "");
        self.open(Shape::Implied, 0);
        self.run()
    }

    fn start(&mut self, at: usize) {
        self.keys.clear();
        self.values.clear();
        self.cut = false;
        self.unsure = false;
        self.doubled = false;
        self.cursor.at = at;
        self.cursor.skip_blanks();
    }

    fn run(&mut self) -> Outcome {
        loop {
            self.lane();
            let Some(frame) = self.frames.last() else { break };
            if frame.shape.has_members() {
                self.member();
            } else {
                self.element();
            }
        }
        let end = self.cursor.at.min(self.cursor.text.len());
        Outcome { value: self.values.pop(), end, complete: !self.cut && !self.unsure }
    }

    /// Reads up to the next element of the innermost container, and it.
    fn element(&mut self) {
        let Some(token) = self.next_token() else { return };
        if self.separator(token) || self.dashes(token) {
            return;
        }
        self.expect_comma();
        let start = self.cursor.at;
        if self.list_mark(token) || self.is_table() {
            return;
        }
        match self.value(ValuePosition::Element) {
            Begun::Nothing if self.cursor.at == start => self.drop_sign(token),
            Begun::Value if is_quote(token.byte) && self.colon_follows() => self.imply_object(),
            _ => {}
        }
    }

    /// Goes over a comment that two dashes begin, where a key, an element or a comma should be.
    fn dashes(&mut self, token: Token) -> bool {
        let start = self.cursor.at;
        let found = token.byte == b'-' && self.cursor.goes_on(start, DASHES);
        if found {
            self.cursor.at = self.cursor.line_end(start);
            self.cursor.mend(&kind::COMMENT, Span::new(start, self.cursor.at), "");
        }
        found
    }

    /// Goes over the dash of a list before an element: `- "a"`.
    fn list_mark(&mut self, token: Token) -> bool {
        let mark = matches!(token.byte, b'-' | b'*') && self.cursor.byte(self.cursor.at + 1) == Some(b' ');
        let next = self.cursor.after_blanks(self.cursor.at + 1);
        let opens = |t: Token| is_quote(t.byte) || matches!(t.byte, b'{' | b'[');
        let found = mark && self.cursor.token(next).is_some_and(opens);
        if found {
            self.drop_sign(token);
        }
        found
    }

    /// Whether the innermost container, of which nothing was read yet, holds members: `['a' => 1]`. If so, it does from
    /// now on.
    fn is_table(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.values == self.values.len()) else {
            return false;
        };
        let Some(shape) = frame.shape.with_members().filter(|_| self.cursor.arrow_key_ahead(self.cursor.at)) else {
            return false;
        };
        frame.shape = shape;
        self.cursor.mend(&kind::OTHER_BRACKET, Span::new(frame.start, self.cursor.at), "{");
        true
    }

    /// Reads up to the next member of the innermost container, its key, and its value.
    fn member(&mut self) {
        let Some(token) = self.next_token() else { return };
        let bracketed = self.cursor.bracketed_key(self.cursor.at);
        if self.separator(token) || self.dashes(token) || (bracketed.is_none() && self.opener_for_key(token)) {
            return;
        }
        let comma_missing = self.expect_comma();
        let start = self.cursor.at;
        self.prefix_of_key(start);
        let key = match token.byte {
            _ if let Some(key) = bracketed => Some(self.key_in_brackets(&key)),
            b'\\' => self.escaped_string().or_else(|| self.cursor.bare_key()),
            byte if is_quote(byte) || self.cursor.at > start => Some(self.string(ValuePosition::Key)),
            _ => self.cursor.bare_key(),
        };
        match key {
            _ if self.cut => self.cursor.mend(&kind::DROPPED_KEY, Span::new(start, self.cursor.at), ""),
            Some(key) => self.value_of(key, start, comma_missing),
            None => self.drop_sign(token),
        }
    }

    fn key_in_brackets(&mut self, key: &BracketedKey) -> String {
        self.cursor.mend(&kind::UNQUOTED_KEY, Span::new(self.cursor.at, key.after), "");
        let text = match self.cursor.quote(key.start) {
            Some((_, width)) => {
                let close = self.cursor.slice(key.start, key.end).chars().next_back().map_or(0, char::len_utf8);
                self.cursor.decoded(key.start + width, key.end - close, EndedBy::Quote)
            }
            None => self.cursor.slice(key.start, key.end).to_owned(),
        };
        self.cursor.at = key.after;
        text
    }

    /// Reads the colon and the value of a member whose key began at `start`.
    fn value_of(&mut self, key: String, start: usize, comma_missing: Option<usize>) {
        self.cursor.skip_blanks();
        let Some(token) = self.cursor.token(self.cursor.at) else {
            self.cut = true;
            return self.cursor.mend(&kind::DROPPED_KEY, Span::new(start, self.cursor.at), "");
        };
        if !self.colon(token) && self.is_no_key(token, start, comma_missing) {
            return;
        }
        self.keys.push(key);
        self.member_value();
    }

    /// Whether what was read as a key is none, since no colon follows: an element of a set, or a stray word. Else the
    /// colon is missing.
    fn is_no_key(&mut self, token: Token, start: usize, comma_missing: Option<usize>) -> bool {
        let here = self.cursor.at;
        let ends = matches!(token.byte, b',' | b'}');
        let letter = self.cursor.byte(start).is_some_and(|b| b.is_ascii_alphabetic() || b >= 0x80);
        let is_remark = letter || matches!(self.cursor.byte(start), Some(b'(' | b'-' | b'*' | b'+'));
        let Some(frame) = self.frames.last_mut() else { return false };
        if ends && frame.shape == Shape::Object && frame.keys == self.keys.len() && !(letter && token.byte == b'}') {
            frame.shape = Shape::Set;
            self.cursor.at = start;
            return true;
        }
        let words = letter && token.byte == b'}' && self.cursor.slice(start, here).trim_end().contains(' ');
        let stray = (ends && comma_missing.is_some() && is_remark)
            || words
            || (is_quote(token.byte) && self.cursor.quoted_key_ahead(here));
        if stray {
            self.cursor.mend(&kind::DROPPED, Span::new(start, here), "");
        } else if !ends {
            self.cursor.mend(&kind::MISSING_COLON, Span::at(here), ":");
        }
        stray
    }

    fn colon_follows(&self) -> bool {
        let next = self.cursor.after_blanks(self.cursor.at);
        self.cursor.token(next).is_some_and(|t| t.byte == b':') || self.cursor.goes_on(next, "=>")
    }

    /// The string just read was a key: `["a": 1]`.
    fn imply_object(&mut self) {
        let Some(Value::String(key)) = self.values.pop() else { return };
        self.cursor.mend(&kind::IMPLIED_OBJECT, Span::at(self.cursor.at), "{");
        if let Some(frame) = self.frames.last_mut() {
            frame.due = false;
        }
        if self.open(Shape::Implied, 0) == Begun::Container {
            self.value_of(key, self.cursor.at, None);
        }
    }
}
