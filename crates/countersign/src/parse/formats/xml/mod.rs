//! Calls whose arguments are tags: `<function=x><parameter=city>Oslo</parameter></function>` and its relatives.
//!
//! A parameter ends at its own closing where structure follows; a closing that is followed by other words may be part
//! of the value (somebody writes about tags), and is believed only when nothing better comes. The closing of a call or
//! a wrapper ends what is open inside it.

/// What a parameter's text is worth.
mod value;
/// Beginning and end of a call.
mod call;
/// Calls inside the text of a parameter.
mod nesting;
/// Beginning and end of a parameter.
mod parameter;

use super::buffer::bytes;
use super::line::ends_quotation;
use super::payload::Trust;
use super::region::{Closer, Region};
use super::tag::{MARK, Means, Tag, TagLex, Wanted};
use super::token::{self, Role};
use super::tools::{Named, Tools};
use super::tracker::Tracker;
use super::word::is_name;
use super::{Flow, FormatEngine, State};
use crate::parse::event::Event;
use crate::parse::markup::Input;
use nesting::Nesting;
use serde_json::{Map, Value};

/// A call in tags, or its wrapper, while it is read.
#[derive(Debug, Default)]
pub(super) struct Xml {
    start: usize,
    /// Where the text inside the wrapper begins.
    head: usize,
    wrapped: bool,
    /// The opening was written with entities, so closings may be too.
    escaped: bool,
    /// The name that an attribute of the wrapper gave.
    title: Option<String>,
    /// A tag of a tool's name that opens a call only if a parameter follows.
    pending: Option<Pending>,
    call: Option<Call>,
}

#[derive(Debug)]
struct Pending {
    tool: usize,
    raw_name: String,
}

#[derive(Debug)]
struct Call {
    index: usize,
    named: Named,
    /// Where the arguments begin.
    body: usize,
    /// A tool's own name was the tag.
    own_tag: bool,
    /// Values are exactly what is between the tags.
    exact: bool,
    marked: bool,
    arguments: Map<String, Value>,
    key: Option<String>,
    parameter: Option<Parameter>,
    /// A value was announced and never came.
    broken: bool,
    /// Arguments written as JSON, as far as they were followed.
    json: Option<(Tracker, usize)>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    means: Means,
    from: usize,
    /// What the dialect says of the type.
    text: Option<bool>,
    /// The first own closing that nothing confirmed: where the value ends, and what follows.
    candidate: Option<(usize, usize)>,
    /// The first outer closing that nothing confirmed.
    outer: Option<usize>,
    /// The calls that are open inside its text.
    nesting: Nesting,
}

/// What a step came to.
enum Step {
    Go(Box<Xml>),
    /// The region is over.
    Over,
    Wait(Box<Xml>),
    /// No call: the opening is text.
    Text(Box<Xml>),
    /// The payload is JSON.
    Json(Box<Xml>),
}

impl Xml {
    /// A wrapper was opened at `start`.
    pub(super) fn wrapped(start: usize, tag: &Tag) -> Self {
        let escaped = tag.candidate.odd.entity;
        Self { start, head: start + tag.len, wrapped: true, escaped, title: tag.named(), ..Self::default() }
    }

    /// A tool's own name was opened at `start`: perhaps a call.
    pub(super) fn maybe_tool(start: usize, tag: &Tag, tool: usize) -> Self {
        let pending = Some(Pending { tool, raw_name: tag.candidate.raw_name.clone() });
        Self { start, head: start + tag.len, escaped: tag.candidate.odd.entity, pending, ..Self::default() }
    }

    /// A call without wrapper begins at `start`: its tag is read again inside.
    pub(super) fn begin(self, start: usize) -> Self {
        Self { start, head: start, ..self }
    }

