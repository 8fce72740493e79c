//! Arguments that keep to a schema, filled from what the request says.
//!
//! Each thing that is said goes to the field that it fits best, and to one field only. What nobody said is taken from
//! earlier results, or from what the schema itself suggests; where neither has it, it is missing, and the model asks.

use super::fields::{Field, Need, Side, Takes, fields, figure, keeps_to, within};
use super::mentions::{Kind, Mention, mentions};
use super::schema::{kind, properties, property, required, word};
use super::unsaid::{holds_contents, made_up, suggested, written};
use super::words::{chinese_rest, is_chinese, is_common, mentions_word, parts, placed};
use countersign::check_call::role::Role;
use countersign::text::stems::root;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The arguments of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Filled {
    /// As far as they are known.
    pub(super) arguments: Map<String, Value>,
    /// Required fields that nobody spoke of.
    pub(super) missing: Vec<String>,
    /// How many required fields hold what the request says.
    pub(super) said: usize,
    /// How many ids, paths, addresses, quotations and the like went nowhere.
    pub(super) unused: usize,
    /// Further calls of the same tool: the request names several things for one field.
    pub(super) more: Vec<Map<String, Value>>,
}

/// What becomes of a required field that nobody spoke of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsaid {
    /// It stays away.
    Missing,
    /// It holds something that keeps to its schema: the client demands an answer in any case.
    MadeUp,
}

/// Fills a plain schema.
pub(super) fn fill(schema: &Value, request: &str, results: &[Value], unsaid: Unsaid) -> Filled {
    let all = fields(schema);
    let said = mentions(request);
    let mut sheet = Sheet { schema, request, results, said, values: BTreeMap::new(), used: BTreeMap::new() };
    sheet.choose_enums(&all);
    sheet.assign(&all);
    sheet.gather_lists(&all);
    let counted = all.iter().filter(|field| field.need == Need::Required && sheet.values.contains_key(&field.path));
    let said = counted.count();
    let mut missing = Vec::new();
    for field in &all {
        if sheet.values.contains_key(&field.path) {
            continue;
        }
        match sheet.unsaid(field, unsaid) {
            Some(value) => drop(sheet.values.insert(field.path.clone(), value)),
            None if field.need == Need::Required => missing.push(field.name.to_owned()),
            None => {}
        }
    }
    let arguments = sheet.built(schema, "");
    let mut listed = sheet.listed(&all, &arguments).into_iter();
    let unused = sheet.unused(&all).saturating_sub(listed.len().saturating_sub(1));
    let arguments = listed.next().unwrap_or(arguments);
    Filled { arguments, missing, said, unused, more: listed.collect() }
}

/// A value for one property of a schema's top level, made up where nobody speaks of it.
pub(super) fn argument(schema: &Value, name: &str, request: &str) -> Option<Value> {
    let alone = json!({"type": "object", "properties": {name: property(schema, name)?}, "required": [name]});
    fill(&alone, request, &[], Unsaid::MadeUp).arguments.shift_remove(name)
}

/// Whether a field holds an id.
pub(super) fn is_id(name: &str) -> bool {
    parts(name).last().is_some_and(|last| matches!(last.as_str(), "id" | "ids" | "uuid"))
}

struct Sheet<'a> {
    schema: &'a Value,
    request: &'a str,
    results: &'a [Value],
    said: Vec<Mention<'a>>,
    /// The values by their fields' paths.
    values: BTreeMap<String, Value>,
    /// Which field a mention, or its unit, went to.
    used: BTreeMap<(usize, Side), String>,
}

