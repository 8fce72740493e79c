//! Instructions to the model inside a result. What an instruction is, is told in [`crate::text::instructions`].

use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::instructions::{Instruction, find_instruction, read_fields};

/// Every text of the result.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    // What the call itself brought, such as a text to translate, is no news; a prompt file is one by its purpose.
    let brought = subject.argument_texts().any(|text| find_instruction(text).is_some() || is_prompt_file(text));
    let texts = subject.parts.texts.iter().filter(|text| text.text.len() >= 12 && !brought);
    let found = texts.filter_map(|text| Some((text, first(text.key, text.text)?)));
    let finding = |(text, found): (&crate::check_result::fields::Text<'_>, Instruction)| {
        let sign: String = found.sentence.chars().take(80).collect();
        let evidence = localized!(
            subject.language,
            "the content gives instructions to the model: “{sign}”",
            "内容含有对模型的指令：“{sign}”"
        );
        Finding::new(&codes::INSTRUCTIONS, text.pointer.clone(), evidence)
    };
    found.take(3).map(finding).collect()
}

/// Whether a path names a file of prompts. The address of a page may bear any name.
fn is_prompt_file(path: &str) -> bool {
    !path.contains("://") && path.to_lowercase().contains("prompt")
}

/// The first instruction in a text, or in one of the fields and cells that it holds.
fn first(key: &str, text: &str) -> Option<Instruction> {
    read_fields(key, text).into_iter().find_map(|(_, found)| found)
}
