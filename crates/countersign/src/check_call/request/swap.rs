//! Pairs that were exchanged: from and to, source and destination, latitude and longitude.

use super::argument::{Argument, Held};
use super::asked::{Asked, find_whole};
use super::records::{Record, words_of};
use super::slip::{Says, Slip, Strength};
use super::trace::Measure;
use crate::contract::codes::meaning::SWAPPED;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Quantity;
use crate::text::mentions::role::{Part, part_before};
use crate::text::units::{currency, currency_at};
use serde_json::Value;

/// Finds pairs that were exchanged.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = asked.records();
    for first in asked.arguments.iter().filter(|argument| side(argument) == Some(Part::From)) {
        for second in asked.arguments.iter().filter(|argument| side(argument) == Some(Part::To)) {
            if first.node.value != second.node.value && is_exchanged(asked, first, second, records) {
                slips.push(Slip::exchanged(asked, first, second));
            }
        }
    }
    slips.extend(find_crossed(asked));
    find_labelled(asked, records, slips);
    find_old_for_new(asked, slips);
}

/// Two numbers that were exchanged: "20 tons at 2400" and `tons: 2400, price: 20`.
fn find_crossed(asked: &Asked<'_>) -> Option<Slip> {
    let numbers = || asked.arguments.iter().filter_map(|argument| Some((argument, argument.number()?)));
    numbers().find_map(|(first, number)| {
        let Measure::Unit(unit) = Measure::of(first, None) else { return None };
        let of_unit = |quantity: &Quantity| quantity.unit.is_some_and(|own| std::ptr::eq(own, unit));
        let mut said = asked.last.numbers().filter(|(_, quantity)| of_unit(quantity));
        let (_, meant) = said.next().filter(|_| said.next().is_none())?;
        let bare = |value: f64| asked.last.numbers().any(|(_, other)| other.value == value && other.unit.is_none());
        let other = numbers().find(|(other, value)| !std::ptr::eq(other.node, first.node) && *value == meant.value)?;
        let elsewhere = matches!(Measure::of(other.0, None), Measure::Unit(own) if std::ptr::eq(own, unit));
        (meant.value != number && bare(number) && !elsewhere).then(|| Slip::exchanged(asked, first, other.0))
    })
}

/// The side of a pair that a name tells.
fn side(argument: &Argument<'_>) -> Option<Part> {
    let named = |list: &str| argument.words.iter().any(|word| Cue::named(list).has(word));
    match (named("from-side"), named("to-side")) {
        (true, _) => Some(Part::From),
        (false, true) => Some(Part::To),
        _ => None,
    }
}

/// Whether the user's words give each of two values the other's part.
fn is_exchanged(asked: &Asked<'_>, first: &Argument<'_>, second: &Argument<'_>, records: &[Record<'_>]) -> bool {
    let (from, to) = (parts(asked, first, records), parts(asked, second, records));
    let told = |parts: &[Part], part: Part| parts.contains(&part);
    let wrong = told(&from, Part::To) && !told(&from, Part::From) && !told(&to, Part::To)
        || told(&to, Part::From) && !told(&to, Part::To) && !told(&from, Part::From);
    // What is changed into a currency is told by what it becomes: "turn the rest back into pounds".
    let money = |argument: &Argument<'_>| argument.text().is_some_and(|text| currency(text).is_some());
    let one_told = || money(first) && money(second) && !(from.is_empty() && to.is_empty());
    wrong && (!(from.is_empty() || to.is_empty()) || one_told())
}

