//! The flags of a deployed server, from the file that starts it: a static Pod, a systemd unit, or plain flags.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::flags::known;
use crate::configuration::{ConfigurationError, Flags};
use crate::versioned::ServerFiles;
use kube_api::version::Version;

use gotext::source::{Data, Node, SourceFile};

/// The contents of a file that starts a server.
#[derive(Debug, Default, PartialEq, Eq)]
struct Start {
    /// The command and its arguments.
    words: Vec<String>,
    /// The release, if an image has it.
    release: Option<String>,
    /// The directories of the server inside and outside its container.
    mounts: Vec<(PathBuf, PathBuf)>,
    /// All directories that its container has from outside; nothing if it runs in none.
    mounted: Option<Vec<PathBuf>>,
    /// Whether k3s or RKE2 starts the server, with other flags of its own.
    is_k3s: bool,
    /// The variables whose values are unknown.
    unset: Vec<String>,
}

const NAME: &str = "kube-apiserver";

/// The flag of k3s and RKE2 that has a flag of the server, without its dashes.
const OF_K3S: &str = "--kube-apiserver-arg";

impl Flags {
    /// Returns the flags in the file at `path` that are about admission. Files that they name are looked up below
    /// `root`.
    pub fn of_kube_apiserver(path: &Path, root: Option<&Path>) -> Result<Self, ConfigurationError> {
        let source = kube_yaml::files::read_file(path).map_err(|error| ConfigurationError {
            file: Some(path.display().to_string()),
            ..ConfigurationError::new(error.to_string())
        })?;
        let root = root.map(Path::to_owned);
        let machine = ServerFiles { root, ..ServerFiles::default() };
        let start = Start::read(&source, &machine)?;
        let starts_server = start.is_k3s || start.words.iter().any(|word| is_server(word));
        if start.flags().is_empty() && start.release.is_none() && !starts_server {
            return Err(no_server(&source, "has no flag of the server"));
        }
        let files = ServerFiles { mounts: start.mounts.clone(), ..machine };
        // A command that is known whole has the defaults of the server.
        let allow_privileged = !start.is_whole_command();
        let mut flags = Self { files, allow_privileged, ..Self::default() };
        let (mut taken, mut others) = (Vec::new(), Vec::new());
        for (flag, value) in start.flags() {
            let set = flags.set(&flag, &value).map_err(|error| error.at(&source, None))?;
            if set { taken.push(format!("{flag}={value}")) } else { others.push(flag) }
        }
        flags.locate_files(&start);
        let mut note = match taken.as_slice() {
            [] => format!("read no flag from {}", source.name()),
            taken => format!("read from {}: {}", source.name(), taken.join(" ")),
        };
        let knows_release =
            start.release.as_ref().is_some_and(|release| flags.set("--kubernetes-version", release).is_ok());
        let (known, unknown): (Vec<String>, Vec<String>) =
            others.into_iter().partition(|flag| known::is_known(flag));
        if !known.is_empty() {
            let others = match known.len() {
                1 => "1 other flag does".to_owned(),
                count => format!("{count} other flags do"),
            };
            let _ = write!(note, "; {others} not affect admission");
        }
        if let Some(release) = &start.release {
            let unknown = if knows_release { "" } else { ", which kadmit does not know" };
            let _ = write!(note, "; its image is Kubernetes {release}{unknown}");
        }
        if flags.release() >= Version::RECORDED {
            flags.unknown = unknown;
        } else if !unknown.is_empty() {
            let _ = write!(
                note,
                "; it is unknown whether Kubernetes {} has {}",
                flags.release(),
                unknown.join(", ")
            );
        }
        if !flags.allow_privileged {
            note.push_str("; without --allow-privileged no container may be privileged");
        }
        if start.is_k3s {
            note.push_str("; the flags that k3s and RKE2 set themselves are unknown");
        }
        if !start.unset.is_empty() {
            let _ = write!(note, "; the value of ${} is unknown", start.unset.join(", $"));
        }
        flags.origin = Some(note);
        Ok(flags)
    }

