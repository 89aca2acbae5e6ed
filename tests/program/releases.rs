//! Compares the releases of Kubernetes with their sources and documentation.

mod emulation;
mod history;
mod removed_apis;
mod served;

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, process::Command};

use kube_api::version::Version;

use gotext::source::{Data, Node, SourceFile};
use kadmit::plugin::{self, Plugin};

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
    let document = kube_yaml::read(&source).next().expect("a document").expect("valid YAML");
    let Data::Object(entries) = document.node.data else { panic!("a map of releases") };
    let release = |entry: gotext::source::Entry| Release {
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
    assert_eq!(releases.len(), 28);
    assert_eq!(releases.iter().filter(|release| release.proven).count(), 19);
    for release in &releases {
        let version = release.version;
        let plugins = plugin::of_release(version);
        assert_eq!(Some(names(&plugins)), release.list("chain"), "{version}");
        let is_on = |plugin: &&&Plugin| plugin.default_on(version);
        let is_active =
            |plugin: &&&Plugin| plugin.is_active(version, |gate| gate.default_in(version) == Some(true));
        let (active, inert): (Vec<_>, Vec<_>) = plugins.iter().filter(is_on).partition(is_active);
        assert_eq!(Some(names(active)), release.list("active"), "{version}");
        assert_eq!(Some(names(inert)), release.list("inert"), "{version}");
    }
}

#[test]
fn every_release_reads_its_own_configuration_files() {
    let versions = |name: &str, minor| {
        let plugin = plugin::find(name).expect("a plugin");
        let forms = plugin.configurations_in(Version::minor(minor));
        forms
            .map(|form| form.api_version.rsplit('/').next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for minor in 10..=Version::BINARY.minor {
        let pod_security = match minor {
            ..=21 => "",
            22 => "v1alpha1",
            23..=24 => "v1alpha1 v1beta1",
            25.. => "v1alpha1 v1beta1 v1",
        };
        assert_eq!(versions("PodSecurity", minor), pod_security, "1.{minor}");
        let resource_quota = match minor {
            ..=11 => "v1alpha1",
            12..=16 => "v1alpha1 v1beta1",
            17.. => "v1alpha1 v1beta1 v1",
        };
        assert_eq!(versions("ResourceQuota", minor), resource_quota, "1.{minor}");
        let webhooks = match minor {
            ..=16 => "v1alpha1",
            17..=35 => "v1alpha1 v1",
            36.. => "v1",
        };
        assert_eq!(versions("MutatingAdmissionWebhook", minor), webhooks, "1.{minor}");
        assert_eq!(versions("ValidatingAdmissionWebhook", minor), webhooks, "1.{minor}");
        let policies = if minor < 36 { "" } else { "v1" };
        assert_eq!(versions("ValidatingAdmissionPolicy", minor), policies, "1.{minor}");
        assert_eq!(versions("EventRateLimit", minor), "v1alpha1", "1.{minor}");
    }
}

/// `kadmit plugins` prints the table, which agrees with the documentation, if there is any.
#[test]
fn the_program_prints_the_defaults_of_every_proven_release() {
    let mut documented = 0;
    for release in releases().iter().filter(|release| release.proven) {
        let version = release.version.to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["plugins", "--kubernetes-version", &version, "-o", "json"])
            .output()
            .expect("the program runs");
        let plugins: Vec<gotext::value::Value> = serde_json::from_slice(&output.stdout).expect("JSON");
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

/// The report names its release; a plugin whose gate is off in it does not run.
#[test]
fn the_report_names_the_release() {
    let report = |version: &str, gates: &str| -> gotext::value::Value {
        let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["run", "--kubernetes-version", version, "--feature-gates", gates, "-o", "json"])
            .arg("testdata/quickstart/manifests/orders.yaml")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the program runs");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let holds_pods = |report: &gotext::value::Value| {
        report["plugins"].as_array().expect("a chain").iter().any(|plugin| plugin == "PodSecurity")
    };
    let off = report("v1.22.17", "");
    assert_eq!(off["kubernetesVersion"], "1.22");
    assert!(!holds_pods(&off));
    assert!(holds_pods(&report("1.22", "PodSecurity=true")));
    assert!(holds_pods(&report("1.23", "")));
}
