//! Whether the call does the deed that the user asked for.
//!
//! The request in force is read clause by clause: which deeds it names, and whether it wants them, refuses them, only asks
//! about them or leaves them open. The deeds of the tool, and the values that choose what it does, are held against it. A right
//! call is never worth an alarm, so where nothing is clear nothing is said, and a deed that could be wanted excuses the call.

/// The request in force.
pub(crate) mod request;
/// Refused, asked about, conditional.
pub(crate) mod polarity;
/// The opposite tool.
pub(crate) mod opposite;
/// The opposite value.
pub(crate) mod choice;
/// What values are said to mean.
pub(crate) mod legend;
/// What is so already.
pub(crate) mod standing;
/// More than was asked.
pub(crate) mod scope;
/// Another deed.
pub(crate) mod other;
/// At once for later.
pub(crate) mod at_once;
/// What the call cannot carry.
pub(crate) mod carry;
/// A change that changes nothing.
pub(crate) mod idle;

use super::declared_tool::DeclaredTool;
use super::subject::{Check, Said, Subject};
use super::tool_deeds::ToolDeeds;
use crate::contract::{Finding, Mode, Outcome, Role};
use crate::conversation::index::stands_in;
use crate::localized;
use crate::policy::Effect;
use crate::text::deeds::clause::Clause;
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::{DeedEffect, Deeds};
use request::Request;
use serde_json::Value;

/// The check.
pub(crate) const CHECK: Check = Check { name: "action", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let tool = subject.tool.spec.deeds();
    let judged = |value: &Value| matches!(value, Value::Bool(_) | Value::String(_));
    if tool.deeds.is_empty() && !subject.values.leaves().any(|node| judged(node.value)) {
        return;
    }
    let Some(request) = Request::of(subject.conversation) else { return };
    let judge = Judge::of(subject, request, tool);
    let rules = [polarity::find, standing::find, opposite::find, scope::find, at_once::find, other::find, carry::find];
    said.findings.extend(rules.iter().find_map(|rule| rule(&judge)));
    let before = said.findings.len();
    choice::find(&judge, said);
    if said.findings.len() == before {
        legend::find(&judge, said);
    }
    if said.findings.is_empty() {
        said.findings.extend(idle::find(&judge).or_else(|| idle::find_state(&judge)));
    }
}

/// A call beside its request.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    /// The call.
    pub subject: &'a Subject<'a>,
    /// The request.
    pub request: Request<'a>,
    /// What the tool does.
    pub tool: &'a ToolDeeds,
    /// Whether the tool only looks.
    pub reads: bool,
    /// Whether the tool is known to change something.
    pub acts: bool,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Two readings cannot both be right: a person is asked.
    Strong,
    /// It is said, and no more.
    Weak,
}

impl<'a> Judge<'a> {
    fn of(subject: &'a Subject<'a>, request: Request<'a>, tool: &'a ToolDeeds) -> Self {
        let effects = &subject.tool.effects.effects;
        // To check in is no look, whatever its first word says.
        let reads = !tool.spelled_out && !effects.is_empty() && effects.iter().all(|effect| *effect == Effect::Read);
        let acts = tool.acts() && !reads;
        Self { subject, request, tool, reads, acts }
    }

    /// A finding with its consequence: a tool that only reads gets advice, a strong finding asks a person.
    pub(crate) fn weigh(&self, mut finding: Finding, weight: Weight) -> Finding {
        if self.reads {
            finding.mode = Mode::Advise;
        } else if weight == Weight::Strong {
            finding.outcome = Outcome::Review;
        }
        finding
    }

