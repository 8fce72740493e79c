//! The values in a whole answer: with words around them, in fences, several in a row, or in the model's reasoning.
//!
//! A bracket in prose begins a value only if what follows it looks like one; that look is bounded, and what was read as a
//! value is never read again. It never takes prose for a value.

use serde_json::Value;

use crate::parse::event::{ParseOptions, Repair, Span};

use super::Found;
use super::ahead::DASHES;
use super::around::ValuePosition;
use super::glyph::{self, is_quote};
use super::kind;
use super::reader::{Outcome, Reader};
use super::unescape::{self, Layer};

/// Goes over a text and collects the values in it.
pub(super) struct Scan<'a> {
    options: &'a ParseOptions,
    reader: Reader<'a>,
    found: Vec<Found>,
    fenced: bool,
    reasoning: bool,
    /// How many layers of escaping may still be taken off.
    layers: usize,
}

impl<'a> Scan<'a> {
    /// All values of `text`, and what was mended.
    pub(super) fn over(text: &'a str, options: &'a ParseOptions, layers: usize) -> (Vec<Found>, Vec<Repair>) {
        let reader = Reader::new(text, options);
        let mut scan = Self { options, reader, found: Vec::new(), fenced: false, reasoning: false, layers };
        scan.reader.cursor.at = scan.reader.cursor.after_blanks(0);
        if !scan.begins_with_value() {
            scan.containers();
        }
        if scan.found.is_empty() {
            scan.scalars();
        }
        (scan.found, scan.reader.cursor.repairs)
    }

    /// A text that begins with a string, a tuple, or members without braces.
    fn begins_with_value(&mut self) -> bool {
        let at = self.reader.cursor.at;
        let Some(token) = self.reader.cursor.token(at) else { return true };
        if token.byte == b'\\' && self.reader.cursor.byte(at + 1) == Some(b'"') {
            self.layer(Layer::Escapes);
            return true;
        }
        let wrapped = self.reader.cursor.wrapper(at, ValuePosition::Root).is_some();
        let code = token.byte == b'`' && matches!(self.reader.cursor.byte(at + 1), Some(b'`' | b'{' | b'['));
        if (!is_quote(token.byte) && !wrapped) || code {
            return false;
        }
        if self.reader.cursor.quoted_key_ahead(at) && self.reader.cursor.key_is_closed(at) {
            let outcome = self.reader.read_members(at);
            self.take(at, outcome);
            return false;
        }
        let before = self.reader.cursor.repairs.len();
        let outcome = self.reader.read(at);
        let rest = self.reader.cursor.text.get(outcome.end..).unwrap_or_default();
        let over = rest.chars().all(|c| glyph::is_blank(c) || matches!(c, ',' | ';' | '}' | ']' | ')'));
        let container = self.reader.cursor.slice(at, outcome.end).contains(['{', '[']);
        let taken = over && (outcome.complete || !container);
        if taken {
            self.take(at, outcome);
        } else {
            self.reader.cursor.repairs.truncate(before);
            self.reader.cursor.at = at;
        }
        taken
    }

    /// Every container in the text.
    fn containers(&mut self) {
        while let Some(step) =
            self.reader.cursor.text.as_bytes().get(self.reader.cursor.at..).and_then(|rest| rest.iter().position(stops))
        {
            self.reader.cursor.at += step;
            let at = self.reader.cursor.at;
            let Some(token) = self.reader.cursor.token(at) else { break };
            match token.byte {
                b'`' if self.reader.cursor.goes_on(at, "```") => self.fence(),
                b'<' => self.tag(),
                b'/' => self.comment(),
                b'{' | b'[' if let Some(layer) = self.marks_around(at) => self.layer(layer),
                b'{' | b'[' if self.is_plausible(at, token.byte, token.width) => self.container(at, token.width),
                b'(' if self.found.is_empty() && self.begins_line(at) && self.tuple_ahead(at + token.width) => {
                    self.container(at, token.width);
                }
                b'(' if self.found.is_empty() && self.is_array_of_php(at) => {
                    let start = at - ARRAY.len();
                    let outcome = self.reader.read(start);
                    self.take(start, outcome);
                }
                _ => self.reader.cursor.at += token.width,
            }
        }
    }

    /// The marks before this line and the next one, where a value of several lines begins.
    fn marks_around(&self, at: usize) -> Option<Layer> {
        if self.layers == 0 {
            return None;
        }
        let cursor = &self.reader.cursor;
        let text = cursor.text.get(..at)?.as_bytes();
        let indent =
            text.iter().rev().take(SHORT_INDENT).position(|b| *b == b'\n').unwrap_or(text.len().min(SHORT_INDENT));
        let (mark, count) = unescape::line_marks(cursor.slice(at - indent, at))?;
        let next = cursor.slice(cursor.line_end(at), cursor.text.len()).trim_start();
        next.starts_with(mark).then_some(Layer::Marks(mark, count))
    }

