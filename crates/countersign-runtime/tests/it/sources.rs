//! CALL-7: each source against the real thing.

use crate::world::{Folder, Server};
use countersign::contract::{Answer, Question};
use countersign::policy::Policy;
use countersign_runtime::{AskError, Asker};
use std::fs;
use std::time::{Duration, Instant};

fn asker(policy: &str, folder: &Folder) -> Result<Asker, AskError> {
    Asker::from_policy(&Policy::from_toml(policy).unwrap(), folder.path())
}

fn ask(asker: &Asker, question: Question) -> Answer {
    asker.answer_all(std::slice::from_ref(&question)).to(&question).unwrap().clone()
}

fn record(value: &str) -> Question {
    Question::Record { source: "r".into(), value: value.into() }
}

fn endpoint(method: Option<&str>, url: &str) -> Question {
    Question::Endpoint { source: "api".into(), method: method.map(str::to_owned), url: url.into() }
}

fn permission(user: &str, permission: &str) -> Question {
    Question::Permission { source: "p".into(), user: user.into(), permission: permission.into() }
}

fn is_no(answer: &Answer) -> bool {
    matches!(answer, Answer::No { .. })
}

fn reason(answer: Answer) -> String {
    match answer {
        Answer::Unknown { reason } => reason,
        other => format!("answered: {other:?}"),
    }
}

const DOCUMENT: &str = r#"
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers:
  - url: https://api.shop.example/v1
  - url: https://{region}.shop.example/v1
    variables: {region: {default: eu}}
paths:
  /users:
    get: {responses: {200: {description: ok}}}
    post:
      responses:
        201: {description: made}
  /users/{id}:
    parameters: [{name: id, in: path, required: true}]
    get: {}
    delete:
      servers: [{url: "https://admin.shop.example"}]
  /reports/{name}.pdf:
    get: {}
"#;

#[test]
fn an_openapi_document_in_yaml_knows_servers_variables_and_methods() {
    // CALL-7
    let folder = Folder::new().with("api.yaml", DOCUMENT);
    let asker =
        asker("[[facts.endpoints]]\nname = \"api\"\ntools = [\"x\"]\nopenapi = \"api.yaml\"\n", &folder).unwrap();
    for (method, url) in [
        (Some("GET"), "https://api.shop.example/v1/users"),
        (Some("POST"), "https://eu-2.shop.example/v1/users/"),
        (None, "https://api.shop.example/v1/users/42"),
        (Some("DELETE"), "https://admin.shop.example/users/42"),
        (Some("GET"), "/users/42"),
        (None, "/v1/reports/may.pdf"),
    ] {
        assert_eq!(ask(&asker, endpoint(method, url)), Answer::Yes, "{url}");
    }
    let near = |url: &str| match ask(&asker, endpoint(None, url)) {
        Answer::No { nearest, .. } => nearest.unwrap_or_default(),
        other => format!("{other:?}"),
    };
    assert_eq!(near("https://api.shop.example/v2/users"), "https://api.shop.example/v1/users");
    assert_eq!(near("https://api.shop.example/v1/usres/42"), "https://api.shop.example/v1/users/{id}");
    assert!(is_no(&ask(&asker, endpoint(Some("DELETE"), "https://api.shop.example/v1/users/42"))));
    assert!(is_no(&ask(&asker, endpoint(Some("PATCH"), "/users"))));
}

#[test]
fn an_old_document_in_json_has_host_and_base_path() {
    // CALL-7
    let json = r#"{"swagger": "2.0", "host": "api.shop.example", "basePath": "/v1", "schemes": ["https"],
        "paths": {"/users/{id}": {"get": {}}}}"#;
    let folder = Folder::new().with("api.json", json).with("bad.json", "{\"paths\": ").with("other.yaml", "a: 1\n");
    let policy = |file: &str| format!("[[facts.endpoints]]\nname = \"api\"\ntools = [\"x\"]\nopenapi = \"{file}\"\n");
    let known = asker(&policy("api.json"), &folder).unwrap();
    assert_eq!(ask(&known, endpoint(Some("GET"), "https://api.shop.example/v1/users/1")), Answer::Yes);
    assert!(is_no(&ask(&known, endpoint(Some("GET"), "https://api.shop.example/users/1"))));
    for (file, word) in [("bad.json", "not JSON"), ("other.yaml", "paths"), ("none.yaml", "none.yaml")] {
        let error = asker(&policy(file), &folder).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("[facts]"), "{error}");
    }
}

