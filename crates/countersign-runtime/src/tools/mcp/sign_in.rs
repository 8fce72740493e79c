//! Signing in to a server (OAuth 2.1 with PKCE): its authorization server is found, a person agrees in a browser, and the
//! browser comes back to a loopback address with a code for tokens. Programs sign in with a client's own credentials.

use super::super::http::http_client;
use super::options::{Grant, McpOptions, McpTransport, SignIn};
use super::tokens::{Kept, KeptClient, TokenFile};
use reqwest::header::{ACCEPT, WWW_AUTHENTICATE};
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, ClientCredentialsConfig, OAuthClientConfig,
};
use serde_json::json;

/// Somebody who is on their way to sign in.
pub struct SigningIn {
    manager: AuthorizationManager,
    address: String,
    client: OAuthClientConfig,
    file: TokenFile,
}

impl SigningIn {
    /// Begins: finds who is asked, says who we are, and makes the address that a person opens. `redirect` is where the
    /// browser comes back to; `more` are scopes beside those that are known to be needed.
    pub async fn begin(options: &McpOptions, redirect: &str, more: &[String]) -> Result<Self, String> {
        let (url, sign_in) = place(options)?;
        let file = TokenFile::of(sign_in, &options.name, url);
        let kept = file.read().map_err(|error| error.to_string())?;
        let mut manager = AuthorizationManager::new(url).await.map_err(told)?;
        let challenge = challenge(url).await?;
        let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await.map_err(told)?;
        manager.set_metadata(found.metadata.clone());
        let scopes = scopes(&manager, sign_in, &kept, more, found.metadata.scopes_supported.as_deref()).await;
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let by_address = found.metadata.additional_fields.get("client_id_metadata_document_supported");
        let by_address = sign_in.client_metadata_url.as_ref().filter(|_| by_address == Some(&json!(true)));
        let client = match (&sign_in.client_id, by_address) {
            (Some(id), _) => with_secret(OAuthClientConfig::new(id, redirect), sign_in.client_secret.clone()),
            (None, Some(id)) => OAuthClientConfig::new(id, redirect),
            (None, None) => manager.register_client("Countersign", redirect, &names).await.map_err(told)?,
        };
        manager.configure_client(client.clone()).map_err(told)?;
        let address = manager.get_authorization_url(&names).await.map_err(told)?;
        manager.set_credential_store(file.clone());
        file.update(|kept| kept.metadata = Some(found.metadata)).map_err(|error| error.to_string())?;
        Ok(Self { manager, address, client, file })
    }

    /// What a person opens in a browser.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Ends it with the address that the browser came back to. The tokens are kept.
    pub async fn finish(self, came_back: &str) -> Result<(), String> {
        if let Some(why) = refusal(came_back) {
            return Err(format!("the authorization server said no: {why}"));
        }
        let came = AuthorizationCallback::from_redirect_url(came_back).map_err(told)?;
        let issuer = came.issuer.as_deref();
        let exchanging = self.manager.exchange_code_for_token_with_issuer(&came.code, &came.csrf_token, issuer);
        exchanging.await.map_err(told)?;
        let OAuthClientConfig { client_id: id, client_secret: secret, redirect_uri: redirect, .. } = self.client;
        let change = |kept: &mut Kept| {
            kept.client = Some(KeptClient { id, secret, redirect });
            kept.wanted.clear();
        };
        self.file.update(change).map_err(|error| error.to_string())
    }
}

/// Forgets the tokens of a server; says whether there were any.
pub fn sign_out(options: &McpOptions) -> Result<bool, String> {
    let (url, sign_in) = place(options)?;
    TokenFile::of(sign_in, &options.name, url).remove().map_err(|error| error.to_string())
}

/// Who adds tokens to the requests of a server, and renews them. Without tokens, requests go as they are.
pub(super) async fn authorize(
    sign_in: &SignIn,
    file: &TokenFile,
    url: &str,
) -> Result<Option<AuthorizationManager>, String> {
    let kept = file.read().map_err(|error| error.to_string())?;
    if sign_in.grant == Grant::ClientCredentials {
        return by_credentials(sign_in, file, url).await.map(Some);
    }
    let (Some(client), Some(metadata), Some(_)) = (kept.client, kept.metadata, kept.credentials) else {
        return Ok(None);
    };
    let mut manager = AuthorizationManager::new(url).await.map_err(told)?;
    manager.set_metadata(metadata);
    let config = with_secret(OAuthClientConfig::new(client.id, client.redirect), client.secret);
    manager.configure_client(config).map_err(told)?;
    manager.set_credential_store(file.clone());
    Ok(Some(manager))
}

