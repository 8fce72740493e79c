//! How many there are: "water those three", 四个都去, and the list of the call has another number of them.

use super::asked::Asked;
use super::slip::{Slip, Strength};
use crate::check_call::role::{Role, Roles};
use crate::contract::codes::meaning::{EXTRA, LEFT_OUT};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds lists that have another number of members than was said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let mut lists = asked.subject.arguments.iter().filter_map(|(key, value)| Some((key, value.as_array()?)));
    let Some((key, list)) = lists.next().filter(|_| lists.next().is_none()) else { return };
    let Some((said, count)) = count_of_all(asked, key) else { return };
    // One call for each of them is as good, and so is a number that another argument has.
    let carried =
        asked.arguments.iter().any(|argument| argument.number() == Some(count as f64) && !argument.node.is_item());
    let fits = list.len() == count || list.len() < 2 || carried || is_called_again(asked);
    if fits || !list.iter().all(|item| is_listed(asked, item)) {
        return;
    }
    let shown = list.len();
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` has {shown}",
        "用户说的是“{said}”，而 `{key}` 中有 {shown} 个"
    );
    let hint = localized!(
        asked.subject.language,
        "list those that were meant, and no others",
        "请列出用户所指的全部对象，不多不少"
    );
    let code = if shown < count { &LEFT_OUT } else { &EXTRA };
    let pointer = format!("/arguments/{key}");
    slips.push(Slip { pointer, code, strength: Strength::Strong, evidence, hint });
}

/// The one number by which the user speaks of all that are meant.
fn count_of_all(asked: &Asked<'_>, key: &str) -> Option<(String, usize)> {
    let mut found: Option<(String, usize)> = None;
    for reading in asked.wished() {
        for (mention, quantity) in reading.numbers() {
            let plain = quantity.unit.is_none() && quantity.currency.is_none() && quantity.value.fract() == 0.0;
            if !plain
                || mention.excluded
                || !(2.0..=MOST).contains(&quantity.value)
                || !is_all(reading, mention, quantity)
            {
                continue;
            }
            if is_of_others(reading, quantity, key) {
                return None;
            }
            let count = quantity.value as usize;
            if found.as_ref().is_some_and(|(_, other)| *other != count) {
                return None;
            }
            let end = quantity.noun.end.max(mention.range.end);
            found = Some((reading.lower.get(mention.range.start..end).unwrap_or_default().to_owned(), count));
        }
    }
    found
}

/// "Send all three reports" to two people: whether a number counts other things than the list has.
fn is_of_others(reading: &Reading, quantity: &Quantity, key: &str) -> bool {
    let noun = reading.lower.get(quantity.noun.clone()).unwrap_or_default();
    let first = noun.split(' ').next().unwrap_or_default();
    let own = || identifier_words(key).iter().any(|word| stem(word) == stem(first));
    let people = Roles::of(key, "", None);
    let to_people = people.has(Role::Recipient) || people.has(Role::Email);
    match first.is_ascii() {
        true => first.ends_with('s') && !own(),
        false => to_people && !noun.starts_with('人'),
    }
}

/// "Those three", "all four", 三个人都, 把两首: whether a number counts what is meant as a whole.
fn is_all(reading: &Reading, mention: &Mention, quantity: &Quantity) -> bool {
    let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
    if before.is_ascii() && reading.text(mention).is_ascii() {
        // "Two of those three" are two.
        let led = ["those", "these", "all"].iter().find_map(|word| before.strip_suffix(word));
        return led.is_some_and(|rest| {
            let whole = !rest.ends_with(|c: char| c.is_ascii_alphanumeric());
            whole && !["of", "but", "except", "not", "than"].iter().any(|word| rest.trim_end().ends_with(word))
        });
    }
    let near: String = behind.chars().take(NEAR).collect();
    let near = near.split(['，', '。', ',', '！', '？', '、']).next().unwrap_or_default();
    let led = ["把", "这", "那", "将", "上面"].iter().any(|word| before.ends_with(word));
    quantity.counts && (led || Cue::named("all-of-counted").stands_in(near))
}

/// Whether an item was chosen from what others listed.
fn is_listed(asked: &Asked<'_>, item: &Value) -> bool {
    let known = |value: &Value| match value {
        Value::String(text) => asked.records().iter().any(|record| record.has(&text.to_ascii_lowercase())),
        Value::Number(_) => asked.records().iter().any(|record| record.fields.iter().any(|(_, own)| *own == value)),
        _ => false,
    };
    match item {
        Value::Object(fields) => fields.values().any(|value| value.is_string() && known(value)),
        value => known(value),
    }
}

/// Whether the tool was called before in answer to the same words.
fn is_called_again(asked: &Asked<'_>) -> bool {
    let name = &asked.subject.tool.spec.name;
    asked.subject.conversation.answered_calls().any(|call| call.name == *name)
}

/// More are not counted by hand.
const MOST: f64 = 30.0;
const NEAR: usize = 5;
