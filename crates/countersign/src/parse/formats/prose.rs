//! What begins where prose stops: a token, a tag, a bare call, a fence, a quotation.

use super::buffer::bytes;
use super::header::Header;
use super::payload::{Trust, is_call_key};
use super::pythonic::is_name;
use super::region::{Closer, Region};
use super::repairs::{STRAY_CLOSING, UNOPENED_REASONING};
use super::table::Way;
use super::tag::{MARK, Means, Tag, TagLex, Wanted};
use super::token::{self, Role};
use super::xml::Xml;
use super::{Flow, FormatEngine, State};
use crate::parse::event::{Event, Kind, Repair, Span};
use crate::parse::markup::Input;

/// What to do at a place.
enum Step {
    /// So many bytes are prose.
    Prose(usize),
    /// It cannot be said yet.
    Wait,
    /// So many bytes are structure that says nothing.
    Markup(usize),
    /// A state begins here.
    Enter(State),
}

/// Whether a text begins like a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Like {
    Yes,
    No,
    NeedMore,
}

impl FormatEngine {
    /// Gives out prose up to the next thing that begins.
    pub(super) fn prose(&mut self, out: &mut Vec<Event>) -> Flow {
        loop {
            let Some(at) = self.next_trigger() else {
                let end = self.buffer.end();
                self.flush(end, out);
                self.buffer.scan = end;
                return Flow::Wait;
            };
            match self.step(at, out) {
                Step::Wait if self.input == Input::Open => {
                    self.flush(at, out);
                    self.buffer.scan = at;
                    return Flow::Wait;
                }
                Step::Wait => self.buffer.scan = at + self.buffer.character(at),
                Step::Prose(len) => self.buffer.scan = at + len,
                Step::Markup(len) => {
                    self.flush(at, out);
                    self.markup(at + len, out);
                }
                Step::Enter(state) => {
                    self.flush(at, out);
                    self.buffer.scan = at;
                    self.state = state;
                    return Flow::Again;
                }
            }
        }
    }

    fn next_trigger(&self) -> Option<usize> {
        let from = self.buffer.scan;
        // A template may have written the first token of a header, so the output begins inside it.
        if from == 0 && self.buffer.from(0).starts_with(['t', ' ']) && self.allows(Way::Header) {
            return Some(0);
        }
        self.buffer.find(from, if self.quoted { &QUOTED } else { &TRIGGERS })
    }

    fn step(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        match self.buffer.byte(at) {
            Some(b'\n') => {
                self.quoted = false;
                Step::Prose(1)
            }
            Some(b'`') => self.backticks(at),
            Some(b'<' | b'[') => match token::lex(self.buffer.from(at)) {
                token::Lexed::NeedMore => Step::Wait,
                token::Lexed::Token(role, len) => self.token(role, at, len, out),
                token::Lexed::Not => self.bracket(at, out),
            },
            Some(b'{') => self.bare(at, out),
            Some(b'f') => self.word(at, "functools[", b"functools".len()),
            Some(b't' | b' ') => self.recipient(at),
            Some(b'&' | b']' | 0xEF | 0xE3) => self.tag(at, out),
            _ => Step::Prose(1),
        }
    }

    /// One or two backticks quote up to the next ones on the line, three or more fence.
    fn backticks(&mut self, at: usize) -> Step {
        let run = self.buffer.from(at).bytes().take(LONGEST_FENCE).take_while(|byte| *byte == b'`').count();
        if at + run == self.buffer.end() && self.input == Input::Open && run < LONGEST_FENCE {
            return Step::Wait;
        }
        if run < 3 {
            self.quoted = !self.quoted && !self.fenced;
        } else if !self.quoted {
            self.fenced = !self.fenced;
        }
        Step::Prose(run)
    }

    fn token(&mut self, role: Role, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        if self.verbatim && !matches!(role, Role::Header | Role::MessageEnd) {
            return Step::Prose(len);
        }
        match role {
            Role::CallOpen if self.allows(Way::Token) => Step::Enter(State::Region(Box::new(Region::new(
                at,
                at + len,
                Closer::Token,
                Trust::Marked,
                self.place(),
            )))),
            Role::Header if self.allows(Way::Header) => self.message(at, len),
            Role::ThinkOpen => self.think(at, len, out),
            Role::ThinkClose => self.stop_thinking(at, len, out),
            Role::Body | Role::MessageEnd => {
                self.verbatim = false;
                self.flush(at, out);
                self.reasoning = None;
                Step::Markup(len)
            }
            Role::CallClose => {
                self.stray(at, len, out);
                Step::Markup(len)
            }
            Role::Noise | Role::Separator => Step::Markup(len),
            Role::CallOpen | Role::Header => Step::Prose(len),
        }
    }

