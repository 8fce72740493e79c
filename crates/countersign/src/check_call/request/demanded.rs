//! What the user demanded once and for all, and the call leaves off: "only flats where pets are allowed" and
//! `pets_allowed: false`, "they keep kosher" and an empty diet.

use super::asked::Asked;
use super::demands::speaks_of_another;
use super::slip::{Slip, Strength};
use crate::contract::codes::meaning::{AGAINST_WISH, LEFT_OUT};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::mentions::role::is_excluded;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds switches that are off and diets that are empty against a demand.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    slips.extend(find_demanded(asked));
    slips.extend(find_diet(asked));
    slips.extend(find_kept_out(asked));
}

/// What must not be in it, where the list of such things lacks it or is not sent at all: "she's allergic to eggs" and no
/// `free_from`.
fn find_kept_out(asked: &Asked<'_>) -> Option<Slip> {
    let root = &asked.subject.tool.root;
    root.order.iter().filter_map(|key| root.properties.get(key)).find_map(|param| {
        let named = identifier_words(&param.name).iter().any(|word| KEPT_OUT.contains(&word.as_str()));
        let described = param.description.to_lowercase();
        let keeps_out = named || Cue::named("keeps-out").stands_in(&described);
        let items = param.items.as_ref().map(|items| items.allowed.as_slice()).unwrap_or_default();
        let sent = asked.subject.arguments.get(&param.name).and_then(Value::as_array);
        let has = |member: &str| sent.is_some_and(|list| list.iter().any(|own| own.as_str() == Some(member)));
        let member = items
            .iter()
            .filter_map(Value::as_str)
            .take(MAX_MEMBERS)
            .find(|member| !has(member) && asked.in_force().any(|reading| rules_out(&reading.lower, member)))
            .filter(|_| keeps_out)?;
        let key = &param.name;
        let evidence = localized!(
            asked.subject.language,
            "the user wants it without `{member}`, and `{key}` does not have it",
            "用户要求不能有 `{member}`，而 `{key}` 中没有填写"
        );
        let hint = localized!(asked.subject.language, "add `{member}` to `{key}`", "请在 `{key}` 中加上 `{member}`");
        let pointer = "/arguments".to_owned();
        Some(Slip { pointer, code: &LEFT_OUT, strength: Strength::Strong, evidence, hint })
    })
}

/// Whether a text rules a thing out: "no nuts", "allergic to nuts", "… for nuts, so none of those".
fn rules_out(lower: &str, thing: &str) -> bool {
    let names: Vec<&str> = super::qualifiers::equals_of(thing);
    let mut clauses = lower.split([',', '.', ';', '!', '?', '\n', '，', '。', '；', '！', '？']).peekable();
    while let Some(clause) = clauses.next() {
        let Some(at) = names.iter().find_map(|name| place_of(clause, name)) else { continue };
        let next = clauses.peek().copied().unwrap_or_default();
        let behind = clause.get(at..).unwrap_or_default();
        let cannot = ["cannot-have", "allergy"].iter().any(|cue| Cue::named(cue).stands_in(clause));
        let back = Cue::named("none-of-those").stands_in(behind) || Cue::named("none-of-those").stands_in(next);
        if cannot || back || is_excluded(clause, at) {
            return true;
        }
    }
    false
}

/// Where a thing stands in a clause, one or many.
fn place_of(clause: &str, thing: &str) -> Option<usize> {
    if !thing.is_ascii() {
        return clause.find(thing);
    }
    let wanted = stem(thing);
    let found = crate::text::words::words(clause).into_iter().find(|word| stem(&word.folded) == wanted);
    found.map(|word| word.range.start)
}

/// A switch that is off although the user demanded what it stands for: `dogs_allowed: false` after "only places where dogs are
/// allowed".
fn find_demanded(asked: &Asked<'_>) -> Option<Slip> {
    asked.subject.values.leaves().find_map(|node| {
        let Value::Bool(false) = node.value else { return None };
        let words = identifier_words(node.key);
        let stems: Vec<_> = words.iter().map(|word| stem(word)).collect();
        let told = (2..=3).contains(&words.len()) && words.iter().all(|word| word.len() >= 3);
        let has = |text: &str, wanted: &str| {
            text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| !word.is_empty() && stem(word) == wanted)
        };
        let demands = |sentence: &str| {
            Cue::named("standing").stands_in(sentence) && stems.iter().all(|wanted| has(sentence, wanted))
        };
        let sentences = |reading: &&'_ Reading| {
            reading
                .lower
                .split_inclusive(['.', '!', '?', '\n'])
                .any(|part| demands(part) && !part.trim_end().ends_with('?') && !Cue::named("negation").stands_in(part))
        };
        let said = asked.earlier.iter().copied().any(|reading| sentences(&reading));
        let again = words.first().is_none_or(|word| has(&asked.last.lower, &stem(word)));
        (told && said && !again).then(|| {
            let (key, pointer) = (node.key, asked.subject.values.pointer(node));
            let evidence = localized!(
                asked.subject.language,
                "the user wants only what has it, `{key}` is false",
                "用户要求必须如此，而 `{key}` 为 false"
            );
            let hint = localized!(asked.subject.language, "set `{key}` as the user said", "请按用户所说设置 `{key}`");
            Slip { pointer, code: &AGAINST_WISH, strength: Strength::Strong, evidence, hint }
        })
    })
}

/// A diet that is left empty although the user said one: `diet: []` after "they eat halal only".
fn find_diet(asked: &Asked<'_>) -> Option<Slip> {
    let named = |key: &str| identifier_words(key).iter().any(|word| DIET_FIELDS.contains(&word.as_str()));
    let node = asked.subject.values.all().iter().find(|node| {
        let empty = node.value.as_array().is_some_and(Vec::is_empty) || node.value.as_str().is_some_and(str::is_empty);
        empty && !node.is_item() && named(node.key)
    })?;
    let (key, pointer) = (node.key, asked.subject.values.pointer(node));
    let diets = Cue::named("diets");
    let (said, reading) = asked.user().find_map(|reading| {
        let denied = |at: usize| is_excluded(&reading.lower, at);
        let found = diets.places_in(&reading.lower).find(|(_, at)| !denied(*at))?;
        Some((found.0, reading))
    })?;
    if speaks_of_another(asked, reading) || reading.lower.trim_end().ends_with(['?', '？']) {
        return None;
    }
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` is empty",
        "用户说过“{said}”，而 `{key}` 为空"
    );
    let hint = localized!(asked.subject.language, "set `{key}` as the user said", "请按用户所说设置 `{key}`");
    Some(Slip { pointer, code: &AGAINST_WISH, strength: Strength::Strong, evidence, hint })
}

/// Words in the names of lists of what must not be in it.
const KEPT_OUT: &[&str] = &["free", "without", "exclude", "excluding", "excluded", "avoid", "allergens", "allergies"];
const MAX_MEMBERS: usize = 60;
/// Parameters that take what somebody eats.
const DIET_FIELDS: &[&str] = &["diet", "diets", "dietary", "allergy", "allergies", "allergens"];
