//! The calls of an answer, carried out as the resolution says: told why not, asked a person about, or run, and what came
//! back verified.
//!
//! Nothing that may change something is run before the log says that it will be: who finds a call there without a result
//! knows that it may have been run, and who does not find it knows that it was not. Calls of one answer are carried out
//! side by side, and what becomes of one does not touch the others.

use super::ending::Ending;
use super::journal::{DENIED, Payload, Trail};
use super::listen::HeardCall;
use super::outbox::warning_with;
use super::people::{denial, review_draft};
use super::results::ToolOutcome;
use super::settled::{Seen, Settled, settle_seen, settle_unrun, text_of};
use super::turn_context::AgentRun;
use super::verdicts::{HostedCall, JudgedCall, verdict_draft};
use crate::review::{Review, ReviewError, ReviewState};
use crate::stream::Draft;
use crate::tools::{self, Called, Knowledge, Order, Outcome, Reach, Remark, Tool};
use countersign::contract::{ContentType, EventType};
use countersign::decide::{ClearedCall, Proposal};
use countersign::feedback::attempts::Spent;
use countersign::resolve::{Disposition, Finish, PersonSaid, Placed, RefusalKind, Resolution};
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinSet;
use tracing::Instrument;

/// What is to be done about a call.
enum Step {
    /// The model is told why it does not run.
    Tell(Option<RefusalKind>, String),
    /// A person is asked; whether their yes may have been used by the process before.
    Ask(String, Box<Proposal>, Trail),
    /// The client runs it.
    Client(Called, oneshot::Receiver<ToolOutcome>),
    /// We run it.
    Ours(Arc<Tool>, Order),
    /// It only looks, and has begun to.
    Looking(Order, Looking),
    /// It was under way when the process before died.
    Interrupted(Called),
    /// It was over before the process before died.
    Over(Seen, String),
    /// What came back waits for a person.
    Withheld(Seen, String),
}

/// A tool that only looks, at work beside the log: it ends when nobody waits for it any more.
struct Looking {
    tasks: JoinSet<Outcome>,
    _slot: OwnedSemaphorePermit,
}

/// A call in the slot that the resolution gave it, or with what the model is told of it.
type PlacedCall = (JudgedCall, Option<usize>, Option<String>);

/// A call on its way.
struct Task {
    slot: Option<usize>,
    judged: JudgedCall,
    step: Step,
}

/// What the resolution must know of a call's end.
enum Learned {
    Nothing,
    Approved(ClearedCall),
    Rejected(String),
}

