//! Volumes that a build mounts.
//!
//! Source: `validateBuildVolume` of `openshift-apiserver` `pkg/build/apis/build/validation`.

use crate::openshift::served::build::clean;
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use crate::validation::pod::validate_csi_driver_name;
use gotext::names;
use kube_api::internal_json;
use kube_api::version::Version;

/// The sources, each with its type and the field that names what is mounted.
const SOURCES: [(&str, &str, &str); 3] =
    [("secret", "Secret", "secretName"), ("configMap", "ConfigMap", "name"), ("csi", "CSI", "driver")];

pub(super) fn validate(errors: &mut Errors, strategy: &Node) {
    strategy.items("volumes").for_each(|volume| validate_volume(errors, &volume));
}

fn validate_volume(errors: &mut Errors, volume: &Node) {
    if errors.require_text(volume, "name") {
        errors.each_of(volume, "name", names::is_dns1123_label(volume.text("name")));
    }
    let source = volume.child("source");
    let given = source.text("type");
    if given.is_empty() {
        errors.required(&source.at("type"), "must not be blank");
    }
    let mut found = Vec::new();
    for (field, kind, name) in SOURCES {
        let Some(chosen) = source.get(field) else { continue };
        found.push(kind);
        if kind == "CSI" {
            validate_csi_driver_name(errors, &chosen, name);
        } else if errors.require_text(&chosen, name) {
            let table =
                if kind == "Secret" { "core/v1.SecretVolumeSource" } else { "core/v1.ConfigMapVolumeSource" };
            let printed = || internal_json::internal_in(Version::OPENSHIFT, table, chosen.value());
            for message in name_is_dns_subdomain(chosen.text(name), false) {
                errors.invalid_printed(&chosen.at(name), printed(), message);
            }
        }
    }
    let printed = || {
        internal_json::internal_in(Version::OPENSHIFT, "openshift/build/v1.BuildVolumeSource", source.value())
    };
    if found.is_empty() {
        errors.invalid_printed(&source.here(), printed(), "must specify one volume source");
    }
    if found.len() > 1 {
        errors.invalid_printed(&source.here(), printed(), "only one volume source is allowed");
    }
    if found.first().is_some_and(|kind| *kind != given) {
        errors.invalid(&source.at("type"), given, "source type and specified type must match");
    }
    if volume.len("mounts") == 0 {
        errors.required(&volume.at("mounts"), "must supply at least one mount");
    }
    for mount in volume.items("mounts") {
        validate_mount(errors, volume, &mount);
    }
}

fn validate_mount(errors: &mut Errors, volume: &Node, mount: &Node) {
    let path = mount.text("destinationPath");
    if path.is_empty() {
        // Upstream leaves the index out.
        return errors.required(&volume.below(&["mounts", "destinationPath"]), "must not be blank");
    }
    let at = mount.at("destinationPath");
    if path.contains(':') {
        errors.invalid(&at, path, "must not contain ':'");
    }
    if !path.starts_with('/') {
        errors.invalid(&at, path, "must be an absolute path");
    }
    if clean(path).starts_with("..") {
        errors.invalid(&at, path, "must not start with '..'");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn rejects_volumes_without_a_source_or_a_place() {
        let strategy = json!({"volumes": [
            {"name": "A", "source": {"type": "Secret"}},
            {"name": "b", "source": {"type": "Secret", "secret": {"secretName": "S"}, "configMap": {"name": "c"}},
                "mounts": [{"destinationPath": "../x:y"}, {}]},
        ]});
        let mut errors = Errors::default();
        validate(&mut errors, &Node::root(&strategy));
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                     start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
                     validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
                         '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
                         for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        let secret = r#"{"SecretName":"S","Items":null,"DefaultMode":null,"Optional":null}"#;
        let map = r#"{"Name":"c","Items":null,"DefaultMode":null,"Optional":null}"#;
        assert_eq!(
            texts,
            [
                format!(r#"volumes[0].name: Invalid value: "A": {label}"#),
                r#"volumes[0].source: Invalid value: {"Type":"Secret","Secret":null,"ConfigMap":null,"CSI":null}: must specify one volume source"#
                    .to_owned(),
                "volumes[0].mounts: Required value: must supply at least one mount".to_owned(),
                format!("volumes[1].source.secret.secretName: Invalid value: {secret}: {subdomain}"),
                format!(
                    r#"volumes[1].source: Invalid value: {{"Type":"Secret","Secret":{secret},"ConfigMap":{map},"CSI":null}}: only one volume source is allowed"#
                ),
                r#"volumes[1].mounts[0].destinationPath: Invalid value: "../x:y": must not contain ':'"#.to_owned(),
                r#"volumes[1].mounts[0].destinationPath: Invalid value: "../x:y": must be an absolute path"#.to_owned(),
                r#"volumes[1].mounts[0].destinationPath: Invalid value: "../x:y": must not start with '..'"#.to_owned(),
                "volumes[1].mounts.destinationPath: Required value: must not be blank".to_owned(),
            ]
        );
    }
}
