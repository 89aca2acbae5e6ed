//! Whole messages, as cel-go 0.26 prints them.

use super::*;

fn refusal(text: &str) -> String {
    match Env::new().with_variable("object", Type::Dyn).compile(text) {
        Ok(checked) => format!("COMPILES to {}", checked.output_type()),
        Err(issues) => issues.to_string(),
    }
}

#[test]
fn says_that_nothing_is_no_expression() {
    let message = "ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', \
                   'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
    assert_eq!(refusal(""), message);
}

#[test]
fn play() {
    for text in [
        "object.spec.replicas <= ",
        "object.spec.replicas <= (1 ",
        "a.b c",
        "1 + + 2",
        "1 + 2)",
        "[1, 2",
        "{1: 2",
        "a & b",
        "'abc",
        "package.x == 1",
        "x.true",
        "1 == 'a'",
        "has(x)",
        "object.all(x, x > 1 && y)",
        "'a'.all(x, true)",
        "[1, 'a']",
        "object.x ? 1 : 'a'",
        "'a'.reverse()",
        "duration('1') == duration('1s')",
        "object.spec.x.matches('[')",
        "'%d'.format(['a'])",
        "object.spec.`a-b`",
        "*@a | b",
        "a | b",
        "1 + $",
        "x{.",
        "'😁' in ['😁', '😑', '😦']\n\t&& in.😁",
        "as",
        "break",
        "[].exists(x, x > 0) && {'a': 1}.size() == 1",
        "[1,2].map(x, x * 2).filter(y, y > 2) == [4]",
        "- ",
        "!",
        "1.0e",
        "1 < 2 < 3",
        "x ? y",
        "f(1,)",
        "[1,]",
        "[,]",
        "{1:2,}",
        "a.b{c: d,}",
        "func{{a}}",
        "msg{:a}",
        "{:a}",
        "ind[a{b}]",
        "--",
        "?",
        "a ? b ((?))",
        "[a, b, c, d. e, f",
        "t{>C}",
        "TestAllTypes{repeated_int32: [1, 2]",
        "- \n",
    ] {
        println!("=== {text}\n{}", refusal(text));
    }
}
