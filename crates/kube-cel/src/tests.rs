//! Whole messages, as cel-go 0.26 prints them.

mod eval;
mod spec;

use super::*;

const OPERANDS: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, \
                        BYTES, IDENTIFIER}";

fn compile(text: &str) -> Result<String, String> {
    let env = Env::new().with_variable("object", Type::Dyn).with_variable("name", Type::String);
    let env = env.with_variable("items", Type::list(Type::Int));
    env.compile(text).map(|checked| checked.output_type().to_string()).map_err(|issues| issues.to_string())
}

/// Asserts that `text` has these issues, each as place and message.
#[track_caller]
fn refuses(text: &str, expected: &[(i64, i64, &str)]) {
    let issues = Env::new().with_variable("object", Type::Dyn).compile(text).expect_err(text);
    let found: Vec<(i64, i64, String)> = issues
        .as_slice()
        .iter()
        .map(|issue| (issue.location.line, issue.location.column + 1, issue.message.clone()))
        .collect();
    let expected: Vec<(i64, i64, String)> = expected
        .iter()
        .map(|(line, column, message)| (*line, *column, message.replace("OPERANDS", OPERANDS)))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn quotes_the_line_and_points_at_the_place() {
    let message = compile("object.spec.replicas <= ").unwrap_err();
    let expected = format!(
        "ERROR: <input>:1:25: Syntax error: mismatched input '<EOF>' expecting {OPERANDS}\n | object.spec.replicas <= \n \
         | ........................^"
    );
    assert_eq!(message, expected);
    let message = compile("").unwrap_err();
    assert_eq!(
        message,
        format!("ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {OPERANDS}")
    );
    let message = compile("object &&\n\t'😁é' == 1 + 'a' || object.a").unwrap_err();
    let expected = "ERROR: <input>:2:12: found no matching overload for '_+_' applied to '(int, string)'\n |  '😁é' == 1 + 'a' || object.a\n | ..．．.......^";
    assert_eq!(message, expected);
}

#[test]
fn recovers_from_tokens_that_are_missing_or_too_many() {
    refuses("(1 ", &[(1, 4, "Syntax error: missing ')' at '<EOF>'")]);
    refuses("a.b c", &[(1, 5, "Syntax error: extraneous input 'c' expecting <EOF>")]);
    refuses("1 + + 2", &[(1, 5, "Syntax error: extraneous input '+' expecting OPERANDS")]);
    refuses("[1, 2", &[(1, 6, "Syntax error: mismatched input '<EOF>' expecting {']', ','}")]);
    refuses("x ? y", &[(1, 6, "Syntax error: mismatched input '<EOF>' expecting ':'")]);
    refuses("f(1,)", &[(1, 5, "Syntax error: mismatched input ')' expecting OPERANDS")]);
    refuses(
        "?",
        &[
            (1, 1, "Syntax error: mismatched input '?' expecting OPERANDS"),
            (1, 2, "Syntax error: mismatched input '<EOF>' expecting OPERANDS"),
        ],
    );
    refuses(
        "t{>C}",
        &[
            (
                1,
                3,
                "Syntax error: extraneous input '>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
            ),
            (1, 5, "Syntax error: mismatched input '}' expecting ':'"),
        ],
    );
    refuses(
        "func{{a}}",
        &[
            (
                1,
                6,
                "Syntax error: extraneous input '{' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
            ),
            (1, 8, "Syntax error: mismatched input '}' expecting ':'"),
            (1, 9, "Syntax error: extraneous input '}' expecting <EOF>"),
        ],
    );
    refuses(
        "x{.",
        &[(1, 3, "Syntax error: mismatched input '.' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}")],
    );
    refuses("ind[a{b}]", &[(1, 8, "Syntax error: mismatched input '}' expecting ':'")]);
}

/// Invalid expressions, with the messages of ANTLR's own runtime.
#[test]
fn recovers_as_antlr_does() {
    let text = include_str!("../testdata/cel-spec/syntax.json");
    let vectors: Vec<gotext::value::Value> = serde_json::from_str(text).expect("the vectors are JSON");
    assert_eq!(vectors.len(), 500);
    for vector in &vectors {
        let text = vector["expr"].as_str().expect("a text");
        let issues = Env::new().compile(text).expect_err(text);
        // Names and literals are checked too, where they could be parsed.
        let found: Vec<String> = issues
            .as_slice()
            .iter()
            .filter_map(|issue| {
                let message = issue.message.strip_prefix("Syntax error: ")?.replace(OPERANDS, "OPERANDS");
                Some(format!("{}:{}: {message}", issue.location.line, issue.location.column + 1))
            })
            .collect();
        assert_eq!(gotext::value::Value::from(found), vector["errors"], "{text}");
    }
}

#[test]
fn says_what_is_no_token() {
    refuses(
        "*@a | b",
        &[
            (1, 1, "Syntax error: extraneous input '*' expecting OPERANDS"),
            (1, 2, "Syntax error: token recognition error at: '@'"),
            (1, 5, "Syntax error: token recognition error at: '| '"),
            (1, 7, "Syntax error: extraneous input 'b' expecting <EOF>"),
        ],
    );
    refuses(
        r#""\xFh""#,
        &[
            (1, 1, "Syntax error: token recognition error at: '\"\\xFh'"),
            (1, 6, "Syntax error: token recognition error at: '\"'"),
            (1, 7, "Syntax error: mismatched input '<EOF>' expecting OPERANDS"),
        ],
    );
    refuses(
        "'😁' in ['😁', '😑', '😦']\n\t&& in.😁",
        &[
            (2, 5, "Syntax error: extraneous input 'in' expecting OPERANDS"),
            (2, 8, "Syntax error: token recognition error at: '😁'"),
            (2, 9, "Syntax error: no viable alternative at input '.'"),
        ],
    );
}

#[test]
fn keywords_are_no_identifiers() {
    refuses("object.true", &[(1, 8, "Syntax error: mismatched input 'true' expecting IDENTIFIER")]);
    refuses("package.x == 1", &[(1, 1, "reserved identifier: package")]);
    refuses(
        "[1, 2, 3].map(var, var * var)",
        &[
            (1, 15, "reserved identifier: var"),
            (1, 15, "argument is not an identifier"),
            (1, 20, "reserved identifier: var"),
            (1, 26, "reserved identifier: var"),
        ],
    );
    refuses("object.`a-b`", &[(1, 8, "unsupported syntax: '`'")]);
}

#[test]
fn literals_have_to_be_in_range() {
    refuses("9223372036854775808", &[(1, 1, "invalid int literal")]);
    refuses("0x8000000000000000", &[(1, 1, "invalid int literal")]);
    refuses("18446744073709551616u", &[(1, 1, "invalid uint literal")]);
    refuses("1.99e90000009", &[(1, 1, "invalid double literal")]);
    refuses(r"'\udead' == '\ufffd'", &[(1, 1, "invalid unicode code point")]);
    assert_eq!(compile("-9223372036854775808 + -0x8").as_deref(), Ok("int"));
}

#[test]
fn macros_ask_for_the_right_arguments() {
    refuses("has(object['a'])", &[(1, 11, "invalid argument to has() macro")]);
    refuses("1.all(2, 3)", &[(1, 7, "argument must be a simple name")]);
    refuses("[1].all(i, i, i > 1)", &[(1, 12, "duplicate variable name: i")]);
    refuses("object.optMap(1, 2)", &[(1, 15, "optMap() variable name must be a simple identifier")]);
    refuses(
        "{'a': 1}.sortBy(x, x)",
        &[(
            1,
            1,
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
        )],
    );
    refuses("[].map(__result__, 1)", &[(1, 8, "iteration variable overwrites accumulator variable")]);
}

#[test]
fn types_have_to_fit() {
    refuses("objct.a == 1", &[(1, 1, "undeclared reference to 'objct' (in container '')")]);
    refuses("1 == 'a'", &[(1, 3, "found no matching overload for '_==_' applied to '(int, string)'")]);
    refuses("'a'.reverse()", &[(1, 12, "found no matching overload for 'reverse' applied to 'string.()'")]);
    refuses(
        "1 && 'a'",
        &[(1, 1, "expected type 'bool' but found 'int'"), (1, 6, "expected type 'bool' but found 'string'")],
    );
    refuses("'a'.b", &[(1, 4, "type 'string' does not support field selection")]);
    refuses("quantity('1').value", &[(1, 14, "unexpected failed resolution of 'kubernetes.Quantity'")]);
    refuses(
        "'a'.all(c, c != '')",
        &[(
            1,
            1,
            "expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
        )],
    );
    refuses("int{}", &[(1, 4, "'int' is not a message type")]);
    refuses("object{}", &[(1, 7, "'dyn' is not a type")]);
    refuses("[?1]", &[(1, 3, "expected type 'optional_type(int)' but found 'int'")]);
}

#[test]
fn literals_are_validated() {
    refuses("duration('1') == duration('1s')", &[(1, 10, "invalid duration argument")]);
    refuses("timestamp('2025') == object", &[(1, 11, "invalid timestamp argument")]);
    refuses("object.matches('[')", &[(1, 16, "invalid matches argument")]);
    refuses("[1, 'a', 'b']", &[(1, 5, "expected type 'int' but found 'string'")]);
    refuses(
        "{1: 1, 'a': 'b'}",
        &[
            (1, 8, "expected type 'int' but found 'string'"),
            (1, 13, "expected type 'int' but found 'string'"),
        ],
    );
    refuses("'%s %d'.format(['a'])", &[(1, 15, "index 1 out of range")]);
    refuses(
        "'%s'.format(['a', 'b'])",
        &[(1, 12, "too many arguments supplied to string.format (expected 1, got 2)")],
    );
    refuses(
        "'%z'.format(['a'])",
        &[(1, 12, "could not parse formatting clause: unrecognized formatting clause \"z\"")],
    );
    let message = "error during formatting: decimal clause can only be used on integers, was given string";
    refuses("'%d'.format(['a'])", &[(1, 14, message)]);
    assert_eq!(compile("'%s %d'.format(['a', [1, 'b'].size()])").as_deref(), Ok("string"));
}

#[test]
fn gives_the_type_of_what_comes_out() {
    for (text, expected) in [
        ("object.a.b", "dyn"),
        ("items.map(x, string(x))", "list(string)"),
        ("items.transformMap(i, v, v > 1, name)", "map(int, string)"),
        ("items.sortBy(x, -x)", "list(int)"),
        ("object.?a[?0].orValue('b')", "string"),
        ("cidr('10.0.0.0/8').ip()", "net.IP"),
        ("quantity('1Gi').add(1)", "kubernetes.Quantity"),
        ("format.named('uuid')", "optional_type(kubernetes.NamedFormat)"),
        ("type(1) == int", "bool"),
        ("url('https://a/?b=c').getQuery()", "map(string, list(string))"),
        ("items.exists_one(i, v, v == i) && items.all(x, x in items)", "bool"),
        ("sets.contains(items, [1]) ? semver('1.2.3').major() : items.sum()", "int"),
        ("'%s'.format([object]) + r'\\d' + \"\"\"a\n\"b\"\"\" // comment", "string"),
        ("[].map(x, x)", "list(dyn)"),
        ("timestamp('2024-01-01T00:00:00Z') - duration('1h')", "google.protobuf.Timestamp"),
    ] {
        assert_eq!(compile(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn nodes_know_where_they_are_and_what_they_call() {
    let checked = Env::new().compile("1 + size([2])").expect("an expression that compiles");
    let root = checked.ast().root();
    assert_eq!(checked.ast().offset(root), Some(2));
    let called = |id| match checked.reference(id) {
        Some(Reference::Overloads(overloads)) => overloads.iter().map(|found| found.identity).collect(),
        _ => Vec::new(),
    };
    assert_eq!(called(root), ["add_int64"]);
    let call = checked.ast().children(root)[1];
    assert_eq!(checked.ast().offset(call), Some(8));
    assert_eq!(called(call), ["size_list"]);
    assert_eq!(checked.type_of(checked.ast().children(call)[0]).to_string(), "list(int)");
}

#[test]
fn nesting_is_bounded() {
    let limit = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
    let nested = |open: &str, close: &str, depth: usize| open.repeat(depth) + "1" + &close.repeat(depth);
    assert_eq!(compile(&nested("(", ")", 248)).as_deref(), Ok("int"));
    for (open, close) in [("(", ")"), ("[", "]"), ("{1: ", "}"), ("int(", ")")] {
        assert!(compile(&nested(open, close, 120)).is_ok(), "{open}");
        assert_eq!(compile(&nested(open, close, 15_000)).unwrap_err(), limit, "{open}");
    }
    let deep = "ERROR: <input>:-1:0: max recursion depth exceeded";
    for text in ["1".to_owned() + &" + 1".repeat(1000), "object".to_owned() + &".a".repeat(1000)] {
        assert_eq!(compile(&text).unwrap_err(), deep);
    }
    let macros = "items.map(x, ".repeat(124) + "x" + &")".repeat(124);
    let env = Env::new().with_variable("items", Type::list(Type::Int));
    let checked = env.compile(&macros).expect("macros within their limit");
    let bounds = Bounds { max: 2, ..Bounds::default() };
    assert_eq!(checked.max_cost(&bounds, None), u64::MAX);
    let terms = "object.a".to_owned() + &" && object.a".repeat(8000);
    assert_eq!(compile(&terms).as_deref(), Ok("bool"));
    let long = compile(&"a".repeat(100_001)).unwrap_err();
    assert_eq!(
        long,
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit 100000"
    );
    let doubling = "[1]".to_owned() + &".map(x, {x: x})".repeat(40);
    assert!(compile(&doubling).unwrap_err().contains("the type of the expression is too large"));
    let named = (1..40).fold("1".to_owned(), |value, _| format!("optional.of({value}).optMap(x, {{x: x}})"));
    assert!(compile(&named).is_err());
    let optional = "object".to_owned() + &".optMap(x, x)".repeat(100);
    assert!(compile(&optional).unwrap_err().contains("expression expands to more than"));
}

#[test]
fn a_text_of_many_errors_is_refused() {
    let text = format!("[]*.{{0u:[{}", "\u{1a}".repeat(150));
    for text in [text.clone(), format!("{text} e == 2)"), "\u{1a}".repeat(150)] {
        let issues = Env::new().compile(&text).expect_err("is no expression").to_string();
        assert!(issues.contains("More than 100 syntax errors") || issues.contains("more errors"), "{issues}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_compiled_or_refused(text in r#"([a-z(){}\[\].,?:!<>=&|'"\\ 0-9`+*/%\-\n😁]|true|in|map\(x, |has\(a\.|\.\?|r'''){0,40}"#) {
        match Env::new().with_variable("a", Type::Dyn).compile(&text) {
            Ok(checked) => _ = checked.max_cost(&Bounds::default(), None),
            Err(issues) => proptest::prop_assert!(issues.to_string().starts_with("ERROR: <input>:")),
        }
    }
}
