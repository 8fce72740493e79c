//! From verdicts to what the client gets: released, mended, sent back to the model, shown to a person, or refused.
//!
//! Calls are decided one by one: a refusal never drops its siblings. A certain repair is made at once. Else the model is
//! asked again on the tool-result channel, bounded in requests, time and tokens, and never twice for the same mistake;
//! then a person where the rules say so; else a text says why. A call that is kept is never released a second time
//! because the model repeats it in a correction. Nothing waits without a limit, and every attempt is in the audit.

use super::asked::Asked;
use super::correction::{CorrectedCall, Standing, corrections, takes_words};
use super::held::{CallForm, Held, HeldCall, HeldChoice, Origin, Released, Settled, SettledChoice};
use super::json;
use super::judging::{Fate, Judged, Judging};
use super::notes::{Notes, short};
use super::people::{Answered, People};
use super::placing::{Placement, place};
use crate::ids::new_id;
use crate::turn::{CallKey, is_irreversible};
use async_trait::async_trait;
use countersign::contract::{Language, Takes, ToolCall};
use countersign::feedback::attempts::{Attempts, Budget, Next, Spent, Then};
use countersign::localized;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Asks the model again.
#[async_trait]
pub trait AskAgain: Send + Sync {
    /// Sends a body and reads the answer to it, by this time at the latest.
    async fn ask_again(&self, body: bytes::Bytes, within: Duration) -> Result<Held, String>;
}

/// What may be spent on corrections.
#[derive(Debug, Clone, Copy)]
pub struct CorrectionOptions {
    /// How often the model is asked again.
    pub tries: usize,
    /// How long all of it may take.
    pub time: Duration,
    /// How many tokens all of it may cost.
    pub tokens: u64,
    /// Who decides when it did not help.
    pub then: Then,
}

/// Decides what becomes of an answer's calls.
pub struct CallResolution {
    /// Judges them.
    pub judging: Judging,
    /// Asks the model again.
    pub again: Arc<dyn AskAgain>,
    /// Asks people.
    pub people: People,
    /// What may be spent.
    pub options: CorrectionOptions,
    /// Tools whose calls are only watched.
    pub watched: Arc<HashSet<String>>,
    /// The language to speak, once somebody must be spoken to.
    pub language: OnceLock<Language>,
}

/// A call on its way to a decision.
struct Slot {
    judged: Judged,
    attempts: Attempts,
    attempt: usize,
    end: Option<End>,
}

/// What became of a call of an answer, for the model.
#[derive(Clone, Copy)]
enum Became {
    /// It is decided in this slot.
    Slot(usize),
    /// It repeated a call that is kept.
    Repeat,
    /// It was one more, and not good enough.
    Dropped,
}

/// What was decided on a call, for the audit: in which attempt, and what became of it.
type Decision = (Judged, usize, Fate);

/// How a call's way ended.
enum End {
    Release(ToolCall),
    /// With what a reader is told.
    Refuse(String),
    Cut(String),
    Person,
}

impl CallResolution {
    /// Decides.
    pub async fn settle(&self, held: Held) -> Settled {
        let began = Instant::now();
        let (mut settled, mut entries) = (Settled::default(), Vec::new());
        let alone = held.choices.len() == 1;
        for choice in held.choices.into_iter().filter(|choice| !choice.calls.is_empty()) {
            let mut slots = self.first_look(&choice, tokens(held.usage.as_ref())).await;
            if alone {
                self.correct(&choice, &mut slots, &mut settled, began).await;
            }
            let decided = self.conclude(&choice, slots, &mut settled, &mut entries).await;
            settled.choices.push(decided);
        }
        self.put_on_record(entries, &mut settled).await;
        settled
    }

