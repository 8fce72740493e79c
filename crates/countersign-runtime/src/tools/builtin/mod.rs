//! The tools that every hosted agent has: notes, materials, and the knowledge base where there is one.
//!
//! They see the session that a call belongs to, and never another one.

/// What a model is told.
mod specs;
/// Notes and materials.
mod things;
/// The knowledge base.
mod library;

use super::tool::{Limits, Reach, Runner, Tool};
use super::toolbox::ToolSource;
use crate::factcheck::Library;
use crate::sessions::{Sessions, ThingKind};
use async_trait::async_trait;
use library::Searching;
use serde_json::Value;
use std::sync::Arc;
use things::{Keep, List};

/// The built-in tools.
pub struct Builtin {
    tools: Vec<Arc<Tool>>,
}

impl Builtin {
    /// The built-in tools over sessions and, where there is one, a knowledge base.
    pub fn new(sessions: Sessions, library: Option<Arc<dyn Library>>) -> Arc<Self> {
        let keep = |kind| Arc::new(Keep { sessions: sessions.clone(), kind });
        let list = |kind| Arc::new(List { sessions: sessions.clone(), kind });
        let mut tools = vec![
            tool("create_note", specs::create_note(), Reach::Acts, keep(ThingKind::Note)),
            tool("list_notes", specs::list_notes(), Reach::Reads, list(ThingKind::Note)),
            tool("save_material", specs::save_material(), Reach::Acts, keep(ThingKind::Material)),
            tool("list_materials", specs::list_materials(), Reach::Reads, list(ThingKind::Material)),
        ];
        if let Some(library) = library {
            tools.push(tool("kb_search", specs::kb_search(), Reach::Reads, Arc::new(Searching::new(library))));
        }
        Arc::new(Self { tools })
    }
}

#[async_trait]
impl ToolSource for Builtin {
    async fn tools(&self) -> Vec<Arc<Tool>> {
        self.tools.clone()
    }
}

fn tool(name: &str, spec: Value, reach: Reach, runner: Arc<dyn Runner>) -> Arc<Tool> {
    let (name, source, limits) = (name.to_owned(), Arc::from("builtin"), Limits::default());
    Arc::new(Tool { name, spec, source, reach, limits, runner })
}
