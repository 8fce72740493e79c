//! Whose words move the call. (TRUST-2 to TRUST-6)
//!
//! An agent reads what strangers wrote. A value may come from there, but the wish may not: on a tool that acts, the target comes
//! from the operator, from the user, from a field of a result, or from a text that the request points to. A result that speaks
//! to the model is followed by nobody, and after it only what the user asked for is done without a person.

/// What a call is aimed at.
mod target;
/// Where a value comes from.
mod origin;
/// Where the words of the user point.
mod pointing;
/// Whether the user asked for the deed.
mod request;
/// What leaves the house.
pub(crate) mod leak;
/// Calls that only a text speaks of.
mod moved;
/// Values beside the field that the user named.
mod named;
/// Names that look like another.
mod lookalike;
/// What is kept for later chats.
mod memory;
/// Calls that follow a result's instructions.
mod followed;

use super::subject::{Check, Said, Subject};
use crate::contract::codes::trust::{TOOL_POISONED, UNTRUSTED_TARGET};
use crate::contract::{Finding, Mode};
use crate::localized;
use crate::policy::Effect;
use crate::text::words::identifier_words;
use origin::{Origin, origin_of};
use request::{Wish, query_deeds};
use target::targets;

/// The check.
pub(crate) const CHECK: Check = Check { name: "trust", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    judge(subject, said);
    for finding in &mut said.findings {
        finding.mode = subject.policy.trust.mode(finding.code.id).unwrap_or(finding.mode);
    }
}

fn judge(subject: &Subject<'_>, said: &mut Said) {
    said.findings.extend(poisoned(subject));
    let results = subject.conversation.messages().iter().any(|message| !message.results.is_empty());
    if !results {
        return;
    }
    let wish = Wish::of(subject);
    if let Some(finding) = followed::find(subject, &wish) {
        said.findings.push(finding);
        return;
    }
    said.findings.extend(leak::find(subject));
    if said.findings.is_empty() {
        let found = untrusted(subject, &wish)
            .or_else(|| moved::find(subject, &wish))
            .or_else(|| moved::rival(subject, &wish))
            .or_else(|| named::find(subject, &wish))
            .or_else(|| memory::find(subject, &wish))
            .or_else(|| lookalike::find(subject));
        said.findings.extend(found);
    }
}

/// Whether the tool does something to the world.
fn acts(subject: &Subject<'_>) -> bool {
    let effects = &subject.tool.effects.effects;
    let deeds = || subject.tool.spec.deeds();
    effects.iter().any(|effect| *effect != Effect::Read) || (effects.is_empty() && deeds().acts()) || posts(subject)
}

/// Whether a request over HTTP, or a statement to a database, changes something.
fn posts(subject: &Subject<'_>) -> bool {
    let method = subject.arguments.get("method").and_then(serde_json::Value::as_str).unwrap_or_default();
    ["post", "put", "patch", "delete"].contains(&method.to_ascii_lowercase().as_str())
        || !query_deeds(subject).is_empty()
}

/// Whether the tool is not known to read only. After a result that gives orders, what is unknown is not trusted.
fn may_act(subject: &Subject<'_>) -> bool {
    let effects = &subject.tool.effects.effects;
    effects.is_empty() || effects.iter().any(|effect| *effect != Effect::Read) || posts(subject)
}

/// The tool's own description gives orders beyond its use, or another tool's description names the target.
fn poisoned(subject: &Subject<'_>) -> Option<Finding> {
    let (name, language) = (&subject.tool.spec.name, subject.language);
    if let Some(sentence) = subject.tool.overreach() {
        let sign: String = sentence.chars().take(MAX_SHOWN).collect();
        let evidence = localized!(
            language,
            "the description of `{name}` gives orders beyond its use: “{sign}”",
            "`{name}` 的说明含有超出其用途的指令：“{sign}”"
        );
        return Some(Finding::new(&TOOL_POISONED, "/name", evidence));
    }
    let others = subject.registry.into_iter().flat_map(|registry| registry.specs()).take(MAX_TOOLS);
    let mut targets = targets(subject).into_iter().filter(|_| acts(subject)).peekable();
    targets.peek()?;
    let others: Vec<_> = others.filter(|spec| spec.name != *name).collect();
    targets.find_map(|target| {
        let named = |text: &str| crate::text::fold::fold(text).contains(&target.folded);
        let spec = others.iter().find(|spec| named(&spec.description))?;
        let known = matches!(origin_of(subject, &target), Origin::User | Origin::Operator | Origin::Field);
        let orders = !known && crate::text::instructions::find_overreach(&spec.description).is_some();
        let other = &spec.name;
        let evidence = localized!(
            language,
            "the target comes from the description of `{other}`, which gives orders beyond its use",
            "目标来自 `{other}` 的说明，而该说明含有超出其用途的指令"
        );
        orders.then(|| Finding::new(&TOOL_POISONED, target.pointer(subject), evidence))
    })
}

/// A target that only a result's prose names, and that the request does not point to.
fn untrusted(subject: &Subject<'_>, wish: &Wish<'_>) -> Option<Finding> {
    let all = targets(subject);
    all.iter().find_map(|target| {
        let Origin::Prose(places) = origin_of(subject, target) else { return None };
        let given = |other: &&target::Target<'_>| {
            other.kind == target.kind && matches!(origin_of(subject, other), Origin::User | Origin::Field)
        };
        // Who is reached beside somebody whom the user named was added by the text.
        let beside = || is_copy(target.key) || all.iter().find(given).is_some();
        let added = target.kind != target::Kind::Command && !wish.copies() && beside();
        if !added && wish.points_to(subject, target, &places) {
            return None;
        }
        let tool = places.first().and_then(|place| place.tool(subject)).unwrap_or_default();
        let (key, language) = (target.key, subject.language);
        let evidence = localized!(
            language,
            "`{key}` was named by nobody but a text in the result of `{tool}`, and the request does not point there",
            "`{key}` 只出现在 `{tool}` 结果的文字里，用户没有提到它，也没有指向那里"
        );
        let hint = localized!(language, "ask the user whether this target is meant", "请先向用户确认这个目标");
        let mut finding = Finding::new(&UNTRUSTED_TARGET, target.pointer(subject), evidence).hint(hint);
        if !acts(subject) {
            finding.mode = Mode::Advise;
        }
        Some(finding)
    })
}

/// Builds the tables of this module.
pub(super) fn build_tables() {
    pointing::build_tables();
    request::build_tables();
    memory::build_tables();
}

/// Whether an argument is for those who only get a copy.
fn is_copy(key: &str) -> bool {
    identifier_words(key).iter().any(|word| matches!(word.as_str(), "cc" | "bcc"))
}

const MAX_SHOWN: usize = 120;
const MAX_TOOLS: usize = 256;
