//! What it costs to look 100 claims up among 10,000 passages on two threads, the building of the index left out.
//!
//! `cargo bench -p countersign-runtime --bench factcheck` prints the best and the median of 20 rounds. Every round has a
//! node of its own, so that nothing is read before it is asked for. `factcheck ROUNDS` runs so many, for a profiler.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark ends at the first surprise"
)]

use countersign::claims::find::find;
use countersign::claims::mark::mark;
use countersign::contract::MarkedMessage;
use countersign_runtime::factcheck::{FactCheck, Library, Options, Report, Sources};
use countersign_runtime::kb::{KnowledgeBase, Passage};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let rounds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(20);
    let begun = Instant::now();
    let library: Arc<dyn Library> = Arc::new(KnowledgeBase::in_memory((0..PASSAGES).map(passage).collect()));
    println!("{PASSAGES} passages indexed in {:?}", begun.elapsed());
    let messages: Vec<MarkedMessage> = (0..MESSAGES).map(message).collect();
    let claims: usize = messages.iter().map(|message| message.claims.len()).sum();
    // The dictionary of Chinese words is loaded once in the life of a process.
    look_up(&library, &messages);
    let mut times = Vec::new();
    let mut report = Report::default();
    for _ in 0..rounds {
        let begun = Instant::now();
        report = look_up(&library, &messages);
        times.push(begun.elapsed());
    }
    times.sort();
    let (best, median) = (times.first().unwrap(), times.get(times.len() / 2).unwrap());
    println!("{claims} claims on {THREADS} threads: best {best:?}, median {median:?} of {rounds}");
    println!("{:?}", report.summary);
    assert!(claims >= CLAIMS && report.summary.verified > 0 && report.summary.disputed > 0);
    assert!(*best <= Duration::from_millis(50), "more than 50 ms");
}

fn look_up(library: &Arc<dyn Library>, messages: &[MarkedMessage]) -> Report {
    let sources = Sources { library: Some(Arc::clone(library)), ..Sources::default() };
    let options = Options { threads: Some(THREADS), ..Options::default() };
    FactCheck::new(sources, options).run(messages, &[], &[], &mut |_| ControlFlow::Continue(()))
}

/// A third of the claims are in a passage, a third stand there with another number, a third do not appear.
fn message(number: usize) -> MarkedMessage {
    let at = number * (PASSAGES / MESSAGES) + number;
    let value = 11
        + at % 83
        + match number % 3 {
            0 => 0,
            1 => 9,
            _ => 10_000,
        };
    let text = if number % 4 == 3 { chinese(at, value) } else { english(at, value) };
    let text = if number % 3 == 2 {
        text.replace(GOODS[at % 10], "marble").replace(WARES[at % 10], "大理石")
    } else {
        text
    };
    mark(&format!("m{number}"), &text, find(&text))
}

/// About four sentences, as a knowledge base cuts them.
fn passage(at: usize) -> Passage {
    let value = 11 + at % 83;
    let text = if at / (PASSAGES / MESSAGES) % 4 == 3 {
        let other = chinese(at + 7, value + 3);
        format!(
            "统计局公布了年度数据，各地情况有所不同。{}{other}专家认为，未来市场仍有较大不确定性。",
            chinese(at, value)
        )
    } else {
        let other = english(at + 7, value + 3);
        format!(
            "The statistical office keeps a list of goods and of the places they are shipped from. {} {other} More is said \
             in the appendix of the yearbook, which was printed in {}.",
            english(at, value),
            1950 + at % 70
        )
    };
    let headings = vec!["Yearbook".to_owned(), format!("Trade {}", at % 97)];
    Passage { file: format!("book-{}.md", at / 50), headings, end: text.len(), text, start: 0, line: at % 50 + 1 }
}

fn english(at: usize, value: usize) -> String {
    let (good, land, year) = (GOODS[at % 10], LANDS[at / 10 % 10], 1990 + at / 100 % 30);
    format!("In {year} {good} exports from {land} through the port of {} rose {value}%.", PORTS[at / 1000 % 10])
}

fn chinese(at: usize, value: usize) -> String {
    let (good, land, year) = (WARES[at % 10], PLACES[at / 10 % 10], 1990 + at / 100 % 30);
    format!("{year}年{land}{}口岸的{good}出口增长{value}%。", SIDES[at / 1000 % 10])
}

const PASSAGES: usize = 10_000;
/// Each with a date and a share.
const MESSAGES: usize = CLAIMS / 2;
const CLAIMS: usize = 100;
const THREADS: usize = 2;
const GOODS: [&str; 10] = ["timber", "copper", "coffee", "paper", "wool", "salt", "cotton", "glass", "steel", "honey"];
const LANDS: [&str; 10] = ["Norway", "Chile", "Kenya", "Japan", "Peru", "Ghana", "Nepal", "Malta", "Qatar", "Italy"];
const PORTS: [&str; 10] = ["Arden", "Borg", "Calder", "Dunmore", "Elgin", "Fenwick", "Garth", "Holm", "Irvine", "Jura"];
const WARES: [&str; 10] = ["木材", "铜矿", "咖啡", "纸张", "羊毛", "食盐", "棉花", "玻璃", "钢材", "蜂蜜"];
const PLACES: [&str; 10] = ["浙江", "广东", "四川", "湖南", "山东", "河北", "福建", "云南", "陕西", "江苏"];
const SIDES: [&str; 10] = ["东港", "西港", "南港", "北港", "新港", "老港", "海港", "河港", "湖港", "山港"];
