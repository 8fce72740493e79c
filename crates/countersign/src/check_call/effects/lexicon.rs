//! Verbs with what they do to the world, in both languages.
//!
//! A verb that is a thing as often as a deed (`email`, `order`, `transfer`) says so: where only grammar could tell, it needs
//! more evidence than `delete`, which is never a thing.

use crate::policy::Effect;
use crate::text::lists::word_list;

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
pub(crate) const RECORDS: &[&str] = word_list!("check_call", "effects/lexicon/records");

const VERBS: &[(&[&str], Effect)] = &[
    (word_list!("check_call", "effects/lexicon/verbs/read"), Effect::Read),
    (word_list!("check_call", "effects/lexicon/verbs/delete"), Effect::Delete),
    (word_list!("check_call", "effects/lexicon/verbs/pay"), Effect::Pay),
    (word_list!("check_call", "effects/lexicon/verbs/send"), Effect::Send),
    (word_list!("check_call", "effects/lexicon/verbs/write"), Effect::Write),
    (&["run", "execute", "exec", "eval", "shell", "bash", "command", "deploy", "invoke"], Effect::Execute),
];

/// Verbs that are things as well.
const THINGS: &[&str] = word_list!("check_call", "effects/lexicon/things");

const CHINESE: &[(&[&str], Effect)] = &[
    (word_list!("check_call", "effects/lexicon/chinese/read"), Effect::Read),
    (&["删除", "移除", "清空", "清除", "销毁", "抹除", "取消", "撤销", "注销", "卸载", "删掉"], Effect::Delete),
    (&["支付", "付款", "转账", "汇款", "购买", "下单", "退款", "充值", "提现", "扣款", "打款", "捐款"], Effect::Pay),
    (&["发送", "发布", "通知", "回复", "转发", "群发", "推送", "发邮件", "发短信"], Effect::Send),
    (word_list!("check_call", "effects/lexicon/chinese/write"), Effect::Write),
    (&["执行", "运行", "部署"], Effect::Execute),
];

const THINGS_ZH: &[&str] = word_list!("check_call", "effects/lexicon/things-zh");

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
