//! Plans: the cases of `conformance/parse/plans.jsonl`, and the laws of reading, filling and citing.
// STREAM-7

use crate::parse_formats::cases;
use crate::stopwatch::Stopwatch;
use countersign::parse::KnownTools;
use countersign::parse::plan::{PlanRead, Trouble, citations, fill, plan};
use countersign::wire::tools::read_tools;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use std::time::Duration;

static TOOLS: LazyLock<KnownTools> = LazyLock::new(|| {
    let tools = json!([
        {"name": "get_weather", "parameters": {"type": "object", "properties": {"days": {"type": "integer"},
            "city": {"type": "string"}}, "required": ["city"]}},
        {"name": "send_mail", "parameters": {"type": "object", "properties": {"to": {"type": "string"},
            "text": {"type": "string"}}, "required": ["to", "text"]}},
        {"name": "write_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"},
            "content": {"type": "string"}}}},
        {"name": "ping", "parameters": {"type": "object", "properties": {}}},
        {"name": "wait", "parameters": {"type": "object", "properties": {"seconds": {"type": "integer"}},
            "required": ["seconds"]}}
    ]);
    KnownTools::of(&read_tools(&tools.to_string()).unwrap())
});

fn read(text: &str) -> PlanRead {
    plan(text, &TOOLS)
}

#[test]
fn every_plan_is_read_as_written() {
    let rows = include_str!("../../../../conformance/parse/plans.jsonl").lines();
    let rows: Vec<Value> = rows.map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let found = read(row["text"].as_str().unwrap());
        let steps = serde_json::to_value(&found.steps).unwrap();
        let troubles: Vec<&str> = found.troubles.iter().map(|trouble| trouble.code.as_str()).collect();
        if steps != row["steps"] || json!(troubles) != row["troubles"] {
            wrong.push(format!("{}: {}\n  {steps}\n  {:?}", row["id"], row["note"], found.troubles));
        }
        for (id, missing) in row["missing"].as_object().into_iter().flatten() {
            let step = found.steps.iter().find(|step| step.id == *id).unwrap();
            assert_eq!(&json!(step.missing), missing, "{}", row["id"]);
        }
    }
    assert!(rows.len() >= 40);
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn a_bare_input_has_the_type_that_its_parameter_asks_for() {
    let steps = read("#E1 = wait[5]\n#E2 = wait[#E1]\n#E3 = get_weather[5]").steps;
    let arguments: Vec<Value> = steps.into_iter().map(|step| Value::Object(step.arguments)).collect();
    assert_eq!(arguments, [json!({"seconds": 5}), json!({"seconds": "#E1"}), json!({"city": "5"})]);
}

#[test]
fn troubles_tell_where_and_what() {
    let text = "Plan: w\n#E1 = launch[now]";
    let found = read(text);
    let trouble = &found.troubles[0];
    assert_eq!((trouble.code, trouble.at, trouble.step.as_deref()), (Trouble::UnknownTool, 8, Some("#E1")));
    assert!(trouble.note.contains("launch"), "{}", trouble.note);
    assert!(read("#E1 = wait[5").steps[0].unclosed);
    // Where no tools are known, none is unknown.
    assert!(plan(text, &KnownTools::of(&[])).troubles.is_empty());
}

#[test]
fn results_take_the_place_of_references_once() {
    let arguments = object(json!({"exact": "#E1", "inside": "a #E1, #E12 and #E3", "deep": [{"x": "＃Ｅ２"}], "n": 1,
        "number": "#E4", "flag": "#E5", "thing": "#E6", "long": "#E7", "text": "#E8"}));
    let evidence = |id: &str| {
        let found = match id {
            "#E1" => "say #E2",
            "#E2" => "two",
            "#E12" => "twelve",
            "#E4" => "3.5",
            "#E5" => "true",
            "#E6" => "{\"a\": [\"#E2\"]}",
            "#E7" => "12345678901234567890123",
            "#E8" => r#""quoted""#,
            _ => return None,
        };
        Some(found.to_owned())
    };
    let filled = Value::Object(fill(&arguments, &evidence));
    assert_eq!(
        filled,
        json!({"exact": "say #E2", "inside": "a say #E2, twelve and #E3", "deep": [{"x": "two"}], "n": 1,
            "number": 3.5, "flag": true, "thing": {"a": ["#E2"]}, "long": "12345678901234567890123",
            "text": "\"quoted\""})
    );
}

#[test]
fn what_is_filled_in_has_an_end() {
    let arguments = object(json!({"text": "#E1 ".repeat(10_000)}));
    let filled = fill(&arguments, &|_| Some("x".repeat(100_000)));
    assert!(filled["text"].as_str().unwrap().len() < 5 << 20);
}

#[test]
fn answers_cite_evidence() {
    let text = "It is 18 °C [#E1]. 见【#E2】和 #E3。 Also [E4], [#E5, #E6] and [e]; not #E1A2B3, [E], [Excel] or [1].";
    let found: Vec<(String, &str)> =
        citations(text).into_iter().map(|cited| (cited.id, &text[cited.span.start..cited.span.end])).collect();
    let wanted =
        [("#E1", "[#E1]"), ("#E2", "【#E2】"), ("#E3", "#E3"), ("#E4", "[E4]"), ("#E5", "#E5"), ("#E6", "#E6")];
    assert_eq!(found, wanted.map(|(id, at)| (id.to_owned(), at)));
}

#[test]
fn time_grows_with_the_length_alone() {
    for piece in [
        "#E1 = ",
        "#E1 = a[",
        "Plan: ",
        "#",
        "[",
        "#E1 = LLM[{\"a\":",
        "- 1. ",
        "＃Ｅ１＝",
        "{\"steps\":[",
        "[#E1, ",
        "```\n",
        "</think>",
    ] {
        let (small, large) = (time(piece, 50_000), time(piece, 400_000));
        assert!(large < small * 40 + Duration::from_millis(400), "{piece:?}: {small:?} then {large:?}");
    }
}

