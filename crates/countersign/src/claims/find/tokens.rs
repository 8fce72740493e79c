//! Cuts a text into sentences of tokens, in one pass: words, digits, Chinese words and characters, signs, addresses.
//!
//! Everything behind works on tokens, so that no pattern ever meets half a word and nothing depends on `\b`, which
//! does not hold beside Chinese characters. A sentence is bounded, so each look around is too.

use super::lexicon::{
    ABBREVIATION, AUX, DETERMINER, Flags, Lexicon, NUMERAL, PREPOSITION, PRONOUN, SELF, SUPERLATIVE, lexicon,
};
use crate::contract::language::is_han;

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
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

/// What stands before a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// Nothing: it touches the token before.
    None,
    /// Blanks.
    Blank,
    /// It begins a line.
    Line,
}

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// lower
    Lower,
    /// Capital
    Capital,
    /// UPPER
    Upper,
}

/// One token.
#[derive(Debug, Clone, Copy)]
pub struct Token {
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
    /// What it is made of.
    pub shape: Shape,
    /// What stands before it.
    pub gap: Gap,
    /// How it is written.
    pub case: Case,
    /// Whether digits stand inside a word.
    pub coded: bool,
}

impl Token {
    /// The token that stands beyond every sentence.
    pub const NONE: Self = Self {
        start: 0,
        end: 0,
        flags: 0,
        first: '\0',
        entry: 0,
        shape: Shape::None,
        gap: Gap::Blank,
        case: Case::Lower,
        coded: false,
    };

    /// Whether it has one of the classes.
    pub fn has(&self, flags: Flags) -> bool {
        self.flags & flags != 0
    }

    /// Whether it is this sign.
    pub fn is(&self, sign: char) -> bool {
        self.first == sign && self.shape == Shape::Sign
    }

    /// Whether it touches the token before.
    pub fn glued(&self) -> bool {
        self.gap == Gap::None
    }
}

/// Reads sentence by sentence.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexicon: &'static Lexicon,
    /// The next Chinese word, where one was looked for.
    ahead: Option<(usize, usize, u16)>,
    /// Whether there may be Chinese words at all.
    more: bool,
    gap: Gap,
    /// Chinese characters and letters of the sentence.
    han: usize,
    letters: usize,
    odd: bool,
}

