//! The knowledge base, built from real folders (CLAIM-3).

#![expect(clippy::string_slice, reason = "a test that slices wrongly fails, as it should")]

use countersign_runtime::kb::{BuildReport, Hit, KbError, KnowledgeBase, Passage, default_index, matches};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of documents for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("kb-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name));
        fs::create_dir_all(&folder.0).unwrap();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn build(&self) -> BuildReport {
        KnowledgeBase::build(&self.0, &self.index(), &|_| {}).unwrap()
    }

    fn index(&self) -> PathBuf {
        default_index(&self.0)
    }

    fn open(&self) -> KnowledgeBase {
        KnowledgeBase::open(&self.index()).unwrap()
    }

    /// The files of the index that hold something.
    fn parts(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.index()).unwrap().map(|entry| entry.unwrap().path());
        let mut parts: Vec<PathBuf> = files.filter(|path| fs::metadata(path).unwrap().len() > 0).collect();
        parts.sort();
        parts
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn first(base: &KnowledgeBase, query: &str) -> String {
    base.search(query, 1).first().map(|hit| hit.passage.file.clone()).unwrap_or_default()
}

const REPORT: &str = "# Annual report\n\n## Revenue\n\nRevenue grew by 12.5% to 1,234 million dollars on March 5, 2024.\n\n## Staff\n\nThe company had 4,812 employees.\n";

fn mixed() -> Folder {
    Folder::new(&[
        ("report.md", REPORT),
        ("zh/年报.txt", "公司2024年3月5日公布：营业收入3.4亿元，同比增长百分之十二。\n\n员工人数为5600人。\n"),
        ("page.html", "<h1>Offices</h1><p>The Oslo office has 42 desks &amp; a garden.</p>"),
        ("cities.csv", "city,population\nOslo,709037\nBergen,291940\n"),
        ("facts.json", r#"[{"planet": "Mars", "moons": 2}, {"planet": "Jupiter", "moons": 95}]"#),
        ("log.jsonl", "{\"event\": \"launch\", \"year\": 1969}\n"),
        ("photo.jpg", "not read"),
        (".hidden/secret.md", "never read"),
    ])
}

// CLAIM-3: every kind of file is read, found in both languages, with its place.
#[test]
fn every_kind_is_read_and_found_with_its_place() {
    let folder = mixed();
    let report = folder.build();
    assert_eq!((report.files, report.added, report.passages), (6, 6, 9), "{report:?}");
    assert_eq!(report.skipped.len(), 1, "{report:?}");
    let base = folder.open();
    for (query, file) in [
        ("how much did revenue grow", "report.md"),
        ("number of employees", "report.md"),
        ("营业收入是多少", "zh/年报.txt"),
        ("oslo office desks", "page.html"),
        ("population of Bergen", "cities.csv"),
        ("moons of Jupiter", "facts.json"),
        ("1969 launch", "log.jsonl"),
    ] {
        assert_eq!(first(&base, query), file, "{query}");
    }
    let hit = base.search("revenue 12.5 percent", 1).remove(0);
    assert_eq!(hit.passage.headings, ["Annual report", "Revenue"]);
    assert_eq!((hit.passage.line, &REPORT[hit.passage.start..hit.passage.end]), (5, hit.passage.text.as_str()));
    assert!(base.search("zzzz", 5).is_empty() && base.search("", 5).is_empty());
    assert!(base.search("oslo", 0).is_empty());
}

// CLAIM-3: numbers and dates are found however they are written.
#[test]
fn numbers_and_dates_meet_across_spellings_and_languages() {
    let text = |n: usize, text: &str| Passage {
        file: format!("{n}.txt"),
        headings: Vec::new(),
        text: text.to_owned(),
        start: 0,
        end: text.len(),
        line: 1,
    };
    let base = KnowledgeBase::in_memory(vec![
        text(0, "The share was 1,234 at the end."),
        text(1, "The share was 12.5% at the end."),
        text(2, "The share was counted on March 5, 2024."),
        text(3, "The share was 99 at the end."),
        text(4, "营业收入为3.4亿元。"),
        text(5, "The share was counted on March 6, 2024."),
    ]);
    for (query, file) in [
        ("share 1234", "0.txt"),
        ("１２３４", "0.txt"),
        ("share of 12.5 percent", "1.txt"),
        ("2024年3月5日", "2.txt"),
        ("share on 2024-03-05", "2.txt"),
        ("340,000,000 yuan", "4.txt"),
        ("2024-03-06", "5.txt"),
    ] {
        assert_eq!(first(&base, query), file, "{query}");
    }
    let marks = matches("12.5 percent of the share", "The share was 12.5% at the end.");
    let marked: Vec<&str> = marks.into_iter().map(|range| &"The share was 12.5% at the end."[range]).collect();
    assert_eq!(marked, ["The", "share", "12.5%", "the"]);
}

// CLAIM-3: only what changed is read again, and the result is that of a fresh build.
#[test]
fn a_change_is_taken_in_and_the_rest_is_left() {
    let folder = mixed();
    folder.build();
    let again = folder.build();
    assert_eq!((again.added, again.changed, again.removed, again.unchanged), (0, 0, 0, 6));
    let manifest = fs::read(folder.index().join("manifest")).unwrap();
    folder.build();
    assert_eq!(fs::read(folder.index().join("manifest")).unwrap(), manifest, "nothing is written without a change");
    folder.write("report.md", REPORT.replace("4,812", "5,000").replace("employees", "colleagues"));
    folder.write("new.md", "A new file about penguins.");
    fs::remove_file(folder.0.join("page.html")).unwrap();
    let report = folder.build();
    assert_eq!((report.added, report.changed, report.removed, report.unchanged), (1, 1, 1, 4), "{report:?}");
    let base = folder.open();
    assert_eq!(first(&base, "penguins"), "new.md");
    assert_eq!(first(&base, "desks"), "");
    assert_eq!(first(&base, "employees"), "");
    assert_eq!(first(&base, "colleagues"), "report.md");
    fs::remove_dir_all(folder.index()).unwrap();
    folder.build();
    let fresh = folder.open();
    for query in ["Oslo penguins 5,000", "revenue 2024 grew", "员工 增长", "population"] {
        assert_eq!(base.search(query, 10), fresh.search(query, 10), "{query}");
    }
    assert_eq!(base.stats().terms, fresh.stats().terms);
}

// CLAIM-3: an index that was cut, altered or lost in part is detected and rebuilt.
#[test]
fn a_damaged_index_is_never_served() {
    let folder = mixed();
    folder.build();
    type Harm = (&'static str, fn(&mut Vec<u8>));
    let damage: [Harm; 5] = [
        ("cut", |bytes| bytes.truncate(bytes.len() / 2)),
        ("emptied", Vec::clear),
        ("flipped in the middle", |bytes| {
            let at = bytes.len() / 2;
            bytes[at] ^= 1
        }),
        ("flipped at the end", |bytes| *bytes.last_mut().unwrap() ^= 0x20),
        ("longer", |bytes| bytes.push(b'\n')),
    ];
    for (what, harm) in damage {
        for at in 0..2 {
            let part = folder.parts().remove(at);
            let mut bytes = fs::read(&part).unwrap();
            harm(&mut bytes);
            fs::write(&part, bytes).unwrap();
            let error = KnowledgeBase::open(&folder.index()).unwrap_err();
            assert!(matches!(error, KbError::Corrupted { .. }), "{what} {part:?}: {error:?}");
            let report = folder.build();
            assert!(report.rebuilt.is_some() && report.added == 6, "{what} {part:?}: {report:?}");
            assert_eq!(first(&folder.open(), "penguins of Bergen"), "cities.csv");
        }
    }
    for at in 0..2 {
        fs::remove_file(folder.parts().remove(at)).unwrap();
        assert!(KnowledgeBase::open(&folder.index()).is_err());
        let base = KnowledgeBase::open_or_build(&folder.0, &folder.index(), &|_| {}).unwrap();
        assert_eq!(base.stats().files, 6);
    }
}

#[test]
fn absence_is_not_damage() {
    let folder = Folder::new(&[("a.md", "x")]);
    assert!(matches!(KnowledgeBase::open(&folder.index()), Err(KbError::Absent { .. })));
    assert!(matches!(KnowledgeBase::open(&folder.0.join("no/such")), Err(KbError::Absent { .. })));
    let missing = folder.0.join("missing");
    assert!(matches!(KnowledgeBase::build(&missing, &default_index(&missing), &|_| {}), Err(KbError::Folder { .. })));
    assert!(!missing.exists(), "nothing is made for a folder that is not there");
}

#[test]
fn what_is_not_ours_is_not_touched() {
    let folder = Folder::new(&[("a.md", "some text"), ("mine/data-precious", "keep")]);
    let mine = folder.0.join("mine");
    assert!(matches!(KnowledgeBase::build(&folder.0, &mine, &|_| {}), Err(KbError::Foreign { .. })));
    assert_eq!(fs::read_to_string(mine.join("data-precious")).unwrap(), "keep");
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
}

// CLAIM-3: where nothing can be written the index lives in memory.
#[test]
fn a_place_that_cannot_be_written_gives_an_index_in_memory() {
    let folder = mixed();
    let nowhere = folder.0.join("report.md").join("index");
    let base = KnowledgeBase::open_or_build(&folder.0, &nowhere, &|_| {}).unwrap();
    assert_eq!((base.stats().passages, base.stats().files), (9, 6));
    assert_eq!(first(&base, "population of Bergen"), "cities.csv");
}

// CLAIM-3: an index beside its documents is not read as one of them.
#[test]
fn an_index_inside_the_folder_is_passed_over() {
    let folder = mixed();
    let index = folder.0.join("index");
    let one = KnowledgeBase::build(&folder.0, &index, &|_| {}).unwrap();
    let two = KnowledgeBase::build(&folder.0, &index, &|_| {}).unwrap();
    assert_eq!((two.skipped, two.unchanged), (one.skipped, 6));
}

#[test]
fn equal_passages_come_by_file_and_place() {
    let passage = |file: &str, start: usize| Passage {
        file: file.to_owned(),
        headings: Vec::new(),
        text: "the same words".to_owned(),
        start,
        end: start + 14,
        line: 1,
    };
    let mut passages: Vec<Passage> =
        (0..200).map(|n| passage(&format!("{}.md", (n * 7) % 20), (n * 13) % 100)).collect();
    let order =
        |hits: Vec<Hit>| hits.into_iter().map(|h| (h.passage.file.clone(), h.passage.start)).collect::<Vec<_>>();
    let one = order(KnowledgeBase::in_memory(passages.clone()).search("same words", 15));
    passages.reverse();
    let two = order(KnowledgeBase::in_memory(passages.clone()).search("same words", 15));
    let mut all: Vec<(String, usize)> = passages.into_iter().map(|p| (p.file, p.start)).collect();
    all.sort();
    all.truncate(15);
    assert_eq!((&one, &two), (&all, &all));
}

#[test]
fn two_builds_at_once_do_not_harm_each_other() {
    let folder = mixed();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let folder = &folder;
            scope.spawn(move || {
                folder.write(&format!("own-{n}.md"), format!("own text number {n}"));
                folder.build();
                assert!(folder.open().stats().files > 6);
            });
        }
    });
    folder.build();
    let base = folder.open();
    assert_eq!(base.stats().files, 12);
    assert_eq!(first(&base, "own text number 3"), "own-3.md");
}

