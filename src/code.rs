//! The codes of diagnostics, with their meanings and remedies. `docs/diagnostics.md` is generated from this table.

use std::fmt;

use serde::{Serialize, Serializer};

/// How serious a diagnostic or a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input or configuration is invalid, or the server refuses a request.
    Error,
    /// The server warns, or something in the input has no effect.
    Warning,
    /// The run does less than a server would, or more than requested.
    Note,
}

/// Defines the codes from one row for each: severity, variant, name, meaning and remedy.
macro_rules! codes {
    ($($severity:ident $variant:ident $name:literal $meaning:literal $remedy:literal)*) => {
        /// The code of a diagnostic, which is stable across releases.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// A code of another release, in results that it stored.
            Other(&'static str),
        }

        impl Code {
            /// All codes of this release, ordered by name.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name, such as `kadmit::manifest::yaml`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }

            /// Returns the severity, unless a flag changes it.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)*
                    Self::Other(_) => Severity::Error,
                }
            }

            /// Returns the meaning.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Other(_) => "This release does not have the code.",
                }
            }

            /// Returns the remedy.
            pub fn remedy(self) -> &'static str {
                match self {
                    $(Self::$variant => $remedy,)*
                    Self::Other(_) => "Explain it with the release that wrote it.",
                }
            }
        }
    };
}