impl<'a> Lexer<'a> {
    /// Begins at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            lexicon: lexicon(),
            ahead: None,
            more: !text.is_ascii(),
            gap: Gap::Line,
            han: 0,
            letters: 0,
            odd: false,
        }
    }

    /// Whether the last sentence reads as Chinese.
    pub fn chinese(&self) -> bool {
        self.han > 0 && self.han * 4 >= self.letters
    }

    /// Reads the next sentence into `tokens`; false at the end of the text.
    pub fn sentence(&mut self, tokens: &mut Vec<Token>) -> bool {
        tokens.clear();
        (self.han, self.letters, self.odd) = (0, 0, false);
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
                b'0'..=b'9' => self.digits(tokens),
                b'a'..=b'z' | b'A'..=b'Z' => self.word(tokens),
                b'`' => self.code(tokens),
                0..=0x7f => {
                    self.sign(byte.into(), 1, tokens);
                    if self.ends(byte, tokens) {
                        break;
                    }
                }
                _ => {
                    if self.wide(tokens) {
                        break;
                    }
                }
            }
        }
        if self.odd {
            shield(tokens);
        }
        !tokens.is_empty() || self.at < self.text.len()
    }

    fn push(&mut self, end: usize, shape: Shape, first: char, tokens: &mut Vec<Token>) {
        let (start, gap) = (self.at, self.gap);
        (self.at, self.gap) = (end, Gap::None);
        tokens.push(Token { start, end, first, shape, gap, ..Token::NONE });
    }

    fn sign(&mut self, sign: char, length: usize, tokens: &mut Vec<Token>) {
        self.odd |= matches!(sign, '_' | '=' | '@' | '\\' | '#' | '<' | '{' | '&' | '|' | '$');
        self.push(self.at + length, Shape::Sign, sign, tokens);
    }

    /// A word of letters and digits, with apostrophes inside; or an address, where one begins.
    fn word(&mut self, tokens: &mut Vec<Token>) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if self.address(rest, tokens) {
            return;
        }
        let (mut length, mut digits, mut upper, mut apostrophe) = (0, false, 0, None);
        loop {
            // Plain letters first: most words are nothing else.
            let run = rest.get(length..).unwrap_or_default();
            for byte in run {
                match CLASS.get(usize::from(*byte)) {
                    Some(&LOWER) => {}
                    Some(&UPPER) => upper += 1,
                    Some(&DIGIT) => digits = true,
                    _ => break,
                }
                length += 1;
            }
            let tail = rest.get(length..).unwrap_or_default();
            let mark = match tail {
                [b'\'', next, ..] if next.is_ascii_alphabetic() => 1,
                [0xe2, 0x80, 0x99, next, ..] if next.is_ascii_alphabetic() => 3,
                // Letters of other alphabets; anything else ends the word.
                [first, ..] if *first >= 0x80 => {
                    match self.text.get(self.at + length..).and_then(|rest| rest.chars().next()) {
                        Some(c) if c.is_alphabetic() && !is_han(c) && !full_width(c) => {
                            length += c.len_utf8();
                            continue;
                        }
                        _ => break,
                    }
                }
                _ => break,
            };
            apostrophe = Some(length);
            length += mark;
        }
        self.finish_word(length, digits, upper, apostrophe, tokens);
    }

    fn finish_word(&mut self, length: usize, coded: bool, upper: usize, cut: Option<usize>, tokens: &mut Vec<Token>) {
        let start = self.at;
        let text = self.text;
        let word = text.get(start..start + length).unwrap_or_default();
        // "Opta's" is looked up as "Opta".
        let bare = cut.and_then(|cut| word.get(..cut)).filter(|_| !word.ends_with("n't")).unwrap_or(word);
        let known = self.lexicon.latin(bare.as_bytes());
        let first = match word.as_bytes().first() {
            Some(byte) if byte.is_ascii() => char::from(*byte),
            _ => word.chars().next().unwrap_or_default(),
        };
        self.letters += length;
        self.push(start + length, Shape::Word, first, tokens);
        if let Some(token) = tokens.last_mut() {
            token.entry = known;
            token.flags = self.lexicon.entry(known).flags;
            token.coded = coded;
            token.case = match upper {
                0 if first.is_ascii() || !first.is_uppercase() => Case::Lower,
                many if many > 1 && many * 2 >= bare.len() => Case::Upper,
                _ if first.is_uppercase() => Case::Capital,
                _ => Case::Lower,
            };
            if known == 0 && bare.len() >= 5 && bare.as_bytes().ends_with(b"est") {
                token.flags = SUPERLATIVE;
            }
            // WHO and US are names, whatever who and us are.
            if token.case == Case::Upper && length > 1 {
                token.flags &= !(PRONOUN | PREPOSITION | DETERMINER | AUX | SELF | NUMERAL);
            }
        }
    }

    /// `https://…`, `www.…`, `doi:…`, `arXiv:…`.
    fn address(&mut self, rest: &[u8], tokens: &mut Vec<Token>) -> bool {
        let starts =
            |prefix: &str| rest.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()));
        let first = rest.first().copied().unwrap_or_default() | 0x20;
        let shape = match first {
            b'h' if starts("http://") || starts("https://") => Shape::Url,
            b'f' if starts("ftp://") => Shape::Url,
            b'w' if starts("www.") => Shape::Url,
            b'd' if starts("doi:") || starts("doi: 10.") => Shape::Reference,
            b'a' if starts("arxiv:") => Shape::Reference,
            _ => return false,
        };
        let skip = if starts("doi: ") { 5 } else { 0 };
        let inside = |byte: &&u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'|');
        let length = skip + rest.get(skip..).unwrap_or_default().iter().take_while(inside).count();
        let length = trimmed(rest.get(..length).unwrap_or_default());
        if length < 8 {
            return false;
        }
        self.push(self.at + length, shape, char::from(first), tokens);
        true
    }

    /// Digits with separators of thousands and one decimal point, in either width.
    fn digits(&mut self, tokens: &mut Vec<Token>) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let first = rest.chars().next().unwrap_or_default();
        let end = self.at + digits_length(rest);
        self.push(end, Shape::Digits, first, tokens);
    }

    /// Inline code, or a fence: one token.
    fn code(&mut self, tokens: &mut Vec<Token>) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
        let body = rest.get(ticks..).unwrap_or_default();
        let fence = rest.get(..ticks).unwrap_or_default();
        // Inline code ends on its line; a fence that never closes runs to the end.
        let close = match ticks {
            1 | 2 => body.find(fence).filter(|at| !body.get(..*at).unwrap_or_default().contains('\n')),
            _ => Some(body.find(fence).unwrap_or(body.len())),
        };
        match close {
            Some(at) => {
                let end = (self.at + ticks + at + ticks).min(self.text.len());
                self.push(end, Shape::Code, '`', tokens);
            }
            None => self.sign('`', ticks, tokens),
        }
    }

    /// A character beyond ASCII; true where it ends the sentence.
    fn wide(&mut self, tokens: &mut Vec<Token>) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
            self.at += 1;
            return false;
        };
        if ('０'..='９').contains(&c) {
            self.digits(tokens);
        } else if is_han(c) {
            self.han_word(c, rest, tokens);
        } else if c.is_alphabetic() && !full_width(c) {
            self.word(tokens);
        } else if c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}') {
            self.at += c.len_utf8();
            self.gap = Gap::Blank;
        } else {
            self.sign(c, c.len_utf8(), tokens);
            return matches!(c, '。' | '！' | '？' | '；' | '…');
        }
        false
    }

    /// Chinese numerals, a Chinese word of the lexicon, or one character.
    fn han_word(&mut self, c: char, rest: &str, tokens: &mut Vec<Token>) {
        self.han += 1;
        let run: usize = rest.chars().take_while(|c| numeral(*c)).map(char::len_utf8).sum();
        if self.more && self.ahead.is_none_or(|(start, ..)| start < self.at) {
            self.ahead = self.lexicon.chinese(self.text, self.at);
            self.more = self.ahead.is_some();
        }
        let word = self.ahead.filter(|(start, end, _)| *start == self.at && !self.counted(c, *end, tokens));
        match word {
            Some((_, end, entry)) if end > self.at + run => {
                self.push(end, Shape::Han, c, tokens);
                if let Some(token) = tokens.last_mut() {
                    token.entry = entry;
                    token.flags = self.lexicon.entry(entry).flags;
                }
            }
            _ if run > 0 => self.push(self.at + run, Shape::Numerals, c, tokens),
            _ => {
                self.push(self.at + c.len_utf8(), Shape::Han, c, tokens);
                if let Some(token) = tokens.last_mut() {
                    token.entry = self.lexicon.character(c);
                    token.flags = self.lexicon.entry(token.entry).flags;
                }
            }
        }
    }

    /// Whether a character counts with the number before it and begins no word: 多 of 六千多家, 日 of 3日报道.
    fn counted(&self, c: char, end: usize, tokens: &[Token]) -> bool {
        let rest = self.text.get(end..).unwrap_or_default();
        let word = self.text.get(self.at..end).unwrap_or_default();
        if word == "十分" {
            return rest.starts_with(['钟', '鐘', '之']);
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
            '成' => before.shape == Shape::Numerals && before.end - before.start == 3,
            '人' => {
                number && matches!(word, "人口" | "人民" | "人均" | "人类" | "人员" | "人工" | "人才" | "人大" | "人士")
            }
            _ => false,
        }
    }

    /// Whether an ASCII sign ends the sentence.
    fn ends(&self, sign: u8, tokens: &[Token]) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let next = rest.chars().next();
        let free = next.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | ')' | '*') || is_han(c));
        match sign {
            b'!' | b'?' => free,
            b'.' if free => {
                let before = tokens.iter().rev().nth(1).copied().unwrap_or(Token::NONE);
                let initial = before.shape == Shape::Word && before.end - before.start == 1;
                let goes_on = rest
                    .trim_start_matches([' ', '\t', '"', '”', ')', '*'])
                    .starts_with(|c: char| c.is_ascii_lowercase());
                let listed = before.shape == Shape::Digits && tokens.len() == 2;
                !(initial || before.has(ABBREVIATION) && before.glued_dot(self.at) || goes_on || listed)
            }
            _ => false,
        }
    }
}

