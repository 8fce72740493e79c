//! Which field of a schema something that the request says is meant for.
//!
//! A field is known by its type, its format and its role, which the engine reads from name and description. What is said
//! fits by its kind, by the words beside it, and by its direction: what follows "from" is no destination.

use super::mentions::{Kind, Mention};
use super::schema::{kind, properties, property, required, word};
use super::words::{is_chinese, is_common, parts};
use super::zones::zone_of;
use countersign::check_call::role::{Role, Roles};
use countersign::check_result::consistency::places::{fold, group};
use countersign::text::numbers::scan::Scan;
use countersign::text::numbers::units;
use countersign::text::stems::root;
use serde_json::{Number, Value};

/// A field that holds one value, or a list of values.
#[derive(Debug)]
pub(super) struct Field<'s> {
    /// Where it is, as a JSON pointer.
    pub(super) path: String,
    /// Its name.
    pub(super) name: &'s str,
    /// Its schema; of a list, that of its items.
    pub(super) schema: &'s Value,
    /// Whether a call needs it.
    pub(super) need: Need,
    /// Whether it takes several values.
    pub(super) takes: Takes,
    roles: Roles,
}

/// Whether a call needs a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// It does.
    Required,
    /// It can do without.
    Optional,
}

/// How many values a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// One.
    One,
    /// As many as there are.
    Many,
}

/// What of a mention goes to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// What it says.
    Whole,
    /// Only its unit.
    Unit,
}

/// The fields of a plain schema, in order.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    gather(schema, "", Need::Required, &mut found);
    found.truncate(MOST_FIELDS);
    found
}

fn gather<'s>(schema: &'s Value, path: &str, need: Need, found: &mut Vec<Field<'s>>) {
    let required = required(schema);
    for name in properties(schema) {
        let Some(field) = property(schema, name) else { continue };
        let own = if required.contains(&name) { need } else { Need::Optional };
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        match (kind(field), field.get("items")) {
            ("object", _) if field.get("properties").is_some() => gather(field, &path, own, found),
            ("array", Some(items)) if kind(items) == "object" => gather(items, &format!("{path}/0"), own, found),
            ("array", Some(items)) => found.push(Field::new(path, name, items, own, Takes::Many)),
            _ => found.push(Field::new(path, name, field, own, Takes::One)),
        }
    }
}

impl<'s> Field<'s> {
    fn new(path: String, name: &'s str, schema: &'s Value, need: Need, takes: Takes) -> Self {
        let format = schema.get("format").and_then(Value::as_str);
        Self { path, name, schema, need, takes, roles: Roles::of(name, word(schema, "description"), format) }
    }

