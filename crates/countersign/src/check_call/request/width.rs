//! A tool for all of a group where the user named members of it, and another tool does the same to those: `notify_class` for two
//! parents, `stop_all` for one zone, `notify_grade` for one class.
//!
//! Which of two tools is the wider one is read from their names and parameters: it says so ("every tour of a day"), it takes
//! nothing that tells one from another, or no id where the other one takes ids. Nothing is said where the user's words have
//! "all" or name what the wider tool is for.

use super::asked::{Asked, clause_around, find_whole, stands_in};
use super::record::Said;
use super::records::Record;
use super::slip::{Slip, Strength};
use crate::check_call::declared_tool::DeclaredTool;
use crate::check_call::params::Param;
use crate::check_call::role::Role;
use crate::check_call::tool_deeds::ToolDeeds;
use crate::contract::codes::meaning::SCOPE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::reading::{Reading, Stance};
use crate::text::lexicon::{find_chinese, find_english};
use crate::text::mentions::role::is_excluded;
use crate::text::mentions::{Mention, What};
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds tools that are wider than what was named.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let own = asked.subject.tool.spec.deeds();
    let lower = &asked.last.lower;
    let all = ["all-of-them", "all-but", "by-and-large"].iter().any(|list| Cue::named(list).stands_in(lower));
    let acts = own.acts() || own.deeds.is_empty() && !own.is_record && asked.subject.tool.effects.effects.is_empty();
    if !acts || all {
        return;
    }
    let specs = asked.subject.registry.into_iter().flat_map(|registry| registry.specs().take(MAX_TOOLS));
    let siblings = specs.filter_map(|spec| Sibling::of(asked, own, spec));
    let found = siblings.into_iter().find_map(|sibling| Some((find_named(asked, own, &sibling)?, sibling.spec)));
    let Some((said, sibling)) = found else { return };
    let (name, other, language) = (&asked.subject.tool.spec.name, &sibling.name, asked.subject.language);
    let evidence = localized!(
        language,
        "the user named \"{said}\", and `{name}` does it to more than that; `{other}` takes what was named",
        "用户说的是“{said}”，而 `{name}` 的范围更大；`{other}` 可以只针对所说的对象"
    );
    let hint = localized!(language, "look at `{other}`", "请考虑 `{other}`");
    slips.push(Slip { pointer: "/name".to_owned(), code: &SCOPE, strength: Strength::Strong, evidence, hint });
}

/// Another tool that does the same, with what it must have and the called one cannot take.
struct Sibling<'s> {
    spec: &'s DeclaredTool,
    things: &'s [String],
    root: &'s Param,
}

impl<'s> Sibling<'s> {
    fn of(asked: &Asked<'_>, own: &ToolDeeds, spec: &'s DeclaredTool) -> Option<Self> {
        let tool = spec.deeds();
        // `page_team` and `page_site` do the same, whatever that is.
        let first = |name: &str| identifier_words(name).into_iter().next();
        let verb =
            own.deeds.is_empty() && tool.deeds.is_empty() && first(&spec.name) == first(&asked.subject.tool.spec.name);
        if spec.name == asked.subject.tool.spec.name || !(verb || tool.deeds.meet(&own.deeds)) {
            return None;
        }
        spec.input.as_ref()?;
        Some(Self { spec, things: &tool.things, root: spec.params() })
    }

    /// What it must have and the called tool cannot take.
    fn members<'p>(&'p self, asked: &Asked<'_>) -> impl Iterator<Item = &'p Param> {
        let own = &asked.subject.tool.root.properties;
        let bare = |param: &&Param| {
            let other = [Role::FreeText, Role::Date, Role::Time, Role::Amount];
            param.required && !own.contains_key(&param.name) && !other.iter().any(|role| param.roles.has(*role))
        };
        let params: Vec<&Param> = self.root.order.iter().filter_map(|key| self.root.properties.get(key)).collect();
        params.into_iter().filter(bare)
    }
}

