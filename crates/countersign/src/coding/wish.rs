//! What the user's words of this turn ask for, as far as it lets a call pass: their own changes thrown away, a path that they
//! name changed or removed, a command that the agent showed them and they agreed to.
//!
//! A word for what others share (a branch of the remote, a cluster) is never enough: there a person must look at the call.

use super::place::Place;
use super::shell::Ran;
use crate::check_call::action::request::is_confirmation;
use crate::check_call::danger::path::is_secret;
use crate::text::deeds::reading::{Reading, Stance};
use crate::text::lexicon::{DeedEffect, Deeds};
use std::cell::OnceCell;

/// The user's words of this turn.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    words: String,
    reading: OnceCell<Reading>,
    /// Commands that the agent showed in its last message and that these words agree to.
    agreed: Vec<String>,
}

impl Wishes {
    /// Reads the words of a prompt and the commands that the agent showed before it.
    pub(crate) fn of(words: &str, offered: &[String]) -> Self {
        let agrees = words.chars().count() <= MAX_AGREEMENT && is_confirmation(words);
        let agreed = offered.iter().filter(|_| agrees).map(|command| squeeze(command)).collect();
        Self { words: words.to_owned(), reading: OnceCell::new(), agreed }
    }

    /// Whether they want something thrown away, and call it by one of these beginnings of words.
    pub(crate) fn want_gone(&self, names: &[&str]) -> bool {
        let reading = self.reading();
        let wanted = reading.of_deeds(gone()).filter(|mention| mention.stance == Stance::Wanted);
        let clauses: Vec<usize> = wanted.map(|mention| mention.clause).collect();
        clauses.iter().filter_map(|at| reading.clauses.get(*at)).any(|clause| {
            let begins = |name: &&str| clause.words.iter().any(|word| word.folded.starts_with(name));
            names.iter().any(|name| begins(name) || (!name.is_ascii() && clause.text.contains(name)))
        })
    }

    /// Whether they name a path, or a folder around it, and want it removed or changed. Key files are never meant.
    pub(crate) fn name_path(&self, full: &str, removes: bool, place: &Place) -> bool {
        let home = place.home.as_deref().unwrap_or_default();
        let below = full.strip_prefix(home).filter(|_| !home.is_empty());
        let short = below.map(|rest| format!("~{rest}"));
        // Neither the home itself nor a folder of the root.
        let deep = below.map_or(full.matches('/').count() >= 2, |rest| rest.len() > 1);
        let named =
            || [Some(full.to_owned()), short].into_iter().flatten().any(|path| stands_alone(&self.words, &path));
        let wants = || {
            let acts = |deeds: &Deeds| if removes { deeds.meet(&gone()) } else { deeds.effect() >= DeedEffect::Write };
            let mut mentions = self.reading().mentions.iter();
            mentions.any(|mention| mention.stance == Stance::Wanted && acts(&mention.deeds))
        };
        deep && !is_secret(full) && named() && wants()
    }

    /// Whether they agree to this very command.
    pub(crate) fn agree_to(&self, ran: &Ran) -> bool {
        !self.agreed.is_empty() && self.agreed.contains(&ran.words.join(" "))
    }

    fn reading(&self) -> &Reading {
        self.reading
            .get_or_init(|| if self.words.len() > MAX_REQUEST { Reading::default() } else { Reading::of(&self.words) })
    }
}

/// The deeds after which a thing is not there as it was.
fn gone() -> Deeds {
    Deeds::named(&["delete", "remove", "clear", "restore", "revert", "undo"])
}

/// The commands that a message shows in backticks.
pub(crate) fn offered(message: &str) -> Vec<String> {
    let parts = message.split('`').skip(1).step_by(2).map(squeeze);
    parts.filter(|part| part.contains(' ') && part.len() <= MAX_COMMAND).take(MAX_OFFERED).collect()
}

/// Whether a path stands in a text and does not go on there.
fn stands_alone(text: &str, path: &str) -> bool {
    let goes_on = |next: char| next.is_alphanumeric() || "/-_".contains(next);
    let ends = |at: usize| {
        let rest = text.get(at + path.len()..).unwrap_or_default().trim_start_matches('/');
        let mut next = rest.chars();
        match next.next() {
            // A full stop ends a sentence, or goes on to an ending.
            Some('.') => !next.next().is_some_and(char::is_alphanumeric),
            next => !next.is_some_and(goes_on),
        }
    };
    let begins =
        |at: usize| !text.get(..at).unwrap_or_default().ends_with(|c: char| c.is_alphanumeric() || "/~.".contains(c));
    !path.is_empty() && text.match_indices(path).any(|(at, _)| begins(at) && ends(at))
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A longer text agrees to more than it shows.
const MAX_AGREEMENT: usize = 80;
/// A longer text is a document, not one request.
const MAX_REQUEST: usize = 4000;
const MAX_COMMAND: usize = 300;
const MAX_OFFERED: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_gone_is_told_from_what_is_only_named() {
        // HOOK-1
        let changes = ["change", "work", "commit", "改动"];
        for yes in [
            "Discard all my changes, I start over.",
            "please throw away my uncommitted work",
            "Undo the last commit completely and drop the changes.",
            "把我的改动都丢掉",
        ] {
            assert!(Wishes::of(yes, &[]).want_gone(&changes), "{yes}");
        }
        for no in [
            "Delete the helper function.",
            "Don't throw away my changes.",
            "Why did the changes get discarded?",
            "Commit my changes.",
            "别丢掉我的改动",
        ] {
            assert!(!Wishes::of(no, &[]).want_gone(&changes), "{no}");
        }
    }

    #[test]
    fn paths_are_named_and_commands_agreed_to() {
        // HOOK-1
        let place = Place { home: Some("/home/dev".to_owned()), ..Place::default() };
        let named = |words: &str, path: &str| Wishes::of(words, &[]).name_path(path, true, &place);
        assert!(named("Remove ~/.m2/repository/org/acme, it is broken.", "/home/dev/.m2/repository/org/acme"));
        assert!(named("delete /srv/old-site.", "/srv/old-site"));
        assert!(!named("Look at /srv/old-site.", "/srv/old-site"));
        assert!(!named("Delete /srv/old-site/cache", "/srv/old-site"));
        assert!(!named("Delete ~/.ssh/id_rsa", "/home/dev/.ssh/id_rsa"));
        let git = |words: &str| {
            let ran = crate::coding::shell::commands("git clean -fdx").remove(0);
            Wishes::of(words, &offered("`git clean  -fdx` would remove out/. Shall I?")).agree_to(&ran)
        };
        assert!(git("yes, do it"));
        assert!(!git("What does it do?"));
    }
}
