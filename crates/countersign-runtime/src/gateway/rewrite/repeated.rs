//! Chunks that differ from the one before in one string alone, which most chunks of a stream do.
//!
//! Where all bytes around that string are the same, reading the chunk would give the same again with another string in it,
//! so only the string is read.

use super::glance::Text;
use std::borrow::Cow;
use std::ops::Range;

/// A chunk around the one string that changes, with what was read of it.
#[derive(Debug)]
pub(super) struct Repeated<T> {
    /// Up to the opening quote, which is part of it.
    before: Vec<u8>,
    /// From the closing quote on.
    after: Vec<u8>,
    /// What was read of the chunk.
    pub(super) read: T,
}

impl<T> Repeated<T> {
    /// What was read of a chunk whose string stands at a place, its quotes included.
    pub(super) fn of(chunk: &[u8], place: Range<usize>, read: T) -> Option<Self> {
        let (before, after) = (chunk.get(..=place.start)?, chunk.get(place.end.checked_sub(1)?..)?);
        let quoted = before.last() == Some(&b'"') && after.first() == Some(&b'"') && place.len() > 1;
        quoted.then(|| Self { before: before.to_vec(), after: after.to_vec(), read })
    }

    /// The string of a chunk that is the same around it.
    pub(super) fn text<'a>(&self, chunk: &'a [u8]) -> Option<Cow<'a, str>> {
        if !chunk.starts_with(&self.before) || !chunk.ends_with(&self.after) {
            return None;
        }
        let quoted = chunk.get(self.before.len() - 1..(chunk.len() + 1).checked_sub(self.after.len())?)?;
        serde_json::from_slice::<Text>(quoted).ok().map(|text| text.0)
    }
}

/// Where a part of a text stands in it.
pub(super) fn place_in(whole: &[u8], part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let place = start..start + part.len();
    (whole.get(place.clone())? == part.as_bytes()).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn repeated(chunk: &str, text: &str) -> Repeated<()> {
        let quoted = format!("\"{text}\"");
        let start = chunk.find(&quoted).unwrap();
        Repeated::of(chunk.as_bytes(), start..start + quoted.len(), ()).unwrap()
    }

    // SERVE-6: another string in the same chunk is read, and nothing else is.
    #[test]
    fn only_the_string_may_differ() {
        let known = repeated(r#"{"a":1,"text":"x","b":[]}"#, "x");
        let text = |chunk: &str| known.text(chunk.as_bytes()).map(Cow::into_owned);
        assert_eq!(text(r#"{"a":1,"text":"","b":[]}"#).unwrap(), "");
        assert_eq!(text(r#"{"a":1,"text":"caf\u00e9 \"y\" 未","b":[]}"#).unwrap(), "café \"y\" 未");
        for other in [
            r#"{"a":2,"text":"x","b":[]}"#,
            r#"{"a":1,"text":"x","c":"y","b":[]}"#,
            r#"{"a":1,"text":"x\","b":[]}"#,
            r#"{"a":1,"text":","b":[]}"#,
            "{\"a\":1,\"text\":\"x\ny\",\"b\":[]}",
            r#"{"a":1,"text":"\ud83d","b":[]}"#,
        ] {
            assert_eq!(text(other), None, "{other}");
        }
    }

    proptest! {
        // SERVE-6: what is found is what reading the whole chunk finds.
        #[test]
        fn the_string_is_the_one_of_the_chunk(text in r#"(\PC|["\\,:{}]){0,12}"#, raw in r#"(\PC|["\\,:{}u]){0,12}"#) {
            let known = repeated(r#"{"text":"x","b":1}"#, "x");
            let chunk = json!({"text": text, "b": 1}).to_string();
            let found = known.text(chunk.as_bytes());
            prop_assert_eq!(found.as_deref(), Some(text.as_str()));
            let odd = format!(r#"{{"text":"{raw}","b":1}}"#);
            if let Some(found) = known.text(odd.as_bytes()) {
                let read: Value = serde_json::from_str(&odd).unwrap();
                prop_assert_eq!(read, json!({"text": found, "b": 1}));
            }
        }
    }
}
