//! From the opening bracket to the end of the name: bounded by the longest name, so that prose such as `a < b` is not
//! held longer than that.

use super::characters::{Peek, Unit, peek};
use super::{Bounds, Candidate, Input, Oddities};

/// What is at the beginning of a text, as far as its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NameRead {
    /// Nothing that could be a tag.
    NotATag,
    /// The text ends inside what may still become a tag. Only while more may come.
    NeedMore,
    /// An opening bracket and a name.
    Name(Name),
}

/// The beginning of a tag: bracket, slash and name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Name {
    /// The bytes up to the end of the name.
    pub len: usize,
    /// Whether a slash comes before the name.
    pub closing: bool,
    /// The name, folded as in [`super::Candidate::name`].
    pub name: String,
    /// The name as it was written.
    pub raw_name: String,
    /// What was tolerated so far.
    pub odd: Oddities,
}

impl Name {
    /// The tag that ends directly behind its name.
    pub(super) fn into_whole(self) -> Candidate {
        let Self { len, closing, name, raw_name, odd } = self;
        Candidate { len: len + 1, closing, name, raw_name, terminated: true, odd, ..Candidate::default() }
    }
}

/// Reads bracket, slash and name at the beginning of `text`, whatever the name is.
pub(crate) fn lex_name(text: &str, input: Input, bounds: &Bounds) -> NameRead {
    let mut reading = Reading { text, input, at: 0, name: Name::default() };
    match reading.begin().and_then(|()| reading.word(bounds)) {
        Ok(()) => reading.done(),
        Err(stop) => stop.into(),
    }
}

/// Like [`lex_name`], for a name that is known, if need be as several words: `<web search>`.
pub(super) fn lex_known(text: &str, input: Input, bounds: &Bounds, known: &dyn Fn(&str) -> bool) -> NameRead {
    let name = match lex_name(text, input, bounds) {
        NameRead::Name(name) if !known(&name.name) => name,
        other => return other,
    };
    let one_word = name.name.len();
    let mut reading = Reading { text, input, at: name.len, name };
    match reading.more_words(bounds) {
        Ok(()) if reading.name.name.len() > one_word && known(&reading.name.name) => reading.done(),
        Ok(()) => NameRead::NotATag,
        Err(stop) => stop.into(),
    }
}

/// The beginning of a tag that the end of the output cut off, where nothing else follows: `<`, `</`, `</web_sea`. The
/// name may be empty.
pub(crate) fn lex_cut(text: &str, bounds: &Bounds) -> Option<Name> {
    let mut reading = Reading { text, input: Input::Ended, at: 0, name: Name::default() };
    reading.begin().ok()?;
    if reading.at < text.len() {
        reading.word(bounds).ok()?;
    }
    match reading.at == text.len() {
        true => Some(Name { len: reading.at, ..reading.name }),
        false => None,
    }
}

/// Why reading a name stopped.
enum Stop {
    NotATag,
    NeedMore,
}

impl From<Stop> for NameRead {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::NotATag => Self::NotATag,
            Stop::NeedMore => Self::NeedMore,
        }
    }
}

struct Reading<'t> {
    text: &'t str,
    input: Input,
    at: usize,
    name: Name,
}

