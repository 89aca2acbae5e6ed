//! The records, and a server that answers them again.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use gotext::source::{Data, Node, SourceFile};
use gotext::value::json;
use kadmit::admission::{Operation, UserInfo};
use kadmit::cluster::{Cluster, Fixture};
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Prepared, Request};
use kadmit::plugin;
use kube_api::decode::FieldValidation;
use kube_api::{GroupVersionResource, Name, Value, resource};
use kube_registry::NOW;
use rayon::prelude::*;

use super::difference::{self, Difference};

/// A body and the answer of a server.
pub(super) struct Record {
    /// Release, file, and number in it.
    pub(super) name: String,
    pub(super) release: String,
    pub(super) operation: Operation,
    pub(super) resource: GroupVersionResource,
    pub(super) sub_resource: String,
    /// The stored object of an update.
    pub(super) old: Option<Node>,
    pub(super) body: Node,
    pub(super) expect: Value,
}

/// Reads the records below `folder`, one folder per release.
pub(super) fn read_all(folder: &Path) -> Vec<Record> {
    let mut files = Vec::new();
    for release in fs::read_dir(folder).expect("the records are there") {
        let release = release.expect("a readable entry").path();
        let name = release.file_name().expect("a name").to_string_lossy().into_owned();
        if release.is_dir() && name.starts_with("1.") {
            let entries = fs::read_dir(&release).expect("a readable folder");
            files.extend(entries.map(|entry| (name.clone(), entry.expect("a readable entry").path())));
        }
    }
    files.sort();
    files.par_iter().flat_map(|(release, path)| read(release, path)).collect()
}

fn read(release: &str, path: &Path) -> Vec<Record> {
    let bytes = fs::read(path).expect("a readable file");
    let text = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut text).expect("compressed text");
        text
    } else {
        String::from_utf8(bytes).expect("text")
    };
    let file = path.file_name().expect("a name").to_string_lossy();
    let group = file.split(".json").next().unwrap_or_default().to_owned();
    let source = SourceFile::new(path.display().to_string(), format!("{{\"records\": {text}}}"));
    let document = kube_yaml::read(&source).next().expect("a document").expect("the records are JSON");
    let Some(Data::Array(records)) = document.node.get("records").map(|records| records.data.clone()) else {
        panic!("{} has no records", path.display());
    };
    let of = |(number, node): (usize, Node)| {
        let resource = node.get("resource").expect("a resource");
        let part = |field| resource.get(field).and_then(Node::as_str).unwrap_or_default().to_owned();
        let what = node.get("what").and_then(Node::as_str).unwrap_or_default();
        let operation = node.get("operation").and_then(Node::as_str).unwrap_or(Operation::Create.as_str());
        let operation =
            *Operation::ALL.iter().find(|known| known.as_str() == operation).expect("an operation");
        let body = node.get("body").expect("a body").clone();
        let written = body.clone().into_value().to_string();
        let mut old = node.get("old").cloned();
        if let Some(old) = &mut old {
            as_of_now(old, &written);
        }
        let id = node.get("id").and_then(Node::as_str).map_or_else(|| number.to_string(), str::to_owned);
        Record {
            name: format!("{release}/{group}/{id} {what}"),
            release: release.to_owned(),
            operation,
            resource: GroupVersionResource::new(part("group"), part("version"), part("resource")),
            sub_resource: part("subresource"),
            old,
            body,
            expect: node.get("expect").expect("an answer").clone().into_value(),
        }
    };
    records.into_iter().enumerate().map(of).collect()
}

/// Sets times of the stored object `old` that the request does not have to the time of the request, which came in the
/// same second: they are defaults that the server filled in when it read the object.
fn as_of_now(old: &mut Node, body: &str) {
    match &mut old.data {
        Data::String(text) if text.starts_with("2026-11-23T") && !body.contains(&**text) => {
            *text = NOW.into();
        }
        Data::Array(items) => items.iter_mut().for_each(|item| as_of_now(item, body)),
        Data::Object(entries) => entries.iter_mut().for_each(|entry| as_of_now(&mut entry.value, body)),
        _ => {}
    }
}

/// Returns the names of the records that are known not to agree: those in backticks at the start of a row of the table.
pub(super) fn deviations(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    rows.map(|(name, _)| name.to_owned()).collect()
}

/// A server of a release with its own default plugins.
pub(super) struct Server {
    evaluator: Evaluator,
}

impl Server {
    pub(super) fn of(release: &str) -> Self {
        let mut flags = Flags::default();
        for (flag, value) in [
            ("--kubernetes-version", release),
            ("--runtime-config", "api/all=true"),
            ("--service-cluster-ip-range", "10.96.0.0/16"),
        ] {
            assert!(flags.set(flag, value).is_ok_and(|is_known| is_known), "{flag}");
        }
        let profile = Arc::new(flags.profile().expect("gates"));
        let cluster = Arc::new(Cluster::of(flags.distribution, plugin::looks_up));
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
        let account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "shop"},
        });
        for object in [namespace, account] {
            let fixture = Fixture::read(Node::from(object), "shop", &cluster, &profile).expect("an object");
            cluster.put(&fixture.resource, fixture.object);
        }
        let configuration = Configuration::new(&flags, profile.clone(), cluster.clone());
        let configuration = configuration.expect("a configuration");
        let evaluator = Evaluator::new(cluster, configuration.chain, profile, true)
            .authorized_by(configuration.authorizer)
            .serving(flags.runtime_config())
            .with_service_network(flags.service_network.clone())
            .with_openshift(configuration.openshift);
        Self { evaluator }
    }

    /// Returns the differences between the recorded answer and the one given here.
    pub(super) fn differences(&mut self, record: &Record) -> Vec<Difference> {
        let prepared = Prepared::new(request(record), self.evaluator.profile());
        match self.evaluator.evaluate(prepared) {
            Ok(outcome) => difference::all(record, &outcome),
            Err(error) => vec![Difference::new("evaluation", "", error.to_string())],
        }
    }
}

fn request(record: &Record) -> Request {
    let is_namespaced = resource::by_resource(&record.resource).is_none_or(|entry| entry.namespaced);
    let metadata = record.body.get("metadata");
    let text = |field| metadata.and_then(|metadata| metadata.get(field)).and_then(Node::as_str);
    let namespace =
        if is_namespaced { text("namespace").filter(|name| !name.is_empty()).unwrap_or("shop") } else { "" };
    Request {
        place: None,
        operation: Some(record.operation),
        apply: None,
        resource: Some(record.resource.clone()),
        kind: None,
        sub_resource: Name::Owned(record.sub_resource.clone()),
        namespace: Some(namespace.to_owned()),
        name: record.old.as_ref().and_then(|_| text("name")).map(str::to_owned),
        object: Some(record.body.clone()),
        old_object: record.old.clone(),
        options: Some(json!({"fieldValidation": "Warn"})),
        dry_run: true,
        user_info: Arc::new(UserInfo {
            username: "alice".to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..UserInfo::default()
        }),
        field_validation: FieldValidation::Warn,
        strict_errors: Vec::new(),
    }
}
