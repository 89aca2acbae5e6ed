//! `metadata` of every kind.
//!
//! Source: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`, `k8s.io/kubernetes/pkg/apis/core/validation`.

use std::borrow::Cow;
use std::collections::BTreeSet;

pub(crate) use crate::strategy::Scope;
use crate::validation::equal::plainly_equal;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use gotext::quote;
use kube_api::field::{Error, Path, Rule};
use kube_api::{Value, internal_json};

/// A kind's rule for its objects' names; a prefix (`generateName`) may end in what a name may not.
pub(crate) type NameRule = fn(name: &str, prefix: bool) -> Vec<String>;

pub(crate) const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 * 1024;
pub(crate) const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Implements `NameIsDNSSubdomain`.
pub(crate) fn name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    names::is_dns1123_subdomain(&masked(name, prefix))
}

/// Runs `LongName` on a name. A prefix is not checked, only the name generated from it.
pub(crate) fn generated_name_is_dns_subdomain(name: &str, prefix: bool) -> Vec<String> {
    if prefix { Vec::new() } else { names::is_long_name(name) }
}

/// Implements `NameIsDNSLabel`.
pub(crate) fn name_is_dns_label(name: &str, prefix: bool) -> Vec<String> {
    names::is_dns1123_label(&masked(name, prefix))
}

/// Implements `NameIsDNS1035Label`.
pub(crate) fn name_is_dns1035_label(name: &str, prefix: bool) -> Vec<String> {
    names::is_dns1035_label(&masked(name, prefix))
}

/// Implements `path.ValidatePathSegmentName`.
pub(crate) fn name_is_path_segment(name: &str, prefix: bool) -> Vec<String> {
    if prefix { names::is_path_segment_prefix(name) } else { names::is_path_segment_name(name) }
}

pub(crate) fn masked(name: &str, prefix: bool) -> Cow<'_, str> {
    if prefix { names::mask_trailing_dash(name) } else { Cow::Borrowed(name) }
}

/// Implements `ValidateObjectMeta` of the core group: the common rules, and that finalizers are qualified.
pub(crate) fn validate_object_meta(errors: &mut Errors, object: &Node, scope: Scope, rule: NameRule) {
    let metadata = &object.child("metadata");
    validate_object_meta_accessor(errors, metadata, scope, rule);
    validate_kube_finalizers(errors, metadata);
}

/// Implements `ValidateObjectMetaAccessor`.
pub(crate) fn validate_object_meta_accessor(
    errors: &mut Errors,
    metadata: &Node,
    scope: Scope,
    rule: NameRule,
) {
    validate_names_by(errors, metadata, rule);
    validate_object_meta_common(errors, metadata, scope);
}

/// Validates names and prefixes by a rule that depends on the rest of the object.
pub(crate) fn validate_names_by(
    errors: &mut Errors,
    metadata: &Node,
    rule: impl Fn(&str, bool) -> Vec<String>,
) {
    if !metadata.text("generateName").is_empty() {
        errors.each_of(metadata, "generateName", rule(metadata.text("generateName"), true));
    }
    if metadata.text("name").is_empty() {
        errors.required(&metadata.at("name"), "name or generateName is required");
    } else {
        errors.each_of(metadata, "name", rule(metadata.text("name"), false));
    }
}

/// Implements `validateObjectMetaAccessorWithOptsCommon`.
pub(crate) fn validate_object_meta_common(errors: &mut Errors, metadata: &Node, scope: Scope) {
    match (scope, metadata.text("namespace")) {
        (Scope::Namespaced, "") => errors.required(&metadata.at("namespace"), ""),
        (Scope::Namespaced, namespace) => {
            errors.each_of(metadata, "namespace", names::is_dns1123_label(namespace));
        }
        (Scope::Cluster, "") => {}
        (Scope::Cluster, _) => errors.forbidden(&metadata.at("namespace"), "not allowed on this type"),
    }
    errors.non_negative(metadata, "generation");
    validate_labels(errors, metadata, "labels");
    validate_annotations(errors, metadata);
    validate_owner_references(errors, metadata);
    if let Some(initializers) = metadata.get("initializers") {
        validate_initializers(errors, &initializers);
    }
    validate_finalizers(errors, metadata);
    validate_managed_fields(errors, metadata);
}

/// Implements `ValidateObjectMetaUpdate` of the core group.
pub(crate) fn validate_object_meta_update(errors: &mut Errors, object: &Node, old: &Node) {
    let metadata = &object.child("metadata");
    validate_object_meta_accessor_update(errors, metadata, &old.child("metadata"));
    validate_kube_finalizers(errors, metadata);
}

