//! Plan, work, solve: the model is asked for a plan, its steps are worked off side by side in the order in which they
//! need each other, and the model is asked again, with the evidence.
//!
//! A step that fails is told as failed; the others go on, and the answer is made from what there is.

use super::answers::{Grounds, is_pseudo};
use super::conversation_state::{Answered, ErrandLimits, Record, Talk, Told};
use super::ending::Ending;
use super::held::Standing;
use super::listen::HeardCall;
use super::marks::with_marks;
use super::outbox::{warning, warning_with};
use super::plan_steps::{read_step, write_step};
use super::settled::{Settled, text_of};
use super::talk::OutputMode;
use super::turn_context::AgentRun;
use crate::agents;
use crate::tools::Reach;
use countersign::contract::{ContentType, EventType, Language, ToolCall};
use countersign::parse::KnownTools;
use countersign::parse::plan::{PlanStep, Trouble, citations, fill, plan};
use countersign::resolve::{Extent, Finish, RefusalKind};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// What a step came to.
#[derive(Debug, Clone)]
struct Evidence {
    id: String,
    tool: String,
    arguments: Value,
    /// What it says, in words.
    content: String,
    is_error: bool,
    /// What came back, as it came.
    raw: Value,
}

/// The work on a plan.
struct Work<'w> {
    question: &'w str,
    steps: &'w [PlanStep],
    done: Mutex<BTreeMap<String, Evidence>>,
    /// The conversation that calls are judged in: the question, and what came back so far.
    said: Mutex<Vec<Value>>,
    slots: Semaphore,
}

