//! Where a parameter begins and ends, and what its name is.

use super::super::FormatEngine;
use super::super::repairs::MISSING_CLOSING;
use super::super::tag::{Means, Tag, TagLex, Wanted, is_odd, is_parameter};
use super::super::token;
use super::nesting::Nesting;
use super::{Ending, MOST_BLANKS, Parameter, Step, Xml};
use crate::parse::align;
use crate::parse::event::Event;
use crate::parse::markup::Input;
use serde_json::Value;

/// What a tag inside a parameter does.
enum Sense {
    /// It closes the parameter.
    Closing,
    /// It closes the parameter if nothing better comes.
    MaybeClosing,
    /// It closes what is around the parameter.
    Outer,
    /// It closes what is around, if nothing better comes.
    MaybeOuter,
    /// The next parameter begins.
    Next,
    /// It is part of the value.
    Text,
}

impl FormatEngine {
    pub(super) fn open_parameter(
        &mut self,
        mut xml: Box<Xml>,
        tag: &Tag,
        at: usize,
        after: usize,
        out: &mut Vec<Event>,
    ) -> Step {
        if tag.candidate.closing {
            return Step::Go(xml);
        }
        if xml.call.is_none() && !self.begin_named_call(&mut xml, tag, at, out) {
            return Step::Text(xml);
        }
        let wanted = xml.find_wanted(&self.tools);
        let Some(call) = &mut xml.call else { return Step::Text(xml) };
        let name = match tag.means {
            Means::Parameter if tag.named().is_none() && tag.marked => Some(tag.candidate.raw_name.clone()),
            Means::Parameter => tag.named(),
            Means::Key => Some(String::new()),
            Means::Value => call.key.take(),
            Means::Other if tag.marked || is_parameter(&tag.candidate.name, wanted, &self.tools) => {
                Some(tag.candidate.raw_name.clone())
            }
            _ => return Step::Go(xml),
        };
        let Some(name) = name else {
            // A value without a name is lost, so the call is not whole.
            call.broken = true;
            return Step::Go(xml);
        };
        let index = call.index;
        let text = tag.candidate.attribute("string").map(|value| value.eq_ignore_ascii_case("true"));
        let means = if tag.named().is_none() && tag.means == Means::Parameter { Means::Other } else { tag.means };
        let parameter =
            Parameter { name, means, from: after, text, candidate: None, outer: None, nesting: Nesting::default() };
        if tag.candidate.self_closing {
            let value = VALUES.iter().find_map(|name| tag.candidate.attribute(name)).unwrap_or_default().to_owned();
            let tool = call.named.tool;
            let none = Value::Null;
            let root = tool.map_or(&none, |tool| self.tools.schema(tool));
            let known = tool.and_then(|tool| self.tools.parameter(tool, &parameter.name));
            let schema = known.unwrap_or(&none);
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

    pub(super) fn in_parameter(&mut self, mut xml: Box<Xml>, tag: Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let after = at + tag.len;
        self.buffer.scan = after;
        if self.tag_nests(&mut xml, &tag, at) {
            return Step::Go(xml);
        }
        let Some(sense) = self.sense_of(&xml, &tag, after) else {
            self.buffer.scan = at;
            return Step::Wait(xml);
        };
        let Some(call) = xml.call.as_mut() else { return Step::Go(xml) };
        let index = call.index;
        let Some(parameter) = call.parameter.as_mut() else { return Step::Go(xml) };
        match sense {
            Sense::Closing => {
                if is_odd(&tag) {
                    self.arguments_to(index, at, out);
                    self.note(&tag, at, out);
                }
                self.end_parameter(&mut xml, at);
            }
            Sense::MaybeClosing => {
                parameter.candidate.get_or_insert((at, after));
            }
            Sense::Outer => return self.end_at_outer(xml, &tag, at, out),
            Sense::MaybeOuter => {
                parameter.outer.get_or_insert(at);
            }
            Sense::Next => {
                let text = self.buffer.piece(parameter.from, at.max(parameter.from));
                let trimmed = at - (text.len() - text.trim_end().len());
                let (end, place, resume) = match parameter.candidate {
                    Some((end, after)) => (end, end, after),
                    None => (trimmed, at, at),
                };
                self.arguments_to(index, place, out);
                self.repair(&MISSING_CLOSING, place, place, out);
                self.end_parameter(&mut xml, end);
                self.buffer.scan = resume;
            }
            Sense::Text => {}
        }
        Step::Go(xml)
    }

    /// What a tag inside a parameter does; `None` while that is not known.
    fn sense_of(&mut self, xml: &Xml, tag: &Tag, after: usize) -> Option<Sense> {
        let mut own = self.closes_parameter(xml, tag);
        if tag.candidate.closing && tag.means == Means::Call && !own {
            // `</function>` where `</parameter>` belongs, and another parameter follows.
            own = self.goes_on(xml, after)?;
        }
        if own {
            let ends = self.structure_follows(xml, after)? && tag.misspelt == 0;
            let ends = ends && !self.words_follow_closings(xml, after)?;
            return Some(if ends { Sense::Closing } else { Sense::MaybeClosing });
        }
        let outer = tag.candidate.closing && (tag.means == Means::Wrapper && xml.wrapped || self.closes_call(xml, tag));
        if outer && !self.own_closing_follows(xml, tag, after)? {
            let ends = self.structure_follows(xml, after)? && !self.words_follow_closings(xml, after)?;
            return Some(if ends { Sense::Outer } else { Sense::MaybeOuter });
        }
        let next = !tag.candidate.closing && self.next_parameter(xml, tag);
        Some(if next { Sense::Next } else { Sense::Text })
    }

    /// Whether an outer closing belongs to the text of the parameter: the parameter's own closing follows it, and then
    /// another parameter or the outer closing once more.
    fn own_closing_follows(&mut self, xml: &Xml, outer: &Tag, after: usize) -> Option<bool> {
        let Some((own, next)) = self.tag_behind(xml, after)? else { return Some(false) };
        if own.misspelt > 0 || !own.candidate.closing || !self.closes_parameter(xml, &own) {
            return Some(false);
        }
        let Some((behind, _)) = self.tag_behind(xml, next)? else { return Some(false) };
        Some(match behind.candidate.closing {
            true => behind.means == outer.means,
            false => matches!(behind.means, Means::Parameter | Means::Key) || self.next_parameter(xml, &behind),
        })
    }

    /// Whether words follow on the same line behind the closings at `after`: somebody writes about closings, if the
    /// parameter is closed once more further on.
    fn words_follow_closings(&mut self, xml: &Xml, after: usize) -> Option<bool> {
        let mut at = after;
        for _ in 0..MOST_CLOSINGS {
            let text = self.buffer.from(at);
            let rest = text.trim_start_matches(' ');
            let blanks = text.len() - rest.len();
            match rest.chars().next() {
                _ if self.flat || blanks > MOST_BLANKS => return Some(false),
                None if self.input == Input::Open => return None,
                None | Some('\n' | '\r' | '`') => return Some(false),
                Some('<') => {}
                Some(_) => return Some(at > after),
            }
            match self.lexicon.read(rest, at + blanks, self.input, xml.find_wanted(&self.tools), &self.tools) {
                TagLex::NeedMore if self.input == Input::Open => return None,
                TagLex::Tag(tag) if tag.candidate.closing && tag.misspelt == 0 => at += blanks + tag.len,
                _ => return Some(false),
            }
        }
        Some(false)
    }

    /// The tag that follows behind blanks, and where it ends. The outer `None` while that is not known.
    #[expect(clippy::option_option, reason = "not known yet, and known to be none")]
    fn tag_behind(&mut self, xml: &Xml, after: usize) -> Option<Option<(Tag, usize)>> {
        let text = self.buffer.from(after);
        let rest = text.trim_start();
        let at = after + (text.len() - rest.len());
        if rest.is_empty() || at - after > MOST_BLANKS {
            return if rest.is_empty() && self.input == Input::Open && at - after <= MOST_BLANKS {
                None
            } else {
                Some(None)
            };
        }
        match self.lexicon.read(rest, at, self.input, xml.find_wanted(&self.tools), &self.tools) {
            TagLex::NeedMore if self.input == Input::Open => None,
            TagLex::NeedMore | TagLex::Not => Some(None),
            TagLex::Tag(tag) => {
                let end = at + tag.len;
                Some(Some((*tag, end)))
            }
        }
    }

    /// Whether a closing written with entities among plain tags is meant: the call's own structure follows it.
    pub(super) fn meant(&self, xml: &Xml, tag: &Tag, at: usize) -> Option<bool> {
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
        let (means, closing) = self.lexicon.peek(rest, self.input, xml.find_wanted(&self.tools), &self.tools)?;
        Some(means != Means::Other && !(closing && matches!(means, Means::Parameter | Means::Key | Means::Value)))
    }

    pub(super) fn closes_parameter(&self, xml: &Xml, tag: &Tag) -> bool {
        let Some(parameter) = xml.call.as_ref().and_then(|call| call.parameter.as_ref()) else { return false };
        if !tag.candidate.closing {
            // `<parameter>` where `</parameter>` belongs.
            return parameter.means == Means::Parameter && tag.means == Means::Parameter && tag.named().is_none();
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
    pub(super) fn next_parameter(&self, xml: &Xml, tag: &Tag) -> bool {
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
    pub(super) fn structure_follows(&self, xml: &Xml, after: usize) -> Option<bool> {
        let text = self.buffer.from(after);
        let rest = text.trim_start();
        if text.len() - rest.len() > MOST_BLANKS {
            return Some(true);
        }
        if rest.is_empty() {
            return (self.input == Input::Ended).then_some(true);
        }
        if !rest.starts_with(['<', '＜', '&', ']', '〈']) {
            let fence = "```".starts_with(rest) && self.input == Input::Open;
            return if fence { None } else { Some(rest.starts_with("```")) };
        }
        match token::lex(rest) {
            token::Lexed::Token(..) => return Some(true),
            token::Lexed::NeedMore if self.input == Input::Open => return None,
            _ => {}
        }
        match self.lexicon.peek(rest, self.input, xml.find_wanted(&self.tools), &self.tools) {
            None => None,
            Some((Means::Other, closing)) => {
                let own = xml.call.as_ref().is_some_and(|call| call.own_tag);
                Some(own && closing && self.names_open_tool(xml, rest))
            }
            Some((Means::Think, _)) => Some(false),
            Some(_) => Some(true),
        }
    }

    pub(super) fn names_open_tool(&self, xml: &Xml, rest: &str) -> bool {
        let name = rest.trim_start_matches(['<', '/', '＜', '／', ' ']);
        let name = name.split(['>', '＞', ' ', '\n']).next().unwrap_or_default();
        let tool = self.tools.of_tag(name);
        tool.is_some() && tool == xml.call.as_ref().and_then(|call| call.named.tool)
    }

    /// An outer closing inside a parameter: the parameter's own was missing.
    pub(super) fn end_at_outer(&mut self, mut xml: Box<Xml>, tag: &Tag, at: usize, out: &mut Vec<Event>) -> Step {
        let parameter = xml.call.as_ref().and_then(|call| call.parameter.as_ref());
        let end = parameter.and_then(|parameter| parameter.candidate).map_or(at, |(end, _)| end);
        if let Some(call) = &mut xml.call {
            // Where each tag has a mark of its own, an element that its parent cuts off is visibly cut.
            call.broken |= call.marked && call.parameter.as_ref().is_some_and(|open| open.candidate.is_none());
            let index = call.index;
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
}

/// So many closings in a row are looked at.
const MOST_CLOSINGS: usize = 8;
/// Attributes that hold the value of a parameter.
const VALUES: &[&str] = &["value", "text", "content", "val"];
