//! A deed that the user refused, only asked about, made conditional, or wants to do themselves.

use super::super::tool_deeds::takes_time;
use super::{Judge, Weight, thing_stands_in, value_stands_in};
use crate::check_call::role::Role;
use crate::contract::Finding;
use crate::contract::codes::meaning::NOT_ASKED;
use crate::contract::language::is_han;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::deeds::clause::{Clause, Mood};
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::lexicon::{DeedEffect, Deeds};
use crate::text::lists::word_list;

/// The finding, where every word of the user on this deed speaks against it.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    if let Some(finding) = find_hands_off(judge).or_else(|| find_not_yet(judge)).or_else(|| find_described(judge)) {
        return Some(finding);
    }
    let literal = if deeds.is_empty() && !judge.reads { find_literal(judge) } else { None };
    if literal.is_some() {
        return literal;
    }
    let acts = judge.acts || deeds.is_empty() && !judge.reads && is_final(judge);
    if !acts || judge.request.last.may_want(deeds) {
        return None;
    }
    let mut mentions: Vec<Mention> = judge.request.last.of_deeds(deeds).cloned().collect();
    if mentions.is_empty() {
        mentions = find_labelled(judge);
    }
    let could = |mention: &Mention| matches!(mention.stance, Stance::Wanted | Stance::Open);
    if mentions.iter().any(could) {
        return None;
    }
    let refused = mentions.iter().find(|mention| matches!(mention.stance, Stance::Refused | Stance::Own));
    let nowhere = || !judge.request.has_earlier(deeds);
    // "Half past four, and the phone number I'll fix myself": what the user does is another part of a longer message.
    let own_part = |mention: &Mention| {
        mention.stance == Stance::Own
            && judge.request.last.clauses.len() > 2
            && !judge.request.last.clauses.get(mention.clause).is_some_and(|clause| {
                thing_stands_in(&judge.tool.things, clause) || value_stands_in(judge.subject, &clause.text)
            })
    };
    if let Some(mention) = refused.filter(|mention| !own_part(mention) && (is_about(judge, mention) || nowhere())) {
        return Some(finding(judge, mention, Weight::Strong));
    }
    if judge.request.has_earlier(deeds) {
        return None;
    }
    let asked = mentions.iter().find(|mention| mention.stance == Stance::Asked);
    if let Some(mention) = asked.filter(|_| deeds.effect() == DeedEffect::Lasting || !wants_any(judge)) {
        let weight = if wants_any(judge) { Weight::Weak } else { Weight::Strong };
        return Some(finding(judge, mention, weight));
    }
    let waits = mentions.iter().find(|mention| mention.stance == Stance::Conditional);
    let grave = deeds.effect() == DeedEffect::Lasting || is_final(judge);
    let lasting = grave && judge.can_look() && !judge.request.looked && !takes_moment(judge);
    waits.filter(|_| lasting).map(|mention| finding(judge, mention, Weight::Weak))
}

/// What is said of the tool's deed under the name that its description has for it: 退号 for `cancel_appointment`.
fn find_labelled(judge: &Judge<'_>) -> Vec<Mention> {
    let stances = |label: &String| (label.clone(), judge.request.last.stances_of_chinese(label));
    let mut named = judge.tool.labels.iter().map(stances).filter(|(_, stances)| !stances.is_empty());
    let Some((label, stances)) = named.next().filter(|(label, _)| !judge.request.said_before(label)) else {
        return Vec::new();
    };
    let mention = |(clause, stance)| Mention { deeds: judge.tool.deeds, stance, said: label.clone(), clause };
    stances.into_iter().map(mention).collect()
}

/// Whether what the tool does cannot be taken back, by its effect or by its own words.
fn is_final(judge: &Judge<'_>) -> bool {
    let tool = judge.subject.tool;
    tool.effects.irreversible || Cue::named("for-good").stands_in(&tool.spec.description.to_lowercase())
}

/// Whether the call can wait by itself: it takes a time.
fn takes_moment(judge: &Judge<'_>) -> bool {
    judge.subject.tool.root.properties.values().any(|param| param.roles.has(Role::Date) || takes_time(&param.name))
}

