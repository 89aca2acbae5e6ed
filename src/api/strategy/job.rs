//! The selector of a Job.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch/job`.

use super::Creation;
use crate::api::Map;
use crate::api::tree::{child, is_true, made, set, text};

const UID_LABEL: &str = "batch.kubernetes.io/controller-uid";

/// Ties the Pods of a Job to it by labels, unless its author does that.
pub(super) fn generate_selector(job: &mut Map, creation: &Creation<'_>) {
    if child(job, "spec").is_some_and(|spec| is_true(spec, "manualSelector")) {
        return;
    }
    let name = child(job, "metadata").map_or("", |metadata| text(metadata, "name")).to_owned();
    let generated = [
        ("job-name", name.as_str()),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", creation.uid),
        (UID_LABEL, creation.uid),
    ];
    if creation.shares_labels
        && child(job, "metadata").is_some_and(|metadata| metadata.contains_key("labels"))
    {
        add(made(job, "metadata"), &generated);
    }
    let spec = made(job, "spec");
    add(made(made(spec, "template"), "metadata"), &generated);
    let selector = made(made(spec, "selector"), "matchLabels");
    if !selector.contains_key(UID_LABEL) {
        set(selector, UID_LABEL, creation.uid);
    }
}

fn add(metadata: &mut Map, generated: &[(&'static str, &str)]) {
    let labels = made(metadata, "labels");
    for (label, value) in generated {
        if !labels.contains_key(*label) {
            set(labels, label, *value);
        }
    }
}
