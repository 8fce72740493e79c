//! Answers on the gateway: held against what was done, marked or corrected, and asked for again where they are none.

use crate::gateway_dialects::{Past, Said, Tool, Wire, call, everywhere, result, says, user};
use crate::gateway_world::{Ask, World, tools};
use crate::run::{feed, scratch};
use serde_json::{Value, json};

const SENT: &str = "I have sent the email to Ann.";
const HONEST: &str = "I could not send the email to Ann: the address does not exist.";
const BOUNCED: &str = r#"{"status": "failed", "error": "550 mailbox unavailable"}"#;

fn mail() -> Vec<Tool> {
    let schema = json!({"type": "object", "required": ["to", "subject"],
        "properties": {"to": {"type": "string"}, "subject": {"type": "string"}}});
    vec![Tool { name: "send_email", description: "Sends an e-mail.", schema }]
}

fn past(content: &str) -> Vec<Past> {
    vec![
        user("Send the report to ann@example.com please."),
        says("", &[call("c1", "send_email", json!({"to": "ann@example.com", "subject": "report"}))]),
        result("c1", content),
    ]
}

fn policy(name: &str, text: &str) -> String {
    scratch(&format!("answers-{name}.toml"), text)
}

/// The verdict on an answer.
fn answer_verdict(world: &World, answer: &str) -> Value {
    let found = world.verdict(answer);
    assert_eq!((&found["kind"], &found["of"]), (&json!("answer"), &json!("answer")), "{found}");
    found
}

// RESOLVE-3, RESULT-7: "sent!" about a mail that bounced passes as it came, with a verdict, in every dialect.
#[test]
fn what_was_said_and_not_done_is_marked() {
    let world = World::own("answers-mark", &[], &[]);
    for (wire, stream) in everywhere() {
        let ask = Ask::of(wire, stream, &past(BOUNCED), &mail());
        let (heard, mark) = world.play(&ask, [Said::text(SENT)]);
        assert_eq!((heard.text.as_str(), world.upstream.asked(&mark).len()), (SENT, 1), "{wire:?} {stream}");
        let found = answer_verdict(&world, &heard.verdict());
        assert_eq!(found["assessment"]["findings"][0]["code"], "answer.not-done", "{found}");
        assert_ne!(found["status"], "approved");
        let listed =
            world.server.get(&format!("/v1/verdicts?of=result&answer_id={}", found["answer_id"].as_str().unwrap()));
        assert_eq!(listed.json()["verdicts"][0]["status"], "error", "a failed result is not trusted");
        let (heard, mark) = world.play(&ask, [Said::text(HONEST)]);
        assert_eq!((heard.text.as_str(), world.upstream.asked(&mark).len()), (HONEST, 1));
        let found = answer_verdict(&world, &heard.verdict());
        assert!(!found.to_string().contains("answer.not-done"), "{found}");
    }
    assert!(world.server.get("/metrics").body.contains("countersign_doubtful_answers_total 6"));
}

// RESOLVE-3: where the policy or the gateway wants it, the model is asked again: a whole answer is replaced, in a stream
// the correction follows. What is not doubted is asked for once.
#[test]
fn a_doubtful_answer_may_be_corrected() {
    for (name, args) in [
        (
            "policy",
            vec!["--set".to_owned(), format!("policy={}", policy("correct", "doubtful_answers = \"correct\"\n"))],
        ),
        ("setting", vec!["--set".to_owned(), "gateway.doubtful_answers=correct".to_owned()]),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let world = World::own(&format!("answers-correct-{name}"), &args, &[]);
        for (wire, stream) in everywhere() {
            let ask = Ask::of(wire, stream, &past(BOUNCED), &mail());
            let (heard, mark) = world.play(&ask, [Said::text(SENT).cost(10, 5), Said::text(HONEST).cost(20, 7)]);
            assert!(heard.text.ends_with(HONEST), "{wire:?} {stream} {}", heard.raw);
            assert_eq!(heard.text.starts_with(SENT), stream, "{wire:?} {stream} {}", heard.raw);
            assert_eq!(heard.finish.as_deref(), Some(wire.finish(false, false)), "{}", heard.raw);
            let asked = world.upstream.asked(&mark);
            assert!(asked.len() == 2 && asked[1].json().to_string().contains("and the result `status`"));
            let (heard, mark) = world.play(&ask, [Said::text(SENT), Said::text(SENT), Said::text(HONEST)]);
            assert_eq!(world.upstream.asked(&mark).len(), 2, "the same fault is asked about once: {}", heard.raw);
            let (heard, mark) = world.play(&ask, [Said::text(HONEST)]);
            assert_eq!((heard.text.as_str(), world.upstream.asked(&mark).len()), (HONEST, 1));
        }
    }
}

