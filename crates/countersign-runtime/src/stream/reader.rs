//! One reader of a run: what was missed, in order, once; then what comes; then the end. One that follows goes on from
//! turn to turn and ends with the run or with the hub; the rules are the same.
//!
//! It pulls: as long as the other side does not take what it was given, nothing more is read, so a slow reader costs one
//! page of memory and harms nobody.

use super::cursor::{BadCursor, Plan, Start, Until, describe, plan};
use super::frame::{DONE, HEARTBEAT, Reset, write_event, write_reset};
use super::hub::{Hub, PAGE};
use super::planted::PlantedBug;
use super::run::Run;
use crate::store::{Entry, Head, StoreError};
use bytes::Bytes;
use countersign::contract::{EventId, Phase};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// What a reader is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// Whole frames.
    pub bytes: Bytes,
    /// The newest event in them.
    pub last: Option<EventId>,
    /// Whether they end the stream.
    pub end: bool,
}

/// A reader.
pub struct Reader {
    hub: Arc<Hub>,
    run: Arc<Run>,
    head: watch::Receiver<Head>,
    plan: Plan,
    /// The number of the last event that was given.
    at: u64,
    /// Whether the run was ever seen to hold something.
    begun: bool,
    /// How many events are read at once: fewer where they are large.
    page: usize,
    state: State,
    planted: Planted,
}

/// What a planted bug does to a reader; nothing, where there is none.
#[derive(Default)]
struct Planted {
    /// The log's end as it was before anybody asked to be told of more.
    stale: Option<Head>,
    /// All that was not taken.
    pumped: Option<mpsc::UnboundedReceiver<Frames>>,
}

/// What comes next.
enum More {
    /// Events that were not given yet.
    Events(Vec<Entry>),
    /// The reader starts over.
    Reset((Reset, String)),
    /// There will be no more.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is more to give, or more may come.
    Reading,
    /// The terminal event of the followed turn was given.
    Ending,
    /// `[DONE]` was given.
    Ended,
}

impl Hub {
    /// A reader of a run. It subscribes to the head before it looks where the run is: what is written in between
    /// is seen.
    pub async fn reader(self: &Arc<Self>, run: &str, start: Start) -> Result<Reader, BadCursor> {
        let run = self.run(run);
        let receiver = run.subscribe();
        let head = self.look(&run).await?;
        let plan = plan(self, &run, head, start).await?;
        let (hub, at, planted) = (Arc::clone(self), plan.after, Planted::default());
        let (begun, page, state) = (head.epoch > 0, FIRST_PAGE, State::Reading);
        let reader = Reader { hub, at, begun, run, head: receiver, plan, page, state, planted };
        Ok(reader.with_bug(head))
    }
}

impl Reader {
    /// The next frames; none after the end. A store that fails is asked again: the stream stays open with signs of life.
    pub async fn next(&mut self) -> Option<Frames> {
        match &mut self.planted.pumped {
            Some(pumped) => pumped.recv().await,
            None => self.pull().await,
        }
    }

    async fn pull(&mut self) -> Option<Frames> {
        if let Some((reset, timestamp)) = self.plan.reset.take() {
            return Some(self.reset(&reset, timestamp));
        }
        match self.state {
            State::Ended => None,
            State::Ending => Some(self.end()),
            State::Reading => Some(self.read().await),
        }
    }

    async fn read(&mut self) -> Frames {
        let heartbeat = self.hub.options.heartbeat;
        match timeout(heartbeat, self.more()).await {
            Err(_) if self.is_gone().await => self.end(),
            Err(_) => Frames { bytes: Bytes::from_static(HEARTBEAT), last: None, end: false },
            Ok(More::End) => self.end(),
            Ok(More::Events(entries)) => self.give(&entries),
            Ok(More::Reset(reset)) => self.reset(&reset.0, reset.1),
        }
    }

    fn reset(&self, reset: &Reset, timestamp: String) -> Frames {
        let mut out = Vec::new();
        write_reset(&mut out, &self.run.id, timestamp, reset);
        Frames { bytes: out.into(), last: None, end: false }
    }

    /// What comes next, as soon as it is there.
    async fn more(&mut self) -> More {
        loop {
            let head = self.planted.stale.unwrap_or_else(|| *self.head.borrow_and_update());
            // A run that was removed has not lost its history: there is no more of it.
            if self.plan.until == Until::Closed && self.run.removed.is_cancelled() {
                return More::End;
            }
            if head.seq < self.at
                && let Some(reset) = self.begin_anew(head).await
            {
                return More::Reset(reset);
            }
            let Some(bound) = self.find_bound(head) else {
                if !self.moved().await {
                    return More::End;
                }
                self.planted.stale = None;
                continue;
            };
            match self.page(bound).await {
                Ok(entries) if !entries.is_empty() => return More::Events(entries),
                Ok(_) => {
                    if let Some(reset) = self.look_again(bound).await {
                        return More::Reset(reset);
                    }
                }
                Err(error) => self.wait(&error).await,
            }
        }
    }

    /// Up to where there is something to give now.
    fn find_bound(&self, head: Head) -> Option<u64> {
        let bound = if self.plan.until == Until::Replayed { self.plan.replayed } else { head.seq };
        (bound > self.at).then_some(bound)
    }

