//! One value, however it is written: objects, arrays and what stands for them, with an explicit stack of open containers.
//!
//! The reader goes over the text once. Finished values lie on one flat stack until their container closes, so that a
//! container is built at its exact size. It never recurses, and what is nested too deep is kept as text.

use serde_json::Value;

use crate::parse::event::{ParseOptions, Repair, Span};

use super::ahead::TICKS;
use super::cursor::{Cursor, Token};
use super::ending::{Setting, ValuePosition};
use super::frame::{Frame, Shape};
use super::glyph::is_quote;
use super::kind;
use super::wrapper::Wrapper;

/// Reads values, one after the other. What was mended, and what was looked up ahead, stays with its cursor.
pub(super) struct Reader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) frames: Vec<Frame>,
    pub(super) keys: Vec<String>,
    pub(super) values: Vec<Value>,
    /// Whether the end of the text cut what was being read.
    pub(super) cut: bool,
    /// Whether the backslashes of the string being read are just that.
    pub(super) raw: bool,
    /// Whether the keys are in doubled quotes, as in a cell of a table.
    pub(super) doubled: bool,
    /// Whether it may have been cut, as far as one can tell.
    pub(super) unsure: bool,
    max_depth: usize,
}

/// What was read from one place.
pub(super) struct Outcome {
    /// The value; absent where none began.
    pub value: Option<Value>,
    /// Where reading stopped.
    pub end: usize,
    /// Whether all of it was seen.
    pub complete: bool,
}

/// What began where a value should.
#[derive(PartialEq, Eq)]
pub(super) enum Begun {
    Value,
    Container,
    Nothing,
}

impl<'a> Reader<'a> {
    /// A reader of `text`.
    pub(super) fn new(text: &'a str, options: &ParseOptions) -> Self {
        Self {
            cursor: Cursor::new(text, options.max_repairs),
            frames: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            cut: false,
            raw: false,
            doubled: false,
            unsure: false,
            // One level is kept for the array that several values are put into.
            max_depth: options.max_depth.saturating_sub(1).max(1),
        }
    }

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

