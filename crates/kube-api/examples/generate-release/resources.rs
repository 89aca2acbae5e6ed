//! The resources, from the discovery document.

use std::fmt::Write as _;

use serde_json::Value;

use crate::document::{Documents, texts};
use crate::release::{MADE_BY, api_version};

/// The verbs of most resources, which the table writes as `all`.
const ALL: &str = "create,delete,deletecollection,get,list,patch,update,watch";

/// Writes one line per resource, one indented line per subresource.
pub(crate) fn table(documents: &Documents) -> String {
    let mut text = format!("# resources-v{}.json; {MADE_BY}\n", documents.release);
    text.push_str(
        "# Version, resource, kind, singular name, scope, whether it is served by default or by --runtime-config\n\
         # alone, verbs, short names; below it subresource, version, kind, verbs. `all` is ",
    );
    let _ = writeln!(text, "{ALL}.\n");
    for resource in &documents.resources {
        let word = |key: &str| resource[key].as_str().unwrap_or_default();
        let scope = if resource["namespaced"] == true { "namespaced" } else { "cluster" };
        let served = if word("served") == "default" { "default" } else { "runtime-config" };
        let short_names = texts(&resource["shortNames"]).join(",");
        let _ = writeln!(
            text,
            "{} {} {} {} {scope} {served} {}{}{short_names}",
            api_version(word("group"), word("version")),
            word("resource"),
            word("kind"),
            word("singular"),
            verbs(resource),
            if short_names.is_empty() { "" } else { " " },
        );
        for below in resource["subresources"].as_array().into_iter().flatten() {
            let word = |key: &str| below[key].as_str().unwrap_or_default();
            let version = api_version(word("group"), word("version"));
            let _ = writeln!(text, "  {} {version} {} {}", word("name"), word("kind"), verbs(below));
        }
    }
    text
}

/// Returns the verbs, separated by commas.
pub(crate) fn verbs(resource: &Value) -> String {
    let verbs = texts(&resource["verbs"]).join(",");
    if verbs == ALL { "all".to_owned() } else { verbs }
}
