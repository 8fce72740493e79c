//! Office documents as people upload them: raw bytes, or an archive whose parts are these bytes. The first byte chooses.
//! Whatever comes, there is a text or a reason, and no panic.
#![no_main]

use countersign_runtime::kb::text_of;
use libfuzzer_sys::fuzz_target;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fuzz_target!(|data: &[u8]| {
    let Some((which, rest)) = data.split_first() else { return };
    let told = match which % 3 {
        0 => text_of(&[b"PK\x03\x04".as_slice(), rest].concat()),
        1 => text_of(&pack(&[("word/document.xml", rest)])),
        _ => text_of(&pack(&[
            ("xl/workbook.xml", br#"<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>"#),
            ("xl/_rels/workbook.xml.rels", br#"<R><Relationship Id="r1" Type="/worksheet" Target="s.xml"/></R>"#),
            ("xl/s.xml", rest),
        ])),
    };
    match told {
        Ok(text) => assert!(!text.trim().is_empty()),
        Err(why) => assert!(!why.is_empty()),
    }
});

fn pack(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        if writer.start_file(*name, options).is_ok() {
            let _ = writer.write_all(content);
        }
    }
    writer.finish().map(Cursor::into_inner).unwrap_or_default()
}
