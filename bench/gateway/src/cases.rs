//! Requests, and what the upstream answers to them: one list for the stub and for the client, so that each knows the bytes.
//!
//! Every request has a number, in its first message and in the ids of its answer: no two are alike, no cache can shine,
//! and an answer that belongs to somebody else is noticed.

use serde_json::{Value, json};
use std::time::Duration;

/// All cases of the closed loop, in the order of the table.
pub const NAMES: [&str; 9] =
    ["chat", "stream", "call", "plain", "plain-stream", "call-whole", "drip", "call-drip", "messages"];

/// One kind of request with its answer.
pub struct Case {
    pub path: &'static str,
    pub request: Template,
    pub answer: Answer,
}

pub enum Answer {
    Whole(Template),
    /// Events, and how long the upstream waits before each.
    Stream(Vec<Template>, Duration),
}

impl Case {
    /// A case by its name; `slow-N` is a stream of N chunks, one a second.
    pub fn named(name: &str) -> Option<Self> {
        let model = format!("bench-{name}");
        let at_once = Duration::ZERO;
        let dripping = Duration::from_millis(5);
        let (tools, streamed, answer) = match name {
            "chat" => (
                Tools::Five,
                false,
                Answer::Whole(whole(&model, json!({"role": "assistant", "content": TEXT, "refusal": null}), "stop")),
            ),
            "plain" => (
                Tools::None,
                false,
                Answer::Whole(whole(&model, json!({"role": "assistant", "content": TEXT, "refusal": null}), "stop")),
            ),
            "call-whole" => (Tools::Five, false, Answer::Whole(whole(&model, whole_call(), "tool_calls"))),
            "stream" => (Tools::Five, true, Answer::Stream(text_events(&model, 50), at_once)),
            "plain-stream" => (Tools::None, true, Answer::Stream(text_events(&model, 50), at_once)),
            "drip" => (Tools::Five, true, Answer::Stream(text_events(&model, 50), dripping)),
            "call" => (Tools::Five, true, Answer::Stream(call_events(&model), at_once)),
            "call-drip" => (Tools::Five, true, Answer::Stream(call_events(&model), dripping)),
            "messages" => return Some(messages_case(&model)),
            _ => {
                let chunks = name.strip_prefix("slow-")?.parse().ok()?;
                (Tools::Five, true, Answer::Stream(text_events(&model, chunks), Duration::from_secs(1)))
            }
        };
        Some(Self { path: "/v1/chat/completions", request: chat_request(&model, tools, streamed), answer })
    }

    pub fn is_streamed(&self) -> bool {
        matches!(self.answer, Answer::Stream(..))
    }

    /// What a client must get, all of it.
    pub fn expected(&self, number: u64) -> Vec<u8> {
        match &self.answer {
            Answer::Whole(body) => body.with(number),
            Answer::Stream(events, _) => events.iter().flat_map(|event| event.with(number)).collect(),
        }
    }
}

/// Bytes with places for the number of the request.
pub struct Template {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Template {
    fn new(text: String) -> Self {
        let places = memchr::memmem::find_iter(text.as_bytes(), PLACE).collect();
        Self { bytes: text.into_bytes(), places }
    }

    pub fn with(&self, number: u64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let digits = format!("{:08}", number % 100_000_000);
        for place in &self.places {
            bytes[*place..place + PLACE.len()].copy_from_slice(digits.as_bytes());
        }
        bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The name of the case and the number of the request, from a request's body however it was written again on its way.
pub fn asked_for(body: &[u8]) -> Option<(&str, u64)> {
    let name = memchr::memmem::find(body, b"bench-")? + "bench-".len();
    let end = name + memchr::memchr(b'"', &body[name..])?;
    let number = memchr::memmem::find(body, REFERENCE)? + REFERENCE.len();
    let digits = std::str::from_utf8(body.get(number..number + PLACE.len())?).ok()?;
    Some((std::str::from_utf8(&body[name..end]).ok()?, digits.parse().ok()?))
}

enum Tools {
    Five,
    None,
}

fn chat_request(model: &str, tools: Tools, streamed: bool) -> Template {
    let mut request = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": FIRST_WORDS},
            {"role": "assistant", "content": REPLY},
            {"role": "user", "content": LAST_WORDS},
        ],
        "temperature": 0.2,
    });
    if matches!(tools, Tools::Five) {
        let tools = five_tools().into_iter().map(|function| json!({"type": "function", "function": function}));
        request["tools"] = Value::Array(tools.collect());
    }
    if streamed {
        request["stream"] = Value::Bool(true);
    }
    Template::new(request.to_string())
}

