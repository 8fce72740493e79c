//! Items respect the filters of the call: a highest price, an earliest date, a status.

use crate::check_result::fields::{Entry, number};
use crate::check_result::format::brief;
use crate::check_result::moment::Moment;
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Every filter argument against every item.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for (key, asked) in subject.arguments.iter().take(100) {
        let words = identifier_words(key);
        let Some(filter) = Filter::of(subject, &words, asked) else { continue };
        for object in subject.parts.objects.iter().filter(|object| object.listed == 1) {
            let Some(entry) = object.entries.iter().find(|entry| filter.excludes(entry)) else { continue };
            let (own, asked, seen) = (entry.key, brief(asked), brief(entry.value));
            let evidence = localized!(
                subject.language,
                "`{key}` was {asked}, an item has `{own}` {seen}",
                "筛选条件 `{key}` 为 {asked}，但有一项的 `{own}` 为 {seen}"
            );
            found.push(Finding::new(&codes::OTHER_SUBJECT, object.at(entry), evidence));
            break;
        }
    }
    found
}

/// What an argument asks of every item.
enum Filter {
    AtMost(String, f64),
    AtLeast(String, f64),
    NotBefore(Moment),
    NotAfter(Moment),
    Equal(String, String),
}

impl Filter {
    fn of(subject: &Subject, words: &[String], asked: &Value) -> Option<Self> {
        let noun = |bound: &[&str]| match words {
            [a, b] if bound.contains(&a.as_str()) => Some(b.clone()),
            [a, b] if bound.contains(&b.as_str()) => Some(a.clone()),
            _ => None,
        };
        if let (Some(noun), Some(most)) = (noun(&["max", "maximum"]), number(asked)) {
            return BOUNDED.contains(&noun.as_str()).then_some(Self::AtMost(noun, most));
        }
        if let (Some(noun), Some(least)) = (noun(&["min", "minimum"]), number(asked)) {
            return BOUNDED.contains(&noun.as_str()).then_some(Self::AtLeast(noun, least));
        }
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
                let lists = subject.kind == ToolKind::Searches || subject.is_about(&["list", "filter"]);
                (lists && !matches!(text.as_str(), "all" | "any" | "*")).then(|| Self::Equal(name, text.clone()))
            }
            _ => None,
        }
    }

    fn excludes(&self, entry: &Entry) -> bool {
        let dated = || {
            let date = ["date", "published", "created", "publish", "posted"].iter().any(|word| entry.has(word));
            Moment::of(entry.value).filter(|_| date)
        };
        match self {
            Self::AtMost(noun, most) => entry.is(noun) && entry.number().is_some_and(|number| number > *most),
            Self::AtLeast(noun, least) => entry.is(noun) && entry.number().is_some_and(|number| number < *least),
            Self::NotBefore(moment) => dated().is_some_and(|date| date.hours_after(moment) < -26.0),
            Self::NotAfter(moment) => dated().is_some_and(|date| date.hours_after(moment) > 26.0),
            Self::Equal(name, asked) => {
                entry.is(name) && entry.value.as_str().is_some_and(|seen| !super::echo::similar(asked, seen))
            }
        }
    }
}

const BOUNDED: &[&str] =
    &["price", "rating", "stars", "cost", "distance", "salary", "age", "score", "size", "area", "rent", "stops"];
