//! A tool that changes something where the user only looks, or where the user's words plainly name another tool.

use super::super::declared_tool::DeclaredTool;
use super::super::tool_deeds::ToolDeeds;
use super::{Judge, Weight, thing_stands_in, value_stands_in};
use crate::check_call::params::Param;
use crate::contract::codes::meaning::OTHER_DEED;
use crate::contract::{Finding, ToolSpec};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::clause::{Clause, Mood, has_any};
use crate::text::deeds::reading::{Mention, Stance, is_undecided};
use crate::text::lexicon::{DeedEffect, Deeds};
use crate::text::lists::word_list;
use crate::text::stems::stem;
use crate::text::words::{identifier_words, words};
use serde_json::Value;

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    if alters(judge) {
        return find_looking(judge);
    }
    let deeds = judge.tool.deeds;
    let known = |mention: &Mention| mention.deeds.meet(&deeds);
    if !judge.acts || judge.request.may_want(deeds) || judge.request.last.mentions.iter().any(known) {
        return None;
    }
    find_looking(judge)
        .or_else(|| find_for_good(judge))
        .or_else(|| find_named(judge))
        .or_else(|| find_thing_of_another(judge))
        .or_else(|| find_in_its_words(judge))
}

/// Whether a tool changes something by a verb that names no deed of its own, `mark_collected`, and nothing speaks of it.
fn alters(judge: &Judge<'_>) -> bool {
    let tool = &judge.tool;
    let Some(verb) = tool.things.first().filter(|verb| ALTERING.contains(&verb.as_str())) else { return false };
    let stem = verb.trim_end_matches('e');
    let spoken = |clause: &Clause| clause.words.iter().any(|word| word.folded.starts_with(stem));
    // "Go ahead", 换吧: as short as it is, it orders.
    let orders = |clause: &Clause| clause.mood == Mood::Told && clause.words.len() > 1 && !is_background(clause);
    let wanted = |clause: &Clause| (spoken(clause) || orders(clause)) && !only_asks(clause);
    let unknown = tool.deeds.is_empty() && !tool.is_record && !judge.reads && judge.can_look();
    unknown && !judge.request.said_before(stem) && !judge.request.last.clauses.iter().any(wanted)
}

/// "I may need it again", and the tool ends it for good where another only puts it aside.
fn find_for_good(judge: &Judge<'_>) -> Option<Finding> {
    let clauses = &judge.request.last.clauses;
    let (said, _) = clauses.iter().find_map(|clause| Cue::named("not-for-good").find_in(&clause.text))?;
    let final_by_its_words = || Cue::named("for-good").stands_in(&judge.subject.tool.spec.description.to_lowercase());
    let ends =
        judge.tool.deeds.meet(&Deeds::named(&["cancel", "delete", "remove", "stop", "revoke"])) || final_by_its_words();
    let sibling = judge.find_sibling(Deeds::named(&["freeze", "pause", "archive", "hide", "mute"]))?;
    let (name, language) = (&judge.subject.tool.spec.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", and `{name}` ends it for good",
        "用户说的是“{said}”，而 `{name}` 会彻底结束"
    );
    let hint = judge.point_to(Some(sibling));
    ends.then(|| judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Strong))
}

/// Every clause of the request asks, and the tool does something that nobody spoke of.
fn find_looking(judge: &Judge<'_>) -> Option<Finding> {
    let last = judge.request.last;
    // "And staging?" may wish for much, but for nothing that ends something.
    let ends = judge.tool.deeds.meet(&Deeds::named(ENDING));
    let asks = |mood: Mood| mood == Mood::Asked || ends && mood == Mood::Open;
    // "Is J-9 done yet? The customer is on the phone": what is told beside a question about the record tells why it is asked.
    let asked = || last.clauses.iter().filter(|clause| asks(clause.mood));
    // "The tap in room 12 drips. Has that been reported?" asks about what it told.
    let refers = || {
        asked().any(|clause| {
            clause.chinese
                || clause.words.iter().any(|word| ["it", "that", "this", "one"].contains(&word.folded.as_str()))
        }) && last.clauses.iter().any(|clause| is_background(clause) && value_stands_in(judge.subject, &clause.text))
    };
    let about = is_looked_at(judge) && (asked().any(|clause| value_stands_in(judge.subject, &clause.text)) || refers());
    let mut told = last
        .clauses
        .iter()
        .filter(|clause| !asks(clause.mood) && !is_hedged(clause) && !only_asks(clause))
        .filter(|clause| !(about && is_background(clause)));
    let told = told.any(|clause| clause.words.len() > MAX_FILLER);
    let background = |mention: &Mention| about && last.clauses.get(mention.clause).is_some_and(is_background);
    let wanted = |mention: &Mention| {
        let wanted = !matches!(mention.stance, Stance::Asked | Stance::Refused);
        wanted && mention.deeds.effect() >= DeedEffect::Write && !background(mention)
    };
    // A chart may be made to answer a question; a plan that can be looked at need not be changed for it.
    let generic = judge.tool.deeds.meet(&Deeds::named(GENERIC)) && !can_look_at_it(judge) && !about;
    if told || generic || !last.clauses.iter().any(|clause| asks(clause.mood)) || last.mentions.iter().any(wanted) {
        return None;
    }
    let asked: String = last.clauses.first()?.text.trim().chars().take(MAX_QUOTE).collect();
    let (name, language) = (&judge.subject.tool.spec.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user only asked \"{asked}\", and `{name}` changes something",
        "用户只是在问“{asked}”，而 `{name}` 会做出更改"
    );
    let hint = localized!(language, "look it up with a tool that only reads, and answer", "请用只读的工具查询后回答");
    let grave =
        judge.tool.deeds.effect() == DeedEffect::Lasting || about && judge.tool.deeds.meet(&Deeds::named(DECISIVE));
    let weight = if grave { Weight::Strong } else { Weight::Weak };
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), weight))
}

