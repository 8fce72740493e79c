//! What came back from a tool: verified, and written down for the audit.
//!
//! The audit of a result goes to the disk with the result's event, in one commit where the store can, and the turn never
//! waits for it alone: a result that could not be audited is shown all the same, because it stands in the log.

use super::ending::Ending;
use super::outbox::warning_with;
use super::settled::{Seen, Settled, settle_seen, text_of};
use super::turn_context::AgentRun;
use super::verdicts::JudgedCall;
use crate::examination::{Examination, ExaminedIn, new_examination_id};
use crate::review::{Conversation, ProposedResult};
use crate::store::Change;
use crate::stream::Draft;
use crate::tools::{Called, Knowledge, Outcome};
use countersign::check_result::seal;
use countersign::contract::{ContentType, Context, EventType, ToolCall, ToolResult, VerificationReport};
use countersign::policy::SuspiciousResults;
use countersign::resolve::verify_result;
use countersign::wire::mark::mark_content;
use countersign::wire::messages::unwrap_content;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;

impl AgentRun<'_> {
    /// Writes the events of results, and beside them their records for the audit.
    pub(super) async fn write_examined(&self, events: Vec<Draft>, examined: Vec<Change>) -> Result<(), Ending> {
        let records = Arc::clone(self.context.sessions.records());
        let kept = Box::pin(async move {
            if let Err(error) = records.apply_in_company(examined).await {
                tracing::warn!(%error, "a result is missing in the audit");
            }
        });
        let writing = pin!(self.outbox.write(events));
        // The audit is queued first and waits for the events, which are urgent: one commit for both.
        match select(kept, writing).await {
            Either::Left(((), writing)) => writing.await,
            Either::Right((written, kept)) => {
                // A store of records that is away has its deadlines, and ends this by itself.
                tokio::spawn(kept);
                written
            }
        }
    }

    /// The result for the audit.
    fn examined(&self, called: &Called, outcome: &Outcome, report: &VerificationReport) -> Change {
        let session = self.context.session;
        let examination = Examination {
            id: &new_examination_id(),
            examined_in: ExaminedIn::Session(&session.session_id),
            call_id: Some(&called.call_id),
            tool: &called.name,
            content: &outcome.content,
            is_error: outcome.is_error,
            report,
            policy_version: &self.context.rules.policy.version,
            key: Some(session.caller.as_str()).filter(|key| !key.is_empty()),
        };
        Change::Insert(examination.record(), None)
    }

    /// Verifies what came back, and writes it.
    pub(super) async fn show(&self, judged: &JudgedCall, called: &Called, outcome: Outcome) -> Result<Settled, Ending> {
        let call = called.call();
        let content = unwrap_content(outcome.content.clone());
        let result =
            ToolResult { call_id: call.id.clone(), content, is_error: outcome.is_error, ..ToolResult::default() };
        let context = Context(self.context.session.context.as_object().cloned().unwrap_or_default());
        let report = verify_result(&self.tools.guard, &call, &result, &context);
        let told = self.tell_result(&call, &result, &outcome, &report).await?;
        let call_id = &judged.own.call_id;
        let arguments = Value::Object(called.arguments.clone());
        let mut fields = json!({
            "call_id": call_id,
            "name": called.name,
            "content": outcome.content,
            "is_error": outcome.is_error,
            "verification": report,
        });
        if let Some(fields) = fields.as_object_mut() {
            if self.tools.toolbox.find(&called.name).is_some() {
                let key = &self.context.services.seal_key;
                let sealed = seal::seal(key, call_id, &called.name, &arguments, &outcome.content);
                fields.insert("seal".to_owned(), json!(sealed));
            }
            if outcome.knowledge == Knowledge::Unknown {
                fields.insert("outcome".to_owned(), json!("unknown"));
            }
            if told != text_of(&outcome.content) {
                fields.insert("told".to_owned(), json!(told));
            }
        }
        let mut events = vec![Draft::new(EventType::ToolResult, called.name.as_str(), ContentType::Json, fields)];
        let about = json!({"call_id": call_id, "tool": called.name});
        events.extend(outcome.remarks.iter().map(|remark| warning_with(remark.code, &remark.message, about.clone())));
        if report.is_suspicious {
            events.push(warning_with("suspicious_result", &report.concerns.join("; "), about));
        }
        self.write_examined(events, vec![self.examined(called, &outcome, &report)]).await?;
        let Outcome { content, is_error, .. } = outcome;
        let seen =
            Seen { name: called.name.clone(), arguments, content, is_error, is_suspicious: report.is_suspicious };
        Ok(settle_seen(judged, seen, told))
    }

    /// What the model is told of a result: what came back, marked where it looks wrong, or nothing until a person approved
    /// it, as the policy says.
    async fn tell_result(
        &self,
        call: &ToolCall,
        result: &ToolResult,
        outcome: &Outcome,
        report: &VerificationReport,
    ) -> Result<String, Ending> {
        let text = text_of(&outcome.content);
        let policy = &self.context.rules.policy;
        match policy.suspicious_results {
            _ if !report.is_suspicious => Ok(text),
            SuspiciousResults::Pass => Ok(text),
            SuspiciousResults::Mark => Ok(text_of(&mark_content(&Value::String(text), &report.concerns, "text"))),
            SuspiciousResults::Review => {
                let session = self.context.session;
                let proposed = ProposedResult {
                    caller: &session.caller,
                    call,
                    result,
                    report,
                    policy_version: &policy.version,
                    conversation: Conversation::named(&session.session_id),
                    session: Some(&session.session_id),
                };
                let review = self.context.reviews.open(proposed.review()).await?;
                let _pause = self.time_budget.pause();
                let decided = self.context.reviews.wait(&review.review_id).await?;
                Ok(if decided.state.is_yes() { text } else { WITHHELD.to_owned() })
            }
        }
    }
}

const WITHHELD: &str = "Error: the result of this call looked wrong and is withheld: a person has not approved it.";
