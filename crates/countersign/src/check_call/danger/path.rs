//! Where a path leads: to keys and passwords, out of its root, or into the system by climbing.
//!
//! A path that climbs a little (`../src`) is what people write every day. Only one that lands in the system, hides
//! its climbing, or leaves a root that the policy set is found.

use super::text::{Marks, Text};
use crate::check_call::meaning::value::quote;
use crate::check_call::role::Role;
use crate::contract::codes::danger::{SENSITIVE_PATH, TRAVERSAL};
use crate::contract::{Finding, Outcome, Severity};
use crate::localized;
use crate::policy::pattern::Pattern;
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// The finding on a path.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    if !(text.marks.any(Marks::SLASH | Marks::DOT) || text.is(Role::Path)) || text.is_words() {
        return None;
    }
    if text.is(Role::Command) {
        let words = text.text.split(|c: char| c.is_whitespace() || "'\"`;|&<>()=".contains(c));
        return words.filter(|word| word.len() > 3).find_map(|word| sensitive(text, &NormalizedPath::of(word), word));
    }
    if !is_path(text) {
        return None;
    }
    find_at(text, text.text)
}

/// The finding on a path that is in a text.
pub(crate) fn find_at(text: &Text<'_>, written: &str) -> Option<Finding> {
    let place = NormalizedPath::of(strip_scheme(written));
    if is_allowed(text, &place, written) {
        return None;
    }
    escape(text, &place).or_else(|| traversal(text, &place)).or_else(|| sensitive(text, &place, written))
}

/// Whether a text is a path as a whole: by its role, or by how it begins.
fn is_path(text: &Text<'_>) -> bool {
    let value = text.text;
    let drive = value.as_bytes().get(1) == Some(&b':') && value.starts_with(|c: char| c.is_ascii_alphabetic());
    let begins = ["/", "~", "./", "../", "..\\", "\\\\", "file:", "%2e%2e", "%2E%2E", "."]
        .iter()
        .any(|begin| value.starts_with(begin));
    let plain = text.is_plain() && !text.is(Role::Url);
    (text.is(Role::Path) && !text.is(Role::Sql))
        || ((begins || drive) && plain && !text.marks.any(Marks::BLANK))
        || value.starts_with("file:")
}

fn strip_scheme(text: &str) -> &str {
    text.strip_prefix("file://localhost")
        .or_else(|| text.strip_prefix("file://"))
        .or_else(|| text.strip_prefix("file:"))
        .unwrap_or(text)
}

/// A path in one way of writing: decoded, lower case, forward slashes, `.` and `..` resolved.
#[derive(Debug, Default)]
pub(crate) struct NormalizedPath {
    /// The path without climbing.
    pub path: String,
    /// How often it climbs above where it began.
    climbs: usize,
    /// Whether it goes up at all.
    rises: bool,
    /// Whether the climbing was hidden by encoding or doubling.
    hidden: bool,
}

impl NormalizedPath {
    /// Resolves a path.
    pub(crate) fn of(text: &str) -> Self {
        let decoded = decode(text);
        let encoded = decoded
            .as_deref()
            .is_some_and(|decoded| decoded.contains("..") && !text.contains("../") && !text.contains("..\\"));
        let written = decoded.as_deref().unwrap_or(text).replace('\\', "/").to_lowercase();
        let doubled = written.contains("....//") || written.contains("..;/");
        let written = written.replace("....//", "../").replace("..;/", "../");
        let absolute = written.starts_with('/');
        let mut place = Self { hidden: encoded || doubled, ..Self::default() };
        let mut steps: Vec<&str> = Vec::new();
        for step in written.split('/') {
            match step {
                "" | "." => {}
                ".." => {
                    place.rises = true;
                    if steps.pop().is_none() && !absolute {
                        place.climbs += 1;
                    }
                }
                step => steps.push(step),
            }
        }
        place.path = format!("{}{}", if absolute { "/" } else { "" }, steps.join("/"));
        place
    }

    /// The path from the root, as far as it can be told: a drive and the climbing are dropped.
    fn root_path(&self) -> String {
        let path = self.path.trim_start_matches('/');
        let path = path.split_once(':').filter(|(drive, _)| drive.len() == 1).map_or(path, |(_, rest)| rest);
        format!("/{}", path.trim_start_matches('/'))
    }
}

/// Percent-decodes a text up to three times; `None` where nothing is encoded.
fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut text = text.replace("%c0%ae", ".").replace("%C0%AE", ".").replace("%c0%af", "/");
    for _ in 0..3 {
        let mut out = Vec::with_capacity(text.len());
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            let mut ahead = bytes.clone();
            let hex = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
            match (byte, hex(ahead.next()), hex(ahead.next())) {
                (b'%', Some(high), Some(low)) => {
                    out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                    bytes = ahead;
                }
                _ => out.push(byte),
            }
        }
        let next = String::from_utf8_lossy(&out).into_owned();
        if next == text {
            break;
        }
        text = next;
    }
    Some(text)
}

fn is_allowed(text: &Text<'_>, place: &NormalizedPath, written: &str) -> bool {
    text.policy().allow.paths.iter().any(|pattern| pattern.matches(written) || pattern.matches(&place.path))
}

