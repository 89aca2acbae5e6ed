//! The server of a scenario, with the objects that exist.

use std::sync::Arc;

use crate::api_server::{Choices, Setup, Undefined};
use crate::cli::input::Input;
use crate::cli::scenario::Scenario;
use crate::cli::session::Session;
use crate::cluster::{Cluster, is_policy};
use crate::code::Code;
use crate::configuration::{ConfigurationError, Flags};
use crate::evaluation::{Evaluator, Shard};
use crate::policy::{ParamKind, all_bindings, trials, type_warnings};
use crate::report::{Diagnostic, Fixtures};
use gotext::source::SourceFile;
use kube_api::field::Path;
use kube_api::resources::VALIDATING_ADMISSION_POLICIES;
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupResource, Object};
use kube_registry::Context;
use kube_yaml::Item;

impl Scenario {
    /// Builds the server that the flags describe, with the objects of `--cluster`; returns its release, too.
    pub(in crate::cli) fn set_up(
        &self,
        session: &mut Session,
    ) -> Result<(Evaluator, Version), ConfigurationError> {
        let flags = Flags { coverage: session.coverage.clone(), ..self.server.read()? };
        let release = flags.release();
        Ok((self.set_up_server(&flags, &flags, session)?, release))
    }

    /// Builds the server that `flags` describe, with the objects of `--cluster`, which come from the server that
    /// `dumped` describes.
    pub(in crate::cli) fn set_up_server(
        &self,
        flags: &Flags,
        dumped: &Flags,
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let setup = Setup::new(flags.clone())?;
        self.set_up_objects(setup, dumped, |paths| self.selection.expand(paths), &[], session)
    }

    /// Returns the feature gates of the server.
    pub(in crate::cli) fn profile(&self) -> Result<ServerProfile, ConfigurationError> {
        self.server.read()?.profile()
    }

    /// Builds a server that can resume from a checkpoint, with the objects of `--cluster` and those of `granted`, which
    /// replace them.
    pub(in crate::cli) fn set_up_repeatable(
        &self,
        granted: &[Arc<SourceFile>],
        session: &mut Session,
    ) -> Result<Evaluator, Vec<Diagnostic>> {
        let expand = |paths: &[String]| self.selection.expand(paths);
        let started = self.server.read().and_then(|flags| self.set_up_trees(flags, expand, granted, session));
        let evaluator = started.map_err(|error| vec![Diagnostic::from(&error)])?;
        if evaluator.can_resume() {
            return Ok(evaluator);
        }
        let message = "requests are evaluated alone or by their rate, so that they cannot be repeated";
        let help = "leave out --each-alone, and the plugin EventRateLimit";
        Err(vec![Diagnostic::input(Code::Settings, message).help(help)])
    }

    /// Sets up the server for the documents of an editor: `expand` finds its files.
    pub(in crate::cli) fn set_up_for_editor(
        &self,
        expand: impl Fn(&[String]) -> Vec<Result<Input, Diagnostic>>,
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        self.set_up_trees(self.server.without_calls().read()?, expand, &[], session)
    }

    /// Sets up a server that is asked again and again: it prefers speed to little memory.
    fn set_up_trees(
        &self,
        flags: Flags,
        expand: impl Fn(&[String]) -> Vec<Result<Input, Diagnostic>>,
        granted: &[Arc<SourceFile>],
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let dumped = flags.clone();
        let setup = Setup::new(flags)?.with_cluster(Cluster::keeping_trees);
        self.set_up_objects(setup, &dumped, expand, granted, session)
    }

    fn set_up_objects(
        &self,
        setup: Setup,
        dumped: &Flags,
        expand: impl Fn(&[String]) -> Vec<Result<Input, Diagnostic>>,
        granted: &[Arc<SourceFile>],
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let mut exists = Vec::new();
        for path in &self.cluster {
            let found = self.fixtures(expand(std::slice::from_ref(path)), session);
            if found.is_empty() {
                self.refuse_empty_cluster(path, session);
            }
            exists.extend(found);
        }
        let recreation = self.recreation();
        let recreated = self.recreated_objects(expand(&self.recreated));
        exists.extend(recreated.into_iter().filter(|item| recreation.exists(&item.node)));
        let granted = granted.iter().map(|source| Ok(Input::Text(source.clone())));
        exists.extend(self.fixtures(granted.collect(), session));
        let setup = Setup { fixtures: session.fixtures.clone(), ..setup };
        let there = Setup { profile: Arc::new(dumped.profile()?), flags: dumped.clone(), ..setup.clone() };
        let exists = self.put(&there, exists, Undefined::Note, session);
        check_policies(&exists, &there.profile, session);
        let tried = self.fixtures(expand(&self.policy), session);
        let tried = self.put(&setup, tried, Undefined::Error, session);
        check_policies(&tried, &setup.profile, session);
        try_policies(&tried, &setup, session);
        check_param_kinds(exists.iter().chain(&tried), &setup.cluster, session);
        self.start(&setup, session)
    }

