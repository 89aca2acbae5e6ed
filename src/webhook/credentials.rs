//! The credentials with which the server calls a webhook: the users of a kubeconfig file.
//!
//! Programs and authentication plugins in such a file are never run.
//!
//! Source: `k8s.io/apiserver/pkg/util/webhook/authentication.go`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

use crate::versioned::ServerFiles;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use kube_api::Value;

use gotext::source::SourceFile;

/// The credentials of the server towards a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Credentials {
    /// The client certificate with its chain, in PEM; empty without.
    pub certificate: Vec<u8>,
    /// Its private key, in PEM.
    pub key: Vec<u8>,
    /// The value of the header `Authorization`; empty without.
    pub authorization: String,
}

/// The users of a kubeconfig file, by the hosts that they are for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Users {
    users: BTreeMap<String, Credentials>,
    current: Option<Credentials>,
}

impl Credentials {
    /// Reads `user` of a kubeconfig file.
    ///
    /// # Errors
    ///
    /// Fails if a file that it names cannot be read, or if it needs a program to be run.
    pub(super) fn of_user(user: &Value) -> Result<Self, String> {
        let text = |field: &str| user[field].as_str().unwrap_or_default().to_owned();
        if !user["exec"].is_null() {
            return Err("kadmit runs no program for credentials: exec is not supported".to_owned());
        }
        let (token, token_file) = (text("token"), text("tokenFile"));
        let authorization = if !token_file.is_empty() {
            let token = fs::read_to_string(&token_file)
                .map_err(|error| format!("failed to read token file {token_file}: {error}"))?;
            format!("Bearer {}", token.trim())
        } else if !token.is_empty() {
            format!("Bearer {token}")
        } else if !text("username").is_empty() {
            format!("Basic {}", STANDARD.encode(format!("{}:{}", text("username"), text("password"))))
        } else {
            String::new()
        };
        Ok(Self {
            certificate: bytes(user, "client-certificate")?,
            key: bytes(user, "client-key")?,
            authorization,
        })
    }
}

/// Returns the content of `field` of a kubeconfig file: the base64 of `field-data`, or the content of the file that it
/// names.
pub(super) fn bytes(value: &Value, field: &str) -> Result<Vec<u8>, String> {
    let data = value[format!("{field}-data").as_str()].as_str().unwrap_or_default();
    let file = value[field].as_str().unwrap_or_default();
    match (data, file) {
        ("", "") => Ok(Vec::new()),
        ("", file) => fs::read(file).map_err(|_| {
            format!(
                "invalid configuration: unable to read {field} {file}: open {file}: no such file or directory"
            )
        }),
        (data, _) => Ok(STANDARD.decode(data).unwrap_or_default()),
    }
}

/// Resolves the file names of the kubeconfig that the server knows as `path`: relative ones start from its directory.
///
/// Source: `ResolveLocalPaths`.
pub(super) fn resolve_paths(config: &mut Value, path: &str, files: &ServerFiles) {
    const FIELDS: [(&str, &str, &[&str]); 2] = [
        ("clusters", "cluster", &["certificate-authority"]),
        ("users", "user", &["client-certificate", "client-key", "tokenFile"]),
    ];
    let directory = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let Some(directory) = directory.parent() else { return };
    for (list, part, fields) in FIELDS {
        for entry in config[list].as_array_mut().into_iter().flatten() {
            for field in fields {
                let file = entry[part][*field].as_str().unwrap_or_default();
                if !file.is_empty() {
                    let place = files.locate(&directory.join(file)).display().to_string();
                    entry[part][*field] = place.into();
                }
            }
        }
    }
}