    fn container(&mut self, at: usize, width: usize) {
        let layer = self.layer_inside(at + width);
        if let Some(layer) = layer.filter(|_| self.layers > 0) {
            return self.layer(layer);
        }
        let outcome = self.reader.read(at);
        self.take(at, outcome);
    }

    /// What the first key or element after a few opening brackets was escaped for.
    fn layer_inside(&self, at: usize) -> Option<Layer> {
        let cursor = &self.reader.cursor;
        let mut inside = cursor.after_blanks(at);
        for _ in 0..FEW_OPENERS {
            match cursor.byte(inside)? {
                b'\\' if matches!(cursor.byte(inside + 1), Some(b'"' | b'\'' | b'n')) => return Some(Layer::Escapes),
                b'&' if unescape::is_quote_entity(cursor.text.get(inside..)?) => return Some(Layer::Entities),
                b'{' | b'[' => inside = cursor.after_blanks(inside + 1),
                _ => return None,
            }
        }
        None
    }

    /// Takes one layer of escaping off the rest of the text, and reads that.
    fn layer(&mut self, layer: Layer) {
        let at = self.reader.cursor.at;
        let end = self.reader.cursor.text.len();
        self.reader.cursor.at = end;
        if self.layers == 0 {
            return;
        }
        let plain = unescape::without(layer, self.reader.cursor.slice(at, end));
        let (found, repairs) = Scan::over(&plain, self.options, self.layers - 1);
        let span = Span::new(at, end);
        let kind = match layer {
            Layer::Escapes => &kind::STRINGIFIED,
            Layer::Entities => &kind::ENTITIES,
            Layer::Marks(..) => &kind::LINE_MARKS,
        };
        self.reader.cursor.mend(kind, span, "");
        let (fenced, reasoning) = (self.fenced, self.reasoning);
        let placed = |found: Found| Found {
            span,
            fenced: found.fenced || fenced,
            reasoning: found.reasoning || reasoning,
            ..found
        };
        self.found.extend(found.into_iter().map(placed));
        self.reader.cursor.repairs.extend(repairs.into_iter().map(|repair| Repair { span, ..repair }));
    }

    fn take(&mut self, at: usize, outcome: Outcome) {
        self.reader.cursor.at = outcome.end.max(at + 1);
        while !self.reader.cursor.text.is_char_boundary(self.reader.cursor.at) {
            self.reader.cursor.at += 1;
        }
        if let Some(value) = outcome.value {
            let span = Span::new(at, outcome.end);
            let (fenced, reasoning) = (self.fenced, self.reasoning);
            self.found.push(Found { value, span, complete: outcome.complete, fenced, reasoning });
            self.stray_closers();
        }
    }

    /// Goes over closing brackets that follow a value and close nothing.
    fn stray_closers(&mut self) {
        let cursor = &mut self.reader.cursor;
        let (mut next, mut end) = (cursor.after_blanks(cursor.at), cursor.at);
        while let Some(token) = cursor.token(next).filter(|t| matches!(t.byte, b'}' | b']')) {
            end = next + token.width;
            next = cursor.after_blanks(end);
        }
        if end > cursor.at {
            cursor.mend(&kind::STRAY_CLOSER, Span::new(cursor.at, end), "");
            cursor.at = end;
        }
    }

    /// Opens or closes a fenced block.
    fn fence(&mut self) {
        let at = self.reader.cursor.at;
        let mut end = at;
        while self.reader.cursor.byte(end) == Some(b'`') {
            end += 1;
        }
        self.reader.cursor.at = end;
        self.fenced = !self.fenced;
        if !self.fenced {
            return;
        }
        self.reader.cursor.mend(&kind::FENCE, Span::new(at, end), "");
        let word = self.reader.cursor.word_end(end);
        let language = self.reader.cursor.slice(end, word);
        let start = self.reader.cursor.after_blanks(word);
        let known = language.is_empty() || language.starts_with("json") || language == "yaml" || language == "yml";
        let line =
            self.reader.cursor.text.as_bytes().get(start..self.reader.cursor.line_end(start)).unwrap_or_default();
        let colon = line.iter().take(LONG_LINK).any(|b| matches!(b, b':' | 0xef));
        if known && colon && self.members_ahead(start) {
            let outcome = self.reader.read_members(start);
            self.take(start, outcome);
        } else if known || !language.contains('.') {
            self.reader.cursor.at = word;
        }
    }

    fn members_ahead(&mut self, at: usize) -> bool {
        let Some(token) = self.reader.cursor.token(at) else { return false };
        if is_quote(token.byte) { self.reader.cursor.key_is_closed(at) } else { self.reader.cursor.bare_key_ahead(at) }
    }