/// Out of the root that the policy sets.
fn escape(text: &Text<'_>, place: &NormalizedPath) -> Option<Finding> {
    let root = text.asked()?.root.as_deref()?;
    let base = NormalizedPath::of(root).path;
    let absolute = place.path.starts_with('/') || place.path.contains(':') || place.path.starts_with('~');
    let below = place
        .path
        .strip_prefix(base.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let inside = if absolute { below } else { place.climbs == 0 };
    if inside {
        return None;
    }
    let value = text.quote();
    let evidence = localized!(text.language, "`{value}` leaves the root `{root}`", "`{value}` 超出了根目录 `{root}`");
    Some(text.finding(&TRAVERSAL, evidence).sure(0.95))
}

/// Climbing that lands in the system or hides itself.
fn traversal(text: &Text<'_>, place: &NormalizedPath) -> Option<Finding> {
    let top = place.path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let system =
        place.rises && place.climbs != 1 && SYSTEM.contains(&top) && (place.climbs >= 2 || place.path.starts_with('/'));
    let hidden = place.hidden && place.rises;
    let secret = place.rises && place.climbs > 0 && is_sensitive(place).is_some();
    if !(system || hidden || secret) {
        return None;
    }
    let value = text.quote();
    let evidence =
        localized!(text.language, "`{value}` climbs out of where it begins", "`{value}` 通过 `..` 跳出了起始目录");
    Some(text.finding(&TRAVERSAL, evidence))
}

/// Keys, passwords and the system's own files.
fn sensitive(text: &Text<'_>, place: &NormalizedPath, written: &str) -> Option<Finding> {
    let entry = is_sensitive(place).filter(|_| !is_allowed(text, place, written))?;
    let value = quote(written);
    let evidence = localized!(text.language, "`{value}` is a sensitive path", "`{value}` 是敏感路径");
    let finding = text.finding(&SENSITIVE_PATH, evidence);
    if entry.doubtful {
        let mut finding = finding.sure(0.6).graded(Severity::Warning);
        finding.outcome = Outcome::Ordinary;
        return Some(finding);
    }
    Some(finding)
}

/// Whether a path holds keys, passwords or tokens, or is the folder of them.
pub(crate) fn is_secret(path: &str) -> bool {
    [path.to_owned(), format!("{}/x", path.trim_end_matches('/'))]
        .iter()
        .any(|path| is_sensitive(&NormalizedPath::of(path)).is_some())
}

fn is_sensitive(place: &NormalizedPath) -> Option<&'static Entry> {
    if !LIST.automaton.as_ref()?.is_match(&place.path) {
        return None;
    }
    let path = place.root_path();
    let public =
        path.ends_with(".pub") || path.ends_with("/known_hosts") || path.ends_with(".example") || path.ends_with(".md");
    LIST.entries.iter().filter(|_| !public).find(|entry| entry.pattern.matches(&path))
}

struct List {
    automaton: Option<AhoCorasick>,
    entries: Vec<Entry>,
}

struct Entry {
    pattern: Pattern,
    doubtful: bool,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&LIST);
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    let lines = PATHS.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut needles = Vec::new();
    let mut entries = Vec::new();
    for line in lines {
        let (doubtful, glob) = line.strip_prefix('?').map_or((false, line), |rest| (true, rest));
        let longest = glob.split('*').max_by_key(|part| part.len()).unwrap_or_default();
        // A bare file name has no slash before it.
        needles.push(longest.trim_start_matches('/').to_owned());
        entries.push(Entry { pattern: Pattern::new(glob), doubtful });
    }
    List { automaton: AhoCorasick::new(needles).ok(), entries }
});

const PATHS: &str = include_str!("../data/paths.txt");

/// Directories of the system that no climbing path should land in.
const SYSTEM: &[&str] = &["etc", "root", "proc", "sys", "boot", "windows", "winnt", "dev", "usr", "bin", "sbin"];

#[cfg(test)]
mod tests {
    use super::*;

    fn is_secret(path: &str) -> bool {
        is_sensitive(&NormalizedPath::of(path)).is_some()
    }

    #[test]
    fn sensitive_paths_are_known_in_every_writing() {
        // CALL-6, T12
        for path in [
            "/root/.ssh/id_rsa",
            "/etc/shadow",
            "//etc//./shadow",
            "/var/../etc/shadow",
            "~/.aws/credentials",
            "/home/ann/.kube/config",
            "C:\\Windows\\System32\\config\\SAM",
            "id_ed25519",
            "/proc/self/environ",
            "/proc/1/environ",
            "/ETC/Shadow",
            "%2fetc%2fshadow",
            "config/.env",
            ".env",
            ".git-credentials",
            "/run/secrets/db",
        ] {
            assert!(is_secret(path), "{path}");
        }
    }

    #[test]
    fn ordinary_paths_are_not() {
        // CALL-6
        for path in [
            "/home/ann/notes.txt",
            "src/main.rs",
            "~/.ssh/id_rsa.pub",
            "~/.ssh/known_hosts",
            ".env.example",
            "/etc/hosts",
            "docs/environ.md",
            "environment.ts",
            "/tmp/x",
            "src/shadow.css",
            "config/passwords_test.py",
            "/proc/cpuinfo",
            ".github/workflows/ci.yml",
        ] {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn climbing_is_counted() {
        // CALL-6
        let place = NormalizedPath::of("a/../../../etc/passwd");
        assert_eq!((place.climbs, place.path.as_str()), (2, "etc/passwd"));
        assert!(
            NormalizedPath::of("..%2f..%2fetc").hidden
                && NormalizedPath::of("%252e%252e/x").hidden
                && NormalizedPath::of("....//x").hidden
        );
        assert!(!NormalizedPath::of("../src/a.rs").hidden && NormalizedPath::of("100%.txt").climbs == 0);
        assert_eq!(NormalizedPath::of("..\\..\\windows\\win.ini").climbs, 2);
    }
}
