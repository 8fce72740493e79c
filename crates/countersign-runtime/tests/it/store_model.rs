//! Every log answers as the plainest one does: random operations run on the memory form, which is the model, and on
//! another form, and each answer must be the same.
//!
//! A form is added by an implementation of `Form` and one line at the end. `PROPTEST_CASES` raises the number of cases.

use crate::store_contract::words::owner;
use countersign::contract::{EventId, EventType};
use countersign_runtime::store::memory::MemoryLog;
use countersign_runtime::store::sqlite::SqliteStore;
use countersign_runtime::store::{Append, Entry, EventLog, Keep, StoreError, TurnMark};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Debug;
use std::sync::Arc;

/// A log that is held against the model.
#[async_trait::async_trait]
pub(crate) trait Form: Send + Sync + Sized + 'static {
    /// An empty one.
    async fn fresh() -> Self;
    /// The log.
    fn log(&self) -> Arc<dyn EventLog>;
    /// The same log, as a process that was restarted finds it.
    async fn reopened(self) -> Self;
}

/// What is done. Numbers are relative to where the model's run stands, so that most operations mean something.
#[derive(Debug, Clone)]
enum Step {
    Claim { run: usize, owner: usize },
    Seize { run: usize, owner: usize, seen: Seen },
    Append { run: usize, shape: Shape, count: u64, turn: TurnMark },
    Trim { run: usize, since: Option<i64>, bytes: Option<u64> },
    Remove { run: usize },
    Read { run: usize, after: u64, max: usize },
    List { after: usize, max: usize },
    Reopen,
}

#[derive(Debug, Clone, Copy)]
enum Seen {
    Current,
    Older,
    Newer,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// After the head, under the run's epoch.
    Good,
    /// What was written so many events ago, once more.
    Again { back: u64 },
    /// The same place, other words.
    Changed { back: u64 },
    /// A part is there, the rest is not.
    Overlap { back: u64 },
    /// Beyond the head.
    Ahead { by: u64 },
    /// Good, but of another epoch.
    OtherEpoch { up: u32 },
    /// A hole inside.
    Torn,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let shape = prop_oneof![
        8 => Just(Shape::Good),
        4 => (1..6_u64).prop_map(|back| Shape::Again { back }),
        2 => (1..6_u64).prop_map(|back| Shape::Changed { back }),
        2 => (1..4_u64).prop_map(|back| Shape::Overlap { back }),
        1 => (1..4_u64).prop_map(|by| Shape::Ahead { by }),
        2 => (0..3_u32).prop_map(|up| Shape::OtherEpoch { up }),
        1 => Just(Shape::Torn),
    ];
    // Now and then enough for a store that keeps many events together to close one such page and begin another.
    let count = prop_oneof![6 => 0..5_u64, 1 => 30..80_u64];
    let turn = prop_oneof![4 => Just(TurnMark::Keep), 2 => Just(TurnMark::Open), 2 => Just(TurnMark::Close)];
    let seen = prop_oneof![3 => Just(Seen::Current), 1 => Just(Seen::Older), 1 => Just(Seen::Newer)];
    let run = 0..RUNS.len();
    let step = prop_oneof![
        5 => (run.clone(), 0..3_usize).prop_map(|(run, owner)| Step::Claim { run, owner }),
        2 => (run.clone(), 0..3_usize, seen).prop_map(|(run, owner, seen)| Step::Seize { run, owner, seen }),
        14 => (run.clone(), shape, count, turn)
            .prop_map(|(run, shape, count, turn)| Step::Append { run, shape, count, turn }),
        2 => (run.clone(), prop::option::of(-3..40_i64), prop::option::of(0..800_u64))
            .prop_map(|(run, since, bytes)| Step::Trim { run, since, bytes }),
        1 => run.clone().prop_map(|run| Step::Remove { run }),
        3 => (run.clone(), 0..120_u64, 0..90_usize).prop_map(|(run, after, max)| Step::Read { run, after, max }),
        1 => (0..RUNS.len(), 0..4_usize).prop_map(|(after, max)| Step::List { after, max }),
        1 => Just(Step::Reopen),
    ];
    // Most runs are claimed early: nothing but refusals comes of one that nobody holds.
    prop::collection::vec(step, 1..40).prop_map(|steps| {
        let claims = [0, 1].map(|run| Step::Claim { run, owner: run });
        claims.into_iter().chain(steps).collect()
    })
}

