//! Rates in other units: "10 gallons an acre" for litres per hectare, "4.50 a pound" for a price per kilogram, 每亩40斤.
//! Both sides of a rate are converted, what is measured and what it is measured by.

use super::argument::Argument;
use super::asked::Asked;
use super::trace::{is_as_good, is_near};
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::units::{self, Short, Unit};

/// Whether a number is a rate that was said, in the parameter's own units.
pub(crate) fn is_explained(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let Some(rated) = Rated::of(argument) else { return false };
    let converted = asked.readings().flat_map(|reading| said_in(reading, rated)).map(|said| said.wanted());
    let mut converted = converted.filter(|wanted| *wanted != 0.0);
    converted.any(|wanted| is_near(wanted, number) || is_as_good(wanted, number, Some(rated.per)))
}

/// So much of something for each of a unit: litres per hectare, a price per kilogram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rated {
    /// What is measured; nothing for money and for what is counted.
    unit: Option<&'static Unit>,
    /// What it is measured by.
    pub per: &'static Unit,
}

impl Rated {
    /// What an argument is, by its name or its description.
    pub(crate) fn of(argument: &Argument<'_>) -> Option<Self> {
        let words: Vec<&str> = argument.words.iter().map(String::as_str).collect();
        let description = argument.node.param.map(|param| param.description.to_ascii_lowercase()).unwrap_or_default();
        let apart = |c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '(' | ')');
        let told: Vec<&str> = description.split(apart).filter(|word| !word.is_empty()).collect();
        Self::in_words(&words)
            .or_else(|| Self::in_words(&told))
            .or_else(|| told.iter().find_map(|word| Self::in_sign(word)))
    }

    /// `litres_per_ha`, "litres per hectare".
    fn in_words(words: &[&str]) -> Option<Self> {
        let at = words.iter().position(|word| *word == "per")?;
        let (before, behind) = (words.get(..at)?, words.get(at + 1..)?);
        // `kg_per_m2` may be cut before its digit.
        let joined = behind.get(..2).and_then(|two| units::unit(&two.concat(), Short::Counts));
        let per = joined.or_else(|| units::unit(behind.first()?, Short::Counts))?;
        Self { unit: before.last().and_then(|word| units::unit(word, Short::Counts)), per }.steady()
    }

    /// "l/ha", 元/公斤.
    fn in_sign(word: &str) -> Option<Self> {
        let (unit, per) = word.split_once('/')?;
        let read = |word: &str| units::unit(word, Short::Counts).or_else(|| units::unit_at(word).map(|found| found.0));
        Self { unit: read(unit), per: read(per)? }.steady()
    }

    /// The same where it is counted through: what is done so many hours a day is not done on each day of a week.
    fn steady(self) -> Option<Self> {
        let lasts = |unit: &Unit| unit.dimension == "time" && unit.to_base(1.0) < A_DAY;
        let shares = |unit: &Unit| matches!(unit.dimension, "ratio" | "temperature" | "degree" | "data" | "month");
        let counted = self.per.dimension == "time" && !lasts(self.per);
        (!counted && !shares(self.per) && !self.unit.is_some_and(shares)).then_some(self)
    }
}

/// A rate that was said, and the sides of it in the units that are asked for.
pub(crate) struct Told<'r> {
    /// Its number, as it was said.
    pub text: &'r str,
    /// The same as a number.
    pub value: f64,
    /// What one of the said unit is in the one that is asked for.
    pub unit: f64,
    /// The same for what it is measured by.
    pub per: f64,
}

impl Told<'_> {
    /// The rate in the units that are asked for.
    pub(crate) fn wanted(&self) -> f64 {
        self.value * self.unit / self.per
    }
}

/// The rates of a text that are of the same kind.
pub(crate) fn said_in<'r>(reading: &'r Reading, rated: Rated) -> impl Iterator<Item = Told<'r>> {
    reading.numbers().filter_map(move |(mention, own)| told(reading, mention, own, rated))
}

fn told<'r>(reading: &'r Reading, mention: &Mention, own: &Quantity, rated: Rated) -> Option<Told<'r>> {
    let exact = own.bound == Bound::Exact && own.upper.is_none() && !mention.excluded;
    // "Ten seeds a metre": what is counted stands before its measure.
    let counted = Mention { range: mention.range.start..own.noun.start.max(mention.range.end), ..mention.clone() };
    let beside = unit_of_rate(reading, mention).or_else(|| unit_of_rate(reading, &counted));
    let beside = beside.or_else(|| unit_led_by(reading, mention));
    let per = beside.filter(|said| exact && said.dimension == rated.per.dimension)?;
    let unit = match (own.unit, rated.unit) {
        (Some(said), Some(unit)) if said.dimension == unit.dimension => said.to_base(1.0) / unit.to_base(1.0),
        (None, None) => 1.0,
        _ => return None,
    };
    let text = reading.text(mention);
    Some(Told { text, value: own.value, unit, per: per.to_base(1.0) / rated.per.to_base(1.0) })
}

/// What stands close before a number.
fn led<'r>(reading: &'r Reading, mention: &Mention) -> Option<&'r str> {
    let from = reading.lower.ceil_char_boundary(mention.range.start.saturating_sub(MAX_LED));
    reading.lower.get(from..mention.range.start)
}

/// The unit that stands before its number with a word or two between: 每亩施40斤, 一亩地用30公斤.
fn unit_led_by(reading: &Reading, mention: &Mention) -> Option<&'static Unit> {
    let before = led(reading, mention)?.trim_end();
    let (_, rest) =
        ["每", "一"].iter().filter_map(|word| before.rsplit_once(word)).min_by_key(|(_, rest)| rest.len())?;
    let (unit, width) = units::unit_at(rest)?;
    let gap = rest.get(width..)?;
    (gap.chars().count() <= MAX_GAP && gap.chars().all(char::is_alphabetic)).then_some(unit)
}

/// The unit that a price is for: "90 an hour", "12 per kilo", 每小时90, 90元一天.
pub(crate) fn unit_of_rate(reading: &Reading, mention: &Mention) -> Option<&'static Unit> {
    let behind = reading.lower.get(mention.range.end..)?.trim_start();
    let before = led(reading, mention)?.trim_end();
    let led = ["an ", "a ", "per ", "each ", "every ", "/"].iter().find_map(|word| behind.strip_prefix(word));
    if let Some(rest) = led.map(str::trim_start).filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        return units::unit(word, Short::Counts);
    }
    let signs = ["/", "一", "每"].iter().find_map(|word| behind.strip_prefix(word));
    signs.and_then(units::unit_at).map(|(unit, _)| unit).or_else(|| {
        let (_, rest) =
            ["每", "一"].iter().filter_map(|word| before.rsplit_once(word)).min_by_key(|(_, rest)| rest.len())?;
        units::unit_at(rest).filter(|(_, width)| *width == rest.len()).map(|(unit, _)| unit)
    })
}

/// The seconds of a day.
const A_DAY: f64 = 86_400.0;
/// Signs between a unit and its number.
const MAX_GAP: usize = 3;
/// A unit is said so close before its number, in bytes.
const MAX_LED: usize = 48;
