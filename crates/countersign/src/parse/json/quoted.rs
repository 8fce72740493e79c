//! Strings as the reader takes them: joined by a plus, in doubled or triple quotes, in escaped quotes, in a block of code.
//!
//! Where a string ends and what it says is found elsewhere; here it is read and its mends are told. It never reads a
//! value without quotes.

use serde_json::Value;

use crate::parse::event::Span;

use super::ahead::TICKS;
use super::around::{EndedBy, Ending, Setting, ValuePosition};
use super::cursor::Token;
use super::glyph::Quote;
use super::kind;
use super::reader::{Begun, Reader};

impl Reader<'_> {
    /// Reads a string, and those that a plus joins to it.
    #[inline]
    pub(super) fn string(&mut self, place: ValuePosition) -> String {
        let start = self.cursor.at;
        let mut text = self.one_string(place);
        while place != ValuePosition::Key && !self.cut {
            let plus = self.cursor.after_blanks(self.cursor.at);
            if self.cursor.byte(plus) != Some(b'+') {
                break;
            }
            let next = self.cursor.after_blanks(plus + 1);
            if self.cursor.quote(next).is_none() {
                break;
            }
            self.cursor.at = next;
            text.push_str(&self.one_string(place));
            self.cursor.mend(&kind::JOINED, Span::new(start, self.cursor.at), "");
        }
        text
    }

    fn one_string(&mut self, place: ValuePosition) -> String {
        let start = self.cursor.at;
        let Some((quote, width)) = self.cursor.quote(start) else { return String::new() };
        let mut content = start + width;
        if self.cursor.byte(content) == quote.byte() && quote.byte().is_some() {
            if let Some(text) = self.triple(quote) {
                return text;
            }
            // Doubled quotes: an empty string would be followed by structure, not by a letter. Where the keys are not
            // doubled, the second quote is one of the text's own.
            let looks_doubled = self.cursor.sign(content + 1).is_some_and(char::is_alphanumeric);
            self.doubled |= looks_doubled && matches!(place, ValuePosition::Key | ValuePosition::Root);
            if looks_doubled && self.doubled {
                content += 1;
                self.cursor.mend(&kind::DOUBLED_QUOTES, Span::new(start, content), "\"");
            }
        }
        let doubled = content > start + width;
        let ending = self.cursor.string_end(quote, content, Setting { doubled, ..self.setting(place) });
        // One quote more at the beginning, and none that would be its partner.
        if ending.inner == 1 && content == start + width && self.cursor.byte(content) == quote.byte() {
            content += 1;
            self.cursor.mend(&kind::DOUBLED_QUOTES, Span::new(start, content), "\"");
        }
        let text = self.text_of(content, &ending);
        self.cursor.at = ending.after;
        let span = Span::new(start, self.cursor.at);
        if quote != Quote::Double || ending.by == EndedBy::OtherQuote {
            self.cursor.mend(&kind::QUOTES, span, "");
        }
        if ending.inner > 0 {
            self.cursor.mend(&kind::INNER_QUOTE, span, "");
        }
        match ending.by {
            EndedBy::Quote | EndedBy::OtherQuote => {}
            EndedBy::Structure => self.cursor.mend(&kind::MISSING_QUOTE, span, ""),
            EndedBy::Brackets => {
                self.unsure = true;
                self.cursor.mend(&kind::MISSING_QUOTE, span, "");
            }
            EndedBy::Cut => {
                self.cut = true;
                self.cursor.mend(&kind::CUT_VALUE, span, "");
            }
        }
        text
    }

    fn text_of(&mut self, content: usize, ending: &Ending) -> String {
        match self.raw {
            true => self.cursor.slice(content, ending.content).to_owned(),
            false => self.cursor.decoded(content, ending.content, ending.by),
        }
    }

    /// A string in three backticks, as Markdown writes a block of code; or the fence around the value ends here.
    pub(super) fn block(&mut self) -> Begun {
        let start = self.cursor.at;
        let Some((content, end)) = self.cursor.block_end(start) else { return Begun::Nothing };
        self.cut |= content == end;
        self.cursor.at = end;
        self.cursor.mend(&kind::TRIPLE_QUOTES, Span::new(start, end), "");
        self.push(Value::String(self.cursor.slice(start + TICKS.len(), content).to_owned()))
    }

    /// A string in triple quotes.
    fn triple(&mut self, quote: Quote) -> Option<String> {
        let start = self.cursor.at;
        if self.cursor.byte(start + 2) != quote.byte() {
            return None;
        }
        let end = self.cursor.next_triple(quote, start + 3)?;
        let text = self.text_of(start + 3, &Ending { content: end, after: end + 3, by: EndedBy::Quote, inner: 0 });
        self.cursor.at = end + 3;
        self.cursor.mend(&kind::TRIPLE_QUOTES, Span::new(start, end + 3), "");
        Some(text)
    }

    /// A string whose quotes are both escaped: `\"x\"`.
    pub(super) fn escaped_string(&mut self) -> Option<String> {
        let start = self.cursor.at;
        let string = self.cursor.escaped_string(start)?;
        let next = self.cursor.after_blanks(string.after);
        let fits = |t: Token| matches!(t.byte, b',' | b':' | b'}' | b']');
        if !self.cursor.token(next).is_some_and(fits) {
            return None;
        }
        self.cursor.mend(&kind::QUOTES, Span::new(start, string.after), "");
        self.cursor.at = string.after;
        Some(self.cursor.decoded(string.content, string.end, EndedBy::Quote))
    }

    /// Goes over a backslash before the opening quote of a string that is well-formed otherwise: `\"x"`.
    pub(super) fn escaped_opener(&mut self) -> bool {
        let start = self.cursor.at;
        let found = self.cursor.escaped_quote(start).is_some() && self.cursor.string_ahead(start + 1);
        if found {
            self.cursor.at += 1;
            self.cursor.mend(&kind::BAD_ESCAPE, Span::new(start, start + 1), "");
        }
        found
    }

    /// Goes over the letters before a key: `u'name'`.
    pub(super) fn prefix_of_key(&mut self, start: usize) {
        if let Some(quote) = self.cursor.prefixed(start).filter(|quote| *quote > start)
            && self.cursor.quoted_key_ahead(quote)
        {
            self.cursor.mend(&kind::WRAPPER, Span::new(start, quote), "");
            self.cursor.at = quote;
        }
    }
}
