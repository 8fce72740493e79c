//! A text with its tokens: the hands that the readers of mentions share.

use super::lexer::{Token, TokenKind, lex};

/// A text, its tokens, and questions about them.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    /// The text in lower case.
    pub text: &'a str,
    list: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// Cuts a text that is in lower case already.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, list: lex(text) }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The token at a place.
    pub(crate) fn get(&self, at: usize) -> Option<Token> {
        self.list.get(at).copied()
    }

    /// Whether the token at a place is of a kind.
    pub(crate) fn is(&self, at: usize, kind: TokenKind) -> bool {
        self.get(at).is_some_and(|token| token.kind == kind)
    }

    /// The text of a token; empty beyond the end.
    pub(crate) fn at(&self, at: usize) -> &'a str {
        self.get(at).and_then(|token| self.text.get(token.range())).unwrap_or_default()
    }

    /// The text of a word; empty where there is none.
    pub(crate) fn word(&self, at: usize) -> &'a str {
        if self.is(at, TokenKind::Word) { self.at(at) } else { "" }
    }

    /// The text from a token on.
    pub(crate) fn rest(&self, at: usize) -> &'a str {
        self.get(at).and_then(|token| self.text.get(token.start..)).unwrap_or_default()
    }

    /// The text before a token.
    pub(crate) fn before(&self, at: usize) -> &'a str {
        let end = self.get(at).map_or(self.text.len(), |token| token.start);
        self.text.get(..end).unwrap_or_default()
    }

    /// Whether a Chinese phrase begins at a token; gives the place after it.
    pub(crate) fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        self.rest(at).starts_with(phrase).then(|| self.after(at, phrase.len()))
    }

    /// The first of some phrases that begins at a token, and the place after it.
    pub(crate) fn any_phrase<T: Copy>(&self, at: usize, phrases: &[(&str, T)]) -> Option<(T, usize)> {
        phrases.iter().find_map(|(phrase, value)| self.phrase(at, phrase).map(|next| (*value, next)))
    }

    /// The first token that begins at least some bytes behind the beginning of another.
    pub(crate) fn after(&self, at: usize, bytes: usize) -> usize {
        let end = self.get(at).map_or(self.text.len(), |token| token.start + bytes);
        let mut next = at;
        while self.get(next).is_some_and(|token| token.start < end) {
            next += 1;
        }
        next
    }

    /// Whether nothing stands between a token and the next one.
    pub(crate) fn touches_next(&self, at: usize) -> bool {
        matches!((self.get(at), self.get(at + 1)), (Some(one), Some(next)) if one.end == next.start)
    }

    /// Whether some words follow each other from a place.
    pub(crate) fn words_are(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.at(at + offset) == *word)
    }

    /// The end of the token before a place, in bytes.
    pub(crate) fn end_before(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.get(before)).map_or(0, |token| token.end)
    }
}
