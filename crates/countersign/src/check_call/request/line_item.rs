//! The price of the whole for a part of it: "refund the kettle", and the amount is the total of an order with a pan in it too.

use super::argument::Argument;
use super::asked::Asked;
use super::record::Said;
use super::records::{Record, is_label};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use rustc_hash::FxHashSet;

/// Finds totals where only some of the lines were named.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Measure::Money(scale) = Measure::of(argument, None) else { continue };
        let Some(number) = argument.number().map(|number| number / scale) else { continue };
        slips.extend(find_total(asked, argument, number));
    }
}

fn find_total(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let records = asked.records();
    let total = |record: &Record<'_>| {
        record
            .fields
            .iter()
            .any(|(key, value)| !is_label(key) && value.as_f64().is_some_and(|own| is_near(own, number)))
    };
    let whole = records.iter().find(|record| record.id.is_none() && total(record))?;
    let said_number = asked.user().any(|reading| reading.numbers().any(|(_, own)| is_near(own.value, number)));
    let everything = ["all-of-them", "total"].iter().any(|cue| Cue::named(cue).stands_in(&asked.last.lower));
    if said_number || everything {
        return None;
    }
    let lists: FxHashSet<usize> = records
        .iter()
        .filter(|record| record.list != whole.list && record.id.is_none())
        .map(|record| record.list)
        .collect();
    let said = Said::of(asked, asked.last);
    lists.into_iter().find_map(|list| {
        let lines: Vec<&Record<'_>> = records.iter().filter(|record| record.list == list).collect();
        let prices: Option<Vec<f64>> = lines.iter().map(|line| price_of(line)).collect();
        let prices = prices.filter(|prices| prices.len() >= 2)?;
        let sum: f64 = prices.iter().sum();
        // What belongs to the whole makes it up, but for postage and taxes.
        let makes_up = sum <= number * 1.001 && number <= sum * MOST_BESIDE;
        let named: Vec<f64> = lines
            .iter()
            .zip(&prices)
            .filter(|(line, _)| !said.names(line, &lines).is_empty())
            .map(|(_, price)| *price)
            .collect();
        let wanted: f64 = named.iter().sum();
        // Who only speaks of a line may well want the total.
        let bounded =
            Cue::named("only").stands_in(&asked.last.lower) || lines.iter().any(|line| said.keeps(line, &lines));
        let part = bounded && !named.is_empty() && named.len() < lines.len() && !is_near(wanted, number);
        (makes_up && part).then(|| say(asked, argument, wanted, number))
    })
}

/// What a line costs: its one price, as often as it stands there.
fn price_of(line: &Record<'_>) -> Option<f64> {
    let count = line
        .fields
        .iter()
        .find(|(key, _)| matches!(key.to_ascii_lowercase().as_str(), "qty" | "quantity" | "count" | "数量"));
    Some(line.money()? * count.and_then(|(_, value)| value.as_f64()).unwrap_or(1.0))
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, wanted: f64, number: f64) -> Slip {
    let (key, wanted, shown) = (argument.node.key, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "what the user named comes to {wanted}; `{key}` is {shown}, which is the total",
        "用户所说的部分是 {wanted}；而 `{key}` 是总额 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
}

/// Postage and taxes make a total no more than half as large again as its lines.
const MOST_BESIDE: f64 = 1.5;
