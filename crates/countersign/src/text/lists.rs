//! Word lists from data files, cut while the engine is compiled.
//!
//! `data/words.tsv` of a room holds its lists, one a line: the list's name (the path of its file and of its constant), a tab, and
//! the words with bars between them. A list is a plain constant: nothing is read at run time, and a list that is not there is an
//! error of the compiler.

/// The words of a list: `word_list!("check_result", "consistency/echo/ignored")`.
macro_rules! word_list {
    ($room:literal, $list:literal) => {{
        const FILE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/", $room, "/data/words.tsv"));
        const ROW: &str = $crate::text::lists::row(FILE, $list);
        const WORDS: [&str; $crate::text::lists::count(ROW)] = $crate::text::lists::split(ROW);
        &WORDS
    }};
}
pub(crate) use word_list;

/// The words of a list, as they stand in its file.
#[expect(clippy::panic, reason = "the compiler evaluates it and reports a list that is not there")]
pub(crate) const fn row(file: &'static str, list: &str) -> &'static str {
    let mut rest = file;
    while !rest.is_empty() {
        let (line, behind) = cut(rest, b'\n');
        let (name, words) = cut(line, b'\t');
        if is_same(name, list) {
            return words;
        }
        rest = behind;
    }
    panic!("the list is not in the file")
}

/// How many words a row has.
pub(crate) const fn count(row: &str) -> usize {
    let (mut rest, mut count) = (row, 0);
    while !rest.is_empty() {
        rest = cut(rest, b'|').1;
        count += 1;
    }
    count
}

/// The words of a row.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it, and `count` has counted the words")]
pub(crate) const fn split<const COUNT: usize>(row: &'static str) -> [&'static str; COUNT] {
    let (mut words, mut rest, mut at) = ([""; COUNT], row, 0);
    while at < COUNT {
        (words[at], rest) = cut(rest, b'|');
        at += 1;
    }
    words
}

/// A text up to a sign, and what is behind the sign.
#[expect(clippy::indexing_slicing, reason = "the place is within the text")]
const fn cut(text: &str, sign: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != sign {
        at += 1;
    }
    let (first, rest) = text.split_at(at);
    if rest.is_empty() { (first, rest) } else { (first, rest.split_at(1).1) }
}

#[expect(clippy::indexing_slicing, reason = "the place is within both names, which are of one length")]
const fn is_same(name: &str, other: &str) -> bool {
    let (name, other) = (name.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < name.len() && at < other.len() && name[at] == other[at] {
        at += 1;
    }
    at == name.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_falls_into_its_words() {
        const FILE: &str = "list\twords\nyes\tok|sure thing|好的\nno\tnope\n";
        assert_eq!(split::<{ count(row(FILE, "yes")) }>(row(FILE, "yes")), ["ok", "sure thing", "好的"]);
        assert_eq!(split::<1>(row(FILE, "no")), ["nope"]);
    }
}
