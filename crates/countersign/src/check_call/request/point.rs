//! A point in the wrong place: 250 µl as 2.5 ml, five percent of 3,860 as 1,930.
//!
//! A number that is ten, a hundred or a thousand times what follows from the user's words is a slip of the pen, whatever other
//! arithmetic might give it. A number that somebody said, or that a result has, is none.

use super::asked::Asked;
use super::number::is_weighty;
use super::records::is_money;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_in_results, is_near, is_said};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;

/// Finds numbers that are a power of ten away from the one that follows.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|number| *number != 0.0 && is_weighty(argument)) else { continue };
        let measure = Measure::of(argument, None);
        if is_said(asked, number, measure) || is_in_results(asked, number, measure, asked.records()) {
            continue;
        }
        let meant: Vec<(String, f64)> = converted(asked, measure).into_iter().chain(shares(asked, measure)).collect();
        let right = meant.iter().any(|(_, wanted)| is_near(*wanted, number));
        let shifted = meant.into_iter().find(|(_, wanted)| is_shifted(*wanted, number) && !right);
        let Some((said, wanted)) = shifted else { continue };
        let (key, wanted, shown) = (argument.node.key, show(wanted), show(number));
        let evidence = localized!(
            asked.subject.language,
            "{said} gives {wanted} for `{key}`, which is {shown}: a decimal point in the wrong place",
            "按{said}，`{key}` 应为 {wanted}，而它是 {shown}：小数点错位"
        );
        let hint = compare_hint(key, asked.subject.language);
        slips.push(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }));
    }
}

/// The one measure of the argument's kind that was said, in the argument's unit.
fn converted(asked: &Asked<'_>, measure: Measure) -> Option<(String, f64)> {
    let Measure::Unit(unit) = measure else { return None };
    let mut said = asked.in_force().flat_map(|reading| reading.numbers().map(move |found| (reading, found))).filter(
        |(_, (mention, quantity))| {
            quantity.unit.is_some_and(|own| own.dimension == unit.dimension)
                && !mention.excluded
                && quantity.upper.is_none()
        },
    );
    let (reading, (mention, quantity)) = said.next().filter(|_| said.next().is_none())?;
    Some((format!("\"{}\"", reading.text(mention)), quantity.unit?.convert(quantity.value, unit)?))
}

/// The share that was said, of each amount of money that a result has.
fn shares(asked: &Asked<'_>, measure: Measure) -> Vec<(String, f64)> {
    let Measure::Money(scale) = measure else { return Vec::new() };
    let ratio = |unit: &crate::text::units::Unit| unit.dimension == "ratio";
    let mut shares =
        asked.in_force().flat_map(|reading| reading.numbers()).filter(|(_, own)| own.unit.is_some_and(ratio));
    let Some((_, part)) = shares.next().filter(|_| shares.next().is_none()) else { return Vec::new() };
    let fields = asked
        .records()
        .iter()
        .flat_map(|record| &record.fields)
        .filter(|(key, _)| is_money(key) || key.contains("gross") || key.contains("net"));
    let fields = fields.filter_map(|(_, value)| value.as_f64()).filter(|value| *value > 0.0);
    let spoken = asked.numbers().filter(|(_, own)| own.currency.is_some()).map(|(_, own)| own.value);
    let of = |base: f64| (format!("{} % × {}", show(part.value), show(base)), base * part.value / 100.0 * scale);
    fields.chain(spoken).take(MAX_BASES).map(of).collect()
}

const MAX_BASES: usize = 40;

/// Whether a number is ten, a hundred or a thousand times another one, or such a part of it.
fn is_shifted(wanted: f64, number: f64) -> bool {
    [10.0, 100.0, 1000.0].iter().any(|by| is_near(wanted * by, number) || is_near(wanted / by, number))
}
