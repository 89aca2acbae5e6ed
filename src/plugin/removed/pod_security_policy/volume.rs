//! Checks volumes against a policy.
//!
//! Source: `pkg/security/podsecuritypolicy/util`, `ValidatePod`.

use crate::plugin::removed::pod_security_policy::provider::Provider;
use crate::plugin::security_context::{projects_only_the_token, source_of};
use kube_api::field::{self, Path};
use kube_api::version::Version;
use kube_api::{Object, Value};
use kube_registry::pod::policy_name_of_volume_source;

/// The first release that treats the projection of an account's token as a secret.
const TOKENS_ARE_SECRETS: Version = Version::minor(19);

/// Checks every volume of the pod.
pub(super) fn check(errors: &mut Vec<field::Error>, provider: &Provider, pod: &Object) {
    let allowed: Vec<&str> = provider.rules().texts("volumes").collect();
    for (index, volume) in pod.list(["spec", "volumes"]).iter().enumerate() {
        let path = Path::new("spec").child("volumes").index(index);
        let Some(source) = source_of(volume) else { continue };
        let kind = policy_name_of_volume_source(source);
        let is_token = || {
            provider.release >= TOKENS_ARE_SECRETS
                && kind == "projected"
                && allowed.contains(&"secret")
                && projects_only_the_token(volume, |map| map.text("name") == "kube-root-ca.crt")
        };
        if !(allowed.contains(&"*") || allowed.contains(&kind) || is_token()) {
            let detail = format!("{kind} volumes are not allowed to be used");
            errors.push(field::Error::invalid_text(&path, kind, detail));
            continue;
        }
        match kind {
            "hostPath" => host_path(errors, provider, pod, volume, &path),
            "flexVolume" => {
                let driver = volume.text(["flexVolume", "driver"]);
                if !is_listed(provider, "allowedFlexVolumes", "driver", driver) {
                    let detail = "Flexvolume driver is not allowed to be used";
                    errors.push(field::Error::invalid_text(&path.child("driver"), driver, detail));
                }
            }
            "csi" if provider.checks_csi => {
                let driver = volume.text(["csi", "driver"]);
                if !is_listed(provider, "allowedCSIDrivers", "name", driver) {
                    let detail = "Inline CSI driver is not allowed to be used";
                    let path = path.child("csi").child("driver");
                    errors.push(field::Error::invalid_text(&path, driver, detail));
                }
            }
            _ => {}
        }
    }
}

/// Whether `name` is in `field` of an item of a list; a list without items allows all.
fn is_listed(provider: &Provider, list: &str, field: &str, name: &str) -> bool {
    let list = provider.rules().list(list);
    list.is_empty() || list.iter().any(|item| item.text(field) == name)
}

/// Source: `AllowsHostVolumePath`, `hostPathVolumeMustBeReadOnly`.
fn host_path(errors: &mut Vec<field::Error>, provider: &Provider, pod: &Object, volume: &Value, path: &Path) {
    let host_path = volume.text(["hostPath", "path"]);
    let allowed = provider.rules().list("allowedHostPaths");
    if allowed.is_empty() {
        return;
    }
    let mut matching =
        allowed.iter().filter(|prefix| has_prefix(host_path, prefix.text("pathPrefix"))).peekable();
    if matching.peek().is_none() {
        let path = path.child("hostPath").child("pathPrefix");
        errors.push(field::Error::invalid_text(&path, host_path, "is not allowed to be used"));
        return;
    }
    let is_read_only = |value: &Value| value.at("readOnly").and_then(Value::as_bool) == Some(true);
    if !matching.all(is_read_only) {
        return;
    }
    let name = volume.text("name");
    for list in provider.checked_lists() {
        for (index, container) in pod.list(["spec", list]).iter().enumerate() {
            let mounts = container.list("volumeMounts").iter();
            for (position, mount) in mounts.enumerate() {
                if mount.text("name") == name && !is_read_only(mount) {
                    let path = Path::new("spec").child(list).index(index).child("volumeMounts");
                    let path = path.index(position).child("readOnly");
                    errors.push(field::Error::invalid(&path, &Value::Bool(false), "must be read-only"));
                }
            }
        }
    }
}

/// Whether the first steps of `path` are those of `prefix`.
fn has_prefix(path: &str, prefix: &str) -> bool {
    let cut = |path: &'_ str| path.strip_suffix('/').unwrap_or(path).to_owned();
    let (path, prefix) = (cut(path), cut(prefix));
    path.strip_prefix(&prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
