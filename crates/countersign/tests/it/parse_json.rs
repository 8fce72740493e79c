//! The laws of the JSON reader, and one case for each way in which models break JSON. PARSE-2.

use crate::stopwatch::Stopwatch;
use std::time::Duration;

use countersign::parse::ParseOptions;
use countersign::parse::json::{self, Document};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn read(text: &str) -> Document {
    json::read(text, &ParseOptions::default())
}

/// Checks that each text is read as its value.
fn expect(cases: &[(&str, Value)]) {
    for (text, value) in cases {
        let document = read(text);
        assert_eq!(document.answer.as_ref(), Some(value), "{text}");
        assert!(!document.repairs.is_empty(), "no repair was told of: {text}");
    }
}

// PARSE-2
#[test]
fn what_stands_around_a_value_is_left_out() {
    let order = json!({"item": "tea", "count": 2});
    for text in [
        "```json\n{\"item\": \"tea\", \"count\": 2}\n```",
        "```\n{\"item\": \"tea\", \"count\": 2}",
        "Your order: ```json {\"item\": \"tea\", \"count\": 2}``` as asked.",
        "Here you are [1]:\n{\"item\": \"tea\", \"count\": 2}\nSee {notes} and [this](https://example.org).",
        "结果如下：{\"item\": \"tea\", \"count\": 2}，请查收。",
        "**{\"item\": \"tea\", \"count\": 2}**",
        "json {\"item\": \"tea\", \"count\": 2}",
        "handle_order({\"item\": \"tea\", \"count\": 2});",
        "const order = {\"item\": \"tea\", \"count\": 2};",
        "<think>perhaps {\"item\": \"milk\"}</think>{\"item\": \"tea\", \"count\": 2}",
        "perhaps {\"item\": \"milk\"}</think>\n{\"item\": \"tea\", \"count\": 2}",
        "<think>so it is {\"item\": \"tea\", \"count\": 2}</think>",
        "\u{feff}{\"item\": \"tea\", \"count\": 2}\0",
        "{\\\"item\\\": \\\"tea\\\", \\\"count\\\": 2}",
        "{&quot;item&quot;: &quot;tea&quot;, &quot;count&quot;: 2}",
        "```json\nitem: tea\ncount: 2\n```",
        "\"item\": \"tea\", \"count\": 2",
    ] {
        assert_eq!(read(text).answer.as_ref(), Some(&order), "{text}");
    }
    assert_eq!(read("There is nothing to order today.").answer, None);
}

// PARSE-2
#[test]
fn character_references_stand_for_quotes_at_every_depth() {
    expect(&[
        ("[{&quot;名&quot;: &quot;小红&quot;}, {&quot;名&quot;: 2}]", json!([{"名": "小红"}, {"名": 2}])),
        ("[[&#34;a&#34;], [&#34;b, c&#34;]]", json!([["a"], ["b, c"]])),
        ("Result: { &#x27;a&#x27;: [1, 2] }", json!({"a": [1, 2]})),
        ("{&ldquo;a&rdquo;: &ldquo;x &amp; y&rdquo;}", json!({"a": "x & y"})),
        ("[&quot;a&quot;, &quot;b&quot;]", json!(["a", "b"])),
    ]);
}

// PARSE-2
#[test]
fn marks_at_the_beginning_of_each_line_are_left_out() {
    let value = json!({"a": "x > y", "名": [1, 2]});
    for text in [
        "> {\n>   \"a\": \"x > y\",\n>   \"名\": [1,\n>   2]\n> }",
        ">{\n>\"a\": \"x > y\",\n>\"名\": [1, 2]\n>}",
        "Here:\n\n> > {\n> >   \"a\": \"x > y\",\n> >   \"名\": [1, 2]\n> > }\n\nDone.",
        "> ```json\n> {\n>   \"a\": \"x > y\",\n>   \"名\": [1, 2]\n> }\n> ```",
        "+ {\n+   \"a\": \"x > y\",\n+   \"名\": [1, 2]\n+ }",
        "| {\n|   \"a\": \"x > y\",\n|   \"名\": [1, 2]\n| }",
        "> {\"a\": \"x > y\", \"名\": [1, 2]}",
    ] {
        assert_eq!(read(text).answer.as_ref(), Some(&value), "{text}");
        assert!(read(text).complete, "{text}");
    }
    expect(&[("+ {\"a\": 1}\n+ {\"a\": 2}", json!([{"a": 1}, {"a": 2}]))]);
}

