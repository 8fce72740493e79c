//! The parameter that is meant by a key that the tool does not know.

use crate::check_call::nearest::only_near;
use crate::check_call::params::Param;
use crate::check_call::schema::mend::kind_of;
use crate::check_call::spelling::{is_said, keeps_meaning};
use crate::conversation::Conversation;
use crate::text::fold::fold_name;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The one free parameter that a key means, and whether there is no other reading.
pub(crate) fn find<'a>(
    key: &str,
    value: &Value,
    object: &'a Param,
    siblings: &Map<String, Value>,
    said: &Conversation,
) -> Option<(&'a str, bool)> {
    let free = free(object, siblings);
    let names = free.iter().map(|param| param.name.as_str());
    let near = only_near(key, names);
    let found = near.or_else(|| find_affixed(key, &free))?;
    // A name that says something else is another argument: `unread` is no misspelt `read`.
    let kept = near.is_none_or(|near| keeps_meaning(key, near, &|word| is_said(said, word)));
    let fits = free.iter().find(|param| param.name == found).is_some_and(|param| param.takes(kind_of(value)));
    let folded = fold_name(key) == fold_name(found);
    Some((found, kept && (fits || folded)))
}

/// The parameters that a call has not filled.
fn free<'a>(object: &'a Param, siblings: &Map<String, Value>) -> Vec<&'a Param> {
    object.order.iter().filter(|name| !siblings.contains_key(*name)).filter_map(|name| object.property(name)).collect()
}

/// A parameter with one general word around it: `input_city`, `city_name`, `year_value`.
fn find_affixed<'a>(key: &str, free: &[&'a Param]) -> Option<&'a str> {
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

const GENERAL: &[&str] = word_list!("check_call", "schema/rename/general");

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
            let (call, said) = (call.as_object().unwrap(), Conversation::default());
            find(key, &value, &object, call, &said).map(|(name, certain)| (name.to_owned(), certain))
        };
        assert_eq!(meant("City", json!("x"), json!({})), Some(("city".into(), true)));
        assert_eq!(meant("city_name", json!("x"), json!({})), Some(("city".into(), true)));
        assert_eq!(meant("input_year", json!("x"), json!({})), Some(("year".into(), false)));
        assert_eq!(meant("City", json!("x"), json!({"city": "y"})), None);
        assert_eq!(meant("timezone", json!("x"), json!({})), None);
    }

    #[test]
    fn an_argument_of_another_meaning_is_only_proposed() {
        // MEANING-5, CALL-3
        let certain = |key: &str, known: &str| {
            let object = Param::read(&json!({"properties": {known: {"type": "boolean"}}}));
            find(key, &json!(true), &object, &Map::new(), &Conversation::default()).map(|(_, certain)| certain)
        };
        for (key, known) in
            [("min_price", "max_price"), ("is_active", "inactive"), ("encrypted", "decrypted"), ("no_cache", "cache")]
        {
            assert_ne!(certain(key, known), Some(true), "{key} -> {known}");
        }
        for (key, known) in
            [("maxPrice", "max_price"), ("is_active", "active"), ("recipent", "recipient"), ("encripted", "encrypted")]
        {
            assert_eq!(certain(key, known), Some(true), "{key} -> {known}");
        }
    }
}
