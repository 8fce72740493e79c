//! The request that verdicts were made on: kept once, however many calls were judged on it.
//!
//! A request may be megabytes long and lead to hundreds of calls. It is a record of its own, written with the first of its
//! verdicts; each verdict names it, and the line that `countersign check` judges is put together again when somebody asks.
//! It goes when the last verdict goes that names it. Verdicts of older versions hold their line themselves.

use crate::store::{Change, Kind, Query, Record, Records, StoreError};
use bytes::Bytes;
use memchr::memchr2;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A request, to be kept.
#[derive(Debug, Clone)]
pub struct KeptRequest {
    /// Its name.
    pub id: String,
    /// What its verdicts belong to: an answer or a session.
    pub parent: String,
    /// When it was made, in milliseconds since 1970; its verdicts are not older.
    pub created_at: i64,
    /// `{tools?, messages, context?}`, as text.
    pub text: Bytes,
}

impl KeptRequest {
    /// A request of parts that are JSON.
    pub fn new(id: &str, parent: &str, created_at: i64, parts: &[(&str, &str)]) -> Self {
        let fields: Vec<_> = parts.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let (id, parent) = (id.to_owned(), parent.to_owned());
        Self { id, parent, created_at, text: format!("{{{}}}", fields.join(",")).into() }
    }

    /// Keeps it, unless it is kept already.
    pub fn keep(&self) -> Change {
        let record = Record {
            kind: Kind::Request,
            id: self.id.clone(),
            parent: self.parent.clone(),
            state: String::new(),
            created_at: self.created_at,
            version: 1,
            body: json!({}),
        };
        Change::Ensure(record, Some(self.text.clone()))
    }
}

/// The line of a verdict that `countersign check` decides the same way again; none where its request is not there.
pub async fn line_of(records: &dyn Records, verdict: &Record) -> Result<Option<Bytes>, StoreError> {
    if let Some(request) = request_of(verdict) {
        let text = records.bytes(Kind::Request, request).await?;
        return Ok(text.and_then(|text| line(verdict, &text)));
    }
    records.bytes(Kind::Verdict, &verdict.id).await
}

/// Removes the requests of verdicts that are gone, where no other verdict names them.
pub async fn remove_unnamed(records: &dyn Records, gone: &[Record]) -> Result<(), StoreError> {
    let requests: BTreeSet<&str> = gone.iter().filter_map(request_of).collect();
    let mut changes = Vec::new();
    for id in requests {
        let Some(request) = records.get(Kind::Request, id).await? else { continue };
        let query =
            Query { parent: Some(&request.parent), since: Some(request.created_at), limit: FIRST, ..Query::default() };
        let left = records.list(Kind::Verdict, query).await?;
        if !left.iter().any(|verdict| request_of(verdict) == Some(id)) {
            changes.push(Change::Delete { kind: Kind::Request, id: id.to_owned() });
        }
    }
    // Requests are large: a few at a time, so that nobody who writes waits long.
    while !changes.is_empty() {
        let rest = changes.split_off(changes.len().min(AT_ONCE));
        records.apply(std::mem::replace(&mut changes, rest)).await?;
    }
    Ok(())
}

fn request_of(verdict: &Record) -> Option<&str> {
    verdict.body.get("request_id").and_then(Value::as_str)
}

/// The parts of a request, each as the text it came in.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(borrow)]
    context: Option<&'a RawValue>,
}

fn line(verdict: &Record, request: &[u8]) -> Option<Bytes> {
    let parts: Parts<'_> = serde_json::from_slice(request).ok()?;
    let call = verdict.body.get("call")?.to_string();
    let given = [
        ("tools", parts.tools.map(RawValue::get)),
        ("messages", parts.messages.map(RawValue::get)),
        ("call", Some(call.as_str())),
        ("context", parts.context.map(RawValue::get)),
    ];
    let mut line = format!("{{\"id\":\"{}\"", verdict.id);
    for (name, value) in given {
        let Some(value) = value else { continue };
        for part in [",\"", name, "\":", value] {
            line.push_str(part);
        }
    }
    line.push('}');
    // A line is one line: pretty-printed requests hold line breaks, but only between tokens.
    if memchr2(b'\n', b'\r', line.as_bytes()).is_some() {
        line = line.replace(['\n', '\r'], " ");
    }
    Some(line.into())
}

/// The verdicts of a request are the first of its parent since then, so it is enough to look at a few.
const FIRST: usize = 64;
/// So many requests are removed in one transaction.
const AT_ONCE: usize = 8;
