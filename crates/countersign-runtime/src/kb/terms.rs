//! The words that a text is found by, in English and Chinese.
//!
//! Words are lower case, full-width forms folded, English ones cut to their stems, numbers in one normal form (`1,234`
//! is `1234`, `12.50` is `12.5`). Chinese has no blanks between its words, and a dictionary would cut the same name one way in a
//! document and another way in a question: it is found by every pair of neighbouring characters.

use countersign::contract::language::is_han;
use countersign::text::stems::root;
use countersign::text::words::{Word, words};
use std::ops::Range;

/// A key that a text is found by, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) key: String,
    pub(super) range: Range<usize>,
}

/// The words of a text, in order.
pub(super) fn terms(text: &str) -> Vec<Term> {
    let mut found = Vec::new();
    let mut run: Option<(Range<usize>, String)> = None;
    for word in words(text) {
        if word.folded.starts_with(is_han) {
            match &mut run {
                Some((range, han)) if range.end == word.range.start => {
                    han.push_str(&word.folded);
                    range.end = word.range.end;
                }
                _ => {
                    close(run.take(), &mut found);
                    run = Some((word.range, word.folded));
                }
            }
        } else {
            close(run.take(), &mut found);
            let range = word.range.clone();
            found.push(Term { key: key(word), range });
        }
    }
    close(run, &mut found);
    found
}

/// The key of a word that is not Chinese.
fn key(word: Word) -> String {
    if word.folded.starts_with(|c: char| c.is_ascii_digit()) {
        return number(&word.folded);
    }
    // Nobody searches for so long a word, but it may be in a file.
    root(&word.folded).chars().take(MAX_KEY).collect()
}

fn number(written: &str) -> String {
    let plain: String = written.chars().filter(|c| *c != ',').take(MAX_KEY).collect();
    match plain.split_once('.') {
        Some((_, part)) if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => {
            plain.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => plain,
    }
}

/// Cuts a run of Chinese characters into pairs; a character that stands alone is a word. Every character has the same length
/// in the text and in the run, because only characters without a narrow form are Chinese.
fn close(run: Option<(Range<usize>, String)>, found: &mut Vec<Term>) {
    let Some((place, han)) = run else { return };
    let mut borders: Vec<usize> = han.char_indices().map(|(at, _)| at).collect();
    borders.push(han.len());
    let mut add = |start: usize, end: usize| {
        if let Some(key) = han.get(start..end) {
            found.push(Term { key: key.to_owned(), range: place.start + start..place.start + end });
        }
    };
    match borders.as_slice() {
        [start, end] => add(*start, *end),
        borders => borders.iter().zip(borders.iter().skip(2)).for_each(|(start, end)| add(*start, *end)),
    }
}

const MAX_KEY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|term| term.key).collect()
    }

    // CLAIM-3
    #[test]
    fn numbers_have_one_form() {
        for text in ["1,234", "1234", "１２３４", "1234.0"] {
            assert_eq!(keys(text), ["1234"], "{text}");
        }
        assert_eq!(keys("12.50 and 100"), ["12.5", "and", "100"]);
        assert_eq!(keys("007 1.2.30"), ["007", "1.2.30"]);
    }

    #[test]
    fn words_meet_in_their_stems_and_widths() {
        assert_eq!(keys("Reports"), keys("report"));
        assert_eq!(keys("ＡＢＣ"), keys("abc"));
        assert_eq!(keys(&"x".repeat(100_000))[0].len(), MAX_KEY);
    }

    #[test]
    fn chinese_is_found_by_pairs_of_characters() {
        assert_eq!(keys("营收增长"), ["营收", "收增", "增长"]);
        assert_eq!(keys("高, 年"), ["高", "年"]);
        let name = keys("总经理覃旻钰");
        assert!(keys("覃旻钰").iter().all(|pair| name.contains(pair)), "{name:?}");
    }

    #[test]
    fn terms_say_where_they_stand() {
        let text = "２０２４年 the 营收报告、Ok";
        for term in terms(text) {
            let there = &text[term.range.clone()];
            assert!(
                !there.is_empty() && (there.contains(&term.key) || there.starts_with('２') || there == "Ok"),
                "{there}"
            );
        }
    }
}
