//! An error dressed as success: the content tells of a failure, and nothing marks it as one.
//!
//! A failure that says so (`status: failed`, `success: false`, a non-zero exit code) is honest. A log, a file or a
//! program that speaks of errors is no error.

use crate::check_result::effect::acts;
use crate::check_result::fields::{Entry, Object};
use crate::check_result::format::brief;
use crate::check_result::pattern::pattern;
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::codes::result as codes;
use crate::contract::{Finding, Severity};
use crate::localized;
use crate::text::lists::word_list;
use crate::text::phrases::Phrases;
use crate::text::words::{identifier_words, words};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Objects that contradict their success, texts that are errors, pages that are error pages.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let outer = subject.parts.objects.iter().filter(|object| object.depth <= 1 && object.listed == 0);
    let mut found: Vec<Finding> = outer.filter_map(|object| in_object(subject, object)).take(1).collect();
    if found.is_empty() {
        found.extend(subject.result.content.as_str().and_then(|text| in_text(subject, text)));
        let pages = subject.parts.texts.iter().filter(|text| matches!(text.key, "body" | "content" | "html" | "text"));
        let spoken = subject.parts.objects.iter().filter(|object| object.depth == 0).flat_map(|object| &object.entries);
        let spoken = spoken.filter(|entry| {
            matches!(entry.key, "answer" | "summary" | "result" | "translation" | "output" | "response" | "data")
        });
        let is_error =
            |text: &&str| text.chars().count() < 600 && (STARTS.is_match(text.trim()) || HTTP.is_match(text.trim()));
        let spoken =
            spoken.filter_map(|entry| entry.value.as_str()).find(is_error).filter(|_| subject.kind != ToolKind::Runs);
        found.extend(spoken.map(|text| report(subject, String::new(), text)));
        found.extend(pages.filter_map(|text| error_page(text.text)).take(1).map(|title| page(subject, &title)));
    }
    found
}

fn in_object(subject: &Subject, object: &Object) -> Option<Finding> {
    // What was asked to find errors gives them back.
    if is_honest(object) || subject.is_about(SEEKERS) {
        return None;
    }
    let error = object.entries.iter().find(|entry| is_error_name(entry) && is_set(entry.value));
    let error = error.or_else(|| {
        let code = object.find(&["errcode", "error_code", "err_code"])?;
        code.number().filter(|code| *code != 0.0 && *code != 200.0).map(|_| code)
    });
    let succeeds = is_success(object);
    if let Some(entry) = error {
        let alone = succeeds || object.entries.len() <= 3 || has_nothing(object);
        let text = brief(entry.value);
        // A tool that acts and answers with nothing but its error hides nothing; it only lacks the mark.
        let open = !succeeds && (acts(&subject.call.name) || subject.kind == ToolKind::Runs);
        let finding = report(subject, object.at(entry), &text);
        return alone.then(|| if open { finding.graded(Severity::Warning) } else { finding });
    }
    if let Some((entry, text)) = failed_rows(object).filter(|_| succeeds) {
        return Some(report(subject, object.at(entry), &text));
    }
    if let Some((entry, text)) = partly_failed(subject, object).filter(|_| succeeds) {
        return Some(report(subject, object.at(entry), &text));
    }
    if let Some(stderr) = silent_failure(object) {
        return Some(report(subject, format!("{}/stderr", object.pointer), stderr));
    }
    if let Some(line) = failed_in_log(subject, object).filter(|_| succeeds) {
        return Some(report(subject, object.pointer.clone(), &line));
    }
    if let Some(entry) = failed_data(subject, object).filter(|_| succeeds) {
        return Some(report(subject, object.at(entry), &brief(entry.value)));
    }
    let tells = object.find(&["message", "msg", "detail", "details", "reason", "info", "note", "result"])?;
    let text = tells.value.as_str()?;
    let failed = FAILED.any(text) && !DENIED.any(text);
    let by_code = object.number(&["code", "status_code", "status"]).is_some_and(|code| (400.0..600.0).contains(&code));
    let empty = object.entries.iter().any(|e| matches!(e.key, "data" | "result" | "results") && !is_set(e.value));
    ((succeeds && failed) || (by_code && (empty || object.entries.len() <= 2)))
        .then(|| report(subject, object.at(tells), text))
}

