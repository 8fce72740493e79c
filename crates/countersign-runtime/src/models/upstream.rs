//! An OpenAI-compatible address: `{base}/chat/completions`, streamed.

use super::error::told;
use super::optional_fields::{Logprobs, OptionalField, Refusals, refused};
use super::{AnswerStream, Ask, Model, ModelError};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use std::pin::Pin;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout, timeout_at};

/// How an upstream is reached.
#[derive(Debug, Clone)]
pub struct UpstreamOptions {
    /// The address, with `/v1`.
    pub base: String,
    /// The key, where it wants one.
    pub key: Option<String>,
    /// The model that is asked for where nobody names one.
    pub model: Option<String>,
    /// How long it may say nothing.
    pub silence: Duration,
    /// How long tries that fail before the first byte may go on, all together.
    pub patience: Duration,
    /// Whether it is asked for log-probabilities.
    pub logprobs: Logprobs,
}

impl UpstreamOptions {
    /// An address with the usual patience.
    pub fn new(base: &str) -> Self {
        let base = base.trim_end_matches('/').to_owned();
        let wait = Duration::from_secs(40);
        Self { base, key: None, model: None, silence: wait, patience: wait, logprobs: Logprobs::default() }
    }
}

/// An upstream.
pub struct UpstreamModel {
    client: reqwest::Client,
    options: UpstreamOptions,
    first_model: OnceCell<String>,
    refusals: Refusals,
}

impl UpstreamModel {
    /// An upstream.
    pub fn new(client: reqwest::Client, options: UpstreamOptions) -> Self {
        Self { client, options, first_model: OnceCell::new(), refusals: Refusals::default() }
    }

    /// The model that is asked for where nobody names one: the configured one, else the first that is listed.
    async fn default_model(&self) -> Result<String, ModelError> {
        if let Some(model) = &self.options.model {
            return Ok(model.clone());
        }
        let listed = self.first_model.get_or_try_init(|| self.list_first()).await?;
        Ok(listed.clone())
    }

    async fn list_first(&self) -> Result<String, ModelError> {
        let request = self.sign(self.client.get(format!("{}/models", self.options.base)));
        let answer = timeout(LIST, async { request.send().await?.json::<Value>().await }).await;
        let listed = match answer {
            Ok(Ok(listed)) => listed,
            Ok(Err(error)) if error.is_connect() => return Err(ModelError::Unreachable(told(&error))),
            // Not every server lists its models. It may still take a name that it does not know.
            Ok(Err(_)) => Value::Null,
            Err(_) => return Err(ModelError::Silent(LIST.as_secs())),
        };
        let first = listed.pointer("/data/0/id").or_else(|| listed.pointer("/models/0/name"));
        Ok(first.and_then(Value::as_str).unwrap_or("default").to_owned())
    }

