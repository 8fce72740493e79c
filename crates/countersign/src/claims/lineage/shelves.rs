//! Finds the claims that a value may repeat without looking at all of them: by size, by year, by name.

use crate::claims::known::Telling;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The latest claims of each kind of value.
#[derive(Debug, Clone, Default)]
pub(super) struct Shelves(FxHashMap<u64, VecDeque<u64>>);

impl Shelves {
    pub(super) fn put(&mut self, number: u64, telling: &Telling) {
        for shelf in telling.shelves() {
            let list = self.0.entry(shelf).or_default();
            list.push_back(number);
            if list.len() > KEPT {
                list.pop_front();
            }
        }
    }

    /// The claims that a telling may repeat, the latest first.
    pub(super) fn search(&self, telling: &Telling) -> Vec<u64> {
        let shelves = telling.shelves_to_search();
        let mut found: Vec<u64> = shelves.iter().filter_map(|shelf| self.0.get(shelf)).flatten().copied().collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found.truncate(LOOKED_AT);
        found
    }

    pub(super) fn remove(&mut self, number: u64, telling: &Telling) {
        for shelf in telling.shelves() {
            if let Some(list) = self.0.get_mut(&shelf) {
                list.retain(|other| *other != number);
                if list.is_empty() {
                    self.0.remove(&shelf);
                }
            }
        }
    }
}

/// So many claims of one value are kept in reach; older ones are found through the messages that were handed over.
const KEPT: usize = 48;
const LOOKED_AT: usize = 64;
