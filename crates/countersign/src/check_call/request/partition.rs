//! Records that the user told apart: "the sick leaves are fine, Ma Jun's I want to talk about", and the call takes both.
//!
//! Some of the chosen records have a value that one clause names, and the others are named by a clause of their own that does
//! not join them to the first. Nothing is known of what either clause says.

use super::argument::Argument;
use super::asked::Asked;
use super::record::place_of;
use super::records::{Record, words_of};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::EXTRA;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::words;

/// Finds lists of ids that take records of both sides.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let items: Vec<&Argument<'_>> = asked.arguments.iter().filter(|argument| argument.node.is_item()).collect();
    if items.len() < 2 {
        return;
    }
    let record = |item: &&Argument<'_>| {
        let text = item.text()?;
        asked.records().iter().find(|record| record.has(text))
    };
    let records: Option<Vec<&Record<'_>>> = items.iter().map(record).collect();
    let Some(records) = records else { return };
    let clauses = clauses(&asked.last.lower);
    let split = clauses.iter().enumerate().find_map(|(at, clause)| split_by(&records, &clauses, at, clause));
    let Some((outside, clause)) = split else { return };
    let Some(item) = items.get(outside) else { return };
    let (key, shown) = (item.node.key, item.text().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "`{key}` has `{shown}`, of which the user said: \"{clause}\"",
        "`{key}` 中有 `{shown}`，而用户说的是：“{clause}”"
    );
    let hint = localized!(asked.subject.language, "take only what was asked for", "请只处理用户要求的对象");
    slips.push(Slip::on(asked, item, &EXTRA, Strength::Strong, Says { evidence, hint }));
}

/// A record that the clause does not name while it names others, and the other clause that speaks of it.
fn split_by<'t>(records: &[&Record<'_>], clauses: &[&'t str], at: usize, clause: &str) -> Option<(usize, &'t str)> {
    let named = |record: &Record<'_>, text: &str| words_of(record).iter().any(|word| stands(text, word));
    // A word that all of them have tells nothing apart.
    let common = |word: &String| records.iter().all(|record| words_of(record).contains(word));
    let names =
        |record: &Record<'_>, text: &str| words_of(record).iter().any(|word| !common(word) && stands(text, word));
    let inside = records.iter().filter(|record| names(record, clause)).count();
    // A name between commas is a member of a row and no clause.
    if inside == 0 || inside == records.len() || words(clause).len() < SHORTEST {
        return None;
    }
    let mut found = None;
    for (index, record) in records.iter().enumerate().filter(|(_, record)| !names(record, clause)) {
        let own = clauses.iter().enumerate().find(|(other, text)| *other != at && names(record, text))?;
        let joined = Cue::named("joins-in").stands_in(own.1) || begins_joined(own.1) || words(own.1).len() < SHORTEST;
        let inside_too = records.iter().any(|other| names(other, clause) && named(other, own.1) && names(other, own.1));
        if joined || inside_too {
            return None;
        }
        found.get_or_insert((index, *own.1));
    }
    found
}

fn begins_joined(clause: &str) -> bool {
    let clause = clause.trim_start();
    ["and ", "plus ", "和", "还有", "以及", "再"].iter().any(|word| clause.starts_with(word))
}

fn stands(text: &str, word: &str) -> bool {
    place_of(text, word).is_some()
}

/// A text cut where its clauses end.
fn clauses(lower: &str) -> Vec<&str> {
    let parts = lower.split([',', '.', ';', '!', '?', '，', '。', '；', '！', '？', '\n']);
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A clause has at least so many words; a Chinese character is one.
const SHORTEST: usize = 4;
