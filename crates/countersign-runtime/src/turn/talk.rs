//! An agent in conversation with its model: it is asked, its calls are settled and its errands run, and it is asked
//! again, until it answers.

use super::answers::{Grounds, is_errand};
use super::conversation_state::{Answered, ConversationState, Errand, ErrandLimits, Record, Talk, Told};
use super::ending::Ending;
use super::errands::Delegation;
use super::held::Standing;
use super::listen::{Heard, HeardCall, Listening, Unheard, listen};
use super::outbox::warning;
use super::prompt;
use super::rules;
use super::settled::Settled;
use super::tags::{Keeper, NoTags};
use super::turn_context::AgentRun;
use super::verdicts::recorded_call;
use crate::agents::Protocol;
use crate::ids::new_id;
use crate::models::Ask;
use crate::sessions::{Analysis, FileKind};
use crate::stream::Draft;
use crate::usage;
use countersign::contract::{ContentType, EventType, Language};
use countersign::feedback::attempts::Spent;
use countersign::inspect::AnswerReport;
use countersign::parse::TagRead;
use countersign::parse::tags::concierge;
use countersign::resolve::{self, CallKey, Finish, Output};
use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tracing::Instrument;

/// How words of an answer are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputMode {
    /// For the reader, with tags and calls where the agent has them.
    Open,
    /// For the reader, and without calls.
    Aloud,
    /// Not for the reader, and without calls.
    Quiet,
}