    /// Finds the files of the flags outside of the container.
    fn locate_files(&mut self, start: &Start) {
        if let Some(inside) = &self.admission_control_config_file {
            let is_mounted = |mounted: &Vec<PathBuf>| mounted.iter().any(|path| inside.starts_with(path));
            let is_missing =
                inside.is_absolute() && start.mounted.as_ref().is_some_and(|all| !is_mounted(all));
            self.files.unmounted = is_missing.then(|| inside.clone());
        }
        for file in [
            &mut self.admission_control_config_file,
            &mut self.authorization_config,
            &mut self.authentication_config,
        ]
        .into_iter()
        .flatten()
        {
            *file = self.files.locate(file);
        }
    }
}

/// Returns that `source` does not say how a server is started.
fn no_server(source: &Arc<SourceFile>, fault: &str) -> ConfigurationError {
    ConfigurationError::new(format!("{} {fault}", source.name())).at(source, None).help(
        "name the manifest of its static Pod, its systemd unit, a ClusterConfiguration of kubeadm, the config.yaml \
         of k3s or RKE2, or a file of its flags",
    )
}

impl Start {
    fn read(source: &Arc<SourceFile>, machine: &ServerFiles) -> Result<Self, ConfigurationError> {
        let documents: Vec<_> = kube_yaml::read(source).collect();
        let objects = || documents.iter().flatten().filter(|document| document.node.get("kind").is_some());
        let of_k3s = documents.iter().flatten().find_map(|document| Self::of_k3s(&document.node));
        if let Some(start) = of_k3s {
            return Ok(start);
        }
        if objects().next().is_none() {
            return Ok(Self::of_text(source.text(), machine));
        }
        let found = objects()
            .find_map(|document| Self::of_kubeadm(&document.node).or_else(|| Self::of_pod(&document.node)));
        found.ok_or_else(|| no_server(source, &format!("has no container that runs {NAME}")))
    }

    /// Returns the server in the Pod, or in the template of a workload.
    fn of_pod(object: &Node) -> Option<Self> {
        let spec = object.get("spec")?;
        let spec = spec.get("template").and_then(|template| template.get("spec")).unwrap_or(spec);
        let container = items(spec.get("containers")).iter().find(|container| {
            let words = texts(container.get("command"));
            text(container, "name") == NAME || words.iter().any(|word| is_server(word))
        })?;
        let mut words = texts(container.get("command"));
        words.extend(texts(container.get("args")));
        let mounts = items(container.get("volumeMounts")).iter().filter_map(|mount| {
            let volumes = items(spec.get("volumes"));
            let volume = volumes.iter().find(|volume| text(volume, "name") == text(mount, "name"))?;
            let outside = text(volume.get("hostPath")?, "path");
            Some((PathBuf::from(text(mount, "mountPath")), PathBuf::from(outside)))
        });
        let mounted = items(container.get("volumeMounts")).iter();
        let mounted = mounted.map(|mount| PathBuf::from(text(mount, "mountPath"))).collect();
        let (_, tag) = text(container, "image").rsplit_once(':').unwrap_or_default();
        let (release, mounts) = (release_of(tag), mounts.collect());
        Some(Self { words, release, mounts, mounted: Some(mounted), ..Self::default() })
    }

