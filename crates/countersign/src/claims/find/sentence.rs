//! A sentence as the readers see it: tokens by position, and which of them may be claims at all.
//!
//! Questions, instructions and code state nothing. A sentence is judged in segments (between colons and semicolons),
//! because "Compare both: the first is cheaper than the second" asks and tells.

use super::lexicon::{
    ADVISE, AUX, Entry, Flags, IMPERATIVE, INSTRUCT_ANY, INSTRUCT_START, LEAD_IN, Lexicon, MARKER, PRONOUN, SELF,
    lexicon,
};
use super::names::{Names, name, names};
use super::tokens::{Case, Gap, Seen, Shape, Token, signs};
use std::ops::Range;

/// A sentence.
#[derive(Clone, Copy)]
pub(crate) struct Sentence<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The tokens of the sentence.
    pub tokens: &'a [Token],
    /// Whether it reads as Chinese.
    pub chinese: bool,
    /// What it holds at all.
    pub seen: Seen,
    lexicon: &'static Lexicon,
}

impl<'a> Sentence<'a> {
    /// Looks at the tokens of a text.
    pub(crate) fn new(text: &'a str, tokens: &'a [Token], chinese: Language, seen: Seen) -> Self {
        Self { text, tokens, chinese: chinese == Language::Chinese, seen, lexicon: lexicon() }
    }

    /// The token at a position; one that is nothing beyond the end.
    #[inline]
    pub(crate) fn at(&self, at: usize) -> &'a Token {
        const NONE: Token = Token::NONE;
        self.tokens.get(at).unwrap_or(&NONE)
    }

    /// The token before a position.
    #[inline]
    pub(crate) fn before(&self, at: usize) -> &'a Token {
        at.checked_sub(1).map_or_else(|| self.at(usize::MAX), |at| self.at(at))
    }

    /// Whether a token has one of the classes.
    #[inline]
    pub(crate) fn has(&self, at: usize, flags: Flags) -> bool {
        self.at(at).has(flags)
    }

    /// Whether a token is this sign.
    #[inline]
    pub(crate) fn is(&self, at: usize, sign: char) -> bool {
        self.at(at).is(sign)
    }

    /// Whether a token is this word, in any case.
    #[inline]
    pub(crate) fn word(&self, at: usize, name: u16) -> bool {
        self.at(at).name == name
    }

    /// Whether a token is one of these words, in any case.
    #[inline]
    pub(crate) fn one_of(&self, at: usize, names: &Names) -> bool {
        let token = self.at(at);
        token.shape == Shape::Word && names.has(token.name)
    }

    /// The Chinese character that a token is, where it is no more than one.
    #[inline]
    pub(crate) fn lone(&self, at: usize) -> char {
        self.at(at).lone()
    }

    /// The text of a token.
    #[inline]
    pub(crate) fn words(&self, at: usize) -> &'a str {
        let token = self.at(at);
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// What is known about a token.
    #[inline]
    pub(crate) fn entry(&self, at: usize) -> &'static Entry {
        self.lexicon.entry(self.at(at).entry)
    }

    /// Whether the character is this Chinese one, alone or as the beginning of a word.
    #[inline]
    pub(crate) fn han(&self, at: usize, c: char) -> bool {
        let token = self.at(at);
        token.first == c && token.shape == Shape::Han
    }

    /// Whether a token divides clauses.
    pub(crate) fn divides(&self, at: usize) -> bool {
        let token = self.at(at);
        token.shape == Shape::None
            || token.shape == Shape::Sign
                && matches!(
                    token.first,
                    ',' | ';'
                        | ':'
                        | '，'
                        | '；'
                        | '：'
                        | '。'
                        | '.'
                        | '!'
                        | '?'
                        | '！'
                        | '？'
                        | '('
                        | ')'
                        | '（'
                        | '）'
                        | '—'
                        | '"'
                        | '“'
                        | '”'
                )
    }
}

/// The language that a sentence reads as.
pub(crate) use crate::contract::Language;