/// Whether another tool only looks at the record that the call is about.
fn is_looked_at(judge: &Judge<'_>) -> bool {
    let keys = || judge.subject.arguments.keys();
    let looks = |spec: &DeclaredTool| {
        let schema = spec.input.as_ref().map(|schema| schema.0.get()).unwrap_or_default();
        let tool = spec.deeds();
        (tool.is_record || tool.deeds.meet(&Deeds::named(&["look"])))
            && keys().any(|key| schema.contains(&format!("\"{key}\"")))
    };
    judge.subject.registry.is_some_and(|registry| registry.specs().take(128).any(looks))
}

/// "The customer is on the phone" tells of something and wishes for nothing.
fn is_background(clause: &Clause) -> bool {
    if clause.chinese {
        return !has_any(
            &clause.text,
            &["请", "帮", "把", "要", "想", "让", "得", "吧", "给", "就", "能", "可以", "需"],
        );
    }
    let mut words = clause.words.iter().map(|word| word.folded.as_str());
    let subject = words.next().is_some_and(|first| SUBJECTS.contains(&first));
    subject && !words.any(|word| WISHING.contains(&word)) && !has_any(&clause.text, &["'d ", "'ll "])
}

/// "I might still find it": what may be wants nothing.
fn is_hedged(clause: &Clause) -> bool {
    let words = ["might", "maybe", "perhaps"];
    clause.words.iter().any(|word| words.contains(&word.folded.as_str()))
        || has_any(&clause.text, &["说不定", "也许", "没准"])
}

/// "Not switching yet", "just curious", 先不换: the clause says that nothing is wanted.
fn only_asks(clause: &Clause) -> bool {
    is_undecided(clause)
        || clause.words.first().is_some_and(|word| word.folded == "not")
        || Cue::named("first-not").stands_in(&clause.text)
}

/// Whether another tool only looks at what this one changes.
fn can_look_at_it(judge: &Judge<'_>) -> bool {
    let changes = judge.tool.deeds.meet(&Deeds::named(&["update", "book", "enter", "move"]));
    let looks = |tool: &ToolDeeds| {
        let reads = tool.is_record || tool.deeds.meet(&Deeds::named(&["look"])) || !tool.acts();
        reads && tool.things.iter().any(|thing| judge.tool.things.contains(thing))
    };
    changes
        && judge.subject.registry.is_some_and(|registry| registry.specs().take(128).map(|spec| spec.deeds()).any(looks))
}

