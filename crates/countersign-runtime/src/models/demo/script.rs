//! What an answer will be, before it is written down in a dialect: words, calls, and how it ends.
//!
//! The last thing said decides: a question is met with a call where there are tools, a correction with the call put
//! right, a result with words. It never calls a tool without end: after a few corrections it gives up and says so.

use super::arguments::arguments;
use super::conversation::{Choice, Conversation, Outcome, PastResult, Said, Tool};
use super::dice::Dice;
use super::fault::{Fault, Habit};
use super::mistakes::{Call, Draft, cut_short};
use super::part::Part;
use super::tokens::{kept, tokens};
use super::words::overlap;
use super::{concierge, planner, solver, talk};
use serde_json::{Value, json};

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
        None if !results.is_empty() && !must_call(asked) => after_results(asked, &results, dice),
        None => match (played(asked, dice), fitting_tool(asked)) {
            (Some(script), _) => script,
            (None, Some(tool)) => called(asked, tool, dice),
            (None, None) => spoken(asked, dice),
        },
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
    let fit = |tool: &Tool| overlap(asked.question(), &tool.name, &tool.description);
    let tool = asked.tools.iter().enumerate().max_by_key(|(at, tool)| (fit(tool), usize::MAX - at));
    Script::calls(tool.map(|(_, tool)| draft(asked, tool).right()).into_iter().collect(), Some(Fault::Loop))
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

/// The call once more: put right, or, of the stubborn model, wrong as before.
fn after_correction(asked: &Conversation, wrong: &PastResult, dice: &Dice) -> Script {
    let final_word = FINAL_WORDS.iter().any(|word| wrong.text.contains(word));
    let tries = asked.since_question().iter().filter_map(Said::result).filter(|result| is_wrong(result)).count();
    let named = asked.called(&wrong.id).and_then(|name| asked.tools.iter().find(|tool| tool.name == name));
    let stubborn = asked.habit == Habit::Always(Fault::Stubborn);
    let most = if stubborn { MOST_STUBBORN } else { MOST_TRIES };
    match named.or_else(|| fitting_tool(asked)) {
        Some(tool) if !final_word && tries <= most && asked.choice != Choice::Never => {
            let draft = draft(asked, tool);
            let call = if stubborn { draft.wrong(Fault::Stubborn, dice, &asked.tools) } else { draft.right() };
            Script::calls(vec![call], stubborn.then_some(Fault::Stubborn))
        }
        _ => Script::words(talk::giving_up(asked.question(), &wrong.text), None),
    }
}

fn after_results(asked: &Conversation, results: &[&PastResult], dice: &Dice) -> Script {
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    let text = talk::after_results(asked.question(), &texts);
    match asked.habit {
        Habit::Hosted if asked.tools.is_empty() => {
            Script::words(text + talk::beside_results(asked.question()), Some(Fault::Claims))
        }
        Habit::Always(Fault::Claims) => {
            Script::words(text + talk::beside_results(asked.question()), Some(Fault::Claims))
        }
        _ if asked.format.is_some() => spoken(asked, dice),
        _ => Script::words(text, None),
    }
}

/// An answer with a call, or what a fault makes of it.
fn called(asked: &Conversation, tool: &Tool, dice: &Dice) -> Script {
    let draft = draft(asked, tool);
    let fault = asked.habit.fault_of_call(dice, |fault| draft.has_room_for(fault));
    let fault = fault.filter(|fault| draft.has_room_for(*fault));
    let question = asked.question();
    let wrong = |fault| draft.wrong(fault, dice, &asked.tools);
    let mut script = Script::calls(vec![fault.map_or_else(|| draft.right(), wrong)], fault);
    match fault {
        Some(Fault::Pseudo) => return Script::words(talk::promise(question), fault),
        Some(Fault::TextCall) => return Script::words(written_call(question, &draft), fault),
        Some(Fault::Parallel) if asked.most_calls > 1 => {
            script.text = talk::before_call(question).to_owned();
            script.calls.push(second_call(asked, tool, dice));
        }
        Some(Fault::Truncated) => script.finish = Finish::Length,
        Some(Fault::Cut) => script.finish = Finish::Cut,
        _ => {}
    }
    if let (Finish::Length | Finish::Cut, Some(call)) = (script.finish, script.calls.last_mut()) {
        call.arguments = cut_short(&call.arguments);
    }
    script
}

