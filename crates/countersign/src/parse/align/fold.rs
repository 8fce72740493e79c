//! The letters of a name without what people and models change in it: case, accents, width, blanks and marks.
//!
//! Two names with the same folded form are the same name, unless a third has it too; that is for the caller to see.
//! Letters without a Latin base stay as they are: folding never joins two letters of another script.

/// A name in its folded form: `Prénom ` and `prenom`, `first_name` and `First Name` are the same.
pub(super) fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii() {
            if letter.is_ascii_alphanumeric() {
                out.push(letter.to_ascii_lowercase());
            }
        } else {
            fold_letter(letter, &mut out);
        }
    }
    out
}

/// One letter outside ASCII in its folded form; nothing for a mark or a blank.
pub(super) fn fold_letter(letter: char, out: &mut String) {
    if matches!(letter, '\u{300}'..='\u{36f}') {
        return;
    }
    // Full-width forms stand in the order of ASCII.
    let narrow = match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        other => other,
    };
    for lower in narrow.to_lowercase().filter(|lower| !matches!(lower, '\u{300}'..='\u{36f}')) {
        match plain(lower) {
            Some(base) => out.push_str(base),
            None if lower.is_alphanumeric() => out.push(lower),
            None => {}
        }
    }
}

/// The letters under an accent or a ligature, for a letter in lower case.
fn plain(letter: char) -> Option<&'static str> {
    BASES.iter().find(|(_, accented)| accented.contains(letter)).map(|(base, _)| *base)
}

/// Each base with its accented forms.
const BASES: &[(&str, &str)] = &[
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặª"),
    ("ae", "æǣǽ"),
    ("b", "ḃḅḇ"),
    ("c", "çćĉċčḉ"),
    ("d", "ďđðḋḍḏḑḓ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ("f", "ḟ"),
    ("g", "ĝğġģǧǵḡ"),
    ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    ("j", "ĵǰ"),
    ("k", "ķǩḱḳḵ"),
    ("l", "ĺļľŀłḷḹḻḽ"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňŉǹṅṇṉṋ"),
    ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợº"),
    ("oe", "œ"),
    ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"),
    ("s", "śŝşšșṡṣṥṧṩ"),
    ("ss", "ß"),
    ("t", "ţťŧțṫṭṯṱẗ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ("v", "ṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
    ("е", "ёѐ"),
    ("и", "йѝ"),
    ("α", "ά"),
    ("ε", "έ"),
    ("η", "ή"),
    ("ι", "ίϊΐ"),
    ("ο", "ό"),
    ("υ", "ύϋΰ"),
    ("ω", "ώ"),
    ("σ", "ς"),
];

#[cfg(test)]
mod tests {
    use super::fold;

    // PARSE-2
    #[test]
    fn what_people_change_in_a_name_is_folded_away() {
        assert_eq!(fold(" Straße_NAME "), "strassename");
        assert_eq!(fold("e\u{301}le\u{300}ve"), "eleve");
        assert_eq!(fold("Ｎｕｍｂｅｒ １"), "number1");
        assert_eq!(fold("İstanbul"), "istanbul");
        assert_eq!(fold("城市-名"), "城市名");
        assert_eq!(fold("フィールド"), "フィールド");
        assert_eq!(fold("—…  "), "");
    }
}
