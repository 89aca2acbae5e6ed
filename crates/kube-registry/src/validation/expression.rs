//! The expressions of policies, webhooks and device selectors: each has to compile to the type that its use requires.
//!
//! Constant parts are evaluated, and fail here if they fail at all.
//!
//! Source: `k8s.io/apiserver/pkg/admission/plugin/cel`, `k8s.io/dynamic-resource-allocation/cel`.

use crate::validation::node::{Errors, Node};
use kube_api::features::Feature;
use kube_api::field::{Error, Path};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_cel::{AdmissionVariables, Checked, Env, ObjectType, Program, Type, device_bounds};

const MAX_DEVICE_COST: u64 = 1_000_000;

/// The use of an expression in admission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// A validation or a match condition.
    Condition,
    /// The message of a validation.
    Message,
    /// The value of an audit annotation.
    AuditAnnotation,
    /// A variable of a policy.
    Variable,
    /// A mutation that merges.
    ApplyConfiguration,
    /// A mutation by a JSON patch.
    JsonPatch,
}

impl Use {
    /// Returns the types that the result may have; empty if it may have any.
    fn results(self) -> Vec<Type> {
        match self {
            Self::Condition => vec![Type::Bool],
            Self::Message => vec![Type::String],
            Self::AuditAnnotation => vec![Type::String, Type::Null],
            Self::Variable => Vec::new(),
            Self::ApplyConfiguration => vec![Type::object("Object")],
            Self::JsonPatch => vec![Type::list(Type::object("JSONPatch"))],
        }
    }
}

/// The minor of the first release that names the type that an expression has.
const NAMES_TYPE: u32 = 32;

/// Compiles the expressions of one object, each with the variables before it.
#[derive(Debug, Clone)]
pub struct Compiler {
    params: bool,
    variables: Option<ObjectType>,
    release: Version,
}

impl Compiler {
    /// Returns a compiler without the user's variables.
    pub fn new(params: bool) -> Self {
        Self { params, variables: None, release: Version::BINARY }
    }

    /// Returns a compiler with `variables`, which is empty at first.
    pub fn with_variables(params: bool) -> Self {
        Self { variables: Some(ObjectType::default()), ..Self::new(params) }
    }

    /// Returns the same compiler on a server of `release`.
    #[must_use]
    pub fn of_release(self, release: Version) -> Self {
        Self { release, ..self }
    }

    /// Compiles a variable and declares it for those that follow, whether it compiles or not.
    pub(crate) fn declare(&mut self, errors: &mut Errors, path: &Path, name: &str, expression: &str) {
        let of = match self.compile_whole((expression, expression), path, Use::Variable) {
            Ok(checked) => checked.output_type().of_variable(),
            Err(error) => {
                errors.push(error);
                Type::Dyn
            }
        };
        self.declare_typed(name, of);
    }

    /// Declares a variable of a known type for the expressions that follow.
    pub fn declare_typed(&mut self, name: &str, of: Type) {
        if let Some(variables) = &mut self.variables {
            variables.set(name, of);
        }
    }

    /// Adds the error in `expression`, shown as `shown`.
    pub(crate) fn require(
        &self,
        errors: &mut Errors,
        path: &Path,
        (expression, shown): (&str, &str),
        of: Use,
    ) {
        if let Err(error) = self.compile_whole((expression, shown), path, of) {
            errors.push(error);
        }
    }

    /// Compiles `expression`, shown as `shown`, and evaluates its constant parts.
    fn compile_whole(
        &self,
        (expression, shown): (&str, &str),
        path: &Path,
        of: Use,
    ) -> Result<Checked, Error> {
        let checked =
            self.compile(expression, of).map_err(|detail| Error::invalid_text(path, shown, detail))?;
        match instantiation_error(&checked) {
            Some(detail) => Err(Error::internal(path, detail)),
            None => Ok(checked),
        }
    }

    /// Compiles `expression`.
    ///
    /// # Errors
    ///
    /// Returns the server's error about an expression that does not compile, or that has another type than its use
    /// requires.
    pub fn compile(&self, expression: &str, of: Use) -> Result<Checked, String> {
        let env = Env::admission(AdmissionVariables {
            params: self.params,
            authorizer: of != Use::Message,
            patch_types: matches!(of, Use::ApplyConfiguration | Use::JsonPatch),
            variables: self.variables.as_ref(),
        });
        let env = env.as_of(self.release.previous_minor());
        let checked = env.compile(expression).map_err(|issues| format!("compilation failed: {issues}"))?;
        let (found, wanted) = (checked.output_type(), of.results());
        if wanted.is_empty() || wanted.contains(found) {
            return Ok(checked);
        }
        let printed: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        let wanted = match printed.as_slice() {
            [wanted] => wanted.clone(),
            wanted => format!("one of [{}]", wanted.join(" ")),
        };
        let but = if self.release.minor >= NAMES_TYPE { format!(" but got {found}") } else { String::new() };
        Err(format!("must evaluate to {wanted}{but}"))
    }
}

/// Returns the server's error about an expression with a constant part that fails.
pub fn instantiation_error(checked: &Checked) -> Option<String> {
    Program::new(checked).err().map(|error| format!("program instantiation failed: {error}"))
}

/// Checks that the `expression` of a node is not empty, and compiles.
pub(crate) fn require_expression(
    errors: &mut Errors,
    node: &Node,
    detail: &str,
    compiler: &Compiler,
    of: Use,
) {
    let expression = node.text("expression").trim();
    if expression.is_empty() {
        errors.required(&node.at("expression"), detail);
    } else {
        compiler.require(errors, &node.at("expression"), (expression, expression), of);
    }
}

