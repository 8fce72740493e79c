//! The hot tail: whatever happens to Redis, a reader sees the record's events, each once, in order.
//!
//! The scenarios are functions that return the first violation, so that they run on the real thing, which must show none,
//! and on one with the planted bug "trust the shared head", in which each must find something.

use crate::servers::{TestServer, own_redis, shared_redis, unique};
use crate::store_contract::words::{append, held, owner};
use crate::store_doubles::WatchedLog;
use crate::store_model::{Form, holds_for};
use countersign_runtime::store::layered::HotTail;
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::redis::{HotHead, RedisStore};
use countersign_runtime::store::{Appended, Entry, EventLog, Hint, Hints};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};

struct Hot {
    record: Arc<MemoryLog>,
    log: Arc<HotTail>,
    prefix: String,
}

impl Hot {
    fn over(record: Arc<MemoryLog>, prefix: String) -> Self {
        let hot = RedisStore::open(&shared_redis().url(), &prefix).unwrap();
        let log = HotTail::new(hot, Arc::clone(&record) as Arc<dyn EventLog>).keeping(4);
        Self { record, log: Arc::new(log), prefix }
    }
}

#[async_trait::async_trait]
impl Form for Hot {
    async fn fresh() -> Self {
        Self::over(Arc::default(), format!("{}:", unique("hot")))
    }

    fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.log) as Arc<dyn EventLog>
    }

    /// Another process in front of the same record, with the same Redis.
    async fn reopened(self) -> Self {
        Self::over(self.record, self.prefix)
    }
}

// SERVE-5, STREAM-3
#[test]
fn a_hot_tail_answers_as_the_model_does() {
    holds_for::<Hot>(32);
}

// SERVE-5: whoever asked where a run is and then wrote to it reads what was written, however soon.
#[tokio::test]
async fn what_was_written_is_read_at_once() {
    let hot = Hot::fresh().await;
    let epoch = held(hot.record.claim("r", &owner("a")).await.unwrap()).epoch;
    for seq in (0..20).step_by(2) {
        hot.log.head("r").await.unwrap();
        hot.log.append(append("r", epoch, seq, 2)).await.unwrap();
        assert_eq!(hot.log.read("r", seq.saturating_sub(1), 10).await.unwrap().len() as u64, 2 + seq.min(1));
    }
}

/// Two nodes with the same record and the same Redis, and a reader on each.
struct Nodes {
    record: Arc<WatchedLog>,
    writer: HotTail,
    reader: HotTail,
    redis: Arc<RedisStore>,
    seen: Vec<Entry>,
    after: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Bug {
    None,
    TrustTheSharedHead,
}

impl Nodes {
    async fn new(server: &TestServer, bug: Bug) -> Self {
        let record = Arc::new(WatchedLog::over(Arc::new(MemoryLog::default())));
        let prefix = format!("{}:", unique("nodes"));
        let redis = RedisStore::open(&server.url(), &prefix).unwrap();
        let node = || {
            let hot = RedisStore::open(&server.url(), &prefix).unwrap();
            let tail = HotTail::new(hot, Arc::clone(&record) as Arc<dyn EventLog>).keeping(50);
            if bug == Bug::TrustTheSharedHead { tail.trusting_the_shared_head() } else { tail }
        };
        let (writer, reader) = (node(), node());
        held(writer.claim("r", &owner("a")).await.unwrap());
        Self { record, writer, reader, redis, seen: Vec::new(), after: 0 }
    }

    async fn write(&mut self, count: u64) {
        for _ in 0..count {
            assert_eq!(self.writer.append(append("r", 1, self.after, 1)).await.unwrap(), Appended::Done);
            self.after += 1;
        }
    }

    /// Reads on as a stream does: the head first, then until the head.
    async fn follow(&mut self) -> Result<(), String> {
        let head = self.reader.head("r").await.unwrap();
        if head.seq != self.after {
            return Err(format!("the head is {} and {} events are acked", head.seq, self.after));
        }
        while (self.seen.len() as u64) < head.seq {
            let more = self.reader.read("r", self.seen.len() as u64, 7).await.unwrap();
            if more.is_empty() {
                return Err(format!("nothing after {} of {}", self.seen.len(), head.seq));
            }
            self.seen.extend(more);
        }
        let reference = append("r", 1, 0, self.after).entries;
        if self.seen != reference { Err("the reader saw something else than was written".to_owned()) } else { Ok(()) }
    }

    /// Somebody reads everything once more, as another tab would.
    fn begin_again(&mut self) {
        self.seen.clear();
    }

