//! The sources of webhooks' answers, from kadmit's flags.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::configuration::ConfigurationError;
use crate::webhook::{Client, RecordingClient, Recordings, Services, Unreachable, Webhooks};
use kube_yaml::files;

/// The flags for the sources of webhooks' answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookFlags {
    /// `--webhooks`
    pub mode: Option<String>,
    /// `--webhook-recordings`
    pub recordings: Option<PathBuf>,
    /// `--webhook-service`
    pub services: Vec<String>,
    /// `--record`
    pub record: Option<PathBuf>,
}

impl WebhookFlags {
    /// Returns the handling of requests that match a webhook.
    ///
    /// # Errors
    ///
    /// Fails if the flags contradict each other, or a recording cannot be read.
    pub fn read(&self) -> Result<Webhooks, ConfigurationError> {
        let mode = match (self.mode.as_deref(), &self.recordings) {
            (None, Some(_)) => "recorded",
            (mode, _) => mode.unwrap_or("skip"),
        };
        let idle = [
            ("--webhook-recordings", self.recordings.is_some(), "recorded"),
            ("--webhook-service", !self.services.is_empty(), "call"),
            ("--record", self.record.is_some(), "call"),
        ];
        if let Some((flag, _, wanted)) =
            idle.iter().find(|(_, is_given, wanted)| *is_given && mode != *wanted)
        {
            let error = ConfigurationError::new(format!("{flag} has no effect with --webhooks={mode}"));
            return Err(error.help(format!("add --webhooks={wanted}")));
        }
        match (mode, &self.recordings) {
            ("recorded", None) => {
                let error = ConfigurationError::new("--webhooks=recorded has no recordings");
                Err(error.help("name their directory with --webhook-recordings"))
            }
            ("recorded", Some(directory)) => Ok(Webhooks::Ask(Arc::new(recordings(directory)?))),
            ("fail", _) => Ok(Webhooks::Ask(Arc::new(Unreachable))),
            ("call", _) => self.caller().map(Webhooks::Ask),
            _ => Ok(Webhooks::Skip),
        }
    }

    fn caller(&self) -> Result<Arc<dyn Client>, ConfigurationError> {
        let mut services = Services::default();
        for text in &self.services {
            services.add(text).map_err(|error| {
                ConfigurationError::new(format!("--webhook-service cannot be `{text}`: {error}"))
            })?;
        }
        let client = caller(services)?;
        let Some(directory) = &self.record else { return Ok(client) };
        let recording = RecordingClient::new(client, directory).map_err(|error| {
            ConfigurationError::new(format!("cannot write to {}: {error}", directory.display()))
        })?;
        Ok(Arc::new(recording))
    }
}

#[cfg(feature = "call")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature it fails")]
fn caller(services: Services) -> Result<Arc<dyn Client>, ConfigurationError> {
    Ok(Arc::new(crate::webhook::Https::new(services)))
}

#[cfg(not(feature = "call"))]
fn caller(_: Services) -> Result<Arc<dyn Client>, ConfigurationError> {
    Err(ConfigurationError::new("this kadmit is built without the feature that calls webhooks"))
}

fn recordings(directory: &Path) -> Result<Recordings, ConfigurationError> {
    let unreadable = |error: kube_yaml::Error| ConfigurationError::new(error.to_string());
    let mut recordings = Recordings::default();
    let mut count = 0;
    for file in files::list(directory) {
        let source = files::read_file(&file.map_err(unreadable)?).map_err(unreadable)?;
        for document in kube_yaml::read(&source) {
            let document = document.map_err(unreadable)?;
            let span = document.node.span;
            recordings
                .add(&document.node.into_value())
                .map_err(|message| ConfigurationError::new(message).at(&source, Some(span)))?;
            count += 1;
        }
    }
    if count == 0 {
        let message = format!("there are no recordings in {}", directory.display());
        return Err(
            ConfigurationError::new(message).help("a recording is a file with webhook: and response:")
        );
    }
    Ok(recordings)
}
