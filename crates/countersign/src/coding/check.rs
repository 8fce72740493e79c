//! A call of a coding agent, before it runs: what it would change outside the project, in its own guard, or for good.
//!
//! This adds to the line and does not replace it: commands that destroy, key files and policies are the line's.

use super::call::{Call, Deed};
use super::memory::{Memory, mark};
use super::place::Place;
use super::shell::{Ran, commands};
use super::{checks, files, harm, leaving, noticed, orders, supply};
use crate::check_call::secrets::redact;
use crate::contract::codes::danger::{IRREVERSIBLE, OUTSIDE_PROJECT, OWN_GUARD, PRIVATE_ADDRESS, SECRET_LEAVES};
use crate::contract::{Code, Finding, Language};
use crate::localized;
use crate::policy::Policy;

/// What is to be said against a call, the gravest first, by itself and by what its session brings to it.
pub fn check(call: &Call, place: &Place, policy: &Policy, memory: &Memory, language: Language) -> Vec<Finding> {
    let judge = Judge { place, policy, memory, language };
    let mut found: Vec<Finding> = call.deeds().into_iter().flat_map(|deed| judge.deed(deed)).collect();
    found.extend(judge.whole(call));
    found.sort_by_key(|finding: &Finding| finding.severity != crate::contract::Severity::Error);
    found.dedup_by(|a, b| a.code.id == b.code.id);
    found.truncate(MAX_FINDINGS);
    found
}

/// Everything that a call is judged by.
struct Judge<'a> {
    place: &'a Place,
    policy: &'a Policy,
    memory: &'a Memory,
    language: Language,
}

impl Judge<'_> {
    fn deed(&self, deed: Deed<'_>) -> Vec<Finding> {
        match deed {
            Deed::Runs(line) => self.line(line),
            Deed::Changes(path) => check_path(path, None, self).into_iter().collect(),
        }
    }

    /// What is to be said of a call as a whole.
    fn whole(&self, call: &Call) -> Vec<Finding> {
        let language = self.language;
        let mut found = Vec::new();
        let ran = call.command().filter(|_| !call.is_patch()).map(commands).unwrap_or_default();
        if ran.is_empty() && self.carries_secret(call) {
            let evidence = localized!(
                language,
                "an argument carries a secret that was read from a file of keys",
                "参数中带有从密钥文件读到的秘密"
            );
            found.push(say(&SECRET_LEAVES, evidence));
        }
        if let Some(check) =
            checks::neutralised(call).filter(|_| !ASKED_TO_LET_FAIL.iter().any(|word| self.memory.was_said(word)))
        {
            let shown = shorten(&check);
            let evidence = localized!(
                language,
                "`{shown}` would count as passed when it fails, and nobody asked for that",
                "`{shown}` 失败也会算通过，而没有人要求这样做"
            );
            found.push(say(&IRREVERSIBLE, evidence));
        }
        if let Some(what) = orders::carried_out(call, &ran, self.place, self.memory) {
            let shown = shorten(&what);
            let evidence = localized!(
                language,
                "`{shown}` comes from a text that gives orders to agents, and not from the user",
                "`{shown}` 来自一段对代理下命令的文字，而不是用户"
            );
            found.push(say(&IRREVERSIBLE, evidence));
        }
        found
    }

    /// Whether an argument of a tool that is no shell and no editor carries a secret that this session has read.
    fn carries_secret(&self, call: &Call) -> bool {
        let secrets = &self.memory.secrets;
        if secrets.is_empty() || !call.deeds().is_empty() {
            return false;
        }
        let words = call.arguments.values().flat_map(orders::leaves).flat_map(|text| text.split(noticed::is_gap));
        words.filter(|word| noticed::may_be_secret(word)).any(|word| secrets.contains(&mark(word)))
    }

    fn line(&self, line: &str) -> Vec<Finding> {
        let language = self.language;
        let commands = commands(line);
        let mut found = Vec::new();
        if let Some(secret) = leaving::find(&commands) {
            let evidence =
                localized!(language, "`{secret}` would be sent over the network", "`{secret}` 将被发送到网络");
            found.push(say(&SECRET_LEAVES, evidence));
        }
        if let Some(file) = leaving::fetched_and_run(&commands) {
            let evidence = localized!(
                language,
                "`{file}` is fetched from the network and run before anybody has read it",
                "`{file}` 从网络下载后立即运行，没有人看过"
            );
            found.push(say(&IRREVERSIBLE, evidence));
        }
        for (at, ran) in commands.iter().enumerate() {
            found.extend(self.command(ran));
            for path in files::changed(ran).into_iter().chain(files::fed(&commands, at)) {
                found.extend(check_path(&path, Some(ran), self));
            }
        }
        found
    }

    fn command(&self, ran: &Ran) -> Option<Finding> {
        let language = self.language;
        if let Some(address) = leaving::metadata(ran) {
            let evidence = localized!(
                language,
                "`{address}` is a metadata service, which gives out keys",
                "`{address}` 是云元数据服务，会给出密钥"
            );
            return Some(say(&PRIVATE_ADDRESS, evidence));
        }
        let shown = shorten(&ran.words.join(" "));
        let what = match harm::find(ran, language) {
            Some(harm) if self.is_own_wish(ran, &harm) => return None,
            Some(harm) => harm.what.to_owned(),
            None => self.check_work(ran)?,
        };
        let code = if ran.program() == "countersign" { &OWN_GUARD } else { &IRREVERSIBLE };
        Some(say(code, localized!(language, "`{shown}` {what}", "`{shown}` 会{what}")))
    }

    /// Whether the user wants their own thing thrown away.
    fn is_own_wish(&self, ran: &Ran, harm: &harm::Harm) -> bool {
        let wishes = &self.memory.wishes;
        !harm.own.is_empty() && (wishes.want_gone(harm.own) || wishes.agree_to(ran))
    }

    /// What a command does to checks, and where it has packages from.
    fn check_work(&self, ran: &Ran) -> Option<String> {
        let language = self.language;
        if checks::removed_hook(ran).is_some_and(|_| !self.memory.wishes.want_gone(&["hook", "钩子"])) {
            return Some(localized!(language, "turns the checks of this repository off", "关闭仓库的检查钩子"));
        }
        if checks::passes_by(ran, self.memory) {
            return Some(localized!(language, "passes by the hook that has just refused it", "绕过刚刚拒绝它的钩子"));
        }
        let address = supply::plain_index(ran, self.memory)?;
        Some(localized!(
            language,
            "takes packages from `{address}`, which nobody named and anybody on the way can change",
            "从没有人提到、途中可被篡改的 `{address}` 获取软件包"
        ))
    }
}