/// The words of the user that name what only the sibling takes.
fn find_named(asked: &Asked<'_>, own: &ToolDeeds, sibling: &Sibling<'_>) -> Option<String> {
    let finer = |param: &Param| find_finer(asked, param).or_else(|| find_place(asked, own, sibling, param));
    if let Some(finer) = sibling.members(asked).find_map(finer) {
        return Some(finer);
    }
    if names_group(asked, own, sibling) {
        return None;
    }
    if let Some(only) = find_only(asked, own).filter(|_| sibling.members(asked).any(|param| param.roles.has(Role::Id)))
    {
        return Some(only);
    }
    let mut wide = sibling.members(asked).filter(|param| is_wider(asked, own, param));
    wide.find_map(|param| find_members(asked, param).or_else(|| find_choice(asked, sibling, param)))
}

/// Whether the called tool touches more than one that takes this parameter.
fn is_wider(asked: &Asked<'_>, own: &ToolDeeds, member: &Param) -> bool {
    let tool = asked.subject.tool;
    let told = Cue::named("all-of-them").stands_in(&tool.spec.description.to_lowercase());
    let names = |param: &&Param| !param.roles.has(Role::FreeText);
    let mut taken = tool.root.properties.values().filter(names).peekable();
    own.wide
        || told
        || taken.peek().is_none()
        || member.roles.has(Role::Id) && !taken.any(|param| param.roles.has(Role::Id))
}

/// Whether the user named the group: by the word that only the called tool has, in the plural, or by a value of the call.
fn names_group(asked: &Asked<'_>, own: &ToolDeeds, sibling: &Sibling<'_>) -> bool {
    let lower = &asked.last.lower;
    let stands = |thing: &String| stands_in(lower, thing) || stands_in(lower, &format!("{thing}s"));
    let apart = own.things.iter().filter(|thing| !sibling.things.contains(thing) && thing.len() > 3);
    let shared = own.things.iter().filter(|thing| thing.ends_with('s') && stands_in(lower, thing));
    let value = asked.arguments.iter().any(|argument| {
        let roles = argument.node.roles;
        let telling = !roles.has(Role::Id) && !roles.has(Role::FreeText);
        telling && argument.text().is_some_and(|text| text.chars().count() > 1 && lower.contains(text))
    });
    value || apart.into_iter().any(stands) || shared.into_iter().next().is_some()
}

/// Records of a look-up that the user's words name, where there are others beside them.
fn find_members(asked: &Asked<'_>, param: &Param) -> Option<String> {
    let bare = param.name.strip_suffix('s').unwrap_or(&param.name);
    let keyed = |record: &&Record<'_>| record.fields.iter().any(|(key, _)| *key == param.name || *key == bare);
    let list = asked.records().iter().find(keyed).filter(|_| param.roles.has(Role::Id))?.list;
    let records: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == list).filter(keyed).collect();
    let said = Said::of(asked, asked.last);
    // What the call itself says, in a date or in the text that it sends, tells of no member.
    let carried = |word: &String| {
        asked
            .arguments
            .iter()
            .any(|own| own.node.value.as_str().is_some_and(|text| text.to_lowercase().contains(word.as_str())))
    };
    let tells = asked.subject.tool.root.properties.values().any(|param| param.roles.has(Role::FreeText));
    // A state that is called like a deed (停) names no record, and what is to go on is not meant.
    let spoken = Reading::of(&asked.last.lower);
    let opposites = asked.subject.tool.spec.deeds().deeds.opposites();
    let goes_on = |word: &str| {
        let clauses = spoken.of_deeds(opposites).filter(|mention| mention.stance == Stance::Wanted);
        clauses.filter_map(|mention| spoken.clauses.get(mention.clause)).any(|clause| clause.text.contains(word))
    };
    let telling = |word: &String| {
        let deed = !find_chinese(word).is_empty() || !find_english(&[word.as_str()]).is_empty();
        !deed && !carried(word) && (!tells || word.contains(|c: char| c.is_alphabetic())) && !goes_on(word)
    };
    let named: Vec<String> =
        records.iter().filter_map(|record| said.names(record, &records).into_iter().filter(telling).max()).collect();
    (!named.is_empty() && named.len() < records.len()).then(|| named.join(", "))
}

/// "They only don't want A-331 any more", and `cancel_all_orders`: an id behind "only" that the call does not have.
fn find_only(asked: &Asked<'_>, own: &ToolDeeds) -> Option<String> {
    let tells = asked.subject.tool.root.properties.values().any(|param| param.roles.has(Role::FreeText));
    let used = |text: &str| asked.arguments.iter().any(|own| own.text() == Some(text));
    let named = |mention: &&Mention| {
        let clause = clause_around(&asked.last.lower, mention.range.start);
        mention.what == What::Id && !mention.excluded && Cue::named("only").stands_in(clause)
    };
    let mention = asked.last.mentions.iter().filter(|_| own.wide && !tells).find(named)?;
    Some(asked.last.text(mention).to_owned()).filter(|text| !used(text))
}

