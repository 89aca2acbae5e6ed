//! The webhooks of a cluster, and whether a request is for one of them.
//!
//! Source: `ShouldCallHook` of `k8s.io/apiserver/pkg/admission/plugin/webhook/generic`.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::admission::{Attributes, Evidence, Hook, Mismatch, Refusal};
use crate::cluster::Cluster;
use crate::cluster::authorizer::Authorizer;
use crate::policy::{
    Bindings, ExpressionCompiler, FailurePolicy, Inputs, MatchConditions, MatchPolicy, MatchResult, Matched,
    Matcher, ObjectSelector, RequestAuthorizer, Rule, VersionedAttributes, admission_request,
    matches_namespace,
};
use kube_api::Status;
use kube_api::field::Path;
use kube_api::labels::{Selector, SelectorError};
use kube_api::{GroupResource, GroupVersionKind, Object, Value};

const SERVICES: GroupResource = GroupResource::new("", "services");

/// A webhook of a configuration.
#[derive(Debug)]
pub struct Webhook {
    /// The name of the configuration.
    pub configuration: String,
    /// The name of the webhook.
    pub name: String,
    /// The webhook in reports.
    pub hook: Arc<Hook>,
    /// The resource of its configuration, and its position there.
    place: (GroupResource, usize),
    /// The failure policy, which applies when it cannot be called.
    pub failure_policy: FailurePolicy,
    /// Whether it is called again when the object changes after it.
    pub is_reinvoked: bool,
    /// The number of seconds that an answer may take.
    pub timeout: u64,
    /// The versions of reviews that it accepts, in order of preference.
    pub review_versions: Vec<String>,
    /// Whether it may be called in a dry run.
    pub allows_dry_run: bool,
    /// Its URL, without the query, with a path that is as short as it can be.
    pub url: String,
    /// The namespace, name and port of its Service, if it is one.
    pub service: Option<(String, String, u16)>,
    /// Whether that Service is among the objects of the cluster.
    pub has_service: bool,
    /// The certificates that its own may be signed by, in PEM.
    pub ca_bundle: Vec<u8>,
    rules: Vec<Rule>,
    match_policy: MatchPolicy,
    namespace_selector: Result<Selector, SelectorError>,
    object_selector: Result<ObjectSelector, SelectorError>,
    conditions: MatchConditions,
}

/// A request that a webhook is for.
pub struct Selected {
    /// The resource as which the request matches the webhook.
    pub matched: Matched,
    /// Its objects in the version that the webhook expects.
    pub versioned: VersionedAttributes,
}

/// An object of another kind than that of the request, which the webhooks after the one that made it get as it is. That
/// it cannot be converted is found when one wants another version, or after all were called.
pub struct Stranded {
    /// The kind that the webhook named.
    pub kind: GroupVersionKind,
    /// The object.
    pub object: Arc<Object>,
    /// Why it cannot be converted.
    pub reason: String,
}

impl Stranded {
    /// Returns the refusal of a request if a webhook wants `kind`, another version.
    ///
    /// # Errors
    ///
    /// Fails if it does.
    pub fn stays(&self, kind: &GroupVersionKind) -> Result<(), Refusal> {
        if self.kind == *kind {
            return Ok(());
        }
        let inner = Status::new_internal_error(&self.reason).message;
        Err(Status::new_internal_error(&inner).into())
    }
}

impl Webhook {
    /// Returns the webhooks of all configurations in `resource`, by the names of the configurations; those of `fixed`
    /// come first.
    pub fn list(cluster: &Cluster, resource: &GroupResource, fixed: &[Arc<Object>]) -> Vec<Self> {
        let mut configurations = cluster.list_all(resource);
        configurations.sort_by(|left, right| left.name().cmp(right.name()));
        let mut webhooks = Self::of(fixed, cluster, resource);
        webhooks.extend(Self::of(&configurations, cluster, resource));
        webhooks
    }

