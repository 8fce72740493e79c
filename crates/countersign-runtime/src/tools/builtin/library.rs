//! The knowledge base, searched: passages with the document and the place in it.

use super::super::order::Order;
use super::super::tool::{Ran, Runner, ToolContext, ToolTrouble};
use crate::factcheck::{Library, LibraryPassage, Line};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Searches a knowledge base.
pub(super) struct Searching {
    library: Arc<dyn Library>,
    /// A search cannot be broken off: those that nobody waits for any more still count.
    slots: Arc<Semaphore>,
}

impl Searching {
    pub(super) fn new(library: Arc<dyn Library>) -> Self {
        Self { library, slots: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

#[async_trait]
impl Runner for Searching {
    async fn run(&self, order: &Order, _place: &ToolContext) -> Result<Ran, ToolTrouble> {
        let query = order.arguments().get("query").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        if query.is_empty() {
            return Ok(Ran::failed("`query` is empty: say what to look for"));
        }
        let limit = order.arguments().get("limit").and_then(Value::as_u64).map_or(USUAL, |limit| limit as usize);
        let limit = limit.clamp(1, MOST);
        let failed = |why: String| ToolTrouble::Failed(format!("the knowledge base cannot be searched: {why}"));
        let slot = Arc::clone(&self.slots).acquire_owned().await.map_err(|error| failed(error.to_string()))?;
        let library = Arc::clone(&self.library);
        let looking = tokio::task::spawn_blocking(move || {
            let passages = library.passages(&query, limit);
            drop(slot);
            passages
        });
        let passages = looking.await.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.0))?;
        let passages: Vec<Value> = passages.iter().take(limit).map(render).collect();
        Ok(Ran::of(json!({"passages": passages})))
    }
}

fn render(passage: &LibraryPassage) -> Value {
    let line = match passage.line {
        Line::Unknown => None,
        Line::From(line) | Line::Counted(line) => Some(line),
    };
    let place = line.map_or_else(|| passage.place.clone(), |line| format!("{}:{line}", passage.place));
    json!({"source": passage.place, "place": place, "headings": passage.headings, "text": passage.text})
}

/// How many searches run at once.
const AT_ONCE: usize = 4;
/// How many passages are given where nobody says.
const USUAL: usize = 5;
const MOST: usize = 20;
