//! What an answer says of a thing that was looked up, against the field that says it.
//!
//! Two readings that need no likeness of words: a state that is still to come and is told as reached (待发货 as 已发货), and a name
//! that the result gives to another role ("Paul is the primary" where `secondary` is Paul).

use super::fields::{Entry, Object, Parts};
use super::outcome::{is_state, looks_up};
use super::telling::{Telling, Tellings, claimed_deeds, claims, clauses, deeds_in};
use super::trace::Done;
use super::voice::unquoted;
use crate::contract::codes::score::CONFLICT;
use crate::contract::language::is_han;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lexicon::Deeds;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use serde_json::Value;

/// What an answer says against a field of the one thing that was looked up.
pub(crate) fn against_fields(response: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let parts = Parts::of(call.content, None);
    let object = parts.objects.first().filter(|object| object.depth == 0 && looks_up(call.name))?;
    let plain = unquoted(response);
    let (clause, key, value) = early_state(&plain, object)
        .or_else(|| other_role(&plain, object))
        .or_else(|| other_record(response, &parts))
        .or_else(|| denied_item(response, object))?;
    let shown: String = clause.trim().chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the result `{key}`: {value}",
        "回答说“{shown}”，而结果的 `{key}` 是 {value}"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

/// A deed that the state says is still to come, claimed as done.
fn early_state<'a>(response: &'a str, object: &Object<'a>) -> Option<(&'a str, String, String)> {
    let answer = Tellings::of(response);
    if answer.has(&[Telling::Denied, Telling::Waiting, Telling::Failed]) {
        return None;
    }
    object.entries.iter().find_map(|entry| {
        let open = open_deeds(entry);
        let claim = |clause: &&str| claims(clause, &Deeds::default()) && claimed_deeds(clause).meet(&open);
        let clause = clauses(response).take(MAX_CLAUSES).find(claim)?;
        Some((clause, entry.key.to_owned(), entry.value.to_string()))
    })
}

/// A number that belongs to another record of the list than the one that a clause names, and to that one alone.
fn other_record<'a>(response: &'a str, parts: &Parts<'_>) -> Option<(&'a str, String, String)> {
    let named = |object: &&Object<'_>| {
        let is_name =
            |entry: &&Entry<'_>| entry.has_any(NAMES) && entry.value.as_str().is_some_and(|name| name.len() > 3);
        object.entries.iter().find(is_name)?.value.as_str().map(str::to_lowercase)
    };
    let items = parts.objects.iter().filter(|object| object.listed == 1).take(MAX_ITEMS);
    let records: Vec<(String, Vec<(&str, f64)>)> = items
        .filter_map(|object| {
            let numbers = object.entries.iter().filter_map(|entry| Some((entry.key, entry.number()?)));
            Some((named(&object)?, numbers.collect()))
        })
        .collect();
    clauses(response).take(MAX_CLAUSES).find_map(|clause| {
        let lower = clause.to_lowercase();
        let mut own = records.iter().filter(|(name, _)| lower.contains(name.as_str()));
        let (name, values) = own.next().filter(|_| own.next().is_none())?;
        let reading = Reading::of(clause);
        let said: Vec<f64> = reading.numbers().map(|(_, number)| number.value).collect();
        let strange = |value: &&f64| {
            (value.abs() >= 10.0 || value.fract() != 0.0) && !values.iter().any(|(_, own)| own == *value)
        };
        let compares = COMPARES.iter().any(|word| lower.contains(word));
        let value = said.iter().find(strange).filter(|_| !compares && said.len() <= 2)?;
        let of = |(_, numbers): &&(String, Vec<(&str, f64)>)| numbers.iter().any(|(_, number)| number == value);
        let mut holders = records.iter().filter(of);
        let (holder, numbers) =
            holders.next().filter(|_| holders.next().is_none()).filter(|(other, _)| other != name)?;
        let key = numbers.iter().find(|(_, number)| number == value).map_or("", |(key, _)| key);
        Some((clause, format!("{key} {value}"), holder.clone()))
    })
}

/// A thing that a list of what is in something has, and that a clause denies: "contains no peanuts".
fn denied_item<'a>(response: &'a str, object: &Object<'_>) -> Option<(&'a str, String, String)> {
    object.entries.iter().find_map(|entry| {
        let holds =
            entry.words.len() == 1 && entry.has_any(&["contains", "includes", "included", "ingredients", "allergens"]);
        let items = entry.value.as_array().filter(|_| holds)?;
        let items: Vec<String> = items.iter().filter_map(Value::as_str).map(str::to_lowercase).collect();
        clauses(response).take(MAX_CLAUSES).filter(|clause| !clause.contains(['?', '？'])).find_map(|clause| {
            let lower = clause.to_lowercase();
            let denies = |item: &&String| {
                let ways = [
                    format!(" no {item}"),
                    format!("not contain {item}"),
                    format!("n't contain {item}"),
                    format!("free of {item}"),
                    format!("without {item}"),
                    format!("不含{item}"),
                    format!("没有{item}"),
                ];
                item.chars().count() > 1 && ways.iter().any(|way| lower.contains(way.as_str()))
            };
            let item = items.iter().find(denies).filter(|_| !lower.contains("other ") && !lower.contains(" more "))?;
            Some((clause, entry.key.to_owned(), item.clone()))
        })
    })
}

