//! The part of the concierge: what a question asks for decides which tags are written; search results are answered from.

use super::conversation::Conversation;
use super::dice::Dice;
use super::fault::{Fault, Habit, TagFault};
use super::markup::{Tag, Wrong, written};
use super::part::put_before;
use super::talk;
use super::words::{Tongue, tongue, topic, words};
use serde_json::Value;

/// What the concierge says; nothing where the question asks for none of what it does by tags.
pub(super) fn say(asked: &Conversation, dice: &Dice) -> Option<String> {
    let found = put_before(asked, &RESULTS).filter(|(results, _)| asked.question() == *results);
    if let Some((results, question)) = found
        && asked.habit != Habit::Always(Fault::Loop)
    {
        return Some(from_results(results, question, wrong(asked, dice)));
    }
    let question = found.map_or_else(|| asked.question(), |(_, question)| question);
    let tags = tags(asked, question)?;
    let delegates = tags.iter().any(|tag| *tag == delegation(question));
    let wrong = match wrong(asked, dice) {
        // Without its end, a task would not be handed over.
        Wrong::One(_) if delegates => Wrong::One(TagFault::Misspelt),
        wrong => wrong,
    };
    Some(format!("{}\n{}", talk::before_tags(question), written(&tags, wrong)))
}

fn tags(asked: &Conversation, question: &str) -> Option<Vec<Tag>> {
    match asked.habit {
        Habit::Always(Fault::Delegate) => return Some(vec![delegation(question)]),
        Habit::Always(Fault::Search) => return Some(searches(question, 3)),
        Habit::Always(Fault::Loop) if asked.tools.is_empty() => return Some(searches(question, 1)),
        _ => {}
    }
    let wish = WISHES.iter().find(|(_, english, chinese)| wants(question, english, chinese)).map(|(wish, ..)| wish);
    match (wish, asked.habit) {
        (Some(Wish::Delegate), _) => Some(vec![delegation(question)]),
        (Some(Wish::Search), _) => Some(searches(question, 2)),
        (Some(Wish::Note), _) => Some(vec![note(question, &topic(question))]),
        (Some(Wish::Save), _) => Some(vec![material(&topic(question))]),
        (Some(Wish::Points), _) => Some(points(question)),
        (None, Habit::Always(Fault::Tag(_))) => Some(vec![note(question, &topic(question))]),
        (None, _) => None,
    }
}

/// How the tags are wrong.
fn wrong(asked: &Conversation, dice: &Dice) -> Wrong {
    match asked.habit {
        Habit::Always(Fault::Tag(fault)) => Wrong::All(fault),
        Habit::Mixed | Habit::Hosted => {
            let slips = [TagFault::Misspelt, TagFault::Unclosed];
            dice.pick("slip", &slips).map_or(Wrong::None, |fault| Wrong::One(*fault))
        }
        Habit::Clean | Habit::Always(_) => Wrong::None,
    }
}

/// What a question may ask for, the first that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Delegate,
    Search,
    Note,
    Save,
    Points,
}

fn wants(question: &str, english: &[&str], chinese: &[&str]) -> bool {
    let said: Vec<String> = words(question).iter().map(|word| word.to_lowercase()).collect();
    let said = format!(" {} ", said.join(" "));
    english.iter().any(|phrase| said.contains(&format!(" {phrase} ")))
        || chinese.iter().any(|word| question.contains(word))
}

fn searches(question: &str, wanted: usize) -> Vec<Tag> {
    let topic = topic(question);
    let parts: Vec<&str> =
        topic.split(" and ").flat_map(|part| part.split(['、', '和', '，', ','])).map(str::trim).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.chars().count() > 1).take(3).collect();
    let sides = if tongue(question) == Tongue::Chinese {
        ["", "最新数据", "背景"]
    } else {
        ["", " latest figures", " background"]
    };
    let queries: Vec<String> = match parts.as_slice() {
        several if several.len() >= wanted && wanted > 1 => several.iter().map(|part| (*part).to_owned()).collect(),
        _ => sides.iter().take(wanted).map(|side| format!("{topic}{side}")).collect(),
    };
    queries.into_iter().map(|query| Tag::text("web_search", query)).collect()
}

fn delegation(question: &str) -> Tag {
    Tag::text("call_orchestrator", question)
}

fn note(question: &str, content: &str) -> Tag {
    let name = content.chars().take(LONGEST_NAME).collect::<String>().trim().to_owned();
    let usual = if tongue(question) == Tongue::Chinese { "笔记" } else { "note" };
    let name = if name.is_empty() { usual.to_owned() } else { name };
    Tag::fields("create_note", vec![("name", name), ("content", content.to_owned())])
}

