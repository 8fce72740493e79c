//! Everything of an answer that the client would run is a call: free text, the items of a responses answer, the tools
//! that a provider defines. Each is judged by itself, and what nobody knows does not pass.

use crate::gateway_dialects::{Heard, Wire, call, user};
use crate::gateway_upstream::{Raw, Script, Step, Upstream};
use crate::gateway_world::{Ask, World, bad, good, tools};
use serde_json::{Value, json};
use std::sync::Arc;

/// A chat answer with this message, whole or as one delta.
fn chat(message: &Value, stream: bool) -> Raw {
    let mut said = message.clone();
    said["role"] = json!("assistant");
    if !stream {
        let body = json!({"id": "c", "object": "chat.completion", "model": "m", "choices": [
            {"index": 0, "message": said, "finish_reason": "tool_calls"}]});
        return Raw::body(200, body.to_string());
    }
    let chunk = |delta: &Value, finish: Option<&str>| {
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {chunk}\n\n")
    };
    let text = format!("{}{}data: [DONE]\n\n", chunk(&said, None), chunk(&json!({}), Some("tool_calls")));
    Raw::stream([Step::Bytes(text.into_bytes())])
}

/// A responses answer with these items, whole or as a stream that tells them in pieces.
fn responses(items: &[Value], stream: bool) -> Raw {
    let envelope = |status: &str, output: &[Value]| json!({"id": "resp_1", "object": "response", "status": status, "model": "m", "output": output});
    if !stream {
        return Raw::body(200, envelope("completed", items).to_string());
    }
    let mut text = String::new();
    let mut number = 0;
    let mut event = |mut json: Value| {
        json["sequence_number"] = json!(number);
        number += 1;
        let kind = json["type"].as_str().unwrap().to_owned();
        text.push_str(&format!("event: {kind}\ndata: {json}\n\n"));
    };
    event(json!({"type": "response.created", "response": envelope("in_progress", &[])}));
    for (at, item) in items.iter().enumerate() {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        let piece = |kind: &str, more: Value| {
            let mut json = json!({"type": format!("response.{kind}"), "output_index": at, "item_id": item["id"]});
            json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json
        };
        let mut pieces = Vec::new();
        match item["type"].as_str().unwrap() {
            "custom_tool_call" => {
                begun["input"] = json!("");
                let input = item["input"].as_str().unwrap();
                let (left, right) = input.split_at(input.floor_char_boundary(input.len() / 2));
                pieces.push(piece("custom_tool_call_input.delta", json!({"delta": left})));
                pieces.push(piece("custom_tool_call_input.delta", json!({"delta": right})));
                pieces.push(piece("custom_tool_call_input.done", json!({"input": input})));
            }
            "shell_call" => {
                begun["action"]["commands"] = json!([]);
                for (at, command) in item["action"]["commands"].as_array().unwrap().iter().enumerate() {
                    for (kind, key) in [("added", "command"), ("delta", "delta"), ("done", "command")] {
                        let value = if kind == "added" { &json!("") } else { command };
                        pieces.push(piece(
                            &format!("shell_call_command.{kind}"),
                            json!({"command_index": at, key: value}),
                        ));
                    }
                }
            }
            "apply_patch_call" => {
                let diff = item["operation"]["diff"].clone();
                pieces.push(piece("apply_patch_call_operation_diff.delta", json!({"delta": diff})));
                pieces.push(piece("apply_patch_call_operation_diff.done", json!({"diff": diff})));
            }
            _ => {}
        }
        event(json!({"type": "response.output_item.added", "output_index": at, "item": begun}));
        pieces.into_iter().for_each(&mut event);
        event(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    event(json!({"type": "response.completed", "response": envelope("completed", items)}));
    Raw::stream([Step::Bytes(text.into_bytes())])
}

/// Words instead of a correction.
fn gives_up(wire: Wire, stream: bool) -> Raw {
    match wire {
        Wire::Responses => {
            let said = json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "I cannot.", "annotations": []}]});
            responses(&[said], stream)
        }
        _ => chat(&json!({"content": "I cannot."}), stream),
    }
}

