//! A small model that is built in, so that the first run needs no account and no network.
//!
//! It speaks OpenAI chat completions, OpenAI responses and Anthropic messages as their servers do, streamed and whole,
//! and makes the mistakes that real models make. `demo` makes a mix of them, `demo-clean` none, and `demo-` with a
//! fault's name always that one. What it says depends on the seed and the request alone, so that a demonstration can be
//! repeated: it reads no clock and rolls no dice. Where the system's words ask it to be a concierge, a planner or a solver,
//! it plays that part. It never knows anything: its figures are made up on purpose.

/// Choices that follow from a hash.
mod dice;
/// The mistakes, by name.
mod fault;
/// Requests that cannot be answered.
mod trouble;
/// The words of a text.
mod words;
/// Schemas made plain.
mod schema;
/// What a request comes to.
mod conversation;
/// From three dialects to one conversation.
mod request;
/// Time zones by their places.
mod zones;
/// What a request says.
mod mentions;
/// Which field it is meant for.
mod fields;
/// Values that nobody spoke of.
mod unsaid;
/// Arguments that keep to a schema.
mod arguments;
/// What a request asks for.
mod tasks;
/// Calls made wrong.
mod mistakes;
/// What it says in words.
mod talk;
/// What results come to, in words.
mod summary;
/// Pieces of text and their probabilities.
mod tokens;
/// Which agent it is asked to be.
mod part;
/// Tags, right and wrong.
mod markup;
/// As a concierge.
mod concierge;
/// As a planner.
mod planner;
/// As a solver.
mod solver;
/// What an answer will be.
mod script;
/// What all dialects write from.
mod sheet;
/// OpenAI chat completions.
mod chat;
/// OpenAI responses.
mod responses;
/// Anthropic messages.
mod messages;

use super::{AnswerStream, Ask, Logprobs, Model, ModelError};
use async_trait::async_trait;
use bytes::Bytes;
use conversation::{Conversation, Delivery};
use dice::Dice;
use fault::{Fault, Habit, models};
use futures_util::{Stream, StreamExt, stream};
use part::Part;
use script::script;
use serde_json::{Map, Value, json};
use sheet::Sheet;
use std::pin::Pin;
use std::time::Duration;
use trouble::Trouble;

/// The demo model.
#[derive(Debug, Clone)]
pub struct DemoModel {
    seed: u64,
    pace: Duration,
    logprobs: Logprobs,
}

/// What the demo is asked over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoRoute {
    /// `POST /v1/chat/completions`
    Chat,
    /// `POST /v1/responses`
    Responses,
    /// `POST /v1/messages`
    Messages,
    /// `GET /v1/models`
    Models,
}

/// What the demo answers over the wire.
#[derive(Debug)]
pub struct DemoAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: &'static str,
    /// The body.
    pub body: DemoBody,
}

/// The body of an answer.
pub enum DemoBody {
    /// All of it.
    Whole(Bytes),
    /// As it comes.
    Stream(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl DemoModel {
    /// A model of which everything follows from a seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed, pace: PACE, logprobs: Logprobs::Auto }
    }

    /// The names that it answers to, each for what it gets wrong.
    pub fn names() -> impl Iterator<Item = String> {
        models()
    }

    /// The pause between two pieces of a stream.
    #[must_use]
    pub const fn with_pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Whether hosted conversations ask for log-probabilities.
    #[must_use]
    pub const fn with_logprobs(self, logprobs: Logprobs) -> Self {
        Self { logprobs, ..self }
    }

    /// Answers a request. A body that it cannot use gives an error in the dialect's own form.
    pub fn answer(&self, route: DemoRoute, body: &[u8]) -> DemoAnswer {
        let read = match route {
            DemoRoute::Chat => object(body).and_then(request::chat),
            DemoRoute::Responses => object(body).and_then(request::responses),
            DemoRoute::Messages => object(body).and_then(request::messages),
            DemoRoute::Models => return whole(200, list().to_string().into_bytes()),
        };
        match read {
            Ok(asked) => self.deliver(route, asked),
            Err(trouble) if route == DemoRoute::Messages => {
                whole(trouble.status, trouble.anthropic().to_string().into_bytes())
            }
            Err(trouble) => whole(trouble.status, trouble.openai().to_string().into_bytes()),
        }
    }

    fn deliver(&self, route: DemoRoute, asked: Conversation) -> DemoAnswer {
        let slow = asked.habit == Habit::Always(Fault::Slow);
        let pace = self.pace_of(asked.habit);
        let sheet = self.sheet(asked);
        if let Some(answer) = spoilt(route, &sheet) {
            return answer;
        }
        if sheet.asked.delivery == Delivery::Whole {
            let value = match route {
                DemoRoute::Responses => responses::whole(&sheet),
                DemoRoute::Messages => messages::whole(&sheet),
                DemoRoute::Chat | DemoRoute::Models => chat::whole(&sheet),
            };
            let body = sheet.body(&value);
            return if slow { streamed(JSON, pace_pieces(vec![body], pace)) } else { whole(200, body) };
        }
        streamed(EVENTS, pace_pieces(events(route, &sheet), pace))
    }

    fn pace_of(&self, habit: Habit) -> Duration {
        match habit {
            Habit::Always(Fault::Slow) => self.pace.saturating_mul(SLOWNESS),
            Habit::Always(Fault::Flood) => Duration::ZERO,
            _ => self.pace,
        }
    }

    fn sheet(&self, asked: Conversation) -> Sheet {
        let dice = Dice::new(self.seed, &[asked.question(), &asked.model]);
        let script = script(&asked, &dice);
        Sheet::new(self.seed, asked, script)
    }
}

impl Default for DemoModel {
    fn default() -> Self {
        Self::new(0)
    }
}

#[async_trait]
impl Model for DemoModel {
    /// Answers a hosted conversation. Without a demo model's name it errs in ways that can be mended for certain, or
    /// claims what nobody verified in a note whose tag is not closed.
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError> {
        let named = ask.model.filter(|name| name == "demo" || name.starts_with("demo-"));
        let usual = if ask.tools.is_empty() { "demo-claims" } else { "demo-types" };
        let (model, hosted) = named.map_or((usual.to_owned(), true), |name| (name, false));
        let logprobs = self.logprobs != Logprobs::Off;
        let body = json!({
            "model": model, "messages": ask.messages, "tools": ask.tools, "stream": true, "logprobs": logprobs,
        });
        let body = body.as_object().cloned().unwrap_or_default();
        let mut asked = request::chat(body).map_err(|trouble| build_refusal(&trouble))?;
        if hosted {
            asked.habit = Habit::Hosted;
        }
        let pace = self.pace_of(asked.habit);
        let mut sheet = self.sheet(asked);
        if hosted {
            "demo".clone_into(&mut sheet.asked.model);
        }
        let keeps_notes = sheet.asked.instructions().is_empty() || matches!(Part::of(&sheet.asked), Part::Concierge);
        if hosted && keeps_notes && sheet.script.calls.is_empty() && sheet.script.fault == Some(Fault::Claims) {
            sheet.script.text += talk::open_note(sheet.asked.question());
        }
        if let Some(DemoBody::Stream(spoilt)) = spoilt(DemoRoute::Chat, &sheet).map(|answer| answer.body) {
            return Ok(Box::pin(spoilt.map(Ok)));
        }
        Ok(Box::pin(pace_pieces(events(DemoRoute::Chat, &sheet), pace).map(Ok)))
    }
}

impl std::fmt::Debug for DemoBody {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(bytes) => formatter.debug_tuple("Whole").field(bytes).finish(),
            Self::Stream(_) => formatter.write_str("Stream"),
        }
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Trouble> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Trouble::body("it must be a JSON object")),
        Err(error) => Err(Trouble::body(&error.to_string())),
    }
}

