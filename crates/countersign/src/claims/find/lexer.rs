//! Cuts a text into sentences of tokens, in one pass.
//!
//! A sentence is bounded, so each look around is too. It knows no claims.

use super::lengths::{address_length, code_length, digits_length, full_width};
use super::lexicon::{
    ABBREVIATION, AUX, DETERMINER, Known, Lexicon, NUMERAL, PREPOSITION, PRONOUN, SELF, SUPERLATIVE, SUPPOSE, chunk,
    lexicon, pack,
};
use super::tokens::{Case, Gap, Seen, Shape, Token, signs};
use crate::contract::language::is_han;

/// Reads sentence by sentence.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexicon: &'static Lexicon,
    gap: Gap,
    /// Chinese characters and letters of the sentence.
    han: usize,
    letters: usize,
    seen: Seen,
}

impl<'a> Lexer<'a> {
    /// Begins at the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, lexicon: lexicon(), gap: Gap::Line, han: 0, letters: 0, seen: Seen::default() }
    }

    /// Whether the last sentence reads as Chinese.
    pub(crate) fn chinese(&self) -> bool {
        self.han > 0 && self.han * 4 >= self.letters
    }

    /// What the last sentence holds.
    pub(crate) fn seen(&self) -> Seen {
        self.seen
    }

    /// Reads the next sentence into `tokens`; false at the end of the text.
    pub(crate) fn sentence(&mut self, tokens: &mut Vec<Token>) -> bool {
        tokens.clear();
        (self.han, self.letters, self.seen) = (0, 0, Seen::default());
        while tokens.len() < LONGEST {
            let Some(byte) = self.text.as_bytes().get(self.at).copied() else { break };
            match byte {
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    if self.gap == Gap::None {
                        self.gap = Gap::Blank;
                    }
                }
                b'\n' => {
                    self.at += 1;
                    self.gap = Gap::Line;
                    if !tokens.is_empty() {
                        break;
                    }
                }
                b'0'..=b'9' => self.digits(char::from(byte), tokens),
                b'a'..=b'z' | b'A'..=b'Z' => self.word(tokens),
                b'`' => self.code(tokens),
                0..=0x7f => {
                    self.sign(byte.into(), 1, tokens);
                    if matches!(byte, b'.' | b'!' | b'?') && self.ends(byte, tokens) {
                        break;
                    }
                }
                0xe4..=0xe9 => self.ideograph(tokens),
                _ => {
                    if self.wide(tokens) {
                        break;
                    }
                }
            }
        }
        if self.seen.signs & ODD != 0 {
            shield(tokens);
        }
        !tokens.is_empty() || self.at < self.text.len()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn push(&mut self, token: Token, tokens: &mut Vec<Token>) {
        let (start, gap) = (self.at, self.gap);
        (self.at, self.gap) = (token.end, Gap::None);
        tokens.push(Token { start, gap, ..token });
    }

    fn sign(&mut self, sign: char, length: usize, tokens: &mut Vec<Token>) {
        self.seen.note(sign);
        self.push(Token { end: self.at + length, shape: Shape::Sign, first: sign, ..Token::NONE }, tokens);
    }

    /// A word of letters and digits, with apostrophes inside; or an address, where one begins.
    #[inline]
    fn word(&mut self, tokens: &mut Vec<Token>) {
        let text = self.text.as_bytes();
        let low = Run::read(chunk(text, self.at));
        let high = if low.length < 8 { Run::default() } else { Run::read(chunk(text, self.at + 8)) };
        let length = low.length + high.length;
        let first = text.get(self.at).copied().unwrap_or_default();
        let plain = match text.get(self.at + length) {
            Some(b'0'..=b'9' | b'\'' | 0x80..) => false,
            Some(b':' | b'.') => !matches!(first | 0x20, b'h' | b'f' | b'w' | b'd' | b'a'),
            _ => true,
        };
        if !plain || length == 0 || length == 16 {
            return self.long_word(tokens);
        }
        let known = self.lexicon.latin(u128::from(high.key) << 64 | u128::from(low.key));
        let upper = if low.capitals | high.capitals == 0 {
            0
        } else {
            (low.capitals.count_ones() + high.capitals.count_ones()) as usize
        };
        let word = Word { length, bare: length, upper, coded: false };
        self.finish_word(&word, (known, known.entry), first.into(), tokens);
    }

    /// A word with more than letters in it, or of more than fifteen.
    #[cold]
    fn long_word(&mut self, tokens: &mut Vec<Token>) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let (mut word, mut cut) = (Word::default(), None);
        loop {
            for byte in rest.get(word.length..).unwrap_or_default() {
                match byte {
                    b'a'..=b'z' => {}
                    b'A'..=b'Z' => word.upper += 1,
                    b'0'..=b'9' => word.coded = true,
                    _ => break,
                }
                word.length += 1;
            }
            let mark = match rest.get(word.length..).unwrap_or_default() {
                [b'\'', next, ..] if next.is_ascii_alphabetic() => 1,
                [0xe2, 0x80, 0x99, next, ..] if next.is_ascii_alphabetic() => 3,
                // Letters of other alphabets; anything else ends the word.
                [first, ..] if *first >= 0x80 => {
                    match self.text.get(self.at + word.length..).and_then(|rest| rest.chars().next()) {
                        Some(c) if c.is_alphabetic() && !is_han(c) && !full_width(c) => {
                            word.length += c.len_utf8();
                            continue;
                        }
                        _ => break,
                    }
                }
                [b':' | b'.', ..] if self.address(rest, tokens) => return,
                _ => break,
            };
            cut = Some(word.length);
            word.length += mark;
        }
        let whole = rest.get(..word.length).unwrap_or_default();
        // "Opta's" is looked up as "Opta".
        word.bare = cut.filter(|_| !whole.ends_with(b"n't")).unwrap_or(word.length);
        let look = |length: usize| pack(rest.get(..length)?).map(|key| self.lexicon.latin(key));
        let known = (look(word.bare).unwrap_or_default(), look(word.length).unwrap_or_default().entry);
        let first = self.rest().chars().next().unwrap_or_default();
        self.finish_word(&word, known, first, tokens);
    }

    #[inline]
    fn finish_word(&mut self, word: &Word, known: (Known, u16), first: char, tokens: &mut Vec<Token>) {
        let (Known { mut flags, entry }, name) = known;
        let case = match word.upper {
            0 if first.is_ascii() || !first.is_uppercase() => Case::Lower,
            many if many > 1 && many * 2 >= word.bare => Case::Upper,
            _ if first.is_uppercase() => Case::Capital,
            _ => Case::Lower,
        };
        if flags == 0 && word.bare >= 5 {
            let end = self.at + word.bare;
            flags = if self.text.as_bytes().get(end - 3..end) == Some(b"est") { SUPERLATIVE } else { 0 };
        }
        // WHO and US are names, whatever who and us are.
        if case == Case::Upper && word.length > 1 {
            flags &= !(PRONOUN | PREPOSITION | DETERMINER | AUX | SELF | NUMERAL);
        }
        self.letters += word.length;
        self.seen.flags |= flags;
        self.seen.glued |= self.gap == Gap::None;
        self.seen.upper |= case == Case::Upper;
        let (end, shape, coded) = (self.at + word.length, Shape::Word, word.coded);
        self.push(Token { end, flags, first, entry, name, shape, case, coded, ..Token::NONE }, tokens);
    }

    /// `https://…`, `www.…`, `doi:…`, `arXiv:…`.
    fn address(&mut self, rest: &[u8], tokens: &mut Vec<Token>) -> bool {
        let Some((shape, length)) = address_length(rest) else { return false };
        self.seen.address = true;
        let first = char::from(rest.first().copied().unwrap_or_default() | 0x20);
        self.push(Token { end: self.at + length, shape, first, ..Token::NONE }, tokens);
        true
    }

    /// Digits with separators of thousands and one decimal point, in either width.
    fn digits(&mut self, first: char, tokens: &mut Vec<Token>) {
        let end = self.at + digits_length(self.rest());
        self.push(Token { end, shape: Shape::Digits, first, ..Token::NONE }, tokens);
    }

    /// Inline code, or a fence: one token.
    fn code(&mut self, tokens: &mut Vec<Token>) {
        match code_length(self.rest()) {
            Ok(length) => {
                self.push(Token { end: self.at + length, shape: Shape::Code, first: '`', ..Token::NONE }, tokens);
            }
            Err(ticks) => self.sign('`', ticks, tokens),
        }
    }

    /// A character of the blocks that Chinese is written in.
    #[inline]
    fn ideograph(&mut self, tokens: &mut Vec<Token>) {
        let c = match self.text.as_bytes().get(self.at..self.at + 3) {
            Some([a, b, c]) => (u32::from(*a) & 0xf) << 12 | (u32::from(*b) & 0x3f) << 6 | u32::from(*c) & 0x3f,
            _ => 0,
        };
        match char::from_u32(c) {
            Some(c @ '\u{4e00}'..='\u{9fff}') => self.han_word(c, tokens),
            _ => _ = self.wide(tokens),
        }
    }

    /// A character beyond ASCII; true where it ends the sentence.
    fn wide(&mut self, tokens: &mut Vec<Token>) -> bool {
        let Some(c) = self.rest().chars().next() else {
            self.at += 1;
            return false;
        };
        if is_han(c) {
            self.han_word(c, tokens);
        } else if matches!(c, '，' | '。' | '、') {
            self.sign(c, 3, tokens);
            return c == '。';
        } else if ('０'..='９').contains(&c) {
            self.digits(c, tokens);
        } else if c.is_alphabetic() && !full_width(c) {
            self.word(tokens);
        } else if c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}') {
            self.at += c.len_utf8();
            self.gap = Gap::Blank;
        } else {
            self.sign(c, c.len_utf8(), tokens);
            return matches!(c, '！' | '？' | '；' | '…');
        }
        false
    }

    /// Chinese numerals, a Chinese word of the lexicon, or one character.
    fn han_word(&mut self, c: char, tokens: &mut Vec<Token>) {
        self.han += 1;
        let width = c.len_utf8();
        let opening = self.lexicon.opening(c);
        let behind = self.text.get(self.at + width..).unwrap_or_default();
        let run: usize = match opening.numeral {
            true => {
                let more = behind.chars().take_while(|c| self.lexicon.opening(*c).numeral);
                width + more.map(char::len_utf8).sum::<usize>()
            }
            false => 0,
        };
        let word = self.lexicon.chinese(opening, behind).map(|(length, known)| (width + length, known));
        let word = word.filter(|(length, _)| !self.is_counted(c, self.at + length, tokens));
        let (length, shape, Known { flags, entry }) = match word {
            Some((length, known)) if length > run || known.flags & SUPPOSE != 0 => (length, Shape::Han, known),
            _ if run > 0 => (run, Shape::Numerals, Known::default()),
            _ => (width, Shape::Han, opening.alone),
        };
        self.seen.flags |= flags;
        self.seen.cue |= shape == Shape::Han && matches!(c, '比' | '最' | '第' | '较' | '較');
        self.push(Token { end: self.at + length, shape, first: c, entry, flags, ..Token::NONE }, tokens);
    }

    /// Whether a character counts with the number before it and begins no word: 多 of 六千多家, 日 of 3日报道.
    fn is_counted(&self, c: char, end: usize, tokens: &[Token]) -> bool {
        if !matches!(c, '十' | '多' | '余' | '餘' | '来' | '月' | '日' | '号' | '成' | '人') {
            return false;
        }
        let word = self.text.get(self.at..end).unwrap_or_default();
        if word == "十分" {
            return self.text.get(end..).unwrap_or_default().starts_with(['钟', '鐘', '之']);
        }
        let Some(before) = tokens.last().filter(|token| self.gap == Gap::None && token.end == self.at) else {
            return false;
        };
        let number = matches!(before.shape, Shape::Digits | Shape::Numerals);
        match c {
            '多' | '余' | '餘' | '来' => number,
            '月' => number && word != "月份",
            '日' | '号' => {
                number
                    && word.len() > 3
                    && !word.starts_with("号")
                    && !word.starts_with("日元")
                    && !word.starts_with("日圆")
            }
            '成' => before.shape == Shape::Numerals && before.length() == 3,
            '人' => {
                number && matches!(word, "人口" | "人民" | "人均" | "人类" | "人员" | "人工" | "人才" | "人大" | "人士")
            }
            _ => false,
        }
    }

    /// Whether a sign of ASCII that may end a sentence ends it.
    fn ends(&self, sign: u8, tokens: &[Token]) -> bool {
        let rest = self.rest();
        let free = rest
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | ')' | '*') || is_han(c));
        if sign != b'.' || !free {
            return free;
        }
        let before = tokens.iter().rev().nth(1).copied().unwrap_or(Token::NONE);
        let initial = before.shape == Shape::Word && before.length() == 1;
        let listed = before.shape == Shape::Digits && tokens.len() == 2;
        let short = before.has(ABBREVIATION) && before.end + 1 == self.at;
        let goes_on = || {
            let rest = rest.trim_start_matches([' ', '\t', '"', '”', ')', '*']);
            rest.starts_with(|c: char| c.is_ascii_lowercase())
        };
        !(initial || listed || short || goes_on())
    }
}