/// The items that a client of a responses answer has in the end, and those that it saw done.
fn items_of(heard: &Heard) -> Vec<Value> {
    let listed = |response: &Value| response["output"].as_array().cloned().unwrap_or_default();
    if !heard.raw.starts_with('{') {
        let events: Vec<Value> = heard
            .raw
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| serde_json::from_str(data).ok())
            .collect();
        let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).cloned().collect::<Vec<_>>();
        let done: Vec<Value> = of("response.output_item.done").iter().map(|event| event["item"].clone()).collect();
        let last = of("response.completed").pop().unwrap_or_else(|| panic!("no end: {}", heard.raw));
        assert_eq!(listed(&last["response"]), done, "the end tells what was shown: {}", heard.raw);
        return done;
    }
    listed(&serde_json::from_str(&heard.raw).unwrap())
}

fn kinds(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["type"].as_str().unwrap()).collect()
}

fn asks(wire: Wire, stream: bool, question: &str, tools: &[Value]) -> Ask {
    Ask::of(wire, stream, &[user(question)], &[]).field("tools", json!(tools))
}

fn weather_tools(wire: Wire) -> Vec<Value> {
    let exec = match wire {
        Wire::Chat => json!({"type": "custom", "custom": {"name": "note_down", "description": "Notes a text down."}}),
        _ => json!({"type": "custom", "name": "note_down", "description": "Notes a text down."}),
    };
    tools().iter().map(|tool| wire.tool(tool)).chain([exec]).collect()
}

const WEATHER: &str = "What is the weather in Paris for 10 days? Note it down.";

// CALL-1, CALL-11, SERVE-6: each call is judged by itself: no form of one of them frees the others.
#[test]
fn one_call_frees_no_other() {
    let world = World::shared();
    let function = |id: &str, arguments: Value| {
        json!({"id": id, "type": "function",
        "function": {"name": "get_weather", "arguments": arguments.to_string()}})
    };
    let wrong = function("call_b", bad());
    let custom = json!({"id": "call_c", "type": "custom", "custom": {"name": "note_down", "input": "Paris, 10 days"}});
    let with = |key: &str, value: Value| {
        let mut call = wrong.clone();
        call[key] = value;
        call
    };
    let legacy = json!({"name": "get_weather", "arguments": bad().to_string()});
    let listed = |calls: Value| {
        let numbered: Vec<Value> = calls
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(at, call)| {
                let mut call = call.clone();
                call["index"] = json!(at);
                call
            })
            .collect();
        json!({"content": null, "tool_calls": numbered})
    };
    let nameless = json!({"id": "call_n", "type": "function", "function": {"name": "", "arguments": "{}"}});
    let long = json!({"id": "call_l", "type": "function",
        "function": {"name": format!("get_weather{}", "x".repeat(5000)), "arguments": good().to_string()}});
    let cases = [
        ("a custom call beside it", listed(json!([custom, wrong])), vec!["note_down"]),
        ("custom: null", listed(json!([with("custom", Value::Null)])), vec![]),
        ("type: custom", listed(json!([with("type", json!("custom"))])), vec![]),
        ("an object for the list", json!({"content": null, "tool_calls": wrong}), vec![]),
        ("an empty list beside it", json!({"content": null, "tool_calls": [], "function_call": legacy}), vec![]),
        ("a nameless call", listed(json!([nameless, function("call_g", good())])), vec!["get_weather"]),
        ("an endless name", listed(json!([long, function("call_g", good())])), vec!["get_weather"]),
    ];
    for (told, message, released) in &cases {
        for stream in [false, true] {
            let ask = asks(Wire::Chat, stream, WEATHER, &weather_tools(Wire::Chat));
            let scripts = [chat(message, stream), gives_up(Wire::Chat, stream)];
            let (heard, mark) = world.play(&ask, scripts.map(Script::from));
            let seen = called(&heard);
            assert_eq!(
                seen.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
                *released,
                "{told}: {}",
                heard.raw
            );
            let wrong = bad().to_string();
            assert!(!seen.iter().any(|(_, arguments)| *arguments == wrong), "{told}: {}", heard.raw);
            assert!(!heard.raw.contains(&"x".repeat(4097)), "{told}");
            let statuses = world.attempts(&heard.verdict());
            assert!(statuses.iter().any(|record| record["released"] == false), "{told}: {statuses:?}");
            assert_eq!(statuses.iter().filter(|record| record["released"] == true).count(), released.len(), "{told}");
            assert_eq!(world.upstream.asked(&mark).len(), 2, "the model is told what is wrong: {told}");
        }
    }
}

