//! `countersign factcheck`: the shape of its answers, its exit codes, and what people see.

use crate::run::{feed, run};
use serde_json::{Value, json};
use std::path::PathBuf;

// CLAIM-3
#[test]
fn claims_are_looked_up_in_the_evidence() {
    let lines = [
        json!({"id": 1, "text": "Revenue grew 25% in 2023.", "evidence": "In 2023, revenue grew by 25%."}),
        json!({"id": 2, "text": "Revenue grew 30% in 2023.", "evidence": ["Revenue grew 25% in 2023."]}),
        json!({"id": 3, "text": "Staff grew 11%.", "evidence": [{"call_id": "c1", "content": {"stores": 214}}]}),
        json!({"id": 4, "text": "Hello."}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let ran = feed(&["factcheck"], input.as_bytes());
    let answers = ran.lines();
    assert_eq!(ran.code, 1, "{}", ran.err);
    let claim = &answers[0]["claims"][0];
    assert_eq!(
        (&claim["status"], &claim["verified"], &claim["text"]),
        (&json!("verified"), &json!(true), &json!("25%"))
    );
    assert_eq!(claim["source"]["name"], "tool_result");
    assert_eq!((&answers[0]["needs_verify"], &answers[0]["content"]), (&json!(false), &lines_text()));
    assert_eq!(answers[1]["summary"]["disputed"], 1);
    assert!(answers[1]["claims"][0]["verify_note"].as_str().is_some_and(|note| note.contains("not 30%")));
    assert_eq!(answers[2]["claims"][0]["status"], "unverifiable");
    assert_eq!(answers[3]["summary"], json!({"verified": 0, "disputed": 0, "unverifiable": 0, "pending": 0}));
    assert_eq!(feed(&["factcheck"], lines_passed().as_bytes()).code, 0);
}

// CLAIM-3
#[test]
fn marked_claims_are_taken_as_they_are() {
    let text = "Revenue grew 25% in 2023.";
    let marked = feed(&["claims"], json!({"id": 1, "text": text}).to_string().as_bytes()).lines().remove(0);
    let mut claims = marked["claims"].clone();
    claims[0]["status"] = json!("verified");
    claims[0]["id"] = json!("m1.0");
    let line = json!({"id": 1, "text": text, "claims": claims, "evidence": "In 2023, revenue grew by 26%."});
    let answer = feed(&["factcheck"], line.to_string().as_bytes()).lines().remove(0);
    assert_eq!((&answer["claims"][0]["status"], &answer["claims"][0]["id"]), (&json!("verified"), &json!("m1.0")));
    claims[0]["start"] = json!(3);
    for (key, value, told) in [
        ("claims", claims, "is not at"),
        ("claims", json!(7), "must be a list"),
        ("evidence", json!([7]), "must be a string or an object"),
        ("evidence", json!([{"call_id": "c"}]), "has no `content`"),
        ("text", json!(7), "must be a string"),
    ] {
        let mut line = json!({"id": 1, "text": text});
        line[key] = value;
        let ran = feed(&["factcheck"], line.to_string().as_bytes());
        assert_eq!(ran.code, 1);
        assert!(ran.lines()[0]["error"].as_str().is_some_and(|error| error.contains(told)), "{}", ran.out);
    }
}

// CLAIM-3
#[test]
fn people_see_each_claim_underlined_with_symbol_and_word() {
    let ran = run(&["factcheck", "--format", "human", "examples/factcheck.jsonl"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    for part in ["✖ disputed", "✔ verified", "? unverifiable", "^^^", "50/40 − 1 = 25%, not 30%", "330 metres"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains('\x1b'));
    assert_eq!(run(&["factcheck", "--kb", "no-such-folder", "examples/factcheck.jsonl"]).code, 2);
}

// CLAIM-3
#[test]
fn claims_are_looked_up_in_a_folder_of_documents() {
    let folder = documents("factcheck-kb");
    let path = folder.display().to_string();
    let checked = |place: &str, text: &str| {
        let ran = feed(&["factcheck", "--kb", place], json!({"id": 1, "text": text}).to_string().as_bytes());
        assert!(ran.err.is_empty(), "no progress beside a terminal: {}", ran.err);
        ran.lines().remove(0)
    };
    let place = |claim: &Value| claim["source"]["place"].as_str().unwrap_or_default().to_owned();
    for (text, claim, status, at) in [
        ("In 2023 the revenue of Halden Mills was $4.1 billion.", "$4.1 billion", "verified", "report.md:7"),
        ("In 2023 the revenue of Halden Mills was $5.2 billion.", "$5.2 billion", "disputed", "report.md:7"),
        ("Halden Mills sold 31% of its wool abroad.", "31%", "unverifiable", ""),
        ("2023年远山公司营收为38亿元。", "38亿元", "verified", "年报.md:3"),
        ("2023年远山公司营收为41亿元。", "41亿元", "disputed", "年报.md:3"),
        ("远山公司的毛利率为27%。", "27%", "unverifiable", ""),
        ("The population of Bergen is 291,940.", "291,940", "verified", "cities.csv:3"),
        ("The population of Bergen is 320,500.", "320,500", "disputed", "cities.csv:3"),
    ] {
        let answer = checked(&path, text);
        let found = answer["claims"].as_array().unwrap().iter().find(|found| found["text"] == claim);
        let found = found.unwrap_or_else(|| panic!("{text}: {answer}"));
        assert_eq!((found["status"].as_str().unwrap(), place(found).as_str()), (status, at), "{text}: {found}");
        if status == "disputed" {
            assert_eq!(found["source"]["name"], "knowledge_base");
            assert!(found["source"]["passage"].as_str().is_some_and(|passage| !passage.is_empty()));
        }
    }
    // The passage stands in the file where it is said to stand.
    let answer = checked(&path, "In 2023 the revenue of Halden Mills was $5.2 billion.");
    let claim = answer["claims"].as_array().unwrap().iter().find(|claim| claim["status"] == "disputed").unwrap();
    let file = std::fs::read_to_string(folder.join("report.md")).unwrap();
    let at = |key: &str| usize::try_from(claim["source"][key].as_u64().unwrap()).unwrap();
    assert_eq!(file.get(at("start")..at("end")), claim["source"]["passage"].as_str());
    // The index alone will do, and a folder is looked at again when it changes.
    let index = folder.join(".countersign-kb").display().to_string();
    let text = "The Hill Line opened in 1931.";
    assert_eq!(checked(&index, text)["claims"][0]["status"], "unverifiable");
    std::fs::write(folder.join("new.txt"), "The Hill Line opened in 1931.").unwrap();
    assert_eq!(checked(&index, text)["claims"][0]["status"], "unverifiable");
    assert_eq!(place(&checked(&path, text)["claims"][0]), "new.txt:1");
    std::fs::write(folder.join(".countersign-kb/manifest"), "half").unwrap();
    assert_eq!(feed(&["factcheck", "--kb", &index], b"").code, 2);
}

/// A folder for one test: Markdown in both languages, and a table.
fn documents(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let report = "# Halden Mills\n\n## Results\n\nThe mill stands by the river.\n\nIn 2023 the revenue of Halden Mills \
                  was $4.1 billion. Costs were flat.\n";
    for (file, text) in [
        ("report.md", report),
        ("年报.md", "# 年报\n\n远山公司2023年营收为38亿元。员工稳定。\n"),
        ("cities.csv", "city,population,country\nOslo,\"709,037\",Norway\nBergen,\"291,940\",Norway\n"),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn lines_text() -> serde_json::Value {
    json!("Revenue grew 25% in 2023.")
}

fn lines_passed() -> String {
    json!({"id": 1, "text": "Revenue grew 25% in 2023.", "evidence": "In 2023, revenue grew by 25%."}).to_string()
}
