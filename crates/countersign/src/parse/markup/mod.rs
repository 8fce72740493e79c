//! Tags as models write them: one candidate at a time, folded, held against a closed list of names.
//!
//! Everybody who reads tags needs the same two things: to see where a tag ends although its case, width, blanks,
//! quotes or brackets are wrong, and to know which name of a closed list was meant. `lex` does the first, `Vocabulary`
//! the second. Neither guesses: a name that is not known is no tag, and two equally near names are none.
//!
//! Time is linear. Only a name that the caller knows is followed beyond `Bounds::name` characters, and a `Lexer` goes on
//! where it stopped, so that a tag that comes in small pieces is not read again from its beginning.

/// Single characters of markup: folded width, entities, blanks.
mod characters;
/// From the opening bracket to the end of the name.
mod name;
/// What follows a place.
mod ahead;
/// Quotation marks.
mod quote;
/// From the end of the name to the closing bracket.
mod tail;
/// A closed list of names, and which of them is meant.
mod vocabulary;

pub(crate) use characters::decode_entities;
pub(crate) use name::{Name, NameRead, lex_cut, lex_name};
pub(crate) use vocabulary::{Resolved, Vocabulary, fold_name, split_number};

use tail::{Flow, Tail};

/// What is at the beginning of a text that begins with `<`, `＜`, `&lt;` or the like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lexed {
    /// Nothing that could be a tag.
    NotATag,
    /// The text ends inside what may still become a tag. Only while more may come.
    NeedMore,
    /// A tag.
    Tag(Candidate),
}

/// A tag as it was written, folded.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Candidate {
    /// The bytes of all of it, the closing bracket included where there is one.
    pub len: usize,
    /// Whether a slash comes before the name.
    pub closing: bool,
    /// Whether a slash comes before the closing bracket.
    pub self_closing: bool,
    /// The name: small letters, half width, entities decoded, without blanks and invisible characters.
    pub name: String,
    /// The name as it was written.
    pub raw_name: String,
    /// What stands after `=` directly after the name: `<function=get_weather>`. Without quotes.
    pub value: Option<String>,
    /// Attributes in the order they were written; a bare word has an empty value. Names are folded, entities decoded.
    pub attributes: Vec<(String, String)>,
    /// Whether the closing bracket was there.
    pub terminated: bool,
    /// What was tolerated.
    pub odd: Oddities,
}

/// What had to be tolerated to read a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Oddities {
    /// Capital letters in the name.
    pub case: bool,
    /// Full-width characters.
    pub wide: bool,
    /// Characters written as entities.
    pub entity: bool,
    /// Characters that nobody sees.
    pub invisible: bool,
    /// Blanks before the name, or inside it.
    pub blank: bool,
    /// Doubled brackets.
    pub doubled: bool,
    /// Brackets of another kind, such as `〈〉`.
    pub foreign: bool,
    /// A backslash for the slash.
    pub backslash: bool,
    /// A quotation mark that was never closed.
    pub quote: bool,
    /// No closing bracket.
    pub unterminated: bool,
}

/// Whether more text may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// More may come.
    Open,
    /// This is all.
    Ended,
}

/// How long a tag may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The longest name, in characters. What is longer is no tag.
    pub name: usize,
    /// The longest tag of a known name, in bytes. What is longer ends where it was still certain.
    pub tag: usize,
}

/// Reads the tag at the beginning of `text`. `known` says whether a folded name is one that the caller wants: only
/// such a name is followed to its closing bracket.
///
/// A missing closing bracket ends the tag before the next opening bracket, the end of the line or the first thing that
/// can be no attribute; what stood there is not part of the candidate.
pub(crate) fn lex(text: &str, input: Input, bounds: &Bounds, known: &dyn Fn(&str) -> bool) -> Lexed {
    Lexer::default().read(text, input, bounds, known)
}

/// Reads one tag that comes in pieces. A new tag needs a new lexer.
#[derive(Debug, Default)]
pub(crate) struct Lexer {
    started: Option<(Name, Tail)>,
}

impl Lexer {
    /// Whether the name of a tag was read, and the tag goes on.
    pub(crate) fn has_begun(&self) -> bool {
        self.started.is_some()
    }

    /// Like [`lex`], but goes on where the last call with a shorter beginning of the same text stopped.
    pub(crate) fn read(&mut self, text: &str, input: Input, bounds: &Bounds, known: &dyn Fn(&str) -> bool) -> Lexed {
        if self.started.is_none() {
            let name = match name::lex_known(text, input, bounds, known) {
                NameRead::NotATag => return Lexed::NotATag,
                NameRead::NeedMore => return Lexed::NeedMore,
                NameRead::Name(name) => name,
            };
            // Most tags are nothing but a name.
            if text.as_bytes().get(name.len) == Some(&b'>') && !name.odd.doubled {
                return Lexed::Tag(name.into_whole());
            }
            let tail = Tail::after(&name);
            self.started = Some((name, tail));
        }
        let Some((_, tail)) = &mut self.started else { return Lexed::NotATag };
        let end = loop {
            match tail.step(text, input, bounds, known) {
                Flow::Continue => {}
                Flow::NeedMore => return Lexed::NeedMore,
                Flow::End(end) => break end,
            }
        };
        match self.started.take() {
            Some((name, tail)) => Lexed::Tag(tail.finish(name, end)),
            None => Lexed::NotATag,
        }
    }
}

impl Candidate {
    /// What the tag is about: `get_weather` in `<function=get_weather>`, `<function name="get_weather">` and
    /// `<tool id='get_weather'>`.
    pub(crate) fn named(&self) -> Option<&str> {
        let about = |(name, value): &&(String, String)| NAMING.contains(&name.as_str()) && !value.is_empty();
        let value =
            self.value.as_deref().or_else(|| self.attributes.iter().find(about).map(|(_, value)| value.as_str()));
        value.map(str::trim).filter(|value| !value.is_empty())
    }

    /// The value of an attribute, by its folded name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(written, _)| written == name).map(|(_, value)| value.as_str())
    }

    /// The words between the brackets that are no attributes.
    pub(crate) fn bare_words(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(|(_, value)| value.is_empty()).map(|(name, _)| name.as_str())
    }
}

impl Oddities {
    /// Everything that either of two had to tolerate.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            case: self.case || other.case,
            wide: self.wide || other.wide,
            entity: self.entity || other.entity,
            invisible: self.invisible || other.invisible,
            blank: self.blank || other.blank,
            doubled: self.doubled || other.doubled,
            foreign: self.foreign || other.foreign,
            backslash: self.backslash || other.backslash,
            quote: self.quote || other.quote,
            unterminated: self.unterminated || other.unterminated,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self { name: 64, tag: 1 << 20 }
    }
}

/// Attributes that name what a tag is about, in the order of their usual use.
const NAMING: [&str; 7] = ["name", "tool", "function", "tool_name", "function_name", "id", "key"];

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    vocabulary::build_tables();
}

#[cfg(test)]
mod tests;
