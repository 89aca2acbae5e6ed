//! Expressions outside of admission: selectors of devices, claims of tokens, conditions of authorization webhooks, and
//! rules of custom resources.

use std::path::Path as FilePath;
use std::sync::Arc;

use clap::ValueEnum;

use crate::cli::eval::request::Existing;
use crate::cli::eval::{Eval, Evaluated};
use crate::code::Code;
use crate::configuration::structured::{self, Structured};
use crate::policy::{Expression, Inputs};
use crate::report::Diagnostic;
use crate::versioned::ServerFiles;
use gotext::value::json;
use kube_api::field::Path;
use kube_api::resources::CUSTOM_RESOURCE_DEFINITIONS;
use kube_api::{Object, Value};
use kube_cel::Env;
use kube_registry::custom_resource::TriedSchema;
use kube_registry::validation::expression::{device_environment, device_expression};

/// Where an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExpressionPlace {
    /// Policies and match conditions of webhooks
    Admission,
    /// Selectors of devices (DRA): `device` is each device of the `ResourceSlices` in -f
    Dra,
    /// `AuthenticationConfiguration`: `claims` is what is in -f, `user` comes from --as
    Authentication,
    /// `AuthorizationConfiguration`: `request` is the spec of each `SubjectAccessReview` in -f
    Authorization,
    /// Rules of a `CustomResourceDefinition`: `self` is each object in -f, `oldSelf` that in --old
    Crd,
}

type Results = Result<Vec<Evaluated>, Vec<Diagnostic>>;

/// The variables of an expression.
type Values<'a> = [(&'a str, kube_cel::Value<'a>)];

/// An expression in a file.
struct Own {
    path: Path,
    text: String,
}

impl Eval {
    /// Evaluates `texts`, or the expressions of the file of --policy if there are none.
    pub(super) fn outside(&self, texts: &[String]) -> Results {
        let existing = self.existing()?;
        match self.place {
            ExpressionPlace::Admission => Ok(Vec::new()),
            ExpressionPlace::Dra => self.of_devices(&existing, texts),
            ExpressionPlace::Authentication => self.of_claims(texts),
            ExpressionPlace::Authorization => self.of_reviews(&existing, texts),
            ExpressionPlace::Crd => self.of_rules(&existing, texts),
        }
    }

    /// Returns the file that a place cannot do without.
    fn required(&self, what: &str) -> Result<&str, Vec<Diagnostic>> {
        self.file.as_deref().ok_or_else(|| {
            let error = Diagnostic::input(Code::EvalObject, format!("there is no {what}"));
            vec![error.help("name the file with -f")]
        })
    }

    /// Returns the file whose own expressions are evaluated.
    fn own_file(&self) -> Result<&str, Vec<Diagnostic>> {
        self.policy.as_deref().ok_or_else(|| {
            let error = Diagnostic::input(Code::InputEmpty, "there is no expression to evaluate");
            vec![error.help("write one, or name the file that has them with --policy")]
        })
    }

    fn of_devices(&self, existing: &Existing<'_>, texts: &[String]) -> Results {
        let slices = existing.objects(self.required("ResourceSlice with devices")?)?;
        let profile = &existing.profile;
        let questions: Vec<(Option<Path>, Expression)> = if texts.is_empty() {
            let path = self.own_file()?;
            let own = existing.objects(path)?.into_iter().flat_map(|object| selectors(&object.value));
            own.map(|own| {
                (Some(own.path), Expression::outside(&own.text, device_expression(&own.text, profile)))
            })
            .collect()
        } else {
            let env = device_environment(profile);
            texts.iter().map(|text| (None, in_environment(&env, text))).collect()
        };
        let mut results = Vec::new();
        let mut is_first = true;
        for slice in &slices {
            let driver = slice.text(["spec", "driver"]);
            for device in slice.list(["spec", "devices"]) {
                let subject =
                    format!("{driver}/{}/{}", slice.text(["spec", "pool", "name"]), device.text("name"));
                let value = kube_cel::Value::device(driver, device).map_err(|error| {
                    let message = format!("device {subject} cannot be used: {error}");
                    vec![Diagnostic::input(Code::EvalObject, message)]
                })?;
                let values = [("device", value)];
                // What does not compile is said once.
                let asked =
                    questions.iter().filter(|(_, expression)| is_first || expression.compiled().is_ok());
                results.extend(asked.map(|(path, expression)| {
                    self.answer(Some(subject.clone()), path.as_ref(), expression, &values)
                }));
                is_first = false;
            }
        }
        Ok(results)
    }

