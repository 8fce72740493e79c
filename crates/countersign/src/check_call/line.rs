//! The line itself: one call, from its name to the last check.

use super::compile::Schema;
use super::guard::{Guard, Tool};
use super::secrets::redact;
use super::subject::{Check, Said, Subject, Values};
use super::watch::{ARGUMENTS, NAME, Nobody, SCHEMA, Watch};
use super::{
    action, arguments, danger, facts, meaning, name, permission, provenance, relevance, repeat, request, schema, steps,
    trust,
};
use crate::contract::codes::call::{ABSENT_ARGUMENTS, NO_SCHEMA};
use crate::contract::{
    Answers, Arguments, Context, Finding, Language, Layer, Level, Mode, Object, Outcome, Question, Severity, ToolCall,
};
use crate::conversation::Conversation;
use crate::localized;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The checks that look at what would really run, in order.
pub const CHECKS: &[Check] = &[
    meaning::CHECK,
    danger::CHECK,
    permission::CHECK,
    action::CHECK,
    request::CHECK,
    provenance::CHECK,
    relevance::CHECK,
    trust::CHECK,
    facts::CHECK,
    steps::CHECK,
    repeat::CHECK,
];

/// A call and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// What was said before.
    pub conversation: &'a Conversation,
    /// What else is known.
    pub context: &'a Context,
    /// The level, where the request has one.
    pub level: Option<Level>,
    /// The language to speak.
    pub language: Language,
    /// What the outside world said.
    pub answers: &'a Answers,
}

/// What the line found. It decides nothing yet.
#[derive(Debug)]
pub struct Checked<'a> {
    /// The level that the call was judged at.
    pub level: Level,
    /// The findings, in the order of the checks.
    pub findings: Vec<Finding>,
    /// What checks in shadow mode found.
    pub shadow: Vec<Finding>,
    /// The call as it would run, the request's own where nothing was changed; `None` where there is nothing that could.
    pub call: Option<Cow<'a, ToolCall>>,
    /// Whether what the tool does cannot be undone.
    pub irreversible: bool,
    /// What the outside world should be asked.
    pub questions: Vec<Question>,
}

/// Runs a call through the line.
pub fn check<'a>(guard: &Guard, request: &Request<'a>) -> Checked<'a> {
    check_watched(guard, request, &mut Nobody)
}

/// The stops of the line in order, without the decision.
pub fn stops() -> impl Iterator<Item = &'static str> {
    [NAME, ARGUMENTS, SCHEMA].into_iter().chain(CHECKS.iter().map(|check| check.name))
}

/// The same, while somebody watches.
pub fn check_watched<'a, W: Watch>(guard: &Guard, request: &Request<'a>, watch: &mut W) -> Checked<'a> {
    let level = request.level.unwrap_or(guard.policy().level);
    watch.begin(NAME);
    if guard.registry().is_none() && name::unusable(&request.call.name, request.language).is_none() {
        let tool = guard.unknown_tool(&request.call.name);
        let evidence = localized!(request.language, "No schema found", "No schema found（没有找到该工具的 schema）");
        return Line::new(guard, request, level, watch).run(&tool, Some(Finding::new(&NO_SCHEMA, "/name", evidence)));
    }
    let resolved = name::resolve(guard, &request.call.name, request.conversation, request.language);
    match resolved.tool {
        Some(tool) if may_rename(&resolved.finding, level) => {
            Line::new(guard, request, level, watch).run(tool, resolved.finding)
        }
        _ => Line::new(guard, request, level, watch).stop(resolved.finding),
    }
}

/// Whether the call is judged under the name that was found: it was exact, only cleaned, or certainly meant.
fn may_rename(finding: &Option<Finding>, level: Level) -> bool {
    let Some(finding) = finding else { return true };
    let certain = finding.correction.as_ref().is_some_and(|correction| correction.certain);
    certain && (finding.outcome == Outcome::Gentle || level != Level::Strict)
}

struct Line<'g, 'a, W> {
    guard: &'g Guard,
    request: &'g Request<'a>,
    level: Level,
    said: Said,
    watch: &'g mut W,
}