/// A short sentence of failure in the place of the data: `{"code": 0, "msg": "success", "data": "connection refused"}`. What
/// carries or renders words of others may well hold one.
fn failed_data<'a>(subject: &Subject, object: &'a Object<'a>) -> Option<&'a Entry<'a>> {
    let own = !matches!(subject.kind, ToolKind::Runs | ToolKind::Carries | ToolKind::Translates);
    let entry = object.find(&["data"]).filter(|_| own)?;
    let text = entry.value.as_str().filter(|text| text.chars().count() <= MAX_DATA)?;
    (FAILED.any(text) && !DENIED.any(text)).then_some(entry)
}

/// A list of which every row has its error.
fn failed_rows<'a>(object: &'a Object<'a>) -> Option<(&'a Entry<'a>, String)> {
    object.entries.iter().find_map(|entry| {
        let rows = entry.value.as_array().filter(|rows| !rows.is_empty())?;
        let error = |row: &Value| ERRORS.iter().find_map(|name| row.get(*name).filter(|value| is_set(value))).cloned();
        let first = error(rows.first()?)?;
        rows.iter().all(|row| error(row).is_some()).then(|| (entry, brief(&first)))
    })
}

/// A count that the tool's own verb gives as done, and that counts rows which failed: `imported: 3` of `import_users` beside
/// three rows, one of them with its error.
fn partly_failed<'a>(subject: &Subject, object: &'a Object<'a>) -> Option<(&'a Entry<'a>, String)> {
    let names = identifier_words(&subject.call.name);
    let verb = names.first().map(|verb| verb.trim_end_matches('e')).filter(|verb| *verb != "process")?;
    let own = |entry: &&Entry| {
        let stem = entry.words.first().and_then(|word| word.strip_suffix("ed")).filter(|_| entry.words.len() == 1);
        stem == Some(verb)
    };
    let done = object.entries.iter().find(own)?.number()?;
    object.entries.iter().find_map(|entry| {
        let rows = entry.value.as_array().filter(|rows| rows.len() as f64 == done)?;
        let failed =
            rows.iter().filter(|row| ["ok", "success"].iter().any(|name| row.get(*name) == Some(&Value::Bool(false))));
        let first =
            failed.take(1).find_map(|row| ERRORS.iter().find_map(|name| row.get(*name).filter(|value| is_set(value))));
        first.map(|told| (entry, brief(told)))
    })
}