    /// Whether it has a role.
    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.has(role)
    }

    /// Whether it holds a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(kind(self.schema), "integer" | "number")
    }

    /// Whether it holds words that the model writes itself.
    pub(super) fn is_free_text(&self) -> bool {
        self.is_text() && self.has(Role::FreeText) && !self.has(Role::Path) && self.schema.get("format").is_none()
    }

    /// Whether it holds a place.
    pub(super) fn is_place(&self) -> bool {
        parts(self.name).iter().any(|part| PLACES.contains(&part.as_str()))
    }

    /// Whether any word will do: it has no format, no role, and is no place.
    pub(super) fn is_open(&self) -> bool {
        let held = [Role::Url, Role::Email, Role::Path, Role::Id, Role::Amount, Role::Date, Role::Time, Role::Secret];
        let held = held.into_iter().chain([Role::Recipient, Role::Phone, Role::Uuid, Role::Name, Role::Address]);
        let free = self.schema.get("format").is_none() && self.schema.get("pattern").is_none();
        self.is_text() && free && !held.into_iter().any(|role| self.has(role)) && !self.is_zone() && !self.is_place()
    }

    fn is_text(&self) -> bool {
        matches!(kind(self.schema), "string" | "") && self.schema.get("enum").is_none()
    }

    fn is_zone(&self) -> bool {
        let parts = parts(self.name);
        let named = parts.iter().any(|part| part == "timezone" || part == "tz")
            || parts.ends_with(&["time".into(), "zone".into()]);
        named || word(self.schema, "description").contains("IANA")
    }

    /// Which side of a mention the field takes: of "30 euros" one takes the number, and another the currency.
    pub(super) fn side(&self, mention: &Mention<'_>) -> Side {
        if matches!(mention.kind, Kind::Number(..)) && self.is_text() && self.is_currency() {
            Side::Unit
        } else {
            Side::Whole
        }
    }

    fn is_currency(&self) -> bool {
        let told = |text: &str| text.to_lowercase().contains("currency") || text.contains("货币");
        told(self.name) || told(word(self.schema, "description"))
    }

    /// How well a mention fits; none where it does not.
    pub(super) fn fit(&self, mention: &Mention<'_>) -> Option<u32> {
        self.value(mention)?;
        let direction = match (way_of_field(self.name), way_of_mention(mention)) {
            (Some(field), Some(said)) if field != said => return None,
            (Some(_), Some(_)) => 25,
            _ => 0,
        };
        let base = if self.is_number() { self.fit_of_number(mention) } else { self.fit_of_text(mention) }?;
        let needed = if self.need == Need::Required { 5 } else { 0 };
        Some(base + direction + self.beside(mention) + needed)
    }

    fn fit_of_number(&self, mention: &Mention<'_>) -> Option<u32> {
        let Kind::Number(_, unit) = mention.kind else { return None };
        let money = unit.is_some_and(|unit| unit.len() == 3 && unit != "deg");
        // The size of a result is only meant where it is spoken of.
        let meant = !self.has(Role::ResultSize) || self.beside(mention) > 0;
        meant.then_some(if money && self.has(Role::Amount) { 30 } else { 10 })
    }

    fn fit_of_text(&self, mention: &Mention<'_>) -> Option<u32> {
        let has = |role| self.has(role);
        let kind = &mention.kind;
        let fit = match kind {
            Kind::Path if mention.text.contains('*') && takes_patterns(self.name) => 40,
            Kind::Path if mention.text.contains('*') => 0,
            _ if self.is_zone() || self.is_currency() => 40,
            Kind::Email if has(Role::Email) || has(Role::Recipient) => 40,
            _ if has(Role::Email) => 0,
            Kind::Url if has(Role::Url) => 40,
            _ if has(Role::Url) => 0,
            Kind::Date(_) if has(Role::Date) => 40,
            Kind::Clock(_) if has(Role::Time) || has(Role::Date) => 30,
            _ if has(Role::Date) || has(Role::Time) => 0,
            Kind::Path if has(Role::Path) => 40,
            Kind::Id if has(Role::Id) || has(Role::Uuid) => 40,
            Kind::Number(number, _) if has(Role::Id) && (*number >= 100.0 || self.beside(mention) > 0) => 30,
            Kind::Number(..) if has(Role::Id) => 0,
            Kind::Quoted if self.is_free_text() => 25,
            Kind::Path if self.is_free_text() && has(Role::Path) => 20,
            _ if self.is_free_text() => 0,
            Kind::Quoted if (has(Role::Id) || has(Role::Path)) && !mention.text.contains(' ') => 30,
            Kind::Quoted if has(Role::Id) || has(Role::Path) => 5,
            _ if has(Role::Id) => 0,
            Kind::Quoted => 25,
            Kind::Path if takes_files(self.name) => 30,
            Kind::Name if has(Role::Path) && group(&fold(mention.text)).is_some() => 0,
            Kind::Name => self.fit_of_name(mention),
            Kind::Phrase if has(Role::Path) => 5,
            Kind::Phrase => 12,
            Kind::Id => 8,
            Kind::Number(..) if self.beside(mention) >= BESIDE_NAME => 8,
            _ => 0,
        };
        (fit > 0).then_some(fit)
    }

    /// Places go where places belong, and other names elsewhere.
    fn fit_of_name(&self, mention: &Mention<'_>) -> u32 {
        let place = group(&fold(mention.text)).is_some();
        let located = mention.before.first().is_some_and(|word| LOCATING.contains(&word.as_str()));
        match (self.is_place(), place || located) {
            (true, true) => 35,
            (true, false) => 15,
            (false, true) => 14,
            (false, false) => 20,
        }
    }

    /// Whether the words beside a mention are the field's own.
    fn beside(&self, mention: &Mention<'_>) -> u32 {
        let own: Vec<String> = parts(self.name)
            .iter()
            .filter(|part| part.len() > 1 && *part != "id")
            .map(|part| root(part).into_owned())
            .collect();
        let described = word(self.schema, "description").to_lowercase();
        let unit = mention.text.to_lowercase();
        let unit = unit.split_whitespace().skip(1).map(str::to_owned);
        let near: Vec<String> = mention.before.iter().chain(&mention.after).cloned().chain(unit).collect();
        let named = near.iter().any(|word| own.iter().any(|own| *own == root(word)));
        let told = |word: &String| word.chars().count() > 1 && telling(word) && described.contains(word.as_str());
        if named {
            BESIDE_NAME
        } else if near.iter().any(told) {
            6
        } else {
            0
        }
    }

    /// The value that a mention has in the field; none where it can have none.
    pub(super) fn value(&self, mention: &Mention<'_>) -> Option<Value> {
        if let Some(choices) = self.schema.get("enum").and_then(Value::as_array) {
            let said =
                |choice: &&Value| choice.as_str().is_some_and(|choice| choice.eq_ignore_ascii_case(mention.text));
            return choices.iter().find(said).cloned();
        }
        if self.is_number() {
            let Kind::Number(number, _) = mention.kind else { return None };
            return within(number, self.schema).then(|| figure(number));
        }
        let text = self.is_text().then(|| self.text_of(mention)).flatten()?;
        keeps_to(&text, self.schema).then_some(Value::String(text))
    }

    fn text_of(&self, mention: &Mention<'_>) -> Option<String> {
        let written = || Some(mention.text.to_owned());
        let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        match (&mention.kind, word(self.schema, "format")) {
            _ if self.is_zone() => zone_of(mention.text).map(str::to_owned),
            _ if self.is_currency() => currency_of(mention),
            (Kind::Date(Some(iso)), "date-time") => Some(format!("{iso}T00:00:00Z")),
            (Kind::Date(Some(iso)), _) => Some(iso.clone()),
            (Kind::Date(None), "date" | "date-time") => None,
            (Kind::Clock(minutes), "time") => Some(format!("{}:00Z", clock(*minutes))),
            (Kind::Clock(_), "date-time" | "date") => None,
            (Kind::Clock(minutes), _) => Some(clock(*minutes)),
            (Kind::Email, "email" | "idn-email") | (Kind::Url, "uri" | "url" | "iri") => written(),
            (_, "email" | "idn-email" | "uri" | "url" | "iri" | "date" | "date-time" | "time") => None,
            (_, "uuid") if mention.text.len() != UUID => None,
            (Kind::Number(..), _) => mention.text.split_whitespace().next().map(str::to_owned),
            _ => written(),
        }
    }
}

