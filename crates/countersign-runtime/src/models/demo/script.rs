//! What an answer will be, before it is written down in a dialect: words, calls, and how it ends.
//!
//! The last thing said decides: a question is met with a call where there are tools, a correction with the call put
//! right, a result with words. It never calls a tool without end: after a few corrections it gives up and says so.

use super::arguments::{Filled, Unsaid, fill};
use super::conversation::{Choice, Conversation, Outcome, PastResult, Said, Tool};
use super::dice::Dice;
use super::fault::{Fault, Habit};
use super::mistakes::{Call, Draft, cut_short};
use super::part::Part;
use super::talk::Matter;
use super::tasks::{Task, asks, nearest, tasks};
use super::tokens::{kept, tokens};
use super::words::mentions_word;
use super::{concierge, planner, solver, summary, talk};
use serde_json::{Map, Value, json};

/// An answer in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    /// Its words.
    pub(super) text: String,
    /// Its calls.
    pub(super) calls: Vec<Call>,
    /// How it ends.
    pub(super) finish: Finish,
    /// The mistake in it.
    pub(super) fault: Option<Fault>,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// All was said.
    Stop,
    /// Calls wait for their results.
    Calls,
    /// The limit of tokens was reached.
    Length,
    /// It does not end: the connection breaks.
    Cut,
}

/// Writes the script for a conversation. The dice depend on the seed, the model's name and the last question.
pub(super) fn script(asked: &Conversation, dice: &Dice) -> Script {
    let results = asked.fresh_results();
    let script = match wrong_result(&results) {
        _ if asked.habit == Habit::Always(Fault::Flood) => Script::words(talk::flood(asked.question()), FLOOD),
        _ if asked.habit == Habit::Always(Fault::Loop) && may_call(asked) => again(asked),
        Some(reason) => after_correction(asked, reason, dice),
        None if !results.is_empty() && !must_call(asked) => {
            next_step(asked, dice).unwrap_or_else(|| after_results(asked, dice))
        }
        None => {
            let script = played(asked, dice).or_else(|| first_step(asked, dice));
            script.unwrap_or_else(|| spoken(asked, dice))
        }
    };
    limited(script, asked.most_tokens)
}

impl Script {
    fn words(text: impl Into<String>, fault: Option<Fault>) -> Self {
        Self { text: text.into(), calls: Vec::new(), finish: Finish::Stop, fault }
    }

    fn calls(calls: Vec<Call>, fault: Option<Fault>) -> Self {
        Self { text: String::new(), calls, finish: Finish::Calls, fault }
    }
}

/// What the model says in the part that it is asked to play; nothing where that part has nothing of its own to say.
fn played(asked: &Conversation, dice: &Dice) -> Option<Script> {
    let text = match Part::of(asked) {
        Part::Any => return None,
        Part::Concierge => concierge::say(asked, dice)?,
        Part::Planner(tools) => planner::plan(asked, &tools),
        Part::Solver => solver::solve(asked),
    };
    let Habit::Always(fault) = asked.habit else { return Some(Script::words(text, None)) };
    Some(match fault {
        Fault::Pseudo => Script::words(talk::promise(asked.question()), Some(fault)),
        Fault::Truncated => Script { finish: Finish::Length, ..Script::words(half(&text), Some(fault)) },
        Fault::Cut => Script { finish: Finish::Cut, ..Script::words(half(&text), Some(fault)) },
        // The fault is in the words already.
        fault => Script::words(text, Some(fault)),
    })
}

/// The same call as ever, whatever came back.
fn again(asked: &Conversation) -> Script {
    let tool = nearest(asked.question(), &asked.tools);
    let call = |tool: &Tool| Draft::of(tool, asked.question(), made_up(asked, tool).arguments).right();
    Script::calls(tool.map(call).into_iter().collect(), Some(Fault::Loop))
}

fn may_call(asked: &Conversation) -> bool {
    !asked.tools.is_empty() && asked.choice != Choice::Never
}

fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

/// The first result that says that the call was wrong.
fn wrong_result<'a>(results: &[&'a PastResult]) -> Option<&'a PastResult> {
    results.iter().copied().find(|result| is_wrong(result))
}

