//! Where a line of a plan really begins: behind bullets, numbers, emphasis and fences.

use super::reference::{marked, narrow};

/// The first byte of a line's own words.
pub(super) fn start(line: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = line.get(at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else { return at };
        let ornament = first.is_whitespace() || BULLETS.contains(&first) || (first == '#' && marked(rest).is_none());
        let length = if ornament { first.len_utf8() } else { ordinal(rest) };
        if length == 0 {
            return at;
        }
        at += length;
    }
}

/// The byte behind `Plan:` where a text begins with that.
pub(super) fn behind_plan(text: &str) -> Option<usize> {
    let word = PLAN_WORDS.iter().find_map(|word| behind_word(text, word))?;
    let numbered = text.get(word..)?;
    let digits = numbered.len()
        - numbered.trim_start_matches(|c: char| c.is_numeric() || matches!(c, ' ' | '#' | '*' | '_' | '`')).len();
    let colon = numbered.get(digits..)?;
    let c = colon.chars().next().filter(|c| matches!(c, ':' | '：'))?;
    Some(word + digits + c.len_utf8())
}

/// A text without the fence that it begins with.
pub(super) fn unfenced(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match text.strip_prefix("```") {
        Some(fenced) => fenced.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_start(),
        None => text,
    }
}

/// The lines of a text with the places where they begin.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The length of `1.`, `(2)`, `3、`, `Step 4:` and `第五步：` at the beginning of a text; 0 where there is none.
fn ordinal(text: &str) -> usize {
    let word = STEP_WORDS.iter().find_map(|word| behind_word(text, word)).unwrap_or(0);
    let rest = text.get(word..).unwrap_or_default();
    let opening = rest.chars().next().filter(|c| matches!(c, '(' | '（' | ' ')).map_or(0, char::len_utf8);
    let digits = rest.get(opening..).unwrap_or_default();
    let behind = digits.trim_start_matches(|c: char| narrow(c).is_ascii_digit());
    if behind.len() == digits.len() || digits.len() - behind.len() > LONGEST_ORDINAL {
        return 0;
    }
    let closed = behind.trim_start_matches(['步', ' ']);
    match closed.chars().next() {
        Some(c @ ('.' | ')' | ':' | '、' | '．' | '）' | '：')) => text.len() - closed.len() + c.len_utf8(),
        _ => 0,
    }
}

/// The byte after a word, whatever its case and width.
fn behind_word(text: &str, word: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    for wanted in word.chars() {
        let (_, c) = characters.next()?;
        if !narrow(c).eq_ignore_ascii_case(&wanted) {
            return None;
        }
    }
    Some(text.len() - characters.as_str().len())
}

const BULLETS: [char; 11] = ['-', '*', '+', '•', '·', '>', '`', '_', '"', '–', '\u{feff}'];
const PLAN_WORDS: [&str; 3] = ["plan", "计划", "規劃"];
const STEP_WORDS: [&str; 3] = ["step", "步骤", "第"];
/// Digits of a number before a line.
const LONGEST_ORDINAL: usize = 6;