/// Hands over the runs of tokens in which nothing is stated.
pub(crate) fn silent(sentence: &Sentence, mut silence: impl FnMut(Range<usize>)) {
    let last = sentence.tokens.iter().rev().find(|t| !matches!(t.first, '"' | '”' | ')' | '*' | '’' | '）'));
    if last.is_some_and(|token| token.is('?') || token.is('？')) {
        silence(0..sentence.tokens.len());
        return;
    }
    let mut from = 0;
    if sentence.seen.sign(const { signs(":;") }) {
        for (at, token) in sentence.tokens.iter().enumerate() {
            if token.shape == Shape::Sign && matches!(token.first, ':' | '：' | ';' | '；') {
                instructs(sentence, from, at).into_iter().for_each(|start| silence(start..at));
                from = at + 1;
            }
        }
    }
    let to = sentence.tokens.len();
    instructs(sentence, from, to).into_iter().for_each(|start| silence(start..to));
    if sentence.seen.sign(const { signs("*\"") }) {
        titles(sentence, silence);
    }
}

/// What is in 《》, or alone with a capital in quotation marks, is a name.
fn titles(sentence: &Sentence, mut silence: impl FnMut(Range<usize>)) {
    let mut book = None;
    for (at, token) in sentence.tokens.iter().enumerate().filter(|(_, token)| token.shape == Shape::Sign) {
        let slanted = token.first == '*' && !sentence.is(at + 1, '*') && !sentence.before(at).is('*');
        let closes =
            |at: &usize| if slanted { sentence.is(*at, '*') } else { sentence.is(*at, '"') || sentence.is(*at, '”') };
        let opens = matches!(token.first, '"' | '“') || slanted;
        let close = if opens { (at + 1..at + 6).find(closes) } else { None };
        if let Some(close) = close
            && (at + 1..close).any(|at| sentence.at(at).case == Case::Capital)
        {
            silence(at..close);
        }
        match token.first {
            '《' if book.is_none() => book = Some(at),
            '》' => book.take().into_iter().for_each(|from| silence(from..at)),
            _ => {}
        }
    }
    book.into_iter().for_each(|from| silence(from..sentence.tokens.len()));
}

/// Where a segment begins to tell somebody to do something, or to say what the writer will do.
fn instructs(sentence: &Sentence, from: usize, to: usize) -> Option<usize> {
    if sentence.chinese {
        return instructs_in_chinese(sentence, from, to);
    }
    instructs_in_english(sentence, from, to).then_some(from)
}

fn instructs_in_english(sentence: &Sentence, from: usize, to: usize) -> bool {
    let mut at = past_numbering(sentence, from);
    while at < to && (sentence.has(at, LEAD_IN) && !sentence.has(at + 1, AUX) || sentence.is(at, ',')) {
        at += 1;
    }
    if opens_with_order(sentence, at, to) {
        return true;
    }
    // "If it helps, I can walk you through"
    if sentence.one_of(at, names!["if", "when", "once", "then"])
        && let Some(comma) = (at..to.min(at + 14)).find(|at| sentence.is(*at, ','))
        && sentence.one_of(comma + 1, names!["i", "i'll", "we'll", "we"])
        && (sentence.one_of(comma + 2, names!["can", "will", "could", "would"])
            || sentence.one_of(comma + 1, names!["i'll", "we'll"]))
    {
        return true;
    }
    // "To upgrade, run the installer", "If it fails, wait 5 minutes".
    if sentence.one_of(at, names!["to", "if", "when", "before", "after", "once", "for"])
        && let Some(comma) = (at..to.min(at + 14)).find(|at| sentence.is(*at, ','))
        && opens_with_order(sentence, comma + 1, to)
    {
        return true;
    }
    let first = sentence.one_of(at, names!["i", "we", "i'll", "we'll", "let", "you"]);
    let plans = first
        && (sentence.one_of(
            at + 1,
            names![
                "will",
                "can",
                "could",
                "would",
                "suggest",
                "recommend",
                "propose",
                "plan",
                "need",
                "should",
                "must",
                "may",
                "might"
            ],
        ) || sentence.one_of(at, names!["i'll", "we'll", "let"]));
    let advises = sentence.seen.has(ADVISE | SELF) || sentence.seen.upper;
    plans
        || advises
            && (at..to.min(at + 24)).any(|at| {
                sentence.has(at, ADVISE)
                    || sentence.word(at, name!("you"))
                        && sentence.one_of(at + 1, names!["should", "must", "need", "ought"])
            })
}

