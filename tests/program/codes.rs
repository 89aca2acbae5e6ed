//! The page of the codes of diagnostics is the program's, and its examples are what the program prints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use kadmit::report::{Code, Severity};

use crate::golden;

/// The message of a diagnostic with each code, without `kadmit::`: one that a session in `testdata/cli` shows, or that
/// another test expects.
const EXAMPLES: [(&str, &str); 83] = [
    ("baseline", "--update-baseline needs the name of a file"),
    (
        "baseline::gone",
        "3 findings of the baseline are gone; run --update-baseline to record that in baseline.json",
    ),
    ("baseline::written", "wrote b.json: 1 finding, 1 new, 0 gone"),
    ("cache", "cannot use input/list.yaml as a cache: File exists (os error 17)"),
    ("cluster::assumed", "assumed namespace \"shop\" (not among the cluster objects)"),
    ("cluster::empty", "there is no object in input/order/list.yaml, which --cluster names"),
    ("cluster::ignored", "unknown field \"spec.hardd\""),
    ("cluster::object", "no matches for kind \"Prometheus\" in version \"monitoring.coreos.com/v1\""),
    (
        "comparison::incomparable",
        "both sides refuse ConfigMap default/settings before the chain sees it, so nothing is known of what changes for it: configmaps \"settings\" already exists",
    ),
    ("configuration", "enable-admission-plugins plugin \"PodSecurty\" is unknown"),
    (
        "configuration::note",
        "every user may use every SecurityContextConstraint; --authorization-mode RBAC asks the roles",
    ),
    ("coverage::low", "66.7 % of the policies is covered (10 of 15), less than the 90 % of --fail-under"),
    ("drift::generated_name", "left out, as its name is generated: it is another object each time"),
    ("drift::repeated", "left out 1 manifest whose objects a later document defines again"),
    ("eval::assumed", "assumed namespace \"shop\" (not among the objects of --cluster)"),
    ("eval::object", "there is no ResourceSlice with devices"),
    ("fail_on", "the run fails by --fail-on warning: 1 warning"),
    ("fix::write", "- is not a file, so that its edits cannot be written"),
    ("input::address", "https://example.com/web.yaml is not read: kadmit opens no connection for manifests"),
    (
        "input::chart",
        "left out input/repository/chart, a chart: helm template input/repository/chart | kadmit run -",
    ),
    ("input::controlled", "left 1 Node of the dump as they are"),
    ("input::empty", "nothing was evaluated: there is no document in the input"),
    (
        "input::kustomization",
        "left out input/mixed/kustomization.yaml, a kustomization: kubectl kustomize input/mixed | kadmit run -",
    ),
    (
        "input::no_file",
        "left out ./zero.yaml: the link leads out of the directory; a file that is named is read",
    ),
    ("input::no_manifest", "left out input/mixed/values.yaml:1: it has neither `apiVersion` nor `kind`"),
    ("input::no_match", "`input/*.yamlx` matches no file"),
    ("input::no_path", "there is nothing to evaluate: no PATH is given"),
    ("input::pattern", "`input/[a` is not a pattern: invalid range pattern"),
    ("input::recursive", "-R applies to the directories of -f, and there is no -f"),
    ("input::shard", "no document belongs to shard 2/2: others evaluate 1 document"),
    ("input::unreadable", "cannot read input/rare/nothing.json: No such file or directory (os error 2)"),
    ("input::watch", "standard input cannot be watched"),
    ("krm::function_config", "the functionConfig has `clusters`, which is not a flag"),
    ("krm::resource_list", "standard input is not a ResourceList: its kind is another one"),
    ("kubectl::refused", "from settings-: cannot use generate name with apply"),
    ("library::object", "key must be a string"),
    ("lsp", "the session broke off: disconnected channel"),
    ("lsp::recreate", "`recreate` is for a dump of a cluster, which no editor writes"),
    ("lsp::standard_input", "an editor has no standard input: `-` cannot be read"),
    ("manifest::depth", "exceeded max depth of 500"),
    ("manifest::duplicate_key", "key \"color\" already set in map"),
    ("manifest::json", "json: offset 5: invalid character '/' looking for beginning of object key string"),
    ("manifest::separator", "invalid Yaml document separator: a: b"),
    ("manifest::unreadable", "cannot read input/many/d.yml: No such file or directory (os error 2)"),
    ("manifest::utf8", "input/broken/latin1.yaml is not UTF-8 text: line 4, byte 52 of the file"),
    ("manifest::yaml", "yaml: line 5: mapping values are not allowed in this context"),
    ("only", "--only Widget: there is no object of that kind"),
    ("output", "cannot write no/such/directory/report.xml: No such file or directory (os error 2)"),
    ("output::refused", "left out of the report, since they are refused: Pod shop/report"),
    ("plugin::unknown", "there is no admission plugin \"PodSecurty\""),
    (
        "policy",
        "no matches for kind \"MutatingAdmissionPolicy\" in version \"admissionregistration.k8s.io/v1beta1\"",
    ),
    ("policy::cost", "limits: spec.validations[1].expression costs 12, it was 9"),
    ("policy::failed_open", "ValidatingAdmissionPolicy lenient failed, and let 1 request pass"),
    ("policy::idle", "there is no resource \"pod\" in v1, did you mean \"pods\"?"),
    (
        "policy::trial",
        "no binding names the ValidatingAdmissionPolicy \"images\": it is tried as if bound to everything with Deny",
    ),
    (
        "policy::types",
        "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:4: undefined field 'label'",
    ),
    ("replay::difference", "1 × create serviceaccounts: metadata.labels"),
    ("replay::log", "a line is not JSON, or is cut: 2 ×, first at input/audit/damaged.jsonl:4"),
    ("replay::suite", "not written, as its answer is another one with other names"),
    (
        "report::different",
        "input/stored/payments.jsonl and input/other/payments.jsonl have different results for 1 object, such as that at ../quickstart/manifests/worker.yaml:1",
    ),
    (
        "report::quota",
        "the quota shop/team is not the same at the beginning of input/rare/first.jsonl and input/rare/second.jsonl",
    ),
    ("report::result", "input/list.yaml:1: this is not a result of a run: expected value"),
    ("request::admission_review", "`request.operation` of the AdmissionReview cannot be \"PATCH\""),
    ("request::missing_field", "`kind` is missing"),
    ("request::not_an_object", "this is not an object: a manifest is a map with apiVersion and kind"),
    ("request::unknown_kind", "no matches for kind \"Shop\" in version \"example.com/v1\""),
    ("secret::masked", "values of Secrets are masked; --show-secrets prints them"),
    ("serve", "other machines may reach 10.0.0.1:0"),
    ("settings", "there is no setting `namspace`"),
    ("settings::file", "the settings are those of kadmit.toml"),
    ("settings::unmatched", "this override has no effect: its patterns fit no file of the input"),
    ("skip::expired", "the skip of PodSecurity expired on 2026-12-31: watches the host"),
    ("skip::no_reason", "`kadmit.dev/skip` skips PodSecurity without a reason"),
    ("skip::unknown_plugin", "`kadmit.dev/skip` names \"podsecurity\", which is not a plugin"),
    ("skip::unmatched", "the skip of PodSecurity matches nothing: not ours"),
    ("suite::empty", "input/rare/empty.kadmit-test.yaml is empty"),
    ("suite::flags", "unexpected argument '--enable-admision-plugins' found"),
    ("suite::format", "the case \"nothing is expected\" expects nothing"),
    ("suite::no_case", "no case has a name with \"nobody calls a case that\" in it"),
    ("suite::not_as_expected", "allowed of Pod shop/agent is not as expected"),
    ("suite::scenario", "a suite cannot express --order"),
    ("suite::update", "cannot be updated: there is no longer an answer about Pod shop/other"),
    ("usage", "there is no command \"validate\""),
];

