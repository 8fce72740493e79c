//! Words that pick one of several: "the cheaper one", "the second", 最便宜的.

use super::argument::read_moment;
use super::asked::{Asked, find_whole};
use super::records::{Record, is_money, words_of};
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::phrases::stands_free;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;
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
        let chinese = || pick.chinese.iter().find(|word| lower.contains(**word) || whichever_zh(lower, word));
        english.or_else(chinese).map(|word| (*word, pick))
    });
    found.next().filter(|_| found.next().is_none())
}

/// 哪个近去哪个: the word behind 最 tells which one, wherever it stands.
fn whichever_zh(lower: &str, word: &str) -> bool {
    let Some(bare) = word.strip_prefix('最').map(|bare| bare.trim_end_matches('的')) else { return false };
    ["哪", "谁"].iter().any(|which| {
        lower.match_indices(which).take(MAX_PLACES).any(|(at, _)| {
            let rest = lower.get(at + which.len()..).unwrap_or_default();
            let mut signs = rest.chars();
            // 哪个, 哪家, 哪一班; 谁 has no such sign.
            let rest = if *which == "哪" { signs.next().map_or("", |_| signs.as_str()) } else { rest };
            let again = |rest: &str| rest.chars().take(MAX_DEED).any(|c| which.starts_with(c));
            rest.strip_prefix(bare).is_some_and(again)
        })
    })
}

/// Whether a word picks: "the cheaper flight", "the old one", "cheapest please"; a plain word only before "one".
fn picks(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        let range = at..at + word.len();
        let behind = lower.get(range.end..).unwrap_or_default();
        let one = behind.starts_with(" one")
            && ![" one of th", " one of my", " one of our"].iter().any(|part| behind.starts_with(part));
        let led = [
            "the ",
            "that ",
            "whatever ",
            "whichever ",
            "whichever is ",
            "whichever's ",
            "whichever one is ",
            "that's ",
            "that is ",
        ]
        .iter()
        .any(|article| lower.get(..at).is_some_and(|before| before.ends_with(article)));
        let thing = THINGS.iter().any(|thing| behind.strip_prefix(' ').is_some_and(|rest| rest.starts_with(thing)));
        let ends = behind.trim_start_matches(' ').is_empty() || behind.starts_with(['.', ',', '!', '?']);
        let compares = word.ends_with("er") || word.ends_with("est") || word.contains(' ');
        stands_free(lower, &range) && (one || led && (compares || ends || thing))
    })
}

/// The end of a measure that is called as a field is: "the one with the fewest hours".
pub(super) struct Extreme<'t> {
    /// The words.
    pub said: &'t str,
    noun: &'t str,
    most: bool,
}

impl Extreme<'_> {
    /// The record at that end; none where no one field of all of them is called so, or where two share it.
    pub(super) fn choose<'r, 'a>(&self, list: &[&'r Record<'a>]) -> Option<&'r Record<'a>> {
        let noun = stem(self.noun);
        let of = |record: &Record<'_>| {
            let called = |key: &str| identifier_words(key).iter().any(|word| stem(word) == noun);
            let mut found = record.fields.iter().filter(|(key, _)| called(key)).map(|(_, value)| number_of(value));
            found.next().flatten().filter(|_| found.next().is_none())
        };
        let values: Option<Vec<(f64, &Record<'_>)>> = list.iter().map(|record| Some((of(record)?, *record))).collect();
        choose_by_value(values?, self.most)
    }
}

/// The superlative with a noun of a text, where it points at a thing that has the most or the least of it; none where there
/// are several.
pub(super) fn extreme_in(lower: &str) -> Option<Extreme<'_>> {
    let mut found = EXTREMES.iter().flat_map(|(word, most)| {
        let places = memchr::memmem::find_iter(lower.as_bytes(), word.as_bytes()).take(MAX_PLACES);
        places.filter_map(move |at| {
            let range = at..at + word.len();
            let noun = lower.get(range.end..)?.strip_prefix(' ')?;
            let noun = noun.split(|c: char| !c.is_ascii_alphabetic()).next().filter(|noun| noun.len() >= 3)?;
            let behind = lower.get(range.end + 1 + noun.len()..)?;
            let before = lower.get(..at)?;
            // "More seats than before" compares with something else.
            let led = before.ends_with(" the ")
                || ["with ", "has ", "have ", "had ", "which has ", "whichever has "]
                    .iter()
                    .any(|word| before.ends_with(word));
            let apart = stands_free(lower, &range) && led && !behind.trim_start().starts_with("than");
            let said = lower.get(at..range.end + 1 + noun.len())?;
            apart.then_some(Extreme { said, noun, most: *most })
        })
    });
    found.next().filter(|_| found.next().is_none())
}