/// Returns the environment of device selectors on a server.
pub fn device_environment(profile: &ServerProfile) -> Env {
    let has_lists = profile.enabled(Feature::DRAListTypeAttributes);
    Env::device(profile.enabled(Feature::DRAConsumableCapacity), has_lists)
}

/// Compiles the expression of a device selector.
///
/// # Errors
///
/// Returns the server's message about an expression that does not compile, or has another type.
pub fn device_expression(expression: &str, profile: &ServerProfile) -> Result<Checked, String> {
    let has_lists = profile.enabled(Feature::DRAListTypeAttributes);
    let env = device_environment(profile).as_of(profile.release().previous_minor());
    let compiled = env.compile(expression);
    let checked = compiled.map_err(|issues| format!("compilation failed: {issues}"))?;
    match checked.output_type() {
        found @ (Type::Bool | Type::Any | Type::Dyn) if has_lists || *found != Type::Dyn => Ok(checked),
        found => Err(format!("must evaluate to bool or the unknown type, not {found}")),
    }
}

/// Runs `validateCELSelector` on an expression that is not too long.
pub(crate) fn validate_device_expression(errors: &mut Errors, selector: &Node, profile: &ServerProfile) {
    let (path, expression) = (selector.at("expression"), selector.text("expression"));
    let checked = match device_expression(expression, profile) {
        Ok(checked) => checked,
        Err(detail) => return errors.invalid(&path, expression, detail),
    };
    if let Some(detail) = instantiation_error(&checked) {
        return errors.push(Error::internal(&path, detail));
    }
    let bounds = device_bounds(profile.enabled(Feature::DRAListTypeAttributes));
    if checked.max_cost(&bounds, Some("device")) > MAX_DEVICE_COST {
        errors.forbidden(&path, "too complex, exceeds cost limit");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    fn says(compiler: &Compiler, expression: &str, of: Use) -> Vec<String> {
        let mut errors = Errors::default();
        compiler.require(&mut errors, &Path::new("expression"), (expression, expression), of);
        errors.0.iter().map(|error| error.detail.clone()).collect()
    }

    #[test]
    fn each_use_asks_for_its_own_result() {
        let compiler = Compiler::new(true);
        for (expression, of) in [
            (
                "has(object.spec) && params.max > 1 && authorizer.requestResource.check('x').allowed()",
                Use::Condition,
            ),
            ("request.userInfo.extra['a'][0] + namespaceObject.metadata.labels['b']", Use::Message),
            ("object == null ? null : null", Use::AuditAnnotation),
            ("Object{spec: Object.spec{replicas: 3}}", Use::ApplyConfiguration),
            ("[JSONPatch{op: 'remove', path: '/a/' + jsonpatch.escapeKey('b/c')}]", Use::JsonPatch),
        ] {
            assert_eq!(says(&compiler, expression, of), [""; 0], "{expression}");
        }
        for (expression, of, detail) in [
            ("object.a", Use::Condition, "must evaluate to bool but got dyn"),
            ("1", Use::AuditAnnotation, "must evaluate to one of [string null_type] but got int"),
            ("JSONPatch{}", Use::JsonPatch, "must evaluate to list(JSONPatch) but got JSONPatch"),
            ("{'a': [1]}", Use::ApplyConfiguration, "must evaluate to Object but got map(string, list(int))"),
        ] {
            assert_eq!(says(&compiler, expression, of), [detail]);
        }
        let message = "compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | \
                       authorizer.path('/')\n | ^";
        assert_eq!(says(&compiler, "authorizer.path('/')", Use::Message), [message]);
    }

    #[test]
    fn constants_that_fail_are_internal_errors() {
        let compiler = Compiler::new(false);
        let mut errors = Errors::default();
        for expression in ["object.a == int('x')", "int('1') == 1", "'a'.matches(object.b)"] {
            let path = Path::new("expression");
            compiler.require(&mut errors, &path, (expression, expression), Use::Condition);
        }
        let found: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "expression: Internal error: program instantiation failed: type conversion error from 'string' to \
                 'int'"
            ]
        );
    }

    #[test]
    fn variables_have_the_types_of_their_expressions() {
        let mut compiler = Compiler::with_variables(false);
        let mut errors = Errors::default();
        for (name, expression) in
            [("names", "['a']"), ("count", "variables.names.size()"), ("wrong", "nothing")]
        {
            compiler.declare(&mut errors, &Path::new("variables"), name, expression);
        }
        assert_eq!(errors.len(), 1);
        assert_eq!(says(&compiler, "variables.count == 1 && variables.wrong.a", Use::Condition), [""; 0]);
        let detail = "compilation failed: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, \
                      string)'\n | variables.count == 'a'\n | ................^";
        assert_eq!(says(&compiler, "variables.count == 'a'", Use::Condition), [detail]);
    }

    #[test]
    fn selectors_of_devices_may_not_cost_too_much() {
        let says = |expression: &str| {
            let (mut errors, selector) = (Errors::default(), json!({"expression": expression}));
            validate_device_expression(&mut errors, &Node::root(&selector), &ServerProfile::default());
            errors.0.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let bind =
            "cel.bind(a, device.attributes['a.example.com'], a.one && a.two.startsWith(device.driver))";
        assert_eq!(says(bind), [""; 0]);
        assert_eq!(says("device.capacity['a'].b.isLessThan(quantity('1Gi'))"), [""; 0]);
        assert_eq!(
            says(
                "device.attributes.all(a, device.attributes[a].all(b, device.attributes.all(c, a == b + c)))"
            ),
            [""; 0]
        );
        let nested = "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, \
                      a + b == c + d))))";
        assert_eq!(says(nested), ["expression: Forbidden: too complex, exceeds cost limit"]);
        let detail = "expression: Invalid value: \"device.driver\": must evaluate to bool or the unknown type, not string";
        assert_eq!(says("device.driver"), [detail]);
    }
}
