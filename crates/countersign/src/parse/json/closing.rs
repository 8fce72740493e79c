//! Commas and closing brackets: those that are there, those that are missing, and those that are too many.
//!
//! A bracket of the wrong kind is settled by what follows it: either it closes the innermost container, or the closing
//! brackets before it were forgotten. It never reads a value.

use serde_json::{Map, Value};

use crate::parse::event::Span;

use super::ahead::TICKS;
use super::cursor::Token;
use super::frame::{Frame, Shape};
use super::glyph::is_quote;
use super::kind;
use super::reader::Reader;

impl Reader<'_> {
    /// The next token inside the innermost container. Nothing where the text or the fenced block ends; then all that is
    /// open has been closed.
    #[inline]
    pub(super) fn next_token(&mut self) -> Option<Token> {
        self.cursor.skip_blanks();
        let at = self.cursor.at;
        let token = self.cursor.token(at);
        let left = match token {
            None => {
                self.cut = true;
                true
            }
            Some(Token { byte: b'`', .. }) => {
                let element = self.frames.last().is_some_and(|frame| !frame.due && !frame.shape.has_members());
                self.cursor.goes_on(at, TICKS) && !(element && self.cursor.block_end(at).is_some())
            }
            Some(Token { byte: b'<', .. }) => self.cursor.goes_on(at, "</") || self.cursor.goes_on(at, "<|"),
            Some(_) => false,
        };
        if left {
            self.close_down_to(0);
            return None;
        }
        token
    }

    /// Goes over a comma, a closing bracket or an ellipsis.
    #[inline]
    pub(super) fn separator(&mut self, token: Token) -> bool {
        match token.byte {
            b',' => self.comma(token),
            b';' | b'|' => self.comma(token),
            b'}' | b']' | b')' => self.closer(token),
            b'>' if self.closes_oddly() => self.closer(token),
            b'.' if self.cursor.goes_on(self.cursor.at, "...") => self.ellipsis(3 + self.spread_name()),
            b'.' if self.frames.last().is_some_and(|frame| frame.due) && self.cursor.stop_for_comma(self.cursor.at) => {
                self.comma(token);
            }
            _ if token.width == 3 && self.cursor.goes_on(self.cursor.at, "…") => self.ellipsis(3),
            _ => return false,
        }
        true
    }

    /// Notes a missing comma, and gives its place.
    #[inline]
    pub(super) fn expect_comma(&mut self) -> Option<usize> {
        let at = self.cursor.at;
        let frame = self.frames.last().filter(|frame| frame.due)?;
        // Members on lines of their own, without braces, need no commas.
        if frame.shape != Shape::Implied {
            self.cursor.mend(&kind::MISSING_COMMA, Span::at(at), ",");
        }
        Some(at)
    }

    /// What an opening bracket does where a key should stand.
    pub(super) fn opener_for_key(&mut self, token: Token) -> bool {
        if !matches!(token.byte, b'{' | b'[' | b'(') {
            return false;
        }
        let Some(frame) = self.frames.last_mut() else { return false };
        if frame.shape == Shape::Object && frame.keys == self.keys.len() {
            frame.shape = Shape::Set;
            return true;
        }
        let array = self.frames.iter().rposition(|frame| !frame.shape.has_members());
        match array {
            Some(index) if token.byte == b'{' => self.close_down_to(index + 1),
            _ if token.byte == b'{' => self.close_down_to(0),
            _ => {
                let start = self.cursor.at;
                self.cursor.at = self.cursor.balanced_end(start);
                self.cursor.mend(&kind::DROPPED, Span::new(start, self.cursor.at), "");
            }
        }
        true
    }

    #[inline]
    fn comma(&mut self, token: Token) {
        let at = self.cursor.at;
        self.cursor.at += token.width;
        let Some(frame) = self.frames.last_mut() else { return };
        if !frame.due {
            return self.cursor.mend(&kind::STRAY_COMMA, Span::new(at, at + token.width), "");
        }
        frame.due = false;
        frame.comma = Some(Span::new(at, at + token.width));
        if token.width > 1 || token.byte != b',' {
            self.cursor.mend(&kind::OTHER_COMMA, Span::new(at, at + token.width), ",");
        }
    }

    /// The width of the name of what is spread out here: `...defaults,`. What it holds is not known.
    fn spread_name(&self) -> usize {
        let name = self.cursor.at + 3;
        let end = self.cursor.word_end(name);
        let begins = self.cursor.byte(name).is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'));
        if begins && self.cursor.structure_ahead(end) { end - name } else { 0 }
    }

    fn ellipsis(&mut self, width: usize) {
        let at = self.cursor.at;
        self.cursor.at += width;
        self.cursor.mend(&kind::ELLIPSIS, Span::new(at, at + width), "");
    }

    #[inline]
    fn closer(&mut self, token: Token) {
        let Some(frame) = self.frames.last() else { return };
        if frame.shape.closed_by(token.byte) {
            if self.frames.len() == 1 && self.goes_on_after(token) {
                return self.drop_closer(token);
            }
            if token.width > 1 {
                self.cursor.mend(&kind::OTHER_BRACKET, Span::new(self.cursor.at, self.cursor.at + token.width), "");
            }
            self.cursor.at += token.width;
            return self.close();
        }
        self.wrong_closer(token);
    }

    /// Whether the sign at this place stands for a closing bracket after a value.
    fn closes_oddly(&mut self) -> bool {
        let after_value = |frame: &Frame| frame.due && matches!(frame.shape, Shape::Array | Shape::Object);
        self.frames.last().is_some_and(after_value) && self.cursor.odd_closer_ahead(self.cursor.at)
    }

    /// A closing bracket that does not close the innermost container.
    fn wrong_closer(&mut self, token: Token) {
        if self.is_swapped(token) {
            return;
        }
        let at = self.cursor.at;
        let matching = self.frames.iter().rposition(|frame| frame.shape.closed_by(token.byte));
        let after = self.cursor.after_blanks(at + token.width);
        match matching {
            Some(index) if self.fits_inside(index, after) || !self.fits_inside(self.frames.len() - 1, after) => {
                self.close_down_to(index + 1);
            }
            _ if self.frames.last().is_some_and(|frame| frame.shape == Shape::Implied) => {
                self.drop_closer(token);
                self.close_down_to(0);
            }
            None if self.closes_next(after) => self.drop_closer(token),
            _ => {
                self.cursor.mend(&kind::WRONG_CLOSER, Span::new(at, at + token.width), "");
                self.cursor.at += token.width;
                self.close();
            }
        }
    }

    /// Two closing brackets in the wrong order: `{"k": [1, 2}]`. Not where the second may as well close what is around the
    /// two containers.
    fn is_swapped(&mut self, first: Token) -> bool {
        let next = self.cursor.after_blanks(self.cursor.at + first.width);
        let Some(second) = self.cursor.token(next) else { return false };
        let [around @ .., middle, innermost] = self.frames.as_slice() else { return false };
        let pair = innermost.shape.closed_by(second.byte) && middle.shape.closed_by(first.byte);
        let Some(around) = around.last().map(|frame| frame.shape).filter(|_| pair) else { return false };
        let index = self.frames.len() - 2;
        let after = self.cursor.after_blanks(next + second.width);
        if around.closed_by(second.byte) && !self.fits_better(index, after) {
            return false;
        }
        self.cursor.mend(&kind::WRONG_CLOSER, Span::new(self.cursor.at, next + second.width), "");
        self.close();
        self.cursor.at = next + second.width;
        self.close();
        true
    }

    /// Whether what is at `after` fits once the container at `index` is closed, and not if the one around it is too.
    fn fits_better(&mut self, index: usize, after: usize) -> bool {
        let closer = self.cursor.token(after).map(|t| t.byte).filter(|byte| matches!(byte, b'}' | b']' | b')'));
        let Some(closer) = closer else { return self.fits_inside(index, after) && !self.fits_inside(index - 1, after) };
        let closes = |depth: usize| {
            index.checked_sub(depth).and_then(|i| self.frames.get(i)).is_some_and(|frame| frame.shape.closed_by(closer))
        };
        closes(1) && !closes(2)
    }

    /// Whether the bracket after this one closes the innermost container.
    fn closes_next(&self, after: usize) -> bool {
        let next = self.cursor.token(after);
        let shape = self.frames.last().map(|frame| frame.shape);
        next.zip(shape).is_some_and(|(next, shape)| shape.closed_by(next.byte))
    }

    /// Whether what is at `after` fits once the container at `index` is closed.
    fn fits_inside(&mut self, index: usize, after: usize) -> bool {
        let Some(token) = self.cursor.token(after) else { return true };
        let outer = index.checked_sub(1).and_then(|outer| self.frames.get(outer)).map(|frame| frame.shape);
        let Some(outer) = outer else { return token.byte != b',' };
        match token.byte {
            b'}' | b']' | b')' => true,
            b',' => {
                let next = self.cursor.after_blanks(after + token.width);
                let begins = self.cursor.token(next);
                let key = begins.is_some_and(|t| is_quote(t.byte)) && self.cursor.quoted_key_ahead(next)
                    || self.cursor.prefixed(next).is_some_and(|quote| self.cursor.quoted_key_ahead(quote))
                    || self.cursor.bare_key_ahead(next);
                if outer.has_members() { key } else { !key }
            }
            _ => true,
        }
    }

    /// Whether the outermost object goes on after its closing bracket: `{"a": 1}, "b": 2}`.
    fn goes_on_after(&mut self, token: Token) -> bool {
        if token.byte != b'}' || self.frames.last().is_none_or(|frame| frame.shape != Shape::Object) {
            return false;
        }
        let mut comma = self.cursor.after_blanks(self.cursor.at + token.width);
        for _ in 0..FEW_CLOSERS {
            let Some(closer) = self.cursor.token(comma).filter(|t| t.byte == b'}') else { break };
            comma = self.cursor.after_blanks(comma + closer.width);
        }
        if self.cursor.token(comma).is_none_or(|t| t.byte != b',') {
            return false;
        }
        let key = self.cursor.after_blanks(comma + 1);
        self.cursor.token(key).is_some_and(|t| is_quote(t.byte)) && self.cursor.key_is_closed(key)
    }

    fn drop_closer(&mut self, token: Token) {
        let at = self.cursor.at;
        self.cursor.at += token.width;
        self.cursor.mend(&kind::STRAY_CLOSER, Span::new(at, at + token.width), "");
    }

    /// Closes containers whose closing brackets are missing, until `depth` of them are open.
    pub(super) fn close_down_to(&mut self, depth: usize) {
        while self.frames.len() > depth {
            if self.hoist(depth) {
                continue;
            }
            if self.frames.last().is_some_and(|frame| frame.shape != Shape::Implied) {
                self.cursor.mend(&kind::MISSING_CLOSER, Span::at(self.cursor.at), "");
            }
            self.close();
        }
    }

    /// Members at the end of an array whose closing bracket is missing belong to the object around it:
    /// `{"list": [1, 2, "total": 3}`. Not where the array stays open, or had no element before them.
    fn hoist(&mut self, depth: usize) -> bool {
        let [.., outer, array, implied] = self.frames.as_slice() else { return false };
        let lost = implied.shape == Shape::Implied && array.shape == Shape::Array && outer.shape.has_members();
        if !lost || implied.values == array.values || self.frames.len() - depth < 2 {
            return false;
        }
        let comma = implied.comma;
        let members = self.values.split_off(implied.values);
        self.frames.pop();
        self.cursor.mend(&kind::MISSING_CLOSER, Span::at(self.cursor.at), "]");
        self.close();
        self.values.extend(members);
        if let Some(frame) = self.frames.last_mut() {
            frame.comma = comma;
        }
        true
    }

    /// Builds the innermost container from what lies on the stacks.
    pub(super) fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(comma) = frame.comma.filter(|_| !self.cut) {
            self.cursor.mend(&kind::TRAILING_COMMA, comma, "");
        }
        let value = if frame.shape.has_members() { self.object(&frame) } else { self.array(&frame) };
        self.finish(value);
    }

    fn object(&mut self, frame: &Frame) -> Value {
        let mut members = Map::with_capacity(self.keys.len() - frame.keys);
        members.extend(self.keys.drain(frame.keys..).zip(self.values.drain(frame.values..)));
        Value::Object(members)
    }

    fn array(&mut self, frame: &Frame) -> Value {
        let count = self.values.len() - frame.values;
        let span = Span::new(frame.start, self.cursor.at.min(self.cursor.text.len()));
        match frame.shape {
            Shape::Array => {}
            Shape::Set if count == 1 && self.values.last().is_some_and(Value::is_object) => {
                self.cursor.mend(&kind::STRAY_OPENER, span, "");
                return self.values.pop().unwrap_or_default();
            }
            Shape::Tuple if count == 1 && frame.comma.is_none() => return self.values.pop().unwrap_or_default(),
            Shape::Call if count == 1 && frame.comma.is_none() && !self.lists_elements(frame.start) => {
                let value = self.values.pop().unwrap_or_default();
                return if self.cursor.names_members(frame.start) { members_of_pairs(value) } else { value };
            }
            Shape::Call if self.lists_elements(frame.start) => self.cursor.mend(&kind::TUPLE, span, ""),
            // A call with several arguments, or none, stands for nothing that JSON could say.
            Shape::Call => {
                self.values.truncate(frame.values);
                return Value::String(self.cursor.slice(span.start, span.end).to_owned());
            }
            _ => self.cursor.mend(&kind::TUPLE, span, ""),
        }
        Value::Array(self.values.drain(frame.values..).collect())
    }

    /// Whether the call that begins here is an array of PHP, whose arguments are its elements: `array(1, 2)`. Not where
    /// an array is its first argument, as numpy prints one.
    fn lists_elements(&self, start: usize) -> bool {
        let name = self.cursor.word_end(start);
        let inside = self.cursor.after_blanks(name + 1);
        self.cursor.slice(start, name).eq_ignore_ascii_case("array") && self.cursor.byte(inside) != Some(b'[')
    }
}

/// The members that a list of pairs stands for, as Python prints a dictionary that keeps its order. Anything else stays.
fn members_of_pairs(value: Value) -> Value {
    let is_pair = |pair: &Value| matches!(pair.as_array().map(Vec::as_slice), Some([Value::String(_), _]));
    match value {
        Value::Array(pairs) if !pairs.is_empty() && pairs.iter().all(is_pair) => {
            let member = |pair: Value| match pair {
                Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
                    Ok([Value::String(key), value]) => Some((key, value)),
                    _ => None,
                },
                _ => None,
            };
            Value::Object(pairs.into_iter().filter_map(member).collect())
        }
        other => other,
    }
}

/// How many closing brackets too many may be before a member.
const FEW_CLOSERS: usize = 3;
