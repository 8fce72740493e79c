//! Short words for what the cases say again and again.

use countersign::contract::{EventId, EventType};
use countersign_runtime::store::{
    Append, Appended, Claimed, Entry, EventLog, Kind, Lease, Owner, Query, Record, Records, TurnMark,
};
use serde_json::json;
use std::sync::Arc;

pub(crate) fn owner(name: &str) -> Owner {
    Owner { node: name.to_owned(), address: format!("http://127.0.0.1/{name}") }
}

pub(crate) fn entry(epoch: u32, seq: u64, body: &str) -> Entry {
    Entry { id: EventId { epoch, seq }, kind: EventType::TextDelta, at: 1_000 + seq.cast_signed(), body: body.into() }
}

/// So many small events after a number, that say where they are.
pub(crate) fn append(run: &str, epoch: u32, after: u64, count: u64) -> Append {
    let entries = (1..=count).map(|step| entry(epoch, after + step, &format!(r#"{{"n":{}}}"#, after + step)));
    Append { run: run.into(), epoch, after, entries: entries.collect(), turn: TurnMark::Keep }
}

/// An append without events that opens or closes the turn.
pub(crate) fn turn(run: &str, epoch: u32, after: u64, turn: TurnMark) -> Append {
    Append { run: run.into(), epoch, after, entries: Vec::new(), turn }
}

pub(crate) fn held(claimed: Claimed) -> Lease {
    match claimed {
        Claimed::Held(lease) => lease,
        Claimed::Taken(by) => panic!("taken by {by:?}"),
    }
}

/// A run of the first owner with so many events.
pub(crate) async fn run_with(log: &dyn EventLog, run: &str, count: u64) {
    assert_eq!(held(log.claim(run, &owner("a")).await.unwrap()).epoch, 1);
    assert_eq!(log.append(append(run, 1, 0, count)).await.unwrap(), Appended::Done);
}

pub(crate) async fn all(log: &dyn EventLog, run: &str) -> Vec<Entry> {
    log.read(run, 0, 10_000).await.unwrap()
}

pub(crate) fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.id.seq).collect()
}

pub(crate) fn record(kind: Kind, id: &str, created_at: i64) -> Record {
    let (parent, state) = (String::new(), String::new());
    Record { kind, id: id.to_owned(), parent, state, created_at, version: 1, body: json!({ "id": id }) }
}

pub(crate) async fn ids(records: &dyn Records, kind: Kind, query: Query<'_>) -> Vec<String> {
    records.list(kind, query).await.unwrap().into_iter().map(|record| record.id).collect()
}

/// Names that quoting, separators, collation or length rules of a store might trip over.
pub(crate) fn strange_names() -> Vec<Arc<str>> {
    let plain = [
        "it's",
        "\"quoted\"",
        "`ticks`",
        "semi;colon--",
        "100%_under",
        "back\\slash",
        "{brace}",
        "a:b",
        "a:b:c",
        "a*?[b]",
        "line\nbreak",
        "tab\tbed",
        "会话",
        "Ünïcödé",
        "🦀",
        "İ",
        "i",
        "I",
        "ß",
        "z",
        "Z",
        " ",
        " a",
        "a ",
        "0",
        "null",
        "a/../b",
    ];
    let mut names: Vec<Arc<str>> = plain.into_iter().map(Arc::from).collect();
    names.push("长".repeat(300).into());
    names.push("x".repeat(2_000).into());
    names
}
