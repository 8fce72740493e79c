//! Numbers, amounts and units: the number that was said is the number that is sent, in the parameter's own unit.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::rated;
use super::records::{Record, is_label, is_money};
use super::sign::{self, is_signed};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, find_of_other_kind, is_in_results, is_near, is_said, is_traced, lasts};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::{OTHER_UNIT, OTHER_VALUE};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::units::{self, Short, Unit};
use crate::text::words::identifier_words;

/// Finds numbers that nobody said beside numbers that somebody did.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = asked.records();
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        let measure = measure_of(asked, argument);
        // In an object that the schema leaves open the model composes a query of its own.
        let composed = measure == Measure::Bare && asked.subject.values.is_composed(argument.node);
        let converted = rated::is_explained(asked, argument, number);
        if composed || converted || matches!(measure, Measure::Unit(_)) && names_system(asked) {
            continue;
        }
        let slip = find_id_digits(asked, argument, number, measure, records)
            .or_else(|| find_sign(asked, argument, number, measure, records))
            .or_else(|| sign::find(asked, argument, number, measure))
            .or_else(|| find_glued(asked, argument, number))
            .or_else(|| find_other_scale(asked, argument, number, measure))
            .or_else(|| find_other_kind(asked, argument, number, measure, records))
            .or_else(|| find_other(asked, argument, number, measure, records))
            .or_else(|| find_other_record_value(asked, argument, number, measure, records));
        slips.extend(slip);
    }
}

/// Whether a number follows from what was said.
pub(crate) fn is_explained(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    // An id is copied, never computed.
    let Some(number) = argument.number().filter(|_| !argument.node.roles.has(Role::Id)) else { return false };
    let measure = measure_of(asked, argument);
    let turned = number < 0.0 && is_signed(asked, argument);
    is_traced(asked, argument, if turned { -number } else { number }, measure, asked.records())
        || adds_up(asked, number, measure)
        || lasts(asked, argument, number)
        || rated::is_explained(asked, argument, number)
        || counts_days(asked, argument, number)
        || fits_in(asked, argument, number)
}

/// "As many as 5,000 will get": whole pieces at the price of the call, or of a record.
fn fits_in(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let priced = |other: &&Argument<'_>| is_money(other.node.key) && !std::ptr::eq(other.node, argument.node);
    let mut prices = asked.arguments.iter().filter(priced).filter_map(Argument::number).filter(|price| *price > 0.0);
    let whole = number > 1.0 && number.fract() == 0.0;
    whole
        && prices
            .any(|price| asked.numbers().any(|(_, own)| own.unit.is_none() && (own.value / price).floor() == number))
}

/// "Monday and Tuesday" are two days, and from one to the other it is one.
fn counts_days(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let day = argument.unit().filter(|unit| unit.dimension == "time" && unit.to_base(1.0) == A_DAY).is_some();
    asked.in_force().filter(|_| day && number.fract() == 0.0).any(|reading| {
        let dates = reading.dates().filter(|(mention, _)| !mention.excluded);
        let resolved = dates.map(|(_, words)| words.resolve(asked.today));
        let mut days: Vec<_> =
            resolved.filter_map(|days| Some(days.first().filter(|days| days.is_one())?.first)).collect();
        days.sort();
        days.dedup();
        let apart = days.first().zip(days.last()).and_then(|(first, last)| first.until(*last).ok());
        let apart = apart.map_or(0.0, |span| f64::from(span.get_days()));
        days.len() >= 2 && (number == days.len() as f64 || number == apart || number == apart + 1.0)
    })
}

/// "My wife and me plus three kids" are five: more people than the numbers that were said.
fn adds_up(asked: &Asked<'_>, number: f64, measure: Measure) -> bool {
    let adds = |reading: &Reading| Cue::named("adds-people").stands_in(&reading.lower);
    let fewer = || asked.last.numbers().any(|(_, quantity)| quantity.value < number);
    measure == Measure::Count && asked.in_force().any(adds) && fewer()
}

