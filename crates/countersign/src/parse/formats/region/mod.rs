//! Calls whose arguments are JSON, Python or Gemma's notation: from their marker to their end.
//!
//! A region has a head (perhaps a name and separators), values, and a closing. Strings hide closings. A closing inside
//! a string that is followed by a line break, an opening or the end is believed all the same: a JSON string holds no
//! raw line breaks, so a quotation mark was lost before it.

/// A call that is told before all of it is there.
mod early;
/// What a region holds.
mod read;

use super::buffer::bytes;
use super::gemma;
use super::line::ends_quotation;
use super::payload::{Read, Trust};
use super::repairs::{FOLDED_NAME, MISSING_CLOSING, UNCLOSED_CALL};
use super::sight::Sight;
use super::tag::{Means, Wanted};
use super::token::{self, Role};
use super::tracker::{Seen, Tracker};
use super::word;
use super::{Flow, FormatEngine, State};
use crate::parse::event::{Event, Finish, Place, Repair, Span};
use crate::parse::markup::Input;

/// How a region ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closer {
    /// Where its value is balanced.
    Balance,
    /// At a token.
    Token,
    /// At a wrapper's closing tag.
    Wrapper,
    /// At the end of a message.
    Message,
}

/// A stretch of output that holds calls.
#[derive(Debug)]
pub(super) struct Region {
    start: usize,
    /// Where the payload begins.
    body: usize,
    closer: Closer,
    trust: Trust,
    place: Place,
    /// The name, where a header gave it.
    name: Option<String>,
    /// The value that is being followed.
    open: Option<(Tracker, usize)>,
    values: Vec<Span>,
    separators: Vec<Span>,
    /// What is seen of the first value.
    sight: Sight,
    /// The call that was begun before all of it was there.
    begun: Option<Begun>,
    /// It has become clear that this is no call: it is followed to its end, and leaves as it comes.
    data: bool,
    /// How many calls are open inside the string that is being followed: their closings are not this call's.
    quoted: usize,
    /// How many of them have strings in Gemma's marks.
    marked: usize,
    /// Whether that string stands between Gemma's marks: it may hold line breaks.
    between_marks: bool,
}

/// A call that was begun early.
#[derive(Debug)]
struct Begun {
    index: usize,
    name: String,
    /// Where its arguments begin.
    from: usize,
    /// Where they end, once that is known.
    end: Option<usize>,
}

/// Why a region ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At its closing, of so many bytes.
    Closed(usize),
    /// Its value was whole, and something else follows.
    Implied,
    /// The output ended.
    Cut,
}

/// How the calls of a region ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    /// All of it was seen.
    whole: bool,
    /// The closing was missing.
    unclosed: bool,
    /// Where.
    at: usize,
}

/// What a region holds, and what was mended in it.
#[derive(Debug, Default)]
struct Contents {
    calls: Vec<Read>,
    repairs: Vec<Repair>,
}

/// What is at a place where a closing could stand.
enum Mark {
    Nothing,
    NeedMore,
    Separator(usize),
    Closing(usize),
    /// Another call begins.
    Opening,
    /// A section, a message or a thought begins or ends.
    Next,
    /// A call in tags begins.
    Tags,
}

impl Region {
    pub(super) fn new(start: usize, body: usize, closer: Closer, trust: Trust, place: Place) -> Self {
        Self {
            start,
            body,
            closer,
            trust,
            place,
            name: None,
            open: None,
            values: Vec::new(),
            separators: Vec::new(),
            sight: Sight::default(),
            begun: None,
            data: false,
            quoted: 0,
            marked: 0,
            between_marks: false,
        }
    }

    /// The same with a name.
    pub(super) fn named(self, name: String) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Where the last value ends, or the payload begins.
    fn after_values(&self) -> usize {
        self.values.last().map_or(self.body, |span| span.end)
    }
}

impl FormatEngine {
    /// Follows a region as far as the text has come.
    pub(super) fn region(&mut self, region: Region, out: &mut Vec<Event>) -> Flow {
        self.buffer.scan = self.buffer.scan.max(region.body);
        self.buffer.keep = (!region.data).then_some(region.start);
        let flow = self.follow_region(region, out);
        if !matches!(self.state, State::Region(_)) {
            self.buffer.keep = None;
        }
        flow
    }

