//! Whether a rename only changes the spelling of a name, and so keeps what it says.
//!
//! The words of both names are compared. Case, separators, a plural and a slip of the finger are spelling. What is left over
//! or replaced must not carry meaning: `lock` is no misspelt `unlock`, `get` none of `set`, and `dry_run_deploy` is not
//! `run_deploy`. Words are told from slips by how people mistype (inside a word, in long words, never its beginning), and by
//! whether anybody here uses the written word as it stands; there is no list of opposites to keep.

use super::effects::{by_name, lexicon};
use super::nearest::{is_action, is_connection, is_generic};
use crate::contract::Role as Speaker;
use crate::contract::language::is_han;
use crate::conversation::Conversation;
use crate::text::lists::word_list;
use crate::text::words::{identifier_words, narrow, words};

/// Whether a name says the same as the known name that it was taken for.
pub(crate) fn keeps_meaning(written: &str, known: &str, is_used: &dyn Fn(&str) -> bool) -> bool {
    if !same_signs(written, known) {
        return false;
    }
    let (mine, theirs) = (identifier_words(&fold_spelling(written)), identifier_words(&fold_spelling(known)));
    if mine.concat() == theirs.concat() {
        return true;
    }
    let (lost, added) = (without(&mine, &theirs), without(&theirs, &mine));
    match (lost.as_slice(), added.as_slice()) {
        // The same words: `a_to_b` is not `b_to_a`.
        ([], []) => !mine.iter().any(|word| is_connection(word)),
        ([], more) | (more, []) => !more.iter().any(|word| carries_meaning(word)),
        (lost, added) if lost.len() == added.len() => {
            lost.iter().zip(added).all(|(lost, added)| is_slip(lost, added, is_used))
        }
        (lost, added) => {
            !lost.iter().chain(added).any(|word| carries_meaning(word))
                && is_slip(&lost.concat(), &added.concat(), is_used)
        }
    }
}

/// Whether the words in front of a name (or behind it) are a namespace, and no part of what is done.
pub(crate) fn is_namespace(written: &str, known: &str, acts: bool, is_shared: &dyn Fn(&str) -> bool) -> bool {
    let (mine, theirs) = (identifier_words(written), identifier_words(known));
    let (lost, added) = (without(&mine, &theirs), without(&theirs, &mine));
    let (longer, kept) = if lost.is_empty() { (known, written) } else { (written, known) };
    let apart = is_set_apart(longer, kept);
    let verb = |word: &str| lexicon::verb(word).is_some_and(|verb| !verb.thing);
    lost.iter().chain(&added).all(|word| {
        let evident = is_generic(word) || word.chars().all(|c| c.is_ascii_digit()) || is_shared(word);
        !says_how(word) && (apart || !verb(word)) && (!acts || apart || evident)
    })
}

/// Whether two names tell of the same effect, as far as both tell any.
pub(crate) fn same_effect(written: &str, known: &str) -> bool {
    match (by_name(written), by_name(known)) {
        (Some(mine), Some(theirs)) => mine == theirs,
        _ => true,
    }
}

/// Whether a word may not be dropped or added: a deed, a negation, a connection, how it is done.
pub(crate) fn carries_meaning(word: &str) -> bool {
    let harmless = ["is", "has"].contains(&word);
    !harmless
        && (lexicon::verb(word).is_some()
            || is_action(word)
            || is_connection(word)
            || says_how(word)
            || word.contains(is_han))
}

/// Whether somebody wrote a word in the conversation, lately. What tools gave back counts for nothing here.
pub(crate) fn is_said(said: &Conversation, word: &str) -> bool {
    let spoken = said.messages().iter().rev().filter(|message| message.role != Speaker::Tool);
    let mut left = MAX_TEXT;
    let near = spoken.take_while(|message| {
        let there = left > 0;
        left = left.saturating_sub(message.text.len());
        there
    });
    near.into_iter().any(|message| holds(&message.text, word))
}

/// Whether a text holds a word.
pub(crate) fn holds(text: &str, word: &str) -> bool {
    let end = text.floor_char_boundary(MAX_TEXT);
    words(text.get(..end).unwrap_or(text)).iter().any(|found| found.folded == word)
}

/// Whether a word says that something is not done, not for real, or to all.
fn says_how(word: &str) -> bool {
    HOW.contains(&word)
}