impl AgentRun<'_> {
    /// Plans, works and solves.
    pub(super) async fn plan_and_solve(&self, talk: Talk) -> Result<Answered, Ending> {
        let Talk { messages, question, mut sources } = talk;
        let steps = self.role("planner").plan(&messages).await?;
        let work = Work {
            question: &question,
            steps: &steps,
            done: Mutex::default(),
            said: Mutex::new(messages.clone()),
            slots: Semaphore::new(self.spec.budget.parallel.max(1)),
        };
        self.role("worker").work(&work).await?;
        let done = work.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let said = work.said.into_inner().unwrap_or_else(PoisonError::into_inner);
        sources.extend(done.values().map(|evidence| evidence.content.clone()));
        let grounds = Grounds { question: &question, messages: &said, sources: &sources };
        self.role("solver").solve(&messages, &steps, &done, &grounds).await
    }

    /// The steps of a plan: from the log where it is there, else asked for.
    async fn plan(&self, messages: &[Value]) -> Result<Vec<PlanStep>, Ending> {
        let step = self.step("plan");
        if let Some(recorded) = self.context.journal.of(EventType::Plan, &step).first() {
            let steps = recorded.get("steps").and_then(Value::as_array);
            return Ok(steps.into_iter().flatten().map(read_step).collect());
        }
        let mut asked = with_system(messages, &self.planner_prompt());
        let known = self.known();
        let mut warnings = Vec::new();
        for attempt in 1..=PLANS {
            let name = self.step(format!("plan-{attempt}"));
            let told = self.hear(&name, &asked, OutputMode::Quiet, ErrandLimits::default()).await?;
            let mut read = plan(&told.heard.raw, &known);
            // What was cut off is not a step, whatever is left of it.
            if matches!(told.heard.finish.as_deref(), Some("length" | "max_tokens")) {
                read.steps.retain(|step| !step.unclosed);
            }
            if !told.heard.calls.is_empty() {
                read.steps = called(&told.heard.calls);
                read.troubles.clear();
            }
            let nothing = read.steps.is_empty() && read.troubles.iter().any(|trouble| trouble.code == Trouble::NoPlan);
            if nothing && attempt < PLANS {
                asked.push(json!({"role": "assistant", "content": told.heard.raw}));
                asked.push(json!({"role": "user", "content": self.word(NO_PLAN)}));
                continue;
            }
            warnings.extend(read.troubles.iter().map(|trouble| {
                let more = json!({"step": trouble.step, "trouble": trouble.code.as_str()});
                warning_with(if nothing { "no_plan" } else { "plan_mended" }, &trouble.note, more)
            }));
            let steps: Vec<Value> = read.steps.iter().map(write_step).collect();
            let fields = json!({"steps": steps, "raw": told.heard.raw, "step": step});
            let mut events = vec![self.outbox.event(EventType::Plan, ContentType::Plan, fields)];
            events.append(&mut warnings);
            self.outbox.write(events).await?;
            return Ok(read.steps);
        }
        Ok(Vec::new())
    }

    fn planner_prompt(&self) -> String {
        let language = self.context.language;
        let mut prompt = format!("{}\n\n{}\n", self.spec.prompts.of(language).trim(), agents::planner(language).trim());
        for spec in &self.tools.specs {
            let at = |name: &str| spec.pointer(&format!("/function/{name}")).or_else(|| spec.get(name));
            let word = |name: &str| at(name).and_then(Value::as_str).unwrap_or_default();
            let parameters = at("parameters").or_else(|| spec.get("input_schema")).or_else(|| spec.get("inputSchema"));
            let parameters = parameters.cloned().unwrap_or_else(|| json!({}));
            // Writing to a string cannot fail.
            let _ = writeln!(prompt, "- {}({parameters}): {}", word("name"), word("description"));
        }
        prompt
    }

    fn known(&self) -> KnownTools {
        let registry = self.tools.guard.registry();
        registry.map_or_else(|| KnownTools::of(&[]), |registry| registry.known().clone())
    }

    /// Works off a plan: each step as soon as those that it needs are done.
    async fn work(&self, work: &Work<'_>) -> Result<(), Ending> {
        let mut waiting: Vec<&PlanStep> = work.steps.iter().collect();
        let mut running = FuturesUnordered::new();
        loop {
            let (ready, blocked): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|step| work.is_ready(step));
            waiting = blocked;
            // What nobody can bring any more is not waited for.
            if ready.is_empty() && running.is_empty() {
                return Ok(());
            }
            for step in ready {
                running.push(self.work_off(work, step));
            }
            if let Some(evidence) = running.next().await {
                work.finish(evidence?);
            }
        }
    }

    async fn work_off(&self, work: &Work<'_>, step: &PlanStep) -> Result<Evidence, Ending> {
        let name = self.step(format!("work/{}", step.id));
        let arguments = fill(&step.arguments, &|id| work.content(id));
        if let Some(recorded) = self.context.journal.of(EventType::Evidence, &name).first() {
            return Ok(read_evidence(step, recorded));
        }
        // The semaphore is never closed.
        let _slot = work.slots.acquire().await;
        let (evidence, cached) = if !step.missing.is_empty() {
            (self.needs(step, arguments), false)
        } else if is_model(&step.tool) && self.tools.toolbox.find(&step.tool).is_none() {
            (self.think(&name, step, &arguments).await?, false)
        } else {
            self.look_up(work, &name, step, arguments).await?
        };
        let fields = json!({
            "id": evidence.id, "tool": evidence.tool, "arguments": evidence.arguments, "content": evidence.raw,
            "is_error": evidence.is_error, "cached": cached, "step": name,
        });
        let mut events = vec![self.outbox.event(EventType::Evidence, ContentType::Evidence, fields)];
        if evidence.is_error {
            events.push(warning_with("step_failed", &evidence.content, json!({"evidence": evidence.id})));
        }
        self.outbox.write(events).await?;
        Ok(evidence)
    }

    /// A step that cannot be taken: what it needs is no step of the plan.
    fn needs(&self, step: &PlanStep, arguments: Map<String, Value>) -> Evidence {
        let content = format!("{}: {}", self.word(MISSING), step.missing.join(", "));
        let (id, tool, raw) = (step.id.clone(), step.tool.clone(), json!(content));
        Evidence { id, tool, arguments: Value::Object(arguments), content, is_error: true, raw }
    }

    /// A step that only needs thinking. What the model says is a claim, and is passed on as one.
    async fn think(&self, name: &str, step: &PlanStep, arguments: &Map<String, Value>) -> Result<Evidence, Ending> {
        let asked = arguments.get("input").map(text_of).unwrap_or_else(|| Value::Object(arguments.clone()).to_string());
        let system = self.spec.prompts.of(self.context.language).trim().to_owned();
        let messages = [json!({"role": "system", "content": system}), json!({"role": "user", "content": asked})];
        let passed = format!("{name}/said");
        let before = self.context.journal.of(EventType::Message, &passed).first();
        let answered = match before.and_then(|said| said.get("content")).map(text_of) {
            Some(text) => Ok(text),
            None => {
                self.hear(name, &messages, OutputMode::Quiet, ErrandLimits::default()).await.map(|told| told.heard.text)
            }
        };
        let (content, is_error) = match answered {
            Ok(text) => {
                let marked = self.context.pass_on(&self.outbox, &passed, "solver", &text).await?;
                (with_marks(&marked, self.context.language), false)
            }
            Err(Ending::Failed { message, .. }) => (message, true),
            Err(ending) => return Err(ending),
        };
        let (id, tool, raw) = (step.id.clone(), step.tool.clone(), json!(content));
        Ok(Evidence { id, tool, arguments: Value::Object(arguments.clone()), content, is_error, raw })
    }

    /// A step that needs a tool: from what it said not long ago, or by a call that is judged like any other.
    async fn look_up(
        &self,
        work: &Work<'_>,
        name: &str,
        step: &PlanStep,
        arguments: Map<String, Value>,
    ) -> Result<(Evidence, bool), Ending> {
        let arguments = Value::Object(arguments);
        let reads = self.tools.toolbox.find(&step.tool).is_some_and(|tool| tool.reach == Reach::Reads);
        let (session, cache) = (self.context.session, self.context.evidence);
        let kept = if reads { cache.find(session, &step.tool, &arguments) } else { None };
        if let Some(raw) = kept {
            let (id, tool, content) = (step.id.clone(), step.tool.clone(), text_of(&raw));
            return Ok((Evidence { id, tool, arguments, content, is_error: false, raw }, true));
        }
        let mut settled = self.call(work, name, &step.tool, arguments.clone(), step.unclosed).await?;
        if let Some(correct) = self.corrected(work, name, step, &settled).await? {
            settled = correct;
        }
        let (id, tool, content) = (step.id.clone(), step.tool.clone(), settled.told.clone());
        Ok((
            match settled.result {
                Some(seen) => {
                    if reads && !seen.is_error && !seen.is_suspicious {
                        cache.keep(session, &step.tool, &arguments, &seen.content);
                    }
                    let (arguments, is_error, raw) = (seen.arguments, seen.is_error, seen.content);
                    Evidence { id, tool: seen.name, arguments, content, is_error, raw }
                }
                None => Evidence { id, tool, arguments, raw: json!(content), content, is_error: true },
            },
            false,
        ))
    }

    async fn call(
        &self,
        work: &Work<'_>,
        name: &str,
        tool: &str,
        arguments: Value,
        unclosed: bool,
    ) -> Result<Settled, Ending> {
        let call = ToolCall { id: None, name: tool.to_owned(), arguments: arguments.into() };
        let said = Arc::new(work.said().clone());
        let extent = if unclosed { Extent::Unclosed } else { Extent::Whole };
        let calls = [HeardCall { call, extent }];
        let settled = self.settle(name, &calls, &said, Finish::Stop, Vec::new(), &mut self.resolution()).await?;
        let settled = settled.into_iter().next().ok_or_else(|| Ending::internal(&"a call was not settled"))?;
        work.take(&settled);
        Ok(settled)
    }

    /// A call that the check refused is put right by the model, once.
    async fn corrected(
        &self,
        work: &Work<'_>,
        name: &str,
        step: &PlanStep,
        settled: &Settled,
    ) -> Result<Option<Settled>, Ending> {
        if settled.refused.is_none_or(|kind| matches!(kind, RefusalKind::Rejected | RefusalKind::Denied)) {
            return Ok(None);
        }
        let again = format!("{name}/2");
        if !self.context.journal.of(EventType::Verdict, &again).is_empty() {
            // It was put right before: its verdict is in the log, and so is the call.
            return self.call(work, &again, &step.tool, Value::Null, step.unclosed).await.map(Some);
        }
        let mut messages = vec![json!({"role": "system", "content": self.planner_prompt()})];
        messages.push(json!({"role": "user", "content": work.question}));
        let line = format!("{} = {}[{}]", step.id, step.tool, Value::Object(step.arguments.clone()));
        messages.push(json!({"role": "assistant", "content": line}));
        let note = self.word(CORRECT).replace("{id}", &step.id).replace("{why}", &settled.told);
        messages.push(json!({"role": "user", "content": note}));
        let told =
            match self.hear(&format!("{name}/correction"), &messages, OutputMode::Quiet, ErrandLimits::default()).await
            {
                Ok(told) => told,
                Err(Ending::Failed { .. }) => return Ok(None),
                Err(ending) => return Err(ending),
            };
        let read = plan(&told.heard.raw, &self.known());
        let Some(better) = read.steps.iter().find(|better| better.id == step.id).or(read.steps.first()) else {
            return Ok(None);
        };
        let arguments = Value::Object(fill(&better.arguments, &|id| work.content(id)));
        self.call(work, &again, &better.tool, arguments, better.unclosed).await.map(Some)
    }

    /// The answer from the evidence, with its citations.
    async fn solve(
        &self,
        messages: &[Value],
        steps: &[PlanStep],
        done: &BTreeMap<String, Evidence>,
        grounds: &Grounds<'_>,
    ) -> Result<Answered, Ending> {
        let language = self.context.language;
        let system = format!("{}\n\n{}", self.spec.prompts.of(language).trim(), agents::solver(language).trim());
        let mut asked = with_system(messages, &system);
        let last = asked.pop();
        asked.push(json!({"role": "user", "content": self.evidence_text(steps, done)}));
        asked.extend(last);
        let (mut told, mut in_its_place) = self.solution("solve", &asked, grounds).await?;
        if in_its_place.is_none() && is_asked_again(&told) {
            asked.push(json!({"role": "assistant", "content": told.heard.raw}));
            asked.push(json!({"role": "user", "content": self.word(NO_ANSWER)}));
            (told, in_its_place) = self.solution("solve-2", &asked, grounds).await?;
        }
        // The evidence stands behind the model's words, and not behind a person's.
        if let Some(text) = in_its_place {
            return Ok(Answered { text });
        }
        if self.context.journal.of(EventType::Citation, &self.step("citations")).is_empty() {
            self.cite(&told.message_id, &told.heard.text, done).await?;
        }
        Ok(Answered { text: told.heard.text })
    }

    /// An answer from the evidence, and what a person put in its place.
    async fn solution(
        &self,
        what: &str,
        asked: &[Value],
        grounds: &Grounds<'_>,
    ) -> Result<(Told, Option<String>), Ending> {
        let step = self.step(what);
        let told = self.hear(&step, asked, OutputMode::Aloud, ErrandLimits::default()).await?;
        let examined = self.examine(&told, grounds).await?;
        let standing = match what == "solve" && is_asked_again(&told) {
            true => Standing::Draft(Some(self.word(NO_ANSWER).to_owned())),
            false => Standing::Last,
        };
        let in_its_place = self.say(&step, &told, grounds, &examined, standing).await?;
        Ok((told, in_its_place))
    }

    async fn cite(&self, message_id: &str, text: &str, done: &BTreeMap<String, Evidence>) -> Result<(), Ending> {
        let mut events = Vec::new();
        for citation in citations(text) {
            let Some(evidence) = done.get(&citation.id) else {
                let message = format!("the answer names {}, which is no evidence of this turn", citation.id);
                events.push(warning("citation_unknown", &message));
                continue;
            };
            let shown: String = evidence.content.chars().take(SHOWN).collect();
            let fields = json!({
                "evidence": citation.id, "message_id": message_id, "start": citation.span.start,
                "end": citation.span.end, "tool": evidence.tool, "text": shown, "step": self.step("citations"),
            });
            events.push(self.outbox.event(EventType::Citation, ContentType::Citation, fields));
        }
        self.outbox.write(events).await
    }

    fn evidence_text(&self, steps: &[PlanStep], done: &BTreeMap<String, Evidence>) -> String {
        let chinese = self.context.language == Language::Chinese;
        let mut text = String::from(if chinese { "证据：\n" } else { "Evidence:\n" });
        if steps.is_empty() {
            text.push_str(if chinese { "（没有）\n" } else { "(none)\n" });
        }
        for step in steps {
            let (failed, nothing) =
                if chinese { ("（失败）", "（没有执行）") } else { (" (failed)", "(not run)") };
            let evidence = done.get(&step.id);
            let mark = if evidence.is_some_and(|evidence| evidence.is_error) { failed } else { "" };
            let content = evidence.map_or(nothing, |evidence| evidence.content.as_str());
            let content = content.get(..content.floor_char_boundary(MAX_EVIDENCE)).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {} — {}{mark}\n{content}\n", step.id, step.tool, step.description);
        }
        text
    }

    fn word(&self, words: (&'static str, &'static str)) -> &'static str {
        if self.context.language == Language::Chinese { words.1 } else { words.0 }
    }
}

