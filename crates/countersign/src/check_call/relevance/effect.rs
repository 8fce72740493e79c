//! An irreversible effect that nobody spoke of.
//!
//! To delete, to pay or to send is always somebody's wish, and people have words for it. Where none of these words
//! fell in the whole conversation, the call is not what was asked for.

use super::super::effects::all_by_name;
use super::super::subject::Subject;
use super::grounded;
use crate::contract::codes::provenance::UNASKED;
use crate::contract::{Finding, Role as Speaker};
use crate::conversation::fold::fold;
use crate::conversation::tokens::Tokens;
use crate::conversation::vocabulary::Spoken;
use crate::localized;
use crate::policy::{Effect, ToolPolicy};
use crate::text::words::identifier_words;

/// The finding, where an irreversible tool is called and its effect was never spoken of.
pub(crate) fn unspoken(subject: &Subject<'_>) -> Option<Finding> {
    let reads = || identifier_words(&subject.tool.spec.name).iter().any(|word| READS.contains(&word.as_str()));
    if !subject.tool.effects.irreversible || reads() || !is_plain(subject) {
        return None;
    }
    let index = subject.conversation.index();
    let lists = subject.tool.effects.effects.iter().filter_map(|effect| words_for(*effect));
    let lists: Vec<Words> = lists.collect();
    let spoken = || lists.iter().any(|list| list.stand_in(index.tokens(), index.text()));
    let context = subject.context.told().any(|value| value.as_str().is_some_and(|text| text.contains(' ')));
    if lists.is_empty() || context || index.request().0 == Spoken::Unknown {
        return None;
    }
    // A question wants an answer. What tools wrote is no wish either, so that only people and models are listened to.
    let idle = grounded::is_question(index.asked()) && !was_said(&lists, subject);
    if !idle && (spoken() || grounded::object(subject)) {
        return None;
    }
    let name = &subject.tool.spec.name;
    let evidence = localized!(
        subject.language,
        "`{name}` cannot be undone, and nobody spoke of anything that it does",
        "`{name}` 的操作无法撤销，而对话中没有人提出过这样的要求"
    );
    let hint = localized!(subject.language, "ask the user before you call it", "请先征得用户同意");
    Some(Finding::new(&UNASKED, "/name", evidence).hint(hint))
}

/// Whether the effect stands in the tool's name, or the operator or an annotation told it. What only a description tells is a
/// reason for care and none to doubt the call: the user spoke of what the tool is for, in other words.
fn is_plain(subject: &Subject<'_>) -> bool {
    let spec = &subject.tool.spec;
    let lasting = |effect: &Effect| matches!(effect, Effect::Delete | Effect::Pay | Effect::Send);
    let told = |tool: &ToolPolicy| tool.effects.is_some() || tool.irreversible.is_some();
    all_by_name(&spec.name).iter().any(lasting)
        || spec.annotations.destructive == Some(true)
        || subject.policy.tool(&spec.name).any(told)
}

/// Whether anybody spoke of an effect in words of their own, not in results or arguments.
fn was_said(lists: &[Words], subject: &Subject<'_>) -> bool {
    subject.conversation.messages().iter().filter(|message| message.role != Speaker::Tool).any(|message| {
        let text = fold(&message.text);
        let mut tokens = Tokens::default();
        tokens.add(&text);
        lists.iter().any(|list| list.stand_in(&tokens, &text))
    })
}

/// The words of an effect, in both languages.
struct Words {
    english: &'static [&'static str],
    chinese: &'static [&'static str],
}

impl Words {
    fn stand_in(&self, tokens: &Tokens, text: &str) -> bool {
        tokens.has_any(self.english) || self.chinese.iter().any(|word| text.contains(word))
    }
}

fn words_for(effect: Effect) -> Option<Words> {
    match effect {
        Effect::Delete => Some(Words { english: DELETE, chinese: DELETE_ZH }),
        Effect::Pay => Some(Words { english: PAY, chinese: PAY_ZH }),
        Effect::Send => Some(Words { english: SEND, chinese: SEND_ZH }),
        _ => None,
    }
}

