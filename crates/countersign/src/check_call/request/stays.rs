//! What stays as it is: "departure stays the same", 价格不变, and the call has another value than the record.

use super::argument::{Argument, read_moment};
use super::asked::Asked;
use super::qualifiers::equals_of;
use super::records::Record;
use super::slip::{Says, Slip, Strength, compare_hint};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::phrases::stands_free;
use crate::text::stems::stem;
use serde_json::Value;

/// Finds arguments that the user's last words leave as they are, with another value than the record of the call.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let lower = &asked.last.lower;
    let places: Vec<(&str, usize)> = Cue::named("stays-as-is").places_in(lower).collect();
    if places.is_empty() {
        return;
    }
    let Some(record) = own_record(asked) else { return };
    for (cue, at) in places {
        let Some(argument) = subject_of(asked, lower.get(..at).unwrap_or_default()) else { continue };
        let field = record.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(argument.node.key));
        let Some((_, held)) = field.filter(|(_, held)| differs(asked, argument, held)) else { continue };
        let (key, held) = (argument.node.key, show(held));
        let evidence = localized!(
            asked.subject.language,
            "the user said that it \"{cue}\", the record has {held}; `{key}` is another value",
            "用户说的是“{cue}”，记录中是 {held}；而 `{key}` 不同"
        );
        let hint = compare_hint(key, asked.subject.language);
        slips.push(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }));
    }
}

/// The one record that has the ids of the call.
fn own_record<'r, 'a>(asked: &'r Asked<'a>) -> Option<&'r Record<'a>> {
    let ids: Vec<_> = asked
        .arguments
        .iter()
        .filter(|argument| argument.node.roles.has(Role::Id))
        .filter_map(Argument::reference)
        .collect();
    asked.records().iter().find(|record| ids.iter().any(|id| record.has(id)) && record.fields.len() > 1)
}

/// The argument that is named last before the words, and close to them.
fn subject_of<'r, 'a>(asked: &'r Asked<'a>, before: &str) -> Option<&'r Argument<'a>> {
    let clause = before.rsplit([',', '.', ';', '，', '。', '；', '、']).next().unwrap_or_default();
    let near = clause.get(clause.ceil_char_boundary(clause.len().saturating_sub(NEAR))..).unwrap_or_default();
    if near.trim_end().ends_with("n't") || near.trim_end().ends_with(" not") {
        return None;
    }
    let named = asked.arguments.iter().filter_map(|argument| Some((argument, place_of(argument, near)?)));
    let named: Vec<_> = named.collect();
    let last = named.iter().map(|(_, at)| *at).max()?;
    let mut closest = named.iter().filter(|(_, at)| *at == last);
    closest.next().filter(|_| closest.next().is_none()).map(|(argument, _)| *argument)
}

/// Where a text names an argument: by a word of its name, or by two signs of its description.
fn place_of(argument: &Argument<'_>, text: &str) -> Option<usize> {
    let words = argument.words.iter().filter(|word| word.len() >= 4 && !GENERAL.contains(&word.as_str()));
    let english = words.flat_map(|word| equals_of(word)).filter_map(|word| {
        let places = text.match_indices(word).map(|(at, _)| at);
        places.filter(|at| word.starts_with(is_han) || stands_free(text, &(*at..at + word.len()))).max()
    });
    let stems: Vec<_> = argument.words.iter().filter(|word| word.len() >= 6).map(|word| stem(word)).collect();
    let inflected = text.split_whitespace().filter(|word| stems.contains(&stem(word)));
    let inflected = inflected.filter_map(|word| text.rfind(word));
    let description = argument.node.param.map(|param| param.description.as_str()).unwrap_or_default();
    let signs: Vec<(usize, char)> = text.char_indices().collect();
    let pairs = signs.windows(2).filter_map(|pair| {
        let [(at, one), (_, two)] = pair else { return None };
        let pair: String = [*one, *two].iter().collect();
        let telling = is_han(*one) && is_han(*two) && !GENERAL.contains(&pair.as_str());
        (telling && description.contains(pair.as_str())).then_some(*at)
    });
    english.chain(inflected).chain(pairs).max()
}

/// Whether an argument has another value than a field. "The start stays the same, on Friday" keeps the hour.
fn differs(asked: &Asked<'_>, argument: &Argument<'_>, held: &Value) -> bool {
    let dated = asked.last.dates().next().is_some();
    match (argument.number(), argument.moment(), held) {
        (Some(number), _, Value::Number(own)) => own.as_f64().is_some_and(|own| own != number),
        (_, Some(moment), Value::String(text)) => read_moment(text).is_some_and(|own| {
            let apart = |one: Option<String>, two: Option<String>| one.is_some() && two.is_some() && one != two;
            let day = apart(own.date.map(|date| date.to_string()), moment.date.map(|date| date.to_string()));
            let hour = apart(own.minutes.map(|own| own.to_string()), moment.minutes.map(|own| own.to_string()));
            hour || day && !(dated && moment.minutes.is_some())
        }),
        _ => false,
    }
}

fn show(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Words of names and descriptions that many arguments share.
const GENERAL: &[&str] = &["date", "time", "value", "number", "日期", "时间", "数量", "一样"];
/// A name stands close before what is said of it.
const NEAR: usize = 24;
