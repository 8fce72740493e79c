//! JSON and JSON lines: an object is written as `key: value; key: value`; the objects and the long texts in an array
//! are passages of their own.
//!
//! The file is read in one pass without building its tree, so that a large one needs no more memory than its text.

use crate::kb::document::{Document, Nature, Writer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// Reads one JSON value.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let mut writer = Writer::default();
    record(text, &mut writer, None).map_err(|error| format!("it is no JSON: {error}"))?;
    Ok(writer.finish())
}

/// Reads one value a line. A line that is no JSON is taken as text.
pub(super) fn lines(text: &str) -> Result<Document, String> {
    let mut writer = Writer::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if record(line, &mut writer, Some(number + 1)).is_err() {
            writer.block(line.trim(), Some(number + 1), &Arc::from([]), Nature::Stands)?;
        }
    }
    Ok(writer.finish())
}

fn record(text: &str, writer: &mut Writer, line: Option<usize>) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut own = Record::default();
    let mut out = Out { writer, line };
    Member { path: "", list: List::No, own: &mut own, out: &mut out }.deserialize(&mut json)?;
    json.end()?;
    own.close(&mut out).map_err(serde_json::Error::custom)
}

/// Where records go.
struct Out<'w> {
    writer: &'w mut Writer,
    line: Option<usize>,
}

impl Out<'_> {
    fn block(&mut self, text: &str, path: &str) -> Result<(), String> {
        let headings: Arc<[String]> = if path.is_empty() { Arc::from([]) } else { Arc::from([path.to_owned()]) };
        self.writer.block(text, self.line, &headings, Nature::Stands)
    }
}

/// What is written of one object so far.
#[derive(Default)]
struct Record {
    text: String,
    /// Its first pair, which says whose record it is where it takes more than one passage.
    lead: String,
    heading: String,
}

impl Record {
    /// Adds a pair. A record that has grown long goes on in a new passage.
    fn add(&mut self, path: &str, value: &str, out: &mut Out<'_>) -> Result<(), String> {
        if self.text.len() + path.len() + value.len() > FULL && self.text.len() > self.lead.len() {
            out.block(&self.text, &self.heading)?;
            self.text.clone_from(&self.lead);
        }
        let first = self.text.is_empty();
        let join = if first { "" } else { "; " };
        let colon = if path.is_empty() { "" } else { ": " };
        self.text.extend([join, path, colon, value]);
        if first && self.lead.is_empty() && self.text.len() < MAX_PATH && !path.contains('.') {
            self.lead.clone_from(&self.text);
        }
        Ok(())
    }

    fn close(self, out: &mut Out<'_>) -> Result<(), String> {
        out.block(&self.text, &self.heading)
    }
}

/// A value under a path: what is plain joins the record it belongs to, an object in an array is a record of its own.
struct Member<'a, 'w> {
    path: &'a str,
    list: List,
    own: &'a mut Record,
    out: &'a mut Out<'w>,
}

/// Whether a value is an element of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    No,
    Yes,
}

