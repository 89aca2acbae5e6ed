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
        if !labels.contains_key(label) {
            set(labels, label, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prepare_for_create;
    use super::super::tests::object;
    use super::*;
    use crate::api::features::FeatureGates;
    use crate::value::{Value, json};

    fn created(spec: &Value, shares_labels: bool) -> Value {
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec});
        let mut job = object(&job);
        let creation = Creation { uid: "u", shares_labels, ..Creation::default() };
        prepare_for_create(&mut job, &creation, &FeatureGates::default());
        job.value
    }

    #[test]
    fn pods_are_tied_to_their_job() {
        let labels = json!({
            "app": "web",
            "batch.kubernetes.io/controller-uid": "u",
            "batch.kubernetes.io/job-name": "a",
            "controller-uid": "u",
            "job-name": "a"
        });
        let spec = json!({"template": {"metadata": {"labels": {"app": "web"}}}});
        let job = created(&spec, true);
        assert_eq!(
            job["spec"]["selector"],
            json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}})
        );
        assert_eq!(job["spec"]["template"]["metadata"]["labels"], labels);
        assert_eq!(job["metadata"]["labels"], labels);
        assert_eq!(created(&spec, false)["metadata"]["labels"], json!({"app": "web"}));
    }

    #[test]
    fn an_author_may_choose_the_selector() {
        let selector = json!({"matchLabels": {"app": "web"}});
        let job = created(&json!({"manualSelector": true, "selector": selector}), false);
        assert_eq!(job["spec"]["selector"], selector);
        assert_eq!(job["spec"]["template"]["metadata"], json!({}));
    }
}
