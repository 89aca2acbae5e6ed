//! The list that is a KRM function's input and output.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::code::Code;
use kube_api::Value;

use crate::report::Diagnostic;
use crate::report::krm::ItemReference;
use gotext::source::{Data, Node, SourceFile};
use gotext::value::{Map, json};

/// Annotations that kustomize and kpt use to identify items; they are not sent to servers.
const PREFIXES: [&str; 5] = [
    "internal.config.kubernetes.io/",
    "internal.kpt.dev/",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.kubernetes.io/id",
];

/// The annotation of items that are only for tools.
const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

/// A list that was read.
pub(super) struct ResourceList {
    source: Arc<SourceFile>,
    value: Value,
    is_block: bool,
    pub(super) function_config: Option<Value>,
    /// The items to send to a server, in their files.
    pub(super) files: Vec<File>,
}

/// The items of one file, each a document.
pub(super) struct File {
    pub(super) source: Arc<SourceFile>,
    /// The offset of each item, and its identity.
    items: Vec<(usize, ItemReference)>,
}

/// An item, and the name of its file if it is known.
struct InputItem {
    path: Option<String>,
    text: String,
    reference: ItemReference,
}

impl ResourceList {
    /// Reads the one document in `source`.
    pub(super) fn read(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let mut documents = Vec::new();
        for document in kube_yaml::read(source) {
            documents.push(document.map_err(|error| vec![Diagnostic::from(&error)])?);
        }
        let node = match <[_; 1]>::try_from(documents) {
            Ok([document]) => document.node,
            Err(documents) => {
                let message =
                    format!("standard input has {} documents instead of a ResourceList", documents.len());
                return Err(vec![wrong(message)]);
            }
        };
        if node.get("kind").and_then(Node::as_str) != Some("ResourceList") {
            let message = "standard input is not a ResourceList: its kind is another one";
            return Err(vec![
                wrong(message).help("kustomize and kpt run this command; for manifests use kadmit run"),
            ]);
        }
        let is_block = is_block(&node, source);
        let value = node.into_value();
        let files = match &value["items"] {
            Value::Null => Vec::new(),
            Value::Array(items) => files(items.iter().filter_map(InputItem::of)),
            _ => return Err(vec![wrong("`items` of the ResourceList is not a list".to_owned())]),
        };
        let function_config = Some(value["functionConfig"].clone()).filter(|config| !config.is_null());
        Ok(Self { source: source.clone(), is_block, function_config, files, value })
    }

