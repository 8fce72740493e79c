//! A call that ends something and cannot carry what the user gave, where another tool on the same record can: "they'll only be
//! five" and `cancel_reservation` beside `update_reservation(party_size)`, "just until eight tomorrow" and `delete_rule` beside
//! `pause_rule(until)`, "the 15:10 then" and `refund_ticket` beside `change_ticket(new_train)`.
//!
//! Nothing is said where the user named the tool's own deed, and a number or a time that tells which record is meant is no
//! new value for it.

use super::{Judge, Weight};
use crate::check_call::params::Param;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_DEED;
use crate::contract::{Finding, Role as Speaker, ToolSpec};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::deeds::reading::Stance;
use crate::text::lexicon::DeedEffect;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::{Mention, Quantity, Reading, What};
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// The finding.
pub(crate) fn find(judge: &Judge<'_>) -> Option<Finding> {
    let deeds = judge.tool.deeds;
    let wanted = judge.request.last.of_deeds(deeds).any(|mention| mention.stance == Stance::Wanted);
    let implied = || judge.request.implied().is_some_and(|(implied, _)| implied.meet(&deeds));
    if !judge.acts || deeds.effect() < DeedEffect::Lasting || wanted || implied() || judge.request.has_earlier(deeds) {
        return None;
    }
    let root = &judge.subject.tool.root;
    let holds = |param: &Param| [Role::Date, Role::Time, Role::Amount].iter().any(|role| param.roles.has(*role));
    let bare = |param: &Param| !param.takes("number") && param.allowed.is_empty() && !holds(param);
    let ids: Vec<&str> =
        root.order.iter().map(String::as_str).filter(|key| judge.subject.arguments.contains_key(*key)).collect();
    if ids.is_empty() || !root.properties.values().all(bare) {
        return None;
    }
    let messages = judge.subject.conversation.messages();
    let at = messages.iter().rposition(|message| message.role == Speaker::User && !message.text.is_empty())?;
    let reading = judge.subject.conversation.reading(at)?;
    let given = Given { judge, reading, records: records(judge) };
    let specs = judge.subject.registry?.specs().take(MAX_TOOLS);
    let (sibling, key, said) = specs.filter(|spec| spec.name != judge.subject.tool.spec.name).find_map(|spec| {
        let (key, said) = given.find_carried(spec, &ids)?;
        Some((spec, key, said))
    })?;
    let (name, other, language) = (&judge.subject.tool.spec.name, &sibling.name, judge.subject.language);
    let evidence = localized!(
        language,
        "the user said \"{said}\", which `{name}` cannot take; `{other}` takes it as `{key}`",
        "用户说的是“{said}”，`{name}` 无法接受；`{other}` 可以用 `{key}` 接受"
    );
    let hint = judge.point_to(Some(other));
    Some(judge.weigh(Finding::new(&OTHER_DEED, "/name", evidence).hint(hint), Weight::Strong))
}

/// What the user gave, beside what is known.
struct Given<'j, 'a> {
    judge: &'j Judge<'a>,
    reading: &'a Reading,
    records: Vec<&'a Map<String, Value>>,
}

impl Given<'_, '_> {
    /// A parameter of another tool on the same record that takes something of what the user gave, and the words.
    fn find_carried(&self, spec: &ToolSpec, ids: &[&str]) -> Option<(String, String)> {
        let schema: Value = serde_json::from_str(spec.input.as_ref()?.0.get()).ok()?;
        let other = Param::read(&schema);
        if !ids.iter().all(|id| other.properties.contains_key(*id)) {
            return None;
        }
        let extra = other.order.iter().filter(|key| !ids.contains(&key.as_str()));
        let params = extra.filter_map(|key| other.properties.get(key));
        let kinds = [Self::count_for, Self::end_for, Self::pick_for, Self::moment_for];
        let mention = |param: &Param| kinds.iter().find_map(|kind| kind(self, param));
        params.into_iter().find_map(|param| Some((param.name.clone(), self.reading.text(mention(param)?).to_owned())))
    }

    /// A number for a field that the record has another one for.
    fn count_for(&self, param: &Param) -> Option<&Mention> {
        let known = self.records.iter().find_map(|record| record.get(&param.name)?.as_f64())?;
        let same = self.reading.numbers().any(|(_, quantity)| quantity.value == known);
        let bare = |quantity: &Quantity| quantity.unit.is_none() && quantity.currency.is_none();
        // "They'll only be five", "down to 3"; in "we found 6 boxes" the number counts something else.
        let is_new = |mention: &Mention| {
            let before = self.reading.lower.get(..mention.range.start).unwrap_or_default();
            let mut words = before.split_whitespace().rev().take(MAX_BEFORE);
            let near: String = before.chars().rev().take(MAX_BEFORE).collect();
            words.any(|word| BECOMING.contains(&word)) || near.contains(['只', '改', '变', '剩', '成'])
        };
        let numbers = self.reading.numbers();
        let numbers = numbers.filter(|(mention, quantity)| !mention.excluded && bare(quantity) && is_new(mention));
        let (number, _) = numbers.last()?;
        (!same).then_some(number)
    }

