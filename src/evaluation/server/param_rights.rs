//! The rights to parameters that users need who write policies and bindings: the policy reads them for everybody.
//!
//! Source: `authz.go` of the policies and bindings in `k8s.io/kubernetes/pkg/registry/admissionregistration`

use crate::admission::{Need, UserInfo};
use crate::cluster::authorizer::{ResourceAttributes, Right};
use crate::evaluation::server::escalation::may_escalate;
use crate::evaluation::server::{Call, Server};
use kube_api::field::{Error, Path};
use kube_api::resource;
use kube_api::resources::{
    MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS, VALIDATING_ADMISSION_POLICIES,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
};
use kube_api::{GroupResource, GroupVersionKind, Object};

/// The policies that have parameters, and their bindings.
const POLICIES: [[GroupResource; 2]; 2] = [
    [VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS],
    [MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS],
];

/// The resource of parameters, as far as it is known; `*` is all.
struct Params {
    group: String,
    resource: String,
}

impl Server<'_> {
    /// Adds to `errors`, if there are none, that the user may not read the parameters; returns the right to do so.
    pub(super) fn check_param_rights(
        self,
        call: &Call,
        object: &Object,
        old: Option<&Object>,
        errors: &mut Vec<Error>,
    ) -> Option<Need> {
        if !errors.is_empty() || !call.sub_resource.is_empty() || may_escalate(&call.user_info) {
            return None;
        }
        let (user, resource) = (&*call.user_info, call.target.group_resource());
        let [policies, _] = POLICIES.into_iter().find(|of_a_sort| of_a_sort.contains(&resource))?;
        let (field, (detail, right)) = if policies == resource {
            ("spec.paramKind", self.refused_kind(user, object, old)?)
        } else {
            ("spec.paramRef", self.refused_params(user, object, &policies)?)
        };
        errors.push(Error::forbidden(&Path::new(field), detail));
        Some(Need::Right(right))
    }

    /// Returns why the user may not write a policy with this kind of parameters, unless the policy had it before.
    fn refused_kind(self, user: &UserInfo, policy: &Object, old: Option<&Object>) -> Option<(String, Right)> {
        let param_kind = policy.at(["spec", "paramKind"])?;
        if old.is_some_and(|old| old.at(["spec", "paramKind"]) == Some(param_kind)) {
            return None;
        }
        let (version, kind) = (param_kind.text("apiVersion"), param_kind.text("kind"));
        let (params, _) = self.params(&GroupVersionKind::from_api_version(version, kind));
        let right = self.missing_right(user, "get", &params, ("*", "*"))?;
        let user = in_go(user);
        let detail = format!(
            "user {user} must have \"get\" permission on all objects of the referenced paramKind (kind={kind}, \
             apiVersion={version})"
        );
        // The stars are names of nothing: a rule has them all if it has no names, and a role if it is a ClusterRole.
        Some((detail, Right { namespace: String::new(), name: String::new(), ..right }))
    }

    /// Returns why the user may not bind these parameters. Upstream compares the addresses of what the binding had before,
    /// so that every update is checked.
    fn refused_params(
        self,
        user: &UserInfo,
        binding: &Object,
        policies: &GroupResource,
    ) -> Option<(String, Right)> {
        let reference = binding.at(["spec", "paramRef"])?;
        let policy_name = binding.text(["spec", "policyName"]);
        let policy = self.cluster.get(policies, "", policy_name);
        let kind = policy.as_ref().and_then(|policy| policy.at(["spec", "paramKind"]));
        let kind = kind.map(|kind| (kind.text("apiVersion"), kind.text("kind")));
        let everything = Params { group: "*".to_owned(), resource: "*".to_owned() };
        let (params, is_resolved) = match kind {
            Some((version, kind)) => self.params(&GroupVersionKind::from_api_version(version, kind)),
            None => (everything, true),
        };
        let verb = if reference.text("name").is_empty() { "list" } else { "get" };
        let right =
            self.missing_right(user, verb, &params, (reference.text("namespace"), reference.text("name")))?;
        let user = in_go(user);
        let unknown = |what: String| {
            format!(
                "unable to {what} to determine minimum required permissions and user {user} does not have \"{verb}\" \
                 permission for all groups, versions and resources"
            )
        };
        let detail = match kind {
            _ if policy.is_none() => unknown(format!("get policy {policy_name}")),
            Some((version, kind)) if !is_resolved => {
                unknown(format!("resolve paramKind &{{{version} {kind}}}"))
            }
            // Upstream has the two the other way around.
            _ if *policies == MUTATING_ADMISSION_POLICIES => {
                format!(
                    "user {verb} does not have \"{user}\" permission on the object referenced by paramRef"
                )
            }
            _ => format!(
                "user {user} does not have \"{verb}\" permission on the object referenced by paramRef"
            ),
        };
        Some((detail, right))
    }

    /// Returns the resource of parameters of this kind, and whether the server has it.
    fn params(self, kind: &GroupVersionKind) -> (Params, bool) {
        let built_in =
            resource::by_kind_in(self.profile.release(), kind).map(|found| found.resource.to_owned());
        let custom = || {
            let found = self.cluster.custom_resource_of_kind(&kind.group, &kind.kind)?;
            found
                .version(&kind.version)
                .is_some_and(|version| version.is_served)
                .then(|| found.plural.clone())
        };
        let found = built_in.or_else(custom);
        let is_resolved = found.is_some();
        let resource = found.unwrap_or_else(|| "*".to_owned());
        (Params { group: kind.group.to_string(), resource }, is_resolved)
    }

    /// Returns the right to read parameters that the user does not have.
    fn missing_right(
        self,
        user: &UserInfo,
        verb: &str,
        params: &Params,
        (namespace, name): (&str, &str),
    ) -> Option<Right> {
        let attributes = ResourceAttributes {
            namespace,
            group: &params.group,
            resource: &params.resource,
            sub_resource: "",
            name,
        };
        let access = user.access(verb, attributes);
        if self.authorizer.authorize(&access).allowed { None } else { access.right() }
    }
}

/// Returns the user as Go's `%v` prints a `*user.DefaultInfo`.
fn in_go(user: &UserInfo) -> String {
    let extra = user.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" ")));
    let extra = extra.collect::<Vec<_>>().join(" ");
    format!("&{{{} {} [{}] map[{extra}]}}", user.username, user.uid, user.groups.join(" "))
}
