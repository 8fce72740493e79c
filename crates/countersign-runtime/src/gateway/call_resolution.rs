//! One answer through the engine's resolution: its calls released, mended, sent back, shown to a person or refused, and its
//! words examined.
//!
//! Nothing is decided here. The engine's `Resolution` says what becomes of each call and when the model is asked again;
//! this carries it: corrections go upstream, bounded in time, proposals go to people, and what is released is on record
//! before it leaves.

use super::correction::{CorrectedCall, ask_for_answer, corrections};
use super::held::{CallForm, Held, HeldCall, HeldChoice, Origin, Released, Settled, SettledChoice};
use super::json;
use super::judging::{Fate, GatewayCall, Judging, Own};
use super::people::People;
use crate::ids::new_id;
use crate::metrics::Tokens;
use async_trait::async_trait;
use countersign::contract::{Context, Language, Takes, ToolCall};
use countersign::decide::{ClearedCall, Scope};
use countersign::feedback::attempts::{Budget, Spent, Then};
use countersign::inspect::{self, AnswerReport};
use countersign::parse::chatter;
use countersign::policy::DoubtfulAnswers;
use countersign::resolve::{
    self, Disposition, Finish, Irreversible, Next, Output, Placed, RefusalKind, Release, Resolution, ResolveOptions,
    Slot, Standing,
};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
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

/// Carries one answer through its resolution.
pub struct CallResolution {
    /// Judges its calls.
    pub judging: Judging,
    /// Asks the model again.
    pub again: Arc<dyn AskAgain>,
    /// Asks people.
    pub people: People,
    /// What may be spent.
    pub options: CorrectionOptions,
    /// Tools whose calls are only observed.
    pub observed: Arc<HashSet<String>>,
    /// What happens to an answer that a check doubts.
    pub doubtful: DoubtfulAnswers,
    /// Whether the model may call tools, so that an answer without calls may be asked for again.
    pub may_call: bool,
}

/// One choice on its way.
struct Work {
    resolution: Resolution<Own>,
    /// The last answer of the model.
    said: HeldChoice,
    /// What was put after the conversation so far.
    more: Vec<Value>,
    /// Ids of calls that were shown to the model.
    ids: HashSet<String>,
    /// What the last answer is worth, where it has words and no calls.
    report: Option<AnswerReport>,
    /// Whether the words of the last answer take the place of the first.
    replaces: bool,
}

/// What was decided on a call, for the audit: in which attempt, and what became of it.
type Decision = (GatewayCall, usize, Fate);

impl CallResolution {
    /// Whether anything is to be decided about an answer: it has calls, or words that may be asked for again or that rest
    /// on tool results.
    pub fn concerns(&self, held: &Held) -> bool {
        if held.has_calls() {
            return true;
        }
        let [choice] = held.choices.as_slice() else { return false };
        self.judging.asked.has_results() || (self.may_call && !choice.has_more && self.is_doubtful(&choice.text))
    }

    /// Whether the words of an answer may be none, or claim something: a look that most answers pass at once.
    fn is_doubtful(&self, text: &str) -> bool {
        let guard = &self.judging.guard;
        if text.trim().is_empty() || resolve::has_thoughts(text) || !guard.policy().answers.requires.is_empty() {
            return true;
        }
        let context = Context(self.judging.context.as_ref().clone());
        chatter::is_promise(text)
            || !inspect::claims_without_ground(guard, text, &[], &context, Language::of(text)).is_empty()
    }

    /// Decides about an answer.
    pub async fn resolve(&self, held: Held) -> Settled {
        let began = Instant::now();
        let (mut settled, mut decisions) = (Settled::default(), Vec::new());
        let alone = held.choices.len() == 1;
        for choice in held.choices {
            if choice.calls.is_empty() && !alone {
                continue;
            }
            let (index, at_limit, first) = (choice.index, choice.at_limit, choice.text.clone());
            let tokens = count_tokens(held.usage.as_ref());
            let mut work = self.begin(choice).await;
            self.correct(&mut work, tokens, alone, &mut settled, began).await;
            self.ask_people(&mut work, &first).await;
            self.record_answer(&work, &mut settled).await;
            settled.choices.extend(self.conclude(work, index, at_limit, &mut settled.verdicts, &mut decisions));
        }
        self.put_on_record(decisions, &mut settled).await;
        settled
    }