/// "Don't change anything, just check": whatever the tool does, it is not wanted.
fn find_hands_off(judge: &Judge<'_>) -> Option<Finding> {
    let last = judge.request.last;
    let asks = || last.clauses.iter().any(|clause| clause.mood == Mood::Asked);
    let (clause, said) = last.clauses.iter().enumerate().find_map(|(at, clause)| {
        let listed = HANDS_OFF.iter().find(|words| clause.text.contains(**words)).map(|words| (*words).to_owned());
        Some((at, listed.or_else(|| wants_nothing(clause).filter(|_| asks()))?))
    })?;
    let mention = Mention { deeds: judge.tool.deeds, stance: Stance::Refused, said, clause };
    // `submit_form` names no deed and changes something all the same.
    let writes = || judge.subject.tool.effects.effects.iter().any(|effect| *effect != Effect::Read);
    ((judge.acts || judge.tool.deeds.is_empty() && writes()) && !judge.request.may_want(judge.tool.deeds))
        .then(|| finding(judge, &mention, Weight::Strong))
}

/// "Don't file anything", 什么都先别提交: the words that want nothing done at all, beside a question. "Don't forget anything" wants
/// much.
fn wants_nothing(clause: &Clause) -> Option<String> {
    if clause.chinese {
        let (before, behind) = clause.text.split_once("什么都").or_else(|| clause.text.split_once("什么也"))?;
        let refused = ["别", "先别", "不要", "先不要", "不用"].iter().any(|word| behind.starts_with(word));
        return (refused && before.chars().count() <= MAX_BEFORE).then(|| clause.text.trim().to_owned());
    }
    let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
    let at = words.iter().position(|word| *word == "anything")?;
    let verb = words.get(at.checked_sub(1)?).filter(|verb| !NEEDS_ALL.contains(verb))?;
    let before = words.get(..at - 1)?;
    let refused =
        matches!(before, [.., "don't" | "dont" | "never"] | [.., "do" | "please", "not"] | [.., "need", "to"]);
    let own = before.iter().any(|word| ["i", "we", "they", "he", "she", "who", "why"].contains(word));
    let rest = words.get(at + 1..)?;
    let ends = rest.iter().all(|word| ["yet", "now", "please", "for", "me", "us", "today"].contains(word));
    (refused && !own && ends).then(|| format!("{} {verb} anything", before.last().copied().unwrap_or_default()))
}

/// "I want to sleep on it before it goes out", and the call cannot be taken back while another tool only prepares it; "what
/// would it cost? I'll talk to Ben first", and the call does it.
fn find_not_yet(judge: &Judge<'_>) -> Option<Finding> {
    let clauses = &judge.request.last.clauses;
    let looks = |clause: &Clause| {
        let found = Cue::named("look-first").find_in(&clause.text).filter(|_| !judge.request.looked)?;
        Some(found.0.to_owned())
    };
    let waits = |clause: &Clause| defers(judge, clause).or_else(|| looks(clause));
    let (clause, said) = clauses.iter().enumerate().find_map(|(at, clause)| Some((at, waits(clause)?)))?;
    let lasting = is_final(judge);
    let prepares = judge.subject.registry.is_some_and(|registry| registry.specs().len() > 1);
    let mention = Mention { deeds: judge.tool.deeds, stance: Stance::Refused, said: said.to_owned(), clause };
    // "Send it to class 2; not yet to the others".
    let wanted = judge.request.last.may_want(judge.tool.deeds);
    let asks =
        || clauses.iter().any(|clause| clause.mood == Mood::Asked) && !judge.request.has_earlier(judge.tool.deeds);
    let early = lasting && prepares || judge.acts && asks();
    (early && !judge.reads && !wanted).then(|| finding(judge, &mention, Weight::Strong))
}

