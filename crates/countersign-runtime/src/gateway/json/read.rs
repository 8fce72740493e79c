//! Reading an upstream's JSON, which may hold what JSON does not have.
//!
//! A log-probability of `-Infinity`, a number beyond all bounds, half of a character or a hundred nested lists in a field
//! that is none of our business must not cost the client its answer. Such a value reads as something harmless; its text
//! stays what it is. A text whose structure is damaged is not read: nobody knows what it says.

use crate::gateway::top::value_of;
use countersign::parse::json::keep_halves;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// What a text says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    /// The value; of a key that stands there twice the last one counts.
    pub value: Value,
    /// Whether any key may stand there twice.
    pub repeats: bool,
    /// Whether it holds what JSON does not have.
    pub odd: bool,
}

/// Reads a text. None where it is not one JSON value with nothing behind it.
pub(crate) fn read(text: &str) -> Option<Read> {
    let repeats = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_str(text);
    let exact = Noted(&repeats).deserialize(&mut reader).ok().filter(|_| reader.end().is_ok());
    match exact {
        Some(value) => Some(Read { value, repeats: repeats.get(), odd: false }),
        None => read_odd(text),
    }
}

/// A text that differs from JSON inside of values only. Whether a key stands there twice is not known; looking for it is
/// cheap beside being wrong.
fn read_odd(text: &str) -> Option<Read> {
    value_of(&keep_halves(text)).map(|value| Read { value, repeats: true, odd: true })
}

/// Reads a value and notes a key that stands there twice.
#[derive(Clone, Copy)]
struct Noted<'n>(&'n Cell<bool>);

impl<'de> DeserializeSeed<'de> for Noted<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Noted<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            if map.insert(key, fields.next_value_seed(self)?).is_some() {
                self.0.set(true);
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // SERVE-6: what JSON does not have reads as something, and what stands beside it as it is.
    #[test]
    fn odd_values_do_not_hide_what_stands_beside_them() {
        let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
        for odd in ["1e400", "-1e400", "NaN", "-Infinity", "Infinity", r#""\ud83d""#, r#""a\udE00b""#, deep.as_str()] {
            let text = format!(r#"{{"a": {odd}, "b": {{"c": [{odd}, "x"]}}}}"#);
            let read = read(&text).unwrap_or_else(|| panic!("{odd}"));
            assert_eq!(read.value.pointer("/b/c/1"), Some(&json!("x")), "{odd}");
        }
    }

    #[test]
    fn a_damaged_structure_is_not_read() {
        for text in ["", "{", "{\"a\": }", "{\"a\": 1,}", "{'a': 1}", "{\"a\": 1} {", "{\"a\": tru}", "{a: 1}", "[1 2]"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_that_stands_there_twice_is_noted() {
        let repeats = |text| read(text).unwrap().repeats;
        assert!(repeats(r#"{"a": 1, "a": 2}"#) && repeats(r#"[{"b": {"a": 1, "\u0061": 1}}]"#));
        assert!(!repeats(r#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}"#));
    }

    // CALL-1: two halves of a character in two pieces of arguments are one character.
    #[test]
    fn halves_of_characters_are_kept_as_their_escapes() {
        let half = |text: &str| read(text).unwrap().value.as_str().unwrap().to_owned();
        let joined = half(r#""{\"a\": \"\ud83d""#) + &half(r#""\ude00\"}""#);
        assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), json!({"a": "😀"}));
        assert_eq!(half(r#""\\ud83d \ud83d\ude00 \ud83d""#), "\\ud83d 😀 \\ud83d");
    }
}