/// The operation as the trait takes it, made from where the model is.
async fn do_on(log: &dyn EventLog, step: &Step, model: &Model) -> String {
    match step.clone() {
        Step::Claim { run, owner: who } => told(log.claim(name(run), &owner(OWNERS.get(who).unwrap())).await),
        Step::Seize { run, owner: who, seen } => {
            let epoch = model.epoch(run);
            let seen = match seen {
                Seen::Current => epoch,
                Seen::Older => epoch.saturating_sub(1),
                Seen::Newer => epoch + 1,
            };
            told(log.seize(name(run), seen, &owner(OWNERS.get(who).unwrap())).await)
        }
        Step::Append { run, shape, count, turn } => told(log.append(model.append(run, shape, count, turn)).await),
        Step::Trim { run, since, bytes } => told(log.trim(name(run), Keep { since, bytes }).await),
        Step::Remove { run } => told(log.remove(name(run)).await),
        Step::Read { run, after, max } => told(log.read(name(run), after, max).await),
        Step::List { after, max } => told(log.runs(name(after), max).await),
        Step::Reopen => String::new(),
    }
}

/// An answer in a form that can be compared: stores differ in their names and in their words for an error.
fn told<T: Debug>(answer: Result<T, StoreError>) -> String {
    match answer {
        Ok(value) => format!("{value:?}"),
        Err(StoreError::Broken { .. }) => "broken".to_owned(),
        Err(other) => panic!("{other}"),
    }
}

/// Where the model is before a step.
#[derive(Debug, Default)]
struct Model {
    runs: Vec<(u32, u64, Vec<Entry>)>,
}

impl Model {
    async fn of(log: &dyn EventLog) -> Self {
        let mut runs = Vec::new();
        for run in RUNS {
            let head = log.head(run).await.unwrap();
            runs.push((head.epoch, head.seq, log.read(run, 0, usize::MAX).await.unwrap()));
        }
        Self { runs }
    }

    fn epoch(&self, run: usize) -> u32 {
        self.runs.get(run).unwrap().0
    }

    fn append(&self, run: usize, shape: Shape, count: u64, turn: TurnMark) -> Append {
        let (epoch, seq, _) = self.runs.get(run).unwrap();
        let (epoch, after) = match shape {
            Shape::Good | Shape::Torn => (*epoch, *seq),
            Shape::Again { back } | Shape::Changed { back } | Shape::Overlap { back } => {
                (*epoch, seq.saturating_sub(back))
            }
            Shape::Ahead { by } => (*epoch, seq + by),
            Shape::OtherEpoch { up } => ((epoch + up).saturating_sub(1), *seq),
        };
        let count = if let Shape::Again { back } = shape { count.min(back) } else { count };
        let mut entries: Vec<Entry> =
            (after + 1..=after + count).map(|seq| self.entry(run, epoch, seq, shape)).collect();
        if let (Shape::Torn, Some(last)) = (shape, entries.last_mut()) {
            last.id.seq += 1;
        }
        Append { run: name(run).into(), epoch, after, entries, turn }
    }

    /// What is there, for a repetition; else an event that is made from its number alone.
    fn entry(&self, run: usize, epoch: u32, seq: u64, shape: Shape) -> Entry {
        let known = self.runs.get(run).and_then(|(_, _, entries)| entries.iter().find(|entry| entry.id.seq == seq));
        match (shape, known) {
            // Of an older epoch it would not be dense, and that is another question.
            (Shape::Again { .. } | Shape::Overlap { .. }, Some(known)) if known.id.epoch == epoch => known.clone(),
            _ => {
                let kind = if seq.is_multiple_of(3) { EventType::Verdict } else { EventType::TextDelta };
                let other = if matches!(shape, Shape::Changed { .. }) { "!" } else { "" };
                let body = format!("{seq} {epoch}{other} {}", "é".repeat(seq as usize % 5));
                Entry { id: EventId { epoch, seq }, kind, at: seq as i64 * 7 % 40, body: body.into() }
            }
        }
    }
}

