//! What the demo model says in words, in the language of the question.

use super::conversation::Tool;
use super::schema::{property, word};
use super::tasks::OF_THE_HOUSE;
use super::words::{Tongue, mentions_word, tongue};

/// An answer without figures: what this model can do, and what to try.
pub(super) fn plain(question: &str, tools: &[Tool]) -> String {
    let short = short(question);
    let own = tools.iter().map(|tool| tool.name.as_str()).filter(|name| !OF_THE_HOUSE.contains(name));
    let names = own.take(NAMED).collect::<Vec<_>>().join(", ");
    let chinese = tongue(question) == Tongue::Chinese;
    let mut said = if chinese {
        format!("您问的是：{short}\n\n我是内置的演示模型，没有可靠的资料，因此不提供任何数据。")
    } else {
        format!("You asked: {short}\n\nI am the built-in demo model and know no facts, so I state none. ")
    };
    let offer = match (chinese, names.is_empty()) {
        (false, true) => "Declare a tool, and I will call it.".to_owned(),
        (true, true) => "请声明一个工具，我会调用它。".to_owned(),
        (false, false) => format!("No tool here fits this ({names}); ask for something they do, and I will call one."),
        (true, false) => format!("这里的工具（{names}）都不适合这个问题；请提出它们能做的事，我会调用。"),
    };
    said.push_str(&offer);
    said
}

/// What a concierge can do beside.
pub(super) fn offer(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => {
            " You can also ask me to search, to note or save something, to delegate a task, or how the market did."
        }
        Tongue::Chinese => "您也可以让我搜索、记笔记、保存资料、委派任务，或者问我市场表现如何。",
    }
}

/// A question about what a call needs and nobody said.
pub(super) fn asking(question: &str, tool: &Tool, missing: &[String]) -> String {
    let about = |name: &String| {
        let told = property(&tool.schema, name).map(|field| word(field, "description")).unwrap_or_default();
        if told.is_empty() {
            format!("`{name}`")
        } else {
            format!("`{name}` ({})", told.trim_end_matches(['.', '。']))
        }
    };
    let needed: Vec<String> = missing.iter().map(about).collect();
    match tongue(question) {
        Tongue::English => {
            format!("To call `{}` I still need {}. Tell me, and I will call it.", tool.name, needed.join(" and "))
        }
        Tongue::Chinese => format!("要调用 `{}`，我还需要 {}。请告诉我，我马上调用。", tool.name, needed.join("、")),
    }
}

/// What a question is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matter {
    /// Figures of a market, which this model makes up.
    Figures,
    /// Anything else.
    Other,
}

/// What a question is after.
pub(super) fn matter(question: &str) -> Matter {
    let lower = question.to_lowercase();
    if FIGURES.iter().any(|word| mentions_word(&lower, word)) { Matter::Figures } else { Matter::Other }
}

/// An answer with figures that nobody verified.
pub(super) fn claims(question: &str) -> String {
    let short = short(question);
    match tongue(question) {
        Tongue::English => format!(
            "You asked: {short}\n\nAccording to the 2024 Demo Institute report, the market grew by 25% to $3.5 billion. \
             Nobody has verified these figures yet."
        ),
        Tongue::Chinese => format!(
            "您问的是：{short}\n\n根据演示研究院2024年报告，市场增长了25%，规模达到3.4亿元。这些数字尚未经过验证。"
        ),
    }
}

/// A note whose tag is not closed, for hosted conversations, where notes are kept.
pub(super) fn open_note(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => "\n\n<create_note><name>demo</name><content>The market grew by 25%.",
        Tongue::Chinese => "\n\n<create_note><name>演示</name><content>市场增长25%",
    }
}

/// A promise, and nothing after it.
pub(super) fn promise(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => "Sure, I will do that.",
        Tongue::Chinese => "好的，我马上处理。",
    }
}

/// A word before a call.
pub(super) fn before_call(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => "Let me look that up.",
        Tongue::Chinese => "我来查一下。",
    }
}

/// A word before tags.
pub(super) fn before_tags(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => "This is what I do about it:",
        Tongue::Chinese => "我来处理：",
    }
}

/// An answer from pages that were found: titles and links.
pub(super) fn from_pages(results: &str, pages: &[(String, String)]) -> String {
    let chinese = results.starts_with("搜索");
    let listed: Vec<String> = pages.iter().map(|(title, link)| format!("- {title}: {link}")).collect();
    match (chinese, listed.is_empty()) {
        (false, true) => "The search found nothing that answers this.".to_owned(),
        (true, true) => "搜索没有找到能回答这个问题的内容。".to_owned(),
        (false, false) => format!("The search found these pages:\n{}", listed.join("\n")),
        (true, false) => format!("搜索找到了以下网页：\n{}", listed.join("\n")),
    }
}

/// An answer from evidence, each piece with its mark. What failed says nothing.
pub(super) fn from_evidence(told: &str, pieces: &[(String, String)]) -> String {
    let chinese = tongue(told) == Tongue::Chinese;
    let failed = |text: &str| FAILED.iter().any(|word| text.contains(word));
    let line = |(id, text): &(String, String)| match (chinese, failed(text)) {
        (false, false) => format!("Found: {text} [{id}]"),
        (true, false) => format!("查到：{text} [{id}]"),
        (false, true) => format!("One step failed and says nothing [{id}]."),
        (true, true) => format!("有一步失败了，没有提供信息 [{id}]。"),
    };
    match pieces {
        [] if chinese => "证据不足以回答这个问题。".to_owned(),
        [] => "The evidence does not answer the question.".to_owned(),
        some => some.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

/// An answer that does not seem to end.
pub(super) fn flood(question: &str) -> String {
    let sentence = match tongue(question) {
        Tongue::English => "And there is still more to say about this, which is said here at length. ",
        Tongue::Chinese => "关于这一点还有许多话要说，这里逐一道来。",
    };
    sentence.repeat(FLOOD.div_ceil(sentence.len()))
}

/// Figures beside what a tool gave back.
pub(super) fn beside_results(question: &str) -> &'static str {
    match tongue(question) {
        Tongue::English => "\n\nThat is 37% more than in 2023, according to the Demo Institute.",
        Tongue::Chinese => "\n\n据演示研究院统计，这比2023年增长了37%。",
    }
}

/// What it says when a tool refuses for good, or again and again.
pub(super) fn giving_up(question: &str, reason: &str) -> String {
    let reason = short(reason);
    match tongue(question) {
        Tongue::English => format!("I could not do that. The tool said: {reason}"),
        Tongue::Chinese => format!("未能完成。工具的答复是：{reason}"),
    }
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

const LONGEST: usize = 2000;
/// So many tools are named.
const NAMED: usize = 6;
/// Words of questions about a market.
const FIGURES: [&str; 22] = [
    "market",
    "markets",
    "sales",
    "revenue",
    "growth",
    "grow",
    "grew",
    "grown",
    "turnover",
    "profit",
    "profits",
    "industry",
    "economy",
    "statistics",
    "figures",
    "市场",
    "销售",
    "销量",
    "营收",
    "增长",
    "利润",
    "行业",
];
/// Words by which evidence says that its step failed.
const FAILED: [&str; 5] = ["(failed)", "failed:", "is_error", "失败", "[failed]"];
/// Bytes of an answer that does not seem to end.
const FLOOD: usize = 1 << 20;