    fn is_pending(&self, tool: usize) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.tool == tool)
    }

    fn find_wanted(&self, tools: &Tools) -> Wanted {
        let unknown = |tool: Option<usize>| tool.and_then(|tool| tools.properties(tool)).is_none();
        match (&self.call, &self.pending) {
            (Some(call), _) if call.own_tag && unknown(call.named.tool) => Wanted::Any,
            (Some(call), _) => Wanted::Parameters(call.named.tool),
            (None, Some(pending)) if unknown(Some(pending.tool)) => Wanted::Any,
            (None, Some(pending)) => Wanted::Parameters(Some(pending.tool)),
            (None, None) => Wanted::Tools,
        }
    }
}

impl FormatEngine {
    /// Follows a region of tags as far as the text has come.
    pub(super) fn xml(&mut self, mut xml: Box<Xml>, out: &mut Vec<Event>) -> Flow {
        self.buffer.scan = self.buffer.scan.max(xml.head);
        self.buffer.keep = Some(xml.start);
        loop {
            match self.xml_step(xml, out) {
                Step::Go(next) => xml = next,
                Step::Over => {
                    self.buffer.keep = None;
                    return Flow::Again;
                }
                Step::Wait(xml) => {
                    self.stream(&xml, out);
                    self.state = State::Xml(xml);
                    return Flow::Wait;
                }
                Step::Text(xml) => {
                    self.buffer.keep = None;
                    let after = xml.head.max(xml.start + self.buffer.character(xml.start));
                    self.flush(after, out);
                    self.buffer.scan = after;
                    return Flow::Again;
                }
                Step::Json(xml) => {
                    self.buffer.keep = None;
                    let region = Region::new(xml.start, xml.head, Closer::Wrapper, Trust::Marked, self.place());
                    self.buffer.scan = xml.head;
                    self.state = State::Region(Box::new(region));
                    return Flow::Again;
                }
            }
        }
    }

    /// Gives out the arguments as far as it is certain that they belong to the call.
    fn stream(&mut self, xml: &Xml, out: &mut Vec<Event>) {
        let Some(call) = &xml.call else { return };
        let mut certain = self.buffer.floor(self.buffer.scan.min(self.limit(xml.start)));
        if let Some(parameter) = &call.parameter {
            certain = certain.min(parameter.candidate.map_or(certain, |(end, _)| end));
            certain = certain.min(parameter.outer.unwrap_or(certain));
            certain = certain.min(parameter.nesting.begun().unwrap_or(certain));
        }
        self.arguments_to(call.index, certain, out);
    }

    /// What is beyond the limit is looked at as prose again.
    fn give_up(&mut self, xml: &Xml, out: &mut Vec<Event>) -> Step {
        let least = xml.head.max(xml.start + self.buffer.character(xml.start));
        let at = self.buffer.floor(self.limit(xml.start)).max(least).max(self.buffer.done());
        if let Some(call) = &xml.call {
            self.arguments_to(call.index, at, out);
            out.push(Event::CallEnd { index: call.index, complete: false, unclosed: true, arguments: None, at });
        }
        self.report_unrecovered(at, "the call is longer than the limit", out);
        self.buffer.scan = at;
        Step::Over
    }

    fn xml_step(&mut self, xml: Box<Xml>, out: &mut Vec<Event>) -> Step {
        let found = self.buffer.find(self.buffer.scan, &OPENERS);
        if xml.call.is_none() {
            let until = found.unwrap_or(self.buffer.end());
            match self.head_of(&xml, until) {
                Head::Plausible => {}
                Head::Json => return Step::Json(xml),
                Head::Text => return Step::Text(xml),
            }
        }
        if xml.call.is_some() && found.unwrap_or(self.buffer.end()) > self.limit(xml.start) {
            return self.give_up(&xml, out);
        }
        let Some(at) = found else {
            self.buffer.scan = self.buffer.end();
            return if self.input == Input::Ended { self.cut(xml, out) } else { Step::Wait(xml) };
        };
        self.at_opener(xml, at, out)
    }

