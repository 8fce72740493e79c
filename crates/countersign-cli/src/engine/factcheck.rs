//! Looking claims up: a message with its evidence in, what became of each claim out.

use super::{bad_line, open_sources};
use crate::args::{JudgeArgs, PolicyFile};
use crate::failure::Failure;
use crate::human::progress::Bar;
use crate::lines::BadLine;
use countersign::claims::mark::{apply, claim_id, needs_verify};
use countersign::claims::marked;
use countersign::contract::{Claim, MarkedMessage};
use countersign::lines::not_json;
use countersign::policy::{JudgePolicy, Policy};
use countersign::wire::claims::read_claims;
use countersign_runtime::factcheck::{
    Checkers, Evidence, EvidenceKind, FactCheck, Judge, Library, ModelJudge, Options, Sources, Summary,
};
use countersign_runtime::kb::{KnowledgeBase, default_index, is_index};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The answer to a line of `factcheck`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FactCheckReport {
    /// The caller's id.
    pub id: Value,
    /// The message, untouched.
    pub content: String,
    /// Whether a claim in it is not verified.
    pub needs_verify: bool,
    /// The claims, each with its status, note and source.
    pub claims: Vec<Claim>,
    /// How many claims stand how.
    pub summary: Summary,
    /// What went wrong with a source, and how often.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub troubles: BTreeMap<String, usize>,
}

/// The FactCheck node with the sources of the command line.
pub(crate) struct FactChecks {
    node: FactCheck,
    policy: Arc<Policy>,
}

impl FactChecks {
    /// Opens the sources: the knowledge base, the checkers of the policy, and a model.
    pub(crate) fn new(
        policy: Arc<Policy>,
        file: &PolicyFile,
        library: Option<Arc<dyn Library>>,
        judge: &JudgeArgs,
    ) -> Result<Self, Failure> {
        let asker = open_sources(&policy, file)?.map(Arc::new);
        // Lists of endpoints in the policy need no asker, so the checkers are there whenever the policy has any.
        let listed = !policy.facts.endpoints.is_empty();
        let nobody = || countersign_runtime::Asker::from_policy(&policy, Path::new(".")).ok().map(Arc::new);
        let asker = asker.or_else(|| if listed { nobody() } else { None });
        let checkers = asker.map(|asker| Arc::new(Checkers::new(asker, Arc::clone(&policy))));
        let (judge, judge_deadline) = match (open_judge(judge)?, &policy.judge) {
            (None, Some(named)) => (Some(judge_of(named)), Duration::from_millis(named.deadline_ms)),
            (asked, _) => (asked, Duration::from_secs_f64(judge.timeout)),
        };
        // Lines are judged on all cores already.
        let options =
            Options { threads: Some(1), library_deadline: LIBRARY_DEADLINE, judge_deadline, ..Options::default() };
        Ok(Self { node: FactCheck::new(Sources { library, checkers, judge }, options), policy })
    }

    /// Looks up the claims of a line.
    pub(crate) fn line(&self, line: &str) -> Result<FactCheckReport, BadLine> {
        let mut body: Map<String, Value> = serde_json::from_str(line).map_err(not_json).map_err(bad_line)?;
        let evidence = evidence(body.remove("evidence"))?;
        let given = body.remove("claims").filter(|claims| !claims.is_null());
        let request = read_claims(Value::Object(body)).map_err(bad_line)?;
        let claims = given.map_or_else(
            || Ok(marked::claims(&request.text, &self.policy.claims)),
            |claims| read_marked(claims, &request.text),
        )?;
        let (claims, summary, troubles) = self.look_up(&request.text, claims, &evidence);
        let needs_verify = needs_verify(&claims);
        Ok(FactCheckReport { id: request.id, content: request.text, needs_verify, claims, summary, troubles })
    }

    fn look_up(
        &self,
        text: &str,
        claims: Vec<Claim>,
        evidence: &[Evidence],
    ) -> (Vec<Claim>, Summary, BTreeMap<String, usize>) {
        let named: Vec<bool> = claims.iter().map(|claim| claim.id.is_some()).collect();
        let mut message = MarkedMessage { id: String::new(), content: text.to_owned(), needs_verify: true, claims };
        for (at, claim) in message.claims.iter_mut().enumerate() {
            claim.id.get_or_insert_with(|| claim_id("", at));
        }
        let report = self.node.run(std::slice::from_ref(&message), evidence, &[], &mut |_| ControlFlow::Continue(()));
        apply(&mut message, &report.updates);
        for (claim, named) in message.claims.iter_mut().zip(named) {
            claim.id = claim.id.take().filter(|_| named);
        }
        (message.claims, report.summary, report.troubles)
    }
}

