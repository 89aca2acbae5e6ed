//! The tokens that service accounts got as secrets before 1.24.
//!
//! Source: `tokens_controller.go`.

use std::sync::Arc;

use crate::cluster::Cluster;
use gotext::value::json;
use kube_api::resources::{SECRETS, SERVICE_ACCOUNTS};
use kube_api::server_profile::ServerProfile;
use kube_api::service_account::{NAME, TOKEN, UID, is_token_of};
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Object, Value, name_generator};

/// The first release whose controller creates no tokens.
const WITHOUT_TOKENS: Version = Version::minor(24);

/// Gives each service account of `namespace` a token, if the release does: a secret that the account lists.
pub(super) fn keep(cluster: &Cluster, namespace: &str, profile: &ServerProfile) {
    if profile.release() >= WITHOUT_TOKENS {
        return;
    }
    for account in cluster.list(&SERVICE_ACCOUNTS, namespace) {
        let listed =
            |name: &str| account.list("secrets").iter().any(|secret| secret["name"].as_str() == Some(name));
        let tokens = cluster.list(&SECRETS, namespace);
        if tokens.iter().any(|secret| is_token_of(secret, &account) && listed(secret.name())) {
            continue;
        }
        // The secrets of a cluster are seldom among its dumped objects.
        let prefix = format!("{}-token-", account.name());
        let names = account.list("secrets").iter().filter_map(|secret| secret["name"].as_str());
        let known = names.filter(|name| name.starts_with(&prefix)).map(str::to_owned).next();
        let is_known = known.is_some();
        let name = known.unwrap_or_else(|| name_generator::generate_name(&prefix, seed(&account)));
        cluster.put(&SECRETS, Arc::new(token(&name, &account)));
        if !is_known {
            let mut referring = Object::clone(&account);
            referring.append("secrets", json!({"name": name}));
            cluster.put(&SERVICE_ACCOUNTS, Arc::new(referring));
        }
    }
}

fn token(name: &str, account: &Object) -> Object {
    let mut value: Value = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": account.namespace(),
            "annotations": {NAME: account.name()},
        },
        "type": TOKEN,
    });
    let uid = account.text(["metadata", "uid"]);
    if !uid.is_empty() {
        value["metadata"]["annotations"][UID] = uid.into();
    }
    Object::new(GroupVersionKind::new("", "v1", "Secret"), value)
}

fn seed(account: &Object) -> u64 {
    let bytes = account.namespace().bytes().chain([b'/']).chain(account.name().bytes());
    bytes.fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::namespace;

    fn secrets(minor: u32, account: Option<Value>) -> Vec<String> {
        let cluster = Cluster::new();
        if let Some(account) = account {
            let object = Object::new(GroupVersionKind::new("", "v1", "ServiceAccount"), account);
            cluster.put(&SERVICE_ACCOUNTS, Arc::new(object));
        }
        let profile = ServerProfile::of_release(Version::minor(minor), []);
        namespace::complete(&cluster, "default", &profile);
        namespace::complete(&cluster, "default", &profile);
        cluster.list(&SECRETS, "default").iter().map(|secret| secret.name().to_owned()).collect()
    }

    #[test]
    fn gives_each_account_one_token_until_1_23() {
        let [token] = &secrets(23, None)[..] else { panic!("one token") };
        assert!(token.starts_with("default-token-"), "{token}");
        assert_eq!(secrets(24, None), [""; 0]);
    }

    #[test]
    fn takes_the_token_that_a_dumped_account_lists() {
        let account = json!({
            "metadata": {"name": "default", "namespace": "default", "uid": "1"},
            "secrets": [{"name": "other"}, {"name": "default-token-abcde"}],
        });
        assert_eq!(secrets(20, Some(account)), ["default-token-abcde"]);
    }
}