#[test]
fn anything_may_lie_in_a_folder() {
    let folder =
        Folder::new(&[("broken.json", "{"), ("empty.md", ""), ("bad.pdf", "%PDF-1.4 nothing"), ("table.csv", "a,b\n")]);
    folder.write("binary.txt", b"\0\x01\x02");
    folder.write("latin.txt", b"caf\xe9");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder.0, folder.0.join("loop")).unwrap();
    let large = fs::File::create(folder.0.join("large.txt")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    let report = folder.build();
    let reason =
        |file: &str| report.skipped.iter().find(|s| s.file == file).map(|s| s.reason.as_str()).unwrap_or_default();
    assert!(reason("broken.json").contains("JSON") && reason("bad.pdf").contains("PDF"), "{report:?}");
    assert!(reason("large.txt").contains("64 MiB") && reason("binary.txt").contains("not text"), "{report:?}");
    assert!(reason("loop").contains("link"), "{report:?}");
    assert_eq!(first(&folder.open(), "café"), "latin.txt");
    let again = folder.build();
    assert_eq!((again.added, again.changed, again.skipped), (0, 0, report.skipped));
}

#[test]
fn any_text_is_a_query() {
    let folder = mixed();
    folder.build();
    let base = folder.open();
    for query in [
        "AND OR (",
        "\"",
        "field:x",
        "-",
        "*",
        "\u{0}",
        "１２３",
        "[1 TO 2]",
        "。",
        &"word ".repeat(50_000),
        &"字".repeat(50_000),
    ] {
        base.search(query, 3);
    }
}

