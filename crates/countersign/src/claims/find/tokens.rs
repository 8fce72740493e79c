//! What a sentence is made of: words, digits, Chinese words and characters, signs, addresses.
//!
//! Everything behind works on tokens, so that no pattern ever meets half a word and nothing depends on `\b`, which
//! does not hold beside Chinese characters. Plain data; the lexer makes it.

use super::lexicon::Flags;

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Letters, perhaps with digits inside.
    Word,
    /// Digits with separators: 1,234.5, also full-width.
    Digits,
    /// Chinese numerals: 三千五百.
    Numerals,
    /// A Chinese word of the lexicon, or one character.
    Han,
    /// Any other character.
    Sign,
    /// An address on the web.
    Url,
    /// A DOI or an arXiv number.
    Reference,
    /// Code, a file name, an e-mail address: nothing in it is a claim.
    Code,
    /// What stands beyond the sentence.
    None,
}

/// What is before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing: it touches the token before.
    None,
    /// Blanks.
    Blank,
    /// It begins a line.
    Line,
}

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// lower
    Lower,
    /// Capital
    Capital,
    /// UPPER
    Upper,
}

/// One token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Its classes.
    pub flags: Flags,
    /// Its first character.
    pub first: char,
    /// Its entry in the lexicon.
    pub entry: u16,
    /// Its number among the names; 0 for all that is no word.
    pub name: u16,
    /// What it is made of.
    pub shape: Shape,
    /// What is before it.
    pub gap: Gap,
    /// How it is written.
    pub case: Case,
    /// Whether digits stand inside a word.
    pub coded: bool,
}

impl Token {
    /// The token that stands beyond every sentence.
    pub(crate) const NONE: Self = Self {
        start: 0,
        end: 0,
        flags: 0,
        first: '\0',
        entry: 0,
        name: 0,
        shape: Shape::None,
        gap: Gap::Blank,
        case: Case::Lower,
        coded: false,
    };

    /// Whether it has one of the classes.
    #[inline]
    pub(crate) fn has(&self, flags: Flags) -> bool {
        self.flags & flags != 0
    }

    /// Whether it is this sign.
    #[inline]
    pub(crate) fn is(&self, sign: char) -> bool {
        self.first == sign && self.shape == Shape::Sign
    }

    /// Whether it touches the token before.
    #[inline]
    pub(crate) fn glued(&self) -> bool {
        self.gap == Gap::None
    }
    /// How many bytes it has.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.end - self.start
    }

    /// The character of a token that is no more than one.
    #[inline]
    pub(crate) fn lone(&self) -> char {
        if self.end - self.start == self.first.len_utf8() { self.first } else { '\0' }
    }
}

/// What a sentence holds at all: what is not in here need not be looked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// The classes of all its words.
    pub flags: Flags,
    /// Its signs, those beyond ASCII under the sign of ASCII that they are like.
    pub signs: u128,
    /// Whether there are words in capitals.
    pub upper: bool,
    /// Whether there are addresses or references.
    pub address: bool,
    /// Whether there are words that touch what is before them.
    pub glued: bool,
    /// Whether there are Chinese characters that compare or rank.
    pub cue: bool,
}

impl Seen {
    /// Notes a sign.
    #[inline]
    pub(crate) fn note(&mut self, sign: char) {
        let like = match sign {
            '\0'..='\x7f' => sign,
            '（' | '）' => '(',
            '【' | '】' => '[',
            '：' => ':',
            '；' => ';',
            '“' | '”' | '《' | '》' => '"',
            '？' => '?',
            _ => ',',
        };
        self.signs |= 1 << (u32::from(like) & 0x7f);
    }

    /// Whether one of these signs, or one like it, is there.
    #[inline]
    pub(crate) fn sign(&self, signs: u128) -> bool {
        self.signs & signs != 0
    }

    /// Whether a word has one of the classes.
    #[inline]
    pub(crate) fn has(&self, flags: Flags) -> bool {
        self.flags & flags != 0
    }
}

/// A set of signs of ASCII.
#[expect(clippy::indexing_slicing, reason = "runs while the program is built: a wrong place fails the build")]
pub(crate) const fn signs(list: &str) -> u128 {
    let (bytes, mut bits, mut at) = (list.as_bytes(), 0, 0);
    while at < bytes.len() {
        bits |= 1 << (bytes[at] & 0x7f);
        at += 1;
    }
    bits
}
