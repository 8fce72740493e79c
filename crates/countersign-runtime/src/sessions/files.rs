//! Uploaded files: kept with their bytes, known by a name that cannot be guessed.

use super::error::SessionError;
use super::session::{Session, Sessions};
use crate::ids::new_id;
use crate::store::{Change, Kind, Query, Record};
use crate::stream::timestamp;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// A file that is to be kept. Its type has been found, and its size has been checked.
#[derive(Debug, Clone)]
pub struct Upload {
    /// What its owner calls it.
    pub name: String,
    /// Its media type.
    pub media: String,
    /// Its content.
    pub bytes: Bytes,
}

/// What is told of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMeta {
    /// Its name in the service.
    pub file_id: String,
    /// What its owner calls it.
    pub name: String,
    /// Its media type.
    pub r#type: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it came, in RFC 3339.
    pub created_at: String,
}

impl Sessions {
    /// Keeps a file.
    pub async fn save_file(&self, session: &Session, upload: Upload) -> Result<FileMeta, SessionError> {
        let created_at = self.next_moment();
        let meta = FileMeta {
            file_id: new_id("file")?,
            name: plain_name(&upload.name),
            r#type: upload.media,
            size: upload.bytes.len() as u64,
            created_at: timestamp(created_at),
        };
        let record = Record {
            kind: Kind::File,
            id: meta.file_id.clone(),
            parent: session.session_id.clone(),
            state: meta.name.clone(),
            created_at,
            version: 1,
            body: serde_json::to_value(&meta).unwrap_or_default(),
        };
        self.insert("file", record, Some(upload.bytes)).await?;
        Ok(meta)
    }

    /// The files of a session, the oldest first.
    pub async fn files(&self, session: &str) -> Result<Vec<FileMeta>, SessionError> {
        let query = Query { parent: Some(session), limit: MAX_FILES, ..Query::default() };
        Ok(self.records.list(Kind::File, query).await?.iter().filter_map(read).collect())
    }

    /// A file of a session. Another session's is told apart from one that does not exist, and nothing else of it.
    pub async fn file(&self, session: &str, id: &str) -> Result<FileMeta, SessionError> {
        let record = self.records.get(Kind::File, id).await?.ok_or_else(|| SessionError::missing("file", id))?;
        if record.parent != session {
            return Err(SessionError::Foreign { what: "file" });
        }
        read(&record).ok_or_else(|| SessionError::missing("file", id))
    }

    /// The content of a file that [`Self::file`] has given.
    pub async fn file_bytes(&self, id: &str) -> Result<Bytes, SessionError> {
        let bytes = self.records.bytes(Kind::File, id).await?;
        bytes.ok_or_else(|| SessionError::missing("file", id))
    }

    /// The newest file with a name.
    pub async fn file_named(&self, session: &str, name: &str) -> Result<FileMeta, SessionError> {
        let query = Query { parent: Some(session), state: Some(name), ..Query::default() };
        let found = self.records.list(Kind::File, query).await?;
        found.last().and_then(read).ok_or_else(|| SessionError::missing("file", name))
    }

    /// Removes a file.
    pub async fn remove_file(&self, session: &str, id: &str) -> Result<(), SessionError> {
        self.file(session, id).await?;
        self.records.apply(vec![Change::Delete { kind: Kind::File, id: id.to_owned() }]).await?;
        Ok(())
    }
}

/// A name without folders and without what a terminal or a header would choke on. It is never used as a path.
pub fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
    let plain = plain.trim();
    if plain.is_empty() || plain.chars().all(|c| c == '.') { "file".to_owned() } else { plain.to_owned() }
}

fn read(record: &Record) -> Option<FileMeta> {
    serde_json::from_value(record.body.clone()).ok()
}

/// How many files of a session are listed.
const MAX_FILES: usize = 10_000;
/// How long a name may be, in characters.
const MAX_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-8
    #[test]
    fn a_name_never_leaves_its_folder() {
        for (name, plain) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\x.txt", "x.txt"),
            ("..", "file"),
            ("", "file"),
            ("a\r\nSet-Cookie: x", "aSet-Cookie: x"),
            ("报告.pdf", "报告.pdf"),
        ] {
            assert_eq!(plain_name(name), plain);
        }
    }
}
