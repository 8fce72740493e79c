//! Parts of a whole: passed and failed make the total, used and free fit the disk, a page is one of the pages.

use super::totals::{makes_up, near, plain};
use crate::check_result::fields::{Entry, Object};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lists::word_list;

/// A whole with its parts.
struct Group {
    wholes: &'static [&'static str],
    parts: &'static [&'static str],
    /// Parts that must all be there before too small a sum counts as wrong; empty where it never does.
    complete: &'static [&'static str],
    /// How much the parts may exceed the whole, as a share of it.
    slack: f64,
}

/// Groups in every object.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        found.extend(GROUPS.iter().filter_map(|group| check_group(subject, object, group)).take(1));
        found.extend(CONTAINED.iter().filter_map(|pair| check_part(subject, object, *pair)).take(1));
        found.extend(percent_used(subject, object));
        found.extend(balance(subject, object).or_else(|| used_up(subject, object)));
    }
    found
}

fn check_group(subject: &Subject, object: &Object, group: &Group) -> Option<Finding> {
    let named = |name: &&str| object.entries.iter().find_map(|entry| Some((entry, unit_of(entry, &[*name])?)));
    let (whole, unit) = group.wholes.iter().find_map(named)?;
    let of = |name: &str| object.entries.iter().find(|e| unit_of(e, &[name]).as_deref() == Some(unit.as_str()));
    let total = whole.number()?;
    let parts: Vec<f64> = group.parts.iter().filter_map(|name| of(name)?.number()).collect();
    let sum: f64 = parts.iter().sum();
    let slack = total.abs() * group.slack + 1e-9;
    let is_complete = !group.complete.is_empty() && group.complete.iter().all(|name| of(name).is_some());
    let enough = parts.len() >= 2 || (parts.len() == 1 && !group.complete.is_empty()) || group.slack > 0.0;
    let is_wrong =
        enough && !parts.is_empty() && total >= 0.0 && (sum > total + slack || (is_complete && sum < total - slack));
    is_wrong.then(|| {
        let (name, sum, total) = (whole.key, plain(sum), plain(total));
        let evidence = localized!(
            subject.language,
            "the parts make {sum}, `{name}` is {total}",
            "各部分之和为 {sum}，而 `{name}` 为 {total}"
        );
        Finding::new(&codes::TOTAL, object.at(whole), evidence)
    })
}

/// The words of a key beside one of some roles: `gb` in `used_gb`; `None` where no role is in it.
fn unit_of(entry: &Entry, roles: &[&str]) -> Option<String> {
    let at = entry.words.iter().position(|word| roles.contains(&word.as_str()))?;
    let rest: Vec<&str> = entry.words.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, w)| w.as_str()).collect();
    let counted = rest.iter().filter(|word| !matches!(**word, "tests" | "count" | "num" | "number")).copied();
    let unit = counted.collect::<Vec<_>>().join("_");
    (!unit.contains("percent") && !unit.contains("pct")).then_some(unit)
}

/// A part is not more than its whole.
fn check_part(subject: &Subject, object: &Object, (part, whole): (&str, &str)) -> Option<Finding> {
    let (inner, outer) = (object.find(&[part])?, object.find(&[whole])?);
    let (own, all) = (inner.number()?, outer.number()?);
    (own > all && all >= 0.0).then(|| {
        let (inner_key, outer_key) = (inner.key, outer.key);
        let evidence = localized!(
            subject.language,
            "`{inner_key}` is {own}, more than `{outer_key}`, which is {all}",
            "`{inner_key}` 为 {own}，超过了 `{outer_key}` 的 {all}"
        );
        Finding::new(&codes::TOTAL, object.at(inner), evidence)
    })
}

/// The percentage used is the used part of the whole.
fn percent_used(subject: &Subject, object: &Object) -> Option<Finding> {
    let (part, names) = PERCENTS.iter().find_map(|(part, names)| Some((*part, object.find(names)?)))?;
    let percent = names.number()?;
    let find = |role: &str| {
        object.entries.iter().find(|e| unit_of(e, &[role]).is_some() && e.words.len() <= 2).and_then(|e| e.number())
    };
    let (own, all) = (find(part)?, find("total").or_else(|| find("capacity"))?);
    let expected = own / all * 100.0;
    let percent = if percent <= 1.0 && expected > 2.0 { percent * 100.0 } else { percent };
    (all > 0.0 && !near(percent, expected, 5.0)).then(|| {
        let (key, seen, expected) = (names.key, plain(percent), plain(expected));
        let evidence = localized!(
            subject.language,
            "`{key}` says {seen} percent, the numbers make {expected}",
            "`{key}` 为 {seen}%，按数值计算为 {expected}%"
        );
        Finding::new(&codes::TOTAL, object.at(names), evidence)
    })
}

/// What was paid and what is due make the total.
fn balance(subject: &Subject, object: &Object) -> Option<Finding> {
    let paid = object.number(&["paid", "amount_paid", "paid_amount"])?;
    let due = object.find(&["due", "amount_due", "balance_due", "outstanding", "remaining", "amount_remaining"])?;
    let total = object.number(&["total", "total_amount", "grand_total", "amount"])?;
    (!near(paid + due.number()?, total, 0.02)).then(|| {
        let (sum, total) = (plain(paid + due.number().unwrap_or_default()), plain(total));
        let evidence = localized!(
            subject.language,
            "paid and due make {sum}, the total is {total}",
            "已付与未付之和为 {sum}，总额为 {total}"
        );
        Finding::new(&codes::TOTAL, object.at(due), evidence)
    })
}

