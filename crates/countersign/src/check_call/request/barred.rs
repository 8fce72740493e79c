//! Hours and days that the user ruled out: "nothing between 12 and 3", 12点到15点限电，别排, "nobody goes out before Thursday".

use super::argument::Argument;
use super::asked::{Asked, clause_around, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::date::Days;
use crate::text::mentions::{Mention, Reading, What};
use jiff::civil::Date;
use std::ops::Range;

/// Finds times and days of a call that the user ruled out and named in no message since.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    if asked.subject.tool.effects.effects.contains(&Effect::Read) || asked.takes_away() {
        return;
    }
    let begins = |argument: &&Argument<'_>| {
        argument.words.last().is_some_and(|word| BEGINS.contains(&word.as_str())) && !argument.is_named(NO_BEGINNING)
    };
    for argument in asked.arguments.iter().filter(begins) {
        let Some(moment) = argument.moment() else { continue };
        let date = moment.date.or_else(|| only_date(asked));
        let hours = moment.minutes.and_then(|minutes| find_hours(asked, minutes, date));
        let day = || moment.date.and_then(|date| find_day(asked, date));
        slips.extend(hours.or_else(day).map(|said| say(asked, argument, &said)));
    }
}

/// The one date of the call.
fn only_date(asked: &Asked<'_>) -> Option<Date> {
    let mut dates = asked.arguments.iter().filter_map(|argument| argument.moment()?.date);
    dates.next().filter(|_| dates.next().is_none())
}

/// The words that rule out a time of day.
fn find_hours(asked: &Asked<'_>, minutes: u16, date: Option<Date>) -> Option<String> {
    asked.user().enumerate().find_map(|(age, reading)| {
        let (range, hours) = stretches(reading).into_iter().find(|(_, hours)| hours.contains(&minutes))?;
        let again = asked.user().take(age + 1).flat_map(|other| other.clocks().map(move |found| (other, found)));
        let mut again = again.filter(|(other, (mention, _))| {
            !(std::ptr::eq(*other, reading) && range.start <= mention.range.start && mention.range.end <= range.end)
        });
        let holds = is_on_its_days(asked, reading, date) && is_barred(&reading.lower, &range);
        (holds && !again.any(|(_, (_, clock))| clock.is(minutes)) && hours.start < hours.end)
            .then(|| clause_around(&reading.lower, range.start).trim().to_owned())
    })
}

/// The stretches of hours in a text, each with the minutes of the day from its beginning until its end.
fn stretches(reading: &Reading) -> Vec<(Range<usize>, Range<u16>)> {
    let mut found = Vec::new();
    for mention in &reading.mentions {
        if let Some((from, Some(until))) = hours_of(reading, mention) {
            found.push((mention.range.clone(), hours_between(from, until)));
        }
    }
    for pair in reading.mentions.windows(2) {
        let [one, two] = pair else { continue };
        let (Some((from, None)), Some(until)) = (hours_of(reading, one), second_hour(two)) else { continue };
        let gap = reading.lower.get(one.range.end..two.range.start).unwrap_or_default().trim();
        if Cue::named("until-an-hour").english.contains(&gap) || Cue::named("until-an-hour").chinese.contains(&gap) {
            found.push((one.range.start..two.range.end, hours_between(from, until)));
        }
    }
    found
}

/// The hour of a mention, and the second one where it is a stretch. A bare number is one behind "between" or "from".
fn hours_of(reading: &Reading, mention: &Mention) -> Option<(Clock, Option<Clock>)> {
    if let What::Clock(clock) = mention.what {
        return Some((clock, None));
    }
    let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let timed = Cue::named("before-a-time").ends(before);
    let What::Number(quantity) = &mention.what else { return None };
    let upper = quantity.upper.and_then(hour);
    timed.then(|| Some((second_hour(mention)?, upper))).flatten()
}

fn second_hour(mention: &Mention) -> Option<Clock> {
    match &mention.what {
        What::Clock(clock) => Some(*clock),
        What::Number(quantity) if quantity.unit.is_none() && quantity.currency.is_none() => hour(quantity.value),
        _ => None,
    }
}

fn hour(value: f64) -> Option<Clock> {
    let whole = (0.0..=24.0).contains(&value) && value.fract() == 0.0;
    whole.then_some(Clock { minutes: value as u16 % 24 * 60, sure: value > 12.0 })
}

/// The minutes of the day between two hours; 2 to 4 is in the afternoon.
fn hours_between(from: Clock, until: Clock) -> Range<u16> {
    let start = if !from.sure && from.minutes < EARLY { from.minutes + HALF } else { from.minutes };
    let end = if !until.sure && until.minutes <= start { until.minutes + HALF } else { until.minutes };
    start..end
}

