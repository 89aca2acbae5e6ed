//! All errors in a server's configuration, and the settings that the server silently accepts although they cannot be
//! intended.

use std::sync::Arc;

use crate::configuration::openshift::ServerFile;
use crate::configuration::{
    AdmissionConfiguration, ConfigurationError, Flags, initializer, link, structured,
};
use crate::plugin::{self, ConfigurationKind, Plugin, PluginInitializer};
use crate::versioned::{self, find};
use gotext::source::{Data, Node, SourceFile, Span};
use kube_api::distribution::Server;
use kube_api::field::aggregate;
use kube_api::schema;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;

/// The findings about a configuration.
#[derive(Debug, Default)]
pub struct Check {
    /// The reasons that the server would not start: it reports the first one, and the others in later attempts.
    pub errors: Vec<ConfigurationError>,
    /// The settings that it silently accepts and ignores, and those that were not checked.
    pub remarks: Vec<ConfigurationError>,
}

impl Check {
    /// Checks the flags, the `AdmissionConfiguration` and the files of the enabled plugins.
    pub fn of(flags: &Flags) -> Self {
        let mut check = Self::default();
        check.errors.extend(flags.flag_errors());
        let notes = [flags.note_of_authorizers(), flags.note_of_gates()].into_iter().flatten();
        check.remarks.extend(notes.map(ConfigurationError::new));
        let profile = check.keep(flags.profile()).unwrap_or_else(|| {
            ServerProfile::of_release(flags.emulated_version().unwrap_or(flags.release()), [])
        });
        check.structured(flags);
        if flags.authorization_config.is_none() {
            check.keep(flags.authorization_modes());
        }
        if let Err(error) = flags.enabled_plugins() {
            // Some are repeated here, together with the others.
            check.errors.retain(|known| !error.message.contains(&known.message));
            check.errors.push(error);
        }
        let release = flags.release();
        let plugins = flags.selected_plugins();
        let server = flags.distribution.kube_apiserver();
        let Some(own) = check.keep(ServerFile::of(flags, server)) else { return check };
        let path = flags.admission_control_config_file.as_ref();
        let file = match flags.admission_configuration(&plugins).transpose() {
            Ok(file) => file.unwrap_or_default(),
            Err(error) => {
                let mut faults =
                    path.map(|path| AdmissionConfiguration::unread_fields(path)).unwrap_or_default();
                faults.retain(|fault| error.message.contains(&fault.message));
                check.refusal(error, faults);
                return check;
            }
        };
        let file = file.and(own.admission());
        let mut initializer = initializer(flags, Arc::new(profile), Arc::default(), Vec::new());
        initializer.openshift = Arc::new(own.options(flags));
        if path.is_some() || own.is_given() {
            for plugin in &plugins {
                check.plugin(plugin, &initializer, &file, release);
            }
        }
        if let Some(path) = path.filter(|_| release < AdmissionConfiguration::STRICT_SINCE) {
            check.remarks.extend(AdmissionConfiguration::unread_fields(path));
        }
        check.remarks.extend(file.remarks(&plugins, release));
        if flags.openshift_apiserver_config.is_some() {
            check.openshift_apiserver(flags, &initializer, release);
        }
        check
    }

    /// Checks the file of openshift-apiserver and its plugins.
    fn openshift_apiserver(&mut self, flags: &Flags, initializer: &PluginInitializer, release: Version) {
        let server = Server::OpenShiftApiserver;
        let Some(own) = self.keep(ServerFile::of(flags, server)) else { return };
        self.keep(own.settings());
        let openshift = Arc::new(own.options(flags));
        let initializer = PluginInitializer { server, openshift, ..initializer.clone() };
        let (file, plugins) = (own.admission(), flags.aggregated_plugins());
        for plugin in &plugins {
            self.plugin(plugin, &initializer, &file, release);
        }
        self.remarks.extend(file.remarks(&plugins, release));
    }

    /// Checks the files of structured authentication and authorization.
    fn structured(&mut self, flags: &Flags) {
        if let Some(file) = &flags.authorization_config {
            let errors = flags.authorization_errors();
            self.errors.extend((!errors.is_empty()).then(|| ConfigurationError::new(aggregate(&errors))));
            self.errors.extend(structured::authorization(file, &flags.files).errors);
        }
        if let Some(file) = &flags.authentication_config {
            self.errors.extend(structured::authentication(file).errors);
        }
    }

