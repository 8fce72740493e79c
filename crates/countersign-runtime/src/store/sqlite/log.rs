//! The event log: reads straight from the file, everything else through the writer.

use super::fault::{broken, column};
use super::forget::{self, Progress};
use super::places::{Part, Spans, Whereabouts};
use super::standing::head;
use super::writer::{Barrier, Haste};
use super::{SqliteStore, append, lease};
use crate::store::{
    Append, Appended, Claimed, Entry, EventLog, Head, Keep, Lease, OpenRun, Owner, READ_BYTES, RunInfo, StoreError,
    TurnMark,
};
use async_trait::async_trait;
use countersign::contract::{EventId, EventType};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use std::ops::ControlFlow;
use std::sync::Arc;

#[async_trait]
impl EventLog for SqliteStore {
    async fn claim(&self, run: &str, owner: &Owner) -> Result<Claimed, StoreError> {
        let (run, owner) = (run.to_owned(), owner.clone());
        self.through_writer(Haste::at_once(), move |database| lease::claim(database, &run, &owner)).await
    }

    async fn seize(&self, run: &str, seen_epoch: u32, owner: &Owner) -> Result<Option<Lease>, StoreError> {
        let (run, owner) = (run.to_owned(), owner.clone());
        self.through_writer(Haste::at_once(), move |database| lease::seize(database, &run, seen_epoch, &owner)).await
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        if !append.is_dense() {
            return Err(broken(format!("the events to be written after {} are not dense", append.after)));
        }
        self.through_writer(haste(&append), move |database| append::append(database, &append)).await
    }

    async fn read(&self, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        let run = run.to_owned();
        self.through_reader(move |connection| page(connection, &run, after, max)).await
    }

    async fn head(&self, run: &str) -> Result<Head, StoreError> {
        let run = run.to_owned();
        self.through_reader(move |connection| one_head(connection, &run)).await
    }

    async fn heads(&self, runs: &[Arc<str>]) -> Result<Vec<Head>, StoreError> {
        let runs = runs.to_vec();
        self.through_reader(move |connection| {
            // One transaction: all heads of one moment.
            let transaction = connection.unchecked_transaction()?;
            runs.iter().map(|run| one_head(&transaction, run)).collect()
        })
        .await
    }

    async fn open_runs(&self) -> Result<Vec<OpenRun>, StoreError> {
        self.through_reader(|connection| rows(connection, OPEN_RUNS, [], open_run)).await
    }

    async fn beat(&self, owner: &Owner) -> Result<(), StoreError> {
        let node = owner.node.clone();
        self.through_writer(Haste::with_the_next(), move |database| lease::beat(database, &node)).await
    }

    async fn beats(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let beat = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
        self.through_reader(move |connection| rows(connection, BEATS, [], beat)).await
    }

    async fn runs(&self, after: &str, max: usize) -> Result<Vec<RunInfo>, StoreError> {
        let after = after.to_owned();
        self.through_reader(move |connection| rows(connection, RUNS, (after, column(max as u64)), run_info)).await
    }

    async fn trim(&self, run: &str, keep: Keep) -> Result<u64, StoreError> {
        loop {
            let run = run.to_owned();
            let trimmed =
                self.through_writer(Haste::at_once(), move |database| forget::trim(database, &run, keep)).await?;
            if let Progress::Done(oldest) = trimmed {
                return Ok(oldest);
            }
        }
    }

    async fn remove(&self, run: &str) -> Result<(), StoreError> {
        let run = run.to_owned();
        let Some(id) = self.through_writer(Haste::at_once(), move |database| forget::remove(database, &run)).await?
        else {
            return Ok(());
        };
        while self.through_writer(Haste::at_once(), move |database| forget::sweep(database, id)).await?
            == Progress::More
        {}
        Ok(())
    }

    async fn probe(&self) -> Result<(), StoreError> {
        self.through_writer(Haste::at_once(), |database| {
            let (connection, _) = database.parts()?;
            connection.prepare_cached(PROBE)?.execute([])?;
            Ok(())
        })
        .await
    }
}

