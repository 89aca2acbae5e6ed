//! Documents that are evaluated several times, each time by a new server.

use std::sync::Arc;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console::Console;
use crate::cli::input::Named;
use crate::cli::overrides::Overrides;
use crate::cli::scenario::{Documents, Scenario};
use crate::cli::session::Session;
use crate::cli::settings;
use crate::evaluation::{Evaluator, Unevaluated};
use crate::report::acceptance::{Acceptor, Date};
use crate::report::{Diagnostic, Fixtures};
use gotext::source::SourceFile;
use kube_api::server_profile::ServerProfile;

/// The servers, of which the first reports what it says about the cluster.
pub(super) struct Trials {
    pub(super) scenario: Scenario,
    pub(super) profile: ServerProfile,
    pub(super) said: Session,
    colors: Colors,
    pub(super) today: Date,
    paths: Vec<String>,
    has_started: bool,
}

impl Trials {
    /// Reads the documents that `named` names in `scenario` for a subcommand; `rewrite` may replace the text of a file.
    pub(super) fn read(
        subcommand: &'static str,
        named: &Named,
        mut scenario: Scenario,
        overrides: &Overrides,
        rewrite: &(dyn Fn(Arc<SourceFile>) -> Arc<SourceFile> + Sync),
        colors: Colors,
    ) -> Result<(Self, Documents), Vec<Diagnostic>> {
        let mut named = named.clone();
        named.combine(&mut scenario).map_err(|error| vec![error])?;
        scenario.selection = scenario.selection.read_by(subcommand);
        let today = settings::today()?;
        let mut said = session(&scenario, today, colors);
        let profile = scenario.profile().map_err(|error| vec![Diagnostic::from(&error)])?;
        let documents = scenario.documents(&named.paths, overrides, &profile, rewrite, &mut said);
        let paths = named.paths;
        Ok((Self { scenario, profile, said, colors, today, paths, has_started: false }, documents))
    }

    /// Returns a new server for `documents`, whose cluster has the objects of `granted` too, and what it has as the user
    /// wrote it.
    pub(super) fn start(
        &mut self,
        documents: &Documents,
        granted: &[Arc<SourceFile>],
    ) -> Result<(Evaluator, Arc<Fixtures>), Vec<Diagnostic>> {
        let mut silent = session(&self.scenario, self.today, self.colors).silent();
        let said = if self.has_started { &mut silent } else { &mut self.said };
        self.has_started = true;
        let mut evaluator = self.scenario.set_up_repeatable(granted, said)?;
        documents.order(&self.scenario, &mut evaluator);
        Ok((evaluator, said.fixtures.clone()))
    }

    /// Reports what could not be evaluated, besides the `requests` that were.
    /// Nothing at all is an error unless `allows_nothing`.
    pub(super) fn end(&mut self, requests: usize, unevaluated: &[Unevaluated], allows_nothing: bool) {
        for unevaluated in unevaluated {
            self.said.say_unevaluated(unevaluated);
        }
        self.said.summary.requests = requests;
        if !allows_nothing {
            self.said.refuse_nothing(|| self.scenario.selection.help_for_nothing(&self.paths));
        }
        self.said.end_errors();
    }

    /// Returns the result of the command, after its output on `console`.
    pub(super) fn exit(&self, console: &Console, is_admitted: bool) -> Exit {
        let failed = if self.said.summary.errors > 0 { Exit::Input } else { console.exit() };
        failed.max(if is_admitted { Exit::Admitted } else { Exit::Denied })
    }
}

fn session(scenario: &Scenario, today: Date, colors: Colors) -> Session {
    Session::new(colors, scenario.ignore_unknown_kinds, Acceptor::new(Vec::new(), today, None))
}