/// The words with which the user puts a decision off: "let me sleep on it", "I'll talk to Ben first".
fn defers(judge: &Judge<'_>, clause: &Clause) -> Option<String> {
    if let Some((said, _)) = Cue::named("not-yet").find_in(&clause.text) {
        return Some(said.to_owned());
    }
    if let Some(said) = holds_off(judge, clause) {
        return Some(said);
    }
    let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
    // "Nothing fixed yet".
    if let [_, .., "yet"] = words.as_slice()
        && words.iter().take(2).any(|word| *word == "nothing")
    {
        return Some(clause.text.trim().to_owned());
    }
    let speaker = words.iter().position(|word| ["i'll", "we'll", "i", "we", "me"].contains(word))?;
    let near = words.get(speaker + 1..)?.iter().take(MAX_BEFORE);
    let verb = speaker + 1 + near.into_iter().position(|word| PONDERING.contains(word))?;
    let rest = words.get(verb + 1..)?;
    // "I'll decide myself" keeps the decision, whatever else is asked.
    let own =
        words.get(verb) == Some(&"decide") && rest.iter().any(|word| ["myself", "ourselves", "later"].contains(word));
    let first = own || rest.last() == Some(&"first") && !rest.contains(&"you");
    first.then(|| clause.text.trim().to_owned())
}

/// 先不出票, and the description of the tool says 出票: what is not to be done yet, in the tool's own words.
fn holds_off(judge: &Judge<'_>, clause: &Clause) -> Option<String> {
    let description = &judge.subject.tool.spec.description;
    Cue::named("first-not").chinese.iter().find_map(|cue| {
        let behind = clause.text.split_once(cue)?.1.trim_start_matches(['要', '用']);
        let verb: String = behind.chars().take(2).collect();
        (verb.chars().count() == 2 && description.contains(&verb)).then(|| format!("{cue}{verb}"))
    })
}

/// 别建单，帮我查查: what is not to be done in the signs of the tool's own description, beside a look or a question.
fn find_described(judge: &Judge<'_>) -> Option<Finding> {
    // What the tool is called: the first signs of its description.
    let head: String = judge.subject.tool.spec.description.chars().take_while(|c| is_han(*c)).collect();
    let last = judge.request.last;
    let look = Deeds::named(&["look"]);
    let asks = last.clauses.iter().any(|clause| clause.mood == Mood::Asked) || last.may_want(look);
    let writes = judge.subject.tool.effects.effects.iter().all(|effect| *effect != Effect::Read);
    if !asks || !writes || judge.tool.deeds.meet(&look) || !(2..=MAX_HEAD).contains(&head.chars().count()) {
        return None;
    }
    let (clause, said) =
        last.clauses.iter().enumerate().filter(|(_, clause)| clause.chinese).find_map(|(at, clause)| {
            let verb = HOLDING_ZH.iter().find_map(|no| clause.text.trim_start().strip_prefix(no))?;
            let signs: Vec<char> = verb.chars().filter(|c| is_han(*c)).take(3).collect();
            let (first, rest) = signs.split_first()?;
            // 报修, 建单 of 新建报修单, 报 alone.
            let behind = head.split_once(*first)?.1;
            let named = rest.first().is_none_or(|second| behind.contains(*second));
            (named && rest.len() <= 1).then(|| (at, clause.text.trim().to_owned()))
        })?;
    let mention = Mention { deeds: judge.tool.deeds, stance: Stance::Refused, said, clause };
    (!last.may_want(judge.tool.deeds)).then(|| finding(judge, &mention, Weight::Strong))
}

/// A verb that the lexicon does not know: the first word of the tool's name, where the user said not to do it.
fn find_literal(judge: &Judge<'_>) -> Option<Finding> {
    let verb = judge.tool.things.first().filter(|verb| verb.len() >= MIN_VERB && verb.is_ascii())?;
    let stances = judge.request.last.stances_of(&[verb.as_str()]);
    let (clause, _) = *stances.first()?;
    // "I don't need cutlery" names a thing; "don't donate" and "not to donate" name a deed.
    let words = &judge.request.last.clauses.get(clause)?.words;
    let at = words.iter().position(|word| word.folded == *verb)?;
    let before = at.checked_sub(1).and_then(|at| words.get(at))?;
    if !BEFORE_VERB.contains(&before.folded.as_str()) {
        return None;
    }
    if judge.tool.is_record || stances.iter().any(|(_, stance)| !matches!(stance, Stance::Refused | Stance::Own)) {
        return None;
    }
    let mention = Mention { deeds: judge.tool.deeds, stance: Stance::Refused, said: verb.clone(), clause };
    is_about(judge, &mention).then(|| finding(judge, &mention, Weight::Weak))
}

