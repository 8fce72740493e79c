//! A query on a SQLite file, read only. A row means that the record exists.

use crate::ask::{AskError, FactChecker};
use countersign::contract::{Answer, Question};
use rusqlite::{Connection, OpenFlags, ToSql};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A file and a query with one parameter. Each look opens the file again: a slow one then blocks no other, and a file
/// that was replaced is seen.
#[derive(Debug)]
pub(super) struct Lookup {
    name: String,
    file: PathBuf,
    query: String,
    deadline: Duration,
}

impl Lookup {
    /// Tries file and query once, so that a wrong one is found at once.
    pub(super) fn open(name: &str, file: &Path, query: &str, deadline: Duration) -> Result<Self, AskError> {
        let lookup = Self { name: name.to_owned(), file: file.to_owned(), query: query.to_owned(), deadline };
        let connection = lookup.connect()?;
        let statement = connection.prepare(query).map_err(|error| lookup.fault(&error))?;
        if statement.parameter_count() != 1 {
            return Err(lookup.wrong("its query must have exactly one parameter, `?1`"));
        }
        if !statement.readonly() {
            return Err(lookup.wrong("its query must only read"));
        }
        Ok(lookup)
    }

    fn connect(&self) -> Result<Connection, AskError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&self.file, flags).map_err(|error| self.fault(&error))?;
        connection.busy_timeout(self.deadline).map_err(|error| self.fault(&error))?;
        let end = Instant::now() + self.deadline;
        let late = move || Instant::now() >= end;
        connection.progress_handler(STEPS, Some(late)).map_err(|error| self.fault(&error))?;
        Ok(connection)
    }

    fn fault(&self, error: &rusqlite::Error) -> AskError {
        self.wrong(&error.to_string())
    }

    /// What a client may see of a look that failed: neither the query nor the file.
    fn failed(&self, error: &rusqlite::Error) -> AskError {
        let why = error.sqlite_error_code().map(|code| format!(" ({code:?})")).unwrap_or_default();
        AskError::Service { problem: format!("the look-up in `{}` failed{why}", self.name) }
    }

    fn wrong(&self, problem: &str) -> AskError {
        AskError::Source { name: self.name.clone(), problem: problem.to_owned() }
    }
}

impl FactChecker for Lookup {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Record { value, .. } = question else { return Err(AskError::OtherQuestion) };
        let connection = self.connect()?;
        let mut statement = connection.prepare(&self.query).map_err(|error| self.failed(&error))?;
        let mut exists = |value: &dyn ToSql| statement.exists([value]).map_err(|error| self.failed(&error));
        // A column without a type compares `42` and `'42'` as different.
        let found = exists(value)? || matches!(value.parse::<i64>(), Ok(number) if exists(&number)?);
        Ok(if found { Answer::Yes } else { Answer::No { nearest: None, note: None } })
    }
}

/// Virtual machine steps between two looks at the clock.
const STEPS: i32 = 1_000;
