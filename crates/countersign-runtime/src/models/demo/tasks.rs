//! What a request asks for: which tools, in which order, each with its part of the request.
//!
//! A tool fits by the words that it shares with the request, by what it does (a request to delete needs a tool that
//! deletes), and by whether the request says what its call needs. A request of several parts may need several tools.

use super::arguments::{Unsaid, fill};
use super::conversation::Tool;
use super::fields::{Field, Need, fields};
use super::unsaid::speaks_to;
use super::words::{is_chinese, words};
use countersign::check_call::effects;
use countersign::conversation::vocabulary::{Topics, Vocabulary};
use countersign::policy::Effect;
use countersign::text::fold::fold;

/// A tool and the part of the request that asks for it.
#[derive(Debug, Clone)]
pub(super) struct Task<'a> {
    /// The tool.
    pub(super) tool: &'a Tool,
    /// The words.
    pub(super) request: String,
}

/// The tasks of a request, in order; none where no tool is made for it.
pub(super) fn tasks<'a>(request: &str, tools: &'a [Tool]) -> Vec<Task<'a>> {
    let mut tasks: Vec<Task<'a>> = Vec::new();
    let mut open = String::new();
    for clause in clauses(request) {
        let tool = best(clause, tools).filter(|(fit, _)| *fit >= LEAST_OF_CLAUSE).map(|(_, tool)| tool);
        match (tool, tasks.last_mut()) {
            (Some(tool), Some(last)) if tool.name != last.tool.name && begins_anew(clause) => {
                tasks.push(Task { tool, request: clause.to_owned() });
            }
            (Some(tool), None) => tasks.push(Task { tool, request: format!("{open}{clause}") }),
            (_, Some(last)) => last.request.push_str(clause),
            (None, None) => open.push_str(clause),
        }
    }
    // The whole request may tell what its parts do not.
    if tasks.len() < 2 {
        let whole = best(request, tools).or_else(|| general(request, tools));
        return whole.map(|(_, tool)| Task { tool, request: request.to_owned() }).into_iter().collect();
    }
    tasks.truncate(MOST_TASKS);
    tasks
}

/// The tool that fits best, whether it was meant or not.
pub(super) fn nearest<'a>(request: &str, tools: &'a [Tool]) -> Option<&'a Tool> {
    best(request, tools).or_else(|| general(request, tools)).map(|(_, tool)| tool).or(tools.first())
}

/// The tools that share something with a request, each with how much.
pub(super) fn shared<'a>(request: &str, tools: &'a [Tool]) -> Vec<(i32, &'a Tool)> {
    let asked = Asked::of(request);
    tools.iter().map(|tool| (asked.shares_with(tool), tool)).filter(|(fit, _)| *fit > 0).collect()
}

/// The tool that shares most with a request; none where none shares anything.
fn best<'a>(request: &str, tools: &'a [Tool]) -> Option<(i32, &'a Tool)> {
    let fitting = shared(request, tools);
    let most = fitting.iter().map(|(fit, _)| *fit).max()?;
    let near = fitting.into_iter().filter(|(fit, _)| *fit * 2 >= most);
    let ranked = near.map(|(fit, tool)| (fit + said(tool, request), tool));
    // Of two that fit alike, the first counts.
    ranked.enumerate().max_by_key(|(at, (fit, _))| (*fit, usize::MAX - at)).map(|(_, ranked)| ranked)
}

/// Where no tool shares a word: the only one that there is, if the request says what it needs, or asks what it can look up.
fn general<'a>(request: &str, tools: &'a [Tool]) -> Option<(i32, &'a Tool)> {
    let mut own = tools.iter().filter(|tool| !OF_THE_HOUSE.contains(&tool.name.as_str()));
    let (Some(tool), None) = (own.next(), own.next()) else { return None };
    let filled = fill(&tool.schema, request, &[], Unsaid::Missing);
    let all = fields(&tool.schema);
    let needed = || all.iter().filter(|field| field.need == Need::Required);
    let looks_up =
        || asks(request) && effects::by_name(&tool.name) == Some(Effect::Read) && needed().all(Field::is_free_text);
    let meant = filled.said > 0 || needed().any(|field| speaks_to(field, request)) || looks_up();
    (needed().next().is_some() && filled.missing.is_empty() && meant).then_some((1, tool))
}

/// Whether the request says what a call needs, and a call takes what the request says.
fn said(tool: &Tool, request: &str) -> i32 {
    let filled = fill(&tool.schema, request, &[], Unsaid::Missing);
    let count = |count: usize| i32::try_from(count.min(4)).unwrap_or(4);
    2 * count(filled.said) - 4 * count(filled.missing.len()) - 3 * count(filled.unused)
}

