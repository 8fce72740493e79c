//! How long the audit is kept: by age and by size; a request goes with its last verdict, and the writer is not held up.

use bytes::Bytes;
use countersign_runtime::gateway::retention::{AuditRetention, sweep};
use countersign_runtime::kept_request::{KeptRequest, line_of};
use countersign_runtime::store::memory::MemoryRecords;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{Applied, Change, EventLog, Kind, Query, Record, Records};
use countersign_runtime::stream::now_millis;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn verdict(id: &str, answer: &str, created_at: i64) -> Record {
    let body = json!({"verdict_id": id, "request_id": answer, "call": {"name": "t", "arguments": {}}});
    let (kind, parent, state) = (Kind::Verdict, answer.to_owned(), "approved".to_owned());
    Record { kind, id: id.to_owned(), parent, state, created_at, version: 1, body }
}

/// An answer with two calls, the second a second later.
async fn answer(records: &dyn Records, name: &str, at: i64, size: usize) {
    let messages = format!("[{{\"role\":\"user\",\"content\":\"{}\"}}]", "x".repeat(size));
    let request = KeptRequest::new(name, name, at, &[("messages", &messages)]);
    let verdicts = (0..2).map(|call| Change::Insert(verdict(&format!("{name}-{call}"), name, at + call * 1_000), None));
    let changes = [request.keep()].into_iter().chain(verdicts).collect();
    assert_eq!(records.apply(changes).await.unwrap(), Applied::Done);
}

async fn count(records: &dyn Records, kind: Kind) -> u64 {
    records.count(kind, "").await.unwrap()
}

async fn by_age(records: &dyn Records) {
    let now = now_millis();
    answer(records, "old", now - 100_000, 10).await;
    answer(records, "half", now - 60_500, 10).await;
    answer(records, "new", now, 10).await;
    let review = |id: &str, state: &str| Record {
        kind: Kind::Review,
        state: state.to_owned(),
        ..verdict(id, "", now - 100_000)
    };
    let reviews = [review("waits", "pending"), review("over", "approved")].map(|review| Change::Insert(review, None));
    records.apply(reviews.to_vec()).await.unwrap();
    let keep = AuditRetention { age: Some(Duration::from_secs(60)), size: None };
    assert_eq!(sweep(records, keep).await.unwrap(), 4, "two of the old answer, one of the half, one review");
    let left = records.list(Kind::Request, Query::default()).await.unwrap();
    let left: Vec<_> = left.iter().map(|request| request.id.as_str()).collect();
    assert_eq!(left, ["half", "new"], "a request goes with its last verdict, and not before");
    let half = records.get(Kind::Verdict, "half-1").await.unwrap().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&line_of(records, &half).await.unwrap().unwrap()).unwrap();
    assert_eq!((&line["id"], &line["messages"][0]["content"]), (&json!("half-1"), &json!("x".repeat(10))));
    assert_eq!(count(records, Kind::Review).await, 1, "what waits for a person stays");
    assert_eq!(sweep(records, keep).await.unwrap(), 0);
}

async fn by_size(records: &dyn Records) {
    for number in 0..200 {
        answer(records, &format!("a{number:03}"), 1_000_000 + number * 10, 20_000).await;
    }
    let keep = AuditRetention { age: None, size: Some(1_000_000) };
    assert!(sweep(records, keep).await.unwrap() > 100);
    let kinds = [Kind::Verdict, Kind::Request];
    assert!(records.size(&kinds).await.unwrap() <= 1_000_000);
    let requests = count(records, Kind::Request).await;
    assert!((10..=50).contains(&requests), "no more went than had to: {requests}");
    assert!(records.get(Kind::Request, "a199").await.unwrap().is_some(), "the newest stay");
    assert!(records.get(Kind::Request, "a000").await.unwrap().is_none(), "the oldest go");
}

// SERVE-4, SERVE-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_records_go_with_their_requests() {
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn Records>; 2] = [Arc::new(MemoryRecords::default()), SqliteStore::open(folder.path()).unwrap()];
    for records in stores {
        by_age(records.as_ref()).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let stores: [Arc<dyn Records>; 2] = [Arc::new(MemoryRecords::default()), SqliteStore::open(folder.path()).unwrap()];
    for records in stores {
        by_size(records.as_ref()).await;
    }
}

// SERVE-5: verdicts of older versions hold their line themselves.
#[tokio::test]
async fn the_lines_of_older_verdicts_are_read() {
    let records = MemoryRecords::default();
    let mut old = verdict("old", "a", 1);
    old.body = json!({"verdict_id": "old"});
    let line = Bytes::from_static(b"{\"id\":\"old\"}");
    records.apply(vec![Change::Insert(old.clone(), Some(line.clone()))]).await.unwrap();
    assert_eq!(line_of(&records, &old).await.unwrap(), Some(line));
}

// SERVE-5: who writes while a great deal is removed waits for a little of it at most.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_writer_is_not_held_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    for number in 0..60 {
        answer(store.as_ref(), &format!("a{number:03}"), 1_000 + number, 1_000_000).await;
    }
    let sweeping = tokio::spawn({
        let store = Arc::clone(&store);
        async move { sweep(store.as_ref(), AuditRetention { age: Some(Duration::from_secs(60)), size: None }).await }
    });
    let mut longest = Duration::ZERO;
    while !sweeping.is_finished() {
        let began = Instant::now();
        store.probe().await.unwrap();
        longest = longest.max(began.elapsed());
    }
    assert_eq!(sweeping.await.unwrap().unwrap(), 120);
    println!("60 MB removed; a write beside it took {longest:?} at most");
    assert!(longest < Duration::from_secs(3), "{longest:?}");
}
