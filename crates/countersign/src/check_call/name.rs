//! The name: registered, clearly meant, or invented.
//!
//! An invented tool is the plainest hallucination. A near name is put right where only one can be meant; a wrong
//! suggestion is worse than none, because models follow suggestions.

use super::guard::{Guard, Registry, Tool};
use super::nearest::{How, Near};
use super::spelling::{carries_meaning, holds, is_namespace, is_said, keeps_meaning, same_effect};
use crate::contract::codes::call::{LEAKED_TOKENS, MISSPELT_TOOL, UNKNOWN_TOOL};
use crate::contract::{Finding, Language, MAX_NAME, PatchOp};
use crate::conversation::Conversation;
use crate::localized;
use crate::policy::Effect;
use crate::text::words::{identifier_words, words};
use std::borrow::Cow;

/// What a name leads to.
#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    /// The tool, where one is named or clearly meant.
    pub tool: Option<&'a Tool>,
    /// What is wrong with the name.
    pub finding: Option<Finding>,
}

/// Resolves a name against the registered tools. What was said tells words from slips.
pub(crate) fn resolve<'a>(guard: &'a Guard, name: &str, said: &Conversation, language: Language) -> Resolved<'a> {
    if let Some(finding) = unusable(name, language) {
        return Resolved { tool: None, finding: Some(finding) };
    }
    let Some(registry) = guard.registry() else {
        return Resolved { tool: None, finding: Some(unknown(name, &Registry::default(), language)) };
    };
    if let Some(tool) = registry.find(name).and_then(|at| guard.tool(at)) {
        return Resolved { tool: Some(tool), finding: None };
    }
    let clean = without_leaks(name);
    if let Some(tool) = registry.find(clean).and_then(|at| guard.tool(at)) {
        return Resolved { tool: Some(tool), finding: Some(report_leak(name, clean, language)) };
    }
    let odd = !clean.chars().all(|c| c.is_alphanumeric() || "_-./: ".contains(c));
    let garbled = clean.len() < name.trim().len();
    let alias = registry.find_alias(name).map(|at| (at, true));
    let near = || match registry.names().find(clean)? {
        _ if odd => None,
        // A garbled name is put right only where nothing but case and separators differ from a registered one.
        near if garbled && near.how != How::Folded => None,
        near => Some((near.at, near.how.is_certain() && is_same(guard, registry, clean, near, said))),
    };
    let found = alias.or_else(near);
    match found.and_then(|(at, certain)| Some((guard.tool(at)?, certain))) {
        Some((tool, certain)) => Resolved { finding: Some(misspelt(name, tool, certain, language)), tool: Some(tool) },
        None => Resolved { tool: None, finding: Some(unknown(name, registry, language)) },
    }
}

/// What is wrong with a name that can be no tool's, whatever is registered: a blank one, or one that is too long.
pub(crate) fn unusable(name: &str, language: Language) -> Option<Finding> {
    let bytes = name.len();
    let evidence = if name.trim().is_empty() {
        localized!(language, "the call does not name a tool", "调用没有指明工具")
    } else if bytes > MAX_NAME {
        let name = &*short(name);
        localized!(
            language,
            "`{name}` has {bytes} bytes; the name of a tool has at most {MAX_NAME}",
            "`{name}` 长 {bytes} 字节，工具名最长 {MAX_NAME} 字节"
        )
    } else {
        return None;
    };
    let note = localized!(language, "call a registered tool by its name", "请使用已注册工具的名称");
    Some(Finding::new(&UNKNOWN_TOOL, "/name", evidence).hint(note))
}