/// A sibling's deed was wanted, and this tool does another that nobody spoke of: something graver, or to the same thing.
fn find_named(judge: &Judge<'_>) -> Option<Finding> {
    let look = Deeds::named(&["look"]);
    let wanted = |mention: &&Mention| {
        mention.stance == Stance::Wanted && !mention.deeds.acts().is_empty() && !mention.deeds.meet(&look)
    };
    let prepares = judge.tool.deeds.meet(&Deeds::named(PREPARING));
    let mut mentions = judge.request.last.mentions.iter().filter(wanted);
    let (mention, None) = (mentions.next()?, mentions.next()) else { return None };
    // "Mail e-77 is dealt with" tells how things stand.
    let states =
        judge.request.last.clauses.get(mention.clause)?.words.iter().any(|word| STATES.contains(&word.folded.as_str()));
    let vague = states || mention.deeds.meet(&Deeds::named(&["update", "create", "run"]));
    let sibling = judge.find_sibling(mention.deeds.acts())?;
    let graver =
        judge.tool.deeds.effect() == DeedEffect::Lasting && mention.deeds.acts().effect() < DeedEffect::Lasting;
    let same_thing = || {
        let spec = judge.subject.registry?.specs().find(|spec| spec.name == sibling)?;
        Some(spec.deeds().things.iter().any(|thing| judge.tool.things.contains(thing)))
    };
    // "Move Mr Ma to bed 12" and `discharge` of Mr Ma.
    let clause = judge.request.last.clauses.get(mention.clause)?;
    let same_object = judge.tool.deeds.meet(&Deeds::named(DECISIVE)) && value_stands_in(judge.subject, &clause.text);
    // "Hand T-7 over to Lee and tell the customer": the call is for the other clause, in words that nobody reads as a deed.
    let mut others = judge.request.last.clauses.iter().enumerate().filter(|(at, _)| *at != mention.clause);
    let unread = |at: usize| !judge.request.last.mentions.iter().any(|mention| mention.clause == at);
    let said = |at: usize, other: &Clause| unread(at) && value_stands_in(judge.subject, &other.text);
    if !same_object && others.any(|(at, other)| is_order(other) && said(at, other)) {
        return None;
    }
    if vague
        || judge.is_done(mention.deeds.acts())
        || !(graver || !prepares && same_thing() == Some(true) || same_object)
    {
        return None;
    }
    let (name, said, language) = (&judge.subject.tool.spec.name, &mention.said, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", which is what `{sibling}` does and `{name}` does not",
        "用户说的是“{said}”，这是 `{sibling}` 的作用，而不是 `{name}` 的"
    );
    let hint = judge.point_to(Some(sibling));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Weak))
}

/// Whether a clause begins as an order does, and not with what it tells of: "hand T-7 over", and not "her C-31 clashes".
fn is_order(clause: &Clause) -> bool {
    let first = clause.words.first().map(|word| word.folded.as_str()).unwrap_or_default();
    let names = first.contains(|c: char| c.is_ascii_digit()) || SUBJECTS.contains(&first);
    clause.mood == Mood::Told && !clause.chinese && !names && clause.words.len() > MAX_FILLER
}

/// The tool ends something that nobody spoke of ending, and the user's words name what another tool is for: "he starts his
/// parental leave" and `terminate_employment` beside `book_leave`.
fn find_thing_of_another(judge: &Judge<'_>) -> Option<Finding> {
    let last = judge.request.last;
    let ends = Deeds::named(ENDING);
    let spoken = last.mentions.iter().any(|mention| mention.deeds.meet(&ends)) || judge.request.has_earlier(ends);
    let implied = judge.request.implied().is_some_and(|(implied, _)| implied.meet(&ends));
    if !judge.tool.deeds.meet(&ends) || spoken || implied || judge.request.answers && judge.request.has_proposal() {
        return None;
    }
    let own = |thing: &String| judge.tool.things.contains(thing);
    let stands = |things: &[String]| last.clauses.iter().any(|clause| thing_stands_in(things, clause));
    if stands(&judge.tool.things) {
        return None;
    }
    let specs = judge.subject.registry?.specs().take(128).filter(|spec| spec.name != judge.subject.tool.spec.name);
    let sibling = specs.into_iter().find(|spec| {
        let tool = spec.deeds();
        let things: Vec<String> = tool.things.iter().filter(|thing| !own(thing)).cloned().collect();
        tool.acts() && !tool.deeds.meet(&ends) && stands(&things)
    })?;
    let (name, other, language) = (&judge.subject.tool.spec.name, &sibling.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user's words are about what `{other}` does, and nobody spoke of what `{name}` does",
        "用户说的是 `{other}` 的事情，没有人提到过 `{name}` 的操作"
    );
    let hint = judge.point_to(Some(&sibling.name));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Strong))
}

