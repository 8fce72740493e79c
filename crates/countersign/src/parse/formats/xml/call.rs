//! Where a call in tags begins, what it is called, and where it ends.

use super::super::FormatEngine;
use super::super::payload::{read_arguments, sure};
use super::super::repairs::{FOLDED_NAME, MISSING_CLOSING, MISSPELT_TAG, ODD_TAG, UNCLOSED_CALL};
use super::super::tag::{Means, Tag, Wanted, is_odd};
use super::super::token;
use super::super::tools::Named;
use super::super::word::{is_name, is_word};
use super::{Call, Ending, MOST_BLANKS, Step, Xml, head_name};
use crate::parse::align;
use crate::parse::event::{Event, Finish, Repair, Span};
use crate::parse::json;
use crate::parse::markup::Input;
use serde_json::{Map, Value};

impl FormatEngine {
    /// Whether a call tag in prose opens a call: its tool is registered, or no tools are known.
    pub(in crate::parse::formats) fn opens_call(&self, tag: &Tag) -> Option<Xml> {
        let named = tag.named()?;
        let known = self.tools.resolve(&named).tool.is_some();
        (known || (self.tools.is_empty() && is_name(&named)))
            .then(|| Xml { escaped: tag.candidate.odd.entity, ..Xml::default() })
    }

    pub(super) fn closes_call(&self, xml: &Xml, tag: &Tag) -> bool {
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
    pub(super) fn repeats_call(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(call) = &xml.call else { return false };
        let same = tag.named().is_some_and(|name| self.tools.resolve(&name).name == call.named.name);
        let from = self.buffer.scan.saturating_sub(tag.len);
        same && call.arguments.is_empty() && self.buffer.piece(call.body, from.max(call.body)).trim().is_empty()
    }

    /// Whether a parameter follows the closing of a call inside its wrapper: then the closing came too early.
    pub(super) fn goes_on(&self, xml: &Xml, after: usize) -> Option<bool> {
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
    pub(super) fn after_call(&mut self, mut xml: Box<Xml>, after: usize) -> Step {
        if !xml.wrapped {
            return Step::Over;
        }
        (xml.start, xml.head) = (after, after);
        self.buffer.keep = Some(after);
        Step::Go(xml)
    }

    pub(super) fn open_call(&mut self, mut xml: Box<Xml>, tag: &Tag, at: usize, out: &mut Vec<Event>) -> Step {
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
    pub(super) fn take_attributes(&self, call: &mut Call, tag: &Tag) {
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

    pub(super) fn start_call(&mut self, xml: &mut Xml, named: Named, raw: &str, body: usize, out: &mut Vec<Event>) {
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
            json: None,
        });
    }

    /// What was odd about a tag that was understood.
    pub(super) fn note(&self, tag: &Tag, at: usize, out: &mut Vec<Event>) {
        if is_odd(tag) {
            let kind = if tag.misspelt > 0 { &MISSPELT_TAG } else { &ODD_TAG };
            self.repair(kind, at, at + tag.len, out);
        }
    }

    /// A call whose name is the wrapper's text or the tag of a tool.
    pub(super) fn begin_named_call(&mut self, xml: &mut Xml, tag: &Tag, at: usize, out: &mut Vec<Event>) -> bool {
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

    pub(super) fn end_call(&mut self, xml: &mut Xml, at: usize, after: usize, ending: Ending, out: &mut Vec<Event>) {
        let cut = self.end_open_parameter(xml, at, ending);
        let Some(mut call) = xml.call.take() else { return };
        let body = self.buffer.piece(call.body, at.max(call.body)).to_owned();
        let mut readable = !call.broken && call.key.is_none();
        if call.arguments.is_empty() && readable && !call.own_tag {
            match self.read_body(&body, ending) {
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
        let cut = cut || (ending == Ending::Cut && self.lacks_required(&call));
        let readable = readable && (call.named.tool.is_some() || is_word(&call.named.name));
        let complete = readable && !cut && (ending != Ending::Cut || self.finish == Finish::Stop);
        let (arguments, unclosed) = (readable.then_some(call.arguments), ending == Ending::Cut);
        out.push(Event::CallEnd { index: call.index, complete, unclosed, arguments, at: after });
    }

    fn lacks_required(&self, call: &Call) -> bool {
        call.named.tool.is_some_and(|tool| self.tools.lacks_required(tool, &call.arguments))
    }

    /// Ends a parameter that is still open when its call ends. Tells whether its value was cut.
    pub(super) fn end_open_parameter(&self, xml: &mut Xml, at: usize, ending: Ending) -> bool {
        let Some(parameter) = xml.call.as_ref().and_then(|call| call.parameter.as_ref()) else { return false };
        let end = parameter.candidate.map(|(end, _)| end).or(parameter.outer);
        // A value that nothing closed may go on, whatever the finish says.
        let cut = end.is_none() && ending == Ending::Cut;
        self.end_parameter(xml, end.unwrap_or(at));
        cut
    }

    /// The body of a call without parameter tags: nothing, or the arguments as JSON.
    pub(super) fn read_body(&self, body: &str, ending: Ending) -> Option<Map<String, Value>> {
        let body = body.trim();
        if body.is_empty() {
            return Some(Map::new());
        }
        let body = body.trim_start_matches("```json").trim_matches('`').trim();
        let one = json::read_one(body, &self.options);
        let whole =
            body.get(one.end..).is_some_and(|rest| rest.trim().is_empty()) && (one.complete || ending != Ending::Cut);
        let value = one.value.filter(|value| value.is_object() && whole && sure(&one.repairs))?;
        read_arguments(value, &self.options)
    }
}

/// A tool's own name was the tag.
pub(super) fn own_tag(xml: &mut Xml) {
    if let Some(call) = &mut xml.call {
        call.own_tag = true;
    }
}
