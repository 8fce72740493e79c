//! Prices of an hour, a day, a kilo: what is paid for several of them is no single one of them.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::units::{self, Short, Unit};

/// Finds a rate where the whole is asked for: "three and a half hours at 90 an hour" and `labour_total: 90`.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number() else { continue };
        slips.extend(find_rate(asked, argument, number));
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
    let unit = rates.filter_map(|(mention, _)| unit_of_rate(reading, mention)).next()?;
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

/// The unit that a price is for: "90 an hour", "12 per kilo", 每小时90, 90元一天.
fn unit_of_rate(reading: &Reading, mention: &Mention) -> Option<&'static Unit> {
    let behind = reading.lower.get(mention.range.end..)?.trim_start();
    let before = reading.lower.get(..mention.range.start)?.trim_end();
    let led = ["an ", "a ", "per ", "each ", "every ", "/"].iter().find_map(|word| behind.strip_prefix(word));
    if let Some(rest) = led.map(str::trim_start).filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        return units::unit(word, Short::Counts);
    }
    let signs = ["/", "一", "每"].iter().find_map(|word| behind.strip_prefix(word));
    signs.and_then(units::unit_at).map(|(unit, _)| unit).or_else(|| {
        let (_, rest) =
            ["每", "一"].iter().filter_map(|word| before.rsplit_once(word)).min_by_key(|(_, rest)| rest.len())?;
        units::unit_at(rest).filter(|(_, width)| *width == rest.len()).map(|(unit, _)| unit)
    })
}
