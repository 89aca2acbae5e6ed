//! Refuses pods that no `PodSecurityPolicy` usable by their user or service account accepts, and fills in what the
//! accepting policy requires: users, groups, SELinux options, capabilities, profiles. Without it, users who may create
//! pods may do anything on a node. Pod Security admission replaced it; it has three levels instead of policies, and
//! does not change pods.
//!
//! The level closest to a policy is `privileged` if the policy allows any of: privileged containers, namespaces or
//! ports of the host, `hostPath` volumes, capabilities beyond the default ones, unsafe sysctls, an unmasked `/proc`. It
//! is `restricted` if the policy requires a non-root user, forbids privilege escalation, drops all capabilities, allows
//! only the volumes of the restricted level, and lists seccomp profiles without `unconfined`. It is `baseline` in
//! between. SELinux options, groups and `AppArmor` profiles are not taken into account. With `--explain-migration`,
//! each evaluated pod has a note with the level closest to the policy that accepted it. The values that a policy fills
//! in must then be written into the workloads.
//!
//! # When it rejects
//!
//! - There is no policy, or none is valid because its rules are incomplete.
//! - Every usable policy forbids something in the pod.
//! - Neither the user nor the pod's service account may use a policy (verb `use`).
//! - A pod is updated so that only a policy which would change it accepts it.
//!
//! # Cluster objects it reads
//!
//! `podsecuritypolicies.policy`, roles and bindings (verb `use`).
//!
//! # Offline
//!
//! Where several policies refuse a pod, their errors are listed in the order of the policies' names; the server has no
//! order.
//!
//! # Since
//!
//! Before 1.10, until 1.24; off unless enabled. Inline CSI drivers and runtime classes are checked since 1.14, seccomp
//! profiles in fields since 1.19.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/security/podsecuritypolicy`, `k8s.io/kubernetes/pkg/security`

mod check;
mod fill;
mod level;
mod provider;
mod seccomp;
mod volume;

use std::sync::Arc;

use crate::admission::{
    Attributes, Evidence, Handler, MutationInterface, Need, Operation, Recorder, Refusal, UserInfo,
    ValidationInterface,
};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use kube_api::field::{self, Path, Segment};
use kube_api::resources::POD_SECURITY_POLICIES;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, Object, Value};

use provider::Provider;

/// The annotation that names the policy which accepted the pod.
const TAKEN_BY: &str = "kubernetes.io/psp";
const ADMIT: &str = "podsecuritypolicy.policy.k8s.io/admit-policy";
const VALIDATE: &str = "podsecuritypolicy.policy.k8s.io/validate-policy";

/// The first release whose messages name the plugin.
const NAMES_ITSELF: Version = Version::minor(19);

pub(in crate::plugin) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::both(PodSecurityPolicy {
        cluster: initializer.cluster.clone(),
        authorizer: initializer.authorizer.clone(),
        profile: initializer.profile.clone(),
        release: initializer.profile.release(),
        explain_migration: initializer.explain_migration,
    })
}

struct PodSecurityPolicy {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
    profile: Arc<ServerProfile>,
    release: Version,
    explain_migration: bool,
}

/// A policy that accepts the pod, and the changed pod.
struct Taken {
    policy: Arc<Object>,
    pod: Object,
}

/// The errors of the usable policies, by policy.
type Refusals = Vec<(Arc<Object>, Vec<field::Error>)>;

impl MutationInterface for PodSecurityPolicy {
    fn admit(&self, attributes: &mut Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if attributes.operation != Operation::Create || !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.clone() else { return Ok(()) };
        match self.choose(&pod, attributes, true)? {
            Ok(Taken { policy, pod: mut taken }) => {
                taken.set(["metadata", "annotations", TAKEN_BY], policy.name());
                recorder.add_audit_annotation(ADMIT, policy.name());
                if self.explain_migration {
                    recorder.add_note(level::explain(&policy));
                }
                if taken.value != pod.value {
                    attributes.object = Some(Arc::new(taken));
                }
                Ok(())
            }
            Err(refusals) => {
                let refusal = self.refuse(attributes, "unable to admit pod", &refusals);
                Err(refusal.needing(self.need(attributes, &pod)))
            }
        }
    }
}

