//! What a running server knows of the keys: the configured ones, and those of the source, read again every moment.
//!
//! Three rules keep it closed. Once a key was ever seen, the ring is locked, in this process and in later ones, whatever the
//! source says then. Where the source cannot be read, what was read last holds for a time and then no more. And a key
//! is compared by its digest, in a time that tells nothing.

use super::key::{Key, Scope, digest};
use super::remembered::Remembered;
use super::source::KeySource;
use arc_swap::{ArcSwap, ArcSwapOption};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Who asks. Every request carries one as an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The key's id; `None` on a server without keys.
    pub key_id: Option<Arc<str>>,
    /// What the key is called; its id where it has no name.
    pub name: Option<Arc<str>>,
    /// What they may use.
    pub scopes: Arc<[Scope]>,
}

impl Caller {
    /// Somebody on a server without keys: everything is open to them.
    pub(crate) fn anyone() -> Self {
        Self { key_id: None, name: None, scopes: Arc::clone(&EVERYTHING) }
    }

    /// Somebody without a key on a server that wants one: nothing is open to them but what needs none.
    pub(crate) fn nobody() -> Self {
        Self { key_id: None, name: None, scopes: [].into() }
    }

    /// Whether they may use what has this scope.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.scopes.iter().any(|held| *held == scope || *held == Scope::Admin)
    }
}

/// Why nobody was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There was no key.
    Missing,
    /// Nobody knows the key.
    Unknown,
    /// The keys have not been readable for too long: nobody can say.
    SourceAway,
}

/// The keys that are known.
pub(crate) struct KeyRing {
    configured: Known,
    source: Option<Arc<dyn KeySource>>,
    read: ArcSwap<Read>,
    locked: AtomicBool,
    trouble: ArcSwapOption<String>,
    keep: Duration,
    remembered: Remembered,
}

type Known = FxHashMap<[u8; 8], Vec<Entry>>;

struct Entry {
    digest: [u8; 32],
    caller: Caller,
}

/// What the source said last.
struct Read {
    known: Known,
    at: Instant,
}

impl KeyRing {
    /// A ring of configured keys and those of a source, which is read for the first time here: an error is one.
    pub(crate) async fn open(
        configured: Vec<Key>,
        source: Option<Arc<dyn KeySource>>,
        keep: Duration,
        remembered: Remembered,
    ) -> Result<Self, String> {
        let read = Read { known: Known::default(), at: Instant::now() };
        let ring = Self {
            locked: AtomicBool::new(false),
            configured: index_keys(&configured),
            source,
            read: ArcSwap::from_pointee(read),
            trouble: ArcSwapOption::empty(),
            keep,
            remembered,
        };
        if !configured.is_empty() {
            ring.lock();
        }
        ring.refresh().await?;
        if !ring.is_locked() && ring.remembered.is_set() {
            ring.locked.store(true, Ordering::Release);
            let mark = ring.remembered.path().unwrap_or(Path::new("")).display().to_string();
            tracing::error!(
                mark,
                "this server had keys and finds none: it refuses everybody until `countersign keys create` makes one or the mark is removed"
            );
        }
        Ok(ring)
    }

    /// From the first key on a key is wanted, also after a restart.
    pub(crate) fn lock(&self) {
        if self.locked.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Err(error) = self.remembered.set() {
            tracing::warn!(%error, "that there are keys could not be written down: were they lost, a restart would open the server");
        }
    }

    /// Reads the source again. On an error what was read before stays, until it is too old.
    pub(crate) async fn refresh(&self) -> Result<(), String> {
        let read = self.read_source().await;
        self.trouble.store(read.as_ref().err().map(|reason| Arc::new(reason.clone())));
        read
    }

    /// Why the source could not be read last, where it could not.
    pub(crate) fn trouble(&self) -> Option<Arc<String>> {
        self.trouble.load_full()
    }

