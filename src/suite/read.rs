//! Parses suites: unknown fields and values of the wrong type are errors, and all errors are reported.

mod fields;

use std::sync::Arc;

use crate::admission::Operation;
use crate::code::Code;
use crate::evaluation::Apply;
use kube_api::decode::FieldValidation;
use kube_api::{Value, json_patch};

use crate::plugin;
use crate::report::{Diagnostic, Summary};
use crate::suite::{
    API_VERSION, Case, Caused, Check, Client, Expectation, Field, Given, KIND, Suite, inline,
};
use gotext::source::{Data, Entry, Node, SourceFile};

use fields::{Fields, Reader};

/// The fields that suites and cases share.
const CLIENT: [&str; 7] = ["user", "uid", "groups", "namespace", "apply", "operation", "fieldValidation"];

pub(super) fn suite(source: &Arc<SourceFile>) -> Result<Suite, Vec<Diagnostic>> {
    let mut reader = Reader::new(source.clone());
    let mut documents = Vec::new();
    for document in kube_yaml::read(source) {
        match document {
            Ok(document) => documents.push(document),
            Err(error) => reader.errors.push(Diagnostic::from(&error)),
        }
    }
    let more = documents.get(1).map(|document| document.node.span);
    let Some(document) = documents.into_iter().next() else {
        if reader.errors.is_empty() {
            let error = Diagnostic::input(Code::SuiteEmpty, format!("{} is empty", source.name()));
            reader
                .errors
                .push(error.help(format!("a suite begins with `apiVersion: {API_VERSION}`, `kind: {KIND}`")));
        }
        return Err(reader.errors);
    };
    if let Some(span) = more {
        reader.error(
            span,
            "a file has one suite",
            Some("move the second document to a file of its own".to_owned()),
        );
    }
    for error in &document.strict_errors {
        let text = error.text.split_once(": ").map_or(error.text.as_str(), |(_, text)| text);
        reader.error(error.span, text, None);
    }
    let suite = read_suite(&mut reader, document.node);
    match suite {
        Some(suite) if reader.errors.is_empty() => Ok(suite),
        _ => {
            reader.errors.sort_by_key(|error| error.source.as_ref().map(|(_, span)| span.start));
            Err(reader.errors)
        }
    }
}

fn read_suite(reader: &mut Reader, node: Node) -> Option<Suite> {
    if !is_suite(reader, &node) {
        return None;
    }
    let known = [
        &["apiVersion", "kind", "cluster", "policy", "flags", "strict", "workloads", "cases"][..],
        &CLIENT[..],
    ]
    .concat();
    let fields = reader.fields(&node, "a suite", &known)?;
    let cluster = given(reader, &fields, "cluster");
    let policy = given(reader, &fields, "policy");
    let flags = reader.texts_of(&fields, "flags");
    let flags_span = fields.get("flags").map_or(node.span, |entry| entry.value.span);
    let strict = fields.get("strict").and_then(|entry| reader.flag(entry)).unwrap_or(false);
    let workloads = fields
        .get("workloads")
        .and_then(|entry| reader.choice(entry, &[("follow", true), ("ignore", false)]));
    let client = client(reader, &fields);
    let items = reader.list_of(&fields, "cases");
    if items.is_empty() {
        let help = "list them below `cases`, each with `name`, `requests` and `expect`".to_owned();
        reader.error(node.span, "a suite without cases tests nothing", Some(help));
    }
    let cases: Vec<Case> = items.into_iter().filter_map(|item| case(reader, item)).collect();
    for (position, case) in cases.iter().enumerate() {
        if cases[..position].iter().any(|earlier| earlier.name == case.name) {
            reader.error(case.span, &format!("two cases are called \"{}\"", case.name), None);
        }
    }
    let source = reader.source.clone();
    let flags = flags.unwrap_or_default();
    Some(Suite { source, cluster, policy, flags, flags_span, client, strict, workloads, cases, node })
}

