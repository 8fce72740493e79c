//! Claims looked up among many passages: the right one is found, and its word is taken rightly (CLAIM-3).

use countersign::claims::find::find;
use countersign::claims::mark::mark;
use countersign::contract::ClaimStatus;
use countersign_runtime::factcheck::{FactCheck, Library, LibraryError, LibraryPassage, Options, Sources};
use countersign_runtime::kb::{KnowledgeBase, Passage};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

// CLAIM-3
#[test]
fn the_right_passage_is_among_the_first_five_and_its_word_counts() {
    let (mut found, mut right, mut false_disputes) = (0, 0, 0);
    let base = base();
    for (text, marked, document, status) in CASES {
        let seen = Arc::new(Seen { base: base.clone(), places: Mutex::default() });
        let sources = Sources { library: Some(Arc::clone(&seen) as Arc<dyn Library>), ..Sources::default() };
        let options =
            Options { threads: Some(1), library_deadline: std::time::Duration::from_secs(60), ..Options::default() };
        let message = mark("m", text, find(text));
        let report = FactCheck::new(sources, options)
            .run(std::slice::from_ref(&message), &[], &[], &mut |_| ControlFlow::Continue(()));
        let claim = message.claims.iter().find(|claim| claim.text.contains(marked));
        let id = claim.and_then(|claim| claim.id.clone()).unwrap_or_else(|| panic!("{marked}: {:?}", message.claims));
        let update = report.updates.iter().find(|update| update.id == id).unwrap();
        let listed = seen.places.lock().unwrap().iter().any(|place| place == document) || document.is_empty();
        found += usize::from(listed);
        right += usize::from(update.status == *status);
        false_disputes += usize::from(update.status == ClaimStatus::Disputed && *status != ClaimStatus::Disputed);
        if !listed || update.status != *status {
            println!("{text} [{marked}]: listed {listed}, {:?} {:?}", update.status, update.note);
        }
    }
    println!("{found} found, {right} right, {false_disputes} falsely disputed of {}", CASES.len());
    assert_eq!(false_disputes, 0);
    assert!(CASES.len() >= 30 && found * 20 >= CASES.len() * 19 && right * 10 >= CASES.len() * 9);
}

/// A library that remembers what it gave.
struct Seen {
    base: KnowledgeBase,
    places: Mutex<Vec<String>>,
}

impl Library for Seen {
    fn passages(&self, query: &str, limit: usize) -> Result<Vec<LibraryPassage>, LibraryError> {
        let passages = self.base.passages(query, limit)?;
        self.places.lock().unwrap().extend(passages.iter().map(|passage| passage.place.clone()));
        Ok(passages)
    }
}

/// Documents of our own among 200 others that speak of like things in like words.
fn base() -> KnowledgeBase {
    let firms = ["Borg Works", "Tarn Foods", "Alder Bank", "Pine Rail", "青峰公司", "北岭银行", "海石集团", "白鹿食品"];
    let mut passages: Vec<Passage> = (0..200_usize)
        .map(|number| {
            let firm = firms.get(number % firms.len()).unwrap();
            let (year, amount) = (2001 + number % 20, 3 + number * 7 % 90);
            let text = if firm.is_ascii() {
                format!("In {year} the revenue of {firm} was ${amount} million. It employed {} people, and exports rose {}%.", 90 + number * 3, 1 + number % 17)
            } else {
                format!("{firm}{year}年营收为{amount}亿元，员工{}人，出口同比增长{}%。", 90 + number * 3, 1 + number % 17)
            };
            passage(&format!("other-{number}.txt"), &[], &text)
        })
        .collect();
    passages.extend(DOCUMENTS.iter().map(|(file, headings, text)| passage(file, headings, text)));
    KnowledgeBase::in_memory(passages)
}

fn passage(file: &str, headings: &[&str], text: &str) -> Passage {
    let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
    Passage { file: file.to_owned(), headings, text: text.to_owned(), start: 0, end: text.len(), line: 1 }
}

