//! Any text: compiled or refused without a panic.

#![no_main]

use kadmit::cel::{AdmissionVariables, Env};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let declared = AdmissionVariables { params: true, authorizer: true, patch_types: true, variables: None };
    if let Err(issues) = Env::admission(declared).compile(text) {
        assert!(issues.to_string().starts_with("ERROR: <input>:"));
    }
});