impl<'g, 'a, W: Watch> Line<'g, 'a, W> {
    fn new(guard: &'g Guard, request: &'g Request<'a>, level: Level, watch: &'g mut W) -> Self {
        Self { guard, request, level, said: Said::default(), watch }
    }

    /// Ends the line where there is no tool to check against.
    fn stop(mut self, finding: Option<Finding>) -> Checked<'a> {
        self.said.findings.extend(finding);
        self.end(NAME, || Mode::Enforce);
        self.finish(None, None)
    }

    fn run(mut self, tool: &Tool, named: Option<Finding>) -> Checked<'a> {
        self.level = tool.level.unwrap_or(self.level);
        self.said.findings.extend(named.map(mark_applied));
        self.end(NAME, || Mode::Enforce);
        self.watch.begin(ARGUMENTS);
        let depth = self.guard.policy().limits.depth;
        let mut arguments = match arguments::read(&self.request.call.arguments, depth, self.request.language) {
            Ok(arguments::Read { object, mended: None }) => object,
            Ok(arguments::Read { object, mended: Some(finding) }) if self.level != Level::Strict => {
                self.said.findings.push(mark_applied(finding));
                object
            }
            Ok(arguments::Read { mended: Some(finding), .. }) | Err(finding) => {
                self.said.findings.push(finding);
                self.end(ARGUMENTS, || Mode::Enforce);
                return self.finish(Some(tool), None);
            }
        };
        if tool.schema.is_some() {
            self.absent();
        }
        self.end(ARGUMENTS, || Mode::Enforce);
        if let Some(schema) = &tool.schema {
            self.watch.begin(SCHEMA);
            self.schema(tool, schema, &mut arguments);
            self.end(SCHEMA, || tool.mode(SCHEMA));
        }
        self.checks(tool, &mut arguments);
        self.finish(Some(tool), Some(arguments))
    }

    /// Tells who watches that a stop is over.
    #[inline]
    fn end(&mut self, check: &'static str, mode: impl FnOnce() -> Mode) {
        self.watch.end(check, mode, self.said.findings.len());
    }

    /// Says that the arguments were absent and count as none.
    fn absent(&mut self) {
        if self.request.call.arguments == Arguments::Absent {
            let evidence = localized!(
                self.request.language,
                "the call has no arguments; that counts as an empty object",
                "调用没有参数，视为空对象"
            );
            self.said.findings.push(Finding::new(&ABSENT_ARGUMENTS, "/arguments", evidence));
        }
    }

    /// Nulls left out, the schema's findings, and the repairs that are certain.
    fn schema(&mut self, tool: &Tool, schema: &Schema, arguments: &mut Cow<'a, Object>) {
        let language = self.request.language;
        if schema::omit::is_due(arguments) {
            let mut map = std::mem::take(arguments.to_mut()).into_map();
            let mut omitted = Vec::new();
            schema::omit::omit(tool, &mut map, language, &mut omitted);
            *arguments = Cow::Owned(map.into());
            self.said.findings.extend(omitted.into_iter().map(mark_applied));
        }
        let found = schema::findings(tool, schema, arguments.as_value(), self.request.conversation, language);
        if !found.is_empty() {
            let found = self.apply_modes(tool, SCHEMA, found);
            self.mend_schema(tool, schema, found, arguments);
        }
    }

    fn checks(&mut self, tool: &Tool, arguments: &mut Cow<'a, Object>) {
        let modes = tool.line_modes(CHECKS.iter().map(|check| check.name));
        if modes.iter().all(|mode| *mode == Mode::Off) {
            return;
        }
        let mut said = Said::default();
        {
            let values = Values::of(arguments, &tool.root, self.guard.policy().limits.depth);
            let subject = Subject {
                policy: self.guard.policy(),
                registry: self.guard.registry(),
                tool,
                arguments,
                values: &values,
                conversation: self.request.conversation,
                context: self.request.context,
                language: self.request.language,
                answers: self.request.answers,
            };
            for (check, mode) in CHECKS.iter().zip(modes).filter(|(_, mode)| **mode != Mode::Off) {
                self.watch.begin(check.name);
                let mut own = Said::default();
                (check.run)(&subject, &mut own);
                said.questions.append(&mut own.questions);
                if !own.findings.is_empty() {
                    said.findings.append(&mut self.apply_modes(tool, check.name, own.findings));
                }
                // What they say is kept in this order, whatever is mended of it below.
                self.watch.end(check.name, || *mode, self.said.findings.len() + said.findings.len());
            }
        }
        self.said.questions.append(&mut said.questions);
        self.mend(said.findings, arguments);
    }

    /// Findings with the mode that the policy gives their check, tool and argument.
    fn apply_modes(&self, tool: &Tool, check: &str, mut findings: Vec<Finding>) -> Vec<Finding> {
        let mode = tool.mode(check);
        for finding in &mut findings {
            let own = tool.argument(&finding.pointer).and_then(|argument| argument.mode);
            // A finding may ask for less than its check's mode (an inference advises), or be raised by its outcome.
            // What asks a person asks also where its check only advises: an id that nobody gave, to an irreversible tool.
            let raised = own.is_none() && mode == Mode::Advise && finding.outcome == Outcome::Review;
            let wanted = if raised { Mode::Enforce } else { own.unwrap_or(mode) };
            finding.mode = if finding.mode == Mode::Enforce { wanted } else { finding.mode };
            if finding.mode == Mode::Advise && finding.severity == Severity::Error {
                finding.severity = Severity::Warning;
            }
        }
        findings.retain(|finding| finding.mode != Mode::Off);
        findings
    }

    /// Applies what is certain, then looks again: a repair may need a second one ("500" is 500, and 500 is 100), and one
    /// that still does not satisfy the schema is taken back.
    fn mend_schema(&mut self, tool: &Tool, schema: &Schema, found: Vec<Finding>, arguments: &mut Cow<'a, Object>) {
        let (before, original) = (self.said.findings.len(), arguments.clone());
        self.mend(found.clone(), arguments);
        let touched = self.touched_pointers(before);
        if touched.is_empty() {
            return;
        }
        let wrong = |places: &[String], path: &str| {
            places
                .iter()
                .any(|place| place.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        };
        let mut broken = schema::broken_places(schema, arguments.as_value());
        if touched.iter().any(|path| wrong(&broken, path)) {
            let (said, language) = (self.request.conversation, self.request.language);
            let again =
                self.apply_modes(tool, SCHEMA, schema::findings(tool, schema, arguments.as_value(), said, language));
            let second = again
                .into_iter()
                .filter(|finding| touched.iter().any(|path| finding.pointer.starts_with(path.as_str())))
                .filter(is_certain)
                .collect();
            self.mend(second, arguments);
            broken = schema::broken_places(schema, arguments.as_value());
        }
        if !touched.iter().any(|path| wrong(&broken, path)) {
            return;
        }
        self.said.findings.truncate(before);
        *arguments = original;
        let doubtful = found.into_iter().map(|mut finding| {
            let paths = finding.correction.iter().flat_map(|correction| &correction.patch);
            if paths.into_iter().any(|op| wrong(&broken, &op.path)) {
                finding.correction.iter_mut().for_each(|correction| correction.certain = false);
            }
            finding
        });
        self.mend(doubtful.collect(), arguments);
    }

    /// The places that repairs have changed since a number of findings.
    fn touched_pointers(&self, before: usize) -> Vec<String> {
        let applied = self.said.findings.iter().skip(before).filter(|finding| finding.is_applied());
        let patches =
            applied.filter_map(|finding| finding.correction.as_ref()).flat_map(|correction| &correction.patch);
        patches.map(|op| op.path.clone()).collect()
    }

    /// Applies what is certain, except at STRICT, and keeps every finding.
    fn mend(&mut self, findings: Vec<Finding>, arguments: &mut Cow<'a, Object>) {
        for finding in findings {
            let mended = is_certain(&finding)
                && self.level != Level::Strict
                && matches!(finding.mode, Mode::Enforce | Mode::Advise)
                && patch(&finding, arguments);
            self.said.findings.push(if mended { mark_applied(finding) } else { finding });
        }
    }

    fn finish(self, tool: Option<&Tool>, arguments: Option<Cow<'a, Object>>) -> Checked<'a> {
        let mut findings = self.said.findings;
        self.watch.said(|| order_findings(findings.clone(), self.level));
        limit_findings(&mut findings, self.guard.policy().limits.findings);
        let mut findings = order_findings(findings, self.level);
        let shadow = findings.extract_if(.., |finding| finding.mode == Mode::Shadow).collect();
        let call = match (tool, arguments) {
            (Some(tool), Some(Cow::Borrowed(_))) if tool.spec.name == self.request.call.name => {
                Some(Cow::Borrowed(self.request.call))
            }
            (Some(tool), Some(arguments)) => Some(Cow::Owned(ToolCall {
                id: self.request.call.id.clone(),
                name: tool.spec.name.clone(),
                arguments: Arguments::Object(arguments.into_owned()),
            })),
            _ => None,
        };
        Checked {
            level: self.level,
            findings,
            shadow,
            call,
            irreversible: tool.is_some_and(|tool| tool.effects.irreversible),
            questions: self.said.questions,
        }
    }
}

/// Findings as people see them: at their level, and without secrets.
fn order_findings(mut findings: Vec<Finding>, level: Level) -> Vec<Finding> {
    match level {
        Level::Lenient => findings.iter_mut().for_each(soften),
        Level::Moderate => {}
        Level::Strict => findings.iter_mut().for_each(harden),
    }
    findings.iter_mut().for_each(hide_secrets);
    findings
}

/// Whether a finding has a repair that may be made without asking.
fn is_certain(finding: &Finding) -> bool {
    finding.correction.as_ref().is_some_and(|correction| correction.certain)
}

/// LENIENT accepts with warnings what is neither denied nor dangerous.
fn soften(finding: &mut Finding) {
    if finding.outcome == Outcome::Ordinary {
        finding.severity = finding.severity.min(Severity::Warning);
    }
}

/// STRICT does not make the same call twice.
fn harden(finding: &mut Finding) {
    if finding.code.layer == Layer::Repeat && finding.outcome == Outcome::Ordinary {
        finding.severity = finding.severity.max(Severity::Warning);
    }
}

/// Keeps the gravest findings, where there are more than anybody reads.
fn limit_findings(findings: &mut Vec<Finding>, most: usize) {
    if findings.len() > most {
        findings.sort_by_key(|finding| (finding.outcome != Outcome::Deny, std::cmp::Reverse(finding.severity)));
        findings.truncate(most);
    }
}

/// No sentence of ours repeats a secret. The patch keeps its values: it has to be applied.
fn hide_secrets(finding: &mut Finding) {
    let hide = |text: &mut String| {
        if let Cow::Owned(hidden) = redact(text) {
            *text = hidden;
        }
    };
    hide(&mut finding.pointer);
    hide(&mut finding.evidence);
    finding.correction.iter_mut().for_each(|correction| hide(&mut correction.note));
}

/// A finding whose repair has been made: what is mended is a warning.
fn mark_applied(mut finding: Finding) -> Finding {
    if let Some(correction) = &mut finding.correction
        && correction.certain
    {
        correction.applied = true;
        finding.severity = finding.severity.min(Severity::Warning);
        if finding.outcome == Outcome::Fatal {
            finding.outcome = Outcome::Ordinary;
        }
    }
    finding
}

/// Applies a finding's patch to the arguments, all of it or nothing.
fn patch(finding: &Finding, arguments: &mut Cow<'_, Object>) -> bool {
    let Some(correction) = &finding.correction else { return false };
    let original = (correction.patch.len() > 1).then(|| arguments.clone().into_owned());
    let mut document = json!({"arguments": std::mem::take(arguments.to_mut()).into_map()});
    let done = correction.patch.iter().all(|op| op.apply(&mut document));
    let patched = document.get_mut("arguments").map(Value::take);
    *arguments = match (patched, original) {
        (_, Some(original)) if !done => Cow::Owned(original),
        (Some(Value::Object(map)), _) => Cow::Owned(map.into()),
        _ => Cow::Owned(Object::default()),
    };
    done
}