fn is_suite(reader: &mut Reader, node: &Node) -> bool {
    let text = |field| node.get(field).and_then(Node::as_str);
    if (text("apiVersion"), text("kind")) == (Some(API_VERSION), Some(KIND)) {
        return true;
    }
    let what = match (text("apiVersion"), text("kind")) {
        (Some(version), Some(kind)) => format!("this is not a suite but a {kind} of {version}"),
        _ => "this is not a suite".to_owned(),
    };
    let help =
        format!("a suite has `apiVersion: {API_VERSION}` and `kind: {KIND}`; manifests are for `kadmit run`");
    reader.error(node.span, &what, Some(help));
    false
}

fn client(reader: &mut Reader, fields: &Fields<'_>) -> Client {
    let operations =
        [("create", Operation::Create), ("update", Operation::Update), ("delete", Operation::Delete)];
    let applies = [
        ("client-side", Apply::ClientSide),
        ("server-side", Apply::ServerSide),
        ("create", Apply::Create),
        ("replace", Apply::Replace),
        ("delete", Apply::Delete),
    ];
    let validations = [
        ("Strict", FieldValidation::Strict),
        ("Warn", FieldValidation::Warn),
        ("Ignore", FieldValidation::Ignore),
    ];
    Client {
        user: reader.text_of(fields, "user"),
        uid: reader.text_of(fields, "uid"),
        groups: reader.texts_of(fields, "groups"),
        namespace: reader.text_of(fields, "namespace"),
        operation: fields.get("operation").and_then(|entry| reader.choice(entry, &operations)),
        apply: fields.get("apply").and_then(|entry| reader.choice(entry, &applies)),
        field_validation: fields.get("fieldValidation").and_then(|entry| reader.choice(entry, &validations)),
    }
}

/// Paths and objects.
fn given(reader: &mut Reader, fields: &Fields<'_>, key: &str) -> Vec<Given> {
    let mut given = Vec::new();
    for item in reader.list_of(fields, key) {
        match &item.data {
            Data::String(path) if !path.is_empty() => given.push(Given::Path(path.to_string(), item.span)),
            Data::Object(_) => given.push(Given::Object(Box::new(inline::item(&reader.source, item)))),
            _ => {
                let message = format!("an item of `{key}` is a path or an object");
                reader.error(item.span, &message, None);
            }
        }
    }
    given
}

fn case(reader: &mut Reader, node: &Node) -> Option<Case> {
    let known = [&["name", "requests", "expect"][..], &CLIENT[..]].concat();
    let fields = reader.fields_or(node, "a case", &known, |key| {
        let is_check = Field::ALL.iter().any(|field| field.name() == key) || matches!(key, "of" | "caused");
        is_check.then(|| format!("put it below `expect`: `expect: {{{key}: …}}`"))
    })?;
    let name = reader.text_of(&fields, "name").unwrap_or_default();
    if name.is_empty() && fields.get("name").is_none_or(|entry| entry.value.as_str().is_some()) {
        reader.error(node.span, "a case needs a name", None);
    }
    let client = client(reader, &fields);
    let requests = given(reader, &fields, "requests");
    if requests.is_empty()
        && fields.get("requests").is_none_or(|entry| matches!(entry.value.data, Data::Array(_)))
    {
        let help = "list paths or objects below `requests`".to_owned();
        reader.error(node.span, "a case needs requests", Some(help));
    }
    let expectations = match fields.get("expect") {
        None => Vec::new(),
        Some(entry) => match &entry.value.data {
            Data::Array(items) if !items.is_empty() => {
                items.iter().filter_map(|item| expectation(reader, item)).collect()
            }
            Data::Object(_) => expectation(reader, &entry.value).into_iter().collect(),
            _ => {
                checks_nothing(reader, &entry.value);
                Vec::new()
            }
        },
    };
    Some(Case { name, span: node.span, client, requests, expectations })
}

fn checks_nothing(reader: &mut Reader, node: &Node) {
    let help = "add `allowed`, `plugin`, `message` or another field of the answer".to_owned();
    reader.error(node.span, "an expectation that checks nothing", Some(help));
}

