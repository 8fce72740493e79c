//! SQL in a value that is no query: `' OR '1'='1`, `1; DROP TABLE users --`, `x' UNION SELECT …`.

use super::text::{Marks, Text};
use crate::contract::Finding;
use crate::contract::codes::danger::SQL_INJECTION;
use crate::localized;
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::sync::LazyLock;

/// The finding on a value that would change a query.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    let possible = text.marks.any(Marks::QUOTE | Marks::BLANK);
    if !possible || !text.is_plain() || !carries_sql(text.text) {
        return None;
    }
    let value = text.quote();
    let evidence = localized!(text.language, "`{value}` carries SQL", "`{value}` 夹带了 SQL");
    Some(text.finding(&SQL_INJECTION, evidence))
}

fn carries_sql(text: &str) -> bool {
    WORDS.as_ref().is_some_and(|words| words.is_match(text))
        && SHAPES.as_ref().is_some_and(|shapes| shapes.is_match(text))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&WORDS);
    LazyLock::force(&SHAPES);
}

/// A text without any of these carries none: the shapes are asked only after them.
static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        " or ",
        "'or",
        "\"or",
        " and ",
        "'and",
        "union",
        "drop ",
        "delete ",
        "insert ",
        "update ",
        "truncate ",
        "alter ",
        "--",
        "xp_cmdshell",
        "waitfor",
        "sleep(",
        "benchmark(",
        "||",
    ];
    aho_corasick::AhoCorasickBuilder::new().ascii_case_insensitive(true).build(words).ok()
});

static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // A quote or a number, then a condition that always holds.
        r#"['")]\s*(?:or|and|\|\|)\s+(?:not\s+)?['"(]*\w*['")]*\s*(?:=|<>|>|<|\blike\b)\s*['"(]*\w*"#,
        r#"\b\d+\s+or\s+(?:1\s*=\s*1|true\b|'1'\s*=\s*'1)"#,
        r"\bor\s+1\s*=\s*1\b",
        // A second statement.
        r"[;'\x22)]\s*(?:drop|truncate|alter)\s+(?:table|database|schema|user|view|index)\b",
        r"[;'\x22)]\s*(?:delete\s+from|insert\s+into|update\s+\w+\s+set)\b",
        r"\bunion\s+(?:all\s+)?select\s+(?:null\b|\d|\*|@@|\w+\(|[\w, .]+\sfrom\s)",
        // The rest of the query cut off.
        r"\w['\x22]\s*\)?\s*;?\s*--\s*-?\s*$",
        r"\bxp_cmdshell\b|\bwaitfor\s+delay\b|['\x22)]\s*(?:and|or)\s+(?:sleep|benchmark)\s*\(",
    ];
    Regex::new(&format!("(?i){}", shapes.join("|"))).ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injections_are_told_from_words() {
        // CALL-6
        for bad in [
            "' OR '1'='1",
            "1 OR 1=1",
            "x'; DROP TABLE users; --",
            "admin'--",
            "1' UNION SELECT password FROM users",
            "5; delete from orders",
            "\" or \"\"=\"",
            "x') or ('a'='a",
            "1; WAITFOR DELAY '0:0:5'",
        ] {
            assert!(carries_sql(bad), "{bad}");
        }
        for good in [
            "O'Brien or Smith",
            "Rock 'n' roll and jazz",
            "drop table lamp",
            "Union Select Committee",
            "update me",
            "a -- b",
            "'best' or 'worst'",
            "delete from my list",
            "Trade union",
            "She said \"yes\" and left",
            "don't --",
        ] {
            assert!(!carries_sql(good), "{good}");
        }
    }
}
