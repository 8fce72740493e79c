//! Words that pick one of several: "the cheaper one", "the second", 最便宜的.

use crate::text::phrases::stands_free;
use std::sync::LazyLock;

/// One way to pick.
pub(super) struct Pick {
    /// What is compared.
    pub measure: &'static str,
    /// The end of it that is meant, or the place.
    pub end: &'static str,
    english: Vec<&'static str>,
    chinese: Vec<&'static str>,
}

/// The one pick of a text; none where there are several.
pub(super) fn pick_in(lower: &str) -> Option<(&'static str, &'static Pick)> {
    let mut found = PICKS.iter().filter_map(|pick| {
        let english = pick.english.iter().find(|word| picks(lower, word));
        let chinese = || pick.chinese.iter().find(|word| lower.contains(**word));
        english.or_else(chinese).map(|word| (*word, pick))
    });
    found.next().filter(|_| found.next().is_none())
}

/// Whether a word picks: "the cheaper flight", "the old one", "cheapest please"; a plain word only before "one".
fn picks(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let range = at..at + word.len();
        let behind = lower.get(range.end..).unwrap_or_default();
        let one = behind.starts_with(" one")
            && ![" one of th", " one of my", " one of our"].iter().any(|part| behind.starts_with(part));
        let led = ["the ", "that ", "whatever ", "whichever "]
            .iter()
            .any(|article| lower.get(..at).is_some_and(|before| before.ends_with(article)));
        let thing = THINGS.iter().any(|thing| behind.strip_prefix(' ').is_some_and(|rest| rest.starts_with(thing)));
        let ends = behind.trim_start_matches(' ').is_empty() || behind.starts_with(['.', ',', '!', '?']);
        let compares = word.ends_with("er") || word.ends_with("est") || word.contains(' ');
        stands_free(lower, &range) && (one || led && (compares || ends || thing))
    })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&PICKS);
}

static PICKS: LazyLock<Vec<Pick>> = LazyLock::new(|| {
    let words =
        |cell: Option<&'static str>| cell.unwrap_or_default().split('|').filter(|word| !word.is_empty()).collect();
    let read = |line: &'static str| {
        let mut cells = line.split('\t');
        let (measure, end) = (cells.next()?, cells.next()?);
        Some(Pick { measure, end, english: words(cells.next()), chinese: words(cells.next()) })
    };
    include_str!("../../text/data/picks.tsv").lines().skip(1).filter_map(read).collect()
});

/// What a plain word picks: "the big group".
const THINGS: &[&str] = &["group", "party", "order", "bill", "invoice", "room", "table", "booking", "ticket"];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn picks_are_found() {
        let pick = |text: &str| pick_in(text).map(|(_, pick)| (pick.measure, pick.end));
        assert_eq!(pick("the cheaper one please"), Some(("price", "least")));
        assert_eq!(pick("the old one of course"), Some(("time", "least")));
        assert_eq!(pick("就最便宜的吧"), Some(("price", "least")));
        assert_eq!(pick("ok, the second"), Some(("place", "second")));
        for none in
            ["my older brother", "a new one of them is broken", "the first of may", "later", "cheapest or earliest"]
        {
            assert_eq!(pick(none), None, "{none}");
        }
        assert!(PICKS.iter().all(|pick| !pick.english.is_empty()));
    }
}
