//! START HERE: the walk over a conversation. The index of what was said only grows, so a long conversation costs each
//! call no more than a short one.

use super::coding::{Session, is_mcp};
use super::report::{Counts, Item, ItemKind, NotChecked, Report};
use crate::check_call::Guard;
use crate::check_call::secrets::redact;
use crate::coding::policy::for_coding;
use crate::contract::codes::{self, call::NO_SCHEMA};
use crate::contract::{
    Answers, Arguments, Context, Finding, Layer, Message, Mode, Role, Severity, Status, ToolCall, ToolResult, Verdict,
};
use crate::conversation::Conversation;
use crate::inspect::check_in;
use crate::policy::Policy;
use crate::resolve::{KnownOfAnswer, examine_answer, has_ground, verify_result};
use crate::traces::form::{Recorded, Step, Trace};
use crate::wire::requests::CheckRequest;
use crate::wire::tools::read_tools;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// Judges conversations by one policy. It may be shared between threads.
pub struct Auditor {
    policy: Arc<Policy>,
    coding: Arc<Policy>,
    guards: Mutex<Guards>,
}

/// Guards by the list of tools, and by whether a coding agent is judged.
type Guards = FxHashMap<(Arc<str>, bool), Arc<Guard>>;

impl Auditor {
    /// By a policy.
    pub fn new(policy: Policy) -> Self {
        let coding = Arc::new(for_coding(policy.clone()));
        Self { policy: Arc::new(policy), coding, guards: Mutex::new(FxHashMap::default()) }
    }

    /// Judges a conversation.
    pub fn audit(&self, trace: &Trace) -> Report {
        let mut walk = Walk::new(self, trace);
        for (at, step) in trace.steps.iter().enumerate() {
            let ends = trace
                .steps
                .get(at + 1)
                .is_none_or(|next| next.message.role == Role::User && next.message.results.is_empty());
            walk.step(step, ends);
        }
        walk.finish(trace)
    }