fn whole(model: &str, message: Value, finish: &str) -> Template {
    let answer = json!({
        "id": "chatcmpl-@@@@@@@@", "object": "chat.completion", "created": 1_763_000_000, "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
        "usage": {"prompt_tokens": 812, "completion_tokens": 231, "total_tokens": 1043},
        "system_fingerprint": "fp_44709d6fcb",
    });
    Template::new(answer.to_string())
}

fn whole_call() -> Value {
    let function = json!({"name": "search_flights", "arguments": arguments()});
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_@@@@@@@@", "type": "function", "function": function}]})
}

fn chunk(model: &str, delta: Value, finish: Option<&str>) -> String {
    let chunk = json!({
        "id": "chatcmpl-@@@@@@@@", "object": "chat.completion.chunk", "created": 1_763_000_000, "model": model,
        "system_fingerprint": "fp_44709d6fcb",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}],
    });
    format!("data: {chunk}\n\n")
}

/// The last chunk and the end mark come together, as they do from the real one.
fn last_chunk(model: &str, finish: &str) -> Template {
    Template::new(chunk(model, json!({}), Some(finish)) + "data: [DONE]\n\n")
}

fn text_events(model: &str, chunks: usize) -> Vec<Template> {
    let first = chunk(model, json!({"role": "assistant", "content": ""}), None);
    let words = pieces(TEXT, chunks).into_iter().map(|words| chunk(model, json!({"content": words}), None));
    let events = std::iter::once(first).chain(words).map(Template::new);
    events.chain([last_chunk(model, "stop")]).collect()
}

fn call_events(model: &str) -> Vec<Template> {
    let function = json!({"name": "search_flights", "arguments": ""});
    let call = json!({"index": 0, "id": "call_@@@@@@@@", "type": "function", "function": function});
    let first = chunk(model, json!({"role": "assistant", "content": null, "tool_calls": [call]}), None);
    let deltas = pieces(&arguments(), 20)
        .into_iter()
        .map(|piece| chunk(model, json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}), None));
    let events = std::iter::once(first).chain(deltas).map(Template::new);
    events.chain([last_chunk(model, "tool_calls")]).collect()
}

/// The 50-chunk stream in the other dialect.
fn messages_case(model: &str) -> Case {
    let tools: Vec<Value> = five_tools()
        .into_iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}))
        .collect();
    let request = json!({
        "model": model, "max_tokens": 1024, "system": SYSTEM,
        "messages": [
            {"role": "user", "content": FIRST_WORDS},
            {"role": "assistant", "content": REPLY},
            {"role": "user", "content": LAST_WORDS},
        ],
        "tools": tools, "stream": true,
    });
    let message = json!({
        "id": "msg_@@@@@@@@", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 812, "output_tokens": 1},
    });
    let mut events = vec![
        event("message_start", json!({"type": "message_start", "message": message})),
        event(
            "content_block_start",
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
    ];
    events.extend(pieces(TEXT, 50).into_iter().map(|words| {
        event(
            "content_block_delta",
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}),
        )
    }));
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 231}});
    events.push(
        event("content_block_stop", json!({"type": "content_block_stop", "index": 0}))
            + &event("message_delta", delta)
            + &event("message_stop", json!({"type": "message_stop"})),
    );
    let events = events.into_iter().map(Template::new).collect();
    let request = Template::new(request.to_string());
    Case { path: "/v1/messages", request, answer: Answer::Stream(events, Duration::ZERO) }
}