struct Asked {
    words: Vocabulary,
    topics: Topics,
    effect: Option<Effect>,
}

impl Asked {
    fn of(request: &str) -> Self {
        let words = Vocabulary::of(&fold(request));
        let topics = Topics::of(&words);
        Self { words, topics, effect: effect(request) }
    }

    /// How much a tool shares with the request: words of its name count most.
    fn shares_with(&self, tool: &Tool) -> i32 {
        let (own, told) = (&tool.name_words, &tool.told);
        let count =
            |words: &Vocabulary| i32::try_from(words.keys().filter(|key| self.words.has(*key)).count()).unwrap_or(0);
        let named = count(own);
        let described = told.keys().filter(|key| !own.has(*key) && self.words.has(*key)).count();
        let described = i32::try_from(described.min(3)).unwrap_or(3);
        let house = OF_THE_HOUSE.contains(&tool.name.as_str());
        let topic = match (self.topics.meet(&Topics::of(own)), self.topics.meet(&Topics::of(told))) {
            _ if house => 0,
            (true, _) => 3,
            (false, true) => 1,
            (false, false) => 0,
        };
        let shared = 6 * named + 3 * described + topic;
        let deed = match (self.effect, effects::by_name(&tool.name)) {
            (Some(wanted), Some(does)) if wanted == does => 3,
            (Some(wanted), Some(does)) if (wanted == Effect::Read) != (does == Effect::Read) => -4,
            (Some(_), Some(_)) => -2,
            _ => 0,
        };
        if shared == 0 { 0 } else { shared + deed }
    }
}

/// What the first verb of a request does; a question only looks.
fn effect(request: &str) -> Option<Effect> {
    if request.chars().any(is_chinese) {
        return effects::all_by_name(request).into_iter().next();
    }
    let verb = || words(request).iter().find_map(|word| effects::by_name(&word.to_lowercase()));
    if asks(request) { Some(Effect::Read) } else { verb() }
}

/// Whether a text is a question.
pub(super) fn asks(text: &str) -> bool {
    let first = words(text).into_iter().map(str::to_lowercase).find(|word| !JOINING.contains(&word.as_str()));
    first.is_some_and(|word| QUESTIONS.contains(&word.as_str())) || text.trim_end().ends_with('？')
}

/// Whether a clause asks for something of its own: it begins with a verb or a question.
fn begins_anew(clause: &str) -> bool {
    if clause.chars().any(is_chinese) {
        return true;
    }
    let first = words(clause).into_iter().map(str::to_lowercase).find(|word| !JOINING.contains(&word.as_str()));
    asks(clause) || first.is_some_and(|word| effects::by_name(&word).is_some())
}

/// The clauses of a request, each with the sign that ends it.
fn clauses(request: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = request;
    let lower = request.to_lowercase();
    // Where lower case has another length, places would not agree.
    let lower = if lower.len() == request.len() { lower } else { request.to_owned() };
    let mut start = 0;
    while let Some(at) = cut(lower.get(start..).unwrap_or_default()) {
        let Some((front, behind)) = rest.split_at_checked(at) else { break };
        found.push(front);
        rest = behind;
        start += at;
    }
    found.push(rest);
    found.retain(|clause| !clause.trim().is_empty());
    found.truncate(MOST_CLAUSES);
    found
}

/// The end of the first clause.
fn cut(text: &str) -> Option<usize> {
    let ended = SENTENCE_ENDS.iter().filter_map(|end| text.find(end).map(|at| at + end.len()));
    let joined = CONNECTIVES.iter().filter_map(|word| text.find(word).filter(|at| *at > 0));
    ended.chain(joined).min().filter(|at| *at > 0 && *at < text.len())
}

/// Tools that every hosted agent has; a question has to speak of them.
pub(super) const OF_THE_HOUSE: [&str; 6] =
    ["create_note", "list_notes", "save_material", "list_materials", "kb_search", "web_search"];
const QUESTIONS: [&str; 16] = [
    "what", "what's", "which", "who", "how", "when", "where", "why", "is", "are", "will", "does", "do", "did", "can",
    "was",
];
const JOINING: [&str; 6] = ["and", "then", "also", "please", "after", "that"];
const SENTENCE_ENDS: [&str; 9] = [". ", "? ", "! ", "; ", "\n", "。", "？", "！", "；"];
const CONNECTIVES: [&str; 8] = [" and ", " then ", ", then ", "然后", "，再", "并且", "，并", "接着"];
const LEAST_OF_CLAUSE: i32 = 6;
const MOST_CLAUSES: usize = 12;
const MOST_TASKS: usize = 4;