/// The record of a list that a pick means.
pub(super) fn choose<'r, 'a>(asked: &Asked<'_>, list: &[&'r Record<'a>], pick: &Pick) -> Option<&'r Record<'a>> {
    match pick.measure {
        "place" => choose_by_place(asked, list, pick.end),
        measure => choose_by_measure(list, measure, pick.end),
    }
}

/// Whether the last words pick just this record by its place, so that no other word of theirs names another.
pub(super) fn is_picked(asked: &Asked<'_>, own: &Record<'_>) -> bool {
    let Some((_, pick)) = pick_in(&asked.last.lower).filter(|(_, pick)| pick.measure == "place") else { return false };
    let list: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == own.list).collect();
    list.len() > 1 && choose(asked, &list, pick).is_some_and(|chosen| std::ptr::eq(chosen, own))
}

/// The record at the end of a measure; none where two share it, or where some have no such field.
fn choose_by_measure<'r, 'a>(list: &[&'r Record<'a>], measure: &str, end: &str) -> Option<&'r Record<'a>> {
    let mut values: Vec<(f64, &Record<'_>)> = Vec::new();
    for record in list {
        values.push((value_of(record, measure)?, record));
    }
    choose_by_value(values, end == "most")
}

/// The record with the least or the most; none where two share it.
fn choose_by_value<'r, 'a>(mut values: Vec<(f64, &'r Record<'a>)>, most: bool) -> Option<&'r Record<'a>> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    if most {
        values.reverse();
    }
    match values.as_slice() {
        [first, second, ..] if first.0 != second.0 => Some(first.1),
        _ => None,
    }
}

