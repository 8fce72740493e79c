//! Where a number may come from: a mention of its own kind, a result, an earlier call, the schema, or arithmetic on them.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::records::{Record, is_label, is_money};
use super::slip::show;
use crate::check_call::role::Role;
use crate::contract::Arguments;
use crate::text::cues::Cue;
use crate::text::fold::fold;
use crate::text::lists::word_list;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::date::DateWords;
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::units::{self, Short, Unit};
use serde_json::Value;

/// What a number measures, by its parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    /// Money, in whole units or in hundredths.
    Money(f64),
    /// Something with a unit.
    Unit(&'static Unit),
    /// A number of things.
    Count,
    /// Nothing that is told.
    Bare,
}

/// Whether the description of an amount says that it is in cents: "in cents", 单位：分.
fn is_in_hundredths(argument: &Argument<'_>) -> bool {
    let Some(param) = argument.node.param.filter(|param| !param.description.is_empty()) else { return false };
    let folded = fold(&param.description);
    let mut words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "cents" | "pence"))
        || ["minor unit", "smallest currency unit", "以分为单位", "单位为分", "单位:分", "单位分", "(分)"]
            .iter()
            .any(|phrase| folded.contains(phrase))
}

impl Measure {
    /// What an argument's number measures.
    pub(crate) fn of(argument: &Argument<'_>, sibling: Option<&'static Unit>) -> Self {
        if let Some(unit) = sibling {
            return Self::Unit(unit);
        }
        if argument.is_named(&["cents", "cent", "pence", "minor", "fen"]) || is_in_hundredths(argument) {
            return Self::Money(100.0);
        }
        let timed = argument.words.last().is_some_and(|last| matches!(last.as_str(), "days" | "weeks" | "months"));
        if !timed && (argument.node.roles.has(Role::Amount) || is_money(argument.node.key)) {
            return Self::Money(1.0);
        }
        if let Some(unit) = argument.unit() {
            return Self::Unit(unit);
        }
        // `packs` counts packs, whatever they are.
        let whole = argument.node.param.is_some_and(|param| param.takes("integer") && !param.takes("number"));
        let plural = argument.words.len() == 1
            && argument
                .words
                .iter()
                .any(|word| word.len() > 4 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us"));
        if argument.is_named(COUNTED) || whole && plural { Self::Count } else { Self::Bare }
    }

    /// Whether a mention is of this kind; gives the value that the argument should have for it.
    pub(crate) fn value_of(&self, quantity: &Quantity, value: f64) -> Option<f64> {
        match (self, quantity.unit, quantity.currency) {
            (Self::Money(scale), None, _) => Some(value * scale),
            (Self::Money(_), Some(_), _) => None,
            (Self::Unit(unit), Some(own), _) if own.dimension == "degree" => {
                (unit.dimension == "temperature").then_some(value)
            }
            (Self::Unit(unit), Some(own), _) => own.convert(value, unit),
            // "187 pounds" is money until somebody weighs with it.
            (Self::Unit(unit), None, Some("gbp")) if unit.dimension == "mass" => pounds()?.convert(value, unit),
            (Self::Unit(unit), None, None) => (unit.dimension != "ratio" || value > 0.0).then_some(value),
            (Self::Unit(_), None, Some(_)) => None,
            (Self::Count, None, None) => Some(value),
            (Self::Count, Some(unit), _) => matches!(unit.dimension, "time" | "month").then_some(value),
            (Self::Count, None, Some(_)) => None,
            (Self::Bare, _, _) => Some(value),
        }
    }

    /// Whether a mention is plainly of this kind, so that the argument should have carried it.
    pub(crate) fn is_like(&self, quantity: &Quantity) -> bool {
        match (self, quantity.unit, quantity.currency) {
            (Self::Money(_), None, Some(_)) => true,
            (Self::Money(_), None, None) => !quantity.counts,
            (Self::Unit(unit), Some(own), None) => {
                own.dimension == unit.dimension || (own.dimension == "degree" && unit.dimension == "temperature")
            }
            (Self::Unit(unit), None, Some("gbp")) => unit.dimension == "mass",
            (Self::Count, None, None) | (Self::Bare, _, _) => true,
            _ => false,
        }
    }
}

fn pounds() -> Option<&'static Unit> {
    units::unit("lb", Short::Counts)
}

