//! The `AuthenticationConfiguration`.

use std::path::Path as FilePath;

use super::{Structured, compile, kind};
use crate::versioned::Scheme;
use gotext::names;
use kube_api::Value;
use kube_api::field::{Error, Path};
use kube_cel::{Checked, Env, Expr, Literal, Type};

const INTERNAL: &str = "apiserver.AuthenticationConfiguration";
const KIND: &str = "AuthenticationConfiguration";

const SCHEME: Scheme = Scheme {
    name: "pkg/kubeapiserver/options/authentication.go:62",
    strict: true,
    kinds: &[
        kind("apiserver.config.k8s.io/v1", KIND, "apiserver/v1.AuthenticationConfiguration", INTERNAL),
        kind("apiserver.config.k8s.io/v1beta1", KIND, "apiserver/v1.AuthenticationConfiguration", INTERNAL),
        kind(
            "apiserver.config.k8s.io/v1alpha1",
            KIND,
            "apiserver/v1alpha1.AuthenticationConfiguration",
            INTERNAL,
        ),
    ],
};

/// The limit on the issuers of a configuration.
const MAX_ISSUERS: usize = 64;

/// Reads and checks the file of `--authentication-config`.
pub fn authentication(path: &FilePath) -> Structured {
    let mut read = Structured::read(path, &SCHEME, "");
    if read.errors.is_empty() {
        let errors = validate(&read.value);
        read.refuse(errors);
    }
    read
}

/// Source: `ValidateAuthenticationConfiguration`.
fn validate(configuration: &Value) -> Vec<Error> {
    let list = Path::new("jwt");
    let issuers = configuration.list("jwt");
    if issuers.len() > MAX_ISSUERS {
        return vec![Error::too_many(&list, issuers.len(), MAX_ISSUERS)];
    }
    let mut errors = Vec::new();
    let (mut urls, mut discovery_urls): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (index, authenticator) in issuers.iter().enumerate() {
        let at = list.index(index);
        let issuer = &authenticator["issuer"];
        validate_issuer(&at.child("issuer"), issuer, &mut errors);
        validate_expressions(&at, authenticator, &mut errors);
        for (seen, name) in [(&mut urls, "url"), (&mut discovery_urls, "discoveryURL")] {
            let url = issuer.text(name);
            if seen.contains(&url) && (name == "url" || !url.is_empty()) {
                errors.push(Error::duplicate(&at.child("issuer").child(name), &url.into()));
            }
            seen.push(url);
        }
    }
    let anonymous = &configuration["anonymous"];
    let conditions = anonymous.list("conditions");
    if !anonymous.is_null() && anonymous["enabled"] != true && !conditions.is_empty() {
        let detail = "enabled should be set to true when conditions are defined";
        let path = Path::new("anonymous").child("conditions");
        errors.push(Error::invalid(&path, &conditions.to_vec().into(), detail));
    }
    errors
}

/// Source: `validateIssuer`.
fn validate_issuer(at: &Path, issuer: &Value, errors: &mut Vec<Error>) {
    let (url, discovery) = (issuer.text("url"), issuer.text("discoveryURL"));
    if url.is_empty() {
        errors.push(Error::required(&at.child("url"), ""));
    } else {
        validate_url(&at.child("url"), url, errors);
    }
    if !discovery.is_empty() {
        let path = at.child("discoveryURL");
        if !url.is_empty() && url.trim_end_matches('/') == discovery.trim_end_matches('/') {
            errors.push(Error::invalid_text(&path, discovery, "discoveryURL must be different from URL"));
        }
        validate_url(&path, discovery, errors);
    }
    let audiences: Vec<&str> = issuer.list("audiences").iter().filter_map(Value::as_str).collect();
    let list = at.child("audiences");
    if audiences.is_empty() {
        errors.push(Error::required(&list, format!("at least one {list} is required")));
        return;
    }
    for (index, audience) in audiences.iter().enumerate() {
        if audience.is_empty() {
            errors.push(Error::required(&list.index(index), ""));
        }
        if audiences[..index].contains(audience) {
            errors.push(Error::duplicate(&list.index(index), &(*audience).into()));
        }
    }
    let policy = issuer.text("audienceMatchPolicy");
    let path = at.child("audienceMatchPolicy");
    if audiences.len() > 1 && policy != "MatchAny" {
        let detail = "audienceMatchPolicy must be MatchAny for multiple audiences";
        errors.push(Error::invalid_text(&path, policy, detail));
    } else if audiences.len() == 1 && !["", "MatchAny"].contains(&policy) {
        let detail = "audienceMatchPolicy must be empty or MatchAny for single audience";
        errors.push(Error::invalid_text(&path, policy, detail));
    }
}