/// The parts that a value has wherever the user named it, by itself or by another name that a result gives it.
fn parts(asked: &Asked<'_>, argument: &Argument<'_>, records: &[Record<'_>]) -> Vec<Part> {
    let number = argument.number().map(super::slip::show);
    let Some(text) = argument.text().or(number.as_deref()).filter(|text| text.len() <= MAX_VALUE) else {
        return Vec::new();
    };
    let mut names = vec![text.to_owned()];
    for record in records.iter().filter(|record| record.has(text)) {
        let others = record
            .fields
            .iter()
            .filter_map(|(_, value)| value.as_str())
            .filter(|other| (3..=MAX_VALUE).contains(&other.len()));
        names.extend(others.map(str::to_ascii_lowercase));
        names.extend(record.id.iter().filter(|_| record.fields.is_empty()).flat_map(|_| words_of(record)).cloned());
    }
    let mut found = Vec::new();
    for reading in asked.user() {
        let mut places: Vec<usize> = names.iter().filter_map(|name| find_whole(&reading.lower, name)).collect();
        // The code of an airport begins like its city.
        if text.len() == 3 && places.is_empty() {
            places.extend(
                reading
                    .lower
                    .match_indices(text)
                    .map(|(at, _)| at)
                    .find(|at| !reading.lower.get(..*at).is_some_and(|before| before.ends_with(char::is_alphanumeric))),
            );
        }
        if let Some(code) = currency(text) {
            places.extend(
                reading
                    .numbers()
                    .filter(|(_, quantity)| quantity.currency == Some(code))
                    .map(|(mention, _)| mention.range.start),
            );
            places.extend(places_of_currency(&reading.lower, code));
        }
        found.extend(places.into_iter().map(|at| part_before(&reading.lower, at)));
    }
    found
}

/// Where a currency is named, with or without an amount.
fn places_of_currency(lower: &str, code: &str) -> Vec<usize> {
    let starts = lower.char_indices().filter(|(at, c)| {
        !c.is_ascii() || !lower.get(..*at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()))
    });
    let named = |at: usize| {
        let rest = lower.get(at..).unwrap_or_default();
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        if word.is_empty() { currency_at(rest).map(|found| found.0) } else { currency(word) }
    };
    starts.map(|(at, _)| at).filter(|at| named(*at) == Some(code)).take(8).collect()
}

/// Values that results or words call by the other's name: `lat` has the longitude.
fn find_labelled(asked: &Asked<'_>, records: &[Record<'_>], slips: &mut Vec<Slip>) {
    for first in &asked.arguments {
        for second in &asked.arguments {
            let (Some(own), Some(other)) = (label(first), label(second)) else { continue };
            let exchanged = own != other
                && first.node.value != second.node.value
                && is_called(asked, records, own, second.node.value)
                && is_called(asked, records, other, first.node.value)
                && !is_called(asked, records, own, first.node.value)
                && own < other;
            if exchanged {
                slips.push(Slip::exchanged(asked, first, second));
            }
        }
    }
}

/// What an argument is called, with one word for both forms of a coordinate.
fn label<'w>(argument: &'w Argument<'_>) -> Option<&'w str> {
    let weighty = matches!(argument.value, Held::Number(_));
    argument.words.last().map(|word| canonical(word)).filter(|_| weighty)
}

fn canonical(word: &str) -> &str {
    match word {
        "latitude" => "lat",
        "longitude" | "lng" | "long" => "lon",
        other => other,
    }
}

/// Whether a result's field or the words before it call a value so.
fn is_called(asked: &Asked<'_>, records: &[Record<'_>], label: &str, value: &Value) -> bool {
    let named =
        |key: &str| crate::text::words::identifier_words(key).last().is_some_and(|word| canonical(word) == label);
    let fields = || records.iter().flat_map(|record| &record.fields).any(|(key, own)| *own == value && named(key));
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_ascii_lowercase);
    let written = || {
        asked.user().any(|reading| {
            let place = find_whole(&reading.lower, shown.trim_start_matches('-'));
            let before = place.and_then(|at| reading.lower.get(..at)).unwrap_or_default();
            let mut words = before.rsplit(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
            words.next().is_some_and(|word| canonical(word) == label)
        })
    };
    fields() || (shown.len() >= 3 && written())
}

/// The old value where the new one is due: "bring the limit down from 3000 to 1500" and `new_limit: 3000`.
fn find_old_for_new(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| argument.is_named(&["new", "to", "target", "desired"])) {
        let Some(number) = argument.number() else { continue };
        for reading in asked.in_force() {
            let place = |part: Part| {
                reading.numbers().find(|(mention, quantity)| {
                    (quantity.value == number) == (part == Part::From)
                        && part_before(&reading.lower, mention.range.start) == part
                })
            };
            let (Some((_, old)), Some((_, new))) = (place(Part::From), place(Part::To)) else { continue };
            let unused = !asked.arguments.iter().any(|other| other.number() == Some(new.value));
            if unused && old.currency == new.currency {
                let (key, new, old) = (argument.node.key, super::slip::show(new.value), super::slip::show(old.value));
                let evidence = localized!(
                    asked.subject.language,
                    "the user said from {old} to {new}, `{key}` is {old}",
                    "用户说的是从 {old} 改为 {new}，而 `{key}` 是 {old}"
                );
                let hint = localized!(asked.subject.language, "send {new} as `{key}`", "`{key}` 应为 {new}");
                slips.push(Slip::on(asked, argument, &SWAPPED, Strength::Strong, Says { evidence, hint }));
            }
        }
    }
}

const MAX_VALUE: usize = 80;
