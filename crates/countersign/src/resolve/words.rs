//! What is said about calls and answers that do not go on, to the reader and to the model: English and Chinese.

use crate::contract::{Language, Status, Verdict};
use crate::localized;

/// Says it, in one language.
#[derive(Debug, Clone, Copy)]
pub struct Words(pub Language);

impl Words {
    /// To the reader: a call that was refused, or could not be put right.
    pub fn refused(self, name: &str, verdict: &Verdict) -> String {
        let (name, why) = (&shorten(name), &verdict.explanation);
        match verdict.status {
            Status::Rejected => localized!(
                self.0,
                "The tool call `{name}` was refused and not made. {why}",
                "工具调用 `{name}` 被拒绝，未执行。{why}"
            ),
            _ => localized!(
                self.0,
                "The tool call `{name}` was not made, because it is wrong and could not be put right. {why}",
                "工具调用 `{name}` 有误且无法改正，未执行。{why}"
            ),
        }
    }

    /// To the model: a call that the policy denies.
    pub fn denied(self, verdict: &Verdict) -> String {
        let why = &verdict.explanation;
        localized!(
            self.0,
            "This call was denied by the policy and was not made. Another form of it will be denied too: do not try it again; say that it is not allowed. {why}",
            "此调用被策略拒绝，没有执行。换一种写法也会被拒绝：请不要重试，并告知用户不允许此操作。{why}"
        )
    }

    /// To the model: a call that a person rejected before.
    pub fn denied_before(self) -> String {
        localized!(
            self.0,
            "A reviewer rejected this call before, so it was not made. Do not repeat it.",
            "审核人此前已拒绝此调用，因此没有执行。请不要重复。"
        )
    }

    /// To the model: a call that is kept.
    pub fn kept(self) -> String {
        localized!(
            self.0,
            "This call is kept and will run. Do not make it again; make only the calls that were refused, corrected.",
            "此调用已保留，将会执行。请不要重复；只需改正并重新发出被拒绝的调用。"
        )
    }

    /// To the model: a call that waits for a person.
    pub fn waiting(self) -> String {
        localized!(
            self.0,
            "This call is kept and waits for a person's approval. Do not make it again.",
            "此调用已保留，正在等待人工批准。请不要重复。"
        )
    }

    /// To the model: one more call than was asked for, and a bad one.
    pub fn dropped(self) -> String {
        localized!(self.0, "This call was not asked for and was not made.", "没有要求此调用，未执行。")
    }

    /// To the model: a call that has run before.
    pub fn done_before(self, result: &str) -> String {
        localized!(
            self.0,
            "This call has run already and was not run again; do not repeat it. Its result was:\n{result}",
            "此调用之前已经执行，没有再次执行；请不要重复。当时的结果：\n{result}"
        )
    }

    /// To the model: a call that the same answer makes twice.
    pub fn done_beside(self) -> String {
        localized!(
            self.0,
            "The same call is in this answer already and is not run a second time.",
            "同一个调用已在本次回答中发出，不再执行第二次。"
        )
    }

    /// To the reader: an item of a kind that nobody here knows.
    pub fn unknown(self, kind: &str) -> String {
        let kind = &shorten(kind);
        localized!(
            self.0,
            "The model asked for `{kind}`, which this gateway does not know and therefore cannot check, so it was not passed on. The operator can let such items pass with `unknown_items = \"pass\"`.",
            "模型请求了 `{kind}`，本网关不认识这种请求，无法检查，因此没有转交。运维人员可用 `unknown_items = \"pass\"` 放行。"
        )
    }

    /// To the reader: a call that was cut.
    pub fn cut(self, name: &str) -> String {
        let name = &shorten(name);
        localized!(
            self.0,
            "The tool call `{name}` was cut off before it was complete, so it was not made.",
            "工具调用 `{name}` 在写完之前被截断，未执行。"
        )
    }

    /// To the model: a call that was cut, to be made again.
    pub fn cut_again(self, name: &str) -> String {
        let name = &shorten(name);
        localized!(
            self.0,
            "The call to `{name}` was cut off before it was complete, so it was not made. Make it again, whole and brief.",
            "对 `{name}` 的调用在写完之前被截断，没有执行。请重新完整地写出，并尽量简短。"
        )
    }

    /// To the reader: a call that could not be recorded, and is therefore not released.
    pub fn unrecorded(self, name: &str) -> String {
        let name = &shorten(name);
        localized!(
            self.0,
            "The tool call `{name}` was not made: it could not be recorded in the audit, and calls are recorded before they are released. Try again later.",
            "工具调用 `{name}` 未执行：无法写入审计记录，而调用必须先记录后放行。请稍后重试。"
        )
    }

    /// To the reader: a call that a person rejected.
    pub fn rejected(self, name: &str, why: &str) -> String {
        let name = &shorten(name);
        localized!(self.0, "The tool call `{name}` was not made. {why}", "工具调用 `{name}` 未执行。{why}")
    }

    /// To the reader: a call that waits for a person.
    pub fn pending(self, name: &str, review: &str, why: &str) -> String {
        let name = &shorten(name);
        localized!(
            self.0,
            "The tool call `{name}` was not made: it needs a person's approval, which is pending (review {review}). Once it is approved, the same call goes through. {why}",
            "工具调用 `{name}` 未执行：需要人工批准，正在等待（审核 {review}）。批准后，同样的调用即可通过。{why}"
        )
    }

    /// Why a person is asked about a call that is fine: it cannot be undone.
    pub fn irreversible(self, tool: &str) -> String {
        localized!(
            self.0,
            "What `{tool}` does cannot be undone, so a person decides.",
            "`{tool}` 的操作无法撤销，需要人工确认。"
        )
    }

    /// To the model: an empty answer.
    pub fn answer_empty(self) -> String {
        localized!(self.0, "Your answer was empty. Give the answer now.", "你的回答是空的。请现在给出回答。")
    }

    /// To the model: a promise or an acknowledgement instead of an answer.
    pub fn answer_promised(self) -> String {
        localized!(
            self.0,
            "You said what you would do and did not do it. Make the tool call now, or give the answer itself.",
            "你只说了要做什么，却没有做。请现在发出工具调用，或直接给出回答。"
        )
    }

    /// To the model: a call that it only thought of.
    pub fn answer_thought(self, tool: &str) -> String {
        let tool = &shorten(tool);
        localized!(
            self.0,
            "You wrote the call to `{tool}` into your reasoning and did not make it, so nothing ran. Make the call itself now, or give the answer.",
            "你只在思考中写了对 `{tool}` 的调用，没有真正发出，因此什么也没有执行。请现在发出该调用，或直接回答。"
        )
    }

    /// To the model: a final answer while required steps are open.
    pub fn answer_too_early(self, steps: &str) -> String {
        localized!(
            self.0,
            "This answer comes too early: {steps} must succeed first. Make that call now, and answer after it.",
            "现在回答还太早：必须先成功调用 {steps}。请先发出该调用，然后再回答。"
        )
    }

    /// To the model: an answer that a check doubts.
    pub fn answer_doubted(self, why: &str) -> String {
        localized!(
            self.0,
            "There is something wrong with that answer: {why}. Correct it and answer again.",
            "这个回答有问题：{why}。请更正后重新回答。"
        )
    }
}

/// A name for a sentence: what a model calls a name may be a page long.
fn shorten(name: &str) -> String {
    let end = name.floor_char_boundary(SHOWN);
    name.get(..end).filter(|_| end < name.len()).map_or_else(|| name.to_owned(), |begin| format!("{begin}…"))
}

/// The most bytes of a name that are shown.
const SHOWN: usize = 120;