    fn sign(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.options.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    async fn try_once(&self, body: &Value) -> Result<reqwest::Response, ModelError> {
        let address = format!("{}/chat/completions", self.options.base);
        let request = self.client.post(address).header("accept", "text/event-stream").json(body);
        let sent = timeout(self.options.silence, self.sign(request).send()).await;
        let response = match sent {
            Err(_) => return Err(ModelError::Silent(self.options.silence.as_secs())),
            Ok(Err(error)) if error.is_connect() => return Err(ModelError::Unreachable(told(&error))),
            Ok(Err(error)) => return Err(ModelError::Cut(told(&error))),
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() { Ok(response) } else { Err(refusal(response).await) }
    }
}

#[async_trait]
impl Model for UpstreamModel {
    async fn ask(&self, ask: Ask) -> Result<AnswerStream, ModelError> {
        let until = Instant::now() + self.options.patience;
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            let tried = timeout_at(until, self.ask_once(&ask)).await;
            let error = match tried.unwrap_or(Err(ModelError::Silent(self.options.patience.as_secs()))) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wait = match &error {
                ModelError::Status { retry_after_ms: Some(wait), .. } => Duration::from_millis(*wait),
                _ => pause,
            };
            if attempt >= TRIES || !error.may_pass() || Instant::now() + wait >= until {
                return Err(error);
            }
            tracing::debug!(%error, "the upstream is asked again");
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        Err(ModelError::Silent(0))
    }

    fn must_give_logprobs(&self) -> bool {
        self.options.logprobs == Logprobs::On
    }
}

impl UpstreamModel {
    async fn ask_once(&self, ask: &Ask) -> Result<AnswerStream, ModelError> {
        let model = match &ask.model {
            Some(model) => model.clone(),
            None => self.default_model().await?,
        };
        let mut body = json!({"model": model, "messages": ask.messages, "stream": true});
        if let (false, Some(fields)) = (ask.tools.is_empty(), body.as_object_mut()) {
            fields.insert("tools".to_owned(), Value::Array(ask.tools.clone()));
        }
        let response = self.try_with_options(&model, body).await?;
        Ok(guard(response.bytes_stream(), self.options.silence))
    }

    /// Sends a request with the fields that not every server knows; where the upstream refuses one, the same without it.
    async fn try_with_options(&self, model: &str, mut body: Value) -> Result<reqwest::Response, ModelError> {
        let mut sent: Vec<OptionalField> =
            OptionalField::ALL.into_iter().filter(|field| self.asks(*field, model)).collect();
        if let Some(fields) = body.as_object_mut() {
            fields.extend(sent.iter().map(|field| (field.name().to_owned(), field.value())));
        }
        let mut without = Vec::new();
        loop {
            let error = match self.try_once(&body).await {
                Ok(response) => {
                    without.iter().for_each(|field| self.refusals.remember(*field, model));
                    return Ok(response);
                }
                Err(error) => error,
            };
            let gone = refused(&error, &sent);
            if gone.is_empty() {
                return Err(error);
            }
            tracing::debug!(%error, model, ?gone, "the upstream is asked without what it refuses");
            sent.retain(|field| !gone.contains(field));
            if let Some(fields) = body.as_object_mut() {
                gone.iter().for_each(|field| drop(fields.shift_remove(field.name())));
            }
            without.extend(gone);
        }
    }

    fn asks(&self, field: OptionalField, model: &str) -> bool {
        match field {
            OptionalField::Logprobs => self.refusals.asks_logprobs(self.options.logprobs, model),
            OptionalField::Usage => self.refusals.asks(field, model),
        }
    }
}

/// A stream that ends with an error when nothing comes for too long.
fn guard(bytes: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static, silence: Duration) -> AnswerStream {
    let bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>> = Box::pin(bytes);
    Box::pin(stream::unfold(Some(bytes), move |state| async move {
        let mut bytes = state?;
        match timeout(silence, bytes.next()).await {
            Err(_) => Some((Err(ModelError::Silent(silence.as_secs())), None)),
            Ok(None) => None,
            Ok(Some(Ok(chunk))) => Some((Ok(chunk), Some(bytes))),
            Ok(Some(Err(error))) => Some((Err(ModelError::Cut(told(&error))), None)),
        }
    }))
}

/// What a refusal says, shortened.
async fn refusal(response: reqwest::Response) -> ModelError {
    let status = response.status().as_u16();
    let retry_after_ms = retry_after(response.headers());
    let body = timeout(LIST, response.text()).await;
    let body = body.ok().and_then(Result::ok).unwrap_or_default();
    let told = serde_json::from_str::<Value>(&body).ok();
    let told = told.as_ref().and_then(|body| body.pointer("/error/message").or_else(|| body.get("error")));
    let message = told.and_then(Value::as_str).map_or(body.clone(), str::to_owned);
    ModelError::Status { status, message: message.chars().take(MAX_MESSAGE).collect(), retry_after_ms }
}

fn retry_after(headers: &reqwest::header::HeaderMap) -> Option<u64> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok().filter(|n| *n >= 0.0);
    let millis = number("retry-after-ms").or_else(|| number("retry-after").map(|seconds| seconds * 1000.0))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded right here")]
    Some(millis.min(3_600_000.0) as u64)
}

/// How long a list of models or a refusal may take.
const LIST: Duration = Duration::from_secs(5);
/// How often an upstream is asked before the first byte.
const TRIES: usize = 3;
/// How long to wait before the second try.
const FIRST_PAUSE: Duration = Duration::from_millis(400);
/// How much of a refusal is kept, in characters.
const MAX_MESSAGE: usize = 500;
