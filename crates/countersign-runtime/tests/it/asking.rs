//! CALL-7: many questions at once, checkers that fail, and the verdict that comes of it.

use crate::world::{Folder, Server};
use countersign::check_call::Guard;
use countersign::contract::{Answer, Question, Status, Verdict};
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use countersign_runtime::{AskError, Asker, FactChecker, judge};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// A checker that does what the question says.
struct Moody;

impl FactChecker for Moody {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Custom { question, .. } = question else { return Err(AskError::OtherQuestion) };
        match question.as_str() {
            "panic" => panic!("as asked"),
            "sleep" => {
                thread::sleep(Duration::from_millis(900));
                Ok(Answer::Yes)
            }
            "fail" => Err(AskError::Own("the moon is full".into())),
            _ => Ok(Answer::Yes),
        }
    }
}

fn custom(question: &str) -> Question {
    Question::Custom { source: "moody".into(), question: question.into() }
}

const CUSTOM: &str =
    "[[facts.custom]]\nname = \"moody\"\nargument = \"mood\"\nquestion = \"{value}\"\ndeadline_ms = 250\n";

#[test]
fn one_bad_checker_harms_no_other() {
    // CALL-7
    let mut asker = Asker::from_policy(&Policy::from_toml(CUSTOM).unwrap(), Folder::new().path()).unwrap();
    let unknown = |asker: &Asker, question: &str| match asker.answer_all(&[custom(question)]).to(&custom(question)) {
        Some(Answer::Unknown { reason }) => reason.clone(),
        other => format!("{other:?}"),
    };
    assert!(unknown(&asker, "calm").contains("no checker is registered"));
    asker.register("moody", Moody).unwrap();
    assert!(asker.register("nobody", Moody).is_err());
    let questions: Vec<Question> = ["panic", "sleep", "fail", "calm", "calm"].into_iter().map(custom).collect();
    let begun = Instant::now();
    let answers = asker.answer_all(&questions);
    assert!(begun.elapsed() < Duration::from_millis(800), "a late one is not waited for");
    assert_eq!(answers.0.len(), 4);
    assert_eq!(answers.to(&custom("calm")), Some(&Answer::Yes));
    assert!(unknown(&asker, "panic").contains("panicked"));
    assert!(unknown(&asker, "sleep").contains("250 ms"));
    assert!(unknown(&asker, "fail").contains("moon"));
    let other = Question::Record { source: "none".into(), value: "x".into() };
    assert!(matches!(asker.answer_all(std::slice::from_ref(&other)).to(&other), Some(Answer::Unknown { .. })));
}

#[test]
fn questions_are_asked_side_by_side_and_answers_are_kept() {
    // CALL-7
    let server = Server::new(|_| (200, "{}".into(), Duration::from_millis(150)));
    let policy = |cache: u32| {
        let text = format!(
            "[[facts.records]]\nname = \"r\"\nargument = \"id\"\nurl = \"http://{}/{{value}}\"\ndeadline_ms = 5000\ncache_s = {cache}\n",
            server.address
        );
        Asker::from_policy(&Policy::from_toml(&text).unwrap(), Folder::new().path()).unwrap()
    };
    let questions: Vec<Question> =
        (0..40).map(|n| Question::Record { source: "r".into(), value: n.to_string() }).collect();
    let asker = policy(60);
    let begun = Instant::now();
    assert!(asker.answer_all(&questions).0.values().all(|answer| *answer == Answer::Yes));
    assert!(begun.elapsed() < Duration::from_millis(3000), "40 look-ups of 150 ms, one after another, take 6 s");
    asker.answer_all(&questions);
    assert_eq!(server.requests.load(Ordering::SeqCst), 40, "the second round comes from the cache");
    let asker = policy(0);
    asker.answer_all(&questions[..2]);
    asker.answer_all(&questions[..2]);
    assert_eq!(server.requests.load(Ordering::SeqCst), 44);
}

fn verdict(policy: &str, folder: &Folder, body: &Value) -> Verdict {
    let policy = Arc::new(Policy::from_toml(policy).unwrap());
    let asker = Asker::from_policy(&policy, folder.path()).unwrap();
    let request = read_check(body).unwrap();
    judge(&Guard::new(request.tools.clone(), policy), &request, Some(&asker))
}

#[test]
fn a_call_is_judged_by_what_the_world_says() {
    // CALL-7, T13, T14
    let folder = Folder::new()
        .with("api.yaml", "openapi: 3.0.0\nservers: [{url: https://example.com}]\npaths: {/api/v1: {get: {}}}\n")
        .with("p.json", r#"{"alice": ["delete:database"]}"#);
    let policy = r#"
        [[facts.endpoints]]
        name = "api"
        tools = ["api_call"]
        openapi = "api.yaml"
        [[facts.permissions]]
        name = "p"
        file = "p.json"
        [tools.delete_database]
        permissions = ["delete:database"]
    "#;
    let tools = json!([
        {"name": "api_call", "input_schema": {"type": "object", "properties": {"endpoint": {"type": "string"}}}},
        {"name": "delete_database", "input_schema": {"type": "object", "properties": {}}},
    ]);
    let call = |url: &str| {
        json!({"id": 1, "tools": tools, "messages": [{"role": "user", "content": format!("call {url}")}],
               "call": {"name": "api_call", "arguments": {"endpoint": url}}})
    };
    let found = verdict(policy, &folder, &call("https://example.com/api/v2"));
    assert_eq!(found.status, Status::ValidationFailed);
    assert!(found.findings.iter().any(|f| f.code.id == "fact.unknown-endpoint" && f.evidence.contains("/api/v1")));
    assert!(found.unanswered.is_empty());
    assert_eq!(verdict(policy, &folder, &call("https://example.com/api/v1")).status, Status::Approved);

    let drop = |user: &str| json!({"id": 2, "tools": tools, "call": {"name": "delete_database", "arguments": {}}, "context": {"user": {"id": user}}});
    assert_eq!(verdict(policy, &folder, &drop("alice")).status, Status::Approved);
    assert_eq!(verdict(policy, &folder, &drop("mallory")).status, Status::Rejected);

    let request = read_check(&call("https://example.com/api/v1")).unwrap();
    let guard = Guard::new(request.tools.clone(), Arc::new(Policy::from_toml(policy).unwrap()));
    let alone = judge(&guard, &request, None);
    assert_eq!((alone.status, alone.unanswered.len()), (Status::Caution, 1), "nobody to ask is said, not passed");
}
