//! The special tokens of open models: `<|tool_call_begin|>`, `<｜tool▁sep｜>`, `<tool_call|>`, `[TOOL_CALLS]`.
//!
//! Tokens are folded before they are looked up: width, case and the low line `▁` do not matter, because models copy
//! tokens of each other's templates and get them nearly right.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a token does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A call begins.
    CallOpen,
    /// A call ends.
    CallClose,
    /// Between the name and the arguments of a call.
    Separator,
    /// Reasoning begins.
    ThinkOpen,
    /// Reasoning ends.
    ThinkClose,
    /// A message header begins: `<|start|>assistant`, `<|channel|>analysis`.
    Header,
    /// A message header ends and its body begins.
    Body,
    /// A message ends.
    MessageEnd,
    /// A message begins; its role or its recipient may follow.
    MessageStart,
    /// Calls follow, up to the end of the section.
    SectionOpen,
    /// The end of such a section.
    SectionClose,
    /// Structure that says nothing: ends of turns, leaked control tokens.
    Noise,
}

/// What is at the beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lexed {
    /// No token.
    Not,
    /// The text ends inside what may still become one.
    NeedMore,
    /// A token of that many bytes.
    Token(Role, usize),
}

/// Reads the token at the beginning of `text`, which begins with `<` or `[`.
pub(super) fn lex(text: &str) -> Lexed {
    if text.starts_with('[') { lex_square(text) } else { lex_angle(text) }
}

/// Whether a format that opens its calls with this token writes nothing behind them.
pub(super) fn has_no_closing(token: &str) -> bool {
    WITHOUT_CLOSING.iter().any(|known| token.get(..known.len()).is_some_and(|front| front.eq_ignore_ascii_case(known)))
}

/// `<`, an optional bar, a name, an optional bar, `>`; at least one bar.
fn lex_angle(text: &str) -> Lexed {
    let rest = text.get(1..).unwrap_or_default();
    if !rest.starts_with(['|', '｜']) {
        return lex_plain(text, rest);
    }
    let mut name = Name::default();
    let mut back = false;
    for (at, c) in text.char_indices().skip(2) {
        match c {
            '|' | '｜' if !name.is_empty() && !back => back = true,
            '>' | '＞' => {
                let len = at + c.len_utf8();
                return role(name.as_str(), true, back).map_or(Lexed::Not, |role| Lexed::Token(role, len));
            }
            _ if back => return Lexed::Not,
            '▁' | ' ' | ':' if !name.is_empty() && name.push(b'_') => {}
            'a'..='z' | '0'..='9' | '_' | '"' | '-' | 'A'..='Z' if name.push((c as u8).to_ascii_lowercase()) => {}
            _ => return Lexed::Not,
        }
    }
    Lexed::NeedMore
}

/// Tokens without a bar before their name: without any, or with one behind it.
fn lex_plain(text: &str, rest: &str) -> Lexed {
    let first = rest.bytes().next().map(|byte| byte.to_ascii_lowercase());
    for name in GEMMA.iter().copied().chain(PLAIN.iter().map(|(name, _)| *name)) {
        if first.is_some() && name.bytes().next() != first {
            continue;
        }
        let begins = name.get(..rest.len()).unwrap_or(name);
        if !rest.get(..begins.len()).is_some_and(|written| written.eq_ignore_ascii_case(begins)) {
            continue;
        }
        let after = rest.get(begins.len()..).unwrap_or_default();
        let barred = after.strip_prefix(['|', '｜']).filter(|_| GEMMA.contains(&name));
        let end = barred.unwrap_or(after);
        if end.is_empty() {
            return Lexed::NeedMore;
        }
        let (closed, role) = match barred {
            Some(end) => (end.strip_prefix(['>', '＞']), role(name, false, true)),
            None => (after.strip_prefix('>'), plain(name)),
        };
        if let (Some(beyond), Some(role)) = (closed, role) {
            return Lexed::Token(role, text.len() - beyond.len());
        }
    }
    Lexed::Not
}

/// The name of a token while it is read. Longer ones are none.
#[derive(Default)]
struct Name {
    letters: [u8; LONGEST_NAME],
    len: usize,
}

impl Name {
    fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes one more ASCII letter; false where the name is full.
    fn push(&mut self, letter: u8) -> bool {
        let Some(place) = self.letters.get_mut(self.len) else { return false };
        *place = letter;
        self.len += 1;
        true
    }

    fn as_str(&self) -> &str {
        self.letters.get(..self.len).and_then(|letters| std::str::from_utf8(letters).ok()).unwrap_or_default()
    }
}

/// Tokens without bars.
fn plain(name: &str) -> Option<Role> {
    PLAIN.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
}

