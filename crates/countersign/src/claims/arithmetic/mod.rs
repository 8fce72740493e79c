//! Recomputes what a sentence computes itself: growth "from 40 to 50", a share "12 of 48", a total of its parts.
//!
//! Only where the operands are plain is anything said. A computation that holds bears out the result, not the operands;
//! one that fails is shown with its numbers. It never looks for numbers that might fit.

/// Whether a number follows from others.
pub mod derive;
/// The numbers of one sentence.
pub mod operands;

use crate::claims::known::Telling;
use crate::claims::known::amount::{Amount, Measure};
use crate::contract::{Bound, Claim, ClaimKind};
use crate::say;
use derive::{Step, bears_out, compute, formula, shown};
use operands::{Operand, Sentence, ends_in, has_word};
use std::ops::Range;

/// A claim that was recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct Computation {
    /// Whether it came out as written.
    pub outcome: Outcome,
    /// The computation in words: `50/40 − 1 = 25%, not 30%`.
    pub note: String,
    /// The part of the message that holds the operands, in bytes.
    pub place: Range<usize>,
}

/// How a computation came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As written.
    Holds,
    /// Otherwise.
    Fails,
}

/// Recomputes one claim of a message from the numbers of its sentence, or of the one before.
pub fn recompute(content: &str, claims: &[Claim], tellings: &[Telling], at: usize) -> Option<Computation> {
    let (claim, telling) = (claims.get(at)?, tellings.get(at)?);
    let wanted = telling.amount().filter(|amount| amount.is_single())?;
    if telling.around.sentence.asks {
        return None;
    }
    let sentence = Sentence::of(content, claims, tellings, at)?;
    let own = sentence.operands.iter().position(|operand| operand.claim == Some(at))?;
    growth(&sentence, claim, wanted, own)
        .or_else(|| share(&sentence, claim, wanted, own))
        .or_else(|| total(&sentence, claim, wanted, own))
}

/// "From 40 to 50 million, up 25%": the change, as a share or as a difference.
fn growth(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    let (from, to, place) = change(sentence, own)?;
    let (before, behind) = (sentence.before(claim.start), sentence.behind(claim.end));
    let near: String = before.chars().rev().take(18).collect::<Vec<_>>().into_iter().rev().collect();
    let changes = has_word(&near, CHANGE) || has_word(&behind.chars().take(14).collect::<String>(), CHANGE);
    let points = ["point", "点", "bps"].iter().any(|word| claim.text.contains(word) || behind.trim().starts_with(word));
    let relative = claim.kind == ClaimKind::Percentage && wanted.measure == Measure::Ratio;
    let step = match () {
        () if relative && !points && from.measure != Measure::Ratio => Step::Growth,
        // "From 40% to 50%, up 30%" may be either; points are a difference.
        () if wanted.measure == from.measure && (points || (ends_in(&near, BY) && !relative)) => Step::Difference,
        () => return None,
    };
    let exact = from.bound.is_none() && to.bound.is_none() && wanted.bound.is_none();
    // A change of more than this is a scale that stands elsewhere.
    let plausible = from.low > 0.0 && to.low >= 0.0 && to.low <= from.low * 50.0;
    let fits = changes && plausible && exact && joined(sentence, claim, &place);
    fits.then(|| outcome(claim, wanted, step, (&to, &from), place)).flatten()
}

/// Whether the claim speaks of the change: right before it, or behind it without another subject between them.
fn joined(sentence: &Sentence, claim: &Claim, place: &Range<usize>) -> bool {
    let gap = |from: usize, to: usize| sentence.content.get(from..to).unwrap_or_default().to_lowercase();
    match claim.end <= place.start {
        true => gap(claim.end, place.start).chars().count() <= 10,
        false => {
            let gap = gap(place.end, claim.start);
            gap.chars().count() <= 40 && !has_word(&gap, ANOTHER)
        }
    }
}