    async fn begin(&self, said: HeldChoice) -> Work {
        let options = ResolveOptions {
            budget: Budget {
                tries: self.options.tries,
                time_ms: Some(millis(self.options.time)),
                tokens: Some(self.options.tokens),
                then: self.options.then,
            },
            release: Release::Together,
            irreversible: Irreversible::Check,
            observed: Arc::clone(&self.observed),
        };
        let judging = &self.judging;
        let scope = Scope::new(&judging.caller, judging.answer());
        let guard = Arc::clone(&judging.guard);
        let language = self.language().await;
        let resolution = Resolution::new(guard, scope, options, language);
        Work { resolution, said, more: Vec::new(), ids: HashSet::new(), report: None, replaces: false }
    }

    /// Judges what the model said, and asks it again as long as the resolution wants that.
    async fn correct(&self, work: &mut Work, tokens: u64, alone: bool, settled: &mut Settled, began: Instant) {
        let mut spent = Spent { ms: 0, tokens };
        loop {
            let finish = finish_of(&work.said);
            let judged = self.judging.judge_all(&work.said.calls, finish).await;
            let placed = work.resolution.take(finish, judged, spent);
            self.record_asides(&placed, &work.resolution).await;
            let fault = match work.resolution.next() {
                Next::AskModel => None,
                _ if alone => match self.find_fault(work, spent).await {
                    Some(fault) => Some(fault),
                    None => break,
                },
                _ => break,
            };
            let left = self.options.time.saturating_sub(began.elapsed());
            let asked = Instant::now();
            let Some(answer) = self.ask_model(work, &placed, fault.as_deref(), alone, left).await else { break };
            settled.more_usage.extend(answer.usage.clone());
            self.count_correction(&answer);
            spent = Spent { ms: millis(asked.elapsed()), tokens: count_tokens(answer.usage.as_ref()) };
            work.replaces |= fault.is_some();
            work.report = None;
            work.said = answer.choices.into_iter().next().unwrap_or_default();
        }
        work.resolution.give_up_asking();
    }

    /// A correction costs its caller as well.
    fn count_correction(&self, answer: &Held) {
        let figure = |name: &str| answer.usage.as_ref().and_then(|usage| usage.get(name)?.as_u64()).unwrap_or(0);
        let [input, output] = [["prompt_tokens", "input_tokens"], ["completion_tokens", "output_tokens"]]
            .map(|names| names.into_iter().map(figure).max().unwrap_or(0));
        let (judging, tokens) = (&self.judging, Tokens { input, output, cached: 0 });
        let model = judging.asked.model.as_deref().unwrap_or("default");
        judging.metrics.count_tokens(&judging.caller, model, tokens);
    }

    /// What is wrong with an answer that made no call; its words are examined on the way.
    async fn find_fault(&self, work: &mut Work, spent: Spent) -> Option<String> {
        if !work.said.calls.is_empty() || !work.resolution.slots().is_empty() {
            return None;
        }
        let conversation = self.judging.conversation().await;
        let guard = &self.judging.guard;
        let thought = thought_of(&work.said);
        let output = Output { text: &work.said.text, thought: &thought, finish: finish_of(&work.said) };
        let words = work.resolution.words();
        let tries = work.resolution.tries_mut();
        if self.may_call && !work.said.at_limit && !work.said.has_more {
            let fault = resolve::find_fault(guard, &conversation, &output, tries, words, spent);
            if fault.is_some() {
                return fault.map(|fault| fault.told);
            }
        }
        let report = self.judging.examine(&work.said.text).await;
        let fault = report
            .as_ref()
            .and_then(|report| resolve::doubt(report, self.doubtful, work.resolution.tries_mut(), words));
        work.report = report;
        fault.map(|fault| fault.told)
    }

    /// Asks the model again: for calls, or for another answer. None where it cannot be asked or does not answer.
    async fn ask_model(
        &self,
        work: &mut Work,
        placed: &[Placed<Own>],
        fault: Option<&str>,
        alone: bool,
        left: Duration,
    ) -> Option<Held> {
        if !alone || left.is_zero() {
            return None;
        }
        let wire = self.judging.asked.wire;
        let items = match fault {
            Some(told) => ask_for_answer(wire, &work.said, told),
            None => {
                let answers = self.answers(placed, work);
                corrections(wire, &work.said, &answers)
            }
        };
        work.more.extend(items);
        let body = self.judging.asked.with_more(&work.more)?;
        self.record_sent_back(work).await;
        match self.again.ask_again(body, left).await {
            Ok(answer) => Some(answer),
            Err(why) => {
                tracing::info!(why, "a correction got no answer");
                None
            }
        }
    }

