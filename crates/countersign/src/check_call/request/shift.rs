//! Records that are moved by so much: "push the cleaning back a week", 推迟两天. What is moved is counted from the record's own time.

use super::argument::{Argument, Moment, read_moment};
use super::asked::{Asked, clause_around};
use super::date::is_end;
use super::offset::is_later;
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_DATE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Mention;
use crate::text::mentions::date::plus;
use crate::text::mentions::role::Bound;

/// Finds moments that are not so far from the record's as the user said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let Some((said, shift)) = told(asked) else { return };
    let Some(record) = moved(asked) else { return };
    let moments = record.fields.iter().filter_map(|(_, value)| read_moment(value.as_str()?));
    let known: Vec<Moment> = moments.take(MAX_MOMENTS).collect();
    for argument in asked.arguments.iter().filter(|argument| argument.is_named(WHEN)) {
        // The end of what has only a beginning follows from its length.
        let Some(moment) = argument.moment().filter(|_| known.len() > 1 || !is_end(argument)) else { continue };
        slips.extend(find_other(asked, argument, moment, (&said, shift), &known));
    }
}

/// How far something moves, in minutes; the direction where it is told.
#[derive(Clone, Copy)]
struct Shift {
    minutes: i64,
    later: Option<bool>,
}

fn find_other(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    moment: Moment,
    told: (&str, Shift),
    known: &[Moment],
) -> Option<Slip> {
    let (said, shift) = told;
    let ways: &[i64] = match shift.later {
        Some(true) => &[1],
        Some(false) => &[-1],
        None => &[1, -1],
    };
    let lands = |base: &Moment| ways.iter().any(|way| is_after(base, way * shift.minutes, moment) != Some(false));
    let (base, wanted) = known.iter().find_map(|base| Some((base, after(base, ways.first()? * shift.minutes)?)))?;
    // What stays as it is was not moved: the beginning of what gets longer.
    let stays = known.iter().any(|base| base.date == moment.date && base.minutes == moment.minutes);
    if stays || known.iter().any(lands) || base.utc != moment.utc {
        return None;
    }
    let (key, from, wanted, shown) = (argument.node.key, show(*base), show(wanted), show(moment));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", counted from {from} that is {wanted}; `{key}` is {shown}",
        "用户说的是“{said}”，从 {from} 算起应为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = localized!(asked.subject.language, "count from the time that it has now", "请从现有的时间推算");
    Some(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a moment lies so much after another one; nothing where they have not the same parts.
fn is_after(base: &Moment, minutes: i64, moment: Moment) -> Option<bool> {
    let wanted = after(base, minutes)?;
    let days = wanted.date.zip(moment.date).map(|(wanted, date)| wanted == date);
    let times = wanted.minutes.zip(moment.minutes).map(|(wanted, time)| wanted == time);
    // Who moves it by days may change the time as well.
    if minutes % DAY == 0 { days } else { times.map(|times| times && days.unwrap_or(true)) }
}

fn after(base: &Moment, minutes: i64) -> Option<Moment> {
    if minutes % DAY == 0 {
        let days = i32::try_from(minutes / DAY).ok()?;
        return Some(Moment { date: Some(plus(base.date?, days)?), ..*base });
    }
    let total = i64::from(base.minutes?) + minutes;
    let days = i32::try_from(total.div_euclid(DAY)).ok()?;
    let date = base.date.and_then(|date| plus(date, days));
    Some(Moment { date, minutes: u16::try_from(total.rem_euclid(DAY)).ok(), utc: base.utc })
}

/// The length by which the user moves something, as it was said. Nothing where a day or a time was said as well.
fn told(asked: &Asked<'_>) -> Option<(String, Shift)> {
    let last = asked.last;
    if last.dates().next().is_some() || last.clocks().next().is_some() {
        return None;
    }
    let mut lengths = last.numbers().filter_map(|(mention, quantity)| {
        let unit = quantity.unit.filter(|unit| unit.dimension == "time" && quantity.bound == Bound::Exact)?;
        let exact = quantity.upper.is_none() && !mention.excluded;
        Some((mention, unit.to_base(quantity.value) / 60.0)).filter(|(_, minutes)| exact && minutes.fract() == 0.0)
    });
    let (mention, minutes) = lengths.next().filter(|_| lengths.next().is_none())?;
    let later = direction(&last.lower, mention)?;
    let minutes = (1.0..MOST).contains(&minutes).then_some(minutes as i64)?;
    Some((last.text(mention).to_owned(), Shift { minutes, later }))
}

/// Whether the words around a length move something, and whether they tell that it becomes later.
fn direction(lower: &str, mention: &Mention) -> Option<Option<bool>> {
    let clause = clause_around(lower, mention.range.start);
    let before = lower.get(..mention.range.start)?.trim_end();
    let led = before.strip_suffix(" by").unwrap_or(before);
    let ends = |list: &str| Cue::named(list).ends(led);
    let moves = Cue::named("moves").stands_in(clause);
    let says = |list: &str| Cue::named(list).stands_in(clause);
    let whither = [" back", " forward", " up", " out"].iter().any(|way| led.ends_with(way));
    // "A night longer", 多住一晚.
    if let Some(later) = is_later(lower, mention) {
        return Some(Some(later));
    }
    match () {
        () if ends("moved-later") => Some(Some(true)),
        () if ends("moved-earlier") => Some(Some(false)),
        () if says("postpones") => Some(Some(true)),
        () if says("brings-forward") && moves => Some(Some(false)),
        // "Move it back a week" is said of both.
        () if moves && whither => Some(None),
        () => None,
    }
}

/// The record that the call names by its id, as it was seen last, where it tells when something is.
fn moved<'a>(asked: &'a Asked<'_>) -> Option<&'a Record<'a>> {
    let ids = asked.arguments.iter().filter(|argument| argument.node.roles.has(Role::Id));
    let ids: Vec<&str> = ids.filter_map(Argument::text).collect();
    let named = |record: &&Record<'_>| ids.iter().any(|id| record.has(id));
    let timed = |record: &&Record<'_>| {
        record.fields.iter().any(|(_, value)| value.as_str().is_some_and(|text| read_moment(text).is_some()))
    };
    asked.records().iter().find(|record| named(record) && timed(record))
}

fn show(moment: Moment) -> String {
    let day = moment.date.map(|date| date.to_string());
    let time = moment.minutes.map(|minutes| format!("{:02}:{:02}", minutes / 60, minutes % 60));
    [day, time].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Words in the names of the times that move with a record.
const WHEN: &[&str] = &[
    "start",
    "starts",
    "begin",
    "date",
    "day",
    "time",
    "when",
    "at",
    "new",
    "due",
    "end",
    "ends",
    "until",
    "to",
    "in",
    "out",
    "checkin",
    "checkout",
    "arrival",
    "departure",
    "return",
];
const DAY: i64 = 24 * 60;
/// Nothing is moved by more minutes than a year has.
const MOST: f64 = 366.0 * 24.0 * 60.0;
const MAX_MOMENTS: usize = 12;
