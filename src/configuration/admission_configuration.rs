//! The file of `--admission-control-config-file`.
//!
//! Source: `k8s.io/apiserver/pkg/admission/config.go`.

mod file;
mod remarks;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::ConfigurationError;
use crate::plugin::{Plugin, PluginConfiguration};
use crate::versioned::{Error, Kind, Scheme, ServerFiles};
use gotext::encoding_json;
use gotext::quote;
use gotext::source::{Data, Node, SourceFile, Span};
use kube_api::Value;
use kube_api::version::Version;
use kube_yaml::{Document, Format};

const SCHEME: Scheme = Scheme {
    name: "k8s.io/apiserver/pkg/server/options/admission.go:51",
    strict: true,
    kinds: &[
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "AdmissionConfiguration",
            table: "apiserver/v1.AdmissionConfiguration",
            internal: ADMISSION_CONFIGURATION,
        },
        Kind {
            api_version: "apiserver.k8s.io/v1alpha1",
            kind: "AdmissionConfiguration",
            table: "apiserver/v1alpha1.AdmissionConfiguration",
            internal: ADMISSION_CONFIGURATION,
        },
        Kind {
            api_version: "apiserver.k8s.io/v1alpha1",
            kind: "EgressSelectorConfiguration",
            table: "apiserver/v1alpha1.EgressSelectorConfiguration",
            internal: "apiserver.EgressSelectorConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "AuthenticationConfiguration",
            table: "apiserver/v1.AuthenticationConfiguration",
            internal: "apiserver.AuthenticationConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1alpha1",
            kind: "AuthenticationConfiguration",
            table: "apiserver/v1alpha1.AuthenticationConfiguration",
            internal: "apiserver.AuthenticationConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "AuthorizationConfiguration",
            table: "apiserver/v1.AuthorizationConfiguration",
            internal: "apiserver.AuthorizationConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1alpha1",
            kind: "AuthorizationConfiguration",
            table: "apiserver/v1alpha1.AuthorizationConfiguration",
            internal: "apiserver.AuthorizationConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "EncryptionConfiguration",
            table: "apiserver/v1.EncryptionConfiguration",
            internal: "apiserver.EncryptionConfiguration",
        },
        Kind {
            api_version: "v1",
            kind: "EncryptionConfig",
            table: "apiserver/v1.EncryptionConfiguration",
            internal: "apiserver.EncryptionConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1",
            kind: "TracingConfiguration",
            table: "apiserver/v1.TracingConfiguration",
            internal: "apiserver.TracingConfiguration",
        },
        Kind {
            api_version: "apiserver.config.k8s.io/v1alpha1",
            kind: "TracingConfiguration",
            table: "apiserver/v1alpha1.TracingConfiguration",
            internal: "apiserver.TracingConfiguration",
        },
    ],
};

/// Returns the file's scheme in `release`.
fn scheme(release: Version) -> Scheme {
    const V1: &str = "apiserver.config.k8s.io/v1";
    let strict = release >= AdmissionConfiguration::STRICT_SINCE;
    let has_v1 = release >= Version::minor(17);
    let first = SCHEME.kinds.iter().position(|kind| has_v1 || kind.api_version != V1).unwrap_or_default();
    Scheme { strict, kinds: &SCHEME.kinds[first..], ..SCHEME }
}

const ADMISSION_CONFIGURATION: &str = "apiserver.AdmissionConfiguration";

/// Keys of files from before there was an `AdmissionConfiguration`, and the plugins that still accept such a file.
const LEGACY_KEYS: [&str; 2] = ["imagePolicy", "podNodeSelectorPluginConfig"];
const LEGACY_PLUGINS: [&str; 2] = ["ImagePolicyWebhook", "PodNodeSelector"];

/// The configuration of plugins in the file.
#[derive(Clone, Debug, Default)]
pub struct AdmissionConfiguration {
    entries: Vec<Entry>,
    document: Option<Document>,
}

/// The entry of one plugin in the file.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    plugin: String,
    content: Content,
    /// The place of the content or of its path.
    place: (Arc<SourceFile>, Span),
    /// A path that is ignored because there is an inline configuration.
    ignored_path: Option<Span>,
    /// The configuration as it is written in the file of a server of OpenShift.
    given: Option<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Inline(String),
    File(PathBuf),
    Nothing,
}

impl AdmissionConfiguration {
    /// The first release that refuses unknown fields.
    pub(super) const STRICT_SINCE: Version = Version::minor(32);

