//! The classic form: `Plan: why` and `#E1 = tool[input]`, alone or in a line with each other.

use super::MOST_STEPS;
use super::body::{self, Opened};
use super::draft::{Draft, short};
use super::line;
use super::reference::{marked, narrow, numbered};
use super::step::{PlanTrouble, Trouble};
use crate::parse::event::ParseOptions;
use crate::parse::formats::KnownTools;

/// Where a step begins.
#[derive(Debug)]
struct Anchor {
    at: usize,
    number: u32,
    name: String,
    opened: Opened,
    /// Where its input begins.
    body: usize,
    /// Whether it stands first in its line: then the input of the step before it is over.
    first: bool,
}

/// The steps that a text holds from `spoken` on.
pub(super) fn drafts(
    text: &str,
    spoken: usize,
    tools: &KnownTools,
    options: &ParseOptions,
    troubles: &mut Vec<PlanTrouble>,
) -> Vec<Draft> {
    let anchors = anchors(text, spoken, tools);
    let stops = stops(text, spoken, &anchors);
    let (mut drafts, mut from) = (Vec::new(), spoken);
    for anchor in &anchors {
        if anchor.at < from {
            continue;
        }
        if drafts.len() == MOST_STEPS {
            let note = format!("a plan has at most {MOST_STEPS} steps; what follows was left out");
            troubles.push(PlanTrouble { code: Trouble::TooManySteps, step: None, at: anchor.at, note });
            break;
        }
        let next = stops.get(stops.partition_point(|stop| *stop <= anchor.at)).copied().unwrap_or(text.len());
        let region = text.get(anchor.body..next.max(anchor.body)).unwrap_or_default();
        let body = body::read(region, anchor.opened, &anchor.name, tools, options);
        drafts.push(Draft {
            number: Some(anchor.number),
            at: anchor.at,
            description: describe(text.get(from..anchor.at).unwrap_or_default()),
            tool: anchor.name.clone(),
            input: body.input,
            after: Vec::new(),
            unclosed: body.unclosed,
        });
        from = anchor.body + body.end;
    }
    drafts
}

/// Whether a text says that nothing is to be done: `Plan: none`.
pub(super) fn says_none(text: &str, spoken: usize) -> bool {
    let text = text.get(spoken..).unwrap_or_default();
    let none = |words: &str| {
        let bare = words.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        NONE.contains(&bare.as_str())
    };
    none(text) || line::lines(text).filter_map(|(_, line)| read_planned(line)).any(none)
}

/// What follows `Plan:` in a line.
fn read_planned(line: &str) -> Option<&str> {
    let own = line.get(line::start(line)..)?;
    own.get(line::behind_plan(own)?..)
}

/// Where the answer begins after what the model said to itself.
pub(super) fn behind_reasoning(text: &str) -> usize {
    REASONED.iter().filter_map(|mark| text.rfind(mark).map(|at| at + mark.len())).max().unwrap_or(0)
}

fn anchors(text: &str, spoken: usize, tools: &KnownTools) -> Vec<Anchor> {
    let mut found = Vec::new();
    for (start, line) in line::lines(text.get(spoken..).unwrap_or_default()) {
        let (start, own) = (spoken + start, line::start(line));
        let rest = line.get(own..).unwrap_or_default();
        if marked(rest).is_none() {
            found.extend(anchor(text, start + own, Mark::Bare, tools));
        }
        for (at, _) in line.match_indices(['#', '＃']) {
            let mark = if at == own { Mark::First } else { Mark::Within };
            found.extend(anchor(text, start + at, mark, tools));
        }
    }
    found
}

/// How the id of a step is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// `E1`, first in its line.
    Bare,
    /// `#E1`, first in its line.
    First,
    /// `#E1` after other words.
    Within,
}

