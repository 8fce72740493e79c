//! Days that are counted from something else than today: from the day of an event, or from the day that a record has.

use super::argument::{Argument, Moment, read_moment};
use super::asked::{Asked, clause_around};
use super::moments::moments_of;
use super::picks::pick_in;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_DATE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::date::{DateWords, Days, plus};
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Quantity, Reading};
use jiff::civil::Date;

/// Finds days that were counted from the wrong one, or the wrong way.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let moments = asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?)));
    for (argument, moment) in moments {
        let slip = find_other_start(asked, argument, moment)
            .or_else(|| find_other_way(asked, argument, moment))
            .or_else(|| find_other_distance(asked, argument, moment))
            .or_else(|| find_other_offered(asked, argument, moment));
        slips.extend(slip);
    }
}

/// "21 days after service" with service on the 2nd, and the call counts from today.
fn find_other_start(asked: &Asked<'_>, argument: &Argument<'_>, moment: Moment) -> Option<Slip> {
    let (date, today) = (moment.date?, asked.today?);
    let texts = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_str());
    let texts: Vec<Reading> =
        texts.filter(|text| (SHORTEST..MAX_TEXT).contains(&text.len())).map(Reading::of).collect();
    let counted = |reading: &'_ Reading| {
        let found = reading.numbers().find_map(|found| counted_from(reading, found));
        found.map(|(said, days, event)| (said.to_owned(), days, event))
    };
    let (said, days, event) = asked.wished().find_map(counted).or_else(|| texts.iter().find_map(counted))?;
    let start = asked.user().find_map(|reading| day_of(asked, reading, &event)).or_else(|| field_of(asked, &event))?;
    let wanted = plus(start, days)?;
    let from_today = plus(today, days) == Some(date);
    let near = |one: Date, other: Date| [-1, 0, 1].iter().any(|by| plus(one, *by) == Some(other));
    let also_said = asked.readings().any(|reading| {
        reading
            .dates()
            .any(|(_, words)| words.resolve(asked.today).iter().any(|days| days.is_one() && days.first == date))
    });
    if !from_today || near(wanted, date) || also_said {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "\"{said}\" counts from {start}, which gives {wanted}; `{key}` is {date}, counted from today",
        "“{said}”应从 {start} 起算，即 {wanted}；而 `{key}` 是 {date}，是从今天起算的"
    );
    let hint = localized!(asked.subject.language, "count from the day that was named", "请从所说的那一天起算");
    Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// A number of days with the event from which it counts: "21 days after service", 送达后15日.
fn counted_from<'r>(
    reading: &'r Reading,
    (mention, quantity): (&Mention, &Quantity),
) -> Option<(&'r str, i32, String)> {
    let days = days_of(quantity)?;
    let lower = &reading.lower;
    let (before, behind) = (lower.get(..mention.range.start)?, lower.get(mention.range.end..)?);
    if let Some(rest) =
        ["after ", "from ", "following ", "of "].iter().find_map(|word| behind.trim_start().strip_prefix(word))
    {
        let end = rest.find([',', '.', ';', '!', '?', '\n']).unwrap_or(rest.len());
        let words = rest.get(..end)?.split(' ').filter(|word| word.len() >= 4);
        let event = words.filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic())).find(|word| {
            !matches!(
                *word,
                "today" | "tomorrow" | "that" | "this" | "then" | "next" | "last" | "date" | "your" | "their" | "when"
            )
        })?;
        let said = lower.get(mention.range.start..lower.len() - rest.len() + rest.find(event)? + event.len())?;
        return Some((said, days, event.chars().take(SAME_STEM).collect()));
    }
    let led = ["之日起", "之后", "以后", "后", "起"].iter().find_map(|word| before.strip_suffix(word))?;
    let event: String = led.chars().rev().take_while(|c| is_han(*c)).take(2).collect();
    let event: String = event.chars().rev().collect();
    let from = led.len().checked_sub(event.len())?;
    let named = event.chars().count() == 2 && !event.ends_with(['今', '天', '日', '周', '月', '然']);
    named.then_some((lower.get(from..mention.range.end)?, days, event))
}

/// The one day that a field has which is called like an event: `served`.
fn field_of(asked: &Asked<'_>, event: &str) -> Option<Date> {
    let mut days = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(key, value)| {
        let called = key.to_lowercase().contains(event);
        read_moment(value.as_str().filter(|_| called)?)?.date
    });
    let first = days.next()?;
    days.all(|day| day == first).then_some(first)
}

