//! Office documents made for the purpose, whole, broken and hostile.

use super::package::{Main, Package};
use super::{docx, read, text_of};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive of parts, packed as Word and Excel pack.
fn pack(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn relations(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.example/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/>"
        )
    };
    format!("<Relationships>{}</Relationships>", all.iter().map(one).collect::<String>())
}

/// A .docx with this body, and other parts beside it.
fn docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let root = relations(&[("rId1", "officeDocument", "word/document.xml")]);
    let beside = relations(&[
        ("rId1", "styles", "styles.xml"),
        ("rId2", "numbering", "numbering.xml"),
        ("rId3", "footnotes", "footnotes.xml"),
        ("rId4", "header", "header1.xml"),
        ("rId5", "header", "header2.xml"),
        ("rId6", "footer", "/word/footer1.xml"),
    ]);
    let document = format!("<?xml version=\"1.0\"?><w:document xmlns:w=\"x\"><w:body>{body}</w:body></w:document>");
    let mut parts = vec![
        ("_rels/.rels", root.as_str()),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", &beside),
    ];
    parts.extend(more);
    pack(&parts)
}

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

const STYLES: &str = "<w:styles xmlns:w=\"x\"><w:style w:styleId=\"1\"><w:name w:val=\"heading 1\"/></w:style>\
        <w:style w:styleId=\"ListBullet\"><w:name w:val=\"List Bullet\"/><w:pPr><w:numPr><w:numId w:val=\"7\"/></w:numPr></w:pPr></w:style></w:styles>";
const LISTS: &str = "<w:numbering xmlns:w=\"x\"><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/></w:lvl></w:abstractNum>\
        <w:abstractNum w:abstractNumId=\"1\"><w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"bullet\"/></w:lvl></w:abstractNum>\
        <w:num w:numId=\"5\"><w:abstractNumId w:val=\"0\"/></w:num><w:num w:numId=\"7\"><w:abstractNumId w:val=\"1\"/></w:num></w:numbering>";

/// A heading, a paragraph with a note, lists, a table in a table, and a second heading.
fn annual_report() -> String {
    let styled = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let numbered = |text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"5\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
        )
    };
    let cell = |text: &str| format!("<w:tc><w:tcPr/>{}</w:tc>", p(text));
    let inner = format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("i1"), cell("i2"));
    let table = format!(
        "<w:tbl><w:tblPr/><w:tr>{}{}</w:tr><w:tr><w:tc><w:tcPr><w:gridSpan w:val=\"2\"/></w:tcPr>{inner}{}</w:tc></w:tr></w:tbl>",
        cell("City"),
        cell("Count"),
        p("")
    );
    [
        styled("1", "营收 &amp; more"),
        "<w:p><w:r><w:t xml:space=\"preserve\">Revenue </w:t></w:r><w:r><w:t>grew&#46;</w:t><w:footnoteReference w:id=\"2\"/></w:r></w:p>".to_owned(),
        styled("ListBullet", "first"),
        numbered("one"),
        numbered("two"),
        table,
        styled("Heading2", "Outlook"),
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>".to_owned(),
    ]
    .concat()
}

// STREAM-8: headings, paragraphs, lists and tables in reading order.
#[test]
fn a_document_is_read_in_order() {
    let body = annual_report();
    let notes = format!(
        "<w:footnotes xmlns:w=\"x\"><w:footnote w:type=\"separator\" w:id=\"0\">{}</w:footnote><w:footnote w:id=\"2\">{}</w:footnote></w:footnotes>",
        p("---"),
        p("Unaudited.")
    );
    let around = |name: &str, text: &str| format!("<w:{name} xmlns:w=\"x\">{}</w:{name}>", p(text));
    let (header, footer) = (around("hdr", "Draft"), around("ftr", "Page 1"));
    let bytes = docx(
        &body,
        &[
            ("word/styles.xml", STYLES),
            ("word/numbering.xml", LISTS),
            ("word/footnotes.xml", &notes),
            ("word/header1.xml", &header),
            ("word/header2.xml", &header),
            ("word/footer1.xml", &footer),
        ],
    );
    let text = text_of(&bytes).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "Header: Draft",
            "# 营收 & more",
            "Revenue grew.[^2]",
            "- first",
            "1. one",
            "2. two",
            "| City | Count |",
            "| i1 | i2 |  |",
            "## Outlook",
            "a\tb",
            "c",
            "[^2]: Unaudited.",
            "Footer: Page 1",
        ]
    );
    let document = read(&bytes).unwrap();
    let under = document.blocks.iter().find(|block| document.text[block.range.clone()].starts_with("a\tb")).unwrap();
    assert_eq!(under.headings.join("/"), "营收 & more/Outlook");
}