impl Reading<'_> {
    /// The bracket, once or twice, and the slash.
    fn begin(&mut self) -> Result<(), Stop> {
        // As nearly every tag begins.
        match self.text.as_bytes() {
            [b'<', b'a'..=b'z', ..] => {
                self.at = 1;
                return Ok(());
            }
            [b'<', b'/', b'a'..=b'z', ..] => {
                (self.at, self.name.closing) = (2, true);
                return Ok(());
            }
            _ => {}
        }
        let bracket = self.unit()?.filter(|unit| unit.symbol == '<').ok_or(Stop::NotATag)?;
        self.take(bracket);
        if let Some(second) = self.unit()?.filter(|unit| unit.symbol == '<') {
            self.take(second);
            self.name.odd.doubled = true;
        }
        self.blanks()?;
        if let Some(slash) = self.unit()?.filter(|unit| matches!(unit.symbol, '/' | '\\')) {
            self.take(slash);
            self.name.closing = true;
            if slash.symbol == '\\' {
                self.name.odd.backslash = true;
                if let Some(second) = self.unit()?.filter(|unit| unit.symbol == '/') {
                    self.take(second);
                }
            }
            self.blanks()?;
        }
        Ok(())
    }

    /// The name, and whether what follows it may follow a name.
    fn word(&mut self, bounds: &Bounds) -> Result<(), Stop> {
        let from = self.at;
        if !self.unit()?.is_some_and(Unit::begins_name) {
            return Err(Stop::NotATag);
        }
        let mut letters = self.plain_letters(bounds);
        let mut latin = true;
        while let Some(unit) = self.unit()? {
            if unit.is_invisible() {
                self.take(unit);
                self.name.odd.invisible = true;
            } else if unit.is_of_name() && !(latin && !self.name.name.is_empty() && changes_script(unit.symbol)) {
                self.take(unit);
                latin &= unit.symbol.to_lowercase().all(is_latin);
                self.name.odd.case |= unit.symbol.is_uppercase();
                self.name.name.extend(unit.symbol.to_lowercase());
            } else if let Some(end) = self.bracketed_number(unit)? {
                self.name
                    .name
                    .extend(self.text.get(self.at..end).into_iter().flat_map(str::chars).filter(char::is_ascii_digit));
                self.at = end;
            } else if follows_name(unit) {
                break;
            } else {
                return Err(Stop::NotATag);
            }
            letters += 1;
            if letters > bounds.name {
                return Err(Stop::NotATag);
            }
        }
        self.name.raw_name = self.text.get(from..self.at).unwrap_or_default().to_owned();
        self.name.name.truncate(self.name.name.trim_end_matches(':').len());
        Ok(())
    }

    /// The letters at the beginning of a name that need no closer look, and how many they are.
    fn plain_letters(&mut self, bounds: &Bounds) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let is_plain = |byte: &&u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b':' | b'|' | b'#');
        let count = rest.iter().take(bounds.name).take_while(is_plain).count();
        self.name.name.push_str(self.text.get(self.at..self.at + count).unwrap_or_default());
        self.at += count;
        count
    }

    /// The end of a number in brackets: `<confirm(1)>`, `<confirm[1]>`.
    fn bracketed_number(&self, unit: Unit) -> Result<Option<usize>, Stop> {
        let close = match unit.symbol {
            '(' => ')',
            '[' => ']',
            _ => return Ok(None),
        };
        let mut at = self.at + unit.len;
        for place in 0..MOST_DIGITS {
            match peek(self.text, at, self.input) {
                Peek::NeedMore => return Err(Stop::NeedMore),
                Peek::Unit(unit) if unit.symbol.is_ascii_digit() => at += unit.len,
                Peek::Unit(unit) if unit.symbol == close && place > 0 => return Ok(Some(at + unit.len)),
                _ => break,
            }
        }
        Ok(None)
    }

    /// Further words of the same name, up to the closing bracket.
    fn more_words(&mut self, bounds: &Bounds) -> Result<(), Stop> {
        let from = self.at - self.name.raw_name.len();
        let mut end = self.at;
        while let Some(unit) = self.unit()?.filter(|unit| unit.symbol != '>') {
            let wanted = unit.is_of_name() || unit.is_blank() || unit.is_invisible();
            if !wanted || unit.symbol == '\n' || self.at - from > bounds.name {
                return Err(Stop::NotATag);
            }
            self.take(unit);
            if unit.is_of_name() {
                end = self.at;
                self.name.name.extend(unit.symbol.to_lowercase());
            }
        }
        if self.at == self.text.len() {
            return Err(Stop::NotATag);
        }
        self.at = end;
        self.name.odd.blank = true;
        self.name.raw_name = self.text.get(from..end).unwrap_or_default().to_owned();
        Ok(())
    }

    /// A few blanks.
    fn blanks(&mut self) -> Result<(), Stop> {
        for _ in 0..MOST_BLANKS {
            match self.unit()? {
                Some(unit) if unit.is_blank() => {
                    self.take(unit);
                    self.name.odd.blank = true;
                }
                Some(unit) if unit.is_invisible() => {
                    self.take(unit);
                    self.name.odd.invisible = true;
                }
                _ => return Ok(()),
            }
        }
        Err(Stop::NotATag)
    }

    /// The character where we are; none at the end of all.
    fn unit(&self) -> Result<Option<Unit>, Stop> {
        match peek(self.text, self.at, self.input) {
            Peek::Unit(unit) => Ok(Some(unit)),
            Peek::NeedMore => Err(Stop::NeedMore),
            Peek::End => Ok(None),
        }
    }

    fn take(&mut self, unit: Unit) {
        self.at += unit.len;
        self.name.odd = self.name.odd.and(unit.odd);
    }

    fn done(mut self) -> NameRead {
        self.name.len = self.at;
        NameRead::Name(self.name)
    }
}

/// Whether a name of Latin letters ends before a letter: `<confirm1先做竞品` has lost its bracket.
fn changes_script(symbol: char) -> bool {
    symbol.is_alphanumeric() && !symbol.is_ascii()
}

/// Whether a letter of a name keeps it Latin.
fn is_latin(symbol: char) -> bool {
    symbol.is_ascii() || symbol == '▁'
}

/// Whether a tag can go on like this after its name.
fn follows_name(unit: Unit) -> bool {
    unit.is_blank() || matches!(unit.symbol, '>' | '<' | '/' | '=') || changes_script(unit.symbol)
}

/// The longest number in brackets, with the bracket.
const MOST_DIGITS: usize = 5;

/// More blanks than this before a name are not meant.
const MOST_BLANKS: usize = 8;
