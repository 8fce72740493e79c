//! CLAIM-3: pending claims are looked up in order, each source for itself, and a stopped run goes on where it stopped.

use crate::world::Folder;
use countersign::claims::find::find;
use countersign::claims::lineage::{Lineage, Standing};
use countersign::claims::mark::{apply, mark};
use countersign::contract::{ClaimStatus, ClaimUpdate, MarkedMessage};
use countersign::policy::Policy;
use countersign_runtime::Asker;
use countersign_runtime::factcheck::{
    Again, Checkers, Doubt, Evidence, EvidenceKind, FactCheck, Judge, JudgeError, Judgement, Library, LibraryError,
    LibraryPassage, Line, ModelJudge, Options, Report, Said, Sources, Summary,
};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

// CLAIM-3
#[test]
fn tool_results_settle_claims_with_the_passage() {
    let message = marked("m1", "Revenue grew 25% in 2023. Churn fell to 4%. The office has 37 desks.");
    let evidence = [
        evidence("call_1", "In 2023, revenue grew by 25% to a new high."),
        evidence("call_2", "{\"churn_percent\": 6, \"office\": \"Oslo\"}"),
    ];
    let report = check(&FactCheck::new(Sources::default(), Options::default()), &[message], &evidence);
    let verified = find_update(&report, ClaimStatus::Verified, "call_1");
    let source = verified.source.as_ref().unwrap();
    assert_eq!((source.name.as_str(), source.start, source.end), ("tool_result", Some(0), Some(43)));
    let disputed = find_update(&report, ClaimStatus::Disputed, "call_2");
    let source = disputed.source.as_ref().unwrap();
    assert_eq!(evidence[1].content.get(source.start.unwrap()..source.end.unwrap()), Some("6"));
    assert!(disputed.note.as_deref().unwrap().contains("not 4%"), "{disputed:?}");
    assert_eq!((report.summary.verified, report.summary.disputed, report.summary.pending), (2, 1, 0), "{report:?}");
    assert!(report.troubles.is_empty());
}

// CLAIM-3
#[test]
fn arithmetic_shows_its_computation() {
    let messages = [
        marked("m1", "Revenue rose from $40 million to $50 million, up 25%."),
        marked("m2", "Revenue rose from $40 million to $50 million, up 30%."),
    ];
    let report = check(&FactCheck::new(Sources::default(), Options::default()), &messages, &[]);
    let of = |id: &str| report.updates.iter().find(|update| update.id == id).unwrap();
    assert_eq!(of("m1.2").status, ClaimStatus::Verified);
    assert_eq!(of("m2.2").status, ClaimStatus::Disputed);
    assert_eq!(of("m2.2").note.as_deref(), Some("50/40 − 1 = 25%, not 30%"));
    assert_eq!(of("m2.2").source.as_ref().map(|source| source.name.as_str()), Some("arithmetic"));
    assert_eq!(of("m1.0").status, ClaimStatus::Unverifiable);
}

// CLAIM-2, CLAIM-3, CLAIM-4; T24
#[test]
fn a_verified_source_verifies_the_chain() {
    let mut graph = Lineage::default();
    let mut messages = vec![
        marked("m1", "The market grew 25% in 2024."),
        marked("m2", "Market growth was 25% in 2024."),
        marked("m3", "2024年市场增长25%。"),
    ];
    for (message, [from, to]) in messages.iter().zip([["a", "b"], ["b", "c"], ["c", "d"]]) {
        assert!(message.needs_verify);
        graph.add(message, from, to, &[]).unwrap();
    }
    let node = FactCheck::new(Sources::default(), Options::default());
    let mut updated: Vec<ClaimUpdate> = Vec::new();
    let evidence = [evidence("call_7", "The market grew 25% in 2024.")];
    node.run(messages.get(..1).unwrap(), &evidence, &[], &mut |update| {
        updated.extend(graph.settle(update));
        ControlFlow::Continue(())
    });
    let percent: Vec<&str> =
        updated.iter().map(|u| u.id.as_str()).filter(|id| graph.trace(id)[0].text.as_deref() == Some("25%")).collect();
    assert_eq!(percent.len(), 3, "{updated:?}");
    assert!(updated.iter().all(|update| update.status == ClaimStatus::Verified));
    let again: Lineage = serde_json::from_str(&serde_json::to_string(&graph).unwrap()).unwrap();
    for message in &mut messages {
        apply(message, &updated);
        let claim = message.claims.iter().find(|claim| claim.text == "25%").unwrap();
        assert!(claim.verified());
        assert_eq!(again.standing(claim.id.as_deref().unwrap()), Standing::Kept(ClaimStatus::Verified));
    }
}

