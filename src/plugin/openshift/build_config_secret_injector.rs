//! Picks the secret that a BuildConfig reads its git source with: the one whose annotations match the address best,
//! so that users need not name it.
//!
//! # When it rejects
//!
//! - A later plugin removed the secret again.
//!
//! # Cluster objects it reads
//!
//! Secrets of the namespace.
//!
//! # Offline
//!
//! Secrets are listed as the user: without the right to list them nothing happens.
//!
//! # Since
//!
//! OpenShift 3.5, on by default.
//!
//! # Upstream
//!
//! `openshift/openshift-apiserver/pkg/build/apiserver/admission/secretinjector`

use std::sync::Arc;

use crate::admission::{
    Attributes, Handler, MutationInterface, Operation, Recorder, Refusal, ValidationInterface,
};
use crate::cluster::Cluster;
use crate::cluster::authorizer::{Authorizer, ResourceAttributes};
use crate::plugin::PluginInitializer;
use gotext::url::Url;
use kube_api::field::Path;
use kube_api::resources::SECRETS;
use kube_api::{Map, Value, pairs};

/// Annotations of secrets that begin with this are patterns of addresses.
const PATTERN: &str = "build.openshift.io/source-secret-match-uri-";
const SCHEMES: [&str; 4] = ["git", "http", "https", "ssh"];

pub(super) fn new(initializer: &PluginInitializer) -> Handler {
    let (cluster, authorizer) = (initializer.cluster.clone(), initializer.authorizer.clone());
    Handler::both(BuildConfigSecretInjector { cluster, authorizer })
}

struct BuildConfigSecretInjector {
    cluster: Arc<Cluster>,
    authorizer: Arc<Authorizer>,
}

impl MutationInterface for BuildConfigSecretInjector {
    fn admit(&self, attributes: &mut Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        if let Some(name) = self.secret_for(attributes)
            && let Some(config) = attributes.object_mut()
        {
            let mut secret = Map::new();
            secret.insert("name".to_owned(), name.into());
            config.set(["spec", "source", "sourceSecret"], Value::Object(secret));
        }
        Ok(())
    }
}

impl ValidationInterface for BuildConfigSecretInjector {
    fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
        let Some(name) = self.secret_for(attributes) else { return Ok(()) };
        let error = format!("mutated spec.source.sourceSecret, expected: {{{name}}}, got <nil>");
        Err(attributes.new_forbidden(error).at(Path::new("spec.source.sourceSecret")))
    }
}

impl BuildConfigSecretInjector {
    /// Returns the secret for a new build config that names none.
    fn secret_for(&self, attributes: &Attributes) -> Option<String> {
        let is_own = attributes.operation == Operation::Create
            && (attributes.is_for("build.openshift.io", "buildconfigs")
                || attributes.is_for("", "buildconfigs"));
        let config = attributes.object.as_deref().filter(|_| is_own)?;
        let given = |fields: &[&str]| config.at(fields).is_some_and(|value| !value.is_null());
        if given(&["spec", "source", "sourceSecret"]) || !given(&["spec", "source", "git"]) {
            return None;
        }
        let address = Url::parse(config.text(["spec", "source", "git", "uri"])).ok()?;
        let resource = ResourceAttributes {
            namespace: &attributes.namespace,
            resource: "secrets",
            ..ResourceAttributes::default()
        };
        if !self.authorizer.authorize(&attributes.user_info.access("list", resource)).allowed {
            return None;
        }
        let mut best: Option<(usize, String)> = None;
        for secret in self.cluster.list(&SECRETS, &attributes.namespace) {
            let is_unfit = match secret.text("type") {
                "kubernetes.io/basic-auth" => address.scheme == "ssh",
                "kubernetes.io/ssh-auth" => address.scheme != "ssh",
                _ => false,
            };
            if is_unfit {
                continue;
            }
            for (key, pattern) in pairs(secret.at(["metadata", "annotations"])) {
                let pattern = pattern.trim();
                let is_longer = best.as_ref().is_none_or(|(length, _)| pattern.len() > *length);
                if key.starts_with(PATTERN) && is_longer && matches(pattern, &address) {
                    best = Some((pattern.len(), secret.name().to_owned()));
                }
            }
        }
        best.map(|(_, name)| name)
    }
}

/// Whether `address` matches a pattern `<scheme>://<host>/<path>`; a text of another form matches nothing.
///
/// Source: `NewURLPattern`.
fn matches(pattern: &str, address: &Url) -> bool {
    let Some((scheme, rest)) = pattern.split_once("://") else { return false };
    let Some(slash) = rest.find('/').filter(|slash| *slash > 0) else { return false };
    let (host, path) = rest.split_at(slash);
    let fits_scheme = match scheme {
        "*" => SCHEMES.contains(&address.scheme.as_str()),
        scheme => SCHEMES.contains(&scheme) && scheme == address.scheme,
    };
    let is_literal = |host: &str| !host.is_empty() && !host.contains(['@', '*']);
    let fits_host = match (host, host.strip_prefix("*.")) {
        ("*", _) => true,
        (_, Some(domain)) if is_literal(domain) => {
            let below = address.host.strip_suffix(domain);
            below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
        (host, _) => is_literal(host) && host == address.host,
    };
    fits_scheme && fits_host && !path.contains('\n') && glob(path, &address.path())
}

/// Whether `text` matches `pattern`, where `*` matches any text on a line.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let line = text.find('\n').unwrap_or(text.len());
            (0..=line).filter(|end| text.is_char_boundary(*end)).any(|end| glob(rest, &text[end..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, address: &str) -> bool {
        Url::parse(address).is_ok_and(|address| matches(pattern, &address))
    }

    #[test]
    fn matches_addresses_as_go_reads_them() {
        assert!(fits("https://example.com/*", "HTTPS://me:secret@example.com/shop/web.git?a=b#c"));
        assert!(fits("https://example.com/a b/*", "https://example.com/a%20b/web.git"));
        assert!(fits("https://example.com:8443/*", "https://example.com:8443/web"));
        assert!(!fits("https://example.com/*", "https://example.com:8443/web"));
        assert!(!fits("https://example.com/*", "https://example.com"));
        assert!(!fits("*://*/*", "git@example.com:shop/web.git"));
        assert!(!fits("*://*/*", "https://exa mple.com/web"));
        assert!(!fits("*://*/*", "https://example.com:port/web"));
        assert!(!fits("*://*/*", "https://example.com/%zz"));
        assert!(!fits("*://*/*", "ftp://example.com/web"));
        assert!(!fits("*://*/*", "https:example.com/web"));
        assert!(fits("*://*/*", "ssh://git@[::1]:22/web"));
    }

    #[test]
    fn knows_patterns_by_their_form() {
        let address = "ssh://git@git.example.com/web";
        assert!(fits("ssh://*.example.com/*", address));
        assert!(fits("ssh://*.com/w*b", address));
        for pattern in [
            "ssh://git@git.example.com/*",
            "ssh://git.*.com/*",
            "ssh://*example.com/*",
            "ssh://git.example.com",
            "SSH://git.example.com/*",
            "ssh:///*",
            "ssh://*./*",
        ] {
            assert!(!fits(pattern, address), "{pattern}");
        }
    }
}
