//! Where tools come from: MCP servers and HTTP services.

use super::checks::{Invalid, MOMENT, SettingPath, Valid, address, size, span};
use super::document::read_document_file;
use super::raw_agents::{RawMcp, RawOauth, RawOpenApi};
use countersign_runtime::tools::{Grant, Limits, McpOptions, McpTransport, OpenApiOptions, Questions, SignIn};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An HTTP service whose operations are tools.
#[derive(Debug, Clone)]
pub(crate) struct OpenApi {
    /// What is known of it. Its document is null while it is elsewhere.
    pub options: OpenApiOptions,
    /// The address of the document, where it is no file.
    pub elsewhere: Option<String>,
}

/// Checks MCP servers.
pub(super) fn mcp(raw: BTreeMap<String, RawMcp>, tokens: Option<&Path>) -> Valid<Vec<McpOptions>> {
    raw.into_iter().map(|(name, raw)| one_mcp(name, raw, tokens)).collect()
}

/// The names of the MCP servers that are guarded for others.
pub(super) fn guarded_mcp(raw: &BTreeMap<String, RawMcp>) -> Valid<Vec<String>> {
    let wanted = raw.iter().filter(|(_, raw)| raw.guard == Some(true));
    wanted
        .map(|(name, raw)| match raw.url {
            Some(_) => Ok(name.clone()),
            None => Err(Invalid {
                path: format!("mcp.{name}.guard").into(),
                message: "only a server with `url` is guarded at /mcp/NAME".to_owned(),
                help: Some("a program is guarded where its client starts it: countersign mcp -- COMMAND".to_owned()),
            }),
        })
        .collect()
}

/// Checks HTTP services.
pub(super) fn openapi(raw: BTreeMap<String, RawOpenApi>) -> Valid<Vec<OpenApi>> {
    raw.into_iter().map(|(name, raw)| one_openapi(name, raw)).collect()
}

