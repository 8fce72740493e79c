//! Cuts a text into tokens: words, numbers, identifiers, addresses, Chinese characters, signs.
//!
//! One pass, no regular expressions. A run of letters and digits that people copy and never count (`A-2207`,
//! `ann@example.com`, `src/main.rs`, `3-1-1702`) is one token, so that nothing reads a number out of its middle.

use super::plain::{cut_at_end, is_joiner, is_plain_sign, number_width, plain_end};
use crate::contract::language::is_han;
use std::ops::Range;

/// One token in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Letters.
    Word,
    /// Digits, with separators of thousands and a decimal point.
    Number,
    /// One Chinese character.
    Han,
    /// What people copy: an id, a code, a long number.
    Id,
    /// An e-mail address.
    Email,
    /// A URL.
    Url,
    /// A path or a file name.
    Path,
    /// Anything else.
    Sign,
}

impl Token {
    /// Its place.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The tokens of a text. `lower` is the text in lower case, with the same places.
pub(crate) fn lex(lower: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(lower.len() / 4);
    lex_each(lower, |token| tokens.push(token));
    tokens
}

/// Hands over the tokens of a text one by one.
#[inline]
pub(crate) fn lex_each(lower: &str, mut take: impl FnMut(Token)) {
    let bytes = lower.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        if *byte == b' ' {
            at += 1;
        } else if let Some(end) = plain_end(bytes, start) {
            at = end;
            take(Token { start, end, kind: plain_kind(*byte) });
        } else if is_plain_sign(bytes, start) {
            at += if byte.is_ascii() { 1 } else { 3 };
            take(Token { start, end: at, kind: TokenKind::Sign });
        } else {
            at = lex_other(lower, start, &mut take);
        }
    }
}

fn plain_kind(first: u8) -> TokenKind {
    match first {
        b'0'..=b'9' => TokenKind::Number,
        0x80.. => TokenKind::Han,
        _ => TokenKind::Word,
    }
}

/// Takes what begins at a place, and gives the place after it.
fn lex_other(lower: &str, at: usize, take: &mut impl FnMut(Token)) -> usize {
    let Some(c) = lower.get(at..).and_then(|rest| rest.chars().next()) else { return lower.len() };
    let end = at + c.len_utf8();
    if is_han(c) {
        take(Token { start: at, end, kind: TokenKind::Han });
    } else if begins_run(c, lower, end) {
        return take_run(lower, at, take);
    } else if !c.is_whitespace() {
        take(Token { start: at, end, kind: TokenKind::Sign });
    }
    end
}

/// Whether a run of letters and digits begins here; a path may begin with a slash, a dot or a tilde.
fn begins_run(c: char, text: &str, end: usize) -> bool {
    let next = || text.get(end..).and_then(|rest| rest.chars().next());
    c.is_alphanumeric()
        || (matches!(c, '/' | '~') && next().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_')))
        || (c == '.' && next().is_some_and(|c| c == '/'))
        || (c == '+' && next().is_some_and(|c| c.is_ascii_digit()))
        || (c == '_' && next().is_some_and(char::is_alphanumeric))
}

/// Takes the run that begins at a place, whole or in its parts, and gives the place after it.
fn take_run(text: &str, start: usize, take: &mut impl FnMut(Token)) -> usize {
    let end = run_end(text, start);
    let run = text.get(start..end).unwrap_or_default();
    match kind_of(run) {
        Some(kind) => take(Token { start, end, kind }),
        None => take_parts(run, start, take),
    }
    end
}

/// The end of what may be one run: letters, digits and the signs between them.
fn run_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut end = start;
    for (at, c) in rest.char_indices() {
        if is_han(c) || !(c.is_alphanumeric() || is_joiner(c)) || at > MAX_RUN {
            break;
        }
        end = start + at + c.len_utf8();
    }
    let run = text.get(start..end).unwrap_or_default();
    let trimmed = run.trim_end_matches(cut_at_end);
    let trimmed = if trimmed.is_empty() { run } else { trimmed };
    start + trimmed.len().max(run.chars().next().map_or(1, char::len_utf8))
}

/// What a run is as a whole; `None` where it falls into words and numbers.
fn kind_of(run: &str) -> Option<TokenKind> {
    let bytes = run.as_bytes();
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let letter = run.chars().any(char::is_alphabetic);
    if run.contains("://") || run.starts_with("www.") {
        return Some(TokenKind::Url);
    }
    if let Some((name, host)) = run.split_once('@') {
        return (!name.is_empty() && host.contains('.') && letter).then_some(TokenKind::Email);
    }
    if is_path(run) {
        return Some(TokenKind::Path);
    }
    if digit && letter {
        return is_mixed_id(run).then_some(TokenKind::Id);
    }
    if digit { is_long_number(run).then_some(TokenKind::Id) } else { run.contains('_').then_some(TokenKind::Id) }
}