impl ValidationInterface for PodSecurityPolicy {
    fn validate(&self, attributes: &Attributes, recorder: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.is_for("", "pods") {
            return Ok(());
        }
        let Some(pod) = attributes.object.as_deref() else { return Ok(()) };
        let old = attributes.old_object.as_deref().filter(|_| attributes.operation == Operation::Update);
        if old.is_some_and(|old| differs_for_the_collector_only(pod, old)) {
            return Ok(());
        }
        match self.choose(pod, attributes, false)? {
            Ok(Taken { policy, .. }) => {
                recorder.add_audit_annotation(VALIDATE, policy.name());
                Ok(())
            }
            Err(refusals) => Err(self.refuse(attributes, "unable to validate pod", &refusals)),
        }
    }
}

impl PodSecurityPolicy {
    /// Returns the policy that accepts the pod, preferably one that changes nothing; or the errors of the policies.
    ///
    /// Source: `computeSecurityContext`.
    fn choose(
        &self,
        pod: &Object,
        attributes: &Attributes,
        may_change: bool,
    ) -> Result<Result<Taken, Refusals>, Refusal> {
        let mut policies = self.cluster.list_all(&POD_SECURITY_POLICIES);
        if !may_change {
            let hint = pod.annotation(TAKEN_BY).unwrap_or_default();
            policies.sort_by_key(|policy| policy.name() != hint);
        }
        let providers: Vec<_> =
            policies.iter().filter_map(|policy| Provider::new(policy, self.release, &self.profile)).collect();
        if providers.is_empty() {
            return Err(attributes.new_forbidden(self.says("no providers available to validate pod request")));
        }
        let (mut changed, mut refusals) = (None, Refusals::new());
        for provider in providers {
            let filled = fill::pod(&provider, pod);
            let errors = check::pod(&provider, &filled);
            if !errors.is_empty() {
                refusals.push((provider.policy.clone(), errors));
                continue;
            }
            let is_changed = filled.value != pod.value;
            if is_changed && !may_change || !self.may_use(attributes, pod, provider.policy.name()) {
                continue;
            }
            let taken = Taken { policy: provider.policy.clone(), pod: filled };
            if !is_changed {
                return Ok(Ok(taken));
            }
            changed.get_or_insert(taken);
        }
        refusals.retain(|(policy, _)| self.may_use(attributes, pod, policy.name()));
        refusals.sort_by(|(left, _), (right, _)| left.name().cmp(right.name()));
        Ok(changed.ok_or(refusals))
    }

    /// Returns the right of the pod's service account to use the policy that accepts the pod, if there is one: the first
    /// by name, since policies have no order by what they allow.
    fn need(&self, attributes: &Attributes, pod: &Object) -> Option<Need> {
        let mut policies = self.cluster.list_all(&POD_SECURITY_POLICIES);
        policies.sort_by(|left, right| left.name().cmp(right.name()));
        let accepts = |policy: &&Arc<Object>| {
            Provider::new(policy, self.release, &self.profile)
                .is_some_and(|provider| check::pod(&provider, &fill::pod(&provider, pod)).is_empty())
        };
        let policy = policies.iter().find(accepts)?;
        let (namespace, account) = (&attributes.namespace, pod.text(["spec", "serviceAccountName"]));
        let resource = use_of(namespace, "policy", policy.name());
        let right = if account.is_empty() {
            attributes.user_info.access("use", resource).right()
        } else {
            UserInfo::of_service_account(namespace, account).access("use", resource).right()
        };
        right.map(Need::Right)
    }

    /// Whether the pod's service account or the user may use the policy.
    fn may_use(&self, attributes: &Attributes, pod: &Object, policy: &str) -> bool {
        let namespace = &attributes.namespace;
        let account = pod.text(["spec", "serviceAccountName"]);
        let may = |user: &UserInfo| {
            ["policy", "extensions"].into_iter().any(|group| {
                self.authorizer.authorize(&user.access("use", use_of(namespace, group, policy))).allowed
            })
        };
        !account.is_empty() && may(&UserInfo::of_service_account(namespace, account))
            || may(&attributes.user_info)
    }

