//! Days and people that are not counted: 22 days of which three were missed, at 18 each; 28 people of whom two cannot come.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::number::is_weighty;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::stems::stem;

/// Finds wholes from which nobody took off what is not counted.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number().filter(|_| is_weighty(argument)) else { continue };
        slips.extend(find_missed(asked, argument, number).or_else(|| find_fewer_people(asked, argument, number)));
    }
}

/// "22 school days, she missed 3, 18 a day", and the call has 396.
fn find_missed(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let reading = asked.last;
    let plain = |(mention, own): &(&Mention, &Quantity)| {
        own.bound == Bound::Exact && own.upper.is_none() && own.value > 0.0 && !has_idle_one(reading, mention, own)
    };
    let told: Vec<(&Mention, &Quantity)> = reading.numbers().filter(plain).take(MAX_NUMBERS).collect();
    let [_, _, _] = told.as_slice() else { return None };
    let missed = |(mention, own): &&(&Mention, &Quantity)| {
        own.currency.is_none()
            && Cue::named("not-counted").stands_in(clause_around(&reading.lower, mention.range.start))
    };
    let mut absent = told.iter().filter(missed);
    let (mention, less) = absent.next().filter(|_| absent.next().is_none())?;
    let others: Vec<f64> =
        told.iter().filter(|(other, _)| other.range != mention.range).map(|(_, own)| own.value).collect();
    let [one, two] = others.as_slice() else { return None };
    // Which of the two is the rate is told by its words, or by the other one being too small to take anything off.
    let rated = |value: f64| told.iter().any(|(other, own)| own.value == value && is_rate(reading, other));
    let (whole, rate) = match (rated(*one), rated(*two)) {
        (true, false) => (two, one),
        (false, true) => (one, two),
        _ => return None,
    };
    // Who was two days late has missed no hours.
    let unit_of = |value: f64| told.iter().find(|(_, own)| own.value == value).and_then(|(_, own)| own.unit);
    let other_kind = unit_of(*whole).zip(less.unit).is_some_and(|(one, other)| !std::ptr::eq(one, other));
    // "Those are charged all the same".
    let counted = Cue::named("counted-anyway").stands_in(&reading.lower);
    if counted
        || other_kind
        || !is_near(whole * rate, number)
        || *whole <= less.value
        || is_near((whole - less.value) * rate, number)
    {
        return None;
    }
    let (key, said, wanted, shown) =
        (argument.node.key, reading.text(mention), show((whole - less.value) * rate), show(number));
    let (whole, rate) = (show(*whole), show(*rate));
    let evidence = localized!(
        asked.subject.language,
        "without the {said} that are not counted, {whole} at {rate} come to {wanted}; `{key}` is {shown}",
        "{whole} 中不计“{said}”，每份 {rate}，应为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Weak, Says { evidence, hint }))
}

/// The one of "18 for one day", 一天18.
fn has_idle_one(reading: &Reading, mention: &Mention, own: &Quantity) -> bool {
    let text = reading.text(mention);
    own.value == 1.0 && (text.starts_with('一') || text.starts_with("a ") || text.starts_with("an "))
}

/// Whether a number is for each of something: "18 a day", 一天18, 每天18元.
fn is_rate(reading: &Reading, mention: &Mention) -> bool {
    let before =
        reading.lower.get(..mention.range.start).unwrap_or_default().trim_end_matches([' ', '$', '€', '£', '¥']);
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default().trim_start();
    let led = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..).unwrap_or_default();
    let led = led.rsplit(['，', ',', '。', '；', '.']).next().unwrap_or_default();
    ["a ", "an ", "per ", "each", "every ", "/", "apiece"].iter().any(|word| behind.starts_with(word))
        || led.contains('每')
        || led.starts_with('一') && !led.starts_with("一共") && !led.starts_with("一起")
}

