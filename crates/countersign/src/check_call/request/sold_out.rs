//! A record of which there is nothing left: "Thursday if there is a place, otherwise Friday", and the call books Thursday, of
//! which the look-up said `left: 0`, while another one of the list is free.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::check_call::action::standing::is_state_key;
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::Deeds;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds records that are taken where a free one stands beside them.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let spec = &asked.subject.tool.spec;
    let takes = spec.deeds().deeds.meet(&Deeds::named(&["book", "borrow", "subscribe", "join"]));
    let waits = Cue::named("waiting-list");
    if !takes || waits.stands_in(&spec.name.replace('_', " ")) || waits.stands_in(&spec.description.to_lowercase()) {
        return;
    }
    for argument in &asked.arguments {
        let Some(text) = argument.reference() else { continue };
        // Who names the record, or waits for it, wants it all the same.
        if asked.user().any(|reading| stands_in(&reading.lower, &text) || waits.stands_in(&reading.lower)) {
            continue;
        }
        let Some(own) = asked.records().iter().find(|record| record.has(&text)) else { continue };
        let mut others = asked.records().iter().filter(|other| other.list == own.list && !other.has(&text));
        let Some(field) = own.fields.iter().find(|field| is_left(own, field) == Some(false)) else { continue };
        if others.any(|other| other.fields.iter().any(|field| is_left(other, field) == Some(true))) {
            slips.push(say(asked, argument, &text, field));
        }
    }
}

/// Whether a field tells that some are left, or that none are; nothing for any other field.
fn is_left(record: &Record<'_>, (key, value): &(&str, &Value)) -> Option<bool> {
    let words = identifier_words(key);
    if is_state_key(key) {
        let state = value.as_str()?.to_lowercase().replace(['_', '-'], " ");
        let says = |cue: &str| Cue::named(cue).stands_in(&state);
        return match (says("all-taken"), says("some-left")) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        };
    }
    if words.iter().any(|word| Cue::named("how-many-fit").has(word)) {
        let mut taken = record
            .fields
            .iter()
            .filter(|(other, _)| identifier_words(other).iter().any(|word| Cue::named("how-many-taken").has(word)));
        return Some(taken.next()?.1.as_f64()? < value.as_f64()?);
    }
    let counts = words.iter().any(|word| Cue::named("what-is-left").has(word))
        || Cue::named("what-is-left").chinese.iter().any(|word| key.contains(word));
    // `left` beside `right` is a side.
    let side = || record.fields.iter().any(|(other, _)| identifier_words(other).iter().any(|word| word == "right"));
    if !counts || words.iter().any(|word| word == "left") && side() {
        return None;
    }
    match value {
        Value::Number(number) => Some(number.as_f64()? > 0.0),
        // `free: false` costs something.
        Value::Bool(free) => Some(*free).filter(|_| !words.iter().any(|word| word == "free")),
        // "0 of 12", 0/12.
        Value::String(text) => {
            let first = text.split([' ', '/']).next().unwrap_or_default();
            first.parse::<f64>().ok().map(|number| number > 0.0)
        }
        _ => None,
    }
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, (field, value): &(&str, &Value)) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "`{key}` is `{text}`, of which `{field}` is {value}, and another one is free",
        "`{key}` 是 `{text}`，而它的 `{field}` 是 {value}，另有可选的"
    );
    let hint = localized!(
        asked.subject.language,
        "take one that is free and fits what the user said, or ask",
        "请选择仍有名额且符合用户要求的，或先询问用户"
    );
    Slip::on(asked, argument, &OTHER_RECORD, Strength::Strong, Says { evidence, hint })
}
