//! The engine, following its policy: when the file changes, requests that begin from then on are judged by the new one.
//!
//! Without a file the policy is the one that was applied over HTTP last, which the store keeps, or the built-in one.
//!
//! A file that cannot be used changes nothing: the old rules stay in force, and `/health` and the log say so. A request
//! keeps the engine that it began with.

use crate::args::{BaseArgs, GuardArgs, PolicyFile};
use crate::config::Config;
use crate::engine::Engine;
use crate::engine::parse::ParseDefaults;
use crate::engine::{load_tools, open_sources};
use crate::failure::Failure;
use arc_swap::{ArcSwap, ArcSwapOption};
use countersign::policy::{Policy, PolicyError};
use countersign_runtime::turn::Rules;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The engine with everything that its routes need.
pub(crate) struct Engines {
    /// For calls, results and steps.
    pub engine: Engine,
    /// For outputs of models.
    pub parse: ParseDefaults,
    /// For the calls of turns.
    pub rules: Arc<Rules>,
    /// The policy as it was written.
    pub source: Arc<str>,
}

impl Engines {
    /// The rules in force.
    pub(crate) fn policy(&self) -> &Arc<Policy> {
        self.engine.policy()
    }
}

/// The engine that is in force now.
pub(crate) struct PolicyReload {
    current: ArcSwap<Engines>,
    /// Why the newest file is not in force.
    trouble: ArcSwapOption<String>,
    files: Files,
    /// The policy that the store keeps, where no file is configured.
    kept: ArcSwapOption<String>,
    seen: Mutex<Seen>,
}

/// What was read last.
type Seen = [u8; 32];

#[derive(Debug, Clone)]
struct Files {
    policy: Option<PathBuf>,
    tools: Option<PathBuf>,
}

/// What a look at the files came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reloaded {
    /// They are as they were.
    Same,
    /// The new ones are in force.
    Changed {
        /// The version of the new policy.
        version: String,
    },
    /// The new ones cannot be used; the old ones stay in force.
    Refused(String),
}

impl PolicyReload {
    /// Reads the files for the first time. Here an error is one: there is no old policy to keep.
    pub(crate) fn open(config: &Config) -> Result<Self, Failure> {
        Self::open_with(config, None)
    }

    /// The same, with the policy that the store keeps; a file wins over it.
    pub(crate) fn open_with(config: &Config, kept: Option<String>) -> Result<Self, Failure> {
        let files = Files { policy: config.policy.clone(), tools: config.tools.clone() };
        let kept = kept.filter(|_| files.policy.is_none());
        let seen = files.digest(kept.as_deref());
        let current = ArcSwap::from_pointee(files.read(kept.as_deref())?);
        let kept = ArcSwapOption::from(kept.map(Arc::new));
        Ok(Self { current, trouble: ArcSwapOption::empty(), files, kept, seen: Mutex::new(seen) })
    }

    /// Whether the policy is managed in a file, so that nobody else may change it.
    pub(crate) fn is_in_file(&self) -> bool {
        self.files.policy.is_some()
    }

    /// Whether a policy could be put in force, with everything that it names; nothing changes.
    pub(crate) fn try_text(&self, text: &str) -> Result<(), Failure> {
        self.files.read_kept(text).map(drop)
    }

    /// Puts a policy in force that the store keeps; none means the built-in one. Where it cannot be used, the one before
    /// stays.
    pub(crate) fn keep(&self, text: Option<String>) -> Reloaded {
        if self.is_in_file() || self.kept.load().as_deref() == text.as_ref() {
            return Reloaded::Same;
        }
        let before = self.kept.swap(text.map(Arc::new));
        let reloaded = self.reload();
        if matches!(reloaded, Reloaded::Refused(_)) {
            self.kept.store(before);
        }
        reloaded
    }

    /// The engine in force.
    pub(crate) fn current(&self) -> Arc<Engines> {
        self.current.load_full()
    }