/// A word on its way.
#[derive(Default)]
struct Word {
    length: usize,
    /// How long it is without what follows its last apostrophe.
    bare: usize,
    /// How many capitals it has.
    upper: usize,
    /// Whether digits stand inside.
    coded: bool,
}

/// The letters of ASCII that a chunk begins with.
#[derive(Default)]
struct Run {
    length: usize,
    /// The highest bit of each byte that is a capital.
    capitals: u64,
    /// The letters in lower case.
    key: u64,
}

impl Run {
    #[inline]
    fn read(chunk: u64) -> Self {
        let lower = (chunk | (ONES * 0x20)) & (ONES * 0x7f);
        // The highest bit of each byte that is a letter; no byte carries into the next, 0x7f + 0x1f fits.
        let letters = (lower + ONES * 0x1f) & !(lower + ONES * 0x05) & !chunk & (ONES * 0x80);
        let length = (!letters & (ONES * 0x80)).trailing_zeros() / 8;
        let inside = !u64::MAX.checked_shl(8 * length).unwrap_or_default();
        // A letter without the bit of lower case is a capital.
        let capitals = letters & !chunk << 2 & inside;
        Self { length: length as usize, capitals, key: lower & inside }
    }
}

/// A one in every byte.
const ONES: u64 = u64::MAX / 0xff;

