//! PostgreSQL: two nodes on one database, a server that is killed, and groups with a bad apple.

use crate::servers::{own_postgres, shared_postgres};
use crate::store_contract::postgres;
use crate::store_contract::words::{all, append, held, numbers, owner, record, run_with, turn};
use crate::store_model::{Form, holds_for};
use countersign_runtime::store::postgres::PostgresStore;
use countersign_runtime::store::{Appended, Applied, Change, Claimed, EventLog, Kind, Records, StoreError, TurnMark};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

struct Postgres {
    store: Arc<PostgresStore>,
    url: String,
}

#[async_trait::async_trait]
impl Form for Postgres {
    async fn fresh() -> Self {
        let url = shared_postgres().url();
        Self { store: PostgresStore::connect(&url).await.unwrap(), url }
    }

    fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.store) as Arc<dyn EventLog>
    }

    async fn reopened(self) -> Self {
        self.store.close().await;
        Self { store: PostgresStore::connect(&self.url).await.unwrap(), ..self }
    }
}

// SERVE-5, STREAM-1
#[test]
fn postgres_answers_as_the_model_does() {
    holds_for::<Postgres>(12);
}

// SERVE-5
#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_hand_a_run_over() {
    let url = shared_postgres().url();
    let (one, two) = tokio::join!(PostgresStore::connect(&url), PostgresStore::connect(&url));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(held(one.claim("r", &owner("a")).await.unwrap()).epoch, 1);
    assert_eq!(one.append(turn("r", 1, 0, TurnMark::Open)).await.unwrap(), Appended::Done);
    assert_eq!(one.append(append("r", 1, 0, 3)).await.unwrap(), Appended::Done);
    assert_eq!(two.claim("r", &owner("b")).await.unwrap(), Claimed::Taken(owner("a")));
    assert_eq!(all(&*two, "r").await, all(&*one, "r").await);
    one.beat(&owner("a")).await.unwrap();
    assert_eq!(two.beats().await.unwrap(), [("a".to_owned(), 1)]);
    let lease = two.seize("r", 1, &owner("b")).await.unwrap().unwrap();
    assert_eq!((lease.epoch, lease.seq, lease.open), (2, 3, true));
    assert_eq!(one.append(append("r", 1, 3, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
    assert_eq!(two.append(append("r", 2, 3, 2)).await.unwrap(), Appended::Done);
    assert_eq!(numbers(&all(&*one, "r").await), [1, 2, 3, 4, 5]);
}

// SERVE-5: both nodes lock the same runs in every group; nobody is locked out, and each number has one writer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_that_write_the_same_runs_do_not_lock_each_other_out() {
    let url = shared_postgres().url();
    let nodes = [PostgresStore::connect(&url).await.unwrap(), PostgresStore::connect(&url).await.unwrap()];
    let runs: Vec<String> = (0..30).map(|run| format!("run{run}")).collect();
    for run in &runs {
        nodes[0].claim(run, &owner("a")).await.unwrap();
    }
    let mut tasks = Vec::new();
    for (place, run) in runs.iter().chain(runs.iter().rev()).enumerate() {
        let (node, run) = (Arc::clone(&nodes[place / runs.len()]), run.clone());
        tasks.push(tokio::spawn(async move {
            let mut won = 0;
            for after in 0..4 {
                let mut wanted = append(&run, 1, after, 1);
                wanted.entries[0].body = format!("by {place}").into();
                won += u64::from(node.append(wanted).await.unwrap() == Appended::Done);
            }
            won
        }));
    }
    let mut won = 0;
    for task in tasks {
        won += task.await.unwrap();
    }
    assert_eq!(won, 4 * runs.len() as u64);
    for run in &runs {
        assert_eq!(numbers(&all(&*nodes[1], run).await), (1..=4).collect::<Vec<_>>());
    }
}

// SERVE-5: so that two nodes wait for each other instead of locking each other out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_are_locked_in_the_order_of_their_names() {
    let url = shared_postgres().url();
    let (store, other) = (PostgresStore::connect(&url).await.unwrap(), plain_client(&url).await);
    let runs: Vec<String> = (0..6).map(|run| format!("run{run}")).collect();
    for run in &runs {
        store.claim(run, &owner("a")).await.unwrap();
    }
    other.batch_execute("BEGIN; SELECT 1 FROM countersign.runs WHERE run = 'run5' FOR UPDATE").await.unwrap();
    let appends = runs.iter().rev().map(|run| {
        let (store, wanted) = (Arc::clone(&store), append(run, 1, 0, 1));
        tokio::spawn(async move { store.append(wanted).await })
    });
    let appends: Vec<_> = appends.collect();
    sleep(Duration::from_millis(200)).await;
    // The group waits for the last run, and has all the others by now.
    let free = other.query("SELECT run FROM countersign.runs WHERE run <> 'run5' FOR UPDATE SKIP LOCKED", &[]);
    assert_eq!(free.await.unwrap().len(), 0);
    other.batch_execute("COMMIT").await.unwrap();
    for task in appends {
        assert_eq!(task.await.unwrap().unwrap(), Appended::Done);
    }
}