// CLAIM-3
#[test]
fn arithmetic_takes_the_numbers_of_tool_results() {
    let node = FactCheck::new(Sources::default(), Options::default());
    let known = evidence("call_1", "Revenue was $40m in 2022 and $50m in 2023.");
    for (text, status) in [
        ("Revenue grew 25% in 2023.", ClaimStatus::Verified),
        ("Revenue grew 35% in 2023.", ClaimStatus::Disputed),
        ("Costs grew 35% in 2023.", ClaimStatus::Unverifiable),
    ] {
        let report = check(&node, &[marked("m1", text)], std::slice::from_ref(&known));
        let update = report.updates.iter().find(|update| update.id == "m1.0").unwrap();
        assert_eq!(update.status, status, "{report:?}");
        let source = update.source.as_ref();
        assert_eq!(source.map(|source| source.name.as_str()), Some("arithmetic").filter(|_| text.starts_with("Rev")));
    }
}

// CLAIM-3
#[test]
fn the_knowledge_base_is_quoted_with_its_place() {
    let library = shelf(vec![
        passage("report.md", &["Annual report", "Sales"], 120, "Sales are good. Sales in Norway rose 14% in 2023."),
        passage("tower.md", &[], 0, "The Eiffel Tower is 330 metres tall."),
    ]);
    let node = FactCheck::new(Sources { library: Some(library), ..Sources::default() }, Options::default());
    let message = marked("m1", "Sales in Norway rose 14% in 2023. The Eiffel Tower is 300 metres tall.");
    let report = check(&node, &[message], &[]);
    let verified = find_update(&report, ClaimStatus::Verified, "report.md");
    assert_eq!(verified.source.as_ref().map(|s| (s.start, s.end)), Some((Some(136), Some(169))));
    let disputed = find_update(&report, ClaimStatus::Disputed, "tower.md");
    assert_eq!(disputed.source.as_ref().unwrap().passage.as_deref(), Some("The Eiffel Tower is 330 metres tall."));
}

