//! The calls of a model's answers: each one released, sent back, shown to a person, or refused.
//!
//! The machine knows no dialect and does no I/O. A face gives it the judged calls of an answer ([`Resolution::take`]),
//! does what [`Resolution::next`] says, tells it what came of that, and releases or runs what is released, and nothing
//! else. Its laws are in `tests/it/laws_resolve.rs`: tries are bounded, nothing is released twice, and a refused call is
//! never released.

use super::call_key::CallKey;
use super::output::{Extent, Finish, Judged};
use super::placing::{Placement, place};
use super::words::Words;
use crate::check_call::Guard;
use crate::contract::codes::answer::CUT_CALL;
use crate::contract::codes::call::STUCK;
use crate::contract::{Language, Status, ToolCall};
use crate::decide::cleared::{Approval, ClearedCall, Proposal, Scope, is_denied};
use crate::feedback::attempts::{Budget, Mistake, Spent, Then, Tries};
use crate::policy::AskAgain;
use std::collections::HashSet;
use std::sync::Arc;

/// How a face wants calls to be resolved: everything in which faces differ.
#[derive(Debug, Clone)]
pub struct ResolveOptions {
    /// What may be spent on corrections.
    pub budget: Budget,
    /// When a good call beside a wrong one goes on.
    pub release: Release,
    /// Who decides on a call that is fine and cannot be undone.
    pub irreversible: Irreversible,
    /// Tools that are only observed: their calls go on as they were made.
    pub observed: Arc<HashSet<String>>,
}

/// When a good call beside a wrong one goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// With all others, in one answer: the gateway.
    Together,
    /// At once; its result and the corrections go to the model together: hosted turns.
    AtOnce,
}

/// Who decides on a call that is fine and cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Irreversible {
    /// The checks.
    Check,
    /// A person.
    AskPerson,
}

/// The calls of an answer or a turn, on their way.
#[derive(Debug)]
pub struct Resolution<T> {
    guard: Arc<Guard>,
    scope: Scope,
    options: ResolveOptions,
    words: Words,
    tries: Tries,
    slots: Vec<Slot<T>>,
    /// The slots of the last answer.
    round: Vec<usize>,
    /// What has run since the first mistake, and what the model was told of it.
    done: Vec<(CallKey, String)>,
    /// What a person has rejected.
    rejected: Vec<CallKey>,
    /// What was sent back, and whether because it went round in circles.
    sent_back: Vec<(CallKey, bool)>,
    gave_up: Option<String>,
}

/// A call on its way to a decision, and the decision.
#[derive(Debug)]
pub struct Slot<T> {
    /// The call, with its verdict.
    pub judged: Judged<T>,
    /// How often the model was asked for it again.
    pub attempt: usize,
    /// What becomes of it.
    pub disposition: Disposition,
    /// The call that was made first, where the model was asked to correct it.
    pub(super) original: Option<ToolCall>,
    /// What the model was told of its result, where it ran and succeeded.
    result: Option<String>,
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Disposition {
    /// It may run.
    Release(ClearedCall),
    /// The model is told this on the tool-result channel, and asked again.
    SendBack(String),
    /// A person decides on this.
    AskPerson(Proposal),
    /// It does not run.
    Refuse(Refusal),
}

/// Why a call does not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// Which kind of refusal it is.
    pub kind: RefusalKind,
    /// In a sentence for the reader.
    pub note: String,
    /// In a sentence for the model.
    pub told: String,
}

/// Why a call does not run, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Nobody here knows what it is.
    Unreadable,
    /// A part of it is missing.
    Cut,
    /// The policy denies it.
    Denied,
    /// It is wrong, and the model did not correct it.
    Wrong,
    /// A person rejected it, now or before.
    Rejected,
    /// A person has not decided yet.
    Pending,
}

/// Where a call of an answer went.
#[derive(Debug)]
pub enum Placed<T> {
    /// Into a slot.
    Slot(usize),
    /// It repeats a call that stands and does not run again. With what the model is told.
    Repeat(Judged<T>, String),
    /// It was one more than was asked for, and not good enough. With what the model is told.
    Dropped(Judged<T>, String),
}

/// What a face does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Ask the model again, with what it is told of each call.
    AskModel,
    /// Ask a person about the calls in these slots.
    AskPeople(Vec<usize>),
    /// Deliver what is released, and say what is not.
    Deliver,
}