    /// Records the calls that go back to the model. Where it brings no other call, one is recorded again, under a new name:
    /// the store refuses a name twice.
    async fn record_sent_back(&self, work: &mut Work) {
        for at in 0..work.resolution.slots().len() {
            let Some(slot) = work.resolution.slot_mut(at) else { continue };
            if matches!(slot.disposition, Disposition::SendBack(_)) {
                self.judging.record(&slot.judged, slot.attempt, &Fate::Corrected).await;
                slot.judged.own.verdict_id = new_id("ver").unwrap_or_default();
            }
        }
    }

    /// Records calls of a correction that went into no slot.
    async fn record_asides(&self, placed: &[Placed<Own>], resolution: &Resolution<Own>) {
        let attempt = resolution.slots().iter().map(|slot| slot.attempt).max().unwrap_or(0).max(1);
        for placed in placed {
            match placed {
                Placed::Repeat(judged, _) => self.judging.record(judged, attempt, &Fate::Repeated).await,
                Placed::Dropped(judged, _) => self.judging.record(judged, attempt, &Fate::Refused).await,
                Placed::Slot(_) => {}
            }
        }
    }

    /// What the model is told of each call of its answer.
    fn answers(&self, placed: &[Placed<Own>], work: &mut Work) -> Vec<CorrectedCall> {
        let mut answers = Vec::with_capacity(placed.len());
        for (call, placed) in work.said.calls.iter().zip(placed) {
            let (standing, told) = match placed {
                Placed::Repeat(_, told) => (Standing::Kept, told.clone()),
                Placed::Dropped(_, told) => (Standing::NotMade, told.clone()),
                Placed::Slot(at) => work.resolution.tell(*at),
            };
            let id = self.free_id(call.id.as_deref(), &mut work.ids);
            let (name, written, form) = (call.name.clone(), call.written.clone(), call.form);
            answers.push(CorrectedCall { id, name, written, form, told, standing });
        }
        answers
    }

    async fn ask_people(&self, work: &mut Work, said: &str) {
        let Next::AskPeople(waiting) = work.resolution.next() else { return };
        for at in waiting {
            let Some(Slot { judged, disposition: Disposition::AskPerson(proposal), .. }) =
                work.resolution.slots().get(at)
            else {
                continue;
            };
            let (answer, ruling) = self.people.ask(&self.judging, judged, proposal, said).await;
            work.resolution.decide(at, answer);
            if let Some(slot) = work.resolution.slot_mut(at) {
                slot.judged.own.ruling = ruling;
            }
        }
    }

    /// Records what the answer's words are worth, and names the verdict where the policy wants that.
    async fn record_answer(&self, work: &Work, settled: &mut Settled) {
        let Some(report) = &work.report else { return };
        let named = self.judging.record_answer(&work.said.text, report).await;
        if self.doubtful != DoubtfulAnswers::Pass {
            settled.verdicts.push(named);
        }
    }

