//! What came back from a tool: verified, and written down for the audit.
//!
//! The audit of a result goes to the disk with the result's event, in one commit where the store can, and the turn never
//! waits for it alone: a result that could not be audited is shown all the same, because it stands in the log.
//!
//! A result that looks wrong is put before people, and the turn waits for them or goes on, as the policy says. It stands in
//! the log before anybody decides, so that a turn that waits and is taken up again does not run its tool twice.

use super::ending::Ending;
use super::outbox::warning_with;
use super::people::{decided_draft, result_review_draft, withheld_result};
use super::settled::{Seen, Settled, settle_seen, text_of};
use super::turn_context::AgentRun;
use super::verdicts::JudgedCall;
use crate::examination::{Examination, ExaminedIn, new_examination_id};
use crate::review::{Conversation, HostedResult, ProposedResult, Review, ReviewState, Reviewed};
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

    /// The result for the audit, under a name.
    fn examined(&self, id: &str, called: &Called, outcome: &Outcome, report: &VerificationReport) -> Change {
        let session = self.context.session;
        let examination = Examination {
            id,
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

    /// Verifies what came back, writes it, and waits for a person where the policy wants it.
    pub(super) async fn show(&self, judged: &JudgedCall, called: &Called, outcome: Outcome) -> Result<Settled, Ending> {
        let call = called.call();
        let content = unwrap_content(outcome.content.clone());
        let result =
            ToolResult { call_id: call.id.clone(), content, is_error: outcome.is_error, ..ToolResult::default() };
        let context = Context(self.context.session.context.as_object().cloned().unwrap_or_default());
        let report = verify_result(&self.tools.guard, &call, &result, &context);
        let examination = new_examination_id();
        let review = self.queue_result(&call, &result, &report, &examination).await?;
        let seen = Seen {
            name: called.name.clone(),
            arguments: Value::Object(called.arguments.clone()),
            content: outcome.content.clone(),
            is_error: outcome.is_error,
            is_suspicious: report.is_suspicious,
        };
        let (seen, told) = match &review {
            Some(review) if review.state != ReviewState::Pending => self.rule(review, seen),
            review => (seen, self.tell_result(&outcome, &report, review.as_ref())),
        };
        let mut events = vec![self.result_draft(judged, called, &outcome, &report, &told)];
        let mut about = json!({"call_id": judged.own.call_id, "tool": called.name});
        events.extend(outcome.remarks.iter().map(|remark| warning_with(remark.code, &remark.message, about.clone())));
        if let (Some(review), Some(fields)) = (&review, about.as_object_mut()) {
            fields.insert("review_id".to_owned(), json!(review.review_id));
            events.iter_mut().take(1).for_each(|result| {
                result.fields.insert("review_id".to_owned(), json!(review.review_id));
            });
        }
        if report.is_suspicious {
            events.push(warning_with("suspicious_result", &report.concerns.join("; "), about));
        }
        let waiting = review.filter(|review| review.waits && review.state == ReviewState::Pending);
        events.extend(waiting.iter().map(|review| result_review_draft(review, &judged.own.call_id)));
        self.write_examined(events, vec![self.examined(&examination, called, &outcome, &report)]).await?;
        match waiting {
            Some(review) => self.wait_for_ruling(judged, seen, &review.review_id).await,
            None => Ok(settle_seen(judged, seen, told)),
        }
    }

    /// The event of a result; with what the model is told, where that is something else.
    fn result_draft(
        &self,
        judged: &JudgedCall,
        called: &Called,
        outcome: &Outcome,
        report: &VerificationReport,
        told: &str,
    ) -> Draft {
        let call_id = &judged.own.call_id;
        let mut fields = json!({
            "call_id": call_id,
            "name": called.name,
            "content": outcome.content,
            "is_error": outcome.is_error,
            "verification": report,
        });
        if let Some(fields) = fields.as_object_mut() {
            if self.tools.toolbox.find(&called.name).is_some() {
                let (key, arguments) = (&self.context.services.seal_key, Value::Object(called.arguments.clone()));
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
        Draft::new(EventType::ToolResult, called.name.as_str(), ContentType::Json, fields)
    }

    /// Puts a result that looks wrong before people, as the policy says. A queue that is unavailable holds up no turn that
    /// would not wait.
    async fn queue_result(
        &self,
        call: &ToolCall,
        result: &ToolResult,
        report: &VerificationReport,
        examination: &str,
    ) -> Result<Option<Review>, Ending> {
        let (session, policy) = (self.context.session, &self.context.rules.policy);
        if !report.is_suspicious || policy.suspicious_results == SuspiciousResults::Pass {
            return Ok(None);
        }
        let waits = policy.suspicious_results == SuspiciousResults::Review;
        let question = self.context.question;
        let proposed = ProposedResult {
            caller: &session.caller,
            call,
            result,
            report,
            policy_version: &policy.version,
            conversation: Conversation::named(&session.session_id),
            hosted: Some(HostedResult { session: &session.session_id, question, examination, waits }),
        };
        match self.context.reviews.open(proposed.review()).await {
            Err(error) if !waits => {
                tracing::warn!(session = session.session_id, %error, "a result could not be put before a person");
                Ok(None)
            }
            opened => Ok(Some(opened?)),
        }
    }

    /// What the model is told of a result before anybody has decided on it: what came back, marked where it looks wrong,
    /// or nothing where a person must approve it first.
    fn tell_result(&self, outcome: &Outcome, report: &VerificationReport, review: Option<&Review>) -> String {
        let text = text_of(&outcome.content);
        match self.context.rules.policy.suspicious_results {
            _ if !report.is_suspicious => text,
            SuspiciousResults::Pass => text,
            SuspiciousResults::Mark => text_of(&mark_content(&Value::String(text), &report.concerns, "text")),
            SuspiciousResults::Review => {
                review.map(|review| withheld_result(review, self.context.language)).unwrap_or(text)
            }
        }
    }

    /// Waits for what a person says about a result, and does it.
    pub(super) async fn wait_for_ruling(
        &self,
        judged: &JudgedCall,
        seen: Seen,
        review: &str,
    ) -> Result<Settled, Ending> {
        let review = {
            let _pause = self.time_budget.pause();
            self.context.reviews.wait(review).await?
        };
        let (seen, told) = self.rule(&review, seen);
        let mut about = json!({"call_id": judged.own.call_id, "tool": seen.name, "told": told});
        if let (Some(Reviewed::Replaced(content)), Some(fields)) = (review.reviewed(), about.as_object_mut()) {
            fields.insert("content".to_owned(), content);
        }
        self.outbox.write(vec![decided_draft(&review, self.context.language, about)]).await?;
        Ok(settle_seen(judged, seen, told))
    }

    /// A result after a person has decided on it, and what the model is told of it.
    fn rule(&self, review: &Review, seen: Seen) -> (Seen, String) {
        let seen = match review.reviewed() {
            Some(Reviewed::Accepted) => seen,
            Some(Reviewed::Replaced(content)) => Seen { content, is_error: false, ..seen },
            Some(Reviewed::Withheld) | None => {
                let told = withheld_result(review, self.context.language);
                Seen { content: Value::String(told), is_error: true, ..seen }
            }
        };
        let told = text_of(&seen.content);
        (seen, told)
    }
}