    /// Enters or leaves the model's reasoning.
    fn tag(&mut self) {
        let at = self.reader.cursor.at;
        let closing = self.reader.cursor.byte(at + 1) == Some(b'/');
        let name = at + 1 + usize::from(closing);
        let end = self.reader.cursor.word_end(name);
        let word = self.reader.cursor.slice(name, end);
        self.reader.cursor.at = at + 1;
        if self.reader.cursor.byte(end) != Some(b'>') || !REASONING.iter().any(|tag| word.eq_ignore_ascii_case(tag)) {
            return;
        }
        self.reader.cursor.at = end + 1;
        if closing && !self.reasoning {
            // The opening tag was part of the prompt.
            for found in &mut self.found {
                found.reasoning = true;
            }
        }
        self.reasoning = !closing;
        self.fenced = false;
    }

    fn comment(&mut self) {
        let at = self.reader.cursor.at;
        let line = self.reader.cursor.byte(at + 1) == Some(b'/') && self.begins_line(at);
        let block = self.reader.cursor.byte(at + 1) == Some(b'*');
        self.reader.cursor.at = if line || block { self.reader.cursor.after_blanks(at).max(at + 1) } else { at + 1 };
    }

    /// Whether only blanks come before a place on its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.reader.cursor.text.as_bytes().get(at.saturating_sub(SHORT_INDENT)..at).unwrap_or_default();
        let blank = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        blank == before.len() && before.len() < SHORT_INDENT
            || before.len().checked_sub(blank + 1).is_some_and(|i| before.get(i) == Some(&b'\n'))
    }

    /// Whether what follows an opening bracket looks like a value and not like prose.
    fn is_plausible(&mut self, at: usize, byte: u8, width: usize) -> bool {
        let first = self.found.is_empty() && self.begins_line(at);
        let next = self.reader.cursor.after_blanks(at + width);
        let Some(token) = self.reader.cursor.token(next) else { return first || self.begins_line(at) };
        match (byte, token.byte) {
            (b'[', b'`') | (b'{', b'`') => false,
            (_, inner) if is_quote(inner) => true,
            (_, b'{' | b'[' | b',' | b'\\' | b'.' | b'&') => true,
            (b'{', b'}') => true,
            (b'{', b'-') if self.reader.cursor.goes_on(next, DASHES) => true,
            (b'[', b']') => !matches!(self.reader.cursor.byte(at.wrapping_sub(2)), Some(b'-' | b'*')) || first,
            (b'[', b'0'..=b'9' | b'-' | b'+' | b'(') => true,
            (b'{', b'0'..=b'9') => self.reader.cursor.bare_key_ahead(next) || first,
            (b'{', _) if self.reader.cursor.bare_key_ahead(next) => true,
            (_, b'a'..=b'z' | b'A'..=b'Z') if self.reader.cursor.prefixed(next).is_some() => true,
            (b'[', _) if self.reader.cursor.literal_ahead(next) => true,
            (b'[', _) => first && !self.is_link(next),
            _ => first,
        }
    }

    /// Whether a link or a mark of Markdown stands here: `[words](…`, `[x]`.
    fn is_link(&self, at: usize) -> bool {
        let rest = self.reader.cursor.text.as_bytes().get(at..).unwrap_or_default();
        let close = rest.iter().take(LONG_LINK).position(|b| matches!(b, b']' | b'\n' | b','));
        close.is_some_and(|i| rest.get(i) == Some(&b']') && !rest.get(i + 1).is_none_or(|b| glyph::is_plain_blank(*b)))
    }

    /// Whether an array of PHP that something is set to begins here: `$x = array(`.
    fn is_array_of_php(&self, at: usize) -> bool {
        let before = self.reader.cursor.slice(at.saturating_sub(SHORT_INDENT), at).strip_suffix(ARRAY);
        before.is_some_and(|before| before.trim_end().ends_with(['=', '>']) || before.ends_with("return "))
    }

    fn tuple_ahead(&self, at: usize) -> bool {
        let next = self.reader.cursor.after_blanks(at);
        self.reader
            .cursor
            .token(next)
            .is_some_and(|t| is_quote(t.byte) || matches!(t.byte, b'0'..=b'9' | b'{' | b'[' | b'('))
    }

    /// Values that are no containers, alone or one after the other.
    fn scalars(&mut self) {
        let mut at = self.reader.cursor.after_blanks(0);
        let mut found = Vec::new();
        while self.reader.cursor.token(at).is_some() && !self.reader.cursor.goes_on(at, "```") {
            let before = self.reader.cursor.repairs.len();
            let outcome = self.reader.read(at);
            let repairs = self.reader.cursor.repairs.get(before..).unwrap_or_default();
            let bare = repairs.iter().any(|repair| repair.kind == &kind::UNQUOTED_TEXT);
            let next = self.reader.cursor.after_blanks(outcome.end);
            let separated =
                self.reader.cursor.token(next).is_none_or(|t| {
                    matches!(t.byte, b',' | b';' | b'`') || self.reader.cursor.breaks(outcome.end, next)
                });
            let over = self.reader.cursor.token(next).is_some_and(|t| t.byte == b']') && !found.is_empty();
            let Some(value) = outcome.value.filter(|_| !bare && (separated || over) && outcome.end > at) else {
                return self.reader.cursor.repairs.truncate(before);
            };
            // A number or a literal at the end of the text may well be all of it.
            let complete = outcome.complete || !value.is_string();
            found.push(Found { value, span: Span::new(at, outcome.end), complete, fenced: false, reasoning: false });
            if over && self.reader.cursor.after_blanks(next + 1) == self.reader.cursor.text.len() {
                self.reader.cursor.mend(&kind::STRAY_CLOSER, Span::new(next, next + 1), "");
                break;
            }
            let comma = self.reader.cursor.token(next).is_some_and(|t| matches!(t.byte, b',' | b';'));
            at = if comma { self.reader.cursor.after_blanks(next + 1) } else { next };
        }
        self.found = found;
    }
}

