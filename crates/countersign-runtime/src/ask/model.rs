//! One model behind an OpenAI-compatible `/chat/completions`, asked for one JSON object.
//!
//! What it is asked about is sent as data in JSON, in a conversation of its own, at temperature 0, with a schema for the
//! answer where the service takes one. Anything but that object is an error and no answer.

use countersign::parse::ParseOptions;
use countersign::parse::json::read_answer;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use ureq::Agent;

/// A model at an address.
pub struct Model {
    agent: Agent,
    url: String,
    name: String,
    key: Option<String>,
    max_tokens: Option<u64>,
    /// Whether the service has refused a schema before.
    schemaless: AtomicBool,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What the model shall do with the data.
    pub instruction: &'a str,
    /// The data.
    pub data: &'a Value,
    /// The schema of the answer.
    pub schema: &'a Value,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The object.
    pub value: Value,
    /// How many tokens it took, where the service says so.
    pub tokens: Option<u64>,
}

/// Why there is no answer. The text is fit for a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The service did not answer as it should. Trying again may help.
    #[error("the model's service failed: {0}; look at its address and key")]
    Service(String),
    /// The model did not keep to the form.
    #[error("the model did not answer in the form it was asked for: {0}; use another model")]
    Form(String),
}

impl Model {
    /// A model at `base`, which includes `/v1`. The key is sent as a bearer token and shown nowhere.
    pub fn new(base: &str, name: &str, key: Option<String>, deadline: Duration) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(deadline))
            .http_status_as_error(false)
            // A redirect would carry the key away.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("countersign")
            .build()
            .new_agent();
        let url = format!("{}/chat/completions", base.trim_end_matches('/'));
        Self { agent, url, name: name.to_owned(), key, max_tokens: None, schemaless: AtomicBool::new(false) }
    }

    /// The same with a bound on its answers.
    pub fn with_max_tokens(mut self, most: u64) -> Self {
        self.max_tokens = Some(most);
        self
    }

    /// Asks. A service that takes no schema is asked once more without it, and from then on never with it.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<Told, ModelError> {
        let with_schema = !self.schemaless.load(Ordering::Relaxed);
        let (mut status, mut body) = self.send(ask, with_schema)?;
        if with_schema && matches!(status, 400 | 422) {
            (status, body) = self.send(ask, false)?;
            self.schemaless.store(status == 200, Ordering::Relaxed);
        }
        if status != 200 {
            return Err(ModelError::Service(format!("status {status}")));
        }
        let body: Value = serde_json::from_slice(&body).map_err(|_| service("no JSON came back"))?;
        let content = body.pointer("/choices/0/message/content").and_then(Value::as_str);
        let content = content.ok_or_else(|| service("the answer has no content"))?;
        let value = read_answer(content, &ParseOptions::default()).value;
        let value = value.filter(Value::is_object).ok_or_else(|| ModelError::Form("it is no JSON object".into()))?;
        Ok(Told { value, tokens: body.pointer("/usage/total_tokens").and_then(Value::as_u64) })
    }

    fn send(&self, ask: &Ask<'_>, with_schema: bool) -> Result<(u16, Vec<u8>), ModelError> {
        let failed = |error: ureq::Error| ModelError::Service(error.to_string());
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", &format!("Bearer {key}"));
        }
        let mut response = request.send(self.body(ask, with_schema).to_string()).map_err(failed)?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_BODY).read_to_vec().map_err(failed)?;
        Ok((status, body))
    }

    fn body(&self, ask: &Ask<'_>, with_schema: bool) -> Value {
        let messages = json!([
            {"role": "system", "content": ask.instruction},
            {"role": "user", "content": ask.data.to_string()},
        ]);
        let mut body = Map::new();
        let mut put = |key: &str, value: Value| drop(body.insert(key.to_owned(), value));
        put("model", self.name.clone().into());
        put("temperature", 0.into());
        put("seed", 0.into());
        put("messages", messages);
        if let Some(most) = self.max_tokens {
            put("max_tokens", most.into());
        }
        if with_schema {
            let schema = json!({"name": "answer", "schema": ask.schema});
            put("response_format", json!({"type": "json_schema", "json_schema": schema}));
        }
        Value::Object(body)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Model").field("url", &self.url).field("name", &self.name).finish_non_exhaustive()
    }
}

fn service(what: &str) -> ModelError {
    ModelError::Service(what.to_owned())
}

/// The most that is read of an answer.
const MAX_BODY: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_shown() {
        let model = Model::new("http://127.0.0.1:1/v1/", "m", Some("k-secret".into()), Duration::from_millis(50));
        assert!(!format!("{model:?}").contains("k-secret"));
        assert_eq!(model.url, "http://127.0.0.1:1/v1/chat/completions");
    }
}
