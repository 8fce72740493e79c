//! Tag protocols: what models write as tags, and what becomes of it.

use crate::conformance::folder;
use crate::stopwatch::Stopwatch;
use countersign::contract::Language;
use countersign::inspect::parse::parse;
use countersign::parse::tags::{Lines, TagProtocol, concierge, read};
use countersign::parse::{Event, Finish, ParseOptions, Span, TagRead};
use countersign::policy::Policy;
use countersign::wire::outputs::read_parse;
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn events(input: &str) -> Vec<Event> {
    read(&concierge(), [input], Finish::Stop, &ParseOptions::default())
}

fn tags(events: &[Event]) -> Vec<TagRead> {
    events
        .iter()
        .filter_map(|event| if let Event::Tag { tag, .. } = event { Some(tag.clone()) } else { None })
        .collect()
}

/// The readable rest: text, and what could not be understood.
fn text(events: &[Event]) -> String {
    let words = |event: &Event| match event {
        Event::Text { text, .. } | Event::Unrecovered { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(words).collect()
}

fn as_json(events: &[Event]) -> Value {
    serde_json::to_value(tags(events)).unwrap()
}

// PARSE-1 PARSE-5
#[test]
fn every_concierge_case_comes_out_as_written() {
    let (ran, wrong) = run(&folder().join("parse/concierge.jsonl"));
    assert!(ran >= 80, "only {ran} cases");
    assert!(wrong.is_empty(), "{} of {ran}:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(path: &Path) -> (usize, Vec<String>) {
    let rows = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for line in rows.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line).unwrap();
        ran += 1;
        let input = row["input"].as_str().unwrap();
        let finish: Finish =
            row.get("finish_reason").map_or(Finish::Stop, |at| serde_json::from_value(at.clone()).unwrap());
        let events = read(&concierge(), [input], finish, &ParseOptions::default());
        let got = as_json(&events);
        let mut wanted = vec![row["expected_tags"].clone()];
        wanted.extend(row["also"].as_array().cloned().unwrap_or_default());
        let text = text(&events);
        let strings = |key: &str| -> Vec<String> {
            serde_json::from_value(row.get(key).cloned().unwrap_or(Value::Array(vec![]))).unwrap()
        };
        let missing: Vec<_> =
            strings("expected_text_contains").into_iter().filter(|part| !text.contains(part)).collect();
        let left: Vec<_> = strings("expected_text_lacks").into_iter().filter(|part| text.contains(part)).collect();
        if !wanted.contains(&got) || !missing.is_empty() || !left.is_empty() {
            wrong.push(format!(
                "{} ({}): {input:?}\n    want {}\n    got  {got}\n    text {text:?}",
                row["id"], row["note"], row["expected_tags"]
            ));
        }
    }
    (ran, wrong)
}

/// Neighbouring texts joined.
fn joined(events: Vec<Event>) -> Vec<Event> {
    let mut whole: Vec<Event> = Vec::new();
    for event in events {
        match (whole.last_mut(), event) {
            (Some(Event::Text { text, span }), Event::Text { text: more, span: next })
            | (Some(Event::Reasoning { text, span }), Event::Reasoning { text: more, span: next }) => {
                text.push_str(&more);
                span.end = next.end;
            }
            (_, event) => whole.push(event),
        }
    }
    whole
}

fn split(input: &str, cuts: &[usize], finish: Finish, options: &ParseOptions) -> Vec<Event> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for cut in cuts.iter().map(|cut| input.floor_char_boundary(*cut)).chain([input.len()]) {
        if cut >= from {
            pieces.push(&input[from..cut]);
            from = cut;
        }
    }
    joined(read(&concierge(), pieces, finish, options))
}