/// Whether a verb in its base form opens the clause, and no other verb shows it to be a noun.
fn opens_with_order(sentence: &Sentence, at: usize, to: usize) -> bool {
    let token = sentence.at(at);
    if !token.has(IMPERATIVE) || token.case == Case::Upper || at >= to {
        return false;
    }
    let next = sentence.at(at + 1);
    let noun = sentence.word(at + 1, name!("that")) && sentence.one_of(at, names!["note", "notice", "remember"])
        || next.has(AUX) && !sentence.one_of(at + 1, names!["do"])
        || sentence.one_of(at + 1, names!["of", "by"])
        || sentence.has(at, MARKER) && next.shape == Shape::Digits && !sentence.has(at + 2, PRONOUN)
        || sentence.word(at, name!("set")) && sentence.word(at + 1, name!("in"))
        || next.shape == Shape::Word && sentence.words(at + 1).ends_with("ed") && next.case == Case::Lower
        || (at + 1..to.min(at + 10))
            .take_while(|at| {
                !sentence.divides(*at)
                    && !sentence.one_of(
                        *at,
                        names![
                            "that", "if", "which", "who", "when", "where", "whether", "until", "how", "what", "so",
                            "before", "after"
                        ],
                    )
            })
            .any(|at| {
                sentence.one_of(at, names!["is", "are", "was", "were", "has"]) && !sentence.before(at).has(PRONOUN)
            });
    !noun
}

/// Behind "1.", "(2)", "- ", "Step 3:".
fn past_numbering(sentence: &Sentence, from: usize) -> usize {
    let mut at = from;
    for _ in 0..4 {
        let token = sentence.at(at);
        let opens = token.shape == Shape::Sign
            && matches!(token.first, '-' | '*' | '•' | '(' | '（' | '"' | '“' | '>' | '#' | '✅' | '👉');
        let counted = token.shape == Shape::Digits && (at == from || sentence.before(at).first == '(');
        let closes = token.shape == Shape::Sign && matches!(token.first, '.' | ')' | '）' | '、') && at > from;
        if !(opens || counted && !sentence.at(at + 1).shape.eq(&Shape::Word) || closes) {
            break;
        }
        at += 1;
    }
    at
}

/// A recipe or a dose silences the whole segment, an order what follows it.
fn instructs_in_chinese(sentence: &Sentence, from: usize, to: usize) -> Option<usize> {
    let tokens = sentence.tokens.get(from..to).unwrap_or_default();
    if !sentence.seen.has(INSTRUCT_ANY | INSTRUCT_START) && !tokens.iter().any(|token| token.first == '先') {
        return None;
    }
    let start = past_numbering(sentence, from);
    let (mut opens, mut order, mut first, mut next) = (true, None, false, false);
    for at in start..to {
        let token = sentence.at(at);
        if token.has(INSTRUCT_ANY) {
            return Some(from);
        }
        let asks = matches!(token.first, '请' | '請') && token.length() == 3;
        let small = token.length() == 3 && !asks && at > start && !matches!(token.first, '别');
        if (opens && !small || asks) && order.is_none() && token.has(INSTRUCT_START) && orders(sentence, at) {
            // 把 after a clause goes on with its subject.
            let goes_on = at > start && matches!(sentence.lone(at), '把' | '将');
            order = (!goes_on).then_some(if cooks(sentence, at) { from } else { at });
        }
        first |= opens && sentence.lone(at) == '先';
        next |= opens && first && matches!(token.first, '再' | '然') && matches!(sentence.words(at), "再" | "然后");
        let joins =
            opens && token.shape == Shape::Han && matches!(token.first, '再' | '然' | '后' | '先' | '并' | '就' | '也');
        opens = joins || token.shape == Shape::Sign && matches!(token.first, '，' | ',' | '、' | '“' | '”' | '：');
    }
    if next { Some(from) } else { order }
}

/// Whether an order is of the kitchen: then the amounts before it are ingredients.
fn cooks(sentence: &Sentence, at: usize) -> bool {
    matches!(
        sentence.at(at).first,
        '搅' | '下'
            | '腌'
            | '焖'
            | '炖'
            | '煮'
            | '炒'
            | '炸'
            | '蒸'
            | '烤'
            | '捞'
            | '静'
            | '撒'
            | '淋'
            | '切'
            | '揉'
            | '擀'
            | '倒'
            | '放'
    )
}

