//! A turn, followed to its end: over lost connections, with approvals, and with Ctrl-C.
//!
//! An event is shown once, whatever happens to the connection: the bookmark moves with each, and whoever comes back asks
//! for what follows it. The turn itself goes on while nobody reads.

use super::api::{Api, Events, Trouble};
use super::approval::{About, Asked, Said, Waiting};
use super::bookmark::Bookmark;
use super::display::Display;
use super::frames::Frame;
use super::person::{Did, Ears, Person};
use crate::failure::Failure;
use crate::human::chat::{Detail, is_refusal};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// A conversation, while it is followed.
pub(super) struct Following<'a> {
    /// The server.
    pub api: &'a Api,
    /// Which session.
    pub session: &'a str,
    /// In whose name decisions are made.
    pub user: Option<&'a str>,
    /// Where events go.
    pub display: &'a mut Display,
    /// What was shown.
    pub bookmark: &'a mut Bookmark,
    /// Who is there.
    pub person: &'a mut Person,
    /// What was typed and is said later.
    pub typed: &'a mut VecDeque<String>,
    /// What they came for.
    pub manner: Manner,
}

/// What a person came for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// One answer.
    Once,
    /// A conversation.
    Talk,
}

/// How a turn ended for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The answer is whole.
    Completed,
    /// It failed, was stopped or lost, or its call was refused for good.
    Otherwise,
    /// Nothing was running.
    Nothing,
    /// The reader wants to go.
    Quit,
}

/// What is going on.
#[derive(Default)]
struct State {
    ended: Option<Ended>,
    /// What waits for a person, the oldest first.
    waiting: VecDeque<Waiting>,
    /// About which of them was asked.
    asked: Option<String>,
    stopping: bool,
    /// The last message says that a call was refused for good.
    refused: bool,
    /// The history is told again by the server, and was shown before.
    again: bool,
}

