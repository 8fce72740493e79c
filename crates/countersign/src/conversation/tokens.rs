//! The words and numbers of a conversation, as sets of hashes.
//!
//! Words are kept by their stem, mixed runs (`usr001`) whole and in parts, Chinese by pairs of neighbours, numbers by
//! their digits, so that `1,234.50` is `1234.5`. Only hashes are kept: what was said is not copied again.

use crate::contract::language::is_han;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::Hasher;

/// The sets.
#[derive(Debug, Default, Clone)]
pub struct Tokens {
    words: FxHashSet<u64>,
    /// The first four letters of each longer word.
    beginnings: FxHashSet<[u8; 4]>,
    numbers: FxHashSet<u64>,
    significant: FxHashSet<u64>,
    recent: Vec<f64>,
    /// Letters of each script that were seen.
    pub latin: usize,
    /// Chinese characters that were seen.
    pub han: usize,
    /// Letters of other scripts.
    pub foreign: usize,
}

impl Tokens {
    /// Adds the words and numbers of a folded text.
    pub fn add(&mut self, folded: &str) {
        for run in runs(folded) {
            match run {
                Run::Latin(text) => {
                    self.latin += text.len();
                    self.words.insert(hash(stem(text)));
                    self.beginnings.extend(text.as_bytes().first_chunk::<4>());
                }
                Run::Number(text) => self.add_number(text),
                Run::Mixed(text) => {
                    self.words.insert(hash(text));
                }
                Run::Han(pair) => {
                    self.han += 1;
                    self.words.insert(hash(pair));
                }
                Run::Foreign(text) => {
                    self.foreign += text.len();
                    self.words.insert(hash(text));
                }
            }
        }
    }

    fn add_number(&mut self, text: &str) {
        let Some(number) = Number::read(text) else { return };
        self.numbers.insert(number.exact);
        self.significant.insert(number.significant);
        if self.recent.last() != Some(&number.value) {
            self.recent.push(number.value);
            if self.recent.len() > 2 * MAX_RECENT {
                self.recent.drain(..MAX_RECENT);
            }
        }
    }

    /// Whether a folded word is there, in any of its forms.
    pub fn has_word(&self, folded: &str) -> bool {
        self.words.contains(&hash(stem(folded)))
    }

    /// Whether a run of letters and digits, or a pair of Chinese characters, stands there as it is.
    pub fn has_exact(&self, folded: &str) -> bool {
        self.words.contains(&hash(folded))
    }

    /// Whether a word is there that begins with the same four letters.
    pub fn begins_like(&self, folded: &str) -> bool {
        folded.len() > 4 && folded.as_bytes().first_chunk::<4>().is_some_and(|begin| self.beginnings.contains(begin))
    }

    /// Whether any of some words stands there.
    pub fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has_word(word))
    }

    /// Whether a number is there.
    pub fn has_number(&self, number: &Number) -> bool {
        self.numbers.contains(&number.exact)
    }

    /// Whether a number is there at any power of ten: `7%` for 0.07, `1.2k` for 1200, `3万` for 30000.
    pub fn has_digits(&self, number: &Number) -> bool {
        self.significant.contains(&number.significant)
    }

    /// Whether the number that is smaller by a power of ten stands there: 30 for 30000 at the power 3.
    pub fn has_shifted(&self, number: &Number, power: i32) -> bool {
        self.numbers.contains(&at_scale(number.significant, number.scale.saturating_sub(power)))
    }

    /// The numbers said last, the newest last.
    pub fn recent(&self) -> &[f64] {
        let from = self.recent.len().saturating_sub(MAX_RECENT);
        self.recent.get(from..).unwrap_or_default()
    }

    /// Whether there is no number at all.
    pub fn is_without_numbers(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether there is no word and no number.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.numbers.is_empty()
    }
}

/// A number, however it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its value, without sign.
    pub value: f64,
    /// What one step of its last written digit is worth.
    pub place: f64,
    exact: u64,
    significant: u64,
    scale: i32,
}

