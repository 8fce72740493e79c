//! The first minutes: what the server says when it starts, which file it finds by itself, and what `policy show` explains.

use crate::run::root;
use crate::serve_world::{Server, bare, folder, within};
use std::path::Path;

/// Runs a command in a folder and gives its exit code and what it said.
fn ran_in(home: &Path, args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    let out = bare(args, variables).current_dir(home).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

// SERVE-7: the banner names the address, the console, the model, the policy, the data folder and the keys.
#[test]
fn the_banner_says_what_runs() {
    let data = folder("banner");
    let server = Server::start(&data, &[], &[]);
    let lines = [
        format!("  console  http://{}/\n", server.address),
        "  model    built-in demo model; use --upstream-openai URL or --upstream-anthropic URL for your own\n"
            .to_owned(),
        "  policy   built-in, level moderate; `countersign policy show` explains it\n".to_owned(),
        format!("  data     {}\n", data.display()),
        "  keys     none: everybody on this machine may use it; `countersign keys create` makes one\n".to_owned(),
    ];
    within(5, "the banner", || lines.iter().all(|line| server.log().contains(line)));
    assert!(!server.log().contains("  config "), "no file was read: {}", server.log());
}

// SERVE-7: with settings of one's own it names those, and no secret.
#[test]
fn the_banner_names_what_was_set() {
    let home = folder("banner-set");
    let policy = root().join("examples/policies/starter.toml").display().to_string();
    let file = home.join("mine.toml");
    let text = format!(
        "policy = \"{policy}\"\n[upstream]\nopenai = \"http://user:secret@127.0.0.1:9/v1\"\nmodel = \"small\"\n[access]\napi_keys = [\"a-long-enough-key\"]\n"
    );
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let server = Server::start(&home.join("data"), &["--config", &file], &[]);
    let lines = [
        "  model    127.0.0.1:9/v1; hosted agents use small\n".to_owned(),
        format!("  policy   {policy}, level moderate, version "),
        "  keys     required (`countersign keys list`)\n".to_owned(),
        format!("  config   {file}\n"),
    ];
    within(5, "the banner", || lines.iter().all(|line| server.log().contains(line)));
    for secret in ["secret", "a-long-enough-key"] {
        assert!(!server.log().contains(secret), "{}", server.log());
    }
}

// SERVE-7: `countersign.toml` in the current folder is found without `--config`.
#[test]
fn the_file_in_the_current_folder_is_found() {
    let home = folder("config-here");
    std::fs::write(home.join("countersign.toml"), "[access]\nrate_limit = 7\n").unwrap();
    std::fs::write(home.join("other.toml"), "[access]\nrate_limit = 8\n").unwrap();
    let shown = |args: &[&str], variables: &[(&str, &str)]| {
        let (code, shown, said) = ran_in(&home, args, variables);
        assert_eq!(code, 0, "{said}");
        shown
    };
    assert!(shown(&["config", "show"], &[]).contains("rate_limit = 7  # countersign.toml"));
    assert!(shown(&["config", "show", "--config", "other.toml"], &[]).contains("rate_limit = 8  # other.toml"));
    let named = [("COUNTERSIGN_CONFIG", "other.toml")];
    assert!(shown(&["config", "show"], &named).contains("rate_limit = 8  # other.toml"));
    assert!(!shown(&["config", "show"], &[("COUNTERSIGN_CONFIG", "")]).contains("rate_limit = 7"));
    std::fs::write(home.join("countersign.toml"), "[acces]\nrate_limit = 7\n").unwrap();
    let (code, _, said) = ran_in(&home, &["config", "check"], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("countersign.toml:1") && said.contains("did you mean `access`?"), "{said}");
}

// SERVE-7: a second server on the same address says that one runs, and what to do.
#[test]
fn a_second_server_says_that_one_runs() {
    let home = folder("second-server");
    let server = Server::start(&home.join("one"), &[], &[]);
    let data = home.join("two").display().to_string();
    let again = ["serve", "--listen", &server.address, "--data-dir", &data];
    let (code, _, said) = ran_in(&home, &again, &[]);
    assert_eq!(code, 2, "{said}");
    let running = format!("a countersign server is already running on http://{}", server.address);
    for part in [running.as_str(), "--listen 127.0.0.1:7421 --data-dir DIR", "make run ARGS="] {
        assert!(said.contains(part), "{part} in\n{said}");
    }
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let (code, _, said) = ran_in(&home, &["serve", "--listen", &address, "--data-dir", &data], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("another program uses this port") && !said.contains("already running"), "{said}");
}

// SERVE-7: what the policy in force does, on one page.
#[test]
fn the_policy_in_force_is_explained() {
    let home = folder("policy-show");
    let shown = |args: &[&str]| {
        let (code, shown, said) = ran_in(&home, args, &[]);
        assert_eq!(code, 0, "{said}");
        shown
    };
    let page = shown(&["policy", "show"]);
    assert!(page.starts_with("policy   built-in\n"), "{page}");
    for name in countersign::contract::checks::names() {
        let row = |line: &str| {
            let mut words = line.split_whitespace();
            words.next() == Some(name) && words.next().is_some_and(|mode| ["enforce", "advise"].contains(&mode))
        };
        assert!(page.lines().any(row), "{name} is missing:\n{page}");
    }
    assert!(page.contains("viewers-only-look") && page.contains("when user.role == \"viewer\""), "{page}");
    let starter = root().join("examples/policies/starter.toml").display().to_string();
    let page = shown(&["policy", "show", "--policy", &starter]);
    for part in ["mail-needs-a-person", "get_weather", "also called weather, forecast", "1 known value,"] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    std::fs::write(home.join("countersign.toml"), format!("policy = \"{starter}\"\n")).unwrap();
    assert!(shown(&["policy", "show"]).contains("mail-needs-a-person"));
}

// SERVE-7: a rule of one's own holds for the commands as for the server, and one in the wrong file is told where it belongs.
#[test]
fn a_rule_of_ones_own_holds_in_its_folder() {
    let home = folder("own-rule");
    let rule =
        "[[rules]]\nname = \"small\"\nwhen = \"arguments.people > 5\"\neffect = \"deny\"\nreason = \"too many\"\n";
    std::fs::write(home.join("policy.toml"), rule).unwrap();
    let call = r#"{"name": "book_room", "arguments": {"people": 6}}"#;
    let status = || ran_in(&home, &["check", "--call", call], &[]).1;
    assert!(!status().contains("rejected"), "no file names the policy");
    std::fs::write(home.join("countersign.toml"), "policy = \"policy.toml\"\n").unwrap();
    assert!(status().contains("\"rejected\"") && status().contains("too many"), "{}", status());
    for wrong in [rule.to_owned(), rule.replace("rules", "policy.rules")] {
        std::fs::write(home.join("countersign.toml"), wrong).unwrap();
        let (code, _, said) = ran_in(&home, &["config", "check"], &[]);
        assert!(code == 2 && said.contains("policy = \"policy.toml\""), "{said}");
    }
}
