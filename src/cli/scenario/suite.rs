//! Conversion between scenarios and suites.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use clap::{Parser, ValueEnum};

use crate::api_server::{Setup, Undefined, request};
use crate::cli::color::Colors;
use crate::cli::input::Selection;
use crate::cli::scenario::Scenario;
use crate::cli::scenario::flag_values::Workloads;
use crate::cli::scenario::set_up::{check_param_kinds, check_policies, try_policies};
use crate::cli::server_flags::ServerFlags;
use crate::cli::session::Session;
use crate::cluster::is_policy;
use crate::code::Code;
use crate::configuration::Flags;
use crate::evaluation::Evaluator;
use crate::policy::coverage::Coverage;
use crate::report::acceptance::Acceptor;
use crate::report::{Diagnostic, Fixtures, Severity};
use crate::suite::{Answers, Client, Suite};
use kube_api::{GroupResource, Object};
use kube_yaml::Item;

/// The flags of a suite as a command line.
#[derive(Debug, Parser)]
#[command(name = "flags", no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
struct ServerCommand {
    #[command(flatten)]
    server: ServerFlags,
}

/// The scenario without any flags.
#[derive(Debug, Parser)]
struct Bare {
    #[command(flatten)]
    scenario: Scenario,
}

/// The common start of all cases of a suite.
pub(in crate::cli) struct Stage {
    scenario: Scenario,
    client: Client,
    setup: Setup,
    objects: Vec<(GroupResource, Arc<Object>)>,
    colors: Colors,
    /// The notes about the configuration, such as that something in it is not read.
    pub(in crate::cli) remarks: Vec<Diagnostic>,
}

impl Stage {
    /// Reads the flags of `suite`, whose paths are relative to `directory`, and the objects of its cluster.
    ///
    /// # Errors
    ///
    /// Returns the errors in them.
    pub(in crate::cli) fn set(
        suite: &Suite,
        directory: &Path,
        (cluster, policies): (Vec<Item>, Vec<Item>),
        coverage: Option<Arc<Coverage>>,
        colors: Colors,
    ) -> Result<Self, Vec<Diagnostic>> {
        // An error in a flag is reported at the place of the flags.
        let at_flags = |error: Diagnostic| match error.file {
            None => error.at(suite.source.clone(), suite.flags_span),
            Some(_) => error,
        };
        let server =
            read_flags(&suite.flags).map_err(|error| vec![at_flags(error)])?.resolved_against(directory);
        let bare = Scenario::bare();
        let scenario = Scenario {
            strict: suite.strict,
            workloads: suite
                .workloads
                .map(|follows| if follows { Workloads::Follow } else { Workloads::Ignore }),
            server,
            client: bare.client.clone().with(&suite.client),
            ..bare
        };
        let mut session = silent(colors);
        let setup = scenario.server.read().and_then(|flags| Setup::new(Flags { coverage, ..flags }));
        let setup = setup.map_err(|error| vec![at_flags(Diagnostic::from(&error))])?;
        let setup = Setup { fixtures: session.fixtures.clone(), ..setup };
        let mut objects = scenario.put(&setup, cluster, Undefined::Note, &mut session);
        let tried = scenario.put(&setup, policies, Undefined::Error, &mut session);
        let bindings = try_policies(&tried, &setup, &mut session);
        objects.extend(tried);
        check_policies(&objects, &setup.profile, &mut session);
        check_param_kinds(objects.iter(), &setup.cluster, &mut session);
        objects.extend(bindings);
        let client = suite.client.clone();
        let mut stage = Self { scenario, client, setup, objects, colors, remarks: Vec::new() };
        // A server that does not start is reported once, not in every case.
        let started = stage.evaluator(None, &mut session).map(|evaluator| evaluator.hooks());
        let (errors, others): (Vec<_>, Vec<_>) =
            session.diagnostics.into_iter().partition(|said| said.severity == Severity::Error);
        stage.remarks = others;
        stage.remarks.retain(|said| said.code.name().starts_with(Code::Configuration.name()));
        for (hook, own) in started.iter().flatten() {
            let warning = |remark: &String| {
                Diagnostic::warning(Code::PolicyIdle, format!("{} \"{hook}\": {remark}", hook.kind))
            };
            stage.remarks.extend(
                own.remarks.iter().map(warning).map(|said| said.at(suite.source.clone(), suite.span())),
            );
        }
        let errors: Vec<_> = started.err().map(at_flags).into_iter().chain(errors).collect();
        if errors.is_empty() { Ok(stage) } else { Err(errors) }
    }

    /// Returns an evaluator of a new cluster, in which one object may be replaced.
    fn evaluator(
        &self,
        replaced: Option<&Arc<Object>>,
        session: &mut Session,
    ) -> Result<Evaluator, Diagnostic> {
        let mut setup = self.setup.clone().with_cluster(|cluster| cluster);
        for (resource, object) in &self.objects {
            let is_replaced =
                |other: &&&Arc<Object>| other.kind == object.kind && other.name() == object.name();
            let object = replaced.as_ref().filter(is_replaced).map_or(object, |other| *other);
            setup.cluster.put(resource, object.clone());
        }
        if replaced.is_some() {
            setup.flags.coverage = None;
        }
        self.scenario.start(&setup, session).map_err(|error| Diagnostic::from(&error))
    }

    /// Returns the places of the objects of the cluster.
    pub(in crate::cli) fn fixtures(&self) -> &Arc<Fixtures> {
        &self.setup.fixtures
    }