/// The one day on which an event was, by a clause that names both.
fn day_of(asked: &Asked<'_>, reading: &Reading, event: &str) -> Option<Date> {
    let mut days = reading.dates().filter_map(|(mention, words)| {
        let clause = clause_around(&reading.lower, mention.range.start);
        let named = if event.is_ascii() {
            clause.split(|c: char| !c.is_alphabetic()).any(|word| word.starts_with(event))
        } else {
            clause.contains(event)
        };
        let day = words.resolve(asked.today).first().filter(|days| days.is_one() && named)?.first;
        matches!(
            words,
            DateWords::Written { .. } | DateWords::DayOfMonth(_) | DateWords::Days(_) | DateWords::Weekday(..)
        )
        .then_some(day)
    });
    days.next().filter(|_| days.next().is_none())
}

/// "Two nights longer", and the day of the record is moved the other way.
fn find_other_way(asked: &Asked<'_>, argument: &Argument<'_>, moment: Moment) -> Option<Slip> {
    let date = moment.date?;
    let mut shifts = asked
        .last
        .numbers()
        .filter_map(|(mention, quantity)| Some((mention, days_of(quantity)?, is_later(&asked.last.lower, mention)?)));
    let (mention, days, later) = shifts.next().filter(|_| shifts.next().is_none())?;
    let by = if later { days } else { -days };
    let texts = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_str());
    let known: Vec<Date> = texts.filter_map(|text| read_moment(text)?.date).take(MAX_DAYS).collect();
    let right = known.iter().any(|base| plus(*base, by) == Some(date));
    let from = known.iter().find(|base| plus(**base, -by) == Some(date))?;
    if right || known.contains(&date) || asked.last.dates().next().is_some() {
        return None;
    }
    let (key, said, wanted) = (argument.node.key, asked.last.text(mention), plus(*from, by)?);
    let evidence = localized!(
        asked.subject.language,
        "{said} the other way: from {from} that gives {wanted}, `{key}` is {date}",
        "变动 {said} 的方向相反：从 {from} 算起应为 {wanted}，而 `{key}` 是 {date}"
    );
    let hint = localized!(asked.subject.language, "count the days the other way", "请按相反方向推算日期");
    Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// "Exactly two weeks before", and the day of the call is no two weeks from any day that is known.
fn find_other_distance(asked: &Asked<'_>, argument: &Argument<'_>, moment: Moment) -> Option<Slip> {
    let date = moment.date?;
    let mut told = asked.last.numbers().filter_map(|(mention, quantity)| {
        let days = days_of(quantity).filter(|_| quantity.upper.is_none() && quantity.bound == Bound::Exact)?;
        Some((mention, if is_ahead(&asked.last.lower, mention)? { -days } else { days }))
    });
    let (mention, by) = told.next().filter(|_| told.next().is_none() && asked.last.dates().next().is_none())?;
    let said = asked.readings().flat_map(|reading| reading.dates()).flat_map(|(_, words)| words.resolve(asked.today));
    let stretches: Vec<Days> = said.collect();
    let known = moments_of(&asked.results).into_iter().filter_map(|moment| moment.date);
    let known: Vec<Date> = known.chain(stretches.iter().map(|days| days.first)).collect();
    let others = asked.arguments.iter().filter(|other| !std::ptr::eq(other.node, argument.node));
    let lengths = asked.numbers().filter_map(|(_, quantity)| days_of(quantity));
    let steps: Vec<i32> = lengths.flat_map(|days| [days, -days]).filter(|days| days.abs() != by.abs()).collect();
    let bases =
        || known.iter().copied().chain(asked.today).chain(others.clone().filter_map(|other| other.moment()?.date));
    let right = bases().any(|base| {
        let near = |by: i32| [-1, 0, 1].iter().any(|slack| plus(base, by + slack) == Some(date));
        near(by) || near(-by) || steps.iter().any(|by| plus(base, *by) == Some(date))
    });
    let spoken = stretches.iter().any(|days| (days.first..=days.last).contains(&date)) || known.contains(&date);
    // Only a day that lies on the right side of an event, and not a month away from where it should be, was counted from it.
    let base = known.iter().find(|base| {
        Some(**base) != asked.today
            && plus(**base, by).is_some_and(|wanted| {
                let apart = |one: Date| one.until(date).map_or(i32::MAX, |span| span.get_days());
                apart(**base).signum() == by.signum() && apart(wanted).abs() <= by.abs().max(MAX_MISCOUNT)
            })
    })?;
    if right || spoken {
        return None;
    }
    let (key, said, wanted) = (argument.node.key, asked.last.text(mention), plus(*base, by)?);
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", counted from {base} that is {wanted}; `{key}` is {date}",
        "用户说的是“{said}”，从 {base} 算起应为 {wanted}；而 `{key}` 是 {date}"
    );
    let hint = localized!(asked.subject.language, "count the days again", "请重新推算日期");
    Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a length leads to before an event: "a week before", 提前一周; nothing where it tells neither.
