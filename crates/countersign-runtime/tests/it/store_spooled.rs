//! The spool: the owner of a run goes on while the record is unavailable, and the record has it all afterwards.

use crate::servers::quick_postgres;
use crate::store_contract::words::{all, append, entry, held, numbers, owner, turn};
use crate::store_doubles::{Fault, WatchedLog};
use countersign_runtime::store::layered::Spooled;
use countersign_runtime::store::memory::{MemoryLog, MemoryRecords};
use countersign_runtime::store::postgres::PostgresStore;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{Append, Appended, Claimed, EventLog, Kind, Query, Records, StoreError, TurnMark};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// A node, its spool, and the record that others share.
struct World {
    record: Arc<MemoryLog>,
    shared: Arc<WatchedLog>,
    spool: Arc<MemoryLog>,
    orphans: Arc<MemoryRecords>,
    log: Arc<Spooled>,
}

impl World {
    async fn new() -> Self {
        let record = Arc::new(MemoryLog::default());
        let shared = Arc::new(WatchedLog::over(Arc::clone(&record) as Arc<dyn EventLog>));
        let (spool, orphans) = (Arc::new(MemoryLog::default()), Arc::new(MemoryRecords::default()));
        let log = Self::start(&shared, &spool, &orphans).await;
        Self { record, shared, spool, orphans, log }
    }

    async fn start(shared: &Arc<WatchedLog>, spool: &Arc<MemoryLog>, orphans: &Arc<MemoryRecords>) -> Arc<Spooled> {
        Spooled::start(Arc::clone(shared) as _, Arc::clone(spool) as _, Arc::clone(orphans) as _).await.unwrap()
    }

    /// The process ends and another one begins with the same spool.
    async fn restart(&mut self) {
        self.log.stop().await;
        self.log = Self::start(&self.shared, &self.spool, &self.orphans).await;
    }

    async fn done(&self, wanted: Append) {
        assert_eq!(self.log.append(wanted).await.unwrap(), Appended::Done);
    }

    async fn healed(&self) {
        healed(&self.log).await;
    }

    async fn orphans(&self) -> Vec<serde_json::Value> {
        let query = Query { parent: Some("r"), ..Query::default() };
        self.orphans.list(Kind::Orphan, query).await.unwrap().into_iter().map(|record| record.body).collect()
    }
}

async fn healed(log: &Spooled) {
    let begun = Instant::now();
    while log.is_degraded() {
        assert!(begun.elapsed() < Duration::from_secs(20), "still degraded");
        sleep(Duration::from_millis(10)).await;
    }
}

fn is_away<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Away { .. }))
}

