use gotext::value::json;

use super::*;
use kube_api::{GroupVersionKind, Value};

use gotext::source::SourceFile;

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.ops.example.com}
spec:
  group: ops.example.com
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://convert.example.com"}}}
  names: {plural: backups, singular: backup, kind: Backup, listKind: BackupList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.copies, statusReplicasPath: .status.copies}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              keep: {type: integer, default: 7, maximum: 30}
              copies: {type: integer, maximum: 3}
              days: {type: array, items: {type: string}, x-kubernetes-list-type: set}
            x-kubernetes-validations: [{rule: "self.keep > 0"}]
          status: {type: object, properties: {copies: {type: integer}, phase: {type: string, enum: [Done]}}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"#;

struct Run {
    evaluator: Evaluator,
    defaults: RequestDefaults,
}

impl Run {
    fn new(strict: bool, operation: Option<Operation>) -> Self {
        let profile = Arc::new(ServerProfile::default());
        let evaluator = Evaluator::new(Arc::new(Cluster::new()), Chain::default(), profile, strict);
        let defaults = RequestDefaults {
            namespace: "shop".to_owned(),
            operation,
            apply: Arc::default(),
            user_info: Arc::default(),
            dry_run: false,
            field_validation: kube_api::decode::FieldValidation::Strict,
        };
        Self { evaluator, defaults }
    }

    /// Returns a run in which backups are defined.
    fn with_backups() -> Self {
        let mut run = Self::new(false, None);
        assert_eq!(run.message(DEFINITION), "");
        run
    }

    fn server_side(mut self) -> Self {
        self.defaults.apply = Arc::new(ApplyOptions { apply: Apply::ServerSide, ..ApplyOptions::default() });
        self
    }

    fn try_evaluate(&mut self, text: &str) -> Result<Outcome, Unevaluated> {
        let source = SourceFile::new("a.yaml", text);
        let document = kube_yaml::read(&source).next().expect("a document").expect("is YAML");
        let item = document.unwrap_list().pop().expect("an item");
        let request = Request::new(item, &self.defaults).expect("a request");
        self.evaluator.evaluate(Prepared::new(request, &ServerProfile::default()))
    }

    fn evaluate(&mut self, text: &str) -> Outcome {
        self.try_evaluate(text).expect("a known kind")
    }

    fn message(&mut self, text: &str) -> String {
        self.evaluate(text).status().map(|status| status.message.clone()).unwrap_or_default()
    }

    /// Returns the outcome of an `AdmissionReview` of a backup.
    fn review(&mut self, operation: &str, sub_resource: &str, object: &Value) -> Outcome {
        let resource = json!({"group": "ops.example.com", "version": "v1", "resource": "backups"});
        let request = json!({
            "operation": operation,
            "resource": resource,
            "subResource": sub_resource,
            "namespace": "shop",
            "name": "nightly",
            "object": object,
        });
        let review =
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        self.evaluate(&review.to_string())
    }
}

fn backup(version: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: ops.example.com/{version}, kind: Backup, metadata: {{name: nightly}}, spec: {spec}}}"
    )
}

fn with_spec(object: &Value, spec: &Value) -> Value {
    let mut object = object.clone();
    object["spec"] = spec.clone();
    object
}

fn spec_of(outcome: &Outcome) -> Value {
    let object = outcome.object.as_deref().unwrap_or_else(|| panic!("{:?}", outcome.status()));
    object.value["spec"].clone()
}

#[test]
fn some_updates_name_the_version_they_are_based_on() {
    let mut run = Run::with_backups();
    run.evaluate(&backup("v1", "{}"));
    let lease = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: main}, spec: {}}";
    run.evaluate(lease);
    let mut put = |text: &str| {
        let document =
            kube_yaml::read(&SourceFile::new("", text)).next().expect("a document").expect("is YAML");
        let item = document.unwrap_list().pop().expect("an item");
        let request = Request::new(item, &run.defaults).expect("a request");
        let request = Request { operation: Some(Operation::Update), apply: None, place: None, ..request };
        let outcome = run.evaluator.evaluate(Prepared::new(request, &ServerProfile::default()));
        outcome.expect("a known kind").status().map(|status| status.message.clone()).unwrap_or_default()
    };
    let refusal = "is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update";
    assert_eq!(put(lease), format!("leases.coordination.k8s.io \"main\" {refusal}"));
    assert_eq!(put(&backup("v1", "{}")), format!("backups.ops.example.com \"nightly\" {refusal}"));
    let backup = backup("v1", "{}").replace("nightly", "nightly, resourceVersion: '0'");
    assert_eq!(put(&backup), format!("backups.ops.example.com \"nightly\" {refusal}"));
    assert_eq!(put(&backup.replace("'0'", "'7'")), "");
}

