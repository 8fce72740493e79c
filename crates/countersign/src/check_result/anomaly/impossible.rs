//! Numbers that cannot be: a negative count, a humidity of 140, a latitude of 95, a day below absolute zero.
//!
//! What may rightly be negative (a balance, a change, a current, an elevation) is never touched.

use crate::check_result::fields::{Entry, Object};
use crate::check_result::logic::scale::{MOVES, scale};
use crate::check_result::pattern::pattern;
use crate::check_result::subject::Subject;
use crate::check_result::voice::voices;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use regex::Regex;
#[cfg(test)]
use serde_json::Value;
use std::sync::LazyLock;

/// Every number of the result, and the numbers of the tool's own sentences.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        for entry in &object.entries {
            let Some(number) = entry.number() else {
                found.extend(not_a_number(subject, object, entry));
                continue;
            };
            if let Some((low, high)) =
                limits(subject, object, entry).filter(|(low, high)| number < *low || number > *high)
            {
                let key = entry.key;
                let bound = if number < low { low } else { high };
                let evidence = localized!(
                    subject.language,
                    "`{key}` is {number}, which cannot be (limit {bound})",
                    "`{key}` 为 {number}，不可能（界限 {bound}）"
                );
                found.push(Finding::new(&codes::IMPOSSIBLE, object.at(entry), evidence));
            }
        }
    }
    found.extend(bare(subject));
    found.extend(voices(subject).iter().filter_map(|voice| find_spoken(subject, &voice.text)).take(1));
    found.truncate(5);
    found
}

fn not_a_number(subject: &Subject, object: &Object, entry: &Entry) -> Option<Finding> {
    let text = entry
        .value
        .as_str()
        .filter(|text| matches!(*text, "NaN" | "nan" | "Infinity" | "-Infinity" | "inf" | "-inf"))?;
    let key = entry.key;
    let evidence = localized!(subject.language, "`{key}` is {text}", "`{key}` 为 {text}");
    Some(Finding::new(&codes::IMPOSSIBLE, object.at(entry), evidence))
}

/// A bare number from a tool that counts.
fn bare(subject: &Subject) -> Option<Finding> {
    let number = crate::check_result::fields::number(&subject.result.content)?;
    let counts = subject.is_about(&["count", "number of", "how many", "quantity", "数量", "个数", "统计"]);
    let differs = subject.is_about(&["difference", "change", "delta", "calculate", "sum"]);
    (counts && !differs && number < 0.0).then(|| {
        let evidence = localized!(subject.language, "a count of {number}", "数量为 {number}");
        Finding::new(&codes::IMPOSSIBLE, "", evidence)
    })
}

/// The bounds that the meaning of a field sets.
fn limits(subject: &Subject, object: &Object, entry: &Entry) -> Option<(f64, f64)> {
    if MOVES.iter().any(|word| entry.has(word)) || entry.has_any(SIGNED) || scale(entry).is_some() {
        return None;
    }
    let exchanged = object.find(&["base", "from", "base_currency", "from_currency"]).is_some();
    if exchanged && (entry.is("rate") || entry.is("exchange_rate")) {
        return Some((0.0, f64::INFINITY));
    }
    if let Some(bounds) = temperature(subject, object, entry) {
        return Some(bounds);
    }
    let measured = reading(object, entry);
    let last = measured.last().map(String::as_str).unwrap_or_default();
    let whole = measured.join("_");
    for (names, low, high) in PHYSICAL {
        let fits = names.iter().any(|name| last == *name || whole == *name);
        if fits {
            return Some((*low, *high));
        }
    }
    let percent = entry.has_any(&["percent", "percentage", "pct"]);
    if percent {
        // More than a target can be reached.
        let bounded = entry.has_any(WHOLE) && object.find(&["target", "goal", "quota", "planned"]).is_none();
        return Some((0.0, if bounded { 100.0 } else { f64::INFINITY }));
    }
    let returned = object
        .says(&["type", "kind", "status"], &["refund", "return", "returned", "credit", "退款", "退货", "adjustment"]);
    // A height above a datum has a sign, and so has a volume in decibels; those of a thing with a width have none.
    let sized = entry.has_any(&["height", "volume"])
        && object.entries.iter().any(|e| e.has_any(&["width", "length", "weight"]));
    let counted = sized || entry.has_any(COUNTED) || (entry.words.len() == 1 && PLAIN_COUNTS.contains(&last));
    // Movements go both ways: the same field of a record beside it has the other sign.
    let moves = object.listed > 0
        && subject.parts.objects.iter().filter(|other| other.listed == object.listed && other.key == object.key).any(
            |other| other.entries.iter().any(|own| own.key == entry.key && own.number().is_some_and(|own| own > 0.0)),
        )
        && entry.number().is_some_and(|own| own < 0.0);
    (counted && !returned && !moves).then_some((0.0, f64::INFINITY))
}