impl Token {
    /// Whether a full stop that ends at a place touches the token.
    fn glued_dot(&self, end: usize) -> bool {
        self.end + 1 == end
    }
}

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
        let symbol = chunk.first().is_some_and(|first| {
            first.shape == Shape::Word && first.case != Case::Lower && first.end - first.start <= 3
        }) && chunk.len() <= 4;
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

/// How long an address is without the punctuation that belongs to the sentence.
fn trimmed(address: &[u8]) -> usize {
    let count = |sign: u8| address.iter().filter(|byte| **byte == sign).count();
    let over = |close: u8, open: u8| count(close).saturating_sub(count(open));
    let (mut round, mut square, mut curly) = (over(b')', b'('), over(b']', b'['), over(b'}', b'{'));
    let mut length = address.len();
    while let Some(last) = address.get(..length).and_then(<[u8]>::last) {
        let spare = match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' => {
                length -= 1;
                continue;
            }
            b')' => &mut round,
            b']' => &mut square,
            b'}' => &mut curly,
            _ => break,
        };
        if *spare == 0 {
            break;
        }
        *spare -= 1;
        length -= 1;
    }
    length
}

/// How long the number is that a text begins with.
fn digits_length(text: &str) -> usize {
    let mut length = 0;
    let mut rest = text.char_indices().peekable();
    let run = |from: usize| text.get(from..).unwrap_or_default().chars().take(4).take_while(|c| is_digit(*c)).count();
    let mut pointed = false;
    while let Some((at, c)) = rest.next() {
        if is_digit(c) {
            length = at + c.len_utf8();
            continue;
        }
        let behind = at + c.len_utf8();
        match c {
            ',' | '，' if !pointed && run(behind) == 3 && (c == ',' || full_width_before(text, at)) => {}
            '.' | '．' if !pointed && run(behind) > 0 => pointed = true,
            _ => break,
        }
    }
    length
}

/// A full-width comma divides thousands only between full-width digits.
fn full_width_before(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|head| head.chars().next_back()).is_some_and(|c| ('０'..='９').contains(&c))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c)
}

fn full_width(c: char) -> bool {
    ('\u{ff00}'..='\u{ffef}').contains(&c)
}

/// Whether a character writes a number in Chinese.
pub fn numeral(c: char) -> bool {
    matches!(
        c,
        '零' | '〇'
            | '○'
            | '一'
            | '二'
            | '两'
            | '兩'
            | '三'
            | '四'
            | '五'
            | '六'
            | '七'
            | '八'
            | '九'
            | '十'
            | '百'
            | '千'
            | '万'
            | '萬'
            | '亿'
            | '億'
            | '兆'
            | '壹'
            | '贰'
            | '貳'
            | '叁'
            | '參'
            | '肆'
            | '伍'
            | '陆'
            | '陸'
            | '柒'
            | '捌'
            | '玖'
            | '拾'
            | '佰'
            | '仟'
            | '廿'
            | '卅'
    )
}

/// A sentence longer than this is cut.
const LONGEST: usize = 4096;

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 3;

/// What each byte is inside a word.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        class[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    class
};
