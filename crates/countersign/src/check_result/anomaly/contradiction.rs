//! Two parts of a result that cannot both be true: flags and fields, or two sentences.
//!
//! Only what is in one record is compared: a list of jobs may hold one that runs and one that does not.

use super::statement::Statement;
use super::{denial, ended};
use crate::check_result::fields::{Object, Parts};
use crate::check_result::records::{Record, records};
use crate::check_result::subject::Subject;
use crate::check_result::telling::{Telling, Tellings, claims, clauses, deeds_in};
use crate::check_result::voice::{own_texts, unquoted};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lexicon::{Deeds, is_past};
use crate::text::phrases::Phrases;
use crate::text::sentences::sentences;
use crate::text::words::identifier_words;
use serde_json::Value;
use std::sync::LazyLock;

/// Flags against fields, texts against lists, sentences against sentences.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found: Vec<Finding> = subject.parts.objects.iter().flat_map(|object| in_object(subject, object)).collect();
    for text in own_texts(subject) {
        found.extend(records(text.text).into_iter().flat_map(|record| in_record(subject, &text.pointer, record)));
    }
    found.truncate(3);
    found
}

/// What one record of a text says against itself.
fn in_record(subject: &Subject, pointer: &str, record: Record) -> Vec<Finding> {
    let spoken = unquoted(&record.text);
    let clashing = sentences_clash(&spoken).or_else(|| denial::in_text(&spoken));
    let sentences = clashing.map(|(a, b)| clash(subject, pointer.to_owned(), &a, &b));
    let fields = Value::Object(record.fields);
    let fields = Parts::of(&fields, None).objects.iter().flat_map(|object| in_object(subject, object)).collect();
    let placed = |found: Vec<Finding>| found.into_iter().map(|finding| Finding { pointer: pointer.into(), ..finding });
    sentences.into_iter().chain(placed(fields)).collect()
}

fn clash(subject: &Subject, pointer: String, first: &str, second: &str) -> Finding {
    let evidence =
        localized!(subject.language, "{first} and {second} cannot both be true", "{first} 与 {second} 不能同时成立");
    Finding::new(&codes::CONTRADICTION, pointer, evidence)
}

fn in_object(subject: &Subject, object: &Object) -> Vec<Finding> {
    let flag =
        |names: &[&str]| object.find(names).and_then(|entry| Some((entry.key.to_owned(), entry.value.as_bool()?)));
    let mut found = Vec::new();
    let mut push = |first: String, second: String| found.push(clash(subject, object.pointer.clone(), &first, &second));
    for (flags, states, negative) in STATES {
        let Some((key, value)) = flag(flags) else { continue };
        let says = |words: &[&str]| object.says(&["status", "state", "payment_status"], words);
        if (value && says(negative)) || (!value && says(states)) {
            push(format!("`{key}` {value}"), "`status`".to_owned());
        }
    }
    for (first, second) in OPPOSITES {
        let is = |name: &str| flag(&[name, &format!("is_{name}")]);
        if let (Some((a, true)), Some((b, true))) = (is(first), is(second)) {
            push(format!("`{a}`"), format!("`{b}`"));
        }
    }
    found.extend(ended::in_object(object).map(|(a, b)| clash(subject, object.pointer.clone(), &a, &b)));
    found.extend(denial::in_fields(object).map(|(a, b)| clash(subject, object.pointer.clone(), &a, &b)));
    found.extend(refused(subject, object));
    found.extend(check_dates(subject, object));
    found.extend(check_list(subject, object));
    found.extend(check_tests(subject, object));
    found.extend(snow(subject, object));
    found.extend(sentiment(subject, object));
    found
}

