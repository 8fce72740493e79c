//! What happened in sessions, counted once: ends of turns and claims, as their logs tell them.
//!
//! Counting a log means reading it, and a session's log only grows. What was counted is kept in memory, so that a look at
//! the figures reads no event twice; most events are text, of which nothing but the kind is read. The log stays the truth:
//! what it has forgotten is forgotten here.

use countersign::contract::EventType;
use countersign_runtime::store::{Entry, StoreError};
use countersign_runtime::stream::Hub;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The tallies of all sessions that were asked for.
#[derive(Default)]
pub(crate) struct Tallies {
    known: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Tally>>>>,
}

/// What happened in a session, in order.
#[derive(Default)]
pub(super) struct Tally {
    seq: u64,
    facts: Vec<Fact>,
}

/// Something that is counted.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    seq: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub what: What,
}

/// What is counted.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A turn ended so.
    End(&'static str),
    /// A claim of this kind was made.
    Claim(Arc<str>),
}

impl Tallies {
    /// Tells of everything that a session's log holds.
    pub(crate) async fn each(&self, hub: &Hub, session: &str, mut tell: impl FnMut(&Fact)) -> Result<(), StoreError> {
        let tally = self.of(session);
        let mut tally = tally.lock().await;
        tally.catch_up(hub, session).await?;
        tally.facts.iter().for_each(&mut tell);
        Ok(())
    }

    fn of(&self, session: &str) -> Arc<tokio::sync::Mutex<Tally>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(session) {
            known.clear();
        }
        Arc::clone(known.entry(session.to_owned()).or_default())
    }
}

impl Tally {
    async fn catch_up(&mut self, hub: &Hub, session: &str) -> Result<(), StoreError> {
        let head = hub.head(session).await?;
        if head.seq < self.seq {
            *self = Self::default();
        }
        self.facts.retain(|fact| fact.seq >= head.oldest);
        while self.seq < head.seq {
            let page = hub.history(session, self.seq, PAGE).await?;
            let Some(last) = page.last() else { break };
            self.seq = last.id.seq;
            page.iter().for_each(|entry| self.take(entry));
        }
        Ok(())
    }

    fn take(&mut self, entry: &Entry) {
        let mut add = |what| self.facts.push(Fact { seq: entry.id.seq, at: entry.at, what });
        match entry.kind {
            EventType::Completed | EventType::Failed | EventType::Stopped | EventType::Lost => {
                add(What::End(entry.kind.name()));
            }
            EventType::Message => {
                let message = serde_json::from_str::<Message<'_>>(&entry.body).unwrap_or_default();
                message.payload.claims.into_iter().for_each(|claim| add(What::Claim(claim.kind.into())));
            }
            _ => {}
        }
    }
}

/// What is read of a message.
#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    payload: Claims<'a>,
}

#[derive(Default, Deserialize)]
struct Claims<'a> {
    #[serde(borrow, default)]
    claims: Vec<Claim<'a>>,
}

#[derive(Deserialize)]
struct Claim<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
}

/// The tallies of so many sessions are kept.
const MOST: usize = 4096;
/// So many events are read together.
const PAGE: usize = 2000;