impl Work<'_> {
    /// Whether all that a step needs is there, or will never be.
    fn is_ready(&self, step: &PlanStep) -> bool {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let planned = |id: &String| self.steps.iter().any(|step| step.id == *id);
        step.depends_on.iter().filter(|id| planned(id)).all(|id| done.contains_key(id))
    }

    fn content(&self, id: &str) -> Option<String> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).get(id).map(|evidence| text_of(&evidence.raw))
    }

    fn finish(&self, evidence: Evidence) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).insert(evidence.id.clone(), evidence);
    }

    fn said(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came back is known to the calls that follow.
    fn take(&self, settled: &Settled) {
        let name = settled.call.get("name").cloned().unwrap_or_default();
        let arguments = settled.call.get("arguments").map(Value::to_string).unwrap_or_default();
        let call = json!({
            "id": settled.call_id, "type": "function", "function": {"name": name, "arguments": arguments},
        });
        let mut said = self.said();
        said.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        said.push(json!({"role": "tool", "tool_call_id": settled.call_id, "content": settled.told}));
    }
}

/// The conversation with other instructions.
fn with_system(messages: &[Value], system: &str) -> Vec<Value> {
    let is_system = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("system");
    let rest = messages.iter().skip_while(is_system).cloned();
    std::iter::once(json!({"role": "system", "content": system})).chain(rest).collect()
}

