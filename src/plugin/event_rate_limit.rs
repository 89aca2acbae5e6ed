//! Limits the rate of Events that a server accepts. A misbehaving controller can write Events faster than etcd stores
//! them; with limits its surplus is refused, and the rest of the cluster keeps working.
//!
//! # When it rejects
//!
//! A core Event is created or updated and one of the limits is reached. Each limit has a bucket of `burst` tokens that
//! gains `qps` tokens per second; every Event takes one from the bucket it belongs to: the one of the server, of its
//! namespace, of the user, or of its source and object. All limits are checked, and those that have a token lose it
//! even if another one refuses. Dry runs and Events of `events.k8s.io` are never limited.
//!
//! # Configuration
//!
//! A configuration with at least one limit is required:
//!
//! ```yaml
//! apiVersion: eventratelimit.admission.k8s.io/v1alpha1
//! kind: Configuration
//! limits:
//! - {type: Server, qps: 5000, burst: 20000}
//! - {type: Namespace, qps: 50, burst: 100, cacheSize: 2000}   # or User, SourceAndObject
//! ```
//!
//! `cacheSize`, 4096 by default, is the number of buckets that are kept. The least recently used one is dropped; if it
//! is needed again, it starts full.
//!
//! # Cluster objects it reads
//!
//! None.
//!
//! # Offline
//!
//! Time passes with the requests: `--rate` sets the number of requests per second. Without it all come at the same
//! time, and no bucket gains tokens.
//!
//! # Since
//!
//! 1.9, off by default.
//!
//! # Upstream
//!
//! `k8s.io/kubernetes/plugin/pkg/admission/eventratelimit`

mod buckets;
pub(super) mod configuration;

use std::sync::{Mutex, PoisonError};

use crate::admission::{Attributes, Handler, Recorder, Refusal, ValidationInterface};
use crate::plugin::{FactoryError, PluginConfiguration, PluginInitializer};
use kube_api::field::{Path, aggregate};
use kube_api::kinds;
use kube_api::{Object, Status, Value};

use buckets::Buckets;
use configuration::{Configuration, Limit, LimitType};