/// What a person said about a call.
#[derive(Debug)]
pub enum PersonSaid {
    /// Yes.
    Approved(Approval),
    /// No, or nothing in time. With the sentence for the reader and the model.
    Rejected(String),
    /// Nothing yet; the review goes on under this id.
    Pending(String),
    /// Nobody could be asked.
    Nobody,
}

impl<T> Resolution<T> {
    /// Nothing was said yet.
    pub fn new(guard: Arc<Guard>, scope: Scope, options: ResolveOptions, language: Language) -> Self {
        let tries = Tries::new(options.budget).speaking(language);
        Self {
            guard,
            scope,
            options,
            words: Words(language),
            tries,
            slots: Vec::new(),
            round: Vec::new(),
            done: Vec::new(),
            rejected: Vec::new(),
            sent_back: Vec::new(),
            gave_up: None,
        }
    }

    /// Takes the judged calls of an answer; says where each went. Those of a correction take the places of the wrong ones.
    pub fn take(&mut self, finish: Finish, judged: Vec<Judged<T>>, spent: Spent) -> Vec<Placed<T>> {
        self.tries.spend(spent);
        self.remember_done();
        let open = self.open();
        let kept: Vec<CallKey> = self.kept();
        let first = self.options.release == Release::Together && open.is_empty()
            || self.options.release == Release::AtOnce && open.is_empty() && kept.is_empty();
        let wrong: Vec<CallKey> = open.iter().filter_map(|at| self.slots.get(*at)).map(Slot::key).collect();
        let keys: Vec<CallKey> = judged.iter().map(Judged::key).collect();
        let places = if first { vec![Placement::Extra; judged.len()] } else { place(&kept, &wrong, &keys) };
        self.round.clear();
        let mut placed = Vec::with_capacity(places.len());
        for (judged, placement) in judged.into_iter().zip(places) {
            placed.push(match placement {
                Placement::Repeat => {
                    let told = self.tell_repeat(&judged);
                    Placed::Repeat(judged, told)
                }
                Placement::Slot(number) => {
                    match open.get(number).and_then(|at| Some((*at, self.slots.get_mut(*at)?))) {
                        Some((at, slot)) => {
                            let before = std::mem::replace(&mut slot.judged, judged);
                            slot.original.get_or_insert(before.call);
                            slot.attempt += 1;
                            self.round.push(at);
                            Placed::Slot(at)
                        }
                        None => self.take_new(judged),
                    }
                }
                Placement::Extra if first || self.options.release == Release::AtOnce => self.take_new(judged),
                Placement::Extra => self.take_extra(judged, &open),
            });
        }
        let missing: Vec<usize> = open.into_iter().filter(|at| !self.round.contains(at)).collect();
        missing.into_iter().for_each(|at| self.refuse_wrong(at));
        self.dispose(finish);
        placed
    }

    /// What a face does next.
    pub fn next(&self) -> Next {
        let of = |wanted: fn(&Disposition) -> bool| {
            let slots = self.slots.iter().enumerate();
            slots.filter(|(_, slot)| wanted(&slot.disposition)).map(|(at, _)| at).collect::<Vec<_>>()
        };
        if !of(|disposition| matches!(disposition, Disposition::SendBack(_))).is_empty() {
            return Next::AskModel;
        }
        match of(|disposition| matches!(disposition, Disposition::AskPerson(_))) {
            waiting if waiting.is_empty() => Next::Deliver,
            waiting => Next::AskPeople(waiting),
        }
    }

    /// The model could not be asked, or did not answer: its wrong calls stay wrong.
    pub fn give_up_asking(&mut self) {
        for at in self.open() {
            self.end_corrections(at, Ended::Unasked);
        }
    }