/// Whether a stretch is what must not be: "nothing between …", 别在…, and behind it "is out", 别排, 别排这个时间.
fn is_barred(lower: &str, range: &Range<usize>) -> bool {
    let clause = clause_around(lower, range.start);
    let from = clause.as_ptr() as usize - lower.as_ptr() as usize;
    let (before, behind) = (
        lower.get(from..range.start).unwrap_or_default(),
        lower.get(range.end..from + clause.len()).unwrap_or_default(),
    );
    let next = lower.get(from + clause.len()..).unwrap_or_default();
    let next: &str = next.trim_start_matches([',', '，', '.', '。', ';', '；', ' ']);
    let next = next.split(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！']).next().unwrap_or_default();
    let bars = |text: &str| Cue::named("denies-time").english.iter().any(|word| stands_in(text, word));
    let bars_zh = |text: &str| Cue::named("no-time").chinese.iter().any(|word| text.contains(word));
    // "Works then and not a minute longer" rules out the rest of the day, and not the time itself.
    let meant =
        Cue::named("that-time").find_in(next).map(|(word, at)| (next.get(..at).unwrap_or_default(), at + word.len()));
    let meant = meant.filter(|(ahead, end)| {
        let behind = next.get(*end..).unwrap_or_default();
        bars(ahead) || bars_zh(next) || !behind.contains(" and ") && bars(behind)
    });
    bars(before) || bars_zh(before) || bars_zh(behind) || meant.is_some()
}

/// Whether the days that a text names, if any, are those of the call.
fn is_on_its_days(asked: &Asked<'_>, reading: &Reading, date: Option<Date>) -> bool {
    let named: Vec<Days> = reading.dates().flat_map(|(_, words)| words.resolve(asked.today)).collect();
    reading.dates().next().is_none()
        || date.is_some_and(|date| named.iter().any(|days| days.first <= date && date <= days.last))
}

/// The words that rule out all days before one: "nobody … before Thursday", 周四之前别派人.
fn find_day(asked: &Asked<'_>, date: Date) -> Option<String> {
    let (age, reading, mention) = asked.user().enumerate().find_map(|(age, reading)| {
        let (mention, _) = reading.dates().find(|(mention, words)| {
            let mut days = words.resolve(asked.today).into_iter();
            let first = days.next().filter(|days| days.is_one()).map(|days| days.first);
            first.is_some_and(|first| date < first && asked.today.is_some_and(|today| today <= date))
                && opens_on(&reading.lower, mention)
        })?;
        Some((age, reading, mention))
    })?;
    let again = asked.user().take(age).any(|other| other.dates().next().is_some());
    (!again).then(|| clause_around(&reading.lower, mention.range.start).trim().to_owned())
}

/// Whether nothing may be before a day.
fn opens_on(lower: &str, mention: &Mention) -> bool {
    let clause = clause_around(lower, mention.range.start);
    let before = lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let behind = lower.get(mention.range.end..).unwrap_or_default();
    let led = before.ends_with("before") || before.ends_with("until") || before.ends_with("till");
    let lead = clause.split(' ').find(|word| !word.is_empty()).unwrap_or_default();
    let nobody = led && (Cue::named("nobody").has(lead) || clause.trim_start().starts_with("no one"));
    let behind = ["之前", "以前", "前"].iter().find_map(|word| behind.strip_prefix(word));
    let denied = behind.is_some_and(|rest| {
        let rest = rest.split(['，', '。', '；', '！', ',', '.']).next().unwrap_or_default();
        let rest = ["都", "先", "谁都", "一律"].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        ["别", "不要", "不能", "不许", "不安排", "不派"].iter().any(|word| rest.starts_with(word))
            && !rest.contains('忘')
    });
    nobody || denied
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str) -> Slip {
    let (key, shown) = (argument.node.key, argument.node.value.as_str().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\"; `{key}` is `{shown}`",
        "用户说过“{said}”；而 `{key}` 是 `{shown}`"
    );
    let hint = localized!(
        asked.subject.language,
        "take a time that was not ruled out, or ask the user",
        "请避开用户排除的时间，或询问用户"
    );
    Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint })
}

const HALF: u16 = 720;
/// Nobody means an hour of the night without saying so.
const EARLY: u16 = 420;
/// What the beginning of something is called.
const BEGINS: &[&str] = &["date", "day", "start", "begin", "when", "at", "on", "time", "from", "slot", "datetime"];
/// Dates and times at which nothing begins.
const NO_BEGINNING: &[&str] =
    &["due", "birth", "invoice", "issue", "issued", "expiry", "end", "finish", "return", "payment", "order", "created"];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn hours_are_ruled_out() {
        let barred = |text: &str| -> Vec<(u16, u16)> {
            let reading = Reading::of(text);
            stretches(&reading)
                .into_iter()
                .filter(|(range, _)| is_barred(&reading.lower, range))
                .map(|(_, hours)| (hours.start, hours.end))
                .collect()
        };
        assert_eq!(barred("nothing between 12 and 3 please"), [(720, 900)]);
        assert_eq!(barred("这周中午12点到下午3点限电，别排这个时间"), [(720, 900)]);
        assert_eq!(barred("don't book anything from 2pm to 4pm"), [(840, 960)]);
        assert!(barred("12点到3点来，别迟到").is_empty() && barred("i can't wait, 12:00 to 15:00 is fine").is_empty());
    }

    #[test]
    fn days_are_opened() {
        let opens = |text: &str| {
            let reading = Reading::of(text);
            reading.dates().any(|(mention, _)| opens_on(&reading.lower, mention))
        };
        assert!(opens("nobody goes out before thursday") && opens("周四之前都别派人"));
        assert!(!opens("don't forget to do it before thursday") && !opens("周四之前别忘了寄"));
    }
}