impl AgentRun<'_> {
    /// Asks and settles until the model answers.
    pub(super) async fn converse(&self, talk: Talk) -> Result<Answered, Ending> {
        let Talk { mut messages, mut sources, question } = talk;
        let mut state =
            ConversationState { resolution: self.resolution(), errands: ErrandLimits::default(), first: None };
        for round in 1..=self.spec.budget.rounds.max(1) {
            let step = self.step(round);
            let told = match self.hear(&step, &messages, OutputMode::Open, state.errands).await {
                // The first answer was empty; keep it, because the log already has it.
                Err(Ending::Failed { message, .. }) if state.first.is_some() => {
                    self.outbox.write(vec![warning("not_asked_again", &message)]).await?;
                    return Ok(Answered { text: state.first.take().unwrap_or_default() });
                }
                told => told?,
            };
            let heard = &told.heard;
            if !heard.calls.is_empty() {
                let before = self.before_calls(&step, &told).await?;
                let asked = Arc::new(messages.clone());
                let (calls, finish) = (distinct(&heard.calls), finish_of(heard));
                let settled = self.settle(&step, &calls, &asked, finish, before, &mut state.resolution).await?;
                let errands = self.errands(&step, heard, &mut state.errands).await?;
                extend(&mut messages, heard, &settled);
                sources.extend(errands.iter().map(|errand| errand.evidence.clone()));
                messages.extend(errands.iter().map(Errand::message));
                if let Some(why) = state.resolution.gave_up() {
                    return self.give_up(&step, why).await;
                }
                continue;
            }
            let grounds = Grounds { question: &question, messages: &messages, sources: &sources };
            let examined = self.examine(&told, &grounds).await?;
            let fault = self.fault_of(&told, &messages, examined.report.as_ref(), &mut state);
            let standing =
                match fault.is_none() && !heard.tags.iter().any(|tag| tag.tag == "web_search" && tag.complete) {
                    true => Standing::Last,
                    false => Standing::Draft(fault.clone()),
                };
            if let Some(text) = self.say(&step, &told, &grounds, &examined, standing).await? {
                return Ok(Answered { text });
            }
            let errands = self.errands(&step, heard, &mut state.errands).await?;
            if fault.is_none() && !errands.iter().any(|errand| errand.asks_again) {
                return Ok(Answered { text: heard.text.clone() });
            }
            state.first = fault.is_some().then(|| heard.text.clone());
            messages.push(json!({"role": "assistant", "content": heard.raw}));
            sources.extend(errands.iter().map(|errand| errand.evidence.clone()));
            messages.extend(errands.iter().map(Errand::message));
            messages.extend(fault.map(|told| json!({"role": "user", "content": told})));
        }
        let message = format!("the model was asked {} times and did not come to an answer", self.spec.budget.rounds);
        Err(Ending::Failed { code: "too_many_rounds", message, retryable: true })
    }

    /// Runs the errands of an answer.
    async fn errands(&self, step: &str, heard: &Heard, limits: &mut ErrandLimits) -> Result<Vec<Errand>, Ending> {
        let of = |name: &str| heard.tags.iter().filter(|tag| tag.tag == name && tag.complete).collect::<Vec<_>>();
        let (searches, tasks) = (of("web_search"), of("call_orchestrator"));
        if searches.is_empty() && tasks.is_empty() {
            return Ok(Vec::new());
        }
        limits.searches = limits.searches.saturating_sub(usize::from(!searches.is_empty()));
        limits.delegated |= !tasks.is_empty();
        let found = async { if searches.is_empty() { Ok(None) } else { self.search(step, &searches).await.map(Some) } };
        let delegated = join_all(tasks.iter().zip(1..).map(|(task, at)| Box::pin(self.delegate(step, at, task))));
        let (found, delegated) = tokio::join!(found, delegated);
        let mut errands: Vec<Errand> = found?.into_iter().collect();
        for task in delegated {
            errands.extend(task?);
        }
        Ok(errands)
    }

    /// Has a task worked on by the agent that takes it.
    async fn delegate(&self, step: &str, at: usize, task: &TagRead) -> Result<Option<Errand>, Ending> {
        let Some(Delegation { spec, path, talk }) = self.hand_over(step, at, task).await? else { return Ok(None) };
        let outbox = self.outbox.of(&spec.name);
        let agent_run = AgentRun::new(self.context, spec, outbox, path.clone()).await;
        let answered = agent_run.converse(talk).await;
        self.take_back(&path, task, answered).await
    }

    /// Why the model is asked again for an answer: as the log says, where it knows more of it than its words.
    fn fault_of(
        &self,
        told: &Told,
        messages: &[Value],
        report: Option<&AnswerReport>,
        state: &mut ConversationState,
    ) -> Option<String> {
        match &told.record {
            Record::Held(_) | Record::Written { decided: true, .. } => None,
            Record::Written { asked_again: Some(fault), .. } => Some(fault.clone()),
            _ if !told.heard.tags.is_empty() => None,
            _ => self.find_fault(&told.heard, messages, report, state),
        }
    }

    /// What the model is told when its answer was none, or is doubted and the policy wants such answers corrected.
    fn find_fault(
        &self,
        heard: &Heard,
        messages: &[Value],
        report: Option<&AnswerReport>,
        state: &mut ConversationState,
    ) -> Option<String> {
        let (guard, words) = (Arc::clone(state.resolution.guard()), state.resolution.words());
        let output = Output { text: &heard.text, thought: &heard.thought, finish: finish_of(heard) };
        let tries = state.resolution.tries_mut();
        let conversation = rules::conversation(messages);
        let fault = resolve::find_fault(&guard, &conversation, &output, tries, words, Spent::default());
        let doubtful = guard.policy().answers.doubtful;
        let fault = fault.or_else(|| resolve::doubt(report?, doubtful, tries, words));
        fault.map(|fault| fault.told)
    }

    /// One answer of the model: from the log where it is there, else asked for.
    pub(super) async fn hear(
        &self,
        step: &str,
        messages: &[Value],
        output: OutputMode,
        errands: ErrandLimits,
    ) -> Result<Told, Ending> {
        if let Some(told) = self.recorded(step) {
            return Ok(told);
        }
        if let Some(told) = self.find_held(step).await? {
            return Ok(told);
        }
        let span = tracing::info_span!(
            "chat",
            otel.name = format!("chat {}", self.model().as_deref().unwrap_or("default")),
            gen_ai.provider.name = "openai",
            otel.kind = "client",
            gen_ai.operation.name = "chat",
            gen_ai.conversation.id = %self.context.session.session_id,
            gen_ai.request.model = self.model().as_deref().unwrap_or("default"),
            gen_ai.usage.input_tokens = tracing::field::Empty,
            gen_ai.usage.output_tokens = tracing::field::Empty,
        );
        self.time_budget.spend(self.ask(messages, output, errands)).instrument(span).await
    }

    /// Asks the model. One that refuses pictures is asked without them, and the reader is told.
    async fn ask(&self, messages: &[Value], output: OutputMode, errands: ErrandLimits) -> Result<Told, Ending> {
        let context = self.context;
        let blind = context.is_blind.load(Ordering::Relaxed);
        let words = || prompt::without_pictures(messages, context.language);
        let shown = if blind { words() } else { None };
        let error = match self.ask_once(shown.as_deref().unwrap_or(messages), output, errands).await {
            Err(Unheard::Refused(error)) => error,
            told => return Ok(told?),
        };
        let Some(messages) = words().filter(|_| !blind && error.refuses_pictures()) else { return Err(error.into()) };
        if !context.is_blind.swap(true, Ordering::Relaxed) {
            context.sessions.count_analysis(FileKind::Image, Analysis::RefusedByModel);
            let told = format!("the model refused the pictures and was asked without them ({error})");
            self.outbox.write(vec![warning("pictures_refused", &told)]).await?;
        }
        Ok(self.ask_once(&messages, output, errands).await?)
    }

    async fn ask_once(&self, messages: &[Value], output: OutputMode, errands: ErrandLimits) -> Result<Told, Unheard> {
        let context = self.context;
        let tools =
            if output == OutputMode::Open { self.tools.specs.iter().map(declared).collect() } else { Vec::new() };
        let ask = Ask { model: self.model(), messages: messages.to_vec(), tools };
        let answer = context.model.ask(ask).await.map_err(Unheard::Refused)?;
        let message_id: Arc<str> = new_id("msg").map_err(|error| Ending::internal(&error))?.into();
        let tagged = output == OutputMode::Open && self.spec.protocol == Protocol::Concierge;
        let listening = Listening {
            aloud: (output != OutputMode::Quiet && !self.holds_answers())
                .then(|| (&self.outbox, Arc::clone(&message_id))),
            tags: tagged.then(concierge),
            tools: self.tools.written.clone().filter(|_| output == OutputMode::Open),
            planted: context.planted,
        };
        if !tagged {
            let heard = listen(answer, &listening, &mut NoTags).await?;
            self.count(&heard);
            return Ok(Told { message_id, heard, record: Record::New });
        }
        let can_delegate = self.spec.delegate.as_ref().is_some_and(|name| context.services.agents.get(name).is_some());
        let mut keeper = Keeper {
            sessions: context.sessions,
            session: &context.session.session_id,
            outbox: &self.outbox,
            language: context.language,
            searches: context.services.search.as_ref().map(|_| if errands.searches > 0 { MAX_SEARCHES } else { 0 }),
            tasks: if can_delegate && !errands.delegated { MAX_TASKS } else { 0 },
            failed: Vec::new(),
            seen: 0,
        };
        let mut heard = listen(answer, &listening, &mut keeper).await?;
        self.count(&heard);
        // What could not be carried out is over: its sentence says so.
        let failed = keeper.failed;
        let mut at = 0;
        heard.tags.retain(|tag| {
            at += 1;
            !(failed.contains(&(at - 1)) && is_errand(&tag.tag))
        });
        Ok(Told { message_id, heard, record: Record::New })
    }

    /// Counts what an answer cost.
    fn count(&self, heard: &Heard) {
        usage::record(&tracing::Span::current(), heard.tokens);
        let (context, model) = (self.context, self.model().or_else(|| heard.model.clone()));
        let tools = heard.calls.iter().map(|heard| heard.call.name.as_str());
        context.sessions.count_tokens(context.session, heard.tokens, model.as_deref(), tools);
    }

    /// An answer that the log has.
    fn recorded(&self, step: &str) -> Option<Told> {
        let journal = self.context.journal;
        let verdicts = journal.of(EventType::Verdict, step);
        let said = journal.of(EventType::Message, step).first();
        if said.is_none() && verdicts.is_empty() {
            return None;
        }
        let heard = Heard::read(said);
        // The calls themselves are found again with their verdicts.
        let heard = Heard { calls: verdicts.iter().map(recorded_call).collect(), ..heard };
        let word = |name: &str| said.and_then(|said| said.get(name)).and_then(Value::as_str);
        let record = Record::Written {
            decided: said.is_some_and(|said| said.contains_key("reviewed")),
            asked_again: word("asked_again").map(str::to_owned),
        };
        Some(Told { message_id: word("message_id").unwrap_or_default().into(), heard, record })
    }

    /// What is written before the calls of an answer: its words, where it has some.
    async fn before_calls(&self, step: &str, told: &Told) -> Result<Vec<Draft>, Ending> {
        if matches!(told.record, Record::Written { .. }) {
            return Ok(Vec::new());
        }
        let mut drafts = Vec::new();
        if !told.heard.text.trim().is_empty() {
            if self.holds_answers() {
                self.outbox.add(&told.message_id, &told.heard.text);
            }
            let marked = self.mark_answer(&told.message_id, &told.heard).await?;
            drafts.push(self.answer_draft(step, &marked, &told.heard));
        }
        drafts.extend(self.remarks(&told.heard));
        Ok(drafts)
    }

    /// A call that the model cannot get right: the reader is told, and the turn is over.
    async fn give_up(&self, step: &str, why: &str) -> Result<Answered, Ending> {
        let text = match self.context.language {
            Language::Chinese => format!("工具调用被拒绝：{why}"),
            _ => format!("The tool call was refused: {why}"),
        };
        let fields = json!({
            "message_id": new_id("msg").map_err(|error| Ending::internal(&error))?,
            "from": "countersign", "to": "user", "role": "assistant",
            "content": text, "needs_verify": false, "claims": [], "step": format!("{step}/refused"),
        });
        let draft = Draft::new(EventType::Message, "countersign", ContentType::Text, fields);
        let told = warning("call_refused", "the model did not correct its call, and the turn ends without it");
        self.outbox.write(vec![told, draft]).await?;
        Ok(Answered { text })
    }
}

