//! People are told of what waits for them: by webhook and by e-mail, in one message for several, at night not at all, and
//! somebody else before it is too late. A link in the message decides, once.

use crate::native_upstream::{Upstream, calls, text};
use crate::native_world::{World, delete, session_as};
use crate::serve_world::{Answer, Receiver, folder, within};
use base64::Engine;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server whose configuration says this.
fn world(name: &str, configuration: &str, args: &[&str], variables: &[(&str, &str)]) -> World {
    let place = folder(name);
    let file = place.join("countersign.toml");
    std::fs::write(&file, configuration).unwrap();
    let file = file.display().to_string();
    let mut all = vec!["--config", &file];
    all.extend(args);
    World::again(&place.join("data"), &Arc::new(Upstream::start()), &all, variables)
}

/// A call on a record that waits for a person.
fn wait_for_person(world: &World, headers: &[(&str, &str)], record: &str) -> String {
    let session = session_as(&world.server, headers, json!({"tools": [delete()]}));
    let call = calls(&[("c1", "delete_record", json!({ "record_id": record }))]);
    let mark = world.upstream.on(vec![call, text(&["So it is."])]);
    let body = json!({"content": format!("Please delete the record {record}. {mark}")}).to_string();
    let path = format!("/v1/sessions/{session}/messages");
    crate::native_world::Reader::open(&world.server, "POST", &path, headers, &body).until("review_required");
    session
}

/// The messages that a webhook got, as JSON.
fn messages(hook: &Receiver) -> Vec<Value> {
    let bodies = hook.texts();
    bodies.iter().filter_map(|text| serde_json::from_str(text.split("\r\n\r\n").nth(1)?).ok()).collect()
}

fn hooked(hook: &Receiver, more: &str) -> String {
    format!(
        "public_url = \"https://guard.example\"\n[reviewers.ann]\nwebhook = \"http://{}/hook\"\nbatch = \"300ms\"\n{more}\n",
        hook.address
    )
}

/// How many entries of a kind the audit of a test's server has.
fn audit(name: &str, action: &str) -> i64 {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("data/countersign.db");
    let reader = rusqlite::Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let count = "SELECT count(*) FROM records WHERE kind = 'audit' AND state = ?1";
    reader.query_row(count, [action], |row| row.get(0)).unwrap()
}

/// The last part of the link in a message, and the path to ask for.
fn link(message: &Value, at: usize) -> String {
    let link = message["reviews"][at]["link"].as_str().unwrap_or_else(|| panic!("no link in {message}"));
    link.strip_prefix("https://guard.example").unwrap_or_else(|| panic!("{link}")).to_owned()
}

/// Follows a link as a browser does that came by its public name.
fn open(world: &World, path: &str) -> Answer {
    world.server.ask("GET", path, &[("host", "guard.example"), ("user-agent", "Mozilla/5.0")], "")
}