    /// Returns the server that kubeadm sets up with a `ClusterConfiguration`: with the flags of kubeadm, unless the
    /// file has others.
    ///
    /// Source: `getAPIServerCommand`.
    fn of_kubeadm(object: &Node) -> Option<Self> {
        const OWN: [(&str, &str); 2] =
            [("authorization-mode", "Node,RBAC"), ("enable-admission-plugins", "NodeRestriction")];
        if text(object, "kind") != "ClusterConfiguration" {
            return None;
        }
        let server = object.get("apiServer");
        let arguments = server.and_then(|server| server.get("extraArgs"));
        let given: Vec<(String, String)> = match arguments.map(|arguments| &arguments.data) {
            Some(Data::Object(entries)) => entries
                .iter()
                .map(|entry| (entry.key.to_string(), entry.value.as_str().unwrap_or_default().to_owned()))
                .collect(),
            _ => items(arguments)
                .iter()
                .map(|argument| (text(argument, "name").to_owned(), text(argument, "value").to_owned()))
                .collect(),
        };
        let own = OWN.iter().filter(|(name, _)| !given.iter().any(|(other, _)| other == name));
        let own = own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let words = own.chain(given.clone()).map(|(name, value)| format!("--{name}={value}")).collect();
        let volumes = items(server.and_then(|server| server.get("extraVolumes"))).iter();
        let mounts: Vec<(PathBuf, PathBuf)> = volumes
            .map(|volume| (text(volume, "mountPath").into(), text(volume, "hostPath").into()))
            .collect();
        let mut mounted: Vec<PathBuf> = mounts.iter().map(|(inside, _)| inside.clone()).collect();
        mounted.push("/etc/kubernetes/pki".into());
        let release = release_of(text(object, "kubernetesVersion"));
        Some(Self { words, release, mounts, mounted: Some(mounted), ..Self::default() })
    }

    /// Returns the server that k3s or RKE2 starts with this configuration file.
    fn of_k3s(config: &Node) -> Option<Self> {
        let (name, more) = (&OF_K3S[2..], format!("{}+", &OF_K3S[2..]));
        let given = [name, &more].map(|key| config.get(key));
        given.iter().any(Option::is_some).then(|| {
            let of = |given: &Node| match given.as_str() {
                Some(one) => vec![one.to_owned()],
                None => texts(Some(given)),
            };
            let words = given.into_iter().flatten().flat_map(of).map(|flag| format!("--{flag}")).collect();
            Self { words, is_k3s: true, ..Self::default() }
        })
    }

    /// Returns the server of a systemd unit, or of a file of flags. Lines that end with a backslash continue.
    fn of_text(text: &str, machine: &ServerFiles) -> Self {
        let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let is_comment = |line: &&str| line.trim_start().starts_with(['#', ';']);
        let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
        if !lines.iter().any(|line| line.trim() == "[Service]") {
            let words = lines.iter().flat_map(|line| split(line));
            let words = words.flat_map(|word| flags_of_variable(&word).unwrap_or_else(|| vec![word]));
            return Self { words: words.collect(), ..Self::default() };
        }
        let values = |name: &str| -> Vec<String> {
            let value = |line: &&str| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == name).then(|| value.trim().to_owned())
            };
            lines.iter().filter_map(value).collect()
        };
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        let assigned =
            |word: String| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        for line in values("Environment") {
            variables.extend(split(&line).into_iter().filter_map(assigned));
        }
        for file in values("EnvironmentFile") {
            let file = machine.locate(Path::new(file.trim_start_matches('-')));
            let Ok(source) = kube_yaml::files::read_file(&file) else { continue };
            let lines = source.text().lines().filter(|line| !is_comment(line));
            let lines: Vec<String> = lines.map(|line| split(line).join(" ")).collect();
            variables.extend(lines.into_iter().filter_map(assigned));
        }
        let mut start = Self::default();
        for word in values("ExecStart").iter().flat_map(|line| split(line)) {
            start.expand(&word, &variables);
        }
        start.is_k3s = start.words.iter().any(|word| word.starts_with(OF_K3S));
        start
    }

    /// Whether the words are the command of the server itself, with nothing that others add or that is unknown.
    fn is_whole_command(&self) -> bool {
        !self.is_k3s && self.unset.is_empty() && self.words.iter().any(|word| is_server(word))
    }

    /// Adds `word` with the values of its variables: `$NAME` alone is several words, `${NAME}` a part of one.
    fn expand(&mut self, word: &str, variables: &BTreeMap<String, String>) {
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if let Some(name) = word.strip_prefix('$').filter(|name| is_name(name)) {
            match variables.get(name) {
                Some(value) => self.words.extend(split(value)),
                None => self.unset.push(name.to_owned()),
            }
            return;
        }
        let mut expanded = String::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            expanded.push_str(before);
            match variables.get(name) {
                Some(value) => expanded.push_str(value),
                None => self.unset.push(name.to_owned()),
            }
            rest = after;
        }
        expanded.push_str(rest);
        self.words.push(expanded);
    }

    /// Returns every flag with its value: `--flag=value` or `--flag value`; a switch is `true`. Of k3s and RKE2 they are
    /// those for the server.
    fn flags(&self) -> Vec<(String, String)> {
        let mut flags = Vec::new();
        let mut words = self.words.iter().peekable();
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                continue;
            }
            let (flag, value) = if let Some((flag, value)) = word.split_once('=') {
                (flag, value)
            } else {
                let value = words.next_if(|next| !next.starts_with("--"));
                (word.as_str(), value.map_or("true", String::as_str))
            };
            if flag == OF_K3S {
                let (flag, value) = value.split_once('=').unwrap_or((value, "true"));
                flags.push((format!("--{}", flag.replace('_', "-")), value.to_owned()));
            } else if !self.is_k3s || !self.words.iter().any(|word| word.starts_with(OF_K3S)) {
                flags.push((flag.replace('_', "-"), value.to_owned()));
            }
        }
        flags
    }
}