    fn at_opener(&mut self, mut xml: Box<Xml>, at: usize, out: &mut Vec<Event>) -> Step {
        match self.is_in_json_string(&mut xml, at) {
            Some(false) => {}
            Some(true) => {
                self.buffer.scan = at + self.buffer.character(at);
                return Step::Go(xml);
            }
            None => {
                self.buffer.scan = at;
                return Step::Wait(xml);
            }
        }
        if let token::Lexed::Token(role, len) = self.token_at(at)
            && !matches!(role, Role::Separator)
        {
            if self.token_nests(&mut xml, role, at) || self.token_is_text(&mut xml, at) {
                self.buffer.scan = at + len;
                return Step::Go(xml);
            }
            return self.at_token(xml, at, out);
        }
        let text = self.buffer.from(at);
        if text.starts_with(']') && !text.starts_with(MARK) {
            if MARK.starts_with(text) && self.input == Input::Open {
                self.buffer.scan = at;
                return Step::Wait(xml);
            }
            self.buffer.scan = at + 1;
            return Step::Go(xml);
        }
        match self.lexicon.read(text, at, self.input, xml.find_wanted(&self.tools), &self.tools) {
            TagLex::NeedMore if self.input == Input::Open => {
                self.buffer.scan = at;
                Step::Wait(xml)
            }
            TagLex::NeedMore | TagLex::Not => {
                self.buffer.scan = at + self.buffer.character(at);
                Step::Go(xml)
            }
            TagLex::Tag(tag) if tag.candidate.odd.entity && !xml.escaped => match self.meant(&xml, &tag, at) {
                None => {
                    self.buffer.scan = at;
                    Step::Wait(xml)
                }
                Some(true) => self.on_tag(xml, *tag, at, out),
                Some(false) => {
                    self.buffer.scan = at + 1;
                    Step::Go(xml)
                }
            },
            // The end of the output cut the tag off: it closes nothing.
            TagLex::Tag(tag)
                if !tag.candidate.terminated && at + tag.len == self.buffer.end() && xml.call.is_some() =>
            {
                self.buffer.scan = self.buffer.end();
                self.cut(xml, out)
            }
            TagLex::Tag(tag) => self.on_tag(xml, *tag, at, out),
        }
    }

    fn token_at(&self, at: usize) -> token::Lexed {
        if self.buffer.byte(at) == Some(b'<') { token::lex(self.buffer.from(at)) } else { token::Lexed::Not }
    }

    /// A token inside a parameter belongs to its text, unless the end of the output shows that nothing else closes the
    /// parameter. That is found out once for an output, so that reading stays linear.
    fn token_is_text(&self, xml: &mut Xml, at: usize) -> bool {
        let parameter = xml.call.as_mut().and_then(|call| call.parameter.as_mut());
        let Some(parameter) = parameter.filter(|_| !self.flat) else { return false };
        parameter.outer.get_or_insert(at);
        true
    }

    /// A special token ends a call in tags: the message or the section is over.
    fn at_token(&mut self, mut xml: Box<Xml>, at: usize, out: &mut Vec<Event>) -> Step {
        match &mut xml.call {
            Some(call) => {
                if let Some(parameter) = &mut call.parameter {
                    parameter.outer.get_or_insert(at);
                }
                self.end_call(&mut xml, at, at, Ending::Implied, out);
                Step::Over
            }
            None => Step::Text(xml),
        }
    }

    /// What is inside a wrapper before the first tag.
    fn head_of(&self, xml: &Xml, until: usize) -> Head {
        let text = self.buffer.piece(xml.head, until.max(xml.head));
        let words = text.trim_start();
        if text.len() - words.len() > LONGEST_HEAD {
            return Head::Text;
        }
        if xml.pending.is_some() {
            return if words.is_empty() { Head::Plausible } else { Head::Text };
        }
        if words.starts_with(['{', '[']) {
            return Head::Json;
        }
        if self.is_mention() && words.starts_with(ends_quotation) {
            return Head::Text;
        }
        if words.starts_with('`') {
            return read_fenced_head(words);
        }
        let end = words.find(|c: char| c.is_whitespace() || matches!(c, '{' | '(')).unwrap_or(words.len());
        let (name, rest) = words.split_at(end);
        let name = head_name(name);
        if name.is_empty() || (rest.is_empty() && "function=".starts_with(name)) {
            return Head::Plausible;
        }
        let after = rest.trim_start();
        if !is_name(name) || rest.len() - after.len() > MOST_BLANKS {
            return Head::Text;
        }
        match after.chars().next() {
            None => Head::Plausible,
            Some('{' | '(') => Head::Json,
            Some(_) => Head::Text,
        }
    }

