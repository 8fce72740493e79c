//! Counts of something else: the pages for the copies, the pieces of a carton for the cartons, the seats that are left for the
//! seats that are wanted.

use super::argument::Argument;
use super::asked::Asked;
use super::number::{is_used, is_weighty};
use super::records::is_label;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use std::sync::LazyLock;

/// Finds counts that were taken from another thing than the argument counts.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|number| number.fract() == 0.0 && is_weighty(argument)) else {
            continue;
        };
        let slip = find_other_thing(asked, argument, number)
            .or_else(|| find_pieces(asked, argument, number))
            .or_else(|| find_size(asked, argument, number))
            .or_else(|| find_held(asked, argument, number));
        slips.extend(slip);
    }
}

/// A number with what was said around it.
#[derive(Clone, Copy)]
struct Count<'a> {
    reading: &'a Reading,
    mention: &'a Mention,
    quantity: &'a Quantity,
}

impl Count<'_> {
    /// The words that it counts: "colour copies".
    fn nouns(&self) -> impl Iterator<Item = &str> {
        let noun = self.reading.lower.get(self.quantity.noun.clone()).unwrap_or_default();
        noun.split(' ').filter(|word| word.is_ascii() && word.len() >= 3)
    }

    fn behind(&self) -> &str {
        self.reading.lower.get(self.mention.range.end..).unwrap_or_default().trim_start()
    }

    /// Whether a Chinese measure word of a row of the table stands behind it.
    fn is_measured(&self, row: &Measures) -> bool {
        row.chinese.iter().any(|word| self.behind().starts_with(word))
    }

    /// Whether it counts what a parameter is called after.
    fn is_of(&self, words: &[String]) -> bool {
        let named = |word: &str| words.iter().any(|own| own.len() >= 3 && stem(own) == stem(word));
        // Who counts copies says it of the first or the last word: "6 colour copies".
        self.nouns().any(named) || MEASURES.iter().any(|row| row.names(words) && self.is_measured(row))
    }

    /// Whether it surely counts another thing.
    fn is_of_other(&self, words: &[String]) -> bool {
        let measured = || MEASURES.iter().any(|row| self.is_measured(row));
        let counted = self.quantity.counts && self.nouns().next().is_some();
        !self.is_of(words) && (counted || self.quantity.unit.is_some() || measured())
    }
}

fn counts<'a>(asked: &Asked<'a>) -> Vec<Count<'a>> {
    let told = asked.wished().flat_map(|reading| {
        let exact = reading.numbers().filter(|(mention, quantity)| !mention.excluded && quantity.upper.is_none());
        exact.map(move |(mention, quantity)| Count { reading, mention, quantity })
    });
    told.filter(|count| count.quantity.currency.is_none()).collect()
}

/// "It has 120 pages, print 6 copies" and `copies: 120`, 一共120页，打6份.
fn find_other_thing(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let counts = counts(asked);
    let mut own = counts.iter().filter(|count| count.is_of(&argument.words));
    let wanted = own.next().filter(|wanted| own.next().is_none() && wanted.quantity.value != number)?;
    let taken = counts.iter().find(|count| count.quantity.value == number && count.is_of_other(&argument.words))?;
    let counting = Measure::of(argument, None) == Measure::Count;
    let plain = counting && wanted.quantity.unit.is_none() && wanted.quantity.value >= 1.0;
    (plain && !is_used(asked, argument, wanted.quantity)).then(|| say(asked, argument, *wanted, taken.shown(), number))
}

impl Count<'_> {
    fn shown(&self) -> String {
        let end = if self.quantity.noun.is_empty() { self.mention.range.end } else { self.quantity.noun.end };
        self.reading.lower.get(self.mention.range.start..end).unwrap_or_default().to_owned()
    }
}

/// "96 of them" with `pieces_per_carton: 24`, and 96 cartons are ordered.
fn find_pieces(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let each = asked.records().iter().flat_map(|record| &record.fields).find_map(|(key, value)| {
        let words = identifier_words(key);
        let per = words.iter().position(|word| word == "per")?;
        let whole = argument.words.iter().any(|word| words.get(per + 1).is_some_and(|of| stem(word) == stem(of)));
        value.as_f64().filter(|each| whole && *each > 1.0)
    })?;
    let counts = counts(asked);
    let count = counts.iter().find(|count| count.quantity.value == number && count.quantity.unit.is_none())?;
    let of_them = ["of them", "of those", "of these"].iter().any(|words| count.behind().starts_with(words));
    let packed = |count: &Count<'_>| MEASURES.iter().take(PACKS).any(|row| count.is_measured(row));
    let pieces = (of_them || count.quantity.counts) && !packed(count) && !count.is_of(&argument.words);
    let spoken = asked.user().any(|reading| {
        let words = reading.lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 3);
        words.into_iter().any(|word| argument.words.iter().any(|own| stem(own) == stem(word)))
    });
    let whole = (number / each).fract() == 0.0;
    (pieces && whole && !spoken).then(|| {
        let (key, said, each, wanted) = (argument.node.key, count.shown(), show(each), show(number / each));
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{said}\", and one of `{key}` holds {each}: that is {wanted}, not {}",
            "用户说的是“{said}”，而 `{key}` 每份含 {each} 个：应为 {wanted}，不是 {}",
            show(number)
        );
        let hint = compare_hint(key, asked.subject.language);
        Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
    })
}

