//! The conversation and the tools of a session, from its transcript.
//!
//! A transcript grows to many megabytes and a hook runs at every call, so only the tail that is new is read; what was
//! read before stands in a smaller file beside the ledger. Each kept line says from where in the transcript it is:
//! two hooks that read the same tail at once keep it twice, and it counts once. Where a kept line is damaged, the whole transcript
//! is read again.

use super::home::Home;
use super::orders::{KeptOrders, Source};
use super::session::{Session, short_hash};
use countersign::conversation::Conversation;
use countersign::wire::messages::read_message;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// What was said so far, and the tools of MCP servers.
#[derive(Debug, Default)]
pub(crate) struct Talk<'a> {
    /// The messages, in order.
    pub conversation: Conversation,
    /// The definitions of the tools, as JSON; none where the transcript has none.
    pub tools: Option<String>,
    orders: Option<KeptOrders<'a>>,
    /// The messages whose results nobody has read for instructions.
    unread: Vec<(usize, Source)>,
}

impl Talk<'_> {
    /// Keeps the instructions that the checks have found in results since.
    pub(crate) fn keep_orders(self) {
        let Some(kept) = self.orders else { return };
        let found = self.unread.into_iter().filter_map(|(at, source)| Some((source, self.conversation.orders(at)?)));
        kept.keep(&found.collect::<Vec<_>>(), self.conversation.messages().len());
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    /// Where the line began.
    at: u64,
    /// The message.
    m: Value,
}

/// Reads what is new, and everything that was kept. The transcript may already hold the call that is judged: it is left out.
pub(crate) fn load<'a>(home: &'a Home, session: &Session<'_>, path: &Path, judged: Option<&str>) -> Talk<'a> {
    let (mut kept, damaged) = read_kept(home, session, path);
    if damaged > 0 {
        let _ = home.write(&session.beside("index"), "0");
        let whole: String = kept.values().map(|(line, _)| format!("{line}\n")).collect();
        let _ = home.write(&session.beside("talk"), &whole);
        kept = read_kept(home, session, path).0;
    }
    let orders = KeptOrders::open(home, session);
    let (mut conversation, mut unread) = (Conversation::default(), Vec::new());
    for (at, (line, body)) in kept {
        let Some(mut message) = read_message(&body) else { continue };
        message.calls.retain(|earlier| earlier.id.is_none() || earlier.id.as_deref() != judged);
        let source = orders.as_ref().filter(|_| !message.results.is_empty()).map(|kept| kept.source(at, &line));
        match orders.as_ref().zip(source.as_ref()).and_then(|(kept, source)| kept.find(source)) {
            Some(known) => conversation.push_known(message, known),
            None => {
                unread.extend(source.map(|source| (conversation.messages().len(), source)));
                conversation.push(message);
            }
        }
    }
    let tools = Some(home.read(&session.beside("tools"))).filter(|tools| !tools.is_empty());
    Talk { conversation, tools, orders, unread }
}

/// The kept lines by their places, each with its message, after what is new was added to them; and how many are damaged.
fn read_kept(home: &Home, session: &Session<'_>, path: &Path) -> (BTreeMap<u64, (String, Value)>, usize) {
    let (index, talk, tools) = (session.beside("index"), session.beside("talk"), session.beside("tools"));
    let from = read_index(&home.read(&index), path).unwrap_or(0);
    let fresh = read_from(path, from);
    if let Some((to, lines)) = fresh {
        let mut kept = String::new();
        for (at, line) in &lines {
            keep(home, &tools, *at, line, &mut kept);
        }
        if !kept.is_empty() {
            let _ = home.append(&talk, kept.trim_end());
        }
        let end = digest_end(path, to).unwrap_or_default();
        let _ = home.write(&index, &format!("{to} {end}"));
    }
    let (mut lines, mut damaged) = (BTreeMap::new(), 0);
    for line in home.read(&talk).lines() {
        match serde_json::from_str::<Kept>(line) {
            Ok(kept) => drop(lines.insert(kept.at, (line.to_owned(), kept.m))),
            Err(_) => damaged += 1,
        }
    }
    (lines, damaged)
}

/// How far a transcript was read; `None` where other text stands there now.
fn read_index(index: &str, path: &Path) -> Option<u64> {
    let (to, end) = index.split_once(' ')?;
    let to = to.parse().ok()?;
    (digest_end(path, to)? == end).then_some(to)
}

/// A digest of the last text before a place.
fn digest_end(path: &Path, to: u64) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let from = to.saturating_sub(MAX_END);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::new();
    file.take(to - from).read_to_end(&mut end).ok()?;
    Some(short_hash(&String::from_utf8_lossy(&end)))
}

/// Whether a transcript holds no answer yet.
pub(crate) fn is_fresh(path: &Path) -> bool {
    let Some((_, lines)) = read_from(path, 0) else { return true };
    lines.len() < MANY && !lines.iter().any(|(_, line)| line.contains("\"assistant\""))
}

/// The whole lines after a place, each with where it begins, and the end of the last.
fn read_from(path: &Path, from: u64) -> Option<(u64, Vec<(u64, String)>)> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    // A transcript that was written again is read again.
    let from = if from > length { 0 } else { from };
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut at, mut lines, mut line) = (from, Vec::new(), Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).ok()?;
        // The last line may still be on its way.
        if read == 0 || !line.ends_with(b"\n") {
            return Some((at, lines));
        }
        lines.push((at, String::from_utf8_lossy(&line).trim_end().to_owned()));
        at += read as u64;
    }
}

fn keep(home: &Home, tools: &str, at: u64, line: &str, kept: &mut String) {
    if line.len() > MAX_LINE {
        return;
    }
    let Ok(body) = serde_json::from_str::<Value>(line) else { return };
    if line.contains("\"input_schema\"")
        && let Some(found) = find_tools(&body, 0)
    {
        let _ = home.write(tools, &found);
    }
    // Claude Code keeps a message under `message`, Codex under `payload`.
    let message = ["message", "payload"].iter().find_map(|key| body.get(*key)).unwrap_or(&body);
    if message.get("role").is_none() && message.get("call_id").is_none() {
        return;
    }
    if let Ok(text) = serde_json::to_string(&Kept { at, m: message.clone() }) {
        kept.push_str(&text);
        kept.push('\n');
    }
}

/// The tools of MCP servers that a line of the transcript defines.
fn find_tools(body: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let fields = body.as_object()?;
    let is_mcp = |tool: &&Value| tool.get("name").and_then(Value::as_str).is_some_and(|name| name.starts_with("mcp__"));
    if let Some(Value::Array(tools)) = fields.get("tools") {
        let found: Vec<&Value> =
            tools.iter().filter(is_mcp).filter(|tool| tool.get("input_schema").is_some()).collect();
        return (!found.is_empty()).then(|| serde_json::to_string(&found).unwrap_or_default());
    }
    fields.values().find_map(|value| find_tools(value, depth + 1))
}

const MAX_LINE: usize = 4 * 1024 * 1024;
const MAX_DEPTH: usize = 4;
const MAX_END: u64 = 16 * 1024;
const MANY: usize = 50;
