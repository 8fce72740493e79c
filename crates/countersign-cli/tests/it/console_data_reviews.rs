//! One item as a person decides on it: what the model made, the tool, claims and signals; and giving an item back.

use crate::gateway_dialects::{Said, Wire, call, user};
use crate::gateway_world::{self, Ask};
use crate::native_upstream::{calls, piece, text};
use crate::native_world::{Reader, World, delete, one, weather};
use serde_json::{Value, json};

const SIGNALS: [&str; 6] = [
    "model_logprobs",
    "token_probability",
    "semantic_consistency",
    "fact_verification",
    "coherence",
    "knowledge_grounding",
];

/// A turn that waits for a person, after a message with a claim that was looked up.
fn waiting(world: &World) -> (String, Reader, String, String) {
    let session = world.session(json!({"tools": [delete(), weather()]}));
    let relay = json!({"from": "A", "to": "B", "content": "Revenue rose by 25% this year."}).to_string();
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/relay"), &relay).status, 200);
    let evidence = json!({"evidence": [{"place": "report", "content": "Revenue rose by 25% this year."}]});
    world.server.post(&format!("/v1/sessions/{session}/factcheck"), &evidence.to_string());
    let mut script = calls(&[("c1", "delete_record", json!({"record_id": "rec_17"}))]);
    script.insert(0, piece("I will delete the record rec_17, because sales fell by 12% in 2024."));
    let mark = world.upstream.on(vec![script, text(&["Done."])]);
    let mut turn = world.say(&session, &format!("Please delete the record rec_17. Sales fell by 12% in 2024. {mark}"));
    let shown = turn.until("review_required");
    let (review, verdict) =
        (one(&shown, "review_required").word("review_id"), one(&shown, "verdict").word("verdict_id"));
    (session, turn, review, verdict)
}

