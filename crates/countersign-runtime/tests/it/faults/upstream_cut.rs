//! An upstream that is cut anywhere, in the middle of a tool call or of a character: what was said is kept, the turn ends
//! with an error and `failed`, the stream with `[DONE]`, and the call is not run.

use super::house::{End, House};
use super::{Figures, Outcome, ensure, holds, notices, read};
use countersign::contract::EventType;
use countersign_runtime::stream::{PlantedBug, Start};
use countersign_runtime::turn::UserMessage;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

// STREAM-2, PARSE: T33
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_upstream_ends_the_turn_and_runs_nothing() {
    holds("upstream cut at every byte", scenario(None).await);
    notices(PlantedBug::RunPartialArguments, scenario(Some(PlantedBug::RunPartialArguments)).await);
}

async fn scenario(bug: Option<PlantedBug>) -> Outcome {
    let mut figures = Figures::default();
    let answer = answer();
    let house = House::new(bug);
    // From the back: there the calls are.
    for cut in (0..answer.len()).rev() {
        let end = if cut % 2 == 0 { End::Broken } else { End::Over };
        house.script.set(answer.get(..cut).unwrap(), end);
        let session = house.session(vec![tool()]).await;
        let message = UserMessage { content: "看看天气".to_owned(), ..UserMessage::default() };
        let since = Instant::now();
        let after = house.turns.begin(session.clone(), message).await.unwrap();
        let reader = house.hub.reader(&session.session_id, Start::OwnTurn { after }).await.unwrap();
        let got = read(reader, Duration::from_secs(10)).await;
        figures.rounds += 1;
        figures.times.push(since.elapsed());
        let kinds: Vec<_> = got.events.iter().map(|event| event.event_type).collect();
        let at = |what: String| format!("cut at byte {cut} ({end:?}): {what}");
        ensure(!kinds.contains(&EventType::ToolCall), || at("a call that was cut was run".to_owned()))?;
        ensure(got.done && kinds.ends_with(&[EventType::Error, EventType::Failed]), || at(format!("{kinds:?}")))?;
        let terminals = kinds.iter().filter(|kind| kind.is_terminal()).count();
        ensure(terminals == 1, || at(format!("{terminals} terminal events")))?;
        let deltas = got.events.iter().filter(|event| event.event_type == EventType::TextDelta);
        let text: String = deltas.filter_map(|event| event.payload.fields.get("content")?.as_str()).collect();
        ensure(TEXT.starts_with(&text), || at(format!("the text became {text:?}")))?;
    }
    Ok(figures)
}

const TEXT: &str = "我来查一下天气。 One moment — ☂️.";

/// Text, and a call in pieces. The finish marker is left out: with it, the answer is whole.
fn answer() -> Vec<u8> {
    let arguments = json!({"city": "北京", "days": 3, "units": "metric"}).to_string();
    let (first, second) = arguments.split_at(arguments.len() - 12);
    let call = |part: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": part}}]});
    let begin = json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {"name": "weather", "arguments": ""}}]});
    let deltas = [json!({"content": TEXT}), begin, call(first), call(second)];
    let chunk = |delta: &Value| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
    };
    deltas.iter().map(chunk).collect::<String>().into_bytes()
}

fn tool() -> Value {
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}, "units": {"type": "string"}}, "required": ["city"]});
    json!({"type": "function", "function": {"name": "weather", "description": "The weather of a city.", "parameters": parameters}})
}
