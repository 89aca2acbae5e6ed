//! The limits that an administrator sets.

use gotext::value::json;

use crate::plugin::FactoryError;
use crate::versioned::{Kind, Scheme};
use kube_api::Value;
use kube_api::field::{Error, Path, aggregate};

/// The kinds of its files, the newest first.
pub(in crate::plugin) const SCHEME: Scheme = Scheme {
    name: "pkg/admission/eventratelimit/config.go:31",
    strict: false,
    kinds: &[Kind {
        api_version: "eventratelimit.admission.k8s.io/v1alpha1",
        kind: "Configuration",
        table: "eventratelimit/v1alpha1.Configuration",
        internal: "eventratelimit.Configuration",
    }],
};

/// The number of buckets that a limit keeps by default.
const DEFAULT_CACHE_SIZE: usize = 4096;

#[derive(Debug, PartialEq)]
pub(super) struct Configuration {
    /// Never empty.
    pub(super) limits: Vec<Limit>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) kind: LimitType,
    /// Events in a second, once the burst is used up. Positive.
    pub(super) qps: i32,
    /// The number of Events that may come at once; positive.
    pub(super) burst: i32,
    /// The number of buckets to keep; positive.
    pub(super) cache_size: usize,
}

/// The scope that has its own bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitType {
    Server,
    Namespace,
    User,
    SourceAndObject,
}

impl LimitType {
    const ALL: [Self; 4] = [Self::Server, Self::Namespace, Self::User, Self::SourceAndObject];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "Server",
            Self::Namespace => "Namespace",
            Self::User => "User",
            Self::SourceAndObject => "SourceAndObject",
        }
    }
}

impl Configuration {
    /// Reads and checks a configuration, or returns why the server would not start with it or without one.
    pub(super) fn load(text: Option<&str>) -> Result<Self, FactoryError> {
        let value = match text {
            Some(text) => SCHEME.read(text)?.value,
            None => Value::Null,
        };
        let path = Path::new("limits");
        let written = value.at("limits");
        let items = written.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if items.is_empty() {
            let given = written.unwrap_or(&Value::Null);
            return Err(Error::invalid(&path, given, "must not be empty").to_string().into());
        }
        let mut errors = Vec::new();
        let limits = items.iter().enumerate().filter_map(|(index, item)| {
            Limit::read(item, &path.index(index)).map_err(|found| errors.extend(found)).ok()
        });
        let limits = limits.collect();
        if errors.is_empty() { Ok(Self { limits }) } else { Err(aggregate(&errors).into()) }
    }

    /// Returns the configuration with its defaults, in its newest version.
    pub(super) fn to_value(&self) -> Value {
        let limits = self.limits.iter().map(|limit| {
            json!({
                "type": limit.kind.name(),
                "qps": limit.qps,
                "burst": limit.burst,
                "cacheSize": limit.cache_size,
            })
        });
        json!({"limits": limits.collect::<Vec<_>>()})
    }
}

impl Limit {
    /// Source: `ValidateConfiguration` of `k8s.io/kubernetes/plugin/pkg/admission/eventratelimit`. It prints the
    /// types in no order.
    fn read(value: &Value, path: &Path) -> Result<Self, Vec<Error>> {
        let number = |field| {
            let number = value.int(field);
            i32::try_from(number).expect("the field table lets no other numbers through")
        };
        let name = value.text("type");
        let (qps, burst, cache_size) = (number("qps"), number("burst"), number("cacheSize"));

        let mut errors = Vec::new();
        let kind = LimitType::ALL.into_iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            let supported = LimitType::ALL.map(LimitType::name);
            errors.push(Error::not_supported(&path.child("type"), &json!(name), &supported));
        }
        for (field, number) in [("burst", burst), ("qps", qps)] {
            if number <= 0 {
                errors.push(Error::invalid(&path.child(field), &json!(number), "must be positive"));
            }
        }
        if cache_size < 0 && kind != Some(LimitType::Server) {
            errors.push(Error::invalid(&path.child("cacheSize"), &json!(cache_size), "must not be negative"));
        }
        match kind {
            Some(kind) if errors.is_empty() => {
                // The server has one bucket, whatever its size is set to.
                let cache_size = match usize::try_from(cache_size) {
                    Ok(0) | Err(_) => DEFAULT_CACHE_SIZE,
                    Ok(size) => size,
                };
                Ok(Self { kind, qps, burst, cache_size })
            }
            _ => Err(errors),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(body: &str) -> Result<Vec<Limit>, String> {
        let header = "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n";
        let read = Configuration::load(Some(&format!("{header}{body}")));
        read.map(|configuration| configuration.limits).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_limits_and_ignores_other_fields() {
        assert_eq!(
            load(
                "other: 1\nlimits:\n- {type: Server, qps: 1, burst: 2, cacheSize: -1}\n- {type: User, qps: 3, burst: 4, cacheSize: 5}\n"
            ),
            Ok(vec![
                Limit { kind: LimitType::Server, qps: 1, burst: 2, cache_size: DEFAULT_CACHE_SIZE },
                Limit { kind: LimitType::User, qps: 3, burst: 4, cache_size: 5 },
            ])
        );
    }

    #[test]
    fn rejects_configurations_without_limits() {
        for body in ["", "limits: null\n"] {
            assert_eq!(load(body), Err("limits: Invalid value: null: must not be empty".to_owned()));
        }
        assert_eq!(load("limits: []\n"), Err("limits: Invalid value: []: must not be empty".to_owned()));
        let without = Configuration::load(None).unwrap_err();
        assert_eq!(without.to_string(), "limits: Invalid value: null: must not be empty");
    }

    #[test]
    fn rejects_limits_that_are_none() {
        assert_eq!(
            load("limits:\n- {type: User, qps: 1, burst: 0}\n"),
            Err("limits[0].burst: Invalid value: 0: must be positive".to_owned())
        );
        assert_eq!(
            load("limits:\n- {type: Pod, qps: 1, burst: 1}\n- {type: User, cacheSize: -1}\n"),
            Err("[limits[0].type: Unsupported value: \"Pod\": supported values: \"Server\", \"Namespace\", \"User\", \
                 \"SourceAndObject\", limits[1].burst: Invalid value: 0: must be positive, limits[1].qps: Invalid value: 0: \
                 must be positive, limits[1].cacheSize: Invalid value: -1: must not be negative]"
                .to_owned())
        );
        assert_eq!(
            load("limits:\n- {type: User, qps: \"1\"}\n"),
            Err("json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32"
                .to_owned())
        );
    }

    #[test]
    fn rejects_other_kinds() {
        let error = Configuration::load(Some("")).unwrap_err();
        assert_eq!(error.to_string(), "Object 'Kind' is missing in ''");
    }
}
