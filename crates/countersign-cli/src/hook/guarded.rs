//! Which files guard an agent: its own settings, the settings of others that run this guard, the policy, the guard's memory.

use super::event::HookEvent;
use super::home::Home;
use crate::args::Agent;
use std::path::{Path, PathBuf};

/// The files and folders, absolute.
pub(crate) fn files(event: &HookEvent, home: &Home, policy: Option<&Path>) -> Vec<String> {
    let root = PathBuf::from(event.root());
    let mut found: Vec<PathBuf> = vec![home.path().to_owned(), root.join("countersign.toml")];
    found.extend(policy.map(|file| root.join(file)));
    for agent in Agent::ALL {
        let files =
            agent.settings(&root).into_iter().chain(home.user().into_iter().flat_map(|user| agent.user_settings(user)));
        // Settings of another program are its own, unless this guard is in them.
        found.extend(files.filter(|file| agent == event.agent || holds_us(file)));
    }
    found.iter().map(|path| path.display().to_string()).collect()
}

/// Whether a file runs this guard.
pub(crate) fn holds_us(file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|about| about.len() < MAX_SETTINGS);
    small && std::fs::read_to_string(file).is_ok_and(|text| text.contains("countersign"))
}

const MAX_SETTINGS: u64 = 1024 * 1024;
