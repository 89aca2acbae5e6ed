//! Manifests that SOPS encrypted: their values cannot be compared, only which of them there are.

use std::sync::Arc;

use crate::cluster::Cluster;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gotext::source::{Data, Node, SourceFile, Span};
use kube_api::{GroupResource, GroupVersionKind, Object, Value, kinds, resource};

/// The start of an encrypted value.
const ENCRYPTED: &str = "ENC[";

/// The key of what SOPS needs to decrypt a document.
const METADATA: &str = "sops";

/// What is in place of a value that does not exist, as text and in base64.
const ABSENT: [&str; 2] = ["ENC", "RU5D"];

/// Whether SOPS may have encrypted values of `source`.
pub(crate) fn is_encrypted(source: &Arc<SourceFile>) -> bool {
    source.text().contains(ENCRYPTED)
}

/// Returns `source` with the values of live objects in place of those that are encrypted; nothing if none is. All lines
/// stay where they are.
pub(super) fn replaced(
    source: &Arc<SourceFile>,
    namespace: &str,
    cluster: &Cluster,
) -> Option<Arc<SourceFile>> {
    if !is_encrypted(source) {
        return None;
    }
    let mut edits: Vec<(Span, String)> = Vec::new();
    for document in kube_yaml::read(source).flatten() {
        for item in document.unwrap_list() {
            let Data::Object(entries) = &item.node.data else { continue };
            let Some(entry) = entries.iter().find(|entry| entry.key == *METADATA) else { continue };
            if entry.value.get("mac").is_none() {
                continue;
            }
            let whole = Span { start: entry.key_span.start, end: entry.value.span.end };
            let lines = source.text()[whole.start..whole.end].matches('\n').count();
            edits.push((whole, "\n".repeat(lines)));
            let live = live(&item.node, namespace, cluster);
            find(&item.node, "", live.as_deref().map(|live| &live.value), &mut edits);
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(span, _)| span.start);
    let mut text = source.text().to_owned();
    for (span, new) in edits.into_iter().rev() {
        text.replace_range(span.start..span.end, &new);
    }
    Some(SourceFile::new(source.name(), text))
}

/// Returns the object of the manifest `node` as it exists.
fn live(node: &Node, namespace: &str, cluster: &Cluster) -> Option<Arc<Object>> {
    let text = |node: &Node, field: &str| node.get(field).and_then(Node::as_str).map(str::to_owned);
    let metadata = node.get("metadata")?;
    let name = text(metadata, "name")?;
    let kind = GroupVersionKind::from_api_version(&text(node, "apiVersion")?, &text(node, "kind")?);
    let own = text(metadata, "namespace");
    let namespace = own.as_deref().unwrap_or(namespace);
    let (resource, namespaced) = if let Some(found) = resource::by_kind(&kind) {
        (found.group_version_resource().group_resource(), found.namespaced)
    } else {
        let found = cluster.custom_resource_of_kind(&kind.group, &kind.kind)?;
        let resource = GroupResource { group: kind.group.clone(), resource: found.plural.clone().into() };
        (resource, found.is_namespaced)
    };
    let live = cluster.get(&resource, if namespaced { namespace } else { "" }, &name)?;
    if !live.kind.is(kinds::SECRET) {
        return Some(live);
    }
    // A manifest may have the values in plain text.
    let mut live = Object::clone(&live);
    for (key, value) in live.child("data").cloned().into_iter().flatten() {
        let text = value.as_str().and_then(|value| STANDARD.decode(value).ok());
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        live.set(["stringData", key.as_str()], text.unwrap_or_default());
    }
    Some(Arc::new(live))
}

/// Adds the replacement of every encrypted value in `node` by that of `live` in the same place.
fn find(node: &Node, field: &str, live: Option<&Value>, edits: &mut Vec<(Span, String)>) {
    match &node.data {
        Data::String(text) if text.starts_with(ENCRYPTED) => {
            let [plain, base64] = ABSENT;
            let absent = Value::from(if field == "data" { base64 } else { plain });
            edits.push((node.span, live.unwrap_or(&absent).to_string()));
        }
        Data::Object(entries) => {
            for entry in entries.iter().filter(|entry| entry.key != *METADATA) {
                let live = live.and_then(|live| live.look_up(&entry.key));
                let below = if field.is_empty() { entry.key.as_str() } else { field };
                find(&entry.value, below, live, edits);
            }
        }
        Data::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(item, field, live.and_then(|live| live.get(index)), edits);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;
    use kube_api::resources::SECRETS;

    #[test]
    fn keys_are_left_and_lines_stay() {
        let cluster = Cluster::new();
        let value = json!({"metadata": {"name": "db", "namespace": "shop"}, "data": {"user": "YWRtaW4=", "more": "eA=="}});
        cluster.put(&SECRETS, Arc::new(Object::new(GroupVersionKind::new("", "v1", "Secret"), value)));
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nsops:\n    mac: ENC[x]\n    version: 3.9.0\nstringData:\n    user: ENC[y]\n    new: ENC[z]\n";
        let replaced =
            replaced(&SourceFile::new("a.yaml", text), "shop", &cluster).expect("something is encrypted");
        assert_eq!(
            replaced.text(),
            "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n\n\n\nstringData:\n    user: \"admin\"\n    new: \"ENC\"\n"
        );
    }
}