impl AgentRun<'_> {
    /// Carries out the calls of an answer. What is to be written before them goes to the log with them.
    pub(super) async fn settle(
        &self,
        step: &str,
        calls: &[HeardCall],
        messages: &Arc<Vec<Value>>,
        finish: Finish,
        before: Vec<Draft>,
        resolution: &mut Resolution<HostedCall>,
    ) -> Result<Vec<Settled>, Ending> {
        let recorded = self.context.journal.of(EventType::Verdict, step);
        let slots = Arc::new(Semaphore::new(self.spec.budget.parallel.max(1)));
        let judged = self.judge(calls, messages, recorded).await?;
        let tasks = if recorded.is_empty() {
            self.begin(step, self.place(judged, finish, resolution), messages, before, resolution, &slots).await?
        } else {
            let placed = self.place(judged, finish, resolution).into_iter();
            placed.map(|(judged, slot, told)| self.recall(judged, slot, told, resolution)).collect()
        };
        let done = try_join_all(tasks.into_iter().map(|task| self.carry_out(task, &slots))).await?;
        Ok(done.into_iter().map(|(slot, settled, learned)| learn(resolution, slot, settled, learned)).collect())
    }

    /// The calls of an answer in the places that the resolution gives them; with what is told of those that only repeat.
    fn place(
        &self,
        judged: Vec<JudgedCall>,
        finish: Finish,
        resolution: &mut Resolution<HostedCall>,
    ) -> Vec<PlacedCall> {
        let placed = resolution.take(finish, judged, Spent::default());
        let find = |placed| match placed {
            Placed::Slot(at) => resolution.slots().get(at).map(|slot| {
                let mut judged = slot.judged.clone();
                judged.own.correction = slot.correction();
                (judged, Some(at), None)
            }),
            Placed::Repeat(judged, told) | Placed::Dropped(judged, told) => Some((judged, None, Some(told))),
        };
        placed.into_iter().filter_map(find).collect()
    }

    /// Writes what will be done about each call.
    async fn begin(
        &self,
        step: &str,
        placed: Vec<PlacedCall>,
        messages: &Arc<Vec<Value>>,
        mut drafts: Vec<Draft>,
        resolution: &Resolution<HostedCall>,
        slots: &Arc<Semaphore>,
    ) -> Result<Vec<Task>, Ending> {
        let changes = self.audit(placed.iter().map(|(judged, _, _)| judged), messages)?;
        let mut tasks = Vec::new();
        for (judged, slot, told) in placed {
            drafts.push(verdict_draft(&judged, step));
            let disposition = slot.and_then(|at| resolution.slots().get(at)).map(|slot| &slot.disposition);
            let next = match (disposition, told) {
                (Some(Disposition::Release(cleared)), _) => self.start(&judged, cleared, None, resolution, &mut drafts),
                (Some(Disposition::AskPerson(proposal)), _) => {
                    let new = self.new_review(&judged, proposal, messages, &drafts);
                    let review = self.context.reviews.open(new).await?;
                    drafts.push(review_draft(&review, &judged.own.call_id, step));
                    Step::Ask(review.review_id, Box::new(proposal.clone()), Trail::default())
                }
                (Some(_), _) => tell(resolution, slot),
                (None, told) => {
                    let about = json!({"call_id": judged.own.call_id, "tool": judged.call.name});
                    let message = "the model repeated a call that stands; it did not run again";
                    drafts.push(warning_with("call_repeated", message, about));
                    Step::Tell(None, told.unwrap_or_default())
                }
            };
            tasks.push(Task { slot, judged, step: self.look_ahead(next, slots) });
        }
        // Both go to the disk together, and nothing is run before they are there. The audit is queued first and waits for
        // the verdicts, which are urgent: one commit for both, and the tool starts that much sooner.
        let kept = self.context.sessions.records().apply_in_company(changes);
        let (kept, written) = tokio::join!(kept, self.outbox.write(drafts));
        written?;
        kept?;
        Ok(tasks)
    }

    /// A tool that only looks need not wait until the log knows of it: it may be run twice, and what it says is shown later.
    fn look_ahead(&self, step: Step, slots: &Arc<Semaphore>) -> Step {
        match step {
            Step::Ours(tool, order) if tool.reach == Reach::Reads => match Arc::clone(slots).try_acquire_owned() {
                Ok(slot) => {
                    let (place, sent) = (self.context.tool_context(), order.clone());
                    let span = span(order.called(), &self.context.session.session_id);
                    let mut tasks = JoinSet::new();
                    tasks.spawn(async move { tools::run(&tool, sent, place).await }.instrument(span));
                    Step::Looking(order, Looking { tasks, _slot: slot })
                }
                Err(_) => Step::Ours(tool, order),
            },
            other => other,
        }
    }

    /// Prepares a call that may run; the event is written before it does.
    fn start(
        &self,
        judged: &JudgedCall,
        cleared: &ClearedCall,
        review: Option<&str>,
        resolution: &Resolution<HostedCall>,
        drafts: &mut Vec<Draft>,
    ) -> Step {
        let Some(order) = self.order(judged, cleared, resolution) else {
            return Step::Tell(
                Some(RefusalKind::Wrong),
                resolution.words().refused(&judged.call.name, &judged.verdict),
            );
        };
        let tool = self.tools.toolbox.find(order.name()).cloned();
        let call_id = &judged.own.call_id;
        let mut fields = json!({
            "call_id": call_id,
            "name": order.name(),
            "arguments": order.arguments(),
            "call": {"id": call_id, "name": order.name(), "arguments": order.arguments()},
            "verdict_id": judged.own.verdict_id,
            "verdict": judged.own.told,
            "run_by": if tool.is_some() { "countersign" } else { "client" },
            "idempotency_key": order.key(),
        });
        if let (Some(review), Some(fields)) = (review, fields.as_object_mut()) {
            fields.insert("review_id".to_owned(), json!(review));
        }
        drafts.push(self.outbox.event(EventType::ToolCall, ContentType::Json, fields));
        match tool {
            Some(tool) => Step::Ours(tool, order),
            // Somebody waits before anybody is told.
            None => Step::Client(order.called().clone(), self.expect_result(call_id)),
        }
    }

    /// The order for a cleared call: of this turn, by the tool as it is now.
    fn order(&self, judged: &JudgedCall, cleared: &ClearedCall, resolution: &Resolution<HostedCall>) -> Option<Order> {
        let registry = self.tools.guard.registry();
        let digest = registry.map_or_else(|| "".into(), |registry| registry.digest(&cleared.call().name));
        let good = cleared.is_good_for(resolution.scope(), &digest);
        good.then(|| Order::new(&self.context.turn_name(), &judged.own.call_id, cleared))
    }

    fn expect_result(&self, call_id: &str) -> oneshot::Receiver<ToolOutcome> {
        self.context.waiting.expect(self.outbox.writer().session(), call_id)
    }

    /// What is left to do about a call of which the log knows.
    fn recall(
        &self,
        judged: JudgedCall,
        slot: Option<usize>,
        told: Option<String>,
        resolution: &Resolution<HostedCall>,
    ) -> Task {
        let trail = self.context.journal.trail(&judged.own.call_id);
        let proposal = slot.and_then(|at| resolution.propose_again(at));
        let step = match (&trail.result, &trail.started, &trail.review) {
            (Some(result), Some(started), _) => match (&trail.result_review, &trail.ruling) {
                (Some(review), None) => Step::Withheld(seen(result, started), review.clone()),
                (_, ruling) => over(result, started, ruling.as_ref()),
            },
            (None, Some(started), _) => {
                let called = called(&judged.own.call_id, started);
                match started.get("run_by").and_then(Value::as_str) {
                    Some("client") => Step::Client(called, self.expect_result(&judged.own.call_id)),
                    _ => Step::Interrupted(called),
                }
            }
            (_, None, Some(review)) => match proposal {
                Some(proposal) => Step::Ask(review.clone(), Box::new(proposal), trail),
                None => tell(resolution, slot),
            },
            _ => told.map_or_else(|| tell(resolution, slot), |told| Step::Tell(None, told)),
        };
        Task { slot, judged, step }
    }

    async fn carry_out(&self, task: Task, slots: &Semaphore) -> Result<(Option<usize>, Settled, Learned), Ending> {
        let Task { slot, judged, step } = task;
        let settled = match step {
            Step::Tell(kind, told) => settle_unrun(&judged, kind, told),
            Step::Over(seen, told) => settle_seen(&judged, seen, told),
            Step::Withheld(seen, review) => self.wait_for_ruling(&judged, seen, &review).await?,
            Step::Interrupted(called) => {
                let tool = self.tools.toolbox.find(&called.name);
                let reach = tool.map_or(Reach::Acts, |tool| tool.reach);
                self.show(&judged, &called, interrupted(&called.name, reach)).await?
            }
            Step::Client(called, result) => {
                let outcome = self.wait_for_client(&called, result).await;
                self.show(&judged, &called, outcome).await?
            }
            Step::Ours(tool, order) => {
                let span = span(order.called(), &self.context.session.session_id);
                let running = async {
                    // The semaphore is never closed.
                    let _slot = slots.acquire().await;
                    Ok(tools::run(&tool, order.clone(), self.context.tool_context()).instrument(span).await)
                };
                let outcome = self.time_budget.spend(running).await?;
                self.show(&judged, order.called(), outcome).await?
            }
            Step::Looking(order, mut looking) => {
                let looked = async { Ok(looking.tasks.join_next().await) };
                let outcome = match self.time_budget.spend(looked).await? {
                    Some(Ok(outcome)) => outcome,
                    _ => interrupted(order.name(), Reach::Reads),
                };
                drop(looking);
                self.show(&judged, order.called(), outcome).await?
            }
            Step::Ask(review, proposal, trail) => {
                return Box::pin(self.wait_for_person(slot, judged, &review, &proposal, &trail, slots)).await;
            }
        };
        Ok((slot, settled, Learned::Nothing))
    }

    async fn wait_for_client(&self, called: &Called, result: oneshot::Receiver<ToolOutcome>) -> Outcome {
        let _pause = self.time_budget.pause();
        let span = span(called, &self.context.session.session_id);
        match tokio::time::timeout(self.context.patience, result).instrument(span).await {
            Ok(Ok(ToolOutcome { content, is_error })) => {
                Outcome { content, is_error, knowledge: Knowledge::Known, remarks: Vec::new() }
            }
            _ => Outcome {
                content: json!(format!("no result came in time. {}", tools::UNKNOWN)),
                is_error: true,
                knowledge: Knowledge::Unknown,
                remarks: vec![Remark {
                    code: "outcome_unknown",
                    message: format!("the client brought no result of {:?}", called.name),
                }],
            },
        }
    }

    /// Waits for a person, and does what they say.
    async fn wait_for_person(
        &self,
        slot: Option<usize>,
        judged: JudgedCall,
        review: &str,
        proposal: &Proposal,
        trail: &Trail,
        slots: &Semaphore,
    ) -> Result<(Option<usize>, Settled, Learned), Ending> {
        let decided = {
            let _pause = self.time_budget.pause();
            self.context.reviews.wait(review).await?
        };
        if !decided.state.is_yes() {
            return self.tell_denial(slot, &judged, &decided, trail).await;
        }
        let approval = match self.context.reviews.take(review).await {
            // The process before took it and died before it wrote that the call begins: so it did not begin.
            Err(ReviewError::Over(_)) if trail.review.is_some() => self.context.reviews.take_over(review).await,
            taken => taken,
        };
        let cleared = match approval {
            Ok(approval) => proposal.approve(approval),
            Err(ReviewError::Store(error)) => return Err(error.into()),
            Err(_) => None,
        };
        let Some(cleared) = cleared else {
            let told = "The approval cannot be used: it was given for another call, or used before.".to_owned();
            let settled = settle_unrun(&judged, Some(RefusalKind::Rejected), told.clone());
            return Ok((slot, settled, Learned::Rejected(told)));
        };
        let mut drafts = Vec::new();
        let step = self.start(&judged, &cleared, Some(review), &self.resolution(), &mut drafts);
        self.outbox.write(drafts).await?;
        let (slot, settled, _) = self.carry_out(Task { slot, judged, step }, slots).await?;
        Ok((slot, settled, Learned::Approved(cleared)))
    }

    async fn tell_denial(
        &self,
        slot: Option<usize>,
        judged: &JudgedCall,
        review: &Review,
        trail: &Trail,
    ) -> Result<(Option<usize>, Settled, Learned), Ending> {
        let told = denial(review, self.context.language);
        if !trail.denied {
            let more = json!({"call_id": judged.own.call_id, "review_id": review.review_id});
            self.outbox.write(vec![warning_with(DENIED, &told, more)]).await?;
        }
        let settled = settle_unrun(judged, Some(RefusalKind::Rejected), told.clone());
        Ok((slot, settled, Learned::Rejected(told)))
    }
}

