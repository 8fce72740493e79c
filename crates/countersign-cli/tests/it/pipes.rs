//! Streams: a program that talks to us line by line, a reader that leaves, a line of 64 MiB.

use crate::run::{command, feed};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn one_line_gets_its_answer_at_once() {
    let mut child = command(&["check"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for n in 0..20 {
        writeln!(to, "{{\"id\": {n}, \"call\": {{\"name\": \"f\"}}}}").unwrap();
        to.flush().unwrap();
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], n);
    }
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_leaves_ends_the_run_quietly() {
    let mut child =
        command(&["check"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let line = "{\"id\": 1, \"call\": {\"name\": \"f\"}}\n".repeat(1000);
    // The run may end before all is written: that is the point.
    for _ in 0..200 {
        if to.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    // Standard input stays open: the run must end although more could come.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn a_very_long_line_is_read() {
    // An unoptimised engine is slow; what is shown is that no buffer is too small.
    let size = if cfg!(debug_assertions) { 8 << 20 } else { 64 << 20 };
    let text = "a".repeat(size);
    let input = format!(
        "{{\"id\": 1, \"call\": {{\"name\": \"f\", \"arguments\": {{\"text\": \"{text}\"}}}}}}\n{{\"id\": 2, \"call\": {{\"name\": \"f\"}}}}\n"
    );
    let ran = feed(&["check"], input.as_bytes());
    assert_eq!(ran.out.lines().count(), 2);
    assert!(ran.out.starts_with("{\"id\":1,\"status\""));
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let deep = "[".repeat(200_000);
    for field in ["arguments", "other"] {
        let line = format!(
            "{{\"id\": 1, \"call\": {{\"name\": \"f\"}}, \"{field}\": {deep}\n{{\"id\": 2, \"call\": {{\"name\": \"f\"}}}}\n"
        );
        let ran = feed(&["check"], line.as_bytes());
        assert_eq!((ran.code, ran.lines().len()), (1, 2), "{}", ran.err);
    }
    let closed = format!(
        "{{\"id\": 1, \"tools\": [{{\"name\": \"f\", \"input_schema\": {deep}{}}}], \"call\": {{\"name\": \"f\"}}}}\n",
        "]".repeat(200_000)
    );
    assert!(feed(&["check"], closed.as_bytes()).code < 2);
}