    fn guard(&self, tools: Option<&Arc<str>>, is_coding: bool) -> Arc<Guard> {
        let policy = if is_coding { &self.coding } else { &self.policy };
        let bare = || Arc::new(Guard::new(None, Arc::clone(policy)));
        let Some(tools) = tools else { return bare() };
        let key = (Arc::clone(tools), is_coding);
        if let Some(guard) = self.lock().get(&key) {
            return Arc::clone(guard);
        }
        let Ok(read) = read_tools(tools) else { return bare() };
        let guard = Arc::new(Guard::new(Some(read), Arc::clone(policy)));
        let mut known = self.lock();
        if known.len() >= MAX_GUARDS {
            known.clear();
        }
        known.insert(key, Arc::clone(&guard));
        guard
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Guards> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One conversation on its way.
struct Walk {
    guard: Arc<Guard>,
    /// The guard for calls of tools that no list has.
    bare: Arc<Guard>,
    conversation: Conversation,
    session: Option<Session>,
    /// A coding agent's own calls: the newest ones, as long as they are the same again and again.
    again: Vec<Message>,
    open: FxHashMap<String, (ToolCall, u64)>,
    context: Context,
    items: Vec<Item>,
    counts: Counts,
    not_checked: Vec<NotChecked>,
}

impl Walk {
    fn new(auditor: &Auditor, trace: &Trace) -> Self {
        let is_coding = trace.format.is_coding();
        Self {
            guard: auditor.guard(trace.tools.as_ref(), is_coding),
            bare: auditor.guard(None, is_coding),
            conversation: Conversation::default(),
            session: is_coding.then(|| Session::new(trace)),
            again: Vec::new(),
            open: FxHashMap::default(),
            context: Context(Map::new()),
            items: Vec::new(),
            counts: Counts::default(),
            not_checked: Vec::new(),
        }
    }

    fn step(&mut self, step: &Step, ends_turn: bool) {
        self.counts.messages += 1;
        let message = &step.message;
        for (at, result) in message.results.iter().enumerate() {
            let line = step.result_lines.get(at).copied().unwrap_or(step.line);
            self.result(result, line, step.shortened.get(at).copied().unwrap_or(false));
        }
        let calls = message.calls.iter().enumerate();
        for (at, call) in calls {
            self.call(call, step.call_lines.get(at).copied().unwrap_or(step.line));
        }
        let said = !message.text.trim().is_empty();
        if message.role == Role::Assistant && message.calls.is_empty() && said && ends_turn {
            self.answer(&message.text, step.line);
        }
        if let Some(session) = self.session.as_mut().filter(|_| message.role == Role::User && said) {
            session.prompt();
        }
        self.conversation.push(message.clone());
    }

    fn call(&mut self, call: &ToolCall, line: u64) {
        self.counts.calls += 1;
        let own = self.session.is_some() && !is_mcp(call);
        let known = self.guard.registry().is_some_and(|registry| registry.find(&call.name).is_some());
        // A coding agent loads tools later on: what its list does not have is not unknown.
        let guard = Arc::clone(if known || self.session.is_none() { &self.guard } else { &self.bare });
        if guard.registry().is_none() {
            let why = if self.guard.registry().is_some() { NOT_LISTED } else { NO_TOOLS };
            self.note("tool names and arguments against their schemas", why);
        }
        let (status, findings) = if own { self.judge_own(&guard, call) } else { self.judge(&guard, call) };
        match status {
            Status::Rejected | Status::ValidationFailed => self.counts.refused += 1,
            Status::RequiresReview => self.counts.review += 1,
            _ if findings.iter().any(Finding::is_applied) => self.counts.repaired += 1,
            _ => {}
        }
        let excerpt = || match &call.arguments {
            Arguments::Text(text) => format!("{} {text}", call.name),
            other => format!("{} {}", call.name, serde_json::to_string(other).unwrap_or_default()),
        };
        self.add(ItemKind::Call, line, Some(call), (status, findings), excerpt);
        if let Some(id) = &call.id {
            self.open.insert(id.clone(), (call.clone(), line));
        }
    }

    fn judge(&mut self, guard: &Guard, call: &ToolCall) -> (Status, Vec<Finding>) {
        let verdict = check_in(guard, &request(call), &self.conversation, &Answers::default());
        if !verdict.unanswered.is_empty() {
            self.note("facts that the policy looks up", "an audit asks nobody");
        }
        (verdict.status, noticed(&verdict))
    }

    /// A coding agent's own tools are judged by what they are given alone; what is the same again and again is a loop.
    fn judge_own(&mut self, guard: &Guard, call: &ToolCall) -> (Status, Vec<Finding>) {
        let same = |message: &Message| {
            message.calls.iter().all(|before| before.name == call.name && before.arguments == call.arguments)
        };
        if !self.again.iter().all(same) {
            self.again.clear();
        }
        let before = Conversation::of(self.again.clone());
        let verdict = check_in(guard, &request(call), &before, &Answers::default());
        if self.again.len() < MAX_AGAIN {
            let mut made = Message::text(Role::Assistant, "");
            made.calls.push(call.clone());
            self.again.push(made);
        }
        let mut findings = noticed(&verdict);
        findings.retain(|finding| OWN.contains(&finding.code.layer));
        let mut status = if findings.is_empty() { Status::Approved } else { verdict.status };
        let language = self.conversation.language(&self.context);
        let refused = status.is_refused();
        if let Some(session) = self.session.as_mut() {
            for finding in session.check(call, guard.policy(), language) {
                if refused {
                    continue;
                }
                let denied = finding.outcome == crate::contract::Outcome::Deny;
                let asked = if denied { Status::Rejected } else { Status::RequiresReview };
                status = if status.is_refused() { status } else { asked };
                findings.push(finding);
            }
        }
        (status, findings)
    }

    fn result(&mut self, result: &ToolResult, line: u64, shortened: bool) {
        let Some((call, _)) = result.call_id.as_ref().and_then(|id| self.open.remove(id)) else { return };
        self.counts.results += 1;
        let own = self.session.is_some() && !is_mcp(&call);
        if let Some(session) = self.session.as_mut() {
            session.returned(&call, result);
        }
        if own {
            if self.again.len() < MAX_AGAIN && self.again.last().is_some_and(|last| !last.calls.is_empty()) {
                let mut message = Message::text(Role::Tool, "");
                message.results.push(result.clone());
                self.again.push(message);
            }
            return;
        }
        if shortened {
            return self.note("results", "they are longer than 64 KiB");
        }
        let report = verify_result(&self.guard, &call, result, &self.context);
        let status = if report.is_suspicious { Status::RequiresReview } else { Status::Approved };
        let excerpt = || format!("{} → {}", call.name, result.content);
        self.add(ItemKind::Result, line, Some(&call), (status, report.findings), excerpt);
    }

    fn answer(&mut self, text: &str, line: u64) {
        self.counts.answers += 1;
        let (status, findings) = match &self.session {
            Some(session) => {
                let found = session.said(text);
                (if found.is_empty() { Status::Approved } else { Status::Caution }, found)
            }
            None if !has_ground(&self.guard, &self.conversation, &self.context, text) => (Status::Approved, Vec::new()),
            None => {
                let known = KnownOfAnswer::default();
                match examine_answer(&self.guard, &self.conversation, &self.context, &known, text) {
                    // What is only scored is advice: worth knowing and no fault.
                    Some(report) => {
                        let findings: Vec<Finding> = report.findings.into_iter().map(advise).collect();
                        let clear = findings.iter().all(|finding| finding.severity == Severity::Info);
                        (if clear { Status::Approved } else { report.status }, findings)
                    }
                    None => return self.note("answers", "they are too long to be weighed"),
                }
            }
        };
        self.add(ItemKind::Answer, line, None, (status, findings), || text.to_owned());
    }

    fn add(
        &mut self,
        kind: ItemKind,
        line: u64,
        call: Option<&ToolCall>,
        (status, findings): (Status, Vec<Finding>),
        excerpt: impl Fn() -> String,
    ) {
        let found = !findings.is_empty();
        let asked = self.conversation.last_user().filter(|_| found).map(|user| shorten(&user.text)).unwrap_or_default();
        self.items.push(Item {
            kind,
            line,
            tool: call.map(|call| call.name.clone()),
            call_id: call.and_then(|call| call.id.clone()),
            status,
            excerpt: if found { shorten(&excerpt()) } else { String::new() },
            asked,
            findings,
        });
    }

    fn note(&mut self, what: &'static str, why: &'static str) {
        match self.not_checked.iter_mut().find(|known| known.what == what && known.why == why) {
            Some(known) => known.count += 1,
            None => self.not_checked.push(NotChecked { what, why, count: 1 }),
        }
    }

    fn finish(mut self, trace: &Trace) -> Report {
        for recorded in &trace.recorded {
            self.take_recorded(recorded);
        }
        for _ in 0..self.open.len() {
            self.note("results", "the trace does not hold them");
        }
        if trace.cut {
            self.note("the rest of the conversation", "it is longer than what is kept");
        }
        if self.session.as_ref().is_some_and(|session| session.delegated) {
            self.note("what the agent says it did", "other agents worked for it, in sessions of their own");
        }
        Report {
            format: trace.format,
            id: trace.id.clone(),
            model: trace.model.clone(),
            line: trace.line,
            counts: self.counts,
            tokens: trace.tokens,
            items: self.items,
            not_checked: self.not_checked,
        }
    }

    /// A verdict that was written before is shown as it was.
    fn take_recorded(&mut self, recorded: &Recorded) {
        let kind = match recorded.kind.as_str() {
            "result" => ItemKind::Result,
            "answer" => ItemKind::Answer,
            _ => ItemKind::Call,
        };
        let status = STATUSES.iter().find(|status| status.name() == recorded.status).copied();
        let status =
            status.unwrap_or(if recorded.status == "suspicious" { Status::RequiresReview } else { Status::Approved });
        match (kind, status) {
            (ItemKind::Result, _) => self.counts.results += 1,
            (ItemKind::Answer, _) => self.counts.answers += 1,
            (ItemKind::Call, status) => {
                self.counts.calls += 1;
                self.counts.refused += usize::from(matches!(status, Status::Rejected | Status::ValidationFailed));
                self.counts.review += usize::from(status == Status::RequiresReview);
            }
        }
        let findings: Vec<Finding> = recorded.findings.iter().filter_map(read_finding).collect();
        self.items.push(Item {
            kind,
            line: recorded.line,
            tool: recorded.tool.clone(),
            call_id: None,
            status,
            excerpt: recorded.tool.clone().unwrap_or_default(),
            asked: String::new(),
            findings,
        });
    }
}

fn request(call: &ToolCall) -> CheckRequest {
    CheckRequest {
        id: Value::Null,
        tools: None,
        messages: Vec::new(),
        call: call.clone(),
        context: Context(Map::new()),
        level: None,
        language: None,
    }
}

/// What a verdict found, but for what could not be checked.
fn noticed(verdict: &Verdict) -> Vec<Finding> {
    verdict.findings.iter().filter(|finding| !finding.code.is(&NO_SCHEMA)).cloned().collect()
}

fn advise(finding: Finding) -> Finding {
    if finding.mode == Mode::Advise { finding.graded(Severity::Info) } else { finding }
}

fn read_finding(value: &Value) -> Option<Finding> {
    let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let code = codes::find(word("code"))?;
    let severity = match word("severity") {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    Some(Finding::new(code, word("pointer"), word("evidence")).graded(severity))
}

fn shorten(text: &str) -> String {
    let cut: String = text.chars().take(MAX_EXCERPT).collect();
    redact(&cut).to_string()
}

const STATUSES: &[Status] =
    &[Status::Approved, Status::Caution, Status::RequiresReview, Status::Rejected, Status::ValidationFailed];
/// What is said of a coding agent's own tools.
const OWN: &[Layer] = &[Layer::Parameter, Layer::Danger, Layer::Context, Layer::Repeat];
const NO_TOOLS: &str = "the trace has no tool list";
const NOT_LISTED: &str = "the trace's tool list does not have the tool";
const MAX_AGAIN: usize = 40;
const MAX_EXCERPT: usize = 400;
const MAX_GUARDS: usize = 64;
