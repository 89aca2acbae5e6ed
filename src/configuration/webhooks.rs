//! Where the answers of webhooks come from, as the flags of kadmit say.

use std::path::Path;
use std::sync::Arc;

use crate::configuration::ConfigurationError;
use crate::manifest::{self, files};
use crate::webhook::{Recordings, Unreachable, Webhooks};

/// Reads the value of `--webhooks`, and the directory of `--webhook-recordings`.
///
/// # Errors
///
/// The flags do not go together, or a recording cannot be read.
pub fn webhooks(mode: Option<&str>, directory: Option<&Path>) -> Result<Webhooks, ConfigurationError> {
    match (mode, directory) {
        (Some("recorded"), None) => {
            let error = ConfigurationError::new("--webhooks=recorded has no recordings");
            Err(error.help("name their directory with --webhook-recordings"))
        }
        (Some("recorded") | None, Some(directory)) => Ok(Webhooks::Ask(Arc::new(recordings(directory)?))),
        (Some(_), Some(_)) => {
            let error =
                ConfigurationError::new("--webhook-recordings means nothing unless answers are recorded");
            Err(error.help("add --webhooks=recorded"))
        }
        (Some("fail"), None) => Ok(Webhooks::Ask(Arc::new(Unreachable))),
        (_, None) => Ok(Webhooks::Skip),
    }
}

fn recordings(directory: &Path) -> Result<Recordings, ConfigurationError> {
    let unreadable = |error: manifest::Error| ConfigurationError::new(error.to_string());
    let mut recordings = Recordings::default();
    let mut count = 0;
    for file in files::list(directory) {
        let source = files::read_file(&file.map_err(unreadable)?).map_err(unreadable)?;
        for document in manifest::read(&source) {
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
