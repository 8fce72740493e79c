//! What a record changes by: nine degrees Fahrenheit less are five degrees Celsius less, and four percent more are no four dollars.

use super::argument::Argument;
use super::asked::Asked;
use super::number::is_weighty;
use super::records::is_label;
use super::slip::{Says, Slip, Strength, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::{OTHER_UNIT, OTHER_VALUE};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity};
use crate::text::units::{self, Unit};

/// Finds numbers that were changed by the digits of something in another unit.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        slips.extend(find_step(asked, argument, number).or_else(|| find_points(asked, argument, number)));
    }
}

/// "Bring it down by 9 Fahrenheit" from 22 °C, and the call has 13.
fn find_step(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let unit = argument.unit()?;
    let (mention, own, said) = asked.last.numbers().find_map(|(mention, own)| {
        let said = own.unit.filter(|said| said.dimension == unit.dimension && said.factor != unit.factor)?;
        (changes_by(&asked.last.lower, mention) && !mention.excluded && own.upper.is_none())
            .then_some((mention, own, said))
    })?;
    let step = said.step(own.value, unit)?;
    let bases = bases_in(asked, argument, unit);
    let lands = |by: f64| bases.iter().copied().find(|base| is_near(base + by, number) || is_near(base - by, number));
    let base = lands(own.value).filter(|_| lands(step).is_none() && !bases.contains(&number))?;
    let wanted = if number < base { base - step } else { base + step };
    let (key, text, from) = (argument.node.key, asked.last.text(mention), show(base));
    let (step, wanted, shown, name) = (show(step), show(wanted), show(number), unit.name);
    let evidence = localized!(
        asked.subject.language,
        "a change of \"{text}\" is one of {step} {name}, which gives {wanted} from {from}; `{key}` is {shown}",
        "变动“{text}”相当于 {step} {name}，从 {from} 起应为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = localized!(asked.subject.language, "send {wanted} as `{key}`", "`{key}` 应为 {wanted}");
    Some(Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }))
}

/// Whether a number is what something changes by: "down by 9", "9 degrees colder", 再调低9度.
fn changes_by(lower: &str, mention: &Mention) -> bool {
    let before = lower.get(..mention.range.start).unwrap_or_default();
    let behind = lower.get(mention.range.end..).unwrap_or_default();
    let word = behind.split_whitespace().next().unwrap_or_default().trim_end_matches([',', '.', ';', '!', '?']);
    let compared = Cue::named("less").has(word) && word != "off" || Cue::named("more").has(word);
    let directed = ["higher", "lower", "longer", "shorter", "deeper", "wider", "hotter"].contains(&word);
    Cue::named("changed-by").ends(before) || compared || directed
}

/// What a change may begin from: the numbers of records, and what was said in the unit itself.
fn bases_in(asked: &Asked<'_>, argument: &Argument<'_>, unit: &Unit) -> Vec<f64> {
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    let fields = fields.filter_map(|(_, value)| value.as_f64());
    let same =
        |own: &Quantity| own.unit.is_none_or(|own| std::ptr::eq(own, unit)) && Some(own.value) != argument.number();
    let said = asked.readings().flat_map(|reading| reading.numbers()).map(|(_, own)| own).filter(|own| same(own));
    fields.chain(said.map(|own| own.value)).take(MAX_BASES).collect()
}

/// "She gets the 4 percent" on 27.50, and the call has 31.50.
fn find_points(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let ratio = |unit: &Unit| unit.dimension == "ratio";
    if argument.unit().is_some_and(ratio) || is_share(argument) {
        return None;
    }
    let mut told = asked.last.numbers().filter(|(_, own)| own.unit.is_some_and(ratio));
    let (mention, share) = told.next().filter(|_| told.next().is_none())?;
    if mention.excluded || share.upper.is_some() || share.value <= 0.0 || is_of_points(&asked.last.lower, mention) {
        return None;
    }
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    let known: Vec<f64> = fields.filter_map(|(_, value)| value.as_f64()).take(MAX_BASES).collect();
    let said = || asked.numbers().filter(|(_, own)| !own.unit.is_some_and(ratio)).map(|(_, own)| own.value);
    let values: Vec<f64> = known.iter().copied().chain(said()).take(2 * MAX_BASES).collect();
    let by = |base: f64, part: f64| is_near(base + part, number) || is_near(base - part, number);
    let base = *values
        .iter()
        .find(|base| **base != share.value && (*base + share.value == number || *base - share.value == number))?;
    // "Up 10 percent, so let's set it ten higher".
    let also_said = said().any(|value| value == share.value);
    let right =
        also_said || values.iter().any(|value| by(*value, value * share.value / 100.0) || is_near(*value, number));
    let part = base * share.value / 100.0;
    if right || is_near(part, share.value) || base <= 0.0 {
        return None;
    }
    let wanted = if number > base { base + part } else { base - part };
    let (key, text, base, part) = (argument.node.key, asked.last.text(mention), show(base), show(part));
    let (wanted, shown) = (show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "{text} of {base} is {part}, which gives {wanted}; `{key}` is {shown}, as if it were an amount",
        "{base} 的 {text} 是 {part}，应为 {wanted}；而 `{key}` 是 {shown}，把百分比当成了数额"
    );
    let hint = localized!(asked.subject.language, "send {wanted} as `{key}`", "`{key}` 应为 {wanted}");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Whether an argument is a share itself: an interest rate, and no rate of pay in dollars.
fn is_share(argument: &Argument<'_>) -> bool {
    let description = argument.node.param.map(|param| param.description.to_lowercase()).unwrap_or_default();
    let mut words = description.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let paid =
        matches!(Measure::of(argument, None), Measure::Money(_)) || words.any(|word| units::currency(word).is_some());
    argument.is_named(&["percent", "percentage", "pct", "share", "ratio"])
        || ["%", "percent", "百分"].iter().any(|sign| description.contains(sign))
        || !paid && argument.is_named(&["rate"])
}

/// "Half a percentage point", 八折, 0.5个百分点: no share that an amount changes by.
fn is_of_points(lower: &str, mention: &Mention) -> bool {
    let said = lower.get(mention.range.clone()).unwrap_or_default();
    let behind = lower.get(mention.range.end..).unwrap_or_default().trim_start();
    said.ends_with('折') || said.ends_with("百分点") || behind.starts_with("point")
}

const MAX_BASES: usize = 40;
