//! The two ends of a stretch of days: "from Tuesday to Thursday", 明天开始，一直到周五.

use super::argument::{Argument, Moment};
use super::asked::Asked;
use super::date::is_end;
use super::moments::moments_of;
use super::slip::{Says, Slip, Strength, compare_hint, show};
use super::trace::{MINUTES_OF_A_DAY, lasts};
use crate::contract::codes::meaning::{OTHER_DATE, OTHER_VALUE};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::date::{Days, plus};
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Reading};
use jiff::civil::Date;

/// Finds stretches of which only one end is the one that was said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    slips.extend(find_other_end(asked).or_else(|| find_other_span(asked)));
    for argument in &asked.arguments {
        let Some(number) = argument.number() else { continue };
        slips.extend(find_other_length(asked, argument, number).or_else(|| find_other_days(asked, argument, number)));
    }
}

/// "Tonight from 10 to 4 in the morning", and `hours` is not 6.
fn find_other_length(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let unit = argument.unit().filter(|unit| unit.dimension == "time" && unit.to_base(1.0) <= AN_HOUR)?;
    // Reminders and breaks have lengths of their own.
    if argument.words.len() > 1 && !argument.is_named(&["duration", "length", "total", "run"]) {
        return None;
    }
    let reading = asked.last;
    let clocks: Vec<(&Mention, Clock)> = reading.clocks().filter(|(mention, _)| !mention.excluded).collect();
    let [(first, begin), (last, end)] = clocks.as_slice() else { return None };
    let between = reading.lower.get(first.range.end..last.range.start)?;
    let joined = Cue::named("lasts-until").ends(between) || joins_ends(between);
    // Breaks and other lengths that were said make another number of it.
    let lengths = asked
        .in_force()
        .flat_map(|reading| reading.numbers())
        .any(|(_, quantity)| quantity.unit.is_some_and(|unit| unit.dimension == "time") || quantity.value == number);
    let days = reading.dates().filter(|(mention, _)| mention.range.start > first.range.start).count();
    if !joined || lengths || days > 1 || between.contains(['.', '。', '；', ';']) {
        return None;
    }
    let apart = (i32::from(end.minutes) - i32::from(begin.minutes)).rem_euclid(MINUTES_OF_A_DAY);
    let sure = begin.sure && end.sure;
    if apart == 0 || lasts(asked, argument, number) {
        return None;
    }
    let (key, said) = (argument.node.key, reading.lower.get(first.range.start..last.range.end)?);
    let (wanted, shown) = (show(f64::from(apart) * 60.0 / unit.to_base(1.0)), show(number));
    let evidence = localized!(
        asked.subject.language,
        "\"{said}\" is {wanted} in the unit of `{key}`; `{key}` is {shown}",
        "“{said}”按 `{key}` 的单位为 {wanted}；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    let strength = if sure { Strength::Strong } else { Strength::Weak };
    Some(Slip::on(asked, argument, &OTHER_VALUE, strength, Says { evidence, hint }))
}

/// "Thursday, Friday and Saturday", and `days` is not 3.
fn find_other_days(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let counts = argument.words.last().is_some_and(|word| word == "days") && argument.words.len() <= 2;
    let reading = asked.last;
    let named: Vec<(&Mention, Date)> = reading
        .dates()
        .filter_map(|(mention, words)| {
            let days = words.resolve(asked.today);
            days.first().filter(|days| days.is_one() && !mention.excluded).map(|days| (mention, days.first))
        })
        .collect();
    let in_row = named.windows(2).all(|pair| {
        let [(one, first), (other, second)] = pair else { return false };
        let between = reading.lower.get(one.range.end..other.range.start).unwrap_or_default();
        let listed = matches!(between.trim(), "," | "and" | ", and" | "&" | "和" | "、" | "，" | "跟" | "还有");
        // Of two weekdays the second may be the one of the week after.
        listed
            && (plus(*first, 1) == Some(*second)
                || plus(*first, 1).and_then(|next| plus(next, 7)) == Some(*second)
                || plus(*first, -6) == Some(*second))
    });
    let all = named.len() == reading.dates().count();
    let told = asked
        .readings()
        .flat_map(Reading::numbers)
        .any(|(_, own)| own.value == number || own.unit.is_some_and(|unit| unit.dimension == "time"));
    let wanted = named.len() as f64;
    if !counts || !all || !in_row || told || named.len() < 2 || number == wanted {
        return None;
    }
    let (first, last) = named.first().zip(named.last())?;
    let said = reading.lower.get(first.0.range.start..last.0.range.end)?;
    let (key, wanted, shown) = (argument.node.key, show(wanted), show(number));
    let evidence = localized!(
        asked.subject.language,
        "\"{said}\" are {wanted} days; `{key}` is {shown}",
        "“{said}”是 {wanted} 天；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// "Tuesday to Thursday", and the last day of the call is not Thursday.
fn find_other_end(asked: &Asked<'_>) -> Option<Slip> {
    let moments: Vec<(&Argument<'_>, Moment)> =
        asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?))).collect();
    let [(first, from), (last, to)] = moments.as_slice() else { return None };
    let (start, end) = (from.date?, to.date?);
    let (said, begins, ends) = asked.in_force().find_map(|reading| range_in(asked, reading))?;
    let among = |days: &[Days], date: Date| {
        days.iter().any(|days| days.first <= date && date <= days.last || plus(days.last, 1) == Some(date))
    };
    let wrong = match (among(&begins, start), among(&ends, end)) {
        (true, false) => last,
        (false, true) => first,
        _ => return None,
    };
    if !is_end(last) || is_end(first) {
        return None;
    }
    let (key, date) = (wrong.node.key, wrong.moment()?.date?);
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\"; `{key}` is {date}",
        "用户说的是“{said}”；而 `{key}` 是 {date}"
    );
    let hint = localized!(asked.subject.language, "send both ends as they were said", "请按用户所说填写起止日期");
    Some(Slip::on(asked, wrong, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// "At 18:45 for two and a half hours", and the call ends two hours after it begins.
fn find_other_span(asked: &Asked<'_>) -> Option<Slip> {
    let moments: Vec<(&Argument<'_>, Moment)> =
        asked.arguments.iter().filter_map(|argument| Some((argument, argument.moment()?))).collect();
    let moments: Vec<_> = moments.into_iter().filter(|(_, moment)| moment.minutes.is_some()).collect();
    let [(first, from), (last, to)] = moments.as_slice() else { return None };
    let (begin, end) = (from.minutes?, to.minutes?);
    if is_end(first) || !is_end(last) || from.utc != to.utc {
        return None;
    }
    // Without a day, what ends before it begins ends on the next one.
    let apart = i32::from(end) - i32::from(begin);
    let minutes = match from.date.zip(to.date) {
        Some((from, to)) => from.until(to).ok()?.get_days() * MINUTES_OF_A_DAY + apart,
        None => apart.rem_euclid(MINUTES_OF_A_DAY),
    };
    let (said, wanted) = length_in(asked, from.minutes?)?;
    // Who tells when it ends needs no length.
    let told = asked.readings().any(|reading| reading.clocks().any(|(_, clock)| clock.is(end)));
    if told || minutes == wanted || moments_of(&asked.results).iter().any(|moment| moment.minutes == Some(end)) {
        return None;
    }
    let (hour, minute) = ((i32::from(begin) + wanted) / 60 % 24, (i32::from(begin) + wanted) % 60);
    let (key, shown) = (last.node.key, format!("{:02}:{:02}", end / 60, end % 60));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", which ends at {hour:02}:{minute:02}; `{key}` is {shown}",
        "用户说的是“{said}”，应到 {hour:02}:{minute:02} 结束；而 `{key}` 是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, last, &OTHER_DATE, Strength::Strong, Says { evidence, hint }))
}

/// The one length of time in the user's last words, with the one time of day at which it begins.
fn length_in<'a>(asked: &Asked<'a>, begin: u16) -> Option<(&'a str, i32)> {
    let reading = asked.last;
    let mut lengths = reading.numbers().filter_map(|(mention, own)| {
        let unit = own.unit.filter(|unit| unit.dimension == "time" && unit.to_base(1.0) <= AN_HOUR)?;
        Some((mention, own, unit.to_base(own.value) / 60.0))
    });
    let (mention, own, minutes) = lengths.next().filter(|_| lengths.next().is_none())?;
    let exact = own.bound == Bound::Exact && own.upper.is_none() && !mention.excluded;
    let mut clocks = reading.clocks().filter(|(mention, _)| !mention.excluded);
    let (hour, clock) = clocks.next().filter(|_| clocks.next().is_none())?;
    let starts = clock.is(begin) && is_of_one_clause(&reading.lower, hour, mention);
    // "Half an hour before", "every two hours", 提前一小时: no length of what is booked.
    let (before, behind) = (reading.lower.get(..mention.range.start)?, reading.lower.get(mention.range.end..)?);
    let word = behind.split_whitespace().next().unwrap_or_default().trim_end_matches([',', '.', ';', '!', '?']);
    let counted = Cue::named("counts-back").has(word)
        || Cue::named("counts-back").chinese.iter().any(|sign| behind.starts_with(sign))
        || Cue::named("counts-back").ends(before)
        || Cue::named("way-back").has(word)
        || [" every", " each", " the next", "每", "隔"].iter().any(|led| before.trim_end().ends_with(led));
    let lasts = before.trim_end().ends_with("for")
        || before.trim_end().ends_with("for about")
        || matches!(word, "long" | "session" | "slot" | "meeting" | "call")
        || !reading.text(mention).is_ascii() && begins_clause(before);
    let whole = minutes.fract() == 0.0 && (1.0..f64::from(MINUTES_OF_A_DAY)).contains(&minutes);
    (exact && starts && whole && lasts && !counted).then(|| (reading.text(mention), minutes as i32))
}

/// Whether a time of day and a length belong to one statement: "lunch at noon, she is in town for three hours" has two.
fn is_of_one_clause(lower: &str, hour: &Mention, length: &Mention) -> bool {
    let (first, second) = if hour.range.start < length.range.start { (hour, length) } else { (length, hour) };
    let Some(between) = lower.get(first.range.end..second.range.start) else { return false };
    let apart = |c: char| !c.is_alphabetic();
    let stated = between.split(apart).any(|word| Cue::named("clause-words").has(word));
    let signs = between.contains(['我', '你', '他', '她', '它']);
    !stated
        && !signs
        && between.chars().count() <= MAX_BETWEEN
        && !between.contains(['.', '!', '?', ';', '。', '；', '！'])
}

/// Whether a Chinese length stands by itself or behind what takes it: 六点开始，两个半小时; not 路上一小时.
fn begins_clause(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with([
        '，', ',', '。', '；', '：', '用', '开', '订', '租', '约', '共', '长', '续', '起', '始', '钟', '半', '点', '整',
    ])
}

/// Two dates with nothing between them but what joins the ends of a stretch, and no other two like them.
fn range_in<'a>(asked: &Asked<'_>, reading: &'a Reading) -> Option<(&'a str, Vec<Days>, Vec<Days>)> {
    let dates: Vec<_> = reading.dates().filter(|(mention, _)| !mention.excluded).collect();
    let mut ranges = dates.windows(2).filter_map(|pair| {
        let [(one, from), (two, to)] = pair else { return None };
        let between = reading.lower.get(one.range.end..two.range.start)?;
        let said = reading.lower.get(one.range.start..two.range.end)?;
        let (begins, ends) = (from.resolve(asked.today), to.resolve(asked.today));
        (joins_ends(between) && !begins.is_empty() && !ends.is_empty()).then_some((said, begins, ends))
    });
    ranges.next().filter(|_| ranges.next().is_none())
}

/// "To", "right through the", 开始，一直到.
fn joins_ends(between: &str) -> bool {
    let mut words: Vec<&str> =
        between.split(|c: char| c.is_whitespace() || matches!(c, ',' | '，')).filter(|word| !word.is_empty()).collect();
    words.retain(|word| !matches!(*word, "the" | "on" | "right" | "all" | "way" | "up" | "开始" | "起"));
    let joined = ["to", "until", "till", "through", "-", "–", "到", "至", "一直到", "开始到", "起到", "开始一直到"];
    matches!(words.as_slice(), [one] if joined.contains(one))
}

/// The seconds of an hour.
const AN_HOUR: f64 = 3600.0;
/// A length is said close to the time at which it begins.
const MAX_BETWEEN: usize = 60;
