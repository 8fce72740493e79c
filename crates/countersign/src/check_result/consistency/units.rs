//! Units and currencies agree with what was asked.

use crate::check_result::fields::Object;
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use serde_json::Value;

/// The unit and the currency of the call against those of the result.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    let asked = |keys: &[&str]| keys.iter().find_map(|key| subject.arguments.get(*key)?.as_str());
    let (unit, currency) = (asked(&["unit", "units", "temperature_unit"]), asked(&["currency", "currency_code"]));
    for object in subject.parts.objects.iter().take(200) {
        for entry in &object.entries {
            let Some(seen) = entry.value.as_str() else { continue };
            let is_unit = ["unit", "units", "temperature_unit"].iter().any(|name| entry.is(name));
            let clash = match (unit, currency) {
                (Some(unit), _) if is_unit => conflict(UNITS, unit, seen).then_some(unit),
                (_, Some(currency)) => symbol(seen).filter(|code| clashes(currency, code)).map(|_| currency),
                _ => None,
            };
            if let Some(asked) = clash {
                let evidence = localized!(
                    subject.language,
                    "asked for {asked}, the result is in {seen}",
                    "请求的是 {asked}，结果却是 {seen}"
                );
                found.push(Finding::new(&codes::UNIT, object.at(entry), evidence));
            }
        }
    }
    found.extend(check_spoken(subject, unit));
    found.extend(subject.parts.objects.iter().filter_map(|object| of_kind(subject, object)));
    found.truncate(2);
    found
}

/// A unit that measures something else than the kind beside it.
fn of_kind(subject: &Subject, object: &Object) -> Option<Finding> {
    let unit = object.find(&["unit", "units"])?;
    let kind = object.find(&["kind", "type", "metric", "measurement", "quantity", "sensor_type"])?;
    let (unit_name, kind_name) =
        (unit.value.as_str()?.trim().to_lowercase(), kind.value.as_str()?.trim().to_lowercase());
    let own = KINDS.iter().find(|(kind, _)| *kind == kind_name)?;
    let known = KINDS.iter().any(|(_, units)| units.contains(&unit_name.as_str()));
    (known && !own.1.contains(&unit_name.as_str())).then(|| {
        let evidence = localized!(
            subject.language,
            "{kind_name} is not measured in {unit_name}",
            "{kind_name} 不以 {unit_name} 为单位"
        );
        Finding::new(&codes::UNIT, object.at(unit), evidence)
    })
}

/// The temperature unit in a sentence.
fn check_spoken(subject: &Subject, unit: Option<&str>) -> Option<Finding> {
    let (asked, Value::String(text)) = (unit?, &subject.result.content) else { return None };
    let lower = text.to_lowercase();
    let celsius = ["°c", "℃", "celsius", "摄氏"].iter().any(|mark| lower.contains(mark));
    let fahrenheit = ["°f", "℉", "fahrenheit", "华氏"].iter().any(|mark| lower.contains(mark));
    let other = match place(UNITS, asked)? {
        0 => fahrenheit && !celsius,
        1 => celsius && !fahrenheit,
        _ => false,
    };
    other.then(|| {
        let evidence = localized!(
            subject.language,
            "asked for {asked}, the text is in another unit",
            "请求的是 {asked}，文字用的是另一种单位"
        );
        Finding::new(&codes::UNIT, "", evidence)
    })
}

/// Whether two names are in different groups of one list.
fn conflict(groups: &[&[&str]], asked: &str, seen: &str) -> bool {
    matches!((place(groups, asked), place(groups, seen)), (Some(a), Some(b)) if a != b)
}

fn place(groups: &[&[&str]], name: &str) -> Option<usize> {
    let name = name.trim().to_lowercase();
    groups.iter().position(|group| group.contains(&name.as_str()))
}

/// The currencies that the sign in front of an amount may mean.
fn symbol(text: &str) -> Option<&'static [&'static str]> {
    let amount = text.chars().nth(1).is_some_and(|c| c.is_ascii_digit()) && text.len() < 20;
    let sign = text.chars().next().filter(|_| amount)?;
    SIGNS.iter().find(|(own, _)| *own == sign).map(|(_, codes)| *codes)
}

fn clashes(asked: &str, codes: &[&str]) -> bool {
    let asked = asked.to_uppercase();
    let known = SIGNS.iter().any(|(_, codes)| codes.contains(&asked.as_str()));
    known && !codes.contains(&asked.as_str())
}

const UNITS: &[&[&str]] = &[
    &["celsius", "c", "°c", "℃", "centigrade", "metric", "摄氏", "摄氏度"],
    &["fahrenheit", "f", "°f", "℉", "imperial", "us", "华氏", "华氏度"],
    &["kelvin", "k"],
    &["km", "kilometer", "kilometers", "kilometre", "kilometres", "公里", "千米"],
    &["mi", "mile", "miles", "英里"],
    &["m", "meter", "meters", "metre", "metres", "米"],
    &["ft", "foot", "feet", "英尺"],
    &["kg", "kilogram", "kilograms", "公斤", "千克"],
    &["lb", "lbs", "pound", "pounds", "磅"],
    &["g", "gram", "grams", "克"],
    &["oz", "ounce", "ounces", "盎司"],
    &["km/h", "kmh", "kph"],
    &["mph"],
    &["l", "liter", "liters", "litre", "litres", "升"],
    &["gal", "gallon", "gallons", "加仑"],
    &["cm", "厘米"],
    &["in", "inch", "inches", "英寸"],
];
const SIGNS: &[(char, &[&str])] = &[
    ('$', &["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN", "TWD"]),
    ('€', &["EUR"]),
    ('£', &["GBP"]),
    ('¥', &["CNY", "JPY", "RMB"]),
    ('￥', &["CNY", "JPY", "RMB"]),
    ('₹', &["INR"]),
    ('₩', &["KRW"]),
];
const KINDS: &[(&str, &[&str])] = &[
    ("temperature", &["°c", "c", "celsius", "℃", "°f", "f", "fahrenheit", "k", "kelvin"]),
    ("humidity", &["%", "percent", "%rh", "rh"]),
    ("pressure", &["hpa", "pa", "kpa", "bar", "mbar", "psi", "mmhg", "atm"]),
    ("current", &["a", "ma", "amp", "ampere"]),
    ("voltage", &["v", "mv", "kv", "volt"]),
    ("power", &["w", "kw", "mw", "watt"]),
    ("energy", &["kwh", "wh", "mwh", "j", "kj"]),
    ("speed", &["m/s", "km/h", "mph", "kn", "kph"]),
    ("weight", &["kg", "g", "t", "lb"]),
    ("co2", &["ppm"]),
];