const DOCUMENTS: &[(&str, &[&str], &str)] = &[
    (
        "halden.md",
        &["Halden Mills", "Results 2023"],
        "Revenue was $4.1 billion, after $3.6 billion the year before. Net income was $220 million.",
    ),
    (
        "halden-staff.md",
        &["Halden Mills", "People"],
        "Halden Mills employs 1,200 people. Women hold 41% of management posts.",
    ),
    ("bridge.md", &["Bridges"], "The Oresund Bridge is 7,845 metres long. It opened on 1 July 2000."),
    ("arden.txt", &[], "Mount Arden is 2,341 metres high. The hut below the top was built in 1931."),
    ("cities.csv", &[], "city: Bergen; population: 291,940; country: Norway; founded: 1070"),
    ("cities-2.csv", &[], "city: Oslo; population: 709,037; country: Norway; founded: 1048"),
    ("api.json", &["services"], "name: checkout; latency_ms: 120; error_rate_percent: 0.4; version: 3.2.1"),
    ("power.md", &["Energy", "Norway 2022"], "Hydro power made up 88% of generation. Wind made up 10%."),
    ("survey.md", &["Survey"], "According to the Lund Institute, 62% of readers prefer paper."),
    (
        "table.md",
        &["Sales"],
        "| Region | 2022 | 2023 |\n|---|---|---|\n| North | $40m | $50m |\n| South | $20m | $21m |",
    ),
    ("年报.md", &["远山公司", "2023年年报"], "远山公司2023年营收为38亿元，同比增长12%。净利润为2.4亿元。"),
    ("员工.md", &["远山公司", "员工"], "远山公司现有员工5,600人，其中研发人员占三成。"),
    ("大桥.md", &["桥梁"], "海湾大桥全长36公里，于2008年5月1日通车。"),
    ("城市.csv", &[], "城市: 青州; 人口: 290万; 面积: 1,200平方公里"),
    ("能源.md", &["能源", "2022年"], "水电占发电量的16%，风电占9%。"),
];

const CASES: &[(&str, &str, &str, ClaimStatus)] = &[
    ("In 2023 the revenue of Halden Mills was $4.1 billion.", "$4.1 billion", "halden.md", V),
    ("In 2023 Halden Mills had revenue of $5.2 billion.", "$5.2 billion", "halden.md", U),
    ("Net income of Halden Mills in 2023 was $220 million.", "$220 million", "halden.md", V),
    ("Halden Mills is a maker of cloth. It employs 1,200 people.", "1,200", "halden-staff.md", V),
    ("Halden Mills is a maker of cloth. It employs 1,500 people.", "1,500", "halden-staff.md", D),
    ("Halden Mills employs 980 people.", "980", "halden-staff.md", D),
    ("At Halden Mills, women hold 41% of management posts.", "41%", "halden-staff.md", V),
    ("The Oresund Bridge is 7.845 km long.", "7.845 km", "bridge.md", V),
    ("The Oresund Bridge is 16 km long.", "16 km", "bridge.md", D),
    ("The Oresund Bridge opened on July 1, 2000.", "July 1, 2000", "bridge.md", V),
    ("Mount Arden is 2,431 m high.", "2,431 m", "arden.txt", D),
    ("Mount Arden is 2,341 m high.", "2,341 m", "arden.txt", V),
    ("The population of Bergen is 291,940.", "291,940", "cities.csv", V),
    ("The population of Bergen is 320,500.", "320,500", "cities.csv", D),
    ("Oslo was founded in 1048.", "1048", "cities-2.csv", V),
    ("The error rate of checkout is 0.4%.", "0.4%", "api.json", V),
    ("The error rate of checkout is 2.5%.", "2.5%", "api.json", D),
    ("The latency of checkout is 120 ms.", "120 ms", "api.json", V),
    ("Hydro power made up 88% of generation in Norway in 2022.", "88%", "power.md", V),
    ("Wind made up 10% of generation in Norway in 2022.", "10%", "power.md", V),
    ("According to the Lund Institute, 62% of readers prefer paper.", "62%", "survey.md", V),
    ("North sales in 2023 were $50m.", "$50m", "table.md", V),
    ("Zebra Telecom carried 3.4 million calls.", "3.4 million", "", U),
    ("远山公司2023年营收为三十八亿元。", "三十八亿元", "年报.md", V),
    ("2023年远山公司营收41亿元。", "41亿元", "年报.md", D),
    ("远山公司2023年营收同比增长百分之十二。", "百分之十二", "年报.md", V),
    ("远山公司现有员工五千六百人。", "五千六百人", "员工.md", V),
    ("远山公司现有员工4800人。", "4800人", "员工.md", D),
    ("远山公司研发人员占30%。", "30%", "员工.md", V),
    ("海湾大桥全长55公里。", "55公里", "大桥.md", D),
    ("海湾大桥于2008-05-01通车。", "2008-05-01", "大桥.md", V),
    ("青州人口为290万。", "290万", "城市.csv", V),
    ("2022年水电占发电量的16%。", "16%", "能源.md", V),
    ("黑河电信用户达到3.4亿。", "3.4亿", "", U),
];

const V: ClaimStatus = ClaimStatus::Verified;
const D: ClaimStatus = ClaimStatus::Disputed;
const U: ClaimStatus = ClaimStatus::Unverifiable;
