//! `countersign chat` on real servers: one answer, a conversation, approvals, Ctrl-C, lost connections, hostile text.

use crate::chat_world::{Chat, Wire};
use crate::faults_world::Node;
use crate::native_upstream::{Gate, Step, Upstream, calls, finish, piece, text};
use crate::native_world::{World, delete, session_as, weather};
use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};
use std::sync::Arc;

fn url(world: &World) -> String {
    format!("http://{}", world.server.address)
}

fn session_in(said: &str) -> String {
    said.split("--session ").nth(1).expect(said).split('`').next().unwrap().to_owned()
}

/// Events that were written as lines.
fn events(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event_type"].as_str().unwrap()).collect()
}

/// STREAM-3: in order, each once.
fn check_order(events: &[Value]) {
    let seq = |event: &Value| event["id"].as_str().unwrap().split_once('.').unwrap().1.parse::<u64>().unwrap();
    let all: Vec<u64> = events.iter().map(seq).collect();
    assert!(all.windows(2).all(|pair| pair[1] == pair[0] + 1), "{all:?}");
}

// SERVE-7, CLAIM-2: no account, no network, no server: a question is answered, and claims are marked.
#[test]
fn one_question_needs_nothing_else() {
    let server = Server::start(&folder("chat-demo"), &[], &[]);
    let at = format!("http://{}", server.address);
    let chat = Chat::start(&["--url", &at, "--model", "demo-claims", "How", "did", "the", "market", "do?"], &[]);
    let (code, out, err) = chat.end();
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("You asked: How did the market do?") && out.contains("25%"), "{out}");
    assert_eq!(out.matches("You asked").count(), 1, "{out}");
    assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'), "{out}{err}");
    assert!(err.contains("25%: ⚠ pending"), "{err}");
    let again = format!("--url {at} --session {}", session_in(&err));
    assert!(err.contains(&format!("go on with `countersign chat {again}`")), "{err}");
    // Piped in, and as events.
    let mut chat = Chat::start(&["--url", &at, "--format", "json"], &[]);
    chat.types("How did the market do?");
    chat.hands_off();
    let (code, out, _) = chat.end();
    let all = events(&out);
    check_order(&all);
    assert_eq!((code, kinds(&all).last().copied()), (0, Some("completed")), "{out}");
}

#[test]
fn a_server_is_started_where_there_is_none() {
    let home = folder("chat-own");
    let file = home.join("own.toml");
    std::fs::write(&file, "[agents.mine]\nprotocol = \"react\"\n").unwrap();
    let file = file.display().to_string();
    let (code, out, err) = Chat::start(&["--config", &file, "--agent", "mine", "Hello there"], &[]).end();
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Hello there") && err.contains("one runs in this process"), "{out}{err}");
    assert!(err.contains("nothing was kept"), "{err}");
    let (code, _, err) = Chat::start(&["--config", &file, "--agent", "nobody", "Hello"], &[]).end();
    assert!(code == 2 && err.contains("there is no agent \"nobody\""), "{err}");
    let (code, _, err) = Chat::start(&["--url", "http://127.0.0.1:9", "Hello"], &[]).end();
    assert!(code == 2 && err.contains("cannot be reached") && err.contains("countersign serve"), "{err}");
    let (code, _, err) = Chat::start(&["--key-env", "NOT_SET_HERE", "Hello"], &[]).end();
    assert!(code == 2 && err.contains("NOT_SET_HERE"), "{err}");
    let mut empty = Chat::start(&["--config", &file], &[]);
    empty.hands_off();
    assert_eq!(empty.end().0, 2, "nothing to say");
}

// STREAM-2: an answer that failed is exit 1, and says why.
#[test]
fn a_failed_answer_is_told() {
    let world = World::shared();
    let mark =
        world.upstream.on(vec![vec![Step::Status(400, "{\"error\": {\"message\": \"no such model\"}}".to_owned())]]);
    let (code, _, err) = Chat::start(&["--url", &url(&world), &mark], &[]).end();
    assert!(code == 1 && err.contains("✖ failed"), "{code} {err}");
}

