//! Where a run's events lie among the rows of all runs.
//!
//! Rows are added at the end of one table, so neighbours in a run are mostly neighbours there: a few spans say where 64
//! events are. An index with an entry for each event was measured to cost as much again as the events (64 runs that write
//! at once touch 64 of its pages in every transaction), so the newest spans stand in the run's own row, and a full list of
//! them becomes a row of `places`. Every event that is read is checked to be the one that was looked for.

use super::fault::broken;
use crate::store::StoreError;
use rusqlite::{Connection, Row};
use std::ops::ControlFlow;

/// A list of spans, in the order of a run's numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spans {
    spans: Vec<Span>,
    events: u64,
}

/// Neighbouring rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    place: i64,
    events: u64,
}

impl Spans {
    /// So many more events from a row on.
    pub(super) fn push(&mut self, place: i64, events: u64) {
        self.events += events;
        match self.spans.last_mut() {
            Some(last) if last.end() == place => last.events += events,
            _ => self.spans.push(Span { place, events }),
        }
    }

    /// How many events they are.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.spans.len() * 4);
        let mut end = 0;
        for span in &self.spans {
            // A row may lie before the one of an earlier event, where events at the end of the table were deleted.
            put(&mut bytes, zigzag(span.place - end));
            put(&mut bytes, span.events);
            end = span.end();
        }
        bytes
    }

    pub(super) fn decode(mut bytes: &[u8]) -> Result<Self, StoreError> {
        let mut decoded = Self::default();
        let mut end = 0;
        while !bytes.is_empty() {
            let (step, events) = take(&mut bytes).zip(take(&mut bytes)).ok_or_else(|| broken(UNREADABLE))?;
            let place = unzigzag(step).checked_add(end).filter(|place| *place > 0);
            let next = place.and_then(|place| place.checked_add_unsigned(events));
            let (place, next) = place.zip(next).ok_or_else(|| broken(UNREADABLE))?;
            decoded.push(place, events);
            end = next;
        }
        Ok(decoded)
    }

    /// The list in a column.
    pub(super) fn in_column(row: &Row<'_>, column: usize) -> Result<Self, StoreError> {
        Self::decode(row.get_ref(column)?.as_blob().map_err(|error| broken(error.to_string()))?)
    }

    /// Every span with the numbers of the rows it begins and ends with.
    pub(super) fn rows(&self) -> impl Iterator<Item = (i64, i64)> {
        self.spans.iter().map(|span| (span.place, span.end() - 1))
    }
}

impl Span {
    fn end(&self) -> i64 {
        self.place + self.events.cast_signed()
    }
}

/// A run, as far as its events are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whereabouts<'a> {
    pub(super) run: i64,
    pub(super) newest: u64,
    /// Where the newest events are.
    pub(super) tail: &'a Spans,
}

/// What is read of an event: always its place, its run and its number first.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// Then its epoch, type, time and body.
    Whole,
    /// Then its time and the size of its body.
    Size,
}

impl Whereabouts<'_> {
    /// Shows the rows of events from one number to another, in order, until it is told that it is enough. All of them
    /// must be there.
    pub(super) fn walk(
        &self,
        connection: &Connection,
        (from, to): (u64, u64),
        part: Part,
        mut each: impl FnMut(u64, &Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let to = to.min(self.newest);
        let settled = self.newest - self.tail.events.min(self.newest);
        if from <= settled {
            let mut statement = connection.prepare_cached(LISTS)?;
            let mut lists = statement.query((self.run, from.cast_signed()))?;
            while let Some(row) = lists.next()? {
                let last = row.get::<_, i64>(0)?.cast_unsigned();
                let spans = Spans::in_column(row, 1)?;
                let shown = self.show(connection, &spans, last, (from, to), part, &mut each)?;
                if shown.is_break() || last >= to {
                    return Ok(());
                }
            }
        }
        self.show(connection, self.tail, self.newest, (from, to), part, &mut each).map(drop)
    }

    /// The part of a list that was asked for.
    fn show(
        &self,
        connection: &Connection,
        spans: &Spans,
        last: u64,
        (from, to): (u64, u64),
        part: Part,
        each: &mut impl FnMut(u64, &Row<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<ControlFlow<()>, StoreError> {
        let mut statement = connection.prepare_cached(part.query())?;
        let mut first = (last + 1).checked_sub(spans.events).ok_or_else(|| broken(UNREADABLE))?;
        for span in &spans.spans {
            let (begin, end) = (first.max(from), (first + span.events).min(to.saturating_add(1)));
            let place = |seq: u64| span.place + (seq - first).cast_signed();
            if begin < end {
                let mut rows = statement.query((place(begin), place(end) - 1))?;
                for seq in begin..end {
                    let row = rows.next()?.ok_or_else(|| self.lost(seq))?;
                    if row.get::<_, i64>(1)? != self.run || row.get::<_, i64>(2)? != seq.cast_signed() {
                        return Err(self.lost(seq));
                    }
                    if each(seq, row)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            first += span.events;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn lost(&self, seq: u64) -> StoreError {
        broken(format!("event {seq} of run {} is not where it was written; the file is damaged", self.run))
    }
}

impl Part {
    fn query(self) -> &'static str {
        match self {
            Self::Whole => WHOLE,
            Self::Size => SIZES,
        }
    }
}

/// A number in as few bytes as it needs, seven bits each.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Small numbers of either sign as small ones without.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// So many events make a list full.
pub(super) const FULL: u64 = 64;
const UNREADABLE: &str = "a list of places cannot be read; the file is damaged";
const LISTS: &str = "SELECT last, spans FROM places WHERE run_id = ?1 AND last >= ?2 ORDER BY last";
const WHOLE: &str = "SELECT place, run_id, seq, epoch, kind, at, body FROM events WHERE place BETWEEN ?1 AND ?2
    ORDER BY place";
const SIZES: &str = "SELECT place, run_id, seq, at, octet_length(body) FROM events WHERE place BETWEEN ?1 AND ?2
    ORDER BY place";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_back() {
        let mut spans = Spans::default();
        for (place, events) in [(1, 3), (4, 1), (100, 1), (70, 2), (1 << 40, 1), (5, 1_000_000), (3, 1)] {
            spans.push(place, events);
        }
        // The first two are neighbours.
        assert_eq!(spans.rows().count(), 6);
        assert_eq!(spans.events(), 1_000_009);
        assert_eq!(Spans::decode(&spans.encode()).unwrap(), spans);
        assert_eq!(Spans::decode(&[]).unwrap(), Spans::default());
    }

    #[test]
    fn torn_spans_are_refused() {
        let mut spans = Spans::default();
        spans.push(1 << 30, 1 << 20);
        let bytes = spans.encode();
        for length in 1..bytes.len() {
            assert!(Spans::decode(bytes.get(..length).unwrap()).is_err(), "{length} bytes");
        }
        assert!(Spans::decode(&[0xff; 11]).is_err());
        assert!(Spans::decode(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x01]).is_err());
    }
}