    /// Returns the list with `results`. If possible, the text is kept, with its comments and its order.
    pub(super) fn with_results(&self, results: &[Value]) -> String {
        let mut value = self.value.clone();
        if results.is_empty() {
            value.as_object_mut().map(|map| map.remove("results"));
        } else {
            value["results"] = Value::Array(results.to_vec().into());
        }
        let is_known = !self.value["results"].is_null();
        let mut text = String::new();
        if self.is_block && !is_known {
            text.push_str(self.source.text());
            if results.is_empty() {
                return text;
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
            // Characters that YAML cannot contain are escaped, as they are when shown.
            let _ = kube_yaml::write_yaml(&json!({"results": (value["results"].clone())}), &mut text);
            if reads_as(&text, &value) {
                return text;
            }
            text.clear();
        }
        let _ = kube_yaml::write_yaml(&value, &mut text);
        text
    }
}

/// Whether keys can be appended after the text of `node`.
fn is_block(node: &Node, source: &SourceFile) -> bool {
    let Data::Object(entries) = &node.data else { return false };
    let is_at_margin = entries.iter().all(|entry| source.line_column(entry.key_span.start).1 == 1);
    is_at_margin && !source.text()[node.span.start..].starts_with('{')
}

fn reads_as(text: &str, expected: &Value) -> bool {
    let source = SourceFile::new("-", text);
    let mut documents = kube_yaml::read(&source);
    let first = documents.next().and_then(Result::ok).map(|document| document.node.into_value());
    first.as_ref() == Some(expected) && documents.next().is_none()
}

impl InputItem {
    /// Returns the item, unless it is only for tools.
    fn of(item: &Value) -> Option<Self> {
        let annotation = |names: [&str; 2]| {
            let annotations = &item["metadata"]["annotations"];
            names.into_iter().find_map(|name| annotations[name].as_str().map(str::to_owned))
        };
        if annotation([LOCAL_CONFIG; 2]).as_deref() == Some("true") {
            return None;
        }
        let path = annotation(["internal.config.kubernetes.io/path", "config.kubernetes.io/path"]);
        let position = annotation(["internal.config.kubernetes.io/index", "config.kubernetes.io/index"]);
        let mut file = Map::new();
        if let Some(path) = &path {
            file.insert("path", path.as_str().into());
            if let Some(position) = position.and_then(|position| position.parse::<u64>().ok()) {
                file.insert("index", position.into());
            }
        }
        let mut resource = Map::new();
        for (name, value) in [
            ("apiVersion", &item["apiVersion"]),
            ("kind", &item["kind"]),
            ("name", &item["metadata"]["name"]),
            ("namespace", &item["metadata"]["namespace"]),
        ] {
            if let Some(text) = value.as_str().filter(|text| !text.is_empty()) {
                resource.insert(name, text.into());
            }
        }
        let mut sent = item.clone();
        forget_tools(&mut sent);
        let mut text = String::new();
        let _ = kube_yaml::write_yaml(&sent, &mut text);
        Some(Self { path, text, reference: ItemReference { resource, file } })
    }
}

/// Returns the files of `items`, in the order of first use.
fn files(items: impl Iterator<Item = InputItem>) -> Vec<File> {
    let (mut names, mut by_name) = (Vec::new(), BTreeMap::<String, (String, Vec<_>)>::new());
    for item in items {
        let name = item.path.unwrap_or_else(|| "-".to_owned());
        if !by_name.contains_key(&name) {
            names.push(name.clone());
        }
        let (text, items) = by_name.entry(name).or_default();
        if !text.is_empty() {
            text.push_str("---\n");
        }
        items.push((text.len(), item.reference));
        text.push_str(&item.text);
    }
    let file = |name: String| {
        let (text, items) = by_name.remove(&name)?;
        Some(File { source: SourceFile::new(name, text), items })
    };
    names.into_iter().filter_map(file).collect()
}

impl File {
    /// Returns the item at `offset`.
    pub(super) fn item(&self, offset: usize) -> Option<&ItemReference> {
        let before = self.items.partition_point(|(start, _)| *start <= offset);
        self.items[..before].last().map(|(_, item)| item)
    }
}

/// Removes the annotations of kustomize and kpt.
fn forget_tools(item: &mut Value) {
    let Some(metadata) = item.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    let names: Vec<String> = annotations.keys().map(ToString::to_string).collect();
    for name in names.iter().filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix))) {
        annotations.remove(name);
    }
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::input(Code::KrmResourceList, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> ResourceList {
        let read = ResourceList::read(&SourceFile::new("-", text));
        read.unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    const POD: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
# what comes
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web # of the shop
    namespace: shop
    annotations:
      internal.config.kubernetes.io/path: 'web.yaml'
      internal.config.kubernetes.io/index: '1'
- kind: Kptfile
  metadata: {annotations: {config.kubernetes.io/local-config: 'true'}}
";

    #[test]
    fn items_are_sent_without_what_tools_note() {
        let list = list(POD);
        assert_eq!(list.files.len(), 1);
        let file = &list.files[0];
        assert_eq!(file.source.name(), "web.yaml");
        assert_eq!(
            file.source.text(),
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\n"
        );
        let item = file.item(9).expect("an item");
        assert_eq!(Value::Object(item.file.clone()), json!({"path": "web.yaml", "index": 1}));
        assert_eq!(item.resource.get("name"), Some(&Value::from("web")));
    }

    #[test]
    fn results_leave_the_rest_as_it_was() {
        let results = [json!({"message": "a: b", "severity": "error"})];
        let expected = format!("{POD}results:\n- message: 'a: b'\n  severity: error\n");
        assert_eq!(list(POD).with_results(&results), expected);
        assert_eq!(list(POD).with_results(&[]), POD);
    }

    #[test]
    fn results_take_the_place_of_others() {
        let flow = r#"{"kind": "ResourceList", "items": [], "results": [{"message": "old"}]}"#;
        let results = [json!({"message": "new"})];
        assert_eq!(
            list(flow).with_results(&results),
            "items: []\nkind: ResourceList\nresults:\n- message: new\n"
        );
        assert_eq!(list(flow).with_results(&[]), "items: []\nkind: ResourceList\n");
    }

    #[test]
    fn rejects_what_is_no_list() {
        let message =
            |text: &str| ResourceList::read(&SourceFile::new("-", text)).err().unwrap().remove(0).message;
        assert_eq!(message("kind: Pod\n"), "standard input is not a ResourceList: its kind is another one");
        assert_eq!(message(""), "standard input has 0 documents instead of a ResourceList");
        assert_eq!(message("kind: ResourceList\nitems: 1\n"), "`items` of the ResourceList is not a list");
    }
}