/// Whether two numbers are the same, as far as the second was written.
pub(crate) fn is_near(wanted: f64, written: f64) -> bool {
    // Most numbers are told apart by their size alone.
    if (wanted - written).abs() > 0.51 {
        return false;
    }
    let mut place = 1.0;
    while place > 1e-9 && ((written / place).round() * place - written).abs() > 1e-9 {
        place /= 10.0;
    }
    let half = 0.51 * place;
    (wanted - written).abs() <= (wanted.abs() * 1e-9).max(half.min((wanted.abs() * 0.02).max(1e-9)))
}

/// Whether a number is another one, converted and rounded to two places or more: two miles are 3,200 metres.
fn is_rounded(wanted: f64, written: f64) -> bool {
    let size = 10f64.powi(wanted.abs().log10().floor() as i32 - 1);
    let whole = ((written / size).round() * size - written).abs() <= 1e-9 * written.abs();
    wanted != 0.0 && size.is_finite() && (wanted - written).abs() <= 0.5 * size && whole
}

/// Whether a measure is as good as another one: a spoon is 15 ml to some and 14.8 to others, a yard is nearly a metre to nobody.
/// Times and temperatures are counted, and not measured.
pub(crate) fn is_as_good(wanted: f64, written: f64, unit: Option<&Unit>) -> bool {
    let measured =
        unit.is_some_and(|unit| !matches!(unit.dimension, "time" | "month" | "temperature" | "ratio" | "data"));
    measured && (wanted - written).abs() <= wanted.abs() * 0.015
}

/// Whether an argument's number can be explained.
pub(crate) fn is_traced(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
    records: &[Record<'_>],
) -> bool {
    is_said(asked, number, measure)
        || is_grouped(asked, number)
        || is_in_range(asked, argument, number)
        || is_equal_part(asked, number, measure)
        || is_increment(asked, number, records)
        || is_in_packs(asked, argument, number)
        || is_in_thousands(asked, number, measure, records)
        || is_declared(argument, number)
        || is_in_results(asked, number, measure, records)
        || is_in_calls(asked, argument, number)
        || is_computed(asked, number, measure, records) && find_of_other_kind(asked, number, measure).is_none()
}

/// A mention that has just these digits and is of another kind: 15 percent for an amount of 15.
pub(crate) fn find_of_other_kind<'a>(
    asked: &Asked<'a>,
    number: f64,
    measure: Measure,
) -> Option<(&'a Reading, &'a Mention)> {
    let other = |quantity: &Quantity| match (measure, quantity.unit, quantity.currency) {
        (Measure::Money(_), Some(_), _) | (Measure::Count, None, Some(_)) => true,
        (Measure::Unit(unit), Some(own), _) => own.dimension != unit.dimension || !std::ptr::eq(own, unit),
        (Measure::Unit(_), None, Some(_)) => true,
        _ => false,
    };
    asked.in_force().find_map(|reading| {
        let found =
            reading.numbers().find(|(_, quantity)| quantity.value == number && number >= 2.0 && other(quantity));
        found.map(|(mention, _)| (reading, mention))
    })
}

fn is_declared(argument: &Argument<'_>, number: f64) -> bool {
    let Some(param) = argument.node.param else { return false };
    let own = |value: &Value| value.as_f64() == Some(number);
    param.default.as_ref().is_some_and(own)
        || param.allowed.iter().any(own)
        || param.examples.iter().any(own)
        || (param.description.bytes().any(|byte| byte.is_ascii_digit())
            && Reading::of(&param.description).numbers().any(|(_, quantity)| quantity.value == number))
}