// PARSE-2
#[test]
fn a_block_of_code_may_be_a_value() {
    expect(&[
        ("{\"code\": ```python\nprint(\"a\", 1)\n```, \"n\": 1}", json!({"code": "python\nprint(\"a\", 1)\n", "n": 1})),
        ("```json\n{\"code\":\n```\nx = {1}\n```\n, \"n\": 1}\n```", json!({"code": "\nx = {1}\n", "n": 1})),
        ("{\"代码\": [```甲```, ```乙, 丙```]}", json!({"代码": ["甲", "乙, 丙"]})),
        ("{\"a\": `b´, \"c\": ´d`}", json!({"a": "b", "c": "d"})),
        ("```json\n{\"a\": 1, \"b\": [2,\n```", json!({"a": 1, "b": [2]})),
        ("```json\n{\"a\": 1, \"b\":\n```\nThat is all.", json!({"a": 1, "b": null})),
        ("```json\n{\"a\": [\n```\nand\n```json\n{\"c\": 2}\n```", json!([{"a": []}, {"c": 2}])),
    ]);
    let cut = read("{\"n\": 1, \"code\": ```python\nprint(");
    assert_eq!((cut.answer, cut.complete), (Some(json!({"n": 1, "code": "python\nprint("})), false));
}

// PARSE-2
#[test]
fn several_values_in_a_row_are_an_array() {
    let both = json!([{"a": 1}, {"b": 2}]);
    expect(&[
        ("1\n2\n", json!([1, 2])),
        ("{\"a\": 1}{\"b\": 2}", both.clone()),
        ("{\"a\": 1}\n{\"b\": 2}\n", both.clone()),
        ("{\"a\": 1}, {\"b\": 2}", both.clone()),
        ("First:\n```json\n{\"a\": 1}\n```\nthen:\n```json\n{\"b\": 2}\n```", both),
    ]);
}