// CALL-10: an empty answer, a bare promise and a call that exists only in a thought are asked for again, once; what comes
// then is delivered. A short answer is an answer.
#[test]
fn an_answer_that_is_none_is_asked_for_again() {
    let world = World::own("answers-none", &[], &[]);
    let thought = "<think>I need <tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call></think>";
    for (wire, stream) in everywhere() {
        let ask = Ask::new(wire, stream);
        for none in ["", "I'll look that up now.", thought, "好的，我马上为您查询。"] {
            let said = call("c1", "get_weather", json!({"city": "Paris"}));
            let (heard, mark) = world.play(&ask, [Said::text(none), Said::calls("", &[said])]);
            assert_eq!(heard.names(), ["get_weather"], "{wire:?} {stream} {none:?} {}", heard.raw);
            assert_eq!(heard.finish.as_deref(), Some(wire.finish(true, false)), "{}", heard.raw);
            assert_eq!(world.upstream.asked(&mark).len(), 2);
            let (heard, _) = world.play(&ask, [Said::text(none), Said::text("It is sunny.")]);
            assert!(heard.text.ends_with("It is sunny."), "{wire:?} {stream} {none:?} {}", heard.raw);
            let (heard, mark) = world.play(&ask, [Said::text(none), Said::text(none), Said::text(none)]);
            assert_eq!(world.upstream.asked(&mark).len(), 2, "{none:?} {}", heard.raw);
        }
        for answer in ["ok", "Understood.", "It is sunny in Paris.", "Sure! Here you go: 21 degrees.", "Which city?"] {
            let (heard, mark) = world.play(&ask, [Said::text(answer)]);
            assert_eq!((heard.text.as_str(), world.upstream.asked(&mark).len()), (answer, 1), "{wire:?} {stream}");
        }
        let plain = Ask::of(wire, stream, &[user("Hi.")], &[]);
        let (_, mark) = world.play(&plain, [Said::text("")]);
        assert_eq!(world.upstream.asked(&mark).len(), 1, "without tools nothing is asked again");
    }
}

// CALL-10: each of them is a setting.
#[test]
fn what_is_asked_for_again_is_policy() {
    let file = policy("quiet", "[answer]\nask_again = [\"promise\"]\n");
    let world = World::own("answers-quiet", &["--set", &format!("policy={file}")], &[]);
    for (said, requests) in [("", 1), ("I'll look that up now.", 2)] {
        let (_, mark) = world.play(&Ask::new(Wire::Chat, false), [Said::text(said), Said::text("It is sunny.")]);
        assert_eq!(world.upstream.asked(&mark).len(), requests, "{said:?}");
    }
}