    /// Reads the file at `path` for a server with `plugins`. The plugins' own files are read when they are requested:
    /// those of disabled plugins need not exist. The `release` decides which versions the file may have and whether
    /// unknown fields are errors; absolute paths are located among `files`.
    pub fn read(
        path: &Path,
        plugins: &[&'static Plugin],
        release: Version,
        files: &ServerFiles,
    ) -> Result<Self, ConfigurationError> {
        let name = path.display().to_string();
        let bytes = file::read(path).map_err(|failure| {
            let place = quote(&name);
            let message = format!("unable to read admission control configuration from {place} [{failure}]");
            let help = files.help_if_missing(&failure.to_string());
            refusal(&message).help(
                help.unwrap_or("--admission-control-config-file needs the path of a file that can be read"),
            )
        })?;
        let source = kube_yaml::files::from_bytes(name.clone(), bytes)
            .map_err(|error| ConfigurationError { file: Some(name), ..refusal(&error.to_string()) })?;
        let refuse = |error: &Error| {
            let refused = refusal(&error.to_string()).at(&source, error.span());
            match help(error) {
                Some(help) => refused.help(help),
                None => refused,
            }
        };
        let document = kube_yaml::read_first(&source).map_err(|error| refuse(&error.into()))?;
        match scheme(release).decode(&document).and_then(|file| file.expect(ADMISSION_CONFIGURATION)) {
            Ok(value) => {
                Ok(Self { entries: entries(&value, &document, path, files), document: Some(document) })
            }
            Err(error) if error.is_unrecognized() && is_legacy(&document.node) => {
                Ok(Self::legacy(path, &source, plugins))
            }
            Err(error) => Err(refuse(&error)),
        }
    }

    /// Returns the server's error about a file that no directory of its container has.
    pub(super) fn unmounted(path: &Path) -> ConfigurationError {
        let (place, name) = (quote(&path.display().to_string()), path.display());
        let message = format!(
            "unable to read admission control configuration from {place} [open {name}: no such file or directory]"
        );
        refusal(&message).help("no volumeMount of the container has this file: mount its directory")
    }

    /// Reads a file that is not an `AdmissionConfiguration`, but the configuration of one of the plugins that once had
    /// their own file.
    fn legacy(path: &Path, source: &Arc<SourceFile>, plugins: &[&'static Plugin]) -> Self {
        let takers = plugins.iter().filter(|plugin| LEGACY_PLUGINS.contains(&plugin.name));
        let entry = |plugin: &&Plugin| Entry {
            plugin: plugin.name.to_owned(),
            content: Content::File(path.to_owned()),
            place: (source.clone(), Span::default()),
            ignored_path: None,
            given: None,
        };
        Self { entries: takers.map(entry).collect(), document: None }
    }

    /// Adds the entry of the plugin `name` in one of OpenShift's files: its configuration, or the file that has it.
    #[cfg(feature = "openshift")]
    pub(super) fn add_openshift(&mut self, name: &str, node: &Node, source: &Arc<SourceFile>) {
        let configuration = node.get("configuration").filter(|node| node.data != Data::Null);
        let location = node.get("location").and_then(Node::as_str).filter(|path| !path.is_empty());
        let (content, span) = match (configuration, location) {
            (_, Some(path)) => {
                (Content::File(file::beside(Path::new(source.name()), Path::new(path))), node.span)
            }
            (Some(given), None) => {
                (Content::Inline(encoding_json::to_string(&given.clone().into_value())), given.span)
            }
            (None, None) => (Content::Nothing, node.span),
        };
        let place = (source.clone(), span);
        let given = configuration.cloned();
        self.entries.push(Entry { plugin: name.to_owned(), content, place, ignored_path: None, given });
    }

    /// Returns the same configuration with the entries of `other` after its own.
    #[must_use]
    pub(super) fn and(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self
    }

    /// Whether there is an entry for the plugin `name`, even an empty one.
    #[cfg(feature = "openshift")]
    pub(super) fn has(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// Returns the configuration of the plugin `name`, if the file has one.
    pub fn configuration_for(&self, name: &str) -> Result<Option<PluginConfiguration>, ConfigurationError> {
        let Some(entry) = self.entry(name) else { return Ok(None) };
        let text = match &entry.content {
            Content::Inline(text) => text.clone(),
            Content::File(path) => entry.read(path)?,
            Content::Nothing => return Ok(None),
        };
        let configuration = PluginConfiguration::from(text);
        let written = self.written(name, &configuration);
        Ok(Some(PluginConfiguration { written, ..configuration }))
    }

    /// Returns an error of the plugin `name`, with the place of its configuration.
    pub fn error_about(&self, name: &str, message: String) -> ConfigurationError {
        let error = ConfigurationError::new(message);
        match self.entry(name) {
            Some(Entry { content: Content::Inline(_), place: (source, span), .. }) => {
                error.at(source, Some(*span))
            }
            Some(Entry { content: Content::File(path), .. }) => {
                ConfigurationError { file: Some(path.display().to_string()), ..error }
            }
            _ => error,
        }
    }

    /// Returns the configuration of the plugin `name` as it was written.
    pub(super) fn written(
        &self,
        name: &str,
        configuration: &PluginConfiguration,
    ) -> Option<(Arc<SourceFile>, Node)> {
        let entry = self.entry(name)?;
        if let Content::File(path) = &entry.content {
            let source = SourceFile::new(path.display().to_string(), configuration.text.as_str());
            let node = kube_yaml::read_first(&source).ok()?.node;
            return Some((source, node));
        }
        if let Some(node) = &entry.given {
            return Some((entry.place.0.clone(), node.clone()));
        }
        let document = self.document.as_ref()?;
        let Data::Array(nodes) = &document.node.get("plugins")?.data else { return None };
        let given = nodes.iter().filter_map(|node| node.get("configuration"));
        let node = given.into_iter().find(|given| given.span == entry.place.1)?;
        Some((document.source.clone(), node.clone()))
    }

    /// Returns the source of the configuration of the plugin `name`: a path, or the file itself.
    pub fn origin(&self, name: &str) -> Option<String> {
        let entry = self.entry(name)?;
        match &entry.content {
            Content::Inline(_) => Some(entry.place.0.name().to_owned()),
            Content::File(path) => Some(path.display().to_string()),
            Content::Nothing => None,
        }
    }

    /// Returns the entry of a plugin; the first of several counts.
    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.plugin == name)
    }
}

impl Entry {
    fn read(&self, path: &Path) -> Result<String, ConfigurationError> {
        let name = path.display().to_string();
        let help = if path.is_absolute() {
            "--kube-apiserver FILE --root DIR looks for absolute paths below DIR; a relative one starts from the \
             directory of the file that names it"
        } else {
            "a relative path starts from the directory of the file that names it"
        };
        let bytes = file::read(path).map_err(|failure| {
            let failure = failure.go_syntax();
            let message = format!("Couldn't open admission plugin configuration {name}: {failure}");
            let (source, span) = &self.place;
            ConfigurationError::new(message).at(source, Some(*span)).help(help)
        })?;
        let source = kube_yaml::files::from_bytes(name.clone(), bytes).map_err(|error| {
            ConfigurationError { file: Some(name), ..ConfigurationError::new(error.to_string()) }
        })?;
        Ok(source.text().to_owned())
    }
}

fn refusal(message: &str) -> ConfigurationError {
    ConfigurationError::new(format!("failed to apply admission: failed to read plugin config: {message}"))
}

fn help(error: &Error) -> Option<&'static str> {
    match error {
        Error::NoHeader(_)
        | Error::MissingKind(_)
        | Error::MissingVersion(_)
        | Error::NotRegistered { .. }
        | Error::UnexpectedType(_) => {
            Some("the file needs apiVersion: apiserver.config.k8s.io/v1 and kind: AdmissionConfiguration")
        }
        Error::Strict { .. } | Error::Mistyped { .. } => {
            Some("the file has one list, plugins, of entries with name, path and configuration")
        }
        Error::Syntax(_) => None,
    }
}

