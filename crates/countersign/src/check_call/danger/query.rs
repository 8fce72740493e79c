//! Queries that destroy: `DROP DATABASE`, a table emptied, a second statement after one that reads.
//!
//! Comments are taken out and strings emptied first, so that `DROP/**/TABLE` is read as the database reads it and a note that
//! says "where" narrows nothing.

use super::simple::Harm;
use regex::Regex;
use std::sync::LazyLock;

/// What a query would do. Where the tool says that it only reads, whatever empties a table was not asked of it.
pub(crate) fn judge(text: &str, tool: Tool) -> Option<Harm> {
    let end = text.floor_char_boundary(MAX_QUERY);
    let (mut worst, mut read) = (None, false);
    for statement in statements(text.get(..end).unwrap_or(text)) {
        let is =
            |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(&statement));
        if is(&DROPS) {
            return Some(Harm::Sure);
        }
        let wide = is(&WIDE) && !is(&NARROW) || is(&WIDE) && is(&ALWAYS);
        let emptied = is(&TABLES) || (wide && is(&REMOVES));
        // Whoever reads and then removes a table in one query did not write the second half.
        if emptied && (read || tool == Tool::Reads) {
            return Some(Harm::Sure);
        }
        read |= is(&READS);
        let harm = match (emptied, wide, tool) {
            (true, ..) | (_, true, Tool::Reads) => Some(Harm::Table),
            (_, true, _) => Some(Harm::Likely),
            _ => None,
        };
        worst = worst.max(harm);
    }
    worst
}

/// What the tool that takes the query says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// It only reads.
    Reads,
    /// It may change something, or says nothing.
    Any,
}

/// The statements of a query, without comments and with empty strings. Where a quote stays open somebody broke out of it,
/// and every `;` counts.
fn statements(text: &str) -> Vec<String> {
    let cut = Cut::of(text);
    if cut.open { text.split(';').map(str::to_owned).collect() } else { cut.statements }
}

#[derive(Default)]
struct Cut {
    statements: Vec<String>,
    open: bool,
}

impl Cut {
    fn of(text: &str) -> Self {
        let mut cut = Self::default();
        let (mut statement, mut quote) = (String::new(), None);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (quote, c) {
                (Some('`'), '`') | (Some('"'), '"') | (Some('\''), '\'') => {
                    statement.push(c);
                    quote = None;
                }
                // A name in quotes stays; a string's content is nobody's command.
                (Some('\''), _) => {}
                (Some(_), c) => statement.push(c),
                (None, '\'' | '"' | '`') => {
                    statement.push(c);
                    quote = Some(c);
                }
                (None, '-') if chars.peek() == Some(&'-') => {
                    statement.push(' ');
                    chars.by_ref().take_while(|c| *c != '\n').for_each(drop);
                }
                (None, '/') if chars.peek() == Some(&'*') => {
                    chars.next();
                    statement.push(' ');
                    // MySQL runs what is in `/*! … */`.
                    if chars.next_if_eq(&'!').is_some() {
                        while chars.next_if(char::is_ascii_digit).is_some() {}
                        continue;
                    }
                    let mut last = ' ';
                    for c in chars.by_ref() {
                        if last == '*' && c == '/' {
                            break;
                        }
                        last = c;
                    }
                }
                (None, '*') if chars.peek() == Some(&'/') => {
                    chars.next();
                }
                (None, ';') => cut.statements.push(std::mem::take(&mut statement)),
                (None, c) => statement.push(c),
            }
        }
        cut.statements.push(statement);
        cut.open = quote.is_some();
        cut
    }
}

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&DROPS);
    LazyLock::force(&TABLES);
    LazyLock::force(&WIDE);
    LazyLock::force(&REMOVES);
    LazyLock::force(&READS);
    LazyLock::force(&NARROW);
    LazyLock::force(&ALWAYS);
}