/// Tells the resolution what came of a call.
fn learn(resolution: &mut Resolution<HostedCall>, slot: Option<usize>, settled: Settled, learned: Learned) -> Settled {
    let Some(at) = slot else { return settled };
    match learned {
        Learned::Nothing => {}
        Learned::Approved(cleared) => resolution.released(at, cleared),
        Learned::Rejected(told) => resolution.decide(at, PersonSaid::Rejected(told)),
    }
    if let Some(seen) = &settled.result {
        resolution.returned(at, &settled.told, !seen.is_error);
    }
    settled
}

/// What the model is told of a call that does not run.
fn tell(resolution: &Resolution<HostedCall>, slot: Option<usize>) -> Step {
    let disposition = slot.and_then(|at| resolution.slots().get(at)).map(|slot| &slot.disposition);
    let kind = match disposition {
        Some(Disposition::Refuse(refusal)) => refusal.kind,
        _ => RefusalKind::Wrong,
    };
    let told = slot.map(|at| resolution.tell(at).1).unwrap_or_default();
    Step::Tell(Some(kind), told)
}

/// A call that was over, from the log; with what a person decided on its result.
fn over(result: &Payload, started: &Payload, ruling: Option<&Payload>) -> Step {
    let seen = seen(result, started);
    let word = |from: &Payload| from.get("told").and_then(Value::as_str).map(str::to_owned);
    let told = ruling.map_or_else(|| word(result), word).unwrap_or_else(|| text_of(&seen.content));
    let Some(ruling) = ruling else { return Step::Over(seen, told) };
    let decided = |state: ReviewState| ruling.get("state") == Some(&json!(state));
    let seen = match ruling.get("content") {
        Some(content) => Seen { content: content.clone(), is_error: false, ..seen },
        None if decided(ReviewState::Approved) => seen,
        None => Seen { content: json!(told), is_error: true, ..seen },
    };
    Step::Over(seen, told)
}

