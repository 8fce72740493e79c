//! Claims held against passages as people write them: plain conflicts are seen, and what only looks like one is not.

use crate::stopwatch::Stopwatch;
use countersign::claims::arithmetic::recompute;
use countersign::claims::find::find;
use countersign::claims::known::tellings;
use countersign::claims::settle::computed::computed;
use countersign::claims::settle::lean::lean;
use countersign::claims::settle::passage::Passage;
use countersign::claims::settle::{Finding, Subject, settle};

/// The finding for the claim with these words.
fn held(text: &str, marked: &str, passage: &str) -> Finding {
    let claims = find(text);
    let read = tellings(text, &claims);
    let at = claims.iter().position(|claim| claim.text.contains(marked));
    let at = at.unwrap_or_else(|| panic!("`{marked}` is marked in `{text}`: {claims:?}"));
    settle(&Subject { claim: &claims[at], telling: &read[at], content: text }, &Passage::read(passage, []))
}

fn name(finding: &Finding) -> &'static str {
    match finding {
        Finding::Supports(_) => "supports",
        Finding::Conflicts(_) => "conflicts",
        Finding::Silent => "silent",
    }
}

// CLAIM-3
#[test]
fn plain_conflicts_are_found() {
    let missed: Vec<_> = CONFLICTS.iter().filter(|(t, m, p)| name(&held(t, m, p)) != "conflicts").collect();
    for (text, marked, passage) in &missed {
        println!("{}: {text} [{marked}] | {passage}", name(&held(text, marked, passage)));
    }
    let found = CONFLICTS.len() - missed.len();
    println!("{found} of {} conflicts", CONFLICTS.len());
    assert!(CONFLICTS.len() >= 25 && found * 10 >= CONFLICTS.len() * 8);
}

// CLAIM-3
#[test]
fn what_is_borne_out_is_found() {
    let missed: Vec<_> = SUPPORTS.iter().filter(|(t, m, p)| name(&held(t, m, p)) != "supports").collect();
    for (text, marked, passage) in &missed {
        println!("{}: {text} [{marked}] | {passage}", name(&held(text, marked, passage)));
    }
    let found = SUPPORTS.len() - missed.len();
    println!("{found} of {} supports", SUPPORTS.len());
    assert!(found * 10 >= SUPPORTS.len() * 8);
}

// CLAIM-3
#[test]
fn another_case_is_no_conflict() {
    for (text, marked, passage) in APART {
        let found = held(text, marked, passage);
        assert_ne!(name(&found), "conflicts", "{text} [{marked}] | {passage}: {found:?}");
    }
}

// CLAIM-3
#[test]
fn another_name_bears_nothing_out() {
    let text = "In 1991 timber exports from Norway through the port of Arden rose 37%.";
    let passage = "In 1991 cotton exports from Norway through the port of Arden rose 34%. In 1991 paper exports from Chile \
                   through the port of Arden rose 37%.";
    assert_eq!(name(&held(text, "37%", passage)), "silent");
}

// CLAIM-3
#[test]
fn a_long_message_costs_its_length() {
    let time = |text: &str| {
        let claims = find(text);
        let mut read = tellings(text, &claims);
        let begun = Stopwatch::start();
        lean(text, &mut read);
        let passage = Passage::read("Revenue was $40m in 2022 and $50m in 2023. It rose 25%.", []);
        for at in 0..claims.len() {
            let _ = recompute(text, &claims, &read, at);
            let subject = Subject { claim: &claims[at], telling: &read[at], content: text };
            let _ = (settle(&subject, &passage), computed(&subject, &passage));
        }
        begun.elapsed().as_secs_f64() / claims.len().max(1) as f64
    };
    for piece in [
        "Total: $5m. It rose 5%. ",
        "- Total: $5m\n",
        "其营收增长5%。",
        "| Total | $5m ",
        "a: 5%; b: 6%; ",
        "2022 $4m, 2023 $5m, up 5% ",
    ] {
        let (short, long) = (time(&piece.repeat(60)), time(&piece.repeat(600)));
        assert!(long < 6.0 * short + 0.001, "{piece}: {short} s a claim, then {long}");
    }
}

const CONFLICTS: &[(&str, &str, &str)] = &[
    ("Revenue in 2023 was $4.1B.", "$4.1B", "In 2023 revenue was $3.8 billion."),
    ("2023年营收38亿元。", "38亿元", "2023年营收为41亿元。"),
    ("The Treaty of Kanpur was signed in 1921.", "1921", "The Treaty of Kanpur was signed in 1923."),
    ("Solar made up 14% of the power mix.", "14%", "Solar made up 9% of the power mix."),
    ("Halden Mills employs 1,200 people.", "1,200", "Halden Mills employs 980 people."),
    ("The Oresund Bridge is 16 km long.", "16 km", "The Oresund Bridge is 7.8 kilometres long."),
    (
        "In 2022, the company reported net income of $220 million.",
        "$220 million",
        "Net income in 2022 was $180 million.",
    ),
    ("Unemployment fell to 3.9% in March 2024.", "3.9%", "In March 2024 unemployment fell to 4.4%."),
    ("Women hold 45% of seats in the council.", "45%", "Women hold 31% of the seats in the council."),
    ("The museum opened on 5 March 2019.", "5 March 2019", "The museum opened on 12 April 2019."),
    ("The battery lasts 12 hours.", "12 hours", "The battery lasts 9 hours."),
    (
        "Kestrel Air carried 3.4 million passengers in 2022.",
        "3.4 million",
        "Kestrel Air carried 2.9 million passengers in 2022.",
    ),
    ("Exports grew 12% in 2021.", "12%", "Exports grew by 7% in 2021."),
    ("The acquisition of Luma cost $95 million.", "$95 million", "Luma's acquisition cost $59 million."),
    ("Mount Arden is 2,431 m high.", "2,431 m", "Mount Arden is 2,341 metres high."),
    ("The fund manages €12bn in assets.", "€12bn", "The fund manages €21 billion in assets."),
    ("The company was founded in 1998.", "1998", "The company was founded in 1989."),
    ("远山公司成立于1998年。", "1998年", "远山公司成立于1989年。"),
    ("该市常住人口为320万人。", "320万人", "该市常住人口为290万人。"),
    ("新能源汽车占销量的35%。", "35%", "新能源汽车占销量的28%。"),
    ("2022年出口增长12%。", "12%", "2022年出口同比增长7%。"),
    ("大桥全长55公里。", "55公里", "大桥全长36公里。"),
    ("公司现有员工5600人。", "5600人", "公司现有员工4800人。"),
    ("第三季度净利润为2.4亿元。", "2.4亿元", "第三季度净利润为1.9亿元。"),
    ("女性董事占比为三成。", "三成", "女性董事占比为18%。"),
    ("博物馆于2019年开馆。", "2019年", "博物馆于2017年开馆。"),
    ("项目总投资120亿元。", "120亿元", "项目总投资为95亿元。"),
    ("手机续航时间为12小时。", "12小时", "手机续航时间为9小时。"),
    ("The population of Bergen is 320,500.", "320,500", "city: Bergen; population: 291,940; country: Norway"),
    ("North sales were $50m.", "$50m", "| Region | Sales |\n|---|---|\n| North | $40m |\n| South | $20m |"),
];

