//! `countersign review`, as a person uses it: a table, a line for a decision, and names that need not be typed whole.

use crate::native_upstream::{calls, text};
use crate::native_world::{World, delete};
use crate::serve_world::{bare, within};
use serde_json::{Value, json};

fn review(world: &World, args: &[&str]) -> (i32, String, String) {
    let server = format!("http://{}", world.server.address);
    let mut all = vec!["review"];
    all.extend(args);
    all.extend(["--server", &server]);
    let out = bare(&all, &[]).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}

/// A call of each record that waits for a person; gives the names of their reviews.
fn waiting(world: &World, records: &[&str]) -> Vec<String> {
    for record in records {
        let session = world.session(json!({"tools": [delete()]}));
        let call = calls(&[("c1", "delete_record", json!({ "record_id": record }))]);
        let mark = world.upstream.on(vec![call, text(&["So it is."])]);
        world.say(&session, &format!("Please delete the record {record}. {mark}")).until("review_required");
    }
    let listed = world.server.get("/v1/reviews?state=pending").json();
    listed["reviews"]
        .as_array()
        .unwrap()
        .iter()
        .map(|review| review["review_id"].as_str().unwrap().to_owned())
        .collect()
}

// REVIEW-1: what waits is a table, a decision is a line, and JSON is there for who asks for it.
#[test]
fn people_get_a_table_and_a_line() {
    let world = World::own("review-command", &[], &[]);
    assert_eq!(review(&world, &["list"]), (0, "nothing waits\n".to_owned(), String::new()));
    let names = waiting(&world, &["rec_1", "rec_2", "rec_3"]);
    let (code, table, _) = review(&world, &["list"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        (code, lines[0].split_whitespace().collect::<Vec<_>>()),
        (0, vec!["REVIEW", "STATE", "TIME", "LEFT", "CALL"])
    );
    let short = names[0].get(..12).unwrap();
    let row = lines.iter().find(|line| line.starts_with(short)).unwrap();
    assert!(row.contains("pending  14 min") || row.contains("pending  15 min"), "{row}");
    assert!(row.ends_with("delete_record {\"record_id\":\"rec_1\"}"), "{row}");
    assert_eq!(row.find("delete_record"), lines[0].find("CALL"), "{table}");
    assert_eq!(lines.len(), 1 + 2 * 3, "a call and its reason each\n{table}");

    let (code, line, _) = review(&world, &["approve", short]);
    let said = format!("✔ approved  {}  delete_record {{\"record_id\":\"rec_1\"}}\n", names[0]);
    assert_eq!((code, line), (0, said));
    let (code, line, _) =
        review(&world, &["reject", &format!("{}…", names[1].get(4..14).unwrap()), "--reason", "not today"]);
    let said = format!("✖ rejected  {}  delete_record {{\"record_id\":\"rec_2\"}}: not today\n", names[1]);
    assert_eq!((code, line), (0, said));
    let (code, line, _) = review(&world, &["edit", &names[2], "--arguments", "{\"record_id\": \"rec_9\"}"]);
    let said = format!("✔ edited  {}  delete_record {{\"record_id\":\"rec_9\"}}\n", names[2]);
    assert_eq!((code, line), (0, said));

    let (code, out, _) = review(&world, &["list", "--state", "approved", "--format", "jsonl"]);
    let item: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!((code, item["review_id"].as_str().unwrap()), (0, names[0].as_str()));
    let (_, out, _) = review(&world, &["show", short, "--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["state"], "approved");
}

// REVIEW-1, REVIEW-2: what waits is followed live; a pipe gets lines, a terminal decides with a key.
#[cfg(unix)]
#[test]
fn what_waits_is_watched_and_decided_with_a_key() {
    use crate::chat_world::Chat;
    let world = World::own("review-watch", &[], &[]);
    let server = format!("http://{}", world.server.address);
    let lines = Chat::start(&["review", "watch", "--format", "jsonl", "--server", &server], &[]);
    let plain = Chat::start(&["review", "watch", "--server", &server], &[]);
    let mut person = Chat::on_a_terminal(&["review", "watch", "--server", &server, "--reviewer", "Ann"], &[]);
    person.until("q leaves");
    let first = waiting(&world, &["rec_1"]).remove(0);
    person.until("approve, reject, next, list, quit?");
    // A key that was pressed before anybody could have read the item decides nothing.
    std::thread::sleep(std::time::Duration::from_millis(600));
    let all = waiting(&world, &["rec_2"]);
    person.until("rec_2");
    // Another item came; the one that is shown stays the one that is decided on.
    person.presses("a");
    person.until("✔ approved");
    within(10, "the first is approved", || {
        world.server.get(&format!("/v1/reviews/{first}")).json()["decided"]["reviewer"] == "Ann"
    });
    let second = all.iter().find(|name| **name != first).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(600));
    person.presses("r");
    person.until("reason (Enter for none)");
    person.presses("zu früX\u{7f}h\n");
    person.until("✖ rejected");
    within(10, "the second is rejected", || {
        world.server.get(&format!("/v1/reviews/{second}")).json()["decided"]["reason"] == "zu früh"
    });
    person.presses("q");
    assert_eq!(person.end().0, 0);
    lines.until("\"state\":\"rejected\"");
    let states: Vec<String> = lines
        .out()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["state"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(states, ["pending", "pending", "approved", "rejected"]);
    plain.until("✖ rejected");
    assert!(plain.out().starts_with("? pending  rev_") && !plain.out().contains("reject, next"), "{}", plain.out());
    lines.interrupt();
    plain.interrupt();
    assert_eq!((lines.end().0, plain.end().0), (0, 0));
}

// REVIEW-1: nothing is decided by a beginning that several have, or none.
#[test]
fn an_unclear_name_decides_nothing() {
    let world = World::own("review-command-unclear", &[], &[]);
    let names = waiting(&world, &["rec_1", "rec_2"]);
    let (code, out, err) = review(&world, &["approve", "rev_"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("2 reviews begin with \"rev_\"") && names.iter().all(|name| err.contains(name.as_str())),
        "{err}"
    );
    let (code, _, err) = review(&world, &["approve", "rev_nothing"]);
    assert!(code == 2 && err.contains("there is no review that begins with \"rev_nothing\""), "{err}");
    assert_eq!(waiting(&world, &[]), names);
}

// REVIEW-1: who is asked about a call that is fine is told why they are asked.
#[test]
fn the_reason_is_why_a_person_is_asked() {
    let world = World::own("review-command-reason", &[], &[]);
    waiting(&world, &["rec_1"]);
    let item = &world.server.get("/v1/reviews?state=pending").json()["reviews"][0];
    let why = "What `delete_record` does cannot be undone, so a person decides.";
    assert_eq!((&item["context"]["explanation"], &item["findings"]), (&json!(why), &json!([])));
    assert!(review(&world, &["list"]).1.contains(why));
    let shown = world.log(item["session_id"].as_str().unwrap());
    assert_eq!(shown.iter().find(|event| event.kind() == "review_required").unwrap().word("explanation"), why);
}
