//! What an argument is for, read from its name, its format and its description.
//!
//! Roles steer other checks: a path is looked at for traversal, an id for where it came from, an amount is never
//! repaired alone. A role is a reason to look, never a finding by itself.

use crate::text::lists::word_list;
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u32);

/// One role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Role {
    /// A URL.
    Url = 1,
    /// An e-mail address.
    Email = 1 << 1,
    /// A path in a file system.
    Path = 1 << 2,
    /// An id, key, number or code of a record.
    Id = 1 << 3,
    /// An amount of money, or a quantity that something costs.
    Amount = 1 << 4,
    /// Somebody who receives something.
    Recipient = 1 << 5,
    /// A date, with or without time.
    Date = 1 << 6,
    /// A time of day.
    Time = 1 << 7,
    /// A shell command.
    Command = 1 << 8,
    /// A query in a query language.
    Sql = 1 << 9,
    /// Words that the model writes itself: a message, a body, a query, code.
    FreeText = 1 << 10,
    /// The size of a result: limit, page, page_size, top_k, max_results.
    ResultSize = 1 << 11,
    /// The name of a person or thing.
    Name = 1 << 12,
    /// A password, key or token.
    Secret = 1 << 13,
    /// A phone number.
    Phone = 1 << 14,
    /// A latitude in degrees.
    Latitude = 1 << 15,
    /// A longitude in degrees.
    Longitude = 1 << 16,
    /// A port of a network address.
    Port = 1 << 17,
    /// A month as a number.
    Month = 1 << 18,
    /// An hour of the day.
    Hour = 1 << 19,
    /// A minute of the hour, or a second of the minute.
    Minute = 1 << 20,
    /// A probability.
    Probability = 1 << 21,
    /// A UUID, by its name.
    Uuid = 1 << 22,
    /// An IP address, by its name.
    Address = 1 << 23,
    /// The number of a page; its size is a [`Role::ResultSize`] without this role.
    Page = 1 << 24,
}

impl Roles {
    /// The roles of a parameter.
    pub fn of(name: &str, description: &str, format: Option<&str>) -> Self {
        let words = identifier_words(name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut roles = Self::default();
        let entries = words.last().and_then(|last| BY_LAST_WORD.get(last));
        for (role, entry, whole) in entries.into_iter().flatten() {
            let named = if *whole { entry.split(' ').eq(words.iter().copied()) } else { ends_with(&words, entry) };
            if named {
                roles.add(*role);
            }
        }
        for (role, formats) in BY_FORMAT {
            if format.is_some_and(|format| formats.contains(&format)) {
                roles.add(*role);
            }
        }
        if description.is_empty() {
            return roles;
        }
        let description = description.to_ascii_lowercase();
        for (role, phrases) in BY_DESCRIPTION {
            if phrases.iter().any(|phrase| description.contains(phrase)) {
                roles.add(*role);
            }
        }
        roles
    }

    /// Whether a role is among them.
    pub fn has(self, role: Role) -> bool {
        self.0 & role as u32 != 0
    }

    /// The roles of both.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn add(&mut self, role: Role) {
        self.0 |= role as u32;
    }
}

/// Whether a name ends with the words of an entry (`"page size"`), so that `user_page_size` does and `sizes` does not.
fn ends_with(words: &[&str], entry: &str) -> bool {
    let mut entry = entry.rsplit(' ');
    let mut words = words.iter().rev();
    entry.all(|part| words.next().is_some_and(|word| *word == part))
}

/// Roles with the words that give them, and whether these must be the whole name.
type Entries = Vec<(Role, &'static str, bool)>;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&BY_LAST_WORD);
}

/// The entries of both tables by their last word, each with whether it must be the whole name.
static BY_LAST_WORD: LazyLock<FxHashMap<&str, Entries>> = LazyLock::new(|| {
    let mut found: FxHashMap<&str, Entries> = FxHashMap::default();
    for (tables, whole) in [(BY_NAME, false), (BY_WHOLE_NAME, true)] {
        for (role, entry) in tables.iter().flat_map(|(role, table)| table.iter().map(|entry| (*role, *entry))) {
            let last = entry.rsplit(' ').next().unwrap_or(entry);
            found.entry(last).or_default().push((role, entry, whole));
        }
    }
    found
});