/// Claims that were marked before. Their places must be right, or the marks would stand elsewhere.
fn read_marked(claims: Value, text: &str) -> Result<Vec<Claim>, BadLine> {
    let claims: Vec<Claim> = serde_json::from_value(claims)
        .map_err(|error| BadLine(format!("`claims` must be a list as `countersign claims` writes it: {error}")))?;
    for (at, claim) in claims.iter().enumerate() {
        if text.get(claim.start..claim.end) != Some(claim.text.as_str()) {
            let (start, end) = (claim.start, claim.end);
            return Err(BadLine(format!("`claims[{at}].text` is not at {start}..{end} of `text`")));
        }
    }
    Ok(claims)
}

/// A string, a list of strings, or tool results.
fn evidence(value: Option<Value>) -> Result<Vec<Evidence>, BadLine> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(one) => vec![one],
    };
    items.into_iter().enumerate().map(|(at, item)| piece(at, item)).collect()
}

fn piece(at: usize, item: Value) -> Result<Evidence, BadLine> {
    let unnamed = format!("evidence[{at}]");
    match item {
        Value::String(content) => Ok(Evidence { kind: EvidenceKind::ToolResult, place: unnamed, content }),
        Value::Object(mut fields) => {
            let names = ["call_id", "tool_call_id", "tool_use_id", "name"];
            let place = names.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned));
            let content = match fields.remove("content") {
                Some(Value::String(content)) => content,
                Some(Value::Null) | None => {
                    return Err(BadLine(format!("`{unnamed}` has no `content`: what the tool returned")));
                }
                Some(other) => other.to_string(),
            };
            Ok(Evidence { kind: EvidenceKind::ToolResult, place: place.unwrap_or(unnamed), content })
        }
        _ => Err(BadLine(format!("`{unnamed}` must be a string or an object with `content`"))),
    }
}

/// Opens a knowledge base: an index as it is, or that of a folder of documents, brought up to date first.
pub(crate) fn open_library(folder: Option<&Path>) -> Result<Option<Arc<dyn Library>>, Failure> {
    let Some(folder) = folder else { return Ok(None) };
    if is_index(folder) {
        return Ok(Some(Arc::new(KnowledgeBase::open(folder)?)));
    }
    let bar = Bar::new();
    let base = KnowledgeBase::open_or_build(folder, &default_index(folder), &|progress| bar.show(progress));
    bar.clear();
    Ok(Some(Arc::new(base?)))
}

/// The model that is asked last. Its key comes from the environment, where no list of processes shows it.
fn open_judge(args: &JudgeArgs) -> Result<Option<Arc<dyn Judge>>, Failure> {
    let (Some(url), Some(model)) = (&args.url, &args.model) else { return Ok(None) };
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let help = "such as http://127.0.0.1:8000/v1";
        return Err(Failure::with_help(format!("--judge must be an http or https address, not `{url}`"), help));
    }
    let key = std::env::var("COUNTERSIGN_JUDGE_KEY").ok().filter(|key| !key.is_empty());
    // The node gives up first and says so; the connection ends right after it.
    let deadline = Duration::from_secs_f64(args.timeout) + Duration::from_millis(500);
    Ok(Some(Arc::new(ModelJudge::new(url, model, key, deadline))))
}

/// The policy's second reader, asked about claims.
fn judge_of(judge: &JudgePolicy) -> Arc<dyn Judge> {
    let key = std::env::var(&judge.key_env).ok().filter(|key| !key.is_empty());
    let deadline = Duration::from_millis(judge.deadline_ms + 500);
    Arc::new(ModelJudge::new(&judge.url, &judge.model, key, deadline))
}

/// Nobody waits at a screen for one line: the first look may have a dictionary to load.
const LIBRARY_DEADLINE: Duration = Duration::from_secs(10);
