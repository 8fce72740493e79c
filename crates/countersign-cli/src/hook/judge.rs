//! Deciding: before a call by the line and by the rules of coding sessions, after it into the ledger, at the end of a turn
//! by what was said and not done.

use super::event::{Call, HookEvent, Outcome, What};
use super::guarded;
use super::home::Home;
use super::ruling::Ruling;
use super::session::{Session, short_hash};
use super::transcript::{self, Talk};
use crate::engine::read_policy;
use countersign::check_call::Guard;
use countersign::check_result;
use countersign::coding::check::check;
use countersign::coding::ledger::{Entry, Output};
use countersign::coding::memory::Memory;
use countersign::coding::noticed::noticed;
use countersign::coding::place::Place;
use countersign::coding::policy::for_coding;
use countersign::coding::said::not_done;
use countersign::coding::written::{Written, overwritten, replaced, run_by, runs_written, written};
use countersign::contract::{
    Answers, Context, Finding, Language, Outcome as Leads, Status, ToolCall, ToolResult, Verdict,
};
use countersign::inspect::check_in;
use countersign::policy::Policy;
use countersign::wire::requests::{CheckRequest, VerifyRequest};
use countersign::wire::tools::read_tools;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that an event is judged by.
pub(crate) struct Guarding<'a> {
    home: &'a Home,
    session: Session<'a>,
    policy: Arc<Policy>,
    place: Place,
}

impl<'a> Guarding<'a> {
    /// Opens the policy of the project and the session.
    pub(crate) fn new(home: &'a Home, event: &HookEvent) -> Result<Self, String> {
        let file = policy_file(Path::new(event.root()))?;
        let policy = match &file {
            Some(file) => read_policy(file).map_err(|failure| failure.sentence())?,
            None => Policy::standard().as_ref().clone(),
        };
        let place = Place {
            cwd: event.cwd.clone(),
            roots: event.roots.clone(),
            home: home.user().map(|user| user.display().to_string()),
            guarded: guarded::files(event, home, file.as_deref()),
        };
        Ok(Self { home, session: Session::of(home, event), policy: Arc::new(for_coding(policy)), place })
    }

    /// Decides about an event.
    pub(crate) fn judge(&self, event: &HookEvent) -> Ruling {
        match &event.what {
            What::Before(call) => return self.before(event, call),
            What::After(call, outcome) => return self.after(event, call, outcome),
            What::Stop(answer) => {
                let answer = answer.clone().unwrap_or_else(|| self.session.remembered());
                let ruling = self.stop(&answer);
                if let Some(offered) = Entry::offered(&answer).filter(|_| ruling == Ruling::Pass) {
                    self.session.add(&offered);
                }
                return ruling;
            }
            // What we told the model is no new turn, or a turn could be held for ever.
            What::Prompt(text) if text.contains(HELD) => {}
            What::Prompt(words) => {
                let unseen = event.transcript.as_deref().is_some_and(transcript::is_fresh);
                if self.session.is_new() && unseen {
                    self.session.add(&Entry::Start);
                }
                self.session.add(&Entry::prompt(words));
            }
            What::Start { fresh } => {
                if *fresh && self.session.is_new() {
                    self.session.add(&Entry::Start);
                }
            }
            What::Said(text) => self.session.remember(text),
        }
        Ruling::Pass
    }

    fn before(&self, event: &HookEvent, call: &Call) -> Ruling {
        let memory = Memory::of(&self.session.ledger());
        let runs = self.of_written(event, call, &memory);
        if let Some((true, reason)) = runs {
            return Ruling::Refuse(reason);
        }
        let findings = check(call, &self.place, &self.policy, &memory, Language::English);
        let denied = |finding: &&Finding| finding.outcome == Leads::Deny;
        if let Some(finding) = findings.iter().find(denied) {
            return Ruling::Refuse(say(std::slice::from_ref(finding)));
        }
        let verdict = self.verdict(event, call);
        match verdict.status {
            Status::Rejected | Status::ValidationFailed => return Ruling::Refuse(say_verdict(&verdict)),
            Status::RequiresReview => return self.ask(event, call, say_verdict(&verdict), true),
            _ => {}
        }
        if let Some((_, reason)) = runs {
            return self.ask(event, call, reason, true);
        }
        if !findings.is_empty() {
            let waits = !findings.iter().any(|finding| finding.code.id == "danger.own-guard");
            return self.ask(event, call, say(&findings), waits);
        }
        mended(call, &verdict)
    }

    /// What is to be said of a call that runs what this session, or this very line, has written.
    fn of_written(&self, event: &HookEvent, call: &Call, memory: &Memory) -> Option<(bool, String)> {
        let line = call.command().filter(|_| !call.is_patch())?;
        let fresh = written(call, &self.place).into_iter().filter(|file| runs_written(line, &self.place, file));
        if let Some(found) = fresh.take(MAX_WRITTEN).find_map(|file| self.of_line(event, &file.line, memory)) {
            return Some(found);
        }
        let armed = run_by(line, &self.place, memory.armed())?;
        Some((armed.refused, format!("{} (`{}` was written in this session)", armed.reason, armed.path)))
    }

