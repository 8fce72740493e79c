//! Looks that nobody asked for (CLAIM-3): beside the stream, after what they look at was said.
//!
//! Whoever began one waits for a moment, so that a reader of an open stream normally sees what became of the claims. What
//! takes longer goes on and writes to the log when it is done. At the end of the process those that still run are ended;
//! their claims stay as they were, which is never wrong.

use super::facts::{Look, Occasion, SessionClaims, SessionFacts};
use crate::factcheck::{Again, FactCheck};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A look that goes on by itself.
#[derive(Debug, Clone)]
pub struct CheckUnderWay {
    done: CancellationToken,
}

impl CheckUnderWay {
    /// Waits until it is done, and not for long.
    pub async fn wait(&self) {
        // What is late is told by the log.
        let _ = tokio::time::timeout(SHORTLY, self.done.cancelled()).await;
    }
}

impl SessionClaims {
    /// Begins a look at the claims of a session. One that has not begun yet is enough for all who want one.
    pub fn check_soon(self: &Arc<Self>, session: &str, node: Arc<FactCheck>) -> CheckUnderWay {
        let facts = self.facts(session);
        let mut queued = facts.queued.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(done) = &*queued {
            return CheckUnderWay { done: done.clone() };
        }
        let done = CancellationToken::new();
        *queued = Some(done.clone());
        drop(queued);
        let (claims, session, finished) = (Arc::clone(self), session.to_owned(), done.clone().drop_guard());
        self.running.spawn(async move {
            tokio::select! {
                biased;
                () = claims.shutdown.cancelled() => {}
                () = claims.check_queued(&session, &facts, node) => {}
            }
            drop(finished);
        });
        CheckUnderWay { done }
    }

    async fn check_queued(&self, session: &str, facts: &SessionFacts, node: Arc<FactCheck>) {
        let look = Look { node, vouched: Vec::new(), again: Again::LeaveSettled, occasion: Occasion::Message };
        let begun = || drop(facts.queued.lock().unwrap_or_else(PoisonError::into_inner).take());
        match self.look_up(session, facts, look, begun).await {
            Ok(report) if report.troubles.is_empty() => {}
            Ok(report) => tracing::warn!(session, troubles = ?report.troubles, "some sources could not be asked"),
            // The claims stay as they were, which is never wrong.
            Err(error) => tracing::warn!(session, %error, "claims were not looked up"),
        }
    }

    /// Waits for the looks that run, and ends those that take longer than this.
    pub async fn shut_down(&self, grace: Duration) {
        self.running.close();
        if tokio::time::timeout(grace, self.running.wait()).await.is_err() {
            self.shutdown.cancel();
            self.running.wait().await;
        }
    }
}

/// How long whoever began a look waits for it: local sources take some milliseconds, a model takes seconds.
const SHORTLY: Duration = Duration::from_millis(300);
