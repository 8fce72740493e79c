//! What official clients rely on: order, indices, ids, finish reasons, probabilities, and the client's own wishes.

use super::{FAULTS, QUESTION, ROUTES, bytes, functions, heard, read, request, right, sent, with, with_tools};
use countersign_runtime::models::{Ask, DemoBody, DemoModel, DemoRoute, Model};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;

// SERVE-7: what the client says about calling is obeyed.
#[test]
fn choices_of_the_client_are_obeyed() {
    let body = |choice: Value| with(with_tools(DemoRoute::Chat, "demo-clean", QUESTION), "tool_choice", choice);
    let names = |body: &Value| heard(DemoRoute::Chat, body).calls.into_iter().map(|call| call.name).collect::<Vec<_>>();
    assert!(names(&body(json!("none"))).is_empty());
    assert_eq!(names(&body(json!("required"))), ["cancel_order"]);
    assert_eq!(names(&body(json!({"type": "function", "function": {"name": "find_person"}}))), ["find_person"]);
    let alone = with(with_tools(DemoRoute::Chat, "demo-parallel", QUESTION), "parallel_tool_calls", json!(false));
    assert_eq!(names(&alone).len(), 1);
    let short = heard(DemoRoute::Chat, &with(request(DemoRoute::Chat, "demo-clean", QUESTION), "max_tokens", json!(3)));
    assert_eq!(short.finish.as_deref(), Some("length"));
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": functions()[1]["input_schema"]}});
    let answer = heard(DemoRoute::Chat, &with(request(DemoRoute::Chat, "demo", QUESTION), "response_format", format));
    assert_eq!(serde_json::from_str::<Value>(&answer.text).unwrap(), right());
    for route in ROUTES {
        let chinese = heard(route, &request(route, "demo-claims", "市场怎么样？"));
        assert!(chinese.text.contains("市场增长了25%"), "{}", chinese.text);
    }
}

// SERVE-7: the same seed and request give the same bytes; another seed other names; the mix holds right and wrong.
#[test]
fn everything_follows_from_the_seed() {
    for (route, stream) in ROUTES.iter().flat_map(|route| [(*route, false), (*route, true)]) {
        let body = with(with_tools(route, "demo", QUESTION), "stream", json!(stream)).to_string();
        assert_eq!(bytes(1, route, body.as_bytes()), bytes(1, route, body.as_bytes()));
        assert_ne!(bytes(1, route, body.as_bytes()), bytes(2, route, body.as_bytes()));
    }
    let name = |number: u32| {
        let body = with_tools(DemoRoute::Chat, "gpt-of-somebody", &format!("Cancel order ord_{number} for Ann"));
        heard(DemoRoute::Chat, &body).calls.first().map(|call| call.name.clone()).unwrap_or_default()
    };
    let right = (0..64).filter(|number| name(*number) == "cancel_order").count();
    assert!((20..64).contains(&right), "{right} of 64");
}

/// The data of the events of a stream.
fn data(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| *line != "[DONE]");
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

// SERVE-7: what official clients rely on in chat chunks.
#[test]
fn chat_chunks_are_as_clients_expect() {
    for fault in FAULTS {
        let body = with(with_tools(DemoRoute::Chat, &format!("demo-{fault}"), QUESTION), "stream", json!(true));
        let text = sent(DemoRoute::Chat, &body);
        let chunks = data(&text);
        assert_eq!(text.ends_with("data: [DONE]\n\n"), fault != "cut");
        assert!(
            chunks.iter().all(|chunk| chunk["id"] == chunks[0]["id"] && chunk["object"] == "chat.completion.chunk")
        );
        assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
        assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
        let finishes: Vec<&Value> =
            chunks.iter().map(|c| &c["choices"][0]["finish_reason"]).filter(|f| !f.is_null()).collect();
        assert_eq!(finishes.len(), usize::from(fault != "cut"));
        let mut begun = 0;
        for call in chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0)) {
            begun += u64::from(call.get("id").is_some());
            assert_eq!(call["index"].as_u64(), Some(begun - 1), "the first piece, and only that, has an id");
            assert_eq!(call["function"].get("name").is_some(), call.get("id").is_some());
        }
    }
    let options = json!({"include_usage": true});
    let body = with(with(request(DemoRoute::Chat, "demo", "Hi"), "stream", json!(true)), "stream_options", options);
    let chunks = data(&sent(DemoRoute::Chat, &body));
    let (last, others) = chunks.split_last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 2);
    assert!(others.iter().all(|chunk| chunk["usage"].is_null()));
}

