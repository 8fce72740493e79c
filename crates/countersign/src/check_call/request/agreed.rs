//! A yes to what the assistant proposed: its question names one id, and the call has another one of the same shape.

use super::argument::{Argument, mask};
use super::asked::Asked;
use super::records::squash;
use super::slip::{Says, Slip, Strength};
use crate::check_call::action::request::is_confirmation;
use crate::contract::Role as Speaker;
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::sentences::sentences;

/// Finds ids that the question does not name, which the user said yes to.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    if !is_confirmation(&asked.last.lower) {
        return;
    }
    let Some(proposal) = proposal(asked) else { return };
    let asks = |sentence: &&str| sentence.trim_end().ends_with(['?', '？']);
    let mut said = sentences(&proposal.lower).into_iter().rev().filter_map(|range| proposal.lower.get(range));
    let Some(question) = said.find(asks) else { return };
    let named = numbers_in(question);
    let ids: Vec<&Argument<'_>> = asked.arguments.iter().filter(|argument| !argument.node.is_item()).collect();
    for argument in ids {
        let Some(text) = argument.text().filter(|text| is_id(text)) else { continue };
        let own = squash(text);
        let names = |id: &str| named.iter().any(|number| id.ends_with(number.as_str()));
        if names(&own)
            || squash(&asked.last.lower).contains(&own)
            || numbers_in(&asked.last.lower).iter().any(|n| own.ends_with(n.as_str()))
        {
            continue;
        }
        let known = known_ids(asked);
        let mut meant: Vec<&(String, String)> = known
            .iter()
            .filter(|(id, _)| *id != own && id.len() == own.len() && mask(id) == mask(&own) && names(id))
            .collect();
        meant.dedup_by(|one, other| one.0 == other.0);
        if let ([(_, shown)], true) = (meant.as_slice(), known.iter().any(|(id, _)| *id == own)) {
            slips.push(slip(asked, argument, text, shown));
        }
    }
}

/// What the assistant said right before the user's last words.
fn proposal<'a>(asked: &Asked<'a>) -> Option<&'a Reading> {
    let messages = asked.subject.conversation.messages();
    let spoken = |role: Speaker, end: usize| {
        messages.iter().take(end).rposition(|message| message.role == role && !message.text.is_empty())
    };
    let user = spoken(Speaker::User, messages.len())?;
    asked.subject.conversation.reading(spoken(Speaker::Assistant, user)?)
}

/// The ids that were said or that results have, squashed and as they stand.
fn known_ids(asked: &Asked<'_>) -> Vec<(String, String)> {
    let spoken =
        asked.readings().flat_map(|reading| reading.literals().map(|mention| reading.text(mention).to_owned()));
    let fields = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, value)| value.as_str());
    let mut known: Vec<(String, String)> = spoken
        .chain(fields.filter(|text| is_id(text)).map(str::to_ascii_lowercase))
        .map(|text| (squash(&text), text))
        .collect();
    known.sort();
    known.dedup_by(|one, other| one.0 == other.0);
    known
}

/// The ids of a text, squashed, and its long numbers: people tell an id by its last digits.
fn numbers_in(lower: &str) -> Vec<String> {
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.map(squash).filter(|word| word.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS).collect()
}

fn is_id(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.len() <= MAX_ID && digits >= MIN_DIGITS && !text.contains(char::is_whitespace)
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, meant: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said yes to `{meant}`, and `{key}` is `{text}`",
        "用户同意的是 `{meant}`，而 `{key}` 是 `{text}`"
    );
    let hint = localized!(asked.subject.language, "use `{meant}`, or ask the user", "请使用 `{meant}`，或询问用户");
    Slip::on(asked, argument, &OTHER_RECORD, Strength::Strong, Says { evidence, hint })
}

const MIN_DIGITS: usize = 3;
const MAX_ID: usize = 40;
