//! Answers and messages between agents: their claims marked, what speaks against them found, and all of it written.

use super::conversation_state::Told;
use super::ending::Ending;
use super::listen::Heard;
use super::outbox::{Outbox, warning, warning_with};
use super::rules;
use super::turn_context::{AgentRun, TurnContext};
use crate::ask::examine_answer;
use crate::examination::{AnswerExamination, ExaminedIn};
use crate::ids::new_id;
use crate::sessions::{Analysis, Relay, message_draft};
use crate::store::Change;
use crate::stream::Draft;
use countersign::contract::codes::answer::UNVERIFIED;
use countersign::contract::{ContentType, Context, EventType, Finding, MarkedMessage, Severity, Status};
use countersign::inspect::AnswerReport;
use countersign::parse::chatter;
use countersign::policy::DoubtfulAnswers;
use countersign::resolve::{Asker, KnownOfAnswer};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// What an answer is examined on.
pub(super) struct Grounds<'a> {
    /// What was asked.
    pub question: &'a str,
    /// The conversation, with its calls and results.
    pub messages: &'a [Value],
    /// What else was put before the model: search results, references.
    pub sources: &'a [String],
}

/// An answer that was examined.
pub(super) struct Examined {
    /// Its words, with its claims as they are known to stand.
    pub marked: MarkedMessage,
    /// How it stands; none where there is nothing to weigh.
    pub report: Option<AnswerReport>,
}

impl AgentRun<'_> {
    /// The words of an answer, with its claims as they are known to stand.
    pub(super) async fn mark_answer(&self, message_id: &str, heard: &Heard) -> Result<MarkedMessage, Ending> {
        let context = self.context;
        let relay = Relay {
            from: self.outbox.agent().to_owned(),
            to: USER.to_owned(),
            content: heard.text.clone(),
            derived_from: Vec::new(),
        };
        Ok(context.claims.mark(&context.session.session_id, message_id, &relay, &context.rules.policy).await?)
    }

    /// The event of an answer, with its claims and its parts.
    pub(super) fn answer_draft(&self, step: &str, marked: &MarkedMessage, heard: &Heard) -> Draft {
        let mut draft = message_draft(marked, self.outbox.agent(), USER, &[]);
        if marked.needs_verify {
            self.context.is_unchecked.store(true, Ordering::Relaxed);
        }
        draft.content = ContentType::Markdown;
        let errands: Vec<Value> = heard.tags.iter().filter(|tag| is_errand(&tag.tag)).map(|tag| json!(tag)).collect();
        let fields = &mut draft.fields;
        fields.insert("role".to_owned(), json!("assistant"));
        fields.insert("messages".to_owned(), json!(parts(heard)));
        fields.insert("finish".to_owned(), json!(heard.finish));
        fields.insert("step".to_owned(), json!(step));
        if heard.raw != heard.text {
            fields.insert("raw".to_owned(), json!(heard.raw));
        }
        // Whoever takes the turn up must know why the model was asked again.
        if !heard.cut.is_empty() {
            fields.insert("cut".to_owned(), json!(heard.cut));
        }
        if !errands.is_empty() {
            fields.insert("errands".to_owned(), json!(errands));
        }
        draft
    }

    /// Tells the event of an answer how it stands; gives the warnings that follow it.
    pub(super) fn assess(&self, draft: &mut Draft, report: Option<&AnswerReport>) -> Vec<Draft> {
        let Some(report) = report else { return Vec::new() };
        draft.fields.insert("assessment".to_owned(), json!(report));
        // That claims are not verified yet stands in the message; it is no alarm.
        let is_grave = |finding: &&Finding| finding.severity > Severity::Info && !finding.code.is(&UNVERIFIED);
        let grave: Vec<&Finding> = report.findings.iter().filter(is_grave).collect();
        let doubted = !grave.is_empty() && report.status != Status::Approved;
        if !doubted || self.context.rules.policy.answers.doubtful == DoubtfulAnswers::Pass {
            return Vec::new();
        }
        let told: Vec<&str> = grave.iter().map(|finding| finding.evidence.as_str()).take(5).collect();
        let more = json!({"status": report.status, "findings": grave});
        vec![warning_with("answer_doubtful", &told.join("; "), more)]
    }

    /// Records an examined answer for the audit; gives its name there.
    pub(super) async fn audit_answer(&self, text: &str, report: &AnswerReport) -> String {
        let session = self.context.session;
        let examination = AnswerExamination {
            examined_in: ExaminedIn::Session(&session.session_id),
            response: text,
            report,
            policy_version: &self.context.rules.policy.version,
            key: Some(session.caller.as_str()).filter(|key| !key.is_empty()),
        };
        let record = examination.record();
        let id = record.id.clone();
        if let Err(error) = self.context.sessions.records().apply_in_company(vec![Change::Insert(record, None)]).await {
            tracing::warn!(%error, "an answer is missing in the audit");
        }
        id
    }

    /// Marks the claims of an answer and examines it.
    pub(super) async fn examine(&self, told: &Told, grounds: &Grounds<'_>) -> Result<Examined, Ending> {
        let heard = &told.heard;
        let marked = self.mark_answer(&told.message_id, heard).await?;
        let claims = marked.claims.clone();
        let guard = Arc::clone(&self.tools.guard);
        let (text, messages, sources) = (heard.text.clone(), grounds.messages.to_vec(), grounds.sources.to_vec());
        let logprobs = heard.logprobs.clone();
        let asker = if self.path.is_empty() { Asker::Person } else { Asker::Agent };
        let context = Context(self.context.session.context.as_object().cloned().unwrap_or_default());
        let in_force = Arc::clone(self.context.rules);
        let examine = move || {
            let conversation = rules::conversation(&messages);
            let known = KnownOfAnswer { sources: &sources, logprobs: &logprobs, claims: &claims, asker, answers: None };
            examine_answer(&guard, &conversation, &context, (&known, &text), in_force.asker.as_deref())
        };
        let report = tokio::task::spawn_blocking(examine).await.map_err(|error| Ending::internal(&error))?;
        Ok(Examined { marked, report })
    }

    /// What is worth a warning in the words of an answer.
    pub(super) fn remarks(&self, heard: &Heard) -> Vec<Draft> {
        let mended = heard.troubles.iter().chain(&heard.cut).map(|trouble| warning("output_mended", trouble));
        let mut events: Vec<Draft> = mended.collect();
        if is_pseudo(heard) {
            self.context.files.iter().for_each(|kind| self.context.sessions.count_analysis(*kind, Analysis::Pseudo));
            events.push(warning("pseudo_answer", "the model acknowledged the request and did not answer it"));
        }
        let weighed = !heard.text.trim().is_empty() && heard.calls.is_empty();
        if weighed && heard.logprobs.is_empty() && self.context.model.must_give_logprobs() {
            events.push(warning(
                "logprobs_missing",
                "the model gave no log-probabilities; the answer has two signals less",
            ));
        }
        if is_empty(heard) {
            events.push(warning("empty_answer", "the model ended without a word"));
        }
        if matches!(heard.finish.as_deref(), Some("length" | "max_tokens")) {
            events.push(warning("answer_cut", "the answer was cut at the model's length limit"));
        }
        events
    }
}

