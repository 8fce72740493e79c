//! Instructions to the model inside a result.
//!
//! Several signs are weighed: words that lift earlier instructions, words that hide something from the user, a
//! system's marks, an address to a model, an order to act. What is in quotation marks, or in a sentence that
//! speaks about such attacks, is a mention and not an instruction.

use crate::check_result::pattern::pattern;
use crate::check_result::subject::Subject;
use crate::check_result::voice::unquoted;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::phrases::Phrases;
use crate::text::sentences::sentences;
use regex::Regex;
use std::sync::LazyLock;

/// Every text of the result.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    // What the call itself brought, such as a text to translate, is no news; a prompt file is one by its purpose.
    let brought =
        subject.argument_texts().any(|text| instruction(text).is_some() || text.to_lowercase().contains("prompt"));
    let texts = subject.parts.texts.iter().filter(|text| text.text.len() >= 12 && !brought);
    texts
        .filter_map(|text| instruction(text.text).map(|sign| (text, sign)))
        .take(3)
        .map(|(text, sign)| {
            let sign: String = sign.chars().take(80).collect();
            let evidence = localized!(
                subject.language,
                "the content gives instructions to the model: “{sign}”",
                "内容含有对模型的指令：“{sign}”"
            );
            Finding::new(&codes::INJECTION, text.pointer.clone(), evidence)
        })
        .collect()
}

/// The words by which a text instructs a model.
pub(crate) fn instruction(text: &str) -> Option<String> {
    let plain = unquoted(text);
    let mut score = Signs::default();
    let mut before = "";
    for range in sentences(&plain) {
        let sentence = plain.get(range).unwrap_or_default();
        // A sentence that speaks about such attacks mentions them; an address may bear any name.
        if ABOUT.any(&LINKS.replace_all(sentence, " ")) {
            before = "";
            continue;
        }
        score.read(sentence);
        if is_told(sentence)
            || takes_role(sentence)
            || (before.len() + sentence.len() < 1000 && is_told(&format!("{before} {sentence}")))
        {
            return Some(score.shown.unwrap_or_else(|| sentence.trim().to_owned()));
        }
        before = sentence;
    }
    (score.weight() >= 3).then_some(score.shown).flatten()
}

/// Whether neighbouring sentences speak to a model and tell it what to do: an order with a secret, a prompt
/// or a tool to call. An order alone may be meant for people.
fn is_told(text: &str) -> bool {
    let orders = ORDERS.is_match(text) || CALLS.is_match(text);
    let presses = CONCEALS.is_match(text) || HINTS.is_match(text) || CALLS.is_match(text) || PROMPT.is_match(text);
    ADDRESSED.is_match(text) && orders && presses
}

/// Whether a sentence gives a model a new role.
fn takes_role(sentence: &str) -> bool {
    ROLES.is_match(sentence) && ADDRESS.any(sentence)
}

#[derive(Default)]
struct Signs {
    lifts: bool,
    hides: bool,
    marks: bool,
    hints: bool,
    addresses: bool,
    orders: bool,
    targets: bool,
    shown: Option<String>,
}

impl Signs {
    fn read(&mut self, sentence: &str) {
        let found = LIFTS.is_match(sentence);
        let hides = HIDES.is_match(sentence);
        let marks = MARKS.is_match(sentence);
        let addresses = ADDRESS.any(sentence);
        if found || hides || marks {
            self.shown.get_or_insert_with(|| sentence.trim().to_owned());
        }
        self.lifts |= found;
        self.hides |= hides;
        self.marks |= marks;
        self.hints |= HINTS.is_match(sentence);
        self.addresses |= addresses;
        self.orders |=
            CALLS.is_match(sentence) || (ORDERS.is_match(sentence) && (addresses || marks || hides || self.hints));
        self.targets |= TARGET.is_match(sentence);
    }

