//! Prices of an hour, a day, a kilo: what is paid for several of them is no single one of them, and both sides of a rate are in the
//! units that are asked for.

use super::argument::Argument;
use super::asked::Asked;
use super::number::is_weighty;
use super::rated::{self, Rated, said_in};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_as_good, is_in_results, is_near, is_said};
use crate::contract::codes::meaning::{OTHER_UNIT, OTHER_VALUE};
use crate::localized;
use crate::text::mentions::{Mention, Quantity};

/// Finds a rate where the whole is asked for: "three and a half hours at 90 an hour" and `labour_total: 90`.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number() else { continue };
        let other = || {
            Rated::of(argument)
                .filter(|_| is_weighty(argument))
                .and_then(|rated| find_half(asked, argument, number, rated))
        };
        slips.extend(find_rate(asked, argument, number).or_else(other));
    }
}

fn find_rate(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let Measure::Money(scale) = Measure::of(argument, None) else { return None };
    let whole = argument.is_named(&["amount", "total", "sum", "charge", "payment", "refund", "subtotal"]);
    if !whole || argument.is_named(&["unit", "price", "per", "rate", "hourly", "daily", "each"]) {
        return None;
    }
    let reading = asked.last;
    let rates = reading.numbers().filter(|(_, own)| is_near(own.value * scale, number));
    let unit = rates.filter_map(|(mention, _)| rated::unit_of_rate(reading, mention)).next()?;
    let several = |(mention, own): &(&Mention, &Quantity)| {
        let many = own.unit.and_then(|said| said.convert(own.value, unit));
        many.filter(|many| *many > 1.0 && !mention.excluded && own.upper.is_none())
    };
    let mut lengths = reading.numbers().filter_map(|found| Some((found.0, several(&found)?)));
    let (length, many) = lengths.next().filter(|_| lengths.next().is_none())?;
    // Where another argument says how many there are, the amount may be that of one.
    let carried = asked.arguments.iter().any(|other| other.number().is_some_and(|other| is_near(many, other)));
    if carried && !argument.is_named(&["total", "subtotal", "sum"]) {
        return None;
    }
    let (key, wanted) = (argument.node.key, show(many * number));
    let (said, shown) = (reading.text(length), show(number));
    let evidence = localized!(
        asked.subject.language,
        "{said} at {shown} for one {} is {wanted}, and `{key}` is {shown}",
        "{said}，每{}{shown}，共 {wanted}，而 `{key}` 是 {shown}",
        unit.name
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "10 gallons an acre" for litres per hectare, and the call has 37.9 or 10.
fn find_half(asked: &Asked<'_>, argument: &Argument<'_>, number: f64, rated: Rated) -> Option<Slip> {
    let mut rates = asked.in_force().chain(asked.earlier.iter().copied()).flat_map(|reading| said_in(reading, rated));
    let said = rates.next()?;
    let wanted = said.wanted();
    let near = |value: f64| is_near(value, number) || is_as_good(value, number, Some(rated.per));
    if near(wanted) || rates.any(|other| other.value != said.value) || rated::is_explained(asked, argument, number) {
        return None;
    }
    let halves = [said.value, said.value * said.unit, said.value / said.per, said.value * said.unit * said.per];
    let half = halves.into_iter().any(near);
    // Somebody else may have said it, or a look-up has it.
    let own = is_near(said.value, number);
    let known =
        is_in_results(asked, number, Measure::Bare, asked.records()) || !own && is_said(asked, number, Measure::Bare);
    if !half || known || wanted == 0.0 {
        return None;
    }
    let (key, text, wanted, shown) = (argument.node.key, said.text, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{text}\" for each unit; in the units of `{key}` that is {wanted}, not {shown}",
        "用户说的是每单位“{text}”；按 `{key}` 的单位应为 {wanted}，不是 {shown}"
    );
    let hint = localized!(
        asked.subject.language,
        "convert both sides of the rate: send {wanted} as `{key}`",
        "比率的两边都要换算：`{key}` 应为 {wanted}"
    );
    Some(Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }))
}
