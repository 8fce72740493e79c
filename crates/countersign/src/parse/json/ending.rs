//! Where a string ends: which quote closes it, and which is one that nobody escaped.
//!
//! A quote closes a string if what follows fits the structure around it. Where an inner quote is open already, more is
//! asked for: `"he said "yes", then left"` goes on at its first comma. A string whose closing quote is missing ends
//! where the next key or element begins, or before the brackets that end the text. In well-formed JSON every quote that
//! ends a string passes at the first look, so nothing well-formed is misread.
//!
//! Each look goes over blanks, at most one more string up to its next quote, and a bounded piece of anything else, so
//! that a byte is seen from a few quotes only. What is looked up here is never taken as read.

use super::ahead::{DASHES, TICKS};
use super::around::{EndedBy, Ending, Inner, Setting, ValuePosition};
use super::cursor::Cursor;
use super::glyph::{self, Quote, is_quote};

/// What a quote inside or after a string is.
enum Judged {
    Closes,
    Inner,
    /// It closes a key that another quote opened: the string before it has no closing quote.
    ClosesKey,
}

impl Cursor<'_> {
    /// Where the string ends whose content begins at `start`.
    pub(super) fn string_end(&mut self, quote: Quote, start: usize, setting: Setting) -> Ending {
        let (mut inner, mut previous, mut last, mut from) = (0, start, start, start);
        while let Some((at, width)) = self.next_quote(quote, from) {
            let twice = setting.doubled && self.byte(at + width) == quote.byte();
            let after = at + width + usize::from(twice);
            let state = if inner % 2 == 1 { Inner::Open } else { Inner::Closed };
            let judged = self.judge(after, setting, state);
            if state == Inner::Open
                && let Some(split) = self.find_missed_end(start, last, inner, setting, &judged)
            {
                return split;
            }
            if matches!(judged, Judged::Closes) || state == Inner::Closed && self.is_last_before_comma(quote, after) {
                return Ending { content: at, after, by: EndedBy::Quote, inner };
            }
            if matches!(judged, Judged::ClosesKey) && inner > 1 && self.is_remark(previous + width, last) {
                return Ending { content: previous, after: previous + width, by: EndedBy::Quote, inner: inner - 2 };
            }
            if inner == 0
                && let Some(nested) =
                    self.find_nested_end(start, at, setting).or_else(|| self.find_fenced_end(quote, start, at, setting))
            {
                return nested;
            }
            if inner == 1
                && setting.place == ValuePosition::Element
                && self.opens_after_comma(last)
                && self.opens_after_comma(at)
            {
                let content = self.slice(start, last).trim_end_matches(glyph::is_blank);
                return self.without_quote(start, start + content.len() - 1, 0);
            }
            if inner == 0
                && let Some(mixed) = self.mixed_end(quote, start, at, setting)
            {
                return mixed;
            }
            if setting.place == ValuePosition::Key && inner == 0 {
                // `{"key: "value"`: the quote opens the value, and the one before the colon is missing.
                let key = self.slice(start, at).trim_end_matches(glyph::is_blank);
                if key.ends_with([':', '：']) {
                    return self.without_quote(start, start + key.trim_end_matches([':', '：']).len(), 0);
                }
            }
            inner += 1;
            previous = last;
            last = at;
            from = after;
        }
        // In a string that began as it should, and may have been cut, only a key shows that it ended.
        if inner == 0
            && (quote != Quote::Double || setting.place == ValuePosition::Key)
            && let Some(mixed) = self.mixed_end(quote, start, self.text.len(), setting)
        {
            return mixed;
        }
        self.end_unclosed(quote, start, (inner, last), setting)
    }

    #[inline]
    fn judge(&mut self, after: usize, setting: Setting, inner: Inner) -> Judged {
        // The two commonest endings of well-formed JSON, without a further look.
        match (setting.place, self.byte(after)) {
            (ValuePosition::Key, Some(b':')) => return Judged::Closes,
            (ValuePosition::Member | ValuePosition::Element, Some(b','))
                if inner == Inner::Closed && self.byte(after + 1) == Some(b'"') =>
            {
                return Judged::Closes;
            }
            _ => {}
        }
        let next = self.after_blanks(after);
        let Some(token) = self.token(next) else { return Judged::Closes };
        let fits = match setting.place {
            _ if token.byte == b'+' => {
                let more = self.after_blanks(next + 1);
                self.token(more).is_none_or(|t| is_quote(t.byte))
            }
            _ if token.byte == b'`' && self.goes_on(next, "```") => true,
            _ if token.byte == b'<' && self.goes_on(next, "<|") => true,
            ValuePosition::Key => self.fits_after_key(next, token.byte, after, inner),
            ValuePosition::Member if token.byte == b':' => return Judged::ClosesKey,
            ValuePosition::Member => self.fits_after_member(next, after, setting, inner),
            ValuePosition::Element => self.fits_after_element(next, after, setting, inner),
            ValuePosition::Root => self.fits_after_root(next, after, inner),
        };
        if fits { Judged::Closes } else { Judged::Inner }
    }

    fn fits_after_key(&self, next: usize, byte: u8, after: usize, inner: Inner) -> bool {
        match byte {
            b':' | b'=' => true,
            _ if inner == Inner::Open => false,
            b',' | b';' | b'}' | b'[' | b'{' | b'0'..=b'9' | b'-' => true,
            byte if is_quote(byte) => true,
            b't' | b'f' | b'n' | b'T' | b'F' | b'N' => next > after || self.literal_ahead(next),
            _ => next > after,
        }
    }

    fn fits_after_member(&mut self, next: usize, after: usize, setting: Setting, inner: Inner) -> bool {
        let Some(token) = self.token(next) else { return true };
        let beyond = next + token.width;
        match token.byte {
            b'}' | b']' => self.fits_after_closers(next, setting),
            b')' if setting.round => self.fits_after_closers(next, setting),
            b')' | b'>' => inner == Inner::Closed && self.odd_closer_ahead(next),
            b',' => self.member_ahead(beyond, inner),
            b';' | b'|' if inner == Inner::Open => self.quoted_key_ahead(self.after_blanks(beyond)),
            b';' | b'|' => self.member_ahead(beyond, inner),
            b'{' => inner == Inner::Closed && self.quoted_key_ahead(self.after_blanks(beyond)),
            b'.' => self.goes_on(next, "...") || inner == Inner::Closed && self.stop_for_comma(next),
            // `"…"word""`: the one quote closes the inner pair, the other the string.
            byte if is_quote(byte) && inner == Inner::Open && next == after && self.structure_ahead(beyond) => false,
            byte if is_quote(byte) => self.quoted_key_ahead(next),
            _ if next == after => false,
            b'-' if inner == Inner::Closed && self.remark_ahead(next) => true,
            _ => (inner == Inner::Closed || self.breaks(after, next)) && self.bare_key_ahead(next),
        }
    }

    /// Whether two dashes and a remark without a quote are all that is left of the line, and a bracket or a key follows.
    fn remark_ahead(&mut self, at: usize) -> bool {
        let line = self.line_end(at);
        let quoted = self.next_quote(Quote::Double, at).is_some_and(|(quote, _)| quote < line);
        let next = self.after_blanks(line);
        let follows = self.token(next).is_some_and(|t| matches!(t.byte, b'}' | b']' | b',' | b'"'));
        self.goes_on(at, DASHES) && !quoted && (follows || self.bare_key_ahead(next))
    }

    /// Whether a comma in an object may be before this place.
    pub(super) fn member_ahead(&mut self, at: usize, inner: Inner) -> bool {
        let next = self.after_blanks(at);
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b'}' | b']' | b',' => true,
            b'{' | b'[' => inner == Inner::Closed,
            b'\\' => inner == Inner::Closed && self.escaped_key_ahead(next),
            b'.' => self.goes_on(next, "..."),
            byte if is_quote(byte) => inner == Inner::Closed || self.quoted_key_ahead(next),
            _ if self.prefixed(next).is_some_and(|quote| self.quoted_key_ahead(quote)) => true,
            _ if inner == Inner::Closed && self.stray_word_ahead(next) => true,
            _ => (inner == Inner::Closed || self.breaks(at, next)) && self.bare_key_ahead(next),
        }
    }

    fn fits_after_element(&mut self, next: usize, after: usize, setting: Setting, inner: Inner) -> bool {
        let Some(token) = self.token(next) else { return true };
        let beyond = next + token.width;
        match token.byte {
            b'}' | b']' => self.fits_after_closers(next, setting),
            b')' if setting.round => self.fits_after_closers(next, setting),
            b')' | b'>' => inner == Inner::Closed && self.odd_closer_ahead(next),
            b',' => self.element_ahead(beyond, inner),
            b';' | b'|' => inner == Inner::Closed && self.element_ahead(beyond, inner),
            b':' => inner == Inner::Closed,
            b'=' => inner == Inner::Closed && self.goes_on(next, "=>"),
            b'.' => self.goes_on(next, "..."),
            byte if is_quote(byte) && inner == Inner::Open && next == after && self.structure_ahead(beyond) => false,
            byte if is_quote(byte) => (inner == Inner::Closed && next > after) || self.string_ahead(next),
            b'{' | b'[' | b'0'..=b'9' | b'-' => inner == Inner::Closed && next > after,
            _ => {
                inner == Inner::Closed
                    && next > after
                    && (self.literal_ahead(next) || self.breaks(after, next) && self.bare_ahead(next))
            }
        }
    }

    fn element_ahead(&mut self, at: usize, inner: Inner) -> bool {
        let next = self.after_blanks(at);
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b'}' | b']' | b')' | b',' | b'{' | b'[' => true,
            b'.' if self.goes_on(next, "...") => true,
            byte if is_quote(byte) => inner == Inner::Closed || self.string_ahead(next),
            b'0'..=b'9' | b'-' if inner == Inner::Closed => true,
            _ if self.prefixed(next).is_some_and(|quote| self.string_ahead(quote)) => true,
            _ if inner == Inner::Closed && (self.unopened_ahead(next) || self.call_ahead(next)) => true,
            _ => self.bare_ahead(next),
        }
    }

    fn fits_after_root(&self, next: usize, after: usize, inner: Inner) -> bool {
        let Some(token) = self.token(next) else { return true };
        match token.byte {
            b'}' | b']' | b')' | b',' | b';' | b':' => true,
            byte => {
                self.breaks(after, next)
                    || (inner == Inner::Closed && next > after && (is_quote(byte) || byte == b'{' || byte == b'['))
            }
        }
    }

    /// Whether a few words and a comma stand between a string and the next key: `"x" (optional), "b": 1`.
    fn is_remark(&self, start: usize, end: usize) -> bool {
        let between = self.slice(start, end);
        let words = between.trim_end_matches(glyph::is_blank).strip_suffix([',', '，']);
        words.is_some_and(|words| {
            let blank = words.starts_with(glyph::is_blank);
            blank && words.len() < LONG_REMARK && !words.contains(['{', '}', '[', ']', ':', '=', '\n', ','])
        })
    }

    /// The end of a string that holds JSON which nobody escaped: `"{"a": 1}"`. All such
    /// searches together go over no more than the length of the text.
    fn find_nested_end(&mut self, start: usize, quote: usize, setting: Setting) -> Option<Ending> {
        let opens = self.slice(start, quote).bytes().all(|b| matches!(b, b'{' | b'[') || glyph::is_plain_blank(b));
        if !opens || quote == start || setting.place == ValuePosition::Key || self.nested_budget == 0 {
            return None;
        }
        let end = self.balanced_end(self.after_blanks(start));
        self.nested_budget = self.nested_budget.saturating_sub(end - start);
        let close = self.after_blanks(end);
        let closes =
            self.byte(close) == Some(b'"') && matches!(self.judge(close + 1, setting, Inner::Closed), Judged::Closes);
        closes.then_some(Ending { content: close, after: close + 1, by: EndedBy::Quote, inner: 1 })
    }

    /// The end of a string with blocks of code in it whose quotes nobody escaped: the first quote outside of a block, if
    /// it closes. All such searches together go over no more than the length of the text.
    fn find_fenced_end(&mut self, quote: Quote, start: usize, at: usize, setting: Setting) -> Option<Ending> {
        let ticks = |text: &str| memchr::memmem::find(text.as_bytes(), TICKS.as_bytes());
        let (mut outside, mut close, mut width) = (start, at, 1);
        if setting.place == ValuePosition::Key || ticks(self.slice(start, at)).is_none() {
            return None;
        }
        while let Some(opens) = ticks(self.slice(outside, close)) {
            let inside = outside + opens + TICKS.len();
            if self.nested_budget == 0 {
                return None;
            }
            let rest = self.text.get(inside..)?;
            let ends = ticks(rest);
            self.nested_budget = self.nested_budget.saturating_sub(ends.unwrap_or(rest.len()));
            outside = inside + ends? + TICKS.len();
            (close, width) = self.next_quote(quote, outside)?;
        }
        let closes = close > at && matches!(self.judge(close + width, setting, Inner::Closed), Judged::Closes);
        closes.then_some(Ending { content: close, after: close + width, by: EndedBy::Quote, inner: 1 })
    }

    /// Whether a comma follows a quote that is the last of its kind: it closes, whatever the words after the comma are.
    fn is_last_before_comma(&mut self, quote: Quote, after: usize) -> bool {
        let comma = self.token(self.after_blanks(after)).is_some_and(|t| t.byte == b',');
        comma && self.next_quote(quote, after).is_none()
    }

    /// Whether the quote at this place opens an element: a comma before it, a letter or a digit behind it.
    fn opens_after_comma(&self, at: usize) -> bool {
        let before = self.text.get(..at).map(|before| before.trim_end_matches([' ', '\n']));
        before.is_some_and(|before| before.ends_with(',')) && self.sign(at + 1).is_some_and(char::is_alphanumeric)
    }

    /// The end of a string that has no closing quote, once a later pair of quotes shows it: `"abc, "def"`.
    fn find_missed_end(
        &self,
        start: usize,
        last: usize,
        inner: usize,
        setting: Setting,
        judged: &Judged,
    ) -> Option<Ending> {
        match (setting.place, judged) {
            (ValuePosition::Member, Judged::ClosesKey) | (ValuePosition::Element, Judged::Closes) => {}
            (ValuePosition::Key, Judged::Closes) if inner == 1 => {}
            _ => return None,
        }
        let content = self.slice(start, last);
        let run =
            content.trim_end_matches(|c: char| glyph::is_blank(c) || matches!(c, ',' | '{' | '[' | '}' | ']' | '，'));
        let between = content.get(run.len()..)?;
        if !between.contains([',', '{', '\n', '，']) {
            return None;
        }
        if setting.place == ValuePosition::Key {
            let colon = run.find(':')?;
            return Some(self.without_quote(start, start + colon, inner - 1));
        }
        // Brackets that the string itself opened belong to it.
        let own = excess(run, b'{', b'}').min(0).unsigned_abs() + excess(run, b'[', b']').min(0).unsigned_abs();
        let kept = between.char_indices().filter(|(_, c)| matches!(c, '}' | ']')).take(own).last();
        let end = start + run.len() + kept.map_or(0, |(at, _)| at + 1);
        Some(self.without_quote(start, end, inner - 1))
    }

    /// The end of a string that no quote closes before the text ends.
    fn end_unclosed(&self, quote: Quote, start: usize, (inner, last): (usize, usize), setting: Setting) -> Ending {
        let rest = self.text.get(start..).unwrap_or_default();
        let fence = memchr::memmem::find(rest.as_bytes(), b"\n```");
        let content = fence.and_then(|at| rest.get(..at)).unwrap_or(rest);
        let trimmed = content.trim_end_matches(glyph::is_blank);
        let surplus = excess(trimmed, b'{', b'}').max(0) + excess(trimmed, b'[', b']').max(0);
        let mut end = trimmed;
        let mut closers = setting.depth.min(surplus.unsigned_abs());
        while closers > 0 && end.ends_with(['}', ']']) {
            end = end.get(..end.len() - 1).unwrap_or_default().trim_end_matches(glyph::is_blank);
            closers -= 1;
        }
        let bracketed = end.len() < trimmed.len();
        match setting.place {
            ValuePosition::Key => match self.key_before_value(end).filter(|_| bracketed) {
                Some(colon) => Ending { by: EndedBy::Brackets, ..self.without_quote(start, start + colon, inner) },
                None => Ending { content: self.text.len(), after: self.text.len(), by: EndedBy::Cut, inner },
            },
            // The last quote stood like one that closes: `"data" EXTRA }`.
            _ if bracketed && inner % 2 == 1 && quote.byte().is_some() && self.stands_after_word(last) => {
                Ending { content: last, after: last + 1, by: EndedBy::Quote, inner: inner - 1 }
            }
            _ if bracketed && let Some(content) = self.without_mixed(quote, start, start + end.len()) => {
                Ending { content, after: start + end.len(), by: EndedBy::OtherQuote, inner }
            }
            _ if bracketed && fence.is_none() => {
                Ending { by: EndedBy::Brackets, ..self.without_quote(start, start + end.len(), inner) }
            }
            _ if bracketed => self.without_quote(start, start + end.len(), inner),
            _ if fence.is_some() => self.without_quote(start, start + trimmed.len(), inner),
            _ => Ending {
                content: start + without_special_token(rest).len(),
                after: self.text.len(),
                by: EndedBy::Cut,
                inner,
            },
        }
    }

    /// Where the key ends in a text such as `key: value`.
    fn key_before_value(&self, text: &str) -> Option<usize> {
        let (key, value) = text.split_once(':')?;
        let word = key
            .strip_suffix("\\\"")
            .unwrap_or(key)
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        (word && !key.is_empty() && !value.trim_matches(glyph::is_blank).is_empty()).then_some(key.len())
    }

    /// Whether a quote has no blank before it and one after it.
    fn stands_after_word(&self, at: usize) -> bool {
        let blank = |at: usize| self.byte(at).is_some_and(glyph::is_plain_blank);
        !blank(at.wrapping_sub(1)) && blank(at + 1)
    }

    /// Ends a string at `end`; a quote of another kind, or one that was escaped by mistake, is taken for the missing one.
    fn without_quote(&self, start: usize, end: usize, inner: usize) -> Ending {
        let content = self.slice(start, end);
        let before = match content.strip_suffix("\\\"") {
            // A path may well end with a backslash.
            Some(path) if path.get(1..3) == Some(":\\") => content.len() - 1,
            Some(before) => before.len(),
            None if content.ends_with(['”', '“', '»', '」', '＂']) => {
                Quote::unpaired_end(content).unwrap_or(content.len())
            }
            None => content.len(),
        };
        Ending { content: start + before, after: end, by: EndedBy::Structure, inner }
    }
}

/// The text without the token that ends a model's turn: `<|im_end|>`.
fn without_special_token(text: &str) -> &str {
    let open = text.trim_end().strip_suffix("|>").and_then(|text| text.rfind("<|")).unwrap_or(text.len());
    let name = text.get(open + 2..).unwrap_or_default().trim_end();
    if name.len() < LONG_REMARK && !name.contains(' ') { text.get(..open).unwrap_or(text) } else { text }
}

/// How many more closing than opening brackets there are.
fn excess(text: &str, open: u8, close: u8) -> isize {
    text.bytes().map(|b| isize::from(b == close) - isize::from(b == open)).sum()
}

/// The longest remark after a string, and the longest special token.
const LONG_REMARK: usize = 48;
