//! Dependencies: none needs a newer compiler than this package says, and all come from the registry.

use std::process::Command;

use serde_json::Value;

/// What Cargo knows of every package that any feature or test of this one needs.
fn packages() -> Vec<Value> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let mut answer: Value = serde_json::from_slice(&cargo.stdout).expect("JSON");
    let Value::Array(packages) = answer["packages"].take() else { panic!("no packages") };
    assert!(packages.len() > 50);
    packages
}

fn version(text: &str) -> Vec<u64> {
    text.split('.').map(|part| part.parse().expect("a number")).collect()
}

#[test]
fn no_dependency_needs_a_newer_compiler() {
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages() {
        let Some(needed) = package["rust_version"].as_str() else { continue };
        assert!(version(needed) <= ours, "{} needs Rust {needed}", package["id"]);
    }
}

#[test]
fn every_dependency_comes_from_the_registry_and_says_its_licence() {
    for package in packages() {
        let (name, source) = (&package["id"], package["source"].as_str());
        assert!(
            package["name"] == env!("CARGO_PKG_NAME") || source.is_some_and(|s| s.starts_with("registry+")),
            "{name}"
        );
        assert!(package["license"].is_string(), "{name} has no licence");
    }
}
