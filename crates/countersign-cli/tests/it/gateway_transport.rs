//! How requests get upstream and answers back: through the proxy of the environment, and in as few writes as reads.

use crate::gateway_dialects::{Said, Wire, user};
use crate::gateway_upstream::{Framing, Raw, Step, Upstream};
use crate::gateway_world::{Ask, World};
use std::io::{Read, Write};
use std::sync::Arc;

// SERVE-6: a proxy that the environment names is used, but for the addresses that it leaves out.
#[test]
fn a_proxy_of_the_environment_is_used() {
    let (proxy, upstream) = (Arc::new(Upstream::start()), Arc::new(Upstream::start()));
    let address = format!("http://127.0.0.1:{}", proxy.port);
    let ask = Ask::of(Wire::Chat, false, &[user("Hello?")], &[]);
    let mark = proxy.on([Said::text("by the proxy")]);
    upstream.again(&mark, [Said::text("straight")]);
    let proxied = World::before(&upstream, "proxied", &[], &[("HTTP_PROXY", &address), ("NO_PROXY", "")]);
    assert!(proxied.ask(&ask, &mark).raw.contains("by the proxy"));
    let asked = proxy.asked(&mark);
    assert_eq!(asked[0].target, format!("{}/chat/completions", upstream.openai()), "a proxy is told the whole address");
    let left_out = World::before(&upstream, "no-proxy", &[], &[("HTTP_PROXY", &address), ("NO_PROXY", "127.0.0.1")]);
    assert!(left_out.ask(&ask, &mark).raw.contains("straight"));
    assert_eq!(upstream.asked(&mark)[0].target, "/oai/v1/chat/completions");
}

// SERVE-6, SERVE-7: events that come together leave together; each alone would be a write and a change of task.
#[test]
fn events_that_come_together_leave_together() {
    let world = World::shared();
    let event = |text: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let words: Vec<String> = (0..50).map(|at| event(&format!(" word{at}"), "null")).collect();
    let whole = words.concat() + &event("", "\"stop\"") + "data: [DONE]\n\n";
    // Each event is a chunk of HTTP, and all of them are one write.
    let chunks: String =
        whole.split_inclusive("\n\n").map(|event| format!("{:x}\r\n{event}\r\n", event.len())).collect();
    let steps = [Step::Bytes((chunks + "0\r\n\r\n").into_bytes())];
    let raw = Raw::stream(steps).framing(Framing::Close).header("transfer-encoding", "chunked");
    let mark = world.upstream.on([raw]);
    let body = Wire::Chat.body(&[user("Tell me.")], &[], true).to_string();
    let mut tcp = world.server.connect();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-mark: {mark}\r\ncontent-length: {}\r\n\r\n{body}",
        world.server.address,
        body.len()
    );
    tcp.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    tcp.read_to_string(&mut answer).unwrap();
    let (_, answer) = answer.split_once("\r\n\r\n").unwrap();
    let sizes = answer.lines().filter(|line| !line.is_empty() && usize::from_str_radix(line.trim(), 16).is_ok());
    let sizes: Vec<&str> = sizes.collect();
    assert!(sizes.len() <= 4, "{} chunks: {sizes:?}", sizes.len());
}