/// Returns the flags in a part of a command line, each with its value. A word that does not belong to a flag counts as
/// one.
pub(super) fn flags_of_text(text: &str) -> Vec<(String, String)> {
    let words = split(text);
    let has_flag = |position: usize| {
        let before = position.checked_sub(1).and_then(|position| words.get(position));
        before.is_some_and(|word| word.starts_with("--") && !word.contains('='))
    };
    let stray =
        words.iter().enumerate().filter(|(position, word)| !word.starts_with("--") && !has_flag(*position));
    let stray: Vec<_> = stray.map(|(_, word)| (word.clone(), String::new())).collect();
    let mut flags = Start { words, ..Start::default() }.flags();
    flags.extend(stray);
    flags
}

fn is_server(word: &str) -> bool {
    word.rsplit('/').next() == Some(NAME)
}

/// Returns `1.30` for the tag `v1.30.2-build.1`.
fn release_of(tag: &str) -> Option<String> {
    let mut numbers = tag.strip_prefix('v')?.split('.');
    let release = format!("{}.{}", numbers.next()?, numbers.next()?);
    release.parse::<Version>().ok().map(|release| release.to_string())
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.data) {
        Some(Data::Array(items)) => items,
        _ => &[],
    }
}

fn texts(node: Option<&Node>) -> Vec<String> {
    items(node).iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

fn text<'a>(node: &'a Node, field: &str) -> &'a str {
    node.get(field).and_then(Node::as_str).unwrap_or_default()
}

/// Returns the flags in a word such as `KUBE_API_ARGS=--a=1 --b=2`.
fn flags_of_variable(word: &str) -> Option<Vec<String>> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && value.trim_start().starts_with("--")).then(|| split(value))
}