#[test]
fn a_new_object_has_no_version_even_if_it_exists() {
    let mut run = Run::new(false, Some(Operation::Create));
    let settings = |version: &str| {
        format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: settings, resourceVersion: '{version}'}}}}"
        )
    };
    let refusal = "resourceVersion should not be set on objects to be created";
    assert_eq!(run.message(&settings("7")), refusal);
    assert_eq!(run.message(&settings("seven")), "");
    assert_eq!(run.message(&settings("")), "configmaps \"settings\" already exists");
    assert_eq!(run.message(&settings("7")), refusal);
}

#[test]
fn a_definition_makes_its_kind() {
    let mut run = Run::new(false, None);
    let unknown = run.try_evaluate(&backup("v1", "{}")).expect_err("nobody defines it yet");
    assert_eq!(unknown.to_string(), "no matches for kind \"Backup\" in version \"ops.example.com/v1\"");
    let mut run = Run::with_backups();
    let created = run.evaluate(&backup("v1", "{}"));
    assert_eq!(spec_of(&created), json!({"keep": 7}));
    assert_eq!(created.trace.notes, ["assumed namespace \"shop\" (not among the cluster objects)",]);
    assert_eq!(
        run.message(&backup("v1", "{keep: 40}")),
        "Backup.ops.example.com \"nightly\" is invalid: spec.keep: Invalid value: 40: spec.keep in body should be less \
         than or equal to 30"
    );
    assert_eq!(
        run.message(&backup("v1", "{kept: 1}")),
        "Backup in version \"v1\" cannot be handled as a Backup: strict decoding error: unknown field \"spec.kept\""
    );
    run.try_evaluate(&backup("v2", "{}")).expect_err("the version is not served");
}

#[test]
fn a_deprecated_version_warns() {
    let mut run = Run::with_backups();
    let outcome = run.evaluate(&backup("v1beta1", "{any: 1}"));
    assert_eq!(
        outcome.trace.warnings,
        ["ops.example.com/v1beta1 Backup is deprecated; use ops.example.com/v1 Backup"]
    );
    assert_eq!(outcome.trace.audit_annotations["k8s.io/deprecated"], "true");
    assert_eq!(spec_of(&outcome), json!({"keep": 7}));
    let notes = [
        "the conversion webhook of backups.ops.example.com was not called",
        "assumed namespace \"shop\" (not among the cluster objects)",
    ];
    assert_eq!(outcome.trace.notes, notes);
}

#[test]
fn a_manifest_is_applied_to_what_exists() {
    let mut run = Run::with_backups().server_side();
    // Fields set by a review do not belong to an applier.
    let metadata = json!({"name": "nightly", "namespace": "shop"});
    let object = json!({"apiVersion": "ops.example.com/v1", "kind": "Backup", "metadata": metadata});
    run.review("CREATE", "", &with_spec(&object, &json!({"keep": 3, "days": ["mon"]})));
    let updated = run.evaluate(&backup("v1", "{days: [tue]}"));
    assert_eq!(updated.operation, Operation::Update);
    assert_eq!(spec_of(&updated), json!({"keep": 3, "days": ["mon", "tue"]}));
    // Fields of a manifest that the next one does not have are removed; the default of `keep` returns.
    let updated = run.evaluate(&backup("v1", "{keep: 4, days: [wed]}"));
    assert_eq!(spec_of(&updated), json!({"keep": 4, "days": ["mon", "wed"]}));
    let updated = run.evaluate(&backup("v1", "{copies: 1}"));
    assert_eq!(spec_of(&updated), json!({"keep": 7, "days": ["mon"], "copies": 1}));
    // Fields that others have set since stay.
    run.review("UPDATE", "", &with_spec(&object, &json!({"keep": 7, "days": ["mon"], "copies": 2})));
    let updated = run.evaluate(&backup("v1", "{keep: 5}"));
    assert_eq!(spec_of(&updated), json!({"keep": 5, "days": ["mon"], "copies": 2}));
}

#[test]
fn a_manifest_that_says_less_takes_away() {
    let mut run = Run::new(false, None).server_side();
    let settings = |data: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: settings}}, data: {{{data}}}}}")
    };
    let mut data_after = |data: &str| {
        let object = run.evaluate(&settings(data)).object.expect("is admitted");
        object.value["data"].clone()
    };
    assert_eq!(data_after("a: '1', b: '1'"), json!({"a": "1", "b": "1"}));
    assert_eq!(data_after("b: '2', c: '2'"), json!({"b": "2", "c": "2"}));
    assert_eq!(data_after("c: '2'"), json!({"c": "2"}));
    assert_eq!(run.message("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}"), "");
    let twice = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, finalizers: [a/a, a/a]}}";
    assert_eq!(
        run.message(twice),
        "failed to create typed patch object (shop/settings; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries \
         for key [=\"a/a\"]"
    );
}

