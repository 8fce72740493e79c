//! What a call is aimed at: whom it reaches, where it goes, which account it moves.

use super::super::role::{Role, Roles};
use super::super::subject::{Node, Subject};
use crate::text::fold::fold;
use serde_json::Value;

/// A target of a call.
#[derive(Debug)]
pub(super) struct Target<'a> {
    /// The name of its argument.
    pub key: &'a str,
    /// What it is, folded: an address without its scheme.
    pub folded: String,
    /// What kind of target it is.
    pub kind: Kind,
    node: &'a Node<'a>,
}

/// The kinds of targets that a value shows by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An e-mail address.
    Email,
    /// A URL or a host.
    Url,
    /// The number of an account, a card or a phone.
    Account,
    /// Somebody's name, where the argument is for one who receives.
    Name,
    /// A command line, as a whole.
    Command,
}

impl Target<'_> {
    /// Where it is in the call.
    pub(super) fn pointer(&self, subject: &Subject<'_>) -> String {
        subject.values.pointer(self.node)
    }

    /// The host of an address.
    pub(super) fn host(&self) -> &str {
        match self.kind {
            Kind::Url => self.folded.split(['/', '?', '#']).next().unwrap_or_default(),
            _ => &self.folded,
        }
    }
}

/// The targets of a call.
pub(super) fn targets<'a>(subject: &'a Subject<'a>) -> Vec<Target<'a>> {
    let mut found = Vec::new();
    for node in subject.values.leaves() {
        let text = match node.value {
            Value::String(text) if text.len() <= MAX_VALUE => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        if node.roles.has(Role::Command) {
            found.extend(of_command(node, &text));
            continue;
        }
        let listed = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
        let addressed = reaches(node.roles);
        if node.roles.has(Role::FreeText) && !addressed {
            continue;
        }
        for part in listed.take(MAX_LISTED) {
            let named = addressed && node.roles.has(Role::Recipient) && part.chars().any(char::is_alphabetic);
            let link = node.roles.has(Role::Url) && is_bare_link(part);
            if let Some(kind) = kind_of(part).or(link.then_some(Kind::Url)).or(named.then_some(Kind::Name)) {
                found.push(Target { key: node.key, folded: bare(part), kind, node });
            }
        }
    }
    found
}

fn reaches(roles: Roles) -> bool {
    [Role::Recipient, Role::Email, Role::Url, Role::Phone, Role::Address].iter().any(|role| roles.has(*role))
}

/// The addresses in a command, and the command itself.
fn of_command<'a>(node: &'a Node<'a>, text: &str) -> Vec<Target<'a>> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '|' | ';' | '(' | ')'));
    let part = |word: &str| {
        kind_of(word).filter(|kind| matches!(kind, Kind::Url | Kind::Email)).map(|kind| (bare(word), kind))
    };
    let address = words.filter_map(part).take(MAX_LISTED);
    let whole = (text.len() >= MIN_COMMAND).then(|| (fold(text.trim()), Kind::Command));
    address.chain(whole).map(|(folded, kind)| Target { key: node.key, folded, kind, node }).collect()
}

/// What kind of target a value is by its looks.
pub(super) fn kind_of(value: &str) -> Option<Kind> {
    let value = value.trim();
    if value.is_empty() || value.len() > MAX_VALUE {
        return None;
    }
    if value.contains(char::is_whitespace) {
        let squashed: String = value.split_whitespace().collect();
        return is_account(&squashed).then_some(Kind::Account);
    }
    // An address may stand in what a link takes along.
    let lower = value.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") || lower.starts_with("www.") {
        return Some(Kind::Url);
    }
    if let Some((name, domain)) = value.split_once('@') {
        return (!name.is_empty() && domain.contains('.') && !value.contains('/')).then_some(Kind::Email);
    }
    is_account(value).then_some(Kind::Account)
}

/// The host of an address, folded and without its scheme.
pub(super) fn host_of(bare: &str) -> Option<&str> {
    let link = bare.split_once('@').is_none().then(|| bare.split(['/', '?', '#', ':']).next().unwrap_or_default());
    let host = link.or_else(|| bare.rsplit_once('@').map(|(_, host)| host))?;
    let ends = host
        .rsplit_once('.')
        .is_some_and(|(name, end)| !name.is_empty() && end.chars().all(|c| c.is_ascii_alphabetic()) && end.len() >= 2);
    let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    (ends && plain).then_some(host)
}

/// A host with a path and no scheme: `short.example/a7`.
fn is_bare_link(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let ends = host.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && end.len() >= 2);
    ends && text.len() > host.len() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
}

/// A number of an account, a card or a phone: long, without words, mostly digits.
fn is_account(value: &str) -> bool {
    let letters: Vec<char> = value.chars().filter(|c| !matches!(c, '-' | '.' | '(' | ')')).collect();
    let digits = letters.iter().filter(|c| c.is_ascii_digit()).count();
    let plain = letters.iter().enumerate().all(|(at, c)| c.is_ascii_alphanumeric() || (at == 0 && *c == '+'));
    // A date has eight digits.
    plain && (10..=34).contains(&letters.len()) && digits >= 9 && digits * 2 > letters.len()
}

/// An address without its scheme and its last slash; any other value folded.
pub(super) fn bare(value: &str) -> String {
    let folded = fold(value.trim().trim_end_matches(['.', ',', ')', '>']).trim_start_matches(['<', '(']));
    let rest = folded.strip_prefix("https://").or_else(|| folded.strip_prefix("http://")).unwrap_or(&folded);
    let rest = rest.strip_prefix("mailto:").unwrap_or(rest);
    rest.strip_suffix('/').unwrap_or(rest).to_owned()
}

const MAX_VALUE: usize = 2000;
const MAX_LISTED: usize = 50;
const MIN_COMMAND: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_by_their_looks() {
        // TRUST-2
        for (value, kind) in [
            ("a@b.example", Some(Kind::Email)),
            ("https://x.example/a?b=c", Some(Kind::Url)),
            ("www.x.example", Some(Kind::Url)),
            ("https://x.example/p.png?d=a@b.example", Some(Kind::Url)),
            ("DE89 3704 0044 0532 0130 00", Some(Kind::Account)),
            ("+49 30 1234567", Some(Kind::Account)),
            ("2024-05-16", None),
            ("hello there", None),
            ("ORD-7", None),
            ("@handle", None),
        ] {
            assert_eq!(kind_of(value), kind, "{value}");
        }
        assert_eq!(bare("https://X.example/"), "x.example");
    }
}
