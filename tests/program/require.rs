//! What `kadmit require` prints suffices, and nothing of it can be left out.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::scratch::Scratch;

/// Manifests, the cluster that lacks something for them, and its distribution.
const INPUTS: &[(&str, &str, &str)] = &[
    ("testdata/cli/input/require/shop.yaml", "testdata/cli/input/require/cluster.yaml", "kubernetes"),
    ("testdata/quickstart/manifests", "testdata/quickstart/cluster", "kubernetes"),
    ("testdata/cli/input/workloads.yaml", "testdata/cli/input/require/cluster.yaml", "kubernetes"),
    #[cfg(feature = "openshift")]
    ("testdata/cli/input/fix/scc.yaml", "testdata/cli/input/require/project.yaml", "openshift"),
];

/// The omissions that are tried for each input.
const OMISSIONS: usize = 8;

fn kadmit(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).args(["--as", "jane", "--no-settings"]);
    let output = command.output().expect("the program runs");
    assert!(output.status.code().is_some_and(|code| code < 2), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn require(manifests: &str, distribution: &str, clusters: &[&str]) -> Value {
    let clusters = clusters.iter().flat_map(|cluster| ["--cluster", cluster]);
    let arguments = ["require", manifests, "--distribution", distribution, "-o", "json"];
    kadmit(&arguments.into_iter().chain(clusters).collect::<Vec<_>>())
}

fn manifests(required: &Value) -> Vec<Value> {
    let manifests = required["manifests"].as_array().expect("a list");
    manifests.iter().map(|manifest| manifest["manifest"].clone()).collect()
}

fn write(file: &Path, manifests: &[Value]) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": manifests});
    fs::write(file, list.to_string()).expect("a file");
}

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % count
    }
}

/// Leaves out a manifest, or a verb or resource of a rule.
fn leave_one_out(manifests: &mut Vec<Value>, dice: &mut Dice) -> String {
    let index = dice.below(manifests.len());
    let Some(rules) = manifests[index].get_mut("rules").and_then(Value::as_array_mut) else {
        return manifests.remove(index).to_string();
    };
    let rule = dice.below(rules.len());
    let list = ["verbs", "resources"][dice.below(2)];
    let items = rules[rule][list].as_array_mut().expect("a list");
    let item = dice.below(items.len());
    items.remove(item).to_string()
}

#[test]
fn what_is_required_suffices_and_is_needed() {
    let scratch = Scratch::new("require");
    let granted = scratch.join("granted.json");
    let name = granted.to_str().expect("text");
    let mut dice = Dice(37);
    for &(input, cluster, distribution) in INPUTS {
        let required = require(input, distribution, &[cluster]);
        let all = manifests(&required);
        assert!(!all.is_empty(), "{input}");
        write(&granted, &all);
        let again = require(input, distribution, &[cluster, name]);
        assert_eq!(again["required"], json!([]), "{input}");
        assert_eq!(again["admitted"], required["admitted"], "{input}");
        let run = [
            "run",
            input,
            "--cluster",
            cluster,
            "--cluster",
            name,
            "--authorization-mode",
            "RBAC",
            "--distribution",
            distribution,
            "-o",
            "json",
        ];
        let refused = required["refused"].as_array().expect("a list").len();
        assert_eq!(kadmit(&run)["summary"]["denied"], refused, "{input}");
        for _ in 0..OMISSIONS {
            let mut fewer = all.clone();
            let left_out = leave_one_out(&mut fewer, &mut dice);
            write(&granted, &fewer);
            let lacking = require(input, distribution, &[cluster, name]);
            assert_ne!(lacking["required"], json!([]), "{input} does not need {left_out}");
        }
    }
}
