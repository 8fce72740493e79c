//! Events forgotten: trims and removals, a few thousand events at a time, so that writers in between wait for none of
//! them long.

use super::desk::Desk;
use crate::store::{Keep, StoreError};

/// How far a piece of work came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress<T> {
    /// Once more.
    More,
    /// All of it.
    Done(T),
}

/// Removes some of the oldest events that need not be kept; in the end the oldest that is left.
pub(super) fn trim(desk: &mut Desk, run: &str, keep: Keep) -> Result<Progress<u64>, StoreError> {
    let (connection, standings) = desk.parts()?;
    let Some(known) = standings.look(connection, run)? else { return Ok(Progress::Done(1)) };
    let (id, first) = (known.id, known.oldest);
    let (mut oldest, mut bytes) = (known.oldest, known.bytes);
    let mut statement = connection.prepare_cached(OLDEST)?;
    let mut rows = statement.query((id, PIECE))?;
    while let Some(row) = rows.next()? {
        let at: i64 = row.get(1)?;
        let old = keep.since.is_some_and(|since| at < since);
        let big = keep.bytes.is_some_and(|limit| bytes > limit);
        if !old && !big {
            break;
        }
        oldest = row.get::<_, i64>(0)?.cast_unsigned() + 1;
        bytes = bytes.saturating_sub(row.get::<_, i64>(2)?.cast_unsigned());
    }
    if oldest > first {
        connection.prepare_cached(DELETE_BEFORE)?.execute((id, oldest.cast_signed()))?;
        standings.change(run, |known| (known.oldest, known.bytes) = (oldest, bytes));
    }
    Ok(if oldest - first == u64::from(PIECE) { Progress::More } else { Progress::Done(oldest) })
}

/// Removes a run at once; its events follow piece by piece. None where there was no run.
pub(super) fn remove(desk: &mut Desk, run: &str) -> Result<Option<i64>, StoreError> {
    let (connection, standings) = desk.parts()?;
    let Some(id) = standings.look(connection, run)?.map(|known| known.id) else { return Ok(None) };
    connection.prepare_cached("INSERT INTO removals (run_id) VALUES (?1)")?.execute([id])?;
    connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([id])?;
    standings.remove(run);
    Ok(Some(id))
}

/// Deletes some events of a run that is gone.
pub(super) fn sweep(desk: &mut Desk, id: i64) -> Result<Progress<()>, StoreError> {
    let (connection, _) = desk.parts()?;
    if connection.prepare_cached(DELETE_SOME)?.execute((id, PIECE))? > 0 {
        return Ok(Progress::More);
    }
    connection.prepare_cached("DELETE FROM removals WHERE run_id = ?1")?.execute([id])?;
    Ok(Progress::Done(()))
}

/// Finishes what an earlier process began, when the store is opened; and forgets the beats of nodes that are gone.
pub(super) fn finish(desk: &mut Desk) -> Result<(), StoreError> {
    let pending = {
        let connection = desk.connection()?;
        connection.execute(DEAD_BEATS, [])?;
        let mut statement = connection.prepare("SELECT run_id FROM removals")?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?
    };
    for id in pending {
        while desk.transact(|desk| sweep(desk, id))? == Progress::More {}
    }
    Ok(())
}

/// So many events at a time: a few milliseconds.
const PIECE: u32 = 2_000;
const OLDEST: &str = "SELECT seq, at, octet_length(body) FROM events WHERE run_id = ?1 ORDER BY seq LIMIT ?2";
const DELETE_BEFORE: &str = "DELETE FROM events WHERE run_id = ?1 AND seq < ?2";
const DELETE_SOME: &str = "DELETE FROM events WHERE place IN
    (SELECT place FROM events WHERE run_id = ?1 ORDER BY seq LIMIT ?2)";
/// A node's name is new with every process, and this process is the only one.
const DEAD_BEATS: &str = "DELETE FROM beats WHERE node NOT IN (SELECT node FROM runs WHERE open = 1)";
