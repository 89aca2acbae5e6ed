//! Look-ups that several plugins share, and the refusals if something is missing.

use std::sync::Arc;

use crate::admission::{Attributes, Refusal, UserInfo};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Access, Authorizer, ResourceAttributes, Subject};
use gotext::quantity::Quantity;
use gotext::quote;
use kube_api::resources::SECRETS;
use kube_api::{GroupResource, Object, Value};

/// The API group of builds.
pub(super) const BUILD: &str = "build.openshift.io";
/// The API group of templates.
pub(super) const TEMPLATE: &str = "template.openshift.io";
/// The name of a user's extra field with the scopes of a token in Origin 1.4.
pub(super) const SCOPES_1_4: &str = "authorization.openshift.io/scopes";

/// The service account that the router runs as.
const ROUTER: &str = "system:serviceaccount:openshift-ingress:router";
const INFRASTRUCTURES: GroupResource = GroupResource::new("config.openshift.io", "infrastructures");

/// Returns the object `name` of a resource of OpenShift, in its group or, as older masters have it, without one.
pub(super) fn find(
    cluster: &Cluster,
    group: &'static str,
    resource: &'static str,
    namespace: &str,
    name: &str,
) -> Option<Arc<Object>> {
    let of = |group: &'static str| GroupResource::new(group, resource);
    cluster.get(&of(group), namespace, name).or_else(|| cluster.get(&of(""), namespace, name))
}

/// Returns the namespace of the request.
pub(super) fn namespace(cluster: &Cluster, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
    cluster.namespace(&attributes.namespace).ok_or_else(|| {
        attributes.new_forbidden(format!("namespace {} not found", quote(&attributes.namespace)))
    })
}

/// Returns the Infrastructure that describes the cluster.
pub(super) fn infrastructure(cluster: &Cluster, attributes: &Attributes) -> Result<Arc<Object>, Refusal> {
    cluster
        .get(&INFRASTRUCTURES, "", "cluster")
        .ok_or_else(|| attributes.new_forbidden("infrastructure.config.openshift.io \"cluster\" not found"))
}

/// Whether `user` may perform `verb` on the hosts and certificates of the routes in `namespace`.
pub(crate) fn may_set_hosts(authorizer: &Authorizer, user: &UserInfo, namespace: &str, verb: &str) -> bool {
    let resource = ResourceAttributes {
        namespace,
        group: "route.openshift.io",
        resource: "routes",
        sub_resource: "custom-host",
        name: "",
    };
    authorizer.authorize(&user.access(verb, resource)).allowed
}

/// Whether the router may perform `verb` on the secret `name`.
pub(crate) fn router_may(authorizer: &Authorizer, verb: &str, namespace: &str, name: &str) -> bool {
    let resource =
        ResourceAttributes { namespace, resource: "secrets", name, ..ResourceAttributes::default() };
    let access = Access { user: ROUTER, groups: &[], verb, subject: Subject::Resource(resource) };
    authorizer.authorize(&access).allowed
}

/// Returns the type of the secret `name`, if there is one.
pub(crate) fn type_of_secret(cluster: &Cluster, namespace: &str, name: &str) -> Option<String> {
    Some(cluster.get(&SECRETS, namespace, name)?.text("type").to_owned())
}

/// Returns the amount `name` in `side` of a container, if there is one.
pub(super) fn amount(container: &Value, side: &str, name: &str) -> Option<Quantity> {
    parse(container.at(["resources", side, name])?)
}

/// Returns a quantity of an object.
pub(super) fn parse(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

/// Returns the quality of service of a pod of `containers` by their memory and CPU alone.
///
/// Source: `managementcpusoverride.getPodQoSClass`.
pub(super) fn quality_of(containers: &[Value]) -> &'static str {
    let zero = |quantity: &Option<Quantity>| quantity.as_ref().is_none_or(Quantity::is_zero);
    let both = |container: &Value, name: &str| {
        (amount(container, "limits", name), amount(container, "requests", name))
    };
    let is_guaranteed = |container: &Value| {
        ["memory", "cpu"].into_iter().all(|name| {
            let (limit, request) = both(container, name);
            !zero(&limit) && (request.is_none() || name == "cpu" && zero(&request) || limit == request)
        })
    };
    let is_best_effort = |container: &Value| {
        ["memory", "cpu"].into_iter().all(|name| {
            let (limit, request) = both(container, name);
            zero(&limit) && zero(&request)
        })
    };
    if containers.iter().all(is_guaranteed) {
        "Guaranteed"
    } else if containers.iter().all(is_best_effort) {
        "BestEffort"
    } else {
        "Burstable"
    }
}