    fn follow_region(&mut self, mut region: Region, out: &mut Vec<Event>) -> Flow {
        loop {
            let step =
                if region.open.is_some() { self.follow(&mut region, out) } else { self.between(&mut region, out) };
            match step {
                Some(Step::Go) => {}
                Some(Step::End(at, end)) => return self.close(region, at, end, out),
                Some(Step::NoCall) => return self.no_call(&region, out),
                Some(Step::TooLong) => return self.too_long(&region, out),
                Some(Step::Tags) => {
                    let at = self.buffer.scan;
                    self.markup(at, out);
                    return Flow::Again;
                }
                None if self.input == Input::Ended => {
                    let end = self.buffer.end();
                    return self.close(region, end, End::Cut, out);
                }
                None => {
                    self.stream_call(&region, out);
                    self.stream_text(&region, out);
                    self.state = State::Region(Box::new(region));
                    return Flow::Wait;
                }
            }
        }
    }

    /// Where a region that began at `start` has become too long.
    pub(super) fn limit(&self, start: usize) -> usize {
        start.saturating_add(self.options.max_region)
    }

    /// What is beyond the limit is looked at as prose again; what came before it stays what it was told to be.
    fn too_long(&mut self, region: &Region, out: &mut Vec<Event>) -> Flow {
        // At least the marker goes out, however small the limit: reading must get on.
        let least = region.body.max(region.start + self.buffer.character(region.start));
        let at = self.buffer.floor(self.limit(region.start)).max(least).max(self.buffer.done());
        if let Some(begun) = &region.begun {
            let index = begun.index;
            self.arguments_to(index, at, out);
            out.push(Event::CallEnd { index, complete: false, unclosed: true, arguments: None, at });
        }
        self.report_unrecovered(at, "the call is longer than the limit", out);
        self.buffer.scan = at;
        Flow::Again
    }

    /// Inside a value.
    fn follow(&mut self, region: &mut Region, out: &mut Vec<Event>) -> Option<Step> {
        let (mut tracker, start) = region.open.clone()?;
        let step = self.follow_with(region, &mut tracker, start, out);
        if let Some((kept, _)) = &mut region.open {
            *kept = tracker;
        }
        step
    }

    fn follow_with(
        &mut self,
        region: &mut Region,
        tracker: &mut Tracker,
        start: usize,
        out: &mut Vec<Event>,
    ) -> Option<Step> {
        let mut at = self.buffer.scan;
        loop {
            at += self.pass_string(region, tracker, at);
            let Some(byte) = self.buffer.byte(at) else { break };
            if at >= self.limit(region.start) && !region.data {
                return Some(Step::TooLong);
            }
            if matches!(byte, b'<' | b'&' | 0xEF) || (byte == b'[' && region.closer == Closer::Token) {
                match self.marker_in_value(region, tracker, at) {
                    Inside::Text => {}
                    Inside::Passed(len) => {
                        at += len;
                        continue;
                    }
                    Inside::NeedMore => {
                        self.buffer.scan = at;
                        return None;
                    }
                    Inside::End(len) => {
                        region.values.push(Span::new(start, at));
                        region.open = None;
                        return Some(Step::End(at, End::Closed(len)));
                    }
                }
            }
            self.look(region, byte, at, out);
            at += 1;
            let ended = tracker.take(byte) == Seen::End;
            if !tracker.in_string() {
                (region.quoted, region.marked) = (0, 0);
            }
            if ended {
                region.values.push(Span::new(start, at));
                region.open = None;
                self.buffer.scan = at;
                return Some(Step::Go);
            }
        }
        self.buffer.scan = at;
        None
    }

    /// What a marker inside a value does.
    fn marker_in_value(&mut self, region: &mut Region, tracker: &mut Tracker, at: usize) -> Inside {
        let text = self.buffer.from(at);
        if let Some(len) = gemma::quote_at(text) {
            if region.marked == 0 {
                tracker.toggle();
                region.between_marks = tracker.in_string();
            }
            return Inside::Passed(len);
        }
        if self.input == Input::Open && gemma::may_quote(text) {
            return Inside::NeedMore;
        }
        match self.mark(region.closer, at) {
            Mark::NeedMore => Inside::NeedMore,
            Mark::Opening if tracker.in_string() => {
                let text = self.buffer.from(at);
                region.quoted += usize::from(!token::has_no_closing(text));
                region.marked += usize::from(gemma::opens_call(text));
                Inside::Text
            }
            Mark::Closing(_) if tracker.in_string() && region.quoted > 0 => {
                region.quoted -= 1;
                region.marked -= usize::from(region.marked > 0 && gemma::closes_call(self.buffer.from(at)));
                Inside::Text
            }
            Mark::Closing(len) if tracker.in_string() => match self.is_believed(region, at + len) {
                Some(true) => Inside::End(len),
                Some(false) => Inside::Text,
                None => Inside::NeedMore,
            },
            Mark::Closing(len) => Inside::End(len),
            Mark::Opening | Mark::Next if !tracker.in_string() => Inside::End(0),
            _ => Inside::Text,
        }
    }

