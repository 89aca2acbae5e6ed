//! Evaluation: behaviour that only the server's own variables show, observation, and hostile expressions.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::*;
use gotext::value::Value as Tree;

#[derive(Debug, Default)]
struct Recorder(std::sync::Mutex<Vec<AuthorizationRequest>>);

impl Authorizer for Recorder {
    fn authorize(&self, request: &AuthorizationRequest) -> Decision {
        self.0.lock().expect("no panic").push(request.clone());
        match &*request.verb {
            "get" => Decision { is_allowed: true, reason: "may".to_owned(), error: None },
            _ => Decision { error: Some("no such verb".to_owned()), ..Decision::default() },
        }
    }
}

fn program(env: &Env, text: &str) -> Program {
    let checked = env.compile(text).unwrap_or_else(|issues| panic!("{issues}"));
    Program::new(&checked).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn admission() -> Env {
    Env::admission(AdmissionVariables {
        authorizer: true,
        patch_types: true,
        ..AdmissionVariables::default()
    })
}

fn printed(text: &str, variables: &Variables) -> String {
    let evaluation = program(&admission(), text).eval(variables, Some(PER_CALL_LIMIT));
    let result = evaluation.result.map_or_else(|error| format!("error: {error}"), |value| value.to_string());
    format!("{result}, {}", evaluation.cost)
}

#[test]
fn authorizers_are_asked() {
    let recorder = Recorder::default();
    let resource = Value::request_resource(&recorder, "apps", ["deployments", "scale"], ["shop", "web"]);
    let variables = Variables::new()
        .with("authorizer", Value::authorizer(&recorder))
        .with("authorizer.requestResource", resource);
    for (text, expected) in [
        ("authorizer.group('').resource('pods').namespace('x').check('get').allowed()", "true, 350005"),
        ("authorizer.path('/healthz').check('get').reason()", "may, 350003"),
        ("authorizer.requestResource.check('put').errored()", "true, 350002"),
        ("authorizer.requestResource.check('put').error()", "no such verb, 350002"),
        (
            "authorizer.serviceAccount('shop', 'web').group('').resource('pods').check('get').allowed()",
            "true, 350005",
        ),
        (
            "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c in (d)').check('get').allowed()",
            "true, 350326",
        ),
        ("authorizer.path(' ')", "error: path must not be empty, 2"),
        ("authorizer.group('').resource('')", "error: resource must not be empty, 3"),
        ("authorizer.serviceAccount('shop', '-')", "error: Invalid service account name, 2"),
        ("authorizer.serviceAccount('a.b', 'web')", "error: Invalid service account namespace, 2"),
        ("authorizer.group('') == authorizer.group('')", "error: no such overload, 5"),
    ] {
        assert_eq!(printed(text, &variables), expected, "{text}");
    }
    let asked = recorder.0.lock().expect("no panic");
    assert_eq!(asked.len(), 6);
    let AuthorizationTarget::Resource { resource, subresource, name, .. } = &asked[2].target else {
        panic!("a resource")
    };
    assert_eq!((&**resource, &**subresource, &**name), ("deployments", "scale", "web"));
    assert_eq!(asked[4].service_account, Some(("shop".to_owned(), "web".to_owned())));
    let AuthorizationTarget::Resource { field_selector, label_selector, .. } = &asked[5].target else {
        panic!("a resource")
    };
    assert_eq!((&**field_selector, &**label_selector), ("a=b", "c in (d)"));
}

#[test]
fn mutations_make_objects_and_patches() {
    let variables = Variables::new();
    for (text, expected) in [
        ("Object{spec: Object.spec{replicas: 3}}.spec.replicas", "3, 82"),
        ("has(Object{a: 1}.a) && !has(Object{a: 1}.b)", "true, 83"),
        ("Object{a: 1} == Object{a: 1}", "true, 81"),
        ("Object{?a: optional.none()} == Object{}", "true, 82"),
        ("type(Object.spec{}) == Object.spec", "true, 42"),
        ("JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c~'), value: 1}.path", "/a/b~1c~0, 44"),
        ("JSONPatch{op: 'add', path: '/a'}.value", "null, 42"),
    ] {
        let found = printed(text, &variables);
        let (value, _) = found.rsplit_once(", ").expect("a cost");
        assert_eq!(value, expected.rsplit_once(", ").expect("a cost").0, "{text}");
    }
}

/// Variables that are computed when they are requested.
struct Lazy {
    programs: BTreeMap<&'static str, Program>,
    known: RefCell<BTreeMap<String, Result<Value<'static>, EvalError>>>,
    cost: Cell<u64>,
}

impl Activation<'static> for Lazy {
    fn variable(&self, _: &str) -> Option<Result<Value<'static>, EvalError>> {
        None
    }

    fn field(&self, variable: &str, field: &str) -> Option<Result<Value<'static>, EvalError>> {
        let program = self.programs.get(field).filter(|_| variable == "variables")?;
        if let Some(known) = self.known.borrow().get(field) {
            return Some(known.clone());
        }
        let evaluation = program.eval(self, None);
        self.cost.set(self.cost.get() + evaluation.cost);
        self.known.borrow_mut().insert(field.to_owned(), evaluation.result.clone());
        Some(evaluation.result)
    }
}