    /// What is released is on record first; what cannot be recorded is held back.
    async fn put_on_record(&self, decisions: Vec<Decision>, settled: &mut Settled) {
        let ledger = &self.judging.ledger;
        let entry = |(judged, attempt, fate): &Decision| self.judging.entry(judged, *attempt, fate);
        if !decisions.iter().any(|(_, _, fate)| fate.is_released()) {
            for decision in &decisions {
                ledger.record(entry(decision)).await;
            }
            return;
        }
        if ledger.commit(decisions.iter().map(entry).collect()).await.is_ok() {
            return;
        }
        for choice in &mut settled.choices {
            let held_back = choice.calls.drain(..).map(|call| self.notes().unrecorded(&call.name));
            choice.notes.extend(held_back);
        }
        for (judged, attempt, fate) in decisions {
            let fate = if fate.is_released() { Fate::Unrecorded } else { fate };
            ledger.record_instead(self.judging.entry(&judged, attempt, &fate)).await;
        }
    }

    /// Judges every call once.
    async fn first_look(&self, choice: &HeldChoice, tokens: u64) -> Vec<Slot> {
        let budget = Budget {
            tries: self.options.tries,
            time_ms: Some(u64::try_from(self.options.time.as_millis()).unwrap_or(u64::MAX)),
            tokens: Some(self.options.tokens),
            then: self.options.then,
        };
        let mut slots = Vec::with_capacity(choice.calls.len());
        for call in &choice.calls {
            let judged = self.judging.judge(call.clone()).await;
            let attempts = Attempts::new(budget);
            // Most calls are right, and then nobody need know what language is spoken.
            let refused = judged.verdict.status.is_refused();
            let attempts = if refused { attempts.speaking(self.language()) } else { attempts };
            let mut slot = Slot { judged, attempts, attempt: 0, end: None };
            slot.end = self.end_of(&mut slot, choice.at_limit, Spent { ms: 0, tokens });
            slots.push(slot);
        }
        slots
    }

    /// How a call's way ends, if it ends here.
    fn end_of(&self, slot: &mut Slot, at_limit: bool, spent: Spent) -> Option<End> {
        let call = &slot.judged.call;
        let name = &call.name;
        if call.form == CallForm::Unknown {
            return Some(End::Refuse(self.notes().unknown(name)));
        }
        if self.watched.contains(name) {
            return Some(End::Release(call.to_judge()));
        }
        let cut = at_limit && !call.complete;
        if cut || call.overlong || (call.origin == Origin::Text && !call.complete) {
            return Some(End::Cut(self.notes().cut(name)));
        }
        let verdict = &slot.judged.verdict;
        if call.unclosed && !verdict.status.is_refused() && is_irreversible(&self.judging.guard, name) {
            return Some(End::Cut(self.notes().cut(name)));
        }
        if !verdict.status.is_refused() && slot.attempt == 0 {
            return Some(End::Release(verdict.call.clone().unwrap_or_else(|| call.to_judge())));
        }
        match slot.attempts.next(&call.to_judge(), verdict, spent) {
            Next::Accept => Some(End::Release(verdict.call.clone().unwrap_or_else(|| call.to_judge()))),
            Next::Ask { .. } if takes_words(call.form) => None,
            Next::Ask { .. } => match slot.attempts.fail("this call cannot be corrected in words") {
                Next::Escalate { .. } => Some(End::Person),
                _ => Some(End::Refuse(self.notes().refused(&slot.judged))),
            },
            Next::Escalate { .. } => Some(End::Person),
            Next::GiveUp { .. } => Some(End::Refuse(self.notes().refused(&slot.judged))),
        }
    }

