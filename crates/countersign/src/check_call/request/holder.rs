//! A choice that stands for somebody: `to: adjuster`, where a record says who the adjuster is and the user names somebody else.

use super::argument::Argument;
use super::asked::{Asked, clause_around, find_whole};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_CHOICE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::role::is_excluded;
use serde_json::Value;

/// Finds choices that stand for another person or thing than the one that was named.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let Some(chosen) = argument.text() else { continue };
        let holders = holders_of(asked, argument);
        let Some(own) = holders.iter().find(|holder| holder.choice == chosen) else { continue };
        let lower = &asked.last.lower;
        let mut named = holders.iter().filter(|holder| holder.is_meant(&holders, lower));
        let Some(other) = named.next().filter(|other| named.next().is_none() && !std::ptr::eq(*other, own)) else {
            continue;
        };
        let (key, choice, name) = (argument.node.key, &other.choice, other.name);
        let evidence = localized!(
            asked.subject.language,
            "the user speaks of {name}, who is the `{choice}`; `{key}` is `{chosen}`, which is {}",
            "用户说的是{name}，即 `{choice}`；而 `{key}` 是 `{chosen}`，即{}",
            own.name
        );
        let hint =
            localized!(asked.subject.language, "choose `{choice}`, or ask the user", "请选择 `{choice}`，或询问用户");
        slips.push(Slip::on(asked, argument, &OTHER_CHOICE, Strength::Strong, Says { evidence, hint }));
    }
}

/// A choice, and the one that a record has for it.
struct Holder<'a> {
    choice: String,
    name: &'a str,
}

impl Holder<'_> {
    /// Whether a text names this one, by a word that no other of them has, and not only to leave it out.
    fn is_meant(&self, all: &[Holder<'_>], lower: &str) -> bool {
        let own = self.name.to_lowercase();
        let other =
            |word: &str| all.iter().any(|one| one.choice != self.choice && one.name.to_lowercase().contains(word));
        let words = own.split(|c: char| !c.is_alphanumeric()).chain([own.as_str()]);
        let telling = words.filter(|word| word.chars().count() >= if word.is_ascii() { 3 } else { 2 } && !other(word));
        telling.filter_map(|word| find_whole(lower, word)).any(|at| {
            let spared =
                ["must-not-get", "not-to-know"].iter().any(|cue| Cue::named(cue).stands_in(clause_around(lower, at)));
            !is_excluded(lower, at) && !spared
        })
    }
}

/// The choices of a parameter that the newest record with two or more of them as fields gives names for.
fn holders_of<'a>(asked: &Asked<'a>, argument: &Argument<'_>) -> Vec<Holder<'a>> {
    let Some(param) = argument.node.param else { return Vec::new() };
    let choices: Vec<&str> = param.allowed.iter().filter_map(Value::as_str).collect();
    let of = |record: &super::records::Record<'a>| -> Vec<Holder<'a>> {
        let field = |choice: &str| {
            let (_, value) = record.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(choice))?;
            let name = value.as_str().filter(|name| (2..=MAX_NAME).contains(&name.len()))?;
            Some(Holder { choice: choice.to_ascii_lowercase(), name })
        };
        choices.iter().filter_map(|choice| field(choice)).collect()
    };
    asked.records().iter().map(of).find(|holders| holders.len() >= 2).unwrap_or_default()
}

const MAX_NAME: usize = 80;
