//! Names that look like another one that was meant: a host with one letter changed, a package with a letter more. (TRUST-2)
//!
//! Two names that differ by so little are hardly ever both meant. The one that the user said, or that was read first, is the known
//! one; what comes later, and only in somebody's message, imitates it.

use super::super::role::Role;
use super::super::subject::Subject;
use super::acts;
use super::origin::{Place, is_prose, places};
use super::pointing::speaks_of_place;
use super::target::{Kind, bare, host_of};
use crate::contract::codes::trust::UNTRUSTED_TARGET;
use crate::contract::{Finding, Mode};
use crate::conversation::index::stands_in;
use crate::localized;
use crate::text::fold::fold;

/// The finding.
pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let user = subject.conversation.index().user();
    let operator = subject.conversation.index().operator();
    let known = |name: &str| stands_in(user, name) || stands_in(operator, name);
    let own: Vec<_> = subject.values.leaves().filter_map(|node| Some((node, fold(node.value.as_str()?)))).collect();
    let found = own.iter().find_map(|(node, text)| {
        let command = node.roles.has(Role::Command);
        names_in(text, command).filter(|name| !known(&name.text)).find_map(|name| {
            let meant = name.meant(subject)?;
            (!own.iter().any(|(_, text)| stands_in(text, &meant))).then_some((*node, name, meant))
        })
    });
    let (node, name, meant) = found?;
    let (key, name) = (node.key, &name.text);
    let evidence = localized!(
        subject.language,
        "`{key}` holds `{name}`, which looks like `{meant}` and is another one",
        "`{key}` 中的 `{name}` 与 `{meant}` 很像，却不是同一个"
    );
    let hint = localized!(subject.language, "use `{meant}`, or ask the user", "请使用 `{meant}`，或先询问用户");
    let mut finding = Finding::new(&UNTRUSTED_TARGET, subject.values.pointer(node), evidence).hint(hint);
    if !acts(subject) {
        finding.mode = Mode::Advise;
    }
    Some(finding)
}

/// A name that somebody can imitate.
struct Name {
    text: String,
    /// Whether it is the host of an address, and no name of a package.
    host: bool,
}

/// The hosts in a text, and the names that a command takes.
fn names_in(text: &str, command: bool) -> impl Iterator<Item = Name> {
    let word = move |word: &str| {
        let written = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = bare(written);
        // `report.txt` is a file; an address has a scheme, a mailbox or a path.
        let address = written.contains(['@', '/']);
        if let Some(host) = host_of(&word).filter(|_| address) {
            return Some(Name { text: host.to_owned(), host: true });
        }
        let name = word.split(['=', '@', ':', '<', '>', '~', '^']).next().unwrap_or_default();
        let plain =
            name.len() >= MIN_NAME && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        (command && plain).then(|| Name { text: name.to_owned(), host: false })
    };
    text.split(|c: char| c.is_whitespace() || !c.is_ascii() || matches!(c, '"' | '\'' | ',' | ';' | '|' | '(' | ')'))
        .take(MAX_WORDS)
        .filter_map(word)
        .collect::<Vec<_>>()
        .into_iter()
}

impl Name {
    /// The name that this one looks like and that the user said, or that was read before it.
    fn meant(&self, subject: &Subject<'_>) -> Option<String> {
        let alike = |other: &Name| other.host == self.host && self.imitates(&other.text);
        let own: Vec<Place<'_>> = places(subject).filter(|place| stands_in(&place.leaf.text, &self.text)).collect();
        // A card of a person mends a misspelt host, and is read after many a message.
        if self.host && !own.iter().all(|place| is_message(subject, place)) {
            return None;
        }
        let user = subject.conversation.index().user();
        if let Some(said) = names_in(user, !self.host).find(alike) {
            // A misspelt package is mended by what was found; one that is found as it was said is meant.
            let is_found = || places(subject).any(|place| place.leaf.text == said.text);
            return (self.host || is_found()).then_some(said.text);
        }
        let first = own.iter().map(|place| place.message).min().filter(|_| self.host)?;
        if speaks_of_place(subject, Kind::Email) || speaks_of_place(subject, Kind::Url) {
            return None;
        }
        let before = places(subject).filter(|place| place.message < first);
        before.flat_map(|place| names_in(&place.leaf.text, false)).find(alike).map(|name| name.text)
    }