#[test]
fn a_very_long_question_is_asked_with_its_rarest_words() {
    let passages = (0..600).map(|n| Passage {
        file: format!("{n:03}.md"),
        headings: Vec::new(),
        text: format!("common word{n}x"),
        start: 0,
        end: 10,
        line: 1,
    });
    let base = KnowledgeBase::in_memory(passages.collect());
    let query: String = (0..600).map(|n| format!("common word{n}x ")).collect();
    let hits = base.search(&query, 1000);
    assert!(hits.len() >= 400, "{}", hits.len());
    assert!(hits.windows(2).all(|two| two[0].score >= two[1].score));
}

/// 10,000 passages and 100 questions; run with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed_of_search() {
    let words: Vec<String> = include_str!("../../../../README.md").split_whitespace().map(str::to_owned).collect();
    let mut seed = 7_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % n
    };
    let han: Vec<&str> =
        "公司 营收 同比 增长 利润 市场 报告 显示 员工 城市 人口 研究 数据 全球 价格 下降 政策 发布 平均 年度"
            .split(' ')
            .collect();
    let mut text = |length: usize| {
        let mut text = String::new();
        for _ in 0..length {
            match next(10) {
                0 => text.push_str(&format!("{} ", next(100_000))),
                1 | 2 => text.push_str(han[next(han.len())]),
                // Words as they are spread in real texts: few are common, most are rare.
                _ => text.push_str(&format!(
                    "{}{} ",
                    words[next(words.len())],
                    if next(3) == 0 { next(2000).to_string() } else { String::new() }
                )),
            }
        }
        text
    };
    let passages: Vec<Passage> = (0..10_000)
        .map(|n| {
            let text = text(90);
            Passage {
                file: format!("{}.md", n / 20),
                headings: vec!["A heading".to_owned()],
                end: text.len(),
                text,
                start: n,
                line: 1,
            }
        })
        .collect();
    let queries: Vec<String> = (0..100).map(|_| text(12)).collect();
    let bytes: usize = passages.iter().map(|p| p.text.len()).sum();
    let clock = std::time::Instant::now();
    let base = KnowledgeBase::in_memory(passages);
    println!("index: {bytes} bytes in {:?}, {:?}", clock.elapsed(), base.stats());
    let mut best = std::time::Duration::MAX;
    for _ in 0..20 {
        let clock = std::time::Instant::now();
        for query in &queries {
            assert_eq!(base.search(query, 8).len(), 8);
        }
        best = best.min(clock.elapsed());
    }
    println!("100 queries: {best:?}");
}

#[test]
fn the_base_can_be_shared() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    let base = KnowledgeBase::in_memory(Vec::new());
    shared(&base);
    assert!(base.search("anything", 3).is_empty());
    assert_eq!(default_index(Path::new("docs")), Path::new("docs/.countersign-kb"));
}
