//! Answers of the plugins in cases without a recording.

use std::sync::Arc;

use crate::admission::{Attributes, Chain, Link, Operation, Trace};
use crate::plugin::testing::{create, initializer, object, pod, with_spec};
use crate::plugin::{OpenShiftOptions, PluginConfiguration, PluginInitializer, find};
use gotext::value::json;
use kube_api::distribution::{OriginRelease, Server};
use kube_api::{GroupVersionResource, Value};

fn on(server: Server, objects: impl IntoIterator<Item = Value>) -> PluginInitializer {
    PluginInitializer { server, ..initializer(objects) }
}

/// Returns why the plugin does not start with `configuration`.
fn not_started(plugin: &str, configuration: &Value) -> String {
    let configuration = PluginConfiguration::from(configuration.to_string());
    let started = find(plugin).unwrap().build(&on(Server::OpenShift, []), Some(&configuration));
    started.err().map(|error| error.to_string()).unwrap_or_default()
}

/// Returns the message with which both halves of the plugin refuse `request`; nothing if they let it pass.
fn refused(
    plugin: &str,
    initializer: &PluginInitializer,
    configuration: Option<&Value>,
    mut request: Attributes,
) -> String {
    let configuration = configuration.map(|given| PluginConfiguration::from(given.to_string()));
    let handler = find(plugin).unwrap().build(initializer, configuration.as_ref()).unwrap();
    let chain = Chain::new(vec![Link { name: "tested", operations: Operation::ALL, handler }]);
    let mut trace = Trace::default();
    let mutated = chain.admit(&mut request, &mut trace, &|_| Ok(()));
    let result = mutated.and_then(|()| chain.validate(&request, &mut trace));
    result.err().map(|refusal| refusal.status.message.clone()).unwrap_or_default()
}

fn shop(annotations: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": annotations}})
}

#[test]
fn configurations_are_refused_in_the_words_of_go() {
    let plugin = "autoscaling.openshift.io/ClusterResourceOverride";
    let of = |given: Value| {
        let mut whole =
            json!({"apiVersion": "autoscaling.openshift.io/v1", "kind": "ClusterResourceOverrideConfig"});
        for (field, value) in given.as_object().into_iter().flatten() {
            whole[field.as_str()] = value.clone();
        }
        not_started(plugin, &whole)
    };
    let unregistered = "error reading config: no kind \"RunOnceDurationConfig\" is registered for version \
                        \"autoscaling.openshift.io/v1\" in scheme \
                        \"github.com/openshift/library-go/pkg/config/helpers/readresource.go:36\"";
    assert_eq!(of(json!({"kind": "RunOnceDurationConfig"})), unregistered);
    let field = "into Go struct field ClusterResourceOverrideConfig.limitCPUToMemoryPercent of type int64";
    assert_eq!(
        of(json!({"limitCPUToMemoryPercent": "1"})),
        format!("error reading config: json: cannot unmarshal string {field}")
    );
    assert_eq!(
        of(json!({"limitCPUToMemoryPercent": 1.5})),
        format!("error reading config: json: cannot unmarshal number 1.5 {field}")
    );
    assert_eq!(
        not_started(plugin, &json!({"apiVersion": "autoscaling.openshift.io/v1"})),
        "error reading config: Object 'Kind' is missing in '{\"apiVersion\":\"autoscaling.openshift.io/v1\"}'"
    );
}

#[test]
fn limits_of_projects_are_checked_one_after_the_other() {
    let of = |limits: Value| {
        let kind = "ProjectRequestLimitConfig";
        let whole = json!({"apiVersion": "project.openshift.io/v1", "kind": kind, "limits": limits});
        not_started("project.openshift.io/ProjectRequestLimit", &whole)
    };
    assert_eq!(
        of(json!([{"selector": {"a": "-"}, "maxProjects": -1}, {"maxProjects": -2}])),
        "[limits[0].selector: Invalid value: \"-\": a valid label must be an empty string or consist of alphanumeric \
         characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
         'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), \
         limits[0].maxProjects: Invalid value: -1: cannot be a negative number, limits[1].maxProjects: Invalid value: \
         -2: cannot be a negative number]"
    );
    assert_eq!(
        of(json!([{"selector": {"a": 5}}])),
        "error reading config: json: cannot unmarshal number into Go struct field ProjectLimitBySelector.limits.selector \
         of type string"
    );
}

