//! How often somebody may ask: a quota for each key, shared between nodes where there is a shared limiter.
//!
//! This is the one thing that fails open, and not far: where the shared limiter is unavailable or slow, requests continue under a
//! local limit, this node's share of the quota, and people are told. The shared one is tried again after a moment, so
//! that its absence does not cost every request a wait.

use countersign_runtime::alerts::{Alert, AlertKind, Alerts};
use countersign_runtime::metrics::Metrics;
use countersign_runtime::store::memory::MemoryLimiter;
use countersign_runtime::store::{Limiter, Quota, Taken};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Peer(pub SocketAddr);

impl Peer {
    /// Whose it is: an address, or the network of one where everybody has more addresses than can be counted.
    fn place(self) -> String {
        match self.0.ip().to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [one, two, three, four, ..] = address.segments();
                format!("{one:x}:{two:x}:{three:x}:{four:x}::/64")
            }
        }
    }
}

/// The limit on requests.
pub(crate) struct Limits {
    quota: Option<Quota>,
    /// How often a wrong key may be tried.
    guesses: Quota,
    guessed: MemoryLimiter,
    local: MemoryLimiter,
    shared: Option<Arc<dyn Limiter>>,
    /// Until when the shared limiter is not asked, in milliseconds since `began`.
    away_until: AtomicU64,
    began: Instant,
    alerts: Alerts,
    metrics: Arc<Metrics>,
}

impl Limits {
    /// So many requests per second and key; `None` means any number.
    pub(crate) fn new(
        per_second: Option<NonZeroU32>,
        shared: Option<Arc<dyn Limiter>>,
        alerts: Alerts,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            quota: per_second.map(|limit| Quota { per_second: limit, burst: limit }),
            guesses: per_second.map_or(GUESSES, |limit| Quota { per_second: limit, burst: limit }),
            guessed: MemoryLimiter::default(),
            local: MemoryLimiter::default(),
            shared,
            away_until: AtomicU64::new(0),
            began: Instant::now(),
            alerts,
            metrics,
        }
    }

    /// Whether requests are limited at all.
    pub(crate) fn is_on(&self) -> bool {
        self.quota.is_some()
    }

    /// Takes one from somebody's quota; the error is how long they must wait.
    pub(crate) async fn take(&self, who: &str) -> Result<(), Duration> {
        let Some(quota) = self.quota else { return Ok(()) };
        let taken = match &self.shared {
            Some(shared) if self.elapsed_millis() >= self.away_until.load(Ordering::Relaxed) => {
                match tokio::time::timeout(DEADLINE, shared.take(who, quota)).await {
                    Ok(Ok(taken)) => taken,
                    Ok(Err(error)) => self.take_locally(who, quota, &error.to_string()),
                    Err(_) => self.take_locally(who, quota, "it does not answer in time"),
                }
            }
            Some(_) => self.take_here(who, quota),
            None => self.local.take_at(who, quota, Instant::now()),
        };
        match taken {
            Taken::Allowed => Ok(()),
            Taken::Refused { retry_after } => {
                self.note_refusal(who, quota);
                Err(retry_after)
            }
        }
    }

    /// Notes a wrong key; the error is how long whoever sent it must wait. Right keys are never asked for this: one that is
    /// strong cannot be found by trying, and whoever shares an address with somebody who tries must not suffer for it.
    pub(crate) fn guess(&self, peer: Option<Peer>) -> Result<(), Duration> {
        let place = peer.map_or_else(|| "nobody".to_owned(), Peer::place);
        match self.guessed.take_at(&place, self.guesses, Instant::now()) {
            Taken::Allowed => Ok(()),
            Taken::Refused { retry_after } => {
                self.metrics.limited.add_one();
                let text = format!("{place} sends wrong keys, more than {} at once", self.guesses.burst);
                self.alerts.raise(Alert { kind: AlertKind::OverLimit, subject: place, text });
                Err(retry_after)
            }
        }
    }

    /// The shared limiter has failed: this node counts alone for a moment.
    fn take_locally(&self, who: &str, quota: Quota, reason: &str) -> Taken {
        self.away_until.store(self.elapsed_millis() + PAUSE_MILLIS, Ordering::Relaxed);
        self.alerts.raise(Alert {
            kind: AlertKind::LimiterAway,
            subject: "limiter".to_owned(),
            text: format!("the shared limiter is unavailable ({reason}); requests continue under a local limit"),
        });
        self.take_here(who, quota)
    }

    fn take_here(&self, who: &str, quota: Quota) -> Taken {
        self.metrics.limiter_fallbacks.add_one();
        self.local.take_at(who, quota, Instant::now())
    }

    fn note_refusal(&self, who: &str, quota: Quota) {
        self.metrics.limited.add_one();
        self.alerts.raise(Alert {
            kind: AlertKind::OverLimit,
            subject: who.to_owned(),
            text: format!("{who} asks more than {} times a second", quota.per_second),
        });
    }

    fn elapsed_millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Wrong keys from one place where no limit is set: so many at once, and so many a second after that.
