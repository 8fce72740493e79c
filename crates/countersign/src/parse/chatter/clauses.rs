//! From a message to its clauses, folded so that case, width and punctuation do not matter.

use crate::contract::language::is_han;

/// The clauses of a message, folded; blank ones are left out.
#[derive(Debug)]
pub(super) struct Clauses(std::vec::IntoIter<String>);

impl Clauses {
    pub(super) fn of(text: &str) -> Self {
        let text = straight(text);
        let clauses: Vec<String> = text.split(is_border).map(folded).filter(|clause| !clause.is_empty()).collect();
        Self(clauses.into_iter())
    }
}

impl Iterator for Clauses {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0.next()
    }
}

/// Lower case, single blanks, no marks at the ends, no blanks beside Chinese.
pub(super) fn folded(text: &str) -> String {
    let text = straight(text).to_lowercase();
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let beside_han = out.chars().next_back().is_some_and(is_han) || word.chars().next().is_some_and(is_han);
        if !word.is_empty() && !out.is_empty() && !beside_han {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Phrases that may be at the beginning of a clause, the longest first.
#[derive(Debug)]
pub(super) struct Lead(Vec<String>);

impl Lead {
    pub(super) fn new<'a>(phrases: impl Iterator<Item = &'a str>) -> Self {
        let mut phrases: Vec<String> = phrases.map(folded).filter(|phrase| !phrase.is_empty()).collect();
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        Self(phrases)
    }

    /// What follows the longest phrase that a clause begins with, at a word border.
    pub(super) fn strip<'a>(&self, clause: &'a str) -> Option<&'a str> {
        self.0.iter().find_map(|phrase| {
            let rest = clause.strip_prefix(phrase.as_str())?;
            let inside = rest.chars().next().is_some_and(|c| c.is_alphanumeric() && !is_han(c))
                && phrase.chars().next_back().is_some_and(|c| !is_han(c));
            (!inside).then(|| rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
        })
    }
}

/// Typographic apostrophes and full-width letters as plain ones.
fn straight(text: &str) -> String {
    let plain = |c: char| match c {
        '’' | '‘' | '＇' | '`' => '\'',
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{ff10}'..='\u{ff19}' => {
            char::from_u32(c as u32 - 0xfee0).unwrap_or(c)
        }
        '\u{200b}'..='\u{200f}' | '\u{feff}' => ' ',
        c => c,
    };
    text.chars().map(plain).collect()
}

/// A mark between two clauses.
fn is_border(c: char) -> bool {
    matches!(
        c,
        ',' | '.'
            | '!'
            | ';'
            | '，'
            | '。'
            | '！'
            | '；'
            | '、'
            | '…'
            | '\n'
            | '~'
            | '～'
            | '—'
            | '–'
            | '('
            | ')'
            | '（'
            | '）'
            | ':'
            | '：'
            | '·'
    )
}
