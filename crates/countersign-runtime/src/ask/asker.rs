//! All sources of a policy, asked side by side: each with its own deadline, none able to harm another.

use super::cache::Cache;
use super::second_reader::SecondReader;
use super::{AskError, FactChecker, openapi, permissions, records};
use countersign::contract::{Answer, Answers, Question};
use countersign::policy::Policy;
use countersign::policy::facts::{KnownEndpoints, Source, Unanswered};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The sources of a policy, and the answers that are still fresh.
pub struct Asker {
    slots: BTreeMap<(Kind, String), Arc<CheckerSlot>>,
    cache: Mutex<Cache>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Endpoint,
    Permission,
    Record,
    Custom,
    Reading,
}

/// One source and how long it may take.
struct CheckerSlot {
    name: String,
    /// `None` until somebody registers a checker of their own.
    checker: Option<Box<dyn FactChecker>>,
    deadline: Duration,
    keep: Duration,
    /// Looks that have begun and not ended, late ones included: a thread cannot be killed, but it can be counted.
    running: AtomicUsize,
}

impl Asker {
    /// Opens every source of a policy. Files are looked for under `base`; a file that is missing or broken is an error
    /// now and not at the first call.
    pub fn from_policy(policy: &Policy, base: &Path) -> Result<Self, AskError> {
        let facts = &policy.facts;
        let mut asker = Self { slots: BTreeMap::new(), cache: Mutex::new(Cache::new(CACHED)) };
        for source in &facts.endpoints {
            if let KnownEndpoints::Document(file) = &source.known {
                asker.add(Kind::Endpoint, &source.source, Some(Box::new(openapi::OpenApi::open(base, file)?)));
            }
        }
        for source in &facts.permissions {
            let checker = permissions::open(&source.from, base, deadline(&source.source))?;
            asker.add(Kind::Permission, &source.source, Some(checker));
        }
        for source in &facts.records {
            let checker = records::open(source, base, deadline(&source.source))?;
            asker.add(Kind::Record, &source.source, Some(checker));
        }
        facts.custom.iter().for_each(|source| asker.add(Kind::Custom, &source.source, None));
        if let Some(judge) = &policy.judge {
            let (deadline_ms, cache_s) = (judge.deadline_ms, judge.cache_s);
            let source = Source { name: JUDGE.to_owned(), deadline_ms, cache_s, unanswered: Unanswered::Warn };
            asker.add(Kind::Reading, &source, Some(Box::new(SecondReader::of(judge))));
        }
        Ok(asker)
    }

    /// Puts a checker of your own after a `[[facts.custom]]` source.
    pub fn register(&mut self, name: &str, checker: impl FactChecker + 'static) -> Result<(), AskError> {
        let slot = self.slots.get_mut(&(Kind::Custom, name.to_owned())).ok_or_else(|| AskError::Source {
            name: name.to_owned(),
            problem: "no `[[facts.custom]]` source has that name".to_owned(),
        })?;
        let (name, deadline, keep) = (slot.name.clone(), slot.deadline, slot.keep);
        *slot = Arc::new(CheckerSlot {
            name,
            checker: Some(Box::new(checker)),
            deadline,
            keep,
            running: AtomicUsize::new(0),
        });
        Ok(())
    }

    /// Whether there is nobody to ask.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Answers every question. What failed, was late or belongs to no source is `Unknown` with the reason; every
    /// question has an answer.
    pub fn answer_all(&self, questions: &[Question]) -> Answers {
        let mut answers = Answers::default();
        let mut open: Vec<(&Question, &Arc<CheckerSlot>)> = Vec::new();
        for question in questions {
            if answers.to(question).is_some() || open.iter().any(|(other, _)| *other == question) {
                continue;
            }
            match self.at_once(question) {
                Ok(answer) => {
                    answers.0.insert(question.clone(), answer);
                }
                Err(slot) => open.push((question, slot)),
            }
        }
        for wave in open.chunks(PARALLEL) {
            ask_wave(wave, &mut answers);
        }
        self.keep(&open, &answers);
        answers
    }

    /// The answer that needs no look, or whom to ask.
    fn at_once(&self, question: &Question) -> Result<Answer, &Arc<CheckerSlot>> {
        let (kind, name) = match question {
            Question::Endpoint { source, .. } => (Kind::Endpoint, source),
            Question::Permission { source, .. } => (Kind::Permission, source),
            Question::Record { source, .. } => (Kind::Record, source),
            Question::Custom { source, .. } => (Kind::Custom, source),
            Question::Reading(_) => (Kind::Reading, &JUDGE.to_owned()),
            _ => return Ok(unknown("no source answers such questions".into())),
        };
        let Some(slot) = self.slots.get(&(kind, name.clone())) else {
            return Ok(unknown(format!("there is no source `{name}`; name it in `[facts]`")));
        };
        if slot.checker.is_none() {
            return Ok(unknown(format!("no checker is registered for `{name}`")));
        }
        if slot.running.load(Ordering::Relaxed) >= MAX_RUNNING {
            return Ok(unknown(format!("`{name}` has not ended {MAX_RUNNING} earlier looks; look at the source")));
        }
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.answer(question, Instant::now()).cloned().ok_or(slot)
    }