fn expectation(reader: &mut Reader, node: &Node) -> Option<Expectation> {
    let names = names_of(|field| !field.is_of_caused());
    let known = [&["of", "caused"][..], &names].concat();
    let fields = reader.fields_or(node, "an expectation", &known, |key| {
        let is_of_caused = Field::ALL.iter().any(|field| field.is_of_caused() && field.name() == key);
        is_of_caused.then(|| "only requests of controllers have it; put it below `caused`".to_owned())
    })?;
    let of = fields.get("of").and_then(|entry| Some((reader.text(entry)?, entry.value.span)));
    if let Some((of, span)) = &of
        && !of.contains(' ')
    {
        let help = "it is named as in the report: `Pod shop/web`".to_owned();
        reader.error(*span, &format!("\"{of}\" is not a kind and name"), Some(help));
    }
    let caused = fields.get("caused").map(|entry| {
        let items = reader.list(entry);
        (entry.key_span, items.into_iter().filter_map(|item| caused(reader, item)).collect())
    });
    let checks = checks(reader, &fields, node);
    if checks.is_empty() && caused.is_none() && !fields.has_any(&names) {
        checks_nothing(reader, node);
    }
    Some(Expectation { of, checks, caused })
}

fn caused(reader: &mut Reader, node: &Node) -> Option<Caused> {
    let names = names_of(|_| true);
    let known = [&["kind"][..], &names].concat();
    let fields = reader.fields(node, "an expectation about controllers' requests", &known)?;
    let kind = fields.get("kind").and_then(|entry| Some((reader.text(entry)?, entry.value.span)));
    let checks = checks(reader, &fields, node);
    let Some((kind, kind_span)) = kind else {
        if fields.get("kind").is_none() {
            let help = "name the requested kind: `kind: Pod`".to_owned();
            reader.error(node.span, "`kind` is missing", Some(help));
        }
        return None;
    };
    if checks.is_empty() && !fields.has_any(&names) {
        checks_nothing(reader, node);
    }
    Some(Caused { kind, kind_span, checks })
}

fn names_of(is_meant: impl Fn(Field) -> bool) -> Vec<&'static str> {
    Field::ALL.into_iter().filter(|field| is_meant(*field)).map(Field::name).collect()
}

fn checks(reader: &mut Reader, fields: &Fields<'_>, map: &Node) -> Vec<Check> {
    let mut checks = Vec::new();
    for field in Field::ALL {
        let Some(entry) = fields.get(field.name()) else { continue };
        let Some(expected) = expected(reader, field, entry) else { continue };
        checks.push(Check { field, entry: entry.clone(), expected, map: map.span, siblings: 0 });
    }
    let siblings = checks.len();
    for check in &mut checks {
        check.siblings = siblings;
    }
    checks
}

/// Returns the value that `entry` expects of `field`, if it is valid for the field.
fn expected(reader: &mut Reader, field: Field, entry: &Entry) -> Option<Value> {
    match field {
        Field::Allowed => reader.flag(entry).map(Value::from),
        Field::Plugin => plugin_name(reader, entry).map(Value::from),
        Field::Code | Field::Replicas | Field::Admitted => reader.number(entry).map(Value::from),
        Field::Message => reader.text(entry).map(Value::from),
        Field::MessageContains => match &entry.value.data {
            Data::Array(items) if items.is_empty() => {
                checks_nothing(reader, &entry.value);
                None
            }
            Data::Array(_) => reader.texts(entry).map(Value::from),
            _ => reader.text(entry).filter(|text| !text.is_empty()).map(Value::from),
        },
        Field::Warnings => reader.texts(entry).map(Value::from),
        Field::AuditAnnotations | Field::Object => match &entry.value.data {
            Data::Object(entries) if !entries.is_empty() => Some(entry.value.clone().into_value()),
            Data::Object(_) => {
                checks_nothing(reader, &entry.value);
                None
            }
            _ => reader.mistyped(entry, "a map"),
        },
        Field::Patch => {
            let value = entry.value.clone().into_value();
            match json_patch::decode(&value) {
                Ok(_) if value.is_array() => Some(value),
                Ok(_) => reader.mistyped(entry, "a list of operations (RFC 6902)"),
                Err(error) => {
                    reader.error(entry.value.span, &error.to_string(), None);
                    None
                }
            }
        }
    }
}

