//! Tags as the concierge writes them, right or with one of the faults that real models make.

use super::fault::TagFault;

/// A tag: its name, and its text or its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    name: String,
    body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Body {
    Text(String),
    Fields(Vec<(&'static str, String)>),
}

impl Tag {
    /// A tag with a text.
    pub(super) fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), body: Body::Text(text.into()) }
    }

    /// A tag with fields.
    pub(super) fn fields(name: &str, fields: Vec<(&'static str, String)>) -> Self {
        Self { name: name.to_owned(), body: Body::Fields(fields) }
    }

    fn right(&self) -> String {
        self.between(&self.name, &self.name)
    }

    fn between(&self, opening: &str, closing: &str) -> String {
        format!("<{opening}>{}</{closing}>", self.inner())
    }

    fn inner(&self) -> String {
        match &self.body {
            Body::Text(text) => text.clone(),
            Body::Fields(fields) => fields.iter().map(|(name, text)| format!("<{name}>{text}</{name}>")).collect(),
        }
    }

    fn wrong(&self, fault: TagFault) -> String {
        let right = self.right();
        match fault {
            TagFault::Case => self.between(&capital(&self.name), &self.name.to_uppercase()),
            TagFault::Misspelt => self.between(&misspelt(&self.name), &misspelt(&self.name)),
            TagFault::Unclosed => right.strip_suffix(&format!("</{}>", self.name)).unwrap_or(&right).to_owned(),
            TagFault::Stray => format!("</{}>\n{right}", self.name),
            TagFault::Mismatch => {
                let other = if self.name == "create_note" { "web_search" } else { "create_note" };
                self.between(&self.name, other)
            }
            TagFault::Nested => format!("<{}>{right}</{}>", self.name, self.name),
            TagFault::Attributes => self.with_attributes(),
            TagFault::FullWidth => right.replace('<', "＜").replace('>', "＞").replace("＜/", "＜／"),
            TagFault::Fence => format!("```xml\n{right}\n```"),
            TagFault::Entities => right.replace('<', "&lt;").replace('>', "&gt;"),
        }
    }

    fn with_attributes(&self) -> String {
        let quoted = |text: &str| text.replace('"', "'");
        match &self.body {
            Body::Text(text) if self.name.starts_with("confirm") => {
                format!("<{} lang=\"auto\">{text}</{}>", self.name, self.name)
            }
            Body::Text(text) => format!("<{} query=\"{}\"/>", self.name, quoted(text)),
            Body::Fields(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, text)| format!("{name}=\"{}\"", quoted(text))).collect();
                format!("<{} {}/>", self.name, fields.join(" "))
            }
        }
    }
}

/// How many of the tags are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrong {
    None,
    /// One of them.
    One(TagFault),
    /// All that can be.
    All(TagFault),
}

/// The tags in their lines. Only the last one can lack its closing: what comes after it would be its own.
pub(super) fn written(tags: &[Tag], wrong: Wrong) -> String {
    let last = tags.len().saturating_sub(1);
    let one = |at: usize, tag: &Tag| match wrong {
        Wrong::All(TagFault::Unclosed) | Wrong::One(TagFault::Unclosed) if at != last => tag.right(),
        Wrong::One(fault) if at == last => tag.wrong(fault),
        Wrong::All(fault) => tag.wrong(fault),
        Wrong::One(_) | Wrong::None => tag.right(),
    };
    let lines: Vec<String> = tags.iter().enumerate().map(|(at, tag)| one(at, tag)).collect();
    lines.join("\n")
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Slips that are known from real models, else a letter too few.
fn misspelt(name: &str) -> String {
    match name {
        "call_orchestrator" => "call_orcheator".to_owned(),
        "web_search" => "web_serch".to_owned(),
        "create_note" => "creat_note".to_owned(),
        "save_material" => "save_materal".to_owned(),
        other => other.replacen("confirm", "confrim", 1),
    }
}
