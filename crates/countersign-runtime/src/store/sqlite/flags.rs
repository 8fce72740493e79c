//! The flags: merged by the one writer, so that no two merges meet.

use super::SqliteStore;
use super::fault::broken;
use super::write_connection::WriteConnection;
use super::writer::Haste;
use crate::store::{Flag, Flags, Scope, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};

#[async_trait]
impl Flags for SqliteStore {
    async fn merge(&self, flags: &[Flag]) -> Result<Vec<Flag>, StoreError> {
        if flags.is_empty() {
            return self.through_reader(all).await;
        }
        let flags = flags.to_vec();
        self.through_writer(Haste::at_once(), move |database| merge(database, &flags)).await
    }
}

fn merge(database: &mut WriteConnection, flags: &[Flag]) -> Result<Vec<Flag>, StoreError> {
    let (connection, _) = database.parts()?;
    for flag in flags {
        let scope = flag.scope.to_string();
        let known = connection.prepare_cached(ONE)?.query_row([&scope], counts).optional()?;
        let mut merged = flag.clone();
        if let Some((raised, cleared, at)) = known {
            merged.merge(&Flag { scope: flag.scope.clone(), raised, cleared, at });
        }
        let (raised, cleared) = (merged.raised.cast_signed(), merged.cleared.cast_signed());
        connection.prepare_cached(PUT)?.execute((&scope, raised, cleared, merged.at))?;
    }
    all(connection)
}

/// The names sort as the scopes do: `all` comes before `session:`, and sessions by their bytes.
fn all(connection: &Connection) -> Result<Vec<Flag>, StoreError> {
    let mut statement = connection.prepare_cached(ALL)?;
    let mut rows = statement.query([])?;
    let mut flags = Vec::new();
    while let Some(row) = rows.next()? {
        let (raised, cleared, at) = counts(row)?;
        let name: String = row.get(3)?;
        let scope = Scope::from_name(&name).ok_or_else(|| broken(format!("it holds a flag of no scope, {name}")))?;
        flags.push(Flag { scope, raised, cleared, at });
    }
    Ok(flags)
}

fn counts(row: &Row<'_>) -> rusqlite::Result<(u64, u64, i64)> {
    Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?))
}

const ONE: &str = "SELECT raised, cleared, at FROM flags WHERE scope = ?1";
const PUT: &str = "INSERT INTO flags (scope, raised, cleared, at) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (scope) DO UPDATE SET raised = ?2, cleared = ?3, at = ?4";
const ALL: &str = "SELECT raised, cleared, at, scope FROM flags ORDER BY scope";
