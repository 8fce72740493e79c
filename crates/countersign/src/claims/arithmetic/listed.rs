//! Totals of lists and tables: a line "Total: $60m" under lines with one number each, or a cell under its column.
//!
//! The items must stand right above the total, each with exactly one number of its measure; a line that is none ends the
//! list. Where a line has several numbers and no cells, nothing is computed.

use super::derive::shown;
use super::operands::{Operand, Sentence, has_word};
use super::outcome::{Computation, conclude};
use crate::claims::known::Telling;
use crate::claims::known::amount::Amount;
use crate::contract::Claim;
use crate::grounding::wording::Reading;
use std::ops::Range;

/// Recomputes a total from the lines above it.
pub(super) fn total(content: &str, all: (&[Claim], &[Telling]), claim: &Claim, wanted: &Amount) -> Option<Computation> {
    let own = line_around(content, claim.start);
    let name = content.get(own.start..claim.start)?;
    let name = label(name.split('|').find(|cell| cell.chars().any(char::is_alphabetic)).unwrap_or(name)).to_lowercase();
    let told = NAMES.iter().any(|word| name == *word || (name.starts_with(word) && name.chars().count() <= NAME));
    if !told || wanted.bound.is_some() || !wanted.is_single() || has_word(&name, PARTLY) {
        return None;
    }
    let column = column(content, &own, claim.start);
    let read = |line: &Range<usize>| {
        let reading = Reading::clipped(content.get(line.clone()).unwrap_or_default());
        Sentence::read(content, line.clone(), &reading, all)
    };
    // Another number in the line of the total: nobody knows which sum is meant.
    let numbers = read(&own);
    let beside = numbers.operands.iter().filter(|operand| self::column(content, &own, operand.range.start) == column);
    if beside.count() != 1 {
        return None;
    }
    let mut parts: Vec<Operand> = Vec::new();
    let mut start = own.start;
    for line in lines_above(content, own.start).take(MOST) {
        match part(&read(&line), &line, column, wanted)? {
            Some(operand) => parts.push(operand),
            None => break,
        }
        start = line.start;
    }
    parts.reverse();
    sum(claim, wanted, &parts, start..claim.end)
}

fn sum(claim: &Claim, wanted: &Amount, parts: &[Operand], place: Range<usize>) -> Option<Computation> {
    let alike = |part: &Operand| {
        let amount = &part.amount;
        amount.measure == wanted.measure && amount.is_single() && amount.bound.is_none()
    };
    if parts.len() < 2 || !parts.iter().all(alike) {
        return None;
    }
    let total: f64 = parts.iter().map(|part| part.amount.low).sum();
    let whole = parts.iter().all(|part| part.amount.low.fract() == 0.0 && part.amount.low.abs() < 1e4);
    let open = if whole { 0.0 } else { parts.iter().filter_map(|part| part.amount.precision).sum() };
    let computed =
        Amount { low: total, high: total, measure: wanted.measure.clone(), bound: None, precision: Some(open) };
    let formula = parts.iter().map(|part| shown(part.amount.low, &part.amount.measure)).collect::<Vec<_>>().join(" + ");
    conclude(claim, wanted, &computed, &formula, place)
}

/// The number of a line: none where the line is no item. Nothing at all where it has several.
fn part(line: &Sentence, place: &Range<usize>, cell: Option<usize>, wanted: &Amount) -> Option<Option<Operand>> {
    let content = line.content;
    let text = content.get(place.clone()).unwrap_or_default();
    let bullet = |operand: &Operand| {
        let behind = content.get(operand.range.end..).unwrap_or_default();
        label(content.get(place.start..operand.range.start).unwrap_or("x")).is_empty()
            && behind.starts_with(['.', ')', '、'])
    };
    let here = |operand: &&Operand| {
        let alike = operand.amount.measure == wanted.measure;
        alike && !bullet(operand) && column(content, place, operand.range.start) == cell
    };
    let numbers: Vec<&Operand> = line.operands.iter().filter(here).collect();
    let name = label(text).to_lowercase();
    match numbers.as_slice() {
        [] => Some(None),
        // A total among the items, or a sentence.
        _ if NAMES.iter().any(|word| name.starts_with(word)) || text.chars().count() > LINE => None,
        [one] => Some(Some((*one).clone())),
        _ => None,
    }
}

/// A line without its bullet, up to the colon.
fn label(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['-', '*', '•', '+', '|', '#', ' ']);
    text.split([':', '：', '|', '=']).next().unwrap_or_default().trim_matches(['*', ' ', '(', '（'])
}

/// Which cell of a row a place is in; none where the line is no row.
fn column(content: &str, line: &Range<usize>, at: usize) -> Option<usize> {
    let row = content.get(line.clone()).is_some_and(|line| line.trim_start().starts_with('|'));
    row.then(|| content.get(line.start..at).map(|before| before.matches('|').count())).flatten()
}

/// The line around a place; one that goes on for long is cut, and is no item.
fn line_around(content: &str, at: usize) -> Range<usize> {
    let bytes = content.as_bytes();
    let before = bytes.get(at.saturating_sub(LONGEST)..at).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map(|line| at - before.len() + line + 1);
    let rest = bytes.get(at..(at + LONGEST).min(bytes.len())).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let end = (at..=at + end).rev().find(|end| content.is_char_boundary(*end)).unwrap_or(at);
    start.unwrap_or(if before.len() < LONGEST { 0 } else { at })..end
}

/// The lines above a place, from the nearest on, until an empty one; rules of tables are passed over.
fn lines_above(content: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let ruled = |line: &str| line.contains("--") && line.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '));
    let mut end = start;
    let lines = std::iter::from_fn(move || {
        let line = line_around(content, end.checked_sub(1)?);
        end = line.start;
        content.get(line.clone()).filter(|text| !text.trim().is_empty()).map(|_| line)
    });
    lines.filter(move |line| !content.get(line.clone()).is_some_and(ruled))
}

const NAMES: &[&str] = &["total", "in total", "grand total", "sum", "合计", "总计", "共计", "总额", "总和"];
const PARTLY: &[&str] = &["other", "including", "subtotal", "average", "share", "per"];
/// A longer name of a total says more than that it is one.
const NAME: usize = 24;
/// A longer line is a sentence.
const LINE: usize = 120;
/// So many bytes of a line are looked at to each side of a place.
const LONGEST: usize = 600;
const MOST: usize = 40;