const GUESSES: Quota =
    Quota { per_second: NonZeroU32::MIN.saturating_add(1), burst: NonZeroU32::MIN.saturating_add(119) };
/// How long the shared limiter may take.
const DEADLINE: Duration = Duration::from_millis(250);
/// How long it is left alone after a failure.
const PAUSE_MILLIS: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_runtime::alerts::{AlertOptions, Target, TargetKind};
    use countersign_runtime::redact::Redactor;
    use countersign_runtime::store::StoreError;
    use futures_util::future::BoxFuture;
    use tokio::io::AsyncReadExt;

    struct Away;

    impl Limiter for Away {
        fn take<'a, 'b, 'c>(&'a self, _: &'b str, _: Quota) -> BoxFuture<'c, Result<Taken, StoreError>>
        where
            'a: 'c,
            'b: 'c,
            Self: 'c,
        {
            Box::pin(async { Err(StoreError::Away { store: "redis", cause: "killed".to_owned() }) })
        }
    }

    fn limits(limit: u32, shared: Option<Arc<dyn Limiter>>, alerts: Alerts) -> Limits {
        Limits::new(NonZeroU32::new(limit), shared, alerts, Arc::default())
    }

    // SERVE-1, SERVE-2, T37: the limiter's store away, requests continue under a local limit, and people are told.
    #[tokio::test]
    async fn without_the_shared_limiter_this_node_counts_alone() {
        let hook = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", hook.local_addr().unwrap());
        let target = Target::Hook { kind: TargetKind::Webhook, url };
        let alerts = Alerts::start(vec![target], AlertOptions::default(), Redactor::default());
        let limits = limits(4, Some(Arc::new(Away)), alerts);
        let mut allowed = 0;
        for _ in 0..10 {
            allowed += u32::from(limits.take("key_1").await.is_ok());
        }
        assert_eq!(allowed, 4);
        assert_eq!(limits.metrics.limiter_fallbacks.value(), 10);
        let (mut told, _) = tokio::time::timeout(Duration::from_secs(5), hook.accept()).await.unwrap().unwrap();
        let mut words = Vec::new();
        while !String::from_utf8_lossy(&words).contains("limiter_away") {
            assert!(told.read_buf(&mut words).await.unwrap() > 0, "{}", String::from_utf8_lossy(&words));
        }
    }

    // SERVE-1
    #[tokio::test]
    async fn each_has_their_own_quota_and_the_wait_is_honest() {
        let limits = limits(2, None, Alerts::silent());
        assert!(limits.take("a").await.is_ok() && limits.take("a").await.is_ok());
        let wait = limits.take("a").await.unwrap_err();
        assert!(wait > Duration::ZERO && wait <= Duration::from_millis(500), "{wait:?}");
        assert!(limits.take("b").await.is_ok());
        tokio::time::sleep(wait).await;
        assert!(limits.take("a").await.is_ok());
    }

    // SERVE-1: wrong keys are counted by where they come from, and a network of many addresses is one place.
    #[test]
    fn guesses_are_counted_by_place() {
        let limits = limits(2, None, Alerts::silent());
        let from = |address: &str| limits.guess(Some(Peer(address.parse().unwrap()))).is_ok();
        assert!(from("10.0.0.1:1") && from("10.0.0.1:2") && !from("10.0.0.1:3"));
        assert!(from("[::ffff:10.0.0.2]:1") && from("10.0.0.2:2") && !from("10.0.0.2:3"), "one address, written twice");
        assert!(from("[2001:db8::1]:1") && from("[2001:db8::2]:1") && !from("[2001:db8::3]:1"));
        assert!(from("[2001:db8:0:1::1]:1"), "another network");
    }
}
