//! The parts that the demo model plays for hosted agents: concierge, planner, solver; and the faults that agents must bear.

use super::{Heard, bytes, read};
use countersign::contract::Language;
use countersign::parse::plan::{Trouble, citations, plan};
use countersign::parse::{Finish, KnownTools, Protocol, TagRead, read_output};
use countersign::wire::tools::read_tools;
use countersign_runtime::agents;
use countersign_runtime::models::{Ask, DemoModel, DemoRoute, Model};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;

fn said(model: Option<&str>, system: &str, words: &[&str], tools: Vec<Value>) -> Heard {
    let messages = std::iter::once(json!({"role": "system", "content": system}));
    let messages = messages.chain(words.iter().map(|words| json!({"role": "user", "content": words}))).collect();
    let ask = Ask { model: model.map(str::to_owned), messages, tools };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let said = runtime.block_on(async {
        let answer = DemoModel::new(0).with_pace(Duration::ZERO).ask(ask).await.unwrap();
        answer.map(Result::unwrap).collect::<Vec<_>>().await.concat()
    });
    read(DemoRoute::Chat, &String::from_utf8_lossy(&said))
}

fn concierge(model: Option<&str>, language: Language, words: &[&str]) -> String {
    said(model, agents::concierge(language), words, Vec::new()).text
}

fn tags(text: &str) -> Vec<TagRead> {
    let protocol = Protocol::from_name("concierge", None).unwrap();
    read_output(&protocol, &[], &[text], Finish::Stop, None).tags.unwrap_or_default()
}

fn names(text: &str) -> Vec<String> {
    tags(text).into_iter().map(|tag| tag.tag).collect()
}

// STREAM-7: what a question asks for decides what the concierge writes, in both languages.
#[test]
fn the_concierge_writes_what_is_asked_for() {
    for (question, wanted) in [
        ("Search for heat pumps and solar panels", vec!["web_search", "web_search"]),
        ("Please look up the tides in Brest", vec!["web_search", "web_search"]),
        ("请搜索热泵的价格", vec!["web_search", "web_search"]),
        ("Delegate this: compare both and report", vec!["call_orchestrator"]),
        ("这需要多步完成，请委派", vec!["call_orchestrator"]),
        ("Remember that I like tea", vec!["create_note"]),
        ("请记下：我喜欢茶", vec!["create_note"]),
        ("Save this paragraph about tea", vec!["save_material"]),
        ("保存这段资料", vec!["save_material"]),
        ("Give me three options for lunch", vec!["confirm", "confirm", "confirm"]),
        ("给我列出几点要点", vec!["confirm", "confirm", "confirm"]),
    ] {
        let language = Language::of(question);
        for model in ["demo-clean", "demo"] {
            assert_eq!(names(&concierge(Some(model), language, &[question])), wanted, "{model}: {question}");
        }
        assert_eq!(names(&concierge(None, language, &[question])), wanted, "{question}");
    }
    // The usual model errs, the clean one does not.
    let clean = concierge(Some("demo-clean"), Language::English, &["Search for heat pumps and solar panels"]);
    let usual = concierge(None, Language::English, &["Search for heat pumps and solar panels"]);
    assert!(clean.contains("<web_search>heat pumps</web_search>\n<web_search>solar panels</web_search>"), "{clean}");
    assert!(usual.contains("web_serch") || !usual.ends_with("</web_search>"), "{usual}");
    // A material gets its number elsewhere.
    let saved = tags(&concierge(None, Language::English, &["Save this paragraph about tea"])).remove(0).fields.unwrap();
    assert_eq!(saved.get("id"), None);
    // Other questions are answered as ever.
    let plain = concierge(None, Language::English, &["How did sales do?"]);
    assert!(plain.ends_with("<create_note><name>demo</name><content>The market grew by 25%."), "{plain}");
}

// STREAM-7: results are answered from, and nothing is searched for again.
#[test]
fn the_concierge_answers_from_results() {
    let question = "Search for heat pumps and save what you find";
    for results in [
        "Search results\n1. Heat pumps explained — https://a.example/heat\n2. Prices (http://b.example/p)\n",
        "Search results:\n[{\"title\": \"Heat pumps explained\", \"link\": \"https://a.example/heat\", \"content\": \"\"}, \
         {\"title\": \"Prices\", \"link\": \"http://b.example/p\"}]",
        "Search results\ntitle: Heat pumps explained\nlink: https://a.example/heat\n\ntitle: Prices\nlink: http://b.example/p",
    ] {
        let text = concierge(Some("demo-clean"), Language::English, &[question, results]);
        assert!(
            text.contains("- Heat pumps explained: https://a.example/heat\n- Prices: http://b.example/p"),
            "{text}"
        );
        assert_eq!(names(&text), ["save_material"]);
    }
    let text = concierge(None, Language::Chinese, &["搜索热泵", "搜索结果\n没有结果"]);
    assert_eq!(text, "搜索没有找到能回答这个问题的内容。");
    // The next question is a question again.
    let again = ["Search results\n1. A — https://a.example", "Search for tea"];
    assert_eq!(names(&concierge(None, Language::English, &again)), ["web_search", "web_search"]);
}