/// "12 of 48 users (25%)", 48人中有12人，占25%.
fn share(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    if wanted.measure != Measure::Ratio || wanted.bound.is_some() {
        return None;
    }
    let others: Vec<&Operand> =
        sentence.operands.iter().enumerate().filter(|(at, _)| *at != own).map(|o| o.1).collect();
    let mut pairs = others.windows(2).filter_map(|pair| {
        let ([first, second], gap) = (<[&Operand; 2]>::try_from(pair).ok()?, sentence.gap(pair.first()?, pair.last()?));
        let (part, whole) = match gap.trim().to_lowercase().as_str() {
            gap if gap.len() <= 24 && (ends_in(gap, OF) || ends_in(gap.trim_end_matches(" the"), OF)) => {
                (first, second)
            }
            gap if gap.chars().count() <= 8 && gap.contains(['中', '里']) => (second, first),
            _ => return None,
        };
        (part.amount.measure == whole.amount.measure).then_some((part, whole))
    });
    let (part, whole) = pairs.next().filter(|_| pairs.next().is_none())?;
    let (start, end) = (part.range.start.min(whole.range.start), part.range.end.max(whole.range.end));
    let gap = match claim.start >= end {
        true => sentence.content.get(end..claim.start)?.to_lowercase(),
        false => sentence.content.get(claim.end..start)?.to_lowercase(),
    };
    let told = gap.chars().count() <= 40 && (has_word(&gap, THAT_IS) || gap.contains(['(', '（']));
    let exact = [part, whole].iter().all(|o| o.amount.bound.is_none() && o.amount.measure != Measure::Ratio);
    let fits = told && exact && part.amount.low <= whole.amount.low && whole.amount.low > 0.0;
    let place = start.min(claim.start)..end.max(claim.end);
    fits.then(|| outcome(claim, wanted, Step::Share, (&part.amount, &whole.amount), place)).flatten()
}

/// "12 cats, 20 dogs and 10 birds, 42 animals in total".
fn total(sentence: &Sentence, claim: &Claim, wanted: &Amount, own: usize) -> Option<Computation> {
    let (before, behind) = (sentence.before(claim.start), sentence.behind(claim.end));
    let told = ends_in(&before, TOTAL) || has_word(&behind.chars().take(14).collect::<String>(), IN_TOTAL);
    let parts: Vec<&Operand> = sentence.operands.iter().take(own).collect();
    let text = sentence.content.get(sentence.place.clone())?.to_lowercase();
    let alike = |operand: &&Operand| {
        let amount = &operand.amount;
        amount.measure == wanted.measure && amount.is_single() && amount.bound.is_none() && amount.low >= 0.0
    };
    let plain = parts.iter().all(alike) && (2..=8).contains(&parts.len()) && !has_word(&text, PARTLY);
    // A part that is larger than the total, or equal to it, is no part: something else is meant.
    if !told || !plain || wanted.bound.is_some() || parts.iter().any(|part| part.amount.low >= wanted.low) {
        return None;
    }
    let sum: f64 = parts.iter().map(|part| part.amount.low).sum();
    let open: f64 = parts.iter().filter_map(|part| part.amount.precision).sum::<f64>();
    let open =
        if parts.iter().all(|part| part.amount.low.fract() == 0.0 && part.amount.low < 1e4) { 0.0 } else { open };
    let computed = Amount { low: sum, high: sum, measure: wanted.measure.clone(), bound: None, precision: Some(open) };
    let formula = parts.iter().map(|part| shown(part.amount.low, &part.amount.measure)).collect::<Vec<_>>().join(" + ");
    let place = parts.first()?.range.start..claim.end;
    conclude(claim, wanted, &computed, &formula, place)
}

/// The two ends of a change in the sentence, where there is exactly one: a range behind "from", or "from X … to Y".
fn change(sentence: &Sentence, own: usize) -> Option<(Amount, Amount, Range<usize>)> {
    let others = || sentence.operands.iter().enumerate().filter(move |(at, _)| *at != own).map(|(_, operand)| operand);
    let from = |operand: &&Operand| ends_in(&sentence.before(operand.range.start), FROM);
    let to = |operand: &&Operand| ends_in(&sentence.before(operand.range.start), TO);
    let mut starts = others().filter(from);
    let start = starts.next().filter(|_| starts.next().is_none())?;
    if !start.amount.is_single() {
        return ends_of(sentence, start);
    }
    let end = others().find(|operand| operand.range.start >= start.range.end).filter(to)?;
    let more = others().filter(|operand| operand.range.start >= end.range.end).filter(to).count();
    let from = like(&start.amount, &end.amount, sentence.content.get(end.range.clone())?);
    let same = more == 0 && from.measure == end.amount.measure && end.amount.is_single();
    same.then(|| (from, end.amount.clone(), start.range.start..end.range.end))
}

/// The ends of "40 to 50 million", which reads as a range, in the order in which they were written.
fn ends_of(sentence: &Sentence, range: &Operand) -> Option<(Amount, Amount, Range<usize>)> {
    let text = sentence.content.get(range.range.clone())?;
    let single = |value: f64| Amount { low: value, high: value, ..range.amount.clone() };
    let numbers = leading_numbers(text);
    let [first, last] = numbers.as_slice() else { return None };
    let (low, high) = (range.amount.low, range.amount.high);
    // The scale stands behind the second number and holds for both.
    let scale = if first <= last { high / last } else { low.max(high) / last };
    let (start, end) = (first * scale, last * scale);
    let as_written = [low, high].iter().any(|value| (value - end).abs() <= end.abs() * 1e-6);
    (as_written && scale.is_finite()).then(|| (single(start), single(end), range.range.clone()))
}

