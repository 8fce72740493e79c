//! The page on which the events of one frame are written.
//!
//! The spans of covering events must cover the input exactly once, and a line of a stream is not what it says: its
//! first covering event gets the whole line, the others an empty span at its end, and a line that says nothing is
//! markup. Nobody else gives a native event its span.

use crate::parse::event::{Event, Kind, Place, Repair, Span};
use serde_json::{Map, Value};

/// Writes the events of one frame.
#[derive(Debug)]
pub(super) struct Page<'a> {
    span: Span,
    raw: &'a str,
    covered: bool,
    repairs_left: &'a mut usize,
    out: &'a mut Vec<Event>,
}

/// How much of a call was seen.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) enum Seen {
    /// All of it.
    Whole,
    /// Only a part, or nobody can say.
    #[default]
    Part,
}

impl<'a> Page<'a> {
    /// A page for the frame `raw` that begins at `start`.
    pub(super) fn new(start: usize, raw: &'a str, repairs_left: &'a mut usize, out: &'a mut Vec<Event>) -> Self {
        Self { span: Span::new(start, start + raw.len()), raw, covered: false, repairs_left, out }
    }

    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            let span = self.cover();
            self.out.push(Event::Text { text: text.to_owned(), span });
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            let span = self.cover();
            self.out.push(Event::Reasoning { text: text.to_owned(), span });
        }
    }

    pub(super) fn start(&mut self, index: usize, id: Option<String>, raw_name: &str) {
        let name = raw_name.trim().to_owned();
        let raw_name = raw_name.to_owned();
        let at = self.here();
        self.out.push(Event::CallStart { index, id, name, raw_name, place: Place::Answer, at });
    }

    pub(super) fn delta(&mut self, index: usize, delta: &str) {
        if !delta.is_empty() {
            let span = self.cover();
            self.out.push(Event::ArgDelta { index, delta: delta.to_owned(), span });
        }
    }

    /// Ends a call. Only one that was seen as a whole and has arguments is complete.
    pub(super) fn end(&mut self, index: usize, seen: Seen, arguments: Option<Map<String, Value>>) {
        let at = self.here();
        let complete = seen == Seen::Whole && arguments.is_some();
        self.out.push(Event::CallEnd { index, complete, unclosed: false, arguments, at });
    }

    pub(super) fn repair(&mut self, kind: &'static Kind, before: &str, after: &str) {
        let at = Span::at(self.here());
        self.mended(Repair::new(kind, at, before, after));
    }

    /// A repair inside arguments, which are in pieces all over the stream: its place is where the call ends.
    pub(super) fn mended(&mut self, repair: Repair) {
        if let Some(left) = self.repairs_left.checked_sub(1) {
            *self.repairs_left = left;
            let span = Span::at(self.here());
            self.out.push(Event::Repair(Repair { span, ..repair }));
        }
    }

    pub(super) fn unrecovered(&mut self, text: &str, reason: impl Into<String>) {
        let span = self.cover();
        self.out.push(Event::Unrecovered { text: text.to_owned(), reason: reason.into(), span });
    }

    /// The frame as it was sent.
    pub(super) fn raw(&self) -> &'a str {
        self.raw
    }

    /// Ends the page: what covered nothing is markup.
    pub(super) fn close(mut self) {
        if !self.covered && !self.raw.is_empty() {
            let span = self.cover();
            self.out.push(Event::Markup { text: self.raw.to_owned(), span });
        }
    }

    /// The place that the events have reached.
    fn here(&self) -> usize {
        if self.covered { self.span.end } else { self.span.start }
    }

    /// The whole frame for the first covering event, nothing for the others.
    fn cover(&mut self) -> Span {
        if std::mem::replace(&mut self.covered, true) { Span::at(self.span.end) } else { self.span }
    }
}
