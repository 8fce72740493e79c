//! Whether a call's values come from what the user said last.
//!
//! People seldom use a tool's words: "why is payments down?" asks for a list of machines. Where a value of the call
//! stands in the request, somebody meant this call, and nothing is said against it. This only ever excuses.

use super::super::provenance::sources::{Sources, folded};
use super::super::provenance::{alias, moments, names};
use super::super::role::Role;
use super::super::subject::{Node, Subject};
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::conversation::vocabulary::{Spoken, Vocabulary};
use crate::policy::Effect;
use crate::text::lists::word_list;
use serde_json::Value;

/// Whether any value of the call comes from the request.
pub(crate) fn any(subject: &Subject<'_>) -> bool {
    let Some(sources) = Sources::of(subject) else { return true };
    subject.values.leaves().any(|node| comes_from_request(node, subject, &sources))
}

/// Whether the call has a text that could have come from the request.
pub(crate) fn has_text(subject: &Subject<'_>) -> bool {
    subject.values.leaves().any(|node| node.value.as_str().is_some_and(|text| text.chars().any(char::is_alphanumeric)))
}

fn comes_from_request(node: &Node<'_>, subject: &Subject<'_>, sources: &Sources<'_>) -> bool {
    let index = subject.conversation.index();
    match node.value {
        Value::Number(number) => stands(index.asked(), &number.to_string()),
        Value::String(text) if text.len() <= MAX_TEXT => {
            let folded = folded(text);
            let (spoken, request) = index.request();
            let other = |other: &str| stands_in(index.asked(), other);
            stands(index.asked(), &folded)
                || request.meets(&Vocabulary::of(&folded))
                || (*spoken == Spoken::Chinese && shares_character(index.asked(), &folded))
                || alias::others(&folded).any(other)
                || names::is_abbreviation(text, sources)
                || (text.starts_with(|c: char| c.is_ascii_digit()) && is_dated(text, sources, index.asked()))
        }
        _ => false,
    }
}

/// A value of more than one sign that is in a text.
fn stands(asked: &str, folded: &str) -> bool {
    folded.chars().count() > 1 && stands_in(asked, folded)
}

/// A short Chinese value with a character of the request.
fn shares_character(asked: &str, folded: &str) -> bool {
    folded.chars().take(MAX_NAME).any(|c| is_han(c) && asked.contains(c))
}

/// A date that follows from a day or a time that was spoken of.
fn is_dated(text: &str, sources: &Sources<'_>, asked: &str) -> bool {
    DAYS.iter().any(|day| stands_in(asked, day)) && moments::follows(text, sources)
}

/// Whether the user named what an irreversible call is about: the amount that is paid, the one who is written to. A
/// thing that is to be deleted may not have been named for something else.
pub(crate) fn object(subject: &Subject<'_>) -> bool {
    let asked = subject.conversation.index().asked();
    let has = |effect: Effect| subject.tool.effects.effects.contains(&effect);
    let named = |node: &Node<'_>| match node.value {
        Value::Number(number) => stands(asked, &number.to_string()),
        Value::String(text) if text.len() <= MAX_TEXT => {
            !node.roles.has(Role::FreeText) && stands(asked, &folded(text))
        }
        _ => false,
    };
    let other = || {
        let words = asked.split(|c: char| !c.is_ascii_alphabetic());
        words.into_iter().any(|word| DEEDS.contains(&word)) || DEEDS_ZH.iter().any(|word| asked.contains(word))
    };
    !(is_question(asked) || has(Effect::Delete) && other()) && subject.values.leaves().any(named)
}

/// Whether a request asks for knowledge: it begins like a question and ends like one.
pub(crate) fn is_question(asked: &str) -> bool {
    let asked = asked.trim();
    let first = asked.split(|c: char| !c.is_ascii_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    let ends = asked.ends_with(['?', '？']);
    let chinese = asked.chars().any(is_han);
    if chinese {
        let asks = ASKS_ZH.iter().any(|word| asked.contains(word));
        return asks && !WISHES_ZH.iter().any(|word| asked.contains(word));
    }
    ends && ASKS.contains(&first) && ![". ", "! ", "; ", "\n"].iter().any(|end| asked.contains(end))
}

const MAX_TEXT: usize = 400;
const MAX_NAME: usize = 24;
const DAYS: &[&str] = word_list!("check_call", "relevance/grounded/days");
/// What people want done with a thing, other than to be rid of it.
const DEEDS: &[&str] = word_list!("check_call", "relevance/grounded/deeds");
const DEEDS_ZH: &[&str] = word_list!("check_call", "relevance/grounded/deeds-zh");
const ASKS: &[&str] = word_list!("check_call", "relevance/grounded/asks");
const ASKS_ZH: &[&str] = word_list!("check_call", "relevance/grounded/asks-zh");
const WISHES_ZH: &[&str] = word_list!("check_call", "relevance/grounded/wishes-zh");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_wishes() {
        // CALL-8
        for asks in
            ["when is the dentist?", "is the shop open", "牙医预约是几点", "How much is left?", "what's in a.txt?"]
        {
            let asked = asks.to_lowercase();
            assert_eq!(is_question(&asked), asks != "is the shop open", "{asks}");
        }
        for wish in ["can you drop it?", "what a mess. get it out of here?", "能不能帮我看看是什么", "tell anna"]
        {
            assert!(!is_question(wish), "{wish}");
        }
    }
}
