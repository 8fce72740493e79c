//! Nodes that have died, and news from those that live.
//!
//! Each node raises its beat in the store. Whoever sees a beat that has not moved for a whole lease, measured with its own
//! monotonic clock, takes the dead node's open runs by compare-and-set and ends their turns with `lost`. The dead one, if
//! it was only asleep, finds itself fenced.

use super::draft::Draft;
use super::hub::Hub;
use super::planted::PlantedBug;
use crate::store::{Append, Appended, Head, Hint, Lease, OpenRun, StoreError, TurnMark};
use countersign::contract::{ContentType, EventId, EventType};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::time::Instant;

/// What was seen of the nodes' beats.
#[derive(Default)]
struct Seen {
    /// The beat of each, and since when it has not moved.
    nodes: HashMap<String, (u64, Instant)>,
    /// When they were last looked at.
    looked: Option<Instant>,
}

impl Seen {
    /// Takes what the store says. Where it could not be asked for a while the silence starts over: no node could raise its
    /// beat then, and a store that was unavailable must not pass for the death of those who waited for it.
    fn take(&mut self, beats: Vec<(String, u64)>, longest_gap: Duration) {
        if self.looked.is_none_or(|at| at.elapsed() > longest_gap) {
            self.nodes.clear();
        }
        self.looked = Some(Instant::now());
        self.nodes.retain(|node, _| beats.iter().any(|(beating, _)| beating == node));
        for (node, beat) in beats {
            let known = self.nodes.entry(node).or_insert_with(|| (beat, Instant::now()));
            if known.0 != beat {
                *known = (beat, Instant::now());
            }
        }
    }
}

impl Hub {
    /// Ends the turns whose writers cannot be alive. With a log of our own this is every open run of another process.
    pub async fn sweep_at_start(&self) -> Result<usize, StoreError> {
        if !self.options.alone || self.plant.is(PlantedBug::NoSweeper) {
            return Ok(0);
        }
        let dead = self.log.open_runs().await?.into_iter().filter(|run| run.owner.node != self.options.owner.node);
        self.end_lost(dead.collect()).await
    }

    /// Watches until it is dropped: beats, sweeps, and tells readers of runs that others write.
    pub async fn watch(self: Arc<Self>) {
        let mut seen = Seen::default();
        let step = (self.options.lease / 5).min(Duration::from_millis(500));
        let sweep = async {
            let mut beaten = None::<Instant>;
            loop {
                if beaten.is_none_or(|at| at.elapsed() >= self.options.lease / 3) {
                    let raised = self.log.beat(&self.options.owner).await;
                    beaten = raised.is_ok().then(Instant::now);
                    self.warn(raised);
                }
                self.warn(self.sweep(&mut seen).await);
                self.warn(self.end_doubtful().await);
                tokio::time::sleep(step).await;
            }
        };
        tokio::join!(sweep, self.follow_others());
    }

    /// Ends the turns of nodes that have been silent for a lease.
    async fn sweep(&self, seen: &mut Seen) -> Result<usize, StoreError> {
        if self.plant.is(PlantedBug::NoSweeper) {
            return Ok(0);
        }
        let beats = self.log.beats().await;
        if beats.is_err() {
            seen.looked = None;
        }
        seen.take(beats?, self.options.lease / 2);
        let seen = &seen.nodes;
        let silent = |run: &OpenRun| {
            let at = seen.get(&run.owner.node);
            run.owner.node != self.options.owner.node
                && (self.options.alone || at.is_some_and(|(_, since)| since.elapsed() >= self.options.lease))
        };
        if !self.options.alone && !seen.values().any(|(_, since)| since.elapsed() >= self.options.lease) {
            return Ok(0);
        }
        self.end_lost(self.log.open_runs().await?.into_iter().filter(silent).collect()).await
    }

