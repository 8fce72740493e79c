//! What people copy, miscopied: an id, an address or a long number that is nearly one that was said; and what the user
//! took out by name.

use super::argument::{Argument, Held};
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::{EXCLUDED, MISCOPIED, OTHER_VALUE};
use crate::localized;
use crate::policy::Effect;
use crate::text::mentions::{Reading, What};
use strsim::damerau_levenshtein;

/// Finds values that are nearly what was said, or what the user excluded.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(value) = literal_of(argument) else { continue };
        slips.extend(
            find_excluded(asked, argument, &value)
                .or_else(|| find_miscopied(asked, argument, &value))
                .or_else(|| find_unused(asked, argument, &value)),
        );
    }
}

/// The value of an argument that is copied and not written.
fn literal_of(argument: &Argument<'_>) -> Option<String> {
    match &argument.value {
        Held::Text(text) if text.len() <= MAX_LITERAL && !text.contains(char::is_whitespace) => Some(text.clone()),
        Held::Number(number) if argument.node.roles.has(Role::Id) && number.fract() == 0.0 => Some(format!("{number}")),
        _ => None,
    }
}

fn find_excluded(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let copied = value.contains(|c: char| c.is_ascii_digit() || c == '@') && value.len() >= 4;
    let named = |excluded: bool| {
        asked.in_force().any(|reading| {
            reading.literals().any(|mention| mention.excluded == excluded && reading.text(mention) == value)
        })
    };
    if !copied || !named(true) || named(false) {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user excluded `{value}`, and `{key}` is just that",
        "用户明确排除了 `{value}`，而 `{key}` 正是它"
    );
    let hint = localized!(asked.subject.language, "send what was asked for instead", "请改为用户所要求的值");
    Some(Slip::on(asked, argument, &EXCLUDED, Strength::Strong, Says { evidence, hint }))
}

fn find_miscopied(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let copied = value.contains('@') || digits >= 3 || argument.node.roles.has(Role::Id);
    let offered = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
    if !copied
        || offered
        || value.len() < 4
        || asked.subject.conversation.index().has(value)
        || asked.subject.conversation.index().has_squashed(value) && digits < value.len()
    {
        return None;
    }
    let found = asked.user().find_map(|reading| near_in(reading, value))?;
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said `{found}`, `{key}` is `{value}`, which is nearly the same and nowhere in the conversation",
        "用户说的是 `{found}`，而 `{key}` 是 `{value}`，两者相近但并不相同"
    );
    let hint = localized!(asked.subject.language, "copy `{found}` exactly", "请原样使用 `{found}`");
    Some(Slip::on(asked, argument, &MISCOPIED, Strength::Strong, Says { evidence, hint }))
}

/// Another address than the one that the user gave for it.
fn find_unused(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let kind = kind_of(value)?;
    if user_said(asked, value) || argument.node.is_item() {
        return None;
    }
    let mut given =
        asked.last.literals().filter(|mention| !mention.excluded && kind_of(asked.last.text(mention)) == Some(kind));
    let said = asked.last.text(given.next().filter(|_| given.next().is_none())?);
    let used = asked.arguments.iter().filter_map(Argument::text).any(|text| text.contains(said));
    // What the user corrects or looks for may well be found under another one.
    if used || asked.subject.tool.effects.effects.contains(&Effect::Read) {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user gave `{said}`, which the call does not use; `{key}` is `{value}`",
        "用户给出的是 `{said}`，而 `{key}` 是 `{value}`"
    );
    let hint = localized!(asked.subject.language, "use `{said}`, or ask the user", "请使用 `{said}`，或询问用户");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a value is what the user gave, with what belongs to it: `203.0.113.7/32` for an address.
pub(crate) fn is_explained(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let Some(value) = argument.text() else { return false };
    let given = |reading: &Reading| {
        reading
            .literals()
            .any(|mention| kind_of(reading.text(mention)) == Some("machine") && stands_in(value, reading.text(mention)))
    };
    kind_of(value) == Some("machine") && asked.user().any(given)
}

/// The kind of an address: of mail, or of a machine.
fn kind_of(text: &str) -> Option<&'static str> {
    let host = text.split('/').next().unwrap_or(text);
    let octets = || host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    if text.contains('@') { Some("mail") } else { octets().then_some("machine") }
}

/// What the user said that a value nearly is.
fn near_in(reading: &Reading, value: &str) -> Option<String> {
    let long = reading.numbers().filter(|(mention, _)| mention.range.len() >= 3).map(|(mention, _)| mention);
    let literals = reading.literals().chain(long).filter(|mention| !matches!(mention.what, What::Path));
    literals.map(|mention| reading.text(mention)).find(|said| is_nearly(said, value)).map(str::to_owned)
}

fn is_nearly(said: &str, value: &str) -> bool {
    if said == value || said.len() > MAX_LITERAL {
        return false;
    }
    if let (Some((one, _)), Some((other, _))) = (said.split_once('@'), value.split_once('@')) {
        return one == other || damerau_levenshtein(said, value) <= 2;
    }
    let squash = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (one, other) = (squash(said), squash(value));
    // The same with other signs between, or with a country's prefix, is the same.
    if stands_in(value, said) || stands_in(said, value) {
        return false;
    }
    if one == other || one.ends_with(&other) && one.len() > other.len() + 3 || other.ends_with(&one) {
        return false;
    }
    let cut = one.len() >= 5 && other.len() + 2 >= one.len() && (one.starts_with(&other) || other.starts_with(&one));
    one.len() >= 4 && cut
        || one.len() >= 4
            && one.len() == other.len()
            && damerau_levenshtein(&one, &other) <= usize::from(one.len() >= 4) + usize::from(one.len() >= 9)
}

/// Whether a text stands anywhere that the user spoke.
pub(crate) fn user_said(asked: &Asked<'_>, text: &str) -> bool {
    asked.user().any(|reading| stands_in(&reading.lower, text))
}

const MAX_LITERAL: usize = 120;
