//! What has happened lies in the past, as `context.now` knows it. Without a clock nothing is said.

use crate::check_result::fields::{Entry, Object};
use crate::check_result::logic::order::role;
use crate::check_result::moment::Moment;
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lexicon;
use crate::text::lists::word_list;

/// Times that must be past, and those that must be to come.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let Some(now) = subject.now else { return Vec::new() };
    let plans = subject.is_about(&["forecast", "schedule", "plan", "predict", "预报", "预测", "计划"]);
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        let planned = object.says(&["status", "state"], PLANNED);
        for entry in &object.entries {
            let Some(moment) = Moment::of(entry.value) else { continue };
            let ahead = moment.hours_after(&now);
            // A clock may be a little ahead; a time without zone may be a day ahead.
            let slack = if moment.is_exact() && now.is_exact() { 1.0 } else { 26.0 };
            let is_past_only =
                is_past(entry) && !planned && (!plans || entry.has_any(&["issued", "created", "updated"]));
            let text = entry.value.as_str().map_or_else(|| entry.value.to_string(), str::to_owned);
            let key = entry.key;
            if is_past_only && ahead > slack {
                let evidence =
                    localized!(subject.language, "`{key}` ({text}) lies in the future", "`{key}`（{text}）在未来");
                found.push(Finding::new(&codes::TIME, object.at(entry), evidence));
            } else if entry.words.first().is_some_and(|word| word == "next") && ahead < -26.0 {
                let evidence =
                    localized!(subject.language, "`{key}` ({text}) lies in the past", "`{key}`（{text}）已经过去");
                found.push(Finding::new(&codes::TIME, object.at(entry), evidence));
            }
        }
        found.extend(check_expiry(subject, object, &now));
        found.extend(check_end(subject, object, &now));
        found.extend(check_age(subject, object, &now));
    }
    found
}

/// Something that is said to be over although its end is to come.
fn check_end(subject: &Subject, object: &Object, now: &Moment) -> Option<Finding> {
    let over = object.says(&["status", "state"], &["completed", "finished", "ended", "over", "已完成", "已结束"]);
    let end = object.find(&["end", "end_time", "ends_at", "end_date", "end_at"]).filter(|_| over)?;
    (Moment::of(end.value)?.hours_after(now) > 26.0).then(|| {
        let (key, value) = (end.key, end.value);
        let evidence = localized!(
            subject.language,
            "it is said to be over, but `{key}` is {value}",
            "结果称已结束，但 `{key}` 为 {value}"
        );
        Finding::new(&codes::CONTRADICTION, object.at(end), evidence)
    })
}

/// An age that is not that of the day of birth.
fn check_age(subject: &Subject, object: &Object, now: &Moment) -> Option<Finding> {
    let born = object.find(&["birth_date", "date_of_birth", "dob", "born", "born_on", "出生日期", "生日"])?;
    let age = object.find(&["age", "年龄"])?;
    let died = object.entries.iter().any(|entry| entry.has_any(&["died", "death", "deceased"]));
    let years = now.hours_after(&Moment::of(born.value).filter(|_| born.value.is_string() && !died)?) / HOURS_OF_YEAR;
    let seen = age.number()?;
    (seen > years + 1.1 || seen < years - 2.1).then(|| {
        let (key, value) = (born.key, born.value);
        let evidence = localized!(
            subject.language,
            "the age is {seen}, and `{key}` is {value}",
            "年龄为 {seen}，而 `{key}` 是 {value}"
        );
        Finding::new(&codes::CONTRADICTION, object.at(age), evidence)
    })
}

/// Something that is said to be valid although its end has passed.
fn check_expiry(subject: &Subject, object: &Object, now: &Moment) -> Option<Finding> {
    let ends = ["expires_at", "expires", "expiry", "expiry_date", "expiration_date", "valid_until", "expires_on"];
    let end = object.find(&ends)?;
    let over = now.hours_after(&Moment::of(end.value)?) > 26.0;
    let flag =
        object.find(&["valid", "is_valid", "active", "is_active"]).is_some_and(|e| e.value.as_bool() == Some(true));
    let valid = flag || object.says(&["status", "state"], &["active", "valid", "有效"]);
    (over && valid).then(|| {
        let (key, value) = (end.key, end.value);
        let evidence = localized!(
            subject.language,
            "it is said to be valid, but `{key}` is {value}",
            "结果称其有效，但 `{key}` 为 {value}"
        );
        Finding::new(&codes::CONTRADICTION, object.at(end), evidence)
    })
}

fn is_past(entry: &Entry) -> bool {
    let role = role(entry);
    // `hired_at`: what is told by a participle with a time has happened.
    let told = entry.words.last().is_some_and(|word| word == "at" || word == "on") && lexicon::is_past(&role);
    // `holder_born`, `child_date_of_birth`: whoever it was, a birth and a death lie in the past.
    let lived = role.ends_with("_born") || ["birth", "dob", "death", "died"].iter().any(|word| entry.has(word));
    let lived = lived || ["出生日期", "生日", "出生年月"].iter().any(|word| entry.key.ends_with(word));
    (PAST.contains(&role.as_str()) || told || lived) && !entry.has_any(TO_COME)
}

const HOURS_OF_YEAR: f64 = 8766.0;
/// Participles of what is only intended.
const TO_COME: &[&str] = word_list!("check_result", "logic/time/to-come");
const PAST: &[&str] = word_list!("check_result", "logic/time/past");
const PLANNED: &[&str] =
    &["scheduled", "planned", "upcoming", "draft", "pending", "preorder", "embargoed", "预定", "计划中"];