/// The wrong one of two calls: of another tool where there is one.
fn second_call(asked: &Conversation, first: &Tool, dice: &Dice) -> Call {
    let tool = asked.tools.iter().find(|tool| tool.name != first.name).unwrap_or(first);
    let draft = draft(asked, tool);
    let fault = if draft.has_room_for(Fault::Missing) { Fault::Missing } else { Fault::UnknownTool };
    draft.wrong(fault, dice, &asked.tools)
}

/// A call as open models write it into their text when the server does not read it.
fn written_call(question: &str, draft: &Draft<'_>) -> String {
    let call = json!({"name": draft.tool.name, "arguments": draft.arguments});
    format!("{}\n<tool_call>\n{call}\n</tool_call>", talk::before_call(question))
}

fn draft<'a>(asked: &'a Conversation, tool: &'a Tool) -> Draft<'a> {
    let question = asked.question();
    Draft { tool, arguments: arguments(&tool.schema, question), question }
}

/// An answer in words.
fn spoken(asked: &Conversation, dice: &Dice) -> Script {
    let question = asked.question();
    if let Some(schema) = &asked.format {
        return Script::words(Value::Object(arguments(schema, question)).to_string(), None);
    }
    let fault = asked.habit.fault_of_words(dice);
    match fault {
        Some(Fault::Claims) => Script::words(talk::claims(question), fault),
        Some(Fault::Pseudo) => Script::words(talk::promise(question), fault),
        Some(Fault::Truncated) => {
            Script { finish: Finish::Length, ..Script::words(half(&talk::plain(question)), fault) }
        }
        Some(Fault::Cut) => Script { finish: Finish::Cut, ..Script::words(half(&talk::plain(question)), fault) },
        _ => Script::words(talk::plain(question), None),
    }
}

/// The tool to call: the one that is asked for, else the one whose words the question shares, else the first. One that
/// has answered since the question comes last.
fn fitting_tool(asked: &Conversation) -> Option<&Tool> {
    match &asked.choice {
        Choice::Never => None,
        Choice::Named(name) => asked.tools.iter().find(|tool| tool.name == *name).or(asked.tools.first()),
        Choice::Free | Choice::Some => {
            let fit = |tool: &Tool| overlap(asked.question(), &tool.name, &tool.description);
            let rank = |(at, tool): &(usize, &Tool)| (!is_used(asked, tool), fit(tool), usize::MAX - at);
            asked.tools.iter().enumerate().max_by_key(rank).map(|(_, tool)| tool)
        }
    }
}

fn is_used(asked: &Conversation, tool: &Tool) -> bool {
    asked.since_question().iter().flat_map(Said::calls).any(|call| call.name == tool.name)
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

const FLOOD: Option<Fault> = Some(Fault::Flood);
/// How results begin that say that a call was wrong.
const WRONG_BEGINNINGS: [&str; 4] = ["error", "invalid", "validation", "traceback"];
/// What stands in a correction of ours.
const WRONG_WORDS: [&str; 4] = ["was not run", "没有执行", "does not exist", "is_error"];
/// What stands in a refusal that no other try can change.
const FINAL_WORDS: [&str; 4] = ["Do not try it again", "waits for approval", "请不要重试", "正在等待批准"];
/// How often a call is put right before it gives up.
const MOST_TRIES: usize = 2;
/// How often the stubborn model repeats itself: more than any patience, and still an end.
const MOST_STUBBORN: usize = 8;
