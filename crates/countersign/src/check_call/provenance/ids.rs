//! Whether an id-like value follows from what was said, and what it may have been meant to be.

use super::sources::Sources;
use crate::conversation::tokens::{Run, runs};

/// Whether a folded id follows: all its parts were said, or it was said with other marks in it.
pub fn follows(folded: &str, sources: &Sources<'_>) -> bool {
    parts_were_said(folded, sources) || squashed_said(folded, sources)
}

/// A path of a known folder and a known file, an e-mail of a known name at a known host.
fn parts_were_said(folded: &str, sources: &Sources<'_>) -> bool {
    let parts: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let known = |part: &&str| {
        COMMON_PARTS.contains(part)
            || sources.any(|tokens| tokens.has_exact(part) || tokens.has_word(part))
            || (part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let names = parts.iter().filter(|part| !COMMON_PARTS.contains(part)).count();
    names > 0 && parts.iter().all(|part| known(&part))
}

/// The same letters and digits with other marks between them: `555-0100` for `(555) 0100`.
fn squashed_said(folded: &str, sources: &Sources<'_>) -> bool {
    let squash = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let id = squash(folded);
    id.len() >= 5 && squash(sources.text()).contains(&id)
}

/// The said value that is most like a fabricated one: of the same shape, the nearest letters, the newest.
pub fn nearest<'a>(folded: &str, sources: &'a Sources<'_>) -> Option<&'a str> {
    let shape = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_ascii_digit() {
                    '0'
                } else if c.is_alphabetic() {
                    'a'
                } else {
                    c
                }
            })
            .collect()
    };
    let wanted = shape(folded);
    let candidates = sources.text().split(|c: char| c.is_whitespace() || "\"'`,;()[]{}<>".contains(c));
    let candidates = candidates.map(|word| word.trim_matches(['.', ':', '!', '?'])).filter(|word| word.len() >= 3);
    let like = |word: &&str| {
        let digits = word.bytes().any(|b| b.is_ascii_digit());
        let close = word.len().abs_diff(folded.len()) <= 2 && digits && folded.bytes().any(|b| b.is_ascii_digit());
        let marks = ['@', '/', '.'].iter().any(|mark| folded.contains(*mark) && word.contains(*mark));
        close || marks
    };
    let rank = |word: &str| {
        let same = usize::from(shape(word) != wanted) * 100;
        same + strsim::levenshtein(word, folded).min(99)
    };
    candidates.filter(like).filter(|word| word.len() <= 100).take(200).min_by_key(|word| rank(word))
}

/// Whether a text holds runs that could be ids at all.
pub fn has_digits(folded: &str) -> bool {
    runs(folded).iter().any(|run| matches!(run, Run::Number(_) | Run::Mixed(_)))
}

/// Parts of addresses and paths that everybody knows.
const COMMON_PARTS: &[&str] =
    &["http", "https", "www", "com", "org", "net", "txt", "csv", "json", "pdf", "md", "html", "home", "tmp"];
