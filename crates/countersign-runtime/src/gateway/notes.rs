//! What is said about calls that do not go to the client, to its reader and to the model.

use super::judging::Judged;
use countersign::contract::{Language, Status};
use countersign::localized;

/// Says it, in one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notes(pub Language);

impl Notes {
    /// A call that was refused, or could not be put right.
    pub(super) fn refused(self, judged: &Judged) -> String {
        let name = &short(&judged.call.name);
        let why = &judged.verdict.explanation;
        match judged.verdict.status {
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

    /// To the model: a call that is kept.
    pub(super) fn kept(self) -> String {
        localized!(
            self.0,
            "This call is kept and will run. Do not make it again; make only the calls that were refused, corrected.",
            "此调用已保留，将会执行。请不要重复；只需改正并重新发出被拒绝的调用。"
        )
    }

    /// To the model: a call that is before a person.
    pub(super) fn waiting(self) -> String {
        localized!(
            self.0,
            "This call is kept and waits for a person's approval. Do not make it again.",
            "此调用已保留，正在等待人工批准。请不要重复。"
        )
    }

    /// To the model: one more call than was asked for, and a bad one.
    pub(super) fn dropped(self) -> String {
        localized!(self.0, "This call was not asked for and was not made.", "没有要求此调用，未执行。")
    }

    /// A call that could not be recorded, and is therefore not released.
    pub(super) fn unrecorded(self, name: &str) -> String {
        let name = &short(name);
        localized!(
            self.0,
            "The tool call `{name}` was not made: it could not be recorded in the audit, and calls are recorded before they are released. Try again later.",
            "工具调用 `{name}` 未执行：无法写入审计记录，而调用必须先记录后放行。请稍后重试。"
        )
    }

    /// An item of a kind that nobody here knows.
    pub(super) fn unknown(self, kind: &str) -> String {
        let kind = &short(kind);
        localized!(
            self.0,
            "The model asked for `{kind}`, which this gateway does not know and therefore cannot check, so it was not passed on. The operator can let such items pass with `unknown_items = \"pass\"`.",
            "模型请求了 `{kind}`，本网关不认识这种请求，无法检查，因此没有转交。运维人员可用 `unknown_items = \"pass\"` 放行。"
        )
    }

    /// A call that was cut.
    pub(super) fn cut(self, name: &str) -> String {
        let name = &short(name);
        localized!(
            self.0,
            "The tool call `{name}` was cut off before it was complete, so it was not made.",
            "工具调用 `{name}` 在写完之前被截断，未执行。"
        )
    }
}

/// A name for a sentence: what a model calls a name may be a page long.
pub(super) fn short(name: &str) -> String {
    let end = name.floor_char_boundary(SHOWN);
    name.get(..end).filter(|_| end < name.len()).map_or_else(|| name.to_owned(), |begin| format!("{begin}…"))
}

/// The most bytes of a name that are shown.
const SHOWN: usize = 120;
