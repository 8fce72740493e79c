//! Values and keys without quotes: literals, numbers, and texts that lost their quotes.
//!
//! A text without quotes ends where the next member or element begins, not at every comma: `{a: hello, world, b: 2}` has
//! two members. It never reads a container.

use serde_json::{Number, Value};

use crate::parse::event::Span;

use super::ahead::DASHES;
use super::around::{Inner, Setting, ValuePosition};
use super::cursor::Cursor;
use super::glyph::{self, is_quote};
use super::kind;
use super::scalar::{self, Written};

/// A value that was read, and whether the text ended in it.
pub(super) struct Bare {
    /// The value; absent where none began.
    pub value: Option<Value>,
    /// Whether the end of the text may have cut it.
    pub cut: bool,
}

impl Cursor<'_> {
    /// The value without quotes at this place.
    #[inline]
    pub(super) fn bare_value(&mut self, setting: Setting) -> Bare {
        match self.plain_integer(setting.place) {
            Some(number) => Bare { value: Some(Value::Number(number)), cut: false },
            None => self.token_value(setting),
        }
    }

    /// An integer of up to 18 digits that a comma, a bracket or a new line follows.
    #[inline]
    fn plain_integer(&mut self, place: ValuePosition) -> Option<Number> {
        let bytes = self.text.as_bytes();
        let negative = self.byte(self.at) == Some(b'-');
        let start = self.at + usize::from(negative);
        let (mut end, mut sum) = (start, 0_i64);
        while let Some(digit) = bytes.get(end).filter(|b| b.is_ascii_digit() && end < start + 18) {
            sum = sum * 10 + i64::from(digit - b'0');
            end += 1;
        }
        let padded = bytes.get(start) == Some(&b'0') && end > start + 1;
        if end == start || padded || (negative && sum == 0) || !matches!(bytes.get(end)?, b',' | b'}' | b']' | b'\n') {
            return None;
        }
        // In an object, `1,234` may be one number.
        if place == ValuePosition::Member
            && bytes.get(end) == Some(&b',')
            && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        {
            return None;
        }
        self.at = end;
        Some(Number::from(if negative { -sum } else { sum }))
    }

    fn token_value(&mut self, setting: Setting) -> Bare {
        let start = self.at;
        let end = self.without_tail(start, self.token_end(start));
        let token = self.slice(start, end);
        let number = || scalar::number(token).map(|(number, written)| (Value::Number(number), written));
        let known = scalar::literal(token).or_else(number).or_else(|| scalar::endless(token));
        if let Some((value, written)) = known.filter(|_| self.stands_alone(end, setting)) {
            if value.is_number()
                && setting.place == ValuePosition::Member
                && let Some(grouped) = self.thousands(start, end)
            {
                return Bare { value: Some(Value::Number(grouped)), cut: false };
            }
            self.at = end;
            match written {
                Written::Exactly => {}
                Written::Otherwise if value.is_number() => {
                    self.mend(&kind::NUMBER, Span::new(start, end), &value.to_string())
                }
                Written::Otherwise => self.mend(&kind::LITERAL, Span::new(start, end), &value.to_string()),
                Written::Nowhere => self.mend(&kind::NOT_A_VALUE, Span::new(start, end), "null"),
            }
            return Bare { value: Some(value), cut: end == self.text.len() };
        }
        if end == self.text.len()
            && setting.place != ValuePosition::Root
            && let Some(bare) = self.read_begun(start, token)
        {
            return bare;
        }
        let text = self.bare_text(setting);
        let cut = self.at == self.text.len();
        let sign = matches!(text.as_str(), "" | "-" | "+" | ".");
        if sign {
            self.mend(&kind::DROPPED, Span::new(start, self.at), "");
        } else {
            self.mend(&kind::UNQUOTED_TEXT, Span::new(start, self.at), &text);
        }
        Bare { value: (!sign).then_some(Value::String(text)), cut }
    }

    /// The end of a number without what clings to it: an ellipsis, or the sign that stands for a closing bracket.
    fn without_tail(&self, start: usize, end: usize) -> usize {
        let token = self.slice(start, end);
        let bare = TAILS.iter().find_map(|tail| token.strip_suffix(tail));
        bare.filter(|bare| scalar::number(bare).is_some()).map_or(end, |bare| start + bare.len())
    }

    /// A value that the end of the text cut: `tru`, `1.`, `-`.
    fn read_begun(&mut self, start: usize, token: &str) -> Option<Bare> {
        let value = match scalar::begun_literal(token) {
            Some(value) => Some(value),
            None if matches!(token, "-" | "+") => None,
            None => Some(Value::Number(scalar::begun_number(token)?)),
        };
        self.at = self.text.len();
        let after = value.as_ref().map(Value::to_string).unwrap_or_default();
        self.mend(&kind::CUT_VALUE, Span::new(start, self.at), &after);
        Some(Bare { value, cut: true })
    }

    /// The end of the token at a place: the next blank, quote, comma, bracket or comment.
    fn token_end(&self, at: usize) -> usize {
        let mut end = at;
        while let Some(byte) = self.byte(end) {
            end += match byte {
                0..=b' '
                | 0x7f
                | b','
                | b';'
                | b'|'
                | b'}'
                | b']'
                | b')'
                | b'{'
                | b'['
                | b'('
                | b'"'
                | b'\''
                | b'`' => break,
                b'/' if matches!(self.byte(end + 1), Some(b'/' | b'*')) => break,
                b'<' if matches!(self.byte(end + 1), Some(b'/' | b'|')) => break,
                0x80.. => match self.sign(end) {
                    Some(sign) if glyph::folded(sign).is_none() && !glyph::is_blank(sign) => sign.len_utf8(),
                    _ => break,
                },
                _ => 1,
            };
        }
        end
    }

    /// Whether a token that ends here is the whole value, and not the first word of a text.
    fn stands_alone(&mut self, end: usize, setting: Setting) -> bool {
        let next = self.after_blanks(end);
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b',' | b';' | b'}' | b']' | b')' | b':' | b'<' | b'/' | b'#' => true,
            byte if is_quote(byte) => next > end,
            b'{' | b'[' => true,
            b'>' if next == end => self.odd_closer_ahead(next),
            b'|' => setting.place == ValuePosition::Element || self.member_ahead(next + 1, Inner::Open),
            _ if self.breaks(end, next) || self.goes_on(next, "...") => true,
            b'-' if self.goes_on(next, DASHES) => true,
            b'0'..=b'9' | b'-' => setting.place == ValuePosition::Element,
            _ if setting.place == ValuePosition::Element => self.literal_ahead(next),
            _ => setting.place == ValuePosition::Member && next > end && self.bare_key_ahead(next),
        }
    }

    /// A number with commas between its thousands. Only where a comma must be followed by a key, and none follows.
    fn thousands(&mut self, start: usize, end: usize) -> Option<Number> {
        let mut stop = end;
        let lead = self.slice(start, end).trim_start_matches(['-', '+']);
        if lead.is_empty() || lead.len() > 3 || !lead.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        while self.byte(stop) == Some(b',') && (1..=3).all(|i| self.byte(stop + i).is_some_and(|b| b.is_ascii_digit()))
        {
            stop += 4;
        }
        if self.byte(stop) == Some(b'.') {
            stop += 1;
            while self.byte(stop).is_some_and(|b| b.is_ascii_digit()) {
                stop += 1;
            }
        }
        let next = self.after_blanks(stop);
        let ends = self.token(next).is_none_or(|t| matches!(t.byte, b',' | b'}' | b']') || self.breaks(stop, next));
        if stop == end || !ends {
            return None;
        }
        let (number, _) = scalar::number(&self.slice(start, stop).replace(',', ""))?;
        self.mend(&kind::NUMBER, Span::new(start, stop), &number.to_string());
        self.at = stop;
        Some(number)
    }

    /// A text without quotes, trimmed. Leaves the cursor after it.
    fn bare_text(&mut self, setting: Setting) -> String {
        let start = self.at;
        let (mut curly, mut square, mut round) = (0_usize, 0_usize, 0_usize);
        let mut at = self.after_pattern(start);
        let mut after = None;
        while let Some(token) = self.token(at) {
            match token.byte {
                b'(' if at > start
                    && let Some(end) = self.call_end(at) =>
                {
                    at = end;
                    continue;
                }
                b'{' => curly += 1,
                b'[' => square += 1,
                b'(' => round += 1,
                b'}' if curly > 0 => curly -= 1,
                b']' if square > 0 => square -= 1,
                b')' if round > 0 => round -= 1,
                b')' if !setting.round => {}
                b'}' | b']' | b')' => break,
                b',' | b';' if self.ends_at_comma(at, token.width, curly + square, setting) => break,
                b'\n' if setting.place != ValuePosition::Member || self.ends_at_line(at) => break,
                b'"' | b'\'' if at > start => match self.quote_in_bare(start, at, token.width) {
                    InBare::Closes => {
                        after = Some(at + token.width);
                        break;
                    }
                    InBare::OpensNext => break,
                    InBare::Text => {}
                },
                b'/' if matches!(self.byte(at + 1), Some(b'*')) => break,
                b'/' | b'#' if at > start && self.comment_in_bare(at) => break,
                b'`' if self.goes_on(at, "```") => break,
                b'<' if self.goes_on(at, "<|") || self.goes_on(at, "</") => break,
                _ => {}
            }
            at += token.width;
        }
        self.at = after.unwrap_or(at);
        self.slice(start, at).trim_matches(glyph::is_blank).to_owned()
    }

    /// The end of the arguments that open at a place, directly after a name: `f("a", 2)`. They are closed on the same
    /// line, and structure follows. All such searches together go over no more than the length of the text.
    fn call_end(&mut self, at: usize) -> Option<usize> {
        let named = self.byte(at.wrapping_sub(1)).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !named || self.nested_budget == 0 {
            return None;
        }
        let end = self.balanced_end(at);
        self.nested_budget = self.nested_budget.saturating_sub(end - at);
        (end <= self.line_end(at) && self.byte(end - 1) == Some(b')') && self.structure_ahead(end)).then_some(end)
    }

    /// Whether a comment begins here in a text without quotes: after a blank, so that no address is cut.
    fn comment_in_bare(&self, at: usize) -> bool {
        let next = self.byte(at + 1);
        let mark = if self.byte(at) == Some(b'/') { next == Some(b'/') } else { next == Some(b' ') };
        mark && self.byte(at - 1).is_some_and(glyph::is_plain_blank)
    }

    /// Past a regular expression between slashes, whose signs mean nothing here.
    fn after_pattern(&self, start: usize) -> usize {
        let line = self.slice(start, self.line_end(start)).as_bytes();
        if line.first() != Some(&b'/') {
            return start;
        }
        let mut escaped = false;
        let close = line.iter().skip(1).position(|b| {
            let closes = *b == b'/' && !escaped;
            escaped = *b == b'\\' && !escaped;
            closes
        });
        close.map_or(start, |step| start + step + 2)
    }

    fn ends_at_comma(&mut self, at: usize, width: usize, nested: usize, setting: Setting) -> bool {
        if setting.place != ValuePosition::Member {
            return nested == 0;
        }
        let next = self.after_blanks(at + width);
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            byte if is_quote(byte) => nested == 0 || self.quoted_key_ahead(next),
            b'}' | b']' | b',' => nested == 0,
            b'.' => self.goes_on(next, "..."),
            _ => self.bare_words_ahead(next) || (nested == 0 && self.breaks(at, next)),
        }
    }

    /// Whether a key of a few words without quotes, and its colon, stand here.
    fn bare_words_ahead(&self, at: usize) -> bool {
        let mut end = at;
        for _ in 0..FEW_WORDS {
            if self.bare_key_ahead(end) {
                return true;
            }
            let word = self.word_end(end);
            if word == end || self.byte(word) != Some(b' ') {
                return false;
            }
            end = word + 1;
        }
        false
    }

    /// Whether the next line begins a member or closes something.
    fn ends_at_line(&mut self, at: usize) -> bool {
        let next = self.after_blanks(at);
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b'}' | b']' | b',' => true,
            byte if is_quote(byte) => true,
            _ => self.bare_key_ahead(next),
        }
    }

    fn quote_in_bare(&mut self, start: usize, at: usize, width: usize) -> InBare {
        let blank_before = self.byte(at - 1).is_some_and(glyph::is_plain_blank);
        if at > start && blank_before && self.quoted_key_ahead(at) {
            return InBare::OpensNext;
        }
        let next = self.after_blanks(at + width);
        match self.token(next).map(|t| t.byte) {
            None | Some(b',' | b'}' | b']') if !blank_before => InBare::Closes,
            _ => InBare::Text,
        }
    }

    /// A key without quotes. Leaves the cursor before its colon. Nothing where no key begins.
    pub(super) fn bare_key(&mut self) -> Option<String> {
        let start = self.at;
        let mut at = start;
        let mut after = None;
        while let Some(token) = self.token(at) {
            match token.byte {
                b':' | b'=' | b',' | b'}' | b']' | b'{' | b'[' | b'\n' | b';' => break,
                b'"' | b'\'' | b'`' => {
                    if !self.byte(at.saturating_sub(1)).is_some_and(glyph::is_plain_blank) {
                        after = Some(at + token.width);
                    }
                    break;
                }
                b'/' if matches!(self.byte(at + 1), Some(b'/' | b'*')) => break,
                _ if self.arrow(at).is_some() => break,
                _ => at += token.width,
            }
        }
        let key = self.slice(start, at).trim_matches(glyph::is_blank);
        if key.is_empty() {
            return None;
        }
        let kind = if after.is_some() { &kind::MISSING_QUOTE } else { &kind::UNQUOTED_KEY };
        self.mend(kind, Span::new(start, at), key);
        self.at = after.unwrap_or(at);
        Some(key.to_owned())
    }
}

/// What may cling to the end of a number.
const TAILS: [&str; 3] = ["...", "…", ">"];

/// The most words of a key without quotes.
const FEW_WORDS: usize = 3;

/// What a quote in a text without quotes is.
enum InBare {
    /// The text lost only its first quote.
    Closes,
    /// The next key begins.
    OpensNext,
    /// Part of the text.
    Text,
}
