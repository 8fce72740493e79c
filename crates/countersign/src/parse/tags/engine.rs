//! Reads output with tags as it comes: text is given out as soon as it can be no part of a tag, a tag once it is over.
//!
//! Everything is read once from left to right. Where a tag turns out to be none, what stood in it is read once more as
//! text; it holds no tag of the protocol then, so that this happens at most twice to any byte.

use super::kinds;
use super::mention::{is_listed, is_mention};
use super::protocol::{Meaning, Spelling, TagProtocol, What};
use super::quoting::{MOST_TICKS, Quoted, Quoting};
use super::region::{Marked, Region};
use super::window::Window;
use crate::parse::event::Engine;
use crate::parse::markup::{
    Bounds, Candidate, Input, Lexed, Lexer, NameRead, fold_name, lex_cut, lex_name, split_number,
};
use crate::parse::{Event, Finish, Kind, ParseOptions, Place, Repair, Span};
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
    /// Fields that stand in the text by themselves, folded.
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
    /// A tag stands directly behind its opening mark: its marks are markup.
    Dropped,
}

/// A tag candidate that is being read.
#[derive(Debug, Default)]
struct Reading {
    at: usize,
    lexer: Lexer,
    done: Option<Candidate>,
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
                && reason == Finish::Stop
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
        let known = |name: &str| protocol.meaning(name, open).is_some() || (open.is_none() && protocol.is_field(name));
        let lexed = self.candidate.lexer.read(self.window.rest(self.at), input, &self.bounds, &known);
        if lexed != Lexed::NeedMore {
            self.candidate = Reading { at: usize::MAX, ..Reading::default() };
        }
        lexed
    }

    /// A tag with a name that is known here.
    fn tag(&mut self, candidate: Candidate, out: &mut Vec<Event>) {
        let span = Span::new(self.at, self.at + candidate.len);
        let open = self.region.as_ref();
        if open.is_some_and(|region| span.end > region.from + self.max_region) {
            self.give_up_on_long(0, out);
            return;
        }
        let meaning = self.protocol.meaning(&candidate.name, open.map(|region| region.tag));
        match (meaning, self.mode) {
            (_, Mode::Reasoning(held)) => self.in_reasoning(&candidate, meaning, held, span, out),
            (None, _) => self.loose_field(&candidate, span, out),
            (Some(meaning), _) if self.region.is_some() => self.inside(candidate, meaning, span, out),
            (Some(meaning), _) => self.outside(candidate, meaning, span, out),
        }
    }

    /// While the model talks to itself only the end of that matters.
    fn in_reasoning(
        &mut self,
        candidate: &Candidate,
        meaning: Option<Meaning>,
        held: Held,
        span: Span,
        out: &mut Vec<Event>,
    ) {
        match meaning.map(|meaning| meaning.what) {
            Some(What::Reasoning) if candidate.closing => {
                self.mode = Mode::Reasoning(Held::Nothing);
                self.give_text(span.start, out);
                self.mode = Mode::Answer;
                self.give_markup(span.end, out);
            }
            Some(What::Tag(..)) if !candidate.closing => {
                if held == Held::Nothing {
                    self.mode = Mode::Reasoning(Held::From(span.start));
                }
                self.at = span.end;
            }
            _ => self.at = span.end,
        }
    }

    /// A tag while none is open.
    fn outside(&mut self, candidate: Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        match meaning.what {
            What::Field(_) => self.at = span.end,
            What::Reasoning => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                if candidate.closing {
                    self.mend(&kinds::STRAY, span, "", out);
                } else if !candidate.self_closing && self.mode == Mode::Answer {
                    self.mode = Mode::Reasoning(Held::Nothing);
                    self.quoting.clear();
                }
            }
            What::Tag(..) if candidate.odd.foreign && meaning.spelling == Spelling::Misspelt => self.at = span.end,
            What::Tag(..) if candidate.closing => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                self.mend(&kinds::STRAY, span, "", out);
            }
            What::Tag(tag, number) => {
                self.give_text(span.start, out);
                self.mend_writing(&candidate, meaning, span, out);
                let place = match (self.mode, self.fence) {
                    (Mode::Answer, Fence::None) => Place::Answer,
                    (Mode::Answer, _) => Place::Fence,
                    _ => Place::Reasoning,
                };
                let region = Region::open(tag, number, span.start, candidate, place);
                self.quoting.clear();
                self.at = span.end;
                if region.opening.self_closing && region.says_something(&self.protocol) {
                    self.give_tag(region, span.end, span.end, Ended::Closed, out);
                } else {
                    self.region = Some(region);
                }
            }
        }
    }

    /// A tag while one is open.
    fn inside(&mut self, candidate: Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        let Some(region) = &mut self.region else { return };
        match meaning.what {
            What::Field(field) => {
                let Some(rule) = self.protocol.rule(region.tag) else { return };
                let marked = match candidate.closing {
                    true => region.field_closes(field, span, rule),
                    false => region.field_opens(field, span, rule, &self.window),
                };
                if marked != Marked::Content {
                    self.mend_writing(&candidate, meaning, span, out);
                }
                if let Marked::Mended(kind) = marked {
                    self.mend(kind, span, "", out);
                }
                self.at = span.end;
            }
            What::Reasoning if candidate.closing => self.unclosed(span.start, None, out),
            What::Reasoning => self.at = span.end,
            What::Tag(tag, number) => {
                let again = tag == region.tag && number == region.number;
                let slashed = candidate.self_closing && candidate.attributes.is_empty();
                if candidate.closing || (slashed && again) {
                    let odd = !again || slashed;
                    self.mend_writing(&candidate, meaning, span, out);
                    if odd {
                        self.mend(&kinds::MISMATCH, span, "", out);
                    }
                    if let Some(region) = self.region.take() {
                        self.give_tag(region, span.start, span.end, Ended::Closed, out);
                    }
                } else if escaped_on_purpose(&region.opening, &candidate) {
                    self.at = span.end;
                } else {
                    self.unclosed(span.start, None, out);
                }
            }
        }
    }

    /// A field that stands outside all tags: text, except for a closing that is left over from a tag.
    fn loose_field(&mut self, candidate: &Candidate, span: Span, out: &mut Vec<Event>) {
        let name = fold_name(&candidate.name);
        let opened = self.loose_fields.iter().position(|open| *open == name);
        match (candidate.closing, opened) {
            (true, None) if self.had_fields => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                return self.mend(&kinds::STRAY, span, "", out);
            }
            (true, Some(at)) => {
                self.loose_fields.swap_remove(at);
            }
            (false, _) if self.loose_fields.len() < MOST_LOOSE => self.loose_fields.push(name),
            _ => {}
        }
        self.at = span.end;
    }

    /// The open tag was not closed up to `limit`: by another tag, or by the end of the output.
    fn unclosed(&mut self, limit: usize, finish: Option<Finish>, out: &mut Vec<Event>) {
        let Some(region) = self.region.take() else { return };
        self.quoting.clear();
        let limit = region.cut.unwrap_or(limit);
        let opening = Span::new(region.from, region.body);
        let body = self.window.slice(Span::new(region.body, limit));
        let before = self.window.before(region.from);
        let listed = is_listed(body);
        let mentioned = self.listed || listed || self.mode == Mode::Regained || is_mention(before, body);
        if region.opening.self_closing {
            let (body, end) = (region.body, region.body);
            return self.give_tag(region, body, end, Ended::Closed, out);
        }
        self.listed = listed && finish.is_none();
        if mentioned {
            self.at = region.body;
            return;
        }
        let alone = before.is_empty() || before.trim_end_matches([' ', '\t']).ends_with('\n');
        let end = region.fence_end.unwrap_or_else(|| limit - if finish.is_none() { dangling(body) } else { 0 });
        let kept = matches!(finish, Some(Finish::Length | Finish::Cancelled));
        if !kept && !region.says_something(&self.protocol) && region.holds_nothing(end, &self.window) {
            self.at = opening.end;
            if alone || finish.is_none() || self.last_end == opening.start {
                self.give_text(opening.start, out);
                self.give_markup(opening.end, out);
                self.mend(&kinds::EMPTY, opening, "", out);
            }
            return;
        }
        let over = if region.cut.is_some() && region.fence_end.is_none() { self.window.end() } else { end };
        self.give_tag(region, end, over, finish.map_or(Ended::ByNext, Ended::AtEnd), out);
    }

    /// A tag that the end of the output cut off: part of the markup, never of the content.
    fn cut_tag(&mut self, out: &mut Vec<Event>) -> bool {
        let Some(name) = lex_cut(self.window.rest(self.at), &self.bounds) else { return false };
        let span = Span::new(self.at, self.window.end());
        let open = self.region.as_ref().map(|region| region.tag);
        let known = !name.name.is_empty() && self.protocol.begins_like(&name.name, open);
        if matches!(self.mode, Mode::Reasoning(_)) {
            return false;
        }
        if let Some(region) = &mut self.region {
            if !known && !name.name.is_empty() {
                return false;
            }
            region.cut = Some(span.start);
            self.at = span.end;
            return true;
        }
        if !known || name.name.len() < SHORTEST_CUT {
            return false;
        }
        self.give_text(span.start, out);
        if name.closing {
            self.give_markup(span.end, out);
            self.mend(&kinds::CUT, span, "", out);
        } else {
            let text = self.window.slice(span).to_owned();
            let reason = "the output ends inside the opening of a tag".to_owned();
            out.push(Event::Unrecovered { text, reason, span });
            self.given = span.end;
            self.at = span.end;
        }
        true
    }

    /// What an open tag, or a reasoning, holds beyond the limit comes out as it was written. Without regard to how the
    /// input was split: a tag that is over within the limit was over before.
    fn give_up_on_long(&mut self, slack: usize, out: &mut Vec<Event>) -> Step {
        let too_long = |from: usize| self.window.end() > from + self.max_region + slack;
        if let Mode::Reasoning(Held::From(held)) = self.mode
            && too_long(held)
        {
            self.mode = Mode::Reasoning(Held::TooMuch);
            return Step::Go;
        }
        let Some(from) = self.region.as_ref().map(|region| region.from).filter(|from| too_long(*from)) else {
            return Step::Wait;
        };
        self.region = None;
        self.quoting.clear();
        let span = Span::new(from, self.window.floor(from + self.max_region));
        let text = self.window.slice(span).to_owned();
        out.push(Event::Unrecovered { text, reason: "the tag is longer than the limit".to_owned(), span });
        self.given = span.end;
        self.at = span.end;
        Step::Go
    }

    /// Gives out a tag whose content ends at `end` and which itself ends at `over`.
    fn give_tag(&mut self, region: Region, end: usize, over: usize, ended: Ended, out: &mut Vec<Event>) {
        let span = Span::new(region.from, over);
        let mut said = region.say(end, &self.protocol, &self.window);
        said.tag.complete = !matches!(ended, Ended::AtEnd(Finish::Length | Finish::Cancelled));
        said.tag.unclosed = matches!(ended, Ended::AtEnd(_));
        if said.tag.place == Place::Reasoning {
            said.mended.push(&kinds::REASONING);
            self.mode = Mode::Answer;
        }
        match ended {
            Ended::Closed => {}
            Ended::ByNext => said.mended.push(&kinds::NESTED),
            Ended::AtEnd(_) => said.mended.push(&kinds::UNCLOSED),
        }
        self.had_fields |= said.tag.fields.is_some();
        self.listed = false;
        self.last_end = span.end;
        self.quoting.clear();
        for kind in said.mended {
            self.mend(kind, span, &said.tag.sentence, out);
        }
        self.given = span.end;
        self.at = span.end;
        out.push(Event::Tag { tag: said.tag, span });
    }

    /// Gives out text, or reasoning, up to a place.
    fn give_text(&mut self, up_to: usize, out: &mut Vec<Event>) {
        let up_to = match self.mode {
            Mode::Reasoning(Held::From(held)) => up_to.min(held.max(self.given)),
            _ => up_to,
        };
        let span = Span::new(self.given, up_to);
        if span.start >= span.end {
            return;
        }
        let text = self.window.slice(span).to_owned();
        out.push(match self.mode {
            Mode::Answer => Event::Text { text, span },
            Mode::Reasoning(_) | Mode::Regained => Event::Reasoning { text, span },
        });
        self.given = up_to;
    }

    /// Gives out markup from where we are up to a place.
    fn give_markup(&mut self, up_to: usize, out: &mut Vec<Event>) {
        let span = Span::new(self.given, up_to);
        out.push(Event::Markup { text: self.window.slice(span).to_owned(), span });
        self.given = up_to;
        self.at = up_to;
    }

    /// Reports how a tag was written.
    fn mend_writing(&mut self, candidate: &Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        let spelt = match meaning.spelling {
            Spelling::Misspelt => Some(&kinds::MISSPELT),
            Spelling::Folded if !candidate.odd.case && !candidate.odd.blank => Some(&kinds::CASE),
            _ => None,
        };
        let numbered = match meaning.what {
            What::Tag(_, Some(number)) => {
                let plain = format!("{}{number}", split_number(&candidate.name).0);
                (plain != candidate.name).then_some(&kinds::NUMBER)
            }
            _ => None,
        };
        let name = match meaning.what {
            What::Tag(tag, _) => self.protocol.rule(tag).map(|rule| rule.name.clone()),
            _ => None,
        };
        for kind in kinds::of(candidate.odd).chain(spelt).chain(numbered) {
            self.mend(kind, span, name.as_deref().unwrap_or_default(), out);
        }
    }

    fn mend(&mut self, kind: &'static Kind, span: Span, after: &str, out: &mut Vec<Event>) {
        if self.repairs_left > 0 {
            self.repairs_left -= 1;
            out.push(Event::Repair(Repair::new(kind, span, self.window.slice(span), after)));
        }
    }

    fn opens_tag(&self, name: &str) -> bool {
        matches!(self.protocol.meaning(name, None), Some(Meaning { what: What::Tag(..), .. }))
    }
}