#[test]
fn a_manifest_of_another_version_is_converted() {
    let mut run = Run::new(true, None);
    let scaler = |version: &str| {
        let target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, maxReplicas: 3";
        format!(
            "{{apiVersion: autoscaling/{version}, kind: HorizontalPodAutoscaler, metadata: {{name: web}}, spec: {{{target}}}}}"
        )
    };
    assert_eq!(run.message(&scaler("v2")), "");
    let outcome = run.evaluate(&scaler("v1"));
    assert_eq!(
        outcome.trace.notes,
        ["HorizontalPodAutoscaler web is in a.yaml:1 already: a.yaml:1 is an update of it"]
    );
}

#[test]
fn a_review_says_itself_what_the_object_becomes() {
    let mut run = Run::with_backups();
    run.evaluate(&backup("v1", "{keep: 3, days: [mon]}"));
    let metadata = json!({"name": "nightly", "namespace": "shop"});
    let object = json!({"apiVersion": "ops.example.com/v1", "kind": "Backup", "metadata": metadata, "spec": {"days": []}});
    let updated = run.review("UPDATE", "", &object);
    assert_eq!(spec_of(&updated), json!({"keep": 7, "days": []}));
}

#[test]
fn subresources_change_what_they_are_for() {
    let mut run = Run::with_backups();
    run.evaluate(&backup("v1", "{keep: 3}"));
    let metadata = json!({"name": "nightly", "namespace": "shop"});
    let with = |keep: u8, phase: &str| {
        let (spec, status) = (json!({"keep": keep}), json!({"phase": phase}));
        json!({"apiVersion": "ops.example.com/v1", "kind": "Backup", "metadata": metadata, "spec": spec, "status": status})
    };
    let through_status = run.review("UPDATE", "status", &with(9, "Done"));
    assert_eq!(spec_of(&through_status), json!({"keep": 3}));
    let status = |outcome: &Outcome| outcome.object.as_deref().map(|object| object.value["status"].clone());
    assert_eq!(status(&through_status), Some(json!({"phase": "Done"})));
    let as_a_whole = run.review("UPDATE", "", &with(9, "Odd"));
    assert_eq!(
        (spec_of(&as_a_whole), status(&as_a_whole)),
        (json!({"keep": 9}), Some(json!({"phase": "Done"})))
    );
    let message =
        |outcome: &Outcome| outcome.status().map(|status| status.message.clone()).unwrap_or_default();
    let odd = run.review("UPDATE", "status", &with(9, "Odd"));
    assert_eq!(
        message(&odd),
        "Backup.ops.example.com \"nightly\" is invalid: [status.phase: Unsupported value: \"Odd\": supported values: \
         \"Done\", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; \
         correct the existing errors to complete validation]"
    );
    let scale = |replicas: u8| json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": replicas}});
    assert_eq!(spec_of(&run.review("UPDATE", "scale", &scale(2))), json!({"replicas": 2}));
    let too_many = run.review("UPDATE", "scale", &scale(4));
    assert_eq!(
        message(&too_many),
        "Backup.ops.example.com \"nightly\" is invalid: spec.copies: Invalid value: 4: spec.copies in body should be \
         less than or equal to 3"
    );
    let stored = run.review("UPDATE", "", &with(1, ""));
    assert_eq!(spec_of(&stored), json!({"keep": 1}));
    let missing = run.review("UPDATE", "log", &scale(1));
    assert_eq!(message(&missing), "backups.ops.example.com \"nightly\" not found");
    let created = run.review("CREATE", "status", &with(1, "Done"));
    assert_eq!(message(&created), "create is not supported on resources of kind \"backups.ops.example.com\"");
}

#[test]
fn deleting_a_job_warns_about_its_pods_and_options() {
    let outcome = |options: Value| {
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "report", "namespace": "shop"}});
        let request = json!({
            "operation": "DELETE",
            "resource": {"group": "batch", "version": "v1", "resource": "jobs"},
            "namespace": "shop",
            "name": "report",
            "oldObject": job,
            "options": options,
        });
        let review =
            json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
        Run::new(false, None).evaluate(&review.to_string())
    };
    let warnings = |options| outcome(options).trace.warnings;
    assert_eq!(
        warnings(json!({})),
        [
            "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or \
          set propagationPolicy=Orphan to suppress this warning"
        ]
    );
    assert!(warnings(json!({"propagationPolicy": "Background"})).is_empty());
    let ignoring = outcome(json!({"ignoreStoreReadErrorWithClusterBreakingPotential": true}));
    assert_eq!(
        ignoring.status().map(|status| &*status.message),
        Some(
            "jobs.batch \"report\" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is \
             exclusively used to delete corrupt object(s), try again by removing this option"
        )
    );
}

