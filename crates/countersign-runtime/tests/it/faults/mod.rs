//! Every row of the fault table of `docs/reliability.md` that can be shown without a process of its own: the invariant
//! holds, and the bug that is named beside it in the table is noticed.
//!
//! A scenario takes a bug or none and gives its figures or what was violated. Rows whose bug lives in a store have their
//! tests beside that store: an answer before the commit in `store_sqlite/killed.rs`, a trusted shared head in
//! `store_hot_tail.rs`. The same faults on the real binary are in the command line's `faults_*` tests.

/// A log that somebody meddles with.
pub(crate) mod double;
/// Turns with a model that says what a test wants.
mod house;
mod writer_gone;
mod upstream_cut;
mod client_cut;
mod subscribe;
mod two_tabs;
mod slow_client;
mod disk_full;
mod clock;
mod sigterm;

use crate::streams::bench::Got;
use countersign_runtime::store::EventLog;
use countersign_runtime::stream::{Hub, HubOptions, Mode, PlantedBug, Reader, Start};
use std::sync::Arc;
use std::time::Duration;

/// What a scenario came to where nothing was violated.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub rounds: usize,
    /// From the fault to the terminal event.
    pub times: Vec<Duration>,
}

/// What a scenario found wrong.
#[derive(Debug)]
pub(crate) struct Violation(pub String);

pub(crate) type Outcome = Result<Figures, Violation>;

/// Fails a scenario unless something holds.
pub(crate) fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation(what())) }
}

/// The scenario must hold, and its figures go to the table.
pub(crate) fn holds(fault: &str, outcome: Outcome) {
    let mut figures = outcome.unwrap_or_else(|violation| panic!("{fault}: {}", violation.0));
    figures.times.sort();
    let millis = |share: usize| {
        let at = (figures.times.len() * share / 100).min(figures.times.len().saturating_sub(1));
        figures.times.get(at).map_or("-".to_owned(), |time| format!("{:.0}", time.as_secs_f64() * 1000.0))
    };
    let all: Vec<_> = figures.times.iter().map(|time| time.as_millis().to_string()).collect();
    println!("FAULT | {fault} | {} | 0 | {} | {} | {}", figures.rounds, millis(50), millis(99), all.join(" "));
}

/// The scenario must notice the bug.
pub(crate) fn notices(bug: PlantedBug, outcome: Outcome) {
    match outcome {
        Ok(figures) => panic!("{bug:?} was not noticed: {figures:?}"),
        Err(violation) => println!("PLANTED | {bug:?} | {} |", violation.0),
    }
}

const ALL: Start = Start::From { mode: Mode::Hybrid, after: None };

/// Reads to the end or for so long; `done` says which.
async fn read(mut reader: Reader, longest: Duration) -> Got {
    let mut got = Got::default();
    let reading = async {
        while let Some(frames) = reader.next().await {
            got.take(&frames.bytes);
        }
    };
    // What was got in time counts.
    let _ = tokio::time::timeout(longest, reading).await;
    got
}

fn hub(log: &Arc<dyn EventLog>, options: HubOptions, bug: Option<PlantedBug>) -> Arc<Hub> {
    Hub::with_bug(Arc::clone(log), None, options, bug)
}

/// Whether events are 1, 2, 3 … and the stream has ended.
fn is_whole(got: &Got, events: u64) -> bool {
    got.done && got.seqs() == (1..=events).collect::<Vec<_>>()
}
