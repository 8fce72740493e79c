//! What comes into the binary: `tools/dependencies` finds what deny.toml does not allow, and writes the bill of materials.

use crate::run::root;
use serde_json::{Value, json};
use std::process::{Command, Output};

fn dependencies(args: &[&str]) -> Output {
    Command::new("python3").arg("tools/dependencies").args(args).current_dir(root()).output().unwrap()
}

/// What cargo would say of crates with these licences and sources.
fn metadata(crates: &[(&str, Value, &str)]) -> Value {
    let registry = "registry+usual";
    let known = ["one", "two", "three"].map(|name| (name, json!("MIT"), registry));
    let packages: Vec<Value> = known
        .iter()
        .chain(crates)
        .map(|(name, license, source)| {
            json!({"id": name, "name": name, "version": "1.0.0", "license": license, "source": source})
        })
        .collect();
    json!({"packages": packages, "workspace_members": [], "resolve": {"nodes": []}})
}

fn check(crates: &[(&str, Value, &str)]) -> (bool, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), metadata(crates).to_string()).unwrap();
    let done = dependencies(&["check", "--metadata", file.path().to_str().unwrap()]);
    (done.status.success(), String::from_utf8(done.stderr).unwrap())
}

#[test]
fn a_licence_that_is_not_allowed_is_named() {
    for (license, part) in [
        (json!("GPL-3.0-only"), "`GPL-3.0-only` is not allowed"),
        (json!("MIT AND GPL-3.0-only"), "is not allowed"),
        (json!("(MIT OR ISC) AND SSPL-1.0"), "is not allowed"),
        (json!("Apache-2.0 WITH Other-exception"), "is not allowed"),
        (json!("MIT OR"), "cannot be read"),
        (json!("(MIT"), "cannot be read"),
        (Value::Null, "names no licence"),
    ] {
        let (fine, said) = check(&[("odd", license.clone(), "registry+usual")]);
        assert!(!fine && said.contains("odd 1.0.0") && said.contains(part), "{license}: {said}");
    }
    for license in ["MIT/Apache-2.0", "GPL-3.0-only OR MIT", "(Apache-2.0 OR GPL-2.0-only) AND BSD-3-Clause"] {
        let (fine, said) = check(&[("fine", json!(license), "registry+usual")]);
        assert!(fine, "{license}: {said}");
    }
}

#[test]
fn a_crate_from_elsewhere_is_named() {
    for source in ["git+https://example.invalid/odd", "registry+other"] {
        let (fine, said) = check(&[("odd", json!("MIT"), source)]);
        assert!(!fine && said.contains(source), "{said}");
    }
}

#[test]
fn the_bill_of_materials_names_what_is_in_the_binary() {
    let done = dependencies(&["sbom"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let bill: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&bill["bomFormat"], &bill["specVersion"]), (&json!("CycloneDX"), &json!("1.6")));
    let components = bill["components"].as_array().unwrap();
    let find = |name: &str| components.iter().find(|found| found["name"] == name).unwrap();
    assert!(find("serde_json")["purl"].as_str().unwrap().starts_with("pkg:cargo/serde_json@"));
    assert_eq!(find("serde_json")["hashes"][0]["content"].as_str().unwrap().len(), 64);
    assert!(find("preact")["purl"].as_str().unwrap().starts_with("pkg:npm/preact@"));
    assert!(components.iter().all(|found| found["name"] != "countersign-runtime"), "our own crates are no dependency");
    let again = dependencies(&["sbom"]);
    assert_eq!(done.stdout, again.stdout, "the same lock files give the same document");
}
