//! Records that stand in prose: what is said beside an id names it. "Finch = DR-04, Iqbal = DR-07", "A-1 (chairs) and A-2 (desk)".

use super::records::{Record, show_minutes, words_in};
use crate::text::mentions::{Mention, Reading, What};
use jiff::civil::Date;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::ops::Range;

/// The records of a text, where it has two or more ids. `list` is the list that they are in.
pub(crate) fn collect<'a>(reading: &Reading, list: usize, today: Option<Date>) -> Vec<Record<'a>> {
    let ids: Vec<&Mention> = reading.literals().filter(|mention| is_id(reading, mention)).take(MAX_IDS).collect();
    if ids.len() < 2 {
        return read_codes(&reading.lower, list);
    }
    let mut records = Vec::new();
    for segment in segments(&reading.lower, &ids) {
        let own: Vec<&&Mention> = ids.iter().filter(|id| contains(&segment, id)).collect();
        let words = words_of(reading, &segment, today);
        records.extend(own.iter().map(|id| Record {
            list,
            fields: Vec::new(),
            words: OnceCell::from(words.clone()),
            id: Some(reading.text(id).to_owned()),
        }));
    }
    records
}

/// Short codes with their names in brackets: "RTM (Rotterdam), VEN (Venlo)".
fn read_codes<'a>(lower: &str, list: usize) -> Vec<Record<'a>> {
    let record = |(at, _): (usize, &str)| {
        let (before, behind) = (lower.get(..at)?, lower.get(at + 2..)?);
        let code = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
        let name = behind.split([')', '(', '\n']).next().filter(|name| (3..=MAX_NAME).contains(&name.len()))?;
        let mut words = FxHashSet::default();
        words_in(name, &mut words);
        (2..=4).contains(&code.len()).then(|| Record {
            list,
            fields: Vec::new(),
            words: OnceCell::from(words),
            id: Some(code.to_owned()),
        })
    };
    let found: Vec<Record<'a>> = lower.match_indices(" (").take(MAX_IDS).filter_map(record).collect();
    if found.len() >= 2 { found } else { Vec::new() }
}

fn is_id(reading: &Reading, mention: &Mention) -> bool {
    match mention.what {
        What::Email => true,
        What::Id => reading.text(mention).bytes().any(|byte| byte.is_ascii_digit()) && mention.range.len() >= 3,
        _ => false,
    }
}

fn contains(segment: &Range<usize>, mention: &Mention) -> bool {
    segment.start <= mention.range.start && mention.range.end <= segment.end
}

/// The parts of a text that speak of one id each: its lines, and the members of a row where a line has several ids.
fn segments(lower: &str, ids: &[&Mention]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, end) in lower.match_indices(['\n', ';', '；']).map(|(at, sign)| (at, sign.len())).chain([(lower.len(), 0)])
    {
        let line = start..at;
        if ids.iter().filter(|id| contains(&line, id)).count() > 1 {
            found.extend(members(lower, line));
        } else {
            found.push(line);
        }
        start = at + end;
    }
    found.retain(|segment| segment.len() <= MAX_SEGMENT);
    found
}

/// The members of a row: cut at commas and "and", not inside brackets.
fn members(lower: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut depth) = (Vec::new(), line.start, 0usize);
    let text = lower.get(line.clone()).unwrap_or_default();
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let rest = text.get(at..).unwrap_or_default();
        if depth > 0 || at < skip {
            continue;
        }
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            found.push(start..line.start + at);
            start = line.start + at + mark.len();
            skip = at + mark.len();
        }
    }
    found.push(start..line.end);
    found
}

fn words_of(reading: &Reading, segment: &Range<usize>, today: Option<Date>) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    words_in(reading.lower.get(segment.clone()).unwrap_or_default(), &mut words);
    for mention in reading.mentions.iter().filter(|mention| contains(segment, mention)) {
        match mention.what {
            What::Clock(clock) => {
                words.insert(show_minutes(clock.minutes));
                words.extend((!clock.sure).then(|| show_minutes(clock.minutes + 720)));
            }
            What::Date(date) => {
                words.extend(date.resolve(today).iter().filter(|days| days.is_one()).map(|days| days.first.to_string()))
            }
            _ => {}
        }
    }
    words
}

const MAX_IDS: usize = 40;
const MAX_SEGMENT: usize = 240;
const MAX_NAME: usize = 30;
/// What stands between the members of a row.
const MARKS: &[&str] = &[", ", " and ", ". ", "，", "、", "。", "和", "以及"];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn ids_have_the_words_beside_them() {
        let read = |text: &str| {
            let found = collect(&Reading::of(text), 1, None);
            found
                .iter()
                .map(|record| (record.id.clone().unwrap(), record.words.get().unwrap().clone()))
                .collect::<Vec<_>>()
        };
        let pumps = read("Pumps: north wing = PU-04, boiler room = PU-07.");
        assert!(pumps[0].0 == "pu-04" && pumps[0].1.contains("north") && !pumps[0].1.contains("boiler"));
        assert!(pumps[1].0 == "pu-07" && pumps[1].1.contains("boiler"));
        let trains = read("有K21（9:14，硬座）和K35（13:40）");
        assert!(trains[0].1.contains("09:14") && trains[1].1.contains("13:40"));
        assert!(read("order A-17 is late").is_empty() && read(&"a-11, ".repeat(9000)).len() <= MAX_IDS);
    }
}
