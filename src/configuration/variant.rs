//! The difference of one of two servers from their common configuration.

use std::path::PathBuf;

use crate::configuration::kube_apiserver::flags_of_text;
use crate::configuration::{ConfigurationError, Flags};

use gotext::source::Node;

/// The difference of a server from another, as given by the user: flags or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Flags as in the command line of kube-apiserver.
    Flags(String),
    /// A file that starts the server: a static Pod, a systemd unit or a list of flags.
    Start(PathBuf),
    /// An `AdmissionConfiguration`.
    Admission(PathBuf),
}

impl Variant {
    /// Reads `text`: flags if it begins with `--`, else the name of a file, whose content decides its format.
    pub fn new(text: &str) -> Result<Self, ConfigurationError> {
        let text = text.trim();
        if text.starts_with("--") {
            return Ok(Self::Flags(text.to_owned()));
        }
        let path = PathBuf::from(text);
        let source = kube_yaml::files::read_file(&path).map_err(|error| {
            let help = "name a file, or flags of kube-apiserver such as --enable-admission-plugins=NAME";
            let error = ConfigurationError::new(error.to_string()).help(help);
            ConfigurationError { file: Some(text.to_owned()), ..error }
        })?;
        let kind = kube_yaml::read(&source)
            .find_map(|document| document.ok()?.node.get("kind").and_then(Node::as_str).map(str::to_owned));
        let is_admission = kind.as_deref() == Some("AdmissionConfiguration");
        Ok(if is_admission { Self::Admission(path) } else { Self::Start(path) })
    }
}

/// Flags of which a server can have several.
#[cfg(feature = "cli")]
const REPEATED: [&str; 6] = [
    "--admission-control",
    "--disable-admission-plugins",
    "--enable-admission-plugins",
    "--emulated-version",
    "--feature-gates",
    "--runtime-config",
];

#[cfg(feature = "cli")]
impl Variant {
    /// Changes `arguments`, flags with their values, so that they start the server that this makes of theirs.
    pub(crate) fn change_arguments(&self, arguments: &mut Vec<(String, String)>) {
        let changed = match self {
            Self::Flags(text) => flags_of_text(text),
            Self::Start(file) => vec![("--kube-apiserver".to_owned(), file.display().to_string())],
            Self::Admission(file) => {
                vec![("--admission-control-config-file".to_owned(), file.display().to_string())]
            }
        };
        let mut replaced: Vec<String> = Vec::new();
        for (flag, value) in changed {
            let is_list = REPEATED.contains(&flag.as_str()) || flag == "--authorization-mode";
            let is_replaced = !is_list || Flags::default().replaced_by(&flag).is_some();
            if is_replaced && !(is_list && replaced.contains(&flag)) {
                arguments.retain(|(other, _)| *other != flag);
            }
            let opposite = match flag.as_str() {
                "--enable-admission-plugins" => "--disable-admission-plugins",
                "--disable-admission-plugins" => "--enable-admission-plugins",
                _ => "",
            };
            for (_, names) in arguments.iter_mut().filter(|(other, _)| other == opposite) {
                let left: Vec<&str> =
                    names.split(',').filter(|name| !value.split(',').any(|other| other == *name)).collect();
                *names = left.join(",");
            }
            arguments.retain(|(other, names)| other != opposite || !names.is_empty());
            replaced.push(flag.clone());
            arguments.push((flag, value));
        }
    }
}

impl Flags {
    /// Applies the flags in `text`. They override earlier ones: a plugin that is enabled here is no longer disabled
    /// there, and vice versa.
    pub fn vary(&mut self, text: &str) -> Result<(), ConfigurationError> {
        let mut replaced: Vec<String> = Vec::new();
        for (flag, value) in flags_of_text(text) {
            let is_first = !replaced.contains(&flag);
            if let (true, Some(list)) = (is_first, self.replaced_by(&flag)) {
                list.clear();
            }
            if let Some(opposite) = self.opposite_of(&flag) {
                opposite.retain(|name| !value.split(',').any(|other| other == name));
            }
            if !self.set(&flag, &value)? {
                let message = format!("{flag} is not a flag of kube-apiserver about admission");
                let help = "leave it out; in a file that starts the server, other flags are skipped";
                return Err(ConfigurationError::new(message).help(help));
            }
            replaced.push(flag);
        }
        Ok(())
    }

