//! `--cache`: what a run knows from earlier ones changes nothing but the time.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::scratch::Scratch;

/// The number of random edits in the suite; `KADMIT_EDITS` sets another one, and `KADMIT_SEED` another sequence of them.
const EDITS: u64 = 8;

const NAMESPACES: usize = 6;

/// The formats that a cache can be used with.
const FORMATS: [&str; 13] = [
    "admissionreview",
    "blame",
    "github",
    "gitlab",
    "json",
    "jsonl",
    "junit",
    "markdown",
    "policyreport",
    "sarif",
    "tap",
    "text",
    "yaml",
];

/// A number generator that gives the same edits everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(count).expect("small")).expect("small")
    }
}

/// Returns a document about `app` in `namespace`, of a kind and with values that `choice` determines.
fn document(namespace: usize, app: usize, choice: usize) -> String {
    let metadata = format!("metadata: {{name: a{app}, namespace: team-{namespace}}}");
    let template =
        "template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: main, image: nginx}]}";
    let own = choice / 12;
    match choice % 12 {
        0 => format!("apiVersion: v1\nkind: ConfigMap\n{metadata}\ndata: {{n: '{own}'}}\n"),
        1 => format!(
            "apiVersion: v1\nkind: Service\n{metadata}\nspec: {{ports: [{{port: {}}}]}}\n",
            80 + own % 9
        ),
        2 => format!(
            "apiVersion: v1\nkind: Service\n{metadata}\nspec: {{clusterIP: 10.96.0.{}, ports: [{{port: 80}}]}}\n",
            40 + own % 4
        ),
        3 => format!("apiVersion: v1\nkind: Secret\n{metadata}\nstringData: {{key: hunter{own}}}\n"),
        4 => format!(
            "apiVersion: v1\nkind: Pod\n{metadata}\nspec: {{containers: [{{name: m, image: i, resources: {{limits: {{cpu: {}}}}}}}]}}\n",
            own % 4
        ),
        5 => format!(
            "apiVersion: v1\nkind: LimitRange\n{metadata}\nspec: {{limits: [{{type: Container, max: {{cpu: {}}}}}]}}\n",
            1 + own % 3
        ),
        6 => format!(
            "apiVersion: v1\nkind: ResourceQuota\n{metadata}\nspec: {{hard: {{pods: {}, services: 1}}}}\n",
            1 + own % 6
        ),
        7 => format!("apiVersion: example.com/v1\nkind: Backup\n{metadata}\nspec: {{keep: {own}}}\n"),
        8 => format!("apiVersion: v1\nkind: Pod\n{metadata}\nspec: {{containers: []}}\n"),
        9 => format!(
            "apiVersion: batch/v1\nkind: Job\n{metadata}\nspec:\n  {}\n",
            template.replace("nginx}]", "nginx}], restartPolicy: Never")
        ),
        10 if own.is_multiple_of(3) => "broken: [\n".to_owned(),
        _ => format!(
            "apiVersion: apps/v1\nkind: Deployment\n{metadata}\nspec:\n  replicas: {}\n  selector: {{matchLabels: {{app: \
             a}}}}\n  {template}\n",
            own % 5
        ),
    }
}

/// Returns the documents of the cluster.
fn shared(most: usize, level: &str) -> String {
    let mut text = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: most}}\nspec:\n  \
         matchConstraints:\n    resourceRules:\n    - {{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], \
         resources: [deployments]}}\n  validations:\n  - expression: object.spec.replicas <= {most}\n---\napiVersion: \
         admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: most}}\nspec: \
         {{policyName: most, validationActions: [Deny]}}\n---\napiVersion: apiextensions.k8s.io/v1\nkind: \
         CustomResourceDefinition\nmetadata: {{name: backups.example.com}}\nspec:\n  group: example.com\n  scope: \
         Namespaced\n  names: {{kind: Backup, plural: backups}}\n  versions:\n  - name: v1\n    served: true\n    storage: \
         true\n    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}\n"
    );
    for namespace in 0..NAMESPACES - 1 {
        write!(
            text,
            "---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: team-{namespace}, labels: \
             {{pod-security.kubernetes.io/warn: {level}}}}}\n"
        )
        .expect("writing to a string does not fail");
    }
    text
}

/// Manifests that are edited.
struct Manifests {
    directory: PathBuf,
    /// The documents of each file: its namespaces, names and choices.
    files: Vec<Vec<(usize, usize, usize)>>,
    most: usize,
    level: usize,
}

