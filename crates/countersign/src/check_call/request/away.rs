//! Who is not there: "Priya is on leave until the 24th", and a later call gives Priya the work.

use super::asked::{Asked, clause_around, find_whole};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::mentions::date::Days;

/// Finds people of whom the user said before that they are away.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    if asked.subject.tool.effects.effects.contains(&Effect::Read) || asked.takes_away() {
        return;
    }
    for argument in &asked.arguments {
        let text = argument.text().filter(|text| text.chars().count() >= 2 && text.len() <= MAX_NAME);
        let listed = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
        let named = |text: &&str| !listed && !text.contains(|c: char| c.is_ascii_digit());
        let Some(name) = text.filter(named) else { continue };
        let Some(reading) = asked.user().find(|reading| find_whole(&reading.lower, name).is_some()) else { continue };
        // Who is named again afterwards may well be meant.
        let Some(said) = absence(reading, name).filter(|_| !std::ptr::eq(reading, asked.last)) else { continue };
        if is_over(asked, reading) {
            continue;
        }
        let key = argument.node.key;
        let evidence = localized!(
            asked.subject.language,
            "the user said before: \"{said}\"; `{key}` is `{name}`",
            "用户之前说过：“{said}”；而 `{key}` 是 `{name}`"
        );
        let hint = localized!(asked.subject.language, "take somebody who is there, or ask", "请改选其他人，或询问用户");
        slips.push(Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }));
    }
}

/// The clause that says that somebody is away.
fn absence<'r>(reading: &'r Reading, name: &str) -> Option<&'r str> {
    let clause = clause_around(&reading.lower, find_whole(&reading.lower, name)?);
    let (word, _) = Cue::named("away").find_in(&clause.replace(name, " "))?;
    clause.contains(word).then(|| clause.trim())
}

/// Whether the last day that the message names has passed.
fn is_over(asked: &Asked<'_>, reading: &Reading) -> bool {
    let days = reading.dates().flat_map(|(_, words)| words.resolve(asked.today));
    let last = days.map(|days: Days| days.last).max();
    last.zip(asked.today).is_some_and(|(last, today)| last < today)
}

const MAX_NAME: usize = 40;
