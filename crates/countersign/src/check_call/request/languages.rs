//! Languages: their codes, and what people call them (`text/data/languages.tsv`).

use super::asked::stands_in;
use std::sync::LazyLock;

/// One language.
pub(super) struct Language {
    /// Its code of two letters.
    code: &'static str,
    /// Its names, the English one first.
    pub names: Vec<&'static str>,
}

impl Language {
    /// Its English name.
    pub(super) fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or(self.code)
    }
}

/// The language of a code or a name, in lower case.
pub(super) fn find(text: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.code == text || language.names.contains(&text))
}

/// The languages that a text in lower case names.
pub(super) fn spoken_in(lower: &str) -> Vec<&'static Language> {
    let named = |name: &&str| if name.is_ascii() { stands_in(lower, name) } else { lower.contains(*name) };
    LANGUAGES.iter().filter(|language| language.names.iter().any(&named)).collect()
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&LANGUAGES);
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let (code, names) = line.split_once('\t')?;
        Some(Language { code, names: names.split('|').collect() })
    };
    include_str!("../../text/data/languages.tsv").lines().skip(1).filter_map(read).collect()
});
