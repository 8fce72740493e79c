//! Records that exist: in a CSV or JSON file, in SQLite, or behind an address.

/// Values that are in a file.
mod listed;
/// A query on a SQLite file.
mod sqlite;

use super::web::{Address, odd_status};
use super::{AskError, FactChecker};
use countersign::contract::{Answer, Question};
use countersign::policy::facts::{RecordSource, RecordsFrom};
use std::path::Path;
use std::time::Duration;

/// Opens a source of records.
pub(super) fn open(source: &RecordSource, base: &Path, deadline: Duration) -> Result<Box<dyn FactChecker>, AskError> {
    let name = &source.source.name;
    Ok(match &source.from {
        RecordsFrom::Csv { file, column } => Box::new(listed::csv(base, file, column)?),
        RecordsFrom::Json { file, pointer, field } => Box::new(listed::json(base, file, pointer, field.as_deref())?),
        RecordsFrom::Sqlite { file, query } => Box::new(sqlite::Lookup::open(name, &base.join(file), query, deadline)?),
        RecordsFrom::Url(url) => Box::new(Served { address: Address::new(url, deadline) }),
    })
}

/// A service that has a page for each record.
struct Served {
    address: Address,
}

impl FactChecker for Served {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Record { value, .. } = question else { return Err(AskError::OtherQuestion) };
        match self.address.fetch(&[("value", value)])?.status {
            200..=299 => Ok(Answer::Yes),
            404 | 410 => Ok(Answer::No { nearest: None, note: None }),
            status => Err(odd_status(status)),
        }
    }
}
