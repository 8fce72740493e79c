//! `countersign hook` as agents and people run it: payloads on standard input, settings on disk.

use crate::run::{Ran, command, root};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

struct World {
    folder: PathBuf,
}

impl World {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("hooks-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("home")).unwrap();
        fs::create_dir_all(folder.join("shop/.git")).unwrap();
        Self { folder }
    }

    fn run(&self, args: &[&str], input: &str) -> Ran {
        let mut hook = command(args);
        hook.current_dir(self.folder.join("shop")).env("HOME", self.folder.join("home"));
        hook.env("COUNTERSIGN_HOOKS_DIR", self.folder.join("state")).env_remove("CLAUDE_PROJECT_DIR");
        let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let ran = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: ran.status.code().unwrap(), out: text(ran.stdout), err: text(ran.stderr) }
    }

    fn payload(&self, line: &str) -> String {
        json!({"session_id": "s", "cwd": self.folder.join("shop"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": line}})
        .to_string()
    }
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

// HOOK-2: one JSON object or nothing on standard output, and exit 2 with a reason for what cannot be read.
#[test]
fn a_hook_says_one_thing_or_nothing() {
    let world = World::new("says");
    let fine = world.run(&["hook", "claude-code"], &world.payload("cargo test"));
    assert_eq!((fine.code, fine.out.as_str(), fine.err.as_str()), (0, "", ""));
    let refused = world.run(&["hook", "claude-code"], &world.payload("rm -rf /"));
    assert_eq!(refused.code, 0);
    assert_eq!(refused.lines()[0]["hookSpecificOutput"]["permissionDecision"], "deny");
    let unread = world.run(&["hook", "codex"], "not json");
    assert_eq!((unread.code, unread.out.as_str()), (2, ""));
    assert!(unread.err.contains("not JSON") && unread.err.contains("countersign hook doctor"), "{}", unread.err);
}

// HOOK-2: a policy that cannot be read refuses, and says what is wrong.
#[test]
fn a_broken_policy_refuses() {
    let world = World::new("policy");
    fs::write(world.folder.join("shop/countersign.toml"), "policy = \"rules.toml\"\n").unwrap();
    let refused = world.run(&["hook", "claude-code"], &world.payload("cargo test"));
    assert!(refused.out.contains("\"deny\"") && refused.out.contains("rules.toml"), "{}", refused.out);
    let rule = "[[rules]]\nname = \"no-npm\"\ntools = [\"Bash\"]\nwhen = 'arguments.command.startsWith(\"npm \")'\neffect = \"deny\"\nreason = \"use pnpm\"\n";
    fs::write(world.folder.join("shop/rules.toml"), rule).unwrap();
    let denied = world.run(&["hook", "claude-code"], &world.payload("npm install"));
    let fine = world.run(&["hook", "claude-code"], &world.payload("pnpm install"));
    assert!(denied.out.contains("\"deny\"") && fine.out.is_empty(), "{} {}", denied.out, fine.out);
}

// HOOK-3: installed, tried, taken out; what others wrote stays, and the agent cannot switch it off.
#[test]
fn the_guard_is_installed_tried_and_taken_out() {
    let world = World::new("install");
    let settings = world.folder.join("shop/.claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let theirs = json!({"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "theirs"}]}]}});
    fs::write(&settings, theirs.to_string()).unwrap();
    let at = ["--agent", "claude-code", "--scope", "project"];
    let with = |word: &'static str| [&["hook", word][..], &at[..]].concat();
    assert!(world.run(&[&with("install")[..], &["--dry-run"]].concat(), "").out.contains("would become"));
    assert_eq!(json_of(&settings), theirs);
    assert_eq!(world.run(&with("doctor"), "").code, 1);
    let installed = world.run(&with("install"), "");
    assert_eq!(installed.code, 0, "{}", installed.err);
    assert!(json_of(&settings)["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "theirs");
    assert_eq!(json_of(&settings.with_file_name("settings.json.countersign-backup")), theirs);
    assert!(world.run(&with("status"), "").out.contains("on   enforce"));
    let doctor = world.run(&with("doctor"), "");
    assert!(doctor.code == 0 && doctor.out.contains("it refused"), "{} {}", doctor.out, doctor.err);
    let edit = world.run(&["hook", "claude-code"], &world.payload("rm .claude/settings.json"));
    assert!(edit.out.contains("danger.own-guard"), "{}", edit.out);
    assert!(world.run(&["hook", "report", "--format", "jsonl"], "").lines().iter().any(|line| line["ruling"] == "ask"));
    assert_eq!(world.run(&with("uninstall"), "").code, 0);
    assert_eq!(json_of(&settings), theirs);
}

// HOOK-3: every agent's guard can be installed, refuses what it must, and leaves nothing behind.
#[test]
fn every_agent_can_be_guarded() {
    let world = World::new("all");
    for agent in ["claude-code", "codex", "cursor", "gemini", "copilot", "opencode", "windsurf", "cline"] {
        let at = ["--agent", agent, "--scope", "user"];
        let with = |word: &'static str| [&["hook", word][..], &at[..]].concat();
        let installed = world.run(&with("install"), "");
        assert_eq!(installed.code, 0, "{agent} {}", installed.err);
        let doctor = world.run(&with("doctor"), "");
        assert!(doctor.code == 0 && doctor.out.contains("it refused"), "{agent} {} {}", doctor.out, doctor.err);
        let watching = world.run(&[&with("install")[..], &["--observe"]].concat(), "");
        assert!(watching.out.contains("only records"), "{}", watching.out);
        assert!(world.run(&with("doctor"), "").out.contains("only records"));
        assert_eq!(world.run(&with("uninstall"), "").code, 0);
        assert!(world.run(&with("status"), "").out.contains("off"), "{agent}");
    }
}

// HOOK-3: the plugin hears what the installer hears, with the same line.
#[test]
fn the_plugin_is_the_same_guard() {
    let plugin = json_of(&root().join("plugins/claude-code/hooks/hooks.json"));
    let market = json_of(&root().join(".claude-plugin/marketplace.json"));
    assert_eq!(market["plugins"][0]["source"], "./plugins/claude-code");
    let world = World::new("plugin");
    world.run(&["hook", "install", "--agent", "claude-code"], "");
    let installed = json_of(&world.folder.join("home/.claude/settings.json"));
    for (event, groups) in installed["hooks"].as_object().unwrap() {
        let theirs = &plugin["hooks"][event][0];
        for key in ["args", "timeout", "onFailure", "type"] {
            assert_eq!(theirs["hooks"][0][key], groups[0]["hooks"][0][key], "{event} {key}");
        }
        assert_eq!(theirs["matcher"], groups[0]["matcher"], "{event}");
    }
    assert_eq!(plugin["hooks"].as_object().unwrap().len(), installed["hooks"].as_object().unwrap().len());
}

// HOOK-5: the bench runs, and only the tail of a long transcript is read.
#[test]
fn the_bench_measures_both_kinds_of_calls() {
    let world = World::new("bench");
    let ran = world.run(&["hook", "bench", "--messages", "200", "--calls", "3"], "");
    let lines = ran.lines();
    assert_eq!((ran.code, lines.len()), (0, 2), "{}", ran.err);
    assert!(lines.iter().all(|line| line["p50_ms"].as_f64().unwrap() > 0.0));
}