/// A number as JSON: whole where it is whole.
pub(super) fn figure(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < LARGEST_WHOLE {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::from(0), Value::Number)
}

/// Whether a number keeps to a schema.
pub(super) fn within(number: f64, schema: &Value) -> bool {
    let bound = |field: &str| schema.get(field).and_then(Value::as_f64);
    let multiple = bound("multipleOf").filter(|multiple| *multiple > 0.0);
    (kind(schema) != "integer" || number.fract() == 0.0)
        && bound("minimum").is_none_or(|least| number >= least)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
        && multiple.is_none_or(|multiple| ((number / multiple).round() * multiple - number).abs() < 1e-9)
}

/// Whether a text keeps to a schema's length and pattern.
pub(super) fn keeps_to(text: &str, schema: &Value) -> bool {
    let count = text.chars().count() as u64;
    let bound = |field: &str| schema.get(field).and_then(Value::as_u64);
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let compiled = |pattern: &str| regex::RegexBuilder::new(pattern).size_limit(LARGEST_PATTERN).build().ok();
    bound("minLength").is_none_or(|least| count >= least)
        && bound("maxLength").is_none_or(|most| count <= most)
        && pattern.is_none_or(|pattern| compiled(pattern).is_none_or(|pattern| pattern.is_match(text)))
}

/// The code of a currency that is named: `EUR` of "30 euros", of "euros" and of "EUR".
fn currency_of(mention: &Mention<'_>) -> Option<String> {
    let unit = match mention.kind {
        Kind::Number(_, unit) => unit?,
        _ if is_code(mention.text) => return Some(mention.text.to_owned()),
        _ => units::read(&Scan::new(&mention.text.to_lowercase()), 0)?.0.base,
    };
    is_code(&unit.to_uppercase()).then(|| unit.to_uppercase())
}

fn is_code(text: &str) -> bool {
    text.len() == 3 && text.chars().all(|c| c.is_ascii_uppercase())
}

fn takes_patterns(name: &str) -> bool {
    parts(name).iter().any(|part| PATTERNS.contains(&part.as_str()))
}

fn takes_files(name: &str) -> bool {
    parts(name).iter().any(|part| FILES.contains(&part.as_str()))
}

/// Whether a word beside a mention can tell of a field: small words cannot.
fn telling(word: &str) -> bool {
    word.chars().all(is_chinese) || (word.len() > 3 && !is_common(word))
}

/// From where to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    From,
    To,
}

fn way_of_field(name: &str) -> Option<Way> {
    let parts = parts(name);
    let any = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    let from = any(&["from", "origin", "source", "departure", "sender", "base"]).then_some(Way::From);
    from.or_else(|| any(&["to", "destination", "target", "recipient", "arrival", "receiver"]).then_some(Way::To))
}

fn way_of_mention(mention: &Mention<'_>) -> Option<Way> {
    mention.before.iter().take(3).find_map(|word| match word.as_str() {
        "from" | "从" | "自" => Some(Way::From),
        "to" | "into" | "到" | "给" | "向" | "至" | "往" => Some(Way::To),
        _ => None,
    })
}

const BESIDE_NAME: u32 = 20;
const PLACES: [&str; 9] = ["city", "location", "place", "town", "region", "country", "destination", "origin", "area"];
const LOCATING: [&str; 4] = ["in", "at", "near", "在"];
const FILES: [&str; 4] = ["source", "destination", "file", "document"];
const PATTERNS: [&str; 4] = ["pattern", "glob", "filter", "query"];
const MOST_FIELDS: usize = 64;
const UUID: usize = 36;
const LARGEST_WHOLE: f64 = 9e15;
const LARGEST_PATTERN: usize = 1 << 18;