    fn on_tag(&mut self, mut xml: Box<Xml>, tag: Tag, at: usize, out: &mut Vec<Event>) -> Step {
        if xml.call.as_ref().is_some_and(|call| call.parameter.is_some()) {
            return self.in_parameter(xml, tag, at, out);
        }
        let after = at + tag.len;
        if tag.candidate.self_closing && tag.means == Means::Call && self.goes_on(&xml, after).is_none() {
            self.buffer.scan = at;
            return Step::Wait(xml);
        }
        self.buffer.scan = after;
        match (tag.means, tag.candidate.closing) {
            (Means::Call, false) if self.repeats_call(&xml, &tag) => Step::Go(xml),
            (Means::Call, false) if tag.named().is_some() => self.open_call(xml, &tag, at, out),
            // An opening without a name where a closing belongs: the slash was lost.
            (Means::Call, false) if xml.call.is_some() => {
                self.end_call(&mut xml, at, after, Ending::Closed, out);
                self.after_call(xml, after)
            }
            (Means::Tool(tool), false) if xml.call.is_none() && xml.wrapped => {
                let named = Named { folded: false, ..self.tools.resolve(&tag.candidate.raw_name) };
                let named = Named { tool: Some(tool), ..named };
                self.start_call(&mut xml, named, &tag.candidate.raw_name, after, out);
                call::own_tag(&mut xml);
                Step::Go(xml)
            }
            // A tool's own tag with nothing in it.
            (Means::Tool(tool), true) if xml.is_pending(tool) && self.tools.requires_nothing(tool) => {
                self.begin_named_call(&mut xml, &tag, at, out);
                self.end_call(&mut xml, at, after, Ending::Closed, out);
                self.after_call(xml, after)
            }
            (Means::Wrapper, false) => {
                if xml.call.is_some() {
                    self.end_call(&mut xml, at, at, Ending::Implied, out);
                }
                (xml.wrapped, xml.head) = (true, after);
                Step::Go(xml)
            }
            (Means::Wrapper, true) => self.close_wrapper(xml, at, after, out),
            (_, true) if xml.call.is_some() && self.closes_call(&xml, &tag) => match self.goes_on(&xml, after) {
                None => {
                    self.buffer.scan = at;
                    Step::Wait(xml)
                }
                Some(true) => Step::Go(xml),
                Some(false) => {
                    self.end_call(&mut xml, at, after, Ending::Closed, out);
                    self.after_call(xml, after)
                }
            },
            (Means::Call, true) if xml.call.is_none() => {
                xml.head = after;
                Step::Go(xml)
            }
            _ => self.open_parameter(xml, &tag, at, after, out),
        }
    }

    fn close_wrapper(&mut self, mut xml: Box<Xml>, at: usize, after: usize, out: &mut Vec<Event>) -> Step {
        if xml.call.is_some() {
            let implied = xml.call.as_ref().is_some_and(|call| call.exact || !call.own_tag);
            let ending = if implied && !self.is_named_by_head(&xml) { Ending::Implied } else { Ending::Closed };
            self.end_call(&mut xml, at, after, ending, out);
            return Step::Over;
        }
        let head = self.buffer.piece(xml.head, at).trim().to_owned();
        if head.is_empty() {
            self.markup(after, out);
            return Step::Over;
        }
        let named = self.tools.resolve(&head);
        if is_name(&head) && (named.tool.is_some() || self.tools.is_empty()) {
            self.start_call(&mut xml, named, &head, at, out);
            self.end_call(&mut xml, at, after, Ending::Closed, out);
            return Step::Over;
        }
        self.report_unrecovered(after, "what stands here is marked as a call and could not be read as one", out);
        Step::Over
    }