/// A flag that the call's own deed is done, beside a message that tells of nothing but its refusal.
fn refused(subject: &Subject, object: &Object) -> Option<Finding> {
    let own = deeds_in(&identifier_words(&subject.call.name).join(" "));
    let undoes = Deeds::named(&["cancel", "remove", "delete", "stop", "revoke", "reject", "decline", "close"]);
    let flag = object.entries.iter().find(|entry| {
        let past = entry.words.iter().any(|word| is_past(word));
        past && entry.value == &Value::Bool(true) && deeds_in(&entry.words.join(" ")).meet(&own) && !own.meet(&undoes)
    })?;
    let told = object.find(&["message", "msg", "detail", "result_message"])?;
    let text = told.value.as_str().filter(|text| text.len() < MAX_MESSAGE)?;
    let refuses = Tellings::besides(text, &own).has(&[Telling::Failed]);
    let bears_out = clauses(text).any(|clause| claims(clause, &own));
    let shown: String = text.chars().take(80).collect();
    (refuses && !bears_out)
        .then(|| clash(subject, object.pointer.clone(), &format!("`{}` true", flag.key), &format!("“{shown}”")))
}

/// A status and the time at which it was reached.
fn check_dates(subject: &Subject, object: &Object) -> Option<Finding> {
    let time = |name: &str| object.find(&[&format!("{name}_at"), &format!("{name}_date"), &format!("{name}_on")]);
    let unreached = object
        .says(&["status", "state"], &["pending", "unpaid", "processing", "待发货", "待付款", "未发货", "created"]);
    if let Some(entry) =
        ["delivered", "shipped"].iter().find_map(|name| time(name)).filter(|e| e.value.is_string() && unreached)
    {
        return Some(clash(subject, object.pointer.clone(), "`status`", &format!("`{}`", entry.key)));
    }
    None
}

/// Nothing found, and yet there is something, or the other way round.
fn check_list(subject: &Subject, object: &Object) -> Option<Finding> {
    let list =
        object.find(&["results", "items", "data", "matches", "records", "flights", "hotels", "events", "hits"])?;
    let items = list.value.as_array()?;
    let (key, length) = (list.key, items.len());
    let message =
        object.find(&["message", "summary", "note", "status", "info", "answer"]).and_then(|e| e.value.as_str());
    let nothing = message.is_some_and(|text| NOTHING.any(text) && text.chars().count() < 80);
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    let denied = flag(&["found", "has_results"]) == Some(false) || flag(&["empty", "is_empty"]) == Some(true);
    let claimed = flag(&["found", "has_results"]) == Some(true) && length == 0;
    let wrong = (length > 0 && (nothing || denied)) || claimed;
    wrong.then(|| {
        let said = message.unwrap_or("the flag").to_owned();
        clash(subject, object.at(list), &format!("“{said}”"), &format!("`{key}` ({length})"))
    })
}

/// A run that passed, with failures.
fn check_tests(subject: &Subject, object: &Object) -> Option<Finding> {
    let failed = object.find(&["failed", "failures", "errors", "error_count", "failed_count"])?;
    let some = match failed.value {
        Value::Array(items) => !items.is_empty(),
        other => other.as_f64().is_some_and(|count| count > 0.0),
    };
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    let passes = flag(&["all_passed", "passed", "success", "valid", "is_valid", "ok"]) == Some(true)
        || object.says(
            &["status", "result", "conclusion", "outcome"],
            &["passed", "success", "green", "all passed", "ok", "通过"],
        );
    (some && passes).then(|| clash(subject, object.at(failed), "`passed`", &format!("`{}`", failed.key)))
}

/// Snow on a hot day.
fn snow(subject: &Subject, object: &Object) -> Option<Finding> {
    let condition = object.find(&["condition", "conditions", "weather", "description", "天气"])?;
    let text = condition.value.as_str()?.to_lowercase();
    let snows = ["snow", "snowing", "heavy snow", "light snow", "blizzard", "雪", "小雪", "大雪", "中雪", "暴雪"]
        .contains(&text.trim());
    let degrees = object.number(&["temperature", "temp", "temperature_c", "temp_c"])?;
    let unit =
        object.find(&["unit", "units"]).and_then(|entry| entry.value.as_str()).unwrap_or("celsius").to_lowercase();
    let hot = if unit.starts_with('f') || unit.contains("°f") || unit == "imperial" { 60.0 } else { 15.0 };
    (snows && degrees > hot).then(|| clash(subject, object.at(condition), &format!("“{text}”"), &format!("{degrees}°")))
}