    /// Takes what a person said about the call in a slot.
    pub fn decide(&mut self, at: usize, said: PersonSaid) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        let Disposition::AskPerson(proposal) = &slot.disposition else { return };
        let (words, name, verdict) = (self.words, slot.judged.call.name.clone(), &slot.judged.verdict);
        let refuse = |kind, note: String, told: String| Disposition::Refuse(Refusal { kind, note, told });
        slot.disposition = match said {
            PersonSaid::Approved(approval) => match proposal.approve(approval) {
                Some(cleared) => Disposition::Release(cleared),
                None => {
                    let note = words.refused(&name, verdict);
                    refuse(RefusalKind::Rejected, note.clone(), note)
                }
            },
            PersonSaid::Rejected(why) => {
                self.rejected.push(slot.key());
                refuse(RefusalKind::Rejected, words.rejected(&name, &why), why)
            }
            PersonSaid::Pending(review) => {
                let note = words.pending(&name, &review, &verdict.explanation);
                refuse(RefusalKind::Pending, note.clone(), note)
            }
            PersonSaid::Nobody => {
                let note = words.refused(&name, verdict);
                refuse(RefusalKind::Wrong, note.clone(), note)
            }
        };
    }

    /// A person approved the call in a slot, and this is what they cleared.
    pub fn released(&mut self, at: usize, cleared: ClearedCall) {
        if cleared.is_good_for(&self.scope, &self.digest(&cleared.call().name)) {
            self.set(at, Disposition::Release(cleared));
        }
    }

    /// What a person is asked about the call in a slot, where they were asked before.
    pub fn propose_again(&self, at: usize) -> Option<Proposal> {
        self.propose(&self.slots.get(at)?.judged)
    }

    /// The call in a slot has run, and the model is told this of its result. One that failed may be made again.
    pub fn returned(&mut self, at: usize, told: &str, succeeded: bool) {
        if let Some(slot) = self.slots.get_mut(at).filter(|_| succeeded) {
            slot.result = Some(told.to_owned());
        }
    }

    /// What the model is told of the call in a slot, beside its result.
    pub fn tell(&self, at: usize) -> (Standing, String) {
        let not_made = |told: String| (Standing::NotMade, told);
        match self.slots.get(at).map(|slot| &slot.disposition) {
            Some(Disposition::Release(_)) => (Standing::Kept, self.words.kept()),
            Some(Disposition::AskPerson(_)) => (Standing::Kept, self.words.waiting()),
            Some(Disposition::SendBack(told)) => not_made(told.clone()),
            Some(Disposition::Refuse(refusal)) => not_made(refusal.told.clone()),
            None => not_made(self.words.dropped()),
        }
    }

    /// Every call so far, in order.
    pub fn slots(&self) -> &[Slot<T>] {
        &self.slots
    }

    /// The call in a slot, where the face keeps something of its own with it.
    pub fn slot_mut(&mut self, at: usize) -> Option<&mut Slot<T>> {
        self.slots.get_mut(at)
    }

    /// All of it, when it is over.
    pub fn into_slots(self) -> Vec<Slot<T>> {
        self.slots
    }

    /// Why corrections have ended without success, where they have.
    pub fn gave_up(&self) -> Option<&str> {
        self.gave_up.as_deref()
    }

    /// The bound of corrections, for faults of an answer as a whole.
    pub fn tries_mut(&mut self) -> &mut Tries {
        &mut self.tries
    }

    /// The words of its language.
    pub fn words(&self) -> Words {
        self.words
    }

    /// Its guard.
    pub fn guard(&self) -> &Arc<Guard> {
        &self.guard
    }

    /// Whom and where it clears calls for.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The slots that the model was asked to correct.
    fn open(&self) -> Vec<usize> {
        let is_open = |slot: &Slot<T>| matches!(slot.disposition, Disposition::SendBack(_));
        self.slots.iter().enumerate().filter(|(_, slot)| is_open(slot)).map(|(at, _)| at).collect()
    }

    /// The calls that stand while others are corrected.
    fn kept(&self) -> Vec<CallKey> {
        match self.options.release {
            Release::AtOnce => self.done.iter().map(|(key, _)| key.clone()).collect(),
            Release::Together => self.slots.iter().filter(|slot| slot.is_kept()).map(Slot::key).collect(),
        }
    }

    /// What has run stands while the model corrects a call. Once nothing is wrong any more the same call is a new one,
    /// because a model may well look twice.
    fn remember_done(&mut self) {
        let round = || self.round.iter().filter_map(|at| self.slots.get(*at));
        let refused = |slot: &Slot<T>| matches!(slot.disposition, Disposition::SendBack(_) | Disposition::Refuse(_));
        if !round().any(refused) {
            self.done.clear();
            return;
        }
        let more: Vec<_> = round().filter_map(|slot| Some((slot.key(), slot.result.clone()?))).collect();
        self.done.extend(more);
    }

    fn tell_repeat(&self, judged: &Judged<T>) -> String {
        let key = judged.key();
        match (self.options.release, self.done.iter().find(|(known, _)| known.is_same(&key))) {
            (Release::Together, _) => self.words.kept(),
            (Release::AtOnce, Some((_, result))) => self.words.done_before(result),
            (Release::AtOnce, None) => self.words.done_beside(),
        }
    }

    fn take_new(&mut self, judged: Judged<T>) -> Placed<T> {
        let at = self.slots.len();
        // Until it is disposed of, it is refused.
        let disposition = Disposition::Refuse(self.refuse(RefusalKind::Wrong, &judged));
        self.slots.push(Slot { judged, attempt: 0, disposition, original: None, result: None });
        self.round.push(at);
        Placed::Slot(at)
    }

    /// One more call than was asked for: it is released where nothing at all is wrong with it, because a model may split
    /// one call into several.
    fn take_extra(&mut self, judged: Judged<T>, open: &[usize]) -> Placed<T> {
        let clean = judged.extent == Extent::Whole && !judged.verdict.status.is_refused();
        if !clean {
            return Placed::Dropped(judged, self.words.dropped());
        }
        let attempt = open.iter().filter_map(|at| self.slots.get(*at)).map(|slot| slot.attempt).max().unwrap_or(0);
        let placed = self.take_new(judged);
        if let Some(slot) = self.slots.last_mut() {
            slot.attempt = attempt.max(1);
        }
        placed
    }

    /// Decides on the calls of the last answer.
    fn dispose(&mut self, finish: Finish) {
        let mut wrong = Vec::new();
        for at in self.round.clone() {
            let Some(slot) = self.slots.get(at) else { continue };
            if self.comes_again(&slot.judged) {
                self.end_corrections(at, Ended::ByModel);
                continue;
            }
            match self.decide_now(&slot.judged, finish) {
                Some(disposition) => self.set(at, disposition),
                None => wrong.push(at),
            }
        }
        let mistakes = wrong.iter().filter_map(|at| self.slots.get(*at)).map(|slot| mistake(&slot.judged)).collect();
        for (at, over) in wrong.into_iter().zip(self.tries.round(mistakes)) {
            match over {
                None => self.send_back(at),
                Some(_) => self.end_corrections(at, Ended::ByModel),
            }
        }
    }

    fn send_back(&mut self, at: usize) {
        let Some(slot) = self.slots.get(at) else { return };
        let is_loop = slot.judged.verdict.findings.iter().any(|finding| finding.code.is(&STUCK));
        let (told, key) = (self.tell_wrong(&slot.judged), slot.judged.key());
        self.sent_back.push((key, is_loop));
        self.set(at, Disposition::SendBack(told));
    }

    /// Whether a call was sent back before and comes again unchanged. One that went round in circles stays cut, even where
    /// what was said since makes it look new; another may be right by now, because a step was missing before it.
    fn comes_again(&self, judged: &Judged<T>) -> bool {
        let key = judged.key();
        let refused = judged.verdict.status.is_refused();
        self.sent_back.iter().any(|(known, is_loop)| (*is_loop || refused) && known.is_same(&key))
    }

    /// What becomes of a call, where that does not depend on what was tried before; none where the model may correct it.
    fn decide_now(&self, judged: &Judged<T>, finish: Finish) -> Option<Disposition> {
        let Judged { call, verdict, extent, .. } = judged;
        let refuse = |kind| Some(Disposition::Refuse(self.refuse(kind, judged)));
        let runs = verdict.call.as_ref().map_or(call.name.as_str(), |call| call.name.as_str());
        if *extent == Extent::Unreadable {
            return refuse(RefusalKind::Unreadable);
        }
        if self.options.observed.contains(&call.name) {
            let digest = self.digest(&call.name);
            return Some(Disposition::Release(ClearedCall::observed(call.clone(), &self.scope, &digest)));
        }
        let irreversible = self.guard.is_irreversible(runs);
        let unsafe_to_run = *extent == Extent::Unclosed && irreversible && !verdict.status.is_refused();
        if *extent == Extent::Cut || unsafe_to_run {
            let asks = self.guard.policy().answers.ask_again.contains(&AskAgain::CutCall);
            let by_limit = finish == Finish::Limit || *extent == Extent::Unclosed;
            let again = by_limit || self.options.release == Release::AtOnce;
            return if asks && again && judged.answerable { None } else { refuse(RefusalKind::Cut) };
        }
        if self.rejected.iter().any(|known| known.is_same(&judged.key())) {
            return refuse(RefusalKind::Rejected);
        }
        if is_denied(verdict) {
            return refuse(RefusalKind::Denied);
        }
        let ask = || self.propose(judged).map(Disposition::AskPerson).or_else(|| refuse(RefusalKind::Wrong));
        match verdict.status {
            Status::RequiresReview => ask(),
            Status::Approved | Status::Caution
                if irreversible && self.options.irreversible == Irreversible::AskPerson =>
            {
                ask()
            }
            Status::Approved | Status::Caution => {
                let cleared = ClearedCall::of(verdict, &self.scope, &self.digest(runs));
                cleared.map(Disposition::Release).or_else(|| refuse(RefusalKind::Wrong))
            }
            Status::Rejected | Status::ValidationFailed if judged.answerable => None,
            Status::Rejected | Status::ValidationFailed if self.tries.then() == Then::Escalate => ask(),
            Status::Rejected | Status::ValidationFailed => refuse(RefusalKind::Wrong),
        }
    }

    /// The model is not asked for a call again: a person decides, or it is refused.
    fn end_corrections(&mut self, at: usize, ended: Ended) {
        let Some(slot) = self.slots.get(at) else { return };
        let whole = slot.judged.extent == Extent::Whole;
        let proposal = (self.tries.then() == Then::Escalate && whole).then(|| self.propose(&slot.judged)).flatten();
        if ended == Ended::ByModel {
            self.gave_up = Some(match whole {
                true => slot.judged.verdict.explanation.clone(),
                false => self.words.cut(&slot.judged.call.name),
            });
        }
        match proposal {
            Some(proposal) => self.set(at, Disposition::AskPerson(proposal)),
            None => self.refuse_wrong(at),
        }
    }

    fn refuse_wrong(&mut self, at: usize) {
        let Some(slot) = self.slots.get(at) else { return };
        let kind = if slot.judged.extent == Extent::Whole { RefusalKind::Wrong } else { RefusalKind::Cut };
        let refusal = self.refuse(kind, &slot.judged);
        self.set(at, Disposition::Refuse(refusal));
    }

    fn set(&mut self, at: usize, disposition: Disposition) {
        if let Some(slot) = self.slots.get_mut(at) {
            slot.disposition = disposition;
        }
    }

    fn refuse(&self, kind: RefusalKind, judged: &Judged<T>) -> Refusal {
        let (words, name, verdict) = (self.words, &judged.call.name, &judged.verdict);
        let (note, told) = match kind {
            RefusalKind::Unreadable => (words.unknown(name), words.unknown(name)),
            RefusalKind::Cut => (words.cut(name), words.cut_again(name)),
            RefusalKind::Denied => (words.refused(name, verdict), words.denied(verdict)),
            RefusalKind::Rejected => (words.rejected(name, &words.denied_before()), words.denied_before()),
            RefusalKind::Wrong | RefusalKind::Pending => (words.refused(name, verdict), self.tell_wrong(judged)),
        };
        Refusal { kind, note, told }
    }

    /// What is wrong with a call, for the model.
    fn tell_wrong(&self, judged: &Judged<T>) -> String {
        let verdict = &judged.verdict;
        match judged.extent {
            Extent::Cut | Extent::Unclosed if !verdict.status.is_refused() || judged.extent == Extent::Cut => {
                self.words.cut_again(&judged.call.name)
            }
            _ => verdict.feedback.clone().unwrap_or_else(|| verdict.explanation.clone()),
        }
    }

    fn propose(&self, judged: &Judged<T>) -> Option<Proposal> {
        let Judged { call, verdict, .. } = judged;
        let runs = verdict.call.as_ref().map_or(call.name.as_str(), |call| call.name.as_str());
        Proposal::of(call, verdict, &self.scope, &self.digest(runs), &self.guard.policy().version)
    }

    fn digest(&self, tool: &str) -> Arc<str> {
        self.guard.registry().map_or_else(|| "".into(), |registry| registry.digest(tool))
    }
}

/// Why the model is not asked for a call again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// It made the same mistake again, or used up its tries.
    ByModel,
    /// It could not be asked.
    Unasked,
}

/// How a call stands when the model is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is kept, and must not be made again.
    Kept,
    /// It was not made.
    NotMade,
}

impl<T> Judged<T> {
    /// What the call is compared by.
    pub fn key(&self) -> CallKey {
        CallKey::of(&self.call, self.verdict.call.as_ref())
    }
}

impl<T> Slot<T> {
    /// What the call is compared by.
    fn key(&self) -> CallKey {
        match &self.disposition {
            Disposition::Release(cleared) => CallKey::of(&self.judged.call, Some(cleared.call())),
            _ => self.judged.key(),
        }
    }

    /// Whether the call is released, or waits for a person.
    fn is_kept(&self) -> bool {
        matches!(self.disposition, Disposition::Release(_) | Disposition::AskPerson(_))
    }
}

fn mistake<T>(judged: &Judged<T>) -> Mistake {
    match judged.extent {
        Extent::Whole => Mistake::of_call(&judged.call, &judged.verdict.findings),
        _ => Mistake::of_answer(&CUT_CALL),
    }
}