/// Whether somebody said a number.
pub(crate) fn is_said(asked: &Asked<'_>, number: f64, measure: Measure) -> bool {
    asked.numbers().any(|(_, quantity)| {
        let fits = |value: f64| {
            measure.value_of(quantity, value).is_some_and(|wanted| {
                let converted = wanted != value && quantity.unit.is_some();
                is_near(wanted, number)
                    || converted && (is_rounded(wanted, number) || is_as_good(wanted, number, quantity.unit))
            })
        };
        let below =
            quantity.bound != Bound::Exact && quantity.value.fract() == 0.0 && (quantity.value - number).abs() == 1.0;
        let share =
            quantity.unit.is_some_and(|unit| unit.dimension == "ratio") && is_near(quantity.value / 100.0, number);
        fits(quantity.value)
            || quantity.upper.is_some_and(fits)
            || below
            || share
            || is_decimal(quantity, number, measure)
    }) || is_played(asked, number, measure)
}

/// "Units 1 through 6" are six items of a list, and "the first two" are 1 and 2.
fn is_in_range(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let item = argument.node.is_item() && number.fract() == 0.0;
    let plain = |quantity: &Quantity| quantity.unit.is_none() && quantity.currency.is_none();
    let within = |quantity: &Quantity| quantity.upper.is_some_and(|upper| (quantity.value..=upper).contains(&number));
    let begins = |reading: &Reading, mention: &Mention| {
        let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
        before.ends_with("first") || before.ends_with(['前', '头'])
    };
    let counted = |reading: &Reading, mention: &Mention, own: &Quantity| {
        (1.0..=own.value).contains(&number) && begins(reading, mention)
    };
    let means = |reading: &Reading, (mention, own): (&Mention, &Quantity)| {
        plain(own) && (within(own) || counted(reading, mention, own))
    };
    item && asked.user().any(|reading| reading.numbers().any(|found| means(reading, found)))
}

/// An amount that was said, divided by the number of those in a list of the call; "and me" is one more.
fn is_equal_part(asked: &Asked<'_>, number: f64, measure: Measure) -> bool {
    let items = asked.arguments.iter().filter(|other| other.node.is_item()).count();
    let counts = [items as f64, items as f64 + 1.0];
    let plain = |quantity: &Quantity| quantity.unit.is_none() && quantity.upper.is_none();
    let scale = if let Measure::Money(scale) = measure { scale } else { 1.0 };
    let part = |whole: f64| counts.iter().any(|count| is_near(whole * scale / count, number));
    items >= 2
        && matches!(measure, Measure::Money(_) | Measure::Bare)
        && asked.user().any(|reading| reading.numbers().any(|(_, own)| plain(own) && part(own.value)))
}

/// 500 cards, where the tool says that a box holds a hundred: five boxes.
fn is_in_packs(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let own = argument.node.param.map(|param| param.description.as_str()).unwrap_or_default();
    let texts = [asked.subject.tool.spec.description.as_str(), own];
    let digits = |text: &&str| text.bytes().any(|byte| byte.is_ascii_digit());
    let packs = texts.into_iter().filter(digits).flat_map(numbers_of).filter(|pack| *pack > 1.0);
    let whole = number > 1.0 && number.fract() == 0.0;
    whole
        && packs.into_iter().any(|pack| {
            asked
                .user()
                .any(|reading| reading.numbers().any(|(_, own)| own.upper.is_none() && own.value == number * pack))
        })
}

/// "One more of the same" beside a record that has one: both together.
fn is_increment(asked: &Asked<'_>, number: f64, records: &[Record<'_>]) -> bool {
    let more = ["more", "another", "more-of-it", "less", "fewer"];
    let adds = |reading: &&Reading| more.iter().any(|list| Cue::named(list).stands_in(&reading.lower));
    let said: Vec<f64> =
        asked.in_force().filter(adds).flat_map(|reading| reading.numbers()).map(|(_, own)| own.value).collect();
    let fields = || records.iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    !said.is_empty()
        && fields()
            .filter_map(|(_, value)| value.as_f64())
            .any(|held| said.iter().any(|by| held + by == number || held - by == number))
}

