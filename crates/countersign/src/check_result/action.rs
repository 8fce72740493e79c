//! The kinds of action that answers claim and tools do, with the words of both.
//!
//! A claim counts only where the speaker speaks of itself ("I have sent", 已发送) or of a thing that only such a tool
//! could have done ("The e-mail has been sent"). What somebody else did never counts.

use super::outcome::has_failed;
use super::subject::has_word;
use super::trace::Trace;
use crate::text::lists::word_list;
use crate::text::phrases::stands_free;
use crate::text::words::identifier_words;
use aho_corasick::AhoCorasick;
use serde_json::Value;
use std::sync::LazyLock;

/// Whether a text may claim an action or an ability at all: a verb of one, and somebody who did it or may. Most texts do
/// not, and a look at all their sentences costs a hundred times more.
pub(crate) fn may_claim(text: &str) -> bool {
    // Where the words could not be compiled, every text is looked at.
    let has = |words: &Option<AhoCorasick>| words.as_ref().is_none_or(|words| words.is_match(text));
    has(&VERBS) && has(&CLAIMANTS)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&VERBS);
    LazyLock::force(&CLAIMANTS);
}

/// The verbs of all actions.
static VERBS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let lists = ACTIONS.iter().flat_map(|action| [action.done, action.past, action.chinese, action.able]);
    find_any(lists.flatten().copied())
});

/// How claims begin, or what the verb of one stands with: every one of `OWN`, `PASSIVE`, `OWN_CHINESE` and of the abilities
/// holds one of these.
static CLAIMANTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    find_any([
        "i ",
        "i'",
        "i’",
        "we ",
        "we'",
        "we’",
        "been",
        "is now",
        "successfully",
        "已",
        "成功",
        "为您",
        "帮您",
        "我",
    ])
});

/// Finds any of some words, in any case.
fn find_any(words: impl IntoIterator<Item = &'static str>) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
}

/// A kind of action, with the words by which answers claim it and tools name it.
#[derive(Debug)]
pub(crate) struct Action {
    /// Past participles, as in "I have sent".
    pub done: &'static [&'static str],
    /// Past tenses, as in "I sent", where they differ.
    pub past: &'static [&'static str],
    /// Chinese verbs, as in 已发送.
    pub chinese: &'static [&'static str],
    /// Verbs for abilities, as in "I can delete".
    pub able: &'static [&'static str],
    /// Things that the passive claim must be about, so that "the order was paid" of a report does not count.
    pub things: &'static [&'static str],
    /// Words in the names of tools that do it.
    pub tools: &'static [&'static str],
}

impl Action {
    /// Whether a sentence claims that this was done by the speaker.
    pub(crate) fn is_claimed(&self, lower: &str) -> bool {
        let done: Vec<&str> = self.done.iter().copied().filter(|done| lower.contains(done)).collect();
        let own = || {
            OWN.iter().any(|start| done.iter().any(|done| starts_clause(lower, &format!("{start}{done}"))))
                || self.past.iter().any(|past| starts_clause(lower, &format!("i {past}")))
        };
        let things = || self.things.iter().filter(|thing| lower.contains(**thing));
        let passive = || {
            done.iter().any(|done| {
                things().any(|thing| PASSIVE.iter().any(|be| is_spoken_of(lower, &format!("{thing} {be} {done}"))))
            })
        };
        own() || (!done.is_empty() && passive()) || self.is_claimed_in_chinese(lower) || self.is_reached(lower)
    }

    /// 已为您办理退款, 已成功向某人转账: the verb stands some words after 已; 转账成功: before its success.
    fn is_reached(&self, lower: &str) -> bool {
        self.chinese.iter().filter(|verb| lower.contains(**verb)).any(|verb| {
            lower.match_indices(verb).any(|(at, _)| {
                let (before, after) = (lower.get(..at).unwrap_or_default(), lower.get(at + verb.len()..));
                let after = after.unwrap_or_default();
                let clause = before.rsplit(BREAKS).next().unwrap_or_default().trim();
                let ends = |text: &str| text.is_empty() || text.starts_with(BREAKS) || text.starts_with('了');
                let well = after.strip_prefix("成功").is_some_and(ends);
                let well = well && (clause.is_empty() || matches!(clause, "您的" | "本次" | "此次" | "已"));
                let noun = after.starts_with(['的', '率', '后', '前']) || after.starts_with("记录");
                let told = clause.split_once('已').is_some_and(|(who, way)| {
                    let way = way.strip_prefix('经').unwrap_or(way);
                    let leads = |start: &str| way.strip_prefix(start).is_some_and(|rest| !rest.starts_with('的'));
                    let leads = WAYS.iter().any(|start| leads(start)) && way.chars().count() <= 24;
                    leads && (who.is_empty() || matches!(who, "我" | "我们" | "现" | "系统")) && !way.ends_with('的')
                });
                (well || told) && !noun
            })
        })
    }

