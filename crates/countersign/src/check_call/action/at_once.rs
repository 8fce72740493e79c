//! A tool that acts at once where the user named a day to come, and another tool takes a time: "goes out on Monday" and
//! `publish_now(post_id)` beside `schedule_post(post_id, publish_at)`.

use super::super::declared_tool::DeclaredTool;
use super::super::tool_deeds::takes_time;
use super::{Judge, Weight};
use crate::check_call::params::Param;
use crate::contract::codes::meaning::OTHER_DEED;
use crate::contract::{Finding, ToolSpec};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::clause::Clause;
use crate::text::lexicon::{Deeds, is_past};
use crate::text::mentions::Reading;
use crate::text::mentions::calendar::Week;
use crate::text::mentions::date::DateWords;
use crate::text::words::identifier_words;

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let spec = &judge.subject.tool.spec;
    let now = |name: &str| identifier_words(name).iter().any(|word| word == "now");
    let at_once = Cue::named("at-once").stands_in(&spec.description.to_lowercase()) || now(&spec.name);
    let own: Vec<&str> = judge.subject.tool.root.order.iter().map(String::as_str).collect();
    let acts = judge.acts || judge.tool.deeds.is_empty() && !judge.tool.is_record && !judge.reads;
    if !acts || !at_once || own.iter().any(|key| takes_time(key)) {
        return None;
    }
    let said = find_later(&judge.request.last.clauses)?;
    let sibling = judge.subject.registry?.specs().take(MAX_TOOLS).find(|other| takes_moment(spec, other, &own))?;
    let (name, other, language) = (&spec.name, &sibling.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", and `{name}` acts at once; `{other}` takes a time",
        "用户说的是“{said}”，而 `{name}` 会立即执行；`{other}` 可以指定时间"
    );
    let hint = judge.point_to(Some(&sibling.name));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Strong))
}

/// The words for a day to come; nothing where the user also spoke of now, and of a day on which something happened.
fn find_later(clauses: &[Clause]) -> Option<String> {
    let now = |clause: &Clause| Cue::named("right-now").stands_in(&clause.text);
    let later = |words: &DateWords| match words {
        DateWords::Days(days) => *days > 0,
        DateWords::Weekday(_, week) => *week != Week::Last,
        _ => true,
    };
    let told = clauses.iter().filter(|clause| !is_over(clause));
    told.filter(|_| !clauses.iter().any(now)).find_map(|clause| {
        let reading = Reading::of(&clause.text);
        let (mention, _) = reading.dates().find(|(mention, words)| {
            let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
            later(words) && !mention.excluded && !behind.starts_with(['\'', '’', '的'])
        })?;
        Some(reading.text(mention).to_owned())
    })
}

/// "The one we recorded on Friday": a clause that tells of what has been.
fn is_over(clause: &Clause) -> bool {
    let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
    let been = |word: &str| matches!(word, "was" | "were" | "did" | "had" | "since" | "ago");
    let passive = |at: usize| {
        at.checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| matches!(*before, "be" | "get" | "gets"))
    };
    words.iter().enumerate().any(|(at, word)| been(word) || is_past(word) && !passive(at))
        || clause.chinese && clause.text.contains(['过', '了'])
}

/// Whether another tool takes a moment for the same thing: it shares a word of its name, or takes all that this one takes.
fn takes_moment(spec: &ToolSpec, other: &DeclaredTool, own: &[&str]) -> bool {
    let root = other.params();
    let words = identifier_words(&other.name);
    let named = identifier_words(&spec.name).iter().any(|word| word.len() > 3 && words.contains(word));
    let tool = other.deeds();
    let acts = !tool.is_record && !tool.deeds.meet(&Deeds::named(&["look"]));
    let taken = acts && !own.is_empty() && own.iter().all(|key| root.properties.contains_key(*key));
    let moment = |param: &Param| {
        param.format.as_deref() == Some("date-time")
            || matches!(param.last_word.as_str(), "at" | "when")
            || taken && takes_time(&param.name)
    };
    other.name != spec.name && (named || taken) && root.properties.values().any(moment)
}

const MAX_TOOLS: usize = 128;