// PARSE-2
#[test]
fn quotes_of_every_kind_are_quotes() {
    let said = json!({"who": "Ann", "what": "it's fine"});
    for (open, close) in
        [("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("＂", "＂"), ("`", "`"), ("'", "'")]
    {
        let text = format!("{{{open}who{close}: {open}Ann{close}, {open}what{close}: {open}it's fine{close}}}");
        assert_eq!(read(&text).answer.as_ref(), Some(&said), "{text}");
    }
    expect(&[
        ("{who: Ann, what: it's fine}", said.clone()),
        ("{\"who\": \"Ann, \"what\": \"it's fine\"}", said.clone()),
        ("{\"who\": Ann\", what\": \"it's fine\"}", said.clone()),
        ("{\"who\": \"Ann\", \"what\": \"it's fine}", said.clone()),
        ("{\"who: \"Ann\", \"what\": \"it's fine\"}", said.clone()),
        ("{\"who\": \"\"\"Ann\"\"\", \"what\": \"it's fine\"}", said.clone()),
        ("{\"\"who\"\": \"\"Ann\"\", \"\"what\"\": \"\"it's fine\"\"}", said),
    ]);
}

// PARSE-2
#[test]
fn a_quote_that_nobody_escaped_stays_in_its_string() {
    expect(&[
        (r#"{"a": "she said "no", and left", "b": 1}"#, json!({"a": "she said \"no\", and left", "b": 1})),
        (r#"{"a": "the "old" town", "b": 1}"#, json!({"a": "the \"old\" town", "b": 1})),
        (r#"{"a": "a 27" screen", "b": 1}"#, json!({"a": "a 27\" screen", "b": 1})),
        (r#"{"a": "<p class="x">y</p>", "b": 1}"#, json!({"a": "<p class=\"x\">y</p>", "b": 1})),
        (r#"{"a": "f("x")", "b": 1}"#, json!({"a": "f(\"x\")", "b": 1})),
        (r#"{"a": "{"x": "y", "z": [1]}", "b": 1}"#, json!({"a": "{\"x\": \"y\", \"z\": [1]}", "b": 1})),
        (r#"["she said "no", and left", "b"]"#, json!(["she said \"no\", and left", "b"])),
        (r#"{"a": "while (x) { y = "z"; }", "b": 1}"#, json!({"a": "while (x) { y = \"z\"; }", "b": 1})),
    ]);
}

// PARSE-2
#[test]
fn quotes_that_begin_a_text_are_its_own() {
    expect(&[
        (r#"{"said": ""Never mind"", "by": "Ida"}"#, json!({"said": "\"Never mind\"", "by": "Ida"})),
        (r#"{"said": ""Yes", he said", "n": 1}"#, json!({"said": "\"Yes\", he said", "n": 1})),
        (r#"{"said": ""A" or "B"", "n": 1}"#, json!({"said": "\"A\" or \"B\"", "n": 1})),
        (r#"{"标题": ""新规"解读", "年": 2020}"#, json!({"标题": "\"新规\"解读", "年": 2020})),
        (r#"[""春天"来了", "夏"]"#, json!(["\"春天\"来了", "夏"])),
        (r#"{"a": ""x"", "b": ""y""}"#, json!({"a": "\"x\"", "b": "\"y\""})),
        // With no partner, it is one too many.
        (r#"{"said": ""Yes", "n": 1}"#, json!({"said": "Yes", "n": 1})),
        // Where the keys are doubled too, it was a cell of a table.
        (r#"{""a"":""x"",""b"":[""y"",""z""]}"#, json!({"a": "x", "b": ["y", "z"]})),
    ]);
}

// PARSE-2
#[test]
fn a_string_may_be_closed_by_a_quote_of_another_kind() {
    let part = json!({"name": "bolt, long", "qty": 12});
    for text in [
        r#"{"name': "bolt, long", "qty": 12}"#,
        r#"{'name": "bolt, long", "qty": 12}"#,
        r#"{"name": 'bolt, long", "qty": 12}"#,
        r#"{"name": "bolt, long', "qty": 12}"#,
        r#"{"name": "bolt, long”, "qty”: 12}"#,
        r#"{“name": "bolt, long", "qty`: 12}"#,
        r#"{'name": 'bolt, long", 'qty": 12}"#,
        r#"{"name": "bolt, long', 'qty": 12}"#,
    ] {
        assert_eq!(read(text).answer.as_ref(), Some(&part), "{text}");
        assert!(read(text).complete, "{text}");
    }
    expect(&[
        (r#"["a', "b", "c"]"#, json!(["a", "b", "c"])),
        (r#"['甲", "乙", "丙"]"#, json!(["甲", "乙", "丙"])),
        (r#"{"名称": "螺丝”, “数量": 3}"#, json!({"名称": "螺丝", "数量": 3})),
        (r#"{"n": 1, "last": "word'}"#, json!({"n": 1, "last": "word"})),
        // A pair of its own stays whole, and so does an apostrophe.
        (r#"{"a": "say 'hi', "b": 1}"#, json!({"a": "say 'hi'", "b": 1})),
        (r#"{"a": "他说“好”, "b": 1}"#, json!({"a": "他说“好”", "b": 1})),
        (r#"{"a": "the dogs' bowl, "b": 1}"#, json!({"a": "the dogs' bowl", "b": 1})),
        (r#"{"a": "it's 'so', "b": 1}"#, json!({"a": "it's 'so'", "b": 1})),
    ]);
}

// PARSE-2
#[test]
fn closing_brackets_may_be_lost_swapped_or_of_another_kind() {
    expect(&[
        (r#"{"users": [{"id": 1}, {"id": 2}, "total": 2}"#, json!({"users": [{"id": 1}, {"id": 2}], "total": 2})),
        (r#"{"a": [1, 2, "b": [3, 4, "c": 5}"#, json!({"a": [1, 2], "b": [3, 4], "c": 5})),
        (r#"{"x": {"l": ["a", "b", "n": 1}, "m": 2}"#, json!({"x": {"l": ["a", "b"], "n": 1}, "m": 2})),
        (
            r#"[{"标签": ["甲", "乙", "数": 3}, {"标签": [], "数": 0}]"#,
            json!([{"标签": ["甲", "乙"], "数": 3}, {"标签": [], "数": 0}]),
        ),
        (r#"{"a": [1, "x": 1, "y": 2], "b": 3}"#, json!({"a": [1, {"x": 1, "y": 2}], "b": 3})),
        (r#"{"a": {"k": [1, 2}], "c": 2}"#, json!({"a": {"k": [1, 2]}, "c": 2})),
        (r#"[{"a": [1, 2}], {"a": [3]}]"#, json!([{"a": [1, 2]}, {"a": [3]}])),
        (r#"[[{"甲": 1]}, 2]"#, json!([[{"甲": 1}], 2])),
        (r#"{"rows": [["a"], {"c": ["d"}]], "n": 1}"#, json!({"rows": [["a"], {"c": ["d"]}], "n": 1})),
        (r#"{"a": 1, "b": "x)")"#, json!({"a": 1, "b": "x)"})),
        (r#"{"a": {"b": "c"), "d": "e"}"#, json!({"a": {"b": "c"}, "d": "e"})),
        (r#"{"l": ["a", "b"), "k": "v"}"#, json!({"l": ["a", "b"], "k": "v"})),
        (r#"{"名": "甲（乙）"）"#, json!({"名": "甲（乙）"})),
        (r#"{"a": 1, "b": "x">"#, json!({"a": 1, "b": "x"})),
        (r#"{"a": "f ("x"), and", "b": 1}"#, json!({"a": "f (\"x\"), and", "b": 1})),
    ]);
}

// PARSE-2
#[test]
fn commas_colons_and_brackets_may_be_missing_or_wrong() {
    let value = json!({"a": 1, "b": [2, 3]});
    for text in [
        "{\"a\": 1, \"b\": [2, 3],}",
        "{\"a\": 1,, \"b\": [,2, 3]}",
        "{\"a\": 1 \"b\": [2 3]}",
        "{\"a\": 1\n\"b\": [2\n3]}",
        "{\"a\" 1, \"b\" [2, 3]}",
        "{\"a\"=1, \"b\"=>[2, 3]}",
        "{\"a\": 1; \"b\": [2; 3]}",
        "｛\"a\"：1，\"b\"：［2，3］｝",
        "{\"a\": 1, \"b\": [2, 3",
        "{\"a\": 1, \"b\": [2, 3}",
        "{\"a\": 1, \"b\": [2, 3]]",
        "{\"a\": 1, \"b\": [2, 3]}}]",
        "{\"a\": 1}, \"b\": [2, 3]}",
        "{\"a\": 1, \"b\": (2, 3)}",
        "{{\"a\": 1, \"b\": [2, 3]}}",
        "{\"a\": 1, /* first */ \"b\": [2, // second\n3] # third\n}",
        "{\"a\": 1, \"b\": [2, ..., 3], ...}",
        "dict(a=1, b=[2, 3])",
    ] {
        assert_eq!(read(text).answer.as_ref(), Some(&value), "{text}");
        assert!(!read(text).repairs.is_empty(), "{text}");
    }
}

// PARSE-2
#[test]
fn what_stands_next_to_a_value_costs_no_other_member() {
    let value = json!({"a": "x", "b": 1});
    for text in [
        "{\"a\": \"x\" (optional), \"b\": 1}",
        "{\"a\": \"x\" - the first, \"b\": 1}",
        "{\"a\": \"x\" 可选，\"b\": 1}",
        "{\"a\": \"x\". \"b\": 1}",
        "{\"a\": \"x\"。\"b\"：1}",
        "{\"a\": \\\"x\\\", \"b\": 1}",
        "{\"a\": \"x\", \\\"b\\\": 1}",
        "{\"a\": \"x\", \"b\": 1...}",
        "{\"a\": \"x\", \"b\": 1>",
        "`{\"a\": \"x\", \"b\": 1}`",
        "Item(a='x', b=1)",
    ] {
        assert_eq!(read(text).answer.as_ref(), Some(&value), "{text}");
        assert!(read(text).complete, "{text}");
    }
    expect(&[
        ("{\"a\": \"x\", b, \"c\": 1}", json!({"a": "x", "b": null, "c": 1})),
        ("{\"c\": #ff00aa, \"n\": # note\n 1}", json!({"c": "#ff00aa", "n": 1})),
        ("[\n  - \"甲\",\n  - {\"n\": 1}\n]", json!(["甲", {"n": 1}])),
        ("{'u': User(name='Ann', age=3), 'x': np.float64(1.5)}", json!({"u": {"name": "Ann", "age": 3}, "x": 1.5})),
        ("1, 2, 3]", json!([1, 2, 3])),
        ("\"a\", \"b\"]", json!(["a", "b"])),
        ("{\"a\": \"x<|im_end|>", json!({"a": "x"})),
    ]);
}

// PARSE-2
#[test]
fn values_of_other_languages_are_read_as_their_like() {
    expect(&[
        (
            "{\"a\": True, \"b\": None, \"c\": undefined, \"d\": NaN}",
            json!({"a": true, "b": null, "c": null, "d": null}),
        ),
        ("[0xff, +5, .5, 5., 1_000, 08]", json!([255, 5, 0.5, 5, 1000, 8])),
        ("{\"a\": 12,345.50, \"b\": 1}", json!({"a": 12345.5, "b": 1})),
        (
            "{\"zip\": 02134, \"day\": 2024-05-01, \"v\": 1.2.3}",
            json!({"zip": "02134", "day": "2024-05-01", "v": "1.2.3"}),
        ),
        ("{\"_id\": ObjectId(\"5f\"), \"n\": NumberLong(7)}", json!({"_id": "5f", "n": 7})),
        ("{'a': b'x', 'b': r'y'}", json!({"a": "x", "b": "y"})),
        ("{u'name': u'Zoé, Li', b'n': [u'a', b'中，文', 'c']}", json!({"name": "Zoé, Li", "n": ["a", "中，文", "c"]})),
        (r#"{"a": "x", u"城市": f"北京，{b}"}"#, json!({"a": "x", "城市": "北京，{b}"})),
        (r#"{"path": r"C:\new\table", "other": @"D:\tmp"}"#, json!({"path": "C:\\new\\table", "other": "D:\\tmp"})),
        ("See {u'a': u'b'} there", json!({"a": "b"})),
        ("{ :name => \"Zoë\", :age => 31, :role => :admin }", json!({"name": "Zoë", "age": 31, "role": "admin"})),
        ("[{:城市=>\"北京，海淀\", :n=>nil}]", json!([{"城市": "北京，海淀", "n": null}])),
        (
            "{:\"first name\" => \"Li\", \"a\" -> 1, b → \"x\", c -> y}",
            json!({"first name": "Li", "a": 1, "b": "x", "c": "y"}),
        ),
        ("{\"a\": \"x\" + \"y\"}", json!({"a": "xy"})),
        (
            "{\"u\": https://example.org/?q=1, \"b\": two words}",
            json!({"u": "https://example.org/?q=1", "b": "two words"}),
        ),
        ("{\"re\": /a,b}/i, \"b\": 1}", json!({"re": "/a,b}/i", "b": 1})),
        ("{1, 2, 3}", json!([1, 2, 3])),
    ]);
}

// PARSE-2
#[test]
fn escapes_that_json_does_not_have_lose_nothing() {
    expect(&[
        (r#"{"a": "C:\Users\new", "b": "it\'s"}"#, json!({"a": "C:\\Users\\new", "b": "it's"})),
        (r#"{"a": "\d+\.\w"}"#, json!({"a": "\\d+\\.\\w"})),
        (r#"{"a": "x\ud83dy"}"#, json!({"a": "x\u{fffd}y"})),
        (r#"{"a": "\u{1F600}\u{4e2d}\U0001F600", "b": "\u{zz} \U12"}"#, json!({"a": "😀中😀", "b": "\\u{zz} \\U12"})),
        (r#"{"目录": "E:\照片\", "n": 12}"#, json!({"目录": "E:\\照片\\", "n": 12})),
        ("{'a': 'one \\\r\ntwo'}", json!({"a": "one two"})),
        ("{\"a\": \"one\ntwo\tthree\u{1}\"}", json!({"a": "one\ntwo\tthree\u{1}"})),
        (r#"{"k": "caf\u00e9 茶", bad: True}"#, json!({"k": "café 茶", "bad": true})),
    ]);
}

// PARSE-2: a cut document keeps what it had and invents nothing.
#[test]
fn a_cut_document_is_not_complete() {
    for (text, value) in [
        ("{\"a\": 1, \"b", json!({"a": 1})),
        ("{\"a\": 1, \"b`: c", json!({"a": 1})),
        ("{\"a\": 1, \"b\"", json!({"a": 1})),
        ("{\"a\": tru", json!({"a": true})),
        ("{\"a\": 1.", json!({"a": 1})),
        ("{\"a\": \"x\\", json!({"a": "x"})),
        ("{\"a\": \"x\\u26", json!({"a": "x"})),
        ("{\"a\": \"x\\ud83d\\ud", json!({"a": "x"})),
        ("{\"a\": \"f(x) { y; }", json!({"a": "f(x) { y; }"})),
        ("[[1, 2], [3", json!([[1, 2], [3]])),
    ] {
        let document = read(text);
        assert_eq!(document.answer, Some(value), "{text}");
        assert!(!document.complete, "{text}");
    }
    assert!(read("```json\n{\"a\": 1\n```").complete, "the fence shows that nothing was cut");
}

#[test]
fn what_is_nested_too_deep_is_kept_as_text() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let document = read(&deep);
    assert!(document.repairs.iter().any(|repair| repair.kind.code == "json.too-deep"));
    assert!(document.answer.unwrap().to_string().len() > 199_000);
    let options = ParseOptions::default();
    assert_eq!(json::read_one("[1] rest", &options).end, 3);
}

#[test]
fn the_codes_are_unique_and_their_own() {
    let codes: std::collections::HashSet<_> = json::KINDS.iter().map(|kind| kind.code).collect();
    assert_eq!(codes.len(), json::KINDS.len());
    assert!(json::KINDS.iter().all(|kind| kind.code.starts_with("json.") && !kind.note.ends_with('.')));
}

/// Four times the input must not cost much more than four times the time.
#[test]
fn hostile_input_takes_linear_time() {
    for family in [
        "[",
        "{",
        "\"",
        "{}",
        "\\",
        "[{",
        "{\"a\":",
        "'",
        ",",
        ":",
        ": ",
        "```",
        "/*",
        "\"a\" \"b\" ",
        "“",
        "\"a\", “b ",
        "{\"a\":1},“x ",
        "\"/*",
        "\"#\n",
        "{\"a:1,",
        "{a: b, ",
        "\"\"\"x",
        "dict(",
        "<think>",
        "[\"a\", x\"",
        "\u{200b}",
        "{\"a': ",
        "{\"a\": 'b\", ",
        "{\"a\": \"b', ",
        "[\"a”, “b",
        "{\"a\": ```",
        "[```x",
        "> {\n",
        ">[\n> \"",
        "{\"a\": [1, \"b\": ",
        "[{\"a\": [1}], ",
        "{u'a': ",
        "[u'a', ",
        "{:a => \"b\", ",
        "{\"a\": \"x\")",
        "{\"a\": \"x\" >",
        "{\"a\": \"x\" y, \"b\": ",
        "{\"a\": \\\"x\\\", ",
        "\", b, ",
        "\". ",
        "['a' => ",
        "['a' => 1, ",
        "array(",
        "array('a' => ",
        "$x = array(1, ",
        "{[\"a\"] = ",
        "[\"a",
        "{\"a\"; ",
        "{a; ",
        "[\"a, \"b, ",
        "[\"a\", b\", ",
        "{\"a\": \"```x\" y ",
        "{\"a\": \"```x\" ```",
        "{\\“a\\”: ",
        "[\\“a, \\'b, ",
        "{\"a\\\": ",
        "{\"a\": (b, ",
        "[(a) => ",
        "{\"a\": 1 -- b\n",
        "{\"a\": \"b\" -- c\n",
        "[...a, ",
        "{\"a\": f(\"b\", ",
        "[f(",
        "[\"a\", f(\"",
        "{\"a\": 1}}}, ",
        "[\"a\", ",
    ] {
        let time = |count: usize| {
            let text = family.repeat(count / family.len());
            let once = || {
                let began = Stopwatch::start();
                std::hint::black_box(read(&text));
                began.elapsed()
            };
            (0..3).map(|_| once()).min().unwrap_or_default()
        };
        let (short, long) = (time(20_000), time(80_000));
        assert!(long < short * 12 + Duration::from_millis(20), "{family:?}: {short:?}, then {long:?}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z \"',:{}\\[\\]\\\\\n/#`é中“]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        // A colon in a cut key may be the one after it: `{"a: 1}`.
        let key =
            prop_oneof!["[a-z]{1,6}", any::<String>().prop_map(|key| key.replace([':', '：', '﹕', '∶', '︰'], ""))];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Plain members, of which one will be damaged.
fn members() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[A-Za-z é茶,.:;!?()-]{0,20}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::collection::vec("[a-z ,]{0,8}".prop_map(Value::from), 0..4).prop_map(Value::from),
    ];
    prop::collection::btree_map("[a-z]{2,8}", value, 2..7).prop_map(|members| members.into_iter().collect())
}

/// Whether `part` is what may remain of `whole` when its text is cut.
fn remains(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|whole| remains(value, whole)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(part, whole)| remains(part, whole))
        }
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => true,
        (part, whole) => part == whole,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>(), tokens in prop::collection::vec(
        prop::sample::select(vec!["{", "}", "[", "]", "\"", "'", ":", ",", "\\", "\n", " ", "a", "1", "-", ".", "e", "true",
            "/*", "//", "#", "```", "“", "”", "：", "，", "｛", "(", ")", "=", "+", "\\u", "\\ud83d", "<think>", "</", "…", "é"]),
        0..60))
    {
        let options = ParseOptions::default();
        for text in [text, tokens.concat()] {
            let document = json::read(&text, &options);
            for found in &document.values {
                prop_assert!(found.span.start <= found.span.end && found.span.end <= text.len());
            }
            for repair in &document.repairs {
                prop_assert!(text.get(repair.span.start..repair.span.end).is_some());
            }
            let one = json::read_answer(&text, &options);
            prop_assert_eq!(&one.value, &document.answer);
            prop_assert_eq!(one.complete, document.complete);
            prop_assert!(json::read_one(&text, &options).end <= text.len());
            if let Some(answer) = document.answer {
                prop_assert_eq!(read(&answer.to_string()).answer, Some(answer), "not the same again: {}", text);
            }
        }
    }

    #[test]
    fn good_json_is_read_as_it_is(value in any_json()) {
        for text in [serde_json::to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap()] {
            let strict: Value = serde_json::from_str(&text).unwrap();
            let document = read(&text);
            prop_assert_eq!(document.repairs, vec![]);
            prop_assert_eq!(document.answer, Some(strict));
            prop_assert!(document.complete);
        }
    }

    /// The tolerant reader reads good JSON as the strict one does: only the last bracket keeps the strict one away.
    #[test]
    fn the_tolerant_reader_agrees_with_the_strict_one(value in any_json()) {
        let whole = json!({ "first": value, "last": 0 });
        for text in [serde_json::to_string(&whole).unwrap(), serde_json::to_string_pretty(&whole).unwrap()] {
            let strict: Value = serde_json::from_str(&text).unwrap();
            let open = text.strip_suffix('}').unwrap();
            prop_assert_eq!(read(open).answer, Some(strict.clone()), "{}", open);
            let comma = format!("{open},}}");
            let document = read(&comma);
            prop_assert_eq!(document.answer, Some(strict), "{}", comma);
            prop_assert_eq!(document.repairs.len(), 1, "{}", comma);
        }
    }

    #[test]
    fn a_cut_invents_nothing(value in any_json(), cut in 0.0..1.0_f64) {
        let whole = json!({ "first": value, "last": 0 });
        let text = serde_json::to_string(&whole).unwrap();
        let strict: Value = serde_json::from_str(&text).unwrap();
        let mut at = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let document = read(&text[..at]);
        // A cut inside a string that itself ends like an object cannot be told from a forgotten quote.
        let mut quotes = 0;
        let mut escaped = false;
        for byte in text[..at].bytes() {
            quotes += usize::from(byte == b'"' && !escaped);
            escaped = byte == b'\\' && !escaped;
        }
        let looks_closed = quotes % 2 == 1 && text[..at].ends_with(['}', ']']);
        prop_assert!(!document.complete || looks_closed, "{}", &text[..at]);
        if let Some(answer) = document.answer {
            prop_assert!(remains(&answer, &strict), "{} gave {}", &text[..at], answer);
        }
    }

    #[test]
    fn damage_to_one_token_leaves_the_others(members in members(), place in any::<prop::sample::Index>(), kind in 0..9_usize) {
        let index = place.index(members.len());
        let last = index + 1 == members.len();
        let mut text = String::from("{");
        for (i, (key, value)) in members.iter().enumerate() {
            let damaged = i == index;
            let comma = if i + 1 == members.len() { "" } else { ", " };
            text += &match kind {
                0 if damaged => format!("\"{key}\": {value} {}", if last { "," } else { "" }),
                1 if damaged => format!("'{key}': {value}{comma}"),
                2 if damaged => format!("{key}: {value}{comma}"),
                3 if damaged => format!("\"{key}\" = {value}{comma}"),
                4 if damaged => format!("“{key}”: {value}{comma}"),
                5 if damaged => format!("\"{key}\": True{comma}"),
                6 if damaged => format!("\"{key}\": \"the \"big\" one\"{comma}"),
                7 if damaged => format!("/* note */ \"{key}\"：{value}{comma},"),
                8 if damaged => format!("\"{key}\": \"two\nlines\"{comma}"),
                _ => format!("\"{key}\": {value}{comma}"),
            };
        }
        text.push('}');
        let answer = read(&text).answer.unwrap();
        prop_assert_eq!(answer.as_object().unwrap().len(), members.len(), "{} gave {}", &text, &answer);
        for (i, (key, value)) in members.iter().enumerate() {
            if i != index || ![5, 6, 8].contains(&kind) {
                prop_assert_eq!(answer.get(key), Some(value), "{}", &text);
            }
        }
    }
}

// PARSE-2: the deepest answer, one level more for several values, reads as itself.
#[test]
fn the_deepest_answer_reads_as_itself() {
    for text in [format!("[}}\"i: {}2d\": 3}}]", "{".repeat(150)), format!("{} {}", "[".repeat(200), "{}".repeat(3))] {
        let answer = json::read(&text, &ParseOptions::default()).answer.unwrap();
        let again = json::read(&answer.to_string(), &ParseOptions::default()).answer.unwrap();
        assert_eq!(again.to_string(), answer.to_string());
    }
}
