//! Expressions over the claims of tokens of other providers.
//!
//! Source: `customresourcevalidation/authentication/validate_authentication.go`.

use crate::api::field::Path;
use crate::cel::{Checked, Env, Type};
use crate::registry::validation::node::{Errors, Node};

/// Validates the expressions of a provider, including that they check whether an address is verified.
pub(super) fn validate_provider(errors: &mut Errors, provider: &Node) {
    let mappings = provider.child("claimMappings");
    let username = mappings.child("username");
    let mut uses_email = false;
    let mut uses_verified = false;
    let claims = Env::new().with_variable("claims", Type::map(Type::String, Type::Dyn));
    let mut compile = |errors: &mut Errors, path: &Path, text: &str, is_bool: bool, verifies: bool| {
        if let Some(checked) = check(errors, &claims, path, text, is_bool) {
            uses_verified |= verifies && reads(&checked, text, "email_verified");
        }
    };
    if let Some(text) = username.given("expression").filter(|text| !text.is_empty()) {
        compile(errors, &username.at("expression"), text, false, true);
        uses_email = reads_text(text, "email");
    }
    for field in ["groups", "uid"] {
        let mapping = mappings.child(field);
        if let Some(text) = mapping.given("expression").filter(|text| !text.is_empty()) {
            compile(errors, &mapping.at("expression"), text, false, false);
        }
    }
    for extra in mappings.items("extra") {
        if let Some(text) = extra.given("valueExpression").filter(|text| !text.is_empty()) {
            compile(errors, &extra.at("valueExpression"), text, false, true);
        }
    }
    for rule in provider.items("claimValidationRules") {
        if rule.text("type") == "CEL" {
            let cel = rule.child("cel");
            compile(errors, &cel.at("expression"), cel.text("expression"), true, true);
        }
    }
    let user = Env::new().with_variable("user", Type::Dyn);
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

fn check(errors: &mut Errors, env: &Env, path: &Path, text: &str, is_bool: bool) -> Option<Checked> {
    match env.compile(text) {
        Err(issues) => {
            errors.invalid(path, text, format!("compilation failed: {issues}"));
            None
        }
        Ok(checked) if is_bool && ![Type::Bool, Type::Dyn].contains(checked.output_type()) => {
            errors.invalid(path, text, "must evaluate to bool");
            None
        }
        Ok(checked) => Some(checked),
    }
}

fn reads(checked: &Checked, text: &str, claim: &str) -> bool {
    checked.names("claims") && reads_text(text, claim)
}

/// Whether `text` reads `claims.claim`, and not a claim whose name only begins with `claim`.
fn reads_text(text: &str, claim: &str) -> bool {
    let accesses = [format!("claims.{claim}"), format!("claims.?{claim}"), format!("claims['{claim}']")];
    accesses.iter().any(|access| {
        text.match_indices(access.as_str()).any(|(start, found)| {
            let after = text[start + found.len()..].chars().next();
            after.is_none_or(|next| !(next.is_alphanumeric() || next == '_'))
        })
    })
}