    /// Waits until the head moves; false where nothing can come any more.
    async fn moved(&mut self) -> bool {
        match self.plan.until {
            Until::Replayed => false,
            Until::TurnEnds => self.head.changed().await.is_ok(),
            // What was written comes before the end.
            Until::Closed => tokio::select! {
                biased;
                moved = self.head.changed() => moved.is_ok(),
                // The head may have moved between the look at it and the look at the end.
                () = self.hub.closed.cancelled() => self.head.has_changed().unwrap_or(false),
                () = self.run.removed.cancelled() => false,
            },
        }
    }

    /// Whether another node has removed the run, of which nobody here is told.
    async fn is_gone(&self) -> bool {
        let asks = self.plan.until == Until::Closed && !self.hub.options.alone && self.begun;
        asks && self.hub.log.head(&self.run.id).await.is_ok_and(|head| head.epoch == 0)
    }

    async fn page(&mut self, bound: u64) -> Result<Vec<Entry>, StoreError> {
        let max = usize::try_from(bound - self.at).unwrap_or(PAGE).min(self.page);
        let mut entries = self.hub.read(&self.run, self.at, max).await?;
        // Trimmed under our feet, or holes: only what follows the last one densely may be given.
        let dense = entries.iter().zip(self.at + 1..).take_while(|(entry, seq)| entry.id.seq == *seq).count();
        entries.truncate(dense);
        let fits = fitting(&entries);
        self.page = if fits < entries.len() { fits } else { (self.page * 2).min(PAGE) };
        entries.truncate(fits);
        Ok(entries)
    }

    fn give(&mut self, entries: &[Entry]) -> Frames {
        let mut out = Vec::with_capacity(entries.iter().map(|entry| entry.body.len() + FRAME).sum());
        let mut last = None;
        for entry in entries {
            let phase = if entry.id.seq <= self.plan.replayed { Phase::Replay } else { Phase::Live };
            if self.hub.plant.gives(&self.run.id, entry.id.seq) {
                write_event(&mut out, entry, phase);
            }
            last = Some(entry.id);
            self.at = entry.id.seq;
            self.begun = true;
            if self.plan.until == Until::TurnEnds && phase == Phase::Live && entry.kind.is_terminal() {
                self.state = State::Ending;
                break;
            }
        }
        Frames { bytes: out.into(), last, end: false }
    }

    fn end(&mut self) -> Frames {
        self.state = State::Ended;
        Frames { bytes: Bytes::from_static(DONE), last: None, end: true }
    }

    /// The log ends before what this reader has: history is lost, and it is told so.
    async fn begin_anew(&mut self, head: Head) -> Option<(Reset, String)> {
        let reset = describe(&self.hub, &self.run, head, "history_lost").await.ok()?;
        self.plan.replayed = head.seq;
        if self.plan.until == Until::TurnEnds && !head.open {
            self.plan.until = Until::Replayed;
        }
        self.at = head.oldest - 1;
        Some(reset)
    }

    /// What the head promised is not there: the store is behind, was trimmed under our feet, or has lost it.
    async fn look_again(&mut self, promised: u64) -> Option<(Reset, String)> {
        tokio::time::sleep(AGAIN).await;
        let head = self.hub.log.head(&self.run.id).await.ok()?;
        // A log does not shrink: a head that was read after the promise and lies before it proves the loss.
        if head.seq < promised {
            self.run.unlearn(head);
        }
        if head.seq < self.at || head.oldest > self.at + 1 { self.begin_anew(head).await } else { None }
    }

    async fn wait(&self, error: &StoreError) {
        tracing::debug!(session = %self.run.id, %error, "a reader waits for the store");
        tokio::time::sleep(AGAIN).await;
    }
}

/// Bugs that tests plant.
impl Reader {
    fn with_bug(mut self, head: Head) -> Self {
        if self.hub.plant.is(PlantedBug::ReadBeforeSubscribe) {
            self.head = self.run.subscribe();
            self.planted.stale = Some(head);
        }
        if !self.hub.plant.is(PlantedBug::UnboundedChannel) {
            return self;
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let planted = Planted { pumped: Some(receiver), stale: None };
        let (hub, run, head) = (Arc::clone(&self.hub), Arc::clone(&self.run), self.head.clone());
        let (plan, at, begun, state) = (self.plan.clone(), self.at, self.begun, self.state);
        let outer = Self { hub, run, head, plan, at, begun, page: FIRST_PAGE, state, planted };
        tokio::spawn(async move {
            while let Some(frames) = self.pull().await {
                if sender.send(frames).is_err() {
                    return;
                }
            }
        });
        outer
    }
}

/// How many events may be given at once: as many as fit, and at least one.
fn fitting(entries: &[Entry]) -> usize {
    let mut bytes = 0;
    let fits = |entry: &&Entry| {
        bytes += entry.body.len();
        bytes <= PAGE_BYTES
    };
    entries.iter().take_while(fits).count().max(1)
}

/// How many events are read first; twice as many each time, as long as they are small.
const FIRST_PAGE: usize = 8;
/// So many bytes of events are given at once, unless a single one is larger: this is what a reader costs that does not
/// take what it is given.
const PAGE_BYTES: usize = 128 * 1024;
/// What a frame adds to the body of its event, about.
const FRAME: usize = 128;
/// How long a reader waits before it asks the store again.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(200);