    /// Returns the list that `flag` replaces as a whole, as merging two would contradict.
    fn replaced_by(&mut self, flag: &str) -> Option<&mut Vec<String>> {
        match flag {
            "--admission-control" => Some(&mut self.admission_control),
            "--authorization-mode" => Some(&mut self.authorization_mode),
            "--emulated-version" => Some(&mut self.emulated_version),
            _ => None,
        }
    }

    fn opposite_of(&mut self, flag: &str) -> Option<&mut Vec<String>> {
        match flag {
            "--enable-admission-plugins" => Some(&mut self.disable_admission_plugins),
            "--disable-admission-plugins" => Some(&mut self.enable_admission_plugins),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(common: &[(&str, &str)], text: &str) -> Result<Flags, ConfigurationError> {
        let mut flags = Flags::default();
        for (flag, value) in common {
            flags.set(flag, value)?;
        }
        flags.vary(text).map(|()| flags)
    }

    #[test]
    fn adds_to_what_both_servers_have() {
        let flags = variant(
            &[("--enable-admission-plugins", "AlwaysPullImages")],
            "--enable-admission-plugins=EventRateLimit,AlwaysDeny --feature-gates 'A=true'",
        );
        let flags = flags.unwrap();
        assert_eq!(flags.enable_admission_plugins, ["AlwaysPullImages", "EventRateLimit", "AlwaysDeny"]);
        assert_eq!(flags.feature_gates, ["A=true"]);
    }

    #[test]
    fn wins_over_what_both_servers_have() {
        let common = [
            ("--enable-admission-plugins", "AlwaysPullImages,EventRateLimit"),
            ("--disable-admission-plugins", "Priority"),
            ("--authorization-mode", "RBAC"),
            ("--kubernetes-version", "1.30"),
        ];
        let text = "--disable-admission-plugins=AlwaysPullImages --enable-admission-plugins=Priority \
                    --authorization-mode=Node --authorization-mode=AlwaysAllow --kubernetes-version=1.31";
        let flags = variant(&common, text).unwrap();
        assert_eq!(flags.enable_admission_plugins, ["EventRateLimit", "Priority"]);
        assert_eq!(flags.disable_admission_plugins, ["AlwaysPullImages"]);
        assert_eq!(flags.authorization_mode, ["Node", "AlwaysAllow"]);
        assert_eq!(flags.release().to_string(), "1.31");
    }

    #[test]
    #[cfg(feature = "cli")]
    fn its_server_has_these_arguments() {
        let given = [
            ("--kubernetes-version", "1.30"),
            ("--disable-admission-plugins", "Priority,PodSecurity"),
            ("--feature-gates", "A=true"),
        ];
        let mut arguments: Vec<(String, String)> =
            given.iter().map(|(flag, value)| ((*flag).to_owned(), (*value).to_owned())).collect();
        let text = "--enable-admission-plugins=Priority --kubernetes-version=1.31 --feature-gates=B=true";
        Variant::Flags(text.to_owned()).change_arguments(&mut arguments);
        let arguments: Vec<String> =
            arguments.iter().map(|(flag, value)| format!("{flag}={value}")).collect();
        assert_eq!(
            arguments,
            [
                "--disable-admission-plugins=PodSecurity",
                "--feature-gates=A=true",
                "--enable-admission-plugins=Priority",
                "--kubernetes-version=1.31",
                "--feature-gates=B=true",
            ]
        );
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        let error = variant(&[], "--enable-admission-plugin=AlwaysDeny").unwrap_err();
        assert_eq!(
            error.message,
            "--enable-admission-plugin is not a flag of kube-apiserver about admission"
        );
        let error = variant(&[], "--enable-admission-plugins=AlwaysDeny AlwaysAdmit").unwrap_err();
        assert_eq!(error.message, "AlwaysAdmit is not a flag of kube-apiserver about admission");
    }
}