/// Whether the lost part stands apart as namespaces do: `fs.read_file`, `mcp__fs__read_file`, `Trains_1_FindTrains`.
fn is_set_apart(longer: &str, kept: &str) -> bool {
    let bare =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let kept = bare(kept);
    let borders = longer.match_indices(|c: char| "./:".contains(c)).map(|(at, mark)| at + mark.len());
    let doubled = longer.match_indices("__").map(|(at, _)| at + 2);
    let numbered = longer.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at + 1);
    let mut borders = borders.chain(doubled).chain(numbered);
    borders.any(|at| longer.get(at..).is_some_and(|rest| bare(rest) == kept))
}

/// The words of one name that the other does not have.
fn without(words: &[String], other: &[String]) -> Vec<String> {
    let mut rest = other.to_vec();
    let mut found = words.to_vec();
    found.retain(|word| match rest.iter().position(|other| other == word) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    });
    found
}

/// Whether both have the same signs beside letters, digits and separators: `!active` is not `active`, `-1` not `1`.
fn same_signs(written: &str, known: &str) -> bool {
    let signs = |text: &str| {
        let text: Vec<char> = text.trim().chars().map(narrow).collect();
        let sign = |at: usize, c: char| match c {
            '-' => at == 0 && text.get(1).is_some_and(char::is_ascii_digit),
            c => !c.is_alphanumeric() && !c.is_whitespace() && !"_./:,'\"()[]".contains(c),
        };
        let found: String = text.iter().enumerate().filter(|(at, c)| sign(*at, **c)).map(|(_, c)| *c).collect();
        found
    };
    signs(written) == signs(known)
}

fn fold_spelling(text: &str) -> String {
    text.chars().map(narrow).collect()
}

/// Whether one word is the other with a slip of the finger in it.
fn is_slip(written: &str, known: &str, is_used: &dyn Fn(&str) -> bool) -> bool {
    // Every Chinese character is a word: 未读 is not 已读. Another digit is another thing.
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    if format!("{written}{known}").contains(is_han) || digits(written) != digits(known) {
        return false;
    }
    if is_plural(written, known) || is_plural(known, written) {
        return true;
    }
    // What only stands in front makes another word: `un`, `de`, `re`, whatever it is.
    if written.ends_with(known) || known.ends_with(written) {
        return false;
    }
    let is_word = lexicon::inflected(written).is_some() || is_action(written) || is_connection(written);
    !is_word && !says_how(written) && !is_used(written) && edits(written, known).is_some_and(|edits| edits.is_slip())
}

fn is_plural(many: &str, one: &str) -> bool {
    let ies = || many.strip_suffix("ies").zip(one.strip_suffix('y')).is_some_and(|(a, b)| a == b);
    many.strip_suffix('s') == Some(one) && one.len() > 1 || many.strip_suffix("es") == Some(one) || ies()
}

/// How two words differ.
struct Edits {
    distance: usize,
    /// The place of the first letter that differs.
    first: usize,
    longest: usize,
    same_length: bool,
    swapped: bool,
    /// Only vowels and doubled letters differ.
    same_sound: bool,
    /// The written word has no vowel, so that it is none: `lst`.
    clipped: bool,
}

impl Edits {
    fn is_slip(&self) -> bool {
        match self.distance {
            1 if self.swapped => true,
            1 if self.first == 0 => false,
            1 if self.clipped => true,
            // Another letter in a short word makes another word: `lock` and `look`.
            1 if self.same_length => self.longest >= 6 && self.first >= 2,
            1 => self.longest >= 4,
            2 => self.longest >= 8 && self.first >= 2 && self.same_sound,
            _ => false,
        }
    }
}

fn edits(written: &str, known: &str) -> Option<Edits> {
    let (mine, theirs): (Vec<char>, Vec<char>) = (written.chars().collect(), known.chars().collect());
    let longest = mine.len().max(theirs.len());
    if longest > MAX_WORD {
        return None;
    }
    let first = mine.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
    let swapped = mine.len() == theirs.len()
        && mine.get(first) == theirs.get(first + 1)
        && mine.get(first + 1) == theirs.get(first)
        && mine.get(first + 2..) == theirs.get(first + 2..);
    Some(Edits {
        distance: strsim::osa_distance(written, known),
        first,
        longest,
        same_length: mine.len() == theirs.len(),
        swapped,
        same_sound: consonants(&mine) == consonants(&theirs),
        clipped: mine.len() > 1 && !mine.iter().any(|c| "aeiouy".contains(*c)) && mine.len() < theirs.len(),
    })
}

