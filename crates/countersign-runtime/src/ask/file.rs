//! Files that are read again when they change.
//!
//! A file of facts is read when the sources are set up, so that a wrong path is found at once, and again when its
//! time or size changes, so that nobody restarts anything to add a customer. A file that breaks later gives errors,
//! not old answers: what it said before may no longer hold.

use super::AskError;
use serde_json::Value;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

type Read<T> = Box<dyn Fn(&[u8]) -> Result<T, String> + Send + Sync>;

/// A file and what was read from it.
pub(super) struct Watched<T> {
    path: PathBuf,
    shown: String,
    read: Read<T>,
    current: Mutex<Option<(Stamp, Arc<T>)>>,
}

type Stamp = (Option<SystemTime>, u64);

impl<T> Watched<T> {
    /// Opens a file under a folder and reads it for the first time.
    pub(super) fn open(
        base: &Path,
        file: &str,
        read: impl Fn(&[u8]) -> Result<T, String> + Send + Sync + 'static,
    ) -> Result<Self, AskError> {
        let watched =
            Self { path: base.join(file), shown: file.to_owned(), read: Box::new(read), current: Mutex::new(None) };
        watched.current()?;
        Ok(watched)
    }

    /// What the file says now.
    pub(super) fn current(&self) -> Result<Arc<T>, AskError> {
        let meta = fs::metadata(&self.path).map_err(|error| self.fault(error.to_string()))?;
        let stamp = (meta.modified().ok(), meta.len());
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, value)) = current.as_ref()
            && *known == stamp
        {
            return Ok(Arc::clone(value));
        }
        if stamp.1 > MAX_BYTES {
            return Err(self.fault(format!("it is larger than {MAX_BYTES} bytes, use SQLite for so much")));
        }
        let bytes = fs::read(&self.path).map_err(|error| self.fault(error.to_string()))?;
        let value = Arc::new((self.read)(&bytes).map_err(|problem| self.fault(problem))?);
        *current = Some((stamp, Arc::clone(&value)));
        Ok(value)
    }

    fn fault(&self, problem: String) -> AskError {
        AskError::File { file: self.shown.clone(), problem }
    }
}

impl<T> fmt::Debug for Watched<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Watched").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reads JSON, or YAML where it is no JSON.
pub fn document(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) if text.trim_start().starts_with(['{', '[']) => Err(format!("it is not JSON: {error}")),
        Err(_) => serde_norway::from_str(text).map(plain).map_err(|error| format!("it is not YAML: {error}")),
    }
}

/// YAML as JSON. Keys may be numbers there (`200:`), so that it cannot be read as JSON at once.
fn plain(value: serde_norway::Value) -> Value {
    use serde_norway::Value as Yaml;
    match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(yes) => Value::Bool(yes),
        Yaml::Number(number) => serde_json::to_value(number).unwrap_or(Value::Null),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => items.into_iter().map(plain).collect(),
        Yaml::Mapping(map) => map
            .into_iter()
            .map(|(key, value)| {
                let key = match plain(key) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                (key, plain(value))
            })
            .collect(),
        Yaml::Tagged(tagged) => plain(tagged.value),
    }
}

const MAX_BYTES: u64 = 64 << 20;
