//! An answer without calls: whether it is one, and whether the model is asked again (CALL-10, RESOLVE-3).

use super::output::Output;
use super::results::verify_result;
use super::words::Words;
use crate::check_call::Guard;
use crate::check_call::guard::Registry;
use crate::check_result::{Done, doubt_stands};
use crate::contract::codes::answer::{CALL_IN_THOUGHT, EMPTY, OPEN_STEP, PSEUDO};
use crate::contract::{Answers, Claim, Code, Context, Finding, Language, Message, Mode, Role, Severity};
use crate::conversation::Conversation;
use crate::decide::cleared::read_arguments;
use crate::feedback::attempts::{Mistake, Spent, Tries};
use crate::inspect::{self, AnswerReport, AnswerRequest, FactCounts, answer_sources, claims_without_ground};
use crate::parse::{Event, Finish, ParseOptions, Parser, Place, chatter};
use crate::policy::pattern::Pattern;
use crate::policy::{AskAgain, DoubtfulAnswers};
use serde_json::Value;
use std::borrow::Cow;

/// Why the model is asked again for an answer, and with which words.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerFault {
    /// The code of the fault.
    pub code: &'static Code,
    /// What the model is told.
    pub told: String,
}

/// What is wrong with an answer that made no call, where the policy lets the model be asked again for it and the bounds
/// allow it.
pub fn find_fault(
    guard: &Guard,
    conversation: &Conversation,
    output: &Output<'_>,
    tries: &mut Tries,
    words: Words,
    spent: Spent,
) -> Option<AnswerFault> {
    let (setting, fault) = name_fault(guard, conversation, output, words)?;
    tries.spend(spent);
    if !guard.policy().answers.ask_again.contains(&setting) {
        return None;
    }
    ask_once(tries, fault)
}

/// Whether there is anything to hold an answer against: results of tools, or a claim that needs one.
pub fn has_ground(guard: &Guard, conversation: &Conversation, context: &Context, response: &str) -> bool {
    let language = Language::of(response);
    !conversation.results().is_empty() || !claims_without_ground(guard, response, &[], context, language).is_empty()
}

/// What a face knows of an answer beside its conversation; the gateway knows nothing more.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownOfAnswer<'a> {
    /// What else it may rest on: references, search results.
    pub sources: &'a [String],
    /// The log-probabilities of its tokens.
    pub logprobs: &'a [f64],
    /// Its claims, where the face marks them: hosted turns do.
    pub claims: &'a [Claim],
    /// Who asked.
    pub asker: Asker,
    /// What a second reader said, where one was asked.
    pub answers: Option<&'a Answers>,
}

/// Who asked for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asker {
    /// A person, whose own words need no source.
    #[default]
    Person,
    /// Another agent, whose words need one like any model's.
    Agent,
}

/// Examines an answer on the conversation that it ends: what was called, what came back, what was asked, and on what else
/// is known of it. None where it is empty, or too long to be weighed.
pub fn examine_answer(
    guard: &Guard,
    conversation: &Conversation,
    context: &Context,
    known: &KnownOfAnswer<'_>,
    response: &str,
) -> Option<AnswerReport> {
    if response.trim().is_empty() || response.len() > LONGEST_ANSWER {
        return None;
    }
    let language = guard.policy().language.unwrap_or_else(|| conversation.language(context));
    let pairs = conversation.results();
    let pairs = pairs.get(pairs.len().saturating_sub(MAX_CALLS)..).unwrap_or_default();
    let arguments: Vec<Value> = pairs.iter().map(|(call, _)| read_arguments(call)).collect();
    let older = pairs.len().saturating_sub(count_since_asked(conversation));
    let done: Vec<Done<'_>> = pairs
        .iter()
        .zip(&arguments)
        .enumerate()
        .map(|(at, ((call, result), arguments))| Done {
            name: &call.name,
            arguments,
            content: &result.content,
            is_error: result.is_error,
            fresh: at >= older,
        })
        .collect();
    let outputs = pairs.iter().map(|(_, result)| &result.content).filter(|content| !content.is_null());
    let calls = pairs.iter().map(|(call, _)| *call);
    let (question, mut sources) = answer_sources(conversation.messages(), calls, outputs, context);
    sources.extend(known.sources.iter().cloned());
    sources.iter_mut().for_each(|source| source.truncate(source.floor_char_boundary(MAX_SOURCE)));
    // Results of earlier turns were verified when they came.
    let newest = conversation.messages().iter().rposition(|message| !message.calls.is_empty());
    let newest = newest.and_then(|at| conversation.messages().get(at)).map_or(0, |message| message.calls.len());
    let from = pairs.len().saturating_sub(newest);
    let fresh = pairs.get(from..).unwrap_or_default();
    let reports: Vec<_> = fresh.iter().map(|(call, result)| verify_result(guard, call, result, context)).collect();
    let last = done.get(from..).unwrap_or_default();
    let count = reports.len().max(1) as f64;
    let verified =
        if reports.is_empty() { 1.0 } else { reports.iter().map(|report| report.confidence).sum::<f64>() / count };
    let request = AnswerRequest {
        response,
        question: &question,
        calls: &done,
        confidences: (1.0, verified),
        suspicious: reports.iter().zip(last).any(|(report, call)| doubt_stands(report, response, call)),
        sources: &sources,
        said: &said(conversation, context, known, &question),
        logprobs: Some(known.logprobs).filter(|logprobs| !logprobs.is_empty()),
        claims: known.claims,
        fact_check: FactCounts::of(known.claims),
        answers: known.answers,
        context,
        language,
    };
    Some(inspect::answer(guard, &request))
}