    async fn read_source(&self) -> Result<(), String> {
        let Some(source) = &self.source else { return Ok(()) };
        let loaded = tokio::time::timeout(DEADLINE, source.load()).await;
        let keys = match loaded.map_err(|_| "the keys could not be read in time".to_owned())?? {
            Some(keys) => keys,
            // Keys that were there and are gone are a loss, not a wish.
            None if self.locked.load(Ordering::Acquire) && !self.read.load().known.is_empty() => {
                return Err("the keys are gone".to_owned());
            }
            None => Vec::new(),
        };
        let some = !keys.is_empty();
        let valid: Vec<Key> = keys.into_iter().filter(|key| key.revoked_at.is_none()).collect();
        // Known before they are wanted: writing down that there are keys takes a moment, in which the first one must open.
        self.read.store(Arc::new(Read { known: index_keys(&valid), at: Instant::now() }));
        if some {
            self.lock();
        }
        Ok(())
    }

    /// Whether a key is wanted at all.
    pub(crate) fn is_locked(&self) -> bool {
        self.locked.load(Ordering::Acquire)
    }

    /// The key of this id, or the one key of this name: for what acts with a key's rights without holding it.
    pub(crate) fn find_named(&self, name: &str) -> Option<Caller> {
        let read = self.read.load();
        let is_read = self.source.is_some() && read.at.elapsed() <= self.keep;
        let kept = is_read.then(|| read.known.values()).into_iter().flatten();
        let callers: Vec<&Caller> = self.configured.values().chain(kept).flatten().map(|entry| &entry.caller).collect();
        let by_id = callers.iter().find(|caller| caller.key_id.as_deref() == Some(name));
        let mut by_name = callers.iter().filter(|caller| caller.name.as_deref() == Some(name));
        match (by_id, by_name.next(), by_name.next()) {
            (Some(caller), _, _) | (None, Some(caller), None) => Some(Caller::clone(caller)),
            _ => None,
        }
    }

    /// Lets somebody in, or says why not.
    pub(crate) fn admit(&self, word: Option<&str>) -> Result<Caller, Refusal> {
        if !self.is_locked() {
            return Ok(Caller::anyone());
        }
        let digest = digest(word.ok_or(Refusal::Missing)?);
        if let Some(caller) = find(&self.configured, &digest) {
            return Ok(caller);
        }
        let read = self.read.load();
        if self.source.is_some() && read.at.elapsed() > self.keep {
            return Err(Refusal::SourceAway);
        }
        find(&read.known, &digest).ok_or(Refusal::Unknown)
    }
}

fn index_keys(keys: &[Key]) -> Known {
    let mut known = Known::default();
    for key in keys {
        // A damaged record opens nothing.
        let Some(digest) = key.digest() else { continue };
        let name = if key.name.trim().is_empty() { &key.id } else { &key.name };
        let caller = Caller {
            key_id: Some(Arc::from(key.id.as_str())),
            name: Some(Arc::from(name.as_str())),
            scopes: Arc::from(key.scopes.as_slice()),
        };
        known.entry(beginning(&digest)).or_default().push(Entry { digest, caller });
    }
    known
}

/// Found by the beginning of the digest, compared whole: the beginning of a digest says nothing about the key.
fn find(known: &Known, digest: &[u8; 32]) -> Option<Caller> {
    let entries = known.get(&beginning(digest))?;
    entries.iter().find(|entry| bool::from(entry.digest.ct_eq(digest))).map(|entry| entry.caller.clone())
}

fn beginning(digest: &[u8; 32]) -> [u8; 8] {
    let mut beginning = [0; 8];
    for (to, from) in beginning.iter_mut().zip(digest) {
        *to = *from;
    }
    beginning
}

/// How long reading the source may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&EVERYTHING);
}

