//! The configuration: where settings come from, what is refused, and what doctor sees.

use crate::run::root;
use crate::serve_world::{Server, bare, folder};
use serde_json::Value;

/// Runs a command and gives its exit code and what it said.
fn ran(args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let out = bare(args, variables).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn flags_win_over_variables_and_variables_over_the_file() {
    let home = folder("config-layers");
    let file = home.join("countersign.toml");
    let text =
        "listen = \"127.0.0.1:1111\"\npolicy = \"rules.toml\"\n[access]\nrate_limit = 7\napi_keys = [\"filekey\"]\n";
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let variables =
        [("COUNTERSIGN_LISTEN", "127.0.0.1:2222"), ("OPENAI_API_KEY", "sk-hidden"), ("COUNTERSIGN_CONFIG", &file)];
    let (code, shown, said) = ran(&["config", "show", "--set", "access.rate_limit=9"], &variables);
    assert_eq!(code, 0, "{said}");
    for line in [
        "listen = \"127.0.0.1:2222\"  # COUNTERSIGN_LISTEN".to_owned(),
        "rate_limit = 9  # --set".to_owned(),
        format!("api_keys = [\"***\"]  # {file}"),
        "openai_api_key = \"***\"  # OPENAI_API_KEY".to_owned(),
        format!("policy = \"{}\"  # {file}", home.join("rules.toml").display()),
    ] {
        assert!(shown.contains(&line), "{line}\n{shown}");
    }
    assert!(!shown.contains("filekey") && !shown.contains("sk-hidden"));
    let (_, shown, _) = ran(&["config", "show", "--listen", "127.0.0.1:3333"], &variables);
    assert!(shown.contains("listen = \"127.0.0.1:3333\"  # --listen"), "{shown}");
}

#[test]
fn what_cannot_be_used_is_shown_where_it_stands() {
    let home = folder("config-wrong");
    for (text, parts) in [
        ("[acces]\nrate_limit = 1\n", vec!["did you mean `access`?", "wrong.toml:1"]),
        ("[access]\nrate_limt = 1\n", vec!["did you mean `rate_limit`?", "wrong.toml:2"]),
        ("\n[sessions]\nlease = \"soon\"\n", vec!["sessions.lease", "wrong.toml:3", "10s"]),
        ("[sessions]\nheartbeat = \"20s\"\n", vec!["15s", "wrong.toml:2"]),
        ("listen = \"nowhere\"\n", vec!["wrong.toml:1", "127.0.0.1:7420"]),
        ("listen = 7\n", vec!["wrong.toml:1"]),
        ("[upstream]\nopenai = \"ftp://x\"\n", vec!["http", "wrong.toml:2"]),
        ("[access]\nrate_limit = 0\n", vec!["wrong.toml:2"]),
        ("[[alerts.targets]]\nkind = \"pager\"\nurl = \"http://x\"\n", vec!["feishu"]),
    ] {
        let file = home.join("wrong.toml");
        std::fs::write(&file, text).unwrap();
        let (code, _, said) = ran(&["config", "check", "--config", &file.display().to_string()], &[]);
        assert_eq!(code, 2, "{text}");
        for part in parts {
            assert!(said.contains(part), "{part} in\n{said}");
        }
    }
    let (code, _, said) = ran(&["config", "check"], &[("COUNTERSIGN_RATE_LIMIT", "many")]);
    assert!(code == 2 && said.contains("COUNTERSIGN_RATE_LIMIT"), "{said}");
    let (code, _, said) = ran(&["config", "check", "--set", "acess.rate_limit=1"], &[]);
    assert!(code == 2 && said.contains("did you mean `access.rate_limit`?"), "{said}");
    assert_eq!(ran(&["config", "check"], &[]).0, 0);
}

#[test]
fn the_reference_page_and_the_schema_fit_the_code() {
    let (_, page, _) = ran(&["config", "docs"], &[]);
    let written = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap_or_default();
    assert!(page == written, "run `cargo run -p countersign-cli -- config docs > docs/configuration.md`");
    let (_, schema, _) = ran(&["config", "schema"], &[]);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    // Every key of the schema stands on the page, so that nothing can be set that is not documented.
    for (name, property) in schema["properties"].as_object().unwrap() {
        let reference = property["$ref"].as_str().or(property["allOf"][0]["$ref"].as_str());
        match reference.and_then(|reference| schema.pointer(reference.trim_start_matches('#'))) {
            None => assert!(page.contains(&format!("| `{name}` |")), "{name}"),
            Some(table) => {
                for key in table["properties"].as_object().unwrap().keys() {
                    let section = page.split(&format!("## `[{name}]`")).nth(1).expect(name);
                    assert!(section.contains(&format!("| `{key}` |")), "{name}.{key}");
                }
            }
        }
    }
}

// SERVE-7: doctor says what is wrong and how to mend it.
#[test]
fn doctor_names_what_is_wrong_and_how_to_mend_it() {
    let home = folder("config-doctor");
    let data = home.join("data").display().to_string();
    let with = |more: &[&str]| {
        let mut args = vec!["doctor", "--format", "json", "--data-dir", &data];
        args.extend(more);
        let (code, out, said) = ran(&args, &[("COUNTERSIGN_LISTEN", "127.0.0.1:0")]);
        let checks: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{said}"));
        (code, checks)
    };
    let status = |checks: &Value, name: &str| {
        let found = checks.as_array().unwrap().iter().find(|check| check["name"] == name);
        found.map(|check| check["status"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    let (code, checks) = with(&[]);
    assert_eq!((code, status(&checks, "port").as_str()), (0, "ok"), "{checks}");
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let policy = home.join("policy.toml");
    std::fs::write(&policy, "levl = 1\n").unwrap();
    let (code, checks) = with(&[
        "--upstream-openai",
        &format!("http://{gone}/v1"),
        "--policy",
        &policy.display().to_string(),
        "--set",
        &format!("stores.redis_url=redis://:secretword@{gone}"),
        "--set",
        &format!("stores.postgres_url=postgres://app:secretword@{gone}/x"),
    ]);
    assert_eq!(code, 1);
    for name in ["upstream.openai", "policy", "redis", "postgres"] {
        assert_eq!(status(&checks, name), "wrong", "{name}: {checks}");
    }
    assert!(!checks.to_string().contains("secretword"), "{checks}");
    assert!(
        checks
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["status"] == "wrong")
            .all(|check| check["mend"].is_string())
    );
    let (_, checks) = with(&["--listen", "0.0.0.0:0"]);
    assert_eq!(status(&checks, "keys"), "wrong", "{checks}");
    let server = Server::start(&home.join("other"), &[], &[]);
    let (code, checks) = with(&["--listen", &server.address]);
    assert!(code == 0 && checks.to_string().contains("a countersign server runs"), "{checks}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, checks) = with(&["--listen", &taken.local_addr().unwrap().to_string()]);
    assert_eq!((code, status(&checks, "port").as_str()), (1, "wrong"), "{checks}");
}
