//! Reads output with tags as it comes: text is given out as soon as it can be no part of a tag, a tag once it is over.
//!
//! Everything is read once from left to right. Where a tag turns out to be none, what stood in it is read once more as
//! text; it holds no tag of the protocol then, so that this happens at most twice to any byte.

/// What comes out.
mod give;
/// What a tag does.
mod act;

use super::protocol::{Meaning, TagProtocol, What};
use super::quoting::{MOST_TICKS, Quoted, Quoting};
use super::region::Region;
use super::window::Window;
use crate::parse::event::{Engine, Event, Finish, ParseOptions, Span};
use crate::parse::markup::{Bounds, Candidate, Input, Lexed, Lexer, NameRead, lex_name};
use std::sync::Arc;

/// Reads output that uses a protocol of tags.
pub(crate) struct TagEngine {
    protocol: Arc<TagProtocol>,
    bounds: Bounds,
    max_region: usize,
    repairs_left: usize,
    window: Window,
    /// Up to here everything was given out.
    given: usize,
    /// Up to here everything was read.
    at: usize,
    mode: Mode,
    region: Option<Region>,
    candidate: Reading,
    quoting: Quoting,
    fence: Fence,
    /// Fields that are in the text by themselves, folded.
    loose_fields: Vec<String>,
    /// Whether a tag with fields was read: then a stray closing of a field is one of the protocol's.
    had_fields: bool,
    /// Whether the last tag was only listed with the one that follows.
    listed: bool,
    /// Where the last tag ended.
    last_end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Answer,
    /// The model talks to itself. Tags are held back from the first one on, in case the reasoning is never closed.
    Reasoning(Held),
    /// What was held back: only closed tags count.
    Regained,
}

/// What is held back of a reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    From(usize),
    /// It was too much, and is not held back any more.
    TooMuch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fence {
    None,
    /// Its marks are text.
    Kept,
    /// A tag comes directly after its opening mark: its marks are markup.
    Dropped,
}

/// A tag candidate that is being read.
#[derive(Debug, Default)]
struct Reading {
    at: usize,
    lexer: Lexer,
    done: Option<Candidate>,
}

/// How a tag ended.
#[derive(Clone, Copy)]
enum Ended {
    Closed,
    ByNext,
    AtEnd(Finish),
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Step {
    Go,
    Wait,
}

impl Engine for TagEngine {
    fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        self.window.push(text);
        loop {
            self.advance(Input::Open, out);
            if self.give_up_on_long(self.bounds.tag + SLACK, out) == Step::Wait {
                break;
            }
        }
        self.window.forget_before(self.given);
    }

    fn finish(&mut self, reason: Finish, out: &mut Vec<Event>) {
        loop {
            self.advance(Input::Ended, out);
            if self.give_up_on_long(0, out) == Step::Go {
                continue;
            }
            if let Mode::Reasoning(Held::From(held)) = self.mode
                && !reason.is_cut()
            {
                self.mode = Mode::Regained;
                self.at = held;
                continue;
            }
            if self.region.is_none() && self.at == self.window.end() {
                break;
            }
            self.unclosed(self.window.end(), Some(reason), out);
        }
        if let Mode::Reasoning(held) = &mut self.mode {
            *held = Held::Nothing;
        }
        self.give_text(self.at, out);
    }
}

impl TagEngine {
    /// An engine for one output.
    pub(crate) fn new(protocol: Arc<TagProtocol>, options: &ParseOptions) -> Self {
        let name = protocol.longest() + ROOM_FOR_MISTAKES;
        Self {
            protocol,
            bounds: Bounds { name, tag: Bounds::default().tag.min(options.max_region) },
            max_region: options.max_region,
            repairs_left: options.max_repairs,
            window: Window::default(),
            given: 0,
            at: 0,
            mode: Mode::Answer,
            region: None,
            candidate: Reading::default(),
            quoting: Quoting::default(),
            fence: Fence::None,
            loose_fields: Vec::new(),
            had_fields: false,
            listed: false,
            last_end: usize::MAX,
        }
    }

    /// Reads as far as it is certain what is read.
    fn advance(&mut self, input: Input, out: &mut Vec<Event>) {
        loop {
            let rest = self.window.rest(self.at);
            let Some(next) = rest.bytes().position(is_trigger) else {
                self.at = self.window.end();
                break;
            };
            self.at += next;
            let step = match rest.as_bytes().get(next) {
                Some(b'\n') => {
                    self.quoting.line_ends();
                    self.at += 1;
                    Step::Go
                }
                Some(b'`') => self.ticks(input, out),
                _ => self.bracket(input, out),
            };
            if step == Step::Wait {
                break;
            }
        }
        if self.region.is_none() {
            self.give_text(self.at, out);
        }
    }

    /// Backticks: inline code, or a fence.
    fn ticks(&mut self, input: Input, out: &mut Vec<Event>) -> Step {
        let from = self.at;
        if matches!(self.mode, Mode::Reasoning(_)) {
            self.at += 1;
            return Step::Go;
        }
        let run = self.window.rest(from).bytes().take(MOST_TICKS).take_while(|byte| *byte == b'`').count();
        if run < MOST_TICKS && from + run == self.window.end() && input == Input::Open {
            return Step::Wait;
        }
        match run {
            1 | 2 => self.quoting.ticks(run),
            MOST_TICKS => {}
            _ => return self.fence(from + run, input, out),
        }
        self.at = from + run;
        Step::Go
    }