// STREAM-3: the connection is cut in the middle, the turn goes on, and every word is shown once.
#[test]
fn a_cut_connection_is_taken_up_again() {
    let world = World::shared();
    let wire = Wire::to(&world.server.address);
    for format in ["human", "json"] {
        let gate = Gate::default();
        let script = vec![piece("one "), Step::Gate(gate.clone()), piece("two "), piece("three"), finish("stop")];
        let mark = world.upstream.on(vec![script]);
        let chat = Chat::start(&["--url", &format!("http://{}", wire.address), "--format", format, &mark], &[]);
        chat.until("one");
        wire.cut();
        chat.until("reconnecting");
        gate.open();
        let (code, out, err) = chat.end();
        assert_eq!(code, 0, "{out}{err}");
        if format == "human" {
            assert_eq!(out, "one two three\n");
        } else {
            let all = events(&out);
            check_order(&all);
            assert_eq!(kinds(&all).iter().filter(|kind| **kind == "message").count(), 2, "{out}");
        }
    }
}

// STREAM-2, STREAM-3: the server is killed and comes back: the turn is lost, the reader is told, nothing is shown twice.
#[test]
fn a_killed_server_is_waited_for() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let upstream = Arc::new(Upstream::start());
    let home = folder("chat-killed");
    let variables = [("COUNTERSIGN_UPSTREAM_OPENAI", upstream.base.as_str())];
    let mut node = runtime.block_on(Node::start(&home, &variables));
    let at = format!("http://{}", node.address);
    let mark = upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let chat = Chat::start(&["--url", &at, "--format", "json", &mark], &[]);
    chat.until("begun");
    node.kill();
    chat.until("reconnecting");
    runtime.block_on(node.restart());
    let (code, out, err) = chat.end();
    let all = events(&out);
    check_order(&all);
    assert_eq!((code, kinds(&all).last().copied()), (1, Some("lost")), "{out}{err}");
    // The conversation goes on; what was seen is not shown again.
    let session = session_in(&err);
    let mark = upstream.on(vec![text(&["and on"])]);
    let more = Chat::start(&["--url", &at, "--session", &session, "--format", "json", &mark], &[]).end();
    let rest = events(&more.1);
    assert_eq!(more.0, 0, "{}{}", more.1, more.2);
    check_order(&[all, rest].concat());
    // Somebody else hears the whole of it, in short.
    let elsewhere = folder("chat-elsewhere").display().to_string();
    let mark = upstream.on(vec![text(&["the end"])]);
    let args = ["--url", &at, "--session", &session, &mark];
    let (code, out, err) = Chat::start(&args, &[("XDG_STATE_HOME", &elsewhere)]).end();
    assert_eq!((code, out.as_str()), (0, "the end\n"), "{err}");
    assert!(err.contains("and on") && err.contains("✖ lost"), "{err}");
}

// REVIEW-2: the person at the terminal decides, and the stream goes on.
#[test]
fn approvals_are_asked_for_inline() {
    let world = World::own("chat-reviews", &["--set", "sessions.heartbeat=300ms"], &[]);
    let session = world.session(json!({"tools": [delete(), weather()], "user": "ann"}));
    let ask = |record: &str| {
        let call = calls(&[("c1", "delete_record", json!({ "record_id": record }))]);
        let mark = world.upstream.on(vec![call, text(&["So it is."])]);
        let words = format!("Please delete the record {record}. {mark}");
        Chat::start(&["--url", &url(&world), "--session", &session, &words], &[])
    };
    let review = || world.server.get("/v1/reviews").json()["reviews"].as_array().unwrap().last().unwrap().clone();
    // Approved, after a word that means nothing.
    let mut chat = ask("rec_17");
    chat.types("perhaps");
    chat.until("type a to approve");
    chat.types("a");
    chat.until("⚙ delete_record({\"record_id\":\"rec_17\"})");
    assert_eq!(world.result(&session, "c1", json!("deleted")).status, 200);
    let (code, out, err) = chat.end();
    assert_eq!((code, out.as_str()), (0, "So it is.\n"), "{err}");
    assert!(err.contains("☝ delete_record") && err.contains("approve, edit, reject? [a/e/r]"), "{err}");
    assert!(err.contains("(a person approved)") && err.contains("↳ deleted"), "{err}");
    assert_eq!(review()["state"], "approved");
    // Edited: what does not pass is asked for again.
    let mut chat = ask("rec_18");
    chat.types("e {\"record_id\": \"wrong\"}");
    chat.until("do not pass");
    chat.types("e");
    chat.until("all arguments, as JSON");
    chat.types("{\"record_id\": \"rec_19\"}");
    chat.until("⚙ delete_record({\"record_id\":\"rec_19\"})");
    assert_eq!(world.result(&session, "c1", json!("deleted")).status, 200);
    assert_eq!(chat.end().0, 0);
    // Rejected with a reason, which the model hears.
    let mut chat = ask("rec_20");
    chat.types("r not today");
    assert_eq!(chat.end().0, 0);
    assert_eq!((&review()["state"], &review()["decided"]["reason"]), (&json!("rejected"), &json!("not today")));
    // Nobody is there: it says how to decide elsewhere, and waits.
    let mut chat = ask("rec_21");
    chat.hands_off();
    chat.until("countersign review approve rev_");
    let id = review()["review_id"].as_str().unwrap().to_owned();
    assert_eq!(world.server.post(&format!("/v1/reviews/{id}/decision"), "{\"decision\": \"reject\"}").status, 200);
    assert_eq!(chat.end().0, 0);
}

