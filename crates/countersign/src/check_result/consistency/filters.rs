//! Items respect the filters of the call: a highest price, an earliest date, a status, one of some categories, a flag.
//!
//! An argument and the field of an item are told to be the same by their words alone: `max_price` bounds `price` and
//! `price_usd`, `end_date` the date of a record, `statuses` lists what `status` may be, `in_stock_only` asks for `in_stock`.

use super::places::fold;
use crate::check_call::effects::by_name;
use crate::check_result::fields::{Entry, Object, number};
use crate::check_result::format::brief;
use crate::check_result::logic::order::role;
use crate::check_result::moment::Moment;
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::policy::Effect;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Every filter argument against every item.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let items: Vec<&Object> = subject.parts.objects.iter().filter(|object| object.listed == 1).collect();
    let mut found = Vec::new();
    for (key, asked) in subject.arguments.iter().take(100) {
        let Some(filter) = Filter::of(subject, &identifier_words(key), asked) else { continue };
        let Some((object, entry)) = filter.broken_by(&items) else { continue };
        let (own, asked, seen) = (entry.key, brief(asked), brief(entry.value));
        let evidence = localized!(
            subject.language,
            "`{key}` was {asked}, an item has `{own}` {seen}",
            "筛选条件 `{key}` 为 {asked}，但有一项的 `{own}` 为 {seen}"
        );
        found.push(Finding::new(&codes::OTHER_SUBJECT, object.at(entry), evidence));
    }
    found
}

/// What an argument asks of every item.
enum Filter {
    AtMost(Vec<String>, f64),
    AtLeast(Vec<String>, f64),
    NotBefore(Moment),
    NotAfter(Moment),
    /// Records of a span of time; one of them may reach beyond its ends.
    Within(Moment, Side),
    Equal(String, String),
    /// One of some values, where an item shows that they are of one vocabulary.
    Among(Vec<String>, Vec<String>),
    True(Vec<String>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Begin,
    End,
}

impl Filter {
    fn of(subject: &Subject, words: &[String], asked: &Value) -> Option<Self> {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let noun = measure(words);
        let is_bounded = !noun.is_empty() && !noun.iter().any(|word| UNBOUNDED.contains(&word.as_str()));
        match number(asked).filter(|_| is_bounded) {
            Some(most) if has(&["max", "maximum"]) => return Some(Self::AtMost(noun, most)),
            Some(least) if has(&["min", "minimum"]) => return Some(Self::AtLeast(noun, least)),
            _ => {}
        }
        let lists = subject.kind == ToolKind::Searches || subject.is_about(&["list", "filter"]);
        let name = words.join("_");
        match (name.as_str(), asked) {
            (
                "since" | "after" | "published_after" | "date_from" | "from_date" | "created_after",
                Value::String(text),
            ) => Moment::read(text).map(Self::NotBefore),
            (
                "until" | "before" | "published_before" | "date_to" | "to_date" | "created_before",
                Value::String(text),
            ) => Moment::read(text).map(Self::NotAfter),
            ("status" | "category" | "state" | "priority" | "author" | "brand", Value::String(text)) => {
                (lists && !matches!(text.as_str(), "all" | "any" | "*")).then(|| Self::Equal(name, text.clone()))
            }
            (_, Value::String(text)) if Moment::read(text).is_some() => {
                let reads = lists || by_name(&subject.call.name) == Some(Effect::Read);
                let side = match () {
                    () if has(&["start", "from", "begin"]) => Side::Begin,
                    () if has(&["end", "to", "through"]) => Side::End,
                    () => return None,
                };
                Moment::read(text).filter(|_| reads).map(|moment| Self::Within(moment, side))
            }
            (_, Value::String(text)) if lists && !has(FREE) && is_value(text) => {
                Some(Self::Among(words.to_vec(), vec![text.clone()]))
            }
            (_, Value::Array(values)) if lists && !has(FREE) => {
                let texts: Option<Vec<String>> = values.iter().map(|value| value.as_str().map(str::to_owned)).collect();
                texts.filter(|texts| !texts.is_empty()).map(|texts| Self::Among(singular(words), texts))
            }
            (_, Value::Bool(true)) if lists => {
                let own = words.iter().filter(|word| !matches!(word.as_str(), "only" | "is"));
                Some(Self::True(own.cloned().collect()))
            }
            _ => None,
        }
    }

