//! The words that a text is found by, in English and Chinese.
//!
//! Words are lower case, full-width forms folded, English ones cut to their stems, numbers in one normal form (`1,234`
//! is `1234`, `12.50` is `12.5`). Chinese runs are cut by a dictionary, which is loaded when the first of them is met;
//! what is in no dictionary (names, above all) is found by pairs of its characters, because guessing word borders would
//! cut the same name one way in a document and another way in a question.

use countersign::contract::language::is_han;
use countersign::grounding::stems::stem;
use countersign::text::words::{Word, words};
use jieba_rs::Jieba;
use std::ops::Range;
use std::sync::LazyLock;

/// A key that a text is found by, and where it stands.
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
    // Nobody searches for so long a word, but it may stand in a file.
    stem(&word.folded).chars().take(MAX_KEY).collect()
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

/// Cuts a run of Chinese characters. Every character of it has the same length in the text and in the run, because only
/// characters without a narrow form are Chinese.
fn close(run: Option<(Range<usize>, String)>, found: &mut Vec<Term>) {
    let Some((place, han)) = run else { return };
    let mut single: Option<(usize, usize)> = None;
    let mut add = |start: usize, end: usize| {
        if let Some(key) = han.get(start..end) {
            found.push(Term { key: key.to_owned(), range: place.start + start..place.start + end });
        }
    };
    let mut reached = 0;
    for word in DICTIONARY.cut_for_search(&han, false) {
        let (start, end) = (word.byte_start, word.byte_end);
        add(start, end);
        // Of a long word its parts come first and stand before what was reached.
        let alone = start >= reached && word.word.chars().nth(1).is_none();
        if let Some((from, to)) = single
            && alone
            && to == start
        {
            add(from, end);
        }
        reached = reached.max(end);
        single = alone.then_some((start, end));
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&DICTIONARY);
}

static DICTIONARY: LazyLock<Jieba> = LazyLock::new(Jieba::new);

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
    fn chinese_is_cut_by_a_dictionary_and_names_by_pairs() {
        let found = keys("中华人民共和国发布年度报告");
        for word in ["中华人民共和国", "发布", "年度报告", "报告", "人民"] {
            assert!(found.contains(&word.to_owned()), "{word}: {found:?}");
        }
        let name = keys("覃旻钰");
        assert!(name.contains(&"覃旻".to_owned()) && name.contains(&"旻钰".to_owned()), "{name:?}");
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