    /// The mark of a fence, which ends at `end`.
    fn fence(&mut self, end: usize, input: Input, out: &mut Vec<Event>) -> Step {
        let rest = self.window.rest(end);
        let info = rest.bytes().take(LONGEST_INFO).take_while(|byte| is_of_info(*byte)).count();
        let room = rest.len().min(LONGEST_INFO + MOST_BLANKS);
        let blanks = rest.bytes().take(room).skip(info).take_while(u8::is_ascii_whitespace).count();
        let reached = info + blanks == rest.len() && info + blanks < LONGEST_INFO + MOST_BLANKS;
        if let Some(region) = &mut self.region {
            if info == rest.len() && input == Input::Open {
                return Step::Wait;
            }
            match (region.inner_fence, info > 0) {
                (false, false) if self.fence != Fence::None => {
                    region.fence_end.get_or_insert(self.at);
                }
                (inner, _) => region.inner_fence = !inner,
            }
            self.at = end;
            return Step::Go;
        }
        if reached && input == Input::Open {
            return Step::Wait;
        }
        if self.fence != Fence::None && info == 0 {
            if self.fence == Fence::Dropped {
                self.give_text(self.at, out);
                self.give_markup(end, out);
            }
            self.fence = Fence::None;
            self.at = end;
            return Step::Go;
        }
        let behind = end + info + blanks;
        self.fence = match lex_name(self.window.rest(behind), input, &self.bounds) {
            NameRead::NeedMore => return Step::Wait,
            NameRead::Name(name) if !name.closing && self.opens_tag(&name.name) && self.mode == Mode::Answer => {
                self.give_text(self.at, out);
                self.give_markup(behind, out);
                Fence::Dropped
            }
            _ => {
                self.at = end;
                Fence::Kept
            }
        };
        Step::Go
    }

    /// What may be a tag.
    fn bracket(&mut self, input: Input, out: &mut Vec<Event>) -> Step {
        let from = self.at;
        let rest = self.window.rest(from);
        let first = rest.chars().next().map_or(1, char::len_utf8);
        if !matches!(rest.as_bytes(), [b'<' | b'&', ..]) && !rest.starts_with(['＜', '﹤', '〈']) {
            self.at += first;
            return Step::Go;
        }
        if rest.starts_with("<!") && "<!--".starts_with(rest) && input == Input::Open {
            return Step::Wait;
        }
        if rest.starts_with("<!--") {
            self.quoting.comment(from);
            self.at += 4;
            return Step::Go;
        }
        if let Some(region) = &mut self.region {
            region.fragments |= rest.starts_with("<>");
            if rest.starts_with("</>") && !region.fragments {
                self.close_innermost(Span::new(from, from + 3), out);
                return Step::Go;
            }
        }
        match self.candidate(input) {
            Lexed::NeedMore => Step::Wait,
            Lexed::NotATag => {
                if input == Input::Ended && self.cut_tag(out) {
                    return Step::Go;
                }
                self.at += first;
                Step::Go
            }
            Lexed::Tag(candidate) => self.unless_quoted(candidate, input, out),
        }
    }

    fn unless_quoted(&mut self, candidate: Candidate, input: Input, out: &mut Vec<Event>) -> Step {
        if !candidate.closing && self.window.before(self.at).ends_with('\\') {
            self.at += self.window.rest(self.at).chars().next().map_or(1, char::len_utf8);
            return Step::Go;
        }
        match self.quoting.covers(self.at, &self.window, input) {
            Quoted::No => self.tag(candidate, out),
            Quoted::Until(end) => self.at = end,
            Quoted::NeedMore => {
                self.candidate = Reading { at: self.at, done: Some(candidate), ..Reading::default() };
                return Step::Wait;
            }
        }
        Step::Go
    }

    /// The candidate where we are, from where its reading stopped.
    fn candidate(&mut self, input: Input) -> Lexed {
        if self.candidate.at != self.at {
            self.candidate = Reading { at: self.at, ..Reading::default() };
        }
        if let Some(done) = self.candidate.done.take() {
            return Lexed::Tag(done);
        }
        let open = self.region.as_ref().map(|region| region.tag);
        let protocol = &self.protocol;
        let known = |name: &str| {
            protocol.meaning(name, open).is_some()
                || open.map_or_else(|| protocol.is_field(name), |open| protocol.is_word_of(name, open))
        };
        let lexed = self.candidate.lexer.read(self.window.rest(self.at), input, &self.bounds, &known);
        if lexed != Lexed::NeedMore {
            self.candidate = Reading { at: usize::MAX, ..Reading::default() };
        }
        lexed
    }

    fn opens_tag(&self, name: &str) -> bool {
        matches!(self.protocol.meaning(name, None), Some(Meaning { what: What::Tag(..), .. }))
    }
}

/// Where something may begin: a line, a backtick, a bracket, an entity, or a full-width character.
fn is_trigger(byte: u8) -> bool {
    matches!(byte, b'\n' | b'`' | b'<' | b'&' | 0xef | 0xe3)
}

fn is_of_info(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'#')
}

/// How much longer than the longest name a misspelt or numbered one may be.
const ROOM_FOR_MISTAKES: usize = 12;

/// What a tag that began within the limit may still need to be over.
const SLACK: usize = 64 << 10;

/// The longest word after the mark of a fence, and the most blanks between it and a tag.
const LONGEST_INFO: usize = 24;
const MOST_BLANKS: usize = 256;