/// The words that say what is measured: the key's, or the sensor's kind beside a plain `value`.
fn reading(object: &Object, entry: &Entry) -> Vec<String> {
    if entry.is("value") || entry.is("reading") {
        let kind = object.find(&["kind", "type", "metric", "quantity", "sensor_type", "measurement", "name"]);
        if let Some(kind) = kind.and_then(|kind| kind.value.as_str()) {
            return crate::text::words::identifier_words(kind);
        }
    }
    entry.words.clone()
}

/// Absolute zero by unit, and what weather can be.
fn temperature(subject: &Subject, object: &Object, entry: &Entry) -> Option<(f64, f64)> {
    let words = reading(object, entry);
    let named = words.iter().any(|w| {
        matches!(
            w.as_str(),
            "temperature"
                | "temp"
                | "tmin"
                | "tmax"
                | "dewpoint"
                | "气温"
                | "温度"
                | "celsius"
                | "fahrenheit"
                | "kelvin"
                | "摄氏度"
        )
    });
    let unit = object.find(&["unit", "units", "temperature_unit", "temp_unit"]).and_then(|entry| entry.value.as_str());
    let asked = ["unit", "units"].iter().find_map(|key| subject.arguments.get(*key)?.as_str());
    let by_value =
        entry.is("value") && unit.is_some_and(|unit| matches!(unit, "°C" | "C" | "celsius" | "℃" | "°F" | "K"));
    if !named && !by_value {
        return None;
    }
    let own = entry
        .words
        .last()
        .map(String::as_str)
        .filter(|word| matches!(*word, "c" | "f" | "k" | "celsius" | "fahrenheit" | "kelvin" | "摄氏度"));
    let unit = own.or(unit).or(asked).unwrap_or_default().to_lowercase();
    let weather = subject.is_about(&["weather", "forecast", "climate", "天气", "气温", "预报"]);
    Some(match unit.trim_start_matches('°') {
        "f" | "fahrenheit" | "imperial" | "℉" if weather => (-140.0, 150.0),
        "f" | "fahrenheit" | "imperial" | "℉" => (-459.67, f64::INFINITY),
        "k" | "kelvin" => (0.0, f64::INFINITY),
        "c" | "celsius" | "metric" | "℃" | "摄氏度" if weather => (-95.0, 65.0),
        "c" | "celsius" | "metric" | "℃" | "摄氏度" => (-273.15, f64::INFINITY),
        _ if weather => (-140.0, 150.0),
        _ => (-459.67, f64::INFINITY),
    })
}

/// Impossible numbers in a sentence.
fn find_spoken(subject: &Subject, text: &str) -> Option<Finding> {
    let value = |found: &regex::Captures| found.get(1)?.as_str().replace('−', "-").parse::<f64>().ok();
    let cold =
        CELSIUS.captures_iter(text).filter_map(|found| Some((value(&found)?, found.get(0)?.as_str().to_owned())));
    let weather = subject.is_about(&["weather", "forecast", "天气", "气温", "预报"]);
    let cold = cold.filter(|(degrees, _)| *degrees < -273.15 || (weather && (*degrees > 65.0 || *degrees < -95.0)));
    let share = SHARE.captures_iter(text).filter_map(|found| Some((value(&found)?, found.get(0)?.as_str().to_owned())));
    let share = share.filter(|(percent, _)| *percent > 100.0 || *percent < 0.0);
    let date = IMPOSSIBLE_DATE.find(text).map(|found| found.as_str().to_owned());
    let negative = NEGATIVE.find(text).map(|found| found.as_str().to_owned());
    let seen = cold.chain(share).map(|(_, seen)| seen).next().or(date).or(negative)?;
    let evidence = localized!(subject.language, "“{seen}” cannot be", "“{seen}”不可能成立");
    Some(Finding::new(&codes::IMPOSSIBLE, "", evidence))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&CELSIUS);
    LazyLock::force(&SHARE);
    LazyLock::force(&IMPOSSIBLE_DATE);
    LazyLock::force(&NEGATIVE);
}

static CELSIUS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"([-−]?\d+(?:\.\d+)?)\s*(?:°\s?C\b|℃|degrees Celsius|摄氏度)"));
static SHARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:humidity|probability|chance(?: of [a-z]+)?|湿度|概率|降水概率|可能性)(?: is| of|为|是|约|达|达到|:|：)?\s*([-−]?\d+(?:\.\d+)?)\s*(?:%|percent)",
    )
});
static IMPOSSIBLE_DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:february|feb)\.? (?:30|31)\b|\b(?:30|31) (?:february|feb)\b|\b(?:april|june|september|november) 31\b|\b31 (?:april|june|september|november)\b|\b\d{4}-(?:02-3[01]|(?:04|06|09|11)-31|(?:1[3-9]|00)-\d\d|\d\d-(?:3[2-9]|00))\b|(?:^|[^\d])(?:2月3[01]日|(?:4|6|9|11)月31日|1[3-9]月\d{1,2}日|\d{1,2}月3[2-9]日)",
    )
});
static NEGATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:^|[\s(：:])[-−]\d+ (?:people|persons|users|customers|items|orders|results|students|employees|inhabitants|residents|votes)\b|(?:共有|总计|共|有)[-−]\d+\s?(?:人|个|条|件|名|位|次)",
    )
});

