//! Calls inside the text of a parameter: people ask models to write about calls.
//!
//! What is opened inside a value is closed inside it, so its closings are not those of the outer call. Where openings and
//! closings do not fit together, the text only mentions a tag: it is read again without regard to what it opens, once for
//! an output.

use super::super::FormatEngine;
use super::super::tag::{Means, Tag};
use super::super::token::{self, Role};
use super::super::tracker::Tracker;
use super::Xml;
use crate::parse::markup::Input;

/// What is open inside the text of a parameter.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    open: Vec<Opened>,
    /// Where the first of it begins.
    begun: Option<usize>,
    /// Whether a call was opened and closed.
    held: bool,
}

/// What was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opened {
    Wrapper,
    Call,
    Part,
    /// The tag of a tool's own name.
    Tool(usize),
    Token,
    Section,
}

impl Nesting {
    /// Where the text begins that may belong to something else than the value.
    pub(super) fn begun(&self) -> Option<usize> {
        self.begun
    }

    /// Whether the text holds a whole call.
    pub(super) fn holds_call(&self) -> bool {
        self.held && self.open.is_empty()
    }

    fn push(&mut self, opened: Opened, at: usize) {
        self.begun.get_or_insert(at);
        self.open.push(opened);
    }

    /// Closes what was opened last; false where that was something else.
    fn pop(&mut self, opened: Opened) -> bool {
        let fits = self.open.last() == Some(&opened);
        if fits {
            self.open.pop();
        }
        if self.open.is_empty() {
            self.begun = None;
            self.held = true;
        }
        fits
    }
}

impl FormatEngine {
    /// Whether a tag inside a parameter belongs to a call in its text.
    pub(super) fn tag_nests(&mut self, xml: &mut Xml, tag: &Tag, at: usize) -> bool {
        let own_tag = xml.call.as_ref().is_some_and(|call| call.own_tag);
        let Some(nesting) = self.nesting(xml) else { return false };
        let inside = !nesting.open.is_empty();
        let opened = match tag.means {
            Means::Wrapper => Opened::Wrapper,
            Means::Call => Opened::Call,
            Means::Parameter | Means::Key | Means::Value if inside => Opened::Part,
            Means::Tool(tool) if own_tag => Opened::Tool(tool),
            _ => return inside,
        };
        if tag.misspelt > 0 || tag.candidate.self_closing {
            return inside;
        }
        match tag.candidate.closing {
            false if opened == Opened::Call && tag.named().is_none() => inside,
            false if nesting.open.len() < DEEPEST => {
                nesting.push(opened, at);
                true
            }
            true if inside && nesting.pop(opened) => true,
            _ if inside => {
                self.unnest(xml);
                true
            }
            _ => false,
        }
    }

    /// Whether a special token inside a parameter belongs to a call in its text.
    pub(super) fn token_nests(&mut self, xml: &mut Xml, role: Role, at: usize) -> bool {
        let Some(nesting) = self.nesting(xml) else { return false };
        let inside = !nesting.open.is_empty();
        let fits = match role {
            Role::CallOpen if token::has_no_closing(self.buffer.from(at)) => return false,
            Role::CallOpen | Role::SectionOpen if nesting.open.len() < DEEPEST => {
                nesting.push(if role == Role::CallOpen { Opened::Token } else { Opened::Section }, at);
                true
            }
            Role::CallClose if inside => nesting.pop(Opened::Token),
            Role::SectionClose if inside => nesting.pop(Opened::Section),
            _ => return false,
        };
        if !fits {
            self.unnest(xml);
        }
        true
    }

    /// Goes back to where the text of a parameter seemed to open something. False where it did not.
    pub(super) fn unnest(&mut self, xml: &mut Xml) -> bool {
        let parameter = xml.call.as_mut().and_then(|call| call.parameter.as_mut());
        let Some(begun) = parameter.and_then(|parameter| std::mem::take(&mut parameter.nesting).begun) else {
            return false;
        };
        self.flat = true;
        self.buffer.scan = begun;
        true
    }

    fn nesting<'x>(&self, xml: &'x mut Xml) -> Option<&'x mut Nesting> {
        let parameter = xml.call.as_mut()?.parameter.as_mut()?;
        (!self.flat).then_some(&mut parameter.nesting)
    }

    /// Whether `at` is inside a string of arguments that are written as JSON; `None` while that is not known.
    pub(super) fn is_in_json_string(&self, xml: &mut Xml, at: usize) -> Option<bool> {
        let Some(call) = xml.call.as_mut().filter(|call| call.parameter.is_none() && call.arguments.is_empty()) else {
            return Some(false);
        };
        let (tracker, from) = match &mut call.json {
            Some(followed) => followed,
            None => {
                let text = self.buffer.piece(call.body, at.max(call.body));
                let blank = text.len() - text.trim_start().len();
                if !text.trim_start().starts_with('{') {
                    return Some(false);
                }
                call.json.insert((Tracker::default(), call.body + blank))
            }
        };
        for byte in self.buffer.piece(*from, at.max(*from)).bytes() {
            tracker.take(byte);
        }
        *from = at.max(*from);
        if tracker.in_string() { self.is_closing_believed(at).map(|believed| !believed) } else { Some(false) }
    }

    /// Whether a closing inside a string is one all the same, because a quotation mark was lost before it: a line break or
    /// the end follows it.
    fn is_closing_believed(&self, at: usize) -> Option<bool> {
        let text = self.buffer.from(at);
        let open = self.input == Input::Open;
        if !text.starts_with("</") {
            return if open && text == "<" { None } else { Some(false) };
        }
        let piece = text.get(..text.floor_char_boundary(LONGEST_CLOSING)).unwrap_or(text);
        let Some(end) = piece.find('>') else {
            return if open && piece.len() == text.len() { None } else { Some(false) };
        };
        match text.get(end + 1..).and_then(|rest| rest.chars().next()) {
            None if open => None,
            None | Some('\n') => Some(true),
            Some(_) => Some(false),
        }
    }
}

/// Longer closings are none.
const LONGEST_CLOSING: usize = 64;
/// Calls inside calls are followed so deep.
const DEEPEST: usize = 64;