// SERVE-7: responses are numbered, messages in order, indices from 0.
#[test]
fn named_events_are_as_clients_expect() {
    for fault in FAULTS {
        let model = format!("demo-{fault}");
        let text = sent(
            DemoRoute::Responses,
            &with(with_tools(DemoRoute::Responses, &model, QUESTION), "stream", json!(true)),
        );
        let events = data(&text);
        assert!(!text.contains("[DONE]"));
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"].as_u64(), Some(number as u64));
            assert!(text.contains(&format!("event: {}\n", event["type"].as_str().unwrap())));
        }
        assert_eq!(
            (&events[0]["type"], &events[1]["type"]),
            (&json!("response.created"), &json!("response.in_progress"))
        );
        let last = events.last().unwrap()["type"].as_str().unwrap();
        match fault {
            "cut" => assert!(last.ends_with(".delta"), "{last}"),
            "truncated" => assert_eq!(last, "response.incomplete"),
            _ => assert_eq!(last, "response.completed"),
        }
        let added: Vec<_> = events.iter().filter(|e| e["type"] == "response.output_item.added").collect();
        for (index, item) in added.iter().enumerate() {
            assert_eq!(item["output_index"].as_u64(), Some(index as u64));
        }
        let body = with(with_tools(DemoRoute::Messages, &model, QUESTION), "stream", json!(true));
        let kinds: Vec<String> = data(&sent(DemoRoute::Messages, &body))
            .iter()
            .map(|event| {
                format!(
                    "{}{}",
                    event["type"].as_str().unwrap(),
                    event.get("index").map(Value::to_string).unwrap_or_default()
                )
            })
            .collect();
        let mut order = kinds.clone();
        order.dedup();
        let mut expected = vec!["message_start", "content_block_start0", "ping", "content_block_delta0"];
        if fault != "cut" {
            expected.push("content_block_stop0");
        }
        if fault == "parallel" {
            expected.extend(["content_block_start1", "content_block_delta1", "content_block_stop1"]);
            expected.extend(["content_block_start2", "content_block_delta2", "content_block_stop2"]);
        }
        if fault != "cut" {
            expected.extend(["message_delta", "message_stop"]);
        }
        assert_eq!(order, expected, "{fault}");
    }
}

// SERVE-7: log-probabilities, one for each token, that are probabilities; made-up figures are the least sure.
#[test]
fn probabilities_are_told() {
    let body =
        with(with(request(DemoRoute::Chat, "demo-claims", "Hi"), "logprobs", json!(true)), "top_logprobs", json!(5));
    let whole: Value = serde_json::from_str(&sent(DemoRoute::Chat, &body)).unwrap();
    let told = whole["choices"][0]["logprobs"]["content"].as_array().unwrap();
    let joined: String = told.iter().map(|token| token["token"].as_str().unwrap()).collect();
    assert_eq!(joined, whole["choices"][0]["message"]["content"].as_str().unwrap());
    let least = told.iter().min_by(|a, b| a["logprob"].as_f64().partial_cmp(&b["logprob"].as_f64()).unwrap()).unwrap();
    assert!(least["token"].as_str().unwrap().contains(|c: char| c.is_ascii_digit()));
    for token in told {
        let top: Vec<f64> =
            token["top_logprobs"].as_array().unwrap().iter().map(|t| t["logprob"].as_f64().unwrap()).collect();
        assert_eq!(top.len(), 5);
        assert!(top.windows(2).all(|pair| pair[0] > pair[1]), "{top:?}");
        assert!(top.iter().map(|logarithm| logarithm.exp()).sum::<f64>() <= 1.0);
    }
    let streamed = data(&sent(DemoRoute::Chat, &with(body, "stream", json!(true))));
    let pieces = streamed.iter().filter_map(|chunk| chunk["choices"][0]["logprobs"]["content"].get(0)).cloned();
    assert_eq!(&pieces.collect::<Vec<_>>(), told);
    let include = json!(["message.output_text.logprobs"]);
    let body = with(request(DemoRoute::Responses, "demo-claims", "Hi"), "include", include);
    let whole: Value = serde_json::from_str(&sent(DemoRoute::Responses, &body)).unwrap();
    assert!(whole["output"][0]["content"][0]["logprobs"].as_array().unwrap().len() > 5);
}

// SERVE-7: the list of models, and a model that is none.
#[test]
fn models_are_listed() {
    let (status, text) = bytes(0, DemoRoute::Models, b"\xff");
    let list: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = list["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!((status, names.len(), names[0]), (200, 35, "demo"));
    for fault in FAULTS {
        assert!(names.contains(&format!("demo-{fault}").as_str()), "{fault}");
    }
    for route in ROUTES {
        let (status, text) = bytes(0, route, request(route, "demo-typo", "Hi").to_string().as_bytes());
        let error: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(status, 404);
        assert!(error["error"]["message"].as_str().unwrap().contains("demo-clean"), "{error}");
    }
}

// SERVE-7: hosted turns get what they always got: claims, and a note that is not closed; a slow model is slow.
#[tokio::test(start_paused = true)]
async fn hosted_turns_keep_their_answers() {
    let ask = |model: Option<&str>| Ask {
        model: model.map(str::to_owned),
        messages: vec![json!({"role": "user", "content": "How did sales do?"})],
        tools: Vec::new(),
    };
    let said =
        DemoModel::default().ask(ask(None)).await.unwrap().map(Result::unwrap).collect::<Vec<_>>().await.concat();
    let heard = read(DemoRoute::Chat, &String::from_utf8(said).unwrap());
    assert!(heard.text.starts_with("You asked: How did sales do?\n\nAccording to the 2024 Demo Institute report"));
    assert!(heard.text.ends_with("<create_note><name>demo</name><content>The market grew by 25%."));
    assert!(DemoModel::default().ask(ask(Some("demo-typo"))).await.is_err());
    let begun = tokio::time::Instant::now();
    let body = with(request(DemoRoute::Chat, "demo-slow", "Hi"), "stream", json!(true)).to_string();
    let DemoBody::Stream(stream) = DemoModel::new(0).answer(DemoRoute::Chat, body.as_bytes()).body else {
        panic!("no stream")
    };
    assert!(stream.count().await > 5 && begun.elapsed() > Duration::from_secs(2));
}