    fn of_reviews(&self, existing: &Existing<'_>, texts: &[String]) -> Results {
        let reviews = existing.objects(self.required("SubjectAccessReview")?)?;
        let env = Env::authorization();
        let questions: Vec<(Option<Path>, Expression)> = if texts.is_empty() {
            let read = structured::authorization(FilePath::new(self.own_file()?), &ServerFiles::default());
            checked(&read)?;
            conditions(&read.value)
                .into_iter()
                .map(|own| (Some(own.path), in_environment(&env, &own.text)))
                .collect()
        } else {
            texts.iter().map(|text| (None, in_environment(&env, text))).collect()
        };
        let mut results = Vec::new();
        for review in &reviews {
            let spec = complete_review(review);
            let subject = (reviews.len() > 1).then(|| subject_of_review(&spec));
            let values = [("request", kube_cel::Value::from(&spec))];
            results.extend(
                questions.iter().map(|(path, expression)| {
                    self.answer(subject.clone(), path.as_ref(), expression, &values)
                }),
            );
        }
        Ok(results)
    }

    fn of_claims(&self, texts: &[String]) -> Results {
        let claims = as_json_numbers(&self.claims()?);
        let env = Env::claims().with_user();
        let info = self.user.user_info();
        let user =
            json!({"username": info.username, "uid": info.uid, "groups": info.groups, "extra": info.extra});
        if !texts.is_empty() {
            let values = [("claims", kube_cel::Value::from(&claims)), ("user", kube_cel::Value::from(&user))];
            let answer = |text: &String| self.answer(None, None, &in_environment(&env, text), &values);
            return Ok(texts.iter().map(answer).collect());
        }
        let read = structured::authentication(FilePath::new(self.own_file()?));
        checked(&read)?;
        let configuration = &read.value;
        let mut results = Vec::new();
        let all = configuration.list("jwt");
        let is_issuer = |one: &Value| one.text(["issuer", "url"]) == claims.text("iss");
        for (index, issuer) in all.iter().enumerate().filter(|(_, one)| all.len() == 1 || is_issuer(one)) {
            let at = Path::new("jwt").index(index);
            self.of_issuer(&at, issuer, &claims, &mut results);
        }
        if results.is_empty() {
            let message = format!("no issuer of the configuration is {}", gotext::quote(claims.text("iss")));
            let error = Diagnostic::input(Code::EvalObject, message);
            return Err(vec![error.help("the claim iss decides which issuer's expressions are evaluated")]);
        }
        Ok(results)
    }

