//! What a model wrote gets the shape of its schema.

use crate::stopwatch::Stopwatch;
use countersign::parse::{ParseOptions, align, json};
use proptest::prelude::*;
use serde_json::{Value, json};

fn aligned(text: &str, schema: &Value) -> align::Aligned {
    let options = ParseOptions::default();
    align::align(text, &json::read(text, &options), schema, &options)
}

fn value(text: &str, schema: &Value) -> Value {
    aligned(text, schema).value.unwrap_or_else(|| panic!("nothing in {text:?} fits {schema}"))
}

fn fit(value: &Value, schema: &Value) -> Option<(Value, Vec<&'static str>)> {
    let (value, repairs) = align::fit(value, schema, schema, &ParseOptions::default())?;
    Some((value, repairs.iter().map(|repair| repair.kind.code).collect()))
}

fn from_text(raw: &str, schema: &Value) -> Value {
    align::from_text(raw, schema, schema, &ParseOptions::default())
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

// PARSE-2
#[test]
fn a_string_schema_gets_the_text_as_it_is() {
    let schema = json!({"type": "string"});
    for text in ["good day", "{\"a\":   1}", "\"half", " so it goes\n"] {
        assert_eq!(value(text, &schema), json!(text));
    }
    let nullable = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(value("null", &nullable), Value::Null);
    assert_eq!(value("nothing", &nullable), json!("nothing"));
}

// PARSE-2
#[test]
fn scalars_are_read_out_of_words() {
    assert_eq!(value("8,250", &json!({"type": "integer"})), json!(8250));
    assert_eq!(value("3/8", &json!({"type": "number"})), json!(0.375));
    assert_eq!(value("Add 2 eggs to it", &json!({"type": "integer"})), json!(2));
    assert_eq!(value("The verdict: **True**", &json!({"type": "boolean"})), json!(true));
    assert_eq!(value("It is false", &json!({"type": "array", "items": {"type": "boolean"}})), json!([false]));
    assert_eq!(value("2 eggs", &json!({"anyOf": [{"type": "integer"}, {"type": "string"}]})), json!("2 eggs"));
    assert_eq!(value("答案是 12 个", &json!({"type": "integer"})), json!(12));
    assert_eq!(value("<think>true? no, true</think>It is false.", &json!({"type": "boolean"})), json!(false));
}

// PARSE-2
#[test]
fn choices_are_found_by_alias_and_in_sentences() {
    let schema = json!({"enum": ["RED", "GREEN"], "x-alias": {"RED": "rouge foncé", "GREEN": "vert"}});
    for (text, expected) in [
        ("red", "RED"),
        ("ROUGE-FONCE", "RED"),
        ("I would say **vert**.", "GREEN"),
        ("[\"vert\"]", "GREEN"),
        ("{\"colour\": \"vert\"}", "GREEN"),
    ] {
        assert_eq!(value(text, &schema), json!(expected), "{text}");
    }
    assert_eq!(aligned("rouge foncé or vert", &schema).value, None);
    assert_eq!(value("{\"state\": 2}", &json!({"anyOf": [{"const": 2}, {"const": "two"}]})), json!(2));
}

// PARSE-2
#[test]
fn the_right_value_is_taken_among_several() {
    let point = object(&json!({"x": {"type": "integer"}, "y": {"type": "integer"}}), &["x", "y"]);
    assert_eq!(value("first {\"z\": 1} then {\"x\": 1, \"y\": 2}", &point), json!({"x": 1, "y": 2}));
    let two = "{\"x\": 1, \"y\": 2} and {\"x\": 3, \"y\": 4}";
    assert_eq!(value(two, &point), json!({"x": 1, "y": 2}));
    let points = json!({"type": "array", "items": point});
    assert_eq!(value(two, &points), json!([{"x": 1, "y": 2}, {"x": 3, "y": 4}]));
    assert_eq!(value("{\"x\": \"1\", \"y\": 2.0}", &points), json!([{"x": 1, "y": 2.0}]));
    assert_eq!(value("[{\"x\": 1, \"y\": 2}, \"no point\"]", &points), json!([{"x": 1, "y": 2}]));
    assert_eq!(value("[{\"x\": 1, \"y\": 2}]", &point), json!({"x": 1, "y": 2}));
    assert_eq!(aligned("no point at all", &point).value, None);
}

// PARSE-2
#[test]
fn fields_are_matched_filled_and_left_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "first_name": {"type": "string"},
            "city": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "note": {"type": ["string", "null"]},
            "count": {"type": "integer", "default": 7},
            "free": {"type": "string"}
        },
        "required": ["first_name", "city", "tags"],
        "x-alias": {"city": "città"}
    });
    let got = aligned("{\"First Name\": \"Ada\", \"CITTA\": \"Roma\", \"mood\": \"good\"}", &schema);
    let expected = json!({"first_name": "Ada", "city": "Roma", "tags": [], "note": null, "count": 7});
    assert_eq!(got.value, Some(expected));
    let codes: Vec<&str> = got.repairs.iter().map(|repair| repair.kind.code).collect();
    for code in ["align.key", "align.extra-key", "align.default"] {
        assert!(codes.contains(&code), "{code} is missing in {codes:?}");
    }
    let one = object(&json!({"ok": {"type": "boolean"}}), &["ok"]);
    assert_eq!(value(" true ", &one), json!({"ok": true}));
    assert_eq!(value("{\"result\": {\"ok\": false, \"x\": 1}}", &one), json!({"ok": false}));
}

