//! What a file is, by its content and its name, and whether it is taken (STREAM-8).
//!
//! Either is enough to refuse: a program that calls itself a picture, and a picture that calls itself a program. What a
//! browser declares is only asked about audio and video, where content is hardest to tell.

use memchr::memmem;

/// What became of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniffed {
    /// It is taken, as this type.
    Taken {
        /// The media type.
        media: String,
    },
    /// It is not.
    Refused {
        /// Why, for people.
        why: String,
    },
}

/// Looks at the name, the declared type and the bytes.
pub fn sniff(name: &str, declared: Option<&str>, bytes: &[u8]) -> Sniffed {
    let extension = extension(name);
    if let Some(why) = by_name(&extension).or_else(|| by_content(bytes)).or_else(|| declared.and_then(by_declared)) {
        return Sniffed::Refused { why: why.to_owned() };
    }
    Sniffed::Taken { media: media(&extension, bytes) }
}

/// The last extension, in lower case. Trailing dots and blanks do not hide it: some systems drop them.
fn extension(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

fn by_name(extension: &str) -> Option<&'static str> {
    let is = |list: &[&str]| list.contains(&extension);
    if is(PROGRAMS) {
        Some("programs and scripts are not taken")
    } else if is(AUDIO_VIDEO) {
        Some("audio and video are not taken")
    } else if is(MACROS) {
        Some(NO_MACROS)
    } else if is(OLD_OFFICE) {
        Some("old office formats and presentations are not taken; send .docx, .xlsx, .pdf or text")
    } else {
        None
    }
}

fn by_declared(declared: &str) -> Option<&'static str> {
    let declared = declared.trim().to_lowercase();
    let sound = declared.starts_with("audio/") || declared.starts_with("video/");
    sound.then_some("audio and video are not taken")
}

fn by_content(bytes: &[u8]) -> Option<&'static str> {
    if PROGRAM_MAGIC.iter().any(|magic| bytes.starts_with(magic)) {
        return Some("programs and scripts are not taken");
    }
    if bytes.starts_with(COMPOUND) && memmem::find(bytes, ENCRYPTED).is_some() {
        return Some("documents that are protected with a password are not taken; save it without one");
    }
    if bytes.starts_with(COMPOUND) {
        return Some("old office formats and installers are not taken; send .docx, .xlsx, .pdf or text");
    }
    if bytes.starts_with(b"PK\x03\x04") && has_entry(bytes, &[b"ppt/"]) {
        return Some("presentations are not taken; send a .pdf");
    }
    if bytes.starts_with(b"PK\x03\x04") && has_entry(bytes, &[b"word/vbaProject", b"xl/vbaProject", b"xl/macrosheets/"])
    {
        return Some(NO_MACROS);
    }
    let kind = infer::get(bytes)?;
    match kind.matcher_type() {
        infer::MatcherType::Audio | infer::MatcherType::Video => Some("audio and video are not taken"),
        infer::MatcherType::App if kind.mime_type() != "application/wasm" => Some("programs and scripts are not taken"),
        _ => None,
    }
}

/// Whether an archive names an entry that begins in one of these ways, in a local header or in its directory.
fn has_entry(bytes: &[u8], names: &[&[u8]]) -> bool {
    let is_named = |signature: &[u8], offset: usize| {
        memmem::find_iter(bytes, signature).any(|at| {
            let after = bytes.get(at + offset..).unwrap_or_default();
            names.iter().any(|name| after.get(..name.len()).is_some_and(|entry| entry.eq_ignore_ascii_case(name)))
        })
    };
    is_named(b"PK\x01\x02", 46) || is_named(b"PK\x03\x04", 30)
}

