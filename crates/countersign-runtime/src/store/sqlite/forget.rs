//! Events forgotten: trims and removals, a few thousand events at a time, so that writers in between wait for none of
//! them long.

use super::places::{Part, Spans};
use super::write_connection::WriteConnection;
use crate::store::{Keep, StoreError};
use rusqlite::Connection;
use std::ops::ControlFlow;

/// How far a piece of work came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress<T> {
    /// Once more.
    More,
    /// All of it.
    Done(T),
}

/// Removes some of the oldest events that need not be kept; in the end the oldest that is left.
pub(super) fn trim(database: &mut WriteConnection, run: &str, keep: Keep) -> Result<Progress<u64>, StoreError> {
    let (connection, standings) = database.parts()?;
    let Some(known) = standings.look(connection, run)? else { return Ok(Progress::Done(1)) };
    let (id, first) = (known.id, known.oldest);
    let (mut oldest, mut bytes) = (first, known.bytes);
    let mut gone = Spans::default();
    let some = (first, first.saturating_add(PIECE - 1));
    known.whereabouts().walk(connection, some, Part::Size, |seq, row| {
        let at: i64 = row.get(3)?;
        let old = keep.since.is_some_and(|since| at < since);
        let big = keep.bytes.is_some_and(|limit| bytes > limit);
        if !old && !big {
            return Ok(ControlFlow::Break(()));
        }
        oldest = seq + 1;
        bytes = bytes.saturating_sub(row.get::<_, i64>(4)?.cast_unsigned());
        gone.push(row.get(0)?, 1);
        Ok(ControlFlow::Continue(()))
    })?;
    if oldest > first {
        delete(connection, id, &gone)?;
        connection.prepare_cached(DELETE_LISTS)?.execute((id, oldest.cast_signed()))?;
        standings.change(run, |known| (known.oldest, known.bytes) = (oldest, bytes));
    }
    Ok(if oldest - first == PIECE { Progress::More } else { Progress::Done(oldest) })
}

/// Removes a run at once; its events follow piece by piece. None where there was no run.
pub(super) fn remove(database: &mut WriteConnection, run: &str) -> Result<Option<i64>, StoreError> {
    let (connection, standings) = database.parts()?;
    let Some(known) = standings.look(connection, run)? else { return Ok(None) };
    let id = known.id;
    // The lists are all that is left to find its events by.
    known.clone().settle(connection)?;
    connection.prepare_cached("INSERT INTO removals (run_id) VALUES (?1)")?.execute([id])?;
    connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id])?;
    standings.remove(run);
    Ok(Some(id))
}

/// Deletes some events of a run that is gone.
pub(super) fn sweep(database: &mut WriteConnection, id: i64) -> Result<Progress<()>, StoreError> {
    let (connection, _) = database.parts()?;
    let mut statement = connection.prepare_cached(SOME_LISTS)?;
    let mut rows = statement.query([id])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        delete(connection, id, &Spans::in_column(row, 1)?)?;
        last = Some(row.get::<_, i64>(0)?);
    }
    if let Some(last) = last {
        connection.prepare_cached(DELETE_LISTS)?.execute((id, last + 1))?;
        return Ok(Progress::More);
    }
    connection.prepare_cached("DELETE FROM removals WHERE run_id = ?1")?.execute([id])?;
    Ok(Progress::Done(()))
}

/// Deletes rows, and only those that are the run's: a place that was given up may be another's by now.
fn delete(connection: &Connection, run: i64, spans: &Spans) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(DELETE)?;
    for (first, last) in spans.rows() {
        statement.execute((first, last, run))?;
    }
    Ok(())
}

/// Finishes what an earlier process began, when the store is opened; and forgets the beats of nodes that are gone.
pub(super) fn finish(database: &mut WriteConnection) -> Result<(), StoreError> {
    let pending = {
        let connection = database.connection()?;
        connection.execute(DEAD_BEATS, [])?;
        let mut statement = connection.prepare("SELECT run_id FROM removals")?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?
    };
    for id in pending {
        while database.transact(|database| sweep(database, id))? == Progress::More {}
    }
    Ok(())
}

/// So many events at a time: a few milliseconds.
const PIECE: u64 = 2_000;
const DELETE: &str = "DELETE FROM events WHERE place BETWEEN ?1 AND ?2 AND run_id = ?3";
const DELETE_LISTS: &str = "DELETE FROM places WHERE run_id = ?1 AND last < ?2";
/// About as many events.
const SOME_LISTS: &str = "SELECT last, spans FROM places WHERE run_id = ?1 ORDER BY last LIMIT 32";
/// A node's name is new with every process, and this process is the only one.
const DEAD_BEATS: &str = "DELETE FROM beats WHERE node NOT IN (SELECT node FROM runs WHERE open = 1)";
