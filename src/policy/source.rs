//! The bound policies of a cluster, compiled.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_source.go`.

use std::sync::Arc;

use crate::admission::{Attributes, Hook};
use crate::cluster::{Cluster, Derived};
use crate::policy::coverage::{Counter, Coverage, PolicyCoverage};
use crate::policy::{
    ExpressionCompiler, FailurePolicy, MatchConditions, MatchResources, ParamKind, ParamRef, Params,
    Variable, is_policy,
};
use kube_api::field::Path;
use kube_api::{GroupResource, Object, Value};

/// A policy with its bindings, and its compiled evaluator.
#[derive(Debug)]
pub struct Policy<E> {
    /// The name.
    pub name: String,
    /// The policy in reports.
    pub hook: Arc<Hook>,
    /// Its failure policy.
    pub failure_policy: FailurePolicy,
    /// The requests that it matches.
    pub constraints: MatchResources,
    /// The kind of its parameters, if it has any; or why that is unknown.
    pub param_kind: Option<Result<ParamKind, String>>,
    /// The variables of its expressions.
    pub variables: Vec<Variable>,
    /// The conditions under which it is for a request.
    pub match_conditions: MatchConditions,
    /// The part that validates or mutates.
    pub evaluator: E,
    /// The bindings, ordered by name.
    pub bindings: Vec<Binding>,
    /// The counters of its requests, if they are counted.
    pub coverage: Option<Arc<PolicyCoverage>>,
}

/// A binding, which puts a policy into effect.
#[derive(Debug)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// The parameters that it uses.
    pub param_ref: Option<ParamRef>,
    /// The requests that it matches, within those of its policy.
    pub resources: Option<MatchResources>,
    /// `validationActions`
    pub validation_actions: Vec<String>,
    /// The counter of the requests that it matches, if they are counted.
    pub matched: Option<Arc<Counter>>,
}

/// The sources of policies and their bindings.
#[derive(Clone, Debug, Default)]
pub struct PolicySource {
    /// The policies.
    pub policies: Vec<Arc<Object>>,
    /// The bindings.
    pub bindings: Vec<Arc<Object>>,
}

impl PolicySource {
    /// Returns all policies and bindings in `cluster`.
    pub fn of_cluster(cluster: &Cluster, policies: &GroupResource, bindings: &GroupResource) -> Self {
        Self { policies: cluster.list_all(policies), bindings: cluster.list_all(bindings) }
    }
}

/// The bound policies of a server, compiled: those of its configuration, and those in its cluster.
#[derive(Debug)]
pub struct Policies<E> {
    cluster: Arc<Cluster>,
    /// The resources of policies, bindings and definitions.
    resources: &'static [GroupResource; 3],
    /// Policies and bindings of the configuration.
    fixed: PolicySource,
    coverage: Option<Arc<Coverage>>,
    compile: fn(&Value, &ExpressionCompiler) -> E,
    all: Derived<Vec<Policy<E>>>,
    /// Those of the configuration alone, for requests about policies.
    own: Derived<Vec<Policy<E>>>,
}

impl<E> Policies<E> {
    /// Returns the policies of `fixed` and `cluster`; `compile` creates what validates or mutates.
    pub fn new(
        cluster: Arc<Cluster>,
        resources: &'static [GroupResource; 3],
        fixed: PolicySource,
        coverage: Option<Arc<Coverage>>,
        compile: fn(&Value, &ExpressionCompiler) -> E,
    ) -> Self {
        let (all, own) = (Derived::of(resources), Derived::of(resources));
        Self { cluster, resources, fixed, coverage, compile, all, own }
    }

    /// Returns the policies that a request may have: those of the configuration come first, and only its own bindings
    /// bind them.
    pub fn of(&self, attributes: &Attributes) -> Arc<Vec<Policy<E>>> {
        if is_policy(&attributes.resource) {
            return self.own.get(&self.cluster, || self.compiled(&self.fixed));
        }
        self.all.get(&self.cluster, || {
            let [policies, bindings, _] = self.resources;
            let mut all = self.compiled(&self.fixed);
            all.extend(self.compiled(&PolicySource::of_cluster(&self.cluster, policies, bindings)));
            all
        })
    }

