//! What the operator says of an MCP server.

use super::super::tool::Limits;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An MCP server and what is known of it.
#[derive(Clone, PartialEq, Eq)]
pub struct McpOptions {
    /// What the operator calls it; its tools come from `mcp:NAME`.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// What is before the names of its tools.
    pub prefix: String,
    /// The tools that are offered, by the server's own names, with `*` for anything. None for all.
    pub tools: Vec<String>,
    /// The tools that only read, by the word of the operator, with `*` for anything.
    pub reads: Vec<String>,
    /// How long a call may take, and how much of its result is kept.
    pub limits: Limits,
    /// How many calls run at once; at least one.
    pub parallel: usize,
    /// How its users sign in; only servers over HTTP have it, and not those whose requests carry a key already.
    pub sign_in: Option<SignIn>,
    /// What becomes of its questions to the user.
    pub questions: Questions,
}

/// What becomes of a server's questions to the user while nobody is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Questions {
    /// It is told that nobody can be asked.
    #[default]
    Refuse,
    /// A form is answered with the values that the server itself suggests, where it suggests one for all that it needs.
    Defaults,
}

/// How the users of a server sign in.
#[derive(Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Where tokens are kept.
    pub folder: PathBuf,
    /// Who signs in.
    pub grant: Grant,
    /// Our name at the authorization server, where it was registered by hand.
    pub client_id: Option<String>,
    /// The secret that goes with it.
    pub client_secret: Option<String>,
    /// The address of a document that describes us, for authorization servers that take one for a name.
    pub client_metadata_url: Option<String>,
    /// The scopes to ask for; none for those that the server names.
    pub scopes: Vec<String>,
}

/// Who signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grant {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// This program, with its own name and secret.
    ClientCredentials,
}

impl SignIn {
    /// A person signs in, as a client that registers itself.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let (grant, client_id, client_secret, client_metadata_url, scopes) = Default::default();
        Self { folder: folder.into(), grant, client_id, client_secret, client_metadata_url, scopes }
    }
}

/// How an MCP server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// It is a program that is started here and speaks on its standard input and output.
    Child {
        /// The program.
        command: String,
        /// What it is started with.
        args: Vec<String>,
        /// Its environment, beside a few variables that harm nobody (`PATH`, `HOME` and the like).
        env: BTreeMap<String, String>,
        /// The folder it is started in.
        cwd: Option<PathBuf>,
    },
    /// It speaks streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// What every request carries.
        headers: BTreeMap<String, String>,
    },
}

impl McpTransport {
    /// A text in which the address does not stand: it may carry a key.
    pub(super) fn without_address(&self, text: &str) -> String {
        let Self::Http { url, .. } = self else { return text.chars().take(LONGEST_REASON).collect() };
        let parsed = reqwest::Url::parse(url).map(String::from).unwrap_or_else(|_| url.clone());
        let text = text.replace(parsed.as_str(), "its address").replace(url.as_str(), "its address");
        text.chars().take(LONGEST_REASON).collect()
    }
}

impl McpOptions {
    /// A server with the usual prefix, all its tools, and the usual limits.
    pub fn new(name: impl Into<String>, transport: McpTransport) -> Self {
        let name = name.into();
        let prefix = format!("{name}__");
        let (tools, reads, limits) = (Vec::new(), Vec::new(), Limits::default());
        let (sign_in, questions) = Default::default();
        Self { name, transport, prefix, tools, reads, limits, parallel: PARALLEL, sign_in, questions }
    }
}

/// Environments and headers carry secrets: they are never printed.
impl std::fmt::Debug for McpOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("McpOptions").field("name", &self.name).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

/// How many calls run at once where nobody says.
const PARALLEL: usize = 4;
/// How much of a reason is told, in characters.
const LONGEST_REASON: usize = 400;
