//! From verdicts to what the client gets: released, mended, sent back to the model, shown to a person, or refused.
//!
//! Calls are decided one by one: a refusal never drops its siblings. A certain repair is made at once. Else the model is
//! asked again on the tool-result channel, bounded in requests, time and tokens, and never twice for the same mistake;
//! then a person where the rules say so; else a text says why. Nothing waits without a limit, and every attempt is in
//! the audit.

use super::asked::Asked;
use super::correction::{Wrong, corrections};
use super::held::{Held, HeldCall, HeldChoice, Origin, Released, Settled, SettledChoice};
use super::json;
use super::judging::{Fate, Judged, Judging};
use super::people::{Answered, People};
use crate::ids::new_id;
use crate::turn::is_irreversible;
use async_trait::async_trait;
use countersign::contract::{Language, Status, ToolCall};
use countersign::feedback::attempts::{Attempts, Budget, Next, Spent, Then};
use countersign::say;
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
pub struct Settling {
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

/// How a call's way ended.
enum End {
    Release(ToolCall),
    /// With what a reader is told.
    Refuse(String),
    Cut(String),
    Person,
}

impl Settling {
    /// Decides.
    pub async fn settle(&self, held: Held) -> Settled {
        let began = Instant::now();
        let mut settled = Settled::default();
        let alone = held.choices.len() == 1;
        for choice in held.choices.into_iter().filter(|choice| !choice.calls.is_empty()) {
            let mut slots = self.first_look(&choice, tokens(held.usage.as_ref())).await;
            if alone {
                self.correct(&choice, &mut slots, &mut settled, began).await;
            }
            let decided = self.conclude(&choice, slots, &mut settled).await;
            settled.choices.push(decided);
        }
        settled
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
        if self.watched.contains(name) {
            return Some(End::Release(call.to_judge()));
        }
        let cut = at_limit && !call.complete;
        if cut || call.overlong || (call.origin == Origin::Text && !call.complete) {
            return Some(End::Cut(self.cut_note(name)));
        }
        let verdict = &slot.judged.verdict;
        if call.unclosed && !verdict.status.is_refused() && is_irreversible(&self.judging.guard, name) {
            return Some(End::Cut(self.cut_note(name)));
        }
        if !verdict.status.is_refused() && slot.attempt == 0 {
            return Some(End::Release(verdict.call.clone().unwrap_or_else(|| call.to_judge())));
        }
        match slot.attempts.next(&call.to_judge(), verdict, spent) {
            Next::Accept => Some(End::Release(verdict.call.clone().unwrap_or_else(|| call.to_judge()))),
            Next::Ask { .. } => None,
            Next::Escalate { .. } => Some(End::Person),
            Next::GiveUp { .. } => Some(End::Refuse(self.refusal(&slot.judged))),
        }
    }

    /// Asks the model again for what is wrong, as long as that may help.
    async fn correct(&self, choice: &HeldChoice, slots: &mut Vec<Slot>, settled: &mut Settled, began: Instant) {
        let mut more: Vec<Value> = Vec::new();
        let mut said = choice.clone();
        for _ in 0..self.options.tries {
            let open: Vec<usize> =
                (0..slots.len()).filter(|at| slots.get(*at).is_some_and(|s| s.end.is_none())).collect();
            let left = self.options.time.saturating_sub(began.elapsed());
            if open.is_empty() || left.is_zero() {
                break;
            }
            let wrong: Vec<Wrong> = open.iter().filter_map(|at| slots.get(*at)).map(|slot| self.wrong(slot)).collect();
            more.extend(corrections(self.judging.asked.wire, &said, &wrong));
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
            self.take_new_calls(&said, &open, slots, spent).await;
        }
        for slot in slots.iter_mut().filter(|slot| slot.end.is_none()) {
            slot.end = Some(match slot.attempts.fail("the model did not correct its call") {
                Next::Escalate { .. } => End::Person,
                _ => End::Refuse(self.refusal(&slot.judged)),
            });
        }
    }

    /// The calls of a correction take the places of those that were wrong, in order.
    async fn take_new_calls(&self, said: &HeldChoice, open: &[usize], slots: &mut Vec<Slot>, spent: Spent) {
        let mut calls = asked_for(said, open, slots).into_iter();
        for at in open {
            let Some(slot) = slots.get_mut(*at) else { continue };
            let Some(call) = calls.next() else {
                slot.end = Some(End::Refuse(self.refusal(&slot.judged)));
                continue;
            };
            slot.judged = self.judging.judge(call.clone()).await;
            slot.attempt += 1;
            slot.end = self.end_of(slot, said.at_limit, spent);
        }
        // A model may split one call into several; what it only repeats is known already.
        let attempt = open.iter().filter_map(|at| slots.get(*at)).map(|slot| slot.attempt).max().unwrap_or(1);
        for call in calls {
            let known =
                slots.iter().any(|slot| slot.judged.call.name == call.name && slot.judged.call.written == call.written);
            let judged = self.judging.judge(call.clone()).await;
            if known || judged.verdict.status.is_refused() || !call.complete {
                continue;
            }
            let end = judged.verdict.call.clone().map(End::Release);
            slots.push(Slot { judged, attempts: Attempts::new(Budget::default()), attempt, end });
        }
    }