    /// 已发送, 已经为您发送, 我发送了, 邮件已发送, but not 已发送的邮件 or a report of somebody else's deed.
    fn is_claimed_in_chinese(&self, lower: &str) -> bool {
        self.chinese.iter().filter(|verb| lower.contains(**verb)).any(|verb| {
            OWN_CHINESE.iter().any(|start| {
                let claim = format!("{start}{verb}");
                lower.match_indices(&claim).any(|(at, _)| {
                    let after = lower.get(at + claim.len()..).unwrap_or_default();
                    let before = lower.get(..at).unwrap_or_default();
                    let finished =
                        !matches!(*start, "为您" | "帮您") || after.starts_with('了') || after.starts_with("好");
                    let noun = after.starts_with('的') || after.starts_with("率") || after.starts_with("记录");
                    finished && !noun && self.speaks_of_itself(before, start)
                })
            })
        })
    }

    /// Whether what is before a Chinese claim is the speaker or the thing acted on, nothing else.
    fn speaks_of_itself(&self, before: &str, start: &str) -> bool {
        let clause = before.rsplit(['，', ',', '。', '：', '；', '！']).next().unwrap_or_default().trim();
        let own = start.contains('您') || start.starts_with('我') || clause.is_empty() || clause.ends_with('我');
        own || self.things.iter().any(|thing| !thing.is_ascii() && clause.ends_with(thing))
            || clause.starts_with("您的")
            || clause.starts_with('将')
    }

    /// Whether a successful call of such a tool was made. A tool that runs commands may have done anything.
    pub(crate) fn was_done(&self, trace: &Trace) -> bool {
        trace.calls.iter().filter(|call| !has_failed(call)).any(|call| {
            let words = identifier_words(call.name);
            let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
            let only_looks = words.first().is_some_and(|word| LOOKS.contains(&word.as_str()));
            if self.is_denied(call.content) {
                return false;
            }
            (named(self.tools) && !only_looks)
                || named(ANYTHING)
                || !call.name.is_ascii()
                || self.is_asked(call.arguments)
        })
    }

    /// Whether a call asked for the action in its arguments (`action: "cancel"`, an SQL statement).
    fn is_asked(&self, arguments: &Value) -> bool {
        let text = arguments.to_string().to_lowercase();
        text.len() < 20_000 && self.able.iter().any(|verb| has_word(&text, verb))
    }

    /// Whether a result says that it was not done (`merged: false`).
    fn is_denied(&self, content: &Value) -> bool {
        self.done.iter().any(|done| content.get(*done) == Some(&Value::Bool(false)))
    }

    /// Whether a look-up returned that the thing was done, by whomever. A payment is no report of a refund.
    pub(crate) fn was_reported(&self, trace: &Trace, claim: &str) -> bool {
        let refund = |text: &str| text.contains("退款") || text.contains("refund");
        trace.calls.iter().filter(|call| !has_failed(call) && !self.is_denied(call.content)).any(|call| {
            let text = call.content.to_string().to_lowercase();
            let told = |words: &[&str]| words.iter().any(|word| has_word(&text, word));
            text.len() < 200_000
                && (!refund(claim) || refund(&text))
                && (told(self.done) || told(self.past) || self.chinese.iter().any(|verb| text.contains(verb)))
        })
    }
}

/// Whether a passive claim begins a clause, with an article or without.
fn is_spoken_of(lower: &str, claim: &str) -> bool {
    lower.contains(claim)
        && ["", "your ", "the ", "this "].iter().any(|article| starts_clause(lower, &format!("{article}{claim}")))
}

/// Whether a claim is at the beginning of a clause and at word borders.
pub(crate) fn starts_clause(lower: &str, claim: &str) -> bool {
    lower.match_indices(claim).any(|(at, found)| {
        let before = lower.get(..at).unwrap_or_default().trim_end();
        let free = stands_free(lower, &(at..at + found.len()));
        let opens = before.is_empty()
            || before.ends_with([',', ':', ';', '-', '!', '.', '—', '*', '，', '。'])
            || ["and", "done", "okay", "ok", "yes"].iter().any(|word| before.ends_with(word));
        free && opens
    })
}

