//! An operation, called: one request, one answer, and an honest word where there is none.

use super::super::http;
use super::super::order::Order;
use super::super::tool::{Limits, Ran, Reach, Runner, ToolContext, ToolTrouble};
use super::address::{address, joined};
use super::operation::{Body, Operation, Spot};
use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What the operations of one service share.
pub(super) struct Service {
    pub(super) base: Url,
    pub(super) headers: HeaderMap,
    pub(super) client: reqwest::Client,
    pub(super) limits: Limits,
    pub(super) slots: Semaphore,
}

/// Calls one operation of a service.
pub(super) struct Calling {
    pub(super) service: Arc<Service>,
    pub(super) operation: Operation,
    pub(super) reach: Reach,
}

#[async_trait]
impl Runner for Calling {
    async fn run(&self, order: &Order, _place: &ToolContext) -> Result<Ran, ToolTrouble> {
        // Half of the time for the wait, so that what was not sent is known not to have been.
        let waiting = tokio::time::timeout(self.service.limits.timeout / 2, self.service.slots.acquire());
        let Ok(Ok(_slot)) = waiting.await else {
            return Err(ToolTrouble::NotRun(
                "too many calls of this service are under way; try again later".to_owned(),
            ));
        };
        let request = match self.request(order) {
            Ok(request) => request,
            Err(why) => return Ok(Ran::failed(format!("nothing was sent: {why}"))),
        };
        let asked = request.url().clone();
        let response = self.service.client.execute(request).await.map_err(http::trouble)?;
        if *response.url() != asked {
            return Err(ToolTrouble::Unknown("the service led elsewhere, and the client followed".to_owned()));
        }
        self.answered(response).await
    }
}

impl Calling {
    fn request(&self, order: &Order) -> Result<reqwest::Request, String> {
        let arguments = order.arguments();
        let mut request = reqwest::Request::new(
            self.operation.method.clone(),
            address(&self.service.base, &self.operation, arguments)?,
        );
        let headers = request.headers_mut();
        for parameter in self.operation.parameters.iter().filter(|parameter| parameter.place == Spot::Header) {
            let Some(value) = arguments.get(&parameter.argument).filter(|value| !value.is_null()) else { continue };
            let wrong = || format!("the argument {:?} cannot be used in a header", parameter.argument);
            let name = HeaderName::try_from(&parameter.name).map_err(|_| wrong())?;
            let value = joined(value).and_then(|text| HeaderValue::try_from(text).ok()).ok_or_else(wrong)?;
            headers.insert(name, value);
        }
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, */*;q=0.5"));
        if self.reach == Reach::Acts {
            let key = HeaderValue::from_str(order.key()).map_err(|error| error.to_string())?;
            headers.insert(HeaderName::from_static("idempotency-key"), key);
        }
        // The operator's last: no argument takes the place of a key.
        headers.extend(self.service.headers.clone());
        if let Some(body) = self.body(arguments) {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(body.to_string().into());
        }
        Ok(request)
    }

    fn body(&self, arguments: &Map<String, Value>) -> Option<Value> {
        match &self.operation.body {
            Body::None => None,
            Body::Whole(name) => arguments.get(name).cloned(),
            Body::Fields { names, required } => {
                let given = names.iter().filter_map(|name| Some((name.clone(), arguments.get(name)?.clone())));
                let fields: Map<String, Value> = given.collect();
                (*required || !fields.is_empty()).then_some(Value::Object(fields))
            }
        }
    }

    async fn answered(&self, response: reqwest::Response) -> Result<Ran, ToolTrouble> {
        let (status, media) = (response.status(), media(response.headers()));
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body =
            http::read(response, self.service.limits.output).await.map_err(|error| match http::trouble(error) {
                ToolTrouble::Unknown(why) | ToolTrouble::NotRun(why) | ToolTrouble::Failed(why) => {
                    ToolTrouble::Unknown(format!("the service answered {status}, but its answer broke off: {why}"))
                }
            })?;
        let content = content(&body.bytes, &media, body.cut);
        if status.is_success() {
            let content = if body.bytes.is_empty() { json!({"status": status.as_u16()}) } else { content };
            return Ok(Ran { content, cut: body.cut, ..Ran::default() });
        }
        let mut told = json!({"status": status.as_u16(), "reason": status.canonical_reason(), "body": content});
        if let (true, Some(location), Value::Object(told)) = (status.is_redirection(), location, &mut told) {
            told.insert("location".to_owned(), Value::from(location));
            told.insert("note".to_owned(), Value::from("redirects are not followed"));
        }
        Ok(Ran { cut: body.cut, ..Ran::failed(told) })
    }
}

fn media(headers: &HeaderMap) -> String {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// JSON where it is some, else text; of what is neither a short note.
fn content(bytes: &[u8], media: &str, cut: usize) -> Value {
    let is_json = media.is_empty() || media.ends_with("json");
    if is_json
        && cut == 0
        && let Ok(value) = serde_json::from_slice(bytes)
    {
        return value;
    }
    let whole = bytes.len() + cut;
    let kind = media.split('/').next().unwrap_or_default();
    if matches!(kind, "image" | "audio" | "video" | "font") || media == "application/octet-stream" {
        return Value::from(format!("[{media}, {whole} bytes]"));
    }
    Value::from(String::from_utf8_lossy(bytes).into_owned())
}
