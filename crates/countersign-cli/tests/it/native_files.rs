//! Files, notes and materials: taken or refused, given out safely, and put before the model only where they belong.

use crate::native_upstream::text;
use crate::native_world::{World, one};
use crate::serve_world::{Answer, Server, folder};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Uploads a file as browsers do.
pub(crate) fn upload(server: &Server, session: &str, name: &str, media: &str, bytes: &[u8]) -> Answer {
    let name = name.replace('"', "%22");
    let head = format!(
        "--b0undary\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\ncontent-type: {media}\r\n\r\n"
    );
    let form = [head.as_bytes(), bytes, b"\r\n--b0undary--\r\n"].concat();
    let request = format!(
        "POST /v1/sessions/{session}/files HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\
         content-type: multipart/form-data; boundary=b0undary\r\n\r\n",
        server.address,
        form.len()
    );
    server.say(&[request.as_bytes(), &form].concat())
}

fn taken(world: &World, session: &str, name: &str, bytes: &[u8]) -> String {
    let made = upload(&world.server, session, name, "application/octet-stream", bytes);
    assert_eq!(made.status, 201, "{name}: {}", made.body);
    made.json()["file_id"].as_str().unwrap().to_owned()
}

// STREAM-8, T36: .pptx 415; 10 MiB 201; one byte more 413; unknown 404; another's 403.
#[test]
fn files_are_taken_and_refused_as_promised() {
    let (data, temporary) = (folder("native-files"), folder("native-files-temporary"));
    let variables = [("TMPDIR", temporary.to_str().unwrap())];
    let upstream = std::sync::Arc::new(crate::native_upstream::Upstream::start());
    let world = World::again(&data, &upstream, &[], &variables);
    let [mine, other] = [(); 2].map(|()| world.session(json!({})));
    let before = names(&data);
    let file = upload(&world.server, &mine, "报告 \"1\".md", "text/plain", "# 标题".as_bytes());
    assert_eq!(file.status, 201, "{}", file.body);
    let file = file.json();
    assert_eq!((&file["type"], &file["size"]), (&json!("text/markdown"), &json!(8)));
    let id = file["file_id"].as_str().unwrap();
    let given = world.server.get(&format!("/v1/sessions/{mine}/files/{id}"));
    assert_eq!((given.status, given.body.as_str(), given.header("content-type")), (200, "# 标题", "text/markdown"));
    assert_eq!(given.header("x-content-type-options"), "nosniff");
    assert!(given.header("content-disposition").starts_with("attachment; filename*=UTF-8''%E6%8A%A5"), "{given:?}");
    assert_eq!(upload(&world.server, &mine, "slides.pptx", "", b"x").status, 415);
    let large = vec![b'a'; 10 << 20];
    taken(&world, &mine, "large.txt", &large);
    let over = upload(&world.server, &mine, "large.txt", "", &[large.as_slice(), b"b"].concat());
    assert_eq!((over.status, over.error().as_str()), (413, "too_large"));
    for method in ["GET", "DELETE"] {
        let at =
            |session: &str, id: &str| world.server.ask(method, &format!("/v1/sessions/{session}/files/{id}"), &[], "");
        assert_eq!(at(&mine, "file_nobody").status, 404);
        assert_eq!(at(&other, id).status, 403);
        assert_eq!(at("ses_nobody", id).status, 404);
    }
    assert_eq!(upload(&world.server, "ses_nobody", "a.txt", "", b"x").status, 404);
    let listed = world.server.get(&format!("/v1/sessions/{mine}/files")).json();
    assert_eq!(listed["files"].as_array().unwrap().len(), 2);
    assert_eq!(world.delete(&format!("/v1/sessions/{mine}/files/{id}")).status, 204);
    assert_eq!(world.delete(&format!("/v1/sessions/{mine}/files/{id}")).status, 404);
    assert_eq!(names(&data), before, "no file is left but the database");
    assert_eq!(names(&temporary), Vec::<String>::new(), "no temporary file was left");
    let page = world.server.get("/metrics").body;
    for counted in ["kind=\"markdown\",outcome=\"kept\"} 1", "kind=\"text\",outcome=\"kept\"} 1"] {
        assert!(page.contains(&format!("countersign_uploads_total{{{counted}")), "{page}");
    }
    for counted in ["outcome=\"refused\"} 1", "outcome=\"too_large\"} 1"] {
        assert!(page.contains(&format!("countersign_uploads_total{{kind=\"other\",{counted}")), "{page}");
    }
}

fn names(data: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(data).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    // The look at the disk writes a file and removes it, whenever it likes.
    names.retain(|name| !name.starts_with(".health-"));
    names.sort();
    names
}