fn covers(input: &str, events: &[Event]) {
    let mut at = 0;
    for event in events {
        let (span, text): (Span, Option<&str>) = match event {
            Event::Text { text, span } | Event::Reasoning { text, span } | Event::Markup { text, span } => {
                (*span, Some(text))
            }
            Event::Unrecovered { text, span, .. } => (*span, Some(text)),
            Event::Tag { span, .. } => (*span, None),
            _ => continue,
        };
        assert_eq!(span.start, at, "gap or overlap in {input:?}: {events:#?}");
        assert!(text.is_none_or(|text| text == &input[span.start..span.end]), "{event:?}");
        at = span.end;
    }
    assert_eq!(at, input.len(), "not all of {input:?}: {events:#?}");
}

fn laws(input: &str, cuts: &[usize]) {
    for finish in [Finish::Stop, Finish::Length] {
        for max_region in [usize::MAX, 1 << 20, 40, 0] {
            let mut options = ParseOptions::default();
            options.max_region = max_region;
            let whole = split(input, &[], finish, &options);
            covers(input, &whole);
            let each: Vec<usize> = (1..input.len()).collect();
            assert_eq!(whole, split(input, &each, finish, &options), "by characters: {input:?}");
            assert_eq!(whole, split(input, cuts, finish, &options), "by {cuts:?}: {input:?}");
        }
    }
}

// PARSE-4
#[test]
fn every_two_way_cut_gives_the_same_events() {
    let mut inputs: Vec<String> = PIECES.windows(3).map(|three| three.concat()).collect();
    let rows = std::fs::read_to_string(folder().join("parse/concierge.jsonl")).unwrap();
    inputs.extend(
        rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["input"].as_str().unwrap().to_owned()),
    );
    for input in inputs.iter().filter(|input| input.len() < 2000) {
        let whole = split(input, &[], Finish::Stop, &ParseOptions::default());
        covers(input, &whole);
        for cut in 0..input.len() {
            assert_eq!(whole, split(input, &[cut], Finish::Stop, &ParseOptions::default()), "{input:?} at {cut}");
        }
    }
}

const PIECES: &[&str] = &[
    "<confirm1>",
    "</confirm1>",
    "<confirm2",
    "</confirm",
    "<web_search>",
    "</web_search>",
    "<web_serch>",
    "<create_note>",
    "</create_note>",
    "<name>",
    "</name>",
    "<content>",
    "</content>",
    "<save_material id=\"3",
    "\">",
    "<id>",
    "</id>",
    "3",
    "`",
    "``",
    "```",
    "```xml\n",
    "\n",
    "\n\n",
    " ",
    "&lt;",
    "&gt;",
    "&lt;confirm1&gt;",
    "&lt;/confirm1&gt;",
    "＜",
    "＞",
    "／",
    "<think>",
    "</think>",
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "内容",
    "text ",
    "and",
    " tag ",
    "<b>",
    "a < b",
    "\\",
    "\"",
    "'",
    "=",
    "<confirm 2>",
    "<web search>",
    "/>",
    "<web_search query=\"x\"/>",
    "{\"id\":\"1\",\"content\":\"x\"}",
    "id: 3\ncontent: y",
    "<<confirm1>>",
    "〈confirm1〉",
    "\u{200b}",
    "\u{3000}",
    "&amp;lt;",
    "</web_sea",
    "<CONFIRM3>",
    "- ",
    "2. ",
    "**",
    "“",
    "”",
    "</>",
    "<>",
    "</search>",
    "<id=3>",
    "<id/>",
    "confirm(1)",
    ": ",
    "<confirm1/>",
    "</thinking>",
    "<web_search>用于",
];

const WORDS: &[&str] =
    &["a", "b c", " ", "\n", "\n\n", "\n\n\n", "- ", "\n- ", "1. ", "\t", "  x", "y\n", "内容。", "\r\n", "**"];