impl TurnContext<'_> {
    /// Passes a message from one agent to another: its claims are marked, and looked up before the other sees them, as far
    /// as that takes a moment.
    pub(super) async fn pass_on(
        &self,
        outbox: &Outbox,
        step: &str,
        to: &str,
        content: &str,
    ) -> Result<MarkedMessage, Ending> {
        let session = &self.session.session_id;
        let from = outbox.agent().to_owned();
        let id = match self.journal.of(EventType::Message, step).first() {
            Some(said) => said.get("message_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            None => new_id("msg").map_err(|error| Ending::internal(&error))?,
        };
        let relay = Relay { from, to: to.to_owned(), content: content.to_owned(), derived_from: Vec::new() };
        let mut marked = self.claims.mark(session, &id, &relay, &self.rules.policy).await?;
        if self.journal.of(EventType::Message, step).is_empty() {
            let mut draft = message_draft(&marked, &relay.from, &relay.to, &[]);
            draft.fields.insert("step".to_owned(), json!(step));
            outbox.write(vec![draft]).await?;
        }
        if let Some(facts) = self.services.facts.as_ref().filter(|_| marked.needs_verify) {
            self.claims.check_soon(session, facts()).wait().await;
            match self.claims.message(session, &id).await {
                Ok(now) => marked = now,
                // The claims stay pending, which is never wrong.
                Err(error) => tracing::warn!(session, %error, "what became of claims cannot be read"),
            }
        }
        Ok(marked)
    }

    /// Begins to look up what was said and not looked up yet. Nobody waits for it here.
    pub(super) fn check_claims(&self) {
        let Some(facts) = &self.services.facts else { return };
        if self.is_unchecked.swap(false, Ordering::Relaxed) {
            let check = self.claims.check_soon(&self.session.session_id, facts());
            *self.check.lock().unwrap_or_else(PoisonError::into_inner) = Some(check);
        }
    }

    /// Waits for what is looked up, and not for long: who reads the stream to its end should see what became of it.
    pub(super) async fn wait_for_claims(&self) {
        self.check_claims();
        let check = self.check.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(check) = check {
            check.wait().await;
        }
    }
}

/// Whether an answer is an acknowledgement and nothing else.
pub(super) fn is_pseudo(heard: &Heard) -> bool {
    heard.calls.is_empty() && heard.tags.is_empty() && heard.cut.is_empty() && chatter::of_model(&heard.text).is_some()
}

/// Whether an answer holds nothing at all.
pub(super) fn is_empty(heard: &Heard) -> bool {
    heard.calls.is_empty() && heard.tags.is_empty() && heard.cut.is_empty() && heard.text.trim().is_empty()
}

/// Whether a tag sends somebody off.
pub(super) fn is_errand(tag: &str) -> bool {
    matches!(tag, "web_search" | "call_orchestrator")
}

/// The messages of an answer: what it asks to confirm, else its paragraphs.
fn parts(heard: &Heard) -> Vec<Value> {
    let confirms: Vec<Value> = heard
        .tags
        .iter()
        .filter(|tag| tag.tag == "confirm" && tag.complete)
        .map(|tag| json!({"number": tag.number, "text": tag.text}))
        .collect();
    if !confirms.is_empty() {
        return confirms;
    }
    let paragraphs = heard.remaining.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|text| json!({"text": text})).collect()
}

/// To whom answers are given.
const USER: &str = "user";
