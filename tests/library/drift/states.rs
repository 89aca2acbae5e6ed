//! The states of the recorded scenarios after each step, and how they differ from their manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gotext::source::SourceFile;
use gotext::value::json;
use kadmit::report::drift::{Drift, DriftedObject, State};
use kadmit::{ApiServer, Apply, ApplyOptions, DriftOptions, Order, RequestDefaults, Value};
use kube_api::GroupVersionKind;

/// A state of a cluster, and the manifests that led to it.
pub(crate) struct Applied {
    pub(crate) name: String,
    flags: Vec<String>,
    manifests: Vec<Arc<SourceFile>>,
    pub(crate) live: Vec<Value>,
    options: ApplyOptions,
    namespace: Option<String>,
}

pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the states of all scenarios after each step, as the next step found them; that of the last step follows from
/// the server's answers.
pub(crate) fn states() -> Vec<Applied> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the scenarios")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let is_scenario = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "yaml");
    files.iter().filter(is_scenario).flat_map(|file| of_scenario(file)).collect()
}

fn of_scenario(file: &Path) -> Vec<Applied> {
    let source = SourceFile::new("scenario.yaml", fs::read_to_string(file).expect("a scenario"));
    let scenario = kube_yaml::read(&source).next().expect("a document").expect("YAML").node.into_value();
    let expected = list(&scenario["expect"], "steps");
    let mut after: Vec<Vec<Value>> =
        expected.iter().skip(1).map(|next| list(next, "before").to_vec()).collect();
    after.extend(expected.last().map(at_the_end));
    let steps = list(&scenario, "steps").iter().enumerate().zip(after);
    let states = steps.filter_map(|((position, step), live)| {
        let apply = match text(step, "apply") {
            "client-side" | "create" => Apply::ClientSide,
            "server-side" => Apply::ServerSide,
            "replace" => Apply::Replace,
            _ => return None,
        };
        let arguments: Vec<&str> = list(step, "args").iter().filter_map(Value::as_str).collect();
        let namespace = arguments.iter().position(|argument| *argument == "-n");
        let mut options = ApplyOptions::default();
        options.apply = apply;
        options.force_conflicts = arguments.contains(&"--force-conflicts");
        let files = step.get("files").and_then(Value::as_object).into_iter().flatten();
        let flags = scenario.get("server").map(|server| list(server, "flags")).unwrap_or_default();
        Some(Applied {
            name: format!("{} {}", file.file_stem()?.to_string_lossy(), position + 1),
            flags: flags.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            manifests: files
                .map(|(name, text)| SourceFile::new(&**name, text.as_str().unwrap_or_default()))
                .collect(),
            live,
            options,
            namespace: namespace.and_then(|at| arguments.get(at + 1)).map(|name| (*name).to_owned()),
        })
    });
    states.collect()
}

/// Returns what existed at the end of the last step: what was there before it, with the server's answers in it, and with
/// what became of their objects.
fn at_the_end(step: &Value) -> Vec<Value> {
    let identity = |object: &Value| {
        let kind = GroupVersionKind::from_api_version(text(object, "apiVersion"), text(object, "kind"));
        let metadata = &object["metadata"];
        (kind.group_kind(), text(metadata, "namespace").to_owned(), text(metadata, "name").to_owned())
    };
    let before = list(step, "before").iter();
    let mut live: BTreeMap<_, Value> = before.map(|object| (identity(object), object.clone())).collect();
    let is_written = |answer: &&Value| ["created", "configured"].contains(&text(answer, "result"));
    let answers = list(step, "objects").iter().filter(is_written).filter_map(|answer| answer.get("object"));
    for written in answers.chain(list(step, "final")) {
        let mut written = written.clone();
        if let Some(known) = live.get(&identity(&written)) {
            // Answers are recorded without what a server counts.
            for field in ["uid", "resourceVersion", "creationTimestamp", "generation"] {
                if let Some(value) = known["metadata"].get(field) {
                    written["metadata"][field] = value.clone();
                }
            }
        }
        live.insert(identity(&written), written);
    }
    let vanished: Vec<&str> = list(step, "vanished").iter().filter_map(Value::as_str).collect();
    let name = |object: &Value| {
        let metadata = &object["metadata"];
        format!("{} {}/{}", text(object, "kind"), text(metadata, "namespace"), text(metadata, "name"))
    };
    live.into_values().filter(|object| !vanished.contains(&&*name(object))).collect()
}

impl Applied {
    /// Compares `live` objects with the manifests.
    pub(crate) fn drift_of(&self, live: &[Value]) -> Drift {
        let server = ApiServer::from_flags(&self.flags).expect("it starts").following_workloads(false);
        let dump = json!({"apiVersion": "v1", "kind": "List", "items": live.to_vec()});
        let cluster = server.cluster(&[SourceFile::new("live.json", dump.to_string())]).expect("a cluster");
        let mut defaults = RequestDefaults::of_release(server.release());
        defaults.apply = Arc::new(self.options.clone());
        if let Some(namespace) = &self.namespace {
            defaults.namespace.clone_from(namespace);
        }
        cluster.in_order(Order::File).drift_with(&self.manifests, &defaults, DriftOptions::default())
    }
}

/// Returns what differs, one line for each field, and for each object in another state.
pub(crate) fn differences(drift: &Drift) -> Vec<String> {
    let object = |object: &DriftedObject| {
        let identity = object.identity.to_string();
        let state = match object.state {
            State::Refused => Some("refused"),
            State::Missing => Some("missing"),
            State::Extra => Some("extra"),
            _ => None,
        };
        let state: Vec<String> = state.iter().map(|state| format!("{identity} {state}")).collect();
        let fields = object.fields.iter().map(|field| {
            let managers: Vec<&str> = field.writers.iter().map(|writer| &*writer.manager).collect();
            format!("{identity} {} by {}", field.path, managers.join(" "))
        });
        state.into_iter().chain(fields.collect::<Vec<_>>())
    };
    drift.objects.iter().flat_map(object).collect()
}
