//! From the end of the name to the closing bracket: value, attributes, bare words.
//!
//! One step reads one thing and is never read again, so that a tag that comes in pieces costs no more than one that
//! comes whole. Where the closing bracket is missing the tag ends at the last place that was certain.

use super::ahead::{Goes, Word, goes_on, next_after_blanks, whole_word};
use super::characters::{Peek, Unit, decode_entities, peek};
use super::name::{NameRead, lex_known};
use super::quote::{Closes, MoreNeeded, Quote, QuoteStyle, opening_quote, quote_kind};
use super::{Bounds, Candidate, Input, Name, Oddities};

/// What one step came to.
pub(super) enum Flow {
    /// There is more of the tag.
    Continue,
    /// The text ends here, and more may come.
    NeedMore,
    /// The tag is over.
    End(End),
}

/// Where a tag ends.
pub(super) struct End {
    at: usize,
    terminated: bool,
}

/// What was read after the name so far.
#[derive(Debug)]
pub(super) struct Tail {
    at: usize,
    /// The end of what certainly belongs to the tag.
    certain: usize,
    /// Where a line ended since then.
    line_end: Option<usize>,
    /// Words since then that may still become the name of an attribute, folded and as written.
    words: Vec<(String, String)>,
    value: Option<String>,
    attributes: Vec<(String, String)>,
    self_closing: bool,
    /// Whether the last value had no quotation marks, so that words after it belong to it.
    unquoted: bool,
    /// A value that is being read.
    open: Option<OpenValue>,
    odd: Oddities,
    opener: Oddities,
}

/// A value of which the end was not seen yet.
#[derive(Debug)]
struct OpenValue {
    /// The attribute; none for the tag's own value.
    name: Option<String>,
    quote: Option<Quote>,
    start: usize,
    scanned: usize,
    /// Where it ends if its quotation mark is never closed.
    fallback: Option<usize>,
}

impl Tail {
    /// Nothing read yet after a name.
    pub(super) fn after(name: &Name) -> Self {
        Self {
            at: name.len,
            certain: name.len,
            line_end: None,
            words: Vec::new(),
            value: None,
            attributes: Vec::new(),
            self_closing: false,
            unquoted: false,
            open: None,
            odd: Oddities::default(),
            opener: name.odd,
        }
    }

    /// Reads one more thing.
    pub(super) fn step(&mut self, text: &str, input: Input, bounds: &Bounds, known: &dyn Fn(&str) -> bool) -> Flow {
        if self.at > bounds.tag {
            return self.cut();
        }
        if let Some(open) = self.open.take() {
            return self.read_value(open, text, input, bounds, known);
        }
        let unit = match peek(text, self.at, input) {
            Peek::Unit(unit) => unit,
            Peek::NeedMore => return Flow::NeedMore,
            Peek::End => return self.cut(),
        };
        match unit.symbol {
            '>' if !unit.odd.foreign || self.opener.foreign => self.bracket(unit, text, input),
            '/' | '\\' => self.slash(unit, text, input),
            '=' => self.equals(unit, text, input),
            ':' if !self.words.is_empty() => self.equals(unit, text, input),
            ',' | ';' if !self.attributes.is_empty() && self.words.is_empty() => self.pass(unit),
            '\n' => {
                self.line_end.get_or_insert(self.at);
                self.pass(unit)
            }
            _ if unit.is_blank() || unit.is_invisible() => self.pass(unit),
            _ if unit.is_of_name() => self.word(text, input, bounds),
            _ => self.take_quoted(text, input),
        }
    }

    /// What was read, as a tag.
    pub(super) fn finish(mut self, name: Name, end: End) -> Candidate {
        let mut odd = name.odd.and(self.odd);
        odd.unterminated = !end.terminated;
        if end.terminated {
            self.settle_words();
        }
        Candidate {
            len: end.at,
            closing: name.closing,
            self_closing: self.self_closing,
            name: name.name,
            raw_name: name.raw_name,
            value: self.value,
            attributes: self.attributes,
            terminated: end.terminated,
            odd,
        }
    }