/// What an argument's number measures. An "amount" of something that is not paid may be of anything.
fn measure_of(asked: &Asked<'_>, argument: &Argument<'_>) -> Measure {
    let measure = Measure::of(argument, sibling_unit(asked, argument));
    let vague = matches!(measure, Measure::Money(_))
        && argument.is_named(&["amount", "total", "limit"])
        && !is_surely(asked, argument, measure);
    if vague { argument.unit().map_or(Measure::Bare, Measure::Unit) } else { measure }
}

/// Whether a number carries meaning: no page size, no coordinate, no switch of the tool.
pub(crate) fn is_weighty(argument: &Argument<'_>) -> bool {
    let roles = argument.node.roles;
    // One of something is what goes without saying.
    if argument.number() == Some(1.0) {
        return false;
    }
    let idle = [Role::ResultSize, Role::Page, Role::Id, Role::Port, Role::Latitude, Role::Longitude, Role::Probability];
    !idle.iter().any(|role| roles.has(*role))
        && !argument.is_named(&[
            "limit",
            "offset",
            "seed",
            "page",
            "max",
            "top",
            "precision",
            "year",
            "version",
            "priority",
            "level",
        ])
        || argument.is_named(&["price", "amount", "new"])
}

/// The unit that a field beside the number names: `{"amount": 500, "unit": "g"}`.
fn sibling_unit(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<&'static Unit> {
    let pointer = asked.subject.values.pointer(argument.node);
    let parent = pointer.rsplit_once('/').map(|found| found.0)?;
    if argument.words.last().is_some_and(|word| word == "value") {
        let types = asked
            .arguments
            .iter()
            .filter(|other| other.words.last().is_some_and(|word| matches!(word.as_str(), "type" | "kind" | "metric")));
        let unit = types
            .filter_map(|other| {
                identifier_words(other.text()?).last().and_then(|word| units::unit(word, Short::Counts))
            })
            .next();
        if unit.is_some() {
            return unit;
        }
    }
    asked.arguments.iter().find_map(|other| {
        let named = other.words.last().is_some_and(|word| matches!(word.as_str(), "unit" | "units" | "uom"));
        let beside =
            named && asked.subject.values.pointer(other.node).rsplit_once('/').map(|found| found.0) == Some(parent);
        beside.then(|| units::unit(other.text()?, Short::Counts)).flatten()
    })
}

/// Whether the call says which system of units it is in.
fn names_system(asked: &Asked<'_>) -> bool {
    asked
        .arguments
        .iter()
        .filter_map(|argument| argument.text())
        .any(|text| matches!(text, "imperial" | "metric" | "us" | "si"))
}

/// The digits of the id that the call is about, of a label of its record or of a year: bill 4410 and `amount: 4410`.
fn find_id_digits(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> Option<Slip> {
    let Measure::Money(scale) = measure else { return None };
    let shown = show(number);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).eq(shown.chars());
    let id = asked
        .arguments
        .iter()
        .find(|other| other.node.roles.has(Role::Id) && shown.len() >= 3 && other.text().is_some_and(digits));
    let fields = || records.iter().flat_map(|record| &record.fields);
    let held = |value: &serde_json::Value| value.as_f64() == Some(number) || value.as_str() == Some(shown.as_str());
    let said = asked.user().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value * scale == number));
    let label = || fields().find(|(key, value)| shown.len() >= 3 && !said && is_label(key) && held(value));
    let other = id.map(|id| id.node.key).or_else(|| label().map(|(key, _)| *key));
    let other = other.map(|key| format!("`{key}`")).or_else(|| year(asked, number, scale))?;
    let priced = asked.numbers().any(|(_, quantity)| quantity.currency.is_some() && quantity.value * scale == number);
    let paid = fields().any(|(key, value)| !is_label(key) && value.as_f64() == Some(number / scale));
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "`{key}` is {shown}, which are the digits of {other} and no amount",
        "`{key}` 是 {shown}，这是{other}中的数字，并不是金额"
    );
    let hint = compare_hint(key, asked.subject.language);
    (!priced && !paid).then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// A year that the user spoke of, and nothing else that has its digits: "placed in 2024".
