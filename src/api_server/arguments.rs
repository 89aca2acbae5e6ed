//! Converts a command line to the flags of a server.

use std::path::PathBuf;

use crate::api_server::Errors;
use crate::code::Code;
use crate::configuration::{Flags, WebhookFlags};
use crate::report::Diagnostic;
use crate::versioned::ServerFiles;

/// Returns the flags in `arguments`, each `--name=value`. Those of a file come first, so that the others can change
/// them.
pub(super) fn flags<F: AsRef<str>>(arguments: impl IntoIterator<Item = F>) -> Result<Flags, Errors> {
    let (mut file, mut root) = (None, None);
    let (mut webhooks, mut others) = (WebhookFlags::default(), Vec::new());
    for argument in arguments {
        let (flag, value) = argument.as_ref().split_once('=').unwrap_or((argument.as_ref(), "true"));
        let path = || Some(PathBuf::from(value));
        match flag {
            "--kube-apiserver" => file = path(),
            "--root" => root = path(),
            "--webhooks" => webhooks.mode = Some(value.to_owned()),
            "--webhook-recordings" => webhooks.recordings = path(),
            "--webhook-service" => webhooks.services.push(value.to_owned()),
            "--record" => webhooks.record = path(),
            _ => others.push((flag.to_owned(), value.to_owned())),
        }
    }
    let mut flags = match file {
        Some(file) => Flags::of_kube_apiserver(&file, root.as_deref())?,
        None => Flags { files: ServerFiles { root, ..ServerFiles::default() }, ..Flags::default() },
    };
    for (flag, value) in others {
        if !flags.set(&flag, &value)? {
            let message = format!("{flag} is not a flag about admission");
            return Err(Diagnostic::input(Code::Configuration, message).into());
        }
    }
    flags.webhooks = webhooks.read()?;
    Ok(flags)
}