const SIGNED: &[&str] = &[
    "net",
    "offset",
    "balance",
    "diff",
    "adjustment",
    "current",
    "movement",
    "elevation",
    "altitude",
    "profit",
    "earnings",
    "income",
    "timezone",
    "gmt",
    "relative",
    "correction",
    "z",
];
const COUNTED: &[&str] = &[
    "count",
    "quantity",
    "qty",
    "num",
    "votes",
    "views",
    "likes",
    "followers",
    "stock",
    "inventory",
    "seats",
    "rooms",
    "guests",
    "attempts",
    "retries",
    "pages",
    "respondents",
    "passed",
    "failed",
    "skipped",
    "rows",
    "population",
    "distance",
    "duration",
    "age",
    "visitors",
    "downloads",
    "stars",
    "reviews",
    "copies",
    "employees",
    "students",
    "attendees",
    "bytes",
    "nights",
    "units",
    "width",
    "weight",
    "length",
    "area",
    "speed",
];
const PLAIN_COUNTS: &[&str] = &[
    "total",
    "items",
    "users",
    "results",
    "size",
    "price",
    "rating",
    "used",
    "free",
    "errors",
    "calories",
    "days",
    "hours",
    "minutes",
    "seconds",
    "participants",
    "capacity",
    "available",
];
const WHOLE: &[&str] = &[
    "humidity",
    "battery",
    "progress",
    "completion",
    "complete",
    "coverage",
    "share",
    "occupancy",
    "probability",
    "used",
    "free",
    "uptime",
    "availability",
    "attendance",
    "charge",
    "cloud",
    "disk",
    "memory",
];
const PHYSICAL: &[(&[&str], f64, f64)] = &[
    (&["latitude", "lat"], -90.0, 90.0),
    (&["longitude", "lng", "lon"], -180.0, 360.0),
    (&["humidity", "relative_humidity", "湿度"], 0.0, 100.0),
    (&["probability", "rain_probability", "precipitation_probability", "chance_of_rain"], 0.0, 100.0),
    (&["confidence", "similarity_percent", "accuracy"], 0.0, 100.0),
    (&["ph"], -2.0, 16.0),
    (&["month"], 1.0, 12.0),
    (&["hour"], 0.0, 24.0),
    (&["minute"], 0.0, 60.0),
    (&["age", "年龄"], 0.0, 150.0),
    (&["heart_rate", "bpm"], 0.0, 400.0),
    (&["uv_index"], 0.0, 30.0),
    (&["aqi"], 0.0, 2000.0),
    (
        &["wind_speed", "wind_kph", "wind_mph", "visibility", "precipitation", "rainfall", "snowfall", "wind"],
        0.0,
        1000.0,
    ),
    (&["wind_direction", "heading", "bearing"], -180.0, 360.0),
    (&["cloud_cover", "cloudiness", "battery", "battery_level", "progress"], 0.0, 100.0),
    (&["pressure", "co2", "lux", "illuminance", "light", "pm25", "noise", "flow"], 0.0, f64::INFINITY),
    (&["status_code", "http_status"], 0.0, 999.0),
    (&["port"], 0.0, 65535.0),
    (&["population"], 0.0, 2e10),
];

/// A number that a schema-less tool gives as `Value`, for tests of hostile content.
#[cfg(test)]
pub(crate) fn is_impossible(key: &str, value: &Value) -> bool {
    let content = serde_json::json!({ key: value });
    let request = crate::check_result::tests::request("any_tool", serde_json::json!({}), content);
    let prepared = crate::check_result::subject::Prepared::of(&request);
    !check(&prepared.subject(&request, &crate::policy::Policy::standard())).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // RESULT-5, T20
    #[test]
    fn impossible_numbers_show_and_legitimate_negatives_do_not() {
        for (key, value) in [
            ("count", -3.0),
            ("latitude", 95.0),
            ("humidity", 140.0),
            ("temperature", -500.0),
            ("page_views", -1.0),
            ("age", 214.0),
        ] {
            assert!(is_impossible(key, &json!(value)), "{key} {value}");
        }
        for (key, value) in [
            ("balance", -3.0),
            ("change_percent", -12.5),
            ("current", -1.8),
            ("elevation", -28.0),
            ("total", 0.0),
            ("growth_percent", 340.0),
            ("longitude", -120.0),
        ] {
            assert!(!is_impossible(key, &json!(value)), "{key} {value}");
        }
        assert!(is_impossible("price", &json!("NaN")));
    }
}
