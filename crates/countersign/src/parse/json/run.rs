//! The reader at work: members and elements, one after the other, until every container is closed.

use super::around::ValuePosition;
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
        if self.separator(token) {
            return;
        }
        self.expect_comma();
        let start = self.cursor.at;
        if self.list_mark(token) {
            return;
        }
        match self.value(ValuePosition::Element) {
            Begun::Nothing if self.cursor.at == start => self.drop_sign(token),
            Begun::Value if is_quote(token.byte) && self.colon_follows() => self.imply_object(),
            _ => {}
        }
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

    /// Reads up to the next member of the innermost container, its key, and its value.
    fn member(&mut self) {
        let Some(token) = self.next_token() else { return };
        if self.separator(token) || self.opener_for_key(token) {
            return;
        }
        let comma_missing = self.expect_comma();
        let start = self.cursor.at;
        self.prefix_of_key(start);
        let key = match token.byte {
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
        let is_remark = letter || matches!(self.cursor.byte(start), Some(b'(' | b'-' | b'*'));
        let Some(frame) = self.frames.last_mut() else { return false };
        if ends && frame.shape == Shape::Object && frame.keys == self.keys.len() && !(letter && token.byte == b'}') {
            frame.shape = Shape::Set;
            self.cursor.at = start;
            return true;
        }
        let stray = (ends && comma_missing.is_some() && is_remark)
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
        self.cursor.token(next).is_some_and(|t| t.byte == b':')
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
