//! The file that tells clients where the server is and who they are.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use gotext::value::json;
use kube_yaml::write_yaml;

/// Returns the kubeconfig of a user of the server at `url`.
pub(super) fn of(url: &str, authority: &str, token: &str) -> String {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{
            "name": "kadmit",
            "cluster": {"server": url, "certificate-authority-data": BASE64_STANDARD.encode(authority)},
        }],
        "users": [{"name": "kadmit", "user": {"token": token}}],
        "contexts": [{"name": "kadmit", "context": {"cluster": "kadmit", "user": "kadmit"}}],
        "current-context": "kadmit",
    });
    let mut text = String::new();
    write_yaml(&config, &mut text).map_or_else(|_| config.to_string(), |()| text)
}