/// Implements `ValidateObjectMetaAccessorUpdate`.
pub(crate) fn validate_object_meta_accessor_update(errors: &mut Errors, metadata: &Node, old: &Node) {
    if old.has("deletionTimestamp") {
        validate_no_new_finalizers(errors, metadata, old);
    }
    if metadata.text("resourceVersion").is_empty() {
        errors.invalid(&metadata.at("resourceVersion"), "", "must be specified for an update");
    }
    if metadata.int("generation") < old.int("generation") {
        errors.invalid_int(&metadata.at("generation"), metadata.int("generation"), "must not be decremented");
    }
    for field in ["name", "namespace", "uid"] {
        if metadata.text(field) != old.text(field) {
            errors.invalid(&metadata.at(field), metadata.text(field), IMMUTABLE);
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if metadata.raw(field) != old.raw(field) {
            errors.invalid_value(&metadata.at(field), metadata.raw(field), IMMUTABLE);
        }
    }
    validate_labels(errors, metadata, "labels");
    validate_annotations(errors, metadata);
    validate_owner_references(errors, metadata);
    validate_managed_fields(errors, metadata);
}

/// Implements `ValidateNoNewFinalizers`.
fn validate_no_new_finalizers(errors: &mut Errors, metadata: &Node, old: &Node) {
    let before: BTreeSet<&str> = old.texts("finalizers").collect();
    let now: BTreeSet<&str> = metadata.texts("finalizers").collect();
    let added: Vec<String> = now.difference(&before).map(|finalizer| quote(finalizer)).collect();
    if !added.is_empty() {
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        );
        errors.forbidden(&metadata.at("finalizers"), detail);
    }
}

/// Implements `ValidateLabels`: `name` is a map of labels.
pub(crate) fn validate_labels(errors: &mut Errors, node: &Node, name: &'static str) {
    for (key, value) in node.pairs(name) {
        errors.each(|| node.at(name), key, names::is_qualified_name(key));
        errors.each(|| node.at(name), value, names::is_valid_label_value(value));
    }
}

/// Implements `ValidateLabelName`.
pub(crate) fn validate_label_name(errors: &mut Errors, node: &Node, name: &'static str) {
    errors.each_of(node, name, names::is_qualified_name(node.text(name)));
}

/// Implements `ValidateAnnotations`.
pub(crate) fn validate_annotations(errors: &mut Errors, metadata: &Node) {
    let mut size = 0;
    for (key, value) in metadata.pairs("annotations") {
        errors.each(|| metadata.at("annotations"), key, names::is_qualified_name(&key.to_lowercase()));
        size += key.len() + value.len();
    }
    if size > TOTAL_ANNOTATION_SIZE_LIMIT {
        errors.too_long(&metadata.at("annotations"), TOTAL_ANNOTATION_SIZE_LIMIT);
    }
}

/// Implements `ValidateOwnerReferences`.
fn validate_owner_references(errors: &mut Errors, metadata: &Node) {
    let path = metadata.at("ownerReferences");
    let mut controller: Option<String> = None;
    for reference in metadata.items("ownerReferences") {
        errors.by(Rule::Owner, |errors| validate_owner_reference(errors, &reference));
        if reference.flag("controller") {
            let name = format!("{}/{}", reference.text("kind"), reference.text("name"));
            if let Some(first) = &controller {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} \
                     and {name}"
                );
                let all = metadata.list("ownerReferences").iter();
                let printed: Vec<_> =
                    all.map(|owner| internal_json::compact("meta/v1.OwnerReference", owner)).collect();
                errors.invalid_printed(&path, format!("[{}]", printed.join(",")), detail);
            } else {
                controller = Some(name);
            }
        }
    }
}

/// Implements `validateOwnerReference`.
fn validate_owner_reference(errors: &mut Errors, reference: &Node) {
    let api_version = reference.text("apiVersion");
    // An unreadable group and version results in both empty.
    let (group, version) = match api_version.matches('/').count() {
        0 => ("", api_version),
        1 => api_version.split_once('/').unwrap_or_default(),
        _ => ("", ""),
    };
    if !api_version.is_empty() && version.is_empty() {
        let detail = "must be <group>/<version> or <version>";
        errors.invalid(&reference.at("apiVersion"), api_version, detail);
    }
    for field in ["apiVersion", "kind", "name", "uid"] {
        if reference.text(field).is_empty() {
            errors.required(&reference.at(field), "must not be empty");
        }
    }
    if group.is_empty() && version == "v1" && reference.text("kind") == "Event" {
        let detail = "/v1, Kind=Event is disallowed from being an owner";
        errors.invalid_typed(&reference.here(), "meta/v1.OwnerReference", reference.value(), detail);
    }
}

/// Implements `ValidateInitializers` of Kubernetes until 1.13, whose objects alone have the field.
fn validate_initializers(errors: &mut Errors, initializers: &Node) {
    for initializer in initializers.items("pending") {
        is_fully_qualified_name(errors, &initializer, "name");
    }
    if let Some(result) = initializers.get("result").filter(|result| result.text("status") != "Failure") {
        errors.invalid(&result.at("status"), result.text("status"), "must be 'Failure'");
    }
}

/// Implements `IsFullyQualifiedName`.
pub(crate) fn is_fully_qualified_name(errors: &mut Errors, node: &Node, field: &'static str) {
    let name = node.text(field);
    if !errors.require_text(node, field) {
        return;
    }
    let messages = names::is_dns1123_subdomain(name);
    if !messages.is_empty() {
        errors.invalid(&node.at(field), name, messages.join(","));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.invalid(&node.at(field), name, detail);
    }
}

