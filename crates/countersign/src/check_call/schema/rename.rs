//! The parameter that is meant by a key that the tool does not know.

use crate::check_call::nearest::{fold, only_near};
use crate::check_call::params::Param;
use crate::check_call::schema::mend::kind_of;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The one free parameter that a key means, and whether there is no other reading.
pub fn find<'a>(key: &str, value: &Value, object: &'a Param, siblings: &Map<String, Value>) -> Option<(&'a str, bool)> {
    let free = free(object, siblings);
    let names = free.iter().map(|param| param.name.as_str());
    let found = only_near(key, names).or_else(|| affixed(key, &free))?;
    let fits = free.iter().find(|param| param.name == found).is_some_and(|param| param.takes(kind_of(value)));
    let folded = fold(key) == fold(found);
    Some((found, fits || folded))
}

/// The parameters that a call has not filled.
fn free<'a>(object: &'a Param, siblings: &Map<String, Value>) -> Vec<&'a Param> {
    object.order.iter().filter(|name| !siblings.contains_key(*name)).filter_map(|name| object.property(name)).collect()
}

/// A parameter with one general word around it: `input_city`, `city_name`, `year_value`.
fn affixed<'a>(key: &str, free: &[&'a Param]) -> Option<&'a str> {
    let words = identifier_words(key);
    let (first, rest) = words.split_first()?;
    let (last, front) = words.split_last()?;
    let general = |word: &String| GENERAL.contains(&word.as_str());
    let kept: Vec<String> = [(general(first), rest), (general(last), front)]
        .iter()
        .filter(|(g, kept)| *g && !kept.is_empty())
        .map(|(_, kept)| kept.concat())
        .collect();
    let mut found = free.iter().filter(|param| kept.contains(&identifier_words(&param.name).concat()));
    let only = found.next()?;
    found.next().is_none().then_some(only.name.as_str())
}

const GENERAL: &[&str] =
    &["input", "name", "value", "param", "parameter", "arg", "argument", "field", "the", "target", "val"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_free_parameter_is_meant_or_none() {
        // CALL-3
        let object = Param::read(
            &json!({"properties": {"city": {"type": "string"}, "unit": {"type": "string"}, "year": {"type": "integer"}}}),
        );
        let meant = |key: &str, value: Value, call: Value| {
            find(key, &value, &object, call.as_object().unwrap()).map(|(name, certain)| (name.to_owned(), certain))
        };
        assert_eq!(meant("City", json!("x"), json!({})), Some(("city".into(), true)));
        assert_eq!(meant("city_name", json!("x"), json!({})), Some(("city".into(), true)));
        assert_eq!(meant("input_year", json!("x"), json!({})), Some(("year".into(), false)));
        assert_eq!(meant("City", json!("x"), json!({"city": "y"})), None);
        assert_eq!(meant("timezone", json!("x"), json!({})), None);
    }
}