    /// Before the first value, or after one.
    fn between(&mut self, region: &mut Region, out: &mut Vec<Event>) -> Option<Step> {
        let had = region.values.last().is_some();
        if had && region.closer == Closer::Balance {
            return Some(Step::End(region.after_values(), End::Closed(0)));
        }
        loop {
            let at = self.buffer.find(self.buffer.scan, &BETWEEN);
            let text_end = at.unwrap_or(self.buffer.end());
            let words = self.buffer.piece(self.buffer.scan, text_end).trim_matches(is_filler);
            let named = self.goes_on_in_python(region) && (words.is_empty() || word::is_name(words));
            if had && !words.is_empty() && !named {
                return Some(Step::End(region.after_values(), End::Implied));
            }
            if text_end - region.after_values() > LONGEST_HEAD {
                return Some(if had { Step::End(region.after_values(), End::Implied) } else { Step::NoCall });
            }
            if self.is_mention() && self.buffer.piece(region.body, text_end).trim_start().starts_with(ends_quotation) {
                return Some(Step::NoCall);
            }
            let Some(at) = at else {
                self.buffer.scan = text_end;
                return None;
            };
            match self.mark(region.closer, at) {
                Mark::NeedMore => {
                    self.buffer.scan = at;
                    return None;
                }
                Mark::Separator(len) => {
                    region.separators.push(Span::new(at, at + len));
                    self.buffer.scan = at + len;
                    continue;
                }
                Mark::Closing(len) => return Some(Step::End(at, End::Closed(len))),
                // A marker around the calls, and then the call's own.
                Mark::Opening if !had && self.opens_own(region, at) => return Some(self.tags_begin(region, at)),
                Mark::Opening | Mark::Next => return Some(Step::End(at, End::Implied)),
                Mark::Tags if !had => return Some(self.tags_begin(region, at)),
                Mark::Tags | Mark::Nothing => {}
            }
            match self.buffer.byte(at) {
                Some(opener @ (b'{' | b'[')) => {
                    self.open_value(region, at);
                    if opener == b'{' && !had && region.trust == Trust::Marked {
                        self.begin_named(region, at, out);
                    }
                    return Some(Step::Go);
                }
                Some(b'(') if (!had || named) && self.is_head_name(region, at) => {
                    self.open_value(region, at);
                    return Some(Step::Go);
                }
                Some(b'<') if had && self.is_cut_off(at) => {
                    self.buffer.scan = self.buffer.end();
                    return None;
                }
                _ if had => return Some(Step::End(region.after_values(), End::Implied)),
                _ => self.buffer.scan = at + self.buffer.character(at),
            }
        }
    }

    /// Whether another call in Python may follow: they stand below each other inside their wrapper.
    fn goes_on_in_python(&self, region: &Region) -> bool {
        let first = region.values.first().map(|span| self.buffer.byte(span.start));
        region.closer == Closer::Wrapper && first == Some(Some(b'('))
    }

    fn opens_own(&self, region: &Region, at: usize) -> bool {
        let wrapper = self.buffer.from(at).starts_with('<') && self.opens_wrapper(at);
        wrapper || self.buffer.piece(region.body, at).trim().is_empty()
    }

    fn open_value(&mut self, region: &mut Region, at: usize) {
        region.open = Some((Tracker::default(), at));
        self.buffer.scan = at;
    }

    /// Tags begin inside a region: they are the call, unless the words before them only speak of its marker.
    fn tags_begin(&mut self, region: &Region, at: usize) -> Step {
        self.buffer.scan = at;
        if self.has_words(region, at) { Step::NoCall } else { Step::Tags }
    }

    /// Whether the end of the output cut off the closing that begins at `at`.
    fn is_cut_off(&self, at: usize) -> bool {
        self.input == Input::Ended && !self.buffer.from(at).contains(['>', ' ', '\n'])
    }

    /// Whether words stand before `at`, not only a name: then the marker is only spoken of.
    fn has_words(&self, region: &Region, at: usize) -> bool {
        let from = region.separators.last().map_or(region.body, |separator| separator.end);
        let head = self.buffer.piece(from, at.max(from)).trim();
        !head.is_empty() && !word::is_name(head)
    }

