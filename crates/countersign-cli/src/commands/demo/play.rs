//! One scene, played: the model asked straight, then through the gateway, and what the audit says about it.

use super::heard::Heard;
use super::scenes::{Delivery, Scene};
use crate::config::Config;
use crate::failure::Failure;
use crate::serve::Running;
use clap::ValueEnum;
use countersign_runtime::http;
use countersign_runtime::models::{DemoBody, DemoModel, DemoRoute};
use futures_util::StreamExt;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The server, the model behind it, and a client.
pub(super) struct Stage {
    running: Running,
    model: DemoModel,
    client: reqwest::Client,
}

/// A scene, as it went. It holds no ids and no times: it is the same in every run.
#[derive(Debug, Serialize)]
pub(super) struct Played {
    scene: String,
    about: &'static str,
    model: &'static str,
    /// What the model wrote.
    wrote: Heard,
    /// What the client got.
    client: Heard,
    /// The status of the answer.
    status: u16,
    /// How often the model was asked.
    upstream_requests: usize,
    /// What the guard decided, in order.
    verdicts: Vec<Value>,
    /// What was put right in the history.
    repairs: Vec<Value>,
}

impl Stage {
    /// Starts the server.
    pub(super) async fn open(config: Config) -> Result<Self, Failure> {
        let model = DemoModel::new(config.gateway.demo_seed).with_pace(Duration::ZERO);
        let running = Running::start(config).await?;
        // A proxy of the caller's has nothing to do with what stays on this machine.
        let client = http::client().timeout(DEADLINE).no_proxy().build();
        Ok(Self { running, model, client: client.map_err(|error| Failure::Internal(error.to_string()))? })
    }

    /// Ends the server.
    pub(super) async fn close(self) {
        drop(self.client);
        self.running.end(Duration::ZERO).await;
    }

    /// Plays a scene.
    pub(super) async fn play(&self, scene: &Scene) -> Result<Played, Failure> {
        let request = scene.request().to_string();
        let wrote = read(scene, &self.straight(&request).await);
        let before = self.running.audit().await?.len();
        let post = self.client.post(self.address("/v1/chat/completions")).header("content-type", "application/json");
        let post = scene.headers.iter().fold(post, |post, (name, value)| post.header(*name, *value));
        let answer = post.body(request).send().await.map_err(|error| connection_lost(&error))?;
        let status = answer.status().as_u16();
        let named = answer.headers().get("countersign-verdict").and_then(|id| id.to_str().ok()).map(str::to_owned);
        let client = read(scene, &answer.text().await.map_err(|error| connection_lost(&error))?);
        let verdicts = match named {
            Some(id) => self.verdicts(&id).await?,
            None => Vec::new(),
        };
        let noted = self.running.audit().await?.into_iter().skip(before);
        let repairs = noted.filter_map(|note| note.get("findings").and_then(Value::as_array).cloned()).flatten();
        Ok(Played {
            scene: scene.name.to_possible_value().map(|name| name.get_name().to_owned()).unwrap_or_default(),
            about: scene.about,
            model: scene.model,
            wrote,
            client,
            status,
            upstream_requests: 1 + corrections(&verdicts),
            verdicts: verdicts.iter().map(render).collect(),
            repairs: repairs.collect(),
        })
    }

    /// Asks the model without the gateway.
    async fn straight(&self, request: &str) -> String {
        match self.model.answer(DemoRoute::Chat, request.as_bytes()).body {
            DemoBody::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            DemoBody::Stream(pieces) => {
                String::from_utf8_lossy(&pieces.collect::<Vec<_>>().await.concat()).into_owned()
            }
        }
    }

    /// All verdicts on the answer that one of them belongs to: the earlier attempt first, then what was released.
    async fn verdicts(&self, id: &str) -> Result<Vec<Value>, Failure> {
        let answer = self
            .client
            .get(self.address("/v1/verdicts?limit=20"))
            .send()
            .await
            .map_err(|error| connection_lost(&error))?;
        let all: Value = answer.json().await.map_err(|error| connection_lost(&error))?;
        let all = all.get("verdicts").and_then(Value::as_array).cloned().unwrap_or_default();
        let of = all.iter().find(|verdict| verdict.get("verdict_id").is_some_and(|known| known == id));
        let of = of.and_then(|verdict| verdict.get("answer_id")).cloned();
        let mut own: Vec<Value> = all.into_iter().filter(|verdict| verdict.get("answer_id") == of.as_ref()).collect();
        own.sort_by_key(|verdict| {
            let released = verdict.get("released").and_then(Value::as_bool).unwrap_or_default();
            (attempt(verdict), !is_sent_back(verdict), !released, word(verdict, "tool"))
        });
        Ok(own)
    }

    fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address)
    }
}

fn read(scene: &Scene, body: &str) -> Heard {
    match scene.delivery {
        Delivery::Whole => Heard::whole(body),
        Delivery::Streamed => Heard::streamed(body),
    }
}

/// How often the model was asked again.
fn corrections(verdicts: &[Value]) -> usize {
    verdicts.iter().filter(|verdict| is_sent_back(verdict)).map(attempt).collect::<BTreeSet<_>>().len()
}

fn render(verdict: &Value) -> Value {
    json!({
        "tool": verdict.get("tool"),
        "status": verdict.get("status"),
        "outcome": verdict.get("outcome"),
        "attempt": verdict.get("attempt"),
        "findings": verdict.pointer("/verdict/findings"),
    })
}

fn attempt(verdict: &Value) -> u64 {
    verdict.get("attempt").and_then(Value::as_u64).unwrap_or_default()
}

fn is_sent_back(verdict: &Value) -> bool {
    word(verdict, "outcome") == "sent_back"
}

fn word(verdict: &Value, name: &str) -> String {
    verdict.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn connection_lost(error: &reqwest::Error) -> Failure {
    Failure::Internal(format!("the server in this process did not answer: {error}"))
}

const DEADLINE: Duration = Duration::from_secs(20);
