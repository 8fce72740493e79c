//! What a region holds: the name before the value, and the value as JSON, Python or Gemma's notation.

use super::super::FormatEngine;
use super::super::gemma;
use super::super::payload::{Read, calls_in, has_arguments, read_arguments, sure};
use super::super::pythonic;
use super::super::word;
use super::{Contents, End, Region};
use crate::parse::event::Span;
use crate::parse::json;
use serde_json::{Map, Value};

impl FormatEngine {
    /// The calls of a region and what was mended in them.
    pub(super) fn read_region(&self, region: &Region, at: usize, end: End) -> Contents {
        let cut = region.open.as_ref().map(|(_, start)| Span::new(*start, at));
        let values: Vec<Span> = region.values.iter().copied().chain(cut).collect();
        let head = self.head(region, values.first().map_or(at, |span| span.start));
        let mut found = Contents::default();
        let mut before: Option<Span> = None;
        for span in &values {
            // Calls in Python below each other have each its own name.
            let own = before.filter(|_| self.buffer.byte(span.start) == Some(b'(')).map(|before| {
                self.buffer.piece(before.end, span.start).trim_matches(|c: char| c.is_whitespace() || c == ',')
            });
            self.read_value(region, own.or(head.as_deref()), *span, &mut found);
            before = Some(*span);
        }
        if values.is_empty() && end != End::Cut {
            found.calls.extend(self.without_arguments(region, head.as_deref()));
        }
        found
    }

    fn read_value(&self, region: &Region, head: Option<&str>, span: Span, found: &mut Contents) {
        let text = self.buffer.piece(span.start, span.end);
        if let Some(calls) = self.as_python(head, text) {
            found.calls.extend(calls);
            return;
        }
        if gemma::is_quoted(text) || text.starts_with('(') {
            if gemma::is_odd(text) {
                return;
            }
            // What is odd in this notation is its grammar, not damage.
            let one = json::read_one(&gemma::to_json(text), &self.options);
            found.calls.extend(one.value.into_iter().flat_map(|value| self.calls_of(region, head, value)));
            return;
        }
        let one = json::read_one(text, &self.options);
        let Some(value) = one.value.filter(|_| sure(&one.repairs)) else { return };
        found.calls.extend(self.calls_of(region, head, value));
        found.repairs.extend(one.repairs.into_iter().map(|mut repair| {
            repair.span = repair.span.shifted(span.start);
            repair
        }));
    }

    /// The value as the arguments of the call that the head names, or as calls with names of their own.
    fn calls_of(&self, region: &Region, head: Option<&str>, value: Value) -> Vec<Read> {
        let own = |value: Value| calls_in(value, region.trust, &self.tools, &self.options);
        let Some(raw) = head else { return own(value) };
        let named = self.tools.resolve(raw);
        if named.tool.is_none() {
            if !word::is_name(raw.trim()) || !word::is_name(&named.name) {
                return own(value);
            }
            // A name that is an argument (`{"name": "Bob"}`) is none of a call.
            let calls = if has_arguments(&value) { own(value.clone()) } else { Vec::new() };
            if !calls.is_empty() {
                return calls;
            }
        }
        let arguments = read_arguments(value, &self.options);
        let arguments = arguments.map(|found| self.tools.unwrap_arguments(named.tool, found));
        vec![Read { id: None, raw_name: raw.to_owned(), named, arguments }]
    }

    /// `[f(a=1)]`, or the head as the name and the value as its arguments in parentheses.
    pub(super) fn as_python(&self, head: Option<&str>, text: &str) -> Option<Vec<Read>> {
        let written = match head {
            Some(name) if text.starts_with('(') && !gemma::is_quoted(text) && !text.starts_with("({") => {
                let closing = if text.trim_end().ends_with(')') { "" } else { ")" };
                pythonic::read(&format!("{name}{text}{closing}"), &self.tools, &self.options)?
            }
            None if text.starts_with('[') && !text.get(1..)?.trim_start().starts_with(['{', '[', '"']) => {
                pythonic::read(text, &self.tools, &self.options)?
            }
            _ => return None,
        };
        let read = |call: pythonic::Written| {
            let named = self.tools.resolve(&call.name);
            Read { id: None, raw_name: call.name, named, arguments: call.arguments }
        };
        Some(written.into_iter().map(read).collect())
    }

    /// A call that names a tool and brings no arguments, closed by its marker.
    pub(super) fn without_arguments(&self, region: &Region, head: Option<&str>) -> Option<Read> {
        let head = head.filter(|_| !region.separators.is_empty() || region.name.is_some())?;
        let named = self.tools.resolve(head);
        named.tool?;
        Some(Read { id: None, raw_name: head.to_owned(), named, arguments: Some(Map::new()) })
    }

    /// The name before the value: the header's, or the first or last words between the separators.
    pub(super) fn head(&self, region: &Region, until: usize) -> Option<String> {
        if let Some(name) = &region.name {
            return Some(name.clone());
        }
        let mut parts = Vec::new();
        let mut from = region.body;
        for separator in &region.separators {
            parts.push(self.buffer.piece(from, separator.start));
            from = separator.end;
        }
        let last = self.buffer.piece(from, until).trim();
        let last = last.split(['\n', '`']).next().unwrap_or_default().trim();
        // The name stands first, unless a separator says where it is.
        let told = region
            .separators
            .iter()
            .position(|separator| self.buffer.piece(separator.start, separator.end).contains(":name"));
        let first = parts.get(told.map_or(0, |at| at + 1)).map(|part| part.trim()).unwrap_or_default();
        let name = if last.is_empty() { first } else { last };
        let name = name.strip_prefix("call:").unwrap_or(name).trim_start_matches(':').trim();
        let name = name.split('\n').next().unwrap_or_default().trim();
        (!name.is_empty() && !NO_NAMES.contains(&name)).then(|| name.to_owned())
    }
}

/// Words that stand where a name is and are none.
const NO_NAMES: &[&str] = &["function", "function call", "tool", "json", "tool_call", "functools"];
