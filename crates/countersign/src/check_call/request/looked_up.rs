//! A choice that the look-up was made with and the call changes: places found for a video consultation, booked by phone.
//!
//! The record comes from a look-up that had the same parameter. Where the user has since done no more than pick one, and nobody
//! said the new value, it is a slip. A look-up for any value, or a record that has the new value itself, explains it.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_CHOICE;
use crate::contract::{Arguments, Message, Role, ToolCall, ToolResult};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::{identifier_words, words};
use serde_json::Value;

/// Finds choices that differ from those of the look-up.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let Some(chosen) = argument.text() else { continue };
        if let Some(newer) = find_newer(asked, argument, chosen) {
            slips.push(slip(asked, argument, &newer, chosen));
            continue;
        }
        let allowed = argument.node.param.map(|param| param.allowed.as_slice()).unwrap_or_default();
        let is_allowed =
            |text: &str| allowed.iter().filter_map(Value::as_str).any(|value| value.eq_ignore_ascii_case(text));
        let Some((looked, since, offered)) = look_up(asked, argument) else { continue };
        if looked != chosen && is_allowed(&looked) && since.iter().all(|message| only_picks(message, chosen, &offered))
        {
            slips.push(slip(asked, argument, &looked, chosen));
        }
    }
}

/// The value of a later look-up under the same name, which the user asked for after the one that the call has.
fn find_newer(asked: &Asked<'_>, argument: &Argument<'_>, chosen: &str) -> Option<String> {
    let results = asked.subject.conversation.results();
    let value_of = |(call, _): &(&ToolCall, &ToolResult)| argument_of(call, argument.node.key);
    let mut values = results.iter().rev().filter_map(value_of).map(|value| value.to_ascii_lowercase());
    let newest = &values.next().filter(|newest| newest.as_str() != chosen && newest.chars().count() >= 2)?;
    let says = |value: &str| {
        asked.user().position(|reading| {
            if value.is_ascii() { stands_in(&reading.lower, value) } else { reading.lower.contains(value) }
        })
    };
    let (newer, older) = (says(newest)?, says(chosen)?);
    let replaced = newer < older && values.any(|value| value == chosen);
    let cued = asked.user().nth(newer).is_some_and(|reading| {
        ["replaces", "wait", "mistaken"].iter().any(|list| Cue::named(list).stands_in(&reading.lower))
    });
    (replaced && cued).then(|| newest.clone())
}

/// What a look-up had for the parameter, whose result holds a record of this call; what the user said since then, and what was
/// offered to them.
fn look_up<'a>(asked: &Asked<'a>, argument: &Argument<'_>) -> Option<(String, Vec<&'a Message>, String)> {
    let conversation = asked.subject.conversation;
    let ids: Vec<String> = asked
        .arguments
        .iter()
        .filter_map(|other| other.node.value.as_str())
        .filter(|text| is_id(text))
        .map(str::to_owned)
        .collect();
    let chosen = argument.node.value.as_str()?;
    let pairs = conversation.results();
    let (call, result) = pairs.into_iter().rev().find(|(_, result)| {
        ids.iter().any(|id| holds(&result.content, id, 0)) && result.content.to_string().len() <= MAX_RESULT
    })?;
    let looked = argument_of(call, argument.node.key)?.to_ascii_lowercase();
    let mut offered = result.content.to_string().to_ascii_lowercase();
    if stands_in(&offered, &chosen.to_ascii_lowercase()) {
        return None;
    }
    let messages = conversation.messages();
    let at = messages.iter().position(|message| message.calls.iter().any(|other| std::ptr::eq(other, call)))?;
    let (user, others): (Vec<&Message>, Vec<&Message>) =
        messages.iter().skip(at + 1).partition(|message| message.role == Role::User);
    for message in others {
        offered.push(' ');
        offered.push_str(&message.text.to_ascii_lowercase());
    }
    Some((looked, user, offered))
}

/// Whether a text stands anywhere in a value, or in a key of it.
fn holds(value: &Value, text: &str, depth: usize) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(items) => depth < MAX_DEPTH && items.iter().any(|item| holds(item, text, depth + 1)),
        Value::Object(map) => {
            depth < MAX_DEPTH && map.iter().any(|(key, own)| key.contains(text) || holds(own, text, depth + 1))
        }
        _ => false,
    }
}

fn argument_of(call: &ToolCall, key: &str) -> Option<String> {
    match &call.arguments {
        Arguments::Object(object) => object.get(key)?.as_str().map(str::to_owned),
        Arguments::Text(text) => serde_json::from_str::<Value>(text).ok()?.get(key)?.as_str().map(str::to_owned),
        _ => None,
    }
}

/// Whether a text is an id: letters or signs with a number.
fn is_id(text: &str) -> bool {
    (4..=MAX_ID).contains(&text.len())
        && !text.contains(' ')
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// Whether a message says no more than which one, in words that the assistant or the result had, and nothing of the value.
fn only_picks(message: &Message, chosen: &str, offered: &str) -> bool {
    let lower = message.text.to_ascii_lowercase();
    let spoken = identifier_words(chosen).iter().any(|word| lower.contains(word.as_str()));
    let words = words(&lower);
    let known = |word: &str| {
        word.len() < MIN_WORD
            || stands_in(offered, word)
            || PICKING.contains(&word)
            || word.bytes().any(|byte| byte.is_ascii_digit())
    };
    words.len() <= MAX_PICK && !spoken && words.iter().all(|word| known(&word.folded))
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, looked: &str, chosen: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "`{key}` is `{chosen}`, and it was looked up with `{looked}`; nobody asked for the change",
        "`{key}` 是 `{chosen}`，而查询时用的是 `{looked}`，没有人要求改变"
    );
    let hint = localized!(asked.subject.language, "keep `{looked}`, or ask the user", "请保持 `{looked}`，或询问用户");
    Slip::on(asked, argument, &OTHER_CHOICE, Strength::Strong, Says { evidence, hint })
}

/// Words of a pick that name nothing.
const PICKING: &[&str] = &[
    "please", "then", "that", "thanks", "first", "second", "third", "last", "cheaper", "earlier", "later", "book",
    "take",
];
const MIN_WORD: usize = 4;
const MAX_RESULT: usize = 20_000;
const MAX_ID: usize = 60;
const MAX_DEPTH: usize = 64;
/// "Wednesday then please": a longer answer may say more than which one.
const MAX_PICK: usize = 6;
