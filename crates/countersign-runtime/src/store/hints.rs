//! Word from other nodes that something is new. A hint is never the news itself: whoever hears it reads the store, and
//! whoever misses it reads the store a moment later anyway.

use std::sync::Arc;
use tokio::sync::broadcast;

/// Something is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// A run has more events, or its turn has ended.
    Run(Arc<str>),
    /// A stop flag was raised or cleared.
    Flags,
    /// A review was made or decided.
    Review(Arc<str>),
    /// Hints may have been missed: look at everything.
    All,
}

/// A way to pass hints between nodes.
pub trait Hints: Send + Sync {
    /// Tells the others, if they can be reached; never waits.
    fn announce(&self, hint: Hint);

    /// What the others tell from now on.
    fn listen(&self) -> broadcast::Receiver<Hint>;
}