/// The last line of a log in which the thing that the tool is about fails: "deployment failed" beside `state: succeeded`.
fn failed_in_log(subject: &Subject, object: &Object) -> Option<String> {
    let logs = object.entries.iter().filter(|entry| entry.has_any(&["log", "logs", "output", "steps", "events"]));
    let lines = logs.flat_map(|entry| match entry.value {
        Value::String(text) => text.lines().collect::<Vec<_>>(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    let names = identifier_words(&subject.call.name);
    let ends = |line: &str, ends: &[&str]| {
        let said = words(line);
        said.windows(2).any(|pair| match pair {
            [thing, end] => {
                let own = names.iter().any(|name| *name == thing.folded && name.len() > 3);
                (own || thing.folded == "it") && ends.contains(&end.folded.as_str())
            }
            _ => false,
        })
    };
    let last = |list: &[&str]| lines.clone().enumerate().filter(|(_, line)| ends(line, list)).last();
    let (at, line) = last(&["failed", "fails", "aborted", "crashed"])?;
    let mended = last(&["succeeded", "successful", "completed", "complete", "finished", "passed"]);
    mended.is_none_or(|(after, _)| after < at).then(|| line.to_owned())
}

/// Whether a field is called an error, in either language.
fn is_error_name(entry: &Entry) -> bool {
    ERRORS.iter().any(|name| entry.is(name))
        || ["失败原因", "错误信息", "错误原因", "错误"].iter().any(|end| entry.key.ends_with(end))
}

/// A fatal message on stderr, nothing on stdout, and an exit code of zero.
fn silent_failure<'a>(object: &'a Object) -> Option<&'a str> {
    let text = |key: &str| object.find(&[key]).and_then(|entry| entry.value.as_str());
    let quiet = object.number(&["exit_code", "returncode"]) == Some(0.0) && text("stdout")?.trim().is_empty();
    text("stderr").filter(|stderr| quiet && FATAL.is_match(stderr.trim()))
}

/// Whether the object says itself that it failed.
fn is_honest(object: &Object) -> bool {
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    flag(&["success", "ok", "succeeded", "is_success"]) == Some(false)
        || flag(&["is_error", "failed", "has_error"]) == Some(true)
        || flag(&["valid", "is_valid", "passed"]) == Some(false)
        || object.says(&["status", "state", "result", "outcome"], FAILURES)
        || object.number(&["exit_code", "returncode", "return_code"]).is_some_and(|code| code != 0.0)
}

fn is_success(object: &Object) -> bool {
    let flag = |names: &[&str]| object.find(names).and_then(|entry| entry.value.as_bool());
    let code = object.number(&["status_code", "code", "status", "http_status", "exit_code"]);
    let stated = |entry: &Entry| entry.key.ends_with("状态") && entry.value == "成功";
    flag(&[
        "success",
        "ok",
        "succeeded",
        "is_success",
        "sent",
        "created",
        "deleted",
        "saved",
        "paid",
        "booked",
        "updated",
    ]) == Some(true)
        || object.says(&["status", "state", "result", "outcome", "code"], SUCCESSES)
        || code.is_some_and(|code| code == 0.0 || (200.0..300.0).contains(&code))
        || object.entries.iter().any(stated)
}

/// Whether beside the error there is no value at all.
fn has_nothing(object: &Object) -> bool {
    let other = object.entries.iter().filter(|entry| !is_error_name(entry));
    other.filter(|entry| is_set(entry.value)).count() <= 1
}

/// Whether a value says something: not null, empty, false, zero or "none".
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Bool(true) => true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim().to_lowercase();
            !matches!(
                text.as_str(),
                "" | "0" | "none" | "no" | "ok" | "null" | "n/a" | "no error" | "no errors" | "success" | "无" | "-"
            )
        }
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// A string content that is an error message or an error page.
fn in_text(subject: &Subject, text: &str) -> Option<Finding> {
    if let Some(title) = error_page(text) {
        return Some(page(subject, &title));
    }
    if let Some(told) = xml_error(text).filter(|_| may_err(subject, text)) {
        return Some(report(subject, String::new(), told));
    }
    let head: String = text.trim().chars().take(200).collect();
    let length = text.chars().count();
    let is_error = match subject.kind {
        ToolKind::Runs => false,
        ToolKind::Carries => length < 300 && (UNREADABLE.is_match(&head) || is_refusal(text)) && !is_source(subject),
        ToolKind::Translates => length < 300 && HTTP.is_match(&head),
        _ => length < 1500 && (STARTS.is_match(&head) || HTTP.is_match(&head) || is_refusal(text)),
    };
    is_error.then(|| report(subject, String::new(), head.lines().next().unwrap_or_default()))
}

/// Whether an XML error is the tool's own: what is carried may hold one, and is one where nothing else is in it.
fn may_err(subject: &Subject, text: &str) -> bool {
    let root =
        text.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")).map_or(text, |(_, rest)| rest);
    let lower = root.trim_start().get(..6).unwrap_or_default().to_ascii_lowercase();
    match subject.kind {
        ToolKind::Runs => false,
        ToolKind::Carries => matches!(lower.as_str(), "<error" | "<fault") && !is_source(subject),
        _ => true,
    }
}

/// The error that an XML answer holds although its status says nothing of it.
fn xml_error(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if !text.starts_with('<') || text.len() > MAX_XML {
        return None;
    }
    let element = |name: &str| {
        text.match_indices('<').find_map(|(at, _)| {
            let rest = text.get(at + 1..)?;
            let end = rest.find(|c: char| c == '>' || c == '/' || c.is_whitespace())?;
            let own = rest.get(..end)?.rsplit(':').next()?;
            let (tag, body) = rest.split_once('>')?;
            let inner = first_text(body, own);
            (own.eq_ignore_ascii_case(name) && !tag.ends_with('/') && !inner.is_empty()).then_some(inner)
        })
    };
    let honest = ["status", "state", "result"]
        .iter()
        .filter_map(|name| element(name))
        .any(|status| FAILURES.contains(&status.to_lowercase().as_str()));
    // Nothing but a failed status with its code and its message: no reader of the fields sees it in a text.
    let envelope = honest && text.matches("</").count() <= 4 && element("code").is_some();
    if let Some(message) = element("message").filter(|_| envelope) {
        return Some(message);
    }
    let told = ["error", "fault", "errormessage", "exception", "faultstring"].iter().find_map(|name| element(name));
    told.filter(|told| !honest && is_set(&Value::String((*told).to_owned())))
}