// CLAIM-3
#[test]
fn a_source_that_fails_harms_no_other_and_leaves_claims_pending() {
    struct Moody(&'static str);
    impl Library for Moody {
        fn passages(&self, _: &str, _: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
            match self.0 {
                "panic" => panic!("as asked"),
                "sleep" => {
                    thread::sleep(Duration::from_millis(1500));
                    Ok(Vec::new())
                }
                _ => Err(LibraryError("the index is being built".into())),
            }
        }
    }
    for (mood, words) in [("panic", "panicked"), ("sleep", "did not answer within 100 ms"), ("fail", "being built")] {
        // Printing a panic takes its time.
        let deadline = Duration::from_millis(if mood == "sleep" { 100 } else { 10_000 });
        let options = Options { library_deadline: deadline, ..Options::default() };
        let sources = Sources { library: Some(Arc::new(Moody(mood))), ..Sources::default() };
        let node = FactCheck::new(sources, options);
        let message = marked("m1", "Revenue grew 25%. Staff grew 11%.");
        let begun = Instant::now();
        let report = check(&node, &[message], &[evidence("call_1", "Revenue grew 25%.")]);
        assert!(mood != "sleep" || begun.elapsed() < Duration::from_millis(1200), "a late one is not waited for");
        assert_eq!((report.summary.verified, report.summary.pending), (1, 1), "{mood}: {report:?}");
        assert!(report.troubles.keys().any(|trouble| trouble.contains(words)), "{:?}", report.troubles);
    }
}

// CLAIM-3
#[test]
fn a_stopped_run_goes_on_where_it_stopped() {
    let (messages, library) = session(30);
    let node = |library: Arc<dyn Library>| {
        FactCheck::new(Sources { library: Some(library), ..Sources::default() }, Options::default())
    };
    let whole = check(&node(Arc::clone(&library)), &messages, &[]);
    assert!(whole.summary.verified > 5 && whole.summary.disputed > 5, "{:?}", whole.summary);
    for stop in [1, 7, 20] {
        let mut stored: Vec<ClaimUpdate> = Vec::new();
        let first = node(Arc::clone(&library)).run(&messages, &[], &[], &mut |update| {
            stored.push(update.clone());
            if stored.len() == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(first.stopped && stored.len() == stop);
        let done = stored.clone();
        let second = node(Arc::clone(&library)).run(&messages, &[], &done, &mut |update| {
            stored.push(update.clone());
            ControlFlow::Continue(())
        });
        assert_eq!(stored, whole.updates, "the same results in the same order");
        assert_eq!(second.summary, whole.summary);
    }
}

// CLAIM-3
#[test]
fn settled_claims_are_not_asked_again_and_results_do_not_depend_on_threads() {
    let (mut messages, library) = session(12);
    let run = |threads, messages: &[MarkedMessage], again| {
        let counted = Arc::new(Counted { inner: Arc::clone(&library), asked: AtomicUsize::new(0) });
        let options = Options { threads: Some(threads), again, ..Options::default() };
        let sources = Sources { library: Some(Arc::clone(&counted) as Arc<dyn Library>), ..Sources::default() };
        let report = check(&FactCheck::new(sources, options), messages, &[]);
        (report, counted.asked.load(Ordering::SeqCst))
    };
    let (one, asked) = run(1, &messages, Again::LeaveSettled);
    assert!(asked > 0);
    for threads in [2, 5] {
        assert_eq!(run(threads, &messages, Again::LeaveSettled).0, one);
    }
    messages.iter_mut().for_each(|message| apply(message, &one.updates));
    let (again, asked) = run(2, &messages, Again::LeaveSettled);
    assert_eq!((again.updates.len(), asked, again.summary), (0, 0, one.summary));
    let (retried, _) = run(2, &messages, Again::RetryUnverifiable);
    assert_eq!(retried.updates.len(), one.summary.unverifiable);
    assert_eq!(run(2, &messages, Again::All).0.updates, one.updates);
}

// CLAIM-3
#[test]
fn a_model_is_asked_last_and_believed_least() {
    struct Always(Said, &'static str);
    impl Judge for Always {
        fn judge(&self, _: &Doubt) -> Result<Judgement, JudgeError> {
            Ok(Judgement { said: self.0, quote: Some(self.1.into()), reason: Some("because".into()) })
        }
    }
    let run = |said, quote, text: &str, known: &str| {
        let sources = Sources { judge: Some(Arc::new(Always(said, quote))), ..Sources::default() };
        check(&FactCheck::new(sources, Options::default()), &[marked("m1", text)], &[evidence("call_1", known)])
    };
    // A document that conflicts is not overruled.
    let report = run(Said::Supports, "", "Revenue grew 30% in 2023.", "Revenue grew 25% in 2023.");
    assert!(report.updates.iter().any(|u| u.status == ClaimStatus::Disputed), "{report:?}");
    // A dispute needs a quotation that is in a passage.
    let known = "Net revenue of the whole group was a quarter larger.";
    let with = run(Said::Conflicts, "a quarter larger", "Revenue grew 30%.", known);
    assert_eq!(with.updates[0].status, ClaimStatus::Disputed);
    assert_eq!(with.updates[0].source.as_ref().unwrap().passage.as_deref(), Some("a quarter larger"));
    let without = run(Said::Conflicts, "made up words", "Revenue grew 30%.", known);
    assert_eq!(without.updates[0].status, ClaimStatus::Unverifiable);
    let alone = run(Said::Supports, "", "Revenue grew 30%.", known);
    assert!(alone.updates[0].note.as_deref().unwrap().contains("without a document"));
}

// CLAIM-3
#[test]
fn a_model_is_asked_over_http() {
    let answer = |content: &str| serde_json::json!({"choices": [{"message": {"content": content}}]}).to_string();
    let good = answer("```json\n{\"verdict\": \"supports\", \"quote\": \"\", \"reason\": \"known\"}\n```");
    for (status, body, settled, trouble) in [
        (200, good, 1, None),
        (200, answer("I think it is true."), 0, Some("form")),
        (500, "oops".to_owned(), 0, Some("status 500")),
    ] {
        let (address, requests) = serve(status, body);
        let judge = ModelJudge::new(&format!("http://{address}/v1"), "small", Some("k".into()), Duration::from_secs(5));
        let sources = Sources { judge: Some(Arc::new(judge)), ..Sources::default() };
        let report = check(&FactCheck::new(sources, Options::default()), &[marked("m1", "Sales rose 31%.")], &[]);
        assert_eq!(report.summary, Summary { verified: settled, pending: 1 - settled, ..Summary::default() });
        assert_eq!(report.troubles.keys().any(|told| trouble.is_some_and(|t| told.contains(t))), trouble.is_some());
        let request = requests.recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(request.contains("Sales rose 31%") && request.contains("Bearer k"), "{request}");
    }
}

// CLAIM-3
#[test]
fn checkers_answer_for_their_own_hosts() {
    let policy =
        "[[facts.endpoints]]\nname = \"api\"\nargument = \"url\"\nknown = [\"GET https://api.example.com/v1/users\"]\n";
    let policy = Arc::new(Policy::from_toml(policy).unwrap());
    let asker = Arc::new(Asker::from_policy(&policy, Folder::new().path()).unwrap());
    let checkers = Some(Arc::new(Checkers::new(asker, policy)));
    let node = FactCheck::new(Sources { checkers, ..Sources::default() }, Options::default());
    let text = "See https://api.example.com/v1/users, https://api.example.com/v1/userz and https://other.org/x today.";
    let report = check(&node, &[marked("m1", text)], &[]);
    let of = |id: &str| report.updates.iter().find(|u| u.id == id).map(|u| u.status.name());
    assert_eq!([of("m1.0"), of("m1.1"), of("m1.2")], [Some("verified"), Some("disputed"), Some("unverifiable")]);
}

/// 100 claims with 5 candidate passages each; the bound is for a release build, where it is measured.
#[test]
fn a_hundred_claims_are_looked_up_quickly() {
    let (messages, inner) = session(100);
    let library: Arc<dyn Library> = Arc::new(Fresh { inner, asked: AtomicUsize::new(0) });
    let node = FactCheck::new(Sources { library: Some(library), ..Sources::default() }, Options::default());
    let claims: usize = messages.iter().map(|message| message.claims.len()).sum();
    assert!(claims >= 100);
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let begun = Instant::now();
        check(&node, &messages, &[]);
        best = best.min(begun.elapsed());
    }
    println!("{claims} claims in {best:?}");
    let bound = if cfg!(debug_assertions) { 3000 } else { 40 };
    assert!(best < Duration::from_millis(bound), "{claims} claims took {best:?}");
}

/// Messages about many regions, and a library in which a third of the numbers are others and a third are missing.
fn session(count: usize) -> (Vec<MarkedMessage>, Arc<dyn Library>) {
    let names = ["Norway", "Chile", "Kenya", "Japan", "Peru", "Ghana", "Nepal", "Malta", "Qatar", "Italy"];
    let goods = ["Timber", "Copper", "Coffee", "Paper", "Wool", "Salt", "Cotton", "Glass", "Steel", "Honey"];
    let mut messages = Vec::new();
    let mut passages = Vec::new();
    for number in 0..count {
        let (good, land) = (goods.get(number % 10).unwrap(), names.get(number / 10 % 10).unwrap());
        let share = 11 + number % 80;
        messages.push(marked(&format!("m{number}"), &format!("{good} exports from {land} rose {share}%.")));
        let told = match number % 3 {
            0 => format!("{good} exports from {land} rose {share}%."),
            1 => format!("{good} exports from {land} rose {}%.", share + 7),
            _ => format!("{good} exports from {land} are watched closely."),
        };
        let text = format!("The office keeps a list of goods. {told} More is said in the appendix of the yearbook.");
        passages.push(passage("trade.md", &["Trade"], number * 200, &text));
    }
    (messages, shelf(passages))
}

/// A library that ranks by shared words.
struct Shelf(Vec<LibraryPassage>);

impl Library for Shelf {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        let words: Vec<&str> = query.split([' ', '.']).filter(|word| word.len() > 3).collect();
        let mut ranked: Vec<(usize, usize)> = (self.0.iter().enumerate())
            .map(|(at, passage)| (words.iter().filter(|word| passage.text.contains(**word)).count(), at))
            .collect();
        ranked.sort_by_key(|(shared, at)| (std::cmp::Reverse(*shared), *at));
        Ok(ranked.iter().take(limit).map(|(_, at)| self.0.get(*at).cloned().unwrap()).collect())
    }
}

fn shelf(passages: Vec<LibraryPassage>) -> Arc<dyn Library> {
    Arc::new(Shelf(passages))
}

/// A library that never gives the same passage twice, so that each must be read.
struct Fresh {
    inner: Arc<dyn Library>,
    asked: AtomicUsize,
}

impl Library for Fresh {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        let own = |passage| LibraryPassage { place: format!("{number}.md"), ..passage };
        Ok(self.inner.passages(query, limit)?.into_iter().map(own).collect())
    }
}

struct Counted {
    inner: Arc<dyn Library>,
    asked: AtomicUsize,
}

impl Library for Counted {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.inner.passages(query, limit)
    }
}

