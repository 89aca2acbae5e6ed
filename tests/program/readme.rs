//! The README and the table of plugins: commands run, the output is real, the table is the program's.

use std::fs;
use std::path::Path;

use crate::golden;
use kadmit::plugin;
use kube_api::version::Version;

const BEGIN: &str = "<!-- plugins: written by `KADMIT_UPDATE=1 cargo test` -->\n";
const END: &str = "<!-- /plugins -->\n";

#[test]
fn the_screen_is_the_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(golden::compare_sessions(&root.join("README.md"), root), 1, "sessions in the README");
}

#[test]
fn the_table_of_plugins_is_the_programs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plugins.md");
    let text = fs::read_to_string(&page).expect("the page is there");
    let (before, rest) = text.split_once(BEGIN).expect("the table has a beginning");
    let (_, behind) = rest.split_once(END).expect("the table has an end");
    golden::compare(format!("{before}{BEGIN}{}{END}{behind}", table()), &page);
}

#[test]
fn every_page_that_it_links_to_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("README.md")).expect("the README is there");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let pages: Vec<&str> = links.map(|(link, _)| link).filter(|link| !link.contains(':')).collect();
    assert!(pages.contains(&"docs/plugins.md"), "{pages:?}");
    for page in pages {
        assert!(root.join(page).is_file(), "{page}");
    }
}

fn table() -> String {
    let mut table = "| plugin | by default | operations |\n|---|---|---|\n".to_owned();
    for plugin in plugin::of_release(Version::BINARY) {
        let default = if plugin.default_on(Version::BINARY) { "on" } else { "" };
        let operations: Vec<&str> = plugin.operations.iter().map(|operation| operation.as_str()).collect();
        let operations = operations.join(", ");
        table.extend(["| ", plugin.name, " | ", default, " | ", &operations, " |\n"]);
    }
    table
}

#[test]
fn the_first_command_shows_the_shop() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let commands = shell_commands(root);
    let first = commands.iter().find(|command| command.starts_with("cargo run ")).expect("a first command");
    let output = golden::run(first, root);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{text}");
    for plugin in ["LimitRanger", "PodSecurity", "ResourceQuota"] {
        assert!(text.contains(&format!("{plugin} denied it (403 Forbidden)")), "{plugin}:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn every_test_that_it_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let commands = shell_commands(root);
    assert!(commands.iter().any(|command| command == "cargo test"), "{commands:?}");
    for command in commands.iter().filter_map(|command| command.strip_prefix("cargo test --test ")) {
        let name = command.split(' ').next().unwrap_or_default();
        assert!(root.join(format!("tests/{name}/main.rs")).is_file(), "{name}");
    }
}

/// Returns the lines of the README's `sh` blocks.
fn shell_commands(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join("README.md")).expect("the README is there");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    blocks.flat_map(|(block, _)| block.lines()).map(str::to_owned).collect()
}