fn year(asked: &Asked<'_>, number: f64, scale: f64) -> Option<String> {
    let mut said = asked.user().flat_map(|reading| reading.numbers().map(move |found| (reading, found)));
    let years = |reading: &Reading, mention: &Mention| {
        let before = reading.lower.get(..mention.range.start).unwrap_or_default();
        let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
        ["in ", "since ", "of ", "from ", "year "].iter().any(|word| before.ends_with(word)) || behind.starts_with('年')
    };
    let (reading, (mention, _)) = said.find(|(_, (_, own))| own.value * scale == number)?;
    let dated = (1900.0..2100.0).contains(&number) && years(reading, mention);
    let alone = said.all(|(_, (_, own))| own.value * scale != number);
    (dated && alone).then(|| format!("\"{}\"", reading.text(mention)))
}

/// A number below zero, or zero, where a positive one was said.
fn find_sign(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> Option<Slip> {
    let free = ["zero", "free", "nothing", "gratis", "0", "none", "免费", "零", "不要钱", "关"];
    let turned = number > 0.0
        && asked.in_force().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value == -number));
    let given = || is_said(asked, number, measure) || is_in_results(asked, number, measure, records);
    let plus = number < 0.0 && is_said_plus(asked, -number) && !given();
    if !turned && !plus && is_traced(asked, argument, number, measure, records) && number != 0.0 {
        return None;
    }
    if turned && !given() {
        let (key, wanted, shown) = (argument.node.key, show(-number), show(number));
        let evidence = localized!(
            asked.subject.language,
            "the user said {wanted}, `{key}` is {shown}",
            "用户说的是 {wanted}，而 `{key}` 是 {shown}"
        );
        let hint = localized!(asked.subject.language, "send {wanted} as `{key}`", "`{key}` 应为 {wanted}");
        return Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }));
    }
    if number > 0.0 {
        return None;
    }
    let wanted = if number < 0.0 {
        let said = is_traced(asked, argument, -number, measure, records);
        let unsigned = !is_signed(asked, argument) && !matches!(measure, Measure::Bare);
        (said && (unsigned || plus)).then_some(-number)
    } else {
        let said = asked.user().any(|reading| {
            free.iter().any(|word| stands_in(&reading.lower, word) || !word.is_ascii() && reading.lower.contains(word))
        });
        let (_, like) = find_like(asked, argument, number, measure)?;
        (!said && matches!(measure, Measure::Money(_) | Measure::Count)).then_some(like.value)
    }?;
    let (key, wanted, number) = (argument.node.key, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the conversation gives {wanted}, `{key}` is {number}",
        "对话中给出的是 {wanted}，而 `{key}` 是 {number}"
    );
    let hint = localized!(asked.subject.language, "send {wanted} as `{key}`", "`{key}` 应为 {wanted}");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "Plus 1.75 on the right", +2, 正三度: a number with its sign.
fn is_said_plus(asked: &Asked<'_>, number: f64) -> bool {
    asked.in_force().any(|reading| {
        reading.numbers().any(|(mention, quantity)| {
            let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
            let signed = ["plus", "positive", "+", "正"].iter().find_map(|sign| before.strip_suffix(sign));
            // "26 plus 6" is a sum, and 反正三次 and 改正三处 have no sign.
            let alone = |before: &str| {
                let before = before.trim_end();
                !before.ends_with(|c: char| c.is_ascii_digit()) && !before.ends_with(WORDS_IN_ZHENG)
            };
            quantity.value == number && signed.is_some_and(alone)
        })
    })
}