/// The first number with the unit and the scale of the second, where it has none of its own: "from 40 to 50 million".
fn like(first: &Amount, second: &Amount, text: &str) -> Amount {
    let written = leading_numbers(text).first().copied().filter(|number| *number != 0.0);
    let scale = written.map_or(1.0, |number| second.low / number);
    let bare = first.measure == Measure::Count;
    let short = bare && scale >= 100.0 && first.high * scale <= second.high * 100.0;
    let scale = if short { scale } else { 1.0 };
    let measure = if bare { second.measure.clone() } else { first.measure.clone() };
    let precision = first.precision.map(|precision| precision * scale);
    Amount { low: first.low * scale, high: first.high * scale, measure, precision, ..first.clone() }
}

fn leading_numbers(text: &str) -> Vec<f64> {
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    runs.filter_map(|run| run.replace(',', "").trim_matches('.').parse().ok()).collect()
}

fn outcome(
    claim: &Claim,
    wanted: &Amount,
    step: Step,
    (a, b): (&Amount, &Amount),
    place: Range<usize>,
) -> Option<Computation> {
    let computed = compute(step, a, b)?;
    conclude(claim, wanted, &computed, &formula(step, a, b), place)
}

/// Holds, or fails by more than any rounding explains.
fn conclude(
    claim: &Claim,
    wanted: &Amount,
    computed: &Amount,
    formula: &str,
    place: Range<usize>,
) -> Option<Computation> {
    let result = shown(computed.low.abs(), &computed.measure);
    if bears_out(wanted, computed) {
        return Some(Computation { outcome: Outcome::Holds, note: format!("{formula} = {result}"), place });
    }
    let magnitude = |amount: &Amount| Amount { low: amount.low.abs(), high: amount.high.abs(), ..amount.clone() };
    let open = Amount { bound: Some(Bound::About).filter(|_| computed.precision > Some(0.0)), ..magnitude(computed) };
    if !magnitude(wanted).excludes(&Amount { measure: wanted.measure.clone(), ..open }) {
        return None;
    }
    let written = &claim.text;
    let note = say!(claim.language, "{formula} = {result}, not {written}", "{formula} = {result}，不是{written}");
    Some(Computation { outcome: Outcome::Fails, note, place })
}

const FROM: &[&str] = &["from", "从", "由", "自"];
const TO: &[&str] = &["to", "to reach", "到", "至", "达", "为"];
const BY: &[&str] = &["by", "加", "少", "长", "升", "降", "up", "down"];
const OF: &[&str] = &["of", "out of", "of its", "of their", "of all"];
const CHANGE: &[&str] = &[
    "up",
    "down",
    "rose",
    "rise",
    "rises",
    "risen",
    "rising",
    "grew",
    "grow",
    "grown",
    "growing",
    "growth",
    "increase",
    "increased",
    "increases",
    "increasing",
    "gain",
    "gained",
    "jump",
    "jumped",
    "climbed",
    "surged",
    "fell",
    "fall",
    "falls",
    "fallen",
    "drop",
    "dropped",
    "drops",
    "decline",
    "declined",
    "decrease",
    "decreased",
    "shrank",
    "cut",
    "reduced",
    "reduction",
    "higher",
    "lower",
    "增长",
    "上升",
    "上涨",
    "增加",
    "提升",
    "提高",
    "增幅",
    "涨幅",
    "下降",
    "减少",
    "降低",
    "降幅",
    "下跌",
    "跌幅",
    "同比",
    "环比",
];
const ANOTHER: &[&str] = &["and", "while", "whereas", "but", "with", "as", "when", "而", "和", "但", "同时", "其中"];
const THAT_IS: &[&str] =
    &["or", "i.e.", "that is", "which is", "equals", "about", "占", "即", "为", "比例", "占比", "也就是"];