// SERVE-5, STREAM-2
#[tokio::test]
async fn the_owner_goes_on_and_the_record_catches_up() {
    let world = World::new().await;
    held(world.log.claim("r", &owner("a")).await.unwrap());
    world.done(turn("r", 1, 0, TurnMark::Open)).await;
    world.done(append("r", 1, 0, 3)).await;
    world.shared.set(Fault::Away);
    world.done(append("r", 1, 3, 2)).await;
    world.done(append("r", 1, 5, 1)).await;
    assert!(world.log.is_degraded());
    // The log's contract holds in the spool too.
    assert_eq!(world.log.append(append("r", 1, 3, 2)).await.unwrap(), Appended::Duplicate);
    assert_eq!(world.log.append(append("r", 1, 3, 1)).await.unwrap(), Appended::Duplicate);
    assert_eq!(world.log.append(append("r", 1, 9, 1)).await.unwrap(), Appended::Gap { head: 6 });
    assert_eq!(world.log.append(append("r", 2, 6, 1)).await.unwrap(), Appended::Fenced { epoch: 1 });
    assert_eq!(world.log.append(turn("r", 1, 6, TurnMark::Open)).await.unwrap(), Appended::Busy);
    // What is only in the spool is read from there; what is only in the record waits.
    assert_eq!(numbers(&world.log.read("r", 3, 100).await.unwrap()), [4, 5, 6]);
    assert_eq!(numbers(&world.log.read("r", 4, 1).await.unwrap()), [5]);
    assert_eq!(world.log.read("r", 6, 100).await.unwrap(), []);
    assert!(is_away(world.log.read("r", 2, 100).await));
    assert_eq!(world.log.head("r").await.unwrap().seq, 6);
    assert_eq!(world.log.heads(&["r".into()]).await.unwrap()[0].seq, 6);
    // The lease is still ours; what is not ours cannot be had.
    assert_eq!(held(world.log.claim("r", &owner("a")).await.unwrap()).seq, 6);
    assert!(is_away(world.log.claim("r", &owner("b")).await));
    assert!(is_away(world.log.claim("other", &owner("a")).await));
    assert!(is_away(world.log.append(append("other", 1, 0, 1)).await));
    world.log.probe().await.unwrap();
    world.done(turn("r", 1, 6, TurnMark::Close)).await;
    world.shared.set(Fault::None);
    world.healed().await;
    assert_eq!(all(&*world.record, "r").await, append("r", 1, 0, 6).entries);
    assert!(!world.record.head("r").await.unwrap().open);
    assert_eq!(world.spool.runs("", 10).await.unwrap(), []);
    world.done(append("r", 1, 6, 1)).await;
    assert_eq!(world.record.head("r").await.unwrap().seq, 7);
    assert_eq!(world.orphans().await, Vec::<serde_json::Value>::new());
}

// SERVE-5: an append whose answer was lost is there once.
#[tokio::test]
async fn a_lost_answer_is_no_second_event() {
    let world = World::new().await;
    held(world.log.claim("r", &owner("a")).await.unwrap());
    world.shared.set(Fault::AnswersLost);
    let mut opening = append("r", 1, 0, 2);
    opening.turn = TurnMark::Open;
    world.done(opening).await;
    world.done(append("r", 1, 2, 2)).await;
    world.done(turn("r", 1, 4, TurnMark::Close)).await;
    world.shared.set(Fault::None);
    world.healed().await;
    assert_eq!(all(&*world.record, "r").await, append("r", 1, 0, 4).entries);
    assert!(!world.record.head("r").await.unwrap().open);
    // Several appends are told as one; the record has the first of them.
    world.shared.set(Fault::AnswersLost);
    world.done(append("r", 1, 4, 2)).await;
    world.done(append("r", 1, 6, 2)).await;
    world.shared.set(Fault::None);
    world.healed().await;
    assert_eq!(all(&*world.record, "r").await, append("r", 1, 0, 8).entries);
}

// SERVE-5: a run that is seized by its own node before the spool is told is told first.
#[tokio::test]
async fn a_seizure_by_the_same_node_makes_no_orphan() {
    let world = World::new().await;
    held(world.log.claim("r", &owner("a")).await.unwrap());
    world.shared.set(Fault::Full);
    world.done(append("r", 1, 0, 3)).await;
    world.shared.set(Fault::None);
    assert_eq!(world.log.seize("r", 1, &owner("a2")).await.unwrap().unwrap().seq, 3);
    assert_eq!(all(&*world.record, "r").await, append("r", 1, 0, 3).entries);
    assert_eq!(world.orphans().await, Vec::<serde_json::Value>::new());
}