async fn by_credentials(sign_in: &SignIn, file: &TokenFile, url: &str) -> Result<AuthorizationManager, String> {
    let mut manager = AuthorizationManager::new(url).await.map_err(told)?;
    let challenge = challenge(url).await?;
    let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await.map_err(told)?;
    manager.set_metadata(found.metadata);
    manager.set_credential_store(file.clone());
    let scopes = match sign_in.scopes.is_empty() {
        true => manager.select_initial_scopes(&[]).await,
        false => sign_in.scopes.clone(),
    };
    let config = ClientCredentialsConfig::ClientSecret {
        client_id: sign_in.client_id.clone().unwrap_or_default(),
        client_secret: sign_in.client_secret.clone().unwrap_or_default(),
        scopes,
        resource: Some(url.to_owned()),
    };
    manager.configure_client_credentials(&config).map_err(told)?;
    manager.exchange_client_credentials(&config).await.map_err(told)?;
    Ok(manager)
}

/// What a server says to somebody whom it does not know.
async fn challenge(url: &str) -> Result<Option<String>, String> {
    let client = http_client().map_err(|error| error.to_string())?;
    let question = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
    let asked = client.post(url).header(ACCEPT, "application/json, text/event-stream").json(&question).send().await;
    let answer = asked.map_err(|error| format!("the server cannot be reached: {}", error.without_url()))?;
    let named = answer.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    Ok(named.map(str::to_owned))
}

/// The scopes to ask for: those of the operator and those that the server wanted since, beside those that were granted;
/// else what the server names by itself.
async fn scopes(
    manager: &AuthorizationManager,
    sign_in: &SignIn,
    kept: &Kept,
    more: &[String],
    offered: Option<&[String]>,
) -> Vec<String> {
    let asked: Vec<String> = sign_in.scopes.iter().chain(&kept.wanted).chain(more).cloned().collect();
    if asked.is_empty() {
        return manager.select_initial_scopes(&[]).await;
    }
    let granted = kept.credentials.iter().flat_map(|credentials| credentials.granted_scopes.clone());
    let refreshing = offered.unwrap_or_default().iter().filter(|scope| *scope == "offline_access").cloned();
    let mut all: Vec<String> = Vec::new();
    for scope in granted.chain(asked).chain(refreshing) {
        if !all.contains(&scope) {
            all.push(scope);
        }
    }
    all
}

fn place(options: &McpOptions) -> Result<(&str, &SignIn), String> {
    match (&options.transport, &options.sign_in) {
        (McpTransport::Http { url, .. }, Some(sign_in)) => Ok((url, sign_in)),
        (McpTransport::Http { .. }, None) => Err("its requests carry an `authorization` of their own".to_owned()),
        (McpTransport::Child { .. }, _) => Err("it is a program: only servers with `url` are signed in to".to_owned()),
    }
}

fn with_secret(config: OAuthClientConfig, secret: Option<String>) -> OAuthClientConfig {
    match secret {
        Some(secret) => config.with_client_secret(secret),
        None => config,
    }
}

/// Why the browser came back without a code.
fn refusal(came_back: &str) -> Option<String> {
    let url = reqwest::Url::parse(came_back).ok()?;
    let word = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let error = word("error")?;
    Some(
        word("error_description").map_or(error.clone(), |more| format!("{error} ({more})")).chars().take(300).collect(),
    )
}

fn told(error: AuthError) -> String {
    error.to_string().chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_from_a_code() {
        assert_eq!(refusal("http://127.0.0.1:1/callback?code=a&state=b"), None);
        let said = refusal("http://127.0.0.1:1/callback?error=access_denied&error_description=not%20you&state=b");
        assert_eq!(said.as_deref(), Some("access_denied (not you)"));
    }
}