    /// Words that did not become the name of an attribute belong to a value without quotation marks before them, else
    /// they stand for themselves.
    fn settle_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        let last = self.attributes.last_mut().map(|(_, value)| value).or(self.value.as_mut());
        match last.filter(|_| self.unquoted) {
            Some(value) => words.iter().for_each(|(_, raw)| {
                value.push(' ');
                value.push_str(raw);
            }),
            None => self.attributes.extend(words.into_iter().map(|(word, _)| (word, String::new()))),
        }
    }

    fn pass(&mut self, unit: Unit) -> Flow {
        self.at += unit.len;
        Flow::Continue
    }

    /// The closing bracket is missing: the tag ends where it was certain.
    fn cut(&mut self) -> Flow {
        Flow::End(End { at: self.certain, terminated: false })
    }

    fn bracket(&mut self, unit: Unit, text: &str, input: Input) -> Flow {
        let mut at = self.at + unit.len;
        if self.opener.doubled {
            match peek(text, at, input) {
                Peek::NeedMore => return Flow::NeedMore,
                Peek::Unit(second) if second.symbol == '>' => at += second.len,
                _ => {}
            }
        }
        self.odd = self.odd.and(unit.odd);
        Flow::End(End { at, terminated: true })
    }

    /// A slash counts only directly before the closing bracket.
    fn slash(&mut self, unit: Unit, text: &str, input: Input) -> Flow {
        match next_after_blanks(text, self.at + unit.len, input) {
            Peek::NeedMore => Flow::NeedMore,
            Peek::Unit(next) if next.symbol == '>' && unit.symbol == '/' => {
                self.self_closing = true;
                self.pass(unit)
            }
            Peek::Unit(next) if unit.symbol == '\\' && quote_kind(next.symbol).is_some() => {
                self.take_quoted(text, input)
            }
            _ => self.cut(),
        }
    }

    fn equals(&mut self, unit: Unit, text: &str, input: Input) -> Flow {
        let name = match self.words.pop() {
            Some((word, _)) => Some(word),
            None if self.attributes.is_empty() && self.value.is_none() => None,
            None => return self.cut(),
        };
        let mut at = self.at + unit.len;
        let quote = loop {
            match peek(text, at, input) {
                Peek::NeedMore => {
                    self.words.extend(name.map(|word| (word.clone(), word)));
                    return Flow::NeedMore;
                }
                Peek::Unit(blank) if blank.is_blank() && blank.symbol != '\n' => at += blank.len,
                Peek::Unit(_) => match opening_quote(text, at, input) {
                    Ok(quote) => break quote,
                    Err(MoreNeeded) => {
                        self.words.extend(name.map(|word| (word.clone(), word)));
                        return Flow::NeedMore;
                    }
                },
                Peek::End => break None,
            }
        };
        self.settle_words();
        self.line_end = None;
        let start = at + quote.map_or(0, |(_, len)| len);
        self.open =
            Some(OpenValue { name, quote: quote.map(|(quote, _)| quote), start, scanned: start, fallback: None });
        Flow::Continue
    }

    /// A quoted value directly after the name, without an equals sign; anything else can be no part of a tag.
    fn take_quoted(&mut self, text: &str, input: Input) -> Flow {
        if !self.words.is_empty() || !self.attributes.is_empty() || self.value.is_some() || self.line_end.is_some() {
            return self.cut();
        }
        match opening_quote(text, self.at, input) {
            Err(MoreNeeded) => Flow::NeedMore,
            Ok(None) => self.cut(),
            Ok(Some((quote, len))) => {
                let start = self.at + len;
                self.open = Some(OpenValue { name: None, quote: Some(quote), start, scanned: start, fallback: None });
                Flow::Continue
            }
        }
    }

    /// A word: the name of an attribute where an equals sign follows, else a bare word. On a new line only the former.
    fn word(&mut self, text: &str, input: Input, bounds: &Bounds) -> Flow {
        let (word, end) = match whole_word(text, self.at, input, bounds) {
            Word::NeedMore => return Flow::NeedMore,
            Word::TooLong => return self.cut(),
            Word::Is(word, end) => (word, end),
        };
        let follows = next_after_blanks(text, end, input);
        if follows == Peek::NeedMore && (self.line_end.is_some() || self.words.len() >= MOST_WORDS) {
            return Flow::NeedMore;
        }
        let names = matches!(follows, Peek::Unit(unit) if matches!(unit.symbol, '=' | ':'));
        if !names && (self.line_end.is_some() || self.words.len() >= MOST_WORDS) {
            return self.cut();
        }
        let raw = text.get(self.at..end).unwrap_or_default().to_owned();
        self.words.push((word, raw));
        self.at = end;
        Flow::Continue
    }

    fn read_value(
        &mut self,
        mut open: OpenValue,
        text: &str,
        input: Input,
        bounds: &Bounds,
        known: &dyn Fn(&str) -> bool,
    ) -> Flow {
        let found = match open.quote {
            Some(quote) => open.find_quote(quote, text, input, bounds, known),
            None => open.find_blank(text, input),
        };
        if open.scanned > bounds.tag {
            return self.cut();
        }
        let (end, after) = match found {
            Found::NeedMore => {
                self.open = Some(open);
                return Flow::NeedMore;
            }
            Found::Never(end) => {
                self.odd.quote = true;
                (end, end)
            }
            Found::At(end, after) => (end, after),
        };
        let written = text.get(open.start..end).unwrap_or_default();
        let written = if open.quote.is_none() { written.trim_end_matches([',', ';']) } else { written };
        self.unquoted = open.quote.is_none();
        let escaped = open.quote.is_some_and(|quote| quote.style != QuoteStyle::Entity);
        let value = match escaped && written.contains("\\\"") {
            true => decode_entities(&written.replace("\\\"", "\"")),
            false => decode_entities(written),
        };
        match open.name {
            Some(name) => self.attributes.push((name, value)),
            None => self.value = Some(value),
        }
        self.at = after;
        self.certain = after;
        Flow::Continue
    }
}