// PARSE-2
#[test]
fn a_block_of_text_loses_the_indentation_around_it() {
    let schema = object(&json!({"code": {"type": "string"}}), &["code"]);
    let text = "{\n  \"code\": \"\"\"\n    for x in y:\n      print(x)\n  \"\"\"\n}";
    let got = aligned(text, &schema);
    assert_eq!(got.value, Some(json!({"code": "for x in y:\n  print(x)"})));
    assert!(got.repairs.iter().any(|repair| repair.kind.code == "align.block"));
}

// PARSE-2
#[test]
fn a_union_takes_the_branch_that_fits_best() {
    let cat = object(&json!({"kind": {"const": "cat"}, "lives": {"type": "integer"}}), &["kind", "lives"]);
    let dog = object(&json!({"kind": {"const": "dog"}, "name": {"type": "string"}}), &["kind"]);
    let pet = json!({"anyOf": [cat, dog, {"type": "string"}]});
    assert_eq!(value("{\"kind\": \"Cat\", \"lives\": \"9\"}", &pet), json!({"kind": "cat", "lives": 9}));
    assert_eq!(value("{\"kind\": \"dog\", \"name\": \"Rex\"}", &pet), json!({"kind": "dog", "name": "Rex"}));
    let number = json!({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]});
    assert_eq!(value("[4.5]", &json!({"type": "array", "items": number})), json!([4.5]));
    assert_eq!(value("[\"4\"]", &json!({"type": "array", "items": number})), json!(["4"]));
}

