//! Where keys are kept: a small file in the data directory, or the shared record of several nodes.
//!
//! The file is beside the store and not in it, because a running server holds the store locked, and making or revoking
//! a key must not need the server. It is written whole to a new file that then takes the old one's place.

use super::key::Key;
use countersign_runtime::store::{Applied, Change, Kind, Query, Record, Records};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where keys are kept.
pub(crate) trait KeySource: Send + Sync {
    /// All keys, revoked ones too; `None` where keys were never made here.
    fn load(&self) -> BoxFuture<'_, Result<Option<Vec<Key>>, String>>;

    /// Keeps a new key.
    fn add(&self, key: Key) -> BoxFuture<'_, Result<(), String>>;

    /// Keeps a key that has changed.
    fn replace(&self, key: Key) -> BoxFuture<'_, Result<(), String>>;
}

/// Keys in a file.
#[derive(Debug, Clone)]
pub(crate) struct FileKeys {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    keys: Vec<Key>,
}

impl FileKeys {
    /// The keys of a data directory.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("keys.json") }
    }

    fn read(&self) -> Result<Option<Vec<Key>>, String> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {}: {error}", self.path.display())),
        };
        let file: File = serde_json::from_str(&text)
            .map_err(|error| format!("{} is damaged: {error}; restore it or remove it", self.path.display()))?;
        Ok(Some(file.keys))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Key>)) -> Result<(), String> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", self.path.display());
        std::fs::create_dir_all(folder).map_err(failed)?;
        // Two who make keys at once take turns. The lock is on a file of its own, which stays.
        let lock = std::fs::File::create(folder.join("keys.lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut keys = self.read()?.unwrap_or_default();
        change(&mut keys);
        let text = serde_json::to_string_pretty(&File { keys }).map_err(|error| error.to_string())?;
        // A temporary file is readable by its owner alone, and so is what it becomes.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

impl KeySource for FileKeys {
    fn load(&self) -> BoxFuture<'_, Result<Option<Vec<Key>>, String>> {
        let keys = self.clone();
        Box::pin(async move { off_thread(move || keys.read()).await? })
    }

    fn add(&self, key: Key) -> BoxFuture<'_, Result<(), String>> {
        let keys = self.clone();
        Box::pin(async move { off_thread(move || keys.change(|all| all.push(key))).await? })
    }

    fn replace(&self, key: Key) -> BoxFuture<'_, Result<(), String>> {
        let keys = self.clone();
        let put = move |all: &mut Vec<Key>| {
            if let Some(old) = all.iter_mut().find(|old| old.id == key.id) {
                *old = key;
            }
        };
        Box::pin(async move { off_thread(move || keys.change(put)).await? })
    }
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}

/// Keys in the shared record.
#[derive(Clone)]
pub(crate) struct RecordKeys {
    records: Arc<dyn Records>,
}

impl RecordKeys {
    /// The keys of a store.
    pub(crate) fn new(records: Arc<dyn Records>) -> Self {
        Self { records }
    }
}

impl KeySource for RecordKeys {
    fn load(&self) -> BoxFuture<'_, Result<Option<Vec<Key>>, String>> {
        Box::pin(async move {
            let mut keys = Vec::new();
            let mut after: Option<(i64, String)> = None;
            loop {
                let place = after.as_ref().map(|(at, id)| (*at, id.as_str()));
                let query = Query { after: place, ..Query::default() };
                let found = self.records.list(Kind::Key, query).await.map_err(|error| error.to_string())?;
                let Some(last) = found.last() else { break };
                after = Some((last.created_at, last.id.clone()));
                for record in found {
                    keys.push(serde_json::from_value(record.body).map_err(|error| error.to_string())?);
                }
            }
            Ok(Some(keys).filter(|keys| !keys.is_empty()))
        })
    }

    fn add(&self, key: Key) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let record = Record {
                kind: Kind::Key,
                id: key.id.clone(),
                parent: String::new(),
                state: "valid".to_owned(),
                created_at: jiff::Timestamp::now().as_millisecond(),
                version: 1,
                body: serde_json::to_value(&key).map_err(|error| error.to_string())?,
            };
            self.apply(Change::Insert(record, None)).await
        })
    }

    fn replace(&self, key: Key) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let old = self.records.get(Kind::Key, &key.id).await.map_err(|error| error.to_string())?;
            let old = old.ok_or_else(|| format!("there is no key {}", key.id))?;
            let state = if key.revoked_at.is_some() { "revoked" } else { "valid" };
            let body = serde_json::to_value(&key).map_err(|error| error.to_string())?;
            let (id, version) = (key.id, old.version);
            self.apply(Change::Replace { kind: Kind::Key, id, version, state: state.to_owned(), body }).await
        })
    }
}

impl RecordKeys {
    async fn apply(&self, change: Change) -> Result<(), String> {
        match self.records.apply(vec![change]).await {
            Ok(Applied::Done) => Ok(()),
            Ok(Applied::Conflict(_)) => Err("somebody else changed the key at the same time; try again".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}
