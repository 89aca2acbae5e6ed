//! The rules of the code base: the dependencies between modules, the parts of a plugin, and plain English.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kadmit::plugin::{self, Plugin};
use kadmit::report;
use kube_api::features::Feature;
use kube_api::version::Version;

/// The modules of this package from top to bottom: a module may use those of the lines below its own, and none above.
/// Modules of one line may use each other. Between crates the compiler holds the order.
const FLOORS: &[&[&str]] = &[
    &["cli"],
    &["drift", "fix", "replay", "require", "serve", "suite"],
    &["api_server"],
    &["report"],
    &["evaluation"],
    &["workload"],
    &["configuration"],
    &["plugin"],
    &["webhook"],
    &["policy"],
    &["quota"],
    &["admission"],
    &["cluster"],
    &["code", "versioned"],
];

/// The headings of every plugin's documentation, in order.
const HEADINGS: &[&str] =
    &["# When it rejects", "# Cluster objects it reads", "# Offline", "# Since", "# Upstream"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The folders of the crates, that of this package first.
const CRATES: &[&str] = &[
    "src",
    "crates/gotext/src",
    "crates/kube-api/src",
    "crates/kube-cel/src",
    "crates/kube-registry/src",
    "crates/kube-yaml/src",
];

/// Returns every Rust file below `src` as path and text.
fn sources() -> Vec<(String, String)> {
    files("src", "rs")
}

/// Returns every file with `extension` below `folder` as path and text.
fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut directories = vec![root().join(folder)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let name = path.strip_prefix(root().join(folder)).expect("a path below the folder");
                let name = name.to_string_lossy().replace('\\', "/");
                files.push((name, fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    files.sort();
    files
}

/// Returns the modules that `text` reaches by `crate::`, as paths of two steps.
fn uses(text: &str) -> BTreeSet<(String, String)> {
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut uses = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        if let Some(group) = rest.strip_prefix('{') {
            for (_, entry) in group_entries(group) {
                uses.insert(steps(&entry));
            }
        } else {
            uses.insert(steps(rest));
        }
    }
    uses
}

/// Returns the entries of a `{a, b::{c, d}}` without the opening brace, each with its depth.
fn group_entries(group: &str) -> Vec<(usize, String)> {
    let (mut depth, mut entry, mut entries) = (0_usize, String::new(), Vec::new());
    for character in group.chars() {
        match character {
            '}' if depth == 0 => break,
            ',' if depth == 0 => entries.push((0, std::mem::take(&mut entry))),
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if !(character == ',' && depth == 0) {
            entry.push(character);
        }
    }
    entries.push((0, entry));
    entries
}

fn steps(path: &str) -> (String, String) {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let mut steps =
        path.trim().split("::").map(|step| step.split(|c| !is_name(c)).next().unwrap_or_default());
    let first = steps.next().unwrap_or_default().to_owned();
    (first, steps.next().unwrap_or_default().to_owned())
}

#[test]
fn every_feature_gate_with_a_name_in_the_code_decides_something() {
    let sources: Vec<_> = CRATES.iter().flat_map(|folder| files(folder, "rs")).collect();
    for feature in Feature::ALL {
        let name = format!("Feature::{}", feature.name());
        let uses = |text: &str| {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            code.match_indices(&name).any(|(start, _)| {
                !code[start + name.len()..].starts_with(|next: char| next.is_alphanumeric())
            })
        };
        assert!(sources.iter().any(|(_, text)| uses(text)), "{name} is not used");
    }
}

#[test]
fn every_room_is_in_the_table() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("the library");
    let rooms: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(rooms.len() >= 12, "{rooms:?}");
    for room in rooms {
        assert!(floor(room).is_some(), "`{room}` has no floor");
    }
}

#[test]
fn nobody_looks_upstairs() {
    let sources = sources();
    assert!(sources.len() > 100, "only {} sources", sources.len());
    let mut looks = Vec::new();
    for (file, text) in &sources {
        let room = file.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = floor(room) else { continue };
        for (other, _) in uses(text) {
            if other != room && floor(&other).is_some_and(|other| other < own) {
                looks.push(format!("{file} uses crate::{other}"));
            }
        }
    }
    assert!(looks.is_empty(), "{}", looks.join("\n"));
}

#[test]
fn no_plugin_knows_another() {
    let names: BTreeSet<String> =
        plugin::of_release(Version::BINARY).iter().map(|plugin| snake_case(plugin.name)).collect();
    for (file, text) in sources() {
        let Some(own) = file.strip_prefix("plugin/").and_then(|file| file.split(['/', '.']).next()) else {
            continue;
        };
        for (room, other) in uses(&text) {
            let knows = room == "plugin" && other != own && names.contains(&other);
            assert!(!knows, "{file} uses crate::plugin::{other}");
        }
    }
}

#[test]
fn the_reader_of_uses_reads_groups() {
    let text = "use crate::{admission::Recorder, api::{self, Object}};\nuse crate::cluster;\n// crate::cli\n";
    let rooms: Vec<String> = uses(text).into_iter().map(|(room, _)| room).collect();
    assert_eq!(rooms, ["admission", "api", "cluster"]);
}

/// Asserts that a plugin has documentation, cases, and a file with a struct of its name or a row among the validators.
fn is_whole(plugin: &Plugin, cases: &str, folder: &str) {
    let name = plugin.name;
    assert!(!plugin.operations.is_empty(), "{name} is called for nothing");
    let cases = root().join(cases).join(name.replace('/', "__"));
    assert!(cases.is_dir(), "{name} has no cases");
    let own = name.rsplit('/').next().unwrap_or_default();
    has_headings(own, &plugin.documentation());
    if !plugin.is_validator() {
        let file = root().join(folder).join(snake_case(own) + ".rs");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(text.contains(&format!("struct {own}")), "{name} has no struct of its name");
    }
}

#[test]
fn every_plugin_is_whole() {
    let newest: BTreeSet<_> = plugin::of_release(Version::BINARY).iter().map(|plugin| plugin.name).collect();
    let mut names = BTreeSet::new();
    for plugin in plugin::all() {
        let name = plugin.name;
        assert!(names.insert(name), "{name} is there twice");
        if name.contains("openshift.io/") || name.starts_with("Origin") {
            is_whole(plugin, "testdata/conformance-openshift", "src/plugin/openshift");
        } else if newest.contains(name) {
            is_whole(plugin, "testdata/conformance", "src/plugin");
        } else {
            is_whole(plugin, "testdata/conformance-removed", "src/plugin/removed");
        }
    }
}

fn has_headings(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    assert!(
        lines.first().is_some_and(|line| !line.is_empty() && !line.starts_with('#')),
        "{name} says nothing"
    );
    let found: Vec<&str> = lines.iter().copied().filter(|line| HEADINGS.contains(line)).collect();
    assert_eq!(found, HEADINGS, "{name}");
    for (position, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("# ")) {
        let known = HEADINGS.contains(line) || *line == "# Configuration";
        assert!(known, "{name} has an unknown heading {line}");
        assert!(lines.iter().skip(position + 1).any(|line| !line.is_empty()), "{name}: {line} is empty");
    }
}

/// Returns a name in snake case, abbreviations and their plurals as one word: `PodSecurity` → `pod_security`,
/// `CSIInlineVolumeSecurity` → `csi_inline_volume_security`, `DenyServiceExternalIPs` → `deny_service_external_ips`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let characters: Vec<char> = name.replace("OAuth", "Oauth").chars().collect();
    let is_lower = |position: usize| characters.get(position).is_some_and(|found| found.is_lowercase());
    for (position, character) in characters.iter().enumerate() {
        let is_plural = characters.get(position + 1) == Some(&'s') && !is_lower(position + 2);
        let begins_word = position > 0 && (is_lower(position - 1) || is_lower(position + 1) && !is_plural);
        if character.is_uppercase() && begins_word {
            snake.push('_');
        }
        snake.extend(character.to_lowercase());
    }
    snake
}

#[test]
fn names_of_files_follow_names_of_plugins() {
    assert_eq!(snake_case("DenyServiceExternalIPs"), "deny_service_external_ips");
    assert_eq!(snake_case("PodSecurity"), "pod_security");
    assert_eq!(snake_case("CSIInlineVolumeSecurity"), "csi_inline_volume_security");
    assert_eq!(snake_case("ManagementCPUsOverride"), "management_cpus_override");
    assert_eq!(snake_case("ValidateOAuth"), "validate_oauth");
    assert!(Path::new(&root().join("src/plugin/pod_security.rs")).is_file());
}

/// Returns the paths that `text`, the module `module`, refers to from the crate's root: those of `use` and those in its
/// code.
fn paths(module: &str, text: &str) -> BTreeSet<String> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let parent = module.rsplit_once("::").map_or("crate", |(parent, _)| parent);
    let children: Vec<String> = code
        .lines()
        .filter_map(|line| line.split("mod ").nth(1)?.strip_suffix(';').map(str::to_owned))
        .collect();
    let mut paths = BTreeSet::new();
    let mut add = |path: &str| {
        let path: String = path.split_whitespace().next().unwrap_or_default().to_owned();
        let first = path.split("::").next().unwrap_or_default().to_owned();
        paths.insert(if let Some(rest) = path.strip_prefix("super::super::") {
            let above = parent.rsplit_once("::").map_or("crate", |(above, _)| above);
            format!("{above}::{rest}")
        } else if let Some(rest) = path.strip_prefix("super::") {
            format!("{parent}::{rest}")
        } else if children.contains(&first) {
            format!("{module}::{path}")
        } else {
            path
        });
    };
    for item in code.split("use ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        expand("", item, &mut add);
    }
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
            let rest = &code[at..];
            add(&rest[..rest.find(|character| !is_path(character)).unwrap_or(rest.len())]);
        }
    }
    paths
}