    /// Evaluates the rules and mappings of an issuer, in the server's order.
    fn of_issuer(&self, at: &Path, issuer: &Value, claims: &Value, results: &mut Vec<Evaluated>) {
        let claim_values = [("claims", kube_cel::Value::from(claims))];
        let env = Env::claims();
        let ask = |path: &Path, text: &str, results: &mut Vec<Evaluated>| {
            results.push(self.answer(None, Some(path), &in_environment(&env, text), &claim_values));
            results.last().and_then(|result| result.value.clone()).unwrap_or_default()
        };
        for (index, rule) in issuer.list("claimValidationRules").iter().enumerate() {
            let path = at.child("claimValidationRules").index(index);
            let text = match rule.text("expression") {
                "" => {
                    format!("{} == {}", claim(rule.text("claim")), gotext::quote(rule.text("requiredValue")))
                }
                text => text.to_owned(),
            };
            ask(&path, &text, results);
        }
        let (path, mappings) = (at.child("claimMappings"), &issuer["claimMappings"]);
        let mapped = |name: &'static str, results: &mut Vec<Evaluated>| {
            let mapping = &mappings[name];
            let text = match (mapping.text("expression"), mapping.text("claim"), mapping.text("prefix")) {
                ("", "", _) => return Value::Null,
                ("", of, "") => claim(of),
                ("", of, prefix) if name == "groups" && claims[of].is_array() => {
                    format!("dyn({}).map(group, {} + group)", claim(of), gotext::quote(prefix))
                }
                ("", of, prefix) => format!("{} + {}", gotext::quote(prefix), claim(of)),
                (text, ..) => text.to_owned(),
            };
            ask(&path.child(name), &text, results)
        };
        let (username, groups) = (mapped("username", results), mapped("groups", results));
        let uid = mapped("uid", results);
        let mut extra = json!({});
        for (index, mapping) in mappings.list("extra").iter().enumerate() {
            let value = ask(&path.child("extra").index(index), mapping.text("valueExpression"), results);
            let values = if value.is_array() { value } else { json!([value]) };
            extra[mapping.text("key")] = values;
        }
        let groups = if groups.is_string() { json!([groups]) } else { groups };
        let list = |value: Value| if value.is_null() { json!([]) } else { value };
        let uid = if uid.is_null() { json!("") } else { uid };
        let user = json!({"username": username, "groups": list(groups), "uid": uid, "extra": extra});
        let values = [("user", kube_cel::Value::from(&user))];
        let env = Env::new().with_user();
        for (index, rule) in issuer.list("userValidationRules").iter().enumerate() {
            let path = at.child("userValidationRules").index(index);
            let expression = in_environment(&env, rule.text("expression"));
            results.push(self.answer(None, Some(&path), &expression, &values));
        }
    }

    /// Returns the claims in the file, which is no object of a kind.
    fn claims(&self) -> Result<Value, Vec<Diagnostic>> {
        let file = self.required("token")?;
        let refused = |message: String| vec![Diagnostic::input(Code::EvalObject, message)];
        let source =
            kube_yaml::files::read_file(FilePath::new(file)).map_err(|error| refused(error.to_string()))?;
        let document = kube_yaml::read_first(&source).map_err(|error| {
            let diagnostic = Diagnostic::input(Code::EvalObject, error.to_string());
            vec![match error.span() {
                Some(span) => diagnostic.at(source.clone(), span),
                None => diagnostic,
            }]
        })?;
        let claims = document.node.into_value();
        if claims.is_object() { Ok(claims) } else { Err(refused(format!("{file} does not contain claims"))) }
    }

    fn of_rules(&self, existing: &Existing<'_>, texts: &[String]) -> Results {
        if let Some(path) = &self.policy {
            existing.read(std::slice::from_ref(path))?;
        }
        let objects = existing.objects(self.required("object")?)?;
        let old = self.old.as_ref().map(|path| existing.object(path)).transpose()?;
        let old = old.as_ref().map(|old| &old.value);
        let mut results = Vec::new();
        for object in &objects {
            let subject = (objects.len() > 1).then(|| format!("{} {}", object.kind.kind, object.name()));
            if !texts.is_empty() {
                let schema = schema_of(existing, object)?;
                let tried = TriedSchema::new(&schema);
                let mut values = vec![("self", tried.value(&object.value))];
                values.extend(old.map(|old| ("oldSelf", tried.value(old))));
                results.extend(texts.iter().map(|text| {
                    self.answer(
                        subject.clone(),
                        None,
                        &Expression::outside(text, tried.compile(text)),
                        &values,
                    )
                }));
                continue;
            }
            let definition = existing.cluster.custom_resource_of_kind(&object.kind.group, &object.kind.kind);
            let version = definition.as_ref().and_then(|found| found.version(&object.kind.version));
            let version = version.ok_or_else(|| undefined(object))?;
            version.visit_rules(&object.value, old, &mut |visit| {
                let compiled = visit.checked.cloned().map_err(str::to_owned);
                let expression = Expression::outside(visit.rule, compiled);
                let mut values = vec![("self", visit.own.clone())];
                values.extend(visit.old.clone().map(|old| ("oldSelf", old)));
                let mut result = if visit.is_skipped {
                    let mut skipped = Evaluated::about(subject.clone(), visit.rule);
                    skipped.note = Some("not evaluated: there is no old value".to_owned());
                    skipped
                } else {
                    self.answer(subject.clone(), None, &expression, &values)
                };
                if visit.may_stay && result.refuses {
                    result.note = Some("a warning alone, as the value stays as it was".to_owned());
                }
                result.field = Some(visit.path.map_or_else(|| "object".to_owned(), ToString::to_string));
                results.push(result);
            });
        }
        Ok(results)
    }

    fn answer(
        &self,
        subject: Option<String>,
        path: Option<&Path>,
        expression: &Expression,
        values: &Values<'_>,
    ) -> Evaluated {
        let mut result = Evaluated::about(subject, &expression.text);
        result.evaluate(expression, Inputs::outside(values), &[], self.bench);
        result.field = path.map(ToString::to_string);
        result
    }
}

/// Compiles an expression that may have any type, as one is tried and not stored.
fn in_environment(env: &Env, text: &str) -> Expression {
    Expression::outside(text, env.compile(text).map_err(|issues| format!("compilation failed: {issues}")))
}

/// Returns the expressions of an object's selectors, and one for the attribute of each constraint.
fn selectors(value: &Value) -> Vec<Own> {
    let mut found = Vec::new();
    collect(value, None, &mut found);
    found
}