/// Source: `validateURL`.
fn validate_url(path: &Path, url: &str, errors: &mut Vec<Error>) {
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let authority = rest.split('/').next().unwrap_or_default();
    for (is_wrong, detail) in [
        (!scheme.eq_ignore_ascii_case("https"), "URL scheme must be https"),
        (authority.contains('@'), "URL must not contain a username or password"),
        (!query.is_empty(), "URL must not contain a query"),
        (!fragment.is_empty(), "URL must not contain a fragment"),
    ] {
        if is_wrong {
            errors.push(Error::invalid_text(path, url, detail));
        }
    }
}

/// Source: `validateClaimValidationRules`, `validateClaimMappings`, `validateUserValidationRules`.
fn validate_expressions(at: &Path, authenticator: &Value, errors: &mut Vec<Error>) {
    let claims = Env::claims();
    let mut uses_verified = validate_claim_rules(at, authenticator, &claims, errors);
    let (path, mappings) = (at.child("claimMappings"), &authenticator["claimMappings"]);
    let username = validate_mapping(&path.child("username"), &mappings["username"], true, &claims, errors);
    let uses_email = username.as_ref().is_some_and(|checked| selects(checked, "email"));
    uses_verified |= username.is_some_and(|checked| selects(&checked, "email_verified"));
    validate_mapping(&path.child("groups"), &mappings["groups"], false, &claims, errors);
    let (uid, at_uid) = (&mappings["uid"], path.child("uid"));
    match (uid.text("claim"), uid.text("expression")) {
        (_, "") => {}
        ("", text) => errors.extend(compile(&claims, text, &at_uid.child("expression"), ANY).err()),
        _ => errors.push(Error::invalid_text(&at_uid, "", BOTH)),
    }
    uses_verified |= validate_extra(&path.child("extra"), mappings, &claims, errors);
    if uses_email && !uses_verified {
        let detail = "claims.email_verified must be used in claimMappings.username.expression or \
                      claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is \
                      used in claimMappings.username.expression";
        let expression = mappings["username"].text("expression");
        errors.push(Error::invalid_text(&path.child("username").child("expression"), expression, detail));
    }
    let (env, list) = (Env::new().with_user(), at.child("userValidationRules"));
    let mut seen = Vec::new();
    for (index, rule) in authenticator.list("userValidationRules").iter().enumerate() {
        let (path, text) = (list.index(index).child("expression"), rule.text("expression"));
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
        } else if seen.contains(&text) {
            errors.push(Error::duplicate(&path, &text.into()));
        } else {
            seen.push(text);
            errors.extend(compile(&env, text, &path, CONDITION).err());
        }
    }
}

const BOTH: &str = "claim and expression can't both be set";
const ANY: (&[Type], bool) = (&[], false);
const CONDITION: (&[Type], bool) = (&[Type::Bool], false);

/// Returns whether a rule reads `claims.email_verified`.
fn validate_claim_rules(at: &Path, authenticator: &Value, env: &Env, errors: &mut Vec<Error>) -> bool {
    let list = at.child("claimValidationRules");
    let (mut claims, mut expressions): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut uses_verified = false;
    for (index, rule) in authenticator.list("claimValidationRules").iter().enumerate() {
        let path = list.index(index);
        let (claim, text) = (rule.text("claim"), rule.text("expression"));
        let (required, message) = (rule.text("requiredValue"), rule.text("message"));
        match (claim, text) {
            ("", "") => errors.push(Error::required(&path, "claim or expression is required")),
            (claim, "") => {
                if !message.is_empty() {
                    let detail = "may not be specified when claim is set";
                    errors.push(Error::invalid_text(&path.child("message"), message, detail));
                }
                if claims.contains(&claim) {
                    errors.push(Error::duplicate(&path.child("claim"), &claim.into()));
                }
                claims.push(claim);
            }
            ("", text) => {
                if !required.is_empty() {
                    let detail = "may not be specified when expression is set";
                    errors.push(Error::invalid_text(&path.child("requiredValue"), required, detail));
                }
                if expressions.contains(&text) {
                    errors.push(Error::duplicate(&path.child("expression"), &text.into()));
                    continue;
                }
                expressions.push(text);
                match compile(env, text, &path.child("expression"), CONDITION) {
                    Ok(checked) => uses_verified |= selects(&checked, "email_verified"),
                    Err(error) => errors.push(error),
                }
            }
            (claim, _) => errors.push(Error::invalid_text(&path, claim, BOTH)),
        }
    }
    uses_verified
}

