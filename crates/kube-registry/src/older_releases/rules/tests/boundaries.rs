//! Rules that are distinguished where they are checked, or by the name that their errors carry, each in the release that
//! has it as it is now and the one before.
//!
//! `KADMIT_UPDATE=1` records the answers anew.

use super::{errors_through, texts};
use gotext::encoding_json;
use gotext::value::json;
use kube_api::field::Rule;
use std::collections::BTreeSet;
use std::{env, fs};

#[test]
fn releases_before_the_boundary_say_something_else() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/boundaries.json");
    let mut rows = encoding_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut produced = BTreeSet::new();
    for row in rows.as_array_mut().unwrap() {
        let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
        let (version, kind, since) = (text("apiVersion"), text("kind"), row["since"].as_u64().unwrap());
        let old = Some(&row["old"]).filter(|old| !old.is_null());
        let answer = |minor: u64| {
            let minor = u32::try_from(minor).unwrap();
            errors_through(&text("subResource"), &version, &kind, minor, &row["object"], old)
        };
        let (before, after) = (answer(since - 1), answer(since));
        produced.extend(after.iter().filter_map(|error| error.rule).map(|rule| format!("{rule:?}")));
        let (before, after) = (json!(texts(&before)), json!(texts(&after)));
        let rule = text("rule");
        assert_ne!(before, after, "{rule}");
        if env::var_os("KADMIT_UPDATE").is_some() {
            row["before"] = before;
            row["after"] = after;
        } else {
            assert_eq!((&row["before"], &row["after"]), (&before, &after), "{rule}");
        }
    }
    if env::var_os("KADMIT_UPDATE").is_some() {
        let lines: Vec<_> = rows.as_array().unwrap().iter().map(encoding_json::to_string).collect();
        fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let named: BTreeSet<_> = Rule::ALL.iter().map(|rule| format!("{rule:?}")).collect();
    assert_eq!(
        named.difference(&produced).collect::<Vec<_>>(),
        [""; 0],
        "rules by name that no row produces"
    );
}
