//! Pairs that were exchanged: from and to, source and destination, latitude and longitude.

use super::argument::{Argument, Held};
use super::asked::{Asked, find_whole};
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::SWAPPED;
use crate::localized;
use crate::text::mentions::role::{Part, part_before};
use crate::text::units::currency;
use serde_json::Value;

/// Finds pairs that were exchanged.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = asked.records();
    for first in asked.arguments.iter().filter(|argument| side(argument) == Some(Part::From)) {
        for second in asked.arguments.iter().filter(|argument| side(argument) == Some(Part::To)) {
            if first.node.value != second.node.value && is_exchanged(asked, first, second, records) {
                slips.push(slip(asked, first, second));
            }
        }
    }
    find_labelled(asked, records, slips);
    find_old_for_new(asked, slips);
}

/// The side of a pair that a name tells.
fn side(argument: &Argument<'_>) -> Option<Part> {
    match () {
        () if argument.is_named(&[
            "from",
            "source",
            "src",
            "origin",
            "sender",
            "payer",
            "start",
            "departure",
            "pickup",
        ]) =>
        {
            Some(Part::From)
        }
        () if argument.is_named(&[
            "to",
            "destination",
            "dest",
            "target",
            "receiver",
            "recipient",
            "payee",
            "end",
            "arrival",
            "dropoff",
        ]) =>
        {
            Some(Part::To)
        }
        () => None,
    }
}

/// Whether the user's words give each of two values the other's part.
fn is_exchanged(asked: &Asked<'_>, first: &Argument<'_>, second: &Argument<'_>, records: &[Record<'_>]) -> bool {
    let (from, to) = (parts(asked, first, records), parts(asked, second, records));
    let told = |parts: &[Part], part: Part| parts.contains(&part);
    let wrong = told(&from, Part::To) && !told(&from, Part::From) && !told(&to, Part::To)
        || told(&to, Part::From) && !told(&to, Part::To) && !told(&from, Part::From);
    wrong && !(from.is_empty() || to.is_empty())
}

/// The parts that a value has wherever the user named it, by itself or by another name that a result gives it.
fn parts(asked: &Asked<'_>, argument: &Argument<'_>, records: &[Record<'_>]) -> Vec<Part> {
    let Some(text) = argument.text().filter(|text| text.len() <= MAX_VALUE) else { return Vec::new() };
    let mut names = vec![text.to_owned()];
    for record in records.iter().filter(|record| record.has(text)) {
        let others = record
            .fields
            .iter()
            .filter_map(|(_, value)| value.as_str())
            .filter(|other| (3..=MAX_VALUE).contains(&other.len()));
        names.extend(others.map(str::to_ascii_lowercase));
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
        }
        found.extend(places.into_iter().map(|at| part_before(&reading.lower, at)));
    }
    found
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
                slips.push(slip(asked, first, second));
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

fn slip(asked: &Asked<'_>, first: &Argument<'_>, second: &Argument<'_>) -> Slip {
    let (one, two) = (first.node.key, second.node.key);
    let evidence = localized!(
        asked.subject.language,
        "by the words of the conversation the values of `{one}` and `{two}` are exchanged",
        "按对话中的说法，`{one}` 和 `{two}` 的值颠倒了"
    );
    let hint = localized!(asked.subject.language, "exchange `{one}` and `{two}`", "请交换 `{one}` 与 `{two}`");
    Slip::on(asked, first, &SWAPPED, Strength::Strong, Says { evidence, hint })
}

const MAX_VALUE: usize = 80;