/// Passes every path of `item`, such as `a::{b, c::d}`, to `add`.
fn expand(prefix: &str, item: &str, add: &mut impl FnMut(&str)) {
    match item.split_once('{') {
        Some((head, group)) if head.ends_with("::") => {
            for (_, entry) in group_entries(group) {
                expand(&format!("{prefix}{}", head.trim()), entry.trim(), add);
            }
        }
        _ => add(&format!("{prefix}{}", item.trim())),
    }
}

/// Returns the modules that `module` imports, other than those above and below it.
fn imports(module: &str, text: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let is_kin = |other: &str| {
        other == module
            || other.starts_with(&format!("{module}::"))
            || module.starts_with(&format!("{other}::"))
    };
    let owner = |path: &str| {
        let mut path = path;
        loop {
            if modules.contains(path) {
                return Some(path.to_owned());
            }
            path = path.rsplit_once("::")?.0;
        }
    };
    let paths = paths(module, text);
    // A module that is imported and then passed through, `core` in `core::pod::STRATEGY`, is a way to the one below it.
    let through = paths.iter().filter_map(|path| {
        let (_, name) = path.rsplit_once("::")?;
        modules.contains(path).then_some((path, name))
    });
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let below = through.flat_map(|(path, name)| {
        let starts = text
            .match_indices(name)
            .filter(|(start, _)| !text[..*start].ends_with(|before| is_name(before) || before == ':'));
        starts.filter_map(move |(start, _)| {
            let rest = text[start + name.len()..].strip_prefix("::")?;
            let end = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
            Some(format!("{path}::{}", &rest[..end]))
        })
    });
    let paths: BTreeSet<String> = below.chain(paths.iter().cloned()).collect();
    paths.iter().filter_map(|path| owner(path)).filter(|other| !is_kin(other)).collect()
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for folder in CRATES {
        has_no_circle(folder);
    }
}