/// Where tokens without blanks between hold a sign of code, none of them is a word any more.
fn shield(tokens: &mut [Token]) {
    let mut from = 0;
    while from < tokens.len() {
        let rest = tokens.get(from..).unwrap_or_default();
        let joined = |token: &Token| token.glued() && matches!(token.shape, Shape::Word | Shape::Digits | Shape::Sign);
        let run = 1 + rest.iter().skip(1).take_while(|token| joined(token)).count();
        let chunk = tokens.get_mut(from..from + run).unwrap_or_default();
        let coded = |token: &Token| matches!(token.first, '_' | '=' | '@' | '\\') && token.shape == Shape::Sign;
        // HR=0.71 and R²=0.93 are statistics, timeout=30 is not.
        let symbol = chunk
            .first()
            .is_some_and(|first| first.shape == Shape::Word && first.case != Case::Lower && first.length() <= 3)
            && chunk.len() <= 4;
        let hash = |pair: &[Token]| matches!(pair, [a, b] if a.is('#') && b.shape == Shape::Digits);
        if !symbol && chunk.iter().any(coded) && chunk.iter().filter(|t| t.shape == Shape::Word).count() > 0
            || chunk.windows(2).any(hash)
        {
            for token in chunk.iter_mut().filter(|t| matches!(t.shape, Shape::Word | Shape::Digits)) {
                (token.shape, token.flags) = (Shape::Code, 0);
            }
        }
        from += run;
    }
}

/// A sentence longer than this is cut.
const LONGEST: usize = 4096;
/// Signs of code.
const ODD: u128 = signs("_=@\\#");