    /// What would be said of a command line: whether it is refused, and why.
    fn of_line(&self, event: &HookEvent, line: &str, memory: &Memory) -> Option<(bool, String)> {
        let call = Call::new("Bash", Some(&json!({"command": line})));
        let findings = check(&call, &self.place, &self.policy, memory, Language::English);
        let verdict = self.verdict(event, &call);
        let refused = findings.iter().find(|finding| finding.outcome == Leads::Deny);
        match (refused, verdict.status) {
            (Some(finding), _) => Some((true, say(std::slice::from_ref(finding)))),
            (_, Status::Rejected | Status::ValidationFailed) => Some((true, say_verdict(&verdict))),
            (_, Status::RequiresReview) => Some((false, say_verdict(&verdict))),
            _ => (!findings.is_empty()).then(|| (false, say(&findings))),
        }
    }

    /// Keeps what a call wrote that is dangerous to run, and forgets what it wrote over.
    fn keep_written(&self, event: &HookEvent, call: &Call) {
        let files = written(call, &self.place);
        let whole = overwritten(call, &self.place);
        if files.is_empty() && whole.is_none() {
            return;
        }
        let memory = Memory::of(&self.session.ledger());
        let armed = |path: &str, target: &str, (refused, reason): (bool, String)| {
            let (path, target) = (path.to_owned(), target.to_owned());
            self.session.add(&Entry::Armed { path, target, reason, refused });
        };
        let known = |path: &str, target: &str| {
            memory.armed().iter().any(|armed| armed.path == path && (target.is_empty() || armed.target == target))
        };
        // What is edited elsewhere, or only added to, is as dangerous as before.
        let appends = call.command().is_some_and(|line| line.contains(">>") || line.contains("tee -a"));
        let old = replaced(call, &self.place);
        let mends = |file: &Written| {
            let mut same = old.iter().filter(|old| old.path == file.path && old.target == file.target);
            (old.is_empty() && !appends) || same.any(|old| self.of_line(event, &old.line, &memory).is_some())
        };
        if let Some(path) = whole.filter(|path| known(path, "")) {
            armed(&path, "", (false, String::new()));
        }
        for file in files.iter().take(MAX_WRITTEN) {
            match self.of_line(event, &file.line, &memory) {
                Some(found) => armed(&file.path, &file.target, found),
                None if known(&file.path, &file.target) && mends(file) => {
                    armed(&file.path, &file.target, (false, String::new()));
                }
                None => {}
            }
        }
    }

    /// A person must agree, unless one has.
    fn ask(&self, event: &HookEvent, call: &Call, reason: String, may_wait: bool) -> Ruling {
        let arguments = Value::Object(call.arguments.clone()).to_string();
        let id: String = short_hash(&format!("{}\n{}\n{arguments}", event.root(), call.name)).chars().take(8).collect();
        if self.home.take_allowed(&id) {
            return Ruling::Pass;
        }
        let way_out = format!(
            "A person must agree: they can run it themselves, or type `countersign hook allow {id}`, and then the same call may run once."
        );
        Ruling::Ask { reason, way_out, may_wait }
    }

