//! The flags of a deployed server, from the file that starts it: a static Pod, a systemd unit, or plain flags.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::{ConfigurationError, Flags};
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
}

const NAME: &str = "kube-apiserver";

impl Flags {
    /// Returns the flags in the file at `path` that are about admission. Files that they name are looked up below
    /// `root`.
    pub fn of_kube_apiserver(path: &Path, root: Option<&Path>) -> Result<Self, ConfigurationError> {
        let source = kube_yaml::files::read_file(path).map_err(|error| ConfigurationError {
            file: Some(path.display().to_string()),
            ..ConfigurationError::new(error.to_string())
        })?;
        let start = Start::read(&source)?;
        let mut flags = Self { root: root.map(Path::to_owned), ..Self::default() };
        let mut taken = Vec::new();
        let mut ignored = 0;
        for (flag, value) in start.flags() {
            let set = flags.set(&flag, &value).map_err(|error| error.at(&source, None))?;
            if set { taken.push(format!("{flag}={value}")) } else { ignored += 1 }
        }
        if let Some(file) = &flags.admission_control_config_file {
            flags.admission_control_config_file = Some(below(root, &start.outside(file)));
        }
        let mut note = match taken.as_slice() {
            [] => format!("read no flag from {}", source.name()),
            taken => format!("read from {}: {}", source.name(), taken.join(" ")),
        };
        if ignored > 0 {
            let _ = write!(note, "; {ignored} other flags do not affect admission");
        }
        if let Some(release) = &start.release {
            let known = flags.set("--kubernetes-version", release).is_ok();
            let unknown = if known { "" } else { ", which kadmit does not know" };
            let _ = write!(note, "; its image is Kubernetes {release}{unknown}");
        }
        flags.origin = Some(note);
        Ok(flags)
    }
}

/// Returns the location of the server's absolute `path` when its files are below `root`.
pub(super) fn below(root: Option<&Path>, path: &Path) -> PathBuf {
    match root {
        Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
        None => path.to_owned(),
    }
}

impl Start {
    fn read(source: &Arc<SourceFile>) -> Result<Self, ConfigurationError> {
        let documents: Vec<_> = kube_yaml::read(source).collect();
        let objects = || documents.iter().flatten().filter(|document| document.node.get("kind").is_some());
        if objects().next().is_none() {
            return Ok(Self { words: words_of_text(source.text()), ..Self::default() });
        }
        let found = objects().find_map(|document| Self::of_pod(&document.node));
        found.ok_or_else(|| {
            let message = format!("{} has no container that runs {NAME}", source.name());
            ConfigurationError::new(message)
                .at(source, None)
                .help("name the manifest of its static Pod, its systemd unit or a file of its flags")
        })
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
        let (_, tag) = text(container, "image").rsplit_once(':').unwrap_or_default();
        Some(Self { words, release: release_of(tag), mounts: mounts.collect() })
    }

    /// Returns every flag with its value: `--flag=value` or `--flag value`; a switch is `true`.
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
            flags.push((flag.replace('_', "-"), value.to_owned()));
        }
        flags
    }

    /// Returns where the server's `path` is outside of its container.
    fn outside(&self, path: &Path) -> PathBuf {
        let mounts = self.mounts.iter().filter(|(inside, _)| path.starts_with(inside));
        match mounts.max_by_key(|(inside, _)| inside.as_os_str().len()) {
            Some((inside, outside)) => {
                let rest = path.strip_prefix(inside).expect("the mount is where the path is");
                if rest.as_os_str().is_empty() { outside.clone() } else { outside.join(rest) }
            }
            None => path.to_owned(),
        }
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

/// Returns the words in a unit's `ExecStart`, or in a file of flags. Lines that end with a backslash continue, and
/// variables are replaced by the flags in them.
fn words_of_text(text: &str) -> Vec<String> {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let command = |line: &'_ str| {
        let start = line.trim_start().strip_prefix("ExecStart").map(str::trim_start)?.strip_prefix('=')?;
        Some(start.to_owned())
    };
    let commands: Vec<_> = text.lines().filter_map(command).collect();
    let is_unit = text.lines().any(|line| line.trim() == "[Service]");
    let lines = if is_unit { commands } else { text.lines().map(str::to_owned).collect() };
    let is_comment = |line: &&String| line.trim_start().starts_with(['#', ';']);
    let words = lines.iter().filter(|line| !is_comment(line)).flat_map(|line| split(line));
    words.flat_map(|word| flags_of_variable(&word).unwrap_or_else(|| vec![word])).collect()
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
        Start::read(&SourceFile::new("server", text)).unwrap()
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
        assert_eq!(start.outside(Path::new("/etc/k8s/a/b.yaml")), Path::new("/srv/conf/a/b.yaml"));
        assert_eq!(start.outside(Path::new("/etc/k8ss")), Path::new("/etc/k8ss"));
        assert_eq!(below(Some(Path::new("root")), Path::new("/srv/conf")), Path::new("root/srv/conf"));
    }

    #[test]
    fn reads_systemd_units() {
        let unit = "[Unit]\nDescription=--not-a-flag\n[Service]\nEnvironment=A=--no=1\n# ExecStart=--old=1\n\
                    ExecStart=/usr/bin/kube-apiserver \\\n  --a=1 \\\n  --b_c \"x y\" \\\n  '--d=e f'\n";
        assert_eq!(flags(unit), ["--a 1", "--b-c x y", "--d e f"]);
    }

    #[test]
    fn reads_plain_flags() {
        assert_eq!(flags("# flags\n--a=1 --b 2\n\n--c=x=y\n"), ["--a 1", "--b 2", "--c x=y"]);
        assert_eq!(flags("KUBE_API_ARGS=\"--a=1 --b=2\"\n"), ["--a 1", "--b 2"]);
    }

    #[test]
    fn a_manifest_without_the_server_is_an_error() {
        let source = SourceFile::new("pod.yaml", "kind: Pod\nspec:\n  containers:\n  - name: etcd\n");
        let error = Start::read(&source).unwrap_err();
        assert_eq!(error.message, "pod.yaml has no container that runs kube-apiserver");
    }
}
