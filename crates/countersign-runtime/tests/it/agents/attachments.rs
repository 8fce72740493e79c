//! Files in whole turns: what could not be read is said, and a model that refuses pictures is asked without them.

use super::rig::{Node, Plan, Runs, Said, check_log, delta, echo, field, kinds, last, mind, of, warned, words};
use crate::streams::bench::Got;
use countersign::contract::EventType;
use countersign_runtime::models::{Ask, ModelError};
use countersign_runtime::sessions::{Session, Upload, sniff};
use countersign_runtime::tools::Reach;
use countersign_runtime::turn::UserMessage;
use serde_json::{Value, json};

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

async fn keep(node: &Node, session: &Session, name: &str, bytes: &[u8]) -> String {
    let sniff::Sniffed::Taken { media } = sniff::sniff(name, None, bytes) else { panic!("{name} was refused") };
    let upload = Upload { name: name.to_owned(), media, bytes: bytes.to_vec().into() };
    node.sessions.save_file(session, upload).await.unwrap().file_id
}

async fn turn_with(node: &Node, agent: &str, content: &str, files: &[(&str, &[u8])]) -> Got {
    let session = node.session(agent).await;
    let mut ids = Vec::new();
    for (name, bytes) in files {
        ids.push(keep(node, &session, name, bytes).await);
    }
    let message = UserMessage { content: content.to_owned(), files: ids, ..UserMessage::default() };
    node.turns.begin(session.clone(), message).await.unwrap();
    node.read(&session).await
}

fn has_picture(ask: &Ask) -> bool {
    Value::Array(ask.messages.clone()).to_string().contains("image_url")
}

/// A model that refuses pictures in some way, and answers without them.
fn blind(refuse: impl Fn() -> Said + Send + Sync + 'static) -> Node {
    let runs = Runs::default();
    let mind = mind(move |ask| match has_picture(ask) {
        true => refuse(),
        false if super::rig::told(ask).contains("PLAN") => words("Plan: nothing is to be looked up."),
        false => words("I cannot see the picture."),
    });
    Node::new(Plan::new(mind).with([echo("look_up", Reach::Reads, &runs)]))
}

fn status(status: u16, message: &str) -> Said {
    Said::Refusal(ModelError::Status { status, message: message.to_owned(), retry_after_ms: None })
}