// REVIEW-2, STREAM-3: who comes back finds what waits for them, and is asked about that alone.
#[test]
fn what_waits_is_asked_about_after_coming_back() {
    let world = World::own("chat-back", &["--set", "sessions.heartbeat=300ms"], &[]);
    let session = world.session(json!({"tools": [delete()]}));
    let call = |record: &str| calls(&[("c1", "delete_record", json!({ "record_id": record }))]);
    let done = world.upstream.on(vec![call("rec_1"), text(&["Not done."])]);
    let open = world.upstream.on(vec![call("rec_2"), text(&["Done."])]);
    let args = |words: String| vec!["--url".to_owned(), url(&world), "--session".to_owned(), session.clone(), words];
    let start = |words: String, home: &str| {
        let args = args(words);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        Chat::start(&args, &[("XDG_STATE_HOME", home)])
    };
    let (here, there) = (folder("chat-here").display().to_string(), folder("chat-there").display().to_string());
    let mut first = start(format!("Please delete the record rec_1. {done}"), &here);
    first.types("r");
    assert_eq!(first.end().0, 0);
    let mut second = start(format!("Please delete the record rec_2. {open}"), &here);
    second.until("[a/e/r]");
    second.hands_off();
    drop(second);
    for (home, short) in [(&there, true), (&here, false)] {
        let mark = world.upstream.on(vec![text(&["And more."])]);
        let mut back = start(mark, home);
        back.until("[a/e/r]");
        assert_eq!(back.err().matches("[a/e/r]").count(), 1, "{}", back.err());
        assert_eq!(back.err().contains("rec_1"), short, "what was seen is not shown again: {}", back.err());
        if short {
            continue;
        }
        back.types("a");
        back.until("⚙ delete_record");
        assert_eq!(world.result(&session, "c1", json!("deleted")).status, 200);
        let (code, out, err) = back.end();
        assert_eq!((code, out.as_str()), (0, "Done.\nAnd more.\n"), "{err}");
    }
}

// REVIEW-2, SERVE-1: a key that may not decide is told so, and the turn waits for somebody else.
#[test]
fn a_key_without_the_right_cannot_approve() {
    let home = folder("chat-keys");
    let data = home.display().to_string();
    let made = crate::serve_world::bare(&["keys", "create", "--scope", "sessions", "--data-dir", &data], &[]);
    let made = { made }.output().unwrap();
    let text_of = String::from_utf8(made.stdout).unwrap() + &String::from_utf8(made.stderr).unwrap();
    let key = text_of.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).find(|word| word.starts_with("cs_"));
    let key = key.expect(&text_of).to_owned();
    let upstream = Arc::new(Upstream::start());
    let world = World::again(&home, &upstream, &["--set", "access.api_keys=judge:review=all-of-it-please"], &[]);
    let bearer = format!("Bearer {key}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let session = session_as(&world.server, &headers, json!({"tools": [delete()]}));
    let call = calls(&[("c1", "delete_record", json!({"record_id": "rec_1"}))]);
    let mark = upstream.on(vec![call, text(&["Well."])]);
    let words = format!("Please delete the record rec_1. {mark}");
    let args = ["--url", &url(&world), "--session", &session, &words];
    let mut chat = Chat::start(&args, &[("COUNTERSIGN_API_KEY", &key)]);
    chat.types("a");
    chat.until("your key may not decide");
    let all = [("authorization", "Bearer all-of-it-please"), ("content-type", "application/json")];
    let waiting = world.server.ask("GET", "/v1/reviews?state=pending", &all, "").json();
    let id = waiting["reviews"][0]["review_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/reviews/{id}/decision");
    assert_eq!(world.server.ask("POST", &path, &all, "{\"decision\": \"reject\"}").status, 200);
    let (code, _, err) = chat.end();
    assert_eq!(code, 0, "{err}");
    assert!(!err.contains(&key));
    let (code, _, err) = Chat::start(&args, &[]).end();
    assert!(code == 2 && err.contains("COUNTERSIGN_KEY"), "{err}");
}

