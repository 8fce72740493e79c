//! What the audit's records say, read once: a look at the figures must not read a hundred thousand of them again.
//!
//! Verdicts and examinations are written once and never changed, so what counts of them is kept in memory, a few dozen
//! bytes each. The newest are read each time, because a record may be written a little after a younger one. The store stays
//! the truth: where it holds another number than is known here, because old ones were removed, everything is read again.

use countersign_runtime::store::{Kind, Query, Record, Records, StoreError};
use countersign_runtime::stream::now_millis;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

/// What the records of the audit say.
#[derive(Default)]
pub(crate) struct RecordFacts {
    known: Mutex<Known>,
}

/// A record, as far as it is counted. Words are numbers of `Names`.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What it is about.
    pub of: FactOf,
    /// Its state.
    pub state: u32,
    /// The tool.
    pub tool: u32,
    /// The key that it came with.
    pub key: u32,
    /// The item of the queue that it waited for; the number of the empty word where there is none.
    pub item: u32,
    /// The answer that it was part of.
    pub answer: u32,
    /// Whether it is a try, or a repeat, of a call that has a record of its own.
    pub aside: bool,
    /// How many repairs were applied.
    pub repairs: u32,
    /// The codes of its findings.
    pub codes: Box<[u32]>,
}

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactOf {
    /// A call.
    Call,
    /// A result.
    Result,
    /// An answer that nothing doubts.
    Answer,
    /// An answer that a check doubts.
    DoubtfulAnswer,
}

/// Words, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    words: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
}

impl Names {
    /// The number of a word.
    pub(crate) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let word: Arc<str> = word.into();
        self.words.push(Arc::clone(&word));
        self.numbers.insert(word, number);
        number
    }

    /// The word of a number.
    pub(crate) fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", |word| word)
    }
}

/// Reads what counts of a record.
pub(crate) type ReadFact = fn(&Record, &mut Names) -> Fact;

#[derive(Default)]
struct Known {
    names: Names,
    verdicts: OfKind,
    examinations: OfKind,
}

#[derive(Default)]
struct OfKind {
    facts: Vec<Fact>,
    /// The place of the last one.
    last: Option<(i64, String)>,
}

/// All that the store holds at this moment.
pub(crate) struct Look<'a> {
    known: MutexGuard<'a, Known>,
    newest: Vec<Fact>,
}

impl Look<'_> {
    /// Every record.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.known.verdicts.facts.iter().chain(&self.known.examinations.facts).chain(&self.newest)
    }

    /// Their words.
    pub(crate) fn names(&self) -> &Names {
        &self.known.names
    }
}

impl RecordFacts {
    /// Reads what is new, and gives everything.
    pub(crate) async fn look(&self, records: &dyn Records, read: ReadFact) -> Result<Look<'_>, StoreError> {
        let mut known = self.known.lock().await;
        let Known { names, verdicts, examinations } = &mut *known;
        let mut newest = verdicts.catch_up(records, Kind::Verdict, read, names).await?;
        newest.extend(examinations.catch_up(records, Kind::Examination, read, names).await?);
        Ok(Look { known, newest })
    }
}

impl OfKind {
    /// Reads what is new; gives the newest, which are read again next time. Where records were removed, everything is read.
    async fn catch_up(
        &mut self,
        records: &dyn Records,
        kind: Kind,
        read: ReadFact,
        names: &mut Names,
    ) -> Result<Vec<Fact>, StoreError> {
        let before = records.count(kind, "").await?;
        let newest = self.read_on(records, kind, read, names).await?;
        let after = records.count(kind, "").await?;
        let seen = (self.facts.len() + newest.len()) as u64;
        // What is written meanwhile is between the two counts.
        if (before..=after.max(before)).contains(&seen) {
            return Ok(newest);
        }
        *self = Self::default();
        self.read_on(records, kind, read, names).await
    }

    async fn read_on(
        &mut self,
        records: &dyn Records,
        kind: Kind,
        read: ReadFact,
        names: &mut Names,
    ) -> Result<Vec<Fact>, StoreError> {
        let settled = now_millis() - LATE;
        let mut place = self.last.clone();
        let mut newest = Vec::new();
        for _ in 0..PAGES {
            let after = place.as_ref().map(|(at, id)| (*at, id.as_str()));
            let page = records.list(kind, Query { after, limit: PAGE, ..Query::default() }).await?;
            for record in &page {
                let fact = read(record, names);
                if newest.is_empty() && record.created_at < settled {
                    self.facts.push(fact);
                    self.last = Some((record.created_at, record.id.clone()));
                } else {
                    newest.push(fact);
                }
            }
            if page.len() < PAGE {
                break;
            }
            place = page.last().map(|record| (record.created_at, record.id.clone()));
        }
        Ok(newest)
    }
}

const PAGE: usize = 1000;
/// A million records at most.
const PAGES: usize = 1000;
/// How late a record may be written, in milliseconds.
const LATE: i64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_runtime::store::Change;
    use countersign_runtime::store::memory::MemoryRecords;
    use serde_json::Value;

    fn record(id: u32, at: i64) -> Record {
        let (parent, state) = (String::new(), "approved".to_owned());
        Record {
            kind: Kind::Verdict,
            id: format!("v{id:04}"),
            parent,
            state,
            created_at: at,
            version: 1,
            body: Value::Null,
        }
    }

    fn fact(record: &Record, names: &mut Names) -> Fact {
        let state = names.number(&record.state);
        let (of, aside) = (FactOf::Call, false);
        Fact {
            at: record.created_at,
            of,
            state,
            tool: 0,
            key: 0,
            item: 0,
            answer: 0,
            aside,
            repairs: 0,
            codes: [].into(),
        }
    }

    async fn ids(facts: &RecordFacts, records: &MemoryRecords) -> usize {
        let look = facts.look(records, fact).await.unwrap();
        look.facts().filter(|fact| look.names().word(fact.state) == "approved").count()
    }

    // SERVE-4: what is read once counts once, late ones count, and what was removed does not.
    #[tokio::test]
    async fn the_facts_are_those_of_the_store() {
        let (facts, records) = (RecordFacts::default(), MemoryRecords::default());
        let now = now_millis();
        let add = |id, at| records.apply(vec![Change::Insert(record(id, at), None)]);
        for id in 0..2500 {
            add(id, now - 600_000 + i64::from(id)).await.unwrap();
        }
        assert_eq!(ids(&facts, &records).await, 2500);
        add(3000, now).await.unwrap();
        add(3001, now - 1000).await.unwrap();
        assert_eq!(ids(&facts, &records).await, 2502);
        add(3002, now - 2000).await.unwrap();
        assert_eq!(ids(&facts, &records).await, 2503, "written late");
        add(3003, now - 599_999).await.unwrap();
        assert_eq!(ids(&facts, &records).await, 2504, "written very late");
        for id in 0..100 {
            records.apply(vec![Change::Delete { kind: Kind::Verdict, id: format!("v{id:04}") }]).await.unwrap();
        }
        assert_eq!(ids(&facts, &records).await, 2404);
        assert_eq!(facts.known.lock().await.verdicts.facts.len(), 2401, "all but the newest are kept");
    }
}
