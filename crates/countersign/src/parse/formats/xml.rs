//! Calls whose arguments are tags: `<function=x><parameter=city>Oslo</parameter></function>` and its relatives.
//!
//! A parameter ends at its own closing where structure follows; a closing that is followed by other words may be part
//! of the value (somebody writes about tags), and is believed only when nothing better comes. The closing of a call or
//! a wrapper ends what is open inside it.

use super::buffer::bytes;
use super::elements;
use super::payload::{Trust, read_arguments, sure};
use super::pythonic::is_name;
use super::region::{Closer, Region};
use super::repairs::{FOLDED_NAME, MISSING_CLOSING, MISSPELT_TAG, ODD_TAG, UNCLOSED_CALL};
use super::tag::{MARK, Means, Tag, TagLex, Wanted, is_odd, is_parameter};
use super::token::{self, Role};
use super::tools::{Named, Tools, near};
use super::{Flow, FormatEngine, State};
use crate::parse::align;
use crate::parse::event::{Event, Finish, Repair, Span};
use crate::parse::json;
use crate::parse::markup::Input;
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
    /// Values are exactly what stands between the tags.
    exact: bool,
    marked: bool,
    arguments: Map<String, Value>,
    key: Option<String>,
    parameter: Option<Parameter>,
    /// A value was announced and never came.
    broken: bool,
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

    fn wanted(&self, tools: &Tools) -> Wanted {
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
    /// Whether a call tag in prose opens a call: its tool is registered, or no tools are known.
    pub(super) fn opens_call(&self, tag: &Tag) -> Option<Xml> {
        let named = tag.named()?;
        let known = self.tools.resolve(&named).tool.is_some();
        (known || (self.tools.is_empty() && is_name(&named)))
            .then(|| Xml { escaped: tag.candidate.odd.entity, ..Xml::default() })
    }

    /// Follows a region of tags as far as the text has come.
    pub(super) fn xml(&mut self, mut xml: Box<Xml>, out: &mut Vec<Event>) -> Flow {
        self.buffer.scan = self.buffer.scan.max(xml.head);
        self.buffer.keep = Some(xml.start);
        if self.buffer.end() - xml.start > self.options.max_region {
            self.give_up(*xml, out);
            return Flow::Again;
        }
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
                    self.flush(xml.head.max(xml.start + 1), out);
                    self.buffer.scan = xml.head.max(xml.start + 1);
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
        let mut certain = self.buffer.scan;
        if let Some(parameter) = &call.parameter {
            certain = certain.min(parameter.candidate.map_or(certain, |(end, _)| end));
            certain = certain.min(parameter.outer.unwrap_or(certain));
        }
        self.arguments_to(call.index, certain, out);
    }

    /// Gives out the arguments before `to`. What is said about a place comes after what stands before it.
    fn arguments_to(&mut self, index: usize, to: usize, out: &mut Vec<Event>) {
        if let Some((delta, span)) = self.buffer.take(to) {
            out.push(Event::ArgDelta { index, delta, span });
        }
    }

    fn give_up(&mut self, xml: Xml, out: &mut Vec<Event>) {
        let end = self.buffer.end();
        if let Some(call) = xml.call {
            out.push(Event::CallEnd { index: call.index, complete: false, unclosed: true, arguments: None, at: end });
        }
        self.unrecovered(end, "the call is longer than the limit", out);
        self.buffer.keep = None;
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
        let Some(at) = found else {
            self.buffer.scan = self.buffer.end();
            return if self.input == Input::Ended { self.cut(xml, out) } else { Step::Wait(xml) };
        };
        self.at_opener(xml, at, out)
    }

    fn at_opener(&mut self, xml: Box<Xml>, at: usize, out: &mut Vec<Event>) -> Step {
        if let token::Lexed::Token(role, _) = self.token_at(at)
            && !matches!(role, Role::Separator)
        {
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
        match self.lexicon.read(text, at, self.input, xml.wanted(&self.tools), &self.tools) {
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

    /// Whether a closing written with entities among plain tags is meant: the call's own structure follows it.
    fn meant(&self, xml: &Xml, tag: &Tag, at: usize) -> Option<bool> {
        if !self.closes_parameter(xml, tag) {
            return Some(false);
        }
        let text = self.buffer.from(at + tag.len);
        let rest = text.trim_start();
        if text.len() - rest.len() > MOST_BLANKS {
            return Some(true);
        }
        if rest.is_empty() {
            return (self.input == Input::Ended).then_some(true);
        }
        if !rest.starts_with(['<', '＜']) {
            return Some(false);
        }
        let (means, closing) = self.lexicon.peek(rest, self.input, xml.wanted(&self.tools), &self.tools)?;
        Some(means != Means::Other && !(closing && matches!(means, Means::Parameter | Means::Key | Means::Value)))
    }

    fn token_at(&self, at: usize) -> token::Lexed {
        if self.buffer.byte(at) == Some(b'<') { token::lex(self.buffer.from(at)) } else { token::Lexed::Not }
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

    /// What stands inside a wrapper before the first tag.
    fn head_of(&self, xml: &Xml, until: usize) -> Head {
        let text = self.buffer.piece(xml.head, until.max(xml.head));
        let words = text.trim_start();
        if xml.pending.is_some() {
            return if words.is_empty() { Head::Plausible } else { Head::Text };
        }
        if words.starts_with(['{', '[']) {
            return Head::Json;
        }
        if words.starts_with('`') {
            return fenced_head(words);
        }
        let end = words.find(|c: char| c.is_whitespace() || matches!(c, '{' | '(')).unwrap_or(words.len());
        let (name, rest) = words.split_at(end);
        let rest = rest.trim_start_matches([' ', '\t']);
        let name = head_name(name);
        if name.is_empty() || (rest.is_empty() && "function=".starts_with(name)) {
            return Head::Plausible;
        }
        if !is_name(name) || words.len() > LONGEST_HEAD {
            return Head::Text;
        }
        match rest.trim_start().chars().next() {
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
            (Means::Call, false) if tag.candidate.named().is_some() => self.open_call(xml, &tag, at, out),
            // An opening without a name where a closing belongs: the slash was lost.
            (Means::Call, false) if xml.call.is_some() => {
                self.end_call(&mut xml, at, after, Ending::Closed, out);
                self.after_call(xml, after)
            }
            (Means::Tool(tool), false) if xml.call.is_none() && xml.wrapped => {
                let named = Named { folded: false, ..self.tools.resolve(&tag.candidate.raw_name) };
                let named = Named { tool: Some(tool), ..named };
                self.start_call(&mut xml, named, &tag.candidate.raw_name, after, out);
                own_tag(&mut xml);
                Step::Go(xml)
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

    fn closes_call(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(call) = &xml.call else { return false };
        match tag.means {
            Means::Call => true,
            _ if call.own_tag => {
                self.tools.of_tag(&tag.candidate.name).is_some_and(|tool| Some(tool) == call.named.tool)
            }
            _ => false,
        }
    }

    /// The same call opened twice before anything else.
    fn repeats_call(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(call) = &xml.call else { return false };
        let same = tag.named().is_some_and(|name| self.tools.resolve(&name).name == call.named.name);
        let from = self.buffer.scan.saturating_sub(tag.len);
        same && call.arguments.is_empty() && self.buffer.piece(call.body, from.max(call.body)).trim().is_empty()
    }

    /// Whether a parameter follows the closing of a call inside its wrapper: then the closing came too early.
    fn goes_on(&self, xml: &Xml, after: usize) -> Option<bool> {
        if !xml.wrapped {
            return Some(false);
        }
        let text = self.buffer.from(after);
        let rest = text.trim_start();
        if text.len() - rest.len() > MOST_BLANKS {
            return Some(false);
        }
        if rest.is_empty() {
            return (self.input == Input::Ended).then_some(false);
        }
        if !rest.starts_with(['<', '＜']) {
            return Some(false);
        }
        if self.input == Input::Open && token::lex(rest) == token::Lexed::NeedMore {
            return None;
        }
        let seen = self.lexicon.peek(rest, self.input, Wanted::Tools, &self.tools)?;
        Some(seen == (Means::Parameter, false))
    }

    /// After a call: inside its wrapper more may come; outside, the region is over.
    fn after_call(&mut self, mut xml: Box<Xml>, after: usize) -> Step {
        if !xml.wrapped {
            return Step::Over;
        }
        (xml.start, xml.head) = (after, after);
        self.buffer.keep = Some(after);
        Step::Go(xml)
    }

    fn close_wrapper(&mut self, mut xml: Box<Xml>, at: usize, after: usize, out: &mut Vec<Event>) -> Step {
        if xml.call.is_some() {
            let implied = xml.call.as_ref().is_some_and(|call| call.exact || !call.own_tag);
            let ending = if implied && !self.named_by_head(&xml) { Ending::Implied } else { Ending::Closed };
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
        self.unrecovered(after, "what stands here is marked as a call and could not be read as one", out);
        Step::Over
    }

    /// Whether the wrapper itself is the call: its name stands in its text.
    fn named_by_head(&self, xml: &Xml) -> bool {
        xml.call.as_ref().is_some_and(|call| call.key.is_some() || call.body > xml.head)
    }

    fn open_call(&mut self, mut xml: Box<Xml>, tag: &Tag, at: usize, out: &mut Vec<Event>) -> Step {
        if xml.call.is_some() {
            self.end_call(&mut xml, at, at, Ending::Implied, out);
            (xml.start, xml.head) = (at, at);
        }
        let raw = tag.named().unwrap_or_default();
        let named = self.tools.resolve(&raw);
        self.note(tag, at, out);
        let after = at + tag.len;
        self.start_call(&mut xml, named, &raw, after, out);
        if let Some(call) = &mut xml.call {
            call.exact = tag.bare_name() == "invoke";
            call.marked = tag.marked;
            self.take_attributes(call, tag);
        }
        if tag.candidate.self_closing && self.goes_on(&xml, after) != Some(true) {
            self.end_call(&mut xml, after, after, Ending::Closed, out);
            return self.after_call(xml, after);
        }
        Step::Go(xml)
    }

    /// Parameters that were written as attributes of the call.
    fn take_attributes(&self, call: &mut Call, tag: &Tag) {
        let Some(tool) = call.named.tool else { return };
        let root = self.tools.schema(tool);
        let Some(properties) = self.tools.properties(tool) else { return };
        for (name, value) in tag.candidate.attributes.iter().filter(|(_, value)| !value.is_empty()) {
            if name == "name" && tag.candidate.value.is_none() {
                continue;
            }
            if let Some((key, schema)) = properties.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
                call.arguments.insert(key.clone(), align::from_text(value, schema, root, &self.options));
            }
        }
    }

    fn start_call(&mut self, xml: &mut Xml, named: Named, raw: &str, body: usize, out: &mut Vec<Event>) {
        let index = self.calls;
        self.calls += 1;
        if named.folded {
            out.push(Event::Repair(Repair::new(&FOLDED_NAME, Span::new(xml.start, body), raw, &named.name)));
        }
        let (name, raw_name, place) = (named.name.clone(), raw.to_owned(), self.place());
        out.push(Event::CallStart { index, id: None, name, raw_name, place, at: xml.start });
        self.markup(body, out);
        xml.pending = None;
        xml.call = Some(Call {
            index,
            named,
            body,
            own_tag: false,
            exact: false,
            marked: false,
            arguments: Map::new(),
            key: None,
            parameter: None,
            broken: false,
        });
    }

    /// What was odd about a tag that was understood.
    fn note(&self, tag: &Tag, at: usize, out: &mut Vec<Event>) {
        if is_odd(tag) {
            let kind = if tag.misspelt > 0 { &MISSPELT_TAG } else { &ODD_TAG };
            self.repair(kind, at, at + tag.len, out);
        }
    }

    fn open_parameter(&mut self, mut xml: Box<Xml>, tag: &Tag, at: usize, after: usize, out: &mut Vec<Event>) -> Step {
        if tag.candidate.closing {
            return Step::Go(xml);
        }
        if xml.call.is_none() && !self.begin_named_call(&mut xml, tag, at, out) {
            return Step::Text(xml);
        }
        let wanted = xml.wanted(&self.tools);
        let Some(call) = &mut xml.call else { return Step::Text(xml) };
        let name = match tag.means {
            Means::Parameter if tag.candidate.named().is_none() && tag.marked => Some(tag.candidate.raw_name.clone()),
            Means::Parameter => tag.named(),
            Means::Key => Some(String::new()),
            Means::Value => call.key.take(),
            Means::Other if tag.marked || is_parameter(&tag.candidate.name, wanted, &self.tools) => {
                Some(tag.candidate.raw_name.clone())
            }
            _ => return Step::Go(xml),
        };
        let Some(name) = name else {
            call.broken |= tag.means == Means::Value;
            return Step::Go(xml);
        };
        let index = call.index;
        let text = tag.candidate.attribute("string").map(|value| value.eq_ignore_ascii_case("true"));
        let means =
            if tag.candidate.named().is_none() && tag.means == Means::Parameter { Means::Other } else { tag.means };
        let parameter = Parameter { name, means, from: after, text, candidate: None, outer: None };
        if tag.candidate.self_closing {
            let value = VALUES.iter().find_map(|name| tag.candidate.attribute(name)).unwrap_or_default().to_owned();
            let tool = call.named.tool;
            let none = Value::Null;
            let root = tool.map_or(&none, |tool| self.tools.schema(tool));
            let schema = root.get("properties").and_then(|all| all.get(&parameter.name)).unwrap_or(&none);
            call.arguments.insert(parameter.name, align::from_text(&value, schema, root, &self.options));
        } else {
            call.parameter = Some(parameter);
        }
        if is_odd(tag) {
            self.arguments_to(index, at, out);
            self.note(tag, at, out);
        }
        Step::Go(xml)
    }

    /// A call whose name is the wrapper's text or the tag of a tool.
    fn begin_named_call(&mut self, xml: &mut Xml, tag: &Tag, at: usize, out: &mut Vec<Event>) -> bool {
        if let Some(pending) = xml.pending.take() {
            let named = Named { tool: Some(pending.tool), ..self.tools.resolve(&pending.raw_name) };
            let (raw, body) = (pending.raw_name, xml.head);
            self.start_call(xml, named, &raw, body, out);
            own_tag(xml);
            return true;
        }
        if !matches!(tag.means, Means::Key | Means::Parameter | Means::Separator | Means::Value) || !xml.wrapped {
            return false;
        }
        let head = head_name(self.buffer.piece(xml.head, at)).to_owned();
        let head = if head.is_empty() { xml.title.take().unwrap_or_default() } else { head };
        if head.is_empty() {
            return false;
        }
        let named = self.tools.resolve(&head);
        let body = if tag.means == Means::Separator { at + tag.len } else { at };
        self.start_call(xml, named, &head, body, out);
        true
    }

    fn in_parameter(&mut self, mut xml: Box<Xml>, tag: Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let after = at + tag.len;
        self.buffer.scan = after;
        let own = self.closes_parameter(&xml, &tag);
        let outer =
            tag.candidate.closing && (tag.means == Means::Wrapper && xml.wrapped || self.closes_call(&xml, &tag));
        let next = !tag.candidate.closing && self.next_parameter(&xml, &tag);
        let confirmed = if own || outer { self.structure_follows(&xml, after) } else { Some(true) };
        let Some(confirmed) = confirmed else {
            self.buffer.scan = at;
            return Step::Wait(xml);
        };
        let Some(call) = xml.call.as_mut() else { return Step::Go(xml) };
        let index = call.index;
        let Some(parameter) = call.parameter.as_mut() else { return Step::Go(xml) };
        if own && confirmed {
            if is_odd(&tag) {
                self.arguments_to(index, at, out);
                self.note(&tag, at, out);
            }
            self.end_parameter(&mut xml, at);
        } else if own {
            parameter.candidate.get_or_insert((at, after));
        } else if outer && confirmed {
            return self.end_at_outer(xml, &tag, at, out);
        } else if outer {
            parameter.outer.get_or_insert(at);
        } else if next {
            let blank = self.buffer.piece(parameter.from, at.max(parameter.from));
            let end = at - (blank.len() - blank.trim_end().len());
            let (end, resume) = parameter.candidate.unwrap_or((end, at));
            self.arguments_to(index, end, out);
            self.repair(&MISSING_CLOSING, end, end, out);
            self.end_parameter(&mut xml, end);
            self.buffer.scan = resume;
        }
        Step::Go(xml)
    }

    fn closes_parameter(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(parameter) = xml.call.as_ref().and_then(|call| call.parameter.as_ref()) else { return false };
        if !tag.candidate.closing {
            // `<parameter>` where `</parameter>` belongs.
            return parameter.means == Means::Parameter
                && tag.means == Means::Parameter
                && tag.candidate.named().is_none();
        }
        match parameter.means {
            Means::Key | Means::Value => matches!(tag.means, Means::Key | Means::Value),
            Means::Other => tag.candidate.name.eq_ignore_ascii_case(&parameter.name),
            // `</city>` for `<parameter=city>`, and one parameter tag for another.
            Means::Parameter => {
                tag.means == Means::Parameter || tag.candidate.name.eq_ignore_ascii_case(&parameter.name)
            }
            means => tag.means == means,
        }
    }

    /// Whether an opening inside a parameter shows that its closing is missing.
    fn next_parameter(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(call) = &xml.call else { return false };
        let Some(parameter) = &call.parameter else { return false };
        match tag.means {
            Means::Parameter => {
                let known = call.named.tool.and_then(|tool| self.tools.properties(tool));
                tag.named().is_some_and(|name| known.is_none_or(|known| known.contains_key(&name)))
            }
            Means::Key => matches!(parameter.means, Means::Key | Means::Value),
            Means::Value => parameter.means == Means::Key,
            Means::Other if parameter.means == Means::Other && !call.marked => {
                parameter.candidate.is_some()
                    || is_parameter(&tag.candidate.name, Wanted::Parameters(call.named.tool), &self.tools)
            }
            _ => false,
        }
    }

    /// Whether structure follows at `after`; `None` while that is not known.
    fn structure_follows(&self, xml: &Xml, after: usize) -> Option<bool> {
        let text = self.buffer.from(after);
        let rest = text.trim_start();
        if text.len() - rest.len() > MOST_BLANKS {
            return Some(true);
        }
        if rest.is_empty() {
            return (self.input == Input::Ended).then_some(true);
        }
        if !rest.starts_with(['<', '＜', '&', ']', '〈']) {
            return Some(rest.starts_with("```"));
        }
        match token::lex(rest) {
            token::Lexed::Token(..) => return Some(true),
            token::Lexed::NeedMore if self.input == Input::Open => return None,
            _ => {}
        }
        match self.lexicon.peek(rest, self.input, xml.wanted(&self.tools), &self.tools) {
            None => None,
            Some((Means::Other, closing)) => {
                let own = xml.call.as_ref().is_some_and(|call| call.own_tag);
                Some(own && closing && self.names_open_tool(xml, rest))
            }
            Some((Means::Think, _)) => Some(false),
            Some(_) => Some(true),
        }
    }

    fn names_open_tool(&self, xml: &Xml, rest: &str) -> bool {
        let name = rest.trim_start_matches(['<', '/', '＜', '／', ' ']);
        let name = name.split(['>', '＞', ' ', '\n']).next().unwrap_or_default();
        let tool = self.tools.of_tag(name);
        tool.is_some() && tool == xml.call.as_ref().and_then(|call| call.named.tool)
    }

    /// An outer closing inside a parameter: the parameter's own was missing.
    fn end_at_outer(&mut self, mut xml: Box<Xml>, tag: &Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let parameter = xml.call.as_ref().and_then(|call| call.parameter.as_ref());
        let end = parameter.and_then(|parameter| parameter.candidate).map_or(at, |(end, _)| end);
        if let Some(index) = xml.call.as_ref().map(|call| call.index) {
            self.arguments_to(index, end, out);
            self.repair(&MISSING_CLOSING, end, end, out);
        }
        self.end_parameter(&mut xml, end);
        let after = at + tag.len;
        if tag.means == Means::Wrapper {
            return self.close_wrapper(xml, at, after, out);
        }
        self.end_call(&mut xml, at, after, Ending::Closed, out);
        self.after_call(xml, after)
    }

    fn end_parameter(&self, xml: &mut Xml, end: usize) {
        let Some(call) = &mut xml.call else { return };
        let Some(parameter) = call.parameter.take() else { return };
        let raw = self.buffer.piece(parameter.from, end.max(parameter.from));
        let raw = raw.strip_suffix(MARK).unwrap_or(raw);
        let raw = without_half_closing(raw);
        if parameter.means == Means::Key {
            call.broken |= call.key.is_some();
            call.key = Some(raw.trim().to_owned());
            return;
        }
        let value = self.value_of(call, &parameter, raw);
        // The mark of the dialect inside a text: tags that do not fit together.
        call.broken |= value.as_str().is_some_and(|text| text.contains(MARK));
        call.arguments.insert(self.parameter_name(call, &parameter.name), value);
    }

    fn parameter_name(&self, call: &Call, written: &str) -> String {
        let known = call.named.tool.and_then(|tool| self.tools.properties(tool));
        let same = |key: &&String| key.eq_ignore_ascii_case(written);
        let Some(known) = known.filter(|known| !known.contains_key(written)) else { return written.to_owned() };
        let free = |key: &&String| !call.arguments.contains_key(*key);
        let slip = || near(written, known.keys().map(String::as_str)).and_then(|at| known.keys().nth(at)).filter(free);
        known.keys().find(same).or_else(slip).cloned().unwrap_or_else(|| written.to_owned())
    }

    fn value_of(&self, call: &Call, parameter: &Parameter, raw: &str) -> Value {
        let none = Value::Null;
        let root = call.named.tool.map_or(&none, |tool| self.tools.schema(tool));
        let name = self.parameter_name(call, &parameter.name);
        let schema = root.get("properties").and_then(|all| all.get(&name)).unwrap_or(&none);
        if parameter.text == Some(true) {
            return Value::from(raw);
        }
        if parameter.text == Some(false) {
            return align::from_text(raw.trim(), &none, root, &self.options);
        }
        let tags = raw.trim_start().starts_with(MARK) || (raw.trim_start().starts_with('<') && wants_structure(schema));
        if tags && let Some(value) = elements::read(raw, schema, root, &self.options) {
            return value;
        }
        let raw = unwrap_cdata(raw).unwrap_or_else(|| trimmed(raw, call, parameter, schema));
        if schema.is_null()
            && let Some(value) = python_literal(raw)
        {
            return value;
        }
        align::from_text(raw, schema, root, &self.options)
    }

    fn end_call(&mut self, xml: &mut Xml, at: usize, after: usize, ending: Ending, out: &mut Vec<Event>) {
        let cut = self.end_open_parameter(xml, at, ending);
        let Some(mut call) = xml.call.take() else { return };
        let body = self.buffer.piece(call.body, at.max(call.body)).to_owned();
        let mut readable = !call.broken && call.key.is_none();
        if call.arguments.is_empty() && readable && !call.own_tag {
            match self.read_body(&body) {
                Some(arguments) => call.arguments = arguments,
                None => readable = false,
            }
        }
        self.arguments_to(call.index, at, out);
        match ending {
            Ending::Closed => {}
            Ending::Implied => self.repair(&MISSING_CLOSING, at, at, out),
            Ending::Cut => self.repair(&UNCLOSED_CALL, call.body.min(at), at, out),
        }
        self.markup(after, out);
        // A call that was cut before its first parameter is not one without parameters.
        let cut = cut || (ending == Ending::Cut && call.arguments.is_empty());
        let complete = readable && !cut && (ending != Ending::Cut || self.finish == Finish::Stop);
        let (arguments, unclosed) = (readable.then_some(call.arguments), ending == Ending::Cut);
        out.push(Event::CallEnd { index: call.index, complete, unclosed, arguments, at: after });
    }

    /// Ends a parameter that is still open when its call ends. Tells whether its value was cut.
    fn end_open_parameter(&self, xml: &mut Xml, at: usize, ending: Ending) -> bool {
        let Some(parameter) = xml.call.as_ref().and_then(|call| call.parameter.as_ref()) else { return false };
        let end = parameter.candidate.map(|(end, _)| end).or(parameter.outer);
        let cut = end.is_none() && ending == Ending::Cut && self.finish != Finish::Stop;
        self.end_parameter(xml, end.unwrap_or(at));
        cut
    }

    /// The body of a call without parameter tags: nothing, or the arguments as JSON.
    fn read_body(&self, body: &str) -> Option<Map<String, Value>> {
        let body = body.trim();
        if body.is_empty() {
            return Some(Map::new());
        }
        let body = body.trim_start_matches("```json").trim_matches('`').trim();
        let one = json::read_one(body, &self.options);
        let whole = body.get(one.end..).is_some_and(|rest| rest.trim().is_empty());
        let value = one.value.filter(|value| value.is_object() && whole && sure(&one.repairs))?;
        read_arguments(&value, &self.options)
    }

    /// The output ended inside.
    fn cut(&mut self, mut xml: Box<Xml>, out: &mut Vec<Event>) -> Step {
        let end = self.buffer.end();
        if xml.call.is_none() {
            return self.cut_head(xml, end, out);
        }
        let call = xml.call.as_ref();
        let parameter = call.and_then(|call| call.parameter.as_ref());
        let resume = parameter.and_then(|parameter| parameter.candidate.map(|(_, after)| after).or(parameter.outer));
        if let Some(resume) = resume {
            // A closing was there after all: what follows it is looked at again.
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

fn own_tag(xml: &mut Xml) {
    if let Some(call) = &mut xml.call {
        call.own_tag = true;
    }
}

/// A fence inside a wrapper: its payload is JSON, or it is something else.
fn fenced_head(words: &str) -> Head {
    let inner = words.trim_start_matches('`').trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim_start();
    match inner.chars().next() {
        Some('{' | '[') => Head::Json,
        None if words.len() <= LONGEST_HEAD => Head::Plausible,
        _ => Head::Text,
    }
}

/// The name in the text of a wrapper, without what belongs to a broken tag or an escaped line break.
fn head_name(text: &str) -> &str {
    let name = text.trim().trim_end_matches("\\n").trim_end_matches('\\').trim();
    name.strip_prefix("function=").map_or(name, |name| name.trim_end_matches('>').trim())
}

/// A value without the rest of a closing whose bracket was lost.
fn without_half_closing(raw: &str) -> &str {
    let rest = raw.trim_end().strip_suffix("/parameter>").filter(|rest| rest.ends_with(['\n', ' ']));
    rest.unwrap_or(raw)
}

fn wants_structure(schema: &Value) -> bool {
    matches!(schema.get("type").and_then(Value::as_str), Some("object" | "array"))
}

fn python_literal(raw: &str) -> Option<Value> {
    match raw.trim() {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "None" => Some(Value::Null),
        _ => None,
    }
}

fn unwrap_cdata(raw: &str) -> Option<&str> {
    raw.trim().strip_prefix("<![CDATA[")?.strip_suffix("]]>")
}

/// The value without the line breaks that only lay the tags out.
fn trimmed<'t>(raw: &'t str, call: &Call, parameter: &Parameter, schema: &Value) -> &'t str {
    if call.exact && parameter.means != Means::Other {
        return raw;
    }
    if call.marked {
        return raw;
    }
    if schema.is_null() && parameter.means == Means::Parameter {
        return raw.trim();
    }
    let Some(inner) = raw.strip_prefix("\r\n").or_else(|| raw.strip_prefix('\n')) else {
        let single = !raw.contains('\n');
        let spaced = raw.starts_with(' ') && raw.ends_with(' ') && raw.trim().len() + 2 == raw.len();
        return if single && (parameter.means == Means::Other || spaced) { raw.trim() } else { raw };
    };
    inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner)
}

/// Attributes that hold the value of a parameter.
const VALUES: &[&str] = &["value", "text", "content", "val"];
/// Where a tag or a token may begin.
const OPENERS: [bool; 256] = bytes(b"<&]\xEF\xE3");
/// Longer texts are no names.
const LONGEST_HEAD: usize = 160;
/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;