impl Sheet<'_> {
    /// What is fixed, and the choices that the request names, by their words.
    fn choose_enums(&mut self, all: &[Field<'_>]) {
        let request = self.request.to_lowercase();
        for field in all {
            if let Some(fixed) = field.schema.get("const").filter(|_| field.need == Need::Required) {
                self.values.insert(field.path.clone(), fixed.clone());
                continue;
            }
            let choices = field.schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let said = |choice: &&Value| choice.as_str().is_some_and(|choice| is_said(choice, &request));
            let Some(choice) = choices.iter().take(MOST_CHOICES).find(said) else { continue };
            let named =
                |mention: &&Mention<'_>| choice.as_str().is_some_and(|text| text.eq_ignore_ascii_case(mention.text));
            if let Some(at) = self.said.iter().position(|mention| named(&mention)) {
                self.used.insert((at, Side::Whole), field.path.clone());
            }
            let value = if field.takes == Takes::Many { json!([choice]) } else { choice.clone() };
            self.values.insert(field.path.clone(), value);
        }
    }

    /// Gives each mention to the field that it fits best, the best fit first.
    fn assign(&mut self, all: &[Field<'_>]) {
        let single = || all.iter().enumerate().filter(|(_, field)| field.takes == Takes::One);
        let no_required = required(self.schema).is_empty();
        let mut fits: Vec<(u32, usize, usize)> = Vec::new();
        for (at, field) in single().filter(|(_, field)| !self.values.contains_key(&field.path)) {
            let least = if field.need == Need::Required || no_required { 1 } else { LEAST_OF_OPTIONAL };
            let scored =
                self.said.iter().enumerate().filter_map(|(number, mention)| {
                    Some((field.fit(mention).filter(|fit| *fit >= least)?, at, number))
                });
            fits.extend(scored);
        }
        fits.sort_by_key(|(fit, field, mention)| (std::cmp::Reverse(*fit), *field, *mention));
        for (_, at, number) in fits {
            let (Some(field), Some(mention)) = (all.get(at), self.said.get(number)) else { continue };
            let side = (number, field.side(mention));
            if self.used.contains_key(&side) || self.values.contains_key(&field.path) {
                continue;
            }
            if let Some(value) = field.value(mention) {
                self.used.insert(side, field.path.clone());
                self.values.insert(field.path.clone(), self.with_clock(field, value));
            }
        }
    }

    /// A date with a time of day takes the one that is said.
    fn with_clock(&self, field: &Field<'_>, value: Value) -> Value {
        let clock = self.said.iter().find_map(|mention| match mention.kind {
            Kind::Clock(minutes) => Some(format!("T{:02}:{:02}", minutes / 60, minutes % 60)),
            _ => None,
        });
        match (value, clock) {
            (Value::String(text), Some(clock)) if word(field.schema, "format") == "date-time" => {
                Value::String(text.replace("T00:00", &clock))
            }
            (value, _) => value,
        }
    }

    /// Lists take all that fits them and went nowhere else.
    fn gather_lists(&mut self, all: &[Field<'_>]) {
        for field in all.iter().filter(|field| field.takes == Takes::Many) {
            if self.values.contains_key(&field.path) || (field.need == Need::Optional && !self.speaks_of(field)) {
                continue;
            }
            let free = self.said.iter().enumerate().filter(|(at, _)| !self.is_used(*at));
            let fitting: Vec<(u32, usize, Value)> =
                free.filter_map(|(at, mention)| Some((field.fit(mention)?, at, field.value(mention)?))).collect();
            let best = fitting.iter().map(|(fit, ..)| *fit).max().unwrap_or_default();
            // What fits half as well is something else.
            let taken: Vec<_> = fitting.into_iter().filter(|(fit, ..)| *fit * 2 > best).take(MOST_ITEMS).collect();
            self.used.extend(taken.iter().map(|(_, at, _)| ((*at, Side::Whole), field.path.clone())));
            let values: Vec<Value> = taken.into_iter().map(|(.., value)| value).collect();
            if !values.is_empty() {
                self.values.insert(field.path.clone(), Value::Array(values));
            }
        }
    }

    /// Mentions of a sharp kind that no field took; words that the model writes itself may hold any of them.
    fn unused(&self, all: &[Field<'_>]) -> usize {
        if all.iter().any(Field::is_free_text) {
            return 0;
        }
        let sharp = |kind: &Kind| !matches!(kind, Kind::Name | Kind::Phrase | Kind::Date(_));
        self.said.iter().enumerate().filter(|(at, mention)| sharp(&mention.kind) && !self.is_used(*at)).count()
    }

    fn is_used(&self, at: usize) -> bool {
        self.used.contains_key(&(at, Side::Whole))
    }

    fn speaks_of(&self, field: &Field<'_>) -> bool {
        let request = self.request.to_lowercase();
        parts(field.name).iter().any(|part| part.len() > 3 && mentions_word(&request, part))
    }

    /// The value of a field that no mention went to.
    fn unsaid(&self, field: &Field<'_>, unsaid: Unsaid) -> Option<Value> {
        if field.need == Need::Optional {
            let switched = kind(field.schema) == "boolean" && self.speaks_of(field);
            return switched.then_some(Value::Bool(true));
        }
        let many = |value: Value| if field.takes == Takes::Many { json!([value]) } else { value };
        let known = self.found_in_results(field).or_else(|| self.written(field)).or_else(|| suggested(field));
        let known = known.or_else(|| self.count(field)).or_else(|| self.left_over(field));
        let made_up = || (unsaid == Unsaid::MadeUp).then(|| made_up(field, self.request));
        known.or_else(made_up).map(many)
    }

    /// What an earlier result holds under the field's name, or the result itself for contents.
    fn found_in_results(&self, field: &Field<'_>) -> Option<Value> {
        let named = self.results.iter().rev().find_map(|result| find_named(result, &parts(field.name), 0));
        let fits = |value: &Value| match (kind(field.schema), value) {
            ("integer" | "number", Value::Number(number)) => number.as_f64().is_some_and(|it| within(it, field.schema)),
            ("string" | "", Value::String(text)) => keeps_to(text, field.schema),
            _ => false,
        };
        let whole = || {
            let told = self.results.last().filter(|_| holds_contents(field))?;
            Some(told.as_str().map_or_else(|| Value::String(told.to_string()), |text| Value::String(text.to_owned())))
        };
        named.filter(fits).or_else(whole)
    }

    /// Words that the model writes itself.
    fn written(&self, field: &Field<'_>) -> Option<Value> {
        field.is_free_text().then(|| written(field, self.request, self.free_quote())).flatten()
    }

    /// A quotation that went to no other field.
    fn free_quote(&self) -> Option<String> {
        let free = |(at, mention): &(usize, &Mention<'_>)| mention.kind == Kind::Quoted && !self.is_used(*at);
        self.said.iter().enumerate().find(free).map(|(_, mention)| mention.text.to_owned())
    }

    /// A count of which nothing is said is one: one of a thing needs no source. An amount does.
    fn count(&self, field: &Field<'_>) -> Option<Value> {
        let counts = kind(field.schema) == "integer" && !field.has(Role::Amount) && !field.has(Role::Id);
        let least = field.schema.get("minimum").and_then(Value::as_f64).unwrap_or(1.0).max(1.0);
        (counts && within(least, field.schema)).then(|| figure(least))
    }

    /// For a field that takes any word: the words that are neither the tool's own nor anybody's.
    fn left_over(&self, field: &Field<'_>) -> Option<Value> {
        if !field.is_open() {
            return None;
        }
        if self.request.chars().any(is_chinese) {
            return chinese_rest(self.request).filter(|text| keeps_to(text, field.schema)).map(Value::String);
        }
        let own: Vec<String> =
            properties(self.schema).iter().flat_map(|name| parts(name)).map(|part| root(&part).into_owned()).collect();
        let used = |at: &std::ops::Range<usize>| {
            self.used
                .keys()
                .filter_map(|(number, _)| self.said.get(*number))
                .any(|m| m.at.start < at.end && at.start < m.at.end)
        };
        let words = placed(self.request);
        // The first word is what to do.
        let mut rest = words.iter().skip(1).rev().filter(|word| !is_common(word.word) && !used(&word.at));
        let word = rest.find(|word| !own.iter().any(|own| *own == root(&word.word.to_lowercase())))?;
        keeps_to(word.word, field.schema).then(|| Value::String(word.word.to_owned()))
    }

    /// The object of a schema, from the values.
    fn built(&self, schema: &Value, path: &str) -> Map<String, Value> {
        let needed = required(schema);
        let mut object = Map::new();
        for name in properties(schema) {
            let Some(field) = property(schema, name) else { continue };
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let inside = || self.values.keys().any(|known| known.starts_with(&format!("{path}/")));
            let value = match self.values.get(&path) {
                Some(value) => value.clone(),
                None if kind(field) == "object" && (inside() || needed.contains(&name)) => {
                    Value::Object(self.built(field, &path))
                }
                None if kind(field) == "array" && inside() => {
                    let items = field.get("items").map(|items| self.built(items, &format!("{path}/0")));
                    json!([items])
                }
                None => continue,
            };
            object.insert(name.to_owned(), value);
        }
        object
    }

    /// The call for each of the things that the request lists for one field: "in Oslo, Bergen and Rome".
    fn listed(&self, all: &[Field<'_>], call: &Map<String, Value>) -> Vec<Map<String, Value>> {
        let top = all.iter().filter(|field| field.takes == Takes::One && field.path.matches('/').count() == 1);
        for field in top.filter(|field| field.need == Need::Required && !field.is_free_text()) {
            let Some(((at, _), _)) = self.used.iter().find(|(_, path)| **path == field.path) else { continue };
            let first = (1..=*at).rev().find(|at| !self.is_beside(at - 1, *at, *at)).unwrap_or(0);
            let last = (*at..self.said.len()).find(|last| !self.is_beside(*last, last + 1, *at)).unwrap_or(*at);
            let values = (first..=last).filter_map(|number| field.value(self.said.get(number)?));
            let with = |value: Value| {
                let mut call = call.clone();
                call.insert(field.name.to_owned(), value);
                call
            };
            let calls: Vec<_> = values.take(MOST_ITEMS).map(with).collect();
            if calls.len() > 1 {
                return calls;
            }
        }
        Vec::new()
    }

    /// Whether two mentions of one kind stand in one list, and the one that is not `taken` went nowhere.
    fn is_beside(&self, one: usize, other: usize, taken: usize) -> bool {
        let (Some(first), Some(second)) = (self.said.get(one), self.said.get(other)) else { return false };
        let between = self.request.get(first.at.end..second.at.start).unwrap_or_default().trim();
        let free = [one, other].into_iter().all(|number| number == taken || !self.is_used(number));
        let same = std::mem::discriminant(&first.kind) == std::mem::discriminant(&second.kind);
        LISTING.contains(&between) && free && same
    }
}

fn is_said(choice: &str, request: &str) -> bool {
    let lower = choice.to_lowercase();
    let words = parts(choice);
    mentions_word(request, &lower) || (words.len() > 1 && mentions_word(request, &words.join(" ")))
}

/// A value under a name, anywhere in a result.
fn find_named(value: &Value, name: &[String], depth: usize) -> Option<Value> {
    match value {
        Value::Object(fields) => {
            let own = fields.iter().find(|(key, value)| parts(key) == name && !value.is_object() && !value.is_array());
            let inner =
                || fields.values().filter(|_| depth < DEEPEST).find_map(|value| find_named(value, name, depth + 1));
            own.map(|(_, value)| value.clone()).or_else(inner)
        }
        Value::Array(items) if depth < DEEPEST => {
            items.iter().take(MOST_ITEMS).find_map(|item| find_named(item, name, depth + 1))
        }
        _ => None,
    }
}

const LISTING: [&str; 10] = [",", "and", ", and", "or", "&", "、", "和", "与", "，", "及"];
const LEAST_OF_OPTIONAL: u32 = 26;
const MOST_ITEMS: usize = 8;
const MOST_CHOICES: usize = 1000;
const DEEPEST: usize = 6;