// STREAM-4: Ctrl-C stops the turn on the server, and the flag does not stay.
#[test]
fn an_interrupt_stops_the_turn() {
    let world = World::own("chat-stop", &[], &[]);
    let mark = world.upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let chat = Chat::start(&["--url", &url(&world), &mark], &[]);
    chat.until("begun");
    chat.interrupt();
    let (code, out, err) = chat.end();
    assert_eq!((code, out.as_str()), (1, "begun\n"), "{err}");
    assert!(err.contains("stopping") && err.contains("■ stopped"), "{err}");
    let session = session_in(&err);
    assert_eq!(world.log(&session).last().unwrap().kind(), "stopped");
    assert_eq!(world.server.get(&format!("/v1/sessions/{session}/stop")).json()["flags"], json!([]));
    let mark = world.upstream.on(vec![text(&["again"])]);
    let args = ["--url", &url(&world), "--session", &session, &mark];
    assert_eq!(Chat::start(&args, &[]).end().1, "again\n");
}

// Model text is hostile: nothing that it says repaints a terminal, whatever field it is in.
#[test]
fn hostile_text_cannot_reach_the_terminal() {
    let world = World::shared();
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}txt\u{9b}31m";
    let mark = world.upstream.on(vec![
        calls(&[("c1", "get_weather", json!({"city": evil})), ("c2", evil, json!({}))]),
        text(&["fine \u{1b}", "[31mred", evil, "\r\nnext\tline 25%"]),
    ]);
    let session = world.session(json!({"tools": [weather()]}));
    let words = format!("Weather in {evil}? {mark}");
    for format in ["human", "json"] {
        let chat = Chat::start(&["--url", &url(&world), "--session", &session, "--format", format, &words], &[]);
        within(20, "the call is brought back", || {
            world.result(&session, "c1", json!(format!("sunny {evil}"))).status == 200 || chat.out().contains("fine")
        });
        let (_, out, err) = chat.end();
        for text in [out, err] {
            let bad = text.chars().find(|c| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}');
            assert_eq!(bad, None, "{text:?}");
        }
    }
}

// The conversation of a person: typed on a terminal, with commands, claims underlined in place, and the way back.
#[cfg(unix)]
#[test]
fn a_person_talks_on_a_terminal() {
    let world = World::own("chat-terminal", &[], &[]);
    let first = world.upstream.on(vec![text(&[
        "Grew by 25% in a year.\n<create_note><name>growth</name>",
        "<content>25%</content></create_note>",
        "\nThat is all.",
    ])]);
    let hang = world.upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let mut chat = Chat::on_a_terminal(&["--url", &url(&world)], &[("TERM", "xterm-kitty")]);
    chat.until("› ");
    chat.types(&format!("How much? {first}"));
    chat.until("⚠ pending");
    assert!(chat.out().contains("\u{1b}[4:3;33m25%\u{1b}[0m"), "{:?}", chat.out());
    chat.types("/notes");
    chat.until("growth: 25%");
    chat.types("/nonsense");
    chat.until("there is no command /nonsense");
    let file = folder("chat-file").join("figures.csv");
    std::fs::write(&file, "year,share\n2024,25\n").unwrap();
    chat.types(&format!("/file {}", file.display()));
    chat.until("goes with your next message");
    chat.types(&hang);
    chat.until("begun");
    chat.types("/stop");
    chat.until("■ stopped");
    chat.types("/session");
    chat.until("ses_");
    chat.interrupt();
    chat.until("Ctrl-C again or /quit");
    chat.interrupt();
    let (code, out, err) = chat.end();
    assert_eq!(code, 1, "the last answer was stopped: {out}");
    let session = session_in(&err);
    assert!(out.contains(&session));
    let log = world.log(&session);
    let references = log.iter().find(|event| event.kind() == "references").expect("the file was attached");
    assert!(references.payload("valid").to_string().contains("file_"), "{:?}", references.json);
}