/// Minutes and seconds written as one number: "a pace of 5:30" and `pace_sec: 530`.
fn find_glued(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    if !argument.is_named(&["sec", "secs", "second", "seconds"]) || number < 100.0 {
        return None;
    }
    let glued = |seconds: f64| (seconds / 60.0).floor() * 100.0 + seconds % 60.0;
    let minute = units::unit("minute", Short::Counts)?;
    let (reading, mention, seconds) = asked.user().find_map(|reading| {
        let clocks = reading.clocks().map(|(mention, clock)| (mention, f64::from(clock.minutes)));
        let lengths = reading.numbers().filter(|(_, own)| own.unit.is_some_and(|unit| std::ptr::eq(unit, minute)));
        let lengths = lengths.map(|(mention, own)| (mention, (own.value * 60.0).round()));
        let mut told = clocks.chain(lengths).filter(|(_, seconds)| seconds % 60.0 != 0.0);
        told.find(|(_, seconds)| glued(*seconds) == number).map(|(mention, seconds)| (reading, mention, seconds))
    })?;
    let said = asked.numbers().any(|(_, own)| own.value == number);
    let (key, words, wanted, shown) = (argument.node.key, reading.text(mention), show(seconds), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{words}\", which is {wanted} seconds; `{key}` is {shown}",
        "用户说的是“{words}”，即 {wanted} 秒；而 `{key}` 是 {shown}"
    );
    let hint = localized!(asked.subject.language, "send {wanted} as `{key}`", "`{key}` 应为 {wanted}");
    (!said).then(|| Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }))
}

/// The right length in another unit than the parameter's: "an hour and a half" and `duration_s: 90`.
fn find_other_scale(asked: &Asked<'_>, argument: &Argument<'_>, number: f64, measure: Measure) -> Option<Slip> {
    let Measure::Unit(unit) = measure else { return None };
    let mut like =
        asked.in_force().flat_map(|reading| reading.numbers().map(move |(mention, own)| (reading, mention, own)));
    let (reading, mention, wanted) = like.find_map(|(reading, mention, own)| {
        let said = own.unit.filter(|said| said.dimension == unit.dimension && unit.dimension != "temperature")?;
        Some((reading, mention, said.convert(own.value, unit)?)).filter(|_| own.upper.is_none())
    })?;
    // Somebody said the number itself, or more than one length was spoken of.
    let said = asked.numbers().any(|(_, own)| {
        own.value == number || measure.value_of(own, own.value).is_some_and(|value| is_near(value, number))
    });
    let steps: &[f64] = if unit.dimension == "time" { &[60.0, 3600.0] } else { &[1000.0] };
    let scaled = steps.iter().any(|by| is_near(wanted / by, number) || is_near(wanted * by, number));
    if said || !scaled || number == 0.0 {
        return None;
    }
    let (key, shown, wanted, words) = (argument.node.key, show(number), show(wanted), reading.text(mention));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{words}\", which is {wanted} in the unit of `{key}`; `{key}` is {shown}",
        "用户说的是“{words}”，按 `{key}` 的单位应为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }))
}

