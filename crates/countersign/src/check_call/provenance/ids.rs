//! Whether an id-like value follows from what was said, and whether it only stands for one.

use super::alias;
use super::sources::Sources;

/// Whether a folded id follows: all its parts were said, it was said with other marks in it, or its thing has another
/// name (`#ffffff` is white).
pub(crate) fn follows(folded: &str, sources: &Sources<'_>) -> bool {
    parts_were_said(folded, sources)
        || sources.squashed(folded)
        || alias::others(folded).any(|other| sources.said(other))
        || is_well_known(folded)
}

/// Whether a value stands for one that the model did not have: `<API_KEY>`, `your_token`, `https://example.com`.
pub(crate) fn is_placeholder(folded: &str) -> bool {
    let framed = (folded.starts_with('<') && folded.ends_with('>')) || (folded.contains('{') && folded.contains('}'));
    let words = || folded.split(|c: char| !c.is_ascii_alphanumeric());
    let named =
        folded.starts_with("your_") || folded.starts_with("your-") || words().any(|w| PLACEHOLDERS.contains(&w));
    folded.len() <= 60 && (framed || named) && !folded.contains(' ')
}

/// Files and folders that every project or system has.
fn is_well_known(folded: &str) -> bool {
    let last = folded.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(folded);
    WELL_KNOWN.contains(&last)
}

/// A path of a known folder and a known file, an e-mail of a known name at a known host.
fn parts_were_said(folded: &str, sources: &Sources<'_>) -> bool {
    let parts: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let known = |part: &str| {
        COMMON_PARTS.contains(&part)
            || sources.any(|tokens| tokens.has_exact(part) || tokens.has_word(part))
            || (part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let names = parts.iter().filter(|part| !COMMON_PARTS.contains(part)).count();
    names > 0 && parts.iter().all(|part| known(part))
}

/// Parts of addresses and paths that everybody knows.
const COMMON_PARTS: &[&str] =
    &["http", "https", "www", "com", "org", "net", "txt", "csv", "json", "pdf", "md", "html", "home", "tmp"];

const PLACEHOLDERS: &[&str] = &["example", "placeholder", "dummy", "xxx", "xxxx", "changeme", "todo", "tbd", "foobar"];

const WELL_KNOWN: &[&str] = &[
    "readme.md",
    "readme",
    "package.json",
    "cargo.toml",
    "makefile",
    "dockerfile",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "main.py",
    "main.rs",
    "index.html",
    "index.js",
    "index.ts",
    "app.py",
    "lib.rs",
    "src",
    "tests",
    "docs",
    ".gitignore",
    ".env",
    "license",
    "changelog.md",
    "go.mod",
    "pom.xml",
    "tsconfig.json",
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "utf-8",
    "utf8",
    "sha256",
    "base64",
    "mp3",
    "mp4",
    "hosts",
    "tmp",
    "home",
];