impl Following<'_> {
    /// Follows a stream to its end.
    pub(super) async fn follow(&mut self, mut events: Events, mut detail: Detail) -> Result<Ended, Failure> {
        let mut state = State::default();
        loop {
            tokio::select! {
                biased;
                did = self.person.next(self.ears(&state)) => {
                    if self.did(did, &mut state).await? == Some(Ended::Quit) {
                        self.release(&state).await;
                        return Ok(Ended::Quit);
                    }
                }
                // What is told again may be decided a line later: it is asked about when nothing follows.
                () = tokio::time::sleep(QUIET), if state.is_unasked() => self.ask_first(&mut state).await?,
                frame = events.next() => match frame {
                    Ok(Frame::Event(event)) => self.take(&event, detail, &mut state).await?,
                    Ok(Frame::Done) => break,
                    Err(_) if state.ended.is_some() => break,
                    Err(reason) => match self.come_back(&reason, &mut state).await? {
                        Some(again) => {
                            events = again;
                            // What was missed is told by the server as replayed; here it is new.
                            detail = Detail::Live;
                        }
                        None => {
                            self.release(&state).await;
                            return Ok(Ended::Quit);
                        }
                    },
                },
            }
        }
        self.bookmark.keep();
        self.release(&state).await;
        Ok(state.ended.unwrap_or(Ended::Nothing))
    }

    /// Who came for one answer is listened to when something was asked, so that nothing is decided before.
    fn ears(&self, state: &State) -> Ears {
        match self.manner {
            Manner::Once if state.current_question().is_none() => Ears::Interrupts,
            _ => Ears::Everything,
        }
    }

    async fn take(&mut self, event: &Value, detail: Detail, state: &mut State) -> Result<(), Failure> {
        let word = |name| event.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, payload) = (word("event_type"), event.get("payload").unwrap_or(&Value::Null));
        if kind == "reset" {
            self.bookmark.forget();
            state.again = true;
            return self.display.remark("the server lost its position and replays everything");
        }
        let live = event.pointer("/meta/is_realtime").and_then(Value::as_bool).unwrap_or_default();
        let shown_before = !self.bookmark.advance(word("id"));
        if shown_before {
            return Ok(());
        }
        state.refused = if kind == "message" { is_refusal(payload) } else { state.refused };
        state.ended = match kind {
            "completed" if !state.refused => Some(Ended::Completed),
            "completed" | "failed" | "stopped" | "lost" => Some(Ended::Otherwise),
            _ => None,
        };
        if live || !state.again {
            self.display.show(event, if live { Detail::Live } else { detail })?;
        }
        note_review(kind, payload, state);
        if live { self.ask_first(state).await } else { Ok(()) }
    }

    /// Asks about the first that waits, once. The words of an answer are shown to who decides on it.
    async fn ask_first(&mut self, state: &mut State) -> Result<(), Failure> {
        if !state.is_unasked() {
            return Ok(());
        }
        state.asked = state.waiting.front().map(|waiting| waiting.review.clone());
        let Some(waiting) = state.waiting.front() else { return Ok(()) };
        if waiting.about == About::Answer
            && self.person.can_type()
            && let Ok(item) = self.api.review(&waiting.review).await
        {
            self.display.quote(item.pointer("/context/answer").and_then(Value::as_str).unwrap_or_default())?;
        }
        self.ask(waiting)
    }

    fn ask(&mut self, waiting: &Waiting) -> Result<(), Failure> {
        if self.person.can_type() {
            return self.display.prompt(waiting.question());
        }
        let item = format!("{}{}", waiting.review, self.api.server_option());
        self.display.remark(&format!(
            "nobody can be asked here; decide with `countersign review approve {item}` or `countersign review reject {item}`"
        ))
    }

    /// What a person did while the turn runs.
    async fn did(&mut self, did: Did, state: &mut State) -> Result<Option<Ended>, Failure> {
        match did {
            Did::Left => match state.waiting.front().cloned() {
                Some(waiting) => self.ask(&waiting).map(|()| None),
                None => Ok(None),
            },
            Did::Interrupted if state.stopping => Ok(Some(Ended::Quit)),
            Did::Interrupted => self.stop(state).await,
            Did::Typed(line) if line.trim() == "/stop" => self.stop(state).await,
            Did::Typed(line) if line.trim() == "/quit" => Ok(Some(Ended::Quit)),
            Did::Typed(line) => {
                match state.current_question().cloned() {
                    Some(waiting) => self.decide(&line, waiting, state).await?,
                    None if self.typed.len() < MOST_TYPED => self.typed.push_back(line),
                    None => self.display.remark("too much was typed ahead; wait for the answer")?,
                }
                Ok(None)
            }
        }
    }

    async fn stop(&mut self, state: &mut State) -> Result<Option<Ended>, Failure> {
        state.stopping = true;
        match self.api.stop(self.session).await {
            Ok(_) => self.display.remark("stopping; Ctrl-C again quits")?,
            Err(trouble) => {
                self.display.remark(&format!("it cannot be stopped: {}; Ctrl-C again quits", trouble.sentence()))?;
            }
        }
        Ok(None)
    }

    /// A flag that we raised would stop the next turn too.
    async fn release(&mut self, state: &State) {
        self.bookmark.keep();
        if state.stopping {
            // A server that is unavailable keeps the flag; the next message says so.
            let _ = tokio::time::timeout(PATIENCE, self.api.clear(self.session)).await;
        }
    }

    async fn decide(&mut self, line: &str, mut waiting: Waiting, state: &mut State) -> Result<(), Failure> {
        let mut decision = match waiting.read(line) {
            Said::Decision(decision) => decision,
            Said::Edit => {
                waiting.asked = Asked::Edit;
                if waiting.about == About::Call {
                    self.display.quote(&waiting.arguments.to_string())?;
                }
                return self.ask_again(waiting, state);
            }
            Said::Unclear(what) => {
                self.display.remark(&what)?;
                return self.ask_again(waiting, state);
            }
        };
        if let (Some(fields), Some(user)) = (decision.as_object_mut(), self.user) {
            fields.insert("reviewer".to_owned(), json!(user));
        }
        match self.api.decide(&waiting.review, &decision).await {
            Ok(_) => {
                state.waiting.pop_front();
                self.ask_first(state).await
            }
            Err(Trouble::Refused { status: 401 | 403, message }) => {
                state.waiting.pop_front();
                let review = &waiting.review;
                self.display.remark(&format!("your key may not decide ({message}); somebody else must: {review}"))
            }
            Err(Trouble::Refused { status: 404 | 409 | 410, message }) => {
                state.waiting.pop_front();
                self.display.remark(&message)
            }
            Err(trouble) => {
                self.display.remark(&trouble.sentence())?;
                waiting.asked = Asked::Decision;
                self.ask_again(waiting, state)
            }
        }
    }

    fn ask_again(&mut self, waiting: Waiting, state: &mut State) -> Result<(), Failure> {
        self.ask(&waiting)?;
        if let Some(first) = state.waiting.front_mut() {
            *first = waiting;
        }
        Ok(())
    }

    /// Comes back after a lost connection; `None` where the person does not want to wait.
    async fn come_back(&mut self, reason: &str, state: &mut State) -> Result<Option<Events>, Failure> {
        self.display.remark(&format!("⟳ {reason}; reconnecting…"))?;
        let (end, mut pause) = (Instant::now() + LONGEST, SHORTEST_PAUSE);
        loop {
            tokio::select! {
                did = self.person.next(Ears::Interrupts) => if matches!(did, Did::Interrupted) { return Ok(None) },
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            match self.api.events(self.session, self.bookmark.last()).await {
                Ok(events) => {
                    self.display.remark("⟳ connected again")?;
                    return Ok(Some(events));
                }
                Err(Trouble::Refused { status: 410, .. }) => {
                    self.bookmark.forget();
                    state.again = true;
                }
                Err(trouble) if trouble.may_pass() && Instant::now() < end => {}
                Err(trouble) => return Err(trouble.into()),
            }
        }
    }
}

impl State {
    /// The call that was asked about: only then is a line a decision.
    fn current_question(&self) -> Option<&Waiting> {
        self.waiting.front().filter(|waiting| self.asked.as_ref() == Some(&waiting.review))
    }

    /// Whether a call waits that nobody was asked about.
    fn is_unasked(&self) -> bool {
        self.waiting.front().is_some_and(|waiting| self.asked.as_ref() != Some(&waiting.review))
    }
}

/// Keeps the list of what waits for a person.
fn note_review(kind: &str, payload: &Value, state: &mut State) {
    let decided = payload.get("review_id").or_else(|| payload.pointer("/reviewed/review_id"));
    match kind {
        "review_required" => state.waiting.push_back(Waiting::of(payload)),
        // Somebody has decided on a result or an answer.
        "warning" | "message" if decided.is_some() => {
            state.waiting.retain(|waiting| decided.and_then(Value::as_str) != Some(waiting.review.as_str()));
        }
        // The call goes on: somebody has decided.
        "tool_call" | "tool_result" => {
            let call = payload.get("call_id").and_then(Value::as_str).unwrap_or_default();
            state.waiting.retain(|waiting| waiting.call_id != call);
        }
        _ if state.ended.is_some() => state.waiting.clear(),
        _ => {}
    }
}

/// Lines that were typed ahead.
const MOST_TYPED: usize = 32;
/// How long the last word to a server may take.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long nothing may follow what is told again.
const QUIET: Duration = Duration::from_millis(400);
const SHORTEST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// How long a server may be unavailable.
const LONGEST: Duration = Duration::from_secs(10 * 60);