/// The one value of a record that a measure may mean; none where there are several that differ.
fn value_of(record: &Record<'_>, measure: &str) -> Option<f64> {
    let read_as = |measure: &str| record.fields.iter().filter_map(|(key, value)| read(key, value, measure)).collect();
    let mut found: Vec<f64> = read_as(measure);
    // "The small one" of three bills is the one of the least money.
    if measure == "size" && found.is_empty() {
        found = read_as("price");
    }
    found.dedup();
    if measure == "time" && found.len() > 1 {
        found.truncate(1);
    }
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

fn read(key: &str, value: &Value, measure: &str) -> Option<f64> {
    let words = identifier_words(key);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match measure {
        // `per_night` is a price, whatever of.
        "price" if is_money(key) || words.first().is_some_and(|first| first == "per") => value.as_f64(),
        "time" => match value {
            Value::Number(year) if named(&["year"]) => year.as_f64(),
            Value::String(text) => read_moment(text).map(|moment| {
                let days = moment.date.map_or(0, |date| i32::from(date.year()) * 400 + i32::from(date.day_of_year()));
                f64::from(days) * 1440.0 + f64::from(moment.minutes.unwrap_or(0))
            }),
            _ => None,
        },
        "distance" if named(DISTANCES) || key.contains("距离") => number_of(value),
        "length" if named(LENGTHS) => number_of(value),
        "size" if named(SIZES) || matches!(key.to_ascii_lowercase().as_str(), "m2" | "area_m2" | "size_m2" | "ft2") => {
            number_of(value)
        }
        "rating" if named(&["rating", "stars", "score"]) => value.as_f64(),
        _ => None,
    }
}

/// A number, or the one number of a short text, in the base of its unit: `"1.2 km"` is 1200.
fn number_of(value: &Value) -> Option<f64> {
    let Value::String(text) = value else { return value.as_f64() };
    let reading = Reading::of(text.get(..text.len().min(MAX_NUMBER)).filter(|short| short.len() == text.len())?);
    let mut numbers = reading.numbers().map(|(_, quantity)| quantity);
    let one = numbers.next().filter(|one| numbers.next().is_none() && one.currency.is_none())?;
    Some(one.unit.map_or(one.value, |unit| unit.to_base(one.value)))
}

/// The record at a place, in the order in which the assistant named them, else in that of the result.
fn choose_by_place<'r, 'a>(asked: &Asked<'_>, list: &[&'r Record<'a>], place: &str) -> Option<&'r Record<'a>> {
    let at = match place {
        "first" => 0,
        "second" => 1,
        "third" => 2,
        _ => list.len().checked_sub(1)?,
    };
    let proposal = &asked.proposal?.lower;
    let own = |record: &Record<'_>, word: &String| {
        list.iter().all(|other| std::ptr::eq(*other, record) || !words_of(other).contains(word))
    };
    let mut places: Vec<(usize, &Record<'_>)> = Vec::new();
    let mut unnamed = false;
    for record in list {
        let ids = record.fields.iter().filter_map(|(_, value)| value.as_str()).map(str::to_ascii_lowercase);
        let words = words_of(record).iter().filter(|word| own(record, word)).cloned();
        let named = ids.chain(words).chain(record.id.clone()).filter_map(|word| find_whole(proposal, &word));
        match named.min() {
            Some(place) => places.push((place, record)),
            None => unnamed = true,
        }
    }
    // Where the assistant left one out, the others must stand in the order of the result.
    let in_order = places.windows(2).all(|pair| matches!(pair, [one, two] if one.0 < two.0));
    if unnamed {
        return list.get(at).copied().filter(|_| in_order && !places.is_empty());
    }
    places.sort_by_key(|(at, _)| *at);
    let apart = places.windows(2).all(|pair| matches!(pair, [one, two] if one.0 != two.0));
    places.get(at).filter(|_| apart).map(|(_, record)| *record)
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

const LENGTHS: &[&str] = word_list!("check_call", "request/picks/lengths");
const SIZES: &[&str] = word_list!("check_call", "request/picks/sizes");
/// What a field is called that tells how far away a thing is.
const DISTANCES: &[&str] = &["distance", "km", "miles", "metres", "meters", "away"];
/// Words for the two ends of anything that has a number.
const EXTREMES: &[(&str, bool)] = &[
    ("fewest", false),
    ("fewer", false),
    ("least", false),
    ("less", false),
    ("lowest", false),
    ("lower", false),
    ("smallest", false),
    ("most", true),
    ("highest", true),
    ("higher", true),
    ("largest", true),
];
const MAX_PLACES: usize = 8;
/// 哪个近去哪个: so many signs behind the word, the one for "which" again.
const MAX_DEED: usize = 3;
const MAX_NUMBER: usize = 24;
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
        assert_eq!(pick("哪家近就去哪家"), Some(("distance", "least")));
        assert_eq!(pick("whichever is nearer, thanks"), Some(("distance", "least")));
        assert_eq!(pick("谁便宜选谁"), Some(("price", "least")));
        for none in
            ["my older brother", "a new one of them is broken", "the first of may", "later", "cheapest or earliest"]
        {
            assert_eq!(pick(none), None, "{none}");
        }
        assert!(PICKS.iter().all(|pick| !pick.english.is_empty()));
    }

    // MEANING-2
    #[test]
    fn the_ends_of_any_measure_are_found() {
        let extreme = |text: &'static str| extreme_in(text).map(|found| (found.noun, found.most));
        assert_eq!(extreme("take the one with the fewest hours"), Some(("hours", false)));
        assert_eq!(extreme("whichever has less mileage"), Some(("mileage", false)));
        assert_eq!(extreme("one that has more seats than this"), None);
        assert_eq!(extreme("most people are away"), None);
        assert_eq!(number_of(&Value::from("850米")), Some(850.0));
        assert_eq!(number_of(&Value::from("1.2 km")), Some(1200.0));
        assert_eq!(number_of(&Value::from("3 km, 10 min")), None);
    }
}
