//! Web search against an endpoint on loopback: what it answers is normalised, whatever it is.

use super::service::{Service, answer};
use super::{call, place};
use countersign_runtime::tools::{
    Found, Knowledge, Search, SearchKind, SearchMethod, SearchOptions, ToolTrouble, WebSearch, http_client, search_tool,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn search(options: SearchOptions) -> Arc<WebSearch> {
    WebSearch::new(options, http_client().unwrap()).unwrap()
}

fn generic(method: SearchMethod) -> SearchKind {
    let [query, results, title, link, content, icon, publish_date] =
        ["text", "/data/items", "/name", "/at", "/says", "", "/on"].map(str::to_owned);
    SearchKind::Generic { method, query, results, title, link, content, icon, publish_date }
}

// STREAM-6
#[tokio::test]
async fn searxng_is_asked_and_its_results_are_normalised() {
    let results = json!({"query": "x", "results": [
        {"url": "https://a.test/", "title": "A <b>b</b>", "content": "c &amp; d\u{7}", "img_src": "", "favicon": "https://a.test/f.ico", "publishedDate": "2026-11-01"},
        {"url": "https://b.test/", "title": "B"},
        {"url": "https://c.test/", "title": "C"},
    ]});
    let service = Service::start(move |_| answer(200, "application/json", &results.to_string())).await;
    let mut options = SearchOptions::new(format!("{}/search?language=en", service.base), SearchKind::Searxng);
    options.limit = 2;
    options.headers.insert("x-key".to_owned(), "k".to_owned());
    let source = search_tool(search(options));
    let outcome = call(&*source, "web_search", json!({"query": "rust & 锈"})).await;
    let expected = json!([
        {"title": "A b", "link": "https://a.test/", "content": "c & d", "icon": "https://a.test/f.ico", "publish_date": "2026-11-01"},
        {"title": "B", "link": "https://b.test/", "content": "", "icon": "", "publish_date": ""},
    ]);
    assert_eq!(outcome.content, json!({"query": "rust & 锈", "results": expected}));
    let asked = service.last();
    assert_eq!(asked.line, "GET /search?language=en&q=rust+%26+%E9%94%88&format=json HTTP/1.1");
    assert!(asked.head.contains("x-key: k"), "{}", asked.head);
}

// STREAM-6
#[tokio::test]
async fn an_endpoint_of_any_kind_is_asked_as_the_operator_says() {
    let results = json!({"data": {"items": [{"name": "N", "at": "https://a.test/", "says": "s", "on": 2026}]}});
    let service = Service::start(move |_| answer(200, "application/json", &results.to_string())).await;
    let expected = Found {
        title: "N".to_owned(),
        link: "https://a.test/".to_owned(),
        content: "s".to_owned(),
        icon: String::new(),
        publish_date: "2026".to_owned(),
    };
    for (method, line, body) in [
        (SearchMethod::Get, "GET /?text=q HTTP/1.1", Value::Null),
        (SearchMethod::Post, "POST / HTTP/1.1", json!({"text": "q"})),
    ] {
        let found = search(SearchOptions::new(&service.base, generic(method))).search("q", &place("s")).await;
        assert_eq!(found.unwrap(), vec![expected.clone()]);
        let asked = service.last();
        assert_eq!((asked.line.as_str(), serde_json::from_str(&asked.body).unwrap_or(Value::Null)), (line, body));
    }
}

// STREAM-6
#[tokio::test]
async fn an_endpoint_that_fails_is_told_in_time() {
    let service = Service::start(|asked| match asked.line.split(' ').nth(1).unwrap() {
        path if path.starts_with("/forbidden") => answer(403, "text/html", "no"),
        path if path.starts_with("/html") => answer(200, "text/html", "<html>"),
        path if path.starts_with("/large") => answer(200, "application/json", &" ".repeat(3 << 20)),
        path if path.starts_with("/moved") => {
            b"HTTP/1.1 302 X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n".to_vec()
        }
        _ => answer(200, "application/json", r#"{"results": "none"}"#),
    })
    .await;
    for (path, words) in [
        ("forbidden", "search.formats"),
        ("html", "no JSON"),
        ("large", "larger than"),
        ("moved", "302"),
        ("odd", "no list at"),
    ] {
        let options = SearchOptions::new(format!("{}/{path}", service.base), SearchKind::Searxng);
        let trouble = search(options).search("q", &place("s")).await;
        assert!(matches!(&trouble, Err(ToolTrouble::Failed(why)) if why.contains(words)), "{path}: {trouble:?}");
    }
    // A server that takes the connection and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/?key=secret", silent.local_addr().unwrap());
    let mut options = SearchOptions::new(&url, SearchKind::Searxng);
    options.timeout = Duration::from_millis(300);
    let began = Instant::now();
    assert!(matches!(search(options.clone()).search("q", &place("s")).await, Err(ToolTrouble::Failed(_))));
    assert!(began.elapsed() < Duration::from_secs(5));
    drop(silent);
    let refused = search(options.clone()).search("q", &place("s")).await;
    assert!(matches!(&refused, Err(ToolTrouble::NotRun(why)) if !why.contains("secret")), "{refused:?}");
    let outcome = call(&*search_tool(search(options)), "web_search", json!({"query": "q"})).await;
    assert_eq!((outcome.is_error, outcome.knowledge), (true, Knowledge::Known));
}

#[test]
fn what_cannot_be_used_is_refused_at_the_start() {
    let wrong =
        |url: &str, kind: SearchKind| WebSearch::new(SearchOptions::new(url, kind), http_client().unwrap()).err();
    assert!(wrong("ftp://a.test", SearchKind::Searxng).unwrap().0.contains("http"));
    assert!(wrong("nothing", SearchKind::Searxng).is_some());
    let mut kind = generic(SearchMethod::Get);
    if let SearchKind::Generic { results, .. } = &mut kind {
        "data.items".clone_into(results);
    }
    assert!(wrong("http://a.test", kind).unwrap().0.contains("JSON pointer"));
}