fn is_wrong(result: &PastResult) -> bool {
    let text = result.text.trim_start();
    let begins = |word: &&&str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    let object: Option<Value> = serde_json::from_str(text).ok();
    let reported = |value: Value| value.get("error").is_some_and(|error| !error.is_null() && *error != json!(false));
    result.outcome == Outcome::Failed
        || WRONG_BEGINNINGS.iter().any(|word| begins(&word))
        || WRONG_WORDS.iter().any(|word| text.contains(word))
        || object.is_some_and(reported)
}

/// The call once more: put right, or, of the stubborn model, wrong as before. A right call that failed is not repeated.
fn after_correction(asked: &Conversation, wrong: &PastResult, dice: &Dice) -> Script {
    let final_word = FINAL_WORDS.iter().any(|word| wrong.text.contains(word));
    let tries = asked.since_question().iter().filter_map(Said::result).filter(|result| is_wrong(result)).count();
    let called = asked.called(&wrong.id);
    let named = called.and_then(|call| asked.tools.iter().find(|tool| tool.name == call.name));
    let stubborn = asked.habit == Habit::Always(Fault::Stubborn);
    let most = if stubborn { MOST_STUBBORN } else { MOST_TRIES };
    let request = request(asked);
    match named.or_else(|| nearest(&request, &asked.tools)) {
        Some(tool) if !final_word && tries <= most && asked.choice != Choice::Never => {
            let draft = Draft::of(tool, asked.question(), fill(&tool.schema, &request, &[], Unsaid::MadeUp).arguments);
            let same = |call: &&super::conversation::PastCall| {
                call.name == tool.name && call.arguments == Value::Object(draft.arguments.clone())
            };
            // What the tool itself refuses, it refuses again; what did not reach it may be put right.
            let reached = !WRONG_WORDS.iter().any(|word| wrong.text.contains(word));
            let repeats = reached && asked.since_question().iter().flat_map(Said::calls).any(|call| same(&call));
            let call = if stubborn { draft.wrong(Fault::Stubborn, dice, &asked.tools) } else { draft.right() };
            if repeats && !stubborn {
                return Script::words(talk::giving_up(asked.question(), &wrong.text), None);
            }
            Script::calls(vec![call], stubborn.then_some(Fault::Stubborn))
        }
        _ => Script::words(talk::giving_up(asked.question(), &wrong.text), None),
    }
}

fn after_results(asked: &Conversation, dice: &Dice) -> Script {
    let text = summary::of_results(asked, |result| !is_wrong(result));
    let claims = || Script::words(text.clone() + talk::beside_results(asked.question()), Some(Fault::Claims));
    match asked.habit {
        Habit::Always(Fault::Claims) => claims(),
        _ if asked.format.is_some() => spoken(asked, dice),
        _ => Script::words(text, None),
    }
}

/// The first answer to a request: calls of what it asks for, or a question about what they need.
fn first_step(asked: &Conversation, dice: &Dice) -> Option<Script> {
    match &asked.choice {
        Choice::Never => None,
        Choice::Named(name) => {
            let tool = asked.tools.iter().find(|tool| tool.name == *name).or(asked.tools.first())?;
            Some(called(asked, vec![Draft::of(tool, asked.question(), made_up(asked, tool).arguments)], dice))
        }
        Choice::Some => {
            let used =
                |tool: &&Tool| asked.since_question().iter().flat_map(Said::calls).any(|call| call.name == tool.name);
            let fresh: Vec<Tool> = asked.tools.iter().filter(|tool| !used(tool)).cloned().collect();
            let name = nearest(&request(asked), if fresh.is_empty() { &asked.tools } else { &fresh })?.name.clone();
            let tool = asked.tools.iter().find(|tool| tool.name == name)?;
            Some(called(asked, vec![Draft::of(tool, asked.question(), made_up(asked, tool).arguments)], dice))
        }
        Choice::Free => {
            let request = request(asked);
            let tasks = tasks(&request, &asked.tools);
            let first = tasks.first()?;
            let filled = filled(asked, first, &[]);
            if !filled.missing.is_empty() {
                return Some(Script::words(talk::asking(asked.question(), first.tool, &filled.missing), None));
            }
            let mut drafts = drafts(asked, first, filled);
            // What needs nothing of the first can be done beside it.
            let rest = tasks.iter().skip(1).map(|task| (task, self::filled(asked, task, &[])));
            let ready = rest.filter(|(task, filled)| filled.missing.is_empty() && !leans_on(&task.request));
            drafts.extend(ready.flat_map(|(task, filled)| self::drafts(asked, task, filled)));
            Some(called(asked, drafts, dice))
        }
    }
}

