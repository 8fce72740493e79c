//! How `countersign chat` ends: what it says on leaving works as it is printed, and a refused turn is no success.

use crate::chat_world::Chat;
use crate::native_upstream::{calls, text};
use crate::native_world::{World, delete, weather};
use crate::serve_world::{bare, folder};
use serde_json::json;

/// The command between the backticks of the line that says how to go on.
fn printed(err: &str) -> Vec<String> {
    let line = err.lines().find(|line| line.contains("go on with")).unwrap_or_else(|| panic!("{err}"));
    let command = line.split('`').nth(1).unwrap();
    let words: Vec<String> = command.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect();
    assert_eq!(words[..2], ["countersign", "chat"], "{line}");
    words[2..].to_vec()
}

// STREAM-3: a conversation with a server in this process goes on as the last line says, where its data are kept.
#[test]
fn the_line_on_leaving_works_as_it_is_printed() {
    let home = folder("chat-endings");
    let file = home.join("own.toml");
    std::fs::write(&file, format!("data_dir = {:?}\n", home.join("data"))).unwrap();
    let file = file.display().to_string();
    let (code, _, err) = Chat::start(&["--config", &file, "--agent", "react", "Hello there"], &[]).end();
    assert_eq!(code, 0, "{err}");
    let again = printed(&err);
    assert!(again.contains(&"--config".to_owned()), "{again:?}");
    let mut words: Vec<&str> = again.iter().map(String::as_str).collect();
    words.push("And again");
    let (code, out, err) = Chat::start(&words, &[]).end();
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("And again"), "{out}{err}");
    // Without a folder nothing is kept, and it says why.
    std::fs::write(home.join("none.toml"), "").unwrap();
    let none = home.join("none.toml").display().to_string();
    let (_, _, err) = Chat::start(&["--config", &none, "--agent", "react", "Hello"], &[]).end();
    assert!(err.contains("nothing was kept") && err.contains("data_dir") && !err.contains("go on with"), "{err}");
}

// CALL-10: a turn that ends because its call was refused says why, and is exit 1; there is no answer.
#[test]
fn a_refused_turn_is_told_and_is_no_success() {
    let world = World::own("chat-refused", &[], &[]);
    let session = world.session(json!({"agent": "react", "tools": [weather()]}));
    let wrong = || calls(&[("c1", "get_weather", json!({"days": 3}))]);
    let url = format!("http://{}", world.server.address);
    let mark = world.upstream.on(vec![wrong(), wrong(), wrong(), wrong()]);
    let (code, out, err) = Chat::start(&["--url", &url, "--session", &session, &format!("Weather? {mark}")], &[]).end();
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("✖ The tool call was refused: ") && err.contains("`city` is missing"), "{err}");
    assert!(!err.lines().any(|line| line == "countersign:"), "{err}");
    // The next turn is judged by itself.
    let mark = world.upstream.on(vec![text(&["Fine."])]);
    let (code, out, _) = Chat::start(&["--url", &url, "--session", &session, &mark], &[]).end();
    assert_eq!((code, out.as_str()), (0, "Fine.\n"));
}

// REVIEW-2: where nobody can be asked, the command that is printed decides, and the turn goes on.
#[test]
fn the_line_about_a_decision_works_as_it_is_printed() {
    let world = World::own("chat-decision", &[], &[]);
    let session = world.session(json!({"tools": [delete()]}));
    let call = calls(&[("c1", "delete_record", json!({"record_id": "rec_1"}))]);
    let mark = world.upstream.on(vec![call, text(&["So it is."])]);
    let url = format!("http://{}", world.server.address);
    let words = format!("Please delete the record rec_1. {mark}");
    let mut chat = Chat::start(&["--url", &url, "--session", &session, &words], &[]);
    chat.hands_off();
    chat.until("countersign review reject rev_");
    let err = chat.err();
    let printed = err.split('`').find(|part| part.starts_with("countersign review reject ")).unwrap();
    let args: Vec<&str> = printed.split(' ').skip(1).collect();
    let decided = bare(&args, &[]).output().unwrap();
    assert!(decided.status.success(), "{}", String::from_utf8_lossy(&decided.stderr));
    assert!(String::from_utf8_lossy(&decided.stdout).starts_with("✖ rejected  rev_"));
    let (code, out, _) = chat.end();
    assert_eq!((code, out.as_str()), (0, "So it is.\n"));
}

// SERVE-7: who presses Ctrl-D while the answer comes hears it to its end, and leaves.
#[cfg(unix)]
#[test]
fn leaving_during_an_answer_ends_the_conversation() {
    let world = World::shared();
    let mark = world.upstream.on(vec![text(&["One ", "and ", "two."])]);
    let url = format!("http://{}", world.server.address);
    let mut chat = Chat::on_a_terminal(&["--url", &url], &[("TERM", "dumb")]);
    chat.until("› ");
    chat.types(&format!("{mark}\n\u{4}"));
    let (code, out, _) = chat.end();
    assert!(code == 0 && out.contains("One and two."), "{code} {out}");
}
