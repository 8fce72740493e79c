//! Two numbers that a record has under each other's name: `right: -2.25, left: -1.5` in the result, and the call has them
//! exchanged.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::records::Record;
use super::slip::{Slip, show};
use crate::text::cues::Cue;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds two numbers that take each other's place of a record.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let numbered: Vec<(&Argument<'_>, f64)> = asked
        .arguments
        .iter()
        .filter(|argument| !argument.node.is_item())
        .filter_map(|own| Some((own, number_of(own.node.value)?)))
        .take(MAX_NUMBERS)
        .collect();
    let pairs =
        numbered.iter().enumerate().flat_map(|(at, one)| numbered.iter().skip(at + 1).map(move |two| (*one, *two)));
    let mut turned = pairs.filter(|(one, two)| is_turned(asked, *one, *two));
    // Who wants them exchanged, or goes back the same way, has them turned round.
    let turns = |cue: &&str| asked.user().any(|reading| Cue::named(cue).stands_in(&reading.lower));
    let found = turned.next().filter(|_| !["to-exchange", "way-back"].iter().any(turns));
    slips.extend(found.map(|(one, two)| Slip::exchanged(asked, one.0, two.0)));
}

/// Whether a record has each of two numbers under the other's name, no record has either where the call has it, and the user
/// said neither.
fn is_turned(asked: &Asked<'_>, one: (&Argument<'_>, f64), two: (&Argument<'_>, f64)) -> bool {
    let holds = |record: &Record<'_>, name: &Argument<'_>, number: f64| {
        record.fields.iter().any(|(key, value)| number_of(value) == Some(number) && identifier_words(key) == name.words)
    };
    let records = asked.records();
    let spoken = |number: f64| {
        let shown = show(number.abs());
        asked.user().any(|reading| {
            stands_in(&reading.lower, &shown) || reading.numbers().any(|(_, own)| own.value.abs() == number.abs())
        })
    };
    one.1 != two.1
        && records.iter().any(|record| holds(record, one.0, two.1) && holds(record, two.0, one.1))
        && !records.iter().any(|record| holds(record, one.0, one.1) || holds(record, two.0, two.1))
        && !spoken(one.1)
        && !spoken(two.1)
}

/// A number, also one that is written as a text.
fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str().filter(|text| text.len() <= MAX_DIGITS)?.parse().ok())
}

const MAX_NUMBERS: usize = 12;
const MAX_DIGITS: usize = 12;