/// A path with its slashes, or a name with an extension.
fn is_path(run: &str) -> bool {
    let rooted = run.starts_with(['/', '~']) || run.starts_with("./") || run.starts_with("../");
    let parts = run.split('/').filter(|part| !part.is_empty()).count();
    let named = run.rsplit_once('.').is_some_and(|(stem, extension)| {
        let known = (2..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
        known && extension.starts_with(|c: char| c.is_ascii_alphabetic()) && stem.chars().any(char::is_alphanumeric)
    });
    let lettered = run.chars().any(char::is_alphabetic);
    (rooted && run.len() > 1 && lettered)
        || (parts >= 2 && lettered && (named || parts >= 3))
        || (named && !run.contains(['/', ',']))
}

/// Letters and digits that nobody counts with: `A-2207`, `evt_77f0q2`, `DE8937`; not `250g`, `3pm`, `2nd`, `six-pack`.
fn is_mixed_id(run: &str) -> bool {
    let digits = run.bytes().take_while(u8::is_ascii_digit).count();
    let rest = run.get(digits..).unwrap_or_default();
    if digits == 0 {
        // A hyphen may join two words, one of which holds a digit; what begins with letters and ends in digits is a name.
        return true;
    }
    let first = rest.chars().next();
    let clock = rest.starts_with(':');
    let counted = first.is_some_and(|c| c.is_alphabetic() || matches!(c, '.' | ',' | '%' | '-' | '’' | '\''));
    let inner = rest.bytes().filter(u8::is_ascii_digit).count();
    let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':'));
    let wordy =
        tail.trim_start_matches('-').chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '/' | '²' | '³'));
    let iso = run.len() >= 10 && is_iso_stamp(run);
    // `80m2` is an area.
    let raised = rest.strip_suffix(['2', '3']).is_some_and(|unit| matches!(unit, "m" | "km" | "cm" | "mm" | "ft"));
    !(iso || raised || clock && wordy || counted && wordy && (inner == 0 || rest.starts_with(['.', ','])))
}

fn is_iso_stamp(run: &str) -> bool {
    let bytes = run.as_bytes();
    matches!(bytes, [a, b, c, d, b'-', ..] if [a, b, c, d].iter().all(|b| b.is_ascii_digit()))
        && bytes.get(10).is_some_and(|b| *b == b't')
}

/// Digits that nobody counts with: a phone or account number, `3-1-1702`, `10.0.0.1`.
fn is_long_number(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let hyphens = run.bytes().filter(|b| *b == b'-').count();
    let dots = run.bytes().filter(|b| *b == b'.').count();
    let slashes = run.bytes().filter(|b| *b == b'/').count();
    let date = |sign: char| {
        let parts: Vec<&str> = run.split(sign).collect();
        let year = |part: &str| part.len() == 4 && matches!(part.get(..2), Some("19" | "20"));
        match parts.as_slice() {
            [first, middle, last] => {
                middle.len() <= 2 && (year(first) && last.len() <= 2 || year(last) && first.len() <= 2)
            }
            [first, last] => year(first) && last.len() == 2 && sign != '.',
            _ => false,
        }
    };
    let dated = date('-') || date('/') || date('.');
    let plain = hyphens + dots + slashes == 0 && !run.contains([',', ':']);
    // `88-2044` is no stretch from 88 to 2044, and `555-0142` none at all.
    let paired = run.split_once('-').is_some_and(|(first, second)| {
        let figures = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let unlike = first.len().abs_diff(second.len()) >= 2 || second.starts_with('0') && second.len() >= 3;
        figures(first) && figures(second) && digits >= 6 && unlike
    });
    (plain && digits >= 7 && !run.ends_with("000"))
        || (plain && run.starts_with('0') && digits >= 3)
        || (run.starts_with('+') && digits >= 7)
        || (!dated && (hyphens >= 2 || paired))
        || (!dated && hyphens == 1 && digits >= 8)
        || (!dated && dots >= 3)
        || (dots == 2 && hyphens + slashes == 0 && !run.contains([',', ':']) && !is_dotted_date(run))
        || (!dated && slashes >= 2 && (slashes > 2 || run.split('/').any(|part| part.len() > 2)))
}

/// `3.12.26` and `3.12.2026` are dates, `2.13.1` is a version.
fn is_dotted_date(run: &str) -> bool {
    let parts: Vec<&str> = run.split('.').collect();
    let within = |part: &&str, most: u32| part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number));
    match parts.as_slice() {
        [day, month, year] if matches!(year.len(), 2 | 4) => within(day, 31) && within(month, 12),
        [year, month, day] if year.len() == 4 => within(month, 12) && within(day, 31),
        _ => false,
    }
}

