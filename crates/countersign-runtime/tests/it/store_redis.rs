//! Redis: a server that is killed, frozen or flushed is unavailable for a moment and never for good, and hints get through.

use crate::servers::{own_redis, shared_redis, unique};
use crate::store_contract::words::{append, owner};
use crate::store_model::{Form, holds_for};
use countersign_runtime::store::redis::RedisStore;
use countersign_runtime::store::{EventLog, Flag, Flags, Hint, Hints, Limiter, Quota, Scope, StoreError, Taken};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::time::{sleep, timeout};

struct Redis {
    store: Arc<RedisStore>,
    prefix: String,
}

#[async_trait::async_trait]
impl Form for Redis {
    async fn fresh() -> Self {
        let prefix = format!("{}:", unique("model"));
        Self { store: RedisStore::open(&shared_redis().url(), &prefix).unwrap(), prefix }
    }

    fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.store) as Arc<dyn EventLog>
    }

    async fn reopened(self) -> Self {
        self.store.close().await;
        Self { store: RedisStore::open(&shared_redis().url(), &self.prefix).unwrap(), ..self }
    }
}

// SERVE-5, STREAM-1
#[test]
fn redis_answers_as_the_model_does() {
    holds_for::<Redis>(32);
}

fn stop_all() -> Flag {
    Flag { scope: Scope::All, raised: 1, cleared: 0, at: 7 }
}

fn quota() -> Quota {
    Quota { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN }
}

fn is_away<T>(answer: Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Away { .. }))
}

/// Waits until the server is found again.
async fn back(store: &RedisStore) {
    let begun = Instant::now();
    while store.ping().await.is_err() {
        assert!(begun.elapsed() < Duration::from_secs(2), "not back");
        sleep(Duration::from_millis(20)).await;
    }
}

// STREAM-4, SERVE-1, SERVE-5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_is_away_at_once_and_found_again() {
    let mut server = own_redis();
    let store = RedisStore::connect(&server.url()).await.unwrap();
    store.merge(&[stop_all()]).await.unwrap();
    assert_eq!(store.take("k", quota()).await.unwrap(), Taken::Allowed);
    store.claim("r", &owner("a")).await.unwrap();
    server.kill();
    let begun = Instant::now();
    assert!(is_away(store.merge(&[]).await));
    assert!(is_away(store.take("k", quota()).await));
    assert!(is_away(store.append(append("r", 1, 0, 1)).await));
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    server.restart();
    back(&store).await;
    // The append-only file was written every second at the latest; what matters here is that the scripts load again.
    let kept = store.merge(&[stop_all()]).await.unwrap();
    assert_eq!(kept, [stop_all()]);
    store.take("k", quota()).await.unwrap();
}

// STREAM-4, SERVE-1: a server that does not answer is not waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_server_is_away_within_the_deadline() {
    let server = own_redis();
    let store = RedisStore::connect(&server.url()).await.unwrap();
    server.freeze();
    for _ in 0..3 {
        let begun = Instant::now();
        assert!(is_away(store.merge(&[stop_all()]).await));
        assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
    }
    server.thaw();
    back(&store).await;
    assert_eq!(store.merge(&[stop_all()]).await.unwrap(), [stop_all()]);
}

/// The next hint but `All`.
async fn heard(listener: &mut Receiver<Hint>) -> Hint {
    loop {
        let hint = timeout(Duration::from_secs(3), listener.recv()).await.unwrap().unwrap();
        if hint != Hint::All {
            return hint;
        }
    }
}

/// Waits until what one says is heard by the other.
async fn met(one: &RedisStore, at_other: &mut Receiver<Hint>) {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Duration::from_secs(3), "never heard");
        one.announce(Hint::Review("hello".into()));
        if let Ok(Ok(Hint::Review(_))) = timeout(Duration::from_millis(50), at_other.recv()).await {
            break;
        }
    }
    // What was said too often is heard too.
    while timeout(Duration::from_millis(100), at_other.recv()).await.is_ok() {}
}

// SERVE-5: hints reach the others and not oneself; after a reconnect everything may be new.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_pass_between_nodes_and_survive_a_restart() {
    let mut server = own_redis();
    let (one, two) =
        (RedisStore::connect(&server.url()).await.unwrap(), RedisStore::connect(&server.url()).await.unwrap());
    let (mut at_one, mut at_two) = (one.listen(), two.listen());
    met(&one, &mut at_two).await;
    met(&two, &mut at_one).await;
    for hint in [Hint::Run("会话 1".into()), Hint::Flags, Hint::Review("v".into())] {
        one.announce(hint.clone());
        assert_eq!(heard(&mut at_two).await, hint);
    }
    two.announce(Hint::Flags);
    assert_eq!(heard(&mut at_one).await, Hint::Flags);
    server.kill();
    server.restart();
    let again = timeout(Duration::from_secs(5), at_two.recv()).await.expect("no word after a restart").unwrap();
    assert_eq!(again, Hint::All);
    back(&one).await;
    one.announce(Hint::Run("later".into()));
    assert_eq!(heard(&mut at_two).await, Hint::Run("later".into()));
    one.close().await;
}

// SERVE-5
#[tokio::test]
async fn a_server_that_comes_later_is_no_error() {
    let store = RedisStore::open("redis://127.0.0.1:1/0", "x:").unwrap();
    assert!(is_away(store.ping().await));
    assert!(is_away(RedisStore::connect("redis://127.0.0.1:1/0").await));
    let error = RedisStore::open("http://u:secret@nowhere", "x:").err().unwrap().to_string();
    assert!(error.contains("redis://") && !error.contains("secret"), "{error}");
}