/// A sentiment whose score has the other sign.
fn sentiment(subject: &Subject, object: &Object) -> Option<Finding> {
    let label = object.find(&["sentiment", "polarity", "label"])?.value.as_str()?.to_lowercase();
    let entry = object.find(&["score", "polarity_score", "compound", "sentiment_score"])?;
    let (score, signed) = (entry.number()?, entry.note.contains("-1") || entry.note.contains("−1"));
    let wrong = (label == "positive" && score < -0.3) || (label == "negative" && score > 0.3 && signed);
    wrong.then(|| clash(subject, object.at(entry), &format!("“{label}”"), &format!("{score}")))
}

/// Two sentences that say the opposite of each other, or give one thing two numbers.
fn sentences_clash(text: &str) -> Option<(String, String)> {
    let cut = sentences(text).into_iter().filter_map(|range| text.get(range));
    // Chinese joins whole statements by commas.
    let cut: Vec<&str> = cut.flat_map(|sentence| sentence.split('，')).filter(|s| s.len() < 600).take(60).collect();
    let read: Vec<Statement> = cut.iter().map(|sentence| Statement::of(sentence)).collect();
    // Three sentences of one form are a list, whatever numbers they hold.
    let listed = |one: &Statement| read.iter().filter(|other| other.template == one.template).count() > 2;
    for (at, first) in read.iter().enumerate() {
        for (later, second) in read.iter().enumerate().skip(at + 1).take(12) {
            let twice = first.twice(second) && !listed(first);
            if twice || first.opposes(second) || (later == at + 1 && first.is_taken_back(second)) {
                let shown = |at: usize| cut.get(at).map(|s| format!("“{s}”")).unwrap_or_default();
                return Some((shown(at), shown(later)));
            }
        }
    }
    None
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NOTHING);
}

static NOTHING: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/nothing_found.txt")));
const STATES: &[(&[&str], &[&str], &[&str])] = &[
    (&["is_open", "open", "open_now"], &["open", "营业中"], &["closed", "已关闭", "休息中", "closed permanently"]),
    (
        &["active", "is_active", "enabled"],
        &["active", "enabled"],
        &["inactive", "disabled", "suspended", "deleted", "terminated"],
    ),
    (&["online", "is_online"], &["online", "在线"], &["offline", "down", "离线"]),
    (&["paid", "is_paid"], &["paid", "已付款", "已支付"], &["unpaid", "未付款", "待付款"]),
    (&["delivered", "is_delivered"], &["delivered", "已送达"], &["pending", "lost", "未送达"]),
    (&["success", "ok", "succeeded"], &["success", "succeeded"], &["failed", "failure", "error", "失败"]),
    (&["cancelled", "is_cancelled"], &["cancelled", "canceled"], &["confirmed", "active", "delivered"]),
    (&["verified", "is_verified"], &["verified"], &["unverified", "rejected"]),
];
const MAX_MESSAGE: usize = 400;
const OPPOSITES: &[(&str, &str)] = &[
    ("open", "closed"),
    ("enabled", "disabled"),
    ("online", "offline"),
    ("available", "unavailable"),
    ("public", "private"),
    ("read", "unread"),
    ("success", "failure"),
    ("success", "failed"),
    ("active", "inactive"),
    ("valid", "invalid"),
    ("in_stock", "sold_out"),
    ("in_stock", "out_of_stock"),
    ("active", "deleted"),
    ("passed", "failed"),
];