fn collect(value: &Value, path: Option<&Path>, found: &mut Vec<Own>) {
    let child =
        |name: &str| path.map_or_else(|| Path::named(name.to_owned()), |path| path.child(name.to_owned()));
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let path = child(name);
                match (name.as_str(), value) {
                    ("cel", Value::Object(_)) => {
                        let text = value.text("expression").to_owned();
                        found.push(Own { path: path.child("expression"), text });
                    }
                    ("matchAttribute" | "distinctAttribute", Value::String(attribute)) => {
                        let (domain, id) = attribute.split_once('/').unwrap_or(("", attribute));
                        let (domain, id) = (gotext::quote(domain), gotext::quote(id));
                        found.push(Own { path, text: format!("device.attributes[{domain}][{id}]") });
                    }
                    _ => collect(value, Some(&path), found),
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, path.map(|path| path.index(index)).as_ref(), found);
            }
        }
        _ => {}
    }
}

/// Returns the conditions of all webhooks of an `AuthorizationConfiguration`.
fn conditions(configuration: &Value) -> Vec<Own> {
    let mut found = Vec::new();
    for (index, authorizer) in configuration.list("authorizers").iter().enumerate() {
        let at = Path::new("authorizers").index(index).child("webhook").child("matchConditions");
        for (index, condition) in authorizer["webhook"].list("matchConditions").iter().enumerate() {
            let text = condition.text("expression").to_owned();
            found.push(Own { path: at.index(index).child("expression"), text });
        }
    }
    found
}

fn checked(read: &Structured) -> Result<(), Vec<Diagnostic>> {
    if read.errors.is_empty() { Ok(()) } else { Err(read.errors.iter().map(Diagnostic::from).collect()) }
}

/// Returns the `spec` of a review with every field, as conditions see it.
fn complete_review(review: &Object) -> Value {
    let mut spec = review.at("spec").cloned().unwrap_or_else(|| json!({}));
    for (name, empty) in
        [("user", json!("")), ("uid", json!("")), ("groups", json!([])), ("extra", json!({}))]
    {
        if spec.get(name).is_none_or(Value::is_null) {
            spec[name] = empty;
        }
    }
    if let Some(attributes) = spec.get("resourceAttributes").cloned().filter(Value::is_object) {
        let mut attributes = attributes;
        for name in ["namespace", "verb", "group", "version", "resource", "subresource", "name"] {
            if attributes.get(name).is_none_or(Value::is_null) {
                attributes[name] = json!("");
            }
        }
        spec["resourceAttributes"] = attributes;
    }
    spec
}

fn subject_of_review(spec: &Value) -> String {
    let attributes = &spec["resourceAttributes"];
    if attributes.is_object() {
        return format!("{} {} {}", spec.text("user"), attributes.text("verb"), attributes.text("resource"));
    }
    let path = &spec["nonResourceAttributes"];
    format!("{} {} {}", spec.text("user"), path.text("verb"), path.text("path"))
}

/// Returns a claim as an expression reads it.
fn claim(name: &str) -> String {
    format!("claims[{}]", gotext::quote(name))
}

/// Returns claims as the server decodes them: every number is a floating-point number.
fn as_json_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::Array(items) => items.iter().map(as_json_numbers).collect::<Vec<_>>().into(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(name, value)| (name.clone(), as_json_numbers(value))).collect())
        }
        other => other.clone(),
    }
}

fn undefined(object: &Arc<Object>) -> Vec<Diagnostic> {
    let message =
        format!("no CustomResourceDefinition has {} of {}", object.kind.kind, object.kind.api_version());
    let error = Diagnostic::input(Code::EvalObject, message);
    vec![error.help("name the file of the definition with --policy or --cluster")]
}

/// Returns the schema of an object's version, as it is written.
fn schema_of(existing: &Existing<'_>, object: &Arc<Object>) -> Result<Value, Vec<Diagnostic>> {
    let definitions = existing.cluster.list_all(&CUSTOM_RESOURCE_DEFINITIONS);
    let definition = definitions.iter().find(|found| {
        found.text(["spec", "group"]) == &*object.kind.group
            && found.text(["spec", "names", "kind"]) == &*object.kind.kind
    });
    let versions = definition.map_or(&[][..], |found| found.list(["spec", "versions"]));
    let version = versions.iter().find(|version| version.text("name") == &*object.kind.version);
    let schema = version.and_then(|version| version.at(["schema", "openAPIV3Schema"]));
    schema.cloned().ok_or_else(|| undefined(object))
}
