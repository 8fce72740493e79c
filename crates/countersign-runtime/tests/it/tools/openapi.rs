//! Tools from an OpenAPI document, against a service on loopback.

use super::service::{Service, answer};
use super::{call, find, order};
use countersign::wire::tools::read_tool;
use countersign_runtime::tools::{Knowledge, OpenApiOptions, OpenApiTools, Reach, ToolSource, http_client};
use serde_json::{Value, json};
use std::sync::Arc;

fn document() -> Value {
    let text = json!({"type": "string"});
    json!({
        "openapi": "3.0.3",
        "servers": [{"url": "http://127.0.0.1:1/never"}],
        "paths": {
            "/pets/{id}": {
                "parameters": [{"$ref": "#/components/parameters/Id"}],
                "get": {"operationId": "getPet", "summary": "One pet.", "parameters": [
                    {"name": "X-Trace", "in": "header", "schema": text},
                    {"name": "Authorization", "in": "header", "schema": text},
                    {"name": "tags", "in": "query", "schema": {"type": "array", "items": text}},
                ], "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
                "delete": {"operationId": "deletePet"},
            },
            "/pets": {"post": {"operationId": "add.pet", "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}},
            "/pets/{id}/notes": {"post": {"operationId": "note", "parameters": [{"$ref": "#/components/parameters/Id"}],
                "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"id": text}}}}}}},
            "/upload": {"post": {"operationId": "upload", "requestBody": {"required": true, "content": {"multipart/form-data": {}}}}},
            "/broken/{x}": {"get": {"operationId": "broken"}},
        },
        "components": {
            "parameters": {"Id": {"name": "id", "in": "path", "required": true, "schema": text}},
            "schemas": {"Pet": {"type": "object", "required": ["name"], "properties": {
                "name": text, "age": {"type": "integer", "nullable": true}, "parent": {"$ref": "#/components/schemas/Pet"}}}},
        },
    })
}

fn tools(base: &str) -> Arc<OpenApiTools> {
    let mut options = OpenApiOptions::new("pets", document());
    options.base = Some(format!("{base}/v1"));
    options.headers.insert("authorization".to_owned(), "Bearer key".to_owned());
    options.limits.output = 2_000;
    OpenApiTools::new(options, http_client().unwrap()).unwrap()
}

async fn service() -> Service {
    Service::start(|asked| match asked.line.split(' ').nth(1).unwrap() {
        path if path.contains("missing") => answer(404, "application/json", r#"{"error": "no such pet"}"#),
        path if path.contains("moved") => {
            b"HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:1/elsewhere\r\ncontent-length: 0\r\n\r\n".to_vec()
        }
        path if path.contains("large") => answer(200, "application/json", &format!("[{}1]", "1,".repeat(50_000))),
        path if path.contains("cut") => b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{\"a\":".to_vec(),
        path if path.contains("lost") => Vec::new(),
        path if path.contains("picture") => answer(200, "image/png", "xxxx"),
        path if path.contains("empty") => answer(204, "", ""),
        _ => answer(200, "application/json; charset=utf-8", r#"{"name": "Rex"}"#),
    })
    .await
}

#[tokio::test]
async fn a_document_becomes_tools_that_can_be_judged() {
    let source = tools("http://127.0.0.1:1");
    let offered = source.tools().await;
    let names: Vec<(&str, Reach)> = offered.iter().map(|tool| (tool.name.as_str(), tool.reach)).collect();
    let (acts, reads) = (Reach::Acts, Reach::Reads);
    let expected = [("pets__getPet", reads), ("pets__deletePet", acts), ("pets__add_pet", acts), ("pets__note", acts)];
    assert_eq!(names, expected, "a form and a path without its parameter are left out");
    for tool in &offered {
        assert!(read_tool(&tool.spec.to_string()).unwrap().input.is_some());
    }
    let get = &offered[0].spec;
    let input = &get["function"]["parameters"];
    let arguments: Vec<&String> = input["properties"].as_object().unwrap().keys().collect();
    assert_eq!(arguments, ["X-Trace", "tags", "id"], "who asks is not for the model to say");
    assert_eq!(
        (&input["required"], &get["function"]["description"]),
        (&json!(["id"]), &json!("One pet. (GET /pets/{id})"))
    );
    assert_eq!(get["outputSchema"]["properties"]["age"], json!({"type": ["integer", "null"]}));
    let add = &offered[2].spec["function"]["parameters"];
    assert_eq!((&add["required"], &add["properties"]["parent"]), (&json!(["name"]), &json!({})));
    let note = &offered[3].spec["function"]["parameters"]["properties"];
    assert!(note["body"]["properties"]["id"].is_object(), "fields that clash stay together: {note}");
}

#[tokio::test]
async fn arguments_arrive_where_they_belong() {
    let service = service().await;
    let source = tools(&service.base);
    let got = call(&*source, "pets__getPet", json!({"id": "a/b c", "tags": ["x", "y&z"], "X-Trace": "t"})).await;
    assert_eq!((got.is_error, got.content), (false, json!({"name": "Rex"})));
    let asked = service.last();
    assert_eq!(asked.line, "GET /v1/pets/a%2Fb%20c?tags=x&tags=y%26z HTTP/1.1");
    assert!(asked.head.contains("x-trace: t") && asked.head.contains("authorization: bearer key"), "{}", asked.head);
    assert!(!asked.head.contains("idempotency-key"), "{}", asked.head);
    call(&*source, "pets__add_pet", json!({"name": "Rex", "age": 3})).await;
    let (asked, sent) = (service.last(), order("pets__add_pet", &json!({"name": "Rex", "age": 3})));
    assert_eq!(serde_json::from_str::<Value>(&asked.body).unwrap(), json!({"name": "Rex", "age": 3}));
    assert!(asked.head.contains(&format!("idempotency-key: {}", sent.key())), "{}", asked.head);
    call(&*source, "pets__note", json!({"id": "7", "body": {"id": "n"}})).await;
    assert_eq!(
        (service.last().line, service.last().body),
        ("POST /v1/pets/7/notes HTTP/1.1".to_owned(), r#"{"id":"n"}"#.to_owned())
    );
    call(&*source, "pets__note", json!({"id": "7"})).await;
    assert_eq!(service.last().body, "");
}

// STREAM-6
#[tokio::test]
async fn answers_of_every_kind_become_outcomes() {
    let service = service().await;
    let source = tools(&service.base);
    let get = async |id: &str| call(&*source, "pets__getPet", json!({"id": id})).await;
    let missing = get("missing").await;
    assert_eq!(
        (missing.is_error, &missing.content["status"], &missing.content["body"]),
        (true, &json!(404), &json!({"error": "no such pet"}))
    );
    let moved = get("moved").await;
    assert!(moved.is_error && moved.content["note"].as_str().unwrap().contains("not followed"), "{moved:?}");
    let large = get("large").await;
    assert!(large.content.as_str().unwrap().len() < 2_100 && large.remarks[0].code == "tool_output_cut", "{large:?}");
    assert_eq!(get("picture").await.content, json!("[image/png, 4 bytes]"));
    assert_eq!(get("empty").await.content, json!({"status": 204}));
    let before = service.asked().len();
    let hostile = get("../../admin").await;
    assert!(hostile.is_error && hostile.content.as_str().unwrap().contains("nothing was sent"), "{hostile:?}");
    assert_eq!(service.asked().len(), before);
}

// STREAM-6
#[tokio::test]
async fn what_was_sent_and_not_answered_is_unknown() {
    let service = service().await;
    let source = tools(&service.base);
    for id in ["lost", "cut"] {
        let outcome = call(&*source, "pets__deletePet", json!({"id": id})).await;
        assert_eq!(outcome.knowledge, Knowledge::Unknown, "{id}: {outcome:?}");
        let read = call(&*source, "pets__getPet", json!({"id": id})).await;
        assert!(read.is_error && read.knowledge == Knowledge::Known, "what only reads is not in doubt: {read:?}");
    }
    let delete = find(&*source, "pets__deletePet").await;
    drop(service);
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let refused = countersign_runtime::tools::run(&delete, order("x", &json!({"id": "1"})), super::place("s")).await;
    assert_eq!(
        (refused.is_error, refused.knowledge),
        (true, Knowledge::Known),
        "nobody was there to take it: {refused:?}"
    );
}

#[test]
fn what_cannot_be_used_is_refused_at_the_start() {
    let refused = |change: &dyn Fn(&mut OpenApiOptions)| {
        let mut options = OpenApiOptions::new("pets", document());
        change(&mut options);
        OpenApiTools::new(options, http_client().unwrap()).err().map(|error| error.0)
    };
    assert_eq!(refused(&|_| {}), None);
    assert!(refused(&|options| options.document = json!([])).unwrap().contains("no `paths`"));
    assert!(refused(&|options| options.operations = vec!["none*".to_owned()]).unwrap().contains("none*"));
    assert!(refused(&|options| options.base = Some("/relative".to_owned())).unwrap().contains("set `base`"));
    assert!(refused(&|options| options.base = Some("http://{host}/".to_owned())).unwrap().contains("set `base`"));
    let header = |options: &mut OpenApiOptions| drop(options.headers.insert("x".to_owned(), "a\nb".to_owned()));
    assert!(refused(&header).unwrap().contains("\"x\""));
}