/// How a tag ended.
#[derive(Clone, Copy)]
enum Ended {
    Closed,
    ByNext,
    AtEnd(Finish),
}

/// Whether an opening inside a tag was written otherwise than the tag itself, so that it is spoken of.
fn escaped_on_purpose(outer: &Candidate, inner: &Candidate) -> bool {
    (inner.odd.entity && !outer.odd.entity) || (inner.odd.foreign && !outer.odd.foreign)
}

/// The bytes at the end of a content that announce what follows it: the mark of the next item of a list.
fn dangling(body: &str) -> usize {
    let Some((_, last)) = body.rsplit_once('\n') else { return 0 };
    let mark = last.trim();
    let number = mark.trim_end_matches(['.', ')', '、', '）', ':', '：']);
    let numbered = number.len() < mark.len() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if numbered || matches!(mark, "-" | "*" | "•" | "+" | "**" | ">") { last.len() } else { 0 }
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

/// A shorter beginning of a name at the end of the output may be anything.
const SHORTEST_CUT: usize = 3;

/// The longest word behind the mark of a fence, and the most blanks between it and a tag.
const LONGEST_INFO: usize = 24;
const MOST_BLANKS: usize = 256;

/// More fields than this outside all tags are not told apart.
const MOST_LOOSE: usize = 64;