/// What was used and what is left make the whole, but for what other numbers of the record hold.
fn used_up(subject: &Subject, object: &Object) -> Option<Finding> {
    let entries = || object.entries.iter().take(MAX_ENTRIES);
    let named = |roles: &'static [&'static str]| {
        entries().find_map(|entry| Some((entry, unit_of(entry, roles)?)).filter(|(entry, _)| entry.number().is_some()))
    };
    let ((whole, unit), (used, own), (left, other)) = (named(WHOLE)?, named(USED)?, named(LEFT)?);
    let (all, sum) = (whole.number()?, used.number()? + left.number()?);
    let known = [whole.key, used.key, left.key];
    let others: Vec<f64> = entries().filter(|entry| !known.contains(&entry.key)).filter_map(Entry::number).collect();
    let slack = 0.02 + all.abs() * 0.005;
    (unit == own && unit == other && !near(sum, all, slack) && !makes_up(all - sum, &others, slack)).then(|| {
        let (name, sum, total) = (whole.key, plain(sum), plain(all));
        let evidence = localized!(
            subject.language,
            "what was used and what is left make {sum}, `{name}` is {total}",
            "已用与剩余之和为 {sum}，而 `{name}` 为 {total}"
        );
        Finding::new(&codes::TOTAL, object.at(whole), evidence)
    })
}

const MAX_ENTRIES: usize = 60;
const WHOLE: &[&str] =
    &["total", "quota", "allowance", "entitlement", "entitled", "budget", "总数", "总次数", "总额度", "总课时"];
const USED: &[&str] = &["used", "spent", "taken", "redeemed", "consumed", "已用", "已用次数", "已用额度", "已用课时"];
const LEFT: &[&str] = &["remaining", "left", "剩余", "剩余次数", "剩余额度", "剩余课时"];
const GROUPS: &[Group] = &[
    Group {
        wholes: &["total", "tests", "run", "executed"],
        parts: &["passed", "failed", "skipped", "errors", "errored", "ignored", "pending", "xfailed"],
        complete: &["passed", "failed", "skipped"],
        slack: 0.0,
    },
    Group { wholes: &["total", "capacity", "size"], parts: &["used", "free", "reserved"], complete: &[], slack: 0.03 },
    Group { wholes: &["total", "capacity", "size"], parts: &["used", "available"], complete: &[], slack: 0.03 },
    Group {
        wholes: &["total", "capacity", "seats", "rooms"],
        parts: &["sold", "booked", "occupied", "reserved", "available", "vacant", "remaining"],
        complete: &[],
        slack: 0.0,
    },
    Group {
        wholes: &["total", "processed", "attempted", "sent", "submitted", "imported", "rows"],
        parts: word_list!("check_result", "logic/groups/groups/total/parts"),
        complete: &[],
        slack: 0.0,
    },
    Group {
        wholes: &["total", "votes", "cast"],
        parts: &["yes", "no", "for", "against", "abstain", "abstained", "abstentions", "invalid"],
        complete: &["yes", "no", "abstain"],
        slack: 0.0,
    },
    Group {
        wholes: &["total", "population", "people", "students", "employees"],
        parts: &["male", "female", "men", "women", "boys", "girls", "nonbinary", "other"],
        complete: &[],
        slack: 0.0,
    },
    Group {
        wholes: &["played", "games", "matches", "total"],
        parts: &["won", "wins", "lost", "losses", "drawn", "draws", "ties"],
        complete: &["wins", "losses", "draws"],
        slack: 0.0,
    },
    Group { wholes: &["total", "issues", "tickets"], parts: &["open", "closed"], complete: &[], slack: 0.0 },
    Group {
        wholes: &["总数", "总人数", "人数", "合计", "总计"],
        parts: &["男", "女", "男生", "女生", "男性", "女性", "男员工", "女员工"],
        complete: &[],
        slack: 0.0,
    },
    Group {
        wholes: &["总数", "合计", "总计", "总条数", "总票数", "总座位", "总房间"],
        parts: &[
            "成功",
            "失败",
            "成功数",
            "失败数",
            "通过",
            "未通过",
            "已售",
            "剩余",
            "已用",
            "空闲",
            "赞成",
            "反对",
            "弃权",
        ],
        complete: &[],
        slack: 0.0,
    },
    Group { wholes: &["guests", "travelers", "passengers"], parts: &["adults", "children"], complete: &[], slack: 0.0 },
];

const CONTAINED: &[(&str, &str)] = &[
    ("page", "total_pages"),
    ("page", "pages"),
    ("current_page", "total_pages"),
    ("used", "total"),
    ("used_gb", "total_gb"),
    ("free_gb", "total_gb"),
    ("available", "total"),
    ("available", "capacity"),
    ("passed", "total"),
    ("failed", "total"),
    ("completed", "total"),
    ("done", "total"),
    ("unique", "total"),
    ("correct", "total"),
    ("enrolled", "capacity"),
    ("attendees", "capacity"),
    ("unread", "total"),
    ("refunded", "total"),
    ("step", "total_steps"),
    ("rank", "class_size"),
    ("rank", "total"),
    ("rank", "participants"),
    ("rooms_occupied", "rooms_total"),
    ("occupied", "total"),
    ("booked", "capacity"),
    ("sold", "capacity"),
    ("score", "max_score"),
    ("rating", "max_rating"),
    ("guests", "max_guests"),
    ("得分", "满分"),
];

const PERCENTS: &[(&str, &[&str])] = &[
    ("used", &["used_percent", "percent_used", "usage_percent", "use_percent", "used_pct", "usage"]),
    ("passed", &["pass_rate", "pass_percent", "passed_percent"]),
    ("completed", &["percent_complete", "completion_percent", "completed_percent"]),
    ("occupied", &["occupancy_rate", "occupancy", "occupancy_percent"]),
    ("free", &["free_percent", "percent_free"]),
];
