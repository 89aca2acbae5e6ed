//! The rules of an object one by one, for those who try them.

use super::compiled::environment;
use super::typed::typed;
use super::{Part, Ratcheting, Validator};
use crate::custom_resource::Version;
use crate::custom_resource::place::Update;
use kube_api::Value;
use kube_api::field::Path;
use kube_cel::{Checked, Env, ValueSchema};

/// A rule, and the value that it is about.
pub struct RuleVisit<'v> {
    /// The value; nothing for the object as a whole.
    pub path: Option<&'v Path>,
    /// The text of the rule.
    pub rule: &'v str,
    /// The rule, or why it does not compile.
    pub checked: Result<&'v Checked, &'v str>,
    /// `self`
    pub own: kube_cel::Value<'v>,
    /// `oldSelf`, if there is one.
    pub old: Option<kube_cel::Value<'v>>,
    /// Whether it is not evaluated, as it is about a change and there is no old value.
    pub is_skipped: bool,
    /// Whether a violation is only a warning, as the value stays as it was.
    pub may_stay: bool,
}

/// A schema for which rules are tried that it does not have.
pub struct TriedSchema {
    env: Env,
    typed: ValueSchema,
}

impl TriedSchema {
    /// Returns the `schema` of a custom resource.
    pub fn new(schema: &Value) -> Self {
        let (env, of) = environment(schema, true);
        Self { env: env.with_variable("oldSelf", of), typed: typed(schema, true) }
    }

    /// Compiles a rule for the resource as a whole.
    ///
    /// # Errors
    ///
    /// Returns the server's message about a rule that does not compile.
    pub fn compile(&self, rule: &str) -> Result<Checked, String> {
        self.env.compile(rule).map_err(|issues| format!("compilation failed: {issues}"))
    }

    /// Returns an object as rules see it.
    pub fn value<'a>(&'a self, object: &'a Value) -> kube_cel::Value<'a> {
        kube_cel::Value::typed(object, &self.typed)
    }
}

impl Version {
    /// Passes the rules of this version to `visit`, with the values in `object`; `old` is the object that it replaces.
    pub fn visit_rules(&self, object: &Value, old: Option<&Value>, visit: &mut dyn FnMut(&RuleVisit<'_>)) {
        let Some(rules) = self.rules() else { return };
        let current = old.map(|old| Update { schema: self.schema(), new: object, old });
        let ratcheting = Ratcheting { current, nearest_parent: None };
        let part = Part { path: None, value: object, old, ratcheting };
        // Visiting does not stop.
        let _ = rules.walk(part, &mut |validator, part| {
            validator.visit(part, visit);
            Ok(())
        });
    }
}

impl Validator {
    fn visit(&self, part: Part, visit: &mut dyn FnMut(&RuleVisit<'_>)) {
        let old = part.old.filter(|old| !old.is_null());
        for rule in &self.rules {
            let (checked, uses_old_self) = match &rule.program {
                Ok(Some(compiled)) => (Ok(&compiled.checked), compiled.uses_old_self),
                Ok(None) => continue,
                Err(error) => (Err(error.as_str()), false),
            };
            let old_self = old.map(|old| kube_cel::Value::typed(old, &self.typed));
            visit(&RuleVisit {
                path: part.path,
                rule: &rule.source,
                checked,
                own: kube_cel::Value::typed(part.value, &self.typed),
                is_skipped: uses_old_self && old_self.is_none() && !rule.is_optional,
                old: if rule.is_optional {
                    Some(kube_cel::Value::Optional(old_self.map(std::sync::Arc::new)))
                } else {
                    old_self
                },
                may_stay: !uses_old_self && part.ratcheting.is_unchanged(),
            });
        }
    }
}