impl Code {
    /// Returns the code of this release with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

codes! {
    Error Baseline "kadmit::baseline"
        "The file of --baseline cannot be read or written, or no file is named to write."
        "Check the path; write the file again with --update-baseline."
    Note BaselineGone "kadmit::baseline::gone"
        "Findings in the baseline did not occur in this run."
        "Remove them from the file with --update-baseline."
    Note BaselineWritten "kadmit::baseline::written"
        "The baseline was written."
        "Commit the file."
    Error Cache "kadmit::cache"
        "The directory of --cache cannot be used, or a flag cannot be combined with it."
        "Name a directory that can be written, or leave one of the flags out."
    Note ClusterAssumed "kadmit::cluster::assumed"
        "Something about the cluster is not among the cluster objects and was assumed before the first request."
        "Add the object to --cluster, or assume nothing with --strict."
    Error ClusterEmpty "kadmit::cluster::empty"
        "There is no object in what --cluster names, perhaps because the command that wrote it failed."
        "Collect it again; `--cluster /dev/null` is a cluster without objects."
    Note ClusterIgnored "kadmit::cluster::ignored"
        "A cluster object has a field that its kind does not have; the field is ignored."
        "Correct the name of the field, or remove it."
    Error ClusterObject "kadmit::cluster::object"
        "A document of --cluster is not an object that this server can have."
        "Correct the document. Custom resources need their CustomResourceDefinition in --cluster too."
    Error ComparisonIncomparable "kadmit::comparison::incomparable"
        "Both sides of a comparison refuse a request before the chain sees it, so the effect of the change on it is unknown."
        "Evaluate existing objects with --recreate, or correct what the server refuses."
    Error Configuration "kadmit::configuration"
        "The server would not start with these flags or configuration files; the message is the server's."
        "Correct the flag or the file. `kadmit config check` lists everything that is wrong with them."
    Note ConfigurationNote "kadmit::configuration::note"
        "The configuration has a consequence that is easy to overlook, such as a release that is emulated in part."
        "Read it; nothing has to be changed."
    Note CoverageLow "kadmit::coverage::low"
        "Less of the policies is covered than --fail-under demands."
        "Add cases for what the report names, or lower the demand."
    Note DriftGeneratedName "kadmit::drift::generated_name"
        "A manifest has only the start of a name, which the server completes, so it has no live object."
        "Nothing has to be changed; `kadmit run --apply create` evaluates the manifest."
    Note DriftRepeated "kadmit::drift::repeated"
        "Several manifests define the same object, and only the last one is compared with the live object."
        "Remove the others."
    Note EvalAssumed "kadmit::eval::assumed"
        "A value that a server has and no file gives was assumed."
        "Give the object with --cluster."
    Error EvalObject "kadmit::eval::object"
        "A file that `kadmit eval` reads does not have exactly one object that can be decoded."
        "Name a file with one object of a known kind."
    Note FailOn "kadmit::fail_on"
        "Nothing is denied, and the run fails because of what --fail-on names."
        "Fix what is named, or leave the event out of --fail-on."
    Error FixWrite "kadmit::fix::write"
        "The edits of a file cannot be written: it is not a file, a link, or was changed meanwhile."
        "Name the file itself, or print the edits without --write."
    Error InputAddress "kadmit::input::address"
        "A path is an address; kadmit opens no connection for manifests."
        "Fetch the file, and give it to kadmit on standard input: `curl -fsSL ADDRESS | kadmit run -`."
    Note InputChart "kadmit::input::chart"
        "A directory is a Helm chart, which is not a manifest, and was left out."
        "Evaluate what it renders: `helm template DIR | kadmit run -`."
    Note InputControlled "kadmit::input::controlled"
        "Objects of a dump are evaluated as if created anew, except those that controllers create from others in it, and Nodes."
        "Nothing; kadmit creates what controllers create as they do."
    Error InputEmpty "kadmit::input::empty"
        "There is no document in the input, so nothing was evaluated."
        "Check the paths; with --allow-empty this is not an error."
    Note InputKustomization "kadmit::input::kustomization"
        "A kustomization is not a manifest and was left out, with the patches that it names."
        "Evaluate what it builds: `kubectl kustomize DIR | kadmit run -`."
    Note InputNoFile "kadmit::input::no_file"
        "Something in a directory is not a file, or a link that leads out of it, and was left out."
        "Name the file itself if it is to be read."
    Note InputNoManifest "kadmit::input::no_manifest"
        "A document is not a manifest and was left out, as --ignore-non-manifests requests."
        "Nothing, if that is what you expect."
    Error InputNoMatch "kadmit::input::no_match"
        "A pattern matches no file."
        "Correct the pattern."
    Error InputNoPath "kadmit::input::no_path"
        "No path is given on the command line or in the settings."
        "Name files or directories, or - for standard input."
    Error InputPattern "kadmit::input::pattern"
        "A path with *, ? or [ is not a valid pattern."
        "Correct the pattern."
    Error InputRecursive "kadmit::input::recursive"
        "-R is given without -f."
        "Leave it out: directories that are named without -f are always read recursively."
    Note InputShard "kadmit::input::shard"
        "A run for one shard leaves something to the others, or cannot know what they count."
        "Join the results of all shards with `kadmit report`."
    Note InputTerminal "kadmit::input::terminal"
        "A command that other programs start was started on a terminal, and waits for input."
        "End it with Ctrl-C; for manifests use `kadmit run`."
    Error InputUnreadable "kadmit::input::unreadable"
        "A path or standard input cannot be read."
        "Check that it exists and is readable."
    Error InputWatch "kadmit::input::watch"
        "--watch cannot watch standard input."
        "Name files or directories, or leave --watch out."
    Error KrmFunctionConfig "kadmit::krm::function_config"
        "The functionConfig of the function has something that is not a flag, or an invalid value of a flag."
        "Name the flags as `kadmit run --help` does: in `data` of a ConfigMap, in `spec` of any other kind."
    Error KrmResourceList "kadmit::krm::resource_list"
        "Standard input is not a ResourceList, the input that kustomize and kpt give to a function."
        "Let kustomize or kpt run `kadmit krm`; for manifests use `kadmit run`."
    Error KubectlRefused "kadmit::kubectl::refused"
        "kubectl would not send this document, for example because its namespace is not that of --namespace."
        "Correct the document or the flag."
    Error LibraryObject "kadmit::library::object"
        "A value that a program applies cannot be written as an object: its keys are not text, or a number is not finite."
        "Correct the type; `serde_json::to_string` has the same error."
    Error Lsp "kadmit::lsp"
        "The client of the language server aborted the session."
        "Start the editor again; its log has the last messages."
    Error LspRecreate "kadmit::lsp::recreate"
        "The settings have `recreate`, which is for a dump of a cluster, not for files in an editor."
        "Leave `recreate` out of kadmit.toml, and give it to `kadmit run`."
    Error LspStandardInput "kadmit::lsp::standard_input"
        "The settings name `-`, and an editor has no standard input."
        "Name files or directories."
    Error ManifestDepth "kadmit::manifest::depth"
        "A document is nested too deeply to be read."
        "Nest it less."
    Error ManifestDuplicateKey "kadmit::manifest::duplicate_key"
        "A key is repeated in a map, so that a client sends only the last value, or a line `---` is missing between two objects, of which it sends only the last one."
        "Separate the objects, or remove one of the two keys; with --field-validation=Warn the last value of a manifest counts."
    Error ManifestJson "kadmit::manifest::json"
        "A document that begins with { is not JSON."
        "Correct it at the place that is shown."
    Error ManifestSeparator "kadmit::manifest::separator"
        "A line that begins with --- has something after it that YAML does not allow there."
        "Put the document on the next line."
    Error ManifestUnreadable "kadmit::manifest::unreadable"
        "A file cannot be read."
        "Check that it exists and is readable."
    Error ManifestUtf8 "kadmit::manifest::utf8"
        "A file is not UTF-8."
        "Save it as UTF-8."
    Error ManifestYaml "kadmit::manifest::yaml"
        "A document is not YAML as Kubernetes reads it; the message is the server's."
        "Correct it at the place that is shown. Templates have to be rendered first."
    Error Mcp "kadmit::mcp"
        "The client of `kadmit mcp` aborted the session."
        "Start the assistant again; its log has the last messages."
    Warning Only "kadmit::only"
        "No object has a kind or namespace that --only names."
        "Correct the word; the help lists those that exist."
    Error Output "kadmit::output"
        "A report cannot be written."
        "Check the path after the = of --output, and that no two reports share a place."
    Note OutputRefused "kadmit::output::refused"
        "A report of admitted objects leaves out refused documents."
        "Correct the refused documents, if the objects are to be stored."
    Error PluginUnknown "kadmit::plugin::unknown"
        "There is no plugin, or no code of a diagnostic, with this name."
        "`kadmit plugins` lists the plugins, docs/diagnostics.md the codes."
    Error Policy "kadmit::policy"
        "A policy or binding is invalid; a server would refuse it."
        "Correct it at the place that is shown."
    Note PolicyCost "kadmit::policy::cost"
        "An expression of a policy costs more than in the file of --compare."
        "Make it cheaper, or write the file again with --cost=json."
    Warning PolicyFailedOpen "kadmit::policy::failed_open"
        "A policy or webhook failed, and its failurePolicy Ignore let the requests pass."
        "Correct what failed, or refuse the requests with failurePolicy Fail."
    Warning PolicyIdle "kadmit::policy::idle"
        "A policy, binding or webhook cannot have an effect, for example because nothing binds it or no such resource exists."
        "Correct what is named."
    Note PolicyTrial "kadmit::policy::trial"
        "A policy that nothing binds is bound for this run, to everything and with Deny."
        "Nothing; add a binding to --policy to evaluate that instead."
    Warning PolicyTypes "kadmit::policy::types"
        "An expression of a policy does not fit the types of a kind that the policy is for."
        "Correct the expression, or name only the kinds that have the field."
    Warning ReplayDifference "kadmit::replay::difference"
        "kadmit answers requests of an audit log otherwise than the server did."
        "Give the server's flags and the objects that existed before the log, with --kube-apiserver and --cluster. Other differences are bugs worth reporting."
    Note ReplayLog "kadmit::replay::log"
        "Part of an audit log is unusual, or cannot be judged."
        "Read it; the rest is judged. `docs/replay.md` has the audit policy that records what is needed."
    Warning ReplaySuite "kadmit::replay::suite"
        "A request of an audit log is not written as a suite, because its answer would differ there."
        "Keep the names that the answer depends on, with --keep."
    Note ReportDifferent "kadmit::report::different"
        "Two runs have stored different results for the same place of a manifest; both are reported."
        "If the runs are about different clusters or repositories, distinguish them with --prefix."
    Note ReportQuota "kadmit::report::quota"
        "Stored runs begin with different usages or limits of a quota, so that what they use cannot be added."
        "Run with the same --cluster, or distinguish runs on different clusters with --prefix."
    Error ReportResult "kadmit::report::result"
        "A line of a file that `kadmit report` reads is not a stored result, or an incomplete one."
        "Name files that `kadmit run -o jsonl=FILE` has written; repeat a run that was interrupted."
    Error RequestAdmissionReview "kadmit::request::admission_review"
        "A field of an AdmissionReview has a value that it cannot have."
        "See `request` of admission.k8s.io/v1 AdmissionReview."
    Error RequestMissingField "kadmit::request::missing_field"
        "A document lacks a field that every request needs, such as `apiVersion` or `kind`."
        "Add it; --ignore-non-manifests leaves out documents that have neither."
    Error RequestNotAnObject "kadmit::request::not_an_object"
        "A document is text, a number or a list, not an object."
        "Correct the indentation; --ignore-non-manifests leaves out what is not a manifest."
    Error RequestUnknownKind "kadmit::request::unknown_kind"
        "Neither this release of Kubernetes nor a `CustomResourceDefinition` in --cluster has the kind."
        "Correct apiVersion and kind, or add the definition; --ignore-unknown-kinds makes it a note."
    Warning RequireUnproved "kadmit::require::unproved"
        "What some documents need depends on others, and repeated runs did not show the least that suffices."
        "Apply the output and evaluate again with it as --cluster; leave the refused documents out."
    Note SecretMasked "kadmit::secret::masked"
        "Objects were written to be used by other tools, and values of Secrets in them are masked."
        "Nothing; --show-secrets writes the values (docs/secrets.md)."
    Error Serve "kadmit::serve"
        "The server of `kadmit serve` cannot start or stop as requested; as a note, the address at which it listens."
        "Choose another address or file; port 0 is any free one."
    Error Settings "kadmit::settings"
        "kadmit.toml, or an environment variable that has settings, is wrong."
        "Correct it at the place that is shown."
    Note SettingsFile "kadmit::settings::file"
        "The settings of this file are used."
        "Nothing; --no-settings uses none."
    Warning SettingsUnmatched "kadmit::settings::unmatched"
        "The patterns of an override in kadmit.toml fit no file of the input."
        "Correct the patterns, or remove the override."
    Warning SkipExpired "kadmit::skip::expired"
        "A skip has expired and does nothing any more."
        "Renew `expires`, or remove the skip."
    Error SkipNoReason "kadmit::skip::no_reason"
        "An annotation `kadmit.dev/skip` names a plugin without a reason; the placeholder `TODO: why` is not one."
        "Add the reason after the name."
    Error SkipUnknownPlugin "kadmit::skip::unknown_plugin"
        "A skip names something that is not a plugin."
        "`kadmit plugins` lists the names."
    Warning SkipUnmatched "kadmit::skip::unmatched"
        "A skip matches nothing in this run."
        "Remove it."
    Error SuiteEmpty "kadmit::suite::empty"
        "A suite, or the requests of a case, have no document."
        "Add the documents, or remove the case."
    Error SuiteFlags "kadmit::suite::flags"
        "A flag in a suite is wrong."
        "Correct it at the place that is shown."
    Error SuiteFormat "kadmit::suite::format"
        "A suite is not written as docs/test.md describes."
        "Correct it at the place that is shown."
    Error SuiteNoCase "kadmit::suite::no_case"
        "There is no suite, or no case with the name of the filter."
        "Name a suite or a directory with suites; check the filter."
    Error SuiteNotAsExpected "kadmit::suite::not_as_expected"
        "A check of a suite does not hold: the server's answer is not what the case expects."
        "Correct the manifest or the cluster, or what is expected: `kadmit test --update`."
    Error SuiteScenario "kadmit::suite::scenario"
        "A flag cannot be a part of a suite."
        "Leave the flag out, or use `kadmit run` with it."
    Error SuiteUpdate "kadmit::suite::update"
        "The expectations of a case cannot be rewritten in place."
        "Change them by hand at the place that is shown."
    Error Usage "kadmit::usage"
        "The command line has an error: an unknown command or flag, or a value that a flag cannot have."
        "Correct it; `kadmit COMMAND -h` shows how a command is used."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_complete() {
        assert!(Code::ALL.is_sorted_by(|left, right| left.name() < right.name() && left < right));
        for code in Code::ALL {
            assert!(code.name().starts_with("kadmit::"), "{code}");
            assert!(code.meaning().ends_with('.') && code.remedy().ends_with('.'), "{code}");
            assert_eq!(Code::find(code.name()), Some(*code));
        }
    }
}