impl Manifests {
    fn new(directory: &Path, dice: &mut Dice) -> Self {
        let document = |dice: &mut Dice, file: usize| (file % NAMESPACES, dice.below(40), dice.below(1200));
        let file = |file: usize| (0..8).map(|_| document(dice, file)).collect();
        let files = (0..2 * NAMESPACES).map(file).collect();
        let manifests = Self { directory: directory.to_owned(), files, most: 3, level: 0 };
        manifests.write();
        manifests
    }

    fn write(&self) {
        fs::create_dir_all(&self.directory).expect("a directory");
        for (number, documents) in self.files.iter().enumerate() {
            let texts = documents.iter().map(|(namespace, app, choice)| document(*namespace, *app, *choice));
            let text = texts.collect::<Vec<_>>().join("---\n");
            fs::write(self.directory.join(format!("{number:02}.yaml")), text).expect("a file");
        }
        let level = ["restricted", "baseline"][self.level % 2];
        fs::write(self.directory.join("cluster.yaml"), shared(self.most, level)).expect("a file");
    }

    /// Changes, adds or removes something.
    fn edit(&mut self, dice: &mut Dice) {
        match dice.below(12) {
            0 => self.most = 1 + dice.below(4),
            1 => self.level += 1,
            2 => {
                let file = dice.below(self.files.len());
                let (namespace, app, choice) = (dice.below(NAMESPACES), dice.below(40), dice.below(1200));
                self.files[file].push((namespace, app, choice));
            }
            3 => {
                let file = dice.below(self.files.len());
                self.files[file].pop();
            }
            _ => {
                let file = dice.below(self.files.len());
                let position = dice.below(8);
                if let Some((_, _, choice)) = self.files[file].get_mut(position) {
                    *choice = dice.below(1200);
                }
            }
        }
        self.write();
    }
}