// PARSE-2
#[test]
fn recursive_schemas_end() {
    let schema = json!({
        "$ref": "#/$defs/Node",
        "$defs": {"Node": object(&json!({"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "integer"}]}}), &["next"])}
    });
    assert_eq!(value("{\"next\": {\"next\": \"3\"}}", &schema), json!({"next": {"next": 3}}));
    let circle = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}});
    assert_eq!(value("{\"a\": 1}", &circle), json!({"a": 1}));
    let lists = json!({"$ref": "#/$defs/L", "$defs": {"L": {"type": "array", "items": {"$ref": "#/$defs/L"}}}});
    assert_eq!(value("[[], [[]]]", &lists), json!([[], [[]]]));
}

// PARSE-2
#[test]
fn what_was_cut_is_given_as_far_as_it_came() {
    let person = object(&json!({"name": {"type": "string"}, "age": {"type": "integer"}}), &["name", "age"]);
    let got = aligned("{\"name\": \"Ada\", \"ag", &person);
    assert_eq!((got.value, got.complete), (Some(json!({"name": "Ada", "age": null})), false));
    assert_eq!(got.repairs.iter().map(|repair| repair.kind.code).collect::<Vec<_>>(), ["align.missing"]);
    let people = json!({"type": "array", "items": person});
    let got = aligned("[{\"name\": \"Ada\", \"age\": 36}, {\"name\": \"Al", &people);
    assert_eq!((got.value, got.complete), (Some(json!([{"name": "Ada", "age": 36}])), false));
    assert_eq!(aligned("{\"name\": \"Ada\"}", &person).value, None);
}

// PARSE-2
#[test]
fn maps_keep_what_fits() {
    let map =
        |keys: Value| json!({"type": "object", "propertyNames": keys, "additionalProperties": {"type": "integer"}});
    assert_eq!(value("{\"a\": \"1\", \"b\": \"?\"}", &map(json!({"type": "string"}))), json!({"a": 1}));
    assert_eq!(value("{\"a\": 1, \"z\": 2}", &map(json!({"enum": ["a", "b"]}))), json!({"a": 1}));
}

// PARSE-2
#[test]
fn a_call_is_mended_where_that_is_certain_and_kept_where_not() {
    let schema = json!({
        "type": "object",
        "properties": {
            "days": {"type": "integer"},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "cities": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"lat": {"type": "number"}}}
        },
        "required": ["days"]
    });
    let call = json!({"days": "3", "unit": "Celsius", "cities": "Rome", "where": "{\"lat\": 1.5}", "extra": 1});
    let (mended, codes) = fit(&call, &schema).unwrap();
    assert_eq!(mended, json!({"days": 3, "unit": "celsius", "cities": ["Rome"], "where": {"lat": 1.5}, "extra": 1}));
    assert_eq!(codes, ["align.number", "align.choice", "align.wrapped", "align.decoded"]);
    let unsure = json!({"days": "about 3", "unit": "celsius or so", "cities": [null]});
    assert_eq!(fit(&unsure, &schema), Some((unsure.clone(), vec![])));
    assert_eq!(fit(&json!("three days"), &schema), None);
}

// PARSE-3
#[test]
fn a_bare_parameter_is_typed_by_its_schema() {
    assert_eq!(from_text(" 3\n", &json!({"type": "integer"})), json!(3));
    assert_eq!(from_text(" 3\n", &json!({"type": "string"})), json!(" 3\n"));
    assert_eq!(from_text("True", &json!({"type": "boolean"})), json!(true));
    assert_eq!(from_text("null", &json!({"type": ["integer", "null"]})), Value::Null);
    assert_eq!(from_text("[1, 2]", &json!({"type": "array", "items": {"type": "integer"}})), json!([1, 2]));
    assert_eq!(from_text("{\"a\": 1}", &json!({"type": "object"})), json!({"a": 1}));
    assert_eq!(from_text("soon", &json!({"type": "integer"})), json!("soon"));
    for (raw, expected) in [("[1]", json!([1])), (" 2.5 ", json!(2.5)), ("true", json!(true)), ("null", Value::Null)] {
        assert_eq!(from_text(raw, &json!({})), expected);
    }
    for raw in ["True", "01", "a b", " text ", "\"quoted\"", "[1", ""] {
        assert_eq!(from_text(raw, &json!({})), json!(raw));
    }
}

// PARSE-2
#[test]
fn depth_and_width_are_bounded() {
    let tree = json!({"$ref": "#/$defs/T", "$defs": {"T": {"anyOf": [
        {"type": "array", "items": {"$ref": "#/$defs/T"}},
        object(&json!({"next": {"$ref": "#/$defs/T"}}), &["next"]),
        {"type": "string"}
    ]}}});
    let nested = |wrap: fn(Value) -> Value| (0..1000).fold(json!("x"), |inner, _| wrap(inner));
    for deep in [nested(|inner| json!([inner])), nested(|inner| json!({"next": inner}))] {
        let (same, codes) = fit(&deep, &tree).unwrap();
        assert!(same == deep && codes == ["align.budget"], "{codes:?}");
        assert!(aligned(&"[".repeat(100_000), &tree).value.is_some());
    }
    let branches: Vec<Value> = (0..60)
        .map(|n| object(&json!({"k": {"type": "array", "items": {"type": "integer"}}, "n": {"const": n}}), &["n"]))
        .collect();
    let wide: Vec<Value> = (0..2000).map(|n| json!({"k": ["1", "2"], "n": n % 60})).collect();
    let (got, _) = fit(&Value::Array(wide), &json!({"type": "array", "items": {"anyOf": branches}})).unwrap();
    assert_eq!(got[1999], json!({"k": [1, 2], "n": 19}));
}

