//! Arbitrary text as a plan: every step comes to its turn, results are put in once, and citations lie in the text.
#![no_main]

use countersign::parse::KnownTools;
use countersign::parse::plan::{citations, fill, plan};
use countersign::wire::tools::read_tools;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TOOLS: LazyLock<KnownTools> = LazyLock::new(|| {
    let tools = r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"days": {"type": "integer"},
        "city": {"type": "string"}}, "required": ["city"]}}, {"name": "ping", "parameters": {"type": "object", "properties": {}}}]"#;
    KnownTools::of(&read_tools(tools).unwrap_or_default())
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let found = plan(text, &TOOLS);
    assert!(found.steps.len() <= 32);
    let mut done: Vec<&str> = Vec::new();
    for _ in &found.steps {
        for step in &found.steps {
            if !done.contains(&step.id.as_str()) && step.depends_on.iter().all(|id| done.contains(&id.as_str())) {
                done.push(&step.id);
            }
        }
    }
    assert_eq!(done.len(), found.steps.len(), "every step comes to its turn");
    for step in &found.steps {
        let _ = fill(&step.arguments, &|id| Some(format!("{id}#E1")));
    }
    for cited in citations(text) {
        assert!(text.get(cited.span.start..cited.span.end).is_some());
    }
    assert!(found.troubles.iter().all(|trouble| trouble.at <= text.len()));
});