fn media(extension: &str, bytes: &[u8]) -> String {
    if let Some(kind) = infer::get(bytes) {
        // An office document is an archive: its name says more than its first bytes.
        let archive = kind.mime_type() == "application/zip";
        let named = NAMED.iter().find(|(known, media)| *known == extension && media.contains("openxml"));
        return match named {
            Some((_, media)) if archive => (*media).to_owned(),
            _ => kind.mime_type().to_owned(),
        };
    }
    let named = NAMED.iter().find(|(known, media)| *known == extension && !media.contains("openxml"));
    match named {
        Some((_, media)) if is_text(bytes) => (*media).to_owned(),
        None if is_text(bytes) => "text/plain".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// Whether the bytes are words in any encoding that is read later: UTF-8, UTF-16 with its mark, old Chinese ones.
fn is_text(bytes: &[u8]) -> bool {
    // The beginning tells. A line is the place to cut it, so that no character is cut; without one it is all looked at.
    let head = bytes
        .get(..ENOUGH)
        .and_then(|head| head.iter().rposition(|byte| *byte == b'\n').and_then(|end| head.get(..end)));
    crate::kb::text_of(head.unwrap_or(bytes)).is_ok()
}

/// How many bytes are looked at to tell whether they are words.
const ENOUGH: usize = 64 * 1024;
const PROGRAMS: &[&str] = &[
    "exe", "dll", "so", "bat", "cmd", "com", "sh", "bash", "zsh", "msi", "scr", "ps1", "vbs", "jar", "app", "dylib",
    "deb", "rpm", "apk", "elf", "bin", "run",
];
const AUDIO_VIDEO: &[&str] = &[
    "mp3", "wav", "flac", "ogg", "oga", "opus", "m4a", "aac", "wma", "aiff", "aif", "mid", "midi", "amr", "mp4", "m4v",
    "mov", "avi", "mkv", "webm", "wmv", "flv", "mpg", "mpeg", "3gp", "ogv", "m2ts",
];
const OLD_OFFICE: &[&str] = &["doc", "xls", "ppt", "pptx", "pps", "ppsx", "pptm", "dot", "xlt", "pot"];
/// Documents and templates with programs in them.
const MACROS: &[&str] = &["docm", "dotm", "xlsm", "xltm", "xlam", "ppam", "potm", "ppsm"];
const NO_MACROS: &str = "documents with macros are not taken; save it as .docx or .xlsx";
/// The part of a compound file that an encrypted .docx or .xlsx is in.
const ENCRYPTED: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";
const PROGRAM_MAGIC: &[&[u8]] = &[
    b"MZ",
    b"\x7fELF",
    b"#!",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"@echo off",
];
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const NAMED: &[(&str, &str)] = &[
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("svg", "image/svg+xml"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, bytes: &[u8]) -> bool {
        matches!(sniff(name, None, bytes), Sniffed::Refused { .. })
    }

    fn media_of(name: &str, bytes: &[u8]) -> String {
        match sniff(name, None, bytes) {
            Sniffed::Taken { media } => media,
            Sniffed::Refused { why } => why,
        }
    }

    // STREAM-8, T36
    #[test]
    fn a_name_or_a_content_is_enough_to_refuse() {
        for name in [
            "a.exe", "A.DLL", "lib.so", "run.bat", "x.sh", "i.msi", "s.mp3", "v.MP4", "old.doc", "t.xls", "p.ppt",
            "p.pptx", "m.docm", "m.XLSM", "m.dotm",
        ] {
            assert!(refused(name, b"plain words"), "{name}");
            assert!(refused(&format!("{name}. "), b"plain words"), "{name} with a tail");
        }
        let zip = |entry: &[u8]| [b"PK\x03\x04".as_slice(), &[0; 26], entry].concat();
        for content in [
            b"MZ\x90".to_vec(),
            b"\x7fELF\x02".to_vec(),
            b"#!/bin/sh\n".to_vec(),
            COMPOUND.to_vec(),
            zip(b"ppt/slides"),
            zip(b"word/vbaProject.bin"),
            zip(b"xl/vbaProject.bin"),
        ] {
            assert!(refused("picture.png", &content), "{content:?}");
        }
        assert!(refused("x.txt", b"ID3\x03\x00\x00\x00\x00\x00\x00"), "an mp3 by its tag");
        assert!(matches!(sniff("x.txt", Some("audio/mpeg"), b"abc"), Sniffed::Refused { .. }));
    }

    // STREAM-8
    #[test]
    fn what_is_taken_gets_the_type_of_its_content() {
        assert_eq!(media_of("notes.md", b"# Title"), "text/markdown");
        assert_eq!(media_of("unknown", "多字".as_bytes()), "text/plain");
        assert_eq!(media_of("x.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png");
        assert_eq!(media_of("x.pdf", b"%PDF-1.7"), "application/pdf");
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("名,值\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(media_of("wide.csv", &wide), "text/csv");
        // 名称,数值 in GBK.
        let old = b"\xc3\xfb\xb3\xc6,\xca\xfd\xd6\xb5\n".repeat(10_000);
        assert_eq!(media_of("old.csv", &old), "text/csv");
        assert_eq!(media_of("old", &old), "text/plain");
        assert_eq!(media_of("x.md", b"# Title\0\0"), "application/octet-stream");
        assert_eq!(media_of("data.bin2", b"\x00\x01\x02\xff"), "application/octet-stream");
        let docx = [b"PK\x03\x04".as_slice(), &[0; 26], b"docProps/app.xml"].concat();
        assert!(media_of("x.docx", &docx).contains("wordprocessingml"));
    }
}
