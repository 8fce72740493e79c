//! Texts in which one thing stands in the place of another the wrong way round: "at 11, not at 9", and the text asks for "9
//! instead of 11".

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength, show};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::localized;
use crate::text::mentions::measure::DESIGNATES;
use crate::text::mentions::role::is_excluded;
use crate::text::mentions::{Mention, Reading, What};

/// Finds texts that take out what the user wants, and want what the user takes out.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| argument.node.roles.has(Role::FreeText)) {
        let Some(text) = argument.text().filter(|text| text.len() >= SHORTEST) else { continue };
        let written = Reading::of(text);
        let (wants, refuses) = (things(asked, &written, false), things(asked, &written, true));
        let turned = asked.in_force().find_map(|reading| {
            let wanted = only_in(things(asked, reading, false), &refuses, &wants)?;
            let refused = only_in(things(asked, reading, true), &wants, &refuses)?;
            (wanted.0 != refused.0).then_some((wanted.1, refused.1))
        });
        slips.extend(turned.map(|(wanted, refused)| say(asked, argument, &wanted, &refused)));
    }
}

/// The first of some things that is among those of one list, and not of another.
fn only_in(things: Vec<Thing>, list: &[Thing], other: &[Thing]) -> Option<Thing> {
    let has = |list: &[Thing], thing: &Thing| list.iter().any(|own| own.0 == thing.0);
    things.into_iter().find(|thing| has(list, thing) && !has(other, thing))
}

/// What a mention stands for, the same in all wordings, and its words.
type Thing = (String, String);

/// Whether a mention is what something moves away from: the first of "from 3:15 to 2:45", 从3点改到4点.
fn is_former(reading: &Reading, at: usize) -> bool {
    let pair = reading.mentions.get(at).zip(reading.mentions.get(at + 1));
    let Some((one, two)) =
        pair.filter(|(one, two)| std::mem::discriminant(&one.what) == std::mem::discriminant(&two.what))
    else {
        return false;
    };
    let between = reading.lower.get(one.range.end..two.range.start).unwrap_or_default().trim();
    let led = is_led(reading, one);
    let leads = between.len() <= MAX_BETWEEN && (between == "to" || between.ends_with(" to"));
    let leads_zh = ["到", "至", "改为", "改成", "变成", "调整为"].iter().any(|word| between.ends_with(word));
    led && (leads || leads_zh && between.len() <= MAX_BETWEEN)
}

/// Whether a mention stands behind "from": what was, where something moves.
fn is_led(reading: &Reading, mention: &Mention) -> bool {
    let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    before.ends_with(" from")
        || before == "from"
        || ["从", "由", "原定", "原来"].iter().any(|word| before.ends_with(word))
}

/// "Not in room 21": the word before the number belongs to it.
fn is_place_out(reading: &Reading, mention: &Mention) -> bool {
    let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let start = before.len() - before.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let word = before.get(start..).unwrap_or_default();
    DESIGNATES.contains(&word) && is_excluded(&reading.lower, start)
}

/// The numbers, hours, days and ids of a text that it wants, or those that it takes out.
fn things(asked: &Asked<'_>, reading: &Reading, excluded: bool) -> Vec<Thing> {
    let all = reading.mentions.iter().enumerate();
    let both = |mention: &Mention| {
        matches!(&mention.what, What::Number(quantity) if quantity.upper.is_some()) && is_led(reading, mention)
    };
    let mentions = all.filter(|(at, mention)| {
        both(mention) || (mention.excluded || is_former(reading, *at) || is_place_out(reading, mention)) == excluded
    });
    let mentions = mentions.map(|(_, mention)| mention);
    let told = mentions.filter_map(|mention| {
        let text = reading.text(mention).to_owned();
        let thing = match &mention.what {
            // "From 35 to 40 euros".
            What::Number(quantity) if excluded && is_led(reading, mention) && quantity.upper.is_some() => {
                show(quantity.value)
            }
            What::Number(quantity) => {
                show(quantity.upper.filter(|_| is_led(reading, mention)).unwrap_or(quantity.value))
            }
            // "At 11" is an hour in one wording and a number in the other.
            What::Clock(clock) if clock.minutes % 60 == 0 => show(f64::from((clock.minutes / 60 + 11) % 12 + 1)),
            What::Clock(clock) => format!("{}:{}", clock.minutes / 60 % 12, clock.minutes % 60),
            What::Date(words) => words.resolve(asked.today).first()?.first.to_string(),
            _ => text.clone(),
        };
        Some((thing, text))
    });
    told.collect()
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, wanted: &str, refused: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user wants \"{wanted}\" and not \"{refused}\", `{key}` has it the other way round",
        "用户要的是“{wanted}”而不是“{refused}”，`{key}` 正好写反了"
    );
    let hint = localized!(asked.subject.language, "write what the user said", "请按用户所说的内容填写");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Strong, Says { evidence, hint })
}

const SHORTEST: usize = 12;
/// No more stands between what was and what is to be.
const MAX_BETWEEN: usize = 24;
