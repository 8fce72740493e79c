//! What begins where prose stops: a token, a tag, a bare call, a fence, a quotation.

use super::buffer::bytes;
use super::header::Header;
use super::hold::Settled;
use super::line::{Line, Opener, Reading, Standing};
use super::payload::{Trust, is_call_key};
use super::quoting;
use super::region::{Closer, Region};
use super::repairs::{STRAY_CLOSING, UNOPENED_REASONING};
use super::step::Step;
use super::table::Way;
use super::tag::{MARK, Means, Tag, TagLex, Wanted};
use super::token::{self, Role};
use super::word::is_name;
use super::xml::Xml;
use super::{Flow, FormatEngine, State};
use crate::parse::event::{Elsewhere, Event, Kind, Repair, Span};
use crate::parse::markup::Input;

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
            let next = self.next_trigger();
            let holds = self.hold.standing().is_some();
            if holds && self.settle(next.unwrap_or(self.buffer.end())) == Settled::Yes {
                return Flow::Again;
            }
            let flow = match next {
                Some(at) => self.take_step(at, out),
                None => self.nothing_begins(out),
            };
            match flow {
                Some(flow) => return flow,
                None if holds && self.hold.standing().is_none() => return Flow::Again,
                None => {}
            }
        }
    }

    fn nothing_begins(&mut self, out: &mut Vec<Event>) -> Option<Flow> {
        match self.hold.standing() {
            None => {
                let end = self.buffer.end();
                self.flush(end, out);
                self.buffer.scan = end;
            }
            Some(_) if self.input == Input::Ended => {
                self.hold.keep();
                return Some(Flow::Again);
            }
            Some(_) => {}
        }
        Some(Flow::Wait)
    }

    /// Does what is to be done at `at`; none where prose goes on.
    fn take_step(&mut self, at: usize, out: &mut Vec<Event>) -> Option<Flow> {
        match self.step(at, out) {
            Step::Wait if self.input == Input::Open => {
                self.flush(at, out);
                self.buffer.scan = at;
                return Some(Flow::Wait);
            }
            Step::Wait => self.prose_at(at, self.buffer.character(at)),
            Step::Prose(len) => self.prose_at(at, len),
            Step::LineBreak => self.line_break(at),
            Step::Boundary(len) => {
                self.flush(at, out);
                self.markup(at + len, out);
                self.line.restart(at + len);
                self.hold.keep();
            }
            Step::Marker(..) if self.holds_back(Opener::Own, at, out) => return Some(Flow::Again),
            Step::Enter(_, opener) if self.holds_back(opener, at, out) => return Some(Flow::Again),
            Step::Marker(len, mended) => {
                self.flush(at, out);
                mended.iter().for_each(|kind| self.repair(kind, at, at + len, out));
                self.markup(at + len, out);
            }
            Step::Enter(state, _) => {
                self.flush(at, out);
                self.buffer.scan = at;
                self.state = state;
                return Some(Flow::Again);
            }
        }
        None
    }

    fn prose_at(&mut self, at: usize, len: usize) {
        self.buffer.scan = at + len;
        if self.hold.standing().is_some() {
            self.words_follow(at);
        }
    }

    fn line_break(&mut self, at: usize) {
        self.read_line(at);
        self.line.line_break(at);
        self.line_ends();
        self.read_line(at + 1);
        self.buffer.scan = at + 1;
    }

    /// Whether what begins at `at` has to be looked at again, because something is held from here on or no longer.
    fn holds_back(&mut self, opener: Opener, at: usize, out: &mut Vec<Event>) -> bool {
        match self.hold.standing() {
            None => {
                let standing = self.standing(opener, at);
                self.flush(at, out);
                self.hold(standing, at);
                self.buffer.scan = at;
                standing != Standing::Free
            }
            Some(standing) => !self.goes_on_holding(standing, opener, at),
        }
    }

    fn next_trigger(&self) -> Option<usize> {
        let from = self.buffer.scan;
        // A template may have written the first token of a header, so the output begins inside it.
        if from == 0 && self.buffer.from(0).starts_with(['t', ' ']) && self.allows(Way::Header) {
            return Some(0);
        }
        if self.line.at == from && self.line.is_fresh() && self.may_name(from) {
            return Some(from);
        }
        let triggers = if self.line.element() == Some(quoting::COMMENT) { &IN_COMMENT } else { &TRIGGERS };
        self.buffer.find(from, triggers)
    }

    fn step(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.line.at == at
            && self.line.is_fresh()
            && let Some(step) = self.named_line(at)
        {
            return step;
        }
        match self.buffer.byte(at) {
            Some(b'\n') => Step::LineBreak,
            Some(mark @ (b'`' | b'~')) => self.fence_or_code(mark, at, out),
            Some(0xE2) => self.thought_or_quotation(at, out),
            Some(b'"' | 0xC2) => self.quotation_mark(at),
            Some(b'<' | b'[') => match token::lex(self.buffer.from(at)) {
                token::Lexed::NeedMore => Step::Wait,
                token::Lexed::Token(role, len) => self.token(role, at, len, out),
                token::Lexed::Not => match self.quoting_element(at) {
                    Some(step) => step,
                    None => self.bracket(at, out),
                },
            },
            Some(b'-') => self.comment_end(at),
            Some(b'{') => self.bare(at, out),
            Some(b'f') => self.word(at, "functools[", b"functools".len()),
            Some(b't' | b' ') => self.recipient(at),
            Some(0xE3 | 0xEF) if self.buffer.from(at).starts_with(Line::is_mark) => self.quotation_mark(at),
            Some(0xE3 | 0xEF) if !self.buffer.from(at).starts_with(['＜', '﹤', '〈']) => Step::Prose(3),
            Some(b'&' | b']' | 0xE3 | 0xEF) => self.tag(at, out),
            _ => Step::Prose(1),
        }
    }

    /// One or two backticks quote up to the next ones, three or more fence.
    fn fence_or_code(&mut self, mark: u8, at: usize, out: &mut Vec<Event>) -> Step {
        let text = self.buffer.from(at);
        let run = text.bytes().take(LONGEST_FENCE).take_while(|byte| *byte == mark).count();
        let next = text.get(run..).and_then(|rest| rest.chars().next());
        if next.is_none() && self.input == Input::Open && run < LONGEST_FENCE {
            return Step::Wait;
        }
        if self.reasoning.is_some() {
            return Step::Prose(run);
        }
        self.read_line(at);
        if run >= 3 {
            let reading = self.fence_reading(at, out);
            self.line.fence_mark(mark, run, next, reading);
        } else if mark == b'`' {
            self.line.inline_code(run, at);
        }
        Step::Prose(run)
    }

    /// A fence after words is an example. One that is the whole answer may be how the model writes its calls.
    fn fence_reading(&mut self, at: usize, out: &mut Vec<Event>) -> Reading {
        if self.options.elsewhere == Elsewhere::Text {
            return Reading::Text;
        }
        self.flush(at, out);
        if self.said.only_label() { Reading::Calls } else { Reading::Text }
    }

    /// Kimi's marks around a thought, else a quotation mark.
    fn thought_or_quotation(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        let text = self.buffer.from(at);
        for (mark, opens) in [("◁think▷", true), ("◁/think▷", false)] {
            if text.starts_with(mark) && !self.is_quoted() {
                let len = mark.len();
                return if opens { self.think(at, len, out) } else { self.stop_thinking(at, len, out) };
            }
            if mark.starts_with(text) && text.starts_with('◁') {
                return Step::Wait;
            }
        }
        self.quotation_mark(at)
    }

    fn quotation_mark(&mut self, at: usize) -> Step {
        let mark = self.buffer.from(at).chars().next().unwrap_or_default();
        if self.reasoning.is_none() && Line::is_mark(mark) {
            self.line.quotation_mark(mark, self.buffer.before(at), at);
        }
        Step::Prose(mark.len_utf8())
    }

    /// Whether calls are not looked for: in a thought or in a fence that is an example.
    fn ignores_calls(&self) -> bool {
        match self.reasoning {
            Some(_) => self.options.elsewhere == Elsewhere::Text,
            None => self.line.fence() == Some(Reading::Text),
        }
    }

    /// Whether what is here is quoted, so that it ends and begins nothing.
    fn is_quoted(&self) -> bool {
        self.reasoning.is_none() && (self.line.is_quoted() || self.line.fence() == Some(Reading::Text))
    }

    fn token(&mut self, role: Role, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        if self.verbatim && !matches!(role, Role::Header | Role::MessageEnd) {
            return Step::Prose(len);
        }
        match role {
            Role::ThinkOpen | Role::ThinkClose | Role::Body | Role::MessageEnd | Role::MessageStart
                if self.is_quoted() =>
            {
                Step::Prose(len)
            }
            Role::ThinkClose => self.stop_thinking(at, len, out),
            Role::ThinkOpen => self.think(at, len, out),
            Role::Body | Role::MessageEnd => {
                self.verbatim = false;
                self.flush(at, out);
                self.reasoning = None;
                Step::Boundary(len)
            }
            Role::MessageStart => self.message_start(at, len),
            // A thought that a tag began is not ended by a header that it speaks of.
            Role::Header if self.reasoning.is_some() && !self.channel => Step::Prose(len),
            Role::Header if self.reasoning.is_some() && self.allows(Way::Header) => self.message(at, len),
            _ if self.ignores_calls() => Step::Prose(len),
            Role::CallOpen if self.allows(Way::Token) => {
                let region = Region::new(at, at + len, Closer::Token, Trust::Marked, self.place());
                Step::Enter(State::Region(Box::new(region)), Opener::Own)
            }
            Role::Header if self.allows(Way::Header) => self.message(at, len),
            Role::CallClose => Step::Marker(len, Some(&STRAY_CLOSING)),
            Role::SectionOpen | Role::SectionClose | Role::Noise | Role::Separator => Step::Marker(len, None),
            Role::CallOpen | Role::Header => Step::Prose(len),
        }
    }

    /// A header inside a message for a person is quoted, unless the message before it ended.
    fn message(&mut self, at: usize, len: usize) -> Step {
        if self.verbatim {
            return Step::Prose(len);
        }
        Step::Enter(State::Header(Header::new(at, at + len)), Opener::Own)
    }

    /// What follows the beginning of a message: the name of the tool that is called next (`<|message_model|>weather`), or
    /// the role in which a call is made (`<|message_sep|>function call<|role_sep|>`).
    fn message_start(&mut self, at: usize, len: usize) -> Step {
        let rest = self.buffer.from(at + len);
        let piece = rest.get(..rest.floor_char_boundary(LONGEST_NAME)).unwrap_or(rest);
        let Some(open) = piece.find('<') else {
            let may = piece.len() == rest.len() && self.input == Input::Open;
            return if may { Step::Wait } else { Step::Boundary(len) };
        };
        let word = piece.get(..open).unwrap_or_default().trim();
        match token::lex(rest.get(open..).unwrap_or_default()) {
            token::Lexed::NeedMore if self.input == Input::Open => Step::Wait,
            token::Lexed::Token(Role::CallOpen, _) if is_name(word) => Step::Boundary(len + open),
            token::Lexed::Token(Role::Separator, separator) if word == "function call" && self.allows(Way::Token) => {
                let body = at + len + open + separator;
                let region = Region::new(at, body, Closer::Token, Trust::Marked, self.place());
                Step::Enter(State::Region(Box::new(region)), Opener::Own)
            }
            _ => Step::Boundary(len),
        }
    }

    /// A thought begins, unless the words around speak of its tag.
    fn think(&mut self, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        self.read_line(at);
        if self.reasoning.is_none() && self.line.fence().is_none() {
            let next = self.buffer.from(at + len).chars().next();
            match (self.line.standing(Opener::Own), next) {
                (Standing::Mention, _) => return Step::Prose(len),
                (Standing::InSentence, None) if self.input == Input::Open => return Step::Wait,
                // The sentence goes on behind the tag.
                (Standing::InSentence, Some(' ' | ',' | '.' | ';' | ':' | '!' | '?' | ')')) => return Step::Prose(len),
                _ => {}
            }
        }
        self.flush(at, out);
        self.channel &= self.reasoning.is_some();
        self.reasoning.get_or_insert(at);
        Step::Boundary(len)
    }

    /// A thought ends. Where nobody saw it begin, all that came before was thought, unless a thought ended already or the
    /// words around speak of the tag.
    fn stop_thinking(&mut self, at: usize, len: usize, out: &mut Vec<Event>) -> Step {
        if self.reasoning.is_none() {
            self.read_line(at);
            let apart = self.line.is_apart();
            match self.buffer.from(at + len).chars().next() {
                _ if self.line.standing(Opener::Own) == Standing::Mention => return Step::Prose(len),
                None if apart && self.input == Input::Open => return Step::Wait,
                Some(next) if apart && next != '\n' && next != '\r' => return Step::Prose(len),
                _ => {}
            }
        }
        self.flush(at, out);
        if self.reasoning.take().is_none() {
            let kind = if self.thought { &STRAY_CLOSING } else { &UNOPENED_REASONING };
            self.repair(kind, at, at + len, out);
        }
        self.thought = true;
        Step::Boundary(len)
    }

    /// Reports a mend of what is between `start` and `end`.
    pub(super) fn repair(&self, kind: &'static Kind, start: usize, end: usize, out: &mut Vec<Event>) {
        let before = self.buffer.piece(start, end);
        out.push(Event::Repair(Repair::new(kind, Span::new(start, end), before, "")));
    }

    fn bracket(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.buffer.byte(at) == Some(b'[') { self.bare(at, out) } else { self.tag(at, out) }
    }

    fn bare(&mut self, at: usize, out: &mut Vec<Event>) -> Step {
        if self.verbatim || self.ignores_calls() {
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
                let region = Region::new(at, at, Closer::Balance, Trust::Bare, self.place());
                Step::Enter(State::Region(Box::new(region)), Opener::Plain)
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
        let alone = !self.tools.is_empty() || !self.said.anything();
        if rest.starts_with('(') && is_name(name) && known && alone { Like::Yes } else { Like::No }
    }

    /// A word that begins a call; the region begins at `skip` bytes after it.
    fn word(&self, at: usize, word: &'static str, skip: usize) -> Step {
        let text = self.buffer.from(at);
        let starts = self.buffer.before(at).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        if !starts || self.verbatim || self.ignores_calls() || !self.allows(Way::Token) {
            return Step::Prose(1);
        }
        if text.starts_with(word) {
            let region = Region::new(at, at + skip, Closer::Balance, Trust::Marked, self.place());
            return Step::Enter(State::Region(Box::new(region)), Opener::Own);
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
            Some(_) => Step::Enter(State::Header(Header::new(at, at)), Opener::Own),
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
        // In prose it is the end of struck-out text.
        if self.hold.standing().is_some() && text.starts_with(END_OF_SEQUENCE) {
            return Step::Marker(END_OF_SEQUENCE.len(), None);
        }
        match self.lexicon.read(text, at, self.input, Wanted::Tools, &self.tools) {
            TagLex::Not => Step::Prose(self.buffer.character(at)),
            TagLex::NeedMore => Step::Wait,
            TagLex::Tag(tag) => self.take_known_tag(*tag, at, out),
        }
    }

    fn take_known_tag(&mut self, tag: Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let len = tag.len;
        let prose = Step::Prose(self.buffer.character(at));
        match (tag.means, tag.candidate.closing) {
            (Means::Think, _) if tag.misspelt > 0 || self.is_quoted() => prose,
            (Means::Think, true) => self.stop_thinking(at, len, out),
            (Means::Think, false) => self.think(at, len, out),
            (Means::Part, _) if tag.misspelt == 0 && !self.is_quoted() => {
                self.flush(at, out);
                Step::Boundary(len)
            }
            _ if self.ignores_calls() => prose,
            (Means::Wrapper | Means::Call | Means::Parameter | Means::Value | Means::Tool(_), true)
                if self.allows(Way::Tag) && tag.misspelt == 0 && (self.calls > 0 || tag.means == Means::Wrapper) =>
            {
                Step::Marker(len, Some(&STRAY_CLOSING))
            }
            (Means::Wrapper, false) if self.allows(Way::Tag) => {
                Step::Enter(State::Xml(Box::new(Xml::wrapped(at, &tag))), Opener::Own)
            }
            (Means::Call, false) if self.allows(Way::Tag) => match self.opens_call(&tag) {
                Some(xml) => Step::Enter(State::Xml(Box::new(xml.begin(at))), Opener::Plain),
                None => prose,
            },
            (Means::Tool(tool), false) if self.allows(Way::ToolTag) => {
                Step::Enter(State::Xml(Box::new(Xml::maybe_tool(at, &tag, tool))), Opener::Plain)
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
const TRIGGERS: [bool; 256] = bytes(b"<[{`~\n&]f\"\xC2\xE2\xE3\xEF");
/// The same inside a comment, which ends with `-->`.
const IN_COMMENT: [bool; 256] = bytes(b"<[{`~\n&]f\"-\xC2\xE2\xE3\xEF");
/// What Llama 2 and Mistral write after all they say.
const END_OF_SEQUENCE: &str = "</s>";
/// The longest key with which a call may begin.
const LONGEST_KEY: usize = 24;
/// The longest name for which a bare call is waited.
const LONGEST_NAME: usize = 128;
/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;
/// More backticks than this are not counted before they are given out.
const LONGEST_FENCE: usize = 16;