    /// Asks the model again for what is wrong, as long as that may help.
    async fn correct(&self, choice: &HeldChoice, slots: &mut Vec<Slot>, settled: &mut Settled, began: Instant) {
        let mut more: Vec<Value> = Vec::new();
        let mut ids = HashSet::new();
        let mut said = choice.clone();
        let mut became: Vec<Became> = (0..slots.len()).map(Became::Slot).collect();
        for _ in 0..self.options.tries {
            let open: Vec<usize> =
                (0..slots.len()).filter(|at| slots.get(*at).is_some_and(|s| s.end.is_none())).collect();
            let left = self.options.time.saturating_sub(began.elapsed());
            if open.is_empty() || left.is_zero() {
                break;
            }
            more.extend(corrections(self.judging.asked.wire, &said, &self.answers(&said, &became, slots, &mut ids)));
            let Some(body) = self.judging.asked.with_more(&more) else { break };
            for at in &open {
                if let Some(slot) = slots.get_mut(*at) {
                    self.judging.record(&slot.judged, slot.attempt, &Fate::Corrected).await;
                    // Where the model brings no other call, this one is written down again: an entry has a name of its
                    // own, and the store refuses a name twice.
                    slot.judged.verdict_id = new_id("ver").unwrap_or_default();
                }
            }
            let asked = Instant::now();
            let answer = match self.again.ask_again(body, left).await {
                Ok(answer) => answer,
                Err(why) => {
                    tracing::info!(why, "a correction got no answer");
                    break;
                }
            };
            settled.more_usage.extend(answer.usage.clone());
            let spent = Spent { ms: millis(asked.elapsed()), tokens: tokens(answer.usage.as_ref()) };
            said = answer.choices.into_iter().next().unwrap_or_default();
            became = self.take_new_calls(&said, &open, slots, spent).await;
        }
        for slot in slots.iter_mut().filter(|slot| slot.end.is_none()) {
            slot.end = Some(match slot.attempts.fail("the model did not correct its call") {
                Next::Escalate { .. } => End::Person,
                _ => End::Refuse(self.notes().refused(&slot.judged)),
            });
        }
    }

    /// The calls of a correction take the places of those that were wrong. What repeats a call that is kept is answered
    /// and goes nowhere; one more is released once, because a model may split one call into several.
    async fn take_new_calls(
        &self,
        said: &HeldChoice,
        open: &[usize],
        slots: &mut Vec<Slot>,
        spent: Spent,
    ) -> Vec<Became> {
        let mut judged = Vec::with_capacity(said.calls.len());
        for call in &said.calls {
            judged.push(self.judging.judge(call.clone()).await);
        }
        let attempt = open.iter().filter_map(|at| slots.get(*at)).map(|slot| slot.attempt + 1).max().unwrap_or(1);
        let kept: Vec<CallKey> = slots.iter().filter_map(Slot::kept).collect();
        let wrong: Vec<CallKey> = open.iter().filter_map(|at| slots.get(*at)).map(|slot| slot.judged.key()).collect();
        let places = place(&kept, &wrong, &judged.iter().map(Judged::key).collect::<Vec<_>>());
        let mut became = Vec::with_capacity(places.len());
        let mut corrected = HashSet::new();
        for (judged, place) in judged.into_iter().zip(places) {
            let slot = match place {
                Placement::Slot(at) => open.get(at).and_then(|at| Some((*at, slots.get_mut(*at)?))),
                Placement::Repeat => {
                    self.judging.record(&judged, attempt, &Fate::Repeated).await;
                    became.push(Became::Repeat);
                    continue;
                }
                Placement::Extra => None,
            };
            became.push(match slot {
                Some((at, slot)) => {
                    slot.judged = judged;
                    slot.attempt += 1;
                    slot.end = self.end_of(slot, said.at_limit, spent);
                    corrected.insert(at);
                    Became::Slot(at)
                }
                None => self.take_extra(judged, attempt, slots).await,
            });
        }
        for at in open.iter().filter(|at| !corrected.contains(*at)) {
            if let Some(slot) = slots.get_mut(*at) {
                slot.end = Some(End::Refuse(self.notes().refused(&slot.judged)));
            }
        }
        became
    }

    /// One more call than was asked for: it is released where nothing at all is wrong with it.
    async fn take_extra(&self, judged: Judged, attempt: usize, slots: &mut Vec<Slot>) -> Became {
        let HeldCall { name, complete, unclosed, overlong, form, .. } = &judged.call;
        let unsafe_to_run = *unclosed && is_irreversible(&self.judging.guard, name);
        let whole = *complete && !*overlong && !unsafe_to_run && *form != CallForm::Unknown;
        let call = judged.verdict.call.clone().filter(|_| whole && !judged.verdict.status.is_refused());
        let Some(call) = call else {
            self.judging.record(&judged, attempt, &Fate::Refused).await;
            return Became::Dropped;
        };
        let end = Some(End::Release(call));
        slots.push(Slot { judged, attempts: Attempts::new(Budget::default()), attempt, end });
        Became::Slot(slots.len() - 1)
    }