fn check(node: &FactCheck, messages: &[MarkedMessage], evidence: &[Evidence]) -> Report {
    node.run(messages, evidence, &[], &mut |_| ControlFlow::Continue(()))
}

fn marked(id: &str, text: &str) -> MarkedMessage {
    mark(id, text, find(text))
}

fn evidence(place: &str, content: &str) -> Evidence {
    Evidence { kind: EvidenceKind::ToolResult, place: place.into(), content: content.into() }
}

fn passage(place: &str, headings: &[&str], start: usize, text: &str) -> LibraryPassage {
    let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
    LibraryPassage { place: place.into(), headings, text: text.into(), start, line: Line::Unknown }
}

fn find_update<'a>(report: &'a Report, status: ClaimStatus, place: &str) -> &'a ClaimUpdate {
    let told = |update: &&ClaimUpdate| {
        update.status == status && update.source.as_ref().is_some_and(|source| source.place.as_deref() == Some(place))
    };
    report.updates.iter().find(told).unwrap_or_else(|| panic!("{place}: {report:?}"))
}

/// A server that reads whole requests and answers all alike.
fn serve(status: u16, body: String) -> (std::net::SocketAddr, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
                head.push_str(&line);
            }
            let mut sent = vec![0; length];
            reader.read_exact(&mut sent).unwrap();
            let _ = sender.send(head + &String::from_utf8(sent).unwrap());
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            let _ = (&stream).write_all((head + &body).as_bytes());
        }
    });
    (address, receiver)
}
