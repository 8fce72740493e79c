//! Which agent the model is asked to be, seen in what the system says.
//!
//! The marks are the tags and signs of the protocols themselves, so they are the same in every language, and a house may
//! write the rest of its instructions as it likes.

use super::conversation::{Conversation, Said, Tool};
use serde_json::{Value, from_str, json};

/// The part to play.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Nothing special is asked.
    Any,
    /// Answers, searches, keeps and delegates by tags.
    Concierge,
    /// Writes a plan over these tools.
    Planner(Vec<Tool>),
    /// Answers from evidence.
    Solver,
}

impl Part {
    /// The part that a conversation asks for.
    pub(super) fn of(asked: &Conversation) -> Self {
        let told = asked.instructions();
        let all = |marks: &[&str]| marks.iter().all(|mark| told.contains(mark));
        if all(&["Plan: none", "#E1 = "]) {
            let listed = told.lines().filter_map(|line| listed(line, asked.question()));
            Self::Planner(listed.take(MOST_TOOLS).collect())
        } else if all(&["[#E1]"]) {
            Self::Solver
        } else if all(&["<web_search>", "<call_orchestrator>"]) {
            Self::Concierge
        } else {
            Self::Any
        }
    }
}

/// The last words of the user that begin with one of these, with the question before them.
pub(super) fn put_before<'a>(asked: &'a Conversation, beginnings: &[&str]) -> Option<(&'a str, &'a str)> {
    let words: Vec<&str> = asked.turns.iter().filter_map(words_of_user).collect();
    let begins = |text: &&str| beginnings.iter().any(|beginning| text.starts_with(beginning));
    let at = words.iter().rposition(&begins)?;
    let question = words.iter().take(at).rev().chain(words.iter().skip(at + 1)).find(|text| !begins(text));
    Some((words.get(at)?, question.copied().unwrap_or_default()))
}

fn words_of_user(said: &Said) -> Option<&str> {
    match said {
        Said::User(text) => Some(text.trim()).filter(|text| !text.is_empty()),
        Said::Model(_) | Said::Result(_) => None,
    }
}

/// A tool in a line such as `- name({"type": "object", …}): what it does`.
fn listed(line: &str, question: &str) -> Option<Tool> {
    let (name, rest) = line.trim().strip_prefix("- ")?.split_once('(')?;
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    // A schema may hold the signs that end it, so the first end before which it is JSON counts.
    let ends = rest.match_indices(')').map(|(at, _)| at).take(MOST_ENDS);
    let read = ends.filter_map(|at| Some((from_str::<Value>(rest.get(..at)?).ok()?, rest.get(at + 1..)?))).next();
    let unread = || rest.split_once(')').map(|(_, description)| (json!({}), description));
    let (schema, description) = read.or_else(unread)?;
    Some(Tool::new(name, description.trim_start_matches([':', '：', ' ']), &schema, question))
}

const MOST_ENDS: usize = 64;
const MOST_TOOLS: usize = 200;
