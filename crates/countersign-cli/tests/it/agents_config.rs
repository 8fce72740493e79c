//! Agents and their tools in the configuration: what is refused and where it is shown, what is hidden, and what doctor and
//! `countersign tools` see.

use crate::run::root;
use crate::serve_world::{Receiver, Server, bare, folder, within};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

fn ran(args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let out = bare(args, variables).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

/// A folder with a configuration and what it names.
fn configured(name: &str, text: &str) -> String {
    let home = folder(name);
    std::fs::create_dir_all(home.join("prompts")).unwrap();
    std::fs::write(home.join("prompts/empty.md"), "  \n").unwrap();
    std::fs::write(home.join("prompts/mine.md"), "You keep books.\n").unwrap();
    std::fs::write(home.join("pets.json"), pets().to_string()).unwrap();
    std::fs::write(home.join("words.txt"), "just words").unwrap();
    std::fs::write(home.join("broken.json"), "{\"openapi\": ").unwrap();
    let file = home.join("agents.toml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

fn pets() -> Value {
    json!({
        "openapi": "3.0.0", "info": {"title": "pets", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
        "paths": {
            "/pets/{id}": {
                "get": {"operationId": "getPet", "summary": "Look at a pet.",
                    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                    "responses": {"200": {"description": "ok"}}},
                "delete": {"operationId": "deletePet",
                    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                    "responses": {"200": {"description": "ok"}}},
            },
        },
    })
}

// SERVE-7: a mistake is shown with its key, its value, its place, and what would be right.
#[test]
fn every_mistake_is_shown_where_it_stands() {
    for (at, (text, parts)) in MISTAKES.iter().enumerate() {
        let file = configured(&format!("agents-wrong-{at}"), text);
        let (code, _, said) = ran(&["config", "check", "--config", &file], &[]);
        assert_eq!(code, 2, "{text}\n{said}");
        // A long line is broken where the terminal would.
        let said: String = said.replace("│", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for part in *parts {
            assert!(said.contains(part), "{part:?} in {said}\n{text}");
        }
    }
}

const MISTAKES: &[(&str, &[&str])] = &[
    ("[mcp.fs]\ncomand = \"node\"\n", &["did you mean `command`?", "agents.toml:2"]),
    ("[mcpp.fs]\ncommand = \"node\"\n", &["did you mean `mcp`?", "agents.toml:1"]),
    ("\n[mcp.fs]\nargs = [\"x\"]\n", &["mcp.fs: it has neither `command` nor `url`", "agents.toml:2"]),
    ("[mcp.fs]\ncommand = \"node\"\nurl = \"http://x\"\n", &["both `command` and `url`", "agents.toml:3"]),
    ("[mcp.fs]\ncommand = \"  \"\n", &["mcp.fs.command: it must not be empty", "agents.toml:2"]),
    ("[mcp.fs]\nurl = \"ftp://x\"\n", &["mcp.fs.url", "http or https", "agents.toml:2"]),
    ("[mcp.fs]\nurl = \"http://x\"\nargs = [\"a\"]\n", &["`args` means something only beside `command`", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\nheaders = { a = \"b\" }\n", &["`headers` means something only beside `url`", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\ntimeout = \"soon\"\n", &["mcp.fs.timeout: `soon` is no span of time", "10s", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\noutput = \"much\"\n", &["mcp.fs.output: `much` is no size", "10MiB", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\noutput = \"1GiB\"\n", &["1KiB to 16MiB", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\nparallel = 0\n", &["mcp.fs.parallel: 0 must be from 1 to 256", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\nprefix = \"a b\"\n", &["mcp.fs.prefix", "letters, digits", ":3"]),
    ("[mcp.fs]\ncommand = \"x\"\ntools = [\"\"]\n", &["a pattern must not be empty", ":3"]),
    ("[mcp.\"f s\"]\ncommand = \"x\"\n", &["`f s` cannot be a name here", "letters, digits"]),
    ("[mcp.fs]\nurl = \"http://x\"\nheaders = { \"a b\" = \"c\" }\n", &["`a b` is no name of a header", ":3"]),
    (
        "[mcp.fs]\nurl = \"http://x\"\nheader_env = { authorization = \"NOT_SET_HERE\" }\n",
        &["the variable NOT_SET_HERE, which holds the header `authorization`, is not set", ":3"],
    ),
    ("[openapi.pets]\nbase = \"http://x\"\n", &["missing field `document`", ":1"]),
    ("[openapi.pets]\ndocument = \"gone.json\"\n", &["openapi.pets.document", "gone.json", "cannot be read", ":2"]),
    ("[openapi.pets]\ndocument = \"broken.json\"\n", &["it is not JSON", ":2"]),
    ("[openapi.pets]\ndocument = \"words.txt\"\n", &["it is no OpenAPI document", ":2"]),
    ("[openapi.pets]\ndocument = \"ftp://x/y\"\n", &["http or https", ":2"]),
    ("[openapi.pets]\ndocument = \"pets.json\"\noperation = [\"*\"]\n", &["did you mean `operations`?", ":3"]),
    ("[search]\nkind = \"searxng\"\n", &["it has no `url`", ":1"]),
    (
        "[search]\nurl = \"http://x\"\nkind = \"google\"\n",
        &["search.kind: `google` must be `searxng` or `generic`", ":3"],
    ),
    ("[search]\nurl = \"http://x\"\nresults = \"/a\"\n", &["search.results", "kind = \"generic\"", ":3"]),
    (
        "[search]\nurl = \"http://x\"\nkind = \"generic\"\ntitle = \"name\"\n",
        &["`name` is no JSON pointer", "/name", ":4"],
    ),
    ("[search]\nurl = \"http://x\"\nkind = \"generic\"\nmethod = \"PUT\"\n", &["`PUT` must be `GET` or `POST`", ":4"]),
    ("[search]\nurl = \"http://x\"\nlimit = 1000\n", &["search.limit: 1000 must be from 1 to 100", ":3"]),
    ("[agents.mine]\nprotocol = \"chain\"\n", &["agents.mine.protocol: `chain` must be", "`rewoo`", ":2"]),
    ("[agents.mine]\nprompt = \"gone.md\"\n", &["agents.mine.prompt", "cannot read", "gone.md", ":2"]),
    ("[agents.mine]\nprompt = \"prompts/empty.md\"\n", &["empty.md is empty", ":2"]),
    ("[agents.mine]\nprompt = { en = \"prompts/mine.md\", zh = \"gone.md\" }\n", &["agents.mine.prompt.zh", ":2"]),
    ("[agents.mine]\nprompt = { fr = \"prompts/mine.md\" }\n", &["write it as prompt =", ":2"]),
    ("[agents.mine]\nprompt = 7\n", &["write it as prompt =", ":2"]),
    ("[agents.mine]\ndelegate = \"orchestratr\"\n", &["did you mean `orchestrator`?", ":2"]),
    ("[agents.a]\ndelegate = \"b\"\n[agents.b]\ndelegate = \"a\"\n", &["in a circle: a → b → a", ":2"]),
    ("[agents.concierge]\ndelegate = \"concierge\"\n", &["in a circle", ":2"]),
    ("[agents.mine]\nrounds = 0\n", &["agents.mine.rounds: 0 must be from 1 to 100", ":2"]),
    ("[agents.mine]\ntime = \"1 year\"\n", &["`1 year` is no span of time", ":2"]),
    ("[agents.user]\nprotocol = \"react\"\n", &["an agent cannot be called that", ":1"]),
    ("[sessions]\ntool_patience = \"long\"\n", &["sessions.tool_patience", ":2"]),
    ("[sessions]\nevidence_age = \"old\"\n", &["sessions.evidence_age", ":2"]),
];

const WHOLE: &str = "
[mcp.fs]
url = \"http://ann:word-in-the-url@127.0.0.1:9/mcp?key=word-in-the-url\"
headers = { x-key = \"word-in-a-header\" }
header_env = { authorization = \"FS_AUTHORIZATION\" }
reads = [\"read_*\"]

[mcp.time]
command = \"does-not-exist-here\"
env = { TOKEN = \"word-in-a-variable\" }

[openapi.pets]
document = \"pets.json\"
operations = [\"get*\"]

[search]
url = \"http://127.0.0.1:9/search\"
headers = { x-key = \"word-in-a-search\" }

[agents.librarian]
prompt = \"prompts/mine.md\"
tools = [\"pets__*\", \"kb_search\"]

[agents.concierge]
delegate = \"librarian\"
";

// SERVE-4: what is secret is in no output, wherever it came from.
#[test]
fn secrets_of_tools_are_shown_nowhere() {
    let file = configured("agents-secret", WHOLE);
    let variables = [("FS_AUTHORIZATION", "Bearer word-in-the-environment"), ("COUNTERSIGN_SEARCH_LIMIT", "7")];
    let (code, shown, said) = ran(&["config", "show", "--config", &file], &variables);
    assert_eq!(code, 0, "{said}");
    for line in [
        "[mcp.fs]  # ",
        "url = \"http://***@127.0.0.1:9/mcp?***\"",
        "headers = { \"x-key\" = \"***\" }",
        "header_env = { \"authorization\" = \"FS_AUTHORIZATION\" }",
        "env = { \"TOKEN\" = \"***\" }",
        "limit = 7  # COUNTERSIGN_SEARCH_LIMIT",
        "tools = [\"pets__*\",\"kb_search\"]",
        "# tool_patience  # default: 15m",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(shown.contains(&format!("document = \"{}", Path::new(&file).with_file_name("pets.json").display())));
    let (_, checks, _) = ran(&["doctor", "--config", &file, "--data-dir", ":memory:", "--format", "json"], &variables);
    let (_, listed, told) = ran(&["tools", "--config", &file], &variables);
    for text in [shown, checks, listed, told] {
        assert!(!text.contains("word-in"), "{text}");
    }
}

#[test]
fn the_reference_page_has_every_key_of_every_table() {
    let (_, page, _) = ran(&["config", "docs"], &[]);
    let (_, schema, _) = ran(&["config", "schema"], &[]);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    for table in ["upstreams", "mcp", "openapi", "agents"] {
        let reference = schema["properties"][table]["additionalProperties"]["$ref"].as_str().unwrap();
        let properties = schema.pointer(&format!("{}/properties", reference.trim_start_matches('#'))).unwrap();
        let section = page.split(&format!("## `[{table}.NAME]`")).nth(1).expect(table);
        let section = section.split("\n## ").next().unwrap();
        for key in properties.as_object().unwrap().keys() {
            assert!(section.contains(&format!("| `{key}` |")), "{table}.{key}");
        }
        assert_eq!(section.matches("\n| `").count(), properties.as_object().unwrap().len(), "{table}");
    }
}

/// A search that answers as SearXNG does, and another service's document.
fn service() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut heard = [0; 4096];
            let read = stream.read(&mut heard).unwrap_or(0);
            let asked = String::from_utf8_lossy(&heard[..read]).into_owned();
            let body = match asked.split(' ').nth(1).unwrap_or_default() {
                path if path.starts_with("/pets.json") => pets().to_string(),
                _ => json!({"results": [{"url": "http://x", "title": "t", "content": "c"}]}).to_string(),
            };
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
        }
    });
    address
}

// STREAM-7: agents are configuration, and anybody can see what they have.
#[test]
fn tools_are_listed_by_agent() {
    let service = service();
    let text = format!(
        "[openapi.pets]\ndocument = \"pets.json\"\n[openapi.far]\ndocument = \"http://{service}/pets.json\"\noperations = [\"getPet\"]\n\
         [search]\nurl = \"http://{service}/search\"\n[agents.librarian]\ntools = [\"pets__get*\", \"list_notes\"]\n"
    );
    let file = configured("agents-tools", &text);
    let (code, out, said) = ran(&["tools", "--config", &file, "--format", "json"], &[]);
    assert_eq!(code, 0, "{said}");
    let tools: Value = serde_json::from_str(&out).unwrap();
    let find = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).expect(name).clone();
    assert_eq!(find("pets__getPet")["reach"], "reads");
    assert_eq!(find("pets__getPet")["source"], "openapi:pets");
    assert!(find("pets__getPet")["description"].as_str().unwrap().starts_with("Look at a pet."));
    assert_eq!(find("pets__deletePet")["reach"], "acts");
    assert_eq!(find("pets__getPet")["agents"], json!(["concierge", "librarian", "orchestrator", "react", "rewoo"]));
    assert_eq!(find("pets__deletePet")["agents"], json!(["concierge", "orchestrator", "react", "rewoo"]));
    for name in ["far__getPet", "web_search", "create_note", "list_notes", "save_material", "list_materials"] {
        find(name);
    }
    let (code, out, _) = ran(&["tools", "--config", &file, "--agent", "librarian", "--format", "human"], &[]);
    assert_eq!(code, 0);
    assert!(out.contains("pets__getPet") && out.contains("agents: librarian 2"), "{out}");
    assert!(!out.contains("deletePet") && !out.contains("web_search"), "{out}");
    let (code, _, said) = ran(&["tools", "--config", &file, "--agent", "libarian"], &[]);
    assert!(code == 2 && said.contains("did you mean `librarian`?"), "{said}");
    let checks = doctor(&file);
    assert_eq!(status(&checks, "openapi.far"), "ok", "{checks}");
    assert_eq!(status(&checks, "search"), "ok", "{checks}");
}

// SERVE-3, SERVE-7: a real MCP server is started, listed and looked after; when it dies it comes back.
#[cfg(target_os = "linux")]
#[test]
fn a_real_mcp_server_is_looked_after() {
    let servers = root().join("target/mcp/current");
    let python = servers.join("python/bin/python");
    assert!(python.exists(), "the MCP servers are missing: run ./tools/test-mcp-servers");
    let text = format!(
        "[mcp.clock]\ncommand = \"{}\"\nargs = [\"-m\", \"mcp_server_time\"]\nreads = [\"get_*\"]\n[agents.mine]\ntools = [\"clock__*\"]\n",
        python.display()
    );
    let file = configured("agents-real", &text);
    let (code, out, said) = ran(&["tools", "--config", &file, "--agent", "mine", "--format", "json"], &[]);
    assert_eq!(code, 0, "{said}");
    let tools: Value = serde_json::from_str(&out).unwrap();
    let reach =
        |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).expect(name)["reach"].clone();
    assert_eq!((reach("clock__get_current_time"), reach("clock__convert_time")), (json!("reads"), json!("acts")));
    assert_eq!(status(&doctor(&file), "mcp.clock"), "ok");
    let server = Server::start(&Path::new(&file).with_file_name("data"), &["--config", &file], &[]);
    let layer = || server.get("/health").json()["layers"]["tools"].clone();
    within(30, "it is connected", || layer()["mcp_tools"] == 2);
    assert_eq!(layer()["status"], "healthy");
    let child = server.children().into_iter().next().expect("it was started by the server");
    assert!(std::process::Command::new("kill").args(["-9", &child]).status().unwrap().success());
    within(30, "it is started again", || server.children().first().is_some_and(|other| *other != child));
    within(30, "it is connected again", || layer()["status"] == "healthy" && layer()["mcp_tools"] == 2);
    let last = server.children();
    assert!(server.end().success());
    within(10, "it ends with the server", || last.iter().all(|id| !Path::new("/proc").join(id).exists()));
}

fn doctor(file: &str) -> Value {
    let args = ["doctor", "--config", file, "--data-dir", ":memory:", "--listen", "127.0.0.1:0", "--format", "json"];
    let (_, out, said) = ran(&args, &[]);
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{said}"))
}

fn status(checks: &Value, name: &str) -> String {
    let found = checks.as_array().unwrap().iter().find(|check| check["name"] == name);
    found.map(|check| check["status"].as_str().unwrap().to_owned()).unwrap_or_default()
}

// SERVE-3, SERVE-7: a source that is unavailable keeps nobody from starting; health, doctor and the list of tools say so.
#[test]
fn a_source_that_is_away_is_named() {
    let nowhere = Receiver::start();
    let text = format!(
        "[mcp.gone]\ncommand = \"/does/not/exist\"\n[openapi.far]\ndocument = \"http://{}/pets.json\"\n\
         [agents.mine]\ntools = [\"gone__*\"]\n",
        nowhere.address
    );
    let file = configured("agents-away", &text);
    let (code, _, said) = ran(&["tools", "--config", &file], &[]);
    assert!(code == 1 && said.contains("mcp.gone") && said.contains("openapi.far"), "{code} {said}");
    let checks = doctor(&file);
    for name in ["mcp.gone", "openapi.far"] {
        assert_eq!(status(&checks, name), "wrong", "{checks}");
    }
    assert_eq!(status(&checks, "agents.mine"), "warning", "{checks}");
    let home = Path::new(&file).parent().unwrap().join("data");
    let server = Server::start(&home, &["--config", &file], &[]);
    within(10, "health sees that tools are unavailable", || {
        let layer = server.get("/health").json()["layers"]["tools"].clone();
        layer["status"] == "degraded" && layer["note"].as_str().unwrap_or_default().contains("mcp.gone")
    });
    assert_eq!(server.get("/health").json()["status"], "degraded");
    assert_eq!(server.post("/v1/sessions", "{\"agent\": \"mine\"}").status, 201);
    let wrong = server.post("/v1/sessions", "{\"agent\": \"nobody\"}");
    assert!(wrong.status == 400 && wrong.body.contains("mine"), "{}", wrong.body);
    let plain = Server::start(&folder("agents-plain"), &[], &[]);
    assert!(plain.get("/health").json()["layers"]["tools"].is_null(), "no layer where nothing is configured");
    assert_eq!(std::fs::read(home.join("seal.key")).unwrap().len(), 32);
}
