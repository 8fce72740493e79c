//! What the user said last and the call does not have, beside something alike from before: "completion slipped to 15 July", and
//! the call has the 30th of June from two messages ago.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::number::is_weighty;
use super::slip::{Says, Slip, Strength, compare_hint};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::SUPERSEDED;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::mentions::date::Days;
use crate::text::mentions::{Mention, Reading};

/// Finds dates and amounts of older messages beside newer ones that nothing uses.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    if asked.earlier.is_empty() || asked.subject.tool.effects.effects.contains(&Effect::Read) {
        return;
    }
    let found = find_day(asked).or_else(|| find_amount(asked));
    slips.extend(find_times(asked));
    slips.extend(found.map(|(argument, mention)| {
        let (key, said) = (argument.node.key, asked.last.text(mention));
        let evidence = localized!(
            asked.subject.language,
            "the user's last word is \"{said}\", which the call does not have; `{key}` still has what was said before",
            "用户最后说的是“{said}”，调用中没有用到；而 `{key}` 仍是之前的值"
        );
        let hint = compare_hint(key, asked.subject.language);
        Slip::on(asked, argument, &SUPERSEDED, Strength::Weak, Says { evidence, hint })
    }));
}

/// The one day of the call was said before, and the one day of the last message is another.
fn find_day<'f, 'a>(asked: &'f Asked<'a>) -> Option<(&'f Argument<'a>, &'a Mention)> {
    let mut dated = asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?.date?)));
    let (argument, date) = dated.next().filter(|_| dated.next().is_none())?;
    let means = |days: &[Days]| days.iter().any(|days| days.first <= date && date <= days.last);
    let mut said = asked.last.dates().map(|(mention, words)| (mention, words.resolve(asked.today)));
    let (mention, days) = said.next().filter(|_| said.next().is_none())?;
    let before = asked.last.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let bounded = mention.excluded || Cue::named("bounds-day").ends(before.trim_end_matches("the").trim_end());
    let past = asked.today.is_some_and(|today| days.iter().all(|days| days.first <= today));
    let exact = !days.is_empty() && days.iter().all(Days::is_one);
    let older =
        asked.earlier.iter().any(|reading| reading.dates().any(|(_, words)| means(&words.resolve(asked.today))));
    // What is counted from the new day is no older one.
    let follows = asked.numbers().any(|(_, quantity)| quantity.unit.is_some_and(|unit| unit.dimension == "time"));
    (exact && older && !bounded && !past && !follows && !means(&days)).then_some((argument, mention))
}

/// The times of the call were said once, and the user has given others since: "so 03:00 to 05:00".
fn find_times(asked: &Asked<'_>) -> Option<Slip> {
    let timed: Vec<(&Argument<'_>, u16)> =
        asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?.minutes?))).collect();
    let (argument, _) = *timed.first().filter(|_| timed.len() == 2)?;
    let mut spoken = asked.user().filter(|reading| reading.clocks().count() >= 2);
    let says = |reading: &Reading, minutes: u16| reading.clocks().any(|(_, clock)| clock.is(minutes));
    let newest = spoken.next()?;
    let older = spoken.any(|reading| timed.iter().all(|(_, minutes)| says(reading, *minutes)));
    let none = timed.iter().all(|(_, minutes)| !says(newest, *minutes));
    let (mention, _) = newest.clocks().last()?;
    let (key, said, language) =
        (argument.node.key, clause_around(&newest.lower, mention.range.start), asked.subject.language);
    let evidence = localized!(
        language,
        "the user said last \"{said}\"; `{key}` still has what was said before",
        "用户最后说的是“{said}”，而 `{key}` 仍是之前的值"
    );
    let hint = compare_hint(key, language);
    (older && none).then(|| Slip::on(asked, argument, &SUPERSEDED, Strength::Strong, Says { evidence, hint }))
}

/// The one amount of money of the call was said before, and no amount of the last message is used.
fn find_amount<'f, 'a>(asked: &'f Asked<'a>) -> Option<(&'f Argument<'a>, &'a Mention)> {
    let mut paid = asked.arguments.iter().filter_map(|argument| {
        let money = matches!(Measure::of(argument, None), Measure::Money(_)) && is_weighty(argument);
        Some((argument, argument.number().filter(|_| money)?))
    });
    let (argument, number) = paid.next().filter(|_| paid.next().is_none())?;
    let measure = Measure::of(argument, None);
    let has = |value: f64| is_near(value, number);
    let like: Vec<(&Mention, f64)> = asked
        .last
        .numbers()
        .filter(|(mention, quantity)| {
            !mention.excluded && measure.is_like(quantity) && quantity.value >= LEAST && !quantity.counts
        })
        .filter_map(|(mention, quantity)| Some((mention, measure.value_of(quantity, quantity.value)?)))
        .collect();
    let older = asked.earlier.iter().any(|reading| {
        reading.numbers().any(|(_, quantity)| measure.value_of(quantity, quantity.value).is_some_and(has))
    });
    let near = like.iter().all(|(_, value)| (number / 4.0..=number * 4.0).contains(value));
    // What a result or the assistant gave is spoken of; it replaces nothing.
    let given = like.iter().any(|(_, value)| {
        let fields = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, own)| own.as_f64());
        let spoken = asked.others.iter().flat_map(|reading| reading.numbers()).map(|(_, own)| own.value);
        fields.chain(spoken).any(|own| is_near(*value, own))
    });
    let used = given
        || like.iter().any(|(_, value)| {
            has(*value) || asked.arguments.iter().any(|other| other.number().is_some_and(|own| is_near(*value, own)))
        });
    let (mention, _) = like.first()?;
    (older && near && !used).then_some((argument, *mention))
}

/// Smaller numbers are counts more often than amounts.
const LEAST: f64 = 20.0;