    /// Another registered tool that does one of some deeds, to the same kind of thing where names tell it.
    pub(crate) fn find_sibling(&self, deeds: Deeds) -> Option<&'a str> {
        let registry = self.subject.registry?;
        let own = &self.subject.tool.spec.name;
        let fits = |spec: &&DeclaredTool| spec.name != *own && spec.deeds().deeds.meet(&deeds);
        let related = |spec: &&DeclaredTool| spec.deeds().things.iter().any(|thing| self.tool.things.contains(thing));
        let mut found: Vec<_> = registry.specs().take(MAX_TOOLS).filter(fits).collect();
        found.sort_by_key(|spec| !related(spec));
        found.first().map(|spec| spec.name.as_str())
    }

    /// Whether a registered tool only looks.
    pub(crate) fn can_look(&self) -> bool {
        let look = Deeds::named(&["look"]);
        let looks = |tool: &ToolDeeds| tool.is_record || tool.deeds.meet(&look);
        self.subject
            .registry
            .is_some_and(|registry| registry.specs().take(MAX_TOOLS).map(|spec| spec.deeds()).any(looks))
    }

    /// A hint that names another tool only where it is neither wider nor graver than the one that was called.
    pub(crate) fn point_to(&self, sibling: Option<&str>) -> String {
        let language = self.subject.language;
        let spec = sibling.and_then(|name| self.subject.registry?.specs().find(|spec| spec.name == name));
        let milder = spec.filter(|spec| {
            let other = spec.deeds();
            (!other.wide || self.tool.wide) && other.deeds.effect() <= self.tool.deeds.effect().max(DeedEffect::Write)
        });
        match milder.map(|spec| &spec.name) {
            Some(name) => localized!(language, "look at `{name}`", "请考虑 `{name}`"),
            None => localized!(language, "ask the user what they want", "请先询问用户的意图"),
        }
    }

    /// Whether an earlier call of this turn has done what the user wants: then this one is for the rest of the request.
    pub(crate) fn is_done(&self, deeds: Deeds) -> bool {
        let messages = self.subject.conversation.messages();
        let spoke = messages.iter().rposition(|message| message.role == Role::User && !message.text.is_empty());
        let since = messages.get(spoke.map_or(0, |at| at + 1)..).unwrap_or_default();
        let results = since.iter().flat_map(|message| &message.results);
        let failed: Vec<_> = results.filter(|result| result.is_error).map(|result| &result.call_id).collect();
        let done = since.iter().flat_map(|message| &message.calls).filter(|call| !failed.contains(&&call.id));
        let specs =
            |name: &str| self.subject.registry.and_then(|registry| registry.specs().find(|spec| spec.name == name));
        done.filter_map(|call| specs(&call.name)).any(|spec| spec.deeds().deeds.acts().meet(&deeds))
    }

    /// The words of a mention with its clause, as they are shown to people.
    pub(crate) fn quote(&self, mention: &Mention) -> String {
        let clause = self.request.last.clauses.get(mention.clause).map(|clause| clause.text.trim()).unwrap_or_default();
        let long = clause.chars().count() > MAX_QUOTE || mention.stance == Stance::Wanted;
        if long { mention.said.clone() } else { clause.to_owned() }
    }
}

/// Whether a thing of the tool's name stands in a clause.
pub(crate) fn thing_stands_in(things: &[String], clause: &Clause) -> bool {
    let bare = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    things.iter().any(|thing| clause.words.iter().any(|word| bare(&word.folded) == bare(thing)))
}

/// Whether a text of the call stands in a clause.
pub(crate) fn value_stands_in(subject: &Subject<'_>, clause: &str) -> bool {
    subject.values.leaves().any(|node| match node.value {
        Value::String(text) => text.chars().count() > 1 && text.len() < MAX_VALUE && stands_in(clause, &fold(text)),
        Value::Number(number) => stands_in(clause, &number.to_string()),
        _ => false,
    })
}

const MAX_TOOLS: usize = 128;
const MAX_QUOTE: usize = 80;
const MAX_VALUE: usize = 200;

#[cfg(test)]
mod tests {
    use crate::check_call::Guard;
    use crate::contract::{Answers, Status, Verdict};
    use crate::inspect;
    use crate::policy::Policy;
    use crate::wire::requests::read_check;
    use serde_json::{Value, json};

    /// The verdict on a call among the tools of a parcel shop.
    fn judge(said: &str, name: &str, arguments: Value) -> Verdict {
        let tool = |name: &str, properties: Value| json!({"name": name, "input_schema": {"type": "object", "properties": properties}});
        let text = || json!({"type": "string"});
        let tools = json!([
            tool("cancel_pickup", json!({"pickup": text()})),
            tool("cancel_all_pickups", json!({})),
            tool("pickup_status", json!({"pickup": text()})),
            tool("lock_locker", json!({"locker": text()})),
            tool("unlock_locker", json!({"locker": text()})),
            tool("send_label", json!({"to": text()})),
            tool("draft_label", json!({"to": text()})),
            tool(
                "set_delivery",
                json!({"speed": {"type": "string", "enum": ["standard", "express"]}, "insured": {"type": "boolean"}})
            ),
        ]);
        let request = read_check(
            &json!({"tools": tools, "messages": [{"role": "user", "content": said}], "call": {"name": name, "arguments": arguments}}),
        );
        let mut request = request.unwrap();
        let guard = Guard::new(request.tools.take(), Policy::standard());
        inspect::check(&guard, &request, &Answers::default())
    }

