//! Cuts a text into sentences.

use crate::text::lists::word_list;
use std::ops::Range;

/// The sentences of a text as byte ranges, trimmed, in order. `.` ends one only before a blank and not after an
/// abbreviation or inside a number; `。！？；` and line breaks always do.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let end = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' | '；' | '\n' => true,
            '!' | '?' => {
                rest.peek().is_none_or(|(_, next)| !next.is_alphanumeric() && !matches!(next, '!' | '?' | '=' | '/'))
            }
            '.' => {
                rest.peek().is_none_or(|(_, next)| next.is_whitespace() || matches!(next, '"' | '”' | ')' | '’'))
                    && !is_abbreviation(text.get(start..at).unwrap_or_default())
            }
            _ => false,
        };
        if ends {
            push(text, start..end, &mut found);
            start = end;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// Pushes a range without the blanks around it, and nothing where only blanks and punctuation are left.
fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(sentence) = text.get(range.clone()) else { return };
    let begin = range.start + (sentence.len() - sentence.trim_start().len());
    let end = range.end - (sentence.len() - sentence.trim_end().len());
    if sentence.chars().any(char::is_alphanumeric) && begin < end {
        found.push(begin..end);
    }
}

/// Whether the text before a full stop ends in an abbreviation ("Dr", "e.g", "U.S", a single letter).
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let single = word.chars().count() == 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let dotted =
        word.contains('.') && word.split('.').all(|part| part.len() <= 2 && part.chars().all(char::is_alphabetic));
    single || dotted || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

const ABBREVIATIONS: &[&str] = word_list!("text", "sentences/abbreviations");

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        assert_eq!(
            cut("Dr. Lund paid $3.50 in the U.S. in May. He left!"),
            ["Dr. Lund paid $3.50 in the U.S. in May.", "He left!"]
        );
        assert_eq!(cut("今天晴。明天有雨！带伞"), ["今天晴。", "明天有雨！", "带伞"]);
        assert_eq!(cut("see example.com/a?b=1 now\n\n- next"), ["see example.com/a?b=1 now", "- next"]);
        assert!(cut(" .. \n").is_empty());
    }
}
