//! Quotations: what a text only mentions.

/// A text without what is in quotation marks and code.
pub(crate) fn unquoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match open {
            Some((close, _)) if c == close => open = None,
            Some((close, from)) if at - from > MAX_QUOTE || (c == '\n' && close != '`') => open = None,
            Some(_) => {}
            None => match closing(c, before) {
                Some(close)
                    if text
                        .get(at + c.len_utf8()..)
                        .is_some_and(|rest| rest.chars().take(MAX_QUOTE).any(|c| c == close)) =>
                {
                    open = Some((close, at));
                    kept.push(' ');
                }
                _ => kept.push(c),
            },
        }
        before = c;
    }
    kept
}

/// The mark that ends a quotation that this one begins.
fn closing(c: char, before: char) -> Option<char> {
    let free = !before.is_alphanumeric();
    match c {
        '"' if free => Some('"'),
        '\'' if free => Some('\''),
        '“' => Some('”'),
        '‘' if free => Some('’'),
        '「' => Some('」'),
        '『' => Some('』'),
        '《' => Some('》'),
        '`' => Some('`'),
        '«' => Some('»'),
        _ => None,
    }
}

/// The same with blanks in their place, so that every byte stays where it was.
pub(crate) fn blank_quotes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match open {
            Some((close, from)) if c == close || at - from > MAX_QUOTE || c == '\n' => open = None,
            Some(_) => {}
            None => {
                let rest = || text.get(at + c.len_utf8()..).unwrap_or_default().chars().take(MAX_QUOTE);
                let closes = |close: char| rest().take_while(|c| *c != '\n').any(|c| c == close);
                // What follows an equals sign is a value and no quotation.
                let begins = closing(c, before).filter(|close| before != '=' && closes(*close));
                open = begins.map(|close| (close, at));
                if open.is_none() {
                    kept.push(c);
                }
            }
        }
        kept.extend(std::iter::repeat_n(if c == '\n' { '\n' } else { ' ' }, at + c.len_utf8() - kept.len()));
        before = c;
    }
    kept
}

/// A longer quotation is a text of its own.
const MAX_QUOTE: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-5
    #[test]
    fn quotations_are_left_out() {
        assert_eq!(unquoted("He said \"I believe\" twice."), "He said   twice.");
        assert_eq!(unquoted("报告称“我认为”有误"), "报告称 有误");
        assert_eq!(unquoted("It's the dog's 5' pole"), "It's the dog's 5' pole");
        assert_eq!(unquoted("an open \" mark"), "an open \" mark");
    }
}
