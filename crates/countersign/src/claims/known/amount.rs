//! A number in its base unit, with how exactly it is meant: when one follows from another, and when two exclude each
//! other.
//!
//! The two are not opposites. Between "follows" and "excludes" lies everything that nobody can tell, and there nothing
//! is claimed.

use crate::contract::{Bound, ClaimValue};
use crate::text::numbers::quantities::{Hedge, Quantity};
use crate::text::stems::key;

/// A number as it is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    /// The number; the lower end of a range.
    pub low: f64,
    /// The same, or the upper end of a range.
    pub high: f64,
    /// What is measured.
    pub measure: Measure,
    /// Whether it is said to be about, over or under.
    pub bound: Option<Bound>,
    /// Half of the last place that was written; absent for fractions in words.
    pub precision: Option<f64>,
}

/// What a number measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Nothing named: a count, or a unit that stands elsewhere.
    Count,
    /// A share of one.
    Ratio,
    /// A unit or a currency, in lower case.
    Unit(String),
}

impl Amount {
    /// The number of a claim's value, where it has one.
    pub fn of_value(value: &ClaimValue) -> Option<Self> {
        let number = value.number.filter(|number| number.is_finite())?;
        let upper = value.upper.filter(|upper| upper.is_finite()).unwrap_or(number);
        let precision = value.precision.filter(|precision| precision.is_finite() && *precision >= 0.0);
        let measure = Measure::of(value.unit.as_deref());
        Some(Self { low: number.min(upper), high: number.max(upper), measure, bound: value.bound, precision })
    }

    /// A number of a text.
    pub fn of_quantity(quantity: &Quantity) -> Option<Self> {
        let upper = quantity.upper.unwrap_or(quantity.value);
        if !quantity.value.is_finite() || !upper.is_finite() {
            return None;
        }
        let factor = if quantity.raw == 0.0 { 1.0 } else { (quantity.value / quantity.raw).abs() };
        let factor = if quantity.unit == Some("celsius") { 1.0 } else { factor };
        let bound = match quantity.hedge {
            Hedge::Exact => None,
            Hedge::About => Some(Bound::About),
            Hedge::Over => Some(Bound::Over),
            Hedge::Under => Some(Bound::Under),
        };
        let (low, high) = (quantity.value.min(upper), quantity.value.max(upper));
        let precision = Some(quantity.precision * factor).filter(|_| !quantity.spelled);
        Some(Self { low, high, measure: Measure::of(quantity.unit), bound, precision })
    }

    /// Whether it is one number and no range.
    pub fn is_single(&self) -> bool {
        self.low == self.high
    }

    /// Whether another amount bears this one out: the same, or this one is a rounding of it, or a range around it.
    pub fn follows_from(&self, earlier: &Amount) -> bool {
        if !self.measure.meets(&earlier.measure) {
            return false;
        }
        let slack = self.slack(earlier);
        let near = |a: f64, b: f64| (a - b).abs() <= slack;
        if near(self.low, earlier.low) && near(self.high, earlier.high) {
            return true;
        }
        let (low, high) = match self.bound {
            Some(Bound::Over) if self.low >= 0.0 => (self.low, self.high * REACH),
            Some(Bound::Under) if self.low >= 0.0 => (self.low / REACH, self.high),
            _ => (self.low, self.high),
        };
        let ranged = !self.is_single() || low != high;
        ranged && earlier.low >= low - slack && earlier.high <= high + slack
    }

    /// Whether the two cannot both be true of one thing: the same measure, and apart by clearly more than both leave open.
    pub fn excludes(&self, other: &Amount) -> bool {
        if self.measure != other.measure || self.follows_from(other) || other.follows_from(self) {
            return false;
        }
        let ends = |amount: &Amount| {
            let open = amount.slack(amount).max(amount.precision.unwrap_or(0.0));
            match amount.bound {
                Some(Bound::Over) => (amount.low - open, f64::INFINITY),
                Some(Bound::Under) => (f64::NEG_INFINITY, amount.high + open),
                _ => (amount.low - open, amount.high + open),
            }
        };
        let ((low, high), (their_low, their_high)) = (ends(self), ends(other));
        let margin = 0.005 * self.high.abs().max(other.high.abs());
        low > their_high + margin || their_low > high + margin
    }

    /// How many digits were written, trailing zeros excluded; a range counts both ends.
    pub fn digits(&self) -> u8 {
        let of = |number: f64| match self.precision.filter(|precision| *precision > 0.0) {
            Some(precision) => digits_of((number / (2.0 * precision)).abs().round()),
            None if number.fract() == 0.0 => digits_of(number.abs()),
            None => 1,
        };
        if self.is_single() { of(self.low) } else { of(self.low) + of(self.high) }
    }

    /// The key under which it is kept: its order of magnitude, finely cut.
    pub fn shelf(&self) -> u64 {
        shelf(step(f64::midpoint(self.low, self.high)), sign(self.low))
    }