#[test]
fn rules_about_images_are_read_by_their_types() {
    let of = |rule: Value| not_started("image.openshift.io/ImagePolicy", &json!({"executionRules": [rule]}));
    assert_eq!(of(json!({"name": "a"})), "");
    assert_eq!(
        of(json!({"name": 5})),
        "json: cannot unmarshal number into Go struct field ImageExecutionPolicyRule.executionRules.ImageCondition.name of \
         type string"
    );
    assert_eq!(
        of(json!({"onResources": "pods"})),
        "json: cannot unmarshal string into Go struct field \
         ImageExecutionPolicyRule.executionRules.ImageCondition.onResources of type []v1.GroupResource"
    );
    assert_eq!(
        not_started("image.openshift.io/ImagePolicy", &json!({"resolutionRules": [{"localNames": "yes"}]})),
        "json: cannot unmarshal string into Go struct field ImageResolutionPolicyRule.resolutionRules.localNames of type \
         bool"
    );
    assert_eq!(
        not_started("image.openshift.io/ImagePolicy", &json!({"resolveImages": true})),
        "json: cannot unmarshal bool into Go struct field ImagePolicyConfig.resolveImages of type v1.ImageResolutionType"
    );
}

#[test]
fn addresses_of_the_configured_networks_come_before_those_of_the_link() {
    let initializer = PluginInitializer {
        authorizer: Arc::new(crate::cluster::authorizer::Authorizer::new(
            initializer([]).cluster,
            vec![crate::cluster::authorizer::AuthorizationMode::Rbac],
        )),
        ..on(Server::OpenShift, [])
    };
    let configuration = json!({
        "apiVersion": "network.openshift.io/v1",
        "kind": "RestrictedEndpointsAdmissionConfig",
        "restrictedCIDRs": ["10.0.0.0/8"],
    });
    let addresses = json!([{"ip": "169.254.1.1"}, {"ip": "10.1.2.3"}]);
    let endpoints = json!({
        "apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web", "namespace": "shop"},
        "subsets": [{"addresses": addresses}],
    });
    let mut request = create(endpoints);
    request.resource = GroupVersionResource::new("", "v1", "endpoints");
    let plugin = "network.openshift.io/RestrictedEndpointsAdmission";
    let message = refused(plugin, &initializer, Some(&configuration), request);
    assert!(message.ends_with("is forbidden: endpoint address 10.1.2.3 is not allowed"), "{message}");
}

#[test]
fn a_restriction_of_nothing_is_printed_as_go_prints_it() {
    let restriction = json!({
        "apiVersion": "authorization.openshift.io/v1", "kind": "RoleBindingRestriction",
        "metadata": {"name": "empty", "namespace": "shop"}, "spec": {},
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "web", "namespace": "shop"},
        "subjects": [{"kind": "User", "name": "carol"}],
    });
    let plugin = "authorization.openshift.io/RestrictSubjectBindings";
    let message =
        refused(plugin, &on(Server::OpenShift, [restriction.clone()]), None, create(binding.clone()));
    let nothing = "&RoleBindingRestrictionSpec{UserRestriction:nil,GroupRestriction:nil,\
                   ServiceAccountRestriction:nil,}";
    assert!(message.contains(nothing), "{message}");
    let origin = on(Server::Origin(OriginRelease::V1_4), [restriction]);
    let message = refused(plugin, &origin, None, create(binding));
    assert!(message.contains("&{<nil> <nil> <nil>}"), "{message}");
}

