//! Expressions over the claims of tokens of other providers.
//!
//! Source: `customresourcevalidation/authentication/validate_authentication.go`.

use crate::validation::node::{Errors, Node};
use kube_api::field::Path;
use kube_cel::{Checked, Env, Expr, Literal, Type};

/// The size that upstream assumes of every value when it estimates costs.
const SIZE: u64 = 1 << 20;
/// The cost of all expressions of a provider from which there is a warning.
const THRESHOLD: u64 = 100_000_000;
/// The number of expressions that the warning lists.
const LISTED: usize = 3;

/// Returns the warning about a provider whose expressions cost too much to evaluate.
pub(super) fn warning(provider: &Node) -> Option<String> {
    let mut costs = validate_provider(&mut Errors::default(), provider);
    let total = costs.iter().fold(0_u64, |total, (_, cost)| total.saturating_add(*cost));
    if total <= THRESHOLD {
        return None;
    }
    costs.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    costs.truncate(LISTED);
    let listed: Vec<String> = costs.iter().map(|(path, cost)| format!("{{{path} {cost}}}")).collect();
    Some(format!(
        "runtime cost of all CEL expressions exceeds {THRESHOLD} points. top {} most costly expressions: [{}]",
        listed.len(),
        listed.join(" ")
    ))
}

/// Validates the expressions of a provider, including that they check whether an address is verified. Returns the
/// cost of each valid one.
pub(super) fn validate_provider(errors: &mut Errors, provider: &Node) -> Vec<(Path, u64)> {
    let mut costs = Vec::new();
    let mut check = |errors: &mut Errors, env: &Env, path: &Path, text: &str, is_bool: bool| {
        let checked = check(errors, env, path, text, is_bool)?;
        costs.push((path.clone(), checked.max_cost_of_size(SIZE)));
        Some(checked)
    };
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
    costs
}

/// Compiles `text`, which must be known to be a bool with `is_bool`.
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

/// Whether the expression reads `claims.claim` or `claims.?claim`; `claims['claim']` is not recognized.
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
    use gotext::value::json;

    fn texts(provider: &kube_api::Value) -> Vec<String> {
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
    fn warns_of_costly_expressions() {
        let provider = json!({
            "claimMappings": {"username": {"expression": "claims.sub"}},
            "userValidationRules": [{"expression": "user.username.matches(user.uid)"}],
        });
        let provider = Node::new(Path::new("p"), &provider);
        assert_eq!(
            warning(&provider).as_deref(),
            Some(
                "runtime cost of all CEL expressions exceeds 100000000 points. top 2 most costly expressions: \
                 [{p.userValidationRules[0].expression 27487895556} {p.claimMappings.username.expression 2}]"
            )
        );
        let cheap = json!({"claimMappings": {"username": {"expression": "claims.sub"}}});
        assert_eq!(warning(&Node::new(Path::new("p"), &cheap)), None);
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