/// Verbs of one character are orders only before an amount, 将 only before what is then treated.
fn orders(sentence: &Sentence, at: usize) -> bool {
    let token = sentence.at(at);
    let next = sentence.at(at + 1);
    if token.first.len_utf8() < token.length() {
        if matches!(sentence.words(at), "步行" | "前往" | "向前" | "加热") {
            return matches!(next.shape, Shape::Digits | Shape::Numerals);
        }
        // 安装量, 刷新了, 加热后: no orders.
        return !(next.shape == Shape::Han
            && next.glued()
            && matches!(
                next.first,
                '量' | '数'
                    | '率'
                    | '包'
                    | '了'
                    | '的'
                    | '后'
                    | '者'
                    | '于'
                    | '以'
                    | '速'
                    | '温'
                    | '时'
                    | '费'
                    | '价'
                    | '期'
                    | '户'
                    | '成'
                    | '血'
                    | '屏'
                    | '过'
            ));
    }
    match token.first {
        '请' | '請' | '把' | '别' | '撒' | '淋' | '焖' | '炖' | '揉' | '擀' => true,
        '沿' => true,
        '将' => {
            let treats = [
                '离', '弃', '滴', '洗', '溶', '放', '倒', '切', '静', '调', '设', '煮', '炒', '拌', '揉', '泡', '浸',
                '涂', '移', '拖', '插', '拧', '贴',
            ];
            (at..at + 20).any(|at| treats.contains(&sentence.at(at).first))
        }
        _ => matches!(next.shape, Shape::Digits | Shape::Numerals),
    }
}

/// Whether a line reads as code: commands, operators, braces.
pub(crate) fn code(sentence: &Sentence) -> bool {
    if !sentence.seen.upper && !sentence.seen.sign(const { signs("&|-=><!+{};([$") }) {
        return false;
    }
    let mut points = 0;
    for (at, token) in sentence.tokens.iter().enumerate() {
        let next = sentence.at(at + 1);
        if token.case == Case::Upper
            && matches!(sentence.words(at), "INFO" | "WARN" | "ERROR" | "DEBUG" | "TRACE" | "FATAL")
        {
            points += 2 + usize::from(sentence.at(0).shape == Shape::Digits);
        }
        if token.shape != Shape::Sign {
            continue;
        }
        points += match token.first {
            '&' | '|' if next.is(token.first) => 3,
            '-' if token.gap == Gap::Blank && next.shape == Shape::Word && next.glued() => 2,
            '-' if token.gap == Gap::Blank && next.is('-') && next.glued() => 3,
            '=' | '>' | '<' | '!' | '+' if next.is('=') && next.glued() => 3,
            '{' | '}' | ';' if token.first != ';' || next.shape == Shape::None => 2,
            ';' if sentence.tokens.last().is_some_and(|last| last.is(';')) => 1,
            '(' if next.is(')') && next.glued() && token.glued() => 2,
            '=' if token.glued() && next.glued() => 1,
            '(' if token.glued() && sentence.before(at).shape == Shape::Word && next.glued() => 1,
            '[' if token.glued() && next.shape == Shape::Word => 2,
            '$' if at == 0 && next.shape == Shape::Word => 3,
            '/' if sentence.before(at).is('/') && token.glued() => 0,
            _ => 0,
        };
    }
    // A command's name alone is a word like others; with a flag or an operator it is a command.
    let command = |at: usize| {
        sentence.at(at).shape == Shape::Word && sentence.at(at).gap != Gap::None && SHELL.contains(&sentence.words(at))
    };
    points >= 3 || points == 2 && (command(0) || command(1)) || points == 1 && command(0) && command(1)
}

/// Words that open a line of code or a command.
const SHELL: &[&str] = &[
    "git", "npm", "npx", "pip", "pip3", "cargo", "docker", "curl", "wget", "sudo", "cd", "ls", "make", "kubectl",
    "apt", "brew", "python", "python3", "node", "ssh", "scp", "chmod", "mkdir", "rm", "cp", "mv", "cat", "grep",
    "echo", "export", "yarn", "pnpm", "helm", "SELECT", "INSERT", "UPDATE", "DELETE", "FROM", "def", "const", "let",
    "var", "import", "print", "return", "function", "public", "static", "int", "void", "for",
];
