//! A model as judge from the command line, against a real server on a free port (CLAIM-3).

use crate::run::{Ran, command, run};
use crate::serve_world::{Server, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

// CLAIM-3
#[test]
fn a_model_settles_what_nobody_else_could() {
    let (address, requests) = serve(200, said("supports", "", "it is known"), Duration::ZERO);
    let ran = judged(address, "5", "Sales rose 31%.");
    let answer = ran.lines().remove(0);
    let claim = &answer["claims"][0];
    assert_eq!((&claim["status"], &claim["source"]["name"]), (&json!("verified"), &json!("model")), "{answer}");
    assert!(claim["verify_note"].as_str().is_some_and(|note| note.contains("without a document")));
    let request = requests.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(request.starts_with("POST /v1/chat/completions"), "{request}");
    assert!(request.contains("Bearer k-secret") && request.contains("Sales rose 31%") && request.contains("small"));
    assert!(!ran.out.contains("k-secret") && !ran.err.contains("k-secret"));
    // A document is not overruled, and the model is not asked about it.
    let line = json!({"id": 1, "text": "Sales rose 31%.", "evidence": "Sales rose 25%."});
    let answer = fed(address, "5", &line).lines().remove(0);
    assert_eq!(answer["claims"][0]["status"], "disputed");
    assert!(requests.try_recv().is_err());
}

// CLAIM-3
#[test]
fn a_model_that_fails_leaves_claims_pending_and_says_why() {
    for (status, body, trouble) in [
        (200, said("maybe", "", ""), "supports, conflicts or unknown"),
        (200, "<html>".to_owned(), "no JSON came back"),
        (200, "{}".to_owned(), "has no content"),
        (500, "k-secret".to_owned(), "status 500"),
        (302, String::new(), "status 302"),
    ] {
        let (address, _requests) = serve(status, body, Duration::ZERO);
        let ran = judged(address, "5", "Sales rose 31%.");
        stays_pending(&ran, trouble);
    }
    let (address, _requests) = serve(200, said("supports", "", ""), Duration::from_secs(4));
    let begun = Instant::now();
    let ran = judged(address, "0.3", "Sales rose 31%.");
    stays_pending(&ran, "did not answer within 300 ms");
    assert!(begun.elapsed() < Duration::from_secs(3), "a late model is not waited for");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    stays_pending(&judged(closed, "5", "Sales rose 31%."), "the model's service failed");
}

// CLAIM-3: the server's fact check asks the model of an upstream last, once for each question.
#[test]
fn the_server_asks_the_model_of_an_upstream() {
    let (address, requests) = serve(200, said("supports", "", "it is known"), Duration::ZERO);
    let settings = format!(
        "[upstreams.small]\napi = \"openai\"\nurl = \"http://{address}/v1\"\n[factcheck]\njudge = \"small\"\njudge_model = \"tiny\"\n"
    );
    let file = crate::run::scratch("judge-server.toml", &settings);
    let server = Server::start(&folder("judge-server"), &["--config", &file], &[]);
    for _ in 0..2 {
        let session = server.post("/v1/sessions", r#"{"agent": "react"}"#).json()["session_id"].clone();
        let session = session.as_str().unwrap();
        let body = json!({"from": "a", "to": "b", "content": "Sales rose 31%."}).to_string();
        assert_eq!(server.post(&format!("/v1/sessions/{session}/relay"), &body).status, 200);
        let looked = server.post(&format!("/v1/sessions/{session}/factcheck"), "{}").json();
        assert_eq!(looked["summary"]["verified"], 1, "{looked}");
    }
    assert!(requests.recv_timeout(Duration::from_secs(5)).unwrap().contains("tiny"));
    assert!(requests.try_recv().is_err(), "the same question is asked once");
    for (wrong, told) in [
        ("[factcheck]\njudge = \"nobody\"\n", "there is no upstream `nobody`"),
        ("[upstream]\nopenai = \"http://127.0.0.1:9/v1\"\n[factcheck]\njudge = \"openai\"\n", "the judge has no model"),
    ] {
        let file = crate::run::scratch("judge-wrong.toml", wrong);
        let ran = run(&["config", "check", "--config", &file]);
        assert!(ran.code == 2 && ran.err.contains(told), "{told}: {} {}", ran.code, ran.err);
    }
}

// CLAIM-3
#[test]
fn wrong_use_of_the_judge_is_told() {
    for args in [
        vec!["factcheck", "--judge", "http://127.0.0.1:1/v1", "x.jsonl"],
        vec!["factcheck", "--judge-model", "small", "x.jsonl"],
        vec!["factcheck", "--judge", "localhost", "--judge-model", "small", "x.jsonl"],
        vec!["factcheck", "--judge-timeout", "0", "x.jsonl"],
    ] {
        let ran = run(&args);
        assert!(ran.code == 2 && ran.out.is_empty() && !ran.err.is_empty(), "{args:?}: {}", ran.err);
    }
}

fn stays_pending(ran: &Ran, trouble: &str) {
    let answer = ran.lines().remove(0);
    let at = |path: &str| answer.pointer(path).cloned();
    assert_eq!((at("/claims/0/status"), at("/needs_verify")), (Some(json!("pending")), Some(json!(true))), "{answer}");
    let told = at("/troubles").map(|told| told.to_string()).unwrap_or_default();
    assert!(told.contains(trouble), "{trouble}: {told}");
    assert!(!ran.out.contains("k-secret") && ran.code == 0, "{}", ran.out);
}

fn judged(address: SocketAddr, timeout: &str, text: &str) -> Ran {
    fed(address, timeout, &json!({"id": 1, "text": text}))
}

fn fed(address: SocketAddr, timeout: &str, line: &Value) -> Ran {
    let url = format!("http://{address}/v1");
    let args = ["factcheck", "--judge", &url, "--judge-model", "small", "--judge-timeout", timeout];
    let mut command = command(&args);
    command.env("COUNTERSIGN_JUDGE_KEY", "k-secret");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(line.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A model's answer in the form of an OpenAI-compatible service.
pub(crate) fn said(verdict: &str, quote: &str, reason: &str) -> String {
    let content = json!({"verdict": verdict, "quote": quote, "reason": reason}).to_string();
    json!({"choices": [{"message": {"content": content}}]}).to_string()
}

/// A server that reads whole requests, waits, and answers all alike.
pub(crate) fn serve(status: u16, body: String, wait: Duration) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                head.push_str(&line);
            }
            let mut sent = vec![0; length];
            if reader.read_exact(&mut sent).is_err() {
                continue;
            }
            let _ = sender.send(head + &String::from_utf8(sent).unwrap());
            std::thread::sleep(wait);
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = (&stream).write_all((head + &body).as_bytes());
        }
    });
    (address, receiver)
}