const SUPPORTS: &[(&str, &str, &str)] = &[
    ("Revenue in 2023 was $4.1B.", "$4.1B", "In 2023 revenue was $4.1 billion."),
    ("2023年营收38亿元。", "38亿元", "2023年营收为三十八亿元。"),
    ("2023年营收增长百分之十二。", "百分之十二", "公司2023年营收同比增长12%。"),
    ("The museum opened on 5 March 2019.", "5 March 2019", "The museum opened on 2019-03-05."),
    ("博物馆于2019年3月5日开馆。", "2019年3月5日", "博物馆于2019-03-05开馆。"),
    ("The Oresund Bridge is 7,845 m long.", "7,845 m", "The Oresund Bridge is 7.845 kilometres long."),
    ("Solar made up a third of the power mix.", "a third", "Solar made up 33% of the power mix."),
    ("The population of Bergen is 291,940.", "291,940", "city: Bergen; population: 291,940; country: Norway"),
    ("Sales in the north were $40m.", "$40m", "| Region | Sales |\n|---|---|\n| North | $40m |\n| South | $20m |"),
    ("Halden Mills is a maker of cloth. It employs 1,200 people.", "1,200", "Halden Mills employs 1,200 people."),
    ("远山公司生产手机。其2023年营收为38亿元。", "38亿元", "远山公司2023年营收为38亿元。"),
    ("公司现有员工五千六百人。", "五千六百人", "公司现有员工5,600人。"),
];

const APART: &[(&str, &str, &str)] = &[
    ("Revenue in 2023 was $4.1B.", "$4.1B", "In 2022 revenue was $3.8 billion."),
    ("Revenue in 2023 was $4.1B.", "$4.1B", "In 2023 revenue from services was $1.2 billion."),
    ("2023年营收38亿元。", "38亿元", "2022年营收为41亿元。"),
    ("2023年营收38亿元。", "38亿元", "2023年海外营收为11亿元。"),
    ("The Treaty of Kanpur was signed in 1921.", "1921", "The Treaty of Kanpur was ratified in 1923."),
    ("The Treaty of Kanpur was signed in 1921.", "1921", "The Treaty of Lille was signed in 1923."),
    ("Solar made up 14% of the power mix.", "14%", "Wind made up 9% of the power mix."),
    ("Halden Mills employs 1,200 people.", "1,200", "Halden Mills employs 980 people in Norway."),
    ("The battery lasts 12 hours.", "12 hours", "The battery charges in 2 hours."),
    ("Exports grew 12% in 2021.", "12%", "Exports grew to 7% of output in 2021."),
    ("The company was founded in 1998.", "1998", "The company was listed in 2009."),
    ("远山公司成立于1998年。", "1998年", "远山公司上市于2009年。"),
    ("远山公司成立于1998年。", "1998年", "青峰公司成立于1989年。"),
    ("新能源汽车占销量的35%。", "35%", "新能源汽车占出口的28%。"),
    ("公司现有员工5600人。", "5600人", "公司现有研发员工800人。"),
    ("大桥全长55公里。", "55公里", "隧道全长36公里。"),
    ("Population is 320,500.", "320,500", "city: Bergen; population: 291,940; country: Norway"),
    ("The population of Oslo is 709,037.", "709,037", "city: Bergen; population: 291,940; country: Norway"),
    (
        "North sales were $50m.",
        "$50m",
        "| Region | Year | Sales |\n|---|---|---|\n| North | 2022 | $40m |\n| South | 2022 | $20m |",
    ),
    ("Sales were $50m.", "$50m", "| Region | Sales |\n|---|---|\n| North | $40m |\n| South | $20m |"),
    ("Mount Arden is 2,431 m high.", "2,431 m", "The hut on Mount Arden is 1,900 metres high."),
    ("The fund manages €12bn in assets.", "€12bn", "The fund managed €9 billion in assets in 2015."),
    ("Unemployment fell to 3.9% in March 2024.", "3.9%", "In March 2023 unemployment fell to 4.4%."),
    ("项目总投资120亿元。", "120亿元", "项目一期总投资为95亿元。"),
    ("第三季度净利润为2.4亿元。", "2.4亿元", "前三季度净利润为6.9亿元。"),
];
