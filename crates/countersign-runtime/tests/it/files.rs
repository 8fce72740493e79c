//! Files as they come from people, put before a model: what is read, what is told of the rest, and what is counted.

use countersign::contract::Language;
use countersign_runtime::sessions::{
    Analysis, Author, Extent, FileKind, Given, NewSession, Session, Sessions, ThingKind, Upload, sniff,
};
use countersign_runtime::store::Records;
use countersign_runtime::store::memory::{MemoryLog, MemoryRecords};
use countersign_runtime::stream::Hub;
use lopdf::content::{Content, Operation};
use lopdf::{EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary};
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;

struct House {
    sessions: Sessions,
    session: Session,
}

impl House {
    async fn new() -> Self {
        let hub = Hub::new(Arc::new(MemoryLog::default()), None, crate::streams::bench::options("here"));
        let records: Arc<dyn Records> = Arc::new(MemoryRecords::default());
        let sessions = Sessions::new(records, hub);
        let new = NewSession {
            agent: "concierge".to_owned(),
            user: None,
            caller: String::new(),
            model: None,
            tools: Vec::new(),
            context: Value::Null,
        };
        let session = sessions.create(new).await.unwrap();
        Self { sessions, session }
    }

    /// Uploads a file as the service does, and gives what a model would see of it.
    async fn given(&self, name: &str, bytes: Vec<u8>) -> Given {
        let sniff::Sniffed::Taken { media } = sniff::sniff(name, None, &bytes) else { panic!("{name} was refused") };
        let upload = Upload { name: name.to_owned(), media, bytes: bytes.into() };
        let kept = self.sessions.save_file(&self.session, upload).await.unwrap();
        let mut told = self.sessions.resolve(&self.session, Vec::new(), vec![kept.file_id]).await.unwrap();
        told.given.remove(0)
    }

    fn counted(&self, kind: &str, outcome: &str) -> u64 {
        self.sessions.hub().options.metrics.analyses.of([kind, outcome]).value()
    }
}

/// A PDF with one line, or without any, encrypted for whoever has the password.
fn pdf(line: &str, password: Option<&str>) -> Vec<u8> {
    let mut pdf = lopdf::Document::with_version("1.5");
    let parent = pdf.new_object_id();
    let font = pdf.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = pdf.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let operations = vec![
        Operation::new("BT", vec![]),
        Operation::new("Tf", vec!["F1".into(), 12.into()]),
        Operation::new("Td", vec![50.into(), 700.into()]),
        Operation::new("Tj", vec![Object::string_literal(line)]),
        Operation::new("ET", vec![]),
    ];
    let content = pdf.add_object(Stream::new(dictionary! {}, Content { operations }.encode().unwrap()));
    let page = dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content, "Resources" => resources };
    let page = pdf.add_object(page);
    let pages = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
    pdf.objects.insert(parent, Object::Dictionary(pages));
    let catalog = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    pdf.trailer.set("Root", catalog);
    let id = || Object::string_literal("0123456789abcdef");
    pdf.trailer.set("ID", Object::Array(vec![id(), id()]));
    if let Some(user_password) = password {
        let version = EncryptionVersion::V2 {
            document: &pdf,
            owner_password: "owner",
            user_password,
            key_length: 128,
            permissions: Permissions::PRINTABLE,
        };
        let state = EncryptionState::try_from(version).unwrap();
        pdf.encrypt(&state).unwrap();
    }
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}

/// An office document: an archive of parts.
fn office(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn wide(text: &str) -> Vec<u8> {
    [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
}

// STREAM-8: text, Markdown, tables, JSON and PDF in the encodings that people have.
#[tokio::test]
async fn files_of_people_are_read() {
    let house = House::new().await;
    // 名称,数值 / 茶,3 in GBK.
    let old = b"\xc3\xfb\xb3\xc6,\xca\xfd\xd6\xb5\n\xb2\xe8,3\n".to_vec();
    let document = "<w:document><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr><w:r><w:t>茶</w:t></w:r></w:p>\
        <w:p><w:r><w:t>Tea grew by three.</w:t></w:r></w:p></w:body></w:document>";
    let document = office(&[("word/document.xml", document)]);
    let workbook = office(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name=\"Sales\" r:id=\"r1\"/></sheets></workbook>"),
        ("xl/_rels/workbook.xml.rels", "<R><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.xml\"/></R>"),
        (
            "xl/s.xml",
            "<worksheet><row><c t=\"inlineStr\"><is><t>茶</t></is></c><c><f>1+2</f><v>3</v></c></row></worksheet>",
        ),
    ]);
    for (name, bytes, kind, said) in [
        ("report.docx", document, FileKind::Office, "# 茶\n\nTea grew by three."),
        ("sales.xlsx", workbook, FileKind::Office, "## Sales\n茶\t3"),
        ("plan.txt", b"Buy tea.".to_vec(), FileKind::Text, "Buy tea."),
        ("wide.txt", wide("茶 and tea"), FileKind::Text, "茶 and tea"),
        ("notes.md", "# 标题\nwords".as_bytes().to_vec(), FileKind::Markdown, "# 标题"),
        ("marked.json", b"\xef\xbb\xbf{\"tea\": 3}".to_vec(), FileKind::Json, "{\"tea\": 3}"),
        ("lines.jsonl", b"{\"a\":1}\n{\"a\":2}\n".to_vec(), FileKind::Json, "{\"a\":2}"),
        ("old.csv", old, FileKind::Table, "名称,数值\n茶,3"),
        ("wide.tsv", wide("名\t值\n茶\t3"), FileKind::Table, "名\t值"),
        ("paper.pdf", pdf("Tea grew by three.", None), FileKind::Pdf, "Tea grew by three."),
        // Everybody may open it; only its owner may change it.
        ("locked-for-changes.pdf", pdf("Read me.", Some("")), FileKind::Pdf, "Read me."),
    ] {
        let given = house.given(name, bytes).await;
        assert_eq!((given.kind(), given.analysis()), (Some(kind), Analysis::Text), "{name}: {given:?}");
        for language in [Language::English, Language::Chinese] {
            let told = given.told(language);
            assert!(told.contains(said) && told.contains(name) && !told.contains('\u{feff}'), "{told}");
            assert!(told.contains(kind.instruction(language)) && !kind.instruction(language).is_empty(), "{told}");
        }
    }
    assert_eq!(
        (house.counted("table", "text"), house.counted("pdf", "text"), house.counted("office", "text")),
        (2, 2, 2)
    );
}