// STREAM-8: name or content is enough to refuse, however the name is dressed; the name that is kept is the one judged.
#[test]
fn what_must_not_come_in_does_not() {
    let world = World::shared();
    let session = world.session(json!({}));
    let long = format!("{}.exe.txt", "a".repeat(196));
    for name in [
        "a.exe",
        "A.DLL",
        "x.so",
        "x.bat",
        "x.sh",
        "x.msi",
        "x.mp3",
        "x.MP4",
        "x.doc",
        "x.xls",
        "x.ppt",
        "x.docm",
        "x.XLSM",
        "x.exe.",
        "../x.exe",
        "C:\\x.exe",
        "x.exe ",
        "x.e\u{85}xe",
        "x.ex\te",
        &long,
    ] {
        let answer = upload(&world.server, &session, name, "text/plain", b"plain words");
        assert_eq!(answer.status, 415, "{name:?}: {}", answer.body);
    }
    let zip = [b"PK\x03\x04".as_slice(), &[0; 26], b"ppt/slides/slide1.xml"].concat();
    for (bytes, what) in [
        (b"MZ\x90\x00".to_vec(), "a program"),
        (b"\x7fELF\x02\x01".to_vec(), "a program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "an old document"),
        (zip, "a presentation"),
        ([b"PK\x03\x04".as_slice(), &[0; 26], b"word/vbaProject.bin"].concat(), "a document with macros"),
        (b"ID3\x03\x00\x00\x00\x00\x00\x00".to_vec(), "a song"),
    ] {
        assert_eq!(upload(&world.server, &session, "photo.png", "image/png", &bytes).status, 415, "{what}");
    }
    assert_eq!(upload(&world.server, &session, "x.bin2", "video/mp4", b"x").status, 415);
    let body = |body: &str| {
        let headers = [("content-type", "multipart/form-data; boundary=b")];
        world.server.ask("POST", &format!("/v1/sessions/{session}/files"), &headers, body).status
    };
    for form in [
        "",
        "--b--\r\n",
        "--b\r\ncontent-disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b--\r\n",
        "--b\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\nno name\r\n--b--\r\n",
        "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ncut off",
    ] {
        assert_eq!(body(form), 400, "{form:?}");
    }
    assert_eq!(world.server.post(&format!("/v1/sessions/{session}/files"), "{}").status, 400, "no form");
    let listed = world.server.get(&format!("/v1/sessions/{session}/files")).json();
    assert_eq!(listed["files"], json!([]));
}

/// A .docx of one paragraph.
fn letter(words: &str) -> Vec<u8> {
    let document = format!("<w:document><w:body><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:body></w:document>");
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(document.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

// STREAM-8: what the text of a 415 invites is read, and what could not be read is said in the stream.
#[test]
fn office_documents_are_read_and_broken_ones_are_said() {
    let world = World::shared();
    let session = world.session(json!({}));
    let refused = upload(&world.server, &session, "old.doc", "", b"x");
    assert!(refused.status == 415 && refused.body.contains(".docx, .xlsx, .pdf or text"), "{}", refused.body);
    let locked = [
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(),
        &"EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
    ]
    .concat();
    let refused = upload(&world.server, &session, "locked.docx", "", &locked);
    assert!(refused.status == 415 && refused.body.contains("password"), "{}", refused.body);
    let read = taken(&world, &session, "letter.docx", &letter("TEA-GREW"));
    let broken = taken(&world, &session, "broken.docx", b"PK\x03\x04 broken");
    let mark = world.upstream.on(vec![text(&["Read."])]);
    let events = { world.say_with(&session, json!({"content": mark, "files": [read, broken]})) }.rest();
    let told = one(&events, "warning");
    assert_eq!((told.word("code").as_str(), told.word("file").as_str()), ("file_unread", "broken.docx"));
    assert!(told.word("reason").contains("damaged"), "{told:?}");
    let asked = world.upstream.asked(&mark)[0].body.to_string();
    assert!(asked.contains("TEA-GREW") && asked.contains("broken.docx"), "{asked}");
    let page = world.server.get("/metrics").body;
    assert!(page.contains("countersign_file_analyses_total{kind=\"office\",outcome=\"unreadable\"}"), "{page}");
}

// STREAM-8: uploads that do not go on hold nobody up.
#[test]
fn slow_uploads_hold_nobody_up() {
    let world = World::shared();
    let session = world.session(json!({}));
    let head = format!(
        "POST /v1/sessions/{session}/files HTTP/1.1\r\nhost: x.localhost\r\ncontent-length: 900000\r\n\
         content-type: multipart/form-data; boundary=b\r\n\r\n--b\r\ncontent-disposition: form-data; name=\"file\"; \
         filename=\"a.txt\"\r\n\r\nslow"
    );
    let head = head.replace("x.localhost", &world.server.address);
    let slow: Vec<_> = (0..24)
        .map(|_| {
            let mut stream = world.server.connect();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    taken(&world, &session, "quick.txt", b"quick");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        assert!(stream.read(&mut [0; 1]).is_err(), "a slow upload is still waited for");
    }
}

// STREAM-5, T33: references to what is another session's are listed as invalid and do not reach the model.
#[test]
fn references_of_others_are_taken_out() {
    let world = World::shared();
    let [mine, other] = ["ann", "bob"].map(|user| world.session(json!({ "user": user })));
    let add = |session: &str, what: &str, body: Value| {
        let made = world.server.post(&format!("/v1/sessions/{session}/{what}"), &body.to_string());
        assert_eq!(made.status, 201, "{}", made.body);
        made.json()["id"].as_str().unwrap().to_owned()
    };
    let note = add(&mine, "notes", json!({"name": "plan", "content": "MY-PLAN"}));
    let material = add(&mine, "materials", json!({"content": "MY-MATERIAL"}));
    let file = taken(&world, &mine, "data.csv", b"MY,FILE\n1,2\n");
    let theirs = add(&other, "notes", json!({"name": "secret", "content": "THEIR-SECRET"}));
    let stolen = taken(&world, &other, "secret.txt", b"THEIR-FILE");
    let mark = world.upstream.on(vec![text(&["Read."])]);
    let events = world.say_with(
        &mine,
        json!({
            "content": mark,
            "references": [
                {"type": "note", "id": note},
                {"type": "note", "name": "plan"},
                {"type": "material", "id": material, "session_id": mine},
                {"type": "file", "name": "data.csv"},
                {"type": "note", "id": theirs},
                {"type": "note", "id": theirs, "session_id": other},
                {"type": "note", "name": "secret", "session_id": other},
                {"type": "note", "id": note, "session_id": other},
                {"type": "note", "id": format!("../{other}/{theirs}")},
                {"type": "material", "id": "99"},
                {"type": "note"},
                {"type": "file", "id": stolen},
            ],
            "files": [file, stolen, "file_nobody"],
        }),
    );
    let events = { events }.rest();
    assert_eq!(events[0].kind(), "references", "the turn's first event");
    let told = one(&events, "references");
    let count = |field: &str| told.payload(field).as_array().unwrap().len();
    assert_eq!((count("valid"), count("invalid")), (5, 10), "{told:?}");
    let asked = world.upstream.asked(&mark)[0].body.to_string();
    for given in ["MY-PLAN", "MY-MATERIAL", "MY,FILE"] {
        assert!(asked.contains(given), "{given} in {asked}");
    }
    assert!(!asked.contains("THEIR") && !asked.contains(&theirs) && !asked.contains(&stolen), "{asked}");
    let plain = world.turn(&mine, "Hello", vec![text(&["Hi."])]);
    assert!(plain.iter().all(|event| event.kind() != "references"), "nothing was referred to");
    assert_eq!(
        world.say_with(&mine, json!({"content": "x", "references": [{"type": "secret", "id": "1"}]})).status,
        400
    );
}

// STREAM-5: notes and materials: kept, read, removed, each in its own session.
#[test]
fn notes_and_materials_belong_to_their_session() {
    let world = World::shared();
    let [mine, other] = [(); 2].map(|()| world.session(json!({})));
    let add = |what: &str, body: Value| world.server.post(&format!("/v1/sessions/{mine}/{what}"), &body.to_string());
    let note = add("notes", json!({"name": "计划", "content": "x\ny"})).json();
    let id = note["id"].as_str().unwrap();
    assert_eq!(note, world.server.get(&format!("/v1/sessions/{mine}/notes/{id}")).json());
    assert_eq!(world.server.get(&format!("/v1/sessions/{mine}/notes")).json()["notes"], json!([note]));
    for path in [format!("{other}/notes/{id}"), format!("{mine}/materials/{id}")] {
        assert_eq!(world.server.get(&format!("/v1/sessions/{path}")).status, 404);
        assert_eq!(world.delete(&format!("/v1/sessions/{path}")).status, 404);
    }
    let ids = [
        json!({"content": "a"}),
        json!({"id": 7, "content": "b"}),
        json!({"content": "c"}),
        json!({"id": "7", "content": "d"}),
    ]
    .map(|body| add("materials", body).json()["id"].clone());
    assert_eq!(ids, ["1", "7", "8", "7"].map(|id| json!(id)));
    let listed = world.server.get(&format!("/v1/sessions/{mine}/materials")).json()["materials"].clone();
    let contents: Vec<_> = listed.as_array().unwrap().iter().map(|kept| kept["content"].clone()).collect();
    assert_eq!(contents, ["a", "c", "d"], "the same number again replaces it");
    assert_eq!(world.server.get(&format!("/v1/sessions/{mine}/materials/7")).json()["name"], "material7");
    for id in [json!("../x"), json!("a/b"), json!(""), json!("x".repeat(65)), json!(true), json!("a\u{0}")] {
        let status = add("materials", json!({"id": id, "content": "x"})).status;
        assert_eq!(status, if id == "" { 201 } else { 400 }, "{id}");
    }
    // PARSE-5: what says nothing is not kept.
    assert_eq!(add("notes", json!({"name": "n"})).status, 400);
    for (what, body) in [("notes", json!({"name": "n", "content": " \n"})), ("materials", json!({"content": ""}))] {
        let refused = add(what, body);
        assert_eq!(refused.status, 400, "{what}");
        assert_eq!(refused.json()["error"]["param"], "content", "{}", refused.body);
    }
    assert_eq!(world.delete(&format!("/v1/sessions/{mine}/notes/{id}")).status, 204);
    assert_eq!(world.server.get(&format!("/v1/sessions/{mine}/notes/{id}")).status, 404);
}