#[test]
fn csv_and_json_files_are_read_again_when_they_change() {
    // CALL-7
    let folder = Folder::new().with("c.csv", "\u{feff}name, id\n\"Lund, A\", C-17\n王伟, C-18\n");
    let csv = "[[facts.records]]\nname = \"r\"\nargument = \"id\"\ncsv = \"c.csv\"\ncolumn = \"id\"\ncache_s = 0\n";
    let known = asker(csv, &folder).unwrap();
    assert_eq!(ask(&known, record("C-17")), Answer::Yes);
    assert_eq!(ask(&known, record("c 18")), Answer::No { nearest: Some("C-18".into()), note: None });
    // Another customer is never named for one that does not exist.
    assert_eq!(ask(&known, record("C-19")), Answer::No { nearest: None, note: None });
    fs::write(folder.path().join("c.csv"), "id\nC-19-and-more\nC-19\n").unwrap();
    assert_eq!(ask(&known, record("C-19")), Answer::Yes);
    fs::remove_file(folder.path().join("c.csv")).unwrap();
    assert!(reason(ask(&known, record("C-19"))).contains("c.csv"));
    let folder = Folder::new().with("c.csv", "name\nx\n");
    assert!(asker(csv, &folder).unwrap_err().to_string().contains("no column `id`, only name"));

    let folder = Folder::new().with("c.json", r#"{"data": {"customers": [{"id": 7}, {"id": "K"}]}, "by": {"a": 1}}"#);
    let json = "[[facts.records]]\nname = \"r\"\nargument = \"id\"\njson = \"c.json\"\npointer = \"/data/customers\"\nfield = \"id\"\n";
    let known = asker(json, &folder).unwrap();
    assert_eq!(ask(&known, record("7")), Answer::Yes);
    assert!(is_no(&ask(&known, record("8"))));
    let keys = "[[facts.records]]\nname = \"r\"\nargument = \"id\"\njson = \"c.json\"\npointer = \"/by\"\n";
    assert_eq!(ask(&asker(keys, &folder).unwrap(), record("a")), Answer::Yes);
    assert!(asker(&keys.replace("/by", "/none"), &folder).is_err());
}

#[test]
fn sqlite_is_asked_and_never_written() {
    // CALL-7
    let folder = Folder::new();
    let file = folder.path().join("crm.db");
    let base = rusqlite::Connection::open(&file).unwrap();
    base.execute_batch(
        "create table customers (id integer primary key); insert into customers values (42);
         create table loose (code); insert into loose values (7), ('K''1');",
    )
    .unwrap();
    let policy = |query: &str| {
        format!(
            "[[facts.records]]\nname = \"r\"\nargument = \"id\"\nsqlite = \"crm.db\"\nquery = \"{query}\"\ndeadline_ms = 300\n"
        )
    };
    let typed = asker(&policy("select 1 from customers where id = ?1"), &folder).unwrap();
    assert_eq!(ask(&typed, record("42")), Answer::Yes);
    assert!(is_no(&ask(&typed, record("43"))));
    assert!(is_no(&ask(&typed, record("42 or 1=1"))), "a value is no SQL");
    let loose = asker(&policy("select 1 from loose where code = ?1"), &folder).unwrap();
    assert_eq!((ask(&loose, record("7")), ask(&loose, record("K'1"))), (Answer::Yes, Answer::Yes));
    for (query, word) in [
        ("delete from customers where id = ?1", "only read"),
        ("select ?1, ?2", "one parameter"),
        ("select 1 from absent where id = ?1", "no such table"),
    ] {
        let error = asker(&policy(query), &folder).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    // A query that never ends is interrupted.
    let endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select 1 from n where x = -?1";
    let endless = asker(&policy(endless), &folder).unwrap();
    let begun = Instant::now();
    let why = reason(ask(&endless, record("1")));
    assert!(!why.contains("recursive") && !why.contains("answered"), "the query is nobody's business: {why}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_service_is_asked_within_its_deadline() {
    // CALL-7
    let server = Server::new(|path| match path {
        "/customers/C-1" => (200, "{}".into(), Duration::ZERO),
        "/customers/slow" => (200, "{}".into(), Duration::from_secs(3)),
        "/customers/broken" => (500, "oops".into(), Duration::ZERO),
        "/customers/moved" => (302, String::new(), Duration::ZERO),
        "/customers/..%2Fadmin" => (410, String::new(), Duration::ZERO),
        "/users/alice" => (200, r#"{"permissions": ["read:*"]}"#.into(), Duration::ZERO),
        "/users/odd" => (200, "<html>".into(), Duration::ZERO),
        _ => (404, String::new(), Duration::ZERO),
    });
    let policy = format!(
        "[[facts.records]]\nname = \"r\"\nargument = \"id\"\nurl = \"http://{0}/customers/{{value}}\"\ndeadline_ms = 400\n\
         [[facts.permissions]]\nname = \"p\"\nurl = \"http://{0}/users/{{user}}\"\n",
        server.address
    );
    let asker = asker(&policy, &Folder::new()).unwrap();
    assert_eq!(ask(&asker, record("C-1")), Answer::Yes);
    assert!(is_no(&ask(&asker, record("C-2"))) && is_no(&ask(&asker, record("../admin"))));
    assert!(reason(ask(&asker, record("broken"))).contains("500"));
    assert!(reason(ask(&asker, record("moved"))).contains("302"));
    let begun = Instant::now();
    assert!(matches!(ask(&asker, record("slow")), Answer::Unknown { .. }));
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(ask(&asker, permission("alice", "read:orders")), Answer::Yes);
    assert!(is_no(&ask(&asker, permission("alice", "delete:database"))));
    assert!(is_no(&ask(&asker, permission("nobody", "read:orders"))));
    assert!(reason(ask(&asker, permission("odd", "read:orders"))).contains("list of permissions"));
}

#[test]
fn permissions_stand_in_a_file() {
    // CALL-7, T14
    let policy = "[[facts.permissions]]\nname = \"p\"\nfile = \"p.json\"\n";
    for text in [
        r#"{"alice": ["delete:database"], "bob": []}"#,
        r#"{"users": {"alice": {"permissions": ["delete:*"]}, "bob": {"scopes": ["read"]}}}"#,
        r#"[{"id": "alice", "permissions": ["*"]}, {"id": "bob", "permissions": []}]"#,
    ] {
        let folder = Folder::new().with("p.json", text);
        let asker = asker(policy, &folder).unwrap();
        assert_eq!(ask(&asker, permission("alice", "delete:database")), Answer::Yes, "{text}");
        assert!(is_no(&ask(&asker, permission("bob", "delete:database"))), "{text}");
        assert!(is_no(&ask(&asker, permission("carol", "delete:database"))), "{text}");
    }
    let folder = Folder::new().with("p.json", r#"{"alice": "all"}"#);
    let broken = asker(policy, &folder).unwrap();
    assert!(reason(ask(&broken, permission("alice", "read"))).contains("not a list"));
}
