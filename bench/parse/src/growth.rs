//! Hostile input: one thing over and over, to any length. Whoever controls a model's output controls this.

use crate::calls::tools;
use countersign::parse::{Finish, Protocol, read_output};
use std::hint::black_box;

/// A hostile input of any length.
pub struct Family {
    /// How it is called on the command line.
    pub name: &'static str,
    /// Stands once, at the beginning.
    head: &'static str,
    /// Stands over and over.
    unit: &'static str,
}

/// Reads `bytes` bytes of a family, in pieces of `piece` bytes or at once.
pub fn read(family: &str, protocol: &str, bytes: usize, piece: usize) {
    let family = FAMILIES.iter().find(|known| known.name == family).expect("a family; see `families`");
    let protocol = Protocol::from_name(protocol, None).expect("a protocol");
    let mut text = family.head.to_owned();
    text.push_str(&family.unit.repeat(bytes / family.unit.len() + 1));
    let text = if bytes == 0 { &[] } else { &text.as_bytes()[..bytes] };
    let pieces: Vec<&[u8]> = text.chunks(if piece == 0 { usize::MAX } else { piece }).collect();
    black_box(read_output(&protocol, &tools(), &pieces, Finish::Stop, None));
}

const fn of(name: &'static str, unit: &'static str) -> Family {
    Family { name, head: "", unit }
}

const fn after(name: &'static str, head: &'static str, unit: &'static str) -> Family {
    Family { name, head, unit }
}

/// The ways of reading: each has an engine of its own.
pub const PROTOCOLS: [&str; 4] = ["json", "auto", "concierge", "openai"];

/// Openers, quotes, pairs, escapes, fences, comments, tag prefixes, markers, and what they do inside a string or a call.
pub const FAMILIES: &[Family] = &[
    of("brackets", "["),
    of("braces", "{"),
    of("quotes", "\""),
    of("brace-pairs", "{}"),
    of("bracket-pairs", "[]"),
    of("backslashes", "\\"),
    of("bracket-brace", "[{"),
    of("open-members", "{\"a\":"),
    of("single-quotes", "'"),
    of("commas", ","),
    of("colons", ":"),
    of("fences", "```"),
    of("fence-lines", "```json\n"),
    of("backticks-spaced", "` "),
    of("comments", "/*"),
    of("line-comments", "// \n"),
    of("less", "<"),
    of("less-slash", "</"),
    of("tool-call", "<tool_call>"),
    of("tool-call-closed", "</tool_call>"),
    of("function", "<function=x>"),
    of("parameter", "<parameter=a>"),
    of("entities", "&lt;"),
    of("confirm", "<confirm1>"),
    of("create-note", "<create_note"),
    of("save-material", "<save_material><id>1</id>"),
    of("kimi-begin", "<|tool_call_begin|>"),
    of("minimax", "]<]minimax[>["),
    of("name-member", "{\"name\":"),
    of("pythonic", "[get_weather("),
    of("data-lines", "data: {"),
    of("data-lines-broken", "data: {\n\n"),
    of("smart-quotes", "“"),
    of("full-width", "｛"),
    of("think", "<think>"),
    of("think-closed", "</think>"),
    of("unicode-escapes", "\\u"),
    of("channels", "<|channel|>"),
    of("starts", "<|start|>"),
    of("messages", "<|message|>"),
    of("ends", "<|end|>"),
    of("token-tags", "<|open|>"),
    of("token-tag-calls", "<|open|>call tool=\"x\"<|sep|>"),
    of("sections", "<|tool_calls_section_begin|>"),
    of("wide-sections", "<｜tool▁calls▁begin｜>"),
    of("gemma-calls", "<|tool_call>"),
    of("python-tags", "<|python_tag|>"),
    of("mistral-calls", "[TOOL_CALLS]"),
    of("mistral-thoughts", "[THINK]"),
    of("functools", "functools["),
    of("invoke", "<invoke name=\"x\">"),
    of("dsml", "<｜DSML｜invoke"),
    of("tool-tags", "<get_weather>"),
    of("tools-misspelt", "<get_waether>"),
    of("thoughts-kimi", "◁think▷"),
    of("recipients", " to=functions.x"),
    of("headers", "<|channel|>commentary to=functions.get_weather "),
    of("triple-quotes", "\"\"\""),
    of("members-unquoted", "{a: b, "),
    of("strings-in-a-row", "\"a\" \"b\" "),
    of("closers", "}]"),
    of("zero-width", "<\u{200b}"),
    of("blanks", " "),
    of("lines", "\n"),
    after("string-braces", "{\"k\":\"", "{\""),
    after("string-commas", "[\"", "\", "),
    after("call-braces", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": ", "{\"city\": "),
    after("call-quotes", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"", "\" "),
    after("parameter-tags", "<tool_call><function=write_note><parameter=content>", "</param"),
    after("parameters", "<tool_call><function=write_note>", "<parameter=content>x</parameter>"),
    after("note-tags", "<create_note><name>a</name><content>", "</content"),
    after("calls", "", "<tool_call>{\"name\": \"get_weather\", \"arguments\": {}}</tool_call>"),
    after(
        "openai-arguments",
        "",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"get_weather\",\"arguments\":\"{[\"}}]}}]}\n\n",
    ),
    after("openai-one-line", "data: {\"choices\":[{\"delta\":{\"content\":\"", "\\n\\\""),
    after(
        "openai-ids",
        "",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"x\",\"function\":{\"name\":\"ping\"}}]}}]}\n\n",
    ),
];
