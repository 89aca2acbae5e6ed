//! Files of a volume that overlap.
//!
//! Source: `k8s.io/kubernetes/pkg/api/pod`, `warningsForOverlappingVirtualPaths`.

use crate::warnings::Warnings;
use gotext::quote;
use kube_api::Map;

/// A path in a volume, and what is mounted there if there is more than one source.
#[derive(PartialEq)]
struct Mounted<'a> {
    path: &'a str,
    source: String,
}

/// Warns about files from the same volume of which one is, or is in, the path of another.
pub(crate) fn overlapping(spec: &Map, warnings: &mut Warnings<'_>) {
    if !warnings.since(32) {
        return;
    }
    for volume in spec.items("volumes") {
        let name = volume.text("name");
        for (field, kind, named_by) in [
            ("configMap", "ConfigMap", Some("name")),
            ("secret", "Secret", Some("secretName")),
            ("downwardAPI", "DownwardAPI", None),
        ] {
            // A single file overlaps no other.
            let Some(source) = volume.child(field).filter(|source| source.list("items").len() > 1) else {
                continue;
            };
            let kind = named_by.map_or_else(|| kind.to_owned(), |field| named(kind, source.text(field)));
            let mut known = Vec::new();
            for path in source.items("items").map(|item| item.text("path")) {
                add(&mut known, Mounted { path, source: String::new() }, name, &kind, warnings);
            }
        }
        let Some(projected) = volume.child("projected") else { continue };
        let mut known = Vec::new();
        for source in projected.items("sources") {
            if source.values().all(gotext::value::Value::is_null) {
                warnings.push(format!("volume {} (Projected) has no sources provided", quote(name)));
                continue;
            }
            for mounted in projection(source) {
                add(&mut known, mounted, name, "Projected", warnings);
            }
        }
    }
}

fn add<'a>(
    known: &mut Vec<Mounted<'a>>,
    mut mounted: Mounted<'a>,
    volume: &str,
    kind: &str,
    warnings: &mut Warnings<'_>,
) {
    mounted.path = mounted.path.trim_end_matches('/');
    for other in known.iter().filter(|other| overlap(other, &mounted)) {
        warnings.push(format!(
            "volume {} ({kind}): overlapping paths: {} with {}",
            quote(volume),
            printed(&mounted),
            printed(other)
        ));
    }
    known.push(mounted);
}

fn overlap(one: &Mounted<'_>, other: &Mounted<'_>) -> bool {
    let is_in = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !one.path.is_empty()
        && !other.path.is_empty()
        && (is_in(one.path, other.path) || is_in(other.path, one.path))
}

fn printed(mounted: &Mounted<'_>) -> String {
    let path = quote(mounted.path);
    if mounted.source.is_empty() { path } else { format!("{path} ({})", mounted.source) }
}

pub(crate) fn named(kind: &str, name: &str) -> String {
    format!("{kind} {}", quote(name))
}

/// Returns the files of one source of a projected volume: of the first one set, in the server's order.
fn projection(source: &Map) -> Vec<Mounted<'_>> {
    let of_items = |field: &str| source.child(field).filter(|source| source.has("items"));
    if let Some(map) = of_items("configMap") {
        paths(map, &named("ConfigMap", map.text("name")))
    } else if let Some(secret) = of_items("secret") {
        paths(secret, &named("Secret", secret.text("name")))
    } else if let Some(downward) = of_items("downwardAPI") {
        paths(downward, "DownwardAPI")
    } else if let Some(token) = source.child("serviceAccountToken") {
        vec![Mounted { path: token.text("path"), source: "ServiceAccountToken".to_owned() }]
    } else if let Some(bundle) = source.child("clusterTrustBundle") {
        let name = if bundle.has("name") { "name" } else { "signerName" };
        vec![Mounted { path: bundle.text("path"), source: named("ClusterTrustBundle", bundle.text(name)) }]
    } else if let Some(certificate) = source.child("podCertificate") {
        [
            ("certificateChainPath", "PodCertificate chain"),
            ("keyPath", "PodCertificate key"),
            ("credentialBundlePath", "PodCertificate credential bundle"),
        ]
        .into_iter()
        .map(|(field, label)| Mounted { path: certificate.text(field), source: label.to_owned() })
        .filter(|mounted| !mounted.path.is_empty())
        .collect()
    } else {
        Vec::new()
    }
}

fn paths<'a>(owner: &'a Map, label: &str) -> Vec<Mounted<'a>> {
    owner.items("items").map(|item| Mounted { path: item.text("path"), source: label.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::on_create;
    use gotext::value::{Value, json};

    fn volume(volume: &Value) -> Vec<String> {
        let spec = json!({"volumes": [volume]});
        on_create(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}))
    }

    #[test]
    fn files_in_files_are_named() {
        let items = json!([{"path": "a/"}, {"path": "a/b"}, {"path": "ab"}]);
        assert_eq!(
            volume(&json!({"name": "v", "configMap": {"name": "m", "items": items}})),
            ["volume \"v\" (ConfigMap \"m\"): overlapping paths: \"a/b\" with \"a\""]
        );
    }

    #[test]
    fn sources_of_one_volume_are_compared() {
        let sources = json!([
            {},
            {"serviceAccountToken": {"path": "token"}},
            {"secret": {"name": "s", "items": [{"path": "token"}]}}
        ]);
        assert_eq!(
            volume(&json!({"name": "v", "projected": {"sources": sources}})),
            [
                "volume \"v\" (Projected) has no sources provided",
                "volume \"v\" (Projected): overlapping paths: \"token\" (Secret \"s\") with \"token\" (ServiceAccountToken)"
            ]
        );
    }
}