fn plugin_name(reader: &mut Reader, entry: &Entry) -> Option<String> {
    let name = reader.text(entry)?;
    if name == Summary::API_SERVER || plugin::find(&name).is_some() {
        return Some(name);
    }
    let help = match plugin::suggest(&name) {
        Some(plugin) => format!("did you mean \"{}\"?", plugin.name),
        None => format!("refusals that are not by a plugin are by the \"{}\"", Summary::API_SERVER),
    };
    reader.error(entry.value.span, &format!("no plugin is called \"{name}\""), Some(help));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "apiVersion: kadmit.dev/v1alpha1\nkind: Suite\n";

    fn read(text: &str) -> Result<Suite, Vec<String>> {
        suite(&SourceFile::new("a.yaml", text)).map_err(|errors| {
            let told = |error: &Diagnostic| {
                let help = error.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
                format!("{}: {}{help}", error.line().unwrap_or_default(), error.message)
            };
            errors.iter().map(told).collect()
        })
    }

    fn errors(body: &str) -> Vec<String> {
        read(&format!("{HEADER}{body}")).unwrap_err()
    }

    #[test]
    fn reads_a_suite() {
        let text = format!(
            "{HEADER}cluster: [a.yaml, {{apiVersion: v1, kind: Namespace}}]\nflags: [--a=b]\nuser: alice\n\
             groups: [dev]\noperation: update\nstrict: true\nworkloads: follow\ncases:\n- name: one\n  user: bob\n  \
             requests: [b.yaml]\n  expect: {{allowed: false, messageContains: x}}\n"
        );
        let suite = read(&text).unwrap();
        assert_eq!((suite.cluster.len(), suite.flags.as_slice()), (2, ["--a=b".to_owned()].as_slice()));
        assert_eq!((suite.strict, suite.workloads), (true, Some(true)));
        let (own, client) = (&suite.cases[0].client, &suite.client);
        assert_eq!((own.user.as_deref(), client.user.as_deref()), (Some("bob"), Some("alice")));
        assert_eq!(
            (client.groups.clone().unwrap(), client.operation),
            (vec!["dev".to_owned()], Some(Operation::Update))
        );
        let fields: Vec<_> = suite.cases[0].expectations[0].checks.iter().map(|check| check.field).collect();
        assert_eq!(fields, [Field::Allowed, Field::MessageContains]);
    }

    #[test]
    fn says_everything_that_is_wrong() {
        let body = "clutser: []\nworkloads: maybe\ncases:\n- name: a\n  requests: [a.yaml, 7]\n  allowed: true\n  \
                    expect:\n    plugin: PodSecurty\n    code: many\n    replicas: 2\n- requests: []\n  expect: {}\n";
        assert_eq!(
            errors(body),
            [
                "3: a suite has no field `clutser` (did you mean `cluster`?)",
                "4: `workloads` is follow or ignore",
                "7: an item of `requests` is a path or an object",
                "8: a case has no field `allowed` (put it below `expect`: `expect: {allowed: …}`)",
                "10: no plugin is called \"PodSecurty\" (did you mean \"PodSecurity\"?)",
                "11: `code` is a number",
                "12: an expectation has no field `replicas` (only requests of controllers have it; put it below \
                 `caused`)",
                "13: a case needs a name",
                "13: a case needs requests (list paths or objects below `requests`)",
                "14: an expectation that checks nothing (add `allowed`, `plugin`, `message` or another field of the \
                 answer)",
            ]
        );
    }

    #[test]
    fn other_documents_are_no_suites() {
        assert_eq!(
            read("apiVersion: v1\nkind: Pod\n").unwrap_err(),
            [
                "1: this is not a suite but a Pod of v1 (a suite has `apiVersion: kadmit.dev/v1alpha1` and `kind: Suite`; manifests are for `kadmit run`)"
            ]
        );
        assert_eq!(errors("cases: []\ncases: []\n").len(), 2);
        assert_eq!(read("").unwrap_err().len(), 1);
    }

    #[test]
    fn what_cannot_fail_is_an_error() {
        for expect in
            ["[]", "{of: Pod a}", "{messageContains: []}", "{object: {}}", "{caused: [{kind: Pod}]}"]
        {
            let body = format!("cases:\n- name: a\n  requests: [a.yaml]\n  expect: {expect}\n");
            let errors = errors(&body);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].starts_with("6: an expectation that checks nothing"), "{expect}: {errors:?}");
        }
    }
}