    /// Returns the policies of the cluster.
    pub(in crate::cli) fn policies(&self) -> Vec<Arc<Object>> {
        let policies = self.objects.iter().filter(|(_, object)| is_policy(&object.kind));
        policies.map(|(_, object)| object.clone()).collect()
    }

    /// Evaluates the requests of `client` for `items`, one after the other, in a cluster in which one object may be
    /// replaced.
    ///
    /// # Errors
    ///
    /// Returns the errors in them.
    pub(in crate::cli) fn play(
        &self,
        client: &Client,
        items: Vec<Item>,
        replaced: Option<&Arc<Object>>,
    ) -> Result<Answers, Vec<Diagnostic>> {
        let mut session = silent(self.colors);
        let mut evaluator = self.evaluator(replaced, &mut session).map_err(|error| vec![error])?;
        let operation = client.operation.or(self.client.operation);
        let profile = &self.setup.profile;
        let defaults =
            self.scenario.client.clone().with(client).defaults(operation, profile.reading_release());
        let (mut answers, mut errors) = (Answers::default(), Vec::new());
        let requests = items.into_iter().map(|item| request(item, &defaults, profile));
        evaluator.evaluate_all(requests, |result| {
            match result {
                Ok(outcome) if outcome.cause.is_some() => answers.late.push(outcome),
                Ok(outcome) => answers.requests.push(outcome),
                Err(error) => errors.push(error),
            }
            ControlFlow::Continue(())
        });
        if errors.is_empty() { Ok(answers) } else { Err(errors) }
    }
}

/// Returns a session that keeps diagnostics and does not print them.
fn silent(colors: Colors) -> Session {
    Session::new(colors, false, Acceptor::default()).silent()
}

fn read_flags(flags: &[String]) -> Result<ServerFlags, Diagnostic> {
    match ServerCommand::try_parse_from(flags) {
        Ok(command) => Ok(command.server),
        Err(error) => {
            let text = error.to_string();
            let mut paragraphs = text.split("\n\n").map(str::trim);
            let message = paragraphs.next().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            let help = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
            let diagnostic = Diagnostic::input(Code::SuiteFlags, message);
            Err(Diagnostic { help: help.map(str::to_owned), ..diagnostic })
        }
    }
}

impl Scenario {
    fn bare() -> Self {
        Bare::parse_from([""; 1]).scenario
    }

    /// Whether no flag was given but those that choose among files.
    pub(in crate::cli) fn is_bare(&self) -> bool {
        Self { selection: Selection::default(), ..self.clone() } == Self::bare()
    }

    /// Returns the fields of a suite with this scenario, each with its value or values. Paths are converted by
    /// `relative`.
    ///
    /// # Errors
    ///
    /// Fails if a suite cannot express it.
    pub(in crate::cli) fn settings(
        &self,
        relative: impl Fn(&str) -> String,
    ) -> Result<Vec<(&'static str, Setting)>, Diagnostic> {
        let bare = Self::bare();
        let unsaid = [
            (self.selection != Selection::default(), "--exclude or --no-ignore"),
            (self.order.is_some(), "--order"),
            (self.each_alone, "--each-alone"),
            (self.recreate, "--recreate"),
            (!self.policy.is_empty(), "--policy"),
            (self.rate.is_some(), "--rate"),
            (self.ignore_unknown_kinds, "--ignore-unknown-kinds"),
            (self.ignore_non_manifests, "--ignore-non-manifests"),
            (self.client.dry_run, "--dry-run"),
            (self.client.force_conflicts, "--force-conflicts"),
            (self.client.field_manager.is_some(), "--field-manager"),
        ];
        if let Some((_, flag)) = unsaid.iter().find(|(is_given, _)| *is_given) {
            let message = format!("a suite cannot express {flag}");
            return Err(Diagnostic::input(Code::SuiteScenario, message));
        }
        let cluster = self.cluster.iter().map(|path| relative(path)).collect();
        let flags = self.server.arguments().into_iter().map(|argument| match argument.split_once('=') {
            Some((flag @ ("--kube-apiserver" | "--root" | "--admission-control-config-file"), path)) => {
                format!("{flag}={}", relative(path))
            }
            _ => argument,
        });
        let client = &self.client;
        let own = |value: &String, bare: &String| (value != bare).then(|| Setting::Text(value.clone()));
        let named = |value: &str| Setting::Text(value.to_owned());
        let settings = [
            ("cluster", Setting::of_list(cluster)),
            ("flags", Setting::of_list(flags.collect())),
            ("strict", self.strict.then_some(Setting::True)),
            ("workloads", self.workloads.map(|value| named(name_of(&value).as_str()))),
            ("user", own(&client.user.as_user, &bare.client.user.as_user)),
            ("uid", client.user.as_uid.as_deref().map(named)),
            ("groups", Setting::of_list(client.user.as_group.clone())),
            ("namespace", client.namespace.as_deref().map(named)),
            ("apply", client.apply.map(|value| named(name_of(&value).as_str()))),
            ("operation", self.operation.map(|value| named(name_of(&value).as_str()))),
            (
                "fieldValidation",
                client.field_validation.map(|validation| named(name_of(&validation).as_str())),
            ),
        ];
        Ok(settings.into_iter().filter_map(|(key, setting)| Some((key, setting?))).collect())
    }
}

/// The value of a field of a suite.
pub(in crate::cli) enum Setting {
    True,
    Text(String),
    List(Vec<String>),
}

impl Setting {
    fn of_list(items: Vec<String>) -> Option<Self> {
        (!items.is_empty()).then_some(Self::List(items))
    }
}

fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