fn has_no_circle(folder: &str) {
    let of_file = |file: &str| format!("crate::{}", file.trim_end_matches(".rs").replace('/', "::"));
    let sources = files(folder, "rs");
    let modules: BTreeSet<String> = sources.iter().map(|(file, _)| of_file(file)).collect();
    let mut open: Vec<(String, BTreeSet<String>)> = sources
        .iter()
        .filter(|(file, _)| !["lib.rs", "main.rs"].contains(&file.as_str()))
        .map(|(file, text)| (of_file(file), imports(&of_file(file), text, &modules)))
        .collect();
    let found: usize = open.iter().map(|(_, imports)| imports.len()).sum();
    assert!(found > open.len() / 2, "{folder}: only {found} imports are found");
    // A module that imports none of the open ones is not part of a circle.
    loop {
        let names: BTreeSet<String> = open.iter().map(|(module, _)| module.clone()).collect();
        let count = open.len();
        open.retain(|(_, imports)| imports.iter().any(|other| names.contains(other)));
        if open.len() == count {
            break;
        }
    }
    let names: BTreeSet<&String> = open.iter().map(|(module, _)| module).collect();
    let edges = open.iter().flat_map(|(module, imports)| {
        imports.iter().filter(|other| names.contains(other)).map(move |other| format!("{module} -> {other}"))
    });
    let edges: Vec<String> = edges.collect();
    assert!(edges.is_empty(), "{folder}: in a circle, or importing one:\n{}", edges.join("\n"));
}

