//! How users are authorized.
//!
//! Source: `k8s.io/kubernetes/pkg/kubeapiserver/options/authorization.go`.

use std::collections::BTreeSet;

use crate::cluster::authorizer::{AuthorizationMode, AuthorizationWebhook};
use crate::configuration::{ConfigurationError, Flags, structured};
use gotext::quote;
use gotext::value::json;
use kube_api::{Value, field};

/// The modes that ask a file or another server, which kadmit does not.
const ASKING_ELSEWHERE: [&str; 2] = ["ABAC", "Webhook"];

impl Flags {
    /// Returns the server's authorization modes, in order. Those that ask elsewhere have no opinion and are left out;
    /// if there is no other, everything is allowed.
    pub fn authorization_modes(&self) -> Result<Vec<AuthorizationMode>, ConfigurationError> {
        let errors = self.authorization_errors();
        if !errors.is_empty() {
            return Err(ConfigurationError::new(field::aggregate(&errors)));
        }
        let mode = |name: &str| match name {
            "AlwaysAllow" => Ok(AuthorizationMode::AlwaysAllow),
            "AlwaysDeny" => Ok(AuthorizationMode::AlwaysDeny),
            "RBAC" => Ok(AuthorizationMode::Rbac),
            "Node" => Ok(AuthorizationMode::Node),
            _ => {
                let message = format!("authorization-mode {} is not built into kadmit", quote(name));
                Err(ConfigurationError::new(message)
                    .help("kadmit has AlwaysAllow, AlwaysDeny, RBAC and Node"))
            }
        };
        // Members of system:masters may do everything without a mode for it; scopes and kubelets do not concern users.
        let openshift = ["Scope", "SystemMasters", "MinimumKubeletVersion"];
        let named = self.authorizers()?;
        let mut webhooks = 0;
        let mut modes = Vec::new();
        for name in named.iter().map(|authorizer| authorizer.text("type")) {
            match name {
                "ABAC" => {}
                "Webhook" => {
                    modes.push(AuthorizationMode::Webhook(webhooks));
                    webhooks += 1;
                }
                name if openshift.contains(&name) => {}
                name => modes.push(mode(name)?),
            }
        }
        // If nothing else is asked, everything is allowed.
        if modes.iter().all(|mode| matches!(mode, AuthorizationMode::Webhook(_))) {
            modes.push(AuthorizationMode::AlwaysAllow);
        }
        Ok(modes)
    }

    /// Returns the authorization webhooks, in order.
    pub(in crate::configuration) fn authorization_webhooks(&self) -> Vec<AuthorizationWebhook> {
        let named = self.authorizers().unwrap_or_default();
        let webhooks = named.iter().filter(|authorizer| authorizer.text("type") == "Webhook");
        webhooks.map(AuthorizationWebhook::new).collect()
    }

    /// Whether the flags set how users are authorized.
    pub fn sets_authorization(&self) -> bool {
        !self.authorization_mode.is_empty() || self.authorization_config.is_some()
    }

    /// Returns the authorizers: those of `--authorization-config`, or one with the type of each mode.
    fn authorizers(&self) -> Result<Vec<Value>, ConfigurationError> {
        let Some(file) = &self.authorization_config else {
            return Ok(self.authorization_mode.iter().map(|mode| json!({"type": mode})).collect());
        };
        let checked = structured::authorization(file, &self.files);
        if let Some(error) = checked.errors.into_iter().next() {
            return Err(error);
        }
        Ok(checked.value.list("authorizers").to_vec())
    }

    /// Returns the note about authorizers that are not asked.
    pub(in crate::configuration) fn note_of_authorizers(&self) -> Option<String> {
        let named = self.authorizers().ok()?;
        let types = || named.iter().map(|authorizer| authorizer.text("type"));
        let others: Vec<&str> = types().filter(|mode| ASKING_ELSEWHERE.contains(mode)).collect();
        let effect = if others.len() == named.len() {
            "everything is allowed"
        } else {
            "whom it alone allows is refused"
        };
        (!others.is_empty()).then(|| {
            format!("the authorizer {} is not asked and has no opinion: {effect}", others.join(", "))
        })
    }

    /// Source: `BuiltInAuthorizationOptions.Validate`.
    pub(in crate::configuration) fn authorization_errors(&self) -> Vec<String> {
        let modes = &self.authorization_mode;
        let error = |mode: &String| match mode.as_str() {
            "AlwaysAllow" | "AlwaysDeny" | "RBAC" | "Node" => None,
            "Scope" | "SystemMasters" | "MinimumKubeletVersion" if self.distribution.is_openshift() => None,
            "ABAC" if self.authorization_policy_file.is_some() => None,
            "ABAC" => Some("authorization-mode ABAC's authorization policy file not passed".to_owned()),
            "Webhook" if self.authorization_webhook_config_file.is_some() => None,
            "Webhook" => Some("authorization-mode Webhook's authorization config file not passed".to_owned()),
            _ => Some(format!("authorization-mode {} is not a valid mode", quote(mode))),
        };
        if self.authorization_config.is_some() {
            let has_others = !modes.is_empty() || self.authorization_webhook_config_file.is_some();
            let error = "--authorization-config can not be specified when --authorization-mode or \
                         --authorization-webhook-* flags are defined";
            return if has_others { vec![error.to_owned()] } else { Vec::new() };
        }
        let mut errors: Vec<_> = modes.iter().filter_map(error).collect();
        for (file, flag, mode) in [
            (&self.authorization_policy_file, "authorization-policy-file", "ABAC"),
            (&self.authorization_webhook_config_file, "authorization-webhook-config-file", "Webhook"),
        ] {
            if file.is_some() && !modes.iter().any(|other| other == mode) {
                errors.push(format!("cannot specify --{flag} without mode {mode}"));
            }
        }
        if modes.iter().collect::<BTreeSet<_>>().len() < modes.len() {
            let quoted: Vec<_> = modes.iter().map(|mode| quote(mode)).collect();
            let quoted = quoted.join(" ");
            errors.push(format!("authorization-mode [{quoted}] has mode specified more than once"));
        }
        errors
    }
}
