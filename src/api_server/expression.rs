//! Expressions about a request that was answered.

use std::time::Duration;

use crate::admission::{Attributes, ReinvocationContext};
use crate::api_server::OfflineCluster;
use crate::cluster::authorizer::{AuthorizationMode, Authorizer};
use crate::evaluation::{Evaluator, Outcome};
use crate::policy::{
    Bindings, ExpressionCompiler, Inputs, Matched, RequestAuthorizer, Use, admission_request,
    namespace_object,
};
use crate::report::write_explanation;
use kube_cel::PER_CALL_LIMIT;

/// The result of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value in CEL, or the error.
    pub value: Result<String, String>,
    /// Its type.
    pub type_name: String,
    /// What it costs.
    pub cost: u64,
    /// The part that decided a refusal, and the values that it read.
    pub explanation: String,
}

impl OfflineCluster {
    /// Returns the evaluator of the cluster.
    #[doc(hidden)]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Evaluates `text`, an expression in CEL, as a policy without parameters does for the request of `outcome`. `width` is
    /// that of the explanation.
    #[doc(hidden)]
    pub fn eval(&self, outcome: &Outcome, text: &str, width: usize) -> Evaluated {
        let expression = ExpressionCompiler::of_policy(false).expression(text, Use::Variable);
        let (checked, program) = match expression.compiled() {
            Ok(compiled) => compiled,
            Err(error) => {
                let (type_name, explanation) = (String::new(), String::new());
                return Evaluated { value: Err(error.to_owned()), type_name, cost: 0, explanation };
            }
        };
        let attributes = attributes(outcome);
        let described = admission_request(&attributes, &Matched::exactly(&attributes));
        let cluster = self.evaluator.cluster();
        let namespace = namespace_object(&attributes, cluster).ok().flatten();
        let authorizer = Authorizer::new(cluster.clone(), vec![AuthorizationMode::AlwaysAllow]);
        let authorizer = RequestAuthorizer::new(&authorizer, &attributes);
        let inputs = Inputs {
            object: attributes.object.as_deref().map(|object| &object.value),
            old_object: attributes.old_object.as_deref().map(|object| &object.value),
            request: &described,
            params: None,
            namespace_object: namespace.as_ref(),
            authorizer: Some(&authorizer),
            others: &[],
        };
        let bindings = Bindings::new(inputs, &[]);
        let evaluation = program.eval(&bindings, Some(PER_CALL_LIMIT));
        let (value, type_name, is_explained) = match evaluation.result {
            Ok(value) => {
                let refuses = matches!(value, kube_cel::Value::Bool(false));
                (Ok(value.written()), value.type_name().to_string(), refuses)
            }
            Err(error) => (Err(error.message), checked.output_type().to_string(), true),
        };
        let mut explanation = Vec::new();
        if is_explained {
            // Only memory is written, which does not fail.
            let _ = write_explanation(&mut explanation, &expression.explain(inputs, &[]).explanation, width);
        }
        let explanation = String::from_utf8_lossy(&explanation).into_owned();
        Evaluated { value, type_name, cost: evaluation.cost, explanation }
    }
}

fn attributes(outcome: &Outcome) -> Attributes {
    Attributes {
        operation: outcome.operation,
        kind: outcome.kind.clone(),
        resource: outcome.resource.clone(),
        sub_resource: outcome.sub_resource.clone(),
        namespace: outcome.namespace.clone(),
        name: outcome.name.clone(),
        object: outcome.object.clone().or_else(|| outcome.received.clone()),
        // An outcome does not keep it.
        old_object: None,
        options: None,
        dry_run: outcome.dry_run,
        user_info: outcome.user_info.clone(),
        reinvocation: false,
        reinvocation_context: ReinvocationContext::default(),
        ordinal: 0,
        time: Duration::ZERO,
        deadline: None,
    }
}