    fn codes(verdict: &Verdict) -> Vec<&'static str> {
        let own = ["meaning.not-asked", "meaning.opposite", "meaning.scope", "meaning.other-deed"];
        verdict.findings.iter().map(|finding| finding.code.id).filter(|code| own.contains(code)).collect()
    }

    #[test]
    fn strong_findings_ask_a_person() {
        // MEANING-3, MEANING-4
        for (said, name, arguments, code) in [
            (
                "don't cancel pickup P-7, when does it come?",
                "cancel_pickup",
                json!({"pickup": "P-7"}),
                "meaning.not-asked",
            ),
            ("unlock locker 12", "lock_locker", json!({"locker": "12"}), "meaning.opposite"),
            ("cancel pickup P-7", "cancel_all_pickups", json!({}), "meaning.scope"),
            ("where is P-7?", "cancel_pickup", json!({"pickup": "P-7"}), "meaning.other-deed"),
            ("it is urgent, by express please", "set_delivery", json!({"speed": "standard"}), "meaning.opposite"),
            ("P-7先别取消", "cancel_pickup", json!({"pickup": "P-7"}), "meaning.not-asked"),
            ("12号柜开锁", "lock_locker", json!({"locker": "12"}), "meaning.opposite"),
        ] {
            let verdict = judge(said, name, arguments);
            assert_eq!(codes(&verdict), [code], "{said}");
            let review = verdict.status == Status::RequiresReview;
            assert!(review, "{said}: {:?}", verdict.status);
        }
    }

    #[test]
    fn evidence_names_both_sides_and_never_a_wider_tool() {
        // MEANING-4
        let verdict = judge("unlock locker 12", "lock_locker", json!({"locker": "12"}));
        let finding = verdict.findings.iter().find(|finding| finding.code.id == "meaning.opposite").unwrap();
        assert!(finding.evidence.contains("unlock") && finding.evidence.contains("lock_locker"));
        assert!(finding.correction.as_ref().unwrap().note.contains("unlock_locker"));
        let wide = judge("don't cancel P-7", "cancel_pickup", json!({"pickup": "P-7"}));
        assert!(
            wide.findings
                .iter()
                .all(|finding| !finding.correction.as_ref().is_some_and(|mend| mend.note.contains("cancel_all")))
        );
    }

    #[test]
    fn look_alikes_are_silent() {
        // MEANING-3
        for (said, name, arguments) in [
            ("can you cancel P-7?", "cancel_pickup", json!({"pickup": "P-7"})),
            ("I was wondering if you could cancel P-7", "cancel_pickup", json!({"pickup": "P-7"})),
            ("don't forget to cancel P-7", "cancel_pickup", json!({"pickup": "P-7"})),
            ("cancel all pickups", "cancel_all_pickups", json!({})),
            ("the locker is locked, unlock locker 12", "unlock_locker", json!({"locker": "12"})),
            ("no rush, standard is fine", "set_delivery", json!({"speed": "standard"})),
            ("where is P-7?", "pickup_status", json!({"pickup": "P-7"})),
            ("能不能帮我取消P-7？", "cancel_pickup", json!({"pickup": "P-7"})),
            ("P-7不要了，取消吧", "cancel_pickup", json!({"pickup": "P-7"})),
        ] {
            assert!(codes(&judge(said, name, arguments)).is_empty(), "{said}");
        }
    }

    #[test]
    fn hostile_requests_are_cheap_and_harmless() {
        // MEANING-3
        for said in [
            "don't cancel, ".repeat(50_000),
            "'\"「".repeat(900),
            "不要取消".repeat(300),
            "if ".repeat(1200),
            "?".repeat(3000),
            "turn ".repeat(700),
        ] {
            let begun = std::time::Instant::now();
            judge(&said, "cancel_pickup", json!({"pickup": "P-7"}));
            assert!(begun.elapsed().as_secs() < 5);
        }
    }
}
