//! Reads any text as YAML, by the shortcut for block style and by the full reader: what the former reads is what the
//! latter reads.

#![no_main]


use gotext::source::SourceFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = SourceFile::new("input.yaml", text);
    for part in kube_yaml::split(&source).flatten() {
        assert_eq!(format!("{:?}", part.read()), format!("{:?}", part.read_in_full()));
    }
});
