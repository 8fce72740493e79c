//! The records: changed inside a savepoint, so that a conflict undoes its own changes and nobody else's.

use super::SqliteStore;
use super::fault::column;
use super::write_connection::WriteConnection;
use super::writer::{Barrier, Haste};
use crate::store::stored_json::{Unreadable, decode, encode};
use crate::store::{Applied, Change, Fingerprint, Kind, Order, Place, Query, Record, Records, StoreError};
use async_trait::async_trait;
use bytes::Bytes;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params_from_iter};
use std::sync::Arc;

impl SqliteStore {
    async fn make(&self, changes: Vec<Change>, barrier: Barrier) -> Result<Applied, StoreError> {
        let changes: Vec<Step> = changes.into_iter().map(Step::from).collect();
        let bytes = changes.iter().map(Step::bytes).sum();
        self.through_writer(Haste { barrier, events: 0, bytes }, move |database| apply(database, &changes)).await
    }
}

#[async_trait]
impl Records for SqliteStore {
    async fn apply(&self, changes: Vec<Change>) -> Result<Applied, StoreError> {
        self.make(changes, Barrier::Yes).await
    }

    async fn apply_in_company(&self, changes: Vec<Change>) -> Result<Applied, StoreError> {
        self.make(changes, Barrier::No).await
    }