/// Whether one of several shapes is an object of which no key is named.
fn offers_nameless_object(schema: &Value) -> bool {
    let nameless = |shape: &Value| {
        let named = shape["properties"].as_object().is_some_and(|properties| !properties.is_empty());
        shape["type"] == "object" && !named && shape.get("additionalProperties").is_none()
    };
    match schema {
        Value::Object(map) => map.iter().any(|(key, inner)| {
            let several = ["anyOf", "oneOf"].contains(&key.as_str());
            several && inner.as_array().is_some_and(|shapes| shapes.iter().any(nameless))
                || offers_nameless_object(inner)
        }),
        Value::Array(items) => items.iter().any(offers_nameless_object),
        _ => false,
    }
}

proptest! {
    // PARSE-2
    #[test]
    fn what_satisfies_its_schema_is_never_touched(schema in schema(), seed in any::<u64>()) {
        let sample = sample(&schema, &mut Seed(seed), 0);
        let valid = jsonschema::validator_for(&schema).is_ok_and(|validator| validator.is_valid(&sample));
        prop_assume!(valid);
        prop_assert_eq!(fit(&sample, &schema), Some((sample, vec![])), "schema {}", schema);
    }

    // PARSE-2
    #[test]
    fn an_answer_that_satisfies_its_schema_loses_only_keys_it_does_not_name(inner in schema(), seed in any::<u64>()) {
        let schema = object(&json!({"value": inner}), &["value"]);
        let sample = json!({"value": sample(&inner, &mut Seed(seed), 0)});
        let valid = jsonschema::validator_for(&schema).is_ok_and(|validator| validator.is_valid(&sample));
        // Every object satisfies a shape that names no key, so that beside another shape it is the last to be meant.
        prop_assume!(valid && !offers_nameless_object(&inner));
        let got = aligned(&sample.to_string(), &schema);
        let mended = got.repairs.iter().find(|repair| repair.kind.code != "align.extra-key");
        prop_assert_eq!(mended, None, "{} against {} gave {:?}", sample, schema, got.value);
    }

    // PARSE-2
    #[test]
    fn fitting_twice_changes_nothing_more(schema in schema(), value in value_of_any_kind()) {
        if let Some((once, _)) = fit(&value, &schema) {
            prop_assert_eq!(fit(&once, &schema), Some((once, vec![])), "schema {}", schema);
        }
    }

    // PARSE-2
    #[test]
    fn an_aligned_answer_has_its_shape(schema in schema(), value in value_of_any_kind()) {
        let text = value.to_string();
        if let Some(got) = aligned(&text, &schema).value {
            let again = aligned(&got.to_string(), &schema).value;
            prop_assert!(again.is_some(), "schema {} gave {}", schema, got);
        }
    }

    // PARSE-2
    #[test]
    fn nothing_makes_it_fall_over(schema in nonsense_schema(), value in value_of_any_kind(), text in ".{0,40}") {
        let _ = fit(&value, &schema);
        let _ = from_text(&text, &schema);
        let _ = aligned(&value.to_string(), &schema);
        let _ = aligned(&text, &schema);
    }
}

/// Schemas as tools and answers have them.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "number"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": "integer", "nullable": true})),
        Just(json!({})),
        Just(json!({"enum": ["red", "green", 3, null]})),
        Just(json!({"const": true})),
        Just(json!({"minLength": 2})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            inner.clone().prop_map(|items| json!({"items": items})),
            inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|branches| json!({"anyOf": branches})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            (prop::collection::vec((name(), inner), 0..4), any::<u8>()).prop_map(|(fields, bits)| {
                let required: Vec<&String> =
                    fields.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, (name, _))| name).collect();
                let mut schema = json!({"type": "object", "required": required});
                schema["properties"] = fields.iter().cloned().collect();
                if bits & 64 == 64 {
                    schema["additionalProperties"] = json!(false);
                }
                schema
            }),
        ]
    })
}

