//! Events written: first every question, then the rows, so that a refusal leaves nothing behind.

use super::desk::Desk;
use super::standing::Standing;
use crate::store::{Append, Appended, Entry, StoreError, TurnMark};
use rusqlite::{Connection, Row};

/// Writes events where the log ends.
pub(super) fn append(desk: &mut Desk, append: &Append) -> Result<Appended, StoreError> {
    let (connection, standings) = desk.parts()?;
    let Some(known) = standings.look(connection, &append.run)? else { return Ok(Appended::Fenced { epoch: 0 }) };
    if let Some(refused) = refusal(connection, known, append)? {
        return Ok(refused);
    }
    let bytes = insert(connection, known.id, &append.entries)?;
    standings.change(&append.run, |known| {
        known.seq += append.entries.len() as u64;
        known.bytes += bytes;
        known.open = match append.turn {
            TurnMark::Keep => known.open,
            TurnMark::Open => true,
            TurnMark::Close => false,
        };
    });
    Ok(Appended::Done)
}

fn refusal(connection: &Connection, known: &Standing, append: &Append) -> Result<Option<Appended>, StoreError> {
    if append.epoch != known.epoch {
        return Ok(Some(Appended::Fenced { epoch: known.epoch }));
    }
    if append.after != known.seq {
        let there = holds(connection, known, append)?;
        return Ok(Some(if there { Appended::Duplicate } else { Appended::Gap { head: known.seq } }));
    }
    let busy = append.turn == TurnMark::Open && known.open;
    Ok(busy.then_some(Appended::Busy))
}

/// Whether all of it is there, byte for byte. Its numbers are dense, so the last one tells whether to look at all.
fn holds(connection: &Connection, known: &Standing, append: &Append) -> Result<bool, StoreError> {
    let (Some(first), Some(last)) = (append.entries.first(), append.entries.last()) else { return Ok(false) };
    if first.id.seq < known.oldest || last.id.seq > known.seq {
        return Ok(false);
    }
    let mut statement = connection.prepare_cached(RANGE)?;
    let mut rows = statement.query((known.id, first.id.seq.cast_signed(), last.id.seq.cast_signed()))?;
    for entry in &append.entries {
        if !rows.next()?.map(|row| same(row, entry)).transpose()?.unwrap_or(false) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn same(row: &Row<'_>, entry: &Entry) -> Result<bool, StoreError> {
    let seq = row.get::<_, i64>(0)?.cast_unsigned();
    Ok(seq == entry.id.seq
        && row.get::<_, u32>(1)? == entry.id.epoch
        && row.get_ref(2)?.as_str_or_null().ok().flatten() == Some(entry.kind.name())
        && row.get::<_, i64>(3)? == entry.at
        && row.get_ref(4)?.as_str_or_null().ok().flatten() == Some(&*entry.body))
}

/// How many bytes of bodies were written.
fn insert(connection: &Connection, run: i64, entries: &[Entry]) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached(INSERT)?;
    let mut bytes = 0;
    for entry in entries {
        let seq = entry.id.seq.cast_signed();
        statement.execute((run, seq, entry.id.epoch, entry.kind.name(), entry.at, &*entry.body))?;
        bytes += entry.body.len() as u64;
    }
    Ok(bytes)
}

const INSERT: &str = "INSERT INTO events (run_id, seq, epoch, kind, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const RANGE: &str = "SELECT seq, epoch, kind, at, body FROM events
    WHERE run_id = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq";