    fn weight(&self) -> usize {
        // Lifting earlier instructions is an attack by itself; the other signs only together.
        3 * usize::from(self.lifts)
            + 2 * usize::from(self.hides)
            + 2 * usize::from(self.marks)
            + usize::from(self.hints && !self.marks)
            + usize::from(self.addresses)
            + usize::from(self.orders)
            + usize::from(self.targets && self.orders)
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&ABOUT);
    LazyLock::force(&ADDRESS);
    LazyLock::force(&LIFTS);
    LazyLock::force(&LINKS);
    LazyLock::force(&ADDRESSED);
    LazyLock::force(&CONCEALS);
    LazyLock::force(&PROMPT);
    LazyLock::force(&ROLES);
    LazyLock::force(&HIDES);
    LazyLock::force(&MARKS);
    LazyLock::force(&HINTS);
    LazyLock::force(&CALLS);
    LazyLock::force(&ORDERS);
    LazyLock::force(&TARGET);
}

static ABOUT: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/injection_about.txt")));
static ADDRESS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::from_lines(include_str!("../data/injection_address.txt")));
static LIFTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following|drop)\s+(?:the\s+|of\s+|what\s+|everything\s+)*(?:(?:all|any|your|these|those|previous|prior|above|earlier|preceding|former|existing|original|initial|system|safety|other|current|the|of)\s+)*(?:all|any|your|previous|prior|above|earlier|preceding|former|existing|original|initial|system|safety|current)\s+(?:the\s+)?(?:instructions?|directions|prompts?|rules|guidelines|directives|orders|commands|constraints|policies|restrictions)\b|\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|you were told|you have been told|said before)|\b(?:ignore|disregard) (?:what(?:ever)? the user (?:asked|said|wants|wanted|requested)|the user's (?:request|question|instructions?|wishes))\b|\bnew (?:system )?(?:instructions?|directives?)\s*(?:for (?:the )?(?:ai|assistant|agent|model))?\s*:|(?:忽略|无视|忘记|忘掉|不要理会|不再遵守|不必遵守|跳过|绕过|抛弃)(?:掉)?(?:你|您)?(?:之前|此前|以上|以前|上述|前面|先前|所有|全部|一切|系统|原有|原来|现有|任何|的)+(?:所有|全部|一切|系统|安全|的)*(?:指令|指示|规则|提示词?|要求|命令|限制|约束|设定)|(?:忽略|无视|忘记|忘掉|不要理会|不再遵守|不必遵守|抛弃|丢弃)(?:掉)?(?:你|您)[^，。；！\n]{0,14}(?:指令|指示|规则|提示词|命令|设定|约束)|从现在(?:开始|起)[，,]?(?:你|您)(?:就|将)?是[^，。；\n]{0,12}(?:没有|不受|无)(?:任何)?(?:限制|约束|审查)|\bfrom now on,? you (?:are|will|must|shall)[^.\n]{0,40}\b(?:dan|unrestricted|jailbroken|no (?:restrictions|rules|limits)|without (?:any )?(?:restrictions|rules|limits))\b|\byou are now (?:in )?(?:dan\b|developer mode|admin mode|an? unrestricted|an? admin|root|unrestricted)|你现在是(?:一个|一名)?(?:管理员|开发者|不受限|没有限制|root)",
    )
});
static LINKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)https?://\S+|[\w.+-]+@[\w.-]+"));
/// A model is spoken to, by its kind and not as the speaker of a transcript.
static ADDRESSED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:note|message|attention|instructions?|notice|hint) (?:to|for) (?:all |any |the )?(?:ai|llms?|language models?|assistants?|chatbots?)\b|(?:^|[.>:(\[*#!-]\s*|\battention,? |\bdear |\bhey )(?:all |any )?(?:ai (?:assistants?|agents?|models?|systems?)|llms?|language models?|ai)(?: (?:reading|processing|parsing|visiting) this[^:,.\n]{0,30})?\s*[:,]|\bif you(?: are|'re) (?:an? |any )?(?:ai|llm|large language model|language model|ai assistant|automated (?:agent|assistant))\b|(?:AI|人工智能|智能)\s*(?:助手|代理|模型|智能体)(?:们)?(?:请|注意|[:：，,])|大(?:语言)?模型(?:请|注意|[:：]|读到|看到)|(?:如果|若|假如)(?:你|您)是(?:一个|一名)?\s*(?:AI|人工智能|语言模型|大模型|智能助手)|(?:致|给)(?:所有)?(?:AI|大模型|人工智能)[^，。\n]{0,6}[:：]",
    )
});
/// The words of a text that wants to stay unseen.
static CONCEALS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:do not|don't|never|without) (?:mention|reveal|disclos|repeat|tell|show|inform|notify|cit)(?:e|ing|ify|ifying)?\b|\bkeep (?:this|it) (?:secret|hidden|private)\b|(?:不要|别|切勿|不得|勿)(?:提及|透露|告诉|告知|说明|声张|显示|提到|通知)|保密",
    )
});
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:your|the) (?:system|hidden|initial|secret) (?:prompt|instructions?|message)\b|系统提示词?|\b(?:the|your) user'?s? (?:\w+ )?(?:contacts|passwords?|credentials|emails?|data|tokens?|keys?|history)\b|用户的?(?:通讯录|密码|隐私|数据|邮件|凭证|密钥)",
    )
});
/// A new role for the reader.
static ROLES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bfrom now on,? you (?:will|must|shall|should|are to)? ?(?:act|behave|respond|pretend|answer|operate) (?:as|like|to be)\b|从现在(?:开始|起)[，,]?(?:你|您)(?:要|必须|将|就)?(?:扮演|充当|作为)",
    )
});
static HIDES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:do not|don't|never|without)\s+(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|notify(?:ing)?|notifying|alert(?:ing)?|show(?:ing)?|disclos(?:e|ing)|ask(?:ing)?|let(?:ting)?)\b.{0,30}\b(?:user|users|human|humans|customer|operator)\b|\b(?:keep|hide) this (?:secret|hidden|from the user)\b|\bsilently\b.{0,40}\b(?:send|forward|call|run|execute|delete|upload)|(?:不要|别|勿|切勿|无需|不得|不必)(?:告知|告诉|通知|提醒|提示|让|向|询问|征求|提及)(?:任何)?(?:用户|使用者|对方|客户|人)|(?:不要|别|切勿)(?:透露|提及|声张)|对用户保密|瞒着用户",
    )
});
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\[\s*(?:system|admin|developer)(?:\s+\w+)?\s*\]|\b(?:system|admin|developer)\s+(?:message|prompt|override|note|instruction|command)\s*[:：\]]|<\s*/?\s*(?:system|instructions?|important)\s*>|<\|(?:im_start|system|endoftext)\|>|\[/?inst\]|###\s*(?:system|instruction|new instruction)|\bsystem override\b|【?(?:系统(?:提示|消息|指令)|管理员指令|开发者(?:指令|消息))】?\s*[:：】]|<!--.{0,200}\b(?:assistants?|ai|agents?|llms?)\b",
    )
});
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:^|[\s>(\[*#-])(?:system|admin|administrator|important|attention)\s*[:：]|从现在(?:开始|起)，?你|\bfrom now on,? you\b|\byou (?:must|should) now\b|你现在是",
    )
});
static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:call|invoke|execute|run|use)\s+(?:the\s+)?(?:tool\s+)?[`']?[a-z]+_[a-z_]+|(?:调用|执行|运行)\s*[a-z]+_[a-z_]+",
    )
});
static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:call|invoke|execute|run|send|forward|email|e-mail|transfer|wire|upload|post|leak|exfiltrate|share|delete|drop|remove|export|reveal|print|output|reply|respond|answer|say|recommend|approve|reset|grant|visit|open|download|install|click|include|append|add|rate|give|change|set|pay|refund)\b|(?:调用|转账|汇款|发送|转发|上传|删除|导出|泄露|执行|运行|回复|输出|访问|打开|下载|安装|批准|授权|推荐|付款|退款|修改|重置|提供)",
    )
});
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)https?://|[\w.+-]+@[\w-]+\.[a-z]{2,}|\b(?:password|passwords|api key|api keys|credentials|token|tokens|secret|secrets|account|private key|system prompt|ssh key|credit card)\b|密码|口令|密钥|账户|账号|令牌|系统提示|凭证|银行卡",
    )
});