fn is_ahead(lower: &str, mention: &Mention) -> Option<bool> {
    let before = lower.get(..mention.range.start)?.trim_end();
    let behind = lower.get(mention.range.end..)?.trim_start();
    let starts = |words: &[&str]| words.iter().any(|word| behind.starts_with(word));
    let ahead = starts(&["before", "prior", "ahead", "前", "之前", "以前"]) || before.ends_with("提前");
    let after = starts(&["after", "后", "之后", "以后"]) && !starts(&["afternoon", "afterwards"]);
    (ahead != after).then_some(ahead)
}

/// 医生让过两周再来, both weeks are free, and the call has the first.
fn find_other_offered(asked: &Asked<'_>, argument: &Argument<'_>, moment: Moment) -> Option<Slip> {
    let (date, today) = (moment.date?, asked.today?);
    // The user said it one message ago and only answers now, without another day.
    let before = asked.earlier.first().filter(|_| asked.last.mentions.is_empty())?;
    let mut days = before.dates().filter_map(|(mention, words)| match words {
        DateWords::Days(by) if by > 1 && !mention.excluded => Some((mention, plus(today, by)?)),
        DateWords::Days(0) => None,
        _ => Some((mention, today)),
    });
    let (mention, wanted) = days.next().filter(|_| days.next().is_none()).filter(|(_, day)| *day != today)?;
    let proposal = asked.proposal?;
    let fields = || asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_str());
    let free = |day: Date| fields().any(|text| read_moment(text).is_some_and(|moment| moment.date == Some(day)));
    let picks = pick_in(&asked.last.lower).is_some() || Cue::named("first-free").stands_in(&asked.last.lower);
    let refused = Cue::named("refusing").stands_in(&proposal.lower);
    let bounded = Cue::named("bounds-day").ends(before.lower.get(..mention.range.start).unwrap_or_default());
    if date == wanted || date == today || picks || refused || bounded || !free(date) || !free(wanted) {
        return None;
    }
    let (key, said) = (argument.node.key, before.text(mention));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", which is {wanted} and was offered; `{key}` is {date}",
        "用户说的是“{said}”，即 {wanted}，且可选；而 `{key}` 是 {date}"
    );
    let hint = localized!(asked.subject.language, "take the day that was asked for", "请选择用户要求的那一天");
    Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a number of days makes something later or longer; nothing where it tells neither.
pub(crate) fn is_later(lower: &str, mention: &Mention) -> Option<bool> {
    let before = lower.get(..mention.range.start)?;
    let behind = lower.get(mention.range.end..)?.trim_start();
    let starts = |list: &str| Cue::named(list).english.iter().any(|word| behind.starts_with(word));
    let ends = |list: &str| Cue::named(list).chinese.iter().any(|word| before.ends_with(word));
    match (starts("days-later") || ends("days-later"), starts("days-earlier") || ends("days-earlier")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// A whole number of days.
fn days_of(quantity: &Quantity) -> Option<i32> {
    let unit = quantity.unit.filter(|unit| unit.dimension == "time" && quantity.upper.is_none())?;
    let days = unit.to_base(quantity.value) / 86_400.0;
    (days >= 1.0 && days.fract() == 0.0 && days < 4000.0).then_some(days as i32)
}

/// "Service" and "served" begin alike.
const SAME_STEM: usize = 4;
const MAX_DAYS: usize = 200;
const SHORTEST: usize = 8;
const MAX_TEXT: usize = 400;
/// Days by which a short count goes wrong.
const MAX_MISCOUNT: i32 = 14;
