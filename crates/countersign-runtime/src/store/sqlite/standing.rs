//! Where the runs are, as the writer knows it: read once, kept while nothing fails, written once a transaction.
//!
//! It is ahead of the file inside a transaction, so it is forgotten as a whole whenever one is undone.

use super::places::{FULL, Spans, Whereabouts};
use crate::store::{Head, Lease, Owner, StoreError};
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::sync::Arc;

/// A run.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) id: i64,
    pub(super) epoch: u32,
    pub(super) seq: u64,
    pub(super) oldest: u64,
    pub(super) bytes: u64,
    pub(super) open: bool,
    pub(super) owner: Owner,
    /// Where its newest events are.
    pub(super) tail: Spans,
    /// Whether the file says something else.
    changed: bool,
}

impl Standing {
    pub(super) fn lease(&self) -> Lease {
        Lease { epoch: self.epoch, seq: self.seq, open: self.open }
    }

    pub(super) fn whereabouts(&self) -> Whereabouts<'_> {
        Whereabouts { run: self.id, newest: self.seq, tail: &self.tail }
    }

    /// Puts the tail away as a list of its own, so that another may begin.
    pub(super) fn settle(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if self.tail.events() > 0 {
            let list = (self.id, self.seq.cast_signed(), self.tail.encode());
            connection.prepare_cached(SETTLE)?.execute(list)?;
            self.tail = Spans::default();
        }
        Ok(())
    }

    pub(super) fn take_over(&mut self, owner: &Owner) {
        self.epoch += 1;
        self.owner = owner.clone();
    }
}

/// The runs that were written lately.
#[derive(Debug, Default)]
pub(super) struct Standings {
    known: HashMap<Arc<str>, Standing>,
    changed: Vec<Arc<str>>,
}

impl Standings {
    /// A run, for reading.
    pub(super) fn look(&mut self, connection: &Connection, run: &str) -> Result<Option<&Standing>, StoreError> {
        if !self.known.contains_key(run) {
            let mut statement = connection.prepare_cached(FIND)?;
            let mut rows = statement.query([run])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            self.known.insert(run.into(), standing(row)?);
        }
        Ok(self.known.get(run))
    }

    /// A run that was looked at before, to be changed.
    pub(super) fn change(&mut self, run: &str, change: impl FnOnce(&mut Standing)) {
        let Some((name, _)) = self.known.get_key_value(run) else { return };
        let name = Arc::clone(name);
        let Some(standing) = self.known.get_mut(run) else { return };
        change(standing);
        if !standing.changed {
            standing.changed = true;
            self.changed.push(name);
        }
    }

    /// A new run of an owner; the run's row is made at once, because it gives the run its number.
    pub(super) fn make(&mut self, connection: &Connection, run: &str, owner: &Owner) -> Result<Lease, StoreError> {
        connection.prepare_cached(MAKE)?.execute((run, &owner.node, &owner.address))?;
        let lease = Lease { epoch: 1, seq: 0, open: false };
        let id = connection.last_insert_rowid();
        let owner = owner.clone();
        let tail = Spans::default();
        let made = Standing { id, epoch: 1, seq: 0, oldest: 1, bytes: 0, open: false, owner, tail, changed: false };
        self.known.insert(run.into(), made);
        Ok(lease)
    }

    /// A run that is there no more.
    pub(super) fn remove(&mut self, run: &str) {
        self.known.remove(run);
    }

    /// Writes what has changed; the last step before the commit.
    pub(super) fn write(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(UPDATE)?;
        for run in self.changed.drain(..) {
            let Some(now) = self.known.get_mut(&run) else { continue };
            now.changed = false;
            if now.tail.events() >= FULL {
                now.settle(connection)?;
            }
            let (seq, oldest, bytes) = (now.seq.cast_signed(), now.oldest.cast_signed(), now.bytes.cast_signed());
            let owner = (&now.owner.node, &now.owner.address);
            statement.execute((
                now.id,
                now.epoch,
                seq,
                oldest,
                bytes,
                now.open,
                owner.0,
                owner.1,
                now.tail.encode(),
            ))?;
        }
        if self.known.len() > MOST {
            self.known.clear();
        }
        Ok(())
    }

    /// Forgets everything: what it knows may have been undone.
    pub(super) fn forget(&mut self) {
        self.known.clear();
        self.changed.clear();
    }
}

/// The head in a row of `epoch, seq, oldest, open`.
pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let (seq, oldest): (i64, i64) = (row.get(1)?, row.get(2)?);
    Ok(Head { epoch: row.get(0)?, seq: seq.cast_unsigned(), oldest: oldest.cast_unsigned(), open: row.get(3)? })
}

fn standing(row: &Row<'_>) -> Result<Standing, StoreError> {
    let Head { epoch, seq, oldest, open } = head(row)?;
    let bytes = row.get::<_, i64>(4)?.cast_unsigned();
    let owner = Owner { node: row.get(5)?, address: row.get(6)? };
    let tail = Spans::in_column(row, 8)?;
    Ok(Standing { id: row.get(7)?, epoch, seq, oldest, bytes, open, owner, tail, changed: false })
}

const FIND: &str = "SELECT epoch, seq, oldest, open, bytes, node, address, id, tail FROM runs WHERE name = ?1";
const MAKE: &str = "INSERT INTO runs (name, epoch, seq, oldest, bytes, open, node, address, tail)
    VALUES (?1, 1, 0, 1, 0, 0, ?2, ?3, x'')";
const UPDATE: &str =
    "UPDATE runs SET epoch = ?2, seq = ?3, oldest = ?4, bytes = ?5, open = ?6, node = ?7, address = ?8,
    tail = ?9 WHERE id = ?1";
const SETTLE: &str = "INSERT INTO places (run_id, last, spans) VALUES (?1, ?2, ?3)";
/// So many runs are known at most.
const MOST: usize = 5_000;
