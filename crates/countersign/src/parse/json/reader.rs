//! The state of a reader: its place in the text, and an explicit stack of open containers.
//!
//! The reader goes over the text once. Finished values lie on one flat stack until their container closes, so that a
//! container is built at its exact size. It never recurses, and what is nested too deep is kept as text.

use serde_json::Value;

use crate::parse::event::{ParseOptions, Repair, Span};

use super::around::{Setting, ValuePosition};
use super::cursor::{Cursor, Token};
use super::frame::{Frame, Shape};
use super::kind;

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
            frames: Vec::with_capacity(SMALL),
            keys: Vec::with_capacity(SMALL),
            values: Vec::with_capacity(SMALL),
            cut: false,
            raw: false,
            doubled: false,
            unsure: false,
            // One level is kept for the array that several values are put into.
            max_depth: options.max_depth.saturating_sub(1).max(1),
        }
    }

    /// What was mended.
    pub(super) fn into_repairs(self) -> Vec<Repair> {
        self.cursor.repairs
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
    pub(super) fn open(&mut self, shape: Shape, width: usize) -> Begun {
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

    pub(super) fn finish(&mut self, value: Value) {
        self.push(value);
    }

    pub(super) fn setting(&self, place: ValuePosition) -> Setting {
        let round = self.frames.last().is_some_and(|frame| frame.shape.is_round());
        Setting { place, depth: self.frames.len(), round, doubled: false }
    }

    /// Leaves out a sign that fits nowhere.
    pub(super) fn drop_sign(&mut self, token: Token) {
        let start = self.cursor.at;
        self.cursor.at += token.width;
        self.cursor.mend(&kind::DROPPED, Span::new(start, self.cursor.at), "");
    }
}

/// What most documents have open, and most of their objects hold.
const SMALL: usize = 16;