/// What came back, from the log.
fn seen(result: &Payload, started: &Payload) -> Seen {
    let field = |name: &str| result.get(name).cloned().unwrap_or_default();
    Seen {
        name: field("name").as_str().unwrap_or_default().to_owned(),
        arguments: started.get("arguments").cloned().unwrap_or_default(),
        content: field("content"),
        is_error: field("is_error") == json!(true),
        is_suspicious: field("verification").get("is_suspicious") == Some(&json!(true)),
    }
}

/// A call that was given to its runner, from the log.
fn called(call_id: &str, started: &Payload) -> Called {
    let name = started.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = started.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    Called { call_id: call_id.to_owned(), name, arguments }
}

fn interrupted(name: &str, reach: Reach) -> Outcome {
    let (told, knowledge, code) = match reach {
        Reach::Reads => {
            ("Its result was lost with the process; it may be called again.", Knowledge::Known, "tool_failed")
        }
        Reach::Acts => (tools::UNKNOWN, Knowledge::Unknown, "outcome_unknown"),
    };
    let content = format!("The server was restarted while {name:?} was running. {told}");
    let remark = Remark { code, message: content.clone() };
    Outcome { content: content.into(), is_error: true, knowledge, remarks: vec![remark] }
}

fn span(called: &Called, session: &str) -> tracing::Span {
    tracing::info_span!(
        "execute_tool",
        otel.name = format!("execute_tool {}", called.name),
        gen_ai.tool.type = "function",
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = called.name,
        gen_ai.tool.call.id = called.call_id,
        gen_ai.conversation.id = session,
    )
}
