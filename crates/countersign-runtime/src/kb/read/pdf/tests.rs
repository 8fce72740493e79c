//! PDF files made for the purpose, whole and broken.

use super::{read, read_within};
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Object, Stream, dictionary};
use std::time::Duration;

/// A PDF of one page for each list of instructions.
fn pdf(font: Dictionary, pages: Vec<Vec<Operation>>) -> Vec<u8> {
    let mut pdf = lopdf::Document::with_version("1.5");
    let parent = pdf.new_object_id();
    let font = pdf.add_object(font);
    let resources = pdf.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let mut kids: Vec<Object> = Vec::new();
    for operations in pages {
        let content = pdf.add_object(Stream::new(dictionary! {}, Content { operations }.encode().unwrap()));
        let page =
            dictionary! { "Type" => "Page", "Parent" => parent, "Contents" => content, "Resources" => resources };
        kids.push(pdf.add_object(page).into());
    }
    let count = i64::try_from(kids.len()).unwrap();
    let root = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    pdf.objects.insert(parent, Object::Dictionary(root));
    let catalog = pdf.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    pdf.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    pdf.save_to(&mut bytes).unwrap();
    bytes
}

fn helvetica() -> Dictionary {
    dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding" }
}

fn op(operator: &str, operands: Vec<Object>) -> Operation {
    Operation::new(operator, operands)
}

fn say(text: &str) -> Operation {
    op("Tj", vec![Object::string_literal(text)])
}

fn begin(x: i64, y: i64) -> Vec<Operation> {
    vec![op("BT", vec![]), op("Tf", vec!["F1".into(), 10.into()]), op("Td", vec![x.into(), y.into()])]
}

fn blocks(bytes: Vec<u8>) -> Vec<(String, String)> {
    let document = read(bytes).unwrap();
    document.blocks.iter().map(|b| (b.headings.join("/"), document.text[b.range.clone()].to_owned())).collect()
}

// CLAIM-3
#[test]
fn lines_words_and_paragraphs_come_from_where_text_stands() {
    let mut page = begin(50, 700);
    page.extend([say("Revenue grew by 12.5% in exam-"), op("Td", vec![0.into(), (-12).into()]), say("ple year 2024.")]);
    page.extend([op("Td", vec![0.into(), (-12).into()]), say("Next line"), op("Td", vec![0.into(), (-40).into()])]);
    let spaced = vec![
        Object::string_literal("Two"),
        (-400).into(),
        Object::string_literal("wo"),
        20.into(),
        Object::string_literal("rds"),
    ];
    page.extend([op("TJ", vec![Object::Array(spaced)]), op("ET", vec![])]);
    let mut second = begin(50, 700);
    second.push(say("Second page"));
    let found = blocks(pdf(helvetica(), vec![page, second]));
    let expected = [
        ("page 1", "Revenue grew by 12.5% in example year 2024.\nNext line"),
        ("page 1", "Two words"),
        ("page 2", "Second page"),
    ];
    assert_eq!(found, expected.map(|(page, text)| (page.to_owned(), text.to_owned())));
}

#[test]
fn chinese_is_read_from_unicode_and_from_the_old_encodings() {
    let wide: Vec<u8> = "营收3.4亿元".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let (old, ..) = encoding_rs::GB18030.encode("营收3.4亿元");
    for (encoding, bytes) in [("UniGB-UCS2-H", wide), ("GBK-EUC-H", old.into_owned())] {
        let font =
            dictionary! { "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "SimSun", "Encoding" => encoding };
        let mut page = begin(50, 700);
        page.push(op("Tj", vec![Object::String(bytes, lopdf::StringFormat::Hexadecimal)]));
        assert_eq!(blocks(pdf(font, vec![page]))[0].1, "营收3.4亿元", "{encoding}");
    }
}

#[test]
fn broken_files_give_a_reason() {
    let mut page = begin(50, 700);
    page.push(say("Some text"));
    let whole = pdf(helvetica(), vec![page]);
    for cut in (0..whole.len()).step_by(7) {
        let _ = read(whole[..cut].to_vec());
        let mut flipped = whole.clone();
        flipped[cut] ^= 0x55;
        let _ = read(flipped);
    }
    assert!(read(b"%PDF-1.7 nothing".to_vec()).is_err());
    assert!(read(pdf(helvetica(), vec![vec![]])).unwrap_err().contains("no text"));
}

#[test]
fn a_bomb_and_a_loop_do_not_hold_us_up() {
    // A page tree that contains itself.
    let mut loops = pdf(helvetica(), vec![vec![say("x")]]);
    let text = String::from_utf8_lossy(&loops).into_owned();
    if let Some(at) = text.find("/Kids[") {
        let digits: usize = text[at + 6..].chars().take_while(char::is_ascii_digit).count();
        loops[at + 6..at + 6 + digits].fill(b'1');
    }
    let _ = read(loops);
    // A stream that would inflate to 48 MiB.
    let mut bomb = lopdf::Document::load_mem(&pdf(helvetica(), vec![vec![say("x")]])).unwrap();
    let id = *bomb.objects.iter().find(|(_, o)| o.as_stream().is_ok()).unwrap().0;
    let mut stream = Stream::new(dictionary! {}, vec![b' '; 48 << 20]);
    stream.compress().unwrap();
    bomb.objects.insert(id, Object::Stream(stream));
    let mut bytes = Vec::new();
    bomb.save_to(&mut bytes).unwrap();
    assert!(bytes.len() < 1 << 20 && read(bytes).is_err());
}

#[test]
fn a_deadline_is_kept() {
    let mut page = begin(50, 700);
    page.push(say("x"));
    let bytes = pdf(helvetica(), vec![page; 50]);
    assert!(read_within(bytes, Duration::ZERO).is_err());
}