fn event(name: &str, data: Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// A text in so many pieces of about the same length; it starts over where it is too short for them.
fn pieces(text: &str, count: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let width = (letters.len() / count).max(8);
    (0..count)
        .map(|at| {
            let end = if at + 1 == count && width * count <= letters.len() { letters.len() } else { (at + 1) * width };
            (at * width..end).map(|letter| letters[letter % letters.len()]).collect()
        })
        .collect()
}

/// Everything in it is in the user's words, and it fits its schema: a call that a check passes.
fn arguments() -> String {
    json!({
        "origin": "Lisbon", "destination": "Stockholm", "depart_on": "2026-12-04", "return_on": "2026-12-11",
        "passengers": [{"kind": "adult", "count": 2}, {"kind": "child", "count": 1}],
        "cabin": "economy", "max_stops": 1, "max_price": 900, "currency": "EUR",
        "notes": "A window seat for the child, and no departure before eight in the morning, please.",
    })
    .to_string()
}

fn five_tools() -> Vec<Value> {
    let text = |about: &str| json!({"type": "string", "description": about});
    let date = json!({"type": "string", "format": "date", "description": "A day, as 2026-12-31."});
    let people = json!({"type": "array", "items": {
        "type": "object", "required": ["kind", "count"], "additionalProperties": false,
        "properties": {"kind": {"type": "string", "enum": ["adult", "child", "infant"]}, "count": {"type": "integer", "minimum": 1, "maximum": 9}},
    }});
    let tool = |name: &str, about: &str, required: Value, properties: Value| {
        json!({"name": name, "description": about, "parameters": {
            "type": "object", "required": required, "additionalProperties": false, "properties": properties,
        }})
    };
    vec![
        tool(
            "search_flights",
            "Find flights between two cities.",
            json!(["origin", "destination", "depart_on"]),
            json!({
                "origin": text("City of departure."), "destination": text("City of arrival."), "depart_on": date, "return_on": date,
                "passengers": people, "cabin": {"type": "string", "enum": ["economy", "premium", "business", "first"]},
                "max_stops": {"type": "integer", "minimum": 0, "maximum": 3}, "max_price": {"type": "number", "exclusiveMinimum": 0},
                "currency": {"type": "string", "pattern": "^[A-Z]{3}$"}, "notes": text("What else matters to the traveller."),
            }),
        ),
        tool(
            "search_hotels",
            "Find hotels in a city.",
            json!(["city", "check_in", "check_out"]),
            json!({
                "city": text("Where to stay."), "check_in": date, "check_out": date, "guests": people,
                "stars": {"type": "integer", "minimum": 1, "maximum": 5},
            }),
        ),
        tool(
            "get_weather",
            "Read the forecast of a city for a day.",
            json!(["city"]),
            json!({
                "city": text("Which city."), "day": date, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            }),
        ),
        tool(
            "convert_currency",
            "Convert an amount from one currency to another.",
            json!(["amount", "from", "to"]),
            json!({
                "amount": {"type": "number"}, "from": text("Three letters, such as EUR."), "to": text("Three letters, such as SEK."),
            }),
        ),
        tool(
            "list_trains",
            "List trains from an airport into its city.",
            json!(["airport"]),
            json!({
                "airport": text("Three letters, such as ARN."), "after": text("A time of the day, such as 14:30."),
                "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            }),
        ),
    ]
}

/// Where the number goes.
const PLACE: &[u8; 8] = b"@@@@@@@@";
/// What is before the number in the request.
const REFERENCE: &[u8] = b"enquiry ";

const SYSTEM: &str = "You are a patient travel assistant. You help people to plan journeys: flights, hotels, trains and what to pack. Ask when something that matters is missing, and say plainly when you do not know. Use the tools for anything that changes from day to day, such as prices, seats and the weather, and never invent a flight number. Keep answers short, name prices with their currency, and give times in the local time of the place. When a tool fails, say so and offer another way. Do not book anything: a person does that after reading what you found.";

const FIRST_WORDS: &str = "Hello, this is enquiry @@@@@@@@. We are a family of three, two adults and a child of six, and we would like to go from Lisbon to Stockholm before Christmas. We can leave on the fourth of December 2026 (2026-12-04) and have to be back on the eleventh (2026-12-11). Economy is fine, at most one stop, and we do not want to spend more than 900 EUR on the flights together. We have never been there in winter, so any advice on clothes, on getting into the city from the airport and on what to do with a child when it is dark at three in the afternoon is welcome.";

const REPLY: &str = "That sounds like a lovely week. Before I look for flights, two short questions: is there a time of the day at which you would rather not leave, and does anybody need a certain seat? On clothes: think of layers, wool next to the skin, and waterproof boots for the child, since the pavements are often wet and salted. From the airport there is a fast train and a slower one that costs less; with a child of six both are easy. For the dark afternoons there are museums with rooms made for children, swimming halls, and the lights in the old town.";

const LAST_WORDS: &str = "Thank you. A window seat for the child, and no departure before eight in the morning, please. Could you search now, and tell me in a few sentences what we should know about the town in December?";

const TEXT: &str = "December in Stockholm is short on daylight and long on candles. The sun comes up a little before nine and is gone by three, so plan what you want to see outdoors for late morning. It is usually around freezing, sometimes wet and sometimes white, and wind from the water makes it feel colder than it is. With a child, the open-air museum has a market on weekends with sweets, a tree and people who dance around it; the museum of the great ship is warm, dark and thrilling at six; and the old town is small enough to walk in an hour with a stop for buns. Buy tickets for buses and trains in the app, because drivers take no cash. Most places take cards only. Restaurants eat early, and many have a small menu for children. Take a lamp or a reflective band for the walk home: everybody wears one. If it snows, the hills in the parks are full of sledges, and somebody will lend you one. Keep one afternoon free for the lights along the water, and one for a swimming hall.";