    fn is_head_name(&self, region: &Region, at: usize) -> bool {
        let head = self.buffer.piece(region.after_values(), at).trim_matches(is_filler);
        let head = head.strip_prefix("call:").unwrap_or(head).trim_start_matches(':');
        word::is_name(head)
    }

    /// What closing, separator or opening stands at `at`.
    fn mark(&mut self, closer: Closer, at: usize) -> Mark {
        let text = self.buffer.from(at);
        if text.starts_with(['<', '[']) {
            match token::lex(text) {
                token::Lexed::NeedMore if self.input == Input::Open => return Mark::NeedMore,
                token::Lexed::Token(role, len) => return mark_of(role, len, closer),
                token::Lexed::NeedMore | token::Lexed::Not => {}
            }
        }
        if text.starts_with(['[', '{', '(', '"', '`']) || closer == Closer::Balance {
            return Mark::Nothing;
        }
        match self.lexicon.peek(text, self.input, Wanted::Tools, &self.tools) {
            None => Mark::NeedMore,
            Some((Means::Wrapper, true)) => self.closing_tag(at),
            Some((Means::Wrapper, false)) => Mark::Opening,
            Some((Means::Call | Means::Key, false)) => Mark::Tags,
            Some(_) => Mark::Nothing,
        }
    }

    fn opens_wrapper(&self, at: usize) -> bool {
        let text = self.buffer.from(at);
        let wrapper = || self.lexicon.peek(text, self.input, Wanted::Tools, &self.tools);
        token::lex(text) == token::Lexed::Not && wrapper() == Some((Means::Wrapper, false))
    }

    /// The length of the wrapper's closing tag.
    fn closing_tag(&mut self, at: usize) -> Mark {
        let text = self.buffer.from(at);
        match self.lexicon.read(text, at, self.input, Wanted::Tools, &self.tools) {
            super::tag::TagLex::Tag(tag) => Mark::Closing(tag.len),
            super::tag::TagLex::NeedMore => Mark::NeedMore,
            super::tag::TagLex::Not => Mark::Nothing,
        }
    }

    /// Whether a closing inside a string is believed; `None` while that is not known.
    fn is_believed(&mut self, region: &Region, mut after: usize) -> Option<bool> {
        // Further closings may follow: what comes behind them tells.
        for _ in 0..MOST_CLOSINGS {
            match self.buffer.byte(after) {
                None if self.input == Input::Open => return None,
                None => return Some(true),
                Some(_) if region.between_marks => return Some(false),
                Some(b'\n') => return Some(true),
                Some(b'<') => match self.mark(region.closer, after) {
                    Mark::NeedMore => return None,
                    Mark::Closing(len) => after += len,
                    Mark::Opening | Mark::Next | Mark::Tags => return Some(true),
                    Mark::Separator(_) | Mark::Nothing => return Some(false),
                },
                Some(_) => return Some(false),
            }
        }
        Some(false)
    }

    fn no_call(&mut self, region: &Region, out: &mut Vec<Event>) -> Flow {
        // The marker itself is text again, and what follows it is looked at again.
        self.flush(region.body, out);
        self.buffer.scan = region.body.max(region.start + self.buffer.character(region.start));
        Flow::Again
    }

    fn close(&mut self, region: Region, at: usize, end: End, out: &mut Vec<Event>) -> Flow {
        if region.data {
            return self.nothing_read(&region, at, end, out);
        }
        let len = if let End::Closed(len) = end { len } else { 0 };
        let Contents { mut calls, repairs } = self.read_region(&region, at, end);
        if calls.is_empty() && region.begun.is_none() {
            return self.nothing_read(&region, at + len, end, out);
        }
        if let Some(begun) = &region.begun {
            let first = region.values.first().map_or(at, |span| span.end);
            self.arguments_to(begun.index, begun.end.unwrap_or(first).min(first), out);
        }
        out.extend(repairs.into_iter().map(Event::Repair));
        let whole = end != End::Cut
            || match self.finish {
                Finish::Stop | Finish::Unsaid => self.arguments_are_whole(&region, at),
                Finish::Length | Finish::Cancelled => false,
            };
        let unclosed = end == End::Cut && !(region.open.is_none() && self.ends_without_closing(&region));
        if end == End::Implied {
            self.repair(&MISSING_CLOSING, at, at, out);
        } else if unclosed && whole && region.closer != Closer::Balance {
            self.repair(&UNCLOSED_CALL, region.start, at, out);
        }
        if let Some(begun) = &region.begun {
            let same = calls.first().is_some_and(|read| read.named.name == begun.name);
            let arguments = if same { calls.remove(0).arguments } else { None };
            let complete = whole && arguments.is_some();
            out.push(Event::CallEnd { index: begun.index, complete, unclosed, arguments, at });
        }
        let ended = Ended { whole, unclosed, at };
        for (number, read) in calls.into_iter().enumerate() {
            let from = region.values.get(number + usize::from(region.begun.is_some())).copied();
            self.emit(&region, read, from, ended, out);
        }
        self.markup(at + len, out);
        self.buffer.scan = at + len;
        Flow::Again
    }