/// The digits of something else: "tip 15 percent" and `amount: 15`.
fn find_other_kind(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> Option<Slip> {
    if is_traced(asked, argument, number, measure, records) || matches!(measure, Measure::Unit(_)) {
        return None;
    }
    let (reading, mention) =
        find_of_other_kind(asked, number, measure).filter(|_| is_surely(asked, argument, measure))?;
    let (key, said, shown) = (argument.node.key, reading.text(mention), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", which is no `{key}`; `{key}` is {shown}",
        "用户说的是“{said}”，并不是 `{key}`；而 `{key}` 是 {shown}"
    );
    Some(Slip::on(
        asked,
        argument,
        &OTHER_VALUE,
        Strength::Strong,
        Says { evidence, hint: compare_hint(key, asked.subject.language) },
    ))
}

/// Whether a number is money or a count beyond doubt: an "amount" may be of fuel.
pub(crate) fn is_surely(asked: &Asked<'_>, argument: &Argument<'_>, measure: Measure) -> bool {
    let priced = asked.arguments.iter().any(|other| other.is_named(&["currency"]));
    let pays = asked.subject.tool.effects.effects.contains(&crate::policy::Effect::Pay);
    measure == Measure::Count
        || priced
        || pays
        || argument.is_named(&["price", "cost", "fee", "fare", "tip", "budget", "salary", "deposit", "cents", "fen"])
}

/// A number that nothing explains, beside one of its kind that was said and is not used.
fn find_other(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> Option<Slip> {
    let turned = number < 0.0 && is_signed(asked, argument);
    if is_traced(asked, argument, if turned { -number } else { number }, measure, records)
        || follows_from_dates(asked, measure)
        || fits_in(asked, argument, number)
    {
        return None;
    }
    let (mention, quantity) = find_like(asked, argument, number, measure)?;
    if adds_up(asked, number, measure) {
        return None;
    }
    let wanted = measure.value_of(quantity, quantity.value)?;
    let (key, language) = (argument.node.key, asked.subject.language);
    let reading = asked.in_force().find(|reading| reading.mentions.iter().any(|own| std::ptr::eq(own, mention)))?;
    let said = reading.text(mention);
    let (wanted_shown, shown) = (show(wanted), show(number));
    if is_near(quantity.value, number) && !is_near(wanted, number) {
        let unit = match measure {
            Measure::Unit(unit) => unit.name,
            _ => "cents",
        };
        let evidence = localized!(
            language,
            "the user said \"{said}\", `{key}` is in {unit}: that is {wanted_shown}, not {shown}",
            "用户说的是“{said}”，而 `{key}` 的单位是 {unit}：应为 {wanted_shown}，不是 {shown}"
        );
        let hint = localized!(language, "send {wanted_shown} as `{key}`", "`{key}` 应为 {wanted_shown}");
        return Some(Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }));
    }
    let evidence = localized!(
        language,
        "the user said \"{said}\", `{key}` is {shown}, and nothing in the conversation gives {shown}",
        "用户说的是“{said}”，而 `{key}` 是 {shown}，对话中没有出现过 {shown}"
    );
    let strength = if is_sure(argument, measure, quantity) { Strength::Strong } else { Strength::Weak };
    Some(Slip::on(asked, argument, &OTHER_VALUE, strength, Says { evidence, hint: compare_hint(key, language) }))
}

/// Whether the two are of one kind beyond doubt, and the call needs the number.
fn is_sure(argument: &Argument<'_>, measure: Measure, quantity: &Quantity) -> bool {
    let required = argument.node.param.is_none_or(|param| param.required);
    match measure {
        Measure::Money(_) => quantity.currency.is_some() && required,
        Measure::Unit(unit) => quantity.unit.is_some_and(|own| own.dimension == unit.dimension) && required,
        Measure::Count => required,
        Measure::Bare => false,
    }
}

/// The one mention of the request that the argument should have carried.
fn find_like<'a>(
    asked: &Asked<'a>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
) -> Option<(&'a Mention, &'a Quantity)> {
    let mut like: Vec<(&Mention, &Quantity)> = Vec::new();
    for reading in asked.in_force() {
        let own = reading
            .numbers()
            .filter(|(mention, quantity)| !mention.excluded && quantity.value > 0.0 && measure.is_like(quantity));
        like.extend(own.filter(|(_, quantity)| !is_used(asked, argument, quantity)));
        if !like.is_empty() {
            break;
        }
    }
    // The same digits in another unit are the plainest slip of all.
    if let Some(found) = like.iter().find(|(_, quantity)| is_near(quantity.value, number)) {
        return Some(*found);
    }
    let rivals = asked.arguments.iter().filter(|other| other.number().is_some() && is_weighty(other)).count();
    match like.as_slice() {
        [one] if rivals == 1 || !matches!(measure, Measure::Bare) => Some(*one),
        _ => None,
    }
}