// REVIEW-1, SCORE-1, SCORE-2: an item tells what was made of the call, its tool, the claims around it and the signals.
#[test]
fn an_item_tells_what_a_person_needs() {
    let world = World::shared();
    let (_, _turn, review, verdict) = waiting(&world);
    let item = world.server.get(&format!("/v1/reviews/{review}")).json();
    assert_eq!((&item["about"], &item["at_expiry"]), (&json!("call"), &json!("denied")), "{item}");
    assert_eq!(item["made"]["arguments"], json!({"record_id": "rec_17"}), "{item}");
    assert_eq!((&item["verdict_id"], &item["made"]["name"]), (&json!(verdict), &json!("delete_record")));
    assert_eq!(item["tool_schema"], delete()["function"]["parameters"]);
    assert_eq!(item["tool_description"], "Delete a record for good.");
    for found in item["context_claims"].as_array().unwrap() {
        let at = usize::try_from(found["message"].as_u64().unwrap()).unwrap();
        let said = item["context"]["messages"][at]["content"].as_str().unwrap();
        for claim in found["claims"].as_array().unwrap() {
            let (start, end) = (claim["start"].as_u64().unwrap() as usize, claim["end"].as_u64().unwrap() as usize);
            assert_eq!(said.get(start..end), claim["text"].as_str(), "{claim}");
        }
    }
    let claimed = |text: &str| {
        let claims = item["context_claims"].as_array().unwrap().iter().flat_map(|m| m["claims"].as_array().unwrap());
        claims.clone().find(|claim| claim["text"] == text).unwrap_or_else(|| panic!("{text} in {item}"))["status"]
            .clone()
    };
    assert_eq!((claimed("12%"), claimed("25%")), (json!("pending"), json!("verified")), "{item}");
    let assessment = &item["assessment"];
    let absent: Vec<&str> =
        assessment["absent"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    for signal in SIGNALS {
        assert!(assessment["weights"][signal].is_number(), "{assessment}");
        assert_eq!(absent.contains(&signal), assessment["signals"][signal].is_null(), "{signal} {assessment}");
    }
    assert_eq!(absent, ["model_logprobs", "token_probability"], "{assessment}");
    assert_eq!(assessment["signals"]["fact_verification"], json!(1.0), "one claim of the session was verified");
    assert!(assessment["overall"].as_f64().is_some_and(|overall| overall > 0.0 && overall <= 1.0), "{assessment}");
    let listed = world.server.get("/v1/reviews?state=pending&tool=delete_record").json();
    assert!(listed["reviews"].to_string().contains(&review), "{listed}");
    assert_eq!(world.server.get("/v1/reviews?tool=get_weather").json()["reviews"], json!([]));
}

// REVIEW-1: a list in either order, whole or in lines.
#[test]
fn items_are_listed_in_either_order_and_in_brief() {
    let world = World::own("console-reviews-order", &[], &[]);
    let (_, _first, one, _) = waiting(&world);
    let (_, _second, two, _) = waiting(&world);
    let ids = |query: &str| {
        let listed = world.server.get(&format!("/v1/reviews?{query}")).json();
        let ids =
            listed["reviews"].as_array().unwrap().iter().map(|item| item["review_id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(
        (ids("state=pending"), ids("order=oldest")),
        (vec![one.clone(), two.clone()], vec![one.clone(), two.clone()])
    );
    assert_eq!(
        (ids("order=newest&limit=1"), ids("order=newest&tool=delete_record")),
        (vec![two.clone()], vec![two, one])
    );
    let brief = world.server.get("/v1/reviews?brief=true").json();
    assert_eq!(
        (&brief["reviews"][0]["state"], brief["reviews"][0].get("context")),
        (&json!("pending"), None),
        "{brief}"
    );
    let refused = world.server.get("/v1/reviews?order=sideways");
    assert_eq!((refused.status, refused.json()["error"]["param"].as_str()), (400, Some("order")));
}

// REVIEW-1, SCORE-2: where the model said nothing, no signal has a say; what it wrote is kept beside what was mended.
#[test]
fn an_item_of_the_gateway_keeps_what_the_model_wrote() {
    let world = gateway_world::World::own("console-reviews-gateway", &[], &[]);
    let tools = [gateway_world::delete()];
    let ask = Ask::of(Wire::Chat, false, &[user("Please delete the file a.txt")], &tools);
    let written = json!({"path": "a.txt", "recursive": "true"});
    let (heard, _) = world.play(&ask, [Said::calls("", &[call("c1", "delete_file", written.clone())])]);
    let listed = world.review("a.txt");
    let item = world.server.get(&format!("/v1/reviews/{}", listed["review_id"].as_str().unwrap())).json();
    assert_eq!((&item["made"]["arguments"], &listed["made"]["arguments"]), (&written, &written), "{item}");
    assert_eq!(item["call"]["arguments"], json!({"path": "a.txt", "recursive": true}));
    assert_eq!(item["verdict_id"], heard.verdict(), "{item}");
    assert_eq!(item["tool_schema"], tools[0].schema);
    assert_eq!((&item["assessment"]["overall"], &item["assessment"]["absent"]), (&Value::Null, &json!(SIGNALS)));
    assert!(listed.get("request").is_none() && item.get("request").is_none());
}

// REVIEW-2: who took an item may give it back, nobody else; everybody who looks is told.
#[test]
fn an_item_is_given_back() {
    let world = World::shared();
    let (_, _turn, review, _) = waiting(&world);
    let mut screen = Reader::open(&world.server, "GET", "/v1/reviews/events", &[], "");
    let path = format!("/v1/reviews/{review}/reserve");
    let ask = |method: &str, reviewer: &str| {
        world.server.ask(method, &path, &[], &json!({ "reviewer": reviewer }).to_string())
    };
    assert_eq!(ask("DELETE", "ann").status, 200, "nobody has it");
    assert_eq!(ask("POST", "ann").status, 200);
    let other = ask("DELETE", "bob");
    assert_eq!((other.status, ask("POST", "bob").status), (409, 409), "{}", other.body);
    let given = ask("DELETE", "ann");
    assert_eq!((given.status, &given.json()["reserved_by"]), (200, &Value::Null), "{}", given.body);
    assert_eq!(ask("POST", "bob").status, 200, "another may take it");
    assert_eq!(world.server.ask("DELETE", &path, &[], "").status, 400, "somebody must be named");
    let mut told = Vec::new();
    while told.last() != Some(&json!("bob")) {
        let item = screen.next().unwrap().json;
        if item["review_id"] == json!(review) {
            told.push(item["reserved_by"].clone());
        }
    }
    assert_eq!(told[told.len() - 3..], [json!("ann"), Value::Null, json!("bob")], "{told:?}");
    assert_eq!(world.server.ask("DELETE", "/v1/reviews/rev_none/reserve", &[], r#"{"reviewer": "ann"}"#).status, 404);
}
