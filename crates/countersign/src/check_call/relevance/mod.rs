//! Whether anything in the conversation asks for this tool.
//!
//! Only the first call after a person's only words is judged: later in a conversation an agent has reasons of its
//! own, and a guess about them would nag. The words of the request are compared with what the tool says of itself. A
//! tool with no word in common was not asked for; where another registered tool has its name all over the
//! request, that one fits better. An irreversible effect is looked for in the whole conversation. General tools (a
//! search, a shell, arithmetic) are never doubted: they fit anything.

/// Values in the wrong place.
pub(crate) mod misplaced;
/// Values that come from the request.
pub(crate) mod grounded;
/// Effects that nobody spoke of.
pub(crate) mod effect;
/// Tools that differ by a word.
pub(crate) mod sibling;

use super::request;
use super::role::Role;
use super::subject::{Check, Node, Said, Subject};
use super::tool_purpose::ToolPurpose;
use crate::contract::codes::provenance::{BETTER_TOOL, UNASKED};
use crate::contract::{Finding, Role as Speaker};
use crate::conversation::vocabulary::{Spoken, Topics, Vocabulary, key};
use crate::localized;
use crate::policy::Effect;
use crate::text::deeds::Reading;
use crate::text::fold::fold;
use crate::text::mentions::role::is_excluded;
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The check.
pub(crate) const CHECK: Check = Check { name: "relevance", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    if subject.conversation.index().is_empty() {
        return;
    }
    misplaced::find(subject, said);
    said.findings.extend(effect::unspoken(subject));
    if !said.findings.is_empty() || !is_first(subject) || subject.tool.spec.description.is_empty() {
        return;
    }
    if let Some(finding) = sibling::meant(subject) {
        said.findings.push(finding);
        return;
    }
    let asked = subject.conversation.index().asked();
    if name_stands_in(asked, &subject.tool.spec.name) {
        return;
    }
    let (spoken, request) = subject.conversation.index().request();
    if *spoken == Spoken::Unknown || is_general(subject) {
        return;
    }
    let Some(registry) = subject.registry else { return };
    let Some(own) = registry.find(&subject.tool.spec.name).and_then(|at| registry.purpose(at)) else { return };
    if own.name.count() == 0 || request.meets(&own.name) {
        return;
    }
    let finding = better(subject, request).or_else(|| find_unasked(subject, own, request, *spoken));
    said.findings.extend(finding);
}

/// Whether this is the first call after the only words of a person.
fn is_first(subject: &Subject<'_>) -> bool {
    let messages = subject.conversation.messages();
    let spoke = messages.iter().filter(|message| message.role == Speaker::User && !message.text.is_empty());
    spoke.take(2).count() == 1 && messages.last().is_some_and(|message| message.role == Speaker::User)
}

/// Whether a longer word of the tool's name is in the request: the quick way out for most calls.
fn name_stands_in(asked: &str, name: &str) -> bool {
    let words = name.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() >= 4);
    words.map(str::to_ascii_lowercase).any(|word| key(&word).is_some() && asked.contains(&word))
}

/// Whether the call says nothing about its field: only free words and settings, or only numbers.
fn is_general(subject: &Subject<'_>) -> bool {
    let (mut texts, mut numbers, mut fields) = (0, 0, 0);
    for node in subject.values.leaves() {
        let roles = node.roles;
        let free = |text: &str| {
            let whole = text.len() * 2 > subject.conversation.index().asked().len();
            whole || [Role::FreeText, Role::Command, Role::Sql, Role::Path].iter().any(|role| roles.has(*role))
        };
        match node.value {
            Value::Number(_) => numbers += 1,
            Value::String(text) if free(text) => texts += 1,
            Value::String(text) if !text.is_empty() && !is_setting(node) => fields += 1,
            _ => {}
        }
    }
    fields == 0 && (texts > 0 || numbers > 1)
}

/// The schema's own default, or a language and the like.
fn is_setting(node: &Node<'_>) -> bool {
    let default = node.param.is_some_and(|param| param.default.as_ref() == Some(node.value));
    default || SETTINGS.contains(&&*node.last_word())
}