/// Whether another argument carries a number: as it is, in its own unit, in a text, or between two times.
pub(crate) fn is_used(asked: &Asked<'_>, except: &Argument<'_>, quantity: &Quantity) -> bool {
    let between = || {
        let minutes: Vec<i64> = asked
            .arguments
            .iter()
            .filter_map(|argument| argument.moment())
            .filter_map(|moment| Some(i64::from(moment.minutes?)))
            .collect();
        let days: Vec<jiff::civil::Date> =
            asked.arguments.iter().filter_map(|argument| argument.moment()?.date).collect();
        let base = quantity.unit.filter(|unit| unit.dimension == "time").map(|unit| unit.to_base(quantity.value));
        base.is_some_and(|seconds| {
            minutes.iter().any(|a| minutes.iter().any(|b| ((b - a) * 60) as f64 == seconds))
                || days.iter().any(|a| {
                    days.iter().any(|b| a.until(*b).is_ok_and(|span| f64::from(span.get_days()) * 86_400.0 == seconds))
                })
        })
    };
    let carries = |argument: &Argument<'_>| {
        if std::ptr::eq(argument.node, except.node) {
            return false;
        }
        match (argument.number(), argument.text()) {
            (Some(number), _) => {
                let measure = Measure::of(argument, None);
                is_near(quantity.value, number)
                    || measure.value_of(quantity, quantity.value).is_some_and(|wanted| is_near(wanted, number))
            }
            (None, Some(text)) => {
                stands_in(text, &show(quantity.value))
                    || Reading::of(text).numbers().any(|(_, own)| own.value == quantity.value)
            }
            _ => false,
        }
    };
    asked.arguments.iter().any(carries) || between()
}

/// Whether a number of days or hours may follow from dates and times that were said.
fn follows_from_dates(asked: &Asked<'_>, measure: Measure) -> bool {
    let length = matches!(measure, Measure::Unit(unit) if matches!(unit.dimension, "time" | "month"));
    let told = |reading: &Reading| reading.dates().count() + reading.clocks().count();
    let dated: usize = asked.in_force().map(told).sum();
    let said = || asked.in_force().any(|reading| reading.numbers().any(|(_, quantity)| measure.is_like(quantity)));
    if length { dated >= 1 && !said() } else { dated >= 2 && matches!(measure, Measure::Count | Measure::Bare) }
}

/// An amount that is not the one of the record that the call is about.
fn find_other_record_value(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> Option<Slip> {
    let Measure::Money(_) = measure else { return None };
    if is_traced(asked, argument, number, measure, records) {
        return None;
    }
    let ids = || asked.arguments.iter().filter(|other| other.node.roles.has(Role::Id)).filter_map(|other| other.text());
    let record = records.iter().find(|record| ids().any(|id| record.has(id)))?;
    let (wanted, key, shown) = (show(record.money()?), argument.node.key, show(number));
    let evidence = localized!(
        asked.subject.language,
        "the record has {wanted}, `{key}` is {shown}, and nothing in the conversation gives {shown}",
        "该记录中的金额是 {wanted}，而 `{key}` 是 {shown}，对话中没有出现过 {shown}"
    );
    Some(Slip::on(
        asked,
        argument,
        &OTHER_VALUE,
        Strength::Strong,
        Says { evidence, hint: compare_hint(key, asked.subject.language) },
    ))
}

/// Signs that make another word of 正.
const WORDS_IN_ZHENG: [char; 9] = ['反', '改', '修', '更', '真', '校', '纠', '端', '矫'];
/// The seconds of a day.
const A_DAY: f64 = 86_400.0;
