//! Versions in which servers store a resource.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/apiserverinternal`.

use crate::preparation::keep_spec_and_metadata;
use crate::strategy::{ObjectStatus, Scope, Strategy, SubResource};
use crate::validation::metadata::validate_object_meta;
use crate::validation::node::{Errors, Node};
use gotext::names;
use kube_api::Value;

/// The strategy of `StorageVersion`.
pub(crate) static STRATEGY: Strategy = Strategy {
    versions: &["v1alpha1"],
    allow_unconditional_update: false,
    status: ObjectStatus::Controllers,
    validate: Some(|errors, object, old, _| {
        if old.is_none() {
            validate_storage_version(errors, object);
        }
    }),
    sub_resources: &[SubResource {
        prepare_for_update: Some(keep_spec_and_metadata),
        validate_update: Some(|errors, object, _, _| {
            validate_storage_version_status(errors, object);
        }),
        ..SubResource::new("status")
    }],
    ..Strategy::new("internal.apiserver.k8s.io", "StorageVersion")
};

/// Implements `ValidateStorageVersion`; an update outside of the status cannot introduce faults.
fn validate_storage_version(errors: &mut Errors, object: &Node) {
    let rule = |name: &str, _: bool| match name.rsplit_once('.') {
        None => vec!["name must be in the form of <group>.<resource>".to_owned()],
        Some((group, resource)) => {
            let group = prefixed("the group segment ", names::is_dns1123_subdomain(group));
            group
                .into_iter()
                .chain(prefixed("the resource segment ", names::is_dns1035_label(resource)))
                .collect()
        }
    };
    validate_object_meta(errors, object, Scope::Cluster, rule);
    validate_storage_version_status(errors, object);
}

/// Implements `validateStorageVersionStatus`.
fn validate_storage_version_status(errors: &mut Errors, object: &Node) {
    let status = object.child("status");
    let mut seen = Vec::new();
    for server in status.items("storageVersions") {
        let id = server.text("apiServerID");
        if seen.contains(&id) {
            errors.duplicate(&server.at("apiServerID"), id);
        }
        seen.push(id);
        validate_server_storage_version(errors, &server);
    }
    validate_common_version(errors, &status);
    validate_storage_version_conditions(errors, &status);
}

/// Implements `validateServerStorageVersion`.
fn validate_server_storage_version(errors: &mut Errors, server: &Node) {
    errors.each_of(server, "apiServerID", names::is_dns1123_subdomain(server.text("apiServerID")));
    let encoding = server.text("encodingVersion");
    let messages = api_version_messages(encoding);
    if !messages.is_empty() {
        errors.invalid(&server.at("encodingVersion"), encoding, messages.join(","));
    }
    let decodable: Vec<&str> = server.texts("decodableVersions").collect();
    for (index, version) in decodable.iter().enumerate() {
        let messages = api_version_messages(version);
        if !messages.is_empty() {
            errors.invalid(&server.at("decodableVersions").index(index), version, messages.join(","));
        }
    }
    if !decodable.contains(&encoding) {
        let detail = format!("decodableVersions must include encodingVersion {encoding}");
        errors.invalid_value(&server.at("decodableVersions"), server.raw("decodableVersions"), detail);
    }
    for (index, version) in server.texts("servedVersions").enumerate() {
        let path = || server.at("servedVersions").index(index);
        let messages = api_version_messages(version);
        if !messages.is_empty() {
            errors.invalid(&path(), version, messages.join(","));
        }
        if !decodable.contains(&version) {
            let all = decodable.join(" ");
            let detail = format!(
                "individual served version : {version} must be included in decodableVersions : [{all}]"
            );
            errors.invalid(&path(), version, detail);
        }
    }
}

/// Implements `validateCommonVersion`.
fn validate_common_version(errors: &mut Errors, status: &Node) {
    let mut versions =
        status.items("storageVersions").map(|server| server.value()["encodingVersion"].as_str());
    let first = versions.next().map(Option::unwrap_or_default);
    let actual = first.filter(|first| versions.all(|version| version.unwrap_or_default() == *first));
    let path = status.at("commonEncodingVersion");
    match (actual, status.given("commonEncodingVersion")) {
        (None, Some(given)) => {
            let detail = "should be nil if servers do not agree on the same encoding version, or if there is no server \
                          reporting the supported versions yet";
            errors.invalid(&path, given, detail);
        }
        (Some(actual), None) => {
            errors.invalid_value(&path, &Value::Null, format!("the common encoding version is {actual}"));
        }
        (Some(actual), Some(given)) if actual != given => {
            errors.invalid(&path, given, format!("the actual common encoding version is {actual}"));
        }
        _ => {}
    }
}

/// Implements `validateStorageVersionCondition`; upstream omits the name of the list from paths.
fn validate_storage_version_conditions(errors: &mut Errors, status: &Node) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, condition) in status.list("conditions").iter().enumerate() {
        let condition = Node::new(status.here().index(index), condition);
        let kind = condition.text("type");
        if let Some(first) = seen.iter().rposition(|seen| *seen == kind) {
            let detail =
                format!("the type of the condition is not unique, it also appears in conditions[{first}]");
            errors.invalid(&condition.at("type"), kind, detail);
        }
        seen.push(kind);
        for field in ["type", "status"] {
            errors.each_of(&condition, field, names::is_qualified_name(condition.text(field)));
        }
        errors.require_text(&condition, "reason");
        errors.require_text(&condition, "message");
    }
}

/// Implements `isValidAPIVersion`.
fn api_version_messages(api_version: &str) -> Vec<String> {
    let parts: Vec<&str> = api_version.split('/').collect();
    let (group, version) = match *parts.as_slice() {
        [version] => (None, version),
        [group, version] => (Some(group), version),
        _ => {
            return vec![
                "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', \
                 start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or \
                 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain \
                 prefix and '/' (e.g. 'example.com/MyVersion')"
                    .to_owned(),
            ];
        }
    };
    let of_part = |prefix: &str, text: &str, rule: fn(&str) -> Vec<String>| {
        prefixed(prefix, if text.is_empty() { vec!["must be non-empty".to_owned()] } else { rule(text) })
    };
    let mut messages =
        group.map_or_else(Vec::new, |group| of_part("group part: ", group, names::is_dns1123_subdomain));
    messages.extend(of_part("version part: ", version, names::is_dns1035_label));
    messages
}

fn prefixed(prefix: &str, messages: Vec<String>) -> Vec<String> {
    messages.into_iter().map(|message| format!("{prefix}{message}")).collect()
}