impl Number {
    /// Reads `1,234.50`, `007`, `8.854e-12`. A sign is ignored.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['-', '+']);
        let mut digits = [0u8; MAX_DIGITS];
        let (mut length, mut point, mut exponent) = (0usize, None, 0i32);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    *digits.get_mut(length)? = byte;
                    length += 1;
                }
                b'.' if point.is_none() => point = Some(length),
                b',' => {}
                b'e' => {
                    exponent = text.get(at + 1..)?.parse().ok()?;
                    break;
                }
                _ => return None,
            }
        }
        let digits = digits.get(..length).filter(|digits| !digits.is_empty())?;
        let whole = point.unwrap_or(length) as i32 + exponent;
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        let core = digits.get(leading..length.saturating_sub(trailing)).unwrap_or_default();
        let scale = if core.is_empty() { 0 } else { whole - leading as i32 };
        let mut value = 0f64;
        for digit in core {
            value = value * 10.0 + f64::from(digit - b'0');
        }
        value *= 10f64.powi(scale - core.len() as i32);
        let place = 10f64.powi(whole - length as i32);
        let mut hasher = FxHasher::default();
        hasher.write(core);
        let significant = hasher.finish();
        Some(Self { value, place, exact: at_scale(significant, scale), significant, scale })
    }

    /// A whole number.
    pub fn whole(value: u64) -> Option<Self> {
        Self::read(&value.to_string())
    }
}

/// The hash of digits at a power of ten.
fn at_scale(significant: u64, scale: i32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(significant);
    hasher.write_i32(scale);
    hasher.finish()
}

/// A piece of a folded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run<'a> {
    /// Letters a to z.
    Latin(&'a str),
    /// Digits, with the marks between them that belong to a number.
    Number(&'a str),
    /// Letters and digits in one run; its parts come too.
    Mixed(&'a str),
    /// A Chinese character with its neighbour, or alone.
    Han(&'a str),
    /// Letters of another script.
    Foreign(&'a str),
}

/// The pieces of a folded text, in order.
pub(crate) fn runs(folded: &str) -> Vec<Run<'_>> {
    let mut found = Vec::with_capacity(folded.len() / 4);
    let bytes = folded.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at = if byte.is_ascii_alphanumeric() {
            ascii_run(folded, at, &mut found)
        } else if byte.is_ascii() {
            at + 1
        } else {
            wide_run(folded, at, &mut found)
        };
    }
    found
}

/// A run of ASCII letters and digits from a place; where it ends.
fn ascii_run<'a>(text: &'a str, start: usize, found: &mut Vec<Run<'a>>) -> usize {
    let bytes = text.as_bytes();
    let is = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
    let (mut at, mut parts) = (start, 0);
    while is(at, u8::is_ascii_alphanumeric) {
        let from = at;
        let digits = is(at, u8::is_ascii_digit);
        if digits {
            while is(at, u8::is_ascii_digit)
                || (matches!(bytes.get(at), Some(b'.' | b',')) && is(at + 1, u8::is_ascii_digit) && at - from < 40)
            {
                at += 1;
            }
        } else {
            while is(at, u8::is_ascii_alphabetic) {
                at += 1;
            }
        }
        let part = text.get(from..at).unwrap_or_default();
        if digits {
            numbers(part, found)
        } else {
            found.push(Run::Latin(part))
        }
        parts += 1;
    }
    if parts > 1 {
        found.push(Run::Mixed(text.get(start..at).unwrap_or_default()));
    }
    at
}

/// `1,234.5` is one number, `1,2,3` and `2023.10.1` are several. A long run of digits is an id as well.
fn numbers<'a>(part: &'a str, found: &mut Vec<Run<'a>>) {
    let grouped = part.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|g| g.len() == 3));
    if grouped && part.bytes().filter(|byte| *byte == b'.').count() <= 1 {
        found.push(Run::Number(part));
    } else {
        found.extend(part.split([',']).map(Run::Number));
        found.extend(part.split([',', '.']).map(Run::Number));
    }
    if part.len() > 3 && part.bytes().all(|byte| byte.is_ascii_digit()) {
        found.push(Run::Mixed(part));
    }
}

