//! The identity provider over HTTP: what it says of itself, a code swapped for a token, and its keys.
//!
//! Every answer has a deadline and a limit. Where the issuer is reached by https, so is everything that it names. A code is
//! sent once, to the address that the issuer named, and no redirect is followed with it.

use super::token::KeySet;
use countersign_runtime::http;
use reqwest::{Client, RequestBuilder, redirect};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;

/// What a provider says of itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Metadata {
    /// Who it is.
    pub issuer: String,
    /// Where people sign in.
    pub authorization_endpoint: String,
    /// Where codes are swapped.
    token_endpoint: String,
    /// Where its keys are.
    jwks_uri: String,
    /// Where more is said about a person.
    userinfo_endpoint: Option<String>,
    /// How we may say who we are.
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// What a code was swapped for.
#[derive(Deserialize)]
pub(super) struct Tokens {
    /// What the provider says about the person.
    pub id_token: String,
    /// What opens the provider's page about the person.
    #[serde(default)]
    pub access_token: String,
}

/// Who we are for the provider.
pub(super) struct Credentials<'a> {
    /// Our name there.
    pub id: &'a str,
    /// Our secret there; without one only the proof of the sign-in speaks for us.
    pub secret: Option<&'a str>,
}

/// A client for one provider.
pub(super) fn client() -> Result<Client, String> {
    let client = http::client().redirect(redirect::Policy::none()).timeout(DEADLINE).connect_timeout(DEADLINE / 2);
    client.build().map_err(|error| error.to_string())
}

/// What the issuer says of itself, which must be what was configured.
pub(super) async fn discover(client: &Client, issuer: &str) -> Result<Metadata, String> {
    let place = issuer.trim_end_matches('/');
    let found: Metadata = fetch(client.get(format!("{place}/.well-known/openid-configuration"))).await?;
    if found.issuer.trim_end_matches('/') != place {
        return Err(format!("it calls itself `{}`", found.issuer));
    }
    let endpoints = [&found.authorization_endpoint, &found.token_endpoint, &found.jwks_uri];
    for endpoint in endpoints.into_iter().chain(&found.userinfo_endpoint) {
        let fits = endpoint.starts_with("https://") || issuer.starts_with("http://") && endpoint.starts_with("http://");
        if !fits {
            return Err(format!("it names `{endpoint}`, which is no https address"));
        }
    }
    Ok(found)
}

impl Metadata {
    /// Swaps a code for tokens.
    pub(super) async fn exchange(
        &self,
        client: &Client,
        us: &Credentials<'_>,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Tokens, String> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect_uri),
        ];
        let methods = &self.token_endpoint_auth_methods_supported;
        let takes = |name: &str| methods.iter().any(|method| method == name);
        let mut request = client.post(&self.token_endpoint).header("accept", "application/json");
        match us.secret {
            // The specification's default, where a provider does not say.
            Some(secret) if methods.is_empty() || takes("client_secret_basic") => {
                request = request.basic_auth(encode(us.id), Some(encode(secret)));
            }
            Some(secret) => form.extend([("client_id", us.id), ("client_secret", secret)]),
            None => form.push(("client_id", us.id)),
        }
        let body: Vec<String> = form.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        request = request.header("content-type", "application/x-www-form-urlencoded").body(body.join("&"));
        fetch(request).await
    }

    /// The keys that the provider signs with.
    pub(super) async fn keys(&self, client: &Client) -> Result<KeySet, String> {
        fetch(client.get(&self.jwks_uri)).await
    }

    /// What else the provider says about the person; nothing where it has no such page.
    pub(super) async fn userinfo(&self, client: &Client, access_token: &str) -> Result<Map<String, Value>, String> {
        match &self.userinfo_endpoint {
            Some(endpoint) if !access_token.is_empty() => fetch(client.get(endpoint).bearer_auth(access_token)).await,
            _ => Ok(Map::new()),
        }
    }
}

/// Sends a request and reads JSON. What the provider wrote is not repeated but for its word for an error.
async fn fetch<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, String> {
    let mut answer = request.send().await.map_err(|error| describe(&error))?;
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| describe(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > LONGEST {
            return Err(format!("{} answers with more than {LONGEST} bytes", answer.url().path()));
        }
    }
    let (status, path) = (answer.status(), answer.url().path().to_owned());
    if !status.is_success() {
        let said: Option<Value> = serde_json::from_slice(&body).ok();
        let word = said.as_ref().and_then(|said| said.get("error")?.as_str()).unwrap_or_default();
        let word: String = word.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
        return Err(format!("{path} answers {status} {word}").trim_end().to_owned());
    }
    serde_json::from_slice(&body).map_err(|error| format!("{path} answers with something else: {error}"))
}

fn describe(error: &reqwest::Error) -> String {
    let path = error.url().map_or("it", |url| url.path()).to_owned();
    let source = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    format!("{path} cannot be reached: {source}")
}

/// A word in an address or a form.
pub(super) fn encode(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for byte in word.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

const DEADLINE: Duration = Duration::from_secs(10);
const LONGEST: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_an_address_is_escaped() {
        assert_eq!(encode("openid email~a-b_c.d"), "openid%20email~a-b_c.d");
        assert_eq!(encode("https://a/?b=c&d"), "https%3A%2F%2Fa%2F%3Fb%3Dc%26d");
    }
}