    /// Returns all documents of `inputs`.
    fn fixtures(&self, inputs: Vec<Result<Input, Diagnostic>>, session: &mut Session) -> Vec<Item> {
        let found = self.non_manifests().items_of_inputs(inputs);
        found.filter_map(|items| session.keep(items)).flatten().collect()
    }

    /// Returns the objects of `inputs` that may be those of a dump. Their errors are reported when they are evaluated.
    fn recreated_objects(&self, inputs: Vec<Result<Input, Diagnostic>>) -> Vec<Item> {
        let may_be = |input: &Input| {
            self.recreate
                || input.read().is_ok_and(|source| {
                    ["uid", "resourceVersion"].iter().all(|field| source.text().contains(field))
                })
        };
        let inputs = inputs.into_iter().flatten().filter(may_be).map(Ok).collect();
        self.non_manifests().items_of_inputs(inputs).flatten().flatten().collect()
    }

    /// Reports that there is no object at `path` of `--cluster`: a failed command may have left an empty file, which
    /// would let everything pass. An empty cluster is `/dev/null`.
    fn refuse_empty_cluster(&self, path: &str, session: &mut Session) {
        if path == "/dev/null" || session.summary.errors > 0 {
            return;
        }
        let message = format!("there is no object in {path}, which --cluster names");
        let help = self.selection.help_for_nothing(&[path.to_owned()]);
        let help = help.unwrap_or_else(|| {
            "write it again, such as with the commands of `kadmit fixtures`; `--cluster /dev/null` is a cluster \
             without objects"
                .to_owned()
        });
        session.say(&Diagnostic::input(Code::ClusterEmpty, message).help(help));
    }

    /// Starts the server over the objects of `setup`.
    pub(super) fn start(
        &self,
        setup: &Setup,
        session: &mut Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let evaluator = setup.start(self.choices(), |diagnostic| session.say(&diagnostic))?;
        session.has_assumed = !evaluator.assumptions().is_empty();
        Ok(evaluator)
    }

    /// Starts the same server as `started` over a copy of what exists, to answer for one `shard` of `paths`.
    pub(super) fn start_again(
        &self,
        shard: Shard,
        paths: &[String],
        started: &Evaluator,
        session: &Session,
    ) -> Result<Evaluator, ConfigurationError> {
        let (flags, profile) = (self.server.read()?, Arc::new(started.profile().clone()));
        let cluster = Arc::new(started.cluster().copy());
        let setup = Setup { flags, profile, cluster, fixtures: session.fixtures.clone() };
        let choices = Choices { shard: Some(shard), ..self.choices() };
        let mut evaluator = setup.start(choices, drop)?;
        if let Some(files) = self.file_order(paths) {
            evaluator.note_order(files);
        }
        Ok(evaluator)
    }

    /// Adds the objects of `items` to the cluster, and returns them.
    pub(super) fn put(
        &self,
        setup: &Setup,
        items: Vec<Item>,
        undefined: Undefined,
        session: &mut Session,
    ) -> Vec<(GroupResource, Arc<Object>)> {
        setup.put(items, undefined, self.client.namespace(), |diagnostic| session.say(&diagnostic))
    }
}

/// Reports the faults for which the server would reject the policies and bindings among `objects`.
pub(super) fn check_policies(
    objects: &[(GroupResource, Arc<Object>)],
    profile: &ServerProfile,
    session: &mut Session,
) {
    for (resource, object) in objects.iter().filter(|(_, object)| is_policy(&object.kind)) {
        let Some(strategy) = kube_registry::of(&object.kind) else { continue };
        for error in strategy.validate_create(object, &Context::new(profile)) {
            let message = format!("{} \"{}\" is invalid: {error}", object.kind.kind, object.name());
            let diagnostic = Diagnostic::input(Code::Policy, message);
            session.say(&at(&session.fixtures, (resource, object), diagnostic, error.path.as_ref()));
        }
    }
}

