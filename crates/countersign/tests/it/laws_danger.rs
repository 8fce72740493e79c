//! Laws of commands and renames: how something is written changes nothing, and what it means is never changed.

use countersign::check_call::Guard;
use countersign::contract::{Answers, Status, Verdict};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use proptest::prelude::*;
use serde_json::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    // CALL-6: quotes, escapes and blanks do not hide a command.
    #[test]
    fn a_command_is_the_same_in_every_writing(letters in prop::collection::vec(0..6usize, 6), blank in 0..3usize, before in 0..5usize) {
        let written = |text: &str, from: usize| -> String {
            text.chars().zip(letters.iter().skip(from)).map(|(c, how)| write(c, *how)).collect()
        };
        let blank = [" ", "\t", "${IFS}"][blank];
        let before = ["", "sudo ", "env A=1 ", "ls; ", "true && "][before];
        let command = format!("{before}{}{blank}{}{blank}/", written("rm", 0), written("-rf", 2));
        prop_assert_eq!(run(&command).status, Status::Rejected, "{}", command);
    }

    // CALL-6: what a command only hands on is data.
    #[test]
    fn quoted_text_is_data(text in "[a-z0-9 ;|&$(){}<>/*#!-]{0,40}", around in 0..4usize) {
        let line = format!("{text} rm -rf / ; {text}");
        let command = match around {
            0 => format!("echo '{line}'"),
            1 => format!("git commit -m '{line}'"),
            2 => format!("cat > notes.txt <<'EOF'\n{line}\nEOF"),
            _ => format!("# {line}\nls"),
        };
        prop_assert!(!run(&command).status.is_refused(), "{}", command);
    }

    // MEANING-5: a prefix that turns a word round is never put on or taken off.
    #[test]
    fn no_repair_turns_a_name_round(word in "[a-z]{3,9}", prefix in "un|de|dis|in|non|no|re|anti", thing in "[a-z]{3,9}") {
        for (written, known) in [(word.clone(), format!("{prefix}{word}")), (format!("{prefix}{word}"), word.clone())] {
            let verdict = call(&format!("{written}_{thing}"), &format!("{known}_{thing}"));
            prop_assert!(verdict.call.is_none(), "{written}_{thing} became {known}_{thing}");
        }
    }

    // CALL-1: case and separators are spelling, whatever the words.
    #[test]
    fn spelling_is_still_put_right(first in "[b-df-hj-np-tv-z][a-z]{3,8}", second in "[a-z]{4,9}") {
        let known = format!("get_{first}_{second}");
        for written in [format!("get-{first}-{second}"), format!("Get_{first}_{second}"), format!("get{first}{second}")] {
            let verdict = call(&written, &known);
            prop_assert_eq!(verdict.call.as_ref().map(|call| call.name.as_str()), Some(known.as_str()), "{}", written);
        }
    }
}

fn write(c: char, how: usize) -> String {
    match how {
        0 => format!("\\{c}"),
        1 => format!("'{c}'"),
        2 => format!("\"{c}\""),
        3 => format!("$'{c}'"),
        4 => format!("$'\\x{:02x}'", c as u32),
        _ => c.to_string(),
    }
}

fn run(command: &str) -> Verdict {
    let tool = json!({"name": "run_command", "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}}});
    judge(json!({"tools": [tool], "call": {"name": "run_command", "arguments": {"command": command}}}))
}

fn call(written: &str, known: &str) -> Verdict {
    let tool = json!({"name": known, "input_schema": {"type": "object", "properties": {}}});
    judge(json!({"tools": [tool], "call": {"name": written, "arguments": {}}}))
}

fn judge(body: Value) -> Verdict {
    let request = read_check(&body).unwrap();
    let guard = Guard::new(request.tools.clone(), Policy::standard());
    inspect::check(&guard, &request, &Answers::default())
}
