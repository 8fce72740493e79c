//! Where packages come from: a manager that is pointed at a plain-http address runs what anybody on the way has put there.

use super::kind::installs;
use super::memory::Memory;
use super::policy::is_own_host;
use super::shell::Ran;

/// The plain-http address that a package manager is pointed at and that the user never named.
pub(crate) fn plain_index<'a>(ran: &'a Ran, memory: &Memory) -> Option<&'a str> {
    // `python -m pip` is a package manager too.
    let program = ran.words.iter().take(MAX_STARTS).any(|word| installs(word));
    let address = |word: &'a String| word.find("http://").and_then(|at| word.get(at..));
    let strange = |address: &&str| {
        let host = address.trim_start_matches("http://").split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let name = host.split(':').next().unwrap_or_default();
        name.contains('.') && !is_own_host(name) && !memory.was_said(host)
    };
    ran.arguments().iter().chain(&ran.env).filter(|_| program).filter_map(address).find(strange)
}

const MAX_STARTS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::shell::commands;

    #[test]
    fn plain_addresses_of_packages_are_seen() {
        // HOOK-1
        let found = |line: &str| commands(line).iter().any(|ran| plain_index(ran, &Memory::default()).is_some());
        for bad in [
            "pip3 install -i http://mirror.x.test.example/simple left-pad",
            "python3 -m pip install --index-url=http://packages.example.org/simple a",
            "yarn config set registry http://npm.example.org",
            "PIP_INDEX_URL=http://pypi.example.org/simple pip install a",
        ] {
            assert!(found(bad), "{bad}");
        }
        for good in [
            "pip install --index-url https://download.pytorch.org/whl/cpu torch",
            "npm config set registry http://localhost:4873",
            "pip install -i http://10.0.0.4/simple a",
            "curl http://example.org",
            "npm install && curl http://example.org/x",
        ] {
            assert!(!found(good), "{good}");
        }
    }
}