/// Reports the policies among `objects` whose parameters are of a kind that the server does not serve.
pub(super) fn check_param_kinds<'a>(
    objects: impl Iterator<Item = &'a (GroupResource, Arc<Object>)>,
    cluster: &Cluster,
    session: &mut Session,
) {
    let is_own = |object: &Object| is_policy(&object.kind) && !object.kind.kind.ends_with("Binding");
    for (resource, object) in objects.filter(|(_, object)| is_own(object)) {
        let Some(kind) = object.at(["spec", "paramKind"]) else { continue };
        let Err(error) = ParamKind::resolve(kind, cluster) else { continue };
        let message = format!("{} \"{}\" cannot be applied: {error}", object.kind.kind, object.name());
        let help = format!(
            "add the CustomResourceDefinition of {} with --policy or --cluster, next to the policy",
            kind.text("kind")
        );
        let diagnostic = Diagnostic::input(Code::Policy, message).help(help);
        let path = Path::new("spec").child("paramKind");
        session.say(&at(&session.fixtures, (resource, object), diagnostic, Some(&path)));
    }
}

/// Binds the unbound policies among `objects`, and warns about their types. Returns the bindings.
pub(super) fn try_policies(
    objects: &[(GroupResource, Arc<Object>)],
    Setup { cluster, profile, .. }: &Setup,
    session: &mut Session,
) -> Vec<(GroupResource, Arc<Object>)> {
    let (bound, mut bindings) = (all_bindings(cluster), Vec::new());
    for (resource, object) in objects {
        let is_valid = || {
            kube_registry::of(&object.kind)
                .is_some_and(|strategy| strategy.validate_create(object, &Context::new(profile)).is_empty())
        };
        if *resource == VALIDATING_ADMISSION_POLICIES && is_valid() {
            warn_of_types((resource, object), cluster, profile, session);
        }
        for trial in trials(resource, object, objects, &bound, cluster) {
            if let Some((resource, binding)) = trial.binding {
                cluster.put(&resource, binding.clone());
                bindings.push((resource, binding));
            }
            session.say(&Diagnostic::note(Code::PolicyTrial, trial.note));
        }
    }
    bindings
}

/// Reports the expressions that do not fit the types of the kinds that a policy is for: in one line, or all of them in
/// verbose output.
fn warn_of_types(
    (resource, policy): (&GroupResource, &Arc<Object>),
    cluster: &Cluster,
    profile: &ServerProfile,
    session: &mut Session,
) {
    let warnings = type_warnings(policy, cluster, profile.release());
    let Some((first, warning)) = warnings.first() else { return };
    let subject = format!("{} \"{}\"", policy.kind.kind, policy.name());
    let diagnostics: Vec<(Path, String)> = if session.is_verbose {
        let said = |(path, warning): &(Path, String)| (path.clone(), format!("{subject}: {path}: {warning}"));
        warnings.iter().map(said).collect()
    } else {
        let brief = warning.lines().next().unwrap_or_default();
        let more = match warnings.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more expressions)"),
        };
        vec![(first.clone(), format!("{subject}: {first}: {brief}{more}"))]
    };
    let is_quantity = warnings.iter().any(|(_, warning)| is_about_quantities(warning));
    let help = is_quantity.then(|| {
        "the checker of the server does not know fields that are quantities, such as `limits` and `requests`: \
         the expression may be right"
            .to_owned()
    });
    let count = diagnostics.len();
    for (position, (path, message)) in diagnostics.into_iter().enumerate() {
        let help = help.clone().filter(|_| position + 1 == count);
        let diagnostic = Diagnostic { help, ..Diagnostic::warning(Code::PolicyTypes, message) };
        session.say(&at(&session.fixtures, (resource, policy), diagnostic, Some(&path)));
    }
}

/// Whether a warning is about a field that the checker of the server does not know, although it exists.
fn is_about_quantities(warning: &str) -> bool {
    ["limits", "requests", "capacity", "allocatable", "hard", "used", "overhead"]
        .iter()
        .any(|field| warning.contains(&format!("undefined field '{field}'")))
}

/// Returns a diagnostic at the place of a field of an object.
fn at(
    fixtures: &Fixtures,
    (resource, object): (&GroupResource, &Object),
    diagnostic: Diagnostic,
    path: Option<&Path>,
) -> Diagnostic {
    let Some(place) = fixtures.place(resource, object) else { return diagnostic };
    let Some(written) = place.written() else { return diagnostic };
    let span = path.map_or(place.span, |path| written.mark(&written.find(path)));
    diagnostic.at(place.source().clone(), span)
}
