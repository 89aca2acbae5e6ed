//! Demands HSTS of the routes of certain domains: if the cluster's Ingress has a policy for a host, the annotation of
//! the route must comply with it.
//!
//! # When it rejects
//!
//! - The first policy that matches a host of the route is not met by `haproxy.router.openshift.io/hsts_header`.
//! - There is no Ingress `cluster`.
//!
//! # Cluster objects it reads
//!
//! The Ingress `cluster` of config.openshift.io, the Namespace of the route.
//!
//! # Offline
//!
//! Nothing is assumed.
//!
//! # Since
//!
//! OpenShift 4.9, on by default.
//!
//! # Upstream
//!
//! `openshift/openshift-apiserver/pkg/route/apiserver/admission/requiredrouteannotations`

use std::sync::Arc;

use crate::admission::{Attributes, Evidence, Handler, Recorder, Refusal, ValidationInterface};
use crate::cluster::Cluster;
use crate::plugin::PluginInitializer;
use crate::plugin::openshift::{lookup, pattern};
use gotext::quote;
use kube_api::field::Path;
use kube_api::labels::Selector;
use kube_api::{GroupResource, Object, Value};

const ANNOTATION: &str = "haproxy.router.openshift.io/hsts_header";
const INGRESSES: GroupResource = GroupResource::new("config.openshift.io", "ingresses");

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    Handler::validating(RequiredRouteAnnotations { cluster: initializer.cluster.clone() })
}

struct RequiredRouteAnnotations {
    cluster: Arc<Cluster>,
}

impl ValidationInterface for RequiredRouteAnnotations {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if !attributes.resource.is("route.openshift.io", "routes") {
            return Ok(());
        }
        let Some(route) = attributes.object.as_deref() else { return Ok(()) };
        let header = route.annotation(ANNOTATION);
        if attributes.old_object.as_deref().is_some_and(|old| old.annotation(ANNOTATION) == header) {
            return Ok(());
        }
        if !["edge", "reencrypt"].contains(&route.text(["spec", "tls", "termination"])) {
            return Ok(());
        }
        let Some(ingress) = self.cluster.get(&INGRESSES, "", "cluster") else {
            return Err(attributes.new_forbidden("ingress.config.openshift.io \"cluster\" not found"));
        };
        let namespace = lookup::namespace(&self.cluster, attributes)?;
        for (index, policy) in ingress.list(["spec", "requiredHSTSPolicies"]).iter().enumerate() {
            let matches =
                matches(policy, route, &namespace).map_err(|error| attributes.new_forbidden(error))?;
            if !matches {
                continue;
            }
            return check(policy, header.unwrap_or_default()).map_err(|error| {
                let evidence = Evidence::named(INGRESSES, "", "cluster", "has a policy for the host")
                    .at(Path::new("spec.requiredHSTSPolicies").index(index));
                let path = Path::new("metadata.annotations").key(ANNOTATION);
                attributes.new_forbidden(error).at(path).because(evidence)
            });
        }
        Ok(())
    }
}

/// Whether the policy is for a host of the route in its namespace.
fn matches(policy: &Value, route: &Object, namespace: &Object) -> Result<bool, String> {
    if let Some(selector) = policy.at("namespaceSelector").filter(|selector| !selector.is_null()) {
        let selector = Selector::from_label_selector(selector).map_err(|error| error.to_string())?;
        if !selector.matches_labels(namespace.at(["metadata", "labels"])) {
            return Ok(false);
        }
    }
    let mut hosts = vec![route.text(["spec", "host"])];
    hosts.extend(route.list(["status", "ingress"]).iter().map(|ingress| ingress.text("host")));
    let patterns = policy.list("domainPatterns").iter();
    let mut patterns = patterns.filter_map(Value::as_str);
    Ok(patterns.any(|domain| hosts.iter().any(|host| pattern::matches(domain, host) == Some(true))))
}

/// Returns the part of the policy that the header violates.
fn check(policy: &Value, header: &str) -> Result<(), String> {
    let header: String = header.chars().filter(|character| *character != ' ').collect();
    let header = header.to_lowercase();
    let tokens: Vec<&str> = header.split(';').collect();
    let missing = "HSTS max-age must be set correctly in HSTS annotation";
    let digits = header
        .match_indices("max-age=")
        .map(|(start, found)| {
            let rest = &header[start + found.len()..];
            &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())]
        })
        .find(|digits| !digits.is_empty());
    let digits = digits.ok_or(missing)?;
    let age: i32 = digits
        .parse()
        .map_err(|_| format!("strconv.ParseInt: parsing {}: value out of range", quote(digits)))?;
    let bound = |field: &str| policy.at(["maxAge", field]).and_then(Value::as_i64);
    if let Some(most) = bound("largestMaxAge").filter(|most| i64::from(age) > *most) {
        return Err(format!("HSTS max-age is greater than maximum age {most}s"));
    }
    if let Some(least) = bound("smallestMaxAge").filter(|least| i64::from(age) < *least) {
        return Err(format!("HSTS max-age is less than minimum age {least}s"));
    }
    let demands = |field: &str, (required, forbidden): (&str, &str), token: &str, name: &str| {
        let is_given = tokens.contains(&token);
        match policy.text(field) {
            demand if demand == required && !is_given => Err(format!("HSTS {name} must be specified")),
            demand if demand == forbidden && is_given => Err(format!("HSTS {name} must not be specified")),
            _ => Ok(()),
        }
    };
    demands("preloadPolicy", ("RequirePreload", "RequireNoPreload"), "preload", "preload")?;
    let both = ("RequireIncludeSubDomains", "RequireNoIncludeSubDomains");
    demands("includeSubDomainsPolicy", both, "includesubdomains", "includeSubDomains")
}
