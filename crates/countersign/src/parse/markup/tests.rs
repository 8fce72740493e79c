use super::{Bounds, Candidate, Input, Lexed, Lexer, Resolved, Vocabulary, lex, split_number};
use std::time::{Duration, Instant};

fn tag(text: &str) -> Candidate {
    match lex(text, Input::Ended, &Bounds::default(), &|_| true) {
        Lexed::Tag(candidate) => candidate,
        other => panic!("{text}: {other:?}"),
    }
}

fn known(names: &'static [&'static str]) -> impl Fn(&str) -> bool {
    let list = Vocabulary::of(names.iter().copied());
    move |name: &str| list.resolve(split_number(name).0).entry().is_some()
}

// PARSE-1
#[test]
fn names_are_folded() {
    for (text, name, closing) in [
        ("<function>", "function", false),
        ("</function>", "function", true),
        ("< / Function >", "function", true),
        ("</ function>", "function", true),
        ("<\\/function>", "function", true),
        ("</func\u{200b}tion>", "function", true),
        ("＜／ｆｕｎｃｔｉｏｎ＞", "function", true),
        ("&lt;function&gt;", "function", false),
        ("&#60;function&#x3E;", "function", false),
        ("&amp;lt;/function&amp;gt;", "function", true),
        ("<minimax:tool_call>", "minimax:tool_call", false),
        ("<｜DSML｜invoke>", "|dsml|invoke", false),
        ("<tool_calls:6124c78e>", "tool_calls:6124c78e", false),
        ("<<function>>", "function", false),
        ("〈function〉", "function", false),
        ("<笔记>", "笔记", false),
    ] {
        let read = tag(text);
        assert_eq!(
            (read.name.as_str(), read.closing, read.len, read.terminated),
            (name, closing, text.len(), true),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_tag_is_no_tag() {
    for text in [
        "<",
        "< ",
        "<3",
        "<-",
        "< 5 apples",
        "<>",
        "<!-- x -->",
        "<?xml?>",
        "</>",
        "<a,b>",
        "<<<x>",
        "&lt",
        "&amp; x",
        "<=",
        "</",
        "</ 1>",
    ] {
        assert_eq!(lex(text, Input::Ended, &Bounds::default(), &|_| true), Lexed::NotATag, "{text}");
    }
    let long = format!("<{}>", "x".repeat(65));
    assert_eq!(lex(&long, Input::Open, &Bounds::default(), &|_| true), Lexed::NotATag);
    // Prose is let go as soon as its name is seen to be unknown.
    let function = known(&["function"]);
    assert_eq!(lex("< b and c are ", Input::Open, &Bounds::default(), &function), Lexed::NeedMore);
    assert_eq!(lex("< b, and ", Input::Open, &Bounds::default(), &function), Lexed::NotATag);
    assert_eq!(lex("<b>bold", Input::Open, &Bounds::default(), &function), Lexed::NotATag);
}

#[test]
fn values_and_attributes_are_alike() {
    for text in [
        "<function=get_weather>",
        "<function = \"get_weather\" >",
        "<\tfunction = get_weather >",
        "<function=\"get_weather\"/>",
        "<function='get_weather'>",
        "<function name=\"get_weather\">",
        "<function name = 'get_weather' >",
        "<function NAME=get_weather>",
        "<function name=“get_weather”>",
        "<function name=\\\"get_weather\\\">",
        "<function name=&quot;get_weather&quot;>",
        "＜function＝get_weather＞",
        "<function \"get_weather\">",
        "<function=get_weather",
        "<function\n  name=\"get_weather\"\n>",
    ] {
        let read = tag(text);
        assert_eq!(
            (read.name.as_str(), read.named(), read.len),
            ("function", Some("get_weather"), text.len()),
            "{text}"
        );
    }
}

#[test]
fn attributes_keep_what_is_quoted() {
    let text = r#"<note name="He said "hi" to me" content='a > b &amp; <b>c</b>' id=3, x = "1"/>"#;
    let Lexed::Tag(read) = lex(text, Input::Ended, &Bounds::default(), &known(&["note"])) else { panic!() };
    assert!(read.self_closing && read.terminated);
    assert_eq!(read.attribute("name"), Some(r#"He said "hi" to me"#));
    assert_eq!(read.attribute("content"), Some("a > b & <b>c</b>"));
    assert_eq!((read.attribute("id"), read.attribute("x")), (Some("3"), Some("1")));
    assert_eq!(tag("<a href=http://x.y/z/>").attribute("href"), Some("http://x.y/z"));
    assert_eq!(tag("<confirm 2>").bare_words().collect::<Vec<_>>(), ["2"]);
    assert_eq!(tag("<function=get weather>").value.as_deref(), Some("get weather"));
}

#[test]
fn a_missing_bracket_ends_the_tag_where_it_was_certain() {
    for (text, end) in [
        ("<parameter=city\nParis</parameter>", "<parameter=city"),
        ("<function=get_weather\n<parameter=city>", "<function=get_weather"),
        ("<function=get_weather<parameter=city>", "<function=get_weather"),
        ("<confirm1 do it now</confirm1>", "<confirm1"),
        ("<confirm1先做</confirm1>", "<confirm1"),
        ("</function\n\nMore", "</function"),
        ("<note name=\"x\"</note>", "<note name=\"x\""),
        ("<note", "<note"),
    ] {
        let read = tag(text);
        assert_eq!((&text[..read.len], read.terminated, read.odd.unterminated), (end, false, true), "{text}");
    }
}

#[test]
fn a_quotation_mark_that_is_never_closed_does_not_eat_the_answer() {
    let names = known(&["confirm", "search"]);
    let text = "<confirm id=\"1>first</confirm>\n<search query=\"x\"/>";
    let Lexed::Tag(read) = lex(text, Input::Open, &Bounds::default(), &names) else { panic!() };
    assert_eq!((read.attribute("id"), read.len, read.odd.quote), (Some("1"), "<confirm id=\"1>".len(), true));
}

#[test]
fn a_tag_in_pieces_is_the_same_tag() {
    let text = "<note\n name=\"a \"b\" c\" content='x &amp; y' id = 3 word ／ ＞rest";
    let Lexed::Tag(whole) = lex(text, Input::Open, &Bounds::default(), &known(&["note"])) else { panic!() };
    for step in 1..6 {
        let mut lexer = Lexer::default();
        let cuts = text.char_indices().map(|(at, _)| at).chain([text.len()]).step_by(step).chain([text.len()]);
        let mut read = cuts.map(|at| lexer.read(&text[..at], Input::Open, &Bounds::default(), &known(&["note"])));
        assert_eq!(read.find(|read| *read != Lexed::NeedMore), Some(Lexed::Tag(whole.clone())), "{step}");
    }
}

#[test]
fn several_words_are_one_name() {
    let names = known(&["web_search"]);
    let Lexed::Tag(read) = lex("<web search>x", Input::Open, &Bounds::default(), &names) else { panic!() };
    assert_eq!(
        (read.name.as_str(), read.raw_name.as_str(), read.len, read.odd.blank),
        ("websearch", "web search", 12, true)
    );
    assert_eq!(lex("<web is nice>", Input::Open, &Bounds::default(), &names), Lexed::NotATag);
}

// PARSE-1
#[test]
fn names_resolve_to_one_of_a_closed_list() {
    let list = Vocabulary::of([
        "create_note",
        "save_material",
        "call_orchestrator",
        "web_search",
        "confirm",
        "name",
        "content",
    ]);
    let means = |written: &str| list.resolve(written).entry().map(|entry| entry.name.clone()).unwrap_or_default();
    assert!(matches!(list.resolve("web_search"), Resolved::Exact(_)));
    assert!(matches!(list.resolve("WebSearch"), Resolved::Folded(_)));
    assert!(matches!(list.resolve("web_serach"), Resolved::Misspelt(_, 1)));
    // T26
    assert_eq!(means("call_orcheator"), "call_orchestrator");
    for (written, meant) in [
        ("web-search", "web_search"),
        ("confrim", "confirm"),
        ("comfirm", "confirm"),
        ("save_meterial", "save_material"),
        ("creat_note", "create_note"),
        ("contnet", "content"),
        ("nmae", "name"),
        ("save_matreial", "save_material"),
    ] {
        assert_eq!(means(written), meant, "{written}");
    }
    for other in [
        "b",
        "p",
        "config",
        "context",
        "comment",
        "research",
        "game",
        "node",
        "update_note",
        "title",
        "search",
        "note",
        "material",
        "",
    ] {
        assert_eq!(means(other), "", "{other}");
    }
    let twins = Vocabulary::of(["read_file1", "read_file2", "getTime", "get_time"]);
    assert_eq!(twins.resolve("read_file3"), Resolved::Ambiguous);
    assert_eq!(twins.resolve("GET_TIME"), Resolved::Ambiguous);
    assert!(matches!(twins.resolve("get_time"), Resolved::Exact(_)));
}

#[test]
fn numbers_are_split_off() {
    for (name, stem, number) in [
        ("confirm1", "confirm", Some(1)),
        ("confirm_12", "confirm", Some(12)),
        ("confirm-3", "confirm", Some(3)),
        ("confirm01", "confirm", Some(1)),
        ("confirm", "confirm", None),
        ("7", "", Some(7)),
    ] {
        assert_eq!(split_number(name), (stem, number), "{name}");
    }
}

#[test]
fn hostile_text_costs_linear_time() {
    let names = known(&["note"]);
    let bounds = Bounds { tag: usize::MAX, ..Bounds::default() };
    for piece in ["<note a=\"", "<note ", "\" ", "&lt;", "<note x=\"<", "\"a", "=", "&amp;"] {
        for input in [Input::Ended, Input::Open] {
            let time = |count: usize| {
                let text = format!("<note x=\"{}", piece.repeat(count));
                let begun = Instant::now();
                let _ = std::hint::black_box(lex(&text, input, &bounds, &names));
                begun.elapsed()
            };
            // Four times the text may take ten times as long, not sixteen. A machine that was busy is asked again.
            let attempts = (0..4).map(|_| (time(10_000), time(40_000)));
            let slow = attempts.take_while(|(small, large)| *large >= (*small).max(Duration::from_millis(20)) * 10);
            let slow: Vec<_> = slow.collect();
            assert!(slow.len() < 4, "{piece:?} {input:?}, 10k and 40k: {slow:?}");
        }
    }
}