/// The calls of a chat answer in any form: the name, and the arguments or the text.
fn called(heard: &Heard) -> Vec<(String, String)> {
    let messages: Vec<Value> = if heard.raw.starts_with('{') {
        vec![serde_json::from_str::<Value>(&heard.raw).unwrap()["choices"][0]["message"].clone()]
    } else {
        let data = heard.raw.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| Some(serde_json::from_str::<Value>(data).ok()?["choices"][0]["delta"].clone())).collect()
    };
    let mut found = Vec::new();
    for message in messages {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let (key, field) = if call["type"] == "custom" { ("custom", "input") } else { ("function", "arguments") };
            let word = |name: &str| call[key][name].as_str().unwrap_or_default().to_owned();
            found.push((word("name"), word(field)));
        }
        if let Some(call) = message["function_call"].as_object() {
            found.push((call["name"].as_str().unwrap().to_owned(), call["arguments"].as_str().unwrap().to_owned()));
        }
    }
    found
}

// CALL-1, CALL-6, SERVE-6: free text is judged as what its tool says it is, in chat and in responses, and goes out as it came.
#[test]
fn free_text_is_judged_and_released_as_it_came() {
    let world = World::shared();
    let question = "List the files of the folder, please, with the shell.";
    let declared = |wire: Wire| {
        let body = json!({"name": "shell", "description": "Runs a shell command and gives its output."});
        match wire {
            Wire::Chat => json!({"type": "custom", "custom": body}),
            _ => json!({"type": "custom", "name": body["name"], "description": body["description"]}),
        }
    };
    for wire in [Wire::Chat, Wire::Responses] {
        for stream in [false, true] {
            for (input, passes) in [
                ("ls -la {\"a\": 1}", true),
                ("{\"a\": 1}", true),
                ("cat 'my notes.txt'\n# é", true),
                ("rm -rf /", false),
            ] {
                let first = match wire {
                    Wire::Chat => {
                        let call = json!({"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "shell", "input": input}});
                        chat(&json!({"content": null, "tool_calls": [call]}), stream)
                    }
                    _ => responses(&[item("custom_tool_call", json!({"name": "shell", "input": input}))], stream),
                };
                let ask = asks(wire, stream, question, &[declared(wire)]);
                let (heard, _) = world.play(&ask, [first, gives_up(wire, stream)].map(Script::from));
                let told = format!("{wire:?} {stream} {input:?}: {}", heard.raw);
                let seen: Vec<(String, String)> = match wire {
                    Wire::Chat => called(&heard),
                    _ => items_of(&heard)
                        .iter()
                        .filter(|item| item["type"] == "custom_tool_call")
                        .map(|item| {
                            (item["name"].as_str().unwrap().to_owned(), item["input"].as_str().unwrap().to_owned())
                        })
                        .collect(),
                };
                let expected = if passes { vec![("shell".to_owned(), input.to_owned())] } else { vec![] };
                assert_eq!(seen, expected, "{told}");
                let record = world.verdict(&heard.verdict());
                assert_eq!(record["tool"], "shell", "{told}");
                assert_eq!(record["call"]["arguments"], json!({"input": input}), "{told}");
                assert_eq!(record["released"], passes, "{told}");
            }
        }
    }
}

fn item(kind: &str, more: Value) -> Value {
    let mut item =
        json!({"id": format!("it_{kind}"), "type": kind, "status": "completed", "call_id": format!("call_{kind}")});
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

fn built_in() -> Vec<Value> {
    vec![
        json!({"type": "local_shell"}),
        json!({"type": "shell"}),
        json!({"type": "apply_patch"}),
        json!({"type": "computer_use_preview", "display_width": 800, "display_height": 600, "environment": "browser"}),
        json!({"type": "web_search"}),
    ]
}

const FILES: &str =
    "List the files of the folder with the shell, then change the greeting in src/main.rs and take a screenshot.";

/// Calls in items: the tool, the item, and whether it may pass.
fn items_and_fates() -> Vec<(&'static str, Value, bool)> {
    let words = |words: &[&str]| {
        item("local_shell_call", json!({"action": {"type": "exec", "command": words, "env": {}, "timeout_ms": null}}))
    };
    let commands =
        |commands: &[&str]| item("shell_call", json!({"action": {"commands": commands, "timeout_ms": 1000}}));
    let patch = |operation: Value| item("apply_patch_call", json!({"operation": operation}));
    let computer = |key: &str, what: Value| item("computer_call", json!({key: what, "pending_safety_checks": []}));
    vec![
        ("local_shell", words(&["ls", "-la"]), true),
        ("local_shell", words(&["rm", "-rf", "/"]), false),
        ("local_shell", words(&["bash", "-lc", "rm -rf /"]), false),
        ("local_shell", words(&["grep", "-r", "rm -rf /", "docs"]), true),
        ("shell", commands(&["ls -la", "cat src/main.rs"]), true),
        ("shell", commands(&["ls -la", "rm -rf /"]), false),
        ("apply_patch", patch(json!({"type": "update_file", "path": "src/main.rs", "diff": "@@\n-a\n+b"})), true),
        (
            "apply_patch",
            patch(json!({"type": "update_file", "path": "/root/.ssh/authorized_keys", "diff": "+x"})),
            false,
        ),
        ("apply_patch", patch(json!({"diff": "+x"})), false),
        ("computer", computer("action", json!({"type": "screenshot"})), true),
        ("computer", computer("actions", json!([{"type": "click", "button": "left", "x": 1, "y": 2}])), true),
    ]
}

// CALL-1, CALL-6, SERVE-6: what the client runs of a responses answer is judged under the tool it is, and passes as it came.
#[test]
fn items_that_the_client_runs_are_calls() {
    let world = World::shared();
    for (tool, item, passes) in &items_and_fates() {
        for stream in [false, true] {
            let ask = asks(Wire::Responses, stream, FILES, &built_in());
            let scripts = [responses(std::slice::from_ref(item), stream), gives_up(Wire::Responses, stream)];
            let (heard, _) = world.play(&ask, scripts.map(Script::from));
            let told = format!("{item} {stream}: {}", heard.raw);
            let seen = items_of(&heard);
            if *passes {
                assert_eq!(seen, std::slice::from_ref(item), "{told}");
            } else {
                assert_eq!(kinds(&seen), ["message"], "{told}");
                assert!(!heard.raw.contains("_call\""), "nothing of it was shown: {told}");
            }
            let record = world.verdict(&heard.verdict());
            assert_eq!((&record["tool"], &record["released"]), (&json!(tool), &json!(passes)), "{told}");
        }
    }
}

// CALL-10: a call in an item is corrected in its own form, and what comes of it goes out in that form.
#[test]
fn an_item_is_corrected_in_its_own_form() {
    let world = World::shared();
    let of = |commands: &[&str]| item("shell_call", json!({"action": {"commands": commands}}));
    for stream in [false, true] {
        let ask = asks(Wire::Responses, stream, FILES, &built_in());
        let scripts = [responses(&[of(&["rm -rf /"])], stream), responses(&[of(&["ls -la"])], stream)];
        let (heard, mark) = world.play(&ask, scripts.map(Script::from));
        let seen = items_of(&heard);
        assert_eq!(kinds(&seen), ["shell_call"], "{}", heard.raw);
        assert_eq!(seen[0]["action"]["commands"], json!(["ls -la"]));
        let again = world.upstream.asked(&mark)[1].json();
        let more = again["input"].as_array().unwrap();
        let (made, told) = (&more[more.len() - 2], &more[more.len() - 1]);
        assert_eq!((&made["type"], &told["type"]), (&json!("shell_call"), &json!("shell_call_output")), "{again}");
        assert_eq!(made["call_id"], told["call_id"]);
        assert!(told["output"][0]["stderr"].as_str().unwrap().contains("rm -rf /"), "{told}");
    }
}

// SERVE-6, RESOLVE-4: what the provider runs itself passes to the byte; what nobody knows and the client may run is refused, and a setting opens it.
#[test]
fn server_run_items_pass_and_unknown_ones_fail_closed() {
    let server_run = [
        json!({"type": "reasoning", "id": "rs_1", "summary": []}),
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}}),
        json!({"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["x"], "results": null}),
        json!({"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "code": "1+1", "container_id": "c", "outputs": []}),
        json!({"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "AA=="}),
        json!({"type": "mcp_list_tools", "id": "ml_1", "server_label": "s", "tools": []}),
        json!({"type": "mcp_call", "id": "mc_1", "server_label": "s", "name": "delete_all", "arguments": "{}", "output": "ok"}),
        json!({"type": "compaction", "id": "cp_1", "encrypted_content": "x"}),
        json!({"type": "shell_call", "id": "sh_1", "call_id": "c1", "status": "completed", "action": {"commands": ["rm -rf /"]},
            "environment": {"type": "container_reference", "container_id": "c"}}),
        json!({"type": "shell_call_output", "id": "so_1", "call_id": "c1", "output": []}),
        json!({"type": "tool_search_call", "id": "ts_1", "call_id": "c2", "execution": "server", "arguments": {"query": "x"}}),
    ];
    let unknown =
        json!({"type": "browser_call", "id": "br_1", "call_id": "c9", "status": "completed", "action": {"open": "x"}});
    let upstream = Arc::new(Upstream::start());
    let closed = World::before(&upstream, "items-closed", &[], &[]);
    let open = World::with_settings(&upstream, "items-open", "[gateway]\nunknown_items = \"pass\"\n", &[]);
    let same = |world: &World, items: &[Value], stream: bool| {
        let raw = responses(items, stream);
        let Some(Step::Bytes(sent)) = raw.steps.first().cloned() else { panic!("no bytes") };
        let ask = asks(Wire::Responses, stream, FILES, &built_in());
        let (heard, mark) = world.play(&ask, [raw]);
        assert_eq!(heard.raw, String::from_utf8(sent).unwrap());
        assert_eq!(world.upstream.asked(&mark).len(), 1);
    };
    for stream in [false, true] {
        same(&closed, &server_run, stream);
        same(&open, &server_run, stream);
        same(&open, std::slice::from_ref(&unknown), stream);
        let ask = asks(Wire::Responses, stream, FILES, &built_in());
        let good = item("shell_call", json!({"action": {"commands": ["ls -la"]}}));
        let (heard, mark) = closed.play(&ask, [responses(&[unknown.clone(), good.clone()], stream)]);
        let seen = items_of(&heard);
        assert_eq!(seen.iter().filter(|item| item["type"] == "shell_call").count(), 1, "{}", heard.raw);
        assert!(!seen.iter().any(|item| item["type"] == "browser_call"), "{}", heard.raw);
        assert!(heard.raw.contains("unknown_items") && heard.raw.contains("`browser_call`"), "{}", heard.raw);
        assert_eq!(closed.upstream.asked(&mark).len(), 1, "nobody could correct it");
        let records = closed.attempts(&heard.verdict());
        let refused = records.iter().find(|record| record["tool"] == "browser_call").unwrap();
        assert_eq!((&refused["released"], &refused["outcome"]), (&json!(false), &json!("refused")), "{refused}");
    }
}

// CALL-2, CALL-6: the tools that Anthropic defines and the client runs are judged like all others; what the server runs passes.
#[test]
fn tools_that_a_provider_defines_are_judged() {
    let world = World::shared();
    let declared = [
        json!({"type": "bash_20250124", "name": "bash"}),
        json!({"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}),
        json!({"type": "memory_20250818", "name": "memory"}),
        json!({"type": "web_search_20250305", "name": "web_search"}),
    ];
    let cases = [
        ("bash", json!({"command": "ls -la"}), true),
        ("bash", json!({"restart": true}), true),
        ("bash", json!({"command": "rm -rf /"}), false),
        ("bash", json!({"command": {"run": "ls"}}), false),
        ("str_replace_based_edit_tool", json!({"command": "view", "path": "src/main.rs"}), true),
        (
            "str_replace_based_edit_tool",
            json!({"command": "create", "path": "/root/.ssh/id_rsa", "file_text": "x"}),
            false,
        ),
        ("memory", json!({"command": "view", "path": "/memories"}), true),
        ("memory", json!({"path": "/memories"}), false),
    ];
    for (name, input, passes) in &cases {
        for stream in [false, true] {
            let made = crate::gateway_dialects::Said::calls("Let me look.", &[call("toolu_1", name, input)]);
            let ask = asks(Wire::Messages, stream, FILES, &declared);
            let words = crate::gateway_dialects::Said::text("I cannot.");
            let (heard, _) = world.play(&ask, [made, words]);
            let told = format!("{name} {input} {stream}: {}", heard.raw);
            assert_eq!(heard.names(), if *passes { vec![*name] } else { vec![] }, "{told}");
            if *passes {
                assert_eq!(heard.calls[0].json(), *input, "{told}");
            }
            assert_eq!(world.verdict(&heard.verdict())["released"], *passes, "{told}");
        }
    }
    let block =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "rm -rf /"}});
    let body = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
        "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}});
    let ask = asks(Wire::Messages, false, FILES, &declared);
    let (heard, _) = world.play(&ask, [Raw::body(200, body.to_string())]);
    assert_eq!(heard.raw, body.to_string(), "what the server runs is the server's");
}

// CALL-1: a call without a name and one with an endless name are refused on every route, also where nothing is declared.
#[test]
fn a_call_without_a_usable_name_is_refused_everywhere() {
    let world = World::shared();
    let long = "x".repeat(4097);
    for name in ["", "  ", long.as_str()] {
        for tools in [json!([]), Value::Null] {
            let request = json!({"tools": tools, "call": {"name": name, "arguments": {}}});
            let verdict = world.server.post("/v1/check", &request.to_string()).json();
            assert_eq!(verdict["status"], "validation_failed", "{verdict}");
        }
        for (wire, stream) in crate::gateway_dialects::everywhere() {
            for declared in [true, false] {
                let mut ask = Ask::new(wire, stream);
                if !declared {
                    ask.body.as_object_mut().unwrap().shift_remove("tools");
                }
                let made = crate::gateway_dialects::Said::calls("", &[call("call_1", name, good())]);
                let words = crate::gateway_dialects::Said::text("I cannot.");
                let (heard, _) = world.play(&ask, [made, words]);
                let told = format!("{wire:?} {stream} {declared} {}: {}", name.len(), heard.raw);
                assert!(heard.calls.is_empty() && !heard.raw.contains(&long), "{told}");
                assert_eq!(world.verdict(&heard.verdict())["status"], "validation_failed", "{told}");
            }
        }
    }
}

// SERVE-6: 200 calls give headers that clients and proxies take, the gravest verdicts first, with their number.
#[test]
fn many_calls_give_a_bounded_head() {
    let world = World::shared();
    let mut calls: Vec<_> = (0..199).map(|at| call(&format!("call_{at}"), "get_weather", good())).collect();
    calls.push(call("call_bad", "get_weather", bad()));
    for wire in crate::gateway_dialects::WIRES {
        let said = crate::gateway_dialects::Said::calls("", &calls);
        let words = crate::gateway_dialects::Said::text("I cannot.");
        let (heard, _) = world.play(&Ask::new(wire, false), [said, words]);
        let ours: usize = heard
            .headers
            .iter()
            .filter(|(name, _)| name.starts_with("countersign-verdict"))
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum();
        assert!(ours > 1000 && ours < 4096, "{ours}");
        assert_eq!(heard.header("countersign-verdict-count"), Some("200"));
        let named = heard.header("countersign-verdicts").unwrap();
        let first = named.split(", ").next().unwrap();
        let grave = world.verdict(&heard.verdict());
        assert_eq!(first, format!("{} {}", heard.verdict(), grave["status"].as_str().unwrap()));
        assert_eq!(grave["released"], false, "the gravest comes first: {named}");
    }
}