/// A step at a place: an id, an equals sign (or a colon, first in a line), the name of a tool, and a bracket.
fn anchor(text: &str, at: usize, mark: Mark, tools: &KnownTools) -> Option<Anchor> {
    let rest = text.get(at..)?;
    let (number, length, _) = if mark == Mark::Bare { numbered(rest)? } else { marked(rest)? };
    let behind = skip(rest.get(length..)?, |c| c.is_whitespace() || matches!(c, '*' | '`' | '_' | '"'));
    let sign = behind.chars().next()?;
    let assigns = narrow(sign) == '=' || sign == '←' || (narrow(sign) == ':' && mark != Mark::Within);
    if !assigns {
        return None;
    }
    let behind = behind.get(sign.len_utf8()..)?.trim_start_matches(['=', '>']);
    let behind = skip(behind, |c| c.is_whitespace() || matches!(c, '*' | '`' | '"'));
    let name_length = name_length(behind)?;
    let name: String = behind.get(..name_length)?.chars().map(narrow).collect();
    let rest = skip(behind.get(name_length..)?, |c| matches!(c, ' ' | '\t' | '\u{3000}' | '*' | '`' | '"'));
    let opened = match rest.chars().next().map(narrow) {
        Some('[') => Opened::Square,
        Some('(') => Opened::Round,
        Some('{') => Opened::Curly,
        None | Some('\n' | '\r') if tools.knows(&name) => Opened::Nothing,
        _ => return None,
    };
    let bracket = match opened {
        Opened::Square | Opened::Round => rest.chars().next().map_or(0, char::len_utf8),
        Opened::Curly | Opened::Nothing => 0,
    };
    let body = text.len() - rest.len() + bracket;
    Some(Anchor { at, number, name, opened, body, first: mark != Mark::Within })
}

/// The length of the name of a tool at the beginning of a text.
fn name_length(text: &str) -> Option<usize> {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let plain = narrow(c);
        if !(plain.is_alphanumeric() || matches!(plain, '_' | '-' | '.' | '/') || (plain == ':' && at > 0)) {
            break;
        }
        end = at + c.len_utf8();
        if end > LONGEST_NAME {
            return None;
        }
    }
    text.chars().next().filter(|c| c.is_alphabetic() || *c == '_').map(|_| end)
}

fn skip(text: &str, ornament: impl Fn(char) -> bool) -> &str {
    text.trim_start_matches(ornament)
}

/// Where the input of an open step is over at the latest: at the next step or `Plan:` that begins a line.
fn stops(text: &str, spoken: usize, anchors: &[Anchor]) -> Vec<usize> {
    let plans = line::lines(text.get(spoken..).unwrap_or_default()).filter_map(|(start, line)| {
        let own = line::start(line);
        line.get(own..).and_then(line::behind_plan).map(|_| spoken + start)
    });
    let mut stops: Vec<usize> =
        anchors.iter().filter(|anchor| anchor.first).map(|anchor| anchor.at).chain(plans).collect();
    stops.sort_unstable();
    stops
}

/// Why a step is needed, from the text before it: what follows its `Plan:`, else before it in its line.
fn describe(before: &str) -> String {
    let mut told = None;
    for (start, line) in line::lines(before) {
        let own = start + line::start(line);
        told = before.get(own..).and_then(line::behind_plan).map(|behind| own + behind).or(told);
    }
    let last_line = before.rfind('\n').map_or(0, |at| at + 1);
    let from = told.unwrap_or_else(|| last_line + before.get(last_line..).map_or(0, line::start));
    let text = before.get(from..).unwrap_or_default().trim_end_matches(TRAILING);
    let fence = text.rfind("```").filter(|at| text.get(at + 3..).is_some_and(|info| info.len() < 16));
    short(fence.and_then(|at| text.get(..at)).unwrap_or(text).trim_end_matches(TRAILING))
}

/// What may be between a description and its step.
const TRAILING: [char; 12] = [' ', '\n', '\r', '\t', '*', '`', '-', '>', '_', '(', '[', '•'];
const REASONED: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];
/// Words for an empty plan.
const NONE: [&str; 15] = [
    "none",
    "nothing",
    "n/a",
    "no plan",
    "no tools",
    "no tool",
    "none needed",
    "no tool needed",
    "no tool is needed",
    "no tools needed",
    "无",
    "没有",
    "不需要",
    "无需工具",
    "不需要工具",
];
const LONGEST_NAME: usize = 128;