proptest! {
    // PARSE-4 PARSE-5
    #[test]
    fn any_split_of_anything_gives_the_same_events_and_covers_it(
        parts in proptest::collection::vec(proptest::sample::select(PIECES), 0..14),
        cuts in proptest::collection::vec(0usize..200, 0..6),
    ) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        laws(&parts.concat(), &cuts);
    }

    // PARSE-4 PARSE-5: what is shown piece by piece is what stands there in the end, and sentences have their lines.
    #[test]
    fn lines_do_not_depend_on_how_the_words_came(
        parts in proptest::collection::vec((proptest::bool::ANY, proptest::sample::select(WORDS)), 0..10),
    ) {
        let (mut whole, mut pieces) = (Lines::default(), Lines::default());
        let (mut told, mut shown) = (String::new(), String::new());
        for (sentence, words) in &parts {
            if *sentence {
                told.push_str(&whole.sentence("📝 Kept"));
                shown.push_str(&pieces.sentence("📝 Kept"));
            } else {
                told.push_str(&whole.words(words));
                words.chars().for_each(|c| shown.push_str(&pieces.words(c.encode_utf8(&mut [0; 4]))));
            }
        }
        told.push_str(&whole.finish());
        shown.push_str(&pieces.finish());
        prop_assert_eq!(&told, &shown);
        let alone = |line: &str| line.strip_suffix("📝 Kept").is_some_and(|mark| matches!(mark.trim(), "" | "-" | "1."));
        prop_assert!(told.lines().filter(|line| line.contains("📝")).all(alone), "{:?}", told);
        if !parts.iter().any(|(sentence, _)| *sentence) {
            prop_assert_eq!(told, parts.iter().map(|(_, words)| *words).collect::<String>());
        }
    }

    #[test]
    fn any_text_is_read(input in "\\PC{0,80}", cut in 0usize..80) {
        laws(&input, &[cut]);
    }
}

// T25 T26 T27 T28 T29
#[test]
fn the_seeds_own_cases() {
    let read_as = |input: &str| as_json(&events(input));
    assert_eq!(read_as("<confirm1>A</confirm2>"), serde_json::json!([{"tag": "confirm", "number": 1, "text": "A"}]));
    let report = serde_json::json!([{"tag": "call_orchestrator", "text": "写报告"}]);
    assert_eq!(read_as("<call_orcheator>写报告</call_orcheator>"), report);
    let material =
        serde_json::json!([{"tag": "save_material", "fields": {"id": "3", "content": "abc"}, "name": "material3"}]);
    assert_eq!(read_as("<SAVE_MATERIAL><ID>3</ID><CONTENT>abc"), material);
    for (finish, complete) in [(Finish::Stop, true), (Finish::Length, false), (Finish::Cancelled, false)] {
        let events = read(&concierge(), ["<call_orchestrator>task"], finish, &ParseOptions::default());
        let tag = &tags(&events)[0];
        assert_eq!((tag.complete, tag.unclosed), (complete, true), "{finish:?}");
        assert!(codes(&events).contains(&"tag.unclosed"));
    }
    assert_eq!(text(&events("<web_search>a</web_search>")), "");
    assert_eq!(text(&events("Hello. <web_search>a</web_search>")), "Hello. ");
}

fn codes(events: &[Event]) -> Vec<&'static str> {
    events
        .iter()
        .filter_map(|event| if let Event::Repair(repair) = event { Some(repair.kind.code) } else { None })
        .collect()
}