/// Anything whose words look like a schema's, references in circles included.
fn nonsense_schema() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "anyOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "required",
        "x-alias",
        "nullable",
        "additionalProperties",
        "propertyNames",
        "prefixItems",
        "default",
        "$defs",
    ]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i8>().prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "array",
            "string",
            "integer",
            "null",
            "#",
            "#/items",
            "#/anyOf/0",
            "#/properties/a"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(word.clone().prop_map(str::to_owned), inner.clone(), 0..5)
                .prop_map(|map| map.into_iter().collect()),
            prop::collection::hash_map(name(), inner, 0..3).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn value_of_any_kind() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec![
        "",
        "red",
        "GREEN",
        "3",
        "3.5",
        "1,000",
        "true",
        "null",
        "[1, 2]",
        "{\"a\": 1}",
        "it is red",
        "中文",
        "{",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-4_i32..4).prop_map(|n| json!(f64::from(n) / 2.0)),
        text.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(name(), inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "A", "first_name", "First Name", "été"]).prop_map(str::to_owned)
}

/// A value that a schema describes, more or less; the validator has the last word.
fn sample(schema: &Value, seed: &mut Seed, depth: usize) -> Value {
    let several = ["anyOf", "allOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(branches) = several.filter(|_| depth < 8) {
        return sample(&branches[seed.below(branches.len())], seed, depth + 1);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[seed.below(values.len())].clone();
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[seed.below(kinds.len())]);
    match kind.as_str().unwrap_or(["string", "integer", "array", "object"][seed.below(4)]) {
        "string" => json!(["", "red", "3", "true", "[1]", "{\"a\": 1}", "null", "two words"][seed.below(8)]),
        "integer" => [json!(3), json!(-1), json!(4.0), json!(u64::MAX)][seed.below(4)].clone(),
        "number" => [json!(3), json!(0.5), json!(1e300)][seed.below(3)].clone(),
        "boolean" => json!(seed.below(2) == 0),
        "null" => Value::Null,
        "array" => (0..seed.below(4)).map(|_| sample(&schema["items"], seed, depth + 1)).collect(),
        _ => {
            let mut value = json!({});
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                if seed.below(4) > 0 {
                    value[name] = sample(field, seed, depth + 1);
                }
            }
            if seed.below(2) == 0 {
                value["more"] = sample(&schema["additionalProperties"], seed, depth + 1);
            }
            value
        }
    }
}

/// A small generator, so that a failing case can be made smaller.
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

// PARSE-4: four times the size takes about four times as long, unions and nesting included.
#[test]
fn large_documents_cost_what_their_size_costs() {
    let cat =
        object(&json!({"kind": {"const": "cat"}, "name": {"type": "string"}, "lives": {"type": "integer"}}), &["kind"]);
    let dog = object(
        &json!({"kind": {"const": "dog"}, "name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}),
        &["kind"],
    );
    let tree = json!({"$ref": "#/$defs/V", "$defs": {"V": {"anyOf": [
        {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"type": "string"}, {"type": "null"},
        {"type": "array", "items": {"$ref": "#/$defs/V"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/V"}}
    ]}}});
    let pets = json!({"type": "array", "items": {"anyOf": [cat, dog]}});
    let pet = |n: usize| match n % 2 {
        0 => json!({"kind": "cat", "name": "Tom", "lives": "9", "extra": [n]}),
        _ => json!({"kind": "Dog", "name": "Rex", "tags": ["a", "b"]}),
    };
    let deep = |n: usize| (0..100).fold(json!(n), |inner, _| json!([inner, "x"]));
    type Case<'a> = (&'a str, &'a Value, &'a dyn Fn(usize) -> Value, usize);
    let cases: [Case<'_>; 4] = [
        ("union of classes", &pets, &pet, 1000),
        ("any JSON", &tree, &pet, 1000),
        ("deep JSON", &tree, &deep, 80),
        ("small values in prose", &pets, &pet, 1000),
    ];
    for (name, schema, item, count) in cases {
        let time = |count: usize| {
            let items: Vec<Value> = (0..count).map(item).collect();
            let text = match name.contains("prose") {
                true => items.iter().map(|item| format!("and {item} then ")).collect(),
                false => Value::Array(items).to_string(),
            };
            let options = ParseOptions::default();
            let document = json::read(&text, &options);
            let rounds = (0..3).map(|_| {
                let start = Stopwatch::start();
                assert!(align::align(&text, &document, schema, &options).value.is_some());
                start.elapsed()
            });
            rounds.min().unwrap()
        };
        let (small, large) = (time(count), time(4 * count));
        let bound = small.max(std::time::Duration::from_millis(20)) * 12;
        assert!(large < bound, "{name}: {small:?}, and {large:?} for four times as much");
    }
}
