//! Whether the call does the deed that the user asked for.
//!
//! The request in force is read clause by clause: which deeds it names, and whether it wants them, refuses them, only asks
//! about them or leaves them open. The deeds of the tool, and the values that choose what it does, are held against it. A right
//! call is never worth an alarm, so where nothing is clear nothing is said, and a deed that could be wanted excuses the call.

/// A request, cut into clauses.
pub(crate) mod clause;
/// What is said of each deed.
pub(crate) mod reading;
/// The request in force.
pub(crate) mod request;
/// What a tool does.
pub(crate) mod tool;
/// Refused, asked about, conditional.
pub(crate) mod polarity;
/// The opposite tool.
pub(crate) mod opposite;
/// The opposite value.
pub(crate) mod choice;
/// More than was asked.
pub(crate) mod scope;
/// Another deed.
pub(crate) mod other;

use super::subject::{Check, Said, Subject};
use crate::contract::{Finding, Mode, Outcome};
use crate::conversation::fold::fold;
use crate::conversation::index::stands_in;
use crate::localized;
use crate::policy::Effect;
use crate::text::lexicon::{DeedEffect, Deeds};
use clause::Clause;
use reading::{Mention, Stance};
use request::Request;
use serde_json::Value;
use tool::ToolDeeds;

/// The check.
pub(crate) const CHECK: Check = Check { name: "action", run };

fn run(subject: &Subject<'_>, said: &mut Said) {
    let tool = ToolDeeds::of(&subject.tool.spec);
    let judged = |value: &Value| matches!(value, Value::Bool(_) | Value::String(_));
    if tool.deeds.is_empty() && !subject.values.leaves().any(|node| judged(node.value)) {
        return;
    }
    let Some(request) = Request::of(subject.conversation) else { return };
    let judge = Judge::of(subject, request, tool);
    let on_tool = [polarity::find, opposite::find, scope::find, other::find].iter().find_map(|rule| rule(&judge));
    said.findings.extend(on_tool);
    choice::find(&judge, said);
}

/// A call beside its request.
#[derive(Debug)]
pub(crate) struct Judge<'a> {
    /// The call.
    pub subject: &'a Subject<'a>,
    /// The request.
    pub request: Request<'a>,
    /// What the tool does.
    pub tool: ToolDeeds,
    /// Whether the tool changes anything.
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
    fn of(subject: &'a Subject<'a>, request: Request<'a>, tool: ToolDeeds) -> Self {
        let effects = &subject.tool.effects.effects;
        let reads = !effects.is_empty() && effects.iter().all(|effect| *effect == Effect::Read);
        let acts = tool.acts() && !reads;
        Self { subject, request, tool, acts }
    }

    /// A finding with its consequence: a tool that only reads gets advice, a strong finding asks a person.
    pub(crate) fn weigh(&self, mut finding: Finding, weight: Weight) -> Finding {
        let effects = &self.subject.tool.effects.effects;
        if !effects.is_empty() && effects.iter().all(|effect| *effect == Effect::Read) {
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
        let fits = |spec: &&crate::contract::ToolSpec| {
            spec.name != *own && ToolDeeds::of(spec).deeds.meet(&deeds)
        };
        let related = |spec: &&crate::contract::ToolSpec| ToolDeeds::of(spec).things.iter().any(|thing| self.tool.things.contains(thing));
        let mut found: Vec<_> = registry.specs().take(MAX_TOOLS).filter(fits).collect();
        found.sort_by_key(|spec| !related(spec));
        found.first().map(|spec| spec.name.as_str())
    }

    /// Whether a registered tool only looks.
    pub(crate) fn can_look(&self) -> bool {
        let look = Deeds::named(&["look"]);
        self.subject.registry.is_some_and(|registry| registry.specs().take(MAX_TOOLS).any(|spec| ToolDeeds::of(spec).deeds.meet(&look)))
    }

    /// A hint that names another tool only where it is neither wider nor graver than the one that was called.
    pub(crate) fn point_to(&self, sibling: Option<&str>) -> String {
        let language = self.subject.language;
        let spec = sibling.and_then(|name| self.subject.registry?.specs().find(|spec| spec.name == name));
        let milder = spec.filter(|spec| {
            let other = ToolDeeds::of(spec);
            (!other.wide || self.tool.wide) && other.deeds.effect() <= self.tool.deeds.effect().max(DeedEffect::Write)
        });
        match milder.map(|spec| &spec.name) {
            Some(name) => localized!(language, "look at `{name}`", "请考虑 `{name}`"),
            None => localized!(language, "ask the user what they want", "请先询问用户的意图"),
        }
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