    fn imitates(&self, other: &str) -> bool {
        let (own, known) = if self.host { (brand(&self.text), brand(other)) } else { (self.text.as_str(), other) };
        own != known && looks_like(own, known)
    }
}

/// Whether a place is in somebody's words, or beside them: no card of a person and no list of values.
fn is_message(subject: &Subject<'_>, place: &Place<'_>) -> bool {
    let told = subject.conversation.told(place.message).into_iter().flat_map(|told| &told.leaves);
    let mut beside = told.filter(|leaf| leaf.result == place.leaf.result && leaf.record == place.leaf.record);
    beside.any(|leaf| is_prose(&leaf.text))
}

/// The part of a host that somebody chose: `lumen` of `mail.lumen.co.uk`.
fn brand(host: &str) -> &str {
    let mut parts = host.rsplit('.').skip(1).peekable();
    while parts.peek().is_some_and(|part| SUFFIXES.contains(part)) {
        let suffix = parts.next().unwrap_or_default();
        if parts.peek().is_none() {
            return suffix;
        }
    }
    parts.next().unwrap_or_default()
}

/// Whether a name is another one with a letter changed, more or less, with a hyphen moved, or with letters that look the same.
fn looks_like(own: &str, known: &str) -> bool {
    let plain = |name: &str| name.replace(['-', '_'], "");
    let shown = |name: &str| name.replace("rn", "m").replace("vv", "w").replace('0', "o").replace(['1', 'i'], "l");
    if known.len() < MIN_NAME || own.len() < MIN_NAME {
        return false;
    }
    plain(own) == plain(known) || shown(own) == shown(known) || differs_by_letter(own, known)
}

/// Whether one letter inside a longer word is another: `team-a` and `team-b`, `node1` and `node2` are two by intention.
fn differs_by_letter(own: &str, known: &str) -> bool {
    let same = own.chars().zip(known.chars()).take_while(|(own, known)| own == known).count();
    let tail = own.chars().rev().zip(known.chars().rev()).take_while(|(own, known)| own == known).count();
    let rest = |name: &str| -> String {
        let count = name.chars().count();
        let end = count.saturating_sub(tail).max(same);
        name.chars().take(end).skip(same).collect()
    };
    let (left, right) = (rest(own), rest(known));
    let letters = left.chars().chain(right.chars()).all(|c| c.is_ascii_alphabetic());
    let word = |name: &str| {
        let mut at = 0;
        let part = name.split(['-', '_', '.']).find(|part| {
            at += part.len() + 1;
            at > same
        });
        part.is_some_and(|part| part.len() >= MIN_PART)
    };
    letters && strsim::osa_distance(own, known) == 1 && word(own) && word(known)
}

const MIN_NAME: usize = 6;
const MIN_PART: usize = 4;
const MAX_WORDS: usize = 4000;
/// What stands behind a chosen name beside the last part of a host.
const SUFFIXES: &[&str] = &["example", "co", "com", "org", "net", "gov", "edu", "ac"];

#[cfg(test)]
mod tests {
    use super::*;

    // TRUST-2
    #[test]
    fn a_name_with_a_letter_changed_looks_like_the_other() {
        for (own, known) in [
            ("lumenbank", "lurnenbank"),
            ("harborline", "harbor-line"),
            ("nordwind", "nordwlnd"),
            ("python-dateutils", "python-dateutil"),
            ("green-tecn", "green-tech"),
        ] {
            assert!(looks_like(own, known), "{own} {known}");
        }
        for (own, known) in [
            ("gitlab", "github"),
            ("shop-a", "shop-b"),
            ("worker1", "worker2"),
            ("north", "worth"),
            ("harbor-line", "harbor-lane-two"),
        ] {
            assert!(!looks_like(own, known), "{own} {known}");
        }
        assert_eq!(brand("mail.lumen.co.uk"), "lumen");
        assert_eq!(brand("lumen-mail.example.org"), "lumen-mail");
        assert_eq!(brand("lumen.example"), "lumen");
    }
}