    fn wrong(&self, slot: &Slot) -> Wrong {
        let call = &slot.judged.call;
        let verdict = &slot.judged.verdict;
        Wrong {
            id: call.id.clone().unwrap_or_else(|| self.call_id()),
            name: call.name.clone(),
            written: call.written.clone(),
            feedback: verdict.feedback.clone().unwrap_or_else(|| verdict.explanation.clone()),
        }
    }

    /// What the client gets of a choice, written down call by call.
    async fn conclude(&self, choice: &HeldChoice, slots: Vec<Slot>, settled: &mut Settled) -> SettledChoice {
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
                None => (None, Some(self.refusal(&slot.judged)), Fate::Refused),
            };
            let released = call.map(|call| self.release(&slot.judged.call, call, &mut ids));
            decided.calls.extend(released);
            decided.notes.extend(note);
            self.judging.record(&slot.judged, slot.attempt, &fate).await;
            settled.verdicts.push((slot.judged.verdict_id.clone(), fate.status(&slot.judged.verdict)));
        }
        decided
    }

    async fn ask_person(&self, judged: &Judged, said: &str) -> (Option<ToolCall>, Option<String>, Fate) {
        let name = &judged.call.name;
        match self.people.ask(&self.judging, judged, said).await {
            Answered::Yes { review, call } => (Some(call), None, Fate::Approved(review)),
            Answered::No { review, why } => {
                let note = say!(
                    self.language(),
                    "The tool call `{name}` was not made. {why}",
                    "工具调用 `{name}` 未执行。{why}"
                );
                (None, Some(note), Fate::Denied(review))
            }
            Answered::Later { review } => {
                let why = &judged.verdict.explanation;
                let note = say!(
                    self.language(),
                    "The tool call `{name}` was not made: it needs a person's approval, which is pending (review {review}). Once it is approved, the same call goes through. {why}",
                    "工具调用 `{name}` 未执行：需要人工批准，正在等待（审核 {review}）。批准后，同样的调用即可通过。{why}"
                );
                (None, Some(note), Fate::Waiting(review))
            }
            Answered::Nobody => (None, Some(self.refusal(judged)), Fate::Refused),
        }
    }

    /// The call in the client's hands: its own id where that is free, its own writing where nothing was changed.
    fn release(&self, made: &HeldCall, call: ToolCall, ids: &mut HashSet<String>) -> Released {
        let id = made.id.clone().filter(|id| !id.trim().is_empty() && !ids.contains(id));
        let id = id.unwrap_or_else(|| self.call_id());
        ids.insert(id.clone());
        let arguments = match serde_json::to_value(&call.arguments).unwrap_or_default() {
            Value::String(text) => once_each(text),
            arguments => write_arguments(&made.written, &arguments),
        };
        Released { id, name: call.name, arguments, origin: made.origin }
    }

    fn language(&self) -> Language {
        *self.language.get_or_init(|| language_of(&self.judging.asked))
    }

    fn call_id(&self) -> String {
        new_id(self.judging.asked.wire.call_prefix()).unwrap_or_default()
    }

    fn refusal(&self, judged: &Judged) -> String {
        let name = &judged.call.name;
        let why = &judged.verdict.explanation;
        match judged.verdict.status {
            Status::Rejected => say!(
                self.language(),
                "The tool call `{name}` was refused and not made. {why}",
                "工具调用 `{name}` 被拒绝，未执行。{why}"
            ),
            _ => say!(
                self.language(),
                "The tool call `{name}` was not made, because it is wrong and could not be put right. {why}",
                "工具调用 `{name}` 有误且无法改正，未执行。{why}"
            ),
        }
    }

    fn cut_note(&self, name: &str) -> String {
        say!(
            self.language(),
            "The tool call `{name}` was cut off before it was complete, so it was not made.",
            "工具调用 `{name}` 在写完之前被截断，未执行。"
        )
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

/// The calls of a correction. A model that was asked for one call may repeat all that it had made; those that were good
/// are kept already, and must neither take the place of the wrong one nor run twice.
fn asked_for<'a>(said: &'a HeldChoice, open: &[usize], slots: &[Slot]) -> Vec<&'a HeldCall> {
    let kept = slots.iter().enumerate().filter(|(at, _)| !open.contains(at)).map(|(_, slot)| &slot.judged.call);
    let mut kept: Vec<_> = kept.collect();
    let mut more = said.calls.len().saturating_sub(open.len());
    let mut calls = Vec::with_capacity(said.calls.len());
    for call in &said.calls {
        let known = kept.iter().position(|known| known.name == call.name && is_same(&known.written, &call.written));
        match known.filter(|_| more > 0) {
            Some(at) => {
                kept.swap_remove(at);
                more -= 1;
            }
            None => calls.push(call),
        }
    }
    calls
}

/// Whether two writings of arguments say the same.
fn is_same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || read(one).is_some_and(|one| Some(one) == read(other))
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
