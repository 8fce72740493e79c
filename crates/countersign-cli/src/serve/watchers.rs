//! Reviewers that watch the queue: a call on the drop-in routes waits only for somebody who may decide on it.

use crate::config::OwnReviews;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who watches.
#[derive(Debug)]
pub(crate) struct Watchers {
    /// How many streams each key reads; without keys all are nobody's.
    streams: Mutex<HashMap<Option<Arc<str>>, usize>>,
    own: OwnReviews,
}

/// One that watches, until it is dropped.
#[derive(Debug)]
pub(crate) struct Watching {
    watchers: Arc<Watchers>,
    key: Option<Arc<str>>,
}

impl Watchers {
    /// Nobody yet.
    pub(crate) fn new(own: OwnReviews) -> Self {
        Self { streams: Mutex::default(), own }
    }

    /// Somebody with a key begins to watch.
    pub(crate) fn watch(self: &Arc<Self>, key: Option<Arc<str>>) -> Watching {
        *self.streams().entry(key.clone()).or_default() += 1;
        Watching { watchers: Arc::clone(self), key }
    }

    /// Whether one of them may decide on a caller's calls.
    pub(crate) fn has_one_for(&self, caller: &str) -> bool {
        let may = |key: &Option<Arc<str>>| self.own == OwnReviews::Allow || key.as_deref() != Some(caller);
        self.streams().keys().any(may)
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<Option<Arc<str>>, usize>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut streams = self.watchers.streams();
        if let Some(count) = streams.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                streams.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // REVIEW-2
    #[test]
    fn a_call_waits_for_somebody_who_may_decide() {
        let watchers = Arc::new(Watchers::new(OwnReviews::Deny));
        assert!(!watchers.has_one_for("key_1"));
        let own = watchers.watch(Some("key_1".into()));
        assert!(!watchers.has_one_for("key_1") && watchers.has_one_for("key_2"));
        let (one, two) = (watchers.watch(Some("key_2".into())), watchers.watch(Some("key_2".into())));
        drop(one);
        assert!(watchers.has_one_for("key_1"));
        drop((two, own));
        assert!(!watchers.has_one_for("key_1") && !watchers.has_one_for("key_3"));
        let open = watchers.watch(None);
        assert!(watchers.has_one_for("anyone"));
        drop(open);
        let lenient = Arc::new(Watchers::new(OwnReviews::Allow));
        let _own = lenient.watch(Some("key_1".into()));
        assert!(lenient.has_one_for("key_1"));
    }
}