    /// Returns the webhooks of `configurations`.
    pub fn of(configurations: &[Arc<Object>], cluster: &Cluster, resource: &GroupResource) -> Vec<Self> {
        let webhooks = configurations.iter().flat_map(|configuration| {
            let webhooks = configuration.list("webhooks");
            webhooks.iter().enumerate().map(|(index, webhook)| {
                let mut webhook = Self::new(configuration, (resource.clone(), index), webhook);
                webhook.has_service = webhook
                    .service
                    .as_ref()
                    .is_some_and(|(namespace, name, _)| cluster.contains(&SERVICES, namespace, name));
                webhook
            })
        });
        webhooks.collect()
    }

    fn new(configuration: &Object, place: (GroupResource, usize), webhook: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let selector = |field: &str| match &webhook[field] {
            Value::Null => Ok(Selector::everything()),
            selector => Selector::from_label_selector(selector),
        };
        let failure_policy = FailurePolicy::of(webhook);
        let client = &webhook["clientConfig"];
        let service = client.get("service").filter(|service| !service.is_null()).map(|service| {
            let port = service["port"].as_u64().and_then(|port| u16::try_from(port).ok()).unwrap_or(443);
            (text(&service["namespace"]), text(&service["name"]), port)
        });
        let url = match &service {
            None => with_clean_path(&text(&client["url"])),
            Some((namespace, name, port)) => {
                let path = client["service"].text("path");
                with_clean_path(&format!("https://{name}.{namespace}.svc:{port}/{path}"))
            }
        };
        let versions = webhook["admissionReviewVersions"].as_array().into_iter().flatten();
        Self {
            configuration: configuration.name().to_owned(),
            name: text(&webhook["name"]),
            hook: Arc::new(Hook {
                kind: configuration.kind.kind.clone(),
                name: configuration.name().to_owned(),
                webhook: text(&webhook["name"]),
            }),
            place,
            failure_policy,
            is_reinvoked: webhook["reinvocationPolicy"] == "IfNeeded",
            timeout: webhook["timeoutSeconds"].as_u64().unwrap_or(10),
            review_versions: versions.map(text).collect(),
            allows_dry_run: ["None", "NoneOnDryRun"].contains(&text(&webhook["sideEffects"]).as_str()),
            url,
            service,
            has_service: false,
            ca_bundle: STANDARD.decode(text(&client["caBundle"])).unwrap_or_default(),
            rules: Rule::list(&webhook["rules"]),
            match_policy: MatchPolicy::of(webhook),
            namespace_selector: selector("namespaceSelector"),
            object_selector: selector("objectSelector").map(ObjectSelector),
            conditions: MatchConditions::new(
                &webhook["matchConditions"],
                &ExpressionCompiler::of_webhook(),
                failure_policy,
            ),
        }
    }

    /// Returns the request as the webhook sees it, or why it is not for the webhook. `stranded` replaces the object of the
    /// request.
    ///
    /// # Errors
    ///
    /// Fails if the namespace does not exist, a selector is malformed, or a condition fails.
    pub fn select(
        &self,
        attributes: &Attributes,
        stranded: Option<&Stranded>,
        matcher: &Matcher,
        cluster: &Cluster,
        authorizer: &Authorizer,
    ) -> Result<Result<Selected, Mismatch>, Refusal> {
        let replaced = stranded
            .map(|stranded| Attributes { object: Some(stranded.object.clone()), ..attributes.clone() });
        let seen = replaced.as_ref().unwrap_or(attributes);
        let internal = |error: &SelectorError| Box::new(Status::new_internal_error(&error.to_string()));
        let in_namespace = match &self.namespace_selector {
            Ok(selector) => matches_namespace(selector, seen, cluster),
            Err(error) => Err(internal(error)),
        };
        let is_selected = match &self.object_selector {
            Ok(selector) => Ok(selector.matches(seen)),
            Err(error) => Err(internal(error)),
        };
        let Some(rule) = matcher.matches_rules(&self.rules, self.match_policy, attributes) else {
            return Ok(Err(Mismatch::Rules));
        };
        if matches!(in_namespace, Ok(false)) {
            return Ok(Err(Mismatch::NamespaceSelector));
        }
        if matches!(is_selected, Ok(false)) {
            return Ok(Err(Mismatch::ObjectSelector));
        }
        in_namespace.map_err(|status| Refusal::from(*status))?;
        is_selected.map_err(|status| Refusal::from(*status))?;
        let mut versioned = VersionedAttributes::new(attributes, &rule.kind, cluster)
            .map_err(|error| Refusal::from(Status::new_internal_error(&error.to_string())))?;
        if let Some(stranded) = stranded {
            if !self.conditions.is_empty() {
                stranded.stays(&rule.kind)?;
            }
            versioned.object = Some(stranded.object.clone());
        }
        let mismatch = self.unmet(attributes, &rule, &versioned, authorizer)?;
        Ok(mismatch.map_or(Ok(Selected { matched: rule, versioned }), Err))
    }