#[test]
fn the_finder_of_circles_finds_one() {
    let modules: BTreeSet<String> = ["crate::a", "crate::a::b", "crate::c"].map(str::to_owned).into();
    let found = |module: &str, text: &str| imports(module, text, &modules).into_iter().collect::<Vec<_>>();
    assert_eq!(found("crate::c", "use crate::{a::{self, b::X}};"), ["crate::a", "crate::a::b"]);
    assert_eq!(found("crate::a", "mod b;\nuse b::X;\nuse super::c::Y;"), ["crate::c"]);
    assert_eq!(found("crate::a::b", "fn f() { super::super::c::g() }"), ["crate::c"]);
    assert_eq!(found("crate::c", "use crate::a;\nfn f() { a::b::g() }"), ["crate::a", "crate::a::b"]);
}

#[test]
fn only_strategies_know_what_kinds_are_like() {
    for (file, text) in sources() {
        if file.starts_with("plugin/testing") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let is_match = line.contains("&*object.kind.group, &*object.kind.kind")
                || line.contains("&*kind.group, &*kind.kind");
            assert!(!is_match, "src/{file}:{}: {line}", number + 1);
        }
    }
}

/// A code that nothing reports is not explained, and only the table has names.
#[test]
fn every_code_of_a_diagnostic_is_reported() {
    let sources: Vec<(String, String)> =
        sources().into_iter().filter(|(file, _)| file != "code.rs").collect();
    for code in report::Code::ALL {
        let is_used = sources.iter().any(|(_, text)| text.contains(&format!("Code::{code:?}")));
        assert!(is_used, "nothing reports {code}");
        let literal = format!("\"{code}\"");
        let named: Vec<_> = sources.iter().filter(|(_, text)| text.contains(&literal)).collect();
        assert!(named.is_empty(), "{code} is written as text in {:?}", named[0].0);
    }
}

/// Phrases that readers have to decode, each with a plain one. Messages of the server may contain them, as only
/// comments and documentation are checked.
const OBSCURE: &[(&str, &str)] = &[
    ("a line a plugin", "one line per plugin"),
    ("as good as absent", "counts as absent"),
    ("beside", "besides, next to"),
    ("come to be", "are created"),
    ("comes to be", "is created"),
    ("furnish", "supply"),
    ("goes by", "uses"),
    ("made up", "generated"),
    ("mend", "fix"),
    ("nobody", "unset, unknown, or the passive"),
    ("so many", "N"),
    ("somebody", "a user, or the passive"),
    ("take down", "record"),
    ("takes down", "records"),
    ("what of it", "which part of it"),
    ("worded", "phrased"),
];

/// Returns the words of a text in lower case, without code in backticks and without punctuation.
fn prose<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let text = lines.collect::<Vec<_>>().join(" ");
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let words = prose.split(|character: char| !character.is_alphanumeric() && character != '\'');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the phrases in `prose` that readers have to decode, with plain ones.
fn obscure_phrases(prose: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let padded = format!(" {prose} ");
    OBSCURE.iter().copied().filter(move |(phrase, _)| padded.contains(&format!(" {phrase} ")))
}

#[test]
fn comments_and_documentation_are_in_plain_english() {
    let mut texts = Vec::new();
    for folder in CRATES.iter().copied().chain(["tests", "benches", "examples", "crates/kube-api/examples"]) {
        for (file, text) in files(folder, "rs") {
            let lines: Vec<&str> = text.lines().collect();
            for block in lines.chunk_by(|left, right| comment(left).is_some() == comment(right).is_some()) {
                let comments = block.iter().filter_map(|line| comment(line));
                texts.push((format!("{folder}/{file}"), prose(comments)));
            }
        }
    }
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let pages = files("docs", "md").into_iter().chain([("README.md".to_owned(), readme)]);
    for (file, text) in pages {
        let written = text.split("```").step_by(2).collect::<String>();
        texts.push((file, prose(written.lines())));
    }
    let found: Vec<String> = texts
        .iter()
        .flat_map(|(file, text)| obscure_phrases(text).map(move |found| (file, found)))
        .map(|(file, (phrase, plain))| format!("{file}: \"{phrase}\"; plain is: {plain}"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns the text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']))
}

#[test]
fn obscure_phrases_are_found_across_lines_and_not_in_code() {
    let text = prose(["It is made", "up by `nobody`, and commended."].into_iter());
    assert_eq!(text, "it is made up by and commended");
    assert_eq!(obscure_phrases(&text).collect::<Vec<_>>(), [("made up", "generated")]);
}
