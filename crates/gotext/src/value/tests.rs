use std::collections::BTreeMap;

use super::*;

#[test]
fn is_no_larger_than_a_string() {
    assert_eq!(size_of::<Value>(), 24);
    assert_eq!(size_of::<(Text, Value)>(), 48);
}

#[test]
fn a_copy_shares_until_it_is_written() {
    let before = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"list": [1, {"x": 2}]}});
    let mut after = before.clone();
    after["metadata"]["labels"]["c"] = json!("d");
    assert_eq!(before["metadata"]["labels"], json!({"a": "b"}));
    assert_eq!(after["metadata"]["labels"], json!({"a": "b", "c": "d"}));
    let spec = |value: &Value| value["spec"].as_object().expect("a map").clone();
    assert!(spec(&before).is_same(&spec(&after)));
    assert_ne!(before, after);
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    let map: Map = [("b", 1), ("a", 2), ("b", 3), ("a", 4), ("b", 5)].into_iter().collect();
    assert_eq!(Value::Object(map), json!({"a": 4, "b": 5}));
    assert_eq!(r#"{"b": 1, "a": 2, "b": 3}"#.parse::<Value>().expect("JSON"), json!({"a": 2, "b": 3}));
}

#[test]
fn keys_are_ordered_by_their_bytes() {
    let keys: Vec<String> = (0..40).map(|number| format!("k{number}")).collect();
    let map: Map = keys.iter().rev().map(|key| (key.as_str(), 1)).collect();
    let mut sorted = keys.clone();
    sorted.sort();
    assert!(map.keys().eq(&sorted));
    assert!(keys.iter().all(|key| map.contains_key(key)) && !map.contains_key("k"));
}

#[test]
fn steps_into_what_is_not_there_find_nothing() {
    let value = json!({"a": [{"b/c": 1}], "t": "x"});
    assert!(value["x"]["y"][3].is_null() && value["t"]["x"].is_null());
    assert_eq!(value.pointer("/a/0/b~1c"), Some(&json!(1)));
    assert_eq!(value.pointer("/a/00"), None);
    assert_eq!(value.pointer("a"), None);
    let mut made = Value::Null;
    made["a"]["b"] = json!(1);
    assert_eq!(made, json!({"a": {"b": 1}}));
}

#[test]
fn text_is_read_as_it_was_written() {
    let text = r#"{"a":[null,true,-1,18446744073709551615,1.0,-0.0,5e-324],"b":{"c":"ä\n"},"d":{},"e":[]}"#;
    let value: Value = text.parse().expect("JSON");
    assert_eq!(value.to_string(), text);
    assert_eq!(json!({"a": value, "n": 1_u8, "s": format!("x"), "o": None::<String>})["a"], value);
}

#[test]
fn deep_values_are_compared_printed_and_dropped() {
    // Four times as deep as the readers accept.
    let deep = || (0..2_000).fold(Value::Null, |value, _| Value::from([value]));
    let (left, right) = (deep(), deep());
    assert!(left == right && left.to_string().len() > 4_000);
}

#[test]
fn keys_are_found_after_every_change() {
    let key = |number: u32| format!("k{}", number * 7 % 40);
    let (mut map, mut expected) = (Map::new(), BTreeMap::<String, u32>::new());
    for step in 0..400_u32 {
        let name = key(step * step + step / 3);
        match step % 5 {
            0 => assert_eq!(map.remove(&name), expected.remove(&name).map(Value::from)),
            4 if step % 45 == 44 => {
                map.retain(|name, _| !name.ends_with('1'));
                expected.retain(|name, _| !name.ends_with('1'));
            }
            _ => assert_eq!(
                map.insert(name.as_str(), step.into()),
                expected.insert(name, step).map(Value::from)
            ),
        }
        let number = |name: &str| map.get(name).and_then(Value::as_u64);
        assert!((0..40).map(key).all(|name| number(&name) == expected.get(&name).copied().map(u64::from)));
        assert_eq!(map.len(), expected.len());
    }
    map.clear();
    assert!((0..40).map(key).all(|name| !map.contains_key(&name)));
}
