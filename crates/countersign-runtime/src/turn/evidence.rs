//! What tools said before: kept for a while, so that the same look is not taken twice.
//!
//! Only of tools that read, only what they said without error or suspicion, and only for the one for whom they said it.

use crate::sessions::Session;
use countersign::contract::digest::arguments_digest;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Evidence by tool and arguments.
#[derive(Debug)]
pub(super) struct EvidenceCache {
    age: Duration,
    kept: Mutex<HashMap<String, (Instant, Value)>>,
}

impl EvidenceCache {
    /// Evidence that is used for so long; never where that is no time at all.
    pub(super) fn new(age: Duration) -> Self {
        Self { age, kept: Mutex::default() }
    }

    /// What a tool said to these arguments not too long ago.
    pub(super) fn find(&self, session: &Session, tool: &str, arguments: &Value) -> Option<Value> {
        let kept = self.kept();
        let (at, content) = kept.get(&key(session, tool, arguments))?;
        (at.elapsed() < self.age).then(|| content.clone())
    }

    /// Keeps what a tool said.
    pub(super) fn keep(&self, session: &Session, tool: &str, arguments: &Value, content: &Value) {
        if self.age.is_zero() || content.to_string().len() > LARGEST {
            return;
        }
        let mut kept = self.kept();
        if kept.len() >= MOST {
            kept.retain(|_, (at, _)| at.elapsed() < self.age);
        }
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(key(session, tool, arguments), (Instant::now(), content.clone()));
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, (Instant, Value)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose it is counts: what one user may see is not shown to another.
fn key(session: &Session, tool: &str, arguments: &Value) -> String {
    let whose = match &session.user {
        Some(user) => json!([session.caller, user]),
        None => json!([session.caller, null, session.session_id]),
    };
    arguments_digest(&json!([whose, session.context, tool, arguments]))
}

/// So much evidence is kept.
const MOST: usize = 1000;
/// Evidence larger than this is not kept, in bytes of JSON.
const LARGEST: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn session(user: Option<&str>) -> Session {
        Session {
            session_id: "ses_1".to_owned(),
            agent: "rewoo".to_owned(),
            user: user.map(str::to_owned),
            caller: String::new(),
            model: None,
            tools: Vec::new(),
            context: Value::Null,
            created_at: 0,
        }
    }

    // STREAM-7: an evidence cache keyed by tool and arguments, with an age limit.
    #[tokio::test(start_paused = true)]
    async fn evidence_is_found_for_the_same_tool_arguments_and_user_while_it_is_young() {
        let cache = EvidenceCache::new(Duration::from_secs(60));
        let (ann, bob) = (session(Some("ann")), session(Some("bob")));
        cache.keep(&ann, "look", &json!({"a": 1, "b": 2}), &json!("seen"));
        assert_eq!(cache.find(&ann, "look", &json!({"b": 2, "a": 1})), Some(json!("seen")));
        assert_eq!(cache.find(&ann, "look", &json!({"a": 1})), None);
        assert_eq!(cache.find(&ann, "peek", &json!({"a": 1, "b": 2})), None);
        assert_eq!(cache.find(&bob, "look", &json!({"a": 1, "b": 2})), None);
        tokio::time::advance(Duration::from_secs(61)).await;
        assert_eq!(cache.find(&ann, "look", &json!({"a": 1, "b": 2})), None);
    }
}
