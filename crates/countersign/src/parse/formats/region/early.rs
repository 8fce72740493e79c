//! A call that is told as soon as its name and the beginning of its arguments are known.

use super::super::FormatEngine;
use super::super::buffer::bytes;
use super::super::payload::Trust;
use super::super::repairs::FOLDED_NAME;
use super::super::tracker::Tracker;
use super::super::word;
use super::{Begun, Region};
use crate::parse::event::{Event, Repair, Span};

impl FormatEngine {
    /// Gives out the arguments of a call that was begun, as far as they have come.
    pub(super) fn stream_call(&mut self, region: &Region, out: &mut Vec<Event>) {
        if let Some(begun) = &region.begun {
            let end = begun.end.or(region.values.first().map(|value| value.end));
            let scanned = self.buffer.scan.min(self.limit(region.start));
            let to = self.buffer.floor(end.unwrap_or(scanned).min(scanned));
            self.arguments_to(begun.index, to, out);
        }
    }

    /// Gives out what is known to be no call, as far as it has come.
    pub(super) fn stream_text(&mut self, region: &Region, out: &mut Vec<Event>) {
        if region.data {
            self.flush(self.buffer.floor(self.buffer.scan), out);
        } else if self.is_mention() && region.open.is_some() {
            self.flush(self.buffer.floor(self.buffer.scan.min(self.limit(region.start))), out);
        }
    }

    /// Begins a call as soon as its name and the beginning of its arguments are known.
    pub(super) fn begin_early(&mut self, region: &mut Region, raw: &str, from: usize, out: &mut Vec<Event>) {
        let named = self.tools.resolve(raw);
        let known = named.tool.is_some() || (self.tools.is_empty() && region.trust == Trust::Marked);
        if region.begun.is_some() || !known || !word::is_name(&named.name) {
            return;
        }
        let index = self.calls;
        self.calls += 1;
        if named.folded {
            out.push(Event::Repair(Repair::new(&FOLDED_NAME, Span::at(region.start), raw, &named.name)));
        }
        region.begun = Some(Begun { index, name: named.name.clone(), from, end: None });
        let (name, raw_name, place) = (named.name, raw.to_owned(), region.place);
        out.push(Event::CallStart { index, id: None, name, raw_name, place, at: region.start });
        self.markup(from, out);
    }

    /// Looks at one more byte of the first value.
    pub(super) fn look(&mut self, region: &mut Region, byte: u8, at: usize, out: &mut Vec<Event>) {
        if !region.values.is_empty() {
            return;
        }
        region.sight.take(byte, at);
        if region.trust == Trust::Bare && byte == b'"' && !region.data {
            region.data = self.is_data(region);
        }
        match byte {
            b'{' if region.begun.is_none() => {
                if let (Some(name), (Some(from), _)) = (region.sight.name(), region.sight.arguments()) {
                    let name = name.to_owned();
                    self.begin_early(region, &name, from, out);
                    end_arguments(region);
                }
            }
            b'}' | b']' => end_arguments(region),
            _ => {}
        }
    }

    /// The bytes from `at` on that are inside a string and neither end it nor begin a marker, taken at once.
    pub(super) fn pass_string(&self, region: &mut Region, tracker: &Tracker, at: usize) -> usize {
        let sees = region.values.is_empty();
        if !tracker.in_plain_string() || (sees && !region.sight.in_plain_string()) {
            return 0;
        }
        let end = self.buffer.find(at, &STRING_STOPS).unwrap_or(self.buffer.end());
        let end = if region.data { end } else { end.min(self.limit(region.start)) };
        if sees {
            region.sight.pass(self.buffer.bytes(at, end));
        }
        end.saturating_sub(at)
    }

    /// Whether a value without a marker is no call: its name is no tool's, or other members than a call's come first.
    fn is_data(&self, region: &Region) -> bool {
        match region.sight.first_name() {
            Some(name) => !self.tools.is_empty() && self.tools.resolve(name).tool.is_none(),
            None => region.sight.has_other_members(),
        }
    }

    /// Begins a call whose name is before its arguments.
    pub(super) fn begin_named(&mut self, region: &mut Region, at: usize, out: &mut Vec<Event>) {
        if let Some(head) = self.head(region, at).filter(|head| self.tools.resolve(head).tool.is_some()) {
            self.begin_early(region, &head, at, out);
        }
    }
}

/// Notes where the arguments of a call end that was begun, once that was seen.
fn end_arguments(region: &mut Region) {
    let (from, end) = region.sight.arguments();
    if let Some(begun) = region.begun.as_mut().filter(|begun| from == Some(begun.from)) {
        begun.end = begun.end.or(end);
    }
}

/// Where a string may end, or something begin in it.
const STRING_STOPS: [bool; 256] = bytes(b"\"'\\<&[\0\xEF");
