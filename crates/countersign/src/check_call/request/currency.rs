//! The currency of a call is one that somebody spoke of: the user first, else the record, else whoever set the scene.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_CURRENCY;
use crate::localized;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::units::{currency, is_currency_code, same_currency};

/// Finds a currency beside another one that was spoken of.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    // Of two currencies one may go without saying.
    if asked.arguments.iter().filter(|argument| is_currency(argument)).count() > 1 {
        return;
    }
    for argument in &asked.arguments {
        let Some(code) = argument.text().and_then(currency).filter(|_| is_currency(argument)) else { continue };
        let Some((said, strength)) = spoken_of(asked) else { return };
        let meant = |reading: &Reading| {
            AMBIGUOUS.iter().any(|word| currency(word) == Some(code) && stands_in(&reading.lower, word))
        };
        if said.iter().any(|own| same_currency(own, code)) || asked.readings().any(meant) {
            continue;
        }
        let (key, shown) = (argument.node.key, code.to_ascii_uppercase());
        let said = said.iter().map(|own| own.to_ascii_uppercase()).collect::<Vec<_>>().join(", ");
        let evidence = localized!(
            asked.subject.language,
            "the conversation speaks of {said}, `{key}` is {shown}",
            "对话中说的是 {said}，而 `{key}` 是 {shown}"
        );
        let hint = localized!(
            asked.subject.language,
            "send the currency that was spoken of as `{key}`",
            "请按对话中的货币填写 `{key}`"
        );
        slips.push(Slip::on(asked, argument, &OTHER_CURRENCY, strength, Says { evidence, hint }));
    }
}

fn is_currency(argument: &Argument<'_>) -> bool {
    let offered = argument.node.param.is_some_and(|param| {
        let codes = param
            .allowed
            .iter()
            .filter_map(|value| value.as_str())
            .filter(|text| is_currency_code(&text.to_ascii_lowercase()))
            .count();
        codes >= 2
    });
    argument.is_named(&["currency", "ccy"]) || offered
}

/// The currencies of the nearest speaker that spoke of any, and how much that says.
fn spoken_of(asked: &Asked<'_>) -> Option<(Vec<&'static str>, Strength)> {
    let some = |found: Vec<&'static str>, strength: Strength| (!found.is_empty()).then_some((found, strength));
    let user: Vec<&'static str> = asked.user().flat_map(currencies).collect();
    // "In francs or in euros?" is settled by the answer.
    let answer = asked.proposal.map(currencies).filter(|found| found.len() == 1 && currencies(asked.last).is_empty());
    let open = user.iter().any(|code| user.first().is_some_and(|first| first != code));
    if let Some(found) = answer.filter(|found| open && user.iter().any(|code| found.contains(code))) {
        return Some((found, Strength::Strong));
    }
    if let Some(found) = some(user, Strength::Strong) {
        return Some(found);
    }
    let records = asked.records();
    let fields = records
        .iter()
        .flat_map(|record| &record.fields)
        .filter(|(key, _)| key.to_ascii_lowercase().contains("currency"));
    let found: Vec<&'static str> =
        fields.filter_map(|(_, value)| currency(&value.as_str()?.to_ascii_lowercase())).collect();
    some(found, Strength::Strong)
        .or_else(|| some(asked.others.iter().copied().flat_map(currencies).collect(), Strength::Strong))
}

/// The currencies of a text: those of its amounts, and those that are only named.
fn currencies(reading: &Reading) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = reading.numbers().filter_map(|(_, quantity)| quantity.currency).collect();
    let words =
        reading.lower.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() >= 3 && !AMBIGUOUS.contains(word));
    found.extend(words.filter_map(currency));
    found.extend(NAMES_ZH.iter().filter(|name| reading.lower.contains(*name)).filter_map(|name| currency(name)));
    found.extend(LONG_NAMES.iter().filter(|name| stands_in(&reading.lower, name)).filter_map(|name| currency(name)));
    // "Canadian dollars" are no other dollars.
    if found.iter().any(|code| is_currency_code(code) && same_currency(code, "dollar")) {
        found.retain(|code| *code != "dollar");
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Words that name a currency and many other things.
const AMBIGUOUS: &[&str] = word_list!("check_call", "request/currency/ambiguous");
const LONG_NAMES: &[&str] = word_list!("check_call", "request/currency/long-names");
const NAMES_ZH: &[&str] = word_list!("check_call", "request/currency/names-zh");
