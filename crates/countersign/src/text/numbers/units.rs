//! The units that we know, each with its base unit and factor.

use super::scan::Scan;

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
        return SIGNS
            .iter()
            .chain(HAN)
            .filter(|(sign, ..)| scan.starts(from, sign))
            .max_by_key(|(sign, ..)| sign.len())
            .map(|(sign, base, factor)| (unit(base, *factor), from + sign.chars().count()));
    }
    let (first, behind) = LATIN.iter().find(|(name, ..)| *name == word).map(|found| (found, end))?;
    let per_hour = ["/h", " per hour", " an hour"].iter().find(|tail| scan.starts(behind, tail));
    match per_hour {
        Some(tail) if first.1 == "m" => Some((unit("m/s", first.2 / 3600.0), behind + tail.chars().count())),
        _ => Some((unit(first.1, first.2), behind)),
    }
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

fn unit(base: &'static str, factor: f64) -> Unit {
    match base {
        "fahrenheit" => Unit { base: "celsius", factor: 5.0 / 9.0, offset: -160.0 / 9.0 },
        "kelvin" => Unit { base: "celsius", factor: 1.0, offset: -273.15 },
        _ => Unit { base, factor, offset: 0.0 },
    }
}

const SIGNS: &[(&str, &str, f64)] = &[
    ("%", "ratio", 0.01),
    ("‰", "ratio", 0.001),
    ("℃", "celsius", 1.0),
    ("℉", "fahrenheit", 1.0),
    ("°C", "celsius", 1.0),
    ("° C", "celsius", 1.0),
    ("°F", "fahrenheit", 1.0),
    ("° F", "fahrenheit", 1.0),
    ("°", "degree", 1.0),
    ("€", "eur", 1.0),
    ("£", "gbp", 1.0),
];

const HAN: &[(&str, &str, f64)] = &[
    ("个百分点", "ratio", 0.01),
    ("摄氏度", "celsius", 1.0),
    ("华氏度", "fahrenheit", 1.0),
    ("度", "degree", 1.0),
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
    ("公里/小时", "m/s", 1.0 / 3.6),
    ("公里每小时", "m/s", 1.0 / 3.6),
    ("米/秒", "m/s", 1.0),
    ("米每秒", "m/s", 1.0),
    ("公里", "m", 1000.0),
    ("千米", "m", 1000.0),
    ("平方公里", "m2", 1e6),
    ("平方千米", "m2", 1e6),
    ("平方米", "m2", 1.0),
    ("立方米", "m3", 1.0),
    ("厘米", "m", 0.01),
    ("毫米", "m", 0.001),
    ("英里", "m", 1609.344),
    ("海里", "m", 1852.0),
    ("米", "m", 1.0),
    ("公斤", "kg", 1.0),
    ("千克", "kg", 1.0),
    ("斤", "kg", 0.5),
    ("毫克", "kg", 1e-6),
    ("克", "kg", 1e-3),
    ("吨", "kg", 1000.0),
    ("毫升", "l", 1e-3),
    ("升", "l", 1.0),
    ("毫秒", "s", 1e-3),
    ("秒", "s", 1.0),
    ("分钟", "s", 60.0),
    ("个小时", "s", 3600.0),
    ("小时", "s", 3600.0),
    ("天", "s", 86_400.0),
    ("个星期", "s", 604_800.0),
    ("星期", "s", 604_800.0),
    ("周", "s", 604_800.0),
    ("个月", "month", 1.0),
    ("年", "month", 12.0),
    ("岁", "year-old", 1.0),
    ("瓦", "w", 1.0),
    ("千瓦", "w", 1000.0),
    ("倍", "times", 1.0),
];

