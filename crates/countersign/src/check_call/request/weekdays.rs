//! Days of the week that the user ruled out: "never on a Friday", 周五别排.

use super::asked::{Asked, clause_around};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::mentions::date::{DateWords, Week};

/// Finds dates on such a day, where nobody has asked for that date since.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let Some((said, weekday)) = asked.earlier.iter().find_map(|reading| ruled_out(reading)) else { return };
    for argument in &asked.arguments {
        let Some(date) = argument.moment().and_then(|moment| moment.date) else { continue };
        let again = asked
            .last
            .dates()
            .any(|(_, words)| words.resolve(asked.today).iter().any(|days| days.first <= date && date <= days.last));
        if date.weekday().to_monday_zero_offset() != weekday || again {
            continue;
        }
        let key = argument.node.key;
        let evidence = localized!(
            asked.subject.language,
            "the user said before: \"{said}\"; `{key}` is {date}, which is that day of the week",
            "用户之前说过：“{said}”；而 `{key}` 是 {date}，正是那一天"
        );
        let hint = localized!(asked.subject.language, "take another day, or ask", "请改选其他日子，或询问用户");
        slips.push(Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }));
    }
}

/// The clause that rules a day of the week out for good, and the day.
fn ruled_out(reading: &Reading) -> Option<(&str, i8)> {
    reading.dates().find_map(|(mention, words)| {
        let DateWords::Weekday(weekday, Week::Unsaid) = words else { return None };
        let clause = clause_around(&reading.lower, mention.range.start);
        let before = reading.lower.get(..mention.range.start)?.trim_end().trim_end_matches(" a");
        let behind = reading.lower.get(mention.range.end..)?;
        let never = Cue::named("never-on");
        let plural = reading.text(mention).ends_with('s') || behind.starts_with('s');
        let english = ["never on", "not on", "nothing on"].iter().any(|word| before.ends_with(word))
            || plural && before.ends_with(" no");
        let standing = plural || Cue::named("standing").stands_in(&reading.lower) || before.ends_with("never on");
        let chinese = never.chinese.iter().any(|word| behind.starts_with(word))
            && Cue::named("standing").stands_in(&reading.lower);
        (english && standing || chinese).then(|| (clause.trim(), weekday))
    })
}
