//! The records in PostgreSQL.

use super::PostgresStore;
use super::fault::{broken, is_collision};
use super::group::{number, signed};
use super::pool::{Borrowed, Values};
use crate::store::stored_json::{Unreadable, decode, encode};
use crate::store::{Applied, Change, Fingerprint, Kind, Order, Place, Query, Record, Records, StoreError};
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt::Write;
use tokio_postgres::Row;
use tokio_postgres::types::{Json, ToSql};

#[async_trait]
impl Records for PostgresStore {
    async fn apply(&self, changes: Vec<Change>) -> Result<Applied, StoreError> {
        let mut outcome = self.apply_once(&changes).await;
        // Changes come in any order, so two nodes may lock each other out; the server then undoes one of them.
        for _ in 1..TRIES {
            match &outcome {
                Err(error) if is_collision(error) => outcome = self.apply_once(&changes).await,
                _ => break,
            }
        }
        outcome
    }

    async fn get(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(GET, &[&kind.name(), &id]).await?;
        rows.first().map(|row| record_of(row, &self.unreadable)).transpose()
    }

    async fn bytes(&self, kind: Kind, id: &str) -> Result<Option<Bytes>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(BYTES, &[&kind.name(), &id]).await?;
        Ok(rows.first().and_then(|row| row.get::<_, Option<Vec<u8>>>(0)).map(Bytes::from))
    }

    async fn list(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let asked = Asked::new(SELECT, kind, query);
        let rows = connection.query_once(&asked.sql, &asked.values()).await?;
        rows.iter().map(|row| record_of(row, &self.unreadable)).collect()
    }

    async fn list_places(&self, kind: Kind, query: Query<'_>) -> Result<Vec<Place>, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let asked = Asked::new(SELECT_PLACES, kind, query);
        let rows = connection.query_once(&asked.sql, &asked.values()).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    async fn fingerprint(&self, kind: Kind, until: i64) -> Result<Fingerprint, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(FINGERPRINT, &[&kind.name(), &until]).await?;
        Ok(rows.first().map(|row| Fingerprint { count: number(row, 0), times: row.get(1) }).unwrap_or_default())
    }

    async fn count(&self, kind: Kind, state: &str) -> Result<u64, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let rows = connection.query(COUNT, &[&kind.name(), &state]).await?;
        Ok(rows.first().map_or(0, |row| number(row, 0)))
    }

    async fn size(&self, kinds: &[Kind]) -> Result<u64, StoreError> {
        let mut connection = self.pool.borrow().await?;
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let rows = connection.query(SIZE, &[&kinds]).await?;
        Ok(rows.first().map_or(0, |row| number(row, 0)))
    }

    fn unreadable(&self) -> Vec<(Kind, String)> {
        self.unreadable.rows()
    }

    async fn remove_children(&self, parent: &str, kinds: &[Kind]) -> Result<(), StoreError> {
        let mut connection = self.pool.borrow().await?;
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        connection.execute(REMOVE, &[&parent, &kinds]).await?;
        Ok(())
    }
}

impl PostgresStore {
    async fn apply_once(&self, changes: &[Change]) -> Result<Applied, StoreError> {
        let mut connection = self.pool.borrow().await?;
        connection.begin().await?;
        for (place, change) in changes.iter().enumerate() {
            if make(&mut connection, change).await? == 0 {
                connection.roll_back().await?;
                return Ok(Applied::Conflict(place));
            }
        }
        connection.commit().await?;
        Ok(Applied::Done)
    }
}

/// Makes one change; 0 where it meets another state than it expects.
async fn make(connection: &mut Borrowed<'_>, change: &Change) -> Result<u64, StoreError> {
    match change {
        Change::Insert(record, bytes) => insert(connection, record, bytes.as_deref()).await,
        Change::Ensure(record, bytes) => {
            insert(connection, record, bytes.as_deref()).await?;
            // To be there already is no conflict.
            Ok(1)
        }
        Change::Replace { kind, id, version, state, body } => {
            let values: Values<'_> = &[&kind.name(), id, &signed(*version), state, &encode_body(body)?];
            connection.execute(REPLACE, values).await
        }
        Change::Delete { kind, id } => {
            connection.execute(DELETE, &[&kind.name(), id]).await?;
            // Not to be there is no conflict.
            Ok(1)
        }
    }
}

async fn insert(connection: &mut Borrowed<'_>, record: &Record, bytes: Option<&[u8]>) -> Result<u64, StoreError> {
    let (kind, body, at) = (record.kind.name(), encode_body(&record.body)?, record.created_at);
    let values: Values<'_> = &[&kind, &record.id, &record.parent, &record.state, &at, &body, &bytes];
    connection.execute(INSERT, values).await
}