/// How many calls were made since a person last spoke.
fn count_since_asked(conversation: &Conversation) -> usize {
    // Some dialects carry results in a user's message.
    let spoke = |message: &&Message| message.role == Role::User && !message.text.trim().is_empty();
    let since = conversation.messages().iter().rev().take_while(|message| !spoke(message));
    since.map(|message| message.calls.len()).sum()
}

/// What was said to the model beside its sources, where there are claims to hold against it.
fn said(conversation: &Conversation, context: &Context, known: &KnownOfAnswer<'_>, question: &str) -> Vec<String> {
    if known.claims.iter().all(Claim::verified) {
        return Vec::new();
    }
    let instructions = conversation.messages().iter().filter(|message| message.role == Role::System);
    let mut said: Vec<String> = instructions.map(|message| message.text.clone()).collect();
    said.extend(context.0.values().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    said.extend((known.asker == Asker::Person).then(|| question.to_owned()));
    said.iter_mut().for_each(|text| text.truncate(text.floor_char_boundary(MAX_SOURCE)));
    said
}

/// The fault of an answer that a check doubts, where the policy wants such answers corrected.
pub fn doubt(report: &AnswerReport, policy: DoubtfulAnswers, tries: &mut Tries, words: Words) -> Option<AnswerFault> {
    let enforced = |finding: &&Finding| finding.mode == Mode::Enforce && finding.severity > Severity::Info;
    let finding = report.findings.iter().find(enforced).filter(|_| policy == DoubtfulAnswers::Correct)?;
    ask_once(tries, AnswerFault { code: finding.code, told: words.answer_doubted(&finding.evidence) })
}

/// A fault for which the model was asked before is not asked about again, and no bound is passed.
fn ask_once(tries: &mut Tries, fault: AnswerFault) -> Option<AnswerFault> {
    let over = tries.round(vec![Mistake::of_answer(fault.code)]);
    over.into_iter().next().flatten().is_none().then_some(fault)
}

fn name_fault(
    guard: &Guard,
    conversation: &Conversation,
    output: &Output<'_>,
    words: Words,
) -> Option<(AskAgain, AnswerFault)> {
    let fault = |setting, code, told| Some((setting, AnswerFault { code, told }));
    let Said { text, thought_call } = read_said(output, guard.registry()?);
    let text = text.trim();
    match thought_call {
        Some(tool) if text.is_empty() => {
            return fault(AskAgain::CallInThought, &CALL_IN_THOUGHT, words.answer_thought(&tool));
        }
        None if text.is_empty() => return fault(AskAgain::Empty, &EMPTY, words.answer_empty()),
        _ => {}
    }
    let open = open_steps(guard, conversation);
    if !open.is_empty() {
        return fault(AskAgain::OpenStep, &OPEN_STEP, words.answer_too_early(&open.join(", ")));
    }
    // An acknowledgement alone may be all that was asked for.
    if !chatter::is_promise(text) {
        return None;
    }
    fault(AskAgain::Promise, &PSEUDO, words.answer_promised())
}

/// The steps that the policy requires before the final answer, that are declared, and that have not succeeded.
pub fn open_steps(guard: &Guard, conversation: &Conversation) -> Vec<String> {
    let declared = |required: &Pattern| {
        guard.registry().is_some_and(|registry| registry.specs().any(|spec| required.matches(&spec.name)))
    };
    let required = guard.policy().answers.requires.iter();
    let open = required.filter(|required| declared(required) && !conversation.has_succeeded(required));
    open.map(|required| format!("`{}`", required.as_str())).collect()
}

/// What a model said to its reader, and the tool of a call that it only thought of.
struct Said<'a> {
    text: Cow<'a, str>,
    thought_call: Option<String>,
}

/// Whether a text may hold thoughts between its words.
pub fn has_thoughts(text: &str) -> bool {
    THINKING.iter().any(|tag| text.contains(tag))
}

fn read_said<'a>(output: &Output<'a>, registry: &Registry) -> Said<'a> {
    let Output { text, thought, .. } = *output;
    let tagged = text.len() <= MAX_THOUGHT && has_thoughts(text);
    if !tagged && (thought.is_empty() || !text.trim().is_empty()) {
        return Said { text: Cow::Borrowed(text), thought_call: None };
    }
    let thought = thought.get(thought.ceil_char_boundary(thought.len().saturating_sub(MAX_THOUGHT))..);
    let written = format!("<think>{}</think>{text}", thought.unwrap_or_default());
    let mut parser = Parser::knowing(registry.known(), ParseOptions::default());
    let mut events = parser.push(written.as_bytes());
    events.extend(parser.finish(Finish::Stop));
    let (mut shown, mut thought_call) = (String::new(), None);
    for event in events {
        match event {
            Event::Text { text, .. } | Event::Unrecovered { text, .. } => shown.push_str(&text),
            Event::CallStart { name, place: Place::Reasoning, .. } => thought_call = Some(name),
            _ => {}
        }
    }
    Said { text: Cow::Owned(shown), thought_call }
}

/// An answer that is longer is not weighed, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;
/// So much of each source an answer is weighed with, in bytes.
const MAX_SOURCE: usize = 64 * 1024;
/// So many of the newest calls an answer is weighed with.
const MAX_CALLS: usize = 64;
/// So much of a thought is searched for calls, in bytes.
const MAX_THOUGHT: usize = 64 * 1024;
/// How thoughts in a text begin or end.
const THINKING: [&str; 4] = ["think>", "thinking>", "reasoning>", "<|channel|>"];