#[test]
fn kubectl_deletes_what_an_object_owns() {
    let job = "{apiVersion: batch/v1, kind: Job, metadata: {name: load, namespace: shop}, spec: {template: {spec: \
               {containers: [{name: a, image: a}], restartPolicy: Never}}}}";
    let mut run = Run::new(false, None);
    assert_eq!(run.message(job), "");
    run.defaults.apply = Arc::new(ApplyOptions { apply: Apply::Delete, ..ApplyOptions::default() });
    let outcome = run.evaluate(job);
    assert!(outcome.allowed());
    assert!(outcome.trace.warnings.is_empty(), "{:?}", outcome.trace.warnings);
}

#[test]
fn the_operation_may_be_given() {
    let text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: '1'}, other: 1}";
    let mut strict = Run::new(true, Some(Operation::Delete));
    assert_eq!(strict.message(text), "configmaps \"settings\" not found");
    let mut run = Run::new(false, Some(Operation::Delete));
    let deleted = run.evaluate(text);
    assert!(deleted.allowed() && deleted.object.is_none());
    assert_eq!(
        deleted.trace.notes,
        [
            "assumed namespace \"shop\" (not among the cluster objects)",
            "assumed ConfigMap \"settings\" (not among the cluster objects)",
        ]
    );
    let text = text.replace(", other: 1", "");
    run.defaults.operation = Some(Operation::Update);
    assert_eq!(run.message(&text), "configmaps \"settings\" not found");
    run.defaults.operation = Some(Operation::Create);
    assert_eq!(run.message(&text), "");
    assert_eq!(run.message(&text), "configmaps \"settings\" already exists");
    run.defaults.operation = Some(Operation::Delete);
    assert_eq!(run.message(&text), "");
    run.evaluator.strict = true;
    assert_eq!(run.message(&text), "configmaps \"settings\" not found");
}

#[test]
fn a_review_with_labels_is_refused_with_its_managed_fields() {
    let review = "{apiVersion: authorization.k8s.io/v1, kind: SelfSubjectAccessReview, metadata: {labels: {a: b}}, \
                  spec: {nonResourceAttributes: {path: /version, verb: get}}}";
    let fields = r#"{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:nonResourceAttributes":{".":{},"f:path":{},"f:verb":{}}}}"#;
    assert_eq!(
        Run::new(false, Some(Operation::Create)).message(review),
        format!(
            ".authorization.k8s.io \"\" is invalid: metadata: Invalid value: {{\"labels\":{{\"a\":\"b\"}},\
             \"managedFields\":[{{\"manager\":\"unknown\",\"operation\":\"Update\",\"apiVersion\":\
             \"authorization.k8s.io/v1\",\"time\":\"2026-01-01T00:00:00Z\",\"fieldsType\":\"FieldsV1\",\
             \"fieldsV1\":{fields}}}]}}: must be empty"
        )
    );
}

#[test]
fn a_pod_that_is_kept_by_a_finalizer_is_not_charged() {
    let mut run = Run::new(true, None);
    let pod = |more: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, {more}}}\nspec: {{containers: [{{name: a, image: a}}]{spec}}}"
        )
    };
    run.evaluator.cluster.put(
        &kube_api::resources::NAMESPACES,
        Arc::new(Object::new(
            GroupVersionKind::new("", "v1", "Namespace"),
            json!({"metadata": {"name": "shop"}}),
        )),
    );
    assert_eq!(run.message(&pod("finalizers: [a.b/c]", "")), "");
    run.defaults.operation = Some(Operation::Delete);
    assert_eq!(run.message(&pod("", "")), "");
    run.defaults.operation = Some(Operation::Create);
    assert_eq!(run.message(&pod("", "")), "object is being deleted: pods \"a\" already exists");
    let stored = || run.evaluator.cluster.get(&kube_api::resources::PODS, "shop", "a");
    assert_eq!(stored().unwrap().value["metadata"]["deletionGracePeriodSeconds"], 0);
    run.defaults.operation = Some(Operation::Update);
    assert_eq!(run.message(&pod("", "")), "");
    let stored = || run.evaluator.cluster.get(&kube_api::resources::PODS, "shop", "a");
    assert_eq!(stored(), None, "the last finalizer is gone");
}

/// Controllers make these objects in every namespace, in an assumed one too.
#[test]
fn a_default_service_account_is_changed_where_its_namespace_is_assumed() {
    let mut run = Run::new(false, None);
    let account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}, \
                   automountServiceAccountToken: false}";
    let changed = run.evaluate(account);
    assert_eq!((changed.operation, changed.status()), (Operation::Update, None));
    assert_eq!(changed.trace.notes, ["assumed namespace \"shop\" (not among the cluster objects)"]);
    let created = run.evaluate("{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}");
    assert_eq!((created.operation, created.status()), (Operation::Create, None));
}
