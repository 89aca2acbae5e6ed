//! The address that a kubeconfig file names.
//!
//! Programs in such a file are never run.
//!
//! Source: `k8s.io/client-go/tools/clientcmd`.

use std::fs;

use crate::versioned::ServerFiles;
use crate::webhook::credentials::{self, Credentials, go_error};
use gotext::quote;
use gotext::source::{Node, SourceFile};
use kube_api::{Value, decode};

/// The server of the current context of a kubeconfig file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backend {
    /// The address.
    pub url: String,
    /// The certificates that its own may be signed by, in PEM.
    pub ca_bundle: Vec<u8>,
    /// The credentials that it is called with.
    pub credentials: Credentials,
}

impl Backend {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// Returns the server's error if it does not start with it.
    pub fn load(path: &str, files: &ServerFiles) -> Result<Self, String> {
        const NONE: &str = "invalid configuration: no configuration has been provided, try setting \
                            KUBERNETES_MASTER environment variable";
        if path.is_empty() {
            return Err(NONE.to_owned());
        }
        let text = fs::read_to_string(files.locate(path.as_ref())).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("stat {path}: no such file or directory"),
            _ => format!("error loading config file \"{path}\": {}", go_error(path, &error)),
        })?;
        if text.is_empty() {
            return Err(NONE.to_owned());
        }
        let refuse = |error: String| format!("error loading config file \"{path}\": {error}");
        let source = SourceFile::new(path, text);
        let document = kube_yaml::read_first(&source).map_err(|error| refuse(error.to_string()))?;
        check_header(&document.node).map_err(refuse)?;
        let mut config = document.node.into_value();
        credentials::resolve_paths(&mut config, path, files);
        let current = config.text("current-context");
        let context = named(&config, "contexts", current);
        let mut errors = Vec::new();
        if context.is_none() && !current.is_empty() {
            errors.push(format!("context was not found for specified context: {current}"));
        }
        let context = context.unwrap_or(&Value::Null);
        let user_name = context.text(["context", "user"]);
        let user = named(&config, "users", user_name).map(|user| &user["user"]);
        errors.extend(user.into_iter().flat_map(|user| credentials::errors_of_user(user_name, user)));
        let cluster_name = context.text(["context", "cluster"]);
        let cluster = named(&config, "clusters", cluster_name).map(|cluster| &cluster["cluster"]);
        let is_without_cluster = cluster.is_none();
        match cluster {
            None => errors.push("cluster has no server defined".to_owned()),
            Some(cluster) => errors.extend(errors_of_cluster(cluster_name, cluster)),
        }
        match errors.as_slice() {
            [] => {}
            [_] if is_without_cluster => return Err(NONE.to_owned()),
            [error] => return Err(format!("invalid configuration: {error}")),
            errors => return Err(format!("invalid configuration: [{}]", errors.join(", "))),
        }
        let cluster = cluster.unwrap_or(&Value::Null);
        Ok(Self {
            url: cluster.text("server").to_owned(),
            ca_bundle: credentials::bytes(cluster, "certificate-authority")?,
            credentials: Credentials::of_user(user.unwrap_or(&Value::Null))?,
        })
    }
}

/// Returns an error unless the document is a `Config` of `v1`, the default.
fn check_header(document: &Node) -> Result<(), String> {
    const SCHEME: &str = "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50";
    let (api_version, kind) = decode::interpret(document)?;
    if matches!(api_version.as_str(), "" | "v1") && matches!(kind.as_str(), "" | "Config") {
        return Ok(());
    }
    let kind = if kind.is_empty() { "Config" } else { kind.as_str() };
    let api_version = if api_version.is_empty() { "v1" } else { api_version.as_str() };
    let (kind, version, scheme) = (quote(kind), quote(api_version), quote(SCHEME));
    Err(format!("no kind {kind} is registered for version {version} in scheme {scheme}"))
}

/// Returns the entry called `name` of the kubeconfig's `list`.
fn named<'a>(config: &'a Value, list: &str, name: &str) -> Option<&'a Value> {
    let items = config[list].as_array().into_iter().flatten();
    items.into_iter().find(|item| item["name"] == name)
}

/// Source: `validateClusterInfo`.
fn errors_of_cluster(name: &str, cluster: &Value) -> Vec<String> {
    const AUTHORITY: &str = "certificate-authority";
    let mut errors = Vec::new();
    if cluster.text("server").is_empty() {
        errors.push(if name.is_empty() {
            "default cluster has no server defined".to_owned()
        } else {
            format!("no server found for cluster {}", quote(name))
        });
    }
    let file = cluster.text(AUTHORITY);
    if file.is_empty() {
        return errors;
    }
    if !cluster.text("certificate-authority-data").is_empty() {
        errors.push(format!(
            "certificate-authority-data and certificate-authority are both specified for {name}. \
             certificate-authority-data will override."
        ));
    }
    errors.extend(credentials::unreadable(AUTHORITY, file, name));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let name = format!("kadmit-kubeconfig-{}-{:x}", std::process::id(), text.len());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).unwrap();
        let error = Backend::load(&path.display().to_string(), &ServerFiles::default()).unwrap_err();
        fs::remove_file(&path).unwrap();
        error
    }

    #[test]
    fn rejects_what_cannot_be_used() {
        let none = "invalid configuration: no configuration has been provided, try setting \
                    KUBERNETES_MASTER environment variable";
        assert_eq!(refused(""), none);
        assert_eq!(refused("kind: Config\n"), none);
        assert_eq!(
            refused("current-context: a\n"),
            "invalid configuration: [context was not found for specified context: a, cluster has no server defined]"
        );
        let context = "contexts: [{name: a, context: {cluster: b, user: c}}]\ncurrent-context: a\n";
        assert_eq!(
            refused(&format!("{context}clusters: [{{name: b, cluster: {{}}}}]\n")),
            "invalid configuration: no server found for cluster \"b\""
        );
        let cluster = "clusters: [{name: b, cluster: {server: 'https://b'}}]\n";
        assert_eq!(
            refused(&format!(
                "{context}{cluster}users: [{{name: c, user: {{token: t, username: u, client-certificate-data: eA==}}}}]\n"
            )),
            "invalid configuration: [client-key-data or client-key must be specified for c to use the clientCert \
             authentication method., more than one authentication method found for c; found [token basicAuth], only \
             one is allowed]"
        );
    }
}
