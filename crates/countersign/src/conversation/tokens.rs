//! The words of a conversation, as sets of hashes.
//!
//! Words are kept by their stem, mixed runs (`usr001`) whole and in parts, Chinese by pairs of neighbours. Only hashes are
//! kept: what was said is not copied again.

use crate::contract::language::is_han;
use crate::text::stems::{key, stem};
use rustc_hash::FxHashSet;

/// The sets.
#[derive(Debug, Default, Clone)]
pub struct Tokens {
    words: FxHashSet<u64>,
    /// The first four letters of each longer word.
    beginnings: FxHashSet<[u8; 4]>,
    /// Letters of each script that were seen.
    pub latin: usize,
    /// Chinese characters that were seen.
    pub han: usize,
    /// Letters of other scripts.
    pub foreign: usize,
}

impl Tokens {
    /// Adds the words of a folded text.
    pub fn add(&mut self, folded: &str) {
        for run in runs(folded) {
            match run {
                Run::Latin(text) => {
                    self.latin += text.len();
                    self.words.insert(key(&stem(text)));
                    self.beginnings.extend(text.as_bytes().first_chunk::<4>());
                }
                Run::Number(_) => {}
                Run::Mixed(text) => {
                    self.words.insert(key(text));
                }
                Run::Han(pair) => {
                    self.han += 1;
                    self.words.insert(key(pair));
                }
                Run::Foreign(text) => {
                    self.foreign += text.len();
                    self.words.insert(key(text));
                }
            }
        }
    }

    /// Whether a folded word stands there, in any of its forms.
    pub fn has_word(&self, folded: &str) -> bool {
        self.words.contains(&key(&stem(folded)))
    }

    /// Whether a run of letters and digits, or a pair of Chinese characters, stands there as it is.
    pub fn has_exact(&self, folded: &str) -> bool {
        self.words.contains(&key(folded))
    }

    /// Whether a word is there that begins with the same four letters.
    pub fn begins_like(&self, folded: &str) -> bool {
        folded.len() > 4 && folded.as_bytes().first_chunk::<4>().is_some_and(|begin| self.beginnings.contains(begin))
    }

    /// Whether any of some words stands there.
    pub fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has_word(word))
    }
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
            at = digits_end(bytes, from);
        } else {
            while is(at, u8::is_ascii_alphabetic) {
                at += 1;
            }
        }
        let part = text.get(from..at).unwrap_or_default();
        if digits {
            numbers_of(part, |number| found.push(Run::Number(number)));
            // A long run of digits is an id as well.
            if part.len() > 3 && part.bytes().all(|byte| byte.is_ascii_digit()) {
                found.push(Run::Mixed(part));
            }
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

/// Each number of a folded text, in order. Digits inside a word of another script are no number.
pub fn each_number<'a>(folded: &'a str, mut found: impl FnMut(&'a str)) {
    let bytes = folded.as_bytes();
    let (mut at, mut skipped) = (0, Vec::new());
    while let Some(&byte) = bytes.get(at) {
        at = if byte.is_ascii_digit() {
            let end = digits_end(bytes, at);
            numbers_of(folded.get(at..end).unwrap_or_default(), &mut found);
            end
        } else if byte.is_ascii() {
            at + 1
        } else {
            skipped.clear();
            wide_run(folded, at, &mut skipped)
        };
    }
}

/// Where digits end that begin at a place, with the marks between them that belong to a number.
fn digits_end(bytes: &[u8], from: usize) -> usize {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = from;
    while is_digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1) && at - from < 40) {
        at += 1;
    }
    at
}

/// `1,234.5` is one number, `1,2,3` and `2023.10.1` are several.
fn numbers_of<'a>(part: &'a str, mut found: impl FnMut(&'a str)) {
    let grouped = part.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|g| g.len() == 3));
    if grouped && part.bytes().filter(|byte| *byte == b'.').count() <= 1 {
        found(part);
    } else {
        part.split(',').for_each(&mut found);
        part.split([',', '.']).for_each(&mut found);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        tokens.add(&crate::text::fold::fold(text));
        tokens
    }

    #[test]
    fn words_meet_in_their_forms() {
        // CALL-8
        let said = tokens("Booking two flights for USR001 in 北京市 Привет");
        assert!(said.has_word("book") && said.has_word("flight") && said.has_exact("usr001"));
        assert!(said.has_exact("北京") && said.has_exact("京市") && !said.has_exact("京北"));
        assert!(said.begins_like("flightless") && !said.begins_like("flint") && !said.begins_like("flig"));
        assert!(said.has_exact("привет") && !said.has_exact("usr002"));
    }
}