/// The first words inside an element, those of elements within it too: `<error><code>403</code>`.
fn first_text<'t>(body: &'t str, name: &str) -> &'t str {
    for part in body.split('<').take(MAX_INNER) {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        if tag.strip_prefix('/').is_some_and(|end| end.rsplit(':').next() == Some(name)) {
            break;
        }
        if !text.trim().is_empty() {
            return text.trim();
        }
    }
    ""
}

/// Whether a text is, as a whole, the reason why nothing could be read.
fn is_refusal(text: &str) -> bool {
    text.chars().count() <= 160 && REFUSAL.is_match(text.trim())
}

/// Whether a log or a program is read, which may begin like an error.
fn is_source(subject: &Subject) -> bool {
    subject.argument_texts().any(|text| text.contains("log") || text.contains("err") || text.contains("trace"))
}

/// The title of a page that only reports an error.
fn error_page(text: &str) -> Option<String> {
    let head: String = text.trim_start().chars().take(3000).collect();
    let lower = head.to_lowercase();
    if !(lower.starts_with("<!doctype html") || lower.starts_with("<html") || lower.starts_with("<head")) {
        return None;
    }
    let title = TITLE.captures(&head).or_else(|| HEADING.captures(&head))?.get(1)?.as_str().trim().to_owned();
    let is_status = title.chars().any(char::is_alphanumeric) && PAGE.is_match(&title);
    (title.chars().count() <= 60 && is_status && is_bare(text)).then_some(title)
}

/// Whether a page holds little more than its title.
fn is_bare(page: &str) -> bool {
    let head: String = page.chars().take(20_000).collect();
    let text = TAGS.replace_all(&head, " ");
    words(&text).len() <= MAX_BARE && page.len() <= 100_000
}

fn page(subject: &Subject, title: &str) -> Finding {
    let evidence =
        localized!(subject.language, "the content is an error page: “{title}”", "内容是一个错误页面：“{title}”");
    Finding::new(&codes::DRESSED_ERROR, "", evidence)
}

fn report(subject: &Subject, pointer: String, text: &str) -> Finding {
    let text: String = text.chars().take(80).collect();
    let evidence = localized!(
        subject.language,
        "the result is not marked as an error, but says “{text}”",
        "结果未标记为错误，内容却是“{text}”"
    );
    Finding::new(&codes::DRESSED_ERROR, pointer, evidence)
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&FAILED);
    LazyLock::force(&DENIED);
    LazyLock::force(&STARTS);
    LazyLock::force(&HTTP);
    LazyLock::force(&UNREADABLE);
    LazyLock::force(&FATAL);
    LazyLock::force(&TITLE);
    LazyLock::force(&HEADING);
    LazyLock::force(&PAGE);
    LazyLock::force(&TAGS);
    LazyLock::force(&REFUSAL);
}