    /// Whether the format writes nothing behind its last value.
    fn ends_without_closing(&self, region: &Region) -> bool {
        region.closer == Closer::Message || token::has_no_closing(self.buffer.piece(region.start, region.body))
    }

    /// Whether only brackets around the arguments are missing at the end of the output.
    fn arguments_are_whole(&self, region: &Region, at: usize) -> bool {
        let Some((tracker, start)) = &region.open else { return true };
        let text = self.buffer.piece(*start, at);
        let stopped = self.finish == Finish::Stop;
        let around = match text.as_bytes().first() {
            // The bracket of the object around the arguments may be missing only where the model is known to have stopped.
            Some(b'[') if stopped && text.get(1..).is_some_and(|rest| rest.trim_start().starts_with('{')) => 2,
            Some(b'[') => 1,
            Some(b'{') if stopped && region.begun.as_ref().is_none_or(|begun| begun.from != *start) => 1,
            _ => 0,
        };
        tracker.open_brackets().is_some_and(|open| open <= around) && text.trim_end().ends_with(['}', ']', ')'])
    }

    fn nothing_read(&mut self, region: &Region, to: usize, end: End, out: &mut Vec<Event>) -> Flow {
        if region.trust == Trust::Bare {
            // Data, not a call: all of it is prose, and none of it is looked at again.
            let stop = region.values.last().map_or(to, |span| span.end);
            self.flush(stop, out);
            self.buffer.scan = stop;
        } else if region.values.is_empty() && region.open.is_none() && end != End::Cut {
            return self.no_call(region, out);
        } else {
            self.report_unrecovered(to, "what stands here is marked as a call and could not be read as one", out);
            self.buffer.scan = to;
        }
        Flow::Again
    }

    /// The events of one call.
    fn emit(&mut self, region: &Region, read: Read, value: Option<Span>, ended: Ended, out: &mut Vec<Event>) {
        let index = self.calls;
        self.calls += 1;
        if read.named.folded {
            out.push(Event::Repair(Repair::new(
                &FOLDED_NAME,
                Span::at(region.start),
                &read.raw_name,
                &read.named.name,
            )));
        }
        out.push(Event::CallStart {
            index,
            id: read.id,
            name: read.named.name,
            raw_name: read.raw_name,
            place: region.place,
            at: self.buffer.done(),
        });
        if let Some(span) = value.filter(|span| span.start >= self.buffer.done()) {
            self.markup(span.start, out);
            if let Some((delta, span)) = self.buffer.take(span.end) {
                out.push(Event::ArgDelta { index, delta, span });
            }
        }
        let complete = ended.whole && read.arguments.is_some();
        let Ended { unclosed, at, .. } = ended;
        out.push(Event::CallEnd { index, complete, unclosed, arguments: read.arguments, at });
    }
}

/// What a marker inside a value does.
enum Inside {
    /// It is part of the value.
    Text,
    /// So many bytes of it are done.
    Passed(usize),
    NeedMore,
    /// It ends the value, and so many bytes of it the call.
    End(usize),
}

/// What following a region came to.
enum Step {
    Go,
    End(usize, End),
    NoCall,
    Tags,
    TooLong,
}

fn mark_of(role: Role, len: usize, closer: Closer) -> Mark {
    match role {
        Role::Separator => Mark::Separator(len),
        Role::CallClose => Mark::Closing(len),
        Role::MessageEnd if closer == Closer::Message => Mark::Closing(len),
        Role::CallOpen => Mark::Opening,
        Role::SectionOpen | Role::SectionClose | Role::Header | Role::MessageEnd | Role::MessageStart | Role::Noise => {
            Mark::Next
        }
        Role::ThinkOpen | Role::ThinkClose => Mark::Next,
        Role::Body => Mark::Nothing,
    }
}

/// What may be between and behind values.
fn is_filler(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '`' | '}' | ']' | ')')
}

/// Where something may begin between values.
const BETWEEN: [bool; 256] = bytes(b"{[(<&\xEF");
/// So many closings in a row are looked at.
const MOST_CLOSINGS: usize = 8;
/// Longer heads are no names.
const LONGEST_HEAD: usize = 512;