/// Returns the words of a line, as shells and systemd quote them.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            (_, Some(open)) if character == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str) -> Start {
        Start::read(&SourceFile::new("server", text), &ServerFiles::default()).unwrap()
    }

    fn flags(text: &str) -> Vec<String> {
        start(text).flags().into_iter().map(|(flag, value)| format!("{flag} {value}")).collect()
    }

    #[test]
    fn reads_static_pods() {
        let start = start(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: sidecar\n  - name: api\n    image: registry:5000/kube-apiserver:v1.30.2\n    \
             command: [/usr/local/bin/kube-apiserver, --a=1]\n    args: [--b, '2', --c]\n    volumeMounts:\n    - {name: conf, mountPath: /etc/k8s}\n    \
             - {name: deep, mountPath: /etc/k8s/deep}\n  volumes:\n  - {name: conf, hostPath: {path: /srv/conf}}\n  - {name: deep, emptyDir: {}}\n",
        );
        let flag = |flag: &str, value: &str| (flag.to_owned(), value.to_owned());
        assert_eq!(start.flags(), [flag("--a", "1"), flag("--b", "2"), flag("--c", "true")]);
        assert_eq!(start.release.as_deref(), Some("1.30"));
        assert_eq!(start.mounts, [("/etc/k8s".into(), "/srv/conf".into())]);
        assert_eq!(start.mounted, Some(vec!["/etc/k8s".into(), "/etc/k8s/deep".into()]));
    }

    #[test]
    fn reads_systemd_units() {
        let unit = "[Unit]\nDescription=--not-a-flag\n[Service]\nEnvironment=A=--no=1\n# ExecStart=--old=1\n\
                    ExecStart=/usr/bin/kube-apiserver \\\n  --a=1 \\\n  --b_c \"x y\" \\\n  '--d=e f'\n";
        assert_eq!(flags(unit), ["--a 1", "--b-c x y", "--d e f"]);
    }

    #[test]
    fn reads_the_variables_of_units() {
        let unit = "[Service]\nEnvironment=\"ARGS=--a=1 --b=2\" MODE=RBAC\nExecStart=/usr/bin/kube-apiserver $ARGS --c=${MODE} $MORE\n";
        assert_eq!(flags(unit), ["--a 1", "--b 2", "--c RBAC"]);
        assert_eq!(start(unit).unset, ["MORE"]);
    }

    #[test]
    fn reads_what_k3s_hands_to_the_server() {
        assert_eq!(
            flags("write-kubeconfig-mode: '644'\nkube-apiserver-arg: [a=1, b=2]\n"),
            ["--a 1", "--b 2"]
        );
        let unit = "[Service]\nExecStart=/usr/local/bin/k3s server --disable=traefik --kube-apiserver-arg=a=1 --kube-apiserver-arg b=x=y\n";
        assert_eq!(flags(unit), ["--a 1", "--b x=y"]);
    }

    #[test]
    fn reads_the_configuration_of_kubeadm() {
        let kubeadm = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.34.1\napiServer:\n  extraArgs:\n  - {name: enable-admission-plugins, value: \"NodeRestriction,AlwaysPullImages\"}\n  extraVolumes:\n  - {name: a, mountPath: /etc/a, hostPath: /srv/a}\n";
        assert_eq!(
            flags(kubeadm),
            ["--authorization-mode Node,RBAC", "--enable-admission-plugins NodeRestriction,AlwaysPullImages"]
        );
        assert_eq!((start(kubeadm).release.as_deref(), start(kubeadm).mounts.len()), (Some("1.34"), 1));
        assert_eq!(
            flags(&kubeadm.replace(
                "\n  - {name: enable-admission-plugins, value: \"NodeRestriction,AlwaysPullImages\"}",
                " {a: '1'}"
            ))[2],
            "--a 1"
        );
    }

    #[test]
    fn reads_plain_flags() {
        assert_eq!(flags("# flags\n--a=1 --b 2\n\n--c=x=y\n"), ["--a 1", "--b 2", "--c x=y"]);
        assert_eq!(flags("KUBE_API_ARGS=\"--a=1 --b=2\"\n"), ["--a 1", "--b 2"]);
    }

    #[test]
    fn a_manifest_without_the_server_is_an_error() {
        let source = SourceFile::new("pod.yaml", "kind: Pod\nspec:\n  containers:\n  - name: etcd\n");
        let error = Start::read(&source, &ServerFiles::default()).unwrap_err();
        assert_eq!(error.message, "pod.yaml has no container that runs kube-apiserver");
    }
}