/// A body as it is stored.
fn encode_body(body: &Value) -> Result<Json<Box<RawValue>>, StoreError> {
    RawValue::from_string(encode(body)).map(Json).map_err(|error| broken(error.to_string()))
}

/// A row. One whose body cannot be read is a record that says so.
fn record_of(row: &Row, unreadable: &Unreadable) -> Result<Record, StoreError> {
    let kind = Kind::from_name(row.get(0)).ok_or_else(|| broken("it holds a record of an unknown kind"))?;
    let id: String = row.get(1);
    let text = row.try_get::<_, Json<Box<RawValue>>>(6).map_err(|error| error.to_string());
    let body = text.and_then(|text| decode(text.0.get()).map_err(|error| error.to_string())).unwrap_or_else(|why| {
        unreadable.note(kind, &id, &why);
        Record::unreadable_body(&why)
    });
    Ok(Record {
        kind,
        id,
        parent: row.get(2),
        state: row.get(3),
        created_at: row.get(4),
        version: number(row, 5),
        body,
    })
}

/// A query as SQL: only the conditions that were given, so that the server can use the index that fits.
struct Asked {
    sql: String,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Asked {
    fn new(select: &str, kind: Kind, query: Query<'_>) -> Self {
        let mut asked = Self { sql: select.to_owned(), values: vec![Box::new(kind.name())] };
        let (beyond, direction) = match query.order {
            Order::OldestFirst => (">", "ASC"),
            Order::NewestFirst => ("<", "DESC"),
        };
        if let Some(parent) = query.parent {
            asked.and("parent =", parent.to_owned());
        }
        if let Some(state) = query.state {
            asked.and("state =", state.to_owned());
        }
        if let Some(since) = query.since {
            asked.and("created_at >=", since);
        }
        if let Some(until) = query.until {
            asked.and("created_at <", until);
        }
        if let Some((at, id)) = query.after {
            asked.values.push(Box::new(at));
            let place = asked.values.len();
            asked.and(&format!("(created_at, id) {beyond} (${place},"), id.to_owned());
            asked.sql.push(')');
        }
        let limit = if query.limit == 0 { 1000 } else { query.limit };
        // Writing to a String cannot fail.
        let _ = write!(asked.sql, " ORDER BY created_at {direction}, id {direction} LIMIT {limit}");
        asked
    }

    fn and(&mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) {
        self.values.push(Box::new(value));
        // Writing to a String cannot fail.
        let _ = write!(self.sql, " AND {condition} ${}", self.values.len());
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect()
    }
}

/// How often two transactions may meet.
const TRIES: usize = 4;

const SELECT: &str =
    "SELECT kind, id, parent, state, created_at, version, body FROM countersign.records WHERE kind = $1";
const SELECT_PLACES: &str = "SELECT created_at, id FROM countersign.records WHERE kind = $1";
const FINGERPRINT: &str = "SELECT count(*), coalesce(sum(created_at & 4294967295), 0)::bigint \
    FROM countersign.records WHERE kind = $1 AND created_at < $2";
const GET: &str =
    "SELECT kind, id, parent, state, created_at, version, body FROM countersign.records WHERE kind = $1 AND id = $2";
const BYTES: &str = "SELECT bytes FROM countersign.records WHERE kind = $1 AND id = $2";
/// As the rows are kept: what is compressed is not unpacked to be measured.
const SIZE: &str = "SELECT coalesce(sum(pg_column_size(body) + coalesce(pg_column_size(bytes), 0)), 0)::bigint \
    FROM countersign.records WHERE kind = ANY($1::text[])";
const COUNT: &str = "SELECT count(*) FROM countersign.records WHERE kind = $1 AND ($2 = '' OR state = $2)";
const REMOVE: &str = "DELETE FROM countersign.records WHERE parent = $1 AND kind = ANY($2::text[])";
const INSERT: &str = "INSERT INTO countersign.records (kind, id, parent, state, created_at, version, body, bytes) \
    VALUES ($1, $2, $3, $4, $5, 1, $6, $7) ON CONFLICT DO NOTHING";
const REPLACE: &str = "UPDATE countersign.records SET version = version + 1, state = $4, body = $5 \
    WHERE kind = $1 AND id = $2 AND version = $3";
const DELETE: &str = "DELETE FROM countersign.records WHERE kind = $1 AND id = $2";
