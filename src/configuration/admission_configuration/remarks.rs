//! Settings in the file that have no effect.

use std::path::Path;

use super::{AdmissionConfiguration, Content, Entry};
use crate::configuration::ConfigurationError;
use crate::plugin::{self, Plugin};
use crate::versioned;
use gotext::source::{Node, Span};
use kube_api::version::Version;

impl AdmissionConfiguration {
    /// Returns the settings that a server of `release` with `plugins` reads in this file and ignores.
    pub(in crate::configuration) fn remarks(
        &self,
        plugins: &[&'static Plugin],
        release: Version,
    ) -> Vec<ConfigurationError> {
        let mut remarks = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let earlier = self.entries[..index].iter().find(|earlier| earlier.plugin == entry.plugin);
            remarks.extend(entry.remark(earlier, plugins, release));
        }
        let Some(document) = &self.document else { return remarks };
        let all: Vec<_> = kube_yaml::read(&document.source).flatten().collect();
        if let Some(second) = all.iter().find(|other| other.index > document.index) {
            let remark = ConfigurationError::new("only the first document of the file counts");
            remarks.push(remark.at(&document.source, Some(second.node.span)));
        }
        remarks
    }

    /// Returns the unknown fields of the file at `path`, each with its place.
    pub(in crate::configuration) fn unread_fields(path: &Path) -> Vec<ConfigurationError> {
        let Ok(source) = kube_yaml::files::read_file(path) else { return Vec::new() };
        let Ok(document) = kube_yaml::read_first(&source) else { return Vec::new() };
        let version = document.node.get("apiVersion").and_then(Node::as_str).unwrap_or_default();
        let version = version.rsplit('/').next().unwrap_or_default();
        let table = format!("apiserver/{version}.AdmissionConfiguration");
        let unread = versioned::unread_fields(&document.node, &table).into_iter();
        unread.map(|(text, span)| ConfigurationError::new(text).at(&source, span)).collect()
    }
}

impl Entry {
    fn remark(
        &self,
        earlier: Option<&Self>,
        plugins: &[&'static Plugin],
        release: Version,
    ) -> Option<ConfigurationError> {
        let (source, span) = &self.place;
        let name = &self.plugin;
        let remark = |message: String, span: &Span, help: &str| {
            Some(ConfigurationError::new(message).at(source, Some(*span)).help(help))
        };
        if name.is_empty() {
            let message = "an entry without a name is ignored".to_owned();
            return remark(message, span, "set `name` to its plugin");
        }
        let Some(plugin) = plugin::find(name) else {
            let help = match plugin::suggest(name) {
                Some(known) => format!("did you mean \"{}\"?", known.name),
                None => "`kadmit plugins` lists them".to_owned(),
            };
            return remark(format!("no plugin is called \"{name}\", so this entry is ignored"), span, &help);
        };
        if !plugin.releases.contains(release) {
            let help = format!("it exists {}", plugin.releases.in_words());
            return remark(
                format!("Kubernetes {release} has no {name}, so this entry is ignored"),
                span,
                &help,
            );
        }
        if earlier.is_some() {
            let message = format!("only the first entry for {name} counts, and this is another");
            return remark(message, span, "keep one of them");
        }
        if !plugins.iter().any(|plugin| plugin.name == name) {
            let help = format!("enable it with --enable-admission-plugins={name}");
            return remark(format!("{name} is off, so its configuration is not read"), span, &help);
        }
        if let Some(path) = &self.ignored_path {
            let message = format!(
                "the file of {name} is not read, because `configuration` takes precedence over `path`"
            );
            return remark(message, path, "keep one of the two");
        }
        if self.content == Content::Nothing {
            return remark(
                format!("the entry has nothing for {name}"),
                span,
                "add `path` or `configuration`",
            );
        }
        None
    }
}
