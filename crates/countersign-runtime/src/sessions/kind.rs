//! Kinds of files: what a model is told before the content of one, and what is counted.
//!
//! There are few of them on purpose. A media type that somebody uploads is never a label of a metric.

use countersign::contract::Language;

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A picture.
    Image,
    /// A PDF.
    Pdf,
    /// Rows and columns.
    Table,
    /// JSON and JSON lines.
    Json,
    /// Markdown.
    Markdown,
    /// Any other text.
    Text,
    /// An office document.
    Office,
    /// Anything else.
    Other,
}

impl FileKind {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Image, Self::Pdf, Self::Table, Self::Json, Self::Markdown, Self::Text, Self::Office, Self::Other];

    /// The kind of a media type.
    pub fn of_media(media: &str) -> Self {
        match media {
            "image/svg+xml" => Self::Text,
            "application/pdf" => Self::Pdf,
            "text/csv" | "text/tab-separated-values" => Self::Table,
            "application/json" | "application/jsonl" => Self::Json,
            "text/markdown" => Self::Markdown,
            "application/xml" | "application/yaml" | "application/toml" => Self::Text,
            media if media.starts_with("image/") => Self::Image,
            media if media.starts_with("text/") => Self::Text,
            media if media.contains("openxmlformats") || media.contains("opendocument") => Self::Office,
            _ => Self::Other,
        }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Pdf => "pdf",
            Self::Table => "table",
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Text => "text",
            Self::Office => "office",
            Self::Other => "other",
        }
    }

    /// What a model is told before the content; empty where there is nothing to say.
    pub fn instruction(self, language: Language) -> &'static str {
        let told = match language {
            Language::Chinese => CHINESE,
            _ => ENGLISH,
        };
        let line = |line: &'static str| line.strip_prefix(self.name())?.strip_prefix(": ");
        told.lines().find_map(line).unwrap_or_default()
    }
}

/// What became of a file that a model should see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analysis {
    /// All of its text was put before the model.
    Text,
    /// The beginning of its text was.
    Cut,
    /// It was shown as a picture.
    Picture,
    /// Nothing of it could be shown, and the model was told why.
    Unreadable,
    /// The model takes no pictures, and was asked again without.
    RefusedByModel,
    /// The model answered with a promise instead of an analysis.
    Pseudo,
}

impl Analysis {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Cut => "cut",
            Self::Picture => "picture",
            Self::Unreadable => "unreadable",
            Self::RefusedByModel => "refused_by_model",
            Self::Pseudo => "pseudo",
        }
    }
}

const ENGLISH: &str = include_str!("../../prompts/files.en.md");
const CHINESE: &str = include_str!("../../prompts/files.zh.md");

#[cfg(test)]
mod tests {
    use super::*;

    // STREAM-8
    #[test]
    fn every_kind_that_can_be_shown_has_its_words() {
        for kind in FileKind::ALL {
            let shown = kind != FileKind::Other;
            for language in [Language::English, Language::Chinese] {
                assert_eq!(!kind.instruction(language).is_empty(), shown, "{kind:?}");
            }
        }
        assert_ne!(FileKind::Pdf.instruction(Language::English), FileKind::Pdf.instruction(Language::Chinese));
        assert_eq!(FileKind::of_media("image/heic"), FileKind::Image);
        assert_eq!(FileKind::of_media("video/mp4"), FileKind::Other);
    }
}
