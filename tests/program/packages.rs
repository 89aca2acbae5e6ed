//! Values that packages, hooks and the editor extension repeat are the same everywhere.

use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("the file is there")
}

#[test]
fn every_package_has_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, text) in [
        ("packaging/pre-commit/pyproject.toml", format!("\"kadmit=={version}\"")),
        ("editors/vscode/package.json", format!("\"version\": \"{version}\"")),
        ("docs/ci.md", format!("[kadmit=={version}]")),
    ] {
        assert!(read(file).contains(&text), "{file} has {text}");
    }
}

#[test]
fn hooks_call_the_same_whatever_installs_the_program() {
    let entries = |file: &str| -> Vec<String> {
        let text = read(file);
        text.lines().filter_map(|line| line.strip_prefix("  entry: ")).map(str::to_owned).collect()
    };
    let own = entries(".pre-commit-hooks.yaml");
    let python = entries("packaging/pre-commit/.pre-commit-hooks.yaml");
    assert_eq!(python.len(), 3);
    for entry in python {
        assert!(own.contains(&entry), "{entry}");
    }
}

#[test]
fn the_extension_packs_all_that_it_requires() {
    let packer = read("editors/vscode/package.py");
    for file in ["package.json", "extension.js", "client.js", "README.md"] {
        assert!(packer.contains(&format!("\"{file}\"")), "{file} is packed");
        assert!(!read(&format!("editors/vscode/{file}")).is_empty(), "{file}");
    }
    assert!(packer.contains("\"icon.png\""), "the icon is packed");
    let icon =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode/icon.png")).expect("an icon");
    // The marketplace takes no vectors.
    assert!(icon.starts_with(b"\x89PNG"));
    let code = read("editors/vscode/extension.js");
    let required: Vec<&str> =
        code.split("require(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(required, ["vscode", "./client.js"]);
}
