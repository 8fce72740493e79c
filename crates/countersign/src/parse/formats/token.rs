//! The special tokens of open models: `<|tool_call_begin|>`, `<｜tool▁sep｜>`, `<tool_call|>`, `[TOOL_CALLS]`.
//!
//! Tokens are folded before they are looked up: width, case and the low line `▁` do not matter, because models copy
//! tokens of each other's templates and get them nearly right.

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
    /// A message begins, and says nothing of what it is.
    MessageStart,
    /// Structure that says nothing: sections, ends of turns, leaked control tokens.
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

/// `<`, an optional bar, a name, an optional bar, `>`; at least one bar.
fn lex_angle(text: &str) -> Lexed {
    let mut name = String::new();
    let (mut front, mut back) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '|' | '｜' if name.is_empty() && !front => front = true,
            '|' | '｜' if !name.is_empty() && !back => back = true,
            '>' if !front && !back => {
                let len = at + c.len_utf8();
                return plain(&name).map_or(Lexed::Not, |role| Lexed::Token(role, len));
            }
            '>' | '＞' if front || back => {
                let len = at + c.len_utf8();
                return role(&name, front, back).map_or(Lexed::Not, |role| Lexed::Token(role, len));
            }
            _ if back || name.len() >= LONGEST_NAME => return Lexed::Not,
            '▁' | ' ' if front && !name.is_empty() => name.push('_'),
            'a'..='z' | '0'..='9' | '_' | '"' | '-' => name.push(c),
            'A'..='Z' => name.push(c.to_ascii_lowercase()),
            _ => return Lexed::Not,
        }
        if !front
            && !back
            && !PLAIN.iter().any(|(known, _)| known.starts_with(&name))
            && !GEMMA.contains(&name.as_str())
        {
            let gemma = GEMMA.iter().any(|known| known.starts_with(&name));
            if !gemma {
                return Lexed::Not;
            }
        }
    }
    Lexed::NeedMore
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
    let table = TOKENS.iter().find(|(names, _)| names.contains(&name));
    table.map(|(_, role)| *role)
}

/// The tokens that have no bars.
const PLAIN: &[(&str, Role)] = &[("start_function_call", Role::CallOpen), ("end_function_call", Role::CallClose)];

/// The names of those that may have a bar after them only.
const GEMMA: &[&str] = &["tool_call", "channel", "tool_response", "turn", "tool"];

/// Longer names are no tokens.
const LONGEST_NAME: usize = 40;

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
        ],
        Role::CallClose,
    ),
    (&["tool_call_argument_begin", "tool_sep", "args", "plugin", "interpreter", "role_sep"], Role::Separator),
    (&["start_thinking", "begin_of_thought", "content_thinking"], Role::ThinkOpen),
    (&["end_thinking", "end_of_thought"], Role::ThinkClose),
    (&["start", "channel"], Role::Header),
    (&["message"], Role::Body),
    (&["end", "return", "eom"], Role::MessageEnd),
    (&["message_model"], Role::MessageStart),
    (
        &[
            "tool_calls_section_begin",
            "tool_calls_section_end",
            "tool_calls_begin",
            "tool_calls_end",
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
            "message_sep",
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
