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
use crate::cli::scenario::Stage;
use crate::cli::test::play;
use crate::policy::coverage::Coverage;
use crate::policy::mutants::{Mutant, mutants};
use crate::report::{Fixtures, printable};
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

/// The changes that were tried, each where it would be made.
#[derive(Default)]
pub(super) struct Tried(BTreeMap<Key, (Mutant, Fate)>);

/// File and line of the policy and field, and the text after the change.
type Key = (String, usize, String, String);

impl MutationFlags {
    pub(super) fn is_wanted(&self) -> bool {
        self.mutate
    }

    /// Tries the changes of the policies in the suites `files`.
    pub(super) fn mutate(&self, files: &[PathBuf], colors: Colors) -> Tried {
        let end = Instant::now() + Duration::from_secs(self.mutate_seconds);
        let mut all = Tried::default();
        for file in files {
            for (key, (mutant, fate)) in of_suite(file, (self.mutate_seed, end), colors).unwrap_or_default().0
            {
                let known = all.0.entry(key).or_insert((mutant, fate));
                known.1 = known.1.max(fate);
            }
        }
        all
    }
}

fn of_suite(file: &Path, (seed, end): (u64, Instant), colors: Colors) -> Option<Tried> {
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
    let notices = |mutant: Option<&Mutant>| cases.iter().any(|case| notices(&suite, &stage, case, mutant));
    // What fails without a change cannot notice one; this also compiles the policies.
    if notices(None) {
        return None;
    }
    let mut mutants = mutants(&coverage, &stage.policies());
    shuffle(&mut mutants, seed);
    let fate = |mutant: Mutant| {
        let fate = if Instant::now() >= end {
            Fate::Untried
        } else if notices(Some(&mutant)) {
            Fate::Noticed
        } else {
            Fate::Survived
        };
        (key(stage.fixtures(), &mutant), (mutant, fate))
    };
    Some(Tried(mutants.into_par_iter().map(fate).collect()))
}

/// Whether a case is not as expected with the change.
fn notices(
    suite: &Suite,
    stage: &Stage,
    (case, items): &(&Case, Vec<Item>),
    mutant: Option<&Mutant>,
) -> bool {
    let policies = stage.policies();
    let replaced = mutant.and_then(|mutant| {
        let is_own =
            |policy: &&Arc<Object>| policy.kind.kind == mutant.hook.kind && policy.name() == mutant.hook.name;
        Some(Arc::new(mutant.apply(policies.iter().find(is_own)?)))
    });
    match stage.play(&case.client, items.clone(), replaced.as_ref()) {
        Ok(answers) => !suite.compare(case, &answers, false).is_empty(),
        Err(_) => true,
    }
}

fn key(fixtures: &Fixtures, mutant: &Mutant) -> Key {
    let resource = if mutant.hook.kind.starts_with("Mutating") {
        MUTATING_ADMISSION_POLICIES
    } else {
        VALIDATING_ADMISSION_POLICIES
    };
    let field = Evidence::named(resource, "", &mutant.hook.name, "").at(mutant.field.clone());
    let (file, line) = fixtures.locate(&field).unwrap_or_default();
    (file, line, mutant.field.to_string(), mutant.after.clone())
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
        self.0.values().any(|(_, fate)| *fate == Fate::Survived)
    }

    /// Returns the changes that no case noticed, each as a difference, and a summary.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for ((file, line, field, _), (mutant, fate)) in &self.0 {
            if *fate != Fate::Survived {
                continue;
            }
            let place = if file.is_empty() { mutant.hook.name.clone() } else { format!("{file}:{line}") };
            let field = field.strip_prefix("spec.").unwrap_or(field);
            _ = writeln!(text, "{} {} {field}", "✗".red(), printable(&place));
            for (mark, side) in [("-", &mutant.before), ("+", &mutant.after)] {
                for line in side.trim_end().lines() {
                    let line = format!("  {mark} {}", printable(line));
                    _ = writeln!(text, "{}", if mark == "-" { line.red() } else { line.green() });
                }
            }
        }
        let count = |wanted: Fate| self.0.values().filter(|(_, fate)| *fate == wanted).count();
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
