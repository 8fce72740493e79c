//! The emergency brake (STREAM-4): one, many or all sessions, at once, whatever store is unavailable.
//!
//! The view in memory is what turns look at, and it changes first; then the flag is written to this node's own store, then
//! to the shared ones. What could not be written is written later by `sync`, and because flags merge by union, no order of
//! these writes loses a stop.

use crate::store::{Flag, Flags, Hint, Hints, Scope, StoreError, merge_flags};
use crate::stream::now_millis;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::timeout;

/// The flags by what they stop.
type View = BTreeMap<Scope, Flag>;

/// The brake.
pub struct StopSwitch {
    view: watch::Sender<View>,
    own: FlagStore,
    shared: Vec<FlagStore>,
    hints: Option<Arc<dyn Hints>>,
}

/// Where flags are kept.
struct FlagStore {
    name: &'static str,
    flags: Arc<dyn Flags>,
    reached: AtomicBool,
}

/// Whether other nodes see this node's flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopMode {
    /// They do.
    Shared,
    /// They do not: the flags hold here.
    MemoryOnly,
}

/// What is stopped.
#[derive(Debug, Clone, Serialize)]
pub struct StopState {
    /// The flags that are up.
    pub flags: Vec<StopFlag>,
    /// Whether Redis is configured and answers.
    pub redis_available: bool,
    /// Whether other nodes see the flags.
    pub mode: StopMode,
    /// Whether the flags outlive a restart.
    pub durable: bool,
}

/// A flag that is up.
#[derive(Debug, Clone, Serialize)]
pub struct StopFlag {
    /// `all` or `session`.
    pub scope: &'static str,
    /// The session, for a session's flag.
    pub session_id: Option<String>,
    /// When it was raised, in RFC 3339.
    pub since: String,
    /// How often it was raised: clearing needs to have seen the newest.
    pub epoch: u64,
}

impl StopSwitch {
    /// A brake over this node's own store and the shared ones (`("redis", …)`, `("postgres", …)`).
    pub fn new(
        own: Arc<dyn Flags>,
        shared: Vec<(&'static str, Arc<dyn Flags>)>,
        hints: Option<Arc<dyn Hints>>,
    ) -> Arc<Self> {
        let place = |name, flags| FlagStore { name, flags, reached: AtomicBool::new(true) };
        Arc::new(Self {
            view: watch::Sender::new(View::new()),
            own: place("own", own),
            shared: shared.into_iter().map(|(name, flags)| place(name, flags)).collect(),
            hints,
        })
    }

    /// Raises flags. They hold at once; when this returns they are as durable as the stores allow.
    pub async fn raise(&self, scopes: &[Scope]) {
        let at = now_millis();
        self.change(scopes, |flag| {
            if !flag.is_up() {
                flag.raised = flag.cleared + 1;
                flag.at = at;
            }
        })
        .await;
    }

    /// Clears flags. What was never raised, here or elsewhere, leaves no trace.
    pub async fn clear(&self, scopes: &[Scope]) {
        let mut known = self.known(scopes);
        if known.len() < scopes.len() {
            self.sync().await;
            known = self.known(scopes);
        }
        if !known.is_empty() {
            self.change(&known, |flag| flag.cleared = flag.raised).await;
        }
    }

    fn known(&self, scopes: &[Scope]) -> Vec<Scope> {
        let view = self.view.borrow();
        scopes.iter().filter(|scope| view.contains_key(scope)).cloned().collect()
    }

    async fn change(&self, scopes: &[Scope], change: impl Fn(&mut Flag)) {
        self.view.send_modify(|view| {
            for scope in scopes {
                let none = || Flag { scope: scope.clone(), raised: 0, cleared: 0, at: 0 };
                change(view.entry(scope.clone()).or_insert_with(none));
            }
        });
        self.sync().await;
        if let Some(hints) = &self.hints {
            hints.announce(Hint::Flags);
        }
    }

    /// Merges what is known here with what is kept, both ways.
    pub async fn sync(&self) {
        for place in std::iter::once(&self.own).chain(&self.shared) {
            let known: Vec<_> = self.view.borrow().values().cloned().collect();
            let merged = timeout(DEADLINE, place.flags.merge(&known)).await;
            let merged = merged
                .unwrap_or_else(|_| Err(StoreError::Away { store: place.name, cause: "no answer in time".to_owned() }));
            let before = place.reached.swap(merged.is_ok(), Ordering::Relaxed);
            match merged {
                Ok(flags) => self.learn(&flags),
                // Said once, not with every try.
                Err(error) if before => tracing::warn!(store = place.name, %error, "stop flags are kept in memory"),
                Err(_) => {}
            }
        }
    }

    fn learn(&self, flags: &[Flag]) {
        self.view.send_if_modified(|view| {
            let before = view.clone();
            merge_flags(view, flags);
            *view != before
        });
    }

    /// Keeps this node and the others in step until it is dropped.
    pub async fn watch(self: Arc<Self>) {
        let mut hints = self.hints.as_ref().map(|hints| hints.listen());
        loop {
            tokio::select! {
                () = wait_for_hint(&mut hints) => {}
                () = tokio::time::sleep(EVERY) => {}
            }
            let missed = !self.own.reached.load(Ordering::Relaxed);
            if missed || !self.shared.is_empty() {
                self.sync().await;
            }
        }
    }

    /// Whether a session is stopped.
    pub fn is_stopped(&self, session: &str) -> bool {
        stops(&self.view.borrow(), session)
    }

    /// Waits until a session is stopped.
    pub async fn stopped(&self, session: &str) {
        let mut view = self.view.subscribe();
        // The sender lives as long as this brake does.
        let _ = view.wait_for(|view| stops(view, session)).await;
    }

    /// What is stopped. Never fails.
    pub fn state(&self) -> StopState {
        let up = |flag: &&Flag| flag.is_up();
        let flags = self.view.borrow().values().filter(up).map(show).collect();
        let reached = |place: &FlagStore| place.reached.load(Ordering::Relaxed);
        let redis_available = self.shared.iter().any(|place| place.name == "redis" && reached(place));
        let shared = !self.shared.is_empty() && self.shared.iter().any(reached);
        let mode = if shared { StopMode::Shared } else { StopMode::MemoryOnly };
        let durable = shared || (reached(&self.own) && self.own.flags.is_durable());
        StopState { flags, redis_available, mode, durable }
    }
}

fn stops(view: &View, session: &str) -> bool {
    let up = |scope: &Scope| view.get(scope).is_some_and(Flag::is_up);
    up(&Scope::All) || up(&Scope::Session(session.to_owned()))
}

fn show(flag: &Flag) -> StopFlag {
    let (scope, session_id) = match &flag.scope {
        Scope::All => ("all", None),
        Scope::Session(id) => ("session", Some(id.clone())),
    };
    StopFlag { scope, session_id, since: crate::stream::timestamp(flag.at), epoch: flag.raised }
}

/// Waits for word that a flag has changed, or that word may have been missed.
async fn wait_for_hint(hints: &mut Option<broadcast::Receiver<Hint>>) {
    let Some(receiver) = hints else { return std::future::pending().await };
    loop {
        match receiver.recv().await {
            Ok(Hint::Flags | Hint::All) | Err(broadcast::error::RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
        }
    }
}

/// How long a store has to take flags.
const DEADLINE: Duration = Duration::from_secs(2);
/// How often nodes look at each other's flags.
const EVERY: Duration = Duration::from_millis(500);
