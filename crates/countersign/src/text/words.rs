//! Cuts a text into words, numbers and Chinese character pairs.

use crate::contract::language::is_han;
use std::ops::Range;

/// A word in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// The word in lower case, full-width letters and digits made plain.
    pub folded: String,
}

/// The words of a text. A run of letters or of digits is a word (`3.5` and `1,234` stay whole, `don't` too); each
/// Chinese character is a word of its own, because their borders cannot be seen.
pub fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let c = narrow(c);
        if is_han(c) {
            close(&mut open, at, &mut found);
            found.push(Word { range: at..at + c.len_utf8(), folded: c.to_string() });
        } else if c.is_alphanumeric() || joins(c, open.as_ref(), chars.peek().map(|(_, next)| narrow(*next))) {
            let (_, word) = open.get_or_insert_with(|| (at, String::new()));
            word.extend(c.to_lowercase());
        } else {
            close(&mut open, at, &mut found);
        }
    }
    close(&mut open, text.len(), &mut found);
    found
}

/// The terms of a text for comparing it with another: its words of letters and digits, and pairs of neighbouring
/// Chinese characters (a single one where it is alone).
pub fn terms(text: &str) -> Vec<String> {
    let words = words(text);
    let mut found = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        if !word.folded.starts_with(is_han) {
            found.push(word.folded.clone());
            continue;
        }
        let han = |other: &&Word| other.folded.starts_with(is_han);
        let after = words.get(at + 1).filter(han).filter(|next| next.range.start == word.range.end);
        let before = at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .filter(han)
            .filter(|w| w.range.end == word.range.start);
        match (after, before) {
            (Some(next), _) => found.push(format!("{}{}", word.folded, next.folded)),
            (None, None) => found.push(word.folded.clone()),
            (None, Some(_)) => {}
        }
    }
    found
}

/// Splits an identifier (`getUserName`, `user-name`, `Trains_1_FindTrains`, `HTTPServer`) into lower-case words.
pub fn identifier_words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let border = !c.is_alphanumeric()
            || before.is_some_and(|b| {
                (c.is_uppercase() && b.is_lowercase())
                    || (c.is_uppercase() && b.is_uppercase() && after.is_some_and(char::is_lowercase))
                    || (c.is_numeric() != b.is_numeric() && b.is_alphanumeric())
            });
        if border && !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        found.push(word);
    }
    found
}

/// Full-width letters, digits and signs as their plain selves.
pub fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    }
}

/// Whether a mark between two letters or digits keeps a word together.
fn joins(c: char, open: Option<&(usize, String)>, next: Option<char>) -> bool {
    let (Some((_, word)), Some(next)) = (open, next) else { return false };
    let digits = word.ends_with(|b: char| b.is_ascii_digit()) && next.is_ascii_digit();
    let letters = word.ends_with(char::is_alphabetic) && next.is_alphabetic() && !is_han(next);
    (matches!(c, '.' | ',') && digits) || (matches!(c, '\'' | '’') && letters)
}

fn close(open: &mut Option<(usize, String)>, end: usize, found: &mut Vec<Word>) {
    if let Some((start, folded)) = open.take() {
        found.push(Word { range: start..end, folded });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.folded).collect()
    }

    #[test]
    fn words_keep_numbers_and_split_chinese() {
        assert_eq!(cut("It's 1,234.5 km, ok."), ["it's", "1,234.5", "km", "ok"]);
        assert_eq!(cut("气温２１度abc"), ["气", "温", "21", "度", "abc"]);
        assert_eq!(terms("春节放假 2026 年 ok"), ["春节", "节放", "放假", "2026", "年", "ok"]);
    }

    #[test]
    fn identifiers_fall_into_their_words() {
        assert_eq!(identifier_words("getHTTPResponse_2-fast"), ["get", "http", "response", "2", "fast"]);
        assert_eq!(identifier_words("Trains_1_FindTrains"), ["trains", "1", "find", "trains"]);
    }
}