    /// The first item that the filter should have kept out.
    fn broken_by<'a>(&self, items: &[&'a Object<'a>]) -> Option<(&'a Object<'a>, &'a Entry<'a>)> {
        let all = || items.iter().flat_map(|object| object.entries.iter().map(|entry| (*object, entry)));
        let first = all().find(|(_, entry)| self.excludes(entry))?;
        match self {
            // A report has its weeks and months; what lies far outside, or all of it, was not asked for.
            Self::Within(moment, _) => {
                let far =
                    |entry: &Entry| own_time(entry).is_some_and(|date| date.hours_after(moment).abs() > 24.0 * 32.0);
                let every = all().filter(|(_, entry)| own_time(entry).is_some()).all(|(_, entry)| self.excludes(entry));
                if every { Some(first) } else { all().find(|(_, entry)| self.excludes(entry) && far(entry)) }
            }
            Self::Among(words, asked) => {
                let shown = all().any(|(_, entry)| entry.words == *words && is_among(asked, entry.value));
                shown.then_some(first)
            }
            _ => Some(first),
        }
    }

    fn excludes(&self, entry: &Entry) -> bool {
        let dated = || {
            let date = ["date", "published", "created", "publish", "posted"].iter().any(|word| entry.has(word));
            Moment::of(entry.value).filter(|_| date)
        };
        let measured = |noun: &[String]| amount(entry).filter(|_| measure(&entry.words) == noun && !entry.has("min"));
        match self {
            Self::AtMost(noun, most) => measured(noun).is_some_and(|number| number > *most),
            Self::AtLeast(noun, least) => measured(noun).is_some_and(|number| number < *least),
            Self::NotBefore(moment) => dated().is_some_and(|date| date.hours_after(moment) < -26.0),
            Self::NotAfter(moment) => dated().is_some_and(|date| date.hours_after(moment) > 26.0),
            Self::Within(moment, side) => own_time(entry).is_some_and(|date| match side {
                Side::Begin => date.hours_after(moment) < -26.0,
                Side::End => date.hours_after(moment) > 26.0,
            }),
            Self::Equal(name, asked) => {
                entry.is(name) && entry.value.as_str().is_some_and(|seen| !super::echo::similar(asked, seen))
            }
            Self::Among(words, asked) => {
                entry.words == *words && entry.value.is_string() && !is_among(asked, entry.value)
            }
            Self::True(words) => entry.words == *words && entry.value.as_bool() == Some(false),
        }
    }
}

/// What a key measures, without the bound, the unit and the currency: `price` of `max_price_usd`.
fn measure(words: &[String]) -> Vec<String> {
    let own = words.iter().take_while(|word| *word != "per");
    own.filter(|word| !BOUNDS.contains(&word.as_str()) && !UNITS.contains(&word.as_str())).cloned().collect()
}

/// The number of an entry, also where a record holds it with its currency.
fn amount(entry: &Entry) -> Option<f64> {
    let inner = || ["amount", "value"].iter().find_map(|key| number(entry.value.get(*key)?));
    entry.number().or_else(inner)
}

/// The time of a record itself: `date`, `time`, `timestamp`.
fn own_time(entry: &Entry) -> Option<Moment> {
    Moment::of(entry.value).filter(|_| role(entry).is_empty())
}

/// Whether a value is one of those asked for, or holds one.
fn is_among(asked: &[String], seen: &Value) -> bool {
    let seen = fold(seen.as_str().unwrap_or_default());
    asked.iter().map(|asked| fold(asked)).any(|asked| asked.contains(&seen) || seen.contains(&asked))
}

/// Whether a text is a value to choose and not free text.
fn is_value(text: &str) -> bool {
    (1..=30).contains(&text.chars().count()) && !matches!(text, "all" | "any" | "*")
}

/// The words with the last one in the singular: `statuses`, `categories`, `labels`.
fn singular(words: &[String]) -> Vec<String> {
    let one = |word: &String| match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => match word.strip_suffix("es").filter(|stem| stem.ends_with(['s', 'x'])) {
            Some(stem) => stem.to_owned(),
            None => word.strip_suffix('s').unwrap_or(word).to_owned(),
        },
    };
    let last = words.len().saturating_sub(1);
    words.iter().enumerate().map(|(at, word)| if at == last { one(word) } else { word.clone() }).collect()
}

const BOUNDS: &[&str] = &["max", "maximum", "min", "minimum"];
const UNITS: &[&str] = word_list!("check_result", "consistency/filters/units");
/// What a call bounds of itself and not of what it finds.
const UNBOUNDED: &[&str] = word_list!("check_result", "consistency/filters/unbounded");
/// Arguments that no field of an item must repeat: texts, places that have neighbours, orders.
const FREE: &[&str] = word_list!("check_result", "consistency/filters/free");
