//! Numbers that follow from what was said together with a record: six pallets of 48 cartons, up to 200 with 65 in stock, two of
//! three tickets, the broken ones of a lot.

use super::argument::Argument;
use super::asked::Asked;
use super::number::is_weighty;
use super::records::{Record, is_label, is_money};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity};
use crate::text::stems::stem;
use crate::text::words::identifier_words;

/// Finds numbers that a record and the user's words give together, and the call has another.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        let slip = find_packed(asked, argument, number)
            .or_else(|| find_filled_up(asked, argument, number))
            .or_else(|| find_whole_for_part(asked, argument, number))
            .or_else(|| find_all_for_some(asked, argument, number));
        slips.extend(slip);
    }
}

/// "6 pallets" with `cartons_per_pallet: 48`, and a number of cartons that is not 288.
fn find_packed(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let mut packs = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(key, value)| {
        let words = identifier_words(key);
        let per = words.iter().position(|word| word == "per")?;
        let (part, whole) = (words.get(per.checked_sub(1)?)?, words.get(per + 1)?);
        let counted = argument.words.iter().any(|word| stem(word) == stem(part));
        Some((stem(whole).into_owned(), value.as_f64()?)).filter(|(_, each)| counted && *each > 1.0)
    });
    let (whole, each) = packs.next().filter(|_| packs.next().is_none())?;
    let mut said = asked.last.numbers().filter(|(_, quantity)| is_of(asked, quantity, &whole));
    let (mention, quantity) = said.next().filter(|_| said.next().is_none())?;
    let wanted = quantity.value * each;
    // Who says how many there are of the parts needs no arithmetic.
    let also_said = asked.user().any(|reading| {
        reading.numbers().any(|(other, own)| own.value == number && (number != quantity.value || other != mention))
    });
    if mention.excluded || quantity.upper.is_some() || is_near(wanted, number) || also_said {
        return None;
    }
    let said = format!("{} × {}", show(quantity.value), show(each));
    Some(say(asked, argument, &said, wanted, number))
}

/// Whether a number counts such things.
fn is_of(asked: &Asked<'_>, quantity: &Quantity, thing: &str) -> bool {
    let noun = asked.last.lower.get(quantity.noun.clone()).unwrap_or_default();
    noun.split(' ').next().is_some_and(|first| !first.is_empty() && stem(first) == thing)
}

/// "Top it up to 200" with 65 in stock, and 200 more are ordered.
fn find_filled_up(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let lower = &asked.last.lower;
    let (mention, _) = asked.last.numbers().find(|(mention, quantity)| {
        let before = lower.get(..mention.range.start).unwrap_or_default();
        quantity.value == number && (Cue::named("filled-up-to").ends(before) || is_topped(before))
    })?;
    let name = identifier_words(&asked.subject.tool.spec.name);
    let sets =
        name.iter().any(|word| matches!(word.as_str(), "set" | "scale" | "resize" | "update" | "adjust" | "change"));
    let level =
        argument.is_named(&["level", "target", "total", "new", "to", "max", "maximum", "par", "threshold", "until"]);
    let description = argument.node.param.map(|param| param.description.to_lowercase()).unwrap_or_default();
    if sets || level || Cue::named("total").stands_in(&description) {
        return None;
    }
    let mut stock = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(key, value)| {
        let held = identifier_words(key).iter().any(|word| Cue::named("held-now").has(word)) && !is_label(key);
        value.as_f64().filter(|held_now| held && *held_now > 0.0 && *held_now < number)
    });
    let now = stock.next()?;
    if stock.any(|other| other != now) {
        return None;
    }
    let said = format!("{} − {}", asked.last.text(mention), show(now));
    Some(say(asked, argument, &said, number - now, number))
}

/// "Top it up to", "bring the stock back to": a verb of filling, and nothing but its object before the "to".
fn is_topped(before: &str) -> bool {
    let Some(head) = before.trim_end().strip_suffix("to") else { return false };
    let clause = head.rsplit([',', '.', ';', '!', '?', '\n']).next().unwrap_or_default();
    let verb = Cue::named("fills-up").places_in(clause).map(|(word, at)| at + word.len()).max();
    verb.is_some_and(|at| clause.get(at..).is_some_and(|object| object.split_whitespace().count() <= 4))
}

