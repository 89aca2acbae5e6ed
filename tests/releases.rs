//! What the releases of Kubernetes have, against what their sources and documentation say.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, process::Command};

use kadmit::api::version::Version;
use kadmit::manifest;
use kadmit::plugin::{self, Plugin};
use kadmit::source::{Data, Node, SourceFile};

/// The lists of one release.
struct Release {
    version: Version,
    proven: bool,
    lists: Node,
}

impl Release {
    fn list(&self, name: &str) -> Option<Vec<&str>> {
        let Data::Array(items) = &self.lists.get(name)?.data else { panic!("{name} is a list") };
        Some(items.iter().map(|item| item.as_str().expect("a name")).collect())
    }
}

fn releases() -> Vec<Release> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/releases/plugins.yaml");
    let source = SourceFile::new("plugins.yaml", fs::read_to_string(path).expect("the facts"));
    let document = manifest::read(&source).next().expect("a document").expect("valid YAML");
    let Data::Object(entries) = document.node.data else { panic!("a map of releases") };
    let release = |entry: kadmit::source::Entry| Release {
        version: entry.key.parse().expect("a release"),
        proven: matches!(entry.value.get("proven").expect("proven or not").data, Data::Bool(true)),
        lists: entry.value,
    };
    entries.into_iter().map(release).collect()
}

fn names<'a>(plugins: impl IntoIterator<Item = &'a &'static Plugin>) -> Vec<&'static str> {
    plugins.into_iter().map(|plugin| plugin.name).collect()
}

#[test]
fn every_release_has_its_plugins_in_its_order() {
    let releases = releases();
    assert_eq!(releases.len(), 27);
    assert_eq!(releases.iter().filter(|release| release.proven).count(), 19);
    for release in &releases {
        let version = release.version;
        let plugins = plugin::of_release(version);
        assert_eq!(Some(names(&plugins)), release.list("chain"), "{version}");
        let active = names(plugins.iter().filter(|plugin| plugin.active_by_default(version)));
        assert_eq!(Some(active), release.list("active"), "{version}");
        let inert = |plugin: &&&Plugin| plugin.default_on(version) && !plugin.active_by_default(version);
        assert_eq!(Some(names(plugins.iter().filter(inert))), release.list("inert"), "{version}");
    }
}

/// `kadmit plugins` prints what the table says, and the documentation where there is one says the same.
#[test]
fn the_program_prints_the_defaults_of_every_proven_release() {
    let mut documented = 0;
    for release in releases().iter().filter(|release| release.proven) {
        let version = release.version.to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["plugins", "--kubernetes-version", &version, "-o", "json"])
            .output()
            .expect("the program runs");
        let plugins: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).expect("JSON");
        let all: Vec<_> = plugins.iter().map(|plugin| plugin["name"].as_str().expect("a name")).collect();
        assert_eq!(Some(all), release.list("chain"), "{version}");
        let on = plugins.iter().filter(|plugin| plugin["default"] == true);
        let on: Vec<_> = on.map(|plugin| plugin["name"].as_str().expect("a name")).collect();
        assert_eq!(Some(on.clone()), release.list("active"), "{version}");
        if let Some(list) = release.list("documented") {
            documented += 1;
            let set = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
            assert_eq!(set(on), set(list), "{version}");
        }
    }
    assert_eq!(documented, 1);
}
