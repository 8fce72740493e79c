//! `countersign keys`: make, list and revoke API keys.
//!
//! Keys lie in a file of their own, or with several nodes in the record that they share, so this works beside a running
//! server, which sees the change within two seconds.

use super::print;
use crate::args::{ConfigArgs, KeyScope, KeysArgs, KeysCommand};
use crate::config::{self, DataDir};
use crate::failure::Failure;
use crate::serve::keys::{FileKeys, Key, KeySource, RecordKeys, Scope, make};
use countersign_runtime::store::postgres::PostgresStore;
use jiff::Timestamp;
use std::sync::Arc;

/// Runs one of the commands.
pub(crate) fn run(args: KeysArgs) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(error.to_string()))?;
    runtime.block_on(async {
        match args.command {
            KeysCommand::Create { name, scope, config } => create(&open(&config).await?, &name, &scope).await,
            KeysCommand::List { config } => list(&open(&config).await?).await,
            KeysCommand::Revoke { key, config } => revoke(&open(&config).await?, &key).await,
        }
    })
}

async fn open(args: &ConfigArgs) -> Result<Arc<dyn KeySource>, Failure> {
    let config = config::load(args)?;
    if let Some(url) = &config.postgres_url {
        let shared = PostgresStore::connect(url.expose()).await;
        let shared = shared.map_err(|error| Failure::with_help(error.to_string(), "check `stores.postgres_url`"))?;
        return Ok(Arc::new(RecordKeys::new(shared)));
    }
    match config.data_dir {
        DataDir::Folder(folder) => Ok(Arc::new(FileKeys::in_folder(&folder))),
        DataDir::Memory => Err(Failure::with_help(
            "keys cannot be kept in `:memory:`",
            "name a folder with --data-dir, or start the server with COUNTERSIGN_API_KEYS",
        )),
    }
}

async fn create(keys: &Arc<dyn KeySource>, name: &str, scopes: &[KeyScope]) -> Result<u8, Failure> {
    let scopes = scopes.iter().copied().map(Scope::from).collect();
    let made = make(name, scopes, &now());
    let (word, key) = made.map_err(|error| Failure::Internal(format!("no random numbers: {error}")))?;
    let id = key.id.clone();
    keys.add(key).await.map_err(Failure::unusable)?;
    crate::failure::tell(&format!("countersign: made {id}; this is the only time that it is shown"));
    print(&format!("{word}\n")).map(|()| 0)
}

async fn list(keys: &Arc<dyn KeySource>) -> Result<u8, Failure> {
    let mut out = String::new();
    for key in keys.load().await.map_err(Failure::unusable)?.unwrap_or_default() {
        let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.name()).collect();
        let state = key.revoked_at.as_ref().map_or_else(|| "valid".to_owned(), |at| format!("revoked {at}"));
        out.push_str(&format!("{}\t{}\t{}\t{}\t{state}\n", key.id, key.name, scopes.join(","), key.created_at));
    }
    print(&out).map(|()| 0)
}

async fn revoke(keys: &Arc<dyn KeySource>, asked: &str) -> Result<u8, Failure> {
    let all = keys.load().await.map_err(Failure::unusable)?.unwrap_or_default();
    let valid = |key: &&Key| key.revoked_at.is_none() && (key.id == asked || key.name == asked);
    let found: Vec<&Key> = all.iter().filter(valid).collect();
    match found.as_slice() {
        [] => Err(Failure::with_help(format!("there is no valid key `{asked}`"), "`countersign keys list` shows them")),
        [key] => {
            let key = Key { revoked_at: Some(now()), ..(*key).clone() };
            let id = key.id.clone();
            keys.replace(key).await.map_err(Failure::unusable)?;
            print(&format!("revoked {id}\n")).map(|()| 0)
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|key| key.id.as_str()).collect();
            Err(Failure::with_help(
                format!("several keys are called `{asked}`"),
                format!("name one: {}", ids.join(", ")),
            ))
        }
    }
}

/// The time, to the second.
fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}