fn token(page: &Answer) -> String {
    page.body.split("name=token value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn send(world: &World, path: &str, fields: &str) -> Answer {
    let headers = [
        ("host", "guard.example"),
        ("user-agent", "Mozilla/5.0"),
        ("origin", "https://guard.example"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    world.server.ask("POST", path, &headers, fields)
}

// SERVE-2, REVIEW-1: items that come together are one message, and a link in it shows the item, decides once, and says so after.
#[test]
fn a_link_in_one_message_for_several_decides_once() {
    let hook = Receiver::start();
    let world = world("alerts-link", &hooked(&hook, ""), &[], &[]);
    wait_for_person(&world, &[], "rec_1");
    wait_for_person(&world, &[], "rec_2");
    within(10, "both were told", || {
        messages(&hook).iter().map(|told| told["reviews"].as_array().unwrap().len()).sum::<usize>() == 2
    });
    let told: Vec<Value> = messages(&hook);
    let first = &told[0];
    assert_eq!((first["kind"].as_str(), first["channel"].as_str()), (Some("review_waiting"), Some("ann")));
    let items: Vec<(usize, usize)> = told
        .iter()
        .enumerate()
        .flat_map(|(n, told)| (0..told["reviews"].as_array().unwrap().len()).map(move |at| (n, at)))
        .collect();
    let path = link(&told[items[0].0], items[0].1);

    // A chat program looks at the link first, and again: nothing is decided and nothing is used up.
    for _ in 0..3 {
        let page = open(&world, &path);
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.contains("rec_1") && page.body.contains("Please delete the record rec_1"), "{}", page.body);
        assert!(
            page.body.contains("cannot be undone") && page.body.contains("You decide as <b>ann</b>"),
            "{}",
            page.body
        );
        assert!(
            !page.body.contains("<script") && page.header("content-security-policy").starts_with("default-src 'none'")
        );
        assert_eq!(page.header("cache-control"), "no-store");
    }
    assert_eq!(world.server.ask("HEAD", &path, &[("host", "guard.example")], "").status, 200);
    assert_eq!(world.server.get("/v1/reviews?state=pending").json()["reviews"].as_array().unwrap().len(), 2);

    // The form of another link, none, and one without its tick decide nothing.
    let page = open(&world, &path);
    let other = token(&open(&world, &link(&told[items[1].0], items[1].1)));
    for (fields, status) in [
        (format!("token={other}&decision=approve&confirm=yes"), 400),
        ("decision=approve&confirm=yes".to_owned(), 400),
        (format!("token={}&decision=approve", token(&page)), 400),
        (format!("token={}&decision=perhaps&confirm=yes", token(&page)), 400),
    ] {
        assert_eq!(send(&world, &path, &fields).status, status, "{fields}");
    }
    let fields = format!("token={}&decision=approve&confirm=yes", token(&page));
    let done = send(&world, &path, &fields);
    assert!(done.status == 200 && done.body.contains("may run now"), "{} {}", done.status, done.body);
    let again = send(&world, &path, &fields);
    assert!(
        again.status == 410 && again.body.contains("decided already") && again.body.contains("ann, by link"),
        "{}",
        again.body
    );
    assert_eq!(open(&world, &path).status, 410);
    let approved = world.server.get("/v1/reviews?state=approved").json();
    assert_eq!(approved["reviews"][0]["decided"]["reviewer"], "ann, by link");

    // Nobody is told twice, and the audit knows who was told.
    assert_eq!((audit("alerts-link", "review.told"), audit("alerts-link", "review.approved")), (2, 1));
}

// REVIEW-1: a link that was changed, made up, or brought to another name opens nothing.
#[test]
fn a_wrong_link_tells_nothing() {
    let hook = Receiver::start();
    let world = world("alerts-wrong-link", &hooked(&hook, ""), &[], &[]);
    wait_for_person(&world, &[], "rec_1");
    within(10, "it was told", || !messages(&hook).is_empty());
    let path = link(&messages(&hook)[0], 0);
    let (front, signature) = path.rsplit_once('.').unwrap();
    let turned: String = signature.chars().rev().collect();
    for wrong in [
        format!("{front}.{turned}"),
        front.to_owned(),
        format!("{path}.x"),
        path.replace(".ann.", ".bob."),
        "/review/x".to_owned(),
        format!("/review/rev_{}.ann.{signature}", "0".repeat(32)),
    ] {
        let page = open(&world, &wrong);
        assert!(
            page.status == 404 && page.body.contains("This link is not valid"),
            "{wrong}: {} {}",
            page.status,
            page.body
        );
    }
    // Under the public name nothing is open but links: the server has no keys.
    let elsewhere =
        world.server.ask("GET", "/v1/reviews", &[("host", "guard.example"), ("user-agent", "Mozilla/5.0")], "");
    assert_eq!((elsewhere.status, elsewhere.error().as_str()), (403, "host_not_allowed"));
    let browser = [("host", "guard.example"), ("user-agent", "Mozilla/5.0")];
    for path in ["/review/../v1/reviews", "/review/x/../../v1/reviews", "/review/%2e%2e/v1/reviews", "/review/x/y"] {
        assert_eq!(world.server.ask("GET", path, &browser, "").status, 403, "{path}");
    }
    let foreign = [("host", "guard.example"), ("user-agent", "Mozilla/5.0"), ("origin", "https://evil.example")];
    assert_eq!(world.server.ask("POST", &path, &foreign, "").status, 403);
}

const KEYS: &str = "agent:sessions+engine=agent-key-0123456789abcdef,people:review=people-key-0123456789abcdef,both:sessions+review=both-key-0123456789abcdef";

// REVIEW-1: on a server with keys a link has the rights of the key that is named, and no others.
#[test]
fn a_link_has_the_rights_of_its_key() {
    let (ann, bob, cat) = (Receiver::start(), Receiver::start(), Receiver::start());
    let reviewer = |name: &str, hook: &Receiver, key: &str| {
        format!("[reviewers.{name}]\nwebhook = \"http://{}/h\"\nbatch = \"0s\"\n{key}\n", hook.address)
    };
    let configuration = format!(
        "public_url = \"https://guard.example\"\n{}{}{}",
        reviewer("ann", &ann, "key = \"people\""),
        reviewer("bob", &bob, "key = \"agent\""),
        reviewer("cat", &cat, "key = \"both\""),
    );
    let world = world("alerts-rights", &configuration, &[], &[("COUNTERSIGN_API_KEYS", KEYS)]);
    let both = [("authorization", "Bearer both-key-0123456789abcdef")];
    wait_for_person(&world, &both, "rec_1");
    within(10, "all were told", || [&ann, &bob, &cat].iter().all(|hook| !messages(hook).is_empty()));
    // A key that may not review gets no link, and nobody gets one for a call of their own key.
    assert_eq!(messages(&bob)[0]["reviews"][0]["link"], Value::Null);
    assert_eq!(messages(&cat)[0]["reviews"][0]["link"], Value::Null);
    assert!(world.server.log().contains("reviewers.bob.key"), "{}", world.server.log());
    let path = link(&messages(&ann)[0], 0);
    let page = open(&world, &path);
    // The console's cookie neither helps nor hinders.
    let fields = format!("token={}&decision=reject&reason=not+today", token(&page));
    let headers =
        [("host", "guard.example"), ("cookie", "countersign=x"), ("content-type", "application/x-www-form-urlencoded")];
    let done = world.server.ask("POST", &path, &headers, &fields);
    assert!(done.status == 200 && done.body.contains("does not run"), "{} {}", done.status, done.body);
    let listed = world.server.ask("GET", "/v1/reviews", &[("x-api-key", "people-key-0123456789abcdef")], "").json();
    let decided = &listed["reviews"][0]["decided"];
    assert_eq!(
        (decided["reviewer"].as_str(), decided["reason"].as_str()),
        (Some("people (ann, by link)"), Some("not today"))
    );
}

// SERVE-2: a restart tells nobody twice, and tells what was not told.
#[test]
fn a_restart_tells_nobody_twice() {
    let hook = Receiver::start();
    let name = "alerts-restart";
    let place = folder(name);
    std::fs::write(place.join("c.toml"), hooked(&hook, "")).unwrap();
    let (data, file) = (place.join("data"), place.join("c.toml").display().to_string());
    let upstream = Arc::new(Upstream::start());
    let first = World::again(&data, &upstream, &["--config", &file], &[]);
    wait_for_person(&first, &[], "rec_1");
    within(10, "it was told", || messages(&hook).len() == 1);
    within(10, "it is written down", || audit(name, "review.told") == 1);
    assert!(first.server.end().success());
    let second = World::again(&data, &upstream, &["--config", &file], &[]);
    wait_for_person(&second, &[], "rec_2");
    within(10, "the second was told", || messages(&hook).len() == 2);
    std::thread::sleep(Duration::from_millis(600));
    let told = messages(&hook);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].to_string().contains("rec_2") && !told[1].to_string().contains("rec_1"), "{}", told[1]);
}