/// Who refuses, and how.
type Refusal = (&'static str, Box<dyn Fn() -> Said + Send + Sync>);

/// What else goes wrong.
type Fault = (&'static str, fn() -> Said);

/// How servers refuse pictures: by status, or in the answer.
fn refusals() -> Vec<Refusal> {
    let error = |message: &'static str| move || json!({"error": {"message": message, "code": 400}});
    vec![
        ("OpenAI", Box::new(|| status(400, "Invalid content type. image_url is only supported by certain models."))),
        ("vLLM", Box::new(|| status(400, "Qwen/Qwen3-4B is not a multimodal model None"))),
        (
            "llama.cpp",
            Box::new(|| {
                status(
                    500,
                    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                )
            }),
        ),
        ("Ollama", Box::new(|| status(400, "this model is missing data required for image input"))),
        ("OpenRouter", Box::new(|| status(404, "No endpoints found that support image input"))),
        ("Anthropic", Box::new(|| status(400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"))),
        ("a proxy", Box::new(|| status(413, "Request Entity Too Large"))),
        ("FastAPI", Box::new(|| status(422, "Input should be a valid string"))),
        ("in the first chunk", Box::new(move || Said::Chunks(vec![error("image input is not supported")()]))),
        (
            "in the stream, after the role",
            Box::new(|| {
                Said::Chunks(vec![
                    json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
                    json!({"error": {"message": "No endpoints found that support image input", "code": 404}}),
                ])
            }),
        ),
    ]
}

// STREAM-8: however a model's server refuses pictures, the turn goes on without them, once, and the reader is told.
#[tokio::test(start_paused = true)]
async fn a_model_that_refuses_pictures_is_asked_without_them() {
    for (who, refuse) in refusals() {
        let node = blind(refuse);
        let got = turn_with(&node, "concierge", "What is on it?", &[("photo.png", PICTURE)]).await;
        check_log(&got);
        assert_eq!(last(&got), "completed", "{who}: {:?}", kinds(&got));
        assert_eq!(warned(&got), ["pictures_refused"], "{who}");
        let asked = node.model.asked();
        assert_eq!(asked.iter().map(has_picture).collect::<Vec<_>>(), [true, false], "{who}");
        let again = Value::Array(asked[1].messages.clone()).to_string();
        assert!(again.contains("What is on it?") && again.contains("do not guess"), "{who}: {again}");
        let said = of(&got, EventType::Message).last().unwrap();
        assert_eq!(field(said, "content"), "I cannot see the picture.", "{who}");
    }
}

// STREAM-8: an error that has nothing to do with pictures is never answered by sending the turn again.
#[tokio::test(start_paused = true)]
async fn another_error_is_not_taken_for_a_refusal() {
    let others: [Fault; 8] = [
        ("a missing model", || status(404, "model 'llama3.2-vision' not found, try pulling it first")),
        ("a bad key", || status(401, "no key for images")),
        ("a limit", || status(429, "too many images")),
        ("a broken server", || status(500, "out of memory")),
        ("too many words", || status(413, "Request too large: tokens per minute (TPM)")),
        ("in the stream", || Said::Chunks(vec![json!({"error": {"message": "the GPU is gone"}})])),
        ("after words", || {
            Said::Chunks(vec![delta("It shows"), json!({"error": {"message": "image input is not supported"}})])
        }),
        ("cut", || Said::Chunks(vec![delta("It shows an image")])),
    ];
    for (what, fails) in others {
        let node = blind(fails);
        let got = turn_with(&node, "concierge", "What is on it?", &[("photo.png", PICTURE)]).await;
        assert_eq!((last(&got), node.model.asked().len()), ("failed", 1), "{what}: {:?}", kinds(&got));
        assert!(!warned(&got).contains(&"pictures_refused"), "{what}");
    }
    // Without a picture there is nothing to leave out.
    let node = Node::new(Plan::new(mind(|_| status(400, "image_url is only supported by certain models"))));
    let got = node.turn("concierge", "Hello there, my friend.").await;
    assert_eq!((last(&got), node.model.asked().len()), ("failed", 1));
}

// STREAM-8: it holds for agents that plan, and for one that hands its task over.
#[tokio::test(start_paused = true)]
async fn planners_and_delegates_go_on_without_pictures_too() {
    let node = blind(|| status(400, "image_url is only supported by certain models"));
    let got = turn_with(&node, "rewoo", "What is on it?", &[("photo.png", PICTURE)]).await;
    assert_eq!(last(&got), "completed", "{:?}", kinds(&got));
    assert_eq!(warned(&got).iter().filter(|code| **code == "pictures_refused").count(), 1, "{:?}", warned(&got));
    assert_eq!(node.model.asked().iter().filter(|ask| has_picture(ask)).count(), 1, "once it is known, it is known");

    let node = Node::new(Plan::new(mind(|ask| {
        if has_picture(ask) {
            return Said::Chunks(vec![json!({"error": {"message": "image input is not supported"}})]);
        }
        match super::rig::question(ask).starts_with("TASK") {
            true => words("Looked up."),
            false => words("I hand this over. <call_orchestrator>TASK: look alpha up</call_orchestrator>"),
        }
    })));
    let got = turn_with(&node, "concierge", "What is on it?", &[("photo.png", PICTURE)]).await;
    assert_eq!(last(&got), "completed", "{:?}", kinds(&got));
    assert_eq!(warned(&got), ["pictures_refused"]);
    let heard = of(&got, EventType::Message).any(|said| field(said, "content") == "Looked up.");
    assert!(heard, "{:?}", kinds(&got));
}

// STREAM-8: a file that could not be read is said to the user and to the model; one that could be read is not.
#[tokio::test(start_paused = true)]
async fn a_file_that_cannot_be_read_is_said() {
    let node = Node::new(Plan::new(mind(|_| words("I could not read it."))));
    let files: [(&str, &[u8]); 4] = [
        ("letter.docx", b"PK\x03\x04 broken"),
        ("data.dat", &[0, 1, 2, 255, 254, 0]),
        ("photo.bmp", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"),
        ("plan.txt", b"Buy tea."),
    ];
    let got = turn_with(&node, "concierge", "Please read these files.", &files).await;
    check_log(&got);
    assert_eq!(last(&got), "completed");
    let told: Vec<_> = of(&got, EventType::Warning).filter(|told| field(told, "code") == "file_unread").collect();
    let named: Vec<_> = told.iter().map(|told| (field(told, "file"), field(told, "kind"))).collect();
    assert_eq!(named, [("letter.docx", "office"), ("data.dat", "other"), ("photo.bmp", "image")]);
    for told in &told {
        let (message, reason) = (field(told, "message"), field(told, "reason"));
        assert!(message.contains(field(told, "file")) && message.contains(reason) && !reason.is_empty(), "{told:?}");
    }
    let asked = super::rig::told(&node.model.asked()[0]);
    assert!(asked.contains("letter.docx") && asked.contains("damaged") && asked.contains("do not guess"), "{asked}");
    assert!(asked.contains("Buy tea."));
    let got = turn_with(&node, "concierge", "请读一下这个文件。", &[("letter.docx", b"PK\x03\x04 broken")]).await;
    let told = of(&got, EventType::Warning).next().unwrap();
    assert!(field(told, "message").starts_with("无法读取文件“letter.docx”"), "{told:?}");
    let got = turn_with(&node, "concierge", "Please read it.", &[("plan.txt", b"Buy tea.")]).await;
    assert_eq!(warned(&got), Vec::<&str>::new());
}