const BY_NAME: &[(Role, &[&str])] = &[
    (Role::Url, &["url", "uri", "link", "href", "endpoint", "webhook", "urls", "links"]),
    (Role::Email, &["email", "emails", "e mail", "email address", "cc", "bcc"]),
    (Role::Path, word_list!("check_call", "role/by-name/path")),
    (Role::Id, word_list!("check_call", "role/by-name/id")),
    (Role::Amount, word_list!("check_call", "role/by-name/amount")),
    (
        Role::Recipient,
        &["to", "recipient", "recipients", "receiver", "receiver id", "payee", "beneficiary", "addressee", "cc", "bcc"],
    ),
    (Role::Date, word_list!("check_call", "role/by-name/date")),
    (Role::Time, &["time", "start time", "end time", "hour", "departure time", "arrival time"]),
    (Role::Command, &["command", "cmd", "shell", "script", "commands", "bash", "shell command", "command line"]),
    (Role::Sql, &["sql", "sql query", "sql statement", "statement", "where clause", "query string sql"]),
    (Role::FreeText, word_list!("check_call", "role/by-name/freetext")),
    (Role::ResultSize, word_list!("check_call", "role/by-name/resultsize")),
    (Role::Page, &["page number", "page no"]),
    (Role::Latitude, &["latitude", "lat"]),
    (Role::Longitude, &["longitude", "lng", "lon"]),
    (Role::Port, &["port", "port number"]),
    (Role::Probability, &["probability"]),
    (Role::Uuid, &["uuid", "guid"]),
    (Role::Address, &["ip", "ip address", "ip addr", "ipv 4", "ipv 6", "ipv 4 address", "ipv 6 address"]),
    (Role::Name, &["name", "names", "username", "user", "author", "artist", "passenger", "customer", "contact"]),
    (Role::Secret, word_list!("check_call", "role/by-name/secret")),
    (Role::Phone, &["phone", "phone number", "mobile", "telephone", "fax", "mobile number"]),
];

/// Names that mean something only where they are alone: `limit` is a result size, `credit_limit` is not.
const BY_WHOLE_NAME: &[(Role, &[&str])] = &[
    (Role::ResultSize, &["limit", "page", "max limit", "current page", "start page", "page index", "n results"]),
    (Role::Page, &["page", "current page", "start page"]),
    (Role::Month, &["month", "start month", "end month", "birth month"]),
    (Role::Hour, &["hour", "start hour", "end hour"]),
    (Role::Minute, &["minute", "second"]),
];

const BY_FORMAT: &[(Role, &[&str])] = &[
    (Role::Url, &["uri", "url", "uri-reference", "iri"]),
    (Role::Email, &["email", "idn-email"]),
    (Role::Id, &["uuid"]),
    (Role::Date, &["date", "date-time"]),
    (Role::Time, &["time"]),
];

const BY_DESCRIPTION: &[(Role, &[&str])] = &[
    (Role::Url, &["the url ", "a url ", "valid url", "网址", "链接地址"]),
    (Role::Email, &["email address", "e-mail address", "邮箱"]),
    (Role::Path, &["path to ", "file path", "文件路径", "the directory"]),
    (Role::Sql, &["sql query", "sql statement", "sql to ", "sql 语句", "sql语句"]),
    (Role::Command, &["shell command", "bash command", "command to run", "command to execute", "要执行的命令"]),
    (Role::Id, &["unique identifier", "the id of", "编号", "订单号", "账号"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_roles() {
        let has = |name: &str, role| Roles::of(name, "", None).has(role);
        assert!(has("orderId", Role::Id) && has("user_email", Role::Email) && has("pageSize", Role::ResultSize));
        assert!(has("file_path", Role::Path) && has("start_date", Role::Date) && has("api_key", Role::Secret));
        assert!(has("limit", Role::ResultSize) && !has("credit_limit", Role::ResultSize));
        assert!(has("page", Role::Page) && !has("page_size", Role::Page) && !has("home_page", Role::ResultSize));
        assert!(has("client_ip", Role::Address) && has("ipv4", Role::Address) && !has("trip", Role::Address));
        assert!(!has("idea", Role::Id) && !has("grid", Role::Id) && !has("candidate", Role::Date));
        assert!(Roles::of("x", "", Some("email")).has(Role::Email));
    }
}
