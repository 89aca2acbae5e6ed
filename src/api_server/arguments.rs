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
            _ => others.push((flag.to_owned(), value.to_owned(), argument.as_ref().contains('='))),
        }
    }
    let mut flags = match file {
        Some(file) => Flags::of_kube_apiserver(&file, root.as_deref())?,
        None => Flags { files: ServerFiles { root, ..ServerFiles::default() }, ..Flags::default() },
    };
    for (flag, value, has_value) in others {
        let known = flags
            .set(&flag, &value)
            .map_err(|error| if has_value { error } else { error.help(format!("write it as {flag}=VALUE")) });
        if !known? {
            let diagnostic =
                Diagnostic::input(Code::Configuration, format!("{flag} is not a flag about admission"));
            return Err(match flag.as_str() {
                "--as" | "--as-group" | "--as-uid" | "--namespace" | "--apply" | "--field-validation" => {
                    diagnostic
                        .help("`RequestDefaults` has who sends requests and how; `evaluate_with` takes them")
                }
                flag if !flag.starts_with("--") => {
                    diagnostic.help("a flag and its value are one argument: --name=value")
                }
                _ => diagnostic,
            }
            .into());
        }
    }
    flags.webhooks = webhooks.read()?;
    Ok(flags)
}