    fn keep(&self, asked: &[(&Question, &Arc<CheckerSlot>)], answers: &Answers) {
        let now = Instant::now();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        for (question, slot) in asked {
            if let Some(answer) = answers.to(question) {
                cache.keep(question, answer, slot.keep, now);
            }
        }
    }

    fn add(&mut self, kind: Kind, source: &Source, checker: Option<Box<dyn FactChecker>>) {
        let slot = CheckerSlot {
            name: source.name.clone(),
            checker,
            deadline: deadline(source),
            keep: Duration::from_secs(source.cache_s),
            running: AtomicUsize::new(0),
        };
        self.slots.insert((kind, source.name.clone()), Arc::new(slot));
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Asker").field("sources", &self.slots.keys()).finish_non_exhaustive()
    }
}

/// Asks some questions at once and waits for each until its own deadline.
fn ask_wave(wave: &[(&Question, &Arc<CheckerSlot>)], answers: &mut Answers) {
    let begun = Instant::now();
    let (sender, receiver) = channel();
    let mut waiting: BTreeMap<usize, Instant> = BTreeMap::new();
    for (at, (question, slot)) in wave.iter().enumerate() {
        match begin(slot, question, at, sender.clone()) {
            Ok(()) => drop(waiting.insert(at, begun + slot.deadline)),
            Err(error) => {
                drop(answers.0.insert((*question).clone(), unknown(format!("no thread to ask with: {error}"))))
            }
        }
    }
    drop(sender);
    while let Some(next) = waiting.values().min().copied() {
        let answered = match receiver.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok((at, answer)) => waiting.remove(&at).map(|_| (at, answer)).into_iter().collect(),
            Err(RecvTimeoutError::Timeout) => late(&mut waiting, wave),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        for (at, answer) in answered {
            if let Some((question, _)) = wave.get(at) {
                answers.0.insert((*question).clone(), answer);
            }
        }
    }
    // Nobody can be left here unless a thread ended without a word; even then every question has an answer.
    for (question, _) in waiting.keys().filter_map(|at| wave.get(*at)) {
        answers.0.insert((*question).clone(), unknown("the look ended without an answer".into()));
    }
}

/// Takes those whose time is up out of the waiting ones.
fn late(waiting: &mut BTreeMap<usize, Instant>, wave: &[(&Question, &Arc<CheckerSlot>)]) -> Vec<(usize, Answer)> {
    let now = Instant::now();
    let over: Vec<usize> = waiting.iter().filter(|(_, end)| **end <= now).map(|(at, _)| *at).collect();
    over.into_iter()
        .filter_map(|at| {
            waiting.remove(&at);
            let (_, slot) = wave.get(at)?;
            let (name, ms) = (&slot.name, slot.deadline.as_millis());
            Some((at, unknown(format!("`{name}` did not answer within {ms} ms"))))
        })
        .collect()
}

/// Starts one look on its own thread.
fn begin(
    slot: &Arc<CheckerSlot>,
    question: &Question,
    at: usize,
    sender: Sender<(usize, Answer)>,
) -> Result<(), std::io::Error> {
    let (theirs, question) = (Arc::clone(slot), question.clone());
    slot.running.fetch_add(1, Ordering::Relaxed);
    let look = move || {
        let answer = look(&theirs, &question);
        theirs.running.fetch_sub(1, Ordering::Relaxed);
        // Nobody listens any more when the answer is late.
        let _ = sender.send((at, answer));
    };
    let started = thread::Builder::new().name("countersign-ask".into()).spawn(look);
    if started.is_err() {
        slot.running.fetch_sub(1, Ordering::Relaxed);
    }
    started.map(drop)
}

fn look(slot: &CheckerSlot, question: &Question) -> Answer {
    let Some(checker) = &slot.checker else { return unknown("no checker is registered".into()) };
    match catch_unwind(AssertUnwindSafe(|| checker.answer(question))) {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => unknown(error.to_string()),
        Err(_) => unknown(format!("the checker `{}` panicked", slot.name)),
    }
}

fn unknown(reason: String) -> Answer {
    Answer::Unknown { reason }
}

fn deadline(source: &Source) -> Duration {
    Duration::from_millis(source.deadline_ms)
}

/// The name of the second reader.
const JUDGE: &str = "judge";
/// How many questions are asked at once: as many as one call may ask, so that it waits for one deadline, not several.
const PARALLEL: usize = 64;
/// How many looks of one source may be running, late ones included.
const MAX_RUNNING: usize = 64;
/// How many answers are kept.
const CACHED: usize = 4_096;