fn material(content: &str) -> Tag {
    Tag::fields("save_material", vec![("content", content.to_owned())])
}

fn points(question: &str) -> Vec<Tag> {
    let topic = topic(question);
    let chinese = tongue(question) == Tongue::Chinese;
    let lines = if chinese { CHINESE_POINTS } else { ENGLISH_POINTS };
    (1..)
        .zip(lines)
        .map(|(number, line)| Tag::text(format!("confirm{number}"), line.replace("{topic}", &topic)))
        .collect()
}

/// An answer from search results, with their titles and links. What the question wanted kept is kept now.
fn from_results(results: &str, question: &str, wrong: Wrong) -> String {
    let found = pages(results);
    let text = talk::from_pages(results, &found);
    let keeps =
        |wish: Wish| WISHES.iter().any(|(known, english, chinese)| *known == wish && wants(question, english, chinese));
    let content = found.iter().map(|(title, link)| format!("{title} {link}")).collect::<Vec<_>>().join("; ");
    let mut kept = Vec::new();
    if !found.is_empty() && keeps(Wish::Note) {
        kept.push(note(question, &content));
    }
    if !found.is_empty() && keeps(Wish::Save) {
        kept.push(material(&content));
    }
    if kept.is_empty() { text } else { format!("{text}\n{}", written(&kept, wrong)) }
}

/// Titles and links: of JSON where the results are that, else each link with the words before it.
fn pages(results: &str) -> Vec<(String, String)> {
    let start = results.find(['[', '{']).unwrap_or(results.len());
    let parsed: Option<Value> = results.get(start..).and_then(|text| serde_json::from_str(text.trim()).ok());
    let listed = parsed.as_ref().and_then(|value| value.get("results").unwrap_or(value).as_array());
    let word = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(items) = listed {
        return items.iter().take(MOST_PAGES).map(|item| (word(item, "title"), word(item, "link"))).collect();
    }
    let mut found = Vec::new();
    let mut before = "";
    for line in results.lines() {
        let at = line.find("https://").into_iter().chain(line.find("http://")).min();
        if let Some(at) = at {
            let (front, link) = line.split_at(at);
            let title = if bare(front).is_empty() { bare(before) } else { bare(front) };
            let end = link.find(|c: char| c.is_whitespace() || ")]>\"'，。）】".contains(c)).unwrap_or(link.len());
            found.push((title.to_owned(), link.get(..end).unwrap_or_default().to_owned()));
        }
        if !line.trim().is_empty() && at.is_none() {
            before = line;
        }
        if found.len() == MOST_PAGES {
            break;
        }
    }
    found
}

/// A title without what is around it.
fn bare(text: &str) -> &str {
    let numbered = |c: char| c.is_ascii_digit() || ".)(]#*-[ \t—–:：<>|".contains(c);
    let text = text.trim_start_matches(numbered).trim_end_matches(|c: char| "([—–-:： \t<>|]*".contains(c));
    let named = ["title:", "Title:", "标题：", "标题:"].iter().find_map(|name| text.strip_prefix(name));
    let text = named.unwrap_or(text).trim();
    let link = ["link", "url", "Link", "URL", "链接"].contains(&text);
    if link { "" } else { text }
}

/// How the results of searches begin.
const RESULTS: [&str; 2] = ["Search results", "搜索结果"];

type Words = &'static [&'static str];
const WISHES: [(Wish, Words, Words); 5] = [
    (
        Wish::Delegate,
        &["delegate", "orchestrator", "orchestrate", "multi-step", "several steps", "step by step", "hand over"],
        &["委派", "多步", "分步", "一步步", "几个步骤", "编排"],
    ),
    (
        Wish::Search,
        &["search", "look up", "find", "find out", "google", "research"],
        &["搜索", "搜一下", "查找", "查一下", "查一查", "找一下", "检索", "上网查"],
    ),
    (Wish::Note, &["note", "notes", "remember", "write down", "jot down"], &["记下", "记住", "记录", "笔记", "备忘"]),
    (Wish::Save, &["save", "keep this", "store"], &["保存", "存下", "收藏", "素材", "资料库"]),
    (
        Wish::Points,
        &["options", "points", "choices", "alternatives", "bullet points"],
        &["选项", "要点", "几点", "方案", "哪些选择"],
    ),
];
const ENGLISH_POINTS: [&str; 3] =
    ["What matters most about {topic}", "What speaks against it", "What should be looked at next"];
const CHINESE_POINTS: [&str; 3] = ["关于“{topic}”，最重要的是什么", "有哪些不利之处", "接下来应当核查什么"];
const LONGEST_NAME: usize = 24;
const MOST_PAGES: usize = 10;
