//! The host of a route: the right to choose it, and the host that the server generates.
//!
//! Source: `github.com/openshift/library-go/pkg/route/hostassignment`.

use std::fmt;

use gotext::names;
use kube_api::field::{self, Path};
use kube_api::{GroupVersionKind, Object, Value, internal_json};

/// The domain of generated hosts if none is configured.
const DEFAULT_DOMAIN: &str = "router.default.svc.cluster.local";
const CERTIFICATES: [&str; 4] = ["caCertificate", "certificate", "destinationCACertificate", "key"];
const NO_HOST: &str = "you do not have permission to set the host field of the route";
const NO_SUBDOMAIN: &str = "you do not have permission to set the subdomain field of the route";
const NO_CERTIFICATES: &str = "you do not have permission to set certificate fields on the route";

/// Assigns hosts to the routes of a request.
pub struct HostAssignment<'a> {
    /// The namespace of the request.
    pub namespace: &'a str,
    /// The domain of generated hosts.
    pub domain: &'a str,
    /// Whether the user may perform an action (verb) on `routes/custom-host`.
    pub may: &'a dyn Fn(&str) -> bool,
}

impl fmt::Debug for HostAssignment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HostAssignment").field("domain", &self.domain).finish_non_exhaustive()
    }
}

/// Whether `kind` is that of routes.
pub fn is_route(kind: &GroupVersionKind) -> bool {
    kind.group == "route.openshift.io" && kind.kind == "Route"
}

/// Returns `domain`, or the default if it is empty.
///
/// # Errors
///
/// Fails with Go's message if the domain is not a DNS name.
pub fn domain(domain: &str) -> Result<String, String> {
    let domain = if domain.is_empty() { DEFAULT_DOMAIN } else { domain };
    if names::is_dns1123_subdomain(domain).is_empty() {
        Ok(domain.to_owned())
    } else {
        Err(format!("invalid DNS suffix: {domain}"))
    }
}

impl HostAssignment<'_> {
    /// Generates the host of a new route that has none, unless the user may not set what the route has.
    ///
    /// Source: `AllocateHost`.
    pub fn allocate(&self, route: &mut Object) -> Vec<field::Error> {
        let has_host = !route.text(["spec", "host"]).is_empty();
        let has_certificates = has_certificates(route.at(["spec", "tls"]));
        if (has_host || has_certificates) && !(self.may)("create") {
            let (field, why) = if has_host { ("spec.host", NO_HOST) } else { ("spec.tls", NO_CERTIFICATES) };
            return vec![field::Error::forbidden(&Path::new(field), why)];
        }
        let has_subdomain = !route.text(["spec", "subdomain"]).is_empty();
        let is_wildcard = route.text(["spec", "wildcardPolicy"]) == "Subdomain";
        if !has_host && !has_subdomain && !is_wildcard {
            // A route whose name is still to be generated gets the annotation and no host.
            let name = route.name().replace('.', "-");
            if !name.is_empty() {
                let host = format!("{name}-{}.{}", self.namespace, self.domain);
                route.set(["spec", "host"], host);
            }
            route.set(["metadata", "annotations", "openshift.io/host.generated"], "true");
        }
        Vec::new()
    }

    /// Returns the errors in the fields of `route` that the user may not change.
    ///
    /// Source: `ValidateHostUpdate`.
    pub fn validate_update(&self, route: &Object, old: &Object) -> Vec<field::Error> {
        let changed = |field: &str| route.text(["spec", field]) != old.text(["spec", field]);
        let (tls, old_tls) = (tls(route), tls(old));
        let certificates = needs_right(tls, old_tls);
        if !changed("host") && !changed("subdomain") && !certificates || (self.may)("update") {
            return Vec::new();
        }
        for (field, why) in [("host", NO_HOST), ("subdomain", NO_SUBDOMAIN)] {
            if changed(field) {
                let path = Path::new("spec").child(field);
                return vec![field::Error::invalid_text(&path, route.text(["spec", field]), why)];
            }
        }
        if (self.may)("create") {
            return Vec::new();
        }
        let path = Path::new("spec.tls");
        let (Some(new), Some(before)) = (tls, old_tls) else {
            let shown = printed(tls, "openshift/route/v1.TLSConfig");
            return vec![field::Error::invalid_printed(&path, shown, NO_CERTIFICATES)];
        };
        let mut errors = Vec::new();
        for field in CERTIFICATES {
            let value = new.text(field);
            if value != before.text(field) {
                errors.push(field::Error::invalid_text(&path.child(field), value, NO_CERTIFICATES));
            }
        }
        let external = |tls: &Value| tls.at("externalCertificate").filter(|found| !found.is_null()).cloned();
        let (now, then) = (external(new), external(before));
        if now.is_some() || then.is_some() {
            let shown = printed(now.as_ref(), "openshift/route/v1.LocalObjectReference");
            let path = path.child("externalCertificate");
            errors.push(field::Error::invalid_printed(&path, shown, NO_CERTIFICATES));
        }
        errors
    }
}