const LATIN: &[(&str, &str, f64)] = &[
    ("percent", "ratio", 0.01),
    ("percentage", "ratio", 0.01),
    ("pct", "ratio", 0.01),
    ("celsius", "celsius", 1.0),
    ("c", "celsius", 1.0),
    ("fahrenheit", "fahrenheit", 1.0),
    ("f", "fahrenheit", 1.0),
    ("kelvin", "kelvin", 1.0),
    ("degrees", "degree", 1.0),
    ("degree", "degree", 1.0),
    ("usd", "usd", 1.0),
    ("dollars", "usd", 1.0),
    ("dollar", "usd", 1.0),
    ("cents", "usd", 0.01),
    ("eur", "eur", 1.0),
    ("euros", "eur", 1.0),
    ("euro", "eur", 1.0),
    ("gbp", "gbp", 1.0),
    ("pounds", "pound", 1.0),
    ("yuan", "cny", 1.0),
    ("rmb", "cny", 1.0),
    ("cny", "cny", 1.0),
    ("yen", "jpy", 1.0),
    ("jpy", "jpy", 1.0),
    ("km", "m", 1000.0),
    ("kilometers", "m", 1000.0),
    ("kilometres", "m", 1000.0),
    ("kilometer", "m", 1000.0),
    ("kilometre", "m", 1000.0),
    ("m", "m", 1.0),
    ("meters", "m", 1.0),
    ("metres", "m", 1.0),
    ("meter", "m", 1.0),
    ("metre", "m", 1.0),
    ("cm", "m", 0.01),
    ("centimeters", "m", 0.01),
    ("centimetres", "m", 0.01),
    ("mm", "m", 0.001),
    ("millimeters", "m", 0.001),
    ("miles", "m", 1609.344),
    ("mile", "m", 1609.344),
    ("mi", "m", 1609.344),
    ("feet", "m", 0.3048),
    ("foot", "m", 0.3048),
    ("ft", "m", 0.3048),
    ("inches", "m", 0.0254),
    ("inch", "m", 0.0254),
    ("yards", "m", 0.9144),
    ("mph", "m/s", 0.44704),
    ("kmh", "m/s", 1.0 / 3.6),
    ("kph", "m/s", 1.0 / 3.6),
    ("knots", "m/s", 0.514_444),
    ("kg", "kg", 1.0),
    ("kilograms", "kg", 1.0),
    ("kilogram", "kg", 1.0),
    ("kilos", "kg", 1.0),
    ("g", "kg", 1e-3),
    ("grams", "kg", 1e-3),
    ("mg", "kg", 1e-6),
    ("milligrams", "kg", 1e-6),
    ("lb", "kg", 0.453_592),
    ("lbs", "kg", 0.453_592),
    ("tonnes", "kg", 1000.0),
    ("tons", "kg", 1000.0),
    ("ton", "kg", 1000.0),
    ("ml", "l", 1e-3),
    ("liters", "l", 1.0),
    ("litres", "l", 1.0),
    ("liter", "l", 1.0),
    ("litre", "l", 1.0),
    ("ms", "s", 1e-3),
    ("milliseconds", "s", 1e-3),
    ("seconds", "s", 1.0),
    ("second", "s", 1.0),
    ("sec", "s", 1.0),
    ("s", "s", 1.0),
    ("minutes", "s", 60.0),
    ("minute", "s", 60.0),
    ("mins", "s", 60.0),
    ("min", "s", 60.0),
    ("hours", "s", 3600.0),
    ("hour", "s", 3600.0),
    ("hrs", "s", 3600.0),
    ("h", "s", 3600.0),
    ("days", "s", 86_400.0),
    ("day", "s", 86_400.0),
    ("weeks", "s", 604_800.0),
    ("week", "s", 604_800.0),
    ("months", "month", 1.0),
    ("month", "month", 1.0),
    ("years", "month", 12.0),
    ("year", "month", 12.0),
    ("decades", "month", 120.0),
    ("kb", "byte", 1e3),
    ("mb", "byte", 1e6),
    ("gb", "byte", 1e9),
    ("tb", "byte", 1e12),
    ("bytes", "byte", 1.0),
    ("watts", "w", 1.0),
    ("w", "w", 1.0),
    ("kw", "w", 1e3),
    ("mw", "w", 1e6),
    ("kwh", "wh", 1e3),
    ("hectares", "m2", 1e4),
    ("acres", "m2", 4046.86),
    ("times", "times", 1.0),
];