/// Words of names such as `send_get_request`, which change nothing however they begin.
const READS: &[&str] =
    &["get", "fetch", "query", "read", "search", "find", "list", "check", "preview", "draft", "status"];

const DELETE: &[&str] = &[
    "delete",
    "deletion",
    "remove",
    "removal",
    "drop",
    "erase",
    "clear",
    "cancel",
    "cancellation",
    "discard",
    "wipe",
    "rid",
    "trash",
    "uninstall",
    "revoke",
    "undo",
    "purge",
    "destroy",
    "abort",
    "rescind",
    "withdraw",
    "scrap",
    "eliminate",
    "clean",
    "void",
    "unsubscribe",
    "rm",
    "rmdir",
    "dismiss",
    "stop",
    "end",
    "kill",
    "terminate",
    "reset",
    "forget",
    "leave",
    "quit",
    "overwrite",
    "nuke",
    "anymore",
    "longer",
    "unwanted",
    "obsolete",
    "prune",
];
const DELETE_ZH: &[&str] = &[
    "删", "移除", "取消", "清除", "清空", "去掉", "撤销", "退订", "注销", "卸载", "销毁", "终止", "清理", "不要",
    "不用", "退", "去除", "丢",
];
const PAY: &[&str] = &[
    "pay",
    "payment",
    "transfer",
    "purchase",
    "buy",
    "book",
    "booking",
    "order",
    "money",
    "charge",
    "refund",
    "withdraw",
    "withdrawal",
    "deposit",
    "fund",
    "invest",
    "donate",
    "donation",
    "bill",
    "checkout",
    "acquire",
    "spend",
    "wire",
    "remit",
    "cover",
    "trade",
    "secure",
    "reserve",
    "reservation",
    "ticket",
    "compensation",
    "compensate",
    "send",
    "invoice",
    "settle",
    "tip",
    "rent",
    "subscribe",
    "upgrade",
    "renew",
    "grab",
    "move",
    "shift",
    "put",
    "owe",
    "return",
    "exchange",
    "want",
    "checkout",
];
const PAY_ZH: &[&str] = &[
    "付", "支付", "转账", "转", "买", "购", "订", "下单", "充值", "退款", "捐", "投资", "汇", "缴", "交费", "钱", "退",
    "结账", "点一", "打款",
];
const SEND: &[&str] = &[
    "send",
    "email",
    "mail",
    "message",
    "text",
    "tell",
    "notify",
    "notification",
    "post",
    "tweet",
    "share",
    "reply",
    "forward",
    "publish",
    "contact",
    "inform",
    "announce",
    "announcement",
    "comment",
    "know",
    "ping",
    "say",
    "write",
    "dispatch",
    "deliver",
    "let",
    "broadcast",
    "retweet",
    "reach",
    "relay",
    "convey",
    "update",
    "communicate",
    "ask",
    "report",
    "respond",
    "response",
    "request",
    "express",
    "pass",
    "sms",
    "invite",
    "invitation",
    "remind",
    "reminder",
    "alert",
    "submit",
    "answer",
    "thank",
    "apologize",
    "call",
    "mention",
    "warn",
    "confirm",
    "explain",
    "follow",
    "introduce",
    "congratulate",
    "wish",
    "advise",
    "chase",
];
const SEND_ZH: &[&str] = &[
    "发",
    "告诉",
    "通知",
    "邮件",
    "短信",
    "消息",
    "回复",
    "转发",
    "分享",
    "留言",
    "联系",
    "提醒",
    "邀请",
    "告知",
    "写信",
    "转告",
    "说一",
    "说下",
    "说声",
    "跟他说",
    "跟她说",
    "讲一",
    "叫",
    "问一",
    "回一",
    "催",
    "知会",
    "带话",
];
