//! The value at a place, however it is written: a string, a container, a bare word, what programs put around one.

use super::ahead::TICKS;
use super::around::ValuePosition;
use super::cursor::Token;
use super::frame::Shape;
use super::kind;
use super::reader::{Begun, Reader};
use super::wrapper::Wrapper;
use crate::parse::event::Span;
use serde_json::Value;

impl Reader<'_> {
    /// Reads the value of the member whose key was read last.
    pub(super) fn member_value(&mut self) {
        let next = self.cursor.at + usize::from(self.cursor.byte(self.cursor.at) == Some(b' '));
        if self.cursor.color_ahead(next) {
            self.cursor.at = next;
        } else {
            self.cursor.skip_blanks();
        }
        while let Some(token) = self.cursor.token(self.cursor.at).filter(|t| matches!(t.byte, b':' | b'=')) {
            let here = self.cursor.at;
            self.colon(token);
            self.cursor.mend(&kind::OTHER_COLON, Span::new(here, self.cursor.at), "");
            self.cursor.skip_blanks();
        }
        let here = self.cursor.at;
        let Some(token) = self.cursor.token(here) else {
            self.cut = true;
            return self.no_value(here);
        };
        if matches!(token.byte, b',' | b'}' | b']' | b';') {
            return self.no_value(here);
        }
        if self.value(ValuePosition::Member) == Begun::Nothing {
            self.no_value(here);
            if self.cursor.at == here && !self.cursor.goes_on(here, TICKS) {
                self.drop_sign(token);
            }
        }
    }

    /// Goes over a colon or what stands for it.
    #[inline]
    pub(super) fn colon(&mut self, first: Token) -> bool {
        let start = self.cursor.at;
        let mut token = Some(first);
        while let Some(Token { byte: b':' | b'=', width }) = token {
            self.cursor.at += width;
            token = self.cursor.token(self.cursor.at);
        }
        if self.cursor.at == start {
            let semicolon = (first.byte == b';' && self.cursor.value_ahead(start + first.width)).then_some(first.width);
            let Some(width) = semicolon.or_else(|| self.cursor.arrow(start)) else { return false };
            self.cursor.at += width;
            self.cursor.mend(&kind::OTHER_COLON, Span::new(start, self.cursor.at), ":");
            return true;
        }
        if token.is_some_and(|t| t.byte == b'>') {
            self.cursor.at += 1;
        }
        if self.cursor.slice(start, self.cursor.at) != ":" {
            self.cursor.mend(&kind::OTHER_COLON, Span::new(start, self.cursor.at), ":");
        }
        true
    }

    /// Reads the value at this place, or opens it.
    #[inline]
    pub(super) fn value(&mut self, place: ValuePosition) -> Begun {
        let Some(token) = self.cursor.token(self.cursor.at) else {
            self.cut = true;
            return Begun::Nothing;
        };
        match token.byte {
            b'\\' if let Some(text) = self.escaped_string() => self.push(Value::String(text)),
            b'\\' if self.escaped_opener() => {
                let text = self.string(place);
                self.push(Value::String(text))
            }
            b'`' if place != ValuePosition::Root && self.cursor.goes_on(self.cursor.at, TICKS) => self.block(),
            b'"' | b'\'' | b'`' => {
                let text = self.string(place);
                self.push(Value::String(text))
            }
            b'{' => self.open(Shape::Object, token.width),
            b'[' => self.open(Shape::Array, token.width),
            b'(' if self.cursor.function_ahead(self.cursor.at) => self.bare(place),
            b'(' => self.open(Shape::Tuple, token.width),
            b'}' | b']' | b')' | b',' | b':' => Begun::Nothing,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'@' => match self.cursor.wrapper(self.cursor.at, place) {
                Some(wrapper) => self.unwrap(wrapper, place),
                None => self.bare(place),
            },
            _ => self.bare(place),
        }
    }

    fn bare(&mut self, place: ValuePosition) -> Begun {
        let bare = self.cursor.bare_value(self.setting(place));
        self.cut |= bare.cut;
        match bare.value {
            Some(value) => self.push(value),
            None => Begun::Nothing,
        }
    }

    fn unwrap(&mut self, wrapper: Wrapper, place: ValuePosition) -> Begun {
        let start = self.cursor.at;
        let (shape, inside) = match wrapper {
            Wrapper::Call(inside) => (Shape::Call, inside),
            Wrapper::Named(inside) => (Shape::Named, inside),
            Wrapper::Prefix(inside) => {
                self.cursor.mend(&kind::WRAPPER, Span::new(start, inside), "");
                self.cursor.at = inside;
                self.raw = self.cursor.slice(start, inside).contains(['r', 'R', '@']);
                let text = self.string(place);
                self.raw = false;
                return self.push(Value::String(text));
            }
        };
        self.cursor.mend(&kind::WRAPPER, Span::new(start, inside), "");
        self.open(shape, inside - start)
    }

    /// A key without a value.
    fn no_value(&mut self, at: usize) {
        self.cursor.mend(&kind::MISSING_VALUE, Span::at(at), "null");
        self.push(Value::Null);
    }
}