/// Whether the near tool is what the name says, spelt otherwise.
fn is_same(guard: &Guard, registry: &Registry, name: &str, near: Near, said: &Conversation) -> bool {
    let Some(tool) = guard.tool(near.at) else { return false };
    let known = &tool.spec.name;
    if !same_effect(name, known) {
        return false;
    }
    if near.how == How::Namespace {
        let acts = tool.effects.effects.iter().any(|effect| *effect != Effect::Read);
        // A word that is before several tools is the name of what they belong to.
        let before = |spec: &str, word: &str| identifier_words(spec).first().is_some_and(|first| first == word);
        let shared = |word: &str| registry.specs().filter(|spec| before(&spec.name, word)).take(2).count() == 2;
        return is_namespace(name, known, acts, &shared);
    }
    let registered = |word: &str| {
        registry.specs().take(MAX_TOOLS).any(|spec| {
            identifier_words(&spec.name).iter().any(|other| other == word) || holds(&spec.description, word)
        })
    };
    keeps_meaning(name, known, &|word| registered(word) || is_said(said, word))
}

/// The name without what a model's own format left around it: control tokens, quotes, brackets, a word after a blank.
fn without_leaks(name: &str) -> &str {
    let name = name.trim().trim_start_matches("functions.");
    let cut = name.find(|c: char| c == '<' || c.is_whitespace() || c.is_control() || "\"'`()[]{}".contains(c));
    let clean = cut.and_then(|at| name.get(..at)).unwrap_or(name);
    if clean.is_empty() { name.trim_matches(|c: char| "\"'`()[]{}".contains(c)) } else { clean }
}

fn report_leak(name: &str, clean: &str, language: Language) -> Finding {
    let name = &*short(name);
    let evidence = localized!(
        language,
        "`{name}` is `{clean}` with control tokens around it",
        "`{name}` 是带有控制符的 `{clean}`"
    );
    let note = localized!(language, "use `{clean}`", "使用 `{clean}`");
    let (finding, patch) =
        (Finding::new(&LEAKED_TOKENS, "/name", evidence), vec![PatchOp::replace("/name", clean.into())]);
    // `deploy --dry-run` was not meant as `deploy`.
    let tail = name.split_once(clean).map_or("", |(_, tail)| tail).split('<').next().unwrap_or_default();
    let meant = words(tail).iter().any(|word| carries_meaning(&word.folded));
    if meant { finding.propose(note, patch) } else { finding.mend(note, patch) }
}

fn misspelt(name: &str, tool: &Tool, certain: bool, language: Language) -> Finding {
    let name = &*short(name);
    let meant = &tool.spec.name;
    let evidence = localized!(
        language,
        "tool `{name}` does not exist; did you mean `{meant}`?",
        "工具 `{name}` 不存在，您可能想调用 `{meant}`"
    );
    let note = localized!(language, "call `{meant}`", "请调用 `{meant}`");
    let patch = vec![PatchOp::replace("/name", meant.as_str().into())];
    let finding = Finding::new(&MISSPELT_TOOL, "/name", evidence);
    // What cannot be undone is never reached by a name that nobody wrote.
    if certain && !tool.effects.irreversible { finding.mend(note, patch) } else { finding.propose(note, patch) }
}

fn unknown(name: &str, registry: &Registry, language: Language) -> Finding {
    let name = &*short(name);
    let listed: Vec<String> = registry.specs().take(LISTED).map(|spec| format!("`{}`", spec.name)).collect();
    let finding = Finding::new(
        &UNKNOWN_TOOL,
        "/name",
        localized!(language, "tool `{name}` does not exist", "工具 `{name}` 完全不存在"),
    );
    if listed.is_empty() {
        return finding.hint(localized!(
            language,
            "no tools are registered; answer without one",
            "没有注册任何工具，请直接回答"
        ));
    }
    let tools = listed.join(", ");
    finding.hint(localized!(language, "available tools: {tools}", "可用工具：{tools}"))
}

/// A name for a sentence: what a model calls a name may be a page long.
fn short(name: &str) -> Cow<'_, str> {
    let end = name.floor_char_boundary(SHOWN);
    match name.get(..end).filter(|_| end < name.len()) {
        Some(begin) => format!("{begin}…").into(),
        None => name.into(),
    }
}