    /// What the client gets of a choice, and what the audit is told of it. None where it gets what came.
    fn conclude(
        &self,
        work: Work,
        index: u64,
        at_limit: bool,
        verdicts: &mut Vec<(String, &'static str)>,
        decisions: &mut Vec<Decision>,
    ) -> Option<SettledChoice> {
        let Work { resolution, said, replaces, .. } = work;
        let mut decided = SettledChoice { index, ..SettledChoice::default() };
        let scope = resolution.scope().clone();
        let slots = resolution.into_slots();
        if replaces && !said.text.trim().is_empty() {
            decided.replacement = Some(said.text);
        } else if slots.is_empty() {
            return None;
        }
        let mut ids = HashSet::new();
        for Slot { judged, attempt, disposition, .. } in slots {
            let fate = fate_of(&judged, &disposition);
            match disposition {
                Disposition::Release(cleared) if self.is_good(&cleared, &scope) => {
                    decided.calls.push(self.release(&judged.own.held, cleared, &mut ids));
                }
                Disposition::Refuse(refusal) => {
                    decided.at_limit |= at_limit && refusal.kind == RefusalKind::Cut;
                    decided.notes.push(refusal.note);
                }
                // Neither can be left: what is not decided is not released.
                _ => {
                    decided.notes.push(resolve::Words(Language::default()).refused(&judged.call.name, &judged.verdict))
                }
            }
            verdicts.push((judged.own.verdict_id.clone(), fate.status(&judged.verdict)));
            decisions.push((judged, attempt, fate));
        }
        Some(decided)
    }

    /// Whether a cleared call is this answer's, by the tool as the client declared it.
    fn is_good(&self, cleared: &ClearedCall, scope: &Scope) -> bool {
        let registry = self.judging.guard.registry();
        let digest = registry.map_or_else(|| "".into(), |registry| registry.digest(&cleared.call().name));
        cleared.is_good_for(scope, &digest)
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
        let words = resolve::Words(self.language().await);
        for choice in &mut settled.choices {
            let held_back = choice.calls.drain(..).map(|call| words.unrecorded(&call.name));
            choice.notes.extend(held_back);
        }
        for (judged, attempt, fate) in decisions {
            let fate = if fate.is_released() { Fate::Unrecorded } else { fate };
            ledger.record_instead(self.judging.entry(&judged, attempt, &fate)).await;
        }
    }

    /// The call in the client's hands: its own id where that is free, its own writing where nothing was changed.
    fn release(&self, made: &HeldCall, cleared: ClearedCall, ids: &mut HashSet<String>) -> Released {
        let call = cleared.call();
        let (id, form) = (self.free_id(made.id.as_deref(), ids), self.form(made, call));
        let (name, origin) = (call.name.clone(), made.origin);
        if let (CallForm::Text, Some(text)) = (form, call.arguments.free_text()) {
            return Released { id, arguments: text.to_owned(), name, origin, form };
        }
        let arguments = match serde_json::to_value(&call.arguments).unwrap_or_default() {
            Value::String(text) => without_repeats(text),
            arguments => write_arguments(&made.written, &arguments),
        };
        Released { id, name, arguments, origin, form }
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

    /// The id of a call, unlike those that are taken: two calls under one id could not be told apart.
    fn free_id(&self, wished: Option<&str>, taken: &mut HashSet<String>) -> String {
        let wished = wished.filter(|id| !id.trim().is_empty() && !taken.contains(*id)).map(str::to_owned);
        let id = wished.unwrap_or_else(|| new_id(self.judging.asked.wire.call_prefix()).unwrap_or_default());
        taken.insert(id.clone());
        id
    }

    async fn language(&self) -> Language {
        let conversation = self.judging.conversation().await;
        let policy = self.judging.rules.policy.language;
        policy.unwrap_or_else(|| conversation.language(&Context(self.judging.context.as_ref().clone())))
    }
}

/// What became of a call, for the audit.
fn fate_of(judged: &GatewayCall, disposition: &Disposition) -> Fate {
    let ruling = judged.own.ruling.clone();
    match disposition {
        Disposition::Release(_) => ruling.map_or(Fate::Released, Fate::Approved),
        Disposition::Refuse(refusal) => match (refusal.kind, ruling) {
            (RefusalKind::Cut, _) => Fate::Cut,
            (RefusalKind::Pending, Some(ruling)) => Fate::Waiting(ruling.review),
            (RefusalKind::Rejected, Some(ruling)) => Fate::Denied(ruling),
            _ => Fate::Refused,
        },
        Disposition::SendBack(_) | Disposition::AskPerson(_) => Fate::Refused,
    }
}

fn finish_of(choice: &HeldChoice) -> Finish {
    if choice.at_limit { Finish::Limit } else { Finish::Stop }
}

/// What a model thought, as text.
fn thought_of(choice: &HeldChoice) -> String {
    let texts = choice.thoughts.iter().flat_map(|thought| match thought {
        Value::String(text) => vec![text.clone()],
        block => {
            let parts = ["summary", "content"].iter().filter_map(|key| block.get(*key)?.as_array()).flatten();
            let parts = parts.filter_map(|part| part.get("text").and_then(Value::as_str));
            parts.chain(block.get("thinking").and_then(Value::as_str)).map(str::to_owned).collect()
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Arguments in the writing that they came in: only what was changed is written again, and each key once. Readers disagree
/// on which of two counts, and what is released is what was judged.
fn write_arguments(written: &str, arguments: &Value) -> String {
    match json::read(written).filter(|read| read.value.is_object() && !read.odd) {
        Some(read) if read.repeats => json::rewrite(&json::without_repeats(written), &read.value, arguments),
        Some(read) => json::rewrite(written, &read.value, arguments),
        None => arguments.to_string(),
    }
}

/// Arguments that nobody read, with the last of each key alone.
fn without_repeats(text: String) -> String {
    match json::read(&text) {
        Some(read) if read.repeats => json::without_repeats(&text),
        _ => text,
    }
}

/// The tokens of a bill, in whichever words it is written.
fn count_tokens(usage: Option<&Value>) -> u64 {
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
