//! What the audit's records say, read once: a look at the figures must not read a hundred thousand of them again.
//!
//! Verdicts and examinations are written once and never changed, so what counts of them is kept in memory, a few dozen
//! bytes each. The store stays the truth. A look compares the fingerprint of what had settled by the last look, then goes
//! over the places of what is younger, and reads only the records that are not known yet. Where the fingerprint differs,
//! because old records were removed or one was written late, it goes over all places, which takes no record to be read twice.

use countersign_runtime::store::{Fingerprint, Kind, Place, Query, Record, Records, StoreError};
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
    /// The record's.
    pub id: Box<str>,
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

/// All that the store holds at this moment.
pub(crate) struct Look<'a> {
    known: MutexGuard<'a, Known>,
}

impl Look<'_> {
    /// The records of a span of time, those of a kind the oldest first.
    pub(crate) fn facts(&self, from: i64, to: i64) -> impl Iterator<Item = &Fact> {
        self.known.verdicts.between(from, to).iter().chain(self.known.examinations.between(from, to))
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
        verdicts.catch_up(&mut Source { records, kind: Kind::Verdict, read, names }).await?;
        examinations.catch_up(&mut Source { records, kind: Kind::Examination, read, names }).await?;
        known.drop_unused_names();
        Ok(Look { known })
    }
}

impl Known {
    /// Drops the words of records that were removed, once most are.
    fn drop_unused_names(&mut self) {
        let facts = self.verdicts.facts.len() + self.examinations.facts.len();
        if self.names.words.len() < FEW_WORDS + facts.saturating_mul(WORDS_OF_A_FACT) {
            return;
        }
        let (old, mut names) = (std::mem::take(&mut self.names), Names::default());
        for fact in self.verdicts.facts.iter_mut().chain(&mut self.examinations.facts) {
            let words = [&mut fact.state, &mut fact.tool, &mut fact.key, &mut fact.item, &mut fact.answer];
            words.into_iter().chain(&mut fact.codes).for_each(|word| *word = names.number(old.word(*word)));
        }
        self.names = names;
    }
}

/// Where the records of a kind are, and how they are read.
struct Source<'a> {
    records: &'a dyn Records,
    kind: Kind,
    read: ReadFact,
    names: &'a mut Names,
}

impl Source<'_> {
    async fn fingerprint(&self, until: i64) -> Result<Fingerprint, StoreError> {
        self.records.fingerprint(self.kind, until).await
    }

    async fn list_places(&self, since: i64, after: Option<&Place>, limit: usize) -> Result<Vec<Place>, StoreError> {
        let after = after.map(|(at, id)| (*at, id.as_str()));
        self.records.list_places(self.kind, Query { since: Some(since), after, limit, ..Query::default() }).await
    }
}

/// What is known of the records of a kind.
#[derive(Default)]
struct OfKind {
    /// The oldest first.
    facts: Vec<Fact>,
    /// Up to this time everything was there at the last look; there was none yet where this is nothing.
    settled: Option<i64>,
}

impl OfKind {
    /// Reads what is new and forgets what was removed. Where reading breaks off, the next look finds what is missing.
    async fn catch_up(&mut self, source: &mut Source<'_>) -> Result<(), StoreError> {
        let began = now_millis();
        let settled = self.settled;
        let since = match settled {
            Some(settled) if self.holds_the_same(source, settled).await? => settled,
            _ => i64::MIN,
        };
        self.compare(source, since).await?;
        self.settled = Some(began - LATE);
        Ok(())
    }

    /// Whether the store holds what is known of the time before `settled`. What is older than its oldest record is
    /// forgotten: retention removes the oldest first.
    async fn holds_the_same(&mut self, source: &Source<'_>, settled: i64) -> Result<bool, StoreError> {
        let stored = source.fingerprint(settled).await?;
        if self.fingerprint(settled) == stored {
            return Ok(true);
        }
        let first = source.list_places(i64::MIN, None, 1).await?.pop();
        let gone = first.map_or(self.facts.len(), |first| self.facts.partition_point(|fact| fact.is_before(&first)));
        self.facts.drain(..gone);
        Ok(self.fingerprint(settled) == stored)
    }

    /// Goes over the places of all records since a time: those that are known stay, the others are read.
    async fn compare(&mut self, source: &mut Source<'_>, since: i64) -> Result<(), StoreError> {
        let mut known = self.facts.split_off(self.first_at(since)).into_iter().peekable();
        let mut last: Option<Place> = None;
        loop {
            let page = source.list_places(since, last.as_ref(), PAGE).await?;
            let (is_over, mut gap) = (page.len() < PAGE, None::<Gap>);
            for place in page {
                while known.next_if(|fact| fact.is_before(&place)).is_some() {}
                match known.next_if(|fact| fact.is_at(&place)) {
                    Some(fact) => {
                        self.fill(source, gap.take()).await?;
                        self.facts.push(fact);
                    }
                    None => gap.get_or_insert_with(|| Gap::after(since, last.take())).last = place.clone(),
                }
                last = Some(place);
            }
            self.fill(source, gap).await?;
            if is_over {
                return Ok(());
            }
        }
    }

    /// Reads the records of a gap.
    async fn fill(&mut self, source: &mut Source<'_>, gap: Option<Gap>) -> Result<(), StoreError> {
        let Some(Gap { since, mut after, last }) = gap else { return Ok(()) };
        loop {
            let place = after.as_ref().map(|(at, id)| (*at, id.as_str()));
            let until = Some(last.0.saturating_add(1));
            let query = Query { since: Some(since), until, after: place, limit: PAGE, ..Query::default() };
            let page = source.records.list(source.kind, query).await?;
            let within = |record: &&Record| (record.created_at, record.id.as_str()) <= (last.0, last.1.as_str());
            self.facts.extend(page.iter().filter(within).map(|record| (source.read)(record, source.names)));
            match page.last() {
                Some(record) if page.len() == PAGE => after = Some((record.created_at, record.id.clone())),
                _ => return Ok(()),
            }
        }
    }

    fn fingerprint(&self, until: i64) -> Fingerprint {
        Fingerprint::of(self.between(i64::MIN, until).iter().map(|fact| fact.at))
    }

    fn between(&self, from: i64, to: i64) -> &[Fact] {
        self.facts.get(self.first_at(from)..self.first_at(to)).unwrap_or_default()
    }

    /// How many there are before a time.
    fn first_at(&self, time: i64) -> usize {
        self.facts.partition_point(|fact| fact.at < time)
    }
}

/// Records beside each other that are not known: those after one place, up to another and with it.
struct Gap {
    since: i64,
    after: Option<Place>,
    last: Place,
}

impl Gap {
    fn after(since: i64, after: Option<Place>) -> Self {
        Self { since, after, last: Place::default() }
    }
}

impl Fact {
    fn is_before(&self, place: &Place) -> bool {
        (self.at, &*self.id) < (place.0, place.1.as_str())
    }

    fn is_at(&self, place: &Place) -> bool {
        (self.at, &*self.id) == (place.0, place.1.as_str())
    }
}

const PAGE: usize = 1000;
/// How late a record may be written, in milliseconds, without all places being compared.
const LATE: i64 = 5_000;
/// So many words are kept for each record, and some more, before those that nobody uses are looked for.
const WORDS_OF_A_FACT: usize = 4;
const FEW_WORDS: usize = 10_000;

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
            id: record.id.as_str().into(),
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
        look.facts(i64::MIN, i64::MAX).filter(|fact| look.names().word(fact.state) == "approved").count()
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
    }
}