/// "Scrap the broken ones, the others are fine" with `of_which_damaged: 6`, and all 40 are scrapped.
fn find_whole_for_part(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let lower = &asked.last.lower;
    let spared = Cue::named("by-and-large").stands_in(lower) || Cue::named("only").stands_in(lower);
    let counted = asked.last.numbers().any(|(_, quantity)| quantity.value == number);
    if !spared || counted {
        return None;
    }
    let named = |key: &str| {
        let chosen = asked.arguments.iter().filter_map(Argument::text).filter(|text| !text.contains(' '));
        let chosen: Vec<String> = chosen.map(str::to_owned).collect();
        identifier_words(key)
            .iter()
            .any(|word| word.len() >= 5 && (chosen.contains(word) || super::asked::stands_in(lower, word)))
    };
    asked.records().iter().find_map(|record| {
        let whole = record
            .fields
            .iter()
            .find(|(key, value)| value.as_f64() == Some(number) && !is_label(key) && !named(key))?;
        let mut parts = record.fields.iter().filter_map(|(key, value)| {
            value.as_f64().filter(|part| *part > 0.0 && *part < number && named(key) && !is_money(key))
        });
        let part = parts.next().filter(|_| parts.next().is_none() && !is_money(whole.0))?;
        Some(say(asked, argument, whole.0, part, number))
    })
}

/// "Refund two of the tickets" with a unit price, and all of them are refunded.
fn find_all_for_some(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let Measure::Money(scale) = Measure::of(argument, None) else { return None };
    let (record, each) = asked.records().iter().find_map(|record| Some((record, unit_price(record)?)))?;
    let paid = record
        .fields
        .iter()
        .any(|(key, value)| is_money(key) && value.as_f64().is_some_and(|paid| is_near(paid * scale, number)));
    let all = number / scale / each;
    let mut counts: Vec<f64> = Vec::new();
    for reading in asked.wished() {
        // "The 2 payments" are as many calls, and no part of one.
        let whole = |quantity: &Quantity| {
            let noun = reading.lower.get(quantity.noun.clone()).unwrap_or_default();
            let first = noun.split(' ').next().unwrap_or_default().to_owned();
            asked.arguments.iter().any(|own| own.words.iter().any(|word| stem(word) == stem(&first)))
        };
        let numbers = reading.numbers().filter(|(_, quantity)| !whole(quantity));
        counts.extend(numbers.filter_map(|(mention, quantity)| some_of(mention, quantity)));
        counts.extend(Cue::named("two-of-them").find_in(&reading.lower).map(|_| 2.0));
    }
    counts.dedup();
    let [some] = counts.as_slice() else { return None };
    let fewer = paid && all.fract() == 0.0 && *some < all && *some >= 1.0;
    let said = format!("{} × {}", show(*some), show(each));
    fewer.then(|| say(asked, argument, &said, some * each * scale, number))
}

/// The price of one of the things of a record.
fn unit_price(record: &Record<'_>) -> Option<f64> {
    let mut prices = record.fields.iter().filter(|(key, _)| {
        let words = identifier_words(key);
        is_money(key) && words.iter().any(|word| matches!(word.as_str(), "unit" | "each" | "per" | "single"))
    });
    let price = prices.next()?.1.as_f64().filter(|price| *price > 0.0);
    price.filter(|_| prices.next().is_none())
}

/// A number that counts things, as it was said.
fn some_of(mention: &Mention, quantity: &Quantity) -> Option<f64> {
    let plain = quantity.counts && quantity.unit.is_none() && quantity.currency.is_none() && !mention.excluded;
    (plain && quantity.value.fract() == 0.0 && quantity.upper.is_none()).then_some(quantity.value)
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wanted: f64, number: f64) -> Slip {
    let (key, wanted, shown) = (argument.node.key, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "what the user said and the record give {wanted} ({said}); `{key}` is {shown}",
        "按用户所说和记录应为 {wanted}（{said}）；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
}
