//! A session: a hosted conversation of one user.

use super::error::SessionError;
use crate::ids::new_id;
use crate::metrics::Tokens;
use crate::store::{Applied, Change, Kind, Order, Query, Record, Records};
use crate::stream::{Hub, now_millis};
use crate::usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// What a session is made from.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Who answers.
    pub agent: String,
    /// Whose it is, in the words of the application.
    pub user: Option<String>,
    /// Whose key made it; empty where there are no keys.
    pub caller: String,
    /// Which model answers; the configured one where it is absent.
    pub model: Option<String>,
    /// Tools that the client runs, in the OpenAI shape.
    pub tools: Vec<Value>,
    /// What the application knows of the user: role, permissions.
    pub context: Value,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its name.
    pub session_id: String,
    /// Who answers.
    pub agent: String,
    /// Whose it is.
    pub user: Option<String>,
    /// Whose key made it.
    #[serde(default)]
    pub caller: String,
    /// Which model answers.
    pub model: Option<String>,
    /// Tools that the client runs.
    #[serde(default)]
    pub tools: Vec<Value>,
    /// What is known of the user.
    #[serde(default)]
    pub context: Value,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
}

/// All sessions.
#[derive(Clone)]
pub struct Sessions {
    pub(super) records: Arc<dyn Records>,
    pub(super) hub: Arc<Hub>,
    last_kept: Arc<AtomicI64>,
}

impl Sessions {
    /// Sessions over their stores.
    pub fn new(records: Arc<dyn Records>, hub: Arc<Hub>) -> Self {
        Self { records, hub, last_kept: Arc::default() }
    }

    /// A time for what is kept now, later than that of everything kept before: things are listed by their times, and
    /// two of one millisecond would change places.
    pub(super) fn next_moment(&self) -> i64 {
        let now = now_millis();
        let after = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self.last_kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).unwrap_or_default();
        now.max(last.saturating_add(1))
    }

    /// The records below.
    pub fn records(&self) -> &Arc<dyn Records> {
        &self.records
    }

    /// The log.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Makes a session.
    pub async fn create(&self, new: NewSession) -> Result<Session, SessionError> {
        let session = Session {
            session_id: new_id("ses")?,
            agent: new.agent,
            user: new.user,
            caller: new.caller,
            model: new.model,
            tools: new.tools,
            context: new.context,
            created_at: now_millis(),
        };
        let record = Record {
            kind: Kind::Session,
            id: session.session_id.clone(),
            parent: session.caller.clone(),
            state: String::new(),
            created_at: session.created_at,
            version: 1,
            body: serde_json::to_value(&session).unwrap_or_default(),
        };
        self.insert("session", record, None).await?;
        Ok(session)
    }

    /// One session.
    pub async fn get(&self, id: &str) -> Result<Session, SessionError> {
        let record = self.records.get(Kind::Session, id).await?;
        record.and_then(|record| read(&record)).ok_or_else(|| SessionError::missing("session", id))
    }

    /// Sessions, the newest first; of one caller where one is named.
    pub async fn list(
        &self,
        caller: Option<&str>,
        after: Option<(i64, &str)>,
        limit: usize,
    ) -> Result<Vec<Session>, SessionError> {
        let (mut found, mut last) = (Vec::new(), after.map(|(at, id)| (at, id.to_owned())));
        // A row that cannot be read must not look like the end of the list.
        loop {
            let after = last.as_ref().map(|(at, id)| (*at, id.as_str()));
            let query = Query { parent: caller, after, limit, order: Order::NewestFirst, ..Query::default() };
            let page = self.records.list(Kind::Session, query).await?;
            found.extend(page.iter().filter_map(read));
            if page.len() < limit || found.len() >= limit {
                break;
            }
            last = page.last().map(|record| (record.created_at, record.id.clone()));
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Removes a session with all that belongs to it. The caller has ended its turn before.
    pub async fn remove(&self, id: &str) -> Result<(), SessionError> {
        let kinds = [Kind::Note, Kind::Material, Kind::File, Kind::Reader];
        self.records.remove_children(id, &kinds).await?;
        self.hub.remove(id).await?;
        self.records.apply(vec![Change::Delete { kind: Kind::Session, id: id.to_owned() }]).await?;
        Ok(())
    }

    pub(super) async fn insert(
        &self,
        what: &'static str,
        record: Record,
        bytes: Option<bytes::Bytes>,
    ) -> Result<(), SessionError> {
        match self.records.apply(vec![Change::Insert(record, bytes)]).await? {
            Applied::Done => Ok(()),
            Applied::Conflict(_) => Err(SessionError::Changed { what }),
        }
    }

    /// Counts what an answer of a session cost.
    pub(crate) fn count_tokens<'a>(
        &self,
        session: &Session,
        tokens: Tokens,
        model: Option<&str>,
        tools: impl Iterator<Item = &'a str>,
    ) {
        usage::count(&self.hub.options.metrics, tokens, &session.caller, model, tools);
    }
}

fn read(record: &Record) -> Option<Session> {
    serde_json::from_value(record.body.clone()).ok()
}
