//! What a search found, verified as the results of tools are.
//!
//! A search is judged as a whole, as a tool's result is; where it looks wrong, the hits that make it so are named, so that
//! one bad page does not spoil the others.

use super::turn_context::AgentRun;
use crate::examination::{Examination, ExaminedIn, new_examination_id};
use crate::store::Change;
use crate::tools::Found;
use countersign::contract::{Context, Finding, Language, Severity, ToolCall, ToolResult, VerificationReport};
use countersign::policy::SuspiciousResults;
use countersign::resolve::verify_result;
use countersign::wire::mark::mark_content;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A hit that looks wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flagged {
    /// Its number among all results of the event, from 1.
    at: usize,
    /// What is wrong with it.
    concerns: Vec<String>,
}

/// A search, verified.
pub(super) struct Searched {
    /// What the checks say of it as a whole.
    pub(super) report: VerificationReport,
    /// Its hits that look wrong.
    pub(super) flagged: Vec<Flagged>,
    /// Its record for the audit.
    pub(super) record: Change,
}

impl Searched {
    /// What the event says of it.
    pub(super) fn verification(&self, query: &str) -> Value {
        let mut told = json!(self.report);
        if let Some(fields) = told.as_object_mut() {
            fields.shift_remove("id");
            fields.insert("query".to_owned(), json!(query));
            fields.insert("hits".to_owned(), json!(self.flagged));
        }
        told
    }
}

/// The hits that the event of a search says look wrong.
pub(super) fn recorded_flags(verification: Option<&Value>) -> Vec<Flagged> {
    let searches = verification.and_then(Value::as_array).into_iter().flatten();
    let hits = searches.filter_map(|search| serde_json::from_value::<Vec<Flagged>>(search.get("hits")?.clone()).ok());
    hits.flatten().collect()
}

impl AgentRun<'_> {
    /// Verifies what a search found; `first` is the number of its first hit in the event.
    pub(super) fn verify_search(&self, query: &str, found: &[Found], first: usize) -> Searched {
        let content = json!({"query": query, "results": found});
        let report = self.verify_found(query, &content);
        let flagged = if report.is_suspicious { self.flag(query, found, first, &report) } else { Vec::new() };
        let session = self.context.session;
        let examination = Examination {
            id: &new_examination_id(),
            examined_in: ExaminedIn::Session(&session.session_id),
            call_id: None,
            tool: WEB_SEARCH,
            content: &content,
            is_error: false,
            report: &report,
            policy_version: &self.context.rules.policy.version,
            key: Some(session.caller.as_str()).filter(|key| !key.is_empty()),
        };
        let record = Change::Insert(examination.record(), None);
        Searched { record, report, flagged }
    }

    fn verify_found(&self, query: &str, content: &Value) -> VerificationReport {
        let call = ToolCall { id: None, name: WEB_SEARCH.to_owned(), arguments: json!({"query": query}).into() };
        let result = ToolResult { content: content.clone(), ..ToolResult::default() };
        let context = Context(self.context.session.context.as_object().cloned().unwrap_or_default());
        verify_result(&self.tools.guard, &call, &result, &context)
    }

    /// The hits that have what is wrong with the search; all of them where none has it alone.
    fn flag(&self, query: &str, found: &[Found], first: usize, whole: &VerificationReport) -> Vec<Flagged> {
        let is_of_whole = |finding: &&Finding| {
            finding.severity > Severity::Info && whole.findings.iter().any(|known| known.code.is(finding.code))
        };
        let mut flagged = Vec::new();
        for (hit, at) in found.iter().zip(first..) {
            let report = self.verify_found(query, &json!({"query": query, "results": [hit]}));
            let concerns: Vec<String> =
                report.findings.iter().filter(is_of_whole).map(|finding| finding.evidence.clone()).collect();
            if report.is_suspicious && !concerns.is_empty() {
                flagged.push(Flagged { at, concerns });
            }
        }
        if flagged.is_empty() {
            let all = found.iter().zip(first..);
            flagged = all.map(|(_, at)| Flagged { at, concerns: whole.concerns.clone() }).collect();
        }
        flagged
    }

    /// One hit in words for the model: as it is, marked where it looks wrong, or left out, as the policy says.
    pub(super) fn tell_hit(&self, at: usize, found: &Found, flagged: &[Flagged]) -> String {
        let Found { title, link, content, publish_date, .. } = found;
        let hit = format!("{title}\n{link} {publish_date}\n{content}\n");
        let flag = flagged.iter().find(|flag| flag.at == at);
        let told = match (flag, self.context.rules.policy.suspicious_results) {
            (None, _) | (Some(_), SuspiciousResults::Pass) => hit,
            (Some(flag), SuspiciousResults::Mark) => {
                let marked = mark_content(&Value::String(hit), &flag.concerns, "text");
                marked.as_str().unwrap_or_default().to_owned()
            }
            (Some(_), SuspiciousResults::Review) if self.context.language == Language::Chinese => {
                "已略去：这条结果看起来有问题，未经人工确认。\n".to_owned()
            }
            (Some(_), SuspiciousResults::Review) => {
                "left out: this result looked wrong, and nobody has approved it.\n".to_owned()
            }
        };
        format!("[{at}] {told}\n")
    }
}

/// The tool that a search counts as.
pub(super) const WEB_SEARCH: &str = "web_search";
