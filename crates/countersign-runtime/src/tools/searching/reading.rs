//! The answer of a search endpoint, read: whatever it is, the same five fields come out of it.

use super::super::search::Found;
use super::options::SearchKind;
use super::plain;
use serde_json::Value;

/// The results of an answer, the best first. Those that have neither a title nor an address are left out.
pub(super) fn results(kind: &SearchKind, answer: &Value, limit: usize) -> Result<Vec<Found>, String> {
    let place = match kind {
        SearchKind::Searxng => "/results",
        SearchKind::Generic { results, .. } => results.as_str(),
    };
    let Some(Value::Array(listed)) = answer.pointer(place) else {
        return Err(format!("its answer has no list at {place:?}"));
    };
    let found = listed.iter().map(|result| one(kind, result));
    Ok(found.filter(|found| !found.title.is_empty() || !found.link.is_empty()).take(limit).collect())
}

fn one(kind: &SearchKind, result: &Value) -> Found {
    let at = |place: &str| word(result.pointer(place).filter(|_| !place.is_empty()));
    match kind {
        SearchKind::Searxng => {
            let icon = ["/img_src", "/thumbnail", "/favicon"].iter().map(|place| plain::link(&at(place)));
            build_found(&at("/title"), &at("/url"), &at("/content"), icon, &at("/publishedDate"))
        }
        SearchKind::Generic { title, link, content, icon, publish_date, .. } => {
            let icon = std::iter::once(plain::link(&at(icon)));
            build_found(&at(title), &at(link), &at(content), icon, &at(publish_date))
        }
    }
}

fn build_found(title: &str, link: &str, content: &str, mut icons: impl Iterator<Item = String>, date: &str) -> Found {
    Found {
        title: plain::text(title, LONGEST_TITLE),
        link: plain::link(link),
        content: plain::text(content, LONGEST_CONTENT),
        icon: icons.find(|icon| !icon.is_empty()).unwrap_or_default(),
        publish_date: plain::text(date, LONGEST_DATE),
    }
}

/// A string or a number; of a list its first.
fn word(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(several)) => several.first().and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

const LONGEST_TITLE: usize = 300;
const LONGEST_CONTENT: usize = 2_000;
const LONGEST_DATE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn generic() -> SearchKind {
        let text = str::to_owned;
        SearchKind::Generic {
            method: Default::default(),
            query: text("q"),
            results: text("/data/items"),
            title: text("/name"),
            link: text("/where/0"),
            content: text("/text"),
            icon: String::new(),
            publish_date: text("/date"),
        }
    }

    // STREAM-6
    #[test]
    fn searxng_and_a_mapping_come_to_the_same_five_fields() {
        let answer = json!({"results": [
            {"url": "https://a.test/1", "title": "<b>One</b>", "content": "x &amp; y", "thumbnail": "//a.test/i.png", "publishedDate": "2026-01-02T00:00:00"},
            {"url": "javascript:x", "title": ""},
            {"url": "https://a.test/2", "title": null, "content": {"odd": true}, "publishedDate": null},
        ]});
        let read = results(&SearchKind::Searxng, &answer, 10).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(
            serde_json::to_value(&read[0]).unwrap(),
            json!({"title": "One", "link": "https://a.test/1", "content": "x & y", "icon": "https://a.test/i.png", "publish_date": "2026-01-02T00:00:00"})
        );
        assert_eq!((read[1].title.as_str(), read[1].content.as_str()), ("", ""));
        let answer =
            json!({"data": {"items": [{"name": "One", "where": ["https://a.test/"], "text": "t", "date": 2026}]}});
        let read = results(&generic(), &answer, 10).unwrap();
        assert_eq!(
            (read[0].link.as_str(), read[0].publish_date.as_str(), read[0].icon.as_str()),
            ("https://a.test/", "2026", "")
        );
        assert!(results(&generic(), &json!({"data": 1}), 10).unwrap_err().contains("/data/items"));
        assert_eq!(results(&SearchKind::Searxng, &json!({"results": [1, null, [], "x"]}), 10).unwrap(), vec![]);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
        ];
        let key = prop_oneof![
            Just("results"),
            Just("url"),
            Just("title"),
            Just("content"),
            Just("name"),
            Just("data"),
            Just("items")
        ];
        leaf.prop_recursive(4, 64, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((key.clone().prop_map(str::to_owned), inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        // STREAM-6
        #[test]
        fn any_answer_is_read_without_harm(answer in any_json(), limit in 0_usize..4) {
            for answer in [json!({"results": [answer.clone()]}), answer] {
                for kind in [SearchKind::Searxng, generic()] {
                    for found in results(&kind, &answer, limit).unwrap_or_default() {
                        prop_assert!(found.content.chars().count() <= LONGEST_CONTENT);
                        prop_assert!(found.link.is_empty() || found.link.starts_with("http"));
                    }
                }
            }
        }
    }
}
