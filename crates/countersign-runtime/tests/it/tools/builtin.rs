//! The built-in tools: notes and materials of one session, and the knowledge base.

use super::{call, find, order, place};
use crate::streams::bench::hub;
use countersign_runtime::factcheck::{Library, LibraryError, LibraryPassage, Line};
use countersign_runtime::sessions::Sessions;
use countersign_runtime::store::memory::{MemoryLog, MemoryRecords};
use countersign_runtime::tools::{Builtin, Reach, ToolSource, run};
use serde_json::{Value, json};
use std::sync::Arc;

struct Shelf;

impl Library for Shelf {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        if query == "broken" {
            return Err(LibraryError("the index is being made".to_owned()));
        }
        let passage = |number: usize| LibraryPassage {
            place: format!("report{number}.md"),
            headings: vec!["Revenue".to_owned()],
            text: format!("{query} {number}"),
            start: 0,
            line: Line::Counted(12),
        };
        // More than were asked for.
        Ok((0..limit + 3).map(passage).collect())
    }
}

fn builtin(library: Option<Arc<dyn Library>>) -> Arc<Builtin> {
    let log = Arc::new(MemoryLog::default());
    let sessions = Sessions::new(Arc::new(MemoryRecords::default()), hub(&log, "here"));
    Builtin::new(sessions, library)
}

async fn in_session(source: &Builtin, session: &str, name: &str, arguments: Value) -> Value {
    let outcome = run(&find(source, name).await, order(name, &arguments), place(session)).await;
    assert!(!outcome.is_error, "{outcome:?}");
    outcome.content
}

// STREAM-5, STREAM-7
#[tokio::test]
async fn notes_and_materials_stay_in_their_session() {
    let source = builtin(None);
    let note = in_session(&source, "one", "create_note", json!({"name": "plan", "content": "buy milk"})).await;
    assert_eq!(note["name"], "plan");
    for (id, expected) in [(json!(null), "1"), (json!("7"), "7"), (json!(7), "7"), (json!(null), "8")] {
        let saved = in_session(&source, "one", "save_material", json!({"id": id, "content": "m"})).await;
        assert_eq!(saved["id"], expected);
    }
    let notes = in_session(&source, "one", "list_notes", json!({})).await;
    assert_eq!((&notes["count"], &notes["items"][0]["content"]), (&json!(1), &json!("buy milk")));
    assert_eq!(in_session(&source, "one", "list_materials", json!({})).await["count"], 3);
    for name in ["list_notes", "list_materials"] {
        assert_eq!(in_session(&source, "two", name, json!({})).await, json!({"count": 0, "items": []}));
    }
    let empty = call(&*source, "create_note", json!({"name": "x", "content": " "})).await;
    assert!(empty.is_error, "{empty:?}");
    let wrong = call(&*source, "save_material", json!({"id": "../x", "content": "m"})).await;
    assert!(wrong.is_error && wrong.content.as_str().unwrap().contains("id"), "{wrong:?}");
}

#[tokio::test]
async fn the_knowledge_base_is_searched_where_there_is_one() {
    assert_eq!(builtin(None).tools().await.len(), 4);
    let source = builtin(Some(Arc::new(Shelf)));
    let reach: Vec<(String, Reach)> = source.tools().await.iter().map(|tool| (tool.name.clone(), tool.reach)).collect();
    let acting: Vec<&str> =
        reach.iter().filter(|(_, reach)| *reach == Reach::Acts).map(|(name, _)| name.as_str()).collect();
    assert_eq!(acting, ["create_note", "save_material"]);
    let found = in_session(&source, "one", "kb_search", json!({"query": "revenue", "limit": 2})).await;
    let passage =
        json!({"source": "report0.md", "place": "report0.md:12", "headings": ["Revenue"], "text": "revenue 0"});
    assert_eq!((found["passages"].as_array().unwrap().len(), &found["passages"][0]), (2, &passage));
    assert_eq!(
        in_session(&source, "one", "kb_search", json!({"query": "x"})).await["passages"].as_array().unwrap().len(),
        5
    );
    let broken = call(&*source, "kb_search", json!({"query": "broken"})).await;
    assert!(broken.is_error && broken.content.as_str().unwrap().contains("being made"), "{broken:?}");
}
