//! Verbs with what they do to the world, in both languages.
//!
//! A verb that is a thing as often as a deed (`email`, `order`, `transfer`) says so: where only grammar could tell, it needs
//! more evidence than `delete`, which is never a thing.

use crate::policy::Effect;

/// A verb of the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verb {
    /// What it does.
    pub effect: Effect,
    /// Whether the same word is also a thing.
    pub thing: bool,
    /// The form that it is in.
    pub form: Form,
}

/// The form of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `delete`.
    Base,
    /// `deletes`.
    Third,
    /// `deleting`.
    Gerund,
}

/// The verb that a word is, in its base form.
pub(crate) fn verb(word: &str) -> Option<Verb> {
    let (_, effect) = VERBS.iter().find(|(verbs, _)| verbs.contains(&word))?;
    Some(Verb { effect: *effect, thing: THINGS.contains(&word), form: Form::Base })
}

/// The verb that a word is, in the forms in which descriptions use it. Participles (`deleted`) tell of the past and are none.
pub(crate) fn inflected(word: &str) -> Option<Verb> {
    let formed = |stem: String, form: Form| verb(&stem).map(|verb| Verb { form, ..verb });
    let third = || {
        let bare = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let long = word.strip_suffix("es").map(str::to_owned);
        let short = word.strip_suffix('s').map(str::to_owned);
        [bare, short, long].into_iter().flatten().find_map(|stem| formed(stem, Form::Third))
    };
    let gerund = || {
        let stem = word.strip_suffix("ing")?;
        let doubled = stem.chars().next_back().and_then(|last| stem.strip_suffix(last)).unwrap_or(stem);
        [stem.to_owned(), format!("{stem}e"), doubled.to_owned()]
            .into_iter()
            .find_map(|stem| formed(stem, Form::Gerund))
    };
    verb(word).or_else(third).or_else(gerund)
}

/// The Chinese verb that a text begins with, and what follows it.
pub(crate) fn chinese(text: &str) -> Option<(Verb, &str)> {
    CHINESE.iter().find_map(|(verbs, effect)| {
        let rest = verbs.iter().find_map(|verb| text.strip_prefix(verb).map(|rest| (verb, rest)));
        rest.map(|(verb, rest)| (Verb { effect: *effect, thing: THINGS_ZH.contains(verb), form: Form::Base }, rest))
    })
}

/// Words after a verb that is a thing too, which make it one: `payment_status`, "the send history".
pub(crate) const RECORDS: &[&str] = &[
    "status",
    "details",
    "detail",
    "history",
    "info",
    "information",
    "summary",
    "tracking",
    "methods",
    "list",
    "log",
    "address",
    "preview",
    "template",
    "count",
];

const VERBS: &[(&[&str], Effect)] = &[
    (
        &[
            "get",
            "list",
            "search",
            "find",
            "fetch",
            "read",
            "lookup",
            "look",
            "check",
            "view",
            "show",
            "query",
            "calculate",
            "compute",
            "estimate",
            "count",
            "describe",
            "retrieve",
            "compare",
            "analyze",
            "analyse",
            "convert",
            "translate",
            "summarize",
            "summarise",
            "predict",
            "validate",
            "verify",
            "explain",
            "browse",
            "display",
            "recommend",
            "is",
            "has",
        ],
        Effect::Read,
    ),
    (
        &[
            "delete",
            "remove",
            "drop",
            "purge",
            "erase",
            "destroy",
            "wipe",
            "truncate",
            "revoke",
            "uninstall",
            "cancel",
            "rm",
            "rmdir",
        ],
        Effect::Delete,
    ),
    (
        &[
            "pay", "payment", "transfer", "purchase", "buy", "charge", "refund", "withdraw", "remit", "wire", "invest",
            "donate",
        ],
        Effect::Pay,
    ),
    (
        &[
            "send",
            "email",
            "mail",
            "publish",
            "tweet",
            "retweet",
            "notify",
            "sms",
            "post",
            "reply",
            "forward",
            "broadcast",
            "message",
        ],
        Effect::Send,
    ),
    (
        &[
            "write", "update", "create", "edit", "set", "modify", "insert", "upload", "save", "put", "move", "rename",
            "add", "append", "change", "assign", "register", "book", "reserve", "schedule", "mv", "cp", "mkdir",
            "touch", "replace", "close", "resolve", "place", "order", "submit", "grant", "enable", "disable", "merge",
            "commit", "push", "patch",
        ],
        Effect::Write,
    ),
    (&["run", "execute", "exec", "eval", "shell", "bash", "command", "deploy", "invoke"], Effect::Execute),
];

/// Verbs that are things as well.
const THINGS: &[&str] = &[
    "payment",
    "transfer",
    "purchase",
    "charge",
    "refund",
    "wire",
    "email",
    "mail",
    "tweet",
    "retweet",
    "sms",
    "post",
    "reply",
    "forward",
    "broadcast",
    "message",
    "drop",
    "order",
    "place",
    "book",
    "schedule",
    "change",
    "register",
    "touch",
    "close",
    "patch",
    "push",
    "commit",
    "merge",
    "set",
    "move",
    "update",
    "edit",
    "upload",
    "grant",
    "run",
    "shell",
    "bash",
    "command",
    "search",
    "list",
    "look",
    "check",
    "view",
    "show",
    "query",
    "estimate",
    "count",
    "display",
    "find",
    "is",
    "has",
];

const CHINESE: &[(&[&str], Effect)] = &[
    (
        &[
            "查询", "查看", "查找", "获取", "读取", "搜索", "检索", "列出", "返回", "计算", "检查", "预览", "浏览",
            "统计", "展示", "显示",
        ],
        Effect::Read,
    ),
    (&["删除", "移除", "清空", "清除", "销毁", "抹除", "取消", "撤销", "注销", "卸载", "删掉"], Effect::Delete),
    (&["支付", "付款", "转账", "汇款", "购买", "下单", "退款", "充值", "提现", "扣款", "打款", "捐款"], Effect::Pay),
    (&["发送", "发布", "通知", "回复", "转发", "群发", "推送", "发邮件", "发短信"], Effect::Send),
    (
        &[
            "写入",
            "创建",
            "新建",
            "更新",
            "修改",
            "添加",
            "新增",
            "保存",
            "上传",
            "移动",
            "重命名",
            "设置",
            "预订",
            "预约",
            "提交",
        ],
        Effect::Write,
    ),
    (&["执行", "运行", "部署"], Effect::Execute),
];

const THINGS_ZH: &[&str] = &[
    "支付", "付款", "转账", "汇款", "退款", "充值", "提现", "扣款", "捐款", "通知", "回复", "推送", "取消", "注销",
    "设置", "发布",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_lead_to_their_verb() {
        // CALL-6
        let read = |word: &str| inflected(word).map(|verb| (verb.effect, verb.form));
        assert_eq!(read("deletes"), Some((Effect::Delete, Form::Third)));
        assert_eq!(read("erasing"), Some((Effect::Delete, Form::Gerund)));
        assert_eq!(read("dropping"), Some((Effect::Delete, Form::Gerund)));
        assert_eq!(read("notifies"), Some((Effect::Send, Form::Third)));
        assert_eq!(read("publishes"), Some((Effect::Send, Form::Third)));
        assert_eq!(read("deleted"), None);
        assert_eq!(chinese("删除文件").map(|(verb, rest)| (verb.effect, rest)), Some((Effect::Delete, "文件")));
    }
}
