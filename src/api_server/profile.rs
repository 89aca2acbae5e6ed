//! A description of a server in code.

use crate::api_server::{ApiServer, Errors};
use crate::configuration::{ConfigurationError, Fault, Flags};
use kube_api::distribution::kubernetes_of_openshift;

/// The description of a server: its release, distribution, plugins and feature gates, instead of flags in text.
///
/// ```
/// use kadmit::{Fault, ServerProfile};
///
/// let server = ServerProfile::kubernetes("1.34").enable("AlwaysPullImages").start()?;
/// assert!(server.cluster(&[])?.plugins().contains(&"AlwaysPullImages"));
///
/// let errors = ServerProfile::kubernetes("1.34").enable("PodSecurty").start().unwrap_err();
/// assert_eq!(errors.fault(), Some(&Fault::UnknownPlugins(vec!["PodSecurty".to_owned()])));
/// assert!(errors.to_string().contains("did you mean \"PodSecurity\"?"), "{errors}");
/// # Ok::<(), kadmit::Errors>(())
/// ```
///
/// What else a server is started with has flags: [`ApiServer::from_flags`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerProfile {
    flags: Flags,
    /// The first error in the description; the server does not start.
    error: Option<ConfigurationError>,
}

impl ServerProfile {
    /// Describes kube-apiserver of a release such as `1.34`.
    pub fn kubernetes(release: &str) -> Self {
        Self::new("kubernetes").of_release(release)
    }

    /// Describes the servers of a release of OpenShift 4 such as `4.19`.
    ///
    /// As with `--distribution openshift`, what OpenShift adds is that of the newest known release; Kubernetes is the
    /// release that this one is made from.
    pub fn openshift(release: &str) -> Self {
        let profile = Self::new("openshift");
        match kubernetes_of_openshift(release) {
            Some(kubernetes) => profile.of_release(&kubernetes.to_string()),
            None => profile.failed(ConfigurationError::unknown_openshift(release)),
        }
    }

    /// Enables an admission plugin, as `--enable-admission-plugins` does.
    pub fn enable(mut self, plugin: &str) -> Self {
        self.flags.enable_admission_plugins.push(plugin.to_owned());
        self
    }

    /// Disables an admission plugin, as `--disable-admission-plugins` does.
    pub fn disable(mut self, plugin: &str) -> Self {
        self.flags.disable_admission_plugins.push(plugin.to_owned());
        self
    }

    /// Switches a feature gate, as `--feature-gates` does.
    pub fn feature_gate(mut self, gate: &str, is_on: bool) -> Self {
        self.flags.feature_gates.push(format!("{gate}={is_on}"));
        self
    }

    /// Sets up the server.
    ///
    /// # Errors
    ///
    /// Fails if kadmit does not know the release, or the server would not start; [`Errors::fault`] says which.
    pub fn start(self) -> Result<ApiServer, Errors> {
        match self.error {
            Some(error) => Err(error.into()),
            None => ApiServer::new(self.flags),
        }
    }

    fn new(distribution: &str) -> Self {
        Self { flags: Flags::default(), error: None }.set("--distribution", distribution)
    }

    fn of_release(self, release: &str) -> Self {
        self.set("--kubernetes-version", release)
    }

    fn set(mut self, flag: &str, value: &str) -> Self {
        match self.flags.set(flag, value) {
            Ok(_) => self,
            Err(error) => self.failed(error),
        }
    }

    fn failed(mut self, error: ConfigurationError) -> Self {
        self.error.get_or_insert(error);
        self
    }
}

impl ConfigurationError {
    fn unknown_openshift(release: &str) -> Self {
        Self::new(format!("{} is not a release of OpenShift 4", gotext::quote(release)))
            .help("name it like this: 4.19")
            .with(Fault::UnknownRelease(release.to_owned()))
    }
}
