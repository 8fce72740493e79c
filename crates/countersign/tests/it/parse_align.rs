//! What a model wrote gets the shape of its schema.

use countersign::parse::{ParseOptions, align, json};
use serde_json::{Value, json};

fn aligned(text: &str, schema: &Value) -> align::Aligned {
    let options = ParseOptions::default();
    align::align(text, &json::read(text, &options), schema, &options)
}

/// Runs over rows `{id, input, schema, expected}` of a suite and says which come out otherwise.
#[test]
#[ignore = "needs a file of rows in ALIGN_ROWS"]
fn rows_of_a_suite() {
    let rows = std::fs::read_to_string(std::env::var("ALIGN_ROWS").unwrap()).unwrap();
    let (mut good, mut all) = (0, 0);
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let got = aligned(row["input"].as_str().unwrap(), &row["schema"]);
        all += 1;
        if got.value.as_ref().is_some_and(|value| plain(value) == plain(&row["expected"])) {
            good += 1;
        } else {
            let shown = |value: &Value| value.to_string().chars().take(300).collect::<String>();
            let got = got.value.as_ref().map(shown);
            println!("{}: {}\n  want {}\n  got  {got:?}", row["id"], shown(&row["input"]), shown(&row["expected"]));
        }
    }
    println!("{good} of {all}");
}

/// Numbers as floats: 1 and 1.0 are the same.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}
