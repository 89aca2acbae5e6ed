//! Compiles any text, and evaluates what compiles within its budget, without a panic.

#![no_main]


use kube_cel::{AdmissionVariables, Env, PER_CALL_LIMIT, Program, Value, Variables};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let declared = AdmissionVariables { params: true, authorizer: true, patch_types: true, variables: None };
    let checked = match Env::admission(declared).compile(text) {
        Ok(checked) => checked,
        Err(issues) => return assert!(issues.to_string().starts_with("ERROR: <input>:")),
    };
    let Ok(program) = Program::new(&checked) else { return };
    let object: kube_api::Value =
        serde_json::from_str(include_str!("../../testdata/cel-vectors/object.json")).expect("an object");
    let variables = Variables::new()
        .with("object", &object)
        .with("oldObject", Value::Null)
        .with("params", &object)
        .with("request", &object)
        .with("namespaceObject", &object);
    let evaluation = program.eval(&variables, Some(PER_CALL_LIMIT / 10));
    assert_eq!(
        format!("{evaluation:?}"),
        format!("{:?}", program.eval(&variables, Some(PER_CALL_LIMIT / 10)))
    );
});