#[test]
fn node_selectors_of_projects_are_refused_by_the_first_token_that_is_wrong() {
    let said = |selector: &str| {
        let shop = shop(&json!({"openshift.io/node-selector": selector}));
        let request = create(pod(json!({"containers": []})));
        refused(
            "scheduling.openshift.io/OriginPodNodeEnvironment",
            &on(Server::OpenShift, [shop]),
            None,
            request,
        )
    };
    for (selector, error) in [
        ("=a", "found '=', expected: identifier or 'end of string'"),
        ("a", "unable to parse requirement: found '', expected: '='"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a=b,", "found '', expected: identifier after ','"),
    ] {
        assert_eq!(said(selector), error, "{selector}");
    }
    assert_eq!(said(" a = b , c = "), "");
}

#[test]
fn image_policies_apply_to_what_has_images() {
    let on = json!([{"resource": "pods"}, {"resource": "replicationcontrollers"}]);
    let rules = json!([{"name": "none", "reject": true, "onResources": on, "matchRegistries": ["quay.io"]}]);
    let configuration =
        json!({"apiVersion": "image.openshift.io/v1", "kind": "ImagePolicyConfig", "executionRules": rules});
    let said = |value: Value| {
        let cluster = self::on(Server::OpenShift, [shop(&json!({}))]);
        let mut request = create(value);
        request.namespace = "shop".to_owned();
        refused("image.openshift.io/ImagePolicy", &cluster, Some(&configuration), request)
    };
    let twice = json!([{"name": "a", "image": "quay.io/a/b:1"}, {"name": "b", "image": "quay.io/a/b:1"}]);
    let message = said(pod(json!({"containers": twice})));
    assert_eq!(message.matches("spec.containers").count(), 1, "{message}");
    let template = with_spec("v1", "ReplicationController", json!({"replicas": 1}));
    assert!(object(template.clone()).at(["spec", "template"]).is_none());
    let message = said(template);
    assert_eq!(
        message,
        "replicationcontrollers \"web\" is forbidden: unable to apply image policy against objects of type \
         *core.ReplicationController: No list of images available for this object"
    );
}

#[test]
fn inline_volumes_need_the_level_of_their_driver() {
    let namespace = |labels: Value| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}});
    let driver = |level: &str| {
        let labels = json!({"security.openshift.io/csi-ephemeral-volume-profile": level});
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "a.csi", "labels": labels}})
    };
    let message = |enforce: &str, level: &str| {
        let mut labels = json!({});
        for mode in ["enforce", "warn", "audit"] {
            labels[format!("pod-security.kubernetes.io/{mode}").as_str()] = enforce.into();
        }
        let volumes = json!([{"name": "v", "csi": {"driver": "a.csi"}}]);
        let initializer = on(Server::OpenShift, [namespace(labels), driver(level)]);
        let request = create(pod(json!({"containers": [], "volumes": volumes})));
        refused("storage.openshift.io/CSIInlineVolumeSecurity", &initializer, None, request)
    };
    let lower = |level: &str| {
        format!(
            "pods \"web\" is forbidden: web uses an inline volume provided by CSIDriver a.csi and namespace shop has a \
             pod security enforce level that is lower than {level}"
        )
    };
    assert_eq!(message("restricted", "baseline"), lower("baseline"));
    assert_eq!(message("baseline", "privileged"), lower("privileged"));
    assert_eq!(message("baseline", "baseline"), "");
    assert_eq!(message("privileged", "none"), "");
    assert_eq!(
        message("baseline", "none"),
        "pods \"web\" is forbidden: invalid label security.openshift.io/csi-ephemeral-volume-profile for CSIDriver \
         a.csi: must be one of privileged, baseline, restricted"
    );
    let wrong = message("strict", "baseline");
    assert!(
        wrong.contains(
            "invalid policy found on namespace shop: [metadata.labels[pod-security.kubernetes.io/enforce]: "
        ),
        "{wrong}"
    );
}