    async fn flush(&self, server: &TestServer) {
        let client = redis::Client::open(server.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let _: String = redis::cmd("FLUSHALL").query_async(&mut connection).await.unwrap();
    }
}

/// Redis is flushed between two events and while nothing is written.
async fn flushed(server: &TestServer, bug: Bug) -> Result<(), String> {
    let mut nodes = Nodes::new(server, bug).await;
    for _ in 0..5 {
        nodes.write(10).await;
        nodes.follow().await?;
        nodes.flush(server).await;
        nodes.follow().await?;
        nodes.begin_again();
        nodes.follow().await?;
    }
    Ok(())
}

/// Redis is killed, misses events, and comes back with what it had.
async fn killed(server: &mut TestServer, bug: Bug) -> Result<(), String> {
    let mut nodes = Nodes::new(server, bug).await;
    nodes.write(10).await;
    nodes.follow().await?;
    // Longer than the append-only file is written late.
    sleep(Duration::from_millis(1200)).await;
    server.kill();
    nodes.write(10).await;
    if bug == Bug::None {
        nodes.follow().await?;
    }
    server.restart();
    // Longer than Redis is left alone after a failure: now the stale tail is what there is.
    sleep(Duration::from_millis(1100)).await;
    nodes.follow().await?;
    nodes.begin_again();
    nodes.follow().await?;
    nodes.write(10).await;
    nodes.follow().await
}

/// A tail of the right length and epoch with other events: an old snapshot of a run with the same name, or a stranger.
async fn forged(server: &TestServer, bug: Bug) -> Result<(), String> {
    let mut nodes = Nodes::new(server, bug).await;
    nodes.write(10).await;
    let forged: Vec<_> =
        append("r", 1, 0, 10).entries.into_iter().map(|e| Entry { body: "forged".into(), ..e }).collect();
    let head = HotHead { generation: "old".to_owned(), epoch: 1, seq: 10 };
    nodes.redis.hot_refill("r", &head, &forged).await.unwrap();
    nodes.follow().await?;
    // The writer comes before any reader: it must not go on with a tail that is not its own.
    nodes.redis.hot_refill("r", &head, &forged).await.unwrap();
    nodes.write(1).await;
    nodes.begin_again();
    nodes.follow().await?;
    nodes.redis.hot_refill("r", &HotHead { seq: 20, ..head }, &append("r", 1, 0, 20).entries).await.unwrap();
    nodes.write(1).await;
    nodes.follow().await?;
    nodes.begin_again();
    nodes.follow().await
}

// STREAM-3, SERVE-5: "Redis kill, FLUSHALL" of the fault table.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_of_redis_shows() {
    let mut server = own_redis();
    assert_eq!(flushed(&server, Bug::None).await, Ok(()));
    assert_eq!(forged(&server, Bug::None).await, Ok(()));
    assert_eq!(killed(&mut server, Bug::None).await, Ok(()));
}

// The same with the planted bug: each scenario is able to fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trusting_the_shared_head_is_found_out() {
    let mut server = own_redis();
    assert!(flushed(&server, Bug::TrustTheSharedHead).await.is_err());
    assert!(forged(&server, Bug::TrustTheSharedHead).await.is_err());
    assert!(killed(&mut server, Bug::TrustTheSharedHead).await.is_err());
}

// SERVE-5: the point of it: the events themselves are read from Redis, and one comparison serves a whole filling.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_spare_the_record() {
    let mut nodes = Nodes::new(shared_redis(), Bug::None).await;
    nodes.write(30).await;
    nodes.record.forget_counts();
    for _ in 0..10 {
        nodes.begin_again();
        nodes.follow().await.unwrap();
        nodes.write(1).await;
    }
    assert_eq!(nodes.record.reads(), 1);
    // About one question a round, that of the reader itself.
    assert!(nodes.record.heads() < 15, "{}", nodes.record.heads());
    // What has fallen out of the tail comes from the record.
    nodes.write(60).await;
    nodes.begin_again();
    nodes.follow().await.unwrap();
    assert!(nodes.record.reads() > 5);
}

// SERVE-5: another writer's tail is refilled, and a removed run is gone for everybody.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_takeover_and_a_removal_reach_every_reader() {
    let mut nodes = Nodes::new(shared_redis(), Bug::None).await;
    nodes.write(5).await;
    nodes.follow().await.unwrap();
    let lease = nodes.reader.seize("r", 1, &owner("b")).await.unwrap().unwrap();
    assert_eq!(nodes.writer.append(append("r", 1, 5, 1)).await.unwrap(), Appended::Fenced { epoch: 2 });
    nodes.reader.append(append("r", lease.epoch, 5, 3)).await.unwrap();
    assert_eq!(nodes.writer.read("r", 0, 100).await.unwrap(), nodes.record.read("r", 0, 100).await.unwrap());
    nodes.reader.remove("r").await.unwrap();
    assert_eq!(nodes.writer.read("r", 0, 100).await.unwrap(), []);
    // A tail that a node with no way to Redis could not remove.
    let head = HotHead { generation: "left".to_owned(), epoch: 1, seq: 5 };
    nodes.redis.hot_refill("r", &head, &append("r", 1, 0, 5).entries).await.unwrap();
    assert_eq!(nodes.writer.read("r", 0, 100).await.unwrap(), []);
}

// SERVE-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_is_announced_to_the_other_nodes() {
    let mut nodes = Nodes::new(shared_redis(), Bug::None).await;
    let mut listener = nodes.redis.listen();
    let heard = async {
        loop {
            if listener.recv().await.unwrap() == Hint::Run("r".into()) {
                return;
            }
        }
    };
    let writing = async {
        loop {
            nodes.write(1).await;
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(5), async {
        tokio::select! { () = heard => {} () = writing => {} }
    })
    .await
    .unwrap();
}
