//! Where a claim comes from, and what follows from it: a small graph over the messages of a session.
//!
//! A claim that repeats an earlier one shares its fate; one that was computed from others is disputed with them, and
//! pending until somebody looks. Only a verification takes a mark away: what agents say about themselves is not read, and
//! that nobody could tell settles nothing. Links
//! lead from later to earlier claims, so there are no cycles. Memory is bounded: settled claims go first, and a pending
//! one that must go is remembered by name, while its mark stays on its message.

/// What is kept of a claim.
mod record;
/// The claims that a value may repeat.
mod shelves;
/// The graph on disk.
mod kept;
/// The way that a value came.
mod trace;
/// Making room.
mod forget;

use super::arithmetic::derive::derive;
use super::known::surroundings::Surroundings;
use super::known::{Handed, Telling, repeats, tellings};
use super::mark::claim_id;
use crate::contract::{Claim, ClaimStatus, ClaimUpdate, Language, MarkedMessage};
use crate::localized;
use kept::Kept;
use record::{Message, Parent, Record, State};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shelves::Shelves;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub use record::{How, Limits, LineageError, Standing, Step};

/// The claims of a session and how they hang together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub struct Lineage {
    limits: Limits,
    next: u64,
    records: BTreeMap<u64, Record>,
    messages: BTreeMap<String, Message>,
    /// The latest messages that each agent was sent.
    received: BTreeMap<String, VecDeque<String>>,
    /// Pending claims that had to go, the latest of them, and how many there were in all.
    forgotten: VecDeque<String>,
    forgotten_in_all: u64,
    numbers: FxHashMap<String, u64>,
    tellings: FxHashMap<u64, Telling>,
    shelves: Shelves,
    /// Who goes first: settled before pending, old before new.
    leaving: BTreeSet<(bool, u64)>,
}

impl Lineage {
    /// An empty graph.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Adds a message that one agent sent to another, made from the messages `derived_from`; where none is named, from
    /// what the sender was last sent. Every claim begins as pending, whatever the message says of it. Returns the claims
    /// whose fate is known already: copies of settled ones. The same message twice adds nothing.
    pub fn add(
        &mut self,
        message: &MarkedMessage,
        from: &str,
        to: &str,
        derived_from: &[&str],
    ) -> Result<Vec<ClaimUpdate>, LineageError> {
        if message.id.is_empty() {
            return Err(LineageError::NoId);
        }
        let digest = digest(&message.content);
        if let Some(known) = self.messages.get(&message.id) {
            let taken = LineageError::Taken { id: message.id.clone() };
            return if known.digest == digest { Ok(Vec::new()) } else { Err(taken) };
        }
        if message.claims.is_empty() {
            return Ok(Vec::new());
        }
        let given = self.collect_given(from, derived_from);
        let node = Message { from: from.to_owned(), to: to.to_owned(), digest, claims: BTreeSet::new() };
        self.messages.insert(message.id.clone(), node);
        let read = tellings(&message.content, &message.claims);
        let mut updates = Vec::new();
        for (at, (claim, telling)) in message.claims.iter().zip(read).enumerate() {
            updates.extend(self.add_claim(message, at, claim, telling, &given));
        }
        self.receive(to, &message.id);
        self.make_room();
        Ok(updates)
    }

    /// Takes a verification and spreads it: to the copies, and where a claim is disputed to what was computed from it.
    /// A claim that was verified or disputed itself keeps that; that nobody could tell gives way to what holds of the
    /// claim that it repeats. Returns everything that changed, the settled claim first. A status of pending takes an
    /// earlier verification back.
    pub fn settle(&mut self, update: &ClaimUpdate) -> Vec<ClaimUpdate> {
        let Some(number) = self.numbers.get(&update.id).copied() else { return Vec::new() };
        let own = State { status: update.status, note: update.note.clone(), source: update.source.clone() };
        if let Some(record) = self.records.get_mut(&number) {
            record.own = (update.status != ClaimStatus::Pending).then_some(own);
        }
        let mut changed = Vec::new();
        let mut open = BTreeSet::from([number]);
        // Children are newer than their parents: in order of age each is looked at once.
        while let Some(number) = open.pop_first() {
            if let Some(update) = self.renew(number) {
                changed.push(update);
                open.extend(self.records.get(&number).into_iter().flat_map(|record| record.children.iter().copied()));
            }
        }
        changed
    }