// PARSE-5
#[test]
fn what_is_well_formed_needs_no_repair_and_what_was_mended_is_told() {
    let good = "Hi <b>x</b> `<confirm1>` a<b.\n<create_note>\n<name>N</name>\n<content>C</content>\n</create_note>\n<confirm12>Q</confirm12>";
    assert_eq!(codes(&events(good)), Vec::<&str>::new());
    for (input, code) in [
        ("<Confirm1>x</confirm1>", "tag.case"),
        ("<web-search>x</web_search>", "tag.case"),
        ("＜confirm1＞x</confirm1>", "tag.width"),
        ("&lt;confirm1&gt;x</confirm1>", "tag.entity"),
        ("<con\u{200b}firm1>x</confirm1>", "tag.invisible"),
        ("< confirm1>x</confirm1>", "tag.blank"),
        ("<<confirm1>>x</confirm1>", "tag.bracket"),
        ("<confirm1\nx</confirm1>", "tag.no-bracket"),
        ("<save_material id=\"3>x</save_material>", "tag.quote"),
        ("<confrim1>x</confirm1>", "tag.misspelt"),
        ("<confirm_1>x</confirm1>", "tag.number"),
        ("<confirm1>x", "tag.unclosed"),
        ("<confirm1>x<web_search>y</web_search>", "tag.nested"),
        ("<confirm1>x</confirm2>", "tag.mismatch"),
        ("x</confirm2>", "tag.stray-closing"),
        ("<web_search>\n<web_search>x</web_search>", "tag.empty"),
        ("x</conf", "tag.cut"),
        ("<web_search query=\"x\"/>", "tag.attribute"),
        ("<web_search>{\"query\": \"x\"}</web_search>", "tag.body"),
        ("<save_material>x</save_material>", "tag.bare"),
        ("<save_material>y<content>x</content></save_material>", "tag.stray-text"),
        ("<save_material><id>3<content>x</content></save_material>", "tag.unclosed-field"),
        ("<save_material><id>3</id><id>4</id></save_material>", "tag.doubled-field"),
        ("<think><web_search>x</web_search>", "tag.reasoning"),
        ("<save_material><id>3</id></save_material>", "tag.no-content"),
    ] {
        assert!(codes(&events(input)).contains(&code), "{code}: {input} {:?}", codes(&events(input)));
    }
}