// STREAM-8: what a reader of the document does not see is not told.
#[test]
fn what_is_deleted_or_hidden_is_left_out() {
    let body = "<w:p><w:r><w:t>kept </w:t></w:r><w:ins><w:r><w:t>new </w:t></w:r></w:ins>\
        <w:del><w:r><w:delText>GONE</w:delText><w:t>GONE</w:t></w:r></w:del><w:moveFrom><w:r><w:t>GONE</w:t></w:r></w:moveFrom>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>GONE</w:t><w:tab/></w:r><w:r><w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t>seen</w:t></w:r>\
        <w:r><w:instrText>GONE</w:instrText></w:r></w:p>\
        <w:p><w:pPr><w:rPr><w:vanish/><w:del w:id=\"1\"/></w:rPr><w:pPrChange><w:pPr><w:pStyle w:val=\"Heading1\"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>plain</w:t></w:r></w:p>\
        <w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
        <mc:Fallback><w:p><w:r><w:t>GONE</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>around</w:t></w:r></w:p>";
    let text = text_of(&docx(body, &[])).unwrap();
    assert_eq!(
        text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>(),
        ["kept new seen", "plain", "box", "around"]
    );
}

/// An .xlsx with these sheets: name, state, rows as XML.
fn xlsx(sheets: &[(&str, &str, &str)], more: &[(&str, &str)]) -> Vec<u8> {
    let root = relations(&[("rId1", "officeDocument", "/xl/workbook.xml")]);
    let listed: String = (1..)
        .zip(sheets)
        .map(|(at, (name, state, _))| format!("<sheet name=\"{name}\" sheetId=\"{at}\" {state} r:id=\"r{at}\"/>"))
        .collect();
    let workbook = format!("<workbook xmlns:r=\"y\"><sheets>{listed}</sheets></workbook>");
    let parts: Vec<(String, String, String)> = (1..)
        .zip(sheets)
        .map(|(at, (_, _, rows))| {
            (
                format!("r{at}"),
                format!("xl/worksheets/sheet{at}.xml"),
                format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
            )
        })
        .collect();
    let targets: Vec<String> = parts.iter().map(|(_, name, _)| name.trim_start_matches("xl/").to_owned()).collect();
    let mut beside: Vec<(&str, &str, &str)> =
        parts.iter().zip(&targets).map(|((id, ..), target)| (id.as_str(), "worksheet", target.as_str())).collect();
    beside.extend([("s1", "sharedStrings", "sharedStrings.xml"), ("s2", "styles", "styles.xml")]);
    let beside = relations(&beside);
    let mut all = vec![
        ("_rels/.rels", root.as_str()),
        ("xl/workbook.xml", workbook.as_str()),
        ("xl/_rels/workbook.xml.rels", beside.as_str()),
    ];
    all.extend(parts.iter().map(|(_, name, content)| (name.as_str(), content.as_str())));
    all.extend(more);
    pack(&all)
}

// STREAM-8: sheets with their names, rows, dates as dates, formulas by their saved values.
#[test]
fn a_workbook_is_read_sheet_by_sheet() {
    let strings = "<sst><si><t>City</t></si><si><r><t>Cou</t></r><r><t>nt</t></r><rPh><t>GONE</t></rPh></si><si><t>Day</t></si></sst>";
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>\
        <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"10\"/></cellXfs></styleSheet>";
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>2</v></c></row>\
        <row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>Oslo\nwest</t></is></c><c r=\"B2\"><f>SUM(1,2)</f><v>3</v></c><c r=\"C2\" s=\"1\"><v>45352</v></c></row>\
        <row r=\"5\"><c r=\"B5\" s=\"2\"><v>0.25</v></c><c r=\"C5\" t=\"b\"><v>1</v></c><c r=\"D5\" t=\"e\"><v>#DIV/0!</v></c><c r=\"E5\"><f>A1+1</f></c><c r=\"ZZ5\"><v>0.10000000000000001</v></c></row>\
        <row r=\"6\"><c r=\"A6\"/></row>";
    let bytes = xlsx(
        &[("Sales", "", rows), ("秘密", "state=\"hidden\"", "<row><c><v>7</v></c></row>")],
        &[("xl/sharedStrings.xml", strings), ("xl/styles.xml", styles)],
    );
    let text = text_of(&bytes).unwrap();
    assert_eq!(
        text,
        "## Sales\nCity\tCount\tDay\nOslo west\t3\t2024-03-01\n\t25%\tTRUE\t#DIV/0!\t=A1+1\t[ZZ] 0.1\n\n## 秘密 (hidden sheet)\n7\n"
    );
    let document = read(&bytes).unwrap();
    let first = &document.blocks[0];
    assert_eq!(&document.text[first.range.clone()], "City: Oslo west; Count: 3; Day: 2024-03-01");
    assert_eq!(first.headings.join("/"), "Sales");
}

