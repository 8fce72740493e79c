//! The tokens of a server, in a file that only its owner can read. They are in no log and in no message.

use super::options::SignIn;
use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, AuthorizationMetadata, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What is kept of a server that somebody has signed in to.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The server's address: its tokens are for nobody else.
    pub(super) url: String,
    /// Who we are to its authorization server.
    pub(super) client: Option<KeptClient>,
    /// Where its authorization server is.
    pub(super) metadata: Option<AuthorizationMetadata>,
    /// The tokens.
    pub(super) credentials: Option<StoredCredentials>,
    /// Scopes that it has asked for since.
    #[serde(default)]
    pub(super) wanted: Vec<String>,
}

/// Who we are to an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct KeptClient {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) redirect: String,
}

/// The file of one server.
#[derive(Clone)]
pub(super) struct TokenFile {
    path: PathBuf,
    url: String,
}

impl TokenFile {
    /// The file of a server with this name and address.
    pub(super) fn of(sign_in: &SignIn, name: &str, url: &str) -> Self {
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Self { path: sign_in.folder.join(format!("{name}.json")), url: url.to_owned() }
    }

    /// What is kept; nothing where nobody has signed in to this address.
    pub(super) fn read(&self) -> io::Result<Kept> {
        let nothing = || Kept { url: self.url.clone(), ..Kept::default() };
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(nothing()),
            Err(error) => return Err(error),
        };
        let kept: Kept = serde_json::from_slice(&text)
            .map_err(|_| io::Error::other(format!("{} cannot be read; remove it and sign in", self.path.display())))?;
        Ok(if kept.url == self.url { kept } else { nothing() })
    }

    /// Changes what is kept. The new file takes the place of the old one at once.
    pub(super) fn update(&self, change: impl FnOnce(&mut Kept)) -> io::Result<()> {
        let mut kept = self.read()?;
        change(&mut kept);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let fresh = self.path.with_extension(format!("{}.part", std::process::id()));
        // One that was left behind could have other rights.
        let _ = fs::remove_file(&fresh);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&kept)?)?;
        file.sync_all()?;
        fs::rename(&fresh, &self.path)
    }

    /// Forgets everything; says whether there was anything.
    pub(super) fn remove(&self) -> io::Result<bool> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl CredentialStore for TokenFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map(|kept| kept.credentials).map_err(failed)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.update(|kept| kept.credentials = Some(credentials)).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.update(|kept| kept.credentials = None).map_err(failed)
    }
}

fn failed(error: io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    // MCP-1: tokens are their owner's alone, and another address does not get them.
    #[test]
    fn tokens_are_kept_for_one_owner_and_one_address() {
        let folder = tempfile::tempdir().unwrap();
        let sign_in = SignIn::new(folder.path().join("tokens"));
        let file = TokenFile::of(&sign_in, "docs", "https://a.test/mcp");
        assert!(file.read().unwrap().client.is_none());
        let client = KeptClient { id: "c".into(), secret: Some("s".into()), redirect: "http://127.0.0.1:1/".into() };
        file.update(|kept| kept.client = Some(client)).unwrap();
        let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((rights(&file.path), rights(file.path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(file.read().unwrap().client.unwrap().id, "c");
        assert!(TokenFile::of(&sign_in, "docs", "https://b.test/mcp").read().unwrap().client.is_none());
        assert!(file.remove().unwrap() && !file.remove().unwrap());
        fs::write(&file.path, "{").unwrap();
        assert!(file.read().is_err_and(|error| error.to_string().contains("sign in")));
    }
}