fn haste(append: &Append) -> Haste {
    let urgent = append.turn != TurnMark::Keep || append.entries.iter().any(|entry| entry.kind.is_barrier());
    let barrier = if urgent { Barrier::Yes } else { Barrier::No };
    Haste { barrier, events: append.entries.len(), bytes: append.entries.iter().map(|entry| entry.body.len()).sum() }
}

fn page(connection: &Connection, run: &str, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
    // One transaction: the run and its events of one moment.
    let transaction = connection.unchecked_transaction()?;
    let mut statement = transaction.prepare_cached(RUN)?;
    let mut rows = statement.query([run])?;
    let Some(row) = rows.next()? else { return Ok(Vec::new()) };
    let Head { seq: newest, oldest, .. } = head(row)?;
    let tail = Spans::in_column(row, 5)?;
    let from = after.saturating_add(1).max(oldest);
    if from > newest || max == 0 {
        return Ok(Vec::new());
    }
    let to = newest.min(from.saturating_add(max as u64 - 1));
    let mut page = Vec::with_capacity(usize::try_from(to - from + 1).unwrap_or(PAGE_GUESS).min(PAGE_GUESS));
    let mut bytes = 0;
    Whereabouts { run: row.get(4)?, newest, tail: &tail }.walk(&transaction, (from, to), Part::Whole, |seq, row| {
        let entry = entry(seq, row)?;
        bytes += entry.body.len();
        if bytes > READ_BYTES && !page.is_empty() {
            return Ok(ControlFlow::Break(()));
        }
        page.push(entry);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(page)
}

fn entry(seq: u64, row: &Row<'_>) -> Result<Entry, StoreError> {
    let word = text(row.get_ref(4)?)?;
    let kind =
        EventType::from_name(word).ok_or_else(|| broken(format!("it holds events of an unknown type, {word}")))?;
    let body = text(row.get_ref(6)?)?.into();
    Ok(Entry { id: EventId { epoch: row.get(3)?, seq }, kind, at: row.get(5)?, body })
}

fn text(value: ValueRef<'_>) -> Result<&str, StoreError> {
    value.as_str().map_err(|error| broken(error.to_string()))
}

fn one_head(connection: &Connection, run: &str) -> Result<Head, StoreError> {
    let found = connection.prepare_cached(HEAD)?.query_row([run], head).optional()?;
    Ok(found.unwrap_or(Head { oldest: 1, ..Head::default() }))
}

fn open_run(row: &Row<'_>) -> rusqlite::Result<OpenRun> {
    let owner = Owner { node: row.get(2)?, address: row.get(3)? };
    Ok(OpenRun { run: row.get(0)?, epoch: row.get(1)?, owner })
}

fn run_info(row: &Row<'_>) -> rusqlite::Result<RunInfo> {
    Ok(RunInfo { head: head(row)?, bytes: row.get::<_, i64>(4)?.cast_unsigned(), run: row.get(5)? })
}

/// All rows of a query.
fn rows<T>(
    connection: &Connection,
    query: &str,
    asked: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    Ok(connection.prepare_cached(query)?.query_map(asked, read)?.collect::<Result<_, _>>()?)
}

const RUN: &str = "SELECT epoch, seq, oldest, open, id, tail FROM runs WHERE name = ?1";
/// A page is seldom larger, and its list grows if it is.
const PAGE_GUESS: usize = 1_024;
const HEAD: &str = "SELECT epoch, seq, oldest, open FROM runs WHERE name = ?1";
const OPEN_RUNS: &str = "SELECT name, epoch, node, address FROM runs WHERE open = 1 ORDER BY name";
const BEATS: &str = "SELECT DISTINCT runs.node, coalesce(beats.beat, 0)
    FROM runs LEFT JOIN beats ON beats.node = runs.node WHERE runs.open = 1 ORDER BY runs.node";
const RUNS: &str = "SELECT epoch, seq, oldest, open, bytes, name FROM runs WHERE name > ?1 ORDER BY name LIMIT ?2";
/// A little more than most events: a disk that takes no event any more must not pass for one that is well.
const PROBE: &str = "INSERT OR REPLACE INTO probes (only, padding) VALUES (1, zeroblob(16384))";