#[test]
fn labels_of_a_namespace_set_how_volumes_are_labelled() {
    let options = OpenShiftOptions { performant_security_policy: true, ..OpenShiftOptions::default() };
    let labels = json!({
        "storage.openshift.io/fsgroup-change-policy": "OnRootMismatch",
        "storage.openshift.io/selinux-change-policy": "Sometimes",
    });
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}});
    let initializer = PluginInitializer { openshift: Arc::new(options), ..initializer([namespace]) };
    let handler =
        find("storage.openshift.io/PerformantSecurityPolicy").unwrap().build(&initializer, None).unwrap();
    let chain = Chain::new(vec![Link { name: "tested", operations: Operation::ALL, handler }]);
    let set = |spec: Value| {
        let (mut request, mut trace) = (create(pod(spec)), Trace::default());
        chain.admit(&mut request, &mut trace, &|_| Ok(())).unwrap();
        (request.object.unwrap().value["spec"]["securityContext"].clone(), trace.warnings)
    };
    let warning = "found storage.openshift.io/selinux-change-policy label with invalid selinuxPolicy: Sometimes on shop \
                   namespace";
    let (context, warnings) = set(json!({"containers": []}));
    assert_eq!(
        (context, &*warnings),
        (json!({"fsGroupChangePolicy": "OnRootMismatch"}), &[warning.to_owned()][..])
    );
    let given = json!({"fsGroupChangePolicy": "Always", "seLinuxChangePolicy": "Recursive"});
    assert_eq!(set(json!({"containers": [], "securityContext": given})), (given, Vec::new()));
}

#[test]
fn annotations_of_workloads_are_refused_in_the_words_of_go() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"management.workload.openshift.io/cores": "4"}}});
    let infrastructure = json!({
        "apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"},
        "status": {"controlPlaneTopology": "SingleReplica", "infrastructureTopology": "SingleReplica"},
    });
    let message = |annotations: Value, allowed: &str| {
        let shop = shop(&json!({"workload.openshift.io/allowed": allowed}));
        let initializer = on(Server::OpenShift, [shop, node.clone(), infrastructure.clone()]);
        let mut pod = pod(json!({"containers": []}));
        pod["metadata"]["annotations"] = annotations;
        let message =
            refused("autoscaling.openshift.io/ManagementCPUsOverride", &initializer, None, create(pod));
        message.rsplit_once("}\": ").map_or(message.clone(), |(_, detail)| detail.to_owned())
    };
    let target = "target.workload.openshift.io/management";
    let effect = |value: &str| message(json!({target: value}), "management");
    assert_eq!(effect("{\"effect\": \"PreferredDuringScheduling\"}"), "");
    for (value, error) in [
        ("{\"effect\": \"NoSchedule\"}", "only \"PreferredDuringScheduling\" effect is supported"),
        (
            "{}",
            "failed to get workload annotation effect: the workload annotation value map[] does not have \"effect\" key",
        ),
        (
            "{\"a\": \"1\", \"effect\": \"2\"}",
            "failed to get workload annotation effect: the workload annotation value map[\"a\":\"1\" \"effect\":\"2\"] \
             has more than one key",
        ),
        (
            "[]",
            "failed to get workload annotation effect: failed to parse \"[]\" annotation value: json: cannot unmarshal \
             array into Go value of type map[string]string",
        ),
    ] {
        assert!(effect(value).ends_with(error), "{value}: {}", effect(value));
    }
    let two = json!({target: "{}", "target.workload.openshift.io/other": "{}"});
    assert!(message(two, "management").ends_with("the pod can not have more than one workload annotations"));
    assert_eq!(
        message(json!({target: "{\"effect\": \"PreferredDuringScheduling\"}"}), "other"),
        "pods \"web\" is forbidden: autoscaling.openshift.io/ManagementCPUsOverride the pod namespace \"shop\" does not \
         allow the workload type management"
    );
}
