//! The common part of the policy plugins and the webhooks: the matching of requests, and the expressions.
//!
//! A [`Matcher`] knows the cluster and the equivalent resources; [`MatchResources`] are the constraints of a policy or
//! a binding, [`Rule`] is one rule of theirs or of a webhook. Expressions are compiled once ([`Expression`]) and
//! evaluated over [`Bindings`]; [`MatchConditions`] are the expressions that policies and webhooks both have.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/policy`, `…/plugin/cel`, `…/plugin/webhook/{predicates,matchconditions}`.

mod authorization;
mod bindings;
mod census;
pub mod configuration;
mod conversion;
pub mod coverage;
mod created;
mod equivalence;
mod explanation;
mod expression;
mod failure_policy;
mod match_conditions;
mod match_resources;
pub mod mutants;
mod native;
mod params;
mod patched;
mod request;
mod rule;
mod selector;
mod source;
mod static_manifests;
mod trial;
mod type_check;

pub use authorization::RequestAuthorizer;
pub use bindings::{Bindings, Inputs};
pub use census::census;
pub use conversion::{ConversionError, VersionedAttributes, convert};
pub use created::{SYSTEM_FIELDS, with_system_fields};
pub use equivalence::Equivalents;
pub use explanation::Explained;
pub use expression::{Evaluated, Expression, ExpressionCompiler, Fault, OUT_OF_BUDGET, Use, Variable};
pub use failure_policy::FailurePolicy;
pub use match_conditions::{MatchConditions, MatchResult};
pub use match_resources::{
    MatchError, MatchResources, Matched, Matcher, Unmatched, is_access_review, is_policy,
};
pub use native::{merged_value, patch_value, type_name_errors};
pub use params::{ParamKind, ParamRef, Params};
pub use patched::read_patched;
pub use request::{admission_request, namespace_object};
pub use rule::{MatchPolicy, Rule, Scope};
pub use selector::{ObjectSelector, matches_namespace};
pub use source::{Binding, Policies, Policy, PolicySource};
pub use static_manifests::Loader;
pub use trial::{Trial, all_bindings, trials};
pub use type_check::type_warnings;

/// The limit on the cost of one policy's expressions, for each binding and each of its params.
///
/// Source: `RuntimeCELCostBudget`.
pub const COST_BUDGET: u64 = 10_000_000;

/// The limit on the cost of the match conditions of one policy or webhook.
///
/// Source: `RuntimeCELCostBudgetMatchConditions`.
pub const MATCH_CONDITIONS_COST_BUDGET: u64 = 2_500_000;