/// Whether the user wants anything done.
fn wants_any(judge: &Judge<'_>) -> bool {
    let wanted = |mention: &&Mention| mention.stance == Stance::Wanted && mention.deeds.effect() >= DeedEffect::Write;
    let look = Deeds::named(&["look", "keep"]);
    judge.request.last.mentions.iter().filter(wanted).any(|mention| !mention.deeds.meet(&look))
}

/// Whether a refusal is about what the call is about: its id, its thing or a pronoun stands in the clause, or nothing else does.
fn is_about(judge: &Judge<'_>, mention: &Mention) -> bool {
    let Some(clause) = judge.request.last.clauses.get(mention.clause) else { return false };
    if clause.chinese {
        return judge.tool.deeds.effect() == DeedEffect::Lasting || value_stands_in(judge.subject, &clause.text);
    }
    let words = || clause.words.iter().map(|word| word.folded.as_str());
    let pronoun = words().any(|word| PRONOUNS.contains(&word));
    let last = words().next_back().is_some_and(|word| mention.said.ends_with(word));
    pronoun || last || thing_stands_in(&judge.tool.things, clause) || value_stands_in(judge.subject, &clause.text)
}

fn finding(judge: &Judge<'_>, mention: &Mention, weight: Weight) -> Finding {
    let (name, said) = (&judge.subject.tool.spec.name, judge.quote(mention));
    let language = judge.subject.language;
    let evidence = match mention.stance {
        Stance::Refused => localized!(
            language,
            "the user said \"{said}\", and `{name}` does it",
            "用户说的是“{said}”，而 `{name}` 正是用户不要做的操作"
        ),
        Stance::Own => localized!(
            language,
            "the user said \"{said}\" and wants to do it themselves; `{name}` does it now",
            "用户说“{said}”，要自己来做，而 `{name}` 会直接执行"
        ),
        Stance::Conditional => localized!(
            language,
            "the user said \"{said}\", which depends on something that nobody looked up; `{name}` does it now",
            "用户说“{said}”，前提条件尚未确认，而 `{name}` 会直接执行"
        ),
        _ => localized!(
            language,
            "the user only asked \"{said}\", and `{name}` does it",
            "用户只是在问“{said}”，而 `{name}` 会直接执行"
        ),
    };
    let hint = localized!(
        language,
        "do what the user asked for, or ask before you call `{name}`",
        "请按用户的要求去做，或在调用 `{name}` 之前先询问用户"
    );
    judge.weigh(Finding::new(&NOT_ASKED, "/name", evidence).hint(hint), weight)
}

/// Words that forbid every change.
const HANDS_OFF: &[&str] = word_list!("check_call", "action/polarity/hands-off");
/// What people do before they decide.
const PONDERING: &[&str] =
    &["talk", "speak", "check", "ask", "think", "discuss", "decide", "consult", "chat", "see", "look"];
/// Verbs whose "don't … anything" wants all of it.
const NEEDS_ALL: &[&str] =
    &["forget", "miss", "skip", "lose", "omit", "overlook", "leave", "spare", "need", "want", "have"];
const MAX_BEFORE: usize = 5;
const MIN_VERB: usize = 4;
const BEFORE_VERB: &[&str] = &["to", "don't", "dont", "not", "never", "you", "or"];
/// A longer description is no name.
const MAX_HEAD: usize = 8;
/// How a Chinese clause begins that holds something off.
const HOLDING_ZH: &[&str] = &["先别", "先不要", "先不用", "别", "不用", "不要", "不必", "无需"];
const PRONOUNS: &[&str] = word_list!("check_call", "action/polarity/pronouns");
