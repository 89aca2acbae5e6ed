//! The selector of a Job.
//!
//! Source: `k8s.io/kubernetes/pkg/registry/batch/job`.

use std::borrow::Cow;

use crate::strategy::Context;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::{child_or_insert, set};
use kube_api::{Map, Object};

const UID_LABEL: &str = "batch.kubernetes.io/controller-uid";

/// The minor of the first release whose labels have Kubernetes' prefix, besides those without.
const HAS_PREFIX: u32 = 27;

/// Whether the generated labels have Kubernetes' prefix too.
pub(crate) fn has_prefixed_labels(profile: &ServerProfile) -> bool {
    profile.release().minor >= HAS_PREFIX
}

/// Ties the Pods of a Job to it by labels, unless it has a manual selector.
pub(crate) fn generate_selector(job: &mut Map, context: &Context<'_>) {
    if job.child("spec").is_some_and(|spec| spec.flag("manualSelector")) {
        return;
    }
    let name = job.child("metadata").map_or("", |metadata| metadata.text("name")).to_owned();
    let generated = [
        ("job-name", name.as_str()),
        ("controller-uid", context.request().uid),
        ("batch.kubernetes.io/job-name", &name),
        (UID_LABEL, context.request().uid),
    ];
    let is_prefixed = has_prefixed_labels(context.profile);
    let (generated, uid_label) =
        if is_prefixed { (&generated[..], UID_LABEL) } else { (&generated[..2], "controller-uid") };
    if !context.request().had_labels
        && job.child("metadata").is_some_and(|metadata| metadata.contains_key("labels"))
    {
        add(child_or_insert(job, "metadata"), generated);
    }
    let spec = child_or_insert(job, "spec");
    add(child_or_insert(child_or_insert(spec, "template"), "metadata"), generated);
    let selector = child_or_insert(child_or_insert(spec, "selector"), "matchLabels");
    if !selector.contains_key(uid_label) {
        set(selector, uid_label, context.request().uid);
    }
}

/// Returns the Job with its generated uid, which its labels repeat.
pub(crate) fn with_uid<'a>(job: &'a Object, context: &Context<'_>) -> Cow<'a, Object> {
    if context.request().uid.is_empty() {
        return Cow::Borrowed(job);
    }
    let mut with_uid = job.clone();
    with_uid.set(["metadata", "uid"], context.request().uid);
    Cow::Owned(with_uid)
}

pub(crate) fn add(metadata: &mut Map, generated: &[(&'static str, &str)]) {
    let labels = child_or_insert(metadata, "labels");
    for (label, value) in generated {
        if !labels.contains_key(label) {
            set(labels, label, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::object;
    use crate::{RequestInfo, of};
    use gotext::value::{Value, json};

    fn created(spec: &Value, had_labels: bool) -> Value {
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec});
        let mut job = object(&job);
        let profile = ServerProfile::default();
        let request = RequestInfo { uid: "u", had_labels, ..RequestInfo::default() };
        let context = Context::of_request(&profile, request);
        of(&job.kind).unwrap().prepare_for_create(&mut job, &context);
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
        let job = created(&spec, false);
        assert_eq!(
            job["spec"]["selector"],
            json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}})
        );
        assert_eq!(job["spec"]["template"]["metadata"]["labels"], labels);
        assert_eq!(job["metadata"]["labels"], labels);
        assert_eq!(created(&spec, true)["metadata"]["labels"], json!({"app": "web"}));
    }

    #[test]
    fn an_author_may_choose_the_selector() {
        let selector = json!({"matchLabels": {"app": "web"}});
        let job = created(&json!({"manualSelector": true, "selector": selector}), false);
        assert_eq!(job["spec"]["selector"], selector);
        assert_eq!(job["spec"]["template"]["metadata"], json!({}));
    }
}