/// `4 183.6` and `5.400`: thousands set apart as other countries do.
fn is_grouped(asked: &Asked<'_>, number: f64) -> bool {
    if !(1000.0..1_000_000.0).contains(&number) {
        return false;
    }
    let whole = number.trunc();
    let tail = show(number).split_once('.').map(|(_, tail)| tail.to_owned()).unwrap_or_default();
    [' ', '\u{a0}', '\u{202f}', '.', '\''].iter().any(|sign| {
        let head = format!("{}{sign}{:03}", (whole / 1000.0).trunc(), whole % 1000.0);
        let points: &[char] = if *sign == '.' { &[','] } else { &['.', ','] };
        let forms: Vec<String> = if tail.is_empty() {
            vec![head]
        } else {
            points.iter().map(|point| format!("{head}{point}{tail}")).collect()
        };
        let texts = asked.readings().map(|reading| reading.lower.as_str());
        let results = asked.results.iter().filter_map(|result| result.as_str());
        texts.chain(results).any(|text| forms.iter().any(|form| stands_in(text, form)))
    })
}

/// "Let's offer 390" for what is asked at 415,000.
fn is_in_thousands(asked: &Asked<'_>, number: f64, measure: Measure, records: &[Record<'_>]) -> bool {
    if !matches!(measure, Measure::Money(_) | Measure::Bare) {
        return false;
    }
    let short =
        |quantity: &Quantity| quantity.value < 1000.0 && quantity.unit.is_none() && quantity.value * 1000.0 == number;
    let near = |other: f64| other != number && (number / 3.0..=number * 3.0).contains(&other);
    let fields = || records.iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    asked.in_force().any(|reading| reading.numbers().any(|(_, quantity)| short(quantity)))
        && (asked.numbers().any(|(_, quantity)| near(quantity.value))
            || fields().any(|(_, value)| value.as_f64().is_some_and(near)))
}

/// A gigabyte is a thousand megabytes to those who sell them.
fn is_decimal(quantity: &Quantity, number: f64, measure: Measure) -> bool {
    let (Measure::Unit(unit), Some(own)) = (measure, quantity.unit) else { return false };
    let steps = (own.to_base(1.0) / unit.to_base(1.0)).log(1024.0).round();
    own.dimension == "data" && unit.dimension == "data" && is_near(quantity.value * 1000f64.powf(steps), number)
}

/// `1:30` of a song is 90 seconds.
fn is_played(asked: &Asked<'_>, number: f64, measure: Measure) -> bool {
    let Measure::Unit(unit) = measure else { return false };
    unit.dimension == "time"
        && asked
            .user()
            .flat_map(|reading| reading.clocks())
            .any(|(_, clock)| is_near(f64::from(clock.minutes), unit.to_base(number)))
}

/// Whether a result has a number.
pub(crate) fn is_in_results(asked: &Asked<'_>, number: f64, measure: Measure, records: &[Record<'_>]) -> bool {
    let money = matches!(measure, Measure::Money(_));
    let scale = if let Measure::Money(scale) = measure { scale } else { 1.0 };
    let same = |value: f64| is_near(value * scale, number);
    let field = |(key, value): &(&str, &Value)| match value {
        Value::Number(own) => own.as_f64().is_some_and(same) && !(money && (is_label(key) || counts_things(key))),
        Value::String(text) => {
            text.len() <= MAX_STRING && (money || !matches!(measure, Measure::Count)) && numbers_of(text).any(same)
        }
        _ => false,
    };
    let prose = |result: &&Value| result.as_str().is_some_and(|text| numbers_of(text).any(same));
    let plain = |result: &&Value| result.as_f64().is_some_and(same);
    records.iter().any(|record| record.fields.iter().any(field))
        || asked.results.iter().any(|result| prose(result) || plain(result))
}

/// Whether a field is called what counts things.
pub(crate) fn counts_things(key: &str) -> bool {
    crate::text::words::identifier_words(key).iter().any(|word| COUNTED.contains(&word.as_str()))
}

fn numbers_of(text: &str) -> impl Iterator<Item = f64> + use<> {
    let digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let reading = if digits { Reading::of(text) } else { Reading::default() };
    let values: Vec<f64> =
        reading.numbers().flat_map(|(_, quantity)| [Some(quantity.value), quantity.upper]).flatten().collect();
    values.into_iter()
}