/// The tests that expect messages which no session can show: they need another program, or files that are written or not
/// regular.
const ASSERTING: [&str; 5] = [
    include_str!("acceptance.rs"),
    include_str!("cli.rs"),
    include_str!("lsp/settings.rs"),
    include_str!("suites.rs"),
    include_str!("../../src/api_server/tests.rs"),
];

/// The codes without an example: of `kadmit mcp`, which is a feature, of a terminal, and of inputs that are rare.
const NO_EXAMPLE: [&str; 3] = ["input::terminal", "mcp", "require::unproved"];

#[test]
fn the_page_of_diagnostics_is_the_programs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let mut text = "# Diagnostics\n\n\
        What is wrong with the input, what has no effect, and what was assumed. Each has a code, which reports for programs show, \
        and\n`kadmit explain CODE` explains. Errors end a run with exit status 2. This page is written by\n\
        `KADMIT_UPDATE=1 cargo test`.\n"
        .to_owned();
    let examples: BTreeMap<&str, &str> = EXAMPLES.into_iter().collect();
    for code in Code::ALL {
        let severity = match code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let (meaning, remedy) = (with_code(code.meaning()), with_code(code.remedy()));
        write!(text, "\n## {}\n\n*{severity}* — {meaning}\n\n{remedy}\n", code.name())
            .expect("memory can be written");
        let name = code.name().trim_start_matches("kadmit::");
        match examples.get(name) {
            Some(example) => write!(text, "\n```text\n{example}\n```\n").expect("memory can be written"),
            None => assert!(NO_EXAMPLE.contains(&name), "{name} has no example"),
        }
    }
    golden::compare(text, &page);
}

/// Returns `text` with its flags as code, unless they are already.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(position, part)| {
        if position % 2 == 1 {
            return format!("`{part}`");
        }
        let words = part.split(' ').map(|word| {
            let flag = word.trim_end_matches([',', ';', ':', '.']);
            if flag.starts_with("--") || flag == "-R" || flag == "-f" {
                format!("`{flag}`{}", &word[flag.len()..])
            } else {
                word.to_owned()
            }
        });
        words.collect::<Vec<_>>().join(" ")
    });
    parts.collect()
}

#[test]
fn examples_of_diagnostics_are_in_sessions_and_tests() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cli");
    let mut sessions = String::new();
    for file in fs::read_dir(directory).expect("a directory") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            sessions += &in_one_line(&fs::read_to_string(path).expect("a session"));
        }
    }
    for (name, example) in EXAMPLES {
        // As it is written in a test.
        let asserted = format!("{example:?}").trim_matches('"').to_owned();
        let is_asserted = ASSERTING.iter().any(|test| test.contains(&asserted));
        assert!(sessions.contains(example) || is_asserted, "{name}: {example}");
        assert!(!NO_EXAMPLE.contains(&name), "{name} has an example");
    }
}

/// Returns the text of a session without the frame of its messages and the ends of its lines.
fn in_one_line(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.trim_start_matches("! ").trim_start_matches('!').trim_start();
        line.trim_start_matches(['│', '×', '⚠']).trim()
    });
    lines.collect::<Vec<_>>().join(" ")
}
