//! Repairs of single values. Each is certain or only proposed; none guesses.
//!
//! A conversion is certain where nothing is lost and there is one reading: "10" is 10, `[5]` is 5 where one number
//! is due. A value that the world feels (a path, an amount, a recipient, an id) is never turned into another one.

use crate::check_call::nearest::only_near;
use crate::check_call::params::Param;
use crate::check_call::role::Role;
use crate::check_call::spelling::{is_said, keeps_meaning};
use crate::conversation::Conversation;
use crate::text::fold::fold_name;
use serde_json::{Number, Value};

/// A repaired value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mended {
    /// The new value.
    pub value: Value,
    /// Whether there is no other reading.
    pub certain: bool,
}

impl Mended {
    fn certain(value: Value) -> Option<Self> {
        Some(Self { value, certain: true })
    }

    fn likely(value: Value) -> Option<Self> {
        Some(Self { value, certain: false })
    }
}

/// The value in a type that the parameter takes.
pub(crate) fn convert(value: &Value, param: &Param, said: &Conversation) -> Option<Mended> {
    let takes = |kind: &str| param.types.iter().any(|t| t == kind);
    match value {
        Value::String(text) => convert_text(text, param, said),
        // A rounded number written out is another number.
        Value::Number(number) if takes("string") && is_rounded(number) => {
            Mended::likely(Value::String(number.to_string()))
        }
        Value::Number(number) if takes("string") => Mended::certain(Value::String(number.to_string())),
        Value::Number(number) if takes("integer") => {
            // 4.1 is not an integer, and nobody can say whether 4 was meant.
            let rounded = number.as_f64().map(f64::round)?;
            Mended::likely(Value::Number(Number::from(whole(rounded)?)))
        }
        Value::Bool(truth) if takes("string") => Mended::certain(Value::String(truth.to_string())),
        Value::Array(list) if list.len() == 1 && !takes("array") => unwrap_one(list.first()?, param, said),
        Value::Object(map) if map.len() == 1 && !takes("object") => {
            let (key, inner) = map.iter().next()?;
            if key != "value" && *key != param.name {
                return None;
            }
            unwrap_one(inner, param, said)
        }
        scalar => wrap(scalar, param, said),
    }
    .or_else(|| wrap(value, param, said))
}

/// The enum's own spelling of a value, where exactly one is meant.
pub(crate) fn choose(value: &Value, param: &Param, said: &Conversation) -> Option<Mended> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Array(list) if list.len() == 1 => return choose(list.first()?, param, said),
        _ => return None,
    };
    let words: Vec<(String, &Value)> =
        param.allowed.iter().map(|v| (v.as_str().map_or_else(|| v.to_string(), str::to_owned), v)).collect();
    let near = only_near(&text, words.iter().map(|(word, _)| word.as_str()))?;
    let found = words.iter().find(|(word, _)| word == near).map(|(_, value)| (*value).clone())?;
    // A value that says something else is another value, not a misspelt one.
    let kept = keeps_meaning(&text, near, &|word| is_said(said, word));
    let same = fold_name(near) == fold_name(&text);
    Some(Mended { value: found, certain: kept && (same || !is_felt(param)) })
}

/// The nearest number within the schema's bounds.
pub(crate) fn clamp(value: &Value, param: &Param) -> Option<Mended> {
    let number = value.as_f64()?;
    let bounded = number.max(param.minimum.unwrap_or(f64::NEG_INFINITY)).min(param.maximum.unwrap_or(f64::INFINITY));
    if !bounded.is_finite() || bounded == number {
        return None;
    }
    let value = match (value.is_i64() || value.is_u64(), whole(bounded)) {
        (true, Some(whole)) => Value::from(whole),
        _ => Value::from(bounded),
    };
    Some(Mended { value, certain: param.roles.has(Role::ResultSize) })
}

/// Whether changing the value may change what the call does to the world.
pub(crate) fn is_felt(param: &Param) -> bool {
    [Role::Path, Role::Amount, Role::Recipient, Role::Id, Role::Email, Role::Url, Role::Command, Role::Sql]
        .iter()
        .any(|role| param.roles.has(*role))
}