    /// What was mended.
    pub(super) fn into_repairs(self) -> Vec<Repair> {
        self.cursor.repairs
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

    /// Reads the value of the member whose key was read last.
    pub(super) fn member_value(&mut self) {
        let next = self.cursor.at + usize::from(self.cursor.byte(self.cursor.at) == Some(b' '));
        if self.cursor.color_ahead(next) {
            self.cursor.at = next;
        } else {
            self.cursor.skip_blanks();
        }
        while let Some(token) = self.cursor.token(self.cursor.at).filter(|t| matches!(t.byte, b':' | b'=')) {
            let here = self.cursor.at;
            self.colon(token);
            self.cursor.mend(&kind::OTHER_COLON, Span::new(here, self.cursor.at), "");
            self.cursor.skip_blanks();
        }
        let here = self.cursor.at;
        let Some(token) = self.cursor.token(here) else {
            self.cut = true;
            return self.no_value(here);
        };
        if matches!(token.byte, b',' | b'}' | b']' | b';') {
            return self.no_value(here);
        }
        if self.value(ValuePosition::Member) == Begun::Nothing {
            self.no_value(here);
            if self.cursor.at == here && !self.cursor.goes_on(here, TICKS) {
                self.drop_sign(token);
            }
        }
    }

    /// Goes over a colon or what stands for it.
    #[inline]
    fn colon(&mut self, first: Token) -> bool {
        let start = self.cursor.at;
        let mut token = Some(first);
        while let Some(Token { byte: b':' | b'=', width }) = token {
            self.cursor.at += width;
            token = self.cursor.token(self.cursor.at);
        }
        if self.cursor.at == start {
            let Some(width) = self.cursor.arrow(start) else { return false };
            self.cursor.at += width;
            self.cursor.mend(&kind::OTHER_COLON, Span::new(start, self.cursor.at), ":");
            return true;
        }
        if token.is_some_and(|t| t.byte == b'>') {
            self.cursor.at += 1;
        }
        if self.cursor.slice(start, self.cursor.at) != ":" {
            self.cursor.mend(&kind::OTHER_COLON, Span::new(start, self.cursor.at), ":");
        }
        true
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

    /// Reads the value at this place, or opens it.
    #[inline]
    fn value(&mut self, place: ValuePosition) -> Begun {
        let Some(token) = self.cursor.token(self.cursor.at) else {
            self.cut = true;
            return Begun::Nothing;
        };
        match token.byte {
            b'\\' if let Some(text) = self.escaped_string() => self.push(Value::String(text)),
            b'`' if place != ValuePosition::Root && self.cursor.goes_on(self.cursor.at, TICKS) => self.block(),
            b'"' | b'\'' | b'`' => {
                let text = self.string(place);
                self.push(Value::String(text))
            }
            b'{' => self.open(Shape::Object, token.width),
            b'[' => self.open(Shape::Array, token.width),
            b'(' => self.open(Shape::Tuple, token.width),
            b'}' | b']' | b')' | b',' | b':' => Begun::Nothing,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'@' => match self.cursor.wrapper(self.cursor.at, place) {
                Some(wrapper) => self.unwrap(wrapper, place),
                None => self.bare(place),
            },
            _ => self.bare(place),
        }
    }

    fn bare(&mut self, place: ValuePosition) -> Begun {
        let bare = self.cursor.bare_value(self.setting(place));
        self.cut |= bare.cut;
        match bare.value {
            Some(value) => self.push(value),
            None => Begun::Nothing,
        }
    }

    fn unwrap(&mut self, wrapper: Wrapper, place: ValuePosition) -> Begun {
        let start = self.cursor.at;
        let (shape, inside) = match wrapper {
            Wrapper::Call(inside) => (Shape::Call, inside),
            Wrapper::Named(inside) => (Shape::Named, inside),
            Wrapper::Prefix(inside) => {
                self.cursor.mend(&kind::WRAPPER, Span::new(start, inside), "");
                self.cursor.at = inside;
                self.raw = self.cursor.slice(start, inside).contains(['r', 'R', '@']);
                let text = self.string(place);
                self.raw = false;
                return self.push(Value::String(text));
            }
        };
        self.cursor.mend(&kind::WRAPPER, Span::new(start, inside), "");
        self.open(shape, inside - start)
    }

    /// Opens a container that is well-formed so far. Nothing where it lies too deep.
    pub(super) fn lane_open(&mut self, shape: Shape) -> Option<()> {
        if self.frames.len() >= self.max_depth {
            return None;
        }
        self.open(shape, 1);
        Some(())
    }

    /// Opens a container, or keeps it as text where it lies too deep.
    fn open(&mut self, shape: Shape, width: usize) -> Begun {
        let start = self.cursor.at;
        if self.frames.len() >= self.max_depth {
            let end = self.cursor.balanced_end(start);
            self.cursor.at = end;
            self.cut |= end == self.cursor.text.len();
            self.cursor.mend(&kind::TOO_DEEP, Span::new(start, end), "");
            return self.push(Value::String(self.cursor.slice(start, end).to_owned()));
        }
        if width > 1 && matches!(shape, Shape::Object | Shape::Array) {
            self.cursor.mend(&kind::OTHER_BRACKET, Span::new(start, start + width), "");
        }
        self.frames.push(Frame::new(shape, start, self.keys.len(), self.values.len()));
        self.cursor.at = start + width;
        Begun::Container
    }

    /// A value is finished.
    #[inline]
    pub(super) fn push(&mut self, value: Value) -> Begun {
        self.values.push(value);
        if let Some(frame) = self.frames.last_mut() {
            frame.due = true;
            frame.comma = None;
        }
        Begun::Value
    }

    /// A key without a value.
    fn no_value(&mut self, at: usize) {
        self.cursor.mend(&kind::MISSING_VALUE, Span::at(at), "null");
        self.push(Value::Null);
    }

    pub(super) fn finish(&mut self, value: Value) {
        self.push(value);
    }

    pub(super) fn setting(&self, place: ValuePosition) -> Setting {
        let round = self.frames.last().is_some_and(|frame| frame.shape.is_round());
        Setting { place, depth: self.frames.len(), round, doubled: false }
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

    /// Leaves out a sign that fits nowhere.
    fn drop_sign(&mut self, token: Token) {
        let start = self.cursor.at;
        self.cursor.at += token.width;
        self.cursor.mend(&kind::DROPPED, Span::new(start, self.cursor.at), "");
    }
}
