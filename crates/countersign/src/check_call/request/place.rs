//! Numbered places and parts: a room, a floor, a gate, a class. What the user numbered one way must not stand in a text of the call
//! with another number.

use super::asked::Asked;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::phrases::stands_free;
use std::sync::LazyLock;

/// A place of the request whose number a text of the call has changed: as it was said, and as it was written.
pub(crate) fn find_other(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let wanted = places(&asked.last.lower);
    let wrote = places(&written.lower);
    let known: Vec<Place<'_>> = asked.readings().flat_map(|reading| places(&reading.lower)).collect();
    let said = |place: &Place<'_>| known.iter().any(|other| other.kind == place.kind && other.number == place.number);
    let stranger = wrote.iter().find(|place| !said(place))?;
    let missing = wanted.iter().find(|place| {
        place.kind == stranger.kind && !wrote.iter().any(|own| own.kind == place.kind && own.number == place.number)
    })?;
    let results = || asked.results.iter().any(|result| result.to_string().to_lowercase().contains(stranger.text));
    (!results()).then(|| (missing.text.to_owned(), stranger.text.to_owned()))
}

/// A numbered place.
struct Place<'t> {
    kind: usize,
    number: u32,
    text: &'t str,
}

fn places(lower: &str) -> Vec<Place<'_>> {
    let mut found = Vec::new();
    for (kind, english, word) in WORDS.iter() {
        for (at, _) in lower.match_indices(word).take(MAX_PLACES) {
            let end = at + word.len();
            let place = if *english { english_at(lower, at, end) } else { chinese_at(lower, at, end) };
            found.extend(place.map(|(number, text)| Place { kind: *kind, number, text }));
        }
    }
    found
}

/// "Room 204", "third floor".
fn english_at(lower: &str, at: usize, end: usize) -> Option<(u32, &str)> {
    if !stands_free(lower, &(at..end)) {
        return None;
    }
    let behind = lower.get(end..)?;
    let digits: String = behind.trim_start().chars().take_while(char::is_ascii_digit).collect();
    if let Ok(number) = digits.parse() {
        let skipped = behind.len() - behind.trim_start().len();
        return lower.get(at..end + skipped + digits.len()).map(|text| (number, text));
    }
    let before = lower.get(..at)?.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let ordinal = ORDINALS.iter().position(|name| *name == word).and_then(|at| u32::try_from(at + 1).ok());
    let number =
        ordinal.or_else(|| word.trim_end_matches(char::is_alphabetic).parse().ok().filter(|_| word.len() > 2))?;
    lower.get(before.len() - word.len()..end).map(|text| (number, text))
}

/// 三楼, 204室, 12号线.
fn chinese_at(lower: &str, at: usize, end: usize) -> Option<(u32, &str)> {
    let before = lower.get(..at)?;
    let start = before
        .rfind(|c: char| !c.is_ascii_digit() && !NUMERALS.contains(c))
        .map_or(0, |last| last + before.get(last..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let number = before.get(start..).filter(|number| !number.is_empty())?;
    let value = number.parse().ok().or_else(|| read_numeral(number))?;
    lower.get(start..end).map(|text| (value, text))
}

/// 三, 十二, 二十.
fn read_numeral(text: &str) -> Option<u32> {
    let digit = |c: char| NUMERALS.chars().position(|own| own == c).and_then(|at| u32::try_from(at + 1).ok());
    let chars: Vec<char> = text.chars().collect();
    match chars.as_slice() {
        [one] => digit(*one),
        ['十', ones] => digit(*ones).map(|ones| 10 + ones),
        [tens, '十'] => digit(*tens).map(|tens| 10 * tens),
        [tens, '十', ones] => Some(10 * digit(*tens)? + digit(*ones)?),
        _ => None,
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&WORDS);
}

/// The words of places: their kind, whether they are English, and the word.
static WORDS: LazyLock<Vec<(usize, bool, &'static str)>> = LazyLock::new(|| {
    let rows = include_str!("../../text/data/places.tsv").lines().skip(1).enumerate();
    rows.flat_map(|(kind, line)| {
        let cells = line.split('\t').enumerate();
        cells.flat_map(move |(at, cell)| cell.split('|').map(move |word| (kind, at == 0, word)))
    })
    .filter(|(_, _, word)| !word.is_empty())
    .collect()
});

const MAX_PLACES: usize = 20;
const NUMERALS: &str = "一二三四五六七八九十";
const ORDINALS: &[&str] = word_list!("check_call", "request/place/ordinals");

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn places_are_numbered() {
        let read =
            |text: &str| places(text).iter().map(|place| (place.number, place.text.to_owned())).collect::<Vec<_>>();
        assert_eq!(read("meet in room 204"), [(204, "room 204".to_owned())]);
        assert_eq!(read("on the third floor"), [(3, "third floor".to_owned())]);
        assert_eq!(read("三楼阶梯教室"), [(3, "三楼".to_owned())]);
        assert_eq!(read("在12层"), [(12, "12层".to_owned())]);
        assert!(read("a classroom for two, bedroom, 楼上").is_empty() && read(&"楼".repeat(4000)).is_empty());
    }
}