/// The user names no deed, and their words have the thing of just one other tool and nothing that only this tool speaks of:
/// "she lost her badge, PX-4 itself is fine" and `renew_contract` beside `print_badge`. The call needed a number that nobody gave.
fn find_in_its_words(judge: &Judge<'_>) -> Option<Finding> {
    let last = judge.request.last;
    let told = |clause: &&Clause| clause.mood == Mood::Told && !clause.chinese;
    let named = |mention: &Mention| mention.stance == Stance::Wanted && mention.deeds.effect() >= DeedEffect::Write;
    let bare = !last.mentions.iter().any(named) && judge.request.implied().is_none() && !judge.request.looked;
    let about = last.clauses.iter().any(|clause| value_stands_in(judge.subject, &clause.text));
    if !bare || !about || judge.request.confirms_or_answers() {
        return None;
    }
    // "The lock itself is fine".
    let aside = |clause: &&Clause| clause.words.iter().any(|word| word.folded == "itself");
    let spoken: Vec<String> = last
        .clauses
        .iter()
        .filter(|clause| told(clause) && !aside(clause))
        .flat_map(|clause| clause.words.iter().map(|word| stem(&word.folded).into_owned()))
        .collect();
    let own = vocabulary(&judge.subject.tool.spec);
    let specs: Vec<&DeclaredTool> = judge
        .subject
        .registry?
        .specs()
        .take(MAX_TOOLS)
        .filter(|spec| spec.name != judge.subject.tool.spec.name)
        .collect();
    let others: Vec<Vec<String>> = specs.iter().map(|spec| vocabulary(spec)).collect();
    // What this tool speaks of and no other does.
    if own.iter().any(|word| spoken.contains(word) && !others.iter().any(|other| other.contains(word))) {
        return None;
    }
    let things = |spec: &DeclaredTool| -> Vec<String> {
        let things = &spec.deeds().things;
        things.iter().map(|thing| stem(thing).into_owned()).filter(|thing| !own.contains(thing)).collect()
    };
    let hit = |spec: &&&DeclaredTool| things(spec).iter().any(|thing| spoken.contains(thing));
    let mut found = specs.iter().filter(hit);
    let sibling = found.next().filter(|_| found.next().is_none())?;
    if !sibling.deeds().acts() || !needs_more(judge, sibling) {
        return None;
    }
    let (name, other, language) = (&judge.subject.tool.spec.name, &sibling.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user's words are about what `{other}` does, and nobody spoke of what `{name}` does",
        "用户说的是 `{other}` 的事情，没有人提到过 `{name}` 的操作"
    );
    let hint = judge.point_to(Some(other));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Weak))
}

/// The telling words of a tool's name and description, as stems.
fn vocabulary(spec: &ToolSpec) -> Vec<String> {
    let description: String = spec.description.chars().take(MAX_DESCRIPTION).collect();
    let described = words(&description).into_iter().map(|word| word.folded);
    let telling = |word: &String| {
        word.len() > 2 && !Cue::named("names-nothing").has(word) && !Cue::named("clause-words").has(word)
    };
    identifier_words(&spec.name)
        .into_iter()
        .chain(described)
        .filter(telling)
        .map(|word| stem(&word).into_owned())
        .collect()
}

/// Whether the call sends all that another tool needs, and something more that nobody said: the years of a renewal.
fn needs_more(judge: &Judge<'_>, other: &ToolSpec) -> bool {
    let schema = other.input.as_ref().map(|schema| schema.0.get()).unwrap_or_default();
    let root = Param::read(&serde_json::from_str::<Value>(schema).unwrap_or_default());
    let arguments = judge.subject.arguments;
    let mut required = root.properties.values().filter(|param| param.required).peekable();
    let served = required.peek().is_some() && required.all(|param| arguments.contains_key(&param.name));
    let clauses = &judge.request.last.clauses;
    let unsaid = |value: &Value| match value {
        Value::Number(number) => {
            let shown = number.to_string();
            !clauses.iter().any(|clause| clause.words.iter().any(|word| word.folded == shown))
        }
        _ => false,
    };
    served && arguments.iter().any(|(key, value)| !root.properties.contains_key(key) && unsaid(value))
}

/// Verbs of a tool's name that change a record, whatever they make of it.
const ALTERING: &[&str] = word_list!("check_call", "action/other/altering");
/// Deeds that nobody does on the way to another one.
const DECISIVE: &[&str] = word_list!("check_call", "action/other/decisive");
/// Deeds that end something.
const ENDING: &[&str] = word_list!("check_call", "action/other/ending");
/// Deeds that a question may well need: a chart, an entry, a setting.
const GENERIC: &[&str] = word_list!("check_call", "action/other/generic");
/// What a clause begins with that tells of something.
const SUBJECTS: &[&str] = &[
    "the", "a", "an", "my", "our", "your", "his", "her", "its", "their", "this", "that", "these", "those", "i", "we",
    "you", "he", "she", "it", "they", "there", "all", "every", "i'm", "he's", "she's", "it's",
];
/// Words of a clause that wishes for something, whoever it begins with.
const WISHING: &[&str] = word_list!("check_call", "action/other/wishing");
const STATES: &[&str] = &["is", "are", "was", "were", "has", "have"];
/// Deeds that another deed may need first.
const PREPARING: &[&str] = word_list!("check_call", "action/other/preparing");
const MAX_QUOTE: usize = 60;
const MAX_DESCRIPTION: usize = 400;
const MAX_TOOLS: usize = 128;
/// "Hi", "thanks".
const MAX_FILLER: usize = 2;