/// Returns the errors in the user called `name`. Programs to run are refused elsewhere.
///
/// Source: `validateAuthInfo`.
pub(super) fn errors_of_user(name: &str, user: &Value) -> Vec<String> {
    let text = |field: &str| user[field].as_str().unwrap_or_default();
    let has = |field: &str| !text(field).is_empty();
    let mut errors = Vec::new();
    let (certificate, key) = (text("client-certificate"), text("client-key"));
    if has("client-certificate") || has("client-certificate-data") {
        if has("client-certificate") && has("client-certificate-data") {
            errors.push(format!(
                "client-cert-data and client-cert are both specified for {name}. client-cert-data will override."
            ));
        }
        if has("client-key") && has("client-key-data") {
            errors.push(format!(
                "client-key-data and client-key are both specified for {name}; client-key-data will override"
            ));
        }
        if !has("client-key") && !has("client-key-data") {
            errors.push(format!(
                "client-key-data or client-key must be specified for {name} to use the clientCert authentication method."
            ));
        }
        errors.extend(unreadable("client-cert", certificate, name));
        errors.extend(unreadable("client-key", key, name));
    }
    if has("token") && (has("username") || has("password")) {
        errors.push(format!(
            "more than one authentication method found for {name}; found [token basicAuth], only one is allowed"
        ));
    }
    errors
}

/// Returns the error about `file`, the `what` of `owner`, if it cannot be opened.
pub(super) fn unreadable(what: &str, file: &str, owner: &str) -> Option<String> {
    if file.is_empty() {
        return None;
    }
    let error = fs::File::open(file).err()?;
    Some(format!("unable to read {what} {file} for {owner} due to {}", go_error(file, &error)))
}

/// Returns Go's error about a file that cannot be read.
pub(super) fn go_error(path: &str, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("open {path}: no such file or directory"),
        ErrorKind::PermissionDenied => format!("open {path}: permission denied"),
        ErrorKind::IsADirectory => format!("read {path}: is a directory"),
        _ => format!("open {path}: {error}"),
    }
}

impl Users {
    /// Reads the file at `path`.
    ///
    /// # Errors
    ///
    /// Fails if it or a user in it cannot be read.
    pub fn load(path: &str, files: &ServerFiles) -> Result<Self, String> {
        let text = fs::read_to_string(files.locate(path.as_ref()))
            .map_err(|error| format!("open {path}: {error}"))?;
        let document = kube_yaml::read(&SourceFile::new(path, text)).next();
        let Some(document) = document else { return Ok(Self::default()) };
        let mut config = document.map_err(|error| error.to_string())?.node.into_value();
        resolve_paths(&mut config, path, files);
        let mut users = BTreeMap::new();
        for entry in config["users"].as_array().into_iter().flatten() {
            let name = entry.text("name").to_owned();
            users.insert(name, Credentials::of_user(&entry["user"])?);
        }
        let contexts = config["contexts"].as_array().into_iter().flatten();
        let current = contexts.into_iter().find(|context| context["name"] == config["current-context"]);
        let current = current.and_then(|context| users.get(context["context"]["user"].as_str()?).cloned());
        Ok(Self { users, current })
    }

    /// Returns the user for a host with its port: by its name, the nearest `*.` above it, `*`, or the current one.
    pub fn of(&self, host: &str, port: u16) -> Option<&Credentials> {
        let matching = |target: &str| {
            let above = target.match_indices('.').map(|(dot, _)| format!("*{}", &target[dot..]));
            std::iter::once(target.to_owned()).chain(above).find_map(|name| self.users.get(&name))
        };
        matching(&format!("{host}:{port}"))
            .or_else(|| if port == 443 { matching(host) } else { None })
            .or_else(|| self.users.get("*"))
            .or(self.current.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_user_is_taken() {
        let user = |token: &str| Credentials { authorization: token.to_owned(), ..Credentials::default() };
        let names = ["hook.shop.svc", "hook.shop.svc:8443", "*.shop.svc", "*"];
        let users = names.map(|name| (name.to_owned(), user(name))).into();
        let users = Users { users, current: None };
        let of = |host, port| users.of(host, port).map(|found| found.authorization.as_str());
        assert_eq!(of("hook.shop.svc", 443), Some("hook.shop.svc"));
        assert_eq!(of("hook.shop.svc", 8443), Some("hook.shop.svc:8443"));
        assert_eq!(of("other.shop.svc", 443), Some("*.shop.svc"));
        assert_eq!(of("example.com", 443), Some("*"));
    }

    #[test]
    fn no_program_is_run() {
        let user = gotext::value::json!({"exec": {"command": "id"}});
        assert!(Credentials::of_user(&user).is_err());
    }
}