static EVERYTHING: LazyLock<Arc<[Scope]>> = LazyLock::new(|| Arc::from([Scope::Admin]));

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::BoxFuture;
    use std::sync::Mutex;

    type Loaded = Result<Option<Vec<Key>>, String>;

    /// Says what it is told to say.
    struct Told(Mutex<Loaded>);

    impl KeySource for Told {
        fn load(&self) -> BoxFuture<'_, Loaded> {
            let answer = self.0.lock().unwrap().clone();
            Box::pin(async move { answer })
        }

        fn add(&self, _: Key) -> BoxFuture<'_, Result<(), String>> {
            Box::pin(async { Ok(()) })
        }

        fn replace(&self, _: Key) -> BoxFuture<'_, Result<(), String>> {
            Box::pin(async { Ok(()) })
        }
    }

    fn key(word: &str) -> Key {
        Key::of(word, "", vec![Scope::Engine], "")
    }

    async fn ring(keep: Duration, first: Loaded) -> (KeyRing, Arc<Told>) {
        let told = Arc::new(Told(Mutex::new(first)));
        let source: Arc<dyn KeySource> = Arc::clone(&told) as _;
        (KeyRing::open(vec![], Some(source), keep, Remembered::nowhere()).await.unwrap(), told)
    }

    // SERVE-1: a short loss of the key store refuses nobody who is known; after a time everybody is refused.
    #[tokio::test]
    async fn a_lost_source_is_survived_for_a_time_and_then_closes() {
        let (ring, told) = ring(Duration::from_millis(50), Ok(Some(vec![key("good")]))).await;
        assert_eq!(ring.admit(None), Err(Refusal::Missing));
        assert_eq!(ring.admit(Some("bad")), Err(Refusal::Unknown));
        *told.0.lock().unwrap() = Err("away".to_owned());
        assert!(ring.refresh().await.is_err());
        let caller = ring.admit(Some("good")).unwrap();
        assert!(caller.may(Scope::Engine) && !caller.may(Scope::Review));
        assert_eq!(ring.admit(Some("bad")), Err(Refusal::Unknown));
        tokio::time::sleep(Duration::from_millis(80)).await;
        assert_eq!(ring.admit(Some("good")), Err(Refusal::SourceAway));
        *told.0.lock().unwrap() = Ok(Some(vec![key("good")]));
        ring.refresh().await.unwrap();
        assert!(ring.admit(Some("good")).is_ok());
    }

    // SERVE-1: authentication never fails open: not when keys vanish, not when the last one is revoked.
    #[tokio::test]
    async fn a_ring_that_was_locked_stays_locked() {
        let (ring, told) = ring(Duration::from_secs(60), Ok(None)).await;
        assert_eq!(ring.admit(None), Ok(Caller::anyone()));
        *told.0.lock().unwrap() = Ok(Some(vec![key("good")]));
        ring.refresh().await.unwrap();
        assert_eq!(ring.admit(None), Err(Refusal::Missing));
        *told.0.lock().unwrap() = Ok(None);
        assert!(ring.refresh().await.is_err());
        assert!(ring.admit(Some("good")).is_ok() && ring.admit(None).is_err());
        let revoked = Key { revoked_at: Some("now".to_owned()), ..key("good") };
        *told.0.lock().unwrap() = Ok(Some(vec![revoked]));
        ring.refresh().await.unwrap();
        assert_eq!(ring.admit(Some("good")), Err(Refusal::Unknown));
        assert_eq!(ring.admit(None), Err(Refusal::Missing));
    }

    // SERVE-1: keys that are gone at the next start do not open the server.
    #[tokio::test]
    async fn a_later_process_stays_locked() {
        let folder = tempfile::tempdir().unwrap();
        let open = |configured: Vec<Key>, first: Loaded| {
            let source: Arc<dyn KeySource> = Arc::new(Told(Mutex::new(first)));
            KeyRing::open(configured, Some(source), Duration::from_secs(60), Remembered::in_folder(folder.path()))
        };
        assert!(!open(vec![], Ok(None)).await.unwrap().is_locked());
        assert!(open(vec![key("good")], Ok(None)).await.unwrap().is_locked());
        for lost in [Ok(None), Ok(Some(vec![]))] {
            let ring = open(vec![], lost).await.unwrap();
            assert_eq!((ring.admit(None), ring.admit(Some("good"))), (Err(Refusal::Missing), Err(Refusal::Unknown)));
        }
    }

    // SERVE-1: a source that cannot be read at the start is no reason to open.
    #[tokio::test]
    async fn a_source_that_fails_at_the_start_is_an_error() {
        let told: Arc<dyn KeySource> = Arc::new(Told(Mutex::new(Err("damaged".to_owned()))));
        assert!(KeyRing::open(vec![], Some(told), Duration::from_secs(60), Remembered::nowhere()).await.is_err());
    }
}