/// One of the groups that the sibling chooses from: "the crew", and `notify_house` beside `notify_group(group)`.
fn find_choice(asked: &Asked<'_>, sibling: &Sibling<'_>, param: &Param) -> Option<String> {
    let allowed = if param.allowed.is_empty() { &param.items.as_ref()?.allowed } else { &param.allowed };
    let lower = &asked.last.lower;
    let named = |value: &&str| {
        let word = value.to_lowercase();
        let at = if word.contains(is_han) { lower.find(&word) } else { find_whole(lower, &word) };
        at.is_some_and(|at| !is_excluded(lower, at))
            && !asked.arguments.iter().any(|own| own.text().is_some_and(|text| text.contains(&word)))
    };
    let choice = allowed.iter().filter_map(Value::as_str).filter(|value| value.chars().count() > 1).find(named)?;
    sibling.things.contains(&param.last_word).then(|| choice.to_owned())
}

/// A part with its number, in words that the sibling has for it: "station 4", and `stop_line(line)` beside
/// `stop_station(line, station)`.
fn find_place(asked: &Asked<'_>, own: &ToolDeeds, sibling: &Sibling<'_>, param: &Param) -> Option<String> {
    let within = asked.subject.tool.root.order.iter().any(|key| sibling.root.properties.contains_key(key));
    let words = identifier_words(&param.name);
    let noun = words.first().filter(|noun| within && noun.len() > 3 && sibling.things.contains(*noun))?;
    // In "stop line B, station 4 slips" the part only tells why.
    let spoken = Reading::of(&asked.last.lower);
    let mut wanted = spoken.of_deeds(own.deeds).filter(|mention| mention.stance == Stance::Wanted);
    let lower = &spoken.clauses.get(wanted.next()?.clause)?.text;
    let behind = lower.get(find_whole(lower, noun)? + noun.len()..)?.trim_start();
    let number: String = behind.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let numbered = number.len() <= MAX_NUMBER && (number.len() == 1 || number.contains(|c: char| c.is_ascii_digit()));
    let holds = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == number;
    let used = asked.subject.values.leaves().any(|node| holds(node.value));
    (numbered && !number.is_empty() && !used).then(|| format!("{noun} {number}"))
}

/// A longer name of which the call has the beginning: 三年二班 and `grade: 三年级`, "3B" and `grade: 3`.
fn find_finer(asked: &Asked<'_>, param: &Param) -> Option<String> {
    let lower = &asked.last.lower;
    let acts = asked.subject.tool.spec.deeds().acts();
    let plain = acts && !param.roles.has(Role::Id) && param.takes("string") && param.allowed.is_empty();
    asked.arguments.iter().filter(|_| plain).find_map(|argument| {
        let roles = argument.node.roles;
        let text = argument
            .text()
            .filter(|text| !roles.has(Role::FreeText) && !roles.has(Role::Id) && !stands_in(lower, text))?;
        let chars = text.chars().count();
        if text.chars().all(is_han) && (2..=MAX_GROUP).contains(&chars) && !lower.contains(text) {
            let base: String = text.chars().take(chars - 1).collect();
            let behind = lower.get(lower.find(&base)? + base.len()..)?;
            let counted = behind.starts_with(|c: char| NUMERALS.contains(c) || c.is_ascii_alphanumeric());
            let said: String = base.chars().chain(behind.chars().take(2)).collect();
            return (chars > 2 && counted).then_some(said);
        }
        let mut tokens = lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let finer = |token: &&str| {
            text.len() <= MAX_LETTERS
                && token.strip_prefix(text).is_some_and(|rest| (1..=MAX_NUMBER).contains(&rest.len()))
        };
        tokens.find(|token| finer(token) && token.contains(|c: char| c.is_ascii_digit())).map(str::to_owned)
    })
}

const NUMERALS: &str = "一二三四五六七八九十";
const MAX_TOOLS: usize = 128;
const MAX_NUMBER: usize = 5;
const MAX_LETTERS: usize = 3;
const MAX_GROUP: usize = 6;
