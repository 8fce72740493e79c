//! Where the server is: where it was said to be, on this machine, or in this process.

use super::api::{Api, USUAL};
use crate::args::{ChatArgs, ConfigArgs};
use crate::config::{DataDir, Layers};
use crate::failure::{Failure, tell};
use crate::serve::Running;

/// A server to talk to.
pub(super) struct ServerHandle {
    /// How it is asked.
    pub api: Api,
    /// The one in this process, where there is none elsewhere.
    pub own: Option<Running>,
    /// Whether a conversation outlives the server.
    pub keeping: Keeping,
    /// What finds it again on the command line, each with a blank before it: ` --url URL`, ` --config FILE`.
    pub options: String,
}

/// Whether conversations are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    /// They are.
    Kept,
    /// They end with this process.
    Forgotten,
}

/// Finds the server, or starts one.
pub(super) async fn find(args: &ChatArgs) -> Result<ServerHandle, Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let key = key(args)?;
    let address = args.url.as_deref().unwrap_or(USUAL);
    let api = Api::new(address, key.clone())?;
    let options = options(args);
    if args.url.is_some() || (args.config.is_none() && api.is_alive().await) {
        return Ok(ServerHandle { api, own: None, keeping: Keeping::Kept, options });
    }
    let (config, source) = config(args)?;
    let keeping = if config.data_dir == DataDir::Memory { Keeping::Forgotten } else { Keeping::Kept };
    let model = if config.upstream.openai.is_some() { "its upstream" } else { "the built-in demo model" };
    // This process alone reaches it, over loopback.
    let own = Running::start(crate::config::Config { tls: None, ..config }).await?;
    tell(&format!("countersign: {source}; one runs in this process, and {model} answers"));
    Ok(ServerHandle { api: Api::new(&format!("http://{}", own.address), key)?, own: Some(own), keeping, options })
}

/// The options that lead to the same server again, as a shell reads them.
fn options(args: &ChatArgs) -> String {
    let config = args.config.as_ref().map(|file| file.display().to_string());
    let named = [("--url", args.url.as_ref()), ("--config", config.as_ref()), ("--key-env", args.key_env.as_ref())];
    named.iter().filter_map(|(name, value)| Some(format!(" {name} {}", quote((*value)?)))).collect()
}

/// A word as a shell reads it.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,[]".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The settings of a server in this process: the user's, on a free port, and in memory where no folder is named.
fn config(args: &ChatArgs) -> Result<(crate::config::Config, String), Failure> {
    let asked =
        ConfigArgs { config: args.config.clone(), listen: Some("127.0.0.1:0".to_owned()), ..ConfigArgs::default() };
    let environment = |name: &str| std::env::var(name).ok();
    let layers = Layers::read(&asked, &environment)?;
    let source = match &args.config {
        Some(file) => format!("a server after {}", file.display()),
        None => format!("no server answers at {USUAL}"),
    };
    if layers.source("data_dir").is_some() {
        return Ok((layers.config()?, source));
    }
    let asked = ConfigArgs { data_dir: Some(":memory:".to_owned()), ..asked };
    Ok((Layers::read(&asked, &environment)?.config()?, source))
}

fn key(args: &ChatArgs) -> Result<Option<String>, Failure> {
    let variable = |name: &str| std::env::var(name).ok().filter(|key| !key.trim().is_empty());
    match &args.key_env {
        Some(name) => match variable(name) {
            Some(key) => Ok(Some(key)),
            None => Err(Failure::with_help(
                format!("the variable {name}, which holds the key, is not set"),
                "`countersign keys create` makes a key",
            )),
        },
        None => Ok(KEYS.iter().find_map(|name| variable(name))),
    }
}

const KEYS: &[&str] = &["COUNTERSIGN_KEY", "COUNTERSIGN_API_KEY"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_cut_it() {
        let words = ["own.toml", "my files/own.toml", "it's", ""].map(quote);
        assert_eq!(words, ["own.toml", "'my files/own.toml'", "'it'\\''s'", "''"]);
    }
}