/// The consonants of a word, a doubled one once.
fn consonants(word: &[char]) -> Vec<char> {
    let mut found: Vec<char> = word.iter().copied().filter(|c| !"aeiouy".contains(*c)).collect();
    found.dedup();
    found
}

/// Words that turn a deed round, take the reality from it, or widen it. A closed class, as prepositions are.
const HOW: &[&str] = word_list!("check_call", "spelling/how");
const MAX_WORD: usize = 64;
const MAX_TEXT: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(written: &str, known: &str) -> bool {
        keeps_meaning(written, known, &|_| false) && same_effect(written, known)
    }

    #[test]
    fn another_meaning_is_no_misspelling() {
        // MEANING-5, CALL-1, CALL-3
        for (written, known) in [
            ("lock_door", "unlock_door"),
            ("unlock_door", "lock_door"),
            ("block_user", "unblock_user"),
            ("encrypt", "decrypt"),
            ("get_user", "set_user"),
            ("dry_run_deploy", "run_deploy"),
            ("enable", "disable"),
            ("start", "stop"),
            ("look_door", "lock_door"),
            ("read_file", "reap_file"),
            ("reap_file", "read_file"),
            ("ascending", "descending"),
            ("min_price", "max_price"),
            ("is_active", "inactive"),
            ("increase_volume", "decrease_volume"),
            ("upload_file", "unload_file"),
            ("change_card", "charge_card"),
            ("no_cache", "cache"),
            ("readable", "unreadable"),
            ("include_tax", "exclude_tax"),
            ("import_data", "export_data"),
            ("usd_to_eur", "eur_to_usd"),
            ("get_user_v1", "get_user_v2"),
            ("get_transaction", "get_translation"),
            ("!active", "active"),
            ("-1", "1"),
            ("c++", "c"),
            ("未读邮件列表", "读邮件列表"),
            ("不公开发布", "公开发布"),
            ("turn_on", "turn_off"),
            ("mount_disk", "unmount_disk"),
            ("delete_files", "delete_all_files"),
        ] {
            assert!(!kept(written, known), "{written} -> {known}");
        }
    }

    #[test]
    fn spelling_is_put_right() {
        // CALL-1, CALL-3
        for (written, known) in [
            ("getWeather", "get_weather"),
            ("get_waether", "get_weather"),
            ("get_wether", "get_weather"),
            ("serch_files", "search_files"),
            ("creat_user", "create_user"),
            ("list_file", "list_files"),
            ("get_category", "get_categories"),
            ("farenheit", "fahrenheit"),
            ("celcius", "celsius"),
            ("file_read", "read_file"),
            ("username", "user_name"),
            ("adress", "address"),
            ("kilometres", "kilometers"),
            ("lst_files", "list_files"),
            ("is_active", "active"),
            ("FAHRENHEIT ", "fahrenheit"),
            ("seperate_calender", "separate_calendar"),
            ("ｃｅｌｓｉｕｓ", "celsius"),
        ] {
            assert!(kept(written, known), "{written} -> {known}");
        }
        // A word that somebody uses is no slip of another.
        assert!(keeps_meaning("get_contract", "get_contact", &|_| false));
        assert!(!keeps_meaning("get_contract", "get_contact", &|word| word == "contract"));
    }

    #[test]
    fn namespaces_are_told_from_qualifiers() {
        // CALL-1, MEANING-5
        let acts = |written: &str, known: &str| is_namespace(written, known, true, &|_| false);
        assert!(acts("mcp__fs__write_file", "write_file") && acts("fs.write_file", "write_file"));
        assert!(acts("write_file_tool", "write_file") && acts("MakePlan", "Plans_1_MakePlan"));
        assert!(!acts("dry_run_deploy", "run_deploy") && !acts("sandbox.deploy", "deploy"));
        assert!(!acts("soft_write_file", "write_file"));
        assert!(is_namespace("github_search_repos", "search_repos", false, &|_| false));
        assert!(is_namespace("create_issue", "github_create_issue", true, &|word| word == "github"));
    }
}
