//! One thread reads, several judge, one collects: in the order of the files, whoever finishes first. The queues are bounded,
//! so memory does not grow with the input.

use super::formats::Writer;
use super::input::{self, Event};
use super::summary::{Problem, Summary};
use crate::failure::Failure;
use countersign::audit::compare::Difference;
use countersign::audit::{Auditor, Report};
use countersign::traces::Trace;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// What is done with each conversation.
pub(super) struct Work<'a> {
    pub auditor: &'a Auditor,
    pub other: Option<&'a Auditor>,
    pub sample: Option<usize>,
    pub jobs: usize,
}

struct Job(Box<Trace>, SyncSender<Option<Judged>>);

/// A report, and that of the policy it is compared with.
type Judged = (Report, Option<Report>);

enum Slot {
    Trace(Arc<str>, Receiver<Option<Judged>>),
    Problem(Problem),
    Bytes(u64),
    File,
}

/// Reads and judges all files.
pub(super) fn run(
    files: &[PathBuf],
    work: &Work<'_>,
    summary: &mut Summary,
    writer: &mut Writer,
) -> Result<(), Failure> {
    summary.difference = work.other.map(|_| Difference::default());
    let bar = progress(files);
    let (jobs, waiting) = sync_channel::<Job>(work.jobs * 2);
    let (order, slots) = sync_channel::<Slot>(work.jobs * 8);
    let waiting = Mutex::new(waiting);
    let collected = thread::scope(|scope| {
        let judge = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || judge(work, &waiting));
        if (0..work.jobs).filter(|_| judge().is_ok()).count() == 0 {
            return Err(Failure::Internal("cannot start a thread".to_owned()));
        }
        scope.spawn(|| feed(files, work.sample, jobs, order));
        let collected = collect(&slots, summary, writer, &bar);
        drop(slots);
        collected
    });
    bar.finish_and_clear();
    summary.difference = summary.difference.take().map(Difference::finish);
    collected
}

fn feed(files: &[PathBuf], sample: Option<usize>, jobs: SyncSender<Job>, order: SyncSender<Slot>) {
    let mut chosen = sample.map(Sample::new);
    let send = |name: &Arc<str>, trace: Box<Trace>| {
        let (answer, slot) = sync_channel(1);
        order.send(Slot::Trace(Arc::clone(name), slot)).is_ok() && jobs.send(Job(trace, answer)).is_ok()
    };
    for path in files {
        let name: Arc<str> = Arc::from(path.display().to_string());
        let mut goes_on = order.send(Slot::File).is_ok();
        input::read(path, &mut |event| {
            goes_on = match event {
                Event::Bytes(bytes) => order.send(Slot::Bytes(bytes)).is_ok(),
                Event::Problem(problem) => order.send(Slot::Problem(problem)).is_ok(),
                Event::Trace(trace) => match &mut chosen {
                    Some(sample) => {
                        sample.offer(&name, trace);
                        true
                    }
                    None => send(&name, trace),
                },
            };
            goes_on
        });
        if !goes_on {
            return;
        }
    }
    for (_, name, trace) in chosen.into_iter().flat_map(Sample::take) {
        if !send(&name, trace) {
            return;
        }
    }
}

/// Some of all conversations: those with the smallest hashes of their numbers, so that each has the same chance and the
/// choice is the same each time.
struct Sample {
    size: usize,
    count: u64,
    kept: Vec<(u64, u64, Arc<str>, Box<Trace>)>,
}

impl Sample {
    fn new(size: usize) -> Self {
        Self { size, count: 0, kept: Vec::new() }
    }

    fn offer(&mut self, name: &Arc<str>, trace: Box<Trace>) {
        self.count += 1;
        let mut mixed = self.count.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^= mixed >> 27;
        let at = self.kept.partition_point(|(hash, ..)| *hash < mixed);
        if at < self.size {
            self.kept.insert(at, (mixed, self.count, Arc::clone(name), trace));
            self.kept.truncate(self.size);
        }
    }

    fn take(mut self) -> impl Iterator<Item = (u64, Arc<str>, Box<Trace>)> {
        self.kept.sort_by_key(|(_, count, ..)| *count);
        self.kept.into_iter().map(|(_, count, name, trace)| (count, name, trace))
    }
}

fn judge(work: &Work<'_>, waiting: &Mutex<Receiver<Job>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job(trace, answer)) = next else { return };
        let both = || (work.auditor.audit(&trace), work.other.map(|other| other.audit(&trace)));
        // Where the collector has left, the answer is not wanted any more.
        let _ = answer.send(catch_unwind(AssertUnwindSafe(both)).ok());
    }
}

fn collect(
    slots: &Receiver<Slot>,
    summary: &mut Summary,
    writer: &mut Writer,
    bar: &ProgressBar,
) -> Result<(), Failure> {
    while let Ok(slot) = slots.recv() {
        match slot {
            Slot::File => summary.files += 1,
            Slot::Bytes(bytes) => {
                summary.bytes += bytes;
                bar.inc(bytes);
            }
            Slot::Problem(problem) => summary.problem(problem),
            Slot::Trace(file, slot) => {
                let judged = slot.recv().map_err(|_| Failure::Internal("a worker stopped".to_owned()))?;
                let Some((mut report, other)) = judged else {
                    return Err(Failure::Internal(format!("a conversation of {file} could not be judged")));
                };
                if let (Some(difference), Some(other)) = (&mut summary.difference, &other) {
                    difference.add(&file, other, &report);
                }
                summary.add(&file, &mut report);
                writer.conversation(&file, &report)?;
            }
        }
    }
    Ok(())
}

fn progress(files: &[PathBuf]) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let total = files.iter().filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum();
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}");
    let bar = ProgressBar::new(total);
    if let Ok(style) = style { bar.with_style(style) } else { bar }
}

const STACK: usize = 8 * 1024 * 1024;