    fn keep<T>(&mut self, result: Result<T, ConfigurationError>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// Builds `plugin` from its configuration in `file`.
    fn plugin(
        &mut self,
        plugin: &'static Plugin,
        initializer: &PluginInitializer,
        file: &AdmissionConfiguration,
        release: Version,
    ) {
        let error = link(plugin, initializer, file, release).err().map(|error| ConfigurationError {
            help: error.help.or_else(|| Some(format!("`kadmit explain {}` describes it", plugin.name))),
            ..error
        });
        let given = file.configuration_for(plugin.name).ok().flatten();
        let written = given.as_ref().and_then(|given| file.written(plugin.name, given));
        match (error, written) {
            (None, None) => {}
            (None, Some((source, node))) => {
                self.remarks.extend(unread_fields(plugin, release, &source, &node));
            }
            (Some(error), None) => self.errors.push(error),
            (Some(error), Some((source, node))) => {
                let faults = faults(&error.message, plugin, &source, &node);
                self.refusal(error, faults);
            }
        }
    }

    /// Records the server's `error` with its `faults`: the place of a single one is that of the error.
    fn refusal(&mut self, error: ConfigurationError, faults: Vec<ConfigurationError>) {
        match faults.as_slice() {
            [fault] => {
                let (file, place) = (fault.file.clone(), fault.place.clone());
                self.errors.push(ConfigurationError { file, place, ..error });
            }
            [] => self.errors.push(error),
            _ => {
                self.errors.push(ConfigurationError { place: None, ..error });
                self.errors.extend(faults);
            }
        }
    }
}

/// Returns the fields of a plugin's configuration that are not read.
fn unread_fields(
    plugin: &Plugin,
    release: Version,
    source: &Arc<SourceFile>,
    node: &Node,
) -> Vec<ConfigurationError> {
    let header = |key| node.get(key).and_then(Node::as_str).unwrap_or_default();
    let (api_version, kind) = (header("apiVersion"), header("kind"));
    let is_form = |form: &&ConfigurationKind| form.api_version == api_version && form.kind == kind;
    let remark = |message: String, span| ConfigurationError::new(message).at(source, span);
    if let ([form, ..], None) = (plugin.configurations, plugin.configurations_in(release).next()) {
        let message = format!("{} takes no configuration in {release}", plugin.name);
        let help = format!("{} exists {}", form.kind, form.releases.in_words());
        return vec![remark(message, Some(node.span)).help(help)];
    }
    if let Some(form) = plugin.configurations.iter().find(is_form) {
        let unread = versioned::unread_fields(node, form.table);
        return unread
            .into_iter()
            .map(|(text, span)| remark(format!("{} ignores it: {text}", plugin.name), span))
            .collect();
    }
    let ignored = |table: &str| -> Vec<ConfigurationError> {
        let unread = versioned::unread_fields(node, table).into_iter();
        unread.map(|(text, span)| remark(format!("{} ignores it: {text}", plugin.name), span)).collect()
    };
    if let Some(kind) = plugin.openshift_configuration {
        let table = format!("openshift/plugins/v1.{kind}");
        return if schema::named(&table).is_some() { ignored(&table) } else { Vec::new() };
    }
    if plugin.name == "PodNodeSelector" {
        let faults = plugin::invalid_node_selectors(node).into_iter();
        return faults.map(|(message, span)| remark(message, Some(span))).collect();
    }
    match plugin.configurations {
        [ConfigurationKind { api_version: "", kind: "imagePolicy", .. }]
            if node.get("imagePolicy").is_some() =>
        {
            unknown_fields(node.get("imagePolicy"), &plugin::IMAGE_POLICY_FIELDS)
                .into_iter()
                .map(|(name, span)| {
                    remark(
                        format!("{} ignores it: unknown field \"imagePolicy.{name}\"", plugin.name),
                        Some(span),
                    )
                })
                .collect()
        }
        [] => vec![remark(format!("{} takes no configuration", plugin.name), Some(node.span))],
        [ConfigurationKind { api_version: "", kind, .. }] if node.get(kind).is_none() => {
            let message = format!("{} finds nothing in it: there is no `{kind}`", plugin.name);
            vec![remark(message, Some(node.span)).help(format!("the file needs `{kind}:` at its top"))]
        }
        _ => Vec::new(),
    }
}

/// Returns the fields of `node` that are none of `known`.
fn unknown_fields(node: Option<&Node>, known: &[&str]) -> Vec<(String, Span)> {
    let Some(Node { data: Data::Object(fields), .. }) = node else { return Vec::new() };
    let is_known = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let unknown = fields.iter().filter(|field| !is_known(&field.key));
    unknown.map(|field| (field.key.to_string(), field.key_span)).collect()
}

/// Returns the errors in a configuration, each with its place: the unknown fields that `message` names, and the fields
/// that it finds invalid, such as `limits[0].qps: Invalid value: 0: ...`.
fn faults(message: &str, plugin: &Plugin, source: &Arc<SourceFile>, node: &Node) -> Vec<ConfigurationError> {
    let tables = plugin.configurations.iter().filter(|form| !form.table.is_empty());
    let header = node.get("apiVersion").and_then(Node::as_str);
    let unknown = tables
        .filter(|form| header == Some(form.api_version))
        .flat_map(|form| versioned::unread_fields(node, form.table));
    let mut faults: Vec<_> = unknown.filter(|(text, _)| message.contains(text)).collect();
    let found: Vec<_> =
        field_starts(message).filter_map(|(start, path)| Some((start, find(node, path)?))).collect();
    for (position, (start, span)) in found.iter().enumerate() {
        let end = found.get(position + 1).map_or(message.len(), |(next, _)| *next);
        let text = message[*start..end].trim_end_matches([' ', ',', ']']);
        faults.push((text.to_owned(), Some(*span)));
    }
    faults.into_iter().map(|(text, span)| ConfigurationError::new(text).at(source, span)).collect()
}

/// Returns the field paths in a message, each with its start: words with a colon after them.
fn field_starts(message: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = message.split(' ').scan(0, |start, word| {
        let here = *start;
        *start += word.len() + 1;
        Some((here, word))
    });
    words.filter_map(|(start, word)| {
        let path = word.trim_start_matches('[').strip_suffix(':')?;
        path.starts_with(|first: char| first.is_ascii_lowercase()).then_some(())?;
        Some((start + word.len() - path.len() - 1, path))
    })
}