/// After results: what of the request is still to be done, with what the results say.
fn next_step(asked: &Conversation, dice: &Dice) -> Option<Script> {
    if asked.choice == Choice::Never {
        return None;
    }
    let done =
        |task: &Task<'_>| asked.since_question().iter().flat_map(Said::calls).any(|call| call.name == task.tool.name);
    let results: Vec<Value> = asked.since_question().iter().filter_map(Said::result).map(value_of).collect();
    let request = request(asked);
    let task = tasks(&request, &asked.tools).into_iter().skip(1).find(|task| !done(task))?;
    let filled = filled(asked, &task, &results);
    let drafts = drafts(asked, &task, filled.clone());
    filled.missing.is_empty().then(|| called(asked, drafts, dice))
}

/// What the user asks for: the last words, or, where these say too little, with those before.
fn request(asked: &Conversation) -> String {
    let own = asked.question();
    let enough = |task: &Task<'_>| filled(asked, task, &[]).missing.is_empty();
    let whole = asked.request();
    if whole == own || tasks(own, &asked.tools).first().is_some_and(enough) || tasks(&whole, &asked.tools).is_empty() {
        return own.to_owned();
    }
    whole
}

/// Whether a part of a request speaks of what another part brings.
fn leans_on(request: &str) -> bool {
    let lower = request.to_lowercase();
    // In a question, "it" may stand for nothing: "what time is it?"
    !asks(request) && LEANING.iter().any(|word| mentions_word(&lower, word))
}

fn value_of(result: &PastResult) -> Value {
    serde_json::from_str(&result.text).unwrap_or_else(|_| Value::String(result.text.clone()))
}

fn filled(asked: &Conversation, task: &Task<'_>, results: &[Value]) -> Filled {
    // The model that invents ids needs none to be said.
    let invents = asked.habit == Habit::Always(Fault::InventedId);
    let unsaid = if invents { Unsaid::MadeUp } else { Unsaid::Missing };
    let results = if results.is_empty() || leans_on(&task.request) { results } else { &[] };
    fill(&task.tool.schema, &task.request, results, unsaid)
}

fn made_up(asked: &Conversation, tool: &Tool) -> Filled {
    fill(&tool.schema, asked.question(), &[], Unsaid::MadeUp)
}

fn drafts<'a>(asked: &'a Conversation, task: &Task<'a>, filled: Filled) -> Vec<Draft<'a>> {
    let all = std::iter::once(filled.arguments).chain(filled.more).take(asked.most_calls);
    all.map(|arguments| Draft::of(task.tool, asked.question(), arguments)).collect()
}

/// An answer with calls, or what a fault makes of the first of them.
fn called(asked: &Conversation, drafts: Vec<Draft<'_>>, dice: &Dice) -> Script {
    let Some((draft, others)) = drafts.split_first() else { return spoken(asked, dice) };
    let fault = asked.habit.fault_of_call(dice, |fault| draft.has_room_for(fault));
    let fault = fault.filter(|fault| draft.has_room_for(*fault));
    let question = asked.question();
    let wrong = |fault| draft.wrong(fault, dice, &asked.tools);
    let mut script = Script::calls(vec![fault.map_or_else(|| draft.right(), wrong)], fault);
    match fault {
        Some(Fault::Pseudo) => return Script::words(talk::promise(question), fault),
        Some(Fault::TextCall) => return Script::words(written_call(question, draft), fault),
        Some(Fault::Parallel) if asked.most_calls > 1 => {
            script.text = talk::before_call(question).to_owned();
            script.calls.push(second_call(asked, draft.tool, dice));
        }
        Some(Fault::Truncated) => script.finish = Finish::Length,
        Some(Fault::Cut) => script.finish = Finish::Cut,
        _ => script.calls.extend(others.iter().map(Draft::right)),
    }
    if let (Finish::Length | Finish::Cut, Some(call)) = (script.finish, script.calls.last_mut()) {
        call.arguments = cut_short(&call.arguments);
    }
    script.calls.truncate(asked.most_calls);
    script
}