// STREAM-8: hostile documents are a reason in words, and cost little.
#[test]
fn hostile_documents_are_refused_in_words() {
    let began = std::time::Instant::now();
    let why = |bytes: &[u8]| text_of(bytes).unwrap_err();
    let entities = "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><w:document><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>";
    assert!(why(&pack(&[("word/document.xml", entities)])).contains("document type"));
    assert!(why(&docx(&"<w:sdt>".repeat(100_000), &[])).contains("too deep"));
    assert!(why(&docx("<w:p><w:r><w:t>cut", &[])).contains("damaged"));
    assert!(why(&docx("", &[])).contains("no text"));
    assert!(why(b"PK\x03\x04 and then nothing").contains("damaged"));
    assert!(why(&pack(&[("readme.txt", "hello")])).contains("neither"));
    assert!(why(&pack(&[("word/document.xml", "not xml at all")])).contains("neither"));
    let whole = docx(&p("words"), &[]);
    for cut in (0..whole.len()).step_by(7) {
        let _ = text_of(&whole[..cut]);
    }
    for at in (0..whole.len()).step_by(3) {
        let mut bent = whole.clone();
        bent[at] ^= 0x55;
        let _ = text_of(&bent);
    }
    // One string, a million times: it comes out as text, within its bound.
    let long = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(100_000));
    let rows = format!("<row>{}</row>", "<c t=\"s\"><v>0</v></c>".repeat(2_000)).repeat(2);
    assert!(why(&xlsx(&[("a", "", &rows)], &[("xl/sharedStrings.xml", &long)])).contains("more than"));
    let far = "<row r=\"99999999999\"><c r=\"XFD1048576\"><v>1</v></c><c r=\"AAAAAAAA1\"><v>2</v></c><c r=\"\"><v>3</v></c></row>";
    assert_eq!(text_of(&xlsx(&[("a", "", far)], &[])).unwrap(), "## a\n[XFD] 1\t2\t3\n");
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
}

// STREAM-8: an archive that unpacks to far more than it is, and one with too many parts.
#[test]
fn bombs_do_not_go_off() {
    let mut body = p("words");
    body.push_str(&" ".repeat(2 << 20));
    let bomb = docx(&body, &[]);
    assert!(bomb.len() < 1 << 16, "{}", bomb.len());
    let mut package = Package::within(&bomb, 1 << 20).unwrap();
    let main = package.find_main().unwrap();
    assert_eq!(main, Main::Document("word/document.xml".to_owned()));
    assert!(docx::read(&mut package, "word/document.xml").unwrap_err().contains("unpacks to more"));
    assert_eq!(text_of(&bomb).unwrap().trim(), "words");
    let parts: Vec<String> = (0..10_100).map(|at| format!("p{at}")).collect();
    let parts: Vec<(&str, &str)> = parts.iter().map(|name| (name.as_str(), "")).collect();
    assert!(text_of(&pack(&parts)).unwrap_err().contains("more than 10000 parts"));
}

// STREAM-8: a part that is locked with a password says so.
#[test]
fn a_locked_part_says_so() {
    let mut bytes = docx(&p("words"), &[]);
    // The flag of an encrypted entry, in each local header and in the directory.
    for (signature, offset) in [(b"PK\x03\x04".as_slice(), 6), (b"PK\x01\x02".as_slice(), 8)] {
        let found: Vec<usize> = memchr::memmem::find_iter(&bytes, signature).collect();
        found.iter().for_each(|at| bytes[at + offset] |= 1);
    }
    assert!(text_of(&bytes).unwrap_err().contains("needs a password"));
}