    /// A header inside a message for a person is quoted, unless the message before it ended.
    fn message(&mut self, at: usize, len: usize) -> Step {
        if self.verbatim {
            return Step::Prose(len);
        }
        Step::Enter(State::Header(Header::new(at, at + len)))
    }

    fn think(&mut self, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        self.flush(at, out);
        self.reasoning.get_or_insert(at);
        Step::Markup(len)
    }

    fn stop_thinking(&mut self, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        self.flush(at, out);
        if self.reasoning.take().is_none() {
            self.repair(&UNOPENED_REASONING, at, at + len, out);
        }
        Step::Markup(len)
    }

    fn stray(&mut self, at: usize, len: usize, out: &mut Vec<Event>) {
        self.flush(at, out);
        self.repair(&STRAY_CLOSING, at, at + len, out);
    }

    /// Reports a mend of what stands between `start` and `end`.
    pub(super) fn repair(&self, kind: &'static Kind, start: usize, end: usize, out: &mut Vec<Event>) {
        let before = self.buffer.piece(start, end);
        out.push(Event::Repair(Repair::new(kind, Span::new(start, end), before, "")));
    }

    fn bracket(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.buffer.byte(at) == Some(b'[') { self.bare(at, out) } else { self.tag(at, out) }
    }

    fn bare(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.verbatim {
            return Step::Prose(1);
        }
        if self.tools.is_empty() {
            // Whether anything was said before matters now.
            self.flush(at, out);
        }
        let text = self.buffer.from(at);
        match self.like_a_call(text) {
            Like::No => Step::Prose(1),
            Like::NeedMore => Step::Wait,
            Like::Yes => {
                Step::Enter(State::Region(Box::new(Region::new(at, at, Closer::Balance, Trust::Bare, self.place()))))
            }
        }
    }

    /// `{"name":`, `[{"name":`, `[get_weather(`.
    fn like_a_call(&self, text: &str) -> Like {
        let after = text.get(1..).unwrap_or_default();
        let inner = after.trim_start();
        match (text.starts_with('['), inner.chars().next()) {
            _ if after.len() - inner.len() > MOST_BLANKS => Like::No,
            (_, None) => Like::NeedMore,
            (true, Some('{')) if self.allows(Way::Bare) => like_an_object(inner.get(1..).unwrap_or_default()),
            (true, Some(c)) if self.allows(Way::Python) && (c.is_alphabetic() || c == '_') => self.like_python(inner),
            (false, Some(_)) if self.allows(Way::Bare) => like_an_object(after),
            _ => Like::No,
        }
    }

    fn like_python(&self, inner: &str) -> Like {
        let end = inner.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')));
        let Some(end) = end else {
            return if inner.len() > LONGEST_NAME { Like::No } else { Like::NeedMore };
        };
        if end > LONGEST_NAME {
            return Like::No;
        }
        let (name, rest) = inner.split_at(end);
        let known = self.tools.is_empty() || self.tools.resolve(name).tool.is_some();
        let alone = !self.tools.is_empty() || !self.said;
        if rest.starts_with('(') && is_name(name) && known && alone { Like::Yes } else { Like::No }
    }

    /// A word that begins a call; the region begins at `skip` bytes behind it.
    fn word(&self, at: usize, word: &'static str, skip: usize) -> Step {
        let text = self.buffer.from(at);
        let starts = self.buffer.before(at).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        if !starts || self.verbatim || !self.allows(Way::Token) {
            return Step::Prose(1);
        }
        if text.starts_with(word) {
            let region = Region::new(at, at + skip, Closer::Balance, Trust::Marked, self.place());
            return Step::Enter(State::Region(Box::new(region)));
        }
        if word.starts_with(text) { Step::Wait } else { Step::Prose(1) }
    }

