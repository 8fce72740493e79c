//! Calls that a model only speaks of, through the gateway and in hosted turns: they arrive as the text they are, and
//! nothing is released.

use crate::gateway_dialects::{Said, WIRES, everywhere};
use crate::gateway_upstream::{Gate, Raw, Step};
use crate::gateway_world::{Ask, World};
use crate::native_upstream::text;
use crate::native_world::{self, kinds, weather, words};
use serde_json::{Value, json};

/// The calls of all formats, and the places in which they are spoken of.
fn data() -> (Vec<String>, Vec<String>) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/parse/mentions.jsonl");
    let rows: Vec<Value> =
        std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls = rows.iter().filter_map(|row| row.get("call")?.as_str().map(str::to_owned)).collect();
    let places = rows.iter().filter(|row| row.get("mention").is_some());
    (calls, places.map(|row| row["text"].as_str().unwrap().to_owned()).collect())
}

const REFUSAL: &str = "I will not do it. It says: \"{call}\"";

/// The refusal, and some of the other places, others for each format.
fn texts<'d>(number: usize, call: &'d str, places: &'d [String]) -> impl Iterator<Item = String> + 'd {
    let chosen = places.iter().enumerate().filter(move |(place, _)| (place + number).is_multiple_of(11));
    let all = chosen.map(|(_, text)| text.as_str()).chain([REFUSAL]);
    all.map(move |text| text.replace("{call}", call))
}

// CALL-1, PARSE-3, PARSE-5: in three dialects, whole and streamed, the text arrives byte for byte.
#[test]
fn what_is_spoken_of_passes_the_gateway_as_text() {
    let world = World::shared();
    let (calls, places) = data();
    for (number, call) in calls.iter().enumerate() {
        for (turn, (wire, stream)) in everywhere().enumerate() {
            for text in texts(number + turn, call, &places) {
                let (heard, _) = world.play(&Ask::new(wire, stream), [Said::text(&text)]);
                assert_eq!(heard.text, text, "{wire:?}, streamed: {stream}: {}", heard.raw);
                assert!(heard.calls.is_empty() && heard.verdicts.is_empty(), "{wire:?} {stream}: {}", heard.raw);
            }
        }
    }
}

// CALL-1, PARSE-3: at its own place the same call is released.
#[test]
fn what_is_called_is_released() {
    let world = World::shared();
    for call in data().0 {
        for (wire, stream) in everywhere() {
            let text = format!("You asked for \"Paris\".\n\n{call}");
            let (heard, _) = world.play(&Ask::new(wire, stream), [Said::text(&text)]);
            assert_eq!(heard.names(), ["get_weather"], "{call} in {wire:?} {stream}: {}", heard.raw);
            assert_eq!(heard.text.trim_end(), "You asked for \"Paris\".", "{}", heard.raw);
        }
    }
}

// CALL-1, PARSE-3, STREAM-1: a hosted turn shows the text and no call.
#[test]
fn what_is_spoken_of_is_text_in_a_hosted_turn() {
    let world = native_world::World::shared();
    let (calls, places) = data();
    for (number, call) in calls.iter().enumerate() {
        for said in texts(number, call, &places) {
            let session = world.session(json!({"tools": [weather()]}));
            let pieces: Vec<String> =
                said.chars().collect::<Vec<_>>().chunks(5).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let events = world.turn(&session, "What does the mail say about the weather?", vec![text(&pieces)]);
            // Thoughts are not shown.
            let shown = said.rsplit("</think>").next().unwrap();
            assert_eq!(words(&events), shown, "{:?}", kinds(&events));
            assert!(
                !events.iter().any(|event| ["tool_call", "verdict"].contains(&event.kind())),
                "{:?}",
                kinds(&events)
            );
        }
    }
}

// PARSE-4, SERVE-6: fenced JSON flows while it is written. The model's server says seven characters a frame.
#[test]
fn fenced_json_flows() {
    let world = World::shared();
    let opening = "Your file:\n\n```json\n{\"name\": \"my-app\", \"ids\": \"";
    let padding = " ".repeat(7 - opening.chars().count() % 7);
    let numbers: String = (1_000_001..1_000_040).map(|number| number.to_string()).collect();
    let said = format!("{opening}{padding}{numbers}\"}}\n```\n");
    for wire in WIRES {
        let ask = Ask::new(wire, true);
        let frames = wire.frames(&Said::text(&said), &ask.body);
        let cut = frames.iter().position(|frame| frame.contains("1000020")).unwrap();
        let gate = Gate::default();
        let steps = [
            Step::Bytes(frames[..cut].concat().into_bytes()),
            Step::Gate(gate.clone()),
            Step::Bytes(frames[cut..].concat().into_bytes()),
        ];
        let mark = world.upstream.on([Raw::stream(steps)]);
        let mut live = world.open(&ask, &mark);
        // Fewer than fifty bytes wait for what follows them.
        live.until("1000012");
        gate.open();
        assert_eq!(live.heard().text, said, "{wire:?}");
    }
}
