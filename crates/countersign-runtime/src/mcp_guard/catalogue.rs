//! The tools of a server, learnt from its lists: those that the client asks for, and our own where it has not asked.
//!
//! A list comes in pages; it counts when its last page has come. After `tools/list_changed` it is known no more, and the
//! next call waits for a new one.

use super::pins::PinFile;
use crate::gateway::json::find;
use crate::turn::Rules;
use countersign::check_call::Guard;
use countersign::contract::{Language, ToolSpec};
use countersign::wire::tools::read_tool;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// What is known of a server's tools.
#[derive(Default)]
pub(super) struct Catalogue {
    /// The last whole list.
    tools: Option<Arc<[ToolSpec]>>,
    /// Whether it is still the server's word.
    is_fresh: bool,
    /// The list that is coming to the client.
    clients: Option<Gathered>,
    /// Tools that differ from their pins, as they came last, and what is said of them.
    held: HashMap<String, HeldTool>,
    /// The guard of the tools, and the rules that it was made for.
    guard: Option<(Arc<Rules>, Arc<Guard>)>,
}

/// A tool that differs from its pin.
#[derive(Clone)]
pub(super) struct HeldTool {
    definition: ToolSpec,
    /// Why it is held.
    pub why: String,
}

/// Who asked for a list.
pub(super) enum AskedBy<'g> {
    Client,
    /// One exchange of ours, with what has come so far.
    Us(&'g mut Option<Gathered>),
}

/// A list whose last page has not come.
pub(super) struct Gathered {
    tools: Vec<ToolSpec>,
    next: String,
    pages: usize,
}

impl Catalogue {
    /// Whether calls can be judged by it.
    pub(super) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    /// The server says that its tools have changed.
    pub(super) fn outdate(&mut self) {
        (self.is_fresh, self.clients) = (false, None);
    }

    /// The server could not be asked: what was known before counts, or nothing.
    pub(super) fn settle(&mut self) {
        self.is_fresh = true;
    }

    /// Learns a page of a list: the text of the answer and what it says, and the cursor that was asked with. Gives the
    /// cursor of the next page.
    pub(super) fn learn(
        &mut self,
        by: AskedBy<'_>,
        cursor: Option<&str>,
        text: &str,
        answer: &Value,
    ) -> Option<String> {
        let listed = answer.pointer("/result/tools").and_then(Value::as_array)?;
        let gathered = match by {
            AskedBy::Client => &mut self.clients,
            AskedBy::Us(ours) => ours,
        };
        let (mut tools, pages) = match (cursor, gathered.take()) {
            (None, _) => (Vec::new(), 1),
            (Some(cursor), Some(gathered)) if gathered.next == cursor => (gathered.tools, gathered.pages + 1),
            (Some(_), _) => return None,
        };
        let room = MOST_TOOLS.saturating_sub(tools.len());
        tools.extend(read_listed(text, listed.len()).into_iter().take(room));
        // A list that leads on and on has its end here.
        let next = answer.pointer("/result/nextCursor").and_then(Value::as_str).filter(|_| pages < MOST_PAGES);
        let next = next.map(str::to_owned);
        match &next {
            Some(next) => *gathered = Some(Gathered { tools, next: next.clone(), pages }),
            None => {
                self.tools = Some(tools.into());
                (self.is_fresh, self.guard) = (true, None);
            }
        }
        next
    }

    /// Compares the tools of an answer with their pins. Gives the names of those that are held.
    pub(super) fn compare(&mut self, pins: &PinFile, tools: &[ToolSpec]) -> Vec<String> {
        let held = pins.compare(tools, Language::English);
        for tool in tools {
            self.held.remove(&tool.name);
        }
        for (name, why) in &held {
            let why: Vec<String> = why.iter().map(|(code, evidence)| format!("{evidence} ({code})")).collect();
            tracing::warn!("a tool is held until a person has seen it: {}", why.join("; "));
            if let Some(definition) = tools.iter().find(|tool| tool.name == *name).cloned() {
                self.held.insert(name.clone(), HeldTool { definition, why: why.join("; ") });
            }
        }
        held.into_iter().map(|(name, _)| name).collect()
    }

    /// Why a tool is held; it is looked up again, because somebody may have approved it by now.
    pub(super) fn find_held(&mut self, pins: &PinFile, name: &str) -> Option<HeldTool> {
        let known = self.held.get(name)?.definition.clone();
        self.compare(pins, &[known]);
        self.held.get(name).cloned()
    }

    /// The guard of the tools under some rules.
    pub(super) fn guard(&mut self, rules: &Arc<Rules>) -> Arc<Guard> {
        if let Some((under, guard)) = &self.guard
            && Arc::ptr_eq(under, rules)
        {
            return Arc::clone(guard);
        }
        let tools = self.tools.as_ref().map(|tools| tools.to_vec());
        let guard = Arc::new(Guard::new(tools, Arc::clone(&rules.policy)));
        self.guard = Some((Arc::clone(rules), Arc::clone(&guard)));
        guard
    }
}

/// The tools of an answer, as they are written there.
pub(super) fn read_listed(text: &str, count: usize) -> Vec<ToolSpec> {
    let list = find(text, "/result/tools").unwrap_or_default();
    (0..count).filter_map(|at| read_tool(find(list, &format!("/{at}"))?).ok()).collect()
}

/// So many tools of one server are known.
const MOST_TOOLS: usize = 10_000;
/// So many pages of one list are asked for.
const MOST_PAGES: usize = 100;