#[test]
fn variables_may_be_computed_once_when_they_are_asked_for() {
    let known = ObjectType::new([("a", Type::Int), ("b", Type::Int), ("c", Type::Int)]);
    let env = Env::admission(AdmissionVariables { variables: Some(&known), ..AdmissionVariables::default() });
    let programs = [("a", "1 + 1"), ("b", "variables.a * variables.a"), ("c", "1 / (variables.a - 2)")];
    let lazy = Lazy {
        programs: programs.into_iter().map(|(name, text)| (name, program(&env, text))).collect(),
        known: RefCell::default(),
        cost: Cell::default(),
    };
    let evaluation = program(&env, "variables.b + variables.a == 6").eval(&lazy, None);
    assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
    assert_eq!((evaluation.cost, lazy.cost.get()), (6, 6));
    let failed = program(&env, "variables.c == 1").eval(&lazy, None).result.expect_err("division by zero");
    assert_eq!(failed.message, "division by zero");
}

#[test]
fn an_error_knows_its_node() {
    let object: Tree = gotext::value::json!({"spec": {"list": [1]}});
    let variables = Variables::new().with("object", &object);
    for (text, offset) in [
        ("true && object.spec.nope == 1", 19),
        ("[1].all(x, object.spec.list[x] > 0)", 27),
        ("1 + (2 / (object.spec.list[0] - 1))", 7),
    ] {
        let env = Env::new().with_variable("object", Type::Dyn);
        let checked = env.compile(text).expect("compiles");
        let evaluation = Program::new(&checked).expect("a program").eval(&variables, None);
        let node = evaluation.result.expect_err("an error").node.expect("a node");
        assert_eq!(checked.ast().offset(node), Some(offset), "{text}");
    }
}

#[test]
fn every_node_may_be_observed() {
    let object: Tree = gotext::value::json!({"replicas": 3});
    let env = Env::new().with_variable("object", Type::Dyn);
    let checked = env.compile("object.replicas > 5 || [1, 2].exists(x, x == 2)").expect("compiles");
    let mut seen = Vec::new();
    let variables = Variables::new().with("object", &object);
    let evaluation =
        Program::new(&checked).expect("a program").eval_observed(&variables, None, &mut |node,
                                                                                         value: Result<
            &Value<'_>,
            &EvalError,
        >| {
            if let (Some(offset), Ok(value)) = (checked.ast().offset(node), value) {
                seen.push((offset, value.to_string()));
            }
        });
    assert!(matches!(evaluation.result, Ok(Value::Bool(true))));
    for expected in [(6, "3"), (16, "false"), (40, "1"), (42, "false"), (42, "true"), (20, "true")] {
        assert!(seen.contains(&(expected.0, expected.1.to_owned())), "{expected:?} in {seen:?}");
    }
}

