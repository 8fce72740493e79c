//! Log-probabilities, which belong to the text that they measure: they are held as long as it is, leave with it, and are
//! dropped with what was taken out of it.

use super::chunk::Chunk;
use crate::gateway::json::find;
use crate::gateway::top::elements;
use crate::models::TextScan;
use serde_json::Value;
use std::collections::VecDeque;
use std::ops::Range;

/// The log-probabilities of one text that have not been shown.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// Each with the place that it measures, as it was written.
    entries: VecDeque<(Range<usize>, String)>,
}

impl Measured {
    /// Takes a list of them, which measures the piece of text at a place.
    pub(super) fn take(&mut self, place: Range<usize>, list: &str) {
        let entries: Vec<&str> = elements(list).into_iter().flatten().filter_map(|entry| list.get(entry)).collect();
        let lengths: Vec<usize> = entries.iter().map(|entry| token_length(entry)).collect();
        // Where tokens do not add up to the text, each stands for all of it.
        let exact = lengths.iter().sum::<usize>() == place.len();
        let mut start = place.start;
        for (entry, length) in entries.into_iter().zip(lengths) {
            let own = if exact { start..start + length } else { place.clone() };
            start += length;
            if self.entries.len() < MOST {
                self.entries.push_back((own, entry.to_owned()));
            }
        }
    }

    /// Puts those of what is shown now in place of those that a chunk brings. Its text, of that length, came last.
    pub(super) fn put_into(&mut self, chunk: &mut Chunk, choice: usize, length: usize, scan: &TextScan) {
        let pointer = format!("/choices/{choice}/logprobs/content");
        let own = find(chunk.document.text(), &pointer).filter(|list| list.starts_with('['));
        if let Some(list) = own {
            self.take(scan.length().saturating_sub(length)..scan.length(), list);
        }
        let has_own = own.is_some();
        match self.shown(scan) {
            Some(list) if has_own => chunk.places.push((pointer, list)),
            None if has_own => chunk.places.push((pointer, "[]".to_owned())),
            Some(list) => {
                let pointer = format!("/choices/{choice}/logprobs");
                chunk.places.push((pointer, format!("{{\"content\":{list}}}")));
            }
            None => {}
        }
    }

    /// Those of the text that has been shown by now, as a list; none where there are none.
    pub(super) fn shown(&mut self, scan: &TextScan) -> Option<String> {
        let mut list = Vec::new();
        while let Some(shown) = self.entries.front().and_then(|(place, _)| scan.is_shown(place)) {
            list.extend(self.entries.pop_front().filter(|_| shown).map(|(_, entry)| entry));
        }
        (!list.is_empty()).then(|| format!("[{}]", list.join(",")))
    }
}

fn token_length(entry: &str) -> usize {
    find(entry, "/token").and_then(|token| serde_json::from_str::<String>(token).ok()).map_or(0, |token| token.len())
}

/// Of the log-probabilities of a whole text, those of what was shown of it.
pub(super) fn of_shown(list: &[Value], length: usize, scan: &TextScan) -> Vec<Value> {
    let mut start = 0;
    let places: Vec<Range<usize>> = list
        .iter()
        .map(|entry| {
            let from = start;
            start += entry.get("token").and_then(Value::as_str).map_or(0, str::len);
            from..start
        })
        .collect();
    if start != length {
        return Vec::new();
    }
    list.iter()
        .zip(places)
        .filter(|(_, place)| scan.is_shown(place) == Some(true))
        .map(|(entry, _)| entry.clone())
        .collect()
}

/// More than any text has while it is held back.
const MOST: usize = 1 << 16;