// CALL-10, RESOLVE-1: the order of steps is policy: a call before its step, and an answer before a required one.
#[test]
fn steps_come_in_their_order() {
    let text = "[tools.search_flights]\nrequires = [\"get_weather\"]\n[answer]\nrequires = [\"get_weather\"]\n";
    let file = policy("steps", text);
    let world = World::own("answers-steps", &["--set", &format!("policy={file}")], &[]);
    let look = call("c1", "get_weather", json!({"city": "Paris"}));
    let fly = call("c2", "search_flights", json!({"origin": "BER", "destination": "CDG"}));
    for (wire, stream) in everywhere() {
        let ask = Ask::new(wire, stream);
        let (heard, mark) = world
            .play(&ask, [Said::calls("", std::slice::from_ref(&fly)), Said::calls("", std::slice::from_ref(&look))]);
        assert_eq!(heard.names(), ["get_weather"], "{wire:?} {stream} {}", heard.raw);
        assert!(world.upstream.asked(&mark)[1].json().to_string().contains("call `get_weather` first"));
        let (heard, _) =
            world.play(&ask, [Said::text("It will rain in Paris."), Said::calls("", std::slice::from_ref(&look))]);
        assert_eq!(heard.names(), ["get_weather"], "{wire:?} {stream} {}", heard.raw);
        let done = [
            user("Weather in Paris, then a flight."),
            says("", std::slice::from_ref(&look)),
            result("c1", "{\"sky\": \"clear\"}"),
        ];
        let (heard, mark) =
            world.play(&Ask::of(wire, stream, &done, &tools()), [Said::calls("", std::slice::from_ref(&fly))]);
        assert_eq!((heard.names(), world.upstream.asked(&mark).len()), (vec!["search_flights"], 1), "{}", heard.raw);
        let (_, mark) = world.play(&Ask::of(wire, stream, &done, &tools()), [Said::text("The sky is clear.")]);
        assert_eq!(world.upstream.asked(&mark).len(), 1);
    }
}

// RESOLVE-3: answers that are only watched are examined too, and pass untouched.
#[test]
fn watched_answers_are_examined() {
    let world = World::own("answers-watched", &["--set", "gateway.mode=advise"], &[]);
    for (wire, stream) in everywhere() {
        let (heard, mark) = world.play(&Ask::of(wire, stream, &past(BOUNCED), &mail()), [Said::text(SENT)]);
        assert_eq!((heard.text.as_str(), world.upstream.asked(&mark).len()), (SENT, 1));
        let found = answer_verdict(&world, &heard.verdict());
        assert_eq!(found["assessment"]["findings"][0]["code"], "answer.not-done", "{wire:?} {stream} {found}");
    }
}

// SCORE-7, RESOLVE-1: one answer, one verdict: the command line's step and the gateway in three dialects say the same.
#[test]
fn one_answer_has_one_verdict() {
    let world = World::own("answers-one", &[], &[]);
    for (content, said) in [(BOUNCED, SENT), (BOUNCED, HONEST), (r#"{"status": "sent", "id": "m-17"}"#, SENT)] {
        let step = json!({
            "tool_name": "send_email", "tool_input": {"to": "ann@example.com", "subject": "report"},
            "tool_output": serde_json::from_str::<Value>(content).unwrap(), "model_response": said,
            "messages": [{"role": "user", "content": "Send the report to ann@example.com please."}],
            "tools": [{"name": "send_email", "description": "Sends an e-mail.", "input_schema": mail()[0].schema}],
        });
        let line = feed(&["step", "--format", "jsonl"], step.to_string().as_bytes()).out;
        let expected: Value = serde_json::from_str(&line).unwrap();
        for (wire, stream) in everywhere() {
            let (heard, _) = world.play(&Ask::of(wire, stream, &past(content), &mail()), [Said::text(said)]);
            let found = answer_verdict(&world, &heard.verdict());
            assert_eq!(found["assessment"]["status"], expected["status"], "{wire:?} {stream}: {found}\n{expected}");
            assert_eq!(found["assessment"]["score"], expected["score"], "{wire:?} {stream}: {found}\n{expected}");
            for finding in found["assessment"]["findings"].as_array().unwrap() {
                let same =
                    |other: &&Value| other["code"] == finding["code"] && other["evidence"] == finding["evidence"];
                assert!(
                    expected["findings"].as_array().unwrap().iter().any(|other| same(&other)),
                    "{finding} {expected}"
                );
            }
        }
    }
}
