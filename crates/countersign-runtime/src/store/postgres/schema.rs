//! The tables. Each step of `STEPS` is done once in the life of a database, in order, whoever comes first.

use super::fault::{away, broken, meaning};
use crate::store::StoreError;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::{Client, Error};

/// Brings the tables up to date; several nodes may do this at once.
pub(super) async fn migrate(client: &mut Client) -> Result<(), StoreError> {
    match timeout(DEADLINE, steps(client)).await {
        Ok(Ok(version)) if version <= STEPS.len() => Ok(()),
        Ok(Ok(version)) => Err(broken(format!(
            "its tables are of version {version} and this countersign knows {}; use the newer one",
            STEPS.len()
        ))),
        Ok(Err(error)) => Err(meaning(&error)),
        Err(_) => Err(away(format!("its tables were not ready within {} s", DEADLINE.as_secs()))),
    }
}

/// Gives the version that the database has then.
async fn steps(client: &mut Client) -> Result<usize, Error> {
    let transaction = client.transaction().await?;
    transaction.batch_execute("SET LOCAL statement_timeout = 30000").await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    transaction.batch_execute(BASE).await?;
    let row = transaction.query_one("SELECT coalesce(max(version), 0) FROM countersign.schema_version", &[]).await?;
    let found = usize::try_from(row.get::<_, i32>(0)).unwrap_or(0);
    for (version, step) in (1..).zip(STEPS).skip(found) {
        transaction.batch_execute(step).await?;
        transaction.execute("INSERT INTO countersign.schema_version VALUES ($1)", &[&version]).await?;
    }
    transaction.commit().await?;
    Ok(found.max(STEPS.len()))
}

/// "countersi" as a number: no other program locks by it.
const LOCK: i64 = 0x636f_756e_7465_7273;
const DEADLINE: Duration = Duration::from_secs(30);

const BASE: &str = "CREATE SCHEMA IF NOT EXISTS countersign;
    CREATE TABLE IF NOT EXISTS countersign.schema_version (version integer PRIMARY KEY)";

/// Never edit a step that was released: add one.
const STEPS: [&str; 1] = [include_str!("schema.sql")];