#[test]
fn what_means_harm_ends_within_its_budget() {
    const LIMIT: u64 = 20_000;
    let doubled = |start: &str, times: usize| {
        (0..times).fold(start.to_owned(), |text, _| format!("optional.of({text}).optMap(x, x + x).value()"))
    };
    let many = "[1,2,3,4,5,6,7,8,9,10]";
    let nested = (0..12).fold("true".to_owned(), |inner, depth| format!("{many}.all(x{depth}, {inner})"));
    let bound = |body: &str| {
        let mut text = "optional.of([0, 0])".to_owned();
        for _ in 0..4 {
            text = [&*text, ".optMap(x, x", &" + x".repeat(80), ")"].concat();
        }
        format!("{text}.optMap(l, {body}).hasValue()")
    };
    let cases = [
        nested,
        "lists.range(1000000000000).size() == 0".to_owned(),
        "lists.range(300000).map(x, lists.range(300000)).size() == 0".to_owned(),
        bound("l.exists_one(i, false)"),
        bound("l == l"),
        bound("[l] == [l]"),
        bound("l.reverse()"),
        bound("l.sort()"),
        bound("l.distinct()"),
        bound("l.sum()"),
        bound("7 in l"),
        bound("'%s'.format([l])"),
        bound("{'a': l} == {'a': l}"),
        bound("l.map(x, string(x)).join('xxxxxxxxxxxxxxxxxxxxxxxx')"),
        bound("sets.equivalent(l, l)"),
        format!("{}.size() == 0", doubled("'aaaaaaaaaa'", 11)),
        format!("{}.replace('', {}).size() == 0", doubled("'aaaaaaaaaa'", 8), doubled("'bbbbbbbbbb'", 8)),
        format!("'{}b'.matches('^(a+)+$')", "a".repeat(5000)),
        "'x'.matches('((a{100}){100}){100}')".to_owned() + " || true",
        "'x'.matches('(((a{1,30}){1,30}))' + '*') || true".to_owned(),
        "['a'].map(x, x.matches('(\\\\pL{1,500}){1,2}' + x)).size() == 1".to_owned(),
    ];
    for text in &cases {
        let Ok(checked) = Env::new().compile(text) else { continue };
        let Ok(program) = Program::new(&checked) else { continue };
        let evaluation = program.eval(&Variables::new(), Some(LIMIT));
        let shown: String = text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        assert!(evaluation.cost < LIMIT * 2, "{shown}");
    }
}

#[test]
fn deep_expressions_do_not_use_up_the_stack() {
    for text in [
        "[".repeat(120) + &"]".repeat(120) + " == []",
        (0..100).fold("1".to_owned(), |inner, _| format!("[{inner}].map(x, x)[0]")) + " == 1",
        (0..100).fold("true".to_owned(), |inner, _| format!("([1].all(x, {inner}))")),
        "!".repeat(200) + "true",
        "true".to_owned() + &" && true".repeat(8000),
        "1".to_owned() + &" + 1".repeat(200) + " > 0",
        (0..100).fold("true".to_owned(), |inner, _| format!("(true ? {inner} : false)")),
    ] {
        let Ok(checked) = Env::new().lenient().compile(&text) else { continue };
        let Ok(program) = Program::new(&checked) else { continue };
        assert!(program.eval(&Variables::new(), None).result.is_ok(), "{}", &text[..40]);
    }
}

proptest::proptest! {
    #[test]
    fn whatever_compiles_is_evaluated_twice_alike(
        text in r"([a-c(){}\[\].,?:!<>=&|' 0-9+*/%-]|true|null| in |\.map\(x, |\.all\(x, |has\(a\.|\.\?|size\(|string\(|dyn\(|optional\.of\(|'a'|\[1, 2\]){1,12}",
    ) {
        let tree: Tree = gotext::value::json!({"b": [1, "x", null, {"c": 1.5}]});
        let env = ["a", "b", "c"].into_iter().fold(Env::new(), |env, name| env.with_variable(name, Type::Dyn));
        if let Ok(checked) = env.compile(&text)
            && let Ok(program) = Program::new(&checked)
        {
            let variables =
                Variables::new().with("a", &tree).with("b", &tree["b"]).with("c", Value::optional(Value::Int(1)));
            let first = program.eval(&variables, Some(10_000));
            let second = program.eval(&variables, Some(10_000));
            proptest::prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
        }
    }
}