/// Where a value ends.
enum Found {
    NeedMore,
    /// The end of the value, and where reading goes on.
    At(usize, usize),
    /// Its quotation mark is never closed: it ends here.
    Never(usize),
}

impl OpenValue {
    /// An unquoted value ends before a blank or a bracket.
    fn find_blank(&mut self, text: &str, input: Input) -> Found {
        loop {
            let rest = text.as_bytes().get(self.scanned..).unwrap_or_default();
            self.scanned += rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let at = self.scanned;
            match peek(text, at, input) {
                Peek::NeedMore => return Found::NeedMore,
                Peek::End => return Found::At(at, at),
                Peek::Unit(unit) if unit.is_blank() || matches!(unit.symbol, '<' | '>') => return Found::At(at, at),
                Peek::Unit(unit) if unit.symbol == '/' => match peek(text, at + unit.len, input) {
                    Peek::NeedMore => return Found::NeedMore,
                    Peek::Unit(next) if next.symbol == '>' => return Found::At(at, at),
                    _ => self.scanned += unit.len,
                },
                Peek::Unit(unit) => self.scanned += unit.len,
            }
        }
    }

    /// A quoted value ends at the mark after which the tag can go on; a mark inside it does not end it. A known tag
    /// inside it shows that the mark is missing.
    fn find_quote(
        &mut self,
        quote: Quote,
        text: &str,
        input: Input,
        bounds: &Bounds,
        known: &dyn Fn(&str) -> bool,
    ) -> Found {
        while let Some(c) = text.get(self.scanned..).and_then(|rest| rest.chars().next()) {
            let at = self.scanned;
            if matches!(c, '<' | '＜') {
                match lex_known(text.get(at..).unwrap_or_default(), input, bounds, known) {
                    NameRead::NeedMore => return Found::NeedMore,
                    NameRead::Name(_) => return Found::Never(self.fallback.unwrap_or(at)),
                    NameRead::NotATag => {}
                }
            }
            if matches!(c, '>' | '＞' | '\n') {
                self.fallback.get_or_insert(at);
            }
            match quote.closes(text, at, input) {
                Closes::NeedMore => return Found::NeedMore,
                Closes::Yes(len) => match goes_on(text, at + len, input, bounds) {
                    Goes::NeedMore => return Found::NeedMore,
                    Goes::Yes => return Found::At(at, at + len),
                    Goes::No => self.scanned += len,
                },
                Closes::No(len) => self.scanned += len,
            }
        }
        match input {
            Input::Open => Found::NeedMore,
            Input::Ended => Found::Never(self.fallback.unwrap_or(text.len())),
        }
    }
}

/// More bare words than this are content whose bracket is missing.
const MOST_WORDS: usize = 8;