    /// What the model is told of each call of its answer.
    fn answers(
        &self,
        said: &HeldChoice,
        became: &[Became],
        slots: &[Slot],
        ids: &mut HashSet<String>,
    ) -> Vec<CorrectedCall> {
        let answer = |(call, became): (&HeldCall, &Became)| {
            let (standing, told) = match became {
                Became::Repeat => (Standing::Kept, self.notes().kept()),
                Became::Dropped => (Standing::NotMade, self.notes().dropped()),
                Became::Slot(at) => self.told(slots.get(*at)?),
            };
            // Two calls under one id could not be told apart.
            let id = call.id.clone().filter(|id| !id.trim().is_empty() && !ids.contains(id));
            let id = id.unwrap_or_else(|| self.call_id());
            ids.insert(id.clone());
            let (name, written, form) = (call.name.clone(), call.written.clone(), call.form);
            Some(CorrectedCall { id, name, written, form, told, standing })
        };
        said.calls.iter().zip(became).filter_map(answer).collect()
    }

    /// What the model is told of the call in a slot.
    fn told(&self, slot: &Slot) -> (Standing, String) {
        let verdict = &slot.judged.verdict;
        match &slot.end {
            None => (Standing::NotMade, verdict.feedback.clone().unwrap_or_else(|| verdict.explanation.clone())),
            Some(End::Release(_)) => (Standing::Kept, self.notes().kept()),
            Some(End::Person) => (Standing::Kept, self.notes().waiting()),
            Some(End::Refuse(note) | End::Cut(note)) => (Standing::NotMade, note.clone()),
        }
    }

    /// What the client gets of a choice, and what the audit is told of it.
    async fn conclude(
        &self,
        choice: &HeldChoice,
        slots: Vec<Slot>,
        settled: &mut Settled,
        decisions: &mut Vec<Decision>,
    ) -> SettledChoice {
        let mut decided = SettledChoice { index: choice.index, ..SettledChoice::default() };
        let mut ids = HashSet::new();
        for slot in slots {
            let (call, note, fate) = match slot.end {
                Some(End::Release(call)) => (Some(call), None, Fate::Released),
                Some(End::Cut(note)) => {
                    decided.at_limit |= choice.at_limit;
                    (None, Some(note), Fate::Cut)
                }
                Some(End::Person) => self.ask_person(&slot.judged, &choice.text).await,
                Some(End::Refuse(note)) => (None, Some(note), Fate::Refused),
                None => (None, Some(self.notes().refused(&slot.judged)), Fate::Refused),
            };
            let released = call.map(|call| self.release(&slot.judged.call, call, &mut ids));
            decided.calls.extend(released);
            decided.notes.extend(note);
            settled.verdicts.push((slot.judged.verdict_id.clone(), fate.status(&slot.judged.verdict)));
            decisions.push((slot.judged, slot.attempt, fate));
        }
        decided
    }

    async fn ask_person(&self, judged: &Judged, said: &str) -> (Option<ToolCall>, Option<String>, Fate) {
        let name = &short(&judged.call.name);
        match self.people.ask(&self.judging, judged, said).await {
            Answered::Yes { review, call } => (Some(call), None, Fate::Approved(review)),
            Answered::No { review, why } => {
                let note = localized!(
                    self.language(),
                    "The tool call `{name}` was not made. {why}",
                    "工具调用 `{name}` 未执行。{why}"
                );
                (None, Some(note), Fate::Denied(review))
            }
            Answered::Later { review } => {
                let why = &judged.verdict.explanation;
                let note = localized!(
                    self.language(),
                    "The tool call `{name}` was not made: it needs a person's approval, which is pending (review {review}). Once it is approved, the same call goes through. {why}",
                    "工具调用 `{name}` 未执行：需要人工批准，正在等待（审核 {review}）。批准后，同样的调用即可通过。{why}"
                );
                (None, Some(note), Fate::Waiting(review))
            }
            Answered::Nobody => (None, Some(self.notes().refused(judged)), Fate::Refused),
        }
    }