// PARSE-1: each way of writing tags wrong is told apart from the right one, and is read as what was meant.
#[test]
fn every_kind_of_broken_tag_is_read_as_meant() {
    for question in ["Search for heat pumps and solar panels", "Remember that I like tea", "Delegate this to others"] {
        let right = concierge(Some("demo-clean"), Language::English, &[question]);
        let meant = names(&right);
        for fault in [
            "case",
            "misspelt",
            "unclosed",
            "stray",
            "mismatch",
            "nested",
            "attributes",
            "fullwidth",
            "fence",
            "entities",
        ] {
            let text = concierge(Some(&format!("demo-tag-{fault}")), Language::English, &[question]);
            assert_ne!(text, right, "{fault}");
            let mut found = names(&text);
            found.dedup();
            let mut wanted = meant.clone();
            wanted.dedup();
            // A tag in a fence is a quotation unless the turn decides otherwise.
            if fault != "fence" {
                assert_eq!(found, wanted, "{fault}: {text}");
            }
        }
    }
    // It errs whatever it is asked.
    assert_eq!(names(&concierge(Some("demo-tag-case"), Language::English, &["Hello"])), ["create_note"]);
    assert_eq!(names(&concierge(Some("demo-search"), Language::English, &["Hello"])), ["web_search"; 3]);
    assert_eq!(names(&concierge(Some("demo-delegate"), Language::Chinese, &["你好"])), ["call_orchestrator"]);
    let results = ["Hello", "Search results\n1. A — https://a.example"];
    assert_eq!(names(&concierge(Some("demo-loop"), Language::English, &results)), ["web_search"]);
}

const TOOLS: &str = r#"
- kb_search({"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}): Search the knowledge base (all of it): documents.
- create_note({"type":"object","properties":{"name":{"type":"string"},"content":{"type":"string"}},"required":["name","content"]}): Keep a note 记录笔记
- get_weather({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}): The weather in a city 查询城市天气
- ping(): "#;

fn known() -> KnownTools {
    let listed = TOOLS.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("- ")?.split_once('(')?;
        let schema: Value = serde_json::from_str(rest.split_once("): ")?.0).unwrap_or(json!({"properties": {}}));
        Some(json!({"name": name, "parameters": schema}))
    });
    KnownTools::of(&read_tools(&Value::Array(listed.collect()).to_string()).unwrap())
}

fn planned(model: Option<&str>, language: Language, question: &str) -> String {
    let system = format!("You are careful.\n\n{}\n{TOOLS}", agents::planner(language));
    said(model, &system, &[question], Vec::new()).text
}

// STREAM-7: a plan over the listed tools, the second step on the first; as JSON; broken.
#[test]
fn the_planner_plans_over_the_listed_tools() {
    let question = "How is the weather in Oslo? Keep it in a note.";
    let wanted = ["get_weather", "create_note"];
    for (model, language, question) in [
        (None, Language::English, question),
        (Some("demo-clean"), Language::English, question),
        (Some("demo-plan-json"), Language::English, question),
        (Some("demo-plan-json"), Language::Chinese, "查询Oslo的城市天气，再记录笔记"),
        (None, Language::Chinese, "查询Oslo的城市天气，再记录笔记"),
    ] {
        let text = planned(model, language, question);
        let found = plan(&text, &known());
        assert_eq!(found.troubles, [], "{text}");
        let tools: Vec<&str> = found.steps.iter().map(|step| step.tool.as_str()).collect();
        assert_eq!(tools, wanted, "{text}");
        assert_eq!(found.steps[1].depends_on, ["#E1"], "{text}");
        assert_eq!(found.steps[1].arguments["content"], "#E1");
    }
    assert_eq!(planned(None, Language::English, "Hello there"), "Plan: none");
    let broken = plan(&planned(Some("demo-plan-broken"), Language::English, question), &known());
    let troubles: Vec<Trouble> = broken.troubles.iter().map(|trouble| trouble.code).collect();
    assert_eq!(troubles, [Trouble::UnknownTool, Trouble::Cycle, Trouble::Cycle]);
    assert_eq!(broken.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["#E3", "#E4"]);
    assert_eq!(
        plan(&planned(Some("demo-pseudo"), Language::English, question), &known()).troubles[0].code,
        Trouble::NoPlan
    );
}