const TOTAL: &[&str] = &[
    "total of",
    "totalling",
    "totaling",
    "total is",
    "total was",
    "sum of",
    "adding up to",
    "add up to",
    "adds up to",
    "altogether",
    "in total",
    "in all",
    "共计",
    "合计",
    "总计",
    "总共",
    "一共",
    "共",
];
const IN_TOTAL: &[&str] = &["in total", "altogether", "in all", "combined"];
const PARTLY: &[&str] = &[
    "including",
    "includes",
    "such as",
    "among",
    "other",
    "others",
    "more",
    "like",
    "per",
    "each",
    "其中",
    "包括",
    "其他",
    "等",
    "每",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::known::tellings;
    use crate::claims::known::tests::{claim, value};

    fn run(text: &str, marked: &str, kind: ClaimKind, number: f64, unit: &str, precision: f64) -> Option<Computation> {
        let claims = [claim(text, marked, kind, value(number, unit, precision))];
        recompute(text, &claims, &tellings(text, &claims), 0)
    }

    fn percent(text: &str, marked: &str) -> Option<(Outcome, String)> {
        let number: f64 = marked.trim_end_matches(['%', '％']).parse().unwrap();
        run(text, marked, ClaimKind::Percentage, number / 100.0, "ratio", 0.005).map(|c| (c.outcome, c.note))
    }

    // CLAIM-3
    #[test]
    fn found_claims_are_recomputed_too() {
        for (text, marked, outcome) in [
            ("Revenue rose from 40 to 50 million, up 25%.", "25%", Some(Outcome::Holds)),
            ("Revenue rose from 40 to 50 million, up 30%.", "30%", Some(Outcome::Fails)),
            ("Sales fell 20% from $50 million to $40 million.", "20%", Some(Outcome::Holds)),
            ("Sales fell by $12 million, from $50 million to $40 million.", "$12 million", Some(Outcome::Fails)),
            ("营收从40亿元增长到50亿元，同比增长35%。", "35%", Some(Outcome::Fails)),
            ("48人中有12人离开，占30%。", "30%", Some(Outcome::Fails)),
            ("12 of 48 users (25%) left.", "25%", Some(Outcome::Holds)),
            ("The shelter has 12 cats, 20 dogs and 10 birds, 42 animals in total.", "42 animals", Some(Outcome::Holds)),
            ("Costs rose 30% while output went from 40 to 50 million tonnes.", "30%", None),
            ("In 2023 sales rose from $40 million to $50 million and profit by 30%.", "30%", None),
        ] {
            let claims = crate::claims::find::find(text);
            let read = tellings(text, &claims);
            let at = claims.iter().position(|claim| claim.text == marked).unwrap_or_else(|| panic!("{text}"));
            let found = recompute(text, &claims, &read, at);
            assert_eq!(found.as_ref().map(|found| found.outcome), outcome, "{text} {found:?}");
        }
    }

    // CLAIM-3
    #[test]
    fn growth_is_recomputed() {
        let text = |x: &str| format!("Revenue rose from 40 to 50 million, up {x}.");
        assert_eq!(percent(&text("25%"), "25%"), Some((Outcome::Holds, "50/40 − 1 = 25%".into())));
        assert_eq!(percent(&text("30%"), "30%"), Some((Outcome::Fails, "50/40 − 1 = 25%, not 30%".into())));
        let fell = "Sales fell 20% from $50 million to $40 million.";
        assert_eq!(percent(fell, "20%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("营收从40亿元增长到50亿元，同比增长25%。", "25%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("营收从40亿元增长到50亿元，同比增长35%。", "35%").unwrap().0, Outcome::Fails);
        for unclear in [
            "Revenue rose from 40 to 50 million, with a margin of 30%.",
            "Revenue rose from 40 to 50 million and staff from 10 to 12, up 30%.",
            "Did revenue rise from 40 to 50 million, up 30%?",
            "Revenue rose from about $40 million to $50 million, up 27%.",
            "The share rose from 40% to 50%, up 30%.",
        ] {
            assert_eq!(percent(unclear, if unclear.contains("27%") { "27%" } else { "30%" }), None, "{unclear}");
        }
    }

    #[test]
    fn shares_are_recomputed() {
        assert_eq!(percent("12 of 48 users (25%) left.", "25%").unwrap(), (Outcome::Holds, "12/48 = 25%".into()));
        assert_eq!(percent("12 out of the 48 users, or 30%, left.", "30%").unwrap().0, Outcome::Fails);
        assert_eq!(percent("48人中有12人离开，占25%。", "25%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("48人中有12人离开，占30%。", "30%").unwrap().1, "12/48 = 25%，不是30%");
        assert_eq!(percent("12 of 48 users left and revenue fell 30%.", "30%"), None);
    }

    #[test]
    fn totals_are_recomputed() {
        let count = |text: &str, marked: &str, number: f64| {
            run(text, marked, ClaimKind::Quantity, number, "", 0.5).map(|c| (c.outcome, c.note))
        };
        let text = "The shelter has 12 cats, 20 dogs and 10 birds, 42 animals in total.";
        assert_eq!(count(text, "42 animals", 42.0), Some((Outcome::Holds, "12 + 20 + 10 = 42".into())));
        let text = "The shelter has 12 cats, 20 dogs and 10 birds, 45 animals in total.";
        assert_eq!(count(text, "45 animals", 45.0).unwrap().0, Outcome::Fails);
        let text = "The shelter has 12 cats, 20 dogs and others, 45 animals in total.";
        assert_eq!(count(text, "45 animals", 45.0), None);
        assert_eq!(count("一班30人，二班32人，合计62人。", "62人", 62.0).unwrap().0, Outcome::Holds);
    }
}
