//! A burst, then an even rate; and a `retry_after` that is neither too short nor a lie.
//!
//! The times are those of a busy machine: a case asserts only what holds however late it is woken.

use countersign_runtime::store::{Limiter, Quota, Taken};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Store = Arc<dyn Limiter>;

fn quota(per_second: u32, burst: u32) -> Quota {
    Quota { per_second: NonZeroU32::new(per_second).unwrap(), burst: NonZeroU32::new(burst).unwrap() }
}

async fn take(store: &Store, key: &str, quota: Quota) -> Option<Duration> {
    match store.take(key, quota).await.unwrap() {
        Taken::Allowed => None,
        Taken::Refused { retry_after } => Some(retry_after),
    }
}

/// Takes until it is refused; how many were allowed, and the wait.
async fn drain(store: &Store, key: &str, quota: Quota) -> (u32, Duration) {
    for allowed in 0..10_000 {
        if let Some(wait) = take(store, key, quota).await {
            return (allowed, wait);
        }
    }
    panic!("never refused");
}

pub(crate) async fn a_burst_is_allowed_and_no_more(store: Store) {
    let begun = Instant::now();
    let (allowed, wait) = drain(&store, "k", quota(1, 5)).await;
    let refilled = begun.elapsed().as_secs() as u32 + 1;
    assert!((5..=5 + refilled).contains(&allowed), "{allowed} allowed");
    assert!(wait > Duration::ZERO && wait <= Duration::from_millis(1_001), "{wait:?}");
    // A burst of one is one.
    let (allowed, _) = drain(&store, "one", quota(1, 1)).await;
    assert!((1..=2).contains(&allowed));
}

pub(crate) async fn a_wait_of_retry_after_is_enough(store: Store) {
    for (key, quota) in [("slow", quota(4, 1)), ("burst", quota(7, 3)), ("odd", quota(333, 2))] {
        for _ in 0..4 {
            let (_, wait) = drain(&store, key, quota).await;
            tokio::time::sleep(wait).await;
            assert_eq!(take(&store, key, quota).await, None, "{key}: refused after {wait:?}");
        }
    }
}

pub(crate) async fn nobody_is_allowed_before_retry_after(store: Store) {
    let quota = quota(5, 2);
    for _ in 0..3 {
        let before = Instant::now();
        let wait = loop {
            match take(&store, "k", quota).await {
                Some(wait) => break wait,
                None => assert!(before.elapsed() < Duration::from_secs(10)),
            }
        };
        while take(&store, "k", quota).await.is_some() {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        // Measured over more than the wait, so a slow machine cannot make it fail; 2 ms for waits in whole milliseconds.
        let waited = before.elapsed() + Duration::from_millis(2);
        assert!(waited >= wait, "allowed after {waited:?}, but told to wait {wait:?}");
    }
}

pub(crate) async fn a_refusal_costs_nothing(store: Store) {
    let quota = quota(2, 1);
    let (_, wait) = drain(&store, "k", quota).await;
    let begun = Instant::now();
    let mut refused = 0;
    while take(&store, "k", quota).await.is_some() {
        refused += 1;
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(begun.elapsed() < wait + Duration::from_secs(5), "refused {refused} times, and still");
    }
}

pub(crate) async fn keys_do_not_meet(store: Store) {
    let quota = quota(1, 1);
    let long = "k".repeat(300);
    for key in ["a", "A", "a:b", "会话", "it's", "127.0.0.1", "[::1]:80", "a ", long.as_str()] {
        assert_eq!(take(&store, key, quota).await, None, "{key}");
    }
}

pub(crate) async fn takes_at_once_share_one_burst(store: Store) {
    let begun = Instant::now();
    let takers = (0..16).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { take(&store, "k", quota(1, 5)).await })
    });
    let mut allowed = 0;
    for taker in takers.collect::<Vec<_>>() {
        allowed += u64::from(taker.await.unwrap().is_none());
    }
    assert!((5..=6 + begun.elapsed().as_secs()).contains(&allowed), "{allowed} allowed");
}

pub(crate) async fn the_long_run_keeps_the_rate(store: Store) {
    let quota = quota(50, 5);
    let begun = Instant::now();
    let mut allowed = 0.0;
    while begun.elapsed() < Duration::from_millis(600) {
        match take(&store, "k", quota).await {
            None => allowed += 1.0,
            Some(wait) => tokio::time::sleep(wait.min(Duration::from_millis(20))).await,
        }
    }
    let most = 5.0 + 50.0 * begun.elapsed().as_secs_f64() + 1.0;
    assert!(allowed >= 5.0 && allowed <= most, "{allowed} allowed, at most {most}");
}
