//! Numbers that stand by something else: "4 sets of 12" for sets and repetitions, "14.50 each" for two of them, "a crate holds
//! 24 bottles" for a number of bottles.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::slip::{Says, Slip, Strength, compare_hint, show};
use crate::contract::codes::meaning::{OTHER_UNIT, OTHER_VALUE};
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lists::word_list;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::stems::stem;

/// Finds numbers of other things, prices of one, and counts in another unit than was said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(number) = argument.number() else { continue };
        let slip = find_other_noun(asked, argument, number)
            .or_else(|| find_price_of_one(asked, argument, number))
            .or_else(|| find_unconverted(asked, argument, number))
            .or_else(|| find_instalment(asked, argument, number))
            .or_else(|| find_term(asked, argument, number))
            .or_else(|| find_whole_for_each(asked, argument, number));
        slips.extend(slip);
    }
}

/// "1,260 for the lot", and `amount_each` is just that.
fn find_whole_for_each(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let description = argument.node.param.map(|param| param.description.to_lowercase()).unwrap_or_default();
    let per_head = argument.is_named(&["each", "person"]) || Cue::named("per-head").stands_in(&description);
    let (mention, _) = asked.last.numbers().find(|(_, quantity)| quantity.value == number)?;
    let clause = clause_around(&asked.last.lower, mention.range.start);
    // "Equal shares": what is shared out is the whole, wherever that stands, and a list of several has its parts.
    let lists = asked.arguments.iter().filter(|other| other.node.is_item()).count() >= 2;
    let shared = lists && Cue::named("shared-out").stands_in(&asked.last.lower);
    let whole = (shared || Cue::named("in-total").stands_in(clause)) && !Cue::named("per-head").stands_in(clause);
    if !per_head || !whole {
        return None;
    }
    let (key, said, shown) = (argument.node.key, clause.trim(), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", which is the whole; `{key}` is for each, and is {shown}",
        "用户说的是“{said}”，即总数；而 `{key}` 是每份的数，却是 {shown}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// The user gave the very thing that the argument counts another number, which another argument has.
fn find_other_noun(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    // `sets` counts sets; `desired_cards` and `charge` need not count what stands behind a number.
    let own =
        argument.words.last().filter(|word| argument.words.len() == 1 && word.ends_with('s')).map(|word| stem(word))?;
    let of_own =
        |reading: &Reading, quantity: &Quantity| first_noun(reading, quantity).is_some_and(|noun| stem(noun) == own);
    let mut said = asked.in_force().flat_map(|reading| {
        let numbers =
            reading.numbers().filter(move |(mention, quantity)| !mention.excluded && of_own(reading, quantity));
        numbers.map(move |(mention, quantity)| (reading, mention, quantity))
    });
    let (reading, mention, quantity) = said.next()?;
    if said.next().is_some() || quantity.value == number || quantity.upper.is_some() {
        return None;
    }
    let elsewhere = asked.arguments.iter().any(|other| {
        !std::ptr::eq(other.node, argument.node)
            && other.number() == Some(quantity.value)
            && is_sibling(asked, argument, other)
    });
    let (key, said) = (argument.node.key, reading.text(mention));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said} {own}\", `{key}` is {}",
        "用户说的是“{said} {own}”，而 `{key}` 是 {}",
        show(number)
    );
    let hint = compare_hint(key, asked.subject.language);
    // `[1, 2]` are the first two of them.
    (elsewhere && !argument.node.is_item())
        .then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// The price of one for several of them, where nothing else of the call says how many there are.
fn find_price_of_one(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let total = argument.is_named(&["amount", "total", "sum", "charge", "payment", "refund"])
        && !argument.is_named(&["unit", "price", "per"]);
    if !total {
        return None;
    }
    let reading = asked.last;
    let each = reading.numbers().find(|(mention, quantity)| quantity.value == number && is_each(reading, mention))?;
    let counts = |(mention, quantity): &(&Mention, &Quantity)| {
        quantity.value >= 2.0
            && quantity.value.fract() == 0.0
            && quantity.currency.is_none()
            && quantity.unit.is_none()
            && mention.range != each.0.range
            && !mention.excluded
    };
    let mut counted = reading.numbers().filter(|found| counts(found) && found.1.counts);
    let (count, several) = (counted.next()?.1.value, counted.next().is_some());
    let carried = asked.arguments.iter().any(|other| other.number() == Some(count));
    if several || carried {
        return None;
    }
    let (key, wanted) = (argument.node.key, show(count * number));
    let evidence = localized!(
        asked.subject.language,
        "the user said {} of them at {} each: that is {wanted}, and `{key}` is {}",
        "用户说的是 {} 个，每个 {}，共 {wanted}，而 `{key}` 是 {}",
        show(count),
        show(number),
        show(number)
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// A count of crates where bottles are asked for, and somebody said how many bottles a crate has.
fn find_unconverted(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    let rates: Vec<Rate<'_>> = asked.readings().flat_map(rates).collect();
    if rates.is_empty() || number < 2.0 {
        return None;
    }
    let description = argument.node.param.map(|param| param.description.to_lowercase()).unwrap_or_default();
    let measured = |noun: &str| {
        argument.words.iter().any(|word| stem(word) == stem(noun))
            || stands(&description, noun)
            || asked.user().any(|reading| counted_in(&reading.lower, noun))
    };
    let reading = asked.last;
    let (rate, mention) = rates.iter().find_map(|rate| {
        let said = reading.numbers().find(|(_, quantity)| {
            quantity.value == number && noun_of(reading, quantity).is_some_and(|noun| same_noun(noun, rate.whole))
        })?;
        (measured(rate.part) && !measured(rate.whole)).then_some((rate, said.0))
    })?;
    let (key, said, wanted) = (argument.node.key, reading.text(mention), show(number * rate.value));
    let (whole, part, each) = (rate.whole, rate.part, show(rate.value));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said} {whole}\", one {whole} is {each} {part}: `{key}` should be {wanted}",
        "用户说的是“{said}”，一{whole}是{each}{part}：`{key}` 应为 {wanted}"
    );
    let hint = compare_hint(key, asked.subject.language);
    Some(Slip::on(asked, argument, &OTHER_UNIT, Strength::Strong, Says { evidence, hint }))
}

/// Equal parts that do not add up: 4,800 over 24 months and `monthly: 400, months: 24`.
fn find_instalment(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    if !argument.is_named(&["monthly", "instalment", "installment", "weekly", "part"])
        || argument.is_named(&["count", "number"])
    {
        return None;
    }
    let mut counts = asked
        .arguments
        .iter()
        .filter(|other| other.is_named(&["months", "instalments", "installments", "weeks", "parts"]));
    let count = counts.next().filter(|_| counts.next().is_none())?.number()?;
    let paid = |quantity: &Quantity| quantity.unit.is_none() && !quantity.counts && quantity.value > count;
    let mut totals = asked.last.numbers().filter(|(mention, quantity)| !mention.excluded && paid(quantity));
    let (_, total) = totals.next().filter(|_| totals.next().is_none())?;
    let off = (number * count - total.value).abs() > total.value * 0.02;
    let said = asked.numbers().any(|(_, quantity)| quantity.value == number);
    let (key, wanted) = (argument.node.key, show((total.value / count * 100.0).round() / 100.0));
    let evidence = localized!(
        asked.subject.language,
        "{} in {} equal parts is {wanted} each, and `{key}` is {}",
        "{} 分 {} 期，每期 {wanted}，而 `{key}` 是 {}",
        show(total.value),
        show(count),
        show(number)
    );
    let hint = compare_hint(key, asked.subject.language);
    (off && !said && count >= 2.0)
        .then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// A monthly price for another number of months than was said: 每月180元, 半年, and `amount: 2160`.
fn find_term(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<Slip> {
    if !argument.is_named(&["amount", "total", "sum", "charge", "payment", "fee"]) {
        return None;
    }
    let monthly = asked.readings().find_map(|reading| {
        let cue = Cue::named("a-month");
        let near = |mention: &Mention| {
            let before = reading.lower.get(..mention.range.start).unwrap_or_default();
            let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
            let led =
                before.get(before.ceil_char_boundary(before.len().saturating_sub(EACH_NEAR))..).unwrap_or_default();
            let behind = behind.get(..behind.floor_char_boundary(EACH_NEAR)).unwrap_or_default();
            cue.stands_in(led) || cue.stands_in(behind)
        };
        reading
            .numbers()
            .find(|(mention, quantity)| near(mention) && quantity.unit.is_none() && quantity.value > 1.0)
            .map(|(_, quantity)| quantity.value)
    })?;
    let lower = &asked.last.lower;
    let (word, months) = TERMS.iter().find(|(word, _)| stands(lower, word))?;
    let others = TERMS.iter().any(|(other, value)| value != months && stands(lower, other) && !word.contains(other));
    let scaled = [1.0, 3.0, 6.0, 12.0].iter().any(|by| monthly * by == number) && monthly * months != number;
    let said = asked.last.numbers().any(|(_, quantity)| quantity.value == number);
    let (key, wanted) = (argument.node.key, show(monthly * months));
    let evidence = localized!(
        asked.subject.language,
        "\"{word}\" at {} a month is {wanted}, and `{key}` is {}",
        "“{word}”按每月 {} 计算是 {wanted}，而 `{key}` 是 {}",
        show(monthly),
        show(number)
    );
    let hint = compare_hint(key, asked.subject.language);
    (scaled && !said && !others)
        .then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Stretches of several months by their names, the longer first.
const TERMS: &[(&str, f64)] = &[
    ("half a year", 6.0),
    ("half year", 6.0),
    ("six months", 6.0),
    ("半年", 6.0),
    ("three months", 3.0),
    ("a quarter", 3.0),
    ("一个季度", 3.0),
    ("三个月", 3.0),
    ("a whole year", 12.0),
    ("a year", 12.0),
    ("一年", 12.0),
    ("全年", 12.0),
];
/// How many of one thing make another, as somebody said it.
struct Rate<'t> {
    whole: &'t str,
    part: &'t str,
    value: f64,
}

/// "One billing unit is six minutes", 一箱24瓶.
fn rates(reading: &Reading) -> Vec<Rate<'_>> {
    let numbers: Vec<(&Mention, &Quantity)> = reading.numbers().collect();
    numbers
        .windows(2)
        .filter_map(|pair| {
            let [(one, whole), (many, part)] = pair else { return None };
            let between = reading.lower.get(whole.noun.end.max(one.range.end)..many.range.start)?;
            let linked = between.trim().is_empty() || LINKS.contains(&between.trim());
            let is_rate = whole.value == 1.0 && part.value > 1.0 && linked;
            is_rate.then(|| {
                Some(Rate { whole: noun_of(reading, whole)?, part: noun_of(reading, part)?, value: part.value })
            })?
        })
        .collect()
}

/// What a number counts, or the unit that it is in, as it was written.
fn noun_of<'r>(reading: &'r Reading, quantity: &Quantity) -> Option<&'r str> {
    let noun = reading.lower.get(quantity.noun.clone()).map(str::trim).filter(|noun| !noun.is_empty());
    noun.or_else(|| quantity.unit.map(|unit| unit.name))
}