    fn refuse(&self, attributes: &Attributes, failure: &str, refusals: &Refusals) -> Refusal {
        let errors = || refusals.iter().flat_map(|(_, errors)| errors);
        let failure = if self.release >= NAMES_ITSELF {
            failure
        } else {
            "unable to validate against any pod security policy"
        };
        let texts: Vec<String> = errors().map(ToString::to_string).collect();
        let text = self.says(&format!("{failure}: [{}]", texts.join(" ")));
        let fields = errors().filter_map(|error| error.path.as_ref()).map(in_pod);
        let refusal = attributes.new_forbidden(text).at_all(fields);
        refusals.iter().fold(refusal, |refusal, (policy, errors)| refusal.because(evidence(policy, errors)))
    }

    fn says(&self, text: &str) -> String {
        if self.release >= NAMES_ITSELF { format!("PodSecurityPolicy: {text}") } else { text.to_owned() }
    }
}

fn use_of<'a>(namespace: &'a str, group: &'a str, name: &'a str) -> ResourceAttributes<'a> {
    static RESOURCE: GroupResource = POD_SECURITY_POLICIES;
    ResourceAttributes {
        namespace,
        group,
        resource: &RESOURCE.resource,
        name,
        ..ResourceAttributes::default()
    }
}

/// Source: `rbacregistry.IsOnlyMutatingGCFields`.
fn differs_for_the_collector_only(pod: &Object, old: &Object) -> bool {
    const FIELDS: [&str; 5] =
        ["ownerReferences", "finalizers", "selfLink", "managedFields", "resourceVersion"];
    let without = |object: &Object| {
        let mut value = object.value.clone();
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            for field in FIELDS {
                metadata.remove(field);
            }
        }
        value
    };
    without(pod) == without(old)
}

/// Returns the field of the pod that a path in a message is about, which may begin with `pod`.
fn in_pod(path: &Path) -> Path {
    let segments = path.segments();
    let [Segment::Field(root), Segment::Field(first), rest @ ..] = segments.as_slice() else {
        return path.clone();
    };
    if root != "pod" {
        return path.clone();
    }
    Path::named(first.clone()).extended(rest.iter().copied())
}

