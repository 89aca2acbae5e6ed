//! The usage of quotas over several runs.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::evaluation::QuotaUse;
use crate::report::Diagnostic;

/// The quotas of several runs, each with the run that it is of.
#[derive(Default)]
pub(super) struct Quotas(Vec<(String, QuotaUse)>);

impl Quotas {
    pub(super) fn add(&mut self, run: &str, quota: QuotaUse) {
        self.0.push((run.to_owned(), quota));
    }

    /// Returns the usage of every quota: over all runs, or of each run if runs are separate or began with another usage,
    /// which is a note.
    pub(super) fn joined(mut self, is_separate: bool) -> (Vec<QuotaUse>, Option<Diagnostic>) {
        // The order of files does not matter.
        self.0.sort_by(|(one_run, one), (other_run, other)| {
            (&one.namespace, &one.name, one_run).cmp(&(&other.namespace, &other.name, other_run))
        });
        let mut runs: BTreeMap<(String, String), Vec<(String, QuotaUse)>> = BTreeMap::new();
        for (run, quota) in self.0 {
            let own = runs.entry((quota.namespace.clone(), quota.name.clone())).or_default();
            let is_joined = !is_separate && own.iter_mut().any(|(_, other)| other.join(&quota));
            if !is_joined && !own.contains(&(run.clone(), quota.clone())) {
                own.push((run, quota));
            }
        }
        let different = runs.iter().find(|(_, own)| !is_separate && own.len() > 1);
        let note = different.map(|((namespace, name), own)| {
            let runs: Vec<&str> = own.iter().map(|(run, _)| run.as_str()).collect();
            let message = format!(
                "the quota {namespace}/{name} is not the same at the beginning of {}",
                runs.join(" and ")
            );
            Diagnostic::note(Code::ReportQuota, message).help("its usage is reported for each run")
        });
        let mut quotas = Vec::new();
        for own in runs.into_values() {
            let is_one = own.len() == 1 && !is_separate;
            quotas.extend(
                own.into_iter().map(|(run, quota)| QuotaUse { run: (!is_one).then_some(run), ..quota }),
            );
        }
        (quotas, note)
    }
}