// SERVE-2, REVIEW-1: before it is too late another is told; at night nobody is, unless it is urgent.
#[test]
fn somebody_else_is_told_before_it_is_too_late() {
    let (lead, asleep, awake) = (Receiver::start(), Receiver::start(), Receiver::start());
    // Quiet for as long as the test runs, whenever that is.
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let hours = format!("{:02}:00-{:02}:59", now.hour(), (now.hour() + 1) % 24);
    let reviewer = |name: &str, hook: &Receiver, more: &str| {
        format!("[reviewers.{name}]\nwebhook = \"http://{}/h\"\nbatch = \"0s\"\n{more}\n", hook.address)
    };
    let configuration = format!(
        "{}{}{}",
        reviewer("lead", &lead, "before_expiry = \"10s\""),
        reviewer("asleep", &asleep, &format!("quiet_hours = \"{hours}\"")),
        reviewer("awake", &awake, &format!("quiet_hours = \"{hours}\"\nurgent = [\"delete_*\"]\nshow = \"tool\"")),
    );
    let place = folder("alerts-policy");
    std::fs::write(place.join("policy.toml"), "[tools.delete_record]\nreview_expires = \"14s\"\n").unwrap();
    let policy = place.join("policy.toml").display().to_string();
    let world = world("alerts-escalation", &configuration, &["--policy", &policy], &[]);
    wait_for_person(&world, &[], "rec_1");
    within(5, "the urgent one is told at night", || messages(&awake).len() == 1);
    let told = &messages(&awake)[0];
    assert!(told["reviews"][0]["link"].is_null() && !told.to_string().contains("rec_1"), "{told}");
    assert!(messages(&lead).is_empty(), "the lead is told too early");
    within(12, "the lead is told", || messages(&lead).len() == 1);
    assert!(messages(&lead)[0]["text"].as_str().unwrap().contains("still waits"), "{:?}", messages(&lead));
    // The policy gave this tool fourteen seconds.
    within(18, "it has expired", || {
        world.server.get("/v1/reviews?state=expired").json()["reviews"].as_array().unwrap().len() == 1
    });
    assert!(messages(&asleep).is_empty());
}