    /// Returns the condition that the request does not meet, if there is one.
    fn unmet(
        &self,
        attributes: &Attributes,
        matched: &Matched,
        versioned: &VersionedAttributes,
        authorizer: &Authorizer,
    ) -> Result<Option<Mismatch>, Refusal> {
        if self.conditions.is_empty() {
            return Ok(None);
        }
        let authorizer = RequestAuthorizer::new(authorizer, attributes);
        let inputs = Inputs {
            object: versioned.object.as_deref().map(|object| &object.value),
            old_object: versioned.old_object.as_deref().map(|object| &object.value),
            request: &admission_request(attributes, matched),
            params: None,
            namespace_object: None,
            authorizer: Some(&authorizer),
            others: &[],
        };
        match self.conditions.evaluate(&Bindings::new(inputs, &[])) {
            MatchResult::Matches => Ok(None),
            MatchResult::Skips(condition) => Ok(Some(Mismatch::Condition(condition))),
            MatchResult::Ignored(_) => Ok(Some(Mismatch::ConditionFailed)),
            MatchResult::Fails(message) => Err(attributes.new_forbidden(message)),
        }
    }

    /// Returns the host and the port of the address.
    pub(super) fn host(&self) -> Option<(String, u16)> {
        let authority = self.url.split_once("://")?.1.split(['/', '?']).next()?;
        Some(match authority.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
            Some((host, port)) => (host.to_owned(), port),
            None => (authority.to_owned(), 443),
        })
    }

    /// Returns the refusal if the webhook cannot be called, with `reason`.
    pub fn failed(&self, reason: &str) -> Refusal {
        let name = gotext::quote(&self.name);
        crate::webhook::internal_error(&format!("failed calling webhook {name}: {reason}"))
            .because(self.evidence("could not be called"))
    }

    /// Returns the webhook as the cause of a refusal.
    pub fn evidence(&self, says: &str) -> Evidence {
        let (resource, index) = &self.place;
        Evidence::named(resource.clone(), "", &self.configuration, says)
            .at(Path::new("webhooks").index(*index))
    }

    /// Returns the note about a request that matches the webhook when no webhook is called.
    pub fn skipped(&self) -> String {
        let policy = match self.failure_policy {
            FailurePolicy::Fail => "Fail",
            FailurePolicy::Ignore => "Ignore",
        };
        format!(
            "webhook {} of {} would be called (failurePolicy {policy}); see --webhooks",
            self.name, self.configuration
        )
    }
}

/// Returns `url` with the path that the server's client sends.
///
/// Source: `NewRequest` of `k8s.io/client-go/rest`, `path.Join`.
fn with_clean_path(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |position| position + 3);
    let start = url[after_scheme..].find('/').map_or(url.len(), |position| after_scheme + position);
    let mut parts = Vec::new();
    for part in url[start..].split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("{}/{}", &url[..start], parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_cleaned() {
        let cases = [
            ("https://hook.shop.svc:443/", "https://hook.shop.svc:443/"),
            ("https://hook.example.com", "https://hook.example.com/"),
            ("https://hook.example.com:8443/a//b/../c/", "https://hook.example.com:8443/a/c"),
            ("https://hook.example.com/../a/.", "https://hook.example.com/a"),
        ];
        for (url, wanted) in cases {
            assert_eq!(with_clean_path(url), wanted);
        }
    }
}