/// Whether a number is the length of the stretch of time that the user told by its ends.
pub(crate) fn lasts(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let Some(unit) = argument.unit().filter(|unit| unit.dimension == "time") else { return false };
    let clocks: Vec<Clock> = asked.last.clocks().map(|(_, clock)| clock).collect();
    let [begin, end] = clocks.as_slice() else { return false };
    let apart = f64::from((i32::from(end.minutes) - i32::from(begin.minutes)).rem_euclid(MINUTES_OF_A_DAY));
    let minutes = unit.to_base(number) / 60.0;
    let halfway = if begin.sure && end.sure {
        apart
    } else {
        (apart + f64::from(MINUTES_OF_A_DAY) / 2.0) % f64::from(MINUTES_OF_A_DAY)
    };
    [apart, halfway].iter().any(|wanted| *wanted > 0.0 && (wanted - minutes).abs() < 1.0)
}

/// The same parameter of an earlier call had it, or an earlier call under any name.
fn is_in_calls(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    asked.subject.conversation.answered_calls().rev().take(MAX_CALLS).any(|call| match &call.arguments {
        Arguments::Object(object) => {
            object.iter().any(|(key, value)| key == argument.node.key && value.as_f64() == Some(number))
        }
        Arguments::Text(text) => serde_json::from_str::<Value>(text)
            .is_ok_and(|value| value.get(argument.node.key).and_then(Value::as_f64) == Some(number)),
        _ => false,
    })
}

/// One or two steps of arithmetic on what was said.
pub(crate) fn is_computed(asked: &Asked<'_>, number: f64, measure: Measure, records: &[Record<'_>]) -> bool {
    let mut pool: Vec<f64> =
        asked.numbers().flat_map(|(_, quantity)| measured(quantity, measure)).take(MAX_POOL).collect();
    let fields = records
        .iter()
        .flat_map(|record| &record.fields)
        .filter(|(key, _)| !is_label(key))
        .filter_map(|(_, value)| value.as_f64());
    pool.extend(fields.take(MAX_POOL));
    let texts = asked.results.iter().filter_map(|result| result.as_str()).filter(|text| text.len() <= MAX_PROSE);
    pool.extend(texts.flat_map(numbers_of).take(MAX_POOL));
    let constants = constants_of(asked);
    pool.retain(|value| *value != 0.0 && *value != 1.0);
    pool.sort_by(f64::total_cmp);
    pool.dedup();
    pool.truncate(MAX_POOL);
    let near = |value: f64| is_near(value, number);
    if pool.len() > 1 && near(pool.iter().sum()) {
        return true;
    }
    // What goes without saying multiplies and divides; nobody adds the months of a year.
    let scaled = |value: f64| constants.iter().any(|by| near(value * by) || near(value / by) || near(by / value));
    if pool.iter().any(|value| scaled(*value)) {
        return true;
    }
    let pairs = pool.iter().enumerate().flat_map(|(at, a)| pool.iter().skip(at + 1).map(move |b| (*a, *b)));
    pairs.into_iter().any(|(a, b)| {
        near(a + b)
            || near((a - b).abs())
            || near(a * b)
            || near(a / b)
            || near(b / a)
            || scaled(a * b)
            || scaled(a + b)
            || scaled(a / b)
            || scaled(b / a)
            || constants.iter().any(|by| near(a * by + b) || near(a + b * by) || near((a * by - b).abs()))
            || [(a, b), (b, a)].iter().any(|(whole, share)| {
                *share < 100.0
                    && (near(whole * share / 100.0)
                        || near(whole * (1.0 - share / 100.0))
                        || near(whole * (1.0 + share / 100.0))
                        || near(whole / (1.0 + share / 100.0)))
            })
            || pool.len() <= MAX_SCALED && pool.iter().any(|c| near(a * b / c) || near(a * c / b) || near(b * c / a))
            || pool.len() <= MAX_TRIPLES
                && pool.iter().any(|c| {
                    near(a * b * c)
                        || near(a * b + c)
                        || near(a * c + b)
                        || near(b * c + a)
                        || near(a + b + c)
                        || near(a + b - c)
                        || near((b - a) * c)
                })
    })
}

