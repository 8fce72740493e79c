//! Events written: first every question, then the rows, so that a refusal leaves nothing behind.

use super::places::Part;
use super::standing::Standing;
use super::write_connection::WriteConnection;
use crate::store::{Append, Appended, Entry, StoreError, TurnMark};
use rusqlite::{Connection, Row};
use std::ops::ControlFlow;

/// Writes events where the log ends.
pub(super) fn append(database: &mut WriteConnection, append: &Append) -> Result<Appended, StoreError> {
    let (connection, standings) = database.parts()?;
    let Some(known) = standings.look(connection, &append.run)? else { return Ok(Appended::Fenced { epoch: 0 }) };
    if let Some(refused) = refusal(connection, known, append)? {
        return Ok(refused);
    }
    let written = insert(connection, known.id, &append.entries)?;
    standings.change(&append.run, |known| {
        known.seq += append.entries.len() as u64;
        known.bytes += written.bytes;
        if !append.entries.is_empty() {
            known.tail.push(written.place, append.entries.len() as u64);
        }
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
    let mut entries = append.entries.iter();
    let mut there = true;
    known.whereabouts().walk(connection, (first.id.seq, last.id.seq), Part::Whole, |_, row| {
        there = entries.next().map_or(Ok(false), |entry| same(row, entry))?;
        Ok(if there { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(there)
}

/// Its number is that of the event, or it would not have been shown.
fn same(row: &Row<'_>, entry: &Entry) -> Result<bool, StoreError> {
    Ok(row.get::<_, u32>(3)? == entry.id.epoch
        && row.get_ref(4)?.as_bytes().is_ok_and(|kind| kind == entry.kind.name().as_bytes())
        && row.get::<_, i64>(5)? == entry.at
        && row.get_ref(6)?.as_bytes().is_ok_and(|body| body == entry.body.as_bytes()))
}

/// Where events were written, and how many bytes of bodies.
struct Written {
    place: i64,
    bytes: u64,
}

/// The rows are neighbours: nobody else writes, and each gets the place after the last.
fn insert(connection: &Connection, run: i64, entries: &[Entry]) -> Result<Written, StoreError> {
    let mut statement = connection.prepare_cached(INSERT)?;
    let mut bytes = 0;
    for entry in entries {
        let seq = entry.id.seq.cast_signed();
        statement.execute((run, seq, entry.id.epoch, entry.kind.name(), entry.at, &*entry.body))?;
        bytes += entry.body.len() as u64;
    }
    let place = connection.last_insert_rowid() + 1 - (entries.len() as u64).cast_signed();
    Ok(Written { place, bytes })
}

const INSERT: &str = "INSERT INTO events (run_id, seq, epoch, kind, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