impl Member<'_, '_> {
    fn plain<E: Error>(self, value: &str) -> Result<(), E> {
        let value = value.trim();
        let done = match self.list {
            _ if value.is_empty() => Ok(()),
            List::Yes if self.path.is_empty() || value.len() > LONG => self.out.block(value, self.path),
            List::Yes => {
                if !self.own.text.is_empty() {
                    self.own.text.push_str(", ");
                }
                self.own.text.push_str(value);
                Ok(())
            }
            List::No => self.own.add(self.path, value, self.out),
        };
        done.map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Member<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member<'_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.plain(if value { "true" } else { "false" })
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.plain(&value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.plain(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.plain(&value.to_string())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let apart = self.list == List::Yes;
        let mut record = Record { heading: self.path.to_owned(), ..Record::default() };
        while let Some(key) = map.next_key::<String>()? {
            // The keys of a record in an array start over: its path is its heading.
            let path = if apart { clip(&key) } else { join(self.path, &key) };
            let own = if apart { &mut record } else { &mut *self.own };
            map.next_value_seed(Member { path: &path, list: List::No, own, out: self.out })?;
        }
        if apart { record.close(self.out).map_err(A::Error::custom) } else { Ok(()) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut values = Record::default();
        loop {
            let element = Member { path: self.path, list: List::Yes, own: &mut values, out: self.out };
            let more = items.next_element_seed(element)?.is_some();
            if (!more && !values.text.is_empty()) || values.text.len() > FULL {
                self.own.add(self.path, &values.text, self.out).map_err(A::Error::custom)?;
                values.text.clear();
            }
            if !more {
                return Ok(());
            }
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { clip(key) } else { clip(&format!("{path}.{}", clip(key))) }
}

/// A long path would be written with every value.
fn clip(path: &str) -> String {
    path.chars().take(MAX_PATH).collect()
}

/// An element of an array that is longer is a passage of its own.
const LONG: usize = 200;
const MAX_PATH: usize = 120;
/// From here on a record goes on in a new passage.
const FULL: usize = 900;

#[cfg(test)]
mod tests {
    use super::*;

    fn records(document: Document) -> Vec<(String, String)> {
        let block = |b: &crate::kb::document::Block| (b.headings.join("/"), document.text[b.range.clone()].to_owned());
        document.blocks.iter().map(block).collect()
    }

    fn all(text: &str) -> Vec<(String, String)> {
        records(read(text).unwrap())
    }

    fn pairs<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
        expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    // CLAIM-3
    #[test]
    fn objects_are_flattened_and_arrays_give_records() {
        assert_eq!(
            all(
                r#"[{"city": "Oslo", "size": {"people": 709037, "area": 454.12}, "tags": ["a", "b"], "none": null}, {"city": "Bergen", "old": true}]"#
            ),
            pairs([
                ("", "city: Oslo; size.people: 709037; size.area: 454.12; tags: a, b"),
                ("", "city: Bergen; old: true")
            ])
        );
        assert_eq!(
            all(r#"{"name": "报告", "rows": [{"年": 2023, "营收": "3.4亿元"}], "year": 2024}"#),
            pairs([("rows", "年: 2023; 营收: 3.4亿元"), ("", "name: 报告; year: 2024")])
        );
        assert_eq!(all("\"just text\""), pairs([("", "just text")]));
        assert_eq!(all("[1, 2, [3]]"), pairs([("", "1"), ("", "2"), ("", "3")]));
    }

    #[test]
    fn a_long_record_says_in_each_passage_whose_it_is() {
        let pairs: String = (0..200).map(|n| format!(", \"key{n}\": \"value {n}\"")).collect();
        let found = all(&format!("{{\"rows\": [{{\"city\": \"Oslo\"{pairs}}}]}}"));
        assert!(
            found.len() > 2 && found.iter().all(|(path, text)| path == "rows" && text.starts_with("city: Oslo; key"))
        );
        assert!(
            found.iter().all(|(_, text)| text.len() < 1000) && found.last().unwrap().1.ends_with("key199: value 199")
        );
        let long = all(&format!("{{\"list\": [{}0]}}", "12, ".repeat(5000)));
        assert_eq!(long.iter().map(|(_, text)| text.matches("12").count()).sum::<usize>(), 5000);
    }

    #[test]
    fn lines_stand_alone_and_bad_ones_are_text() {
        let document = lines("{\"a\": 1}\n\nnot json\n{\"b\": 2}\n").unwrap();
        assert_eq!(document.blocks.iter().map(|b| b.line).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(records(document), pairs([("", "a: 1"), ("", "not json"), ("", "b: 2")]));
    }

    #[test]
    fn hostile_json_is_refused_or_read() {
        for text in ["", "{", "[1,", "{\"a\": }", "nul", &"[".repeat(100_000), &"{\"a\":".repeat(100_000)] {
            assert!(read(text).is_err());
        }
        let wide = format!("{{\"{}\": [{}0]}}", "k".repeat(100_000), "0,".repeat(100_000));
        assert!(all(&wide)[0].1.len() < 400_000);
        let deep = format!("{}1{}", "{\"kkkkkkkkkk\":".repeat(100), "}".repeat(100));
        assert!(all(&deep)[0].1.len() < 200);
    }
}