fn convert_text(text: &str, param: &Param, said: &Conversation) -> Option<Mended> {
    let trimmed = text.trim();
    for kind in &param.types {
        let read = match kind.as_str() {
            "integer" => integer(trimmed).map(Value::from),
            "number" => number(trimmed),
            "boolean" => truth(trimmed).map(Value::from),
            "object" => json(trimmed).filter(Value::is_object),
            "array" => json(trimmed).filter(Value::is_array),
            "null" if matches!(trimmed, "null" | "None") => Some(Value::Null),
            _ => None,
        };
        if let Some(value) = read {
            return Mended::certain(value);
        }
    }
    let numeric = param.types.iter().any(|kind| kind == "integer" || kind == "number");
    if numeric {
        // "5 units": the number is there, and so is something that we would drop.
        let digits: String = trimmed.chars().take_while(|c| c.is_ascii_digit() || *c == '.' || *c == '-').collect();
        return number(&digits).and_then(Mended::likely);
    }
    wrap(&Value::String(text.to_owned()), param, said)
}

/// A single value out of its list or object.
fn unwrap_one(inner: &Value, param: &Param, said: &Conversation) -> Option<Mended> {
    if inner.is_object() || inner.is_array() {
        return None;
    }
    if param.takes(kind_of(inner)) { Mended::certain(inner.clone()) } else { convert(inner, param, said) }
}

/// A bare value as a list of one. Where the text names several, only the first was written, and nobody can say that
/// one was meant.
fn wrap(value: &Value, param: &Param, said: &Conversation) -> Option<Mended> {
    if !param.types.iter().any(|kind| kind == "array") || value.is_array() {
        return None;
    }
    let items = param.items.as_deref();
    if let Value::String(text) = value {
        let several = text.contains([',', ';', '\n', '、', '，']);
        if several {
            let parts: Vec<Value> =
                text.split([',', ';', '\n', '、', '，']).map(|part| Value::from(part.trim())).collect();
            return Mended::likely(Value::Array(parts));
        }
    }
    let item = match items {
        Some(items) if !items.takes(kind_of(value)) => {
            convert(value, items, said).filter(|mended| mended.certain)?.value
        }
        _ => value.clone(),
    };
    let listed = value.as_str().is_some_and(|text| stands_in_list(text, said));
    Some(Mended { value: Value::Array(vec![item]), certain: !listed && !value.is_number() })
}

/// Whether a text is in a list in the user's words: beside a comma, an "and", a "、" or a "和".
fn stands_in_list(text: &str, said: &Conversation) -> bool {
    let Some(user) = said.last_user() else { return false };
    let (words, text) = (user.text.to_lowercase(), text.to_lowercase());
    let Some(at) = words.find(&text) else { return false };
    let before = words.get(..at).unwrap_or_default().trim_end();
    let after = words.get(at + text.len()..).unwrap_or_default().trim_start_matches(['"', '\'', '”', '’']).trim_start();
    let follows = [",", "and ", "or ", "&", "、", "和", "与", "及", "，"].iter().any(|mark| after.starts_with(mark));
    let leads = [",", " and", " or", "&", "、", "和", "与", "及"].iter().any(|mark| before.ends_with(mark));
    follows || leads
}

fn integer(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| whole(text.parse::<f64>().ok()?).filter(|_| text.contains('.')))
}

fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    text.parse::<f64>().ok().filter(|n| n.is_finite() && plain).map(Value::from)
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn json(text: &str) -> Option<Value> {
    text.starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

/// A float that is a whole number within what JSON readers keep exactly.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within 2^53 just before")]
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// Whether a number is a whole one beyond what JSON readers keep exactly.
pub(crate) fn is_rounded(number: &Number) -> bool {
    number.is_f64()
        && number.as_f64().is_some_and(|value| value.fract() == 0.0 && value.abs() >= 9_007_199_254_740_992.0)
}

/// The JSON Schema type of a value.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|n| n.fract() != 0.0) => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Message, Role as Speaker};
    use serde_json::json;

    fn param(schema: Value) -> Param {
        Param::read(&json!({"properties": {"x": schema}})).property("x").unwrap().clone()
    }

    fn converted(value: Value, schema: Value) -> Option<(Value, bool)> {
        convert(&value, &param(schema), &Conversation::default()).map(|mended| (mended.value, mended.certain))
    }

    fn chosen(text: &str, param: &Param) -> Option<Mended> {
        choose(&json!(text), param, &Conversation::default())
    }

    #[test]
    fn lossless_conversions_are_certain() {
        // CALL-3, T3
        assert_eq!(converted(json!("10"), json!({"type": "integer"})), Some((json!(10), true)));
        assert_eq!(converted(json!("10.0"), json!({"type": "integer"})), Some((json!(10), true)));
        assert_eq!(converted(json!("TRUE"), json!({"type": "boolean"})), Some((json!(true), true)));
        assert_eq!(converted(json!("{\"a\": 1}"), json!({"type": "object"})), Some((json!({"a": 1}), true)));
        assert_eq!(
            converted(json!("x"), json!({"type": "array", "items": {"type": "string"}})),
            Some((json!(["x"]), true))
        );
        assert_eq!(converted(json!([5]), json!({"type": "integer"})), Some((json!(5), true)));
        assert_eq!(converted(json!({"value": "s"}), json!({"type": "string"})), Some((json!("s"), true)));
        assert_eq!(converted(json!(7), json!({"type": "string"})), Some((json!("7"), true)));
    }

    #[test]
    fn what_loses_or_guesses_is_only_proposed() {
        // CALL-3
        assert_eq!(converted(json!("5 units"), json!({"type": "integer"})), Some((json!(5), false)));
        assert_eq!(converted(json!(4.1), json!({"type": "integer"})), Some((json!(4), false)));
        assert_eq!(
            converted(json!("a, b"), json!({"type": "array", "items": {"type": "string"}})),
            Some((json!(["a", "b"]), false))
        );
        assert_eq!(converted(json!("soon"), json!({"type": "integer"})), None);
        assert_eq!(converted(json!("nan"), json!({"type": "number"})), None);
        assert_eq!(converted(json!({"a": 1, "b": 2}), json!({"type": "string"})), None);
        let said = Conversation::of(vec![Message::text(Speaker::User, "from Genoa, Rome and Naples")]);
        let list = param(json!({"type": "array", "items": {"type": "string"}}));
        assert!(!convert(&json!("Genoa"), &list, &said).unwrap().certain);
    }

    #[test]
    fn enums_fold_and_other_digits_do_not() {
        // CALL-2, CALL-3
        let sort = param(json!({"enum": ["asc", "desc", "v1.10"]}));
        assert_eq!(chosen("ASC", &sort).unwrap().value, json!("asc"));
        assert!(chosen("up", &sort).is_none());
        let truth = param(json!({"enum": ["True", "False"]}));
        assert_eq!(choose(&json!(true), &truth, &Conversation::default()).unwrap().value, json!("True"));
        assert!(!chosen("2023-01-02", &param(json!({"enum": ["2023-01-01", "2024-06-09"]}))).unwrap().certain);
    }

    #[test]
    fn an_enum_value_of_another_meaning_is_only_proposed() {
        // MEANING-5, CALL-3
        for (written, known) in [
            ("ascending", "descending"),
            ("encrypted", "decrypted"),
            ("readable", "unreadable"),
            ("未读邮件", "读邮件"),
        ] {
            let found = chosen(written, &param(json!({"enum": [known, "other"]})));
            assert!(found.is_none_or(|mended| !mended.certain), "{written} -> {known}");
        }
        for (written, known) in [("Descending", "descending"), ("decripted", "decrypted"), ("farenheit", "fahrenheit")]
        {
            assert!(
                chosen(written, &param(json!({"enum": [known, "other"]}))).unwrap().certain,
                "{written} -> {known}"
            );
        }
    }

    #[test]
    fn only_result_sizes_are_clamped_without_asking() {
        // CALL-3
        let limit = Param::read(
            &json!({"properties": {"limit": {"type": "integer", "maximum": 100}, "amount": {"maximum": 5}}}),
        );
        assert_eq!(
            clamp(&json!(5000), limit.property("limit").unwrap()),
            Some(Mended { value: json!(100), certain: true })
        );
        assert!(!clamp(&json!(9), limit.property("amount").unwrap()).unwrap().certain);
    }
}