/// A run that is no whole: its words and its numbers.
fn take_parts(run: &str, start: usize, take: &mut impl FnMut(Token)) {
    let mut at = 0;
    while let Some(c) = run.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = run.get(at..).unwrap_or_default();
        let (kind, width) = match c {
            c if c.is_ascii_digit() => (TokenKind::Number, number_width(rest.as_bytes())),
            c if c.is_alphabetic() => (TokenKind::Word, word_width(rest)),
            c => (TokenKind::Sign, c.len_utf8()),
        };
        take(Token { start: start + at, end: start + at + width, kind });
        at += width.max(1);
    }
}

fn word_width(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let inner = |at: usize, c: char| {
        matches!(c, '\'' | '’') && bytes.get(at + c.len_utf8()).is_some_and(u8::is_ascii_alphabetic)
    };
    let end = rest.char_indices().find(|(at, c)| !c.is_alphabetic() && !inner(*at, *c)).map(|(at, _)| at);
    end.unwrap_or(rest.len())
}

/// A longer run is cut.
const MAX_RUN: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(&str, TokenKind)> {
        lex(text).into_iter().map(|token| (&text[token.range()], token.kind)).collect()
    }

    // MEANING-1
    #[test]
    fn what_people_copy_is_one_token() {
        for (text, kind) in [
            ("a-2207", TokenKind::Id),
            ("evt_77f0q2", TokenKind::Id),
            ("3-1-1702", TokenKind::Id),
            ("3/17/204", TokenKind::Id),
            ("2.13.1", TokenKind::Id),
            ("13500007712", TokenKind::Id),
            ("+49-40-123456", TokenKind::Id),
            ("anna.k@example.co.uk", TokenKind::Email),
            ("https://a.example/m/771?x=1", TokenKind::Url),
            ("dist/old.js", TokenKind::Path),
            ("/etc/hosts", TokenKind::Path),
            ("report_final_v2.docx", TokenKind::Path),
            ("20261108-3321", TokenKind::Id),
        ] {
            assert_eq!(cut(text), [(text, kind)], "{text}");
        }
    }

    #[test]
    fn what_people_count_falls_into_parts() {
        let kinds = |text: &str| cut(text).iter().map(|(part, _)| part.to_string()).collect::<Vec<_>>();
        assert_eq!(kinds("250g, 3pm."), ["250", "g", ",", "3", "pm", "."]);
        assert_eq!(kinds("two six-packs"), ["two", "six", "-", "packs"]);
        assert_eq!(kinds("$1,234.50 or 48,210 km"), ["$", "1,234.50", "or", "48,210", "km"]);
        assert_eq!(kinds("12:30"), ["12", ":", "30"]);
        assert_eq!(kinds("2026-11-16"), ["2026", "-", "11", "-", "16"]);
        assert_eq!(kinds("don't, 改成7点"), ["don't", ",", "改", "成", "7", "点"]);
    }

    #[test]
    fn plain_tokens_are_those_of_the_whole_lexer() {
        let pieces = [
            "the",
            "word's",
            "six-pack",
            "don't-know",
            "12",
            "1,234.5",
            "007",
            "1234567",
            "3.5",
            "1'000",
            "a1",
            "中",
            "〇",
            "％",
            "，",
            "。",
            "’s",
            "—",
            "é",
            "σ",
            ".",
            ",",
            ":",
            "-",
            "'",
            "/",
            "_",
            "@",
            "+",
            "~",
            "%",
            "²",
            "www.",
            "://",
            " ",
            "\n",
            "\u{3000}",
        ];
        let slowly = |text: &str| {
            let (mut tokens, mut at) = (Vec::new(), 0);
            while at < text.len() {
                at = lex_other(text, at, &mut |token| tokens.push(token));
            }
            tokens
        };
        let pairs = || pieces.iter().flat_map(|one| pieces.iter().map(move |two| (one, two)));
        for ((one, two), three) in pairs().flat_map(|pair| pieces.iter().map(move |three| (pair, three))) {
            for text in [format!("{one}{two}{three}"), format!("x {one}{two}{three}y")] {
                assert_eq!(lex(&text), slowly(&text), "{text}");
            }
        }
        for count in [63, 64, 65, 599, 600, 601, 1300] {
            for piece in ["a", "1", "a-", "中"] {
                assert_eq!(lex(&piece.repeat(count)), slowly(&piece.repeat(count)), "{piece} {count}");
            }
        }
    }

    #[test]
    fn hostile_text_ends() {
        for text in ["-".repeat(5000), "a1".repeat(5000), "1,".repeat(5000), "@.".repeat(3000), "é中".repeat(3000)] {
            assert!(lex(&text).len() <= text.len());
        }
    }
}