/// Source: `validatePrefixClaimOrExpression`.
fn validate_mapping(
    path: &Path,
    mapping: &Value,
    is_required: bool,
    env: &Env,
    errors: &mut Vec<Error>,
) -> Option<Checked> {
    let prefix = mapping.get("prefix").filter(|prefix| !prefix.is_null());
    match (mapping.text("claim"), mapping.text("expression")) {
        ("", "") if is_required => errors.push(Error::required(path, "claim or expression is required")),
        ("", "") => {}
        (_, "") if prefix.is_none() => {
            let detail =
                "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
            errors.push(Error::required(&path.child("prefix"), detail));
        }
        (_, "") => {}
        ("", text) => {
            if let Some(prefix) = prefix {
                let detail = "may not be specified when expression is set";
                errors.push(Error::invalid(&path.child("prefix"), prefix, detail));
            }
            match compile(env, text, &path.child("expression"), ANY) {
                Ok(checked) => return Some(checked),
                Err(error) => errors.push(error),
            }
        }
        _ => errors.push(Error::invalid_text(path, "", BOTH)),
    }
    None
}

/// Returns whether an expression reads `claims.email_verified`.
fn validate_extra(list: &Path, mappings: &Value, env: &Env, errors: &mut Vec<Error>) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut uses_verified = false;
    for (index, mapping) in mappings.list("extra").iter().enumerate() {
        let (at, key) = (list.index(index), mapping.text("key"));
        let path = at.child("key");
        errors.extend(domain_prefixed_path(&path, key));
        if key != key.to_lowercase() {
            errors.push(Error::invalid_text(&path, key, "must be lowercase"));
        }
        let domain = key.split_once('/').map_or("", |(domain, _)| domain);
        if ["kubernetes.io", "k8s.io"]
            .iter()
            .any(|own| domain == *own || domain.ends_with(&format!(".{own}")))
        {
            let detail = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
            errors.push(Error::invalid_text(&path, key, detail));
        }
        if seen.contains(&key) {
            errors.push(Error::duplicate(&path, &key.into()));
            continue;
        }
        seen.push(key);
        let (path, text) = (at.child("valueExpression"), mapping.text("valueExpression"));
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
            continue;
        }
        match compile(env, text, &path, ANY) {
            Ok(checked) => uses_verified |= selects(&checked, "email_verified"),
            Err(error) => errors.push(error),
        }
    }
    uses_verified
}

/// Source: `IsDomainPrefixedPath`.
fn domain_prefixed_path(path: &Path, key: &str) -> Vec<Error> {
    if key.is_empty() {
        return vec![Error::required(path, "")];
    }
    match key.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => {
            let faults = names::is_dns1123_subdomain(domain);
            if !faults.is_empty() {
                return faults.into_iter().map(|fault| Error::invalid_text(path, domain, fault)).collect();
            }
            let faults = names::is_http_path(rest);
            faults.into_iter().map(|fault| Error::invalid_text(path, rest, fault)).collect()
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            vec![Error::invalid_text(path, key, detail)]
        }
    }
}

/// Whether an expression reads `claims.NAME`.
///
/// Source: `hasSelectExp`.
fn selects(checked: &Checked, name: &str) -> bool {
    let ast = checked.ast();
    let is_claims = |id| matches!(ast.expr(id), Expr::Ident(variable) if &**variable == "claims");
    let mut pending = vec![ast.root()];
    while let Some(id) = pending.pop() {
        let is_found = match ast.expr(id) {
            Expr::Select { operand, field, .. } => &**field == name && is_claims(*operand),
            Expr::Call { function, arguments, .. } if &**function == "_?._" => {
                let is_name =
                    |id| matches!(ast.expr(id), Expr::Literal(Literal::String(text)) if &**text == name);
                matches!(arguments.as_slice(), [operand, field] if is_claims(*operand) && is_name(*field))
            }
            _ => false,
        };
        if is_found {
            return true;
        }
        pending.extend(ast.children(id));
    }
    false
}