/// The calls of an answer, each once: the same call under the same id is one call. The parser takes an id away that comes
/// a second time, so a call without one beside its like that has one is that call again.
fn distinct(calls: &[HeardCall]) -> Vec<HeardCall> {
    let is_named = |heard: &HeardCall| heard.call.id.as_ref().is_some_and(|id| !id.is_empty());
    let mut kept: Vec<HeardCall> = Vec::new();
    for heard in calls {
        let is_same = |known: &HeardCall| {
            let same_id = known.call.id == heard.call.id || !is_named(heard);
            is_named(known) && same_id && CallKey::of(&known.call, None).is_same(&CallKey::of(&heard.call, None))
        };
        if !kept.iter().any(is_same) {
            kept.push(heard.clone());
        }
    }
    kept
}

fn finish_of(heard: &Heard) -> Finish {
    match heard.finish.as_deref() {
        Some("length" | "max_tokens") => Finish::Limit,
        _ => Finish::Stop,
    }
}

/// A tool as the model is told of it: what only serves to check its results stays here.
fn declared(spec: &Value) -> Value {
    let mut told = spec.clone();
    if let Some(fields) = told.as_object_mut() {
        for ours in ["outputSchema", "annotations"] {
            fields.shift_remove(ours);
        }
    }
    told
}

