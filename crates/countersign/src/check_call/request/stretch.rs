//! The two ends of a stretch of days: "from Tuesday to Thursday", 明天开始，一直到周五.

use super::argument::{Argument, Moment};
use super::asked::Asked;
use super::date::is_end;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_DATE;
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::mentions::date::{Days, plus};
use jiff::civil::Date;

/// Finds stretches of which only one end is the one that was said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    slips.extend(find_other_end(asked));
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