/// The wrong one of two calls: of another tool where there is one.
fn second_call(asked: &Conversation, first: &Tool, dice: &Dice) -> Call {
    let tool = asked.tools.iter().find(|tool| tool.name != first.name).unwrap_or(first);
    let draft = Draft::of(tool, asked.question(), made_up(asked, tool).arguments);
    let fault = if draft.has_room_for(Fault::Missing) { Fault::Missing } else { Fault::UnknownTool };
    draft.wrong(fault, dice, &asked.tools)
}

/// A call as open models write it into their text when the server does not read it.
fn written_call(question: &str, draft: &Draft<'_>) -> String {
    let call = json!({"name": draft.tool.name, "arguments": draft.arguments});
    format!("{}\n<tool_call>\n{call}\n</tool_call>", talk::before_call(question))
}

/// An answer in words.
fn spoken(asked: &Conversation, dice: &Dice) -> Script {
    let question = asked.question();
    if let Some(schema) = &asked.format {
        let filled: Map<String, Value> = fill(schema, question, &[], Unsaid::MadeUp).arguments;
        return Script::words(Value::Object(filled).to_string(), None);
    }
    let fault = match talk::matter(question) {
        Matter::Figures => asked.habit.fault_of_figures(dice),
        Matter::Other => asked.habit.fault_of_words(),
    };
    let offer = if matches!(Part::of(asked), Part::Concierge) { talk::offer(question) } else { "" };
    let plain = || talk::plain(question, &asked.tools) + offer;
    match fault {
        Some(Fault::Claims) => Script::words(talk::claims(question), fault),
        Some(Fault::Pseudo) => Script::words(talk::promise(question), fault),
        Some(Fault::Truncated) => Script { finish: Finish::Length, ..Script::words(half(&plain()), fault) },
        Some(Fault::Cut) => Script { finish: Finish::Cut, ..Script::words(half(&plain()), fault) },
        _ => Script::words(plain(), None),
    }
}

fn must_call(asked: &Conversation) -> bool {
    matches!(asked.choice, Choice::Some | Choice::Named(_)) && !asked.tools.is_empty()
}

/// The script as far as the limit of tokens lets it come.
fn limited(mut script: Script, most: Option<usize>) -> Script {
    let Some(most) = most else { return script };
    let mut left = most;
    let mut take = |text: &mut String| {
        let whole = tokens(text).len();
        *text = kept(text, left);
        let complete = whole <= left;
        left = left.saturating_sub(whole);
        complete
    };
    let mut complete = take(&mut script.text);
    let mut calls = Vec::new();
    for mut call in std::mem::take(&mut script.calls) {
        if complete {
            complete = take(&mut call.arguments);
            calls.push(call);
        }
    }
    script.calls = calls;
    if !complete && script.finish != Finish::Cut {
        script.finish = Finish::Length;
    }
    script
}

/// Words for something that was spoken of before.
const LEANING: [&str; 12] =
    ["it", "them", "this", "that", "these", "result", "results", "answer", "her", "him", "它", "结果"];
const FLOOD: Option<Fault> = Some(Fault::Flood);
/// How results begin that say that a call was wrong.
const WRONG_BEGINNINGS: [&str; 4] = ["error", "invalid", "validation", "traceback"];
/// What is in a correction of ours.
const WRONG_WORDS: [&str; 4] = ["was not run", "没有执行", "does not exist", "is_error"];
/// What is in a refusal that no other try can change.
const FINAL_WORDS: [&str; 4] = ["Do not try it again", "waits for approval", "请不要重试", "正在等待批准"];
/// How often a call is put right before it gives up.
const MOST_TRIES: usize = 2;
/// How often the stubborn model repeats itself: more than any patience, and still an end.
const MOST_STUBBORN: usize = 8;