fn one_mcp(name: String, raw: RawMcp, tokens: Option<&Path>) -> Valid<McpOptions> {
    let at = format!("mcp.{name}");
    check_name(&at, &name)?;
    let RawMcp { prefix, tools, reads, timeout, output, parallel, .. } = raw.clone();
    let rest = Rest { prefix, tools, reads, timeout, output, parallel, list: "tools" };
    let offer = rest.offer(&at, &name)?;
    let oauth = raw.oauth.iter().count();
    let (mut sign_in, questions) = (sign_in(&at, raw.oauth, tokens)?, questions(&at, raw.questions.as_deref())?);
    let transport = match (raw.command, raw.url) {
        (Some(command), None) => {
            let sent = [("headers", raw.headers.len()), ("header_env", raw.header_env.len()), ("oauth", oauth)];
            stray(&at, sent, "url")?;
            sign_in = None;
            check_filled(format!("{at}.command"), &command)?;
            let env = variables(&at, raw.env)?;
            McpTransport::Child { command, args: raw.args, env, cwd: raw.cwd.map(PathBuf::from) }
        }
        (None, Some(url)) => {
            let started = [("args", raw.args.len()), ("env", raw.env.len()), ("cwd", raw.cwd.iter().count())];
            stray(&at, started, "command")?;
            // Checked only: what follows the last slash may matter.
            address(format!("{at}.url"), Some(url.clone()))?;
            let headers = headers(&at, raw.headers, raw.header_env)?;
            // A key that is written down is what counts.
            sign_in = sign_in.filter(|_| !headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")));
            McpTransport::Http { url, headers }
        }
        (None, None) => {
            let message = "it has neither `command` nor `url`".to_owned();
            let help = "`command` starts a server here, `url` reaches one over HTTP".to_owned();
            return Err(Invalid { path: at.into(), message, help: Some(help) });
        }
        (Some(_), Some(_)) => {
            let message = "it has both `command` and `url`".to_owned();
            return Err(Invalid { path: format!("{at}.url").into(), message, help: Some("take one out".to_owned()) });
        }
    };
    let Offer { prefix, tools, reads, limits, parallel } = offer;
    Ok(McpOptions { name, transport, prefix, tools, reads, limits, parallel, sign_in, questions })
}

/// How users of a server sign in; nothing where there is no folder to keep tokens in.
fn sign_in(at: &str, raw: Option<RawOauth>, tokens: Option<&Path>) -> Valid<Option<SignIn>> {
    let RawOauth { grant, client_id, client_secret_env, client_metadata_url, scopes } = raw.unwrap_or_default();
    let wrong = |key: &str, message: String, help: &str| Invalid {
        path: format!("{at}.oauth.{key}").into(),
        message,
        help: Some(help.to_owned()),
    };
    let grant = match grant.as_deref() {
        None | Some("authorization_code") => Grant::AuthorizationCode,
        Some("client_credentials") => Grant::ClientCredentials,
        Some(other) => {
            let message = format!("there is no grant `{other}`");
            return Err(wrong("grant", message, "choose authorization_code or client_credentials"));
        }
    };
    let secret = |variable: String| {
        let value = std::env::var(&variable).unwrap_or_default().trim().to_owned();
        let message = format!("the variable {variable}, which holds the secret, is not set");
        let help = format!("set it: {variable}=… countersign serve");
        if value.is_empty() { Err(wrong("client_secret_env", message, &help)) } else { Ok(value) }
    };
    let client_secret = client_secret_env.map(secret).transpose()?;
    if client_id.is_none() && (client_secret.is_some() || grant == Grant::ClientCredentials) {
        return Err(wrong("client_id", "it is needed here".to_owned(), "the authorization server gives it out"));
    }
    if client_secret.is_none() && grant == Grant::ClientCredentials {
        let help = "name the variable that holds the secret";
        return Err(wrong("client_secret_env", "it is needed here".to_owned(), help));
    }
    let folder = tokens.map(Path::to_path_buf);
    Ok(folder.map(|folder| SignIn { folder, grant, client_id, client_secret, client_metadata_url, scopes }))
}

fn questions(at: &str, word: Option<&str>) -> Valid<Questions> {
    match word {
        None | Some("refuse") => Ok(Questions::Refuse),
        Some("defaults") => Ok(Questions::Defaults),
        Some(other) => Err(Invalid {
            path: format!("{at}.questions").into(),
            message: format!("`{other}` is no way to answer questions"),
            help: Some("choose refuse or defaults".to_owned()),
        }),
    }
}

fn one_openapi(name: String, raw: RawOpenApi) -> Valid<OpenApi> {
    let at = format!("openapi.{name}");
    check_name(&at, &name)?;
    let RawOpenApi { prefix, operations: tools, reads, timeout, output, parallel, .. } = raw;
    let rest = Rest { prefix, tools, reads, timeout, output, parallel, list: "operations" };
    let offer = rest.offer(&at, &name)?;
    let (document, elsewhere) = document(&at, raw.document)?;
    let base = address(format!("{at}.base"), raw.base)?;
    let headers = headers(&at, raw.headers, raw.header_env)?;
    let Offer { prefix, tools: operations, reads, limits, parallel } = offer;
    let options = OpenApiOptions { name, document, base, operations, prefix, headers, reads, limits, parallel };
    Ok(OpenApi { options, elsewhere })
}

/// A document in a file is read at once; one that is elsewhere when the server starts.
fn document(at: &str, place: String) -> Valid<(Value, Option<String>)> {
    let path = format!("{at}.document");
    check_filled(path.clone(), &place)?;
    if place.contains("://") {
        address(path, Some(place.clone()))?;
        return Ok((Value::Null, Some(place)));
    }
    match read_document_file(Path::new(&place)) {
        Ok(document) => Ok((document, None)),
        Err(reason) => Err(Invalid {
            path: path.into(),
            message: format!("{place}: {reason}"),
            help: Some("name an OpenAPI document, JSON or YAML: a file beside this one, or an http address".to_owned()),
        }),
    }
}

/// What the tools of a source are called, and what they may do.
struct Offer {
    prefix: String,
    tools: Vec<String>,
    reads: Vec<String>,
    limits: Limits,
    parallel: usize,
}

/// What both kinds of sources have.
struct Rest {
    prefix: Option<String>,
    tools: Option<Vec<String>>,
    reads: Vec<String>,
    timeout: Option<String>,
    output: Option<String>,
    parallel: Option<u64>,
    /// How the list of tools is called.
    list: &'static str,
}

impl Rest {
    fn offer(self, at: &str, name: &str) -> Valid<Offer> {
        let prefix = self.prefix.unwrap_or_else(|| format!("{name}__"));
        if prefix.len() > LONGEST_NAME || !prefix.chars().all(is_plain) {
            let message = format!("`{prefix}` cannot begin the name of a tool");
            return Err(Invalid { path: format!("{at}.prefix").into(), message, help: Some(PLAIN.to_owned()) });
        }
        let tools = self.tools.unwrap_or_else(|| vec!["*".to_owned()]);
        patterns(&format!("{at}.{}", self.list), &tools)?;
        patterns(&format!("{at}.reads"), &self.reads)?;
        let usual = Limits::default();
        let timeout = self.timeout.map(|text| span(format!("{at}.timeout"), &text, MOMENT)).transpose()?;
        let output = self.output.map(|text| size(format!("{at}.output"), &text)).transpose()?;
        let output = output.map_or(usual.output, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if !(LEAST_OUTPUT..=MOST_OUTPUT).contains(&output) {
            let message = format!("{output} bytes must be from 1KiB to 16MiB");
            return Err(Invalid { path: format!("{at}.output").into(), message, help: None });
        }
        let limits = Limits { timeout: timeout.unwrap_or(usual.timeout), output };
        let parallel = count(format!("{at}.parallel"), self.parallel, 4, MOST_PARALLEL)?;
        Ok(Offer { prefix, tools, reads: self.reads, limits, parallel })
    }
}

/// Names and values.
type Words = BTreeMap<String, String>;

/// Headers, written out or taken from variables.
pub(super) fn headers(at: &str, written: Words, from: Words) -> Valid<Words> {
    let mut all = Words::new();
    for (name, value) in written {
        let path = format!("{at}.headers.{name}");
        all.insert(header(&path, &name, &value)?, value);
    }
    for (name, variable) in from {
        let path = format!("{at}.header_env.{name}");
        let value = std::env::var(&variable).unwrap_or_default().trim().to_owned();
        if value.is_empty() {
            let message = format!("the variable {variable}, which holds the header `{name}`, is not set");
            let help = format!("set it: {variable}=… countersign serve");
            return Err(Invalid { path: path.into(), message, help: Some(help) });
        }
        let name = header(&path, &name, &value)?;
        if all.insert(name.clone(), value).is_some() {
            let message = format!("the header `{name}` is written in `headers` too");
            return Err(Invalid { path: path.into(), message, help: Some("take one out".to_owned()) });
        }
    }
    Ok(all)
}

/// The name of a header, after a look at both parts. The value is not repeated: it may be a secret.
fn header(path: &str, name: &str, value: &str) -> Valid<String> {
    let invalid = |message: String| Invalid { path: path.to_owned().into(), message, help: None };
    let known = HeaderName::try_from(name).map_err(|_| invalid(format!("`{name}` is no name of a header")))?;
    HeaderValue::from_str(value).map_err(|_| invalid(format!("the value of `{name}` cannot be sent in a header")))?;
    Ok(known.as_str().to_owned())
}

fn variables(at: &str, env: Words) -> Valid<Words> {
    if let Some(name) = env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        let message = format!("`{name}` is no name of a variable");
        return Err(Invalid { path: format!("{at}.env").into(), message, help: None });
    }
    Ok(env)
}

/// Keys that mean nothing without another one, with how often each was written.
fn stray<const N: usize>(at: &str, keys: [(&str, usize); N], needs: &str) -> Valid<()> {
    let Some((key, _)) = keys.into_iter().find(|(_, written)| *written > 0) else { return Ok(()) };
    let message = format!("`{key}` means something only beside `{needs}`");
    Err(Invalid { path: format!("{at}.{key}").into(), message, help: Some(format!("take `{key}` out")) })
}

/// A name that can be in the names of tools.
pub(super) fn check_name(at: &str, name: &str) -> Valid<()> {
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
        return Ok(());
    }
    let message = format!("`{name}` cannot be a name here");
    Err(Invalid { path: at.to_owned().into(), message, help: Some(PLAIN.to_owned()) })
}

