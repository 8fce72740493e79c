//! A number that an answer misreads: two digits changed places or one is another, or the thing that it names has another amount
//! in the same unit. (MEANING-6)
//!
//! What the answer may have computed is left alone: the number that the result gives must be missing in the answer, the one
//! that the answer gives in the result and in the call, and both must be the only candidates.

use super::fields::{Object, Parts};
use super::telling::clauses;
use super::trace::Done;
use crate::contract::codes::score::CONFLICT;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::units::{currency, is_currency_code, same_currency};
use serde_json::Value;

/// The number that an answer gives and the one that it stands for.
pub(crate) fn find(response: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let found = near_miss(response, call).or_else(|| other_amount(response, call));
    let found = found.or_else(|| page_for_all(response, call));
    let (said, told) = found.or_else(|| other_currency(response, call))?;
    let evidence = localized!(
        language,
        "the answer gives {said}, and the result has {told}",
        "回答给出的是 {said}，而结果是 {told}"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

/// A number of three digits or more that is one digit, or one exchange of two, away from the only number like it.
fn near_miss(response: &str, call: &Done<'_>) -> Option<(String, String)> {
    let (said, told) = (numbers(response), fields(call.content));
    if said.len() > MAX_SAID || told.len() > MAX_TOLD {
        return None;
    }
    let given = format!("{} {}", call.content, call.arguments);
    let known = numbers(&given);
    said.iter().filter(|number| is_long(number) && !known.contains(number)).find_map(|own| {
        let mut alike = told.iter().filter(|other| is_like(own, other));
        let other = alike.next().filter(|_| alike.next().is_none())?;
        (!said.contains(other)).then(|| (own.clone(), other.clone()))
    })
}

/// An amount beside the name of one record, where that record has one other amount in the same unit.
fn other_amount(response: &str, call: &Done<'_>) -> Option<(String, String)> {
    let parts = Parts::of(call.content, None);
    let records: Vec<(String, &Object<'_>)> = parts
        .objects
        .iter()
        .filter(|object| object.listed == 1)
        .take(MAX_TOLD)
        .filter_map(|object| Some((name(object)?, object)))
        .collect();
    clauses(response).take(MAX_CLAUSES).flat_map(|clause| clause.split(['、', '，'])).find_map(|clause| {
        let lower = clause.to_lowercase();
        let mut named = records.iter().filter(|(name, _)| lower.contains(name.as_str()));
        let (_, object) = named.next().filter(|_| named.next().is_none())?;
        let sums = ["together", "total", "in all", "altogether", "共", "合计"].iter().any(|word| lower.contains(word));
        let said = if sums { Vec::new() } else { amounts(clause) };
        let (own, unit) = said.first().filter(|_| said.len() == 1)?;
        let texts = object.entries.iter().filter_map(|entry| entry.value.as_str());
        let told: Vec<(String, &str)> = texts.flat_map(amounts).filter(|(_, other)| other == unit).collect();
        let (other, _) = told.first().filter(|_| told.len() == 1)?;
        (other != own && !call.arguments.to_string().contains(own.as_str())).then(|| (own.clone(), other.clone()))
    })
}

/// The length of one page, told as if there were no more.
fn page_for_all(response: &str, call: &Done<'_>) -> Option<(String, String)> {
    let page = call.content.as_object()?;
    let more = page.get("has_more").or_else(|| page.get("has_next")).and_then(Value::as_bool)?;
    let items = u64::try_from(page.values().find_map(Value::as_array)?.len()).ok()?;
    let all = page.get("total").or_else(|| page.get("total_count")).and_then(Value::as_u64)?;
    let lower = response.to_lowercase();
    let said = numbers(&lower);
    let partly = PARTLY.iter().any(|word| lower.contains(word));
    let misread =
        more && all > items && !partly && said.first()? == &items.to_string() && !said.contains(&all.to_string());
    misread.then(|| (items.to_string(), all.to_string()))
}

/// An amount of the result in another currency than the one that the result has for it.
fn other_currency(response: &str, call: &Done<'_>) -> Option<(String, String)> {
    let parts = Parts::of(call.content, None);
    let stated = |object: &Object<'_>| {
        let named = object.entries.iter().filter(|entry| entry.has("currency") || entry.key.contains("币种"));
        let codes = named.filter_map(|entry| entry.value.as_str()).map(str::to_lowercase);
        codes.into_iter().find_map(|code| is_currency_code(&code).then(|| currency(&code)).flatten())
    };
    let codes: Vec<&'static str> = parts.objects.iter().take(MAX_TOLD).filter_map(stated).collect();
    let own = *codes.first().filter(|own| codes.iter().all(|code| code == *own))?;
    let told = fields(call.content);
    let reading = Reading::of(response);
    let amounts = || reading.numbers().filter_map(|(_, quantity)| Some((quantity.value, quantity.currency?)));
    // Who gives both converts.
    if amounts().any(|(_, code)| same_currency(code, own)) {
        return None;
    }
    let held = |value: f64| value >= 1.0 && told.iter().any(|number| number.parse::<f64>() == Ok(value));
    let (value, code) = amounts().find(|(value, _)| held(*value))?;
    Some((format!("{value} {code}"), format!("{value} {own}")))
}

/// What a record is called: its first short text without digits.
fn name(object: &Object<'_>) -> Option<String> {
    let texts = object.entries.iter().filter_map(|entry| entry.value.as_str());
    let name = |text: &&str| {
        text.chars().count() >= 2 && text.len() <= MAX_NAME && !text.contains(|c: char| c.is_ascii_digit())
    };
    texts.take(1).find(name).map(str::to_lowercase)
}

/// The amounts of a text, with their units.
fn amounts(text: &str) -> Vec<(String, &'static str)> {
    let reading = Reading::of(text);
    reading.numbers().filter_map(|(_, quantity)| Some((quantity.value.to_string(), quantity.unit?.name))).collect()
}

/// The numbers of a text as written, without commas.
fn numbers(text: &str) -> Vec<String> {
    let plain = text.replace(',', "");
    let parts = plain.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    parts.map(|part| part.trim_matches('.').to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The numbers that are fields of their own.
fn fields(value: &Value) -> Vec<String> {
    match value {
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().take(MAX_TOLD).flat_map(fields).collect(),
        Value::Object(map) => map.values().flat_map(fields).collect(),
        _ => Vec::new(),
    }
}

/// Whether a number has three digits; a year has too many likenesses.
fn is_long(number: &str) -> bool {
    let digits = number.chars().filter(char::is_ascii_digit).count();
    digits >= 3 && !(digits == 4 && number.starts_with("20"))
}

/// Whether one digit differs, or two neighbours are exchanged.
fn is_like(own: &str, other: &str) -> bool {
    if own.len() != other.len() || own == other {
        return false;
    }
    let apart: Vec<(char, char)> = own.chars().zip(other.chars()).filter(|(a, b)| a != b).collect();
    match apart.as_slice() {
        [(a, b)] => a.is_ascii_digit() && b.is_ascii_digit(),
        [(a, b), (c, d)] => a == d && b == c,
        _ => false,
    }
}

/// Words of somebody who tells of a part.
const PARTLY: &[&str] =
    &["first", "latest", "of the", "for example", "among", "more", "shown", "前", "其中", "例如", "还有", "最近"];
const MAX_SAID: usize = 10;
const MAX_TOLD: usize = 16;
const MAX_CLAUSES: usize = 60;
const MAX_NAME: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_found(response: &str, content: &Value) -> bool {
        let arguments = json!({"meter": "W-31"});
        let call = Done { name: "get_meter", arguments: &arguments, content, is_error: false, fresh: true };
        find(response, &call, Language::English).is_some()
    }

    // MEANING-6
    #[test]
    fn a_misread_number_is_told_from_a_computed_one() {
        let meter = json!({"meter": "W-31", "reading": 4731, "last": 4602, "tariff": 0.31});
        assert!(is_found("The meter stands at 4371.", &meter));
        assert!(is_found("读数是 4931。", &meter));
        for text in [
            "The meter stands at 4731, up from 4602.",
            "That is 129 more than last time.",
            "It was 4732 in your own note, but the meter stands at 4731.",
            "W-31 was read in 2026.",
        ] {
            assert!(!is_found(text, &meter), "{text}");
        }
        let doses = json!({"plan": [{"feed": "Oats", "ration": "3 kg"}, {"feed": "Hay", "ration": "9 kg"}]});
        assert!(is_found("Tomorrow he gets oats, 5 kg, and hay.", &doses) || is_found("He gets oats 5 kg.", &doses));
        for text in ["He gets oats 3 kg and hay 9 kg.", "Oats and hay are 12 kg together.", "Hay 9 kg."] {
            assert!(!is_found(text, &doses), "{text}");
        }
    }
}