    /// Takes updates as a log has them, each after those that it follows from. What a claim has from an earlier one is no
    /// verification of its own, so that it can change with it again.
    pub fn settle_logged(&mut self, updates: &[ClaimUpdate]) {
        for update in updates {
            if self.state(&update.id).as_ref() != Some(update) {
                self.settle(update);
            }
        }
    }

    /// What holds of a claim, as an update would say it; none where it is not kept.
    pub fn state(&self, claim_id: &str) -> Option<ClaimUpdate> {
        let Record { id, state, .. } = self.record(claim_id)?;
        let State { status, note, source } = state.clone();
        Some(ClaimUpdate { id: id.clone(), status, note, source })
    }

    /// What the graph knows of a claim.
    pub fn standing(&self, claim_id: &str) -> Standing {
        match self.record(claim_id) {
            Some(record) => Standing::Kept(record.state.status),
            None if self.forgotten.iter().any(|id| id == claim_id) => Standing::Forgotten,
            None => Standing::Unknown,
        }
    }

    /// The claims that are pending, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        let pending = |record: &&Record| record.state.status == ClaimStatus::Pending;
        self.records.values().filter(pending).map(|record| record.id.as_str())
    }

    /// How many claims are kept.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether no claim is kept.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many pending claims had to go.
    pub fn forgotten(&self) -> u64 {
        self.forgotten_in_all
    }

    fn record(&self, id: &str) -> Option<&Record> {
        self.numbers.get(id).and_then(|number| self.records.get(number))
    }

    /// The claims of the messages that a sender was handed, a bounded number of them.
    fn collect_given(&self, from: &str, derived_from: &[&str]) -> BTreeSet<u64> {
        let named = derived_from.iter().take(HANDED).filter_map(|id| self.messages.get(*id));
        let sent = self.received.get(from).into_iter().flatten().filter(|_| derived_from.is_empty());
        let messages = named.chain(sent.filter_map(|id| self.messages.get(id)));
        messages.flat_map(|message| message.claims.iter().copied()).take(GIVEN).collect()
    }

    fn receive(&mut self, to: &str, message: &str) {
        if self.received.len() >= AGENTS && !self.received.contains_key(to) {
            self.received.pop_first();
        }
        let list = self.received.entry(to.to_owned()).or_default();
        list.push_back(message.to_owned());
        if list.len() > RECEIVED {
            list.pop_front();
        }
    }

    fn add_claim(
        &mut self,
        message: &MarkedMessage,
        at: usize,
        claim: &Claim,
        telling: Telling,
        given: &BTreeSet<u64>,
    ) -> Option<ClaimUpdate> {
        let number = self.next;
        self.next += 1;
        let (sentence, start) = keep_sentence(&message.content, claim, &telling.around, self.limits.sentence);
        let record = Record {
            number,
            id: claim_id(&message.id, at),
            message: message.id.clone(),
            text: claim.text.clone(),
            kind: claim.kind.clone(),
            value: claim.value.clone(),
            language: claim.language,
            end: start + claim.text.len(),
            start,
            parents: Vec::new(),
            own: None,
            state: State::default(),
            children: BTreeSet::new(),
            // What is read from disk must be what was read at first.
            sentence,
        };
        let whole = telling.around.place.len() <= self.limits.sentence;
        let telling = if whole { telling } else { read_again(&record).unwrap_or(telling) };
        let mut parents = self.find_repeated(&telling, given);
        if parents.is_empty() {
            parents = self.find_derived(&telling, given, &message.id);
        }
        let record = Record { parents, ..record };
        let id = record.id.clone();
        self.link(record, telling);
        self.messages.get_mut(&message.id)?.claims.insert(number);
        self.renew(number).filter(|update| update.id == id)
    }

    /// The earlier claims that a claim repeats: of each message that was handed over the best, else the best anywhere.
    fn find_repeated(&self, telling: &Telling, given: &BTreeSet<u64>) -> Vec<Parent> {
        let like = |number: &u64, handed| Some((repeats(telling, self.tellings.get(number)?, handed)?, *number));
        let mut found: Vec<(f64, u64)> = given.iter().filter_map(|number| like(number, Handed::Given)).collect();
        if found.is_empty() {
            let others = self.shelves.search(telling);
            found = others.iter().filter_map(|number| like(number, Handed::Elsewhere)).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            found.truncate(1);
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        let mut parents: Vec<(&str, Parent)> = Vec::new();
        for record in found.iter().filter_map(|(_, number)| self.records.get(number)) {
            let known = parents.iter().any(|(message, _)| *message == record.message);
            if !known && parents.len() < self.limits.parents {
                parents.push((&record.message, parent(record, How::Repeats)));
            }
        }
        parents.into_iter().map(|(_, parent)| parent).collect()
    }

    /// The handed-over claims, or earlier ones of the same message, that a number follows from by arithmetic.
    fn find_derived(&self, telling: &Telling, given: &BTreeSet<u64>, message: &str) -> Vec<Parent> {
        let Some(wanted) = telling.amount().filter(|amount| amount.is_single() && telling.rarity >= 2) else {
            return Vec::new();
        };
        let own = self.messages.get(message).into_iter().flat_map(|message| message.claims.iter());
        let numbers: BTreeSet<u64> = given.iter().chain(own).copied().collect();
        let fits = |number: u64| {
            let other = self.tellings.get(&number)?;
            Some((self.records.get(&number)?, other, other.amount()?))
        };
        let operands: Vec<_> = numbers.into_iter().filter_map(fits).collect();
        let amounts: Vec<_> = operands.iter().map(|(_, _, amount)| *amount).collect();
        let Some(found) = derive(wanted, &amounts) else { return Vec::new() };
        let used: Vec<_> = found.operands.iter().filter_map(|at| operands.get(*at)).collect();
        let foreign = |other: &Telling| other.around.language != telling.around.language;
        let speaks_of = |other: &Telling| foreign(other) || telling.around.likeness(&other.around) > 0.0;
        if !used.iter().any(|(_, other, _)| speaks_of(other)) {
            return Vec::new();
        }
        let how = How::DerivesFrom { formula: found.formula };
        used.into_iter().take(self.limits.parents).map(|(record, ..)| parent(record, how.clone())).collect()
    }

    /// Puts a record into the graph and every index of it.
    fn link(&mut self, record: Record, telling: Telling) {
        for parent in record.parents.iter().filter(|parent| parent.gone.is_none()) {
            if let Some(parent) = self.records.get_mut(&parent.number) {
                parent.children.insert(record.number);
            }
        }
        self.numbers.insert(record.id.clone(), record.number);
        self.leaving.insert((record.state.status == ClaimStatus::Pending, record.number));
        self.shelves.put(record.number, &telling);
        self.tellings.insert(record.number, telling);
        self.records.insert(record.number, record);
    }

    /// Works out what holds of a claim now; the change, where there is one.
    fn renew(&mut self, number: u64) -> Option<ClaimUpdate> {
        let record = self.records.get(&number)?;
        let state = self.find_state(record);
        let record = self.records.get_mut(&number)?;
        if record.state == state {
            return None;
        }
        self.leaving.remove(&(record.state.status == ClaimStatus::Pending, number));
        self.leaving.insert((state.status == ClaimStatus::Pending, number));
        record.state = state.clone();
        Some(ClaimUpdate { id: record.id.clone(), status: state.status, note: state.note, source: state.source })
    }

    /// What was found of a claim itself, unless that was nothing and more is known of the one that it repeats.
    fn find_state(&self, record: &Record) -> State {
        let told = |status| matches!(status, ClaimStatus::Verified | ClaimStatus::Disputed);
        match &record.own {
            Some(own) if told(own.status) => own.clone(),
            Some(own) => Some(self.inherit_state(record)).filter(|state| told(state.status)).unwrap_or(own.clone()),
            None => self.inherit_state(record),
        }
    }

    /// What a claim has from those it hangs on. One disputed parent disputes it; of copies a verified one verifies it;
    /// what was computed is not verified by its operands, because nobody looked at the computation.
    fn inherit_state(&self, record: &Record) -> State {
        let states = record.parents.iter().filter_map(|parent| {
            let kept = self.records.get(&parent.number).map(|record| &record.state);
            Some((parent, kept.or(parent.gone.as_ref())?))
        });
        let states: Vec<(&Parent, &State)> = states.collect();
        let copies = || states.iter().filter(|(parent, _)| parent.how == How::Repeats);
        let disputed = states.iter().find(|(_, state)| state.status == ClaimStatus::Disputed);
        let verified = || copies().find(|(_, state)| state.status == ClaimStatus::Verified);
        let pending = || states.iter().find(|(_, state)| state.status == ClaimStatus::Pending);
        let untold = || copies().find(|(_, state)| state.status == ClaimStatus::Unverifiable);
        let decides = disputed.or_else(verified).or_else(|| if pending().is_some() { None } else { untold() });
        let Some((parent, state)) = decides else { return State::default() };
        let note = Some(path_note(record.language, parent, state.note.as_deref()));
        State { status: state.status, note, source: state.source.clone() }
    }
}

