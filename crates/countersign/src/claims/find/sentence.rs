//! A sentence as the readers see it: tokens by position, and whether it is code.

use super::lexicon::{Entry, Flags, Lexicon, lexicon};
use super::names::Names;
use super::tokens::{Case, Gap, Seen, Shape, Token, signs};
use crate::text::lists::word_list;

/// A sentence.
#[derive(Clone, Copy)]
pub(crate) struct Sentence<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The tokens of the sentence.
    pub tokens: &'a [Token],
    /// Whether it reads as Chinese.
    pub chinese: bool,
    /// What it holds at all.
    pub seen: Seen,
    lexicon: &'static Lexicon,
}

impl<'a> Sentence<'a> {
    /// Looks at the tokens of a text.
    pub(crate) fn new(text: &'a str, tokens: &'a [Token], chinese: Language, seen: Seen) -> Self {
        Self { text, tokens, chinese: chinese == Language::Chinese, seen, lexicon: lexicon() }
    }

    /// The token at a position; one that is nothing beyond the end.
    #[inline]
    pub(crate) fn at(&self, at: usize) -> &'a Token {
        const NONE: Token = Token::NONE;
        self.tokens.get(at).unwrap_or(&NONE)
    }

    /// The token before a position.
    #[inline]
    pub(crate) fn before(&self, at: usize) -> &'a Token {
        at.checked_sub(1).map_or_else(|| self.at(usize::MAX), |at| self.at(at))
    }

    /// Whether a token has one of the classes.
    #[inline]
    pub(crate) fn has(&self, at: usize, flags: Flags) -> bool {
        self.at(at).has(flags)
    }

    /// Whether a token is this sign.
    #[inline]
    pub(crate) fn is(&self, at: usize, sign: char) -> bool {
        self.at(at).is(sign)
    }

    /// Whether a token is this word, in any case.
    #[inline]
    pub(crate) fn word(&self, at: usize, name: u16) -> bool {
        self.at(at).name == name
    }

    /// Whether a token is one of these words, in any case.
    #[inline]
    pub(crate) fn one_of(&self, at: usize, names: &Names) -> bool {
        let token = self.at(at);
        token.shape == Shape::Word && names.has(token.name)
    }

    /// The Chinese character that a token is, where it is no more than one.
    #[inline]
    pub(crate) fn lone(&self, at: usize) -> char {
        self.at(at).lone()
    }

    /// The text of a token.
    #[inline]
    pub(crate) fn words(&self, at: usize) -> &'a str {
        let token = self.at(at);
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// What is known about a token.
    #[inline]
    pub(crate) fn entry(&self, at: usize) -> &'static Entry {
        self.lexicon.entry(self.at(at).entry)
    }

    /// Whether the character is this Chinese one, alone or as the beginning of a word.
    #[inline]
    pub(crate) fn han(&self, at: usize, c: char) -> bool {
        let token = self.at(at);
        token.first == c && token.shape == Shape::Han
    }

    /// Whether a token divides clauses.
    pub(crate) fn divides(&self, at: usize) -> bool {
        let token = self.at(at);
        token.shape == Shape::None
            || token.shape == Shape::Sign
                && matches!(
                    token.first,
                    ',' | ';'
                        | ':'
                        | '，'
                        | '；'
                        | '：'
                        | '。'
                        | '.'
                        | '!'
                        | '?'
                        | '！'
                        | '？'
                        | '('
                        | ')'
                        | '（'
                        | '）'
                        | '—'
                        | '"'
                        | '“'
                        | '”'
                )
    }
}

/// The language that a sentence reads as.
pub(crate) use crate::contract::Language;

/// Whether a line reads as code: commands, operators, braces.
pub(crate) fn code(sentence: &Sentence) -> bool {
    if !sentence.seen.upper && !sentence.seen.sign(const { signs("&|-=><!+{};([$") }) {
        return false;
    }
    let mut points = 0;
    for (at, token) in sentence.tokens.iter().enumerate() {
        let next = sentence.at(at + 1);
        if token.case == Case::Upper
            && matches!(sentence.words(at), "INFO" | "WARN" | "ERROR" | "DEBUG" | "TRACE" | "FATAL")
        {
            points += 2 + usize::from(sentence.at(0).shape == Shape::Digits);
        }
        if token.shape != Shape::Sign {
            continue;
        }
        points += match token.first {
            '&' | '|' if next.is(token.first) => 3,
            '-' if token.gap == Gap::Blank && next.shape == Shape::Word && next.glued() => 2,
            '-' if token.gap == Gap::Blank && next.is('-') && next.glued() => 3,
            '=' | '>' | '<' | '!' | '+' if next.is('=') && next.glued() => 3,
            '{' | '}' | ';' if token.first != ';' || next.shape == Shape::None => 2,
            ';' if sentence.tokens.last().is_some_and(|last| last.is(';')) => 1,
            '(' if next.is(')') && next.glued() && token.glued() => 2,
            '=' if token.glued() && next.glued() => 1,
            '(' if token.glued() && sentence.before(at).shape == Shape::Word && next.glued() => 1,
            '[' if token.glued() && next.shape == Shape::Word => 2,
            '$' if at == 0 && next.shape == Shape::Word => 3,
            '/' if sentence.before(at).is('/') && token.glued() => 0,
            _ => 0,
        };
    }
    // A command's name alone is a word like others; with a flag or an operator it is a command.
    let command = |at: usize| {
        sentence.at(at).shape == Shape::Word && sentence.at(at).gap != Gap::None && SHELL.contains(&sentence.words(at))
    };
    points >= 3 || points == 2 && (command(0) || command(1)) || points == 1 && command(0) && command(1)
}

/// Words that open a line of code or a command.
const SHELL: &[&str] = word_list!("claims", "find/sentence/shell");
