//! A value that chooses what a tool does, against what was said: an enum with another of its values in the request, a switch
//! that is thrown the wrong way.

use super::{Judge, Weight, thing_stands_in, value_stands_in};
use crate::check_call::role::Role;
use crate::check_call::subject::{Node, Said};
use crate::contract::Finding;
use crate::contract::codes::meaning::OPPOSITE;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::localized;
use crate::text::deeds::clause::{Clause, Mood};
use crate::text::deeds::reading::{Mention, Reading, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::{DeedEffect, Deeds, Form, find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Adds what is wrong with any choice.
pub(crate) fn find(judge: &Judge<'_>, said: &mut Said) {
    for node in judge.subject.values.leaves() {
        let found = match node.value {
            Value::String(text) => find_enum(judge, node, text),
            Value::Bool(on) => find_switch(judge, node, *on),
            _ => None,
        };
        said.findings.extend(found);
    }
}

/// Another value of the enum was said, and this one was not; or this one was refused.
fn find_enum(judge: &Judge<'_>, node: &Node<'_>, chosen: &str) -> Option<Finding> {
    let allowed = &node.param?.allowed;
    let neutral = chosen.is_empty() || NEUTRAL.contains(&fold(chosen).as_str());
    if !(2..=MAX_ALLOWED).contains(&allowed.len()) || neutral || !is_choice(judge, node) {
        return None;
    }
    let last = judge.request.last;
    let own = Choice::under(node.key, chosen);
    let denied = || allowed.iter().filter_map(Value::as_str).any(|other| Choice::of(other).denies(&own, last));
    let stances = if denied() { Vec::new() } else { own.stances(last) };
    if stances.iter().any(|(_, stance)| *stance != Stance::Refused) {
        return None;
    }
    let others = allowed
        .iter()
        .filter_map(Value::as_str)
        .filter(|other| *other != chosen && !NEUTRAL.contains(&fold(other).as_str()))
        .map(|other| Choice::under(node.key, other));
    let positive = |stance: &Stance| matches!(stance, Stance::Wanted | Stance::Open | Stance::Conditional);
    // The deed of the tool itself chooses nothing: "close the other two as dupes" names no `completed`.
    let spoken = |other: &Choice| {
        let words: Vec<&str> = other.words.iter().map(String::as_str).collect();
        !other.text.is_ascii() || !last.stances_of(&words).is_empty()
    };
    let own_deed = |other: &Choice| {
        let mut named = last.of_deeds(other.deeds).peekable();
        named.peek().is_some() && named.all(|mention| mention.deeds.meet(&judge.tool.deeds)) && !spoken(other)
    };
    let others = others.filter(|other| !own_deed(other));
    let said: Vec<Choice> =
        others.filter(|other| other.stances(last).iter().any(|(_, stance)| positive(stance))).collect();
    let (key, language) = (node.key, judge.subject.language);
    let pointer = || judge.subject.values.pointer(node);
    if !stances.is_empty() {
        let evidence = localized!(
            language,
            "`{key}` is `{chosen}`, which is what the user refused",
            "`{key}` 的值是 `{chosen}`，而这正是用户不要的"
        );
        return Some(finish(judge, pointer(), evidence, Weight::Strong));
    }
    // The state of a thing is told by what is done to it: "they've finished" closes no valve.
    let done = |other: &Choice| {
        last.of_deeds(other.deeds.acts()).any(|mention| matches!(mention.stance, Stance::Wanted | Stance::Open))
    };
    let said: Vec<Choice> = said.into_iter().filter(|other| node.key != "state" || done(other)).collect();
    let [other] = said.as_slice() else { return find_implied_choice(judge, node, &own) };
    // Who may only look may do the least: less than what was said is no harm here.
    if (own.deeds.is_empty() && last.resembles(&own.words)) || own.deeds.meet(&Deeds::named(&["q-view"])) {
        return None;
    }
    let opposite = own.deeds.opposites().meet(&other.deeds);
    if !opposite && (stands_elsewhere(judge, node, other) || !other.is_telling()) {
        return None;
    }
    let wanted = &other.text;
    let evidence = localized!(
        language,
        "the user's words name `{wanted}`, and `{key}` is `{chosen}`",
        "用户说的是 `{wanted}`，而 `{key}` 的值是 `{chosen}`"
    );
    Some(finish(judge, pointer(), evidence, if opposite { Weight::Strong } else { Weight::Weak }))
}

/// The opposite of what the user's words come down to: "it is far too bright" and `level: increase`.
fn find_implied_choice(judge: &Judge<'_>, node: &Node<'_>, own: &Choice) -> Option<Finding> {
    let (implied, said) = judge.request.implied()?;
    let allowed = &node.param?.allowed;
    // Of two choices the other one is the contrary, whatever it is called.
    let other = allowed.iter().filter_map(Value::as_str).map(Choice::of).any(|other| other.deeds.meet(&implied));
    if !own.deeds.opposites().meet(&implied) || !other && allowed.len() != 2 {
        return None;
    }
    let (key, chosen) = (node.key, &own.text);
    let evidence = localized!(
        judge.subject.language,
        "the user said \"{said}\", and `{key}` is `{chosen}`",
        "用户说的是“{said}”，而 `{key}` 的值是 `{chosen}`"
    );
    Some(finish(judge, judge.subject.values.pointer(node), evidence, Weight::Strong))
}

/// Whether a value is one choice, and no item of a list or of what shall be avoided.
fn is_choice(judge: &Judge<'_>, node: &Node<'_>) -> bool {
    let words = identifier_words(node.key);
    let excluded = words.iter().any(|word| NOT_CHOICES.contains(&word.as_str())) && !is_state_of_two(node);
    let listed = || judge.subject.values.pointer(node).split('/').any(|step| step.parse::<usize>().is_ok());
    !excluded && !listed()
}

/// Whether a `state` is open or closed, on or off, and no part of a country: two of its values are opposites.
fn is_state_of_two(node: &Node<'_>) -> bool {
    let allowed = node.param.map(|param| param.allowed.as_slice()).unwrap_or_default();
    let choices: Vec<Choice> = allowed.iter().filter_map(Value::as_str).take(MAX_ALLOWED).map(Choice::of).collect();
    node.key == "state" && choices.iter().any(|one| choices.iter().any(|two| one.deeds.opposites().meet(&two.deeds)))
}

/// A switch that is on where its name was refused or taken back, or off where it was plainly wanted.
fn find_switch(judge: &Judge<'_>, node: &Node<'_>, on: bool) -> Option<Finding> {
    let last = judge.request.last;
    // `auto_renew` renews by itself.
    let words = identifier_words(node.key);
    let bare = words.strip_prefix(&["auto".to_owned()]).filter(|rest| !rest.is_empty()).unwrap_or(&words);
    let own = Choice::of(&bare.join("_"));
    let opposites = own.deeds.opposites();
    let stances = own.stances(last);
    let taken = stances.iter().any(|(clause, _)| has_verb(last, *clause, &own, ENDING));
    let begun = stances.iter().any(|(clause, _)| has_verb(last, *clause, &own, BEGINNING));
    let named = !own.deeds.is_empty() && stances.iter().any(|(_, stance)| *stance == Stance::Wanted);
    // Any negation near it, and what was wanted is no longer plain.
    let negated = stances.iter().any(|(clause, _)| last.clauses.get(*clause).is_some_and(has_negation));
    let wanted = (begun || named) && !taken && !negated;
    let refused =
        !stances.is_empty() && stances.iter().all(|(_, stance)| *stance == Stance::Refused) || is_denied(last, bare);
    let said = |mention: &Mention| {
        mention.stance == Stance::Wanted || (mention.stance == Stance::Open && !mention.deeds.qualities().is_empty())
    };
    let enables = own.deeds.meet(&Deeds::named(BEGINNING));
    let made = enables && makes_new(judge) && last.may_want(judge.tool.deeds);
    let reversed = !opposites.is_empty() && stances.is_empty() && !made && last.of_deeds(opposites).any(said);
    let (key, language) = (node.key, judge.subject.language);
    let ended = || judge.request.implied().is_some_and(|(implied, _)| implied.meet(&Deeds::named(ENDING)));
    let reversed = reversed || enables && stances.is_empty() && only_ends(judge);
    let reversed = reversed || enables && last.of_deeds(own.deeds).next().is_none() && ended();
    let wrong = if on { taken || refused || reversed } else { wanted && last.of_deeds(opposites).next().is_none() };
    if !wrong || !own.is_telling() && own.deeds.is_empty() {
        return None;
    }
    let evidence = match on {
        true => {
            localized!(language, "`{key}` is on, and the user wants it off", "`{key}` 被设为开启，而用户要的是相反的")
        }
        false => {
            localized!(language, "`{key}` is off, and the user asked for it", "`{key}` 被设为关闭，而用户要求的正是它")
        }
    };
    Some(finish(judge, judge.subject.values.pointer(node), evidence, if on { Weight::Strong } else { Weight::Weak }))
}

/// "Invoice 3 hasn't been paid", "she is no longer a member": every clause that has the switch's words says that it is not so,
/// and nothing is wanted that would make it so.
fn is_denied(reading: &Reading, name: &[String]) -> bool {
    let state: Vec<&str> = name.iter().map(String::as_str).skip_while(|word| matches!(*word, "is" | "has")).collect();
    let acts = |mention: &Mention| mention.stance == Stance::Wanted && mention.deeds.effect() > DeedEffect::Read;
    let denied = |clause: &Clause| {
        let words: Vec<&str> = clause.words.iter().map(|word| word.folded.as_str()).collect();
        let at = words.windows(state.len().max(1)).position(|window| window == state)?;
        let before = words.get(at.saturating_sub(MAX_DENIED)..at)?;
        let no = |word: &&str| {
            ["isn't", "aren't", "wasn't", "weren't", "hasn't", "haven't", "hadn't", "not", "never"].contains(word)
        };
        Some(
            clause.mood == Mood::Told
                && (before.iter().any(no) || before.windows(2).any(|pair| pair == ["no", "longer"])),
        )
    };
    let mut found = reading.clauses.iter().filter_map(denied).peekable();
    found.peek().is_some() && found.all(|denied| denied) && !reading.mentions.iter().any(acts)
}

/// Whether all that the user wants done ends something, and the call is a switch and no more: 先停掉 and `enabled: true`.
pub(crate) fn only_ends(judge: &Judge<'_>) -> bool {
    let ends = Deeds::named(&["turn-off", "stop", "pause", "freeze"]);
    let acts = |mention: &&Mention| mention.stance == Stance::Wanted && !mention.deeds.acts().is_empty();
    let about = |mention: &Mention| {
        let clause = judge.request.last.clauses.get(mention.clause);
        clause.is_some_and(|clause| {
            clause.chinese
                || thing_stands_in(&judge.tool.things, clause)
                || value_stands_in(judge.subject, &clause.text)
        })
    };
    let chosen = |node: &Node<'_>| {
        let holds = [Role::Date, Role::Time, Role::Amount, Role::FreeText].iter().any(|role| node.roles.has(*role));
        !holds && !node.value.is_number()
    };
    let mut wanted = judge.request.last.mentions.iter().filter(acts).peekable();
    let any = wanted.peek().is_some();
    let all = wanted.all(|mention| mention.deeds.meet(&ends) && about(mention));
    any && all && !makes_new(judge) && judge.subject.values.leaves().all(chosen)
}

/// Whether the tool makes something new: what the user ends is something else.
fn makes_new(judge: &Judge<'_>) -> bool {
    judge.tool.deeds.meet(&Deeds::named(&["create", "add", "book", "send"]))
}

/// Whether a clause has any word of negation.
fn has_negation(clause: &Clause) -> bool {
    let words = ["no", "not", "don't", "without", "never", "dont"];
    clause.text.contains(['不', '别', '没', '无'])
        || clause.words.iter().any(|word| words.contains(&word.folded.as_str()))
}

/// Whether a clause begins or ends what it names: 取消免打扰, "turn shuffle on".
fn has_verb(reading: &Reading, clause: usize, own: &Choice, verbs: &[&str]) -> bool {
    let verbs = Deeds::named(verbs);
    let others = reading.mentions.iter().filter(|mention| mention.clause == clause && !mention.deeds.meet(&own.deeds));
    others.into_iter().any(|mention| mention.stance == Stance::Wanted && mention.deeds.meet(&verbs))
}

/// Whether the words of a choice are in another value of the call: they may be content.
fn stands_elsewhere(judge: &Judge<'_>, node: &Node<'_>, other: &Choice) -> bool {
    judge.subject.values.leaves().filter(|leaf| leaf.key != node.key).any(|leaf| {
        leaf.value.as_str().is_some_and(|text| text.len() <= MAX_TEXT && fold(text).contains(&other.phrase()))
    })
}

/// A value that can be chosen, or the name of a switch.
#[derive(Debug)]
struct Choice {
    text: String,
    words: Vec<String>,
    deeds: Deeds,
}

impl Choice {
    fn of(text: &str) -> Self {
        let text = text.chars().take(MAX_NAME).collect::<String>();
        let words = identifier_words(&text);
        let deeds = if text.chars().any(is_han) {
            find_chinese(&text)
                .iter()
                .filter(|found| found.range.len() == text.len())
                .fold(Deeds::default(), |all, found| all.join(&found.deeds))
        } else {
            let list: Vec<&str> = words.iter().map(String::as_str).collect();
            match list.as_slice() {
                ["on"] => Deeds::named(&["turn-on"]),
                ["off"] => Deeds::named(&["turn-off"]),
                list => {
                    let whole = |found: &&crate::text::lexicon::Found| {
                        found.range.len() == list.len() && found.form != Form::Third
                    };
                    find_english(list).iter().filter(whole).fold(Deeds::default(), |all, found| all.join(&found.deeds))
                }
            }
        };
        Self { text, words, deeds }
    }

    /// The choice of a value under a key: `urgency: high` is high urgency.
    fn under(key: &str, text: &str) -> Self {
        let own = Self::of(text);
        let mut words = own.words.clone();
        words.extend(identifier_words(key));
        let list: Vec<&str> = words.iter().map(String::as_str).collect();
        let whole = find_english(&list).into_iter().find(|found| found.range == (0..list.len()));
        Self { deeds: whole.map_or(own.deeds, |found| own.deeds.join(&found.deeds)), ..own }
    }

    /// What is said of it: by its own words, or by others for the same thing.
    fn stances(&self, reading: &Reading) -> Vec<(usize, Stance)> {
        let mut found: Vec<_> = reading.of_deeds(self.deeds).map(|mention| (mention.clause, mention.stance)).collect();
        if self.text.chars().any(is_han) {
            let folded = fold(&self.text);
            if folded.chars().count() > 1 && found.is_empty() {
                let clauses = reading.clauses.iter().enumerate().filter(|(_, clause)| clause.text.contains(&folded));
                // 不可水洗 refuses what it names.
                let stance = |clause: &Clause| {
                    let places = clause.text.match_indices(&folded).filter_map(|(at, _)| clause.text.get(..at));
                    let refused =
                        places.into_iter().all(|before| REFUSING_ZH.iter().any(|word| before.ends_with(word)));
                    if refused { Stance::Refused } else { Stance::Open }
                };
                found.extend(clauses.map(|(at, clause)| (at, stance(clause))));
                if found.is_empty() {
                    found.extend(self.find_denied(reading).map(|clause| (clause, Stance::Open)));
                }
            }
            return found;
        }
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        // "Non-smoking" holds the word "smoking"; a value that the lexicon knows is read by the lexicon alone.
        if self.deeds.is_empty() && !words.is_empty() {
            found = reading.stances_of(&words);
            // `3DES` is one word in a text and two in a name.
            let folded = fold(&self.text);
            let clauses = reading.clauses.iter().enumerate().filter(|(_, clause)| stands_in(&clause.text, &folded));
            let whole: Vec<_> = clauses.map(|(at, _)| (at, Stance::Open)).collect();
            if found.is_empty() {
                found = whole;
            }
            if found.is_empty() {
                found.extend(self.find_denied(reading).map(|clause| (clause, Stance::Open)));
            }
        }
        found
    }

    /// Whether it is the contrary of another choice by its form, and the user denies that one: `unpaid` beside `paid` and "he
    /// doesn't get paid for it".
    fn denies(&self, other: &Self, reading: &Reading) -> bool {
        self.base().is_some_and(|base| base == other.phrase()) && self.find_denied(reading).is_some()
    }

    /// What the choice says no to: `unpaid`, `non_member`, 无糖.
    fn base(&self) -> Option<String> {
        let folded = self.phrase();
        let cut = if folded.is_ascii() { NO_PREFIXES } else { NO_PREFIXES_ZH };
        let least = if folded.is_ascii() { MIN_BASE } else { 1 };
        let base = cut
            .iter()
            .find_map(|prefix| folded.strip_prefix(prefix))
            .map(|base| base.trim_start_matches(['-', ' ']))?;
        (base.chars().count() >= least).then(|| base.to_owned())
    }

    /// The clause that denies what the choice says no to.
    fn find_denied(&self, reading: &Reading) -> Option<usize> {
        let base = self.base()?;
        reading.clauses.iter().position(|clause| {
            if clause.chinese {
                let places = clause.text.match_indices(base.as_str());
                let near =
                    |at: usize| clause.text.get(..at).unwrap_or_default().chars().rev().take(3).collect::<String>();
                return places
                    .into_iter()
                    .any(|(at, _)| near(at).contains(['不', '没', '别', '无', '免', '未', '非', '去']));
            }
            let same = |word: &str| word == base || stem(word) == stem(&base);
            let Some(at) = clause.words.iter().position(|word| same(&word.folded)) else { return false };
            let before = clause.words.get(at.saturating_sub(MAX_DENIED)..at).unwrap_or_default();
            before.iter().any(|word| {
                word.folded.ends_with("n't") || matches!(word.folded.as_str(), "not" | "no" | "never" | "without")
            })
        })
    }

    fn phrase(&self) -> String {
        if self.text.chars().any(is_han) { fold(&self.text) } else { self.words.join(" ") }
    }

    /// Whether its words mean anything outside of this enum.
    fn is_telling(&self) -> bool {
        self.text.chars().any(is_han)
            || self.words.len() > 1
            || self.words.iter().any(|word| word.len() > 2 && !EMPTY.contains(&word.as_str()))
    }
}

fn finish(judge: &Judge<'_>, pointer: String, evidence: String, weight: Weight) -> Finding {
    let hint =
        localized!(judge.subject.language, "choose what the user said, or ask", "请按用户的说法选择，或询问用户");
    judge.weigh(Finding::new(&OPPOSITE, pointer, evidence).hint(hint), weight)
}

/// How a value begins that says no to the rest of it.
const NO_PREFIXES: &[&str] = &["un", "non", "not ", "no ", "without ", "in", "im", "dis"];
const NO_PREFIXES_ZH: &[&str] = &["不", "无", "非", "未", "免"];
const MIN_BASE: usize = 4;
const MAX_DENIED: usize = 4;
const REFUSING_ZH: &[&str] = &["不可", "不能", "不要", "不用", "别", "勿", "不想", "不可以", "禁止"];
const ENDING: &[&str] = &["cancel", "turn-off", "remove", "stop"];
const BEGINNING: &[&str] = &["turn-on"];
const MAX_ALLOWED: usize = 24;
const MAX_NAME: usize = 60;
const MAX_TEXT: usize = 400;
/// Enums whose values are no deeds: another check reads units and currencies.
const NOT_CHOICES: &[&str] = word_list!("check_call", "action/choice/not-choices");
/// Values that choose nothing.
const NEUTRAL: &[&str] = word_list!("check_call", "action/choice/neutral");
const EMPTY: &[&str] = word_list!("check_call", "action/choice/empty");
