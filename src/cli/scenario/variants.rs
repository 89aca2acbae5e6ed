//! Scenarios that differ from another in what a subcommand needs.

use crate::cli::client_flags::Validation;
use crate::cli::recreate::Recreation;
use crate::cli::scenario::Scenario;
use crate::cli::scenario::flag_values::Workloads;

impl Scenario {
    /// Returns the same scenario, with warnings about unknown fields unless another mode is given.
    pub(in crate::cli) fn warning_of_fields(&self) -> Self {
        let mut scenario = self.clone();
        scenario.client.field_validation.get_or_insert(Validation::Warn);
        scenario
    }

    /// Returns this scenario for a comparison with the objects of `live`, which controllers made what they are.
    pub(in crate::cli) fn over_live(&self, live: &[String]) -> Self {
        let mut scenario = Self { workloads: Some(Workloads::Ignore), ..self.with_cluster(live) };
        scenario.client.apply_what_exists();
        scenario
    }

    /// Returns this scenario for an evaluation in which the objects of a dump are created anew.
    pub(in crate::cli) fn recreating_dumps(&self) -> Self {
        Self { recreates_dump: true, ..self.clone() }
    }

    /// Returns this scenario for a comparison, which is not about what `kubectl apply` refuses by itself.
    pub(in crate::cli) fn comparing(&self) -> Self {
        Self { generates_names: self.client.apply.is_none(), ..self.clone() }
    }

    /// Returns this scenario with roles that decide, unless the user may do everything and Pods need no right to be
    /// admitted, or the flags say who decides.
    pub(in crate::cli) fn requiring(&self) -> Self {
        let mut scenario = self.clone();
        if !self.client.user.is_administrator() || self.server.grants_use() {
            scenario.server.authorize_by_roles();
        }
        scenario
    }

    /// Returns this scenario for an evaluation of `paths`: objects that are created anew exist until then, so that
    /// quotas do not count them twice.
    pub(in crate::cli) fn over(&self, paths: &[String]) -> Self {
        let recreated = if self.recreation() == Recreation::Nothing { Vec::new() } else { paths.to_vec() };
        Self { recreated, ..self.clone() }
    }

    /// Returns this scenario with an evaluation of the objects that only exist, in `--cluster` and `more`.
    pub(in crate::cli) fn with_existing_objects(&self, more: &[String]) -> Self {
        let is_file = |path: &&String| *path != "-";
        let existing = self.cluster.iter().chain(more).filter(is_file).cloned().collect();
        Self { existing, ..self.clone() }
    }

    /// Returns this scenario with more objects in the cluster, which replace those with the same name.
    pub(in crate::cli) fn with_cluster(&self, more: &[String]) -> Self {
        let cluster = self.cluster.iter().chain(more).cloned().collect();
        Self { cluster, ..self.clone() }
    }
}