fn lex_square(text: &str) -> Lexed {
    for (marker, role) in SQUARE {
        let same = text.bytes().zip(marker.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        if same == marker.len() {
            return Lexed::Token(*role, same);
        }
        if same == text.len() {
            return Lexed::NeedMore;
        }
    }
    Lexed::Not
}

fn role(name: &str, front: bool, back: bool) -> Option<Role> {
    // Gemma marks the beginning with the bar in front and the end with the bar behind.
    if front != back {
        return match (name, front) {
            ("tool_call", true) => Some(Role::CallOpen),
            ("tool_call", false) => Some(Role::CallClose),
            ("channel", true) => Some(Role::ThinkOpen),
            ("channel", false) => Some(Role::ThinkClose),
            ("tool_response" | "turn" | "tool", _) => Some(Role::Noise),
            _ => None,
        };
    }
    ROLES.get(name).copied()
}

/// The openings that no closing belongs to: Mistral's, Llama's, GigaChat's, Granite's.
const WITHOUT_CLOSING: &[&str] =
    &["[TOOL_CALLS]", "<|python_tag|>", "<|function_call|>", "<|tool_call|>", "<|message_sep|>"];

/// Builds the tables of this module.
pub(super) fn build_tables() {
    LazyLock::force(&ROLES);
}

/// The tokens with a bar on both sides.
static ROLES: LazyLock<FxHashMap<&str, Role>> =
    LazyLock::new(|| TOKENS.iter().flat_map(|(names, role)| names.iter().map(|name| (*name, *role))).collect());

/// The tokens that have no bars.
const PLAIN: &[(&str, Role)] = &[("start_function_call", Role::CallOpen), ("end_function_call", Role::CallClose)];

/// The names of those that may have a bar after them only.
const GEMMA: &[&str] = &["tool_call", "channel", "tool_response", "turn", "tool"];

/// Longer names are no tokens.
const LONGEST_NAME: usize = 32;

/// The tokens with a bar on both sides, folded.
const TOKENS: &[(&[&str], Role)] = &[
    (
        &[
            "tool_call_begin",
            "tool_call_start",
            "tool_call",
            "start_action",
            "action_start",
            "python_tag",
            "function_call",
            "function_call_begin",
            "content_invoke_tool_json",
            "python_start",
            "tool_calls",
            "tools_prefix",
        ],
        Role::CallOpen,
    ),
    (
        &[
            "tool_call_end",
            "end_action",
            "action_end",
            "function_call_end",
            "python_end",
            "call",
            "eom_id",
            "end_message",
            "tools_suffix",
        ],
        Role::CallClose,
    ),
    (
        &[
            "tool_call_argument_begin",
            "tool_call_args",
            "tool_call_name",
            "tool_sep",
            "args",
            "plugin",
            "interpreter",
            "role_sep",
        ],
        Role::Separator,
    ),
    (&["start_thinking", "begin_of_thought", "content_thinking", "inner_prefix"], Role::ThinkOpen),
    (&["end_thinking", "end_of_thought", "inner_suffix"], Role::ThinkClose),
    (&["start", "channel"], Role::Header),
    (&["message"], Role::Body),
    (&["end", "return", "eom"], Role::MessageEnd),
    (&["message_model", "message_sep"], Role::MessageStart),
    (&["tool_calls_section_begin", "tool_call_section_begin", "tool_calls_begin"], Role::SectionOpen),
    (&["tool_calls_section_end", "tool_call_section_end", "tool_calls_end"], Role::SectionClose),
    (
        &[
            "im_end",
            "im_start",
            "endoftext",
            "eot_id",
            "end_of_text",
            "begin_of_text",
            "end_of_sentence",
            "begin_of_sentence",
            "start_response",
            "end_response",
            "start_text",
            "end_text",
            "chatbot_token",
            "end_of_turn_token",
            "start_of_turn_token",
            "end_of_turn",
            "user",
            "assistant",
            "observation",
            "message_user",
            "content_text",
            "content_audio_input",
            "audio_end",
            "eos",
            "bos",
            "end_of_role",
            "start_of_role",
            "eot",
            "sep",
        ],
        Role::Noise,
    ),
];

/// The markers in square brackets.
const SQUARE: &[(&str, Role)] = &[
    ("[TOOL_CALLS]", Role::CallOpen),
    ("[TOOL_CALL]", Role::CallOpen),
    ("[/TOOL_CALLS]", Role::CallClose),
    ("[/TOOL_CALL]", Role::CallClose),
    ("[ARGS]", Role::Separator),
    ("[CALL_ID]", Role::Separator),
    ("[THINK]", Role::ThinkOpen),
    ("[/THINK]", Role::ThinkClose),
    ("[BEGIN FINAL RESPONSE]", Role::ThinkClose),
    ("[END FINAL RESPONSE]", Role::Noise),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_case_and_low_lines_do_not_matter() {
        assert_eq!(lex("<｜tool▁call▁begin｜>x"), Lexed::Token(Role::CallOpen, "<｜tool▁call▁begin｜>".len()));
        assert_eq!(lex("<|Tool_Call_Begin|>"), Lexed::Token(Role::CallOpen, 19));
        assert_eq!(lex("<tool_call|>"), Lexed::Token(Role::CallClose, 12));
        assert_eq!(lex("[tool_calls] ["), Lexed::Token(Role::CallOpen, 12));
        assert_eq!(lex("<|tool_ca"), Lexed::NeedMore);
        assert_eq!(lex("[TOOL"), Lexed::NeedMore);
        assert_eq!(lex("<b>bold"), Lexed::Not);
        assert_eq!(lex("<｜DSML｜invoke name"), Lexed::Not);
        assert_eq!(lex("[link](x)"), Lexed::Not);
    }
}