/// "Two six-packs", and the call has six of them.
fn find_size(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let counts = counts(asked);
    let size = |count: &&Count<'_>| {
        let (size, _) = count.behind().split_once("-pack")?;
        let own = size.len() <= LONGEST_NUMERAL && Reading::of(size).numbers().any(|(_, own)| own.value == number);
        (own && count.quantity.value != number).then(|| format!("{size}-pack"))
    };
    let (wanted, pack) = counts.iter().find_map(|count| Some((count, size(&count)?)))?;
    let counting = Measure::of(argument, None) == Measure::Count;
    counting.then(|| say(asked, argument, *wanted, format!("`{pack}`"), number))
}

/// "Two of them" with `seats_left: 12`, and the call has 12; 来两盒 with `24粒/盒`, and it has 24.
fn find_held(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let counts = counts(asked);
    let plain = |count: &&Count<'_>| count.quantity.counts && count.quantity.unit.is_none();
    let mut told = counts.iter().filter(plain);
    let wanted = told.next().filter(|_| told.next().is_none())?;
    let by = wanted.quantity.value;
    let said = asked.user().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value == number));
    let open = ["all-of-them", "by-and-large", "more-of-it", "another", "balance"];
    let open = open.iter().any(|list| Cue::named(list).stands_in(&wanted.reading.lower));
    let counting = Measure::of(argument, None) == Measure::Count && by >= 1.0 && by != number;
    if !counting || said || open || is_used(asked, argument, wanted.quantity) {
        return None;
    }
    let records = asked.records();
    let values = || records.iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    // Two boxes of twelve are 24, whatever else is 24.
    if values()
        .filter_map(|(_, value)| value.as_f64())
        .any(|value| is_near(value * by, number) || is_near(value + by, number))
    {
        return None;
    }
    let own = |key: &str| identifier_words(key).iter().any(|word| argument.words.contains(word));
    let (key, _) = values().find(|(key, value)| match value.as_str() {
        Some(text) => packs(&text.to_lowercase()) == Some(number),
        None => value.as_f64() == Some(number) && !own(key) && is_held(key),
    })?;
    Some(say(asked, argument, *wanted, format!("`{key}`"), number))
}

/// Whether a field tells how many there are: `seats_left`, `in_stock`.
fn is_held(key: &str) -> bool {
    let words = identifier_words(key);
    words.iter().any(|word| Cue::named("held-now").has(word) && !matches!(word.as_str(), "quantity" | "qty" | "level"))
}

/// How many pieces a package holds, as labels have it: `24粒/盒`, "24 per box".
fn packs(text: &str) -> Option<f64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.trim_start();
    let piece: usize = rest.chars().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    let per = rest.get(piece..)?.trim_start();
    let joined = per.starts_with('/') || rest.starts_with("per ") || per.starts_with("per ");
    text.get(..digits)?.parse().ok().filter(|_| joined)
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, wanted: Count<'_>, taken: String, number: f64) -> Slip {
    let (key, said, shown) = (argument.node.key, wanted.shown(), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\"; `{key}` is {shown}, which is the number of {taken}",
        "用户说的是“{said}”；而 `{key}` 是 {shown}，那是 {taken} 的数"
    );
    let hint = compare_hint(key, asked.subject.language);
    Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
}

/// What things are called in names of parameters, and their Chinese measure words.
struct Measures {
    english: Vec<&'static str>,
    chinese: Vec<&'static str>,
}

impl Measures {
    fn names(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.english.contains(&word.as_str()))
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&MEASURES);
}

static MEASURES: LazyLock<Vec<Measures>> = LazyLock::new(|| {
    let cells = |cell: Option<&'static str>| cell.unwrap_or_default().split('|').collect();
    let rows = include_str!("../../text/data/measures.tsv").lines().skip(1).map(|line| line.split('\t'));
    rows.map(|mut row| Measures { english: cells(row.next()), chinese: cells(row.next()) }).collect()
});

/// "Twenty-four" is long enough.
const LONGEST_NUMERAL: usize = 12;
/// The first rows are of what holds other things.
const PACKS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_what_a_package_holds() {
        // MEANING-2
        for (text, pieces) in [("24粒/盒", Some(24.0)), ("12 per box", Some(12.0)), ("6 cans per tray", Some(6.0))] {
            assert_eq!(packs(text), pieces, "{text}");
        }
        for text in ["24", "100毫升", "a/b", "24 boxes"] {
            assert_eq!(packs(text), None, "{text}");
        }
    }
}