/// Everything that can be seen.
async fn seen(log: &dyn EventLog) -> String {
    let runs = RUNS.map(Arc::from);
    let mut open = log.open_runs().await.unwrap();
    open.sort_by(|one, two| one.run.cmp(&two.run));
    let mut seen = format!("{:?}\n{:?}\n{open:?}", log.heads(&runs).await.unwrap(), log.runs("", 10).await.unwrap());
    for run in RUNS {
        seen.push_str(&format!("\n{run}: {:?}", log.read(run, 0, 1_000).await.unwrap()));
    }
    seen
}

async fn compare<F: Form>(steps: Vec<Step>) {
    let model = MemoryLog::default();
    let mut form = F::fresh().await;
    for (place, step) in steps.iter().enumerate() {
        if matches!(step, Step::Reopen) {
            form = form.reopened().await;
        }
        let before = Model::of(&model).await;
        let expected = do_on(&model, step, &before).await;
        let answer = do_on(&*form.log(), step, &before).await;
        assert_eq!(answer, expected, "step {place} of {steps:#?}");
        let run = name(place % RUNS.len());
        assert_eq!(
            form.log().head(run).await.unwrap(),
            model.head(run).await.unwrap(),
            "after step {place} of {steps:#?}"
        );
    }
    assert_eq!(seen(&*form.log()).await, seen(&model).await, "after {steps:#?}");
}

/// Runs so many cases, or as many as `PROPTEST_CASES` says.
pub(crate) fn holds_for<F: Form>(cases: u32) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let result = runner.run(&steps(), |steps| {
        let compared = runtime.block_on(async { tokio::spawn(compare::<F>(steps)).await });
        compared.map_err(|error| TestCaseError::fail(panic_text(error)))
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn panic_text(error: tokio::task::JoinError) -> String {
    let panic = error.into_panic();
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a case panicked".to_owned())
}

fn name(run: usize) -> &'static str {
    RUNS.get(run).unwrap()
}

struct Sqlite {
    store: Arc<SqliteStore>,
    folder: tempfile::TempDir,
}

#[async_trait::async_trait]
impl Form for Sqlite {
    async fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(folder.path()).unwrap(), folder }
    }

    fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.store) as Arc<dyn EventLog>
    }

    async fn reopened(self) -> Self {
        self.store.close();
        Self { store: SqliteStore::open(self.folder.path()).unwrap(), ..self }
    }
}

/// Names of which one is the beginning of another.
const RUNS: [&str; 3] = ["r", "r2", "ß"];
const OWNERS: [&str; 3] = ["a", "b", "c"];

// SERVE-5, STREAM-1
#[test]
fn sqlite_answers_as_the_model_does() {
    holds_for::<Sqlite>(48);
}

// A sequence of steps is only worth something if most of what it does is done.
#[tokio::test]
async fn the_steps_reach_every_answer() {
    let mut runner = TestRunner::deterministic();
    let mut reached = std::collections::BTreeMap::<&str, usize>::new();
    for _ in 0..200 {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        let model = MemoryLog::default();
        for step in &steps {
            let before = Model::of(&model).await;
            let answer = do_on(&model, step, &before).await;
            for word in
                ["Held", "Taken", "Some(Lease", "Done", "Duplicate", "Gap", "Fenced", "Busy", "broken", "RunInfo"]
            {
                *reached.entry(word).or_default() += usize::from(answer.contains(word));
            }
        }
    }
    assert!(reached.values().all(|times| *times >= 20), "{reached:?}");
}
