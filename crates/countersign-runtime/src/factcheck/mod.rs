//! The FactCheck node (CLAIM-3): looks up pending claims, the weightiest first, and says what became of each.
//!
//! The sources are asked in order: the session's evidence, arithmetic, the knowledge base, the engine's fact
//! checkers, a model. Each has a deadline and a weight, and a failure of one stays its own. What was settled is not asked
//! again, results are handed out one by one in the order of the queue, and a run that is given them goes on where the
//! last one stopped. A claim for which a source failed stays pending: not to have asked is not to have found nothing.

/// What a source says of a claim.
mod opinion;
/// Deadlines and panics of sources.
mod guarded;
/// What the session's tools, searches and people said.
mod evidence;
/// A knowledge base, through a small door.
mod library;
/// The user's documents behind that door.
mod documents;
/// The engine's fact checkers.
mod checkers;
/// A model as judge.
mod judge;
/// A judge with a memory.
mod cached_judge;
/// A judge behind an OpenAI-compatible address.
mod model;
/// One claim, asked of all sources.
mod lookup;
/// All claims, on several threads, in the order of the queue.
mod queue;

use countersign::claims::known::{Telling, tellings};
use countersign::claims::mark::claim_id;
use countersign::claims::settle::Subject;
use countersign::claims::settle::lean::lean;
use countersign::claims::worth;
use countersign::contract::{ClaimStatus, ClaimUpdate, MarkedMessage};
use countersign::policy::ScorePolicy;
use evidence::Results;
use guarded::Guarded;
use lookup::Lookup;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

pub use cached_judge::CachedJudge;
pub use checkers::Checkers;
pub use evidence::{Evidence, EvidenceKind};
pub use judge::{Doubt, Judge, JudgeError, Judgement, Said};
pub use library::{Library, LibraryError, LibraryPassage, Line};
pub use model::ModelJudge;
pub use opinion::Weights;

/// Who is asked beside the tool results and arithmetic.
#[derive(Default, Clone)]
pub struct Sources {
    /// The knowledge base.
    pub library: Option<Arc<dyn Library>>,
    /// The engine's fact checkers.
    pub checkers: Option<Arc<Checkers>>,
    /// A model.
    pub judge: Option<Arc<dyn Judge>>,
}

/// How the looking up is done.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the word of each source weighs.
    pub weights: Weights,
    /// The least weight that settles a claim.
    pub least: f64,
    /// How many passages the knowledge base gives for a claim.
    pub passages: usize,
    /// How long a look into the knowledge base may take.
    pub library_deadline: Duration,
    /// How long a model may take.
    pub judge_deadline: Duration,
    /// A model is asked about the weightiest claims alone, so many of them.
    pub judged: usize,
    /// How many threads look up claims; all cores by default.
    pub threads: Option<usize>,
    /// Whether settled claims are asked about again.
    pub again: Again,
    /// How answers are weighed once their claims were looked up.
    pub score: ScorePolicy,
}

/// What becomes of claims that are settled already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Again {
    /// They are left alone.
    #[default]
    LeaveSettled,
    /// Those without an outcome are asked about again, because a source may know more by now.
    RetryUnverifiable,
    /// All that are not verified are.
    RetryUnverified,
    /// All are.
    All,
}

/// Who is asked in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// All sources.
    Everybody,
    /// All but the model: what it might still settle is left as it is.
    AllButTheModel,
}

/// One way through the claims.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Whether settled claims are asked about again.
    pub again: Again,
    /// Who is asked.
    pub asked: Asked,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            least: 0.5,
            passages: 5,
            library_deadline: Duration::from_secs(2),
            judge_deadline: Duration::from_secs(20),
            judged: 32,
            threads: None,
            again: Again::LeaveSettled,
            score: ScorePolicy::default(),
        }
    }
}

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// What changed in this run, in the order of the queue.
    pub updates: Vec<ClaimUpdate>,
    /// How all claims stand now.
    pub summary: Summary,
    /// What went wrong, and how often.
    pub troubles: BTreeMap<String, usize>,
    /// Whether the sink stopped the run.
    pub stopped: bool,
}

/// How many claims stand how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Borne out by a source.
    pub verified: usize,
    /// A source says otherwise.
    pub disputed: usize,
    /// No source could tell.
    pub unverifiable: usize,
    /// Not looked up yet.
    pub pending: usize,
}

impl Summary {
    /// Counts one claim.
    pub fn add(&mut self, status: ClaimStatus) {
        *match status {
            ClaimStatus::Verified => &mut self.verified,
            ClaimStatus::Disputed => &mut self.disputed,
            ClaimStatus::Unverifiable => &mut self.unverifiable,
            ClaimStatus::Pending => &mut self.pending,
        } += 1;
    }
}

/// The node.
pub struct FactCheck {
    options: Options,
    library: Option<Guarded<dyn Library>>,
    checkers: Option<Arc<Checkers>>,
    judge: Option<Guarded<dyn Judge>>,
}

impl FactCheck {
    /// A node with these sources.
    pub fn new(sources: Sources, options: Options) -> Self {
        let library = sources.library.map(|library| Guarded::new("knowledge_base", library, options.library_deadline));
        let judge = sources.judge.map(|judge| Guarded::new("model", judge, options.judge_deadline));
        Self { options, library, checkers: sources.checkers, judge }
    }

    /// Looks up the claims of messages that are pending, except those that `done` has settled, and hands out each result
    /// as it is known. The sink stores it; where it breaks, the run stops, and what it had not handed out is looked up by
    /// the next run.
    pub fn run(
        &self,
        messages: &[MarkedMessage],
        evidence: &[Evidence],
        done: &[ClaimUpdate],
        sink: &mut dyn FnMut(&ClaimUpdate) -> ControlFlow<()>,
    ) -> Report {
        let pass = Pass { again: self.options.again, asked: Asked::Everybody };
        self.run_pass(pass, messages, evidence, done, sink)
    }

