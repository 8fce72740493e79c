//! Amounts from a field of another kind: the kilowatt hours of a bill, the number of nights of a booking.

use super::argument::Argument;
use super::asked::Asked;
use super::number::{is_surely, is_weighty};
use super::records::{is_label, is_money};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, counts_things, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::units::{self, Short};
use crate::text::words::identifier_words;

/// Finds amounts of money that only a measure or a count of the record has, which has an amount too.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        let measure = Measure::of(argument, None);
        if let Measure::Money(scale) = measure
            && is_surely(asked, argument, measure)
        {
            slips.extend(find_measure(asked, argument, number, scale));
        }
    }
}

fn find_measure(asked: &Asked<'_>, argument: &Argument<'_>, number: f64, scale: f64) -> Option<Slip> {
    let is = |value: f64| is_near(value * scale, number);
    if asked.numbers().any(|(_, own)| is(own.value)) {
        return None;
    }
    let mut found = None;
    for record in asked.records() {
        for (key, _) in record.fields.iter().filter(|(_, value)| value.as_f64().is_some_and(is)) {
            let priced = record.money().filter(|price| !is(*price));
            match priced.filter(|_| is_measured(key)) {
                Some(price) => found = Some((*key, price)),
                None if is_label(key) => {}
                None => return None,
            }
        }
    }
    let (field, price) = found?;
    let (key, shown, price) = (argument.node.key, show(number), show(price));
    let evidence = localized!(
        asked.subject.language,
        "`{key}` is {shown}, which is the `{field}` of the record; its amount is {price}",
        "`{key}` 是 {shown}，这是记录中的 `{field}`；其金额是 {price}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a field is of something with a unit, or of a number of things.
fn is_measured(key: &str) -> bool {
    let words = identifier_words(key);
    let unit = words.last().and_then(|last| units::unit(last, Short::Counts));
    let measures = unit.is_some_and(|unit| unit.dimension != "ratio") && words.len() > 1;
    !is_money(key) && (measures || counts_things(key))
}