const LISTED: usize = 5;
const MAX_TOOLS: usize = 512;
const SHOWN: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use crate::wire::tools::read_tools;

    fn guard(names: &[&str]) -> Guard {
        let tools: Vec<_> =
            names.iter().map(|name| serde_json::json!({"name": name, "input_schema": {"type": "object"}})).collect();
        Guard::new(Some(read_tools(&serde_json::to_string(&tools).unwrap()).unwrap()), Policy::standard())
    }

    #[test]
    fn leaked_tokens_are_cut() {
        // CALL-1
        let guard = guard(&["ls", "find", "send_email"]);
        for name in ["ls<|channel|>commentary", "ls json", "`ls`", "ls()", " ls", "functions.ls"] {
            let resolved = resolve(&guard, name, &Conversation::default(), Language::English);
            assert_eq!(resolved.tool.map(|tool| tool.spec.name.as_str()), Some("ls"), "{name}");
            assert!(resolved.finding.unwrap().code.is(&LEAKED_TOKENS));
        }
        assert!(resolve(&guard, "find?????<|end|>", &Conversation::default(), Language::English).tool.is_none());
    }

    #[test]
    fn a_rename_onto_what_cannot_be_undone_is_only_proposed() {
        // CALL-1, T9
        let guard = guard(&["send_email", "get_weather"]);
        let finding =
            resolve(&guard, "send_email_to_ceo", &Conversation::default(), Language::English).finding.unwrap();
        assert_eq!((finding.confidence, finding.correction.as_ref().unwrap().certain), (0.90, false));
        assert!(finding.evidence.contains("`send_email`"));
        assert!(
            !resolve(&guard, "sendEmail", &Conversation::default(), Language::English)
                .finding
                .unwrap()
                .correction
                .unwrap()
                .certain
        );
        assert!(
            resolve(&guard, "getWeather", &Conversation::default(), Language::English)
                .finding
                .unwrap()
                .correction
                .unwrap()
                .certain
        );
    }

    #[test]
    fn a_rename_to_another_meaning_is_only_proposed() {
        // MEANING-5, CALL-1
        for (written, known) in [
            ("lock_door", "unlock_door"),
            ("block_user", "unblock_user"),
            ("encrypt", "decrypt"),
            ("get_user", "set_user"),
            ("dry_run_deploy", "run_deploy"),
            ("change_plan", "charge_plan"),
            ("deploy --dry-run", "deploy"),
        ] {
            let guard = guard(&[known, "get_weather"]);
            let finding = resolve(&guard, written, &Conversation::default(), Language::English).finding.unwrap();
            assert!(finding.correction.is_none_or(|correction| !correction.certain), "{written} -> {known}");
        }
        for (written, known) in [
            ("lockDoor", "lock_door"),
            ("unlock-door", "unlock_door"),
            ("serch_users", "search_users"),
            ("mcp__fs__write_file", "write_file"),
            ("run_deploys", "run_deploy"),
            ("setUser", "set_user"),
        ] {
            let guard = guard(&[known, "get_weather"]);
            let finding = resolve(&guard, written, &Conversation::default(), Language::English).finding.unwrap();
            assert!(finding.correction.unwrap().certain, "{written} -> {known}");
        }
    }

    #[test]
    fn a_blank_or_endless_name_is_no_tool() {
        // CALL-1
        let (known, open) = (guard(&["ls"]), Guard::new(None, Policy::standard()));
        let long = "x".repeat(MAX_NAME + 1);
        for name in ["", "  \n", long.as_str()] {
            for guard in [&known, &open] {
                let resolved = resolve(guard, name, &Conversation::default(), Language::English);
                assert!(resolved.tool.is_none() && resolved.finding.unwrap().evidence.len() < 400, "{name}");
            }
        }
        assert!(unusable(&"x".repeat(MAX_NAME), Language::English).is_none());
    }

    #[test]
    fn nothing_near_names_five_tools() {
        // CALL-1, T10
        let guard = guard(&["search", "get_weather", "read_file", "translate", "calculate", "list_events"]);
        let finding = resolve(&guard, "transfer_funds", &Conversation::default(), Language::Chinese).finding.unwrap();
        assert_eq!(finding.confidence, 0.95);
        assert_eq!(finding.correction.unwrap().note.matches('`').count(), 10);
    }
}