pub(super) fn new(
    _initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Handler, FactoryError> {
    let configuration = Configuration::load(configuration.map(|configuration| configuration.text.as_str()))?;
    let enforcers = configuration.limits.iter().map(LimitEnforcer::new).collect();
    Ok(Handler::validating(EventRateLimit { enforcers }))
}

pub(super) fn effective(
    _initializer: &PluginInitializer,
    configuration: Option<&PluginConfiguration>,
) -> Result<Value, FactoryError> {
    let configuration = Configuration::load(configuration.map(|configuration| configuration.text.as_str()))?;
    Ok(configuration.to_value())
}

struct EventRateLimit {
    enforcers: Vec<LimitEnforcer>,
}

/// A limit and its buckets.
struct LimitEnforcer {
    kind: LimitType,
    buckets: Mutex<Buckets>,
}

impl ValidationInterface for EventRateLimit {
    fn validate(&self, attributes: &Attributes, _recorder: &mut Recorder) -> Result<(), Refusal> {
        let Some(event) = attributes.object.as_deref().filter(|_| attributes.kind.is(kinds::EVENT)) else {
            return Ok(());
        };
        if attributes.dry_run {
            return Ok(());
        }
        let mut errors = Vec::new();
        let mut fields = Vec::new();
        for enforcer in &self.enforcers {
            if let Err(error) = enforcer.accept(attributes, event) {
                errors.push(error);
                fields.extend(enforcer.kind.field());
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        let status = Status {
            code: 429,
            reason: "TooManyRequests".to_owned(),
            message: format!("Too many requests: {}", aggregate(&errors)),
            ..Status::default()
        };
        Err(Refusal::from(status).at_all(fields))
    }
}

impl LimitEnforcer {
    fn new(limit: &Limit) -> Self {
        Self { kind: limit.kind, buckets: Mutex::new(Buckets::new(limit)) }
    }

    fn accept(&self, attributes: &Attributes, event: &Object) -> Result<(), String> {
        let key = self.kind.key(attributes, event);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.take(&key, attributes.time) {
            Ok(())
        } else {
            Err(format!("limit reached on type {} for key {key}", self.kind.name()))
        }
    }
}

impl LimitType {
    /// Returns the key of the bucket that an Event belongs to.
    fn key(self, attributes: &Attributes, event: &Object) -> String {
        match self {
            Self::Server => String::new(),
            Self::Namespace => attributes.namespace.clone(),
            Self::User => attributes.user_info.username.clone(),
            Self::SourceAndObject => [
                ["source", "component"],
                ["source", "host"],
                ["involvedObject", "kind"],
                ["involvedObject", "namespace"],
                ["involvedObject", "name"],
                ["involvedObject", "uid"],
                ["involvedObject", "apiVersion"],
            ]
            .map(|path| event.text(path))
            .concat(),
        }
    }

    /// Returns the field of the Event that decides on its bucket.
    fn field(self) -> Option<Path> {
        match self {
            Self::Server | Self::User => None,
            Self::Namespace => Some(Path::new("metadata.namespace")),
            Self::SourceAndObject => Some(Path::new("involvedObject")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::admission::UserInfo;
    use crate::plugin::testing::{Bench, create, initializer};
    use gotext::value::json;
    use kube_api::{GroupVersionKind, Value};

    fn bench(limits: &Value) -> Bench {
        let configuration = json!({
            "apiVersion": "eventratelimit.admission.k8s.io/v1alpha1", "kind": "Configuration", "limits": limits,
        });
        let initializer = initializer([]);
        let configuration = PluginConfiguration::from(configuration.to_string());
        let handler = new(&initializer, Some(&configuration)).unwrap();
        Bench::of("EventRateLimit", handler, initializer.cluster)
    }

    fn event(namespace: &str, user: &str, object: &str, milliseconds: u64) -> Attributes {
        let request = create(json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "web", "namespace": namespace},
            "involvedObject": {"kind": "Pod", "name": object},
            "source": {"component": "kubelet", "host": "n1"},
        }));
        Attributes {
            namespace: namespace.to_owned(),
            user_info: Arc::new(UserInfo { username: user.to_owned(), ..UserInfo::default() }),
            time: Duration::from_millis(milliseconds),
            ..request
        }
    }

    fn message(bench: &Bench, request: &Attributes) -> Option<String> {
        bench.validate(request).err().map(|refusal| refusal.status.message)
    }

    #[test]
    fn admits_a_burst_and_then_so_many_a_second() {
        let bench = bench(&json!([{"type": "Server", "qps": 2, "burst": 3}]));
        let times = [0, 0, 0, 0, 499, 500, 999, 5000, 5000, 5000, 5000];
        let admitted = times.map(|time| bench.validate(&event("a", "u", "web", time)).is_ok());
        assert_eq!(admitted, [true, true, true, false, false, true, false, true, true, true, false]);
    }

    #[test]
    fn rejects_by_namespace_user_and_object() {
        for (limit_type, key, other) in [
            ("Namespace", "a", event("b", "u", "web", 0)),
            ("User", "u", event("a", "v", "web", 0)),
            ("SourceAndObject", "kubeletn1Podweb", event("a", "u", "db", 0)),
        ] {
            let bench = bench(&json!([{"type": limit_type, "qps": 1, "burst": 1}]));
            let request = event("a", "u", "web", 0);
            assert_eq!(message(&bench, &request), None);
            let refusal = bench.validate(&request).unwrap_err();
            assert_eq!((refusal.status.code, refusal.status.reason.as_str()), (429, "TooManyRequests"));
            assert_eq!(
                refusal.status.message,
                format!("Too many requests: limit reached on type {limit_type} for key {key}")
            );
            assert_eq!(message(&bench, &other), None);
        }
    }

    #[test]
    fn rejects_with_all_limits_that_are_reached_and_charges_the_others() {
        let bench = bench(&json!([
            {"type": "Server", "qps": 1, "burst": 3},
            {"type": "Namespace", "qps": 1, "burst": 1},
        ]));
        assert_eq!(message(&bench, &event("a", "u", "web", 0)), None);
        for _ in 0..2 {
            assert_eq!(
                message(&bench, &event("a", "u", "web", 0)).unwrap(),
                "Too many requests: limit reached on type Namespace for key a"
            );
        }
        assert_eq!(
            message(&bench, &event("a", "u", "web", 0)).unwrap(),
            "Too many requests: [limit reached on type Server for key , limit reached on type Namespace for key a]"
        );
    }

    #[test]
    fn ignores_dry_runs_and_events_of_the_other_group() {
        let bench = bench(&json!([{"type": "Server", "qps": 1, "burst": 1}]));
        let dry = Attributes { dry_run: true, ..event("a", "u", "web", 0) };
        let kind = GroupVersionKind::new("events.k8s.io", "v1", "Event");
        let other = Attributes { kind, ..event("a", "u", "web", 0) };
        for request in [&dry, &dry, &other, &other] {
            assert_eq!(message(&bench, request), None);
        }
        assert_eq!(message(&bench, &event("a", "u", "web", 0)), None);
    }
}
