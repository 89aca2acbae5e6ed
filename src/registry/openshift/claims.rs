//! Expressions over the claims of tokens of other providers.
//!
//! Source: `customresourcevalidation/authentication/validate_authentication.go`.

use crate::api::field::Path;
use crate::cel::{Checked, Env, Expr, Literal, Type};
use crate::registry::validation::node::{Errors, Node};

/// Validates the expressions of a provider, including that they check whether an address is verified.
pub(super) fn validate_provider(errors: &mut Errors, provider: &Node) {
    let mappings = provider.child("claimMappings");
    let username = mappings.child("username");
    let mut uses_email = false;
    let mut uses_verified = false;
    let claims = Env::new().with_variable("claims", Type::map(Type::String, Type::Any));
    if let Some(text) = username.given("expression").filter(|text| !text.is_empty())
        && let Some(checked) = check(errors, &claims, &username.at("expression"), text, false)
    {
        uses_email = selects(&checked, "email");
        uses_verified = selects(&checked, "email_verified");
    }
    for field in ["groups", "uid"] {
        let mapping = mappings.child(field);
        if let Some(text) = mapping.given("expression").filter(|text| !text.is_empty()) {
            check(errors, &claims, &mapping.at("expression"), text, false);
        }
    }
    let verifies =
        |checked: Option<Checked>| checked.is_some_and(|checked| selects(&checked, "email_verified"));
    for extra in mappings.items("extra") {
        let text = extra.text("valueExpression");
        uses_verified |= verifies(check(errors, &claims, &extra.at("valueExpression"), text, false));
    }
    for rule in provider.items("claimValidationRules") {
        if rule.text("type") == "CEL" {
            let cel = rule.child("cel");
            let text = cel.text("expression");
            uses_verified |= verifies(check(errors, &claims, &cel.at("expression"), text, true));
        }
    }
    let user = Env::new().with_user();
    for rule in provider.items("userValidationRules") {
        check(errors, &user, &rule.at("expression"), rule.text("expression"), true);
    }
    if uses_email && !uses_verified {
        let text = username.text("expression");
        errors.invalid(
            &username.at("expression"),
            text,
            "claims.email_verified must be used in claimMappings.username.expression or \
             claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in \
             claimMappings.username.expression",
        );
    }
}

/// Compiles `text`; what is not known to be a bool is none.
fn check(errors: &mut Errors, env: &Env, path: &Path, text: &str, is_bool: bool) -> Option<Checked> {
    match env.compile(text) {
        Err(issues) => {
            errors.invalid(path, text, format!("compilation failed: {issues}"));
            None
        }
        Ok(checked) if is_bool && *checked.output_type() != Type::Bool => {
            errors.invalid(path, text, "must evaluate to bool");
            None
        }
        Ok(checked) => Some(checked),
    }
}

/// Whether the expression reads `claims.claim` or `claims.?claim`; `claims['claim']` is not looked for.
///
/// Source: `hasSelectExp`.
fn selects(checked: &Checked, claim: &str) -> bool {
    let ast = checked.ast();
    let is_claims = |id| matches!(ast.expr(id), Expr::Ident(name) if &**name == "claims");
    let is_claim = |id| matches!(ast.expr(id), Expr::Literal(Literal::String(text)) if &**text == claim);
    let mut waiting = vec![ast.root()];
    while let Some(id) = waiting.pop() {
        let is_it = match ast.expr(id) {
            Expr::Select { operand, field, .. } => is_claims(*operand) && &**field == claim,
            Expr::Call { function, target: None, arguments } if &**function == "_?._" => {
                matches!(arguments.as_slice(), [of, field] if is_claims(*of) && is_claim(*field))
            }
            _ => false,
        };
        if is_it {
            return true;
        }
        waiting.extend(ast.children(id));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn texts(provider: &crate::api::Value) -> Vec<String> {
        let mut errors = Errors::default();
        validate_provider(&mut errors, &Node::new(Path::new("p"), provider));
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn wants_a_bool_of_rules() {
        let rule =
            |text: &str| json!({"claimValidationRules": [{"type": "CEL", "cel": {"expression": text}}]});
        assert_eq!(
            texts(&rule("claims.admin")),
            [
                "p.claimValidationRules[0].cel.expression: Invalid value: \"claims.admin\": must evaluate to bool"
            ]
        );
        assert!(texts(&rule("claims.admin == true")).is_empty());
    }

    #[test]
    fn knows_the_fields_of_users() {
        let rule = |text: &str| json!({"userValidationRules": [{"expression": text}]});
        assert!(texts(&rule("user.username != 'root'")).is_empty());
        assert!(texts(&rule("user.name != 'root'"))[0].contains("undefined field 'name'"));
        assert!(texts(&rule("user.username"))[0].ends_with("must evaluate to bool"));
    }

    #[test]
    fn wants_verified_addresses() {
        let provider = |username: &str, extra: &str| {
            json!({"claimMappings": {
                "username": {"expression": username},
                "extra": [{"key": "a.example/b", "valueExpression": extra}],
            }})
        };
        assert_eq!(texts(&provider("claims.email", "claims.sub")).len(), 1);
        assert!(texts(&provider("claims.email", "claims.email_verified")).is_empty());
        assert!(
            texts(&provider("claims.?email.orValue('')", "claims.?email_verified.orValue('')")).is_empty()
        );
        assert!(texts(&provider("claims['email']", "claims.sub")).is_empty());
        assert!(texts(&provider("'claims.email'", "claims.sub")).is_empty());
    }
}