// STREAM-8: what cannot be read is told with its reason, never guessed, never a failure of the turn.
#[tokio::test]
async fn what_cannot_be_read_says_why() {
    let house = House::new().await;
    let mut broken = pdf("Tea grew.", None);
    broken.truncate(broken.len() / 3);
    let zip = [b"PK\x03\x04".as_slice(), &[0; 26], b"docProps/app.xml", &[0; 200]].concat();
    let hollow = office(&[("word/document.xml", "<w:document><w:body><w:p/></w:body></w:document>")]);
    for (name, bytes, kind, why) in [
        ("secret.pdf", pdf("Tea grew.", Some("tea")), FileKind::Pdf, "encrypted and needs a password"),
        ("broken.pdf", broken, FileKind::Pdf, ""),
        ("scan.pdf", pdf("", None), FileKind::Pdf, "scanned pages"),
        ("letter.docx", zip, FileKind::Office, "damaged"),
        ("empty.docx", hollow, FileKind::Office, "no text"),
        ("other.xlsx", office(&[("readme.txt", "hello")]), FileKind::Office, "neither a .docx nor an .xlsx"),
        ("photo.bmp", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec(), FileKind::Image, "PNG, JPEG"),
        ("data.dat", vec![0, 1, 2, 255, 254, 0], FileKind::Other, "it is not text"),
        ("empty.txt", b" \n".to_vec(), FileKind::Text, "empty"),
    ] {
        let given = house.given(name, bytes).await;
        let Given::Opaque { kind: found, why: reason, .. } = &given else { panic!("{name}: {given:?}") };
        assert_eq!(*found, kind, "{name}");
        assert!(reason.contains(why) && !reason.is_empty(), "{name}: {reason}");
        assert!(given.told(Language::English).contains("do not guess"), "{name}");
        assert!(given.told(Language::Chinese).contains(reason.as_str()), "{name}");
    }
    assert_eq!((house.counted("pdf", "unreadable"), house.counted("office", "unreadable")), (3, 3));
    assert_eq!(house.counted("image", "unreadable"), 1);
}

// STREAM-8: a table of millions of cells is cut between two lines, and the model is told how much it sees.
#[tokio::test]
async fn a_huge_table_is_cut_between_lines() {
    let house = House::new().await;
    let mut rows = String::from("name,value\n");
    (0..400_000).for_each(|row| rows.push_str(&format!("茶{row},{row}\n")));
    let given = house.given("huge.csv", rows.into_bytes()).await;
    let Given::Text { content, extent: Extent::Lines { shown, of }, .. } = &given else { panic!("no table") };
    assert!(content.len() <= 256 * 1024 && *of == 400_001 && *shown == content.lines().count());
    let last = content.lines().last().unwrap();
    let (name, value) = last.split_once(',').unwrap();
    assert_eq!(name, format!("茶{value}"), "no row is half there");
    assert!(given.told(Language::English).ends_with(&format!("{shown} of 400001 lines are shown]")));
    let long = house.given("long.json", format!("[{}1]", "1,".repeat(400_000)).into_bytes()).await;
    assert_eq!(long.analysis(), Analysis::Cut);
    assert_eq!((house.counted("table", "cut"), house.counted("json", "cut")), (1, 1));
}

// STREAM-8: pictures are shown, and a model that takes none is told so.
#[tokio::test]
async fn pictures_are_shown_or_told_of() {
    let house = House::new().await;
    let given = house.given("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()).await;
    assert!(matches!(&given, Given::Picture { media, .. } if media == "image/png"));
    assert!(given.told(Language::English).contains("photo.png"));
    let unseen = given.unseen();
    assert!(unseen.told(Language::English).contains("does not take pictures"), "{unseen:?}");
    assert_eq!(house.counted("image", "picture"), 1);
    house.sessions.count_analysis(FileKind::Image, Analysis::RefusedByModel);
    let page = house.sessions.hub().options.metrics.page();
    assert!(page.contains("countersign_file_analyses_total{kind=\"image\",outcome=\"refused_by_model\"} 1"), "{page}");
}

// STREAM-5: the oldest first, and the last of one name, however many are kept within one millisecond.
#[tokio::test]
async fn what_is_kept_at_once_keeps_its_order() {
    let House { sessions, session } = House::new().await;
    let id = session.session_id.as_str();
    let mut kept = Vec::new();
    for number in (0..300).rev() {
        sessions.save_note(id, Author::Person, "plan", &format!("{number}")).await.unwrap();
        let material = format!("{number}");
        sessions.save_material(id, Author::Person, Some(&material), None, &material).await.unwrap();
        kept.push(material);
    }
    for kind in [ThingKind::Note, ThingKind::Material] {
        let listed: Vec<_> = sessions.things(kind, id).await.unwrap().into_iter().map(|thing| thing.content).collect();
        assert_eq!(listed, kept[..listed.len()], "{kind:?}");
    }
    assert_eq!(sessions.thing_named(ThingKind::Note, id, "plan").await.unwrap().content, "0");
}
