//! Dependencies: none needs a newer compiler than this package says, and all come from the registry.

use std::process::Command;

use serde_json::Value;

/// What Cargo knows of every package that any feature, test or study needs, without those of this repository.
fn packages() -> Vec<Value> {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let mut answer: Value = serde_json::from_slice(&cargo.stdout).expect("JSON");
    let Value::Array(packages) = answer["packages"].take() else { panic!("no packages") };
    let ours = answer["workspace_members"].as_array().expect("a list");
    assert_eq!(ours.len(), 2);
    let packages: Vec<Value> = packages.into_iter().filter(|package| !ours.contains(&package["id"])).collect();
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
fn every_dependency_comes_from_the_registry_with_a_licence() {
    for package in packages() {
        let (name, source) = (&package["id"], package["source"].as_str());
        assert!(source.is_some_and(|source| source.starts_with("registry+")), "{name}");
        assert!(package["license"].is_string(), "{name} has no licence");
    }
}
