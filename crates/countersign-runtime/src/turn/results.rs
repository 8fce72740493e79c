//! Results that clients bring: who waits for which call.

use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// What a client brings.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// What the tool gave.
    pub content: Value,
    /// Whether it failed.
    pub is_error: bool,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    /// The turn has it.
    Taken,
    /// The call had its result already.
    Twice,
    /// Nobody waits for such a call.
    Unknown,
}

/// The calls that wait.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting {
    calls: Arc<Mutex<HashMap<Arc<str>, Calls>>>,
}

/// The calls of a session's turn.
#[derive(Debug, Default)]
struct Calls {
    open: HashMap<String, oneshot::Sender<ToolOutcome>>,
    answered: HashSet<String>,
}

impl Waiting {
    /// Waits for a call's result. The wait begins with this call, before anybody is told of it.
    pub(super) fn expect(&self, session: &Arc<str>, call_id: &str) -> oneshot::Receiver<ToolOutcome> {
        let (sender, receiver) = oneshot::channel();
        self.calls().entry(Arc::clone(session)).or_default().open.insert(call_id.to_owned(), sender);
        receiver
    }

    /// Brings a result.
    pub(super) fn deliver(&self, session: &str, call_id: &str, outcome: ToolOutcome) -> Delivered {
        let mut sessions = self.calls();
        let Some(calls) = sessions.get_mut(session) else { return Delivered::Unknown };
        match calls.open.remove(call_id) {
            Some(waiting) => {
                calls.answered.insert(call_id.to_owned());
                if waiting.send(outcome).is_ok() { Delivered::Taken } else { Delivered::Unknown }
            }
            None if calls.answered.contains(call_id) => Delivered::Twice,
            None => Delivered::Unknown,
        }
    }

    /// The turn is over: nobody waits any more.
    pub(super) fn forget(&self, session: &str) {
        self.calls().remove(session);
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<Arc<str>, Calls>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
