//! The parts of a result, laid out flat: its objects with their entries, its lists and its texts.
//!
//! Every check reads these instead of walking the JSON itself, so the walk is bounded in one place. It never
//! follows a schema to the network and never looks at more than `MAX_NODES` values.

use crate::contract::schema;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The parts of one result.
#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// Every object, outermost first.
    pub objects: Vec<Object<'a>>,
    /// Every list.
    pub lists: Vec<List<'a>>,
    /// Every string.
    pub texts: Vec<Text<'a>>,
}

/// An object in its place.
#[derive(Debug)]
pub struct Object<'a> {
    /// Where it is.
    pub pointer: String,
    /// The key of the entry that holds it, or that holds its list.
    pub key: &'a str,
    /// Its entries.
    pub entries: Vec<Entry<'a>>,
    /// How many lists stand around it.
    pub listed: usize,
    /// How many values are around it.
    pub depth: usize,
}

/// An entry of an object.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The key as written.
    pub key: &'a str,
    /// The key's words, in lower case.
    pub words: Vec<String>,
    /// The value.
    pub value: &'a Value,
    /// What the output schema says about it.
    pub note: &'a str,
}

/// A list in its place.
#[derive(Debug)]
pub struct List<'a> {
    /// Where it is.
    pub pointer: String,
    /// The key that holds it.
    pub key: &'a str,
    /// Its items.
    pub items: &'a [Value],
    /// How many values are around it.
    pub depth: usize,
}

/// A string in its place.
#[derive(Debug)]
pub struct Text<'a> {
    /// Where it is.
    pub pointer: String,
    /// The key that holds it, empty for the content itself.
    pub key: &'a str,
    /// The string.
    pub text: &'a str,
    /// How many lists stand around it.
    pub listed: usize,
}

impl<'a> Parts<'a> {
    /// The parts of a content, with the notes of its schema where one is known.
    pub fn of(content: &'a Value, schema: Option<&'a Value>) -> Self {
        let mut parts = Self::default();
        let mut room = MAX_NODES;
        let place = FieldPath { pointer: String::new(), key: "", listed: 0, depth: 0 };
        parts.walk(content, schema, schema, place, &mut room);
        parts
    }

    fn walk(
        &mut self,
        value: &'a Value,
        schema: Option<&'a Value>,
        root: Option<&'a Value>,
        place: FieldPath<'a>,
        room: &mut usize,
    ) {
        if *room == 0 || place.depth > MAX_DEPTH {
            return;
        }
        *room -= 1;
        match value {
            Value::String(text) => {
                self.texts.push(Text { pointer: place.pointer, key: place.key, text, listed: place.listed });
            }
            Value::Array(items) => {
                let below = schema.zip(root).and_then(|(schema, root)| schema::items(schema, root));
                for (at, item) in items.iter().enumerate() {
                    let pointer = format!("{}/{at}", place.pointer);
                    let inner = FieldPath { pointer, key: place.key, listed: place.listed + 1, depth: place.depth + 1 };
                    self.walk(item, below, root, inner, room);
                }
                self.lists.push(List { pointer: place.pointer, key: place.key, items, depth: place.depth });
            }
            Value::Object(map) => self.walk_object(map, schema, root, place, room),
            _ => {}
        }
    }

    fn walk_object(
        &mut self,
        map: &'a Map<String, Value>,
        schema: Option<&'a Value>,
        root: Option<&'a Value>,
        place: FieldPath<'a>,
        room: &mut usize,
    ) {
        let of = |key: &str| schema.zip(root).and_then(|(schema, root)| schema::property(schema, key, root));
        let entries = map.iter().take(*room).map(|(key, value)| Entry {
            key,
            words: identifier_words(key),
            value,
            note: of(key).and_then(|schema| schema.get("description")).and_then(Value::as_str).unwrap_or_default(),
        });
        let (pointer, depth, listed) = (place.pointer.clone(), place.depth, place.listed);
        let object = Object { pointer: place.pointer, key: place.key, entries: entries.collect(), listed, depth };
        self.objects.push(object);
        for (key, value) in map {
            let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            self.walk(value, of(key), root, FieldPath { pointer, key, listed, depth: depth + 1 }, room);
        }
    }
}

struct FieldPath<'a> {
    pointer: String,
    key: &'a str,
    listed: usize,
    depth: usize,
}

impl Object<'_> {
    /// The entries that are looked through for a name. A record has its fields first; a table of thousands of keys has no
    /// names worth a search for each of its values.
    fn named_entries(&self) -> impl Iterator<Item = &Entry<'_>> {
        self.entries.iter().take(MAX_NAMED)
    }

    /// The pointer to one of its entries.
    pub fn at(&self, entry: &Entry) -> String {
        format!("{}/{}", self.pointer, entry.key.replace('~', "~0").replace('/', "~1"))
    }

    /// The first entry whose key, as words joined by `_`, is one of some names.
    pub fn find(&self, names: &[&str]) -> Option<&Entry<'_>> {
        names.iter().find_map(|name| self.named_entries().find(|entry| entry.is(name)))
    }

    /// The number of the first entry that has one of some names.
    pub fn number(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.named_entries().find(|entry| entry.is(name))?.number())
    }

    /// Whether a string entry with one of some keys holds one of some words.
    pub fn says(&self, names: &[&str], words: &[&str]) -> bool {
        let texts = self.named_entries().filter(|entry| names.iter().any(|name| entry.is(name)));
        texts.filter_map(|entry| entry.value.as_str()).any(|text| words.contains(&text.trim().to_lowercase().as_str()))
    }
}

impl Entry<'_> {
    /// Whether the key, in words, is a name such as `total_price`.
    pub fn is(&self, name: &str) -> bool {
        let mut words = name.split('_');
        self.words.iter().all(|word| words.next() == Some(word)) && words.next().is_none()
    }

    /// Whether the key holds a word.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether the key holds one of some words.
    pub fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Its number, also where it came as a string.
    pub fn number(&self) -> Option<f64> {
        number(self.value)
    }
}

/// The number in a value, also where it came as a plain numeric string.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text.len() < 32 && text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            text.replace(',', "").parse().ok()
        }
        _ => None,
    }
}

const MAX_NODES: usize = 20_000;
const MAX_DEPTH: usize = 64;

const MAX_NAMED: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_know_their_place_and_their_note() {
        let content = json!({"items": [{"unitPrice": "1,200.5", "n/a": "x"}]});
        let schema = json!({"properties": {"items": {"items": {"$ref": "#/$defs/i"}}},
            "$defs": {"i": {"properties": {"unitPrice": {"description": "euro"}}}}});
        let parts = Parts::of(&content, Some(&schema));
        let item = &parts.objects[1];
        assert_eq!((item.pointer.as_str(), item.key, item.listed), ("/items/0", "items", 1));
        assert_eq!((item.entries[0].number(), item.entries[0].note), (Some(1200.5), "euro"));
        assert!(item.entries[0].is("unit_price") && !item.entries[0].is("unit"));
        assert_eq!(parts.texts[1].pointer, "/items/0/n~1a");
    }
}
