//! Rows with ranges in them: "pages 12 to 30 and 45 to 50", and the list has only the first.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::LEFT_OUT;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity, Reading};

/// Finds a list that has a range of such a row, and lacks another member of it.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let items: Vec<&Argument<'_>> = asked.arguments.iter().filter(|argument| argument.node.is_item()).collect();
    let Some(first) = items.first().filter(|_| !Cue::named("only").stands_in(&asked.last.lower)) else { return };
    let listed: Vec<Vec<f64>> = items.iter().map(|item| numbers_of(item)).collect();
    let all: Vec<f64> = asked.arguments.iter().flat_map(numbers_of).collect();
    let row = row_of(asked.last);
    let is_listed = |(_, own): &(&Mention, &Quantity)| {
        own.upper.is_some_and(|upper| listed.iter().any(|item| item.as_slice() == [own.value, upper]))
    };
    if !row.iter().any(is_listed) {
        return;
    }
    let inside = |value: f64| {
        all.contains(&value)
            || listed.iter().any(|item| matches!(item.as_slice(), [from, to] if (*from..=*to).contains(&value)))
    };
    let missing = row.iter().find(|(_, own)| !inside(own.value) && own.upper.is_none_or(|upper| !inside(upper)));
    let Some((mention, _)) = missing else { return };
    let (said, key) = (asked.last.text(mention), first.node.key);
    let evidence = localized!(
        asked.subject.language,
        "the user also said \"{said}\", and `{key}` leaves it out",
        "用户还说了“{said}”，而 `{key}` 中没有"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    slips.push(Slip::on(asked, first, &LEFT_OUT, Strength::Strong, Says { evidence, hint }));
}

/// The longest row of numbers and ranges that nothing but a comma or an "and" joins.
fn row_of(reading: &Reading) -> Vec<(&Mention, &Quantity)> {
    let mut longest: Vec<(&Mention, &Quantity)> = Vec::new();
    let mut row: Vec<(&Mention, &Quantity)> = Vec::new();
    for (mention, quantity) in reading.numbers().filter(|(mention, _)| !mention.excluded) {
        let end = row.last().map_or(0, |(last, _)| last.range.end);
        let between = reading.lower.get(end..mention.range.start).unwrap_or_default().trim_end();
        let joined = JOINS.iter().any(|word| between.ends_with(word)) && between.chars().count() <= MAX_BETWEEN;
        if !joined || between.contains(['.', ';', '。', '；', '，']) {
            row.clear();
        }
        row.push((mention, quantity));
        if row.len() > longest.len() {
            longest.clone_from(&row);
        }
    }
    longest
}

/// The numbers that stand in an argument.
fn numbers_of(argument: &Argument<'_>) -> Vec<f64> {
    if let Some(number) = argument.number() {
        return vec![number];
    }
    let digits = argument.text().unwrap_or_default().split(|c: char| !c.is_ascii_digit() && c != '.');
    digits.filter_map(|part| part.parse().ok()).take(MAX_NUMBERS).collect()
}

/// What joins the members of a row.
const JOINS: &[&str] = &[",", "and", "&", "plus", "、", "和", "及", "还有"];
/// No more than what is counted and the joint stand between two members.
const MAX_BETWEEN: usize = 12;
const MAX_NUMBERS: usize = 64;