    /// The same, for some of the claims or with some of the sources.
    pub fn run_pass(
        &self,
        pass: Pass,
        messages: &[MarkedMessage],
        evidence: &[Evidence],
        done: &[ClaimUpdate],
        sink: &mut dyn FnMut(&ClaimUpdate) -> ControlFlow<()>,
    ) -> Report {
        let read: Vec<Vec<Telling>> = messages.iter().map(tell).collect();
        let entries = entries(messages, &read, done);
        let settled = find_settled(pass.again, done);
        let is_open =
            |entry: &&Entry| !settled.contains(entry.id.as_str()) && !pass.again.leaves(entry.subject.claim.status);
        let mut queue: Vec<&Entry> = entries.iter().filter(is_open).collect();
        queue.sort_by_key(|entry| entry.rank);
        let results = Results::new(evidence);
        let judge = if pass.asked == Asked::Everybody { &self.judge } else { &None };
        let lookup = Lookup::new(&self.options, &results, (&self.library, &self.checkers, judge));
        let disputed = queue.iter().filter(|entry| entry.status == ClaimStatus::Disputed);
        let disputed: HashSet<&str> = disputed.map(|entry| entry.id.as_str()).collect();
        // That nobody could tell ends no dispute, and is not said before the last source was asked.
        let says_nothing = |update: &ClaimUpdate| {
            update.status == ClaimStatus::Unverifiable
                && (pass.asked == Asked::AllButTheModel || disputed.contains(update.id.as_str()))
        };
        let mut report = Report::default();
        queue::work(&queue, &lookup, self.threads(queue.len()), &mut |update| {
            if says_nothing(&update) {
                return ControlFlow::Continue(());
            }
            let flow = sink(&update);
            report.updates.push(update);
            report.stopped = flow.is_break();
            flow
        });
        report.troubles = lookup.troubles();
        report.summary = summary(&entries, &report.updates);
        report
    }

    /// How answers are weighed once their claims were looked up.
    pub fn score(&self) -> &ScorePolicy {
        &self.options.score
    }

    fn threads(&self, claims: usize) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.options.threads.unwrap_or_else(cores).clamp(1, MOST_THREADS).min(claims.max(1))
    }

    /// Whether anybody is asked beside the session's own evidence and arithmetic.
    pub fn has_sources(&self) -> bool {
        self.library.is_some() || self.checkers.is_some() || self.judge.is_some()
    }

    /// Whether a model is asked where nobody else could tell.
    pub fn asks_model(&self) -> bool {
        self.judge.is_some()
    }
}

impl Again {
    /// Whether claims of a status are left alone.
    fn leaves(self, status: ClaimStatus) -> bool {
        match self {
            Self::LeaveSettled => status != ClaimStatus::Pending,
            Self::RetryUnverifiable => matches!(status, ClaimStatus::Verified | ClaimStatus::Disputed),
            Self::RetryUnverified => status == ClaimStatus::Verified,
            Self::All => false,
        }
    }
}

/// The claims that earlier runs have settled.
fn find_settled(again: Again, done: &[ClaimUpdate]) -> HashSet<&str> {
    done.iter().filter(|update| again.leaves(update.status)).map(|update| update.id.as_str()).collect()
}

/// The claims of a message, each with what its sentence leans on.
fn tell(message: &MarkedMessage) -> Vec<Telling> {
    let mut read = tellings(&message.content, &message.claims);
    lean(&message.content, &mut read);
    read
}

/// A claim in its message.
struct Entry<'a> {
    id: String,
    /// Its message, all claims of it, and which one it is.
    message: &'a MarkedMessage,
    read: &'a [Telling],
    at: usize,
    subject: Subject<'a>,
    /// What holds before the run.
    status: ClaimStatus,
    /// Its place among all claims by worth.
    rank: usize,
}

fn entries<'a>(messages: &'a [MarkedMessage], read: &'a [Vec<Telling>], done: &[ClaimUpdate]) -> Vec<Entry<'a>> {
    let known: BTreeMap<&str, ClaimStatus> = done.iter().map(|update| (update.id.as_str(), update.status)).collect();
    let mut entries = Vec::new();
    for (message, read) in messages.iter().zip(read) {
        for (at, (claim, telling)) in message.claims.iter().zip(read).enumerate() {
            let id = claim.id.clone().unwrap_or_else(|| claim_id(&message.id, at));
            let status = known.get(id.as_str()).copied().unwrap_or(claim.status);
            let subject = Subject { claim, telling, content: &message.content };
            entries.push(Entry { id, message, read, at, subject, status, rank: 0 });
        }
    }
    let ranked: Vec<_> = entries.iter().map(|e| (e.subject.claim, e.subject.telling, e.subject.content)).collect();
    for (rank, at) in worth::order(&ranked).into_iter().enumerate() {
        if let Some(entry) = entries.get_mut(at) {
            entry.rank = rank;
        }
    }
    entries
}

fn summary(entries: &[Entry], updates: &[ClaimUpdate]) -> Summary {
    let new: BTreeMap<&str, ClaimStatus> = updates.iter().map(|update| (update.id.as_str(), update.status)).collect();
    let mut summary = Summary::default();
    for entry in entries {
        summary.add(new.get(entry.id.as_str()).copied().unwrap_or(entry.status));
    }
    summary
}

const MOST_THREADS: usize = 64;
