//! Where the files of a server are, for a reader outside of its container and its machine.

use std::path::{Path, PathBuf};

/// The places of a server's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFiles {
    /// The directory below which the files of its machine are, if it is not `/`.
    pub root: Option<PathBuf>,
    /// The directories inside of its container and outside.
    pub mounts: Vec<(PathBuf, PathBuf)>,
    /// The `AdmissionConfiguration`, if no directory of the container has it.
    pub unmounted: Option<PathBuf>,
}

impl ServerFiles {
    /// Returns where the server's `path` is; a relative one stays as it is.
    pub fn locate(&self, path: &Path) -> PathBuf {
        if !path.is_absolute() {
            return path.to_owned();
        }
        let mounts = self.mounts.iter().filter(|(inside, _)| path.starts_with(inside));
        let outside = match mounts.max_by_key(|(inside, _)| inside.as_os_str().len()) {
            Some((inside, outside)) => {
                let rest = path.strip_prefix(inside).expect("the mount is where the path is");
                if rest.as_os_str().is_empty() { outside.clone() } else { outside.join(rest) }
            }
            None => path.to_owned(),
        };
        match &self.root {
            Some(root) => root.join(outside.strip_prefix("/").unwrap_or(&outside)),
            None => outside,
        }
    }

    /// Returns advice if `error`, in Go's words, is about an absolute path that this machine does not have.
    pub fn help_if_missing(&self, error: &str) -> Option<&'static str> {
        let is_missing = self.root.is_none()
            && error.ends_with(": no such file or directory")
            && ["stat /", "open /"].iter().any(|start| error.contains(start));
        is_missing.then_some(
            "this machine does not have it; --kube-apiserver FILE --root DIR looks below DIR for what the server's files \
             name",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_outside_of_the_container_and_below_the_root() {
        let mounts = vec![("/etc/k8s".into(), "/srv/conf".into())];
        let mut files = ServerFiles { mounts, ..ServerFiles::default() };
        assert_eq!(files.locate(Path::new("/etc/k8s/a/b.yaml")), Path::new("/srv/conf/a/b.yaml"));
        assert_eq!(files.locate(Path::new("/etc/k8ss")), Path::new("/etc/k8ss"));
        files.root = Some("root".into());
        assert_eq!(files.locate(Path::new("/etc/k8s/a.yaml")), Path::new("root/srv/conf/a.yaml"));
        assert_eq!(files.locate(Path::new("a.yaml")), Path::new("a.yaml"));
    }
}
