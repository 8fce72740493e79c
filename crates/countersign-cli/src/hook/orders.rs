//! The instructions that were found in a session's results, kept so that the next hook reads only new results for them.
//!
//! A line stands for one line of the kept talk: where that begins, a seal, and the instructions as JSON. The seal is a digest
//! over the program, the line of the talk and the instructions, so a line that is damaged, of another build or found in
//! another text fits nothing, and the result is read again. The seal holds no secret: whoever may write here may write the
//! talk as well, and the guard keeps the agent out of this folder. What another user could have written is not believed.

use super::home::Home;
use super::session::Session;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use countersign::conversation::Orders;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::time::UNIX_EPOCH;

/// The kept instructions of a session.
#[derive(Debug)]
pub(crate) struct KeptOrders<'a> {
    home: &'a Home,
    file: String,
    /// The digest of the program, to go on from.
    program: Sha256,
    /// The lines of the file by what they stand for: the seal, and the instructions.
    lines: FxHashMap<u64, String>,
    /// How many lines the file has; some may stand for the same, and some may fit nothing any more.
    count: usize,
}

/// A line of the talk, to be sealed with what was found in it.
#[derive(Debug)]
pub(crate) struct Source {
    at: u64,
    digest: Sha256,
}

impl<'a> KeptOrders<'a> {
    /// Opens the file of a session; `None` where this program cannot be told from another one.
    pub(crate) fn open(home: &'a Home, session: &Session<'_>) -> Option<Self> {
        let program = Sha256::new_with_prefix(tell_program()?);
        let file = session.beside("orders");
        let text = home.read_private(&file).unwrap_or_default();
        let read = |line: &str| line.split_once(' ').and_then(|(at, rest)| Some((at.parse().ok()?, rest.to_owned())));
        let lines = text.lines().filter_map(read).collect();
        Some(Self { home, file, program, lines, count: text.lines().count() })
    }

    /// A line of the talk that begins at this place of the transcript.
    pub(crate) fn source(&self, at: u64, line: &str) -> Source {
        Source { at, digest: self.program.clone().chain_update(line).chain_update("\n") }
    }

    /// What was found in a line before; `None` where nobody has looked.
    pub(crate) fn find(&self, source: &Source) -> Option<Orders> {
        let (seal, orders) = self.lines.get(&source.at)?.split_once(' ')?;
        (source.seal(orders) == seal).then(|| serde_json::from_str(orders).ok()).flatten()
    }

    /// Keeps what was found in some lines. A disk that is full costs time and no finding.
    pub(crate) fn keep(&self, found: &[(Source, Orders)], all: usize) {
        let line = |(source, orders): &(Source, Orders)| {
            let orders = serde_json::to_string(orders).ok()?;
            Some(format!("{} {} {orders}\n", source.at, source.seal(&orders)))
        };
        let lines: String = found.iter().filter_map(line).collect();
        if lines.is_empty() {
            return;
        }
        // Lines that fit nothing are dropped when they are many; what else was kept is found again.
        let full = self.count > 2 * all + MANY_STALE;
        let _ = if full {
            self.home.write_private(&self.file, &lines)
        } else {
            self.home.append_private(&self.file, &lines)
        };
    }
}

impl Source {
    fn seal(&self, orders: &str) -> String {
        STANDARD_NO_PAD.encode(self.digest.clone().chain_update(orders).finalize())
    }
}

/// This build: another one may find other instructions.
fn tell_program() -> Option<String> {
    let about = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let time = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}\n", env!("CARGO_PKG_VERSION"), about.len(), time.as_nanos()))
}

const MANY_STALE: usize = 1000;