    /// Why the newest file is not in force, where it is not.
    pub(crate) fn trouble(&self) -> Option<Arc<String>> {
        self.trouble.load_full()
    }

    /// Looks whether the files have changed, and reads them if so.
    pub(crate) fn follow(&self) -> Reloaded {
        let digest = self.files.digest(self.kept.load().as_ref().map(|text| text.as_str()));
        if *self.lock_seen() == digest {
            return Reloaded::Same;
        }
        self.reload()
    }

    /// Reads the files again, changed or not: what the policy names beside itself may have changed.
    pub(crate) fn reload(&self) -> Reloaded {
        let mut seen = self.lock_seen();
        let kept = self.kept.load_full();
        let kept = kept.as_ref().map(|text| text.as_str());
        *seen = self.files.digest(kept);
        match self.files.read(kept) {
            Ok(engines) => {
                let version = engines.policy().version.clone();
                self.current.store(Arc::new(engines));
                self.trouble.store(None);
                Reloaded::Changed { version }
            }
            Err(failure) => {
                let reason = failure.sentence();
                self.trouble.store(Some(Arc::new(reason.clone())));
                Reloaded::Refused(reason)
            }
        }
    }

    fn lock_seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    fn read(&self, kept: Option<&str>) -> Result<Engines, Failure> {
        if let (None, Some(text)) = (&self.policy, kept) {
            return self.read_kept(text);
        }
        let source = self.source()?;
        let policy = PolicyFile { file: self.policy.clone() };
        let named = PolicyFile { file: self.policy.clone() };
        let base = BaseArgs { policy, tools: self.tools.clone(), context: None, language: None };
        let engine = Engine::for_calls(&GuardArgs { base, level: None }, None)?;
        // A version is the digest of its text: it tells whether the file was changed between the two readings.
        let same = |policy: Policy| self.policy.is_none() || policy.version == engine.policy().version;
        if !Policy::from_toml(&source).is_ok_and(same) {
            return Err(Failure::with_help("the policy changed while it was read", "try again in a moment"));
        }
        let tools = self.tools.as_deref().map(load_tools).transpose()?;
        let asker = open_sources(engine.policy(), &named)?.map(Arc::new);
        let rules = Arc::new(Rules { policy: Arc::clone(engine.policy()), asker });
        Ok(Engines { engine, parse: ParseDefaults::new(tools, None)?, rules, source: source.into() })
    }

    /// The engine of a policy that stands in no file.
    fn read_kept(&self, text: &str) -> Result<Engines, Failure> {
        let unusable = |error: PolicyError| {
            let help = error.help.unwrap_or_else(|| "apply another one, or set `policy` to a file".to_owned());
            Failure::with_help(format!("the policy that the store keeps cannot be used: {}", error.message), help)
        };
        let engine = Engine::of_text(Policy::from_toml(text).map_err(unusable)?, self.tools.as_deref())?;
        let tools = self.tools.as_deref().map(load_tools).transpose()?;
        let asker = open_sources(engine.policy(), &PolicyFile { file: None })?.map(Arc::new);
        let rules = Arc::new(Rules { policy: Arc::clone(engine.policy()), asker });
        Ok(Engines { engine, parse: ParseDefaults::new(tools, None)?, rules, source: text.into() })
    }

    /// The text of the policy.
    fn source(&self) -> Result<String, Failure> {
        let Some(path) = &self.policy else { return Ok(Policy::standard_text()) };
        std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))
    }

    /// What the files hold right now; a file that cannot be read differs from every one that can.
    fn digest(&self, kept: Option<&str>) -> Seen {
        let mut hash = Sha256::new();
        hash.update(kept.unwrap_or_default());
        for path in [&self.policy, &self.tools].into_iter().flatten() {
            hash.update(content(path));
        }
        hash.finalize().into()
    }
}

fn content(path: &Path) -> Vec<u8> {
    std::fs::read(path).map_or_else(|error| error.to_string().into_bytes(), |text| Sha256::digest(text).to_vec())
}