/// Implements `ValidateFinalizers`.
fn validate_finalizers(errors: &mut Errors, metadata: &Node) {
    let (mut orphan, mut foreground) = (false, false);
    for finalizer in metadata.texts("finalizers") {
        errors.each(|| metadata.at("finalizers"), finalizer, names::is_qualified_name(finalizer));
        orphan |= finalizer == "orphan";
        foreground |= finalizer == "foregroundDeletion";
    }
    if orphan && foreground {
        errors.invalid_value(
            &metadata.at("finalizers"),
            metadata.raw("finalizers"),
            "finalizer orphan and foregroundDeletion cannot be both set",
        );
    }
}

/// Checks that finalizers are standard ones or qualified.
pub(crate) fn validate_kube_finalizers(errors: &mut Errors, metadata: &Node) {
    for (index, finalizer) in metadata.texts("finalizers").enumerate() {
        validate_kube_finalizer_name(errors, finalizer, || metadata.at("finalizers").index(index));
    }
}

/// Implements `validateKubeFinalizerName`.
pub(crate) fn validate_kube_finalizer_name(
    errors: &mut Errors,
    finalizer: &str,
    path: impl FnOnce() -> Path,
) {
    if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.invalid(&path(), finalizer, detail);
    }
}

/// Implements `ValidateManagedFields`.
fn validate_managed_fields(errors: &mut Errors, metadata: &Node) {
    for entry in metadata.items("managedFields") {
        errors.by(Rule::OperationOfFields, |errors| match entry.text("operation") {
            "" => errors.required(&entry.at("operation"), "must not be empty"),
            _ => errors.one_of(&entry, "operation", &["Apply", "Update"]),
        });
        if !["", "FieldsV1"].contains(&entry.text("fieldsType")) {
            errors.invalid(&entry.at("fieldsType"), entry.text("fieldsType"), "must be `FieldsV1`");
        }
        if entry.text("manager").len() > 128 {
            errors.too_long(&entry.at("manager"), 128);
        }
        if entry.text("subresource").len() > 256 {
            errors.too_long(&entry.at("subresource"), 256);
        }
    }
}

/// Everything in metadata but labels and annotations: the field, and the Go name as upstream prints it.
pub(crate) const OTHERS: [(&str, &str); 13] = [
    ("name", "name"),
    ("generateName", "generateName"),
    ("namespace", "namespace"),
    ("selfLink", "selfLink"),
    ("uid", "uID"),
    ("resourceVersion", "resourceVersion"),
    ("generation", "generation"),
    ("creationTimestamp", "creationTimestamp"),
    ("deletionTimestamp", "deletionTimestamp"),
    ("deletionGracePeriodSeconds", "deletionGracePeriodSeconds"),
    ("ownerReferences", "ownerReferences"),
    ("finalizers", "finalizers"),
    ("managedFields", "managedFields"),
];

/// Implements `ValidateTemplateObjectMeta`: only labels and annotations.
pub(crate) fn validate_template_object_meta(errors: &mut Errors, metadata: &Node) {
    validate_annotations(errors, metadata);
    validate_labels(errors, metadata, "labels");
    let detail = if errors.since(26) { "cannot be set" } else { "cannot be set for an ephemeral volume" };
    for (field, printed) in OTHERS {
        if !is_zero(metadata.raw(field)) {
            errors.forbidden(&metadata.at(printed), detail);
        }
    }
}

/// Whether a decoded value is the zero value to Go's reflection, to which a list or map that was given is not `nil`.
pub(crate) fn is_zero(value: &Value) -> bool {
    value.is_zero_value() && !value.is_array() && !value.is_object()
}

/// Runs `ValidateImmutableField` on a field that prints as JSON.
pub(crate) fn validate_immutable_field(errors: &mut Errors, node: &Node, old: &Node, name: &'static str) {
    if !plainly_equal(node.raw(name), old.raw(name)) {
        errors.invalid_value(&node.at(name), node.raw(name), IMMUTABLE);
    }
}

/// Implements `ValidateImmutableField` of a text, which is empty where it is absent.
pub(crate) fn validate_immutable_text(errors: &mut Errors, node: &Node, old: &Node, name: &'static str) {
    if node.text(name) != old.text(name) {
        errors.invalid(&node.at(name), node.text(name), IMMUTABLE);
    }
}

/// Implements `ValidateHasLabel`.
pub(crate) fn validate_has_label(errors: &mut Errors, metadata: &Node, key: &str, expected: &str) {
    let actual = metadata.raw("labels").get(key).and_then(Value::as_str);
    if actual != Some(expected) {
        let path = metadata.at("labels").key(key);
        let detail = format!("must be '{expected}'");
        if actual.is_some() {
            let labels = metadata.raw("labels");
            let error = Error::invalid(&path, labels, detail);
            errors.push(error.about(Some("meta/v1.ObjectMeta#labels"), labels));
        } else {
            errors.required(&path, detail);
        }
    }
}
