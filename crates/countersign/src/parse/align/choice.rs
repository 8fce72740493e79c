//! One of a few allowed values, found in what the model wrote.
//!
//! The whole text is tried first, then the text as a sentence that names exactly one of them: the one named most often,
//! where a longer name hides the shorter ones inside it. Two that are named equally often are no choice at all.

use super::scalar::{self, Extent, same};
use crate::text::fold::{fold_letter, fold_name};
use serde_json::Value;

/// The allowed values.
#[derive(Debug)]
pub(super) struct Choice {
    options: Vec<Allowed>,
}

/// One allowed value and what it is called.
#[derive(Debug)]
struct Allowed {
    value: Value,
    /// Its aliases, then its own name.
    names: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    text: String,
    folded: String,
}

impl Choice {
    /// The values, with the aliases that the schema gives them.
    pub(super) fn new<'s>(values: impl Iterator<Item = &'s Value>, aliases: Option<&Value>) -> Self {
        let options = values.map(|value| {
            let own = value.as_str().map(str::to_owned);
            let known = own.as_deref().and_then(|own| aliases?.get(own)).into_iter().flat_map(alias_names);
            let names = known.map(str::to_owned).chain(own.clone());
            let names = names.map(|text| Name { folded: fold_name(&text), text }).filter(|name| !name.text.is_empty());
            Allowed { names: names.collect(), value: value.clone() }
        });
        Self { options: options.collect() }
    }

    /// Whether the value is one of them as it stands.
    pub(super) fn contains(&self, value: &Value) -> bool {
        self.options.iter().any(|option| same(&option.value, value))
    }

    /// The allowed value that a text means, and whether it used all of the text.
    pub(super) fn read(&self, text: &str) -> Option<(&Value, Extent)> {
        let trimmed = text.trim();
        if let Some(option) = self.whole(trimmed) {
            return Some((&option.value, Extent::Whole));
        }
        if let Some(value) = self.plain(trimmed, Extent::Whole) {
            return Some((value, Extent::Whole));
        }
        match self.find_named(trimmed) {
            Some(Named::One(option)) => self.options.get(option).map(|option| (&option.value, Extent::Part)),
            Some(Named::Several) => None,
            None => self.plain(trimmed, Extent::Part).map(|value| (value, Extent::Part)),
        }
    }

    /// The option whose name is the whole text: as it stands by alias or name, else folded and without a rival.
    fn whole(&self, text: &str) -> Option<&Allowed> {
        let aliased = |option: &&Allowed| option.names.first().is_some_and(|name| name.text == text);
        let exact = self.options.iter().find(aliased);
        if exact.is_some() {
            return exact;
        }
        if let Some(own) = self.options.iter().find(|option| option.names.iter().any(|name| name.text == text)) {
            return Some(own);
        }
        let folded = fold_name(text);
        let mut fitting = self.options.iter().filter(|option| option.names.iter().any(|name| name.folded == folded));
        match (folded.is_empty(), fitting.next(), fitting.next()) {
            (false, Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// The number or boolean among the options that the text says.
    fn plain(&self, text: &str, wanted: Extent) -> Option<&Value> {
        let is = |kind: fn(&Value) -> bool| self.options.iter().any(|option| kind(&option.value));
        let number = is(Value::is_number).then(|| scalar::number(text)).flatten();
        let number = number.filter(|(_, extent)| *extent == wanted).map(|(number, _)| Value::Number(number));
        let boolean = is(Value::is_boolean).then(|| scalar::boolean(text)).flatten();
        let boolean = boolean.filter(|(_, extent)| *extent == wanted).map(|(boolean, _)| Value::Bool(boolean));
        let said: Vec<Value> = number.into_iter().chain(boolean).collect();
        self.options.iter().map(|option| &option.value).find(|value| said.iter().any(|said| same(said, value)))
    }

    /// The option that a sentence names most often: by its letters, then folded, then as the stem of a word.
    fn find_named(&self, text: &str) -> Option<Named> {
        let exact = self.count(&Words::plain(text), |name| &name.text, Bounds::Word);
        if matches!(exact, Some(Named::One(_))) {
            return exact;
        }
        let words = Words::fold(text);
        let folded = self.count(&words, |name| &name.folded, Bounds::Word);
        folded.or(exact).or_else(|| self.count(&words, |name| &name.folded, Bounds::Stem))
    }

    fn count(&self, words: &Words, name: impl Fn(&Name) -> &String, bounds: Bounds) -> Option<Named> {
        let mut hits = Vec::new();
        for (index, option) in self.options.iter().enumerate() {
            for name in option.names.iter().map(&name).filter(|name| !name.is_empty()) {
                let found =
                    words.text.match_indices(name.as_str()).map(|(start, hit)| (start, start + hit.len(), index));
                hits.extend(found.filter(|(start, end, _)| words.allows(*start, *end, bounds)));
            }
        }
        hits.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        let (mut counts, mut taken) = (vec![0_usize; self.options.len()], 0);
        for (start, end, index) in hits {
            if start >= taken {
                taken = end;
                counts.get_mut(index).into_iter().for_each(|count| *count += 1);
            }
        }
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        let mut best = counts.iter().enumerate().filter(|(_, count)| **count == most).map(|(index, _)| index);
        match (best.next(), best.next()) {
            (Some(only), None) => Some(Named::One(only)),
            _ => Some(Named::Several),
        }
    }
}

/// The names that a schema's alias gives: one, several, or one beside other things that are said about it.
pub(super) fn alias_names(alias: &Value) -> Vec<&str> {
    match alias {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Object(said) => said.get("alias").and_then(Value::as_str).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What a sentence names.
enum Named {
    One(usize),
    Several,
}

/// Where a name may begin and end.
#[derive(Clone, Copy)]
enum Bounds {
    /// At the edges of words.
    Word,
    /// A longer name anywhere at a word's beginning: plurals and other endings.
    Stem,
}

/// A text to be searched, with the places where words begin and end.
struct Words {
    text: String,
    edges: Vec<bool>,
}

impl Words {
    fn plain(text: &str) -> Self {
        Self::build(text, |letter, out| out.push(letter))
    }

    /// Only letters and digits are left, folded.
    fn fold(text: &str) -> Self {
        Self::build(text, |letter, out| match letter {
            ascii if ascii.is_ascii_alphanumeric() => out.push(ascii.to_ascii_lowercase()),
            ascii if ascii.is_ascii() => {}
            other => fold_letter(other, out),
        })
    }

    fn build(text: &str, write: impl Fn(char, &mut String)) -> Self {
        let mut out = String::with_capacity(text.len());
        let mut edges = vec![true];
        let mut before = Side::Outside;
        for letter in text.chars() {
            let now = Side::of(letter);
            if (now != before || now == Side::Alone)
                && let Some(edge) = edges.last_mut()
            {
                *edge = true;
            }
            write(letter, &mut out);
            edges.resize(out.len() + 1, false);
            before = if matches!(letter, '\u{300}'..='\u{36f}') { before } else { now };
        }
        edges.last_mut().into_iter().for_each(|edge| *edge = true);
        Self { text: out, edges }
    }

    fn allows(&self, start: usize, end: usize, bounds: Bounds) -> bool {
        let edge = |at: usize| self.edges.get(at).copied().unwrap_or(false);
        match bounds {
            Bounds::Word => edge(start) && edge(end),
            Bounds::Stem => end - start >= STEM && edge(start),
        }
    }
}

/// What a letter is for the edges of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inside,
    Outside,
    /// A sign that is a word by itself, as in Chinese.
    Alone,
}

impl Side {
    fn of(letter: char) -> Self {
        match letter {
            '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Self::Alone,
            '\u{300}'..='\u{36f}' => Self::Inside,
            _ if letter.is_alphanumeric() => Self::Inside,
            _ => Self::Outside,
        }
    }
}

/// A shorter beginning of a word says too little.
const STEM: usize = 3;

#[cfg(test)]
mod tests {
    use super::{Choice, Extent};
    use serde_json::{Value, json};

    fn pick(values: &Value, aliases: &Value, text: &str) -> Option<Value> {
        Choice::new(values.as_array().unwrap().iter(), Some(aliases)).read(text).map(|(value, _)| value.clone())
    }

    // PARSE-2
    #[test]
    fn the_whole_text_is_matched_by_its_folded_letters() {
        let aliases = json!({"HIGH": "très élevé", "LOW": ["bas", "faible"]});
        for (text, expected) in [("HIGH", "HIGH"), ("tres_eleve", "HIGH"), ("Faible!", "LOW"), (" mid ", "Mid")] {
            assert_eq!(pick(&json!(["HIGH", "LOW", "Mid"]), &aliases, text), Some(json!(expected)), "{text}");
        }
    }

    // PARSE-2
    #[test]
    fn a_sentence_must_name_one_more_often_than_the_others() {
        let values = json!(["spam", "not spam", "高", "cat"]);
        for (text, expected) in [
            ("This mail is not spam.", Some("not spam")),
            ("Spam. Surely spam, even if cat says no", Some("spam")),
            ("优先级：高", Some("高")),
            ("it shows two cats", Some("cat")),
            ("cat or spam", None),
            ("concatenated", None),
        ] {
            assert_eq!(pick(&values, &json!({}), text), expected.map(|text| json!(text)), "{text}");
        }
    }

    // PARSE-2
    #[test]
    fn numbers_and_booleans_are_choices_too() {
        let values = json!([1, true, "three"]);
        let choice = Choice::new(values.as_array().unwrap().iter(), None);
        assert_eq!(choice.read("1"), Some((&json!(1), Extent::Whole)));
        assert_eq!(choice.read("it is true"), Some((&json!(true), Extent::Part)));
        assert_eq!(choice.read("2"), None);
        assert!(choice.contains(&json!(1.0)));
    }
}
