//! Whether a few words follow from what was said.
//!
//! One part that was said is enough: people write `Paris` and models `Paris, France`. Before words are called
//! fabricated, other names of the same thing, abbreviations, slips of the pen and other languages are ruled out.

use super::alias;
use super::moments;
use super::sources::Sources;
use crate::contract::language::is_han;
use crate::conversation::tokens::{Run, runs};
use crate::text::lists::word_list;
use strsim::osa_distance;

/// Whether a folded value of a few words follows.
pub(crate) fn follow(value: &str, folded: &str, sources: &Sources<'_>) -> bool {
    // `Springfield, IL`: the first part is the name, the rest completes it.
    let head = folded.split([',', '(']).next().unwrap_or(folded).trim();
    [folded, head].iter().any(|name| alias::others(name).any(|other| sources.said(other) || is_said(other, sources)))
        || is_foreign(folded, sources)
        || GRADES.contains(&folded)
        || TECHNICAL.contains(&value)
        || moments::named(folded, sources)
        || part_was_said(head, sources)
        || is_abbreviation(value, sources)
        || is_abbreviated(head, sources)
        || is_misspelt(head, sources)
}

/// Whether the words of a text the model wrote have nothing at all to do with what was said.
///
/// A translation has other words by nature, so nothing is said where languages were spoken of, or none that we know.
pub(crate) fn are_strange(folded: &str, sources: &Sources<'_>) -> bool {
    if !folded.is_ascii() || !sources.any_word(ENGLISH) || sources.any_word(LANGUAGES) {
        return false;
    }
    let mut content = 0;
    for run in runs(folded) {
        match run {
            Run::Latin(word) if word.len() > 3 && !EMPTY.contains(&word) => {
                if sources.word(word)
                    || sources.any(|tokens| tokens.begins_like(word))
                    || sources.tool().tokens().has_word(word)
                {
                    return false;
                }
                content += 1;
            }
            Run::Latin(_) => {}
            _ => return false,
        }
    }
    content >= 3
}

/// A currency sign has no word borders.
fn is_said(other: &str, sources: &Sources<'_>) -> bool {
    !other.chars().any(char::is_alphanumeric) && sources.text().contains(other)
}

/// Whether a word of the name was said, or the whole name is in the tool's text.
fn part_was_said(head: &str, sources: &Sources<'_>) -> bool {
    let pieces = runs(head);
    let counts = |run: &&Run<'_>| match run {
        Run::Latin(word) => word.len() > 2 && !EMPTY.contains(word),
        Run::Number(_) => false,
        Run::Mixed(_) | Run::Foreign(_) => true,
        Run::Han(pair) => pair.chars().count() == 2,
    };
    let content: Vec<&Run<'_>> = pieces.iter().filter(counts).collect();
    if content.is_empty() {
        return true;
    }
    let said = |run: &&&Run<'_>| match run {
        Run::Latin(word) => sources.word(word) || sources.any(|tokens| tokens.begins_like(word)),
        Run::Mixed(run) | Run::Foreign(run) | Run::Han(run) | Run::Number(run) => sources.any(|t| t.has_exact(run)),
    };
    let declared = |run: &&&Run<'_>| match run {
        Run::Latin(word) => sources.tool().tokens().has_word(word),
        _ => false,
    };
    content.iter().any(|run| said(&run)) || content.iter().all(|run| declared(&run)) || sources.squashed(head)
}

/// `SD` for San Diego, `MSFT` for Microsoft: a short word in capitals whose letters are in what was said.
pub(crate) fn is_abbreviation(value: &str, sources: &Sources<'_>) -> bool {
    // `BRK.B`: a share of the second class.
    let letters = value.trim();
    let letters = letters.split_once('.').filter(|(_, class)| class.len() == 1).map_or(letters, |(name, _)| name);
    if !(2..=5).contains(&letters.len()) || !letters.bytes().all(|b| b.is_ascii_uppercase()) {
        return false;
    }
    let letters = letters.to_ascii_lowercase();
    let words = || tail(sources.text()).split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let within = |word: &str| {
        word.len() > letters.len() && word.get(..1) == letters.get(..1) && letters.chars().all(|c| word.contains(c))
    };
    words().any(within) || initials_said(&letters, words())
}

fn initials_said<'a>(letters: &str, words: impl Iterator<Item = &'a str>) -> bool {
    let initials: Vec<u8> = words.filter_map(|word| word.bytes().next()).collect();
    initials.windows(letters.len()).any(|window| window == letters.as_bytes())
}

/// `Los Angeles` for `LA`: the initials were said.
fn is_abbreviated(head: &str, sources: &Sources<'_>) -> bool {
    let initials: String = head.split_whitespace().filter_map(|word| word.chars().next()).collect();
    initials.len() >= 2 && sources.any(|tokens| tokens.has_exact(&initials))
}

/// A word that was said with a slip of the pen.
fn is_misspelt(head: &str, sources: &Sources<'_>) -> bool {
    let words = || tail(sources.text()).split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() >= 5);
    let near = |word: &str| {
        let bound = 1 + usize::from(word.len() >= 7);
        // The first letter is seldom the wrong one.
        words().any(|said| {
            said.as_bytes().first() == word.as_bytes().first()
                && said.len().abs_diff(word.len()) <= bound
                && osa_distance(said, word) <= bound
        })
    };
    head.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() >= 5).any(near)
}

/// Whether the value is in another script than the conversation: a translation cannot be seen.
fn is_foreign(folded: &str, sources: &Sources<'_>) -> bool {
    let tokens = sources.tokens();
    let han = folded.chars().any(is_han);
    let latin = folded.bytes().any(|b| b.is_ascii_alphabetic());
    (han && tokens.han < 2) || (latin && !han && (tokens.han * 8 > tokens.latin || tokens.foreign * 2 > tokens.latin))
}

/// The newest part of a text, at a character border.
fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(MAX_TAIL);
    (from..text.len().min(from + 4)).find_map(|from| text.get(from..)).unwrap_or(text)
}

const MAX_TAIL: usize = 8192;

/// Words that say nothing about where a value comes from.
const EMPTY: &[&str] = word_list!("check_call", "provenance/names/empty");

/// Words of machines that everybody who works with them knows, as they are written.
const TECHNICAL: &[&str] = word_list!("check_call", "provenance/names/technical");

/// Words that grade: people leave them to the model.
const GRADES: &[&str] = word_list!("check_call", "provenance/names/grades");

const ENGLISH: &[&str] = word_list!("check_call", "provenance/names/english");

const LANGUAGES: &[&str] = word_list!("check_call", "provenance/names/languages");
