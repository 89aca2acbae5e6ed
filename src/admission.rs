//! Admission: a request, the chain of plugins that it passes, and the trace of what each did.
//!
//! Source: `k8s.io/apiserver/pkg/admission`.

mod applied;
mod attributes;
mod chain;
mod need;
mod recorder;
mod refusal;
mod reinvocation;

pub use applied::{Applied, Asked, Edit, Effect, Hook, Mismatch};
pub use attributes::{Attributes, Operation, UserInfo};
pub use chain::{Chain, Handler, Link, MutationInterface, Phase, Step, Trace, ValidationInterface};
pub use need::{Action, Change, Cost, Need, Remedy};
pub use recorder::{Create, Recorder};
pub use refusal::{Evidence, Explanation, PolicyRule, PolicyViolation, Refusal};
pub use reinvocation::{Invocations, ReinvocationContext};
