//! Quotas over several projects: `quota.openshift.io`.
//!
//! Source: `customresourcevalidation/clusterresourcequota/validation`.

use crate::core::resource_quota::validate_quota_spec;
use crate::openshift::facts::ClusterFacts;
use crate::openshift::validator::{Validator, WholeOnUpdate};
use crate::validation::metadata::validate_annotations;
use crate::validation::node::{Errors, Node};
use crate::validation::resources::{
    quantity, validate_resource_quantity_value, validate_resource_quota_resource_name,
};
use crate::validation::selector::{LABEL_SELECTOR, validate_label_selector};
use kube_api::Value;
use kube_api::field::Path;

/// Validates `ClusterResourceQuota`.
pub static CLUSTER_RESOURCE_QUOTA: Validator = Validator {
    qualified_finalizers: true,
    validate,
    whole_on_update: WholeOnUpdate::Last,
    ..Validator::new("quota.openshift.io", "ClusterResourceQuota", "openshift/quota/v1.ClusterResourceQuota")
};

fn validate(errors: &mut Errors, object: &Node, _: Option<&Node>, _: &ClusterFacts) {
    let spec = object.child("spec");
    let selector = spec.child("selector");
    let labels = selector.get("labels");
    let restricts = |labels: &Node<'_>| labels.len("matchLabels") + labels.len("matchExpressions") > 0;
    if !labels.as_ref().is_some_and(restricts) && selector.len("annotations") == 0 {
        errors.required(&selector.here(), "must restrict the selected projects");
    }
    if let Some(labels) = labels {
        validate_label_selector(errors, &selector, "labels", false);
        if !restricts(&labels) {
            let detail = "must restrict the selected projects";
            errors.invalid_typed(&labels.here(), LABEL_SELECTOR, labels.value(), detail);
        }
    }
    validate_annotations(errors, &selector);
    validate_quota_spec(errors, &spec.child("quota"));
    let status = object.child("status");
    let overall = Node::new(Path::new("status.overall"), status.raw("total"));
    for field in ["hard", "used"] {
        for (name, value) in overall.entries(field) {
            amount(errors, name, value, &overall.at(field).key(name));
        }
    }
    let mut namespaces: Vec<&Value> = status.list("namespaces").iter().collect();
    let name_of = |namespace: &Value| namespace.text("namespace").to_owned();
    namespaces.sort_by_key(|namespace| name_of(namespace));
    for namespace in namespaces {
        let path = Path::new("status.namespaces").key(name_of(namespace));
        let part = namespace.get("status").unwrap_or(&Value::Null);
        for (name, value) in Node::new(path.clone(), part).entries("used") {
            amount(errors, name, value, &path.key(name));
        }
    }
}

fn amount(errors: &mut Errors, name: &str, value: &Value, path: &Path) {
    validate_resource_quota_resource_name(errors, name, path);
    validate_resource_quantity_value(errors, name, &quantity(value), path);
}
