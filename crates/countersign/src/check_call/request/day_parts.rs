//! A record on the day of one wish and in the part of the day of another: "Thursday afternoon, otherwise Friday morning", and
//! the call takes the slot of Thursday morning.

use super::argument::{Argument, read_moment};
use super::asked::{Asked, stands_in};
use super::date::PARTS;
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::localized;
use crate::text::mentions::Reading;
use jiff::civil::Date;

/// Finds records whose day was named with another part of the day, where one of the list has both.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let wishes: Vec<Wish> = wishes_of(asked, asked.last);
    if wishes.is_empty() {
        return;
    }
    for argument in &asked.arguments {
        let Some(text) = argument.reference() else { continue };
        let spoken = || asked.user().any(|reading| stands_in(&reading.lower, &text));
        let Some(own) = asked.records().iter().find(|record| record.has(&text)).filter(|_| !spoken()) else { continue };
        let Some(wish) = wishes.iter().find(|wish| wish.is_of_its_day(own)) else { continue };
        let fits = |record: &Record<'_>| wishes.iter().any(|wish| wish.is_met_by(record));
        let told = time_of(own).is_some() || part_of(own).is_some();
        let better = asked.records().iter().any(|other| other.list == own.list && fits(other));
        if told && !fits(own) && better {
            slips.push(say(asked, argument, &text, &wish.said));
        }
    }
}

/// A day with a part of it.
struct Wish {
    date: Date,
    hours: (u16, u16),
    said: String,
}

impl Wish {
    fn is_of_its_day(&self, record: &Record<'_>) -> bool {
        day_of(record) == Some(self.date)
    }

    fn is_met_by(&self, record: &Record<'_>) -> bool {
        let hours = |minutes: u16| (self.hours.0..=self.hours.1).contains(&minutes);
        self.is_of_its_day(record)
            && (time_of(record).is_some_and(hours) || part_of(record).is_some_and(|hours| hours == self.hours))
    }
}

/// The days of a message that stand right before a part of the day; nothing where a day stands alone as well.
fn wishes_of(asked: &Asked<'_>, reading: &Reading) -> Vec<Wish> {
    let mut found: Vec<Wish> = Vec::new();
    for (mention, words) in reading.dates() {
        let days = words.resolve(asked.today);
        let [one] = days.as_slice() else { return Vec::new() };
        let behind = reading.lower.get(mention.range.end..).unwrap_or_default().trim_start();
        let part = PARTS.iter().find(|(word, ..)| behind.starts_with(word) || reading.text(mention).ends_with(word));
        let Some((word, from, to)) = part.filter(|_| one.is_one() && !mention.excluded) else { return Vec::new() };
        let said = format!("{} {word}", reading.text(mention).trim_end_matches(word).trim());
        found.push(Wish { date: one.first, hours: (*from, *to), said });
    }
    found
}

/// The one day of a record.
fn day_of(record: &Record<'_>) -> Option<Date> {
    let mut days = record.fields.iter().filter_map(|(_, value)| read_moment(value.as_str()?)?.date);
    let first = days.next()?;
    days.all(|day| day == first).then_some(first)
}

/// The time at which a record begins.
fn time_of(record: &Record<'_>) -> Option<u16> {
    record.fields.iter().find_map(|(_, value)| read_moment(value.as_str()?)?.minutes)
}

/// The part of the day that a record names.
fn part_of(record: &Record<'_>) -> Option<(u16, u16)> {
    let texts = record.fields.iter().filter_map(|(_, value)| value.as_str()).filter(|text| text.len() <= MAX_FIELD);
    let mut parts = texts.flat_map(|text| {
        let lower = text.to_lowercase();
        let named = move |word: &str| if word.is_ascii() { stands_in(&lower, word) } else { lower.contains(word) };
        PARTS.iter().filter(move |(word, ..)| named(word)).map(|(_, from, to)| (*from, *to))
    });
    let first = parts.next()?;
    parts.all(|part| part == first).then_some(first)
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, said: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` is `{text}`, which is in another part of that day",
        "用户说的是“{said}”，而 `{key}` 是 `{text}`，属于当天的另一个时段"
    );
    let hint = localized!(
        asked.subject.language,
        "take one in the part of the day that was asked for, or ask",
        "请选择用户所说时段内的，或先询问用户"
    );
    Slip::on(asked, argument, &OTHER_RECORD, Strength::Strong, Says { evidence, hint })
}

/// A longer text is no name of a time.
const MAX_FIELD: usize = 40;