/// "28 people" earlier, "two of them can't come" now, and the call still has 28.
fn find_fewer_people(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let counts = Measure::of(argument, None) == Measure::Count;
    let plain = |own: &Quantity| own.unit.is_none() && own.currency.is_none() && own.upper.is_none();
    let mut earlier = asked.earlier.iter().flat_map(|reading| reading.numbers().map(move |found| (reading, found)));
    let before = earlier.find(|(_, (_, own))| own.value == number && plain(own));
    let again = asked.last.numbers().any(|(_, own)| own.value == number);
    let (before, (_, whole)) = before.filter(|_| counts && !again)?;
    let few = |mention: &Mention, own: &Quantity| {
        plain(own) && own.value < number && own.value.fract() == 0.0 && !mention.excluded
    };
    let mut changes = asked.last.numbers().filter(|(mention, own)| few(mention, own)).filter_map(|(mention, own)| {
        let (away, along) =
            (is_followed(asked.last, mention, "stays-away"), is_followed(asked.last, mention, "comes-along"));
        let by = match (away, along) {
            (true, _) => -own.value,
            (false, true) => own.value,
            (false, false) => return None,
        };
        Some((mention.range.clone(), own, by))
    });
    let (range, own, by) = changes.next().filter(|_| changes.next().is_none())?;
    let wanted = number + by;
    let carried =
        asked.arguments.iter().any(|other| other.number() == Some(wanted) || other.number() == Some(by.abs()));
    let said = asked.readings().any(|reading| reading.numbers().any(|(_, own)| own.value == wanted));
    if carried || said {
        return None;
    }
    let (key, said, wanted, shown) = (argument.node.key, asked.last.lower.get(range)?, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user changed it by \"{said}\" since, which gives {wanted}; `{key}` is still {shown}",
        "用户后来说有“{said}”变动，应为 {wanted}；而 `{key}` 仍是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    // Guests are people; who guides them is no guest.
    let noun = |reading: &Reading, own: &Quantity| {
        let noun = reading.lower.get(own.noun.clone()).unwrap_or_default();
        stem(noun.split(' ').next().unwrap_or_default()).into_owned()
    };
    let (counted, kind) = (noun(before, whole), noun(asked.last, own));
    let people = counted.is_empty()
        || !counted.is_ascii() && counted.starts_with(['人', '个', '位', '名'])
        || PEOPLE.contains(&counted.as_str());
    let alike = people || kind.is_empty() || kind == counted || OF_THEM.contains(&kind.as_str());
    let strength = if alike { Strength::Strong } else { Strength::Weak };
    Some(Slip::on(asked, argument, &OTHER_VALUE, strength, Says { evidence, hint }))
}

/// Whether a word of a list follows a number in its sentence, and nothing limits it: "two can't come before seven".
fn is_followed(reading: &Reading, mention: &Mention, list: &str) -> bool {
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
    let behind = behind.get(..behind.floor_char_boundary(MAX_SENTENCE)).unwrap_or_default();
    let sentence = behind.split(['.', ';', '!', '?', '。', '；', '！', '？', '\n']).next().unwrap_or_default();
    // What is said of the next number is not said of this one.
    let own = sentence.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let Some((word, at)) = Cue::named(list).find_in(own) else { return false };
    let rest = own.get(at + word.len()..).unwrap_or_default().trim_start();
    // Who does not go to the lake may go elsewhere: 不去水库.
    if !word.is_ascii() {
        let behind = rest.trim_start_matches('了').split(['，', ',', '、', ' ']).next().unwrap_or_default();
        return behind.chars().count() <= 1 && !is_known(reading, mention);
    }
    // A question about them changes nothing.
    let asks = behind.get(sentence.len()..).is_some_and(|rest| rest.starts_with(['?', '？']));
    if asks || is_known(reading, mention) {
        return false;
    }
    let next = rest.split_whitespace().next().unwrap_or_default();
    !matches!(
        next,
        "before" | "until" | "till" | "earlier" | "by" | "after" | "on" | "at" | "for" | "with" | "to" | "unless"
    )
}

/// "The two who aren't coming", 那两个: people who were spoken of before.
fn is_known(reading: &Reading, mention: &Mention) -> bool {
    let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let word = before.rsplit(' ').next().unwrap_or_default();
    matches!(word, "the" | "those" | "these" | "all") || before.ends_with(['那', '这'])
}

/// Words for people of any kind, by their stems.
const PEOPLE: &[&str] = &["people", "person", "guest", "visitor", "pax", "seat", "place"];
/// Words for some of those who were counted.
const OF_THEM: &[&str] = &["of", "them", "us", "team"];
const MAX_NUMBERS: usize = 8;
const MAX_SENTENCE: usize = 120;
const NEAR: usize = 12;
