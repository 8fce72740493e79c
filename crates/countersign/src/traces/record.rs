//! A record: a line of a file, or an element of one large document, with the line where it begins.

use memchr::{memchr_iter, memmem};
use serde_json::Value;
use serde_json::value::RawValue;

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// Its JSON.
    pub text: &'a str,
    /// The line where it begins, from 1.
    pub line: u64,
}

impl<'a> Record<'a> {
    /// The line where something with an id is written; the record's own where it is not found.
    pub fn line_of(&self, id: Option<&str>) -> u64 {
        let Some(id) = id.filter(|id| !id.is_empty()) else { return self.line };
        // Most records are one line, and then there is nothing to look for.
        let at = memchr::memchr(b'\n', self.text.as_bytes())
            .and_then(|_| memmem::find(self.text.as_bytes(), format!("\"{id}\"").as_bytes()));
        at.map_or(self.line, |at| self.line_at(at))
    }

    fn line_at(&self, at: usize) -> u64 {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        self.line + memchr_iter(b'\n', before).count() as u64
    }

    /// The elements of an array, or of the array under a key, each with its line.
    pub fn elements(&self, key: Option<&str>) -> Option<Vec<Record<'a>>> {
        let list: Vec<&'a RawValue> = match key {
            None => serde_json::from_str(self.text).ok()?,
            Some(key) => {
                let fields: std::collections::BTreeMap<std::borrow::Cow<'a, str>, &'a RawValue> =
                    serde_json::from_str(self.text).ok()?;
                serde_json::from_str(fields.get(key)?.get()).ok()?
            }
        };
        let start = self.text.as_ptr() as usize;
        let mut records = Vec::with_capacity(list.len());
        let (mut line, mut from) = (self.line, 0);
        for raw in list {
            let at = (raw.get().as_ptr() as usize).saturating_sub(start);
            let between = self.text.as_bytes().get(from..at).unwrap_or_default();
            line += memchr_iter(b'\n', between).count() as u64;
            from = at.max(from);
            records.push(Record { text: raw.get(), line });
        }
        Some(records)
    }

    /// The record, read whole.
    pub fn value(&self) -> Result<Value, String> {
        serde_json::from_str(self.text).map_err(|error| format!("is not JSON: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // AUDIT-3: findings in one large document point at their line.
    #[test]
    fn lines_are_found_in_documents() {
        let text =
            "{\"runs\": [\n  {\"id\": \"a\",\n   \"call\": \"c1\"},\n  {\"id\": \"b\",\n\n   \"call\": \"c2\"}\n]}";
        let record = Record { text, line: 10 };
        let elements = record.elements(Some("runs")).unwrap();
        assert_eq!(elements.iter().map(|element| element.line).collect::<Vec<_>>(), [11, 13]);
        assert_eq!((elements[0].line_of(Some("c1")), elements[1].line_of(Some("c2"))), (12, 15));
        assert_eq!(elements[1].line_of(Some("c9")), 13);
    }
}