    /// The call in the client's hands: its own id where that is free, its own writing where nothing was changed.
    fn release(&self, made: &HeldCall, call: ToolCall, ids: &mut HashSet<String>) -> Released {
        let id = made.id.clone().filter(|id| !id.trim().is_empty() && !ids.contains(id));
        let id = id.unwrap_or_else(|| self.call_id());
        ids.insert(id.clone());
        let form = self.form(made, &call);
        if let (CallForm::Text, Some(text)) = (form, call.arguments.free_text()) {
            return Released { id, arguments: text.to_owned(), name: call.name, origin: made.origin, form };
        }
        let arguments = match serde_json::to_value(&call.arguments).unwrap_or_default() {
            Value::String(text) => once_each(text),
            arguments => write_arguments(&made.written, &arguments),
        };
        Released { id, name: call.name, arguments, origin: made.origin, form }
    }

    /// How a call is written for the client: as it came, and where it came as text, as its tool takes it.
    fn form(&self, made: &HeldCall, call: &ToolCall) -> CallForm {
        let registry = self.judging.guard.registry();
        let spec = || registry.and_then(|registry| registry.spec(registry.find(&call.name)?));
        match made.origin {
            Origin::Text if spec().is_some_and(|spec| spec.takes == Takes::Text) => CallForm::Text,
            _ => made.form,
        }
    }

    fn language(&self) -> Language {
        *self.language.get_or_init(|| language_of(&self.judging.asked))
    }

    fn notes(&self) -> Notes {
        Notes(self.language())
    }

    fn call_id(&self) -> String {
        new_id(self.judging.asked.wire.call_prefix()).unwrap_or_default()
    }
}

/// Arguments in the writing that they came in: only what was changed is written anew, and a key stands there once. Readers
/// disagree on which of two counts, and what is released is what was judged.
fn write_arguments(written: &str, arguments: &Value) -> String {
    match json::read(written).filter(|read| read.value.is_object() && !read.odd) {
        Some(read) if read.repeats => json::rewrite(&json::without_repeats(written), &read.value, arguments),
        Some(read) => json::rewrite(written, &read.value, arguments),
        None => arguments.to_string(),
    }
}

/// Arguments that nobody read, with the last of each key alone.
fn once_each(text: String) -> String {
    match json::read(&text) {
        Some(read) if read.repeats => json::without_repeats(&text),
        _ => text,
    }
}

impl Slot {
    /// The call that is kept here: decided for the client, or before a person.
    fn kept(&self) -> Option<CallKey> {
        match self.end.as_ref()? {
            End::Release(call) => Some(CallKey::of(&self.judged.call.to_judge(), Some(call))),
            End::Person => Some(self.judged.key()),
            End::Refuse(_) | End::Cut(_) => None,
        }
    }
}

/// The language that a client speaks: that of its last user message.
fn language_of(asked: &Asked) -> Language {
    let messages = asked.messages();
    let said = messages.iter().rev().find(|message| message.get("role").and_then(Value::as_str) == Some("user"));
    match said.and_then(|message| message.get("content")) {
        Some(Value::String(text)) => Language::of(text),
        Some(Value::Array(parts)) => {
            let text = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<String>();
            Language::of(&text)
        }
        _ => Language::default(),
    }
}

/// The tokens of a bill, in whichever words it is written.
fn tokens(usage: Option<&Value>) -> u64 {
    let Some(usage) = usage else { return 0 };
    let figure = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    match figure("total_tokens") {
        0 => figure("input_tokens") + figure("output_tokens") + figure("prompt_tokens") + figure("completion_tokens"),
        total => total,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
