//! An office document as an archive: its parts by name, unpacked within one bound for all of them.

use super::xml::Xml;
use std::io::{BufReader, Cursor, Read, Take};
use zip::ZipArchive;
use zip::read::ZipFile;

/// An open archive.
pub(super) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    /// How much may still be unpacked.
    left: u64,
}

/// A part while it is unpacked.
pub(super) type Unpacked<'p, 'b> = BufReader<Take<ZipFile<'p, Cursor<&'b [u8]>>>>;

/// What the archive holds, by the name of its main part.
#[derive(Debug, PartialEq)]
pub(super) enum Main {
    /// The words of a .docx.
    Document(String),
    /// The workbook of an .xlsx.
    Workbook(String),
}

/// What a part refers to.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of its type: `header`, `worksheet`, …
    pub(super) kind: String,
    /// The part, from the root of the archive.
    pub(super) target: String,
}

impl<'b> Package<'b> {
    /// Opens an archive.
    pub(super) fn open(bytes: &'b [u8]) -> Result<Self, String> {
        Self::within(bytes, MAX_UNPACKED)
    }

    /// The same, with a bound of its own.
    pub(super) fn within(bytes: &'b [u8], unpacked: u64) -> Result<Self, String> {
        // Counted before the directory is read: each entry costs many times its bytes.
        if memchr::memmem::find_iter(bytes, b"PK\x01\x02").nth(MAX_PARTS).is_some() {
            return Err(format!("it has more than {MAX_PARTS} parts"));
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DAMAGED.to_owned())?;
        Ok(Self { archive, left: unpacked })
    }

    /// The main part: what the archive says, else where everybody has it.
    pub(super) fn find_main(&mut self) -> Result<Main, String> {
        let said = self.relations("")?.into_iter().find(|relation| relation.kind == "officeDocument");
        let said = said.map(|relation| relation.target);
        for part in said.into_iter().chain(["word/document.xml", "xl/workbook.xml"].map(str::to_owned)) {
            let root = self.with_part(&part, |xml| {
                let mut root = None;
                while root.is_none() && !xml.is_over() {
                    root = xml.next_opening()?;
                }
                Ok(root)
            })?;
            match root.flatten().as_deref() {
                Some("document") => return Ok(Main::Document(part)),
                Some("workbook") => return Ok(Main::Workbook(part)),
                _ => {}
            }
        }
        Err("it is neither a .docx nor an .xlsx document".to_owned())
    }

    /// What a part refers to; the archive itself is the part without a name.
    pub(super) fn relations(&mut self, part: &str) -> Result<Vec<Relation>, String> {
        let (folder, name) = part.rsplit_once('/').map_or(("", part), |(folder, name)| (folder, name));
        let slash = if folder.is_empty() { "" } else { "/" };
        let listed = format!("{folder}{slash}_rels/{name}.rels");
        let read = self.with_part(&listed, |xml| {
            let mut found = Vec::new();
            while let Some(tag) = xml.next_tag()? {
                let said = |name: &str| tag.attribute(name).unwrap_or_default();
                if tag.name() == "Relationship" && said("TargetMode") != "External" && found.len() < MAX_PARTS {
                    let kind = said("Type").rsplit('/').next().unwrap_or_default().to_owned();
                    found.push(Relation { id: said("Id"), kind, target: resolve(folder, &said("Target")) });
                }
            }
            Ok(found)
        })?;
        Ok(read.unwrap_or_default())
    }

    /// Reads a part; none where there is none of this name.
    pub(super) fn with_part<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Xml<Unpacked<'_, 'b>>) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(at) = self.find(name) else { return Ok(None) };
        let is_locked = self.archive.by_index_raw(at).map_err(|_| DAMAGED.to_owned())?.encrypted();
        if is_locked {
            return Err("it is encrypted and needs a password".to_owned());
        }
        let left = self.left;
        let file = self.archive.by_index(at).map_err(|_| DAMAGED.to_owned())?;
        let mut xml = Xml::new(BufReader::new(file.take(left)));
        let done = read(&mut xml);
        let rest = xml.into_inner().into_inner().limit();
        self.left = rest;
        if rest == 0 {
            return Err(format!("it unpacks to more than is read of a document ({} MiB)", MAX_UNPACKED >> 20));
        }
        done.map(Some)
    }

    /// Names of parts are compared without regard to case.
    fn find(&self, name: &str) -> Option<usize> {
        let same = |other: &[u8]| other.eq_ignore_ascii_case(name.as_bytes());
        self.archive.index_for_name(name).or_else(|| self.archive.file_names_raw().position(same))
    }
}

/// A target beside a part of this folder, or from the root.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(rooted) = target.strip_prefix('/') {
        return rooted.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}

const DAMAGED: &str = "the document is damaged";
/// No document has more parts.
const MAX_PARTS: usize = 10_000;
/// How much is unpacked of a document, all its parts together.
const MAX_UNPACKED: u64 = 128 << 20;