    async fn get(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError> {
        let (id, unreadable) = (id.to_owned(), Arc::clone(&self.unreadable));
        self.through_reader(move |connection| {
            let mut statement = connection.prepare_cached(GET)?;
            let mut rows = statement.query((kind.name(), &id))?;
            rows.next()?.map(|row| record(kind, row, &unreadable)).transpose()
        })
        .await
    }

    async fn bytes(&self, kind: Kind, id: &str) -> Result<Option<Bytes>, StoreError> {
        let id = id.to_owned();
        let bytes = |row: &Row<'_>| row.get::<_, Vec<u8>>(0);
        let found = self.through_reader(move |connection| {
            Ok(connection.prepare_cached(BYTES)?.query_row((kind.name(), &id), bytes).optional()?)
        });
        Ok(found.await?.map(Bytes::from))
    }

    async fn list(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Record>, StoreError> {
        let ((query, asked), unreadable) = (sql(LIST, kind, &query), Arc::clone(&self.unreadable));
        self.through_reader(move |connection| list(connection, kind, &query, &asked, &unreadable)).await
    }

    async fn list_places(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Place>, StoreError> {
        let (query, asked) = sql(LIST_PLACES, kind, &query);
        self.through_reader(move |connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map(params_from_iter(&asked), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    async fn fingerprint(&self, kind: Kind, until: i64) -> Result<Fingerprint, StoreError> {
        self.through_reader(move |connection| {
            let mut statement = connection.prepare_cached(FINGERPRINT)?;
            let read =
                |row: &Row<'_>| Ok(Fingerprint { count: row.get::<_, i64>(0)?.cast_unsigned(), times: row.get(1)? });
            Ok(statement.query_row((kind.name(), until), read)?)
        })
        .await
    }

    async fn count(&self, kind: Kind, state: &str) -> Result<u64, StoreError> {
        let state = state.to_owned();
        self.through_reader(move |connection| {
            let query = if state.is_empty() { COUNT } else { COUNT_STATE };
            let mut statement = connection.prepare_cached(query)?;
            let asked: &[&dyn ToSql] = if state.is_empty() { &[&kind.name()] } else { &[&kind.name(), &state] };
            Ok(statement.query_row(asked, |row| row.get::<_, i64>(0))?.cast_unsigned())
        })
        .await
    }

    async fn size(&self, kinds: &[Kind]) -> Result<u64, StoreError> {
        let kinds = kinds.to_vec();
        self.through_reader(move |connection| {
            let mut bodies = connection.prepare_cached(SIZE)?;
            let mut bytes = connection.prepare_cached(SIZE_OF_BYTES)?;
            let mut size = 0;
            for kind in &kinds {
                size += bodies.query_row([kind.name()], |row| row.get::<_, i64>(0))?.cast_unsigned();
                size += bytes.query_row([kind.name()], |row| row.get::<_, i64>(0))?.cast_unsigned();
            }
            Ok(size)
        })
        .await
    }

    fn unreadable(&self) -> Vec<(Kind, String)> {
        self.unreadable.rows()
    }

    async fn remove_children(&self, parent: &str, kinds: &[Kind]) -> Result<(), StoreError> {
        let (parent, kinds) = (parent.to_owned(), kinds.to_vec());
        self.through_writer(Haste::at_once(), move |database| {
            let (connection, _) = database.parts()?;
            let mut statement = connection.prepare_cached(REMOVE_CHILDREN)?;
            for kind in &kinds {
                statement.execute((kind.name(), &parent))?;
            }
            Ok(())
        })
        .await
    }
}

/// A change with its body as text: the writer has better things to do than to write JSON.
struct Step {
    change: Change,
    body: String,
}

impl From<Change> for Step {
    fn from(change: Change) -> Self {
        let body = match &change {
            Change::Insert(record, _) | Change::Ensure(record, _) => encode(&record.body),
            Change::Replace { body, .. } => encode(body),
            Change::Delete { .. } => String::new(),
        };
        Self { change, body }
    }
}

impl Step {
    fn bytes(&self) -> usize {
        match &self.change {
            Change::Insert(_, Some(bytes)) | Change::Ensure(_, Some(bytes)) => self.body.len() + bytes.len(),
            _ => self.body.len(),
        }
    }
}

fn apply(database: &mut WriteConnection, steps: &[Step]) -> Result<Applied, StoreError> {
    let (connection, _) = database.parts()?;
    connection.prepare_cached("SAVEPOINT changes")?.execute([])?;
    for (place, step) in steps.iter().enumerate() {
        if !make(connection, step)? {
            connection.prepare_cached("ROLLBACK TO changes")?.execute([])?;
            connection.prepare_cached("RELEASE changes")?.execute([])?;
            return Ok(Applied::Conflict(place));
        }
    }
    connection.prepare_cached("RELEASE changes")?.execute([])?;
    Ok(Applied::Done)
}

/// Makes one change; false where it meets another state than it expects.
fn make(connection: &Connection, step: &Step) -> Result<bool, StoreError> {
    let made = match &step.change {
        Change::Insert(record, bytes) | Change::Ensure(record, bytes) => {
            let (parent, state, made_at) = (&record.parent, &record.state, record.created_at);
            let row = (record.kind.name(), &record.id, parent, state, made_at, &step.body);
            let made = connection.prepare_cached(INSERT)?.execute(row)?;
            if let (1, Some(bytes)) = (made, bytes) {
                let number = connection.last_insert_rowid();
                connection.prepare_cached(INSERT_BYTES)?.execute((number, &**bytes))?;
            }
            if matches!(step.change, Change::Ensure(..)) { 1 } else { made }
        }
        Change::Replace { kind, id, version, state, .. } => {
            let row = (kind.name(), id, column(*version), state, &step.body);
            connection.prepare_cached(REPLACE)?.execute(row)?
        }
        Change::Delete { kind, id } => {
            connection.prepare_cached(DELETE)?.execute((kind.name(), id))?;
            1
        }
    };
    Ok(made == 1)
}

/// A value that a list is asked with.
enum Asked {
    Number(i64),
    Text(String),
}

impl ToSql for Asked {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}

/// The statement of a query. Its text depends only on which questions are asked, so it is prepared once for each set.
fn sql(select: &str, kind: Kind, query: &Query<'_>) -> (String, Vec<Asked>) {
    let (beyond, order) = match query.order {
        Order::OldestFirst => (">", "ASC"),
        Order::NewestFirst => ("<", "DESC"),
    };
    let mut text = format!("{select} WHERE kind = ?");
    let mut asked = vec![Asked::Text(kind.name().to_owned())];
    let mut ask = |condition: &str, values: Vec<Asked>| {
        text.push_str(condition);
        asked.extend(values);
    };
    if let Some(parent) = query.parent {
        ask(" AND parent = ?", vec![Asked::Text(parent.to_owned())]);
    }
    if let Some(state) = query.state {
        ask(" AND state = ?", vec![Asked::Text(state.to_owned())]);
    }
    if let Some(since) = query.since {
        ask(" AND created_at >= ?", vec![Asked::Number(since)]);
    }
    if let Some(until) = query.until {
        ask(" AND created_at < ?", vec![Asked::Number(until)]);
    }
    if let Some((at, id)) = query.after {
        ask(&format!(" AND (created_at, id) {beyond} (?, ?)"), vec![Asked::Number(at), Asked::Text(id.to_owned())]);
    }
    let limit = if query.limit == 0 { DEFAULT_LIMIT } else { query.limit };
    let ordered = format!(" ORDER BY created_at {order}, id {order} LIMIT ?");
    ask(&ordered, vec![Asked::Number(column(limit as u64))]);
    (text, asked)
}

fn list(
    connection: &Connection,
    kind: Kind,
    query: &str,
    asked: &[Asked],
    unreadable: &Unreadable,
) -> Result<Vec<Record>, StoreError> {
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query(params_from_iter(asked))?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(kind, row, unreadable)?);
    }
    Ok(records)
}

/// A row. One whose body cannot be read is a record that says so.
fn record(kind: Kind, row: &Row<'_>, unreadable: &Unreadable) -> Result<Record, StoreError> {
    let id: String = row.get(0)?;
    let text = row.get_ref(5)?.as_str().map_err(|error| error.to_string());
    let body = text.and_then(|text| decode(text).map_err(|error| error.to_string())).unwrap_or_else(|why| {
        unreadable.note(kind, &id, &why);
        Record::unreadable_body(&why)
    });
    let version = row.get::<_, i64>(4)?.cast_unsigned();
    Ok(Record { kind, id, parent: row.get(1)?, state: row.get(2)?, created_at: row.get(3)?, version, body })
}

/// So many are listed where no limit is given.
const DEFAULT_LIMIT: usize = 1_000;
const LIST: &str = "SELECT id, parent, state, created_at, version, body FROM records";
/// Both are answered from the index by time alone.
const LIST_PLACES: &str = "SELECT created_at, id FROM records";
const FINGERPRINT: &str = "SELECT count(*), coalesce(sum(created_at & 4294967295), 0) FROM records
    WHERE kind = ?1 AND created_at < ?2";
const GET: &str = "SELECT id, parent, state, created_at, version, body FROM records WHERE kind = ?1 AND id = ?2";
const BYTES: &str = "SELECT bytes FROM record_bytes
    WHERE number = (SELECT number FROM records WHERE kind = ?1 AND id = ?2)";
/// What a row holds is known from its head: the pages of large ones are not read.
const SIZE: &str = "SELECT coalesce(sum(octet_length(body)), 0) FROM records WHERE kind = ?1";
const SIZE_OF_BYTES: &str = "SELECT coalesce(sum(octet_length(bytes)), 0) FROM records JOIN record_bytes USING (number)
    WHERE kind = ?1";
const COUNT: &str = "SELECT count(*) FROM records WHERE kind = ?1";
const COUNT_STATE: &str = "SELECT count(*) FROM records WHERE kind = ?1 AND state = ?2";
const INSERT: &str = "INSERT INTO records (kind, id, parent, state, created_at, version, body)
    VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6) ON CONFLICT DO NOTHING";
const INSERT_BYTES: &str = "INSERT INTO record_bytes (number, bytes) VALUES (?1, ?2)";
const REPLACE: &str = "UPDATE records SET version = version + 1, state = ?4, body = ?5
    WHERE kind = ?1 AND id = ?2 AND version = ?3";
const DELETE: &str = "DELETE FROM records WHERE kind = ?1 AND id = ?2";
const REMOVE_CHILDREN: &str = "DELETE FROM records WHERE kind = ?1 AND parent = ?2";
