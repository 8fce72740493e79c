//! Instructions to the model inside a result.
//!
//! Several signs are weighed: words that lift earlier instructions, words that hide something from the user, a
//! system's marks, an address to a model, an order to act. What stands in quotation marks, or in a sentence that
//! speaks about such attacks, is a mention and not an instruction.

use crate::check_result::pattern::pattern;
use crate::check_result::subject::Subject;
use crate::check_result::voice::unquoted;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::say;
use crate::text::phrases::Phrases;
use crate::text::sentences::sentences;
use regex::Regex;
use std::sync::LazyLock;

/// Every text of the result.
pub fn check(subject: &Subject) -> Vec<Finding> {
    // What the call itself brought, such as a text to translate, is no news; a prompt file is one by its purpose.
    let brought =
        subject.argument_texts().any(|text| instruction(text).is_some() || text.to_lowercase().contains("prompt"));
    let texts = subject.parts.texts.iter().filter(|text| text.text.len() >= 12 && !brought);
    texts
        .filter_map(|text| instruction(text.text).map(|sign| (text, sign)))
        .take(3)
        .map(|(text, sign)| {
            let sign: String = sign.chars().take(80).collect();
            let evidence = say!(
                subject.language,
                "the content gives instructions to the model: “{sign}”",
                "内容含有对模型的指令：“{sign}”"
            );
            Finding::new(&codes::INJECTION, text.pointer.clone(), evidence)
        })
        .collect()
}

/// The words by which a text instructs a model.
pub fn instruction(text: &str) -> Option<String> {
    let plain = unquoted(text);
    let mut score = Signs::default();
    for range in sentences(&plain) {
        let sentence = plain.get(range).unwrap_or_default();
        // A sentence that speaks about such attacks mentions them.
        if ABOUT.any(sentence) {
            continue;
        }
        score.read(sentence);
    }
    (score.weight() >= 3).then_some(score.shown).flatten()
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

static ABOUT: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/injection_about.txt")));
static ADDRESS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::from_lines(include_str!("../data/injection_address.txt")));
static LIFTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following|drop)\s+(?:the\s+|of\s+|what\s+|everything\s+)*(?:(?:all|any|your|these|those|previous|prior|above|earlier|preceding|former|existing|original|initial|system|safety|other|current|the|of)\s+)*(?:all|any|your|previous|prior|above|earlier|preceding|former|existing|original|initial|system|safety|current)\s+(?:the\s+)?(?:instructions?|directions|prompts?|rules|guidelines|directives|orders|commands|constraints|policies|restrictions)\b|\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:above|before|you were told|you have been told|said before)|\bnew (?:system )?(?:instructions?|directives?)\s*(?:for (?:the )?(?:ai|assistant|agent|model))?\s*:|(?:忽略|无视|忘记|忘掉|不要理会|不再遵守|不必遵守|跳过|绕过|抛弃)(?:掉)?(?:你|您)?(?:之前|此前|以上|以前|上述|前面|先前|所有|全部|一切|系统|原有|原来|现有|任何|的)+(?:所有|全部|一切|系统|安全|的)*(?:指令|指示|规则|提示词?|要求|命令|限制|约束|设定)|\byou are now (?:in )?(?:dan\b|developer mode|admin mode|an? unrestricted|an? admin|root|unrestricted)|你现在是(?:一个|一名)?(?:管理员|开发者|不受限|没有限制|root)",
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