static DROPS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)^\s*drop\s+(?:database|schema)\b|^\s*db\.dropDatabase\("));

static TABLES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"(?i)^\s*(?:drop\s+table|truncate(?:\s+table)?)\s+[\w"`\[]"#));

/// A statement that changes rows, also after a `WITH`.
static WIDE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?is)^\s*(?:with\b.*\)\s*)?(?:delete\s+from\s+\S+|update\s+\S+(?:\s+(?:as\s+)?\w+)?\s+set\s)")
});

static REMOVES: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?is)^\s*(?:with\b.*\)\s*)?delete\b"));

/// A statement that reads, or a piece of one with a condition that always holds.
static READS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?i)^\s*(?:select\b|with\s+\w+\s+as\b[^;]*\bselect\b)|\bor\s+(?:'\w*'\s*=\s*'|"\w*"\s*=\s*"|\d+\s*=\s*\d+)"#,
    )
});

static NARROW: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?i)\b(?:where|limit|join|using)\b"));

/// A condition that holds for every row.
static ALWAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)\bwhere\s+(?:true|1|1\s*=\s*1|''\s*=\s*''|(?:\d+)\s*<>\s*(?:\d+))\s*$|\bor\s+(?:1\s*=\s*1|true)\s*$")
});

const MAX_QUERY: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_told() {
        // CALL-6
        let any = |text: &str| judge(text, Tool::Any);
        assert_eq!(any("DROP DATABASE prod"), Some(Harm::Sure));
        assert_eq!(any("select 1; drop schema public cascade"), Some(Harm::Sure));
        assert_eq!(any("DELETE FROM users"), Some(Harm::Table));
        assert_eq!(any("SELECT 1 FROM carts; DROP TABLE carts; --"), Some(Harm::Sure));
        assert_eq!(any("x' OR 'a'='a'; DELETE FROM carts"), Some(Harm::Sure));
        assert_eq!(any("SELECT id FROM notes WHERE body = 'first; drop table carts'"), None);
        assert_eq!(any("SELECT 1; DELETE FROM carts WHERE id = 4"), None);
        assert_eq!(any("CREATE TABLE b (id int); DROP TABLE a"), Some(Harm::Table));
        assert_eq!(any("UPDATE users SET admin = 1"), Some(Harm::Likely));
        assert_eq!(any("TRUNCATE TABLE logs"), Some(Harm::Table));
        assert_eq!(any("DELETE FROM users WHERE id = 1"), None);
        assert_eq!(any("SELECT * FROM drops WHERE note = 'drop database'"), None);
    }

    #[test]
    fn a_query_is_read_as_the_database_reads_it() {
        // CALL-6
        let any = |text: &str| judge(text, Tool::Any);
        assert_eq!(any("/* tidy */ DROP /* x */ TABLE users"), Some(Harm::Table));
        assert_eq!(any("-- weekly\nTRUNCATE logs"), Some(Harm::Table));
        assert_eq!(any("/*!50000 DROP*/ TABLE users"), Some(Harm::Table));
        assert_eq!(any("DELETE FROM users WHERE 1=1"), Some(Harm::Table));
        assert_eq!(any("UPDATE notes SET body = 'where it was'"), Some(Harm::Likely));
        assert_eq!(any("WITH old AS (SELECT id FROM a) DELETE FROM users"), Some(Harm::Table));
        assert_eq!(any("SELECT 1 -- DROP TABLE users"), None);
        assert_eq!(any("SELECT 'it''s; DROP TABLE users'"), None);
        assert_eq!(any("INSERT INTO notes (body) VALUES ('DELETE FROM users')"), None);
    }

    #[test]
    fn a_tool_that_reads_empties_nothing() {
        // CALL-6, MEANING-4
        let reads = |text: &str| judge(text, Tool::Reads);
        assert_eq!(reads("DROP TABLE users"), Some(Harm::Sure));
        assert_eq!(reads("DELETE FROM users"), Some(Harm::Sure));
        assert_eq!(reads("UPDATE users SET admin = 1"), Some(Harm::Table));
        assert_eq!(reads("SELECT * FROM users WHERE deleted = true"), None);
        assert_eq!(reads("SELECT truncate(price, 2), 'drop table' FROM t"), None);
        assert_eq!(reads("EXPLAIN DELETE FROM users"), None);
    }
}