/// The answer and what its calls came to, for the next round.
fn extend(messages: &mut Vec<Value>, heard: &Heard, settled: &[Settled]) {
    let call = |settled: &Settled| {
        let name = settled.call.get("name").cloned().unwrap_or_default();
        // Providers refuse a history whose arguments are no object.
        let arguments = match settled.call.get("arguments") {
            Some(Value::String(text)) if serde_json::from_str::<Map<String, Value>>(text).is_ok() => text.clone(),
            Some(Value::String(text)) => json!({"raw_arguments": text}).to_string(),
            Some(arguments) => arguments.to_string(),
            None => "{}".to_owned(),
        };
        json!({"id": settled.call_id, "type": "function", "function": {"name": name, "arguments": arguments}})
    };
    let content = if heard.raw.is_empty() { Value::Null } else { json!(heard.raw) };
    let calls: Vec<_> = settled.iter().map(call).collect();
    messages.push(json!({"role": "assistant", "content": content, "tool_calls": calls}));
    for settled in settled {
        messages.push(json!({"role": "tool", "tool_call_id": settled.call_id, "content": settled.told}));
    }
}

/// How many searches an answer may ask for.
const MAX_SEARCHES: usize = 8;
/// How many tasks an answer may hand over.
const MAX_TASKS: usize = 3;
