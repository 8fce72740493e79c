//! Words that tell two things of one kind apart: the front and the rear tyre, her mother's and her father's number. Each row of
//! `text/data/qualifiers.tsv` has what people call the same one, in both languages.

use std::sync::LazyLock;

/// One row: the words for one of two.
pub(super) struct Qualifier {
    /// Whether a parent is meant, who has one name in records and another in speech.
    pub kin: bool,
    /// Its words, in both languages.
    pub words: Vec<&'static str>,
}

/// A word and all that people call the same.
pub(super) fn equals_of(word: &str) -> Vec<&str> {
    let rows = ROWS.iter().filter(|row| row.words.contains(&word));
    let mut found = vec![word];
    found.extend(rows.flat_map(|row| &row.words).copied().filter(|other| *other != word));
    found
}

/// The other names of somebody's kin: 母亲 is 妈妈, "mother" is "mum".
pub(super) fn kin_of(word: &str) -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(move |row| row.kin && row.words.contains(&word)).flat_map(|row| &row.words).copied()
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&ROWS);
}

static ROWS: LazyLock<Vec<Qualifier>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut cells = line.split('\t');
        let kin = cells.next() == Some("kin");
        Qualifier { kin, words: cells.flat_map(|cell| cell.split('|')).filter(|word| !word.is_empty()).collect() }
    };
    include_str!("../../text/data/qualifiers.tsv").lines().skip(1).map(read).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn words_meet_their_equals() {
        assert!(equals_of("rear").contains(&"back") && equals_of("私人").contains(&"personal"));
        assert!(kin_of("mum").any(|word| word == "妈妈") && kin_of("front").next().is_none());
        assert_eq!(equals_of("lorry"), ["lorry"]);
        assert!(ROWS.iter().all(|row| row.words.len() >= 2));
    }
}
