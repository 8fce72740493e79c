//! What may be written in a configuration file about agents and their tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[mcp.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMcp {
    /// The program that speaks MCP on its standard input and output.
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its variables, beside ours.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Where it is started.
    pub cwd: Option<String>,
    /// Or the address of a server that speaks MCP over HTTP.
    pub url: Option<String>,
    /// What is sent with each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The same, from variables.
    #[serde(default)]
    pub header_env: BTreeMap<String, String>,
    /// How its users sign in.
    pub oauth: Option<RawOauth>,
    /// What becomes of its questions to the user: `refuse` or `defaults`.
    pub questions: Option<String>,
    /// Whether it is guarded for other clients too, at `/mcp/NAME`.
    pub guard: Option<bool>,
    /// What is before the names of its tools.
    pub prefix: Option<String>,
    /// Which of its tools; `*` stands for anything.
    pub tools: Option<Vec<String>>,
    /// Which of them only read, by your word.
    #[serde(default)]
    pub reads: Vec<String>,
    /// How long a call may take.
    pub timeout: Option<String>,
    /// How much of a result is kept.
    pub output: Option<String>,
    /// How many calls at once.
    pub parallel: Option<u64>,
}

/// `oauth` of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOauth {
    /// `authorization_code` or `client_credentials`.
    pub grant: Option<String>,
    /// Our name at its authorization server, where it was registered by hand.
    pub client_id: Option<String>,
    /// The variable that holds the secret that goes with it.
    pub client_secret_env: Option<String>,
    /// The address of a document that describes us.
    pub client_metadata_url: Option<String>,
    /// The scopes to ask for.
    #[serde(default)]
    pub scopes: Vec<String>,
}

/// `[openapi.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawOpenApi {
    /// The document: a file, or an http or https address.
    pub document: String,
    /// Where the service is.
    pub base: Option<String>,
    /// Which operations, by their ids; `*` stands for anything.
    pub operations: Option<Vec<String>>,
    /// What is before the names of its tools.
    pub prefix: Option<String>,
    /// What is sent with each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The same, from variables.
    #[serde(default)]
    pub header_env: BTreeMap<String, String>,
    /// Which operations only read, beside GET and HEAD.
    #[serde(default)]
    pub reads: Vec<String>,
    /// How long a call may take.
    pub timeout: Option<String>,
    /// How much of a result is kept.
    pub output: Option<String>,
    /// How many calls at once.
    pub parallel: Option<u64>,
}

/// `[search]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSearch {
    /// Where to search.
    pub url: Option<String>,
    /// `searxng` or `generic`.
    pub kind: Option<String>,
    /// `GET` or `POST`.
    pub method: Option<String>,
    /// The parameter or field of the query.
    pub query: Option<String>,
    /// Where the list of results stands in the answer.
    pub results: Option<String>,
    /// Where the title is in a result.
    pub title: Option<String>,
    /// Where the link is.
    pub link: Option<String>,
    /// Where the text is.
    pub content: Option<String>,
    /// Where the picture is.
    pub icon: Option<String>,
    /// Where the date is.
    pub publish_date: Option<String>,
    /// What is sent with each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The same, from variables.
    #[serde(default)]
    pub header_env: BTreeMap<String, String>,
    /// How many results are kept.
    pub limit: Option<u64>,
    /// How long a search may take.
    pub timeout: Option<String>,
}

/// `[agents.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAgent {
    /// `concierge`, `react` or `rewoo`.
    pub protocol: Option<String>,
    /// What it is told.
    pub prompt: Option<RawPrompt>,
    /// Which tools it has; `*` stands for anything.
    pub tools: Option<Vec<String>>,
    /// Which model it asks.
    pub model: Option<String>,
    /// How often the model is asked in one turn.
    pub rounds: Option<u64>,
    /// How many tools run at once.
    pub parallel: Option<u64>,
    /// How long its turn may take.
    pub time: Option<String>,
    /// Whom it delegates to.
    pub delegate: Option<String>,
}

/// A file for both languages, or one for each.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "write it as prompt = \"FILE\" or prompt = { en = \"FILE\", zh = \"FILE\" }")]
pub(crate) enum RawPrompt {
    /// One for both.
    File(String),
    /// One for each.
    Files(RawPrompts),
}

/// A file for each language; the other one's where one is absent.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPrompts {
    /// In English.
    pub en: Option<String>,
    /// In Chinese.
    pub zh: Option<String>,
}
