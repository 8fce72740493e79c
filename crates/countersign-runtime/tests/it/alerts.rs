//! Alerts, sent to a real receiver: their forms, their tries, and that nobody waits for them.

use countersign_runtime::alerts::{Alert, AlertKind, AlertOptions, Alerts, Target, TargetKind};
use countersign_runtime::redact::Redactor;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Takes requests, answers each with the next status (then 200), and keeps the bodies.
struct Hook {
    url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Hook {
    async fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bodies);
        let owned: Vec<u16> = statuses.to_vec();
        let mut statuses = owned.into_iter();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let body = take(stream, statuses.next().unwrap_or(200)).await;
                kept.lock().unwrap().push(body);
            }
        });
        Self { url, bodies }
    }

    fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }

    async fn wait_for(&self, count: usize) -> Vec<Value> {
        let end = Instant::now() + Duration::from_secs(10);
        while self.bodies().len() < count {
            assert!(Instant::now() < end, "{:?}", self.bodies());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.bodies()
    }
}

async fn take(mut stream: TcpStream, status: u16) -> Value {
    let mut heard = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).await.unwrap();
        heard.extend_from_slice(piece.get(..read).unwrap());
        let text = String::from_utf8_lossy(&heard).into_owned();
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
        if let Some(body) = body.and_then(|body| serde_json::from_str(body).ok()) {
            let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            return body;
        }
        assert!(read > 0, "{text}");
    }
}

fn start(kind: TargetKind, url: &str, quiet: Duration) -> Alerts {
    let options = AlertOptions { quiet, deadline: Duration::from_secs(2), back_off: Duration::from_millis(20) };
    Alerts::start(vec![Target::Hook { kind, url: url.to_owned() }], options, Redactor::new(["own-secret".to_owned()]))
}

fn alert(subject: &str) -> Alert {
    let text = "failed with Bearer abcdefgh and own-secret".to_owned();
    Alert { kind: AlertKind::TurnFailed, subject: subject.to_owned(), text }
}

// SERVE-2: the three forms, without secrets.
#[tokio::test]
async fn each_place_gets_its_form() {
    for (kind, pointer) in
        [(TargetKind::Feishu, "/content/text"), (TargetKind::Slack, "/text"), (TargetKind::Webhook, "/text")]
    {
        let hook = Hook::start(&[]).await;
        start(kind, &hook.url, Duration::from_secs(60)).raise(alert("session-1"));
        let body = hook.wait_for(1).await.remove(0);
        let text = body.pointer(pointer).and_then(Value::as_str).unwrap();
        assert!(text.contains("failed") && !text.contains("abcdefgh") && !text.contains("own-secret"), "{body}");
        match kind {
            TargetKind::Feishu => assert_eq!(body.get("msg_type").unwrap(), "text"),
            TargetKind::Slack => assert_eq!(body.get("unfurl_links").unwrap(), false),
            _ => assert_eq!(
                (body.get("kind").unwrap(), body.get("subject").unwrap()),
                (&"turn_failed".into(), &"session-1".into())
            ),
        }
    }
}

// SERVE-2: said once, and the next one tells how often it was raised in between.
#[tokio::test]
async fn the_same_alert_is_sent_once_and_counted() {
    let hook = Hook::start(&[]).await;
    let alerts = start(TargetKind::Webhook, &hook.url, Duration::from_millis(400));
    for _ in 0..5 {
        alerts.raise(alert("one"));
    }
    alerts.raise(alert("two"));
    assert_eq!(hook.wait_for(2).await.len(), 2);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(hook.bodies().len(), 2);
    alerts.raise(alert("one"));
    let last = hook.wait_for(3).await.remove(2);
    assert_eq!(last.get("suppressed").unwrap(), 4);
}

// SERVE-2: a place that fails is tried again, and then given up.
#[tokio::test]
async fn a_place_that_fails_is_tried_four_times() {
    let hook = Hook::start(&[500, 503]).await;
    let alerts = start(TargetKind::Webhook, &hook.url, Duration::from_secs(60));
    alerts.raise(alert("one"));
    assert_eq!(hook.wait_for(3).await.len(), 3);
    let hook = Hook::start(&[500; 6]).await;
    let alerts = start(TargetKind::Webhook, &hook.url, Duration::from_secs(60));
    alerts.raise(alert("one"));
    hook.wait_for(4).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(hook.bodies().len(), 4);
}

// SERVE-2: never blocking: a place that hangs costs the one who raises nothing, and memory stays bounded.
#[tokio::test]
async fn a_place_that_hangs_holds_nobody_up() {
    let hangs = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", hangs.local_addr().unwrap());
    let alerts = start(TargetKind::Slack, &url, Duration::from_secs(60));
    let began = Instant::now();
    for n in 0..2000 {
        alerts.raise(alert(&n.to_string()));
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let (waiting, room) = alerts.backlog();
    assert!(waiting <= room && room <= 1024, "{waiting} of {room}");
}