// STREAM-7: an answer from the evidence, with its marks; what failed says nothing.
#[test]
fn the_solver_answers_from_the_evidence() {
    let evidence = "Evidence\n#E1 = get_weather: 18 °C\nand rain\n#E2 = create_note: failed: no room";
    let text = said(None, agents::solver(Language::English), &["How is the weather?", evidence], Vec::new()).text;
    assert!(text.contains("18 °C\nand rain [#E1]") && !text.contains("no room"), "{text}");
    let cited: Vec<String> = citations(&text).into_iter().map(|cited| cited.id).collect();
    assert_eq!(cited, ["#E1", "#E2"]);
    let system = agents::solver(Language::Chinese);
    let text = said(None, system, &["证据\n#E1 get_weather：18度", "天气怎么样？"], Vec::new()).text;
    assert_eq!(text, "查到：get_weather：18度 [#E1]");
    let text = said(Some("demo-claims"), system, &["证据\n#E1：18度"], Vec::new()).text;
    assert!(text.contains("37%"), "{text}");
}

// STREAM-7: the tools that every agent has are called where a question speaks of them, not because they are there.
#[test]
fn tools_of_the_house_are_not_called_for_nothing() {
    let tool = |name: &str, description: &str| {
        json!({"type": "function", "function": {"name": name, "description": description,
            "parameters": {"type": "object", "properties": {}}}})
    };
    let house = vec![tool("list_notes", "Lists the notes of this session."), tool("kb_search", "Searches documents.")];
    let said =
        |question: &str, tools: Vec<Value>| said(Some("demo-clean"), "You are careful.", &[question], tools).calls;
    assert!(said("How did sales do?", house.clone()).is_empty());
    assert_eq!(said("Show me my notes", house.clone())[0].name, "list_notes");
    let all: Vec<Value> = house.into_iter().chain([tool("get_weather", "")]).collect();
    assert!(said("How did sales do?", all.clone()).is_empty());
    assert_eq!(said("How is the weather?", all)[0].name, "get_weather");
}

// STREAM-6: a model that never stops, in three ways, and one that makes no sense.
#[test]
fn some_models_never_behave() {
    let tool = json!({"type": "function", "function": {"name": "get_weather", "description": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}});
    let mut messages = vec![json!({"role": "user", "content": "How is the weather in Oslo?"})];
    let mut calls = Vec::new();
    for round in 0..5 {
        let body = json!({"model": "demo-loop", "messages": messages, "tools": [tool]});
        let heard = read(DemoRoute::Chat, &bytes(0, DemoRoute::Chat, body.to_string().as_bytes()).1);
        calls.push((heard.calls[0].name.clone(), heard.calls[0].arguments.clone()));
        let id = format!("c{round}");
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function",
            "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}));
        let result = if round % 2 == 0 { "18 °C" } else { "error: not again" };
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
    }
    assert!(calls.iter().all(|call| *call == calls[0]) && calls[0].0 == "get_weather");
    for route in super::ROUTES {
        let flood = super::request(route, "demo-flood", "Hi");
        let flood = super::with(super::with(flood, "stream", json!(true)), "max_tokens", json!(10_000_000));
        assert!(super::heard(route, &flood).text.len() >= 1 << 20);
        let garbage = super::with(super::request(route, "demo-garbage", "Hi"), "stream", json!(true));
        let (status, text) = bytes(0, route, garbage.to_string().as_bytes());
        assert!(status == 200 && text.contains("502 Bad Gateway") && text.ends_with("data: [DONE]\n\n"));
    }
}

// STREAM-6: the model that hangs has begun, and says nothing for minutes.
#[tokio::test(start_paused = true)]
async fn one_model_hangs() {
    let messages = vec![json!({"role": "user", "content": "Hi"})];
    let ask = Ask { model: Some("demo-hang".to_owned()), messages, tools: Vec::new() };
    let mut answer = DemoModel::default().ask(ask).await.unwrap();
    let first = answer.next().await.unwrap().unwrap();
    assert!(first.starts_with(b"data: {"));
    let begun = tokio::time::Instant::now();
    while answer.next().await.is_some() {}
    assert!(begun.elapsed() >= Duration::from_secs(600));
}
