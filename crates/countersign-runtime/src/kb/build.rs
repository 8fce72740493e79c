//! Brings an index up to date with its folder.
//!
//! Every file is read and summed up; only those whose sum changed are cut and indexed again. The files are the truth:
//! an index that does not match its checksums is thrown away and rebuilt.

use super::cut::passages;
use super::disk::{self, Locked, Manifest, Source};
use super::error::KbError;
use super::folder::{self, Found, Listing};
use super::index::Index;
use super::passage::{BuildReport, Passage, Progress, Skipped, Stage};
use super::read::read;
use std::collections::BTreeMap;
use std::path::Path;

/// What is to do.
pub(super) struct Plan {
    listing: Listing,
    /// Why the old index cannot be used.
    rebuilt: Option<String>,
    old: Manifest,
    /// Places in the listing that are new or changed.
    stale: Vec<usize>,
    gone: Vec<String>,
    unreadable: BTreeMap<String, String>,
}

/// An index that is up to date.
pub(super) struct Built {
    pub(super) report: BuildReport,
    pub(super) manifest: Manifest,
    pub(super) index: Index,
}

/// Builds or updates the index of a folder.
pub(super) fn build(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<Built, KbError> {
    // A wrong folder is found before anything is written.
    folder::list(folder, index)?;
    let locked = Locked::take(index)?;
    let (plan, old) = plan(folder, index, progress)?;
    let old = match old {
        Some(old) if plan.is_current() => {
            return Ok(Built { report: plan.report(&plan.old, 0), manifest: plan.old, index: old });
        }
        old => old.unwrap_or_default(),
    };
    let added = plan.stale.iter().filter(|at| plan.is_new(**at)).count();
    let (mut manifest, index) = plan.apply(old, progress);
    progress(Progress { stage: Stage::Writing, done: 0, total: 1 });
    locked.save(&index.encode(), &mut manifest)?;
    progress(Progress { stage: Stage::Writing, done: 1, total: 1 });
    Ok(Built { report: plan.report(&manifest, added), manifest, index })
}

/// Whether an index that nobody may write to is up to date all the same.
pub(super) fn is_current(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<bool, KbError> {
    let (plan, old) = plan(folder, index, progress)?;
    Ok(old.is_some() && plan.is_current())
}

/// All passages of a folder.
pub(super) fn read_all(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<Vec<Passage>, KbError> {
    let listing = folder::list(folder, index)?;
    let mut found = Vec::new();
    for (at, file) in listing.files.iter().enumerate() {
        progress(Progress { stage: Stage::Reading, done: at, total: listing.files.len() });
        let document = folder::bytes(file).and_then(|bytes| read(file.kind, bytes));
        found.extend(document.map(|document| passages(&document, &file.name)).unwrap_or_default());
    }
    Ok(found)
}

/// Compares a folder with its index. Gives the old index where it can be used.
fn plan(folder: &Path, index: &Path, progress: &dyn Fn(Progress)) -> Result<(Plan, Option<Index>), KbError> {
    let listing = folder::list(folder, index)?;
    let (old, index, rebuilt) = match disk::load(index) {
        Ok((manifest, index)) => (manifest, Some(index), None),
        Err(KbError::Absent { .. }) => (Manifest::default(), None, None),
        Err(KbError::Corrupted { problem, .. }) => (Manifest::default(), None, Some(problem)),
        Err(other) => return Err(other),
    };
    let (mut stale, mut unreadable) = (Vec::new(), BTreeMap::new());
    for (at, file) in listing.files.iter().enumerate() {
        progress(Progress { stage: Stage::Comparing, done: at, total: listing.files.len() });
        match folder::bytes(file) {
            Ok(bytes) if old.sources.get(&file.name).is_some_and(|known| known.hash == disk::hash(&bytes)) => {}
            Ok(_) => stale.push(at),
            Err(problem) => drop(unreadable.insert(file.name.clone(), problem)),
        }
    }
    let here = |name: &&String| listing.files.binary_search_by(|file| file.name.as_str().cmp(name)).is_ok();
    let kept = |name: &&String| here(name) && !unreadable.contains_key(*name);
    let gone = old.sources.keys().filter(|name| !kept(name)).cloned().collect();
    Ok((Plan { listing, rebuilt, old, stale, gone, unreadable }, index))
}

impl Plan {
    fn is_current(&self) -> bool {
        self.stale.is_empty() && self.gone.is_empty() && self.skipped() == self.old.skipped
    }

    fn is_new(&self, at: usize) -> bool {
        self.listing.files.get(at).is_some_and(|file| !self.old.sources.contains_key(&file.name))
    }

    fn skipped(&self) -> BTreeMap<String, String> {
        self.listing.skipped.iter().chain(&self.unreadable).map(|(file, why)| (file.clone(), why.clone())).collect()
    }

    /// Does it: gives the new index and its manifest.
    fn apply(&self, old: Index, progress: &dyn Fn(Progress)) -> (Manifest, Index) {
        let mut manifest =
            Manifest { sources: self.old.sources.clone(), skipped: self.skipped(), ..Manifest::default() };
        for name in &self.gone {
            manifest.sources.remove(name);
        }
        let stale = || self.stale.iter().filter_map(|at| self.listing.files.get(*at));
        for file in stale() {
            manifest.sources.remove(&file.name);
        }
        let kept = manifest.sources.clone();
        let mut new = Vec::new();
        for (done, file) in stale().enumerate() {
            progress(Progress { stage: Stage::Reading, done, total: self.stale.len() });
            match folder::bytes(file) {
                Ok(bytes) => drop(manifest.sources.insert(file.name.clone(), cut(file, bytes, &mut new))),
                Err(problem) => drop(manifest.skipped.insert(file.name.clone(), problem)),
            }
        }
        manifest.passages = manifest.sources.values().map(|source| source.passages).sum();
        (manifest, old.with(&|file| kept.contains_key(file), new))
    }

    fn report(&self, manifest: &Manifest, added: usize) -> BuildReport {
        let changed = self.stale.len() - added;
        BuildReport {
            files: manifest.sources.values().filter(|source| source.problem.is_none()).count(),
            passages: manifest.passages,
            added,
            changed,
            removed: self.gone.len(),
            unchanged: self.listing.files.len() - self.stale.len() - self.unreadable.len(),
            skipped: skipped(manifest),
            rebuilt: self.rebuilt.clone(),
            bytes: manifest.data.bytes,
        }
    }
}

/// Everything that was not read, in the order of names.
pub(super) fn skipped(manifest: &Manifest) -> Vec<Skipped> {
    let failed = manifest.sources.iter().filter_map(|(file, source)| Some((file, source.problem.as_ref()?)));
    let all: BTreeMap<&String, &String> = manifest.skipped.iter().chain(failed).collect();
    all.into_iter().map(|(file, reason)| Skipped { file: file.clone(), reason: reason.clone() }).collect()
}

/// Cuts a file into passages.
fn cut(file: &Found, bytes: Vec<u8>, new: &mut Vec<Passage>) -> Source {
    let hash = disk::hash(&bytes);
    match read(file.kind, bytes) {
        Ok(document) => {
            let before = new.len();
            new.extend(passages(&document, &file.name));
            Source { hash, passages: new.len() - before, problem: None }
        }
        Err(problem) => Source { hash, passages: 0, problem: Some(problem) },
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::Kind;
    use super::*;

    // CLAIM-3: whatever lies in a file, what is cut from it stands where it says.
    #[test]
    fn passages_stand_where_they_say_in_any_file() {
        let seeds = [
            "# A\n\ntext, more. <b>x</b>\n\n| a | b |\n```\ncode\n```\n",
            "<h1>T</h1><p>a&amp;b<table><tr><td>1<td>2</table><script>x</script>",
            "a,b\n1,\"2\n3\"\n,,\n",
            "{\"a\": [{\"b\": 1.5}, \"营收\"], \"c\": {\"d\": null}}\n",
            "公司营收3.4亿元。\u{3000}\u{feff}\r\n第二行；a\tb",
        ];
        let mut state = 11_u64;
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % n
        };
        for round in 0..1500 {
            let mut bytes: Vec<u8> = (0..next(4) + 1).flat_map(|_| seeds[next(seeds.len())].bytes()).collect();
            for _ in 0..next(6) {
                let at = next(bytes.len());
                bytes[at] = u8::try_from(next(256)).unwrap();
            }
            let kinds = [Kind::Markdown, Kind::Text, Kind::Html, Kind::Table, Kind::Json, Kind::JsonLines];
            let Ok(document) = read(kinds[round % kinds.len()], bytes) else { continue };
            for passage in passages(&document, "f") {
                assert_eq!(document.text.get(passage.start..passage.end), Some(passage.text.as_str()));
                assert!(passage.line >= 1 && passage.text.chars().count() <= 1200);
            }
        }
    }
}