fn check_path(path: &str, ran: Option<&Ran>, judge: &Judge<'_>) -> Option<Finding> {
    let Judge { place, policy, memory, language } = *judge;
    let command = ran.map(|ran| ran.words.join(" ")).unwrap_or_default();
    let full = place.resolve(path)?;
    let by = if command.is_empty() { String::new() } else { format!(" (`{}`)", shorten(&command)) };
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
    let removes = ran.is_some_and(|ran| ["rm", "rmdir", "unlink", "find", "shred"].contains(&ran.program().as_str()));
    if memory.wishes.name_path(&full, removes, place) || ran.is_some_and(|ran| memory.wishes.agree_to(ran)) {
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

/// Words of somebody who wants a check to be able to fail.
const ASKED_TO_LET_FAIL: &[&str] = &[
    "continue-on-error",
    "allow_failure",
    "allowed to fail",
    "may fail",
    "can fail",
    "not fail",
    "ignore",
    "optional",
    "non-blocking",
    "|| true",
    "不阻塞",
    "允许失败",
    "忽略",
];
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
        let (name, key, value) = match deed {
            Deed::Runs(line) => ("Bash", "command", line),
            Deed::Changes(path) => ("Write", "file_path", path),
        };
        let call = Call::new(name, Some(&serde_json::json!({ key: value })));
        let found = check(&call, &place, &Policy::standard(), &Memory::default(), Language::English);
        found.iter().map(|finding| finding.code.id).collect()
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
            (Deed::Runs("ls -d ~/.c* | xargs rm -rf"), "danger.outside-project"),
            (Deed::Runs("rm .git/hooks/pre-push"), "danger.irreversible"),
            (Deed::Runs("npm i --registry http://npm.example.org"), "danger.irreversible"),
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