static FAILED: LazyLock<Phrases> = LazyLock::new(|| Phrases::from_lines(include_str!("../data/failures.txt")));
static DENIED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new([
        "no errors",
        "no error",
        "0 failed",
        "0 errors",
        "without errors",
        "none failed",
        "没有错误",
        "无错误",
        "没有失败",
        "0 个失败",
    ])
});
static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:error\b|error:|fatal:|exception\b|traceback \(most recent|uncaught |unhandled |request failed|failed to |connection (?:refused|reset|timed out)|(?:gateway |request |read |connect(?:ion)? )?time(?:d )?out\b|access denied|permission denied|unauthorized|forbidden\b|rate limit|too many requests|internal server error|service unavailable|bad gateway|bad request|not found\b|could not |unable to |cannot (?:connect|read|open|find|get|reach)|socket hang up|econn|enoent|api error|invalid api key|quota exceeded|java\.|[a-z.]*(?:error|exception): |错误[:：]|出错|请求失败|查询失败|获取失败|调用失败|连接超时|请求超时|服务器(?:内部)?错误|服务不可用|系统繁忙|系统错误|系统异常|接口错误|接口异常|网络错误|网络异常|权限不足|无权限|无法连接)",
    )
});
static HTTP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:http(?:/[\d.]+)?\s*)?(?:error\s*)?[45]\d\d\b[ :-]*(?:internal server error|service unavailable|bad gateway|gateway time-?out|not found|forbidden|unauthorized|bad request|too many requests|error)|^http(?:/[\d.]+)? (?:error )?[45]\d\d\b",
    )
});
static UNREADABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:error|fatal|os error)[:\s].{0,120}(?:no such file|not found|permission denied|enoent|eacces|cannot open|failed to (?:open|read|fetch)|timed? ?out|refused|could not)|enoent|eacces|cat: .{0,120}no such file|(?:http )?[45]\d\d (?:internal server error|service unavailable|bad gateway|not found|forbidden)\s*$|failed to (?:fetch|read|open|load)|(?:文件不存在|读取失败|无法读取|权限不足|打开失败))",
    )
});
static FATAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?im)^(?:fatal:|traceback \(most recent|panic:|error:|segmentation fault|.{0,80}(?:command not found|no such file or directory|permission denied|cannot access))",
    )
});
static TITLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?is)<title[^>]*>(.{1,200}?)</title>"));
static HEADING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?is)<h1[^>]*>(.{1,200}?)</h1>"));
/// A title that is a status and nothing else, but for the name of the site.
static PAGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:[^|–—-]{1,30} [|–—-] )?(?:(?:http )?(?:error |status )?[45]\d\d(?: error)?\W*)?(?:(?:page |file |resource )?not found|access (?:is )?denied|permission denied|(?:403 )?forbidden|unauthorized|service (?:temporarily )?unavailable|bad gateway|bad request|gateway time-?out|too many requests|internal server error|server error|application error|an error occurred|just a moment|attention required|error|site maintenance|under maintenance|maintenance|页面不存在|找不到页面|服务器(?:内部)?错误|无法访问(?:此|该)?(?:网站|网页|页面)?|访问被拒绝|系统(?:繁忙|维护中?))?(?:\W*[45]\d\d)?[\s.!…]*(?: ?[|–—-] [^|]{1,30}|! \| [^|]{1,30})?$",
    )
});
static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?is)<(?:script|style|title|head)\b.{0,2000}?</(?:script|style|title|head)>|<[^>]{0,300}>")
});
/// A whole short content that says why nothing could be read.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:error|fatal|failed|错误|异常|失败|出错)(?:\s*\d{1,5})?\s*[:：]\s*)?(?:[^\s:：]{1,80}\s*[:：]\s*){0,2}(?:(?:permission denied|(?:page |file |resource )?not found|access (?:is |was )?denied|no such file or directory|(?:the )?file (?:does not exist|(?:was )?not found)|is a directory|(?:the )?(?:operation|request|connection|read) (?:has )?timed out|connection (?:refused|reset)(?: by peer)?|internal server error|service unavailable|unauthorized|forbidden|read(?:ing)? failed)(?:\s*[.:,;!(–-][^\n]{0,80})?|(?:该|此|指定的?)?(?:(?:文件|路径|目录|页面|资源|网页)不存在|找不到(?:该|此|指定的?)?(?:文件|页面|资源|路径)|(?:读取|打开|获取|加载|下载|访问|请求|查询)(?:文件|数据)?失败|访问被拒绝|拒绝访问|权限不足|没有(?:访问)?权限|无权访问|无权限|(?:请求|操作|连接|读取|响应|查询|服务器?响应)超时|服务器(?:内部)?错误|内部服务器错误|系统繁忙|系统错误|网络(?:错误|异常)|服务(?:暂时?)?不可用)(?:[。！!，,或；;：:（(][^\n]{0,40})?)\s*$",
    )
});
const MAX_BARE: usize = 90;
/// A text in the place of data is no longer than this where it only tells of a failure.
const MAX_DATA: usize = 80;
/// Words of tools whose result is a list of errors.
const SEEKERS: &[&str] = &["errors", "validate", "lint", "diagnostics", "crashes", "exceptions", "校验"];
const MAX_INNER: usize = 8;
const MAX_XML: usize = 20_000;
const ERRORS: &[&str] = word_list!("check_result", "anomaly/dressed_error/errors");
const FAILURES: &[&str] = word_list!("check_result", "anomaly/dressed_error/failures");
const SUCCESSES: &[&str] = word_list!("check_result", "anomaly/dressed_error/successes");
