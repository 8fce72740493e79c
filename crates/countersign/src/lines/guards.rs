//! Guards for the lists of tools that lines carry, compiled once and shared between threads.
//!
//! The key is the list's own bytes, so a list is read only when it is new. Memory is bounded by two generations: when
//! the young one is full it becomes the old one, and what is not asked for again until the next change is forgotten.

use crate::check_call::Guard;
use crate::policy::Policy;
use crate::wire::WireError;
use crate::wire::tools::read_tools;
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, PoisonError};

/// The guards.
#[derive(Debug)]
pub struct Guards {
    /// For lines without tools: those of the command line, or none.
    fallback: Arc<Guard>,
    policy: Arc<Policy>,
    known: Mutex<Generations>,
}

#[derive(Debug, Default)]
struct Generations {
    young: FxHashMap<Arc<str>, Arc<Guard>>,
    old: FxHashMap<Arc<str>, Arc<Guard>>,
    young_bytes: usize,
}

impl Guards {
    /// Guards that fall back to one where a line has no tools.
    pub fn new(fallback: Guard, policy: Arc<Policy>) -> Self {
        Self { fallback: Arc::new(fallback), policy, known: Mutex::new(Generations::default()) }
    }

    /// The guard for a line's tools.
    pub fn of(&self, tools: Option<&RawValue>) -> Result<Arc<Guard>, WireError> {
        let Some(tools) = tools else { return Ok(Arc::clone(&self.fallback)) };
        self.find(tools.get())
    }

    /// The guard for tools as a client wrote them. Tools that cannot be read are for the upstream to refuse: here
    /// nothing is known about them.
    pub fn of_text(&self, tools: Option<&str>) -> Arc<Guard> {
        let Some(tools) = tools else { return Arc::clone(&self.fallback) };
        self.find(tools).unwrap_or_else(|_| Arc::new(Guard::new(None, Arc::clone(&self.policy))))
    }

    fn find(&self, tools: &str) -> Result<Arc<Guard>, WireError> {
        if let Some(guard) = self.lock().find(tools) {
            return Ok(guard);
        }
        // Compiled outside the lock: two threads may do the same work once, and none waits for the other.
        let guard = Arc::new(Guard::new(Some(read_tools(tools)?), Arc::clone(&self.policy)));
        self.lock().keep(Arc::from(tools), Arc::clone(&guard));
        Ok(guard)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, tools: &str) -> Option<Arc<Guard>> {
        if let Some(guard) = self.young.get(tools) {
            return Some(Arc::clone(guard));
        }
        let (key, guard) = self.old.remove_entry(tools)?;
        self.keep(key, Arc::clone(&guard));
        Some(guard)
    }

    fn keep(&mut self, tools: Arc<str>, guard: Arc<Guard>) {
        if self.young.len() >= MAX_LISTS || self.young_bytes + tools.len() > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += tools.len();
        self.young.insert(tools, guard);
    }
}

/// How many lists a generation holds.
const MAX_LISTS: usize = 4096;
/// How many bytes of lists a generation holds; compiled, a list takes a few times its size.
const MAX_BYTES: usize = 32 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_compiled_once_and_memory_stays_bounded() {
        let policy = Policy::standard();
        let guards = Guards::new(Guard::new(None, Arc::clone(&policy)), policy);
        let list = |n: usize| RawValue::from_string(format!(r#"[{{"name": "tool_{n}"}}]"#)).unwrap();
        let first = guards.of(Some(&list(0))).unwrap();
        assert!(Arc::ptr_eq(&first, &guards.of(Some(&list(0))).unwrap()));
        for n in 0..3 * MAX_LISTS {
            guards.of(Some(&list(n))).unwrap();
        }
        let known = guards.lock();
        assert!(known.young.len() <= MAX_LISTS && known.old.len() <= MAX_LISTS);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error_and_absent_is_not_empty() {
        let policy = Policy::standard();
        let guards = Guards::new(Guard::new(None, Arc::clone(&policy)), policy);
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        assert!(guards.of(Some(&raw("7"))).is_err());
        assert!(guards.of(None).unwrap().registry().is_none());
        assert!(guards.of(Some(&raw("[]"))).unwrap().registry().is_some());
    }
}
