//! A text as characters with their places, full-width signs made plain. The reading parts stand on it.

use crate::contract::language::is_han;
use crate::text::words::narrow;
use std::ops::Range;

/// The characters of a text.
#[derive(Debug)]
pub struct Scan {
    chars: Vec<(usize, char)>,
    end: usize,
}

impl Scan {
    /// Cuts a text into its characters.
    pub fn new(text: &str) -> Self {
        Self { chars: text.char_indices().map(|(at, c)| (at, narrow(c))).collect(), end: text.len() }
    }

    /// How many characters there are.
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// The character at a place.
    pub fn at(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|(_, c)| *c)
    }

    /// The character before a place.
    pub fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).and_then(|at| self.at(at))
    }

    /// Whether the character at a place is a digit.
    pub fn digit(&self, at: usize) -> bool {
        self.at(at).is_some_and(|c| c.is_ascii_digit())
    }

    /// The byte range of some characters.
    pub fn bytes(&self, range: Range<usize>) -> Range<usize> {
        let byte = |at: usize| self.chars.get(at).map_or(self.end, |(byte, _)| *byte);
        byte(range.start)..byte(range.end)
    }

    /// The first place from here on that is no blank; at most three are passed.
    pub fn past_blanks(&self, at: usize) -> usize {
        (at..at + 3).find(|at| !self.at(*at).is_some_and(char::is_whitespace)).unwrap_or(at + 3)
    }

    /// The Latin word that begins here, in lower case, and the place after it. Bounded, because no word that we
    /// know is longer.
    pub fn word(&self, at: usize) -> (String, usize) {
        let word: String = (at..at + 24).map_while(|at| self.at(at)).take_while(|c| latin(*c)).collect();
        let end = at + word.chars().count();
        (word.to_lowercase(), end)
    }

    /// Whether some characters stand here.
    pub fn starts(&self, at: usize, wanted: &str) -> bool {
        wanted.chars().enumerate().all(|(offset, c)| self.at(at + offset) == Some(c))
    }

    /// The digits from here on and the place after them; none where there are too many to mean a number.
    pub fn digits(&self, at: usize) -> Option<(u64, usize, usize)> {
        let digits: String = (at..at + 19).map_while(|at| self.at(at)).take_while(char::is_ascii_digit).collect();
        (!digits.is_empty() && digits.len() <= 18)
            .then(|| digits.parse().ok().map(|value| (value, digits.len(), at + digits.len())))?
    }

    /// The next place where something may begin: past a whole word, number or identifier, else one further.
    pub fn skip(&self, at: usize) -> usize {
        let part = |at: usize| {
            self.at(at).is_some_and(|c| {
                let inner = matches!(c, '.' | ',' | ':' | '-' | '_' | '/' | '\'' | '’');
                let tied = |at: Option<char>| at.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
                let quoted = matches!(c, '\'' | '’') && self.digit(at + 1);
                (c.is_alphanumeric() && !is_han(c))
                    || (inner && !quoted && tied(self.before(at)) && tied(self.at(at + 1)))
            })
        };
        let mut end = at;
        while part(end) {
            end += 1;
        }
        end.max(at + 1)
    }
}

/// Whether a character is a letter that is no Chinese one.
pub fn latin(c: char) -> bool {
    c.is_alphabetic() && !is_han(c)
}
