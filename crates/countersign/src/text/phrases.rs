//! Finds phrases of a list in a text, at word borders only.

use crate::contract::language::is_han;
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use std::ops::Range;

/// A compiled phrase list. Latin phrases match whole words in any case; Chinese ones match anywhere, because a
/// Chinese text has no visible word borders.
#[derive(Debug)]
pub(crate) struct Phrases {
    automaton: Option<AhoCorasick>,
    phrases: Vec<String>,
}

/// A phrase in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match<'a> {
    /// The phrase of the list.
    pub phrase: &'a str,
    /// Where it is, in bytes.
    pub range: Range<usize>,
}

impl Phrases {
    /// Compiles a list. Blank entries and those that begin with `#` are left out.
    pub(crate) fn new<'a>(list: impl IntoIterator<Item = &'a str>) -> Self {
        let phrases: Vec<String> = list
            .into_iter()
            .map(str::trim)
            .filter(|p| !p.is_empty() && !p.starts_with('#'))
            .map(str::to_lowercase)
            .collect();
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(&phrases)
            .ok();
        Self { automaton, phrases }
    }

    /// Compiles a list with one phrase a line, as the shipped data files have it.
    pub(crate) fn from_lines(lines: &str) -> Self {
        Self::new(lines.lines())
    }

    /// The phrases that are in a text, without overlaps.
    pub(crate) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Match<'a>> {
        self.automaton.iter().flat_map(move |automaton| automaton.find_iter(text)).filter_map(move |found| {
            let range = found.range();
            let phrase = self.phrases.get(found.pattern().as_usize())?;
            (stands_free(text, &range)).then_some(Match { phrase, range })
        })
    }

    /// Whether any phrase stands in a text.
    pub(crate) fn any(&self, text: &str) -> bool {
        self.find(text).next().is_some()
    }
}

/// Whether a range neither begins nor ends inside a word.
pub(crate) fn stands_free(text: &str, range: &Range<usize>) -> bool {
    let inside = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => letter(a) && letter(b),
        _ => false,
    };
    let (Some(before), Some(found), Some(after)) =
        (text.get(..range.start), text.get(range.clone()), text.get(range.end..))
    else {
        return false;
    };
    !inside(before.chars().next_back(), found.chars().next())
        && !inside(found.chars().next_back(), after.chars().next())
}

/// Whether a phrase stands in a text, not inside a longer word or number. Chinese words have no borders to see.
pub(crate) fn stands_in(text: &str, phrase: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    let (text, phrase) = (text.as_bytes(), phrase.as_bytes());
    let free = |a: Option<&u8>, b: Option<&u8>| {
        !(a.is_some_and(u8::is_ascii_alphanumeric) && b.is_some_and(u8::is_ascii_alphanumeric))
    };
    memchr::memmem::find_iter(text, phrase).any(|at| {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        free(before, phrase.first()) && free(phrase.last(), text.get(at + phrase.len()))
    })
}

/// A character that, beside another such, makes one word.
fn letter(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_han(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words_only() {
        let list = Phrases::new(["no", "always", "我认为", "100%"]);
        let found = |text| list.find(text).map(|m| m.phrase.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("I know nothing, small alwaysOn"), Vec::<String>::new());
        assert_eq!(found("No. ALWAYS 100% sure"), ["no", "always", "100%"]);
        assert_eq!(found("但我认为不是"), ["我认为"]);
    }
}