/// Returns the JSON of a pointer to a value of the type `table`.
fn printed(value: Option<&Value>, table: &str) -> String {
    value.map_or_else(|| "null".to_owned(), |value| internal_json::compact(table, value))
}

fn tls(route: &Object) -> Option<&Value> {
    route.at(["spec", "tls"]).filter(|tls| !tls.is_null())
}

fn has_certificates(tls: Option<&Value>) -> bool {
    let Some(tls) = tls else { return false };
    let given = |fields: &[&str]| tls.at(fields).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    CERTIFICATES.iter().any(|field| given(&[field])) || given(&["externalCertificate", "name"])
}

/// Whether certificates change so that the user needs the right. The content of a secret may always have changed.
fn needs_right(tls: Option<&Value>, old: Option<&Value>) -> bool {
    let Some(new) = tls.filter(|_| has_certificates(tls)) else { return false };
    let Some(old) = old else { return true };
    let is_external = new.at("externalCertificate").is_some_and(|found| !found.is_null());
    is_external || CERTIFICATES.iter().any(|field| new.text(field) != old.text(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn route(spec: &Value) -> Object {
        Object::new(
            GroupVersionKind::new("route.openshift.io", "v1", "Route"),
            json!({"metadata": {"name": "my.web", "namespace": "shop"}, "spec": spec.clone()}),
        )
    }

    fn texts(errors: &[field::Error]) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn generates_a_host() {
        let nothing = |_: &str| false;
        let assignment = HostAssignment { namespace: "shop", domain: "apps.example.com", may: &nothing };
        let mut new = route(&json!({}));
        assert!(assignment.allocate(&mut new).is_empty());
        assert_eq!(new.text(["spec", "host"]), "my-web-shop.apps.example.com");
        assert_eq!(new.annotation("openshift.io/host.generated"), Some("true"));
        let mut given = route(&json!({"host": "a.example.com"}));
        assert_eq!(
            texts(&assignment.allocate(&mut given)),
            ["spec.host: Forbidden: you do not have permission to set the host field of the route"]
        );
    }

    #[test]
    fn rejects_changes_without_the_right() {
        let only_create = |verb: &str| verb == "create";
        let assignment = HostAssignment { namespace: "shop", domain: "apps.example.com", may: &only_create };
        let old = route(&json!({"host": "a.example.com"}));
        assert_eq!(
            texts(&assignment.validate_update(&route(&json!({"host": "b.example.com"})), &old)),
            [
                "spec.host: Invalid value: \"b.example.com\": you do not have permission to set the host field of the route"
            ]
        );
        let with_key = route(&json!({"host": "a.example.com", "tls": {"termination": "edge", "key": "k"}}));
        assert!(assignment.validate_update(&with_key, &old).is_empty());
        let nothing = |_: &str| false;
        let assignment = HostAssignment { may: &nothing, ..assignment };
        assert_eq!(
            texts(&assignment.validate_update(&with_key, &old)),
            [
                "spec.tls: Invalid value: {\"termination\":\"edge\",\"key\":\"k\"}: you do not have permission to set \
                 certificate fields on the route"
            ]
        );
    }

    #[test]
    fn rejects_domains_that_are_no_names() {
        assert_eq!(domain(""), Ok(DEFAULT_DOMAIN.to_owned()));
        assert_eq!(domain("a_b"), Err("invalid DNS suffix: a_b".to_owned()));
    }
}