/// The actions, the gravest first.
pub(crate) const ACTIONS: &[Action] = &[
    Action {
        done: &["deleted", "removed", "erased", "dropped", "wiped"],
        past: &["deleted", "removed", "erased"],
        chinese: &["删除", "移除", "清除", "清空"],
        able: &["delete", "remove", "erase", "drop", "wipe"],
        things: word_list!("check_result", "action/actions/deleted/things"),
        tools: word_list!("check_result", "action/actions/deleted/tools"),
    },
    Action {
        done: &["sent", "emailed", "forwarded", "mailed", "texted", "notified"],
        past: &["sent", "emailed", "forwarded", "notified"],
        chinese: &["发送", "寄出", "转发", "发出", "通知"],
        able: &["send", "forward", "notify", "email"],
        things: word_list!("check_result", "action/actions/sent/things"),
        tools: word_list!("check_result", "action/actions/sent/tools"),
    },
    Action {
        done: &["paid", "transferred", "refunded", "charged", "purchased", "bought"],
        past: &["paid", "transferred", "refunded", "purchased", "bought"],
        chinese: &["支付", "付款", "转账", "退款", "购买", "汇款"],
        able: &["pay", "transfer", "refund", "charge", "purchase", "buy"],
        things: word_list!("check_result", "action/actions/paid/things"),
        tools: word_list!("check_result", "action/actions/paid/tools"),
    },
    Action {
        done: &["updated", "changed", "modified", "edited", "renamed", "reset"],
        past: &["updated", "changed", "modified", "edited", "renamed", "reset"],
        chinese: &["更新", "修改", "更改", "重命名", "重置"],
        able: &["update", "change", "modify", "edit", "rename", "reset"],
        things: word_list!("check_result", "action/actions/updated/things"),
        tools: word_list!("check_result", "action/actions/updated/tools"),
    },
    Action {
        done: &["booked", "reserved", "scheduled"],
        past: &["booked", "reserved", "scheduled"],
        chinese: &["预订", "预定", "预约", "订好", "安排"],
        able: &["book", "reserve", "schedule"],
        things: word_list!("check_result", "action/actions/booked/things"),
        tools: word_list!("check_result", "action/actions/booked/tools"),
    },
    Action {
        done: &["cancelled", "canceled"],
        past: &["cancelled", "canceled"],
        chinese: &["取消", "退订"],
        able: &["cancel"],
        things: word_list!("check_result", "action/actions/cancelled/things"),
        tools: &["cancel", "delete", "remove", "unsubscribe", "update", "close", "terminate", "refund"],
    },
    Action {
        done: &["created", "added", "saved", "uploaded", "posted", "published", "registered", "submitted", "placed"],
        past: &["created", "added", "saved", "uploaded", "posted", "published", "registered", "submitted", "placed"],
        chinese: &["创建", "添加", "保存", "上传", "发布", "提交", "下单", "新建"],
        able: &["create", "add", "save", "upload", "publish", "submit"],
        things: word_list!("check_result", "action/actions/created/things"),
        tools: word_list!("check_result", "action/actions/created/tools"),
    },
    Action {
        done: &["merged"],
        past: &["merged"],
        chinese: &["合并"],
        able: &["merge"],
        things: &["pull request", "merge request", "pr", "branch", "branches", "分支", "合并请求", "拉取请求"],
        tools: &["merge", "rebase", "push", "git", "complete"],
    },
];
/// What may be between 已 and the deed of the speaker.
const WAYS: &[&str] = word_list!("check_result", "action/ways");
/// Where a clause ends.
const BREAKS: [char; 8] = ['，', ',', '。', '：', '；', '！', '!', '.'];
/// How a speaker begins to tell what it did.
const OWN: &[&str] = &[
    "i have ",
    "i've ",
    "i have just ",
    "i've just ",
    "i have already ",
    "i've already ",
    "i just ",
    "i have now ",
    "i have successfully ",
    "i've successfully ",
    "i successfully ",
    "we have ",
    "we've ",
];
const OWN_CHINESE: &[&str] = word_list!("check_result", "action/own-chinese");
const PASSIVE: &[&str] = &[
    "has been",
    "have been",
    "is now",
    "has now been",
    "has successfully been",
    "was successfully",
    "has been successfully",
];
/// Words of tools that may do anything.
pub(crate) const ANYTHING: &[&str] = word_list!("check_result", "action/anything");
/// Verbs of tools that only look.
const LOOKS: &[&str] = word_list!("check_result", "action/looks");