/// Whether the model acknowledged and did not answer: as the log says, where it knows more of it than its words.
fn is_asked_again(told: &Told) -> bool {
    match &told.record {
        Record::Held(_) | Record::Written { decided: true, .. } => false,
        Record::Written { asked_again: Some(_), .. } => true,
        _ => is_pseudo(&told.heard),
    }
}

fn is_model(tool: &str) -> bool {
    tool.eq_ignore_ascii_case("llm")
}

/// Calls in the place of a plan: each is a step.
fn called(calls: &[HeardCall]) -> Vec<PlanStep> {
    calls
        .iter()
        .filter(|heard| heard.extent != Extent::Cut)
        .zip(1..)
        .map(|(heard, at)| PlanStep {
            id: format!("#E{at}"),
            tool: heard.call.name.clone(),
            arguments: match serde_json::to_value(&heard.call.arguments) {
                Ok(Value::Object(arguments)) => arguments,
                _ => Map::new(),
            },
            unclosed: heard.extent == Extent::Unclosed,
            ..PlanStep::default()
        })
        .collect()
}

fn read_evidence(step: &PlanStep, recorded: &Map<String, Value>) -> Evidence {
    let raw = recorded.get("content").cloned().unwrap_or_default();
    Evidence {
        id: step.id.clone(),
        tool: recorded.get("tool").map(text_of).unwrap_or_default(),
        arguments: recorded.get("arguments").cloned().unwrap_or_default(),
        content: text_of(&raw),
        is_error: recorded.get("is_error") == Some(&json!(true)),
        raw,
    }
}

/// How often a plan is asked for.
const PLANS: usize = 2;
/// How much of a piece of evidence stands in a citation, in characters.
const SHOWN: usize = 300;
/// How much of a piece of evidence the solver is told, in bytes.
const MAX_EVIDENCE: usize = 32 * 1024;

const NO_PLAN: (&str, &str) = (
    "That is no plan. Write the plan only, one line for each step: #E1 = tool_name[{\"argument\": \"value\"}], or: Plan: none",
    "这不是计划。请只写计划，每一步一行：#E1 = tool_name[{\"argument\": \"value\"}]，或写：Plan: none",
);
const MISSING: (&str, &str) =
    ("not run, because it needs what no step of the plan gives", "没有执行，因为它需要计划中不存在的结果");
const CORRECT: (&str, &str) = (
    "The step {id} was refused and was not run: {why}\nWrite the corrected line for {id}, and nothing else.",
    "步骤 {id} 被拒绝，没有执行：{why}\n请只写出更正后的 {id} 这一行。",
);
const NO_ANSWER: (&str, &str) = (
    "You acknowledged the request and did not answer it. Give the answer itself now, from the evidence.",
    "你只是确认收到，没有给出回答。请现在根据证据给出回答本身。",
);