    /// The keys of what it may repeat.
    pub fn shelves_around(&self) -> Vec<u64> {
        let from = step(self.low).min(step(self.high)) - STEPS;
        let to = (step(self.high).max(step(self.low)) + STEPS).min(from + MOST_SHELVES);
        (from..=to).map(|step| shelf(step, sign(self.low))).collect()
    }

    /// How far the other may be away: half of the last place written, and for "about" a twentieth.
    fn slack(&self, earlier: &Amount) -> f64 {
        let size = self.high.abs().max(self.low.abs());
        let written = self.precision.or(earlier.precision).unwrap_or(0.0).min(size * WIDEST);
        let about = if self.bound == Some(Bound::About) { size * ABOUT } else { 0.0 };
        written.max(about) * 1.000_001 + size * 1e-9
    }
}

impl Measure {
    /// The measure of a unit's name.
    pub fn of(unit: Option<&str>) -> Self {
        match unit {
            None | Some("") => Self::Count,
            Some("ratio") => Self::Ratio,
            Some("degree") => Self::Unit("celsius".into()),
            Some("¥") => Self::Unit("cny".into()),
            Some(other) => Self::Unit(other.to_lowercase()),
        }
    }

    /// Whether two numbers may be compared: the same measure, or one whose unit stands elsewhere.
    pub fn meets(&self, other: &Self) -> bool {
        self == other || *self == Self::Count || *other == Self::Count
    }
}

fn digits_of(number: f64) -> u8 {
    if !(1.0..1e15).contains(&number) {
        return 1;
    }
    let mut whole = number as u64;
    while whole.is_multiple_of(10) && whole > 0 {
        whole /= 10;
    }
    whole.checked_ilog10().map_or(1, |log| u8::try_from(log + 1).unwrap_or(6)).min(6)
}

/// The place of a size on a scale where each step is 15% more.
fn step(number: f64) -> i64 {
    if number == 0.0 {
        return ZERO;
    }
    (number.abs().ln() / STEP.ln()).floor() as i64
}

fn sign(number: f64) -> i8 {
    if number < 0.0 { -1 } else { 1 }
}

fn shelf(step: i64, sign: i8) -> u64 {
    key(&format!("{sign}:{step}"))
}

const STEP: f64 = 1.15;
/// So many steps the farthest value lies that may be meant: "over 300" for 390.
const STEPS: i64 = 2;
/// A range wider than this is searched at its lower end only.
const MOST_SHELVES: i64 = 24;
const ZERO: i64 = i64::MIN / 2;
/// "Over 300" may be said of up to 390.
const REACH: f64 = 1.3;
/// "About" is within a twentieth.
const ABOUT: f64 = 0.05;
/// However few places were written, no more than this share is open: "2" is not said of 2.4.
const WIDEST: f64 = 0.15;

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(low: f64, precision: f64) -> Amount {
        Amount { low, high: low, measure: Measure::Ratio, bound: None, precision: Some(precision) }
    }

    // CLAIM-2
    #[test]
    fn following_and_excluding_leave_room_between_them() {
        let (exact, rounded, other) = (amount(0.125, 0.0005), amount(0.12, 0.005), amount(0.13, 0.005));
        assert!(rounded.follows_from(&exact) && other.follows_from(&exact));
        assert!(!exact.follows_from(&rounded));
        assert!(!exact.excludes(&rounded) && !rounded.excludes(&exact));
        assert!(amount(0.25, 0.005).excludes(&amount(0.3, 0.005)));
        let over = Amount { bound: Some(Bound::Over), ..amount(0.1, 0.005) };
        assert!(over.follows_from(&exact) && !over.excludes(&amount(0.5, 0.005)));
        let range = Amount { low: 0.1, high: 0.15, ..exact.clone() };
        assert!(range.follows_from(&exact) && !exact.follows_from(&range) && !exact.excludes(&range));
        assert!(!amount(2.0, 0.5).follows_from(&amount(2.4, 0.05)));
    }

    #[test]
    fn digits_tell_rare_from_round() {
        assert_eq!([amount(0.1, 0.005), amount(0.125, 0.0005), amount(3.4e8, 5e5)].map(|a| a.digits()), [1, 3, 2]);
        assert_eq!(Amount { precision: None, ..amount(1.0 / 3.0, 0.0) }.digits(), 1);
    }

    #[test]
    fn hostile_numbers_do_no_harm() {
        for number in [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, -1e300] {
            let amount = amount(number, 0.5);
            let _ = (amount.digits(), amount.shelves_around().len() <= 40, amount.follows_from(&amount));
            assert!(amount.shelves_around().contains(&amount.shelf()));
        }
        assert!(Amount::of_value(&ClaimValue { number: Some(f64::NAN), ..ClaimValue::default() }).is_none());
    }
}