fn is_legacy(node: &Node) -> bool {
    LEGACY_KEYS.iter().any(|key| node.get(key).is_some())
}

fn entries(value: &Value, document: &Document, path: &Path, files: &ServerFiles) -> Vec<Entry> {
    let nodes = match document.node.get("plugins").map(|plugins| &plugins.data) {
        Some(Data::Array(nodes)) => nodes.as_slice(),
        _ => &[],
    };
    let values = value.list("plugins").iter();
    values.zip(nodes).map(|(value, node)| entry(value, node, document, path, files)).collect()
}

fn entry(value: &Value, node: &Node, document: &Document, path: &Path, files: &ServerFiles) -> Entry {
    let text = |field| value.text(field);
    let configuration = value.at("configuration").filter(|configuration| !configuration.is_null());
    let (content, field) = match configuration {
        Some(configuration) => (Content::Inline(inline(configuration, node, document)), "configuration"),
        None if text("path").is_empty() => (Content::Nothing, "name"),
        None => {
            let named = Path::new(text("path"));
            let named = if named.is_absolute() { files.locate(named) } else { file::beside(path, named) };
            (Content::File(named), "path")
        }
    };
    let place = (document.source.clone(), node.get(field).unwrap_or(node).span);
    let ignored_path = match content {
        Content::Inline(_) => node.get("path").map(|path| path.span),
        _ => None,
    };
    Entry { plugin: text("name").to_owned(), content, place, ignored_path, given: None }
}

/// Returns the text of an inline configuration for its plugin: the file's own text if it is JSON, else the YAML as
/// JSON.
fn inline(configuration: &Value, node: &Node, document: &Document) -> String {
    match node.get("configuration") {
        Some(Node { span, .. }) if document.format == Format::Json => {
            document.source.text()[span.start..span.end].to_owned()
        }
        _ => encoding_json::to_string(configuration),
    }
}

#[cfg(test)]
mod tests;