fn parent(record: &Record, how: How) -> Parent {
    Parent { number: record.number, id: record.id.clone(), how, gone: None }
}

/// "repeats m2.0, which repeats m1.0: stands in the table".
fn path_note(language: Language, parent: &Parent, note: Option<&str>) -> String {
    let id = &parent.id;
    let note: String = note.unwrap_or_default().chars().take(NOTE).collect();
    let path = match &parent.how {
        How::Repeats => localized!(language, "repeats {id}", "重复 {id}"),
        How::DerivesFrom { formula } => {
            localized!(language, "derives from {id} ({formula})", "由 {id} 推算（{formula}）")
        }
    };
    match note.as_str() {
        "" => path,
        note if ["repeats ", "derives from ", "重复 ", "由 "].iter().any(|start| note.starts_with(start)) => {
            localized!(language, "{path}, which {note}", "{path}，其{note}")
        }
        note => localized!(language, "{path}: {note}", "{path}：{note}"),
    }
}

/// The sentence of a claim, or the part around it where it is long, and where the claim begins in it.
fn keep_sentence(content: &str, claim: &Claim, around: &Surroundings, most: usize) -> (String, usize) {
    let place = &around.place;
    let (mut from, mut to) = (place.start, place.end);
    if place.len() > most {
        let room = most.saturating_sub(claim.end.saturating_sub(claim.start)) / 2;
        from = claim.start.saturating_sub(room).max(place.start);
        to = (claim.end + room).min(place.end);
    }
    while from < claim.start && !content.is_char_boundary(from) {
        from += 1;
    }
    while to > from && !content.is_char_boundary(to) {
        to -= 1;
    }
    let kept = content.get(from..to).unwrap_or_default();
    (kept.to_owned(), claim.start.saturating_sub(from).min(kept.len()))
}

/// Reads a claim from what is kept of it.
fn read_again(record: &Record) -> Option<Telling> {
    tellings(&record.sentence, &[record.claim()]).pop()
}

fn digest(content: &str) -> String {
    Sha256::digest(content.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// So many messages that a message was derived from are looked at.
const HANDED: usize = 64;
/// So many claims of them.
const GIVEN: usize = 512;
/// So many messages are remembered as sent to one agent.
const RECEIVED: usize = 8;
/// So many agents are remembered.
const AGENTS: usize = 1024;
/// So many characters of a note are handed down.
const NOTE: usize = 240;