    fn compiled(&self, source: &PolicySource) -> Vec<Policy<E>> {
        hooks(source, &self.cluster, self.coverage.as_deref(), self.compile)
    }
}

/// Compiles the policies that are bound, in the order of their names. The server's order is random.
fn hooks<E>(
    source: &PolicySource,
    cluster: &Cluster,
    coverage: Option<&Coverage>,
    compile: impl Fn(&Value, &ExpressionCompiler) -> E,
) -> Vec<Policy<E>> {
    let mut bindings: Vec<&Arc<Object>> = source.bindings.iter().collect();
    bindings.sort_by(|left, right| left.name().cmp(right.name()));
    let policies = source.policies.iter().filter_map(|policy| {
        let of_policy =
            bindings.iter().filter(|binding| binding.text(["spec", "policyName"]) == policy.name());
        let of_policy: Vec<Binding> = of_policy.map(|binding| Binding::new(binding)).collect();
        // What is never bound is not covered.
        let is_wanted = !of_policy.is_empty() || coverage.is_some();
        let compiled = is_wanted.then(|| Policy::new(policy, of_policy, (cluster, coverage), &compile));
        compiled.filter(|policy| !policy.bindings.is_empty())
    });
    let mut policies: Vec<_> = policies.collect();
    policies.sort_by(|left, right| left.name.cmp(&right.name));
    policies
}

impl<E> Policy<E> {
    fn new(
        policy: &Object,
        bindings: Vec<Binding>,
        (cluster, coverage): (&Cluster, Option<&Coverage>),
        compile: impl Fn(&Value, &ExpressionCompiler) -> E,
    ) -> Self {
        let spec = policy.at("spec").unwrap_or(&Value::Null);
        let param_kind = spec.get("paramKind").filter(|kind| !kind.is_null());
        let hook =
            Hook { kind: policy.kind.kind.clone(), name: policy.name().to_owned(), webhook: String::new() };
        let coverage = coverage.map(|coverage| coverage.of(&hook));
        let mut compiler = ExpressionCompiler::of_policy(param_kind.is_some()).counted(coverage.clone());
        let variables = spec["variables"].as_array().into_iter().flatten().enumerate();
        let variables = variables.map(|(index, variable)| {
            let text = |field: &str| variable[field].as_str().unwrap_or_default();
            let field = Path::new("spec").child("variables").index(index).child("expression");
            compiler.variable_at(field, text("name"), text("expression"))
        });
        let variables = variables.collect();
        let failure_policy = FailurePolicy::of(spec);
        Self {
            name: policy.name().to_owned(),
            hook: Arc::new(hook),
            failure_policy,
            constraints: MatchResources::new(&spec["matchConstraints"]),
            param_kind: param_kind.map(|kind| ParamKind::resolve(kind, cluster)),
            variables,
            match_conditions: MatchConditions::new(&spec["matchConditions"], &compiler, failure_policy),
            evaluator: compile(spec, &compiler),
            bindings: bindings.into_iter().map(|binding| binding.counted(coverage.as_deref())).collect(),
            coverage,
        }
    }

    /// Returns the parameters that `binding` uses for a request.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be looked up, or if there are none and some are required.
    pub fn params(
        &self,
        binding: &Binding,
        attributes: &Attributes,
        cluster: &Cluster,
    ) -> Result<Params, String> {
        match (&self.param_kind, &binding.param_ref) {
            (Some(Ok(kind)), Some(reference)) => reference.collect(kind, &attributes.namespace, cluster),
            _ => Ok(vec![None]),
        }
    }
}

impl Binding {
    fn new(binding: &Object) -> Self {
        let spec = binding.at("spec").unwrap_or(&Value::Null);
        let part = |field: &str| spec.get(field).filter(|value| !value.is_null());
        let actions = spec["validationActions"].as_array().into_iter().flatten();
        Self {
            name: binding.name().to_owned(),
            param_ref: part("paramRef").map(ParamRef::new),
            resources: part("matchResources").map(MatchResources::new),
            validation_actions: actions.filter_map(Value::as_str).map(str::to_owned).collect(),
            matched: None,
        }
    }

    fn counted(self, coverage: Option<&PolicyCoverage>) -> Self {
        let matched = coverage.map(|coverage| coverage.binding(&self.name));
        Self { matched, ..self }
    }
}