    /// Whether the wrapper itself is the call: its name is in its text.
    fn is_named_by_head(&self, xml: &Xml) -> bool {
        xml.call.as_ref().is_some_and(|call| call.key.is_some() || call.body > xml.head)
    }

    /// The output ended inside.
    fn cut(&mut self, mut xml: Box<Xml>, out: &mut Vec<Event>) -> Step {
        let end = self.buffer.end();
        if self.unnest(&mut xml) {
            return Step::Go(xml);
        }
        if xml.call.is_none() {
            return self.cut_head(xml, end, out);
        }
        let call = xml.call.as_ref();
        let parameter = call.and_then(|call| call.parameter.as_ref());
        let resume = parameter.and_then(|parameter| parameter.candidate.map(|(_, after)| after).or(parameter.outer));
        if let Some(resume) = resume {
            // A closing was there after all: what follows it is looked at again.
            self.flat = true;
            let value = parameter.and_then(|parameter| parameter.candidate.map(|(end, _)| end)).unwrap_or(resume);
            let own = parameter.is_some_and(|parameter| parameter.candidate.is_some());
            self.end_parameter(&mut xml, value);
            self.buffer.scan = resume;
            if own {
                return Step::Go(xml);
            }
            self.end_call(&mut xml, resume, resume, Ending::Implied, out);
            return Step::Over;
        }
        let stop = self.without_cut_tag(end);
        self.end_call(&mut xml, stop, end, Ending::Cut, out);
        Step::Over
    }

    /// Where a tag of the structure begins that the end of the output cut off.
    fn without_cut_tag(&self, end: usize) -> usize {
        let from = self.buffer.done();
        let text = self.buffer.piece(from, end);
        let Some(open) = text.rfind('<') else { return end };
        let name = text.get(open + 1..).unwrap_or_default();
        let closing = name.starts_with('/');
        let name = name.trim_start_matches('/');
        if (name.is_empty() && closing) || self.lexicon.begins_like(name) { from + open } else { end }
    }

    fn cut_head(&mut self, xml: Box<Xml>, end: usize, out: &mut Vec<Event>) -> Step {
        if xml.wrapped && self.buffer.done() >= xml.head {
            self.flush(end, out);
            return Step::Over;
        }
        Step::Text(xml)
    }
}

/// What a wrapper's text may be.
enum Head {
    Plausible,
    Json,
    Text,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Closed,
    Implied,
    Cut,
}

/// A fence inside a wrapper: its payload is JSON, or it is something else.
fn read_fenced_head(words: &str) -> Head {
    let info = words.trim_start_matches('`');
    let after = info.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    let inner = after.trim_start();
    // Each part is short, so that what is waited for is bounded.
    let short = |whole: &str, rest: &str| whole.len() - rest.len() <= MOST_BLANKS;
    if !short(words, info) || !short(info, after) || !short(after, inner) {
        return Head::Text;
    }
    match inner.chars().next() {
        Some('{' | '[') => Head::Json,
        None => Head::Plausible,
        Some(_) => Head::Text,
    }
}

/// The name in the text of a wrapper, without what belongs to a broken tag or an escaped line break.
fn head_name(text: &str) -> &str {
    let name = text.trim().trim_end_matches("\\n").trim_end_matches('\\').trim();
    name.strip_prefix("function=").map_or(name, |name| name.trim_end_matches('>').trim())
}

/// Where a tag or a token may begin.
const OPENERS: [bool; 256] = bytes(b"<&]\xEF\xE3");

/// Longer texts are no names.
const LONGEST_HEAD: usize = 160;

/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;