    /// A time until which it shall hold: "till 8 tomorrow".
    fn end_for(&self, param: &Param) -> Option<&Mention> {
        let words = identifier_words(&param.name);
        if !words
            .iter()
            .any(|word| ["until", "till", "end", "ends", "resume", "expires", "to"].contains(&word.as_str()))
        {
            return None;
        }
        let until = |mention: &&Mention| {
            let before = self.reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
            ["until", "till", "'til", " til", "到", "至"].iter().any(|word| before.ends_with(word))
        };
        let moments = self
            .reading
            .mentions
            .iter()
            .filter(|mention| matches!(mention.what, What::Date(_) | What::Clock(_) | What::Number(_)));
        moments.filter(|mention| !mention.excluded).find(until)
    }

    /// A time that picks another record, whose name the parameter takes: the train that leaves at 15:10.
    fn pick_for(&self, param: &Param) -> Option<&Mention> {
        let words = identifier_words(&param.name);
        let called = |value: &Value| {
            value
                .as_str()
                .is_some_and(|text| self.judge.subject.values.leaves().any(|node| node.value.as_str() == Some(text)))
        };
        let named = |record: &&&Map<String, Value>| {
            let own = record.values().any(called);
            let key = |key: &String| words.len() > 1 && words.iter().any(|word| word == key && word.len() > 2);
            !own && record.iter().any(|(name, value)| key(name) && value.is_string())
        };
        let mut clocks = self.reading.clocks().filter(|(mention, _)| !mention.excluded);
        let (mention, _) = clocks.find(|(_, clock)| {
            let at = |record: &&&Map<String, Value>| record.values().any(|value| is_at(value, *clock));
            let mut picked = self.records.iter().filter(at);
            picked.next().is_some_and(|record| named(&record)) && picked.next().is_none()
        })?;
        Some(mention)
    }

    /// Another time than the record has: "she'd rather come at 16:30".
    fn moment_for(&self, param: &Param) -> Option<&Mention> {
        let words = identifier_words(&param.name);
        let known = self.records.iter().find_map(|record| {
            let (_, value) = record.iter().find(|(key, value)| words.contains(key) && minutes(value).is_some())?;
            Some(value)
        })?;
        let elsewhere =
            |clock: Clock| self.records.iter().any(|record| record.values().any(|value| is_at(value, clock)));
        // A time is mentioned for many reasons: somebody called at 8:15.
        let preferred = |mention: &Mention| {
            let before = self.reading.lower.get(..mention.range.start).unwrap_or_default();
            let clause = before.rsplit([',', '.', ';', '，', '。', '；']).next().unwrap_or_default();
            Cue::named("prefers").stands_in(clause)
        };
        let clocks = self.reading.clocks().filter(|(mention, _)| !mention.excluded && preferred(mention));
        let new = clocks.filter(|(_, clock)| !is_at(known, *clock) && !elsewhere(*clock)).last();
        new.map(|(mention, _)| mention)
    }
}

/// The time of day that a value ends with.
fn minutes(value: &Value) -> Option<u16> {
    let text = value.as_str().filter(|text| text.len() <= MAX_MOMENT)?;
    let (hour, minute) = text.rsplit(['T', ' ']).next()?.split_once(':')?;
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.get(..2)?.parse().ok()?);
    Some(hour * 60 + minute).filter(|_| hour < 24 && minute < 60)
}

fn is_at(value: &Value, clock: Clock) -> bool {
    minutes(value).is_some_and(|minutes| clock.is(minutes))
}

/// The records of the results, the newest first.
fn records<'a>(judge: &Judge<'a>) -> Vec<&'a Map<String, Value>> {
    let results = judge.subject.conversation.messages().iter().rev().flat_map(|message| message.results.iter().rev());
    let mut open: Vec<&Value> = results.map(|result| &result.content).take(MAX_RESULTS).collect();
    let mut found = Vec::new();
    open.reverse();
    while let Some(value) = open.pop().filter(|_| found.len() < MAX_RECORDS) {
        match value {
            Value::Array(list) => open.extend(list.iter().take(MAX_RECORDS)),
            Value::Object(map) => {
                found.push(map);
                open.extend(map.values().filter(|value| value.is_array() || value.is_object()));
            }
            _ => {}
        }
    }
    found
}

/// Words before a number that something shall now have.
const BECOMING: &[&str] = &["only", "just", "be", "to", "now", "instead", "it"];
const MAX_BEFORE: usize = 4;
const MAX_TOOLS: usize = 128;
const MAX_RESULTS: usize = 8;
const MAX_MOMENT: usize = 25;
const MAX_RECORDS: usize = 200;
