//! The graph as a store keeps it. What can be worked out again is left out; what does not fit together is let go, so that
//! a damaged file cannot make a cycle.

use super::record::{Limits, Message, Record};
use super::{Lineage, read_again};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The graph on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    limits: Limits,
    next: u64,
    records: Vec<Record>,
    messages: BTreeMap<String, Message>,
    received: BTreeMap<String, VecDeque<String>>,
    forgotten: VecDeque<String>,
    forgotten_in_all: u64,
}

impl From<Lineage> for Kept {
    fn from(graph: Lineage) -> Self {
        Self {
            limits: graph.limits,
            next: graph.next,
            records: graph.records.into_values().collect(),
            messages: graph.messages,
            received: graph.received,
            forgotten: graph.forgotten,
            forgotten_in_all: graph.forgotten_in_all,
        }
    }
}

impl From<Kept> for Lineage {
    fn from(kept: Kept) -> Self {
        let mut graph = Self {
            next: kept.next,
            messages: kept.messages,
            received: kept.received,
            forgotten: kept.forgotten,
            forgotten_in_all: kept.forgotten_in_all,
            ..Self::new(kept.limits)
        };
        let mut records = kept.records;
        records.sort_by_key(|record| record.number);
        records.dedup_by_key(|record| record.number);
        for mut record in records {
            let number = record.number;
            graph.next = graph.next.max(number.saturating_add(1));
            // A parent is older than its child and is kept, or it has gone.
            record.parents.retain(|parent| parent.number < number);
            for parent in &mut record.parents {
                if !graph.records.contains_key(&parent.number) && parent.gone.is_none() {
                    parent.gone = Some(super::State::default());
                }
            }
            if let Some(telling) = read_again(&record) {
                graph.link(record, telling);
            }
        }
        let known: FxHashSet<u64> = graph.records.keys().copied().collect();
        graph.messages.values_mut().for_each(|message| message.claims.retain(|number| known.contains(number)));
        graph
    }
}
