#![allow(clippy::all, clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, missing_docs)]
use countersign::parse::native::*;
use countersign::parse::*;
fn run(d: Dialect, s: &str) -> (Vec<Event>, StreamFacts) {
    let mut n = NativeStream::new(d, &ParseOptions::default());
    let mut e = vec![];
    n.push(s, &mut e);
    n.finish(Finish::Stop, &mut e);
    (e, n.facts().clone())
}
fn main() {
    let dir = "/work/shared/data/model-outputs/";
    for f in std::fs::read_dir(format!("{dir}sse")).unwrap() {
        let p = f.unwrap().path();
        let n = p.file_name().unwrap().to_str().unwrap().to_owned();
        let d = if n.starts_with("anth") {
            Dialect::Anthropic
        } else if n.starts_with("openai_r") {
            Dialect::Responses
        } else {
            Dialect::OpenAi
        };
        let (e, f) = run(d, &std::fs::read_to_string(&p).unwrap());
        let t: String = e
            .iter()
            .filter_map(|e| if let Event::Text { text, .. } = e { Some(text.as_str()) } else { None })
            .collect();
        println!(
            "{n}: {} events, {} unrec, {:?}\n   {}",
            e.len(),
            e.iter().filter(|e| matches!(e, Event::Unrecovered { .. })).count(),
            f,
            t.replace('\n', "\\n")
        );
    }
    let (mut same, mut all) = (0, 0);
    for l in std::fs::read_to_string(format!("{dir}raw_openai.jsonl")).unwrap().lines() {
        let v: serde_json::Value = serde_json::from_str(l).unwrap();
        let (e, _f) = run(Dialect::OpenAi, &v["response"].to_string());
        let t: String = e
            .iter()
            .filter_map(|e| if let Event::Text { text, .. } = e { Some(text.as_str()) } else { None })
            .collect();
        all += 1;
        if t == v["response"]["choices"][0]["message"]["content"].as_str().unwrap_or("")
            && !e.iter().any(|e| matches!(e, Event::Unrecovered { .. }))
            && _f.finish_reason.is_some()
            && _f.usage.is_some()
        {
            same += 1
        } else {
            println!("{}", v["response"]);
        }
    }
    println!("{same}/{all}");
    // scaling
    for (name, unit) in [
        ("open", "{"),
        ("list", "["),
        ("pair", "{}"),
        ("quote", "\""),
        ("backslash", "\\"),
        ("data", "data: {\n"),
        ("datal", "data: ["),
        ("cr", "\r"),
        (
            "chunkopen",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n",
        ),
        ("multi", "data: {\"a\":\ndata: 1,\n"),
        (
            "idx",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n",
        ),
        ("nl", "{\"a\":1\n"),
        (
            "named",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"abc\"}}]}}]}\n",
        ),
        ("ant", "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"x\"}}\n"),
        ("err", "data: {\"error\":{\"message\":\"x\"}}\n"),
        (
            "differ",
            "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"name\":\"x\",\"arguments\":\"{}1\"}}\n",
        ),
    ] {
        let mut last = 0.0;
        for n in [50_000usize, 100_000, 200_000] {
            let s = unit.repeat(n);
            let mut w = vec![];
            for d in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Responses] {
                let t = std::time::Instant::now();
                let (e, _) = run(d, &s);
                w.push((t.elapsed().as_secs_f64() * 1e3, e.len()));
            }
            let m = w.iter().map(|x| x.0).fold(0.0, f64::max);
            print!("{name} {n}: {:.1} ms ({:.2}x) {:?}; ", m, m / last, w.iter().map(|x| x.1).collect::<Vec<_>>());
            last = m;
        }
        println!();
    }
}
