//! `kadmit test --mutate`: small changes of the policies, and which of them no case notices.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use colored::Colorize;
use rayon::prelude::*;

use crate::admission::Evidence;
use crate::cli::color::Colors;
use crate::cli::test::play;
use crate::policy::coverage::Coverage;
use crate::policy::mutants::{Mutant, mutants};
use crate::report::{Fixtures, difference, printable};
use crate::suite::{Case, Suite};
use kube_api::Object;
use kube_api::resources::{MUTATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICIES};
use kube_yaml::{Item, files};

/// Whether and how policies are changed.
#[derive(Clone, Debug, Args)]
pub(super) struct MutationFlags {
    /// Change the policies of the suites in small ways, and report the changes that no case notices
    ///
    /// Comparisons, constants, conjuncts, quantifiers, validations, conditions, rules and failure policies are changed,
    /// one at a time. Nothing is written.
    #[arg(long, conflicts_with_all = ["init", "update", "watch"])]
    mutate: bool,

    /// Stop trying changes after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "mutate")]
    mutate_seconds: u64,

    /// Try the changes in the order that this number gives
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "mutate")]
    mutate_seed: u64,
}

/// The fate of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Untried,
    Survived,
    Noticed,
}

/// The changes that were tried.
#[derive(Default)]
pub(super) struct Tried(BTreeMap<Change, Fate>);

/// What is changed where: the same in all suites that have the policy.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    /// The file of the policy; its name if it is in none.
    file: String,
    line: usize,
    field: String,
    /// The value after it: two lines of an expression may differ alike.
    after: String,
    difference: Vec<String>,
}

impl MutationFlags {
    pub(super) fn is_wanted(&self) -> bool {
        self.mutate
    }

    /// Tries the changes of the policies in the suites `files`.
    pub(super) fn mutate(&self, files: &[PathBuf], colors: Colors, width: usize) -> Tried {
        let end = Instant::now() + Duration::from_secs(self.mutate_seconds);
        let mut all = Tried::default();
        for file in files {
            let own = of_suite(file, (self.mutate_seed, end), colors, width).unwrap_or_default();
            for (change, fate) in own.0 {
                let known = all.0.entry(change).or_insert(fate);
                *known = fate.max(*known);
            }
        }
        all
    }
}

fn of_suite(file: &Path, (seed, end): (u64, Instant), colors: Colors, width: usize) -> Option<Tried> {
    let source = files::read_file(file).ok()?;
    let suite = Suite::read(&source).ok()?;
    let directory = play::directory_of(file);
    let coverage = Arc::<Coverage>::default();
    let stage = play::stage(&suite, directory, colors, Some(coverage.clone())).ok()?;
    let cases: Vec<(&Case, Vec<Item>)> = suite
        .cases
        .iter()
        .filter_map(|case| Some((case, play::items(&case.requests, directory, &suite.source).ok()?)))
        .collect();
    let notices = |changed: Option<&Arc<Object>>| {
        cases.iter().any(|(case, items)| match stage.play(&case.client, items.clone(), changed) {
            Ok(answers) => !suite.compare(case, &answers, false).is_empty(),
            Err(_) => true,
        })
    };
    // What fails without a change cannot notice one; this also compiles the policies.
    if notices(None) {
        return None;
    }
    let policies = stage.policies();
    let mut mutants = mutants(&coverage, &policies);
    shuffle(&mut mutants, seed);
    let fate = |mutant: Mutant| {
        let is_own =
            |policy: &&Arc<Object>| policy.kind.kind == mutant.hook.kind && policy.name() == mutant.hook.name;
        let policy = policies.iter().find(is_own)?;
        let changed = Arc::new(mutant.apply(policy));
        let fate = if Instant::now() >= end {
            Fate::Untried
        } else if notices(Some(&changed)) {
            Fate::Noticed
        } else {
            Fate::Survived
        };
        let difference = difference(policy, &changed, width.saturating_sub(2));
        Some((change(stage.fixtures(), &mutant, difference), fate))
    };
    Some(Tried(mutants.into_par_iter().filter_map(fate).collect()))
}

fn change(fixtures: &Fixtures, mutant: &Mutant, difference: Vec<String>) -> Change {
    let resource = if mutant.hook.kind.starts_with("Mutating") {
        MUTATING_ADMISSION_POLICIES
    } else {
        VALIDATING_ADMISSION_POLICIES
    };
    let place = Evidence::named(resource, "", &mutant.hook.name, "").at(mutant.field.clone());
    let (file, line) = fixtures.locate(&place).unwrap_or_else(|| (mutant.hook.name.clone(), 0));
    let field = mutant.field.to_string();
    let field = field.strip_prefix("spec.").map(str::to_owned).unwrap_or(field);
    Change { file, line, field, after: mutant.after(), difference }
}

/// Puts `mutants` in an order that depends on `seed` alone.
fn shuffle(mutants: &mut [Mutant], seed: u64) {
    let mut state = seed;
    for last in (1..mutants.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap_or_default() % (last + 1);
        mutants.swap(last, other);
    }
}

impl Tried {
    pub(super) fn has_survivors(&self) -> bool {
        self.0.values().any(|fate| *fate == Fate::Survived)
    }

    /// Returns the changes that no case noticed, each as a difference, and a summary.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let survivors = self.0.iter().filter(|(_, fate)| **fate == Fate::Survived);
        for (Change { file, line, field, difference, .. }, _) in survivors {
            let place = if *line == 0 { file.clone() } else { format!("{file}:{line}") };
            _ = writeln!(text, "{} {} {field}", "✗".red(), printable(&place));
            for line in difference {
                let colored = if line.starts_with('-') { line.red() } else { line.green() };
                _ = writeln!(text, "  {colored}");
            }
        }
        let count = |wanted: Fate| self.0.values().filter(|fate| **fate == wanted).count();
        let (survived, noticed) = (count(Fate::Survived), count(Fate::Noticed));
        _ = write!(
            text,
            "{} changes of policies: {noticed} noticed, {survived} not noticed",
            survived + noticed
        );
        if count(Fate::Untried) > 0 {
            _ = write!(text, ", {} not tried in time", count(Fate::Untried));
        }
        text.push('\n');
        text
    }
}