    /// The line's verdict. A coding agent's own tools are judged by what they are given alone; the tools of MCP servers
    /// by their schemas and by the whole session.
    fn verdict(&self, event: &HookEvent, call: &Call) -> Verdict {
        let known = event.transcript.as_deref().filter(|_| call.is_mcp);
        let load = |path| transcript::load(self.home, &self.session, path, call.id.as_deref());
        let talk = known.map_or_else(Talk::default, load);
        let tools = talk.tools.as_deref().and_then(|tools| read_tools(tools).ok());
        let tools = tools.filter(|tools| tools.iter().any(|tool| tool.name == call.name));
        let request = CheckRequest {
            id: Value::Null,
            tools: None,
            messages: Vec::new(),
            call: ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: Value::Object(call.arguments.clone()).into(),
            },
            context: Context(Map::new()),
            level: None,
            language: Some(Language::English),
        };
        let guard = Guard::new(tools, Arc::clone(&self.policy));
        let verdict = check_in(&guard, &request, &talk.conversation, &Answers::default());
        talk.keep_orders();
        verdict
    }

    fn after(&self, event: &HookEvent, call: &Call, outcome: &Outcome) -> Ruling {
        noticed(call, &outcome.texts(), &self.place).iter().for_each(|entry| self.session.add(entry));
        if !outcome.failed {
            self.keep_written(event, call);
        }
        match call.command().filter(|_| !call.is_patch()) {
            Some(line) => {
                let text = outcome.text();
                let output = Output { failed: outcome.failed, text: &text };
                self.session.add(&Entry::of_command(line, output, &self.place));
            }
            None => {
                let edits = call.changed();
                for path in edits.iter().filter(|_| !outcome.failed) {
                    self.session.add(&Entry::Edit { path: path.clone() });
                }
                if edits.is_empty() && !is_reader(&call.name) {
                    let name = if call.is_mcp { format!("mcp:{}", call.name) } else { call.name.clone() };
                    self.session.add(&Entry::Call { name, ok: !outcome.failed });
                }
            }
        }
        if call.is_mcp { self.verify(call, outcome) } else { Ruling::Pass }
    }

    /// Looks at what an MCP server returned.
    fn verify(&self, call: &Call, outcome: &Outcome) -> Ruling {
        let request = VerifyRequest {
            id: Value::Null,
            tool: None,
            call: ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: Value::Object(call.arguments.clone()).into(),
            },
            result: ToolResult {
                call_id: call.id.clone(),
                name: None,
                content: outcome.content.clone(),
                is_error: outcome.failed,
                seal: None,
            },
            context: Context(Map::new()),
            level: None,
            language: Some(Language::English),
        };
        let report = check_result::verify(&request, &self.policy);
        if !report.is_suspicious || outcome.failed {
            return Ruling::Pass;
        }
        Ruling::Note(format!("countersign: do not rely on this result as it is: {}", report.concerns.join("; ")))
    }

    fn stop(&self, whole: &str) -> Ruling {
        let ledger = self.session.ledger();
        let turn = ledger.iter().rposition(Entry::is_prompt).map_or(0, |at| at + 1);
        let blocked = ledger.iter().skip(turn).filter(|entry| **entry == Entry::Blocked).count();
        if blocked >= MAX_BLOCKS || whole.trim().is_empty() {
            return Ruling::Pass;
        }
        // Some agents send the whole turn's text again: what was held before is not held twice.
        let earlier = self.home.read(&self.session.beside("held"));
        let answer = match whole.strip_prefix(earlier.as_str()) {
            Some(rest) if blocked > 0 && !rest.trim().is_empty() => rest,
            _ => whole,
        };
        let language = Language::of(answer);
        let found = not_done(answer, &ledger, language);
        if found.is_empty() {
            return Ruling::Pass;
        }
        self.session.add(&Entry::Blocked);
        let _ = self.home.write(&self.session.beside("held"), whole);
        let list: Vec<&str> = found.iter().map(|finding| finding.evidence.as_str()).collect();
        let list = list.join("\n- ");
        Ruling::Block(match language {
            Language::English => {
                format!("Before you finish ({HELD}):\n- {list}\nDo it now, or say plainly that it was not done.")
            }
            Language::Chinese => {
                format!("结束之前请核对（{HELD}）：\n- {list}\n现在完成它，或明确说明没有做。")
            }
        })
    }
}

/// The arguments with the certain repairs, where there are some.
fn mended(call: &Call, verdict: &Verdict) -> Ruling {
    let arguments = verdict.call.as_ref().map(|mended| json!(mended.arguments));
    match arguments.filter(|arguments| call.is_mcp && *arguments != Value::Object(call.arguments.clone())) {
        Some(arguments) => Ruling::Mend { arguments, reason: verdict.explanation.clone() },
        None => Ruling::Pass,
    }
}

/// The policy of a project: what `COUNTERSIGN_POLICY` or its `countersign.toml` names.
fn policy_file(root: &Path) -> Result<Option<PathBuf>, String> {
    if let Some(file) = std::env::var_os("COUNTERSIGN_POLICY").filter(|file| !file.is_empty()) {
        return Ok(Some(PathBuf::from(file)));
    }
    let file = root.join("countersign.toml");
    let Ok(text) = std::fs::read_to_string(&file) else { return Ok(None) };
    let table: toml::Table = text.parse().map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    Ok(table.get("policy").and_then(toml::Value::as_str).map(|policy| root.join(policy)))
}

fn say(findings: &[Finding]) -> String {
    let list: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} ({}). {}", finding.evidence, finding.code.id, finding.code.mend))
        .collect();
    format!("countersign: {}", list.join(" "))
}

fn say_verdict(verdict: &Verdict) -> String {
    let weighty: Vec<Finding> =
        verdict.findings.iter().filter(|finding| finding.code.id != "call.no-schema").cloned().collect();
    if weighty.is_empty() { format!("countersign: {}", verdict.explanation) } else { say(&weighty) }
}

/// Tools that only look.
fn is_reader(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["read", "grep", "glob", "ls", "search", "list", "fetch", "view", "todo"].iter().any(|word| name.contains(word))
}

/// What a held turn is told by.
const HELD: &str = "countersign, answer.not-done";
/// How many scripts and targets of one call are looked at.
const MAX_WRITTEN: usize = 30;
/// How often the end of one turn is refused.
const MAX_BLOCKS: usize = 2;