/// A server that takes e-mails as RFC 5321 says; gives what was said between `DATA` and the dot, and the envelope.
fn mail_server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let got = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&got);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let kept = Arc::clone(&kept);
            std::thread::spawn(move || take_mail(stream, &kept));
        }
    });
    (address, got)
}

fn take_mail(mut stream: TcpStream, kept: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let mut whole = String::new();
    stream.write_all(b"220 here ESMTP\r\n").unwrap();
    while let Some(line) = lines.next() {
        let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        whole.push_str(&format!("{line}\n"));
        let answer = match word.as_str() {
            "EHLO" => "250-here\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN\r\n",
            "AUTH" => "235 welcome\r\n",
            "QUIT" => "221 bye\r\n",
            "DATA" => {
                stream.write_all(b"354 go on\r\n").unwrap();
                for line in lines.by_ref().take_while(|line| line != ".") {
                    whole.push_str(&format!("{line}\n"));
                }
                kept.lock().unwrap().push(std::mem::take(&mut whole));
                "250 taken\r\n"
            }
            _ => "250 fine\r\n",
        };
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

// SERVE-2: e-mail goes out by SMTP, with its name and password, and without what a model could put into its head.
#[test]
fn people_are_told_by_email() {
    let (address, mails) = mail_server();
    let configuration = "[alerts]\nmail_from = \"Countersign <guard@example.com>\"\n\n[reviewers.ann]\nemail = [\"ann@example.com\", \"Bo <bo@example.com>\"]\nbatch = \"0s\"\n";
    let smtp = format!("smtp://guard:s%3Acret@{address}");
    let world = world("alerts-mail", configuration, &[], &[("COUNTERSIGN_SMTP", &smtp)]);
    wait_for_person(&world, &[], "rec_1");
    within(10, "the mail came", || !mails.lock().unwrap().is_empty());
    let mail = mails.lock().unwrap()[0].clone();
    let (heads, packed) = mail.split_once("\n\n").unwrap();
    let text = base64::engine::general_purpose::STANDARD.decode(packed.split_whitespace().collect::<String>()).unwrap();
    let mail = format!("{heads}\n\n{}", String::from_utf8(text).unwrap());
    for part in [
        "MAIL FROM:<guard@example.com>",
        "RCPT TO:<ann@example.com>",
        "RCPT TO:<bo@example.com>",
        "Subject: [countersign] delete_record waits for a decision",
        "Auto-Submitted: auto-generated",
        "Message-ID: <mail_",
        "countersign review show rev_",
    ] {
        assert!(mail.contains(part), "{part} is not in\n{mail}");
    }
    // `guard`, a zero byte between the parts, and the password with its colon.
    assert!(mail.contains("AUTH PLAIN AGd1YXJkAHM6Y3JldA=="), "{mail}");
    let variables = [("COUNTERSIGN_SMTP", smtp.as_str()), ("COUNTERSIGN_MAIL_FROM", "a@b.example")];
    let shown = crate::serve_world::bare(&["config", "show"], &variables).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(!shown.contains("s%3Acret") && shown.contains("smtp = \"***\""), "{shown}");
}

// SERVE-2: what cannot be used is refused at the start, with what to do.
#[test]
fn reviewers_that_cannot_be_told_are_refused() {
    for (configuration, said) in [
        ("[reviewers.ann]\n", "it names no place to tell them"),
        ("[reviewers.ann]\nemail = [\"ann@example.com\"]\n", "set alerts.smtp"),
        ("[reviewers.ann]\nwebhook = \"ftp://x\"\n", "http or https"),
        ("[reviewers.\"a b\"]\nwebhook = \"http://x\"\n", "is no name"),
        ("[reviewers.ann]\nwebhook = \"http://x\"\nquiet_hours = \"22-7\"\n", "22:00-07:00"),
        ("[reviewers.ann]\nwebhook = \"http://x\"\nquiet_hours = \"22:00-07:00\"\ntime_zone = \"Mars\"\n", "time zone"),
        ("[alerts]\nsmtp = \"mail.example.com\"\n", "smtps://"),
        ("[alerts]\nsmtp = \"smtps://mail.example.com\"\n", "alerts.mail_from"),
        ("[alerts]\nlink_secret = \"short\"\n", "at least 32"),
        (
            "public_url = \"https://x\"\n[stores]\npostgres_url = \"postgres://x\"\n[reviewers.ann]\nwebhook = \"http://x\"\n",
            "one secret",
        ),
    ] {
        let file = folder("alerts-refused").join("c.toml");
        std::fs::write(&file, configuration).unwrap();
        let out =
            crate::serve_world::bare(&["config", "check", "--config", file.to_str().unwrap()], &[]).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(!out.status.success() && text.contains(said), "{configuration}\n{text}");
    }
}