// PARSE-1 PARSE-5: sentences in the language of the words around them, each on its own line; a tag without its content is
// a failure that can be read. However the output was split.
#[test]
fn sentences_stand_on_their_own_lines_in_the_language_around_them() {
    let rows = std::fs::read_to_string(folder().join("parse/sentences.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let mut request = read_parse(&row).unwrap();
        let whole = parse(&request, &Policy::standard()).unwrap().outcome;
        request.chunks = request.chunks.concat().chars().map(String::from).collect();
        let split = parse(&request, &Policy::standard()).unwrap().outcome;
        let codes: Vec<&str> = whole.repairs.iter().map(|repair| repair.kind.code).collect();
        let got = serde_json::to_value(&whole).unwrap();
        let wanted = |key: &str, got: &Value| row.get(key).is_none_or(|wanted| wanted == got);
        let right = wanted("expected_text", &got["text"])
            && wanted("expected_remaining_text", &got["remaining_text"])
            && wanted("expected_tags", &got["tags"])
            && wanted("expected_repairs", &serde_json::json!(codes));
        if !right || got["text"] != split.text || got["remaining_text"] != split.remaining_text {
            wrong.push(format!("{}: {:?} {codes:?}\n  split {:?}", row["id"], whole.text, split.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.lines().count(), wrong.join("\n"));
}

// PARSE-5
#[test]
fn a_failure_says_why_in_either_language() {
    let tag = &tags(&events("<web_search>茶叶</web_search>"))[0];
    let failed = |reason, language| concierge().failure(tag, reason, language);
    assert_eq!(failed("超时", Language::Chinese), "❌ 搜索「茶叶」失败：超时");
    assert_eq!(failed("it hangs", Language::English), "❌ The search for “茶叶” failed: it hangs");
    assert_eq!(concierge().sentence(tag, Language::English), "🔍 Searching the web: 茶叶");
}

// PARSE-4
#[test]
fn prose_is_not_held_back() {
    let given = |pieces: &[&str]| {
        let events = read(&concierge(), pieces.iter().copied(), Finish::Stop, &ParseOptions::default());
        events
            .into_iter()
            .map(|event| if let Event::Text { text, .. } = event { text } else { String::new() })
            .collect::<Vec<_>>()
    };
    // One event for each piece: nothing waits for the next.
    for pieces in [
        ["Hello ", "world"],
        ["a `b` ", "c"],
        ["1 < 2 ", "x"],
        ["<b>x</b> ", "y"],
        ["R&D, ", "z"],
        ["`code ", "w"],
        ["<!-- ", "c"],
    ] {
        assert_eq!(given(&pieces), pieces, "{pieces:?}");
    }
}

#[test]
fn a_tag_beyond_the_limit_comes_out_as_it_was_written() {
    let mut options = ParseOptions::default();
    options.max_region = 100;
    let input = format!("a<web_search>{}</web_search>b", "长".repeat(100));
    let events = read(&concierge(), [input.as_str()], Finish::Stop, &options);
    covers(&input, &events);
    assert!(tags(&events).is_empty());
    assert!(events.iter().any(|event| matches!(event, Event::Unrecovered { .. })));
}

// PARSE-4
#[test]
fn hostile_output_costs_linear_time() {
    for (piece, times) in [
        ("<", 100_000),
        ("<confirm1>", 50_000),
        ("</", 100_000),
        ("`", 100_000),
        ("&lt;", 50_000),
        ("<create_note", 20_000),
        ("`<confirm1>``", 20_000),
        ("<!--<confirm1>", 20_000),
        ("```", 50_000),
        ("```xml\n", 20_000),
        ("＜", 50_000),
        ("<confirm1 a=\"", 20_000),
        ("<save_material><id>", 20_000),
        ("<name>", 50_000),
        ("<think><web_search>", 20_000),
        ("<confirm1> tag &lt;confirm2&gt; tag ", 10_000),
        ("<web search ", 20_000),
        ("`\n<confirm1>", 20_000),
        ("<content></id>", 30_000),
        ("\\<confirm1>", 20_000),
        ("&amp;", 50_000),
        ("<confirm1/>", 20_000),
        ("{\"id\":", 20_000),
    ] {
        for before in ["", "<save_material>", "<save_material id=\"", "<create_note><name>n</name><content>"] {
            let input = |times: usize| format!("{before}{}", piece.repeat(times));
            let whole = input(if before.is_empty() { times } else { times / 10 });
            covers(&whole, &read(&concierge(), [whole.as_str()], Finish::Stop, &ParseOptions::default()));
            // A machine that was busy with something else for a moment is asked again.
            let attempts = (0..4).map(|_| (in_pieces(&input(200)), in_pieces(&input(1600))));
            let slow = attempts.take_while(|(less, more)| *more >= *less * 24 + Duration::from_millis(100));
            let slow: Vec<_> = slow.collect();
            assert!(slow.len() < 4, "{before}{piece}, once and eightfold: {slow:?}");
        }
    }
}

/// How long an output takes that comes character by character.
fn in_pieces(input: &str) -> Duration {
    let pieces: Vec<&str> = input.char_indices().map(|(at, c)| &input[at..at + c.len_utf8()]).collect();
    let once = || {
        let begun = Stopwatch::start();
        read(&concierge(), pieces.iter().copied(), Finish::Stop, &ParseOptions::default());
        begun.elapsed()
    };
    once().min(once())
}

// PARSE-1
#[test]
fn others_may_have_their_own_protocol() {
    let own = "name = 'shop'\n[[tags]]\nname = '订单'\nfields = [{ name = 'sku' }, { name = '数量', bare = true }]\n\
        irreversible = true\nsuccess = { en = 'ordered {sku}', zh = '已下单 {sku}' }\nfailure = { en = 'no', zh = '否' }\n";
    let protocol = Arc::new(TagProtocol::from_toml(own).unwrap());
    assert!(protocol.tag("订单").unwrap().irreversible);
    let events = read(&protocol, ["<订单 sku=A1>两件</订单>"], Finish::Stop, &ParseOptions::default());
    assert_eq!(as_json(&events), serde_json::json!([{"tag": "订单", "fields": {"sku": "A1", "数量": "两件"}}]));
    assert_eq!(protocol.sentence(&tags(&events)[0], Language::Chinese), "已下单 A1");
    for (from, to, said) in [
        ("name = 'shop'", "", "missing field `name`"),
        ("'订单'", "'a b'", "cannot be the name"),
        ("'数量'", "'SKU'", "the name of two things"),
        ("'ordered {sku}'", "'ordered {id}'", "speaks of `{id}`"),
        ("'no'", "'no ['", "without its partner"),
        ("irreversible", "ireversible", "unknown field"),
    ] {
        let error = TagProtocol::from_toml(&own.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