/// Nothing that the tool says of itself stands in the request.
fn find_unasked(subject: &Subject<'_>, own: &ToolPurpose, request: &Vocabulary, spoken: Spoken) -> Option<Finding> {
    let tool = subject.tool;
    // A request in Chinese says nothing about a tool that is described in English only.
    let comparable = spoken == Spoken::English || own.spoken == Spoken::Chinese;
    if !comparable
        || request.count() < 2
        || (spoken == Spoken::Chinese && !grounded::has_text(subject))
        || own.all().any(|key| request.has(key))
    {
        return None;
    }
    if request.meets(own.schema(tool.text(), &tool.root.order)) || Topics::of(request).meet(&own.topics) {
        return None;
    }
    let wants_deed = || Reading::of(subject.conversation.index().asked()).may_want(tool.spec.deeds().deeds);
    if is_prepared(subject)
        || wants_deed()
        || grounded::any(subject)
        || request::names_object(subject)
        || subject.values.leaves().any(|node| request::explains(subject, node))
    {
        return None;
    }
    let name = &tool.spec.name;
    let evidence = localized!(
        subject.language,
        "nothing in the request has to do with `{name}` or with what it says of itself",
        "请求中没有任何内容与 `{name}` 或其说明有关"
    );
    let hint = localized!(
        subject.language,
        "answer without a tool, or say that no tool fits",
        "请不用工具直接回答，或说明没有合适的工具"
    );
    Some(Finding::new(&UNASKED, "/name", evidence).hint(hint))
}

/// A look-up by an id that the operator or the user gave prepares whatever was asked for.
fn is_prepared(subject: &Subject<'_>) -> bool {
    let reads = subject.tool.effects.effects.iter().all(|effect| *effect == Effect::Read);
    let given = |node: &Node<'_>| {
        node.roles.has(Role::Id) && node.value.as_str().is_some_and(|id| subject.conversation.index().has(&fold(id)))
    };
    reads && !subject.tool.effects.effects.is_empty() && subject.values.leaves().any(given)
}

/// Another tool has its name in the request, while this one shares next to nothing with it.
fn better(subject: &Subject<'_>, request: &Vocabulary) -> Option<Finding> {
    let registry = subject.registry.filter(|registry| (2..=MAX_TOOLS).contains(&registry.specs().len()))?;
    let tools: Vec<&ToolPurpose> = (0..registry.specs().len()).filter_map(|at| registry.purpose(at)).collect();
    let (mut in_names, mut in_any) = (FxHashMap::<u64, usize>::default(), FxHashMap::<u64, usize>::default());
    for tool in &tools {
        tool.name.keys().for_each(|key| *in_names.entry(key).or_default() += 1);
        tool.all().for_each(|key| *in_any.entry(key).or_default() += 1);
    }
    // A word that many tools share tells less about each of them.
    let weight = |key: u64, among: &FxHashMap<u64, usize>| {
        let shared = among.get(&key).copied().unwrap_or(1);
        ((tools.len() + 1) as f64 / shared as f64).ln()
    };
    let score = |tool: &ToolPurpose| -> f64 {
        let named: f64 = tool.name.keys().filter(|key| request.has(*key)).map(|key| weight(key, &in_names)).sum();
        let told = tool.told.keys().filter(|key| request.has(*key) && !tool.name.has(*key));
        2.0 * named + told.map(|key| weight(key, &in_any)).sum::<f64>()
    };
    let at = registry.find(&subject.tool.spec.name)?;
    let own = tools.get(at)?;
    let shared = own.told.keys().filter(|key| request.has(*key)).count();
    let others = tools.iter().enumerate().filter(|(other, _)| *other != at).map(|(other, tool)| (other, score(tool)));
    let (best, highest) = others.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let named = tools.get(best).map_or(0, |tool| tool.name.keys().filter(|key| request.has(*key)).count());
    let most = tools.get(best).is_some_and(|tool| named >= 2 || named * 2 > tool.name.count());
    // "No ban, he is new" asks for no ban.
    let text = subject.conversation.index().asked().to_lowercase();
    let denied = registry.spec(best).is_some_and(|spec| {
        identifier_words(&spec.name).iter().filter(|word| word.len() >= 3).any(|word| {
            let place = crate::conversation::index::stands_in(&text, word).then(|| text.find(word.as_str())).flatten();
            place.is_some_and(|at| is_excluded(&text, at))
        })
    });
    let refused = || registry.spec(best).is_some_and(|spec| sibling::is_only_asked(&text, spec.deeds()));
    if denied || refused() || shared > 1 || !most || highest - score(own) <= CLEARLY {
        return None;
    }
    let (name, other) = (&subject.tool.spec.name, &registry.spec(best)?.name);
    // Who gave the record needs no search for it.
    let searches = || sibling::prepares(other, name) && grounded::any(subject);
    if sibling::prepares(name, other) || searches() {
        return None;
    }
    let evidence = localized!(
        subject.language,
        "what was asked matches `{other}` clearly better than `{name}`",
        "所请求的内容明显更符合 `{other}`，而不是 `{name}`"
    );
    let hint = localized!(subject.language, "look at `{other}`", "请考虑 `{other}`");
    Some(Finding::new(&BETTER_TOOL, "/name", evidence).hint(hint))
}

/// How much better another tool must match, in weights of words: about two words of its name.
const CLEARLY: f64 = 2.0;
const MAX_TOOLS: usize = 128;
const SETTINGS: &[&str] = &["language", "lang", "locale", "format", "source", "urgency", "priority", "sort", "order"];