/// The deeds that an entry says are not done: 待发货, "not shipped", `paid: false`.
fn open_deeds(entry: &Entry) -> Deeds {
    match entry.value {
        Value::Bool(false) => deeds_in(&entry.words.join(" ")),
        Value::String(text) if is_state(entry) && text.len() < MAX_STATE => {
            let text = text.replace(['_', '-'], " ").to_lowercase();
            let undone = text.strip_prefix("un").filter(|rest| rest.ends_with("ed") || *rest == "paid");
            let open = undone.is_some() || Tellings::of(&text).has(&[Telling::Denied, Telling::Waiting]);
            if open { deeds_in(undone.unwrap_or(&text)) } else { Deeds::default() }
        }
        _ => Deeds::default(),
    }
}

/// A name beside the word for a role that the result gives to another.
fn other_role<'a>(response: &'a str, object: &Object<'a>) -> Option<(&'a str, String, String)> {
    let roles: Vec<(&Entry, &str)> =
        object.entries.iter().filter_map(|entry| Some((entry, name_of(entry)?))).take(MAX_ROLES).collect();
    clauses(response).take(MAX_CLAUSES).find_map(|clause| {
        let lower = clause.to_lowercase();
        roles.iter().find_map(|(entry, own)| {
            let wrong = |(other, name): &&(&Entry, &str)| {
                other.key != entry.key && name != own && is_called(&lower, name, &entry.words)
            };
            roles.iter().find(wrong)?;
            (!lower.contains(&own.to_lowercase())).then(|| (clause, entry.key.to_owned(), (*own).to_owned()))
        })
    })
}

/// A name: a short string of letters in a field of one word.
fn name_of<'a>(entry: &Entry<'a>) -> Option<&'a str> {
    let text = entry.value.as_str()?;
    let name = text.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '.' | '·'));
    let long = text.chars().count() >= 2 && text.len() < MAX_STATE;
    let cased = text.starts_with(|c: char| c.is_uppercase() || is_han(c));
    (name && long && cased && entry.words.len() == 1 && !is_state(entry)).then_some(text)
}

/// "Paul is the primary", "the primary is Paul", 负责人是张三: nothing but a copula between the name and the role.
fn is_called(lower: &str, name: &str, role: &[String]) -> bool {
    let name = name.to_lowercase();
    let Some(role) = role.first() else { return false };
    let (Some(at), Some(there)) = (lower.find(&name), lower.find(role.as_str())) else { return false };
    let between = if at < there { lower.get(at + name.len()..there) } else { lower.get(there + role.len()..at) };
    let mut words = between.unwrap_or("?").split_whitespace().peekable();
    let linked = words.peek().is_some();
    linked && words.all(|word| LINKS.contains(&word))
}

const LINKS: &[&str] = word_list!("check_result", "slots/links");
const MAX_ITEMS: usize = 200;
/// Keys of what a record is called by.
const NAMES: &[&str] = word_list!("check_result", "slots/names");
/// Words that set one record against another.
const COMPARES: &[&str] = word_list!("check_result", "slots/compares");
const MAX_CLAUSES: usize = 200;
const MAX_ROLES: usize = 12;
const MAX_STATE: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_found(response: &str, content: Value) -> bool {
        let call = Done { name: "get_order", arguments: &json!({}), content: &content, is_error: false, fresh: true };
        against_fields(response, &call, Language::English).is_some()
    }

    // MEANING-6
    #[test]
    fn a_state_to_come_is_not_reached() {
        assert!(is_found("您的订单已经发货，请注意查收。", json!({"status": "待发货"})));
        assert!(is_found("The invoice has been paid.", json!({"status": "unpaid"})));
        assert!(is_found("It was shipped yesterday.", json!({"shipped": false})));
        assert!(!is_found("您的订单已经发货。", json!({"status": "已发货"})));
        assert!(!is_found("订单还没有发货。", json!({"status": "待发货"})));
        assert!(!is_found("The order was placed on 3 May and waits for shipment.", json!({"status": "not shipped"})));
    }

    // MEANING-6
    #[test]
    fn a_name_stands_in_its_own_role() {
        let roles = || json!({"primary": "Ines Duarte", "secondary": "Paul Okoye"});
        assert!(is_found("Paul Okoye is the primary on call.", roles()));
        assert!(is_found("The primary is Paul Okoye.", roles()));
        assert!(!is_found("Ines Duarte is the primary, Paul Okoye the secondary.", roles()));
        assert!(!is_found("The primary asked Paul Okoye to help.", roles()));
    }
}
