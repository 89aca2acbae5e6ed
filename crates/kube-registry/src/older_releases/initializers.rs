//! The initializers of objects, which servers until 1.15 read. Those from 1.14 on never store them, and those before only
//! if the gate `Initializers` is on.
//!
//! Source: `BeforeCreate`, `BeforeUpdate` of `k8s.io/apiserver/pkg/registry/rest`.

use kube_api::Map;
use kube_api::features::Feature;
use kube_api::server_profile::ServerProfile;
use kube_api::tree::remove_key;

/// The minor of the first release that does not store them.
const GONE: u32 = 14;

/// Drops the initializers of an object that is stored without them.
pub(crate) fn drop_disabled(object: &mut Map, profile: &ServerProfile) {
    let minor = profile.release().minor;
    let has_field = minor < 16;
    if has_field && (minor >= GONE || !profile.is_on_or(Feature::Initializers.name(), false)) {
        remove_key(object, "metadata", "initializers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::metadata::{Scope, name_is_dns_subdomain, validate_object_meta};
    use crate::validation::node::{Errors, Node};
    use gotext::value::json;
    use kube_api::version::Version;

    #[test]
    fn only_the_gate_keeps_initializers_and_until_1_13_alone() {
        let kept = |minor: u32, gates: &str| {
            let profile = ServerProfile::of_release(Version::minor(minor), []).with(gates).expect("gates");
            let mut object =
                json!({"metadata": {"name": "a", "initializers": {"pending": [{"name": "a.b.c"}]}}});
            drop_disabled(object.as_object_mut().expect("a map"), &profile);
            object != json!({"metadata": {"name": "a"}})
        };
        assert!(kept(13, "Initializers=true") && kept(10, "Initializers=true"));
        assert!(!kept(13, "") && !kept(14, "Initializers=true") && !kept(15, ""));
    }

    #[test]
    fn rejects_names_that_are_not_qualified_and_results_that_are_no_failures() {
        let object = json!({
            "metadata": {
                "name": "a",
                "initializers": {
                    "pending": [{"name": "a.b.c"}, {"name": "a"}, {"name": ""}],
                    "result": {"status": "Success"},
                },
            },
        });
        let mut errors = Errors::default();
        validate_object_meta(&mut errors, &Node::root(&object), Scope::Cluster, name_is_dns_subdomain);
        let texts: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "metadata.initializers.pending[1].name: Invalid value: \"a\": should be a domain with at least three \
                 segments separated by dots",
                "metadata.initializers.pending[2].name: Required value",
                "metadata.initializers.result.status: Invalid value: \"Success\": must be 'Failure'",
            ]
        );
    }
}
