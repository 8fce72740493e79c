//! A call of a coding agent, before it runs: what it would change outside the project, in its own guard, or for good.
//!
//! This adds to the line and does not replace it: commands that destroy, key files and policies are the line's.

use super::place::Place;
use super::shell::{Ran, commands};
use super::{files, harm, leaving};
use crate::check_call::secrets::redact;
use crate::contract::codes::danger::{IRREVERSIBLE, OUTSIDE_PROJECT, OWN_GUARD, PRIVATE_ADDRESS, SECRET_LEAVES};
use crate::contract::{Code, Finding, Language};
use crate::localized;
use crate::policy::Policy;

/// What a call does, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed<'a> {
    /// It runs a command line.
    Runs(&'a str),
    /// It writes or removes a file.
    Changes(&'a str),
}

/// What is to be said against a call, the gravest first.
pub fn check(deeds: &[Deed<'_>], place: &Place, policy: &Policy, language: Language) -> Vec<Finding> {
    let mut found = Vec::new();
    for deed in deeds {
        match deed {
            Deed::Runs(line) => found.extend(check_line(line, place, policy, language)),
            Deed::Changes(path) => found.extend(check_path(path, "", place, policy, language)),
        }
    }
    found.sort_by_key(|finding: &Finding| finding.severity != crate::contract::Severity::Error);
    found.dedup_by(|a, b| a.code.id == b.code.id);
    found.truncate(MAX_FINDINGS);
    found
}

fn check_line(line: &str, place: &Place, policy: &Policy, language: Language) -> Vec<Finding> {
    let commands = commands(line);
    let mut found = Vec::new();
    if let Some(secret) = leaving::find(&commands) {
        found.push(say(
            &SECRET_LEAVES,
            localized!(language, "`{secret}` would be sent over the network", "`{secret}` 将被发送到网络"),
        ));
    }
    if let Some(file) = leaving::fetched_and_run(&commands) {
        let evidence = localized!(
            language,
            "`{file}` is fetched from the network and run before anybody has read it",
            "`{file}` 从网络下载后立即运行，没有人看过"
        );
        found.push(say(&IRREVERSIBLE, evidence));
    }
    for ran in &commands {
        found.extend(check_command(ran, language));
        for path in files::changed(ran) {
            found.extend(check_path(&path, &ran.words.join(" "), place, policy, language));
        }
    }
    found
}

fn check_command(ran: &Ran, language: Language) -> Option<Finding> {
    if let Some(address) = leaving::metadata(ran) {
        let evidence = localized!(
            language,
            "`{address}` is a metadata service, which gives out keys",
            "`{address}` 是云元数据服务，会给出密钥"
        );
        return Some(say(&PRIVATE_ADDRESS, evidence));
    }
    let what = harm::find(ran, language)?;
    let shown = shorten(&ran.words.join(" "));
    let code = if ran.program() == "countersign" { &OWN_GUARD } else { &IRREVERSIBLE };
    Some(say(code, localized!(language, "`{shown}` {what}", "`{shown}` 会{what}")))
}

fn check_path(path: &str, command: &str, place: &Place, policy: &Policy, language: Language) -> Option<Finding> {
    let full = place.resolve(path)?;
    let by = if command.is_empty() { String::new() } else { format!(" (`{}`)", shorten(command)) };
    if place.is_guarded(&full) {
        let evidence = localized!(language, "`{full}` guards this agent{by}", "`{full}` 是本代理的防护配置{by}");
        return Some(say(&OWN_GUARD, evidence));
    }
    if full.ends_with("/.git") && !command.is_empty() {
        let evidence = localized!(language, "`{full}` holds the whole history{by}", "`{full}` 保存着全部历史{by}");
        return Some(say(&IRREVERSIBLE, evidence));
    }
    if place.is_free(&full, policy) || place.cwd.is_empty() {
        return None;
    }
    let root = place.roots.first().unwrap_or(&place.cwd);
    let evidence =
        localized!(language, "`{full}` is outside the project `{root}`{by}", "`{full}` 不在项目 `{root}` 之内{by}");
    Some(say(&OUTSIDE_PROJECT, evidence))
}

fn say(code: &'static Code, evidence: String) -> Finding {
    Finding::new(code, "/arguments", redact(&evidence).into_owned())
}

fn shorten(text: &str) -> String {
    let short: String = text.chars().take(MAX_SHOWN).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

const MAX_FINDINGS: usize = 5;
const MAX_SHOWN: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(deed: Deed<'_>) -> Vec<&'static str> {
        let text = |text: &str| text.to_owned();
        let place = Place {
            cwd: text("/home/dev/shop"),
            roots: vec![text("/home/dev/shop")],
            home: Some(text("/home/dev")),
            guarded: vec![text("/home/dev/shop/.claude/settings.json"), text("/home/dev/shop/countersign.toml")],
        };
        check(&[deed], &place, &Policy::standard(), Language::English).iter().map(|finding| finding.code.id).collect()
    }

    // HOOK-1
    #[test]
    fn changes_outside_and_of_the_guard_are_seen() {
        for (deed, code) in [
            (Deed::Changes("/home/dev/.bashrc"), "danger.outside-project"),
            (Deed::Runs("echo x >> ~/.bashrc"), "danger.outside-project"),
            (Deed::Runs("rm -rf ../../.."), "danger.outside-project"),
            (Deed::Runs("rm -rf .git"), "danger.irreversible"),
            (Deed::Changes("countersign.toml"), "danger.own-guard"),
            (Deed::Runs("sed -i s/a/b/ .claude/settings.json"), "danger.own-guard"),
            (Deed::Runs("rm -rf .claude"), "danger.own-guard"),
            (Deed::Runs("countersign hook uninstall"), "danger.own-guard"),
            (Deed::Runs("curl http://169.254.169.254/latest"), "danger.private-address"),
        ] {
            assert_eq!(codes(deed), [code], "{deed:?}");
        }
        for deed in [
            Deed::Changes("src/main.rs"),
            Deed::Changes("/tmp/plan.md"),
            Deed::Runs("cat ~/.bashrc"),
            Deed::Runs("rm -rf node_modules && npm ci > /tmp/log 2>&1"),
            Deed::Runs("cat .claude/settings.json"),
            Deed::Runs("countersign check calls.jsonl"),
            Deed::Runs("mv a.rs b.rs; cp x \"$OUT/y\""),
        ] {
            assert_eq!(codes(deed), Vec::<&str>::new(), "{deed:?}");
        }
    }
}
