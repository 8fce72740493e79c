//! The pages that walk through the code: every stop is a file that exists, and the way stays short.

use std::path::Path;

/// The links of a part of a page.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// The stops of a section: the files that its numbered lines link.
fn stops<'a>(page: &'a str, title: &str) -> Vec<&'a str> {
    let section = page.split(&format!("## {title}\n")).nth(1).expect(title).split("\n## ").next().unwrap();
    let numbered = section.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    numbered.flat_map(links).filter(|link| link.contains("/src/")).collect()
}

// RESOLVE-1: the pages follow the code, and the way from a request to its end has few stops.
#[test]
fn the_stops_exist_and_are_few() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for name in ["life-of-a-turn.md", "life-of-a-call.md"] {
        let page = std::fs::read_to_string(docs.join(name)).unwrap();
        for link in links(&page).into_iter().filter(|link| !link.starts_with("http")) {
            let path = link.split('#').next().unwrap_or_default();
            assert!(docs.join(path).exists(), "{name} links {link}, which does not exist");
        }
    }
    let page = std::fs::read_to_string(docs.join("life-of-a-turn.md")).unwrap();
    let (turn, stream) = (stops(&page, "A hosted turn"), stops(&page, "A streamed answer on the gateway"));
    assert!(turn.len() > 15 && turn.len() < 35, "{} stops of a hosted turn", turn.len());
    assert!(stream.len() > 10 && stream.len() < 32, "{} stops of a streamed answer", stream.len());
}
