//! Answers that people are asked about (REVIEW-1): put in the queue beside a turn that goes on, or held back until somebody
//! has decided, as the policy says.
//!
//! The words of an answer that is held are in the queue and not in the log: whoever reads the stream sees that a person is
//! asked, and then what the person let through. A turn that is taken up again finds the answer with its review.

use super::answers::{Examined, Grounds};
use super::conversation_state::{Record, Told};
use super::ending::Ending;
use super::journal::Payload;
use super::listen::Heard;
use super::people::{REVIEWER, answer_review_draft, reviewed, why_doubted, withheld_answer};
use super::rulings::decision_drafts;
use super::turn_context::AgentRun;
use crate::review::{NewReview, ProposedAnswer, Review, ReviewState, Reviewed};
use crate::stream::Draft;
use countersign::contract::{ContentType, EventType, Language, Status};
use countersign::inspect::AnswerReport;
use countersign::policy::DoubtfulAnswers;
use serde_json::{Value, json};

/// How an answer stands in its turn.
pub(super) enum Standing {
    /// It is the last word.
    Last,
    /// The model is asked again, with these words where its answer was at fault.
    Draft(Option<String>),
}

impl AgentRun<'_> {
    /// Whether the words of an answer are held back until it is examined.
    pub(super) fn holds_answers(&self) -> bool {
        self.context.rules.policy.answers.doubtful == DoubtfulAnswers::Review
    }

    /// Writes an answer, with its claims and how it stands; gives what a person put in its place.
    pub(super) async fn say(
        &self,
        step: &str,
        told: &Told,
        grounds: &Grounds<'_>,
        examined: &Examined,
        standing: Standing,
    ) -> Result<Option<String>, Ending> {
        let report = examined.report.as_ref();
        if matches!(told.record, Record::Written { .. }) {
            return Ok(None);
        }
        let doubted = report.filter(|report| needs_person(report));
        if let Record::Held(review) = &told.record {
            return self.deliver(step, told, report, review).await;
        }
        let examination = match report {
            Some(report) => self.audit_answer(&told.heard.text, report).await,
            None => String::new(),
        };
        let mut draft = self.answer_draft(step, &examined.marked, &told.heard);
        let review = match (&standing, doubted) {
            (Standing::Last, Some(report)) => self.queue_answer(&draft, told, grounds, report, examination).await?,
            _ => None,
        };
        if self.holds_answers() && doubted.is_some() {
            return match (standing, review) {
                (Standing::Last, Some(review)) => {
                    if review.state == ReviewState::Pending {
                        let asked = answer_review_draft(&review, &told.message_id, step);
                        self.outbox.write(vec![asked]).await?;
                    }
                    self.deliver(step, told, report, &review.review_id).await
                }
                (Standing::Draft(fault), _) => self.put_aside(draft, fault).await,
                (Standing::Last, None) => Err(Ending::internal(&"an answer could not be put before a person")),
            };
        }
        let mut warnings = self.assess(&mut draft, report);
        if let Some(review) = &review {
            for event in warnings.iter_mut().chain([&mut draft]) {
                event.fields.insert("review_id".to_owned(), json!(review.review_id));
            }
            // The same answer to the same question, on which a person has decided before.
            if review.reviewed().is_some() {
                warnings.extend(decision_drafts(self.context.claims, &self.context.rules.policy, review).await?);
            }
        }
        self.write_answer(told, draft, warnings).await.map(|()| None)
    }

    /// Writes the event of an answer and what follows it; first its words, where they were held back.
    async fn write_answer(&self, told: &Told, draft: Draft, warnings: Vec<Draft>) -> Result<(), Ending> {
        if self.holds_answers() {
            self.outbox.add(&told.message_id, &told.heard.text);
        }
        let mut events = vec![draft];
        events.extend(self.remarks(&told.heard));
        events.extend(warnings);
        self.outbox.write(events).await?;
        self.context.check_claims();
        Ok(())
    }

    /// Puts an answer in the queue, as the policy says. A queue that is unavailable holds up no turn that would not wait.
    async fn queue_answer(
        &self,
        draft: &Draft,
        told: &Told,
        grounds: &Grounds<'_>,
        report: &AnswerReport,
        examination: String,
    ) -> Result<Option<Review>, Ending> {
        let (session, policy) = (self.context.session, &self.context.rules.policy);
        if policy.answers.doubtful == DoubtfulAnswers::Pass {
            return Ok(None);
        }
        let waits = self.holds_answers();
        let proposed = ProposedAnswer {
            caller: &session.caller,
            session: &session.session_id,
            message_id: &told.message_id,
            question: grounds.question,
            answer: &told.heard.text,
            report,
            explanation: &why_doubted(report, self.context.language),
            messages: grounds.messages,
            policy_version: &policy.version,
            waits,
            heard: if waits { Value::Object(draft.fields.clone()) } else { Value::Null },
        };
        let mut new: NewReview = proposed.review();
        new.origin.verdict_id = Some(examination);
        match self.context.reviews.open(new).await {
            Err(error) if !waits => {
                tracing::warn!(session = session.session_id, %error, "an answer could not be put before a person");
                Ok(None)
            }
            opened => Ok(Some(opened?)),
        }
    }

    /// Waits for what a person says about an answer, and writes what the reader gets.
    async fn deliver(
        &self,
        step: &str,
        told: &Told,
        report: Option<&AnswerReport>,
        review: &str,
    ) -> Result<Option<String>, Ending> {
        let review = {
            let _pause = self.time_budget.pause();
            self.context.reviews.wait(review).await?
        };
        let (mut draft, in_its_place) = match review.reviewed() {
            Some(Reviewed::Accepted) => (self.kept_draft(&review, told, step).await?, None),
            Some(Reviewed::Replaced(content)) => {
                let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
                let finish = told.heard.finish.clone();
                let (raw, remaining) = (text.clone(), text.clone());
                let heard = Heard { raw, remaining, text: text.clone(), finish, ..Heard::default() };
                let reviewer = self.role(REVIEWER);
                let marked = reviewer.mark_answer(&told.message_id, &heard).await?;
                (reviewer.answer_draft(step, &marked, &heard), Some(text))
            }
            Some(Reviewed::Withheld) | None => {
                let text = withheld_answer(&review, self.context.language);
                (self.notice(&told.message_id, step, &text), Some(text))
            }
        };
        draft.fields.insert("reviewed".to_owned(), reviewed(&review));
        if in_its_place.is_some() {
            self.outbox.write(vec![draft]).await?;
            self.context.check_claims();
            return Ok(in_its_place);
        }
        let warnings = self.assess(&mut draft, report);
        self.write_answer(told, draft, warnings).await.map(|()| None)
    }

    /// The event of an answer as it would have been written, had nobody been asked.
    async fn kept_draft(&self, review: &Review, told: &Told, step: &str) -> Result<Draft, Ending> {
        let Some(Value::Object(mut fields)) = review.request.get("heard").cloned() else {
            let marked = self.mark_answer(&told.message_id, &told.heard).await?;
            return Ok(self.answer_draft(step, &marked, &told.heard));
        };
        // A retry attaches to the item of an answer that was given under another name.
        fields.insert("message_id".to_owned(), json!(told.message_id));
        fields.insert("step".to_owned(), json!(step));
        Ok(self.outbox.event(EventType::Message, ContentType::Markdown, Value::Object(fields)))
    }

    /// An answer that nobody may see yet and for which the model is asked again: the log knows that it was given.
    async fn put_aside(&self, draft: Draft, fault: Option<String>) -> Result<Option<String>, Ending> {
        let word = |name: &str| draft.fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let text = match self.context.language {
            Language::Chinese => "（这份草稿没有显示，已请模型重新回答。）",
            _ => "(This draft is not shown; the model is asked again.)",
        };
        let mut notice = self.notice(word("message_id"), word("step"), text);
        let kept = ["errands", "finish"].into_iter();
        notice.fields.extend(kept.filter_map(|name| Some((name.to_owned(), draft.fields.get(name)?.clone()))));
        if let Some(fault) = fault {
            notice.fields.insert("asked_again".to_owned(), json!(fault));
        }
        self.outbox.write(vec![notice]).await.map(|()| None)
    }

    /// Our own words in the place of an answer.
    fn notice(&self, message_id: &str, step: &str, text: &str) -> Draft {
        let fields = json!({
            "message_id": message_id, "from": "countersign", "to": "user", "role": "assistant",
            "content": text, "messages": [{"text": text}], "needs_verify": false, "claims": [], "step": step,
        });
        Draft::new(EventType::Message, "countersign", ContentType::Text, fields)
    }

    /// An answer that the log knows to be held for a person; none where the step has none.
    pub(super) async fn find_held(&self, step: &str) -> Result<Option<Told>, Ending> {
        let journal = self.context.journal;
        let Some(review) = journal.held(step) else { return Ok(None) };
        let asked = journal.of(EventType::ReviewRequired, step).first();
        let message_id = asked.and_then(|asked| asked.get("message_id")).and_then(Value::as_str).unwrap_or_default();
        let item = self.context.reviews.get(review).await?;
        let empty = Payload::new();
        let kept = item.request.get("heard").and_then(Value::as_object).unwrap_or(&empty);
        let heard = Heard::read(Some(kept));
        Ok(Some(Told { message_id: message_id.into(), heard, record: Record::Held(review.to_owned()) }))
    }
}

/// Whether an answer may not simply go on: a person looks at it.
fn needs_person(report: &AnswerReport) -> bool {
    matches!(report.status, Status::RequiresReview | Status::Rejected)
}
