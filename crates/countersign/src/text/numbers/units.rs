//! The units that we know, each with its base unit and factor.

use super::scan::Scan;
use crate::text::units;

/// A unit as it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The base unit: `ratio`, `celsius`, `m`, `kg`, `s`, `usd` …
    pub base: &'static str,
    /// What one of it is in the base unit.
    pub factor: f64,
    /// What zero of it is in the base unit.
    pub offset: f64,
}

/// The unit that is here, perhaps after a blank or a hyphen, and the place after it.
pub fn read(scan: &Scan, at: usize) -> Option<(Unit, usize)> {
    let hyphen = usize::from(scan.at(at) == Some('-') && scan.at(at + 1).is_some_and(char::is_alphabetic));
    let from = if hyphen == 1 { at + 1 } else { scan.past_blanks(at) };
    let (word, end) = scan.word(from);
    if word.is_empty() {
        return sign(scan, from);
    }
    if TOUCHING.contains(&word.as_str()) && from != at {
        return None;
    }
    let money = WORDS.iter().find(|(name, ..)| *name == word).map(|(_, base, factor)| plain(base, *factor));
    let found = money.or_else(|| currency(&word).map(|base| plain(base, 1.0)));
    let found = found.or_else(|| units::stated_unit(&word).filter(|unit| unit.dimension != "multiple").map(measure))?;
    let per_hour = ["/h", " per hour", " an hour"].iter().find(|tail| scan.starts(end, tail));
    match per_hour {
        Some(tail) if found.base == "m" => Some((plain("m/s", found.factor / 3600.0), end + tail.chars().count())),
        _ => Some((found, end)),
    }
}

/// The longest sign or Chinese word of a unit.
fn sign(scan: &Scan, from: usize) -> Option<(Unit, usize)> {
    if let Some(sign) = ["℉", "°F", "° F"].iter().find(|sign| scan.starts(from, sign)) {
        return units::stated_unit("fahrenheit").map(|unit| (measure(unit), from + sign.chars().count()));
    }
    let signs = SIGNS.iter().chain(WORDS).map(|(sign, base, factor)| (*sign, plain(base, *factor)));
    let found = signs.chain(units::stated_signs().iter().map(|(word, unit)| (*word, measure(unit))));
    let (sign, unit) = found.filter(|(sign, _)| scan.starts(from, sign)).max_by_key(|(sign, _)| sign.len())?;
    Some((unit, from + sign.chars().count()))
}

/// A unit of the table; temperatures are compared in degrees Celsius.
fn measure(unit: &units::Unit) -> Unit {
    let base = if unit.dimension == "temperature" { "celsius" } else { unit.base };
    Unit { base, factor: unit.factor, offset: unit.offset }
}

fn plain(base: &'static str, factor: f64) -> Unit {
    Unit { base, factor, offset: 0.0 }
}

/// The currency of a sign or code before a number.
pub fn currency(sign: &str) -> Option<&'static str> {
    let base = match sign {
        "$" | "us$" | "usd" => "usd",
        "¥" => "¥",
        "cny" | "rmb" | "cn¥" => "cny",
        "€" | "eur" => "eur",
        "£" | "gbp" => "gbp",
        "jpy" => "jpy",
        "hkd" | "hk$" => "hkd",
        "inr" | "₹" => "inr",
        "krw" | "₩" => "krw",
        _ => return None,
    };
    Some(base)
}

const SIGNS: &[(&str, &str, f64)] = &[
    ("%", "ratio", 0.01),
    ("‰", "ratio", 0.001),
    ("℃", "celsius", 1.0),
    ("°C", "celsius", 1.0),
    ("° C", "celsius", 1.0),
    ("°", "degree", 1.0),
    ("€", "eur", 1.0),
    ("£", "gbp", 1.0),
];

/// Money by the words behind a number, and what is counted in no unit of measure.
const WORDS: &[(&str, &str, f64)] = &[
    ("个百分点", "ratio", 0.01),
    ("公里/小时", "m/s", 1.0 / 3.6),
    ("米/秒", "m/s", 1.0),
    ("米每秒", "m/s", 1.0),
    ("元", "cny", 1.0),
    ("块钱", "cny", 1.0),
    ("人民币", "cny", 1.0),
    ("美元", "usd", 1.0),
    ("美金", "usd", 1.0),
    ("欧元", "eur", 1.0),
    ("英镑", "gbp", 1.0),
    ("日元", "jpy", 1.0),
    ("港元", "hkd", 1.0),
    ("港币", "hkd", 1.0),
    ("倍", "times", 1.0),
    ("times", "times", 1.0),
    ("dollars", "usd", 1.0),
    ("dollar", "usd", 1.0),
    ("cents", "usd", 0.01),
    ("euros", "eur", 1.0),
    ("euro", "eur", 1.0),
    ("pounds", "pound", 1.0),
    ("yuan", "cny", 1.0),
    ("yen", "jpy", 1.0),
];
/// Units that are words as well: they count only where they touch the digits.
const TOUCHING: &[&str] = &["in", "a", "bar", "bars", "us", "v", "pc", "ha", "j", "n", "au", "k"];