fn first_noun<'r>(reading: &'r Reading, quantity: &Quantity) -> Option<&'r str> {
    noun_of(reading, quantity)?.split_whitespace().next()
}

/// Two nouns with the same head: "billing unit" and "units".
fn same_noun(one: &str, other: &str) -> bool {
    fn head(noun: &str) -> std::borrow::Cow<'_, str> {
        stem(noun.split_whitespace().next_back().unwrap_or(noun))
    }
    head(one) == head(other)
}

/// Whether a price is that of one: "14.50 each", 每张80.
fn is_each(reading: &Reading, mention: &Mention) -> bool {
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
    let near = behind.get(..behind.floor_char_boundary(EACH_NEAR)).unwrap_or(behind);
    let before = reading.lower.get(..mention.range.start).unwrap_or_default();
    let led = before.get(before.ceil_char_boundary(before.len().saturating_sub(EACH_NEAR))..).unwrap_or(before);
    let each = Cue::named("for-each");
    let clause = |text: &str| text.split([',', '.', ';', '，', '。']).next().map(str::to_owned).unwrap_or_default();
    each.english.iter().any(|word| super::asked::stands_in(&clause(near), word))
        || each.chinese.iter().any(|word| led.contains(word) || clause(near).contains(word))
}

/// 按瓶算, "in bottles", "by the bottle".
fn counted_in(lower: &str, noun: &str) -> bool {
    let head = noun.split_whitespace().next_back().unwrap_or(noun);
    match head.is_ascii() {
        true => ["in ", "by the ", "counts ", "per "].iter().any(|word| stands(lower, &format!("{word}{head}"))),
        false => ["按", "以", "单位是", "单位为"].iter().any(|word| lower.contains(&format!("{word}{head}"))),
    }
}

fn stands(text: &str, words: &str) -> bool {
    if words.is_ascii() { super::asked::stands_in(text, words) } else { text.contains(words) }
}

fn is_sibling(asked: &Asked<'_>, one: &Argument<'_>, other: &Argument<'_>) -> bool {
    let parent = |argument: &Argument<'_>| {
        let pointer = asked.subject.values.pointer(argument.node);
        pointer.rsplit_once('/').map(|cut| cut.0.to_owned())
    };
    parent(one) == parent(other)
}

/// What may stand between the one and the many.
const LINKS: &[&str] = word_list!("check_call", "request/per_unit/links");
const EACH_NEAR: usize = 16;