// SERVE-5: one bad append harms no other in its group.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_database_refuses_fails_alone() {
    let store = postgres().await;
    for run in 0..32 {
        store.claim(&format!("run{run}"), &owner("a")).await.unwrap();
    }
    let appends = (0..32).map(|run| {
        let (store, mut wanted) = (Arc::clone(&store), append(&format!("run{run}"), 1, 0, 2));
        if run == 7 {
            wanted.entries[1].body = "\"\0\"".into();
        }
        tokio::spawn(async move { store.append(wanted).await })
    });
    for (run, task) in appends.collect::<Vec<_>>().into_iter().enumerate() {
        match task.await.unwrap() {
            Ok(Appended::Done) => assert_ne!(run, 7),
            Err(StoreError::Broken { .. }) => assert_eq!(run, 7),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.head("run7").await.unwrap().seq, 0);
}

// SERVE-5: each acked event is there after a kill, the store works again by itself, and nothing hangs meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_and_is_found_again() {
    let mut server = own_postgres();
    let store = PostgresStore::connect(&server.url()).await.unwrap();
    run_with(&*store, "r", 5).await;
    let writing = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            let mut acked = 5;
            while store.append(append("r", 1, acked, 3)).await.is_ok_and(|done| done == Appended::Done) {
                acked += 3;
            }
            acked
        }
    });
    sleep(Duration::from_millis(300)).await;
    server.kill();
    let acked = writing.await.unwrap();
    assert!(acked > 20, "{acked}");
    let begun = Instant::now();
    assert!(matches!(store.head("r").await, Err(StoreError::Away { .. })));
    assert!(matches!(store.append(append("r", 1, acked, 1)).await, Err(StoreError::Away { .. })));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    server.restart();
    let head = store.head("r").await.unwrap();
    assert!(head.seq == acked || head.seq == acked + 3, "acked {acked}, kept {}", head.seq);
    let again = store.append(append("r", 1, acked, 3)).await.unwrap();
    assert!(matches!(again, Appended::Done | Appended::Duplicate));
    let mut kept = all(&*store, "r").await;
    let reference = append("r", 1, 0, kept.len() as u64).entries;
    kept.retain(|entry| !reference.contains(entry));
    assert_eq!(kept, []);
}

// SERVE-5: a takeover and an append at the same time have an order: what the old writer was told is what the new one finds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seizure_and_an_append_have_an_order() {
    let url = shared_postgres().url();
    let (one, two) = (PostgresStore::connect(&url).await.unwrap(), PostgresStore::connect(&url).await.unwrap());
    for round in 0..60 {
        let run = format!("run{round}");
        held(one.claim(&run, &owner("a")).await.unwrap());
        let mut last = append(&run, 1, 0, 200);
        last.turn = TurnMark::Open;
        let writing = tokio::spawn({
            let one = Arc::clone(&one);
            async move { one.append(last).await.unwrap() }
        });
        sleep(Duration::from_micros(round * 100)).await;
        let lease = two.seize(&run, 1, &owner("b")).await.unwrap().unwrap();
        let written = match writing.await.unwrap() {
            Appended::Done => 200,
            Appended::Fenced { epoch: 2 } => 0,
            other => panic!("{other:?}"),
        };
        assert_eq!(lease.seq, written, "round {round}");
    }
}

async fn plain_client(url: &str) -> tokio_postgres::Client {
    let (client, driver) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(driver);
    client
}

// SERVE-5: changes that meet another transaction in the opposite order are made in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_are_locked_out_are_tried_again() {
    let url = shared_postgres().url();
    let store = PostgresStore::connect(&url).await.unwrap();
    let inserts = ["a", "b"].map(|id| Change::Insert(record(Kind::Note, id, 1), None));
    store.apply(inserts.to_vec()).await.unwrap();
    let other = plain_client(&url).await;
    other.batch_execute("BEGIN; SELECT 1 FROM countersign.records WHERE id = 'b' FOR UPDATE").await.unwrap();
    let deletes = ["a", "b"].map(|id| Change::Delete { kind: Kind::Note, id: id.to_owned() });
    let deleting = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.apply(deletes.to_vec()).await }
    });
    sleep(Duration::from_millis(200)).await;
    // Now each waits for the other. The server undoes the one that has waited longer, which is ours.
    other.batch_execute("SELECT 1 FROM countersign.records WHERE id = 'a' FOR UPDATE; COMMIT").await.unwrap();
    assert_eq!(deleting.await.unwrap().unwrap(), Applied::Done);
    assert_eq!(store.count(Kind::Note, "").await.unwrap(), 0);
}

// SERVE-5
#[tokio::test]
async fn what_cannot_be_used_is_refused_with_a_reason() {
    for (url, word) in [
        ("postgres://u@127.0.0.1/db?sslmode=always", "sslmode"),
        ("nonsense", "postgres://"),
        ("postgres://u:secret@127.0.0.1:notaport/db", "postgres://"),
    ] {
        let error = PostgresStore::open(url).err().unwrap().to_string();
        assert!(error.contains(word) && !error.contains("secret"), "{error}");
    }
    let url = shared_postgres().url();
    let store = PostgresStore::connect(&url).await.unwrap();
    store.close().await;
    let client = plain_client(&url).await;
    client.batch_execute("INSERT INTO countersign.schema_version VALUES (99)").await.unwrap();
    let newer = PostgresStore::connect(&url).await.err().unwrap();
    assert!(newer.to_string().contains("version 99") && !newer.may_pass(), "{newer}");
}
