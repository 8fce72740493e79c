//! What this node knows of one run: where it is, its newest events, and the lease to write it.
//!
//! The newest events are a copy of rows that are durable already, kept so that a thousand readers of one turn do not ask
//! the store a thousand times. Where the copy does not reach back far enough, the store is asked.

use crate::store::{Entry, Head, Lease};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A run that somebody on this node reads or writes.
#[derive(Debug)]
pub(super) struct Run {
    /// Its name.
    pub id: Arc<str>,
    /// Who writes waits here for the one before.
    pub writing: tokio::sync::Mutex<Option<Lease>>,
    /// Cancelled when it is removed: names are not used again.
    pub removed: CancellationToken,
    head: watch::Sender<Head>,
    tail: Mutex<Tail>,
}

#[derive(Debug, Default)]
struct Tail {
    entries: VecDeque<Entry>,
    bytes: usize,
}

impl Run {
    /// A run of which nothing is known yet.
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            writing: tokio::sync::Mutex::new(None),
            removed: CancellationToken::new(),
            head: watch::Sender::new(Head { oldest: 1, ..Head::default() }),
            tail: Mutex::default(),
        }
    }

    /// The head, and word when it moves.
    pub(super) fn subscribe(&self) -> watch::Receiver<Head> {
        self.head.subscribe()
    }

    /// Where the run is, as far as this node knows.
    pub(super) fn head(&self) -> Head {
        *self.head.borrow()
    }

    /// How many readers wait for the head.
    pub(super) fn readers(&self) -> usize {
        self.head.receiver_count()
    }

    /// Takes a head that was read from the store. One that is older than what is known changes nothing: two reads may
    /// overtake each other.
    pub(super) fn learn(&self, head: Head) {
        self.head.send_if_modified(|known| {
            let newer = (head.epoch, head.seq) > (known.epoch, known.seq);
            // What is gone stays gone, whichever of the two knows it.
            let oldest = known.oldest.max(head.oldest);
            let next = Head { oldest, ..if newer { head } else { *known } };
            std::mem::replace(known, next) != next
        });
    }

    /// Takes a head even where it is older: the store has lost what was known.
    pub(super) fn unlearn(&self, head: Head) {
        let mut tail = self.tail();
        *tail = Tail::default();
        self.head.send_if_modified(|known| std::mem::replace(known, head) != head);
    }

    /// Takes word that the oldest events are gone.
    pub(super) fn trimmed(&self, oldest: u64) {
        self.head.send_if_modified(|known| {
            known.oldest = known.oldest.max(oldest);
            false
        });
    }

    /// Takes events that are durable, and shows them.
    pub(super) fn publish(&self, entries: Vec<Entry>, head: Head) {
        self.remember(entries);
        self.learn(head);
    }

    /// Keeps events that follow the ones that are kept; others replace them.
    pub(super) fn remember(&self, entries: Vec<Entry>) {
        let mut tail = self.tail();
        let next = tail.entries.back().map(|last| last.id.seq + 1);
        if next.is_some() && next != entries.first().map(|first| first.id.seq) {
            *tail = Tail::default();
        }
        tail.bytes += entries.iter().map(|entry| entry.body.len()).sum::<usize>();
        tail.entries.extend(entries);
        while tail.entries.len() > MAX_ENTRIES || (tail.bytes > MAX_BYTES && tail.entries.len() > 1) {
            tail.bytes -= tail.entries.pop_front().map_or(0, |entry| entry.body.len());
        }
    }

    /// The events after a number, where they are kept and begin with the next.
    pub(super) fn recall(&self, after: u64, max: usize) -> Option<Vec<Entry>> {
        let tail = self.tail();
        let first = tail.entries.front()?.id.seq;
        let skip = usize::try_from((after + 1).checked_sub(first)?).ok()?;
        (skip < tail.entries.len()).then(|| tail.entries.iter().skip(skip).take(max).cloned().collect())
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many events of a run are kept.
const MAX_ENTRIES: usize = 256;
/// How many bytes of them.
const MAX_BYTES: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-3: a writer that never looked does not know what was trimmed; who did look must not forget it.
    #[test]
    fn what_was_trimmed_is_not_forgotten_for_news_that_do_not_know_it() {
        let run = Run::new("s");
        let head = |seq, oldest| Head { epoch: 1, seq, oldest, open: true };
        run.publish(Vec::new(), head(8, 1));
        run.learn(head(7, 5));
        assert_eq!(run.head(), head(8, 5), "the store's answer was on its way when the writer went on");
        run.publish(Vec::new(), head(9, 1));
        assert_eq!(run.head(), head(9, 5));
        run.unlearn(head(0, 1));
        assert_eq!(run.head(), head(0, 1), "a log that is gone starts over");
    }
}