fn time(piece: &str, bytes: usize) -> Duration {
    let text = piece.repeat(bytes / piece.len());
    let begun = Stopwatch::start();
    let _ = (read(&text), citations(&text));
    begun.elapsed()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::with_cases(cases(500)) })]

    #[test]
    fn nothing_makes_it_fall_over(parts in prop::collection::vec(prop::sample::select(FRAGMENTS), 0..24), more in "[ -~\\n＃Ｅ１［］]{0,40}") {
        let text = parts.concat() + &more;
        laws(&read(&text), &text)?;
        for cited in citations(&text) {
            prop_assert!(text.get(cited.span.start..cited.span.end).is_some());
        }
    }

    #[test]
    fn damaged_plans_keep_the_laws(row in 0usize..1000, at in 0usize..300, fragment in 0usize..FRAGMENTS.len(), take in 0usize..9) {
        let rows: Vec<&str> = include_str!("../../../../conformance/parse/plans.jsonl").lines().collect();
        let case: Value = serde_json::from_str(rows[row % rows.len()]).unwrap();
        let mut text: Vec<char> = case["text"].as_str().unwrap().chars().collect();
        let at = at.min(text.len());
        let end = (at + take).min(text.len());
        text.splice(at..end, FRAGMENTS[fragment].chars());
        let text: String = text.into_iter().collect();
        laws(&read(&text), &text)?;
    }

    #[test]
    fn blanks_between_the_parts_do_not_matter(blanks in prop::collection::vec(prop::sample::select(&["", " ", "\n", "  \n ", "\t"][..]), 8)) {
        let [a, b, c, d, e, f, g, h] = <[&str; 8]>::try_from(blanks).unwrap();
        let line = |text: &str| text.replace('\n', " ");
        let text = format!(
            "{a}Plan:{b}w\n{c}#E1{d}={e}get_weather{}[{f}{{\"city\":{g}\"Oslo\"}}{h}]\n#E2 = LLM[{a}#E1?{b}]", line(h)
        );
        let found = read(&text);
        prop_assert_eq!(&found.troubles, &vec![]);
        let steps = serde_json::to_value(&found.steps).unwrap();
        let wanted = json!([
            {"id": "#E1", "description": "w", "tool": "get_weather", "arguments": {"city": "Oslo"}, "depends_on": []},
            {"id": "#E2", "description": "", "tool": "LLM", "arguments": {"input": "#E1?"}, "depends_on": ["#E1"]}
        ]);
        prop_assert_eq!(steps, wanted);
    }

    #[test]
    fn filling_is_not_recursive(text in "(#E1|#E2|#E12|#|E1|2|a| ){0,12}", evidence in "(#E1|#E2|#|E1|2|b| ){0,6}") {
        let filled = fill(&object(json!({"x": text, "y": [text]})), &|id| (id == "#E1").then(|| format!("<{evidence}>")));
        let once = citations_alone(&text, &evidence);
        prop_assert_eq!(&filled["x"], &Value::String(once.clone()));
        prop_assert_eq!(&filled["y"][0], &Value::String(once));
    }
}

/// The same by hand: what is between the references stays, and the evidence is put in as it is.
fn citations_alone(text: &str, evidence: &str) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices("#E1") {
        let follows = text[at + 3..].chars().next();
        if at < from || follows.is_some_and(|c| c.is_ascii_alphanumeric()) {
            continue;
        }
        out.push_str(&text[from..at]);
        out.push_str(&format!("<{evidence}>"));
        from = at + 3;
    }
    out + &text[from..]
}

/// What holds for every plan.
fn laws(found: &PlanRead, text: &str) -> Result<(), TestCaseError> {
    prop_assert!(found.steps.len() <= 32);
    prop_assert!(
        !found.steps.is_empty()
            || !found.troubles.is_empty()
            || text.to_lowercase().contains(['n', '无', '没', '不', '['])
    );
    let mut done: Vec<&str> = Vec::new();
    for _ in &found.steps {
        let ready = found.steps.iter().filter(|step| step.depends_on.iter().all(|id| done.contains(&id.as_str())));
        let ready: Vec<&str> = ready.map(|step| step.id.as_str()).filter(|id| !done.contains(id)).collect();
        done.extend(ready);
    }
    prop_assert_eq!(done.len(), found.steps.len(), "every step comes to its turn: {:?}", found.steps);
    for step in &found.steps {
        prop_assert!(!step.tool.is_empty() && !step.depends_on.iter().any(|id| step.missing.contains(id)));
        prop_assert_eq!(found.steps.iter().filter(|other| other.id == step.id).count(), 1);
    }
    for trouble in &found.troubles {
        prop_assert!(trouble.at <= text.len() && !trouble.note.is_empty());
    }
    Ok(())
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

const FRAGMENTS: &[&str] = &[
    "#E1",
    "#E2 = ",
    "#E3=LLM[",
    "get_weather",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\"city\": ",
    "Oslo",
    "\n",
    "Plan: ",
    "none",
    "＃Ｅ１",
    "＝",
    "［",
    "］",
    "E4: ",
    "ping",
    "(",
    ")",
    "=",
    ", ",
    "{\"steps\": [",
    "\"tool\": \"ping\"",
    "\"id\": \"E1\"",
    "```",
    "</think>",
    "1. ",
    "- ",
    "计划：",
    "#e1",
    "#E99999",
    "\\",
    "\u{feff}",
    "depends_on",
    "#E1 = ping[#E2]\n",
    "#E2 = ping[#E1]\n",
];