fn start(directory: &Path, outputs: &Path, flags: &[&str]) -> Child {
    fs::create_dir_all(outputs).expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
    command.current_dir(directory).env("SOURCE_DATE_EPOCH", "0").args(["run", "manifests"]).args(flags);
    for format in FORMATS {
        command.arg("-o").arg(format!("{format}={}", outputs.join(format).display()));
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program to run")
}

/// Returns all that the run says, without the time that it took.
fn said(output: &Output, outputs: &Path) -> Vec<(String, String)> {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut said = vec![("status".to_owned(), format!("{:?}", output.status)), ("stderr".to_owned(), error)];
    for format in FORMATS {
        let text = fs::read_to_string(outputs.join(format)).expect("a report");
        let untimed = |line: &str| match line.strip_suffix(" ms").and_then(|line| line.rsplit_once("; ")) {
            Some((rest, _)) => format!("{rest}\n"),
            None => format!("{line}\n"),
        };
        said.push((format.to_owned(), text.lines().map(untimed).collect()));
    }
    said
}

fn run(directory: &Path, flags: &[&str]) -> Vec<(String, String)> {
    let outputs = directory.join("outputs");
    let output = start(directory, &outputs, flags).wait_with_output().expect("it ends");
    assert!(output.status.code().is_some_and(|code| code < 3), "{}", String::from_utf8_lossy(&output.stderr));
    said(&output, &outputs)
}

fn assert_same(cached: &[(String, String)], fresh: &[(String, String)], when: &str) {
    for ((what, cached), (_, fresh)) in cached.iter().zip(fresh) {
        assert!(cached == fresh, "{when}: {what} differs:\n{}", first_difference(cached, fresh));
    }
}

fn first_difference(one: &str, other: &str) -> String {
    let pair = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    pair.map_or_else(|| "one is longer".to_owned(), |(one, other)| format!("{one}\n{other}"))
}

/// Returns the names and sizes of the files in the cache.
fn packs(cache: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(cache).expect("a cache").map(|entry| entry.expect("an entry"));
    let mut packs: Vec<_> =
        entries.map(|entry| (entry.path(), entry.metadata().expect("metadata").len())).collect();
    packs.sort();
    packs
}

#[test]
fn cached_answers_are_those_of_a_fresh_run() {
    let scratch = Scratch::new("cache-edits");
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let edits = number("KADMIT_EDITS").unwrap_or(EDITS);
    let mut dice = Dice(number("KADMIT_SEED").unwrap_or(0x9E37_79B9_7F4A_7C15));
    let mut manifests = Manifests::new(&scratch.join("manifests"), &mut dice);
    for edit in 0..=edits {
        let fresh = run(&scratch, &[]);
        assert_same(&run(&scratch, &["--cache", "cache"]), &fresh, &format!("edit {edit}"));
        assert_same(&run(&scratch, &["--cache", "cache"]), &fresh, &format!("edit {edit}, again"));
        manifests.edit(&mut dice);
    }
    assert!(!packs(&scratch.join("cache")).is_empty());
}

#[test]
fn only_what_changed_is_evaluated() {
    let scratch = Scratch::new("cache-changes");
    let (directory, cache) = (scratch.join("manifests"), scratch.join("cache"));
    let mut files: Vec<Vec<_>> =
        (0..NAMESPACES).map(|space| (0..20).map(|app| (space, app, 23)).collect()).collect();
    files.push(vec![(0, 90, 5), (0, 91, 0)]);
    let mut manifests = Manifests { directory, files, most: 4, level: 0 };
    manifests.write();
    let evaluated = |edited: &Manifests| {
        edited.write();
        let before = packs(&cache);
        run(&scratch, &["--cache", "cache"]);
        let new: Vec<u64> =
            packs(&cache).into_iter().filter(|pack| !before.contains(pack)).map(|(_, size)| size).collect();
        new.iter().sum::<u64>()
    };
    fs::create_dir_all(&cache).expect("a directory");
    let all = evaluated(&manifests);
    assert_eq!(evaluated(&manifests), 0, "nothing changed");
    manifests.files[1][3].2 += 12;
    let one = evaluated(&manifests);
    assert!(one > 0 && one < all / 3, "one namespace: {one} of {all}");
    // A LimitRange.
    manifests.files[NAMESPACES][0].2 += 12;
    let one = evaluated(&manifests);
    assert!(one > 0 && one < all / 3, "the limits of one namespace: {one} of {all}");
    manifests.most = 2;
    let every = evaluated(&manifests);
    assert!(every > all / 2, "a policy for all: {every} of {all}");
}

#[test]
fn damaged_and_foreign_files_are_not_used() {
    let scratch = Scratch::new("cache-damage");
    let cache = scratch.join("cache");
    Manifests::new(&scratch.join("manifests"), &mut Dice(7));
    let fresh = run(&scratch, &["--cache", "cache"]);
    let written = packs(&cache);
    assert_eq!(written.len(), 1);
    let (pack, bytes) = (&written[0].0, fs::read(&written[0].0).expect("a pack"));
    let mut changed = bytes.clone();
    changed[bytes.len() / 3] ^= 1;
    let mut renamed = pack.clone().into_os_string().into_string().expect("UTF-8");
    renamed.insert(renamed.len() - 10, '0');
    for (what, content) in [
        ("changed", &changed[..]),
        ("half", &bytes[..bytes.len() / 2]),
        ("empty", b""),
        ("foreign", b"apiVersion: v1\n"),
        ("short", &bytes[..39]),
    ] {
        fs::write(pack, content).expect("a file");
        fs::write(&renamed, &bytes).expect("a file");
        assert_same(&run(&scratch, &["--cache", "cache"]), &fresh, what);
        assert_eq!(fs::read(pack).expect("a pack"), bytes, "{what}: it is written again");
    }
}

#[test]
fn runs_share_a_cache_of_a_limited_size() {
    let scratch = Scratch::new("cache-shared");
    let cache = scratch.join("cache");
    Manifests::new(&scratch.join("manifests"), &mut Dice(11));
    let fresh = run(&scratch, &[]);
    let runs: Vec<_> = (0..3)
        .map(|number| scratch.join(format!("outputs-{number}")))
        .map(|outputs| (start(&scratch, &outputs, &["--cache", "cache"]), outputs))
        .collect();
    for (child, outputs) in runs {
        let output = child.wait_with_output().expect("it ends");
        assert_same(&said(&output, &outputs), &fresh, "at once");
    }
    let written = packs(&cache);
    assert_eq!(written.len(), 1, "the same results have the same name: {written:?}");
    assert_same(&run(&scratch, &["--cache", "cache", "--cache-size", "1Ki"]), &fresh, "a small cache");
    assert_eq!(packs(&cache), []);
}