pub(super) fn patterns(path: &str, patterns: &[String]) -> Valid<()> {
    if patterns.iter().all(|pattern| !pattern.trim().is_empty()) {
        return Ok(());
    }
    let message = "a pattern must not be empty".to_owned();
    Err(Invalid { path: path.to_owned().into(), message, help: Some("`*` stands for anything".to_owned()) })
}

pub(super) fn check_filled(path: impl Into<SettingPath>, text: &str) -> Valid<()> {
    if text.trim().is_empty() {
        return Err(Invalid { path: path.into(), message: "it must not be empty".to_owned(), help: None });
    }
    Ok(())
}

/// A number from 1 to the most that makes sense.
pub(super) fn count(path: impl Into<SettingPath>, asked: Option<u64>, usual: usize, most: usize) -> Valid<usize> {
    let Some(asked) = asked else { return Ok(usual) };
    match usize::try_from(asked) {
        Ok(count) if (1..=most).contains(&count) => Ok(count),
        _ => Err(Invalid { path: path.into(), message: format!("{asked} must be from 1 to {most}"), help: None }),
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

const PLAIN: &str = "use at most 40 letters, digits, `_` and `-`";
const LONGEST_NAME: usize = 40;
const LEAST_OUTPUT: usize = 1024;
const MOST_OUTPUT: usize = 16 * 1024 * 1024;
const MOST_PARALLEL: usize = 256;