/// The models, with the fields of both makers' lists.
fn list() -> Value {
    let model = |id: String| {
        json!({
            "id": id, "object": "model", "created": FIRST_OF_2024, "owned_by": "countersign",
            "type": "model", "display_name": id, "created_at": "2024-01-01T00:00:00Z",
        })
    };
    let (first, last) = (models().next(), models().last());
    let models: Vec<Value> = models().map(model).collect();
    json!({"object": "list", "data": models, "has_more": false, "first_id": first, "last_id": last})
}

fn whole(status: u16, body: Vec<u8>) -> DemoAnswer {
    DemoAnswer { status, content_type: JSON, body: DemoBody::Whole(Bytes::from(body)) }
}

fn streamed(content_type: &'static str, body: impl Stream<Item = Bytes> + Send + 'static) -> DemoAnswer {
    DemoAnswer { status: 200, content_type, body: DemoBody::Stream(Box::pin(body)) }
}

fn events(route: DemoRoute, sheet: &Sheet) -> Vec<Vec<u8>> {
    let events = match route {
        DemoRoute::Responses => responses::events(sheet),
        DemoRoute::Messages => messages::events(sheet),
        DemoRoute::Chat | DemoRoute::Models => chat::events(sheet),
    };
    events.into_iter().map(String::into_bytes).collect()
}

/// Bytes that no dialect explains: frames that are no JSON, or a beginning and then silence.
fn spoilt(route: DemoRoute, sheet: &Sheet) -> Option<DemoAnswer> {
    let streams = sheet.asked.delivery != Delivery::Whole;
    let content_type = if streams { EVENTS } else { JSON };
    match sheet.asked.habit {
        Habit::Always(Fault::Garbage) => {
            let frames = GARBAGE.iter().map(|frame| frame.to_vec());
            Some(streamed(content_type, pace_pieces(frames.collect(), Duration::ZERO)))
        }
        Habit::Always(Fault::Hang) => {
            let begun =
                if streams { events(route, sheet).into_iter().take(BEGUN).collect() } else { vec![b"{".to_vec()] };
            // Even silence has an end.
            let silence = stream::once(tokio::time::sleep(SILENCE)).filter_map(|()| async { None });
            Some(streamed(content_type, pace_pieces(begun, Duration::ZERO).chain(silence)))
        }
        _ => None,
    }
}

/// Pieces with a pause before each.
fn pace_pieces(pieces: Vec<Vec<u8>>, pace: Duration) -> impl Stream<Item = Bytes> + Send + 'static {
    stream::iter(pieces).then(move |piece| async move {
        if !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
        Bytes::from(piece)
    })
}

fn build_refusal(trouble: &Trouble) -> ModelError {
    ModelError::Status { status: trouble.status, message: trouble.message.clone(), retry_after_ms: None }
}

const PACE: Duration = Duration::from_millis(15);
/// How many times slower the slow model is.
const SLOWNESS: u32 = 20;
/// Events before it hangs.
const BEGUN: usize = 3;
/// How long the model that hangs says nothing.
const SILENCE: Duration = Duration::from_secs(600);
/// Frames that are no JSON, bytes that are no text, and an end.
const GARBAGE: [&[u8]; 5] = [
    b"data: {\"choices\": [{\"delta\": {\"content\": \"The\n\n",
    b"data: <html>502 Bad Gateway</html>\n\n",
    b"event: what\ndata: \xff\xfe\0}{\n\n",
    b"data: [1, 2\n\n",
    b"data: [DONE]\n\n",
];
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const FIRST_OF_2024: u64 = 1_704_067_200;