// SERVE-5: another node has taken the run over meanwhile.
#[tokio::test]
async fn an_orphan_branch_is_filed_whole() {
    let world = World::new().await;
    held(world.log.claim("r", &owner("a")).await.unwrap());
    world.done(append("r", 1, 0, 2)).await;
    world.shared.set(Fault::AnswersLost);
    // The record has this one, though nobody was told.
    world.done(append("r", 1, 2, 1)).await;
    world.shared.set(Fault::Away);
    world.done(append("r", 1, 3, 3)).await;
    world.record.seize("r", 1, &owner("b")).await.unwrap().unwrap();
    let mut other = append("r", 2, 3, 1);
    other.entries = vec![entry(2, 4, "of another")];
    world.record.append(other).await.unwrap();
    world.shared.set(Fault::None);
    world.healed().await;
    assert_eq!(numbers(&all(&*world.record, "r").await), [1, 2, 3, 4]);
    assert_eq!(world.log.read("r", 3, 10).await.unwrap(), [entry(2, 4, "of another")]);
    let orphans = world.orphans().await;
    assert_eq!(orphans.len(), 1, "{orphans:?}");
    assert_eq!((&orphans[0]["first"], &orphans[0]["last"]), (&"1.4".into(), &"1.6".into()));
    let bodies: Vec<_> = orphans[0]["events"].as_array().unwrap().iter().map(|event| event["body"].clone()).collect();
    assert_eq!(bodies, [r#"{"n":4}"#, r#"{"n":5}"#, r#"{"n":6}"#]);
    assert_eq!(world.spool.runs("", 10).await.unwrap(), []);
    assert_eq!(world.log.append(append("r", 1, 6, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
}

// SERVE-5: the spool outlives the process, and its own successor does not make an orphan of it.
#[tokio::test]
async fn the_spool_survives_a_restart() {
    let mut world = World::new().await;
    held(world.log.claim("r", &owner("a")).await.unwrap());
    world.done(turn("r", 1, 0, TurnMark::Open)).await;
    world.done(append("r", 1, 0, 2)).await;
    world.shared.set(Fault::Away);
    world.done(append("r", 1, 2, 3)).await;
    world.restart().await;
    assert!(world.log.is_degraded());
    assert_eq!(world.log.head("r").await.unwrap().seq, 5);
    assert_eq!(numbers(&world.log.read("r", 2, 10).await.unwrap()), [3, 4, 5]);
    assert!(is_away(world.log.claim("r", &owner("a2")).await));
    assert!(is_away(world.log.seize("r", 1, &owner("a2")).await));
    world.shared.set(Fault::None);
    // The sweeper may be quicker than the replay.
    let lease = loop {
        match world.log.seize("r", 1, &owner("a2")).await {
            Ok(lease) => break lease.unwrap(),
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    };
    assert_eq!((lease.epoch, lease.seq, lease.open), (2, 5, true));
    assert_eq!(all(&*world.record, "r").await, append("r", 1, 0, 5).entries);
    assert_eq!(world.orphans().await, Vec::<serde_json::Value>::new());
}

#[derive(Debug, Clone)]
enum Move {
    Append(u64, TurnMark),
    Fault(Fault),
    Restart,
    Wait,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let turn = prop_oneof![3 => Just(TurnMark::Keep), 1 => Just(TurnMark::Open), 1 => Just(TurnMark::Close)];
    let fault = prop_oneof![Just(Fault::None), Just(Fault::Away), Just(Fault::AnswersLost), Just(Fault::Full)];
    let one = prop_oneof![
        8 => (0..4_u64, turn).prop_map(|(count, turn)| Move::Append(count, turn)),
        3 => fault.prop_map(Move::Fault),
        1 => Just(Move::Restart),
        1 => Just(Move::Wait),
    ];
    prop::collection::vec(one, 1..30)
}

/// Whatever fails in between: in the end the record is what the owner was told.
async fn play(moves: Vec<Move>) {
    let mut world = World::new().await;
    let (mut epoch, mut seq, mut open, mut node, mut said) = (0, 0, false, 0, Vec::new());
    for step in moves {
        match step {
            Move::Append(count, mark) => {
                if epoch == 0 {
                    let Ok(Claimed::Held(lease)) = world.log.claim("r", &owner(&format!("n{node}"))).await else {
                        continue;
                    };
                    assert_eq!((lease.seq, lease.open), (seq, open));
                    epoch = lease.epoch;
                }
                let mut wanted = append("r", epoch, seq, count);
                wanted.turn = mark;
                match world.log.append(wanted.clone()).await {
                    Ok(Appended::Done) => {
                        seq += count;
                        said.extend(wanted.entries);
                        open = match mark {
                            TurnMark::Keep => open,
                            TurnMark::Open => true,
                            TurnMark::Close => false,
                        };
                    }
                    Ok(Appended::Busy) => assert!(open && mark == TurnMark::Open),
                    other => panic!("{other:?}"),
                }
            }
            Move::Fault(fault) => world.shared.set(fault),
            // The sweeper has closed the dead process's turn before its successor claims; here the record does.
            Move::Restart if !open => {
                world.restart().await;
                (epoch, node) = (0, node + 1);
            }
            Move::Restart => {}
            Move::Wait => sleep(Duration::from_millis(300)).await,
        }
        assert_eq!(world.log.head("r").await.map_or(seq, |head| head.seq), seq);
    }
    world.shared.set(Fault::None);
    world.healed().await;
    assert_eq!(all(&*world.record, "r").await, said);
    assert_eq!(world.record.head("r").await.unwrap().open, open);
    assert_eq!(world.orphans().await, Vec::<serde_json::Value>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]
    // SERVE-5
    #[test]
    fn the_record_ends_as_the_owner_was_told(moves in moves()) {
        // The clock of the test stands still but for the waits.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::time::pause(); play(moves).await });
    }
}

// SERVE-5: the real thing. PostgreSQL is killed in mid-turn; one run goes on in the spool and comes back, another one is
// seized by a second node as soon as the server is there again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_postgres_gets_back_what_it_missed() {
    let (mut server, folder) = (quick_postgres(), tempfile::tempdir().unwrap());
    let url = server.url();
    let spool = SqliteStore::open(folder.path()).unwrap();
    let shared = PostgresStore::connect(&url).await.unwrap();
    let log = Spooled::start(Arc::clone(&shared) as _, Arc::clone(&spool) as _, Arc::clone(&spool) as _).await.unwrap();
    for run in ["kept", "seized"] {
        held(log.claim(run, &owner("a")).await.unwrap());
        assert_eq!(log.append(turn(run, 1, 0, TurnMark::Open)).await.unwrap(), Appended::Done);
        assert_eq!(log.append(append(run, 1, 0, 5)).await.unwrap(), Appended::Done);
    }
    server.kill();
    let begun = Instant::now();
    for after in 5..40 {
        assert_eq!(log.append(append("kept", 1, after, 1)).await.unwrap(), Appended::Done);
    }
    assert_eq!(log.append(append("seized", 1, 5, 2)).await.unwrap(), Appended::Done);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(log.is_degraded());
    assert_eq!(numbers(&log.read("kept", 20, 100).await.unwrap()), (21..=40).collect::<Vec<_>>());
    // The node goes down as well, so that the second one is certainly the first to reach the server.
    log.stop().await;
    drop(log);
    spool.close();
    server.restart();
    let second = PostgresStore::connect(&url).await.unwrap();
    assert_eq!(second.seize("seized", 1, &owner("b")).await.unwrap().unwrap().epoch, 2);
    let spool = SqliteStore::open(folder.path()).unwrap();
    let log = Spooled::start(shared, Arc::clone(&spool) as _, Arc::clone(&spool) as _).await.unwrap();
    healed(&log).await;
    assert_eq!(all(&*second, "kept").await, append("kept", 1, 0, 40).entries);
    assert_eq!(numbers(&all(&*second, "seized").await), [1, 2, 3, 4, 5]);
    let orphans = spool.list(Kind::Orphan, Query::default()).await.unwrap();
    assert_eq!(orphans.iter().map(|orphan| orphan.id.as_str()).collect::<Vec<_>>(), ["seized:1.6"]);
    assert_eq!(orphans[0].body["events"].as_array().unwrap().len(), 2);
    log.stop().await;
}