fn evidence(policy: &Object, errors: &[field::Error]) -> Evidence {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Evidence::of(POD_SECURITY_POLICIES, policy, format!("does not take the pod: {}", errors.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::testing::{Bench, create, pod, update};
    use gotext::value::json;

    fn policy(name: &str, spec: &Value) -> Value {
        let mut whole = json!({
            "privileged": true,
            "allowPrivilegeEscalation": true,
            "seLinux": {"rule": "RunAsAny"},
            "runAsUser": {"rule": "RunAsAny"},
            "fsGroup": {"rule": "RunAsAny"},
            "supplementalGroups": {"rule": "RunAsAny"},
            "volumes": ["*"],
        });
        for (field, value) in spec.as_object().into_iter().flatten() {
            whole[field.as_str()] = value.clone();
        }
        json!({
            "apiVersion": "policy/v1beta1",
            "kind": "PodSecurityPolicy",
            "metadata": {"name": name},
            "spec": whole,
        })
    }

    fn bench(release: u32, policies: impl IntoIterator<Item = Value>) -> Bench {
        Bench::of_release("PodSecurityPolicy", Version::minor(release), policies)
    }

    fn web(context: &Value) -> Value {
        pod(json!({"containers": [{"name": "web", "securityContext": context}]}))
    }

    #[test]
    fn admits_by_a_policy_that_changes_nothing_before_one_that_does() {
        let strict = policy("a", &json!({"readOnlyRootFilesystem": true}));
        let admitted = bench(20, [strict.clone(), policy("b", &json!({}))]).admitted(create(web(&json!({}))));
        assert_eq!(admitted["metadata"]["annotations"], json!({"kubernetes.io/psp": "b"}));
        let admitted = bench(20, [strict]).admitted(create(web(&json!({}))));
        assert_eq!(
            admitted["spec"]["containers"][0]["securityContext"],
            json!({"readOnlyRootFilesystem": true})
        );
    }

    #[test]
    fn admits_with_what_the_policy_demands() {
        let rules = json!({
            "runAsUser": {"rule": "MustRunAs", "ranges": [{"min": 1000, "max": 2000}]},
            "supplementalGroups": {"rule": "MustRunAs", "ranges": [{"min": 7, "max": 9}]},
            "requiredDropCapabilities": ["KILL"],
            "defaultAddCapabilities": ["CHOWN"],
        });
        let admitted = bench(20, [policy("a", &rules)]).admitted(create(web(&json!({}))));
        assert_eq!(admitted["spec"]["securityContext"], json!({"supplementalGroups": [7]}));
        assert_eq!(
            admitted["spec"]["containers"][0]["securityContext"],
            json!({"runAsUser": 1000, "capabilities": {"add": ["CHOWN"], "drop": ["KILL"]}})
        );
    }

    #[test]
    fn rejects_with_everything_that_the_policies_say() {
        let rules = json!({"privileged": false, "volumes": []});
        let mut object = web(&json!({"privileged": true}));
        object["spec"]["volumes"] = json!([{"name": "a", "hostPath": {"path": "/"}}]);
        let refused = |release| {
            let refusal =
                bench(release, [policy("a", &rules)]).admit(&mut create(object.clone())).unwrap_err();
            refusal.status.message.clone()
        };
        let list = "[spec.volumes[0]: Invalid value: \"hostPath\": hostPath volumes are not allowed to be used \
                    spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not \
                    allowed]";
        assert_eq!(
            refused(20),
            format!("pods \"web\" is forbidden: PodSecurityPolicy: unable to admit pod: {list}")
        );
        assert_eq!(
            refused(13),
            format!("pods \"web\" is forbidden: unable to validate against any pod security policy: {list}")
        );
    }

    #[test]
    fn rejects_where_no_policy_can_be_used() {
        let incomplete = policy("a", &json!({"runAsUser": {"rule": "MustRunAs"}}));
        let refusal = bench(20, [incomplete]).admit(&mut create(web(&json!({})))).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: PodSecurityPolicy: no providers available to validate pod request"
        );
    }

    #[test]
    fn leaves_profiles_alone_where_the_default_is_empty() {
        let mut policy = policy("a", &json!({}));
        policy["metadata"]["annotations"] =
            json!({"apparmor.security.beta.kubernetes.io/defaultProfileName": ""});
        let admitted = bench(20, [policy]).admitted(create(web(&json!({}))));
        assert_eq!(admitted["metadata"]["annotations"], json!({"kubernetes.io/psp": "a"}));
    }

    fn gated(gates: &str, policies: impl IntoIterator<Item = Value>) -> Bench {
        let profile = ServerProfile::of_release(Version::minor(20), []).with(gates).unwrap();
        let initializer =
            PluginInitializer { profile: Arc::new(profile), ..crate::plugin::testing::initializer(policies) };
        Bench::of("PodSecurityPolicy", new(&initializer), initializer.cluster.clone())
    }

    #[test]
    fn rejects_mounts_of_proc_where_the_gate_drops_the_rule() {
        let rules = json!({"allowedProcMountTypes": ["Default", "Unmasked"]});
        let object = web(&json!({"procMount": "Unmasked"}));
        let bench = |gates: &str| gated(gates, [policy("a", &rules)]);
        let refusal = bench("").admit(&mut create(object.clone())).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: PodSecurityPolicy: unable to admit pod: \
             [spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": ProcMountType is not allowed]"
        );
        assert_eq!(bench("ProcMountType=true").admit(&mut create(object)), Ok(()));
    }

    #[test]
    fn rejects_ephemeral_containers_with_their_gate() {
        let mut old = web(&json!({}));
        old["spec"]["ephemeralContainers"] =
            json!([{"name": "debug", "securityContext": {"privileged": true}}]);
        let mut new = old.clone();
        new["metadata"]["labels"] = json!({"a": "b"});
        let bench = |gates: &str| gated(gates, [policy("a", &json!({"privileged": false}))]);
        let refusal =
            bench("EphemeralContainers=true").validate(&update(old.clone(), new.clone())).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: PodSecurityPolicy: unable to validate pod: \
             [spec.ephemeralContainers[0].securityContext.privileged: Invalid value: true: Privileged containers are \
             not allowed]"
        );
        assert_eq!(bench("").validate(&update(old, new)), Ok(()));
    }

    #[test]
    fn rejects_groups_and_drivers_unless_their_gates_are_off() {
        let rules = json!({
            "runAsGroup": {"rule": "MustRunAs", "ranges": [{"min": 5, "max": 6}]},
            "allowedCSIDrivers": [{"name": "a"}],
        });
        let mut object = web(&json!({"runAsGroup": 1}));
        object["spec"]["volumes"] = json!([{"name": "data", "csi": {"driver": "b"}}]);
        let bench = |gates: &str| gated(gates, [policy("a", &rules)]);
        let refusal = bench("").admit(&mut create(object.clone())).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.volumes[0].csi.driver: Invalid \
             value: \"b\": Inline CSI driver is not allowed to be used spec.containers[0].securityContext: Invalid \
             value: []int64{1}: group 1 must be in the ranges: [{5 6}]]"
        );
        let off = "RunAsGroup=false,CSIInlineVolume=false";
        assert_eq!(bench(off).admit(&mut create(object)), Ok(()));
    }

    #[test]
    fn rejects_a_profile_in_a_field_without_an_equivalent() {
        let mut policy = policy("a", &json!({}));
        policy["metadata"]["annotations"] = json!({
            "seccomp.security.alpha.kubernetes.io/defaultProfileName": "runtime/default",
            "seccomp.security.alpha.kubernetes.io/allowedProfileNames": "runtime/default",
        });
        let mut object = web(&json!({"seccompProfile": {"type": "RuntimeDefault"}}));
        object["spec"]["securityContext"] = json!({"seccompProfile": {"type": "Localhost"}});
        let refusal = bench(20, [policy]).admit(&mut create(object)).unwrap_err();
        assert_eq!(
            refusal.status.message,
            "pods \"web\" is forbidden: PodSecurityPolicy: unable to admit pod: \
             [pod.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: Forbidden:  is not an allowed seccomp \
             profile. Valid values are runtime/default]"
        );
    }

    #[test]
    fn rejects_with_the_errors_in_the_order_of_the_names_of_policies() {
        let policies = || {
            [
                policy("a", &json!({"privileged": false})),
                policy("b", &json!({"allowPrivilegeEscalation": false})),
            ]
        };
        let mut old = web(&json!({"privileged": true, "allowPrivilegeEscalation": true}));
        old["metadata"]["annotations"] = json!({TAKEN_BY: "b"});
        let mut new = old.clone();
        new["metadata"]["labels"] = json!({"a": "b"});
        let refusal = bench(20, policies()).validate(&update(old, new)).unwrap_err();
        let (first, second) = ("Privileged containers", "Allowing privilege escalation");
        let message = &refusal.status.message;
        assert!(message.find(first) < message.find(second), "{message}");
    }

    #[test]
    fn ignores_updates_of_what_the_collector_writes() {
        let bench = bench(20, [policy("a", &json!({"privileged": false}))]);
        let old = web(&json!({"privileged": true, "allowPrivilegeEscalation": true}));
        let mut new = old.clone();
        new["metadata"]["finalizers"] = json!(["example.com/a"]);
        assert_eq!(bench.validate(&update(old.clone(), new)), Ok(()));
        let mut new = old.clone();
        new["metadata"]["labels"] = json!({"a": "b"});
        assert!(bench.validate(&update(old, new)).is_err());
    }
}
