//! What a reader hands back: a run of tokens, its kind, what it says.

use super::lexicon::{ABOUT, OVER, UNDER};
use super::names::{Names, name, names};
use super::numbers::Number;
use super::sentence::Sentence;
use crate::contract::{Bound, ClaimKind, ClaimValue};

/// A claim as a run of tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The first token.
    pub first: usize,
    /// The token after the last.
    pub end: usize,
    /// Its kind.
    pub kind: ClaimKind,
    /// What it says.
    pub value: Option<ClaimValue>,
}

impl Found {
    /// A claim without a value that could be normalised.
    pub(crate) fn plain(first: usize, end: usize, kind: ClaimKind) -> Self {
        Self { first, end, kind, value: None }
    }
}

/// What a number with a unit says: `factor` is what one of the unit is in its base.
pub(crate) fn measured(s: &Sentence, number: &Number, end: usize, unit: Option<&str>, factor: f64) -> ClaimValue {
    let base = |value: f64| {
        let value = match unit {
            Some("fahrenheit") => (value - 32.0) * 5.0 / 9.0,
            Some("kelvin") => value - 273.15,
            _ => value * factor,
        };
        // 12.5 × 0.01 should read 0.125.
        let exact = (value * 1e12).round() / 1e12;
        if exact.is_finite() && value.abs() < 1e3 && value.abs() > 1e-6 { exact } else { value }
    };
    let unit = unit.map(|unit| match unit {
        "fahrenheit" | "kelvin" => "celsius".to_owned(),
        unit => unit.to_owned(),
    });
    ClaimValue {
        number: Some(base(number.value)).filter(|value| value.is_finite()),
        upper: number.upper.map(base).filter(|value| value.is_finite()),
        unit,
        of: None,
        date: None,
        bound: read_bound(s, number, end),
        precision: Some(number.precision * factor.abs()).filter(|value| value.is_finite()),
    }
}

/// How exactly a number is meant, by the words around it.
fn read_bound(s: &Sentence, number: &Number, end: usize) -> Option<Bound> {
    let before = number.first.wrapping_sub(1);
    let pair = |first: &Names, second: u16| s.word(before, second) && s.one_of(before.wrapping_sub(1), first);
    if s.has(before, OVER)
        || pair(names!["more", "greater", "higher"], name!("than"))
        || pair(names!["at"], name!("least"))
        || s.is(end, '+')
    {
        return Some(Bound::Over);
    }
    if s.has(before, UNDER)
        || pair(names!["less", "fewer", "lower"], name!("than"))
        || pair(names!["at"], name!("most"))
        || pair(names!["up"], name!("to"))
    {
        return Some(Bound::Under);
    }
    match s.words(end) {
        "以上" => return Some(Bound::Over),
        "以下" | "以内" => return Some(Bound::Under),
        _ => {}
    }
    let about = number.rough
        || s.has(before, ABOUT)
        || s.is(before, '~')
        || s.is(before, '≈')
        || matches!(s.words(end), "左右" | "上下" | "前后");
    about.then_some(Bound::About)
}