/// A Chinese character or a run of letters of another script; where it ends.
fn wide_run<'a>(text: &'a str, start: usize, found: &mut Vec<Run<'a>>) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut chars = rest.char_indices();
    let Some((_, first)) = chars.next() else { return text.len() };
    if is_han(first) {
        let end = start + first.len_utf8();
        found.push(Run::Han(text.get(start..end).unwrap_or_default()));
        if let Some((_, next)) = chars.next().filter(|(_, next)| is_han(*next)) {
            found.push(Run::Han(text.get(start..end + next.len_utf8()).unwrap_or_default()));
        }
        return end;
    }
    let inside = |c: char| c.is_alphanumeric() && !is_han(c);
    if !inside(first) {
        return start + first.len_utf8();
    }
    let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
    found.push(Run::Foreign(text.get(start..start + length).unwrap_or_default()));
    start + length
}

/// A word without the ending that grammar gives it. Both sides are cut alike, so it need not be right, only steady.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    let cut = |word: &'_ str, endings: &[&str]| {
        let found = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|cut| cut.len() >= 3));
        found.map(str::len)
    };
    let plural = || word.strip_suffix('s').filter(|cut| !cut.ends_with('s')).map(str::len);
    let shorter = cut(word, ENDINGS).or_else(plural).and_then(|end| word.get(..end)).unwrap_or(word);
    cut(shorter, LAST_VOWELS).and_then(|end| word.get(..end)).unwrap_or(shorter)
}

/// The hash that words are kept by.
pub(crate) fn hash(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.write_u8(0xff);
    hasher.finish()
}

const ENDINGS: &[&str] = &["ations", "ation", "ings", "ing", "ions", "ion", "ers", "er", "ed", "ly", "al"];
const LAST_VOWELS: &[&str] = &["ie", "e", "y"];
const MAX_RECENT: usize = 48;
const MAX_DIGITS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        tokens.add(&crate::conversation::fold::fold(text));
        tokens
    }

    #[test]
    fn numbers_are_one_however_written() {
        // CALL-8
        let said = tokens("Pay $1,234.50 and 7% on 2023-05-09, 3万, then 1,2,3 at 2023.10.1");
        let has = |text: &str| said.has_number(&Number::read(text).unwrap());
        for known in ["1234.5", "7", "2023", "5", "9", "3", "10", "2"] {
            assert!(has(known), "{known}");
        }
        assert!(!has("1234") && !has("70") && !has("30000") && !has("12"));
        assert!(said.has_digits(&Number::read("0.07").unwrap()) && said.has_digits(&Number::read("30000").unwrap()));
        assert!(!said.has_digits(&Number::read("31000").unwrap()));
        let ten_thousands = Number::read("30000").unwrap();
        assert!(said.has_shifted(&ten_thousands, 4) && !said.has_shifted(&ten_thousands, 3));
        assert!((Number::read("8.854e-12").unwrap().value / 8.854e-12 - 1.0).abs() < 1e-9);
        assert_eq!(Number::read("1.2.3"), None);
    }

    #[test]
    fn words_meet_in_their_forms() {
        // CALL-8
        let said = tokens("Booking two flights for USR001 in 北京市 Привет");
        assert!(said.has_word("book") && said.has_word("flight") && said.has_exact("usr001"));
        assert!(said.has_exact("北京") && said.has_exact("京市") && !said.has_exact("京北"));
        assert!(stem("movies") == stem("movie") && stem("cities") == stem("city") && stem("class") == "class");
        assert!(said.begins_like("flightless") && !said.begins_like("flint") && !said.begins_like("flig"));
        assert!(said.has_exact("привет") && !said.has_exact("usr002"));
    }

    #[test]
    fn hostile_numbers_end() {
        let long = "9".repeat(100_000);
        assert!(tokens(&long).is_without_numbers());
        assert!(!tokens(&"1,".repeat(10_000)).is_without_numbers());
    }
}