/// Numbers that go without saying: the months of a year, the days of a week, where somebody spoke of such.
fn constants_of(asked: &Asked<'_>) -> Vec<f64> {
    let told: [(f64, &[&str]); 6] = [
        (12.0, &["year", "years", "yearly", "annual", "month", "months", "monthly", "年", "月", "打"]),
        (7.0, &["week", "weeks", "weekly", "daily", "day", "周", "星期", "天"]),
        (
            2.0,
            &[
                "both",
                "half of",
                "half the",
                "first half",
                "second half",
                "other half",
                "half upfront",
                "half in advance",
                "pay half",
                "half now",
                "half up front",
                "by half",
                "each",
                "couple",
                "twice",
                "double",
                "return",
                "round",
                "every",
                "各",
                "双",
                "来回",
                "半",
                "往返",
                "两",
                "俩",
            ],
        ),
        (4.0, &["quarter", "quarters", "quarterly", "weeks", "季度"]),
        (60.0, &["hour", "hours", "minute", "minutes", "小时", "分钟"]),
        (3.0, &["quarter", "third", "triple", "季度", "三"]),
    ];
    let mut constants: Vec<f64> = Vec::new();
    for (constant, words) in told {
        if asked.anybody_said(words)
            || words.iter().any(|word| !word.is_ascii() && asked.readings().any(|r| r.lower.contains(word)))
        {
            constants.push(constant);
        }
    }
    constants.extend(asked.user().find_map(days_of_week));
    constants
}

/// "Monday to Friday" are five days.
fn days_of_week(reading: &Reading) -> Option<f64> {
    let dates: Vec<_> = reading.dates().collect();
    dates.windows(2).find_map(|pair| {
        let [(one, DateWords::Weekday(first, _)), (other, DateWords::Weekday(last, _))] = pair else { return None };
        let between = reading.lower.get(one.range.end..other.range.start)?.trim();
        let joined = matches!(between, "to" | "through" | "till" | "until" | "-" | "–" | "到" | "至");
        joined.then(|| f64::from((last - first).rem_euclid(7)) + 1.0)
    })
}

/// The values that arithmetic may use of a mention: as written, and in the unit that the parameter asks for.
fn measured(quantity: &Quantity, measure: Measure) -> impl Iterator<Item = f64> + use<> {
    let converted = measure.value_of(quantity, quantity.value).filter(|value| *value != quantity.value);
    let other = matches!((measure, quantity.unit), (Measure::Unit(unit), Some(own)) if own.dimension == unit.dimension && !std::ptr::eq(own, unit));
    let minor = matches!(measure, Measure::Money(scale) if scale > 1.0) && quantity.currency.is_some();
    // Half a litre in four hours is 125 ml an hour.
    let thousand =
        quantity.unit.filter(|unit| matches!(unit.dimension, "mass" | "volume" | "length") && measure == Measure::Bare);
    let parts = thousand.map(|_| quantity.value * 1000.0);
    // Nine degrees Fahrenheit less are five degrees Celsius less.
    let step = quantity.unit.and_then(|own| match measure {
        Measure::Unit(unit) => own.step(quantity.value, unit).filter(|_| other && own.offset != unit.offset),
        _ => None,
    });
    [(!other && !minor).then_some(quantity.value), converted, quantity.upper, parts, step].into_iter().flatten()
}

/// The minutes of a day.
pub(crate) const MINUTES_OF_A_DAY: i32 = 24 * 60;
/// Names of parameters that count things.
const COUNTED: &[&str] = word_list!("check_call", "request/trace/counted");
const MAX_STRING: usize = 60;
const MAX_PROSE: usize = 4000;
const MAX_CALLS: usize = 12;
const MAX_POOL: usize = 24;
/// With more numbers than these, three of them give nearly any other.
const MAX_TRIPLES: usize = 6;
/// A recipe for twelve instead of four.
const MAX_SCALED: usize = 8;
