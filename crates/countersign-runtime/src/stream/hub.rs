//! The log with its runs: the one place where writers, readers and the watch meet.

#[cfg(feature = "planted-bugs")]
use super::planted::PlantedBug;
use super::planted::{BugSwitch, Plant};
use super::rescue::Rescuer;
use super::run::Run;
use crate::metrics::Metrics;
use crate::store::{Entry, EventLog, Head, Hints, Owner, StoreError};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How a hub works.
#[derive(Clone)]
pub struct HubOptions {
    /// This node.
    pub owner: Owner,
    /// Whether no other node can write this log: then a run that is open at the start has lost its writer.
    pub alone: bool,
    /// How long a node may be silent before it counts as dead.
    pub lease: Duration,
    /// How often a stream that has nothing to say gives a sign of life.
    pub heartbeat: Duration,
    /// Where events, lost turns and failures of the store are counted.
    pub metrics: Arc<Metrics>,
    /// How often the heads of runs that another node writes are looked at, when no hint came.
    pub poll: Duration,
}

/// The hub.
pub struct Hub {
    /// The log.
    pub(super) log: Arc<dyn EventLog>,
    /// Word to and from other nodes.
    pub(super) hints: Option<Arc<dyn Hints>>,
    /// How it works.
    pub options: HubOptions,
    pub(super) plant: Plant,
    /// Cancelled when nothing more will be written by this node.
    pub(super) closed: CancellationToken,
    runs: Mutex<Runs>,
    doubtful: Mutex<BTreeMap<Arc<str>, Instant>>,
    rescuer: OnceLock<Weak<dyn Rescuer>>,
}

/// Runs by their names. The names are ours, so the hash needs no secret; without one, a simulation can be repeated.
type Runs = HashMap<Arc<str>, Weak<Run>, BuildHasherDefault<DefaultHasher>>;

impl Hub {
    /// A hub over a log.
    pub fn new(log: Arc<dyn EventLog>, hints: Option<Arc<dyn Hints>>, options: HubOptions) -> Arc<Self> {
        Self::open(log, hints, options, BugSwitch::default())
    }

    /// A hub with a bug, for tests that must be able to fail.
    #[cfg(feature = "planted-bugs")]
    pub fn with_bug(
        log: Arc<dyn EventLog>,
        hints: Option<Arc<dyn Hints>>,
        options: HubOptions,
        bug: Option<PlantedBug>,
    ) -> Arc<Self> {
        Self::open(log, hints, options, BugSwitch::plant(bug))
    }

    fn open(log: Arc<dyn EventLog>, hints: Option<Arc<dyn Hints>>, options: HubOptions, bug: BugSwitch) -> Arc<Self> {
        Arc::new(Self {
            log,
            hints,
            options,
            plant: Plant::new(bug),
            closed: CancellationToken::new(),
            runs: Mutex::default(),
            doubtful: Mutex::default(),
            rescuer: OnceLock::new(),
        })
    }

    /// Names who takes up turns that have lost their writer. The first one stays.
    pub fn set_rescuer(&self, rescuer: &Arc<dyn Rescuer>) {
        // A second one is not needed.
        let _ = self.rescuer.set(Arc::downgrade(rescuer));
    }

    /// Who takes up turns that have lost their writer.
    pub(super) fn rescuer(&self) -> Option<Arc<dyn Rescuer>> {
        self.rescuer.get().and_then(Weak::upgrade)
    }

    /// The log itself.
    pub fn log(&self) -> &dyn EventLog {
        self.log.as_ref()
    }

    /// Where a run is in the store.
    pub async fn head(&self, run: &str) -> Result<Head, StoreError> {
        self.log.head(run).await
    }

    /// What this node knows of a run. It is kept while somebody holds it.
    pub(super) fn run(&self, id: &str) -> Arc<Run> {
        let mut runs = self.runs();
        if let Some(run) = runs.get(id).and_then(Weak::upgrade) {
            return run;
        }
        if runs.len() >= 64 && runs.len() == runs.capacity() {
            runs.retain(|_, run| run.strong_count() > 0);
        }
        let run = Arc::new(Run::new(id));
        runs.insert(Arc::clone(&run.id), Arc::downgrade(&run));
        run
    }

    /// The runs that somebody holds.
    pub(super) fn held(&self) -> Vec<Arc<Run>> {
        self.runs().values().filter_map(Weak::upgrade).collect()
    }

    /// How many streams are open.
    pub fn readers(&self) -> usize {
        self.held().iter().map(|run| run.readers()).sum()
    }

    /// Looks up where a run is, and tells its readers.
    pub(super) async fn look(&self, run: &Run) -> Result<Head, StoreError> {
        run.learn(self.log.head(&run.id).await?);
        Ok(run.head())
    }

    /// Events after a number: from memory where they are there, else from the store.
    pub(super) async fn read(&self, run: &Run, after: u64, max: usize) -> Result<Vec<Entry>, StoreError> {
        if let Some(entries) = run.recall(after, max) {
            return Ok(entries);
        }
        self.log.read(&run.id, after, max).await
    }

    /// Every event of a run after a number, page by page, up to a bound of events.
    pub async fn history(&self, run: &str, after: u64, bound: usize) -> Result<Vec<Entry>, StoreError> {
        let mut all = Vec::new();
        let mut cursor = after;
        while all.len() < bound {
            let page = self.log.read(run, cursor, (bound - all.len()).min(PAGE)).await?;
            let Some(last) = page.last() else { break };
            cursor = last.id.seq;
            all.extend(page);
        }
        Ok(all)
    }

    /// Forgets a run and removes it from the log.
    pub async fn remove(&self, run: &str) -> Result<(), StoreError> {
        self.log.remove(run).await?;
        let held = self.run(run);
        held.removed.cancel();
        held.unlearn(Head { oldest: 1, ..Head::default() });
        *held.writing.lock().await = None;
        Ok(())
    }

    /// Ends the readers that follow: the turns of this node are over. Those who read a turn to its end are not touched.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// Notes a run that may have been opened or taken over in our name without our hearing of it: nobody writes it, and
    /// because this node is alive no other would end it.
    pub(super) fn doubt(&self, run: &Arc<str>) {
        let mut doubtful = self.doubtful.lock().unwrap_or_else(PoisonError::into_inner);
        doubtful.insert(Arc::clone(run), Instant::now());
    }

    /// There is no doubt about a run any more.
    pub(super) fn settle(&self, run: &str) {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }

    /// The runs that are in doubt, and since when.
    pub(super) fn doubtful(&self) -> Vec<(Arc<str>, Instant)> {
        let doubtful = self.doubtful.lock().unwrap_or_else(PoisonError::into_inner);
        doubtful.iter().map(|(run, since)| (Arc::clone(run), *since)).collect()
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many events are read at once.
pub(super) const PAGE: usize = 512;