/// The places in `found` of the values that the answer consists of, in order.
pub(super) fn choose(text: &str, found: &[Found]) -> Vec<usize> {
    let outside = found.iter().any(|found| !found.reasoning);
    let mut chosen: Vec<(usize, &Found)> = found.iter().enumerate().filter(|(_, f)| !outside || !f.reasoning).collect();
    if chosen.iter().any(|(_, found)| found.fenced) {
        chosen.retain(|(_, found)| found.fenced);
    } else if chosen.len() > 1 {
        let before = |index: usize| index.checked_sub(1).and_then(|index| found.get(index)).map_or(0, |f| f.span.end);
        let is_major = |(index, found): &(usize, &Found)| !is_minor(text, before(*index), found);
        if chosen.iter().any(is_major) {
            chosen.retain(is_major);
        }
    }
    chosen.into_iter().map(|(index, _)| index).collect()
}

/// Tells how the answer was chosen.
pub(super) fn tell(text: &str, found: &[Found], chosen: &[usize], repairs: &mut Vec<Repair>) {
    let at = |index: Option<&usize>| index.and_then(|index| found.get(*index));
    let (Some(first), Some(last)) = (at(chosen.first()), at(chosen.last())) else { return };
    let span = Span::new(first.span.start, last.span.end);
    if first.reasoning {
        repairs.push(Repair::new(&kind::REASONING, span, "", ""));
    }
    if chosen.len() > 1 {
        repairs.push(Repair::new(&kind::SEVERAL, span, "", ""));
    }
    let words = |text: Option<&str>| text.unwrap_or_default().contains(char::is_alphanumeric);
    if !first.fenced && (words(text.get(..span.start)) || words(text.get(span.end..))) {
        repairs.push(Repair::new(&kind::PROSE, span, "", ""));
    }
}

/// One value is itself, several are an array.
pub(super) fn join_values(mut values: Vec<Value>) -> Option<Value> {
    match values.len() {
        0 | 1 => values.pop(),
        _ => Some(Value::Array(values)),
    }
}

/// Whether a value in the middle of a line, with words between the value before and it, is one that prose has anyway: `[1]`, `{}`.
fn is_minor(text: &str, after: usize, found: &Found) -> bool {
    let before = text
        .as_bytes()
        .get(after.max(found.span.start.saturating_sub(LONG_LINK))..found.span.start)
        .unwrap_or_default();
    let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    let inline = line.iter().any(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    let small = match &found.value {
        Value::Array(elements) => elements.iter().all(|element| !element.is_object() && !element.is_array()),
        Value::Object(members) => members.is_empty(),
        _ => true,
    };
    inline && small
}

/// Bytes at which a value, a fence, a tag or a comment may begin. The last three begin full-width brackets.
fn stops(byte: &u8) -> bool {
    matches!(byte, b'{' | b'[' | b'(' | b'`' | b'<' | b'/' | 0xe3 | 0xef)
}

/// The tags around a model's reasoning.
const REASONING: &[&str] =
    &["think", "thinking", "thought", "thoughts", "reasoning", "reason", "reflection", "scratchpad", "analysis"];

/// What an array of PHP begins with.
const ARRAY: &str = "array";

/// How many opening brackets may be before a key that is escaped.
const FEW_OPENERS: usize = 4;

/// The deepest indentation that is looked at before a bracket.
const SHORT_INDENT: usize = 64;

/// The longest text of a link, and how much of a line is looked at before a value.
const LONG_LINK: usize = 200;