    /// A header whose first token the template has written: ` to=functions.x<|channel|>…`, ` to=self<|message|>…`.
    fn recipient(&self, at: usize) -> Step {
        let text = self.buffer.from(at);
        let begins = ["to=", " to="].iter().any(|start| text.starts_with(start));
        if !begins {
            let may = ["to=", " to="].iter().any(|start| start.starts_with(text));
            return if may { Step::Wait } else { Step::Prose(1) };
        }
        match text.as_bytes().windows(2).take(LONGEST_NAME).position(|pair| pair == b"<|") {
            Some(_) => Step::Enter(State::Header(Header::new(at, at))),
            None if text.len() > LONGEST_NAME => Step::Prose(1),
            None => Step::Wait,
        }
    }

    fn tag(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.verbatim {
            return Step::Prose(self.buffer.character(at));
        }
        let text = self.buffer.from(at);
        if text.starts_with(']') && !text.starts_with(MARK) {
            return if MARK.starts_with(text) { Step::Wait } else { Step::Prose(1) };
        }
        match self.lexicon.read(text, at, self.input, Wanted::Tools, &self.tools) {
            TagLex::Not => Step::Prose(self.buffer.character(at)),
            TagLex::NeedMore => Step::Wait,
            TagLex::Tag(tag) => self.known_tag(*tag, at, out),
        }
    }

    fn known_tag(&mut self, tag: Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let len = tag.len;
        let prose = Step::Prose(self.buffer.character(at));
        match (tag.means, tag.candidate.closing) {
            (Means::Think, false) if tag.misspelt == 0 => self.think(at, len, out),
            (Means::Think, true) if tag.misspelt == 0 => self.stop_thinking(at, len, out),
            (Means::Wrapper | Means::Call | Means::Parameter | Means::Value | Means::Tool(_), true)
                if self.allows(Way::Tag) && tag.misspelt == 0 && (self.calls > 0 || tag.means == Means::Wrapper) =>
            {
                self.stray(at, len, out);
                Step::Markup(len)
            }
            (Means::Wrapper, false) if self.allows(Way::Tag) => {
                Step::Enter(State::Xml(Box::new(Xml::wrapped(at, &tag))))
            }
            (Means::Call, false) if self.allows(Way::Tag) => match self.opens_call(&tag) {
                Some(xml) => Step::Enter(State::Xml(Box::new(xml.begin(at)))),
                None => prose,
            },
            (Means::Tool(tool), false) if self.allows(Way::ToolTag) => {
                Step::Enter(State::Xml(Box::new(Xml::maybe_tool(at, &tag, tool))))
            }
            _ => prose,
        }
    }

    /// Whether the format allows a way of writing.
    pub(super) fn allows(&self, way: Way) -> bool {
        self.format.is_none_or(|format| format.uses(way))
    }
}

/// What follows an opening brace: blanks and a key with which a call may begin.
fn like_an_object(text: &str) -> Like {
    let inner = text.trim_start();
    if text.len() - inner.len() > MOST_BLANKS {
        return Like::No;
    }
    let Some(first) = inner.chars().next() else { return Like::NeedMore };
    let quote = matches!(first, '"' | '\'' | '“');
    let key = if quote { inner.get(first.len_utf8()..).unwrap_or_default() } else { inner };
    let end = key.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    match end {
        None if key.len() > LONGEST_KEY => Like::No,
        None => Like::NeedMore,
        Some(end) if end > LONGEST_KEY => Like::No,
        Some(end) => {
            let rest = key.get(end..).unwrap_or_default();
            let closed = !quote || rest.starts_with(['"', '\'', '”']);
            let key = key.get(..end).unwrap_or_default();
            if closed && is_call_key(key) { Like::Yes } else { Like::No }
        }
    }
}

/// Where prose may stop.
const TRIGGERS: [bool; 256] = bytes(b"<[{`\n&]f\xEF\xE3");
/// Where a quotation may stop.
const QUOTED: [bool; 256] = bytes(b"`\n");
/// The longest key with which a call may begin.
const LONGEST_KEY: usize = 24;
/// The longest name for which a bare call is waited.
const LONGEST_NAME: usize = 128;
/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;
/// More backticks than this are not counted before they are given out.
const LONGEST_FENCE: usize = 16;
