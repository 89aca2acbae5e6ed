//! The address that a kubeconfig file names.
//!
//! Programs in such a file are never run.
//!
//! Source: `k8s.io/client-go/tools/clientcmd`.

use std::fs;

use crate::api::Value;
use crate::manifest;
use crate::source::SourceFile;
use crate::webhook::credentials::{self, Credentials};

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
    pub fn load(path: &str) -> Result<Self, String> {
        const NONE: &str = "invalid configuration: no configuration has been provided, try setting \
                            KUBERNETES_MASTER environment variable";
        if path.is_empty() {
            return Err(NONE.to_owned());
        }
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("stat {path}: no such file or directory"),
            _ => format!("open {path}: {error}"),
        })?;
        let source = SourceFile::new(path, text);
        let document = manifest::read(&source).next().ok_or(NONE)?;
        let config = document.map_err(|error| error.to_string())?.node.into_value();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let named = |list: &str, name: &str| {
            let items = config[list].as_array().into_iter().flatten();
            items.into_iter().find(|item| item["name"] == name).cloned().unwrap_or_default()
        };
        let context = named("contexts", &text(&config["current-context"]));
        let cluster = named("clusters", &text(&context["context"]["cluster"]));
        let cluster = &cluster["cluster"];
        let url = text(&cluster["server"]);
        if url.is_empty() {
            return Err(NONE.to_owned());
        }
        let ca_bundle = credentials::bytes(cluster, "certificate-authority")?;
        let user = named("users", &text(&context["context"]["user"]));
        let credentials = Credentials::of_user(&user["user"])?;
        Ok(Self { url, ca_bundle, credentials })
    }
}