    async fn end_lost(&self, dead: Vec<OpenRun>) -> Result<usize, StoreError> {
        let mut ended = 0;
        for open in dead {
            // Whatever breaks off between here and the end leaves the run open in our name.
            self.doubt(&open.run);
            let Some(lease) = self.log.seize(&open.run, open.epoch, &self.options.owner).await? else { continue };
            // It was only asleep, and has ended its turn itself since we looked: one terminal event is enough.
            if !lease.open {
                self.settle(&open.run);
                continue;
            }
            if self.rescue(&open.run, &lease).await? {
                continue;
            }
            let fields = json!({"reason": "writer_lost", "message": "the process that wrote this turn has died"});
            let draft = Draft::new(EventType::Lost, "countersign", ContentType::Json, fields);
            let id = EventId { epoch: lease.epoch, seq: lease.seq + 1 };
            let entry = draft.entry(&open.run, id, super::draft::now_millis());
            let (run, entries) = (Arc::clone(&open.run), vec![entry]);
            let append = Append { run, epoch: lease.epoch, after: lease.seq, entries, turn: TurnMark::Close };
            if matches!(self.log.append(append).await?, Appended::Done | Appended::Duplicate) {
                self.settle(&open.run);
                ended += 1;
                self.options.metrics.turns.of(["lost"]).add_one();
                tracing::warn!(session = %open.run, node = %open.owner.node, "a turn has lost its writer");
                self.look(&self.run(&open.run)).await?;
                if let Some(hints) = &self.hints {
                    hints.announce(Hint::Run(open.run));
                }
            }
        }
        Ok(ended)
    }

    /// Has a turn taken up that can go on without its writer.
    async fn rescue(&self, name: &Arc<str>, lease: &Lease) -> Result<bool, StoreError> {
        let Some(rescuer) = self.rescuer() else { return Ok(false) };
        if !rescuer.can_go_on(name).await? {
            return Ok(false);
        }
        let run = self.run(name);
        *run.writing.lock().await = Some(lease.clone());
        run.learn(Head { epoch: lease.epoch, seq: lease.seq, oldest: run.head().oldest, open: true });
        self.settle(name);
        tracing::info!(session = %name, "a turn that waits for a person goes on");
        // The run is held here, with its lease, until its writer has it.
        let going_on = rescuer.go_on(Arc::clone(name), lease.epoch);
        tokio::spawn(async move {
            going_on.await;
            drop(run);
        });
        Ok(true)
    }

    /// Ends turns that are open in our name and that nobody here writes: they were opened or taken over by a request whose
    /// answer was lost.
    async fn end_doubtful(&self) -> Result<(), StoreError> {
        for (name, since) in self.doubtful() {
            let run = self.run(&name);
            // Somebody is writing, and will know more.
            let Ok(mut writing) = run.writing.try_lock() else { continue };
            if !self.log.head(&name).await?.open {
                // A request that is still on its way may yet open it.
                if since.elapsed() >= DOUBT {
                    self.settle(&name);
                }
                continue;
            }
            let open = self.log.open_runs().await?.into_iter().find(|open| open.run == name);
            match open.filter(|open| open.owner.node == self.options.owner.node) {
                Some(open) => {
                    *writing = None;
                    self.end_lost(vec![open]).await?;
                }
                None => self.settle(&name),
            }
        }
        Ok(())
    }

    /// Looks where the runs are that somebody here reads, when a hint comes and every so often.
    async fn follow_others(&self) {
        if self.options.alone {
            return std::future::pending().await;
        }
        let mut hints = self.hints.as_ref().map(|hints| hints.listen());
        loop {
            tokio::select! {
                biased;
                hint = next(&mut hints) => match hint {
                    Hint::Run(run) => {
                        let run = self.run(&run);
                        if run.readers() > 0 {
                            self.warn(self.look(&run).await);
                        }
                    }
                    Hint::All => self.warn(self.look_at_all().await),
                    _ => {}
                },
                () = tokio::time::sleep(self.options.poll) => self.warn(self.look_at_all().await),
            }
        }
    }

    async fn look_at_all(&self) -> Result<(), StoreError> {
        let read: Vec<_> = self.held().into_iter().filter(|run| run.readers() > 0).collect();
        for runs in read.chunks(CHUNK) {
            let names: Vec<_> = runs.iter().map(|run| Arc::clone(&run.id)).collect();
            for (run, head) in runs.iter().zip(self.log.heads(&names).await?) {
                run.learn(head);
            }
        }
        Ok(())
    }

    fn warn<T>(&self, done: Result<T, StoreError>) {
        if let Err(error) = done {
            tracing::warn!(%error, "the watch over the log");
        }
    }
}

/// The next hint; where some were missed, `All`; where there is nobody to give one, never.
async fn next(hints: &mut Option<broadcast::Receiver<Hint>>) -> Hint {
    match hints {
        None => std::future::pending().await,
        Some(receiver) => match receiver.recv().await {
            Ok(hint) => hint,
            Err(broadcast::error::RecvError::Lagged(_)) => Hint::All,
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        },
    }
}

/// How long a request whose answer was lost may still be on its way.
const DOUBT: Duration = Duration::from_secs(30);
/// How many heads are asked for at once.
const CHUNK: usize = 500;
